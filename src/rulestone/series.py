"""Series: several games in a row, until somebody has enough points.

A game can award points with a plain function `points(s, player)` in its rules module; without one, the winner gets 1 point.
Each game of a series has its own dice, derived from the seed of the series.

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
    """Several games in a row: the first to reach `target` points wins.

    Make each game with `new_match`, play it, and count it with `add`. `target` defaults to the game's `SERIES_TARGET`, else to 3.
    `players`, `options` and `seed` are as in `Game.new`. Raises ValueError if one of them isn't valid.
    """

    def __init__(
        self,
        game: Game,
        target: int | None = None,
        *,
        players: int | None = None,
        options: Mapping[str, Any] | None = None,
        seed: int | str | None = None,
    ) -> None:
        _, self.players = game.prepared(players, options)
        self.game = game
        self.target = target if target is not None else int(getattr(game.rules, "SERIES_TARGET", 3))
        if self.target < 1:
            raise ValueError(f"the target of a series must be at least 1 point, not {self.target}")
        self.options = dict(options or {})
        self.seed: int | str = secrets.token_hex(16) if seed is None else seed
        self.games: list[dict[str, Any]] = []
        """The records of the games played so far."""
        self.awards: list[tuple[int, ...]] = []
        """The points that each game awarded, player by player."""

    def new_match(self) -> Match:
        """Return a new match, the next game of the series. Raises ValueError if the series is over."""
        if self.over:
            raise ValueError("the series is over")
        return self.game.new(f"{self.seed}/{len(self.games) + 1}", self.players, self.options)

    def add(self, match: Match) -> tuple[int, ...]:
        """Count a finished game and return the points it awarded, player by player.

        Raises ValueError if the match isn't over, isn't the next game of this series, or if the series is over.
        """
        if self.over:
            raise ValueError("the series is over")
        expected = self.new_match()
        if match.game is not self.game or match.seed != expected.seed or match.players != self.players or match.options != expected.options:
            raise ValueError("the match is not the next game of this series; make it with new_match()")
        if not match.over:
            raise ValueError("the match is not over yet")
        award = tuple(points(match, player) for player in range(self.players))
        self.games.append(match.record())
        self.awards.append(award)
        return award

    @property
    def totals(self) -> tuple[int, ...]:
        """The points of each player so far."""
        return tuple(sum(award[player] for award in self.awards) for player in range(self.players))

    @property
    def over(self) -> bool:
        """Whether somebody has reached the target."""
        return max(self.totals) >= self.target

    @property
    def winner(self) -> int | None:
        """The player with the most points; None if the series isn't over or several players share the lead."""
        best = max(self.totals)
        return self.totals.index(best) if self.over and self.totals.count(best) == 1 else None


def points(match: Match, player: int) -> int:
    """Return the points that a finished game awards to a player.

    These are the game's own points, or 1 for the only winner. In a cooperative game, everybody gets 1 if they win.
    """
    own = getattr(match.game.rules, "points", None)
    if own is not None:
        return int(own(match.reader, player))
    best = max(match.payoff)
    won = match.payoff[player] == best and best > 0 and (match.game.cooperative or match.payoff.count(best) == 1)
    return int(won)
