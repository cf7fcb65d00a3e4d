"""The drawings of the Hydra Regatta: wedges, ships, boards, cards, and where they lie.

The Starting Line is always drawn at the top, so a place is counted from it: place 0 is the line, place 11 the last before it.
Drawings that occur often lie in `DEFS` and are used by name.

On a narrow screen your own board is nearer to the course than those of the others, print is larger, and what a Favor does is left to
its hover card.
"""

from functools import cache, lru_cache, partial
from itertools import pairwise
from math import cos, hypot, pi, sin
from textwrap import wrap

from rulestone.table import kit, svg

from . import content, forecast, rules, words

WIDTH, HEIGHT = 720, 1010
MIDDLE = (360, 374)
LANE_AT = (190, 238, 286, 333)
INNER, OUTER, HEART = 165, 354, 263
DOT = 11
OTHERS, OWN = 735, 838
OTHER_TALL, OWN_TALL = 98, 170
LAP_STEP = 20  # between two laps on the boards of others
FISH_STEP = min(21.5, 43 / max(2, rules.MAX_FISH - 1))  # more fish lie closer together
OWN_FISH_STEP = min(32, 192 / max(6, rules.MAX_FISH - 1))
NARROW_OWN, NARROW_OTHERS = 735, 909  # where the boards lie on a narrow screen
BUTTONS = (20, 104, 384, 60)  # the place of the buttons under the own dice: left, top on the board, width, height
BUTTON_SIZE, LETTER = 19, 10.8  # their writing, and how wide a letter of it is
STACK_AT, DECK_AT, DISCARD_AT, ORDER_AT = (54, 56), (666, 56), (54, 674), (666, 674)
SAILED_AT, OF_AT = -9, -4  # how far left of the middle of a ship's log its two numbers stand
FINGER, CLOSE, EXIT, END = 27, 25, 20, 19  # how far from a far and from a near dot a finger finds it; the rings round an exit and an end
MOST_LEFT, MOST_SAILED, PASSING = 18, 21, 22
PRINT = 11.5  # the numbers on the wedges
LARGE_FAVOR = (268, 176)
LOG = (88, 24)  # the plate "3 of 9" behind a ship


def polar(radius, degrees):
    """A point round the Hydra, clockwise from the top."""
    angle = degrees * pi / 180
    return (MIDDLE[0] + radius * sin(angle), MIDDLE[1] - radius * cos(angle))


def bearing(offset, twelfths):
    """Degrees of a place on the wedge that lies `offset` places after the line."""
    return 30 * offset - 15 + 2.5 * twelfths


@cache
def dot_at(wedge, dot, offset):
    return polar(LANE_AT[forecast.LANE[wedge][dot]], bearing(offset, forecast.ANGLE[wedge][dot]))


@cache
def heart(offset):
    """The middle of a wedge: where its thing lies."""
    return polar(HEART, 30 * offset)


@cache
def seats(players, base, narrow=False):
    """Where everybody sits: the boards of the others from left to right, (x, y, width) of each board."""
    theirs, mine = (NARROW_OTHERS, NARROW_OWN) if narrow else (OTHERS, OWN)
    others = [(base + k) % players for k in range(1, players)]
    width = (704 - 8 * (len(others) - 1)) / len(others)
    boards = {player: (8 + k * (width + 8), theirs, width) for k, player in enumerate(others)}
    boards[base] = (8, mine, 704)
    return boards


@svg.memo
def on_board(width, own, what, index=0, narrow=False):
    """Where something lies on a board, from its corner: dice, fish, cards, wedges, laps, the Fleece; a wide one has one row."""
    if narrow and what == "card":
        return (558, 68 + 63 * index) if own else (250 + 60 * index, 64) if width > 600 else (34 + 56 * index, 82)
    wide = width > 600
    row = 64 if wide else 49
    dx, dy, step = {
        "nav": (46, 63, 0) if own else (21, row, 0),
        "first": (138, 63, 0) if own else (80, row, 0),
        "second": (194, 63, 0) if own else (112, row, 0),
        "fleece": (92, 54, 0) if own else (134 if width > 300 else 146 if narrow else 129, 17, 0),
        "fish": (336, 19, OWN_FISH_STEP) if own else (width - 57, row, FISH_STEP),
        "card": (476, 101, 147) if own else (250, row, 92) if wide else (46, 82, 82),
        "wedge": (320, 71, 52) if own else (440, row, 46) if wide else (width - 21, 80, 0),
        "lap": (278, 19, -36) if own else (width - 18, 17, -LAP_STEP),
        "down": (560, 19, 70) if own else (560, row, 26) if wide else (176, 82, 8),
    }[what]
    return (dx + step * index, dy)


