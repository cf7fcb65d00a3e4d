"""Connect Four with uniformly random moves: Rulestone's modes and similar libraries, side by side.

Every contender plays the same game and counts the same steps (one disc dropped). Contenders take turns, round after round,
so that other work on the machine affects all of them alike; ratios are taken within rounds.
"""

from __future__ import annotations

import contextlib
import gc
import os
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import rulestone
from bench.measure import Clock, Play, Sample, Summary, amount_for, paired_ratio, summary
from rulestone.engine.playouts import playouts

GAME = "connect_four"
CHUNK = 1000
"""The OpenSpiel loops stop the clock after this many games to count the moves."""
BATCHES = (256, 1024, 4096, 16384)
"""Batch sizes for Pgx; it gets the fastest one."""
SCAN = 64
"""Steps of a whole batch in one call to Pgx."""

COMPILED, TWO_CORES, ALL_CORES = "Rulestone compiled, 1 core", "Rulestone compiled, 2 cores", "Rulestone compiled, all cores"
INTERPRETED = "Rulestone interpreted"
SPIEL_LOOP, SPIEL_NET, SPIEL_PYTHON = "OpenSpiel, C++ loop", "OpenSpiel, C++ loop less call overhead", "OpenSpiel from Python"
PETTING_ZOO, PGX = "PettingZoo", "Pgx on the CPU"


@dataclass
class Contender:
    """A program that plays Connect Four at random, and the samples measured so far."""

    name: str
    play: Play
    cores: int
    note: str = ""
    samples: list[Sample] = field(default_factory=list)

    def rates(self) -> Summary:
        """Steps per second over all rounds."""
        return summary([sample.rate for sample in self.samples])


@dataclass
class Standing:
    """The outcome: who took part, who could not, and why."""

    contenders: dict[str, Contender]
    skipped: dict[str, str]

    def ratio(self, over: str, under: str) -> Summary | None:
        """How many times faster `over` is than `under`; None unless both took part."""
        if over not in self.contenders or under not in self.contenders:
            return None
        return paired_ratio(self.contenders[over].samples, self.contenders[under].samples)


def measure(rounds: int, seconds: float, say: Callable[[str], None]) -> Standing:
    """Let all contenders play `rounds` times for about `seconds` each, in turn."""
    contenders, skipped = _line_up(say)
    amounts = {contender.name: amount_for(contender.play, seconds) for contender in contenders}
    gc.collect()
    gc.freeze()  # the imports of one contender must not slow down garbage collection for another
    try:
        for number in range(rounds):
            say(f"random play, round {number + 1} of {rounds}")
            for contender in contenders:
                sample = contender.play(amounts[contender.name])
                contender.samples.append(sample)
                amounts[contender.name] = max(1, round(amounts[contender.name] * seconds / sample.seconds))
    finally:
        gc.unfreeze()
    return Standing({contender.name: contender for contender in contenders}, skipped)


def _line_up(say: Callable[[str], None]) -> tuple[list[Contender], dict[str, str]]:
    """All contenders that can play here, and why the others cannot."""
    contenders = list(_rulestone())
    skipped: dict[str, str] = {}
    for name, make in _PEERS.items():
        say(f"random play, preparing {name}")
        try:
            contenders.append(make())
        except ImportError as problem:
            skipped[name] = f"not installed ({problem})"
            say(f"skipping {name}: {skipped[name]}")
    return contenders, skipped


# ---- Rulestone ------------------------------------------------------------------------------------------------------


def _rulestone() -> Iterator[Contender]:
    cores = len(os.sched_getaffinity(0))
    yield Contender(COMPILED, _playing("compiled", 1), 1)
    if cores >= 2:
        yield Contender(TWO_CORES, _playing("compiled", 2), 2)
    if cores > 2:
        yield Contender(ALL_CORES, _playing("compiled", cores), cores)
    yield Contender(INTERPRETED, _playing("interpreted", 1), 1, "RULESTONE_JIT=0")


def _playing(mode: str, threads: int) -> Play:
    game = rulestone.load(GAME)

    def play(games: int) -> Sample:
        with _mode(game, mode):
            return timed_playouts(game, games, threads=threads)

    return play


def timed_playouts(
    game: rulestone.Game, games: int, *, threads: int, players: int | None = None, bots: str = "random", gpu: bool = False
) -> Sample:
    """A sample of playouts."""
    with Clock() as clock:
        results = playouts(game, games, players=players, bots=bots, threads=threads, gpu=gpu)
    return clock.sample(games, results.decisions)


@contextlib.contextmanager
def _mode(game: rulestone.Game, wanted: str) -> Iterator[None]:
    """Run Rulestone in one mode, whatever RULESTONE_JIT says."""
    before = os.environ.get("RULESTONE_JIT")
    os.environ["RULESTONE_JIT"] = "0" if wanted == "interpreted" else "1"
    try:
        assert game.mode == wanted
        yield
    finally:
        if before is None:
            del os.environ["RULESTONE_JIT"]
        else:
            os.environ["RULESTONE_JIT"] = before


# ---- OpenSpiel ------------------------------------------------------------------------------------------------------


