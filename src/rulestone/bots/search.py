"""Monte-Carlo tree search over what a player knows: the bot `mcts`, for any game."""

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
from rulestone.bots.protocol import Budget, Choice, Thoughts
from rulestone.kernel.actions import Move
from rulestone.kernel.chance import MASK, stream
from rulestone.kernel.record import BASE_FIELDS, SCRATCH, Scratch
from rulestone.match import Match

if TYPE_CHECKING:
    from rulestone.game import Game

DEEPEST = 256
"""Moves from the root beyond which no node is made."""
MOST_NODES, EDGES_FOR_NODE, MOST_EDGES = 1 << 19, 12, 1 << 22
TICK = 0.01
"""Seconds between two looks at the clock, at most."""
COMEBACK = 0.5
"""A level stops when the most visited move is ahead by this share of the visits still to come: another would need three of four of them."""
SURE, TRIFLE = 3.0, 0.004
"""A level that compares on equal terms gives a move up when it is sure, by so many standard errors, that it is not better than the best
by more than this payoff."""


@dataclass(frozen=True)
class Settings:
    """How to search a game. A game's `bot.py` may set any of them in a dictionary `SEARCH`, each to a value or to one for each number of
    players (`{2: 2.5, 3: 1.0}`); the defaults suit most games."""

    explore: float = 2.5
    """How curious: the weight of little-tried moves."""
    urgency: float = 0.0
    """How much worse than the mean of its node an untried move is thought to be."""
    guided: float = 1.0
    """The share of playout moves made by the game's `greedy`, where it has one; the others are random."""
    cut: int = 0
    """After so many playout moves the game's `estimate` ends a playout, where it has one (0: at once, -1: never)."""
    advice: int = 4
    """How many times likelier than any other move the one of `greedy` looks."""
    trust: float = 0.0
    """The share of the other players' moves in the tree made by `greedy`: where chance scatters them, their own statistics say little."""
    halving: bool = False
    """Whether the moves of the root are compared on equal terms with that of `greedy`, in the same imagined worlds, and the worse half is
    dropped by and by (sequential halving); else each is tried as often as it promises (PUCT). Only where `greedy` advises (`advice` above
    1) and positions cannot be proved."""
    caution: float = 1.0
    """By how many standard errors, with `halving`, another move must be better than that of `greedy` to be played instead."""
    expected: bool = False
    """Whether the game's `estimate` also judges finished games: what they were worth before a last throw of luck."""
    slips: float = 1.0
    """How often the lower levels slip, compared with other games: less where one slip loses the game for all."""


Arrays = tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]


def arrays(room: int, edges: int) -> Arrays:
    """The large part of a tree's memory: edges, nodes, keys, and where to find them. It can be in any state."""
    table = 1 << (2 * room).bit_length()
    return np.zeros((edges, 7), np.float32), np.zeros((room, 6), np.float64), np.zeros(room, np.uint64), np.zeros(table, np.int32)


@dataclass
class Tree:
    """The memory of one search tree, used again for every move of a game. `arrays_of` hands out the large part of it."""

    game: Game
    room: int
    jit: bool
    arrays_of: Callable[[int, int], Arrays] = arrays
    players: int = field(init=False, default=0)
    """How many play at the root."""
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
        self.root: Any
        if self.jit:
            self.states = layout.array(slots)
            self.root = self.states[:1]
            words: Any = self.states.view(np.uint64).reshape(slots, -1)
            self.arrays = (self.states, (words, skip, np.uint64(lead)), memory, walk, np.zeros(size, np.int16))
        else:
            self.states = Scratch.of(layout, slots)
            self.root = self.states[0].raw
            words = _Words([record.raw for record in self.states.records])
            memory, walk = (tuple(memoryview(array) for array in arrays) for arrays in (memory, walk))
            self.arrays = (self.states, (words, skip, lead), memory, walk, [0] * size)

    @property
    def moves(self) -> NDArray[Any]:
        """The edges of the root, that of the game's `greedy` first where it advises; none before the first simulation."""
        return self.edges[: int(self.nodes[0, tree.COUNT]) if self.counts[tree.NODES] else 0]

    def ahead(self) -> float:
        """By how many visits the most visited move of the root is ahead of all others."""
        times = np.sort(self.moves[:, tree.TIMES])
        return float(times[-1] - times[-2]) if len(times) > 1 else np.inf if len(times) else 0.0

    def candidates(self) -> NDArray[np.bool_]:
        """Which moves of the root are still in question."""
        return self.moves[:, tree.PRIOR] > 0

    def drop(self, keep: int) -> None:
        """Let only the best `keep` moves of the root stay in question, among them the first, which the others are compared with."""
        gain, _ = gains(self.moves)
        gain[~self.candidates()] = -np.inf
        gain[0] = np.inf
        self.moves[np.argsort(-gain, kind="stable")[keep:], tree.PRIOR] = 0

    def settle(self) -> bool:
        """Give up the moves of the root that are surely no better than the best; True if no other is left in question."""
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
        """Forget everything and take a new root."""
        self.root[...] = self.game.bared(record) if self.jit else record
        self.players = int(record["players"].item())
        self.counts[:] = 0
        self.totals[:] = 0


