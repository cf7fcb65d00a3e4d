"""The physical game: its cards, its decks and its maps, as text to be edited.

The rulebook's own card counts and maps are lost; these are reconstructions. If you own the printed game, put in the real ones
by editing the texts below and nothing else. Malformed text raises an error at import that names the line and column.
"""

import re
from collections.abc import Mapping, Sequence

import numpy as np

# ---- cards ----------------------------------------------------------------------------------------------------------------

HO, VERT, JUMP, DIAG, SWAP, DROP, DYNAMITE, ROTATE = range(8)
KINDS = 8
CARDS = ("Ho", "Vert", "Jump", "Diag", "Swap", "Drop Block", "Dynamite", "Rotate")
MOST_CARDS = 64
HAND = 6  # R3, R11: cards in a hand
PLAYS, CHASE_PLAYS = 3, 4  # R8, R9: cards that may be played in a turn, and while another player has the artifact
BONUS = 3  # R13: further plays for taking control

DECKS_TEXT = """
deck         Ho  Vert  Jump  Diag  Swap  Drop  Dynamite  Rotate
standard54   10    10     7     7     4     6         6       4
swaplight54  10    10     8     8     2     6         6       4
even56        7     7     7     7     7     7         7       7
"""

# ---- maps -----------------------------------------------------------------------------------------------------------------

SPACE, WALL_MARK, TEMPLE_MARK, HOLE, BASES = ".", "#", "T", "x", "1234"
"""The legend: empty space, wall (one block), temple, not part of the board, home bases of players 1 to 4."""

NONE = 255
CELLS = 121
"""The most locations a map can have: 11 rows of 11."""
LONGEST_SIDE = 16
WAYS = ("N", "NE", "E", "SE", "S", "SW", "W", "NW", "self")
STEPS = ((-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1))
"""Rows down and columns right for each of the eight ways."""

DEFAULT_MAP = {2: "2-crossing", 3: "3-tripod", 4: "4-crossroads"}

MAPS_TEXT = {
    "2-crossing": """
1...#....
.........
..#...#..
...#.....
#...T...#
.....#...
..#...#..
.........
....#...2
""",
    "2-vault": """
....1....
.........
.#.....#.
....#....
...###...
..##T##..
...###...
....#....
.#.....#.
.........
....2....
""",
    "2-causeway": """
.....#.....
.#...#...#.
..##...##..
1....T....2
..##...##..
.#...#...#.
.....#.....
""",
    "2-maze": """
1..#.....
.#.#.###.
.#...#...
.###...#.
..#.T.#..
.#...###.
...#...#.
.###.#.#.
.....#..2
""",
    "3-tripod": """
1..#x#..2
....x....
#.#.x.#.#
..#.x.#..
xxxxTxxxx
xxxxx.#..
xxxxx.#.#
xxxxx....
xxxxx#..3
""",
    "3-tee": """
#....#....#
.#.......#.
...#...#...
..#..#..#..
....#.#....
1..#.T.#..2
....#.#....
..#..#..#..
...#...#...
.#.......#.
#....3....#
""",
    "3-delta": """
1...#...2
....#....
..#...#..
..#.T.#..
.........
#.......#
.#.....#.
##..3..##
""",
    "4-crossroads": """
1...#...2
....#....
..#...#..
.........
##..T..##
.........
..#...#..
....#....
4...#...3
""",
    "4-compass": """
#....1....#
.#.......#.
...#...#...
..#..#..#..
....#.#....
4..#.T.#..2
....#.#....
..#..#..#..
...#...#...
.#.......#.
#....3....#
""",
    "4-pinwheel": """
1....#..2
.....#...
..##..#..
##....#..
....T....
..#....##
..#..##..
...#.....
4..#....3
""",
    "test2": """
1...#
.#...
..T..
...#.
#...2
""",
    "test3": """
1.#.2
.....
#.T.#
.....
..#.3
""",
    "test4": """
1.#.2
.....
#.T.#
.....
4.#.3
""",
}

