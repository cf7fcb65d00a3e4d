"""The ladder: bots play each other in rotating seats, and their strength is told with intervals.

Strength is the usual one of two-player games, carried over to more: whoever has strength g wins with probability g divided
by the sum of the strengths at the table. Elo is 400 log10 g, so that 400 points are ten to one between two players. In a
cooperative game a team of each bot plays the same deals, and the share of games won is told.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rulestone.bots import decide, make

if TYPE_CHECKING:
    from rulestone.game import Game

Z = 1.959964
"""Standard errors to both sides that hold 95 %."""


@dataclass(frozen=True)
class Table:
    """Who sits where (numbers of bots), and the seed of the game."""

    seats: tuple[int, ...]
    seed: int


@dataclass
class Played:
    """One game: what each seat got, and the seconds and decisions of each bot."""

    table: Table
    payoff: tuple[float, ...]
    moves: int
    seconds: dict[int, float] = field(default_factory=dict)
    decisions: dict[int, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Standing:
    """One bot's place on the ladder. In a cooperative game `elo` is None and `score` the share of games won."""

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
    """What one bot scored against another: the mean share of the win, against what would be fair at these tables."""

    one: str
    other: str
    score: float
    low: float
    high: float
    fair: float
    games: int


@dataclass(frozen=True)
class Ladder:
    """The outcome: everybody, strongest first, and every pair."""

    standings: tuple[Standing, ...]
    pairs: tuple[Pair, ...]
    seed: int
    played: tuple[Played, ...]

    def as_json(self, game: str) -> dict[str, Any]:
        """The outcome as JSON-ready data."""
        return {
            "game": game,
            "seed": self.seed,
            "standings": [asdict(row) for row in self.standings],
            "pairs": [asdict(pair) for pair in self.pairs],
        }


def tables(bots: int, players: int, games: int, cooperative: bool, chooser: random.Random) -> Iterator[Table]:
    """For every pair of bots `games` games. At more than two seats one of the pair sits alone against the other everywhere else, by turns.

    >>> [table.seats for table in tables(2, 3, 6, False, random.Random(1))]
    [(0, 1, 1), (1, 0, 1), (1, 1, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    """
    if cooperative:
        seeds = [chooser.getrandbits(48) for _ in range(games)]
        for bot in range(bots):
            yield from (Table((bot,) * players, seed) for seed in seeds)
        return
    for one, other in combinations(range(bots), 2):
        seed = 0
        for number in range(games):
            if number % players == 0:
                seed = chooser.getrandbits(48)
            alone, rest = (one, other) if number // players % 2 == 0 or players == 2 else (other, one)
            yield Table(tuple(alone if seat == number % players else rest for seat in range(players)), seed)


