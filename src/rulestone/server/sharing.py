"""Sharing: a picture for previews of links, a game as an animated picture, and replays on other people's pages.

Pictures and embedded replays need no token, so they show what everybody may see: the last public position of a finished game that
anyone can watch. Whatever else a link leads to, its preview is a plain card of the game.
"""

from __future__ import annotations

import asyncio
import re
import textwrap
from collections import OrderedDict
from functools import lru_cache
from html import escape
from typing import Any

from fastapi import APIRouter, Request, Response

from rulestone.game import Game
from rulestone.server import pages
from rulestone.server.api import Guest, LimitsNow, RoomNow, RoomsNow
from rulestone.server.refusal import Refused
from rulestone.server.room import Room
from rulestone.server.security import PICTURE_POLICY, POLICY, address_of
from rulestone.server.stored import OtherRules
from rulestone.table import Scene
from rulestone.table.draw import png

WIDE, HIGH, EDGE = 1200, 630, 40
"""The size of a preview, as most sites want it, and the space around its parts."""
FILMS = 16
"""How many animated pictures are kept in memory."""
ORIGIN = re.compile(r"\*|https?://[\w.-]+(:\d+)?")
router = APIRouter(include_in_schema=False)
api = APIRouter(prefix="/api", tags=["tables"])


def checked(origins: Any) -> tuple[str, ...]:
    """Origins that may embed replays. Raises ValueError if one isn't an origin."""
    for origin in origins:
        if not ORIGIN.fullmatch(origin):
            raise ValueError(f"{origin!r} isn't a site that can show replays; give --embed an origin such as https://blog.example, or '*'")
    return tuple(origins)


# ---- previews -----------------------------------------------------------------------------------------------------------


def card(scene: Scene, title: str, lines: list[str]) -> str:
    """A picture with a scene, a title and a few lines beside it, as an SVG."""
    room = HIGH - 2 * EDGE
    scale = min(room / scene.height, 0.56 * WIDE / scene.width)
    width, height = scene.width * scale, scene.height * scale
    left = EDGE * 2 + width
    most = int((WIDE - left - EDGE) / 20)
    texts = [("f-ink", 58, line) for line in textwrap.wrap(title, max(10, int((WIDE - left - EDGE) / 34)))[:3]]
    texts += [("f-muted", 36, line) for said in lines for line in textwrap.wrap(said, max(16, most))[:5]]
    top, words = (HIGH - sum(size * 1.35 for _, size, _ in texts)) / 2, []
    for colour, size, line in texts:
        top += size * 1.35
        place = f'x="{left:g}" y="{top - size * 0.35:g}" font-size="{size}" font-family="serif"'
        words.append(f'<text {place} class="{colour} start">{escape(line)}</text>')
    y = (HIGH - height) / 2
    felt = f'<rect x="{EDGE - 12}" y="{y - 12:g}" width="{width + 24:g}" height="{height + 24:g}" rx="18" class="f-felt"/>'
    board = f'<svg x="{EDGE}" y="{y:g}" width="{width:g}" height="{height:g}" viewBox="0 0 {scene.width:g} {scene.height:g}">'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="scene alone" viewBox="0 0 {WIDE} {HIGH}"><style></style>'
        f'<rect width="{WIDE}" height="{HIGH}" class="f-paper"/>{felt}{board}{"".join(scene.things)}</svg>{"".join(words)}</svg>'
    )


@lru_cache(maxsize=64)
def _plain(game: Game) -> bytes:
    """The card of a game: the picture and the sentence of the home page."""
    return png(card(pages.sample(game), game.title, [game.about.summary, "Play with friends over a link."]), WIDE, HIGH)


@lru_cache(maxsize=64)
def _drawn(document: str) -> bytes:
    return png(document, WIDE, HIGH)


@router.get("/t/{table}/preview.png")
async def preview(request: Request, table: str, rooms: RoomsNow, limits: LimitsNow) -> Response:
    """What a site shows for a link to a table."""
    await limits.check("picture", address=address_of(request))
    try:
        room = await rooms.get(table[:24])
    except OtherRules as problem:
        return Response(await asyncio.to_thread(_plain, problem.game), media_type="image/png")
    if pages.is_public(room):
        document = card(room.frames.scene(room.match, None), room.game.title, [pages.preview(request, room)["says"]])
        picture = await asyncio.to_thread(_drawn, document)
    else:
        picture = await asyncio.to_thread(_plain, room.game)
    return Response(picture, media_type="image/png")


# ---- the whole game as one picture ----------------------------------------------------------------------------------------


@router.get("/t/{table}/game.svg")
async def film(request: Request, room: RoomNow, guest: Guest, rooms: RoomsNow, limits: LimitsNow) -> Response:
    """A finished game as an animated SVG, as a spectator saw it."""
    films: OrderedDict[str, str] = request.app.state.films
    if room.row.id not in films:
        record = room.record()
        await limits.check("think", guest, address_of(request), room.stranger_at(guest))
        films[room.row.id] = await rooms.thinker.film(room.source, record, room.row.id)
        if len(films) > FILMS:
            films.popitem(last=False)
    return Response(films[room.row.id], media_type="image/svg+xml", headers={"Content-Security-Policy": PICTURE_POLICY})


@api.get("/tables/{table}/share")
async def share(request: Request, room: RoomNow) -> dict[str, Any]:
    """Learn what can be shared of a table: whether its game is over, whether anyone may see it, and whether other sites may show it."""
    return {
        "title": room.game.title,
        "over": room.match.over,
        "anyone": room.row.spectators,
        "embed": pages.is_public(room) and bool(request.app.state.embed),
    }


# ---- on other sites -------------------------------------------------------------------------------------------------------


async def _shown(request: Request, table: str, rooms: RoomsNow) -> Room:
    if not request.app.state.embed:
        raise Refused("no-embedding", "This server doesn't let other sites show its games.", 403)
    room = await rooms.watched(table, "")
    if not pages.is_public(room):
        raise Refused("not-public", "Other sites can show a game once it is over, if anyone may watch it.", 403)
    return room


@router.get("/embed/{table}")
async def embed(request: Request, table: str, rooms: RoomsNow) -> Response:
    """The replay of a finished game, for a frame on another site. It sets no cookie and needs none."""
    room = await _shown(request, table, rooms)
    names = room.face.names(room.match.players)
    scene = room.frames.scene(room.match, None, pages.is_narrow(request))
    text = pages.templates.get_template("embed.html").render(scene=scene, game=room.game, table=room.row, names=names)
    policy = POLICY.replace("frame-ancestors 'none'", f"frame-ancestors {' '.join(request.app.state.embed)}")
    return Response(text, media_type="text/html", headers={"Content-Security-Policy": policy})


@router.get("/embed/{table}/frames/{index}")
async def embedded_frame(request: Request, table: str, index: int, rooms: RoomsNow, narrow: bool = False) -> dict[str, Any]:
    """A position of an embedded replay, with everything revealed: the game is over."""
    return (await _shown(request, table, rooms)).past_frame("", index, "open", narrow=narrow)
