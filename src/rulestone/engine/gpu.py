"""Playouts on a GPU: each lane plays one game at a time, and takes the next one of its block when that has ended.

The rules and the random streams are the same as on the CPU, so the results are the same, byte for byte. Needs an NVIDIA GPU and
`pip install 'rulestone[gpu]'`. With `NUMBA_ENABLE_CUDASIM=1`, the kernels run in numba-cuda's simulator instead: slow, but anywhere.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
from numpy.typing import NDArray

from rulestone.engine.loops import LONGEST, PLAYERS, SHORTEST

if TYPE_CHECKING:
    from rulestone.game import Game

THREADS = 128
"""Threads per block, where nothing else was found better."""
WAVES = 8
"""How many times as many blocks are launched as run at the same time: blocks that end early make room for others."""
PORTION = 64
"""Games per lane in one launch. Progress is reported between launches."""
ROWS = 32 << 20
"""Bytes of rows at most in one launch: they are fetched while the next launch plays."""
SOON, TOGETHER = 4, 1 << 30
"""After how many moves lanes whose game has ended take the next one: soon, or only when all of their warp have ended. The first suits games
whose moves are all alike; the second games with phases, whose lanes then stay in the same phase. What suits a game is found by trying."""
TRIED, CLEARLY = 2, 0.85
"""Games per lane in each try; waiting for the others must take clearly less time to be worth it."""
COPIERS = 8
"""Threads that copy fetched rows into the results."""
NEVER = np.iinfo(np.int64).max
Kernel = Callable[..., Any]


class NoGpu(ValueError):
    """There is no GPU to play on. The message says what is missing."""


def check() -> Any:
    """Return Numba's `cuda` module. Raises NoGpu if it can't be used."""
    if not _imported().is_available():
        raise NoGpu("no NVIDIA GPU was found, or its driver or CUDA toolkit is missing (pip install 'rulestone[gpu]')")
    return compiler()


def compiler() -> Any:
    """Return Numba's `cuda` module, whether there is a GPU or not. Raises NoGpu if it can't be imported."""
    there = _imported()
    if not simulated():
        try:
            from rulestone.engine import wide  # noqa: F401
        except ImportError as problem:
            raise _missing(problem) from None
    return there


def _imported() -> Any:
    if not hasattr(np, "row_stack"):  # numba-cuda still uses it at import, but NumPy 2.5 has removed it
        np.row_stack = np.vstack
    try:
        from numba import cuda
    except ImportError as problem:
        raise _missing(problem) from None
    return cuda


def _missing(problem: ImportError) -> NoGpu:
    return NoGpu(f"numba-cuda can't be imported ({problem}); install it with pip install 'rulestone[gpu]'")


def simulated() -> bool:
    """Whether kernels run in numba-cuda's simulator."""
    config: Any = numba.config
    return bool(config.ENABLE_CUDASIM)


def bound(game: Game, template: Callable[..., Any]) -> Any:
    """Return one game's template for kernels to call. (In the simulator, it's the CPU's own compiled copy.)"""
    play = game.silent(template).dispatcher
    return (lambda *arguments: play(*_plain(arguments))) if simulated() else play


def _plain(arguments: Any) -> Any:
    """Arguments as compiled functions take them, without the simulator's wrappers."""
    if isinstance(arguments, tuple):
        return tuple(_plain(argument) for argument in arguments)
    inner = getattr(arguments, "_item", arguments)
    return getattr(inner, "_ary", inner)


