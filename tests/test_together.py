"""Decisions at the same time: `deciders` and `resolve`, `match.legal(player)`, `match.play(move, player=…)`."""

import json
import random
from pathlib import Path

import numpy as np
import pytest

import rulestone
from rulestone import undo
from rulestone.testing import cases, check_game

ROOT = Path(__file__).parent.parent
RPS, LUCK = ROOT / "examples" / "games" / "rps", ROOT / "tests" / "toys" / "luck"


@pytest.fixture(scope="module")
def rps():
    return rulestone.load(RPS)


@pytest.fixture(scope="module")
def luck():
    return rulestone.load(LUCK)


def test_everybody_decides_at_the_same_time_in_any_order(rps):
    match = rps.new(seed=1)
    assert match.deciders == {0, 1}
    assert match.play("show Rock", player=1) == []
    assert (match.deciders, match.to_move) == ({0}, 0)
    events = match.play("show Paper", player=0)
    assert [match.say(event) for event in events] == ["Red shows paper. [R1]", "Blue shows rock. [R1]", "Red wins the round. [R2]"]
    assert match.deciders == {0, 1}
    assert match.movers == [1, 0]


def test_a_player_who_has_decided_cannot_decide_again(rps):
    match = rps.new(seed=1)
    match.play("show Rock", player=1)
    with pytest.raises(rulestone.IllegalMove, match="player 1 can't move now; players who can: 0"):
        match.play("show Rock", player=1)
    assert match.legal(1) == []
    assert len(match.legal(0)) == 3
    assert match.view(1).legal() == []
    assert match.view(1).why("show Rock") == "You're ready. Waiting for Red."


def test_a_view_has_moves_to_make_whenever_its_player_is_among_the_deciders(rps):
    match = rps.new(seed=1)
    for player in (0, 1):
        assert match.view(player).to_move == player
        assert match.view(player).legal() == match.legal(player)
    assert match.view(None).legal() == []
    assert match.view(None).deciders == {0, 1}


def test_nobody_learns_what_others_have_chosen_before_all_have(rps):
    seen = []
    for hand in ("Rock", "Paper", "Scissors"):
        match = rps.new(seed=1)
        match.play(("show", ("Rock", "Paper", "Scissors").index(hand)), player=0)
        seen.append([(match.view(viewer).raw, match.view(viewer).moves, match.view(viewer).ply) for viewer in (None, 1)])
    assert seen[0] == seen[1] == seen[2]
    assert seen[0][1][1:] == ([], 0)
    match.play("show Rock", player=1)
    assert [str(move) for move in match.view(1).moves] == ["show Scissors", "show Rock"]
    assert match.view(1).ply == match.view(None).ply == 2


def in_some_order(game, seed, players, options, order):
    """Return a match in which all decide by their own view alone, in some order, and the record at the end of each phase."""
    match = game.new(seed, players, options)
    chance = random.Random(f"{seed} {order}")
    own = [random.Random(f"{seed} {player}") for player in range(players)]
    ends = []
    while not match.over:
        player = chance.choice(sorted(match.deciders))
        match.play(own[player].choice(match.legal(player)), player=player)
        if not match.undisclosed(match.length - 1):
            ends.append(match.raw)
    return match, ends


@pytest.mark.parametrize(("folder", "players"), [(RPS, 2), (LUCK, 2), (LUCK, 3)])
def test_the_order_of_arrival_changes_nothing(folder, players):
    game = rulestone.load(folder)
    orders = set()
    for seed in range(60):
        first, ends = in_some_order(game, seed, players, None, "a")
        for order in range(5):
            match, again = in_some_order(game, seed, players, None, order)
            assert again == ends
            assert match.payoff == first.payoff
            orders.add(tuple(match.movers))
            assert rulestone.replay(json.loads(json.dumps(match.record())), game).raw == match.raw
    assert len(orders) > 6


