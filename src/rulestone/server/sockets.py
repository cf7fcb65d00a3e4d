"""The WebSocket of a table. The protocol is in docs/server.md."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import orjson
from fastapi import WebSocket, WebSocketDisconnect
from pydantic import ValidationError
from starlette.types import ASGIApp, Receive, Scope, Send

from rulestone.server import api, metrics
from rulestone.server.drain import COME_BACK, Drain
from rulestone.server.frames import encode
from rulestone.server.limits import LARGEST_MESSAGE, Limits
from rulestone.server.refusal import Refused, TooFast
from rulestone.server.room import PRIVATE, Client, Room
from rulestone.server.rooms import Rooms
from rulestone.server.security import Guests, address_of, host_allowed, same_origin
from rulestone.server.talk import REMOVED

PLACE = "/ws/tables/"
REFUSED, UNKNOWN, AGAIN = 4403, 4404, 1013
SHUT_OUT = {"removed": REMOVED, "private": PRIVATE}
COSTS = {
    **dict.fromkeys(("look", "layout", "fresh", "position", "words"), "redraw"),
    **dict.fromkeys(("sit", "pledge", "reveal", "bot", "leave", "return", "substitute", "undo", "resign", "draw", "call_off"), "change"),
    **dict.fromkeys(("answer", "withdraw", "hush", "remove"), "change"),
    "hint": "think",
    "chat": "chat",
    "report": "report",
    "rematch": "create",
}
"""The limits of verbs that cost more than a message."""


class Sockets:
    """ASGI middleware that leads sockets to their tables at once: each layer in between would keep a frame for as long as they are open."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        before, at, table = scope.get("path", "").rpartition(PLACE)
        if scope["type"] == "websocket" and at and not before and "/" not in table:
            await table_socket(WebSocket(scope, receive, send), table)
        else:
            await self.app(scope, receive, send)


async def table_socket(socket: WebSocket, table: str) -> None:
    """Join a table, receive everything this guest may know, and play."""
    state = socket.app.state
    rooms: Rooms = state.rooms
    guests: Guests = state.guests
    limits: Limits = state.limits
    drain: Drain = state.drain
    if not same_origin(socket.headers) or not host_allowed(socket.headers, state.hosts):
        await socket.close(REFUSED)
        return
    guest, address = guests.of(socket.headers), address_of(socket)
    await socket.accept()
    if drain.deaf:
        await socket.close(*COME_BACK)
        return
    if guest is None:
        await socket.close(PRIVATE[0], "no token")
        return
    try:
        await limits.check("socket", guest, address)
        try:
            room = await rooms.watched(table, guest)
        except Refused as refusal:
            if refusal.code not in SHUT_OUT:
                raise
            await socket.close(*SHUT_OUT[refusal.code])
            return
        stranger = room.stranger_at(guest)
        await limits.check("socket", table=stranger)
        with limits.socket(guest, address, stranger):
            client = Client(guest, socket.query_params.get("narrow") == "1", guests.device(socket.headers) or "")
            client.drawn = socket.query_params.get("drawn", "")
            socket.scope["headers"].clear()  # nobody needs them any more
            await room.join(client)
            await _serve(socket, client, room, rooms, limits, drain)
    except Refused as refusal:
        await socket.close(AGAIN if refusal.wait is not None else UNKNOWN, refusal.code if refusal.wait is not None else refusal.text[:120])


async def _serve(socket: WebSocket, client: Client, room: Room, rooms: Rooms, limits: Limits, drain: Drain) -> None:
    sender = asyncio.create_task(_send(socket, client))
    try:
        with drain.socket(), metrics.SOCKETS.track_inprogress():
            await _hear(socket, client, room, rooms, limits, drain)
    finally:
        room.part(client)
        sender.cancel()


async def _send(socket: WebSocket, client: Client) -> None:
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):
        while isinstance(said := await client.outbox.get(), str):
            await socket.send_text(said)
            del said  # while there is nothing else to say
        await socket.close(*said)


