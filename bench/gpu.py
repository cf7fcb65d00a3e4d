"""Everything that runs on a GPU, measured there: python -m bench.gpu [GAME …] [--seconds 1] [--limit 460] [--json PATH]

- Whole games of every game, random and of its quick bot: only the totals, and a row for each; the kernel alone, and end to end; beside one
  core of the same machine. Every line says whether the games were the same as on the core.
- Batches (`VectorEnv(device="cuda")`): a step, a step with random actions, and a loop with a small network in PyTorch.
- Pgx on the same GPU at its best batch size: random play in a scan, its `step` alone, and a loop with the same network in JAX.

Each part runs in a process of its own: they compile side by side, and one at a time plays on the GPU. Every figure is saved as soon as it
is known, so a run that is cut off keeps what it has measured; `--show PATH` prints such a file again as the tables of
docs/benchmarks/gpu.md. With `NUMBA_ENABLE_CUDASIM=1` it goes through the same motions in numba-cuda's simulator, on a few games.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import rulestone
from bench.machine import machine, versions
from rulestone.engine.gpu import Table, check, simulated
from rulestone.engine.playouts import playouts
from rulestone.envs.table import lines

RESULTS = Path(__file__).parent / "results"
TINY = simulated()
SAME = 10 if TINY else 2_000
"""Games compared one by one; a tenth of them for quick bots."""
LANES_FULL = 2 if TINY else 200_000
"""Games that fill a large GPU."""
BATCHES = (8,) if TINY else (65_536, 262_144, 1_048_576)
PGX_BATCHES = {
    "connect_four": (8,) if TINY else (262_144, 1_048_576, 4_194_304, 65_536),
    "backgammon": (8,) if TINY else (65_536, 262_144),
}
"""Pgx's games, and how many of them are played at the same time."""
WIDTH, SCAN = 64, 1 if TINY else 32
"""Neurons in the small network; steps in a graph or scan."""
LIMIT = 460.0
"""Seconds for everything, unless another number is given."""
LOCK = Path(tempfile.gettempdir()) / "rulestone-bench-gpu.lock"

Say = Callable[[dict[str, Any]], None]
"""Takes what a part has measured so far."""


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Nobody else is on the GPU meanwhile."""
    with LOCK.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def median(work: Callable[[], Any], wait: Callable[[], Any], seconds: float) -> float:
    """The seconds that work takes: the median of as many times as fit (at least three)."""
    work()
    wait()
    taken: list[float] = []
    while len(taken) < 3 or (sum(taken) < seconds and len(taken) < 50):
        began = time.perf_counter()
        work()
        wait()
        taken.append(time.perf_counter() - began)
    return float(np.median(taken))


# ---- whole games ----------------------------------------------------------------------------------------------------


def play(name: str, bots: str, seconds: float, say: Say) -> None:
    """Whole games of one game, in decisions per second."""
    game = rulestone.load(name)
    games = SAME if bots == "random" else SAME // 10
    here = playouts(game, games, bots=bots, seed=7)
    began = time.perf_counter()
    playouts(game, 0, bots=bots, gpu=True, rows=False)
    shown: dict[str, Any] = {"part": "games", "game": name, "bots": bots, "compiling": time.perf_counter() - began}
    if bots == "random":
        playouts(game, 0, bots=bots, gpu=True)

    def rate(gpu: bool, rows: bool, games: int, seconds: float) -> float:
        where: dict[str, Any] = {"gpu": True} if gpu else {"threads": 1}
        return _rate(lambda count: playouts(game, count, bots=bots, seed=8, rows=rows, **where).decisions, games, seconds)

    with alone():
        shown["same"] = playouts(game, games, bots=bots, seed=7, gpu=True, rows=False) == here.totals
        if bots == "random":
            there = playouts(game, games, bots=bots, seed=7, gpu=True)
            same = all(np.array_equal(getattr(here, part), getattr(there, part)) for part in ("payoffs", "lengths", "verbs"))
            shown["same"] = shown["same"] and same
        say(shown)
        shown["core"] = rate(False, False, games, seconds / 2)
        say(shown)
        shown["totals"] = rate(True, False, 4 * LANES_FULL if bots == "random" else LANES_FULL // 4, seconds)
        say(shown)
        if bots == "random":
            shown["kernel"] = _kernel(game, 4 * LANES_FULL)
            say(shown)
            shown["rows"] = rate(True, True, 4 * LANES_FULL, seconds)
            say(shown)


def _rate(work: Callable[[int], int], games: int, seconds: float) -> float:
    """Decisions per second, in the best of several runs of about that many seconds."""
    best, taken = 0.0, 0.0
    for _ in range(6):
        began = time.perf_counter()
        decisions = work(games)
        now = time.perf_counter() - began
        best, taken = max(best, decisions / now), taken + now
        if taken > 2 * seconds or TINY:
            break
        games = max(games, int(games * min(4.0, seconds / now)))
    return best


def _kernel(game: rulestone.Game, games: int) -> float:
    """Decisions per second of the kernel alone, by the GPU's own clock, in random play."""
    cuda = check()
    start, players = game.prepared(None, None)
    verb_of = np.array([number for number, verb in enumerate(game.actions) for _ in range(verb.count)], np.int16)
    table = Table(game, game.bared(start), players, 8, np.zeros(players, np.int8), verb_of)
    program, made = table.ready(games)
    games = games if TINY else min(games * 4, program.lanes * 64)
    before, after = cuda.event(), cuda.event()
    best = float("inf")
    for _ in range(3):
        before.record()
        program.launch(0, 0, games, table.given, made)
        after.record()
        after.synchronize()
        best = min(best, before.elapsed_time(after) / 1000)
    return playouts(game, games, seed=8, gpu=True, rows=False).decisions / best


