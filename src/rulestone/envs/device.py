"""A batch of games that never leaves the GPU: `VectorEnv(…, device="cuda")`.

The games are the same as on cores. Records, observations, masks, rewards and the rest are arrays on the GPU, which PyTorch, JAX and CuPy
read without a copy: `torch.from_dlpack(env.observations)`, made once, always shows the last step. `step` takes actions from there too:

    env = VectorEnv("connect_four", games=65_536, seed=1, device="cuda")
    observations, mask, rewards = (torch.from_dlpack(array) for array in (env.observations, env.mask, env.rewards))
    while training:
        env.step(policy(observations, mask))  # integers on the GPU

`step` doesn't wait for the GPU. So an illegal action is only noted: its game stays as it is, and `check` raises the error.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulestone.engine.gpu import NEVER, as_records, check, house_rules, simulated
from rulestone.envs import batch
from rulestone.envs.tensors import Tensor
from rulestone.envs.vector import VectorEnv
from rulestone.game import Game
from rulestone.nets.forward import COUNT, FIRST, PART, PLACE

SHOWN = ("observations", "mask", "to_move", "rewards", "done", "length", "numbers", "seeds", "strides")
"""The arrays of a `VectorEnv` that are on the GPU here, besides records."""
THREADS = 128
"""Lanes of a block, for kernels without records in shared memory."""


class DeviceEnv(VectorEnv):
    """A `VectorEnv` whose arrays are on the GPU. Made by `VectorEnv(…, device="cuda")`."""

    observations: Any
    mask: Any
    to_move: Any
    rewards: Any
    done: Any
    length: Any
    numbers: Any
    seeds: Any
    strides: Any
    states: Any
    records: Any
    final: Any

    @property
    def stream(self) -> int:
        """The CUDA stream that everything runs on, as a number (0: the default stream); set it to capture steps in a graph."""
        return self._stream

    @stream.setter
    def stream(self, stream: int) -> None:
        self._stream = stream
        self._on: Any = self._cuda.external_stream(stream) if stream else 0
        for tensor in self._tensors:
            tensor.stream = stream

    def _bind(self) -> None:
        """Move everything to the GPU."""
        self._cuda = cuda = check()
        if not self._compiled:
            raise ValueError("a batch on the GPU needs compiled rules, but RULESTONE_JIT=0 asks for interpreted ones")
        if self._nets:
            raise ValueError("nets can't play on the GPU yet; possible there: random, greedy, or None for the caller")
        if self.threads > 1:
            raise ValueError("threads can't be combined with a device; leave one of them out")
        bots = bool((self.policy != batch.CALLER).any())
        self._kernels = kernels(self.game, bots)
        job = self._kernels.job
        for name in SHOWN:
            if name != "mask":
                setattr(self, name, Tensor(cuda.to_device(getattr(self, name))))
        self._mask_words = cuda.to_device(np.zeros(-(-self.games * len(self.game.actions) // 8), np.uint64))
        self.mask = Tensor(_part(cuda, self._mask_words, np.dtype(np.bool_), (self.games, len(self.game.actions))))
        self._words = [cuda.to_device(np.zeros(self.games * job.words, np.uint64)) for _ in ("states", "records")]
        self.states, self.records = (Tensor(_part(cuda, one, job.dtype, (self.games,))) for one in self._words)
        self.final = Tensor(cuda.to_device(np.zeros(self.games, job.dtype)))
        self.actions = Tensor(cuda.to_device(np.zeros(self.games, np.int64)))
        """The actions of the next `step`, if it is called without any: write them here yourself."""
        self._drawn_there = cuda.to_device(np.zeros(1, np.uint64))
        self._wrong = cuda.to_device(np.array([NEVER]))
        self._start = cuda.to_device(as_records(self.game.bared(self.start), job.dtype))
        self._who = cuda.to_device(self.policy)
        self._columns = cuda.to_device(_columns(self.encoding.__class__(self.game, self.layout).runs, self.encoding.size))
        self._flat = self.observations.array.reshape(-1)
        self._tensors = [getattr(self, name) for name in (*SHOWN, "states", "records", "final", "actions")]
        self.stream = 0

    def __getstate__(self) -> dict[str, Any]:
        raise TypeError("a batch on the GPU can't be copied")

    def reset(self, seed: int | Sequence[int | None] | None = None, places: NDArray[np.bool_] | None = None) -> None:
        """Restart all games, or only those in `places` (a mask); see `VectorEnv.reset`."""
        self.wait()
        here = np.ones(self.games, np.bool_) if places is None else np.asarray(places, np.bool_)
        there = self.seeds, self.strides, self.numbers
        self.seeds, self.strides, self.numbers = (tensor.host() for tensor in there)
        try:
            self._number(seed, places is None, here)
            for tensor, values in zip(there, (self.seeds, self.strides, self.numbers), strict=True):
                tensor.copy_from(values)
        finally:
            self.seeds, self.strides, self.numbers = there
        self._drawn_there.copy_to_device(np.array([self._drawn], np.uint64))
        self._wrong.copy_to_device(np.array([NEVER]))
        self.actions.copy_from(np.where(here, batch.RESTART, batch.STAY))
        self._advance_there(self.actions.array, trusted=1)
        self.done.copy_from(np.zeros(self.games, np.bool_))

    def step(self, actions: Any = None, places: Any = None) -> None:
        """Make one move in every game, or only in those in `places` (a mask), in one launch.

        `actions` are integers on the GPU (PyTorch, JAX, CuPy, …) or in the computer's own memory; `int64` on the GPU is read where it is.
        Without any, those in `env.actions` are taken. Where an action is illegal, the game stays as it is; `check` raises the error.
        """
        there = self.actions.array if actions is None else self._brought(actions)
        if places is not None:
            if there is not self.actions.array:
                self.actions.array.copy_to_device(there, stream=self._on)
                there = self.actions.array
            self._run_small("choose", self._taken(places, np.dtype(np.bool_)), there)
        self._advance_there(there, trusted=0)

    def check(self) -> None:
        """Wait for the GPU, and raise ValueError if an action since the last check was illegal; its game stayed as it was."""
        self.wait()
        wrong = int(self._wrong.copy_to_host()[0])
        if wrong != NEVER:
            self._wrong.copy_to_device(np.array([NEVER]))
            possible = np.flatnonzero(self.mask.host()[wrong])[:12].tolist()
            raise ValueError(f"an action was not possible in game {wrong}, and was not made; possible there now: {possible}")

    def wait(self) -> None:
        """Wait until the GPU has done everything that was asked."""
        if not simulated():
            self._cuda.external_stream(self._stream or 1).synchronize()

    def sample(self) -> Any:
        """A legal action for each game, uniformly at random, the same as on cores. It is `env.actions`, so `env.step()` makes them."""
        self._drawn += 1
        self._run_small("sample", self.mask.array, np.uint64(self.seed), self._drawn_there, self.actions.array)
        self._kernels.launch("bump", 1, 1, self._on, self._drawn_there)
        return self.actions

    def advice(self, first: int = 0, stop: int | None = None) -> Any:
        """What the game's quick bot `greedy` would do now in the games first..stop-1: integers on the GPU, new ones at every call."""
        if self.game.greedy is None:
            raise ValueError(f"{self.game.name} has no greedy bot")
        made = Tensor(self._cuda.device_array(max(0, (self.games if stop is None else stop) - first), np.int64))
        if len(made):
            self._kernels.launch("advise", -(-len(made) // THREADS), THREADS, self._on, self.states.array, first, made.array)
        made.stream = self._stream
        return made

    def look(self, seat: int, records: Any = None, observations: Any = None) -> Any:
        """Every game as the player on this seat sees it now: flat vectors on the GPU (and records), written to given arrays."""
        if not 0 <= seat < self.players:
            raise ValueError(f"there is no seat {seat}; seats are 0..{self.players - 1}")
        cuda, job = self._cuda, self._kernels.job
        words = (
            cuda.device_array(len(self._words[1]), np.uint64) if records is None else _part(cuda, records.array, np.dtype(np.uint64), None)
        )
        made = Tensor(cuda.device_array(self.observations.shape, np.int32)) if observations is None else observations
        given = (self._words[0], seat, made.array.reshape(-1), self._columns, words, self.games)
        self._kernels.launch("look", self._tiles(), job.threads, self._on, *given)
        made.stream = self._stream
        return made

    def look_back(self, seat: int, records: NDArray[Any] | None = None) -> NDArray[np.int32]:
        """The games that have just ended (`done`), as the player on this seat saw them end, in the computer's own memory."""
        self.wait()
        done = self.done.host()
        ended = as_records(self.final.host()[done], self.layout.dtype)
        observations: NDArray[np.int32] = np.zeros((len(ended), self.encoding.size), np.int32)
        if len(ended):
            known = self.layout.array(len(ended)) if records is None else records
            runs = self.encoding.__class__(self.game, self.layout).runs
            self.fill(batch.look)(ended, known, seat, self.encoding.parts(known), runs, observations)
        return observations

    def match(self, place: int, ended: bool = False) -> Any:
        """The game in a place as it stands (or as the last one there ended), as a match without a past."""
        self.wait()
        match = self.game.new(0, self.players, self.options)
        records = (self.final if ended else self.states).host()
        for name in self.layout.fields:
            match.array[name] = records[name][place : place + 1]
        return match

    def close(self) -> None:
        """Wait until the GPU has done everything."""
        self.wait()

    def _grid(self) -> int:
        return -(-self.games // THREADS)

    def _tiles(self) -> int:
        return -(-self.games // self._kernels.job.threads)

    def _advance_there(self, actions: Any, trusted: int) -> None:
        records = (*self._words, self.final.array)
        series = (self._start, self.seeds.array, self.strides.array, self.numbers.array, self._who)
        told = (self.to_move.array, self.rewards.array, self.done.array, self.length.array)
        shown = (self.mask.array, self._mask_words, self._flat, self._columns)
        groups = (records, series, (actions, self._wrong, trusted), told, shown)
        self._kernels.launch("advance", self._tiles(), self._kernels.job.threads, self._on, *groups)

    def _run_small(self, name: str, *arrays: Any) -> None:
        self._kernels.launch(name, self._grid(), THREADS, self._on, *arrays)

    def _brought(self, actions: Any) -> Any:
        """Actions as an array of `int64` on the GPU: their own, or copied to `env.actions`."""
        there = self._taken(actions, None)
        if there.shape != (self.games,) or np.dtype(there.dtype).kind not in "iu":
            raise ValueError(f"actions must be {self.games} integers, one for each game, not {there.dtype} of shape {tuple(there.shape)}")
        if np.dtype(there.dtype) == np.int64 and there.is_c_contiguous():
            return there
        if np.dtype(there.dtype) != np.int32 or not there.is_c_contiguous():
            there = self._cuda.to_device(np.ascontiguousarray(there.copy_to_host(), np.int32), stream=self._on)
        self._run_small("cast", there, self.actions.array)
        return self.actions.array

    def _taken(self, values: Any, dtype: np.dtype[Any] | None) -> Any:
        """Somebody's array as numba-cuda's kernels take it, on the GPU."""
        if isinstance(values, Tensor):
            return values.array
        if hasattr(values, "__cuda_array_interface__"):
            return self._cuda.as_cuda_array(values, sync=False)
        array = np.ascontiguousarray(values, dtype)
        if array.shape != (self.games,) or array.dtype.kind not in "biu":
            raise ValueError(f"actions must be {self.games} integers, one for each game, not {array.dtype} of shape {array.shape}")
        return self._cuda.to_device(array, stream=self._on)


def _columns(runs: NDArray[np.int32], size: int) -> NDArray[np.int32]:
    """For each number of a flat vector: which type its memory is read as, and its place there."""
    made: NDArray[np.int32] = np.zeros((2, size), np.int32)
    for run in runs:
        for k in range(run[COUNT]):
            made[:, run[PLACE] + k] = run[PART], run[FIRST] + k
    return made


def _part(cuda: Any, array: Any, dtype: np.dtype[Any], shape: tuple[int, ...] | None) -> Any:
    """The beginning of the same memory, read as another type."""
    if simulated():
        whole = array.view(dtype)
        return whole if shape is None else whole[: int(np.prod(shape))].reshape(shape)
    shape = (array.nbytes // dtype.itemsize,) if shape is None else shape
    steps = [dtype.itemsize]
    for length in reversed(shape[1:]):
        steps.insert(0, steps[0] * length)
    return cuda.cudadrv.devicearray.DeviceNDArray(shape=shape, strides=tuple(steps), dtype=dtype, gpu_data=array.gpu_data)


class Kernels:
    """The kernels for one game, compiled when they are first needed."""

    def __init__(self, game: Game, bots: bool) -> None:
        check()
        from rulestone.envs import lanes

        self.job = lanes.Job(game, bots)
        self._functions, self._signatures = lanes.functions(self.job), self.job.signatures()
        self._made: dict[str, tuple[Any, Any]] = {}

    def launch(self, name: str, blocks: int, threads: int, stream: Any, *arguments: Any) -> None:
        """Start a kernel. (Its compiled form is launched directly: Numba would look at the types of all arguments again, in Python.)"""
        if name not in self._made:
            self._made[name] = self._compiled(name)
        kernel, compiled = self._made[name]
        ready = kernel[blocks, threads, stream]
        if compiled is None:
            ready(*arguments)
        else:
            compiled.launch(arguments, ready.griddim, ready.blockdim, ready.stream, ready.sharedmem)

    def _compiled(self, name: str) -> tuple[Any, Any]:
        with house_rules():
            kernel = check().jit(self._functions[name])
            return kernel, None if simulated() else kernel.compile(self._signatures[name])


@lru_cache(maxsize=8)
def kernels(game: Game, bots: bool) -> Kernels:
    """The kernels for one game, with or without bots in the same call."""
    return Kernels(game, bots)
