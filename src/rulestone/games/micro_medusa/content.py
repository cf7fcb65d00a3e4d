"""The physical game of Micro Medusa as data: tiles, Section shapes, equipment and the grids.

Edit the texts in the upper half. They are read, checked and turned into number tables when the game is loaded; a mistake
is reported with its line. The shapes of the tiles are a reconstruction (Q2, Q3): if you own the printed game, you can
write the real tresses and copies here without touching a rule.
"""

import numpy as np

# R2: the Medusa tiles. A side is the number of a direction (see GRIDS) in which a tress leaves the unrotated tile.
# "shape" is the shape named by the option `section`. Kinds 2, 3 and 4 are Snake Sections in every rule; 3 and 4
# are spares for owners whose printed Sections differ from one another.
MEDUSA_TILES = """
kind | letter | name          | copies | hex sides   | square sides
0    | H      | Snakehead     | 6      | 0           | 0
1    | E      | Eyeball       | 6      | 0           | 0
2    | S      | Snake Section | 6      | shape       | shape
3    | S3     | Snake Section | 0      | 0 2         | 0 1
4    | S4     | Snake Section | 0      | 0 3         | 0 2
5    | M      | Medusa's head | 1      | 0 1 2 3 4 5 | 0 1 2 3
"""

# Q3: the shapes that the option `section` can give to a Snake Section; the first one is the default.
SECTION_SHAPES = """
shape    | hex sides | square sides
fork     | 0 2 4     | 0 1 2
bend     | 0 2       | 0 1
straight | 0 3       | 0 2
"""

# R3, R6, R7: the Champion's tiles, and which kind of Medusa tile each of them answers (R25, R27, R29).
CHAMPION_TILES = """
number | name   | active | reserve | answers
0      | Blade  | 1      | 1       | H
1      | Shield | 1      | 1       | E
2      | Torch  | 1      | 1       | S
3      | Heart  | 2      | 1       | -
"""

# Q2: the two grids. Directions are steps (q, r) on the table, with r growing downwards. Ring k of spaces is numbered from (k, 0)
# on, k steps in each direction of the walk.
GRIDS = """
grid   | directions                                           | walk
hex    | E +1 0, NE +1 -1, NW 0 -1, W -1 0, SW -1 +1, SE 0 +1 | 0 -1, -1 0, -1 +1, 0 +1, +1 0, +1 -1
square | E +1 0, N 0 -1, W -1 0, S 0 +1                       | -1 -1, -1 +1, +1 +1, +1 -1
"""

DEALT, MARKET = 1, 4  # R8, R9: tiles dealt to Medusa, tiles in the market
HAND = 3  # R18: Medusa drafts until she holds this many tiles
SNAKEHEADS_TO_WIN = 3  # R10: Snakeheads in play that win
EYEBALLS_TO_WIN = 3  # R11: unshielded Eyeballs that win with `petrify` = three
CHAIN_TO_WIN = 3  # R12: Snake Sections in a winning chain
CAPTURES_TO_WIN = 3  # R13: captured Snakeheads that win
SECRET = 1  # R8: only Medusa knows the tile she is dealt; 0: the Champion sees it too

# ---- nothing to edit below -------------------------------------------------------------------------------------------

KINDS, SHARED_SECTION = 5, 2
MEDUSAS_HEAD = KINDS
SECTIONS_REACH, SECTIONS_AT_MOST = 6, 7
TILE_RADIUS = SECTIONS_REACH + 1  # Q36: six Sections lie at distance 1..6, every Medusa tile within 7, Champion tiles within 8
# (With more than six Sections the table ends there: an end that points beyond it is not open.)
RADIUS = TILE_RADIUS + 1
OFF = 255  # beyond the last ring


class BadContent(ValueError):
    """A mistake in the texts above; the message says where and what."""


