"""How Sarpedon looks and speaks: a mosaic palace that turns to stone, four friends in its corners, Medusa in the middle.

The board is turned so that the viewer sits at the bottom left. Round it lie the four players' places: three Special Cards, the
deck of the quadrant the player is in, and the numbers still in it. The mirror at the top fills by quarters.
"""

from functools import cache
from math import cos, pi, sin

from rulestone.table import Card, Plate, Scene, Step, kit, svg
from rulestone.table.look import hue_of

from .content import CENTRE, COLOURS, MYSTERY_CARDS, MYSTERY_TILE, NEIGHBOURS, PLAYERS, SLOT, SLOTS, SPECIAL_CARDS, SQUARES, TILES
from .rules import (
    BARE,
    BARRED,
    CUT_OFF,
    FACE_DOWN,
    FACE_UP,
    FROZEN,
    HIDDEN,
    NO_EFFECT,
    PROTECT,
    REMOVED,
    SAVE_TILE,
    SAVED,
    SAVED_P,
    SECOND_COPY,
    SHARD,
    SHRIEK,
    STONE,
    SWAP,
    TRAP,
    UNTIL_SAVED,
    save_tiles_left,
)

SIZE, GAP = 92, 8  # a tile, and the lane between quadrants
WIDTH, HEIGHT = 812, 1082
LEFT, TOP = 34, 169  # of the board
SIDE = 8 * SIZE + GAP
MIRROR_AT, PARK = (WIDTH / 2, 64), (-9000, -9000)  # PARK: what only steps bring in
MIDDLE = (LEFT + SIDE / 2, TOP + SIDE / 2)
STALL_WIDTH, STALL_HEIGHT = 330, 130
STALLS = ((8, HEIGHT - STALL_HEIGHT - 8), (WIDTH - STALL_WIDTH - 8, HEIGHT - STALL_HEIGHT - 8), (WIDTH - STALL_WIDTH - 8, 8), (8, 8))
CARD_WIDTH, CARD_HEIGHT, CARD_TOP = 54, 80, 82  # of a Special Card, and where its middle lies in a place
IN_THRONE_ROOM = "throne room"
PILE = 4  # so many cards of a deck are drawn

HUE = tuple(hue_of(COLOURS, seat) for seat in range(PLAYERS))
SLOT_OF = {int(tile): slot for slot, tile in enumerate(MYSTERY_TILE)}
NEAR = {tile: [n for n in range(1, TILES + 1) if int(NEIGHBOURS[tile - 1]) >> n - 1 & 1] for tile in range(1, TILES + 1)}
MYSTERY, SPECIAL = tuple(MYSTERY_CARDS), tuple(SPECIAL_CARDS)
SPECIAL_RULE, MYSTERY_RULE = ("R25", "R28", "R30"), ("R34", "R37", "R39")
LAID = {"protects": 0, "saves_tile": 1, "saves_player": 2}
FOUND = {"springs_trap": TRAP, "shriek": SHRIEK, "shard": SHARD}
DRAWS = ("stone", "freezes", "bars", "harmless")


# ---- where things lie -----------------------------------------------------------------------------------------------


@cache
def place(base, quadrant, tile):
    """The middle of a tile for the one who sits at seat `base`: the board is turned until that corner is at the bottom left."""
    row, column = SQUARES[quadrant][tile]
    for _ in range(base):
        row, column = column, 7 - row
    return (LEFT + column * SIZE + (column > 3) * GAP + SIZE / 2, TOP + row * SIZE + (row > 3) * GAP + SIZE / 2)


@cache
def outward(base, quadrant):
    """The direction from the middle of the board to a quadrant's corner, as signs."""
    x, y = place(base, quadrant, CENTRE)
    return (1 if x > MIDDLE[0] else -1, 1 if y > MIDDLE[1] else -1)


@cache
def stand(base, quadrant, tile):
    """Where a piece stands on a tile: beside the number, and in the throne room away from Medusa."""
    x, y = place(base, quadrant, tile)
    if tile == CENTRE:
        right, down = outward(base, quadrant)
        return (x + 3 * right, y + 9 * down)
    return (x + 9, y + 6)


def stall(base, player):
    """The corner of a player's place beside the board."""
    return STALLS[(player - base) % PLAYERS]


def special_at(base, player, kind):
    x, y = stall(base, player)
    return (x + 9 + CARD_WIDTH / 2 + kind * (CARD_WIDTH + 4), y + CARD_TOP)


def deck_at(base, player):
    x, y = stall(base, player)
    return (x + 184, y + CARD_TOP)


def pile_at(base, player, deep):
    x, y = deck_at(base, player)
    return (x + 22 - deep * 1.6, y + 1 - deep * 2.2)


# ---- art ------------------------------------------------------------------------------------------------------------

CRACKS = (
    "M-46 -8L-22 -14L-8 4L14 -4L24 16L46 20M-8 4L-14 26L-4 46M14 -4L20 -28L14 -46",
    "M-30 -46L-20 -20L4 -12L10 12L-6 28L-2 46M4 -12L26 -22L46 -14M10 12L32 22L46 40",
    "M-46 18L-24 10L-6 18L10 -2L34 -8L46 -26M10 -2L2 -24L10 -46M-6 18L-10 34L-24 46",
    "M-46 -24L-18 -18L-4 -30L8 -46M-18 -18L-12 8L12 14L18 34L8 46M12 14L46 4",
)
FACETS = (
    "M-46 -8L-22 -14L-8 4L-14 26L-46 30ZM14 -4L20 -28L46 -20V20L24 16Z",
    "M-20 -20L4 -12L10 12L-6 28L-46 12V-30ZM26 -22L46 -14V-40L20 -42Z",
    "M-6 18L10 -2L34 -8L46 30L10 46L-10 34ZM-40 -40L2 -24L-10 -4L-40 0Z",
    "M-18 -18L-4 -30L30 -34L34 -4L12 14L-12 8ZM-46 10L-20 24L-24 46H-46Z",
)


@cache
def stone(variant):
    """Cracked grey stone the size of a tile, lit from the top left."""
    return (
        svg.rect(-45, -45, 90, 90, fill="stone", round=8, also="low-shadow")
        + svg.path(FACETS[variant], fill="stone-soft", opacity=0.28)
        + svg.path("M-42 40V-36Q-42 -42 -36 -42H40", line="on0", width=2, opacity=0.45)
        + svg.path(CRACKS[variant], line="on3", width=1.8, opacity=0.6)
    )


RUBBLE = svg.path(
    "M45 -45V-20L34 -26L22 -38L16 -45ZM45 45H20L28 32L38 24L45 12ZM-45 45V22L-34 28L-28 38L-16 45Z",
    fill="stone",
    line="on3",
    width=1,
)


def shield_art(size):
    """A round Greek shield with a wave rim: Protect Tile."""
    s = size
    rim = "".join(
        f"M{s * 0.86 * sin(k * pi / 6):.1f} {-s * 0.86 * cos(k * pi / 6):.1f}"
        f"L{s * 0.66 * sin((k + 0.5) * pi / 6):.1f} {-s * 0.66 * cos((k + 0.5) * pi / 6):.1f}"
        f"L{s * 0.86 * sin((k + 1) * pi / 6):.1f} {-s * 0.86 * cos((k + 1) * pi / 6):.1f}"
        for k in range(12)
    )
    return (
        svg.circle(0, 0, s, fill="gold", line="on3", width=max(1.5, s * 0.05))
        + svg.path(rim, line="on3", width=max(1.2, s * 0.05), opacity=0.7)
        + svg.circle(0, 0, s * 0.52, fill="clay", line="on3", width=max(1, s * 0.04))
        + svg.circle(0, 0, s * 0.2, fill="gold")
    )


