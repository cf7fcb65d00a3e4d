"""The greedy bot finishes games and plays sensibly."""

import numpy as np
import pytest

from rulestone.engine.playouts import playouts
from rulestone.kernel.record import Scratch


@pytest.fixture
def greedy(game):
    """What the greedy bot would play for the player to move, seeing only what that player may know."""

    def greedy(match, rng=1):
        array = match.view(match.to_move)._array.copy()
        array["rng"] = rng
        moves = [game.actions.parse(move) for move in match.legal()]
        bot = game.interpreted_names["greedy"]
        return str(game.actions.decode(bot(game.layout.reader(array), moves, len(moves), Scratch.of(game.layout, 3))))

    return greedy


def test_R29_greedy_walks_home_to_win(lay, greedy):
    match = lay(pieces={1: (0, 2)}, art=(0, 2), holder=1, hands={1: "Ho*2, Rotate, Swap"})
    match.play(greedy(match))
    match.play(greedy(match))
    assert match.over
    assert match.state.winner == 0


def test_R13_greedy_takes_the_artifact_within_reach(lay, greedy):
    match = lay(hands={1: "Jump, Diag, Rotate, Drop Block, Dynamite"})
    assert greedy(match) == "jump SE"


def test_Q43_greedy_steals_on_its_own_base(lay, greedy):
    match = lay(pieces={1: (4, 4), 2: (2, 0)}, art=(4, 4), holder=1, mover=2, limit=4, hands={2: "Ho, Swap, Rotate"})
    assert greedy(match) == "swap P1"


def test_R7_greedy_takes_a_swap_from_the_discard_pile(lay, greedy):
    match = lay("2-crossing", phase="draw", hands={1: "Ho*3, Vert*3", 2: "Vert*6"}, discard="Rotate, Swap")
    assert [greedy(match, rng) for rng in range(20)].count("draw_discard") > 12


def test_R10_greedy_discards_what_it_has_too_much_of(lay, greedy):
    match = lay(phase="discard", played="Rotate", hands={1: "Ho*2, Dynamite*2, Swap", 2: "Vert*6"}, discard="Rotate")
    assert greedy(match) == "discard Dynamite"
    match.play("discard Dynamite")
    assert greedy(match) == "end_turn"


def test_Q39_greedy_discards_down_to_the_hand_cap(lay, greedy):
    match = lay(hand_cap=6, phase="discard", hands={1: "Ho*2, Vert*2, Jump, Diag, Rotate", 2: "Vert*6"}, discard="Rotate")
    assert greedy(match).startswith("discard")


@pytest.mark.slow
@pytest.mark.parametrize(("players", "decisions"), [(2, 116), (3, 112), (4, 204)])
def test_Q46_greedy_games_end_without_the_cap_in_about_the_length_of_the_sheets_bots(game, players, decisions):
    results = playouts(game, 120, players=players, bots="greedy", seed=11)
    assert (results.winners >= 0).all()
    assert results.lengths.max() < 4000
    assert decisions / 1.6 < results.lengths.mean() < decisions * 1.6


@pytest.mark.parametrize("players", [2, 3, 4])
def test_Q1_greedy_beats_random_players(game, players):
    results = playouts(game, 200, players=players, bots=["greedy", *["random"] * (players - 1)], seed=5)
    assert (results.winners == 0).mean() > 0.95


@pytest.mark.soak
def test_Q46_the_fair_maps_give_every_seat_about_its_share(game):
    results = playouts(game, 600, players=4, bots="greedy", seed=3)
    shares = np.bincount(results.winners, minlength=4) / len(results)
    assert (abs(shares - 0.25) < 0.08).all()


def test_Q45_greedy_plays_the_same_game_interpreted_and_compiled(game, monkeypatch):
    asked = {"players": 3, "options": {"max_rounds": 2}, "bots": "greedy", "seed": 9, "threads": 1}
    compiled = playouts(game, 2, **asked)
    monkeypatch.setenv("RULESTONE_JIT", "0")
    interpreted = playouts(game, 2, **asked)
    assert compiled.verb_counts == interpreted.verb_counts
    assert compiled.lengths.tolist() == interpreted.lengths.tolist()
    assert compiled.payoffs.tolist() == interpreted.payoffs.tolist()
