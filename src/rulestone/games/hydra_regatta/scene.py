"""How the Hydra Regatta looks and speaks: a chart of twelve wedges round the Hydra, triremes with their wakes, a board for each player.

The Starting Line is always drawn at the top, so a place is counted from it: place 0 is the line, place 11 the last before it. The one
who looks has the large board at the bottom. Drawings that occur often lie in `DEFS` and are used by name; what only the steps of a
move need (die faces, numbers, small labels) is parked outside the picture.
"""

from functools import cache, lru_cache
from itertools import pairwise
from math import atan2, cos, hypot, pi, sin
from types import SimpleNamespace

from rulestone.table import Card, Plate, Scene, Step, kit, svg

from . import content, rules
from .content import (
    BOAT,
    CARD_NAMES,
    CARD_TEXTS,
    COURSE,
    DOT_NAMES,
    ICON_BOOST,
    ICON_CHARYBDIS,
    ICON_FISH,
    ICON_HYDRA,
    ICON_SCYLLA,
    ICON_START,
    LANES,
    MAX_DOTS,
    NO_PROTECT,
    RING_SLOTS,
    SLOW,
    START_WEDGE,
    STOLEN,
    TRIDENT,
    UPPER,
    WEDGE_NAMES,
)
from .rules import (
    BEFORE,
    BOOST,
    BOOST_DOTS,
    BY_ANGLE,
    ENDWIN,
    FAVOR_LIMIT,
    FIRST,
    FREE,
    GAIA,
    HYDRA,
    LINE_FISH,
    MAX_FISH,
    MOVE,
    NAV,
    NONE,
    NOPROT,
    OVER,
    PROTECTION,
    SETUP,
    SKIP,
    SKIPPED_FREE,
    STEAL,
    TARGET,
    VALUE,
    WEDGE,
    WEDGES_COVER,
)

KIND, EFFECT, PARAMETER, ICON, LANE, ANGLE, ENTRY, PRE_LINE, START_DOT = (
    table.tolist()
    for table in (
        content.KIND,
        content.EFFECT,
        content.PARAMETER,
        content.ICON,
        content.LANE,
        content.ANGLE,
        content.ENTRY,
        content.PRE_LINE,
        content.START_DOT,
    )
)
WAYS_OUT = [[dot.exits for dot in wedge.dots] for wedge in COURSE]

WIDTH, HEIGHT = 720, 1010
MIDDLE = (360, 374)
LANE_AT = (190, 238, 286, 333)
INNER, OUTER, HEART = 165, 354, 263
DOT = 11
OTHERS, OWN = 735, 838
OTHER_TALL, OWN_TALL = 98, 166
LAP_STEP = 20  # between two laps on the boards of others
FISH_STEP, OWN_FISH_STEP = min(21.5, 43 / max(2, MAX_FISH - 1)), min(32, 192 / max(6, MAX_FISH - 1))  # more fish lie closer together
BUTTONS = (20, OWN + 106, 384, 53)  # the place of the buttons under the own dice: left, top, width, height
BUTTON_SIZE, LETTER = 18, 10.2  # their writing, and how wide a letter of it is
STACK_AT, DECK_AT, DISCARD_AT, ORDER_AT = (54, 56), (666, 56), (54, 674), (666, 674)
PARK = (-90, -90)
BELOW, ABOVE = (-3, 25), (-3, -55)  # the log of a ship: "3 of 9", a plate of 66 by 20
SAILED_AT, OF_AT = (-9, 0), (-5, 0)  # its two numbers
LOG_SPOTS = (  # other places for it, should these be taken
    *((dx, dy) for dy in (-12, -34, 14) for dx in (-62, 56)),
    *((dx, dy) for dy in (-55, 25) for dx in (-36, 30, -58, 52)),
    *((dx, dy) for dy in (-74, 44) for dx in (-3, -40, 34)),
    *((dx, dy) for dy in (-12, -40, 30, -66, 56) for dx in (-84, 78)),
)
FINGER, CLOSE, EXIT, END = 27, 25, 20, 19  # how far from a far and from a near dot a finger finds it; the rings round an exit and an end
MARKS = "●■▲◆"
PLACES = ("1st", "2nd", "3rd", "4th")
KIND_WORDS = ("Boat", "Lightning bolt", "Trident")
KIND_FEET = ("to be kept for later", "strikes at once", "for another player")
KIND_RULES = ("R39", "R38", "R40")
NOTES = {
    "free": "free",
    "boost": f"+{BOOST}",
    "safe": "protected",
    "fed": "feeds it",
    "battle": "battle!",
    "lap": "lap!",
    "bust": "Bust!",
    "fish": "fish",
    "favor": "Favor",
    "wedge": "wedge",
    "curse": "cursed!",
}
MOST_LEFT, MOST_SAILED, PASSING = 18, 21, 22


# ---- where things are -----------------------------------------------------------------------------------------------------------


def polar(radius, degrees):
    """A point round the Hydra, clockwise from the top."""
    angle = degrees * pi / 180
    return (MIDDLE[0] + radius * sin(angle), MIDDLE[1] - radius * cos(angle))


def bearing(offset, twelfths):
    """Degrees of a place on the wedge that lies `offset` places after the line."""
    return 30 * offset - 15 + 2.5 * twelfths


@cache
def dot_at(wedge, dot, offset):
    return polar(LANE_AT[LANE[wedge][dot]], bearing(offset, ANGLE[wedge][dot]))


@cache
def heart(offset):
    """The middle of a wedge: where its thing lies."""
    return polar(HEART, 30 * offset)


@cache
def seats(players, base):
    """Who sits where: the boards of the others from left to right, (x, y, width) of each board."""
    others = [(base + k) % players for k in range(1, players)]
    width = (704 - 8 * (len(others) - 1)) / len(others)
    boards = {player: (8 + k * (width + 8), OTHERS, width) for k, player in enumerate(others)}
    boards[base] = (8, OWN, 704)
    return boards


@svg.memo
def spot(players, base, player, what, index=0):
    """Where something lies on a board: a die, a fish, a card, a wedge, the lap marker, the Fleece."""
    x, y, width = seats(players, base)[player]
    if player == base:
        dx, dy = {
            "nav": (46, 63),
            "first": (138, 63),
            "second": (194, 63),
            "fleece": (92, 54),
            "fish": (336 + OWN_FISH_STEP * index, 19),
            "card": (476 + 147 * index, 101),
            "wedge": (320 + 52 * index, 71),
            "lap": (278 - 36 * index, 19),
            "down": (560 + 70 * index, 19),
        }[what]
    else:
        wide = width > 600
        row = 64 if wide else 49
        dx, dy = {
            "nav": (21, row),
            "first": (80, row),
            "second": (112, row),
            "fleece": (129 if width < 300 else 134, 17),
            "fish": (width - 57 + FISH_STEP * index, row),
            "card": (250 + 92 * index, row) if wide else (46 + 82 * index, 82),
            "wedge": (440 + 46 * index, row) if wide else (width - 21, 80),
            "lap": (width - 18 - LAP_STEP * index, 17),
            "down": (560 + 26 * index, row) if wide else (176 + 8 * index, 82),
        }[what]
    return (x + dx, y + dy)


# ---- drawings used by name --------------------------------------------------------------------------------------------------------


def use(name, at=None, turn=0, scale=1, also=""):
    """A drawing of DEFS, placed."""
    return f"<use{svg._attributes({'href': f'#hr-{name}', 'transform': svg.placing(at, turn, scale), 'class': also})}/>"


FISH = "M-8 0C-4-6 3-5.5 6-1L10-5V5L6 1C3 5.5-4 6-8 0Z"
SPIRAL = "M0 0C2-3 5 0 3 3C0 7-6 4-6-1C-5-8 4-9 7-3"


def icon_art(icon):
    """A dot with what it shows."""
    if icon == 0:
        return svg.circle(0, 0, 6.5, fill="board", line="ink", width=2.2)
    fill, line = {
        ICON_FISH: ("board", "sea"),
        2: ("gold", "ink"),
        3: ("board", "ink"),
        ICON_BOOST: ("clay", "clay"),
        ICON_HYDRA: ("ink", "clay"),
        ICON_CHARYBDIS: ("sea", "ink"),
        ICON_SCYLLA: ("clay", "ink"),
        ICON_START: ("board", "ink"),
    }[icon]
    disc = svg.circle(0, 0, DOT, fill=fill, line=line, width=1.8)
    if icon == ICON_FISH:
        return disc + svg.path(FISH, fill="sea") + svg.circle(-4.2, -1, 1.1, fill="board")
    if icon == 2:  # Favor: a temple
        columns = "M-4.5-1V4M0-1V4M4.5-1V4"
        return disc + svg.path("M-7-1.5L0-7L7-1.5Z", fill="on3") + svg.path(columns + "M-6.5 5.6H6.5", line="on3", width=2)
    if icon == 3:  # wedge
        return disc + svg.path("M-6.5-4.5A10 10 0 0 1 6.5-4.5L2.6 5.5A4 4 0 0 0-2.6 5.5Z", fill="sea", line="ink", width=1.2)
    if icon == ICON_BOOST:
        return disc + svg.text(f"+{BOOST}", 0, 0.5, size=13, fill="on-clay", bold=True)
    if icon == ICON_HYDRA:  # a head from above: jaws towards us, two eyes
        return (
            disc
            + svg.path("M0 8.5C-3.5 5-7.5 1.5-7-3C-6.5-7-3-8 0-6C3-8 6.5-7 7-3C7.5 1.5 3.5 5 0 8.5Z", fill="clay")
            + svg.path("M-5-2.2L-1.6-.4L-4.4.6ZM5-2.2L1.6-.4L4.4.6Z", fill="ink")
        )
    if icon in (ICON_CHARYBDIS, ICON_SCYLLA):
        return disc + svg.group(svg.path(SPIRAL, line="board", width=2.1), turn=0 if icon == ICON_CHARYBDIS else 180)
    return disc


@cache
def trireme(hue):
    """A ship seen from the side, sailing right; the dot it stands on is its waterline."""
    oars = "".join(f"M{x} 6L{x - 4} 12" for x in (-9, -3, 3, 9))
    return (
        svg.path("M-21-6C-23 4-14 9-8 9H9C15 9 19 5 24 1L17-1C14 1 10 2 6 2H-9C-15 2-17-2-16-7Z", fill="ink", line="board", width=1.4)
        + svg.path(oars, line="ink", width=1.5)
        + svg.line(0, 2, 0, -33, ink="ink", width=2.2)
        + svg.path("M-15-30H15C19-22 19-12 15-3C6-6-6-6-15-3C-11-12-11-22-15-30Z", fill=f"seat{hue}", line="board", width=1.6)
        + svg.circle(17.2, 2.2, 1.4, fill="board")
        + svg.group(kit.mark(hue, 6.5, f"on{hue}"), at=(2, -17))
    )


def hydra():
    """The Hydra in the middle, black on terracotta: seven necks, all looking the way one sails."""
    neck = svg.path(
        "M-12-36C-42-64-40-106-9-124C0-131 13-132 21-127L40-117L23-115L37-106C27-100 16-101 9-108C-9-96-13-70 12-42Z", fill="on3"
    )
    crest = svg.path("M-16-119L-23-129L-8-125ZM-25-108L-35-114L-21-116ZM-30-94L-41-97L-29-103Z", fill="on3")
    tongue = svg.path("M25-111L42-111.5M42-111.5L47-115M42-111.5L47-108.5", line="on3", width=1.6)
    eye = svg.circle(13, -121, 3, fill="clay") + svg.circle(13.6, -121, 1.2, fill="on3")
    scales = svg.path("M-27-84Q-20-82-16-88M-29-70Q-20-68-15-74M-25-57Q-16-56-11-62M-22-98Q-14-95-10-100", line="clay", width=1.8)
    head = neck + crest + tongue + eye + scales
    edge = svg.circle(0, 0, 158, fill="clay", line="on3", width=3) + svg.circle(0, 0, 151, line="on3", width=1.4)
    tongues = svg.circle(0, 0, 144.5, line="on3", width=6.5, stroke_dasharray="3.03 6.05")
    coil = svg.circle(0, 0, 50, fill="on3") + svg.circle(0, 0, 44, line="clay", width=1.6, stroke_dasharray="4 3")
    first = f'<g id="hr-neck">{head}</g>'
    return edge + tongues + first + "".join(use("neck", turn=round(360 * k / 7, 1)) for k in range(1, 7)) + coil


