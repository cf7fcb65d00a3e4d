"""Every sentence, label and card that people read in misDIRECTION, and the questions they ask of a view."""

from functools import cache, cached_property

import numpy as np

from rulestone.table import Aids, Card, Part, Plate, kit

from . import content, rules
from .content import CENTRE, COLOURS, COVERED, KIND_NAMES, LOSE_TURN, RANGE, SEAT, SEATS, SIDE, TILE_SPACE
from .rules import BLANK, EVENTS, FACE_UNKNOWN, LANDED, NONE, OFF_BOARD, POST, UNTOLD

HOME, PLAYER, PRINTED = content.HOME.tolist(), content.PLAYER.tolist(), content.PRINTED.tolist()
EDGE = frozenset(np.flatnonzero(content.NEXT.min(axis=1) < 0).tolist())
IS_TILE = content.PRINTED == TILE_SPACE
ARROWS, MARKS, WAYS = "↑↗→↘↓↙←↖", "●■▲◆", ("↻", "↺")

# ---- reading a view -----------------------------------------------------------------------------------------------------------


class Table(kit.Fields):
    """The fields of a view, and questions about them."""

    def __init__(self, view):
        """`seats` are those in play; `seat` is that of the player on turn, or None."""
        super().__init__(view)
        self.seats = SEAT[view.players, : view.players].tolist()
        self.seat = None if self.mover is None else self.seats[self.mover]

    @cached_property
    def kinds(self):
        """The kind of each tile."""
        return content.KIND[self.view.state.tile].tolist()

    @cached_property
    def beneath(self):
        """Face-down tiles where they are not hidden, as in a replay: {cell: 8 * kind + arrow}; empty during a game."""
        face, tile = self.view.state.face, self.view.state.tile
        return {cell: self.tile[cell] for cell in np.flatnonzero((face == 0) & IS_TILE & (tile < COVERED)).tolist()}

    @cached_property
    def steps(self):
        """The state of the three steps of the turn: "now", "later", "done" or "never" in this turn."""
        if self.phase == POST:
            return ("done" if self.rotated else "never", "done", "now")
        first = "done" if self.rotated else "never" if self.ask(rules.may_rotate) else "now"
        return (first, "now", "later" if self.ask(rules.may_end_rotating) else "never")

    def heading(self, cell):
        """Where a token there will move, or None if that isn't known."""
        return None if self.tile[cell] >= COVERED else self.ask(rules.heading, cell)

    def leads_home(self, cell):
        """Q10: does any roll from there lead home?"""
        return cell in EDGE and self.ask(rules.travel, 0, cell, 1) == OFF_BOARD

    def on(self, cell):
        """The seats whose tokens stand on a cell."""
        return [seat for seat in range(SEATS) if self.pos[seat] == cell]


AIDS = Aids(
    {
        "off": "arrows under tokens are hidden",
        "own": "you see the arrow under your own token",
        "all": "you see the arrows under all tokens",
    },
    together="off",
    alone="own",
)
"""Q35: how much the table helps people remember."""

# ---- labels in the picture ----------------------------------------------------------------------------------------------------

TITLE, TO_MOVE, ENDED = "misDIRECTION, turn {}: {}, tiles face up: {}", "{} to move", "the game is over"
BEGINS, WINS, TURN_OF, DRAWN = "{} goes first", "{} wins", "{}'s turn", "A draw"
STEPS = ("1 rotate", "2 roll", "3 rotate")
POT, DONE, TURN = "pot", "Done", "turn"
NOTES = {
    "edge": "arrow only!",
    "past": "not exact!",
    "bump": "sent home",
    "off": "off the board: home",
    "next": "next turn",
    "opposite": "Opposite!",
    "flip": "Auto flip!",
    "lose": "Lose Turn!",
    "again": "Roll Again!",
    "miss": "misses a turn",
}
LEGEND = (
    ("Arrow", (0,), "Just an arrow: the direction of your next move.", "R25"),
    ("Opposite", (2,), "A token on it moves against the hollow arrow next turn.", "R26"),
    ("Teleport", (8, 9, 10, 11), "{} {}.", "R29"),
    ("Auto flip", (1,), "Land on it and you flip your disk.", "R27"),
    ("Roll Again", (3,), "Land on it and you roll and move again at once.", "R30"),
    ("Lose Turn", (4, 5, 6, 7), "The player of this colour misses their next turn, no matter who lands on it.", "R28"),
)
"""Name, kinds, hover text, and the rule."""


