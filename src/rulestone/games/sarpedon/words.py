"""Everything Sarpedon says to people: labels, prompts, cards, plates, endings. It asks the rules and decides nothing itself."""

from functools import cache, cached_property

from rulestone.table import Card, Part, Plate, kit, svg

from . import rules
from .content import CENTRE, COLOURS, MYSTERY_CARDS, NONE, PLAYERS, SLOT, SLOTS, SPECIAL_CARDS, TILES
from .rules import BARE, BARRED, FACE_DOWN, FACE_UP, FROZEN, HIDDEN, NO_EFFECT, PROTECT, REMOVED, SAVED, SAVED_P, SHARD, STONE, TO_STONE

MYSTERY, SPECIAL = tuple(MYSTERY_CARDS), tuple(SPECIAL_CARDS)
SPECIAL_RULE = ("R25", "R28", "R30")
ON_CARDS = (("Protect", "tile"), ("Save", "tile"), ("Save", "player"))  # what is printed on the Special Cards
DOOM = ("cut_off", "stone_for_good")  # the events that say who can never reach the throne room
EMPTY, YOU = "empty", "you"  # on an empty deck, and on the viewer's own place


class Table(kit.Fields):
    """The fields of a view, and the questions people ask about them."""

    def __init__(self, view):
        super().__init__(view)
        self.at = {(self.quad[player], self.pos[player]): player for player in range(PLAYERS)}
        self.until_saved = self.freeze == rules.UNTIL_SAVED
        self.for_good = not self.swap_centre  # Q26: does everybody stay in the throne room?
        self.trapped = self.phase == rules.SWAP

    @cached_property
    def usable(self):
        """R43, R44: which players may use Special Cards?"""
        return [not self.ask(rules.may_use_cards, player) for player in range(PLAYERS)]

    def cards(self, player):
        """The kinds of Special Cards that a player has not used."""
        return [kind for kind in range(len(SPECIAL)) if self.has[player] >> kind & 1]

    @cached_property
    def ails(self):
        """What is wrong with each player."""
        return [ails(self, player) for player in range(PLAYERS)]

    @cached_property
    def live(self):
        """R41: the Mystery Cards that the next player to step there would turn over, as a set of (quadrant, slot)."""
        cards = self.ask(rules.live_cards)
        return {divmod(card, SLOTS) for card in range(PLAYERS * SLOTS) if cards >> card & 1}

    @cached_property
    def left(self):
        """The numbers still in each quadrant's deck, as bits."""
        return [self.ask(rules.cards_left, quadrant) for quadrant in range(PLAYERS)]


def numbers(bits):
    """The tiles of a set."""
    return [tile for tile in range(1, TILES + 1) if bits >> tile - 1 & 1]


def where(quadrant, tile):
    """A tile as people call it: "Red 7"."""
    return f"{COLOURS[quadrant]} {tile}"


# ---- in the picture -------------------------------------------------------------------------------------------------------


def title(t):
    """The picture in one sentence, for people who can't see it."""
    places = ", ".join(f"{COLOURS[p]} on {where(t.quad[p], t.pos[p])}" for p in range(PLAYERS))
    stones = sum(row.count(STONE) for row in t.cover)
    return f"Sarpedon, round {t.round}: {places}; {kit.many(stones, 'stone tile')}; {found_of(t)} found"


def round_words(t):
    return f"Round {t.round}"


def found_of(t):
    return f"{sum(t.shards)} of 4 shards"


def abroad(t, player):
    """Where a player is after a Magic Trap has brought them to another quadrant; the mark of that quadrant follows."""
    badge = t.ails[player][0]
    if t.quad[player] == player or badge == "throne room":
        return ""
    return "in" if badge or t.shards[player] > 1 else f"in {COLOURS[t.quad[player]]}"


def plate(t, player):
    """What is readable without hovering: where the player is, their shards and cards."""
    cards, (_, told, *_) = [SPECIAL[kind] for kind in t.cards(player)], t.ails[player]
    place = "in the throne room" if t.pos[player] == CENTRE else f"on {where(t.quad[player], t.pos[player])}"
    held = (" · ".join(cards) if t.usable[player] else "can't use Special Cards any more") if cards else "all Special Cards used"
    return Plate((f"{place} · {kit.many(t.shards[player], 'shard')}", held), "" if t.mover is None else told)


def goods(t, player):
    """The same for terminals."""
    cards, badge = ", ".join(SPECIAL[kind] for kind in t.cards(player)) if t.usable[player] else "", t.ails[player][0]
    at = where(t.quad[player], t.pos[player])
    return f"{COLOURS[player]:<6} {at:<9} shards {t.shards[player]}  {cards or 'no cards'}{badge and f'  ({badge})'}"


