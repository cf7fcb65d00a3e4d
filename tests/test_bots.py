"""Bots: named by text, always legal, within their budget, and never using hidden information."""

import json
import random
import re
import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import rulestone
from rulestone.bots import LEVELS, Budget, Choice, UnknownBot, choose, decide, make
from rulestone.bots.calibrate import Calibration, calibrate
from rulestone.bots.ladder import Played, Table, differences, ladder, settled, standing, strengths, tables
from rulestone.bots.ladder import play as play_a_game
from rulestone.bots.search import MonteCarlo, Search, Settings, Tree, settings_of
from rulestone.bots.tree import APART, COUNT, NODES, PRIOR, SUM, TIMES
from rulestone.cli import app
from tests.untrained import made

# ---- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["random", "mcts:50", "mcts:20ms", "mcts:60 x3", *(f"level:{level}" for level in LEVELS)])
def test_bots_are_named_by_text(connect_four, name):
    match = connect_four.new(seed=1)
    assert choose(match.view(0), name, seed=3) in match.legal()


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("smart", "there is no bot 'smart'"),
        ("level:6", "levels are level:1 to level:5"),
        ("level:", "levels are level:1 to level:5"),
        ("mcts:soon", "'soon' is not a budget"),
        ("mcts:0", "at least one simulation"),
        ("no.such.module:Bot", "No module named"),
        ("json:Nothing", "has no attribute"),
        ("json:JSONDecodeError", "is not a bot"),
    ],
)
def test_an_unknown_bot_is_refused_in_one_sentence(connect_four, name, why):
    with pytest.raises(ValueError, match=why):
        choose(connect_four.new(seed=1).view(0), name, seed=1)


def test_greedy_is_refused_if_the_game_has_none(whisper):
    with pytest.raises(UnknownBot, match="whisper has no greedy bot; available: random, level:1"):
        make("greedy", whisper)


class Last:
    """Somebody else's bot: it always plays the last move. It can return a Choice, a Move or anything that is read as one."""

    def __init__(self, game, wish="last"):
        self.wish = wish

    def choose(self, view, legal, seed, budget=None, stop=None):
        return {"last": legal[-1], "text": str(legal[0]), "choice": Choice(legal[1]), "illegal": "drop 6"}[self.wish]


def test_a_strangers_bot_by_import_path(connect_four):
    view = connect_four.new(seed=1).view(0)
    assert str(choose(view, f"{__name__}:Last", 1)) == "drop 6"
    assert str(choose(view, f"{__name__}:Last:text", 1)) == "drop 0"
    assert str(choose(view, f"{__name__}:Last:choice", 1)) == "drop 1"


def test_a_strangers_bot_by_entry_point(connect_four, monkeypatch):
    class Point:
        name = "last"

        def load(self):
            return Last

    monkeypatch.setattr("rulestone.bots.entry_points", lambda group, name=None: [Point()] if name in (None, "last") else [])
    assert str(choose(connect_four.new(seed=1).view(0), "last:text", 1)) == "drop 0"
    with pytest.raises(UnknownBot, match=r"mcts:1s \(time\), last, package.module:Class"):
        make("first", connect_four)


def test_an_illegal_move_of_a_strangers_bot_is_refused(connect_four):
    match = connect_four.new(seed=1)
    for _ in range(6):
        match.play("drop 6")
    with pytest.raises(ValueError, match="played 'drop 6', which is not legal now"):
        choose(match.view(0), f"{__name__}:Last:illegal", 1)


def test_a_bot_accepts_only_a_view_of_the_player_to_move(connect_four):
    match = connect_four.new(seed=1)
    with pytest.raises(ValueError, match="a bot needs a view, not the match itself"):
        choose(match, "random", 1)
    with pytest.raises(ValueError, match="pass the view of the player to move"):
        choose(match.view(1), "random", 1)


# ---- decisions --------------------------------------------------------------------------------------------------------


def test_it_takes_a_win_and_stops_the_others(connect_four):
    match = connect_four.new(seed=1)
    for move in ("drop 3", "drop 0", "drop 3", "drop 0", "drop 3", "drop 0"):
        match.play(move)
    choice = decide(match.view(0), "mcts:200", seed=1)
    assert str(choice.move) == "drop 3"
    assert choice.thoughts.values == (1.0, -1.0)
    match.play("drop 6")
    assert str(choose(match.view(1), "mcts:200", seed=1)) == "drop 0"


def test_it_proves_a_win_two_moves_ahead(connect_four):
    match = connect_four.new(seed=1)
    for move in ("drop 3", "drop 3", "drop 2", "drop 2"):
        match.play(move)
    thoughts = decide(match.view(0), "mcts:5000", seed=1).thoughts
    assert str(thoughts.moves[0]) in ("drop 1", "drop 4")
    assert thoughts.worth[0] == 1.0


