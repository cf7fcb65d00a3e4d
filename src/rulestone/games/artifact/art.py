"""The drawings of Artifact: cards, pieces, blocks and the floor of the board.

The board is turned by quarters; what stands on it is turned back by as many, so that it stays upright. For those who want the board
kept still (`still=`, and the classes `if-turned` and `if-still`) compass and cards turn instead.
"""

from functools import cache
from math import cos, hypot, pi, sin

from rulestone.table import kit, svg

from . import content
from .content import CARDS, HO, KINDS, VERT

LETTERS = "abcdefghijklmnop"
SIDE, FRAME = 686, 27  # of the board, and its edge with the letters and numbers
MIDDLE = (10 + SIDE / 2, 92 + SIDE / 2)
CARD_WIDTH, CARD_HEIGHT = 94, 128
TINT = ("sea-soft", "sea-soft", "sea-soft", "sea-soft", "clay-soft", "stone-soft", "stone-soft", "gold-soft")
EDGED = {"line": "on3", "width": 1.6}

# ---- the ground -----------------------------------------------------------------------------------------------------------


class Ground:
    """A map as a drawing: the size of its squares and where they lie round the middle of the board, as printed."""

    def __init__(self, number):
        self.columns = int(content.COLUMNS[number])
        self.rows = len(content.MAPS[content.MAP_NAMES[number]])
        self.size = (SIDE - 2 * FRAME) // max(self.rows, self.columns)
        self.lift = round(self.size * 0.17)
        self.scale = self.size / 70
        self.temple = int(content.TEMPLE[number])
        self.neighbours = content.NEIGHBOUR[number].tolist()
        self.at = {cell: self.place(cell % self.columns, cell // self.columns) for cell in range(self.rows * self.columns)}
        self.names = {cell: f"{LETTERS[cell % self.columns]}{cell // self.columns + 1}" for cell in self.at}
        self.cells = tuple(cell for cell in self.at if content.LAND[number, cell])

    def place(self, column, row):
        return ((column - (self.columns - 1) / 2) * self.size, (row - (self.rows - 1) / 2) * self.size)

    def cell(self, place):
        """The number of a location from the one in the story: row · 16 + column."""
        return place // 16 * self.columns + place % 16


ground = cache(Ground)


def turned_back(quarter, x, y):
    """A direction on the screen, as seen on a board turned by this many quarters."""
    for _ in range(quarter % 4):
        x, y = y, -x
    return (x, y)


def on_screen(quarter, point):
    """Where a place on the turned board is in the picture."""
    x, y = turned_back(-quarter, *point)
    return (MIDDLE[0] + x, MIDDLE[1] + y)


# ---- what lies on it ------------------------------------------------------------------------------------------------------


def use(name, *place, **more):
    """A drawing of `defs`, placed."""
    return svg.use(f"af-{name}", *place, **more)


def points(count, radius, turn):
    """Corners round (0, 0), clockwise from the top; `radius` and `turn` (of half a circle) of each by its number."""
    return [(radius(k) * sin(turn(k) * pi), -radius(k) * cos(turn(k) * pi)) for k in range(count)]


def amphora(size):
    """The artifact: a golden amphora."""
    body = "M-6 -18H6L4.5 -12Q13 -7 12 1Q10 12 4 17H-4Q-10 12 -12 1Q-13 -7 -4.5 -12Z"
    handles = "M-5 -14Q-14 -15 -12.5 -5M5 -14Q14 -15 12.5 -5"
    return svg.group(
        svg.path(handles, line="on3", width=4.6),
        svg.path(handles, line="gold", width=2.2),
        svg.path(body, fill="gold", **EDGED),
        svg.path("M-11.7 -2.5L-8 1.5L-4 -2.5L0 1.5L4 -2.5L8 1.5L11.7 -2.5M-10.5 5.5H10.5", line="on3", width=1.5),
        svg.path("M-7.5 -7Q-9.5 -3 -9 1", line="on0", width=1.8, opacity=0.8),
        svg.path("M-6 18H6", line="on3", width=3.4),
        scale=size / 20,
    )


def glow(size):
    rays = "".join(f"M{0.78 * x:.1f} {0.78 * y:.1f}L{x:.1f} {y:.1f}" for x, y in points(12, lambda k: size, lambda k: k / 6))
    return (
        svg.circle(0, 0, size, fill="gold", opacity=0.16)
        + svg.circle(0, 0, size * 0.72, fill="gold", opacity=0.22)
        + svg.path(rays, line="gold", width=2, opacity=0.75)
    )


def cube(x, y, size):
    """A small block as it is drawn on cards."""
    left, top, lit = x - size / 2, y - size / 2, y - size / 2 - size * 0.3
    return (
        svg.rect(left, top, size, size, fill="stone", line="on3", width=1.4, round=2.5)
        + svg.rect(left, top, size, size, fill="on3", round=2.5, opacity=0.3)
        + svg.rect(left, lit, size, size, fill="stone", line="on3", width=1.4, round=2.5)
        + svg.rect(left + 1, lit + 1, size - 2, size - 2, fill="on0", round=2, opacity=0.4)
    )


def stick(size):
    """Sticks of dynamite with a burning fuse."""
    spark = "M15 -25L16.8 -19.5L22.5 -21L18.5 -16.5L22 -12L16.2 -13.3L14 -8L12.2 -13.5L7 -13.5L11.5 -17L9.5 -22L14 -19.5Z"
    return svg.group(
        svg.path("M4 -12Q8 -21 15 -17", line="on3", width=2),
        svg.path(spark, fill="gold"),
        *(svg.rect(x, y, 9, 31, fill="clay", line="on3", width=1.4, round=2) for x, y in ((-11, -12), (0, -12), (-5.5, -9))),
        svg.path("M-12 2H10", line="on3", width=4),
        scale=size / 20,
    )


def piece(hue):
    """An adventurer: cloak in the seat's colour with its mark, and a broad hat."""
    return (
        '<ellipse cy="23" rx="19" ry="6" class="f-shade"/>'
        + svg.path("M-17 23Q-15 2 -7 -8H7Q15 2 17 23Q0 29 -17 23Z", fill=f"seat{hue}", **EDGED)
        + svg.circle(0, -12, 8.5, fill="on0", line="on3", width=1.5)
        + svg.path("M-8 -16Q-7 -27 0 -27Q7 -27 8 -16Z", fill=f"seat{hue}", line="on3", width=1.5)
        + f'<ellipse cy="-15.5" rx="15" ry="4.2" class="f-seat{hue} s-on3" stroke-width="1.5"/>'
        + svg.group(kit.mark(hue, 7.2, f"on{hue}"), at=(0, 9))
    )


def flag(hue):
    return (
        svg.path("M0 24V-14", line="ink", width=3)
        + svg.path("M0 -15H26L20 -6L26 4H0Z", fill=f"seat{hue}", line="on3", width=1.4)
        + svg.group(kit.mark(hue, 5.6, f"on{hue}"), at=(9.5, -5.5))
    )


def block(plan):
    """A raised block: its front in shadow, its top lit along the upper edge."""
    half, lift, size = plan.size / 2 - 1.5, plan.lift, plan.size - 3
    top, left, edge = -half - lift, -half + 2, -half - lift + 2
    joints = f"M{-half + 4:.1f} {top + size * 0.36:.1f}H{half - 4:.1f}M{-half + 4:.1f} {top + size * 0.7:.1f}H{half - 4:.1f}"
    joints += f"M{half * 0.2:.1f} {top + 4:.1f}v{size * 0.36 - 4:.1f}"
    joints += f"m{-size * 0.25:.1f} 0v{size * 0.34:.1f}m{size * 0.36:.1f} 0v{size * 0.3 - 3:.1f}"
    lit = f"M{left:.1f} {half - lift - 5:.1f}V{edge + 3:.1f}Q{left:.1f} {edge:.1f} {left + 3:.1f} {edge:.1f}H{half - 4:.1f}"
    front = f"M{-half * 0.3:.1f} {half - lift + 1:.1f}V{half - 1:.1f}M{half * 0.45:.1f} {half - lift + 1:.1f}V{half - 1:.1f}"
    return (
        svg.rect(-half - 1, -half + 1, size + 4, size + 4, fill="shade", round=6)
        + svg.rect(-half, top, size, size + lift, fill="stone", round=5)
        + svg.rect(-half, top, size, size + lift, fill="on3", round=5, opacity=0.42)
        + svg.rect(-half, top, size, size, fill="stone", round=5)
        + svg.rect(-half, top, size, size, fill="on0", round=5, opacity=0.42)
        + svg.path(joints, line="on3", width=1.3, opacity=0.28)
        + svg.path(front, line="on3", width=1.3, opacity=0.5)
        + svg.path(lit, line="on0", width=2.6, opacity=0.85)
    )


def temple(plan):
    """The temple from above: steps, eight columns and a round floor."""
    h, k = plan.size / 2 - 2, plan.scale
    columns = [(x * 26 * k, y * 26 * k) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y]
    return (
        svg.rect(-h, -h, 2 * h, 2 * h, fill="clay", round=4)
        + svg.rect(-h + 4, -h + 4, 2 * h - 8, 2 * h - 8, line="on0", width=1.4, round=3, opacity=0.7)
        + svg.circle(0, 0, 19 * k, fill="on3", opacity=0.55)
        + svg.circle(0, 0, 19 * k, line="gold", width=2)
        + "".join(svg.circle(*at, 5 * k, fill="on0", line="on3", width=1.3) for at in columns)
    )


_CROSS = "M-21 -21H-6L-11 -16L0 -5L11 -16L6 -21H21V-6L16 -11L5 0L16 11L21 6V21H6L11 16L0 5L-11 16L-6 21H-21V6L-16 11L-5 0L-16 -11L-21 -6Z"
_LINE = svg.path("M-25 0L-11 -13V-5H11V-13L25 0L11 13V5H-11V13Z", fill="sea", **EDGED)
_HALF = svg.path("M-20 -2Q-18 -19 0 -19H6V-27L25 -13L6 0V-8H0Q-7 -8 -9 -2Z", fill="clay", **EDGED)
_LEAP, _ROUND = "M-22 16Q-20 -26 8 -22", {"d": "M19.5 -9.5A21.5 21.5 0 1 0 21.5 5", "transform": "scale(-1 1) rotate(-80)"}
ICONS = (
    svg.group(_LINE),
    svg.group(_LINE, turn=90),
    cube(13, 13, 25)
    + svg.path(_LEAP, line="on3", width=8)
    + svg.path("M5 -32L24 -18L4 -9Z", fill="sea", **EDGED)
    + svg.path(_LEAP, line="sea", width=5),
    svg.path(_CROSS, fill="sea", **EDGED),
    _HALF + svg.group(_HALF, turn=180),
    cube(0, 15, 27) + svg.path("M-6 -28H6V-14H14L0 0L-14 -14H-6Z", fill="clay", **EDGED),
    stick(24),
    svg.rect(-9, -9, 18, 18, fill="board", round=2, **EDGED)
    + svg.path("M-3 -9V9M3 -9V9M-9 -3H9M-9 3H9", line="on3", width=0.9)
    + svg.path(**_ROUND, line="on3", width=8)
    + svg.path(**_ROUND, line="gold", width=5)
    + svg.path("M-3 -31L15 -19.5L-5 -11Z", fill="gold", **EDGED),
)
"""What is on a card of each kind, about 56 wide round (0, 0)."""
BLAST = svg.polygon(points(18, lambda k: 13 if k % 2 else 27, lambda k: k / 9), line="clay", width=2.4)
PLUS = svg.circle(0, 0, 26, fill="gold", line="on3", width=2) + svg.text(f"+{content.BONUS}", size=24, fill="on3", bold=True)
_SWEEP = points(7, lambda k: 250, lambda k: (k + 2) / 18)
_SWEEPS = (
    svg.curve(_SWEEP, ink="on0", width=18)
    + svg.polygon([(251, 14), (211, -52), (283, -44)], fill="gold", line="on0", width=4)
    + svg.curve(_SWEEP, ink="gold", width=12)
)
TURN_ARROW = svg.group(*(svg.group(_SWEEPS, turn=180 * k) for k in range(2)))


def small_card(kind, width=30, height=40, edge=3.0, round=4, scale=0.42):
    """A small face-up card without words."""
    w, h = width / 2, height / 2
    tint = svg.rect(edge - w, edge - h, width - 2 * edge, height - 2 * edge, fill=TINT[kind], round=3)
    return svg.rect(-w, -h, width, height, fill="board", line="ink", width=1.4, round=round) + tint + use(f"icon{kind}", scale=scale)


def small_back(player):
    """The back of a card in somebody's hand."""
    return (
        svg.rect(-15, -20, 30, 40, fill=f"seat{player}", line="board", width=1.4, round=4)
        + svg.rect(-11, -16, 22, 32, line=f"on{player}", width=1, round=3, opacity=0.55)
        + kit.mark(player, 6, f"on{player}")
    )


@cache
def defs(plan):
    """Drawings that are used many times (no text: reused text isn't centred)."""
    back = kit.card_back(CARD_WIDTH, CARD_HEIGHT, sign=svg.circle(0, 0, 25, fill="on3", opacity=0.25) + amphora(24))
    square = f'<rect x="{2.5 - plan.size / 2:g}" y="{2.5 - plan.size / 2:g}" width="{plan.size - 5}" height="{plan.size - 5}" rx="7"/>'
    named = {"block": block(plan), "amphora": amphora(20), "glow": glow(44), "back": back, "stick": stick(20), "square": square}
    named |= {f"small{kind}": small_card(kind) for kind in range(KINDS)} | {f"back{player}": small_back(player) for player in range(4)}
    named |= {f"icon{kind}": icon for kind, icon in enumerate(ICONS)}
    named |= {f"piece{hue}": piece(hue) for hue in range(4)} | {f"flag{hue}": flag(hue) for hue in range(4)}
    return svg.thing("defs", "<defs>", *(f'<g id="af-{name}">{drawn}</g>' for name, drawn in named.items()), "</defs>")


# ---- the turned board -----------------------------------------------------------------------------------------------------


def layer(id, quarter, *children, also=""):
    """A layer of the board, turned as the board is."""
    how = {"motion": "" if quarter else "still", "still": svg.placing(MIDDLE), "also": also}
    return svg.thing(id, *children, at=MIDDLE, turn=90 * quarter, **how)


def upright(id, quarter, art, at, away=(0.0, 0.0), also="", **more):
    """Something on the board that stays upright while the board turns, `away` from its place as seen on the screen."""
    inner = svg.thing(f"{id}.l", art, at=away, **more)
    how = {"still": svg.placing((0, 0))} if quarter else {"motion": "still"}
    turned = svg.thing(f"{id}.u", inner, turn=-90 * quarter, **how)
    return svg.thing(id, turned, at=at, also=also)


def still(quarter, art, at, away=(0, 0)):
    """Something upright on the turned board, `away` from its place as seen on the screen."""
    inner = svg.group(art, at=away) if any(away) else art
    if not quarter % 4:
        return svg.group(inner, at=at)
    return f'<g transform="{svg.placing(at, -90 * quarter)}" data-still="{svg.placing(at)}">{inner}</g>'


def either(quarter, drawn):
    """What `drawn` makes for a turned board, and also for people who keep theirs still."""
    if quarter % 4 == 0:
        return drawn(quarter)
    return [svg.group(*drawn(quarter), also="if-turned"), svg.group(*drawn(0), also="if-still")]


@cache
def floor(plan, quarter, homes):
    """Flagstones, the temple, the home bases in their owners' colours, letters and numbers at the edge."""
    size, half = plan.size, plan.size / 2
    wide, high = plan.columns * size / 2 + FRAME, plan.rows * size / 2 + FRAME
    parts = [
        svg.rect(-wide, -high, 2 * wide, 2 * high, fill="board", line="line", width=1.5, round=14, also="soft-shadow"),
        svg.rect(-wide + 5, -high + 5, 2 * wide - 10, 2 * high - 10, line="clay", width=1.6, round=10, opacity=0.45),
        svg.rect(-wide + FRAME - 3, -high + FRAME - 3, 2 * (wide - FRAME + 3), 2 * (high - FRAME + 3), fill="line", round=5),
    ]
    stones, hatch = ["", "", ""], ""
    for cell, (x, y) in plan.at.items():
        tone, inset = ((cell // plan.columns + cell % plan.columns) % 2, 1) if cell in plan.cells else (2, -1)
        side = size - 2 * inset
        stones[tone] += f"M{x - half + inset:.1f} {y - half + inset:.1f}h{side:.1f}v{side:.1f}h{-side:.1f}z"
        if tone == 2:  # Q31: thin lines over what is not part of the board
            hatch += f"M{x - half:.1f} {y:.1f}l{half:.1f} {-half:.1f}M{x - half:.1f} {y + half:.1f}l{2 * half:.1f} {-2 * half:.1f}"
            hatch += f"M{x:.1f} {y + half:.1f}l{half:.1f} {-half:.1f}"
    parts += [svg.path(stones[0], fill="board"), svg.path(stones[1], fill="felt")]
    if hatch:
        parts += [svg.path(stones[2], fill="felt"), svg.path(hatch, line="line", width=1.5)]
    parts.append(svg.group(temple(plan), at=plan.at[plan.temple]))
    for player, cell in enumerate(homes):
        home = svg.rect(3 - half, 3 - half, size - 6, size - 6, fill=f"seat{player}-soft", line=f"seat{player}", width=4, round=6)
        parts.append(still(quarter, home + svg.group(kit.mark(player, 17 * plan.scale), also="half"), plan.at[cell]))
    return layer("floor", quarter, *parts, *either(quarter, lambda quarter: edges(plan, quarter)))


def edges(plan, quarter):
    """Letters and numbers on the left and at the bottom, where no block hides them."""
    ends = [(LETTERS[column], column, row) for column in range(plan.columns) for row in (-1, plan.rows)]
    ends += [(row + 1, column, row) for row in range(plan.rows) for column in (-1, plan.columns)]
    made, inward = [], plan.size / 2 - FRAME / 2
    for word, column, row in ends:
        out = (-1 if column < 0 else int(column == plan.columns), -1 if row < 0 else int(row == plan.rows))
        if turned_back(-quarter, *out) in ((-1, 0), (0, 1)):
            x, y = plan.place(column, row)
            made.append(svg.group(svg.text(word, size=19, fill="muted"), at=(x - out[0] * inward, y - out[1] * inward), turn=-90 * quarter))
    return made


@cache
def target(quarter, up):
    """The outline of a glowing square, raised this far above its floor on the screen."""
    if not up:
        return use("square", also="target")
    place, unturned = svg.placing(turned_back(quarter, 0, -up)), svg.placing((0, -up))
    return f'<g class="target" transform="{place}" data-still="{unturned}">{use("square")}</g>'


# ---- cards and labels -----------------------------------------------------------------------------------------------------


@cache
def card_face(kind, quarter, copies=1, id=""):
    """A card in hand: its sign, its name, and on Ho and Vert their directions on the printed map. 0 copies: one underneath."""
    w, h = CARD_WIDTH, CARD_HEIGHT
    parts = [
        svg.rect(-w / 2, -h / 2, w, h, fill="board", line="ink", width=1.6, round=9, also="low-shadow"),
        svg.rect(-w / 2 + 5, -h / 2 + 5, w - 10, 79, fill=TINT[kind], round=6),
    ]
    if not copies:
        return "".join(parts)
    sign = use(f"icon{kind}")
    if kind in (HO, VERT):  # it turns where the board is kept still
        unturned = svg.placing((0, 0), 90 * quarter)
        sign = svg.thing(id, sign, still=unturned) if id else f'<g data-still="{unturned}">{sign}</g>'
    parts.append(svg.group(sign, at=(0, -19), scale=1.06))
    words = CARDS[kind].split()
    for k, word in enumerate(words):
        fitted = {"textLength": 84, "lengthAdjust": "spacingAndGlyphs"} if len(word) > 7 else {}
        parts.append(svg.text(word, 0, 41 + 18.5 * (k - (len(words) - 1) / 2), size=19, bold=True, **fitted))
    if kind in (HO, VERT):
        level = kind == HO
        parts += either(quarter, lambda seen: line_ends(level if (quarter - seen) % 2 == 0 else not level, seen))
    if copies > 1:
        badge = svg.circle(0, 0, 17, fill="ink") + svg.text(f"×{copies}", size=19, fill="board", bold=True)
        parts.append(svg.group(badge, at=(w / 2 - 8, -h / 2 + 8)))
    return "".join(parts)


def corner(count):
    """A number on a corner of a pile."""
    badge = svg.circle(0, 0, 17, fill="ink") + svg.text(count, size=19, fill="board", bold=True)
    return svg.group(badge, at=(CARD_WIDTH / 2 - 8, 8 - CARD_HEIGHT / 2))


def line_ends(level, quarter):
    """The directions on the printed map at the ends of a level or an upright arrow."""
    ends = ((3, -30, 7), (1, 30, 7)) if level else ((0, -22, -43), (2, -22, 7))
    return [svg.text("NESW"[(way - quarter) % 4], x, y, size=19, fill="muted") for way, x, y in ends]


def tag(words, fill="on3"):
    """A small dark label."""
    width = len(words) * 10.5 + 14
    return svg.rect(-width / 2, -13, width, 26, fill=fill, line="on0", width=1.2, round=8) + svg.text(words, size=19, fill="on0", bold=True)


def arrow_between(a, b, ink="clay", bend=0.0, short=0.24):
    """A bold arrow from near one place to near another, bent to the left of its way by `bend`."""
    (x1, y1), (x2, y2) = a, b
    long = hypot(x2 - x1, y2 - y1) or 1.0
    ux, uy = (x2 - x1) / long, (y2 - y1) / long
    mx, my = (x1 + x2) / 2 + uy * bend, (y1 + y2) / 2 - ux * bend
    away = hypot(x2 - mx, y2 - my) or 1.0
    hx, hy = (x2 - mx) / away, (y2 - my) / away
    nx, ny = x2 - hx * 15, y2 - hy * 15
    way = f"M{x1 + ux * long * short:.1f} {y1 + uy * long * short:.1f}Q{mx:.1f} {my:.1f} {nx:.1f} {ny:.1f}"
    head = [b, (nx - hy * 12, ny + hx * 12), (nx + hy * 12, ny - hx * 12)]
    return svg.path(way, line="on0", width=11) + svg.polygon(head, fill=ink, line="on0", width=3) + svg.path(way, line=ink, width=6.5)
