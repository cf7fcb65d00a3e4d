"""How Micro Medusa looks and speaks: Medusa's head in the middle of a hex table, snakes that really join, three medallions against them.

The one who looks sits at the bottom: Medusa's row (hand, market, stack) and the Champion's row (weapons, Hearts, reserve) change places.
The drawings are made once, as symbols in the thing `art`; everything else uses them. One tile is drawn with 43.3 from its middle to a side.
"""

from functools import cache, lru_cache
from math import cos, pi, sin
from types import SimpleNamespace

from rulestone.table import Card, Plate, Scene, Step, kit, svg

from .content import (
    ACTIVE,
    CAPTURES_TO_WIN,
    CHAIN_TO_WIN,
    DEALT,
    DIRECTION_NAMES,
    EYEBALLS_TO_WIN,
    GEAR_NAMES,
    HAND,
    KIND_NAMES,
    KINDS,
    LAST_SPACE,
    MARKET,
    NEIGHBOUR,
    OFF,
    SHAPE,
    SIDES,
    SNAKEHEADS_TO_WIN,
    SPACES,
    TURNED,
)
from .rules import (
    BESIDE,
    BESIDE_DIRECTION,
    CAPTURE,
    CHAIN,
    CHAMPION,
    CHAMPION_DRAFT,
    CLOSED,
    DRAW,
    EYEBALL,
    HEADS,
    HEART,
    HIDDEN,
    MEDUSA,
    MEDUSA_DRAFT,
    NONE,
    NOWHERE,
    OVER,
    PLACE,
    RESPOND,
    ROTATE,
    SECTION,
    SNAKEHEAD,
    STONE,
    TILES_OUT,
)

WIDTH, HEIGHT = 740, 932
LAMPS, ROW_A, BOARD, ROW_B = 10, 128, 306, 778  # where the lamps, the row of the other, the board and the own row begin
ROW_HEIGHT, BOARD_HEIGHT = 146, 438
MIDDLE = (WIDTH / 2, BOARD + BOARD_HEIGHT / 2)
SIDE = 43.3  # from the middle of a drawn tile to a side
LEVELS = (
    0.77,
    0.6,
    0.46,
    0.36,
)  # how large tiles can lie on the board: few sizes, for most games the first is enough
HEX, SQUARE = 0, 1
ORDER = ("first", "second")
WAYS = {"E": "right", "NE": "upper right", "NW": "upper left", "W": "left", "SW": "lower left", "SE": "lower right", "N": "up", "S": "down"}
BEATS = ("Snakehead", "Eyeball", "Snake Section")
NEIGHBOURS = NEIGHBOUR.tolist()
TURNS = TURNED.tolist()
SIDES_OF = SIDES.tolist()
STANDING = int(ACTIVE[HEART])
ARMED = ACTIVE[:HEART].tolist()  # weapons in front of the Champion before he drafts
AROUND = (range(1, 19), range(1, 13))  # the two rings round Medusa's head are always in the picture


SHAPES = (svg.rect, svg.circle, svg.path, svg.text, svg.group, svg.thing, svg.placing, kit.mark, kit.pips, kit.label, kit.stack)
pen = SimpleNamespace(**{shape.__name__: lru_cache(maxsize=8192)(shape) for shape in SHAPES})  # drawing the same again costs nothing


# ---- the drawings --------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def use(name, at=None, turn=0, scale=1, also=""):
    """One of the drawings of `art`."""
    place = pen.placing(at, turn, scale)
    place = f' transform="{place}"' if place else ""
    also = f' class="{also}"' if also else ""
    return f'<use href="#mm-{name}"{place}{also}/>'


def outline(grid, size=48.6):
    """The outline of a tile as a path."""
    if grid == SQUARE:
        half = size * 0.87
        return f"M{-half:g} {-half:g}H{half:g}V{half:g}H{-half:g}Z"
    corners = [f"{size * sin(k * pi / 3):.1f} {-size * cos(k * pi / 3):.1f}" for k in range(6)]
    return "M" + "L".join(corners) + "Z"


def _symbols():
    """Every drawing once. The look's rules for what is inside `.scene` do not reach into what is used."""
    top = "C10 {a:g} 20 {a:g} 25 {b:g}C29 {c:g} 36 {d:g} 43.3 {d:g}"
    upper, lower = top.format(a=-16, b=-10, c=-4, d=-7), top.format(a=-2, b=4, c=10, d=7)
    body = f"M0 -7{upper}V7C36 7 29 10 25 4C20 -2 10 -2 0 7Z"
    crack = "M-22 -34L-10 -12L-18 2L-4 20L-9 42M-10 -12L12 -18L24 -38M-4 20L20 14L38 22"
    heart = "M0 22C-27 3 -25 -18 -11 -18C-4 -18 0 -12 0 -8C0 -12 4 -18 11 -18C25 -18 27 3 0 22Z"
    curls = "".join(
        pen.circle(25 * sin(a), -1 - 25 * cos(a), 5.4, fill="clay", line="ink", width=1.6) for a in (k * pi / 9 for k in range(-7, 8))
    )
    return {
        # tiles
        "tile0": pen.path(outline(HEX), fill="board", line="line", width=2),
        "tile1": pen.path(outline(SQUARE), fill="board", line="line", width=2),
        "back0": _back(HEX),
        "back1": _back(SQUARE),
        "stone0": pen.path(outline(HEX), fill="stone-soft", line="stone", width=3),
        "stone1": pen.path(outline(SQUARE), fill="stone-soft", line="stone", width=3),
        "crack": pen.path(crack, line="stone", width=2.4),
        # Medusa: a tress to the right, its outline below it, and what sits at the end of it
        "edge": pen.path(f"M0 -7{upper}M0 7{lower}", line="ink", width=4.6),
        "tress": pen.path(body, fill="clay") + pen.path("M10 -6.5h.01M20 -5h.01M29 .5h.01M38 0h.01", line="board", width=4),
        "knot": pen.circle(0, 0, 11, fill="clay") + pen.path("M5 0C5 -5 -3 -6 -5 -1C-6 4 1 7 4 4", line="board", width=2.4),
        "H": pen.path("M16 -7C6 -23 -17 -21 -27 -8C-31 -3 -31 3 -27 8C-17 21 6 23 16 7Z", fill="clay", line="ink", width=2.4)
        + pen.path("M-29 0H-35L-39 -4M-35 0L-39 4", line="ink", width=2.2)
        + pen.path("M13 0L6 -7M13 0L6 7M4 0L-3 -7M4 0L-3 7", line="board", width=2.2)
        + pen.circle(-13, -10, 4.4, fill="board", line="ink", width=1.4)
        + pen.circle(-13, 10, 4.4, fill="board", line="ink", width=1.4)
        + pen.path("M-14 -10h.01M-14 10h.01", line="ink", width=4)
        + pen.path("M-25 -3h.01M-25 3h.01", line="ink", width=2.4),
        "E": pen.circle(0, 0, 23, fill="board", line="ink", width=2.6)
        + pen.path("M-21 6L-15 5M-20 -8L-14 -6M21 6L15 5M19 -9L14 -6M-5 22L-4 16M6 22L5 16", line="clay", width=1.7)
        + pen.circle(0, 0, 13, fill="sea", line="ink", width=1.6)
        + pen.circle(0, 0, 6.4, fill="ink")
        + pen.circle(-4, -5, 3, fill="board"),
        "face": curls
        + pen.path("M-23 -8C-24 14 -14 27 0 27C14 27 24 14 23 -8C20 -22 -20 -22 -23 -8Z", fill="board", line="ink", width=2.4)
        + pen.path("M-20 -11C-14 -16 -6 -14 -2 -8M20 -11C14 -16 6 -14 2 -8", line="ink", width=2.6)
        + pen.path(
            "M-19 -3C-15 -10 -8 -10 -3 -3C-8 1 -14 1 -19 -3ZM19 -3C15 -10 8 -10 3 -3C8 1 14 1 19 -3Z", fill="board", line="ink", width=1.8
        )
        + pen.path("M-10.5 -4.4h.01M10.5 -4.4h.01", line="sea", width=6.4)
        + pen.path("M-10.5 -4.4h.01M10.5 -4.4h.01", line="ink", width=2.8)
        + pen.path("M-2 -4L-4 6H4L2 -4", line="ink", width=1.8)
        + pen.path("M-14 10C-7 8 7 8 14 10C12 19 -12 19 -14 10Z", fill="ink")
        + pen.path("M-10 11L-8 15L-6 11ZM10 11L8 15L6 11Z", fill="board")
        + pen.path("M-4 13H4V20C4 25 -4 25 -4 20Z", fill="clay", line="ink", width=1.2),
        # the Champion
        "disc": pen.circle(0, 0, 38, fill="board", line=f"seat{CHAMPION}", width=4)
        + pen.circle(0, 0, 33, line=f"seat{CHAMPION}", width=1, opacity=0.6),
        "mark": pen.group(pen.circle(0, 0, 9, fill="board") + pen.mark(CHAMPION, 7), at=(28, 26)),
        "gear0": pen.group(
            pen.path("M-5 8V-22Q-4 -31 5 -33V8Z", fill="stone-soft", line="ink", width=2.2),
            pen.path("M5 -17C16 -18 19 -8 13 -1C13 -7 10 -9 5 -8Z", fill="stone-soft", line="ink", width=2),
            pen.path("M-11 9H11", line="ink", width=5),
            pen.path("M0 12V21", line="clay", width=6),
            pen.circle(0, 25, 4, fill="ink"),
            turn=38,
        ),
        "gear1": pen.circle(0, 0, 25, fill="sea-soft", line="ink", width=2.6)
        + pen.circle(0, 0, 18.5, line="ink", width=1.6)
        + pen.path("M0 -17L4 -4L17 0L4 4L0 17L-4 4L-17 0L-4 -4Z", fill="sea", line="ink", width=1.4)
        + pen.circle(0, 0, 3.6, fill="board"),
        "gear2": pen.group(
            pen.path("M-5 6L-2 31H2L5 6Z", fill="stone-soft", line="ink", width=2),
            pen.path("M0 -31C12 -18 14 -9 9 0H-9C-14 -8 -3 -13 0 -31Z", fill="clay", line="ink", width=2),
            pen.path("M1 -15C7 -8 6 -3 3 0H-4C-6 -5 -2 -8 1 -15Z", fill="gold"),
            pen.path("M-11 1H11L7 9H-7Z", fill="ink"),
            turn=14,
        ),
        "gear3": pen.path(heart, fill="clay", line="ink", width=2.4) + pen.path("M-15 -5C-15 -10 -12 -12 -9 -12", line="board", width=3),
        "stoneheart": pen.path(heart, fill="stone", line="ink", width=2.4)
        + pen.path("M0 -8L-5 0L3 6L-2 13L0 22M-5 0L-15 1M3 6L12 3", line="board", width=2.2),
        "end": pen.path(outline(HEX, 26), fill="board", line="clay", width=2.4, stroke_dasharray="5 5")
        + pen.path("M-32 -6L-14 -6M-32 6L-14 6", line="ink", width=4)
        + pen.path("M-32 -6H-14L0 0L-14 6H-32Z", fill="clay"),
        "pile": "".join(pen.group(pen.path(outline(HEX, 26), fill="clay", line="ink", width=2.4), at=(0, y)) for y in (7, 1, -5))
        + pen.group(pen.path("M-9 -1C-5 4 5 4 9 -1M0 3V7M-6 2L-8 6M6 2L8 6", line="board", width=2.4), at=(0, -6)),
        "noheart": pen.path(heart, line="muted", width=2.4, stroke_dasharray="5 5"),
    }


