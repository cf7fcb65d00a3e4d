"""Thousands of games side by side, stepped by one compiled call: NumPy in, NumPy out, nothing copied.

>>> env = VectorEnv("connect_four", games=4, seed=1)
>>> env.to_move.tolist(), env.mask.shape, env.observations.shape, env.records["grid"].shape
([0, 0, 0, 0], (4, 7), (4, 53), (4, 6, 7))
>>> while not env.done.any():
...     env.step(env.sample())
>>> game = int(env.done.argmax())
>>> int(env.length[game]) >= 7, env.rewards[game].sum().item(), env.to_move[game].item()
(True, 0.0, 0)
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from operator import index
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rulestone.engine import quick
from rulestone.envs import batch
from rulestone.game import Game, load
from rulestone.kernel.chance import GOLDEN, MASK
from rulestone.kernel.record import SCRATCH, Layout, Scratch
from rulestone.match import Match
from rulestone.nets.encoding import Encoding
from rulestone.nets.net import Minds, Net, is_net, net_of

KEPT = ("_compiled", "_seeds", "_drawn", "_nets")
"""Private attributes that belong to a copy; all others follow from the public ones."""
POLICIES = {None: batch.CALLER, "random": quick.RANDOM, "greedy": quick.GREEDY}


class VectorEnv:
    """A batch of games of one kind. The attributes are arrays over the games, which the next `step` overwrites.

    `bots` lists who plays each seat: None for the caller; "random", "greedy", "net" or "net:FILE" for a bot that moves inside the same
    call. Without it, the caller moves for everybody. A game that ends restarts at once; game k of a seed is always the same game.

    With `device="cuda"`, everything stays on the GPU: see `rulestone.envs.device`.
    """

    def __new__(cls, *given: Any, device: str = "cpu", **settings: Any) -> Self:
        if device == "cpu" or cls is not VectorEnv:
            return super().__new__(cls)
        if device != "cuda":
            raise ValueError(f"there is no device {device!r}; possible: cpu, cuda")
        from rulestone.envs.device import DeviceEnv

        made: Any = super().__new__(DeviceEnv)
        return made  # type: ignore[no-any-return]

    def __init__(
        self,
        game: Game | str,
        games: int = 1024,
        *,
        players: int | None = None,
        options: Mapping[str, Any] | None = None,
        bots: Sequence[str | None] | None = None,
        seed: int | Sequence[int | None] | None = None,
        threads: int = 1,
        device: str = "cpu",
    ) -> None:
        if games < 1 or threads < 1:
            raise ValueError(f"games and threads must be at least 1, not {games} and {threads}")
        self.game = load(game) if isinstance(game, str) else game
        self.start, self.players = self.game.prepared(players, options)
        self.options = self.game.option_values(self.start)
        self._nets: list[Net] = []
        self.policy = self._policy(bots)
        self.games, self.threads, self.device = games, min(threads, games), device
        self.encoding = Encoding.of(self.game)
        self._compiled = self.game.mode == "compiled"
        self.states = self.layout.array(games)
        """The true records, including hidden information."""
        self.records = self.layout.array(games)
        """What the player to move knows about each game: records by field name; `records["grid"]` is a view."""
        self.observations: NDArray[np.int32] = np.zeros((games, self.encoding.size), np.int32)
        """The same as flat vectors; `encoding.slices` shows where each field is."""
        self.mask: NDArray[np.bool_] = np.zeros((games, len(self.game.actions)), np.bool_)
        """The legal action mask."""
        self.to_move: NDArray[np.int8] = np.zeros(games, np.int8)
        """Who is to move."""
        self.rewards: NDArray[np.float32] = np.zeros((games, self.players), np.float32)
        """Each player's payoff where a game has just ended, else 0."""
        self.done: NDArray[np.bool_] = np.zeros(games, np.bool_)
        """Where a game has just ended; most other arrays already show the new game there."""
        self.final = self.layout.array(games)
        """The last record of a game that has just ended, including hidden information; `look_back` is what a seat saw of it."""
        self.length: NDArray[np.int32] = np.zeros(games, np.int32)
        """The number of moves in the last finished game."""
        self.numbers: NDArray[np.int64] = np.zeros(games, np.int64)
        """The number of the game in each place: 0, 1, 2, … at first; each new game adds the number of places.

        In a place with a seed of its own it starts at 0, and each new game adds 1.
        """
        self.seeds: NDArray[np.uint64] = np.zeros(games, np.uint64)
        """The seed of the games in each place."""
        self.strides: NDArray[np.int64] = np.zeros(games, np.int64)
        """How much higher the number of the next game in each place is."""
        self._bind()
        self._seeds = random.Random()
        self.seed = self._drawn = 0
        self.reset(seed)

    @property
    def layout(self) -> Layout:
        """The fields of the records here: compiled games have no story."""
        return self.game.bare if self._compiled else self.game.layout

    def _policy(self, bots: Sequence[str | None] | None) -> NDArray[np.int8]:
        names = [None] * self.players if bots is None else list(bots)
        if isinstance(bots, str) or len(names) != self.players or None not in names:
            raise ValueError(
                f"bots must list one for each of {self.players} seats, with None where the caller moves (at least one), not {bots!r}"
            )
        policies: dict[str | None, int] = dict(POLICIES)
        for name in names:
            if name not in policies:
                if name is None or not is_net(name):
                    raise ValueError(f"there is no compiled bot {name!r}; possible: random, greedy, net, net:FILE, or None for the caller")
                policies[name] = quick.NETS + len(self._nets)
                self._nets.append(net_of(name, self.game, self.players, self.options))
        if "greedy" in names and self.game.greedy is None:
            raise ValueError(f"{self.game.name} has no greedy bot; possible: random, net, net:FILE")
        return np.array([policies[name] for name in names], np.int8)

    def _bind(self) -> None:
        """Prepare each thread's arguments once: only actions and seeds change between calls."""
        game, compiled = self.game, self._compiled
        self._pool = ThreadPoolExecutor(self.threads) if self.threads > 1 and compiled else None
        fill = self.fill
        self._advance = fill(batch.advance)
        self._first_illegal, self._sample, self._look = (fill(template) for template in (batch.first_illegal, batch.sample, batch.look))
        self._advise = fill(batch.advise)
        lanes = self.threads if self._pool else 1
        edges = [lane * self.games // lanes for lane in range(lanes + 1)]
        self._lanes = list(pairwise(edges))
        minds = Minds(game, self.layout, self._nets, compiled)
        spare = [self.layout.array(SCRATCH) for _ in self._lanes]
        self._spare = [self.tables(records) for records in spare]
        self._desks = [(minds.mind, minds.desk(records)) for records in spare]
        self._moves: list[Any] = [self.plain(np.zeros(len(game.actions), np.int16)) for _ in self._lanes]
        self._chosen = np.zeros(self.games, np.int64)
        self._fixed = tuple(self.tables(array) for array in (self.states, self.records, self.final))
        self._start = game.bared(self.start) if compiled else self.tables(self.start)
        self._numbering = self.plain(self.seeds), self.plain(self.strides)
        written = (self.numbers, self.to_move, self.rewards, self.done, self.length, self.mask)
        self._written = tuple(self.plain(array) for array in written)
        self._views = tuple(self.plain(part) for part in self.encoding.parts(self.records))
        self._out = (self._views, self.plain(Encoding(game, self.layout).runs), self.plain(self.observations))

    def __getstate__(self) -> dict[str, Any]:
        """What a copy needs. Views, templates and threads are made anew: NumPy would copy views apart from what they show."""
        return {name: value for name, value in vars(self).items() if name[0] != "_" or name in KEPT}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)
        self._bind()

    @property
    def compiled(self) -> bool:
        """Whether the rules are compiled."""
        return self._compiled

    def fill(self, template: Callable[..., Any]) -> Any:
        """A template of the engine for this game's records, as they are here."""
        return (self.game.silent if self._compiled else self.game.interpreted)(template)

    def plain(self, array: NDArray[Any]) -> Any:
        """An array as rules read it: itself, or for interpreted rules a view that returns plain numbers."""
        return array if self._compiled else memoryview(array)  # type: ignore[arg-type]

    def tables(self, array: NDArray[Any]) -> Any:
        """Records as rules read them."""
        return array if self._compiled else Scratch([self.game.layout.reader(array[k : k + 1]) for k in range(len(array))])

    def reset(self, seed: int | Sequence[int | None] | None = None, places: NDArray[np.bool_] | None = None) -> None:
        """Restart all games, or only those in `places` (a mask).

        With a number as seed, place k starts with game k of that seed. With a list, each place has a seed of its own, and starts with its
        game 0; None there goes on to the next game. Without a seed, all games restart from one that follows from the last one given, and
        single places go on to their next game.
        """
        here = np.ones(self.games, np.bool_) if places is None else places
        self._number(seed, places is None, here)
        self._run(np.where(here, batch.RESTART, batch.STAY).astype(np.int64))
        self.done[:] = False

    def _number(self, seed: int | Sequence[int | None] | None, everywhere: bool, here: NDArray[np.bool_]) -> None:
        """Give the games that are about to restart `here` their seeds and numbers."""
        if seed is None and everywhere:
            seed = self._seeds.getrandbits(63)
        elif seed is not None and not isinstance(seed, Sequence | np.ndarray):
            seed = index(seed)
            self._seeds = random.Random(seed)
        if isinstance(seed, int):
            self.seed, self._drawn = seed & MASK, 0
            self.seeds[here], self.strides[here] = self.seed, self.games
            self.numbers[here] = np.flatnonzero(here) - self.games
        elif seed is not None:
            if len(seed) != self.games:
                raise ValueError(f"reset needs {self.games} seeds, one for each game, not {len(seed)}")
            for place, own in enumerate(seed):
                if here[place] and own is not None:
                    self.seeds[place], self.strides[place], self.numbers[place] = index(own) & MASK, 1, -1

    def step(self, actions: ArrayLike, places: NDArray[np.bool_] | None = None) -> None:
        """Make one move in every game, or only in those in `places` (a mask). Raise ValueError, and change nothing, if one is illegal."""
        chosen = np.ascontiguousarray(actions)
        if chosen.shape != (self.games,) or chosen.dtype.kind not in "iu":
            raise ValueError(f"actions must be {self.games} integers, one for each game, not {chosen.dtype} of shape {chosen.shape}")
        if places is not None or chosen.dtype != np.int64:
            self._chosen[:] = chosen if places is None else np.where(places, chosen, batch.STAY)
            chosen = self._chosen
        wrong = int(self._first_illegal(self._written[-1], self.plain(chosen)))
        asked = chosen if places is None else chosen[places]
        if wrong >= 0 or (len(asked) and int(asked.min()) < 0):
            wrong = wrong if wrong >= 0 else int(np.flatnonzero((chosen < 0) & (True if places is None else places))[0])
            possible = np.flatnonzero(self.mask[wrong])[:12].tolist()
            raise ValueError(f"action {int(chosen[wrong])} is not possible in game {wrong}; possible there: {possible}")
        self._run(chosen)

    def _run(self, chosen: NDArray[np.int64]) -> None:
        actions = self.plain(chosen)

        def work(lane: int) -> None:
            first, stop = self._lanes[lane]
            tools = self._tools(lane)
            self._advance(self._fixed, tools, first, stop, self._numbering, self.plain(self.policy), actions, self._written, self._out)

        if self._pool is None:
            work(0)
        else:
            list(self._pool.map(work, range(len(self._lanes))))

    def _tools(self, lane: int) -> tuple[Any, ...]:
        return (self._spare[lane], self._start, self._moves[lane], *self._desks[lane])

    def _seed(self, seed: int) -> Any:
        return np.uint64(seed) if self._compiled else seed

    def sample(self) -> NDArray[np.int64]:
        """A legal action for each game, uniformly at random; new ones at every call, derived from the env's seed."""
        self._drawn += 1
        out = np.zeros(self.games, np.int64)
        self._sample(self._written[-1], self._seed((self.seed + GOLDEN * self._drawn) & MASK), self.plain(out))
        return out

    def advice(self, first: int = 0, stop: int | None = None) -> NDArray[np.int64]:
        """What the game's quick bot `greedy` would do now in the games first..stop-1, for whoever is to move: something to imitate."""
        if self.game.greedy is None:
            raise ValueError(f"{self.game.name} has no greedy bot")
        out = np.zeros(self.games, np.int64)
        stop = self.games if stop is None else stop
        self._advise(self._fixed[0], first, stop, self._tools(0), self.plain(out))
        return out[first:stop]

    def look(self, seat: int, records: NDArray[Any] | None = None, observations: NDArray[np.int32] | None = None) -> NDArray[np.int32]:
        """Every game as the player on this seat sees it now, whoever is to move: flat vectors (and records), written to given arrays."""
        records = self.layout.array(self.games) if records is None else records
        observations = np.zeros_like(self.observations) if observations is None else observations
        self._show(self._fixed[0], seat, records, observations)
        return observations

    def look_back(self, seat: int, records: NDArray[Any] | None = None) -> NDArray[np.int32]:
        """The games that have just ended (`done`), as the player on this seat saw them end: one flat vector (and record) for each."""
        ended = self.final[self.done]
        observations: NDArray[np.int32] = np.zeros((len(ended), self.encoding.size), np.int32)
        if len(ended):
            self._show(self.tables(ended), seat, self.layout.array(len(ended)) if records is None else records, observations)
        return observations

    def match(self, place: int, ended: bool = False) -> Match:
        """The game in a place as it stands (or as the last one there ended), as a match without a past: to inspect or draw."""
        match = self.game.new(0, self.players, self.options)
        for name in self.layout.fields:
            match.array[name] = (self.final if ended else self.states)[name][place : place + 1]
        return match

    def _show(self, states: Any, seat: int, records: NDArray[Any], observations: NDArray[np.int32]) -> None:
        if not 0 <= seat < self.players:
            raise ValueError(f"there is no seat {seat}; seats are 0..{self.players - 1}")
        views = tuple(self.plain(part) for part in self.encoding.parts(records))
        self._look(states, self.tables(records), seat, views, self._out[1], self.plain(observations))

    def close(self) -> None:
        """Stop the threads."""
        if self._pool is not None:
            self._pool.shutdown()
