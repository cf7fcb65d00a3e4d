"""The physical game: the board with its printed arrows, the colours and the 220 tiles. Edit the texts; the tables follow.

The texts are read and checked when the game is loaded, and the error names anything malformed. The size of the board, the number
of tiles of each kind and the number of colours are facts of the rulebook (R1, R25-R30). The directions printed on the tiles and on
the corners are a reconstruction; if you own the game, you can replace them with the printed ones (Q2, Q3).
"""

import numpy as np

DIRECTIONS = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"]  # numbered 0..7 clockwise from up
STEPS = ((-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1))  # (rows down, columns right) for each of them

COLOURS = ["Red", "Blue", "Green", "Yellow"]  # seats 0..3, clockwise from the top left corner

# H0..H3 starting spaces of the seats, * winning space, . a space for a tile.
BOARD = """
    H0  .  .  .  .  .  .  .  .  .  .  .  .  . H1
     .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
     .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
     .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
     .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
     .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
     .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
     .  .  .  .  .  .  .  *  .  .  .  .  .  .  .
     .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
     .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
     .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
     .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
     .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
     .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
    H3  .  .  .  .  .  .  .  .  .  .  .  .  . H2
"""

# The arrow printed on each starting space (Q3).
HOME_ARROWS = """
    H0 SE
    H1 SW
    H2 NW
    H3 NE
"""

# How many tiles of each kind have their arrow printed in each direction. The kinds are numbered 0..11 from the top.
TILES_EIGHT = """
    kind               N NE  E SE  S SW  W NW
    Arrow             17 17 17 17 17 17 17 17
    Auto flip          1  1  1  1  1  1  1  1
    Opposite           4  4  4  4  4  4  4  4
    Roll Again         1  1  1  1  1  1  1  1
    Lose Turn Red      0  0  0  1  0  0  0  0
    Lose Turn Blue     0  0  0  0  0  1  0  0
    Lose Turn Green    0  0  0  0  0  0  0  1
    Lose Turn Yellow   0  1  0  0  0  0  0  0
    Teleport Red       1  1  1  1  1  1  1  1
    Teleport Blue      1  1  1  1  1  1  1  1
    Teleport Green     1  1  1  1  1  1  1  1
    Teleport Yellow    1  1  1  1  1  1  1  1
"""

# How many tiles of these kinds there are, all colours together (R26-R30). If a number differs from the tables, plain Arrows make up for it.
AUTO_FLIPS, OPPOSITES, ROLL_AGAINS, LOSE_TURNS, TELEPORTS = 8, 32, 8, 4, 32

# The other reading of Q2: no diagonal arrows.
TILES_ORTHOGONAL = """
    kind               N NE  E SE  S SW  W NW
    Arrow             34  0 34  0 34  0 34  0
    Auto flip          2  0  2  0  2  0  2  0
    Opposite           8  0  8  0  8  0  8  0
    Roll Again         2  0  2  0  2  0  2  0
    Lose Turn Red      0  0  0  0  1  0  0  0
    Lose Turn Blue     0  0  0  0  0  0  1  0
    Lose Turn Green    1  0  0  0  0  0  0  0
    Lose Turn Yellow   0  0  1  0  0  0  0  0
    Teleport Red       2  0  2  0  2  0  2  0
    Teleport Blue      2  0  2  0  2  0  2  0
    Teleport Green     2  0  2  0  2  0  2  0
    Teleport Yellow    2  0  2  0  2  0  2  0
"""

TILE_SETS = {"eight": TILES_EIGHT, "orthogonal": TILES_ORTHOGONAL}

# ---- what the rules read ------------------------------------------------------------------------------------------------

SIDE, SEATS, RANGE = 15, 4, 6  # spaces in a row, tokens, numbers of the die
CELLS = SIDE * SIDE
ARROW, AUTO_FLIP, OPPOSITE, ROLL_AGAIN, LOSE_TURN, TELEPORT, CORNER, MIDDLE = KINDS = 0, 1, 2, 3, 4, 8, 12, 13
KIND_NAMES = (
    *("Arrow", "Auto flip", "Opposite", "Roll Again"),
    *(f"Lose Turn {colour}" for colour in COLOURS),
    *(f"Teleport {colour}" for colour in COLOURS),
)
IDENTITIES = len(KIND_NAMES) * len(DIRECTIONS)
TILE_SPACE, UNKNOWN, COVERED = 255, 255, 128