def chisel_art(size):
    """A stone broken in two with a way through: Save Tile."""
    k = size / 20
    d = "M-20 -16L-3 -18L-8 -6L-2 2L-9 18L-20 16ZM20 -16L5 -18L1 -6L7 3L-1 18L20 16Z"
    return svg.group(svg.path(d, fill="stone", line="ink", width=1.5), scale=k)


def hand_art(size):
    """An open hand: Save Player."""
    k = size / 20
    d = "M-9 19V4L-15 -4Q-18 -9 -13 -9L-8 -3V-15Q-5 -19 -3 -15V-5V-18Q0 -22 2 -18V-5V-16Q5 -20 7 -16V-4V-11Q10 -15 12 -11V6Q12 14 7 19Z"
    return svg.group(svg.path(d, fill="on0", line="on3", width=1.7), scale=k)


def trap_art(size):
    """Two arrows that change places: Magic Trap."""
    k = size / 20
    return svg.group(
        svg.path("M-15 -7Q0 -20 14 -7M14 -7L13 -17M14 -7L4 -8M15 7Q0 20 -14 7M-14 7L-13 17M-14 7L-4 8", line="sea", width=4), scale=k
    )


def shriek_art(size):
    """A screaming head: Medusa's Shriek."""
    k = size / 20
    return svg.group(
        svg.path("M-12 -9Q-20 -14 -15 -20M-5 -14Q-8 -22 -1 -22M5 -14Q10 -20 16 -16M12 -8Q20 -8 19 -1", line="clay", width=3.4)
        + svg.path("M-12 -6Q-11 -16 0 -16Q11 -16 12 -6Q12 10 0 20Q-12 10 -12 -6Z", fill="clay")
        + svg.path("M-8 -7L-2 -4M8 -7L2 -4", line="on0", width=2.6)
        + '<ellipse cy="7" rx="4.4" ry="6.6" class="f-on3"/>',
        scale=k,
    )


def shard_art(size):
    """A splinter of a mirror: Mirror Shard."""
    k = size / 20
    return svg.group(
        svg.path("M-7 -18L10 -12L13 4L1 19L-12 6Z", fill="sea-soft", line="sea", width=2)
        + svg.path("M-4 -10L4 6M3 -9L7 -1", line="sea", width=1.6),
        scale=k,
    )


SPECIAL_ART = (shield_art(19), chisel_art(18), hand_art(20))
MYSTERY_ART = (trap_art(17), shriek_art(17), shard_art(17))
TINY_ART = (trap_art(9), shriek_art(9), shard_art(10))
CROSS = svg.path("M-9 9L9 -9", line="clay", width=3)


def hero(hue, statue):
    """A player's piece: a helmeted hero with the seat's mark on the cloak; a petrified one is a statue on a plinth."""
    fill, edge = ("stone", "on3") if statue else (f"seat{hue}", "on3")
    crest = svg.path(
        "M-15 -17C-19 -46 22 -48 20 -6L13 -9C14 -22 9 -30 0 -30C-6 -30 -9 -26 -10 -20Z",
        fill="stone" if statue else "clay",
        line=edge,
        width=1.6,
    )
    cloak = svg.path("M-22 32Q-20 4 -10 -4H10Q20 4 22 32Z", fill=fill, line=edge, width=1.6, also="low-shadow")
    helmet = svg.path(
        "M-12 -18Q-12 -32 0 -32Q12 -32 12 -18L11 -2L3 -1V-13L9 -14V-18L-9 -18V-14L-3 -13V-1L-11 -2Z", fill=fill, line=edge, width=1.6
    )
    helmet = svg.rect(-9, -19, 18, 17, fill="on3") + helmet
    if not statue:
        return cloak + svg.group(kit.mark(hue, 9, f"on{hue}"), at=(0, 15)) + crest + helmet
    plinth = svg.rect(-25, 20, 50, 16, fill="stone", line="on3", width=1.6, round=2)
    cracks = svg.path("M-6 -30L-2 -20L-8 -12M-14 12L-5 8L0 16L8 10L10 19M14 2L8 -2", line="on3", width=1.5, opacity=0.7)
    return cloak + crest + helmet + cracks + plinth + svg.circle(0, 28, 10, fill="on0") + svg.group(kit.mark(hue, 6.5), at=(0, 28))


HEROES = {(player, statue): hero(HUE[player], statue) for player in range(PLAYERS) for statue in (False, True)}


def gorgon():
    """Medusa as on old pots: terracotta on black, snakes round a staring face."""
    snakes, heads, r = [], [], 46
    for k in range(13):
        a = (k * 24 - 234) * pi / 180
        ray, side, bend = (cos(a), sin(a)), (-sin(a), cos(a)), 5 if k % 2 else -5
        points = [(ray[0] * d + side[0] * w, ray[1] * d + side[1] * w) for d, w in ((17, 0), (26, bend), (35, -bend), (r - 2, bend * 0.3))]
        snakes.append(svg.curve(points, ink="clay", width=4))
        heads.append(svg.circle(*points[-1], 3.6, fill="clay"))
    face = svg.path("M-19 -7Q-18 -24 0 -24Q18 -24 19 -7Q19 10 10 18Q4 24 0 24Q-4 24 -10 18Q-19 10 -19 -7Z", fill="clay")
    eyes = svg.path("M-15 -6Q-9 -12 -3 -6Q-9 -2 -15 -6ZM15 -6Q9 -12 3 -6Q9 -2 15 -6Z", fill="on0")
    pupils = svg.circle(-9, -6.4, 2.2, fill="on3") + svg.circle(9, -6.4, 2.2, fill="on3")
    lines = svg.path("M-16 -11Q-9 -16 -3 -10M16 -11Q9 -16 3 -10M0 -5L-3 5H3M-14 -18Q-7 -22 0 -17Q7 -22 14 -18", line="on3", width=1.8)
    mouth = svg.path("M-10 10Q0 7 10 10Q7 17 0 17Q-7 17 -10 10Z", fill="on3") + svg.path(
        "M-7 10L-6 14L-4.5 10ZM7 10L6 14L4.5 10Z", fill="on0"
    )
    tongue = svg.path("M-3 14H3V19Q0 23 -3 19Z", fill="gold")
    return svg.circle(0, 0, 53, fill="on3") + "".join(snakes) + "".join(heads) + face + eyes + pupils + lines + mouth + tongue


GORGON = gorgon()


QUESTION = (
    svg.rect(-23, -30, 46, 60, fill="clay", line="on3", width=1.2, round=5, also="low-shadow")
    + svg.rect(-18.5, -25.5, 37, 51, line="on0", width=1.3, round=3, opacity=0.65)
    + svg.text("?", 0, 2, size=36, fill="on0", serif=True, bold=True)
)


def seen_through(kind):
    """A Mystery Card that lies face-down but is no secret, as when one looks back: its sign in a window in the terracotta."""
    back = svg.rect(-23, -30, 46, 60, fill="clay", line="on3", width=1.2, round=5, also="low-shadow")
    frame = svg.rect(-18.5, -25.5, 37, 51, line="on0", width=1.3, round=3, opacity=0.65)
    window = svg.circle(0, -5, 17, fill="board") + svg.group(MYSTERY_ART[kind], at=(0, -5), scale=0.72)
    return back + frame + window + svg.text("?", 0, 20, size=16, fill="on0", serif=True, bold=True)


SEEN_THROUGH = tuple(seen_through(kind) for kind in range(3))

# Shapes that come many times are drawn once, in the palace, and shown by their names (no words: `use` does not centre them).
DRAWN_ONCE = {
    **{f"art-stone{k}": stone(k) for k in range(4)},
    **{f"art-special{k}": art for k, art in enumerate(SPECIAL_ART)},
}


def again(name, transform=""):
    """A shape of DRAWN_ONCE."""
    moved = f' transform="{transform}"' if transform else ""
    return f'<use href="#{name}"{moved}/>'


