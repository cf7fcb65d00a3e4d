"""Playouts on a GPU: each thread plays one game at a time, in its own memory.

The rules and the random streams are the same as on the CPU, so the results are the same, byte for byte. Needs an NVIDIA GPU and
`pip install 'rulestone[gpu]'`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from rulestone.game import Game

THREADS = 128
"""Threads per block."""
BLOCKS = 16
"""Blocks per multiprocessor."""
PORTION = 64
"""Games per thread in one launch. Progress is reported between launches."""


class NoGpu(ValueError):
    """There is no GPU to play on. The message says what is missing."""


def check() -> Any:
    """Return Numba's `cuda` module. Raises NoGpu if it can't be used."""
    if not hasattr(np, "row_stack"):  # numba-cuda still uses it at import, but NumPy 2.5 has removed it
        np.row_stack = np.vstack
    try:
        from numba import cuda
    except ImportError as problem:
        raise NoGpu(f"numba-cuda can't be imported ({problem}); install it with pip install 'rulestone[gpu]'") from None
    there: Any = cuda
    if not there.is_available():
        raise NoGpu("no NVIDIA GPU was found, or its driver or CUDA toolkit is missing (pip install 'rulestone[gpu]')")
    return there


def run(
    game: Game,
    template: Callable[..., Any],
    start: NDArray[Any],
    seed: int,
    policy: NDArray[np.int8],
    scratch: int,
    verb_of: NDArray[np.int16],
    results: tuple[NDArray[Any], ...],
    progress: Callable[[int], None] | None = None,
) -> None:
    """Play games with one of the templates in `loops`, one per row of `results` (payoff, length, verbs), and fill in the results."""
    cuda = check()
    games = len(results[1])
    if games == 0:
        return
    kernel = _kernel(game, template, scratch)
    lanes = THREADS * BLOCKS * cuda.get_current_device().MULTIPROCESSOR_COUNT
    there = [cuda.to_device(array) for array in (start, policy, verb_of)]
    filled = [cuda.device_array_like(array) for array in results]
    for first in range(0, games, lanes * PORTION):
        count = min(lanes * PORTION, games - first)
        blocks = -(-min(count, lanes) // THREADS)
        with house_rules():  # compiles at the first launch
            kernel[blocks, THREADS](*there, np.uint64(seed), first, count, *filled)
        if progress is not None:
            cuda.synchronize()
            progress(count)
    for array, own in zip(filled, results, strict=True):
        array.copy_to_host(own)


@lru_cache(maxsize=8)
def _kernel(game: Game, template: Callable[..., Any], scratch_records: int) -> Any:
    """Return the GPU kernel: each thread plays every n-th game of first..first+count-1, where n is the number of threads."""
    cuda = check()
    play = game.silent(template).dispatcher
    record, int16, int32, float32 = numba.from_dtype(game.bare.dtype), numba.int16, numba.int32, numba.float32
    actions, verb_count, players = len(game.actions), len(game.actions.verbs), game.max_players

    def lane(start, policy, verb_of, seed, first, count, payoff, length, verbs):  # type: ignore[no-untyped-def]
        states, scratch = cuda.local.array(1, record), cuda.local.array(scratch_records, record)
        moves = cuda.local.array(actions, int16)
        paid, took, used = cuda.local.array((1, players), float32), cuda.local.array(1, int32), cuda.local.array((1, verb_count), int32)
        for game in range(first + cuda.grid(1), first + count, cuda.gridsize(1)):
            for verb in range(verb_count):
                used[0, verb] = 0
            play(states, start, game, 1, seed, policy, scratch, moves, verb_of, (paid, took, used))
            for player in range(payoff.shape[1]):
                payoff[game, player] = paid[0, player]
            length[game] = took[0]
            for verb in range(verb_count):
                verbs[game, verb] = used[0, verb]

    return cuda.jit(lane)


@contextlib.contextmanager
def house_rules() -> Iterator[None]:
    """Configure Numba while kernels are compiled.

    Content tables go to the GPU's global memory, because its constant memory holds only 64 KiB. Warnings about short runs are off.
    """
    from numba.cuda.cudadrv import nvvm

    config: Any = numba.config
    before = nvvm.ADDRSPACE_CONSTANT, config.CUDA_LOW_OCCUPANCY_WARNINGS
    nvvm.ADDRSPACE_CONSTANT, config.CUDA_LOW_OCCUPANCY_WARNINGS = nvvm.ADDRSPACE_GLOBAL, 0
    try:
        yield
    finally:
        nvvm.ADDRSPACE_CONSTANT, config.CUDA_LOW_OCCUPANCY_WARNINGS = before
