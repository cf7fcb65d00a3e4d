"""Every sentence, label and card of misDIRECTION that a person reads, and what a view tells them of."""

from functools import cache, cached_property

import numpy as np

from rulestone.table import Aids, Card, Plate, kit

from . import content, rules
from .content import COLOURS, COVERED, KIND_NAMES, LOSE_TURN, SEAT, SEATS, SIDE, TILE_SPACE
from .rules import BLANK, EVENTS, FACE_UNKNOWN, LANDED, NONE, OFF_BOARD, POST, UNTOLD

HOME, PLAYER, PRINTED = content.HOME.tolist(), content.PLAYER.tolist(), content.PRINTED.tolist()
EDGE = frozenset(np.flatnonzero(content.NEXT.min(axis=1) < 0).tolist())
IS_TILE = content.PRINTED == TILE_SPACE
ARROWS, MARKS, WAYS = "↑↗→↘↓↙←↖", "●■▲◆", ("↻", "↺")

# ---- reading a view -----------------------------------------------------------------------------------------------------------


class Table(kit.Fields):
    """The fields of a view, and what is asked about them."""

    def __init__(self, view):
        """`seats` are played by somebody; `seat` is that of the player on turn, or None."""
        super().__init__(view)
        self.seats = SEAT[view.players, : view.players].tolist()
        self.seat = None if self.mover is None else self.seats[self.mover]

    @cached_property
    def kinds(self):
        """The kind of each tile."""
        return content.KIND[self.view.state.tile].tolist()

    @cached_property
    def beneath(self):
        """What lies face down where that is no secret, as when one looks back: {cell: 8 * kind + arrow}; nothing in a game."""
        face, tile = self.view.state.face, self.view.state.tile
        return {cell: self.tile[cell] for cell in np.flatnonzero((face == 0) & IS_TILE & (tile < COVERED)).tolist()}

    @cached_property
    def steps(self):
        """How the three steps of the turn stand: "now", "later", "done" or "never" in this turn."""
        if self.phase == POST:
            return ("done" if self.rotated else "never", "done", "now")
        first = "done" if self.rotated else "never" if self.ask(rules.may_rotate) else "now"
        return (first, "now", "later" if self.ask(rules.may_end_rotating) else "never")

    def heading(self, cell):
        """Where a token there will travel, or None where it is not known."""
        return None if self.tile[cell] >= COVERED else self.ask(rules.heading, cell)

    def leads_home(self, cell):
        """Q10: does the next roll from there lead home, whatever it is?"""
        return cell in EDGE and self.ask(rules.travel, 0, cell, 1) == OFF_BOARD

    def on(self, cell):
        """The seats whose tokens stand on a cell."""
        return [seat for seat in range(SEATS) if self.pos[seat] == cell]


AIDS = Aids(
    {
        "off": "no arrow under a token is shown",
        "own": "you see the arrow under your own token",
        "all": "you see the arrows under all tokens",
    },
    together="off",
    alone="own",
)
"""Q35: what a table reminds people of."""

# ---- labels in the picture ----------------------------------------------------------------------------------------------------

TITLE, TO_MOVE, ENDED = "misDIRECTION, turn {}: {}, {} tiles face up", "{} to move", "the game is over"
BEGINS, WINS, TURN_OF, DRAWN = "{} begins", "{} wins", "{}'s turn", "A draw"
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
    ("Arrow", (0,), "Nothing but its arrow: the direction of your next move.", "R25"),
    ("Opposite", (2,), "A token on it travels against the hollow arrow on its next move.", "R26"),
    ("Teleport", (8, 9, 10, 11), "{} {}.", "R29"),
    ("Auto flip", (1,), "Whoever lands on it flips their own disk.", "R27"),
    ("Roll Again", (3,), "Whoever lands on it rolls and moves again at once.", "R30"),
    ("Lose Turn", (4, 5, 6, 7), "The player of the colour shown misses the next turn, whoever landed.", "R28"),
)
"""Name, kinds, what hovering says, and the rule."""


