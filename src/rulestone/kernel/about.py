"""Facts about a game, and a few names that every rules module shares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

NOBODY = -1
"""The value of `to_move` when the game is over."""
SPECTATOR = -1
"""The viewer number of somebody without a seat."""


@dataclass(frozen=True)
class About:
    """Static facts about a game, declared as `ABOUT` in its rules module. The test kit checks that they are true.

    >>> about = About("Connect Four", min_players=2, max_players=2, longest=42, zero_sum=True)
    >>> about.usual_players, about.name(1, players=2)
    (2, 'Blue')
    """

    title: str
    """The name of the game as people write it."""
    min_players: int
    max_players: int
    longest: int
    """The most moves a game with default options can take. If options change it, write a function `longest_for(players, options)`."""
    default_players: int = 0
    """The usual number of players; 0 means `max_players`."""
    version: int = 1
    """The version of the rules. Raise it when a change affects play: older records are then refused."""
    cooperative: bool = False
    """All players win or lose together: their payoffs are equal."""
    zero_sum: bool = False
    """The payoffs of a finished game add up to 0."""
    perfect_information: bool = True
    """Nothing is hidden from anybody, except the outcome of future chance."""
    story: int = 8
    """The most events that one move can tell."""
    minutes: str = ""
    """How long a game takes, as text, such as "20-30"."""
    seats: tuple[str, ...] = ("Red", "Blue", "Green", "Yellow", "Purple", "Orange", "White", "Black")
    """The names of the seats, as sentences use them."""
    chairs: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """Which seats are taken for a number of players, if not the first ones. {2: (0, 2)} seats two players opposite each other."""
    summary: str = ""
    """What the game is, in one line."""

    def name(self, player: int, players: int) -> str:
        """Return the name of a player's seat in a game of `players` players."""
        return self.seats[self.chairs[players][player] if players in self.chairs else player]

    @property
    def usual_players(self) -> int:
        """The number of players if none is given."""
        return self.default_players or self.max_players


class BrokenInvariant(AssertionError):
    """A position that can't arise in a real game. `Match.check` raises it."""


def require(condition: object, what: str) -> None:
    """Raise BrokenInvariant with the message `what` unless the condition holds. For use in a game's `check`.

    >>> require(2 + 2 == 5, "numbers are broken")
    Traceback (most recent call last):
    ...
    rulestone.kernel.about.BrokenInvariant: numbers are broken
    """
    if not condition:
        raise BrokenInvariant(what)
