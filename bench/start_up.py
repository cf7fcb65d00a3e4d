"""What people wait for: the import, the first compilation of each game, and a start with a warm cache.

Everything is measured in fresh processes, with a separate cache folder that starts empty.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import rulestone
from bench.measure import Summary, summary

IMPORT = """
import json, time
start = time.perf_counter()
import rulestone
print(json.dumps(time.perf_counter() - start))
"""

FIRST_PLAYOUT = """
import json, sys, time
import rulestone
from rulestone.engine.playouts import playouts
game = rulestone.load(sys.argv[1])
playouts(game, 1, threads=1)
playout = time.time(), time.process_time()
game.warm_up()
if game.greedy is not None:
    playouts(game, 1, bots="greedy", threads=1)
print(json.dumps({"playout": playout, "everything": (time.time(), time.process_time())}))
"""


@dataclass(frozen=True)
class Mark:
    """A moment in a process: seconds since its start, and CPU seconds (which a busy machine hardly affects)."""

    seconds: float
    processor_seconds: float


@dataclass(frozen=True)
class Start:
    """When a game's first random playout is done and when all its parts are compiled; and the first playout in later processes."""

    cold_playout: Mark
    cold_everything: Mark
    warm_playouts: list[Mark]

    @property
    def warm(self) -> Summary:
        """Seconds to the first playout in processes after the first."""
        return summary([mark.seconds for mark in self.warm_playouts])

    @property
    def warm_processor(self) -> Summary:
        """The same in CPU seconds."""
        return summary([mark.processor_seconds for mark in self.warm_playouts])


@dataclass
class StartUp:
    """The import, and each game's start."""

    importing: Summary
    games: dict[str, Start] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)


def measure(repetitions: int, say: Callable[[str], None]) -> StartUp:
    """Measure the import and every game's cold and warm start."""
    say("start-up, import")
    _fresh(IMPORT)  # not counted: it writes the bytecode
    outcome = StartUp(summary([float(_fresh(IMPORT)) for _ in range(repetitions)]))
    for name in rulestone.games.names():
        say(f"start-up, {name}")
        try:
            outcome.games[name] = _start(name, repetitions)
        except subprocess.CalledProcessError as problem:
            outcome.failed[name] = (problem.stderr.strip().splitlines() or ["no message"])[-1]
    return outcome


def _start(name: str, repetitions: int) -> Start:
    """One game: a process that compiles, then some that find a warm cache."""
    with tempfile.TemporaryDirectory(prefix="rulestone-bench-") as cache:
        environment = {"RULESTONE_CACHE": cache, "RULESTONE_JIT": "1"}
        cold = _since_start(name, environment)
        warm = [_since_start(name, environment)["playout"] for _ in range(repetitions)]
    return Start(cold["playout"], cold["everything"], warm)


def _since_start(name: str, environment: Mapping[str, str]) -> dict[str, Mark]:
    """The marks of a process, counted from just before it starts."""
    start = time.time()
    marks = _fresh(FIRST_PLAYOUT, name, environment=environment)
    return {mark: Mark(moment - start, processor) for mark, (moment, processor) in marks.items()}


def _fresh(script: str, *arguments: str, environment: Mapping[str, str] | None = None) -> Any:
    """Run a script in a fresh interpreter; return its last line of output, read as JSON."""
    finished = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(finished.stdout.splitlines()[-1])


def slowest(values: Mapping[str, float]) -> tuple[str, float]:
    """The name with the largest value.

    >>> slowest({"a": 1.0, "b": 2.0})
    ('b', 2.0)
    """
    return max(values.items(), key=lambda item: item[1])
