"""How long tables are kept. By default for ever; an operator can set a time after which old ones are deleted, once a day."""

from __future__ import annotations

import asyncio
import logging
import random
import re
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, delete, false, insert, or_, select, update
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from rulestone.server.storage import links, metadata, settings, tables

log = logging.getLogger(__name__)
HOUR, DAY = 3600, 24 * 3600
UNITS = {"d": DAY, "w": 7 * DAY, "y": 365 * DAY}
AT_ONCE = 100
"""How many tables are deleted in one transaction, so that moves never wait long."""
PRUNED = "pruned"
"""The setting that says when somebody last deleted old tables."""


def span(text: str) -> int | None:
    """A time such as 90d, 12w or 1y in seconds; None for "forever". Raises ValueError if it is anything else, or less than a day.

    >>> span("2w"), span("forever")
    (1209600, None)
    """
    if text == "forever":
        return None
    found = re.fullmatch(r"([1-9]\d{0,5})([dwy])", text)
    if found is None:
        raise ValueError(f"{text!r} isn't a time to keep tables for; use days, weeks or years, such as 90d, 12w or 1y, or forever")
    return int(found[1]) * UNITS[found[2]]


@dataclass(frozen=True)
class Keep:
    """For how many seconds tables are kept after the last move; None: for ever."""

    finished: int | None = None
    unfinished: int | None = None

    def __bool__(self) -> bool:
        return (self.finished, self.unfinished) != (None, None)

    def over(self, table: Any, now: float) -> ColumnElement[bool]:
        """The condition that a table's time is over, by itself."""
        spans = ((self.finished, table.c.status == "over"), (self.unfinished, table.c.status != "over"))
        return or_(false(), *(kind & (table.c.updated < now - seconds) for seconds, kind in spans if seconds is not None))


def old(keep: Keep, now: float) -> ColumnElement[bool]:
    """The condition that a table can go: its time is over, and so is that of all other games of its series, whose score counts it."""
    other = tables.alias("other")
    needed = select(other.c.id).where(other.c.series == tables.c.series, ~keep.over(other, now))
    return keep.over(tables, now) & ~needed.exists()


@dataclass
class Pruned:
    """How many tables were deleted, or would be."""

    finished: int = 0
    unfinished: int = 0


async def prune(engine: AsyncEngine, keep: Keep, *, spare: Collection[str] = (), dry: bool = False, now: float | None = None) -> Pruned:
    """Delete all tables whose time is over, with everything that belongs to them, except those to spare."""
    condition, gone = old(keep, time.time() if now is None else now), Pruned()
    async with engine.connect() as connection:
        found = [row.id for row in await connection.execute(select(tables.c.id).where(condition))]
    found = [id for id in found if id not in spare]
    for some in (found[start : start + AT_ONCE] for start in range(0, len(found), AT_ONCE)):
        async with engine.begin() as connection:
            still = select(tables.c.id, tables.c.status).where(tables.c.id.in_(some), condition).with_for_update()
            rows = (await connection.execute(still)).all()
            finished = sum(row.status == "over" for row in rows)
            gone = Pruned(gone.finished + finished, gone.unfinished + len(rows) - finished)
            if not dry:
                ids = [row.id for row in rows]
                for table in reversed(metadata.sorted_tables):
                    if "table_id" in table.c:
                        await connection.execute(delete(table).where(table.c.table_id.in_(ids)))
                await connection.execute(update(tables).where(tables.c.rematch.in_(ids)).values(rematch=None))
                await connection.execute(delete(tables).where(tables.c.id.in_(ids)))
    if not dry:
        async with engine.begin() as connection:
            await connection.execute(delete(links).where(links.c.until < time.time()))
    return gone


async def my_turn(engine: AsyncEngine, now: float) -> bool:
    """Whether nobody has deleted old tables today. Of several servers on one storage, exactly one gets the answer yes."""
    try:
        async with engine.begin() as connection:
            last = (await connection.execute(select(settings.c.value).where(settings.c.name == PRUNED))).scalar()
            if last is None:
                await connection.execute(insert(settings), [{"name": PRUNED, "value": str(int(now))}])
                return True
            if float(last) > now - DAY:
                return False
            same = (settings.c.name == PRUNED) & (settings.c.value == last)
            return bool((await connection.execute(update(settings).where(same).values(value=str(int(now))))).rowcount)
    except IntegrityError:
        return False


async def daily(engine: AsyncEngine, keep: Keep, spare: Callable[[], Collection[str]]) -> None:
    """Delete old tables once a day, until cancelled. Tables in memory stay."""
    while True:
        try:
            if await my_turn(engine, time.time()):
                gone = await prune(engine, keep, spare=spare())
                log.info("deleted %d finished and %d unfinished tables whose time was over", gone.finished, gone.unfinished)
        except (SQLAlchemyError, OSError) as problem:
            log.warning("old tables could not be deleted: %s", str(getattr(problem, "orig", None) or problem).partition("\n")[0])
        await asyncio.sleep(HOUR * random.uniform(0.8, 1.2))
