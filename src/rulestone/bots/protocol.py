"""The interface of bots: a bot gets a view and a budget, and returns a move and, optionally, its thoughts."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass, replace
from typing import Any, Protocol

from rulestone.kernel.actions import Move
from rulestone.match import Match

MOST_TREES = 256
NEEDS = f"it must have at least one simulation or some time, and 1 to {MOST_TREES} trees"


@dataclass(frozen=True)
class Budget:
    """How much a bot can think about one move: a number of simulations, seconds, or both, whichever runs out first.

    A budget can be split over several independent `trees`, which several cores search at the same time. The number of trees is part of
    the budget, not of the machine, so the same budget and seed give the same move everywhere. Raises ValueError if there is nothing to
    spend.

    >>> Budget.read("2000")
    Budget(simulations=2000, seconds=None, trees=1)
    >>> Budget.read("250ms x4")
    Budget(simulations=None, seconds=0.25, trees=4)
    """

    simulations: int | None = None
    seconds: float | None = None
    trees: int = 1

    def __post_init__(self) -> None:
        nothing = (self.simulations is not None and self.simulations < 1) or (self.seconds is not None and self.seconds <= 0)
        if nothing or not 1 <= self.trees <= MOST_TREES:
            raise ValueError(f"{self} is not a budget: {NEEDS}")

    @staticmethod
    def read(text: str) -> Budget:
        """Return the budget for a text: `2000` or `2k` (simulations), `1s` or `250ms`, followed by `x4` for four trees.

        Raises ValueError if the text isn't a budget.
        """
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(s|ms|k|)\s*(?:x\s*(\d+))?\s*", text)
        if found is None:
            raise ValueError(
                f"{text!r} is not a budget; use a number of simulations (2000) or a time (1s, 250ms), optionally in several trees (1s x4)"
            )
        number, unit, trees = float(found[1]), found[2], int(found[3] or 1)
        try:
            if unit in ("s", "ms"):
                return Budget(seconds=number / (1000 if unit == "ms" else 1), trees=trees)
            return Budget(simulations=int(number * (1000 if unit == "k" else 1)), trees=trees)
        except ValueError:
            raise ValueError(f"{text!r} is not a budget: {NEEDS}") from None

    def within(self, other: Budget) -> Budget:
        """Return a budget with the tighter limits of both, and the trees of `other`.

        >>> Budget(seconds=0.5).within(Budget(simulations=100, seconds=1.0, trees=2))
        Budget(simulations=100, seconds=0.5, trees=2)
        """
        return replace(other, simulations=_least(self.simulations, other.simulations), seconds=_least(self.seconds, other.seconds))


def _least(one: Any, other: Any) -> Any:
    return one if other is None else other if one is None else min(one, other)


@dataclass(frozen=True)
class Thoughts:
    """What a bot thinks about a position."""

    moves: tuple[Move, ...]
    """The moves, best first."""
    shares: tuple[float, ...]
    """The share of the simulations that each move got."""
    worth: tuple[float, ...]
    """The payoff the bot expects for itself after each move, from -1 to 1."""
    values: tuple[float, ...]
    """The payoff the bot expects for each player."""
    simulations: int
    """The number of simulations run."""


@dataclass(frozen=True)
class Choice:
    """A bot's move, and its thoughts if it has any."""

    move: Move
    thoughts: Thoughts | None = None


class Bot(Protocol):
    """The interface of a bot: any class with this method, made by calling it with the game."""

    def choose(
        self, view: Match, legal: list[Move], seed: int, budget: Budget | None = None, stop: threading.Event | None = None
    ) -> Choice:
        """Return a move, as a `Choice` or as a plain `Move`.

        `view` is a read-only match that contains only what the bot's seat can know. `legal` are the moves to choose from. All randomness
        must come from `seed`, so that the same view, seed and budget give the same move. `budget`, if given, is the most the bot can use.
        When `stop` is set, somebody is waiting: answer soon with the best move so far.
        """
        ...