def rows(text, title):
    """The rows of a table with `|` between its columns, each as a dict by the names of the first line."""
    lines = [line for line in text.strip().splitlines() if line.strip()]
    names = [name.strip() for name in lines[0].split("|")]
    found = []
    for line in lines[1:]:
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) != len(names):
            raise BadContent(f"{title}: {line.strip()!r} has {len(cells)} columns, not {len(names)} ({', '.join(names)})")
        found.append(dict(zip(names, cells, strict=True)))
    return found


def number(row, column, title, low, high):
    """A whole number from a table, between low and high."""
    text = row[column]
    if not text.isdecimal() or not low <= int(text) <= high:
        raise BadContent(f"{title}: {column} of {next(iter(row.values()))!r} is {text!r}, not a number {low}..{high}")
    return int(text)


def sides_mask(text, sides, where):
    """The bit mask of a list of sides such as "0 2 4"."""
    mask = 0
    for word in text.split():
        if not word.isdecimal() or int(word) >= sides or mask >> int(word) & 1:
            raise BadContent(f"{where}: {text!r} is not a list of different sides 0..{sides - 1}")
        mask |= 1 << int(word)
    if not mask:
        raise BadContent(f"{where}: a tile needs a tress on at least one side")
    return mask


def read_grids(text):
    """Per grid: its name, the names of its directions, their steps, and the walk around a ring."""
    grids = []
    for row in rows(text, "GRIDS"):
        directions = [part.split() for part in row["directions"].split(",")]
        walk = [part.split() for part in row["walk"].split(",")]
        try:
            steps = [(int(q), int(r)) for _, q, r in directions]
            around = [(int(q), int(r)) for q, r in walk]
        except ValueError:
            raise BadContent(f"GRIDS: {row['grid']} needs directions like 'E +1 0' and a walk like '0 -1', with commas between") from None
        for side, (q, r) in enumerate(steps):
            if (-q, -r) != steps[(side + len(steps) // 2) % len(steps)]:
                raise BadContent(f"GRIDS: direction {side} of {row['grid']} has no opposite direction half a turn later")
        if any(sum(part) for part in zip(*around, strict=True)):
            raise BadContent(f"GRIDS: the walk of {row['grid']} does not return to where it began")
        grids.append((row["grid"], tuple(name for name, _, _ in directions), steps, around))
    return grids


def spiral(around):
    """The coordinates of all spaces in the order of their numbers: the centre, then ring by ring."""
    spaces = [(0, 0)]
    for ring in range(1, RADIUS + 1):
        q, r = ring, 0
        for dq, dr in around:
            for _ in range(ring):
                spaces.append((q, r))
                q, r = q + dq, r + dr
    return spaces


def read_tiles(text):
    """The names, letters and copies of kinds 0..4, and the sides of all kinds on both grids."""
    table = rows(text, "MEDUSA_TILES")
    if [row["kind"] for row in table] != [str(kind) for kind in range(KINDS + 1)]:
        raise BadContent(f"MEDUSA_TILES: the kinds are 0..{MEDUSAS_HEAD} in this order")
    copies = [number(row, "copies", "MEDUSA_TILES", 0, 18) for row in table]
    if copies[MEDUSAS_HEAD] != 1:
        raise BadContent(f"MEDUSA_TILES: there is one Medusa's head, not {copies[MEDUSAS_HEAD]}")
    if sum(copies[SHARED_SECTION:KINDS]) > SECTIONS_AT_MOST:
        raise BadContent(
            f"MEDUSA_TILES: the table is large enough for {SECTIONS_AT_MOST} Snake Sections, not {sum(copies[SHARED_SECTION:KINDS])}"
        )
    if not DEALT + MARKET < sum(copies[:KINDS]) <= 30:
        raise BadContent(f"MEDUSA_TILES: {sum(copies[:KINDS])} tiles can't be dealt; 6..30 are possible")
    return table, copies[:KINDS]


def read_equipment(text):
    """The names, active and reserve counts of the Champion's tiles, and the kind each answers."""
    table = rows(text, "CHAMPION_TILES")
    if [row["name"] for row in table] != ["Blade", "Shield", "Torch", "Heart"]:
        raise BadContent("CHAMPION_TILES: the tiles are Blade, Shield, Torch and Heart in this order")
    if [row["answers"] for row in table] != ["H", "E", "S", "-"]:
        raise BadContent("CHAMPION_TILES: Blade answers H, Shield E, Torch S, and a Heart nothing")
    active = [number(row, "active", "CHAMPION_TILES", 1, 9) for row in table]
    if any(number(row, "reserve", "CHAMPION_TILES", 1, 1) != 1 for row in table):
        raise BadContent("CHAMPION_TILES: the reserve has one tile of each kind")
    return table, active


def shape_table(tiles, shapes, grids):
    """SHAPE[grid, section option, kind]: the sides with a tress, unrotated."""
    table = np.zeros((len(grids), len(shapes), KINDS + 1), np.int16)
    for g, (grid, names, _, _) in enumerate(grids):
        for v, shape in enumerate(shapes):
            for kind, row in enumerate(tiles):
                text = row[f"{grid} sides"]
                where = f"MEDUSA_TILES, {row['name']} {row['letter']}, {grid}"
                if text == "shape":
                    text, where = shape[f"{grid} sides"], f"SECTION_SHAPES, {shape['shape']}, {grid}"
                table[g, v, kind] = sides_mask(text, len(names), where)
    return table


def turn_table(grids):
    """TURNED[grid, mask, rotation]: the rotated sides, -1 where a smaller rotation looks the same (Q14)."""
    table = np.full((len(grids), 64, 6), -1, np.int16)
    for g, (_, names, _, _) in enumerate(grids):
        sides = len(names)
        for mask in range(1 << sides):
            seen = set()
            for turn in range(sides):
                turned = (mask << turn | mask >> sides - turn) & (1 << sides) - 1
                if turned not in seen:
                    table[g, mask, turn] = turned
                seen.add(turned)
    return table


def neighbour_table(grids, most):
    """NEIGHBOUR[grid, space, direction]: the number of the next space, OFF beyond the last ring."""
    table = np.full((len(grids), most, 6), OFF, np.uint8)
    for g, (_, _, steps, around) in enumerate(grids):
        spaces = spiral(around)
        numbers = {place: space for space, place in enumerate(spaces)}
        for space, (q, r) in enumerate(spaces):
            for side, (dq, dr) in enumerate(steps):
                table[g, space, side] = numbers.get((q + dq, r + dr), OFF)
    return table


_grids = read_grids(GRIDS)
_tiles, _copies = read_tiles(MEDUSA_TILES)
_shapes = rows(SECTION_SHAPES, "SECTION_SHAPES")
_equipment, _active = read_equipment(CHAMPION_TILES)

GRID_NAMES = tuple(grid for grid, _, _, _ in _grids)
DIRECTION_NAMES = tuple(names for _, names, _, _ in _grids)
SECTION_NAMES = tuple(row["shape"] for row in _shapes)
KIND_NAMES = tuple(row["name"] for row in _tiles)
KIND_LETTERS = tuple(row["letter"] for row in _tiles[:KINDS])
GEAR_NAMES = tuple(row["name"] for row in _equipment)
SPACES = tuple(spiral(around) for _, _, _, around in _grids)  # coordinates (q, r) by grid and space, for drawing the table

COPIES = np.array(_copies, np.int16)
ACTIVE = np.array(_active, np.int16)
SIDES = np.array([len(names) for _, names, _, _ in _grids], np.int16)
SHAPE = shape_table(_tiles, _shapes, _grids)
TURNED = turn_table(_grids)
NEIGHBOUR = neighbour_table(_grids, max(len(spaces) for spaces in SPACES))
BITS = np.array([bin(mask).count("1") for mask in range(64)], np.int16)

TILES = int(COPIES.sum())  # R5: the tiles that are shuffled
STACK = TILES - DEALT - MARKET
LAST_SPACE = 3 * TILE_RADIUS * (TILE_RADIUS + 1)  # the highest space number a Medusa tile can lie on
