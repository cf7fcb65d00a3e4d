"""Monte Carlo tree search over what a player knows: the bot `mcts`, for any game."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, fields
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rulestone.bots import tree
from rulestone.bots.nets import Nets
from rulestone.bots.protocol import Budget, Choice, Thoughts
from rulestone.kernel.actions import Move
from rulestone.kernel.chance import MASK, stream
from rulestone.kernel.record import BASE_FIELDS, SCRATCH, Scratch
from rulestone.match import Match
from rulestone.nets.net import Minds, Net

if TYPE_CHECKING:
    from rulestone.game import Game

DEEPEST = 256
"""How many moves deep the tree can grow."""
MOST_NODES, EDGES_FOR_NODE, MOST_EDGES = 1 << 19, 12, 1 << 22
TICK = 0.01
"""The most seconds between two looks at the clock."""
COMEBACK = 0.5
"""A level stops early if the most visited move leads by this share of the remaining visits: another would need three quarters of them."""
SURE, TRIFLE = 3.0, 0.004
"""A level that uses `halving` drops a move once it's certain, by this many standard errors, that the move isn't better than the best one by
more than this payoff."""


@dataclass(frozen=True)
class Settings:
    """How to search a game. The defaults suit most games.

    A game's `bot.py` can set any of them in a dictionary `SEARCH`, to one value or to one per number of players (`{2: 2.5, 3: 1.0}`).
    """

    explore: float = 2.5
    """The weight of exploration: how strongly rarely tried moves are favoured."""
    urgency: float = 0.0
    """How much worse than the mean of its node an untried move is assumed to be."""
    guided: float = 1.0
    """The share of rollout moves made by the game's `greedy`, if it has one; the others are random."""
    cut: int = 0
    """After how many rollout moves the game's `estimate`, if it has one, replaces the rest of the game (0: at once, -1: never)."""
    advice: int = 4
    """The prior weight of the move that `greedy` would make, compared with 1 for any other move."""
    trust: float = 0.0
    """The share of the other players' moves in the tree made by `greedy`. It helps if chance leaves each node with few visits."""
    halving: bool = False
    """Whether the moves at the root are compared in the same imagined worlds, and the worse half is dropped step by step (sequential
    halving). Otherwise, promising moves are tried more often (PUCT). It applies only if `greedy` advises (`advice` above 1) and positions
    can't be solved."""
    caution: float = 1.0
    """With `halving`, by how many standard errors another move must be better than that of `greedy` to be played instead."""
    expected: bool = False
    """Whether `estimate` also values finished games, as what they were worth before a final roll of luck."""
    guide: float = 1.5
    """The weight of exploration where a net guides the search, instead of `explore`."""
    slips: float = 1.0
    """How often the lower levels make a random move, compared with other games: less if one bad move loses the game for everybody."""


Arrays = tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]


def arrays(room: int, edges: int) -> Arrays:
    """Allocate the large part of a tree's memory: edges, nodes, keys, and the hash table. Its contents don't matter."""
    table = 1 << (2 * room).bit_length()
    return np.zeros((edges, 7), np.float32), np.zeros((room, 6), np.float64), np.zeros(room, np.uint64), np.zeros(table, np.int32)


