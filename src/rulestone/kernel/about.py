"""Facts about a game, and the small words every rules module shares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

NOBODY = -1
"""`to_move` when the game is over."""
SPECTATOR = -1
"""A viewer without a seat."""


@dataclass(frozen=True)
class About:
    """Static facts about a game, declared as `ABOUT` in its rules module and held true by the test kit.

    `longest` is the most moves a game can take with default options (`None`: see the game's own bound), `zero_sum` says that
    payoffs add up to 0, `cooperative` that they are equal for all, `perfect_information` that nothing is hidden but chance.
    `seats` names the seats as sentences of the story count them; `chairs` says which seats are taken where that is not the first ones, for
    example {2: (0, 2)} when two players sit opposite each other.
    """

    title: str
    min_players: int
    max_players: int
    longest: int
    default_players: int = 0
    version: int = 1
    cooperative: bool = False
    zero_sum: bool = False
    perfect_information: bool = True
    story: int = 8
    minutes: str = ""
    seats: tuple[str, ...] = ("Red", "Blue", "Green", "Yellow", "Purple", "Orange", "White", "Black")
    chairs: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    summary: str = ""

    def name(self, player: int, players: int) -> str:
        """What a player is called: the name of the seat they have in a game of that many players."""
        return self.seats[self.chairs[players][player] if players in self.chairs else player]

    @property
    def usual_players(self) -> int:
        return self.default_players or self.max_players


class BrokenInvariant(AssertionError):
    """A situation that cannot arise in a real game: what `Match.check` raises."""


def require(condition: object, what: str) -> None:
    """Used in a game's `check`: raise if the condition does not hold."""
    if not condition:
        raise BrokenInvariant(what)
