"""The lab on the web: small studies with live results, and records of games to replay."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Coroutine, Iterable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Literal

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from pydantic import Field

from rulestone.game import Game
from rulestone.lab.count import counter_of
from rulestone.lab.findings import findings
from rulestone.lab.plan import Plan, make_plan
from rulestone.lab.run import Block, Results, blocks_of, empty, work
from rulestone.lab.summary import summarise
from rulestone.match import RecordError, replay
from rulestone.server.api import Body, Guest, Ids, LimitsNow, RoomsNow, game_data
from rulestone.server.pages import page
from rulestone.server.refusal import Refused
from rulestone.server.rooms import Rooms, new_id
from rulestone.server.storage import SeatRow, TableRow
from rulestone.server.thinking import end, helpers, quick

MOST_GAMES, MOST_LONG_GAMES, LONG = 100_000, 5_000, 200
"""The largest study on the web; smaller for games with more than LONG moves."""
WAITING, KEPT, LOOKED_AT = 4, 30, 200
IDLE = 60.0
"""Seconds to wait between compiling two games ahead of time."""
REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox allow-downloads; frame-ancestors 'none'"
router = APIRouter()


class NewStudy(Body):
    """A new study: what to play, and which option to vary (`vary`)."""

    game: str = Field(max_length=80)
    games: int = Field(ge=1, le=MOST_GAMES)
    bots: Literal["random", "greedy"] = "random"
    players: int | None = Field(None, ge=1, le=8)
    options: dict[str, int | str | list[int]] = Field(default_factory=dict, max_length=64)
    vary: str = Field("", max_length=60)


@dataclass
class Running:
    """A study and its state: waiting, preparing (compiling the rules), playing, done or failed."""

    guest: str
    plan: Plan
    results: Results
    blocks: list[Block]
    state: str = "waiting"
    text: str = ""
    stopped: bool = False
    since: float = field(default_factory=time.monotonic)
    report: str | None = None
    records: dict[str, dict[str, Any]] = field(default_factory=dict)

    def enter(self, state: str) -> None:
        """Enter a state now."""
        self.state, self.since = state, time.monotonic()


Rules = tuple[str, str]
"""What has to be compiled: a game and its kind of bots."""


class Labs:
    """All studies of this server. They run one at a time, in another process with low priority.

    Rules that may be needed soon are compiled ahead of time in a third process, which stops when a study needs the processor.
    """

    def __init__(self) -> None:
        self.studies: OrderedDict[str, Running] = OrderedDict()
        self.turn = asyncio.Lock()
        self.pool: ProcessPoolExecutor | None = None
        self.tasks: set[asyncio.Task[None]] = set()
        self.ready: set[Rules] = set()
        self.wanted: list[Rules] = []
        self.ahead: tuple[Rules, ProcessPoolExecutor, asyncio.Future[Any]] | None = None

    def add(self, guest: str, plan: Plan) -> str:
        """Queue a study. Each guest can have only one at a time."""
        busy = [study for study in self.studies.values() if study.state not in ("done", "failed")]
        if any(study.guest == guest for study in busy):
            raise Refused("busy", "Your last study is still running. Wait for it to finish, or stop it.", 429)
        if len(busy) >= WAITING:
            raise Refused("busy", "The lab is busy. Try again in a minute.", 429)
        id = new_id()
        self.studies[id] = Running(guest, plan, empty(plan), blocks_of(plan))
        while len(self.studies) > KEPT:
            self.studies.popitem(last=False)
        self._begin(self._run(id, self.studies[id]))
        return id

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _run(self, id: str, study: Running) -> None:
        async with self.turn:
            try:
                if counter_of(study.plan.game).game.mode == "compiled":
                    study.enter("preparing")
                    await self._prepare((study.plan.game, study.plan.cells[0].bots[0]))
                study.enter("playing")
                for block in study.blocks:
                    if study.stopped:
                        break
                    study.results.add(await self._elsewhere(work, study.plan, block, False))
                if study.results.done:
                    study.report, study.records = await self._elsewhere(report_of, study.plan, study.results, f"/studies/{id}/games")
                study.enter("done")
            except Exception as problem:
                study.text = str(problem)
                study.enter("failed")

    async def _prepare(self, rules: Rules) -> None:
        """Compile these rules, or wait if that is under way. Anything else being compiled ahead of time is stopped."""
        if self.ahead is not None:
            other, pool, future = self.ahead
            if other == rules:
                await asyncio.wait([future])
            else:
                self.ahead = None
                end(pool)
        await self._elsewhere(prepare, *rules)  # quick if already compiled
        self.ready.add(rules)

    def foresee(self, wishes: Iterable[Rules]) -> None:
        """Someone has opened the lab: compile the first of these now and the others later, while no study is running."""
        busy = bool(self.wanted)
        wishes = [rules for rules in wishes if rules not in self.ready]
        self.wanted = list(dict.fromkeys([*wishes[:1], *self.wanted, *wishes[1:]]))
        if self.wanted and not busy:
            self._begin(self._foresee())

    async def _foresee(self) -> None:
        while self.wanted:
            async with self.turn:
                rules = self.wanted[0]
            if rules not in self.ready:
                pool = helpers(1)
                try:
                    self.ahead = rules, pool, asyncio.get_running_loop().run_in_executor(pool, prepare, *rules)
                    await self.ahead[2]
                    self.ready.add(rules)
                except Exception:
                    if self.ahead is None:  # a study needed the processor
                        continue
                finally:
                    self.ahead = None
                    end(pool)
            self.wanted = [other for other in self.wanted if other != rules]
            if self.wanted:
                await asyncio.sleep(IDLE)

    async def _elsewhere(self, act: Any, *arguments: Any) -> Any:
        if self.pool is None:
            self.pool = helpers(1)
        try:
            return await asyncio.get_running_loop().run_in_executor(self.pool, act, *arguments)
        except BrokenProcessPool:
            self.pool = None
            raise

    def close(self) -> None:
        for task in self.tasks:
            task.cancel()
        for pool in (self.pool, self.ahead[1] if self.ahead else None):
            if pool is not None:
                end(pool)


def prepare(game: str, bots: str) -> None:
    """Compile what a study needs, by running the smallest possible one."""
    plan = make_plan(game, games=1, bots=bots)
    results = empty(plan)
    results.add(work(plan, ("games", 0), False))
    report_of(plan, results, "")


def report_of(plan: Plan, results: Results, games: str) -> tuple[str, dict[str, dict[str, Any]]]:
    """The report of a study and the records of the games it links to. Runs in the other process."""
    from rulestone.lab.examples import Album
    from rulestone.lab.report import html

    told, album = summarise(plan, results), Album(plan, results)
    return html({**told, "findings": findings(told)}, album, games), album.records


def labs_of(request: Request) -> Labs:
    state = request.app.state
    if not hasattr(state, "labs"):
        state.labs = Labs()
    labs: Labs = state.labs
    return labs


def _study(request: Request, id: str) -> Running:
    found = labs_of(request).studies.get(id)
    if found is None:
        raise Refused("no-such-study", "There is no such study. It may have expired.", 404)
    return found


def most_games(game: Game) -> int:
    return MOST_GAMES if game.about.longest <= LONG else MOST_LONG_GAMES


@router.get("/lab", include_in_schema=False)
async def lab(request: Request, rooms: RoomsNow, game: str = "") -> Response:
    chosen = rooms.game(game or next(iter(rooms.games)))
    names = {name: one.title for name, one in rooms.games.items()}
    greedy = chosen.greedy is not None
    others = [one for one in rooms.games.values() if one is not chosen]
    labs_of(request).foresee((rooms.sources[one.name], quick(one)) for one in (chosen, *others) if one.mode == "compiled")
    return page(request, "lab.html", game=game_data(chosen), games=names, most=most_games(chosen), greedy=greedy)


@router.post("/api/studies", status_code=201, tags=["lab"])
async def new_study(wish: NewStudy, request: Request, rooms: RoomsNow, guest: Guest, limits: LimitsNow) -> Ids:
    """Start a small study with random or greedy bots. `vary` names an option to compare."""
    limits.check("create", guest)
    game = rooms.game(wish.game)
    if wish.games > most_games(game):
        raise Refused(
            "too-many",
            f"At most {most_games(game):,} games of {game.title} can be played here. For more, use `rulestone lab` on the command line.",
            422,
        )
    if wish.vary and wish.vary not in game.options:
        raise Refused("bad-options", f"{game.title} has no option {wish.vary!r}.", 422)
    vary = {wish.vary: game.options[wish.vary].values()[:6]} if wish.vary else {}
    try:
        plan = make_plan(
            rooms.sources[game.name], games=wish.games, players=wish.players, bots=wish.bots, options=wish.options, vary=vary
        )  # fmt: skip
    except ValueError as problem:
        raise Refused("bad-options", str(problem), 422) from None
    return Ids(id=labs_of(request).add(guest, plan))


@router.get("/api/studies/{study}", tags=["lab"])
async def read_study(study: str, request: Request) -> dict[str, Any]:
    """Get the progress and the results of a study so far."""
    found = _study(request, study)
    state, done, now = found.state, len(found.results.done), deepcopy(found.results)  # more games are being added in the meantime
    told = await asyncio.to_thread(summarise, found.plan, now)
    played = told["cells"][0]["games"] > 0
    cells = [
        {"label": cell["label"], "games": cell["games"], "seats": cell["seats"], "decisions": cell["measures"]["decisions"]["mean"]}
        for cell in told["cells"]
    ]
    return {
        "state": state,
        "seconds": round(time.monotonic() - found.since),
        "stopped": found.stopped,
        "text": found.text,
        "done": done,
        "total": len(found.blocks),
        "cells": cells,
        "findings": findings(told) if played else [],
        "report": found.report is not None,
    }


@router.post("/api/studies/{study}/stop", status_code=204, tags=["lab"])
async def stop_study(study: str, request: Request, guest: Guest) -> None:
    """Stop a study. Its report covers the games played so far."""
    found = _study(request, study)
    if found.guest != guest:
        raise Refused("not-yours", "Only the person who started a study can stop it.", 403)
    found.stopped = True


@router.get("/api/studies/{study}/report", tags=["lab"])
async def read_report(study: str, request: Request) -> Response:
    """Get the report of a finished study, as one HTML page."""
    found = _study(request, study)
    if found.report is None:
        raise Refused("running", "There is no report: the study is still running, or was stopped before its first game.", 409)
    return HTMLResponse(found.report, headers={"Content-Security-Policy": REPORT_POLICY})


@router.get("/studies/{study}/games/{name}", include_in_schema=False)
async def example(study: str, name: str, request: Request, rooms: RoomsNow) -> Response:
    """Open a game from a report on the replay page. The browser keeps the move number after the #."""
    record = _study(request, study).records.get(name)
    if record is None:
        raise Refused("no-such-record", "There is no such game in this report.", 404)
    return RedirectResponse(f"/t/{await look_back(rooms, record, '')}/replay", 303)