@dataclass
class Tree:
    """The memory of one search tree, reused for every move. `arrays_of` allocates the large part of it."""

    game: Game
    room: int
    jit: bool
    arrays_of: Callable[[int, int], Arrays] = arrays
    net: Net | None = None
    players: int = field(init=False, default=0)
    """The number of players at the root."""
    states: Any = field(init=False)
    arrays: tuple[Any, ...] = field(init=False)

    def __post_init__(self) -> None:
        layout, size = self.game.bare if self.jit else self.game.layout, len(self.game.actions)
        slots = tree.SPARE + SCRATCH
        edges = min(MOST_EDGES, self.room * EDGES_FOR_NODE + 2 * size + 2)
        self.edges, self.nodes, keys, hashes = self.arrays_of(self.room, edges)
        self.counts = np.zeros(4, np.int64)
        self.totals = np.zeros(layout.dtype["payoff"].shape[0], np.float64)
        result, path = np.zeros_like(self.totals), np.zeros((DEEPEST, 4), np.int64)
        skip, lead = _hashed_part(layout.dtype)
        memory: tuple[Any, ...] = (self.edges, self.nodes, keys, hashes)
        walk: tuple[Any, ...] = (path, self.counts, result, self.totals)
        records = layout.array(slots)
        self.root: NDArray[Any] = records[:1]
        minds = Minds(self.game, layout, [] if self.net is None else [self.net], self.jit)
        nets = (minds.mind, minds.desk(records))
        if self.jit:
            self.states = records
            words: Any = records.view(np.uint64).reshape(slots, -1)
            self.arrays = (self.states, (words, skip, np.uint64(lead)), memory, walk, np.zeros(size, np.int16), nets)
        else:
            rows = [records[slot : slot + 1] for slot in range(slots)]
            self.states = Scratch([layout.reader(row) for row in rows])
            words = _Words(rows)
            memory, walk = (tuple(memoryview(array) for array in arrays) for arrays in (memory, walk))
            self.arrays = (self.states, (words, skip, lead), memory, walk, [0] * size, nets)

    @property
    def moves(self) -> NDArray[Any]:
        """The edges of the root, with the move of `greedy` first if it advises; empty before the first simulation."""
        return self.edges[: int(self.nodes[0, tree.COUNT]) if self.counts[tree.NODES] else 0]

    def ahead(self) -> float:
        """Return by how many visits the most visited move of the root leads."""
        times = np.sort(self.moves[:, tree.TIMES])
        return float(times[-1] - times[-2]) if len(times) > 1 else np.inf if len(times) else 0.0

    def candidates(self) -> NDArray[np.bool_]:
        """Return which moves of the root are still candidates."""
        return self.moves[:, tree.PRIOR] > 0

    def drop(self, keep: int) -> None:
        """Keep only the best `keep` candidates, always including the first move, which the others are compared with."""
        gain, _ = gains(self.moves)
        gain[~self.candidates()] = -np.inf
        gain[0] = np.inf
        self.moves[np.argsort(-gain, kind="stable")[keep:], tree.PRIOR] = 0

    def settle(self) -> bool:
        """Drop the candidates that are certainly no better than the best one. Returns True if only the best one is left."""
        moves, asked = self.moves, self.candidates()
        gain, error = gains(moves)
        if np.isinf(gain[asked]).any():  # not all have been tried
            return False
        best = int(np.argmax(np.where(asked, gain, -np.inf)))
        rivals = asked & (gain + SURE * error > gain[best] - SURE * error[best] + TRIFLE)
        rivals[best] = False
        moves[asked & ~rivals, tree.PRIOR] = 0
        moves[[0, best], tree.PRIOR] = 1
        return not rivals.any()

    def reset(self, record: NDArray[Any]) -> None:
        """Clear the tree and set a new root."""
        self.root[...] = self.game.bared(record) if self.jit else record
        self.players = int(record["players"].item())
        self.counts[:] = 0
        self.totals[:] = 0