@svg.memo
def spot(players, base, narrow, player, what, index=0):
    """Where something on a player's board lies in the picture."""
    x, y, width = seats(players, base, narrow)[player]
    dx, dy = on_board(width, player == base, what, index, narrow)
    return (x + dx, y + dy)


FISH_ART = svg.path("M-8 0C-4-6 3-5.5 6-1L10-5V5L6 1C3 5.5-4 6-8 0Z", fill="sea") + svg.circle(-4.2, -1, 1.1, fill="board")
SPIRAL = "M0 0C2-3 5 0 3 3C0 7-6 4-6-1C-5-8 4-9 7-3"
KINDS = (  # the signs of boats, lightning bolts and tridents
    svg.path("M-9 3H9L6 8H-6Z", fill="sea") + svg.path("M-.5-9V2M1-8C6-6 8-3 7 1H1Z", fill="sea", line="sea", width=1.2),
    svg.path("M3-10L-6 2H0L-3 10L6-2H0Z", fill="gold", line="ink", width=1),
    svg.path("M0 10V-9M-6-8V-3C-6 1 6 1 6-3V-8", line="clay", width=2.4),
)


def _icons():
    """Dots with what they show, in the order of `content.ICONS`."""
    temple = svg.path("M-7-1.5L0-7L7-1.5Z", fill="on3") + svg.path("M-4.5-1V4M0-1V4M4.5-1V4M-6.5 5.6H6.5", line="on3", width=2)
    head = svg.path("M0 8.5C-3.5 5-7.5 1.5-7-3C-6.5-7-3-8 0-6C3-8 6.5-7 7-3C7.5 1.5 3.5 5 0 8.5Z", fill="clay")  # from above
    shown = (
        ("board", "sea", FISH_ART),
        ("gold", "ink", temple),
        ("board", "ink", svg.path("M-6.5-4.5A10 10 0 0 1 6.5-4.5L2.6 5.5A4 4 0 0 0-2.6 5.5Z", fill="sea", line="ink", width=1.2)),
        ("clay", "clay", svg.circle(0, 0, 14.5, fill="clay") + svg.text(f"+{rules.BOOST}", 0, 0.5, size=19, fill="on-clay", bold=True)),
        ("ink", "clay", head + svg.path("M-5-2.2L-1.6-.4L-4.4.6ZM5-2.2L1.6-.4L4.4.6Z", fill="ink")),
        ("sea", "ink", svg.group(svg.path(SPIRAL, line="board", width=2.1))),
        ("clay", "ink", svg.group(svg.path(SPIRAL, line="board", width=2.1), turn=180)),
        ("board", "ink", ""),
    )
    return [svg.circle(0, 0, 6.5, fill="board", line="ink", width=2.2)] + [
        svg.circle(0, 0, DOT, fill=fill, line=line, width=1.8) + sign for fill, line, sign in shown
    ]


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
    """The Hydra in the middle, black on terracotta: seven necks, all looking the way ships sail."""
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
    return edge + tongues + first + "".join(svg.use("hr-neck", turn=round(360 * k / 7, 1)) for k in range(1, 7)) + coil


def fleece_art():
    """The Golden Fleece."""
    curls = "M-10-6C-14-10-8-15-4-11C-2-16 5-16 6-11C11-14 15-8 11-5C16-2 13 4 10 5L8 11L4 8H-4L-8 11L-10 5C-15 3-15-4-10-6Z"
    return svg.path(curls, fill="gold", line="ink", width=1.4) + svg.path(
        "M-5-4q2.5-3 5 0M1 1q2.5-3 5 0M-6 3q2.5-3 5 0", line="ink", width=1.1
    )


