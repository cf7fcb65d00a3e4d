"""The web application: a single process that serves everything."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import hashlib
import os
import random
import socket
import sys
import tempfile
import threading
import webbrowser
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from sqlalchemy.engine import make_url
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware

import rulestone
from rulestone.bots import make
from rulestone.game import Game, load, slip
from rulestone.games import built_in
from rulestone.server import (
    answers,
    api,
    assets,
    devices,
    documents,
    export,
    garbage,
    health,
    install,
    labs,
    learning,
    metrics,
    pages,
    push,
    puzzles,
    retention,
    reviews,
    security,
    sharing,
    sockets,
    thinking,
)
from rulestone.server.bus import Alone, Redis, connect
from rulestone.server.drain import Drain, Server
from rulestone.server.far import Far
from rulestone.server.far import run as think
from rulestone.server.limits import Limits, Shared
from rulestone.server.refusal import Away, Refused
from rulestone.server.rooms import LOOK, Rooms
from rulestone.server.security import LOCAL, Guard, Guests
from rulestone.server.storage import Storage
from rulestone.server.stored import OtherRules
from rulestone.server.talk import Manners
from rulestone.server.workers import LAST, Fleet, Work, check, listening, supervise
from rulestone.table import Face
from rulestone.variant import join, split

OFTEN = 3.0
"""Every so many seconds a server looks whether other servers have changed its tables without word of it."""
REHEARSED = 12
"""How many positions of a user's own game are drawn as a check before the server starts."""


def default_database() -> str:
    """The database used by default: a file in the user's data folder."""
    home = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return f"sqlite:///{home / 'rulestone' / 'tables.db'}"


@dataclass(frozen=True)
class Extras:
    """What an operator decides: a key for push messages, the sites that may show replays (CSP sources; none: no site may), manners,
    how generous the limits are, and the addresses or networks of proxies (one on this machine needn't be named).

    `drain` is how many seconds the server keeps serving after it was asked to stop, while `/readyz` is already red.
    """

    push: push.PushKey | None = None
    embed: Sequence[str] = ()
    manners: Manners = field(default_factory=Manners)
    drain: float = 0.0
    limits: float = 1
    proxies: Sequence[str] = ()
    keep: retention.Keep = field(default_factory=retention.Keep)
    fleet: Fleet = field(default_factory=Fleet)


def default_reports(database: str) -> Path:
    """The file for reports by default: beside the database if that is a file, otherwise in the user's data folder."""
    url = make_url(database)
    file = url.database if url.drivername.startswith("sqlite") and url.database not in (None, "", ":memory:") else None
    return Path(file or make_url(default_database()).database or "").parent / "reports.jsonl"


