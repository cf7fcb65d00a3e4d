"""Connections: there are never too many, and nobody can hold one for nothing."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from rulestone.server.limits import (
    BODY_SECONDS,
    HEAD_SECONDS,
    IDLE_SECONDS,
    LEAST_READ,
    MOST_CONNECTIONS,
    MOST_FROM_ONE_PEER,
    RESERVED,
    STALLED_SECONDS,
    network,
)

try:
    import resource
except ImportError:  # not on Windows
    resource = None  # type: ignore[assignment]

PATIENCE = {"head": HEAD_SECONDS, "body": BODY_SECONDS, "idle": IDLE_SECONDS}
LATE = b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
BUSY = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


def most_connections() -> int:
    """How many connections this process can have: fewer than its descriptors, whose limit is raised as far as it goes."""
    if resource is None:
        return 500
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_CONNECTIONS + RESERVED
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(hard, wanted)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return MOST_CONNECTIONS if soft == resource.RLIM_INFINITY else max(8, min(MOST_CONNECTIONS, soft - max(RESERVED, soft // 4)))


class Line(asyncio.Protocol):
    """A connection that may wait, but not for ever: for the rest of a request, for a reader, or for its own end."""

    transport: asyncio.Transport
    loop: asyncio.AbstractEventLoop
    client: tuple[str, int] | None
    peer = ""
    phase = ""
    """What it waits for: the `head` or the `body` of a request, or (`idle`) the next one."""
    since = 0.0
    closing: float | None = None
    unread: tuple[float, int] | None = None
    """Since when it hasn't read everything, and how much was left then."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.peer = network(self.client[0] if self.client else "")

    def connection_lost(self, exc: Exception | None) -> None:
        DOORS.leave(self)
        super().connection_lost(exc)

    def judge(self, now: float) -> None:
        """End the connection if it has taken too long."""
        left = self.transport.get_write_buffer_size()
        if self.transport.is_closing():
            self.closing = now if self.closing is None else self.closing
            if now - self.closing > STALLED_SECONDS:
                self.transport.abort()
        elif self.phase and now - self.since > PATIENCE[self.phase]:
            self.drop()
        elif not left:
            self.unread = None
        elif self.unread is None:
            self.unread = (now, left)
        elif now - self.unread[0] > STALLED_SECONDS:
            if left > self.unread[1] - LEAST_READ:
                self.transport.abort()
            self.unread = (now, left)

    def drop(self) -> None:
        """Close the connection, and say why if a request has begun."""
        if self.phase in ("head", "body"):
            self.transport.write(LATE)
        self.transport.close()


class Doors:
    """The connections of this process: how many there are, where they come from, and which of them wait for a request."""

    def __init__(self, most: int = 0) -> None:
        self.most = most
        self.lines: dict[Line, None] = {}
        self.peers: Counter[str] = Counter()
        self.waiting: dict[Line, None] = {}
        """Connections without a complete request, the one that has waited longest first."""
        self.looking: asyncio.AbstractEventLoop | None = None
        """The loop in which they are judged once a second."""

    def enter(self, line: Line, trusted: bool = False) -> bool:
        """Let a connection in; one that waits has to go if there are too many. Returns False if there is no room."""
        self.most = self.most or most_connections()
        if self.looking is not line.loop:
            self.looking = line.loop
            line.loop.call_later(1, self._look, line.loop)
        self.lines[line] = None
        self.peers[line.peer] += 1
        if self.peers[line.peer] > MOST_FROM_ONE_PEER and not trusted:
            return False
        if len(self.lines) > self.most:
            oldest = next((other for other in self.waiting if other is not line), None)
            if oldest is None:
                return False
            self.waiting.pop(oldest)
            oldest.transport.abort()
        return True

    def hand_over(self, line: Line, to: Line) -> None:
        """A connection has become a socket."""
        self.waiting.pop(line, None)
        if line in self.lines:
            del self.lines[line]
            self.lines[to] = None

    def leave(self, line: Line) -> None:
        self.waiting.pop(line, None)
        if line in self.lines:
            del self.lines[line]
            self.peers[line.peer] -= 1
            if not self.peers[line.peer]:
                del self.peers[line.peer]

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        self.judge(loop.time())
        if self.lines:
            loop.call_later(1, self._look, loop)
        else:
            self.looking = None

    def judge(self, now: float) -> None:
        """End all connections that have taken too long."""
        for line in list(self.lines):
            line.judge(now)


DOORS = Doors()


class Http(Line, H11Protocol):
    """A connection that has to send the head of a request, and then its body, in time. One that does nothing makes room for others."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        trusted = self.client is None or self.client[0] in getattr(self.config.loaded_app, "trusted_hosts", ())
        self._settle()
        if not DOORS.enter(self, trusted):
            self.phase = ""
            transport.write(BUSY)
            transport.close()

    def _settle(self) -> None:
        """Note what this connection waits for now, and since when."""
        state, phase = self.conn.their_state, ""
        if state is h11.SEND_BODY:
            phase = "body"
        elif state is h11.IDLE and not self.transport.is_closing():
            phase = "head" if self.phase == "head" or self.cycle is None or self.conn.trailing_data[0] else "idle"
        if phase != self.phase:
            DOORS.waiting.pop(self, None)
            if phase:
                DOORS.waiting[self] = None
            self.phase, self.since = phase, self.loop.time()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self in DOORS.lines:  # otherwise it has become a socket
            self._settle()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._settle()
