"""Exact chance: every outcome of a move with its probability, found by running the unchanged rules.

The rules run interpreted over a *tape* of draws. Where the tape ends, the next `rand(s, n)` stops the run: all its n results are possible,
and each continues the tape. So a move becomes a tree of draws, and a shuffle one draw after the other.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rulestone.kernel import chance
from rulestone.kernel.rule import Interpreter, is_rule

if TYPE_CHECKING:
    from rulestone.game import Game

MOST_RUNS = 100_000
"""Runs of a move after which it has too many outcomes to list."""


class Undecided(Exception):
    """The tape has ended at a draw of one of `n` numbers."""

    def __init__(self, n: int) -> None:
        super().__init__(f"one of {n} numbers is to be drawn")
        self.n = n


class TooManyOutcomes(ValueError):
    """A move with more outcomes than can be listed, such as the shuffle of a whole deck."""


class Tape:
    """A game's rules over a tape of draws instead of a generator. Threads take turns."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._draws: Sequence[int] = ()
        self._place = 0
        self._names = game.rule_names(_Taped(self._rand))
        self._running = threading.Lock()
        record = game.layout.array(1)
        self._raw, self._reader = record.view(np.uint8), game.layout.reader(record)
        """The record that rules run on: one of the tape's own, so that only what is decided leaves it."""

    def _rand(self, s: Any, n: int) -> int:
        """`rand` as the rules call it: the next draw of the tape. Nothing is drawn where there is no choice."""
        if n <= 1:
            return 0
        if self._place == len(self._draws):
            raise Undecided(n)
        drawn = self._draws[self._place]
        if not 0 <= drawn < n:
            raise ValueError(f"draw {self._place + 1} is one of {n} numbers from 0 on, not {drawn}")
        self._place += 1
        return drawn

    def run(self, name: str, record: NDArray[Any], draws: Sequence[int], *arguments: Any) -> None:
        """Run a rule (`begin`, `step`, …) on a record with these draws.

        Raises Undecided if it needs more of them, and ValueError if it needs fewer or others; the record then stays as it was.
        """
        raw = record.view(np.uint8)
        with self._running:
            self._draws, self._place = draws, 0
            self._raw[:] = raw
            self._reader.rng = 0
            self._names[name](self._reader, *arguments)
            self._reader.rng = 0
            if self._place != len(draws):
                raise ValueError(f"{len(draws)} draws were given, but {self._place} are made")
            raw[:] = self._raw

    def outcomes(self, name: str, record: NDArray[Any], *arguments: Any) -> list[tuple[Fraction, bytes]]:
        """Every record that a rule can lead to, with its probability: the most likely first, equally likely ones in the order of draws.

        Raises TooManyOutcomes if there are more than can be looked at.
        """
        found: dict[bytes, Fraction] = {}
        waiting: list[tuple[Fraction, tuple[int, ...]]] = [(Fraction(1), ())]
        before, tried = record.view(np.uint8), record.copy()
        for _ in range(MOST_RUNS):
            share, draws = waiting.pop()
            tried.view(np.uint8)[:] = before
            try:
                self.run(name, tried, draws, *arguments)
            except Undecided as draw:
                waiting += [(share / draw.n, (*draws, k)) for k in reversed(range(draw.n))]
            else:
                raw = tried.tobytes()
                found[raw] = found.get(raw, Fraction(0)) + share
            if not waiting:
                return sorted(((probability, raw) for raw, probability in found.items()), key=lambda one: -one[0])
        raise TooManyOutcomes(f"this move has more outcomes than {MOST_RUNS:,} tries can find")


class _Taped(Interpreter):
    """Interpreted rules whose `rand` is another function. Bits without it would come from nowhere."""

    def __init__(self, rand: Callable[[Any, int], int]) -> None:
        super().__init__()
        self._rand = rand

    def _adapt(self, original: dict[str, Any], known: dict[int, dict[str, Any]]) -> dict[str, Any]:
        scope = super()._adapt(original, known)
        if original is chance.__dict__:
            scope |= {"rand": self._rand, "draw32": _no_bits}
        return scope


def _no_bits(s: Any) -> int:
    raise TypeError("draw32 has too many outcomes to list; draw with rand(s, n)")


def uses_chance(rule: Any, known: set[Any] | None = None) -> bool:
    """Whether a rule, or one that it calls, ever draws a random number."""
    known = set() if known is None else known
    known.add(rule)
    called = [value for name in rule.__code__.co_names if is_rule(value := rule.__globals__.get(name)) and value not in known]
    return rule is chance.draw32 or any(uses_chance(value, known) for value in called)