def _defs():
    named = {f"i{icon}": drawing for icon, drawing in enumerate(_icons())}
    named |= {f"s{hue}": trireme(hue) for hue in range(4)}
    named |= {f"k{kind}": drawing for kind, drawing in enumerate(KINDS)}
    named["fish"] = FISH_ART
    named["left"] = svg.circle(0, 0, 13, fill="gold", line="board", width=1.6)
    named["log"] = svg.rect(-33, -12, LOG[0], LOG[1], fill="board", line="line", width=1.2, round=12)
    named["hole"] = svg.circle(0, 0, 12, fill="board", line="sea", width=1) + svg.use("hr-fish", also="faint")
    named |= {f"d{value}": kit.die(value, 46) for value in range(1, 7)}
    named |= {f"n{value}": kit.die(value, 46, fill="sea-soft", edge="sea") for value in range(1, 4)}
    named["back"] = kit.card_back(24, 32, fill="clay")
    return svg.thing("defs", "<defs>", *(f'<g id="hr-{name}">{drawing}</g>' for name, drawing in named.items()), "</defs>")


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
    dots = content.COURSE[wedge].dots
    passed = [(dot.lane, dot.angle) for dot in dots]
    made = [Way((lane, 0), (dots[d].lane, dots[d].angle), ends=(("in", lane), d)) for lane, d in enumerate(content.COURSE[wedge].entries)]
    for d, dot in enumerate(dots):
        for label, target in dot.exits:
            stop = (target - content.MAX_DOTS, 12) if target >= content.MAX_DOTS else (dots[target].lane, dots[target].angle)
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
def roads(wedge, offset, size):
    """The lines of a wedge with bridges and the labels of whirlpools (`size`: of their print, 0 for none), relative to its middle."""
    middle, fill = heart(offset), "board" if wedge == content.START_WEDGE else "sea-soft"
    parts = [svg.path("".join(way.drawn(offset, middle) for way in ways(wedge)).replace(" -", "-"), line="sea", width=2.6)]
    for way, share in bridges(wedge):
        (x1, y1), (x2, y2) = way.at(offset, 0), way.at(offset, 1)
        reach = 8 / max(20, hypot(x2 - x1, y2 - y1))
        points = [way.at(offset, min(1, max(0, share + step * reach))) for step in (-2, -1, -0.5, 0.5, 1, 2)]
        points = [(round(x - middle[0], 1), round(y - middle[1], 1)) for x, y in points]
        parts.append(svg.line(*points[2], *points[3], ink=fill, width=10) + svg.curve(points, ink="sea", width=2.6))
    for way in ways(wedge):
        if way.label >= 0 and size:
            x, y = label_at(wedge, way, offset)
            ink = "sea" if forecast.ICON[wedge][way.ends[0]] == content.IS.CHARYBDIS else "clay"
            parts.append(svg.circle(round(x - middle[0]), round(y - middle[1]), size * 0.6, fill="board", line=ink, width=1.4))
            parts.append(svg.text(way.label, round(x - middle[0]), round(y - middle[1]), size=size, fill=ink, bold=True))
    return "".join(parts)


def label_at(wedge, way, offset):
    """Where the number of a whirlpool's path stands: on its line, as far from all dots as possible."""
    dots = [dot_at(wedge, d, offset) for d in range(len(content.COURSE[wedge].dots))]
    return max((way.at(offset, share) for share in (0.52, 0.42, 0.62)), key=lambda at: min(hypot(at[0] - x, at[1] - y) for x, y in dots))


def slice_of_ring(offset, **paint):
    """The outline of a wedge, relative to its middle."""
    middle = heart(offset)
    corners = [polar(radius, bearing(offset, side)) for radius, side in ((OUTER, 0.12), (OUTER, 11.88), (INNER, 11.76), (INNER, 0.24))]
    a, b, c, d = [f"{x - middle[0]:.0f} {y - middle[1]:.0f}" for x, y in corners]
    return svg.path(f"M{a}A{OUTER} {OUTER} 0 0 1 {b}L{c}A{INNER} {INNER} 0 0 0 {d}Z".replace(" -", "-"), **paint)