class ContentError(ValueError):
    """Content that can't be read; the message names the place and what was expected there."""


def read_board(text):
    """The board's printed spaces: `{seat: cell}` for the starting spaces, and the winning cell (R1)."""
    rows = [line.split() for line in text.strip().splitlines()]
    if len(rows) != SIDE:
        raise ContentError(f"the board has {len(rows)} rows instead of {SIDE}")
    homes, centres = {}, []
    for r, row in enumerate(rows):
        if len(row) != SIDE:
            raise ContentError(f"row {r} of the board has {len(row)} spaces instead of {SIDE}")
        for c, mark in enumerate(row):
            if mark in (f"H{seat}" for seat in range(SEATS)):
                if int(mark[1]) in homes:
                    raise ContentError(f"the board has two starting spaces {mark}; the second is at ({r},{c})")
                homes[int(mark[1])] = SIDE * r + c
            elif mark == "*":
                centres.append(SIDE * r + c)
            elif mark != ".":
                raise ContentError(f"{mark!r} at ({r},{c}) of the board is not one of H0..H{SEATS - 1}, * and .")
    if len(homes) != SEATS:
        raise ContentError(f"the board lacks the starting space H{min(set(range(SEATS)) - set(homes))}")
    if len(centres) != 1:
        raise ContentError(f"the board has {len(centres)} winning spaces * instead of 1")
    return homes, centres[0]


def read_home_arrows(text):
    """The direction printed on each starting space, by seat (Q3)."""
    arrows = {}
    for line in text.strip().splitlines():
        words = line.split()
        if len(words) != 2 or words[0] not in [f"H{seat}" for seat in range(SEATS)] or words[1] not in DIRECTIONS:
            raise ContentError(f"{line.strip()!r} isn't a home arrow; write e.g. 'H0 SE', with one of {', '.join(DIRECTIONS)}")
        arrows[int(words[0][1])] = DIRECTIONS.index(words[1])
    if len(arrows) != SEATS:
        raise ContentError(f"the home arrow of H{min(set(range(SEATS)) - set(arrows))} is missing")
    return arrows


def read_tiles(name, text, spaces=CELLS - SEATS - 1):
    """How many tiles there are of each printed identity `8 * kind + direction` (R4)."""
    header, *lines = [line.split() for line in text.strip().splitlines()]
    if header != ["kind", *DIRECTIONS]:
        raise ContentError(f"tile set {name!r}: the first line must be 'kind {' '.join(DIRECTIONS)}', not {' '.join(header)!r}")
    if len(lines) != len(KIND_NAMES):
        raise ContentError(f"tile set {name!r} has {len(lines)} kinds instead of {len(KIND_NAMES)}")
    counts = np.zeros(IDENTITIES, np.uint8)
    for kind, words in enumerate(lines):
        label, numbers = " ".join(words[: -len(DIRECTIONS)]), words[-len(DIRECTIONS) :]
        if label != KIND_NAMES[kind] or not all(number.isdigit() and int(number) < 256 for number in numbers):
            raise ContentError(
                f"tile set {name!r}: {' '.join(words)!r} should be {KIND_NAMES[kind]!r} and {len(DIRECTIONS)} numbers of tiles"
            )
        for direction, number in enumerate(numbers):
            counts[8 * kind + direction] = int(number)
    total = int(counts.astype(int).sum())
    if total != spaces:
        raise ContentError(f"tile set {name!r} has {total} tiles for {spaces} spaces")
    return counts


