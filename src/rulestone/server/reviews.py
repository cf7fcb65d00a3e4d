"""Reviews of finished games: one at a time, in a process that everybody else goes before, kept with the table."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import time
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request

from rulestone.helper import settle_in
from rulestone.match import replay
from rulestone.review import review
from rulestone.review.whole import FORMAT_VERSION
from rulestone.server.api import RoomNow, limited_at_table
from rulestone.server.bus import BEAT, LIFE
from rulestone.server.refusal import Refused
from rulestone.server.room import Room
from rulestone.server.rooms import PASSING_SECONDS
from rulestone.server.thinking import end, known_game

log = logging.getLogger(__name__)
SECONDS = 30.0
"""What a review may use of one processor. If tables in play need it, a review takes longer; it does not get worse."""
LAST = 19
"""How far back a review queues for the processor: behind everybody else."""
WAITING = 8
router = APIRouter(prefix="/api/tables/{table}/review", tags=["tables"])


@dataclass
class Asked:
    """A review on its way: waiting, thinking, or failed. Those that are done are kept with their tables."""

    state: str = "waiting"
    done: int = 0
    total: int = 0


class Reviews:
    """All reviews of this server."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self.seconds = seconds
        self.asked: dict[str, Asked] = {}
        self.turn = asyncio.Lock()
        self.tasks: set[asyncio.Task[None]] = set()
        self.pool: ProcessPoolExecutor | None = None
        context = multiprocessing.get_context("spawn")
        self.progress: Any = context.Array("i", 2, lock=False)  # a lock would be a semaphore to clean up
        """How many decisions are judged, and of how many: written by the other process."""

    async def of(self, room: Room) -> dict[str, Any]:
        """How far the review of a table is; it comes with it once there is one."""
        if not room.match.over:
            raise Refused("running", "You can review a game once it is over.", 403)
        asked = self.asked.get(room.row.id)
        if asked is not None:
            waiting = [id for id, other in self.asked.items() if other.state != "failed" or other is asked]
            if asked.state == "thinking":
                asked.done, asked.total = self.progress[:]
            return {"state": asked.state, "done": asked.done, "total": asked.total, "ahead": waiting.index(room.row.id)}
        if room.reviewed is None and not room.passing:
            kept = await room.storage.review_of(room.row.id)
            room.reviewed = kept if kept and kept["version"] == FORMAT_VERSION else None
        if room.reviewed is None:
            return await room.bus.kept("review", room.row.id) or {"state": "none"}
        return {"state": "done", "review": room.reviewed}

    async def ask(self, room: Room) -> dict[str, Any]:
        """Begin a review, unless it is there or on its way."""
        found = await self.of(room)
        if found["state"] not in ("none", "failed"):
            return found
        if sum(asked.state != "failed" for asked in self.asked.values()) >= WAITING:
            raise Refused("busy", "Too many games are waiting for a review. Try again in a minute.", 429)
        self.asked.pop(room.row.id, None)  # the last in the queue, not where it was when it failed
        self.asked[room.row.id] = Asked()
        for work in (self._run(room, self.asked[room.row.id]), self._tell(room)):
            task = asyncio.create_task(work)
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)
        return await self.of(room)

    async def _tell(self, room: Room) -> None:
        """Tell the other servers how far a review is. If this server dies, they forget about it."""
        while (asked := self.asked.get(room.row.id)) is not None and asked.state != "failed":
            await room.bus.keep("review", room.row.id, await self.of(room), LIFE)
            await asyncio.sleep(BEAT)

    async def _run(self, room: Room, asked: Asked) -> None:
        async with self.turn:
            try:
                self.progress[:] = [0, 0]
                asked.state = "thinking"
                room.reviewed = found = await self._elsewhere(look_at, room.source, room.record(), self.seconds)
                if room.passing:
                    await room.bus.keep("review", room.row.id, {"state": "done", "review": found}, PASSING_SECONDS)
                else:
                    await room.storage.keep_review(room.row.id, found)
                del self.asked[room.row.id]
            except Exception:
                log.exception("the review of table %s… failed", room.row.id[:4])
                self.pool = None
                asked.state = "failed"  # until it is asked for again

    async def _elsewhere(self, act: Any, *arguments: Any) -> Any:
        if self.pool is None:
            context = multiprocessing.get_context("spawn")
            self.pool = ProcessPoolExecutor(1, mp_context=context, initializer=begin, initargs=(self.progress,))
        return await asyncio.get_running_loop().run_in_executor(self.pool, act, *arguments)

    def close(self) -> None:
        for task in self.tasks:
            task.cancel()
        if self.pool is not None:
            end(self.pool)


def reviews_of(request: Request) -> Reviews:
    state = request.app.state
    if not hasattr(state, "reviews"):
        state.reviews = Reviews()
    reviews: Reviews = state.reviews
    return reviews


@router.get("")
async def read_review(room: RoomNow, request: Request) -> dict[str, Any]:
    """The review of a finished game, or how far it is: `none`, `waiting`, `thinking`, `failed` or `done`."""
    return await reviews_of(request).of(room)


@router.post("", dependencies=[limited_at_table("think")])
async def ask_review(room: RoomNow, request: Request) -> dict[str, Any]:
    """Ask for the review of a finished game. It is made once and kept; read on until it is `done`."""
    return await reviews_of(request).ask(room)


# ---- in the other process -----------------------------------------------------------------------------------------------

_progress: Any = None


def begin(progress: Any) -> None:
    """How the reviewing process begins."""
    global _progress
    _progress = progress
    settle_in(LAST)


def look_at(source: str, record: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    """Review a finished game, within so many seconds of processor time."""

    def tell(done: int, total: int) -> None:
        _progress[:] = [done, total]

    return review(replay(record, known_game(source)), seconds=seconds, threads=1, clock=time.thread_time, progress=tell).to_dict()
