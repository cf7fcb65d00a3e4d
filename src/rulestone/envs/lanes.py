"""The kernels of batches on a GPU. They are made anew for each game, around its compiled rules.

A block brings the records of its games into shared memory, where each lane plays one of them, and takes them back: its lanes read and write
neighbouring addresses together. (`cuda` must be a global name here: numba-cuda's simulator replaces it while a kernel runs.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from numba import cuda

from rulestone.engine.gpu import Kernel, bound, simulated, spread
from rulestone.envs import batch
from rulestone.game import Game
from rulestone.kernel.about import NOBODY
from rulestone.kernel.record import SCRATCH
from rulestone.nets.encoding import PARTS

MOST_SHARED = 40 << 10
"""Bytes of shared memory that a block's records may take."""
WARP = 32
SIZES = (128, 64, 32, 16, 8)
"""Lanes of a block, the first that fits. (Multiples of 8: a block clears its masks in words.)"""
U1, I1, U2, I2, I4 = (np.dtype(part) for part in PARTS)
WORD = np.dtype(np.uint64)


@dataclass(frozen=True)
class Job:
    """What the kernels are made for."""

    game: Game
    bots: bool
    """Whether random or quick bots play in the same call."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the records."""
        return spread(self.game.bare.dtype)

    @property
    def words(self) -> int:
        """How many words of 64 bits a record has."""
        return self.dtype.itemsize // 8

    @property
    def threads(self) -> int:
        """Lanes of a block."""
        if simulated():
            return 8
        found = next((size for size in SIZES if size * self.dtype.itemsize <= MOST_SHARED), None)
        if found is None:
            room = MOST_SHARED // SIZES[-1]
            raise ValueError(f"a record of {self.game.name} has {self.dtype.itemsize:,} bytes; a batch on the GPU has room for {room:,}")
        return found

    @property
    def warp(self) -> int:
        """How many lanes write one row together."""
        return 4 if simulated() else min(WARP, self.threads)

    def signatures(self) -> dict[str, tuple[Any, ...]]:
        """The types of each kernel's arguments."""
        int64, int8, int32, uint64, boolean, float32 = numba.int64, numba.int8, numba.int32, numba.uint64, numba.boolean, numba.float32
        words, flat, columns, both = uint64[::1], int32[::1], int32[:, ::1], numba.types.Tuple
        record = numba.from_dtype(self.dtype)
        series = (record[::1], uint64[::1], int64[::1], int64[::1], int8[::1])
        told = (int8[::1], float32[:, ::1], boolean[::1], int32[::1])
        shown = (boolean[:, ::1], words, flat, columns)
        groups = ((words, words, record[::1]), series, (int64[::1], int64[::1], int64), told, shown)
        return {
            "advance": tuple(both(group) for group in groups),
            "look": (words, int64, flat, columns, words, int64),
            "sample": (boolean[:, ::1], uint64, uint64[::1], int64[::1]),
            "bump": (uint64[::1],),
            "cast": (int32[::1], int64[::1]),
            "choose": (boolean[::1], int64[::1]),
            **({"advise": (record[::1], int64, int64[::1])} if self.game.greedy else {}),
        }


def functions(job: Job) -> dict[str, Kernel]:
    """Return the kernels as Python functions, by name."""
    made = [advance(job), look(job), sample(job), bump, cast, choose, *([advise(job)] if job.game.greedy else [])]
    return {function.__name__: function for function in made}


