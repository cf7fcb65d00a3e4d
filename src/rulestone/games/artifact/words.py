"""What people read in Artifact: labels, prompts, hover cards, the story, the ending."""

from functools import cache, cached_property

from rulestone.kernel import Events
from rulestone.table import Card, Part, Plate, kit
from rulestone.table.kit import many

from . import rules
from .art import LETTERS, ground
from .content import BONUS, CARDS, CHASE_PLAYS, HAND, HO, JUMP, KINDS, NONE, PLAYS, VERT, WAYS
from .rules import ABOUT, ACTIONS, CARD_VERBS, DRAW, EVENTS, OVER, PLAY, SELF, STEPS

NAMES = ABOUT.seats
ORDER = [CARDS.index(card) for card in ("Ho", "Vert", "Diag", "Jump", "Swap", "Drop Block", "Dynamite", "Rotate")]  # of the hand
SQUARES = tuple(f"{LETTERS[place % 16]}{place // 16 + 1}" for place in range(256))
"""What squares are called at the table (column letter and row number), by their number in the story."""
ALONG = "{}: move one square along its arrow, but never up onto a wall. Rotate turns the arrow relative to the map."
USES = (
    (ALONG.format("Horizontal"), "R18"),
    (ALONG.format("Vertical"), "R19"),
    ("Jump onto a neighbouring wall that's higher than you, diagonally too.", "R22"),
    ("Diagonal: move one square across a corner, but never up onto a wall.", "R20"),
    ("Trade places with an opponent. The artifact stays where it is.", "R23"),
    ("Put a block on a neighbouring square or under yourself. It lifts whatever is there.", "R25"),
    ("Remove a neighbouring block, or the one under you.", "R26"),
    ("Turn the board 90° clockwise: Ho and Vert swap directions for everybody.", "R27"),
)
ANY_WALL = ("Jump onto any neighbouring wall, diagonally too.", "Q25")  # with `jump_level`


class Table(kit.Fields):
    """The fields of a view as plain values, each read on demand, and questions that words and pictures ask."""

    plan = cached_property(lambda t: ground(t.map))
    homes = cached_property(lambda t: tuple(t.ask(rules.home, player) for player in range(t.players)))
    spots = cached_property(lambda t: tuple(t.pos[: t.players]))
    heights = cached_property(lambda t: tuple(t.h[: t.plan.rows * t.plan.columns]))
    pile = cached_property(lambda t: t.disc[: t.disc_n])
    laid = cached_property(lambda t: t.played[: t.played_n])

    @property
    def usual(self):
        """The play limit of this turn without the bonus."""
        return max(1, self.limit - BONUS * self.bonus)

    def owner(self, cell):
        """Whose home base a square is, or None."""
        return self.homes.index(cell) if cell in self.homes else None

    def others_at(self, cell, player):
        return [other for other in range(self.players) if other != player and self.pos[other] == cell]

    def way_to(self, player, cell):
        """The direction (of eight) from a player to a neighbouring square, or None."""
        near = self.plan.neighbours[self.pos[player]]
        return near.index(cell) if cell in near else None

    def apart(self, here, there):
        """How many squares it is from one to the other, over walls or not."""
        reached, steps = {here}, 0
        while there not in reached:
            reached, steps = reached.union(*(self.plan.neighbours[cell] for cell in reached)) - {NONE}, steps + 1
        return steps

    def target(self, move):
        """The square a play is aimed at, or None."""
        if move.verb == "swap":
            return self.pos[move.args[0]]
        if move.verb not in CARD_VERBS or move.verb == "rotate":
            return None
        way, here = WAYS.index(str(move).split()[1]), self.pos[self.mover]
        return here if way == SELF else self.plan.neighbours[here][way]

    def idle(self, move):
        """Q34: would the card have no effect?"""
        able = self.idle_cards and move.verb in CARD_VERBS and move.args
        return bool(able) and self.ask(rules.idles, CARD_VERBS.index(move.verb), move.args[0])

    def foresee(self, move):
        """Who would have the artifact after a play, and by how much the play limit would grow."""
        holder, limit = self.ask(rules.foresee, ACTIONS.parse(move))
        return holder, limit - self.limit


