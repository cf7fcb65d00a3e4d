"""The command line: `rulestone games | play | serve | draw | playouts | lab | replay | new | check | verify`."""

from __future__ import annotations

import errno
import json
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

import rulestone
import rulestone.games as built_in_games
from rulestone.game import BrokenGame, Game, UnknownGame, installed, load, slip
from rulestone.match import Match, RecordError, replay
from rulestone.variant import split

if TYPE_CHECKING:
    from rulestone.bots.ladder import Ladder

app = typer.Typer(
    name="rulestone",
    help="Board games whose rules are written once, in plain Python: play them, let bots play them, or play them by the million.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
console = Console(highlight=False)


class Refusal(Exception):
    """Bad input: one clear sentence, exit code 2."""


def _game_names(incomplete: str) -> list[str]:
    return [name for name in built_in_games.names() if name.startswith(incomplete)]


GameName = Annotated[
    str, typer.Argument(help="A game's name (see `rulestone games`) or the path of its folder.", autocompletion=_game_names)
]
Options = Annotated[
    list[str] | None, typer.Option("--option", "-o", metavar="NAME=VALUE", help="Set an option of the game; repeat for several.")
]
Changes = Annotated[
    list[str] | None,
    typer.Option("--change", "-c", metavar="NAME=VALUE", help="Change a constant of the game (see `rulestone options`); repeat."),
]
Players = Annotated[int | None, typer.Option("--players", "-p", help="How many play (default: the game's usual number).")]
OwnGame = Annotated[
    str | None, typer.Option("--game", metavar="NAME_OR_FOLDER", help="The record's game, if it is one of your own: its folder.")
]


def read_options(pairs: list[str] | None) -> dict[str, str]:
    """NAME=VALUE texts as a dictionary."""
    options: dict[str, str] = {}
    for pair in pairs or []:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise Refusal(f"{pair!r} is not of the form NAME=VALUE")
        name, value = name.strip(), value.strip()
        if options.setdefault(name, value) != value:
            raise Refusal(f"{name!r} is given twice, as {options[name]} and as {value}; give it once")
    return options


def _version(wanted: bool) -> None:
    if wanted:
        console.print(f"rulestone {rulestone.__version__}")
        raise typer.Exit


@app.callback()
def top(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and stop.")] = False,
) -> None:
    """Board games whose rules are written once, in plain Python."""


@app.command()
def games(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List the games that can be loaded, with players, length and options."""
    rows = []
    for name, game in installed():
        rows.append((name, game.title, _span(game), game.about.minutes, game.about.summary, list(game.options)))
    if as_json:
        keys = ("name", "title", "players", "minutes", "summary", "options")
        print(json.dumps([dict(zip(keys, row, strict=True)) for row in rows], indent=2))
        return
    table = Table(box=None, header_style="bold")
    for column in ("name", "title", "players", "minutes", "what it is"):
        table.add_column(column)
    for row in rows:
        table.add_row(*row[:5])
    console.print(table)


def _span(game: Game) -> str:
    return str(game.min_players) if game.min_players == game.max_players else f"{game.min_players}-{game.max_players}"


@app.command()
def options(name: GameName) -> None:
    """Show a game's options: values, defaults and what they do; and the constants that `--change` and `lab --vary` can change."""
    game = load(name)
    table = Table(box=None, header_style="bold")
    for column in ("option", "default", "possible", "what it does"):
        table.add_column(column)
    for option in game.options.values():
        table.add_row(option.name, str(option.default_for(game.about.usual_players)), option.possible(), option.help)
    console.print(table if game.options else f"{game.title} has no options.")
    table = Table(box=None, header_style="bold")
    for column in ("constant", "value", "file", "what is said there"):
        table.add_column(column)
    for constant in game.constants.values():
        value = repr(constant.value)
        short = value if len(value) <= 40 else f"{value[:39]}…"
        table.add_row(constant.name, escape(short), constant.file, escape(constant.about))
    console.print(table)


@app.command()
def play(
    name: GameName,
    seat: Annotated[
        list[str] | None, typer.Option("--seat", "-s", help="A seat you play (a number from 0; repeat, or `all`, or `none`).")
    ] = None,
    bot: Annotated[
        str,
        typer.Option(
            "--bot",
            "-b",
            help="Who plays the other seats: random, greedy, level:1 to level:5, mcts:2000, mcts:1s, or package.module:Class.",
        ),
    ] = "random",
    players: Players = None,
    option: Options = None,
    change: Changes = None,
    seed: Annotated[str | None, typer.Option(help="Seed of the match (default: a secret one).")] = None,
    save: Annotated[Path | None, typer.Option(help="Write the record of the match to this file at the end.")] = None,
) -> None:
    """Play a game in the terminal, against bots or with others at the same keyboard."""
    from rulestone.terminal import Session

    game = load(name, read_options(change))
    match = game.new(seed, players, read_options(option))
    session = Session(console, match, _seats(seat, match.players), bot)
    if save is not None:
        _check_writable(save)
    try:
        session.run()
    finally:  # also after Ctrl-C
        if save is not None:
            _write(save, json.dumps(match.record(), indent=2) + "\n")
            console.print(f"The record is in {save}.", markup=False)


def _seats(texts: list[str] | None, players: int) -> set[int]:
    chosen: set[int] = set()
    for text in texts or ["0"]:
        if text == "all":
            chosen |= set(range(players))
        elif text.isdigit() and int(text) < players:
            chosen.add(int(text))
        elif text != "none":
            raise Refusal(f"there is no seat {text!r}; seats are 0..{players - 1}, all or none")
    return chosen


def _check_writable(path: Path) -> None:
    wrong = errno.EISDIR if path.is_dir() else 0 if path.parent.is_dir() else errno.ENOENT
    if not wrong and not os.access(path if path.exists() else path.parent, os.W_OK):
        wrong = errno.EACCES
    if wrong:
        raise Refusal(f"{path} cannot be written: {os.strerror(wrong)}")


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text)
    except OSError as problem:
        raise Refusal(f"{path} cannot be written: {problem.strerror}") from None


@contextmanager
def _counting(total: int, doing: str = "playing") -> Iterator[Callable[..., None]]:
    """A bar on the terminal while games are played; call what it gives with how many more are done (and of how many, if that changes)."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("compiling", total=total)
        yield lambda done, of=total: progress.update(task, description=doing, advance=done, total=of)


@app.command()
def playouts(
    name: GameName,
    games: Annotated[int, typer.Option("--games", "-n", min=1, help="How many games.")] = 100_000,
    bots: Annotated[str, typer.Option(help="random or greedy, for all seats or one for each, separated by commas.")] = "random",
    players: Players = None,
    option: Options = None,
    seed: Annotated[int | None, typer.Option(help="Seed (default: a random one, printed).")] = None,
    threads: Annotated[int | None, typer.Option(min=1, help="Threads (default: one for each core).")] = None,
    gpu: Annotated[bool, typer.Option("--gpu", help="Play on the GPU: the same games, faster.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Play many whole games as fast as the machine can and say what came of them."""
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
    }
    run(game, 0, **arguments)  # complain before compiling
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
    console.print(f"{games:,} games, length {length['mean']:.1f} decisions on average ({length['min']} to {length['max']})")
    console.print("moves: " + ", ".join(f"{verb} {share:.1%}" for verb, share in summary["verbs"].items()))
    console.print(f"{summary['decisions'] / seconds:,.0f} decisions/s, {games / seconds:,.0f} games/s, seed {summary['seed']}", style="dim")


