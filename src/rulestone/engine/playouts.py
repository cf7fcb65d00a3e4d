"""Playouts: many whole games in one call, on all cores.

The results depend only on the seed and the number of games, not on the number of threads, because each game has its own random stream.
"""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from rulestone.engine import quick
from rulestone.engine.loops import DECISIONS, GAMES, LONGEST, PLAYERS, SHORTEST, UNITS, net_games, policy_games, random_games
from rulestone.kernel.chance import MASK
from rulestone.kernel.record import SCRATCH, Scratch
from rulestone.nets.net import Minds, is_net, net_of

if TYPE_CHECKING:
    from rulestone.game import Game


@dataclass(frozen=True)
class Playouts:
    """The results of many games, as arrays. `len(results)` is the number of games."""

    payoffs: NDArray[np.float32]
    """The payoffs: one row per game, one column per player."""
    lengths: NDArray[np.int32]
    """The number of moves of each game."""
    verbs: NDArray[np.int32]
    """How often each verb was used: one row per game, one column per verb, in the order of `verb_names`."""
    verb_names: tuple[str, ...]
    """The verbs of the game."""
    seed: int
    """The seed that the games were played with."""

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def winners(self) -> NDArray[np.int8]:
        """The player with the highest payoff in each game; -1 if several share it."""
        best = self.payoffs.max(axis=1, keepdims=True)
        alone = (self.payoffs == best).sum(axis=1) == 1
        return np.where(alone, self.payoffs.argmax(axis=1), -1).astype(np.int8)

    @property
    def verb_counts(self) -> dict[str, int]:
        """How often each verb was used in all games together, by name."""
        return dict(zip(self.verb_names, self.verbs.sum(axis=0, dtype=np.int64).tolist(), strict=True))

    @property
    def decisions(self) -> int:
        """The number of moves in all games together."""
        return int(self.lengths.sum())

    @property
    def totals(self) -> Totals:
        """What all games together come to."""
        return Totals.of(count(self.payoffs, self.lengths, self.verbs), self.verb_names, self.seed)


@dataclass(frozen=True)
class Totals:
    """What many games together come to. `len(totals)` is the number of games.

    They are the same on every machine: payoffs are added up as whole numbers, which a different order of the games doesn't change.
    """

    games: int
    """The number of games."""
    decisions: int
    """The number of moves in all games together."""
    shortest: int
    """The number of moves in the shortest game."""
    longest: int
    """The number of moves in the longest game."""
    wins: tuple[int, ...]
    """For each player, in how many games nobody else had a payoff as high."""
    positive: tuple[int, ...]
    """For each player, in how many games the payoff was above 0."""
    payoffs: tuple[float, ...]
    """The mean payoff of each player."""
    verb_counts: dict[str, int]
    """How often each verb was used, by name."""
    seed: int
    """The seed that the games were played with."""

    def __len__(self) -> int:
        return self.games

    @property
    def mean_length(self) -> float:
        """The mean number of moves of a game."""
        return self.decisions / max(1, self.games)

    @staticmethod
    def of(counted: NDArray[np.int64], verb_names: Sequence[str], seed: int) -> Totals:
        """The totals in a vector that is laid out as in `engine.loops`."""
        verbs = len(counted) - len(verb_names)
        wins, positive, paid = counted[PLAYERS:verbs].reshape(-1, 3).T.tolist()
        games, decisions, shortest, longest = counted[[GAMES, DECISIONS, SHORTEST, LONGEST]].tolist()
        means = tuple(units / UNITS / max(1, games) for units in paid)
        named = dict(zip(verb_names, counted[verbs:].tolist(), strict=True))
        return Totals(games, decisions, shortest if games else 0, longest, tuple(wins), tuple(positive), means, named, seed)