TILE_STATES = {BARE: "", STONE: "stone", PROTECT: "protected", SAVED: "stone broken", SAVED_P: "stone broken"}


def in_words(view, seat):
    """How things stand, then everybody, then each quadrant as a table: your own things first."""
    t = Table(view)
    quadrant, number, effect = t.last_draw
    first = 0 if seat is None else seat
    around = [(first + k) % PLAYERS for k in range(PLAYERS)]
    board = [
        f"{round_words(t)}, {found_of(t)} of the mirror found.",
        f"{WORTH[min(sum(t.shards), 4)]}.",
        f"Drawn last: {where(quadrant, number)}. {DRAWN_WORDS[effect]}" if number else "",
        f"The four-sided die shows {t.die}." if t.die else "",
        "Each quadrant has four rows of four tiles. You can step to the next tile of a row or column, never into another quadrant.",
    ]
    home = t.quad[first]
    return [
        Part("The palace", [line for line in board if line]),
        *(Part(kit.whose(view, seat, player), person_words(t, player)) for player in around),
        *(quadrant_words(t, (home + k) % PLAYERS, seat) for k in range(PLAYERS)),
    ]


def person_words(t, player):
    held = plate(t, player).lines[1]
    held = held if "Special Cards" in held else f"Special Cards: {held.replace(' · ', ', ')}"
    shards = kit.many(t.shards[player], "shard") if t.shards[player] else "no shard"
    at = "in the throne room" if t.pos[player] == CENTRE else f"on {where(t.quad[player], t.pos[player])}"
    return [f"{line[0].upper()}{line[1:]}." for line in (f"{at}, with {shards}", held, t.ails[player][2].removesuffix(".")) if line]


def quadrant_words(t, quadrant, seat):
    """A quadrant as its owner sees it from the start: what lies on each tile, who stands there, and the numbers left in its deck."""
    rows = []
    for first in range(1, TILES + 1, 4):
        rows.append([f"Tiles {first} to {first + 3}", *(tile_words(t, quadrant, tile, seat) for tile in range(first, first + 4))])
    left = numbers(t.left[quadrant])
    deck = f"Still in its deck: {kit.listed(map(str, left))}." if left else "Its deck is empty."
    return Part(f"The {COLOURS[quadrant]} quadrant", [deck], ("Row", "1st", "2nd", "3rd", "4th"), rows)


def tile_words(t, quadrant, tile, seat):
    """A tile in a few words: "7 Mystery Card, Blue"."""
    player = t.at.get((quadrant, tile))
    top, waits = t.cover[quadrant][tile - 1], t.left[quadrant] >> tile - 1 & 1
    said = [
        TILE_STATES[top],
        "Mystery Card" if (quadrant, SLOT[tile]) in t.live else "",
        "throne room" if tile == CENTRE else "",
        "" if waits or top != BARE else "safe",
        "" if player is None else "you" if player == seat else COLOURS[player],
    ]
    return " ".join((str(tile), ", ".join(word for word in said if word))).strip()


# ---- hover cards ----------------------------------------------------------------------------------------------------------

TILE_WORDS = {
    BARE: ("Its card is still in the deck: this tile can turn to stone.", "R9"),
    STONE: ("Stone: nobody can step here.", "R13"),
    PROTECT: ("Protected: this tile can never turn to stone.", "R26"),
    SAVED: ("The stone is broken: this tile is walkable for good.", "R29"),
    SAVED_P: ("Opened by Save Player: this tile is walkable.", "Q14"),
}
UNDER_RULE = {STONE: "Q11", PROTECT: "R27", SAVED: "Q13", SAVED_P: "Q13"}
DRAWN_WORDS = {
    TO_STONE: "That tile turned to stone.",
    NO_EFFECT: "The tile is safe, so nothing happened.",
    FROZEN: "The player on that tile is frozen.",
    BARRED: "The player there, in the throne room, turned to stone.",
}
WORTH = (
    "Without a shard you lose the battle",
    "A roll of 1 wins",
    "A roll of 1 or 2 wins",
    "A roll of 1 to 3 wins",
    "You are sure to win the battle",
)
MEDUSA = Card("Medusa", "When all four of you are in the throne room, you fight her with the shards you have.", "R45")


@cache
def mysteries(kinds):
    """A set of kinds of Mystery Cards in words."""
    return " or ".join(name for kind, name in enumerate(MYSTERY) if kinds >> kind & 1)


