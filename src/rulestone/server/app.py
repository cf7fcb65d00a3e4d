"""The web application: a single process that serves everything."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import gc
import os
import random
import socket
import sys
import tempfile
import threading
import webbrowser
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware

import rulestone
from rulestone.bots import make
from rulestone.game import Game, load, slip
from rulestone.games import built_in
from rulestone.server import api, assets, documents, labs, learning, pages, puzzles, reviews, sockets, thinking
from rulestone.server.refusal import Refused
from rulestone.server.rooms import Rooms
from rulestone.server.security import LOCAL, Guard, Guests, Limits
from rulestone.server.storage import Storage
from rulestone.table import Face
from rulestone.variant import join, split

REHEARSED = 12
"""How many positions of a user's own game are drawn as a check before the server starts."""


def default_database() -> str:
    """The database used by default: a file in the user's data folder."""
    home = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return f"sqlite:///{home / 'rulestone' / 'tables.db'}"


def create_app(
    database: str | None = None,
    *,
    games: Sequence[str | Path] = (),
    pace: float = 0.7,
    workers: int = 0,
    limits: bool = True,
    hosts: frozenset[str] | None = LOCAL,
    docs: Path | None = None,
) -> FastAPI:
    """The application.

    `pace` is the least time a bot takes for a move; `hosts` the names it answers to (None: any); `docs` a built documentation site.
    """

    @contextlib.asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        sys.setswitchinterval(0.001)  # so the thread that stores moves doesn't wait long for its turn
        storage, thinker = app.state.storage or await _open(app.state.database), thinking.Thinker(workers)
        app.state.storage = None
        app.state.guests = Guests(await storage.secret())
        app.state.rooms = Rooms(storage, thinker, games, pace)
        sweeper = asyncio.create_task(_sweep(app.state.rooms))
        try:
            yield
        finally:
            sweeper.cancel()
            app.state.rooms.close()
            thinker.close()
            for also in ("labs", "reviews"):
                if hasattr(app.state, also):
                    getattr(app.state, also).close()
            await storage.close()

    app = FastAPI(
        title="Rulestone", version=rulestone.__version__, lifespan=life, docs_url=None, redoc_url=None, openapi_url="/api/openapi.json"
    )
    app.state.limits, app.state.hosts, app.state.docs = Limits(limits), hosts, docs
    app.state.database, app.state.storage = database or default_database(), None
    app.include_router(api.router)
    app.include_router(sockets.router)
    app.include_router(pages.router)
    app.include_router(labs.router)
    app.include_router(learning.router)
    app.include_router(documents.router)
    app.include_router(reviews.router)
    app.include_router(puzzles.router)
    app.include_router(assets.router)
    app.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=6)
    app.add_middleware(Guard, limits=app.state.limits, hosts=hosts)
    app.add_exception_handler(Refused, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    return app


async def _sweep(rooms: Rooms) -> None:
    """Clean up when the server is quiet.

    A full run of Python's garbage collector stops everything while it visits every object: half a second with two thousand sockets.
    So full runs happen only here, when nobody has moved for two seconds, or after ten minutes at the latest. The small runs in between
    stay small: they visit only objects created since the last run, and a move creates hundreds.
    """
    gc.freeze()
    usual = gc.get_threshold()
    gc.set_threshold(1_000, 10, 1_000_000)
    waited = 0
    try:
        while True:
            await asyncio.sleep(15)
            rooms.sweep()
            waited += 15
            if rooms.quiet_for() > 2 or waited >= 600:
                gc.collect()
                waited = 0
    finally:
        gc.set_threshold(*usual)
        gc.unfreeze()


async def _refused(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, Refused)
    if request.url.path.startswith("/api/"):
        return JSONResponse({"code": problem.code, "text": problem.text}, problem.status)
    return pages.page(request, "sorry.html", problem.status, text=problem.text)


async def _invalid(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, RequestValidationError)
    first = problem.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if part != "body")
    return JSONResponse({"code": "not-understood", "text": f"{where}: {first['msg']}"}, 422)


async def _http(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, HTTPException)
    text = "There is no such page. Please check the address." if problem.status_code == 404 else str(problem.detail)
    return await _refused(request, Refused("http", text, problem.status_code))