def first(*cases):
    """The words of the first case that holds."""
    return next(words for holds, words in cases if holds)


def misses(lose):
    return "misses a turn" if lose == 1 else f"misses {lose} turns"


def disk_lines(light, lose, rolled):
    """Beside a disk: when its owner rotates, with what comes before that."""
    return ("start roll" if rolled else misses(lose) if lose else "rotate a tile", "BEFORE rolling" if light else "AFTER moving")


def where_rolls_end(ends):
    """For the numbers of the die that lead home, and for those of which nobody can tell."""
    for says, end in (("home with", OFF_BOARD), ("unknown with", UNTOLD)):
        numbers = [n for n in ends if ends[n] == end]
        if numbers:
            yield f"{says} {numbers[0]}" + (f"–{numbers[-1]}" if len(numbers) > 1 else "")


# ---- cards and plates ---------------------------------------------------------------------------------------------------------

FACE_DOWN = Card("Face-down tile", "Nobody knows it. Whoever lands on it turns it over: one more point in the pot.", "R11")
ALL_FACE_DOWN = {f"tile-{cell}": FACE_DOWN for cell in np.flatnonzero(IS_TILE).tolist()}
TURN_CARDS = (Card("Turn it ↺", "A quarter turn counter-clockwise.", "R23"), Card("Turn it ↻", "A quarter turn clockwise.", "R23"))
ANY_STEP = "Disk light: rotate, then roll. Disk dark: roll, then rotate. One rotation a turn."
PORT_CARD = Card("Teleport here", "Instead of rolling.", "R29")
BENEATH = [  # the cards of face-down tiles for those who look back
    Card(f"Face down: {kind} {way}", "Hidden from everybody until somebody lands on it.", "R11") for kind in KIND_NAMES for way in ARROWS
]
DISK_SIDES = (("Dark: may rotate one tile AFTER moving.", "R22"), ("Light: may rotate one tile BEFORE rolling.", "R20"))
CENTRE_CARD = Card("The centre", "End a roll exactly here and you win; passing over it does nothing.", "R16")
DIE_CARD = Card("The die", "Roll, and travel so many spaces where your token heads. Pointing at it shows where each number leads.", "R21")
DONE_CARD = Card("Done", "Pass the die on without turning a tile; your disk stays as it is.", "R24")
STAY_CARD = Card("Done", "Stay on this tile and do not teleport.", "Q26")
KIND_WORDS = (
    ("A token here travels along the arrow on its next turn.", "R25"),
    ("Whoever lands here flips their disk.", "R27"),
    ("A token here travels against the arrow{against}.", "R26"),
    ("Whoever lands here rolls again at once.", "R30"),
    *((f"Whoever lands here, {colour} misses a turn.", "R28") for colour in COLOURS),
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
    plays its colour; `jump`: from where and when one teleports."""
    kind, way = (code - COVERED, None) if code >= COVERED else (code >> 3, code & 7)
    jumps = {"jump": JUMPS[jump[0]][0].format(COLOURS[kind % SEATS]), "when": JUMP_WHEN[jump[1]]}
    words, rule = (f"Nobody plays {COLOURS[kind % SEATS]}, so this is a plain arrow.", "Q40") if absent else KIND_WORDS[kind]
    words = words.format(against="" if way is None else f": {ARROWS[way ^ 4]}", **jumps)
    if edge:
        words += " Its arrow leads off the board: the next roll from here goes home."
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


def cards(t, codes, ups, left):
    """What hovering says."""
    made, jump = dict(ALL_FACE_DOWN), (t.teleport_from, t.teleport_when)
    made.update({f"tile-{cell}": BENEATH[code] for cell, code in t.beneath.items()})
    for cell in ups:
        kind = t.kinds[cell]
        absent = kind >= LOSE_TURN and kind % SEATS not in t.seats
        who = t.pos.index(cell) if cell in t.pos else None
        made[f"tile-{cell}"] = tile_card(codes[cell], t.leads_home(cell), who, absent, jump)
    for seat in range(SEATS):
        here = ", ".join(COLOURS[other] for other in t.on(HOME[seat]))
        words = f"Whoever stands here travels {ARROWS[PRINTED[HOME[seat]] & 7]}." + (f" Here: {here}." if here else "")
        made[f"corner-{seat}"] = Card(f"{COLOURS[seat]}'s corner", words, "R8")
    for seat in t.seats:
        side, rule = DISK_SIDES[t.light[seat]]
        made[f"disk-{seat}"] = made[f"plate-{seat}"] = Card(f"{COLOURS[seat]}'s disk", f"{side} Each rotation flips the disk.", rule)
    made |= {"centre": CENTRE_CARD, "die": DIE_CARD, "done": STAY_CARD if t.phase == LANDED else DONE_CARD}
    made["pot"] = Card("The pot", f"{t.points} tiles lie face up: so many points for whoever hits the centre.", "R31")
    made["turn"] = Card("Turn", f"After {t.cap_turns} turns without a winner the game is a draw.", "Q41")
    grey = first(  # why some of the three steps are
        (t.seat is None, ANY_STEP),
        (t.opening, "The first move is the number of the roll-off: no tile is turned before it."),
        (t.rotated, "A tile has been turned already: one rotation a turn."),
        (t.steps[2] == "never", "Light disk: a tile may be turned only before rolling."),
        (t.steps[0] == "never", "Dark disk: a tile may be turned only after moving."),
        (True, ANY_STEP),
    )
    made["steps"] = Card("The steps of a turn", grey, "Q19")
    for index, (_, kinds, _, _) in enumerate(LEGEND):
        made[f"kind-{index}"] = kind_card(index, tuple(left[kind] for kind in kinds), len(t.seats) == SEATS, jump)
    return made


def plates(t, seat):
    """For each player: the side of the disk, and for one's own where the token heads (as far as it may be remembered)."""
    made = []
    for player, k in enumerate(t.seats):
        lines = ["disk light: rotates before rolling" if t.light[k] else "disk dark: rotates after moving"]
        if player == seat and not t.view.over and (way := t.heading(t.pos[k])) is not None:
            lines.append(f"heads {ARROWS[way]}" + (", off the board!" if t.leads_home(t.pos[k]) else ""))
        made.append(Plate(tuple(lines), misses(t.lose[k]) if t.lose[k] else ""))
    return made


# ---- moves and prompts --------------------------------------------------------------------------------------------------------

SPOTS = [f"{column}{row}" for row in range(1, SIDE + 1) for column in "ABCDEFGHIJKLMNO"]  # from the left, from the top
NOT_BY_HAND = "A disk is flipped by rotating a tile or by Auto flip, not by hand. [R24]"


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
    return f"Turn {SPOTS[cell]}{under} {WAYS[move.verb == 'rot_ccw']}"


def confirm(view, move):
    """A teleport onto somebody is asked about first."""
    if move.verb == "teleport" and (seats := Table(view).on(move.args[0])):
        return f"{COLOURS[seats[0]]} stands there and would be sent home: teleport?"
    return None


def prompt(view, seat):
    """What can be done now, with a warning where the next roll leads home."""
    t = Table(view)
    name, cell = COLOURS[t.seat], t.pos[t.seat]
    arrow = "" if (way := t.heading(cell)) is None else f" {ARROWS[way]}"
    home, turns = f"{arrow} takes you off the board and home." if t.leads_home(cell) else "", t.ask(rules.may_rotate) == 0
    jump = " or teleport" if t.ask(rules.when_teleport) == 0 and any(move.verb == "teleport" for move in view.legal()) else ""
    after = f"next turn you head{arrow}." if arrow else "remember your arrow."
    return first(
        (t.phase == LANDED, f"{name}, choose a glowing Teleport tile to jump there at once, or Done to stay."),
        (t.phase == POST and home, f"Careful, {name}: turn your tile, or{home}"),
        (t.phase == POST, f"{name}, turn one face-up tile or choose Done; {after}"),
        (t.opening, f"Your turn, {name}: choose the die to move your opening {t.opening}{arrow}."),
        (turns and home, f"Your turn, {name}: turn your tile first, or{home}"),
        (turns, f"Your turn, {name}{arrow}: turn one tile if you like, then choose the die{jump}."),
        (home, f"Your turn, {name}: choose the die{jump}; rolling{home}"),
        (jump, f"Your turn, {name}{arrow}: choose the die, or a glowing Teleport tile to jump there."),
        (arrow, f"Your turn, {name}: choose the die; you head{arrow}."),
        (True, f"Your turn, {name}: choose the die and see where you head."),
    )


# ---- the story ----------------------------------------------------------------------------------------------------------------


SPOKEN = {
    "travels": "{who} travels {count} {way}. [R10]",
    "uncovers_edge": "At the edge a tile is turned over{special}: {who} turns {arrow}. [R17]",
    "follows_edge": "At the edge {who} follows the tile's arrow {way}. [R17]",
    "follows_corner": "At the corner {who} follows the printed arrow {way}. [Q11]",
    "lost_at_corner": "{who} runs off the board at a corner and goes home: the turn is over. [Q11]",
    "lost_at_edge": "{who} runs off the board and goes home: the turn is over. [R19]",
    "bumps": "{who} lands on {victim}, who goes home. [R15]",
    "turns_over": "A tile is turned over: {kind} {arrow}. [R11]",
    "will_head": "{who}, next turn: {way}. [R12]",
    "will_head_opposite": "Opposite! {who}, next turn: {way}, against the arrow. [R26]",
    "wins": "{who} hits the centre exactly and wins {won}, one for each face-up tile. [R16]",
    "rolls_on": "{who} rolls again and again: {dice} dice so far. [Q25]",
    "teleports": "{who} teleports to another tile of their colour. [R29]",
    "turns_free": "{who} turns a free tile {turn}. [R23]",
    "turns_own": "{who} turns the tile under their own token {turn}. [R23]",
    "turns_under": "{who} turns the tile under {victim} {turn}. [R23]",
}
COVERED_UP = {  # what is said where a token covers the arrow
    "turns_over": "A tile is turned over: {kind}. [R11]",
    "will_head": "{who} covers the arrow: remember it. [R12]",
    "will_head_opposite": "Opposite! {who} will head against the arrow: remember it. [R26]",
}


def say(view, event):
    """Sentences without coordinates, and without the arrows that the view does not show because a token covers them (Q35)."""
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
    won = kit.many(told.get("points", 0), "point")
    return sentence.format(**told | words, kind=KIND_NAMES[kind], arrow=ARROWS[arrow], special=special, won=won)


def ending(view):
    s = view.state
    if s.winner == NONE:
        return ("A draw.", f"Nobody hit the centre in {s.cap_turns} turns. [Q41]")
    name = COLOURS[s.winner]
    return (f"{name} wins {kit.many(s.points, 'point')}.", f"{name} hit the centre exactly; every face-up tile is a point. [R16]")


# ---- why a move is good -----------------------------------------------------------------------------------------------------


def why(view, move):
    """A reason for a move, where the rules give one."""
    t = Table(view)
    if move.verb not in ("rot_cw", "rot_ccw") or not (seats := t.on(move.args[0])) or (way := t.heading(move.args[0])) is None:
        return None
    turned = ARROWS[way + (2 if move.verb == "rot_cw" else -2) & 7]
    return f"{'You' if seats[0] == t.seat else COLOURS[seats[0]]} will then travel {turned} instead of {ARROWS[way]}."
