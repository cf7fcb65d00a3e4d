"""Rulestone: write a board game's rules once, in plain Python; play them at a table, with bots, and by the million.

>>> import rulestone
>>> match = rulestone.load("connect_four").new(seed=7)
>>> match.play("drop 3")
[Event(name='drops', args=(0, 3), audience=None)]
>>> match.to_move, match.over
(1, False)
"""

import importlib
from typing import TYPE_CHECKING, Any

from rulestone.game import Game, UnknownGame, load
from rulestone.kernel.actions import Move
from rulestone.kernel.story import Event
from rulestone.match import IllegalMove, Match, RecordError, replay
from rulestone.series import Series

if TYPE_CHECKING:
    from rulestone.review.whole import review

    def games() -> list[str]:
        """The names of all games that can be loaded by name."""
else:
    from rulestone import games

__version__ = "0.1.0"
__all__ = [
    "Event",
    "Game",
    "IllegalMove",
    "Match",
    "Move",
    "RecordError",
    "Series",
    "UnknownGame",
    "__version__",
    "games",
    "load",
    "replay",
    "review",
]


def __getattr__(name: str) -> Any:
    """`rulestone.review` is loaded when it is first used."""
    if name == "review":
        return importlib.import_module("rulestone.review")
    raise AttributeError(f"module 'rulestone' has no attribute {name!r}")