def exchanged(name, counts):
    """The tile set with the numbers of special tiles given above: each extra tile replaces an Arrow of the same direction.

    The rarest colour, then the rarest direction, gains first (and the most frequent loses first).
    """
    counts = counts.astype(int)
    wanted = {AUTO_FLIP: AUTO_FLIPS, OPPOSITE: OPPOSITES, ROLL_AGAIN: ROLL_AGAINS, LOSE_TURN: LOSE_TURNS, TELEPORT: TELEPORTS}
    ways = [direction for direction in range(len(DIRECTIONS)) if counts[direction]]
    for kind, number in wanted.items():
        colours = SEATS if kind >= LOSE_TURN else 1
        tiles = [8 * (kind + colour) + way for way in ways for colour in range(colours)]
        while (missing := number - sum(counts[tile] for tile in tiles)) != 0:
            step = 1 if missing > 0 else -1
            tile = min(tiles, key=lambda tile: (step * counts[tile // 8 * 8 : tile // 8 * 8 + 8].sum(), step * counts[tile]))
            if counts[tile] + step < 0 or counts[tile % 8] - step < 0:
                raise ContentError(
                    f"tile set {name!r} can't have {number} tiles of the kind {KIND_NAMES[kind]!r}: there aren't enough Arrows to replace"
                )
            counts[tile] += step
            counts[tile % 8] -= step
    return counts.astype(np.uint8)


def neighbours():
    """NEXT[cell, direction]: the space one step away, or -1 off the board."""
    table = np.full((CELLS, len(DIRECTIONS)), -1, np.int16)
    for cell in range(CELLS):
        for direction, (down, right) in enumerate(STEPS):
            r, c = cell // SIDE + down, cell % SIDE + right
            if 0 <= r < SIDE and 0 <= c < SIDE:
                table[cell, direction] = SIDE * r + c
    return table


HOMES, CENTRE = read_board(BOARD)
NEXT = neighbours()

HOME = np.array([HOMES[seat] for seat in range(SEATS)], np.uint8)
"""The starting space of each seat."""

PRINTED = np.full(CELLS, TILE_SPACE, np.uint8)
"""What is printed on the board itself: `8 * 12 + arrow` on the starting spaces, `8 * 13` in the centre, else TILE_SPACE."""
PRINTED[CENTRE] = 8 * MIDDLE
for _seat, _arrow in read_home_arrows(HOME_ARROWS).items():
    PRINTED[HOMES[_seat]] = 8 * CORNER + _arrow

TILES = np.stack([exchanged(name, read_tiles(name, text)) for name, text in TILE_SETS.items()])
"""How many tiles there are, by tile set (in the order of the option `arrows`) and printed identity."""

KIND = np.full(256, UNKNOWN, np.uint8)
"""The kind of each value of the field `tile`; a covered tile in a view shows only its kind (Q35)."""
KIND[: 8 * MIDDLE + 1] = np.arange(8 * MIDDLE + 1) // 8
KIND[COVERED : COVERED + len(KIND_NAMES)] = np.arange(len(KIND_NAMES))

SEAT = np.full((SEATS + 1, SEATS), 255, np.uint8)
"""The seat of each player, by number of players (Q40): two sit on opposite corners."""
PLAYER = np.full((SEATS + 1, SEATS), -1, np.int8)
"""The player on each seat, by number of players; -1 if nobody sits there."""
for _players, _seats in {2: (0, 2), 3: (0, 1, 2), 4: (0, 1, 2, 3)}.items():
    for _player, _seat in enumerate(_seats):
        SEAT[_players, _player] = _seat
        PLAYER[_players, _seat] = _player

AIM = np.full(CELLS, -1, np.int8)
"""For each launch cell (a roll from there can hit the centre) the direction to the centre; -1 elsewhere."""
for _direction in range(len(DIRECTIONS)):
    _cell = CENTRE
    for _ in range(RANGE):
        _cell = int(NEXT[_cell, (_direction + 4) % 8])
        if _cell < 0:
            break
        if PRINTED[_cell] == TILE_SPACE:
            AIM[_cell] = _direction

DISTANCE = np.array([max(abs(cell // SIDE - CENTRE // SIDE), abs(cell % SIDE - CENTRE % SIDE)) for cell in range(CELLS)], np.uint8)
"""Each space's distance from the centre, in a chess king's steps."""

CELL_NAMES = tuple(f"({cell // SIDE},{cell % SIDE})" for cell in range(CELLS))
TILE_NAMES = tuple(f"{kind}, arrow {direction}" for kind in KIND_NAMES for direction in DIRECTIONS)
