"""Several games with points: played until somebody has enough.

A game awards points through an optional plain function `points(s, player)` in its rules module; without one the winner gets 1.
Each game of a series has fresh dice, derived from the series' seed.

>>> import rulestone
>>> series = Series(rulestone.load("connect_four"), target=2, seed=7)
>>> while not series.over:
...     match = series.new_match()
...     while not match.over:
...         events = match.play(match.legal()[0])
...     award = series.add(match)
>>> series.totals, series.winner, len(series.games)
((2, 0), 0, 2)
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from rulestone.game import Game
from rulestone.match import Match


class Series:
    """A match over several games: first to `target` points."""

    def __init__(
        self,
        game: Game,
        target: int | None = None,
        *,
        players: int | None = None,
        options: Mapping[str, Any] | None = None,
        seed: int | str | None = None,
    ) -> None:
        """`target` defaults to the game's `SERIES_TARGET`, else 3."""
        _, self.players = game.prepared(players, options)
        self.game = game
        self.target = target if target is not None else int(getattr(game.rules, "SERIES_TARGET", 3))
        if self.target < 1:
            raise ValueError(f"a series needs a target of at least 1 point, not {self.target}")
        self.options = dict(options or {})
        self.seed: int | str = secrets.token_hex(16) if seed is None else seed
        self.games: list[dict[str, Any]] = []
        """The records of the games played so far."""
        self.awards: list[tuple[int, ...]] = []
        """The points each game awarded, seat by seat."""

    def new_match(self) -> Match:
        """The next game of the series: a fresh shuffle, its seed derived from the series' seed."""
        if self.over:
            raise ValueError("the series is over")
        return self.game.new(f"{self.seed}/{len(self.games) + 1}", self.players, self.options)

    def add(self, match: Match) -> tuple[int, ...]:
        """Count a finished game; returns the points it awarded."""
        if self.over:
            raise ValueError("the series is over")
        expected = self.new_match()
        if match.game is not self.game or match.seed != expected.seed or match.players != self.players or match.options != expected.options:
            raise ValueError("that match is not the next game of this series; make it with new_match()")
        if not match.over:
            raise ValueError("the game is not over yet")
        award = tuple(points(match, player) for player in range(self.players))
        self.games.append(match.record())
        self.awards.append(award)
        return award

    @property
    def totals(self) -> tuple[int, ...]:
        """The points of each seat so far."""
        return tuple(sum(award[player] for award in self.awards) for player in range(self.players))

    @property
    def over(self) -> bool:
        """Has somebody reached the target?"""
        return max(self.totals) >= self.target

    @property
    def winner(self) -> int | None:
        """The seat with the most points when the series is over; None before, and where several share the most."""
        best = max(self.totals)
        return self.totals.index(best) if self.over and self.totals.count(best) == 1 else None


def points(match: Match, player: int) -> int:
    """What a finished game awards to a player: the game's own points, or 1 for winning alone (each, in a cooperative game)."""
    own = getattr(match.game.rules, "points", None)
    if own is not None:
        return int(own(match.reader, player))
    best = max(match.payoff)
    won = match.payoff[player] == best and best > 0 and (match.game.cooperative or match.payoff.count(best) == 1)
    return int(won)