def gains(moves: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return by how much each move of the root is better than the first one, in the same worlds, and the standard errors."""
    times = np.maximum(moves[:, tree.TIMES], 1).astype(float)
    mean = np.where(moves[:, tree.TIMES] > 0, moves[:, tree.SUM] / times, -np.inf)
    error = np.zeros(len(moves))
    error[1:] = _error(moves[1:, tree.APART], times[1:])
    return mean - mean[0], error


def _error(apart: Any, times: Any) -> Any:
    """Return the standard error of a mean difference, with one world added in which they differ by 1, for what hasn't been seen yet."""
    return np.sqrt(apart + 1) / times


class _Words:
    """The 64-bit words of interpreted records, indexed [record, word]."""

    def __init__(self, arrays: list[NDArray[Any]]) -> None:
        self.rows = [memoryview(array.view(np.uint64).data) for array in arrays]
        self.shape = (len(arrays), len(self.rows[0]))

    def __getitem__(self, index: tuple[int, int]) -> int:
        return int(self.rows[index[0]][index[1]])


def _hashed_part(dtype: np.dtype[Any]) -> tuple[int, int]:
    """Return the 64-bit word of a record in which the game's own fields start, and a mask of its bits that belong to them."""
    names = list(dtype.names or ())
    fields: Any = dtype.fields
    after = names[max(names.index(name) for name in BASE_FIELDS if name in names) + 1 :]
    offset = fields[after[0]][1] if after else dtype.itemsize - 8
    return offset // 8, (MASK << (8 * (offset % 8))) & MASK


class Search:
    """Tree search for one game. It reuses its memory between moves, but the result depends only on the view, the seed and the budget.

    `settings` replaces the game's own settings, see `Settings`. `net` names a net that guides the search and estimates, if there is one.

    >>> import rulestone
    >>> match = rulestone.load("connect_four").new(seed=7)
    >>> Search(match.game).think(match.view(0), seed=1, budget=Budget(simulations=100)).simulations
    100
    """

    def __init__(
        self, game: Game, settings: Settings | None = None, arrays: Callable[[int, int], Arrays] = arrays, net: str | None = None
    ) -> None:
        self.game, self.arrays = game, arrays
        self.nets = None if net is None else Nets(game, net)
        numbers = range(game.min_players, game.max_players + 1)
        self.settings = {players: settings or settings_of(game, players) for players in numbers}
        """The settings for each number of players."""
        self.jit = game.mode == "compiled"
        run = game.silent if self.jit else game.interpreted
        self._simulate = run(tree.simulate, sensible=tree.all_moves, estimate=tree.even, suspect=tree.anything)
        about = game.about
        self.solve = about.zero_sum and about.perfect_information and about.max_players == 2 and "sensible" not in game.hints
        self._trees: list[Tree] = []
        self._warm = not self.jit
        self._thinking = threading.Lock()

    def think(
        self,
        view: Match,
        seed: int,
        budget: Budget,
        *,
        threads: int | None = None,
        clock: Callable[[], float] = time.perf_counter,
        stop: threading.Event | None = None,
        hurry: bool = False,
    ) -> Thoughts:
        """Search the moves of a view within a budget.

        `threads` is the most cores to use for several trees (by default, all); with a budget in simulations, it doesn't change the result.
        `clock` measures seconds. Setting `stop` ends the search early. `hurry` ends it as soon as the best move is unlikely to change.
        """
        with self._thinking:  # the memory is shared, so one search at a time
            record = view.array
            count = budget.trees
            room = min(MOST_NODES, max(64, (budget.simulations or MOST_NODES) // count + 1))
            net = None if self.nets is None else self.nets.of(view)
            if len(self._trees) < count or self._trees[0].room < room or self._trees[0].net is not net:
                self._trees = [Tree(self.game, room, self.jit, arrays if number else self.arrays, net) for number in range(count)]
            trees = self._trees[:count]
            if not self._warm:  # compile or load from the cache before the clock starts
                trees[0].reset(record)
                self.run(trees[0], 0, 0, 0)
                self._warm = True
            threads = min(count, threads or len(os.sched_getaffinity(0))) if self.jit else 1
            seconds = None if budget.seconds is None else budget.seconds * threads / count
            settings = self.settings[view.players]
            advised = self.game.greedy is not None and settings.advice > 1  # then the first move of a node is the move of `greedy`
            fair = settings.halving and advised and not self.solve and len(view.legal()) > 1 and net is None

            def work(number: int) -> None:
                own = trees[number]
                own.reset(record)
                most = None if budget.simulations is None else budget.simulations // count + (number < budget.simulations % count)
                self._work(own, int(stream(index(seed) & MASK, number)), most, seconds, clock, stop, hurry and count == 1, fair)

            if threads == 1:
                for number in range(count):
                    work(number)
            else:
                with ThreadPoolExecutor(threads) as pool:
                    list(pool.map(work, range(count)))
            return self._thoughts(view, trees, fair)

    def _work(
        self,
        own: Tree,
        seed: int,
        most: int | None,
        seconds: float | None,
        clock: Callable[[], float],
        stop: threading.Event | None,
        hurry: bool,
        fair: bool,
    ) -> None:
        """Simulate in portions of about one TICK each, until the budget is spent or `stop` is set."""
        done, portion = 0, 1
        began = clock()
        end = None if seconds is None else began + seconds
        rounds, drops = 1, 0  # of sequential halving
        while most is None or done < most:
            portion = portion if most is None else min(portion, most - done, max(1, most * (drops + 1) // rounds - done))
            self.run(own, seed, done, portion, fair)
            done += portion
            now = clock()
            if (end is not None and now >= end) or (stop is not None and stop.is_set()):
                return
            rate = done / max(now - began, 1e-6)
            left = TICK if end is None else min(TICK, end - now)
            if fair:
                spent = max(0.0 if most is None else done / most, 0.0 if end is None or seconds is None else (now - began) / seconds)
                if rounds == 1:
                    rounds = max(1, (len(own.moves) - 1).bit_length())
                while drops < rounds - 1 and spent >= (drops + 1) / rounds:
                    own.drop(max(2, -(-int(own.candidates().sum()) // 2)))
                    drops += 1
                if hurry and own.settle():
                    return
            elif hurry and end is not None and own.ahead() > COMEBACK * rate * (end - now):
                return
            portion = max(1, min(2 * portion, int(rate * left)))

    def run(self, own: Tree, seed: int, first: int, number: int, fair: bool = False) -> None:
        """Run simulations first..first+number-1 in one tree."""
        game, settings = self.game, self.settings[own.players]
        guided = settings.guided if game.greedy is not None else 0.0
        cut = settings.cut if "estimate" in game.hints else -1
        trust = settings.trust if game.greedy is not None else 0.0
        advice = settings.advice if game.greedy is not None else 1
        hidden = not game.about.perfect_information
        expected = settings.expected and "estimate" in game.hints
        net = own.net is not None
        advice = 1 if net else advice
        whole = np.array([round(1000 * guided), cut, self.solve, hidden, advice, fair, round(1000 * trust), expected, net], np.int64)
        parts = np.array([settings.guide if net else settings.explore, settings.urgency])
        if self.jit:
            self._simulate(*own.arrays, (whole, parts), (np.uint64(seed), first, number))
        else:
            self._simulate(*own.arrays, (whole.tolist(), parts.tolist()), (seed, first, number))

    def _thoughts(self, view: Match, trees: list[Tree], fair: bool) -> Thoughts:
        """Combine the results of all trees."""
        visits: dict[int, float] = {}
        values: dict[int, float] = {}
        apart: dict[int, float] = {}
        proved: dict[int, int] = {}
        for own in trees:
            for action, times, total, _, proof, _, far in own.moves.tolist():
                visits[int(action)] = visits.get(int(action), 0.0) + times
                values[int(action)] = values.get(int(action), 0.0) + total
                apart[int(action)] = apart.get(int(action), 0.0) + far
                if proof:
                    proved[int(action)] = int(proof)
        done = sum(int(own.counts[tree.DONE]) for own in trees)
        payoff = np.sum([own.totals for own in trees], axis=0)[: view.players] / max(1, done)
        legal = view.legal()
        if len(legal) == 1:  # a forced move has no node; the first node is a later choice
            expected = tuple(float(value) for value in payoff)
            return Thoughts((legal[0],), (1.0,), (expected[view.viewer or 0],), expected, done)
        for action, proof in proved.items():
            if proof == tree.WON:
                payoff = np.array([1.0 if player == view.viewer else -1.0 for player in range(view.players)])
            values[action] = visits[action] * (proof - 2)
        serious = 0.75 * max(visits.values(), default=0)  # tried about as often as the most tried one

        def standing(action: int) -> tuple[float, ...]:
            level = fair and visits[action] >= serious
            return _rank(proved.get(action, 0)), level, values[action] / max(1, visits[action]) if level else visits[action], values[action]

        order = sorted(visits, key=standing, reverse=True)
        if fair:
            advice, best = int(trees[0].moves[0, tree.ACTION]), order[0]
            gain = values[best] / max(1, visits[best]) - values[advice] / max(1, visits[advice])
            if best != advice and gain < self.settings[view.players].caution * _error(apart[best], max(1, visits[best])):
                order.remove(advice)
                order.insert(0, advice)
        total = max(1.0, sum(visits.values()))
        decode = view.game.actions.decode
        return Thoughts(
            moves=tuple(decode(action) for action in order),
            shares=tuple(visits[action] / total for action in order),
            worth=tuple(values[action] / visits[action] if visits[action] else 0.0 for action in order),
            values=tuple(float(value) for value in payoff),
            simulations=done,
        )


def _rank(proof: int) -> int:
    """Return the rank of a move: proven wins come first, proven losses last."""
    return {tree.WON: 1, tree.LOST: -1}.get(proof, 0)


def settings_of(game: Game, players: int) -> Settings:
    """Return the search settings of a game for a number of players: the defaults, updated from `SEARCH` in its `bot.py`.

    Raises ValueError if `SEARCH` isn't valid.
    """
    known = {entry.name for entry in fields(Settings)}
    own: dict[str, Any] = {}
    for name, value in game.search_settings.items():
        wrong = f"SEARCH in the bot.py of {game.name} is not valid: "
        if name not in known:
            raise ValueError(f"{wrong}there is no setting {name!r}; the settings are {', '.join(sorted(known))}")
        if isinstance(value, Mapping):
            if players not in value:
                raise ValueError(f"{wrong}{name} has no value for {players} players")
            value = value[players]
        if not isinstance(value, int | float):
            raise ValueError(f"{wrong}{name} is {value!r}, not a number")
        own[name] = value
    return Settings(**own)


class MonteCarlo:
    """The bot `mcts`: searches within a budget and plays the best move found. The arguments are those of `Search` and `Search.think`."""

    def __init__(
        self,
        game: Game,
        budget: Budget,
        settings: Settings | None = None,
        *,
        threads: int | None = None,
        clock: Callable[[], float] = time.perf_counter,
        hurry: bool = False,
        arrays: Callable[[int, int], Arrays] = arrays,
        net: str | None = None,
    ) -> None:
        self.search = Search(game, settings, arrays, net)
        self.budget, self.threads, self.clock, self.hurry = budget, threads, clock, hurry

    def choose(
        self, view: Match, legal: list[Move], seed: int, budget: Budget | None = None, stop: threading.Event | None = None
    ) -> Choice:
        """Return the best move with the thoughts behind it; a forced move is returned at once. See `Bot.choose`."""
        if len(legal) == 1:
            return Choice(legal[0])
        budget = (budget or self.budget).within(self.budget)
        thoughts = self.search.think(view, seed, budget, threads=self.threads, clock=self.clock, stop=stop, hurry=self.hurry)
        if not thoughts.moves:
            return Choice(legal[stream(seed & MASK, 0) % len(legal)])
        return Choice(thoughts.moves[0], thoughts)
