"""The drawings of Micro Medusa, centred on (0, 0): tiles whose tresses really join, and the Champion's medallions.

They are drawn once, as symbols in the thing `art`; everything else uses them. SIDE is the distance from a tile's middle to its side.
"""

from functools import cache
from math import cos, pi, sin

from rulestone.table import kit, svg

from . import content
from .content import KINDS, SHAPE
from .rules import CHAMPION, EYEBALL, HIDDEN, SECTION, SNAKEHEAD

WIDTH, HEIGHT = 740, 932
BOARD, BOARD_HEIGHT = 306, 438  # where the board begins
SIDE = 43.3
HEX, SQUARE = 0, 1
SIDES = content.SIDES.tolist()
SEAT, SOFT = f"seat{CHAMPION}", f"seat{CHAMPION}-soft"
group, thing = svg.memo(svg.group), svg.memo(svg.thing)  # drawing the same thing again costs nothing


@svg.memo
def use(name, at=None, turn=0, scale=1, also=""):
    """One of the drawings of `art`."""
    return svg.use(f"mm-{name}", at, turn, scale, also)


@cache
def outline(grid, size=48.6, x=0.0, y=0.0):
    """The outline of a tile round (x, y) as a path."""
    far = size * 0.87
    corners = [(size * sin(k * pi / 3), -size * cos(k * pi / 3)) for k in range(6)]
    if grid == SQUARE:
        corners = [(-far, -far), (far, -far), (far, far), (-far, far)]
    return "M" + "L".join(f"{svg.number(round(a, 1) + x)} {svg.number(round(b, 1) + y)}" for a, b in corners) + "Z"