def advance(job: Job) -> Kernel:
    """One step of every game: move, list what is legal, and show what the player to move knows."""
    game, dtype, record = job.game, job.dtype, numba.from_dtype(job.dtype)
    play = bound(game, batch.move_with_bots if job.bots else batch.move_alone)
    hide, to_move_of, unpack = (bound(game, template) for template in (batch.hide_from, batch.mover, batch.unpack))
    actions_count, threads, size = len(game.actions), job.threads, job.words
    tile_words = threads * size
    spares, lanes, int16, words_type = SCRATCH if job.bots else 1, job.warp, numba.int16, numba.uint64
    stay, nobody = batch.STAY, NOBODY

    def advance(records, series, asked, told, shown):  # type: ignore[no-untyped-def]
        states, known, end = records
        start, seeds, strides, number, who = series
        actions, wrong, trusted = asked
        to_move, reward, done, length = told
        mask, mask_words, flat, columns = shown
        words = cuda.shared.array(tile_words, words_type)
        tile = words.view(dtype)
        spare, moves = cuda.local.array(spares, record), cuda.local.array(actions_count, int16)
        me = cuda.threadIdx.x
        first = cuda.blockIdx.x * threads
        count = min(threads, number.shape[0] - first)
        # Bring the records.
        for k in range(me, count * size, threads):
            words[k] = states[first * size + k]
        action = -1
        place = first + me
        if me < count:
            action = actions[place]
            if trusted == 0 and action != stay:
                fine = False
                if 0 <= action < actions_count:
                    fine = mask[place, action]
                if not fine:
                    if wrong[0] > place:
                        cuda.atomic.min(wrong, 0, place)
                    action = stay
        cuda.syncthreads()
        # Play; meanwhile, nothing is legal.
        for k in range(first * actions_count // 8 + me, ((first + count) * actions_count + 7) // 8, threads):
            mask_words[k] = 0
        n = 0
        if me < count:
            ended = (number, reward, done, length, end)
            n = play(tile, me, start, place, action, (seeds, strides), who, (spare, moves), ended)
            to_move[place] = to_move_of(tile, me)
        cuda.syncthreads()
        for k in range(n):
            mask[place, moves[k]] = True
        # Take the records back, and show them.
        for k in range(me, count * size, threads):
            states[first * size + k] = words[k]
        cuda.syncthreads()
        if me < count:
            hide(tile, me, nobody)
        cuda.syncthreads()
        for k in range(me, count * size, threads):
            known[first * size + k] = words[k]
        views = (words.view(U1), words.view(I1), words.view(U2), words.view(I2), words.view(I4))
        unpack(views, columns, size, me % lanes, lanes, (me // lanes, threads // lanes, count, first), flat)

    return advance


def look(job: Job) -> Kernel:
    """Every game as one viewer sees it."""
    dtype, threads, size = job.dtype, job.threads, job.words
    hide, unpack = bound(job.game, batch.hide_from), bound(job.game, batch.unpack)
    tile_words = threads * size
    lanes, words_type = job.warp, numba.uint64

    def look(states, viewer, flat, columns, known, games):  # type: ignore[no-untyped-def]
        words = cuda.shared.array(tile_words, words_type)
        tile = words.view(dtype)
        me = cuda.threadIdx.x
        first = cuda.blockIdx.x * threads
        count = min(threads, games - first)
        for k in range(me, count * size, threads):
            words[k] = states[first * size + k]
        cuda.syncthreads()
        if me < count:
            hide(tile, me, viewer)
        cuda.syncthreads()
        for k in range(me, count * size, threads):
            known[first * size + k] = words[k]
        views = (words.view(U1), words.view(I1), words.view(U2), words.view(I2), words.view(I4))
        unpack(views, columns, size, me % lanes, lanes, (me // lanes, threads // lanes, count, first), flat)

    return look


def sample(job: Job) -> Kernel:
    """A legal action for each game, uniformly at random, the same as on cores."""
    draw = bound(job.game, batch.next_draw)

    def sample(mask, seed, drawn, out):  # type: ignore[no-untyped-def]
        game = cuda.grid(1)
        if game < out.shape[0]:
            out[game] = draw(mask, seed, drawn, game)

    return sample


def bump(drawn):  # type: ignore[no-untyped-def]
    """Count the draws of `sample`."""
    drawn[0] += 1


def cast(actions, wide):  # type: ignore[no-untyped-def]
    """Actions of another type, as 64-bit integers."""
    game = cuda.grid(1)
    if game < wide.shape[0]:
        wide[game] = actions[game]


def choose(places, actions):  # type: ignore[no-untyped-def]
    """Leave all games but those in `places` as they are."""
    game = cuda.grid(1)
    if game < actions.shape[0] and not places[game]:
        actions[game] = -2  # STAY


def advise(job: Job) -> Kernel:
    """What the game's quick bot would do now."""
    best, record, int16 = bound(job.game, batch.best_of), numba.from_dtype(job.dtype), numba.int16
    actions_count, spares = len(job.game.actions), SCRATCH

    def advise(states, first, out):  # type: ignore[no-untyped-def]
        spare, moves = cuda.local.array(spares, record), cuda.local.array(actions_count, int16)
        place = cuda.grid(1)
        if place < out.shape[0]:
            out[place] = best(states, first + place, spare, moves)

    return advise
