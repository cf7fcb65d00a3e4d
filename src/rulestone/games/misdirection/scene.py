"""How misDIRECTION looks and speaks: 220 quiet tiles round a compass rose, a coin at each corner, one die.

Every drawing that occurs more than once lies in `DEFS` and is used by name, so a tile costs some eighty characters. Things for the
steps of a move (die faces, arrows held up, small labels) are parked outside the picture until a step brings them in.
"""

from functools import cache

import numpy as np

from rulestone.games.misdirection import content
from rulestone.games.misdirection.content import (
    CELLS,
    CENTRE,
    COLOURS,
    CORNER,
    COVERED,
    KIND,
    KIND_NAMES,
    LOSE_TURN,
    OPPOSITE,
    RANGE,
    SEAT,
    SEATS,
    SIDE,
    STEPS,
    TELEPORT,
    TILE_SPACE,
    TILES,
)
from rulestone.games.misdirection.rules import (
    ACTIONS,
    ANY_TELEPORT,
    ANYWHERE,
    BLANK,
    DARK_DISK,
    FACE_UNKNOWN,
    GO_HOME,
    LIGHT,
    NO_SEAT,
    OWN,
    OWN_TELEPORT,
    POST,
    PRE,
    cover,
    explain,
    may_rotate,
)
from rulestone.table import Card, Plate, Scene, Step, kit, svg