def test_thoughts_add_up(whisper):
    match = whisper.new(seed=1, players=3)
    thoughts = decide(match.view(0), "mcts:400", seed=1).thoughts
    assert set(thoughts.moves) == set(match.legal())
    assert sum(thoughts.shares) == pytest.approx(1)
    assert thoughts.simulations == 400
    assert len(thoughts.values) == 3
    assert all(-1 <= value <= 1 for value in (*thoughts.values, *thoughts.worth))


def test_it_shows_the_highest_card_and_changes_the_lowest(whisper):
    """The others' cards are guessed again in every simulation: with card 7 showing wins, with card 0 it loses."""
    match = whisper.new(seed=1, players=2)
    match.state.hand[0], match.state.hand[1] = 7, 3
    match.state.deck[:6] = [0, 1, 2, 4, 5, 6]
    match.refresh()
    assert str(choose(match.view(0), "mcts:2000", seed=1)) == "show"
    match.state.hand[0], match.state.deck[0] = 0, 7
    match.refresh()
    assert str(choose(match.view(0), "mcts:2000", seed=1)) != "show"


@pytest.mark.parametrize("name", ["mcts:300", "mcts:301 x3"])
def test_the_same_seed_and_simulations_give_the_same_thoughts_on_any_number_of_threads(whisper, name):
    view = whisper.new(seed=4, players=3).view(0)
    first = make(name, whisper, threads=1).choose(view, view.legal(), 5)
    again = make(name, whisper, threads=3).choose(view, view.legal(), 5)
    other = make(name, whisper, threads=1).choose(view, view.legal(), 6)
    assert first == again
    assert first.thoughts.simulations == int(name[5:8])
    assert first.thoughts != other.thoughts


def test_a_bot_remembers_nothing_between_moves(connect_four):
    view = connect_four.new(seed=1).view(0)
    bot = make("mcts:500", connect_four)
    before = bot.choose(view, view.legal(), 5)
    later = connect_four.new(seed=2)
    later.play("drop 2")
    bot.choose(later.view(1), later.legal(), 9)
    assert bot.choose(view, view.legal(), 5) == before


@pytest.mark.parametrize("game", ["connect_four", "whisper"])
def test_interpreted_and_compiled_bots_think_the_same(game, request, monkeypatch):
    game = request.getfixturevalue(game)
    view = game.new(seed=3).view(0)
    fast = decide(view, "mcts:150", seed=8)
    monkeypatch.setenv("RULESTONE_JIT", "0")
    assert decide(view, "mcts:150", seed=8) == fast


@pytest.mark.slow
@pytest.mark.parametrize("name", rulestone.games.names())
def test_interpreted_and_compiled_bots_think_the_same_in_every_game(name, monkeypatch):
    """To the last bit: shares, worth and values, which a sum in another precision would change."""
    game = rulestone.load(name)
    views = []
    for seed in range(3):
        match, chance = game.new(seed), random.Random(seed)
        for _ in range(3 * (6 + seed)):
            if not match.over:
                match.play(chance.choice(match.legal()))
        if match.to_move is not None:
            views.append(match.view(match.to_move))
    fast = [decide(view, "mcts:12", seed=8) for view in views]
    monkeypatch.setenv("RULESTONE_JIT", "0")
    assert [decide(view, "mcts:12", seed=8) for view in views] == fast


def test_several_threads_can_ask_the_same_bot(connect_four):
    bot = make("mcts:300", connect_four)
    views = [connect_four.new(seed=1).view(0)] * 8
    alone = [decide(view, bot, seed) for seed, view in enumerate(views)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda seed: decide(views[seed], bot, seed), range(8))) == alone


