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
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rulestone.engine import quick
from rulestone.engine.loops import net_games, policy_games, random_games
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
) -> Playouts:
    """Play `games` whole games and return the results.

    `bots` is "random", "greedy", "net" or "net:FILE" for all seats, or a list with one for each. Without a `seed`, a random one is drawn.
    `threads` defaults to the number of CPU cores. With `gpu`, the games are played on the GPU, with the same results; nets can't play there
    yet. `progress` is called after each batch with the number of games in it.

    Raises ValueError if an argument isn't valid, and NoGpu if there is no GPU to play on.

    >>> import rulestone
    >>> results = playouts(rulestone.load("connect_four"), 1000, seed=1)
    >>> len(results), int(results.lengths.max()) <= 42, results.verb_counts["drop"] == results.decisions
    (1000, True, True)
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

    payoff = np.zeros((games, players), np.float32)
    length = np.zeros(games, np.int32)
    verb_of = np.array([index for index, verb in enumerate(game.actions) for _ in range(verb.count)], np.int16)
    numbers = {"random": quick.RANDOM, "greedy": quick.GREEDY, **{name: quick.NETS + k for k, name in enumerate(trained)}}
    policy = np.array([numbers[name] for name in names], np.int8)
    verbs = np.zeros((games, len(game.actions.verbs)), np.int32)
    template = net_games if trained else policy_games if policy.any() else random_games
    wrapped_seed = seed & MASK
    if gpu:
        from rulestone.engine.gpu import run as run_on_gpu

        run_on_gpu(game, template, game.bared(start), wrapped_seed, policy, SCRATCH, verb_of, (payoff, length, verbs), progress)
        return Playouts(payoff, length, verbs, tuple(game.actions.verbs), seed)

    run = game.silent(template) if game.mode == "compiled" else None
    minds = Minds(game, game.bare if run else game.layout, list(trained.values()), run is not None)
    most = 200 if run is None else min(20_000, 1_000_000 // max(1, game.about.longest))  # batches are short, so that Ctrl-C works
    chunk = max(1, min(-(-games // (threads * 16)), most))
    batches = iter(range(0, games, chunk))  # shared: a thread that has finished takes the next batch
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
        for first in batches:
            if ended.is_set():
                return
            count = min(chunk, games - first)
            rows = tuple(array[first : first + count] for array in (payoff, length, verbs))
            call(*head, first, count, own_seed, *tail, rows)
            if progress is not None:
                progress(count)

    if threads == 1:
        work()
    else:
        with ThreadPoolExecutor(threads) as pool:
            try:
                for done in as_completed([pool.submit(work) for _ in range(threads)]):
                    done.result()
            finally:  # Ctrl-C or an error in one thread stops all threads
                ended.set()
    return Playouts(payoff, length, verbs, tuple(game.actions.verbs), seed)