@cache
def wedge_art(wedge, offset, size):
    """A wedge with everything printed on it, except the dots; `size`: of the print."""
    start = wedge == content.START_WEDGE
    outline = slice_of_ring(offset, fill="board" if start else "sea-soft", line="sea", width=1, also="low-shadow")
    stripes = ""
    if start:
        squares = [f"M{-9 * (k % 2)} {HEART - OUTER + 5 + 9 * k}h9v9h-9Z" for k in range(20)]
        stripes = svg.group(svg.path("".join(squares), fill="ink"), turn=30 * offset)
    return outline + stripes + roads(wedge, offset, size)


@cache
def dots_of(wedge, offset):
    """The dots of a wedge, from its middle: (x, y, the name of its drawing)."""
    x, y = heart(offset)
    places = [dot_at(wedge, d, offset) for d in range(len(content.COURSE[wedge].dots))]
    return [(round(a - x), round(b - y), f"hr-i{forecast.ICON[wedge][d]}") for d, (a, b) in enumerate(places)]


@cache
def small_wedge(wedge, size=PRINT):
    """A wedge as it lies on a board: upright, dots and all, without ids."""
    return wedge_art(wedge, 0, size) + "".join(svg.use(icon, (a, b)) for a, b, icon in dots_of(wedge, 0))


@cache
def piece(wedge, offset, height, narrow=False):
    """A wedge of the course with its dots; a pile's height on the rim (R27)."""
    x, y = heart(offset)
    dots = dots_of(wedge, offset)
    parts = [f'<use id="dot-{offset}-{d}" href="#{icon}" x="{a}" y="{b}"/>' for d, (a, b, icon) in enumerate(dots)]
    if wedge == content.START_WEDGE:
        lanes = [dots[d] for d in forecast.START_DOT]
        parts += [svg.text(content.UPPER[lane], a, b, size=19, bold=True, also="landing") for lane, (a, b, _) in enumerate(lanes)]
    elif height > 1:
        a, b = (round(rim - middle) for rim, middle in zip(polar(OUTER - 5, 30 * offset), (x, y), strict=True))
        parts.append(svg.circle(a, b, 11.5, fill="ink") + svg.text(height, a, b, size=19, fill="board", bold=True))
    printed = wedge_art(wedge, offset, 19 if narrow else PRINT)
    return svg.thing(f"piece-{wedge}", printed, *parts, at=(round(x, 1), round(y, 1)), motion="still")


DEFS = _defs()


def _sea():
    """The table of water under the wedges, and the dial that counts the places from the line."""
    dial = "".join(
        svg.text(k or "★", round((INNER - 10) * sin(k * pi / 6)), round(-(INNER - 10) * cos(k * pi / 6)), size=19, fill="on0", bold=True)
        for k in range(content.RING_SLOTS)
    )
    arrows = []
    for k in range(content.RING_SLOTS):
        points = [polar(INNER - 10 + away, 30 * k + 15 + ahead) for away, ahead in ((0, 2.2), (5, -1.6), (-5, -1.6))]
        arrows.append("M" + "L".join(f"{x - MIDDLE[0]:.0f} {y - MIDDLE[1]:.0f}" for x, y in points) + "Z")
    dial += svg.path("".join(arrows), fill="clay")
    edge = svg.circle(0, 0, OUTER + 4, fill="board", line="sea", width=3, also="soft-shadow")
    return svg.thing("sea", edge, svg.circle(0, 0, INNER, fill="on3"), dial, at=MIDDLE)


SEA = _sea()
MONSTER = svg.thing("hydra", svg.group(hydra(), scale=0.91), at=MIDDLE)


@cache
def round_sign(number):
    disc = svg.circle(0, 0, 42, fill="board")
    said = svg.text(words.ROUND, 0, -17, size=19, fill="muted") + svg.text(number or "–", 0, 8, size=31, serif=True, bold=True)
    return svg.thing("round", disc, said, at=MIDDLE)


