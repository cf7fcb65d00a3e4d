"""The example learns: a few rounds here, minutes in docs/researchers/training.md."""

import sys

import pytest
import torch

from tests.conftest import ROOT

sys.path.insert(0, str(ROOT / "examples"))
import ppo


@pytest.fixture
def small():
    """One torch thread: the tests share the cores."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield ppo.Settings(game="connect_four", games=32, horizon=8, width=32)
    torch.set_num_threads(threads)


@pytest.mark.slow
def test_a_round_of_self_play(small):
    """The data fit together, only legal moves are made, and advantages reach the winner's moves with the right sign."""
    learner = ppo.Learner(small)
    for _ in range(4):
        data = learner.collect()
    assert {len(value) for value in data.values()} == {32 * 8}
    assert data["mask"][torch.arange(256), data["action"]].all()
    ended = data["reward"] != 0
    assert ended.any()
    assert (data["sign"][ended] == 0).all()
    assert torch.allclose(data["advantage"][ended], (data["reward"] - data["value"])[ended])
    assert set(data["sign"].unique().tolist()) == {-1.0, 0.0}  # Connect Four: never twice in a row
    assert learner.steps == 4 * 32 * 8


def test_learning_moves_the_policy_towards_what_won(small):
    """After some epochs on the same data, moves with an advantage are more likely and others less likely."""
    small.epochs, small.rate = 6, 0.01
    learner = ppo.Learner(small)
    for _ in range(4):
        data = learner.collect()
    learner.learn(data)
    with torch.no_grad():
        policy, _ = learner.network(data["seen"], data["mask"])
    change = policy.log_prob(data["action"]) - data["log"]
    good = data["advantage"] > data["advantage"].mean()
    assert change[good].mean() > change[~good].mean() + 0.01


@pytest.mark.slow
def test_training_reports(small, capsys):
    results = ppo.train(small, minutes=0, games=32)
    assert [steps for steps, *_ in results] == [0, 256]
    assert all(-1 <= payoff <= 1 for _, *payoffs in results for payoff in payoffs)
    assert "connect_four, mean payoff against random" in capsys.readouterr().out
