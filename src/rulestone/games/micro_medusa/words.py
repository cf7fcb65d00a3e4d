"""Everything Micro Medusa says to people: labels, prompts, cards, the story, the ending. It asks the rules and decides nothing itself."""

import re
from functools import cache, cached_property

from rulestone.table import Card, Part, Plate, kit
from rulestone.table.kit import many

from . import content, rules
from .content import ACTIVE, CAPTURES_TO_WIN, CHAIN_TO_WIN, EYEBALLS_TO_WIN, GEAR_NAMES, HAND, KIND_NAMES, SNAKEHEADS_TO_WIN, SPACES
from .rules import (
    A_KIND,
    BESIDE,
    CHAMPION_DRAFT,
    EVENTS,
    EYEBALL,
    HEART,
    KINDS,
    MEDUSA_DRAFT,
    NONE,
    NOWHERE,
    OVER,
    PLACE,
    RESPOND,
    ROTATE,
    SECTION,
)

STANDING = int(ACTIVE[HEART])
ARMED = ACTIVE[:HEART].tolist()  # weapons in front of the Champion before the draft
NEXT_TO, SIDES = rules.NEIGHBOUR.tolist(), rules.SIDES.tolist()


class Table(kit.Fields):
    """The fields of a view, and what words and pictures ask about them."""

    def __init__(self, view):
        super().__init__(view)
        self.own = view.viewer == rules.MEDUSA  # is Medusa the viewer?
        self.at = {cell: tile for tile, cell in enumerate(self.t_cell[: self.n_tiles])}
        self.field = [(gear, cell) for gear, cell in zip(self.champ_equip, self.champ_cell, strict=True) if gear != NONE]
        self.happened = {event.name for event in view.events}
        self.pool, self.lives = self.ask(rules.held), self.ask(rules.lives)
        """How many tiles Medusa has in hand and face down, which everybody can count; how many Hearts must turn to stone."""

    @cached_property
    def ends(self):
        """Q5: the spaces that open ends point at, each with the number of those ends."""
        cells = [0] * 64
        return {cell: self.ask(rules.ends_into, cell).bit_count() for cell in cells[: self.ask(rules.open_cells, cells, False)]}

    @cached_property
    def spots(self):
        """Q10: where the Champion may place the answer, by direction."""
        free = self.ask(rules.free_directions) if self.phase == RESPOND else 0
        return {side: NEXT_TO[self.grid][self.fd_cell][side] for side in range(SIDES[self.grid]) if free >> side & 1}

    @cached_property
    def rotations(self):
        """R24, Q14: the ways in which the revealed tile fits: its sides with a tress, by rotation."""
        ways = self.ask(rules.rotations, self.fd_cell, self.fd_kind)
        return {turn: self.ask(rules.turned, self.fd_kind, turn) for turn in range(SIDES[self.grid]) if ways >> turn & 1}

    @cached_property
    def open(self):
        """Is nothing hidden (in a replay)? During a game others see neither her hand nor the tile in play."""
        return not self.own and self.fd_kind != rules.HIDDEN and sum(self.hand) + (self.phase == RESPOND) == self.pool > 0

    @cached_property
    def stone(self):
        """R11, Q18: how far the Champion is petrified, and how far is enough."""
        if self.petrify:
            return self.hits, EYEBALLS_TO_WIN
        return STANDING - self.live, STANDING + (self.phase != OVER) * (self.lives - self.live)

    @cached_property
    def rows(self):
        """Q16: the most Sections in a row from Medusa's head, and the most that end in a Snakehead or Eyeball."""
        return self.ask(rules.longest_chain, True), self.ask(rules.longest_chain, False)

    @cached_property
    def held(self):
        """Q29: Medusa's tiles as the Champion can know them, HIDDEN for each unknown one."""
        return [kind for kind in range(KINDS) for _ in range(self.known[kind])] + [rules.HIDDEN] * self.secret

    @cached_property
    def played(self):
        """The Champion's tiles on the field: the thing, its gear and its space."""
        return [(self.weapon(gear, which), gear, cell) for which, (gear, cell) in enumerate(self.field)]

    def weapon(self, gear, which):
        """The id of the thing that is played as this answer; a Heart stays where it is."""
        return f"weapon-{gear}-{sum(other == gear for other, _ in self.field[:which])}" if gear < HEART else f"heart-play-{which}"

    def gone(self, gear):
        """R31: has the Champion used up this weapon?"""
        return self.drafted != NONE and bool(self.ask(rules.may_use, gear))