def spread(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return a record type with room at its end, so that neighbouring lanes' records start in different banks of the shared memory.

    All kernels use it, wherever their records are: a rule is compiled for one type of record only.
    """
    if dtype.itemsize % 16 or dtype.fields is None or simulated():
        return dtype
    names = list(dtype.names or ())
    formats, offsets = ([dtype.fields[name][k] for name in names] for k in range(2))
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": dtype.itemsize + 8}, align=True)  # type: ignore[call-overload,no-any-return]


def as_records(records: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return a copy of records with or without that room."""
    copy = np.zeros(len(records), dtype)
    for name in records.dtype.names or ():
        copy[name] = records[name]
    return copy


@dataclass(frozen=True)
class Shape:
    """How a kernel is laid out on the GPU: found by measurement, see docs/benchmarks/gpu.md."""

    threads: int = THREADS
    """Threads per block."""
    shared: bool = True
    """Whether the records are in shared memory, else in each lane's own (local) memory."""
    stretch: int | None = None
    """Moves between two looks for lanes whose game has ended: SOON, TOGETHER or another number; None to find out."""
    registers: int | None = None
    """The most registers for each lane."""


SHARED_ROOM = 48 << 10
"""Bytes of shared memory for a block, without asking for more."""


def shape_for(record_size: int, policy: bool) -> Shape:
    """Return the layout for records of this size, for random play or with quick bots."""
    small = record_size <= 128
    threads = next((size for size in (THREADS, THREADS // 2) if record_size * size <= SHARED_ROOM), 0)
    return Shape(threads or THREADS, bool(threads) and not policy, None, 40 if small and not policy else 64)


@dataclass(frozen=True)
class Job:
    """What a kernel is made for."""

    game: Game
    policy: bool
    """Whether quick bots play, too."""
    rows: bool
    """Whether every game's row is kept, or only the totals."""
    shape: Shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the records."""
        return spread(self.game.bare.dtype)

    @property
    def record(self) -> Any:
        """The same for Numba."""
        return numba.from_dtype(self.dtype)

    @property
    def signature(self) -> tuple[Any, ...]:
        """The types of the kernel's arguments."""
        int64 = numba.int64
        both: Any = numba.types.Tuple
        rows = both((numba.float32[:, ::1], numba.int32[::1], numba.int32[:, ::1]))
        return (
            self.record[::1],
            numba.int8[::1],
            numba.int16[::1],
            numba.uint64,
            int64,
            int64,
            int64,
            int64,
            rows if self.rows else int64[:, ::1],
        )

    @property
    def size(self) -> int:
        """The length of a vector of totals."""
        players: int = self.game.max_players
        return PLAYERS + 3 * players + len(self.game.actions.verbs)

    def function(self) -> Kernel:
        """Return the kernel as a Python function."""
        compiler()
        from rulestone.engine import lanes

        return lanes.rows(self) if self.rows else lanes.totals(self)


@lru_cache(maxsize=16)
def program(job: Job) -> Program:
    """Return the compiled kernel for a job."""
    return Program(job)


class Program:
    """A compiled kernel, and how many of its blocks run at the same time."""

    def __init__(self, job: Job) -> None:
        cuda = check()
        self.job = job
        self.tried: list[float] = []
        """The seconds that each try took."""
        options = {} if job.shape.registers is None or simulated() else {"max_registers": job.shape.registers}
        with house_rules():
            self.kernel: Any = cuda.jit(job.function(), **options)
            self.at_once = 1
            if not simulated():
                self.compiled: Any = self.kernel.compile(job.signature)
                self.at_once = self.compiled.max_cooperative_grid_blocks(job.shape.threads)

    @property
    def lanes(self) -> int:
        """How many games are played at the same time."""
        return int(self.at_once * self.job.shape.threads)

    def grid(self, games: int) -> tuple[int, int]:
        """Return into how many blocks these games are split, and the share of each."""
        blocks = max(1, min(self.at_once * WAVES, -(-games // self.job.shape.threads)))
        return blocks, -(-games // blocks)

    def launch(self, stream: Any, first: int, count: int, given: tuple[Any, ...], made: Any) -> int:
        """Play games from `first` on, up to `count` of them; returns how many. While ways are tried, it waits for each to end."""
        key = self.job.game, self.job.policy
        stretch = self.job.shape.stretch or found.get(key)
        trying = stretch is None and count >= self.lanes * TRIED and not simulated()
        if trying:
            stretch, count = WAYS[len(self.tried)], self.lanes * TRIED
            stream_or_all(stream).synchronize()
        began = time.perf_counter()
        blocks, share = self.grid(count)
        start, policy, verb_of, seed = given
        edges = (first, share, first + count, stretch or SOON)
        with house_rules():
            self.kernel[blocks, self.job.shape.threads, stream](start, policy, verb_of, seed, *edges, made)
        if trying:
            stream_or_all(stream).synchronize()
            self.tried.append(time.perf_counter() - began)
            if len(self.tried) == len(WAYS):
                found[key] = TOGETHER if min(self.tried[1::2]) < CLEARLY * min(self.tried[::2]) else SOON
        return count


WAYS = (SOON, TOGETHER, SOON, TOGETHER)
"""What is tried, each twice."""
found: dict[tuple[Any, bool], int] = {}
"""What suits a game, in random play or with quick bots."""


def stream_or_all(stream: Any) -> Any:
    """What to wait for: a stream, or without one everything."""
    return stream or check()


@dataclass
class Table:
    """Playouts to be played on the GPU: the arguments of `playouts`, prepared."""

    game: Game
    start: NDArray[Any]
    players: int
    seed: int
    policy: NDArray[np.int8]
    verb_of: NDArray[np.int16]
    progress: Callable[[int], None] | None = None
    shape: Shape | None = None
    given: tuple[Any, ...] = field(default=(), init=False)
    """What every launch is given."""

    def _program(self, rows: bool) -> Program:
        policy = bool(self.policy.any())
        shape = self.shape or shape_for(spread(self.start.dtype).itemsize, policy)
        made = program(Job(self.game, policy, rows, shape))
        cuda = check()
        there = [cuda.to_device(array) for array in (as_records(self.start, made.job.dtype), self.policy, self.verb_of)]
        self.given = (*there, np.uint64(self.seed))
        return made

    def ready(self, games: int) -> tuple[Program, Any]:
        """Return the kernel for totals, and room on the GPU for those of each of its blocks."""
        kernel = self._program(rows=False)
        blank = np.zeros((kernel.grid(min(games, kernel.lanes * PORTION))[0], kernel.job.size), np.int64)
        blank[:, SHORTEST] = NEVER
        return kernel, check().to_device(blank)

    def totals(self, games: int) -> NDArray[np.int64]:
        """Play, and return only the totals: nothing else leaves the GPU."""
        cuda = check()
        kernel, made = self.ready(games)
        portion = kernel.lanes * PORTION
        first = 0
        while first < games:
            count = kernel.launch(0, first, min(portion, games - first), self.given, made)
            first += count
            if self.progress is not None:
                cuda.synchronize()
                self.progress(count)
        parts = made.copy_to_host()
        totals: NDArray[np.int64] = parts.sum(axis=0)
        totals[SHORTEST], totals[LONGEST] = parts[:, SHORTEST].min(), parts[:, LONGEST].max()
        unused = range(PLAYERS + 3 * self.players, PLAYERS + 3 * self.game.max_players)  # a kernel has room for the most players
        return np.delete(totals, unused)

    def rows(self, results: tuple[NDArray[Any], ...]) -> None:
        """Play, and fill in a row for each game (payoff, length, verbs). Rows are fetched while the next games are played."""
        kernel = self._program(rows=True)
        games = len(results[1])
        if not games:
            return
        each = sum(array.nbytes for array in results) // games
        portion = min(games, kernel.lanes * PORTION, max(kernel.lanes, ROWS // each))
        room = 1 << (portion - 1).bit_length()
        shapes = tuple((room, *array.shape[1:]) for array in results)
        first = turn = 0
        with in_use, ThreadPoolExecutor(COPIERS) as pool:
            sides = [side_of(shapes, which) for which in range(1 if portion == games else 2)]
            for side in sides:
                side.forget()
            while first < games:
                side = sides[turn % len(sides)]
                self._fetched(side, results, pool)
                side.first = first
                side.count = kernel.launch(side.stream, first, min(portion, games - first), self.given, side.there)
                for array, own in zip(side.there, side.here, strict=True):
                    array.copy_to_host(own, stream=side.stream)
                first, turn = first + side.count, turn + 1
            for k in range(len(sides)):
                self._fetched(sides[(turn + k) % len(sides)], results, pool)

    def _fetched(self, side: Side, results: tuple[NDArray[Any], ...], pool: ThreadPoolExecutor) -> None:
        """Put what a side has played, if anything, into the results."""
        if not side.count:
            return
        side.stream.synchronize()
        edges = [side.count * part // COPIERS for part in range(COPIERS + 1)]

        def copy(part: int) -> None:
            begin, end = edges[part : part + 2]
            for own, array in zip(side.here, results, strict=True):
                array[side.first + begin : side.first + end] = own[begin:end]

        list(pool.map(copy, range(COPIERS)))
        if self.progress is not None:
            self.progress(side.count)
        side.count = 0


class Side:
    """One of two places for rows, on the GPU and in pinned memory: while one is fetched, the other is filled."""

    def __init__(self, shapes: tuple[tuple[int, ...], ...]) -> None:
        cuda = check()
        kinds = tuple(zip(shapes, (np.float32, np.int32, np.int32), strict=True))
        self.stream: Any = cuda.stream()
        self.there = tuple(cuda.device_array(shape, kind) for shape, kind in kinds)
        self.here = [cuda.pinned_array(shape, kind) for shape, kind in kinds]
        self.first = self.count = 0

    def forget(self) -> None:
        """Leave what was never fetched, because Ctrl-C or an error came first."""
        self.stream.synchronize()
        self.count = 0


in_use = threading.Lock()
"""Held while rows are played: all calls share the same places."""


@lru_cache(maxsize=2)
def side_of(shapes: tuple[tuple[int, ...], ...], which: int) -> Side:
    """Return a place for rows. They are kept, because pinning memory takes longer than playing."""
    return Side(shapes)


@contextlib.contextmanager
def house_rules() -> Iterator[None]:
    """Configure Numba while kernels are compiled.

    Content tables go to the GPU's global memory, because its constant memory holds only 64 KiB. Warnings about short runs are off.
    """
    if simulated():
        yield
        return
    from numba.cuda.cudadrv import nvvm

    config: Any = numba.config
    before = nvvm.ADDRSPACE_CONSTANT, config.CUDA_LOW_OCCUPANCY_WARNINGS
    nvvm.ADDRSPACE_CONSTANT, config.CUDA_LOW_OCCUPANCY_WARNINGS = nvvm.ADDRSPACE_GLOBAL, 0
    try:
        yield
    finally:
        nvvm.ADDRSPACE_CONSTANT, config.CUDA_LOW_OCCUPANCY_WARNINGS = before