HOME, NEXT, PLAYER, PRINTED = (table.tolist() for table in (content.HOME, content.NEXT, content.PLAYER, content.PRINTED))
GRID = kit.Grid(SIDE, SIDE, cell=46, left=15, top=85)
WIDTH, HEIGHT, TILE = 720, 920, 43
HALF = TILE / 2
PARK = (-9000, -9000)  # far outside: around a picture that does not fill its frame a little more is seen
DIE = (360, 825)
LIFT = 30  # how far a token is lifted
DISKS = ((44, 39), (676, 39), (676, 825), (44, 825))
ARROWS = "↑↗→↘↓↙←↖"
MARKS = "●■▲◆"
WAYS = ("↻", "↺")
NUMBERS = TILES.astype(int).reshape(len(TILES), -1, 8).sum(2).tolist()
PLACES = tuple(GRID.centre(cell % SIDE, cell // SIDE) for cell in range(CELLS))
TILE_CELLS = tuple(cell for cell in range(CELLS) if PRINTED[cell] == TILE_SPACE)
IS_TILE = np.array(PRINTED) == TILE_SPACE
DOWN = 255  # the code of a face-down tile; otherwise 8 * kind + arrow as it lies, or COVERED + kind
BENEATH = 1000  # added to the code of what a tile shows that lies face down, where that is no secret (looking back)
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

# ---- drawings used by name --------------------------------------------------------------------------------------------------


BUTTON = '<circle r="27" class="f-board" pointer-events="visible"/>'
"""Of a button that appears on a chosen tile: without a line of its own, so that it glows; clicked though previews are not."""


def use(name, at=None, turn=0, scale=1, also=""):
    """A drawing of DEFS, placed."""
    return f"<use{svg._attributes({'href': f'#md-{name}', 'transform': svg.placing(at, turn, scale), 'class': also})}/>"


def icon_place(way, kind=0):
    """The corner of a tile that its arrow (on Opposite tiles: its tail too) leaves free."""
    if way is None:
        return (13, 13)
    if kind == OPPOSITE and way % 2 == 0:
        return ((14, -13.5), (13.5, 14), (-14, 13.5), (-13.5, -14))[way // 2]
    return ((13, 13), (-13, 13), (-13, -13), (13, -13))[way // 2]


def kind_art(kind):
    """The small sign of a kind, round (0, 0)."""
    if kind == 1:  # Auto flip: a coin, half dark and half light
        return svg.circle(0, 0, 7, fill="on0", line="on3", width=1.4) + svg.path("M-5-5A7 7 0 0 0 5 5Z", fill="on3")
    if kind == OPPOSITE:
        return svg.path("M-4.7 2.6A5.2 5.2 0 1 1 0 5.2", line="on3", width=2.1, stroke_linecap="round") + svg.path(
            "M1 1.9V8.4L-4.3 5.2Z", fill="on3", line="none"
        )
    if kind == 3:  # Roll Again: a die
        pips = "".join(svg.circle(x, y, 1.5, fill="on0") for x, y in ((-3.2, -3.2), (3.2, 3.2), (0, 0)))
        return svg.rect(-7, -7, 14, 14, fill="clay", line="on3", width=1.2, round=3.4) + pips
    seat = kind % 4
    if kind < TELEPORT:  # Lose Turn: the colour's mark, struck out
        strike = svg.line(-7, 7, 7, -7, ink="on0", width=4.6) + svg.line(-7, 7, 7, -7, ink="on3", width=2.2)
        return kit.mark(seat, 7.5) + strike
    return kit.mark(seat, 6.6)


def face_art(code):
    """A face-up tile: its square (with the colour's tint), its arrow, and the sign of its kind in a free corner."""
    if code < 8:
        return use(f"t{code}")
    kind, way = (code - COVERED, None) if code >= COVERED else (code >> 3, code & 7)
    base = use("up" if kind < LOSE_TURN else f"b{kind}")
    sign = use(f"k{kind}", icon_place(way, kind)) if kind else ""
    return base + ("" if way is None else use("against" if kind == OPPOSITE else "way", turn=45 * way)) + sign


def beneath_art(code):
    """What is on the other side of a face-down tile, seen through its back: small and pale."""
    kind, way = code >> 3, code & 7
    if kind in (0, OPPOSITE):
        return use("hollow" if kind else "arrow", turn=45 * way, scale=0.62, also="half" if kind else "ghost")
    return f'<g class="half">{use("arrow", turn=45 * way, scale=0.62)}{use(f"k{kind}", icon_place(way, kind), scale=0.85)}</g>'


def rotor(way):
    """A curved arrow clockwise (way 1) or counter-clockwise (-1), round the button's middle."""
    x = 17 * way
    sweep = 1 if way > 0 else 0
    head = f"M{x - 6.5} -2L{x} 7L{x + 6.5} -2Z"
    return svg.path(f"M{-x * 0.87:.1f} -8.5A17 17 0 0 {sweep} {x} 0", line="clay", width=3.6, stroke_linecap="round") + svg.path(
        head, fill="clay"
    )


def rose(size):
    """The compass rose of the centre."""
    parts = []
    for k in range(8):
        long, wide = (size, size * 0.24) if k % 2 == 0 else (size * 0.68, size * 0.19)
        shape = svg.path(f"M0 {-long:.1f}L{wide:.1f} {-wide:.1f}L0 0Z", fill="gold")
        shade = svg.path(f"M0 {-long:.1f}L{-wide:.1f} {-wide:.1f}L0 0Z", fill="clay")
        parts.append((k % 2 == 0, svg.group(shape, shade, turn=45 * k)))
    return "".join(shape for _, shape in sorted(parts, key=lambda part: part[0])) + svg.circle(0, 0, size * 0.12, fill="on3")


ARROW, HOLLOW, TAIL = "M0-16.5L11-4H4.2V15H-4.2V-4H-11Z", "M0-16L11-4.5H4V5.5H-4V-4.5H-11Z", "M0 18.5L-8.5 9H8.5Z"


def face_up():
    """The ground of a face-up tile: light in the dark theme too, so that nobody takes it for a face-down one."""
    ground = svg.rect(-HALF, -HALF, TILE, TILE, fill="board", round=5)
    return ground + svg.rect(-HALF, -HALF, TILE, TILE, fill="on0", round=5, opacity=0.82)


def _defs():
    named = {
        "up": face_up(),
        "way": svg.path(ARROW, fill="on3"),  # on a tile
        "arrow": svg.path(ARROW, fill="ink"),  # anywhere else
        "against": svg.path(HOLLOW, fill="on0", line="on3", width=2.5) + svg.path(TAIL, fill="clay", line="on3", width=1),
        "hollow": svg.path(HOLLOW, fill="board", line="ink", width=2.5) + svg.path(TAIL, fill="clay"),
        "port": BUTTON + svg.circle(0, 0, 14, line="sea", width=3.5) + svg.circle(0, 0, 5, fill="sea", also="s-none"),
        "tip": svg.path("M0-27.5L9-15.5L6-9H-6L-9-15.5Z", fill="on3", line="on0", width=1.6, stroke_linejoin="round"),
    }
    for tone in range(2):
        back = svg.rect(-HALF, -HALF, TILE, TILE, fill="stone-soft", round=5)
        back += svg.rect(-HALF, -HALF, TILE, TILE, fill="felt", round=5, opacity=0.55) if tone else ""
        back += svg.rect(-HALF, -HALF, TILE, TILE, fill="shade", round=5, opacity=0.45)  # darker than the other side in both themes
        named[f"flat{tone}"] = back
        named[f"back{tone}"] = use(f"flat{tone}") + svg.path("M0-4.5L4.5 0L0 4.5L-4.5 0Z", fill="line")
    for seat in range(SEATS):
        named[f"b{LOSE_TURN + seat}"] = use("up") + svg.rect(-HALF, -HALF, TILE, TILE, fill=f"seat{seat}", round=5, opacity=0.28)
        portal = svg.circle(0, 0, 18.5, fill=f"seat{seat}", opacity=0.28) + svg.circle(0, 0, 18.5, line=f"seat{seat}", width=3)
        named[f"b{TELEPORT + seat}"] = use("up") + portal
        named[f"token{seat}"] = kit.token(seat, 16.5)
    for kind in range(1, len(KIND_NAMES)):
        named[f"k{kind}"] = kind_art(kind)
    for way in range(8):
        named[f"t{way}"] = use("up") + use("way", turn=45 * way, also="s-none")
    for side, turn in (("cw", 1), ("ccw", -1)):
        named[side] = BUTTON + svg.group(rotor(turn), also="s-none")
        for way in range(8):
            named[f"{side}{way}"] = use(side) + use("arrow", turn=45 * way, scale=0.62, also="s-none")
    for value in range(1, 7):
        named[f"die{value}"] = kit.die(value, 62)
    return svg.thing("defs", "<defs>", *(f'<g id="md-{name}">{drawing}</g>' for name, drawing in named.items()), "</defs>")


# ---- the board and what never changes -----------------------------------------------------------------------------------------


def _board():
    x, y, size = 8, GRID.top - 7, SIDE * 46 + 14
    plate = svg.rect(x, y, size, size, fill="felt", round=14, also="soft-shadow")
    return svg.thing("board", plate, svg.rect(x, y, size, size, fill="shade", round=14))


def _centre():
    """The goal: a dark stone without the golden ring of what can be chosen."""
    body = svg.rect(-HALF, -HALF, TILE, TILE, fill="on3", line="clay", width=2, round=5)
    return svg.thing("centre", body, rose(20), at=PLACES[CENTRE])


@cache
def corner(seat, present):
    """A starting space: the colour's tint and its printed arrow; grey where nobody sits."""
    colour = f"seat{seat}" if present else "stone"
    body = svg.rect(-HALF, -HALF, TILE, TILE, fill=f"{colour}-soft", line=colour, width=2.5, round=5)
    way = PRINTED[HOME[seat]] & 7
    big = svg.group(svg.path("M0-19L12-6H5V17H-5V-6H-12Z", fill=colour), turn=45 * way)
    return svg.thing(f"corner-{seat}", body, big, at=PLACES[HOME[seat]])


@cache
def tile(cell, code, still):
    """One tile as it lies. `still`: it has just been turned in the step before, so it must not turn again."""
    tone = (cell // SIDE + cell % SIDE) % 2
    if code == DOWN:
        art = use(f"back{tone}")
    elif code >= BENEATH:
        art = use(f"flat{tone}") + beneath_art(code - BENEATH)
    else:
        art = face_art(code)
    return svg.thing(f"tile-{cell}", art, at=PLACES[cell], motion="still" if still else "")


@cache
def token(seat, cell, crowd, way, mine, misses):
    """A token; `crowd` is its place (index, number) where several stand together. The tip on its rim is the memory aid (Q35), which
    people may want for their own token only; who misses a turn is pale."""
    index, number = crowd
    x, y = PLACES[cell]
    if number > 1:
        x, y = x + (index % 2 * 2 - 1) * 9, y + (index // 2 * 2 - 1) * (9 if number > 2 else 0)
    tip = "" if way is None else use("tip", turn=45 * way, also="aid own" if mine else "aid")
    body = svg.circle(0, 0, 16.5, fill="board") + use(f"token{seat}", also="half") if misses else use(f"token{seat}")
    return svg.thing(f"token-{seat}", svg.group(tip, body, scale=0.72) if number > 1 else tip + body, at=(x, y), also="landing")


@cache
def disk(seat, light, lose, active, rolled):
    """The coin of a seat beside its corner, and in words what its side means (R20, R22)."""
    x, y = DISKS[seat]
    left = seat in (0, 3)
    away, align = (40, "start") if left else (-40, "end")
    start = -36 if left else -194
    frame = svg.rect(start, -33, 230, 66, fill=f"seat{seat}-soft" if active else "board", line=f"seat{seat}" if active else "line",
                     width=2.5 if active else 1.2, round=33)  # fmt: skip
    side, ink = ("on0", "on3") if light else ("on3", "on0")
    coin = (
        svg.circle(0, 0, 27, fill=side, line=f"seat{seat}", width=4.5, also="low-shadow")
        + svg.circle(0, 0, 20.5, line=ink, width=1.2, also="half")
        + kit.mark(seat, 12)
    )
    words = ("rotate a tile", "BEFORE rolling" if light else "AFTER moving")
    if lose:
        words = (f"misses {'a turn' if lose == 1 else f'{lose} turns'}", "BEFORE rolling" if light else "AFTER moving")
    if rolled:
        words = ("start roll", words[1])
    lines = svg.text(words[0], away, -13, size=17, fill="ink" if active else "clay" if lose else "muted", align=align, bold=bool(lose))
    lines += svg.text(words[1], away, 12, size=17, align=align, bold=True)
    if rolled:
        lines += svg.group(kit.die(rolled, 25), at=(139 if left else -139, -14))
    plate = svg.thing(f"plate-{seat}", frame, lines, at=(x, y))
    return plate, svg.thing(f"disk-{seat}", coin, at=(x, y), face="light" if light else "dark")


def roll_off(seats, numbers, first):
    """R5, before the first move: everybody's die has rolled out of the corner towards the rose; then it is said who begins."""
    x, y = PLACES[CENTRE]
    for k in seats:
        right, down = 1 if PLACES[HOME[k]][0] > x else -1, 1 if PLACES[HOME[k]][1] > y else -1
        at = (x + 72 * right, y + 72 * down)
        ring = svg.rect(-37, -37, 74, 74, fill=f"seat{k}-soft", line=f"seat{k}", width=3, round=14)
        yield svg.thing(f"start-{k}", ring, use(f"die{numbers[k]}"), at=at, come=f"corner-{k}", motion="roll", also="landing")
    yield svg.thing("begins", kit.label(f"{COLOURS[first]} begins", size=26), at=(x, y), motion="late", also="landing")


def result(winner, points):
    """In place of the steps once the game is over: who won how much."""
    if winner == NO_SEAT:
        return svg.thing("steps", svg.text("A draw", size=26, serif=True, bold=True), at=(360, 38))
    won = svg.text(f"{COLOURS[winner]} wins", 0, -17, size=25, serif=True, bold=True)
    worth = svg.rect(-62, 1, 124, 32, fill="gold", round=16)
    worth += svg.text(f"{points} point{'s' * (points != 1)}", 0, 17, size=18, fill="on3", bold=True)
    return svg.thing("steps", won, worth, at=(360, 38))


STEP_WORDS, STEP_WIDTHS, STEP_SIGN, STEP_GAP = ("1 rotate", "2 roll", "3 rotate"), (112, 84, 112), 34, 3  # between two plates


@cache
def steps_bar(seat, states):
    """Whose turn, and which of its three steps: what is now and, where it fits, what comes in words; the others as a sign."""
    words_of = ("now", "later") if {"done", "never"} & set(states) else ("now",)
    parts = [svg.text(f"{COLOURS[seat]}'s turn", 0, -21, size=20, serif=True, bold=True)]
    widths = [full if state in words_of else STEP_SIGN for full, state in zip(STEP_WIDTHS, states, strict=True)]
    x = -(sum(widths) + 2 * STEP_GAP) / 2
    for k, (width, state) in enumerate(zip(widths, states, strict=True)):
        words = "✓" if state == "done" else STEP_WORDS[k] if state in words_of else str(k + 1)
        now, never = state == "now", state == "never"
        fill, edge, thick = (f"seat{seat}-soft", f"seat{seat}", 3) if now else ("board", "line", 1.2)
        parts.append(svg.rect(x, -3, width, 36, fill=fill, line=edge, width=thick, round=17, also="dashed" if never else ""))
        parts.append(svg.text(words, x + width / 2, 15, size=19, fill="ink" if now or state == "later" else "muted", bold=now))
        if never:
            parts.append(svg.path(f"M{x + 8:g} 26L{x + width - 8:g} 4", line="muted", width=1.6))
        x += width + STEP_GAP
    return svg.thing("steps", *parts, at=(360, 38))


@cache
def die(value):
    return svg.thing("die", kit.die(value or None, 62) if value else kit.die(None, 62) + svg.text("?", size=30, fill="muted", serif=True),
                     at=DIE)  # fmt: skip


@cache
def pot(points, turn, done):
    """Beside the die: the number of the turn (or the button to pass the die on), and the points that lie face up (R31)."""
    worth = svg.rect(52, -9, 60, 34, fill="gold-soft", round=17)
    worth += svg.text("pot", 82, -21, size=18) + svg.text(points, 82, 8, size=26, serif=True, bold=True)
    if done:
        button = svg.rect(-38, -25, 76, 50, fill="board", round=25, also="low-shadow") + svg.text("Done", size=19, bold=True)
        beside = svg.thing("done", button, at=(DIE[0] - 77, DIE[1]))
    else:
        words = svg.text("turn", -82, -21, size=18) + svg.text(turn, -82, 8, size=26, serif=True, bold=True)
        beside = svg.thing("turn", words, at=DIE)
    return beside, svg.thing("pot", worth, at=DIE)


LEGEND = (
    ("Arrow", (0,)),
    ("Opposite", (2,)),
    ("Teleport", (8, 9, 10, 11)),
    ("Auto flip", (1,)),
    ("Roll Again", (3,)),
    ("Lose Turn", (4, 5, 6, 7)),
)
JUMPS = {  # Q26: the words for each `teleport_from`, on a tile and in the legend
    ANY_TELEPORT: (
        "From any Teleport tile of a colour in play",
        "Standing on one, you may jump to a face-up Teleport tile of your own colour",
    ),
    ANYWHERE: ("From anywhere", "From anywhere you may jump to a face-up Teleport tile of your own colour"),
    OWN_TELEPORT: ("From any other {} Teleport tile", "Standing on one of your own colour, you may jump to another one that is face up"),
}
LEGEND_RULES = {
    "Arrow": ("Nothing but its arrow: the direction of your next move.", "R25"),
    "Opposite": ("A token on it travels against the hollow arrow on its next move.", "R26"),
    "Teleport": ("{} instead of rolling.", "R29"),
    "Auto flip": ("Whoever lands on it flips their own disk.", "R27"),
    "Roll Again": ("Whoever lands on it rolls and moves again at once.", "R30"),
    "Lose Turn": ("The player of the colour shown misses the next turn, whoever landed.", "R28"),
}


@cache
def legend(index, left):
    """A kind of tile with its sign and how many are still face down."""
    name, kinds = LEGEND[index]
    art = {
        "Arrow": use("arrow", turn=45, scale=0.8),
        "Opposite": use("hollow", turn=45, scale=0.8),
        "Teleport": svg.circle(0, 0, 12, fill="board", line="sea", width=3) + svg.circle(0, 0, 4, fill="sea"),
        "Lose Turn": use("k4", scale=1.4),
    }.get(name) or use(f"k{kinds[0]}", scale=1.6)
    words = svg.text(left, 42, -12, size=20, align="start", bold=True) + svg.text(name, 38, 15, size=17, fill="muted")
    chip = svg.rect(-20, -29, 116, 58, fill="board", line="line", width=1, round=12)
    return svg.thing(f"kind-{index}", chip, svg.group(art, at=(14, -11)), words, at=(26 + 117.6 * index, 889))


def _parked():
    """What only steps bring in: die faces, an arrow turned over or held up, and small labels."""
    parked = [svg.thing(f"face-{n}", use(f"die{n}"), at=PARK, motion="roll", also="landing") for n in range(1, 7)]
    for way in range(8):
        parked.append(svg.thing(f"over-{way}", use(f"t{way}"), at=PARK, motion="flip", also="landing"))
        parked.append(svg.thing(f"show-{way}", use(f"t{way}"), at=PARK, motion="still", also="landing"))
    for name, words in NOTES.items():
        parked.append(svg.thing(f"note-{name}", kit.label(words, size=18), at=PARK, motion="still", also="landing"))
    return tuple(parked)


ALL_DOWN = {cell: tile(cell, DOWN, False) for cell in TILE_CELLS}
DEFS, BOARD, MIDDLE, PARKED = _defs(), _board(), _centre(), _parked()

# ---- reading a view -----------------------------------------------------------------------------------------------------------


def codes_of(state):
    """What each tile shows: DOWN, 8 * kind + arrow as it lies, or COVERED + kind."""
    face, printed = state.face.astype(np.int64), state.tile.astype(np.int64)
    lying = printed & ~7 | printed + 2 * (face + 3) & 7
    return np.where(face == 0, DOWN, np.where(printed >= COVERED, printed, lying)).tolist()


def shows_arrow(aid, mine):
    """Q35: does the table's memory aid show the arrow under a token to this viewer? `mine`: the token is the viewer's own."""
    return aid == "all" or (aid == "own" and mine)


def screen(s, seat, aid):
    """Q35: before anything of a view is sent, the arrows that have to be remembered are taken out of it."""
    for player in range(s.players):
        cell = s.pos[SEAT[s.players, player]]
        if s.face[cell] > 0 and not shows_arrow(aid, player == seat):
            cover(s, cell)


def beneath(state):
    """What lies face down where that is no secret, as when one looks back: {cell: 8 * kind + arrow}; nothing in a game."""
    known = np.flatnonzero((state.face == 0) & IS_TILE & (state.tile < COVERED)).tolist()
    return {cell: int(state.tile[cell]) for cell in known}


def kind_of(code):
    """The kind of a face-up tile."""
    return code - COVERED if code >= COVERED else code >> 3


def arrow_at(codes, cell):
    """Where the arrow of a tile or corner points, or None where it is not known."""
    if PRINTED[cell] != TILE_SPACE:
        return PRINTED[cell] & 7
    return codes[cell] & 7 if codes[cell] < COVERED else None


def heading_at(codes, cell):
    """R8, R9, R26: where a token there will travel, or None where it is not known."""
    way = arrow_at(codes, cell)
    return way ^ 4 if way is not None and PRINTED[cell] == TILE_SPACE and codes[cell] >> 3 == OPPOSITE else way


def leads_home(codes, cell):
    """Q10: does the next roll lead home, whatever it is?"""
    way, arrow = heading_at(codes, cell), arrow_at(codes, cell)
    return way is not None and NEXT[cell][way] < 0 and NEXT[cell][arrow] < 0


def seat_of(view):
    """The seat (colour) of the player on turn, or None."""
    return None if view.to_move is None else int(SEAT[view.players, view.to_move])


def may_jump(s, codes, seat):
    """R29, Q26, Q29, Q30: may this seat, being on turn, teleport if there is a tile to go to?"""
    if s.phase != PRE or s.opening or (s.teleport_disk == DARK_DISK and s.light[seat] == LIGHT):
        return False
    cell = int(s.pos[seat])
    colour = kind_of(codes[cell]) - TELEPORT if PRINTED[cell] == TILE_SPACE else -1
    if s.teleport_from == OWN_TELEPORT:
        return colour == seat
    return s.teleport_from == ANYWHERE or (colour >= 0 and PLAYER[s.players][colour] >= 0)


def reach(state, codes, cell):
    """Where each roll of the die leads: cells, "home", or None from where on it is unknown. Also the corners of the way."""
    way, turned, ends, line = heading_at(codes, cell), False, [], [cell]
    if way is None:
        return [None] * RANGE, line
    for _ in range(RANGE):
        if NEXT[cell][way] < 0:
            known = codes[cell] < COVERED or PRINTED[cell] != TILE_SPACE
            if not turned and not known:
                ends += [None] * (RANGE - len(ends))
                break
            lost = turned or (PRINTED[cell] >> 3 == CORNER and state.corner_exit == GO_HOME)
            turned, way = True, arrow_at(codes, cell)
            if lost or NEXT[cell][way] < 0:
                ends += ["home"] * (RANGE - len(ends))
                break
            line.append(cell)
        cell = NEXT[cell][way]
        ends.append(cell)
    line.append(cell)
    return ends, line


# ---- the picture --------------------------------------------------------------------------------------------------------------


def scene(view, seat):
    """Back to front: board, tiles, trail, tokens, previews; around it the coins, the turn, the die and what is left face down."""
    s = view.state
    codes, actor = codes_of(s), seat_of(view)
    pos, lose, light = s.pos.tolist(), s.lose.tolist(), s.light.tolist()
    present = [PLAYER[view.players][k] >= 0 for k in range(SEATS)]
    events = view.events
    spun = {event.args[1] for event in events if event.name in ("turns_free", "turns_own", "turns_under")}
    things = [DEFS, BOARD, *(corner(k, bool(present[k])) for k in range(SEATS)), MIDDLE]
    ups = np.flatnonzero(s.face).tolist()
    tiles = dict(ALL_DOWN)
    below = beneath(s)
    tiles.update({cell: tile(cell, BENEATH + code, False) for cell, code in below.items()})
    tiles.update({cell: tile(cell, codes[cell], cell in spun) for cell in ups})
    things += tiles.values()
    things += trail(events)
    for k in range(SEATS):
        if present[k]:
            together = [other for other in range(SEATS) if pos[other] == pos[k]]
            way = None if view.over or pos[k] == CENTRE else heading_at(codes, pos[k])
            mine = seat is not None and PLAYER[view.players][k] == seat
            things.append(token(k, pos[k], (together.index(k), len(together)), way, mine, lose[k] > 0))
    if s.last_die == 0 and not view.over:
        things += roll_off([k for k in range(SEATS) if present[k]], s.rolloff.tolist(), int(s.first))
    if view.over and s.winner != NO_SEAT:
        things.append(svg.thing("crown", svg.circle(0, 0, 27, line="gold", width=5), at=PLACES[CENTRE], also="landing"))
    for k in range(SEATS):
        if present[k]:
            things += disk(k, light[k], lose[k], k == actor, int(s.rolloff[k]) if s.last_die == 0 and not view.over else 0)
    things.append(result(int(s.winner), int(s.points)) if view.over else steps_bar(actor, step_states(s, actor)))
    mine = seat is not None and seat == view.to_move
    things += pot(int(s.points), min(int(s.turn), int(s.cap_turns)), mine and s.phase == POST)
    things.append(die(int(s.opening or s.last_die)))
    left = list(NUMBERS[s.arrows])
    for cell in ups:
        left[kind_of(codes[cell])] -= 1
    things += [legend(k, sum(left[kind] for kind in kinds)) for k, (_, kinds) in enumerate(LEGEND)]
    cards = cards_of(view, codes, ups, pos, light, present, left)
    cards.update({f"tile-{cell}": beneath_card(code) for cell, code in below.items()})
    del cards["turn" if mine and s.phase == POST else "done"]
    if mine:
        if s.phase == PRE:
            things.append(ways(s, codes, actor, pos[actor]))
        things += choices(s, codes, ups, actor, cards)
    things += PARKED
    return Scene(WIDTH, HEIGHT, things, title=title(view), cards=cards, plates=plates(view, seat, codes, pos, light, lose))


def title(view):
    turn = "the game is over" if view.over else f"{kit.name(view, view.to_move)} to move"
    return f"misDIRECTION, turn {view.state.turn}: {turn}, {view.state.points} tiles face up"


def step_states(s, actor):
    """How the three steps of the turn stand: "now", "later", "done" or "never" in this turn."""
    light = s.light[actor] == LIGHT
    if s.phase == POST:
        return ("done" if s.rotated else "never", "done", "now")
    first = "done" if s.rotated else "now" if light and not s.opening else "never"
    third = "never" if (light or s.rotated or s.start_light) and not s.autoflip_rotate else "later"
    return (first, "now", third)


def step_reason(view):
    """Why some of the three steps are grey."""
    usual = "Disk light: rotate, then roll. Disk dark: roll, then rotate. One rotation a turn."
    if view.over:
        return usual
    s, actor = view.state, seat_of(view)
    if s.opening:
        return "The first move is the number of the roll-off: no tile is turned before it."
    if s.rotated:
        return "A tile has been turned already: one rotation a turn."
    first, _, third = step_states(s, actor)
    if third == "never":
        return "Light disk: a tile may be turned only before rolling."
    return "Dark disk: a tile may be turned only after moving." if first == "never" else usual


def trail(events):
    """The way of the last move, faint."""
    legs = [event.args for event in events if event.name == "travels"]
    if not legs:
        return []
    d, seat, last = [], legs[0][0], None
    for _, count, way, cell in legs:
        down, right = STEPS[way]
        start = cell - count * (SIDE * down + right)
        (x, y), (u, v) = PLACES[start], PLACES[cell]
        d.append(f"{'' if start == last else f'M{x:g} {y:g}'}L{u:g} {v:g}")
        last = cell
    x, y = PLACES[legs[0][3] - legs[0][1] * (SIDE * STEPS[legs[0][2]][0] + STEPS[legs[0][2]][1])]
    line = svg.path("".join(d), line=f"seat{seat}", width=6) + svg.circle(x, y, 7, fill=f"seat{seat}")
    return [svg.thing("trail", line, faint=True, also="landing", motion="still")]


def ways(s, codes, seat, cell):
    """Shown while one points at the die: where each number would lead."""
    ends, line = reach(s, codes, cell)
    if s.opening:  # from home, straight on: six steps never reach an edge
        ends = [end if n == s.opening else "skip" for n, end in enumerate(ends, 1)]
        line = [cell, ends[s.opening - 1]]
    d = "M" + "L".join(f"{PLACES[c][0]:g} {PLACES[c][1]:g}" for c in line)
    parts = [svg.path(d, line=f"seat{seat}", width=4, also="dashed")]
    home = [n for n, end in enumerate(ends, 1) if end == "home"]
    unknown = [n for n, end in enumerate(ends, 1) if end is None]
    for n, end in enumerate(ends, 1):
        if isinstance(end, int):
            x, y = PLACES[end]
            hit = end == CENTRE
            fill, ink = ("gold", "on3") if hit else (f"seat{seat}", f"on{seat}")
            parts.append(svg.circle(x, y, 15, fill=fill, line="board", width=2) + svg.text(n, x, y, size=19, fill=ink, bold=True))
    for numbers, words in ((home, "home with"), (unknown, "unknown with")):
        if numbers:
            parts.append(svg.group(kit.label(f"{words} {span(numbers)}", size=18), at=above(line[-1])))
    return svg.thing("ways", *parts, hover="die")


def span(numbers):
    return str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]}–{numbers[-1]}"


def above(cell):
    """Where a label beside a cell fits into the picture."""
    x, y = PLACES[cell]
    return (min(max(x, 95), WIDTH - 95), y - 38 if cell >= SIDE else y + 38)


def choices(s, codes, ups, actor, cards):
    """For who is to move: on a chosen tile the buttons to turn it either way (with what the arrow would be) or to teleport there."""
    if not may_rotate(s):
        return []
    pos = s.pos.tolist()
    others = {pos[k] for k in range(SEATS) if k != actor} if s.rotate_occupied == OWN else ()
    jumps = may_jump(s, codes, actor)
    parts = []
    for cell in ups:
        port = jumps and kind_of(codes[cell]) == TELEPORT + actor and cell != pos[actor]
        turns = cell not in others
        if turns or port:
            parts.append(buttons(cell, codes[cell], turns, port))
        if turns:
            cards[f"ccw-{cell}"], cards[f"cw-{cell}"] = TURN_CARDS
        if port:
            cards[f"port-{cell}"] = PORT_CARD
    return [svg.thing("turns", *parts, motion="still")]


@cache
def buttons(cell, code, turns, port):
    """What appears on a chosen tile, beside it or (at the left and right edge) above it."""
    x, y = PLACES[cell]
    inside = 0 < cell % SIDE < SIDE - 1
    at = (x, y) if inside else (min(max(x, 70), WIDTH - 70), y + (52 if cell < SIDE else -52))
    apart = 51 if inside else 29
    body = button("ccw", cell, -apart, code) + button("cw", cell, apart, code) if turns else ""
    if port:
        body += f'<g id="port-{cell}" transform="translate(0 {54 if cell < 2 * SIDE else -54})">{use("port")}</g>'
    return f'<g transform="{svg.placing(at)}" class="preview" data-hover="tile-{cell}">{body}</g>'


def button(side, cell, x, code):
    """A button to turn a tile; its arrow is the one the tile would show, as far as it may be known."""
    way = (code + (2 if side == "cw" else 6)) % 8
    if code >= COVERED:
        art = use(side)
    elif code >> 3 == OPPOSITE:
        art = use(side) + use("hollow", turn=45 * way, scale=0.62)
    else:
        art = use(f"{side}{way}")
    return f'<g id="{side}-{cell}" transform="translate({x})">{art}</g>'


TURN_CARDS = (Card("Turn it ↺", "A quarter turn counter-clockwise.", "R23"), Card("Turn it ↻", "A quarter turn clockwise.", "R23"))
PORT_CARD = Card("Teleport here", "Instead of rolling.", "R29")


# ---- words --------------------------------------------------------------------------------------------------------------------

FACE_DOWN = Card("Face-down tile", "Nobody knows it. Whoever lands on it turns it over: one more point in the pot.", "R11")
ALL_FACE_DOWN = {f"tile-{cell}": FACE_DOWN for cell in TILE_CELLS}
KIND_RULES = ("R25", "R27", "R26", "R30", "R28", "R28", "R28", "R28", "R29", "R29", "R29", "R29")


@cache
def beneath_card(code):
    """The card of a face-down tile for those who look back."""
    return Card(f"Face down: {KIND_NAMES[code >> 3]} {ARROWS[code & 7]}", "Hidden from everybody until somebody lands on it.", "R11")


@cache
def tile_card(code, edge, who, absent, teleport_from):
    """The card of a face-up tile; `edge`: its arrow leads off the board; `who`: the seat of the token on it, or None; `absent`: nobody
    plays its colour."""
    kind, way = (code - COVERED, None) if code >= COVERED else (code >> 3, code & 7)
    name = KIND_NAMES[kind]
    shown = "" if way is None else f" {ARROWS[way]}"
    if kind == OPPOSITE:
        words = "A token here travels against the arrow" + (f": {ARROWS[way ^ 4]}." if way is not None else ".")
    elif absent:
        words = f"Nobody plays {COLOURS[kind % SEATS]}, so this is a plain arrow."
    elif kind >= TELEPORT:
        colour = COLOURS[kind - TELEPORT]
        words = f"{JUMPS[teleport_from][0].format(colour)}, {colour} may jump here instead of rolling."
    elif kind >= LOSE_TURN:
        words = f"Whoever lands here, {COLOURS[kind - LOSE_TURN]} misses a turn."
    else:
        words = {0: "A token here travels along the arrow on its next turn.", 1: "Whoever lands here flips their disk.",
                 3: "Whoever lands here rolls again at once."}[kind]  # fmt: skip
    if edge:
        words += " Its arrow leads off the board: the next roll from here goes home."
    elif way is not None and who is None:
        words += " A quarter turn keeps a diagonal arrow diagonal." if way % 2 else " A quarter turn keeps a straight arrow straight."
    on = "" if who is None else f"{COLOURS[who]} {MARKS[who]} on "
    return Card(f"{on}{name}{shown}", words, "Q40" if absent else KIND_RULES[kind])


def cards_of(view, codes, ups, pos, light, present, left):
    """What hovering says."""
    s = view.state
    cards = dict(ALL_FACE_DOWN)
    for cell in ups:
        kind = kind_of(codes[cell])
        absent = kind >= LOSE_TURN and not present[kind % SEATS]
        who = pos.index(cell) if cell in pos else None
        cards[f"tile-{cell}"] = tile_card(codes[cell], leads_home(codes, cell), who, absent, s.teleport_from)
    cards["centre"] = Card("The centre", "End a roll exactly here and you win; passing over it does nothing.", "R16")
    for k in range(SEATS):
        here = [COLOURS[other] for other in range(SEATS) if pos[other] == HOME[k]]
        words = f"Whoever stands here travels {ARROWS[PRINTED[HOME[k]] & 7]}." + (f" Here: {', '.join(here)}." if here else "")
        cards[f"corner-{k}"] = Card(f"{COLOURS[k]}'s corner", words, "R8")
        if present[k]:
            side = "Light: may rotate one tile BEFORE rolling." if light[k] else "Dark: may rotate one tile AFTER moving."
            side += " Each rotation flips the disk."
            cards[f"disk-{k}"] = cards[f"plate-{k}"] = Card(f"{COLOURS[k]}'s disk", side, "R20" if light[k] else "R22")
    cards["die"] = Card(
        "The die", "Roll, and travel so many spaces where your token heads. Pointing at it shows where each number leads.", "R21"
    )
    cards["pot"] = Card("The pot", f"{s.points} tiles lie face up: so many points for whoever hits the centre.", "R31")
    cards["done"] = Card("Done", "Pass the die on without turning a tile; your disk stays as it is.", "R24")
    cards["turn"] = Card("Turn", f"After {s.cap_turns} turns without a winner the game is a draw.", "Q41")
    cards["steps"] = Card("The steps of a turn", step_reason(view), "Q19")
    for k, (name, kinds) in enumerate(LEGEND):
        words, rule = LEGEND_RULES[name]
        words = words.format(JUMPS[s.teleport_from][1])
        if len(kinds) > 1 and not all(present):
            words += " Tiles of colours nobody plays are plain arrows."
        words += f" Still face down: {sum(left[kind] for kind in kinds)}"
        words += f" ({', '.join(f'{COLOURS[kind % 4]} {left[kind]}' for kind in kinds)})." if len(kinds) > 1 else "."
        cards[f"kind-{k}"] = Card(f"{name} tiles", words, rule)
    return cards


def plates(view, seat, codes, pos, light, lose):
    """For each player: the side of the disk, and for one's own where the token heads (as far as it may be remembered)."""
    made = []
    for player in range(view.players):
        k = int(SEAT[view.players, player])
        lines = ["disk light: rotates before rolling" if light[k] else "disk dark: rotates after moving"]
        way = heading_at(codes, pos[k]) if pos[k] != CENTRE else None
        if way is not None and player == seat and not view.over:
            lines.append(f"heads {ARROWS[way]}" + (", off the board!" if leads_home(codes, pos[k]) else ""))
        badge = ("misses a turn" if lose[k] == 1 else f"misses {lose[k]} turns") if lose[k] else ""
        made.append(Plate(tuple(lines), badge))
    return made


def picks(view, move):
    """The die to roll; a tile and then which way; a tile to teleport to; Done to pass the die on."""
    if move.verb == "roll":
        return ("die",)
    if not move.args:
        return ("done",)
    cell = move.args[0]
    if move.verb == "teleport":
        return (f"tile-{cell}", f"port-{cell}") if may_rotate(view.state) else (f"tile-{cell}",)
    return (f"tile-{cell}", f"{move.verb[4:]}-{cell}")


def who_is_on(view, cell):
    """The seats whose tokens stand on a cell."""
    return [seat for seat, at in enumerate(view.state.pos.tolist()) if at == cell]


def spot(cell):
    """A cell for people: columns A to O from the left, rows 1 to 15 from the top."""
    return f"{'ABCDEFGHIJKLMNO'[cell % SIDE]}{cell // SIDE + 1}"


def say_move(view, move):
    if move.verb == "roll":
        return f"Move {view.state.opening}" if view.state.opening else "Roll the die"
    if not move.args:
        return "Done: pass the die on"
    cell = move.args[0]
    seats, me = who_is_on(view, cell), seat_of(view)
    if move.verb == "teleport":
        return f"Teleport to {spot(cell)}" + (f" and send {COLOURS[seats[0]]} home" if seats else "")
    under = f" under {'your token' if seats[0] == me else COLOURS[seats[0]]}" if seats else ""
    return f"Turn {spot(cell)}{under} {WAYS[move.verb == 'rot_ccw']}"


def confirm(view, move):
    """A teleport onto somebody is asked about first."""
    if move.verb == "teleport" and who_is_on(view, move.args[0]):
        return f"{COLOURS[who_is_on(view, move.args[0])[0]]} stands there and would be sent home: teleport?"
    return None


def prompt(view, seat):
    """What can be done now, with a warning where the next roll leads home."""
    s, me = view.state, seat_of(view)
    name, codes = COLOURS[me], codes_of(s)
    cell = int(s.pos[me])
    way = heading_at(codes, cell)
    arrow = "" if way is None else f" {ARROWS[way]}"
    outward = leads_home(codes, cell)
    if s.opening:
        return f"Your turn, {name}: choose the die to move your opening {s.opening}{arrow}."
    if s.phase == POST:
        if outward:
            return f"Careful, {name}: turn your tile, or{arrow} takes you off the board and home."
        return f"{name}, turn one face-up tile or choose Done; " + (f"next turn you head{arrow}." if arrow else "remember your arrow.")
    jump = may_jump(s, codes, me) and any(move.verb == "teleport" for move in view.legal())
    if may_rotate(s):
        if outward:
            return f"Your turn, {name}: turn your tile first, or{arrow} takes you off the board and home."
        return f"Your turn, {name}{arrow}: turn one tile if you like, then choose the die" + (" or teleport." if jump else ".")
    if outward:
        return f"Your turn, {name}: choose the die{' or teleport' if jump else ''}; rolling{arrow} takes you off the board and home."
    if jump:
        return f"Your turn, {name}{arrow}: choose the die, or a glowing Teleport tile to jump there."
    return f"Your turn, {name}: choose the die; you head{arrow}." if arrow else f"Your turn, {name}: choose the die and see where you head."


def why_not(view, id):
    """The rules' own reason, or what the thing is for."""
    kind, _, number = id.partition("-")
    if view.over:
        return "The game is over."
    if kind == "tile":
        cell = int(number)
        reason = explain(view.state, ACTIONS.rot_cw + cell)
    elif kind in ("corner", "centre"):
        reason = explain(view.state, ACTIONS.rot_cw + CENTRE)
    elif kind == "die":
        reason = explain(view.state, ACTIONS.roll)
    elif kind in ("disk", "plate"):
        reason = "a disk is flipped by rotating a tile or by Auto flip, not by hand [R24]"
    else:
        return None
    return f"{reason[0].upper()}{reason[1:]}.".replace(" [", " (").replace("].", ").") if reason else None


def say(view, event):
    """Sentences without coordinates, and without the arrows that the view does not show because a token covers them (Q35)."""
    blank = view.state.covered_view == BLANK and not beneath(view.state)
    a = event.args
    if event.name in ("turns_over", "will_head", "will_head_opposite"):
        blank = blank or view.state.face[a[0] if event.name == "turns_over" else view.state.pos[a[0]]] == FACE_UNKNOWN
    match event.name:
        case "travels":
            return f"{COLOURS[a[0]]} travels {a[1]} {ARROWS[a[2]]}. [R10]"
        case "uncovers_edge":
            kind, way = a[1] >> 3, a[1] & 7
            special = "" if kind == 0 else f" ({KIND_NAMES[kind]}, but here only the arrow counts)"
            return f"At the edge a tile is turned over{special}: {COLOURS[a[2]]} turns {ARROWS[way]}. [R17]"
        case "follows_edge":
            return f"At the edge {COLOURS[a[0]]} follows the tile's arrow {ARROWS[a[2]]}. [R17]"
        case "follows_corner":
            return f"At the corner {COLOURS[a[1]]} follows the printed arrow {ARROWS[a[2]]}. [Q11]"
        case "lost_at_corner":
            return f"{COLOURS[a[0]]} runs off the board at a corner and goes home: the turn is over. [Q11]"
        case "lost_at_edge":
            return f"{COLOURS[a[0]]} runs off the board and goes home: the turn is over. [R19]"
        case "bumps":
            return f"{COLOURS[a[0]]} lands on {COLOURS[a[2]]}, who goes home. [R15]"
        case "turns_over":
            name = KIND_NAMES[a[1] >> 3]
            return f"A tile is turned over: {name}. [R11]" if blank else f"A tile is turned over: {name} {ARROWS[a[1] & 7]}. [R11]"
        case "will_head":
            return (
                f"{COLOURS[a[0]]} covers the arrow: remember it. [R12]" if blank else f"{COLOURS[a[0]]}, next turn: {ARROWS[a[1]]}. [R12]"
            )
        case "will_head_opposite":
            if blank:
                return f"Opposite! {COLOURS[a[0]]} will head against the arrow: remember it. [R26]"
            return f"Opposite! {COLOURS[a[0]]}, next turn: {ARROWS[a[1]]}, against the arrow. [R26]"
        case "wins":
            points = f"{a[1]} point{'s' * (a[1] != 1)}"
            return f"{COLOURS[a[0]]} hits the centre exactly and wins {points}, one for each face-up tile. [R16]"
        case "rolls_on":
            return f"{COLOURS[a[0]]} rolls again and again: {a[1]} dice so far. [Q25]"
        case "teleports":
            return f"{COLOURS[a[0]]} teleports to another tile of their colour. [R29]"
        case "turns_free":
            return f"{COLOURS[a[0]]} turns a free tile {WAYS[a[2]]}. [R23]"
        case "turns_own":
            return f"{COLOURS[a[0]]} turns the tile under their own token {WAYS[a[2]]}. [R23]"
        case "turns_under":
            return f"{COLOURS[a[0]]} turns the tile under {COLOURS[a[2]]} {WAYS[a[3]]}. [R23]"
    return None


def ending(view):
    s = view.state
    if s.winner == NO_SEAT:
        return ("A draw.", f"Nobody hit the centre in {s.cap_turns} turns. [Q41]")
    name = COLOURS[s.winner]
    points = f"{s.points} point{'s' * (s.points != 1)}"
    return (f"{name} wins {points}.", f"{name} hit the centre exactly; every face-up tile is a point. [R16]")


# ---- what happened, step by step ----------------------------------------------------------------------------------------------


class Showing:
    """Steps of one move in the making: remembers where tokens are and what has to be parked again."""

    def __init__(self, before):
        self.pos = before.state.pos.tolist()
        self.out, self.made = set(), []

    def step(self, event, ms, *, flash=(), token=None, at=None, show=None, over=None, note=None, die=None):
        """One step: `show` = (way, cell) holds an arrow up, `over` turns it over, `note` = (name, cell) a label; tokens stand above all."""
        go = {id: PARK for id in sorted(self.out) if id.startswith(("note", "show", "over"))}
        self.out -= set(go)
        if die is not None:
            go = {**{f"face-{n}": PARK for n in range(1, 7) if f"face-{n}" in self.out}, **go}
            self.bring(go, f"face-{die}", DIE)
        if token is not None:
            go[f"token-{token}"] = PLACES[self.pos[token] if at is None else at]
            self.pos[token] = self.pos[token] if at is None else at
        if show is not None:
            self.bring(go, f"show-{show[0]}", PLACES[show[1]])
        if over is not None:
            self.bring(go, f"over-{over[0]}", PLACES[over[1]])
        if note is not None:
            self.bring(go, f"note-{note[0]}", above(note[1]))
        self.made.append(Step(event=event, go=go, flash=tuple(flash), ms=ms))

    def lift(self, seat, way, cell, opposite):
        """R9: the token is lifted for half a second, so that everybody sees the arrow under it."""
        self.step(None, 500, token=seat, show=(way, cell), note=("opposite", cell) if opposite else None)
        x, y = PLACES[cell]
        self.made[-1].go[f"token-{seat}"] = (x, y - LIFT)

    def bring(self, go, id, at):
        go.pop(id, None)
        go[id] = at
        self.out.add(id)

    def done(self):
        if self.out:
            self.made.append(Step(go=dict.fromkeys(sorted(self.out), PARK), ms=0))
        return self.made


def steps(before, after, events):
    """Along the real path: the die, the arrow held up, each leg, the edge, who is bumped, the tile turned over, the disk."""
    show = Showing(before)
    kinds = [int(KIND[tile]) for tile in after.state.tile.tolist()]
    for k, event in enumerate(events):
        a = event.args
        match event.name:
            case "rolls" | "opens":
                show.step(k, 420, die=a[1], flash=(f"face-{a[1]}",))
                first = events[k + 1] if k + 1 < len(events) else None
                cell = show.pos[a[0]]
                if first is not None and first.name == "travels" and PRINTED[cell] == TILE_SPACE:
                    way = first.args[2] ^ 4 if kinds[cell] == OPPOSITE else first.args[2]
                    show.lift(a[0], way, cell, kinds[cell] == OPPOSITE)
            case "travels":
                for walked in range(a[1]):
                    show.step(None if walked else k, 140, token=a[0], at=NEXT[show.pos[a[0]]][a[2]])
            case "overshoots":
                show.step(k, 260, note=("past", CENTRE), flash=("centre",))
            case "uncovers_edge":
                show.step(k, 620, over=(a[1] & 7, a[0]), note=("edge", a[0]), flash=(f"over-{a[1] & 7}",))
            case "follows_edge":
                show.step(k, 480, show=(a[2], a[1]), note=("edge", a[1]), flash=(f"show-{a[2]}",))
            case "follows_corner":
                show.step(k, 360, flash=[f"corner-{seat}" for seat in range(SEATS) if HOME[seat] == a[0]])
            case "lost_at_edge" | "lost_at_corner":
                show.step(None, 420, token=a[0], note=("off", a[1]))
                show.step(k, 420, token=a[0], at=HOME[a[0]])
            case "bumps":
                show.step(None, 240, token=a[0], note=("bump", a[1]), flash=(f"token-{a[2]}",))
                show.step(k, 420, token=a[2], at=HOME[a[2]])
            case "turns_over":
                show.step(k, 520, over=(a[1] & 7, a[0]), flash=(f"over-{a[1] & 7}",))
            case "will_head":
                cell = show.pos[a[0]]
                show.step(k, 420, show=(a[1], cell), note=("next", cell))
                show.step(None, 160, token=a[0])
            case "will_head_opposite":
                cell = show.pos[a[0]]
                show.step(k, 520, show=(a[1], cell), note=("opposite", cell))
                show.step(None, 160, token=a[0])
            case "auto_flip":
                show.step(k, 420, token=a[0], note=("flip", show.pos[a[0]]), flash=(f"disk-{a[0]}",))
            case "lose_turn":
                show.step(k, 520, flash=(f"disk-{a[0]}",), note=("lose", show.pos[seat_of(before)]))
            case "roll_again":
                show.step(k, 420, token=a[0], note=("again", show.pos[a[0]]))
            case "rolls_on":
                show.step(k, 420, token=a[0], at=a[2], note=("again", a[2]))
            case "teleports":
                show.step(k, 520, token=a[0], at=a[1], flash=(f"tile-{a[1]}",))
            case "turns_free" | "turns_own" | "turns_under":
                turned(show, k, a[1], -90 if a[-1] else 90, before.state)
            case "flips_disk":
                show.step(k, 260, flash=(f"disk-{a[0]}",))
            case "misses":
                show.step(k, 460, flash=(f"disk-{a[0]}",), note=("miss", HOME[a[0]]))
            case "wins":
                show.step(k, 700, flash=("centre",))
            case _:
                show.step(k, 200)
    return show.done()


def turned(show, event, cell, turn, state):
    """The tile turns where it lies, under whoever stands on it; a covered one of a memory game is only lit."""
    show.step(event, 0, flash=(f"tile-{cell}",))
    x, y = PLACES[cell]
    go = {} if state.face[cell] == FACE_UNKNOWN else {f"tile-{cell}": (x, y, turn)}
    go.update({f"token-{seat}": (x, y) for seat in range(SEATS) if show.pos[seat] == cell})
    show.made.append(Step(go=go, flash=(f"tile-{cell}",), ms=380))


def text(view) -> str:
    """For terminals: arrows of face-up tiles (Opposite: as the token will head), marks of tokens, the star in the centre."""
    s = view.state
    codes, cells = codes_of(s), []
    for cell in range(CELLS):
        way = heading_at(codes, cell) if cell != CENTRE else None
        cells.append(
            "★" if cell == CENTRE else "·" if codes[cell] == DOWN and PRINTED[cell] == TILE_SPACE else "?" if way is None else ARROWS[way]
        )
    for seat in range(SEATS):
        if s.pos[seat] < CELLS:
            cells[s.pos[seat]] = MARKS[seat]
    rows = [" ".join(cells[SIDE * r : SIDE * (r + 1)]) for r in range(SIDE)]
    disks = "  ".join(f"{MARKS[k]} {'light' if s.light[k] else 'dark'}" for k in range(SEATS) if s.pos[k] != NO_SEAT)
    return "\n".join([*rows, f"disks: {disks}   pot: {s.points}"])
