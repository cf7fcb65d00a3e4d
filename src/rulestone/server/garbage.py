"""Python's garbage collector. It stops everything while it visits objects, so it visits few, or waits for a quiet moment.

Most of what a server creates is freed at once, without the collector: it only finds objects that refer to each other in a circle. A visit
to every object takes half a second with two thousand sockets. So what is new is visited often, and what has survived that is *frozen*: it
is not visited again until the server has been quiet for a while, or until there is far more of it than there was.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
from collections.abc import Iterator

OFTEN = 0.05
"""Seconds between small visits, to what is new. Python itself counts objects that come less those that go, so on a server where each move
replaces what was made for the one before, its own visits would be rare, and stop everything for a tenth of a second each."""
MANY, EVERY, NEVER = 10_000, 10, 1_000_000
"""A visit of Python's own if so many more objects come than go in between; a larger one after so many of these; none to everything."""
QUIET, LONG_QUIET, AT_LATEST = 2.0, 60.0, 600.0
"""Seconds without a move until new objects are visited, and until all are; seconds until new ones are visited at the latest."""
GROWTH = 500_000
"""How many more frozen objects than last time call for a visit to all of them: about a thousand tables with their sockets."""


async def visit_often() -> None:
    """Visit what is new, again and again."""
    while True:
        await asyncio.sleep(OFTEN)
        visit()


def visit() -> None:
    """Visit what is new, and freeze what survives."""
    gc.collect(0)
    gc.freeze()


class Keeper:
    """Decides when garbage is collected, and how much of it."""

    def __init__(self) -> None:
        self.waited, self.usual = 0.0, 0

    @contextlib.contextmanager
    def at_work(self) -> Iterator[None]:
        """Leave the collector's timing to `tidy` meanwhile."""
        before = gc.get_threshold()
        gc.set_threshold(MANY, EVERY, NEVER)
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
