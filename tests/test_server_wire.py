"""Frames on the wire: compressed once for everybody who gets the same text, and each by itself."""

import asyncio
import contextlib
import zlib

import pytest
import uvicorn
import websockets
from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory

from rulestone.server import wire
from rulestone.server.lines import DOORS
from rulestone.server.outbox import Outbox
from rulestone.server.wire import SETTINGS, framed

TEXTS = ["", "short", "ü" * 200, "a long text, but not too long " * 200, "".join(str(n) for n in range(100_000))]


def test_every_compressed_frame_can_be_read_by_itself():
    text = TEXTS[3]
    frame = framed(text, True)
    assert frame[0] == 0xC1, "one text frame, compressed"
    assert zlib.decompressobj(-15).decompress(frame[2:] + b"\x00\x00\xff\xff") == text.encode()
    assert len(frame) * 20 < len(text)


def test_a_frame_depends_on_its_text_alone():
    first = framed(TEXTS[3], True)
    framed.cache_clear()
    framed(TEXTS[4], True)
    assert framed(TEXTS[3], True) == first


def test_a_text_that_many_sockets_get_is_compressed_once():
    framed.cache_clear()
    made = [framed("".join([half, half]), True) for half in [TEXTS[3]] * 5]  # equal texts, but not the same object
    assert framed.cache_info().misses == 1
    assert all(frame is made[0] for frame in made)


def test_short_texts_are_not_compressed():
    assert framed("short", True) == framed("short", False) == b"\x81\x05short"


@pytest.mark.parametrize(
    "offer",
    [
        {"compression": None},
        {"compression": "deflate"},
        {"extensions": [ClientPerMessageDeflateFactory(server_max_window_bits=9)], "compression": None},
    ],
    ids=["no compression", "as usual", "a small window"],
)
def test_every_client_gets_every_text(offer):
    async def app(scope, receive, send):
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.accept"})
            for text in TEXTS:
                await send({"type": "websocket.send", "text": text})
            await send({"type": "websocket.send", "bytes": b"binary"})
            heard = await receive()
            await send({"type": "websocket.send", "text": heard["text"]})
            await send({"type": "websocket.close", "code": 4000, "reason": "enough"})

    async def main():
        server = uvicorn.Server(uvicorn.Config(app, port=0, lifespan="off", log_config=None, **SETTINGS))
        running = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        async with websockets.connect(f"ws://127.0.0.1:{port}/", max_size=None, proxy=None, **offer) as line:
            heard = [await line.recv() for _ in range(len(TEXTS) + 1)]
            await line.send("x" * 5000)
            heard.append(await line.recv())
            with contextlib.suppress(websockets.ConnectionClosed):
                await line.recv()
            closed = line.close_code, line.close_reason
        server.should_exit = True
        await running
        return heard, closed

    heard, closed = asyncio.run(asyncio.wait_for(main(), 60))
    assert heard == [*TEXTS, b"binary", "x" * 5000]
    assert closed == (4000, "enough")


def test_a_socket_keeps_no_compressor():
    """It would take 80 kB each."""
    server = uvicorn.server.ServerState()
    loop = asyncio.new_event_loop()
    line = wire.Wire(uvicorn.Config(lambda: None, log_config=None), server, {}, loop)
    (factory,) = line.conn.available_extensions
    agreed, deflate = factory.process_request_params([("client_max_window_bits", None)], [])
    loop.close()
    assert {"server_no_context_takeover", "client_no_context_takeover"} <= {name for name, _ in agreed}
    assert not hasattr(deflate, "encoder")
    assert not hasattr(deflate, "decoder")


def test_what_waits_for_its_only_reader_comes_in_order_and_has_a_limit():
    async def main():
        box = Outbox(3)
        reading = asyncio.create_task(box.get())
        await asyncio.sleep(0)
        cancelled = asyncio.create_task(asyncio.wait_for(Outbox().get(), 0.001))
        for n in range(3):
            box.put_nowait(n)
        with pytest.raises(asyncio.QueueFull):
            box.put_nowait(3)
        with pytest.raises(TimeoutError):
            await cancelled
        found = [await reading, await box.get(), box.qsize(), box.get_nowait(), box.empty()]
        with pytest.raises(asyncio.QueueEmpty):
            box.get_nowait()
        return found

    assert asyncio.run(main()) == [0, 1, 1, 2, True]


def test_a_socket_is_no_request_that_never_ends():
    """It would be closed as one when there are too many connections, and what it began as would be kept for ever."""

    async def app(scope, receive, send):
        await receive()
        await send({"type": "websocket.accept"})
        await receive()

    async def main():
        server = uvicorn.Server(uvicorn.Config(app, port=0, lifespan="off", log_config=None, **SETTINGS))
        running = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        async with websockets.connect(f"ws://127.0.0.1:{port}/", proxy=None):
            found = len(DOORS.lines), len(DOORS.waiting)
        server.should_exit = True
        await running
        return found

    assert asyncio.run(asyncio.wait_for(main(), 60)) == (1, 0)