@cache
def banner(first, second):
    """Across the Hydra: the last round, or who won."""
    body = svg.rect(-108, -27, 216, 54, fill="gold", line="on3", width=2, round=16, also="low-shadow")
    words = svg.text(first, 0, -11, size=20, fill="on3", serif=True, bold=True) + svg.text(second, 0, 12, size=19, fill="on3")
    return svg.thing("banner", body, words, at=(MIDDLE[0], MIDDLE[1] + 88), also="landing")


@cache
def piles(wedges, favors, discards):
    """The wedge stack, the Favor deck and the discard pile, each with its number."""
    shape = "M-30-16A120 120 0 0 1 30-16L19 22A70 70 0 0 0-19 22Z"
    top = svg.path(shape, fill="sea", line="board", width=2)
    stack = kit.stack(wedges, top, depth=3) + (svg.text(wedges, 0, 1, size=23, fill="board", bold=True) if wedges else "")
    back = kit.card_back(50, 64, fill="clay", sign=" ")
    deck = kit.stack(favors, back, layer=svg.rect(-25, -32, 50, 64, fill="clay", line="felt", width=1, round=5))
    deck += svg.circle(0, 0, 17, fill="board") + svg.text(favors, size=20, bold=True)
    fill, ink, dashed = ("stone-soft", "ink", "") if discards else ("none", "muted", "dashed")
    frame = svg.rect(-25, -32, 50, 64, fill=fill, line="stone", width=1.5, round=5, also=dashed)
    drawn = (
        ("stack", stack or svg.path(shape, line="stone", width=1.5, also="dashed"), 48, STACK_AT),
        ("deck", deck, 52, DECK_AT),
        ("discard", frame + svg.text(discards, size=20, fill=ink, bold=True), 46, DISCARD_AT),
    )
    signs = [svg.text(name, 0, low + 3, size=19, fill="muted") for name, (_, _, low, _) in zip(words.PILES, drawn, strict=True)]
    return [svg.thing(id, art, sign, at=at) for (id, art, _, at), sign in zip(drawn, signs, strict=True)]


@svg.memo
def order_thing(order, now, done, rolling):
    """The order of turns: finished turns are ticked, the current player is ringed, or everybody who is rolling."""
    parts = [svg.text(words.DOING[rolling], 0, -54 if len(order) > 2 else -32, size=19, fill="muted")]
    for k, hue in enumerate(order):
        y = -28 + k * 24 if len(order) > 2 else -6 + k * 26
        if now[k]:
            parts.append(svg.rect(-30, y - 12, 60, 24, fill=f"seat{hue}-soft", line=f"seat{hue}", width=2, round=12))
        parts.append(svg.text(f"{k + 1}.", -15, y, size=19, fill="ink" if now[k] else "muted", bold=now[k]))
        parts.append(svg.group(kit.mark(hue, 8), at=(10, y), also="half" if done[k] else ""))
        if done[k]:
            parts.append(svg.text("✓", 28, y, size=19, fill="muted"))
    return svg.thing("order", *parts, at=ORDER_AT)


@svg.memo
def ship(hue, at, left_going, rank, moving, sailed, log):
    """A trireme on its dot, with its rank and, while it sails, the movement left and the dots sailed: "3 of 9"."""
    body = svg.use(f"hr-s{hue}")
    body = f'<g transform="scale(-1 1)">{body}</g>' if left_going else body
    badge = count = ""
    if rank is not None:
        badge = svg.circle(18, -31, 11, fill="board", line="ink", width=1.4) + svg.text(rank + 1, 18, -31, size=19, bold=True)
    if moving is not None:
        count = svg.group(svg.use("hr-left"), svg.text(moving, size=19, fill="on3", bold=True), at=(-19, -31))
        log_words = svg.text(sailed, SAILED_AT - OF_AT, 0, size=19, align="end", bold=True)
        log_words += svg.text(f"of {sailed + moving}", size=19, align="start")
        count += svg.group(svg.use("hr-log"), log_words, at=(log[0] + OF_AT, log[1]))
    target = svg.circle(0, -10, 24, also="target")
    return svg.thing(f"ship-{hue}", target, body, badge, count, at=at)