def worded(count, word):
    return f"{kit.in_words(count)} {word}{'s' * (count != 1)}"


def upper(words):
    return words[:1].upper() + words[1:]


# ---- places ---------------------------------------------------------------------------------------------------------------

WAYS = {"E": "right", "NE": "upper right", "NW": "upper left", "W": "left", "SW": "lower left", "SE": "lower right", "N": "up", "S": "down"}
DIRECTIONS = tuple(tuple(WAYS[name] for name in names) for names in content.DIRECTION_NAMES)


@cache
def where(grid, cell):
    """A space in words: how to get there from Medusa's head, in one direction or in two neighbouring ones."""
    ways = [SPACES[grid][NEXT_TO[grid][0][side]] for side in range(SIDES[grid])]
    for side, (q, r) in enumerate(ways):
        (u, v), (x, y) = ways[(side + 1) % SIDES[grid]], SPACES[grid][cell]
        size = q * v - r * u
        far, across = (x * v - y * u) // size, (q * y - r * x) // size
        if far > 0 and across >= 0:
            break
    one, two = DIRECTIONS[grid][side], DIRECTIONS[grid][(side + 1) % SIDES[grid]]
    if not across:
        away = {"up": "above", "down": "below"}.get(one, f"to the {one} of")
        return f"{away} Medusa's head" if far == 1 else f"{far} steps {away} Medusa's head"
    if two in ("up", "down"):
        one, two, far, across = two, one, across, far
    return f"{many(far, 'step')} {one if one in ('up', 'down') else f'to the {one}'} and {across} to the {two} of Medusa's head"


def tresses(grid, mask):
    return "tresses " + ", ".join(name for side, name in enumerate(DIRECTIONS[grid]) if mask >> side & 1)


# ---- moves ----------------------------------------------------------------------------------------------------------------


def say_move(view, move):
    s, (verb, first, *more) = view.state, move
    if verb == "equip":
        return f"Take the reserve {GEAR_NAMES[first]}"
    if verb == "respond":
        there = NEXT_TO[s.grid][s.fd_cell][more[0]] if more[0] != rules.BESIDE_DIRECTION else BESIDE
        return f"Answer with the {GEAR_NAMES[first]}, {'beside the board' if there == BESIDE else where(int(s.grid), there)}"
    if verb == "rotate":
        return f"Rotate it: {tresses(s.grid, view.ask(rules.turned, max(int(s.fd_kind), 0), first))}"
    tile = f"{A_KIND[first]}{f' ({first})' * (first > SECTION)}"
    return f"Draft {tile}" if verb == "draft" else f"Place {tile} {where(int(s.grid), more[0])}"


def confirm(view, move):
    """Nobody can undo placing a tile; and Medusa is warned before she closes herself in."""
    if move.verb != "place":
        return None
    kind, name = min(move.args[0], SECTION), KIND_NAMES[move.args[0]]
    left, reached = view.ask(rules.foresee, *move.args, kind == SECTION)
    if left > 1:
        return f"Place the {name} face down here? You can't undo this."
    wins = reached & rules.MEDUSAS_REASONS != 0
    when = ("if it isn't captured", "if the Shield stops it" if wins else "whatever the answer", "if the Torch burns it")[kind]
    then = ", but you win" if wins and kind != EYEBALL else " and you are closed in"
    counts = " that counts" * view.state.closing
    ends = f"no open end{counts} is left{then}" if left == 0 else f"only 1 open end{counts} is left"
    return f"Careful: {when}, {ends}. Place the {name} here anyway?"


# ---- what to do -----------------------------------------------------------------------------------------------------------


def to_do(t):
    """What to do now, in one sentence, without what the Champion can remember (Q29)."""
    first = f"the first of {kit.in_words(HAND - t.pool)} tiles" if t.pool < HAND - 1 else "one more tile"
    then = "the Champion sees what you take" if t.pool < HAND - 1 else "then you conceal your hand"
    there = "a space (or the weapon again)" if t.spots else "the place beside the board"
    return (
        f"Draft {first} from the market, Medusa: {then}.",
        "Take one reserve tile for this round, Champion.",
        "Choose a tile from your hand, Medusa, then a glowing space to place it face down.",
        f"Guess what it is, Champion: choose a weapon, then {there}.",
        f"The {KIND_NAMES[t.fd_kind]} stays, Medusa: choose how to join it to your hair.",
        None,
    )[t.phase]


