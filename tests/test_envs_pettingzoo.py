"""PettingZoo's own tests over our games, and what its environments must not reveal."""

import contextlib
import sys
import warnings
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from pettingzoo.test import api_test, max_cycles_test, parallel_api_test, parallel_seed_test, render_test, seed_test
from pettingzoo.test.save_obs_test import test_save_obs as save_obs

import rulestone
from rulestone.envs.pettingzoo import env, parallel_env, raw_env
from rulestone.match import IllegalMove
from rulestone.nets.encoding import Encoding
from rulestone.table.draw import plain_stylesheet
from rulestone.table.look import SEATS, TOKENS
from tests.tables import every_table

# PettingZoo warns about every dictionary observation, except in its own board games (by name).
pytestmark = pytest.mark.filterwarnings("ignore:Observation")


@pytest.fixture
def interpreted(monkeypatch):
    """Batches in plain Python: compiling one for every game would take minutes. Compiled ones are compared in test_envs_vector."""
    monkeypatch.setenv("RULESTONE_JIT", "0")


@pytest.mark.parametrize("observation", ["flat", "dict"])
@every_table
def test_api(name, players, observation, capsys):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(env(name, players=players, observation=observation), num_cycles=30)
    assert {str(warning.message) for warning in caught if not str(warning.message).startswith("Observation")} == set()


@every_table
def test_seeds(name, players):
    seed_test(partial(env, name, players=players), num_cycles=30)


@pytest.mark.slow
@every_table
def test_rendering(name, players, capsys):
    render_test(partial(env, name, players=players), {"ansi": lambda text: len(text) > 20, "rgb_array": lambda rows: np.ptp(rows) > 100})
    assert len(capsys.readouterr().out) > 100


@every_table
def test_saving_observations(name, players, capsys):
    save_obs(env(name, players=players))
    assert "did not save" in capsys.readouterr().out


@every_table
def test_max_cycles(name, players, interpreted):
    makers = {"env": partial(env, name, players=players), "parallel_env": partial(parallel_env, name, games=2, players=players)}
    max_cycles_test(SimpleNamespace(**makers))


@every_table
def test_parallel_api(name, players, interpreted, capsys):
    parallel_api_test(parallel_env(name, games=2, players=players), num_cycles=10)
    parallel_seed_test(partial(parallel_env, name, games=2, players=players), num_cycles=5)


def play(game, seed, moves):
    """Play random moves derived from the seed; return the actions."""
    chooser, actions = np.random.default_rng(seed), []
    game.reset(seed=seed)
    for _ in range(moves):
        observation, _, over, _, _ = game.last()
        if over:
            break
        actions.append(int(chooser.choice(np.flatnonzero(observation["action_mask"]))))
        game.step(actions[-1])
    return actions


@every_table
def test_a_game_is_the_match_of_its_seed(name, players):
    game = env(name, players=players)
    match = rulestone.load(name).new(seed=4, players=players)
    for action in play(game, 4, 25):
        match.play(action)
    assert game.unwrapped.position.array.tobytes() == match.raw
    assert game.unwrapped.match().record() == match.record()


@pytest.mark.parametrize("kind", ["flat", "dict"])
@every_table
def test_no_agent_observes_more_than_its_view(name, players, kind):
    """Every agent's observation comes from the record as the match itself conceals it for that agent."""
    game = raw_env(name, players, observation=kind)
    play(game, 5, 12)
    encoding = Encoding.of(game.game)
    for seat, agent in enumerate(game.possible_agents):
        view = game.match().view(seat).array
        expected = encoding.flat(view) if kind == "flat" else encoding.named(view)
        observed = game.observe(agent)["observation"]
        np.testing.assert_equal(observed, expected)


def test_only_the_agent_to_move_has_a_mask():
    game = raw_env("micro_medusa")
    play(game, 5, 6)
    mover = game.agent_selection
    for agent in game.agents:
        mask = game.observe(agent)["action_mask"]
        assert np.array_equal(mask, game.infos[agent]["action_mask"])
        assert mask.any() == (agent == mover)


