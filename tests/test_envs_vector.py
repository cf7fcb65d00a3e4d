"""Many games in one call: the same games as anywhere else, in arrays that are never copied."""

import numpy as np
import pytest
import torch

import rulestone
from rulestone.engine.playouts import playouts
from rulestone.envs.vector import VectorEnv
from rulestone.kernel.chance import stream
from rulestone.match import Match
from rulestone.nets.encoding import Encoding
from tests.tables import every_table

COMPILED = ["connect_four", "sarpedon"]
"""Games whose batches are compiled in every test run; the others are compiled in slow tests and interpreted here."""


def some_steps(name, steps, **settings):
    """What a batch shows after each step of random play."""
    env = VectorEnv(name, **settings)
    shown = []
    for _ in range(steps):
        env.step(env.sample())
        shown.append([array.copy() for array in (env.observations, env.mask, env.to_move, env.rewards, env.done, env.length)])
    return shown, env


@every_table
def test_observations_are_the_hidden_records_of_the_player_to_move(name, players, monkeypatch):
    """The true record, hidden by the match for whoever is to move, is what the arrays show."""
    monkeypatch.setenv("RULESTONE_JIT", "0")
    env = VectorEnv(name, games=3, players=players, seed=2)
    for _ in range(12):
        env.step(env.sample())
    encoding = Encoding.of(env.game)
    match = Match(env.game, 1, players, None)
    for game in range(3):
        for field in env.layout.fields:
            match.array[field] = env.states[field][game]
        view = match.view(int(env.to_move[game]))
        for field in env.layout.fields:
            assert view.array[field].tobytes() == env.records[field][game : game + 1].tobytes()
        assert np.array_equal(env.observations[game], encoding.flat(view.array))
        assert np.flatnonzero(env.mask[game]).tolist() == view.legal_actions()
        for field, where in encoding.slices.items():
            if env.records[field].dtype.itemsize < 4:
                assert env.observations[game][where].tolist() == env.records[field][game].ravel().tolist()


@pytest.mark.parametrize("name", [*COMPILED, *(pytest.param(n, marks=pytest.mark.slow) for n in rulestone.games() if n not in COMPILED)])
def test_compiled_and_interpreted_batches_are_the_same(name, monkeypatch):
    settings = {"games": 5, "seed": 7, "bots": None}
    compiled, _ = some_steps(name, 60, **settings)
    monkeypatch.setenv("RULESTONE_JIT", "0")
    interpreted, env = some_steps(name, 60, **settings)
    assert not env._compiled
    for one, other in zip(compiled, interpreted, strict=True):
        for left, right in zip(one, other, strict=True):
            assert np.array_equal(left, right)


def test_threads_change_nothing():
    one, _ = some_steps("connect_four", 80, games=33, seed=3)
    other, env = some_steps("connect_four", 80, games=33, seed=3, threads=4)
    env.close()
    assert all(np.array_equal(left, right) for a, b in zip(one, other, strict=True) for left, right in zip(a, b, strict=True))


def test_games_are_numbered_and_do_not_depend_on_their_neighbours():
    """Game k of a seed uses stream k, wherever it is played and whatever runs beside it."""
    env = VectorEnv("sarpedon", games=4, seed=9)
    starts = {}
    for _ in range(400):
        for place in np.flatnonzero(env.records["ply"] == 0):
            starts[int(env.numbers[place])] = env.states[place].tobytes()
        env.step(env.sample())
    assert sorted(starts)[:12] == list(range(12))
    alone = VectorEnv("sarpedon", games=1, seed=9)
    again = {}
    while len(again) < 6:
        if alone.records["ply"][0] == 0:
            again[int(alone.numbers[0])] = alone.states[0].tobytes()
        alone.step(alone.sample())
    assert all(starts[number] == start for number, start in again.items())
    game = rulestone.load("sarpedon")
    record, _ = game.prepared(None, None)
    record["rng"] = stream(9, 5)
    game.warm_up()
    game.run("begin", record, None)
    assert game.bared(record).tobytes() == starts[5]


def test_random_bots_play_as_playouts_do():
    """Random bots in all seats but one, and random moves in that one: the results are like those of whole random games."""
    env = VectorEnv("connect_four", games=512, seed=5, bots=(None, "random"))
    rewards, lengths = [], []
    while len(rewards) < 4000:
        assert (env.to_move == 0).all()
        env.step(env.sample())
        rewards += env.rewards[env.done, 0].tolist()
        lengths += env.length[env.done].tolist()
    games = playouts(rulestone.load("connect_four"), 20_000, seed=1)
    assert abs(np.mean(rewards) - games.payoffs[:, 0].mean()) < 0.06
    assert abs(np.mean(lengths) - games.lengths.mean()) < 0.6


def test_greedy_bots_move_inside_the_call():
    env = VectorEnv("sarpedon", games=64, seed=5, bots=("greedy", None, "greedy", "random"))
    for _ in range(60):
        assert (env.to_move == 1).all()
        env.step(env.sample())
    assert env.length.any()