# ---- batches --------------------------------------------------------------------------------------------------------


def batches(name: str, seconds: float, say: Say) -> None:
    """Steps per second of a batch: each writes records, observations, masks, rewards and ends."""
    from rulestone.envs.vector import VectorEnv

    env: Any = VectorEnv(name, games=64, seed=1, device="cuda")
    env.sample()
    env.step()
    env.check()  # everything is compiled now
    shown: dict[str, Any] = {"part": "batches", "game": name, "sizes": {}}
    for games in BATCHES:
        with alone():
            shown["sizes"][str(games)] = _batch(VectorEnv(name, games=games, seed=1, device="cuda"), seconds)
        say(shown)


def _batch(env: Any, seconds: float) -> dict[str, float]:
    """One batch with random actions, and with a small network."""
    import torch

    games, where = env.games, "cpu" if TINY else "cuda"
    for _ in range(1 if TINY else 30):
        env.sample()
        env.step()
    env.wait()
    stream = None if TINY else torch.cuda.Stream()
    if stream is not None:
        env.stream = stream.cuda_stream
    observations, mask, actions = (torch.from_dlpack(array) for array in (env.observations, env.mask, env.actions))
    first = torch.nn.Linear(env.encoding.size, WIDTH, device=where)
    last = torch.nn.Linear(WIDTH, mask.shape[1], device=where)

    def act() -> None:
        logits = last(torch.relu(first(observations.float())))
        noise = -torch.log(-torch.log(torch.rand_like(logits)))
        actions.copy_((logits + noise).masked_fill(~mask, -1e9).argmax(dim=1))

    def sampled() -> None:
        env.sample()
        env.step()

    def learned() -> None:
        act()
        env.step()

    def repeated(step: Callable[[], Any]) -> Callable[[], Any]:
        return lambda: [step() for _ in range(SCAN)]

    def captured(step: Callable[[], Any]) -> Callable[[], Any]:
        if stream is None:
            return repeated(step)
        graph = torch.cuda.CUDAGraph()
        torch.cuda.synchronize()
        with torch.cuda.graph(graph, stream=stream):
            repeated(step)()
        return graph.replay  # type: ignore[no-any-return]

    with torch.no_grad(), contextlib.nullcontext() if stream is None else torch.cuda.stream(stream):
        learned()
        wait = env.wait if stream is None else torch.cuda.synchronize
        calls = median(repeated(sampled), wait, seconds / 4) / SCAN
        sample, both, network = (median(captured(step), wait, seconds / 4) / SCAN for step in (env.sample, sampled, learned))
    env.check()
    step = max(both - sample, 1e-9)
    return {
        "step": games / step, "sampled": games / both, "calls": games / calls, "network": games / network, "microseconds": 1e6 * step,
    }  # fmt: skip


# ---- Pgx ------------------------------------------------------------------------------------------------------------