def fleece_art():
    """The Golden Fleece."""
    curls = "M-10-6C-14-10-8-15-4-11C-2-16 5-16 6-11C11-14 15-8 11-5C16-2 13 4 10 5L8 11L4 8H-4L-8 11L-10 5C-15 3-15-4-10-6Z"
    return svg.path(curls, fill="gold", line="ink", width=1.4) + svg.path(
        "M-5-4q2.5-3 5 0M1 1q2.5-3 5 0M-6 3q2.5-3 5 0", line="ink", width=1.1
    )


def kind_art(kind):
    """The sign of a kind of Favor: boat, lightning bolt, trident."""
    if kind == BOAT:
        return svg.path("M-9 3H9L6 8H-6Z", fill="sea") + svg.path("M-.5-9V2M1-8C6-6 8-3 7 1H1Z", fill="sea", line="sea", width=1.2)
    if kind == TRIDENT:
        return svg.path("M0 10V-9M-6-8V-3C-6 1 6 1 6-3V-8", line="clay", width=2.4)
    return svg.path("M3-10L-6 2H0L-3 10L6-2H0Z", fill="gold", line="ink", width=1)


def _defs():
    named = {f"i{icon}": icon_art(icon) for icon in range(9)}
    for hue in range(4):
        named[f"s{hue}"] = trireme(hue)
    for kind in range(3):
        named[f"k{kind}"] = kind_art(kind)
    named["fish"] = svg.path(FISH, fill="sea") + svg.circle(-4.2, -1, 1.1, fill="board")
    named["left"] = svg.circle(0, 0, 11.5, fill="gold", line="board", width=1.6)
    named["log"] = svg.rect(-30, -10, 66, 20, fill="board", line="line", width=1.2, round=10)
    named["hole"] = svg.circle(0, 0, 12, fill="board", line="sea", width=1) + use("fish", also="faint")
    for value in range(1, 7):
        named[f"d{value}"] = kit.die(value, 46)
    for value in range(1, 4):
        named[f"n{value}"] = kit.die(value, 46, fill="sea-soft", edge="sea")
    named["back"] = kit.card_back(24, 32, fill="clay")
    return svg.thing("defs", "<defs>", *(f'<g id="hr-{name}">{drawing}</g>' for name, drawing in named.items()), "</defs>")


# ---- wedges ---------------------------------------------------------------------------------------------------------------------


class Way:
    """One line of a wedge: from (lane, twelfths) to (lane, twelfths), smooth like a railway switch."""

    def __init__(self, start, stop, label=-1, ends=(), passed=()):
        self.start, self.stop, self.label, self.ends = start, stop, label, ends
        self.around = start[0] == stop[0] and any(lane == start[0] and start[1] < angle < stop[1] for lane, angle in passed)

    def at(self, offset, share):
        """The point at a share of the way."""
        (lane, a), (other, b) = self.start, self.stop
        if lane == other and not self.around:
            return polar(LANE_AT[lane], bearing(offset, a + (b - a) * share))
        p = self.corners(offset)
        rest = 1 - share
        weights = (rest**3, 3 * rest**2 * share, 3 * rest * share**2, share**3)
        return tuple(sum(weight * point[axis] for weight, point in zip(weights, p, strict=True)) for axis in range(2))

    def corners(self, offset):
        (lane, a), (other, b) = self.start, self.stop
        bend = (a + b) / 2
        if self.around:  # inside round the dots of its lane that it does not touch
            places = ((0, a), (-24, a + (b - a) * 0.3), (-24, b - (b - a) * 0.3), (0, b))
            return [polar(LANE_AT[lane] + away, bearing(offset, angle)) for away, angle in places]
        return [polar(LANE_AT[one], bearing(offset, angle)) for one, angle in ((lane, a), (lane, bend), (other, bend), (other, b))]

    def drawn(self, offset, middle):
        """SVG's own language, relative to `middle`."""
        p = [(x - middle[0], y - middle[1]) for x, y in self.corners(offset)]
        start = f"M{p[0][0]:.0f} {p[0][1]:.0f}"
        if self.start[0] == self.stop[0] and not self.around:
            radius = LANE_AT[self.start[0]]
            return f"{start}A{radius} {radius} 0 0 1 {p[3][0]:.0f} {p[3][1]:.0f}"
        return start + "C" + " ".join(f"{x:.0f} {y:.0f}" for x, y in p[1:])


@cache
def ways(wedge):
    """All lines of a wedge: in from the seams, from dot to dot, out to the seams."""
    dots = COURSE[wedge].dots
    passed = [(dot.lane, dot.angle) for dot in dots]
    made = [Way((lane, 0), (dots[d].lane, dots[d].angle), ends=(("in", lane), d)) for lane, d in enumerate(COURSE[wedge].entries)]
    for d, dot in enumerate(dots):
        for label, target in dot.exits:
            stop = (target - MAX_DOTS, 12) if target >= MAX_DOTS else (dots[target].lane, dots[target].angle)
            made.append(Way((dot.lane, dot.angle), stop, label, (d, target), passed))
    return made


@cache
def bridges(wedge):
    """Where two lines cross without a dot: (the upper line, from, to) as shares of it (Q16)."""
    found, lines = [], ways(wedge)
    for k, one in enumerate(lines):
        for other in lines[k + 1 :]:
            if one.ends[0] == other.ends[0] or one.ends[1] == other.ends[1] or one.ends[1] == other.ends[0] or one.ends[0] == other.ends[1]:
                continue
            spread = [sorted((way.start[axis], way.stop[axis])) for way in (one, other) for axis in (0, 1)]
            if spread[0][1] < spread[2][0] or spread[2][1] < spread[0][0] or spread[1][1] <= spread[3][0] or spread[3][1] <= spread[1][0]:
                continue
            share = crossing([one.at(0, t / 10) for t in range(11)], [other.at(0, t / 10) for t in range(11)])
            if share is not None:
                found.append((other, share))
    return found


def crossing(one, other):
    """Where along `other` it is crossed by `one`, or None."""
    for a, b in pairwise(one):
        for k, (c, d) in enumerate(pairwise(other)):
            cross = (b[0] - a[0]) * (d[1] - c[1]) - (b[1] - a[1]) * (d[0] - c[0])
            if abs(cross) < 1e-9:
                continue
            t = ((c[0] - a[0]) * (d[1] - c[1]) - (c[1] - a[1]) * (d[0] - c[0])) / cross
            u = ((c[0] - a[0]) * (b[1] - a[1]) - (c[1] - a[1]) * (b[0] - a[0])) / cross
            if 0 <= t <= 1 and 0 <= u <= 1:
                return (k + u) / (len(other) - 1)
    return None


@cache
def roads(wedge, offset):
    """The lines of a wedge with bridges and the labels of whirlpools, relative to its middle."""
    middle, fill = heart(offset), "board" if wedge == START_WEDGE else "sea-soft"
    parts = [svg.path("".join(way.drawn(offset, middle) for way in ways(wedge)).replace(" -", "-"), line="sea", width=2.6)]
    for way, share in bridges(wedge):
        (x1, y1), (x2, y2) = way.at(offset, 0), way.at(offset, 1)
        reach = 8 / max(20, hypot(x2 - x1, y2 - y1))
        points = [way.at(offset, min(1, max(0, share + step * reach))) for step in (-2, -1, -0.5, 0.5, 1, 2)]
        points = [(round(x - middle[0], 1), round(y - middle[1], 1)) for x, y in points]
        parts.append(svg.line(*points[2], *points[3], ink=fill, width=10) + svg.curve(points, ink="sea", width=2.6))
    for way in ways(wedge):
        if way.label >= 0:
            x, y = label_at(wedge, way, offset)
            ink = "sea" if ICON[wedge][way.ends[0]] == ICON_CHARYBDIS else "clay"
            parts.append(svg.circle(round(x - middle[0]), round(y - middle[1]), 7, fill="board", line=ink, width=1.4))
            parts.append(svg.text(way.label, round(x - middle[0]), round(y - middle[1]), size=11.5, fill=ink, bold=True))
    return "".join(parts)


def label_at(wedge, way, offset):
    """Where the number of a whirlpool's path stands: on its line, as far from all dots as possible."""
    dots = [dot_at(wedge, d, offset) for d in range(len(COURSE[wedge].dots))]
    return max((way.at(offset, share) for share in (0.52, 0.42, 0.62)), key=lambda at: min(hypot(at[0] - x, at[1] - y) for x, y in dots))


def slice_of_ring(offset, **paint):
    """The outline of a wedge, relative to its middle."""
    middle = heart(offset)
    corners = [polar(radius, bearing(offset, side)) for radius, side in ((OUTER, 0.12), (OUTER, 11.88), (INNER, 11.76), (INNER, 0.24))]
    a, b, c, d = [f"{x - middle[0]:.0f} {y - middle[1]:.0f}" for x, y in corners]
    return svg.path(f"M{a}A{OUTER} {OUTER} 0 0 1 {b}L{c}A{INNER} {INNER} 0 0 0 {d}Z".replace(" -", "-"), **paint)


@cache
def wedge_art(wedge, offset):
    """A wedge with everything printed on it, except the dots."""
    start = wedge == START_WEDGE
    outline = slice_of_ring(offset, fill="board" if start else "sea-soft", line="sea", width=1, also="low-shadow")
    stripes = ""
    if start:
        squares = [f"M{-9 * (k % 2)} {HEART - OUTER + 5 + 9 * k}h9v9h-9Z" for k in range(20)]
        stripes = svg.group(svg.path("".join(squares), fill="ink"), turn=30 * offset)
    return outline + stripes + roads(wedge, offset)


@cache
def small_wedge(wedge):
    """A wedge as it lies on a board: upright, dots and all, without ids."""
    x, y = heart(0)
    dots = "".join(
        use(f"i{ICON[wedge][d]}", (round(a - x), round(b - y))) for d in range(len(COURSE[wedge].dots)) for a, b in [dot_at(wedge, d, 0)]
    )
    return wedge_art(wedge, 0) + dots


@cache
def piece(wedge, offset, height):
    """A wedge of the course with its dots; a pile's height on the rim (R27)."""
    x, y = heart(offset)
    dots = []
    for d in range(len(COURSE[wedge].dots)):
        a, b = dot_at(wedge, d, offset)
        dots.append(f'<use id="dot-{offset}-{d}" href="#hr-i{ICON[wedge][d]}" x="{a - x:.0f}" y="{b - y:.0f}"/>')
    if wedge == START_WEDGE:
        for lane in range(LANES):
            a, b = dot_at(wedge, START_DOT[lane], offset)
            dots.append(svg.text(UPPER[lane], round(a - x), round(b - y), size=13, bold=True, also="landing"))
    badge = ""
    if height > 1 and wedge != START_WEDGE:
        a, b = polar(OUTER - 5, 30 * offset)
        badge = svg.circle(round(a - x), round(b - y), 9.5, fill="ink") + svg.text(
            height, round(a - x), round(b - y), size=13, fill="board", bold=True
        )
    return svg.thing(f"piece-{wedge}", wedge_art(wedge, offset), *dots, badge, at=(round(x, 1), round(y, 1)), motion="still")


LINE_GIFTS = [f"{LINE_FISH} fish"] * (LINE_FISH > 0) + ["a wedge"] + ["a Favor"] * (FAVOR_LIMIT > 0)
ICON_WORDS = (
    ("open water", "Costs 1 movement like every dot.", "R30"),
    ("fish", f"Take 1 fish; your board holds {MAX_FISH}.", "R42"),
    (
        "Favor",
        f"Draw a Favor face down, at most {FAVOR_LIMIT} a turn; it is revealed when your movement is over."
        if FAVOR_LIMIT
        else "No Favors are drawn in this game.",
        "R43",
    ),
    ("wedge", "Take the top wedge of the stack and place it at the start of your next turn.", "R44"),
    ("boost", f"Sail {BOOST_DOTS} further.", "R45"),
    (
        "Hydra",
        "Feed it 1 fish, or lose the rest of your movement."
        + " The first dots of a turn are protected by the Navigation die." * (PROTECTION > 0),
        "R51",
    ),
    ("Charybdis", "Leave by a path whose number is on one of your dice; faces count, the Fleece does not double them here.", "R47"),
    ("Scylla", "Leave by the path you pay for: 0, 1 or 2 fish.", "R49"),
    ("start dot", f"Landing here or crossing completes a lap and gives {' and '.join(', '.join(LINE_GIFTS).rsplit(', ', 1))}.", "R46"),
)


