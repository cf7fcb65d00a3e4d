"""Undo reveals to nobody what is face down (section 11 of the sheet: no undo after placing)."""

import pytest

from rulestone import load, undo
from rulestone.testing.contract import ContractError, check_game


@pytest.fixture
def placing():
    match = load("micro_medusa").new(seed=0)
    for move in ("draft H", "draft H", "equip Blade"):
        match.play(move)
    return match


@pytest.mark.parametrize("viewers", [[1], [0, 1], [0, 1, None], [0]])
def test_a_tile_the_champion_knows_of_and_the_secret_one_are_refused_alike(placing, viewers):
    known, secret = placing.copy(), placing.copy()
    known.play("place H 1")
    secret.play("place E 1")
    assert undo.refusal(known, 3, viewers) == undo.refusal(secret, 3, viewers) == undo.SECRET
    assert undo.reveals(known, 3, viewers) == undo.reveals(secret, 3, viewers)


def test_drafting_a_weapon_in_the_open_can_be_undone(placing):
    assert undo.refusal(placing, 2, [0, 1, None]) is None


def test_a_draft_that_reveals_a_new_tile_cannot_be_undone(placing):
    assert undo.refusal(placing, 1, [0, 1]) == undo.REVEALED


def test_the_answer_to_a_face_down_tile_cannot_be_undone(placing):
    placing.play("place H 1")
    placing.play(next(move for move in placing.legal() if move.verb == "respond"))
    assert undo.refusal(placing, 4, [0, 1]) == undo.REVEALED
    assert undo.refusal(placing, 4, [1]) == undo.REVEALED


def test_the_contract_finds_a_reason_that_is_not_true(monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    monkeypatch.setattr(undo, "revealed", lambda *_: undo.REVEALED)
    with pytest.raises(ContractError, match="but everybody could predict what they saw"):
        check_game(load("micro_medusa"), matches=20, plies=60, games=1, worlds=0)