def prompt(view, seat):
    """What to do now. For the Champion, also what Medusa may hold or may have placed."""
    t = Table(view)
    said, known = to_do(t), [(kind, count) for kind, count in enumerate(t.known) if count]
    if t.phase == CHAMPION_DRAFT:
        holds = [A_KIND[kind] if count == 1 else many(count, KIND_NAMES[kind]) for kind, count in known]
        return f"{said[:-1]}: Medusa holds {kit.listed(holds + ['an unknown tile'] * t.secret)}."
    if t.phase == RESPOND:
        kinds = [A_KIND[kind] for kind, _ in known] + ["an unknown tile"] * t.secret
        return said.replace("Guess what it is", f"It {'may' if len(kinds) > 1 else 'can only'} be {kit.listed(kinds, 'or')}")
    return said


def unaided(view, seat):
    """Q29: the same without what the Champion can remember."""
    t = Table(view)
    return to_do(t) if t.phase in (CHAMPION_DRAFT, RESPOND) else None


def goal(view, seat):
    """The goals of the one who looks, each with how far it is; for spectators the standing of both sides."""
    t = Table(view)
    (row, _), (stone, hearts) = t.rows, t.stone
    ends, rounds = many(t.ask(rules.ends_to_close), "open end"), many(t.ask(rules.rounds_left), "round")
    if seat == rules.MEDUSA:
        chain = f"{'a' if t.chain else 'end a'} chain of {CHAIN_TO_WIN} ({min(row, CHAIN_TO_WIN)})"
        stares = many(hearts, "stare" if t.petrify else "stone Heart")
        return f"Get {many(SNAKEHEADS_TO_WIN, 'Snakehead')} (now {t.heads}), {stares} ({stone}) or {chain}."
    if seat == rules.CHAMPION:
        return f"Capture {many(CAPTURES_TO_WIN, 'Snakehead')} (now {t.captured}), close {ends} or last {rounds}."
    return f"{t.heads} of {SNAKEHEADS_TO_WIN} Snakeheads in play, {t.captured} of {CAPTURES_TO_WIN} captured; {ends}, {rounds} left."


# ---- wrong clicks ---------------------------------------------------------------------------------------------------------

NO_MOVE = {
    (MEDUSA_DRAFT, "stack"): "You can't draft from the stack: take a tile from the market.",
    (PLACE, "t"): "Choose a tile from your hand, then a glowing space next to an open end.",
    (PLACE, "space"): "First choose a tile from your hand to place there.",
    (PLACE, "ground"): "No open end points there: choose a glowing space.",
    (RESPOND, "gear"): "To choose another weapon, go back first.",
    (RESPOND, "space"): "First choose the weapon to answer with.",
    (RESPOND, "spare"): "The reserve is for the draft: answer with one of your three weapons.",
}


def meant(view, id):
    """After a wrong click: why the rules refuse the move it means, or what to do instead."""
    t, (name, *numbers) = Table(view), id.split("-")
    move = move_of(t, name, *(int(number) for number in numbers if number.isdigit()))
    said = view.why(move) if move else None
    return with_places(view, said) if said else NO_MOVE.get((t.phase, name)) or to_do(t)


def move_of(t, name, number=0, copy=0):
    """The move that a click on a thing means, or None."""
    if t.phase == CHAMPION_DRAFT and (name, number) in (("spare", HEART), ("heart", STANDING)):
        return ("equip", HEART)
    if t.phase == RESPOND and name == "gear":
        return ("respond", number, min(t.spots, default=rules.BESIDE_DIRECTION))
    if t.phase == PLACE and t.own:
        lying = [cell for gear, cell in t.field if (name, gear) == ("weapon", number)][copy:]
        cell = number if name == "space" else t.t_cell[number] if name == "t" else lying[0] if lying else 0
        return ("place", next(kind for kind in range(KINDS) if t.hand[kind]), cell) if 0 < cell < BESIDE else None
    return None