def _open_spiel_loop() -> Contender:
    return Contender(SPIEL_LOOP, _open_spiel(net=False), 1, "evaluate_bots, one call per game")


def _open_spiel_net() -> Contender:
    return Contender(SPIEL_NET, _open_spiel(net=True), 1, "minus the same calls on a finished game")


def _open_spiel(net: bool) -> Play:
    """Whole games inside C++, one call each. `net` subtracts what the calls cost when there is nothing left to play."""
    import pyspiel

    game = pyspiel.load_game(GAME)
    bots = [pyspiel.make_uniform_random_bot(player, player + 1) for player in range(2)]
    new, evaluate = game.new_initial_state, pyspiel.evaluate_bots

    def calls(games: int, finished: Any = None) -> list[Any]:
        states = []
        for seed in range(games):
            state = new()
            evaluate(finished or state, bots, seed)
            states.append(state)
        return states

    def play(games: int) -> Sample:
        steps = 0
        clock, overhead = Clock(), Clock()
        for first in range(0, games, CHUNK):
            with clock:
                states = calls(min(CHUNK, games - first))
            steps += sum(state.move_number() for state in states)
            if net:
                with overhead:
                    calls(len(states), states[0])
        clock.take_off(overhead)
        return clock.sample(games, steps)

    return play


def _open_spiel_python() -> Contender:
    """The loop people write in Python: ask for the legal actions, choose one, apply it."""
    import pyspiel

    game = pyspiel.load_game(GAME)
    choice = random.Random(1).choice

    def play(games: int) -> Sample:
        steps = 0
        with Clock() as clock:
            for _ in range(games):
                state = game.new_initial_state()
                while not state.is_terminal():
                    state.apply_action(choice(state.legal_actions()))
                    steps += 1
        return clock.sample(games, steps)

    return Contender(SPIEL_PYTHON, play, 1, "legal_actions and apply_action")


# ---- PettingZoo -----------------------------------------------------------------------------------------------------


def _petting_zoo() -> Contender:
    """The agent-environment cycle, stopped as soon as the game is over."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    from pettingzoo.classic import connect_four_v3

    env = connect_four_v3.env()
    choice = random.Random(1).choice

    def play(games: int) -> Sample:
        steps = 0
        with Clock() as clock:
            for _ in range(games):
                env.reset()
                for _agent in env.agent_iter():
                    observation, _, terminated, truncated, _ = env.last()
                    if terminated or truncated:
                        break
                    env.step(int(choice(observation["action_mask"].nonzero()[0])))
                    steps += 1
        return clock.sample(games, steps)

    return Contender(PETTING_ZOO, play, 1, "connect_four_v3, AEC loop")


# ---- Pgx ------------------------------------------------------------------------------------------------------------


def _pgx() -> Contender:
    """Batches with auto-reset, so that every step belongs to an unfinished game; with the fastest batch size here."""
    import jax

    jax.config.update("jax_platforms", "cpu")
    tried = {batch: _pgx_batch(batch) for batch in BATCHES}
    rates = {batch: play(amount_for(play, 0.2)).rate for batch, play in tried.items()}
    best = max(rates, key=lambda batch: rates[batch])
    return Contender(PGX, tried[best], len(os.sched_getaffinity(0)), f"batches of {best}, threads chosen by XLA")


def _pgx_batch(batch: int) -> Play:
    """`play(calls)`: that many calls of a compiled scan over SCAN steps of the whole batch."""
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental.wrappers import auto_reset

    env = pgx.make(GAME)
    step = jax.vmap(auto_reset(env.step, env.init))

    def random_step(state: Any, key: Any) -> tuple[Any, Any]:
        choosing, playing = jax.random.split(key)
        mask = state.legal_action_mask
        chosen = jnp.floor(jax.random.uniform(choosing, (batch,)) * mask.sum(-1))
        action = jnp.argmax(jnp.cumsum(mask, -1) > chosen[:, None], -1)
        state = step(state, action, jax.random.split(playing, batch))
        return state, state.terminated.sum()

    def steps(state: Any, key: Any) -> tuple[Any, Any]:
        later, now = jax.random.split(key)
        state, ended = jax.lax.scan(random_step, state, jax.random.split(now, SCAN))
        return (state, later), ended.sum()

    scan = jax.jit(steps)
    # The generator that is fastest on the CPU, and a choice by counting rather than by `categorical`: both favour Pgx.
    key = jax.random.key(1, impl="unsafe_rbg")
    carried = (jax.jit(jax.vmap(env.init))(jax.random.split(key, batch)), key)

    def play(calls: int) -> Sample:
        nonlocal carried
        games = 0
        with Clock() as clock:
            for _ in range(calls):
                carried, ended = scan(*carried)
                games += int(ended)  # waits for the result
        return clock.sample(games, calls * SCAN * batch)

    return play


_PEERS: dict[str, Callable[[], Contender]] = {
    SPIEL_LOOP: _open_spiel_loop,
    SPIEL_NET: _open_spiel_net,
    SPIEL_PYTHON: _open_spiel_python,
    PETTING_ZOO: _petting_zoo,
    PGX: _pgx,
}
