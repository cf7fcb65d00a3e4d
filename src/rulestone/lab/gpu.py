"""Blocks of a study on a GPU: each thread plays some games of a block and counts them in its own memory; then all are added up.

The results are the same as on a CPU core, number for number, so a study started on one can continue on the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from rulestone.engine.gpu import THREADS, as_records, check, house_rules, spread
from rulestone.kernel.chance import MASK
from rulestone.kernel.record import SCRATCH
from rulestone.lab.count import FIRST_FEW, LEAST, NO_SCRIPT, Counter, Totals, counter_of
from rulestone.lab.loops import EXAMPLES, NEVER
from rulestone.lab.plan import Cell, Plan, policy_of
from rulestone.lab.run import Answer, Block, Crew, Scripts, compared

LANES = 1024
"""Threads that share a block of games."""
MOST_BLOCKS = 256
"""Blocks in one launch."""
SHARE = 0.5
"""The share of the GPU's free memory that the threads count in."""


def check_plan(plan: Plan) -> None:
    """Raise an error, before anything is played, if a GPU cannot run this plan or there is none."""
    if not all(cell.fast for cell in plan.cells):
        raise ValueError("--gpu plays only random and greedy; other bots need the CPU")
    if counter_of(plan.game).game.mode == "interpreted":
        raise ValueError("--gpu needs compiled rules, but RULESTONE_JIT=0 asks for interpreted ones")
    check()


class GpuCrew(Crew):
    """The GPU for games, and the CPU cores for bots that search."""

    def __init__(self, plan: Plan, workers: int, want_rows: bool) -> None:
        super().__init__(plan, workers, want_rows)
        self.halls = [Hall(counter_of(plan.game_of(cell)), cell, SHARE / len(plan.cells)) for cell in plan.cells]

    def answers(self, blocks: list[Block]) -> Iterator[Answer]:
        """The results of these blocks."""
        games = [block for block in blocks if block[0] == "games"]
        at_once = min(hall.room for hall in self.halls)
        for first in range(0, len(games), at_once):
            yield from self._play(games[first : first + at_once])
        yield from super().answers([block for block in blocks if block[0] != "games"])

    def _play(self, blocks: Sequence[Block]) -> Iterator[Answer]:
        plan, size = self.plan, self.plan.block(interpreted=False)
        firsts = [number * size for _, number in blocks]
        sizes = [min(size, plan.games - first) for first in firsts]
        in_rows = self.want_rows or bool(plan.contrasts())
        made = [hall.play(plan, firsts, sizes, in_rows) for hall in self.halls]
        for k, block in enumerate(blocks):
            totals, tables = ([one[k] for one in part] for part in zip(*made, strict=True))
            yield block, totals, compared(plan, tables), tables if self.want_rows else [], [Scripts() for _ in plan.cells]