# ---- the story ------------------------------------------------------------------------------------------------------------


def say(view, event):
    """The sentence of the rules; for an answer beside the board, with the rule that says why it is there."""
    rule = BESIDE_WHY[view.state.champion_blocks][1] if event.name == "answers_beside" else "R22"
    return with_places(view, view.say(event).replace("R22", rule))


def with_places(view, said):
    """A sentence of the rules that describes its space in words instead of by number."""
    place = r"(on )?space (\d+)"
    said = re.sub(place, lambda found: ("" if found[1] else "the space ") + where(int(view.state.grid), int(found[2])), said)
    return re.sub(r"(Medusa.*)Medusa's", r"\1her", said)


HEADS_TO_WIN = worded(SNAKEHEADS_TO_WIN, "Snakehead")


def ending(view):
    s = view.state
    why = (  # by bit of `reasons`
        f"{HEADS_TO_WIN} {'hisses' if SNAKEHEADS_TO_WIN == 1 else 'hiss'} in play",
        f"{worded(EYEBALLS_TO_WIN, 'Eyeball')} met no Shield" if s.petrify else "the Champion's Hearts are all stone",
        "a chain of Snake Sections has found its end",
        f"{worded(CAPTURES_TO_WIN, 'Snakehead')} {'is' if CAPTURES_TO_WIN == 1 else 'are'} captured",
        f"Medusa is closed in, with no open end left{' on her Snake Sections' * bool(view.ask(rules.first_to_close))}",
        "Medusa has run out of tiles",
    )
    reached = " and ".join(words for bit, words in enumerate(why) if s.reasons >> bit & 1)
    return ("Medusa wins.", "The Champion wins.", "A draw.")[s.winner], f"{upper(reached)}."


# ---- in the picture -------------------------------------------------------------------------------------------------------


def title(t):
    """The picture in one sentence, for people who can't see it."""
    return (
        f"Micro Medusa, round {t.round}: {many(t.heads, 'Snakehead')} in play, {t.captured} captured, {many(t.live, 'Heart')} beating, "
        f"{many(sum(t.ends.values()), 'open end')}, {many(t.stack_n, 'tile')} in the stack"
    )


def plates(t):
    tiles = "1 secret tile" if t.secret == t.pool == 1 else many(t.pool, "tile") + (f", {t.secret} secret" if t.secret else "")
    hearts = f"{t.hits} of {EYEBALLS_TO_WIN} stares" if t.petrify else "♥" * t.lives + "♡" * (STANDING - t.live)
    skipped = "turn skipped" if t.happened & {"skips", "closed_skip"} else ""
    return (
        Plate((f"{t.heads} of {SNAKEHEADS_TO_WIN} Snakeheads in play", tiles), skipped),
        Plate((f"{t.captured} of {CAPTURES_TO_WIN} Snakeheads captured", f"Hearts {hearts}")),
    )


def lamps(t):
    """Six ways to win, three for each side: name, caption, the bit of the goal, whether it is near, and its card."""
    (row, capped), (stone, of) = t.rows, t.stone
    stares = f"when {many(EYEBALLS_TO_WIN, 'Eyeball')} met no Shield. So far: {t.hits}."
    petrified = stares if t.petrify else "when all of the Champion's active Hearts are stone."
    left, ends = t.ask(rules.rounds_left), t.ask(rules.ends_to_close)
    counts = " Once there is a Snake Section, only the ends of Sections count." if t.closing else ""
    return (
        ("heads", "Snakeheads", rules.HEADS, t.heads == SNAKEHEADS_TO_WIN - 1,
         Card(upper(HEADS_TO_WIN), f"Medusa wins with {many(SNAKEHEADS_TO_WIN, 'Snakehead')} in play. So far: {t.heads}.", "R10")),
        ("stone", "Stares" if t.petrify else "Hearts of stone", rules.STONE, stone == of - 1,
         Card("Petrified", f"Medusa wins {petrified}", "R11")),
        ("chain", many(CHAIN_TO_WIN, "section"), rules.CHAIN, capped < CHAIN_TO_WIN <= row,
         Card("The chain", f"Medusa wins when {CHAIN_TO_WIN} or more Snake Sections in a row join her head to a Snakehead or an Eyeball. "
              f"The longest row so far: {row}.", "R12")),
        ("captured", "Heads captured", rules.CAPTURE, t.captured == CAPTURES_TO_WIN - 1,
         Card(upper(worded(CAPTURES_TO_WIN, "captured head")),
              f"The Champion wins by capturing {many(CAPTURES_TO_WIN, 'Snakehead')}. So far: {t.captured}.", "R13")),
        ("ends", "open end left" if ends == 1 else "open ends left", rules.CLOSED, ends <= 1,
         Card("Closed in", f"The Champion wins when Medusa has no open end left to grow from. Left: {ends}.{counts} "
              "Her own Snakeheads and Eyeballs close ends too.", "R14")),
        ("stack", "last round" if left == 1 else f"{left} rounds left", rules.TILES_OUT, left == 1,
         Card("Out of tiles", f"The Champion wins by surviving until the stack is empty. Left: {many(t.stack_n, 'tile')} "
              f"and at most {many(left, 'round')}, including this one.", "R15")),
    )  # fmt: skip


