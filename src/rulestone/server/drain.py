"""Leaving without losing anything: when the server is asked to stop, it finishes what it has begun and sends everybody elsewhere.

First `/readyz` turns red, so that a balancer sends new people elsewhere. Then sockets are no longer heard: what has been heard is done,
stored and acknowledged, and what has not will be sent again by the page, which reconnects by itself. Then sockets close, with a code that
says "come back".
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import uvicorn

if TYPE_CHECKING:
    from fastapi import FastAPI

    from rulestone.server.rooms import Rooms

COME_BACK = (1012, "restart")
"""Why a socket is closed: the server leaves, and the page comes back by itself after a moment."""
LONGEST = 5.0
"""Seconds that unfinished requests get, and then sockets to take what is queued for them."""
LOOK = 0.02


class Drain:
    """How far the server is on its way out."""

    def __init__(self, wait: float = 0.0) -> None:
        self.wait = wait
        """Seconds to keep serving while `/readyz` is already red."""
        self.on = False
        """Whether the server has been asked to stop."""
        self.deaf = False
        """Whether sockets are no longer heard."""
        self.requests = 0
        """How many messages have been heard and must be answered."""
        self.sockets = 0

    @contextlib.contextmanager
    def socket(self) -> Iterator[None]:
        """A socket that is open."""
        self.sockets += 1
        try:
            yield
        finally:
            self.sockets -= 1

    async def leave(self, rooms: Rooms, deafen: Callable[[], None] = lambda: None) -> None:
        """Answer what has been asked, then close all sockets. Takes a bounded time."""
        self.on = True
        await asyncio.sleep(self.wait)
        deafen()
        self.deaf = True
        await self._until(lambda: not self.requests)
        for room in rooms.rooms.values():
            clients, room.clients = room.clients, set()  # nobody is told that the others have left
            for client in clients:
                client.finish(*COME_BACK)
        await self._until(lambda: not self.sockets)

    @staticmethod
    async def _until(done: Callable[[], bool]) -> None:
        end = time.monotonic() + LONGEST
        while not done() and time.monotonic() < end:
            await asyncio.sleep(LOOK)


class Server(uvicorn.Server):
    """A server that drains when it is asked to stop by SIGTERM or Ctrl-C, and then exits with code 0."""

    def __init__(self, app: FastAPI, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.app = app

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        before = signal.signal(signal.SIGTERM, lambda *_: None)  # uvicorn raises the signal again after it has drained
        try:
            with contextlib.suppress(KeyboardInterrupt):
                super().run(sockets)
        finally:
            signal.signal(signal.SIGTERM, before)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await self.app.state.drain.leave(self.app.state.rooms, self._stop_listening)
        await super().shutdown(sockets)

    def _stop_listening(self) -> None:
        for server in self.servers:
            server.close()