# ---- what never changes ---------------------------------------------------------------------------------------------


@cache
def palace(base):
    """The board: tesserae in the quadrants' tints, the numbers, and the dark round of the throne room."""
    parts = [
        "<defs>" + "".join(f'<g id="{name}">{art}</g>' for name, art in DRAWN_ONCE.items()) + "</defs>",
        svg.rect(LEFT - 20, TOP - 20, SIDE + 40, SIDE + 40, fill="board", line="line", width=1.5, round=18, also="soft-shadow"),
        svg.rect(LEFT - 10, TOP - 10, SIDE + 20, SIDE + 20, line="clay", width=2, round=11, also="half"),
    ]
    for quadrant in range(PLAYERS):
        squares, inlays, diamonds, hue = [], [], [], HUE[quadrant]
        for tile in range(1, TILES + 1):
            x, y = place(base, quadrant, tile)
            squares.append(f"M{x - 45:g} {y - 45:g}h90v90h-90z")
            if tile != CENTRE:
                inlays.append(f"M{x - 39:g} {y - 39:g}h78v78h-78z")
                if tile not in SLOT_OF:
                    diamonds.append(f"M{x:g} {y - 17:g}l17 17l-17 17l-17 -17z")
        parts.append(svg.path("".join(squares), fill=f"seat{hue}-soft"))
        parts.append(svg.path("".join(inlays), line=f"seat{hue}", width=3, opacity=0.42, stroke_dasharray="5.5 2.3"))
        parts.append(svg.path("".join(diamonds), fill=f"seat{hue}", opacity=0.16))
    grout = []
    for k in range(8):
        for part in (1, 2, 3):
            at = k * SIZE + (k > 3) * GAP + part * SIZE / 4
            grout.append(f"M{LEFT + at:g} {TOP}v{SIDE}M{LEFT} {TOP + at:g}h{SIDE}")
    parts.append(svg.path("".join(grout), line="board", width=1.2, opacity=0.55))
    x, y = MIDDLE
    parts.append(svg.circle(x, y, 104, fill="on3") + svg.circle(x, y, 97, line="clay", width=2.5, stroke_dasharray="7 4"))
    parts.append(svg.path(f"M{x:g} {y - 104:g}V{y + 104:g}M{x - 104:g} {y:g}H{x + 104:g}", line="board", width=GAP, opacity=0.9))
    for quadrant in range(PLAYERS):
        for tile in range(1, TILES + 1):
            parts.append(numeral(base, quadrant, tile, "ink"))
        x, y = place(base, quadrant, 13)
        parts.append(svg.group(kit.mark(HUE[quadrant], 11), at=(x + 26, y + 26), also="half"))
    return svg.thing("palace", *parts)


@cache
def numeral(base, quadrant, tile, ink, at_tile=False):
    """The number of a tile, in its upper left corner; in the throne room in the outer corner."""
    x, y = (0.0, 0.0) if at_tile else place(base, quadrant, tile)
    if tile == CENTRE:
        right, down = outward(base, quadrant)
        return svg.text(tile, x + 37 * right, y + 32 * down, size=25, fill=ink, serif=True, bold=True)
    return svg.text(tile, x - (28 if tile > 9 else 32), y - 29, size=25, fill=ink, serif=True, bold=True)


TARGET = f'<rect x="{2.5 - SIZE / 2:g}" y="{2.5 - SIZE / 2:g}" width="{SIZE - 5}" height="{SIZE - 5}" rx="9" class="target"/>'


@cache
def targets(base):
    """The tiles to click, over everything else on the board."""
    return tuple(
        svg.thing(f"tile-{quadrant}-{tile}", TARGET, at=place(base, quadrant, tile))
        for quadrant in range(PLAYERS)
        for tile in range(1, TILES + 1)
    )


STATUE = GORGON.replace("f-clay", "f-stone").replace("s-clay", "s-stone").replace("f-gold", "f-stone")
MEDUSA = {
    False: svg.thing("medusa", GORGON, at=MIDDLE, face="alive"),
    True: svg.thing("medusa", STATUE, at=MIDDLE, face="stone"),  # defeated: she has seen herself in the mirror
}


# ---- what lies on the tiles -----------------------------------------------------------------------------------------


@cache
def petrification(base, quadrant, index, tile):
    """A Petrification Card that lies on its tile: the tile is stone."""
    number = numeral(base, quadrant, tile, "on3", True)
    body = again(f"art-stone{(tile + quadrant) % 4}") + number
    return svg.thing(f"pet-{quadrant}-{index}", body, at=place(base, quadrant, tile), face="up")


@cache
def face_down(base, quadrant, index, holder, deep):
    """A Petrification Card in the deck of the player who holds it."""
    back = svg.rect(-18, -30, 36, 60, fill="stone", line="on3", width=1, round=5)
    frame = svg.rect(-14, -26, 28, 52, line="on0", width=1.2, round=3, opacity=0.6)
    sign = svg.circle(0, 0, 12, fill="on0") + kit.mark(HUE[quadrant], 8) if not deep else ""
    return svg.thing(f"pet-{quadrant}-{index}", back, frame, sign, at=pile_at(base, holder, -deep), face="down")


@cache
def laid(base, quadrant, tile, cover, come):
    """A small Special Card that lies on a tile."""
    if cover == PROTECT:
        frame = svg.rect(-43, -43, 86, 86, line="gold", width=5, round=8) if tile == CENTRE else ""
        body = frame + svg.circle(0, 0, 37, fill="board", opacity=0.7) + shield_art(34) + numeral(base, quadrant, tile, "ink", True)
    else:  # the corner with the number stays free
        turn = {(-1, -1): 0, (1, -1): 90, (1, 1): 180, (-1, 1): 270}[outward(base, quadrant)] if tile == CENTRE else 0
        body = svg.group(RUBBLE, turn=turn) + (svg.group(hand_art(20), at=(2, 4)) if cover == SAVED_P else "")
    return svg.thing(f"cover-{quadrant}-{tile}", body, at=place(base, quadrant, tile), come=come)


@cache
def mystery_card(base, quadrant, slot, state, kind, covered):
    """A Mystery Card: terracotta with a question mark, turned over with its sign, or lost under another card. `kind`: HIDDEN where it
    is a secret; a face-down card whose kind is known (looking back) has a window."""
    id, tile = f"mystery-{quadrant}-{slot}", int(MYSTERY_TILE[slot])
    x, y = place(base, quadrant, tile)
    if covered:
        down = state == FACE_DOWN
        art = svg.text("?", 0, 1, size=17, fill="on0", serif=True, bold=True) if kind == HIDDEN else TINY_ART[kind]
        box = svg.rect(-11, -14, 22, 28, fill="board" if kind != HIDDEN else "stone", line="on3", width=1.2, round=3)
        return svg.thing(id, box, art, CROSS if down else "", at=(x + 29, y + 25), face=f"under{state}.{kind}")
    if state == FACE_DOWN:
        return svg.thing(id, QUESTION if kind == HIDDEN else SEEN_THROUGH[kind], at=(x + 6, y + 6), face="down")
    body = svg.rect(-23, -30, 46, 60, fill="board", line="clay", width=1.5, round=5) + MYSTERY_ART[kind]
    return svg.thing(id, svg.group(body, also="half"), at=(x + 6, y + 6), face=f"up{kind}")


FOUND_CARDS = tuple(
    svg.thing(f"found-{kind}", svg.rect(-23, -30, 46, 60, fill="board", line="clay", width=1.5, round=5), art, at=PARK, motion="flip")
    for kind, art in enumerate(MYSTERY_ART)
)


# ---- players' places ------------------------------------------------------------------------------------------------