@svg.memo
def player_board(seated, hue, name, place, race, active, total, said, fleece):
    """A board: name, lap track, fish holes, dice places, Favor slots. Its things are laid on top; a wide one of others has one row."""
    _, base, narrow = seated
    own, (x0, y0, width) = hue == base, seats(*seated)[hue]
    at, large = partial(on_board, width, own, narrow=narrow), 19 if narrow else 0
    tall, corner, head, size, r = (OWN_TALL, 14, 36, 20, 12) if own else (OTHER_TALL, 12, 31, max(17, large), 8.5)
    line, thick = (f"seat{hue}", 3) if active else ("line", 1.5)
    (left, y), (right, _) = at("lap", race), at("lap")
    start, stop = (width - corner, width) if own else (f"{width - corner:.1f}", f"{width:.1f}")
    bend = f"A{corner} {corner} 0 0 1"
    top = f"M{corner} 0H{start}{bend} {stop} {corner}V{head}H0V{corner}{bend} {corner} 0Z"
    body = [
        svg.rect(0, 0, width, tall, fill="board", line=line, width=thick, round=corner, also="low-shadow"),
        svg.path(top, fill=f"seat{hue}-soft"),
        svg.group(kit.mark(hue, 10 if own else 8), at=(22 if own else 17, y)),
        svg.text(name, 40 if own else 31, y, size=size, align="start", serif=True, bold=True),
    ]
    if place is not None:
        x, said_size = (114, 17) if own else (95 if narrow else 87, 15)
        body.append(svg.text(words.PLACES[place], x, y, size=max(said_size, large), align="start"))
    body.append(svg.line(left, y, right, y, ink="stone", width=2 if own else 1.6))
    for lap in range(race + 1):
        x, _ = at("lap", race - lap)
        body.append(svg.circle(x, y, r, fill="board", line="stone", width=1.5 if own else 1.2))
        if own or not narrow:
            body.append(svg.text(lap or "S", x, y, size=max(14, large) if own else 11, fill="muted"))
    body += [svg.use("hr-hole", at("fish", k), scale=1.15 if own else 0.85) for k in range(rules.MAX_FISH)]
    dice, slots = [at(what) for what in ("nav", "first", "second")], [at("card", k) for k in range(2)]
    if not own:
        body += [svg.rect(x - 15, y - 15, 30, 30, fill="felt", round=6) for x, y in dice]
        body += [svg.text("×2", 50.5, dice[0][1], size=max(15, large), bold=True)] * fleece
        body += [svg.text(total, 145, dice[0][1] + 1, size=22, serif=True, bold=True)] * (total is not None)
        half = 24 if narrow else 39
        body += [svg.rect(x - half, y - 11.5, 2 * half, 23, line="stone", width=1, round=6, also="dashed") for x, y in slots]
        return svg.thing(f"board-{hue}", *body, at=(x0, y0))
    for (x, y), title in zip(dice, words.DICE_TITLES, strict=True):
        body += [svg.rect(x - 23, y - 23, 46, 46, fill="felt", round=9), "" if narrow else svg.text(title, x, 93, size=14, fill="muted")]
    body += [svg.text("×2", 92, 79, size=max(17, large), bold=True)] * fleece
    if total is not None:
        body += [svg.text(f"= {total}", 256, 63, size=30, serif=True, bold=True)]
        body += ["" if narrow else svg.text(words.TO_SAIL, 257, 93, size=14, fill="muted")]
    half, down = (138, 30) if narrow else (71, 59)
    body += [svg.rect(x - half, y - down, 2 * half, 2 * down, line="stone", width=1.3, round=9, also="dashed") for x, y in slots]
    body += [svg.text(line, 16, 121 + 23 * k, size=max(17, large), fill="muted", align="start") for k, line in enumerate(said)]
    return svg.thing(f"board-{hue}", *body, at=(x0, y0))


