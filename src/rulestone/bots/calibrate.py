"""How well a game's `estimate` foretells results: what a search that trusts it can hope for."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rulestone.bots import decide, make

if TYPE_CHECKING:
    from rulestone.game import Game

EVERY = 10
"""One of so many decisions is looked at: neighbours tell the same."""


@dataclass(frozen=True)
class Foretold:
    """What was told for every player at some decisions, and what came of it: shares of a win, 0 to 1."""

    told: NDArray[np.float64]
    came: NDArray[np.float64]

    @property
    def error(self) -> float:
        """The mean squared error (for wins and losses: the Brier score)."""
        return float(np.mean((self.told - self.came) ** 2))

    @property
    def blind(self) -> float:
        """The error of who always tells each seat's mean result."""
        return float(np.mean((self.came - self.came.mean(axis=0)) ** 2))

    def bands(self, count: int = 5) -> list[tuple[float, float, float, int]]:
        """From the lowest told to the highest in `count` bands: its bounds, what came on average, and how often it was told."""
        made = []
        for band in range(count):
            low, high = band / count, (band + 1) / count
            here = (self.told >= low) & ((self.told < high) | (band == count - 1))
            if here.any():
                made.append((low, high, float(self.came[here].mean()), int(here.sum())))
        return made


def foretell(
    game: Game,
    *,
    bot: str | None = None,
    games: int = 200,
    players: int | None = None,
    options: Mapping[str, Any] | None = None,
    seed: int = 1,
    progress: Callable[[int], None] = lambda done: None,
) -> Foretold:
    """Let a bot play itself (`greedy`, or `random` where there is none) and ask the game's `estimate` on the way.

    >>> import rulestone
    >>> foretell(rulestone.load("connect_four"))
    Traceback (most recent call last):
    ...
    ValueError: connect_four has no estimate in its bot.py
    """
    if "estimate" not in game.hints:
        raise ValueError(f"{game.name} has no estimate in its bot.py")
    game.warm_up()
    player = make(bot or ("greedy" if game.greedy else "random"), game, threads=1)
    told: list[list[float]] = []
    came: list[list[float]] = []
    for number in range(games):
        chance = random.Random(f"{seed} {number}")
        match = game.new(f"foretell {seed} {number}", players, options)
        before = len(told)
        while (seat := match.to_move) is not None:
            if chance.randrange(EVERY) == 0:
                told.append([(1 + match.ask(game.hints["estimate"], own) / 1000) / 2 for own in range(match.players)])
            match.play(decide(match.view(seat), player, chance.getrandbits(62)).move)
        came += [[(1 + value) / 2 for value in match.payoff]] * (len(told) - before)
        progress(1)
    if not told:
        raise ValueError(f"{games} games are too few: none of their decisions was looked at (one in {EVERY} is)")
    return Foretold(np.array(told), np.array(came))
