"""The pages: rendered here, with small scripts in static/."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response
from jinja2 import Environment, FileSystemLoader, select_autoescape
from markdown_it import MarkdownIt
from markupsafe import Markup

import rulestone
from rulestone import variant
from rulestone.game import Game, once_per_game
from rulestone.review.puzzles import FILE
from rulestone.server.api import MOST_CHOICES, game_data, series_data, tables_data
from rulestone.server.assets import BASE
from rulestone.server.constants import check, constants
from rulestone.server.dice import commitment
from rulestone.server.learning import lesson_of, pictures_of
from rulestone.server.refusal import Refused
from rulestone.server.room import Room
from rulestone.server.rooms import Rooms
from rulestone.server.security import PICTURE_POLICY, Guests, set_cookie
from rulestone.server.thinking import GENTLE, LABELS, OPPONENT, levels
from rulestone.table import Face, Scene, kit

HERE = Path(__file__).parent
MANY_HEADINGS = 5
NARROW = 540
"""Screens of at most so many pixels get narrow layouts. A phone held sideways is wider."""
SHOWN = 40
"""How many of a person's tables are listed."""
router = APIRouter(include_in_schema=False)
templates = Environment(loader=FileSystemLoader(HERE / "pages"), autoescape=select_autoescape(), trim_blocks=True, lstrip_blocks=True)
templates.globals.update(version=rulestone.__version__, static=BASE, narrow=NARROW)


def ruled(text: str, game: str) -> Markup:
    """A text with rule numbers such as "(Q19)" as links to the rules page."""
    link = Markup('<a class="rule" href="/rules/{game}#{rule}" target="_blank" rel="noopener">{rule}</a>')
    parts = re.split(r"\(([RQ]\d+)\)", text)
    return Markup("").join(link.format(game=game, rule=part) if k % 2 else part for k, part in enumerate(parts))


def coded(text: str) -> Markup:
    """A text with its `names` as code."""
    parts = re.split(r"`([^`]+)`", text)
    return Markup("").join(Markup("<code>{}</code>").format(part) if k % 2 else part for k, part in enumerate(parts))


def mark(hue: int) -> Markup:
    """A seat's mark as a small picture."""
    return Markup('<svg class="mark" viewBox="-12 -12 24 24" aria-hidden="true">{}</svg>').format(Markup(kit.mark(hue)))


templates.filters.update(ruled=ruled, coded=coded, mark=mark)


def page(request: Request, name: str, status: int = 200, **names: Any) -> HTMLResponse:
    """Render a page. A browser without a token gets one with it, and one whose token is old gets it renewed."""
    guests: Guests = request.app.state.guests
    response = HTMLResponse("", status)
    fresh = guests.issue() if guests.of(request.headers) is None else guests.renewed(request.headers)
    if fresh is not None:
        set_cookie(response, fresh, request.url.scheme == "https")
    response.body = templates.get_template(name).render(**names).encode()
    response.headers["content-length"] = str(len(response.body))
    return response


def is_narrow(request: Request) -> bool:
    """Whether the page will be shown on a narrow screen, so that it can arrive with the right picture.

    The browser's note (`theme.js`) says so; without one, phones are narrow. If that is wrong, the page's script asks for the other one.
    """
    noted = request.cookies.get("narrow")
    return noted == "1" if noted else "Mobi" in request.headers.get("user-agent", "")


def _rooms(request: Request) -> Rooms:
    rooms: Rooms = request.app.state.rooms
    return rooms


def is_public(room: Room) -> bool:
    """Whether anyone can see how this game ended."""
    return room.match.over and room.row.spectators


def preview(request: Request, room: Room) -> dict[str, str]:
    """What other sites show for a link to a table: how a finished public game ended, or just the game."""
    address = f"{request.base_url}t/{room.row.id}"
    says = re.sub(r"\s*\[.*?\]", "", room.face.ending(room.match.view(None))[0]) if is_public(room) else room.game.about.summary
    return {"image": f"{address}/preview.png", "url": address, "title": room.game.title, "says": says}


@router.get("/")
async def home(request: Request) -> Response:
    rooms, guest = _rooms(request), request.app.state.guests.of(request.headers)
    mine = await rooms.storage.tables_of(guest, SHOWN) if guest else []
    free = [row for row in await rooms.storage.open_tables() if row.id not in {own.id for own in mine}]
    listed = [await tables_data(rooms, rows, guest) for rows in (mine, free)]
    games = [{**game_data(game), "puzzles": (game.folder / FILE).is_file()} for game in rooms.games.values()]
    lessons = [game.name for game in rooms.games.values() if game.lesson is not None]
    return page(request, "home.html", games=games, lessons=lessons, mine=listed[0], free=listed[1], opponent=OPPONENT)


