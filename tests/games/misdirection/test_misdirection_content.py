"""The board and the tiles as data: the shipped ones are right, and malformed ones are named."""

import numpy as np
import pytest

from rulestone.games.misdirection import content
from rulestone.games.misdirection.content import ContentError, read_board, read_home_arrows, read_tiles


def test_R1_Q1_the_board_has_its_five_printed_spaces():
    assert content.HOME.tolist() == [0, 14, 224, 210]
    assert content.CENTRE == 112
    assert (content.PRINTED == content.TILE_SPACE).sum() == 220


def test_Q2_both_tile_sets_have_the_rulebooks_numbers_of_each_kind():
    kinds = content.TILES.astype(int).reshape(2, 12, 8).sum(axis=2)
    assert kinds.tolist() == [[136, 8, 32, 8, 1, 1, 1, 1, 8, 8, 8, 8]] * 2


def test_Q2_tiles_by_direction():
    ways = content.TILES.astype(int).reshape(2, 12, 8).sum(axis=1)
    assert ways.tolist() == [[27, 28, 27, 28, 27, 28, 27, 28], [55, 0, 55, 0, 55, 0, 55, 0]]


def test_Q2_the_tile_sets_are_the_same_from_every_seat():
    """Turning the board by 90° and shifting the seats by one maps each tile set onto itself."""
    for counts in content.TILES.reshape(2, 12, 8):
        turned = np.roll(counts, 2, axis=1)
        turned[4:8] = np.roll(turned[4:8], 1, axis=0)
        turned[8:12] = np.roll(turned[8:12], 1, axis=0)
        assert turned.tolist() == counts.tolist()


def test_Q3_home_arrows_point_at_the_centre():
    for cell in content.HOME.tolist():
        at = cell
        for _ in range(7):
            at = int(content.NEXT[at, content.PRINTED[cell] % 8])
        assert at == content.CENTRE


def test_R16_there_are_48_launch_cells():
    assert (content.AIM >= 0).sum() == 48


def test_Q40_seats_in_play():
    assert content.SEAT[2, :2].tolist() == [0, 2]
    assert content.PLAYER[2].tolist() == [0, -1, 1, -1]
    assert content.PLAYER[3].tolist() == [0, 1, 2, -1]


BOARDS = [
    (content.BOARD.replace("*", "."), "0 winning spaces"),
    (content.BOARD.replace("H3", "."), "lacks the starting space H3"),
    (content.BOARD.replace("H3", "H2"), "two starting spaces H2"),
    (content.BOARD.replace("*", "x"), r"'x' at \(7,7\)"),
    (content.BOARD.replace("H3", "H3 ."), "row 14 of the board has 16 spaces"),
    ("\n".join(content.BOARD.strip().splitlines()[:-1]), "14 rows"),
]


@pytest.mark.parametrize(("text", "reason"), BOARDS)
def test_R1_a_malformed_board_is_named(text, reason):
    with pytest.raises(ContentError, match=reason):
        read_board(text)


TILE_SETS = [
    (content.TILES_EIGHT.replace("17", "18", 1), "221 tiles for 220 spaces"),
    (content.TILES_EIGHT.replace("Roll Again", "Role Again"), "should be 'Roll Again' and 8 numbers"),
    (content.TILES_EIGHT.replace("17", "x", 1), "should be 'Arrow' and 8 numbers"),
    (content.TILES_EIGHT.replace("NE", "ne"), "the first line must be"),
    ("\n".join(content.TILES_EIGHT.strip().splitlines()[:-1]), "11 kinds instead of 12"),
]


@pytest.mark.parametrize(("text", "reason"), TILE_SETS)
def test_R4_a_malformed_tile_set_is_named(text, reason):
    with pytest.raises(ContentError, match=reason):
        read_tiles("eight", text)


@pytest.mark.parametrize(("text", "reason"), [("H0 SE\nH1 SW\nH2 NW", "arrow of H3 is missing"), ("H0 SO", "'H0 SO' isn't a home arrow")])
def test_Q3_malformed_home_arrows_are_named(text, reason):
    with pytest.raises(ContentError, match=reason):
        read_home_arrows(text)
