"""People without accounts: their games, their name, their devices, and being forgotten.

A device is a browser or a program with a token of its own. It plays as itself until it follows a link that another device has shown:
then both are one person. A link is good for ten minutes and for one device, and only the hash of its code is stored.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import time
from typing import Annotated, Any

import segno
from fastapi import APIRouter, Depends, Request, Response
from pydantic import Field

from rulestone.server import pages
from rulestone.server.api import Body, Guest, Name, RoomsNow, limited, tables_data
from rulestone.server.refusal import Refused
from rulestone.server.security import COOKIE, Guests, set_cookie
from rulestone.server.storage import DeviceRow

LINK_SECONDS = 600
router = APIRouter(prefix="/api/me", tags=["you"])
site = APIRouter(include_in_schema=False)
OLD = Refused("no-such-link", "This link has been used, or its ten minutes are over. Ask for a new one on your other device.", 404)


class Me(Body):
    name: Name


class Code(Body):
    code: str = Field(max_length=80, description="what follows the # in the link")


class Renewal(Body):
    replace: bool = Field(False, description="whether the old token stops working")


def device_of(request: Request) -> str:
    guests: Guests = request.app.state.guests
    return guests.device(request.headers) or ""


Device = Annotated[str, Depends(device_of)]


def _hash(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()


def _short(id: str) -> str:
    """A device's id in addresses. It says nothing about the token."""
    return _hash(id)[:16]


def called(agent: str) -> str:
    """What to call a device, from its User-Agent.

    >>> called("Mozilla/5.0 (Linux; Android 16; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36")
    'Chrome on Android'
    >>> called("python-httpx/0.28")
    'a program'
    """
    browsers = {"Edg": "Edge", "OPR": "Opera", "Firefox|FxiOS": "Firefox", "Chrom|CriOS": "Chrome", "Safari": "Safari"}
    systems = {"Android": "Android", "iPhone": "iPhone", "iPad": "iPad", "Windows": "Windows", "Mac OS": "Mac", "Linux": "Linux"}
    browser, system = (next((name for sign, name in signs.items() if re.search(sign, agent)), "") for signs in (browsers, systems))
    return " on ".join(filter(None, (browser, system))) or "a program"


async def _devices(request: Request, guest: str, here: str) -> list[DeviceRow]:
    """A person's devices; the one they use now is among them even if it has never been linked."""
    found: list[DeviceRow] = await request.app.state.rooms.storage.devices_of(guest)
    if all(device.id != here for device in found):
        found.insert(0, DeviceRow(here, guest, called(request.headers.get("user-agent", "")), time.time()))
    return found


@router.get("")
async def read_me(request: Request, rooms: RoomsNow, guest: Guest, here: Device) -> dict[str, Any]:
    """Get your name and your devices."""
    devices = [
        {"id": _short(device.id), "name": device.name, "since": device.since, "this": device.id == here}
        for device in await _devices(request, guest, here)
    ]
    return {"name": await rooms.storage.name_of(guest), "devices": devices}


@router.put("", status_code=204, dependencies=[limited("change")])
async def keep_name(body: Me, rooms: RoomsNow, guest: Guest) -> None:
    """Keep your name for all your devices."""
    await rooms.storage.keep_name(guest, body.name)


@router.post("/links", status_code=201, dependencies=[limited("link")])
async def new_link(request: Request, rooms: RoomsNow, guest: Guest, here: Device) -> dict[str, Any]:
    """Make a link that turns another device into one of yours. It works once, for ten minutes; an older link stops working."""
    code = secrets.token_urlsafe(24)
    for device in await _devices(request, guest, here):
        if device.id == here:
            await rooms.storage.keep_device(device)
            request.app.state.guests.devices[here] = guest
    await rooms.storage.add_link(_hash(code), guest, time.time() + LINK_SECONDS)
    link = f"{request.base_url}link#{code}"
    return {"link": link, "seconds": LINK_SECONDS, "qr": segno.make(link, error="m").svg_data_uri(border=3, light="#fff")}


@router.delete("/links", status_code=204, dependencies=[limited("change")])
async def drop_link(rooms: RoomsNow, guest: Guest) -> None:
    """Take back a link that nobody has used yet."""
    await rooms.storage.drop_links(guest)


@router.post("/links/look", dependencies=[limited("link")])
async def look_at_link(body: Code, request: Request, rooms: RoomsNow, guest: Guest) -> dict[str, Any]:
    """See whose link this is, before you use it."""
    owner = await rooms.storage.link(_hash(body.code))
    if owner is None:
        raise OLD
    own = [] if owner == guest else await rooms.storage.tables_of(guest, 100)
    running = sum(row.status == "running" and any(seat.guest == guest for seat in row.seats) for row in own)
    return {"name": await rooms.storage.name_of(owner), "already": owner == guest, "own_games": running}


