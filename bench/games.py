"""Decisions per second on one core in random play: every game with every number of players."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field

import rulestone
from bench.measure import Sample, amount_for
from bench.random_play import timed_playouts


@dataclass
class Games:
    """A sample for each game and number of players, and what failed."""

    samples: dict[tuple[str, int], Sample] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)


def measure(seconds: float, say: Callable[[str], None]) -> Games:
    """Play every game with every number of players for about `seconds` each."""
    outcome = Games()
    if os.environ.get("RULESTONE_JIT") == "0":
        outcome.failed["all games"] = "RULESTONE_JIT=0 is set, but this part measures compiled games"
        return outcome
    for name in rulestone.games.names():
        try:
            game = rulestone.load(name)
            for players in range(game.min_players, game.max_players + 1):
                say(f"games, {name} with {players} players")
                outcome.samples[name, players] = _sample(game, players, seconds)
        except Exception as problem:  # one broken game must not hide the figures of the others
            outcome.failed[name] = f"{type(problem).__name__}: {str(problem).splitlines()[0] if str(problem) else ''}"
    return outcome


def _sample(game: rulestone.Game, players: int, seconds: float) -> Sample:
    def play(games: int) -> Sample:
        return timed_playouts(game, games, threads=1, players=players)

    return play(amount_for(play, seconds))