@cache
def piece_cards(wedge, offset, height):
    """Hover cards of a wedge and its dots."""
    counts = "only the top one counts" if WEDGES_COVER else "only the lowest one counts"
    pile = f" {height} wedges lie here, {counts}." if height > 1 and wedge != START_WEDGE else ""
    words = "Nothing is ever placed on it." if wedge == START_WEDGE else f"Place {offset} after the line.{pile}"
    cards = {f"piece-{wedge}": Card(WEDGE_NAMES[wedge], words, "R25" if wedge == START_WEDGE else "R27")}
    for d, dot in enumerate(COURSE[wedge].dots):
        name, words, rule = ICON_WORDS[ICON[wedge][d]]
        cards[f"dot-{offset}-{d}"] = Card(f"{WEDGE_NAMES[wedge]} {dot.name}: {name}", words, rule)
    return cards


# ---- how far a ship gets ---------------------------------------------------------------------------------------------------------


class Reach:
    """Where a ship can get: `ends` for each movement, `battles` at Hydras, `cost` of each dot, `safe` the protected ones."""

    def __init__(self):
        self.ends, self.battles, self.cost, self.safe = [], set(), {}, set()


@lru_cache(256)
def reach(top, others, start, first, dice, fish, moved, totals, protection, restricted):
    """Every way on from `start` (a place; `first` = the only exit to take, -1: any), for several amounts of movement left.

    One wave a dot: a ship is known by place, boosts met, fish, and the movement it needed to get there (who has less stops before a
    boost that would carry it on). `protection` = the last protected dot of the turn. Favors are left
    out. With `restricted` skipped whirlpools keep their rule (Q18).
    """
    found = Reach()
    found.ends = [set() for _ in totals]
    wave = {(start, 0, fish, 0)}
    step, most = 0, max(totals)
    while wave and step < 60:
        step += 1
        landed = set()
        for place, boosts, fish_, needed in wave:
            needed = max(needed, step - BOOST * boosts)
            todo = [(place, fish_, first if step == 1 else -1, False)]
            while todo:
                here, have, only, skipping = todo.pop()
                slot, dot = divmod(here, MAX_DOTS)
                wedge = top[slot]
                icon = ICON[wedge][dot]
                for e, (label, target) in enumerate(WAYS_OUT[wedge][dot]):
                    if only >= 0:
                        if e != only % 4:
                            continue
                        ruled = only < 4
                    else:
                        ruled = not skipping or restricted
                    rest = have
                    if ruled and icon == ICON_CHARYBDIS and only < 0 and label not in dice:
                        continue
                    if ruled and icon == ICON_SCYLLA:
                        if label > have:
                            continue
                        rest = have - label
                    if target >= MAX_DOTS:
                        next_slot = (slot + 1) % RING_SLOTS
                        target = ENTRY[top[next_slot]][target - MAX_DOTS]
                    else:
                        next_slot = slot
                    goal = next_slot * MAX_DOTS + target
                    met = ICON[top[next_slot]][target]
                    if met == ICON_START:
                        rest = min(MAX_FISH, rest + LINE_FISH)
                    if goal in others:
                        todo.append((goal, rest, -1, True))
                        continue
                    if met == ICON_FISH:
                        rest = min(MAX_FISH, rest + 1)
                    found.cost.setdefault(goal, step)
                    if moved + step <= protection:
                        found.safe.add(goal)
                    elif met == ICON_HYDRA:
                        if not rest:
                            found.battles.add(goal)
                            for total, ends in zip(totals, found.ends, strict=True):
                                if needed <= total:
                                    ends.add(goal)
                            continue
                        rest -= 1
                    landed.add((goal, boosts + (met == ICON_BOOST), rest, needed))
        wave = set()
        for state in landed:
            for total, ends in zip(totals, found.ends, strict=True):
                if step == total + BOOST * state[1] and state[3] <= total:
                    ends.add(state[0])
            if step < most + BOOST * state[1]:
                wave.add(state)
    return found


# ---- the position in plain numbers ------------------------------------------------------------------------------------------------


def read(view):
    """The state as lists and ints."""
    s = view.state
    names = ("top", "height", "stack", "hand", "slots", "fish", "pos", "wake", "laps", "nav", "d1", "d2", "bust", "rank")
    t = SimpleNamespace(**{name: getattr(s, name).tolist() for name in names})
    singles = ("phase", "round", "turn", "fleece", "final", "start_slot", "stack_n", "deck_n", "face_n", "pend", "gaia", "move", "moved")
    for name in (*singles, "prot", "cur", "flags", "race", "skip_whirlpool", "hydra_count", "rank_in_wedge", "disc"):
        setattr(t, name, int(getattr(s, name)))
    t.players, t.mover = view.players, view.to_move
    return t


def offset_of(t, slot):
    """How many places after the line a slot lies."""
    return (slot - t.start_slot) % RING_SLOTS


def place_at(t, place):
    """Where a dot of the course is drawn."""
    slot, dot = divmod(place, MAX_DOTS)
    return dot_at(t.top[slot], dot, offset_of(t, slot))


def standing(t, p):
    """R55, R57, Q39: the key by which ships are ranked."""
    slot, dot = divmod(t.pos[p], MAX_DOTS)
    wedge = t.top[slot]
    offset = RING_SLOTS if PRE_LINE[wedge][dot] else offset_of(t, slot)
    inner, angle = 3 - LANE[wedge][dot], ANGLE[wedge][dot]
    return (t.laps[p], offset, angle, inner) if t.rank_in_wedge == BY_ANGLE else (t.laps[p], offset, inner, angle)


def ranking(t):
    """The place of each player, 0 for the leader; None before all ships are on the course."""
    if NONE in t.pos[: t.players]:
        return None
    keys = [standing(t, p) for p in range(t.players)]
    return [sum(other > key for other in keys) for key in keys]


def counting(t, p):
    """The Movement dice on a board that count: none while a bust is still to be accepted (R19)."""
    return () if 0 < t.d2[p] < t.d1[p] else tuple(die for die in (t.d1[p], t.d2[p]) if die)


def navigation(t, p):
    """R11: what the Navigation die is worth."""
    return t.nav[p] * (2 if t.fleece == p else 1)


def slowed(t, p):
    """Q32: how much shorter Aeolus makes the voyage for which the dice lie on a board."""
    place = (p - t.fleece) % t.players
    sailed = t.phase > VALUE and (place < t.turn or (place == t.turn and t.phase != WEDGE))
    return 0 if sailed else sum(PARAMETER[card] for card in t.slots[p] if card != NONE and EFFECT[card] == SLOW)


def movement(t, p, dice=None):
    """R21, Q32: how far a ship sails with the dice on its board, or with these Movement dice."""
    slow = slowed(t, p)
    total = navigation(t, p) + sum(counting(t, p) if dice is None else dice)
    return max(1, total - slow) if slow else total


def last_harmless(t, p):
    """R53, Q23: the last dot of the turn on which Hydras are ignored, 0 for none; curses included."""
    sailing = p == t.mover and t.phase in (MOVE, HYDRA, ENDWIN)
    if t.flags & NOPROT if sailing else NO_PROTECT in (EFFECT[card] for card in t.slots[p] if card != NONE):
        return 0
    return (t.prot if sailing else PROTECTION * navigation(t, p)) + (t.hydra_count == BEFORE)


def fork(t):
    """The dot whose exits are in question, its icon, whether its path rule holds, and (exit, label, open, goal, occupied) of each exit."""
    here = t.cur if t.flags & SKIP else t.pos[t.mover]
    slot, dot = divmod(here, MAX_DOTS)
    wedge = t.top[slot]
    icon = ICON[wedge][dot]
    ruled = icon in (ICON_CHARYBDIS, ICON_SCYLLA) and not t.flags & FREE and not (t.flags & SKIP and t.skip_whirlpool == SKIPPED_FREE)
    others = {t.pos[p] for p in range(t.players) if p != t.mover}
    dice = (t.nav[t.mover], t.d1[t.mover], t.d2[t.mover])
    found = []
    for e, (label, target) in enumerate(WAYS_OUT[wedge][dot]):
        goal = slot * MAX_DOTS + target
        if target >= MAX_DOTS:
            after = (slot + 1) % RING_SLOTS
            goal = after * MAX_DOTS + ENTRY[t.top[after]][target - MAX_DOTS]
        fits = not ruled or (label in dice if icon == ICON_CHARYBDIS else label <= t.fish[t.mover])
        found.append((e, label, fits, goal, goal in others))
    return here, icon, ruled, found


def reach_of(t, p, totals, first=-1, dice=None):
    """`reach` for the position, from where the ship is; `totals` as `movement` gives them."""
    sailing = t.phase == MOVE and p == t.mover
    start = t.cur if sailing and t.flags & SKIP else t.pos[p]
    others = frozenset(t.pos[q] for q in range(t.players) if q != p)
    dice = dice or (t.nav[p], t.d1[p], t.d2[p])
    restricted = t.skip_whirlpool != SKIPPED_FREE
    moved, safe = t.moved if sailing else 0, last_harmless(t, p)
    return reach(tuple(t.top), others, start, first, dice, t.fish[p], moved, tuple(totals), safe, restricted)


# ---- things -----------------------------------------------------------------------------------------------------------------------


DEFS = _defs()


def _sea():
    """The table of water under the wedges, and the dial that counts the places from the line."""
    dial = "".join(
        svg.text(k or "★", round((INNER - 10) * sin(k * pi / 6)), round(-(INNER - 10) * cos(k * pi / 6)), size=15, fill="on0", bold=True)
        for k in range(RING_SLOTS)
    )
    arrows = []
    for k in range(RING_SLOTS):
        points = [polar(INNER - 10 + away, 30 * k + 15 + ahead) for away, ahead in ((0, 2.2), (5, -1.6), (-5, -1.6))]
        arrows.append("M" + "L".join(f"{x - MIDDLE[0]:.0f} {y - MIDDLE[1]:.0f}" for x, y in points) + "Z")
    dial += svg.path("".join(arrows), fill="clay")
    edge = svg.circle(0, 0, OUTER + 4, fill="board", line="sea", width=3, also="soft-shadow")
    return svg.thing("sea", edge, svg.circle(0, 0, INNER, fill="on3"), dial, at=MIDDLE)


SEA = _sea()
MONSTER = svg.thing("hydra", svg.group(hydra(), scale=0.91), at=MIDDLE)


def _parked():
    """What only steps bring in: die faces, the movement left, and small labels."""
    parked = [svg.thing(f"navface-{n}", use(f"n{n}"), at=PARK, motion="still") for n in (1, 2, 3)]
    parked += [svg.thing(f"face-{n}", use(f"d{n}"), at=PARK, motion="still") for n in range(1, 7)]
    for n in range(MOST_LEFT + 1):
        parked.append(svg.thing(f"left-{n}", use("left"), svg.text(n, size=14, fill="on3", bold=True), at=PARK, motion="still"))
    for n in range(MOST_SAILED + 1):  # "3 of 9" is the plate "of 9" with a 3 on it
        parked.append(svg.thing(f"of-{n}", use("log"), svg.text(f"of {n}", *OF_AT, size=14, align="start"), at=PARK, motion="still"))
        parked.append(svg.thing(f"sailed-{n}", svg.text(n, *SAILED_AT, size=14, align="end", bold=True), at=PARK, motion="still"))
    for name, words in NOTES.items():
        parked.append(svg.thing(f"note-{name}", kit.label(words, size=17), at=PARK, motion="still"))
    return tuple(parked)


PARKED = _parked()


@cache
def round_sign(number):
    disc = svg.circle(0, 0, 37, fill="board")
    words = svg.text("round", 0, -16, size=14, fill="muted") + svg.text(number or "–", 0, 8, size=31, serif=True, bold=True)
    return svg.thing("round", disc, words, at=MIDDLE)


@cache
def banner(first, second):
    """Across the Hydra: the last round, or who won."""
    body = svg.rect(-108, -27, 216, 54, fill="gold", line="on3", width=2, round=16, also="low-shadow")
    words = svg.text(first, 0, -11, size=20, fill="on3", serif=True, bold=True) + svg.text(second, 0, 12, size=17, fill="on3")
    return svg.thing("banner", body, words, at=(MIDDLE[0], MIDDLE[1] + 88), also="landing")


@cache
def stack_thing(count):
    top = svg.path("M-30-16A120 120 0 0 1 30-16L19 22A70 70 0 0 0-19 22Z", fill="sea", line="board", width=2)
    art = kit.stack(count, top, depth=3) + (svg.text(count, 0, 1, size=23, fill="board", bold=True) if count else "")
    empty = svg.path("M-30-16A120 120 0 0 1 30-16L19 22A70 70 0 0 0-19 22Z", line="stone", width=1.5, also="dashed")
    return svg.thing("stack", art or empty, svg.text("wedges", 0, 48, size=15, fill="muted"), at=STACK_AT)


