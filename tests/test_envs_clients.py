"""Other people's libraries as clients of our environments: SuperSuit, TorchRL and RLlib."""

import sys

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from rulestone.envs.gymnasium import SeatEnv
from rulestone.envs.pettingzoo import env as table
from rulestone.envs.pettingzoo import parallel_env
from tests.conftest import ROOT

sys.path.insert(0, str(ROOT / "examples"))


@pytest.fixture(autouse=True)
def interpreted(monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")


# ---- SuperSuit and Gymnasium's own vector environments --------------------------------------------------------------


def test_copies_in_supersuit_move():
    """`gym_vec_env_v0` copies the environment; before, the observations of copies stood still."""
    supersuit = pytest.importorskip("supersuit")
    many = supersuit.gym_vec_env_v0(SeatEnv("connect_four"), 2)
    first, _ = many.reset(seed=1)
    shown = [np.array(first), *(np.array(many.step(np.array([column, column + 1]))[0]) for column in range(3))]
    assert [seen[:, 0].tolist() for seen in shown] == [[0, 0], [2, 2], [4, 4], [6, 6]]
    assert not np.array_equal(shown[-1][0], shown[-1][1])


def test_batches_work_in_supersuit():
    supersuit = pytest.importorskip("supersuit")
    agents = supersuit.pettingzoo_env_to_vec_env_v1(parallel_env("connect_four", games=4, max_cycles=10))
    many = supersuit.concat_vec_envs_v1(agents, 2, num_cpus=1, base_class="gymnasium")
    observations, _ = many.reset(seed=1)
    assert observations.shape == (4, 4, 53)
    assert many.step(np.zeros((4, 4), np.int64))[0].shape == (4, 4, 53)


# ---- TorchRL --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("observation", ["flat", "float", "onehot"])
def test_torchrl_accepts_a_batch(observation):
    pytest.importorskip("torchrl")
    from torchrl.envs import TransformedEnv, check_env_specs
    from torchrl.envs.transforms import ActionMask

    from rulestone.envs.torchrl import SeatBatch

    env = TransformedEnv(SeatBatch("connect_four", 3, observation=observation), ActionMask())
    check_env_specs(env, seed=1)


def test_torchrl_restarts_finished_games_only():
    torch = pytest.importorskip("torch")
    pytest.importorskip("torchrl")
    from torchrl.envs import TransformedEnv
    from torchrl.envs.transforms import ActionMask

    from rulestone.envs.torchrl import SeatBatch

    env = TransformedEnv(SeatBatch("connect_four", 3), ActionMask())
    env.set_seed(1)
    payoffs = []

    def keep(env, data):
        batch = env.base_env.many.batch
        ended = [batch.match(place, ended=True) if over else None for place, over in enumerate(batch.done)]
        assert all(match is None or match.over for match in ended)
        payoffs.append([match.payoff[0] if match else 0.0 for match in ended])

    data = env.rollout(40, callback=keep, break_when_any_done=False)
    done, ply = data["next", "done"][..., 0], data["observation"][..., 0]
    assert done.any(dim=1).all()  # a game takes 21 moves of ours at most
    assert data["next", "reward"][:, :-1, 0].T.tolist() == payoffs  # the callback isn't called after the last step
    fresh = ply[:, 1:] <= 1
    assert torch.equal(fresh, done[:, :-1])
    assert data["action_mask"].gather(2, data["action"][..., None]).all()


def test_torchrl_takes_our_pettingzoo_and_openspiel_games():
    pytest.importorskip("torchrl")
    import pyspiel
    from torchrl.envs import check_env_specs
    from torchrl.envs.libs.openspiel import OpenSpielWrapper
    from torchrl.envs.libs.pettingzoo import PettingZooWrapper

    import rulestone.envs.openspiel  # noqa: F401

    check_env_specs(PettingZooWrapper(table("connect_four", observation="float"), use_mask=True))
    state = pyspiel.load_game("rulestone_connect_four").new_initial_state()
    assert len(OpenSpielWrapper(state).rollout(5)) == 5


@pytest.mark.slow
def test_the_torchrl_example_learns(monkeypatch, one_thread):
    pytest.importorskip("torchrl")
    import torchrl_ppo

    monkeypatch.delenv("RULESTONE_JIT")
    before, after = torchrl_ppo.train("connect_four", 24_000, games=192)
    assert after > before + 0.1


# ---- RLlib ----------------------------------------------------------------------------------------------------------


def test_the_mask_is_where_rllib_looks_for_it():
    from rulestone.envs.rllib import MaskedSeatEnv

    env = MaskedSeatEnv({"game": "connect_four", "observation": "float", "seat": 1})
    check_env(env, skip_render_check=True)
    seen, _ = env.reset(seed=1)
    for _ in range(3):
        assert np.array_equal(seen["action_mask"], env.unwrapped.action_masks())
        seen, _, over, _, _ = env.step(int(seen["action_mask"].argmax()))
    assert over == (not seen["action_mask"].any())


@pytest.mark.slow
def test_the_rllib_example_trains(one_thread):
    """Two short rounds: RLlib makes only legal moves, which an illegal one's payoff of -1 for everybody would show."""
    ray = pytest.importorskip("ray")
    pytest.importorskip("ray.rllib")
    import rllib_ppo

    try:
        payoffs = rllib_ppo.train("connect_four", 2, steps=256)
    finally:
        ray.shutdown()
    assert len(payoffs) == 2
    assert all(-1 < payoff < 1 for payoff in payoffs)
