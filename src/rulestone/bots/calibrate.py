"""Calibration: how well a game's `estimate` predicts results. A search is only as good as the estimate it relies on."""

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
"""One decision in this many is sampled, because the positions before and after it say much the same."""


@dataclass(frozen=True)
class Calibration:
    """Predicted and actual results. Both are arrays with a row per sampled position and a column per player, from 0 (loss) to 1 (win)."""

    predicted: NDArray[np.float64]
    actual: NDArray[np.float64]

    told = property(lambda self: self.predicted)
    """Old name of `predicted`, kept until 1.0."""
    came = property(lambda self: self.actual)
    """Old name of `actual`, kept until 1.0."""

    @property
    def error(self) -> float:
        """The mean squared error of the predictions. For wins and losses, this is the Brier score."""
        return float(np.mean((self.predicted - self.actual) ** 2))

    @property
    def blind(self) -> float:
        """The error you'd get without an estimate, by always predicting each seat's mean result."""
        return float(np.mean((self.actual - self.actual.mean(axis=0)) ** 2))

    def bands(self, count: int = 5) -> list[tuple[float, float, float, int]]:
        """Group the predictions into `count` bands of equal width.

        Returns (low, high, mean actual result, number of predictions) for each band that has any, lowest first.
        """
        made = []
        for band in range(count):
            low, high = band / count, (band + 1) / count
            here = (self.predicted >= low) & ((self.predicted < high) | (band == count - 1))
            if here.any():
                made.append((low, high, float(self.actual[here].mean()), int(here.sum())))
        return made


def calibrate(
    game: Game,
    *,
    bot: str | None = None,
    games: int = 200,
    players: int | None = None,
    options: Mapping[str, Any] | None = None,
    seed: int = 1,
    progress: Callable[[int], None] = lambda done: None,
) -> Calibration:
    """Play games in which a bot plays every seat, and compare the game's `estimate` at some positions with the results.

    `bot` defaults to `greedy`, or to `random` if the game has no bot of its own. `progress` is called with 1 after each game.
    Raises ValueError if the game has no `estimate`, or if no position was sampled because there were too few games.

    >>> import rulestone
    >>> calibrate(rulestone.load("connect_four"))
    Traceback (most recent call last):
    ...
    ValueError: connect_four has no estimate in its bot.py
    """
    if "estimate" not in game.hints:
        raise ValueError(f"{game.name} has no estimate in its bot.py")
    game.warm_up()
    player = make(bot or ("greedy" if game.greedy else "random"), game, threads=1)
    predicted: list[list[float]] = []
    actual: list[list[float]] = []
    for number in range(games):
        chance = random.Random(f"{seed} {number}")
        match = game.new(f"foretell {seed} {number}", players, options)
        before = len(predicted)
        while (seat := match.to_move) is not None:
            if chance.randrange(EVERY) == 0:
                predicted.append([(1 + match.ask(game.hints["estimate"], own) / 1000) / 2 for own in range(match.players)])
            match.play(decide(match.view(seat), player, chance.getrandbits(62)).move)
        actual += [[(1 + value) / 2 for value in match.payoff]] * (len(predicted) - before)
        progress(1)
    if not predicted:
        raise ValueError(f"no position was sampled in {games} games (one decision in {EVERY} is); play more games")
    return Calibration(np.array(predicted), np.array(actual))