@cache
def deck_thing(count):
    layer = svg.rect(-25, -32, 50, 64, fill="clay", line="felt", width=1, round=5)
    art = kit.stack(count, kit.card_back(50, 64, fill="clay", sign=" "), layer=layer)
    art += svg.circle(0, 0, 17, fill="board") + svg.text(count, size=20, bold=True)
    return svg.thing("deck", art, svg.text("Favors", 0, 52, size=15, fill="muted"), at=DECK_AT)


@cache
def discard_thing(count):
    frame = svg.rect(
        -25, -32, 50, 64, fill="stone-soft" if count else "none", line="stone", width=1.5, round=5, also="" if count else "dashed"
    )
    body = svg.text(count, size=20, fill="ink" if count else "muted", bold=True)
    return svg.thing("discard", frame, body, svg.text("discards", 0, 46, size=15, fill="muted"), at=DISCARD_AT)


@svg.memo
def order_thing(order, turn, rolling):
    """The order of turns: those who had theirs are ticked, the one now is ringed."""
    parts = [svg.text("rolling" if rolling else "sailing", 0, -52 if len(order) > 2 else -30, size=15, fill="muted")]
    for k, hue in enumerate(order):
        y = -28 + k * 24 if len(order) > 2 else -6 + k * 26
        now = k == turn
        if now:
            parts.append(svg.rect(-30, y - 12, 60, 24, fill=f"seat{hue}-soft", line=f"seat{hue}", width=2, round=12))
        parts.append(svg.text(f"{k + 1}.", -14, y, size=15, fill="ink" if now else "muted", bold=now))
        parts.append(svg.group(kit.mark(hue, 8), at=(10, y), also="" if k >= turn else "half"))
        if k < turn:
            parts.append(svg.text("✓", 26, y, size=14, fill="muted"))
    return svg.thing("order", *parts, at=ORDER_AT)


@svg.memo
def ship(hue, at, left_going, rank, moving, sailed, log):
    """A trireme on its dot, with its rank and, while it sails, the movement left and the dots sailed: "3 of 9"."""
    body = use(f"s{hue}")
    body = f'<g transform="scale(-1 1)">{body}</g>' if left_going else body
    badge = ""
    if rank is not None:
        badge = svg.circle(18, -31, 8.5, fill="board", line="ink", width=1.4) + svg.text(rank + 1, 18, -31, size=13, bold=True)
    count = "" if moving is None else svg.group(use("left"), svg.text(moving, size=14, fill="on3", bold=True), at=(-19, -31))
    if moving is not None:
        words = svg.text(sailed, *SAILED_AT, size=14, align="end", bold=True) + svg.text(
            f"of {sailed + moving}", *OF_AT, size=14, align="start"
        )
        count += svg.group(use("log"), words, at=log)
    target = svg.circle(0, -10, 24, also="target")
    return svg.thing(f"ship-{hue}", target, body, badge, count, at=at)


def own_board(hue, name, place, race, active, total, words, fleece):
    """The large board: name, lap track, fish holes, dice places, Favor slots. Its things are laid on top."""
    body = [
        svg.rect(
            0,
            0,
            704,
            OWN_TALL,
            fill="board",
            line=f"seat{hue}" if active else "line",
            width=3 if active else 1.5,
            round=14,
            also="low-shadow",
        )
    ]
    body.append(svg.path("M14 0H690A14 14 0 0 1 704 14V36H0V14A14 14 0 0 1 14 0Z", fill=f"seat{hue}-soft"))
    body.append(svg.group(kit.mark(hue, 10), at=(22, 19)))
    body.append(svg.text(name, 40, 19, size=20, align="start", serif=True, bold=True))
    if place is not None:
        body.append(svg.text(PLACES[place], 114, 19, size=17, align="start", fill="ink"))
    left = 278 - 36 * race
    body.append(svg.line(left, 19, 278, 19, ink="stone", width=2))
    for lap in range(race + 1):
        body.append(svg.circle(left + 36 * lap, 19, 12, fill="board", line="stone", width=1.5))
        body.append(svg.text(lap or "S", left + 36 * lap, 19, size=14, fill="muted"))
    for k in range(MAX_FISH):
        body.append(use("hole", (336 + OWN_FISH_STEP * k, 19), scale=1.15))
    for x, title in ((46, "navigation"), (138, "first"), (194, "second")):
        body.append(svg.rect(x - 23, 40, 46, 46, fill="felt", round=9))
        body.append(svg.text(title, x, 93, size=14, fill="muted"))
    if fleece:
        body.append(svg.text("×2", 92, 79, size=17, bold=True))
    if total is not None:
        body.append(svg.text(f"= {total}", 256, 63, size=30, serif=True, bold=True))
        body.append(svg.text("to sail", 257, 93, size=14, fill="muted"))
    body += [svg.rect(405 + 147 * k, 42, 142, 118, line="stone", width=1.3, round=9, also="dashed") for k in range(2)]
    for k, line in enumerate(words):
        body.append(svg.text(line, 16, 121 + 23 * k, size=17, fill="muted", align="start"))
    return body


def other_board(hue, name, place, race, active, total, width, fleece):
    """A smaller board for another player; a wide one has everything in one row."""
    wide = width > 600
    row = 64 if wide else 49
    body = [
        svg.rect(
            0,
            0,
            width,
            OTHER_TALL,
            fill="board",
            line=f"seat{hue}" if active else "line",
            width=3 if active else 1.5,
            round=12,
            also="low-shadow",
        )
    ]
    body.append(svg.path(f"M12 0H{width - 12:.1f}A12 12 0 0 1 {width:.1f} 12V31H0V12A12 12 0 0 1 12 0Z", fill=f"seat{hue}-soft"))
    body.append(svg.group(kit.mark(hue, 8), at=(17, 17)))
    body.append(svg.text(name, 31, 17, size=17, align="start", serif=True, bold=True))
    if place is not None:
        body.append(svg.text(PLACES[place], 87, 17, size=15, align="start"))
    left = width - 18 - LAP_STEP * race
    body.append(svg.line(left, 17, width - 18, 17, ink="stone", width=1.6))
    for lap in range(race + 1):
        body.append(svg.circle(left + LAP_STEP * lap, 17, 8.5, fill="board", line="stone", width=1.2))
        body.append(svg.text(lap or "S", left + LAP_STEP * lap, 17, size=11, fill="muted"))
    for k in range(MAX_FISH):
        body.append(use("hole", (width - 57 + FISH_STEP * k, row), scale=0.85))
    body += [svg.rect(x - 15, row - 15, 30, 30, fill="felt", round=6) for x in (21, 80, 112)]
    if fleece:
        body.append(svg.text("×2", 50.5, row, size=15, bold=True))
    if total is not None:
        body.append(svg.text(total, 145, row + 1, size=22, serif=True, bold=True))
    places = [(250 + 92 * k, row) if wide else (46 + 82 * k, 82) for k in range(2)]
    body += [svg.rect(x - 39, y - 11.5, 78, 23, line="stone", width=1, round=6, also="dashed") for x, y in places]
    return body


@cache
def wrapped(words, most):
    """Words in lines of at most `most` letters."""
    lines = [""]
    for word in words.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > most:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


@svg.memo
def favor(card, size, at):
    """A Favor: small on the boards of others, with its words on one's own, large when it has just been revealed."""
    kind = KIND[card]
    curse = kind == TRIDENT
    fill, edge = ("clay-soft", "clay") if curse else ("board", "sea")
    if size == "small":
        body = svg.rect(-39, -11.5, 78, 23, fill=fill, line=edge, width=1.5, round=6)
        body += svg.text(
            CARD_NAMES[card], 0, 0.5, size=13.5 if len(CARD_NAMES[card]) < 9 else 11.8, fill="clay" if curse else "ink", bold=True
        )
    else:
        big = size == "large"
        w, h = (190, 132) if big else (142, 118)
        body = svg.rect(-w / 2, -h / 2, w, h, fill=fill, line=edge, width=2, round=9, also="low-shadow" if big else "")
        body += svg.group(use(f"k{kind}"), at=(-w / 2 + 17, -h / 2 + 18), scale=1.2 if big else 1)
        body += svg.text(CARD_NAMES[card], 10, -h / 2 + 18, size=20 if big else 16, fill="clay" if curse else "ink", serif=True, bold=True)
        lines, step = wrapped(CARD_TEXTS[card], 21 if big else 18), 19 if big else 16
        for k, words in enumerate(lines):
            body += svg.text(words, 0, -h / 2 + (50 if big else 43) + k * step, size=15 if big else 13.5, fill="ink")
        if big:
            body += svg.text(KIND_FEET[kind], 0, h / 2 - 18, size=15, fill="muted")
    return svg.thing(f"card-{card}", body, at=at, come="deck", go="discard", motion="flip" if size == "large" else "")


@svg.memo
def button(id, words, x, width, strong, odds):
    """A button under the dice; the chance, which can be switched off, is its second line."""
    _, top, _, tall = BUTTONS
    shape = svg.rect(0, 0, width, tall, fill="gold-soft" if strong else "board", line="line", round=20)
    lines = svg.text(words, width / 2, 19 if odds else tall / 2 + 1, size=BUTTON_SIZE, bold=True)
    if odds:
        lines += svg.text(odds, width / 2, 39, size=16, fill="sea", bold=True, also="odds")
    return svg.thing(id, shape, lines, at=(x, top))


# ---- the picture ------------------------------------------------------------------------------------------------------------------


def scene(view, seat):
    t = read(view)
    base = 0 if seat is None else seat
    rank = ranking(t)
    mine = seat is not None and seat == t.mover
    cards = dict(STANDING_CARDS)
    t.voyage = voyage(t) if t.phase == MOVE else None
    tags, log = places_for_words(t)
    things = [DEFS, SEA, MONSTER, round_sign(t.round), stack_thing(t.stack_n), deck_thing(t.deck_n), discard_thing(t.disc.bit_count())]
    if t.fleece != NONE:
        rolling = NAV <= t.phase <= VALUE
        things.append(
            order_thing(tuple((t.fleece + k) % t.players for k in range(t.players)), t.players if t.phase == OVER else t.turn, rolling)
        )
        cards["order"] = ORDER_CARD
    for slot, wedge in enumerate(t.top):
        things.append(piece(wedge, offset_of(t, slot), t.height[slot]))
        cards.update(piece_cards(wedge, offset_of(t, slot), t.height[slot]))
    things += hints(t, mine)
    for p in range(t.players):
        things += board(view, t, p, base, rank, cards)
    things += ships(view, t, rank, log, cards)
    things += choices(view, t, base, mine, tags, cards)
    things += PARKED
    stack_cards(t, cards)
    plates = [plate(t, p, rank) for p in range(t.players)]
    return Scene(WIDTH, HEIGHT, things, title=describe(view, t), cards=cards, plates=plates)


def describe(view, t):
    if view.over:
        return f"Hydra Regatta: {kit.name(view, t.rank[0])} has won."
    leader = ranking(t)
    ahead = f", {kit.name(view, leader.index(0))} is in the lead" if leader else ""
    return f"Hydra Regatta, round {t.round}{ahead}, {kit.name(view, t.mover)} to move."


def plate(t, p, rank):
    """Goods in words, readable without the picture."""
    lines = [f"lap {t.laps[p]} of {t.race}" + (f" · {PLACES[rank[p]]}" if rank else "")]
    held = [CARD_NAMES[card] for card in t.slots[p] if card != NONE]
    lines.append(f"{t.fish[p]} fish" + (f" · {', '.join(held)}" if held else ""))
    badge = "Golden Fleece" if t.fleece == p else "bust" if t.bust[p] else ""
    return Plate(tuple(lines), badge)


def board(view, t, p, base, rank, cards):
    """A player's board and everything on it."""
    sailing = p == t.mover and t.phase in (MOVE, HYDRA, ENDWIN)
    total = None
    if t.phase not in (SETUP, OVER) and (t.nav[p] or t.bust[p]):
        total = t.move if sailing else movement(t, p)
    things, words = laid_board(
        *(p, base, t.players, kit.name(view, p), rank[p] if rank else None, t.race, t.laps[p], p in (t.mover, t.rank[0]), total),
        *(account(t, p) if total is not None and p == base else (), (t.nav[p], t.d1[p], t.d2[p]), t.bust[p], t.round, t.fleece == p),
        *(t.fish[p], tuple(t.slots[p]), tuple(t.hand[p]), t.face_n if t.fleece != NONE and p == (t.fleece + t.turn) % t.players else 0),
    )
    cards.update(words)
    return things


