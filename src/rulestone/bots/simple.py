"""Bots that don't search: `random`, and the game's own bot `greedy`."""

from __future__ import annotations

import random
import threading
from typing import TYPE_CHECKING

from rulestone.bots.protocol import Budget, Choice
from rulestone.engine import quick
from rulestone.kernel.actions import Move
from rulestone.kernel.chance import MASK
from rulestone.kernel.record import SCRATCH, Scratch
from rulestone.match import Match

if TYPE_CHECKING:
    from rulestone.game import Game

import numpy as np


class Random:
    """The bot `random`: plays a legal move, each with the same probability."""

    def __init__(self, game: Game) -> None:
        pass

    def choose(
        self, view: Match, legal: list[Move], seed: int, budget: Budget | None = None, stop: threading.Event | None = None
    ) -> Choice:
        """Return a random move; see `Bot.choose`."""
        return Choice(random.Random(seed).choice(legal))


class Greedy:
    """The bot `greedy`, from the game's `bot.py`. It runs compiled if the game is warm, else interpreted, with the same result."""

    def __init__(self, game: Game) -> None:
        if game.greedy is None:
            raise ValueError(f"{game.name} has no greedy bot")
        self.game = game
        self.moves = np.zeros(len(game.actions), np.int16)
        self.states = game.layout.array(SCRATCH)
        self.records = Scratch.of(game.layout, SCRATCH)

    def choose(
        self, view: Match, legal: list[Move], seed: int, budget: Budget | None = None, stop: threading.Event | None = None
    ) -> Choice:
        """Return the move that the game's `greedy` chooses; see `Bot.choose`."""
        numbers = [self.game.actions.parse(move) for move in legal]
        if self.game.warm:
            self.states[0] = view.array[0]
            self.states[0]["rng"] = np.uint64(seed & MASK)
            self.moves[: len(numbers)] = numbers
            action = self.game.compiled(quick.quick_move_in)(self.states, len(numbers), self.moves)
        else:
            self.records[0].raw[...] = view.array
            self.records[0].rng = seed & MASK
            action = self.game.interpreted(quick.quick_move_in)(self.records, len(numbers), numbers)
        return Choice(self.game.actions.decode(action))
