"""The maps and decks that a designer edits, and whether they are fair."""

from itertools import permutations

import pytest

import rulestone
from rulestone.games.artifact import content
from rulestone.games.artifact.content import (
    BASES,
    COLUMNS,
    DECKS,
    DEFAULT_MAP,
    HOLE,
    HOME,
    LAND,
    MAP_NAMES,
    MAPS,
    NEIGHBOUR,
    NONE,
    PLAYERS_OF,
    STEPS,
    TEMPLE,
    WALL,
)

REAL_MAPS = [name for name in MAP_NAMES if not name.startswith("test")]
SIZES = {
    "2-crossing": (9, 9, 10),
    "2-vault": (11, 9, 16),
    "2-causeway": (7, 11, 16),
    "2-maze": (9, 9, 26),
    "3-tripod": (9, 9, 12),
    "3-tee": (11, 11, 25),
    "3-delta": (8, 9, 14),
    "4-crossroads": (9, 9, 12),
    "4-compass": (11, 11, 24),
    "4-pinwheel": (9, 9, 16),
    "test2": (5, 5, 4),
    "test3": (5, 5, 4),
    "test4": (5, 5, 4),
}


def turn_right(rows):
    return tuple("".join(line) for line in zip(*reversed(rows), strict=True))


def mirror(rows):
    return tuple(line[::-1] for line in rows)


def renamed(rows, names):
    """The map with base i called names[i]."""
    return tuple("".join(names[BASES.index(sign)] if sign in BASES else sign for sign in line) for line in rows)


@pytest.mark.parametrize("name", MAP_NAMES)
def test_R16_R30_every_map_has_the_size_walls_and_bases_of_its_description(name):
    rows = MAPS[name]
    assert (len(rows), len(rows[0]), sum(line.count("#") for line in rows)) == SIZES[name]
    assert PLAYERS_OF[name] == int(name.removeprefix("test")[0])


def test_R30_there_are_several_maps_for_each_number_of_players_and_one_is_the_default():
    counts = {players: sum(PLAYERS_OF[name] == players for name in REAL_MAPS) for players in (2, 3, 4)}
    assert counts == {2: 4, 3: 3, 4: 3}
    assert {players: PLAYERS_OF[name] for players, name in DEFAULT_MAP.items()} == {2: 2, 3: 3, 4: 4}


@pytest.mark.parametrize("name", [name for name in MAP_NAMES if PLAYERS_OF[name] == 2])
def test_S85_Q47_a_symmetry_of_the_rectangle_exchanges_the_bases_of_a_two_player_map(name):
    rows = MAPS[name]
    swapped = renamed(rows, "21")
    half_turn = turn_right(turn_right(rows))
    assert swapped in (half_turn, mirror(rows), mirror(half_turn))


@pytest.mark.parametrize("name", [name for name in MAP_NAMES if PLAYERS_OF[name] == 4])
def test_S85_Q47_Q3_a_quarter_turn_carries_a_four_player_map_onto_itself_and_each_base_to_the_next(name):
    assert turn_right(MAPS[name]) == renamed(MAPS[name], "4123")


@pytest.mark.parametrize("name", ["3-tee", "3-delta"])
def test_S85_Q47_the_mirror_exchanges_bases_1_and_2_of_the_tuned_three_player_maps(name):
    assert mirror(MAPS[name]) == renamed(MAPS[name], "213")


def arms():
    """The tripod's three arms, each seen from the temple: {(steps down, steps right) away from it: location}."""
    found = []
    for down, right in ((-1, -1), (-1, 1), (1, 1)):
        found.append({(r, c): (4 + down * (r + 1), 4 + right * (c + 1)) for r in range(4) for c in range(4)})
    return found


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_S85_Q47_every_permutation_of_the_tripods_arms_is_a_symmetry(order):
    rows = MAPS["3-tripod"]
    land = {(r, c) for r, line in enumerate(rows) for c, sign in enumerate(line) if sign != HOLE}
    image = {(4, 4): (4, 4)}
    for arm, other in zip(arms(), [arms()[k] for k in order], strict=True):
        image.update({arm[key]: other[key] for key in arm})
    assert set(image) == set(image.values()) == land
    assert rows[4][4] == "T"
    for here, there in image.items():
        signs = rows[here[0]][here[1]], rows[there[0]][there[1]]
        assert signs[0] == signs[1] or all(sign in BASES for sign in signs)
    line_of = {(0, 1): "ho", (0, -1): "ho", (1, 0): "vert", (-1, 0): "vert"}
    for here in land:
        for there in land:
            step = there[0] - here[0], there[1] - here[1]
            moved = image[there][0] - image[here][0], image[there][1] - image[here][1]
            assert (step in STEPS, line_of.get(step)) == (moved in STEPS, line_of.get(moved))