def hover_cards(t, pile):
    """All hover cards of the picture. `pile`: how many cards of each deck are shown."""
    cards = {"medusa": MEDUSA}
    for quadrant in range(PLAYERS):
        left, holder = t.left[quadrant], t.quad.index(quadrant)
        unseen, live = mysteries(t.ask(rules.unseen, quadrant)), [(quadrant, slot) in t.live for slot in range(SLOTS)]
        mystery = tuple(zip(t.mstate[quadrant], t.mtype[quadrant], live, strict=True))
        person = (t.pos[holder], holder, *t.ails[holder][2:])
        cards.update(tile_cards(quadrant, tuple(t.cover[quadrant]), left, mystery, unseen, t.for_good, person))
        cards.update(deck_cards(quadrant, holder, left, tuple(t.deck[quadrant][t.dptr[quadrant] :]), pile))
    for player, (_, _, suffers, rule) in enumerate(t.ails):
        name = COLOURS[player]
        cards[f"place-{player}"] = Card(name, f"{name} is on {where(t.quad[player], t.pos[player])}. {suffers}".strip(), rule)
        cards.update(special_cards(player, t.has[player], t.barred[player], t.usable[player]))
    worth = min(sum(t.shards), 4)
    cards["mirror"] = Card(f"The mirror: {found_of(t)}", f"{WORTH[worth]}: {25 * worth} % against Medusa.", "R49")
    cards["round"] = Card(round_words(t), f"The game is lost after round {t.max_rounds}.", "Q38")
    quadrant, number, effect = t.last_draw
    drawn = (where(quadrant, number), DRAWN_WORDS[effect], "R9") if number else ("nothing", "That deck is empty.", "Q37")
    cards["last"] = Card(f"Drawn last: {drawn[0]}", *drawn[1:])
    rolled = f"It shows {t.die}." if t.die else "Rolled in the battle: you win if it shows no more than your number of shards."
    cards["die"] = Card("The four-sided die", rolled, "R49")
    return cards


def ails(t, player):
    """What is wrong with a player: two words for their place, a few for their plate, a sentence for their card, and its rule."""
    if t.frozen[player] and t.until_saved:
        return "frozen", "frozen until saved", "Frozen until somebody uses Save Player.", "R18"
    if t.frozen[player]:
        return "loses turn", "frozen: loses the next turn", "Frozen: loses the next turn unless somebody uses Save Player.", "R18"
    if t.barred[player]:
        return "no cards", "petrified: no more cards", "Petrified in the throne room: no more Special Cards.", "R44"
    if t.pos[player] == CENTRE:
        rest = t.centre_specials - t.cused[player]
        told = "may use 1 more card" * (t.usable[player] and t.has[player] > 0 and t.centre_specials == 1)
        cards = f", with at most {kit.many(rest, 'Special Card')} to use{' there' * (not t.for_good)}" if rest > 0 else ""
        return "throne room", told, f"In the throne room{' for good' * t.for_good}{cards}.", "R43"
    abroad = f"After a Magic Trap, this player is in the {COLOURS[t.quad[player]]} quadrant and draws from its deck."
    return "", "", *((abroad, "R35") if t.quad[player] != player else ("", "R10"))


@svg.memo
def special_cards(player, has, barred, usable):
    """The three Special Cards of a player: what they do, or why they can't be used any more."""
    made = {}
    for kind, name in enumerate(SPECIAL):
        card = Card(name, SPECIAL_CARDS[name], SPECIAL_RULE[kind])
        if not has >> kind & 1:
            card = Card(f"{name}, used", f"{COLOURS[player]} has already used this card: each works once.", "R22")
        elif barred:
            card = Card(name, f"{COLOURS[player]} turned to stone in the throne room and can't use cards any more.", "R44")
        elif not usable:
            card = Card(name, f"{COLOURS[player]} can't use any more cards in the throne room.", "R43")
        made[f"special-{player}-{kind}"] = card
    return made


@svg.memo
def deck_cards(quadrant, holder, left, order, pile):
    """The deck of a quadrant and the cards that are shown of it. `left`: the numbers still in it, as bits. `order`: its cards from the
    top, HIDDEN in a game, their numbers in a replay."""
    count = left.bit_count()
    inside = f"Still in it: {', '.join(map(str, numbers(left)))}" if HIDDEN in order else f"From the top: {', '.join(map(str, order))}"
    words = f"draws from it. {inside}." if count else "has drawn all its cards."
    card = Card(f"The {COLOURS[quadrant]} deck: {kit.many(count, 'card')}", f"{COLOURS[holder]} {words}", "R9")
    seen = range(TILES - count, TILES)[:pile]
    return dict.fromkeys((f"deck-{quadrant}", *(f"pet-{quadrant}-{k}" for k in seen)), card)


