"""The `greedy` bot: what it does in a few positions, and the figures of its games."""

import numpy as np
import pytest

from rulestone.engine.playouts import playouts


def test_greedy_rolls_when_it_points_at_the_centre(misdirection):
    at = misdirection.at(up={(4, 4): "A-SE"}, tokens={0: (4, 4)}, light=[0])
    assert misdirection.greedy(at) == "roll"


@pytest.mark.parametrize(("code", "move"), [("A-NE", "rot_cw 64"), ("A-SW", "rot_ccw 64"), ("O-SW", "rot_cw 64")])
def test_greedy_aims_its_own_tile_before_rolling(misdirection, code, move):
    at = misdirection.at(up={(4, 4): code}, tokens={0: (4, 4)}, light=[0])
    assert misdirection.greedy(at) == move


def test_greedy_aims_its_own_tile_after_moving(misdirection):
    at = misdirection.at(down={(4, 4): "A-NE"})
    at.roll(4)
    assert misdirection.greedy(at) == "rot_cw 64"


def test_greedy_passes_when_rotating_gains_nothing(misdirection):
    at = misdirection.at(down={(4, 4): "A-SE"})
    at.roll(4)
    assert misdirection.greedy(at) == "pass"


def test_greedy_turns_a_threat_away_after_moving_either_way(misdirection):
    at = misdirection.at(up={(10, 10): "A-NW"}, tokens={2: (10, 10)}, down={(4, 4): "A-SE"})
    at.roll(4)
    assert {misdirection.greedy(at, rng) for rng in range(12)} == {"rot_cw 160", "rot_ccw 160"}


def test_greedy_prefers_a_new_good_shot_to_blocking(misdirection):
    at = misdirection.at(up={(10, 10): "A-NW"}, tokens={2: (10, 10)}, down={(4, 4): "A-NE"})
    at.roll(4)
    assert misdirection.greedy(at) == "rot_cw 64"


def test_greedy_turns_the_first_threat_in_turn_order_after_moving(misdirection):
    up = {(10, 10): "A-NW", (10, 4): "A-NE", (4, 10): "A-SW"}
    at = misdirection.at(seat=1, up=up, tokens={2: (10, 10), 3: (10, 4), 1: (4, 10), 0: (0, 0)}, down={(5, 9): "A-SW"})
    at.roll(1)
    assert misdirection.greedy(at).endswith(" 160")


def test_greedy_turns_the_threat_of_the_lowest_seat_before_rolling(misdirection):
    at = misdirection.at(
        seat=3, up={(10, 10): "A-NW", (4, 4): "A-SE", (13, 2): "A-N"}, tokens={0: (4, 4), 2: (10, 10), 3: (13, 2)}, light=[3]
    )
    assert misdirection.greedy(at) in ("rot_cw 64", "rot_ccw 64")


def test_greedy_rolls_if_the_threat_may_not_be_rotated(misdirection):
    at = misdirection.at(seat=3, rotate_occupied="own", up={(4, 4): "A-SE", (13, 2): "A-N"}, tokens={0: (4, 4), 3: (13, 2)}, light=[3])
    assert misdirection.greedy(at) == "roll"


def test_greedy_teleports_to_a_shot(misdirection):
    at = misdirection.at(up={(1, 13): "T1-N", (4, 4): "T0-SE", (9, 9): "T0-E"}, tokens={0: (1, 13)})
    assert misdirection.greedy(at) == "teleport 64"


def test_Q35_greedy_plays_without_covered_arrows(misdirection, game):
    results = playouts(game, 200, options={"covered_view": "blank"}, bots="greedy", seed=3)
    assert (results.winners >= 0).sum() > 150


def test_greedy_games_have_the_length_and_the_even_seats_of_the_sheet(game):
    """The sheet: 62.7 turns, 107.5 decisions, .250 .247 .247 .254, 1.1 teleports, 30.3 rotations; four standard errors of 4,000 games."""
    games = 4000
    results = playouts(game, games, bots="greedy", seed=1)
    verbs = {verb: number / games for verb, number in results.verb_counts.items()}
    assert abs(verbs["roll"] + verbs["teleport"] - 62.7) < 4.1
    assert abs(results.decisions / games - 107.5) < 7
    assert abs(verbs["rot_cw"] + verbs["rot_ccw"] - 30.3) < 2.2
    assert abs(verbs["teleport"] - 1.1) < 0.25
    wins = np.bincount(results.winners + 1, minlength=5)[1:] / games
    assert np.abs(wins - 0.25).max() < 0.028
    assert (results.winners < 0).mean() < 0.006


@pytest.mark.parametrize(("players", "turns"), [(3, 61.5), (2, 57.7)])
def test_Q40_greedy_games_of_fewer_players_have_the_length_of_the_sheet(game, players, turns):
    games = 4000
    results = playouts(game, games, players=players, bots="greedy", seed=1)
    assert abs((results.verb_counts["roll"] + results.verb_counts["teleport"]) / games - turns) < 6
    assert (results.winners < 0).mean() < 0.006


def test_greedy_beats_random(game):
    results = playouts(game, 300, bots=["greedy", "random", "random", "random"], seed=2)
    assert (results.winners == 0).mean() > 0.7