@cache
def special(base, player, kind, state):
    """A large Special Card: "" can be used, "used" is turned over, "grey" may not be used any more."""
    w, h, hue = CARD_WIDTH, CARD_HEIGHT, HUE[player]
    at, id = special_at(base, player, kind), f"special-{player}-{kind}"
    if state == "used":
        back = svg.rect(-w / 2, -h / 2, w, h, fill="felt", line="line", width=1.5, round=6) + svg.group(kit.mark(hue, 9), also="faint")
        return svg.thing(id, back, at=at, face="used")
    words = (("Protect", "tile"), ("Save", "tile"), ("Save", "player"))[kind]
    body = svg.rect(-w / 2, -h / 2, w, h, fill="board", line=f"seat{hue}", width=2, round=6, also="low-shadow")
    art = (
        again(f"art-special{kind}", "translate(0 -14)")
        + svg.text(words[0], 0, 17, size=12, bold=True)
        + svg.text(words[1], 0, 30, size=12, bold=True)
    )
    grey = svg.group(art, also="faint") + svg.path(f"M{-w / 2 + 7:g} {h / 2 - 7}L{w / 2 - 7:g} {-h / 2 + 7}", line="stone", width=3)
    return svg.thing(id, body, grey if state else art, at=at, face="fresh")


@cache
def small(base, player, kind):
    """The small copy of a Special Card, hidden under the large one until it flies to its tile."""
    body = svg.rect(-18, -22, 36, 44, fill="board", line=f"seat{HUE[player]}", width=2, round=5)
    return svg.thing(f"small-{player}-{kind}", body, again(f"art-special{kind}", "scale(.7)"), at=special_at(base, player, kind))


