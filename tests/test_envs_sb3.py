"""Stable-Baselines3's clients of our environments. Skipped where it isn't installed (the extra `sb3`)."""

import sys

import numpy as np
import pytest

from tests.conftest import ROOT

sb3_contrib = pytest.importorskip("sb3_contrib")

from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported  # noqa: E402
from stable_baselines3.common.env_checker import check_env  # noqa: E402
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor  # noqa: E402

from rulestone.envs.gymnasium import SeatEnv  # noqa: E402
from rulestone.envs.sb3 import SeatVecEnv  # noqa: E402

sys.path.insert(0, str(ROOT / "examples"))
import maskable_ppo  # noqa: E402


@pytest.fixture(autouse=True)
def interpreted(monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")


@pytest.mark.parametrize("observation", ["flat", "float", "onehot"])
def test_sb3_accepts_one_seat(observation):
    check_env(SeatEnv("connect_four", observation=observation), skip_render_check=True)


def test_masks_reach_sb3():
    one, many = DummyVecEnv([lambda: SeatEnv("connect_four")]), SeatVecEnv("connect_four", 3)
    for env in (one, many):
        env.seed(1)
        env.reset()
        assert is_masking_supported(env)
        assert get_action_masks(env).all()
    assert not is_masking_supported(DummyVecEnv([lambda: __import__("gymnasium").make("CartPole-v1")]))
    with pytest.raises(AttributeError, match="no method 'jump'"):
        many.env_method("jump")


def test_a_batch_plays_as_sb3_expects():
    env = VecMonitor(SeatVecEnv("connect_four", 3, observation="float"))
    env.seed(1)
    first = env.reset()
    env.seed(1)
    assert np.array_equal(env.reset(), first)
    ended = 0
    while ended < 5:
        observations, rewards, done, infos = env.step(get_action_masks(env).argmax(axis=1))
        assert rewards.dtype == np.float32
        for place in np.flatnonzero(done):
            assert env.observation_space.contains(infos[place]["terminal_observation"])
            assert infos[place]["episode"]["r"] == rewards[place]
            assert observations[place][0] <= 1 / 42  # a new game
            ended += 1


@pytest.mark.slow
def test_the_example_learns(monkeypatch):
    monkeypatch.delenv("RULESTONE_JIT")
    before, after = maskable_ppo.train("connect_four", 20_000)
    assert after > before + 0.1