def create_app(
    database: str | None = None,
    *,
    games: Sequence[str | Path] = (),
    pace: float = 0.7,
    workers: int = 0,
    limits: float = 1,
    hosts: frozenset[str] | None = LOCAL,
    docs: Path | None = None,
    extras: Extras | None = None,
    redis: str | None = None,
) -> FastAPI:
    """The application.

    `pace` is the least time a bot takes for a move; `limits` how generous its limits are (0: there are none); `hosts` the names it
    answers to (None: any); `docs` a built documentation site; `redis` the Redis through which servers of one database hear of each other.
    """
    extras = extras or Extras()
    manners = extras.manners

    @contextlib.asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        sys.setswitchinterval(0.001)  # so the thread that stores moves doesn't wait long for its turn
        storage, app.state.storage = app.state.storage or await _open(app.state.database), None
        thinker = Far(redis, workers) if redis else thinking.Thinker(workers)
        manners.reports = manners.reports or default_reports(app.state.database)
        secret = await storage.secret()
        tag, bus, shared = hashlib.sha256(secret.encode()).hexdigest()[:8], Alone(), None
        if redis:
            bus, shared = Redis(redis, tag), Shared(redis, tag, app.state.limits.here)
            app.state.limits.counts = shared
        app.state.guests = Guests(secret, await storage.whose_devices(), await storage.undated_until())
        app.state.rooms = Rooms(storage, thinker, games, pace, manners, bus)
        app.state.rooms.signed_out = partial(_look_up, app)
        app.state.rooms.herald = push.Herald(storage, extras.push) if extras.push else None
        await bus.open(app.state.rooms.hear)
        await thinker.open()
        closing = asyncio.Event()
        sweeper = asyncio.create_task(_sweep(app.state.rooms, app.state.guests, closing))
        tasks = [asyncio.create_task(metrics.Pulse(app.state.rooms.rooms).beat()), asyncio.create_task(garbage.visit_often())]
        if extras.keep:
            tasks.append(asyncio.create_task(retention.daily(storage.writing, extras.keep, lambda: app.state.rooms.rooms)))
        app.state.readiness.checks["storage"] = health.storage_check(storage)
        if redis:
            app.state.readiness.checks["redis"] = health.bus_check(bus)
        try:
            yield
        finally:
            closing.set()
            for task in tasks:
                task.cancel()
            await sweeper
            await bus.close()
            app.state.rooms.close()
            thinker.close()
            await thinker.hang_up()
            if shared is not None:
                await shared.close()
            for also in ("labs", "reviews"):
                if hasattr(app.state, also):
                    getattr(app.state, also).close()
            await storage.close()

    app = FastAPI(
        title="Rulestone", version=rulestone.__version__, lifespan=life, docs_url=None, redoc_url=None, openapi_url="/api/openapi.json"
    )
    app.state.limits, app.state.hosts, app.state.docs = Limits(limits), hosts, docs
    app.state.drain = Drain(extras.drain)
    app.state.readiness = health.Readiness(lambda: app.state.drain.on)
    app.state.proxies = security.proxies(extras.proxies)
    app.state.embed, app.state.films = sharing.checked(extras.embed), OrderedDict()
    app.state.database, app.state.storage = database or default_database(), None
    app.include_router(api.router)
    app.include_router(devices.router)
    app.include_router(devices.site)
    app.include_router(export.router)
    app.include_router(push.router)
    app.include_router(install.router)
    app.include_router(sharing.api)
    app.include_router(sharing.router)
    app.include_router(pages.router)
    app.include_router(labs.router)
    app.include_router(learning.router)
    app.include_router(documents.router)
    app.include_router(reviews.router)
    app.include_router(puzzles.router)
    app.include_router(assets.router)
    app.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=6)
    app.add_middleware(Guard, limits=app.state.limits, hosts=hosts, refuse=_refused)
    app.add_middleware(sockets.Sockets)
    app.add_middleware(health.Doors, state=app.state)
    app.openapi = partial(answers.describe, app)  # type: ignore[method-assign]
    app.add_exception_handler(Refused, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    return app


def _look_up(app: FastAPI, device: str) -> None:
    """Another server has linked or signed out a device: look up whose it is."""

    async def look() -> None:
        with contextlib.suppress(Away):
            app.state.guests.devices = await app.state.rooms.storage.whose_devices()

    app.state.looking_up = asyncio.create_task(look())


async def _sweep(rooms: Rooms, guests: Guests, closing: asyncio.Event) -> None:
    """Wake tables where time is up, see which devices other servers have linked, and clean up when the server is quiet."""
    keeper = garbage.Keeper()
    with keeper.at_work():
        while not closing.is_set():
            with contextlib.suppress(Away):
                await rooms.wake()
                if rooms.unsure:
                    guests.devices = await rooms.storage.whose_devices()
            for _ in range(max(1, round(LOOK / OFTEN))):
                with contextlib.suppress(Away):
                    await rooms.look_after()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(closing.wait(), min(LOOK, OFTEN))
                    break
            rooms.sweep()
            keeper.tidy(rooms.quiet_for(), LOOK)


async def _refused(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, Refused)
    metrics.refused(problem.code)
    if request.url.path.startswith("/api/"):
        return problem.answer()
    kept = problem if isinstance(problem, OtherRules) and problem.over else None
    shown = pages.page(request, "sorry.html", problem.status, text=problem.text, table=kept and kept.row)
    if problem.wait is not None:
        shown.headers["Retry-After"] = str(problem.wait)
    return shown


async def _invalid(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, RequestValidationError)
    metrics.refused("not-understood")
    first = problem.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if part != "body")
    return JSONResponse({"code": "not-understood", "text": f"{where}: {first['msg']}"}, 422)