@svg.memo
def favor(card, size, at):
    """A Favor: small on the boards of others, with its text on your own, large when it has just been revealed.

    On a narrow screen it is only a "sign" on the boards of others, and a "name" on your own.
    """
    kind = forecast.KIND[card]
    curse = kind == content.TRIDENT
    fill, edge, ink = ("clay-soft", "clay", "clay") if curse else ("board", "sea", "ink")
    name = content.CARD_NAMES[card]
    if size == "small":
        body = svg.rect(-39, -11.5, 78, 23, fill=fill, line=edge, width=1.5, round=6)
        body += svg.text(name, 0, 0.5, size=13.5 if len(name) < 9 else 11.8, fill=ink, bold=True)
    elif size == "sign":
        body = svg.rect(-24, -11.5, 48, 23, fill=fill, line=edge, width=1.5, round=6) + svg.use(f"hr-k{kind}")
    elif size == "name":
        body = svg.rect(-138, -30, 276, 60, fill=fill, line=edge, width=2, round=9)
        body += svg.use(f"hr-k{kind}", at=(-110, 0), scale=1.6) + svg.text(name, 14, 0, size=23, fill=ink, serif=True, bold=True)
    else:
        big = size == "large"
        w, h = LARGE_FAVOR if big else (142, 118)
        body = svg.rect(-w / 2, -h / 2, w, h, fill=fill, line=edge, width=2, round=9, also="low-shadow" if big else "")
        body += svg.group(svg.use(f"hr-k{kind}"), at=(-w / 2 + 17, -h / 2 + 18), scale=1.2 if big else 1)
        body += svg.text(name, 10, -h / 2 + 18, size=20 if big else 16, fill=ink, serif=True, bold=True)
        lines = wrap(content.CARD_TEXTS[card], 26 if big else 18)
        top, step = (43, 16) if not big else (52, 22)
        for k, said in enumerate(lines):
            body += svg.text(said, 0, -h / 2 + top + k * step, size=19 if big else 13.5, fill="ink")
        if big:
            body += svg.text(words.KIND_FEET[kind], 0, h / 2 - 18, size=19, fill="muted")
    return svg.thing(f"card-{card}", body, at=at, come="deck", go="discard", motion="flip" if size == "large" else "")


@svg.memo
def button(id, words, at, width, strong, odds):
    """A button under the dice; the chance, which can be switched off, is its second line."""
    *_, tall = BUTTONS
    shape = svg.rect(0, 0, width, tall, fill="gold-soft" if strong else "board", line="line", round=20)
    lines = svg.text(words, width / 2, 20 if odds else tall / 2 + 1, size=BUTTON_SIZE, bold=True)
    if odds:
        lines += svg.text(odds, width / 2, 42, size=19, fill="sea", bold=True, also="odds")
    return svg.thing(id, shape, lines, at=at)


@svg.memo
def hand_wedge(wedge, at, scale, size=PRINT):
    return svg.thing(f"piece-{wedge}", small_wedge(wedge, size), at=at, scale=scale, come="stack")


@svg.memo
def wake_art(p, start, stop):
    """From the Wake token to the ship, as foam on the water."""
    turn = (stop[1] - start[1]) % 360
    count = max(2, int(turn / 6))
    points = [polar(start[0] + (stop[0] - start[0]) * k / count, start[1] + turn * k / count) for k in range(count + 1)]
    x, y = points[0]
    token = svg.circle(x, y, 12, line=f"seat{p}", width=3) + svg.group(kit.mark(p, 5), at=(x, y))
    return svg.curve(points, ink=f"seat{p}", width=5, stroke_dasharray="0.1 10", also="half") + token


QUAY = svg.thing("quay", svg.rect(-122, -42, 244, 66, fill="board", line="on3", width=2, round=12), at=(MIDDLE[0], MIDDLE[1] + 90))
WAVE = "".join(svg.circle(0, 0, radius, line="sea", width=4, opacity=0) for radius in (62, 84, 106))


@lru_cache(512)
def waters(before, wedge, after, offset):
    """The dots of a wedge and its neighbours, as points."""
    return [
        dot_at(w, d, (offset + k) % content.RING_SLOTS)
        for k, w in ((-1, before), (0, wedge), (1, after))
        for d in range(len(content.COURSE[w].dots))
    ]


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
