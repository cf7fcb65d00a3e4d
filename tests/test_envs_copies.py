"""A copy of an environment, by `copy.deepcopy` or `pickle`, goes its own way and plays the same games as the original."""

import copy
import pickle

import numpy as np
import pytest

from rulestone.envs.gymnasium import SeatEnv, SeatVectorEnv
from rulestone.envs.pettingzoo import env, parallel_env
from rulestone.envs.position import Position
from rulestone.envs.vector import VectorEnv

both_ways = pytest.mark.parametrize("copied", [copy.deepcopy, lambda made: pickle.loads(pickle.dumps(made))], ids=["deepcopy", "pickle"])
both_modes = pytest.mark.parametrize("mode", ["interpreted", pytest.param("compiled", marks=pytest.mark.slow)])


@pytest.fixture(autouse=True)
def rules_run(request, monkeypatch):
    """Interpreted, unless a test asks for compiled rules."""
    if request.node.callspec.params.get("mode", "interpreted") == "interpreted":
        monkeypatch.setenv("RULESTONE_JIT", "0")


def alike(one, other):
    """Assert that two observations, infos or arrays are equal, whatever they consist of."""
    np.testing.assert_equal(unpacked(one), unpacked(other))


def unpacked(value):
    """The same with lists instead of arrays of objects, which NumPy can't compare."""
    if isinstance(value, dict):
        return {name: unpacked(item) for name, item in value.items()}
    if isinstance(value, tuple | list) or (isinstance(value, np.ndarray) and value.dtype == object):
        return [unpacked(item) for item in value]
    return value


def last_legal(mask):
    """The highest legal action of one mask or of every row."""
    mask = np.asarray(mask)
    return mask.shape[-1] - 1 - mask[..., ::-1].argmax(axis=-1)


@both_modes
@both_ways
def test_a_copied_position(mode, copied):
    one = Position("connect_four")
    one.begin(3)
    for action in (3, 3, 2):
        one.step(action)
    other, before = copied(one), one.flat(0)
    alike(other.flat(0), before)
    other.step(4)
    alike(one.flat(0), before)
    assert not np.array_equal(other.flat(0), before)
    one.step(4)
    alike(other.flat(1), one.flat(1))
    assert other.array.tobytes() == one.array.tobytes()
    assert other.match().record() == one.match().record()
    assert other.legal().tolist() == one.legal().tolist()


@pytest.mark.parametrize("observation", ["flat", "dict"])
@pytest.mark.parametrize(("name", "bots"), [("connect_four", "random"), ("micro_medusa", "greedy"), ("connect_four", "mcts:5")])
@both_ways
def test_a_copied_seat(copied, name, bots, observation):
    one = SeatEnv(name, seat=1, bots=bots, observation=observation)
    _, info = one.reset(seed=3)
    _, _, over, _, info = one.step(int(last_legal(info["action_mask"])))
    assert not over
    other, seen = copied(one), info
    action = int(last_legal(seen["action_mask"]))
    apart = other.step(action)
    alike(apart, one.step(action))
    for _ in range(12):
        if apart[2]:
            (observed, info), again = other.reset(), one.reset()
            alike((observed, info), again)
        else:
            info = apart[4]
        action = int(last_legal(info["action_mask"]))
        before = one.position.array.tobytes()
        apart = other.step(action)
        assert one.position.array.tobytes() == before
        alike(apart, one.step(action))
        assert one.match().record() == other.match().record()


@pytest.mark.parametrize("observation", ["flat", "dict"])
@pytest.mark.parametrize("name", ["connect_four", "micro_medusa"])
@both_ways
def test_copied_agents(copied, name, observation):
    one = env(name, observation=observation)
    one.reset(seed=4)
    one.step(int(last_legal(one.last()[0]["action_mask"])))
    other = copied(one)
    for _ in range(60):
        if not one.agents:
            one.reset()
            other.reset()
        alike(other.last(), one.last())
        assert (other.agents, other.agent_selection) == (one.agents, one.agent_selection)
        alike([other.rewards, other.terminations, other.infos], [one.rewards, one.terminations, one.infos])
        over = one.terminations[one.agent_selection]
        action = None if over else int(last_legal(one.last()[0]["action_mask"]))
        still = one.last()[0]
        other.step(action)
        alike(one.last()[0], still)
        one.step(action)
    assert one.unwrapped.match().record() == other.unwrapped.match().record()


SHOWN = ("observations", "records", "mask", "to_move", "rewards", "done", "length", "numbers", "states", "final")
"""The arrays of a batch."""


@both_modes
@pytest.mark.parametrize(("name", "bots"), [("connect_four", None), ("micro_medusa", ("greedy", None))])
@both_ways
def test_a_copied_batch(mode, copied, name, bots):
    one = VectorEnv(name, games=3, seed=5, bots=bots)
    for _ in range(4):
        one.step(one.sample())
    other = copied(one)
    for _ in range(25):
        before = [getattr(one, name).tobytes() for name in SHOWN]
        actions = other.sample()
        other.step(actions)
        assert [getattr(one, name).tobytes() for name in SHOWN] == before
        alike(one.sample(), actions)
        one.step(actions)
        for name in SHOWN:
            assert getattr(other, name).tobytes() == getattr(one, name).tobytes(), name
        alike(other.look(1), one.look(1))
        alike(other.look_back(0), one.look_back(0))
    one.reset()
    other.reset()
    alike(other.observations, one.observations)


@pytest.mark.slow
@both_ways
def test_a_copied_batch_has_threads_of_its_own(copied, monkeypatch):
    monkeypatch.delenv("RULESTONE_JIT")
    one = VectorEnv("connect_four", games=8, seed=5, threads=2)
    other = copied(one)
    one.close()
    other.step(other.sample())
    assert other.observations.any()
    other.close()


@both_ways
def test_a_copied_vector_environment(copied):
    one = SeatVectorEnv("connect_four", num_envs=3, bots="random")
    _, info = one.reset(seed=3)
    other = copied(one)
    for _ in range(20):
        actions = last_legal(info["action_mask"])
        apart = other.step(actions)
        together = one.step(actions)
        alike(apart, together)
        info = apart[4]
    alike(other.reset(), one.reset())


@both_ways
def test_a_copied_parallel_environment(copied):
    one = parallel_env("connect_four", games=3)
    one.reset(seed=3)
    other = copied(one)
    for turn in range(20):
        actions = {agent: np.array([turn, turn + 1, turn + 2]) % 7 for agent in one.agents}
        alike(other.step(actions), one.step(actions))


@pytest.mark.parametrize("mode", ["interpreted"])
def test_supersuit_makes_several_of_one(mode):
    supersuit = pytest.importorskip("supersuit")
    many = supersuit.gym_vec_env_v0(SeatEnv("connect_four", bots="random"), 2)
    first, _ = many.reset(seed=1)
    second, *_ = many.step(np.array([0, 6]))
    assert not np.array_equal(second[0], first[0])
    assert not np.array_equal(second[0], second[1])