@svg.memo
def tile_cards(quadrant, cover, left, mystery, unseen, for_good, person):
    """What the tiles of a quadrant are, who is on them and what is under the top card. (Cached: most quadrants stay the same.)

    `left`: the numbers still in the deck, as bits. `mystery`: (state, kind or HIDDEN, live?) of each slot. `person`: who is
    there, as (tile, player, what is wrong with them, its rule).
    """
    made, (stands, player, suffers, its_rule) = {}, person
    for tile in range(1, TILES + 1):
        top, name = cover[tile - 1], where(quadrant, tile) + (", throne room" if tile == CENTRE else "")
        words, rule = TILE_WORDS[top]
        state, kind, live = mystery[SLOT[tile]] if SLOT[tile] != NONE else (REMOVED, HIDDEN, False)
        if top == BARE:
            if not left >> tile - 1 & 1:
                words, rule = "Its card has been drawn: this tile can never turn to stone again.", "R38"
            elif live:
                words, rule = f"A hidden Mystery Card: {unseen}. Step here to turn it over.", "R15"
                if kind != HIDDEN:
                    words = f"A face-down {MYSTERY[kind]}; nobody knew that yet."
            elif tile == CENTRE and for_good:
                words, rule = "The goal: once you step here, you stay.", "R42"
            elif tile == CENTRE:
                words, rule = "The goal. A Magic Trap can still swap you out again.", "Q26"
        elif state == FACE_DOWN:
            under = f"face-down {MYSTERY[kind]}" if kind != HIDDEN else "Mystery Card"
            words += f" The {under} under it {'comes back' if live else 'is lost'}."
            rule = UNDER_RULE[top]
        if state == FACE_UP:
            words += f" A used {MYSTERY[kind]} lies here."
        if tile == stands:
            name += f": {COLOURS[player]}"
            words, rule = (suffers, its_rule) if suffers else (words, rule)
        made[f"tile-{quadrant}-{tile}"] = Card(name, words, rule)
    return made


# ---- speaking -------------------------------------------------------------------------------------------------------------


def say_move(view, move):
    s, (verb, *args) = view.state, move
    if verb == "move":
        tile, quadrant = args[0], s.quad[view.to_move]
        if tile == CENTRE:
            return f"Enter the throne room ({where(quadrant, tile)}){'' if s.swap_centre else ' for good'}"
        found = view.ask(rules.live_slot, int(quadrant), tile) != NONE
        return f"Step onto {where(quadrant, tile)}{' and turn over its Mystery Card' * found}"
    if verb == "swap":
        return f"Swap with {COLOURS[args[0]]} on {where(s.quad[args[0]], s.pos[args[0]])}"
    if verb == "save_player":
        return f"Free {COLOURS[args[0]]}"
    if verb != "pass":
        return f"{'Protect' if verb == 'protect' else 'Break the stone on'} {where(*args)}"
    return "Slip out of the trap" if s.phase == rules.SWAP else "Pass"


def goal(view, seat):
    """The goal and how things stand: the same for everybody, because they win or lose together."""
    t = Table(view)
    return f"Bring everybody to the throne room: {t.pos.count(CENTRE)} of {PLAYERS} there, {found_of(t)}."


def confirm(view, move):
    """The question before a move that players regret: a shield on a hidden card, the last Save Tile."""
    if move.verb == "protect" and SLOT[move.args[1]] != NONE and view.ask(rules.hides_mystery, *move.args):
        return f"Protect {where(*move.args)}? Nobody can ever turn over the hidden Mystery Card there."
    if move.verb == "save_tile" and view.ask(rules.save_tiles_after, *move.args) == 0:
        return f"Break the stone on {where(*move.args)}? This is the last Save Tile your team can use."
    return None