def gains(moves: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """By how much the moves of a root that take turns are better than the first of them, and the standard errors."""
    times = np.maximum(moves[:, tree.TIMES], 1).astype(float)
    mean = np.where(moves[:, tree.TIMES] > 0, moves[:, tree.SUM] / times, -np.inf)
    error = np.zeros(len(moves))
    error[1:] = _error(moves[1:, tree.APART], times[1:])
    return mean - mean[0], error


def _error(apart: Any, times: Any) -> Any:
    """The standard error of a mean difference, counting one more world, in which the two differ by 1: what has not been seen yet."""
    return np.sqrt(apart + 1) / times


class _Words:
    """The 64-bit words of interpreted records, indexed [record, word]."""

    def __init__(self, arrays: list[NDArray[Any]]) -> None:
        self.rows = [memoryview(array.view(np.uint64).data) for array in arrays]
        self.shape = (len(arrays), len(self.rows[0]))

    def __getitem__(self, index: tuple[int, int]) -> int:
        return int(self.rows[index[0]][index[1]])


def _hashed_part(dtype: np.dtype[Any]) -> tuple[int, int]:
    """Where a game's own fields begin in a record: the first 64-bit word, and which of its bits belong to them."""
    names = list(dtype.names or ())
    fields: Any = dtype.fields
    after = names[max(names.index(name) for name in BASE_FIELDS if name in names) + 1 :]
    offset = fields[after[0]][1] if after else dtype.itemsize - 8
    return offset // 8, (MASK << (8 * (offset % 8))) & MASK


class Search:
    """Tree search in one game. It keeps its memory between moves and nothing else: a choice depends on view, seed and budget alone."""

    def __init__(self, game: Game, settings: Settings | None = None, arrays: Callable[[int, int], Arrays] = arrays) -> None:
        self.game, self.arrays = game, arrays
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
        """What there is to say about the moves of a view within a budget.

        With a budget in simulations, `threads` changes nothing but the time it takes. `hurry` ends the thinking as soon as another
        move is unlikely to be chosen in the end.
        """
        with self._thinking:  # in one memory, so one thought after the other
            record = view.array
            count = budget.trees
            room = min(MOST_NODES, max(64, (budget.simulations or MOST_NODES) // count + 1))
            if len(self._trees) < count or self._trees[0].room < room:
                self._trees = [Tree(self.game, room, self.jit, arrays if number else self.arrays) for number in range(count)]
            trees = self._trees[:count]
            if not self._warm:  # compile, or load from the disk, before the clock runs
                trees[0].reset(record)
                self.run(trees[0], 0, 0, 0)
                self._warm = True
            threads = min(count, threads or len(os.sched_getaffinity(0))) if self.jit else 1
            seconds = None if budget.seconds is None else budget.seconds * threads / count
            settings = self.settings[view.players]
            advised = self.game.greedy is not None and settings.advice > 1  # then the first move of a node is that of `greedy`
            fair = settings.halving and advised and not self.solve and len(view.legal()) > 1

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
        """Simulate in portions that take about a TICK each, until the budget is spent or somebody says stop."""
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
        game, settings = self.game, self.settings[own.players]
        guided = settings.guided if game.greedy is not None else 0.0
        cut = settings.cut if "estimate" in game.hints else -1
        trust = settings.trust if game.greedy is not None else 0.0
        advice = settings.advice if game.greedy is not None else 1
        hidden = not game.about.perfect_information
        expected = settings.expected and "estimate" in game.hints
        whole = np.array([round(1000 * guided), cut, self.solve, hidden, advice, fair, round(1000 * trust), expected], np.int64)
        parts = np.array([settings.explore, settings.urgency])
        if self.jit:
            self._simulate(*own.arrays, (whole, parts), np.uint64(seed), first, number)
        else:
            self._simulate(*own.arrays, (whole.tolist(), parts.tolist()), seed, first, number)

    def _thoughts(self, view: Match, trees: list[Tree], fair: bool) -> Thoughts:
        """What all trees say together."""
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
    """A proved win first, a proved loss last."""
    return {tree.WON: 1, tree.LOST: -1}.get(proof, 0)


def settings_of(game: Game, players: int) -> Settings:
    """The settings for a game of that many players: the defaults, with what its `bot.py` says in `SEARCH`."""
    known = {entry.name for entry in fields(Settings)}
    own: dict[str, Any] = {}
    for name, value in game.search_settings.items():
        wrong = f"SEARCH in the bot.py of {game.name} does not fit: "
        if name not in known:
            raise ValueError(f"{wrong}there is no setting {name!r}; there are {', '.join(sorted(known))}")
        if isinstance(value, Mapping):
            if players not in value:
                raise ValueError(f"{wrong}{name} says nothing about {players} players")
            value = value[players]
        if not isinstance(value, int | float):
            raise ValueError(f"{wrong}{name} is {value!r}, which is no number")
        own[name] = value
    return Settings(**own)


class MonteCarlo:
    """The bot `mcts`: thinks within a budget, and plays the move it has thought about most."""

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
    ) -> None:
        self.search = Search(game, settings, arrays)
        self.budget, self.threads, self.clock, self.hurry = budget, threads, clock, hurry

    def choose(
        self, view: Match, legal: list[Move], seed: int, budget: Budget | None = None, stop: threading.Event | None = None
    ) -> Choice:
        """A move and the thoughts behind it; a forced move costs no thought."""
        if len(legal) == 1:
            return Choice(legal[0])
        budget = (budget or self.budget).within(self.budget)
        thoughts = self.search.think(view, seed, budget, threads=self.threads, clock=self.clock, stop=stop, hurry=self.hurry)
        if not thoughts.moves:
            return Choice(legal[stream(seed & MASK, 0) % len(legal)])
        return Choice(thoughts.moves[0], thoughts)