# ---- reading the texts ----------------------------------------------------------------------------------------------------


class MapError(ValueError):
    """A map that can't be played on; the message says where and why. Lines and columns count from 1."""


class DeckError(ValueError):
    """A deck that can't be played with; the message says where and why."""


def read_map(name: str, text: str) -> tuple[str, ...]:
    """The rows of a map, checked (R16): the legend's signs, equal lines, one temple, bases 1, 2, … once each, all connected."""
    rows = tuple(text.strip("\n").split("\n"))
    found: dict[str, tuple[int, int]] = {}
    for row, line in enumerate(rows):
        for column, sign in enumerate(line):
            if sign not in SPACE + WALL_MARK + TEMPLE_MARK + HOLE + BASES:
                raise _map_error(name, row, column, f"{sign!r} is not in the legend; use . # T x 1 2 3 4")
            if sign in TEMPLE_MARK + BASES:
                if sign in found:
                    first = f"line {found[sign][0] + 1}, column {found[sign][1] + 1}"
                    raise _map_error(name, row, column, f"a second {sign!r}; the first is at {first}")
                found[sign] = (row, column)
        if len(line) != len(rows[0]):
            wrong = min(len(line), len(rows[0]))
            raise _map_error(name, row, wrong, f"the line has {len(line)} locations, the first line has {len(rows[0])}")
    if len(rows) * len(rows[0]) > CELLS or max(len(rows), len(rows[0])) > LONGEST_SIDE:
        size = f"the map has {len(rows)} × {len(rows[0])} locations; at most {CELLS}, and {LONGEST_SIDE} in a line, fit"
        raise _map_error(name, len(rows) - 1, len(rows[0]) - 1, size)
    last = _map_error(name, len(rows) - 1, len(rows[0]), "")
    if TEMPLE_MARK not in found:
        raise MapError(f"{last}the map ends without a temple, 'T'")
    players = max((BASES.index(sign) + 1 for sign in found if sign in BASES), default=0)
    for sign in BASES[: max(players, 2)]:
        if sign not in found:
            raise MapError(f"{last}the map ends without the home base {sign!r}")
        if found[sign] not in _connected(rows, found[TEMPLE_MARK]):
            raise _map_error(name, *found[sign], f"there is no way from the home base {sign!r} to the temple")
    return rows


def _map_error(name: str, row: int, column: int, problem: str) -> MapError:
    return MapError(f"map {name!r}, line {row + 1}, column {column + 1}: {problem}")


def _connected(rows: Sequence[str], start: tuple[int, int]) -> set[tuple[int, int]]:
    """Every location that is joined to `start` through neighbouring locations (a wall can always be climbed somehow)."""
    reached, edge = {start}, [start]
    while edge:
        row, column = edge.pop()
        for down, right in STEPS:
            there = (row + down, column + right)
            if there not in reached and 0 <= there[0] < len(rows) and 0 <= there[1] < len(rows[0]) and rows[there[0]][there[1]] != HOLE:
                reached.add(there)
                edge.append(there)
    return reached


def _columns(heading: str) -> list[int]:
    """The column of each card in a table of decks; a heading is the first word of the card's name."""
    cards = [card.split()[0] for card in CARDS]
    found = [(word.group(), word.start() + 1) for word in re.finditer(r"\S+", heading)][1:]
    names = [name for name, _ in found]
    for place, (name, column) in enumerate(found):
        if name not in cards:
            raise DeckError(f"decks, line 1, column {column}: there is no card {name!r}; cards: {', '.join(cards)}")
        if name in names[:place]:
            raise DeckError(f"decks, line 1, column {column}: a second column {name!r}")
    for card in cards:
        if card not in names:
            raise DeckError(f"decks, line 1, column {len(heading) + 1}: there is no column {card!r}")
    return [names.index(card) for card in cards]


