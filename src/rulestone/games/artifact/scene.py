"""How Artifact looks and speaks: raised walls seen from above, a golden amphora carried about, a board that really turns.

The layers of the board (floor, walls, pieces, hints, squares to click) are turned together; what stands on them is turned back
by the same quarter, so that pieces stay upright while the board goes round. Ho is always left and right on the screen. For those
who want the board kept still (`still=`, and the classes `if-turned` and `if-still`) compass and cards turn instead.
"""

from functools import cache
from math import cos, hypot, pi, sin

from rulestone.table import Card, Plate, Scene, Step, kit, svg

from .content import (
    BONUS,
    CARDS,
    CHASE_PLAYS,
    COLUMNS,
    DIAG,
    DROP,
    DYNAMITE,
    HAND,
    HO,
    HOME,
    JUMP,
    KINDS,
    LAND,
    MAP_NAMES,
    MAPS,
    NEIGHBOUR,
    NONE,
    PLAYS,
    ROTATE,
    SWAP,
    TEMPLE,
    VERT,
)
from .rules import ABOUT, DISCARD, DRAW, OVER, PLAY, SELF

ANY_ORDER = True  # a card and then a square, or a square and then a card

WIDTH, HEIGHT = 820, 1010
SIDE, FRAME = 686, 27  # of the board, and its edge with the letters and numbers
MIDDLE = (10 + SIDE / 2, 92 + SIDE / 2)
COLUMN = 759  # the middle of the column beside the board: compass, discard pile, deck
COMPASS, ROUND, PILE, DECK = (COLUMN, 160), (COLUMN, 284), (COLUMN, 446), (COLUMN, 668)
SLOTS = (14, 789)  # top left of the plays of this turn
SLOT_WIDTH, SLOT_HEIGHT, SLOT_STEP = 46, 62, 52
HAND_AT, CARD_WIDTH, CARD_HEIGHT, COPY_STEP = (WIDTH / 2, 930), 94, 128, 24
NAMES = ABOUT.seats
WORDS = (
    ("Move one space along its arrow, never up onto a wall; a Rotate turns the arrow over the map.", "R18"),
    ("Move one space along its arrow, never up onto a wall; a Rotate turns the arrow over the map.", "R19"),
    ("Jump onto a neighbouring wall that is higher than you; diagonally too.", "R22"),
    ("Move one space diagonally, never up onto a wall.", "R20"),
    ("You and an opponent change places; the artifact stays where it is.", "R23"),
    ("Put a block on a neighbouring square or under yourself; whatever is there is lifted.", "R25"),
    ("Remove a neighbouring block or the one under you.", "R26"),
    ("Turn the board a quarter clockwise: Ho and Vert trade lines for everybody.", "R27"),
)
ORDER = (HO, VERT, DIAG, JUMP, SWAP, DROP, DYNAMITE, ROTATE)  # of the hand, from the left
KIND_OF = {"ho": HO, "vert": VERT, "jump": JUMP, "diag": DIAG, "swap": SWAP, "drop": DROP, "dynamite": DYNAMITE, "rotate": ROTATE}
STEPS = ("ho", "vert", "diag", "jump")
TINT = ("sea-soft", "sea-soft", "sea-soft", "sea-soft", "clay-soft", "stone-soft", "stone-soft", "gold-soft")

# ---- where things lie -----------------------------------------------------------------------------------------------------