@router.get("/new/{game}")
async def new(request: Request, game: str) -> Response:
    """Set up a table. A variant's name is enough for it; the variant itself is made when the table is."""
    rooms, (plain, changes) = _rooms(request), variant.split(game)
    if game in rooms.games or plain not in rooms.games:
        plain, changes = game, {}
    found = rooms.game(plain)
    for name, value in changes.items():
        check(found, name, variant.plain(value))
    bots = {bot: label for bot, label in levels(found).items() if bot != "champion" or not changes}  # its net has learned other rules
    return page(
        request,
        "new.html",
        game={
            **game_data(found),
            "name": game,
            "bots": bots,
        },
        plain=plain,
        changed=_changed(found.base or found, {**found.changes, **changes}, {}, found.about.usual_players),
        hues={n: Face.of(found).hues(n) for n in range(found.min_players, found.max_players + 1)},
        opponent=OPPONENT,
        fitting=_fitting(found),
    )


def _changed(game: Game, changes: Mapping[str, Any], options: Mapping[str, Any], players: int) -> list[str]:
    """What isn't as usual in a game: constants and options, in words."""
    usual = {one["name"]: one["value"] for one in constants(game)}
    made = [f"{name} is {value}" + (f" instead of {usual[name]}" if name in usual else "") for name, value in changes.items()]
    for name, option in game.options.items():
        default = option.show(option.read(option.default_for(players)))
        if (value := options.get(name, default)) != default:
            made.append(f"{option.title or name} is {option.said(value)} instead of {option.said(default)}")
    return made


@once_per_game
def _fitting(game: Game) -> dict[str, dict[Any, list[int]]]:
    """The options that players choose among, and for how many players each choice is possible."""
    counts = range(game.min_players, game.max_players + 1)
    offered = [option for option in game.options.values() if option.title and len(option.choices) <= MOST_CHOICES]
    return {
        option.name: {value: [n for n in counts if _fits(game, n, option.name, value)] for value in option.choices} for option in offered
    }


def _fits(game: Game, players: int, name: str, value: Any) -> bool:
    try:
        game.prepared(players, {name: value})
    except ValueError:
        return False
    return True


@router.get("/t/{table}")
async def table(request: Request, table: str) -> Response:
    rooms, guest = _rooms(request), request.app.state.guests.of(request.headers) or ""
    room = await rooms.watched(table, guest)
    eyes, _ = room.eyes_of(guest, None)
    scene = room.frames.scene(room.match, eyes, is_narrow(request))
    game, row = room.game, room.row
    usual = game.option_values(game.prepared(row.players, None)[0])
    asked = urlencode({**{name: value for name, value in row.options.items() if value != usual.get(name)}, "players": row.players})
    return page(
        request,
        "table.html",
        preview=preview(request, room),
        room=room,
        game=game,
        table=row,
        scene=scene,
        changed=_changed(game.base or game, game.changes, row.options, row.players),
        again=f"/new/{quote(game.name, safe='@=;')}?{asked}",
    )


@router.get("/t/{table}/replay")
async def replay(request: Request, table: str) -> Response:
    rooms, guest = _rooms(request), request.app.state.guests.of(request.headers) or ""
    room = await rooms.watched(table, guest)
    names = room.face.names(room.match.players)
    eyes = [(str(n), f"As {name} saw it") for n, name in enumerate(names) if room.match.over or n in room.seats_of(guest)]
    eyes = [*([("open", "Everything revealed")] if room.match.over else []), *eyes, ("public", "As a spectator saw it")]
    hues = room.face.hues(room.match.players)
    scene = room.frames.scene(room.match, None, is_narrow(request))
    return page(
        request,
        "replay.html",
        preview=preview(request, room),
        scene=scene,
        room=room,
        game=room.game,
        table=room.row,
        eyes=eyes,
        names=names,
        hues=hues,
        over=room.match.over,
        fingerprint=commitment(room.row),
    )


@router.get("/series/{series}")
async def series(request: Request, series: str) -> Response:
    """All games of a series."""
    guest = request.app.state.guests.of(request.headers) or ""
    return page(request, "series.html", series=await series_data(_rooms(request), series, guest), levels=LABELS)


