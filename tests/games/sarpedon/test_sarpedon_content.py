"""The board and the cards as text: what is read from them, and the errors when they are malformed."""

import pytest

from rulestone.games.sarpedon import content


def test_R1_R2_R3_R6_the_board_says_where_things_are():
    assert (content.START, content.CENTRE, content.MYSTERY_TILE.tolist()) == (13, 4, [2, 3, 7])
    assert [content.SLOT[tile] for tile in (2, 3, 7, 4)] == [0, 1, 2, -1]


def test_Q3_each_quadrant_is_the_first_one_turned():
    for quadrant in range(4):
        for tile in range(1, 17):
            row, column = 4 + (tile - 1) // 4, (tile - 1) % 4
            for _ in range(quadrant):
                row, column = 7 - column, row
            assert content.SQUARE[quadrant, tile - 1].tolist() == [row, column]


def test_R4_the_neighbour_tables_of_sets_agree_with_those_of_tiles():
    for low, high in ((0b1, 0), (0b10000001, 0b10), (0, 0b11), (255, 255)):
        expected = 0
        for tile in range(16):
            if (low | high << 8) >> tile & 1:
                expected |= int(content.NEIGHBOURS[tile])
        assert content.AROUND[0, low] | content.AROUND[1, high] == expected


def test_R5_R6_there_are_three_kinds_of_special_and_of_mystery_cards():
    assert list(content.SPECIAL_CARDS) == ["Protect Tile", "Save Tile", "Save Player"]
    assert list(content.MYSTERY_CARDS) == ["Magic Trap", "Medusa's Shriek", "Mirror Shard"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("R06 ", "R6x ", "board row 6: 'R6x' is not a tile"),
        ("R06 ", "X06 ", "'X06' is not a tile"),
        ("R06 ", "R05 ", "tile 5 of Red appears twice"),
        ("R06 ", "R17 ", "the Red quadrant needs tiles 1 to 16"),
        ("R07?", "R07 ", "the Red quadrant needs 3 tile"),
        ("Y04*", "Y04 ", "the Yellow quadrant needs 1 tile"),
        ("G13>", "G13 ", "the Green quadrant needs 1 tile"),
    ],
)
def test_R1_a_malformed_board_is_refused_with_the_place(old, new, message):
    with pytest.raises(content.Malformed, match=message):
        content.read_board(content.BOARD.replace(old, new))


def test_R6_all_quadrants_mark_the_same_tiles():
    board = content.BOARD.replace("B07?", "B07 ").replace("B06 ", "B06?")
    with pytest.raises(content.Malformed, match="Blue marks"):
        content.read_board(board)


def test_R6_a_mystery_card_cannot_lie_in_the_throne_room():
    with pytest.raises(content.Malformed, match=r"'R04\*\?' is not a tile"):
        content.read_board(content.BOARD.replace("R04*", "R04*?"))


def test_R6_a_designer_may_move_the_mystery_cards():
    board = content.BOARD
    for letter in "RYGB":
        board = board.replace(f"{letter}07?", f"{letter}07 ").replace(f"{letter}10 ", f"{letter}10?")
    assert content.read_board(board)[1] == {">": [13], "?": [2, 3, 10], "*": [4]}


def test_R4_quadrants_with_different_neighbours_are_refused():
    board = content.BOARD.replace("B05 ", "Bxx ").replace("B10 ", "B05 ").replace("Bxx ", "B10 ")
    with pytest.raises(content.Malformed, match="of Blue doesn't have the same neighbours"):
        content.read_neighbours(content.read_board(board)[0])


def test_R1_R7_a_malformed_deck_is_refused():
    assert sorted(content.DECK.tolist()) == list(range(1, 17))
    with pytest.raises(content.Malformed, match="each number from 1 to 16 once"):
        content.read_deck("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 15")
