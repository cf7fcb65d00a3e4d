"""The command line. `rulestone --help` lists the commands."""

from __future__ import annotations

import errno
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from typer.core import TyperCommand

import rulestone
import rulestone.games as built_in_games
from rulestone.game import BrokenGame, Game, UnknownGame, installed, load, misread, slip
from rulestone.match import Match, RecordError, replay
from rulestone.scaffold import LIKES, SMALLEST, make
from rulestone.server import commands
from rulestone.variant import split, unpacked

if TYPE_CHECKING:
    from rulestone.bots.ladder import Ladder
    from rulestone.engine.playouts import Totals

app = typer.Typer(
    name="rulestone",
    help="Play, simulate and study board games whose rules are written once, in plain Python.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
console = Console(highlight=False)


PLAY, MEASURE, MAKE = "Play", "Measure", "Make your own game"
"""The groups in which `rulestone --help` lists the commands."""
app.add_typer(commands.app, name="db", rich_help_panel=PLAY)


class Refusal(Exception):
    """Bad input. `main` prints the message to stderr and exits with code 2."""


def _game_names(incomplete: str) -> list[str]:
    return [name for name in built_in_games.names() if name.startswith(incomplete)]


def _papers(incomplete: str) -> list[str]:
    return [name for name in ("a4", "letter") if name.startswith(incomplete)]


GameName = Annotated[
    str,
    typer.Argument(metavar="GAME", help="Name of the game (see `rulestone games`) or path to a game folder.", autocompletion=_game_names),
]
Options = Annotated[
    list[str] | None, typer.Option("--option", "-o", metavar="NAME=VALUE", help="Set an option of the game. Repeat to set several.")
]
Changes = Annotated[
    list[str] | None,
    typer.Option(
        "--change",
        "-c",
        metavar="NAME=VALUE",
        help="Change a constant of the game (see `rulestone options GAME`). Repeat to change several.",
    ),
]
Players = Annotated[int | None, typer.Option("--players", "-p", help="Number of players (default: the game's usual number).")]
Seed = Annotated[int, typer.Option(help="Random seed. The same seed gives the same games.")]
Threads = Annotated[int | None, typer.Option(min=1, help="Number of threads (default: one per CPU core).")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
OwnGame = Annotated[
    str | None,
    typer.Option("--game", metavar="GAME", help="Game folder, if the record is of your own game that isn't installed."),
]


def read_options(pairs: list[str] | None) -> dict[str, str]:
    """Return NAME=VALUE texts as a dictionary. Raises Refusal if one is malformed or two contradict each other."""
    options: dict[str, str] = {}
    for pair in pairs or []:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise Refusal(f"expected NAME=VALUE, got {pair!r}")
        name, value = name.strip(), value.strip()
        if options.setdefault(name, value) != value:
            raise Refusal(f"{name!r} is set twice, to {options[name]} and to {value}; set it once")
    return options


def _version(wanted: bool) -> None:
    if wanted:
        console.print(f"rulestone {rulestone.__version__}")
        raise typer.Exit


@app.callback()
def top(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")] = False,
) -> None:
    """Play, simulate and study board games whose rules are written once, in plain Python."""


@app.command(rich_help_panel=PLAY)
def games(as_json: AsJson = False) -> None:
    """List the installed games."""
    rows = []
    for name, game in installed():
        rows.append((name, game.title, _span(game), game.about.minutes, game.about.summary, list(game.options)))
    if as_json:
        keys = ("name", "title", "players", "minutes", "summary", "options")
        print(json.dumps([dict(zip(keys, row, strict=True)) for row in rows], indent=2))
        return
    table = Table(box=None, header_style="bold")
    for column in ("name", "title", "players", "minutes", "summary"):
        table.add_column(column)
    for row in rows:
        table.add_row(*row[:5])
    console.print(table)


def _span(game: Game) -> str:
    return str(game.min_players) if game.min_players == game.max_players else f"{game.min_players}-{game.max_players}"


@app.command(rich_help_panel=PLAY)
def options(name: GameName) -> None:
    """Show the options and constants of a game.

    Set an option with `--option NAME=VALUE`, a constant with `--change NAME=VALUE`.
    Compare several values of either with `rulestone lab GAME --vary NAME=A,B`.
    """
    game = load(name)
    table = Table(box=None, header_style="bold")
    for column in ("option", "default", "values", "description"):
        table.add_column(column)
    for option in game.options.values():
        table.add_row(option.name, str(option.default_for(game.about.usual_players)), option.possible(), option.help)
    console.print(table if game.options else f"{game.title} has no options.")
    table = Table(box=None, header_style="bold")
    for column in ("constant", "value", "file", "comment"):
        table.add_column(column)
    for constant in game.constants.values():
        value = repr(constant.value)
        short = value if len(value) <= 40 else f"{value[:39]}…"
        table.add_row(constant.name, escape(short), constant.file, escape(constant.about))
    console.print(table)


@app.command(rich_help_panel=PLAY)
def play(
    name: GameName,
    seat: Annotated[
        list[str] | None,
        typer.Option("--seat", "-s", help="Seat you play: a number from 0, `all` or `none` (default: 0). Repeat for several."),
    ] = None,
    bot: Annotated[
        str,
        typer.Option(
            "--bot",
            "-b",
            help="Bot for the other seats: random, greedy, level:1 to level:5, mcts:2000, mcts:1s, or package.module:Class.",
        ),
    ] = "random",
    players: Players = None,
    option: Options = None,
    change: Changes = None,
    seed: Annotated[str | None, typer.Option(help="Random seed (default: a secret one, shown after the game).")] = None,
    save: Annotated[Path | None, typer.Option(help="Save the record of the game to this file.")] = None,
) -> None:
    """Play a game in the terminal, against bots or with friends at the same keyboard.

    GAME can also be the file of a variant that somebody has shared.

    Example: rulestone play connect_four --bot level:3
    """
    from rulestone.terminal import Session

    options = read_options(option)
    if name.endswith(".json") and Path(name).is_file():  # a variant
        name, shared, number = unpacked(Path(name).read_text())
        options, players = {**shared, **options}, players or number
    game = load(name, read_options(change))
    match = game.new(seed, players, options)
    session = Session(console, match, _seats(seat, match.players), bot)
    if save is not None:
        _check_writable(save)
    try:
        session.run()
    finally:  # also after Ctrl-C
        if save is not None:
            _write(save, json.dumps(match.record(), indent=2) + "\n")
            console.print(f"Saved the record to {save}.", markup=False)


@app.command(rich_help_panel=PLAY)
def learn(name: GameName) -> None:
    """Learn a game in the terminal in about three minutes, step by step, then play it against a gentle bot."""
    from rulestone.learning import Lesson
    from rulestone.terminal import Session, Teacher, read

    game = load(name)
    lesson = Lesson.of(game)
    if lesson is None:
        raise Refusal(f"{game.name} has no lesson (a lesson.py in its folder); `rulestone play {name}` starts a game")
    if not Teacher(console, lesson).run():
        console.print("You left the lesson.")
    elif read(console, "You know the game now. Press Enter to play against a gentle bot (q leaves). ") not in (None, "q"):
        Session(console, game.new(), {0}, "level:1").run()


def _seats(texts: list[str] | None, players: int) -> set[int]:
    chosen: set[int] = set()
    for text in texts or ["0"]:
        if text == "all":
            chosen |= set(range(players))
        elif text.isdigit() and int(text) < players:
            chosen.add(int(text))
        elif text != "none":
            raise Refusal(f"there is no seat {text!r}; choose 0..{players - 1}, all or none")
    return chosen


def _check_writable(path: Path) -> None:
    wrong = errno.EISDIR if path.is_dir() else 0 if path.parent.is_dir() else errno.ENOENT
    if not wrong and not os.access(path if path.exists() else path.parent, os.W_OK):
        wrong = errno.EACCES
    if wrong:
        raise Refusal(f"can't write {path}: {os.strerror(wrong)}")


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text)
    except OSError as problem:
        raise Refusal(f"can't write {path}: {problem.strerror}") from None


@contextmanager
def _counting(total: int, doing: str = "playing") -> Iterator[Callable[..., None]]:
    """Show a progress bar on stderr. Yields a function to call with how many more are done (and of how many, if that changes)."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("compiling", total=total)
        yield lambda done, of=total: progress.update(task, description=doing, advance=done, total=of)


@app.command(rich_help_panel=MEASURE)
def playouts(
    name: GameName,
    games: Annotated[int, typer.Option("--games", "-n", min=1, help="Number of games.")] = 100_000,
    bots: Annotated[
        str, typer.Option(help="Who plays: random or greedy. One bot for all seats, or one per seat, separated by commas.")
    ] = "random",
    players: Players = None,
    option: Options = None,
    seed: Annotated[int | None, typer.Option(help="Random seed (default: a random one, shown with the results).")] = None,
    threads: Threads = None,
    gpu: Annotated[bool, typer.Option("--gpu", help="Play on the GPU: the same games, faster.")] = False,
    as_json: AsJson = False,
) -> None:
    """Play many games as fast as possible and summarise the results.

    Example: rulestone playouts connect_four --games 1000000 --bots greedy,random
    """
    from rulestone.engine.playouts import playouts as run

    game = load(name)
    who = bots.split(",") if "," in bots else bots
    arguments: dict[str, Any] = {
        "players": players,
        "options": read_options(option),
        "bots": who,
        "seed": seed,
        "threads": threads,
        "gpu": gpu,
        "rows": False,
    }
    run(game, 0, **arguments)  # report bad input before compiling
    with _counting(games) as progress:
        run(game, 1, **arguments)
        began = time.perf_counter()
        results = run(game, games, progress=progress, **arguments)
        seconds = time.perf_counter() - began
    summary = summarise(game, results, seconds)
    if as_json:
        print(json.dumps(summary, indent=2))
        return
    table = Table(box=None, header_style="bold")
    for column in ("seat", "wins", "95 % interval", "mean payoff"):
        table.add_column(column, justify="right")
    for row in summary["seats"]:
        table.add_row(row["seat"], f"{row['wins']:.2%}", f"{row['low']:.2%} … {row['high']:.2%}", f"{row['payoff']:+.4f}")
    console.print(table)
    length = summary["length"]
    console.print(f"{games:,} games of {length['mean']:.1f} decisions on average ({length['min']} to {length['max']})")
    console.print("moves: " + ", ".join(f"{verb} {share:.1%}" for verb, share in summary["verbs"].items()))
    console.print(f"{summary['decisions'] / seconds:,.0f} decisions/s, {games / seconds:,.0f} games/s, seed {summary['seed']}", style="dim")


def summarise(game: Game, results: Totals, seconds: float) -> dict[str, Any]:
    """Return the figures that `rulestone playouts` prints.

    A player wins if nobody else has a payoff as high as theirs. In a cooperative game, all win if the payoff is positive.
    """
    from rulestone.statistics import wilson

    count, players = results.games, len(results.wins)
    wins = results.positive if game.cooperative else results.wins
    seats = []
    for player, (won, payoff) in enumerate(zip(wins, results.payoffs, strict=True)):
        low, high = wilson(won, count)
        seats.append({"seat": game.about.name(player, players), "wins": won / count, "low": low, "high": high, "payoff": payoff})
    total = max(1, results.decisions)
    return {
        "game": game.name,
        "players": players,
        "games": count,
        "seats": seats,
        "length": {"mean": results.mean_length, "min": results.shortest, "max": results.longest},
        "verbs": {verb: n / total for verb, n in results.verb_counts.items()},
        "decisions": results.decisions,
        "seconds": seconds,
        "seed": results.seed,
    }


@app.command(rich_help_panel=MEASURE)
def envs(
    names: Annotated[list[str] | None, typer.Argument(metavar="[GAME]...", help="Names of games (default: all).")] = None,
    games: Annotated[int, typer.Option("--games", "-n", min=1, help="Number of random games that the mean length is measured in.")] = 20,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print a table for a document.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the environments for researchers: names, sizes of observations and actions, lengths of games.

    Make one with `gymnasium.make("rulestone.envs.gymnasium:NAME")`; see docs/researchers/environments.md.
    """
    from rulestone.envs.table import COLUMNS, facts, markdown

    rows = [facts(load(name), games) for name in names or [name for name, _ in installed()]]
    if as_json:
        print(json.dumps([row.as_json() for row in rows], indent=2))
    elif as_markdown:
        print(markdown(rows), end="")
    else:
        table = Table(box=None, header_style="bold", padding=(0, 1, 0, 0), pad_edge=False)  # fits 80 columns
        *sizes, hidden, cooperative, chance = COLUMNS
        for column in [*sizes, "with"]:
            words = column in ("environment", "players", "with")
            table.add_column(column, justify="left" if words else "right", no_wrap=column != "moves")
        for row in rows:
            has = [name for name in (hidden, cooperative, chance) if getattr(row, name)]
            table.add_row(*row.cells()[:-3], "\n".join(has))
        console.print(table)


@app.command(rich_help_panel=MEASURE)
def ladder(
    name: GameName,
    bots: Annotated[
        str | None,
        typer.Option(help="Bots to rank, separated by commas (default: random, greedy if the game has it, level:1 to level:5)."),
    ] = None,
    games: Annotated[
        int, typer.Option("--games", "-n", min=1, help="Number of games per pair of bots (in a cooperative game, per bot).")
    ] = 20,
    players: Players = None,
    option: Options = None,
    seed: Seed = 1,
    threads: Threads = None,
    neighbours: Annotated[
        bool, typer.Option("--neighbours", help="Play each bot only against the ones listed next to it, not against all.")
    ] = False,
    settle: Annotated[
        bool, typer.Option("--settle", help="Stop a pair as soon as it's clear who is stronger. --games is then the maximum.")
    ] = False,
    lone: Annotated[
        bool,
        typer.Option("--lone", help="With three or more players, always seat the first bot of a pair alone (default: take turns)."),
    ] = False,
    keep: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Save every game to this file, and reuse the games that are already in it."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Rank bots by playing them against each other in rotating seats.

    Shows win rates and Elo with 95 % confidence intervals.
    Press Ctrl-C to stop early and see the results so far.

    Example: rulestone ladder connect_four --bots random,level:2,mcts:2000 --games 100
    """
    from rulestone.bots import LEVELS
    from rulestone.bots.ladder import ladder as run

    game = load(name)
    usual = ["random", *(["greedy"] if game.greedy else []), *(f"level:{level}" for level in LEVELS)]
    who = [bot.strip() for bot in bots.split(",")] if bots else usual
    arguments: dict[str, Any] = {
        "players": players,
        "options": read_options(option),
        "seed": seed,
        "neighbours": neighbours,
        "settle": settle,
        "lone": lone,
        "keep": keep,
    }
    run(game, who, 0, **arguments)  # report bad input before compiling
    pairs = len(who) - 1 if neighbours else len(who) * (len(who) - 1) // 2
    count = games * (len(who) if game.cooperative else pairs)
    with _counting(count) as progress:
        result = run(game, who, games, threads=threads or len(os.sched_getaffinity(0)), progress=progress, **arguments)
    if result.played or as_json:
        _print_ladder(game, result, as_json)
    if result.stopped:
        kept = "Run the same command to continue." if keep else "The games weren't saved. To continue later, use --keep FILE."
        Console(stderr=True, highlight=False).print(f"Stopped after {len(result.played):,} games. {kept}", markup=False, soft_wrap=True)
        raise typer.Exit(130)


def _print_ladder(game: Game, result: Ladder, as_json: bool) -> None:
    if as_json:
        print(json.dumps(result.as_json(game.name), indent=2))
        return
    table = Table(box=None, header_style="bold")
    for column in ("bot", "games", "team wins" if game.cooperative else "wins", "95 % interval", "Elo", "s/move"):
        table.add_column(column, justify="left" if column == "bot" else "right")
    for row in result.standings:
        elo = "–" if row.elo is None else f"{row.elo:+.0f} ± {row.plus_minus:.0f}"
        table.add_row(row.bot, str(row.games), f"{row.score:.1%}", f"{row.low:.1%} … {row.high:.1%}", elo, f"{row.seconds_a_move:.3f}")
    console.print(table)
    for pair in result.pairs:
        verdict = "" if pair.low <= pair.fair <= pair.high else " (significant)"
        against = f"{pair.fair:.1%} for {pair.other} on the same deals" if game.cooperative else pair.other
        even = "" if game.cooperative else f"; equal strength would be {pair.fair:.1%}"
        text = f"{pair.one} wins {pair.score:.1%} against {against} ({pair.low:.1%} … {pair.high:.1%}{even}; {pair.games} games){verdict}"
        console.print(text, style="dim", soft_wrap=True)


@app.command(rich_help_panel=MEASURE)
def benchmark(
    names: Annotated[list[str] | None, typer.Argument(metavar="[GAME]...", help="Games to play (default: all).")] = None,
    agent: Annotated[
        str,
        typer.Option(
            "--agent",
            "-a",
            help="Who is measured: package.module:Class, or a bot such as greedy, level:3 or net:FILE. {game}, {players} and {seed} in it"
            " are replaced, for example in rulestone.envs.sb3:Trained:models/{game}-{seed}.zip.",
        ),
    ] = "random",
    games: Annotated[int, typer.Option("--games", "-n", min=1, help="Number of games for each task and seed.")] = 20,
    seeds: Annotated[int, typer.Option(min=1, help="Number of seeds, each with deals of its own.")] = 5,
    budget: Annotated[
        str, typer.Option(help="The most the agent can use for a decision: 1s or 250ms of CPU time, or a number of simulations.")
    ] = "1s",
    keep: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Save every game to this file, and reuse the games that are already in it."),
    ] = None,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print a table for a document.")] = False,
    as_json: AsJson = False,
) -> None:
    """Measure an agent: fixed opponents, held-out deals, other numbers of players and other options.

    Shows the mean payoff in each task with its 95 % interval.
    A module in the current folder is found.
    Press Ctrl-C to stop early and see the tasks that are complete.

    Example: rulestone benchmark connect_four --agent my_agents:Mine --games 4
    """
    from rulestone.envs import benchmark as work

    sys.path.insert(0, os.getcwd())
    chosen = [load(name) for name in names or [name for name, _ in installed()]]
    total = work.amount(chosen, games, seeds)
    with _counting(total) as progress:
        result = work.benchmark(agent, chosen, number=games, seeds=seeds, budget=budget, keep=keep, progress=progress)
    if as_json:
        print(json.dumps(result.as_json(), indent=2))
    elif as_markdown:
        print(work.markdown(result), end="")
    else:
        table = Table(box=None, header_style="bold", padding=(0, 1, 0, 0))  # narrow, so that 80 columns have room for the options
        for column in work.COLUMNS:
            words = column in ("game", "options", "others")
            table.add_column(column, justify="left" if words else "right", no_wrap=column != "options", overflow="fold")
        for row in result.rows:
            table.add_row(*map(escape, work.cells(row)))
        console.print(table)
        for line in work.summary(result):
            console.print(line, markup=False)
    if result.stopped:
        kept = "Run the same command to continue." if keep else "The games weren't saved. To continue later, use --keep FILE."
        Console(stderr=True, highlight=False).print(f"Stopped after {len(result.rows)} tasks. {kept}", markup=False, soft_wrap=True)
        raise typer.Exit(130)


@app.command("foretell", hidden=True)  # the old name, kept until 1.0
@app.command(rich_help_panel=MEASURE)
def calibrate(
    name: GameName,
    games: Annotated[int, typer.Option("--games", "-n", min=1, help="Number of games.")] = 200,
    bot: Annotated[str | None, typer.Option(help="Bot for all seats (default: greedy if the game has it, else random).")] = None,
    players: Players = None,
    option: Options = None,
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    """Measure how well a game's `estimate` predicts results.

    Bots play the game, and the estimates along the way are compared with the results.
    A search is only as good as the estimate it relies on.
    """
    from rulestone.bots.calibrate import calibrate as run
    from rulestone.bots.search import settings_of

    game = load(name)
    with _counting(games) as progress:
        seen = run(game, bot=bot, games=games, players=players, options=read_options(option), seed=seed, progress=progress)
    positions = len(seen.predicted)
    if as_json:
        summary = {"game": game.name, "games": games, "positions": positions, "error": seen.error, "blind": seen.blind}
        print(json.dumps({**summary, "bands": seen.bands()}, indent=2))
        return
    sampled = f"{positions:,} positions from {games:,} {'game' if games == 1 else 'games'}"
    console.print(f"{sampled}: mean squared error {seen.error:.4f} (without an estimate: {seen.blind:.4f}).", soft_wrap=True)
    table = Table(box=None, header_style="bold")
    for column in ("predicted", "actual", "times"):
        table.add_column(column, justify="right")
    for low, high, actual, times in seen.bands():
        table.add_row(f"{low:.0%} … {high:.0%}", f"{actual:.1%}", f"{times:,}")
    console.print(table)
    if settings_of(game, seen.predicted.shape[1]).cut == -1:
        console.print("(This game's search uses the estimate for finished games at most, because `cut` is -1.)")
    elif seen.error >= seen.blind:
        console.print("The estimate is worse than none. Make it less confident, or search without it (`cut`: -1).")


@app.command(rich_help_panel=MEASURE)
def lab(
    context: typer.Context,
    name: GameName,
    games: Annotated[int, typer.Option("--games", "-n", min=1, help="Number of games (with --until, the maximum).")] = 10_000,
    players: Annotated[
        str | None,
        typer.Option(
            "--players",
            "-p",
            metavar="N",
            help="Number of players, or several to compare: 2-4 or 2,3,4 (default: the game's usual number).",
        ),
    ] = None,
    bots: Annotated[
        str,
        typer.Option(
            help="Who plays: random, greedy, level:3, mcts:200 … One bot for all seats, or one per seat, separated by commas;"
            " different bots rotate through the seats."
        ),
    ] = "random",
    option: Annotated[
        list[str] | None,
        typer.Option("--option", "--options", "-o", metavar="NAME=VALUE", help="Set an option of the game. Repeat to set several."),
    ] = None,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=A,B,C",
            help="Compare values of an option, a constant, `players` or `bots` (line-ups of bots: A,B/C,D). Repeat to vary several.",
        ),
    ] = None,
    change: Changes = None,
    grid: Annotated[
        bool, typer.Option("--grid/--one-at-a-time", help="Play all combinations of --vary, or change one thing at a time.")
    ] = True,
    skill: Annotated[str | None, typer.Option(metavar="A,B,C", help="Compare skill: seat each of these bots alone against --bots.")] = None,
    seed: Seed = 1,
    until: Annotated[
        str | None, typer.Option(metavar="WHAT", help="Stop at this precision, for example 'seat win rate ±0.5 %' or 'decisions ±0.2'.")
    ] = None,
    report: Annotated[Path | None, typer.Option(help="Write a report to this HTML file.")] = None,
    brief: Annotated[Path | None, typer.Option(help="Write one or two pages to print or send, as an HTML file.")] = None,
    pace: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", min=0.1, help="How long people need for a decision (or for what the game counts time by)."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Save the study in this folder: games (Parquet), totals, summary and examples.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the study in --out.")] = False,
    workers: Annotated[int | None, typer.Option(min=1, help="Number of parallel workers (default: one per CPU core).")] = None,
    ray: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Run on a Ray cluster: its address, `auto` or `local`.")] = None,
    gpu: Annotated[bool, typer.Option("--gpu", help="Play on the GPU: the same games, faster. Only for random and greedy.")] = False,
    estimates: Annotated[
        int | None,
        typer.Option(min=0, help="Number of games in which a bot estimates the chances move by move (default: 20 with --report)."),
    ] = None,
    luck: Annotated[
        int | None,
        typer.Option(min=0, help="Deals to replay, to separate luck from skill (default: 200 with --report or --brief)."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Study a game by playing it many times.

    Is it fair? How long does it take? What would a change do?

    Example: rulestone lab connect_four --games 100000 --vary line=4,5 --report report.html
    """
    from rulestone.lab import command

    given = {name for name in context.params if getattr(context.get_parameter_source(name), "name", "") == "COMMANDLINE"}
    if estimates is None:
        estimates = 20 if report is not None else 0
    if luck is None:
        luck = 200 if report is not None or brief is not None else 0
    wanted: dict[str, Any] = {
        "games": games,
        "players": players,
        "bots": bots,
        "options": read_options(option),
        "changes": read_options(change),
        "vary": read_options(vary),
        "grid": grid,
        "skill": [bot.strip() for bot in skill.split(",")] if skill else [],
        "seed": seed,
        "until": until,
        "estimates": estimates,
        "luck": luck,
    }
    for file in (report, brief):
        if file is not None:
            _check_writable(file)
    fresh = not resume or bool(given & {*wanted, "option", "change"})
    code = command.run(
        console, name, wanted if fresh else None, out=out, resume=resume, where={"workers": workers, "ray": ray, "gpu": gpu},
        report=report, brief=brief, pace=pace, as_json=as_json,
    )  # fmt: skip
    if code:
        raise typer.Exit(code)


@app.command(rich_help_panel=MAKE)
def train(
    context: typer.Context,
    name: GameName,
    players: Players = None,
    option: Options = None,
    change: Changes = None,
    minutes: Annotated[float, typer.Option("--minutes", "-m", help="How long to train.")] = 10.0,
    rounds: Annotated[
        int | None,
        typer.Option(min=1, help="Train for a number of rounds instead: the same seed and rounds give the same net on the same machine."),
    ] = None,
    device: Annotated[str, typer.Option(help="Where the network learns: cpu or cuda. The games are played on the cores.")] = "cpu",
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The net (default: GAME-PLAYERS.net; nets/PLAYERS.net in the folder of a game of your own)."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue where the last training of this file ended; no other options are needed again.")
    ] = False,
    replace: Annotated[bool, typer.Option("--replace", help="Start again if the file is there already.")] = False,
    seed: Seed = 1,
    width: Annotated[int, typer.Option(min=4, max=1024, help="The width of the two hidden layers.")] = 128,
    warm: Annotated[
        float, typer.Option(min=0, max=1, help="The part of the training in which the game's `greedy`, if it has one, is imitated.")
    ] = 0.1,
    unadvised: Annotated[bool, typer.Option("--unadvised", help="Keep what the game's `greedy` would do from the net.")] = False,
    threads: Annotated[int, typer.Option(min=1, help="Number of cores that weigh moves, and that the network uses.")] = 1,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Change how it learns: rate=3e-4. Repeat to set several."),
    ] = None,
) -> None:
    """Train a player for a game from self-play, and save it as a net that plays as the bot `net:FILE`.

    Shows how fast and how well it learns, with a running ladder against `random`, `greedy` and its past.
    Press Ctrl-C to stop early: the best net so far is kept.
    Writes a report beside the net, and a checkpoint from which --resume continues.
    Needs PyTorch (pip install 'rulestone\\[train]'); playing doesn't.

    Example: rulestone train connect_four --minutes 5
    """
    try:
        import torch  # noqa: F401
    except ImportError:
        raise Refusal("training needs PyTorch; install it with pip install 'rulestone[train]'") from None
    from rulestone.train.page import verdict, write
    from rulestone.train.shown import Shown
    from rulestone.train.trainer import Trainer, check_device, course_of, default_file, saved_in

    game = load(name, read_options(change))
    start, count = game.prepared(players, read_options(option))
    file = out or default_file(game, count)
    if out is None:
        file.parent.mkdir(exist_ok=True)
    _check_writable(file)
    if file.exists() and not resume and not replace:
        raise Refusal(f"{file} is there already; continue it with --resume, or start again with --replace")
    check_device(device)
    given = {word for word in context.params if getattr(context.get_parameter_source(word), "name", "") == "COMMANDLINE"}
    how = {
        "seed": ("seed", seed),
        "width": ("widths", (-(-width // 4) * 4,) * 2),
        "warm": ("warm", warm),
        "unadvised": ("advised", not unadvised),
    }
    own = dict(pair for word, pair in how.items() if word in given or not resume)
    usual = saved_in(file)["course"] if resume else None
    course = course_of(device, settings or (), usual, minutes=minutes, rounds=rounds, threads=threads, **own)
    error = Console(stderr=True, highlight=False)
    with Shown(error, course) as shown:
        asked = "players" in given or not resume, "option" in given or not resume
        trainer = Trainer(game, file, course, count if asked[0] else None, game.option_values(start) if asked[1] else None, resume)
        if trainer.progress() >= 1:
            raise Refusal(f"{file} has been trained that long already; give it more --minutes (or --rounds) to continue")
        shown.begin(trainer)
        try:
            final, stopped = trainer.run(shown.tell), False
        except KeyboardInterrupt:
            final, stopped = trainer.last_ladder, True
    if not trainer.reports:
        error.print("Stopped before anything was learnt.")
        raise typer.Exit(130)
    table = Table(box=None, header_style="bold")
    for column in ("against", "games", "wins", "95 % interval", "equal strength", ""):
        table.add_column(column, justify="left" if column in ("against", "") else "right")
    for score in final:
        interval = f"{score.low:.1%} … {score.high:.1%}"
        table.add_row(score.rival, str(score.games), f"{score.score:.1%}", interval, f"{score.fair:.1%}", verdict(score))
    console.print(table)
    console.print(f"The net is in {file}: rulestone play {name} --bot net:{file}", markup=False, soft_wrap=True)
    console.print(f"The report is in {write(trainer, final)}.", markup=False, soft_wrap=True)
    if stopped:
        error.print(f"Stopped after {trainer.seconds / 60:.1f} minutes. To continue, use --resume.", markup=False, soft_wrap=True)
        raise typer.Exit(130)


class NewCommand(TyperCommand):
    """`new`, in which `--like` without a word lists what a game can be like."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args[-1:] == ["--like"]:
            table = Table(box=None, show_header=False)
            for like, says in LIKES.items():
                table.add_row(like, says)
            console.print(table)
            raise typer.Exit
        return super().parse_args(ctx, args)


@app.command(rich_help_panel=MAKE, cls=NewCommand)
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the new game, in lower-case letters, digits and underscores.")],
    where: Annotated[Path, typer.Option("--in", metavar="FOLDER", help="Where to create the game's folder.")] = Path("."),
    like: Annotated[
        str,
        typer.Option(
            metavar="KIND",
            help=f"What it is like: {', '.join(LIKES)}. `--like` alone describes them.",
            show_default=False,
            autocompletion=lambda incomplete: [word for word in LIKES if word.startswith(incomplete)],
        ),
    ] = SMALLEST,
) -> None:
    """Create a new game: a small one that works, for you to build on.

    With `--like`, it is one of five whole games, each with a bot, a scene, a lesson and tests. Without, it is the smallest game there is.
    """
    try:
        folder = make(name, where, like)
    except (ValueError, OSError) as problem:
        raise Refusal(str(problem)) from None
    console.print(
        f"Created {folder}.\nPlay it:  rulestone play {folder}\nSee it:   rulestone serve --game {folder} --open\n"
        f"Test it:  pytest {folder}\nThen write your own rules in {folder / 'rules.py'}.",
        markup=False,
    )


@app.command(rich_help_panel=MAKE)
def check(
    name: GameName,
    players: Annotated[int | None, typer.Option("--players", "-p", help="Number of players (default: check every number).")] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option", "-o", metavar="NAME=VALUE", help="Set an option of the game (default: check every value of every option)."
        ),
    ] = None,
    games: Annotated[int, typer.Option("--games", "-n", min=1, help="Number of random games per configuration.")] = 200,
    seed: Seed = 1,
) -> None:
    """Check that a game works: legal moves, endings, hidden information and more.

    Prints the seed and the moves that reproduce the first problem, and exits with code 1.
    """
    from rulestone.testing import Case, ContractError, cases, check_game

    game = load(name)
    chosen = read_options(option)
    usual = players or game.about.usual_players
    todo = [Case(usual, chosen)] if chosen else [case for case in cases(game) if players in (None, case.players)]
    if not todo:
        game.prepared(players, chosen)
    for case in todo:
        try:
            with console.status(escape(f"{case} …")):
                check_game(game, case.players, case.options, games=games, seed=seed)
        except KeyboardInterrupt as stop:
            where = slip(game, stop) or str(stop)
            console.print(f"[yellow]stopped[/] {escape(str(case))}" + (f"\n{escape(where)}" if where else ""), soft_wrap=True)
            raise typer.Exit(130) from None
        except Exception as problem:
            wrong = str(problem) if isinstance(problem, ContractError | BrokenGame) else slip(game, problem)
            if wrong is None:
                raise
            console.print(f"[bold red]broken[/] {escape(str(case))}\n{escape(wrong)}", soft_wrap=True)
            raise typer.Exit(1) from None
        console.print(f"[green]fine[/] {escape(str(case))}")


@app.command(rich_help_panel=MAKE)
def dev(
    name: GameName,
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 8000,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the studio in your browser.")] = True,
) -> None:
    """Work on a game in the browser: its table, all seats yours, with every saved change at once, and a workbench beside it.

    Only this machine can open it. See docs/studio.md.

    Example: rulestone dev my_game
    """
    from rulestone.studio.app import dev as work

    work(name, port, browser)


@app.command(rich_help_panel=PLAY)
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on. With 0.0.0.0, others on your network can join.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 8000,
    db: Annotated[str | None, typer.Option(metavar="URL", help="Database for the tables (default: a file in your data folder).")] = None,
    game: Annotated[
        list[Path] | None, typer.Option(metavar="FOLDER", help="Add your own game from its folder. Repeat to add several.")
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option(
            "--name",
            metavar="HOST",
            help="Host name to accept requests for (default: local names, or any if --host isn't local). Repeat for several.",
        ),
    ] = None,
    bot: Annotated[
        list[str] | None,
        typer.Option(help="Offer another bot: mcts:5000, an installed bot or package.module:Class. Repeat for several."),
    ] = None,
    pace: Annotated[float, typer.Option(min=0, max=60, help="Minimum time a bot takes for a move, in seconds.")] = 0.7,
    docs: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Documentation site to show under /docs (default: the one that `make docs` builds)."),
    ] = None,
    push: Annotated[
        Path | None,
        typer.Option(metavar="KEY", help="Private key (PEM, curve P-256) for push messages: “your turn” reaches browsers that are closed."),
    ] = None,
    push_contact: Annotated[
        str, typer.Option(metavar="URL", help="Whom push services ask if something is wrong: mailto:you@example.org or an https address.")
    ] = "",
    embed: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ORIGIN",
            help="Site that may show replays of finished games, such as https://blog.example, or '*'. Repeat for several.",
        ),
    ] = None,
    words: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Words that nobody may use in chat and names: one per line, * for any letters.")
    ] = None,
    reports: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="File for reports about chat messages (default: reports.jsonl beside the database)."),
    ] = None,
    log: Annotated[str, typer.Option(help="How to log: text, or json with one object a line.")] = "text",
    log_level: Annotated[
        str, typer.Option(help="What to log: error, warning, info (every request, without addresses and ids) or debug.")
    ] = "warning",
    keep_finished: Annotated[
        str, typer.Option(metavar="TIME", help="How long to keep finished games: 90d, 12w, 1y or forever. Older ones are deleted daily.")
    ] = "forever",
    keep_unfinished: Annotated[
        str, typer.Option(metavar="TIME", help="How long to keep unfinished games after the last move. Older ones are deleted daily.")
    ] = "forever",
    drain: Annotated[
        float,
        typer.Option(
            min=0, max=600, help="Seconds to keep serving after SIGTERM, while /readyz already says no. For servers behind a balancer."
        ),
    ] = 0,
    proxy: Annotated[
        list[str] | None,
        typer.Option(metavar="ADDRESS", help="Address or network of a proxy on another machine (for X-Forwarded-For). Repeat for several."),
    ] = None,
    limits: Annotated[
        float, typer.Option(min=0, metavar="FACTOR", help="How generous the limits are: 2 allows twice as much, 0 turns them off.")
    ] = 1,
    redis: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Redis through which servers of one database hear of each other, and bots think elsewhere."),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, max=256, help="Worker processes here. Several need PostgreSQL and --redis.")] = 1,
    thinkers: Annotated[
        int | None,
        typer.Option(min=0, max=256, help="With several workers: how many processes think for bots here (0: only `rulestone think`)."),
    ] = None,
    open_browser: Annotated[bool, typer.Option("--open", help="Open the table in your browser.")] = False,
) -> None:
    """Start the server: play all games in the browser, with friends and bots.

    Example: rulestone serve --host 0.0.0.0 --open
    """
    from functools import partial

    from rulestone.server import logs
    from rulestone.server.app import Extras
    from rulestone.server.app import serve as run
    from rulestone.server.push import PushKey
    from rulestone.server.retention import Keep, span
    from rulestone.server.talk import Manners
    from rulestone.server.workers import Fleet

    prepare = partial(logs.set_up, log, log_level)
    prepare()
    key, keep = PushKey.read(push, push_contact) if push else None, Keep(span(keep_finished), span(keep_unfinished))
    extras = Extras(key, embed or (), Manners(words, reports), drain, limits, proxy or (), keep, Fleet(redis, workers, thinkers, prepare))
    run(host, port, db, games=game or (), hosts=name or (), bots=bot or (), pace=pace, docs=docs, extras=extras, open_browser=open_browser)


@app.command(rich_help_panel=PLAY)
def think(
    redis: Annotated[str, typer.Option(metavar="URL", help="The Redis that the servers use.")],
    workers: Annotated[int, typer.Option(min=0, max=256, help="How many moves to think about at once (0: one less than processors).")] = 0,
    game: Annotated[
        list[Path] | None, typer.Option(metavar="FOLDER", help="Know your own game, from its folder. Repeat to add several.")
    ] = None,
    bot: Annotated[list[str] | None, typer.Option(help="Offer another bot, as the servers do. Repeat for several.")] = None,
) -> None:
    """Think for the bots of servers that use the same Redis, on this machine or any other.

    Example: rulestone think --redis redis://10.0.0.5:6379
    """
    from rulestone.server import logs
    from rulestone.server.far import run

    logs.set_up()
    run(redis, workers, game or (), bot or ())


@app.command(rich_help_panel=PLAY)
def draw(
    name: GameName,
    out: Annotated[Path, typer.Option("--out", "-o", help="Picture to write: an .svg file or, if Chromium is installed, a .png file.")],
    seed: Seed = 1,
    ply: Annotated[int, typer.Option(min=0, help="Number of moves to play first. Bots play them.")] = 0,
    seat: Annotated[int | None, typer.Option(help="Whose view to draw: a player's number from 0 (default: a spectator's view).")] = None,
    players: Players = None,
    option: Annotated[
        list[str] | None, typer.Option("--option", metavar="NAME=VALUE", help="Set an option of the game. Repeat to set several.")
    ] = None,
    theme: Annotated[str, typer.Option(help="Colours: light, dark, or auto to follow the reader's system.")] = "light",
    scale: Annotated[float, typer.Option(min=0.1, max=8, help="Scale of a .png file.")] = 1,
    narrow: Annotated[bool, typer.Option("--narrow", help="Draw the layout for phones, if the game has one.")] = False,
) -> None:
    """Draw a position as a picture, as the table shows it.

    Example: rulestone draw connect_four --ply 12 --out position.svg
    """
    from rulestone.bots import choose
    from rulestone.table import Face
    from rulestone.table.draw import draw as paint

    game = load(name)
    match = game.new(seed, players, read_options(option))
    bot = "greedy" if game.greedy is not None else "random"
    while match.ply < ply and match.to_move is not None:
        match.play(choose(match.view(match.to_move), bot, seed * 1000 + match.ply))
    paint(Face.of(game).scene(match.view(seat), seat, narrow), out, theme=theme, scale=scale)
    console.print(f"Saved {game.title} after {match.ply} moves to {out}.", markup=False)


@app.command("print", rich_help_panel=MAKE)
def print_and_play(
    name: GameName,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="The PDF to write (default: the game's name, in the current folder).")
    ] = None,
    paper: Annotated[str, typer.Option(help="Paper: a4 or letter.", autocompletion=_papers)] = "a4",
    only: Annotated[
        str,
        typer.Option(
            metavar="PARTS",
            help="Print only some parts, separated by commas: guide, reference, board, cards, tiles, disks, tokens, rules (default: all).",
        ),
    ] = "",
    mono: Annotated[bool, typer.Option("--mono", help="Print in black and white, with little ink.")] = False,
    players: Annotated[int | None, typer.Option("--players", "-p", help="Number of players (default: enough for every number).")] = None,
    option: Annotated[
        list[str] | None, typer.Option("--option", metavar="NAME=VALUE", help="Set an option of the game. Repeat to set several.")
    ] = None,
    change: Changes = None,
) -> None:
    """Print a game: a PDF with its board, cards and pieces to cut out, a reference sheet and the rules.

    The first page says how to print it and put it together.

    Example: rulestone print connect_four -o connect_four.pdf --paper letter
    """
    from rulestone.printing import Order, prepare, typeset

    game = load(name, read_options(change))
    parts = tuple(dict.fromkeys(part.strip() for part in only.split(",") if part.strip()))
    order = Order(paper.lower(), mono, parts, players, read_options(option))
    file = out or Path(
        f"{(game.base or game).name}{'-changed' * bool(game.changes)}{'-mono' * mono}{'-letter' * (order.paper == 'letter')}.pdf"
    )
    _check_writable(file)
    laid_out = prepare(game, order)  # report bad input before anything is shown
    with _counting(1, "printing") as progress:
        made = typeset(laid_out, lambda done, of: progress(1, of))
    try:
        file.write_bytes(made.pdf)
    except OSError as problem:
        raise Refusal(f"can't write {file}: {problem.strerror}") from None
    pages = f"{made.pages} {'page' if made.pages == 1 else 'pages'}"
    how = " The first page says how to print it." if order.wants("guide") else " Print at actual size (100 %)."
    console.print(f"Saved {game.title}, {pages} of {order.sheet.title}, to {file}.{how}", markup=False, soft_wrap=True)


@app.command("replay", rich_help_panel=PLAY)
def replay_in_browser(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Record of a finished game (JSON).")],
    game: OwnGame = None,
    ply: Annotated[int, typer.Option(min=0, help="Move to start from.")] = 0,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the replay in your browser.")] = True,
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 8001,
) -> None:
    """Replay a finished game in the browser."""
    from rulestone.server.app import show

    record = _read_record(file)
    match = _replayed(record, game)
    if not match.over:
        raise Refusal(f"the game in {file} isn't finished; only finished games can be replayed")
    if ply > len(match.moves):
        raise Refusal(f"the game in {file} has {len(match.moves)} moves; there is no move {ply}")
    show(record, ply, port, browser, game)


@app.command(rich_help_panel=PLAY)
def review(
    file: Annotated[Path, typer.Argument(help="The record of a finished game (JSON).")],
    game: OwnGame = None,
    seconds: Annotated[float, typer.Option("--seconds", min=0.1, help="How long it may take, without compiling.")] = 30.0,
    simulations: Annotated[
        int | None, typer.Option(min=1, help="Simulations for each decision instead: the same seed then gives the same review.")
    ] = None,
    seat: Annotated[list[int] | None, typer.Option("--seat", "-s", help="Judge only this seat (from 0); repeat for several.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the search.")] = 1,
    threads: Annotated[int | None, typer.Option(min=1, help="Threads (default: one for each core).")] = None,
    page: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write the review to this file, one HTML page.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Review a finished game: what each decision kept, what would have kept more, and what was luck."""
    from rulestone.review import page as pages
    from rulestone.review import review as run

    match = _replayed(_read_record(file), game)
    if page is not None:
        _check_writable(page)
    stop = threading.Event()
    with _counting(match.length, "thinking") as progress:
        try:
            found = run(
                match, seats=seat, seconds=seconds, simulations=simulations, seed=seed, threads=threads, stop=stop,
                progress=lambda done, total: progress(1, total),
            )  # fmt: skip
        except KeyboardInterrupt:
            stop.set()
            raise
    if page is not None:
        _write(page, pages.html(found, match))
    if as_json:
        print(json.dumps(found.to_dict(), indent=2))
        return
    table = Table(box=None, header_style="bold")
    for column in pages.columns(found):
        table.add_column(column, justify="left" if column in ("player", "") else "right")
    for account in found.accounts:
        table.add_row(*map(escape, pages.row(account)))
    console.print(table)
    for decision in found.turning_points:
        who = f"[bold]{escape(found.accounts[decision.player].name)}[/], {decision.verdict}."
        console.print(f"{who} {escape(decision.sentence())}", soft_wrap=True)
    if not found.turning_points:
        console.print("No decision lost so much that the search is sure of it.")
    console.print(pages.method(found), style="dim", markup=False)
    if page is not None:
        console.print(f"The review is in {page}.", markup=False)


@app.command(rich_help_panel=PLAY)
def puzzles(
    name: GameName,
    count: Annotated[int, typer.Option("--count", "-n", min=1, help="How many puzzles the file is to hold.")] = 100,
    seconds: Annotated[
        float | None, typer.Option("--seconds", min=0.1, help="Stop after this time; run the same command to continue.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the games that are searched.")] = 1,
    gap: Annotated[float, typer.Option(min=0.01, max=1, help="By how much of the chance the solution must beat every other move.")] = 0.15,
    out: Annotated[Path, typer.Option("--out", "-o", help="The file; one that is there is continued.")] = Path("puzzles.json"),
    check: Annotated[bool, typer.Option("--check", help="Check the file instead: every puzzle can be played and fits the game.")] = False,
    prove: Annotated[bool, typer.Option("--prove", help="With --check: search every puzzle again.")] = False,
) -> None:
    """Find puzzles: positions where exactly one move is far better than all others, for what the player knows."""
    from rulestone.review import puzzles as work

    game = load(name)
    if check:
        if not out.is_file():
            raise Refusal(f"there is no file {out}")
        with _counting(len(work.read(out)[0]), "checking") as progress:
            number = work.check(game, out, proof=work.PROOF if prove else None, progress=progress)
        console.print(f"[green]fine[/] {number} puzzles of {escape(game.title)} in {escape(str(out))}")
        return
    _check_writable(out)
    before, began = len(work.read(out)[0]) if out.is_file() else 0, time.perf_counter()
    with _counting(count, "searching") as progress:
        progress(before)
        shown = before

        def told(found: int, games: int) -> None:
            nonlocal shown
            progress(found - shown)
            shown = found

        found = work.find(game, out, count=count, seconds=seconds, seed=seed, gap=gap, progress=told)
    rate = 60 * (len(found) - before) / (time.perf_counter() - began)
    more = "" if len(found) >= count else " Run the same command to continue."
    console.print(f"{len(found)} puzzles in {out} ({rate:.1f} a minute).{more}", markup=False)


def _read_record(file: Path) -> Any:
    try:
        return json.loads(file.read_text())
    except OSError as problem:
        raise Refusal(f"can't read {file}: {problem.strerror}") from None
    except (ValueError, RecursionError):  # the latter if it is nested thousands of times
        raise Refusal(f"{file} isn't a match record: it isn't valid JSON") from None


def _replayed(record: Any, game: str | None) -> Match:
    if game is not None:
        return replay(record, load(game, split(str(record.get("game")))[1] if isinstance(record, dict) else None))
    try:
        return replay(record)
    except RecordError as problem:
        if isinstance(problem.__context__, UnknownGame):
            raise Refusal(f"{problem.__context__}; if it's your own game, name its folder with --game FOLDER") from None
        raise


@app.command(rich_help_panel=PLAY)
def verify(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Match record (JSON).")],
    game: OwnGame = None,
    commitment: Annotated[
        str | None, typer.Option(metavar="HEX", help="The fingerprint you noted before the first move; its first 16 digits are enough.")
    ] = None,
    mine: Annotated[str | None, typer.Option(metavar="HEX", help="Your browser's number, which must be part of the seed.")] = None,
) -> None:
    """Verify that a game was played honestly.

    Replays its record from the seed and compares everything it claims.
    The fingerprint (SHA-256) of the server's secret was shown before the first move, and the seed is made of that secret and of a number
    from each player's browser.
    """
    from rulestone.table import Face

    record = _read_record(file)
    match = _replayed(record, game)
    shown = match.parts.commitment if match.parts else match.commitment
    if commitment is not None and (len(commitment) < 16 or not shown.startswith(commitment.lower())):
        raise RecordError(f"this is not the game you noted: its fingerprint is {shown}")
    if mine is not None and (match.parts is None or mine.lower() not in match.parts.values):
        raise RecordError("your browser's number is not part of this game's seed")
    state = (
        f"over, payoff {', '.join(f'{value:g}' for value in match.payoff)}" if match.over else f"not over, player {match.to_move} to move"
    )
    by_hand = "laid" in record or "dice" in record
    verdict = "[yellow]consistent, but not proven[/]" if by_hand else "[green]honest[/]"
    console.print(f"{verdict}: {match.game.title}, {len(match.moves)} moves, {state}.")
    if match.ended:
        console.print(" ".join(Face.of(match.game).ending(match.view(None))), markup=False)
    console.print(f"seed {match.seed}", style="dim", markup=False)
    if match.parts is None:
        console.print(f"SHA-256 of the seed, shown before the first move: {shown}", style="dim", markup=False)
    else:
        console.print(f"SHA-256 of the server's secret, shown before the first move: {shown}", style="dim", markup=False)
        for player, words in enumerate(match.parts.says()):
            console.print(f"{match.game.about.name(player, match.players)}: {words}", style="dim", markup=False)
    if "state" not in record:
        console.print("The record doesn't say where its moves lead: it was made where other rules were installed.")
    if by_hand:
        console.print("The position or the dice were set by hand, so the seed alone doesn't determine the game.")


def main() -> None:
    """Run the command line. Errors are printed to stderr in one sentence: bad input exits with code 2, a bad record with code 1."""
    try:
        app()
    except Exception as problem:
        sentence = _sentence(problem)
        if sentence is None:
            raise
        Console(stderr=True, highlight=False).print(f"rulestone: {sentence}", markup=False, soft_wrap=True)
        sys.exit(1 if isinstance(problem, RecordError) else 2)
    except KeyboardInterrupt:
        sys.exit(130)


def _sentence(problem: Exception) -> str | None:
    """Return what is wrong with the input (an argument, or a game's file that can't be read or compiled), or None if it's not the input."""
    wrong = None if isinstance(problem, Refusal | UnknownGame) else misread(problem)
    if wrong is not None:
        return wrong
    if isinstance(problem, TypeError):
        from rulestone.kernel.compiled import RuleError

        return str(problem) if isinstance(problem, RuleError) else None
    return str(problem) if isinstance(problem, Refusal | UnknownGame | ValueError) else None


if __name__ == "__main__":
    main()