# ---- moves ----------------------------------------------------------------------------------------------------------------

LABELS = {
    "draw_deck": "Draw from the deck",
    "end_play": "Stop playing cards",
    "end_turn": "End your turn",
    "rotate": "Turn the board with Rotate",
    "discard": "Discard {card}",
}


def say_move(view, move):
    if move.verb in LABELS:
        return LABELS[move.verb].format(card=CARDS[move.args[0]] if move.args else "")
    t = Table(view)
    if move.verb == "draw_discard":
        return f"Take {CARDS[t.pile[-1]]} from the discard pile"
    if t.idle(move):
        return f"Play {CARDS[CARD_VERBS.index(move.verb)]} without effect ({str(move).split()[1]})"
    if move.verb == "swap":
        return f"Swap places with {NAMES[move.args[0]]}"
    cell = t.target(move)
    where, own = t.plan.names[cell], cell == t.pos[t.mover]
    if move.verb == "drop":
        return f"Drop a block {'under yourself' if own else f'on {where}'}"
    if move.verb == "dynamite":
        return f"Blow up the block {'under you' if own else f'on {where}'}"
    takes = " and take the artifact" if cell == t.art and t.holder != t.mover else ""
    return f"{'Leap onto' if move.verb == 'jump' else 'Step to'} {where} with {CARDS[CARD_VERBS.index(move.verb)]}{takes}"


def confirm(view, move):
    """Asked before you leave the artifact to somebody else: by staying with them, on their base, or by a Swap."""
    t = Table(view)
    if t.idle(move):
        return f"Nothing would happen. Play {CARDS[CARD_VERBS.index(move.verb)]} anyway?"
    if t.holder != t.mover:
        return None
    if move.verb == "swap" and t.foresee(move)[0] == NONE:
        other, where = NAMES[move.args[0]], t.plan.names[t.art]
        return f"Swap with {other}? The artifact stays at {where}, and {other} takes it when their turn starts."
    if move.verb == "end_play":
        return left_behind(t, t.pos[t.mover], "Stop anyway?")
    if move.verb in STEPS and t.used + 1 >= t.limit and t.target(move) != t.homes[t.mover]:
        return left_behind(t, t.target(move), "This is your last play. Go there anyway?")
    return None


def left_behind(t, cell, question):
    """Q18, Q43: who would get the artifact if the turn ended on this square."""
    others = t.others_at(cell, t.mover)
    if others:
        after = min(others, key=lambda other: (other - t.mover) % t.players)
        return f"{NAMES[after]} is there too and takes the artifact when their turn starts. {question}"
    if t.owner(cell) not in (None, t.mover):
        return f"That's {NAMES[t.owner(cell)]}'s home base: if they get the artifact there, they win. {question}"
    return None


def prompt(view, seat):
    t, name = Table(view), NAMES[seat]
    if t.phase == DRAW:
        top = f", or take {CARDS[t.pile[-1]]} from the discard pile" if t.pile else ""
        start = "You've taken the artifact" if t.bonus and t.holder == seat else "Your turn"
        return f"{start}, {name}: draw a card from the deck{top}."
    if t.phase == PLAY:
        others = t.others_at(t.pos[seat], seat) if t.holder == seat else []
        run = f", but don't stay here with {NAMES[others[0]]}" if others else ""
        return f"{many(t.limit - t.used, 'play')} left, {name}: choose a card, then a glowing target, or stop playing{run}."
    if t.ask(rules.may_end_turn):
        return f"Discard down to {t.hand_cap} cards, {name}: choose the ones you don't need."
    more = t.ask(rules.to_refill)
    refill = f" and draw {many(more, 'card')}" if more else ""
    return f"Choose cards to discard, {name}, or end your turn{refill}."


