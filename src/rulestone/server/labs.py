"""The lab on the web: studies with live results, kept with the server; comparisons; and records of games to replay."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Coroutine, Iterable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from pydantic import AfterValidator, Field

from rulestone import variant
from rulestone.game import Game
from rulestone.lab.plan import title_of
from rulestone.lab.report import SCRIPT_HASH
from rulestone.server import knobs, studying
from rulestone.server.api import Body, Guest, Ids, RoomsNow, clean, game_data, limited
from rulestone.server.comparing import compared
from rulestone.server.constants import constants
from rulestone.server.knobs import NewStudy, most_games
from rulestone.server.pages import page
from rulestone.server.refusal import Refused
from rulestone.server.rooms import Rooms, new_id
from rulestone.server.storage import Storage, StudyRow
from rulestone.server.studying import kind_of
from rulestone.server.thinking import end, helpers, quick

WAITING = 4
KEPT, KEPT_IN_ALL = 30, 1_000
"""How many studies are kept for a person, and for everybody; the oldest ones are dropped."""
MOST_SECONDS, COMPILING, GRACE = 600.0, 600.0, 20.0
"""How long a study may play and compile; and how long a block may take to finish after that, or after "stop"."""
SLOWEST = 60.0
"""The most seconds that one game of every setting may take: results should come in all the time."""
CHECKING = 90.0
"""The most seconds that checking a study may take: a game with changed constants is tried out."""
A_GAME = 20.0
"""Seconds to compile a game with changed constants, roughly."""
BEAT, SILENT = 2.0, 30.0
"""How often a running study is stored, and after how many seconds without that it counts as interrupted."""
IDLE = 60.0
"""Seconds to wait between compiling two games ahead of time."""
REPORT_POLICY = (
    f"default-src 'none'; style-src 'unsafe-inline'; script-src '{SCRIPT_HASH}'; img-src data:; sandbox allow-downloads allow-scripts; "
    "frame-ancestors 'none'"
)
"""A report may run its own script and no other, and is no part of this site: a sandbox keeps it from cookies and pages."""
OVER = ("done", "failed")
INTERRUPTED = "The server was stopped while this study was running. Start it again."
router = APIRouter()
Rules = tuple[str, str]
"""What has to be compiled: a game and its kind of bots."""


class TooLong(Exception):
    """A piece of work has been stopped, because it took too long."""


@dataclass
class Running:
    """A study on its way: waiting, preparing (compiling the rules), playing, done or failed."""

    row: StudyRow
    source: str
    since: float = field(default_factory=time.monotonic)
    halt: asyncio.Event = field(default_factory=asyncio.Event)
    text: str = ""
    compiled: int = 0
    done: int = 0
    total: int = 0
    deadline: float = 0.0
    kept: bytes | None = None
    """A copy of the totals, to write the report from if the process has to be stopped."""

    def enter(self, state: str, seconds: float = 0.0) -> None:
        """Enter a state now, which may take so many seconds."""
        self.row.state, self.since = state, time.monotonic()
        self.deadline = self.since + seconds

    def progress(self) -> dict[str, Any]:
        """How far it is, and how many seconds are left, roughly."""
        seconds = time.monotonic() - self.since
        playing = self.row.state == "playing" and self.done
        left = min(seconds * (self.total - self.done) / self.done, self.deadline - time.monotonic()) if playing else None
        known = {"text": self.text, "compiled": self.compiled, "done": self.done, "total": self.total}
        return {**known, "seconds": round(seconds), "left": None if left is None else max(0, round(left))}


class Labs:
    """All studies of this server. They run one at a time, in another process with low priority.

    Rules that may be needed soon are compiled ahead of time in a third process, which stops when a study needs the processor. Studies with
    changed constants are checked, and paces are measured, in a fourth.
    """

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self.running: dict[str, Running] = {}
        self.turn = asyncio.Lock()
        self.pool: ProcessPoolExecutor | None = None
        self.desk: ProcessPoolExecutor | None = None
        self.desk_turn = asyncio.Lock()
        self.tasks: set[asyncio.Task[None]] = set()
        self.ready: set[Rules] = set()
        self.wanted: list[Rules] = []
        self.nudge = asyncio.Event()
        self.ahead: tuple[Rules, ProcessPoolExecutor, asyncio.Future[Any]] | None = None
        self.paces: dict[tuple[str, int, str], tuple[float, float]] = {}

    # ---- before it starts ------------------------------------------------------------------------------------------------

    async def check(self, source: str, asked: dict[str, Any], game: Game) -> list[dict[str, Any]]:
        """The settings of a study. Raises Refused if it is impossible."""
        plain = not asked["changes"] and set(asked["vary"]) <= {"players", "bots", *game.options}
        try:
            if plain:
                return await asyncio.to_thread(studying.checked, source, asked)
            cells: list[dict[str, Any]] = await self._at_desk(studying.checked, source, asked)
            return cells
        except ValueError as problem:
            raise Refused("bad-options", str(problem), 422) from None
        except (TooLong, BrokenProcessPool):
            raise Refused("bad-options", "The game can't be played with these values: trying it out took too long.", 422) from None

    async def estimate(self, source: str, asked: dict[str, Any], game: Game) -> dict[str, Any]:
        """How long a study will take: None until the rules are compiled."""
        cells = await self.check(source, asked, game)
        compiled = game.mode == "compiled"
        needed = list(dict.fromkeys((source, kind_of(bot)) for cell in cells for bot in cell["bots"]))
        made = {"settings": len(cells), "games": asked["games"] * len(cells), "most": round(MOST_SECONDS), "seconds": None, "compiling": 0}
        if compiled and not all(rules in self.ready for rules in needed):
            self.foresee(needed)
            return made
        for cell in cells:
            for bot in cell["bots"]:
                key = (source, cell["players"], kind_of(bot))
                if key not in self.paces:
                    self.paces[key] = await self._at_desk(studying.pace, *key)
        a_round = self.round_of(source, cells)
        variants = {cell["game"] for cell in cells if cell["game"]} if compiled else set()
        return {**made, "seconds": round(a_round * asked["games"], 1), "compiling": round(A_GAME * len(variants))}

    def round_of(self, source: str, cells: list[dict[str, Any]]) -> float:
        """The seconds of one game of every setting, as far as the paces of its bots are known. Raises Refused if that is too slow."""
        a_round = sum(self._effort(source, cell) for cell in cells)
        if a_round > SLOWEST:
            text = f"One game of every setting would take about {a_round:,.0f} seconds. Choose quicker bots or fewer settings"
            raise Refused("too-slow", f"{text}, or use `rulestone lab` on the command line.", 422)
        return a_round

    def _effort(self, source: str, cell: dict[str, Any]) -> float:
        """The seconds of a game: the mean of what it takes with each of the bots."""
        each = [studying.effort(bot, self.paces.get((source, cell["players"], kind_of(bot)), (0.0, 0.0))) for bot in cell["bots"]]
        return sum(each) / len(each)

    async def _affordable(self, study: Running) -> None:
        """Raise Refused if searching takes too long: the rules may not have been compiled when the study was asked for."""
        cells = study.row.told["cells"]
        keys = {(study.source, cell["players"], kind_of(bot)) for cell in cells for bot in cell["bots"] if kind_of(bot) == studying.SEARCH}
        for key in keys - self.paces.keys():
            self.paces[key] = await self._elsewhere(study, studying.pace, *key)
        self.round_of(study.source, cells)

    async def _at_desk(self, act: Any, *arguments: Any) -> Any:
        async with self.desk_turn:
            if self.desk is None:
                self.desk = helpers(1)
            work = asyncio.get_running_loop().run_in_executor(self.desk, act, *arguments)
            await asyncio.wait([work], timeout=CHECKING)
            if not work.done() or isinstance(work.exception(), BrokenProcessPool):
                desk, self.desk = self.desk, None
                end(desk)
                work.cancel()
                raise TooLong
            return work.result()

    async def add(self, guest: str, game: str, source: str, name: str, asked: dict[str, Any]) -> str:
        """Queue a study. Each guest can have only one at a time."""
        busy = await self.storage.busy_studies(time.time() - SILENT)
        if any(study.guest == guest for study in busy):
            raise Refused("busy", "Your last study is still running. Wait for it to finish, or stop it.", 429)
        if len(busy) >= WAITING:
            raise Refused("busy", "The lab is busy. Try again in a minute.", 429)
        row = StudyRow(new_id(), guest, game, name, asked, {})
        await self.storage.add_study(row, KEPT, KEPT_IN_ALL)
        self.running[row.id] = Running(row, source)
        self._begin(self._whole(self.running[row.id]))
        return row.id

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    # ---- the study -------------------------------------------------------------------------------------------------------

    async def _whole(self, study: Running) -> None:
        """A study from the queue to its report. It is stored all the time, for other servers at the same database and for later."""
        beat = asyncio.create_task(self._beat(study))
        report = None
        try:
            async with self.turn:
                report = await self._run(study)
            study.enter("done")
        except Exception as problem:
            study.text = str(problem) or type(problem).__name__
            study.enter("failed")
        finally:
            beat.cancel()
        await self._keep(study, report=report)
        del self.running[study.row.id]

    async def _beat(self, study: Running) -> None:
        while True:
            await asyncio.sleep(BEAT)
            try:
                kept = await self.storage.study(study.row.id)
                if (kept is None or kept.stopped) and not study.row.stopped:
                    study.row.stopped = True
                    study.halt.set()
                await self._keep(study)
            except Refused:  # the database is away; there is another try soon
                continue

    async def _keep(self, study: Running, **more: Any) -> None:
        row = study.row
        more |= {"stopped": True} if row.stopped else {}
        await self.storage.set_study(row.id, state=row.state, told={**row.told, **study.progress()}, **more)

    async def _run(self, study: Running) -> str | None:
        """Compile and play. Returns the report, if there is anything to report."""
        row = study.row
        study.enter("preparing", COMPILING)
        begun = await self._elsewhere(study, studying.begin, row.id, study.source, row.asked, None)
        row.told = begun["told"]
        changed = any(cell["changes"] for cell in row.told["cells"])
        try:
            await self._prepare(study, begun["rules"])
            if not study.halt.is_set():
                await self._affordable(study)
            if not study.halt.is_set():
                await self._play(study, begun["blocks"])
            study.deadline = time.monotonic() + MOST_SECONDS
            study.halt.clear()
            row.told, report = await self._elsewhere(study, studying.conclude, row.id, f"/studies/{row.id}/games")
            return report  # type: ignore[no-any-return]
        except TooLong:
            if not row.stopped:
                raise
            return None  # it was stopped while it was compiled
        finally:
            if changed and self.pool is not None:  # its games would stay in the memory of that process
                end(self.pool)
                self.pool = None

    async def _prepare(self, study: Running, rules: list[Rules]) -> None:
        """Compile what a study needs. Anything else being compiled ahead of time is stopped."""
        for one in rules:
            if study.halt.is_set():
                return
            if self.ahead is not None and self.ahead[0] == one:
                await asyncio.wait([self.ahead[2]])
            self._give_way()
            await self._elsewhere(study, studying.prepare, *one)  # quick if already compiled
            if not variant.split(one[0])[1]:
                self.ready.add(one)
            study.compiled += 1

    async def _play(self, study: Running, blocks: int) -> None:
        study.enter("playing", MOST_SECONDS)
        study.total = blocks
        try:
            for number in range(blocks):
                if study.halt.is_set() or time.monotonic() > study.deadline:
                    break
                told, kept = await self._elsewhere(study, studying.play, study.row.id, number)
                study.row.told, study.kept = told or study.row.told, kept or study.kept
                study.done = number + 1
        except TooLong:  # report what there is, in a new process
            if study.kept is None:
                raise
            study.halt.clear()
            study.deadline = time.monotonic() + MOST_SECONDS
            await self._elsewhere(study, studying.begin, study.row.id, study.source, study.row.asked, study.kept)
        if study.done < blocks and not study.row.stopped:
            study.row.stopped, study.text = True, f"It stopped after {MOST_SECONDS / 60:.0f} minutes, the most that a study may take here."

    def _give_way(self) -> None:
        """Stop compiling ahead of time: a study needs the processor."""
        if self.ahead is not None:
            pool, self.ahead = self.ahead[1], None
            end(pool)

    def foresee(self, wishes: Iterable[Rules]) -> None:
        """Someone has opened the lab: compile the first of these now and the others later, while no study is running."""
        busy = bool(self.wanted)
        wishes = [rules for rules in wishes if rules not in self.ready]
        if wishes and wishes[0] != next(iter(self.wanted), None):
            self.nudge.set()
        self.wanted = list(dict.fromkeys([*wishes[:1], *self.wanted, *wishes[1:]]))
        if self.wanted and not busy:
            self._begin(self._foresee())

    async def _foresee(self) -> None:
        while self.wanted:
            async with self.turn:
                rules = self.wanted[0]
            self.nudge.clear()
            if rules not in self.ready:
                pool = helpers(1)
                try:
                    self.ahead = rules, pool, asyncio.get_running_loop().run_in_executor(pool, studying.prepare, *rules)
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
                await asyncio.wait([asyncio.ensure_future(self.nudge.wait())], timeout=IDLE)

    async def _elsewhere(self, study: Running, act: Any, *arguments: Any) -> Any:
        """Do a piece of a study in the other process. Raises TooLong if it has to be stopped."""
        if self.pool is None:
            self.pool = helpers(1)
        work = asyncio.get_running_loop().run_in_executor(self.pool, act, *arguments)
        halt = asyncio.ensure_future(study.halt.wait())
        await asyncio.wait([work, halt], timeout=max(0.0, study.deadline - time.monotonic()), return_when=asyncio.FIRST_COMPLETED)
        halt.cancel()
        await asyncio.wait([work], timeout=GRACE)
        if not work.done():
            end(self.pool)
            self.pool = None
            work.add_done_callback(lambda future: future.cancelled() or future.exception())
            raise TooLong("This took too long, so it was stopped.")
        try:
            return work.result()
        except BrokenProcessPool:
            self.pool = None
            raise

    def now(self, row: StudyRow) -> StudyRow:
        """A stored study as it is now: this server knows more if it runs here; if nothing was heard of it for long, it was interrupted.

        It is over only when its report is stored, too.
        """
        running = self.running.get(row.id)
        if running is not None and running.row.state not in OVER:
            return replace(running.row, name=row.name, told={**running.row.told, **running.progress()})
        if row.state not in OVER and row.updated < time.time() - SILENT:
            return replace(row, state="failed", told={**row.told, "text": INTERRUPTED})
        return row

    def close(self) -> None:
        for task in self.tasks:
            task.cancel()
        for pool in (self.pool, self.desk, self.ahead[1] if self.ahead else None):
            if pool is not None:
                end(pool)


def labs_of(request: Request) -> Labs:
    state = request.app.state
    if not hasattr(state, "labs"):
        state.labs = Labs(state.rooms.storage)
    labs: Labs = state.labs
    return labs


async def _study(request: Request, id: str) -> StudyRow:
    """A study by its id."""
    labs = labs_of(request)
    found = await labs.storage.study(id[:24]) if "\0" not in id else None
    if found is None:
        raise Refused("no-such-study", "There is no such study. It may have been deleted.", 404)
    return labs.now(found)


async def _own_study(request: Request, id: str, guest: str, what: str) -> StudyRow:
    found = await _study(request, id)
    if found.guest != guest:
        raise Refused("not-yours", f"Only the person who started a study can {what} it.", 403)
    return found


# ---- pages --------------------------------------------------------------------------------------------------------------


def _lab(request: Request, rooms: Rooms, chosen: Game, study: StudyRow | None = None) -> Response:
    names = {name: one.title for name, one in rooms.games.items()}
    others = [one for one in rooms.games.values() if one is not chosen]
    labs_of(request).foresee((rooms.sources[one.name], quick(one)) for one in (chosen, *others) if one.mode == "compiled")
    shown: dict[str, Any] = {
        "constants": constants(chosen),
        "bots": knobs.bots_of(chosen),
        "usual_bot": quick(chosen),
        "most": most_games(chosen),
    }
    asked = json.dumps({**study.asked, "name": study.name}) if study else ""
    limits = {"factors": knobs.MOST_FACTORS, "values": knobs.MOST_VALUES, "minutes": round(MOST_SECONDS / 60)}
    return page(
        request, "lab.html", game=game_data(chosen), games=names, study=study.id if study else "", asked=asked, limits=limits, **shown
    )  # fmt: skip


@router.get("/lab", include_in_schema=False)
async def lab(request: Request, rooms: RoomsNow, game: str = "") -> Response:
    return _lab(request, rooms, rooms.game(game or next(iter(rooms.games))))


@router.get("/lab/compare", include_in_schema=False)
async def compare(request: Request, rooms: RoomsNow, a: str, b: str, ca: int = 0, cb: int = 0) -> Response:
    """Two studies side by side; `ca` and `cb` choose one of their settings."""
    first, second = await _study(request, a), await _study(request, b)
    made = compared(first, second, ca, cb, rooms.games[first.game].title if first.game in rooms.games else first.game)
    return page(request, "compare.html", **made)


@router.get("/lab/{study}", include_in_schema=False)
async def study_page(study: str, request: Request, rooms: RoomsNow) -> Response:
    """A study with its results, to read, share or change."""
    found = await _study(request, study)
    return _lab(request, rooms, rooms.game(found.game), found)


# ---- calls --------------------------------------------------------------------------------------------------------------


@router.post("/api/studies", status_code=201, tags=["lab"], dependencies=[limited("create")])
async def new_study(wish: NewStudy, request: Request, rooms: RoomsNow, guest: Guest) -> Ids:
    """Start a study. `vary` compares the values of one or two options, constants, `players` or `bots`; `changes` sets constants."""
    game, labs = rooms.game(wish.game), labs_of(request)
    asked = wish.asked(game)
    labs.round_of(rooms.sources[game.name], await labs.check(rooms.sources[game.name], asked, game))
    return Ids(id=await labs.add(guest, game.name, rooms.sources[game.name], wish.name, asked))


@router.post("/api/studies/estimate", tags=["lab"], dependencies=[limited("think")])
async def estimate(wish: NewStudy, request: Request, rooms: RoomsNow) -> dict[str, Any]:
    """Check a study without starting it, and estimate its seconds. They are null while the rules are being compiled: ask again."""
    game = rooms.game(wish.game)
    try:
        return await labs_of(request).estimate(rooms.sources[game.name], wish.asked(game), game)
    except TooLong:
        raise Refused("busy", "The lab is busy. Try again in a minute.", 429) from None


@router.get("/api/studies", tags=["lab"])
async def list_studies(request: Request, guest: Guest) -> list[dict[str, Any]]:
    """List your studies, newest first."""
    labs = labs_of(request)
    return [_listed(labs.now(row)) for row in await labs.storage.studies_of(guest)]


def _listed(row: StudyRow) -> dict[str, Any]:
    cells = row.told.get("cells", [])
    return {
        "id": row.id,
        "game": row.game,
        "title": row.told.get("title", row.game),
        "name": row.name,
        "made": row.made,
        "state": row.state,
        "settings": len(cells),
        "games": sum(cell["games"] for cell in cells),
        "bots": cells[0]["bots"] if cells else [],
        "factors": [title_of(row.told.get("words", {}), name) for name in row.told.get("factors", {})],
    }


@router.get("/api/studies/{study}", tags=["lab"])
async def read_study(study: str, request: Request) -> dict[str, Any]:
    """Get the progress and the results of a study so far."""
    found = await _study(request, study)
    mine = found.guest == request.app.state.guests.of(request.headers)
    told = {
        "text": "",
        "cells": [],
        "findings": [],
        "factors": {},
        "seconds": 0,
        "compiled": 0,
        "done": 0,
        "total": 0,
        "left": None,
        **found.told,
    }
    played = any(cell["games"] for cell in told["cells"])
    known = {"game": found.game, "name": found.name, "made": found.made, "asked": found.asked, "mine": mine}
    return {**told, **known, "state": found.state, "stopped": found.stopped, "report": found.state == "done" and played}


@router.post("/api/studies/{study}/stop", status_code=204, tags=["lab"])
async def stop_study(study: str, request: Request, guest: Guest) -> None:
    """Stop a study. Its report covers the games played so far."""
    found, labs = await _own_study(request, study, guest, "stop"), labs_of(request)
    if found.id in labs.running:
        labs.running[found.id].row.stopped = True
        labs.running[found.id].halt.set()
    if found.state not in OVER:
        await labs.storage.set_study(found.id, stopped=True)


class StudyName(Body):
    name: Annotated[str, Field(max_length=80), AfterValidator(clean)]


@router.put("/api/studies/{study}", status_code=204, tags=["lab"])
async def name_study(body: StudyName, study: str, request: Request, guest: Guest) -> None:
    """Give your study a name."""
    found, labs = await _own_study(request, study, guest, "rename"), labs_of(request)
    await labs.storage.name_study(found.id, body.name)


@router.delete("/api/studies/{study}", status_code=204, tags=["lab"])
async def drop_study(study: str, request: Request, guest: Guest) -> None:
    """Delete your study. Its link stops working."""
    found, labs = await _own_study(request, study, guest, "delete"), labs_of(request)
    if found.id in labs.running:
        labs.running[found.id].halt.set()
    await labs.storage.drop_study(found.id)


async def _packed(request: Request, study: str) -> dict[str, Any]:
    found = await _study(request, study)
    packed = await labs_of(request).storage.report_of(found.id)
    if packed is None:
        raise Refused("running", "There is no report: the study is still running, or was stopped before its first game.", 409)
    return await asyncio.to_thread(studying.unpack, packed)


@router.get("/api/studies/{study}/report", tags=["lab"])
async def read_report(study: str, request: Request) -> Response:
    """Get the report of a finished study, as one HTML page."""
    return HTMLResponse((await _packed(request, study))["report"], headers={"Content-Security-Policy": REPORT_POLICY})


@router.get("/studies/{study}/games/{name}", include_in_schema=False)
async def example(study: str, name: str, request: Request, rooms: RoomsNow) -> Response:
    """Open a game from a report on the replay page. The browser keeps the move number after the #.

    A game with changed constants is a file to download: `rulestone replay` opens it.
    """
    record = (await _packed(request, study))["records"].get(name)
    if record is None:
        raise Refused("no-such-record", "There is no such game in this report.", 404)
    if variant.split(str(record["game"]))[1]:
        return JSONResponse(record, headers={"Content-Disposition": 'attachment; filename="game.json"'})
    return RedirectResponse(f"/t/{await rooms.look_back(record, '')}/replay", 303)


# ---- records ------------------------------------------------------------------------------------------------------------


@router.post("/api/records", status_code=201, tags=["lab"], dependencies=[limited("create")])
async def open_record(record: dict[str, Any], rooms: RoomsNow, guest: Guest) -> Ids:
    """Open the record of a finished game as a replay at /t/ID/replay. It is kept in memory for a few hours."""
    if "laid" in record:
        raise Refused("laid", "This game starts from a custom position. Open it on your own computer with `rulestone replay FILE`.", 422)
    return Ids(id=await rooms.look_back(record, guest))


@router.get("/records/{name}", include_in_schema=False)
async def record_page(name: str, request: Request, rooms: RoomsNow) -> Response:
    """The record this server was started with (`rulestone replay`)."""
    records: dict[str, Any] = getattr(request.app.state, "records", {})
    if name not in records:
        raise Refused("no-such-record", "There is no such record.", 404)
    return RedirectResponse(f"/t/{await rooms.look_back(records[name], '')}/replay", 303)