def count(payoff: NDArray[Any], length: NDArray[Any], verbs: NDArray[Any]) -> NDArray[np.int64]:
    """Add up rows to a vector of totals."""
    games, players = payoff.shape
    made = np.zeros(PLAYERS + 3 * players + verbs.shape[1], np.int64)
    if games:
        columns = np.ascontiguousarray(payoff.T)  # NumPy is slow along short rows
        best = np.maximum.reduce(columns)
        leading = columns == best
        alone = np.add.reduce(leading.view(np.int8)) == 1
        made[[GAMES, DECISIONS, SHORTEST, LONGEST]] = games, length.sum(dtype=np.int64), length.min(), length.max()
        parts = made[PLAYERS : PLAYERS + 3 * players].reshape(players, 3)
        for player, column in enumerate(columns):
            paid = (column.astype(np.float64) * UNITS).astype(np.int64).sum()
            parts[player] = np.count_nonzero(leading[player] & alone), np.count_nonzero(column > 0), paid
        made[PLAYERS + 3 * players :] = [column.sum(dtype=np.int64) for column in verbs.T]
    return made


def join(several: Sequence[NDArray[np.int64]], size: int) -> NDArray[np.int64]:
    """Put vectors of totals of different games together."""
    played = np.array([one for one in several if one[GAMES]], np.int64).reshape(-1, size)
    made: NDArray[np.int64] = played.sum(axis=0)
    if len(played):
        made[SHORTEST], made[LONGEST] = played[:, SHORTEST].min(), played[:, LONGEST].max()
    return made


@overload
def playouts(
    game: Game,
    games: int,
    *,
    players: int | None = None,
    options: Mapping[str, Any] | None = None,
    bots: str | Sequence[str] = "random",
    seed: int | None = None,
    threads: int | None = None,
    gpu: bool = False,
    progress: Callable[[int], None] | None = None,
    rows: Literal[True] = True,
) -> Playouts: ...


@overload
def playouts(
    game: Game,
    games: int,
    *,
    players: int | None = None,
    options: Mapping[str, Any] | None = None,
    bots: str | Sequence[str] = "random",
    seed: int | None = None,
    threads: int | None = None,
    gpu: bool = False,
    progress: Callable[[int], None] | None = None,
    rows: Literal[False],
) -> Totals: ...