MATCHED = (
    "Blade severs the Snakehead: captured!",
    "Shield reflects the stare: the space is stone",
    "Torch burns the Section: the space is stone",
)
MISSED = ("the Snakehead stays", "a Heart turns to stone", "the snake grows")


def headline(t):
    """What part of the round it is."""
    if t.phase == OVER:
        return f"Round {t.round} · {ending(t.view)[0]}"
    turn = f" · {('first', 'second')[t.turn]} turn" if t.phase in (PLACE, RESPOND, ROTATE) else ""
    return f"{'Last round' if t.ask(rules.rounds_left) == 1 else 'Round'} {t.round}{turn} · {rules.TASKS[t.phase]}"


def news(t):
    """What the last answer did, in a few words, and whether it deserves more than a glance."""
    for name in ("skips", "closed_skip", "empty_handed"):
        if name in t.happened:
            return EVENTS.sentences[name].partition(". [")[0], name != "empty_handed"
    if t.phase == OVER:
        return ending(t.view)[1], True
    if "reveals" not in t.happened:
        return "", False
    kind = min(t.last_kind, SECTION)
    missed = "the stare counts" if t.petrify and kind == EYEBALL else MISSED[kind]
    return f"{GEAR_NAMES[t.last_equip]} misses: {missed}" if t.last_result < rules.CAPTURED else MATCHED[kind], False


def hand_note(t):
    """What is known about Medusa's hand, in a few words."""
    if t.own or t.open:
        return "your hand" if t.own else "open hand"
    if t.phase == RESPOND:
        return "one is in play"
    return (f"{t.secret} unknown" if t.secret else "all known") if t.pool else "no tile"


def heart_notes(t):
    """Under the Hearts, and under the one in reserve."""
    return f"{many(t.lives, 'Heart')} left", "" if t.drafted == HEART else "no life" if t.reserve else "stone"


MARKET, WHICH_WAY, STACK, YOUR_HEARTS, RESERVE, TAKE = "Market", "Which way?", "Stack", "Hearts", "Reserve", "Reserve: take one"
NEXT_ROUND, BEATS, SECRET, BESIDE_IT, IN_STACK, END_TILE = "next round", "beats", "secret", "beside", "in stack", "+ head/eye"
"""Headings and labels."""

# ---- hover cards ----------------------------------------------------------------------------------------------------------