@pytest.mark.parametrize("name", MAP_NAMES)
def test_Q31_borders_are_closed_and_neighbours_are_mutual(name):
    index, rows = MAP_NAMES.index(name), MAPS[name]
    columns = len(rows[0])
    assert COLUMNS[index] == columns
    for row, line in enumerate(rows):
        for column, sign in enumerate(line):
            here = row * columns + column
            assert LAND[index, here] == (sign != HOLE)
            for way, (down, right) in enumerate(STEPS):
                r, c = row + down, column + right
                inside = 0 <= r < len(rows) and 0 <= c < columns
                there = NEIGHBOUR[index, here, way]
                if sign == HOLE or not inside or rows[r][c] == HOLE:
                    assert there == NONE
                else:
                    assert there == r * columns + c
                    assert NEIGHBOUR[index, there, (way + 4) % 8] == here
    assert (NEIGHBOUR[index, len(rows) * columns :] == NONE).all()


def fewest_cards(index, start, jumps, diagonals=True):
    """How many cards it takes to every location: steps, with or without Jumps and Diags."""
    far, edge = {start: 0}, [start]
    for here in edge:
        for way in range(8):
            there = int(NEIGHBOUR[index, here, way])
            climbs = there != NONE and WALL[index, there] > WALL[index, here]
            if there != NONE and there not in far and (jumps or not climbs) and (diagonals or way % 2 == 0):
                far[there] = far[here] + 1
                edge.append(there)
    return far


@pytest.mark.parametrize("name", REAL_MAPS)
def test_R1_Q50_the_temple_can_be_reached_from_every_base_but_not_within_the_first_turn(name):
    index = MAP_NAMES.index(name)
    distances = {fewest_cards(index, int(HOME[index, base]), jumps=True)[int(TEMPLE[index])] for base in range(PLAYERS_OF[name])}
    expected = 5 if name in ("2-vault", "2-causeway", "3-tee", "4-compass") else 4
    assert distances == {expected}


def test_Q47_the_tripods_temple_is_entered_by_diagonals_only():
    index = MAP_NAMES.index("3-tripod")
    around = [int(NEIGHBOUR[index, int(TEMPLE[index]), way]) for way in range(8)]
    assert [way for way, there in enumerate(around) if there != NONE] == [1, 3, 7]
    assert TEMPLE[index] not in fewest_cards(index, int(HOME[index, 0]), jumps=True, diagonals=False)


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ("1.T\n.?.\n..2", r"line 2, column 2: '\?' is not in the legend"),
        ("1.T\n....\n..2", "line 2, column 4: the line has 4 locations, the first line has 3"),
        ("1.T\n..\n..2", "line 2, column 3: the line has 2 locations, the first line has 3"),
        ("1.T\n.T.\n..2", "line 2, column 2: a second 'T'; the first is at line 1, column 3"),
        ("1.T\n.1.\n..2", "line 2, column 2: a second '1'"),
        ("1..\n...\n..2", "line 3, column 4: the map ends without a temple"),
        ("1.T\n...\n...", "line 3, column 4: the map ends without the home base '2'"),
        ("1.T\n.2.\n..4", "line 3, column 4: the map ends without the home base '3'"),
        ("1.T\n.xx\n.x2", "line 3, column 3: there is no way from the home base '2' to the temple"),
        ("1" + "." * 16 + "\n" + "." * 15 + "T2", "line 2, column 17: the map has 2 × 17 locations"),
        (
            "\n".join(["1" + "." * 10, *["." * 11] * 10, "T2" + "." * 9]),
            "line 12, column 11: the map has 12 × 11 locations; at most 121",
        ),
    ],
)
def test_R16_a_malformed_map_is_refused_with_line_and_column(rows, complaint):
    with pytest.raises(content.MapError, match=f"map 'mine', {complaint}"):
        content.read_map("mine", rows)


