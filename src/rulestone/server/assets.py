"""Scripts and styles: read, shortened and compressed once. Their address changes with their content, so browsers can cache them."""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
import re
from collections.abc import Mapping
from pathlib import Path

from fastapi import APIRouter, Request, Response

from rulestone.server.refusal import Refused
from rulestone.table.look import stylesheet

router = APIRouter(include_in_schema=False)
TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
COMMENT = re.compile(r"//.*|/\*(?:(?!\*/).)*\*/|(.*\S)  // .*")
"""A line that is only a comment, or ends with one (two spaces before it)."""
IMPORT = re.compile(r'^import \{((?: [\w$]+,)* [\w$]+ )\} from "\./(\w+)\.js";$', re.MULTILINE)
EXPORTED = re.compile(r"^export (?:async )?(?:function|class|const) (\w+)", re.MULTILINE)
EXPORT = re.compile(r"^export (?=async |function|class|const)", re.MULTILINE)
SHARED = "common"


def bare(text: str) -> str:
    """A script or style without comments and indentation. (No text in them goes over several lines.)"""
    lines = ((found[1] or "") if (found := COMMENT.fullmatch(line)) else line for line in map(str.strip, text.splitlines()))
    return "\n".join(line for line in lines if line) + "\n"


def bundled(entry: str, scripts: Mapping[str, str]) -> str:
    """A script with everything it imports, as one file: a single request, and better compression.

    Every module becomes a function that returns what it exports. Only `common.js` stays apart, because scripts that are loaded later
    use the same one.
    """
    modules: dict[str, str] = {}

    def inside(text: str) -> str:
        for _, name in IMPORT.findall(text):
            if name != SHARED and name not in modules:
                body = inside(scripts[f"{name}.js"])
                modules[name] = (
                    f"const {name}_js = (() => {{\n{EXPORT.sub('', body)}return {{ {', '.join(EXPORTED.findall(body))} }};\n}})();\n"
                )
        return IMPORT.sub(r"const {\1} = \2_js;", text)

    text = inside(scripts[entry])
    return "".join([f'import * as {SHARED}_js from "./{SHARED}.js";\n', *modules.values(), text])


def _read() -> dict[str, bytes]:
    found = {file.name: file.read_bytes() for file in sorted((Path(__file__).parent / "static").iterdir()) if file.is_file()}
    found["scene.css"] = stylesheet().encode()
    texts = {name: bare(content.decode()) for name, content in found.items() if name.endswith((".js", ".css"))}
    imports = {name: {imported for _, imported in IMPORT.findall(text)} - {SHARED} for name, text in texts.items()}
    whole = {name: bundled(name, texts) for name, others in imports.items() if others}
    return {**found, **{name: text.encode() for name, text in {**texts, **whole}.items()}}


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