def first(*cases):
    """The words of the first case that is true."""
    return next(words for holds, words in cases if holds)


def misses(lose):
    return "misses a turn" if lose == 1 else f"misses {lose} turns"


def disk_lines(light, lose, rolled):
    """Beside a disk: when its owner rotates a tile, and anything that comes before."""
    return ("start roll" if rolled else misses(lose) if lose else "rotate a tile", "BEFORE rolling" if light else "AFTER moving")


def where_rolls_end(ends):
    """Labels for the numbers of the die that lead home, and for those that lead nobody knows where."""
    for says, end in (("home with", OFF_BOARD), ("unknown with", UNTOLD)):
        numbers = [n for n in ends if ends[n] == end]
        if numbers:
            yield f"{says} {numbers[0]}" + (f"–{numbers[-1]}" if len(numbers) > 1 else "")


# ---- cards and plates ---------------------------------------------------------------------------------------------------------

FACE_DOWN = Card("Face-down tile", "Nobody knows what it is. Land on it to turn it over and add a point to the pot.", "R11")
ALL_FACE_DOWN = {f"tile-{cell}": FACE_DOWN for cell in np.flatnonzero(IS_TILE).tolist()}
TURN_CARDS = (Card("Rotate ↺", "A quarter turn counter-clockwise.", "R23"), Card("Rotate ↻", "A quarter turn clockwise.", "R23"))
ANY_STEP = "Light disk: rotate, then roll. Dark disk: roll, then rotate. One rotation a turn."
PORT_CARD = Card("Teleport here", "Instead of rolling.", "R29")
BENEATH = [  # the cards of face-down tiles in a replay
    Card(f"Face down: {kind} {way}", "Hidden from everybody until somebody lands on it.", "R11") for kind in KIND_NAMES for way in ARROWS
]
DISK_SIDES = (("Dark: may rotate one tile AFTER moving.", "R22"), ("Light: may rotate one tile BEFORE rolling.", "R20"))
CENTRE_CARD = Card("The centre", "End a roll exactly here and you win; passing over it does nothing.", "R16")
DIE_CARD = Card(
    "The die", "Roll, and move that many spaces the way your token is heading. Point at it to see where each number leads.", "R21"
)
DONE_CARD = Card("Done", "Pass the die on without rotating a tile. Your disk stays as it is.", "R24")
STAY_CARD = Card("Done", "Stay on this tile instead of teleporting.", "Q26")
KIND_WORDS = (
    ("A token here moves along the arrow next turn.", "R25"),
    ("Whoever lands here flips their disk.", "R27"),
    ("A token here moves against the arrow{against}.", "R26"),
    ("Whoever lands here rolls again at once.", "R30"),
    *((f"No matter who lands here, {colour} misses a turn.", "R28") for colour in COLOURS),
    *((f"{{jump}}, {colour} may jump here {{when}}.", "R29") for colour in COLOURS),
)
JUMP_WHEN = ("instead of rolling", "right after landing")  # Q26: for each `teleport_when`
JUMPS = (  # Q26: the words for each `teleport_from`, on a tile and in the legend
    ("From any Teleport tile of a colour in play", "Standing on one, you may jump to a face-up Teleport tile of your own colour"),
    ("From anywhere", "From anywhere you may jump to a face-up Teleport tile of your own colour"),
    ("From any other {} Teleport tile", "Standing on one of your own colour, you may jump to another one that is face up"),
)