def _back(grid):
    """The back of a Medusa tile: clay, a frame and a closed eye."""
    return (
        pen.path(outline(grid), fill="clay", line="ink", width=2)
        + pen.path(outline(grid, 40), line="board", width=1.6, opacity=0.6)
        + pen.path("M-19 -3C-10 8 10 8 19 -3M-13 4L-17 10M-4 7L-5 14M5 7L6 14M14 3L18 9", line="board", width=3)
        + pen.path("M-16 -13C-9 -19 9 -19 16 -13", line="board", width=2, opacity=0.6)
    )


CLIP = f'<clipPath id="mm-clip"><rect x="11" y="{BOARD + 1}" width="{WIDTH - 22}" height="{BOARD_HEIGHT - 2}" rx="17"/></clipPath>'
ART = pen.thing(
    "art",
    "<defs>"
    + "".join(f'<g id="mm-{name}" stroke-linecap="round" stroke-linejoin="round">{drawn}</g>' for name, drawn in _symbols().items())
    + CLIP
    + "</defs>",
)


@cache
def face(kind, mask, grid, body=True):
    """A Medusa tile face-up with tresses on the sides of `mask`."""
    step = 360 / SIDES_OF[grid]
    turns = [-step * side for side in range(SIDES_OF[grid]) if mask >> side & 1]
    parts = [use(f"tile{grid}", also="low-shadow")] if body else []
    parts += [use("edge", turn=turn) for turn in turns]
    parts += [use("tress", turn=turn) for turn in turns]
    if kind == SNAKEHEAD:
        parts.append(use("H", turn=turns[0]))
    elif kind == EYEBALL:
        parts.append(use("E"))
    else:
        parts.append(use("face", scale=1.18) if kind >= KINDS else use("knot"))
    return "".join(parts)


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
    """A flipped tile: cracked stone, its kind still to be made out."""
    return use(f"stone{grid}", also="low-shadow") + pen.group(icon(min(kind, SECTION)), scale=0.5, also="ghost") + use("crack")


@cache
def disc(gear, stone=False):
    """A Champion tile: a medallion with the seat's colour and mark."""
    return use("disc", also="low-shadow") + use("stoneheart" if stone else f"gear{gear}") + use("mark")


# ---- what lies where -----------------------------------------------------------------------------------------------------


