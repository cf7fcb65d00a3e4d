"""With hidden rolls nobody can count the decisions of another player who rolls (Q5, section 7 of the sheet)."""

import random
from types import SimpleNamespace

import pytest

from tests.test_server_leaks import check_that_unnoticed_moves_tell_nothing

HIDDEN = {"roll_mode": "hidden"}


def told(match, viewer):
    view = match.view(viewer)
    return view._array.tobytes(), view.ply, view.moves, view.events


@pytest.mark.parametrize("viewer", [1, 2, None])
def test_Q5_the_decisions_of_one_who_rolls_change_nothing_for_the_others(regatta, viewer):
    lengths, endings = set(), set()
    for seed in range(60):
        match, chance = regatta.base_r(fish=2, slots=["Demeter", "Apollo"], wanted=(1,), options=HIDDEN), random.Random(seed)
        before, count = told(match, viewer), 0
        while match.to_move == 0:
            assert told(match, viewer) == before
            match.play(chance.choice(match.legal()), rng=chance.getrandbits(64))
            count += 1
        lengths.add(count)
        if match.to_move == viewer:  # whose own dice are not secret
            continue
        endings.add(told(match, viewer)[0])
    assert len(lengths) > 3
    assert len(endings) <= 1


def test_Q5_the_roller_counts_every_decision_and_hears_only_what_is_new(regatta):
    match = regatta.base_r(fish=2, wanted=(1,), options=HIDDEN)
    first = match.view(0).ply
    match.play("nav_reroll")
    assert [event.name for event in match.view(0).events] == ["pays_reroll", "nav"]
    assert match.view(0).ply == first + 1
    assert next(event.name for event in match.play("nav_reroll")) == "pays_reroll"
    assert match.view(0).ply == first + 2
    assert [str(move) for move in match.view(0).moves][-2:] == ["nav_reroll", "nav_reroll"]


def test_Q5_after_the_dice_are_shown_everybody_still_knows_what_they_last_heard(regatta):
    match = regatta.base_r(fish=0, wanted=(2, 5), options=HIDDEN, seat1_fish=0)
    match.play("hold")
    own = [event.name for event in match.view(0).events]
    assert own == ["hold"]
    match.play("hold")  # the last one
    names = [event.name for event in match.view(0).events]
    assert names[:4] == ["hold", "dice", "dice", "dice"]
    assert [event.name for event in match.events][:4] == ["hold", "dice", "dice", "dice"]  # of the last roller
    assert match.view(0).ply < match.ply


def test_Q5_nothing_leaves_the_server_while_another_player_decides_about_the_dice(regatta, monkeypatch):
    monkeypatch.setattr("rulestone.server.room.time", SimpleNamespace(time=lambda: 0.0, monotonic=lambda: 0.0))
    assert check_that_unnoticed_moves_tell_nothing(regatta.game, HIDDEN, 3, plies=60) > 20
