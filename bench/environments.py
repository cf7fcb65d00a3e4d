"""Researchers' environments side by side, on Connect Four: `python -m bench.environments [--quick] [--json PATH]`.

- Batches of 1024 games with auto-reset, each step with observations and action masks: ours, EnvPool's and Pgx's. Choosing the random
  actions is not timed where it can be done outside (Rulestone, EnvPool, Pgx with a call per step); a scan in Pgx chooses inside.
- PettingZoo's agent loop with a random action from the mask: ours, and `connect_four_v3`.
- One seat from `gymnasium.make`, against a random bot: a step is our move, the bot's, and a reset after the last one.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from bench.machine import BUSY, _version, machine, versions
from bench.measure import Clock, Play, Sample, amount_for, cores_used, mean_length
from bench.random_play import SCAN, Contender, Standing, _petting_zoo, _pgx_batch
from bench.report import facts_table, targets_table
from bench.targets import Target
from rulestone.envs.vector import VectorEnv

GAME, BATCH = "connect_four", 1024
VECTOR, VECTOR_TWO = "Rulestone vector, 1 thread", "Rulestone vector, 2 threads"
ENVPOOL, PGX_CALLS, PGX_SCAN = "EnvPool ConnectFour-v1", "Pgx on the CPU, a call a step", f"Pgx on the CPU, {SCAN} steps a call"
AGENTS, ZOO = "Rulestone by PettingZoo", "PettingZoo connect_four_v3"
SEAT = "Rulestone by Gymnasium, one seat"


def measure(rounds: int, seconds: float, say: Callable[[str], None]) -> Standing:
    """Let all contenders play in turn, round after round."""
    contenders: list[Contender] = []
    skipped: dict[str, str] = {}
    for name, make in _MAKERS.items():
        say(f"environments, preparing {name}")
        try:
            contenders.append(make())
        except ImportError as problem:
            skipped[name] = f"not installed ({problem})"
            say(f"skipping {name}: {skipped[name]}")
    amounts = {contender.name: amount_for(contender.play, seconds) for contender in contenders}
    gc.collect()
    gc.freeze()
    try:
        for number in range(rounds):
            say(f"environments, round {number + 1} of {rounds}")
            for contender in contenders:
                contender.samples.append(contender.play(amounts[contender.name]))
    finally:
        gc.unfreeze()
    return Standing({contender.name: contender for contender in contenders}, skipped)


# ---- batches --------------------------------------------------------------------------------------------------------


def _vector(threads: int) -> Play:
    """`play(steps)`: that many steps of the whole batch; each writes observations, masks, rewards and ends."""
    env = VectorEnv(GAME, BATCH, seed=1, threads=threads)

    def play(steps: int) -> Sample:
        games, clock = 0, Clock()
        for _ in range(steps):
            actions = env.sample()
            with clock:
                env.step(actions)
            games += int(env.done.sum())
        return clock.sample(games, steps * BATCH)

    return play


def _env_pool() -> Contender:
    """EnvPool with the number of threads that is fastest here. The step after a finished game only resets it, and counts as a step too."""
    import envpool

    def playing(threads: int) -> Play:
        env = envpool.make_gymnasium("ConnectFour-v1", num_envs=BATCH, num_threads=threads, seed=1)
        chooser = np.random.default_rng(1)
        _, info = env.reset()

        def play(steps: int) -> Sample:
            nonlocal info
            games, clock = 0, Clock()
            for _ in range(steps):
                mask = info["legal_action_mask"]
                actions = (chooser.random(mask.shape, np.float32) * mask).argmax(axis=1).astype(np.int32)
                with clock:
                    _, _, terminated, _, info = env.step(actions)
                games += int(terminated.sum())
            return clock.sample(games, steps * BATCH)

        return play

    tried = {threads: playing(threads) for threads in range(1, len(os.sched_getaffinity(0)) + 1)}
    rates = {threads: play(amount_for(play, 0.2)).rate for threads, play in tried.items()}
    best = max(rates, key=lambda threads: rates[threads])
    return Contender(ENVPOOL, tried[best], best, f"{best} threads")


def _pgx_calls() -> Contender:
    """One jitted call per step, as a learner outside would make it; the call returns when the observation is ready."""
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental.wrappers import auto_reset

    jax.config.update("jax_platforms", "cpu")
    env = pgx.make(GAME)
    batched = jax.vmap(auto_reset(env.step, env.init))

    @jax.jit
    def choose(mask: Any, key: Any) -> tuple[Any, Any, Any]:
        choosing, playing, later = jax.random.split(key, 3)
        chosen = jnp.floor(jax.random.uniform(choosing, (BATCH,)) * mask.sum(-1))
        return jnp.argmax(jnp.cumsum(mask, -1) > chosen[:, None], -1), jax.random.split(playing, BATCH), later

    step = jax.jit(batched)
    key = jax.random.key(1, impl="unsafe_rbg")
    state = jax.jit(jax.vmap(env.init))(jax.random.split(key, BATCH))

    def play(steps: int) -> Sample:
        nonlocal state, key
        games, clock = 0, Clock()
        for _ in range(steps):
            actions, keys, key = jax.block_until_ready(choose(state.legal_action_mask, key))
            with clock:
                state = jax.block_until_ready(step(state, actions, keys))
            games += int(state.terminated.sum())
        return clock.sample(games, steps * BATCH)

    return Contender(PGX_CALLS, play, len(os.sched_getaffinity(0)), "threads chosen by XLA")


def _pgx_scan() -> Contender:
    import jax

    jax.config.update("jax_platforms", "cpu")
    return Contender(PGX_SCAN, _pgx_batch(BATCH), len(os.sched_getaffinity(0)), "threads chosen by XLA; random actions inside")


# ---- PettingZoo -----------------------------------------------------------------------------------------------------


def _agents() -> Contender:
    """The same loop that `connect_four_v3` is measured with."""
    from rulestone.envs.pettingzoo import env

    table = env(GAME)
    choice = random.Random(1).choice

    def play(games: int) -> Sample:
        steps = 0
        with Clock() as clock:
            for _ in range(games):
                table.reset()
                for _agent in table.agent_iter():
                    observation, _, terminated, truncated, _ = table.last()
                    if terminated or truncated:
                        break
                    table.step(int(choice(observation["action_mask"].nonzero()[0])))
                    steps += 1
        return clock.sample(games, steps)

    return Contender(AGENTS, play, 1, "AEC loop")


def _zoo() -> Contender:
    peer = _petting_zoo()
    return Contender(ZOO, peer.play, 1, "AEC loop")


# ---- Gymnasium ------------------------------------------------------------------------------------------------------


def _seat() -> Contender:
    """One seat against a random bot; choosing our own random action is not timed."""
    import gymnasium

    from rulestone.envs.table import environment_id
    from rulestone.game import load

    env = gymnasium.make(f"rulestone.envs.gymnasium:{environment_id(load(GAME))}", bots="random")
    choice = random.Random(1).choice
    _, info = env.reset(seed=1)

    def play(steps: int) -> Sample:
        nonlocal info
        games, clock = 0, Clock()
        for _ in range(steps):
            action = int(choice(info["action_mask"].nonzero()[0]))
            with clock:
                _, _, terminated, _, info = env.step(action)
                if terminated:
                    _, info = env.reset()
            games += int(terminated)
        return clock.sample(games, steps)

    return Contender(SEAT, play, 1, "a bot's move in every step")


_MAKERS: dict[str, Callable[[], Contender]] = {
    VECTOR: lambda: Contender(VECTOR, _vector(1), 1),
    VECTOR_TWO: lambda: Contender(VECTOR_TWO, _vector(2), 2),
    ENVPOOL: _env_pool,
    PGX_CALLS: _pgx_calls,
    PGX_SCAN: _pgx_scan,
    AGENTS: _agents,
    ZOO: _zoo,
    SEAT: _seat,
}


# ---- the outcome ----------------------------------------------------------------------------------------------------


def targets(standing: Standing) -> list[Target]:
    """The targets for environments."""
    wanted = [
        ("vector environment against EnvPool", 20, VECTOR, ENVPOOL),
        ("vector environment against Pgx, one call per step", 5, VECTOR, PGX_CALLS),
        ("vector environment against Pgx, many steps per call", 5, VECTOR, PGX_SCAN),
        ("PettingZoo adapter against connect_four_v3", 3, AGENTS, ZOO),
    ]
    return [*(_target(standing, *promise) for promise in wanted), _seat_target(standing, 40)]


def _seat_target(standing: Standing, wanted: float) -> Target:
    """How long a step of one seat takes, in CPU time."""
    what = "one seat by Gymnasium against a random bot"
    if SEAT not in standing.contenders:
        return Target(what, f"≤ {wanted} µs a step", None, None)
    taken = 1e6 / _by_processor(standing, SEAT)
    return Target(what, f"≤ {wanted} µs a step", f"{taken:,.1f} µs in CPU time", taken <= wanted)


def _target(standing: Standing, what: str, wanted: float, over: str, under: str) -> Target:
    """The wall clock decides whether a target is reached; the ratio in CPU time, which a busy machine affects less, is shown beside it."""
    ratio = standing.ratio(over, under)
    if ratio is None:
        return Target(what, f"≥ {wanted} ×", None, None)
    by_processor = _by_processor(standing, over) / _by_processor(standing, under)
    measured = f"{ratio.median:,.1f} × ({ratio.low:,.1f} to {ratio.high:,.1f}); in CPU time {by_processor:,.1f} ×"
    return Target(what, f"≥ {wanted} ×", measured, ratio.median >= wanted)


def _by_processor(standing: Standing, name: str) -> float:
    """Steps per second of CPU time, over all rounds."""
    samples = standing.contenders[name].samples
    return sum(sample.steps for sample in samples) / sum(sample.processor_seconds for sample in samples)


def table(standing: Standing) -> Table:
    """Steps per second of all contenders."""
    columns = ("library", "cores used", "steps/s", "spread", "steps per CPU second", "moves per game", "how")
    made = Table(*columns, title=f"Connect Four: batches of {BATCH}, and agent loops")
    for contender in standing.contenders.values():
        rates, samples = contender.rates(), contender.samples
        used, length = f"{cores_used(samples):.2f} of {contender.cores}", f"{mean_length(samples):.2f}"
        made.add_row(
            contender.name,
            used,
            f"{rates.median:,.0f}",
            f"{rates.spread:.0%}",
            f"{_by_processor(standing, contender.name):,.0f}",
            length,
            contender.note,
        )
    for name in standing.skipped:
        made.add_row(name, "–", "skipped", "–", "–", "–", "not installed")
    return made


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.environments", description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="short measurements, for a first look")
    parser.add_argument("--json", type=Path, metavar="PATH", help="where to save the figures")
    options = parser.parse_args()
    console = Console() if sys.stdout.isatty() else Console(width=160)
    here = machine()
    involved = {**versions(), "envpool": _version("envpool"), "gymnasium": _version("gymnasium")}
    console.print(facts_table("Machine", here), facts_table("Versions", involved))
    if float(here["load"]) > BUSY:
        console.print(f"The machine is busy (load {here['load']}): these figures are too low and noisy.", style="yellow")
    rounds, seconds = (3, 0.4) if options.quick else (5, 2.0)
    standing = measure(rounds, seconds, lambda text: console.print(text, style="dim"))
    promised = targets(standing)
    console.print(table(standing), targets_table(promised))
    if options.json:
        rates = {name: contender.rates().as_json() for name, contender in standing.contenders.items()}
        figures = {"machine": here, "versions": involved, "steps per second": rates, "targets": [target.as_json() for target in promised]}
        options.json.write_text(json.dumps(figures, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
