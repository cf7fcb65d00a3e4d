"""Stable-Baselines3's clients of our environments."""

import sys

import numpy as np
import pytest

from tests.conftest import ROOT

sb3_contrib = pytest.importorskip("sb3_contrib")

from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported  # noqa: E402
from stable_baselines3.common.env_checker import check_env  # noqa: E402
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor  # noqa: E402

import rulestone  # noqa: E402
from rulestone.bots import choose, make  # noqa: E402
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
def test_the_example_learns(monkeypatch, tmp_path, one_thread):
    monkeypatch.delenv("RULESTONE_JIT")
    model, curve = maskable_ppo.train("connect_four", 40_000)  # with 20,000, some seeds gain 0.2 only
    (_, before), (steps, after) = curve
    assert steps >= 40_000
    assert after > before + 0.1
    model.save(tmp_path / "connect_four-1.zip")
    game = rulestone.load("connect_four")
    bot = make(f"rulestone.envs.sb3:Trained:{tmp_path}/connect_four-1.zip", game)
    env = SeatEnv("connect_four", observation="onehot", relative=True)
    seen, _ = env.reset(seed=1)
    view = env.match().view(0)
    drawn = [game.actions.parse(choose(view, bot, seed)) for seed in range(300)]
    assert drawn[:20] == [game.actions.parse(choose(view, bot, seed)) for seed in range(20)]
    chances = model.policy.get_distribution(model.policy.obs_to_tensor(seen)[0]).distribution.probs[0]
    assert len(set(drawn)) > 1
    for move, chance in enumerate(chances.tolist()):  # as often as the policy says, whatever it has learnt
        assert abs(drawn.count(move) / 300 - chance) < 5 * (chance * (1 - chance) / 300) ** 0.5 + 1 / 300
    with pytest.raises(ValueError, match="wants observations of shape"):
        choose(
            rulestone.load("micro_medusa").new(seed=1).view(0),
            type(bot)(rulestone.load("micro_medusa"), f"{tmp_path}/connect_four-1.zip"),
            1,
        )


def test_a_missing_model_is_refused():
    with pytest.raises(ValueError, match=r"can't read a model from 'nowhere\.zip'"):
        make("rulestone.envs.sb3:Trained:nowhere.zip", rulestone.load("connect_four"))


def test_games_are_shared_out_among_all_seats():
    env = SeatVecEnv("misdirection", 6, seat=None, players=3, observation="float", relative=True)
    env.seed(1)
    env.reset()
    assert [part.seat for part in env.parts] == [0, 1, 2]
    alone = SeatVecEnv("misdirection", 2, seat=1, players=3, observation="float", relative=True)
    alone.seed(3)  # the third game of a batch has the third seed
    alone.reset()
    for _ in range(10):
        actions = env.action_masks().argmax(axis=1)
        observations, rewards, done, infos = env.step(actions)
        assert len(observations) == len(rewards) == len(done) == len(infos) == 6
        assert np.array_equal(alone.step(actions[2:4])[0], observations[2:4])
    with pytest.raises(ValueError, match="2 games can't be shared out among 3 seats"):
        SeatVecEnv("misdirection", 2, seat=None, players=3)
