"""Agents that choose from observations, as bots: what was trained in an environment plays wherever bots play.

>>> import rulestone
>>> from rulestone.bots import choose
>>> class First(Policy):
...     def act(self, observation, mask, seed):
...         return int(mask.argmax())
>>> game = rulestone.load("connect_four")
>>> str(choose(game.new(seed=7).view(0), First(game), seed=1))
'drop 0'
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulestone.bots.protocol import Budget
from rulestone.envs.observations import Observations
from rulestone.game import Game
from rulestone.kernel.actions import Move
from rulestone.match import Match
from rulestone.nets.encoding import Encoding


class Policy:
    """A bot that gets an observation and a mask. Write `act`, and choose the encoding with `observation` and `relative`."""

    observation = "flat"
    """The encoding; see `Observations`."""
    relative = False
    """Whether the agent's own things come first; see `Observations`."""

    def __init__(self, game: Game, argument: str = "") -> None:
        self.game = game
        self._seen: dict[tuple[Any, ...], Observations] = {}

    def act(self, observation: Any, mask: NDArray[np.bool_], seed: int) -> int:
        """Return the number of a legal action. All randomness must come from `seed`."""
        raise NotImplementedError(f"{type(self).__name__} has no method act(observation, mask, seed)")

    def choose(self, view: Match, legal: list[Move], seed: int, budget: Budget | None = None, stop: threading.Event | None = None) -> Move:
        """Show the view to `act`; see `Bot.choose`."""
        actions = self.game.actions
        mask: NDArray[np.bool_] = np.zeros(len(actions), np.bool_)
        mask[[actions.parse(move) for move in legal]] = True
        return actions.decode(int(self.act(self.observed(view), mask, seed)))

    def observed(self, view: Match) -> Any:
        """What the agent sees of a view, as in the environment with the same settings."""
        key = (view.players, *(str(value) for value in view.options.values()))
        if key not in self._seen:
            self._seen[key] = Observations(self.game, view.players, view.options, self.observation, self.relative)
        if self.observation == "dict":
            return Encoding.of(self.game).named(view)
        return self._seen[key](Encoding.of(self.game).flat(view), view.viewer or 0)
