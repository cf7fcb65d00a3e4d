"""Everything that runs on a GPU, measured there: python -m bench.gpu [GAME …] [--seconds 1] [--json PATH] [--limit SECONDS]

- Whole games of every game, random and of its quick bot: only the totals, and a row for each; the kernel alone, and end to end; beside one
  core of the same machine. Every line says whether the games were the same as on the core.
- Batches (`VectorEnv(device="cuda")`): a step, a step with random actions, and a loop with a small network in PyTorch.
- Pgx on the same GPU at its best batch size: random play in a scan, its `step` alone, and a loop with the same network in JAX.

Each part runs in a process of its own: they compile side by side, and one at a time measures.
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
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table as Shown

import rulestone
from bench.machine import machine, versions
from rulestone.engine.gpu import Table, check
from rulestone.engine.playouts import playouts

SAME = 2_000
"""Games compared one by one; a tenth of them for quick bots."""
LANES_FULL = 200_000
"""Games that fill a large GPU."""
BATCHES = (65_536, 262_144, 1_048_576)
PGX_BATCHES = (65_536, 262_144, 1_048_576, 4_194_304)
WIDTH, SCAN = 64, 32
"""Neurons in the small network; steps in a graph or scan."""
LOCK = Path(tempfile.gettempdir()) / "rulestone-bench-gpu.lock"


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Nobody else measures meanwhile."""
    with LOCK.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def fastest(work: Callable[[], Any], wait: Callable[[], Any], seconds: float) -> float:
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


