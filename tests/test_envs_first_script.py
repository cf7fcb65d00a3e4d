"""What a first script expects of Gymnasium environments: masks, encodings, autoreset modes, seeds, copies, names in workers."""

import json

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from typer.testing import CliRunner

import rulestone
from rulestone.bots import decide, make
from rulestone.cli import app, console
from rulestone.engine.playouts import playouts
from rulestone.envs.encoding import Encoding
from rulestone.envs.gymnasium import SeatEnv, SeatVectorEnv
from rulestone.envs.observations import KINDS, Observations
from rulestone.envs.pettingzoo import env as agents
from rulestone.envs.pettingzoo import parallel_env
from rulestone.envs.position import Position
from rulestone.envs.table import environment_id, facts, markdown, random_lengths
from rulestone.envs.vector import VectorEnv
from rulestone.game import installed
from rulestone.kernel.record import Field, i8
from tests.conftest import ROOT
from tests.tables import every_table

FOUR = environment_id(rulestone.load("connect_four"))


@pytest.fixture(autouse=True)
def interpreted(monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")


# ---- one seat -------------------------------------------------------------------------------------------------------


def test_masks_for_sb3_and_for_gymnasium():
    env = gymnasium.make(FOUR, bots="random")
    _, info = env.reset(seed=1)
    for _ in range(3):
        mask = env.unwrapped.action_masks()
        assert (mask.dtype, info["action_mask"].dtype) == (np.bool_, np.int8)
        assert mask.tolist() == info["action_mask"].astype(bool).tolist()
        *_, info = env.step(env.action_space.sample(info["action_mask"]))
    env.unwrapped.step(99)
    assert not env.unwrapped.action_masks().any()


@pytest.mark.parametrize("relative", [False, True])
@pytest.mark.parametrize("kind", ["flat", "float", "onehot"])
@pytest.mark.parametrize("name", rulestone.games())
def test_every_encoding_passes_the_checker(name, kind, relative):
    env = SeatEnv(name, seat=1, observation=kind, relative=relative)
    check_env(env, skip_render_check=True)
    assert env.observation_space.dtype == (np.int32 if kind == "flat" else np.float32)


@pytest.mark.parametrize("name", ["random", "greedy"])
def test_quick_bots_pick_what_they_would_choose(name):
    game = rulestone.load("micro_medusa")
    position, bot = Position(game), make(name, game)
    position.begin(5)
    for seed in range(12):
        legal, view = position.legal().tolist(), position.match().view(position.to_move)
        picked = bot.pick(position.known(position.to_move), legal, seed)
        assert picked == game.actions.parse(decide(view, bot, seed).move)
        position.step(picked)


# ---- encodings ------------------------------------------------------------------------------------------------------


def four(seat, kind, relative):
    """Connect Four after three moves, as a seat sees it."""
    position = Position("connect_four")
    position.begin(1)
    for action in (3, 3, 0):
        position.step(action)
    seen = Observations(position.game, 2, {}, kind, relative)
    return seen, seen(position.flat(seat), seat)


def test_boxes_have_the_true_ranges():
    space = SeatEnv("connect_four").observation_space
    encoding = SeatEnv("connect_four").encoding
    bounds = {name: (space.low[place].min(), space.high[place].max()) for name, place in encoding.slices.items()}
    assert bounds == {"ply": (0, 42), "players": (1, 2), "to_move": (-1, 1), "grid": (-1, 1), "height": (0, 6), "line": (3, 5)}


def test_scaled_numbers():
    seen, vector = four(0, "float", relative=False)
    place = seen.encoding.slices
    assert vector[place["ply"]].tolist() == [np.float32(3 / 42)]
    assert vector[place["to_move"]].tolist() == [1.0]  # nobody, Red, Blue
    assert vector[place["grid"]][[0, 3, 10, 1]].tolist() == [0.5, 0.5, 1.0, 0.0]  # empty 0, Red ½, Blue 1
    assert vector[place["line"]].tolist() == [0.5]


def test_one_hot_numbers_have_names():
    seen, vector = four(0, "onehot", relative=False)
    hot = {name for name, value in zip(seen.names, vector, strict=True) if value}
    assert {"ply=3", "to_move=1", "grid[0]=0", "grid[3]=0", "grid[10]=1", "grid[1]=-1", "height[3]=2", "line=4"} <= hot
    assert len(hot) == 1 + 1 + 42 + 7 + 1
    assert not any(name.startswith("players") for name in seen.names)  # always 2


def test_relative_to_a_seat_ones_own_things_come_first():
    seen, vector = four(1, "flat", relative=True)
    place = seen.encoding.slices
    assert vector[place["grid"]][[0, 3, 10, 1]].tolist() == [1, 1, 0, -1]
    assert vector[place["to_move"]].tolist() == [0]
    _, same = four(0, "flat", relative=True)
    assert same.tolist() == four(0, "flat", relative=False)[1].tolist()


@pytest.mark.parametrize(
    ("name", "players", "viewer", "expected"),
    [("sarpedon", 4, 2, [12, 13, 10, 11]), ("artifact", 3, 1, [11, 12, 10, 13]), ("misdirection", 2, 1, [12, 13, 10, 11])],
)
def test_relative_rows_are_turned_around_the_table(name, players, viewer, expected, monkeypatch):
    """The viewer's own row comes first. Empty seats stay last, unless the players sit across from each other."""
    game, field = rulestone.load(name), "shards" if name == "sarpedon" else "pos"
    monkeypatch.setitem(game.layout.fields, field, Field(field, i8[4].each_seat))
    seen = Observations(game, players, {}, "flat", relative=True)
    place = seen.encoding.slices[field]
    flat = np.zeros(seen.encoding.size, np.int32)
    flat[place] = [10, 11, 12, 13]
    assert seen(flat, viewer)[place].tolist() == expected
    assert seen(np.tile(flat, (2, 1)), np.array([0, viewer]))[:, place].tolist() == [[10, 11, 12, 13], expected]


def test_a_number_outside_its_span_breaks_the_position(monkeypatch):
    """After the game's own check, which says more; here it is taken away."""
    match = rulestone.load("connect_four").new(seed=1)
    monkeypatch.delattr(match.game.rules, "check")
    match.check()
    match.state.height[2] = 7
    with pytest.raises(AssertionError, match=r"height is 7, not within 0\.\.6"):
        match.check()
    match.state.height[2] = 0
    match.state.grid[0, 0] = -2
    with pytest.raises(AssertionError, match=r"grid is -2, not within 0\.\.1 or -1"):
        match.check()


def assert_spans_hold(env, steps):
    """Play random moves: the truth and what everybody sees stay within what the game declares."""
    seen = Observations(env.game, env.players, env.options)
    for _ in range(steps):
        env.step(env.sample())
        assert env.layout.stray(env.states, env.game.max_players) is None
        for seat in range(env.players):
            records = env.layout.array(env.games)
            flat = env.look(seat, records)
            assert env.layout.stray(records, env.game.max_players) is None
            assert (flat >= seen.low).all()
            assert (flat <= seen.high).all()


@every_table
def test_declared_spans_hold(name, players):
    assert_spans_hold(VectorEnv(name, games=2, players=players, seed=3), 40)


@pytest.mark.slow
@every_table
def test_declared_spans_hold_in_many_games(name, players, monkeypatch):
    monkeypatch.delenv("RULESTONE_JIT")
    assert_spans_hold(VectorEnv(name, games=256, players=players, seed=4), 400)


def test_mistakes_in_encodings_are_refused():
    with pytest.raises(ValueError, match="no observation 'pixels'; possible: flat, float, onehot, dict"):
        SeatEnv("connect_four", observation="pixels")
    with pytest.raises(ValueError, match="relative observations are"):
        SeatEnv("connect_four", observation="dict", relative=True)


@pytest.mark.parametrize("kind", KINDS)
def test_pettingzoo_has_the_same_encodings(kind):
    game = agents("connect_four", observation=kind, relative=kind != "dict")
    game.reset(seed=1)
    game.step(3)
    assert game.observation_space("player_1").contains(game.observe("player_1"))
    if kind != "dict":
        expected = Observations(game.unwrapped.game, 2, {}, kind, relative=True)(game.unwrapped.position.flat(1), 1)
        assert game.observe("player_1")["observation"].tolist() == expected.tolist()
        batch = parallel_env("connect_four", games=3, observation=kind, relative=True)
        observations, infos = batch.reset(seed=1)
        assert batch.observation_space("player_1").contains(observations["player_1"])
        assert infos["player_0"]["action_mask"].dtype == np.int8


# ---- many games -----------------------------------------------------------------------------------------------------

settings = {"num_envs": 3, "seat": 1, "bots": "random"}


def first_legal(info):
    return info["action_mask"].argmax(axis=1)


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_the_mode_is_in_the_metadata(mode):
    for given in (mode, mode.value):
        env = gymnasium.make_vec(FOUR, **settings, autoreset_mode=given)
        assert env.metadata["autoreset_mode"] == mode


def test_a_game_can_restart_in_the_next_step():
    """The step after the last shows the new game; its action doesn't count, as in Gymnasium's own environments."""
    env = SeatVectorEnv("connect_four", **settings, autoreset_mode="NextStep")
    seen, info = env.reset(seed=3)
    ended, games = np.zeros(3, bool), 0
    while games < 6:
        before, mask = seen, info["action_mask"]
        seen, reward, terminated, truncated, info = env.step(first_legal(info))
        assert "final_obs" not in info
        assert not truncated.any()
        for place in range(3):
            if ended[place]:
                assert not terminated[place]
                assert reward[place] == 0
                assert seen[place][0] <= 1  # ply: a new game
                assert not mask[place].any()
            elif terminated[place]:
                assert seen[place][2] == -1  # nobody is to move
                assert seen[place][0] > before[place][0]
                games += 1
        ended = terminated


def test_next_step_plays_the_same_games_as_same_step():
    results = []
    for mode in ("SameStep", "NextStep"):
        env = SeatVectorEnv("connect_four", **settings, autoreset_mode=mode)
        _, info = env.reset(seed=3)
        ends = [[], [], []]
        while min(len(end) for end in ends) < 4:
            seen, reward, terminated, _, info = env.step(first_legal(info))
            for place in np.flatnonzero(terminated):
                last = info["final_obs"][place] if mode == "SameStep" else seen[place]
                ends[place].append((last.tolist(), float(reward[place])))
        results.append([end[:4] for end in ends])
    assert results[0] == results[1]


def test_without_autoreset_finished_games_wait_for_a_reset():
    env = SeatVectorEnv("connect_four", **settings, autoreset_mode="Disabled")
    _, info = env.reset(seed=3)
    terminated = np.zeros(3, bool)
    while not terminated.any():
        seen, _, terminated, _, info = env.step(first_legal(info))
    with pytest.raises(ValueError, match="has ended; reset it"):
        env.step(first_legal(info))
    again, info = env.reset(options={"reset_mask": terminated})
    assert (again[terminated][:, 0] <= 1).all()
    assert again[~terminated].tolist() == seen[~terminated].tolist()
    assert info["action_mask"].any(axis=1).all()
    env.step(first_legal(info))


def test_some_games_can_be_reset_alone():
    env = SeatVectorEnv("connect_four", **settings)
    _, info = env.reset(seed=3)
    for _ in range(2):
        seen, *_, info = env.step(first_legal(info))
    options = {"reset_mask": np.array([False, True, False])}
    again, _ = env.reset(options=options)
    assert again[[0, 2]].tolist() == seen[[0, 2]].tolist()
    assert again[1][0] <= 1
    assert list(options) == ["reset_mask"]
    for wrong, why in ((np.zeros(3, bool), "at least one"), (np.ones(2, bool), "shape"), ([True] * 3, "numpy array"), (np.ones(3), "bool")):
        with pytest.raises((TypeError, ValueError), match=why):
            env.reset(options={"reset_mask": wrong})


def test_every_game_can_have_a_seed_of_its_own():
    """A game with a seed of its own doesn't depend on its place or its neighbours, and neither do the games that follow it."""
    histories = {}
    for seeds in ([7, 8, 9], [9, 7, 5]):
        env = SeatVectorEnv("connect_four", **settings)
        seen, info = env.reset(seed=seeds)
        history = [[row.tolist()] for row in seen]
        for _ in range(30):
            seen, *_, info = env.step(first_legal(info))
            for place, row in enumerate(seen):
                history[place].append(row.tolist())
        for seed, rows in zip(seeds, history, strict=True):
            assert histories.setdefault(seed, rows) == rows
    assert histories[7] != histories[8]
    with pytest.raises(ValueError, match="3 seeds, one for each game, not 2"):
        env.reset(seed=[1, 2])


def test_a_seed_for_some_of_the_games():
    env = SeatVectorEnv("connect_four", **settings)
    start, info = env.reset(seed=[7, 8, 9])
    env.step(first_legal(info))
    again, _ = env.reset(seed=[None, 7, None], options={"reset_mask": np.array([False, True, False])})
    assert again[1].tolist() == start[0].tolist()


def test_observations_are_copies_unless_speed_is_wanted():
    env = SeatVectorEnv("connect_four", **settings)
    first, info = env.reset(seed=3)
    kept, mask = first.copy(), info["action_mask"].copy()
    env.step(first_legal(info))
    assert first.tolist() == kept.tolist()
    assert info["action_mask"].tolist() == mask.tolist()
    fast = SeatVectorEnv("connect_four", **settings, copy=False)
    first, info = fast.reset(seed=3)
    second, *_, later = fast.step(first_legal(info))
    assert second is first
    assert np.shares_memory(info["action_mask"], later["action_mask"])


@pytest.mark.parametrize("mode", ["SameStep", "NextStep"])
@pytest.mark.parametrize("kind", ["dict", "float", "onehot"])
def test_many_games_in_every_encoding(kind, mode):
    env = gymnasium.make_vec(FOUR, **settings, observation=kind, autoreset_mode=mode)
    flat = gymnasium.make_vec(FOUR, **settings, autoreset_mode=mode)
    (seen, info), (plain, _) = env.reset(seed=3), flat.reset(seed=3)
    for _ in range(20):
        assert env.observation_space.contains(seen)
        grid = plain[:, 3:45].reshape(3, 6, 7)
        if kind == "dict":
            assert seen["grid"].tolist() == grid.tolist()
        elif kind == "float":
            np.testing.assert_allclose(seen[:, 3:45], (plain[:, 3:45] + 1) / 2)
        actions = first_legal(info)
        seen, _, terminated, _, info = env.step(actions)
        plain, *_ = flat.step(actions)
        for place in np.flatnonzero(terminated) if mode == "SameStep" else ():
            assert env.single_observation_space.contains(info["final_obs"][place])


def test_many_games_are_drawn():
    env = gymnasium.make_vec(FOUR, **settings, render_mode="ansi")
    env.reset(seed=3)
    assert env.render_mode == "ansi"
    texts = env.render()
    assert len(texts) == 3
    assert all(len(text) > 20 for text in texts)
    picture = gymnasium.make_vec(FOUR, **settings, render_mode="rgb_array")
    picture.reset(seed=3)
    assert np.ptp(picture.render()[0]) > 100
    with pytest.raises(ValueError, match="choose a render_mode"):
        SeatVectorEnv("connect_four", **settings).render()


def test_a_batch_samples_actions_from_gymnasiums_spaces():
    env = SeatVectorEnv("connect_four", **settings)
    _, info = env.reset(seed=3)
    env.action_space.seed(1)
    for _ in range(10):
        *_, info = env.step(env.action_space.sample(tuple(info["action_mask"])))


# ---- names ----------------------------------------------------------------------------------------------------------


def test_versions_follow_the_rules():
    for name in rulestone.games():
        game = rulestone.load(name)
        assert environment_id(game) == f"rulestone/{name}-v{game.version}"
        assert environment_id(game) in gymnasium.registry
        assert agents(name).metadata["name"] == f"rulestone_{name}_v{game.version}"


def test_names_work_in_worker_processes():
    """A name with its module is registered wherever it is made: in workers that were not forked, too."""
    env = gymnasium.make_vec(
        f"rulestone.envs.gymnasium:{FOUR}", num_envs=2, vectorization_mode="async", vector_kwargs={"context": "spawn"}, bots="random"
    )
    observations, info = env.reset(seed=1)
    assert observations.shape == (2, 53)
    assert info["action_mask"].shape == (2, 7)
    env.close()


# ---- the table ------------------------------------------------------------------------------------------------------


def test_the_facts_of_an_environment():
    four, medusa, coin = (
        facts(rulestone.load(name), games=4) for name in ("connect_four", "micro_medusa", ROOT / "tests" / "toys" / "coin")
    )
    assert four.cells()[:6] == ("rulestone/connect_four-v1", "2", "53", "224", "100 %", "7")
    seen = Encoding.of(rulestone.load("micro_medusa"))
    bare = sum(place.stop - place.start for name, place in seen.slices.items() if name != "ply" and seen.span(name) is None)
    assert medusa.declared == pytest.approx(1 - bare / seen.size)
    assert bare > 0
    assert (four.hidden, four.cooperative, four.chance) == (False, False, False)
    assert (medusa.hidden, medusa.chance, medusa.actions) == (True, True, 883)
    assert coin.chance
    lengths = random_lengths(rulestone.load("connect_four"), 4)
    assert lengths.tolist() == playouts(rulestone.load("connect_four"), 4, seed=1).lengths.tolist()
    assert four.moves == lengths.mean()


def test_the_command_lists_environments():
    shown = CliRunner().invoke(app, ["envs", "connect_four", "--games", "4", "--json"])
    assert json.loads(shown.output)[0]["environment"] == "rulestone/connect_four-v1"
    assert "| `rulestone/connect_four-v1` | 2 | 53 |" in CliRunner().invoke(app, ["envs", "connect_four", "--markdown"]).output
    assert "rulestone/connect_four-v1" in CliRunner().invoke(app, ["envs", "connect_four"]).output


def test_the_list_of_environments_fits_a_narrow_terminal(monkeypatch):
    monkeypatch.setattr(console, "width", 80)
    shown = CliRunner().invoke(app, ["envs", "connect_four", "sarpedon", "--games", "4"]).output
    assert max(map(len, shown.splitlines())) <= 80
    assert shown.split()[:8] == ["environment", "players", "flat", "one-hot", "ranges", "actions", "moves", "with"]
    assert {"rulestone/sarpedon-v2", "hidden", "cooperative", "chance"} <= set(shown.split())


@pytest.mark.slow
def test_the_table_in_the_docs_is_up_to_date():
    """If this fails: paste what `rulestone envs --markdown` prints."""
    assert markdown(facts(game) for _, game in installed()) in (ROOT / "docs" / "researchers" / "environments.md").read_text()