class Ground:
    """A map as a drawing: the size of its squares and where they lie round the middle of the board, as printed."""

    def __init__(self, number):
        self.number = number
        rows = MAPS[MAP_NAMES[number]]
        self.rows, self.columns = len(rows), int(COLUMNS[number])
        self.size = (SIDE - 2 * FRAME) // max(self.rows, self.columns)
        self.lift = round(self.size * 0.17)
        self.scale = self.size / 70
        self.cells = tuple(cell for cell in range(self.rows * self.columns) if LAND[number, cell])
        self.temple = int(TEMPLE[number])
        self.homes = HOME[number].tolist()
        self.neighbours = NEIGHBOUR[number].tolist()
        self.at = {cell: self.place(cell % self.columns, cell // self.columns) for cell in range(self.rows * self.columns)}

    def place(self, column, row):
        return ((column - (self.columns - 1) / 2) * self.size, (row - (self.rows - 1) / 2) * self.size)

    def cell(self, place):
        """The number of a location from the one in the story: row · 16 + column."""
        return place // 16 * self.columns + place % 16

    def name(self, cell):
        """A square as it is called at the table: its column's letter and its row's number."""
        return f"{'abcdefghijklmnop'[cell % self.columns]}{cell // self.columns + 1}"


@cache
def ground(number):
    return Ground(number)


def turned_back(quarter, x, y):
    """A direction on the screen as one on a board turned by so many quarters."""
    for _ in range(quarter % 4):
        x, y = y, -x
    return (x, y)


def on_screen(quarter, point):
    """Where a place of the turned board is in the picture."""
    x, y = point
    for _ in range(quarter % 4):
        x, y = -y, x
    return (MIDDLE[0] + x, MIDDLE[1] + y)


def quarters(view, seat):
    """How far the board is turned for a viewer: 0 to 3; 4 if it has just come full circle, so that it turns on and not back."""
    s = view.state
    quarter = (int(s.rot) + (seat if seat is not None and s.seat_axes and view.players > 2 else 0)) % 4
    return 4 if quarter == 0 and any(event.name == "rotate" for event in view.events) else quarter


def panel_at(players, player):
    """Top left of a player's panel, and its width."""
    width = (WIDTH - 20 - 8 * (players - 1)) / players
    return (10 + player * (width + 8), 8), width


def slot_at(index, limit, base):
    """The middle of a place for a played card; those of the bonus stand a little apart."""
    x, y = SLOTS
    step = min(SLOT_STEP, 7 * SLOT_STEP / max(1, limit))
    return (x + SLOT_WIDTH / 2 + index * step + (20 if index >= base else 0), y + SLOT_HEIGHT / 2)


# ---- art ------------------------------------------------------------------------------------------------------------------

DOUBLE_ARROW = "M-25 0L-11 -13V-5H11V-13L25 0L11 13V5H-11V13Z"


def amphora(size):
    """The artifact: a golden amphora."""
    k = size / 20
    body = "M-6 -18H6L4.5 -12Q13 -7 12 1Q10 12 4 17H-4Q-10 12 -12 1Q-13 -7 -4.5 -12Z"
    handles = "M-5 -14Q-14 -15 -12.5 -5M5 -14Q14 -15 12.5 -5"
    return svg.group(
        svg.path(handles, line="on3", width=4.6)
        + svg.path(handles, line="gold", width=2.2)
        + svg.path(body, fill="gold", line="on3", width=1.6)
        + svg.path("M-11.7 -2.5L-8 1.5L-4 -2.5L0 1.5L4 -2.5L8 1.5L11.7 -2.5M-10.5 5.5H10.5", line="on3", width=1.5)
        + svg.path("M-7.5 -7Q-9.5 -3 -9 1", line="on0", width=1.8, opacity=0.8)
        + svg.path("M-6 18H6", line="on3", width=3.4),
        scale=k,
    )


def glow(size):
    return (
        svg.circle(0, 0, size, fill="gold", opacity=0.16)
        + svg.circle(0, 0, size * 0.72, fill="gold", opacity=0.22)
        + svg.path(
            "".join(
                f"M{size * 0.78 * sin(k * pi / 6):.1f} {-size * 0.78 * cos(k * pi / 6):.1f}"
                f"L{size * sin(k * pi / 6):.1f} {-size * cos(k * pi / 6):.1f}"
                for k in range(12)
            ),
            line="gold",
            width=2,
            opacity=0.75,
        )
    )


def cube(x, y, size):
    """A small block as it is drawn on cards."""
    h, lift = size / 2, size * 0.3
    return (
        svg.rect(x - h, y - h, size, size, fill="stone", line="on3", width=1.4, round=2.5)
        + svg.rect(x - h, y - h, size, size, fill="on3", round=2.5, opacity=0.3)
        + svg.rect(x - h, y - h - lift, size, size, fill="stone", line="on3", width=1.4, round=2.5)
        + svg.rect(x - h + 1, y - h - lift + 1, size - 2, size - 2, fill="on0", round=2, opacity=0.4)
    )


def stick(size):
    """A stick of dynamite with a burning fuse."""
    k = size / 20
    return svg.group(
        svg.path("M4 -12Q8 -21 15 -17", line="on3", width=2)
        + svg.path(
            "M15 -25L16.8 -19.5L22.5 -21L18.5 -16.5L22 -12L16.2 -13.3L14 -8L12.2 -13.5L7 -13.5L11.5 -17L9.5 -22L14 -19.5Z", fill="gold"
        )
        + svg.rect(-11, -12, 9, 31, fill="clay", line="on3", width=1.4, round=2)
        + svg.rect(0, -12, 9, 31, fill="clay", line="on3", width=1.4, round=2)
        + svg.rect(-5.5, -9, 9, 31, fill="clay", line="on3", width=1.4, round=2)
        + svg.path("M-12 2H10", line="on3", width=4),
        scale=k,
    )


def _icon(kind):
    """What is on a card of a kind, about 56 wide round (0, 0)."""
    if kind in (HO, VERT):
        return svg.group(svg.path(DOUBLE_ARROW, fill="sea", line="on3", width=1.6), turn=90 * (kind == VERT))
    if kind == DIAG:
        half = "M-21 -21H-6L-11 -16L0 -5L11 -16L6 -21H21V-6L16 -11L5 0L16 11L21 6V21"
        rest = "H6L11 16L0 5L-11 16L-6 21H-21V6L-16 11L-5 0L-16 -11L-21 -6Z"
        return svg.path(half + rest, fill="sea", line="on3", width=1.6)
    if kind == JUMP:
        arc = "M-22 16Q-20 -26 8 -22"
        return (
            cube(13, 13, 25)
            + svg.path(arc, line="on3", width=8)
            + svg.path("M5 -32L24 -18L4 -9Z", fill="sea", line="on3", width=1.6)
            + svg.path(arc, line="sea", width=5)
        )
    if kind == SWAP:
        half = "M-20 -2Q-18 -19 0 -19H6V-27L25 -13L6 0V-8H0Q-7 -8 -9 -2Z"
        return svg.path(half, fill="clay", line="on3", width=1.6) + svg.group(svg.path(half, fill="clay", line="on3", width=1.6), turn=180)
    if kind == DROP:
        return cube(0, 15, 27) + svg.path("M-6 -28H6V-14H14L0 0L-14 -14H-6Z", fill="clay", line="on3", width=1.6)
    if kind == DYNAMITE:
        return stick(24)
    arc = "M19.5 -9.5A21.5 21.5 0 1 0 21.5 5"
    return (
        svg.rect(-9, -9, 18, 18, fill="board", line="on3", width=1.6, round=2)
        + svg.path("M-3 -9V9M3 -9V9M-9 -3H9M-9 3H9", line="on3", width=0.9)
        + svg.path(arc, line="on3", width=8, transform="scale(-1 1) rotate(-80)")
        + svg.path(arc, line="gold", width=5, transform="scale(-1 1) rotate(-80)")
        + svg.path("M-3 -31L15 -19.5L-5 -11Z", fill="gold", line="on3", width=1.6)
    )


def piece_art(hue):
    """An adventurer: cloak in the seat's colour with its mark, and a broad hat."""
    return (
        '<ellipse cy="23" rx="19" ry="6" class="f-shade"/>'
        + svg.path("M-17 23Q-15 2 -7 -8H7Q15 2 17 23Q0 29 -17 23Z", fill=f"seat{hue}", line="on3", width=1.6)
        + svg.circle(0, -12, 8.5, fill="on0", line="on3", width=1.5)
        + svg.path("M-8 -16Q-7 -27 0 -27Q7 -27 8 -16Z", fill=f"seat{hue}", line="on3", width=1.5)
        + f'<ellipse cy="-15.5" rx="15" ry="4.2" class="f-seat{hue} s-on3" stroke-width="1.5"/>'
        + svg.group(kit.mark(hue, 7.2, f"on{hue}"), at=(0, 9))
    )


def flag_art(hue):
    return (
        svg.path("M0 24V-14", line="ink", width=3)
        + svg.path("M0 -15H26L20 -6L26 4H0Z", fill=f"seat{hue}", line="on3", width=1.4)
        + svg.group(kit.mark(hue, 5.6, f"on{hue}"), at=(9.5, -5.5))
    )


def block_art(plan):
    """A raised block: its front in shadow, its top lit along the upper edge."""
    half, lift, size = plan.size / 2 - 1.5, plan.lift, plan.size - 3
    top = -half - lift
    joints = f"M{-half + 4:.1f} {top + size * 0.36:.1f}H{half - 4:.1f}M{-half + 4:.1f} {top + size * 0.7:.1f}H{half - 4:.1f}"
    joints += f"M{half * 0.2:.1f} {top + 4:.1f}v{size * 0.36 - 4:.1f}"
    joints += f"m{-size * 0.25:.1f} 0v{size * 0.34:.1f}m{size * 0.36:.1f} 0v{size * 0.3 - 3:.1f}"
    left, edge = -half + 2, top + 2
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


def temple_art(plan):
    """The temple from above: steps, eight columns and a round floor."""
    h, k = plan.size / 2 - 2, plan.scale
    columns = "".join(
        svg.circle(x * 26 * k, y * 26 * k, 5 * k, fill="on0", line="on3", width=1.3) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y
    )
    return (
        svg.rect(-h, -h, 2 * h, 2 * h, fill="clay", round=4)
        + svg.rect(-h + 4, -h + 4, 2 * h - 8, 2 * h - 8, line="on0", width=1.4, round=3, opacity=0.7)
        + svg.circle(0, 0, 19 * k, fill="on3", opacity=0.55)
        + svg.circle(0, 0, 19 * k, line="gold", width=2)
        + columns
    )


BLAST = svg.path(
    "".join(
        ("M" if k == 0 else "L") + f"{(27 if k % 2 == 0 else 13) * sin(k * pi / 9):.1f} {-(27 if k % 2 == 0 else 13) * cos(k * pi / 9):.1f}"
        for k in range(18)
    )
    + "Z",
    line="clay",
    width=2.4,
)
CARD_BACK = kit.card_back(CARD_WIDTH, CARD_HEIGHT, sign=svg.circle(0, 0, 25, fill="on3", opacity=0.25) + amphora(24))
ICONS = tuple(_icon(kind) for kind in range(KINDS))


def use(name, *place, **more):
    """A drawing of `defs`, placed."""
    return svg.use(f"af-{name}", *place, **more)


def small_card(kind):
    """A small face-up card without words."""
    return (
        svg.rect(-15, -20, 30, 40, fill="board", line="ink", width=1.4, round=4)
        + svg.rect(-12, -17, 24, 34, fill=TINT[kind], round=3)
        + use(f"icon{kind}", scale=0.42)
    )


def small_back(player):
    """The back of a card in somebody's hand."""
    frame = svg.rect(-11, -16, 22, 32, line=f"on{player}", width=1, round=3, opacity=0.55)
    return svg.rect(-15, -20, 30, 40, fill=f"seat{player}", line="board", width=1.4, round=4) + frame + kit.mark(player, 6, f"on{player}")


@cache
def defs(number):
    """What is drawn many times, once (no words: used words are not centred)."""
    plan = ground(number)
    named = {"block": block_art(plan), "amphora": amphora(20), "glow": glow(44), "back": CARD_BACK, "stick": stick(20)}
    named["square"] = (
        f'<rect x="{2.5 - plan.size / 2:g}" y="{2.5 - plan.size / 2:g}" width="{plan.size - 5}" height="{plan.size - 5}" rx="7"/>'
    )
    named |= {f"small{kind}": small_card(kind) for kind in range(KINDS)} | {f"back{player}": small_back(player) for player in range(4)}
    named |= {f"icon{kind}": art for kind, art in enumerate(ICONS)}
    named |= {f"piece{hue}": piece_art(hue) for hue in range(4)} | {f"flag{hue}": flag_art(hue) for hue in range(4)}
    return svg.thing("defs", "<defs>", *(f'<g id="af-{name}">{art}</g>' for name, art in named.items()), "</defs>")


# ---- the board ------------------------------------------------------------------------------------------------------------


def layer(id, quarter, *children, also=""):
    """A layer of the board, turned as the board is."""
    how = {"motion": "" if quarter else "still", "still": svg.placing(MIDDLE), "also": also}
    return svg.thing(id, *children, at=MIDDLE, turn=90 * quarter, **how)


def upright(id, quarter, art, at, away=(0.0, 0.0), also="", **more):
    """Something that stands on the board and stays upright while the board turns, `away` from its place as seen on the screen."""
    inner = svg.thing(f"{id}.l", art, at=away, **more)
    how = {"still": svg.placing((0, 0))} if quarter else {"motion": "still"}
    turned = svg.thing(f"{id}.u", inner, turn=-90 * quarter, **how)
    return svg.thing(id, turned, at=at, also=also)


@cache
def floor(number, quarter, owners):
    """Flagstones, the temple, the home bases in their owners' colours, letters and numbers at the edge."""
    plan = ground(number)
    size, half = plan.size, plan.size / 2
    wide, high = plan.columns * size / 2 + FRAME, plan.rows * size / 2 + FRAME
    parts = [
        svg.rect(-wide, -high, 2 * wide, 2 * high, fill="board", line="line", width=1.5, round=14, also="soft-shadow"),
        svg.rect(-wide + 5, -high + 5, 2 * wide - 10, 2 * high - 10, line="clay", width=1.6, round=10, opacity=0.45),
        svg.rect(-wide + FRAME - 3, -high + FRAME - 3, 2 * (wide - FRAME + 3), 2 * (high - FRAME + 3), fill="line", round=5),
    ]
    stones = ["", "", ""]
    for cell in range(plan.rows * plan.columns):
        x, y = plan.at[cell]
        tone = (cell // plan.columns + cell % plan.columns) % 2 if LAND[number, cell] else 2
        inset = 1 if tone < 2 else -1
        stones[tone] += (
            f"M{x - half + inset:.1f} {y - half + inset:.1f}h{size - 2 * inset:.1f}v{size - 2 * inset:.1f}h{2 * inset - size:.1f}z"
        )
    parts += [svg.path(stones[0], fill="board"), svg.path(stones[1], fill="felt")]
    if stones[2]:
        parts += [svg.path(stones[2], fill="felt"), svg.path(hatch(plan), line="line", width=1.5)]
    parts.append(svg.group(temple_art(plan), at=plan.at[plan.temple]))
    for player, base in enumerate(owners):
        at = plan.at[plan.homes[base]]
        h = half - 3
        home = svg.rect(-h, -h, 2 * h, 2 * h, fill=f"seat{player}-soft", line=f"seat{player}", width=4, round=6)
        parts.append(still(quarter, home + svg.group(kit.mark(player, 17 * plan.scale), also="half"), at))
    if quarter % 4:
        parts += [svg.group(*edges(plan, quarter), also="if-turned"), svg.group(*edges(plan, 0), also="if-still")]
    else:
        parts += edges(plan, quarter)
    return layer("floor", quarter, *parts)


def edges(plan, quarter):
    """Letters and numbers for one who sees the board turned so far."""
    words = []
    for column in range(plan.columns):
        words += edge_words(plan, quarter, "abcdefghijklmnop"[column], (column, -1), (column, plan.rows))
    for row in range(plan.rows):
        words += edge_words(plan, quarter, row + 1, (-1, row), (plan.columns, row))
    return words


def hatch(plan):
    """Thin lines over what is not part of the board (Q31)."""
    half, d = plan.size / 2, ""
    for cell in set(plan.at) - set(plan.cells):
        x, y = plan.at[cell]
        d += f"M{x - half:.1f} {y:.1f}l{half:.1f} {-half:.1f}M{x - half:.1f} {y + half:.1f}l{2 * half:.1f} {-2 * half:.1f}"
        d += f"M{x:.1f} {y + half:.1f}l{half:.1f} {-half:.1f}"
    return d


def edge_words(plan, quarter, word, *ends):
    """A letter or number at that end of its line which is at the left or at the bottom for who looks, where no block hides it."""
    made = []
    for column, row in ends:
        out = (-1 if column < 0 else int(column == plan.columns), -1 if row < 0 else int(row == plan.rows))
        if turned_back(-quarter % 4, *out) in ((-1, 0), (0, 1)):
            (x, y), inward = plan.place(column, row), plan.size / 2 - FRAME / 2
            made.append(svg.group(svg.text(word, size=18, fill="muted"), at=(x - out[0] * inward, y - out[1] * inward), turn=-90 * quarter))
    return made


@cache
def walls(number, quarter, heights):
    """The blocks, those farther back first."""
    plan = ground(number)
    blocks = []
    for cell in sorted(
        (cell for cell, height in enumerate(heights) if height), key=lambda cell: (on_screen(quarter, plan.at[cell])[1], cell)
    ):
        for level in range(heights[cell]):
            low = level * plan.lift
            count = svg.text(level + 1, 0, -plan.lift, size=24, fill="on3", serif=True, bold=True) if level else ""
            art = use("block") + count
            blocks.append(upright(f"block-{cell}-{level}", quarter, art, plan.at[cell], (0, -low), motion="drop", come=(0, -low - 150)))
    return layer("walls", quarter, *blocks, also="deep")


@cache
def squares(number, quarter, heights):
    """The squares to click, on top of the blocks."""
    plan = ground(number)
    made = [svg.thing(f"cell-{cell}", target(quarter, heights[cell] * plan.lift), at=plan.at[cell]) for cell in plan.cells]
    return layer("squares", quarter, *made)


@cache
def target(quarter, up):
    """The outline of a square that glows, so far above its floor as seen on the screen."""
    if not up:
        return use("square", also="target")
    unturned = svg.placing((0, -up))
    return f'<g class="target" transform="{svg.placing(turned_back(quarter, 0, -up))}" data-still="{unturned}">{use("square")}</g>'


def stands(plan, pos, heights):
    """How far from the middle of its square each piece stands: those who share a square stand side by side, those on walls higher."""
    made = []
    for player, cell in enumerate(pos):
        here = [other for other, there in enumerate(pos) if there == cell]
        apart = {1: 0, 2: 36, 3: 24, 4: 17}[len(here)] * plan.scale
        right = (here.index(player) - (len(here) - 1) / 2) * apart
        made.append((right, -heights[cell] * plan.lift - 3 * plan.scale))
    return made


def artifact_away(plan, t):
    """Where on its square the artifact is drawn: held high by its holder, in front of who merely stands there, or in the middle."""
    k = plan.scale
    if t.holder != NONE:
        right, down = stands(plan, t.pos, t.heights)[t.holder]
        return (right + 15 * k, down - 20 * k)
    up = t.heights[t.art] * plan.lift
    return (-20 * k, 14 * k - up) if t.art in t.pos else (0, -up)


@cache
def men(number, quarter, heights, pos, art, holder, owners):
    """Flags, pieces and the artifact."""
    plan = ground(number)
    k = plan.scale
    parts = []
    for player, base in enumerate(owners):
        cell = plan.homes[base]
        away = (15 * k, -heights[cell] * plan.lift - 22 * k)
        parts.append(upright(f"flag-{player}", quarter, use(f"flag{player}", scale=k * 0.9), plan.at[cell], away, also="landing"))
    places = stands(plan, pos, heights)
    away = artifact_away(plan, Standing(pos, heights, art, holder))
    crowd = art in pos
    parts.append(upright("gleam", quarter, use("glow", scale=k * (0.7 if crowd else 1)), plan.at[art], away, also="landing"))
    order = sorted(range(len(pos)), key=lambda player: (on_screen(quarter, plan.at[pos[player]])[1], places[player]))
    for player in order:
        scale = k * (1 if pos.count(pos[player]) < 3 else 0.85)
        body = use(f"piece{player}", scale=scale)
        parts.append(upright(f"piece-{player}", quarter, body, plan.at[pos[player]], places[player], also="landing"))
    relic = use("amphora", scale=k * (0.82 if crowd else 1.25))
    if holder == NONE and crowd:
        relic += svg.circle(0, 0, 21 * k, line="clay", width=2.4, also="dashed")
        relic += svg.circle(-15 * k, -15 * k, 9.5 * k, fill="clay") + svg.text("?", -15 * k, -15 * k, size=16 * k, fill="on0", bold=True)
    parts.append(upright("artifact", quarter, relic, plan.at[art], away, also="landing"))
    return layer("men", quarter, *parts)


class Standing:
    """Where everything stands."""

    def __init__(self, pos, heights, art, holder):
        self.pos, self.heights, self.art, self.holder = pos, heights, art, holder


NUMBERS = ("phase", "used", "limit", "bonus", "art", "holder", "deck_n", "disc_n", "played_n")
LISTS = ("hand", "known", "hand_n")


class Table(Standing):
    """The fields of a view as plain values, read when they are asked for."""

    def __init__(self, view):
        self.view, self.players, self.mover = view, view.players, view.to_move

    def __getattr__(self, name):
        s = self.view.state
        if name in NUMBERS:
            value = int(getattr(s, name))
        elif name in LISTS:
            value = getattr(s, name).tolist()
        elif name == "plan":
            value = ground(int(s.map))
        elif name == "pos":
            value = tuple(s.pos.tolist()[: self.players])
        elif name == "owners":
            value = tuple(s.base.tolist()[: self.players])
        elif name == "heights":
            value = tuple(s.h.tolist()[: self.plan.rows * self.plan.columns])
        elif name == "pile":
            value = s.disc.tolist()[: self.disc_n]
        elif name == "played":
            value = s.played.tolist()[: self.played_n]
        else:
            raise AttributeError(name)
        setattr(self, name, value)
        return value

    def home(self, player):
        return self.plan.homes[self.owners[player]]

    @property
    def base_limit(self):
        """The plays without those of the bonus."""
        return max(1, self.limit - BONUS * self.bonus)

    def others_at(self, cell, player):
        return [other for other in range(self.players) if other != player and self.pos[other] == cell]

    def way_to(self, player, cell):
        """In which of the eight ways a square lies next to a player, or None."""
        near = self.plan.neighbours[self.pos[player]]
        return near.index(cell) if cell in near else None

    def target(self, move):
        """The square a play is aimed at, or None."""
        me = self.mover
        if move.verb == "swap":
            return self.pos[move.args[0]]
        if move.verb not in KIND_OF or move.verb == "rotate":
            return None
        way = move.args[0]
        if move.verb in ("ho", "vert"):
            way *= 2
        elif move.verb == "diag":
            way = 2 * way + 1
        return self.pos[me] if way == SELF else self.plan.neighbours[self.pos[me]][way]


# ---- cards and panels -----------------------------------------------------------------------------------------------------


@cache
def card_face(kind, quarter, copies=1, id=""):
    """A card of the hand: its sign, its name, and on Ho and Vert which ways of the printed map they are now. 0 copies: one below."""
    w, h = CARD_WIDTH, CARD_HEIGHT
    parts = [
        svg.rect(-w / 2, -h / 2, w, h, fill="board", line="ink", width=1.6, round=9, also="low-shadow"),
        svg.rect(-w / 2 + 5, -h / 2 + 5, w - 10, 79, fill=TINT[kind], round=6),
    ]
    if not copies:
        return "".join(parts)
    parts.append(svg.group(along(kind, quarter, id), at=(0, -19), scale=1.06))
    words = CARDS[kind].split()
    size = 19 if len(CARDS[kind]) < 7 else 18 if len(words) > 1 else 16.5
    parts += [svg.text(word, 0, 41 + 18.5 * (k - (len(words) - 1) / 2), size=size, bold=True) for k, word in enumerate(words)]
    if kind in (HO, VERT):
        parts += (
            line_ends(kind, quarter)
            if quarter % 4 == 0
            else [
                svg.group(*line_ends(kind, quarter), also="if-turned"),
                svg.group(*line_ends((HO, VERT)[(kind == VERT) ^ quarter % 2], 0), also="if-still"),
            ]
        )
    if copies > 1:
        badge = svg.circle(0, 0, 15, fill="ink") + svg.text(f"×{copies}", size=17, fill="board", bold=True)
        parts.append(svg.group(badge, at=(w / 2 - 8, -h / 2 + 8)))
    return "".join(parts)


def along(kind, quarter, id=""):
    """The sign of a card; those of Ho and Vert turn where the board is kept still."""
    if kind not in (HO, VERT):
        return use(f"icon{kind}")
    unturned = svg.placing((0, 0), 90 * quarter)
    return svg.thing(id, use(f"icon{kind}"), still=unturned) if id else f'<g data-still="{unturned}">{use(f"icon{kind}")}</g>'


def line_ends(kind, quarter):
    """Which ways of the printed map the ends of an arrow are."""
    ends = [("N", "E", "S", "W")[(way - quarter) % 4] for way in ((3, 1) if kind == HO else (0, 2))]
    places = ((-30, 7), (30, 7)) if kind == HO else ((-22, -43), (-22, 7))
    return [svg.text(end, *at, size=15, fill="muted") for end, at in zip(ends, places, strict=True)]


@cache
def fan(counts):
    """Where the kinds of a hand lie: kind → (x, y, turn) of its middle, the width of its copies, and the step between them."""
    kinds = [kind for kind in ORDER if counts[kind]]
    extra = sum(counts[kind] - 1 for kind in kinds)
    room = WIDTH - 24
    step = min(COPY_STEP, (room - len(kinds) * CARD_WIDTH) / max(1, extra)) if extra else 0
    step = max(6, step)
    gap = min(14, (room - len(kinds) * CARD_WIDTH - extra * step) / max(1, len(kinds) - 1))
    total = len(kinds) * CARD_WIDTH + extra * step + gap * (len(kinds) - 1)
    x, made = HAND_AT[0] - total / 2, {}
    for index, kind in enumerate(kinds):
        width = CARD_WIDTH + (counts[kind] - 1) * step
        away = index - (len(kinds) - 1) / 2
        made[kind] = (x + width / 2, HAND_AT[1] + abs(away) ** 1.7 * 0.9, away * 1.5, width, step)
        x += width + gap
    return made


@cache
def hand(counts, quarter, come):
    """The hand as a fan; cards of one kind lie together and are clicked as one thing."""
    made = []
    places = fan(counts)
    for kind in ORDER:
        parts = []
        if counts[kind]:
            x, y, turn, width, step = places[kind]
            w, h = width + 9, CARD_HEIGHT + 9  # so that its glow is seen round the cards
            outline = svg.rect(-w / 2, -h / 2, w, h, fill="felt", round=13, transform=svg.placing((x, y), turn))
            parts.append(outline)
            for copy in range(counts[kind]):
                along = -width / 2 + CARD_WIDTH / 2 + copy * step
                at = (x + along * cos(turn * pi / 180), y + along * sin(turn * pi / 180))
                top = counts[kind] if copy == counts[kind] - 1 else 0
                body = card_face(kind, quarter, top, f"way-{kind}" if top else "")
                parts.append(svg.thing(f"copy-{kind}-{copy}", body, at=at, turn=turn, come=come))
        made.append(svg.thing(f"card-{kind}", *parts))
    return tuple(made)


@cache
def reference(quarter):
    """For those who only watch: the eight kinds of cards."""
    return tuple(
        svg.thing(f"kind-{kind}", card_face(kind, quarter), at=(HAND_AT[0] + (index - 3.5) * (CARD_WIDTH + 6), HAND_AT[1]))
        for index, kind in enumerate(ORDER)
    )


@cache
def panel(player, players, size, shown, active, holds, mine):
    """A player's panel: the mark, the name, the cards in hand (known ones face up), and the artifact if it is his."""
    at, width = panel_at(players, player)
    parts = [
        svg.rect(0, 0, width, 76, fill="board", line=f"seat{player}" if active else "line", width=4 if active else 1.5, round=13),
        svg.group(kit.mark(player, 10), at=(22, 22)),
        svg.text(NAMES[player], 40, 22, size=21, align="start", bold=True),
    ]
    start = 50 + len(NAMES[player]) * 13.5
    if mine and not (holds and width < 250):
        parts.append(svg.text("you", start, 23, size=18, fill="muted", align="start", serif=True))
    if holds:
        parts.append(svg.group(use("glow", scale=0.5), use("amphora", scale=0.85), at=(width - 25, 22)))
    cards = [*shown[:size], *[None] * (size - len(shown))]
    words = f"{size} card{'s' * (size != 1)}" if width > 250 else str(size)
    room = width - 28 - 10 * len(words)
    step = min(33, (room - 30) / max(1, size - 1))
    for index, kind in enumerate(reversed(cards)):  # the known ones last, on top
        parts.append(use(f"back{player}" if kind is None else f"small{kind}", at=(27 + round(index * step, 1), 53), scale=0.95))
    parts.append(svg.text(words, width - 12, 56, size=19, fill="muted", align="end"))
    return svg.thing(f"seat-{player}", *parts, at=at)


@cache
def compass(quarter):
    """What Ho and Vert mean now: Ho is left and right, and the needle shows where the map's north has gone."""
    ring = svg.circle(0, 0, 50, fill="board", line="line", width=1.5, also="low-shadow")
    arrows = svg.path("M-33 0H33M0 -33V33", line="sea", width=4)
    arrows += svg.path("M-42 0L-31 -8V8ZM42 0L31 -8V8ZM0 -42L-8 -31H8ZM0 42L-8 31H8Z", fill="sea")
    lines = [svg.text("Ho", -23, 82, size=18, bold=True), svg.text("Vert", 36, 82, size=18, bold=True)]
    for kind, x in ((HO, -49), (VERT, 3)):
        unturned = svg.placing((x, 82), 90 * quarter, 0.4)
        lines.append(svg.thing(f"line-{kind}", use(f"icon{kind}"), at=(x, 82), scale=0.4, still=unturned))
    body = svg.thing("compass", ring, arrows, *lines, at=COMPASS)
    how = {"motion": "" if quarter else "still"}
    sign = svg.circle(0, 0, 11, fill="clay") + svg.text("N", 0, 0, size=15, fill="on-clay", bold=True)
    north = svg.thing("north", sign, at=(0, -51), turn=-90 * quarter, still=svg.placing((0, -51)), **how)
    return body, svg.thing("needle", north, at=COMPASS, turn=90 * quarter, still=svg.placing(COMPASS), also="landing", **how)


@cache
def round_sign(number, spare):
    """The round, and the spare blocks where they are counted."""
    blocks = "" if spare is None else svg.text(f"{spare} block{'s' * (spare != 1)} left", 0, 26, size=18, fill="muted", serif=True)
    return svg.thing("round", svg.text(f"Round {number}", size=19, fill="muted", serif=True), blocks, at=ROUND)


@cache
def piles(deck_n, disc_n, top, quarter, offered, come):
    """The deck and the discard pile with its top card; under them cards that fly when one is drawn or the pile is shuffled."""
    w, h = CARD_WIDTH, CARD_HEIGHT
    ground_ = svg.rect(-w / 2 - 5, -h / 2 - 5, w + 10, h + 10, fill="felt", line="line", width=1.5, round=13)
    empty = svg.text("empty", size=18, fill="muted")
    title = {
        word: svg.text(f"{word} {count}", 0, -h / 2 - 20, size=19, fill="muted", serif=True)
        for word, count in (("Deck", deck_n), ("Discards", disc_n))
    }
    things = [svg.thing(f"fly-{deck_n - k}", use("back"), at=DECK, also="landing") for k in range(min(7, deck_n))]
    under = "".join(use("back", at=(0, 2.5 * k)) for k in range(min(3, deck_n - 1), 0, -1))
    things.append(svg.thing("deck", ground_, under, use("back") if deck_n else empty, title["Deck"], at=DECK))
    things.append(svg.thing("discard", ground_, empty if not disc_n else "", title["Discards"], at=PILE))
    if disc_n > 1:
        layer_ = svg.rect(-w / 2, -h / 2, w, h, fill="board", line="stone", width=1.4, round=9)
        rest = "".join(svg.group(layer_, at=(0, 2.5 * k)) for k in range(min(3, disc_n - 1), 0, -1))
        things.append(svg.thing(f"rest-{disc_n}", rest, at=PILE, also="landing"))
    if disc_n:
        frame = svg.rect(-w / 2 + 1, -h / 2 + 1, w - 2, h - 2, line="clay", width=3.5, round=8, also="dashed") if offered else ""
        body = card_face(top, quarter) + frame
        things.append(svg.thing(f"top-{disc_n}", body, at=PILE, motion="" if come else "still", come=come, also="landing"))
    return tuple(things)


@cache
def plays(used, limit, base, phase, first, second):
    """The plays of this turn: a place for each card that may be played, a pip in those that are left, and why there are so many."""
    parts = []
    for index in range(max(limit, used)):
        x, y = slot_at(index, max(limit, used), base)
        parts.append(
            svg.rect(x - SLOT_WIDTH / 2, y - SLOT_HEIGHT / 2, SLOT_WIDTH, SLOT_HEIGHT, fill="board", line="line", width=1.5, round=6)
        )
        if index >= used and phase in (DRAW, PLAY):
            parts.append(svg.circle(x, y, 10, fill="gold", line="on3", width=1.4))
    if limit > base:
        x, y = slot_at(base, max(limit, used), base)
        parts.append(svg.text("+", x - SLOT_WIDTH / 2 - 13, y, size=24, fill="gold", bold=True))
    x = slot_at(max(limit, used, 1) - 1, max(limit, used), base)[0] + SLOT_WIDTH / 2 + 16
    parts.append(svg.text(first, x, SLOTS[1] + 18, size=22, align="start", bold=True))
    parts.append(svg.text(second, x, SLOTS[1] + 46, size=19, fill="muted", align="start"))
    return svg.thing("plays", *parts)


@cache
def played_card(index, kind, limit, base, last, come):
    """A card played in this turn; the last one is outlined: it will lie on top of the discard pile, on offer to the next player."""
    frame = svg.rect(-19, -26, 38, 52, line="clay", width=3, round=5, also="dashed") if last else ""
    body = svg.rect(-20, -27, 40, 54, fill="board", line="ink", width=1.4, round=5) + svg.rect(
        -16.5, -23.5, 33, 47, fill=TINT[kind], round=3
    )
    return svg.thing(
        f"played-{index}",
        body,
        use(f"icon{kind}", scale=0.56),
        frame,
        at=slot_at(index, limit, base),
        motion="" if come else "still",
        come=come,
    )


# ---- hints: what a card would do ------------------------------------------------------------------------------------------


def tag(words, ink="on0", fill="on3"):
    """A small dark label."""
    width = len(words) * 9.4 + 14
    return svg.rect(-width / 2, -13, width, 26, fill=fill, line="on0", width=1.2, round=8) + svg.text(words, size=17, fill=ink, bold=True)


def arrow_between(a, b, ink="clay", bend=0.0, short=0.24):
    """A bold arrow from near one place to near another, bent to the left of its way by `bend`."""
    (x1, y1), (x2, y2) = a, b
    dx, dy = x2 - x1, y2 - y1
    long = hypot(dx, dy) or 1.0
    ux, uy = dx / long, dy / long
    mx, my = (x1 + x2) / 2 + uy * bend, (y1 + y2) / 2 - ux * bend
    start, tip = (x1 + ux * long * short, y1 + uy * long * short), (x2, y2)
    hx, hy = tip[0] - mx, tip[1] - my
    away = hypot(hx, hy) or 1.0
    hx, hy = hx / away, hy / away
    neck = (tip[0] - hx * 15, tip[1] - hy * 15)
    way = f"M{start[0]:.1f} {start[1]:.1f}Q{mx:.1f} {my:.1f} {neck[0]:.1f} {neck[1]:.1f}"
    head = [tip, (neck[0] - hy * 12, neck[1] + hx * 12), (neck[0] + hy * 12, neck[1] - hx * 12)]
    return svg.path(way, line="on0", width=11) + svg.polygon(head, fill=ink, line="on0", width=3) + svg.path(way, line=ink, width=6.5)


def hints(t, quarter, moves):
    """What each card of the mover can do now, shown while the card is pointed at or chosen."""
    plan, me = t.plan, t.mover
    by_kind = {}
    for move in moves:
        if move.verb in KIND_OF:
            by_kind.setdefault(KIND_OF[move.verb], []).append(move)
    here = plan.at[t.pos[me]]
    made = []
    for kind, kind_moves in by_kind.items():
        parts = []
        for move in kind_moves:
            cell = t.target(move)
            if cell is None:
                parts.append(TURN_ARROW)
                continue
            at, top = plan.at[cell], t.heights[cell] * plan.lift
            if kind in (HO, VERT, DIAG, JUMP):
                parts.append(arrow_between(here, at, "sea", 16 * plan.scale if kind == JUMP else 0))
                if cell == t.art and t.holder != me:
                    words = tag(f"take it: +{BONUS}" if t.bonus == 0 else "take it", fill="clay")
                    parts.append(still(quarter, words, at, (0, 42 * plan.scale - top)))
            elif kind == SWAP:
                bend = 20 + 0.2 * hypot(at[0] - here[0], at[1] - here[1])
                parts.append(arrow_between(here, at, "clay", bend, 0.1) + arrow_between(at, here, "clay", bend, 0.1))
            elif kind == DROP:
                parts.append(still(quarter, svg.group(use("block"), also="ghost"), at, (0, -top)))
            elif kind == DYNAMITE:
                parts.append(still(quarter, use("stick", scale=plan.scale * 1.1), at, (0, -top)))
        parts += blocked(t, quarter, kind) if kind in (HO, VERT, DIAG) else []
        if kind == SWAP:
            parts.append(still(quarter, tag(swap_says(t), fill="clay"), inside(plan.at[t.art]), (0, -50 * plan.scale)))
        made.append(svg.thing(f"hint-{kind}", *parts, hover=f"card-{kind}"))
    return layer("hints", quarter, *made)


@cache
def prize(number, quarter, cell):
    """The holder's square beckons when it can be reached: who comes there takes the artifact."""
    plan = ground(number)
    half = plan.size / 2 - 1
    ring = svg.rect(-half, -half, 2 * half, 2 * half, line="clay", width=5, round=9, also="beckon")
    return layer("prize", quarter, svg.group(ring, at=plan.at[cell]), also="landing")


def still(quarter, art, at, away=(0, 0)):
    """Something upright on the turned board, `away` from its place as seen on the screen."""
    inner = svg.group(art, at=away) if any(away) else art
    if not quarter % 4:
        return svg.group(inner, at=at)
    return f'<g transform="{svg.placing(at, -90 * quarter)}" data-still="{svg.placing(at)}">{inner}</g>'


def inside(point):
    """Not too near the edge, so that a label fits."""
    most = SIDE / 2 - 110
    return (max(-most, min(most, point[0])), max(-most - 90, min(most + 90, point[1])))


def blocked(t, quarter, kind):
    """Where the card would go if the square were not higher."""
    made = []
    for way, cell in enumerate(t.plan.neighbours[t.pos[t.mover]]):
        seen = (way + 2 * quarter) % 8
        along = {HO: seen in (2, 6), VERT: seen in (0, 4), DIAG: seen % 2 == 1}[kind]
        if along and cell != NONE and t.heights[cell] > t.heights[t.pos[t.mover]]:
            made.append(still(quarter, tag("Jump!"), t.plan.at[cell], (0, -t.heights[cell] * t.plan.lift)))
    return made


def swap_says(t):
    """R24: what becomes of the artifact if the mover swaps."""
    if t.view.state.swap_carry:
        return "goes with its holder"
    if t.holder == t.mover:
        return "stays here!"
    return "stays here: swap and it is yours" if t.others_at(t.art, t.mover) else "stays here"


_SWEEP = [(250 * sin(k * pi / 18), -250 * cos(k * pi / 18)) for k in (2, 3, 4, 5, 6, 7, 8)]
TURN_ARROW = svg.group(
    *(
        svg.group(
            svg.curve(_SWEEP, ink="on0", width=18)
            + svg.polygon([(251, 14), (211, -52), (283, -44)], fill="gold", line="on0", width=4)
            + svg.curve(_SWEEP, ink="gold", width=12),
            turn=180 * k,
        )
        for k in range(2)
    )
)


def trail(t, quarter, events):
    """A faint trace of what the last move did on the board."""
    plan, parts = t.plan, []
    for event in events:
        name, args = event.name, event.args
        if name in STEPS:
            there = plan.cell(args[2])
            back = plan.neighbours[there][(args[1] + 4) % 8]
            parts.append(svg.line(*plan.at[back], *plan.at[there], ink=f"seat{args[0]}", width=5, also="dashed"))
        elif name == "swap":
            one, two = (plan.at[t.pos[player]] for player in args)
            parts.append(svg.line(*one, *two, ink=f"seat{args[0]}", width=5, also="dashed"))
        elif name == "dynamite":
            parts.append(svg.group(BLAST, at=plan.at[plan.cell(args[1])], scale=plan.scale))
    return layer("trail", quarter, svg.group(*parts, also="half")) if parts else None


# ---- the scene ------------------------------------------------------------------------------------------------------------


def scene(view, seat):
    """Players on top, the board with compass and piles beside it, then the plays of this turn, and nearest to the prompt the hand."""
    t, quarter = Table(view), quarters(view, seat)
    number = t.plan.number
    events = view.events
    mine = seat is not None and t.mover == seat
    things = [defs(number), floor(number, quarter, t.owners), walls(number, quarter, t.heights)]
    seen = trail(t, quarter, events)
    if seen:
        things.append(seen)
    things.append(men(number, quarter, t.heights, t.pos, t.art, t.holder, t.owners))
    if mine and t.phase == PLAY:
        legal = view.legal()
        if t.holder not in (NONE, seat) and any(move.verb in STEPS and t.target(move) == t.art for move in legal):
            things.append(prize(number, quarter, t.art))
        things.append(hints(t, quarter, legal))
    things.append(squares(number, quarter, t.heights))
    things += [panel_of(t, player, seat) for player in range(t.players)]
    things += (
        *compass(quarter),
        round_sign(int(view.state.turn) // t.players + 1, int(view.state.spare) if view.state.block_supply else None),
    )
    names = [event.name for event in events]
    actor = next((event.args[0] for event in events if event.name in ("discards", "picks", *KIND_OF)), None)
    away = f"seat-{actor}" if actor is not None and actor != seat else ""
    offered = t.phase in (PLAY, DISCARD) and not t.played and t.disc_n > 0
    things += piles(t.deck_n, t.disc_n, t.pile[-1] if t.pile else 0, quarter, offered, away if "discards" in names else "")
    if t.phase != OVER or t.played:
        things.append(plays(t.used, t.limit, t.base_limit, t.phase, *reasons(t, seat)))
    most = max(t.limit, t.used)
    for index, kind in enumerate(t.played):
        last = index == t.played_n - 1
        things.append(
            played_card(index, kind, most, t.base_limit, last and t.phase != OVER, away if last and names and names[0] in KIND_OF else "")
        )
    taken = any(name in ("takes", "steals") for name in names)
    taker = t.mover if t.mover is not None else 0
    (x, y), width = panel_at(t.players, taker)
    things.append(svg.thing("bonus", PLUS, at=(x + width - 25, y + 22), scale=0.01, motion="still" if taken else "", also="landing"))
    if seat is None:
        things += reference(quarter)
    else:
        things += hand(tuple(t.hand[seat]), quarter, "discard" if "picks" in names else "deck")
    return Scene(WIDTH, HEIGHT, things, title=title(t), cards=cards(t, seat, quarter), plates=plates(t))


PLUS = svg.circle(0, 0, 26, fill="gold", line="on3", width=2) + svg.text(f"+{BONUS}", size=24, fill="on3", bold=True)


def panel_of(t, player, seat):
    """What of a hand everybody may see; all of it when nothing is hidden (looking back)."""
    open_ = player != seat and sum(t.hand[player]) == t.hand_n[player]
    counts = t.hand[player] if open_ else t.known[player]
    shown = tuple(kind for kind in ORDER for _ in range(counts[kind]))
    return panel(player, t.players, t.hand_n[player], shown, player == t.mover, player == t.holder, player == seat)


def reasons(t, seat):
    """How many plays are left, and why there are so many."""
    if t.mover is None:
        return "The game is over", ""
    you = t.mover == seat
    who, left = ("You" if you else NAMES[t.mover]), max(0, t.limit - t.used)
    why = []
    if t.holder not in (NONE, t.mover):
        why.append(f"{t.base_limit}: {'you have' if t.holder == seat else NAMES[t.holder] + ' has'} the artifact")
    elif t.base_limit > (int(t.view.state.opening_limit) if int(t.view.state.turn) == 0 else PLAYS):
        owner = "another" if t.players > 2 else "you" if seat == 1 - t.mover else NAMES[1 - t.mover]
        why.append(f"{t.base_limit}: {owner} had {'it' if t.bonus else 'the artifact'}")
    else:
        why.append(f"{t.base_limit} in a turn")
    if t.bonus:
        why.append(f"+{BONUS * t.bonus}: {'you' if you else NAMES[t.mover]} took it")
    reason = ", ".join(why)
    if t.phase == DRAW:
        return f"{who} may play {t.limit} card{'s' * (t.limit != 1)}", reason
    if t.phase == PLAY:
        return f"{left} play{'s' * (left != 1)} left{'' if you else f' for {who}'}", reason
    return "No more plays", f"now discard, then refill to {HAND}"


def title(t):
    """One sentence for those who do not see the picture."""
    where = f"at {t.plan.name(t.art)}"
    if t.holder != NONE:
        return f"Artifact: {NAMES[t.holder]} has the artifact {where}"
    return f"Artifact: the artifact is in the temple {where}" if t.art == t.plan.temple else f"Artifact: the artifact is loose {where}"


def plates(t):
    made = []
    for player in range(t.players):
        known = [CARDS[kind] for kind in ORDER if t.known[player][kind]]
        lines = [f"{t.hand_n[player]} card{'s' * (t.hand_n[player] != 1)}" + (f" (known: {', '.join(known)})" if known else "")]
        made.append(Plate(tuple(lines), "has the artifact" if t.holder == player else ""))
    return tuple(made)


# ---- hover cards ----------------------------------------------------------------------------------------------------------


@cache
def card_of(name, words, rule):
    return Card(name, words, rule)


def cards(t, seat, quarter):
    """What everything is."""
    made = dict(square_cards(t.plan.number, t.heights))
    near = t.plan.neighbours[t.pos[seat]] if seat is not None else ()
    for cell in {*t.pos, *near, *map(t.home, range(t.players)), t.art, t.plan.temple} - {NONE}:
        made[f"cell-{cell}"] = square_card(t, seat, cell)
    for kind in range(KINDS):
        if seat is None:
            made[f"kind-{kind}"] = card_of(CARDS[kind], *WORDS[kind])
        elif t.hand[seat][kind]:
            made[f"card-{kind}"] = card_of(CARDS[kind], *WORDS[kind])
    left = f"{t.deck_n} card{'s' * (t.deck_n != 1)} face down"
    made["deck"] = card_of("Deck", f"{left}; when it runs out, the discard pile but its top card is shuffled.", "R15")
    made["discard"] = card_of("Discard pile", pile_says(t), "R7" if t.phase == DRAW else "R14")
    lines = ("west and east", "north and south")
    half = quarter % 2
    made["compass"] = card_of("Compass", f"Ho is now {lines[half]} of the printed map, Vert {lines[1 - half]}; N shows its north.", "R27")
    for player in range(t.players):
        made[f"seat-{player}"] = card_of(NAMES[player], seat_says(t, player), "Q48")
    if t.phase != OVER:
        made["plays"] = card_of(
            "Plays of this turn",
            f"{PLAYS} cards, {CHASE_PLAYS} if another has the artifact when the turn begins, and {BONUS} more if you take it.",
            "R13",
        )
    for index, kind in enumerate(t.played):
        last = " It will lie on top of the discard pile, for the next player to take." if index == t.played_n - 1 else ""
        made[f"played-{index}"] = card_of(f"{CARDS[kind]}, played", f"It goes onto the discard pile at the end of the turn.{last}", "R14")
    return made


@cache
def square_cards(number, heights):
    """The squares as they are by themselves."""
    plan = ground(number)
    return {f"cell-{cell}": plain_square(plan.name(cell), heights[cell]) for cell in plan.cells}


@cache
def plain_square(name, high):
    if not high:
        return Card(f"{name} (ground)", "An empty space.", "R16")
    tall = f", {high} blocks high" if high > 1 else ""
    return Card(f"{name} (a wall{tall})", "Blocks can be jumped onto, walked on and blown up.", "R17")


def pile_says(t):
    if not t.pile:
        return "It is empty."
    listed = [CARDS[kind] for kind in reversed(t.pile)]
    more = f" and {len(listed) - 12} more" if len(listed) > 12 else ""
    return f"From the top: {', '.join(listed[:12])}{more}."


def seat_says(t, player):
    known = [f"{t.known[player][kind]} {CARDS[kind]}" for kind in ORDER if t.known[player][kind]]
    words = f"{t.hand_n[player]} card{'s' * (t.hand_n[player] != 1)} in hand" + (f", known: {', '.join(known)}" if known else "")
    return f"{words}; home base {t.plan.name(t.home(player))}{', has the artifact' if t.holder == player else ''}."


def square_card(t, seat, cell):
    """A square: what is there, who is there, and whether one can get there."""
    name, high = t.plan.name(cell), t.heights[cell]
    owner = next((player for player in range(t.players) if t.home(player) == cell), None)
    here = [NAMES[player] for player in range(t.players) if t.pos[player] == cell]
    if owner is not None:
        name += f" ({NAMES[owner]}'s home base)"
        words, rule = f"{NAMES[owner]} wins by having the artifact here", "R29"
    elif cell == t.plan.temple:
        name += " (the temple)"
        words, rule = "The artifact was here when the game began", "R5"
    else:
        plain = plain_square(name, high)
        name, words, rule = plain.name, plain.text[:-1], plain.rule
    if high and (owner is not None or cell == t.plan.temple):
        words += "; a block lies on it"
    if here:
        words += f"; {' and '.join(here)} {'is' if len(here) == 1 else 'are'} here"
    if cell == t.art:
        rule = "R12"
        if t.holder == NONE:
            words += "; the artifact lies here, nobody controls it" + (
                "; who starts a turn here takes it" if here else ": move here to take it"
            )
        else:
            words += f"; {NAMES[t.holder]} has the artifact" + (": move here to take it" if seat != t.holder and seat is not None else "")
    me = seat
    if me is not None and t.way_to(me, cell) is not None and high > t.heights[t.pos[me]]:
        words, rule = f"{words}; it is higher than you: that needs Jump", "R21" if cell != t.art else rule
    return card_of(name, words + ".", rule)


# ---- clicking and speaking ------------------------------------------------------------------------------------------------


def picks(view, move):
    """A card and its square; Swap the opponent's square (and the panel, if several stand there); Rotate is clicked twice."""
    if move.verb in ("draw_deck", "draw_discard"):
        return ("deck",) if move.verb == "draw_deck" else ("discard",)
    if move.verb == "discard":
        return (f"card-{move.args[0]}",)
    if move.verb not in KIND_OF:
        return ()
    card = f"card-{KIND_OF[move.verb]}"
    if move.verb == "rotate":
        return (card, card)
    t = Table(view)
    cell = t.target(move)
    if move.verb == "swap" and len(t.others_at(cell, t.mover)) > 1:
        return (card, f"cell-{cell}", f"seat-{move.args[0]}")
    return (card, f"cell-{cell}")


def say_move(view, move):
    t = Table(view)
    verb = move.verb
    if verb == "draw_deck":
        return "Draw from the deck"
    if verb == "draw_discard":
        return f"Take {CARDS[t.pile[-1]]} from the discard pile"
    if verb in ("end_play", "end_turn"):
        return "Stop playing cards" if verb == "end_play" else "End the turn"
    if verb == "discard":
        return f"Discard {CARDS[move.args[0]]}"
    if verb == "rotate":
        return "Turn the board a quarter with Rotate"
    if verb == "swap":
        return f"Swap places with {NAMES[move.args[0]]}"
    cell = t.target(move)
    where = t.plan.name(cell)
    if verb in ("drop", "dynamite"):
        own = cell == t.pos[t.mover]
        if verb == "drop":
            return f"Drop a block {'under yourself' if own else f'on {where}'}"
        return f"Blow up the block {'under you' if own else f'on {where}'}"
    takes = " and take the artifact" if cell == t.art and t.holder != t.mover else ""
    return f"{'Leap onto' if verb == 'jump' else 'Step to'} {where} with {CARDS[KIND_OF[verb]]}{takes}"


def confirm(view, move):
    """Asked before the artifact is left to somebody else: by staying with them, on their base, or by a Swap."""
    t = Table(view)
    if t.holder != t.mover:
        return None
    if move.verb == "swap" and not view.state.swap_carry and not view.state.passive_take:
        other = NAMES[move.args[0]]
        return (
            f"Swap with {other}? The artifact stays at {t.plan.name(t.art)}: {other} will stand on it and take it when their turn begins."
        )
    if move.verb == "end_play":
        return left_behind(t, t.pos[t.mover], "Stop all the same?")
    if move.verb in STEPS and t.used + 1 >= t.limit and t.target(move) != t.home(t.mover):
        return left_behind(t, t.target(move), "It is your last play. Go there all the same?")
    return None


def left_behind(t, cell, question):
    """Q18, Q43: who would get the artifact if the turn ended on this square."""
    others = t.others_at(cell, t.mover)
    if others:
        after = sorted(others, key=lambda other: (other - t.mover) % t.players)
        return f"{NAMES[after[0]]} stands there too and takes the artifact when their turn begins. {question}"
    owner = next((player for player in range(t.players) if player != t.mover and t.home(player) == cell), None)
    if owner is not None:
        return f"That is {NAMES[owner]}'s home base: whoever of that colour gets the artifact there wins. {question}"
    return None


def prompt(view, seat):
    t, name = Table(view), NAMES[seat]
    if t.phase == DRAW:
        top = f", or take {CARDS[t.pile[-1]]} from the discard pile" if t.pile else ""
        got = "you have taken the artifact; " if t.bonus and t.holder == seat else ""
        return f"Your turn, {name}: {got}draw a card from the deck{top}."
    if t.phase == PLAY:
        left = t.limit - t.used
        others = t.others_at(t.pos[seat], seat) if t.holder == seat else []
        run = f", but do not stay: {NAMES[others[0]]} stands here too" if others else ""
        return f"{left} play{'s' * (left != 1)} left, {name}: choose a card and then what glows, or stop playing{run}."
    if view.state.hand_cap and t.hand_n[seat] > int(view.state.hand_cap):
        return f"Discard down to {int(view.state.hand_cap)} cards, {name}: choose the ones you do not need."
    more = max(0, HAND - t.hand_n[seat])
    refill = f" and refill with {more} card{'s' * (more != 1)}" if more else ""
    return f"Choose cards you want to discard, {name}, or end the turn{refill}."


PLACE_OF = {
    "ho": 2,
    "vert": 2,
    "diag": 2,
    "jump": 2,
    "drop": 1,
    "dynamite": 1,
    "takes": 1,
    "steals": 2,
    "carries": 1,
    "stays": 0,
    "follows": 1,
}


def say(view, event):
    """The rules' sentences with squares named as they are on the board."""
    name, args = event.name, event.args
    if name == "refills":
        return f"{NAMES[args[0]]} refills the hand with {args[1]} card{'s' * (args[1] != 1)} from the deck. [R11]"
    if name == "reshuffles":
        return f"All of the discard pile but its top card is shuffled: a new deck of {args[0]} card{'s' * (args[0] != 1)}. [R15]"
    if name == "piles":
        cards_ = f"{args[1]} played cards go" if args[1] != 1 else "played card goes"
        return f"{NAMES[args[0]]}'s {cards_} onto the discard pile; {CARDS[args[2]]} is on top. [R14]"
    if name not in PLACE_OF:
        return None
    plan = ground(int(view.state.map))
    where = plan.name(plan.cell(args[PLACE_OF[name]]))
    who = NAMES[args[0]] if name != "stays" else ""
    high = f", {args[2]} high" if name in ("drop", "dynamite") and int(view.state.max_height) > 1 else ""
    return {
        "ho": f"{who} plays Ho and steps to {where}. [R18]",
        "vert": f"{who} plays Vert and steps to {where}. [R19]",
        "diag": f"{who} plays Diag and steps to {where}. [R20]",
        "jump": f"{who} plays Jump and leaps onto the wall at {where}. [R22]",
        "drop": f"{who} plays Drop Block: a block lands on {where}{high}. [R25]",
        "dynamite": f"{who} plays Dynamite: the block on {where} is gone{high}. [R26]",
        "takes": f"{who} takes control of the artifact at {where}. [R12]",
        "steals": f"{who} takes the artifact from {NAMES[args[1]]} at {where}! [R12]" if name == "steals" else "",
        "carries": f"{who} carries the artifact to {where}. [R28]",
        "stays": f"The artifact stays at {where}. [R24]",
        "follows": f"The artifact goes with {who} to {where}. [Q13]",
    }[name]


def ending(view):
    """Who won, and how."""
    winner = int(view.state.winner)
    if winner == NONE:
        rounds = int(view.state.max_rounds)
        return ("A draw.", f"{rounds} round{' is' if rounds == 1 else 's are'} over and the artifact is not at home.")
    rounds = int(view.state.turn) // view.players + 1
    return (f"{NAMES[winner]} wins!", f"The artifact is at {NAMES[winner]}'s home base in round {rounds}.")


def why_not(view, id):
    """After a wrong click."""
    t, me = Table(view), view.to_move
    if me is None:
        return None
    kind, _, number = id.partition("-")
    if kind in ("copy", "way"):  # a card of the hand is asked about by what lies on top of it
        kind, number = "card", number.partition("-")[0]
    if kind in ("discard", "rest", "top"):
        return f"Discard pile: {pile_says(t)[:1].lower()}{pile_says(t)[1:]}"
    if kind == "deck":
        return "You have drawn your card for this turn (R7)."
    if t.phase == DRAW:
        return f"First draw a card: choose the deck{' or the discard pile' if t.pile else ''} (R7)."
    if kind in ("cell", "card", "compass", "line") and t.phase == DISCARD:
        return "The play step is over: choose cards to discard them, or end the turn (R10)."
    if kind == "card":
        return NOT_NOW[int(number)]
    if kind in ("compass", "line"):
        return "To turn the board you need a Rotate card (R27)."
    if kind in ("played", "plays"):
        return "Played cards lie here until the end of the turn (R14)."
    if kind == "seat":
        return "That is a hand; to swap places, choose a Swap card and then the other player's square (R23)."
    return why_not_square(view, t, me, int(number)) if kind == "cell" else None


NOT_NOW = (
    "Ho cannot go anywhere: both ends of its line are higher than you or off the board (R21).",
    "Vert cannot go anywhere: both ends of its line are higher than you or off the board (R21).",
    "Jump needs a neighbouring wall that is higher than you (R22).",
    "Diag cannot go anywhere: the corners are higher than you or off the board (R21).",
    "You stand on the same square: a Swap would change nothing (Q16).",
    "There is no room for a block next to you or under you (Q27).",
    "There is no block next to you or under you (R26).",
    "Rotate can always be played.",
)


def why_not_square(view, t, me, cell):
    if cell == t.pos[me]:
        return "You stand there. Only Drop Block and Dynamite work on your own square."
    way = t.way_to(me, cell)
    if way is None:
        return "That is too far: a card moves you one square (R18)."
    if t.heights[cell] > t.heights[t.pos[me]]:
        return "That square is higher than you: it needs Jump (R21)."
    if not view.state.share and t.others_at(cell, me):
        return "Somebody stands there already (Q17)."
    seen = (way + 2 * quarters(view, me)) % 8
    return f"For a step to {t.plan.name(cell)} you need {'Diag' if seen % 2 else 'Ho' if seen in (2, 6) else 'Vert'}."


# ---- step by step ---------------------------------------------------------------------------------------------------------


class Showing(Standing):
    """What has been shown so far of a move: where things are now, and the steps."""

    def __init__(self, before, seat):
        self.t = Table(before)
        self.seat, self.quarter = seat, quarters(before, seat)
        self.plan = self.t.plan
        super().__init__(list(self.t.pos), list(self.t.heights), self.t.art, self.t.holder)
        self.made = []

    def step(self, event, ms=320, flash=(), **go):
        self.made.append(Step(event, {id.replace("_", "-"): at for id, at in go.items()}, tuple(flash), ms))

    def men(self):
        """All pieces and the artifact where they are now."""
        places = [(self.plan.at[cell], away) for cell, away in zip(self.pos, stands(self.plan, self.pos, self.heights), strict=True)]
        relic = (self.plan.at[self.art], artifact_away(self.plan, self))
        named = {f"piece-{player}": place for player, place in enumerate(places)} | {"artifact": relic, "gleam": relic}
        return {id + part: at for id, place in named.items() for part, at in zip(("", ".l"), place, strict=True)}

    def panel(self, player):
        (x, y), width = panel_at(self.t.players, player)
        return (x + width / 2, y + 40)

    def lay_out(self, event, player, kind):
        """A card from the hand to its place among the plays."""
        copies = self.t.hand[player][kind]
        if player == self.seat and copies:
            at = slot_at(self.t.used, max(self.t.limit, self.t.used), self.t.base_limit)
            self.step(event, 240, **{f"copy_{kind}_{copies - 1}": at})
        else:
            self.step(event, 200, (f"seat-{player}",))


def steps(before, after, events):
    """Each event along its real path: the card is laid out, pieces step, leap and cross, the artifact changes hands, piles move."""
    show = Showing(before, getattr(after, "viewer", None))
    plan = show.plan
    laid = False
    deck_n = show.t.deck_n
    for k, event in enumerate(events):
        name, a = event.name, event.args
        if name in KIND_OF and not laid:
            show.lay_out(k, a[0], KIND_OF[name])
            laid = True
        match name:
            case "ho" | "vert" | "diag" | "jump":
                move(show, k, a[0], plan.cell(a[2]), name == "jump", any(other.name == "carries" for other in events))
            case "carries":
                show.step(k, 120, (f"cell-{show.art}",))
            case "swap":
                cross(show, k, *a, carried=any(other.name == "follows" for other in events))
            case "drop" | "dynamite":
                cell = plan.cell(a[1])
                show.heights[cell] = a[2]
                show.step(k, 260, (f"cell-{cell}",))
            case "rotate":
                unwind(show)
                show.step(k, 260, ("compass",))
            case "takes" | "steals":
                show.holder = a[0]
                x, y = slot_at(show.t.limit, show.t.limit + BONUS, show.t.base_limit)
                show.step(k, 380, (f"cell-{show.art}", f"seat-{a[0]}"), **show.men())
                if k + 1 < len(events) and events[k + 1].name in ("allowance", "turn", "chase"):
                    show.step(None, 260, bonus=show.panel(a[0]))
                    show.step(None, 420, bonus=(x + SLOT_STEP, y))
            case "draws":
                flies = {} if a[0] == show.seat or not deck_n else {f"fly_{deck_n}": show.panel(a[0])}
                show.step(k, 300, ("deck",), **flies)
                deck_n = max(0, deck_n - 1)
            case "picks":
                flies = {} if a[0] == show.seat else {f"top_{show.t.disc_n}": show.panel(a[0])}
                show.step(k, 340, ("discard",), **flies)
            case "discards":
                copies = show.t.hand[a[0]][a[1]]
                flies = {f"copy_{a[1]}_{copies - 1}": PILE} if a[0] == show.seat and copies else {}
                show.step(k, 260, ("discard",) if flies else (f"seat-{a[0]}",), **flies)
            case "refills":
                show.step(k, 200, ("deck", f"seat-{a[0]}"))
                for index in range(min(a[1], 7, deck_n) if a[0] != show.seat else 0):
                    show.step(None, 130, **{f"fly_{deck_n - index}": show.panel(a[0])})
            case "reshuffles":
                show.step(k, 480, ("deck",), **({f"rest_{show.t.disc_n}": DECK} if show.t.disc_n > 1 else {}))
                deck_n = 0  # the new deck's cards are not drawn yet
            case "piles":
                show.step(k, 160, ("discard",))
                for index in range(show.t.played_n):
                    show.step(None, 150, **{f"played_{index}": PILE})
            case "wins":
                show.step(k, 700, (f"cell-{show.art}", f"seat-{a[0]}"))
            case "turn" | "chase" | "allowance" | "stops" | "loose" | "handed":
                show.step(k, 220, (f"seat-{a[0]}",))
            case _:
                show.step(k, 120)
    return show.made


def move(show, event, player, cell, leaps, carries):
    """A step, or a leap in an arc."""
    if leaps:
        (x1, y1), (x2, y2) = show.plan.at[show.pos[player]], show.plan.at[cell]
        up = (0, -show.heights[cell] * show.plan.lift - 40 * show.plan.scale)
        flying = [f"piece-{player}", *(("artifact", "gleam") if carries else ())]
        show.step(None, 190, **dict.fromkeys(flying, ((x1 + x2) / 2, (y1 + y2) / 2)), **{f"{id}.l": up for id in flying})
    show.pos[player] = cell
    if carries:
        show.art = cell
    show.step(event, 230 if leaps else 320, **show.men())


def cross(show, event, one, two, carried):
    """Two pieces change places in crossing arcs; the artifact visibly stays behind."""
    (x1, y1), (x2, y2) = (show.plan.at[show.pos[player]] for player in (one, two))
    dx, dy = (x2 - x1) * 0.22, (y2 - y1) * 0.22
    middle = ((x1 + x2) / 2, (y1 + y2) / 2)
    ways = {f"piece_{one}": (middle[0] + dy, middle[1] - dx), f"piece_{two}": (middle[0] - dy, middle[1] + dx)}
    show.step(None, 280, (f"cell-{show.art}",), **ways)
    show.pos[one], show.pos[two] = show.pos[two], show.pos[one]
    if carried:
        show.art = show.pos[show.holder]
    elif show.holder in (one, two):
        show.holder = NONE
    show.step(event, 300, **show.men())


LAYERS = ("floor", "walls", "trail", "men", "prize", "hints", "squares")


def unwind(show):
    """If the board has just come full circle and turns again: count its quarters from 0 anew, at once."""
    if show.quarter != 4:
        return
    inner = [f"block-{cell}-{level}" for cell, high in enumerate(show.heights) for level in range(high)]
    inner += [f"{kind}-{player}" for kind in ("flag", "piece") for player in range(show.t.players)] + ["artifact", "gleam"]
    go = dict.fromkeys(LAYERS, MIDDLE) | {f"{id}.u": (0, 0) for id in inner} | {"needle": COMPASS, "north": (0, -51)}
    show.made.append(Step(None, go, (), 1))


# ---- for terminals --------------------------------------------------------------------------------------------------------


def text(view) -> str:
    """The printed map: heights as figures, `T` the temple, `a`-`d` home bases, P1 to P4 the pieces, `*` the artifact."""
    t = Table(view)
    plan, lines = t.plan, []
    for row in range(plan.rows):
        line = []
        for column in range(plan.columns):
            cell = row * plan.columns + column
            if not LAND[plan.number, cell]:
                line.append("    ")
                continue
            base = next((f"{'abcd'[player]}" for player in range(t.players) if t.home(player) == cell), "T" if cell == plan.temple else "")
            here = "".join(str(player + 1) for player in range(t.players) if t.pos[player] == cell)
            ground_ = "#" if t.heights[cell] == 1 else str(t.heights[cell]) if t.heights[cell] else base or "."
            line.append(f"{ground_}{here}{'*' if cell == t.art else ''}"[:4].ljust(4))
        lines.append("".join(line).rstrip())
    ways = ("E and W", "N and S")
    turned = int(view.state.rot) % 2
    who = "nobody has the artifact" if t.holder == NONE else f"{NAMES[t.holder]} has the artifact"
    top = CARDS[t.pile[-1]] if t.pile else "nothing"
    said = [f"Ho is {ways[turned]}; {who}; deck {t.deck_n}, top of the discard pile: {top}; {t.used} of {t.limit} plays used"]
    for player in range(t.players):
        held = ", ".join(f"{count} {CARDS[kind]}" for kind, count in enumerate(t.hand[player]) if count)
        said.append(f"{player + 1} {NAMES[player]}: {held or f'{t.hand_n[player]} cards'}")
    return "\n".join([*lines, *said])
