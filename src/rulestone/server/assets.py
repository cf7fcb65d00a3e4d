"""Scripts and styles: read and compressed once. Their address changes with their content, so browsers can cache them."""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
from pathlib import Path

from fastapi import APIRouter, Request, Response

from rulestone.server.refusal import Refused
from rulestone.table.look import stylesheet

router = APIRouter(include_in_schema=False)
TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


def _read() -> dict[str, bytes]:
    found = {file.name: file.read_bytes() for file in sorted((Path(__file__).parent / "static").iterdir()) if file.is_file()}
    return {**found, "scene.css": stylesheet().encode()}


FILES = _read()
PACKED = {name: gzip.compress(content, mtime=0) for name, content in FILES.items()}
VERSION = hashlib.sha256(b"".join(name.encode() + content for name, content in FILES.items())).hexdigest()[:12]
BASE = f"/static/{VERSION}"
"""Where pages find them. Modules import each other by relative paths, so the whole folder has one version."""


@router.get("/static/{name}")
async def plain(request: Request, name: str) -> Response:
    """Without a version: revalidated every time, and answered with 304 if nothing has changed."""
    return _answer(request, name, "no-cache")


@router.get("/static/{version}/{name}")
async def versioned(request: Request, version: str, name: str) -> Response:
    """With the version: cached for a year, since it never changes."""
    return _answer(request, name, "public, max-age=31536000, immutable" if version == VERSION else "no-cache")


def _answer(request: Request, name: str, keep: str) -> Response:
    if name not in FILES:
        raise Refused("no-such-file", "There is no such file.", 404)
    headers = {"ETag": f'"{VERSION}"', "Cache-Control": keep, "Vary": "Accept-Encoding"}
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    kind = TYPES.get(Path(name).suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(PACKED[name], media_type=kind, headers={**headers, "Content-Encoding": "gzip"})
    return Response(FILES[name], media_type=kind, headers=headers)