def test_how_many_decisions_others_make_cannot_be_noticed(luck):
    for seed in range(40):
        match = luck.new(seed, 3)
        chance = random.Random(seed)
        looks = [match.view(viewer).raw for viewer in (None, 1, 2)]
        while 0 in match.deciders:
            match.play(chance.choice(match.legal(0)), player=0)
            now = [match.view(viewer) for viewer in (None, 1, 2)]
            assert [view.moves for view in now] == [[], [], []]
            if 0 in match.deciders:
                assert [view.raw for view in now] == looks
        assert {view.deciders for view in now} == {frozenset({1, 2})}


def test_dice_of_one_player_do_not_depend_on_when_others_decide(luck):
    alone, later = luck.new(5, 3), luck.new(5, 3)
    later.play("roll", player=2)
    later.play("stop", player=1)
    for match in (alone, later):
        match.play("roll", player=0)
    assert alone.view(0).events == later.view(0).events


def test_a_player_undoes_their_own_decision_and_others_keep_theirs(rps):
    match = rps.new(seed=1)
    match.play("show Rock", player=0)
    assert undo.refusal(match, 0, [0, 1]) is None
    twin = match.copy()
    assert str(twin.undo(0)) == "show Rock"
    assert twin.deciders == {0, 1}
    with pytest.raises(rulestone.IllegalMove, match="player 1 has no move to undo"):
        match.undo(1)


def test_undoing_a_decision_keeps_what_others_decided_since(luck):
    match = luck.new(3, 3)
    match.play("stop", player=0)
    match.play("roll", player=1, rng=77)
    match.play("roll", player=2)
    sums = match.state.sum.tolist()
    match.undo(0)
    assert match.state.sum.tolist() == sums
    assert match.deciders == {0, 1, 2}
    assert match.movers == [1, 2]
    match.play("stop", player=0)
    assert match.movers == [1, 2, 0]
    assert rulestone.replay(match.record(), luck).raw == match.raw


def test_a_die_that_was_seen_cannot_be_undone(luck):
    match = luck.new(3, 3)
    match.play("roll", player=1)
    assert undo.refusal(match, 0, [0, 1, 2]) == undo.REVEALED
    match.play("stop", player=1)
    assert undo.refusal(match, 1, [0, 1, 2]) is None


def test_the_pages_of_a_replay_are_what_a_viewer_noticed_at_the_time(rps):
    match = rps.new(seed=1)
    for player, hand in ((0, "Rock"), (1, "Paper"), (1, "Rock"), (0, "Rock")):
        match.play(f"show {hand}", player=player)
    assert match.pages(0) == [0, 1, 3, 4]
    assert match.pages(1) == [1, 2, 3, 4]
    assert match.pages(None) == [1, 3, 4]


def test_a_game_with_deciders_must_define_resolve(tmp_path):
    folder = tmp_path / "half"
    folder.mkdir()
    (folder / "rules.py").write_text((RPS / "rules.py").read_text().replace("def resolve(", "def solve("))
    with pytest.raises(rulestone.UnknownGame, match="defines deciders but not resolve"):
        rulestone.load(folder)


@pytest.mark.parametrize("folder", [RPS, LUCK], ids=lambda folder: folder.name)
def test_the_contract_covers_decisions_at_the_same_time(folder):
    game = rulestone.load(folder)
    for case in cases(game):
        check_game(game, case.players, case.options, matches=2, games=60, positions=400)


def test_environments_let_players_decide_in_the_order_of_their_seats_and_play_the_same_game(luck):
    from rulestone.envs.position import Position

    position, chance = Position(luck, 3), random.Random(4)
    position.begin(11)
    match = luck.new(11, 3)
    while position.to_move >= 0:
        assert position.to_move == min(match.deciders)
        action = int(chance.choice(position.legal()))
        position.step(action)
        match.play(action)
        assert position.array.tobytes() == match.raw
    assert position.match().raw == match.raw


def test_compiled_and_interpreted_matches_are_the_same(luck, tmp_path):
    slow, ends = in_some_order(luck, 9, 3, None, 1)
    luck.warm_up()
    fast, again = in_some_order(luck, 9, 3, None, 1)
    assert ends == again
    assert np.array_equal(slow.array, fast.array)