def read_decks(text: str) -> dict[str, tuple[int, ...]]:
    """The decks of a table of counts under a line of headings, checked (Q2): eight whole numbers in each line, at most 64 cards."""
    heading, *lines = text.strip("\n").split("\n")
    columns = _columns(heading)
    decks: dict[str, tuple[int, ...]] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        name, *words = line.split()
        if name in decks:
            raise DeckError(f"decks, line {number + 1}, column {line.index(name) + 1}: a second deck {name!r}")
        if len(words) != KINDS:
            raise DeckError(f"decks, line {number + 1}, column {len(line) + 1}: deck {name!r} has {len(words)} counts, not {KINDS}")
        for word in words:
            if not word.isdecimal():
                raise DeckError(f"decks, line {number + 1}, column {line.index(word, len(name)) + 1}: {word!r} is not a count of cards")
        decks[name] = tuple(int(words[column]) for column in columns)
        if sum(decks[name]) > MOST_CARDS:
            raise DeckError(f"decks, line {number + 1}, column 1: deck {name!r} has {sum(decks[name])} cards, more than {MOST_CARDS}")
    return decks


def players_of(rows: Sequence[str]) -> int:
    """How many players a map is for: as many as it has home bases (R2, R30)."""
    return sum(sign in BASES for line in rows for sign in line)


def tables(maps: Mapping[str, Sequence[str]]) -> dict[str, np.ndarray]:
    """The maps as tables of numbers: location = row · columns + column, NONE where there is none."""
    count = len(maps)
    made = {
        "COLUMNS": np.zeros(count, np.uint8),
        "LAND": np.zeros((count, CELLS), np.uint8),
        "WALL": np.zeros((count, CELLS), np.uint8),
        "SACRED": np.zeros((count, CELLS), np.uint8),
        "PLACE": np.zeros((count, CELLS), np.uint8),
        "TEMPLE": np.zeros(count, np.uint8),
        "HOME": np.full((count, 4), NONE, np.uint8),
        "NEIGHBOUR": np.full((count, CELLS, 8), NONE, np.uint8),
    }
    for index, rows in enumerate(maps.values()):
        columns = len(rows[0])
        made["COLUMNS"][index] = columns
        for row, line in enumerate(rows):
            for column, sign in enumerate(line):
                cell = row * columns + column
                made["LAND"][index, cell] = sign != HOLE
                made["WALL"][index, cell] = sign == WALL_MARK
                made["SACRED"][index, cell] = sign in TEMPLE_MARK + BASES
                made["PLACE"][index, cell] = row * 16 + column
                if sign == TEMPLE_MARK:
                    made["TEMPLE"][index] = cell
                elif sign in BASES:
                    made["HOME"][index, BASES.index(sign)] = cell
                for way, (down, right) in enumerate(STEPS):
                    r, c = row + down, column + right
                    if sign != HOLE and 0 <= r < len(rows) and 0 <= c < columns and rows[r][c] != HOLE:
                        made["NEIGHBOUR"][index, cell, way] = r * columns + c
    return made


DECKS = read_decks(DECKS_TEXT)
MAPS = {name: read_map(name, text) for name, text in MAPS_TEXT.items()}
MAP_NAMES = tuple(MAPS)
PLAYERS_OF = {name: players_of(rows) for name, rows in MAPS.items()}
PLACES = tuple(f"({code // 16},{code % 16})" for code in range(256))
"""What locations are called in the story: (row, column), both from 0; an event's number is row · 16 + column."""

_TABLES = tables(MAPS)
COLUMNS = _TABLES["COLUMNS"]  # locations in a row of each map
LAND = _TABLES["LAND"]  # 1 where a location is part of the board (Q31)
WALL = _TABLES["WALL"]  # 1 where the map starts with a block (Q23)
SACRED = _TABLES["SACRED"]  # 1 on home bases and the temple (Q26)
PLACE = _TABLES["PLACE"]  # row · 16 + column
TEMPLE = _TABLES["TEMPLE"]  # location of the temple
HOME = _TABLES["HOME"]  # location of each home base
NEIGHBOUR = _TABLES["NEIGHBOUR"]  # the location next to each one, in each of the eight ways, or NONE
