"""Bots that don't search: `random`, and the game's own bot `greedy`."""

from __future__ import annotations

import random
import threading
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rulestone.bots.protocol import Budget, Choice
from rulestone.engine import quick
from rulestone.kernel.actions import Move
from rulestone.kernel.chance import MASK
from rulestone.kernel.record import SCRATCH, Scratch
from rulestone.match import Match

if TYPE_CHECKING:
    from rulestone.game import Game


class Random:
    """The bot `random`: plays a legal move, each with the same probability."""

    def __init__(self, game: Game) -> None:
        pass

    def choose(
        self, view: Match, legal: list[Move], seed: int, budget: Budget | None = None, stop: threading.Event | None = None
    ) -> Choice:
        """Return a random move; see `Bot.choose`."""
        return Choice(random.Random(seed).choice(legal))

    def pick(self, record: NDArray[Any], legal: list[int], seed: int) -> int:
        """The same by number, for a record (in an array of one) as the player to move can know it."""
        return random.Random(seed).choice(legal)


class Greedy:
    """The bot `greedy`, from the game's `bot.py`. It runs compiled if the game is warm, else interpreted, with the same result."""

    def __init__(self, game: Game) -> None:
        if game.greedy is None:
            raise ValueError(f"{game.name} has no greedy bot")
        self.game = game
        self.moves = np.zeros(len(game.actions), np.int16)
        self.states = game.layout.array(SCRATCH)
        self.bytes, self.rng = self.states.view(np.uint8), self.states["rng"]
        self.records = Scratch.of(game.layout, SCRATCH)

    def choose(
        self, view: Match, legal: list[Move], seed: int, budget: Budget | None = None, stop: threading.Event | None = None
    ) -> Choice:
        """Return the move that the game's `greedy` chooses; see `Bot.choose`."""
        return Choice(self.game.actions.decode(self.pick(view.array, [self.game.actions.parse(move) for move in legal], seed)))

    def pick(self, record: NDArray[Any], legal: list[int], seed: int) -> int:
        """The same by number, for a record (in an array of one) as the player to move can know it."""
        if self.game.warm:
            self.bytes[: record.nbytes] = record.view(np.uint8)
            self.rng[0] = seed & MASK
            self.moves[: len(legal)] = legal
            return int(self.compiled(self.states, len(legal), self.moves))
        self.records[0].raw[...] = record
        self.records[0].rng = seed & MASK
        return int(self.game.interpreted(quick.quick_move_in)(self.records, len(legal), legal))

    @cached_property
    def compiled(self) -> Any:
        """The game's `greedy`, compiled."""
        return self.game.compiled(quick.quick_move_in)
