"""The drawings of misDIRECTION: 220 quiet tiles round a compass rose, a coin at each corner, one die.

Every drawing that occurs more than once lies in `DEFS` and is used by name, so a tile costs some eighty characters.
"""

from functools import cache

from rulestone.table import kit, svg

from . import content, words
from .content import CELLS, CENTRE, COLOURS, COVERED, LOSE_TURN, OPPOSITE, RANGE, SEATS, SIDE, STEPS, TELEPORT, TILE_SPACE
from .rules import NONE

HOME, PRINTED = content.HOME.tolist(), content.PRINTED.tolist()
GRID = kit.Grid(SIDE, SIDE, cell=46, left=15, top=85)
WIDTH, HEIGHT, TILE = 720, 920, 43
DIE = (360, 825)
DISKS = ((44, 39), (676, 39), (676, 825), (44, 825))
PLACES = tuple(GRID.centre(cell % SIDE, cell // SIDE) for cell in range(CELLS))
TILE_CELLS = tuple(cell for cell in range(CELLS) if PRINTED[cell] == TILE_SPACE)
DOWN = 255  # the code of a face-down tile; otherwise 8 * kind + arrow as it lies, or COVERED + kind
BENEATH = 1024  # added to the code of a face-down tile that isn't hidden (in a replay)

# ---- drawings used by name --------------------------------------------------------------------------------------------------

BUTTON = '<circle r="27" class="f-board" pointer-events="visible"/>'
"""The look of a button on a chosen tile: no outline of its own, so that it glows; clickable although previews aren't."""


def use(name, at=None, turn=0, scale=1, also=""):
    """A drawing of DEFS, placed."""
    return svg.use(f"md-{name}", at, turn, scale, also)


def sign(kind, way, scale=1):
    """A kind's sign, in a corner of the tile that the arrow (and on Opposite tiles its tail) leaves free."""
    if kind == OPPOSITE and way is not None and way % 2 == 0:
        return use(f"k{kind}", ((14, -13.5), (13.5, 14), (-14, 13.5), (-13.5, -14))[way // 2], scale=scale)
    return use(f"k{kind}", ((13, 13), (-13, 13), (-13, -13), (13, -13))[(way or 0) // 2], scale=scale)


def rose(size):
    """The compass rose of the centre: the four short rays, and the four long ones over them."""
    rays = []
    for k in (1, 3, 5, 7, 0, 2, 4, 6):
        long, wide = (size * 0.68, size * 0.19) if k % 2 else (size, size * 0.24)
        halves = (svg.path(f"M0 {-long:.1f}L{side * wide:.1f} {-wide:.1f}L0 0Z", fill=fill) for side, fill in ((1, "gold"), (-1, "on0")))
        rays.append(svg.group(*halves, turn=45 * k))
    return "".join(rays) + svg.circle(0, 0, size * 0.12, fill="on3")


ARROW, HOLLOW, TAIL = "M0-16.5L11-4H4.2V15H-4.2V-4H-11Z", "M0-16L11-4.5H4V5.5H-4V-4.5H-11Z", "M0 18.5L-8.5 9H8.5Z"


def square(**paint):
    return svg.rect(-TILE / 2, -TILE / 2, TILE, TILE, round=5, **paint)


def _defs():
    pips = "".join(svg.circle(x, y, 1.5, fill="on0") for x, y in ((-3.2, -3.2), (3.2, 3.2), (0, 0)))
    strike = "".join(svg.line(-7, 7, 7, -7, ink=ink, width=width) for ink, width in (("on0", 4.6), ("on3", 2.2)))
    named = {
        "light": square(fill="board") + square(fill="on0", opacity=0.82),  # in the dark theme too: nobody takes it for face down
        "up": use("light") + square(fill="gold", opacity=0.3),  # warm on the sea
        "way": svg.path(ARROW, fill="on3"),  # on a tile
        "arrow": svg.path(ARROW, fill="ink"),  # anywhere else
        "against": svg.path(HOLLOW, fill="on0", line="on3", width=2.5) + svg.path(TAIL, fill="clay", line="on3", width=1),
        "hollow": svg.path(HOLLOW, fill="board", line="ink", width=2.5) + svg.path(TAIL, fill="clay"),
        "port": BUTTON + svg.circle(0, 0, 14, line="sea", width=3.5) + svg.circle(0, 0, 5, fill="sea", also="s-none"),
        "tip": svg.path("M0-27.5L9-15.5L6-9H-6L-9-15.5Z", fill="on3", line="on0", width=1.6, stroke_linejoin="round"),
        # The small signs of kinds: Auto flip is a coin, half dark and half light; Roll Again a die.
        "k1": svg.circle(0, 0, 7, fill="on0", line="on3", width=1.4) + svg.path("M-5-5A7 7 0 0 0 5 5Z", fill="on3"),
        "k2": svg.path("M-4.7 2.6A5.2 5.2 0 1 1 0 5.2", line="on3", width=2.1, stroke_linecap="round")
        + svg.path("M1 1.9V8.4L-4.3 5.2Z", fill="on3", line="none"),
        "k3": svg.rect(-7, -7, 14, 14, fill="clay", line="on3", width=1.2, round=3.4) + pips,
    }
    for tone in range(2):
        shade = square(fill="shade", opacity=0.45)  # darker than the other side in both themes
        named[f"flat{tone}"] = square(fill="sea-soft") + square(fill="felt", opacity=0.4) * tone + shade
        named[f"back{tone}"] = use(f"flat{tone}") + svg.path("M0-4.5L4.5 0L0 4.5L-4.5 0Z", fill="line")
    for seat in range(SEATS):
        named[f"b{LOSE_TURN + seat}"] = use("light") + square(fill=f"seat{seat}", opacity=0.28)
        portal = svg.circle(0, 0, 18.5, fill=f"seat{seat}", opacity=0.28) + svg.circle(0, 0, 18.5, line=f"seat{seat}", width=3)
        named[f"b{TELEPORT + seat}"] = use("light") + portal
        named[f"k{LOSE_TURN + seat}"] = kit.mark(seat, 7.5) + strike  # the colour's mark, struck out
        named[f"k{TELEPORT + seat}"] = kit.mark(seat, 6.6)
        named[f"token{seat}"] = kit.token(seat, 16.5)
    named |= {f"t{way}": use("up") + use("way", turn=45 * way, also="s-none") for way in range(8)}
    named |= {f"die{value}": kit.die(value, 62) for value in range(1, RANGE + 1)}
    for side, x in (("cw", 17), ("ccw", -17)):
        bow = svg.path(f"M{-x * 0.87:.1f} -8.5A17 17 0 0 {int(x > 0)} {x} 0", line="clay", width=3.6, stroke_linecap="round")
        bow += svg.path(f"M{x - 6.5} -2L{x} 7L{x + 6.5} -2Z", fill="clay")
        named[side] = BUTTON + svg.group(bow, also="s-none")
        for way in range(8):
            named[f"{side}{way}"] = use(side) + use("arrow", turn=45 * way, scale=0.62, also="s-none")
    return svg.thing("defs", "<defs>", *(f'<g id="md-{name}">{drawing}</g>' for name, drawing in named.items()), "</defs>")


# ---- the board and what lies on it ------------------------------------------------------------------------------------------


@cache
def corner(seat, present):
    """A starting space: the colour's tint and its printed arrow; grey if nobody plays it."""
    colour = f"seat{seat}" if present else "stone"
    big = svg.group(svg.path("M0-19L12-6H5V17H-5V-6H-12Z", fill=colour), turn=45 * (PRINTED[HOME[seat]] & 7))
    return svg.thing(f"corner-{seat}", square(fill=f"{colour}-soft", line=colour, width=2.5), big, at=PLACES[HOME[seat]])


@cache
def tile(cell, code, still):
    """One tile as it lies. `still`: the step before has just rotated it, so it must not rotate again.

    Face up: its square (with the colour's tint), its arrow, and the sign of its kind in a free corner. Where it is no secret what is
    on the other side of a face-down tile, that is seen through its back: small and pale.
    """
    tone = (cell // SIDE + cell % SIDE) % 2
    kind, way = (code - COVERED, None) if COVERED <= code < BENEATH else (code % BENEATH >> 3, code & 7)
    if code == DOWN:
        art = use(f"back{tone}")
    elif code >= BENEATH and kind in (0, OPPOSITE):
        art = use(f"flat{tone}") + use("hollow" if kind else "arrow", turn=45 * way, scale=0.62, also="half" if kind else "ghost")
    elif code >= BENEATH:
        art = use(f"flat{tone}") + svg.group(use("arrow", turn=45 * way, scale=0.62), sign(kind, way, 0.85), also="half")
    elif code < 8:
        art = use(f"t{code}")
    else:
        arrow = "" if way is None else use("against" if kind == OPPOSITE else "way", turn=45 * way)
        art = use("up" if kind < LOSE_TURN else f"b{kind}") + arrow + (sign(kind, way) if kind else "")
    return svg.thing(f"tile-{cell}", art, at=PLACES[cell], motion="still" if still else "")


@cache
def token(seat, cell, index, number, way, mine, misses):
    """A token; `index` is its place where a `number` of them stand together. The tip on its rim is the memory aid (Q35), which
    people may want for their own token only; a token that misses a turn is pale."""
    x, y = PLACES[cell]
    if number > 1:
        x, y = x + (index % 2 * 2 - 1) * 9, y + (index // 2 * 2 - 1) * (9 if number > 2 else 0)
    tip = "" if way is None else use("tip", turn=45 * way, also="aid own" if mine else "aid")
    body = svg.circle(0, 0, 16.5, fill="board") + use(f"token{seat}", also="half") if misses else use(f"token{seat}")
    return svg.thing(f"token-{seat}", svg.group(tip, body, scale=0.72) if number > 1 else tip + body, at=(x, y), also="landing")


def trail(legs):
    """The path of the last move, with a light edge; each leg is (seat, steps, direction, last cell)."""
    seat, ends = legs[0][0], [cell for *_, cell in legs]
    starts = [cell - count * (SIDE * STEPS[way][0] + STEPS[way][1]) for _, count, way, cell in legs]
    d = [f"{'' if at == last else 'M' + point(at)}L{point(end)}" for last, at, end in zip([None, *ends], starts, ends, strict=False)]
    line = "".join(svg.path("".join(d), line=ink, width=width, opacity=0.7) for ink, width in (("on0", 9), (f"seat{seat}", 6)))
    line += svg.circle(*PLACES[starts[0]], 8, fill=f"seat{seat}", line="on0", width=1.5)
    return svg.thing("trail", line, also="landing", motion="still")


def ways(seat, start, ends):
    """Shown while you point at the die: where each number would lead from here."""
    walked = [start, *(end for end in ends.values() if end >= 0)]
    bends = [here for last, here, after in zip(walked, walked[1:], walked[2:], strict=False) if after - here != here - last]
    parts = [svg.path("M" + "L".join(map(point, (start, *bends, *walked[1:][-1:]))), line=f"seat{seat}", width=4, also="dashed")]
    for n, end in ends.items():
        if end >= 0:
            x, y = PLACES[end]
            fill, ink = ("gold", "on3") if end == CENTRE else (f"seat{seat}", f"on{seat}")
            parts.append(svg.circle(x, y, 15, fill=fill, line="board", width=2) + svg.text(n, x, y, size=19, fill=ink, bold=True))
    parts += [svg.group(kit.label(label, size=19), at=above(walked[-1])) for label in words.where_rolls_end(ends)]
    return svg.thing("ways", *parts, hover="die")


def above(cell):
    """Where a label beside a cell fits into the picture."""
    x, y = PLACES[cell]
    return (min(max(x, 95), WIDTH - 95), y - 38 if cell >= SIDE else y + 38)


def point(cell):
    """The middle of a cell as paths write it."""
    x, y = PLACES[cell]
    return f"{x:g} {y:g}"


@cache
def buttons(cell, code, turns, port):
    """The buttons of a chosen tile, beside it or (at the left and right edge) above it: to rotate it, with the new arrow if it may be
    known, or to teleport there."""
    x, y = PLACES[cell]
    inside = 0 < cell % SIDE < SIDE - 1
    at = (x, y) if inside else (min(max(x, 70), WIDTH - 70), y + (52 if cell < SIDE else -52))
    body = ""
    for side, sign, turn in (("ccw", -1, 6), ("cw", 1, 2)) if turns else ():
        way = (code + turn) % 8
        art = use(side if code >= COVERED or code >> 3 == OPPOSITE else f"{side}{way}")
        art += use("hollow", turn=45 * way, scale=0.62) if code >> 3 == OPPOSITE else ""
        body += f'<g id="{side}-{cell}" transform="translate({sign * (51 if inside else 29)})">{art}</g>'
    if port:
        body += f'<g id="port-{cell}" transform="translate(0 {54 if cell < 2 * SIDE else -54})">{use("port")}</g>'
    return f'<g transform="{svg.placing(at)}" class="preview" data-hover="tile-{cell}">{body}</g>'


# ---- round the board -------------------------------------------------------------------------------------------------------


@cache
def disk(seat, light, lose, active, rolled):
    """A seat's coin beside its corner, with a label that says what its side means (R20, R22)."""
    at, side, colour = DISKS[seat], 1 if seat in (0, 3) else -1, f"seat{seat}"
    align = "start" if side > 0 else "end"
    frame = svg.rect(-36 if side > 0 else -194, -33, 230, 66, fill=f"{colour}-soft" if active else "board",
                     line=colour if active else "line", width=2.5 if active else 1.2, round=33)  # fmt: skip
    above, below = words.disk_lines(light, lose, rolled)
    lines = svg.text(above, 40 * side, -13, size=19, fill="ink" if active else "clay" if lose else "muted", align=align, bold=bool(lose))
    lines += svg.text(below, 40 * side, 12, size=19, align=align, bold=True, textLength=148 if len(below) > 12 else 138)
    if rolled:
        lines += svg.group(kit.die(rolled, 25), at=(139 * side, -14))
    metal, rim = ("on0", "on3") if light else ("on3", "on0")
    coin = svg.circle(0, 0, 27, fill=metal, line=colour, width=4.5, also="low-shadow")
    coin += svg.circle(0, 0, 20.5, line=rim, width=1.2, also="half") + kit.mark(seat, 12)
    return svg.thing(f"plate-{seat}", frame, lines, at=at), svg.thing(f"disk-{seat}", coin, at=at, face="light" if light else "dark")


def roll_off(seats, numbers, first):
    """R5, before the first move: everybody's die has rolled out of the corner towards the rose; then a label says who goes first."""
    x, y = PLACES[CENTRE]
    for k in seats:
        right, down = 1 if PLACES[HOME[k]][0] > x else -1, 1 if PLACES[HOME[k]][1] > y else -1
        at = (x + 72 * right, y + 72 * down)
        ring = svg.rect(-37, -37, 74, 74, fill=f"seat{k}-soft", line=f"seat{k}", width=3, round=14)
        yield svg.thing(f"start-{k}", ring, use(f"die{numbers[k]}"), at=at, come=f"corner-{k}", motion="roll", also="landing")
    yield svg.thing("begins", kit.label(words.BEGINS.format(COLOURS[first]), size=26), at=(x, y), motion="late", also="landing")


def result(winner, points):
    """Replaces the steps once the game is over: the winner and their points."""
    if winner == NONE:
        return svg.thing("steps", svg.text(words.DRAWN, size=26, serif=True, bold=True), at=(360, 38))
    won = svg.text(words.WINS.format(COLOURS[winner]), 0, -17, size=25, serif=True, bold=True)
    worth = svg.rect(-62, 1, 124, 32, fill="gold", round=16)
    worth += svg.text(kit.many(points, "point"), 0, 17, size=19, fill="on3", bold=True)
    return svg.thing("steps", won, worth, at=(360, 38))


STEP_WIDTHS, STEP_SIGN, STEP_GAP = (112, 84, 112), 34, 3  # between two plates


@cache
def steps_bar(seat, states):
    """Whose turn, and its three steps: the current one and, if there is room, the coming ones in words; the others as signs."""
    spelt = ("now", "later") if {"done", "never"} & set(states) else ("now",)
    parts = [svg.text(words.TURN_OF.format(COLOURS[seat]), 0, -21, size=20, serif=True, bold=True)]
    widths = [full if state in spelt else STEP_SIGN for full, state in zip(STEP_WIDTHS, states, strict=True)]
    x = -(sum(widths) + 2 * STEP_GAP) / 2
    for k, (width, state) in enumerate(zip(widths, states, strict=True)):
        label = "✓" if state == "done" else words.STEPS[k] if state in spelt else str(k + 1)
        now, never = state == "now", state == "never"
        fill, edge, thick = (f"seat{seat}-soft", f"seat{seat}", 3) if now else ("board", "line", 1.2)
        parts.append(svg.rect(x, -3, width, 36, fill=fill, line=edge, width=thick, round=17, also="dashed" if never else ""))
        parts.append(svg.text(label, x + width / 2, 15, size=19, fill="ink" if now or state == "later" else "muted", bold=now))
        if never:
            parts.append(svg.path(f"M{x + 8:g} 26L{x + width - 8:g} 4", line="muted", width=1.6))
        x += width + STEP_GAP
    return svg.thing("steps", *parts, at=(360, 38))


@cache
def die(value):
    blank = "" if value else svg.text("?", size=30, fill="muted", serif=True)
    return svg.thing("die", kit.die(value or None, 62) + blank, at=DIE)


@cache
def pot(points, turn, done):
    """Beside the die: the number of the turn (or the button to pass the die on), and the points on the table (R31)."""
    worth = svg.rect(52, -9, 60, 34, fill="gold-soft", round=17)
    worth += svg.text(words.POT, 82, -21, size=19) + svg.text(points, 82, 8, size=26, serif=True, bold=True)
    if done:
        button = svg.rect(-38, -25, 76, 50, fill="board", round=25, also="low-shadow") + svg.text(words.DONE, size=19, bold=True)
        beside = svg.thing("done", button, at=(DIE[0] - 77, DIE[1]))
    else:
        number = svg.text(words.TURN, -82, -21, size=19) + svg.text(turn, -82, 8, size=26, serif=True, bold=True)
        beside = svg.thing("turn", number, at=DIE)
    return beside, svg.thing("pot", worth, at=DIE)


@cache
def legend(index, left):
    """A kind of tile with its sign and how many are still face down."""
    name, kinds = words.LEGEND[index][:2]
    art = {
        "Arrow": use("arrow", turn=45, scale=0.8),
        "Opposite": use("hollow", turn=45, scale=0.8),
        "Teleport": svg.circle(0, 0, 12, fill="board", line="sea", width=3) + svg.circle(0, 0, 4, fill="sea"),
        "Lose Turn": use("k4", scale=1.4),
    }.get(name) or use(f"k{kinds[0]}", scale=1.6)
    label = svg.text(left, 42, -12, size=20, align="start", bold=True) + svg.text(name, 38, 15, size=19, fill="muted")
    chip = svg.rect(-20, -29, 116, 58, fill="board", line="line", width=1, round=12)
    return svg.thing(f"kind-{index}", chip, svg.group(art, at=(14, -11)), label, at=(26 + 117.6 * index, 889))


def _parked():
    """Things that only steps bring in: die faces, an arrow turned over or held up, and small labels."""
    things = [kit.parked(f"face-{n}", use(f"die{n}"), motion="roll", also="landing") for n in range(1, RANGE + 1)]
    for way in range(8):
        things.append(kit.parked(f"over-{way}", use(f"t{way}"), motion="flip", also="landing"))
        things.append(kit.parked(f"show-{way}", use(f"t{way}"), also="landing"))
    return [*things, *(kit.parked(f"note-{name}", kit.label(note, size=19), also="landing") for name, note in words.NOTES.items())]


ALL_DOWN = {cell: tile(cell, DOWN, False) for cell in TILE_CELLS}
DEFS, PARKED = _defs(), _parked()
AREA = (8, GRID.top - 7, SIDE * 46 + 14, SIDE * 46 + 14)
BOARD = svg.thing("board", svg.rect(*AREA, fill="felt", round=14, also="soft-shadow"), svg.rect(*AREA, fill="shade", round=14))
# The goal: the one clay stone of the board, without the golden ring of what can be chosen.
MIDDLE = svg.thing("centre", square(fill="clay", line="on3", width=2), rose(20), at=PLACES[CENTRE])
CROWN = svg.thing("crown", svg.circle(0, 0, 27, line="gold", width=5), at=PLACES[CENTRE], also="landing")