def play(name: str, bots: str, seconds: float) -> dict[str, Any]:
    """Whole games of one game, in decisions per second."""
    game = rulestone.load(name)
    games = SAME if bots == "random" else SAME // 10
    here = playouts(game, games, bots=bots, seed=7)
    began = time.perf_counter()
    same = playouts(game, games, bots=bots, seed=7, gpu=True, rows=False) == here.totals
    compiling = time.perf_counter() - began
    shown: dict[str, Any] = {"part": "games", "game": name, "bots": bots, "compiling": compiling, "rows": 0.0, "kernel": 0.0}

    def rate(gpu: bool, rows: bool, games: int, seconds: float) -> float:
        where: dict[str, Any] = {"gpu": True} if gpu else {"threads": 1}
        return _rate(lambda count: playouts(game, count, bots=bots, seed=8, rows=rows, **where).decisions, games, seconds)

    if bots == "random":
        there = playouts(game, games, bots=bots, seed=7, gpu=True)
        same = same and all(np.array_equal(getattr(here, part), getattr(there, part)) for part in ("payoffs", "lengths", "verbs"))
    with alone():
        shown["core"] = rate(False, False, games, seconds / 2)
        if bots == "random":
            shown["totals"], shown["rows"] = (rate(True, rows, 4 * LANES_FULL, seconds) for rows in (False, True))
            shown["kernel"] = _kernel(game, bots, 4 * LANES_FULL)
        else:
            shown["totals"] = rate(True, False, LANES_FULL // 4, seconds)
    return {**shown, "same": bool(same)}


def _rate(work: Callable[[int], int], games: int, seconds: float) -> float:
    """Decisions per second, in the best of three runs of about that many seconds."""
    best, taken = 0.0, 0.0
    for _ in range(5):
        began = time.perf_counter()
        decisions = work(games)
        now = time.perf_counter() - began
        best, taken = max(best, decisions / now), taken + now
        if taken > 2 * seconds:
            break
        games = max(games, int(games * min(4.0, seconds / now)))
    return best


def _kernel(game: rulestone.Game, bots: str, games: int) -> float:
    """Decisions per second of the kernel alone, by the GPU's own clock."""
    cuda = check()
    start, players = game.prepared(None, None)
    verb_of = np.array([number for number, verb in enumerate(game.actions) for _ in range(verb.count)], np.int16)
    table = Table(game, game.bared(start), players, 8, np.full(players, int(bots == "greedy"), np.int8), verb_of)
    program, made = table.ready(games)
    games = min(games * 4, program.lanes * 64) if bots == "random" else games
    before, after = cuda.event(), cuda.event()
    best = float("inf")
    for _ in range(3):
        before.record()
        program.launch(0, 0, games, table.given, made)
        after.record()
        after.synchronize()
        best = min(best, cuda.event_elapsed_time(before, after) / 1000)
    decisions = playouts(game, games, bots=bots, seed=8, gpu=True, rows=False).decisions
    return decisions / best


# ---- batches --------------------------------------------------------------------------------------------------------


def batches(name: str, seconds: float) -> dict[str, Any]:
    """Steps per second of a batch: each writes records, observations, masks, rewards and ends."""
    import torch

    from rulestone.envs.vector import VectorEnv

    sizes: dict[str, dict[str, float]] = {}
    for games in BATCHES:
        env: Any = VectorEnv(name, games=games, seed=1, device="cuda")
        for _ in range(30):
            env.sample()
            env.step()
        stream = torch.cuda.Stream()
        torch.cuda.synchronize()
        env.stream = stream.cuda_stream
        observations, mask, actions = (torch.from_dlpack(array) for array in (env.observations, env.mask, env.actions))
        first = torch.nn.Linear(env.encoding.size, WIDTH, device="cuda")
        last = torch.nn.Linear(WIDTH, mask.shape[1], device="cuda")

        def act(seen: Any = observations, allowed: Any = mask, chosen: Any = actions, first: Any = first, last: Any = last) -> None:
            logits = last(torch.relu(first(seen.float())))
            noise = -torch.log(-torch.log(torch.rand_like(logits)))
            chosen.copy_((logits + noise).masked_fill(~allowed, -1e9).argmax(dim=1))

        def sampled(env: Any = env) -> None:
            env.sample()
            env.step()

        def learned(env: Any = env, act: Any = act) -> None:
            act()
            env.step()

        times = {}
        with torch.no_grad(), torch.cuda.stream(stream):
            learned()
            with alone():
                for what, step in (
                    ("calls", sampled),
                    ("sample", env.sample),
                    ("sample and step", sampled),
                    ("network", act),
                    ("network and step", learned),
                ):
                    graph = None if what == "calls" else torch.cuda.CUDAGraph()
                    if graph is not None:
                        torch.cuda.synchronize()
                        with torch.cuda.graph(graph, stream=stream):
                            for _ in range(SCAN):
                                step()
                    work = graph.replay if graph is not None else lambda step=step: [step() for _ in range(SCAN)]
                    times[what] = fastest(work, torch.cuda.synchronize, seconds / 4) / SCAN
        env.check()
        alone_time = times["sample and step"] - times["sample"]
        sizes[str(games)] = {
            "step": games / alone_time, "sampled": games / times["sample and step"], "calls": games / times["calls"],
            "network": games / times["network and step"], "microseconds": 1e6 * alone_time,
        }  # fmt: skip
        del env, observations, mask, actions
    return {"part": "batches", "game": name, "sizes": sizes}


# ---- Pgx ------------------------------------------------------------------------------------------------------------


def peer(name: str, seconds: float) -> dict[str, Any]:
    """Pgx on the same GPU: random play in a scan, its step alone, and a loop with a small network."""
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental.wrappers import auto_reset

    env = pgx.make(name)
    sizes: dict[str, dict[str, float]] = {}
    for batch in PGX_BATCHES if name == "connect_four" else PGX_BATCHES[:2]:
        step = jax.vmap(auto_reset(env.step, env.init))
        key = jax.random.key(1, impl="unsafe_rbg")
        state = jax.jit(jax.vmap(env.init))(jax.random.split(key, batch))
        inputs, outputs = int(np.prod(state.observation.shape[1:])), state.legal_action_mask.shape[1]
        first = jax.random.normal(key, (inputs, WIDTH)) * 0.1
        last = jax.random.normal(key, (WIDTH, outputs)) * 0.1

        def at_random(state: Any, key: Any) -> Any:
            return jax.random.categorical(key, jnp.where(state.legal_action_mask, 0.0, -1e9), axis=-1)

        def by_network(state: Any, key: Any, batch: int = batch, first: Any = first, last: Any = last) -> Any:
            hidden = jax.nn.relu(state.observation.reshape(batch, -1).astype(jnp.float32) @ first)
            return jax.random.categorical(key, jnp.where(state.legal_action_mask, hidden @ last, -1e9), axis=-1)

        def scan(choose: Any, batch: int = batch, step: Any = step) -> Any:
            def one(carried: Any, _: Any) -> Any:
                state, key = carried
                key, choosing, playing = jax.random.split(key, 3)
                state = step(state, choose(state, choosing), jax.random.split(playing, batch))
                return (state, key), state.terminated.sum() + state.observation.sum()

            return jax.jit(lambda state, key: jax.lax.scan(one, (state, key), None, length=SCAN))

        def timed(run: Any, *given: Any) -> float:
            jax.block_until_ready(run(*given))
            with alone():
                return fastest(lambda: jax.block_until_ready(run(*given)), lambda: None, seconds / 4)

        rates = {"random": batch * SCAN / timed(scan(at_random), state, key), "network": batch * SCAN / timed(scan(by_network), state, key)}
        rates["step"] = batch / timed(jax.jit(step), state, at_random(state, key), jax.random.split(key, batch))
        sizes[str(batch)] = rates
    return {"part": "peers", "game": f"Pgx {name}", "versions": {"pgx": pgx.__version__, "jax": jax.__version__}, "sizes": sizes}


# ---- the parts, and what they say -------------------------------------------------------------------------------------


def parts(names: Sequence[str]) -> list[list[str]]:
    """What is measured, the longest first."""
    made = [["play", name, "greedy"] for name in names if rulestone.load(name).greedy] + [["play", name, "random"] for name in names]
    return [*made, ["batches", names[0]], ["peer", "connect_four"], ["peer", "backgammon"]]


def run_part(part: Sequence[str], seconds: float) -> dict[str, Any]:
    """Measure one part, in this process."""
    if part[0] == "play":
        return play(part[1], part[2], seconds)
    return batches(part[1], seconds) if part[0] == "batches" else peer(part[1], seconds)


def run_all(names: Sequence[str], seconds: float, limit: float, say: Callable[[dict[str, Any]], None]) -> None:
    """Measure every part in a process of its own, up to `limit` seconds."""
    began = time.perf_counter()
    settings = {**os.environ, "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
    waiting = parts(names)
    running: list[tuple[list[str], subprocess.Popen[str]]] = []
    while waiting or running:
        while waiting and len(running) < max(2, len(os.sched_getaffinity(0))):
            part = waiting.pop(0)
            command = [sys.executable, "-m", "bench.gpu", "--seconds", str(seconds), "--part", *part]
            running.append((part, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=settings)))
        for part, process in list(running):
            late = time.perf_counter() - began > limit
            if process.poll() is None and not late:
                continue
            if late:
                process.kill()
            out, wrong = process.communicate()
            running.remove((part, process))
            lines = [line for line in out.splitlines() if line.startswith("{")]
            failed = {"part": "failed", "what": " ".join(part), "why": "out of time" if late else wrong.strip()[-600:]}
            say(json.loads(lines[-1]) if lines else failed)
        time.sleep(0.1)


def tables(results: Sequence[dict[str, Any]]) -> Iterator[Shown]:
    """The figures as tables, in millions a second."""
    games = Shown(
        "game",
        "bots",
        "same games",
        "one core",
        "kernel",
        "totals",
        "rows",
        "× core",
        "compiling, s",
        title="Whole games, million decisions/s",
    )
    for one in sorted((one for one in results if one["part"] == "games"), key=lambda one: (one["bots"] != "random", one["game"])):
        figures = [f"{one[what] / 1e6:,.2f}" if one[what] else "–" for what in ("core", "kernel", "totals", "rows")]
        games.add_row(
            one["game"],
            one["bots"],
            "yes" if one["same"] else "NO",
            *figures,
            f"{one['totals'] / one['core']:,.0f}",
            f"{one['compiling']:.0f}",
        )
    yield games
    steps = Shown(
        "environment",
        "games at once",
        "step",
        "with random actions",
        "calls from Python",
        "with a network",
        title="Batches, million steps/s",
    )
    for one in results:
        if one["part"] in ("batches", "peers"):
            for size, rates in one["sizes"].items():
                figures = [rates["step"], rates.get("sampled", rates.get("random", 0.0)), rates.get("calls", 0.0), rates["network"]]
                steps.add_row(one["game"], size, *(f"{figure / 1e6:,.0f}" if figure else "–" for figure in figures))
    yield steps


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print. Return 1 if any game went differently on the GPU, or a part failed."""
    parser = argparse.ArgumentParser(prog="python -m bench.gpu", description=__doc__.partition("\n")[0])
    parser.add_argument("games", nargs="*", help="names of games (default: all)")
    parser.add_argument("--seconds", type=float, default=1.0, help="about how long each measurement takes")
    parser.add_argument("--limit", type=float, default=3600.0, help="seconds after which what is still running is given up")
    parser.add_argument("--json", type=Path, metavar="PATH", help="where to save the figures, as they come")
    parser.add_argument("--part", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.part:
        print(json.dumps(run_part(options.part, options.seconds)))
        return 0
    console = Console(width=160)
    device = check().get_current_device()
    facts = {"GPU": device.name.decode() if isinstance(device.name, bytes) else str(device.name), **machine(), **versions()}
    console.print(", ".join(f"{name} {value}" for name, value in facts.items()))
    results: list[dict[str, Any]] = []

    def say(result: dict[str, Any]) -> None:
        results.append(result)
        console.print(json.dumps(result), markup=False, highlight=False, soft_wrap=True)
        if options.json:
            options.json.write_text(json.dumps({"facts": facts, "results": results}, indent=1) + "\n", encoding="utf-8")

    run_all(options.games or sorted(rulestone.games.names(), key=lambda name: name != "connect_four"), options.seconds, options.limit, say)
    for shown in tables(results):
        console.print(shown)
    return 0 if all(one["part"] != "failed" and one.get("same", True) for one in results) else 1


if __name__ == "__main__":
    sys.exit(main())