HEART = "M0 22C-27 3 -25 -18 -11 -18C-4 -18 0 -12 0 -8C0 -12 4 -18 11 -18C25 -18 27 3 0 22Z"
# Each drawing, shape by shape: fill, line and its width (and what else it has); then a path, or x, y and radius of a circle.
SHAPES = f"""
tile       | board line 2         | {{outline}}
back       | clay ink 2           | {{outline}}
back       | none board 1.6 faint | {{inner}}
back       | none board 3         | M-19 -3C-10 8 10 8 19 -3M-13 4L-17 10M-4 7L-5 14M5 7L6 14M14 3L18 9
back       | none board 2 faint   | M-16 -13C-9 -19 9 -19 16 -13
stone      | stone-soft stone 3   | {{outline}}
crack      | none stone 2.4       | M-22 -34L-10 -12L-18 2L-4 20L-9 42M-10 -12L12 -18L24 -38M-4 20L20 14L38 22
edge       | none ink 4.6         | M0 -7C10 -16 20 -16 25 -10C29 -4 36 -7 43.3 -7M0 7C10 -2 20 -2 25 4C29 10 36 7 43.3 7
tress      | clay                 | M0 -7C10 -16 20 -16 25 -10C29 -4 36 -7 43.3 -7V7C36 7 29 10 25 4C20 -2 10 -2 0 7Z
tress      | none board 4         | M10 -6.5h.01M20 -5h.01M29 .5h.01M38 0h.01
knot       | clay                 | 0 0 11
knot       | none board 2.4       | M5 0C5 -5 -3 -6 -5 -1C-6 4 1 7 4 4
H          | clay ink 2.4         | M16 -7C6 -23 -17 -21 -27 -8C-31 -3 -31 3 -27 8C-17 21 6 23 16 7Z
H          | none ink 2.2         | M-29 0H-35L-39 -4M-35 0L-39 4
H          | none board 2.2       | M13 0L6 -7M13 0L6 7M4 0L-3 -7M4 0L-3 7
H          | board ink 1.4        | -13 -10 4.4
H          | board ink 1.4        | -13 10 4.4
H          | none ink 4           | M-14 -10h.01M-14 10h.01
H          | none ink 2.4         | M-25 -3h.01M-25 3h.01
E          | board ink 2.6        | 0 0 23
E          | none clay 1.7        | M-21 6L-15 5M-20 -8L-14 -6M21 6L15 5M19 -9L14 -6M-5 22L-4 16M6 22L5 16
E          | sea ink 1.6          | 0 0 13
E          | ink                  | 0 0 6.4
E          | board                | -4 -5 3
face       | board ink 2.4        | M-23 -8C-24 14 -14 27 0 27C14 27 24 14 23 -8C20 -22 -20 -22 -23 -8Z
face       | none ink 2.6         | M-20 -11C-14 -16 -6 -14 -2 -8M20 -11C14 -16 6 -14 2 -8
face       | board ink 1.8        | M-19 -3C-15 -10 -8 -10 -3 -3C-8 1 -14 1 -19 -3ZM19 -3C15 -10 8 -10 3 -3C8 1 14 1 19 -3Z
face       | none sea 6.4         | M-10.5 -4.4h.01M10.5 -4.4h.01
face       | none ink 2.8         | M-10.5 -4.4h.01M10.5 -4.4h.01
face       | none ink 1.8         | M-2 -4L-4 6H4L2 -4
face       | ink                  | M-14 10C-7 8 7 8 14 10C12 19 -12 19 -14 10Z
face       | board                | M-10 11L-8 15L-6 11ZM10 11L8 15L6 11Z
face       | clay ink 1.2         | M-4 13H4V20C4 25 -4 25 -4 20Z
disc       | board {SEAT} 4        | 0 0 38
disc       | none {SEAT} 1 faint   | 0 0 33
gear0      | stone-soft ink 2.2   | M-5 8V-22Q-4 -31 5 -33V8Z
gear0      | stone-soft ink 2     | M5 -17C16 -18 19 -8 13 -1C13 -7 10 -9 5 -8Z
gear0      | none ink 5           | M-11 9H11
gear0      | none clay 6          | M0 12V21
gear0      | ink                  | 0 25 4
gear1      | sea-soft ink 2.6     | 0 0 25
gear1      | none ink 1.6         | 0 0 18.5
gear1      | sea ink 1.4          | M0 -17L4 -4L17 0L4 4L0 17L-4 4L-17 0L-4 -4Z
gear1      | board                | 0 0 3.6
gear2      | stone-soft ink 2     | M-5 6L-2 31H2L5 6Z
gear2      | clay ink 2           | M0 -31C12 -18 14 -9 9 0H-9C-14 -8 -3 -13 0 -31Z
gear2      | gold                 | M1 -15C7 -8 6 -3 3 0H-4C-6 -5 -2 -8 1 -15Z
gear2      | ink                  | M-11 1H11L7 9H-7Z
gear3      | clay ink 2.4         | {HEART}
gear3      | none board 3         | M-15 -5C-15 -10 -12 -12 -9 -12
stoneheart | stone ink 2.4        | {HEART}
stoneheart | none board 2.2       | M0 -8L-5 0L3 6L-2 13L0 22M-5 0L-15 1M3 6L12 3
noheart    | none muted 2.4 dash  | {HEART}
end        | board clay 2.4 dash  | {outline(HEX, 26)}
end        | none ink 4           | M-32 -6L-14 -6M-32 6L-14 6
end        | clay                 | M-32 -6H-14L0 0L-14 6H-32Z
pile       | clay ink 2.4         | {outline(HEX, 26, 0, 7)}
pile       | clay ink 2.4         | {outline(HEX, 26, 0, 1)}
pile       | clay ink 2.4         | {outline(HEX, 26, 0, -5)}
pile       | none board 2.4       | M-9 -7C-5 -2 5 -2 9 -7M0 -3V1M-6 -4L-8 0M6 -4L8 0
"""
MORE = {"faint": {"opacity": 0.6}, "dash": {"stroke_dasharray": "5 5"}}
TILTED = {"gear0": 38, "gear2": 14}
CURLS = [svg.circle(25 * sin(k * pi / 9), -1 - 25 * cos(k * pi / 9), 5.4, fill="clay", line="ink", width=1.6) for k in range(-7, 8)]


def shape(paint, place):
    """A shape of SHAPES."""
    fill, line, width, *more = (*paint.split(), "", "0")[: max(3, len(paint.split()))]
    draw, where = (svg.path, [place]) if place[0] == "M" else (svg.circle, map(float, place.split()))
    return draw(*where, fill=fill, line=line, width=float(width), **(MORE[more[0]] if more else {}))


def symbols():
    """All drawings, to be used by their names; those of tiles once for each grid."""
    found = {"face": [*CURLS], "mark": [svg.group(svg.circle(0, 0, 9, fill="board") + kit.mark(CHAMPION, 7), at=(28, 26))]}
    for row in SHAPES.strip().splitlines():
        name, paint, place = (part.strip() for part in row.split("|"))
        for grid in (HEX, SQUARE) if name in ("tile", "back", "stone") else ("",):
            at = place.format(outline=outline(grid), inner=outline(grid, 40)) if grid != "" else place
            found.setdefault(f"{name}{grid}", []).append(shape(paint, at))
    for name, shapes in found.items():
        yield f'<g id="mm-{name}" stroke-linecap="round" stroke-linejoin="round">{svg.group(*shapes, turn=TILTED.get(name, 0))}</g>'