def test_several_threads_can_make_bots_of_a_new_game_at_once(tmp_path, monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    folder = shutil.copytree(Path(__file__).parent / "toys" / "whisper", tmp_path / "threads")
    (folder / "bot.py").write_text(HINTS)
    for _ in range(5):
        game = rulestone.load(folder)
        view = game.new(seed=1, players=2).view(0)
        start = threading.Barrier(8)

        def ask(seed, view=view, start=start):
            start.wait()
            return decide(view, "mcts:5" if seed % 2 else "greedy", seed).move

        with ThreadPoolExecutor(8) as pool:
            assert set(pool.map(ask, range(8))) <= set(view.legal())


def test_the_seed_cannot_be_found_by_guessing(connect_four):
    """A bot that knew the seed would know all future dice, and a small seed could be found from its hash."""
    match = connect_four.new(seed=7)
    assert match.commitment
    assert match.view(0).commitment == ""


@pytest.mark.parametrize("wrong", [{"simulations": -5}, {"simulations": 0}, {"seconds": -1.0}, {"seconds": 0.0}, {"trees": 0}])
def test_an_empty_budget_is_refused(wrong):
    with pytest.raises(ValueError, match="is not a budget: it must have at least one simulation or some time, and 1 to 256 trees"):
        Budget(**wrong)


def test_bots_work_interpreted(whisper, monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    view = whisper.new(seed=3).view(0)
    for name in ("mcts:20ms", "level:1", "level:3"):
        assert choose(view, name, seed=8) in view.legal()


def test_a_forced_move_is_not_searched(connect_four):
    match = connect_four.new(seed=1)
    match.state.grid[:, :6] = np.array([[0, 1, 0, 1, 0, 1]] * 2 + [[1, 0, 1, 0, 1, 0]] * 2 + [[0, 1, 0, 1, 0, 1]] * 2)
    match.refresh()
    assert match.legal() == [("drop", 6)]
    assert decide(match.view(match.to_move), "mcts:1s", seed=1) == Choice(match.legal()[0])


# ---- nothing hidden ---------------------------------------------------------------------------------------------------


def twins(game, positions, seed, **arguments):
    """Views of reached positions, each with the view of a world that looks the same to the player to move but is another."""
    chooser = random.Random(seed)
    found = 0
    while found < positions:
        match = game.new(seed=chooser.getrandbits(40), **arguments)
        while not match.over and found < positions:
            seat, legal = match.to_move, match.legal()
            if len(legal) > 1:
                world = match.copy()
                world._run("conceal", seat)
                world.state.rng = chooser.getrandbits(64)
                world._run("redeal", seat)
                found += 1
                yield match.view(seat), world.view(seat), world.raw != match.raw
            match.play(chooser.choice(legal))


def test_decisions_depend_on_nothing_hidden(whisper):
    whisper.warm_up()
    bot = make("mcts:60", whisper)
    different = 0
    for number, (view, twin, differs) in enumerate(twins(whisper, 3000, 1, players=3)):
        assert view.raw == twin.raw
        assert bot.choose(view, view.legal(), number) == bot.choose(twin, twin.legal(), number)
        different += differs
    assert different > 2000  # most worlds really were different


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in rulestone.games.names() if not rulestone.load(name).perfect_information])
def test_decisions_depend_on_nothing_hidden_in_every_game(name, tmp_path):
    game = rulestone.load(name)
    game.warm_up()
    made(game, game.max_players).save(tmp_path / "a.net")
    net = f"net:{tmp_path / 'a.net'}"
    bots = [make(bot, game) for bot in ("mcts:8", "mcts:9 x3", net, f"mcts:8 {net}", *(["greedy"] if game.greedy else []))]
    for number, (view, twin, _) in enumerate(twins(game, 1000, 2, players=game.max_players)):
        bot = bots[number % len(bots)]
        choice = decide(view, bot, number)
        assert choice == decide(twin, bot, number)
        assert choice.move in view.legal()


@pytest.mark.slow
@pytest.mark.parametrize("name", rulestone.games.names())
def test_whole_games_with_bots_in_every_game(name):
    game = rulestone.load(name)
    for players in range(game.min_players, game.max_players + 1):
        result = ladder(game, ["random", "mcts:10", "mcts:5 x2"], 2, players=players)
        assert sum(row.games for row in result.standings) > 0


# ---- time -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seconds", [0.1, 0.5])
def test_a_time_budget_is_kept_within_a_tenth(connect_four, seconds):
    """Measured in the thread's CPU time, so that another process on the same core can't fail the test."""
    view = connect_four.new(seed=1).view(0)
    search = Search(connect_four)
    search.think(view, 1, Budget(simulations=1))
    search.think(view, 1, Budget(seconds=0.02))
    began = time.thread_time()
    thoughts = search.think(view, 1, Budget(seconds=seconds), clock=time.thread_time)
    assert 0.9 * seconds <= time.thread_time() - began <= 1.1 * seconds
    assert thoughts.simulations > 100


def test_time_or_simulations_whichever_runs_out_first(connect_four):
    view = connect_four.new(seed=1).view(0)
    bot = MonteCarlo(connect_four, Budget(simulations=10_000_000))
    assert bot.choose(view, view.legal(), 1, Budget(seconds=0.05)).thoughts.simulations < 10_000_000
    assert bot.choose(view, view.legal(), 1, Budget(simulations=70, seconds=60)).thoughts.simulations == 70