@cache
def deck(base, quadrant, holder, left):
    """The deck of a quadrant beside the player who holds it, with the numbers still in it."""
    numbers = "".join(
        svg.text(n, 58 + (n - 1) % 4 * 23, -28 + (n - 1) // 4 * 19, size=15.5, fill="ink") if left >> n - 1 & 1 else ""
        for n in range(1, TILES + 1)
    )
    gone = "".join(f"M{55 + (n - 1) % 4 * 23} {-28 + (n - 1) // 4 * 19}h6" for n in range(1, TILES + 1) if not left >> n - 1 & 1)
    count = left.bit_count()
    body = svg.rect(0, -CARD_HEIGHT / 2, 141, CARD_HEIGHT, fill=f"seat{HUE[quadrant]}-soft", round=7)
    empty = svg.text("empty", 25, 0, size=14, fill="muted") if not count else ""
    return svg.thing(
        f"deck-{quadrant}", body, numbers, svg.path(gone, line="stone", width=1.6) if gone else "", empty, at=deck_at(base, holder)
    )


@cache
def panel(base, player, quadrant, active, badge, shards, mine):
    """The ground of a player's place: who it is, where he is, and what ails him."""
    hue = HUE[player]
    x, y = stall(base, player)
    edge = svg.rect(
        0, 0, STALL_WIDTH, STALL_HEIGHT, fill="board", line=f"seat{hue}" if active else "line", width=4 if active else 1.5, round=14
    )
    title = COLOURS[player]
    parts = [svg.group(kit.mark(hue, 10), at=(22, 23)), svg.text(title, 39, 23, size=20, align="start", bold=True)]
    start, right, abroad = 48 + len(title) * 13, STALL_WIDTH - 9, quadrant != player and badge != IN_THRONE_ROOM
    if badge:
        width = len(badge) * 8.6 + 16
        parts.append(
            svg.rect(right - width, 10, width, 25, fill="stone-soft", round=12) + svg.text(badge, right - width / 2, 23, size=15.5)
        )
        right -= width + 6
    for _ in range(shards):
        parts.append(svg.group(shard_art(12), at=(right - 10, 23)))
        right -= 22
    if abroad:
        words = "in" if badge or shards > 1 else f"in {COLOURS[quadrant]}"
        width = len(words) * 9 + 38
        parts.append(svg.rect(start, 10, width, 25, fill=f"seat{HUE[quadrant]}-soft", round=12))
        parts.append(svg.text(words, start + 10, 23, size=16, align="start"))
        parts.append(svg.group(kit.mark(HUE[quadrant], 7), at=(start + width - 15, 22.5)))
    elif mine:
        parts.append(svg.text("you", start, 24, size=16, fill="muted", align="start", serif=True))
    return svg.thing(f"place-{player}", edge, *parts, at=(x, y))


@cache
def ring(base, player, quadrant):
    """The quadrant a player is in, outlined in his colour."""
    x = min(place(base, quadrant, t)[0] for t in (1, 4, 13, 16)) - SIZE / 2
    y = min(place(base, quadrant, t)[1] for t in (1, 4, 13, 16)) - SIZE / 2
    body = svg.rect(-2, -2, 4 * SIZE + 4, 4 * SIZE + 4, line=f"seat{HUE[player]}", width=5, round=8)
    right, down = outward(base, quadrant)
    at = (2 * SIZE + right * (2 * SIZE + 1), 2 * SIZE + down * (2 * SIZE + 1))
    badge = svg.circle(0, 0, 15, fill=f"seat{HUE[player]}", line="board", width=2) + kit.mark(HUE[player], 7.5, f"on{HUE[player]}")
    return svg.thing(f"ring-{player}", body, svg.group(badge, at=at), at=(x, y))


@cache
def mirror(owners):
    """The mirror: a quarter for each shard, and what it is worth against Medusa."""
    count = len(owners)
    wedges = [svg.circle(0, 0, 51, fill="on3", line="gold", width=5), svg.circle(0, 0, 44, fill="felt")]
    for k, owner in enumerate(owners[:4]):
        wedges.append(svg.wedge(0, 44, k * 90, k * 90 + 90, fill="sea-soft", line="sea", width=1.5))
        x, y = 31 * sin((k + 0.5) * pi / 2), -31 * cos((k + 0.5) * pi / 2)
        wedges.append(svg.group(kit.mark(HUE[owner], 7), at=(x, y)))
    wedges.append(svg.path("M0 -44V44M-44 0H44", line="gold", width=1.5, opacity=0.7))
    wedges.append(
        svg.circle(0, 0, 22, fill="board", line="gold", width=1.5)
        + svg.text(f"{25 * min(count, 4)}%", 0, 0, size=17 if count < 4 else 13.5, bold=True)
    )
    words = svg.text(f"{count} of 4 shards", 0, 70, size=18, serif=True)
    return svg.thing("mirror", *wedges, words, at=MIRROR_AT)


@cache
def last_card(quadrant, number, effect):
    """The Petrification Card drawn last."""
    at = (WIDTH / 2 - 33, HEIGHT - 72)
    if not number:
        return svg.thing("last", svg.rect(-26, -34, 52, 68, fill="felt", line="line", width=1.5, round=6), at=at, face="0")
    body = svg.rect(-26, -34, 52, 68, fill="stone", line=f"seat{HUE[quadrant]}", width=3, round=6, also="low-shadow")
    mark_ = svg.circle(0, 20, 10, fill="on0") + svg.group(kit.mark(HUE[quadrant], 6.5), at=(0, 20))
    number_ = svg.text(number, 0, -10, size=30, fill="on3", serif=True, bold=True)
    foil = svg.path("M-20 28L20 -28", line="gold", width=4) if effect == NO_EFFECT else ""
    return svg.thing("last", body, number_, mark_, foil, at=at, face=f"{quadrant}.{number}")


@cache
def die(value):
    """The four-sided die for the battle."""
    body = svg.path(
        "M0 -32L32 25Q34 29 29 29H-29Q-34 29 -32 25Z",
        fill="board",
        line="gold" if value else "line",
        width=3 if value else 2,
        also="low-shadow",
    )
    face = svg.text(value or "d4", 0, 10, size=28 if value else 18, fill="ink" if value else "muted", serif=True, bold=True)
    return svg.thing("die", body, face, at=(WIDTH / 2 + 34, HEIGHT - 70), again=value)


@cache
def round_sign(number):
    return svg.thing("round", svg.text(f"Round {number}", 0, 0, size=18, serif=True), at=(WIDTH / 2, HEIGHT - 122))


@cache
def trace(base, quadrant, tile, kind):
    """A faint frame round the tile that was touched last."""
    body = svg.rect(-43, -43, 86, 86, line="clay" if kind == "drawn" else "ink", width=3.5, round=8, also="dashed")
    return svg.thing(f"trace-{kind}", svg.group(body, also="half"), at=place(base, quadrant, tile), motion="still")


@cache
def wall_stone(base, quadrant, tile):
    body = svg.rect(-44, -44, 88, 88, line="clay", width=6, round=8)
    return svg.thing(f"wall-{quadrant}-{tile}", body, at=place(base, quadrant, tile), motion="still")


# ---- the scene ------------------------------------------------------------------------------------------------------


class Table:
    """The fields of a view as plain lists, and the questions people ask about them."""

    def __init__(self, view):
        s = view.state
        self.view = view
        for name in (
            "quad",
            "pos",
            "frozen",
            "barred",
            "cused",
            "has",
            "shards",
            "cover",
            "mstate",
            "mtype",
            "mknown",
            "deck",
            "dptr",
            "last_draw",
        ):
            setattr(self, name, getattr(s, name).tolist())
        self.restores, self.centre_specials = int(s.save_restores_mystery), int(s.centre_specials)
        self.until_saved = int(s.freeze) == UNTIL_SAVED
        self.for_good = not s.swap_centre  # Q26: may nobody come out of the throne room again?
        self.at = {(self.quad[p], self.pos[p]): p for p in range(PLAYERS)}

    def may_use(self, player):
        """R43, R44: may the player use Special Cards?"""
        return not self.barred[player] and (self.pos[player] != CENTRE or self.cused[player] < self.centre_specials)

    def hidden(self, quadrant, tile):
        """Does a face-down Mystery Card lie here, at the top or below?"""
        return tile in SLOT_OF and self.mstate[quadrant][SLOT_OF[tile]] == FACE_DOWN

    def live(self, quadrant, tile):
        """R41: a face-down Mystery Card that would be turned over by the next who comes."""
        cover = self.cover[quadrant][tile - 1]
        return self.hidden(quadrant, tile) and (cover == BARE or (cover == SAVED and self.restores))

    def unseen(self, quadrant):
        """The kinds of Mystery Cards of a quadrant that nobody has seen."""
        seen = {self.mtype[quadrant][slot] for slot in range(SLOTS) if self.mknown[quadrant][slot]}
        return [kind for kind in (TRAP, SHRIEK, SHARD) if kind not in seen]

    def shard_possible(self, quadrant):
        """May a shard still be found in this quadrant?"""
        return SHARD in self.unseen(quadrant) and any(self.live(quadrant, tile) for tile in SLOT_OF)

    def left(self, quadrant):
        """The numbers still in a quadrant's deck, as bits."""
        bits = (1 << TILES) - 1
        for card in self.deck[quadrant][: self.dptr[quadrant]]:
            bits &= ~(1 << card - 1)
        return bits

    def badge(self, player):
        if self.frozen[player]:
            return "frozen" if self.until_saved else "loses turn"
        if self.barred[player]:
            return "no cards"
        if self.pos[player] == CENTRE:
            return IN_THRONE_ROOM
        return ""

    def wall(self, player):
        """Where a player who is cut off can still walk, and the stone around that."""
        quadrant, seen, todo = self.quad[player], {self.pos[player]}, [self.pos[player]]
        wall = set()
        while todo:
            for near in NEAR[todo.pop()]:
                if self.cover[quadrant][near - 1] == STONE:
                    wall.add(near)
                elif near not in seen:
                    seen.add(near)
                    todo.append(near)
        return sorted(wall - {self.pos[player]})


def where(quadrant, tile):
    """A tile as people call it: "Red 7"."""
    return f"{COLOURS[quadrant]} {tile}"


def listed(numbers):
    return ", ".join(str(n) for n in numbers)


def scene(view, seat):
    """Back to front: the palace, what lies on its tiles, the heroes, the tiles to click, the players' places."""
    base, t = seat or 0, Table(view)
    events = view.events
    things = [palace(base)]
    for player in range(PLAYERS):
        things.append(ring(base, player, t.quad[player]))
    come = {}
    for event in events:
        if event.name in ("protects", "saves_tile"):
            come[event.args[1], event.args[2]] = f"special-{event.args[0]}-{LAID[event.name]}"
    for quadrant in range(PLAYERS):
        cover = t.cover[quadrant]
        for index in range(t.dptr[quadrant]):
            tile = t.deck[quadrant][index]
            if cover[tile - 1] == STONE:
                things.append(petrification(base, quadrant, index, tile))
        for tile in range(1, TILES + 1):
            if cover[tile - 1] > STONE:
                things.append(laid(base, quadrant, tile, cover[tile - 1], come.get((quadrant, tile), "")))
        for slot in range(SLOTS):
            state = t.mstate[quadrant][slot]
            if state != REMOVED:
                tile = int(MYSTERY_TILE[slot])
                covered = cover[tile - 1] != BARE and not t.live(quadrant, tile)
                things.append(mystery_card(base, quadrant, slot, state, t.mtype[quadrant][slot], covered))
    things.append(MEDUSA[int(view.state.result) > 0])
    touched = touched_last(events)
    for kind, (quadrant, tile) in touched.items():
        things.append(trace(base, quadrant, tile, kind))
    things.extend(wall_things(base, t, events))
    for player in sorted(range(PLAYERS), key=lambda p: stand(base, t.quad[p], t.pos[p])[1]):
        statue = bool(t.frozen[player] or t.barred[player])
        things.append(piece(base, player, t.quad[player], t.pos[player], statue, t.frozen[player]))
    things.extend(targets(base))
    for player in range(PLAYERS):
        things.extend(belongings(base, t, player, player == view.to_move, player == seat))
    owners = tuple(player for player in range(PLAYERS) for _ in range(t.shards[player]))
    things.append(mirror(owners))
    things.append(round_sign(int(view.state.round)))
    things.append(last_card(*t.last_draw))
    things.append(die(int(view.state.die)))
    things.extend(FOUND_CARDS)
    return Scene(
        WIDTH,
        HEIGHT,
        things,
        title=describe(t, view),
        cards=hover_cards(t, view),
        plates=[plate(t, player, view.over) for player in range(PLAYERS)],
    )


@cache
def piece(base, player, quadrant, tile, statue, count):
    badge = (
        svg.group(
            svg.circle(0, 0, 12, fill="clay", line="on0", width=2) + svg.text(count, 0, 0, size=16, fill="on0", bold=True), at=(24, -26)
        )
        if count
        else ""
    )
    return svg.thing(
        f"hero-{player}",
        svg.group(HEROES[player, statue]),
        badge,
        at=stand(base, quadrant, tile),
        face="statue" if statue else "alive",
        motion="hop",
    )


def belongings(base, t, player, active, mine):
    """A player's place: the panel, the deck he holds with its pile, his Special Cards."""
    quadrant = t.quad[player]
    usable = t.may_use(player)
    yield panel(base, player, quadrant, active, t.badge(player), t.shards[player], mine)
    yield deck(base, quadrant, player, t.left(quadrant))
    first = t.dptr[quadrant]
    last = min(first + PILE, TILES)
    for index in range(last - 1, first - 1, -1):
        yield face_down(base, quadrant, index, player, index - first)
    for kind in range(3):
        fresh = t.has[player] >> kind & 1
        if fresh:
            yield small(base, player, kind)
        yield special(base, player, kind, "used" if not fresh else "" if usable else "grey")


def touched_last(events):
    """The tile drawn last, and the tile that the last player touched."""
    touched = {}
    for event in events:
        if event.name in DRAWS:
            touched["drawn"] = event.args[1:3]
        elif event.name in ("moves", "protects", "saves_tile"):
            touched["touched"] = event.args[1:3]
    return touched


def cut_off_player(events):
    return next((event.args[0] for event in events if event.name in ("cut_off", "stone_for_good")), None)


def wall_things(base, t, events):
    player = cut_off_player(events)
    if player is None:
        return []
    return [wall_stone(base, t.quad[player], tile) for tile in t.wall(player)]


def describe(t, view):
    """The picture in one sentence, for those who do not see it."""
    places = ", ".join(f"{COLOURS[p]} on {where(t.quad[p], t.pos[p])}" for p in range(PLAYERS))
    stones = sum(row.count(STONE) for row in t.cover)
    return f"Sarpedon, round {int(view.state.round)}: {places}; {stones} tiles are stone; {sum(t.shards)} of 4 shards found"


def plate(t, player, over):
    """Goods readable without hovering: shards, cards, where the player is."""
    cards = [name for kind, name in enumerate(SPECIAL) if t.has[player] >> kind & 1]
    shards = t.shards[player]
    place_ = "in the throne room" if t.pos[player] == CENTRE else f"on {where(t.quad[player], t.pos[player])}"
    lines = [f"{place_} · {shards} shard{'s' * (shards != 1)}"]
    if not cards:
        lines.append("all Special Cards used")
    else:
        lines.append(" · ".join(cards) if t.may_use(player) else "may use no more Special Cards")
    badge = ""
    if over:
        pass
    elif t.frozen[player]:
        badge = "frozen until saved" if t.until_saved else "frozen: loses the next turn"
    elif t.barred[player]:
        badge = "petrified: no more cards"
    elif t.pos[player] == CENTRE:
        badge = "may use 1 more card" if t.may_use(player) and cards and t.centre_specials == 1 else ""
    return Plate(tuple(lines), badge)


# ---- hover cards ----------------------------------------------------------------------------------------------------


def hover_cards(t, view):
    cards = dict(STATIC_CARDS)
    for quadrant in range(PLAYERS):
        left = t.left(quadrant)
        mystery = tuple(zip(t.mstate[quadrant], t.mtype[quadrant], strict=True))
        unseen = " or ".join(MYSTERY[kind] for kind in t.unseen(quadrant))
        people = tuple((t.pos[p], p, ails(t, p), rule_of(t, p)) for p in range(PLAYERS) if t.quad[p] == quadrant)
        cards.update(tile_cards(quadrant, tuple(t.cover[quadrant]), left, mystery, unseen, t.restores, t.for_good, people))
        cards.update(deck_cards(quadrant, t.quad.index(quadrant), left, tuple(t.deck[quadrant][t.dptr[quadrant] :])))
    for player in range(PLAYERS):
        inside = where(t.quad[player], t.pos[player])
        cards[f"place-{player}"] = Card(COLOURS[player], f"{COLOURS[player]} is on {inside}. {ails(t, player)}".strip(), rule_of(t, player))
        cards.update(special_cards(player, t.has[player], t.barred[player], t.may_use(player)))
    count = sum(t.shards)
    worth = (
        "With no shard the battle is lost",
        "A roll of 1 wins",
        "A roll of 1 or 2 wins",
        "A roll of 1 to 3 wins",
        "The battle is won for sure",
    )[min(count, 4)]
    cards["mirror"] = Card(f"The mirror: {count} of 4 shards", f"{worth}: {25 * min(count, 4)} % against Medusa.", "R49")
    cards["round"] = Card(f"Round {int(view.state.round)}", f"After round {int(view.state.max_rounds)} the game is lost.", "Q38")
    quadrant, number, effect = t.last_draw
    if number:
        what = {
            NO_EFFECT: "The tile is safe, so nothing happened.",
            FROZEN: "It hit the player on it.",
            BARRED: "It hit the player in the throne room.",
        }
        cards["last"] = Card(f"Drawn last: {where(quadrant, number)}", what.get(effect, "That tile turned to stone."), "R9")
    else:
        cards["last"] = Card("Drawn last: nothing", "That deck is empty.", "Q37")
    rolled = int(view.state.die)
    cards["die"] = Card(
        "The four-sided die", f"It shows {rolled}." if rolled else "Rolled in the battle: it must not exceed the number of shards.", "R49"
    )
    return cards


STATIC_CARDS = {"medusa": Card("Medusa", "When all four of you stand in the throne room, she is fought with the shards you have.", "R45")}


def ails(t, player):
    """What a player suffers from."""
    for_good = " for good" * t.for_good
    if t.frozen[player]:
        return (
            "Frozen: stays so until somebody uses Save Player."
            if t.until_saved
            else "Frozen: loses the next turn unless somebody uses Save Player."
        )
    if t.barred[player]:
        return "Petrified in the throne room: no Special Card any more."
    if t.pos[player] == CENTRE:
        rest = t.centre_specials - t.cused[player]
        return (
            f"In the throne room{for_good}, with {rest} Special Card{'s' * (rest != 1)} to use{' there' * (not t.for_good)} at most."
            if rest > 0
            else f"In the throne room{for_good}."
        )
    return "" if t.quad[player] == player else f"A Magic Trap brought this player to the {COLOURS[t.quad[player]]} quadrant and its deck."


def rule_of(t, player):
    if t.frozen[player]:
        return "R18"
    if t.barred[player]:
        return "R44"
    return "R43" if t.pos[player] == CENTRE else "R35" if t.quad[player] != player else "R10"


@svg.memo
def special_cards(player, has, barred, usable):
    """The three Special Cards of a player: what they do, or why they do nothing any more."""
    made = {}
    for kind, name in enumerate(SPECIAL):
        if not has >> kind & 1:
            card = Card(f"{name}, used", f"{COLOURS[player]} has used this card; each works once.", "R22")
        elif barred:
            card = Card(name, f"{COLOURS[player]} was petrified in the throne room and may use no card any more.", "R44")
        elif not usable:
            card = Card(name, f"In the throne room {COLOURS[player]} may use no more cards.", "R43")
        else:
            card = Card(name, SPECIAL_CARDS[name], SPECIAL_RULE[kind])
        made[f"special-{player}-{kind}"] = card
    return made


@svg.memo
def deck_cards(quadrant, holder, left, order):
    """The deck of a quadrant, whose numbers still in it are given as bits, and the cards that are seen of it. `order`: HIDDEN ones,
    or the numbers from the top when nothing is hidden (looking back)."""
    numbers = [n for n in range(1, TILES + 1) if left >> n - 1 & 1]
    inside = f"Still in it: {listed(numbers)}" if HIDDEN in order else f"From the top: {listed(order)}"
    words = f"draws from it. {inside}." if numbers else "has drawn all its cards."
    name = f"The {COLOURS[quadrant]} deck: {len(numbers)} card{'s' * (len(numbers) != 1)}"
    seen = range(TILES - len(numbers), TILES)[:PILE]
    return dict.fromkeys((f"deck-{quadrant}", *(f"pet-{quadrant}-{k}" for k in seen)), Card(name, f"{COLOURS[holder]} {words}", "R9"))


@svg.memo
def tile_cards(quadrant, cover, left, mystery, unseen, restores, for_good, people):
    """What the tiles of a quadrant are, who stands on them and what lies under the top card. Most quadrants stay as they were.

    `left`: the numbers still in the deck, as bits. `mystery`: (state, kind or HIDDEN) of each slot. `people`: (tile, player, what
    ails him, rule).
    """
    made, there = {}, {tile: rest for tile, *rest in people}
    for tile in range(1, TILES + 1):
        top, name = cover[tile - 1], where(quadrant, tile) + (", throne room" if tile == CENTRE else "")
        words, rule = TILE_WORDS[top]
        state, kind = mystery[SLOT_OF[tile]] if tile in SLOT_OF else (REMOVED, HIDDEN)
        live = state == FACE_DOWN and (top == BARE or (top == SAVED and restores))
        if top == BARE:
            if not left >> tile - 1 & 1:
                words, rule = "Its card is out: it can never turn to stone again.", "R38"
            elif live:
                words, rule = f"A hidden Mystery Card: {unseen}. Step here to turn it over.", "R15"
                if kind != HIDDEN:
                    words = f"A face-down {MYSTERY[kind]}; nobody knew that yet."
            elif tile == CENTRE:
                words, rule = "The goal: once you step here, you stay.", "R42"
                if not for_good:
                    words, rule = "The goal. A Magic Trap can still bring you out again.", "Q26"
        elif state == FACE_DOWN:
            under = f"face-down {MYSTERY[kind]}" if kind != HIDDEN else "Mystery Card"
            words += f" The {under} under it comes back." if live else f" The {under} under it is lost."
            rule = {STONE: "Q11", PROTECT: "R27"}.get(top, "Q13")
        if state == FACE_UP:
            words += f" A used {MYSTERY[kind]} lies here."
        if tile in there:
            player, ailing, its_rule = there[tile]
            name += f": {COLOURS[player]}"
            words, rule = (ailing, its_rule) if ailing else (words, rule)
        made[f"tile-{quadrant}-{tile}"] = Card(name, words, rule)
    return made


TILE_WORDS = {
    BARE: ("Its card is still in the deck: it can turn to stone.", "R9"),
    STONE: ("Stone: nobody can step here.", "R13"),
    PROTECT: ("Protected: it can never turn to stone.", "R26"),
    SAVED: ("The stone is broken: it can be walked on for good.", "R29"),
    SAVED_P: ("Opened by Save Player: it can be walked on.", "Q14"),
}


# ---- clicking and speaking ------------------------------------------------------------------------------------------


def picks(view, move):
    """A step is a click on the tile; a Special Card and then its tile (or the frozen friend's); after a Trap the friend's tile."""
    s = view.state
    if move.verb == "move":
        return (f"tile-{int(s.quad[view.to_move])}-{move.args[0]}",)
    if move.verb in ("protect", "save_tile"):
        return (f"special-{view.to_move}-{0 if move.verb == 'protect' else 1}", f"tile-{move.args[0]}-{move.args[1]}")
    if move.verb in ("save_player", "swap"):
        friend = move.args[0]
        tile = f"tile-{int(s.quad[friend])}-{int(s.pos[friend])}"
        return (f"special-{view.to_move}-2", tile) if move.verb == "save_player" else (tile,)
    return ()


def say_move(view, move):
    if move.verb == "move":
        s, tile = view.state, move.args[0]
        quadrant = int(s.quad[view.to_move])
        if tile == CENTRE:
            return f"Enter the throne room ({where(quadrant, tile)}){'' if s.swap_centre else ' for good'}"
        slot = int(SLOT[tile])
        found = slot >= 0 and Table(view).live(quadrant, tile)
        return f"Step onto {where(quadrant, tile)}{' and turn its Mystery Card over' if found else ''}"
    if move.verb == "protect":
        return f"Protect {where(*move.args)}"
    if move.verb == "save_tile":
        return f"Break the stone on {where(*move.args)}"
    if move.verb == "save_player":
        return f"Free {COLOURS[move.args[0]]}"
    if move.verb == "swap":
        friend = move.args[0]
        return f"Swap with {COLOURS[friend]} on {where(int(view.state.quad[friend]), int(view.state.pos[friend]))}"
    return "Slip out of the trap" if int(view.state.phase) == SWAP else "Pass"


def confirm(view, move):
    """Asked before what cannot be undone: a shield on a hidden card, the last Save Tile."""
    if move.verb == "protect":
        quadrant, tile = move.args
        slot = int(SLOT[tile])
        if slot >= 0 and int(view.state.mstate[quadrant, slot]) == FACE_DOWN:
            return f"Protect {where(quadrant, tile)}? The hidden Mystery Card under the shield can never be turned over then."
    if move.verb == "save_tile" and last_save_tile(view.state, view.to_move):
        return f"Break the stone on {where(*move.args)}? It is the last Save Tile that you all can still use."
    return None


def last_save_tile(s, player):
    """Q36: will nobody be able to use a Save Tile after this one? R43: in the throne room a second copy may come too late."""
    left = save_tiles_left(s) - 1
    if s.pos[player] == CENTRE and s.cused[player] + 1 >= s.centre_specials and not s.swap_centre:
        left -= s.has[player] & SAVE_TILE << SECOND_COPY != 0
    return left == 0


def prompt(view, seat):
    """What was drawn (before the decision!), and what can be done now."""
    t, name = Table(view), COLOURS[seat]
    if int(view.state.phase) == SWAP:
        decline = " or slip out of it" if view.state.trap_optional else ""
        return f"A Magic Trap, {name}: choose the friend to swap places and decks with{decline}."
    quadrant, number, effect = t.last_draw
    drew = f"you drew {where(quadrant, number)}" + (", which is safe" if effect == NO_EFFECT else "") if number else "your deck is empty"
    inside = f" and are in the {COLOURS[t.quad[seat]]} quadrant" if t.quad[seat] != seat else ""
    can = []
    steps_ = [] if t.pos[seat] == CENTRE else [n for n in NEAR[t.pos[seat]] if t.cover[t.quad[seat]][n - 1] != STONE]
    if steps_:
        can.append("step onto a glowing tile")
    if any(move.verb in ("protect", "save_tile", "save_player") for move in view.legal()):
        last = t.pos[seat] == CENTRE and t.centre_specials == 1 and t.for_good
        can.append("use one last Special Card" if last else "use a Special Card")
    can.append("pass")
    words = f"Your turn, {name}: {drew}{inside}; {' or '.join([', '.join(can[:-1]), can[-1]] if len(can) > 1 else can)}"
    if CENTRE in steps_ and t.shard_possible(t.quad[seat]):
        return words + f" ({'the throne room is for good, and ' * t.for_good}a shard may still lie out here)."
    return words + "."


def say(view, event):
    """The sentences of the rules are good; the end and the traps say a little more."""
    if event.name == "arrives":
        one_more = "may use one more Special Card at most" if view.state.centre_specials == 1 else ""
        if view.state.swap_centre:
            then = f" and {one_more} there" * bool(one_more)
        else:
            then = f", stays there and {one_more}" if one_more else " and stays there"
        return f"{COLOURS[event.args[0]]} has reached the throne room{then}. [R42]"
    if event.name == "freezes":
        who, quadrant, tile = event.args[:3]
        after = "until a friend helps" if int(view.state.freeze) == UNTIL_SAVED else "now and in the next turn, unless a friend helps"
        return f"{COLOURS[who]} turns over {where(quadrant, tile)}, the tile underfoot: frozen {after}. [R17]"
    return None


def ending(view):
    """Who won, and why."""
    t, events = Table(view), view.events
    shards, rolled = sum(t.shards), int(view.state.die)
    if max(view.payoff) > 0:
        if rolled:
            return ("Medusa is defeated!", f"With {shards} of 4 shards you rolled {rolled}: the mirror holds.")
        return ("Medusa is defeated!", "You brought all four shards of the mirror.")
    player = cut_off_player(events)
    if int(view.state.reason) == CUT_OFF and player is not None:
        if events[-1].name == "stone_for_good":
            return ("Medusa wins.", f"{COLOURS[player]} is stone and nobody is left who could help.")
        return (
            "Medusa wins.",
            f"{COLOURS[player]} is walled in on {where(t.quad[player], t.pos[player])}: "
            "no way to the throne room, no Save Tile and no Mystery Card can help.",
        )
    if rolled:
        return ("Medusa wins.", f"With {shards} of 4 shards you rolled {rolled}: the mirror breaks.")
    last = view.say(events[-1]).rpartition(" [")[0] if events else ""
    return ("Medusa wins.", last)


def why_not(view, id):
    """After a wrong click."""
    if view.to_move is None:
        return None
    kind, *numbers = id.split("-")
    player = view.to_move
    t = Table(view)
    if int(view.state.phase) == SWAP:
        friend = t.at.get(tuple(map(int, numbers))) if kind == "tile" else None
        said = view.why(("swap", friend)) if friend is not None else None
        return said or "You turned over a Magic Trap: choose the tile of a friend that glows."
    if kind == "tile":
        return why_not_tile(view, t, player, *map(int, numbers))
    if kind == "special":
        owner, which = map(int, numbers)
        if owner != player:
            return f"That card belongs to {COLOURS[owner]}."
        if not t.has[owner] >> which & 1:
            return f"You have used your {SPECIAL[which]} already; each Special Card works once (R22)."
        if t.may_use(owner):
            return ("There is no tile to protect.", "There is no stone to break yet (R28).", "Nobody else is frozen now (R30).")[which]
        return special_cards(owner, t.has[owner], t.barred[owner], False)[id].text
    if kind in ("deck", "pet", "last"):
        return "You have drawn already: that happens by itself at the start of your turn (R9)."
    if kind == "place":
        return "To choose a player, choose the tile they stand on."
    return None


def why_not_tile(view, t, player, quadrant, tile):
    if t.at.get((quadrant, tile)) == player:
        return "You stand there already; to stay, pass (R11)."
    if quadrant != t.quad[player]:
        cover = t.cover[quadrant][tile - 1]
        kind = {BARE: 0, STONE: 1}.get(cover)
        reach = kind is not None and t.may_use(player) and t.has[player] >> kind & 1
        hint = f"; {where(quadrant, tile)} is for your {SPECIAL[kind]}" if reach else ""
        return f"You walk only in the {COLOURS[t.quad[player]]} quadrant (R14){hint}."
    return view.why(("move", tile))


# ---- step by step ---------------------------------------------------------------------------------------------------


def steps(before, after, events):
    """Each event along its real path: cards fly to their tiles, heroes hop, decks change hands, a Shriek runs over the columns."""
    base = getattr(after, "viewer", None) or 0
    t = Table(before)
    made = []
    for number, event in enumerate(events):
        name, args = event.name, event.args
        if name in DRAWS:
            who, quadrant, tile = args[:3]
            card, target = f"pet-{quadrant}-{t.dptr[quadrant]}", f"tile-{quadrant}-{tile}"
            t.dptr[quadrant] += 1
            made.append(Step(number, {card: place(base, quadrant, tile)}, (target,), 430))
            if name in ("freezes", "bars"):
                made.append(Step(None, {}, (target, f"place-{who}"), 380))
        elif name == "moves":
            t.pos[args[0]] = args[2]
            made.append(Step(number, {f"hero-{args[0]}": stand(base, args[1], args[2])}, (), 360))
        elif name == "arrives":
            made.append(Step(number, {}, ("medusa", f"place-{args[0]}"), 380))
        elif name in ("protects", "saves_tile"):
            small_ = f"small-{args[0]}-{LAID[name]}"
            made.append(Step(number, {small_: place(base, args[1], args[2])}, (f"tile-{args[1]}-{args[2]}",), 460))
        elif name == "saves_player":
            friend = args[1]
            at = stand(base, t.quad[friend], t.pos[friend])
            made.append(Step(number, {f"small-{args[0]}-2": at}, (f"tile-{t.quad[friend]}-{t.pos[friend]}",), 460))
        elif name in FOUND:
            quadrant, tile = args[1:3]
            card, found, (x, y) = f"mystery-{quadrant}-{int(SLOT[tile])}", f"found-{FOUND[name]}", place(base, quadrant, tile)
            made.append(Step(number, {found: (x + 6, y + 6)}, (found,), 460))
            if name == "shard":
                made.append(Step(None, {card: PARK}, (), 0))
                made.append(Step(None, {found: MIRROR_AT}, ("mirror",), 480))
            for row in range(4) if name == "shriek" else ():
                made.append(Step(None, {}, (f"tile-{quadrant}-{2 + 4 * row}", f"tile-{quadrant}-{4 + 4 * row}"), 150))
        elif name in ("buries", "disables", "discards", "discards_unseen"):
            quadrant, tile = args[-2:]
            made.append(Step(number, {}, (f"mystery-{quadrant}-{int(SLOT[tile])}",), 320))
        elif name == "swaps":
            made.append(Step(number, swapped(base, t, *args[:2]), (), 620))
        elif name == "rolls":
            made.append(Step(number, {}, ("die", "mirror", "medusa"), 600))
        elif name == "cut_off":
            wall = tuple(f"tile-{t.quad[args[0]]}-{tile}" for tile in Table(after).wall(args[0]))
            made.append(Step(number, {}, (f"place-{args[0]}", *wall), 600))
        elif name in ("sits_out", "thaws", "waits", "passes", "no_card", "frees", "declines", "stone_for_good", "deck_out"):
            who = args[0]
            made.append(Step(number, {}, (f"place-{who}",), 320))
        else:
            made.append(Step(number))
    return made


def swapped(base, t, player, friend):
    """The two heroes and the two decks on their way to the other's place."""
    t.quad[player], t.quad[friend] = t.quad[friend], t.quad[player]
    t.pos[player], t.pos[friend] = t.pos[friend], t.pos[player]
    go = {}
    for who in (player, friend):
        quadrant = t.quad[who]
        go[f"hero-{who}"] = stand(base, quadrant, t.pos[who])
        go[f"deck-{quadrant}"] = deck_at(base, who)
        first = t.dptr[quadrant]
        for index in range(min(first + PILE, TILES) - 1, first - 1, -1):
            go[f"pet-{quadrant}-{index}"] = pile_at(base, who, first - index)
    return go


# ---- for terminals --------------------------------------------------------------------------------------------------

SIGNS = {BARE: " ", STONE: "#", PROTECT: "+", SAVED: "/", SAVED_P: "/"}


def text(view) -> str:
    """The board with numbers: `#` stone, `+` protected, `/` broken stone, `?` a Mystery Card; players by their letters."""
    t = Table(view)
    rows = [["" for _ in range(8)] for _ in range(8)]
    for quadrant in range(PLAYERS):
        for tile in range(1, TILES + 1):
            row, column = SQUARES[quadrant][tile]
            player = t.at.get((quadrant, tile))
            who = COLOURS[player][0] if player is not None else " "
            if player is not None and t.frozen[player]:
                who = who.lower()
            sign = SIGNS[t.cover[quadrant][tile - 1]]
            sign = "?" if t.live(quadrant, tile) else "*" if tile == CENTRE and sign == " " else sign
            rows[row][column] = f"{tile:>2}{sign}{who}"
    lines = [" ".join(row[:4]) + " | " + " ".join(row[4:]) for row in rows]
    lines.insert(4, "-" * 19 + " + " + "-" * 19)
    goods = [
        f"{COLOURS[p]:<6} {where(t.quad[p], t.pos[p]):<9} shards {t.shards[p]}  "
        + ((t.may_use(p) and ", ".join(n for k, n in enumerate(SPECIAL) if t.has[p] >> k & 1)) or "no cards")
        + (f"  ({t.badge(p)})" if t.badge(p) else "")
        for p in range(PLAYERS)
    ]
    return "\n".join([f"Round {int(view.state.round)}, {sum(t.shards)} of 4 shards", *lines, *goods])