def goal(view, seat):
    """The goal, who has the artifact, and how far it still has to go."""
    t = Table(view)
    if t.holder == NONE:
        where = "in the temple" if t.art == t.plan.temple else f"loose at {t.plan.names[t.art]}"
        away = "" if seat is None else f", {many(t.apart(t.pos[seat], t.art), 'square')} away"
        return f"Carry the artifact home: it's {where}{away}."
    far = many(t.apart(t.art, t.homes[t.holder]), "square")
    if t.holder == seat:
        return f"Carry the artifact home: {far} to go."
    return f"Carry the artifact home: {NAMES[t.holder]} has it, with {far} to go."


# ---- wrong clicks ---------------------------------------------------------------------------------------------------------

NO_MOVES = {
    **dict.fromkeys(("compass", "line"), "To turn the board you need a Rotate card. [R27]"),
    **dict.fromkeys(("played", "plays"), "Played cards stay here until the end of the turn. [R14]"),
    "seat": "That's a player's hand. To swap places, choose a Swap card, then the other player's square. [R23]",
}


def meant(view, id):
    """After a wrong click: the move it means, or what the thing is. Parts of a card or a pile count as the whole."""
    kind, _, number = id.partition("-")
    if view.to_move is None or kind in NO_MOVES:
        return NO_MOVES.get(kind)
    t = Table(view)
    if kind in ("discard", "rest", "top"):
        return f"Discard pile: {pile_says(t)[:1].lower()}{pile_says(t)[1:]}"
    if kind in ("card", "copy", "way"):
        return most_telling(view, getattr(ACTIONS, CARD_VERBS[int(number.partition("-")[0])]))
    return square_meant(t, int(number)) if kind == "cell" else ("draw_deck",) if kind == "deck" else None


def most_telling(view, verb):
    """The move of a card that comes closest to being legal: the reasons against plays are declared in that order."""
    moves = [action for action in range(len(ACTIONS)) if verb.includes(action)]
    return max(moves, key=lambda action: view.ask(rules.may, action) & 255)  # without the reason's numbers