def test_a_level_stops_thinking_when_nothing_can_change(connect_four):
    """With an unbeatable lead it answers at once; `mcts:…` uses all its time."""
    match = connect_four.new(seed=1)
    for move in ("drop 3", "drop 0", "drop 3", "drop 0", "drop 3", "drop 0"):
        match.play(move)
    view = match.view(0)
    thinker = make("level:5", connect_four, clock=time.thread_time)
    thinker.choose(view, view.legal(), 1, Budget(simulations=1))
    began = time.thread_time()
    assert str(thinker.choose(view, view.legal(), 1).move) == "drop 3"
    assert time.thread_time() - began < 0.8


def test_it_can_be_interrupted(connect_four):
    view = connect_four.new(seed=1).view(0)
    bot = make("mcts:60s", connect_four)
    bot.choose(view, view.legal(), 1, Budget(simulations=1))
    stop = threading.Event()
    threading.Timer(0.1, stop.set).start()
    began = time.perf_counter()
    choice = bot.choose(view, view.legal(), 1, stop=stop)
    assert time.perf_counter() - began < 5
    assert choice.move in view.legal()


# ---- the ladder -------------------------------------------------------------------------------------------------------


def test_seats_rotate():
    assert [table.seats for table in tables(0, 1, 2, 4, random.Random(1))] == [(0, 1), (1, 0), (0, 1), (1, 0)]


def test_equal_bots_are_hardly_ever_considered_settled():
    chooser = np.random.default_rng(1)
    wrong = sum(any(settled(run[:n]) for n in range(10, 200, 10)) for run in chooser.choice([-0.5, 0.5], (400, 200)))
    assert wrong <= 400 * 0.05 + 10
    assert any(settled(run[:n]) for run in [chooser.choice([-0.5, 0.5], 200, p=[0.2, 0.8])] for n in range(10, 200, 10))


def test_a_settled_pair_stops(connect_four):
    result = ladder(connect_four, ["random", "mcts:20", "mcts:400"], 200, neighbours=True, settle=True, threads=2)
    assert [{pair.one, pair.other} for pair in result.pairs] == [{"mcts:400", "mcts:20"}, {"mcts:20", "random"}]
    assert all(pair.low > pair.fair and 2 <= pair.games < 200 for pair in result.pairs)


def test_teams_are_compared_on_the_same_deals():
    game = rulestone.load("sarpedon")
    result = ladder(game, ["random", "greedy"], 60, settle=True)
    assert [row.bot for row in result.standings] == ["greedy", "random"]
    (pair,) = result.pairs
    assert (pair.one, pair.games) == ("greedy", result.standings[0].games)
    assert pair.low > pair.fair
    assert pair.games < 60


def test_teams_are_compared_deal_by_deal_in_whatever_order_they_played():
    """As when a ladder on several threads is stopped: the first team won deals 1 and 2, the second only deal 2."""
    one, other = ([Played(Table((bot,), deal), (payoff,), 1) for deal, payoff in games] for bot, games in enumerate((
        [(3, -1.0), (1, 1.0), (2, 1.0)],
        [(2, 1.0), (4, 1.0), (3, -1.0), (1, -1.0)],
    )))  # fmt: skip
    assert sorted(differences(one, other)) == [0, 0, 1]
    (pair,) = standing(rulestone.load("sarpedon"), ["a", "b"], one + other, [(0, 1)], 1).pairs
    assert {pair.one: pair.score, pair.other: pair.fair} == pytest.approx({"a": 2 / 3, "b": 1 / 3})
    assert pair.games == 3
    assert standing(rulestone.load("sarpedon"), ["a", "b"], one, [(0, 1)], 1).pairs == ()


def test_elo_of_known_shares():
    """75 wins of 100 are 191 Elo; the interval is that of the binomial distribution."""
    games = [Played(Table((0, 1), n), (1.0, -1.0) if n < 750 else (-1.0, 1.0), 1) for n in range(1000)]
    elo, error = strengths(2, games)
    assert elo[0] - elo[1] == pytest.approx(191, abs=2)
    assert 2 * error[0] == pytest.approx(400 / np.log(10) / np.sqrt(1000 * 0.75 * 0.25), rel=0.02)


def test_elo_at_a_table_of_four():
    """Winning half of the games against three equal others is three times their strength: 191 Elo."""
    games = [
        Played(Table((0, 1, 1, 1), n), tuple(1.0 if seat == (0 if n % 2 else 1 + n % 3) else -1.0 for seat in range(4)), 1)
        for n in range(600)
    ]
    elo, _ = strengths(2, games)
    assert elo[0] - elo[1] == pytest.approx(191, abs=4)


