"""Printed pieces of the Hydra Regatta: every one exactly as often as the content says."""

from collections import Counter

from rulestone.game import load
from rulestone.games.hydra_regatta.content import CARDS, COURSE, GODS
from rulestone.printing import Order, prepare


def counts(game, **order):
    made = prepare(game, Order(**order)).sheets
    return sum((sheet.counts for sheet in made if sheet.side != "back"), Counter())


def test_R1_the_box_holds_what_the_rulebook_lists():
    found = counts(load("hydra_regatta"))
    assert (found["Racecourse wedge"], found["Starting Line wedge"], found["Central piece"]) == (28, 1, 1)
    assert (found["Fish"], found["Golden Fleece"], found["Lap Counter"]) == (16, 1, 1)
    for name in ("Red", "Blue", "Green", "Yellow"):
        assert (found[f"{name} Ship"], found[f"{name} Wake token"], found[f"Player board ({name})"]) == (2, 1, 1)
    assert sum(count for name, count in found.items() if name.startswith("Favor")) == CARDS == 36


def test_every_wedge_is_another_one():
    made = prepare(load("hydra_regatta"), Order(only=("tiles",)))
    wedges = [piece for piece in made.box.pieces if piece.name.endswith("wedge")]
    assert len({piece.front for piece in wedges}) == len(wedges) == len(COURSE)


def test_every_favor_is_printed_as_often_as_the_deck_has_it_and_the_starters_have_their_numbers():
    found = counts(load("hydra_regatta"), only=("cards",))
    assert found == {f"Favor: {god.name}": god.copies for god in GODS}
    cards = prepare(load("hydra_regatta"), Order()).box.pieces
    for god in GODS:
        if god.starter:
            (starter,) = [piece for piece in cards if f"Starter {god.starter}" in piece.front]
            assert (starter.name, starter.count) == (f"Favor: {god.name}", 1)


def test_a_changed_deck_prints_changed():
    found = counts(load("hydra_regatta", {"MORE_COPIES[trident]": 1}), only=("cards",))
    assert (found["Favor: Hades"], found["Favor: Zeus"]) == (3, 2)


def test_two_players_need_fewer_boards():
    assert sum(name.startswith("Player board") for name in counts(load("hydra_regatta"), players=2)) == 2


def test_the_ring_of_twelve_wedges_closes_round_the_central_piece():
    pieces = prepare(load("hydra_regatta"), Order()).box.pieces
    wedge = next(piece for piece in pieces if piece.name == "Racecourse wedge")
    centre = next(piece for piece in pieces if piece.name == "Central piece")
    assert abs(centre.size[0] / 2 - (165 * wedge.scale - 1)) < 0.1  # a millimetre of play
