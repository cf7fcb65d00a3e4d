"""The built-in games, one folder each. Called as a function, `rulestone.games()` lists the games that can be loaded."""

from __future__ import annotations

import sys
import types
from importlib.metadata import entry_points
from pathlib import Path

ENTRY_POINTS = "rulestone.games"


def built_in() -> list[str]:
    """The names of the games in this folder."""
    return sorted(folder.name for folder in Path(__file__).parent.iterdir() if (folder / "rules.py").exists())


def names() -> list[str]:
    """The names of all games that can be loaded by name: built in, or announced by installed packages.

    >>> "connect_four" in names()
    True
    """
    return sorted({*built_in(), *(point.name for point in entry_points(group=ENTRY_POINTS))})


class _Games(types.ModuleType):
    """A module that can be called, because `games` is both a folder of the house and a function people call."""

    def __call__(self) -> list[str]:
        return names()


sys.modules[__name__].__class__ = _Games