def test_more_simulations_are_stronger(connect_four):
    result = ladder(connect_four, ["random", "mcts:20", "mcts:400"], 40, threads=2)
    assert [row.bot for row in result.standings] == ["mcts:400", "mcts:20", "random"]
    assert all(pair.low > pair.fair for pair in result.pairs)


def test_ladders_are_repeatable(whisper):
    one, three = (ladder(whisper, ["random", "mcts:30"], 9, players=3, threads=threads) for threads in (1, 3))
    assert one.standings[0].elo == three.standings[0].elo
    assert sorted(game.payoff for game in one.played) == sorted(game.payoff for game in three.played)


def test_ladder_on_the_command_line():
    run = CliRunner().invoke(app, ["ladder", "connect_four", "--bots", "random,mcts:30", "--games", "6", "--json"])
    assert run.exit_code == 0, run.output
    outcome = json.loads(run.stdout)
    assert {row["bot"] for row in outcome["standings"]} == {"random", "mcts:30"}
    run = CliRunner().invoke(app, ["ladder", "connect_four", "--bots", "random,mcts:30", "--games", "2"])
    assert "Elo" in run.stdout
    assert "equal strength would be 50.0%" in run.stdout


def test_kept_games_are_not_played_again(connect_four, tmp_path, monkeypatch):
    file = tmp_path / "games" / "ladder.jsonl"
    bots = ["random", "mcts:20"]
    short = ladder(connect_four, bots, 4, keep=file)
    with file.open("a") as torn:
        torn.write('{"game": "conn')
    long = ladder(connect_four, bots, 6, keep=file)
    assert long.played[:4] == short.played
    assert len(file.read_text().splitlines()) == 6
    monkeypatch.setattr("rulestone.bots.ladder.play", None)
    assert ladder(connect_four, bots[::-1], 0, keep=file).played == ()
    assert ladder(connect_four, bots, 6, keep=file).pairs == long.pairs
    with pytest.raises(TypeError):
        ladder(connect_four, bots, 6, keep=file, seed=2)  # other games
    monkeypatch.setattr("rulestone.bots.ladder.digest", lambda files: "other bots")
    with pytest.raises(TypeError):
        ladder(connect_four, bots, 6, keep=file)


def test_a_file_of_something_else_is_refused(connect_four, tmp_path):
    file = tmp_path / "poem.txt"
    file.write_text("roses")
    with pytest.raises(ValueError, match=r"line 1 of .* is not a ladder game"):
        ladder(connect_four, ["random", "mcts:20"], 2, keep=file)
    with pytest.raises(ValueError, match="can't save games in"):
        ladder(connect_four, ["random", "mcts:20"], 2, keep=tmp_path)
    assert file.read_text() == "roses"


def stop_after(games, monkeypatch):
    """Press Ctrl-C after this many more ladder games."""

    def interrupted(*args):
        if next(asked) >= games:
            raise KeyboardInterrupt
        return play_a_game(*args)

    asked = count()
    monkeypatch.setattr("rulestone.bots.ladder.play", interrupted)


@pytest.mark.parametrize("games", [0, 3])
def test_a_stopped_ladder_reports_what_was_played(games, tmp_path, monkeypatch):
    stop_after(games, monkeypatch)
    command = ["ladder", "connect_four", "--bots", "random,mcts:20", "--games", "8", "--threads", "1", "--json"]
    run = CliRunner().invoke(app, [*command, "--keep", str(tmp_path / "games.jsonl")])
    assert run.exit_code == 130
    assert f"Stopped after {games} games. Run the same command to continue." in run.stderr
    assert [pair["games"] for pair in json.loads(run.stdout)["pairs"]] == [games] * (games > 0)
    assert "To continue later, use --keep FILE." in CliRunner().invoke(app, command).stderr


def test_a_stopped_ladder_has_played_all_pairs_equally_far(connect_four, monkeypatch):
    stop_after(7, monkeypatch)
    result = ladder(connect_four, ["random", "mcts:5", "mcts:10"], 8)
    assert sorted(pair.games for pair in result.pairs) == [2, 2, 3]
    stop_after(1, monkeypatch)
    result = ladder(connect_four, ["random", "mcts:5", "mcts:10"], 8)
    assert [row.bot for row in result.standings if not row.games] == []


