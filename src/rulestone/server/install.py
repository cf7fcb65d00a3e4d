"""What lets people put the site on their home screen: the manifest, icons and the service worker."""

from __future__ import annotations

from functools import cache
from typing import Any

from fastapi import APIRouter, Response
from fastapi.responses import JSONResponse

from rulestone.server.assets import FILES
from rulestone.server.refusal import Refused
from rulestone.table.draw import png
from rulestone.table.look import TOKENS

router = APIRouter(include_in_schema=False)
SIZES = (180, 192, 512)
KEEP = {"Cache-Control": "public, max-age=86400"}
MANIFEST: dict[str, Any] = {
    "id": "/",
    "name": "Rulestone",
    "short_name": "Rulestone",
    "description": "Board games with friends over a link, or with bots that don't cheat.",
    "start_url": "/my/games",
    "scope": "/",
    "display": "standalone",
    "background_color": TOKENS["paper"][0],
    "theme_color": TOKENS["paper"][0],
    "icons": [
        {"src": "/icon-192.png", "sizes": "192x192", "type": "image/png"},
        {"src": "/icon-512.png", "sizes": "512x512", "type": "image/png"},
        {"src": "/mask-512.png", "sizes": "512x512", "type": "image/png", "purpose": "maskable"},
    ],
    "shortcuts": [{"name": "All games", "url": "/"}, {"name": "My devices", "url": "/my/devices"}],
}


@router.get("/manifest.webmanifest")
async def manifest() -> Response:
    return JSONResponse(MANIFEST, headers=KEEP, media_type="application/manifest+json")


@router.get("/sw.js")
async def worker() -> Response:
    """The service worker. It is at the root, because it looks after the whole site."""
    return Response(FILES["sw.js"], media_type="text/javascript", headers={"Cache-Control": "no-cache"})


@router.get("/{kind}-{size:int}.png")
async def icon(kind: str, size: int) -> Response:
    if kind not in ("icon", "mask") or size not in SIZES:
        raise Refused("no-such-file", "There is no such file.", 404)
    return Response(_icon(kind, size), media_type="image/png", headers=KEEP)


@cache
def _icon(kind: str, size: int) -> bytes:
    """The icon as a picture: transparent around, or (mask) on paper with room for a system to cut its corners."""
    drawn = FILES["icon.svg"].decode().replace("<svg ", '<svg x="5" y="5" width="24" height="24" ' if kind == "mask" else "<svg ", 1)
    if kind == "mask":
        paper = f'<rect width="34" height="34" fill="{TOKENS["paper"][0]}"/>'
        drawn = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 34 34">{paper}{drawn}</svg>'
    return png(drawn, size, size)
