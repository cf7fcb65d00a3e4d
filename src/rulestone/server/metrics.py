"""Figures for whoever runs a server, in the format of Prometheus. Nothing in them identifies a person or a table.

Every label has few values, all of them words of this program. Figures cost a microsecond each: pauses of the garbage collector and the
event loop's lag are collected once a second, not where they happen.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator, Sized
from typing import Any

from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

QUICK = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
LONG = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""The environment variable with the folder where processes count together."""
EVERY = 1.0
"""Seconds between two looks at the event loop."""

MOVES = Counter("rulestone_moves", "Moves that were stored, by people and by bots.", ["by"])
REFUSALS = Counter("rulestone_refusals", "Requests that were refused, by the refusal's code.", ["code"])
SOCKETS = Gauge("rulestone_sockets", "Sockets that are open.", multiprocess_mode="livesum")
TABLES = Gauge("rulestone_tables_in_memory", "Tables that are in memory.", multiprocess_mode="livesum")
COMPILED = Gauge(
    "rulestone_games_compiled", "Games whose rules and search are compiled: bots think at full strength.", multiprocess_mode="max"
)
ANSWERS = Histogram("rulestone_move_seconds", "Time from a person's move to its acknowledgement.", buckets=QUICK)
BOTS = Histogram(
    "rulestone_bot_seconds",
    "Time of a bot: in the queue of fair shares, waiting for a process, thinking, or asking elsewhere.",
    ["part"],
    buckets=LONG,
)
STORAGE = Histogram("rulestone_storage_seconds", "Time that the storage took.", ["what"], buckets=QUICK)
LAG = Histogram("rulestone_event_loop_lag_seconds", "By how much the event loop was late, looked at once a second.", buckets=QUICK)
PAUSES = Histogram("rulestone_gc_pause_seconds", "Pauses of the garbage collector.", ["generation"], buckets=QUICK)

BY_PERSON, BY_BOT = MOVES.labels("person"), MOVES.labels("bot")
QUEUED, WAITED, THOUGHT, ELSEWHERE = (BOTS.labels(part) for part in ("queue", "wait", "think", "elsewhere"))
COMMIT, READ, WRITE = (STORAGE.labels(what) for what in ("commit", "read", "write"))
refused: Callable[[str], Any] = lambda code: REFUSALS.labels(code).inc()  # noqa: E731


@contextlib.contextmanager
def timing(into: Histogram) -> Iterator[None]:
    """Measure what happens inside, unless it fails."""
    began = time.perf_counter()
    yield
    into.observe(time.perf_counter() - began)


class Pulse:
    """Measures the pauses of the garbage collector and the lag of the event loop, and counts the tables in memory."""

    def __init__(self, tables: Sized) -> None:
        self.tables = tables
        self.began = 0.0
        self.pauses: deque[tuple[int, float]] = deque(maxlen=10_000)
        """Pauses since the last look. They are kept here because a collection can interrupt the counting of another figure."""

    def _collects(self, phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            self.began = time.perf_counter()
        else:
            self.pauses.append((info["generation"], time.perf_counter() - self.began))

    async def beat(self) -> None:
        """Look once a second, until cancelled."""
        gc.callbacks.append(self._collects)
        try:
            while True:
                began = time.perf_counter()
                await asyncio.sleep(EVERY)
                LAG.observe(max(0.0, time.perf_counter() - began - EVERY))
                self.look()
        finally:
            gc.callbacks.remove(self._collects)
            TABLES.set(0)

    def look(self) -> None:
        TABLES.set(len(self.tables))
        while self.pauses:
            generation, seconds = self.pauses.popleft()
            PAUSES.labels(str(generation)).observe(seconds)


@contextlib.contextmanager
def shared() -> Iterator[None]:
    """Let all processes that are started inside count together: whichever is asked, answers for all."""
    with tempfile.TemporaryDirectory(prefix="rulestone-metrics-") as folder:
        os.environ[FOLDER] = folder
        try:
            yield
        finally:
            del os.environ[FOLDER]


def ended(process: int) -> None:
    """One of the processes that count together has ended: what it had open is gone, what it has counted stays."""
    if os.environ.get(FOLDER):
        mark_process_dead(process)  # type: ignore[no-untyped-call]


def exposition() -> tuple[bytes, str]:
    """All figures as text, and its media type. If several processes share a folder for them, the figures of all."""
    registry = REGISTRY
    if os.environ.get(FOLDER):
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return generate_latest(registry), CONTENT_TYPE_LATEST