class Table:
    """A view's numbers as plain Python, and what follows from them."""

    def __init__(self, view):
        s = view.state
        self.view, self.s = view, s
        self.grid, self.section, self.phase = int(s.grid), int(s.section), int(s.phase)
        n = self.n = int(s.n_tiles)
        self.cell, self.kind, self.mask = s.t_cell[:n].tolist(), s.t_kind[:n].tolist(), s.t_mask[:n].tolist()
        self.flipped = s.t_blocked[:n].tolist()
        self.market, self.hand, self.known = s.market.tolist(), s.hand.tolist(), s.known.tolist()
        self.secret, self.fd_kind, self.fd_cell = int(s.secret), int(s.fd_kind), int(s.fd_cell)
        self.field = [(gear, cell) for gear, cell in zip(s.champ_equip.tolist(), s.champ_cell.tolist(), strict=True) if gear != NONE]
        self.equip, self.drafted = s.equip.tolist(), int(s.drafted)
        self.live, self.reserve, self.stack_n = int(s.live), int(s.reserve), int(s.stack_n)
        self.lives = self.live + (self.drafted == HEART and self.reserve)  # Hearts that must turn to stone
        self.heads, self.captured, self.hits = int(s.heads), int(s.captured), int(s.hits)
        self.at = {cell: tile for tile, cell in enumerate(self.cell)}
        self.next_to = NEIGHBOURS[self.grid]
        self.covered = {cell for _, cell in self.field}
        self.ends = self._ends()
        self.pool = sum(self.known) + self.secret  # tiles in Medusa's hand and face-down, as everybody may count
        self.own = view.viewer == MEDUSA
        """Does Medusa look?"""
        self.open = not self.own and self.fd_kind != HIDDEN and sum(self.hand) + (self.phase == RESPOND) == self.pool > 0
        """Is nothing hidden (looking back)? To others in a game her hand is blank, and so is the tile in play."""

    def _ends(self):
        """Q5: for each space that open ends point at, how many do."""
        ends = {}
        for tile in range(self.n):
            if self.kind[tile] >= SECTION and not self.flipped[tile]:
                for side in range(SIDES_OF[self.grid]):
                    if self.mask[tile] >> side & 1:
                        cell = self.next_to[self.cell[tile]][side]
                        if cell <= LAST_SPACE and cell != self.fd_cell and cell not in self.at:
                            ends[cell] = ends.get(cell, 0) + 1
        return dict(sorted(ends.items()))

    def spots(self):
        """Q10: where the Champion may lay his answer, by direction."""
        if self.phase != RESPOND or self.s.champion_blocks == 1:
            return {}
        around = ((side, self.next_to[self.fd_cell][side]) for side in range(SIDES_OF[self.grid]))
        return {side: cell for side, cell in around if cell != OFF and cell not in self.at and cell not in self.covered}

    def shown(self, spots):
        """The spaces that have to be in the picture."""
        field = {self.fd_cell, *self.covered} - {NOWHERE, BESIDE}
        return tuple(sorted({*self.cell, *self.ends, *spots.values(), *field, *AROUND[self.grid]}))

    def room(self):
        """The spaces that the picture has room for: where tiles lie or can lie, and all round them. They only become more in the course
        of a game, so that tiles change their size seldom and never back."""
        mine = {*self.cell, *self.ends, self.fd_cell} - {NOWHERE}
        return tuple(sorted({*mine, *AROUND[self.grid], *(near for cell in mine for near in self.next_to[cell] if near != OFF)}))

    def best_spot(self):
        """The space that is chosen by a second click on the weapon: one that covers open ends, the furthest from Medusa's head."""
        spots = self.spots()
        return max(spots, key=lambda side: (self.ends.get(spots[side], 0), spots[side] > 6, -side)) if spots else BESIDE_DIRECTION

    def chain(self):
        """The most Sections in a row from Medusa's head, and the most that end in a Snakehead or Eyeball (Q16)."""
        sides = SIDES_OF[self.grid]
        half = sides // 2
        best = [0, 0]

        def walk(tile, length, seen):
            for side in range(sides):
                if self.mask[tile] >> side & 1:
                    other = self.at.get(self.next_to[self.cell[tile]][side])
                    if other is None or other in seen or not self.mask[other] >> (side + half) % sides & 1:
                        continue
                    if self.kind[other] < SECTION:
                        best[1] = max(best[1], length)
                    else:
                        best[0] = max(best[0], length + 1)
                        walk(other, length + 1, seen | {other})

        walk(0, 0, frozenset((0,)))
        return best

    def rounds_left(self):
        """R15: how many rounds are left at most, this one included; skipped turns aside."""
        left, run_out = self.stack_n, int(self.s.run_out)
        if run_out == 0:
            to_draft = HAND - self.pool if self.phase == MEDUSA_DRAFT else 0
            return 1 + max(0, -(-(left - to_draft) // 2))
        placed = int(self.s.turn) + (self.phase == ROTATE)  # tiles of this round that are out of her hand for good
        tiles = left + self.pool + sum(kind >= 0 for kind in self.market) + placed
        return max(1, (tiles - (HAND - 1 if run_out == 1 else 0) + 1) // 2)


@cache
def zoom(grid, cells):
    """How large the tiles are and where Medusa's head lies, so that all cells fit: in the middle, or as near to it as possible."""
    places = [unit(grid, cell) for cell in cells]
    left, right = min(x for x, _ in places) - SIDE, max(x for x, _ in places) + SIDE
    top, bottom = min(y for _, y in places) - 50, max(y for _, y in places) + 50
    width, height = WIDTH - 40, BOARD_HEIGHT - 12
    most = min(width / (right - left), height / (bottom - top))
    level = next((level for level in LEVELS if level <= most), most)
    return level, (MIDDLE[0] + shift(left * level, right * level, width / 2), MIDDLE[1] + shift(top * level, bottom * level, height / 2))


def shift(start, stop, half):
    """How far to move what reaches from `start` to `stop` at least, so that it lies between -half and half."""
    return max(-half - start, 0) + min(half - stop, 0)


@cache
def unit(grid, cell):
    """The place of a space relative to Medusa's head, at the size tiles are drawn."""
    q, r = SPACES[grid][cell]
    return (2 * SIDE * (q + r / 2), 75.0 * r) if grid == HEX else (2 * SIDE * q, 2 * SIDE * r)


@cache
def ground(grid, level, middle):
    """The table under the tiles: a quiet pattern of spaces."""
    shape = outline(grid, 50)
    cells = []
    for cell in range(len(SPACES[grid])):
        x, y = unit(grid, cell)
        if abs(middle[0] + x * level - WIDTH / 2) < WIDTH / 2 + SIDE * level and (
            BOARD - 50 * level < middle[1] + y * level < BOARD + BOARD_HEIGHT + 50 * level
        ):
            cells.append(moved(shape, x, y))
    pattern = pen.group(pen.path("".join(cells), line="line", width=1, also="half"), at=middle, scale=level)
    return pen.thing(
        "ground",
        pen.rect(10, BOARD, WIDTH - 20, BOARD_HEIGHT, fill="paper", line="line", width=1.5, round=18, also="soft-shadow"),
        f'<g clip-path="url(#mm-clip)">{pattern}</g>',
        motion="still",
    )


# ---- the scene -----------------------------------------------------------------------------------------------------------


def rows_of(seat):
    """Where Medusa's and the Champion's rows begin: one's own is the lower one."""
    return (ROW_B, ROW_A) if seat == MEDUSA else (ROW_A, ROW_B)


def slot_at(row, slot):
    return (326 + slot * 312 / max(MARKET, 4), row + 86)


def hand_at(row, place):
    return (66 + place * 234 / max(HAND, DEALT, 3), row + 84)


def gear_at(row, gear):
    return (68 + gear * 96, row + 76)


def spare_at(row, gear):
    return (526 + gear * 56, row + 72)


def heart_at(row, place):
    return (362 + place * 104 / max(STANDING, 2), row + 72)


def beside_at(which):
    """Q11: where the first and the second answer lie that take up no space."""
    return (WIDTH - 62 - 90 * which, BOARD + BOARD_HEIGHT - 62)


def trophy_at(place):
    return (78 + place * 30, LAMPS + 74)


def scene(view, seat):
    """Back to front: lamps, board, tiles, the two rows, and the Champion's tiles, which travel over everything."""
    t = Table(view)
    medusa_row, champion_row = rows_of(seat)
    spots = t.spots()
    shown = t.shown(spots)
    level, middle = zoom(t.grid, t.room())
    at = {cell: (middle[0] + unit(t.grid, cell)[0] * level, middle[1] + unit(t.grid, cell)[1] * level) for cell in shown}
    cards = {}
    things = [ART, ground(t.grid, level, middle)]
    things += lamps(t, cards)
    cell = int(t.s.last_cell)
    come = at.get(cell, "") if any(event.name == "severs" for event in view.events) else ""
    trophy = pen.circle(0, 0, 12, fill=f"seat{CHAMPION}-soft") + pen.group(icon(SNAKEHEAD), scale=0.34)
    things += [pen.thing(f"trophy-{k}", trophy, at=trophy_at(k), come=come, also="landing") for k in range(t.captured)]
    things += banner(t)
    things += spaces(t, at, level, spots, cards)
    things += tiles(t, at, level, medusa_row, cards, seat)
    things += medusas_row(t, medusa_row, cards, seat)
    things += champions_row(t, champion_row, cards, at, level)
    things += champions_tiles(t, champion_row, at, level, cards)
    things += turns(t, at, level, medusa_row, cards)
    return Scene(WIDTH, HEIGHT, things, title=title(t), cards=cards, plates=plates(t))


def title(t):
    return (
        f"Micro Medusa, round {t.s.round}: {many(t.heads, 'Snakehead')} in play, {t.captured} captured, {many(t.live, 'Heart')} beating, "
        f"{many(sum(t.ends.values()), 'open end')}, {many(t.stack_n, 'tile')} in the stack"
    )


def plates(t):
    tiles_ = "1 secret tile" if t.secret == t.pool == 1 else many(t.pool, "tile") + (f", {t.secret} secret" if t.secret else "")
    hearts = "♥" * t.lives + "♡" * (STANDING - t.live) if t.s.petrify == 0 else f"{t.hits} of {EYEBALLS_TO_WIN} stares"
    skipped = any(event.name in ("skips", "closed_skip") for event in t.view.events)
    return (
        Plate((f"{t.heads} of {SNAKEHEADS_TO_WIN} Snakeheads in play", tiles_), "turn skipped" if skipped else ""),
        Plate((f"{t.captured} of {CAPTURES_TO_WIN} Snakeheads captured", f"Hearts {hearts}")),
    )


# ---- lamps and banner ----------------------------------------------------------------------------------------------------


def lamps(t, cards):
    """Six ways to win, three for each side, with how near they are."""
    row, capped = t.chain()
    sections = max(capped, row) if t.s.chain == 0 else row
    stone = STANDING - t.live if t.s.petrify == 0 else t.hits
    hearts = STANDING if t.s.petrify == 0 else EYEBALLS_TO_WIN
    ends, left = sum(t.ends.values()), t.rounds_left()
    if t.s.petrify == 0 and t.drafted == HEART and t.reserve and t.phase != OVER:
        hearts += 1
    ended = capped >= CHAIN_TO_WIN
    end_tile = "" if t.s.chain else pen.text("+ head/eye", 73, 0, size=16, fill="ink" if ended else "muted", bold=ended, align="start")
    in_stack = number(t.stack_n) + pen.text("in stack", 42, 2, size=20, fill="muted", align="start")
    of_stone = "Hearts of stone" if t.s.petrify == 0 else "Stares"
    rows = (
        ("heads", SNAKEHEAD, pen.pips(t.heads, SNAKEHEADS_TO_WIN, size=8, gap=8), "Snakeheads", HEADS, t.heads == SNAKEHEADS_TO_WIN - 1,
         Card(upper(HEADS_TO_WIN), f"Medusa wins with {many(SNAKEHEADS_TO_WIN, 'Snakehead')} in play; there are {t.heads}.", "R10")),
        ("stone", "stoneheart", pen.pips(stone, hearts, size=8, gap=8, fill="stone"), of_stone, STONE,
         stone == hearts - 1, Card("Petrified", "Medusa wins when all active Hearts of the Champion are stone." if t.s.petrify == 0
              else f"Medusa wins when {many(EYEBALLS_TO_WIN, 'Eyeball')} met no Shield; so far: {t.hits}.", "R11")),
        ("chain", SECTION, pen.pips(min(sections, CHAIN_TO_WIN), CHAIN_TO_WIN, size=8, gap=8) + end_tile,
         many(CHAIN_TO_WIN, "section"), CHAIN, sections >= CHAIN_TO_WIN and capped < CHAIN_TO_WIN,
         Card("The chain", f"Medusa wins when {CHAIN_TO_WIN} or more Snake Sections in a row join her head to a Snakehead or an Eyeball; "
              f"the longest row has {sections}.", "R12")),
        ("captured", "gear0", pen.pips(0, CAPTURES_TO_WIN, size=8, gap=14), "Heads captured", CAPTURE,
         t.captured == CAPTURES_TO_WIN - 1,
         Card(f"{upper(kit.in_words(CAPTURES_TO_WIN))} captured {plural(CAPTURES_TO_WIN, 'head')}",
              f"The Champion wins when he has captured {many(CAPTURES_TO_WIN, 'Snakehead')}; he has {t.captured}.", "R13")),
        ("ends", "end", number(ends), "open end left" if ends == 1 else "open ends left", CLOSED, ends <= 1,
         Card("Closed in", f"The Champion wins when Medusa has no open end left to grow from; she has {ends}. Her own Snakeheads and "
              "Eyeballs close ends too.", "R14")),
        ("stack", "pile", in_stack,
         "last round" if left == 1 else f"{left} rounds left", TILES_OUT, left == 1,
         Card("Out of tiles", f"The Champion wins if he survives until the stack is empty: {many(t.stack_n, 'tile')}, "
              f"at most {many(left, 'round')} with this one.", "R15")),
    )  # fmt: skip
    reasons, made = int(t.s.reasons), []
    for place, (name, sign, show, caption, bit, near, card) in enumerate(rows):
        owner, column = divmod(place, 3)
        won = bool(reasons & bit)
        edge, width = ("gold", 4) if won else ("clay", 2.5) if near and t.phase != OVER else ("line", 1.5)
        sign = pen.group(icon(sign), scale=0.42 if sign != SECTION else 0.4) if isinstance(sign, int) else use(sign, scale=0.62)
        made.append(
            pen.thing(
                f"lamp-{name}",
                pen.rect(0, 0, 236, 52, fill=f"seat{owner}-soft" if won else "board", line=edge, width=width, round=12),
                pen.rect(0, 0, 50, 52, fill=f"seat{owner}-soft", round=12),
                pen.group(sign, at=(27, 28)),
                pen.group(pen.mark(owner, 5), at=(11, 11)),
                pen.group(show, at=(60, 17)),
                pen.text(caption, 60, 39, size=20, fill="muted", align="start"),
                at=(10 + column * 242, LAMPS + owner * 57),
            )
        )
        cards[f"lamp-{name}"] = card
    return made


def number(count):
    return pen.text(count, 4, 0, size=25, bold=True, align="start")


def banner(t):
    """What part of the round it is, and what the last answer did."""
    s, left = t.s, t.rounds_left()
    tasks = ("Medusa drafts", "the Champion drafts", "Medusa places", "the Champion answers", "Medusa turns the tile", "the game is over")
    turn = f" · {ORDER[int(s.turn)]} turn" if t.phase in (PLACE, RESPOND, ROTATE) else ""
    words = f"Round {s.round}{turn} · {tasks[t.phase]}" if t.phase != OVER else f"Round {s.round} · {ending(t.view)[0]}"
    if left == 1 and t.phase < OVER:
        words = "Last " + words[0].lower() + words[1:]
    made = [pen.thing("phase", pen.text(words, size=22, serif=True, bold=True), at=(WIDTH / 2, BOARD - 16), motion="still")]
    names = {event.name for event in t.view.events}
    said = ""
    if "skips" in names:
        said = "Turn skipped: Champion tiles cover every open space"
    elif "closed_skip" in names:
        said = "Turn skipped: Medusa has no open space"
    elif "empty_handed" in names:
        said = "Turn not played: Medusa has no tile in hand"
    elif t.phase == OVER:
        said = ending(t.view)[1].split(":")[-1].strip()
        said = said[:1].upper() + said[1:]
    elif "reveals" in names:
        said = outcome(int(s.last_kind), int(s.last_equip))
    if said:
        width = len(said) * 10.4 + 40
        body = pen.rect(
            -width / 2,
            -14,
            width,
            28,
            fill="gold-soft" if t.phase == OVER or "kipped" in said else "board",
            line="line",
            width=1.5,
            round=14,
        )
        made.append(pen.thing("news", body, pen.text(said, size=20), at=(WIDTH / 2, BOARD + BOARD_HEIGHT + 17), also="landing"))
    return made


def outcome(kind, gear):
    """What an answer did, in a few words."""
    if gear == min(kind, SECTION):
        return (
            "Blade severs the Snakehead: captured!",
            "Shield turns the stare: the space is stone",
            "Torch burns the Section: the space is stone",
        )[gear]
    end = (" the Snakehead stays", " a Heart turns to stone", " the snake grows")[min(kind, SECTION)]
    return f"{GEAR_NAMES[gear]} misses:{end}"


# ---- the board -----------------------------------------------------------------------------------------------------------


def spaces(t, at, level, spots, cards):
    """The spaces one can choose: those that open ends point at, and those round the face-down tile."""
    made = []
    shape = outline(t.grid, 43)
    step = 360 / SIDES_OF[t.grid]
    answers = set(spots.values())
    for cell in sorted({*t.ends, *answers}):
        tips = []
        for side in range(SIDES_OF[t.grid]):
            tile = t.at.get(t.next_to[cell][side])
            opposite = (side + SIDES_OF[t.grid] // 2) % SIDES_OF[t.grid]
            if tile is not None and t.kind[tile] >= SECTION and t.mask[tile] >> opposite & 1:
                tips.append(pen.group(pen.path("M41 -6Q34 -3 27 0Q34 3 41 6Z", fill="clay"), turn=-step * side))
        ends = t.ends.get(cell, 0)
        look = pen.path(
            shape, fill="board" if cell in answers or not answers else "paper", line="clay" if ends else "stone", width=1.6, also="dashed"
        )
        made.append(pen.thing(f"space-{cell}", look, *tips, at=at[cell], scale=level, motion="still"))
        if cell in answers:
            covers = (
                f"A Champion tile here covers {many(ends, 'open end')} until the end of the round." if ends else "A free space next to it."
            )
            cards[f"space-{cell}"] = Card(upper(where(t.grid, cell)), covers, "Q10")
        elif cell in t.covered:
            cards[f"space-{cell}"] = Card(upper(where(t.grid, cell)), "Open again when the Champion takes his tile back.", "Q15")
        else:
            cards[f"space-{cell}"] = Card(
                upper(where(t.grid, cell)), f"{many(ends, 'open end')} of Medusa's hair {'points' if ends == 1 else 'point'} here.", "Q5"
            )
    if t.phase == RESPOND and not spots:
        look = pen.circle(0, 0, 42, line="gold", width=2, also="dashed")
        made.append(pen.thing("beside", look, pen.text("beside", 0, 0, size=18, fill="muted"), at=beside_at(len(t.field)), motion="still"))
        words, rule = (
            ("Answers take up no space in this game: they are played here.", "Q10")
            if t.s.champion_blocks == 1
            else ("No space next to the face-down tile is free, so the answer is played here.", "Q11")
        )
        cards["beside"] = Card("Beside the board", words, rule)
    return made


BREATH = (
    '<animate attributeName="opacity" values=".18;.5;.18" dur="4.5s" repeatCount="indefinite"/>'
    '<animateTransform attributeName="transform" type="scale" values="1;1.07;1" dur="4.5s" repeatCount="indefinite"/>'
)


def tiles(t, at, level, row, cards, seat):
    """Medusa's tiles on the table; the one in play has the number it will have when it stays."""
    made = []
    if t.phase == RESPOND:
        shadow = f'<path d="{outline(t.grid, 53)}" class="f-clay" opacity=".3">{BREATH}</path>'
        made.append(pen.thing("breath", shadow, at=at[t.fd_cell], scale=level, motion="still", also="landing"))
        for kind in range(KINDS):  # all that it may be lies hidden under it, for the step that turns it up
            rim = pen.group(pen.path(outline(t.grid, 51), fill="board"), scale=level)
            body = pen.group(loose(kind, t.grid, t.section), scale=0.92 * level)  # so that no tress peeps out
            made.append(pen.thing(f"up-{kind}", rim, body, at=at[t.fd_cell], motion="flip", come=hand_at(row, 1), also="landing"))
    last = int(t.s.last_cell) if any(event.name == "reveals" for event in t.view.events) else NOWHERE
    for tile in range(t.n):
        cell, kind = t.cell[tile], t.kind[tile]
        body = blocked(kind, t.grid) if t.flipped[tile] else face(kind, t.mask[tile], t.grid)
        state = "stone" if t.flipped[tile] else KIND_NAMES[kind]
        made.append(pen.thing(f"t-{tile}", body, at=at[cell], scale=level, face=state, also="" if tile else "part"))
        cards[f"t-{tile}"] = tile_card(t, tile)
    if last in t.at:
        ring = pen.path(outline(t.grid, 45), line="clay", width=3, also="half")
        made.append(pen.thing("last", ring, at=at[last], scale=level, motion="still", also="landing"))
    if t.fd_kind != NONE:
        own = t.fd_kind >= 0
        if t.phase == ROTATE:
            ways = "".join(face(t.fd_kind, mask, t.grid, body=False) for _, mask in rotations(t))
            body = use(f"tile{t.grid}", also="low-shadow") + pen.group(ways, also="ghost")
            words, state = "It fits in several ways; Medusa chooses how it lies.", KIND_NAMES[t.fd_kind]
        else:
            peek = ""
            if own:  # on its back: small for Medusa, who knows it; large for those who look back
                at_, size, scale = ((0, 27), 15, 0.27) if t.own else ((0, 0), 25, 0.46)
                peek = pen.circle(*at_, size, fill="board") + pen.group(icon(min(t.fd_kind, SECTION)), at=at_, scale=scale)
            body, state = use(f"back{t.grid}", also="low-shadow") + peek, "down"
            words = "It is one of the tiles Medusa holds."
            if own:
                kind = a(KIND_NAMES[t.fd_kind])
                words = f"Only you know it: {kind}." if t.own else f"{upper(kind)}: hidden from the Champion until he has answered."
        come = hand_at(row, 1)
        id = f"t-{t.n}"
        made.append(pen.thing(id, body, at=at[t.fd_cell], scale=level, face=state, come=come))
        cards[id] = Card("The tile in play" if t.phase == ROTATE else "Face-down tile", words, "R24" if t.phase == ROTATE else "R21")
    return made


def tile_card(t, tile):
    kind = t.kind[tile]
    if tile == 0:
        return Card("Medusa's head", "Everything grows out of it: a tress leaves it on every side.", "R4")
    if t.flipped[tile]:
        return Card("Stone", f"A flipped {KIND_NAMES[kind]}: it blocks this space for good.", "Q8")
    if kind == SNAKEHEAD:
        return Card(
            "Snakehead",
            f"Stays and counts for Medusa, who wins with {kit.in_words(SNAKEHEADS_TO_WIN)} of them. Nothing grows from it.",
            "R26",
        )
    if kind == EYEBALL:
        return Card("Eyeball", "It has turned a Heart to stone. Nothing grows from it, but a chain may end here.", "R28")
    return Card("Snake Section", "Medusa grows from its open ends.", "R30")


def turns(t, at, level, row, cards):
    """R24: the ways in which the revealed tile fits, to choose from; each is shown in its place while it is pointed at."""
    if t.phase != ROTATE:
        return []
    moves = rotations(t)
    left, y = slot_at(row, 1.5)[0] - (len(moves) - 1) * 46, row + 84
    panel = pen.rect(-166, -50, 332, 104, fill="board", line="gold", width=1.5, round=18)
    made = [pen.thing("ways", panel, at=(slot_at(row, 1.5)[0], y), motion="still")]
    for place, (rotation, mask) in enumerate(moves):
        id = f"turn-{rotation}"
        made.append(pen.thing(f"way-{rotation}", face(t.fd_kind, mask, t.grid), at=at[t.fd_cell], scale=level, hover=id))
        body = pen.path(outline(t.grid, 50), fill="board", line="gold", width=3)
        made.append(pen.thing(id, body, face(t.fd_kind, mask, t.grid, body=False), at=(left + place * 92, y), scale=0.86))
        cards[id] = Card("One way to lie", f"Tresses {sides_of(t.grid, mask)}.", "Q14")
    return made


def rotations(t):
    """R24, Q14: the rotations that join the most tresses, each with its sides."""
    sides = SIDES_OF[t.grid]
    ends = 0
    for side in range(sides):
        tile = t.at.get(t.next_to[t.fd_cell][side])
        if tile is not None and t.kind[tile] >= SECTION and t.mask[tile] >> (side + sides // 2) % sides & 1:
            ends |= 1 << side
    ways = [(turn, mask) for turn, mask in enumerate(TURNS[t.grid][int(SHAPE[t.grid, t.section, t.fd_kind])][:sides]) if mask >= 0]
    most = max((mask & ends).bit_count() for _, mask in ways)
    return [(turn, mask) for turn, mask in ways if (mask & ends).bit_count() == most]


# ---- the two rows --------------------------------------------------------------------------------------------------------


def row_frame(name, owner, row, width=WIDTH - 20):
    """The mat of one side, with its colour and mark."""
    return pen.thing(
        f"mat-{owner}",
        pen.rect(10, row, width, ROW_HEIGHT, fill="board", line="line", width=1.5, round=16, also="low-shadow"),
        pen.rect(10, row, 8, ROW_HEIGHT, fill=f"seat{owner}", round=4),
        pen.group(pen.mark(owner, 8), at=(36, row + 20)),
        pen.text(name, 50, row + 20, size=22, serif=True, bold=True, align="start"),
    )


def heading(words, x, y, align="start"):
    return pen.text(words, x, y, size=19, fill="muted", align=align)


def medusas_row(t, row, cards, seat):
    """Hand, market and stack."""
    made = [row_frame("Medusa", MEDUSA, row)]
    note = (f"{t.secret} unknown" if t.secret else "all known") if t.pool else "no tile"
    if t.own:
        note = "your hand"
    elif t.open:
        note = "shown open"
    elif t.phase == RESPOND:
        note = "one is in play"
    made.append(
        pen.thing(
            "market-words",
            heading(note, 136, row + 21),
            heading("Which way?" if t.phase == ROTATE else "Market", 290, row + 20),
            heading("Stack", 654, row + 20),
            motion="still",
        )
    )
    made += own_hand(t, row, cards) if t.own or t.open else held(t, row, cards)
    for kind in range(KINDS):
        slots = [slot for slot in range(MARKET) if t.market[slot] == kind]
        if slots:
            rims = "".join(moved(outline(t.grid, 39.5), *slot_at(row, slot)) for slot in slots)
            inside = [
                pen.thing(
                    f"slot-{slot}-{kind}", use_scaled(loose(kind, t.grid, t.section), 0.78), at=slot_at(row, slot), come=(682, row + 82)
                )
                for slot in slots
            ]
            made.append(pen.thing(f"market-{kind}", pen.path(rims, fill="line", line="line", width=2), *inside, motion="still"))
            cards[f"market-{kind}"] = Card(KIND_NAMES[kind], KIND_WORDS[kind], "R18")
    made.append(
        pen.thing(
            "stack",
            pen.stack(t.stack_n, use_scaled(use(f"back{t.grid}"), 0.72), depth=2.6, most=4),
            pen.circle(0, 0, 18, fill="board", line="ink", width=1.5),
            pen.text(t.stack_n, 0, 0, size=20, bold=True),
            at=(682, row + 82),
        )
    )
    order = t.s.stack.tolist()[: t.stack_n][::-1]
    inside = f"From the top: {', '.join(KIND_NAMES[kind] for kind in order)}." if order and min(order) >= 0 else ""
    words = f"{many(t.stack_n, 'tile')}, face-down. {inside or 'The Champion wins if he survives until it is empty.'}"
    cards["stack"] = Card("Stack", words, "Q26")
    return made


KIND_WORDS = (
    f"Medusa wins with {kit.in_words(SNAKEHEADS_TO_WIN)} of them in play; only the Blade stops one.",
    "Turns a Heart to stone when it is revealed; only the Shield stops it.",
    f"Medusa grows from it, and {kit.in_words(CHAIN_TO_WIN)} in a row are a chain; only the Torch stops it.",
    "Medusa grows from it; only the Torch stops it.",
    "Medusa grows from it; only the Torch stops it.",
)


def moved(outline_, x, y):
    """A path of M, L, H, V and Z somewhere else."""
    out, number, axis = [], "", 0
    for sign in outline_ + " ":
        if sign in "MLHVZ ":
            if number:
                out.append(svg.number(float(number) + (y if axis == 1 else x)))
                number = ""
                if axis == 0 and sign == " ":
                    out.append(" ")
                    axis = 1
                    continue
            if sign != " ":
                out.append(sign)
                axis = 1 if sign == "V" else 0
        else:
            number += sign
    return "".join(out).strip()


def use_scaled(body, scale):
    return pen.group(body, scale=scale)


def drafted_from(t, row):
    """Where the tile comes from that was drafted in the last move."""
    slot = next((event.args[1] for event in t.view.events if event.name == "drafts"), None)
    return slot_at(row, slot) if slot is not None else ""


def own_hand(t, row, cards):
    """For Medusa, and when nothing is hidden: her tiles, those of one kind together; the one nobody else knows is marked."""
    made, place, come = [], 0, drafted_from(t, row)
    for kind in range(KINDS):
        count = t.hand[kind]
        if count:
            spots = [hand_at(row, place + k) for k in range(count)]
            rims = "".join(moved(outline(t.grid, 40.5), *spot) for spot in spots)
            secret = count > t.known[kind]
            inside = []
            for k, spot in enumerate(spots):
                only = pen.group(pen.label("secret", size=16, pad=6), at=(0, 38)) if secret and k == count - 1 else ""
                inside.append(pen.thing(f"own-{kind}-{k}", use_scaled(loose(kind, t.grid, t.section), 0.8), only, at=spot, come=come))
            made.append(pen.thing(f"hand-{kind}", pen.path(rims, fill="line", line="line", width=2), *inside, motion="still"))
            if t.own:
                known = " The Champion does not know that you hold it." if secret else " The Champion has seen you draft it."
            else:
                known = " Hidden from the Champion." if secret else " The Champion has seen Medusa draft it."
            cards[f"hand-{kind}"] = Card(KIND_NAMES[kind], KIND_WORDS[kind] + known, "R20" if not secret else "R8")
            place += count
    return made


def held(t, row, cards):
    """For everybody else: what is known of her tiles, the one in play included."""
    made, place, come = [], 0, drafted_from(t, row)
    kinds = [kind for kind in range(KINDS) for _ in range(t.known[kind])] + [HIDDEN] * t.secret
    back = use_scaled(use(f"back{t.grid}", also="low-shadow"), 0.8) + pen.circle(0, 0, 17, fill="board")
    back += pen.text("?", 0, 1, size=25, bold=True)
    for place, kind in enumerate(kinds):
        id, body = f"held-{place}", back
        if kind == HIDDEN:
            cards[id] = Card("Unknown tile", "Dealt to Medusa in secret before the first round; it may be anything.", "R8")
        else:
            shown = pen.circle(0, 0, 26, fill="board", line="ink", width=1.5) + pen.group(icon(min(kind, SECTION)), scale=0.5)
            body += pen.group(shown, also="known")
            cards[id] = Card(
                f"Known: {KIND_NAMES[kind]}", "Medusa drafted it in the open, so she holds it or has just laid it face-down.", "Q29"
            )
        made.append(pen.thing(id, body, at=hand_at(row, place), face=kind, come=come))
    return made


def champions_row(t, row, cards, at, level):
    """The pads of the three weapons, the Hearts and the reserve."""
    mat = row_frame("Champion", CHAMPION, row)
    words = [heading("Hearts", 338, row + 20), heading("Reserve: take one" if t.phase == CHAMPION_DRAFT else "Reserve", 500, row + 20)]
    made = [mat, pen.thing("gear-words", *words, motion="still")]
    best = t.best_spot() if t.phase == RESPOND else None
    spots = t.spots()
    for gear in range(3):
        x, y = gear_at(row, gear)
        gone = t.drafted != NONE and t.equip[gear] == 0
        pill = pen.group(
            pen.rect(-45, -14, 90, 28, fill="felt", round=14),
            pen.text(
                "next round" if gone else "beats", -38 if not gone else 0, 0, size=17, fill="muted", align="middle" if gone else "start"
            ),
            "" if gone else pen.group(icon(gear), at=(25, 0), scale=0.3),
            at=(0, 51),
        )
        parts = [pen.circle(0, 0, 39, fill="felt", line="line", width=2)]
        if gone:
            parts.append(pen.group(use(f"gear{gear}"), also="faint"))
        parts.append(pill)
        if best is not None and best != BESIDE_DIRECTION and t.equip[gear] and len(spots) > 1:
            cx, cy = at[spots[best]]
            ghost = f'<path d="{outline(t.grid, 46)}" class="f-gold-soft s-gold" stroke-width="5" pointer-events="visible"/>'
            parts.append(
                pen.thing(
                    f"ghost-{gear}", ghost, pen.group(disc(gear), also="half"), at=(cx - x, cy - y), scale=level, hover=f"gear-{gear}"
                )
            )
        made.append(pen.thing(f"gear-{gear}", *parts, at=(x, y)))
        says = f"Beats {a(BEATS[gear])}: {WEAPON_WORDS[gear]}"
        if gone:
            says = "Used in this round; it comes back when the next round begins."
        cards[f"gear-{gear}"] = Card(GEAR_NAMES[gear], says, "R31" if gone else ("R25", "R27", "R29")[gear])
    beats = many(t.lives, "Heart") + (" beats" if t.lives == 1 else " beat")
    made.append(
        pen.thing(
            "gear-3", pen.rect(-28, -38, 56 + 52 * 2, 88, fill="felt", round=14), heading(beats, 52, 36, "middle"), at=heart_at(row, 0)
        )
    )
    cards["gear-3"] = Card("Hearts", "Each unshielded Eyeball turns one to stone; Medusa wins when all active ones are stone.", "R11")
    for gear in range(4):
        x, y = spare_at(row, gear)
        parts = [pen.circle(0, 0, 27, fill="felt", line="line", width=2)]
        if gear < HEART:
            parts.append(pen.group(icon(gear), at=(0, 44), scale=0.28))
        else:
            words = "" if t.drafted == HEART else "no life" if t.reserve else "stone"
            parts.append(heading(words, 0, 44, "middle"))
        made.append(pen.thing(f"spare-{gear}", *parts, at=(x, y)))
        if gear < HEART:
            count = ARMED[gear] + 1
            then = f"can answer with the {GEAR_NAMES[gear]} twice" if count == 2 else f"have {count} {GEAR_NAMES[gear]}s"
            says = f"Take it, and you {then} this round."
        elif t.reserve:
            says = "In reserve it is no life: take it, and it is the first to turn to stone this round."
        else:
            says = "It has turned to stone and cannot be taken any more."
        cards[f"spare-{gear}"] = Card(f"Reserve {GEAR_NAMES[gear]}", says, "R19" if gear < HEART else "Q18" if t.reserve else "Q20")
    return made


WEAPON_WORDS = ("it is cut off and captured.", "no Heart is lost and the space is stone.", "it burns and the space is stone.")


def champions_tiles(t, row, at, level, cards):
    """The nine Champion tiles as things that travel between reserve, row and board."""
    made = []
    home = f"landing round-{t.s.round}"  # differs with the round, so that a tile that a step has moved is brought home again
    uses = {}
    for which, (gear, cell) in enumerate(t.field):
        uses.setdefault(gear, []).append((which, cell))
    field = []
    for gear in range(3):
        played = uses.get(gear, [])
        reserve = ARMED[gear]
        for copy in range(reserve, -1, -1):
            id = weapon(gear, copy)
            if copy < len(played):
                which, cell = played[copy]
                rim = pen.path(outline(t.grid, 47), fill=f"seat{CHAMPION}-soft", line=f"seat{CHAMPION}", width=3)
                field.append(pen.thing(id, rim, disc(gear), at=at.get(cell) or beside_at(which), scale=level if cell != BESIDE else 0.9))
                cards[id] = Card(f"The Champion's {GEAR_NAMES[gear]}", LIES_BESIDE if cell == BESIDE else LIES_HERE, "R31")
            elif copy < reserve or t.drafted == gear:
                x, y = gear_at(row, gear)
                behind = copy - len(played)
                made.append(pen.thing(id, disc(gear), at=(x + 12 * behind, y - 9 * behind), scale=0.9, also=home))
            else:
                made.append(pen.thing(id, disc(gear), at=spare_at(row, gear), scale=0.62, also="landing"))
        if t.equip[gear] > 1:
            twice = pen.circle(0, 0, 14, fill=f"seat{CHAMPION}") + pen.text(
                f"×{t.equip[gear]}", 0, 0, size=17, fill=f"on{CHAMPION}", bold=True
            )
            made.append(pen.thing(f"twice-{gear}", twice, at=(gear_at(row, gear)[0] - 30, row + 50), also="landing"))
    for copy in range(STANDING + 1):
        made.append(heart_thing(t, row, copy))
    for which, cell in uses.get(HEART, []):
        id = f"heart-play-{which}"
        rim = pen.path(outline(t.grid, 47), fill=f"seat{CHAMPION}-soft", line=f"seat{CHAMPION}", width=3)
        field.append(
            pen.thing(
                id,
                rim,
                disc(HEART),
                at=at.get(cell) or beside_at(which),
                scale=level if cell != BESIDE else 0.9,
                come=heart_at(row, 1),
                go=heart_at(row, 1),
            )
        )
        cards[id] = Card("The Champion's Heart", "Played as an answer that matches nothing.", "Q21")
    return made + field


LIES_HERE = "Lies here until the end of the round and keeps Medusa out."
LIES_BESIDE = "Lies here until the end of the round."


def weapon(gear, copy):
    return f"weapon-{gear}-{copy}"


def heart_thing(t, row, copy):
    """A Heart: beating, stone, or in the reserve and then only an outline of a life."""
    if copy < STANDING:
        beats = copy < t.live
        body = disc(HEART, stone=not beats)
        return pen.thing(f"heart-{copy}", body, at=heart_at(row, copy), scale=0.68, face="beats" if beats else "stone", also="landing")
    active = t.drafted == HEART
    if active:
        body = disc(HEART, stone=not t.reserve)
    else:
        rim = pen.circle(0, 0, 38, fill="board", line=f"seat{CHAMPION}", width=3, also="dashed")
        body = rim + use("noheart" if t.reserve else "stoneheart") + use("mark")
    place = heart_at(row, copy) if active else spare_at(row, HEART)
    state = "beats" if t.reserve else "stone"
    return pen.thing(f"heart-{copy}", body, at=place, scale=0.68 if active else 0.62, face=state, also="landing")


# ---- words ---------------------------------------------------------------------------------------------------------------


def plural(count, word):
    return word if count == 1 else f"{word}s"


def many(count, word):
    return f"{count} {plural(count, word)}"


def a(name):
    return f"an {name}" if name[0] in "AEIOU" else f"a {name}"


def upper(words):
    return words[:1].upper() + words[1:]


@cache
def where(grid, cell):
    """A space in words: how to get there from Medusa's head, in one direction or in two that lie side by side."""
    sides = SIDES_OF[grid]
    ways = [SPACES[grid][NEIGHBOURS[grid][0][side]] for side in range(sides)]
    for side in range(sides):
        (q, r), (u, v) = ways[side], ways[(side + 1) % sides]
        x, y = SPACES[grid][cell]
        size = q * v - r * u
        far, across = (x * v - y * u) // size, (q * y - r * x) // size
        if far > 0 and across >= 0:
            break
    one, two = (WAYS[DIRECTION_NAMES[grid][k % sides]] for k in (side, side + 1))
    if not across:
        away = {"up": "above", "down": "below"}.get(one, f"{one} of")
        return f"{away} Medusa's head" if far == 1 else f"{far} steps {away} Medusa's head"
    if two in ("up", "down"):
        one, two, far, across = two, one, across, far
    return f"{many(far, 'step')} {one} and {across} {two} of Medusa's head"


def sides_of(grid, mask):
    return ", ".join(WAYS[DIRECTION_NAMES[grid][side]] for side in range(SIDES_OF[grid]) if mask >> side & 1)


def in_hand(t):
    """What Medusa may hold, in words."""
    named = [kind for kind in range(KINDS) if t.known[kind]]
    parts = [a(KIND_NAMES[kind]) if t.known[kind] == 1 else many(t.known[kind], KIND_NAMES[kind]) for kind in named]
    parts += ["an unknown tile"] * t.secret
    return kit.listed(parts)


def picks(view, move):
    """A market tile; a reserve tile; a hand tile and a space; a weapon and a space (or the weapon again); a way to lie."""
    if move.verb == "draft":
        return (f"market-{move.args[0]}",)
    if move.verb == "equip":
        return (f"spare-{move.args[0]}",)
    if move.verb == "place":
        return (f"hand-{move.args[0]}", f"space-{move.args[1]}")
    if move.verb == "rotate":
        return (f"turn-{move.args[0]}",)
    t = Table(view)
    gear, side = move.args
    first = f"gear-{gear}"
    spots = t.spots()
    if side == BESIDE_DIRECTION:
        return (first, "beside")
    if gear < HEART and side == t.best_spot() and len(spots) > 1:
        return (first, first)  # the ghost of this space belongs to the weapon
    return (first, f"space-{spots[side]}")


def say_move(view, move):
    grid = int(view.state.grid)
    if move.verb == "draft":
        return f"Draft {a(KIND_NAMES[move.args[0]])}{'' if move.args[0] <= SECTION else f' ({move.args[0]})'}"
    if move.verb == "equip":
        return f"Take the reserve {GEAR_NAMES[move.args[0]]}"
    if move.verb == "place":
        kind, cell = move.args
        return f"Lay {a(KIND_NAMES[kind])}{'' if kind <= SECTION else f' ({kind})'} {where(grid, cell)}"
    if move.verb == "respond":
        gear, side = move.args
        if side == BESIDE_DIRECTION:
            return f"Answer with the {GEAR_NAMES[gear]}, beside the board"
        return f"Answer with the {GEAR_NAMES[gear]}, {where(grid, NEIGHBOURS[grid][int(view.state.fd_cell)][side])}"
    shape = int(SHAPE[grid, int(view.state.section), max(int(view.state.fd_kind), 0)])
    return f"Turn it: tresses {sides_of(grid, TURNS[grid][shape][move.args[0]])}"


def confirm(view, move):
    """Placing cannot be taken back; and Medusa is warned before she closes herself in."""
    if move.verb != "place":
        return None
    t = Table(view)
    kind, cell = move.args
    left = sum(ends for other, ends in t.ends.items() if other != cell)
    if left > 1:
        return f"Lay the {KIND_NAMES[kind]} face-down here? It cannot be taken back."
    when = ("if it is not captured", "if it is revealed either way", "if the Torch burns it")[min(kind, SECTION)]
    ends = "no open end is left and you are closed in" if left == 0 else "only 1 open end is left"
    return f"Careful: {when}, {ends}. Lay the {KIND_NAMES[kind]} here all the same?"


def prompt(view, seat):
    """One sentence for what to do now."""
    t = Table(view)
    if t.phase == MEDUSA_DRAFT:
        if t.pool < HAND - 1:
            first = f"Draft the first of {kit.in_words(HAND - t.pool)} tiles from the market"
            return f"{first}, Medusa: the Champion sees what you take."
        return "Draft one more tile from the market, Medusa: then you conceal your hand."
    if t.phase == CHAMPION_DRAFT:
        return f"Take one reserve tile for this round, Champion: Medusa holds {in_hand(t)}."
    if t.phase == PLACE:
        return "Choose a tile of your hand, Medusa, then a glowing space: it is laid face-down."
    if t.phase == RESPOND:
        kinds = [a(KIND_NAMES[kind]) for kind in range(KINDS) if t.known[kind]] + ["an unknown tile"] * t.secret
        guess = f"It may be {kit.listed(kinds, 'or')}" if len(kinds) > 1 else f"It can only be {kinds[0]}"
        return f"{guess}, Champion: {how_to_answer(t)}."
    return f"The {KIND_NAMES[t.fd_kind]} stays, Medusa: choose how it joins your hair."


def unaided(view, seat):
    """Q29: the same without what the Champion can remember."""
    t = Table(view)
    return {
        CHAMPION_DRAFT: "Take one reserve tile for this round, Champion.",
        RESPOND: f"Guess what it is, Champion: {how_to_answer(t)}.",
    }.get(t.phase)


def how_to_answer(t):
    """Q10, Q11: what to click for an answer."""
    return "choose a weapon, then a space (or the weapon again)" if t.spots() else "choose a weapon, then the place beside the board"


def why_not(view, id):
    t = Table(view)
    name, _, number = id.partition("-")
    if t.phase == MEDUSA_DRAFT:
        return (
            "Draft from the market first: choose one of its tiles." if name != "stack" else "The stack is face-down; draft from the market."
        )
    if t.phase == CHAMPION_DRAFT:
        if id in (f"spare-{HEART}", f"heart-{STANDING}"):
            return "This Heart has turned to stone." if not t.reserve else "No Heart can be drafted in this game."
        return "First take one tile from your reserve."
    if t.phase == PLACE:
        if name == "t":
            if int(number) == 0:
                return "Choose a tile of your hand, then a glowing space next to an open end."
            return "That space is stone." if t.flipped[int(number)] else f"{upper(a(KIND_NAMES[t.kind[int(number)]]))} lies there already."
        if name == "weapon" or (name == "space" and int(number) in t.covered):
            return "A Champion tile covers that space until the end of the round."
        if name == "space":
            return "First choose which tile of your hand to lay there."
        if name == "ground":
            return "No open end points there: choose a glowing space."
        return "It is time to place: choose a tile of your hand, then a glowing space."
    if t.phase == RESPOND:
        if name == "gear" and number.isdigit():
            if int(number) == HEART:
                return "A Heart cannot be played as an answer."
            if t.equip[int(number)] == 0:
                return f"The {GEAR_NAMES[int(number)]} is used; it is back next round."
            return "Go back first to choose another weapon."
        if name == "space":
            return "First choose the weapon to answer with."
        if name == "spare":
            return "The reserve is for the draft; answer with one of your three weapons."
        return "Choose a weapon, then a glowing space next to the face-down tile." if t.spots() else f"{upper(how_to_answer(t))}."
    if t.phase == ROTATE:
        return "Choose one of the ways in which the tile can lie."
    return None


def say(view, event):
    """Sentences for people: places in words, no numbers of slots or rotations."""
    grid, args = int(view.state.grid), event.args
    match event.name:
        case "drafts":
            return f"Medusa drafts {a(KIND_NAMES[args[0]])} from the market. [R18]"
        case "refills":
            return f"{upper(a(KIND_NAMES[args[0]]))} is turned up; {many(args[2], 'tile')} left in the stack. [R18]"
        case "leaves_empty":
            return "The stack is empty, so the place in the market stays empty. [Q27]"
        case "conceals":
            return f"Medusa conceals her {many(args[0], 'tile')}. [R20]"
        case "places":
            place = where(grid, args[0]).replace("Medusa's", "her")
            return f"Medusa lays a tile face-down {place}. [R21]"
        case "lays":
            return f"It is {a(KIND_NAMES[args[0]])}; only Medusa knows. [R20]"
        case "responds":
            return f"The Champion answers with the {GEAR_NAMES[args[0]]}, {where(grid, args[1])}. [R22]"
        case "reveals":
            return f"Medusa turns up the tile: {a(KIND_NAMES[args[1]])}! [R23]"
        case "answers_beside":
            rule = "Q10" if view.state.champion_blocks == 1 else "Q11"
            return f"The Champion answers with the {GEAR_NAMES[args[0]]}, played beside the board. [{rule}]"
        case "severs":
            return f"The Blade severs the Snakehead: {args[1]} of {CAPTURES_TO_WIN} captured. [R25]"
        case "reflects":
            return "The Shield throws the stare back: the Eyeball is flipped and blocks its space for good. [R27]"
        case "burns":
            return "The Torch burns the Snake Section: it is flipped and blocks its space for good. [R29]"
        case "settles":
            return f"The {KIND_NAMES[args[0]]} stays and joins Medusa's hair. [R24]"
        case "hisses":
            return f"It hisses: {args[0]} of {SNAKEHEADS_TO_WIN} Snakeheads in play. [R26]"
        case "stares":
            return f"The Eyeball meets no Shield: {many(args[0], 'stare')} so far. [R28]"
        case "standing_stone":
            return f"A Heart of the Champion turns to stone: {args[0]} {'beats' if args[0] == 1 else 'beat'} on. [R28]"
        case "grows":
            return f"Medusa can grow from the Snake Section: {many(args[0], 'open end')} in all. [R30]"
        case "closed":
            return "No open end is left: Medusa is closed in. [R14]"
    return None


HEADS_TO_WIN = f"{kit.in_words(SNAKEHEADS_TO_WIN)} {plural(SNAKEHEADS_TO_WIN, 'Snakehead')}"
WHY = {
    HEADS: f"{HEADS_TO_WIN} {'hisses' if SNAKEHEADS_TO_WIN == 1 else 'hiss'} in play",
    STONE: "the Champion's Hearts are all stone",
    CHAIN: "a chain of Snake Sections has found its end",
    CAPTURE: f"{kit.in_words(CAPTURES_TO_WIN)} {plural(CAPTURES_TO_WIN, 'Snakehead')} {'is' if CAPTURES_TO_WIN == 1 else 'are'} captured",
    CLOSED: "Medusa is closed in, no open end is left",
    TILES_OUT: "Medusa has run out of tiles",
}


def ending(view):
    s = view.state
    why = " and ".join(words for bit, words in WHY.items() if int(s.reasons) & bit)
    winner = int(s.winner)
    return ("A draw." if winner == DRAW else ("Medusa wins.", "The Champion wins.")[winner], upper(why) + ".")


def steps(before, after, events):
    """An answer first travels to the face-down tile; only then that is turned up, and what it does is lit. The rest moves by itself."""
    name = next((event for event in events if event.name in ("responds", "answers_beside")), None)
    if name is None or before.state.phase != RESPOND:
        return [Step(event=k) for k in range(len(events))]
    t = Table(before)
    gear = name.args[0]
    id = weapon(gear, sum(played == gear for played, _ in t.field))
    made, up = [], "breath"
    for k, event in enumerate(events):
        if event is name and gear < HEART:
            made.append(Step(event=k, go={id: (*place_of(t, name.args[1] if name.name == "responds" else BESIDE), 0)}, ms=420))
        elif event.name == "reveals":
            up = f"up-{event.args[1]}"
            made.append(Step(event=k, go={up: place_of(t, t.fd_cell)}, ms=520))
        elif event.name in ("severs", "reflects", "burns"):
            made.append(Step(event=k, flash=(up, *((id,) if gear < HEART else ())), ms=420))
        elif event.name == "standing_stone":
            made.append(Step(event=k, flash=(f"heart-{event.args[0]}",), ms=380))
        elif event.name == "drafted_stone":
            made.append(Step(event=k, flash=(f"heart-{STANDING}",), ms=380))
        elif event.name in ("settles", "hisses", "stares"):
            made.append(Step(event=k, flash=(up,), ms=260))
        else:
            made.append(Step(event=k, ms=160))
    return made


def place_of(t, cell):
    """Where a space lies in the picture of a table at RESPOND."""
    if cell == BESIDE:
        return beside_at(len(t.field))
    level, middle = zoom(t.grid, t.room())
    x, y = unit(t.grid, cell)
    return (middle[0] + x * level, middle[1] + y * level)


SIGNS = ("H", "E", "S", "S", "S", "M")


def text(view):
    """For terminals: the board (M Medusa's head, H E S tiles, # stone, ? face-down, + open, b s t Champion tiles) and the counts."""
    t = Table(view)
    signs = dict.fromkeys(t.ends, "+")
    signs |= {cell: "#" if t.flipped[tile] else SIGNS[t.kind[tile]] for tile, cell in enumerate(t.cell)}
    signs |= {cell: GEAR_NAMES[gear][0].lower() for gear, cell in t.field if cell < BESIDE}
    if t.fd_cell != NOWHERE:
        signs[t.fd_cell] = "?" if t.fd_kind < 0 or t.phase == RESPOND else SIGNS[t.fd_kind]
    places = {SPACES[t.grid][cell]: sign for cell, sign in signs.items()}
    rows = range(min(r for _, r in places), max(r for _, r in places) + 1)
    columns = {(2 * q + (r if t.grid == HEX else 0), r): sign for (q, r), sign in places.items()}
    left, right = min(x for x, _ in columns), max(x for x, _ in columns)
    lines = ["".join(columns.get((x, r), " ") for x in range(left, right + 1)).rstrip() for r in rows]
    hand = [SIGNS[kind] for kind in range(KINDS) for _ in range(t.hand[kind] if t.own or t.open else t.known[kind])]
    hand += ["?"] * (0 if t.own or t.open else t.secret)
    market = "".join(SIGNS[kind] if kind >= 0 else "-" for kind in t.market)
    gear = t.equip if t.drafted != NONE else ACTIVE[:3].tolist()
    weapons = " ".join(f"{name} {count}" for name, count in zip(GEAR_NAMES, gear, strict=False))
    lines.append(f"hand {''.join(hand) or '-'}  market {market}  stack {t.stack_n}")
    goals = f"heads {t.heads}/{SNAKEHEADS_TO_WIN}  captured {t.captured}/{CAPTURES_TO_WIN}"
    lines.append(f"{weapons}  Hearts {t.live}  {goals}  open ends {sum(t.ends.values())}")
    return "\n".join(lines)
