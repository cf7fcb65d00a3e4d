"""The pages, rendered here, brought to life by small modules in static/."""

from __future__ import annotations

import itertools
import re
from functools import cache
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response
from jinja2 import Environment, FileSystemLoader, select_autoescape
from markdown_it import MarkdownIt
from markupsafe import Markup

import rulestone
from rulestone.game import Game
from rulestone.review.puzzles import FILE
from rulestone.server.api import game_data, table_data
from rulestone.server.assets import BASE
from rulestone.server.rooms import Rooms
from rulestone.server.security import PICTURE_POLICY, Guests, set_cookie
from rulestone.server.thinking import OPPONENT
from rulestone.table import Face

HERE = Path(__file__).parent
MANY_HEADINGS = 5
router = APIRouter(include_in_schema=False)
templates = Environment(loader=FileSystemLoader(HERE / "pages"), autoescape=select_autoescape(), trim_blocks=True, lstrip_blocks=True)
templates.globals.update(version=rulestone.__version__, static=BASE)


def ruled(text: str, game: str) -> Markup:
    """A text whose rule numbers, "(Q19)", lead to the rules page."""
    link = Markup('<a class="rule" href="/rules/{game}#{rule}" target="_blank" rel="noopener">{rule}</a>')
    parts = re.split(r"\(([RQ]\d+)\)", text)
    return Markup("").join(link.format(game=game, rule=part) if k % 2 else part for k, part in enumerate(parts))


templates.filters["ruled"] = ruled


def page(request: Request, name: str, status: int = 200, **names: Any) -> HTMLResponse:
    """A page; a browser without a token gets one with it."""
    guests: Guests = request.app.state.guests
    response = HTMLResponse("", status)
    if guests.of(request.headers) is None:
        set_cookie(response, guests.issue(), request.url.scheme == "https")
    response.body = templates.get_template(name).render(**names).encode()
    response.headers["content-length"] = str(len(response.body))
    return response


def _rooms(request: Request) -> Rooms:
    rooms: Rooms = request.app.state.rooms
    return rooms


@router.get("/")
async def home(request: Request) -> Response:
    rooms, guest = _rooms(request), request.app.state.guests.of(request.headers)
    mine = await rooms.storage.tables_of(guest, 40) if guest else []
    free = [row for row in await rooms.storage.open_tables() if row.id not in {own.id for own in mine}]
    listed = [[table_data(row, rooms.games[row.game], guest) for row in rows if row.game in rooms.games] for rows in (mine, free)]
    games = [{**game_data(game), "puzzles": (game.folder / FILE).is_file()} for game in rooms.games.values()]
    return page(request, "home.html", games=games, mine=listed[0], free=listed[1], opponent=OPPONENT)


@router.get("/new/{game}")
async def new(request: Request, game: str) -> Response:
    found = _rooms(request).game(game)
    hues = {n: Face.of(found).hues(n) for n in range(found.min_players, found.max_players + 1)}
    return page(request, "new.html", game=game_data(found), hues=hues, opponent=OPPONENT)


@router.get("/t/{table}")
async def table(request: Request, table: str) -> Response:
    rooms, guest = _rooms(request), request.app.state.guests.of(request.headers) or ""
    room = await rooms.get(table[:24])
    room.check_watching(guest)
    eyes, _ = room.eyes_of(guest, None)
    scene = room.face.scene(room.frames.view(room.match, eyes), eyes)
    return page(request, "table.html", room=room, game=room.game, table=room.row, scene=scene)


@router.get("/t/{table}/replay")
async def replay(request: Request, table: str) -> Response:
    rooms, guest = _rooms(request), request.app.state.guests.of(request.headers) or ""
    room = await rooms.get(table[:24])
    room.check_watching(guest)
    names = room.face.names(room.match.players)
    eyes = [(str(n), f"as {name} saw it") for n, name in enumerate(names) if room.match.over or n in room.seats_of(guest)]
    eyes = [*([("open", "everything open")] if room.match.over else []), *eyes, ("public", "as a spectator saw it")]
    hues = room.face.hues(room.match.players)
    scene = room.face.scene(room.frames.view(room.match, None), None)
    return page(
        request,
        "replay.html",
        scene=scene,
        room=room,
        game=room.game,
        table=room.row,
        eyes=eyes,
        names=names,
        hues=hues,
        over=room.match.over,
    )


@router.get("/rules/{game}")
async def rules(request: Request, game: str) -> Response:
    found = _rooms(request).game(game)
    return page(request, "rules.html", game=found, text=rules_html(found.folder / "RULES.md"))


@router.get("/about")
async def about(request: Request) -> Response:
    return page(request, "about.html")


@router.get("/api")
async def api_page(request: Request) -> Response:
    """The REST interface for people: one line for each call."""
    calls = []
    for path, methods in request.app.openapi()["paths"].items():
        for method, call in methods.items():
            calls.append((method.upper(), path, (call.get("description") or call.get("summary") or "").split("\n")[0]))
    return page(request, "api.html", calls=calls)


@router.get("/pictures/{game}.svg")
async def picture(request: Request, game: str) -> Response:
    """A game in the middle of play, for the home page."""
    svg = _picture(_rooms(request).game(game))
    headers = {"Content-Security-Policy": PICTURE_POLICY, "Cache-Control": "public, max-age=86400"}
    return Response(svg, media_type="image/svg+xml", headers=headers)


@cache
def _picture(game: Game, plies: int = 14) -> str:
    match = game.new(seed=11)
    for k in range(plies):
        legal = match.legal()
        move = legal[(k * 7 + 3) % len(legal)]
        match.play(move)
        if match.over:
            match.undo()
            break
    return Face.of(game).scene(match.view(None), None).document("auto")


@cache
def rules_html(file: Path) -> str:
    """RULES.md as HTML, every rule's number an anchor."""
    if not file.exists():
        return "<p>This game has no rules sheet yet.</p>"
    html = str(MarkdownIt("commonmark", {"html": False}).enable("table").render(file.read_text()))
    seen: set[str] = set()

    def anchor(match: re.Match[str]) -> str:
        number = match[1]
        if number in seen:
            return match[0]
        seen.add(number)
        return f'<strong id="{number}">{number}</strong>' if match[2] == "</strong>" else f'<strong id="{number}">{number}{match[2]}'

    html = re.sub(r"<strong>([RQ]\d+)(</strong>|\b)", anchor, html)
    return _contents(re.sub(r"<h1>.*?</h1>\s*", "", html, count=1))


def _contents(html: str) -> str:
    """With a list of its headings before it, where there are many."""
    heading = re.compile(r"<(h[23])>(.*?)</h[23]>")
    found = heading.findall(html)
    if len(found) < MANY_HEADINGS:
        return html
    numbers = itertools.count(1)
    html = heading.sub(lambda match: f'<{match[1]} id="part-{next(numbers)}">{match[2]}</{match[1]}>', html)
    links = [
        f'<li class="to-{level}"><a href="#part-{n}">{re.sub("<.*?>", "", title)}</a></li>' for n, (level, title) in enumerate(found, 1)
    ]
    return f'<nav class="contents" aria-label="Contents"><ul>{"".join(links)}</ul></nav>{html}'