def prompt(view, seat):
    """What was drawn (before the decision!), and what the player can do now."""
    t, name = Table(view), COLOURS[seat]
    if t.trapped:
        return f"A Magic Trap, {name}! Choose a friend to swap places and decks with{', or slip out of it' * t.trap_optional}."
    quadrant, number, effect = t.last_draw
    drew = f"you drew {where(quadrant, number)}" + ", which is safe" * (effect == NO_EFFECT) if number else "your deck is empty"
    inside = f" You're in the {COLOURS[t.quad[seat]]} quadrant." if t.quad[seat] != seat else ""
    moves, can = view.legal(), ["pass"]
    if any(move.verb in ("protect", "save_tile", "save_player") for move in moves):
        last = t.pos[seat] == CENTRE and t.centre_specials == 1 and t.for_good
        can.insert(0, "use one last Special Card" if last else "use a Special Card")
    if any(move.verb == "move" for move in moves):
        can.insert(0, "step onto a glowing tile")
    now = kit.listed(can, "or")
    words = f"Your turn, {name}: {drew}.{inside} {now[0].upper()}{now[1:]}."
    if ("move", CENTRE) in moves and t.ask(rules.possible_tiles, t.quad[seat], SHARD, 0):
        return f"{words} {'The throne room is for good, and a' if t.for_good else 'A'} shard may still be out here."
    return words


def say(view, event):
    """The sentences of the rules are mostly enough; arrivals, freezes and Shrieks say a little more, depending on the options."""
    s = view.state
    if event.name == "arrives":
        more = f" and may use only one more Special Card{' there' * int(s.swap_centre)}" if s.centre_specials == 1 else ""
        return f"{COLOURS[event.args[0]]} enters the throne room{'' if s.swap_centre else ' for good'}{more}. [R42]"
    if event.name == "freezes":
        how_long = "until a friend helps" if s.freeze == rules.UNTIL_SAVED else "for this turn and the next, unless a friend helps"
        return f"{COLOURS[event.args[0]]} draws {where(*event.args[1:3])}, the tile under their feet: frozen {how_long}. [R17]"
    if event.name == "shriek" and s.shriek_spares_protect:
        who, quadrant, tile, count = event.args
        found = f"{COLOURS[who]} turns over Medusa's Shriek on {where(quadrant, tile)}"
        return f"{found}: all cards on even tiles but the shields are swept away, {count} in all. [Q22]"
    return None


def ending(view):
    """Who won, and why."""
    t, events = Table(view), view.events
    won = max(view.payoff) > 0
    why = "You brought all four shards of the mirror." if won else view.say(events[-1]).rpartition(" [")[0] if events else ""
    if t.die:
        why = f"With {found_of(t)} you rolled {t.die}: the mirror {'holds' if won else 'breaks'}."
    elif events and events[-1].name in DOOM:
        player = events[-1].args[0]
        walled_in = f"{COLOURS[player]} is walled in on {where(t.quad[player], t.pos[player])}"
        stone = f"{COLOURS[player]} is frozen and nobody is left to help."
        why = f"{walled_in}: no path, Save Tile or Mystery Card can help." if events[-1].name == "cut_off" else stone
    return ("Medusa is defeated!" if won else "Medusa wins.", why)


# ---- after a wrong click --------------------------------------------------------------------------------------------------

CHOOSE_A_FRIEND = "You turned over a Magic Trap: choose a friend's glowing tile. [R34]"
NO_TARGET = ("There's no tile to protect. [R25]", "There's no stone to break yet. [R28]", "Nobody else is frozen. [R30]")  # by card
DRAWN_ALREADY = "You've already drawn: that happens automatically at the start of your turn. [R9]"
CHOOSE_THE_TILE = "To choose a player, choose the tile they're on."


def not_yours(owner):
    return f"That card belongs to {COLOURS[owner]}."


def not_there(t, quadrant, tile):
    """Why a step into another quadrant is refused, and what the player could do there instead."""
    kind = {BARE: 0, STONE: 1}.get(t.cover[quadrant][tile - 1])
    useful = kind in t.cards(t.mover) and t.usable[t.mover]
    hint = f" You could use your {SPECIAL[kind]} on {where(quadrant, tile)}." if useful else ""
    return f"You can only walk in the {COLOURS[t.quad[t.mover]]} quadrant.{hint} [R14]"


# ---- why a move is good -----------------------------------------------------------------------------------------------------


def why(view, move):
    """A reason for a move, where the rules give one."""
    t, (verb, *args) = Table(view), move
    if verb == "move" and args[0] == CENTRE:
        return "Everybody has to reach the throne room."
    if verb == "move" and t.ask(rules.live_slot, t.quad[t.mover], args[0]) != NONE:
        return "The Mystery Card there may be a shard."
    if verb == "protect":
        waiting = t.left[args[0]] >> args[1] - 1 & 1
        return f"It protects {where(*args)} before its card is drawn." if waiting else None
    if verb == "save_tile":
        return f"It opens {where(*args)} again."
    return f"It gives {COLOURS[args[0]]} their turns back." if verb == "save_player" else None