@cache
def tile_card(code, edge, who, absent, jump):
    """The card of a face-up tile; `edge`: its arrow leads off the board; `who`: the seat of the token on it, or None; `absent`: nobody
    plays its colour; `jump`: from where and when you can teleport."""
    kind, way = (code - COVERED, None) if code >= COVERED else (code >> 3, code & 7)
    jumps = {"jump": JUMPS[jump[0]][0].format(COLOURS[kind % SEATS]), "when": JUMP_WHEN[jump[1]]}
    words, rule = (f"Nobody plays {COLOURS[kind % SEATS]}, so this is a plain arrow.", "Q40") if absent else KIND_WORDS[kind]
    words = words.format(against="" if way is None else f": {ARROWS[way ^ 4]}", **jumps)
    if edge:
        words += " Its arrow leads off the board: any roll from here sends you home."
    elif way is not None and who is None:
        words += " A quarter turn keeps a diagonal arrow diagonal." if way % 2 else " A quarter turn keeps a straight arrow straight."
    on = "" if who is None else f"{COLOURS[who]} {MARKS[who]} on "
    shown = "" if way is None else f" {ARROWS[way]}"
    return Card(f"{on}{KIND_NAMES[kind]}{shown}", words, rule)


@cache
def kind_card(index, left, all_play, jump):
    """The card of a kind in the legend; `left`: how many of each of its colours are still face down."""
    name, kinds, words, rule = LEGEND[index]
    words = words.format(JUMPS[jump[0]][1], JUMP_WHEN[jump[1]])
    if len(kinds) > 1 and not all_play:
        words += " Tiles of colours nobody plays are plain arrows."
    words += f" Still face down: {sum(left)}"
    words += f" ({', '.join(f'{COLOURS[kind % 4]} {count}' for kind, count in zip(kinds, left, strict=True))})." if len(kinds) > 1 else "."
    return Card(f"{name} tiles", words, rule)


@cache
def corner_card(seat, here):
    """A corner, and whose tokens stand there."""
    words = f"A token here moves {ARROWS[PRINTED[HOME[seat]] & 7]}."
    words += f" Here: {', '.join(COLOURS[other] for other in here)}." if here else ""
    return Card(f"{COLOURS[seat]}'s corner", words, "R8")


@cache
def disk_card(seat, light):
    """A player's disk, and what its side means."""
    side, rule = DISK_SIDES[light]
    return Card(f"{COLOURS[seat]}'s disk", f"{side} Each rotation flips the disk.", rule)


def cards(t, codes, ups, left):
    """The hover cards."""
    made, jump = dict(ALL_FACE_DOWN), (t.teleport_from, t.teleport_when)
    made.update({f"tile-{cell}": BENEATH[code] for cell, code in t.beneath.items()})
    for cell in ups:
        kind = t.kinds[cell]
        absent = kind >= LOSE_TURN and kind % SEATS not in t.seats
        who = t.pos.index(cell) if cell in t.pos else None
        made[f"tile-{cell}"] = tile_card(codes[cell], t.leads_home(cell), who, absent, jump)
    for seat in range(SEATS):
        made[f"corner-{seat}"] = corner_card(seat, tuple(t.on(HOME[seat])))
    for seat in t.seats:
        made[f"disk-{seat}"] = made[f"plate-{seat}"] = disk_card(seat, t.light[seat])
    made |= {"centre": CENTRE_CARD, "die": DIE_CARD, "done": STAY_CARD if t.phase == LANDED else DONE_CARD}
    made["pot"] = Card(
        "The pot", f"{kit.many(t.points, 'tile is', 'tiles are')} face up: a point for each goes to whoever hits the centre.", "R31"
    )
    made["turn"] = Card("Turn", f"If nobody has won after {kit.many(t.cap_turns, 'turn')}, the game is a draw.", "Q41")
    grey = first(  # why some of the three steps are grey
        (t.seat is None, ANY_STEP),
        (t.opening, "The opening move uses the number from the roll-off; no tile can be rotated before it."),
        (t.rotated, "A tile has already been rotated: one rotation a turn."),
        (t.steps[2] == "never", "Light disk: a tile may only be rotated before rolling."),
        (t.steps[0] == "never", "Dark disk: a tile may only be rotated after moving."),
        (True, ANY_STEP),
    )
    made["steps"] = Card("The steps of a turn", grey, "Q19")
    for index, (_, kinds, _, _) in enumerate(LEGEND):
        made[f"kind-{index}"] = kind_card(index, tuple(left[kind] for kind in kinds), len(t.seats) == SEATS, jump)
    return made


