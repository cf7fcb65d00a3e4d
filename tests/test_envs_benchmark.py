"""The benchmark: its deals are held out and settled, every seat counts alike, and what it prints is what was played."""

import json

import pytest
from tools import baselines
from typer.testing import CliRunner

import rulestone
from rulestone.bots import UnknownBot, choose, make
from rulestone.bots.ladder import Played, Table
from rulestone.cli import app, console
from rulestone.envs import benchmark
from rulestone.envs.benchmark import HELD_OUT, Task, tasks
from rulestone.envs.gymnasium import SeatEnv
from rulestone.envs.policy import Policy
from rulestone.game import installed
from tests.untrained import made

GAMES = dict(installed())


@pytest.fixture(autouse=True)
def interpreted(monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")


@pytest.fixture
def connect_four():
    return rulestone.load("connect_four")


class First(Policy):
    """Always makes the first legal move."""

    def act(self, observation, mask, seed):
        return int(mask.argmax())


class Watching(First):
    """Remembers which budgets and views it was given."""

    seen: list = []

    def choose(self, view, legal, seed, budget=None, stop=None):
        self.seen.append((view.viewer, view.is_view, budget))
        return super().choose(view, legal, seed)


FIRST, WATCHING = (f"{__name__}:{one.__name__}" for one in (First, Watching))


# ---- the protocol ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_tasks_of_all_kinds_that_can_be_played(name):
    game = GAMES[name]
    found = tasks(game)
    assert {task.others for task in found if task.kind == "usual"} >= {"random", "mcts:200"}
    players = {task.players for task in found if task.kind == "players"}
    assert players == set(range(game.min_players, game.max_players + 1)) - {game.about.usual_players}
    options = [task.options for task in found if task.kind == "options"]
    assert 1 <= len(options) <= 3
    assert all(len(changed) == 1 for changed in options)
    for task in found:
        match = game.new(task.deal(1, 0), task.players, task.options)
        assert match.players == task.players
        usual = game.new(1, task.players).options
        assert {key for key in usual if match.options[key] != usual[key]} == set(task.options)


def test_a_cooperative_game_starts_with_a_team_of_the_agent():
    game = next(game for game in GAMES.values() if game.cooperative)
    first = tasks(game)[0]
    assert first.others is None
    assert {table.seats for table in first.tables(1, 3)} == {(0,) * first.players}


def test_deals_are_held_out_different_and_settled():
    one, other = (Task("connect_four", "usual", 2, {}, others) for others in ("random", "mcts:200"))
    deals = [task.deal(seed, number) for task in (one, other) for seed in (1, 2) for number in range(50)]
    assert len(set(deals)) == len(deals)
    assert all(HELD_OUT <= deal < 2 * HELD_OUT for deal in deals)
    assert one.deal(1, 0) == 5456035583982482742  # protocol 1


def test_the_agent_has_every_seat_once_with_every_deal():
    tables = list(Task("x", "usual", 3, {}, "random").tables(1, 4))
    assert [table.seats for table in tables] == [(0, 1, 1), (1, 0, 1), (1, 1, 0)] * 2
    assert len({table.seed for table in tables}) == 2
    assert list(Task("x", "usual", 3, {}, "random").tables(1, 9))[:6] == tables  # a longer benchmark starts with the same games


def test_a_slow_agent_plays_one_game_a_seed_and_takes_turns_with_the_seats():
    task = Task("x", "usual", 3, {}, "random")
    assert [task.single(seed).seats for seed in range(1, 6)] == [(0, 1, 1), (1, 0, 1), (1, 1, 0), (0, 1, 1), (1, 0, 1)]
    assert all(task.single(seed) in task.tables(seed, 1) for seed in range(1, 6))  # games of the whole protocol
    team = Task("x", "usual", 3, {}, None)
    assert [team.single(seed) for seed in (1, 2)] == [table for seed in (1, 2) for table in team.tables(seed, 1)]


# ---- playing it -----------------------------------------------------------------------------------------------------


def test_the_same_table_again(connect_four):
    one, other = (benchmark.benchmark(FIRST, [connect_four], number=2, seeds=2) for _ in range(2))
    assert [row.seeds for row in one.rows] == [row.seeds for row in other.rows]
    assert [row.games for row in one.rows] == [4, 4, 4]


def test_an_agent_gets_views_and_the_budget(connect_four):
    Watching.seen.clear()
    benchmark.benchmark(WATCHING, [connect_four], number=2, seeds=1, budget="30")
    assert {viewer for viewer, _, _ in Watching.seen} == {0, 1}
    assert all(is_view for _, is_view, _ in Watching.seen)
    assert {budget.simulations for _, _, budget in Watching.seen} == {30}


def test_intervals_widen_if_each_seed_has_an_agent_of_its_own(connect_four):
    task = tasks(connect_four)[0]

    def games(payoff, seed):
        return [Played(Table((0, 1), 10 * seed + number), (payoff, -payoff), 9) for number in range(10)]

    played = [games(payoff, seed) for seed, payoff in enumerate((1.0, 1.0, -1.0, -1.0, 1.0))]
    by_deal, by_seed = (benchmark.counted(task, False, played, by_seed=apart) for apart in (False, True))
    assert by_deal.payoff == by_seed.payoff == pytest.approx(0.2)
    assert by_deal.wins == pytest.approx(0.6)
    assert by_deal.seeds == (1.0, 1.0, -1.0, -1.0, 1.0)
    assert by_seed.low < -0.5 < by_deal.low < 0.2 < by_deal.high < 0.6 < by_seed.high
    sure = benchmark.counted(task, False, [games(1.0, seed) for seed in range(5)], by_seed=False)
    assert 0.8 < sure.low < sure.high == pytest.approx(1.0)  # never without a width


def test_names_are_filled_in_and_unknown_agents_refused(connect_four):
    with pytest.raises(UnknownBot, match=r"no bot 'nothing:connect_four-1'"):
        benchmark.benchmark("nothing:{game}-{seed}", [connect_four])


def test_a_benchmark_can_be_continued(connect_four, tmp_path):
    file = tmp_path / "games.jsonl"
    first = benchmark.benchmark(FIRST, [connect_four], number=2, seeds=1, keep=file)
    lines = file.read_text().splitlines()
    assert benchmark.benchmark(FIRST, [connect_four], number=2, seeds=1, keep=file) == first
    assert file.read_text().splitlines() == lines
    benchmark.benchmark(FIRST, [connect_four], number=4, seeds=1, keep=file)
    assert file.read_text().splitlines()[: len(lines)] == lines
    assert len(file.read_text().splitlines()) == 2 * len(lines)


def test_a_benchmark_of_single_games_is_continued_with_more_seeds(connect_four, tmp_path):
    file = tmp_path / "games.jsonl"
    first = benchmark.benchmark(FIRST, [connect_four], number=None, seeds=1, keep=file)
    second = benchmark.benchmark(FIRST, [connect_four], number=None, seeds=2, keep=file)
    assert [(row.games, len(row.seeds)) for row in second.rows] == [(2, 2)] * 3
    assert [row.seeds[:1] for row in second.rows] == [row.seeds for row in first.rows]
    assert len(file.read_text().splitlines()) == 6
    assert first.as_json()["games"] == 1
    whole = benchmark.benchmark(FIRST, [connect_four], number=1, seeds=1, keep=file)
    assert [row.games for row in whole.rows] == [2, 2, 2]
    assert len(file.read_text().splitlines()) == 9  # the first game of each task was there


def test_ctrl_c_keeps_the_tasks_that_are_complete(connect_four):
    left = [3]

    def progress(done):
        left[0] -= done
        if not left[0]:
            raise KeyboardInterrupt

    result = benchmark.benchmark(FIRST, [connect_four], number=2, seeds=1, progress=progress)
    assert result.stopped
    assert len(result.rows) == 1


def test_a_net_plays_what_it_was_trained_for_and_the_rest_is_left_out(connect_four, tmp_path):
    made(connect_four).save(tmp_path / "connect_four-2.net")
    result = benchmark.benchmark(f"net:{tmp_path}/{{game}}-{{players}}.net", [connect_four], number=2, seeds=1)
    assert [(row.task.kind, row.games) for row in result.rows] == [("usual", 2), ("usual", 2)]
    (task, why), *more = result.left_out
    assert (task.options, more) == ({"line": 3}, [])
    assert why.endswith("connect_four-2.net was trained with line = 4, not 3")
    assert f"left out: connect_four (2 players, line=3): {why}" in benchmark.summary(result)
    assert [one["why"] for one in result.as_json()["left_out"]] == [why]


def test_a_net_for_some_numbers_of_players_only(tmp_path, monkeypatch):
    game = GAMES["artifact"]
    made(game, players=2).save(tmp_path / "2.net")
    monkeypatch.setattr(benchmark, "_row", lambda agent, game, task, *rest: make(agent.replace("{players}", str(task.players)), game))
    left_out = benchmark.benchmark(f"net:{tmp_path}/{{players}}.net", [game]).left_out
    assert [task.players for task, _ in left_out] == [3, 4]
    assert all("can't read the net" in why for _, why in left_out)


@pytest.mark.parametrize("name", ["net:nowhere.net", "net", "net:{seed}.net"])
def test_a_net_that_is_not_there_is_refused_before_anything_is_compiled(connect_four, name, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    made(connect_four).save(tmp_path / "1.net")
    monkeypatch.setattr("rulestone.game.Game.warm_up", lambda game: pytest.fail("compiled"))
    with pytest.raises(UnknownBot, match=r"can't read the net (nowhere|2)\.net|no net of its own"):
        benchmark.benchmark(name, [connect_four], number=2)


# ---- the command line -----------------------------------------------------------------------------------------------


def run(*arguments):
    return CliRunner().invoke(app, ["benchmark", "connect_four", "--agent", FIRST, "--games", "2", "--seeds", "1", *arguments])


def test_the_command_prints_one_table(monkeypatch):
    monkeypatch.setattr(console, "width", 140)
    ended = run()
    assert ended.exit_code == 0, ended.output
    rows = [line.split() for line in ended.stdout.splitlines()]
    assert [row[:5] for row in rows[1:4]] == [
        ["connect_four", "2", "usual", "random", "2"],
        ["connect_four", "2", "usual", "mcts:200", "2"],
        ["connect_four", "2", "line=3", "mcts:200", "2"],
    ]
    assert "protocol 1: 2 games × 1 seeds per task, at most 1s per decision" in ended.stdout


def test_options_are_shown_in_a_narrow_terminal(monkeypatch):
    monkeypatch.setattr(console, "width", 80)
    shown = run().stdout
    assert "line=3" in shown
    assert max(map(len, shown.splitlines()[:4])) <= 80


def test_the_command_prints_json_and_markdown(connect_four):
    figures = json.loads(run("--json").stdout)
    result = benchmark.benchmark(FIRST, [connect_four], number=2, seeds=1)
    assert figures["protocol"] == 1
    assert [row["payoff"] for row in figures["rows"]] == [row.payoff for row in result.rows]
    assert figures["rows"][2]["options"] == {"line": 3}
    assert figures["means"]["usual"]["tasks"] == 2
    assert run("--markdown").stdout.count("| connect_four | 2 |") == 3


def test_the_page_of_baselines_is_what_its_data_say():
    files = baselines.made()
    assert len(files) == 2
    for file, text in files.items():
        assert file.read_text() == text, f"{file.name}: run python -m tools.baselines write"


def test_the_page_of_baselines_says_how_many_games_each_row_stands_on():
    page = baselines.PAGE.read_text()
    for file in baselines.DATA.glob("*.json"):
        if file != baselines.CURVES:
            figures = json.loads(file.read_text())
            name = file.stem if file.stem == "ppo" else figures["agent"]
            assert f"| {name.replace('ppo', 'PPO')} | {sum(row['games'] for row in figures['rows']):,} |" in page


# ---- agents that choose from observations ---------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["flat", "float", "onehot", "dict"])
def test_a_policy_sees_what_the_environment_shows(kind):
    env = SeatEnv("micro_medusa", seat=1, observation=kind, relative=kind != "dict")
    observation, info = env.reset(seed=3)
    own = type("Own", (First,), {"observation": kind, "relative": kind != "dict"})(env.game)
    shown = own.observed(env.match().view(1))
    if kind == "dict":
        assert all((shown[name] == observation[name]).all() for name in observation)
    else:
        assert (shown == observation).all()
    move = choose(env.match().view(1), own, seed=1)
    assert env.game.actions.parse(move) == int(info["action_mask"].argmax())


def test_a_policy_without_act_says_so(connect_four):
    with pytest.raises(NotImplementedError, match="Policy has no method act"):
        choose(connect_four.new(seed=1).view(0), Policy(connect_four), seed=1)
