"""Push messages: "your turn" for people who are elsewhere, through the push service of their own browser.

A message says which game and which table, and nothing about a move. It is encrypted for the browser, so the service can't read it. The
server only ever talks to the push services of the browsers' makers, whatever address a guest names.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import logging
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from fastapi import APIRouter, Request
from pydantic import Field

from rulestone.server.api import Body, Guest, RoomsNow, limited
from rulestone.server.devices import Device
from rulestone.server.refusal import Away, Refused
from rulestone.server.storage import PushRow, Storage

if TYPE_CHECKING:
    from rulestone.server.room import Room

log = logging.getLogger(__name__)
SERVICES = ("fcm.googleapis.com", "updates.push.services.mozilla.com", "web.push.apple.com")
FAMILIES = (".push.services.mozilla.com", ".push.apple.com", ".notify.windows.com")
"""Hosts that browsers' makers run, by name and by the end of their name."""
MOST = 10
"""How many devices of one person get messages."""
ABSENT, PRESENT = 5.0, 60.0
"""Seconds of a turn before somebody who isn't at the table gets word of it, and how much later somebody who has it open somewhere."""
PATIENCE, KEPT = 10, 24 * 3600
"""Seconds to wait for a push service, and how long it keeps a message for a device that is off."""
router = APIRouter(prefix="/api", tags=["you"])


@dataclass(frozen=True)
class PushKey:
    """What signs messages for push services: the operator's private key (PEM) and address. `also` are further services, for tests."""

    pem: str
    contact: str
    also: frozenset[str] = frozenset()

    @staticmethod
    def read(file: Path, contact: str) -> PushKey:
        """Read a key. Raises ValueError, with the reason in one sentence, if it can't be used."""
        try:
            key = PushKey(file.read_text(), contact)
        except (OSError, UnicodeDecodeError) as problem:
            raise ValueError(f"the key for push messages can't be read: {problem}") from None
        if not contact.startswith(("mailto:", "https://")):
            raise ValueError("push services want to know whom to ask: give --push-contact mailto:you@example.org or an https address")
        try:
            Herald(None, key)
        except ModuleNotFoundError:
            raise ValueError("push messages need pywebpush: pip install 'rulestone[push]'") from None
        except Exception:
            raise ValueError(f"{str(file)!r} isn't a private key of the curve P-256; see docs/server/coming-back.md") from None
        return key


class Herald:
    """Sends word to people who are elsewhere."""

    def __init__(self, storage: Storage | None, key: PushKey) -> None:
        import requests
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
        from py_vapid import Vapid

        self.storage, self.key = storage, key
        self.signer = Vapid.from_pem(key.pem.encode())
        point = self.signer.public_key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        self.public = base64.urlsafe_b64encode(point).rstrip(b"=").decode()
        """What a browser subscribes with."""
        self.line = requests.Session()
        self.line.max_redirects = 0
        self.line.trust_env = False

    def accepts(self, endpoint: str) -> bool:
        """Whether an address is that of a push service. No other address is ever called."""
        try:
            parts = urlsplit(endpoint)
            port = parts.port
        except ValueError:
            return False
        if parts.netloc in self.key.also:
            return True
        known = parts.hostname in SERVICES or (parts.hostname or "").endswith(FAMILIES)
        return parts.scheme == "https" and known and port in (None, 443) and parts.username is None

    async def turn(self, room: Room, seat: int) -> None:
        """Somebody's turn has begun: send word unless they move soon."""
        guest, turn = room.row.seats[seat].guest, room.turn_of(seat)
        await asyncio.sleep(ABSENT)
        if room.online(guest):
            await asyncio.sleep(PRESENT)
        chair = room.row.seats[seat]
        if guest and chair.guest == guest and not chair.stand_in and seat in room.match.deciders and room.turn_of(seat) == turn:
            if not await room.bus.once(f"turn:{room.row.id}:{seat}:{turn}", KEPT):  # another server has
                return
            await self.tell(guest, message(room))

    async def tell(self, guest: str, said: dict[str, str]) -> None:
        """Send a message to all devices of a person. Subscriptions that have ended are dropped."""
        assert self.storage is not None
        try:
            for push in await self.storage.pushes_of(guest):
                status = await asyncio.to_thread(self._send, push.subscription, json.dumps(said))
                if status in (404, 410):
                    await self.storage.drop_push(push.id)
        except Away:
            pass

    def _send(self, subscription: dict[str, Any], text: str) -> int:
        """Encrypt, sign and send a message; returns what the service answers, or 0 if it doesn't."""
        from pywebpush import WebPushException, webpush

        if not self.accepts(subscription["endpoint"]):
            return 404
        claims: dict[str, str | int] = {"sub": self.key.contact}
        try:
            answer = webpush(
                subscription,
                text,
                vapid_private_key=self.signer,
                vapid_claims=claims,
                ttl=KEPT,
                timeout=PATIENCE,
                requests_session=self.line,
            )
        except WebPushException as problem:
            return problem.response.status_code if problem.response is not None else 0
        except Exception as problem:
            log.warning("a push message could not be sent: %s", type(problem).__name__)
            return 0
        return int(answer.status_code)


def message(room: Room) -> dict[str, str]:
    """What a player is sent when it is their turn: which game, and which table."""
    where = f" at table “{room.row.name}”" if room.row.name else ""
    return {"title": "Your turn", "body": f"It’s your turn in {room.game.title}{where}.", "url": f"/t/{room.row.id}"}


class Keys(Body):
    p256dh: str = Field(max_length=120, pattern=r"^[\w-]{80,90}=*$")
    auth: str = Field(max_length=40, pattern=r"^[\w-]{20,26}=*$")


class Subscription(Body):
    """A browser's subscription, as `PushSubscription.toJSON()` gives it."""

    endpoint: str = Field(max_length=1000)
    keys: Keys


def _herald(request: Request) -> Herald:
    herald: Herald | None = request.app.state.rooms.herald
    if herald is None:
        raise Refused("no-push", "This server has no key for push messages.", 404)
    return herald


@router.get("/push")
async def push_key(request: Request) -> dict[str, str | None]:
    """Get the key that browsers subscribe to push messages with; null if this server sends none."""
    herald: Herald | None = request.app.state.rooms.herald
    return {"key": herald.public if herald else None}


@router.post("/me/push", status_code=204, dependencies=[limited("change")])
async def subscribe(body: Subscription, request: Request, rooms: RoomsNow, guest: Guest, here: Device) -> None:
    """Get a push message on this device when it's your turn."""
    if not _herald(request).accepts(body.endpoint):
        raise Refused("no-such-service", "This isn't the address of a push service that this server knows.", 422)
    id = hashlib.sha256(body.endpoint.encode()).hexdigest()
    await rooms.storage.keep_push(PushRow(id, guest, here, body.model_dump(), time.time()), MOST)


@router.delete("/me/push", status_code=204, dependencies=[limited("change")])
async def unsubscribe(rooms: RoomsNow, here: Device) -> None:
    """Stop push messages to this device."""
    await rooms.storage.drop_push(device=here)
