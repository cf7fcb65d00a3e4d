"""The tiles, shapes and grids of Micro Medusa, and what happens if somebody mistypes them."""

import pytest

from rulestone.games.micro_medusa import content
from rulestone.games.micro_medusa.content import BadContent


def test_R2_R3_the_printed_numbers_of_tiles():
    assert (content.COPIES.tolist(), content.TILES, content.STACK) == ([6, 6, 6, 0, 0], 18, 13)
    assert content.ACTIVE.tolist() == [1, 1, 1, 2]


def test_Q2_Q3_Q4_shapes_of_tiles():
    """Kinds 0, 1, 2 and 5 on hexagons and on squares, with fork, bend and straight Sections."""
    assert [[*content.SHAPE[0, v].tolist()[:3], int(content.SHAPE[0, v, 5])] for v in range(3)] == [
        [1, 1, 21, 63],
        [1, 1, 5, 63],
        [1, 1, 9, 63],
    ]
    assert [[*content.SHAPE[1, v].tolist()[:3], int(content.SHAPE[1, v, 5])] for v in range(3)] == [
        [1, 1, 7, 15],
        [1, 1, 3, 15],
        [1, 1, 5, 15],
    ]


def test_Q14_rotations_that_look_the_same_are_one():
    assert content.TURNED[0, 21].tolist() == [21, 42, -1, -1, -1, -1]
    assert content.TURNED[0, 1].tolist() == [1, 2, 4, 8, 16, 32]
    assert content.TURNED[0, 9].tolist() == [9, 18, 36, -1, -1, -1]
    assert content.TURNED[1, 7].tolist() == [7, 14, 13, 11, -1, -1]
    assert content.TURNED[1, 5].tolist() == [5, 10, -1, -1, -1, -1]


def test_Q2_spaces_are_numbered_in_spirals():
    """The sheet's examples: ring 1 is 1 + direction, 19 = (3, 0), 22 = (3, -3), 36 = (2, 1); squares start at (k, 0)."""
    hexes, squares = content.SPACES
    assert [hexes[cell] for cell in (19, 20, 21, 22, 23, 36)] == [(3, 0), (3, -1), (3, -2), (3, -3), (2, -3), (2, 1)]
    assert content.NEIGHBOUR[0, 0].tolist() == [1, 2, 3, 4, 5, 6]
    assert content.NEIGHBOUR[0, 1].tolist() == [7, 8, 2, 0, 6, 18]
    assert [squares[cell] for cell in (1, 2, 3, 4, 5, 6)] == [(1, 0), (0, -1), (-1, 0), (0, 1), (2, 0), (1, -1)]
    assert (len(hexes), len(squares)) == (217, 145)


def test_Q36_neighbours_are_mutual():
    for grid, sides in enumerate((6, 4)):
        for cell in range(len(content.SPACES[grid])):
            for side in range(sides):
                beyond = content.NEIGHBOUR[grid, cell, side]
                if beyond != content.OFF:
                    assert content.NEIGHBOUR[grid, beyond, (side + sides // 2) % sides] == cell


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("0    | H      | Snakehead     | 6 ", "0    | H      | Snakehead     | six ", "copies of '0' is 'six'"),
        ("0    | H      | Snakehead     | 6 ", "0    | H      | Snakehead     | ² ", "copies of '0' is '²'"),
        ("5    | M      | Medusa's head | 1 ", "5    | M      | Medusa's head | 2 ", "one Medusa's head, not 2"),
        ("| Snake Section | 6 ", "| Snake Section | 8 ", "large enough for 7 Snake Sections"),
        ("1    | E ", "7    | E ", "kinds are 0..5"),
        ("| 6      | shape       | shape", "| 6      | shape", "has 5 columns, not 6"),
    ],
)
def test_mistakes_in_the_tiles_are_named(old, new, complaint):
    assert old in content.MEDUSA_TILES
    with pytest.raises(BadContent, match=complaint):
        content.read_tiles(content.MEDUSA_TILES.replace(old, new, 1))


@pytest.mark.parametrize(
    ("sides", "complaint"),
    [
        ("0 2 6", "not a list of different sides"),
        ("0 0", "not a list of"),
        ("", "at least one side"),
        ("a", "not a list of"),
        ("²", "not a list of"),
    ],
)
def test_mistakes_in_a_shape_are_named(sides, complaint):
    shapes = [{"shape": "fork", "hex sides": sides, "square sides": "0"}]
    tiles, _ = content.read_tiles(content.MEDUSA_TILES)
    with pytest.raises(BadContent, match=rf"fork, hex.*{complaint}"):
        content.shape_table(tiles, shapes, content.read_grids(content.GRIDS))


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("Shield | 1 ", "Shield | 0 ", "active of '1'"),
        ("Blade ", "Sword ", "Blade, Shield, Torch and Heart"),
        ("| H\n", "| E\n", "answers H"),
    ],
)
def test_mistakes_in_the_equipment_are_named(old, new, complaint):
    assert old in content.CHAMPION_TILES
    with pytest.raises(BadContent, match=complaint):
        content.read_equipment(content.CHAMPION_TILES.replace(old, new, 1))


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("NE +1 -1", "NE +1 -2", "no opposite"),
        ("NE +1 -1", "NE +1", "needs directions"),
        ("| 0 -1, -1 0", "| 0 -1, -1 -1", "does not return"),
    ],
)
def test_mistakes_in_the_grids_are_named(old, new, complaint):
    assert old in content.GRIDS
    with pytest.raises(BadContent, match=complaint):
        content.read_grids(content.GRIDS.replace(old, new, 1))