CLIP = f'<clipPath id="mm-clip"><rect x="11" y="{BOARD + 1}" width="{WIDTH - 22}" height="{BOARD_HEIGHT - 2}" rx="17"/></clipPath>'
ART = thing("art", "<defs>", *symbols(), CLIP, "</defs>")


# ---- tiles and medallions -------------------------------------------------------------------------------------------------


@cache
def face(kind, mask, grid, body=True):
    """A face-up Medusa tile with tresses on the sides of `mask`."""
    turns = [-360 / SIDES[grid] * side for side in range(SIDES[grid]) if mask >> side & 1]
    parts = [use(f"tile{grid}", also="low-shadow")] if body else []
    parts += [use(part, turn=turn) for part in ("edge", "tress") for turn in turns]
    if kind == SNAKEHEAD:
        return "".join(parts) + use("H", turn=turns[0])
    return "".join(parts) + (use("E") if kind == EYEBALL else use("face", scale=1.18) if kind >= KINDS else use("knot"))


@cache
def tips(grid, sides):
    """The tips of the tresses that point into a space from these sides."""
    tip = svg.path("M41 -6Q34 -3 27 0Q34 3 41 6Z", fill="clay")
    return "".join(group(tip, turn=-360 / SIDES[grid] * side) for side in range(SIDES[grid]) if sides >> side & 1)


@cache
def loose(kind, grid, section):
    """A Medusa tile in a hand or in the market."""
    return face(kind, int(SHAPE[grid, section, kind]) if kind != SNAKEHEAD else 1, grid)


@cache
def icon(kind):
    """The sign of a kind for small places."""
    if kind == SNAKEHEAD:
        return use("tress", scale=0.8) + use("H")
    return use("E") if kind == EYEBALL else face(SECTION, 0b010101, HEX, body=False)


@cache
def blocked(kind, grid):
    """A flipped tile: cracked stone, with its kind still recognisable."""
    return use(f"stone{grid}", also="low-shadow") + group(icon(min(kind, SECTION)), scale=0.5, also="ghost") + use("crack")


@cache
def disc(gear, stone=False):
    """A Champion tile: a medallion with the seat's colour and mark."""
    return use("disc", also="low-shadow") + use("stoneheart" if stone else f"gear{gear}") + use("mark")


@cache
def lying(gear, grid):
    """A Champion tile that takes up a space."""
    return svg.path(outline(grid, 47), fill=SOFT, line=SEAT, width=3) + disc(gear)


@cache
def no_life(beats):
    """The reserve Heart while it isn't drafted: only the outline of a life, or stone."""
    rim = svg.circle(0, 0, 38, fill="board", line=SEAT, width=3, also="dashed")
    return rim + use("noheart" if beats else "stoneheart") + use("mark")


@cache
def back(grid, peek=None, large=False):
    """The tile in play, face down: its kind is small for Medusa, who knows it, and large in a replay."""
    at, size, scale = ((0, 0), 25, 0.46) if large else ((0, 27), 15, 0.27)
    seen = "" if peek is None else svg.circle(*at, size, fill="board") + group(icon(min(peek, SECTION)), at=at, scale=scale)
    return use(f"back{grid}", also="low-shadow") + seen


@cache
def unknown(grid, kind):
    """A tile of Medusa's hand as others see it, with the kind if they know it."""
    made = group(use(f"back{grid}", also="low-shadow"), scale=0.8) + svg.circle(0, 0, 17, fill="board")
    made += svg.text("?", 0, 1, size=25, bold=True)
    if kind != HIDDEN:
        shown = svg.circle(0, 0, 26, fill="board", line="ink", width=1.5) + group(icon(min(kind, SECTION)), scale=0.5)
        made += group(shown, also="known")
    return made


TROPHY = svg.circle(0, 0, 12, fill=SOFT) + group(icon(SNAKEHEAD), scale=0.34)
BREATH = (
    '<animate attributeName="opacity" values=".18;.5;.18" dur="4.5s" repeatCount="indefinite"/>'
    '<animateTransform attributeName="transform" type="scale" values="1;1.07;1" dur="4.5s" repeatCount="indefinite"/>'
)


@cache
def breath(grid):
    """What stirs under a face-down tile."""
    return f'<path d="{outline(grid, 53)}" class="f-clay" opacity=".3">{BREATH}</path>'


@cache
def ghost(gear, grid):
    """Where a weapon would go after a second click on it."""
    rim = f'<path d="{outline(grid, 46)}" class="f-gold-soft s-gold" stroke-width="5" pointer-events="visible"/>'
    return rim + group(disc(gear), also="half")