def plates(t, seat):
    """For each player: the side of the disk, and for your own, where the token is heading (if it may be shown)."""
    made = []
    for player, k in enumerate(t.seats):
        lines = ["Rotates a tile before rolling" if t.light[k] else "Rotates a tile after moving"]
        if player == seat and not t.view.over and (way := t.heading(t.pos[k])) is not None:
            lines.append(f"Heading {ARROWS[way]}" + (", off the board!" if t.leads_home(t.pos[k]) else ""))
        made.append(Plate(tuple(lines), misses(t.lose[k]) if t.lose[k] else ""))
    return made


# ---- moves and prompts --------------------------------------------------------------------------------------------------------

SPOTS = [f"{column}{row}" for row in range(1, SIDE + 1) for column in "ABCDEFGHIJKLMNO"]  # from the left, from the top
NOT_BY_HAND = "You flip your disk by rotating a tile or landing on Auto flip, not by hand. [R24]"


def say_move(view, move):
    if move.verb == "roll":
        return f"Move {view.state.opening}" if view.state.opening else "Roll the die"
    if not move.args:
        return "Done: stay here" if view.state.phase == LANDED else "Done: pass the die on"
    t, cell = Table(view), move.args[0]
    seats = t.on(cell)
    if move.verb == "teleport":
        return f"Teleport to {SPOTS[cell]}" + (f" and send {COLOURS[seats[0]]} home" if seats else "")
    under = f" under {'your token' if seats[0] == t.seat else COLOURS[seats[0]]}" if seats else ""
    return f"Rotate {SPOTS[cell]}{under} {rules.QUARTERS[move.verb == 'rot_ccw']}"


def confirm(view, move):
    """Asked before you teleport onto somebody."""
    if move.verb == "teleport" and (seats := Table(view).on(move.args[0])):
        return f"{COLOURS[seats[0]]} is there and would be sent home. Teleport anyway?"
    return None


def prompt(view, seat):
    """What to do now, with a warning if the next roll leads home."""
    t = Table(view)
    name, cell = COLOURS[t.seat], t.pos[t.seat]
    arrow = "" if (way := t.heading(cell)) is None else f" {ARROWS[way]}"
    home, turns = f"{arrow} takes you off the board and home." if t.leads_home(cell) else "", t.ask(rules.may_rotate) == 0
    jump = " or teleport" if t.ask(rules.when_teleport) == 0 and any(move.verb == "teleport" for move in view.legal()) else ""
    after = f"Next turn you'll move{arrow}." if arrow else "Remember your arrow!"
    roll, then = (f"roll the die to move{arrow}", f" You'll move{arrow}.") if arrow else ("roll the die", "")
    return first(
        (t.phase == LANDED, f"{name}, choose a glowing Teleport tile to jump there at once, or Done to stay."),
        (t.phase == POST and home, f"Careful, {name}: rotate your tile, or{home}"),
        (t.phase == POST, f"{name}, rotate a face-up tile or choose Done. {after}"),
        (t.opening, f"Your turn, {name}: click the die to make your opening move of {t.opening}{arrow}."),
        (turns and home, f"Your turn, {name}: rotate your tile first, or{home}"),
        (turns, f"Your turn, {name}: rotate a tile if you like, then {roll}{jump}."),
        (home, f"Your turn, {name}: roll the die{jump}. Your arrow{home}"),
        (jump, f"Your turn, {name}: {roll}, or choose a glowing Teleport tile to jump there."),
        (arrow, f"Your turn, {name}: roll the die.{then}"),
        (True, f"Your turn, {name}: roll the die and see where it takes you."),
    )


