"""Printed pieces of misDIRECTION: every one exactly as often as the content says."""

from collections import Counter

from rulestone.game import load
from rulestone.games.misdirection.content import KIND_NAMES, TILE_SETS, TILES
from rulestone.printing import Order, prepare


def tiles(game, **order):
    made = prepare(game, Order(only=("tiles",), **order)).sheets
    return [place.piece for sheet in made if sheet.side == "front" for place in sheet.places]


def test_R4_there_are_220_tiles_with_one_back():
    made = tiles(load("misdirection"))
    assert len(made) == 220
    assert len({(piece.back, piece.ground) for piece in made}) == 1


def test_Q2_every_tile_is_printed_as_often_as_the_tile_set_says():
    for number, name in enumerate(TILE_SETS):
        made = tiles(load("misdirection"), options={"arrows": name})
        found = Counter(piece.front for piece in made)
        assert sorted(found.values()) == sorted(int(count) for count in TILES[number] if count)
        kinds = Counter(piece.name for piece in made)
        assert kinds == {kind: int(TILES[number][8 * k : 8 * k + 8].sum()) for k, kind in enumerate(KIND_NAMES)}


def test_changed_numbers_of_tiles_print_changed():
    kinds = Counter(piece.name for piece in tiles(load("misdirection", {"OPPOSITES": 16})))
    assert (kinds["Opposite"], kinds["Arrow"]) == (16, 152)


def test_R3_every_player_has_a_token_and_a_two_sided_disk():
    made = prepare(load("misdirection"), Order(only=("disks",)))
    assert sum(sheet.counts.total() for sheet in made.sheets if sheet.side == "front") == 8
    disks = [piece for piece in made.box.pieces if piece.name.endswith("disk")]
    assert all(disk.front != disk.back for disk in disks)
    assert len(prepare(load("misdirection"), Order(players=2, only=("disks",))).box.pieces) < len(made.box.pieces)


def test_a_tile_fits_on_its_space():
    box = prepare(load("misdirection"), Order()).box
    board = next(piece for piece in box.pieces if piece.part == "board")
    tile = next(piece for piece in box.pieces if piece.part == "tiles")
    assert tile.size[0] < board.size[0] / 15.5