def test_R16_a_small_custom_map_can_be_read():
    rows = content.read_map("mine", "\n1.T\n.#x\n..2\n")
    assert rows == ("1.T", ".#x", "..2")
    assert content.players_of(rows) == 2
    tables = content.tables({"mine": rows})
    assert tables["HOME"][0].tolist() == [0, 8, NONE, NONE]
    assert tables["TEMPLE"][0] == 2
    assert tables["WALL"][0].sum() == 1
    assert tables["NEIGHBOUR"][0, 4].tolist() == [1, 2, NONE, 8, 7, 6, 3, 0]


def test_Q2_the_decks_have_the_counts_of_the_sheet():
    assert DECKS == {
        "standard54": (10, 10, 7, 7, 4, 6, 6, 4),
        "swaplight54": (10, 10, 8, 8, 2, 6, 6, 4),
        "even56": (7, 7, 7, 7, 7, 7, 7, 7),
    }
    assert [sum(counts) for counts in DECKS.values()] == [54, 54, 56]
    assert all(counts[0] == counts[1] for counts in DECKS.values())


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("mine 1 2 3", "line 2, column 11: deck 'mine' has 3 counts, not 8"),
        ("mine 9 9 9 9 nine 9 9 9", "line 2, column 14: 'nine' is not a count of cards"),
        ("mine 9 9 ² 9 9 9 9 9", "line 2, column 10: '²' is not a count of cards"),
        ("mine 9 9 9 9 9 9 9 9", "line 2, column 1: deck 'mine' has 72 cards, more than 64"),
        ("mine 7 7 7 7 7 7 7 7\n\nmine 6 6 6 6 6 6 6 6", "line 4, column 1: a second deck 'mine'"),
    ],
)
def test_Q2_a_malformed_deck_is_refused_with_line_and_column(line, complaint):
    with pytest.raises(content.DeckError, match=complaint):
        content.read_decks("deck Ho Vert Jump Diag Swap Drop Dynamite Rotate\n" + line)


def test_Q2_a_deck_is_read_by_the_headings_of_its_columns():
    mine = "deck Swap Ho Vert Jump Diag Drop Dynamite Rotate\nmine 1 10 10 7 6 5 4 3"
    assert content.read_decks(mine) == {"mine": (10, 10, 7, 6, 1, 5, 4, 3)}


@pytest.mark.parametrize(
    ("heading", "complaint"),
    [
        (
            "deck Ho Vert Jump Diag Swap Drop Dynamite Rotates",
            "line 1, column 43: there is no card 'Rotates'; cards: Ho, Vert, Jump, Diag,",
        ),
        ("deck Ho Vert Jump Ho Swap Drop Dynamite Rotate", "line 1, column 19: a second column 'Ho'"),
        ("deck Ho Vert Jump Swap Drop Dynamite Rotate", "line 1, column 44: there is no column 'Diag'"),
        ("mine 7 7 7 7 7 7 7 7", "line 1, column 6: there is no card '7'; cards: Ho, Vert"),
    ],
)
def test_Q2_a_malformed_heading_of_the_decks_is_refused_with_line_and_column(heading, complaint):
    with pytest.raises(content.DeckError, match=complaint):
        content.read_decks(heading + "\nmine 7 7 7 7 7 7 7 7")


def test_Q2_blank_lines_between_decks_do_not_matter():
    assert content.read_decks("\ndeck Ho Vert Jump Diag Swap Drop Dynamite Rotate\n\nmine 7 7 7 7 7 7 7 7\n\n") == {"mine": (7,) * 8}


def test_R13_the_options_name_the_actual_number_of_bonus_plays():
    helps = [option.help for option in rulestone.load("artifact", changes={"BONUS": 2}).options.values()]
    assert sum("2 more plays" in said for said in helps) == 2
    assert not any("3 more plays" in said for said in helps)
