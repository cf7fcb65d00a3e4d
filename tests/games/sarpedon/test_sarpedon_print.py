"""Printed pieces of Sarpedon: every one exactly as often as the content says."""

from collections import Counter

from rulestone.game import load
from rulestone.games.sarpedon.content import COLOURS, DECK, MYSTERY_CARDS, SPECIAL_CARDS, SPECIAL_COPIES
from rulestone.printing import Order, prepare


def pieces(game, **order):
    """The printed pieces by their names, front sides only."""
    made = prepare(game, Order(**order)).sheets
    return [place.piece for sheet in made if sheet.side != "back" for place in sheet.places]


def test_R1_there_is_one_petrification_card_for_each_tile_of_each_quadrant():
    made = [piece for piece in pieces(load("sarpedon")) if piece.name.startswith("Petrification")]
    assert len(made) == 64
    for colour in COLOURS:
        own = [piece.front for piece in made if colour in piece.name]
        assert all(sum(f">{number}</text>" in front for front in own) == 1 for number in DECK)


def test_R5_every_player_has_large_and_small_special_cards():
    counts = Counter(piece.name for piece in pieces(load("sarpedon")))
    for name in SPECIAL_CARDS:
        assert counts[f"Special Card: {name}"] == counts[f"Small Special Card: {name}"] == 4 * SPECIAL_COPIES[name]
    changed = Counter(piece.name for piece in pieces(load("sarpedon", {"SPECIAL_COPIES[Save Tile]": 2})))
    assert changed["Special Card: Save Tile"] == changed["Small Special Card: Save Tile"] == 8


def test_R6_there_are_three_mystery_cards_for_each_quadrant_with_one_back():
    made = [piece for piece in pieces(load("sarpedon")) if piece.name.startswith("Mystery")]
    assert Counter(piece.name for piece in made) == {f"Mystery Card: {name}": 4 for name in MYSTERY_CARDS}
    assert len({(piece.back, piece.ground) for piece in made}) == 1


def test_a_hero_has_its_statue_on_the_back():
    heroes = pieces(load("sarpedon"), only=("tokens",))
    assert len(heroes) == 4
    assert all("f-stone" in hero.back and "f-stone" not in hero.front for hero in heroes)


def test_the_cards_fit_on_the_tiles_of_the_board():
    game = load("sarpedon")
    board = next(piece for piece in prepare(game, Order()).box.pieces if piece.part == "board")
    tile = board.size[0] * 92 / (8 * 92 + 8 + 40)
    assert abs(tile - 36) < 0.1
    assert all(max(piece.size) <= tile for piece in pieces(game) if piece.size[0] == 32)
