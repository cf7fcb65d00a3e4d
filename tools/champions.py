"""The champions, the nets that come with the games: how they are trained, how strong they are, and where they are kept.

    python -m tools.champions train     train one for each game with a quick bot, at every number of players, all at the same time
    python -m tools.champions measure   play them against the quick bot and the top level
    python -m tools.champions unpack    take what another machine packed
    python -m tools.champions adopt     put them into the games' folders, with their ladder

Nets, logs and games are in build/champions. The training is `rulestone train` with the command that each net's file records.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import time
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from rulestone.bots.ladder import ladder, mean_interval, settled
from rulestone.engine.playouts import playouts
from rulestone.game import Game, installed
from rulestone.nets.net import Net, own_file

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build" / "champions"
LADDER = ROOT / "docs" / "bots" / "champions.json"
TOP = "level:5"
QUICK_GAMES = 4000
BLOCK = 1000
SEARCH = "mcts:{time} net:{net}"
ARCHIVES, ARCHIVE_BYTES = 8, 15_000_000
"""How many archives are packed at most, and how large."""
app = typer.Typer(help=__doc__, add_completion=False)
Only = Annotated[str, typer.Option(help="Only these, separated by commas: GAME-PLAYERS.")]
Build = Annotated[Path, typer.Option(help="Where nets, logs and games are.")]
Packed = Annotated[
    Path | None,
    typer.Option("--pack", help=f"Pack all that into at most {ARCHIVES} archives in this folder, once a minute and at the end."),
]


@dataclass(frozen=True)
class Seat:
    """A game and a number of players: what a champion is for."""

    game: Game
    players: int

    @property
    def name(self) -> str:
        """What its files are called."""
        return f"{self.game.name}-{self.players}"


def seats(only: str = "") -> list[Seat]:
    """All games with a quick bot, at every number of players."""
    wanted = [name for name in only.split(",") if name]
    numbers = ((game, range(game.min_players, game.max_players + 1)) for _, game in installed() if game.greedy is not None)
    return [seat for game, players in numbers for number in players if (seat := Seat(game, number)).name in wanted or not wanted]


def pack(build: Path, folder: Path, most: int = ARCHIVES, size: int = ARCHIVE_BYTES) -> list[Path]:
    """Pack all files of a folder into a few archives of a limited size, small files first. Returns the files that there was no room for."""
    folder.mkdir(parents=True, exist_ok=True)
    archives: list[dict[str, bytes]] = []
    room: list[int] = []
    left = []
    for file in sorted(
        (file for file in build.iterdir() if file.is_file() and file.suffix != ".part"), key=lambda file: file.stat().st_size
    ):
        whole = file.read_bytes()
        need = len(zlib.compress(whole, 1)) + 1000
        place = next((place for place, there in enumerate(room) if need <= there), len(room))
        if place == len(room):
            if place == most or need > size:
                left.append(file)
                continue
            archives.append({})
            room.append(size)
        archives[place][file.name] = whole
        room[place] -= need
    for place, files in enumerate(archives):
        half = folder / f"champions-{place}.part"
        with zipfile.ZipFile(half, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for name, whole in files.items():
                archive.writestr(name, whole)
        half.replace(half.with_suffix(".zip"))
    return left


def packing(build: Path, folder: Path | None) -> None:
    """Pack if there is a folder to pack to, and say what there was no room for."""
    for file in pack(build, folder) if folder is not None else ():
        print(f"no room for {file.name} in the archives")


@app.command()
def unpack(files: list[Path], build: Build = BUILD) -> None:
    """Take nets, checkpoints and games from archives that `--pack` made."""
    build.mkdir(parents=True, exist_ok=True)
    for file in files:
        with zipfile.ZipFile(file) as archive:
            archive.extractall(build)


def side_by_side(commands: Sequence[tuple[str, list[str]]], logs: Path, folder: Path | None) -> bool:
    """Run commands at the same time, each with a log of its own, and pack everything once a minute. Returns whether all ended well.

    Ctrl-C reaches all of them.
    """
    logs.mkdir(parents=True, exist_ok=True)
    running: dict[str, subprocess.Popen[bytes]] = {}
    for name, command in commands:
        with (logs / f"{name}.log").open("wb") as log:
            running[name] = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, cwd=ROOT)
    began, fine = time.monotonic(), True
    packed = began
    while running:
        try:
            time.sleep(1)
            if time.monotonic() > packed + 60:
                packing(logs, folder)
                packed = time.monotonic()
            for name, process in list(running.items()):
                if process.poll() is not None:
                    fine = fine and process.returncode == 0
                    told = "done" if process.returncode == 0 else f"ended with {process.returncode}, see {logs / name}.log"
                    print(f"{time.monotonic() - began:5.0f} s  {name} {told}", flush=True)
                    del running[name]
        except KeyboardInterrupt:
            print("stopping", flush=True)
    packing(logs, folder)
    return fine


@app.command()
def train(
    minutes: Annotated[float, typer.Option(help="How long to train each.")] = 8.0,
    device: Annotated[str, typer.Option(help="cpu or cuda.")] = "cpu",
    seed: Annotated[int, typer.Option(help="The seed of each training.")] = 1,
    width: Annotated[int, typer.Option(help="The width of the hidden layers.")] = 128,
    settings: Annotated[list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Change how they learn.")] = None,
    again: Annotated[bool, typer.Option(help="Train each as its file in the game's folder says that it was.")] = False,
    resume: Annotated[bool, typer.Option(help="Continue those that have a checkpoint, up to --minutes in all.")] = False,
    only: Only = "",
    build: Build = BUILD,
    packed: Packed = None,
) -> None:
    """Train champions, all at the same time."""
    build.mkdir(parents=True, exist_ok=True)
    commands = []
    for seat in seats(only):
        own = ["train", seat.game.name, "--players", str(seat.players), "--minutes", f"{minutes:g}", "--device", device]
        own += ["--seed", str(seed), "--width", str(width), *(word for setting in settings or () for word in ("--set", setting))]
        if again and (known := own_file(seat.game, seat.players)).is_file():
            own = shlex.split(Net.load(known).header["trained"]["command"])[1:]
        out = build / f"{seat.name}.net"
        if resume and out.with_suffix(".checkpoint").is_file():
            own = ["train", seat.game.name, "--players", str(seat.players), "--minutes", f"{minutes:g}", "--device", device, "--resume"]
        commands.append((seat.name, [sys.executable, "-m", "rulestone.cli", *own, "--replace", "--out", str(out)]))
    raise typer.Exit(not side_by_side(commands, build, packed))


# ---- measuring ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """How one bot did against another: its share of the win with a 95 % interval and what equal strength would give."""

    game: str
    players: int
    one: str
    other: str
    score: float
    low: float
    high: float
    fair: float
    games: int
    settled: bool
    one_ms: float | None = None
    other_ms: float | None = None
    """Processor time for a decision, in milliseconds, where it was measured."""

    @property
    def seat(self) -> str:
        """The name of the game and number of players, as in `Seat.name`."""
        return f"{self.game}-{self.players}"


def quick(seat: Seat, file: Path, games: int = QUICK_GAMES) -> Row:
    """Play a net against the quick bot: alone in each seat in turn, or in a cooperative game as a team on the same deals."""
    net, players = f"net:{file}", seat.players

    def shares(bots: str | Sequence[str], seed: int, count: int) -> np.ndarray[Any, Any]:
        payoffs = playouts(seat.game, count, players=players, bots=bots, seed=seed, threads=1).payoffs
        best = payoffs == payoffs.max(axis=1, keepdims=True)
        return payoffs > 0 if seat.game.cooperative else best / best.sum(axis=1, keepdims=True)

    own: list[float] = []
    gains: list[float] = []
    if seat.game.cooperative:
        one, other = (shares(bot, 1, games)[:, 0].astype(float) for bot in (net, "greedy"))
        own, gains, fair = one.tolist(), (one - other).tolist(), float(other.mean())
    else:
        fair = 1 / players
        for place in range(players):
            bots = [net if seat == place else "greedy" for seat in range(players)]
            own += shares(bots, 1 + place, -(-games // players))[:, place].tolist()
        gains = [share - fair for share in own]
    return Row(seat.game.name, players, "net", "greedy", *mean_interval(own), fair, len(own), settled(gains))


def games_of(seat: Seat, one: str, other: str, seconds: float, first: int, keep: Path) -> None:
    """Let two bots play for some time, whole rounds only, and save every game."""
    until, lone = time.monotonic() + seconds, seat.players > 2
    length = 1 if seat.game.cooperative else seat.players
    seed = first * BLOCK
    while time.monotonic() < until:
        ladder(seat.game, [one, other], length, players=seat.players, seed=seed, keep=keep, lone=lone)
        seed += 1


def row_of(seat: Seat, one: str, other: str, files: Sequence[Path]) -> Row | None:
    """Return how the first bot did in the games of some files."""
    played = [json.loads(line) for file in files if file.is_file() for line in file.read_text().splitlines()]
    names = sorted({name for game in played for name in game["bots"]}, key=lambda name: not name.startswith(one.split(" net:")[0]))
    if len(names) != 2:
        return None
    shares: list[float] = []
    gains: list[float] = []
    if seat.game.cooperative:
        won: dict[int, dict[str, float]] = {}
        for game in played:
            won.setdefault(game["seed"], {})[game["bots"][0]] = float(game["payoff"][0] > 0)
        pairs = [(both[names[0]], both[names[1]]) for both in won.values() if len(both) == 2]
        shares, gains = [own for own, _ in pairs], [own - other for own, other in pairs]
        fair = sum(other for _, other in pairs) / max(1, len(pairs))
    else:
        fair = 1 / seat.players
        for game in played:
            best = max(game["payoff"])
            part = 1 / game["payoff"].count(best)
            shares.append(sum(part for name, paid in zip(game["bots"], game["payoff"], strict=True) if name == names[0] and paid == best))
            gains.append(shares[-1] - game["bots"].count(names[0]) / seat.players)
    pace = []
    for name in names:
        spent, decisions = (sum(game[what].get(name, 0) for game in played) for what in ("seconds", "decisions"))
        pace.append(round(1000 * spent / max(1, decisions), 3))
    return Row(seat.game.name, seat.players, one, other, *mean_interval(shares), fair, len(shares), settled(gains), *pace)


def matches(file: Path, thinking: str) -> dict[str, tuple[str, str]]:
    """The pairs that are played with a clock, by name: the net and a search with it against the top level."""
    return {"net": (f"net:{file}", TOP), "search": (SEARCH.format(time=thinking, net=file), TOP)}


@app.command()
def duel(name: str, pair: str, thinking: str, seconds: float, first: int, build: Build = BUILD) -> None:
    """Play one pair for some time (what `measure` runs on each core)."""
    [seat] = seats(name)
    if pair == "quick":
        (build / f"{name}.quick.json").write_text(json.dumps(asdict(quick(seat, build / f"{name}.net"))))
        return
    one, other = matches(build / f"{name}.net", thinking)[pair]
    games_of(seat, one, other, seconds, first, build / f"{name}.{pair}.{thinking}.{first}.jsonl")


def plan_of(text: str) -> Iterator[tuple[str, str, str, int]]:
    """Read who plays: GAME-PLAYERS:PAIR:THINKING*CORES, separated by commas.

    >>> list(plan_of("coin-2:search:250ms*2,coin-2:quick"))
    [('coin-2', 'search', '250ms', 2), ('coin-2', 'quick', '0', 1)]
    """
    for part in text.split(","):
        words, _, cores = part.partition("*")
        name, pair, *thinking = words.split(":")
        yield name, pair, thinking[0] if thinking else "0", int(cores or 1)


@app.command()
def measure(
    plan: Annotated[str, typer.Option(help="GAME-PLAYERS:PAIR:THINKING*CORES, separated by commas; PAIR is quick, net or search.")] = "",
    minutes: Annotated[float, typer.Option(help="How long each pair plays. Games that have begun are finished.")] = 5.0,
    build: Build = BUILD,
    packed: Packed = None,
) -> None:
    """Let champions play, side by side: `quick` against the quick bot, `net` and `search` against the top level."""
    whole = plan or ",".join(f"{seat.name}:quick" for seat in seats())
    commands = []
    for name, pair, thinking, cores in plan_of(whole):
        for core in range(cores):
            own = ["duel", name, pair, thinking, f"{60 * minutes:g}", str(core), "--build", str(build)]
            commands.append((f"{name}.{pair}.{thinking}.{core}", [sys.executable, "-m", "tools.champions", *own]))
    fine = side_by_side(commands, build, packed)
    for row in rows(build):
        print(told(row))
    raise typer.Exit(not fine)


def rows(build: Path) -> list[Row]:
    """Everything that has been measured."""
    found = []
    for seat in seats():
        if (file := build / f"{seat.name}.quick.json").is_file():
            found.append(Row(**json.loads(file.read_text())))
        for pair in ("net", "search"):
            groups: dict[str, list[Path]] = {}
            for file in sorted(build.glob(f"{seat.name}.{pair}.*.jsonl")):
                groups.setdefault(file.name.split(".")[2], []).append(file)
            for thinking, files in groups.items():
                one = "net" if pair == "net" else f"mcts:{thinking} net"
                if (row := row_of(seat, one, TOP, files)) is not None:
                    found.append(row)
    return found


def told(row: Row) -> str:
    """One line about a row."""
    pace = "" if row.one_ms is None else f", {row.one_ms:g} and {row.other_ms:g} ms a decision"
    sure = "settled" if row.settled else "not settled"
    return (
        f"{row.game} {row.players}: {row.one} v {row.other} {row.score:.1%} ({row.low:.1%}–{row.high:.1%}; {row.games}) of {row.fair:.1%},"
        f" {sure}{pace}"
    )


@app.command()
def adopt(only: Only = "", build: Build = BUILD) -> None:
    """Put the nets into the games' folders, and what was measured of them into docs/bots/champions.json, instead of what is there."""
    known = [Row(**row) for row in json.loads(LADDER.read_text())] if LADDER.is_file() else []
    for seat in seats(only):
        file = build / f"{seat.name}.net"
        if file.is_file():
            own = own_file(seat.game, seat.players)
            own.parent.mkdir(exist_ok=True)
            Net.load(file).check(seat.game, seat.players).save(own)
            known = [row for row in known if row.seat != seat.name] + [row for row in rows(build) if row.seat == seat.name]
    known.sort(key=lambda row: row.seat)
    LADDER.write_text("[\n" + ",\n".join(json.dumps(asdict(row)) for row in known) + "\n]\n")


if __name__ == "__main__":
    app()