@pytest.mark.parametrize(("lone", "fair"), [([], 1 / 2), (["--lone"], 1 / 3)])
def test_at_larger_tables_one_of_a_pair_sits_alone_by_turns_or_always_the_first(lone, fair):
    folder = str(Path(__file__).parent / "toys" / "whisper")
    run = CliRunner().invoke(app, ["ladder", folder, "--bots", "random,mcts:5", "--players", "3", "--games", "6", "--json", *lone])
    assert run.exit_code == 0, run.output
    pair = json.loads(run.stdout)["pairs"][0]
    assert pair["fair"] == pytest.approx(fair if pair["one"] == "random" else 1 - fair)


HINTS = """
from rulestone.kernel import rule
from .rules import ACTIONS

SEARCH = {"guided": 0.5, "advice": 3, "cut": 2}


@rule
def greedy(s, moves, count, scratch):
    return moves[count - 1]


@rule
def estimate(s, player):
    return 250 if player == 0 else -125


@rule
def sensible(s, moves, count):
    moves[0] = moves[count - 1]
    moves[1] = ACTIONS.whisper + 2
    return 2
"""


@pytest.mark.slow
def test_a_game_can_define_sensible_moves_and_an_estimate(tmp_path, monkeypatch):
    folder = shutil.copytree(Path(__file__).parent / "toys" / "whisper", tmp_path / "hinted")
    (folder / "bot.py").write_text(HINTS)
    game = rulestone.load(folder)
    view = game.new(seed=1, players=2).view(0)
    choice = decide(view, "mcts:64", seed=5)
    assert {str(move) for move in choice.thoughts.moves} == {"show", "whisper 2 0"}
    whisper = choice.thoughts.worth[[str(move) for move in choice.thoughts.moves].index("whisper 2 0")]
    assert -1 < whisper < 1
    judging = Search(game, replace(settings_of(game, 2), cut=-1, expected=True))
    assert judging.think(view, 5, Budget(simulations=64)).values == (0.25, -0.125)  # also of games that were played to the end
    monkeypatch.setenv("RULESTONE_JIT", "0")
    assert decide(view, "mcts:64", seed=5) == choice
    assert str(decide(view, "greedy", seed=5).move) == "show"


SUSPECT = """
@rule
def suspect(s, viewer, scratch):
    for place in range(s.left):
        if s.deck[place] < s.hand[1 - viewer]:
            card = s.deck[place]
            s.deck[place] = s.hand[1 - viewer]
            s.hand[1 - viewer] = card
"""


@pytest.mark.slow
def test_a_game_can_suspect_what_others_did_in_secret(tmp_path):
    """Here, that they hold the lowest card. The search assumes it in a share of the worlds given by `trust`."""
    folder = shutil.copytree(Path(__file__).parent / "toys" / "whisper", tmp_path / "suspicious")
    (folder / "bot.py").write_text(HINTS.split("@rule\ndef estimate")[0] + SUSPECT)
    game = rulestone.load(folder)
    match = game.new(seed=1, players=2)
    match.state.hand[:2] = (3, 6)
    match.state.deck[:6] = (0, 1, 2, 4, 5, 7)
    view = match.view(0)

    def worth_of_showing(trust):
        thoughts = Search(game, Settings(trust=trust)).think(view, 5, Budget(simulations=400))
        return thoughts.worth[[str(move) for move in thoughts.moves].index("show")]

    assert worth_of_showing(1.0) == 1.0
    assert worth_of_showing(0.0) < 0.3 < worth_of_showing(0.5) < 1.0


@pytest.mark.slow
@pytest.mark.parametrize("jit", ["0", "1"])
def test_halving_compares_moves_in_the_same_worlds(tmp_path, monkeypatch, jit):
    """The last two moves have been tried equally often, the others less, and nothing depends on the clock."""
    monkeypatch.setenv("RULESTONE_JIT", jit)
    folder = shutil.copytree(Path(__file__).parent / "toys" / "whisper", tmp_path / "halved")
    (folder / "bot.py").write_text(HINTS.split("@rule\ndef sensible")[0])
    game = rulestone.load(folder)
    view = game.new(seed=1, players=3).view(0)
    settings = Settings(halving=True, trust=1.0, caution=0.0)
    one = Search(game, settings).think(view, 5, Budget(simulations=240))
    assert one == Search(game, settings).think(view, 5, Budget(simulations=240), clock=iter(range(100_000)).__next__)
    tried = sorted((round(share * 240) for share in one.shares), reverse=True)
    assert sum(tried) == one.simulations == 240
    assert tried[0] - tried[1] <= 1
    assert len(tried) < 3 or tried[2] < tried[1]
    assert one.worth[0] == max(worth for worth, share in zip(one.worth, one.shares, strict=True) if share >= 0.75 * max(one.shares))