def goal(view, seat):
    """The goal: which number wins now, or how far you are away; for spectators, who is nearest. And what a win is worth."""
    if view.over:
        return "Land exactly on the centre."
    t = Table(view)
    near = min(t.seats, key=lambda k: content.DISTANCE[t.pos[k]]) if seat is None else t.seats[seat]
    away, worth = int(content.DISTANCE[t.pos[near]]), kit.many(t.points, "point")
    if seat is not None and away <= RANGE and t.ask(rules.travel, near, t.pos[near], away) == CENTRE:
        return f"Land exactly on the centre: a {away} wins {worth}."
    who = f"{COLOURS[near]} is" if seat is None else "you're"
    return f"Land exactly on the centre: {who} {away} away. A win is worth {worth}."


# ---- the story ----------------------------------------------------------------------------------------------------------------


SPOKEN = {
    "travels": "{who} moves {count} {way}. [R10]",
    "uncovers_edge": "At the edge a tile is turned over{special}, and {who} continues {arrow}. [R17]",
    "follows_edge": "At the edge {who} follows the tile's arrow {way}. [R17]",
    "follows_corner": "At the corner {who} follows the printed arrow {way}. [Q11]",
    "lost_at_corner": "{who} runs off the board at a corner and goes home. Their turn is over. [Q11]",
    "lost_at_edge": "{who} runs off the board and goes home. Their turn is over. [R19]",
    "bumps": "{who} lands on {victim} and sends them home. [R15]",
    "turns_over": "A tile is turned over: {kind} {arrow}. [R11]",
    "will_head": "{who} will move {way} next turn. [R12]",
    "will_head_opposite": "Opposite! {who} will move {way} next turn, against the arrow. [R26]",
    "rolls_on": "{who} keeps rolling: {dice} rolls so far. [Q25]",
    "teleports": "{who} teleports to another tile of their colour. [R29]",
    "turns_free": "{who} rotates a free tile {turn}. [R23]",
    "turns_own": "{who} rotates the tile under their own token {turn}. [R23]",
    "turns_under": "{who} rotates the tile under {victim} {turn}. [R23]",
}
COVERED_UP = {  # if a token covers the arrow
    "turns_over": "A tile is turned over: {kind}. [R11]",
    "will_head": "{who} covers the arrow. Remember it! [R12]",
    "will_head_opposite": "Opposite! {who} will move against the arrow. Remember it! [R26]",
}


def say(view, event):
    """Sentences without coordinates, and without arrows that the view hides because a token covers them (Q35)."""
    sentence, told = SPOKEN.get(event.name), dict(zip(EVENTS.arguments[event.name], event.args, strict=True))
    if sentence is None:
        return None
    if event.name in COVERED_UP:
        t = Table(view)
        cell = told["cell"] if "cell" in told else t.pos[told["who"]]
        if (t.covered_view == BLANK and not t.beneath) or t.face[cell] == FACE_UNKNOWN:
            sentence = COVERED_UP[event.name]
    kind, arrow = divmod(told.get("tile", 0), 8)
    words = {word: COLOURS[told[word]] for word in ("who", "victim") if word in told}
    words |= {"way": ARROWS[told["way"]], "turn": WAYS[told["way"] % 2]} if "way" in told else {}
    special = f" ({KIND_NAMES[kind]}, but here only the arrow counts)" if kind else ""
    return sentence.format(**told | words, kind=KIND_NAMES[kind], arrow=ARROWS[arrow], special=special)


def ending(view):
    s = view.state
    if s.winner == NONE:
        return ("It's a draw.", f"Nobody hit the centre in {kit.many(s.cap_turns, 'turn')}. [Q41]")
    name = COLOURS[s.winner]
    return (f"{name} wins {kit.many(s.points, 'point')}.", f"{name} hit the centre exactly. Every face-up tile is worth a point. [R16]")


# ---- without the picture --------------------------------------------------------------------------------------------------

SPOKEN_WAYS = ("up", "up-right", "right", "down-right", "down", "down-left", "left", "up-left")  # as ARROWS


