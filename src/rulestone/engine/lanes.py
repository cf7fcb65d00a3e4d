"""The kernels that play whole games on a GPU. They are made anew for each game, around its compiled rules.

Block b plays the games from first + b·share on, up to its share or `stop`. Its lanes take one after the other: none waits for the longest.
(`cuda` must be a global name here: numba-cuda's simulator replaces it while a kernel runs.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numba
from numba import cuda

from rulestone.engine.gpu import NEVER, bound
from rulestone.engine.loops import LONGEST, SHORTEST, deal, note, policy_stretch, random_stretch, tally
from rulestone.kernel.record import SCRATCH

if TYPE_CHECKING:
    from rulestone.engine.gpu import Job, Kernel


def totals(job: Job) -> Kernel:
    """Each lane adds up its games, and at the end all lanes of a block together."""
    begin, play, add = (bound(job.game, template) for template in (deal, _stretch(job), tally))
    record, int16, int64 = job.record, numba.int16, numba.int64
    actions, verbs, size = len(job.game.actions), len(job.game.actions.verbs), job.size
    threads, shared, spare = job.shape.threads, job.shape.shared, SCRATCH if job.policy else 1

    def lane(start, policy, verb_of, seed, first, share, stop, stretch, made):  # type: ignore[no-untyped-def]
        if shared:
            states = cuda.shared.array(threads, record)
        else:
            states = cuda.local.array(1, record)
        taken = cuda.shared.array(1, int64)
        scratch, moves = cuda.local.array(spare, record), cuda.local.array(actions, int16)
        used, own = cuda.local.array(verbs, int64), cuda.local.array(size, int64)
        place = cuda.threadIdx.x if shared else 0
        block = cuda.blockIdx.x
        for k in range(size):
            own[k] = 0
        for k in range(verbs):
            used[k] = 0
        own[SHORTEST] = NEVER
        if cuda.threadIdx.x == 0:
            taken[0] = first + block * share
        cuda.syncthreads()
        end = min(first + (block + 1) * share, stop)
        game = cuda.atomic.add(taken, 0, 1)
        if game < end:
            begin(states, place, start, game, seed)
        while game < end:
            if play(states, place, stretch, policy, scratch, moves, verb_of, used):
                add(states, place, own)
                game = cuda.atomic.add(taken, 0, 1)
                if game < end:
                    begin(states, place, start, game, seed)
        for k in range(verbs):
            own[size - verbs + k] = used[k]
        for k in range(size):
            if k == SHORTEST:
                cuda.atomic.min(made, (block, k), own[k])
            elif k == LONGEST:
                cuda.atomic.max(made, (block, k), own[k])
            else:
                cuda.atomic.add(made, (block, k), own[k])

    return lane


def rows(job: Job) -> Kernel:
    """Each lane writes a row for each game."""
    begin, play, finish = (bound(job.game, template) for template in (deal, _stretch(job), note))
    record, int16, int64 = job.record, numba.int16, numba.int64
    actions, verbs = len(job.game.actions), len(job.game.actions.verbs)
    threads, shared, spare = job.shape.threads, job.shape.shared, SCRATCH if job.policy else 1

    def lane(start, policy, verb_of, seed, first, share, stop, stretch, made):  # type: ignore[no-untyped-def]
        if shared:
            states = cuda.shared.array(threads, record)
        else:
            states = cuda.local.array(1, record)
        taken = cuda.shared.array(1, int64)
        scratch, moves = cuda.local.array(spare, record), cuda.local.array(actions, int16)
        used = cuda.local.array(verbs, int64)
        place = cuda.threadIdx.x if shared else 0
        block = cuda.blockIdx.x
        for k in range(verbs):
            used[k] = 0
        if cuda.threadIdx.x == 0:
            taken[0] = first + block * share
        cuda.syncthreads()
        end = min(first + (block + 1) * share, stop)
        game = cuda.atomic.add(taken, 0, 1)
        if game < end:
            begin(states, place, start, game, seed)
        while game < end:
            if play(states, place, stretch, policy, scratch, moves, verb_of, used):
                finish(states, place, game - first, used, made)
                game = cuda.atomic.add(taken, 0, 1)
                if game < end:
                    begin(states, place, start, game, seed)

    return lane


def _stretch(job: Job) -> Any:
    return policy_stretch if job.policy else random_stretch