HEADS_OF_THEM = f"{kit.in_words(SNAKEHEADS_TO_WIN)} of them"
ABOUT_KIND = (
    f"Medusa wins with {HEADS_OF_THEM} in play; only the Blade stops one.",
    "Turns a Heart to stone when it is revealed; only the Shield stops it.",
    f"Medusa grows from it, and {kit.in_words(CHAIN_TO_WIN)} in a row make a chain; only the Torch stops it.",
    *["Medusa grows from it; only the Torch stops it."] * 2,
)
ON_TABLE = (
    Card("Snakehead", f"It counts for Medusa, who wins with {HEADS_OF_THEM}. Nothing grows from it.", "R26"),
    Card("Eyeball", "It has turned a Heart to stone. Nothing grows from it, but a chain can end here.", "R28"),
    *[Card("Snake Section", "Medusa grows from its open ends.", "R30")] * 3,
    Card("Medusa's head", "Everything grows out of it: a tress leaves it on every side.", "R4"),
)
ABOUT_GEAR = (
    ("Beats a Snakehead: it is cut off and captured.", "R25"),
    ("Beats an Eyeball: no Heart is lost and the space is stone.", "R27"),
    ("Beats a Snake Section: it burns and the space is stone.", "R29"),
)
BLANK = ("Played as an answer that matches nothing.", "Q21")
USED = ("Used in this round. It comes back when the next round begins.", "R31")
RESERVE_HEART = (  # stone, beating, and in a game with the option `petrify`
    ("It has turned to stone, so you can't take it any more.", "Q20"),
    ("In reserve it's no life. If you take it, it's the first to turn to stone this round.", "Q18"),
    ("You may take it, but in this game only unshielded Eyeballs count, not Hearts.", "Q18"),
)
HEARTS = (  # by the option `petrify`
    Card("Hearts", "Each unshielded Eyeball turns one to stone. Medusa wins when all active ones are stone.", "R11"),
    Card("Hearts", f"In this game they stay as they are: Medusa wins when {many(EYEBALLS_TO_WIN, 'Eyeball')} met no Shield.", "Q18"),
)
UNKNOWN = Card("Unknown tile", "Dealt to Medusa in secret before the first round. It can be anything.", "R8")
IN_THE_OPEN = "Medusa drafted it in the open, so she holds it or has just placed it face down."
BESIDE_WHY = (  # by the option `champion_blocks`
    ("No space next to the face-down tile is free, so the answer is played here.", "Q11"),
    ("Answers take up no space in this game: they are played here.", "Q10"),
)


def cards(t):
    """What everything is."""
    made = {f"lamp-{name}": card for name, *_, card in lamps(t)}
    made |= {f"space-{cell}": space_card(t, cell) for cell in {*t.ends, *t.spots.values()}}
    made |= {f"t-{tile}": tile_card(t, tile) for tile in range(t.n_tiles + (t.fd_kind != NONE))}
    made |= {f"market-{kind}": Card(KIND_NAMES[kind], ABOUT_KIND[kind], "R18") for kind in t.market if kind != NONE}
    if t.own or t.open:
        for kind in [kind for kind in range(KINDS) if t.hand[kind]]:
            known, rule = f"has seen {'you' if t.own else 'Medusa'} draft it", "R20"
            if t.hand[kind] > t.known[kind]:
                known, rule = f"doesn't know that {'you hold' if t.own else 'Medusa holds'} it", "R8"
            made[f"hand-{kind}"] = Card(KIND_NAMES[kind], f"{ABOUT_KIND[kind]} The Champion {known}.", rule)
    else:
        for place, kind in enumerate(t.held):
            made[f"held-{place}"] = Card(f"Known: {KIND_NAMES[kind]}", IN_THE_OPEN, "Q29") if kind >= 0 else UNKNOWN
    order = t.stack[: t.stack_n][::-1]
    inside = f"From the top: {', '.join(KIND_NAMES[kind] for kind in order)}." if order and min(order) >= 0 else ""
    inside = f"{many(t.stack_n, 'tile')}, face down. {inside or 'The Champion wins by surviving until it is empty.'}"
    made |= {"stack": Card("Stack", inside, "Q26"), f"gear-{HEART}": HEARTS[t.petrify]}
    made[f"spare-{HEART}"] = Card("Reserve Heart", *RESERVE_HEART[2 if t.petrify else t.reserve])
    for gear, (name, count) in enumerate(zip(GEAR_NAMES, ARMED, strict=False)):
        then = f"can answer with the {name} twice" if count == 1 else f"have {count + 1} {name}s"
        made[f"spare-{gear}"] = Card(f"Reserve {name}", f"If you take it, you {then} this round.", "R19")
        made[f"gear-{gear}"] = Card(name, *(USED if t.gone(gear) else ABOUT_GEAR[gear]))
    for id, gear, cell in t.played:
        keeps = "" if cell == BESIDE else " and keeps Medusa out"
        says = (f"Stays here until the end of the round{keeps}.", "R31") if gear < HEART else BLANK
        made[id] = Card(f"The Champion's {GEAR_NAMES[gear]}", *says)
    if t.phase == RESPOND and not t.spots:
        made["beside"] = Card("Beside the board", *BESIDE_WHY[t.champion_blocks])
    if t.phase == ROTATE:
        ways = t.rotations.items()
        made |= {f"turn-{turn}": Card("One way it fits", f"{upper(tresses(t.grid, mask))}.", "Q14") for turn, mask in ways}
    return made


