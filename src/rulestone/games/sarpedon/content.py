"""Sarpedon as a physical thing: the board as a picture, the cards as lists. Edit the text; the rules follow.

The text is checked when the game is loaded, and an error names the place. (R1-R7, Q1-Q4)
"""

import re

import numpy as np

PLAYERS = 4
COLOURS = ("Red", "Yellow", "Green", "Blue")  # by seat, counterclockwise from the bottom left (Q46)

# The board: the first letter of a quadrant's colour and the number of the tile. `>` the start (R2), `?` a Mystery Card (R6),
# `*` the throne room (R3). Each quadrant is the Red one turned (Q3). A step leads to a tile that shares an edge (R4).
BOARD = """
    B13> B09  B05  B01  | G16  G15  G14  G13>
    B14  B10  B06  B02? | G12  G11  G10  G09
    B15  B11  B07? B03? | G08  G07? G06  G05
    B16  B12  B08  B04* | G04* G03? G02? G01
    --------------------+--------------------
    R01  R02? R03? R04* | Y04* Y08  Y12  Y16
    R05  R06  R07? R08  | Y03? Y07? Y11  Y15
    R09  R10  R11  R12  | Y02? Y06  Y10  Y14
    R13> R14  R15  R16  | Y01  Y05  Y09  Y13>
"""

# One Mystery Card of each kind in every quadrant (Q2), in the order of the numbers in the state.
MYSTERY_CARDS = {
    "Magic Trap": "Swap places (and decks) with another player who is not in the throne room.",
    "Medusa's Shriek": "All cards on even tiles of this quadrant are removed.",
    "Mirror Shard": "Keep it: +25 % against Medusa.",
}

# Tiles for the Mystery Cards instead of those marked `?`, such as (6, 7, 11); empty: as marked.
MYSTERY_TILES = ()

# The Special Cards every player has, in the order of their bits in the state (R5).
SPECIAL_CARDS = {
    "Protect Tile": "Choose any tile that isn't stone. It can never turn to stone. (A hidden Mystery Card under it is lost.)",
    "Save Tile": "Choose any stone tile. It becomes walkable for good.",
    "Save Player": "Free another player who is frozen.",
}

# How many of each a player has: zero, one or two.
SPECIAL_COPIES = {"Protect Tile": 1, "Save Tile": 1, "Save Player": 1}

# The numbers in a quadrant's Petrification deck: each tile once (R1).
PETRIFICATION_CARDS = "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16"
CARDS_A_TURN = 1  # R9: Petrification Cards drawn at the start of a turn
PETRIFICATION_TEXT = "Tile {number} of the {colour} quadrant turns to stone."


class Malformed(ValueError):
    """The text above is not a board, or not a deck, of this game."""


def read_board(text):
    """The squares of each quadrant's tiles, `{quadrant: {tile: (row, column)}}`, and the tiles marked `>`, `?` and `*`."""
    lines = [line.replace("|", " ").split() for line in text.strip().splitlines() if set(line.strip()) - set("-+ ")]
    squares = [{} for _ in COLOURS]
    marks = [{">": [], "?": [], "*": []} for _ in COLOURS]
    letters = [colour[0] for colour in COLOURS]
    for row, line in enumerate(lines):
        for column, word in enumerate(line):
            found = re.fullmatch(r"([A-Z])(\d+)([>?*]?)", word)
            if not found or found[1] not in letters:
                raise Malformed(
                    f"board row {row + 1}: {word!r} is not a tile; write one of the colours {''.join(letters)}, a number and perhaps > ? *"
                )
            quadrant, tile = letters.index(found[1]), int(found[2])
            if tile in squares[quadrant]:
                raise Malformed(f"board row {row + 1}: tile {tile} of {COLOURS[quadrant]} appears twice")
            squares[quadrant][tile] = (row, column)
            if found[3]:
                marks[quadrant][found[3]].append(tile)
    for colour, tiles, marked in zip(COLOURS, squares, marks, strict=True):
        if sorted(tiles) != list(range(1, 17)):
            raise Malformed(f"the {colour} quadrant needs tiles 1 to 16, not {sorted(tiles)}")
        for mark, needed in ((">", 1), ("?", len(MYSTERY_CARDS)), ("*", 1)):
            if len(marked[mark]) != needed:
                raise Malformed(f"the {colour} quadrant needs {needed} tile(s) marked {mark}, not {sorted(marked[mark])}")
            if sorted(marked[mark]) != sorted(marks[0][mark]):
                raise Malformed(
                    f"{colour} marks {sorted(marked[mark])} with {mark}, {COLOURS[0]} {sorted(marks[0][mark])}; all quadrants must be alike"
                )
    return squares, {mark: sorted(tiles) for mark, tiles in marks[0].items()}