class Hall:
    """The threads of a cell, each with its own desk."""

    def __init__(self, counter: Counter, cell: Cell, share: float) -> None:
        self.counter, self.cell = counter, cell
        self.cuda = check()
        desk = counter.desk()
        cross = desk.cross if len(desk.cross) else np.zeros((1, 4), np.int64)  # a GPU cannot allocate an empty array
        self.totals: Totals = {**desk.totals, "cross": cross}
        self.desk: Totals = {
            **self.totals, "diary": desk.diary, "stamp": desk.stamp, "fresh": desk.fresh, "out": desk.out, "won": desk.won,
        }  # fmt: skip
        free, _ = self.cuda.current_context().get_memory_info()
        own = LANES * sum(array.nbytes for array in self.desk.values())
        self.room = max(1, min(MOST_BLOCKS, int(share * free) // own))
        """The number of blocks it has desks for."""
        self.desks: dict[str, Any] = {}

    def play(self, plan: Plan, firsts: list[int], sizes: list[int], want_rows: bool) -> tuple[list[Totals], list[NDArray[np.int32]]]:
        """The totals of each block (games first..first+size-1), and its rows."""
        cuda, counter, cell = self.cuda, self.counter, self.cell
        lanes = LANES * len(firsts)
        start, players = counter.game.prepared(cell.players, cell.options)
        policy = policy_of(cell)
        offsets = np.cumsum([0, *sizes])
        rows = cuda.device_array((int(offsets[-1]) if want_rows else 1, len(counter.columns)), np.int32)
        shares = self._there(*(np.array(column, np.int64) for column in (firsts, sizes, offsets)))
        tables = self._there(counter.key_of, counter.verb_of, counter.told_as, counter.sitters(players), counter.places)
        kernels = _kernels()
        with house_rules():
            kernels["lay"][_grid(rows.size)](rows.reshape(-1), cuda.to_device(np.array([-1], np.int32)))
            for name, array in self.desk.items():
                if name not in self.desks or len(self.desks[name]) < lanes:
                    self.desks[name] = cuda.device_array((lanes, *array.shape), np.int64)
                kernels["lay"][_grid(lanes * array.size)](self.desks[name].reshape(-1), cuda.to_device(array.reshape(-1)))
            kernel = _playing(counter, "policy" if policy.any() else "random")
            whole = np.uint64(plan.seed & MASK), int(cell.mixed), plan.every(cell), int(want_rows), len(counter.cross)
            bots, desks = self._there(policy, NO_SCRIPT), tuple(self.desks[name] for name in self.desk)
            totals, own = desks[: len(self.totals)], desks[len(self.totals) :]
            given = as_records(start, spread(start.dtype))
            kernel[-(-lanes // THREADS), THREADS](*self._there(given), shares, whole, bots, tables, totals, own, rows)
            counted = {name: self._add_up(name, len(firsts)) for name in counter.totals()}
        counted["cross"] = counted["cross"][:, : len(counter.cross), 2:]
        table = rows.copy_to_host() if want_rows else np.zeros((0, len(counter.columns)), np.int32)
        parts = [table[offsets[k] : offsets[k + 1]] if want_rows else table for k in range(len(firsts))]
        return [{name: values[k] for name, values in counted.items()} for k in range(len(firsts))], parts

    def _there(self, *arrays: NDArray[Any]) -> tuple[Any, ...]:
        """Arrays on the GPU."""
        return tuple(self.cuda.to_device(np.ascontiguousarray(array)) for array in arrays)

    def _add_up(self, name: str, blocks: int) -> NDArray[np.int64]:
        """The sums over all threads of each block."""
        shape = self.desk[name].shape
        made = self.cuda.device_array((blocks, *shape), np.int64)
        kind = "first_few" if name in FIRST_FEW else "least" if name in LEAST else "add"
        desks = self.desks[name]
        if kind == "first_few":
            _kernels()[kind][_grid(blocks * shape[0])](desks, made)
        else:
            _kernels()[kind][_grid(blocks * self.desk[name].size)](desks.reshape(len(desks), -1), made.reshape(blocks, -1))
        return np.asarray(made.copy_to_host())


def _grid(work: int) -> tuple[int, int]:
    """Blocks of threads, and threads per block, for this many pieces of work."""
    return min(65_535, -(-work // THREADS)), THREADS


def _playing(counter: Counter, way: str) -> Any:
    """The kernel: each thread plays its share of its block's games. Compiled once, like the counter's other loops."""
    if (way, "gpu") in counter.loops:
        return counter.loops[way, "gpu"]
    cuda = check()
    play = counter.run(way).dispatcher
    record, int16 = numba.from_dtype(spread(counter.game.layout.dtype)), numba.int16
    actions = len(counter.game.actions)

    def lane(start, shares, whole, bots, tables, totals, desk, rows):  # type: ignore[no-untyped-def]
        firsts, sizes, offsets = shares
        seed, rotate, every, want_rows, ratios = whole
        policy, script = bots
        counts, offered, branching, examples, sums, cross, bins, earliest, seats, earliest_wins, detail = totals
        diary, stamp, fresh, out, won = desk
        me = cuda.grid(1)
        block, place = me // LANES, me % LANES
        if block >= sizes.shape[0]:
            return
        states, scratch, moves = cuda.local.array(2, record), cuda.local.array(SCRATCH, record), cuda.local.array(actions, int16)
        begin, end = sizes[block] * place // LANES, sizes[block] * (place + 1) // LANES
        row = (offsets[block] + begin) * want_rows
        play(
            states, start, (firsts[block] + begin, end - begin, seed, every), moves, (policy, rotate, scratch, script), tables,
            (counts[me], offered[me], branching[me], examples[me], sums[me], cross[me][:ratios], bins[me], earliest[me], seats[me],
             earliest_wins[me], detail[me]),
            (diary[me], stamp[me], fresh[me], out[me], won[me]),
            rows[row : row + (end - begin) * want_rows],
        )  # fmt: skip

    return counter.loops.setdefault((way, "gpu"), cuda.jit(lane))


@lru_cache(maxsize=1)
def _kernels() -> dict[str, Any]:
    """The kernels that set up the desks and add up those of a block."""
    cuda = check()

    def lay(desks, desk):  # type: ignore[no-untyped-def]
        for k in range(cuda.grid(1), desks.shape[0], cuda.gridsize(1)):
            desks[k] = desk[k % desk.shape[0]]

    def add(desks, made):  # type: ignore[no-untyped-def]
        size = made.shape[1]
        for k in range(cuda.grid(1), made.shape[0] * size, cuda.gridsize(1)):
            total = 0
            for lane in range(k // size * LANES, (k // size + 1) * LANES):
                total += desks[lane, k % size]
            made[k // size, k % size] = total

    def least(desks, made):  # type: ignore[no-untyped-def]
        size = made.shape[1]
        for k in range(cuda.grid(1), made.shape[0] * size, cuda.gridsize(1)):
            found = NEVER
            for lane in range(k // size * LANES, (k // size + 1) * LANES):
                found = min(found, desks[lane, k % size])
            made[k // size, k % size] = found

    def first_few(desks, made):  # type: ignore[no-untyped-def]
        keys = made.shape[1]
        for k in range(cuda.grid(1), made.shape[0] * keys, cuda.gridsize(1)):
            block, key, found = k // keys, k % keys, 0
            for lane in range(block * LANES, (block + 1) * LANES):  # in the order of their games
                for place in range(EXAMPLES):
                    if desks[lane, key, place] != NEVER and found < EXAMPLES:
                        made[block, key, found] = desks[lane, key, place]
                        found += 1
            for place in range(found, EXAMPLES):
                made[block, key, place] = NEVER

    return {kernel.__name__: cuda.jit(kernel) for kernel in (lay, add, least, first_few)}