def peer(name: str, seconds: float, say: Say) -> None:
    """Pgx on the same GPU: random play in a scan, its step alone, and a loop with a small network."""
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental.wrappers import auto_reset

    env = pgx.make(name)
    step = jax.vmap(auto_reset(env.step, env.init))
    shown = {"part": "peers", "game": f"Pgx {name}", "versions": {"pgx": pgx.__version__, "jax": jax.__version__}, "sizes": {}}

    def at_random(state: Any, key: Any) -> Any:
        return jax.random.categorical(key, jnp.where(state.legal_action_mask, 0.0, -1e9), axis=-1)

    def first_legal(state: Any, key: Any) -> Any:
        return jnp.argmax(state.legal_action_mask, axis=-1)

    def by_network(state: Any, key: Any) -> Any:
        inputs, outputs = int(np.prod(state.observation.shape[1:])), state.legal_action_mask.shape[1]
        first, last = (jax.random.normal(jax.random.key(2), shape) * 0.1 for shape in ((inputs, WIDTH), (WIDTH, outputs)))
        hidden = jax.nn.relu(state.observation.reshape(len(state.observation), -1).astype(jnp.float32) @ first)
        return jax.random.categorical(key, jnp.where(state.legal_action_mask, hidden @ last, -1e9), axis=-1)

    def scan(choose: Any) -> Any:
        def one(carried: Any, _: Any) -> Any:
            state, key = carried
            key, choosing, playing = jax.random.split(key, 3)
            state = step(state, choose(state, choosing), jax.random.split(playing, len(state.terminated)))
            return (state, key), state.terminated.sum() + state.observation.sum()

        return lambda state, key: jax.lax.scan(one, (state, key), None, length=SCAN)

    for batch in PGX_BATCHES[name]:
        key = jax.random.key(1, impl="unsafe_rbg")
        starting = jax.jit(lambda key, batch=batch: jax.vmap(env.init)(jax.random.split(key, batch)))
        begin, like = starting.lower(key).compile(), jax.eval_shape(starting, key)
        rates: dict[str, float] = {}
        shown["sizes"][str(batch)] = rates
        for what, choose in (("random", at_random), ("step", first_legal), ("network", by_network)):
            run = jax.jit(scan(choose)).lower(like, key).compile()  # compiled while others measure
            with alone():
                state = begin(key)
                taken = median(lambda run=run, state=state, key=key: jax.block_until_ready(run(state, key)), lambda: None, seconds / 4)
                del state
            rates[what] = batch * SCAN / taken
            say(shown)


# ---- the parts ------------------------------------------------------------------------------------------------------


def parts(names: Sequence[str]) -> list[list[str]]:
    """What is measured, the longest first."""
    peers = [["peer", name] for name in PGX_BATCHES]
    greedy = [["play", name, "greedy"] for name in names if rulestone.load(name).greedy]
    return [*peers, *greedy, *(["play", name, "random"] for name in names), ["batches", names[0]]]


def run_part(part: Sequence[str], seconds: float, say: Say) -> None:
    """Measure one part, in this process."""
    {"play": play, "batches": batches, "peer": peer}[part[0]](*part[1:], seconds, say)  # type: ignore[operator]


def run_all(commands: Mapping[str, Sequence[str]], limit: float, say: Callable[[str, dict[str, Any]], None]) -> None:
    """Run every part in a process of its own, for up to `limit` seconds. `say` gets each line of figures at once, and failures."""
    ends = time.perf_counter() + limit
    settings = {**os.environ, "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
    places = threading.Semaphore(max(2, len(os.sched_getaffinity(0))))
    turn = threading.Lock()

    def run(part: str, command: Sequence[str]) -> None:
        with places, tempfile.TemporaryFile("w+") as errors:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, env=settings)
            killer = threading.Timer(max(0.0, ends - time.perf_counter()), process.kill)
            killer.start()
            for line in process.stdout or ():
                if line.startswith("{"):
                    with turn:
                        say(part, json.loads(line))
            late = process.wait() and killer.finished.is_set()
            killer.cancel()
            if process.returncode:
                errors.seek(0)
                with turn:
                    say(part, {"failed": "out of time" if late else errors.read().strip().rpartition("\n")[2]})

    threads = [threading.Thread(target=run, args=one) for one in commands.items()]
    for thread in threads:
        thread.start()
        time.sleep(0.01)  # in this order
    for thread in threads:
        thread.join()


# ---- what they say --------------------------------------------------------------------------------------------------


def shown(figures: Mapping[str, Any]) -> str:
    """The figures as they stand in docs/benchmarks/gpu.md."""
    results = figures["results"].values()
    whole, sizes = ([one for one in results if one.get("part") in parts] for parts in (("games",), ("batches", "peers")))
    text = [", ".join(f"{name} {value}" for name, value in figures["facts"].items())]
    if whole:
        text += ["Whole games, million decisions/s", _games(whole)]
    if sizes:
        text += ["Steps of batches, million/s", _sizes(sizes)]
    text += _ratios(whole, sizes)
    text += [f"{part}: {one['failed']}" for part, one in figures["results"].items() if "failed" in one]
    return "\n\n".join(text)


