"""Printed pieces of Micro Medusa: every one exactly as often as the content says."""

from collections import Counter

from rulestone.game import load
from rulestone.games.micro_medusa.content import ACTIVE, COPIES, GEAR_NAMES, KINDS
from rulestone.printing import Order, prepare


def counts(game, **order):
    made = prepare(game, Order(**order)).sheets
    return sum((sheet.counts for sheet in made if sheet.side != "back"), Counter())


def test_R2_there_are_19_medusa_tiles_with_one_back():
    made = prepare(load("micro_medusa"), Order(only=("tiles",)))
    found = counts(load("micro_medusa"), only=("tiles",))
    assert found == {"Medusa’s head": 1, "Snakehead": 6, "Eyeball": 6, "Snake Section": 6}
    assert sum(found.values()) == int(COPIES[:KINDS].sum()) + 1
    assert len({(piece.back, piece.ground) for piece in made.box.pieces if piece.part == "tiles"}) == 1


def test_R3_there_are_9_champion_tiles_and_a_heart_has_a_stone_side():
    found = counts(load("micro_medusa"), only=("disks",))
    for gear, name in enumerate(GEAR_NAMES):
        assert (found[name], found[f"{name} (reserve)"]) == (ACTIVE[gear], 1)
    assert sum(found.values()) == 9
    hearts = [piece for piece in prepare(load("micro_medusa"), Order()).box.pieces if piece.name.startswith("Heart")]
    assert all("stoneheart" in heart.back for heart in hearts)


def test_changed_copies_print_changed():
    assert counts(load("micro_medusa", {"MEDUSA_TILES[Eyeball,copies]": 8}), only=("tiles",))["Eyeball"] == 8


def test_the_options_for_the_grid_and_the_section_change_the_tiles():
    usual, square, bent = (
        prepare(load("micro_medusa"), Order(options=options)).box.pieces for options in ({}, {"grid": "square"}, {"section": "bend"})
    )
    assert usual[0].size[0] != usual[0].size[1]
    assert square[0].size[0] == square[0].size[1]
    section = [next(piece.front for piece in pieces if piece.name == "Snake Section") for pieces in (usual, square, bent)]
    assert len(set(section)) == 3