def test_payoffs_are_the_rewards_of_the_last_move():
    game = env("connect_four")
    game.reset(seed=1)
    for action in (0, 1, 0, 1, 0, 1, 0):
        game.step(action)
    rewards = {}
    for agent in game.agent_iter():
        _, reward, terminated, truncated, _ = game.last()
        assert (terminated, truncated) == (True, False)
        rewards[agent] = reward
        game.step(None)
    assert rewards == {"player_0": 1.0, "player_1": -1.0}


def test_an_illegal_move_is_refused_or_loses():
    bare = raw_env("connect_four", line=3)
    bare.reset(seed=1)
    with pytest.raises(IllegalMove, match="action 9 is not possible for player_0"):
        bare.step(9)
    game = env("connect_four")
    game.reset(seed=1)
    for _ in range(6):
        game.step(2)
    with contextlib.suppress(Warning):
        game.step(2)
    assert game.terminations == {"player_0": True, "player_1": True}
    assert game.rewards == {"player_0": -1.0, "player_1": 0}


def test_resets_without_a_seed_follow_from_the_last_one():
    one, other = (raw_env("sarpedon") for _ in range(2))
    for game in (one, other):
        game.reset(seed=3)
        game.reset()
    assert one.position.seed == other.position.seed
    other.reset()
    assert one.position.seed != other.position.seed


def test_a_batch_pays_rewards_and_restarts():
    game = parallel_env("connect_four", games=8)
    _, infos = game.reset(seed=2)
    for agent in game.agents:
        game.action_space(agent).seed(1)
    paid = np.zeros(2)
    for _ in range(60):
        actions = {agent: game.action_space(agent).sample() for agent in game.agents}
        observations, rewards, terminated, truncated, infos = game.step(actions)
        assert not any(terminated.values())
        assert not any(truncated.values())
        paid += [abs(rewards[agent]) for agent in game.agents]
    assert (infos["player_0"]["turn"] ^ infos["player_1"]["turn"]).all()
    assert paid.min() > 0
    assert observations["player_0"].shape == (8, Encoding.of(game.game).size)


def test_illegal_actions_in_a_batch_count_for_the_agent_who_made_them():
    game = parallel_env("connect_four", games=4)
    game.reset(seed=2)
    for _ in range(6):
        *_, infos = game.step({agent: np.full(4, 2) for agent in game.agents})
    assert [infos[agent]["illegal"] for agent in game.agents] == [0, 0]
    *_, infos = game.step({"player_0": np.array([2, 2, 0, 0]), "player_1": np.zeros(4, int)})
    assert [infos[agent]["illegal"] for agent in game.agents] == [2, 0]
    *_, infos = game.step({"player_0": np.zeros(4, int), "player_1": np.array([0, 0, 0, 2])})
    assert [infos[agent]["illegal"] for agent in game.agents] == [0, 1]


def test_mistakes_are_refused_with_a_reason():
    with pytest.raises(ValueError, match="no observation 'pixels'"):
        env("connect_four", observation="pixels")
    with pytest.raises(ValueError, match="render_mode 'vr'"):
        env("connect_four", render_mode="vr")
    with pytest.raises(ValueError, match="has no option 'width'"):
        env("connect_four", width=9)
    game = env("connect_four")
    game.reset()
    with pytest.raises(ValueError, match="choose a render_mode"):
        game.render()


def test_pictures_have_the_colours_of_the_style_sheet():
    """Every custom property is written out, and the pixels are those of the style sheet."""
    assert "var(" not in plain_stylesheet()
    game = env("connect_four", render_mode="rgb_array")
    game.reset(seed=1)
    game.step(3)
    picture = game.render()
    seen = {tuple(pixel) for pixel in picture.reshape(-1, 3).tolist()}
    red, board = SEATS[0][1], TOKENS["board"][0]
    assert {tuple(bytes.fromhex(colour[1:])) for colour in (red, board)} <= seen
    assert picture.shape[1] == 600


def test_a_missing_library_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    game = env("connect_four", render_mode="rgb_array")
    game.reset(seed=1)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'rulestone\[envs\]'"):
        game.render()