def square_meant(t, cell):
    """The card that would take you there."""
    if t.phase != PLAY:
        return ("rotate",)  # any card would do
    player, way = t.mover, t.way_to(t.mover, cell)
    if cell == t.pos[player]:
        return "You're already there. Only Drop Block and Dynamite work on your own square. [R25]"
    if way is None:
        return "That's too far: a card moves you one square. [R18]"
    if t.ask(rules.higher, cell, t.pos[player]):
        return ("jump", way)
    if way % 2:
        return ("diag", way // 2)
    return ("vert" if t.ask(rules.turned, player) == way // 2 % 2 else "ho", way // 2)


# ---- the story ------------------------------------------------------------------------------------------------------------

SPOKEN = Events(EVENTS.names | {"place": SQUARES, "way": [""] * len(WAYS)}, **EVENTS.sentences)
"""The story of the rules, with the squares' names at the table."""


def say(view, event):
    return SPOKEN.say(event, NAMES)


def ending(view):
    """Who won, and how."""
    t = Table(view)
    if t.winner == NONE:
        return ("It's a draw.", f"Nobody brought the artifact home in {many(t.max_rounds, 'round')}.")
    winner = NAMES[t.winner]
    return (f"{winner} wins!", f"{winner} has the artifact at home in round {t.turn // t.players + 1}.")


# ---- beside the board -----------------------------------------------------------------------------------------------------


def title(t):
    """One sentence for people who can't see the picture."""
    where = f"at {t.plan.names[t.art]}"
    if t.holder != NONE:
        return f"Artifact: {NAMES[t.holder]} has the artifact {where}"
    return f"Artifact: the artifact is {'in the temple' if t.art == t.plan.temple else 'loose'} {where}"


def reasons(t, seat):
    """How many plays are left, and why that many."""
    if t.mover is None:
        return "The game is over", ""
    mine = t.mover == seat
    who, left = ("You" if mine else NAMES[t.mover]), max(0, t.limit - t.used)
    if t.holder not in (NONE, t.mover):
        why = f"{t.usual}: {'you have' if t.holder == seat else NAMES[t.holder] + ' has'} the artifact"
    elif t.usual > (t.opening_limit if t.turn == 0 else PLAYS):
        owner = "another" if t.players > 2 else "you" if seat == 1 - t.mover else NAMES[1 - t.mover]
        why = f"{t.usual}: {owner} had {'it' if t.bonus else 'the artifact'}"
    else:
        why = f"{t.usual} a turn"
    if t.bonus:
        why += f", +{BONUS * t.bonus}: {'you' if mine else NAMES[t.mover]} took it"
    if t.phase == DRAW:
        return f"{who} may play {many(t.limit, 'card')}", why
    if t.phase == PLAY:
        return f"{many(left, 'play')} left{'' if mine else f' for {who}'}", why
    return "No more plays", f"Discard, then refill to {HAND}"


def swap_says(t, moves):
    """R24: what happens to the artifact if the mover swaps."""
    if t.swap_carry:
        return "goes with its holder"
    if t.holder == t.mover:
        return "stays here!"
    return "stays here: swap, and it's yours" if any(t.foresee(move)[0] == t.mover for move in moves) else "stays here"


def take_says(t, move):
    """R12, R13: what a step onto the artifact brings."""
    more = t.foresee(move)[1]
    return f"take it: +{more}" if more > 0 else "take it"


def plates(t):
    made = []
    for player in range(t.players):
        known = ", ".join(CARDS[kind] for kind in ORDER if t.known[player][kind])
        line = many(t.hand_n[player], "card") + (f" (known: {known})" if known else "")
        made.append(Plate((line,), "has the artifact" if t.holder == player else ""))
    return tuple(made)


# ---- hover cards ----------------------------------------------------------------------------------------------------------

card = cache(Card)


def cards(t, seat, quarter):
    """The hover cards of everything on the table."""
    made = dict(square_cards(t.plan, t.heights))
    near = t.plan.neighbours[t.pos[seat]] if seat is not None else ()
    for cell in {*t.pos, *near, *t.homes, t.art, t.plan.temple} - {NONE}:
        made[f"cell-{cell}"] = square_card(t, seat, cell)
    for kind in range(KINDS):
        if seat is None or t.hand[seat][kind]:
            use = ANY_WALL if kind == JUMP and t.jump_level else USES[kind]
            made[f"{'kind' if seat is None else 'card'}-{kind}"] = card(CARDS[kind], *use)
    left = f"{many(t.deck_n, 'card')} face down"
    made["deck"] = card("Deck", f"{left}. When it runs out, all discards except the top one are shuffled.", "R15")
    made["discard"] = card("Discard pile", pile_says(t), "R7" if t.phase == DRAW else "R14")
    ho, vert = ("east or west", "north or south")[:: -1 if quarter % 2 else 1]
    made["compass"] = card(
        "Compass", f"Ho (horizontal) now moves {ho} on the printed map, Vert (vertical) {vert}. N marks its north.", "R27"
    )
    for player in range(t.players):
        made[f"seat-{player}"] = card(NAMES[player], seat_says(t, player), "Q48")
    if t.phase != OVER:
        usual = f"{PLAYS} cards, or {CHASE_PLAYS} if somebody else has the artifact when your turn starts; {BONUS} more if you take it."
        made["plays"] = card("Plays this turn", usual, "R13")
    for index, kind in enumerate(t.laid):
        last = " It'll be on top, where the next player can take it." if index == t.played_n - 1 else ""
        made[f"played-{index}"] = card(f"{CARDS[kind]}, played", f"It goes onto the discard pile at the end of the turn.{last}", "R14")
    return made


@cache
def square_cards(plan, heights):
    """The squares as they are by themselves."""
    return {f"cell-{cell}": plain_square(plan.names[cell], heights[cell]) for cell in plan.cells}


@cache
def plain_square(name, high):
    if not high:
        return Card(f"{name} (ground)", "An empty square.", "R16")
    tall = f", {high} blocks high" if high > 1 else ""
    return Card(f"{name} (a wall{tall})", "You can jump onto blocks, walk on them and blow them up.", "R17")


def pile_says(t):
    if not t.pile:
        return "It's empty."
    more = f" and {len(t.pile) - 12} more" if len(t.pile) > 12 else ""
    return f"From the top: {', '.join(CARDS[kind] for kind in t.pile[:-13:-1])}{more}."


def seat_says(t, player):
    known = ", ".join(f"{t.known[player][kind]} {CARDS[kind]}" for kind in ORDER if t.known[player][kind])
    words = f"{many(t.hand_n[player], 'card')} in hand{f', known: {known}' if known else ''}"
    return f"{words}; home base {t.plan.names[t.homes[player]]}{', has the artifact' if t.holder == player else ''}."


def square_card(t, seat, cell):
    """A square: what is there, who is there, and whether you can get there."""
    name, high, owner = t.plan.names[cell], t.heights[cell], t.owner(cell)
    here = [NAMES[player] for player in range(t.players) if t.pos[player] == cell]
    if owner is not None:
        name, words, rule = f"{name} ({NAMES[owner]}'s home base)", f"{NAMES[owner]} wins by having the artifact here", "R29"
    elif cell == t.plan.temple:
        name, words, rule = f"{name} (the temple)", "The artifact started the game here", "R5"
    else:
        name, words, rule = plain_square(name, high)
        words = words[:-1]
    if high and (owner is not None or cell == t.plan.temple):
        words += "; there's a block on it"
    if here:
        words += f"; {' and '.join(here)} {'is' if len(here) == 1 else 'are'} here"
    if cell == t.art:
        rule = "R12"
        if t.holder != NONE:
            words += f"; {NAMES[t.holder]} has the artifact{': move here to take it' if seat not in (t.holder, None) else ''}"
        else:
            words += "; the artifact is here and nobody controls it"
            words += "; whoever starts a turn here takes it" if here else ": move here to take it"
    if high and seat is not None and t.way_to(seat, cell) is not None and t.ask(rules.higher, cell, t.pos[seat]):
        words, rule = f"{words}; it's higher than you, so you need Jump", "R21" if cell != t.art else rule
    return card(name, words + ".", rule)


# ---- without the picture --------------------------------------------------------------------------------------------------

COMPASS = ("North", "North-east", "East", "South-east", "South", "South-west", "West", "North-west")
LINES = ("east or west", "north or south")


def in_words(view, seat):
    """The board, the squares around you, everybody's piece and cards, the piles."""
    t = Table(view)
    near = [] if seat is None else [(way, cell) for way, cell in enumerate(t.plan.neighbours[t.pos[seat]]) if cell != NONE]
    around = [f"{COMPASS[way]}: {square_card(t, seat, cell).name}{what_is_on(t, cell)}." for way, cell in near]
    players = sorted(range(t.players), key=lambda player: player != seat)
    pieces = [Part(kit.whose(view, seat, player), piece_words(t, player, player == seat)) for player in players]
    return [
        Part("The board", board_words(t)),
        *pieces[:1],
        Part("Around you", around),
        *pieces[1:],
        Part("Cards on the table", table_words(t, seat)),
    ]


def board_words(t):
    """The map, without the pieces."""
    plan = t.plan
    holes = [plan.names[cell] for cell in plan.at if cell not in plan.cells]
    lines = [
        f"Columns {LETTERS[0]} to {LETTERS[plan.columns - 1]} run from west to east, rows 1 to {plan.rows} from north to south.",
        f"{upper(title(t).partition(': ')[2])}.{f' The temple is {plan.names[plan.temple]}.' * (t.art != plan.temple)}",
        f"Ho now moves {LINES[t.rot % 2]}, Vert {LINES[1 - t.rot % 2]}.",
    ]
    for high in sorted({t.heights[cell] for cell in plan.cells} - {0}):
        walls = [plan.names[cell] for cell in plan.cells if t.heights[cell] == high]
        lines.append(f"Walls {kit.many(high, 'block')} high: {', '.join(walls)}.")
    if holes:
        lines.append(f"Not part of the board: {', '.join(holes)}.")
    return lines


def upper(words):
    return words[:1].upper() + words[1:]


def what_is_on(t, cell):
    here = [NAMES[player] for player in range(t.players) if t.pos[player] == cell] + ["the artifact"] * (cell == t.art)
    return f", with {kit.listed(here)}" if here else ""


def piece_words(t, player, own):
    """Where a piece is, and the cards of its player."""
    cell, home = t.pos[player], t.plan.names[t.homes[player]]
    high = f"on a wall {many(t.heights[cell], 'block')} high" if t.heights[cell] else "on the ground"
    lines = [f"On {t.plan.names[cell]}, {high}. Home base {home}.", *["Has the artifact."] * (t.holder == player)]
    held = [(kind, t.hand[player][kind]) for kind in ORDER if t.hand[player][kind]]
    if own or sum(count for _, count in held) == t.hand_n[player] > 0:
        return lines + [f"{count} {CARDS[kind]}: {card_use(t, kind)}" for kind, count in held]
    known = [f"{t.known[player][kind]} {CARDS[kind]}" for kind in ORDER if t.known[player][kind]]
    return [*lines, f"{many(t.hand_n[player], 'card')} in hand{f', known: {kit.listed(known)}' if known else ''}."]


def card_use(t, kind):
    """What a card does now."""
    if kind in (HO, VERT):
        return f"move one square {LINES[(t.rot + (kind == VERT)) % 2]}, never up onto a wall."
    words = (ANY_WALL if kind == JUMP and t.jump_level else USES[kind])[0]
    return f"{words[0].lower()}{words[1:]}"


def table_words(t, seat):
    plays, why = reasons(t, seat)
    return [
        f"{plays}{f' ({why})' if why else ''}.",
        *([f"Played this turn: {', '.join(CARDS[kind] for kind in t.laid)}."] if t.laid else []),
        f"{many(t.deck_n, 'card')} in the deck.",
        f"Discard pile: {pile_says(t)[:1].lower()}{pile_says(t)[1:]}",
    ]


# ---- for terminals --------------------------------------------------------------------------------------------------------


def text(view) -> str:
    """The printed map: heights as digits, `T` the temple, `a`-`d` home bases, 1 to 4 the pieces, `*` the artifact."""
    t = Table(view)
    signs = dict.fromkeys(t.plan.at, "    ")
    for cell in t.plan.cells:
        sign = "abcd"[t.owner(cell)] if t.owner(cell) is not None else "T" if cell == t.plan.temple else "."
        high = t.heights[cell]
        here = "".join(str(player + 1) for player in range(t.players) if t.pos[player] == cell)
        signs[cell] = f"{'#' if high == 1 else high or sign}{here}{'*' if cell == t.art else ''}"[:4].ljust(4)
    rows = [list(signs.values())[row * t.plan.columns :][: t.plan.columns] for row in range(t.plan.rows)]
    who = "nobody has the artifact" if t.holder == NONE else f"{NAMES[t.holder]} has the artifact"
    top = CARDS[t.pile[-1]] if t.pile else "nothing"
    line = ("E or W", "N or S")[t.rot % 2]
    said = [f"Ho moves {line}; {who}; deck {t.deck_n}, top discard {top}; {t.used} of {t.limit} plays used"]
    for player in range(t.players):
        held = ", ".join(f"{count} {CARDS[kind]}" for kind, count in enumerate(t.hand[player]) if count)
        said.append(f"{player + 1} {NAMES[player]}: {held or many(t.hand_n[player], 'card')}")
    return "\n".join([*("".join(row).rstrip() for row in rows), *said])


# ---- why a move is good -----------------------------------------------------------------------------------------------------


def why(view, move):
    """A reason for a move, where the rules give one."""
    t = Table(view)
    if move.verb not in CARD_VERBS or t.idle(move):
        return None
    holder, more = t.foresee(move)
    if holder == t.mover != t.holder:
        return f"It gets you the artifact{f' and {more} more plays' if more > 0 else ''}."
    if holder == t.mover and move.verb in STEPS:
        here, there, home = (divmod(cell, t.plan.columns) for cell in (t.pos[t.mover], t.target(move), t.homes[t.mover]))
        nearer = max(map(abs, (there[0] - home[0], there[1] - home[1]))) < max(map(abs, (here[0] - home[0], here[1] - home[1])))
        return "It brings the artifact closer to your home base." if nearer else None
    return None
