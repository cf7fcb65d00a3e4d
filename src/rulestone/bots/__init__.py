"""Who sits in an empty chair. A bot is handed what its seat may know and returns a move."""

from __future__ import annotations

import random

import numpy as np

from rulestone.engine.playouts import SCRATCH
from rulestone.kernel.actions import Move
from rulestone.kernel.record import Scratch
from rulestone.match import Match


def choose(view: Match, bot: str, seed: int) -> Move:
    """The move a bot makes in a view of its own seat: "random", or "greedy" where the game has one.

    >>> import rulestone
    >>> match = rulestone.load("connect_four").new(seed=7)
    >>> choose(match.view(0), "random", seed=1) in match.legal()
    True
    """
    legal = view.legal()
    if not legal:
        raise ValueError("a bot decides in the view of the player who is to move")
    if bot == "random":
        return random.Random(seed).choice(legal)
    if bot == "greedy" and view.game.greedy is not None:
        game = view.game
        record = game.layout.reader(np.frombuffer(bytearray(view._array.tobytes()), game.layout.dtype))
        record.rng = seed & 0xFFFF_FFFF_FFFF_FFFF
        numbers = [game.actions.parse(move) for move in legal]
        return game.actions.decode(game._interpreted_names["greedy"](record, numbers, len(numbers), Scratch.of(game.layout, SCRATCH - 1)))
    known = "random, greedy" if view.game.greedy is not None else "random"
    raise ValueError(f"there is no bot {bot!r} for {view.game.name}; possible: {known}")