@router.get("/rules/{game}")
async def rules(request: Request, game: str) -> Response:
    found = _rooms(request).game(game)
    return page(request, "rules.html", game=found, text=rules_of(found))


@router.get("/learn/{game}")
async def learn(request: Request, game: str) -> Response:
    found = _rooms(request).game(game)
    lesson = lesson_of(found)
    if lesson is None:
        raise Refused("no-lesson", f"{found.title} has no lesson.", 404)
    scene = lesson.face.scene(lesson.view(0), lesson.seat(0), is_narrow(request))
    return page(request, "learn.html", game=found, steps=len(lesson), scene=scene, gentle=GENTLE)


@router.get("/about")
async def about(request: Request) -> Response:
    return page(request, "about.html")


@router.get("/api")
async def api_page(request: Request) -> Response:
    """The REST interface, described for people: one line per call."""
    calls = []
    for path, methods in request.app.openapi()["paths"].items():
        for method, call in methods.items():
            calls.append((method.upper(), path, (call.get("description") or call.get("summary") or "").split("\n")[0]))
    return page(request, "api.html", calls=calls)


@router.get("/pictures/{game}.svg")
async def picture(request: Request, game: str) -> Response:
    """A picture of a game in progress, for the home page."""
    svg = sample(_rooms(request).game(game)).document("auto")
    headers = {"Content-Security-Policy": PICTURE_POLICY, "Cache-Control": "public, max-age=86400"}
    return Response(svg, media_type="image/svg+xml", headers=headers)


@once_per_game
def sample(game: Game, plies: int = 14) -> Scene:
    """A game in progress that nobody plays."""
    match = game.new(seed=11)
    for k in range(plies):
        legal = match.legal()
        move = legal[(k * 7 + 3) % len(legal)]
        match.play(move)
        if match.over:
            match.undo()
            break
    return Face.of(game).scene(match.view(None), None)


@once_per_game
def rules_of(game: Game) -> str:
    """A game's rules as HTML."""
    return rules_html(game.folder / "RULES.md", game)


def rules_html(file: Path, game: Game | None = None) -> str:
    """RULES.md as HTML, with an anchor for every rule number, the game's pictures drawn and rulings folded."""
    if not file.exists():
        return "<p>This game has no written rules yet.</p>"
    html = str(MarkdownIt("commonmark", {"html": False}).enable("table").render(file.read_text()))
    if game is not None:
        numbers = itertools.count()
        html = re.sub(r'<pre><code class="language-scene">.*?</code></pre>', lambda _: _figure(game, next(numbers)), html, flags=re.S)
    seen: set[str] = set()

    def anchor(match: re.Match[str]) -> str:
        number = match[1]
        if number in seen:
            return match[0]
        seen.add(number)
        return f'<strong id="{number}">{number}</strong>' if match[2] == "</strong>" else f'<strong id="{number}">{number}{match[2]}'

    html = re.sub(r"<strong>([RQ]\d+)(</strong>|\b)", anchor, html)
    return _contents(_folded(re.sub(r"<h1>.*?</h1>\s*", "", html, count=1)))


def _folded(html: str) -> str:
    """Fold each section under a `### Rulings` heading, up to the next heading of its level or above."""

    def fold(match: re.Match[str]) -> str:
        count = match[2].count('<strong id="Q')
        return f'<details class="rulings"><summary>{match[1]}{f" ({count})" if count else ""}</summary>{match[2]}</details>\n'

    return re.sub(r"<h3>(Rulings\b.*?)</h3>(.*?)(?=<h[1-3]>|\Z)", fold, html, flags=re.DOTALL)


def _figure(game: Game, number: int) -> Markup:
    """A picture in the rules; if it shows a move, a button plays it."""
    shown = pictures_of(game)[number]
    button = Markup('<button type="button" class="small" hidden>Show the move</button>') if shown.play else ""
    return Markup(
        '<figure class="shown" data-picture="/api/games/{0}/pictures/{1}">'
        '<picture><source media="(max-width:{4}px)" srcset="/rules/{0}/pictures/{1}.svg?narrow=1">'
        '<img src="/rules/{0}/pictures/{1}.svg" alt="" loading="lazy"></picture><figcaption>{2} {3}</figcaption></figure>'
    ).format(game.name, number, ruled(shown.caption, game.name), button, NARROW)


def _contents(html: str) -> str:
    """Add a table of contents if there are many headings."""
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