def test_moves_are_dropped_when_they_are_certainly_no_better(whisper):
    """Against the first move in the same worlds: one is clearly worse, one may be better, one is the same."""
    tree = Tree(whisper, 64, jit=False)
    tree.nodes[0, COUNT], tree.counts[NODES] = 4, 1
    tree.edges[:4, PRIOR] = 1
    tree.edges[:4, TIMES] = 1000
    tree.edges[:4, SUM] = 500, 400, 505, 500
    tree.edges[:4, APART] = 0, 300, 40, 0
    assert not tree.settle()
    assert tree.candidates().tolist() == [True, False, True, True]
    tree.edges[2, SUM] = 600  # certainly better than the first, which stays for comparison
    assert tree.settle()
    assert tree.candidates().tolist() == [True, False, True, False]


def test_no_move_is_dropped_untried(whisper):
    tree = Tree(whisper, 64, jit=False)
    tree.nodes[0, COUNT], tree.counts[NODES] = 2, 1
    tree.edges[:2, PRIOR] = 1
    tree.edges[0, [TIMES, SUM]] = 1000
    assert not tree.settle()
    assert tree.candidates().all()


@pytest.mark.slow
def test_caution_prefers_the_games_own_advice(tmp_path):
    folder = shutil.copytree(Path(__file__).parent / "toys" / "whisper", tmp_path / "cautious")
    (folder / "bot.py").write_text(HINTS.split("@rule\ndef sensible")[0])
    game = rulestone.load(folder)
    view = game.new(seed=1, players=3).view(0)
    advice = decide(view, "greedy", seed=5).move
    careful = Search(game, Settings(halving=True, caution=1000.0)).think(view, 5, Budget(simulations=100))
    assert careful.moves[0] == advice


def test_thoughts_about_a_forced_move_are_about_that_move(connect_four):
    match = connect_four.new(seed=1)
    match.state.grid[:, :5] = np.array([[0, 1, 0, 1, 0]] * 2 + [[1, 0, 1, 0, 1]] * 2 + [[0, 1, 0, 1, 0]] * 2)
    match.state.grid[:, 5] = [1, 1, 0, 0, 1, 1]
    match.refresh()
    assert [str(move) for move in match.legal()] == ["drop 6"]
    thoughts = Search(connect_four).think(match.view(match.to_move), 1, Budget(simulations=20))
    assert (thoughts.moves, thoughts.shares) == ((match.legal()[0],), (1.0,))


def test_a_game_can_set_how_it_is_searched(connect_four, monkeypatch):
    monkeypatch.setattr(connect_four, "search_settings", {"explore": 1.5})
    assert Search(connect_four).settings == {2: Settings(explore=1.5)}


def test_a_game_can_set_it_for_each_number_of_players(tmp_path):
    """With `expected` finished games are worth what the estimate says."""
    folder = shutil.copytree(Path(__file__).parent / "toys" / "whisper", tmp_path / "numbered")
    (folder / "bot.py").write_text(HINTS.replace('"cut": 2', '"cut": -1, "expected": {2: False, 3: True}, "slips": {2: 0, 3: 1}'))
    game = rulestone.load(folder)
    search = Search(game)
    assert (search.settings[2].expected, search.settings[3].expected) == (False, True)
    assert make("level:1", game).slip == {2: 0.0, 3: 0.75}
    for players, told in ((2, False), (3, True), (2, False)):  # one search for both, in turns
        thoughts = search.think(game.new(seed=1, players=players).view(0), 5, Budget(simulations=64))
        assert (thoughts.values[:2] == (0.25, -0.125)) is told


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"curious": 1.5}, "there is no setting 'curious'; the settings are advice, caution, cut, "),
        ({"explore": {3: 1.5}}, "explore has no value for 2 players"),
        ({"explore": "much"}, "explore is 'much', not a number"),
    ],
)
def test_a_wrong_setting_is_reported(connect_four, monkeypatch, said, told):
    monkeypatch.setattr(connect_four, "search_settings", said)
    with pytest.raises(ValueError, match=re.escape(f"SEARCH in the bot.py of connect_four is not valid: {told}")):
        Search(connect_four)


ESTIMATED = [
    pytest.param(game, players, id=f"{game.name}-{players}")
    for game in map(rulestone.load, rulestone.games.names())
    for players in range(game.min_players, game.max_players + 1)
    if "estimate" in game.hints and settings_of(game, players).cut >= 0
]


@pytest.mark.slow
@pytest.mark.parametrize(("game", "players"), ESTIMATED)
def test_an_estimate_predicts_winners_better_than_no_estimate(game, players):
    seen = calibrate(game, games=120, players=players)
    assert seen.error < 0.97 * seen.blind
    assert np.abs(seen.predicted.sum(axis=1) - 1).max() < 0.05  # the chances of all players add up to 1