# ---- records ------------------------------------------------------------------------------------------------------------


@router.post("/api/records", status_code=201, tags=["lab"])
async def open_record(record: dict[str, Any], rooms: RoomsNow, guest: Guest, limits: LimitsNow) -> Ids:
    """Open the record of a finished game as a replay at /t/ID/replay. It is kept in memory for a few hours."""
    limits.check("create", guest)
    if "laid" in record:
        raise Refused("laid", "This game starts from a custom position. Open it on your own computer with `rulestone replay FILE`.", 422)
    return Ids(id=await look_back(rooms, record, guest))


@router.get("/records/{name}", include_in_schema=False)
async def record_page(name: str, request: Request, rooms: RoomsNow) -> Response:
    """The record this server was started with (`rulestone replay`)."""
    records: dict[str, Any] = getattr(request.app.state, "records", {})
    if name not in records:
        raise Refused("no-such-record", "There is no such record.", 404)
    return RedirectResponse(f"/t/{await look_back(rooms, records[name], '')}/replay", 303)


async def look_back(rooms: Rooms, record: dict[str, Any], host: str) -> str:
    """Create a table that contains only the replay of a finished game; returns its id."""
    try:
        game = rooms.game(str(record.get("game")))
        match = await asyncio.to_thread(replay, record, game)
    except RecordError as problem:
        raise Refused("bad-record", str(problem), 422) from None
    if not match.over:
        raise Refused("running", "You can only replay finished games.", 422)
    seats = [SeatRow("bot", None, "", "random") for _ in range(match.players)]
    row = TableRow(
        id=new_id(), game=game.name, rules=game.version, players=match.players, options=match.options, seed=str(match.seed), name="",
        host=host, laid=record.get("laid"), status="over", seats=seats,
    )  # fmt: skip
    room = rooms.open(row, match, [])
    room.passing = True
    looked_at = [id for id, other in rooms.rooms.items() if other.passing]
    for id in looked_at[: max(0, len(looked_at) - LOOKED_AT)]:
        del rooms.rooms[id]
    rooms.rooms[row.id] = room
    return row.id
