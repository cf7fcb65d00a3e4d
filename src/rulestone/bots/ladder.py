"""The ladder: bots play each other in rotating seats, which shows their strength with confidence intervals.

Strength is defined as usual for two players and extended to more: a bot of strength g wins with probability g divided by the sum of the
strengths at the table. Elo is 400 log10 g, so 400 points are odds of ten to one between two players. In a cooperative game, a team of each
bot plays the same deals, and the share of games won counts.

A pair can be played until it's clear who is stronger, which takes few games if the difference is large. The test can be looked at after
every round: it's a bet against "they are equal" (with a mixture of stakes), and between equal bots the money grows to 40 in at most one of
40 ladders.
"""

from __future__ import annotations

import json
import math
import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rulestone.bots import Budget, decide, make
from rulestone.bots.nets import edition
from rulestone.game import digest
from rulestone.statistics import Z, wilson

if TYPE_CHECKING:
    from rulestone.game import Game

STAKES = np.array([[0.05], [0.1], [0.2], [0.3], [0.5], [0.7], [0.9]])
ENOUGH = 40
"""How much a stake of 1 must have grown, on either side, for 95 % confidence."""


@dataclass(frozen=True)
class Table:
    """The bot in each seat (by number), and the seed of the game."""

    seats: tuple[int, ...]
    seed: int