@svg.memo
def laid_board(
    p, base, players, name, place, race, laps, active, total, account, dice, bust, round_, fleece, fish, slots, hand, down
):  # fmt: skip
    """The things of a board and their cards; most boards are the same from one position to the next."""
    own, cards = p == base, {}
    x, y, width = seats(players, base)[p]
    if own:
        body = own_board(p, name, place, race, active, total, account, fleece)
    else:
        body = other_board(p, name, place, race, active, total, width, fleece)
    things = [svg.thing(f"board-{p}", *body, at=(x, y))]
    curse = next((CARD_NAMES[card] for card in slots if card != NONE and KIND[card] == TRIDENT), "")
    words = "" if place is None else f"{PLACES[place]} in the race, "
    words += f"{laps} of {race} lap{'s' * (race != 1)} completed, {fish} fish." + (f" Cursed by {curse}." if curse else "")
    cards[f"board-{p}"] = Card(f"{name}'s board", words, "R5")

    def at(what, index=0):
        return spot(players, base, p, what, index)

    things.append(svg.thing(f"lap-{p}", kit.token(p, 12 if own else 9.5), at=at("lap", max(0, race - laps))))
    cards[f"lap-{p}"] = Card(f"{name}'s lap marker", "Landing on the Starting Line already counts as crossing it.", "R46")
    for what, value in zip(("nav", "first", "second"), dice, strict=True):
        if value:
            drawing = use(f"{'n' if what == 'nav' else 'd'}{value}", scale=1 if own else 30 / 46)
            things.append(svg.thing(f"{what}-{p}", drawing, at=at(what), again=f"{round_}:{value}"))
            cards[f"{what}-{p}"] = DICE_CARDS[what]
    if bust:
        sign = kit.label("bust", size=18 if own else 15, fill="clay-soft", ink="clay")
        things.append(svg.thing(f"bust-{p}", sign, at=((at("first")[0] + at("second")[0]) / 2, at("first")[1])))
        cards[f"bust-{p}"] = BUST_CARD
    if fleece:
        things.append(svg.thing("fleece", svg.group(fleece_art(), scale=1 if own else 0.7), at=at("fleece")))
        cards["fleece"] = FLEECE_CARD
    for k in range(fish):
        drawing = use("fish", scale=1.15 if own else 0.85)
        things.append(svg.thing(f"fish-{p}-{k}", drawing, at=at("fish", k), come=f"ship-{p}"))
        cards[f"fish-{p}-{k}"] = FISH_CARD
    for k, card in enumerate(slots):
        if card != NONE:
            things.append(favor(card, "middle" if own else "small", at("card", k)))
            cards[f"card-{card}"] = FAVOR_CARDS[card]
    for k, wedge in enumerate(hand):
        if wedge != NONE:
            things.append(hand_wedge(wedge, at("wedge", k), 0.28 if own else 0.17))
            cards[f"piece-{wedge}"] = Card(f"{WEDGE_NAMES[wedge]}, to be placed", f"{name} places it at the start of the next turn.", "R23")
    for k in range(down):
        things.append(
            svg.thing(f"down-{k}", use("back", scale=1 if own else 0.8 if width > 600 else 0.62), at=at("down", k), come="deck", go="deck")
        )
        cards[f"down-{k}"] = Card("Favor, face down", "Nobody has seen it; it is revealed when the movement is over.", "R37")
    return things, cards


@svg.memo
def hand_wedge(wedge, at, scale):
    return svg.thing(f"piece-{wedge}", small_wedge(wedge), at=at, scale=scale, come="stack")


def account(t, p):
    """How the movement comes about, in lines."""
    if t.phase in (MOVE, HYDRA, ENDWIN) and p == t.mover:
        last = last_harmless(t, p)
        shield = (f"Hydras harmless up to dot {last}",) if last >= t.moved and last else ()
        return (f"{t.moved} sailed, {t.move} to go", *shield)
    parts = [f"2 × {t.nav[p]}" if t.fleece == p else str(t.nav[p])] + [str(die) for die in counting(t, p)]
    slow, total = slowed(t, p), movement(t, p)
    less = f" − {slow}" if slow else ""
    least = navigation(t, p) + sum(counting(t, p)) - slow < total  # Q32: one dot remains
    words = f"{' + '.join(parts)}{less}{', but at least' if least else ' ='} {dots(total)} to sail"
    return (words,) if len(parts) > 1 or t.fleece == p or slow else ()


def dots(count):
    """So many dots, in words."""
    return f"{count} dot{'s' * (count != 1)}"


def stack_cards(t, cards):
    """What lies in the stack and in the discard pile."""
    known = {t.stack[k] for k in range(len(t.stack) - t.stack_n)}
    left = [WEDGE_NAMES[wedge] for wedge in content.UNMARKED.tolist() if wedge not in known]
    cards["stack"] = Card(
        "Wedge stack", f"To come: {', '.join(left)}." if left else "It is empty: no more wedges are drawn.", "R44" if left else "Q13"
    )
    names = [CARD_NAMES[card] for card in range(len(CARD_NAMES)) if t.disc >> card & 1]
    counted = dict.fromkeys(names, 0)
    for name in names:
        counted[name] += 1
    words = ", ".join(name if count == 1 else f"{name} twice" if count == 2 else f"{name} {count} times" for name, count in counted.items())
    cards["discard"] = Card("Discarded Favors", f"{words}." if words else "Nothing yet.", "R41")
    left = f"{t.deck_n} card{'s' * (t.deck_n != 1)}"
    cards["deck"] = Card("Favor deck", f"{left}, drawn face down; when it is empty the discards are shuffled.", "R43")


def ships(view, t, rank, log, cards):
    """The ships with their wakes and trails; `log` = where the one that sails says how far."""
    things = []
    if t.phase == SETUP:
        things.append(QUAY)
    for p in range(t.players):
        if t.pos[p] != NONE and t.wake[p] != t.pos[p]:
            things.append(svg.thing(f"wake-{p}", wake_art(p, polar_of(t, t.wake[p]), polar_of(t, t.pos[p])), also="landing"))
    for p, places in trails(t, view.events).items():
        if len(places) > 1 and t.wake[p] == t.pos[p]:
            points = [place_at(t, place) for place in places]
            things.append(
                svg.thing(f"trail-{p}", svg.curve(points, ink=f"seat{p}", width=4, stroke_dasharray="0.1 9"), also="landing half")
            )
    for p in sorted(range(t.players), key=lambda one: ship_at(t, one)[1]):
        x, y = ship_at(t, p)
        moving = t.move if p == t.mover and t.phase in (MOVE, HYDRA, ENDWIN) else None
        at, left_going, sailed = (round(x, 1), round(y, 1)), t.pos[p] != NONE and y > MIDDLE[1], 0 if moving is None else t.moved
        things.append(ship(p, at, left_going, rank[p] if rank else None, moving, sailed, log))
        cards[f"ship-{p}"] = Card(f"{kit.name(view, p)}'s ship", rank_words(t, p, rank), "R57")
    return things


def ship_at(t, p):
    """On its dot, above the ship it is just passing, or waiting at the quay."""
    if p == t.mover and t.phase == MOVE and t.flags & SKIP:
        x, y = place_at(t, t.cur)
        return (x, y - PASSING)
    if t.pos[p] != NONE:
        return place_at(t, t.pos[p])
    return (MIDDLE[0] + (p - (t.players - 1) / 2) * 58, MIDDLE[1] + 94)


def rank_words(t, p, rank):
    if rank is None:
        return "It waits to be placed on the Starting Line."
    slot, dot = divmod(t.pos[p], MAX_DOTS)
    words = f"{PLACES[rank[p]]}: lap {t.laps[p]}, place {offset_of(t, slot)}, lane {UPPER[LANE[t.top[slot]][dot]]}."
    return words + " On the same wedge the " + ("dot further clockwise" if t.rank_in_wedge == BY_ANGLE else "inner lane") + " is ahead."


def polar_of(t, place):
    """(radius, degrees) of a dot."""
    slot, dot = divmod(place, MAX_DOTS)
    wedge = t.top[slot]
    return (LANE_AT[LANE[wedge][dot]], bearing(offset_of(t, slot), ANGLE[wedge][dot]))


@svg.memo
def wake_art(p, start, stop):
    """From the Wake token to the ship, as foam on the water."""
    turn = (stop[1] - start[1]) % 360
    count = max(2, int(turn / 6))
    points = [polar(start[0] + (stop[0] - start[0]) * k / count, start[1] + turn * k / count) for k in range(count + 1)]
    x, y = points[0]
    token = svg.circle(x, y, 12, line=f"seat{p}", width=3) + svg.group(kit.mark(p, 5), at=(x, y))
    return svg.curve(points, ink=f"seat{p}", width=5, stroke_dasharray="0.1 10", also="half") + token


def trails(t, events):
    """The dots each ship passed in the last move."""
    found = {}
    for event in events:
        if event.name in ("sails", "skips"):
            dot, slot = event.args[1], event.args[2]
            if t.top[slot] == dot // MAX_DOTS:
                found.setdefault(event.args[0], []).append(slot * MAX_DOTS + dot % MAX_DOTS)
    return found


QUAY = svg.thing("quay", svg.rect(-122, -42, 244, 66, fill="board", line="on3", width=2, round=12), at=(MIDDLE[0], MIDDLE[1] + 90))


# ---- what can be done, and where it leads -------------------------------------------------------------------------------------------


def discs(t, places, width, ink):
    """One disc on each of these dots: lines without length, with round ends."""
    d = "".join(f"M{x:.0f} {y:.0f}h0" for x, y in (place_at(t, place) for place in sorted(places)))
    return svg.path(d, line=ink, width=width) if d else ""


def rings(t, places, radius, **paint):
    """One circle round each of these dots, as a single path."""
    r, d = radius, []
    for place in sorted(places):
        x, y = place_at(t, place)
        d.append(f"M{x:.0f} {y - r:.0f}a{r} {r} 0 1 1-.1 0z")
    return svg.path("".join(d), **paint) if d else ""


def numbers(t, marks, ink="ink"):
    """Small figures beside dots: {place: words}."""
    parts = []
    for place in sorted(marks):
        x, y = place_at(t, place)
        parts.append(f'<text x="{x:.0f}" y="{y:.0f}">{marks[place]}</text>')
    halo = discs(t, marks, 20, "board")
    return f'{halo}<g font-size="13" class="f-{ink} bold">{"".join(parts)}</g>'


def hints(t, mine):
    """Shaded: the dots on which Hydras are harmless. Ringed: where the voyage can end (who sails has rings to click instead)."""
    if t.phase == MOVE:
        _, _, ruled, exits = fork(t)
        found = [reach_of(t, t.mover, (t.move,), e if ruled else e + 4) for e, _, fits, _, _ in exits if fits]
    elif t.phase == FIRST and t.nav[t.mover] and t.d1[t.mover]:
        found = [reach_of(t, t.mover, (movement(t, t.mover),))]
    else:
        return []
    safe = set().union(*(one.safe for one in found))
    ends = set().union(*(end for one in found for end in one.ends))
    battles = set().union(*(one.battles for one in found)) & ends
    things = []
    if safe:
        things.append(svg.thing("shield", discs(t, safe, 33, "sea"), also="landing ghost"))
    if ends:
        shape = "" if mine and t.phase == MOVE else rings(t, ends - battles, 15, line="ink", width=2)
        things.append(svg.thing("ends", shape, rings(t, battles, 15, line="clay", width=3, also="dashed"), also="landing"))
    return things


def outlook(t, p):
    """Before the second roll: for each end dot the numbers of the second die that lead there; x for a bust (R30)."""
    rolls = {}  # by the faces that matter to Charybdis: the results of the second die, with the movement they give
    for value in range(t.d1[p], 7):
        rolls.setdefault(tuple(sorted({t.nav[p], t.d1[p], min(value, 4)})), {})[str(value)] = movement(t, p, (t.d1[p], value))
    if t.d1[p] > 1:
        rolls.setdefault((t.nav[p],), {})["x"] = movement(t, p, ())
    marks = {}
    for dice, totals in rolls.items():
        found = reach_of(t, p, totals.values(), dice=dice)
        for words, ends in zip(totals, found.ends, strict=True):
            for place in ends:
                marks.setdefault(place, []).append(words)
    return {place: short(sorted(words)) for place, words in marks.items()}


def short(words):
    """Numbers in a row as a range: 3-5."""
    digits = [word for word in words if word != "x"]
    bust = ["x"] * (len(digits) < len(words))
    row = len(digits) > 2 and int(digits[-1]) - int(digits[0]) == len(digits) - 1
    return "".join([f"{digits[0]}-{digits[-1]}" if row else ",".join(digits), *bust])


WAVE = "".join(svg.circle(0, 0, radius, line="sea", width=4, opacity=0) for radius in (62, 84, 106))


