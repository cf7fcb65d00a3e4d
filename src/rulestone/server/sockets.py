"""The WebSocket of a table. The protocol is in docs/server.md."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import orjson
from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from pydantic import ValidationError

from rulestone.server import api
from rulestone.server.frames import encode
from rulestone.server.refusal import Away, Refused, TooFast
from rulestone.server.room import PRIVATE, Client, Room
from rulestone.server.rooms import Rooms
from rulestone.server.security import Bucket, Guests, Limits, host_allowed, same_origin

router = APIRouter()
LARGEST_MESSAGE = 4096
REFUSED, UNKNOWN, AGAIN = 4403, 4404, 1013


@router.websocket("/ws/tables/{table}")
async def table_socket(socket: WebSocket, table: str) -> None:
    """Join a table, receive everything this guest may know, and play."""
    state = socket.app.state
    rooms: Rooms = state.rooms
    guests: Guests = state.guests
    limits: Limits = state.limits
    if not same_origin(socket.headers) or not host_allowed(socket.headers, state.hosts):
        await socket.close(REFUSED)
        return
    guest = guests.of(socket.headers)
    await socket.accept()
    if guest is None or not limits.allows("socket", guest):
        await socket.close(PRIVATE[0], "no token")
        return
    try:
        room = await rooms.get(table[:24])
        if not room.may_watch(guest):
            await socket.close(*PRIVATE)
            return
        client = Client(guest)
        await room.join(client)
    except Away as refusal:
        await socket.close(AGAIN, refusal.code)
        return
    except Refused as refusal:
        await socket.close(UNKNOWN, refusal.text[:120])
        return
    sender = asyncio.create_task(_send(socket, client))
    try:
        await _hear(socket, client, room, rooms, limits)
    finally:
        room.part(client)
        sender.cancel()


async def _send(socket: WebSocket, client: Client) -> None:
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):
        while isinstance(said := await client.outbox.get(), str):
            await socket.send_text(said)
        await socket.close(*said)


async def _hear(socket: WebSocket, client: Client, room: Room, rooms: Rooms, limits: Limits) -> None:
    """Answer messages one at a time. Each answer carries the `id` of its request."""
    bucket = Bucket(20, 60)
    while True:
        try:
            heard = await socket.receive()
        except RuntimeError:  # we closed it ourselves
            return
        if heard["type"] == "websocket.disconnect":
            return
        number: Any = None
        try:
            text = heard.get("text")
            if text is None:
                raise Refused("not-understood", "Please send text frames. This one is binary.", 422)
            if len(text) > LARGEST_MESSAGE:
                raise Refused("too-large", f"This message is too long. The limit is {LARGEST_MESSAGE} characters.", 413)
            if limits.on and not bucket.take():
                raise TooFast
            message = _read(text)
            number = message.pop("id", None)
            answer = await _do(message.pop("do", ""), message, client, room, rooms, limits)
            client.send(encode({"t": "ok", "id": number, **(answer or {})}))
        except Refused as refusal:
            client.send(encode({"t": "refused", "id": number, "code": refusal.code, "text": refusal.text}))
            if refusal.code == "stale":
                client.has = -1
                room.show(client)


def _read(text: str) -> dict[str, Any]:
    try:
        message = orjson.loads(text)
    except ValueError:
        message = None
    if not isinstance(message, dict) or not isinstance(message.get("id", 0), int):
        raise Refused("not-understood", "Please send a JSON object with 'do' and, optionally, a whole number as 'id'.", 422)
    return message


async def _do(verb: str, given: dict[str, Any], client: Client, room: Room, rooms: Rooms, limits: Limits) -> dict[str, Any] | None:
    """Carry out a request from a socket. The bodies are those of the REST calls."""
    guest = client.guest
    room.check_watching(guest)
    try:
        match verb:
            case "move":
                wish = api.MoveIn(**given)
                await room.move(guest, wish.at, room.action(wish.move), wish.key, wish.seat)
            case "look":
                room.look(client, api.Seat(**given).seat)
            case "fresh":
                client.has = -1
                room.show(client)
            case "sit":
                seat = api.Sit(**given)
                await room.sit(guest, seat.seat, seat.name)
            case "bot":
                chair = api.BotSeat(**given)
                await room.set_bot(guest, chair.seat, chair.bot)
            case "leave":
                await room.leave(guest, api.Seat(**given).seat)
            case "return":
                await room.come_back(guest, api.Seat(**given).seat)
            case "substitute":
                await room.substitute(guest, api.Seat(**given).seat)
            case "undo":
                await room.undo(guest, api.Undo(**given).at)
            case "hint":
                limits.check("think", guest)
                return {"hint": await room.hint(guest)}
            case "position":
                return {"position": room.position(guest)}
            case "why":
                return {"why": room.why_not(guest, client.look, str(given.get("thing", ""))[:60])}
            case "chat":
                limits.check("chat", guest)
                line = api.Say(**given)
                await room.say(guest, line.name, line.text, line.key)
            case "rematch":
                limits.check("create", guest)
                return {"table": await rooms.rematch(room, guest)}
            case "ping":
                pass
            case _:
                raise Refused("not-understood", f"Unknown request {str(verb)[:40]!r}. See docs/server.md for the list.", 422)
    except ValidationError as problem:
        first = problem.errors()[0]
        raise Refused("not-understood", f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}", 422) from None
    except TypeError as problem:
        raise Refused("not-understood", str(problem), 422) from None
    return None
