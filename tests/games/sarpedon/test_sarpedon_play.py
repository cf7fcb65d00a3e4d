"""Sarpedon played by the thousand: random play, the greedy bot, and the bounds of section 8."""

import numpy as np
import pytest

from rulestone.engine.playouts import playouts
from rulestone.kernel.chance import rand
from rulestone.kernel.record import Scratch
from rulestone.kernel.rule import rule
from tests.games.sarpedon.sarpedon_positions import PROTECT, at, game, play, told, words


@rule
def longest_story(states, start, count, moves):
    """The largest number of events in one move of random games."""
    s = states[0]
    most = 0
    for number in range(count):
        states[0] = start[0]
        s.rng = number * 7919
        begin(s)  # noqa: F821
        while s.to_move >= 0:
            n = legal(s, moves)  # noqa: F821
            step(s, moves[rand(s, n)])  # noqa: F821
            most = max(most, s.told)
    return most


def choice_of_greedy(match):
    """What the greedy bot does here (interpreted)."""
    hidden = match.view(match.to_move)._array.copy()
    legal = [game().actions.parse(move) for move in match.legal()]
    bot = game().interpreted(game().greedy)
    action = bot(game().layout.reader(hidden), legal, len(legal), Scratch.of(game().layout, 3))
    return str(game().actions.decode(action))


def test_R46_random_play_always_loses_because_somebody_is_cut_off():
    results = playouts(game(), 2000, seed=1)
    assert (results.payoffs == -1).all()
    assert 19 < results.lengths.mean() < 22  # 37.4 in the sheet, when a Magic Trap was still hope (Q36)


def test_Q38_no_game_takes_more_than_164_decisions():
    results = playouts(game(), 500, seed=2, options={"loss": "cap"})
    assert results.lengths.max() <= game().about.longest == 164
    assert game().rules.longest_for(4, {"max_rounds": 100}) == 404


def test_R49_the_greedy_bot_wins_about_59_percent():
    results = playouts(game(), 10_000, bots="greedy", seed=1)
    won = (results.payoffs[:, 0] > 0).mean()
    assert 0.57 < won < 0.61
    assert np.isin(results.payoffs, (-1, 1)).all()


@pytest.mark.parametrize(
    ("options", "low", "high"),
    [
        ({"freeze": "until_saved"}, 0.38, 0.52),
        ({"save_restores_mystery": 1}, 0.60, 0.71),
        ({"swap_centre": 1}, 0.53, 0.62),
        ({"loss": "cap"}, 0.54, 0.61),
    ],
)
def test_Q5_Q13_Q26_Q36_the_greedy_bot_under_options(options, low, high):
    results = playouts(game(), 3000, bots="greedy", seed=4, options=options)
    assert low < (results.payoffs[:, 0] > 0).mean() < high


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"swap_centre": 1},
        {"save_restores_mystery": 1},
        {"centre_permanent": 0, "swap_centre": 1},
        {"freeze": "until_saved", "swap_freeze": "tile"},
    ],
)
def test_Q36_the_same_games_are_won_with_and_without_the_test(options):
    """The test only saves time: it never ends a game that would have been won."""
    certain = playouts(game(), 3000, bots="greedy", seed=6, options=options)
    cap = playouts(game(), 3000, bots="greedy", seed=6, options={**options, "loss": "cap"})
    assert (certain.payoffs == cap.payoffs).all()
    assert certain.decisions < cap.decisions


@pytest.mark.parametrize("options", [{}, {"freeze": "until_saved"}, {"loss": "cap", "max_rounds": 200}])
def test_Q9_Q45_a_story_always_has_room_for_the_ending(options):
    """However many turns run automatically, the story says why the game ended."""
    start, _ = game().prepared(None, options)
    if game().mode == "interpreted":
        pytest.skip("needs many games")
    most = game().compiled(longest_story)(game().layout.array(2), start, 2000, np.zeros(153, np.int16))
    assert 5 < most <= game().about.story


def test_R28_the_greedy_bot_breaks_the_stone_when_it_is_in_the_way():
    match = at(pos=(8, 13, 13, 13), stone={0: [4]}, face_up={0: [2, 3]}, taken={0: [7]}, shards=(1, 0, 0, 0))
    assert choice_of_greedy(match) == "save_tile 0 4"


def test_R39_the_greedy_bot_fetches_a_shard_known_by_elimination():
    match = at(pos=(3, 13, 13, 13), face_up={0: [2, 3]})
    assert choice_of_greedy(match) == "move 7"


def test_R45_the_greedy_bot_goes_in_when_nothing_is_left_to_find():
    match = at(pos=(3, 13, 13, 13), face_up={0: [2, 3]}, taken={0: [7]}, shards=(1, 0, 0, 0))
    assert choice_of_greedy(match) == "move 4"


def test_R25_the_greedy_bot_protects_a_Tile_4_before_it_goes_in_once_a_Save_Tile_is_spent():
    ready = {"pos": (3, 13, 13, 13), "face_up": {0: [2, 3]}, "taken": {0: [7]}, "shards": (1, 0, 0, 0)}
    assert choice_of_greedy(at(**ready, has=(7, 7, 5, 7))) == "protect 2 4"  # for the friend who couldn't break the stone
    assert choice_of_greedy(at(**ready, has=(7, 7, 5, 7), drawn={2: [4]})) == "protect 0 4"
    assert choice_of_greedy(at(**ready, has=(6, 7, 5, 7))) == "move 4"
    assert choice_of_greedy(at(**ready, has=(7, 7, 7, 7))) == "move 4"


def test_R19_the_greedy_bot_rescues_the_frozen_friend_who_needs_the_turn_more():
    hit = {"stone": {1: [10]}, "frozen": (0, 1, 0, 0)}
    done = {"face_up": {0: [2, 3]}, "taken": {0: [7]}, "shards": (1, 0, 0, 0)}
    assert choice_of_greedy(at(pos=(3, 10, 13, 13), **hit, **done)) == "save_player 1"
    assert choice_of_greedy(at(pos=(13, 10, 13, 13), **hit)).startswith("move")  # both still search: a turn for a turn
    assert choice_of_greedy(at(pos=(13, 10, 13, 13), **hit, drawn={1: [16, 15, 14]})) == "save_player 1"  # their tiles go sooner
    assert choice_of_greedy(at(pos=(13, 10, 13, 13), **hit, options={"freeze": "until_saved"})) == "save_player 1"


def test_R43_the_greedy_bot_keeps_its_last_card_in_the_centre_until_a_friend_is_blocked():
    free = at(pos=(4, 8, 13, 13))
    assert choice_of_greedy(free) == "pass"
    blocked = at(pos=(4, 8, 13, 13), stone={1: [4]}, face_up={1: [2, 3]}, taken={1: [7]})
    assert choice_of_greedy(blocked) == "save_tile 1 4"


def test_R34_the_greedy_bot_gives_a_blocked_place_to_a_save_tile():
    match = at(pos=(1, 13, 13, 13), stone={2: [9, 14]}, has=(7, 7, 5, 7))
    assert choice_of_greedy(play(match, "move 2")) == "swap 2"


def test_R25_the_greedy_bot_protects_what_a_friend_needs_when_nothing_better_is_left():
    match = at(pos=(4, 8, 4, 4), has=(1, 7, 7, 7))
    assert choice_of_greedy(match) == "protect 1 4"
    assert "protects" in told(play(match, "protect 1 4"))
    assert "protect 1 4" not in words(at(cover={1: {4: PROTECT}}))
