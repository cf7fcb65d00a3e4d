"""Gymnasium's own tests over our games, and one seat against bots."""

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import rulestone
from rulestone.envs.gymnasium import SeatEnv, SeatVectorEnv, seats
from rulestone.envs.table import environment_id
from rulestone.match import Match
from tests.tables import every_table


@pytest.mark.parametrize("observation", ["flat", "dict"])
@every_table
def test_the_checker_passes(name, players, observation):
    bots = "greedy" if rulestone.load(name).greedy else "random"
    env = gymnasium.make(environment_id(rulestone.load(name)), players=players, seat=players - 1, bots=bots, observation=observation)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped, skip_render_check=True)


def test_the_checker_passes_with_pictures():
    check_env(gymnasium.make("rulestone/connect_four-v1", render_mode="rgb_array").unwrapped)


def played(env, seed):
    """Play one game with random moves; return everything that was seen."""
    chooser = np.random.default_rng(seed)
    observation, info = env.reset(seed=seed)
    seen, over = [observation.tobytes()], False
    while not over:
        action = chooser.choice(np.flatnonzero(info["action_mask"]))
        observation, reward, over, truncated, info = env.step(action)
        assert not truncated
        seen.append((observation.tobytes(), reward))
    return seen


@pytest.mark.parametrize("bots", ["random", "greedy", "mcts:5"])
def test_a_game_against_bots_is_repeatable(bots):
    one, other = (played(SeatEnv("micro_medusa", seat=1, bots=bots), 3) for _ in range(2))
    assert one == other
    assert abs(one[-1][1]) == 1


def test_a_game_can_be_kept_as_a_record():
    env = SeatEnv("sarpedon", bots="greedy")
    played(env, 3)
    record = env.match().record()
    assert rulestone.replay(record).over
    assert record["seed"] == env.position.seed


def test_the_seat_sees_only_its_own_view():
    env = SeatEnv("micro_medusa", seat=1, bots="random")
    observation, _ = env.reset(seed=5)
    assert np.array_equal(observation, env.encoding.flat(env.match().view(1).array))


def test_an_illegal_action_ends_the_game():
    env = SeatEnv("micro_medusa", bots="random")
    _, info = env.reset(seed=1)
    _, reward, terminated, truncated, info = env.step(int(info["action_mask"].argmin()))
    assert (reward, terminated, truncated, info["illegal"]) == (-1.0, True, False, True)
    assert not info["action_mask"].any()
    with pytest.raises(ValueError, match="call reset"):
        env.step(int(env.position.legal()[0]))
    _, info = env.reset(seed=1)
    assert not env.step(int(info["action_mask"].argmax()))[2]


def test_no_action_before_the_first_game():
    with pytest.raises(ValueError, match="call reset"):
        SeatEnv("connect_four").step(0)


def test_options_are_given_by_name_or_together():
    for given in ({"line": 3}, {"options": {"line": 3}}):
        assert gymnasium.make("rulestone/connect_four-v1", **given).unwrapped.position.options == {"line": 3}
        assert gymnasium.make_vec("rulestone/connect_four-v1", num_envs=2, **given).unwrapped.batch.options == {"line": 3}
    with pytest.raises(ValueError, match="no option 'lime'; its options are: line"):
        gymnasium.make("rulestone/connect_four-v1", lime=3)


def test_a_finished_game_takes_no_action():
    env = SeatEnv("connect_four", bots="random")
    played(env, 1)
    with pytest.raises(ValueError, match="call reset"):
        env.step(0)


def test_bots_fill_the_other_seats():
    assert seats("random", 0, 3) == [None, "random", "random"]
    with pytest.raises(ValueError, match="no seat 4"):
        seats("random", 4, 4)
    with pytest.raises(ValueError, match="1 bots for 2 other seats"):
        SeatEnv("artifact", players=3, bots=["random"])
    with pytest.raises(ValueError, match="render_mode"):
        SeatEnv("connect_four", render_mode="vr")


def test_many_games_at_once():
    env = gymnasium.make_vec("rulestone/connect_four-v1", num_envs=64, seat=1, bots="random")
    assert isinstance(env.unwrapped, SeatVectorEnv)
    assert env.metadata["autoreset_mode"] == gymnasium.vector.AutoresetMode.SAME_STEP
    observations, info = env.reset(seed=3)
    chooser, rewards = np.random.default_rng(1), []
    for _ in range(40):
        assert env.observation_space.contains(observations)
        actions = np.array([chooser.choice(np.flatnonzero(row)) for row in info["action_mask"]])
        observations, reward, terminated, truncated, info = env.step(actions)
        assert reward.shape == terminated.shape == truncated.shape == (64,)
        assert not truncated.any()
        assert not reward[~terminated].any()
        rewards += reward[terminated].tolist()
    assert set(rewards) >= {-1.0, 1.0}
    env.close()


@pytest.mark.parametrize("name", ["connect_four", "micro_medusa"])
def test_the_infos_show_how_a_game_ended(name, monkeypatch):
    """As in Gymnasium's own vector environments, with what the seat can know about the last record."""
    monkeypatch.setenv("RULESTONE_JIT", "0")
    env = SeatVectorEnv(name, num_envs=4, seat=1)
    _, info = env.reset(seed=3)
    match, ended = Match(env.batch.game, 1, None, None), 0
    while ended < 6:
        _, reward, terminated, _, info = env.step(env.batch.sample())
        assert ("final_obs" in info) == ("final_info" in info) == terminated.any()
        for place in np.flatnonzero(terminated):
            match.array[:] = env.batch.final[place : place + 1]
            assert (match.over, match.payoff[1]) == (True, reward[place])
            assert match.ply == info["final_info"]["length"][place]
            assert info["final_obs"][place].tolist() == env.batch.encoding.flat(match.view(1).array).tolist()
            assert not info["final_info"]["action_mask"][place].any()
            ended += 1
        if terminated.any():
            assert info["_final_obs"].tolist() == info["_final_info"].tolist() == terminated.tolist()
            assert [row is not None for row in info["final_obs"]] == terminated.tolist()


def test_the_final_infos_have_gymnasiums_own_format(monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    own = gymnasium.vector.AutoresetMode.SAME_STEP
    theirs = gymnasium.vector.SyncVectorEnv([lambda: SeatEnv("connect_four")] * 2, autoreset_mode=own)
    forms = []
    for env in (theirs, SeatVectorEnv("connect_four", num_envs=2)):
        (_, info), ended = env.reset(seed=3), False
        while not ended:
            _, _, terminated, _, info = env.step(info["action_mask"].argmax(axis=1))
            ended = terminated.any()
        end = info["final_info"]
        arrays = [info["final_obs"], info["_final_obs"], info["_final_info"], end["_action_mask"], end["action_mask"].astype(bool)]
        forms.append([(array.shape, array.dtype) for array in arrays])
        assert env.single_observation_space.contains(info["final_obs"][info["_final_obs"].argmax()])
    assert forms[0] == forms[1]


def test_gymnasiums_vector_wrappers_work():
    env = gymnasium.wrappers.vector.RecordEpisodeStatistics(SeatVectorEnv("connect_four", num_envs=16))
    _, info = env.reset(seed=3)
    ended = 0
    for _ in range(30):
        _, _, terminated, _, info = env.step(info["action_mask"].argmax(axis=1))
        ended += int(terminated.sum())
    assert ended > 0
    assert env.episode_count == ended
