"""The documentation under /docs: the site that `make docs` builds, or, where there is none, the Markdown pages themselves."""

from __future__ import annotations

import base64
import hashlib
import mimetypes
import re
from functools import cache
from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from markdown_it import MarkdownIt

from rulestone.server.pages import page
from rulestone.server.refusal import Refused
from rulestone.server.security import PICTURE_POLICY, POLICY

router = APIRouter(include_in_schema=False)
PACKAGE = Path(__file__).parents[1]
CHECKOUT = PACKAGE.parents[1]
PICTURES = (".svg", ".png", ".gif")
INLINE = re.compile(r"<script>(.*?)</script>", re.S)
HEADING = re.compile(r"<h([1-4])>(.*?)</h\1>")
LINK = re.compile(r'<a href="(?![a-z]+:|#)([^"#]*)(#[^"]*)?">(.*?)</a>', re.S)


def built() -> Path | None:
    """The site in a checkout of the sources, if `make docs` has built it."""
    site = CHECKOUT / "build" / "site"
    return site if (site / "index.html").is_file() else None


def written() -> Path:
    """The Markdown pages: an installed package brings them along, a checkout has them beside the sources."""
    installed = PACKAGE / "docs"
    return installed if installed.is_dir() else CHECKOUT / "docs"


@router.get("/docs")
async def door() -> Response:
    """The pages link to each other relatively, so their address ends in a slash."""
    return RedirectResponse("/docs/")


@router.get("/docs/{path:path}")
async def document(request: Request, path: str) -> Response:
    """A page of the site, or a Markdown page rendered like the rules."""
    site: Path | None = request.app.state.docs or built()
    if site is not None:
        return _of_site(site, path)
    if path.endswith("/") and _inside(written(), f"{path.rstrip('/')}.md"):  # the page's address on the site
        return RedirectResponse(f"/docs/{path.rstrip('/')}.md")
    file = _inside(written(), path or "README.md")
    if file is None or file.suffix not in (".md", *PICTURES):
        raise Refused("no-such-page", "There is no such page.", 404)
    if file.suffix == ".md":
        title, html = _rendered(file, written())
        return page(request, "document.html", title=title, text=html)
    return _plain(file)


def _inside(folder: Path, path: str) -> Path | None:
    """A file of a folder, and of nothing outside it."""
    try:
        file = (folder / path).resolve()
        return file if file.is_relative_to(folder.resolve()) and file.is_file() else None
    except (OSError, ValueError):
        return None


def _of_site(site: Path, path: str) -> Response:
    if path and not path.endswith("/") and _inside(site, f"{path}/index.html"):
        return RedirectResponse(f"/docs/{path}/")
    file = _inside(site, f"{path}index.html" if not path or path.endswith("/") else path)
    if file is None:
        raise Refused("no-such-page", "There is no such page.", 404)
    if file.suffix != ".html":
        return _plain(file)
    text = file.read_text()
    return Response(text, media_type="text/html", headers={"Content-Security-Policy": _policy(text), "Cache-Control": "no-cache"})


def _policy(html: str) -> str:
    """Ours, with the page's own inline scripts by their hashes. (The site's generator also writes styles into its elements.)"""
    hashes = {base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in INLINE.findall(html)}
    scripts = " ".join(["script-src 'self'", *(f"'sha256-{value}'" for value in sorted(hashes))])
    return POLICY.replace("script-src 'self'", scripts).replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")


def _plain(file: Path) -> Response:
    kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    headers = {"Cache-Control": "no-cache", **({"Content-Security-Policy": PICTURE_POLICY} if file.suffix == ".svg" else {})}
    return Response(file.read_bytes(), media_type=kind, headers=headers)


@cache
def _rendered(file: Path, folder: Path) -> tuple[str, str]:
    """A page's title and its HTML: headings with anchors, and links only to what this server can show."""
    html = str(MarkdownIt("commonmark", {"html": True}).enable("table").render(file.read_text()))

    def led(match: re.Match[str]) -> str:
        target, anchor, text = match[1], match[2] or "", match[3]
        if target.endswith("/RULES.md"):
            return f'<a href="/rules/{Path(target).parent.name}{anchor}">{text}</a>'
        found = _inside(folder, str(file.relative_to(folder).parent / target))
        return match[0] if found and found.suffix in (".md", *PICTURES) else text

    html = HEADING.sub(lambda match: f'<h{match[1]} id="{anchor_of(match[2])}">{match[2]}</h{match[1]}>', LINK.sub(led, html))
    title = re.search(r"<h1[^>]*>(.*?)</h1>", html)
    return re.sub(r"<.*?>", "", title[1]) if title else "Documentation", html


def anchor_of(heading: str) -> str:
    """A heading's anchor, as GitHub makes it.

    >>> anchor_of("Promises, and <code>who</code> keeps them")
    'promises-and-who-keeps-them'
    """
    return re.sub(r"[^\w\- ]", "", re.sub(r"<.*?>", "", heading)).strip().lower().replace(" ", "-")
