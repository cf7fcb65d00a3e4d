"""Samples of timed work, their statistics, and how much work fits into a given time."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

LONG_ENOUGH = 0.05
"""A sample of at least this many seconds predicts how long more work will take."""


@dataclass(frozen=True)
class Sample:
    """What was done in one measurement: whole games, the steps (decisions) in them, the seconds they took, and the CPU seconds."""

    games: int
    steps: int
    seconds: float
    processor_seconds: float = 0.0

    @property
    def rate(self) -> float:
        """Steps per second."""
        return self.steps / self.seconds


class Clock:
    """A stopwatch: adds up the wall-clock and CPU time spent inside `with clock:`."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.processor_seconds = 0.0

    def __enter__(self) -> Self:
        self._processor = time.process_time()
        self._wall = time.perf_counter()
        return self

    def __exit__(self, *problem: object) -> None:
        self.seconds += time.perf_counter() - self._wall
        self.processor_seconds += time.process_time() - self._processor

    def take_off(self, other: Clock) -> None:
        """Subtract what another clock measured."""
        self.seconds -= other.seconds
        self.processor_seconds -= other.processor_seconds

    def sample(self, games: int, steps: int) -> Sample:
        """A sample with the time on the clock."""
        return Sample(games, steps, self.seconds, self.processor_seconds)


Play = Callable[[int], Sample]
"""Does an amount of work (in games, calls or any other unit) and returns a sample of it."""


@dataclass(frozen=True)
class Summary:
    """The median and the extremes of repeated measurements."""

    median: float
    low: float
    high: float

    @property
    def spread(self) -> float:
        """The distance between the extremes, as a share of the median."""
        return (self.high - self.low) / self.median

    def as_json(self) -> dict[str, float]:
        """The figures as JSON-ready data."""
        return {"median": self.median, "low": self.low, "high": self.high, "spread": self.spread}


def summary(values: Sequence[float]) -> Summary:
    """The median and the extremes of some measurements.

    >>> summary([3.0, 1.0, 2.0])
    Summary(median=2.0, low=1.0, high=3.0)
    """
    return Summary(statistics.median(values), min(values), max(values))


def paired_ratio(over: Sequence[Sample], under: Sequence[Sample]) -> Summary:
    """How many times faster, round by round: both sides of each ratio were measured within seconds of each other.

    >>> paired_ratio([Sample(1, 20, 1.0)], [Sample(1, 10, 1.0)]).median
    2.0
    """
    return summary([fast.rate / slow.rate for fast, slow in zip(over, under, strict=True)])


def mean_length(samples: Sequence[Sample]) -> float:
    """Steps per game, over all samples."""
    return sum(sample.steps for sample in samples) / max(1, sum(sample.games for sample in samples))


def cores_used(samples: Sequence[Sample]) -> float:
    """The average number of cores in use; fewer than requested means that other processes were using them."""
    return sum(sample.processor_seconds for sample in samples) / sum(sample.seconds for sample in samples)


def amount_for(play: Play, seconds: float) -> int:
    """The amount of work that takes about `seconds`. This also warms up: the first call, which is not measured, compiles."""
    play(1)
    amount = 1
    sample = play(amount)
    while sample.seconds < min(LONG_ENOUGH, seconds):
        amount *= 2
        sample = play(amount)
    return max(1, round(amount * seconds / sample.seconds))