def test_predictions_are_compared_with_results():
    predicted, actual = np.array([[0.1, 0.9], [0.5, 0.5], [1.0, 0.0]]), np.array([[0, 1], [0, 1], [1, 0]])
    seen = Calibration(predicted, actual)
    assert seen.error == pytest.approx(np.mean([0.01, 0.01, 0.25, 0.25, 0, 0]))
    assert seen.blind == pytest.approx(2 / 9)
    assert seen.bands(2) == [(0.0, 0.5, 0.0, 2), (0.5, 1.0, 0.75, 4)]


def test_a_game_without_an_estimate_cannot_be_calibrated(connect_four):
    with pytest.raises(ValueError, match="connect_four has no estimate"):
        calibrate(connect_four)


@pytest.mark.parametrize("command", ["calibrate", "foretell"])  # the old name works until 1.0
def test_calibrate_on_the_command_line(command):
    shell = [command, "hydra_regatta", "--games", "4", "--bot", "random"]
    summary = json.loads(CliRunner().invoke(app, [*shell, "--json"]).stdout)
    assert summary["positions"] > 10
    assert sum(times for *_, times in summary["bands"]) == summary["positions"] * rulestone.load("hydra_regatta").about.usual_players
    assert f"without an estimate: {summary['blind']:.4f}" in CliRunner().invoke(app, shell).stdout


def test_the_old_names_of_calibrate_are_importable_and_hidden_from_help():
    from rulestone.bots.foretell import Foretold, foretell

    assert (Foretold, foretell) == (Calibration, calibrate)
    old = Foretold(np.array([[0.5]]), np.array([[1.0]]))
    assert (old.told.tolist(), old.came.tolist()) == ([[0.5]], [[1.0]])
    shown = CliRunner().invoke(app, ["--help"]).stdout
    assert "calibrate" in shown
    assert "foretell" not in shown


# ---- slips ----------------------------------------------------------------------------------------------------------------


def slips(game, match, seeds=range(60)):
    """The moves that a level makes without thinking, by number."""
    view, bot = match.view(match.to_move), make("level:1", game)
    legal = [game.actions.parse(move) for move in view.legal()]
    return legal, {bot.unthinking(view, legal, random.Random(seed)) for seed in seeds}


@pytest.mark.parametrize("name", rulestone.games())
def test_no_slip_is_a_move_that_the_game_calls_absurd(name, interpreted):
    game, chooser = rulestone.load(name), random.Random(4)
    match, quick = game.new(seed=4), make("greedy", game) if game.greedy else None
    while not match.over and match.ply < 30:
        legal, made = slips(game, match, range(12))
        kept = [*legal]
        kept = kept[: match.view(match.to_move).ask(game.hints["sensible"], kept, len(kept))] if "sensible" in game.hints else kept
        assert made <= {*kept}
        if quick and len(kept) == 2:
            assert made <= {quick.pick(match.view(match.to_move).array, [*kept], seed) for seed in range(12)}
        match.play(chooser.choice(legal))


def slipping(tmp_path, bot):
    folder = shutil.copytree(Path(__file__).parent.parent / "src" / "rulestone" / "games" / "connect_four", tmp_path / "slipping")
    (folder / "bot.py").write_text(f"from rulestone.kernel import rule\n\n\n{bot}")
    return rulestone.load(folder)


LAST = """@rule
def greedy(s, moves, count, scratch):
    return moves[count - 1]
"""


def test_what_the_quick_bot_likes_least_is_never_a_slip(tmp_path, interpreted):
    game = slipping(tmp_path, LAST)
    assert slips(game, game.new(seed=1))[1] == {1, 2, 3, 4, 5, 6}


def test_what_is_not_sensible_is_never_a_slip(tmp_path, interpreted):
    game = slipping(tmp_path, "@rule\ndef sensible(s, moves, count):\n    moves[0] = 3\n    moves[1] = 5\n    return 2\n")
    assert slips(game, game.new(seed=1))[1] == {3, 5}


def test_a_game_without_a_bot_slips_to_any_move(connect_four):
    assert slips(connect_four, connect_four.new(seed=1))[1] == {*range(7)}


@pytest.mark.parametrize("answer", ["moves[0] + 100", "moves[6]"])
def test_a_quick_bot_that_needs_to_see_all_moves_leaves_slips_to_chance(tmp_path, interpreted, answer):
    game = slipping(tmp_path, LAST.replace("moves[count - 1]", answer))
    assert slips(game, game.new(seed=1))[1] == {*range(7)}