@router.post("/links/use", dependencies=[limited("link")])
async def use_link(body: Code, request: Request, rooms: RoomsNow, guest: Guest, here: Device) -> dict[str, str]:
    """Make this device one of those of the person who made the link."""
    owner = await rooms.storage.link(_hash(body.code), use=True)
    if owner is None:
        raise OLD
    if owner != guest:
        await rooms.storage.keep_device(DeviceRow(here, owner, called(request.headers.get("user-agent", "")), time.time()))
        await rooms.storage.drop_push(device=here)
        request.app.state.guests.devices[here] = owner
        rooms.sign_out(here)
    return {"name": await rooms.storage.name_of(owner)}


@router.delete("/devices/{device}", status_code=204, dependencies=[limited("change")])
async def sign_out(device: str, request: Request, rooms: RoomsNow, guest: Guest, here: Device) -> None:
    """Sign out one of your devices. It loses your games, and gets back those it had before it was linked."""
    mine = await _devices(request, guest, here)
    found = next((known for known in mine if _short(known.id) == device), None)
    if found is None:
        raise Refused("no-such-device", "That isn't one of your devices.", 404)
    if len(mine) == 1:
        raise Refused("only-device", "This is your only device: without it nobody could reach your games. You can ask to be forgotten.")
    devices: dict[str, str] = request.app.state.guests.devices
    if found.id == guest:  # the first device: its token alone would still be this person
        await rooms.storage.keep_device(DeviceRow(found.id, "", "", found.since))
        devices[found.id] = ""
    else:
        await rooms.storage.drop_device(found.id)
        devices.pop(found.id, None)
    await rooms.storage.drop_push(device=found.id)
    rooms.sign_out(found.id)


@router.post("/token", status_code=201, dependencies=[limited("change")])
async def renew_token(
    request: Request, response: Response, rooms: RoomsNow, guest: Guest, here: Device, body: Renewal | None = None
) -> dict[str, str]:
    """Get a token with today's date for this device: the same person, the same seats. Tokens are good for 400 days.

    With `replace`, the old token stops working at once. Do this if somebody may have a copy of it.
    """
    guests: Guests = request.app.state.guests
    fresh = guests.renewed(request.headers, at_once=True) or guests.issue()
    if body is not None and body.replace:
        fresh = guests.issue()
        this = next(device for device in await _devices(request, guest, here) if device.id == here)
        new = guests.device_of_token(fresh)
        await rooms.storage.keep_device(DeviceRow(new, guest, this.name, this.since))
        await rooms.storage.keep_device(DeviceRow(here, "", "", this.since))
        guests.devices |= {new: guest, here: ""}
        await rooms.storage.drop_push(device=here)
        rooms.sign_out(here)
    if "authorization" not in request.headers:
        set_cookie(response, fresh, request.url.scheme == "https")
    return {"token": fresh}


@router.delete("", status_code=204, dependencies=[limited("change")])
async def forget_me(request: Request, rooms: RoomsNow, guest: Guest) -> Response:
    """Be forgotten: bots take your seats, and your name, your devices and your links are removed. This can't be undone."""
    devices: dict[str, str] = request.app.state.guests.devices
    await rooms.forget(guest)
    for device in [device for device, person in devices.items() if person == guest]:
        rooms.sign_out(device)
        del devices[device]
    answer = Response(status_code=204)
    answer.delete_cookie(COOKIE, path="/", httponly=True, samesite="lax")
    return answer


# ---- pages --------------------------------------------------------------------------------------------------------------


@site.get("/my/games")
async def my_games(request: Request, rooms: RoomsNow) -> Response:
    guest = request.app.state.guests.of(request.headers)
    mine = await tables_data(rooms, await rooms.storage.tables_of(guest, pages.SHOWN), guest) if guest else []
    urgent = [table for table in mine if table["turn"]]
    waiting = [table for table in mine if table["status"] == "running" and not table["turn"]]
    return pages.page(request, "games.html", urgent=urgent, waiting=waiting, over=[table for table in mine if table["status"] == "over"])


@site.get("/my/devices")
async def my_devices(request: Request) -> Response:
    return pages.page(request, "devices.html")


@site.get("/link")
async def link(request: Request) -> Response:
    """Where a link leads. Its code is behind the #, so that no server's log and no preview gets it."""
    return pages.page(request, "link.html")