def in_words(view, seat):
    """The board and what it is worth, everybody's token, where your next roll leads, and the tiles that are face up."""
    t = Table(view)
    own = None if seat is None else t.seats[seat]
    order = sorted(range(view.players), key=lambda player: player != seat)
    board = [
        "Columns A to O run from left to right, rows 1 to 15 from the top. The centre is H8.",
        f"{kit.many(t.points, 'tile is', 'tiles are')} face up: a win is worth that many points.",
        f"Turn {t.turn} of at most {t.cap_turns}." + (f" The last number moved was {t.last_die}." if t.last_die else ""),
    ]
    rolls = roll_words(t, own) if own is not None and not view.over else []
    ups = [cell for cell in np.flatnonzero(IS_TILE).tolist() if t.face[cell]]
    return [
        Part("The board", board),
        *(Part(kit.whose(view, seat, player), token_words(t, t.seats[player])) for player in order),
        Part("Where a roll takes you", rolls),
        Part("Face-up tiles", [tile_words(t, cell) for cell in ups]),
    ]


def heads(t, cell):
    """Where a token there will move, in words; "" if that isn't shown."""
    way = t.heading(cell)
    return "" if way is None else SPOKEN_WAYS[way]


def token_words(t, k):
    cell = t.pos[k]
    corner = next((f", {COLOURS[seat]}'s corner" for seat in range(SEATS) if HOME[seat] == cell), "")
    away = kit.many(int(content.DISTANCE[cell]), "space")
    way = heads(t, cell)
    next_move = (
        f"Will move {way}{', which leads off the board and home' if t.leads_home(cell) else ''}."
        if way
        else "The arrow under the token is hidden."
    )
    return [
        f"On {SPOTS[cell]}{corner}, {away} from the centre." if cell != CENTRE else "On the centre.",
        *([next_move] if cell != CENTRE else []),
        f"{'Light' if t.light[k] else 'Dark'} disk: rotates a tile {'before rolling' if t.light[k] else 'after moving'}.",
        *([f"{misses(t.lose[k])[0].upper()}{misses(t.lose[k])[1:]}."] if t.lose[k] else []),
    ]


def reach(t, k=None):
    """Where each number of the die leads (before the opening move: the number of the roll-off): a cell, OFF_BOARD or UNTOLD.

    `k` is the token, by default that of the player on turn.
    """
    ends, end, k = {}, 0, t.seat if k is None else k
    for number in [t.opening] if t.opening and k == t.seat else range(1, RANGE + 1):
        if end >= 0:  # otherwise a longer roll leads there too
            end = t.ask(rules.travel, k, t.pos[k], number)
        ends[number] = end
    return ends


def roll_words(t, k):
    """Each number of the die: the space it leads to, and what is there."""
    said = {OFF_BOARD: "off the board, so back home.", UNTOLD: "nobody knows where."}
    return [f"{number}: {said[end] if end in said else tile_words(t, end)}" for number, end in reach(t, k).items()]


def tile_words(t, cell):
    """A space: what it shows and whose token stands there."""
    there = t.on(cell)
    who = f", with {kit.listed(COLOURS[k] for k in there)}" if there else ""
    if cell == CENTRE:
        return f"{SPOTS[cell]}, the centre{who}."
    if cell in HOME:
        return f"{SPOTS[cell]}, {COLOURS[HOME.index(cell)]}'s corner{who}."
    if not t.face[cell]:
        return f"{SPOTS[cell]}, face down{who}."
    way = heads(t, cell)
    return f"{SPOTS[cell]}, {KIND_NAMES[t.kinds[cell]]}, {f'leads {way}' if way else 'arrow hidden'}{who}."


# ---- why a move is good -----------------------------------------------------------------------------------------------------


def why(view, move):
    """A reason for a move, where the rules give one."""
    t = Table(view)
    if move.verb not in ("rot_cw", "rot_ccw") or not (seats := t.on(move.args[0])) or (way := t.heading(move.args[0])) is None:
        return None
    turned = ARROWS[way + (2 if move.verb == "rot_cw" else -2) & 7]
    return f"{'You' if seats[0] == t.seat else COLOURS[seats[0]]} will then travel {turned} instead of {ARROWS[way]}."
