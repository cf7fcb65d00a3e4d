"""Series: several games in a row, until somebody has enough points or a number of games has been played.

A game can award points with a plain function `points(s, player)` in its rules module; without one, the winner gets 1 point.
With `next_seats(players)` there, a game says how players change seats from one game to the next; otherwise each moves one seat further.
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
from collections.abc import Mapping, Sequence
from typing import Any

from rulestone.game import Game
from rulestone.match import Match
from rulestone.table.kit import listed


class Series:
    """Several games in a row: the first to reach `target` points wins, or whoever has most after `length` games.

    Make each game with `new_match`, play it, and count it with `add`. Without `length`, `target` defaults to the game's `SERIES_TARGET`,
    else to 3. A series of `length` games in which every win is worth 1 point ends as soon as nobody can catch up: best of `length`.
    With `rotate`, players change seats after each game (`seats` says who sits where); points still belong to players, numbered by
    their seats in the first game.
    `players`, `options` and `seed` are as in `Game.new`. Raises ValueError if one of them isn't valid.
    """

    def __init__(
        self,
        game: Game,
        target: int | None = None,
        *,
        length: int | None = None,
        rotate: bool = False,
        players: int | None = None,
        options: Mapping[str, Any] | None = None,
        seed: int | str | None = None,
    ) -> None:
        _, self.players = game.prepared(players, options)
        self.game = game
        self.target = usual_target(game) if target is None and length is None else target
        if self.target is not None and self.target < 1:
            raise ValueError(f"the target of a series must be at least 1 point, not {self.target}")
        if length is not None and length < 1:
            raise ValueError(f"a series must have at least 1 game, not {length}")
        self.length, self.rotate = length, rotate
        self.options = dict(options or {})
        self.seed: int | str = secrets.token_hex(16) if seed is None else seed
        self.games: list[dict[str, Any]] = []
        """The records of the games added so far."""
        self.awards: list[tuple[int, ...]] = []
        """The points that each game awarded, player by player."""

    def new_match(self) -> Match:
        """Return a new match, the next game of the series. Raises ValueError if the series is over."""
        if self.over:
            raise ValueError("the series is over")
        return self.game.new(f"{self.seed}/{len(self.awards) + 1}", self.players, self.options)

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
        self.games.append(match.record())
        return self.credit(awarded(match))

    def credit(self, by_seat: Sequence[int]) -> tuple[int, ...]:
        """Count a game by the points it awarded seat by seat, for example one from a saved series. Returns them player by player."""
        seats = self.seats(len(self.awards))
        award = tuple(by_seat[seats.index(player)] for player in range(self.players))
        self.awards.append(award)
        return award

    def seats(self, number: int | None = None) -> tuple[int, ...]:
        """Return the player in each seat of game `number`, counted from 0 (by default, of the next game)."""
        seats = tuple(range(self.players))
        for _ in range((len(self.awards) if number is None else number) if self.rotate else 0):
            seats = tuple(seats[before] for before in next_seats(self.game, self.players))
        return seats

    @property
    def totals(self) -> tuple[int, ...]:
        """The points of each player so far."""
        return tuple(sum(award[player] for award in self.awards) for player in range(self.players))

    @property
    def over(self) -> bool:
        """Whether somebody has reached the target, all games have been played, or nobody can catch up with the leader."""
        if self.target is not None and max(self.totals) >= self.target:
            return True
        if self.length is None:
            return False
        left, (best, *others) = self.length - len(self.awards), sorted(self.totals, reverse=True)
        return left <= 0 or (not has_points(self.game) and bool(others) and best > others[0] + left)

    @property
    def leaders(self) -> tuple[int, ...]:
        """The players with the most points."""
        best = max(self.totals)
        return tuple(player for player, total in enumerate(self.totals) if total == best)

    @property
    def winner(self) -> int | None:
        """The player with the most points; None if the series isn't over or several players share the lead."""
        return self.leaders[0] if self.over and len(self.leaders) == 1 else None

    @property
    def terms(self) -> str:
        """What is played for, in words: "First to 200 points", "Best of 3" or "5 games"."""
        if self.target is not None:
            return f"First to {self.target} {'point' if self.target == 1 else 'points'}"
        if has_points(self.game) or self.game.cooperative:
            return f"{self.length} {'game' if self.length == 1 else 'games'}"
        return f"Best of {self.length}"

    def result(self, names: Sequence[str]) -> str:
        """How the series stands or ended, in a sentence, with the players' names."""
        best, played = max(self.totals), len(self.awards)
        points = f"{best} {'point' if best == 1 else 'points'}"
        if self.game.cooperative and not has_points(self.game):
            return f"You won {best} of {played} games."
        if len(self.leaders) > 1:
            return f"{listed(names[player] for player in self.leaders)} share the series with {points} each."
        first = names[self.leaders[0]]
        if self.players == 2:
            return f"{first} wins the series {best} : {min(self.totals)}."
        return f"{first} wins the series with {points}."


def usual_target(game: Game) -> int:
    """The points that decide a series of this game by default."""
    return int(getattr(game.rules, "SERIES_TARGET", 3))


def has_points(game: Game) -> bool:
    """Whether the game awards points of its own."""
    return hasattr(game.rules, "points")


def next_seats(game: Game, players: int) -> tuple[int, ...]:
    """For each seat of the next game, the seat from which its player comes: the game's own `next_seats`, or each moves one seat further.

    >>> import rulestone
    >>> next_seats(rulestone.load("connect_four"), 2)
    (1, 0)
    """
    own = getattr(game.rules, "next_seats", None)
    return tuple(own(players)) if own is not None else tuple((seat + 1) % players for seat in range(players))


def awarded(match: Match) -> tuple[int, ...]:
    """Return the points that a finished game awards, seat by seat."""
    return tuple(points(match, seat) for seat in range(match.players))


def points(match: Match, player: int) -> int:
    """Return the points that a finished game awards to a player.

    These are the game's own points if its rules ended it, otherwise 1 for the only winner. In a cooperative game, everybody gets 1 if they
    win.
    """
    if has_points(match.game) and not match.ended:
        return int(match.game.rules.points(match.reader, player))
    best = max(match.payoff)
    won = match.payoff[player] == best and best > 0 and (match.game.cooperative or match.payoff.count(best) == 1)
    return int(won)
