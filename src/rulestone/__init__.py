"""Rulestone: write a board game's rules once, in plain Python; play it in the browser, against bots, and by the million.

`load` loads a game, `Game.new` starts a match, and `Match.play` makes a move:

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
        """Return the names of all installed games, sorted."""
else:
    from rulestone import games

__version__ = "0.2.0"
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
