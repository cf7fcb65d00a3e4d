"""Playouts on a GPU: where there is one they are those of the cores, byte for byte; elsewhere the sentence that says so."""

import numpy as np
import pytest
from typer.testing import CliRunner

import rulestone
from rulestone.cli import app
from rulestone.engine.gpu import NoGpu, check
from rulestone.engine.playouts import playouts


def there_is_one() -> bool:
    try:
        check()
    except NoGpu:
        return False
    return True


needs_one = pytest.mark.skipif(not there_is_one(), reason="no GPU here")


@needs_one
@pytest.mark.parametrize("bots", ["random", "greedy"])
@pytest.mark.parametrize("name", rulestone.games.names())
def test_the_gpu_plays_the_same_games(name, bots):
    game = rulestone.load(name)
    if bots == "greedy" and game.greedy is None:
        pytest.skip("no greedy")
    for players in range(game.min_players, game.max_players + 1):
        here, there = (playouts(game, 500, players=players, bots=bots, seed=3, gpu=gpu) for gpu in (False, True))
        for part in ("payoffs", "lengths", "verbs"):
            np.testing.assert_array_equal(getattr(here, part), getattr(there, part))


@needs_one
def test_more_games_than_one_launch(connect_four, monkeypatch):
    monkeypatch.setattr("rulestone.engine.gpu.BLOCKS", 1)
    monkeypatch.setattr("rulestone.engine.gpu.PORTION", 1)
    done: list[int] = []
    here = playouts(connect_four, 100_001, seed=4)
    there = playouts(connect_four, 100_001, seed=4, gpu=True, progress=done.append)
    assert (here.payoffs == there.payoffs).all()
    assert sum(done) == 100_001
    assert len(done) > 1


@pytest.mark.skipif(there_is_one(), reason="there is a GPU here")
def test_without_a_gpu_one_sentence_says_so(connect_four):
    with pytest.raises(NoGpu, match="no NVIDIA GPU here"):
        playouts(connect_four, 10, gpu=True)
    run = CliRunner().invoke(app, ["playouts", "connect_four", "--games", "10", "--gpu"])
    assert isinstance(run.exception, NoGpu)


def test_threads_are_not_for_the_gpu(connect_four):
    with pytest.raises(ValueError, match="on the GPU leave it out"):
        playouts(connect_four, 10, threads=2, gpu=True)