def serve(
    host: str,
    port: int,
    database: str | None,
    *,
    games: Sequence[str | Path] = (),
    hosts: Sequence[str] = (),
    bots: Sequence[str] = (),
    pace: float = 0.7,
    docs: Path | None = None,
    open_browser: bool = False,
) -> None:
    """Run the server until it is stopped. Raises ValueError, with the reason in one sentence, if it can't start."""
    known = [load(game) for game in games]
    for own in known:
        own.try_out()
        _rehearse(own)
    for bot in bots:
        make(bot, (known or [load(built_in()[0])])[0])
    thinking.more_bots[:] = bots
    if docs is not None and not (docs / "index.html").is_file():
        raise ValueError(f"there is no documentation site in {str(docs)!r}; `make docs` builds one in build/site")
    _check_port(host, port)
    allowed = frozenset({*LOCAL, *hosts}) if host in LOCAL or hosts else None
    address = f"http://{hosts[0] if hosts else _address(host)}:{port}/"
    _run(create_app(database, games=games, pace=pace, hosts=allowed, docs=docs), host, port, "Rulestone", address, open_browser)


def _rehearse(game: Game) -> None:
    """Draw a few positions of a user's own game, so that a mistake in its scene.py is reported here and not at the table."""
    match, chance = game.new(1), random.Random(1)
    try:
        for _ in range(REHEARSED):
            Face.of(game).rehearse(match)
            if match.over:
                break
            match.play(chance.choice(match.legal()))
    except Exception as problem:
        raise ValueError(f"{game.name} cannot be shown: {slip(game, problem) or problem}") from problem


def _address(host: str) -> str:
    """The server's address for a browser. If it listens everywhere, this is its address in the local network, for sharing links."""
    if host in ("127.0.0.1", "::1"):
        return "localhost"
    if host not in ("0.0.0.0", "::"):
        return f"[{host}]" if ":" in host else host
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as trial:
            trial.connect(("192.0.2.1", 9))  # an example address: nothing is sent, but the system picks the outgoing interface
            return str(trial.getsockname()[0])
    except OSError:
        return "localhost"


def show(record: dict[str, Any], ply: int, port: int, open_browser: bool, game: str | None = None) -> None:
    """Serve one record until stopped, and open it in the browser at a move. `game` is the folder of a user's own game."""
    _check_port("127.0.0.1", port)
    with tempfile.TemporaryDirectory() as folder:
        name, changes = split(str(record["game"]))
        games = [join(game or name, changes)] if game or changes else []
        app = create_app(f"sqlite:///{folder}/tables.db", games=games)
        app.state.records = {"game": record}
        _run(app, "127.0.0.1", port, "The game", f"http://localhost:{port}/records/game#{ply}", open_browser)


def _check_port(host: str, port: int) -> None:
    try:
        family, kind, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(place)
    except OSError as problem:
        if problem.errno == errno.EADDRINUSE:
            raise ValueError(f"port {port} is already in use; choose another one with --port") from None
        raise ValueError(
            f"can't listen on {host}, port {port}: {problem.strerror}; choose another address with --host and --port"
        ) from None


async def _open(url: str) -> Storage:
    """Open the storage and bring it up to date. Raises ValueError, with the reason in one sentence, if that fails."""
    try:
        storage = Storage(url)
        try:
            await storage.open()
        except BaseException:
            await storage.close()
            raise
        return storage
    except Exception as problem:  # every database driver raises its own
        reason = str(getattr(problem, "orig", None) or problem).partition("\n")[0]
        raise ValueError(f"the database cannot be opened: {reason}; --db takes a URL like sqlite:////home/me/tables.db") from None


def _run(app: FastAPI, host: str, port: int, what: str, address: str, open_browser: bool) -> None:
    """Run an application until it is stopped. Prints its address once it has started."""
    import uvicorn

    from rulestone.server.wire import SETTINGS

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            app.state.storage = await _open(app.state.database)  # open it here, where a problem can be reported in one sentence
            await super().startup(sockets)
            if self.started:
                print(f"{what} is at {address}  (press Ctrl-C to stop)", flush=True)
                if open_browser:
                    threading.Thread(target=webbrowser.open, args=[address], daemon=True).start()

    server = Server(uvicorn.Config(app, host=host, port=port, **SETTINGS))
    with contextlib.suppress(KeyboardInterrupt):
        server.run()
    if not server.started:
        sys.exit(3)
