"""What waits to be taken by one reader. There are two for every socket, and a queue of asyncio's own takes ten times the memory."""

from __future__ import annotations

import asyncio
from typing import Generic, TypeVar

T = TypeVar("T")


class Outbox(Generic[T]):
    """A queue with one reader, as asyncio's but for what nobody needs here. `most` is how much it holds (0: any amount)."""

    __slots__ = ("most", "reader", "waiting")

    def __init__(self, most: int = 0) -> None:
        self.most, self.waiting = most, list[T]()
        self.reader: asyncio.Future[None] | None = None

    def put_nowait(self, item: T) -> None:
        """Raises QueueFull if there is no room."""
        if self.most and len(self.waiting) >= self.most:
            raise asyncio.QueueFull
        self.waiting.append(item)
        if self.reader is not None and not self.reader.done():
            self.reader.set_result(None)

    async def get(self) -> T:
        while not self.waiting:
            self.reader = asyncio.get_running_loop().create_future()
            try:
                await self.reader
            finally:
                self.reader = None
        return self.waiting.pop(0)

    def get_nowait(self) -> T:
        """Raises QueueEmpty if there is nothing."""
        if not self.waiting:
            raise asyncio.QueueEmpty
        return self.waiting.pop(0)

    def empty(self) -> bool:
        return not self.waiting

    def qsize(self) -> int:
        return len(self.waiting)
