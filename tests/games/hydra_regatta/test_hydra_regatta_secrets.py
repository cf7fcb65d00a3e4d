"""With hidden rolls nobody can count the decisions of another player who rolls (Q5, section 7 of the sheet)."""

import asyncio
import random
from types import SimpleNamespace

import pytest

from rulestone.server.room import Refused
from tests.test_server_leaks import check_that_unnoticed_moves_tell_nothing, room_of

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


def test_Q5_a_clock_per_move_runs_on_while_dice_are_decided_about_in_secret(regatta, monkeypatch):
    now = [0.0]
    monkeypatch.setattr("rulestone.server.room.time", SimpleNamespace(time=lambda: now[0], monotonic=lambda: now[0]))

    async def play():
        room = room_of(regatta.game, 3, HIDDEN, 3)
        room.row.clock = {"kind": "move", "seconds": 600}
        left, turn = [], 0.0
        while len(left) < 4:
            seat, now[0] = room.match.to_move, now[0] + 10
            secret = regatta.rules.NAV <= room.match.state.phase <= regatta.rules.VALUE
            await room.move(f"guest{seat}", room.at_for(seat), room.match.view(seat).legal_actions()[-1], "")
            if secret and room.match.to_move == seat:
                left.append((room._left(seat), 600 - now[0] + turn))
            else:
                turn = now[0]
                assert room._left(room.match.to_move) == 600
        room.close()
        return left

    for shown, running in asyncio.run(play()):
        assert shown == running < 600


def test_Q5_the_others_get_no_undo_offered_or_refused_by_what_a_roller_does(regatta):
    async def play():
        room, chance = room_of(regatta.game, 3, HIDDEN, 3), random.Random(2)
        looked = 0
        while looked < 6:
            seat = room.match.to_move
            others = [other for other in range(3) if other != seat]
            secret = regatta.rules.NAV <= room.match.state.phase <= regatta.rules.VALUE
            before = [(room._undo_index(f"guest{other}"), room.at_for(other)) for other in others]
            await room.move(f"guest{seat}", room.at_for(seat), chance.choice(room.match.view(seat).legal_actions()), "")
            if secret and room.match.to_move == seat:
                looked += 1
                assert [(room._undo_index(f"guest{other}"), room.at_for(other)) for other in others] == before
                assert not room.table_info(f"guest{seat}")["undo"]
                with pytest.raises(Refused, match="fully see"):
                    await room.undo(f"guest{seat}")
                for other in others:
                    with pytest.raises(Refused, match="not your seat"):
                        await room.move(f"guest{other}", room.at_for(other), 0, "")
                    with pytest.raises(Refused, match="moved on"):
                        await room.move(f"guest{other}", room.at, 0, "")
        room.close()

    asyncio.run(play())
