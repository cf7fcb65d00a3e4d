"""Playouts on a GPU: if there is one, they are the same as on the CPU, byte for byte; if not, an error says so."""

import numpy as np
import pytest
from typer.testing import CliRunner

import rulestone
from rulestone.cli import app
from rulestone.engine.gpu import NoGpu, check
from rulestone.engine.playouts import playouts
from rulestone.lab.plan import make_plan
from rulestone.lab.run import empty, run
from rulestone.lab.study import study


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
    monkeypatch.setattr("rulestone.engine.gpu.WAVES", 1)
    monkeypatch.setattr("rulestone.engine.gpu.PORTION", 1)
    done: list[int] = []
    here = playouts(connect_four, 100_001, seed=4)
    there = playouts(connect_four, 100_001, seed=4, gpu=True, progress=done.append)
    assert (here.payoffs == there.payoffs).all()
    assert sum(done) == 100_001
    assert len(done) > 1


@needs_one
@pytest.mark.parametrize("bots", ["random", "greedy"])
@pytest.mark.parametrize("name", rulestone.games.names())
def test_the_lab_gets_the_same_counts_on_the_gpu(name, bots):
    if bots == "greedy" and rulestone.load(name).greedy is None:
        pytest.skip("no greedy")
    plan = make_plan(name, games=2_000, bots=bots, seed=5)
    counted = []
    for gpu in (False, True):
        results, rows = empty(plan), {}
        run(plan, results, workers=2, gpu=gpu, keep=lambda answer, rows=rows: rows.update({answer[0]: answer[3]}))
        counted.append((results.cells[0], rows))
    (here, own), (there, other) = counted
    for part in here:
        np.testing.assert_array_equal(here[part], there[part], part)
    for block in own:
        np.testing.assert_array_equal(own[block], other[block])


@needs_one
def test_a_comparison_gives_the_same_result_on_the_gpu():
    wanted = {"games": 2_000, "bots": "greedy", "vary": {"freeze": "two_turns,until_saved"}, "luck": 3, "estimates": 1}
    here, there = (study("sarpedon", gpu=gpu, **wanted) for gpu in (False, True))
    assert here == there


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (["--bots", "mcts:5"], "other bots need the CPU"),
        (["--ray", "local"], "use either --gpu or --ray"),
    ],
)
def test_the_lab_refuses_what_a_gpu_cannot_do_before_it_starts(more, why):
    run = CliRunner().invoke(app, ["lab", "connect_four", "--gpu", *more])
    assert run.exit_code
    assert why in str(run.exception)


@pytest.mark.skipif(there_is_one(), reason="there is a GPU here")
def test_a_missing_gpu_is_reported_in_one_sentence(connect_four):
    with pytest.raises(NoGpu, match="no NVIDIA GPU was found"):
        playouts(connect_four, 10, gpu=True)
    run = CliRunner().invoke(app, ["playouts", "connect_four", "--games", "10", "--gpu"])
    assert isinstance(run.exception, NoGpu)
    run = CliRunner().invoke(app, ["lab", "connect_four", "--games", "10", "--gpu"])
    assert isinstance(run.exception, NoGpu)


def test_threads_cannot_be_combined_with_the_gpu(connect_four):
    with pytest.raises(ValueError, match="threads can't be combined with gpu"):
        playouts(connect_four, 10, threads=2, gpu=True)