def ladder(
    game: Game,
    bots: Sequence[str],
    games: int,
    *,
    players: int | None = None,
    options: Mapping[str, Any] | None = None,
    seed: int = 1,
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Ladder:
    """Play a round robin: `games` games for every pair of bots (in a cooperative game: for every bot).

    Budgets in seconds are measured on the processor's clock, so that a busy machine makes nobody weaker.

    >>> import rulestone
    >>> result = ladder(rulestone.load("connect_four"), ["random", "mcts:50"], 10)
    >>> result.standings[0].bot, result.standings[0].games
    ('mcts:50', 10)
    """
    _, players = game.prepared(players, options)
    if len(set(bots)) != len(bots) or len(bots) < (1 if game.cooperative else 2):
        raise ValueError("a ladder needs at least two different bots")
    for bot in bots:
        make(bot, game)  # complain before compiling
    todo = list(tables(len(bots), players, games, game.cooperative, random.Random(seed)))
    threads = 1 if game.mode == "interpreted" else max(1, min(threads, len(todo)))

    def work(lane: int) -> list[Played]:
        team = [make(bot, game, clock=time.thread_time, threads=1) for bot in bots]
        played = []
        for table in todo[lane::threads]:
            played.append(play(game, team, table, players, options))
            if progress is not None:
                progress(1)
        return played

    if not todo:
        return Ladder((), (), seed, ())
    game.warm_up()
    if threads == 1:
        played = work(0)
    else:
        with ThreadPoolExecutor(threads) as pool:
            played = [one for lane in pool.map(work, range(threads)) for one in lane]
    return standing(game, bots, played, seed)


def play(game: Game, team: Sequence[Any], table: Table, players: int, options: Mapping[str, Any] | None) -> Played:
    """One game. Seeds of decisions come from the table's seed and the seat, so the same table is played the same way again."""
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
        match.play(decide(match.view(seat), team[bot], chance).move)
        played.seconds[bot] = played.seconds.get(bot, 0.0) + time.thread_time() - began
        played.decisions[bot] = played.decisions.get(bot, 0) + 1
    played.payoff, played.moves = match.payoff, match.ply
    return played


def wins(played: Played) -> list[float]:
    """Each seat's share of the win: 1 for the best alone, divided where several are best."""
    best = max(played.payoff)
    share = 1 / played.payoff.count(best)
    return [share if value == best else 0.0 for value in played.payoff]


def standing(game: Game, bots: Sequence[str], played: list[Played], seed: int) -> Ladder:
    """Everybody's strength from all games."""
    seconds = [sum(one.seconds.get(bot, 0.0) for one in played) for bot in range(len(bots))]
    decisions = [sum(one.decisions.get(bot, 0) for one in played) for bot in range(len(bots))]
    pace = [seconds[bot] / max(1, decisions[bot]) for bot in range(len(bots))]
    rows = []
    if game.cooperative:
        for bot, name in enumerate(bots):
            own = [float(one.payoff[0] > 0) for one in played if one.table.seats[0] == bot]
            rows.append(Standing(name, *mean_interval(own), None, None, len(own), pace[bot]))
        rows.sort(key=lambda row: row.score, reverse=True)
        return Ladder(tuple(rows), (), seed, tuple(played))
    elo, error = strengths(len(bots), played)
    for bot, name in enumerate(bots):
        own = [
            sum(share for seat, share in enumerate(wins(one)) if one.table.seats[seat] == bot) for one in played if bot in one.table.seats
        ]
        rows.append(Standing(name, *mean_interval(own), float(elo[bot]), float(Z * error[bot]), len(own), pace[bot]))
    order = sorted(range(len(bots)), key=lambda bot: -elo[bot])
    pairs = []
    for place, one in enumerate(order):
        for other in order[place + 1 :]:
            met = [game for game in played if set(game.table.seats) == {one, other}]
            shares = [sum(share for seat, share in enumerate(wins(game)) if game.table.seats[seat] == one) for game in met]
            fair = float(np.mean([game.table.seats.count(one) / len(game.table.seats) for game in met])) if met else 0.5
            pairs.append(Pair(bots[one], bots[other], *mean_interval(shares), fair, len(met)))
    return Ladder(tuple(rows[bot] for bot in order), tuple(pairs), seed, tuple(played))


def mean_interval(values: Sequence[float]) -> tuple[float, float, float]:
    """The mean and its 95 % interval (Wilson's, which for shares between 0 and 1 errs on the wide side).

    >>> [round(value, 3) for value in mean_interval([1.0] * 53 + [0.0] * 47)]
    [0.53, 0.433, 0.625]
    """
    n = len(values)
    if n == 0:
        return 0.5, 0.0, 1.0
    share = sum(values) / n
    centre = share + Z * Z / (2 * n)
    spread = Z * math.sqrt(share * (1 - share) / n + Z * Z / (4 * n * n))
    return share, (centre - spread) / (1 + Z * Z / n), (centre + spread) / (1 + Z * Z / n)


def strengths(bots: int, played: Sequence[Played]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Elo (mean 0) and standard error of every bot: the likeliest strengths, with two drawn games against an average
    player added for each, so that even a bot that never lost has a number (Newton's method).
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