@dataclass
class Played:
    """One game: the payoff of each seat, the number of moves, and the seconds and decisions of each bot."""

    table: Table
    payoff: tuple[float, ...]
    moves: int
    seconds: dict[int, float] = field(default_factory=dict)
    decisions: dict[int, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Standing:
    """One bot's place on the ladder: its mean share of the win with a 95 % interval, and its Elo with its uncertainty.

    In a cooperative game, `elo` is None and `score` is the share of games won.
    """

    bot: str
    score: float
    low: float
    high: float
    elo: float | None
    plus_minus: float | None
    games: int
    seconds_a_move: float


@dataclass(frozen=True)
class Pair:
    """What one bot scored against another: its mean share of the win with a 95 % interval; `fair` is the share for equal strength.

    In a cooperative game, `score` is the share of games won by its team, and `fair` that of the other team on the same deals.
    """

    one: str
    other: str
    score: float
    low: float
    high: float
    fair: float
    games: int


@dataclass(frozen=True)
class Ladder:
    """The result of a ladder: all bots, strongest first, and all pairs."""

    standings: tuple[Standing, ...]
    pairs: tuple[Pair, ...]
    seed: int
    played: tuple[Played, ...]
    stopped: bool = False
    """Whether it was stopped with Ctrl-C before all games were played."""

    def as_json(self, game: str) -> dict[str, Any]:
        """Return the result as JSON-ready data. `game` is the name of the game."""
        return {
            "game": game,
            "seed": self.seed,
            "standings": [asdict(row) for row in self.standings],
            "pairs": [asdict(pair) for pair in self.pairs],
        }


def tables(one: int, other: int, players: int, games: int, chooser: random.Random, lone: bool = False) -> Iterator[Table]:
    """Yield the games of a pair of bots.

    With more than two seats, one bot of the pair has one seat and the other bot all other seats. They take turns, or with `lone`, the first
    bot is always the single one.

    >>> [table.seats for table in tables(0, 1, 3, 6, random.Random(1))]
    [(0, 1, 1), (1, 0, 1), (1, 1, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    """
    seed = 0
    for number in range(games):
        if number % players == 0:
            seed = chooser.getrandbits(48)
        alone, rest = (one, other) if lone or number // players % 2 == 0 or players == 2 else (other, one)
        yield Table(tuple(alone if seat == number % players else rest for seat in range(players)), seed)


def settled(differences: Sequence[float]) -> bool:
    """Return whether the mean of differences between -1 and 1 is not zero, with 95 % confidence, however often you look.

    >>> settled([0.5, -0.5] * 500), settled([0.5] * 20), settled([0.5] * 9000)
    (False, True, True)
    """
    values = np.asarray(differences, float)[None, :]
    grown = (np.logaddexp.reduce(np.log1p(side * STAKES * values).sum(axis=1)) for side in (1, -1))  # products of thousands overflow
    return bool(max(grown) >= math.log(ENOUGH * len(STAKES)))


@dataclass(frozen=True)
class Pairing:
    """Which pairs play, and how often; see `ladder`."""

    neighbours: bool = False
    settle: bool = False
    lone: bool = False


def ladder(
    game: Game,
    bots: Sequence[str],
    games: int,
    *,
    players: int | None = None,
    options: Mapping[str, Any] | None = None,
    seed: int = 1,
    threads: int = 1,
    keep: Path | None = None,
    progress: Callable[[int], None] | None = None,
    **pairing: bool,
) -> Ladder:
    """Play a round robin with `games` games per pair of bots (in a cooperative game, per bot) and return the standings.

    - `neighbours`: only bots next to each other in the list play each other.
    - `settle`: a pair stops as soon as it's clear who is stronger.
    - `lone`: with more than two seats, always the first bot of a pair has the single seat. This is faster if it thinks longer.
    - `keep`: every game is saved to this file, and games that are already in it aren't played again.
    - `progress` is called with 1 after each game.

    Budgets in seconds are measured in CPU time, so a busy machine makes no bot weaker. Ctrl-C ends the ladder early, with the standings so
    far. Raises ValueError if there are fewer than two different bots, and UnknownBot if there is no such bot.

    >>> import rulestone
    >>> result = ladder(rulestone.load("connect_four"), ["random", "mcts:50"], 10)
    >>> result.standings[0].bot, result.standings[0].games
    ('mcts:50', 10)
    """
    how = Pairing(**pairing)
    _, players = game.prepared(players, options)
    if len(set(bots)) != len(bots) or len(bots) < (1 if game.cooperative else 2):
        raise ValueError("a ladder needs at least two different bots")
    for bot in bots:
        make(bot, game)  # report an unknown bot before compiling
    kept = Kept(keep, [f"{bot} {edition(game, bot)}".strip() for bot in bots], identity(game, players, options))
    if games == 0:
        return Ladder((), (), seed, ())
    threads = 1 if game.mode == "interpreted" else max(1, threads)
    game.warm_up()
    lanes = threading.local()
    stop = threading.Event()
    finished: list[Played] = []

    def work(table: Table) -> Played:
        if not hasattr(lanes, "team"):
            lanes.team = [make(bot, game, clock=time.thread_time, threads=1) for bot in bots]
        played = kept.find(table)
        if played is None:
            played = play(game, lanes.team, table, players, options, stop)
            kept.add(played)
        finished.append(played)
        if progress is not None:
            progress(1)
        return played

    pairs = [(one, one + 1) for one in range(len(bots) - 1)] if how.neighbours else list(combinations(range(len(bots)), 2))
    contests: list[list[list[Table]]] = []  # for each pair its rounds, each a set of tables that is fair as a whole
    if game.cooperative:
        chooser = random.Random(seed)
        deals = [chooser.getrandbits(48) for _ in range(games)]
        contests = [[[Table((bot,) * players, deal)] for deal in deals] for bot in range(len(bots))]
    else:
        for one, other in pairs:
            chooser = random.Random(f"{seed} {bots[one]} {bots[other]}")  # a longer ladder starts with the same games
            todo, length = list(tables(one, other, players, games, chooser, how.lone)), players if players == 2 or how.lone else 2 * players
            contests.append([todo[first : first + length] for first in range(0, games, length)])
    with ThreadPoolExecutor(threads) as pool:
        try:
            if not how.settle:
                by_turns = (rounds for together in zip(*contests, strict=True) for rounds in together)
                played = list(pool.map(work, (table for rounds in by_turns for table in rounds)))
            elif game.cooperative:
                played = _settle_teams(contests, pairs, threads, lambda todo: list(pool.map(work, todo)))
            else:
                played = []
                for (one, _), contest in zip(pairs, contests, strict=True):
                    played += _settle(contest, one, threads, lambda todo: list(pool.map(work, todo)))
        except KeyboardInterrupt:
            stop.set()
            played = finished
    return replace(standing(game, bots, played, pairs, seed), stopped=stop.is_set())


def identity(game: Game, players: int, options: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return what games must have in common to be comparable: the edition of the rules and of the bots, players and options."""
    thinking = digest(file for file in Path(__file__).parent.glob("*.py") if file != Path(__file__))
    return {"game": game.name, "edition": game.edition, "thinking": thinking, "players": players, "options": dict(options or {})}


class Stopped(Exception):
    """A game was abandoned because the ladder was stopped."""


class Kept:
    """A file of games, one line of JSON each, so that a ladder can be continued later, or made longer.

    Games with other bots or options, or from before a change to the game or to the bots, are ignored.
    """

    def __init__(self, file: Path | None, bots: Sequence[str], about: Mapping[str, Any]) -> None:
        self.file, self.bots, self.about = file, bots, dict(about)
        self.games: dict[tuple[tuple[str, ...], int], dict[str, Any]] = {}
        self.lock = threading.Lock()
        if file is None:
            return
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch()
            text = file.read_text("utf-8")
        except (OSError, UnicodeError) as problem:
            raise ValueError(f"can't save games in {file}: {problem}") from None
        lines = text.splitlines(keepends=True)
        if lines and lines[-1].startswith('{"game": ') and not lines[-1].endswith("\n"):  # cut off by a crash
            file.write_text("".join(lines[:-1]), "utf-8")
            lines.pop()
        for number, line in enumerate(lines, 1):
            try:
                row = json.loads(line)
                key = tuple(row["bots"]), row["seed"]
                if {name: row.get(name) for name in self.about} == self.about:
                    self.games[key] = row
            except (ValueError, KeyError, TypeError):
                raise ValueError(f"line {number} of {file} is not a ladder game; choose another file") from None

    def _key(self, table: Table) -> tuple[tuple[str, ...], int]:
        return tuple(self.bots[bot] for bot in table.seats), table.seed

    def find(self, table: Table) -> Played | None:
        """Return the game of this table if it has been played, else None."""
        row = self.games.get(self._key(table))
        if row is None:
            return None
        seconds, decisions = ({self.bots.index(bot): value for bot, value in row[name].items()} for name in ("seconds", "decisions"))
        return Played(table, tuple(row["payoff"]), row["moves"], seconds, decisions)

    def add(self, played: Played) -> None:
        """Save a game."""
        if self.file is None:
            return
        bots, seed = self._key(played.table)
        row = {**self.about, "bots": bots, "seed": seed, "payoff": played.payoff, "moves": played.moves}
        row["seconds"] = {self.bots[bot]: value for bot, value in played.seconds.items()}
        row["decisions"] = {self.bots[bot]: value for bot, value in played.decisions.items()}
        with self.lock, self.file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


def _settle(contest: list[list[Table]], one: int, threads: int, work: Callable[[list[Table]], list[Played]]) -> list[Played]:
    """Play the games of a pair, round by round (enough at a time to fill the threads), until it's settled."""
    played: list[Played] = []
    at_once = -(-threads // len(contest[0]))
    for first in range(0, len(contest), at_once):
        played += work([table for rounds in contest[first : first + at_once] for table in rounds])
        if settled([share_of(one, game) - fair_of(one, game) for game in played]):
            break
    return played


def _settle_teams(
    contests: list[list[list[Table]]], pairs: list[tuple[int, int]], threads: int, work: Callable[[list[Table]], list[Played]]
) -> list[Played]:
    """Play the games of all teams, deal by deal, each team until all its pairs are settled."""
    played: list[list[Played]] = [[] for _ in contests]
    open_pairs = list(pairs)
    for first in range(0, len(contests[0]), threads):
        busy = sorted({bot for pair in open_pairs for bot in pair})
        for bot in busy:
            played[bot] += work([table for rounds in contests[bot][first : first + threads] for table in rounds])
        open_pairs = [pair for pair in open_pairs if not settled(differences(played[pair[0]], played[pair[1]]))]
    return [game for own in played for game in own]


def differences(one: Sequence[Played], other: Sequence[Played]) -> list[float]:
    """Return for each deal that both teams played 1 if only the first won, -1 if only the second did, else 0."""
    theirs = {row.table.seed: row.payoff[0] > 0 for row in other}
    return [float(row.payoff[0] > 0) - float(theirs[row.table.seed]) for row in one if row.table.seed in theirs]


def play(
    game: Game,
    team: Sequence[Any],
    table: Table,
    players: int,
    options: Mapping[str, Any] | None,
    stop: threading.Event | None = None,
    budgets: Mapping[int, Budget] | None = None,
) -> Played:
    """Play one game. The same table gives the same game. Raises Stopped if `stop` is set meanwhile.

    `budgets` limits what single bots (by number) can use for each decision.
    """
    match = game.new(table.seed, players, options)
    chooser = random.Random(table.seed)
    played = Played(table, (), 0)
    while (seat := match.to_move) is not None:
        legal = match.legal()
        chance = chooser.getrandbits(63)
        if len(legal) == 1:
            match.play(legal[0])
            continue
        bot = table.seats[seat]
        began = time.thread_time()
        move = decide(match.view(seat), team[bot], chance, (budgets or {}).get(bot), stop).move
        if stop is not None and stop.is_set():
            raise Stopped
        match.play(move)
        played.seconds[bot] = played.seconds.get(bot, 0.0) + time.thread_time() - began
        played.decisions[bot] = played.decisions.get(bot, 0) + 1
    played.payoff, played.moves = match.payoff, match.ply
    return played


def wins(played: Played) -> list[float]:
    """Return each seat's share of the win: 1 for a single winner, divided if several share the win."""
    best = max(played.payoff)
    share = 1 / played.payoff.count(best)
    return [share if value == best else 0.0 for value in played.payoff]


def share_of(bot: int, played: Played) -> float:
    """Return a bot's share of the win, over all its seats."""
    return sum(share for seat, share in enumerate(wins(played)) if played.table.seats[seat] == bot)


def fair_of(bot: int, played: Played) -> float:
    """Return the share of the seats that a bot had."""
    return played.table.seats.count(bot) / len(played.table.seats)


def standing(game: Game, bots: Sequence[str], played: list[Played], pairs: Sequence[tuple[int, int]], seed: int) -> Ladder:
    """Compute the standings from all games."""
    seconds = [sum(one.seconds.get(bot, 0.0) for one in played) for bot in range(len(bots))]
    decisions = [sum(one.decisions.get(bot, 0) for one in played) for bot in range(len(bots))]
    pace = [seconds[bot] / max(1, decisions[bot]) for bot in range(len(bots))]
    rows: list[Standing] = []
    elo, error = (np.zeros(len(bots)),) * 2 if game.cooperative else strengths(len(bots), played)
    for bot, name in enumerate(bots):
        own = [one for one in played if bot in one.table.seats]
        if game.cooperative:
            rows.append(Standing(name, *mean_interval([float(one.payoff[0] > 0) for one in own]), None, None, len(own), pace[bot]))
        else:
            score = mean_interval([share_of(bot, one) for one in own])
            rows.append(Standing(name, *score, float(elo[bot]), float(Z * error[bot]), len(own), pace[bot]))
    order = sorted(range(len(bots)), key=lambda bot: (-elo[bot], -rows[bot].score))
    met: list[Pair] = []
    for one, other in sorted((sorted(pair, key=order.index) for pair in pairs), key=lambda pair: [order.index(bot) for bot in pair]):
        if game.cooperative:
            teams = [[row for row in played if row.table.seats[0] == bot] for bot in (one, other)]
            if differences(*teams):
                met.append(_team_pair(bots[one], bots[other], *teams))
        elif common := [row for row in played if set(row.table.seats) == {one, other}]:
            fair = float(np.mean([fair_of(one, row) for row in common]))
            met.append(Pair(bots[one], bots[other], *mean_interval([share_of(one, row) for row in common]), fair, len(common)))
    return Ladder(tuple(rows[bot] for bot in order if rows[bot].games), tuple(met), seed, tuple(played))


def _team_pair(one: str, other: str, own: Sequence[Played], their: Sequence[Played]) -> Pair:
    """Compare two teams on the deals they both played. The interval is that of the paired difference, with one deal added each way."""
    values = differences(own, their)
    n = len(values)
    deals = {row.table.seed for row in own}
    fair = float(np.mean([row.payoff[0] > 0 for row in their if row.table.seed in deals]))
    spread = Z * float(np.std([*values, 1.0, -1.0])) / math.sqrt(n + 2)
    score = fair + float(np.mean(values))
    return Pair(one, other, score, max(0.0, score - spread), min(1.0, score + spread), fair, n)


def mean_interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean and its 95 % interval (Wilson's, which is slightly too wide for shares between 0 and 1).

    >>> [round(value, 3) for value in mean_interval([1.0] * 53 + [0.0] * 47)]
    [0.53, 0.433, 0.625]
    """
    return sum(values) / len(values) if values else 0.5, *wilson(sum(values), len(values))


def strengths(bots: int, played: Sequence[Played]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the Elo (mean 0) and standard error of every bot: the maximum-likelihood strengths, by Newton's method.

    For each bot, two drawn games against an average player are added, so that even one that never lost has a finite Elo.
    """
    theta = np.zeros(bots)
    hessian = np.eye(bots)
    for _ in range(50):
        gradient, hessian = np.zeros(bots), np.zeros((bots, bots))
        for one in played:
            seats = np.array(one.table.seats)
            weights = np.exp(theta[seats] - theta[seats].max())
            chance = np.zeros(bots)
            np.add.at(chance, seats, weights / weights.sum())
            np.add.at(gradient, seats, wins(one))
            gradient -= chance
            hessian += np.diag(chance) - np.outer(chance, chance)
        even = 1 / (1 + np.exp(-theta))
        gradient += 2 * (0.5 - even)
        hessian += np.diag(2 * even * (1 - even))
        step = np.linalg.solve(hessian, gradient)
        theta += np.clip(step, -2, 2)
        if np.abs(step).max() < 1e-9:
            break
    scale = 400 / math.log(10)
    centred = np.eye(bots) - 1 / bots
    covariance = centred @ np.linalg.inv(hessian) @ centred.T
    return scale * (theta - theta.mean()), scale * np.sqrt(np.diag(covariance))