@pytest.mark.parametrize("bots", [(None, "greedy"), (None, "random")])
def test_an_interpreted_batch_with_all_kinds_of_bots(bots, monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    env = VectorEnv("micro_medusa", games=2, seed=5, bots=bots)
    for _ in range(25):
        env.step(env.sample())
    assert env.length.any()
    assert (env.to_move == 0).all()


def test_torch_shares_the_memory():
    env = VectorEnv("connect_four", games=16, seed=1)
    observations, mask, grid = (torch.from_numpy(array) for array in (env.observations, env.mask, env.records["grid"]))
    rewards = torch.from_numpy(env.rewards)
    assert observations.data_ptr() == env.observations.ctypes.data
    assert grid.data_ptr() == env.records["grid"].ctypes.data
    before = observations.clone()
    for _ in range(30):
        env.step(torch.from_numpy(env.sample()).numpy())
        assert torch.equal(grid.flatten(1).int(), observations[:, env.encoding.slices["grid"]])
        assert np.array_equal(mask.numpy(), env.mask)
    assert not torch.equal(before, observations)
    assert rewards.shape == (16, 2)


def test_arrays_are_written_in_place():
    env = VectorEnv("connect_four", games=16, seed=1)
    arrays = [env.observations, env.mask, env.records, env.to_move, env.rewards, env.done]
    places = [array.ctypes.data for array in arrays]
    env.step(env.sample())
    env.reset(4)
    now = [env.observations, env.mask, env.records, env.to_move, env.rewards, env.done]
    assert [array.ctypes.data for array in now] == places


def test_an_illegal_action_changes_nothing():
    env = VectorEnv("connect_four", games=4, seed=1)
    for _ in range(6):
        env.step(np.full(4, 2))
    before = [env.states.tobytes(), env.observations.tobytes(), env.mask.tobytes()]
    for wrong, where in (([0, 1, 2, 3], 2), ([0, -1, 0, 0], 1), ([0, 0, 0, 7], 3)):
        with pytest.raises(ValueError, match=f"is not possible in game {where}; possible there: \\[0, 1, 3, 4, 5, 6\\]"):
            env.step(wrong)
    for wrong in ([0, 0], [0.0, 1.0, 0.0, 0.0]):
        with pytest.raises(ValueError, match="4 integers, one for each game"):
            env.step(wrong)
    assert before == [env.states.tobytes(), env.observations.tobytes(), env.mask.tobytes()]


def test_each_player_sees_only_their_own_view(whisper, monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    env = VectorEnv(whisper, games=4, seed=1)
    seats = [env.look(seat) for seat in range(env.players)]
    assert not np.array_equal(seats[0], seats[1])
    mover = env.to_move.tolist()
    assert all(np.array_equal(seats[seat][game], env.observations[game]) for game, seat in enumerate(mover))


def test_a_seat_can_look_back_at_finished_games(monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    env = VectorEnv("connect_four", games=8, seed=1)
    assert env.look_back(0).shape == (0, env.encoding.size)
    while not env.done.any():
        env.step(env.sample())
    seen = env.look_back(1)
    assert seen[:, env.encoding.slices["grid"]].tolist() == env.final["grid"][env.done].reshape(len(seen), -1).tolist()
    assert env.final["ply"][env.done].tolist() == env.length[env.done].tolist()
    assert env.final["payoff"][env.done].tolist() == env.rewards[env.done].tolist()
    with pytest.raises(ValueError, match="no seat 2"):
        env.look_back(2)


def test_a_seed_gives_the_same_games_and_no_seed_gives_others():
    one, other = (some_steps("connect_four", 30, games=8, seed=6)[0] for _ in range(2))
    assert all(np.array_equal(a, b) for x, y in zip(one, other, strict=True) for a, b in zip(x, y, strict=True))
    assert VectorEnv("connect_four", games=2).seed != VectorEnv("connect_four", games=2).seed


def test_a_reset_without_a_seed_follows_from_the_last_one():
    env = VectorEnv("connect_four", games=2, seed=np.int64(5))
    seeds = []
    for _ in range(2):
        env.reset(np.int64(5))
        env.reset()
        seeds.append(env.seed)
        env.reset()
        seeds.append(env.seed)
    assert seeds[:2] == seeds[2:]
    assert len({5, *seeds}) == 3


def test_a_view_becomes_the_vector_that_the_environment_shows():
    env = VectorEnv("connect_four", games=1, seed=3)
    env.step([4])
    match = rulestone.load("connect_four").new(seed=3)
    match.play(4)
    assert env.encoding.flat(match.view(1)).tolist() == env.observations[0].tolist()
    assert env.encoding.named(match.view(1))["grid"].tolist() == match.state.grid.tolist()


def test_mistakes_are_refused_with_a_reason():
    for settings, why in (
        ({"games": 0}, "at least 1"),
        ({"bots": ("random", "random")}, "None where the caller moves"),
        ({"bots": (None,)}, "one for each of 2 seats"),
        ({"bots": (None, "mcts:5")}, "no compiled bot 'mcts:5'"),
        ({"bots": (None, "greedy")}, "has no greedy bot"),
    ):
        with pytest.raises(ValueError, match=why):
            VectorEnv("connect_four", **settings)
    with pytest.raises(ValueError, match="no seat 2"):
        VectorEnv("connect_four", games=2).look(2)