def tile_card(t, tile):
    """A settled tile, or the tile in play, whose number is the one it will have if it stays."""
    if tile < t.n_tiles:
        kind = t.t_kind[tile]
        return Card("Stone", f"A flipped {KIND_NAMES[kind]}: it blocks this space for good.", "Q8") if t.t_blocked[tile] else ON_TABLE[kind]
    if t.phase == ROTATE:
        return Card("The tile in play", "It fits in several ways: Medusa chooses one.", "R24")
    says = "It is one of Medusa's tiles."
    if t.fd_kind >= 0:
        kind = A_KIND[t.fd_kind]
        says = f"Only you know what it is: {kind}." if t.own else f"{upper(kind)}, hidden from the Champion until the answer."
    return Card("Face-down tile", says, "R21")


def space_card(t, cell):
    """A space that can be chosen, now or later."""
    ends, rule = t.ends.get(cell, 0), "Q5"
    says = f"{many(ends, 'open end')} of Medusa's hair point{'s' * (ends == 1)} here."
    if cell in t.spots.values():
        covers = f"A Champion tile here covers {many(ends, 'open end')} until the end of the round."
        says, rule = covers if ends else "A free space next to the face-down tile.", "Q10"
    elif t.ask(rules.covered, cell):
        says, rule = "This space opens again when the Champion takes back their tile.", "Q15"
    return Card(upper(where(t.grid, cell).removeprefix("to the ")), says, rule)


# ---- without the picture --------------------------------------------------------------------------------------------------


def in_words(view, seat):
    """The board, the six ways to win, and what both sides have."""
    t = Table(view)
    sides = [Part(kit.whose(view, seat, rules.MEDUSA), medusa_words(t)), Part(kit.whose(view, seat, rules.CHAMPION), champion_words(t))]
    stack = f"{many(t.stack_n, 'tile')} in the stack."
    market = kit.listed(many(t.market.count(kind), rules.TILE_WORDS[kind]) for kind in range(KINDS) if kind in t.market)
    return [
        Part("The board", board_words(t)),
        *sides[:: -1 if seat == rules.CHAMPION else 1],
        Part("Market and stack", [f"In the market: {market}." if market else "The market is empty.", stack]),
        Part("Six ways to win", [card.text for *_, card in lamps(t)]),
    ]


def board_words(t):
    """Every tile on the board with its place, counted from Medusa's head, and the spaces where she can grow."""
    lines = [
        f"{headline(t).removesuffix('.')}.".replace(" · ", ", "),
        f"Everything grows out of Medusa's head: {tresses(t.grid, t.t_mask[0])}.",
    ]
    for tile in range(1, t.n_tiles):
        name = rules.TILE_WORDS[t.t_kind[tile]]
        what = f"stone, a flipped {name}" if t.t_blocked[tile] else f"{name}, {tresses(t.grid, t.t_mask[tile])}"
        lines.append(f"{upper(where(t.grid, t.t_cell[tile]))}: {what}.")
    if t.fd_cell != NOWHERE:
        lines.append(f"{upper(where(t.grid, t.fd_cell))}: {tile_in_play(t)}.")
    lines += [
        f"{upper('beside the board' if cell == BESIDE else where(t.grid, cell))}: the Champion's {GEAR_NAMES[gear]}."
        for gear, cell in t.field
    ]
    for cell, ends in t.ends.items():
        covered = "covered until the end of the round" if t.ask(rules.covered, cell) else "empty"
        lines.append(f"{upper(where(t.grid, cell))}: {covered}, {many(ends, 'open end')} of Medusa's hair lead{'s' * (ends == 1)} there.")
    return lines


def tile_in_play(t):
    """The tile that Medusa has just placed, as far as the viewer knows it."""
    if t.phase == ROTATE:
        return f"the tile in play, a {rules.TILE_WORDS[t.fd_kind]} that fits in several ways"
    return f"the face-down tile{f', which is {A_KIND[t.fd_kind]}' if t.fd_kind >= 0 else ''}"