def _millions(figure: float | None, digits: int = 0) -> str:
    return "–" if not figure else f"{figure / 1e6:,.{digits}f}"


def _games(whole: Sequence[Mapping[str, Any]]) -> str:
    head = ("game", "bots", "the same games", "one core", "kernel", "totals", "rows", "totals × core", "compiling, s")
    rows = [head, ("---", "---", "---", *["---:"] * 6)]
    for one in sorted(whole, key=lambda one: (one["bots"] != "random", one["game"])):
        digits = 0 if one["bots"] == "random" else 2
        core, totals = one.get("core"), one.get("totals")
        figures = _millions(core, 2), *(_millions(one.get(what), digits) for what in ("kernel", "totals", "rows"))
        times = f"{totals / core:,.0f}" if core and totals else "–"
        rows.append((one["game"], one["bots"], "yes" if one["same"] else "NO", *figures, times, f"{one['compiling']:.0f}"))
    return lines(rows)


def _sizes(sizes: Sequence[Mapping[str, Any]]) -> str:
    head = ("environment", "games at once", "step", "with random actions", "calls from Python", "with a network")
    rows = [head, ("---", *["---:"] * 5)]
    for one in sizes:
        for size, rates in one["sizes"].items():
            found = (rates.get("step"), rates.get("sampled", rates.get("random")), rates.get("calls"), rates.get("network"))
            rows.append((one["game"], f"{int(size):,}", *map(_millions, found)))
    return lines(rows)


def _ratios(whole: Sequence[Mapping[str, Any]], sizes: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """How many times as fast as Pgx we are in Connect Four, each at its best size."""

    def best(part: str, what: str) -> float:
        found = [one for one in sizes if one["part"] == part and one["game"].endswith("connect_four")]
        return max((rates.get(what, 0.0) for one in found for rates in one["sizes"].values()), default=0.0)

    totals = max((one.get("totals", 0.0) for one in whole if one["game"] == "connect_four"), default=0.0)
    ours = {"random": totals, "step": best("batches", "step"), "network": best("batches", "network")}
    for what, rate in ours.items():
        theirs = best("peers", what)
        if rate and theirs:
            yield f"Connect Four, {what}: {rate / theirs:.1f} × Pgx at its best batch size"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, save and print. Return 1 if any game went differently on the GPU, or a part failed."""
    parser = argparse.ArgumentParser(prog="python -m bench.gpu", description=__doc__.partition("\n")[0])
    parser.add_argument("games", nargs="*", help="names of games (default: all)")
    parser.add_argument("--seconds", type=float, default=1.0, help="about how long each measurement takes")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds after which what is still running is given up")
    parser.add_argument("--json", type=Path, metavar="PATH", help="where to save the figures, as they come")
    parser.add_argument("--show", type=Path, metavar="PATH", help="print the figures in a file, and measure nothing")
    parser.add_argument("--part", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.part:
        run_part(options.part, options.seconds, lambda figures: print(json.dumps(figures), flush=True))
        return 0
    if options.show:
        print(shown(json.loads(options.show.read_text(encoding="utf-8"))))
        return 0
    names = options.games or sorted(rulestone.games.names(), key=lambda name: name != "connect_four")
    path: Path = options.json or RESULTS / time.strftime("gpu-%Y-%m-%d-%H%M%S.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    figures: dict[str, Any] = {"facts": {"GPU": gpu(), **machine(), **versions()}, "results": {}}

    def say(part: str, result: dict[str, Any]) -> None:
        figures["results"].setdefault(part, {}).update(result)
        path.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
        print(f"{part}: {json.dumps(result)}", flush=True)

    measuring = [sys.executable, "-m", "bench.gpu", "--seconds", str(options.seconds), "--part"]
    run_all({" ".join(part): [*measuring, *part] for part in parts(names)}, options.limit, say)
    print(shown(figures))
    print(f"\nThe figures are in {path}.")
    return 0 if all("failed" not in one and one.get("same", True) for one in figures["results"].values()) else 1


def gpu() -> str:
    """The name of the GPU."""
    cuda = check()
    if TINY:
        return "simulated"
    name: Any = cuda.get_current_device().name
    return name.decode() if isinstance(name, bytes) else str(name)


if __name__ == "__main__":
    sys.exit(main())
