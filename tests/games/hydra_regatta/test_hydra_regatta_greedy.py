"""The greedy bot races sensibly, and everything in the box is used in play."""

from collections import Counter

import numpy as np
import pytest

from rulestone.engine.playouts import playouts
from rulestone.kernel.record import Scratch


def choice(regatta, match):
    """What the greedy bot does, on the view of the player to move."""
    game, player = regatta.game, match.to_move
    array = match.view(player)._array.copy()
    array["rng"] = 1
    moves = [game.actions.parse(move) for move in match.legal()]
    action = game.interpreted_names["greedy"](game.layout.reader(array), moves, len(moves), Scratch.of(game.layout, 3))
    return str(game.actions.decode(action))


@pytest.mark.parametrize(("first", "fish", "wanted"), [(2, 0, "roll2"), (3, 0, "roll2"), (5, 0, "hold"), (6, 0, "hold"), (5, 3, "roll2")])
def test_the_second_die_is_rolled_while_it_gains_movement(regatta, first, fish, wanted):
    match = regatta.base_r(fish=0, wanted=(2, first))
    match.state.fish[0] = fish
    assert choice(regatta, match) == wanted


def test_a_bust_is_rerolled_for_a_fish(regatta):
    match = regatta.base_r(fish=1, wanted=(2,))
    regatta.roll(match, "nav_keep", 2, 3)
    regatta.roll(match, "roll2", 2, 3, 1)
    assert choice(regatta, match) == "reroll2"


def test_a_route_past_a_hydra_without_fish_is_avoided(regatta):
    match = regatta.base_m("s1.A1", (1, 3, 0))  # behind seam a lies Hydra s2.A1
    move = choice(regatta, match)
    match.play(move)
    while match.state.round == 5 and match.to_move == 0:
        match.play(choice(regatta, match))
    assert "battles" not in [event.name for event in match.events]


def test_the_last_point_crosses_the_finish(regatta):
    match = regatta.base_m("s11.A2", (1, 1, 0), laps=[1, 1], slots=["Hephaestus"])
    while not match.over:
        match.play(choice(regatta, match))
    assert match.payoff == (1, -1)
    assert match.state.disc >> regatta.card("Hephaestus") & 1  # in the last turn nothing is saved up


def test_a_wedge_of_hydras_is_not_placed_in_front_of_the_bots_own_ship(regatta):
    match = regatta.base_m("s1.A2", (1, 0, 0), hand=["W13"])
    assert choice(regatta, match) not in ("wedge 0 2", "wedge 0 3")


@pytest.mark.parametrize("players", [2, 4])
def test_one_greedy_player_beats_random_players(regatta, players):
    results = playouts(regatta.game, 60, players=players, bots=["greedy", *["random"] * (players - 1)], seed=5, threads=1)
    assert (results.winners == 0).mean() > 0.9


def test_greedy_races_are_short_and_fair(regatta):
    results = playouts(regatta.game, 150, players=3, bots="greedy", seed=6, threads=1)
    assert results.lengths.mean() < 200
    shares = np.bincount(results.winners, minlength=3) / 150
    assert shares.min() > 0.2


def test_every_icon_and_every_favor_is_used_in_simulated_play(regatta):
    icons, used = Counter(), Counter()
    game, content = regatta.game, regatta.content
    game.warm_up()
    rng = np.random.default_rng(1)
    for seed in range(40):
        if set(icons) == set(content.ICONS) and set(used) == set(content.CARD_NAMES):
            break
        match = game.new(seed=seed, players=4)
        while not match.over:
            for event in match.play(int(rng.choice(match.legal_actions()))):
                if event.name == "sails":
                    wedge, dot = divmod(event.args[1], 16)
                    icons[content.COURSE[wedge].dots[dot].icon] += 1
                elif event.name in ("uses", "bolt"):
                    used[content.CARD_NAMES[event.args[1]]] += 1
                elif event.name == "curse":
                    used[content.CARD_NAMES[event.args[0]]] += 1
    assert set(icons) == set(content.ICONS)
    assert set(used) == set(content.CARD_NAMES)


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize(("returns", "whole"), [("winner", 2), ("rank", 0)])
def test_the_estimates_add_up_to_what_there_is_to_win(regatta, players, returns, whole):
    """All chances together are one win (winner +1, others -1), or nothing where places are paid evenly."""
    game = regatta.game
    match = game.new(3, players, {"returns": returns})
    estimate = game.interpreted_names["estimate"]
    totals = []
    while not match.over and match.ply < 250:
        reader = game.layout.reader(match._array)
        expected = [estimate(reader, player) / 1000 for player in range(players)]
        assert all(-1 <= value <= 1 for value in expected)
        if match.state.phase != regatta.rules.SETUP:
            totals.append(sum(expected) + (players if returns == "winner" else 0))
        match.play(choice(regatta, match))
    assert len(totals) > 50
    assert np.mean(totals) == pytest.approx(whole, abs=0.1)