def choices(view, t, base, mine, tags, cards):
    """What can be clicked now beyond cards and wedges, the previews, what has just been revealed, and the banner."""
    things = []
    for event in view.events:
        if event.name == "places":
            offset = offset_of(t, event.args[2])
            things.append(svg.thing(f"wave-{offset}", WAVE, at=heart(offset), motion="still", also="wave landing"))
    if t.pend != NONE:
        things.append(favor(t.pend, "large", MIDDLE))
        cards[f"card-{t.pend}"] = FAVOR_CARDS[t.pend]
    if t.gaia != NONE:
        things.append(hand_wedge(t.gaia, (MIDDLE[0], MIDDLE[1] - 30), 0.8))
        cards[f"piece-{t.gaia}"] = Card(WEDGE_NAMES[t.gaia], "Gaia's wedge is placed at once.", "Q35")
    if t.phase == OVER:
        things.append(banner(f"{kit.name(view, t.rank[0])} wins", "the regatta"))
    elif t.final:
        left = t.players - t.turn - 1
        things.append(banner("Last round", f"{left} more ship{'s' * (left > 1)} to move" if left else "the last ship moves"))
    if not mine:
        return things
    if t.phase == SETUP:
        taken = t.pos[: t.players]
        lanes = [t.start_slot * MAX_DOTS + START_DOT[lane] for lane in range(LANES)]
        free = {f"lane-{lane}": [place_at(t, place)] for lane, place in enumerate(lanes) if place not in taken}
        for lane, place in enumerate(lanes):
            if place not in taken:
                ring, area = ringed(t, f"lane-{lane}", free, EXIT, FINGER)
                things.append(svg.thing(f"lane-{lane}", ring, area, at=place_at(t, place)))
                cards[f"lane-{lane}"] = Card(
                    f"Lane {UPPER[lane]}", "Inner lanes are shorter and ahead on the same wedge, outer ones have fewer Hydras.", "R8"
                )
    elif t.phase == MOVE:
        things += exits_shown(t, tags, cards)
    elif t.phase in (WEDGE, GAIA):
        held = [t.gaia] if t.phase == GAIA else [wedge for wedge in t.hand[t.mover] if wedge != NONE]
        if len(held) == 1:
            standing_on = {place // MAX_DOTS for place in t.pos[: t.players]} | {t.start_slot}
            for slot in range(RING_SLOTS):
                if slot not in standing_on:
                    offset = offset_of(t, slot)
                    art = use("new", turn=30 * offset)
                    things.append(svg.thing(f"new-{offset}", art, at=heart(offset), hover=f"piece-{t.top[slot]}"))
            things.append(svg.thing("new", f'<defs><g id="hr-new">{small_wedge(held[0])}</g></defs>'))
        else:
            for wedge in held:
                things.append(svg.thing(f"large-{wedge}", small_wedge(wedge), at=MIDDLE, scale=0.9, hover=f"piece-{wedge}"))
        for wedge in held:
            hangs = svg.group(small_wedge(wedge), at=(0, 40), scale=0.45)
            things.append(svg.thing(f"hang-{wedge}", hangs, hover=f"piece-{wedge}" if len(held) > 1 else "", also="hangs landing"))
    elif t.phase in (TARGET, STEAL):
        for move in view.legal():
            p = move.args[0]
            x, y, width = seats(t.players, base)[p]
            tall = OWN_TALL if p == base else OTHER_TALL
            things.append(svg.thing(f"victim-{p}", kit.target(width, tall, 12), at=(x + width / 2, y + tall / 2)))
            words = "Lay the trident on this board." if t.phase == TARGET else f"Take {STOLEN} fish from this board."
            cards[f"victim-{p}"] = Card(f"{kit.name(view, p)}'s board", words, "R40" if t.phase == TARGET else "Q35")
    things += buttons(view, t, cards)
    return things


def voyage(t):
    """The fork with its exits, what can be clicked and where (id: points), and for each end the exits that lead there."""
    here, icon, ruled, exits = fork(t)
    goals = [goal for *_, goal, _ in exits]
    found, spots, leading = {}, {}, {}
    for e, _, fits, goal, occupied in exits:
        x, y = place_at(t, goal)
        if goals.count(goal) > 1:  # two ways to the same dot: click the ways themselves, at the seam
            slot, dot = divmod(here, MAX_DOTS)
            target = WAYS_OUT[t.top[slot]][dot][e][1]
            x, y = polar(LANE_AT[target - MAX_DOTS], bearing(offset_of(t, slot), 12)) if target >= MAX_DOTS else (x, y)
        spots[f"exit-{e}" if fits else f"closed-{e}"] = [(x, y), (x, y - 28)] if fits and occupied else [(x, y)]  # a ship has a sail
        if fits:
            found[e] = reach_of(t, t.mover, (t.move,), e if ruled else e + 4)
            for end in set().union(*found[e].ends):
                leading.setdefault(end, []).append(e)
    for end in sorted(leading):
        if end not in goals:
            spots[end_id(t, end)] = [place_at(t, end)]
    return SimpleNamespace(here=here, icon=icon, ruled=ruled, exits=exits, goals=goals, found=found, spots=spots, leading=leading)


def end_id(t, end):
    slot, dot = divmod(end, MAX_DOTS)
    return f"end-{offset_of(t, slot)}-{dot}"


@lru_cache(512)
def waters(before, wedge, after, offset):
    """The dots of a wedge and its neighbours, as points."""
    return [dot_at(w, d, (offset + k) % RING_SLOTS) for k, w in ((-1, before), (0, wedge), (1, after)) for d in range(len(COURSE[w].dots))]


def dots_round(t, at):
    """All dots on the wedge at a point and beside it."""
    offset = round(atan2(at[0] - MIDDLE[0], MIDDLE[1] - at[1]) * 6 / pi) % RING_SLOTS
    slot = (t.start_slot + offset) % RING_SLOTS
    return waters(t.top[slot - 1], t.top[slot], t.top[(slot + 1) % RING_SLOTS], offset)


def rivals(t, id, spots, radius):
    """For each point of a thing to click: what else may be meant nearby, as (x, y, how far the thing reaches that way).

    Something else to click begins halfway; any other dot keeps its middle to itself.
    """
    others = [spot for other, some in spots.items() if other != id for spot in some]
    for x, y in spots[id]:
        near = []
        for a, b in others:
            away = hypot(a - x, b - y)
            if 0.5 < away < 2 * radius:
                near.append((round(a - x, 1), round(b - y, 1), round(away / 2, 1)))
        for a, b in dots_round(t, (x, y)):
            away = hypot(a - x, b - y)
            if 12 < away < radius + 9 and (round(a - x, 1), round(b - y, 1), round(away / 2, 1)) not in near:
                near.append((round(a - x, 1), round(b - y, 1), round(max(away / 2, away - 9), 1)))
        yield near


@svg.memo
def area(cells, radius):
    """An unseen place to click, as large as a finger: round each point, cut off where something else is meant."""
    drawn = []
    for x, y, near in cells:
        corners = [(radius * cos(k * pi / 7), radius * sin(k * pi / 7)) for k in range(14)]
        for dx, dy, most in near:
            away, kept = hypot(dx, dy), []
            for (a, b), (c, d) in pairwise([*corners, *corners[:1]]):
                p, q = ((u * dx + v * dy) / away - most for u, v in ((a, b), (c, d)))
                if p <= 0:
                    kept.append((a, b))
                if p * q < 0:
                    kept.append((a + (c - a) * p / (p - q), b + (d - b) * p / (p - q)))
            corners = kept
        points = list(dict.fromkeys((round(x + a), round(y + b)) for a, b in corners))
        lines = " ".join(f"{c - a} {d - b}" for (a, b), (c, d) in pairwise(points)).replace(" -", "-")
        drawn.append(f"M{points[0][0]} {points[0][1]}l{lines}z")
    if len(cells) == 1 and not cells[0][2]:
        return svg.circle(0, 0, radius, fill="", opacity=0)
    return svg.path("".join(drawn), fill="", opacity=0)


def ringed(t, id, spots, ring, radius):
    """The golden ring of something to click, as wide as there is room, and its place for fingers."""
    near = list(rivals(t, id, spots, radius))
    (x, y), *_ = spots[id]
    cells = tuple((round(a - x, 1), round(b - y, 1), tuple(some)) for (a, b), some in zip(spots[id], near, strict=True))
    r = max(15.5, min([ring, *(most - 1 for *_, most in near[0])]))
    return svg.circle(0, 0, round(r), fill="", also="target") + svg.circle(0, 0, round(r) - 3, fill="", also="ring"), area(cells, radius)


# ---- words beside ships and rings -------------------------------------------------------------------------------------------------


def tag_of(t, e, label, fits, occupied):
    """What an exit says, as (drawing, width, height): the number of a path, the fish it costs, or that a ship is passed free."""
    if not t.voyage.ruled:
        return (kit.label("free", size=14), 50, 24) if occupied else None
    charybdis = t.voyage.icon == ICON_CHARYBDIS
    ink, edge = ("sea" if charybdis else "clay", "sea" if charybdis else "clay") if fits else ("muted", "stone")
    if charybdis:
        return svg.circle(0, 0, 11, fill="board", line=edge, width=1.6) + svg.text(label, size=16, fill=ink, bold=True), 23, 23
    plate = svg.rect(-19, -11, 38, 22, fill="board", line=edge, width=1.6, round=11)
    fish = use("fish", (7, 0), scale=0.9, also="" if fits else "half")
    return plate + svg.text(label, -9, 0, size=16, fill=ink, bold=True) + fish, 40, 23


def emptiest(middle, spots, width, height, taken):
    """The first of these spots round `middle` where a plate covers least and is not far; `taken` = (left, top, right, bottom, weight)."""
    best, least = spots[0], None
    for dx, dy in spots:
        left, top = middle[0] + dx - width / 2, middle[1] + dy - height / 2
        right, bottom = left + width, top + height
        cost = 99 * (max(0, 4 - left) + max(0, right - WIDTH + 4) + max(0, 4 - top) + max(0, bottom - OTHERS + 2))
        cost += max(0, 9 * (hypot(dx, dy) - 66))
        for a, b, c, d, weight in taken:
            wide, tall = min(right, c) - max(left, a), min(bottom, d) - max(top, b)
            if wide > 0 and tall > 0:
                cost += weight * wide * tall
        if cost == 0:
            return (dx, dy)
        if least is None or cost < least:
            best, least = (dx, dy), cost
    return best


def log_beside(x, y):
    """Behind a ship: above it where it sails down the picture, below it where it sails up."""
    return ABOVE if (x > MIDDLE[0] and y > 76) or y > OTHERS - 38 else BELOW


def places_for_words(t):
    """Where the tags of exits and the log of the ship that sails cover neither ships nor rings nor, if possible, dots."""
    if t.phase not in (MOVE, HYDRA, ENDWIN):
        return {}, BELOW
    x, y = ship_at(t, t.mover)
    taken = [(a - 24, b - 41, a + 28, b + 13, 4) for a, b in (ship_at(t, p) for p in range(t.players))]
    taken[t.mover] = (x - 32, y - 44, x + 28, y + 13, 4)
    taken += [(a - 10, b - 10, a + 10, b + 10, 0.25) for a, b in dots_round(t, (x, y))]
    tags = {}
    if t.voyage:
        for id, spots in t.voyage.spots.items():
            r = END if id.startswith("end") else EXIT
            taken += [(a - r, b - r, a + r, b + r, 3) for a, b in spots]
        for e, label, fits, _, occupied in t.voyage.exits:
            tag = tag_of(t, e, label, fits, occupied)
            if tag:
                drawing, wide, tall = tag
                middle = t.voyage.spots[f"exit-{e}" if fits else f"closed-{e}"][0]
                if occupied and not t.voyage.ruled:
                    spots = ((0, -58), (0, 32), (-52, -12), (54, -12), (-44, -50), (46, -50), (-44, 26), (46, 26))
                else:
                    out = [k * pi / 6 + atan2(middle[1] - y, middle[0] - x) for k in (0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6)]
                    spots = [((EXIT + 2 + wide / 2) * cos(angle), (EXIT + 2 + tall / 2) * sin(angle)) for angle in out]
                dx, dy = emptiest(middle, spots, wide, tall, taken)
                left, top = middle[0] + dx - wide / 2, middle[1] + dy - tall / 2
                taken.append((left, top, left + wide, top + tall, 4))
                tags[e] = svg.group(drawing, at=(round(dx), round(dy)), also="landing")
    first = log_beside(x, y)
    spots = (first, BELOW if first is ABOVE else ABOVE, *LOG_SPOTS)
    return tags, emptiest((x + 3, y), spots, 66, 20, taken)


def exits_shown(t, tags, cards):
    """The exits of the fork: where each leads, what it costs, which are closed and why; pointing at one numbers the dots behind it."""
    v = t.voyage
    things, previews = [], []
    for e, label, fits, goal, occupied in v.exits:
        tag, charybdis = tags.get(e, ""), v.icon == ICON_CHARYBDIS
        name = DOT_NAMES[t.top[goal // MAX_DOTS] * MAX_DOTS + goal % MAX_DOTS]
        if not fits:
            id = f"closed-{e}"
            _, unseen = ringed(t, id, v.spots, EXIT, CLOSE)
            art = svg.circle(0, 0, 15, fill="stone", also="half") + svg.path("M-6-6L6 6M-6 6L6-6", line="board", width=3)
            things.append(svg.thing(id, art, unseen, tag, at=v.spots[id][0]))
            why = f"No die on your board shows {label}; faces count, not doubled values." if charybdis else f"You cannot pay {label} fish."
            cards[id] = Card(f"Closed: {f'path {label}' if charybdis else f'{label} fish'}", why, "R47" if charybdis else "R49")
            continue
        id = f"exit-{e}"
        ring, unseen = ringed(t, id, v.spots, EXIT, CLOSE)
        if occupied:  # round the ship that is passed
            ring = svg.rect(-25, -48, 50, 68, round=22, also="target landing")
            ring += svg.rect(-23, -46, 46, 64, fill="", round=20, also="ring landing")
        things.append(svg.thing(id, ring, unseen, tag, at=v.spots[id][0]))
        skip = "A ship lies there: you sail past, free of charge." if occupied else "Costs 1 movement."
        what = ICON_WORDS[ICON[t.top[goal // MAX_DOTS]][goal % MAX_DOTS]][0]
        cards[id] = Card(
            f"To {name} ({what})", f"{skip} The figures count the dots, the rings show where you can end.", "R33" if occupied else "R30"
        )
        ends = set().union(*v.found[e].ends)
        shown = numbers(t, {place: cost for place, cost in v.found[e].cost.items() if place not in ends})
        previews.append(svg.thing(f"way-{e}", shown + rings(t, ends, 17, line="gold", width=5), hover=id))
    return previews + ends_shown(t, cards) + things


def ends_shown(t, cards):
    """Where the voyage can end: a click sails there, as far as only one way leads there.

    An end next to the ship has no ring of its own, for the exit has one, but whoever is on the way there still gets there.
    """
    things = []
    for end, by in sorted(t.voyage.leading.items()):
        slot, dot = divmod(end, MAX_DOTS)
        wedge, id = t.top[slot], end_id(t, end)
        route = "|".join(f"step {e}" for e in by)
        ring = ringed(t, id, t.voyage.spots, END, FINGER) if id in t.voyage.spots else ("",)
        x, y = place_at(t, end)
        things.append(svg.thing(id, *ring, at=(round(x, 1), round(y, 1)), route=route))
        name, what = DOT_NAMES[wedge * MAX_DOTS + dot], ICON_WORDS[ICON[wedge][dot]][0]
        several = " by several ways: you will be asked" if len(by) > 1 else ""
        cards[id] = Card(f"End at {name} ({what})", f"Your movement can end exactly here{several}. Click to sail all the way.", "R30")
    return things


def chance(first):
    """R18: that a second die is at least as high."""
    return f"{round((7 - first) / 6 * 100)} % safe"


def button_words(t, verb, number=0):
    """What stands on a button."""
    p = t.mover
    match verb:
        case "nav_keep":
            return f"Keep the {t.nav[p]}"
        case "nav_reroll" | "reroll2":
            return "Reroll (1 fish)"
        case "hold":
            return f"Stop with {movement(t, p)}"
        case "roll2":
            return "Roll second die"
        case "accept2":
            return f"Accept{'' if t.d2[p] >= t.d1[p] else ' the bust'}: {movement(t, p)}"
        case "value":
            return f"Turn to {number}"
        case "end_move":
            return "End the movement"
        case "feed":
            return "Feed it 1 fish"
        case "battle":
            return f"Battle: lose {t.move}"
        case "discard_new":
            return f"Discard {CARD_NAMES[t.pend]}"
    return None


BUTTON_RULES = {
    "nav_keep": ("Go on to the first Movement die.", "R16"),
    "nav_reroll": ("Pay a fish for another Navigation roll; the old result is gone.", "R15"),
    "hold": ("No second die: the black rings on the course show where you can end.", "R17"),
    "roll2": (
        "If it is lower than the first die, both are lost. The figures on the course show where each roll could take you, x is a bust.",
        "R17",
    ),
    "accept2": ("The second die stays as it is.", "R18"),
    "reroll2": ("Pay a fish for another second die; the old result is gone.", "R20"),
    "value": ("Athena turns the Navigation die.", "Q31"),
    "end_move": ("Use no Favor; the turn goes on.", "Q31"),
    "feed": ("Then sail on.", "R51"),
    "battle": ("Without a fish all remaining movement is lost.", "R52"),
    "discard_new": ("Keep the Favors you have.", "R39"),
}


def buttons(view, t, cards):
    """Under the own dice: what needs no place on the course."""
    found = [(move, words) for move in view.legal() if (words := button_words(t, move.verb, *move.args[:1]))]
    if not found:
        return []
    left, top, width, tall = BUTTONS
    things = [svg.thing("plank", svg.rect(0, 0, width, tall, fill="board"), at=(left, top))]
    if t.phase == FIRST and any(move.verb == "roll2" for move, _ in found):
        things.append(svg.thing("outlook", numbers(t, outlook(t, t.mover)), also="landing"))
    spare = (width - 8 * (len(found) - 1) - sum(len(words) for _, words in found) * LETTER) / len(found)
    for k, (move, words) in enumerate(found):  # long words get wider buttons
        (id,) = picks(view, move)
        odds = chance(t.d1[t.mover]) if move.verb in ("roll2", "reroll2") else ""
        wide = round(len(words) * LETTER + spare, 1)
        things.append(button(id, words, left, wide, k == 0, odds))
        left += wide + 8
        cards[id] = Card(words, *BUTTON_RULES[move.verb])
    return things


# ---- words ------------------------------------------------------------------------------------------------------------------------


STANDING_CARDS = {
    "hydra": Card("The Hydra", "Sail round her clockwise, as her heads look; on Hydra dots she wants a fish.", "R51"),
    "round": Card("The round", "All roll, then all sail, from the holder of the Golden Fleece.", "R12"),
}
ORDER_CARD = Card("Order of turns", "From the holder of the Golden Fleece clockwise.", "R12")
BUST_CARD = Card("Bust", "The second die was lower than the first: both Movement dice are lost this round.", "R19")
FLEECE_CARD = Card(
    "The Golden Fleece",
    f"Doubles the Navigation die{', as movement and as protection' if PROTECTION else ''}; it goes to the last at the end of a round.",
    "R11",
)
FISH_CARD = Card("Fish", "For rerolling the Navigation or second die, feeding a Hydra, and the paths of Scylla.", "R54")
SHELTERED = "so" if PROTECTION == 1 else f"{PROTECTION} times as"
SHELTER = f", and {SHELTERED} many dots of the turn are protected from Hydras" if PROTECTION else ""
DICE_CARDS = {
    "nav": Card("Navigation die", f"Movement{SHELTER}.", "R15"),
    "first": Card("First Movement die", "Fish never reroll it.", "R16"),
    "second": Card("Second Movement die", "It counts if it is at least as high as the first.", "R18"),
}
FAVOR_CARDS = tuple(
    Card(
        f"{CARD_NAMES[card]} ({KIND_WORDS[KIND[card]].lower()})",
        CARD_TEXTS[card] + (" A curse: it strikes by itself." if KIND[card] == TRIDENT else ""),
        KIND_RULES[KIND[card]],
    )
    for card in range(len(CARD_NAMES))
)


def held_wedges(s, phase, mover):
    return [int(s.gaia)] if phase == GAIA else [wedge for wedge in s.hand[mover].tolist() if wedge != NONE]


def picks(view, move):
    """A start dot, an exit, a card, a wedge and its place, a board, or a button under the dice."""
    s, number = view.state, move.args[0] if move.args else 0
    match move.verb:
        case "ship":
            return (f"lane-{number}",)
        case "use" | "replace" | "discard_own":
            return (f"card-{s.slots[view.to_move, number]}",)
        case "wedge":
            held = held_wedges(s, s.phase, view.to_move)
            goal = f"piece-{s.top[move.args[1]]}"
            return (f"piece-{held[number]}", goal) if len(held) > 1 else (goal,)
        case "step":
            return (f"exit-{number}",)
        case "target":
            return (f"victim-{number}",)
        case "value":
            return (f"value-{number}",)
    return (f"do-{move.verb}",)


def say_move(view, move):
    t = read(view)
    number = move.args[0] if move.args else 0
    match move.verb:
        case "ship":
            return f"Start in lane {UPPER[number]}"
        case "use":
            return f"Use {CARD_NAMES[t.slots[t.mover][number]]}"
        case "replace":
            return f"Give up {twin_name(t, number)} for {CARD_NAMES[t.pend]}"
        case "discard_own":
            return f"Throw away {twin_name(t, number)}"
        case "wedge":
            held = held_wedges(view.state, t.phase, t.mover)
            return f"{WEDGE_NAMES[held[number]]} on place {offset_of(t, move.args[1])}, over {WEDGE_NAMES[t.top[move.args[1]]]}"
        case "step":
            return say_step(t, number)
        case "target":
            return f"{'Curse' if t.phase == TARGET else f'Take {STOLEN} fish from'} {kit.name(view, number)}"
    return button_words(t, move.verb, number)


def twin_name(t, number):
    """The card in a slot; of two equal ones, which."""
    first, second = (CARD_NAMES[card] for card in t.slots[t.mover])
    return CARD_NAMES[t.slots[t.mover][number]] + (f" ({'left' if number == 0 else 'right'})" if first == second else "")


def say_step(t, e):
    here, icon, ruled, exits = fork(t)
    _, label, _, goal, occupied = exits[e]
    wedge, dot = t.top[goal // MAX_DOTS], goal % MAX_DOTS
    words = f"Sail to {WEDGE_NAMES[wedge]} {COURSE[wedge].dots[dot].name}"
    if ICON[wedge][dot]:
        words += f" ({ICON_WORDS[ICON[wedge][dot]][0]})"
    if ruled:
        words += f", path {label}" if icon == ICON_CHARYBDIS else f", paying {label} fish" if label else ""
    if occupied:
        words += ", passing a ship free"
    if [other[3] for other in exits].count(goal) > 1:
        slot, dot = divmod(here, MAX_DOTS)
        target = WAYS_OUT[t.top[slot]][dot][e][1]
        words += f", by lane {UPPER[target - MAX_DOTS]}" if target >= MAX_DOTS else ", straight"
    return words


def prompt(view, seat):
    t = read(view)
    name, p = kit.name(view, seat), t.mover
    use = any(move.verb == "use" for move in view.legal())
    card = ", or use the glowing Favor" if use else ""
    match t.phase:
        case rules.SETUP:
            return f"Your turn, {name}: choose a start dot; whoever places last gets the Golden Fleece."
        case rules.NAV:
            return f"{name}, your Navigation die shows {t.nav[p]}: keep it{' or reroll it for a fish' if t.fish[p] else ''}{card}."
        case rules.FIRST:
            if any(move.verb == "roll2" for move in view.legal()):
                stop = f"{name}, stop with a total of {movement(t, p)}{', use the glowing Favor' if use else ''} or roll a second die"
                if t.d1[p] == 1:
                    return f"{stop}: whatever it shows is added."
                least = "only a 6" if t.d1[p] == 6 else f"{t.d1[p]} or more"
                return f"{stop}: {least} is added, less is a bust and leaves you only {movement(t, p, ())}."
            return f"{name}, Eris forbids the second die: stop with {movement(t, p)}{card}."
        case rules.SECOND:
            fate = "it counts" if t.d2[p] >= t.d1[p] else f"a bust after {t.d1[p]}"
            return f"{name}, the second die shows {t.d2[p]}, {fate}: accept it{' or reroll for a fish' if t.fish[p] else ''}{card}."
        case rules.VALUE:
            return f"{name}, turn the Navigation die to 1, 2 or 3."
        case rules.WEDGE:
            held = held_wedges(view.state, t.phase, p)
            if len(held) > 1:
                return f"{name}, click one of your two wedges, then the place it shall cover."
            return f"{name}, place {WEDGE_NAMES[held[0]]}: click the wedge it shall cover."
        case rules.MOVE:
            return f"Your turn, {name}: {t.move} to sail, all of it; click where to end, or the next dot{card}."
        case rules.HYDRA:
            return f"{name}, a Hydra: {'feed it a fish' if t.fish[p] else 'battle it and lose the rest'}{card}."
        case rules.ENDWIN:
            return f"{name}, the movement is used up: end it{card}."
        case rules.SLOTS:
            return f"{name}, your Favor slots are full: click the card to give up, or discard {CARD_NAMES[t.pend]}."
        case rules.TARGET:
            return f"{name}, {CARD_NAMES[t.pend]} is a curse: click the board of a victim."
        case rules.ROOM:
            return f"{name}, {CARD_NAMES[t.pend]} comes to your board: click the card you throw away for it."
        case rules.STEAL:
            return f"{name}, Dionysus takes {STOLEN} fish: click the board of their owner."
        case rules.GAIA:
            return f"{name}, Gaia gives you {WEDGE_NAMES[t.gaia]}: click the wedge it shall cover."
    return None


def meant(view, id):
    """The move that a click on a thing means, or what the thing is for."""
    t = read(view)
    kind, _, rest = id.partition("-")
    if kind == "piece" and t.phase in (WEDGE, GAIA) and int(rest) in t.top:
        return ("wedge", 0, t.top.index(int(rest)))
    if kind == "card" and not view.over and int(rest) != t.pend:
        return ("use", t.slots[t.mover].index(int(rest))) if int(rest) in t.slots[t.mover] else WRONG_CLICKS["card"]
    if kind == "closed":
        return ("step", int(rest))
    if kind == "board" and t.phase in (TARGET, STEAL):
        return ("target", int(rest))
    if kind in ("dot", "piece", "sea", "hydra", "ship") and t.phase == MOVE:
        return WRONG_CLICKS["sea"]
    if kind in ("nav", "first", "second") or (kind == "dot" and NAV <= t.phase <= VALUE):
        return WRONG_CLICKS["dice"]
    return "The race is over." if view.over else WRONG_CLICKS["pile"] if kind in ("stack", "deck", "discard") else None


WRONG_CLICKS = {
    "card": "That Favor lies on another player's board. [R35]",
    "sea": "Your movement can't end there: choose a dot with a golden ring. [R31]",
    "dice": "Use the buttons under your own dice; nobody sails while dice are rolled. [R22]",
    "pile": "You draw wedges and Favors by sailing over their dots. [R32]",
}


def say(view, event):
    """Places are counted from the line, and a ship that is passed has a name."""
    a = event.args
    s = view.state
    match event.name:
        case "line":
            return f"The Starting Line is laid on {WEDGE_NAMES[a[0]]}, which is out of the game. [R3]"
        case "places":
            place = (a[2] - int(s.start_slot)) % RING_SLOTS
            return f"{kit.name(view, a[0])} places {WEDGE_NAMES[a[1]]} on place {place} after the line. [R24]"
        case "sails":
            return f"{kit.name(view, a[0])} sails to {DOT_NAMES[a[1]]}, {a[3]} to go. [R30]"
        case "voyage":
            safe = f", protected from Hydras for {'the first dot' if a[2] == 1 else f'{a[2]} dots'}" if a[2] else ""
            return f"{kit.name(view, a[0])} sets sail: {dots(a[1])} to go{safe}. [R21]"
        case "boost":
            return f"A boost carries {kit.name(view, a[0])} {BOOST_DOTS} further: {a[1]} to go. [R45]"
        case "protected":
            return f"{kit.name(view, a[0])} slips past the Hydra on dot {a[1]} of the turn: protected. [R53]"
        case "skips":
            place = a[2] * MAX_DOTS + a[1] % MAX_DOTS
            there = [kit.name(view, p) for p in range(view.players) if p != a[0] and int(s.pos[p]) == place]
            return f"{kit.name(view, a[0])} sails past {there[0] if there else 'a ship'} free of charge. [R33]"
    return None


def ending(view):
    t = read(view)
    first, second = t.rank[0], t.rank[1]
    name, other = kit.name(view, first), kit.name(view, second)
    a, b = standing(t, first), standing(t, second)
    if a[0] != b[0]:
        why = f"{name} completed lap {t.laps[first]}, {other} only lap {t.laps[second]}. [R57]"
    elif a[1] != b[1]:
        ahead = a[1] - b[1]
        why = f"{name} is {ahead} wedge{'s' * (ahead > 1)} ahead of {other}. [R57]"
    else:
        nearer = "nearer to the Hydra" if a[2] != b[2] and t.rank_in_wedge != BY_ANGLE else "further clockwise"
        why = f"{name} and {other} are on the same wedge, and {name} is {nearer}. [{'R57' if nearer.startswith('nearer') else 'Q39'}]"
    return (f"{name} wins the regatta.", why)


# ---- what happened, step by step ----------------------------------------------------------------------------------------------------


class Showing:
    """Steps of one move in the making: remembers where the ships are and what has to be parked again."""

    def __init__(self, before, base):
        self.t, self.base = read(before), base
        self.at = [ship_at(self.t, p) for p in range(before.players)]
        self.left, self.sailed, self.fish = self.t.move, self.t.moved, list(self.t.fish)
        self.log = {}
        self.out, self.made = set(), []

    def step(self, event, ms, *, go=None, bring=None, note=None, flash=()):
        """One step; `bring` and `note` = what is fetched from outside the picture and where; it stays until the next step,
        but the ship's counter until it changes."""
        moves = dict.fromkeys(sorted(self.out), PARK)
        moves.update(go or {})
        self.out = set()
        for id, at in (self.log | (bring or {}) | ({f"note-{note[0]}": note[1]} if note else {})).items():
            moves.pop(id, None)
            moves[id] = at
            self.out.add(id)
        self.made.append(Step(event=event, go=moves, flash=tuple(flash), ms=ms))

    def count(self, p, left):
        """The movement left, at the ship's mast, and behind it the dots sailed of all: "3 of 9"."""
        self.left, (x, y) = left, self.at[p]
        dx, dy = log_beside(x, y)
        total, under = self.sailed + left, (x + dx, y + dy)
        self.log = {f"left-{left}": (x - 19, y - 31)} if left <= MOST_LEFT else {}
        if total <= MOST_SAILED:
            self.log |= {f"of-{total}": under, f"sailed-{self.sailed}": under}

    def pay(self, p, count, to):
        """Fish that leave a board and fly there; those caught in the same move are not in the picture yet."""
        rest = max(0, self.fish[p] - count)
        paid = range(rest, min(self.fish[p], self.t.fish[p]))
        self.fish[p] = rest
        return {f"fish-{p}-{k}": to for k in paid}

    def by_ship(self, p):
        """Above a ship, and above its log if that is there."""
        x, y = self.at[p]
        return (min(max(x, 46), WIDTH - 46), max(y - (80 if log_beside(x, y) is ABOVE else 56), 18))

    def spot(self, p, what, index=0):
        return spot(self.t.players, self.base, p, what, index)

    def done(self):
        if self.out:
            self.made.append(Step(go=dict.fromkeys(sorted(self.out), PARK), ms=0))
        return self.made


SHIP_NOTES = {
    "boost": "boost",
    "protected": "safe",
    "battles": "battle",
    "draws": "favor",
    "wedge": "wedge",
    "fish": "fish",
}


def steps(before, after, events):
    """Dice one after the other, wedges sliding to their places, ships from dot to dot with the movement counting down."""
    show = Showing(before, getattr(after, "viewer", None) or 0)
    t = show.t
    held = {wedge for hand in t.hand for wedge in hand} | {t.gaia}
    sailing = None
    for k, event in enumerate(events):
        a = event.args
        if event.name == "fish":
            show.fish[a[0]] = a[2]
        match event.name:
            case "ship":
                show.at[a[0]] = dot_at(START_WEDGE, START_DOT[a[1]], 0)
                show.step(k, 380, go={f"ship-{a[0]}": show.at[a[0]]})
            case "nav" | "set_nav":
                show.step(k, 420, bring={f"navface-{a[1]}": show.spot(a[0], "nav")}, flash=(f"navface-{a[1]}",))
            case "first" | "second":
                show.step(k, 420, bring={f"face-{a[1]}": show.spot(a[0], event.name)}, flash=(f"face-{a[1]}",))
            case "bust":
                show.step(k, 460, note=("bust", show.spot(a[0], "first")), flash=(f"board-{a[0]}",))
            case "places":
                x, y = heart(offset_of(t, a[2]))
                if a[1] in held:
                    show.step(k, 520, go={f"piece-{a[1]}": (x, y, 30 * offset_of(t, a[2]))}, flash=(f"piece-{a[1]}",))
                else:
                    show.step(k, 180)
            case "voyage":
                sailing, show.sailed = a[0], 0
                show.count(a[0], a[1])
                show.step(k, 360, flash=(f"ship-{a[0]}",))
            case "sails":
                sailing, show.sailed = a[0], show.sailed + 1
                show.at[a[0]] = dot_at(*divmod(a[1], MAX_DOTS), offset_of(t, a[2]))
                show.count(a[0], a[3])
                show.step(k, 260, go={f"ship-{a[0]}": show.at[a[0]]})
            case "skips":
                x, y = dot_at(*divmod(a[1], MAX_DOTS), offset_of(t, a[2]))
                show.at[a[0]] = (x, y - PASSING)
                show.count(a[0], show.left)
                show.step(k, 320, go={f"ship-{a[0]}": show.at[a[0]]}, note=("free", show.by_ship(a[0])))
            case "lap":
                show.step(k, 460, go={f"lap-{a[0]}": show.spot(a[0], "lap", max(0, t.race - a[1]))}, note=("lap", show.by_ship(a[0])))
            case "feeds":
                show.step(k, 420, go=show.pay(a[0], 1, MIDDLE), note=("fed", show.by_ship(a[0])), flash=("hydra",))
            case "pays_scylla" if a[1]:
                show.step(k, 420, go=show.pay(a[0], a[1], show.at[a[0]]))
            case "pays_reroll":
                show.step(k, 300, go=show.pay(a[0], 1, MIDDLE))
            case "loses_fish":
                show.step(k, 420, go=show.pay(a[0], a[1], MIDDLE), flash=(f"board-{a[0]}",))
            case "steals":
                show.step(k, 420, go=show.pay(a[2], a[1], show.spot(a[0], "fish", show.fish[a[0]])), flash=(f"board-{a[0]}",))
                show.fish[a[0]] += a[1]
            case "fish" | "boost" | "protected" | "battles" | "draws" | "wedge" if a[0] == sailing:
                if event.name == "boost":
                    show.count(a[0], a[1])
                show.step(k, 300, note=(SHIP_NOTES[event.name], show.by_ship(a[0])))
            case "curse":
                show.step(k, 520, note=("curse", show.by_ship(a[1])), flash=(f"board-{a[1]}",))
            case "fleece" if t.fleece != NONE:
                show.step(k, 520, go={"fleece": show.spot(a[0], "fleece")}, flash=(f"board-{a[0]}",))
            case "cursed":
                show.step(k, 420, flash=(f"board-{a[2]}",))
            case "bolt" | "boat" | "trident" | "crowded":
                show.step(k, 380, flash=(f"board-{a[0]}",))
            case "wins":
                show.step(k, 600, flash=(f"board-{a[0]}",))
            case _:
                show.step(k, 180)
    return show.done()


def text(view) -> str:
    """For terminals: the course unrolled from the line on, outer lane first, with icons as in `content` and marks for ships."""
    t = read(view)
    there = {t.pos[p]: MARKS[p] for p in range(t.players)}
    rows = []
    for lane in reversed(range(LANES)):
        cells = []
        for offset in range(RING_SLOTS):
            slot = (t.start_slot + offset) % RING_SLOTS
            dots = [(d, dot) for d, dot in enumerate(COURSE[t.top[slot]].dots) if dot.lane == lane]
            cells.append("".join(there.get(slot * MAX_DOTS + d, dot.icon) for d, dot in dots).ljust(4))
        rows.append(f"{UPPER[lane]} |" + "|".join(cells) + "|")
    rows.append("   " + " ".join(str(offset).ljust(4) for offset in range(RING_SLOTS)).rstrip())
    rank = ranking(t)
    for p in range(t.players):
        held = ", ".join(CARD_NAMES[card] for card in t.slots[p] if card != NONE) or "no Favor"
        dice = "/".join(str(die or "–") for die in (t.nav[p], t.d1[p], t.d2[p]))
        fleece = ", Fleece" if t.fleece == p else ""
        place = f"{PLACES[rank[p]]}, " if rank else ""
        rows.append(f"{MARKS[p]} {kit.name(view, p)}: {place}lap {t.laps[p]}, dice {dice}, {t.fish[p]} fish, {held}{fleece}")
    return "\n".join(rows)