def read_neighbours(squares):
    """R4: the tiles that share an edge with each tile, as bit masks (tile n is bit n-1); the same in all quadrants."""
    masks = []
    for tiles in squares:
        near = [[t for t, (r, c) in tiles.items() if abs(r - tiles[n][0]) + abs(c - tiles[n][1]) == 1] for n in range(1, 17)]
        masks.append([sum(1 << t - 1 for t in group) for group in near])
    for colour, mask in zip(COLOURS, masks, strict=True):
        for tile in range(16):
            if mask[tile] != masks[0][tile]:
                raise Malformed(f"tile {tile + 1} of {colour} doesn't have the same neighbours as tile {tile + 1} of {COLOURS[0]}")
    return np.array(masks[0], np.uint16)


def read_deck(text):
    """R1: one Petrification Card for each tile."""
    numbers = [int(word) for word in text.split()]
    if sorted(numbers) != list(range(1, 17)):
        raise Malformed(f"the Petrification deck needs each number from 1 to 16 once, not {numbers}")
    return np.array(numbers, np.uint8)


def around(neighbours, first):
    """For every set of the eight tiles from bit `first` on, all tiles that share an edge with one of them."""
    table = np.zeros(256, np.uint16)
    for tiles in range(256):
        for bit in range(8):
            if tiles >> bit & 1:
                table[tiles] |= neighbours[first + bit]
    return table


def read_mystery_tiles(tiles, marks):
    """R6: the tiles of the Mystery Cards, all different, without the start and the throne room."""
    if not tiles:
        return marks["?"]
    if len(set(tiles)) != len(MYSTERY_CARDS) or not set(tiles) <= set(range(1, 17)) - {*marks[">"], *marks["*"]}:
        raise Malformed(
            f"the Mystery Cards need {len(MYSTERY_CARDS)} different tiles from 1 to 16, except the start and the throne room, not {tiles}"
        )
    return sorted(tiles)


def read_copies(copies):
    """R5: the Special Cards a player begins with, as bits: one for each card, second copies above them."""
    if list(copies) != list(SPECIAL_CARDS) or not all(count in (0, 1, 2) for count in copies.values()):
        raise Malformed(f"a player has zero, one or two of each Special Card, not {copies}")
    return sum((count > 0) << kind | (count > 1) << len(copies) + kind for kind, count in enumerate(copies.values()))


SQUARES, MARKS = read_board(BOARD)
MARKS["?"] = read_mystery_tiles(MYSTERY_TILES, MARKS)
HELD = read_copies(SPECIAL_COPIES)
if CARDS_A_TURN not in range(1, 5):
    raise Malformed(f"a player draws 1 to 4 Petrification Cards in a turn, not {CARDS_A_TURN}")
TILES = 16
START, CENTRE = MARKS[">"][0], MARKS["*"][0]
SLOTS = len(MYSTERY_CARDS)

DECK = read_deck(PETRIFICATION_CARDS)
NEIGHBOURS = read_neighbours(SQUARES)  # by tile - 1
AROUND = np.array([around(NEIGHBOURS, 0), around(NEIGHBOURS, 8)])  # neighbours of a set of tiles 1..8, of 9..16
MYSTERY_TILE = np.array(MARKS["?"], np.uint8)  # the tile of each Mystery slot
NONE = -1  # no Mystery slot
SLOT = np.array([MARKS["?"].index(t) if t in MARKS["?"] else NONE for t in range(TILES + 1)], np.int8)  # by tile
SQUARE = np.array([[SQUARES[q][t] for t in range(1, TILES + 1)] for q in range(PLAYERS)], np.uint8)  # quadrant, tile - 1 -> row, column
