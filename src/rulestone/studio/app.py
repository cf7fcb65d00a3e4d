"""`rulestone dev`: a server for one person on this machine, with the studio and everything an ordinary server has."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

from fastapi import FastAPI
from watchfiles import Change, awatch

from rulestone.server.app import announce, check_port, create_app, run
from rulestone.studio import api, looks
from rulestone.studio.background import Background
from rulestone.studio.bench import Bench, takes_part
from rulestone.studio.checks import Checker
from rulestone.studio.measuring import Measurer
from rulestone.studio.panels import panels

HOST = "127.0.0.1"
DEBOUNCE, STEP = 400, 40
"""Milliseconds: changes that follow each other within STEP belong together, for at most DEBOUNCE."""


def concerns(change: Change, path: str) -> bool:
    """Whether a change to a file can change the game."""
    return takes_part(Path(path))


def install(app: FastAPI, bench: Bench, background: bool) -> None:
    """Give a server the studio. With `background`, every version is checked and measured in the background."""
    app.state.bench, app.state.live, app.state.measurer = bench, api.Live(), Measurer(bench)
    works: list[Background] = [Checker(bench), app.state.measurer] if background else []
    app.include_router(api.router)
    for panel in panels():
        if panel.router is not None:
            app.include_router(panel.router)
    inner = app.router.lifespan_context

    @contextlib.asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        async with inner(app):
            app.state.live.loop = asyncio.get_running_loop()
            rooms = app.state.rooms

            def hear(what: str) -> None:
                if what == "version":
                    rooms.offer(bench.game, str(bench.versions[-1].folder))  # the bots' processes keep what they load from a folder
                more = looks.state(bench) if what == "checks" else app.state.measurer.data() if what == "measure" else {}
                app.state.live.tell(what, change=bench.changes, **more)

            bench.changed.append(hear)
            hear("version")
            watching = asyncio.create_task(watch(bench))
            for work in works:
                work.open()
            try:
                yield
            finally:
                watching.cancel()
                for work in works:
                    await asyncio.to_thread(work.close)
                bench.changed.remove(hear)

    app.router.lifespan_context = life


async def watch(bench: Bench) -> None:
    """Reload the game whenever one of its files is saved."""
    async for _ in awatch(bench.folder, watch_filter=concerns, debounce=DEBOUNCE, step=STEP):
        await asyncio.to_thread(bench.reload)


def studio(source: str | Path, database: str, background: bool = False) -> FastAPI:
    """The server with the studio, for a game by its name or folder; see `install`."""
    bench = Bench(source)
    app = create_app(database, pace=0, limits=0)
    install(app, bench, background)
    return app


def dev(source: str, port: int, open_browser: bool) -> None:
    """Serve the studio on this machine until stopped."""
    check_port(HOST, port)
    with tempfile.TemporaryDirectory() as folder:
        app = studio(source, f"sqlite:///{folder}/tables.db", background=True)
        bench: Bench = app.state.bench
        print(f"The files of {bench.game.title} are in {bench.folder}; every change shows in the browser as soon as you save.", flush=True)
        run(app, HOST, port, partial(announce, "The studio", f"http://localhost:{port}/studio", open_browser))
