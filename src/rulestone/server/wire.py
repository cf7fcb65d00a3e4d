"""How uvicorn runs the application: limits, and socket frames that are compressed once for everybody who gets the same text."""

from __future__ import annotations

import zlib
from functools import lru_cache
from typing import Any

from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.extensions.permessage_deflate import PerMessageDeflate, ServerPerMessageDeflateFactory
from websockets.frames import Frame, Opcode
from websockets.protocol import OPEN

from rulestone.server.limits import IDLE_SECONDS, LOOSE_FRAMES, Bucket
from rulestone.server.lines import DOORS, Http, Line
from rulestone.server.outbox import Outbox

WORTH_IT = 400
"""Texts with fewer bytes are sent as they are."""
WINDOW = 15
EMPTY = zlib.compressobj(1, zlib.DEFLATED, -WINDOW, 8)


@lru_cache(maxsize=64)
def framed(text: str, deflate: bool) -> bytes:
    """The frame of a text, ready to send. It depends on nothing else, so it is made once for all sockets that get the text."""
    data, first = text.encode(), 0x80 | Opcode.TEXT
    if deflate and len(data) >= WORTH_IT:
        fresh, first = EMPTY.copy(), first | 0x40
        data = (fresh.compress(data) + fresh.flush(zlib.Z_SYNC_FLUSH))[:-4]
    size = len(data)
    if size < 126:
        return bytes((first, size)) + data
    return bytes((first, 126)) + size.to_bytes(2) + data if size < 65536 else bytes((first, 127)) + size.to_bytes(8) + data


class Wire(Line, WebSocketsSansIOProtocol):
    """A socket without a memory of what it has sent: every frame is compressed by itself.

    A compressor that remembers the frames before sends a quarter of the bytes, but it needs 80 kB of memory for every socket, and more
    processor time than everything else in a move: nothing it makes can be shared.
    """

    loose: Bucket | None = None
    """What is left of LOOSE_FRAMES, once there has been one."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.queue = Outbox()  # type: ignore[assignment]
        self.conn.available_extensions = [
            ServerPerMessageDeflateFactory(server_no_context_takeover=True, client_no_context_takeover=True, client_max_window_bits=12)
        ]

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        DOORS.hand_over(transport.get_protocol(), self)

    def handle_ping(self) -> None:
        if self._bears_one_more():
            super().handle_ping()

    def handle_pong(self, event: Frame) -> None:
        if self._bears_one_more():
            super().handle_pong(event)

    def handle_cont(self, event: Frame) -> None:
        if self._bears_one_more():
            super().handle_cont(event)

    def _bears_one_more(self) -> bool:
        """Count a frame that is no message. If there are too many, the connection is cut."""
        now = self.loop.time()
        self.loose = self.loose or Bucket(LOOSE_FRAMES, now)
        if self.loose.wait(now):
            self.transport.abort()
            return False
        self.loose.level -= 1
        return True

    async def send(self, message: Any) -> None:
        """Send a text by way of `framed`; leave everything else, and clients that ask for a smaller window, to uvicorn."""
        text, packing = message.get("text"), self.conn.extensions
        if text is None or self.conn.state is not OPEN or not all(_usual(one) for one in packing):
            await super().send(message)
            if message["type"] == "websocket.accept":
                self.request.headers.clear()  # they are in the scope, too
                self.response.headers.clear()
            return
        await self.writable.wait()
        if self.disconnected:
            raise ClientDisconnected
        self.transport.write(framed(text, bool(packing)))


def _usual(extension: Any) -> bool:
    return isinstance(extension, PerMessageDeflate) and extension.local_max_window_bits == WINDOW


SETTINGS: dict[str, Any] = {
    "http": Http,
    "ws": Wire,
    "ws_max_size": 64 * 1024,
    "ws_max_queue": 32,
    "timeout_keep_alive": IDLE_SECONDS,
    "timeout_graceful_shutdown": 3,
    "log_level": "warning",
}
"""The arguments of `uvicorn.Config` besides the address."""
