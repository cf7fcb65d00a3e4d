"""What a bot is: it is handed what its seat may know and a budget, and returns a move and, if it can, its thoughts."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass, replace
from typing import Any, Protocol

from rulestone.kernel.actions import Move
from rulestone.match import Match

MOST_TREES = 256
NEEDS = f"it needs at least one simulation or some time, and 1 to {MOST_TREES} trees"


@dataclass(frozen=True)
class Budget:
    """How much a bot may think about one move: simulations, seconds, or both, whichever ends first.

    A budget may be spread over several independent `trees`, which several cores can search at a time. The number of trees
    belongs to the budget, not to the machine, so that the same budget and seed give the same move everywhere.

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
            raise ValueError(f"{self} is no budget: {NEEDS}")

    @staticmethod
    def read(text: str) -> Budget:
        """The budget a text stands for: `2000` (simulations), `1s`, `250ms`, with `x4` behind it for four trees."""
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(s|ms|k|)\s*(?:x\s*(\d+))?\s*", text)
        if found is None:
            raise ValueError(
                f"{text!r} is no budget; possible: a number of simulations (2000), seconds (1s, 250ms), perhaps in several trees (1s x4)"
            )
        number, unit, trees = float(found[1]), found[2], int(found[3] or 1)
        try:
            if unit in ("s", "ms"):
                return Budget(seconds=number / (1000 if unit == "ms" else 1), trees=trees)
            return Budget(simulations=int(number * (1000 if unit == "k" else 1)), trees=trees)
        except ValueError:
            raise ValueError(f"{text!r} is no budget: {NEEDS}") from None

    def within(self, other: Budget) -> Budget:
        """Both limits at once.

        >>> Budget(seconds=0.5).within(Budget(simulations=100, seconds=1.0, trees=2))
        Budget(simulations=100, seconds=0.5, trees=2)
        """
        return replace(other, simulations=_least(self.simulations, other.simulations), seconds=_least(self.seconds, other.seconds))


def _least(one: Any, other: Any) -> Any:
    return one if other is None else other if one is None else min(one, other)


@dataclass(frozen=True)
class Thoughts:
    """What a bot thinks: the moves, best first, the share of its thinking that each got, and what each is worth to it
    (in payoff, -1 to 1); the payoff it expects for every player; and how many simulations that rests on.
    """

    moves: tuple[Move, ...]
    shares: tuple[float, ...]
    worth: tuple[float, ...]
    values: tuple[float, ...]
    simulations: int


@dataclass(frozen=True)
class Choice:
    """A bot's decision, and its thoughts if it has any to tell."""

    move: Move
    thoughts: Thoughts | None = None


class Bot(Protocol):
    """Who sits in an empty chair.

    `view` is a read-only match in which everything its seat may not know is hidden, `legal` the moves it can make. All
    chance a bot needs comes from `seed`: the same view, seed and budget should give the same move. `budget`, if given, is the most
    it may use; `stop` is set when somebody is waiting, and a bot should then answer soon with what it has.
    """

    def choose(
        self, view: Match, legal: list[Move], seed: int, budget: Budget | None = None, stop: threading.Event | None = None
    ) -> Choice: ...