async def _hear(socket: WebSocket, client: Client, room: Room, rooms: Rooms, limits: Limits, drain: Drain) -> None:
    """Answer messages one at a time. Each answer carries the `id` of its request.

    When the server is about to leave, messages are no longer heard: the page sends them again when it is back.
    """
    address = address_of(socket)
    own, crowd = limits.taps("message", client.guest, address), limits.taps("message", table=room.row.id)
    while True:
        try:
            heard = await socket.receive()
        except RuntimeError:  # we closed it ourselves
            return
        if heard["type"] == "websocket.disconnect":
            return
        if drain.deaf:
            continue
        number: Any = None
        drain.requests += 1
        wait = own() or (0.0 if room.seats_of(client.guest) else crowd())
        try:
            text = heard.get("text")
            if text is None:
                raise Refused("not-understood", "Please send text frames. This one is binary.", 422)
            if len(text) > LARGEST_MESSAGE:
                raise Refused("too-large", f"This message is too long. The limit is {LARGEST_MESSAGE} characters.", 413)
            message = _read(text)
            number = message.pop("id", None)
            if wait:
                raise TooFast(wait)
            verb = message.pop("do", "")
            if isinstance(verb, str) and (cost := COSTS.get(verb)):
                await limits.check(cost, client.guest, address, room.stranger_at(client.guest))
            answer = await _do(verb, message, client, room, rooms)
            client.send(encode({"t": "ok", "id": number, **(answer or {})}))
        except Refused as refusal:
            metrics.refused(refusal.code)
            again = {} if refusal.wait is None else {"wait": refusal.wait}
            client.send(encode({"t": "refused", "id": number, "code": refusal.code, "text": refusal.text, **again}))
            if refusal.code == "stale":
                client.has = -1
                room.show(client)
            if wait:  # nothing more is read from this socket for a moment
                await asyncio.sleep(min(1.0, wait))
        finally:
            drain.requests -= 1


def _read(text: str) -> dict[str, Any]:
    try:
        message = orjson.loads(text)
    except ValueError:
        message = None
    if not isinstance(message, dict) or not isinstance(message.get("id", 0), int):
        raise Refused("not-understood", "Please send a JSON object with 'do' and, optionally, a whole number as 'id'.", 422)
    return message


async def _do(verb: str, given: dict[str, Any], client: Client, room: Room, rooms: Rooms) -> dict[str, Any] | None:
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
            case "layout":
                room.lay_out(client, api.Layout(**given).narrow)
            case "fresh":
                client.has = -1
                room.show(client)
            case "sit":
                seat = api.Sit(**given)
                await room.sit(guest, seat.seat, seat.name, seat.pledge)
            case "pledge":
                await room.dice.pledge(guest, api.Pledge(**given).pledge)
            case "reveal":
                await room.dice.reveal(guest, api.Value(**given).value)
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
                return {"asked": await room.undo(guest, api.Undo(**given).at)}
            case "resign":
                await room.resign(guest, api.Seat(**given).seat)
            case "draw":
                await room.offer_draw(guest)
            case "call_off":
                await room.call_off(guest)
            case "answer":
                reply = api.Answer(**given)
                await room.answer(guest, reply.number, reply.yes)
            case "withdraw":
                await room.withdraw(guest)
            case "hint":
                return {"hint": await room.hint(guest)}
            case "position":
                return {"position": room.position(guest)}
            case "why":
                return {"why": room.why_not(guest, client.look, str(given.get("thing", ""))[:60])}
            case "words":
                return {"words": room.in_words(guest, client.look)}
            case "chat":
                line = api.Say(**given)
                await room.talk.say(guest, line.name, line.text, line.key)
            case "hush":
                await room.talk.hush(guest, api.Hush(**given).on)
            case "remove":
                await room.talk.remove(guest, api.Who(**given).who)
            case "report":
                complaint = api.Report(**given)
                await room.talk.report(guest, complaint.who, complaint.text, complaint.reason)
            case "rematch":
                new = await rooms.get(await rooms.rematch(room, guest, api.Pledge(**given).pledge))
                return {"table": new.row.id, **api.made(new).model_dump(exclude={"id"})}
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