async def _http(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, HTTPException)
    if isinstance(problem.__cause__, Refused):  # found out while the body was read
        return await _refused(request, problem.__cause__)
    if problem.status_code == 400:
        return await _refused(request, Refused("not-understood", "This body can't be read. Please send JSON in UTF-8.", 422))
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
    extras: Extras | None = None,
    open_browser: bool = False,
) -> None:
    """Run the server until it is stopped. Raises ValueError, with the reason in one sentence, if it can't start."""
    database, extras = database or default_database(), extras or Extras()
    redis, workers, prepare = extras.fleet.redis, extras.fleet.workers, extras.fleet.prepare
    check(workers, database, redis)
    if redis:
        connect(redis)
    known = [load(game) for game in games]
    for own in known:
        own.try_out()
        _rehearse(own)
    for bot in bots:
        make(bot, (known or [load(built_in()[0])])[0])
    thinking.more_bots[:] = bots
    if docs is not None and not (docs / "index.html").is_file():
        raise ValueError(f"there is no documentation site in {str(docs)!r}; `make docs` builds one in build/site")
    check_port(host, port)
    allowed = frozenset({*LOCAL, *hosts}) if host in LOCAL or hosts else None
    address = _public(host, port, hosts, extras.proxies)
    given: dict[str, Any] = {
        "games": games,
        "pace": pace,
        "limits": extras.limits,
        "hosts": allowed,
        "docs": docs,
        "extras": extras,
        "redis": redis,
    }
    if workers == 1:
        run(create_app(database, **given), host, port, partial(announce, "Rulestone", address, open_browser))
        return
    assert redis is not None

    async def upgrade() -> None:
        await (await _open(database)).close()

    asyncio.run(upgrade())  # once for all, and here, where a problem can be reported in one sentence
    works: list[Work] = [partial(_work, prepare, database, given, host, port, tuple(bots))] * workers
    if extras.fleet.thinkers != 0:
        works.append(partial(_think, prepare, redis, extras.fleet.thinkers or 0, games, bots))
    with metrics.shared(), contextlib.closing(listening(host, port)):  # keeps the port while a worker is replaced
        supervise(works, partial(announce, "Rulestone", address, open_browser), LAST + extras.drain)


def _think(prepare: Callable[[], object], redis: str, workers: int, games: Sequence[Any], bots: Sequence[str], ready: Any) -> None:
    """The thinker beside several workers."""
    prepare()
    think(redis, workers, games, bots, ready)


def _work(
    prepare: Callable[[], object], database: str, given: dict[str, Any], host: str, port: int, bots: Sequence[str], ready: Any
) -> None:
    """One of several workers. The system spreads connections over their sockets."""
    prepare()
    thinking.more_bots[:] = bots
    serving = create_app(database, workers=1, **given)
    run(serving, host, port, ready=ready, sockets=[listening(host, port)])


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


def _public(host: str, port: int, hosts: Sequence[str], proxies: Sequence[str] = ()) -> str:
    """The server's address for people. A server with a name of its own that only this machine or a proxy can reach is behind one."""
    proxied = host in LOCAL or proxies or "FORWARDED_ALLOW_IPS" in os.environ
    if hosts and hosts[0] not in LOCAL and proxied:
        return f"https://{hosts[0]}/"
    return f"http://{hosts[0] if hosts else _address(host)}:{port}/"


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
    check_port("127.0.0.1", port)
    with tempfile.TemporaryDirectory() as folder:
        name, changes = split(str(record["game"]))
        games = [join(game or name, changes)] if game or changes else []
        app = create_app(f"sqlite:///{folder}/tables.db", games=games)
        app.state.records = {"game": record}
        address = f"http://localhost:{port}/records/game#{ply}"
        run(app, "127.0.0.1", port, partial(announce, "The game", address, open_browser))


def check_port(host: str, port: int) -> None:
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


def announce(what: str, address: str, open_browser: bool) -> None:
    print(f"{what} is at {address}  (press Ctrl-C to stop)", flush=True)
    if open_browser:
        threading.Thread(target=webbrowser.open, args=[address], daemon=True).start()


def run(app: FastAPI, host: str, port: int, ready: Callable[[], None], sockets: list[socket.socket] | None = None) -> None:
    """Run an application until it is stopped. Calls `ready` once it has started."""
    import uvicorn

    from rulestone.server.wire import SETTINGS

    class Announced(Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            app.state.storage = await _open(app.state.database)  # open it here, where a problem can be reported in one sentence
            await super().startup(sockets)
            if self.started:
                ready()

    config = uvicorn.Config(app, host=host, port=port, forwarded_allow_ips=app.state.proxies, log_config=None, **SETTINGS)
    server = Announced(app, config)
    server.run(sockets)
    if not server.started:
        sys.exit(3)