def playouts(
    game: Game,
    games: int,
    *,
    players: int | None = None,
    options: Mapping[str, Any] | None = None,
    bots: str | Sequence[str] = "random",
    seed: int | None = None,
    threads: int | None = None,
    gpu: bool = False,
    progress: Callable[[int], None] | None = None,
    rows: bool = True,
) -> Playouts | Totals:
    """Play `games` whole games and return the results: a row for each game, or with `rows=False` only the totals, which is faster.

    `bots` is "random", "greedy", "net" or "net:FILE" for all seats, or a list with one for each. Without a `seed`, a random one is drawn.
    `threads` defaults to the number of CPU cores. With `gpu`, the games are played on the GPU, with the same results; nets can't play there
    yet. `progress` is called after each batch with the number of games in it.

    Raises ValueError if an argument isn't valid, and NoGpu if there is no GPU to play on.

    >>> import rulestone
    >>> results = playouts(rulestone.load("connect_four"), 1000, seed=1)
    >>> len(results), int(results.lengths.max()) <= 42, results.verb_counts["drop"] == results.decisions
    (1000, True, True)
    >>> totals = playouts(rulestone.load("connect_four"), 1000, seed=1, rows=False)
    >>> totals == results.totals, totals.wins[0] == int((results.winners == 0).sum())
    (True, True)
    """
    if games < 0:
        raise ValueError(f"the number of games can't be {games}")
    start, players = game.prepared(players, options)
    names = [bots] * players if isinstance(bots, str) else list(bots)
    if len(names) != players:
        raise ValueError(f"got {len(names)} bots for {players} players; name one for all seats or one for each")
    for name in names:
        if name not in ("random", "greedy") and not is_net(name):
            raise ValueError(f"there is no bot {name!r} for playouts; choose random, greedy, net or net:FILE")
    if "greedy" in names and game.greedy is None:
        raise ValueError(f"{game.name} has no greedy bot; choose random")
    if gpu and threads is not None:
        raise ValueError("threads can't be combined with gpu; leave one of them out")
    trained = {name: net_of(name, game, players, game.option_values(start)) for name in names if is_net(name)}
    if gpu and trained:
        raise ValueError("nets can't play on the GPU yet; leave out gpu")
    seed = secrets.randbits(63) if seed is None else index(seed)
    threads = threads or (1 if game.mode == "interpreted" else len(os.sched_getaffinity(0)))

    verb_names = tuple(game.actions.verbs)
    verb_of = np.array([index for index, verb in enumerate(game.actions) for _ in range(verb.count)], np.int16)
    numbers = {"random": quick.RANDOM, "greedy": quick.GREEDY, **{name: quick.NETS + k for k, name in enumerate(trained)}}
    policy = np.array([numbers[name] for name in names], np.int8)
    template = net_games if trained else policy_games if policy.any() else random_games
    wrapped_seed = seed & MASK

    def blank(count: int) -> tuple[NDArray[Any], ...]:
        return np.zeros((count, players), np.float32), np.zeros(count, np.int32), np.zeros((count, len(verb_names)), np.int32)

    whole = blank(games if rows else 0)
    if gpu:
        from rulestone.engine.gpu import Table

        table = Table(game, game.bared(start), players, wrapped_seed, policy, verb_of, progress)
        if not rows:
            return Totals.of(table.totals(games), verb_names, seed)
        table.rows(whole)
        return Playouts(whole[0], whole[1], whole[2], verb_names, seed)

    run = game.silent(template) if game.mode == "compiled" else None
    minds = Minds(game, game.bare if run else game.layout, list(trained.values()), run is not None)
    most = 200 if run is None else min(20_000, 1_000_000 // max(1, game.about.longest))  # batches are short, so that Ctrl-C works
    chunk = max(1, min(-(-games // (threads * 16)), most))
    batches = iter(range(0, games, chunk))  # shared: a thread that has finished takes the next batch
    counted: list[NDArray[np.int64]] = []
    ended = threading.Event()

    def work() -> None:
        call: Any
        own_seed: Any
        if run is not None:
            call, own_seed = run, np.uint64(wrapped_seed)
            states = game.bare.array(1 + 256 // game.bare.dtype.itemsize)  # a cache line to itself
            head: list[Any] = [states, game.bared(start)]
            spare: Any = game.bare.array(SCRATCH)
            tail: list[Any] = [policy, spare, np.zeros(len(game.actions), np.int16), verb_of]
        else:
            call, own_seed = game.interpreted(template), wrapped_seed
            head = [Scratch.of(game.layout, 1), [game.layout.reader(start)]]
            spare = game.layout.array(SCRATCH)
            records = Scratch([game.layout.reader(spare[k : k + 1]) for k in range(SCRATCH)])
            tail = [policy.tolist(), records, [0] * len(game.actions), verb_of.tolist()]
        if trained:
            tail[1] = (tail[1], minds.mind, minds.desk(spare))
        own = blank(0 if rows else chunk)  # for totals, a thread uses the same rows again and again: they stay in its cache
        for first in batches:
            if ended.is_set():
                return
            some = min(chunk, games - first)
            part = tuple(array[first : first + some] if rows else array[:some] for array in (whole if rows else own))
            if not rows:
                part[-1][:] = 0
            call(*head, first, some, own_seed, *tail, part)
            if not rows:
                counted.append(count(*part))
            if progress is not None:
                progress(some)

    if threads == 1:
        work()
    else:
        with ThreadPoolExecutor(threads) as pool:
            try:
                for done in as_completed([pool.submit(work) for _ in range(threads)]):
                    done.result()
            finally:  # Ctrl-C or an error in one thread stops all threads
                ended.set()
    if not rows:
        return Totals.of(join(counted, PLAYERS + 3 * players + len(verb_names)), verb_names, seed)
    return Playouts(whole[0], whole[1], whole[2], verb_names, seed)