def medusa_words(t):
    """Her tiles: in her own eyes what the Champion knows of them, in others' eyes what can be known."""
    heads = f"{t.heads} of {many(SNAKEHEADS_TO_WIN, 'Snakehead')} in play."
    if t.own or t.open:
        held = [(kind, count) for kind, count in enumerate(t.hand) if count]
        hand = [f"{count} {rules.TILE_WORDS[kind]}, {known_of(t, kind, count)}." for kind, count in held]
        return [heads, *(hand or ["No tile in hand."])]
    known = [rules.TILE_WORDS[kind] if kind >= 0 else "an unknown tile" for kind in t.held]
    there = "hand or face down on the board" if t.phase == RESPOND else "hand"
    return [heads, f"In her {there}: {kit.listed(known)}." if known else "No tile in hand."]


def known_of(t, kind, count):
    return (
        "known to the Champion" if t.known[kind] >= count else "secret" if not t.known[kind] else f"{t.known[kind]} known to the Champion"
    )


def champion_words(t):
    """The weapons and Hearts."""
    left = t.equip if t.drafted != NONE else ARMED
    weapons = [f"the {name}{f' ({count} times)' * (count > 1)}" for name, count in zip(GEAR_NAMES, left, strict=False) if count]
    answers = f"Can answer with {kit.listed(weapons, 'or')}." if weapons else "No weapon left this round."
    drafted = [] if t.drafted == NONE else [f"Took the reserve {GEAR_NAMES[t.drafted]} this round."]
    spare = "" if t.drafted == HEART else " The reserve Heart doesn't count." if t.reserve else " The reserve Heart is stone."
    hearts = f"{heart_notes(t)[0]}.{spare}"
    if t.petrify:
        hearts = f"{t.hits} of {many(EYEBALLS_TO_WIN, 'Eyeball')} met no Shield."
    return [answers, *drafted, hearts, f"{t.captured} of {many(CAPTURES_TO_WIN, 'Snakehead')} captured."]


# ---- for terminals --------------------------------------------------------------------------------------------------------


def counts(t, letters):
    """Hand, market and stack; weapons, Hearts and how close the goals are."""
    held = [kind for kind in range(KINDS) for _ in range(t.hand[kind])] if t.own or t.open else t.held
    hand = "".join(letters[kind] if kind >= 0 else "?" for kind in held)
    market = "".join(letters[kind] if kind >= 0 else "-" for kind in t.market)
    yield f"hand {hand or '-'}  market {market}  stack {t.stack_n}"
    weapons = " ".join(f"{name} {count}" for name, count in zip(GEAR_NAMES, t.equip if t.drafted != NONE else ARMED, strict=False))
    goals = f"heads {t.heads}/{SNAKEHEADS_TO_WIN}  captured {t.captured}/{CAPTURES_TO_WIN}"
    yield f"{weapons}  Hearts {t.live}  {goals}  open ends {sum(t.ends.values())}"


# ---- why a move is good -----------------------------------------------------------------------------------------------------


def why(view, move):
    """A reason for a move, where the rules give one."""
    t, (verb, first, *_) = Table(view), move
    last_head, last_heart = t.heads + 1 == SNAKEHEADS_TO_WIN, t.stone[0] + 1 >= t.stone[1]
    if verb == "place" and first == rules.SNAKEHEAD and last_head:
        return "If it stays, it's your last Snakehead to win."
    if verb == "place" and first == EYEBALL and last_heart:
        return "Without the Shield, the Champion's last Heart turns to stone."
    if verb == "equip" and first != HEART:
        return f"You can answer with the {GEAR_NAMES[first]} twice this round."
    if verb != "respond":
        return None
    if rules.matches(rules.SNAKEHEAD, first) and last_head:
        return "One more Snakehead wins for Medusa, and only the Blade stops it."
    if rules.matches(EYEBALL, first) and last_heart:
        return "One more stare wins for Medusa, and only the Shield stops it."
    beaten = sum(count for kind, count in enumerate(t.known) if rules.matches(kind, first))
    return f"It beats {beaten} of the {many(t.pool, 'tile')} that may lie there." if beaten else None
