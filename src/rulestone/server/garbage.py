"""Python's garbage collector. It stops everything while it visits objects, so it visits few, or waits for a quiet moment.

Most of what a server creates is freed at once, without the collector: it only finds objects that refer to each other in a circle. A visit
to every object takes half a second with two thousand sockets. So what has survived one visit is *frozen*, that is, not visited again
until the server has been quiet for a while, or until there is far more of it than there was.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator

SMALL, EVERY, NEVER = 1_000, 10, 1_000_000
"""A small visit, to what is new, after so many objects; a larger one after so many of these; none of Python's own to everything."""
QUIET, LONG_QUIET, AT_LATEST = 2.0, 60.0, 600.0
"""Seconds without a move until new objects are visited, and until all are; seconds until new ones are visited at the latest."""
GROWTH = 500_000
"""How many more frozen objects than last time call for a visit to all of them: about a thousand tables with their sockets."""


class Keeper:
    """Decides when garbage is collected, and how much of it."""

    def __init__(self) -> None:
        self.waited, self.usual = 0.0, 0

    @contextlib.contextmanager
    def at_work(self) -> Iterator[None]:
        """Leave the collector's timing to `tidy` meanwhile."""
        before = gc.get_threshold()
        gc.set_threshold(SMALL, EVERY, NEVER)
        self._freeze()
        try:
            yield
        finally:
            gc.set_threshold(*before)
            gc.unfreeze()

    def tidy(self, quiet: float, passed: float) -> None:
        """Collect garbage if it is time: nobody has moved for `quiet` seconds, and it is `passed` seconds since the last call."""
        self.waited += passed
        if quiet <= QUIET and self.waited < AT_LATEST:
            return
        self.waited = 0.0
        grown = gc.get_freeze_count() - self.usual
        if grown > GROWTH or (quiet > LONG_QUIET and grown):
            gc.unfreeze()
            gc.collect()
            self._freeze()
        else:
            gc.collect()
            gc.freeze()

    def _freeze(self) -> None:
        gc.freeze()
        self.usual = gc.get_freeze_count()