def summarise(game: Game, results: Any, seconds: float) -> dict[str, Any]:
    """The figures that `playouts` prints. A seat wins with the highest payoff alone, or in a cooperative game with a positive one."""
    from rulestone.statistics import wilson

    count, players = results.payoffs.shape
    wins = (results.payoffs > 0).sum(axis=0) if game.cooperative else [(results.winners == p).sum() for p in range(players)]
    seats = []
    for player in range(players):
        low, high = wilson(int(wins[player]), count)
        payoff = float(results.payoffs[:, player].mean())
        seats.append(
            {"seat": game.about.name(player, players), "wins": int(wins[player]) / count, "low": low, "high": high, "payoff": payoff}
        )
    total = max(1, results.decisions)
    return {
        "game": game.name,
        "players": players,
        "games": count,
        "seats": seats,
        "length": {"mean": float(results.lengths.mean()), "min": int(results.lengths.min()), "max": int(results.lengths.max())},
        "verbs": {verb: n / total for verb, n in results.verb_counts.items()},
        "decisions": results.decisions,
        "seconds": seconds,
        "seed": results.seed,
    }


@app.command()
def ladder(
    name: GameName,
    bots: Annotated[
        str | None,
        typer.Option(help="Who takes part, separated by commas (default: random, greedy if the game has one, level:1 to level:5)."),
    ] = None,
    games: Annotated[int, typer.Option("--games", "-n", min=1, help="Games for every pair of bots (cooperative: for every bot).")] = 20,
    players: Players = None,
    option: Options = None,
    seed: Annotated[int, typer.Option(help="Seed of the games and of the bots.")] = 1,
    threads: Annotated[int | None, typer.Option(min=1, help="Games at a time (default: one for each core).")] = None,
    neighbours: Annotated[bool, typer.Option("--neighbours", help="Only bots named one after the other play each other.")] = False,
    settle: Annotated[
        bool, typer.Option("--settle", help="Stop a pair as soon as it is settled who is better (--games: at most).")
    ] = False,
    lone: Annotated[
        bool, typer.Option("--lone", help="Beyond two seats only the first named of a pair sits alone (else by turns).")
    ] = False,
    keep: Annotated[
        Path | None,
        typer.Option(help="Write every game to this file; a ladder that finds its games there goes on instead of playing them again."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Let bots play each other in rotating seats and say how strong they are, with 95 % intervals.

    Ctrl-C ends it and tells what has been played so far.
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
    run(game, who, 0, **arguments)  # complain before compiling
    pairs = len(who) - 1 if neighbours else len(who) * (len(who) - 1) // 2
    count = games * (len(who) if game.cooperative else pairs)
    with _counting(count) as progress:
        result = run(game, who, games, threads=threads or len(os.sched_getaffinity(0)), progress=progress, **arguments)
    if result.played or as_json:
        _tell_ladder(game, result, as_json)
    if result.stopped:
        kept = "The same command goes on." if keep else "Nothing was kept; --keep FILE keeps the games."
        Console(stderr=True, highlight=False).print(f"Stopped after {len(result.played):,} games. {kept}", markup=False, soft_wrap=True)
        raise typer.Exit(130)


def _tell_ladder(game: Game, result: Ladder, as_json: bool) -> None:
    if as_json:
        print(json.dumps(result.as_json(game.name), indent=2))
        return
    table = Table(box=None, header_style="bold")
    for column in ("bot", "games", "team wins" if game.cooperative else "wins", "95 % interval", "Elo", "s a move"):
        table.add_column(column, justify="left" if column == "bot" else "right")
    for row in result.standings:
        elo = "–" if row.elo is None else f"{row.elo:+.0f} ± {row.plus_minus:.0f}"
        table.add_row(row.bot, str(row.games), f"{row.score:.1%}", f"{row.low:.1%} … {row.high:.1%}", elo, f"{row.seconds_a_move:.3f}")
    console.print(table)
    for pair in result.pairs:
        verdict = "" if pair.low <= pair.fair <= pair.high else " (significant)"
        against = f"{pair.fair:.1%} of {pair.other} on the same deals" if game.cooperative else pair.other
        even = "" if game.cooperative else f"; fair {pair.fair:.1%}"
        text = f"{pair.one} wins {pair.score:.1%} against {against} ({pair.low:.1%} … {pair.high:.1%}{even}; {pair.games} games){verdict}"
        console.print(text, style="dim")


@app.command()
def foretell(
    name: GameName,
    games: Annotated[int, typer.Option("--games", "-n", min=1, help="Games to look at.")] = 200,
    bot: Annotated[str | None, typer.Option(help="Who plays them (default: greedy if the game has one, else random).")] = None,
    players: Players = None,
    option: Options = None,
    seed: Annotated[int, typer.Option(help="Seed of the games and of the bot.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say how well a game's `estimate` foretells results: a search that trusts a poor one plays poorly."""
    from rulestone.bots.foretell import foretell as run
    from rulestone.bots.search import settings_of

    game = load(name)
    with _counting(games) as progress:
        seen = run(game, bot=bot, games=games, players=players, options=read_options(option), seed=seed, progress=progress)
    if as_json:
        told = {"game": game.name, "games": games, "positions": len(seen.told), "error": seen.error, "blind": seen.blind}
        print(json.dumps({**told, "bands": seen.bands()}, indent=2))
        return
    looked = f"{len(seen.told):,} positions of {games:,} games" if games > 1 else f"{len(seen.told):,} positions of a game"
    console.print(f"{looked}: squared error {seen.error:.4f}; knowing nothing {seen.blind:.4f}.")
    table = Table(box=None, header_style="bold")
    for column in ("told", "came", "times"):
        table.add_column(column, justify="right")
    for low, high, came, times in seen.bands():
        table.add_row(f"{low:.0%} … {high:.0%}", f"{came:.1%}", f"{times:,}")
    console.print(table)
    if settings_of(game, seen.told.shape[1]).cut == -1:
        console.print("(The search of this game asks it about finished games only, if at all: `cut` is -1.)")
    elif seen.error >= seen.blind:
        console.print("It tells less than knowing nothing: a search is better off without it (`cut`: -1) or with one less sure of itself.")


@app.command()
def lab(
    context: typer.Context,
    name: GameName,
    games: Annotated[int, typer.Option("--games", "-n", min=1, help="How many games (with --until: at most).")] = 10_000,
    players: Players = None,
    bots: Annotated[
        str, typer.Option(help="Who plays: random, greedy, mcts:200, level:3, …; one for all, or one for each seat, rotating (a,b,c,d).")
    ] = "random",
    option: Annotated[
        list[str] | None, typer.Option("--option", "--options", "-o", metavar="NAME=VALUE", help="Set an option of the game; repeat.")
    ] = None,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=A,B,C",
            help="Compare values of an option, a constant, `players` or `bots` (lists of bots: A,B/C,D); repeat for several.",
        ),
    ] = None,
    change: Changes = None,
    grid: Annotated[bool, typer.Option("--grid/--one-at-a-time", help="All combinations of what varies, or one change at a time.")] = True,
    skill: Annotated[str | None, typer.Option(help="Does thinking pay? Each of these bots plays one seat against --bots (A,B,C).")] = None,
    seed: Annotated[int, typer.Option(help="Seed: the same gives the same totals, on any number of cores.")] = 1,
    until: Annotated[
        str | None, typer.Option(metavar="WHAT", help="Stop when it is known exactly enough: 'seat win rate ±0.5 %', 'decisions ±0.2'.")
    ] = None,
    report: Annotated[Path | None, typer.Option(help="Write a report, one HTML file.")] = None,
    out: Annotated[Path | None, typer.Option(help="Keep everything in this folder: games (Parquet), totals, summary, examples.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the study in --out.")] = False,
    workers: Annotated[int | None, typer.Option(min=1, help="How many at a time (default: one for each core).")] = None,
    ray: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Work on a Ray cluster: its address, `auto` or `local`.")] = None,
    gpu: Annotated[bool, typer.Option("--gpu", help="Play on the GPU (random and greedy): the same games, faster.")] = False,
    estimates: Annotated[
        int | None, typer.Option(min=0, help="Games watched by a bot that estimates the chances (default: 20 for a report).")
    ] = None,
    luck: Annotated[int | None, typer.Option(min=0, help="Deals replayed to tell luck from play (default: 200 for a report).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Learn from many games: is it fair, how long is it, what does nobody use, what would a change do."""
    from rulestone.lab import command

    given = {name for name in context.params if getattr(context.get_parameter_source(name), "name", "") == "COMMANDLINE"}
    if estimates is None:
        estimates = 20 if report is not None else 0
    if luck is None:
        luck = 200 if report is not None else 0
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
    if report is not None:
        _check_writable(report)
    fresh = not resume or bool(given & {*wanted, "option", "change"})
    code = command.run(
        console, name, wanted if fresh else None, out=out, resume=resume, workers=workers, ray=ray, gpu=gpu, report=report, as_json=as_json
    )
    if code:
        raise typer.Exit(code)


@app.command()
def new(
    name: Annotated[str, typer.Argument(help="The new game's name: lower-case letters, digits and underscores.")],
    where: Annotated[Path, typer.Option("--in", help="Make its folder in this one.")] = Path("."),
) -> None:
    """Make the folder of a new game that plays, passes its tests and explains itself."""
    from rulestone.scaffold import make

    try:
        folder = make(name, where)
    except (ValueError, OSError) as problem:
        raise Refusal(str(problem)) from None
    console.print(
        f"Made {folder}. Play it:  rulestone play {folder}\nTest it:  pytest {folder}\nThen write your own rules in {folder / 'rules.py'}.",
        markup=False,
    )


@app.command()
def check(
    name: GameName,
    players: Players = None,
    option: Options = None,
    games: Annotated[int, typer.Option(min=1, help="Random games audited for each configuration.")] = 200,
    seed: Annotated[int, typer.Option(help="Seed of the games played.")] = 1,
) -> None:
    """Check a game's whole contract: legality, endings, hidden information, interpreted = compiled, and more."""
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
        except Exception as problem:
            told = str(problem) if isinstance(problem, ContractError | BrokenGame) else slip(game, problem)
            if told is None:
                raise
            console.print(f"[bold red]broken[/] {escape(str(case))}\n{escape(told)}", soft_wrap=True)
            raise typer.Exit(1) from None
        console.print(f"[green]fine[/] {escape(str(case))}")


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="The address to listen at; 0.0.0.0 lets others in your network in.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port to listen at.")] = 8000,
    db: Annotated[str | None, typer.Option(help="Where tables are kept, a database URL (default: a file in your data folder).")] = None,
    game: Annotated[list[Path] | None, typer.Option(help="The folder of a game of your own; repeat for several.")] = None,
    name: Annotated[
        list[str] | None, typer.Option("--name", help="A host name this server answers to (default: local names, or any).")
    ] = None,
    bot: Annotated[
        list[str] | None, typer.Option(help="A further bot for empty chairs: mcts:5000, an installed one, package.module:Class; repeat.")
    ] = None,
    pace: Annotated[float, typer.Option(min=0, max=60, help="The least time a bot takes for a move, in seconds.")] = 0.7,
    open_browser: Annotated[bool, typer.Option("--open", help="Open the table in your browser.")] = False,
) -> None:
    """Open the table: all games in the browser, with friends by link and with bots."""
    from rulestone.server.app import serve as run

    run(host, port, db, games=game or (), hosts=name or (), bots=bot or (), pace=pace, open_browser=open_browser)


@app.command()
def draw(
    name: GameName,
    out: Annotated[Path, typer.Option("--out", "-o", help="The picture to write, an .svg or (with Chromium installed) a .png file.")],
    seed: Annotated[int, typer.Option(help="Seed of the match.")] = 1,
    ply: Annotated[int, typer.Option(min=0, help="After how many moves (bots play them, the game's own where it has one).")] = 0,
    seat: Annotated[int | None, typer.Option(help="Through whose eyes (default: a spectator's).")] = None,
    players: Players = None,
    option: Annotated[list[str] | None, typer.Option("--option", metavar="NAME=VALUE", help="Set an option of the game.")] = None,
    theme: Annotated[str, typer.Option(help="light, dark, or auto (as the reader's system is).")] = "light",
    scale: Annotated[float, typer.Option(min=0.1, max=8, help="Size of a PNG, in times of the scene's own.")] = 1,
) -> None:
    """Draw a position: the same scene that the table shows."""
    from rulestone.bots import choose
    from rulestone.table import Face
    from rulestone.table.draw import draw as paint

    game = load(name)
    match = game.new(seed, players, read_options(option))
    bot = "greedy" if game.greedy is not None else "random"
    while match.ply < ply and match.to_move is not None:
        match.play(choose(match.view(match.to_move), bot, seed * 1000 + match.ply))
    paint(Face.of(game).scene(match.view(seat), seat), out, theme=theme, scale=scale)
    console.print(f"{game.title} after {match.ply} moves is in {out}.", markup=False)


@app.command("replay")
def look_back(
    file: Annotated[Path, typer.Argument(help="The record of a finished game (JSON).")],
    game: OwnGame = None,
    ply: Annotated[int, typer.Option(min=0, help="At which move to open it.")] = 0,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open it in your browser.")] = True,
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port to listen at.")] = 8001,
) -> None:
    """Look back at a game on the replay page, at the very move."""
    from rulestone.server.app import show

    record = _read_record(file)
    match = _replayed(record, game)
    if not match.over:
        raise Refusal(f"the game in {file} is not finished; only finished games can be looked back at")
    if ply > len(match.moves):
        raise Refusal(f"the game in {file} has {len(match.moves)} moves; there is no move {ply}")
    show(record, ply, port, browser, game)


@app.command()
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
    for column in pages.COLUMNS:
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


@app.command()
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
        raise Refusal(f"{file} cannot be read: {problem.strerror}") from None
    except ValueError:
        raise Refusal(f"{file} is not JSON") from None


def _replayed(record: Any, game: str | None) -> Match:
    if game is not None:
        return replay(record, load(game, split(str(record.get("game")))[1] if isinstance(record, dict) else None))
    try:
        return replay(record)
    except RecordError as problem:
        if isinstance(problem.__context__, UnknownGame):
            raise Refusal(f"{problem.__context__}; --game FOLDER names one of your own") from None
        raise


@app.command()
def verify(file: Annotated[Path, typer.Argument(help="A match record (JSON).")], game: OwnGame = None) -> None:
    """Prove a finished game honest: play its record again from the seed and compare everything it claims."""
    record = _read_record(file)
    match = _replayed(record, game)
    state = f"over, payoff {', '.join(f'{value:g}' for value in match.payoff)}" if match.over else f"not over, {match.to_move} to move"
    by_hand = "laid" in record or "dice" in record
    verdict = "[yellow]consistent, but not proved[/]" if by_hand else "[green]honest[/]"
    console.print(f"{verdict}: {match.game.title}, {len(match.moves)} moves, {state}.")
    console.print(f"seed {match.seed}\nits SHA-256, shown before the first move: {match.commitment}", style="dim", markup=False)
    if by_hand:
        console.print("The position or dice were set by hand, so the seed did not decide all of it.")


def main() -> None:
    """Entry point: run a command; bad input ends with one sentence and exit code 2, a broken promise with 1."""
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
    """What is wrong, if it is the input: an argument, or a game's file that cannot be read or compiled."""
    places = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(problem.__traceback__) if _reads_a_game(frame.f_code)]
    if isinstance(problem, SyntaxError) and problem.filename and Path(problem.filename).with_name("rules.py").is_file():
        return f"{problem.filename} line {problem.lineno}: {problem.msg}"
    if places and not isinstance(problem, Refusal | UnknownGame):
        file, line = places[-1]
        return f"{file} line {line}: {type(problem).__name__}: {problem}"
    if isinstance(problem, TypeError):
        from rulestone.kernel.compiled import RuleError

        return str(problem) if isinstance(problem, RuleError) else None
    return str(problem) if isinstance(problem, Refusal | UnknownGame | ValueError) else None


def _reads_a_game(code: CodeType) -> bool:
    return code.co_name == "<module>" and Path(code.co_filename).with_name("rules.py").is_file()


if __name__ == "__main__":
    main()
