"""While all roll at the same time, nobody can count the decisions of another player (Q5, section 7 of the sheet)."""

import asyncio
import random
from types import SimpleNamespace

import pytest

from rulestone.server.room import Refused
from tests.test_server_leaks import check_that_unnoticed_moves_tell_nothing, room_of


def told(match, viewer):
    view = match.view(viewer)
    return view.raw, view.ply, view.moves, view.events


@pytest.mark.parametrize("viewer", [1, 2, None])
def test_Q5_a_rolling_players_decisions_change_nothing_for_the_others(regatta, viewer):
    lengths, endings = set(), set()
    for seed in range(60):
        match, chance = regatta.base_t(fish=2, slots=["Demeter", "Apollo"], wanted=(1,)), random.Random(seed)
        before, count = told(match, viewer), 0
        while 0 in match.deciders:
            assert told(match, viewer) == before
            match.play(chance.choice(match.legal(0)), rng=chance.getrandbits(64), player=0)
            count += 1
        lengths.add(count)
        endings.add(told(match, viewer)[0])
    assert len(lengths) > 3
    assert len(endings) == 1


def test_Q5_a_rolling_player_counts_every_decision_and_learns_only_what_is_new(regatta):
    match = regatta.base_t(fish=2, wanted=(1,))
    first = match.view(0).ply
    match.play("nav_reroll", player=0)
    assert [event.name for event in match.view(0).events] == ["pays_reroll", "nav"]
    assert match.view(0).ply == first + 1
    match.play("nav_reroll", player=0)
    assert next(event.name for event in match.view(0).events) == "pays_reroll"
    assert match.view(0).ply == first + 2
    assert [str(move) for move in match.view(0).moves][-2:] == ["nav_reroll", "nav_reroll"]


def test_Q5_when_all_are_ready_everybody_learns_the_same(regatta):
    match = regatta.base_t(fish=0, wanted=(2, 5), seat1_fish=0)
    for player in (0, 2, 1):
        match.play("hold", player=player)
    for viewer in (None, 0, 1, 2):
        view = match.view(viewer)
        assert [event.name for event in view.events][:6] == ["dice", "hold"] * 3
        assert view.ply == match.ply
        assert [str(move) for move in view.moves][-3:] == ["hold"] * 3


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_Q5_the_order_of_arrival_changes_nothing(regatta, order):
    """Each makes the same decisions; what their dice show is up to chance."""
    match = regatta.base_t(fish=2, slots=["Demeter"], wanted=(1,))
    chance = {player: random.Random(player) for player in order}
    for player in order:
        while player in match.deciders and match.together:
            match.play(chance[player].choice(match.legal(player)), player=player)
    first = regatta.base_t(fish=2, slots=["Demeter"], wanted=(1,))
    chance = {player: random.Random(player) for player in order}
    while first.together:
        player = sorted(first.deciders)[0]
        first.play(chance[player].choice(first.legal(player)), player=player)
    assert match.raw == first.raw


def test_Q5_nothing_leaves_the_server_while_another_player_decides_about_the_dice(regatta, monkeypatch):
    monkeypatch.setattr("rulestone.server.room.time", SimpleNamespace(time=lambda: 0.0, monotonic=lambda: 0.0))
    assert check_that_unnoticed_moves_tell_nothing(regatta.game, {}, 3, plies=60) > 20


def test_Q5_the_others_neither_notice_nor_can_undo_what_a_rolling_player_does(regatta):
    async def play():
        room, chance = room_of(regatta.game, 3, {}, 3), random.Random(2)
        looked, offered = 0, []
        while looked < 6:
            seat = room.match.to_move
            others = [other for other in range(3) if other != seat]
            before = [(room._undo_index(f"guest{other}"), room.at_for(other)) for other in others]
            secret = room.match.together
            await room.move(f"guest{seat}", room.at_for(seat), chance.choice(room.match.view(seat).legal_actions()), "")
            if secret and seat in room.match.deciders:
                looked += 1
                assert [(room._undo_index(f"guest{other}"), room.at_for(other)) for other in others] == before
                await room.weigh_undo(f"guest{seat}")
                offered.append(room.table_info(f"guest{seat}")["undo"])
                if not offered[-1]:  # they have seen dice
                    with pytest.raises(Refused):
                        await room.undo(f"guest{seat}")
                for other in (other for other in others if other not in room.match.deciders):
                    with pytest.raises(Refused):
                        await room.move(f"guest{other}", room.at_for(other), 0, "")
        room.close()
        assert set(offered) == {True, False}

    asyncio.run(play())
