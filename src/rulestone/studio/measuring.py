"""What did that change do? A thousand games of two versions of a game, with the same deals, side by side.

After each save the version at the table is measured against the last one that plays otherwise. A slider makes a variant of it, which is
measured against the version itself; only `keep` writes its numbers into the files.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Annotated, Any, ClassVar

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse, Response
from pydantic import Field

from rulestone import variant
from rulestone.game import Game, misread
from rulestone.helper import settle_in
from rulestone.lab.count import counter_of
from rulestone.lab.examples import Album
from rulestone.lab.findings import effect_text, findings, never_seen, never_text, share_text, within
from rulestone.lab.plan import Cell, Plan
from rulestone.lab.report import html
from rulestone.lab.run import Results, blocks_of, empty, work
from rulestone.lab.summary import summarise
from rulestone.server.api import Body
from rulestone.server.constants import constants
from rulestone.server.labs import REPORT_POLICY
from rulestone.server.refusal import Refused
from rulestone.server.thinking import quick
from rulestone.studio.background import Background, send
from rulestone.studio.bench import Bench, Version

GAMES = 1_000
PATIENT = 10
"""The niceness of these games: the table comes first, the checks later."""
TELL = 0.5
"""Seconds between two looks at what was found so far."""


@dataclass(frozen=True)
class Asked:
    """What to compare: two games by name or folder, what makes the difference with its value on each side, and how they are played."""

    games: tuple[str, str]
    factor: str
    values: tuple[Any, Any]
    players: int
    options: Mapping[str, Any]
    number: int
    """How many games of each."""

    def plan(self) -> Plan:
        """The study. Raises ValueError if the two can't be compared."""
        first, second = (self._cell(name, value) for name, value in zip(self.games, self.values, strict=True))
        if first.players != second.players:
            raise ValueError(f"{first.players} players can't be compared with {second.players}")
        return Plan(self.games[0], (first, second), self.number, 1, {self.factor: self.values})

    def _cell(self, name: str, value: Any) -> Cell:
        game = counter_of(name).game
        players = self.players if game.min_players <= self.players <= game.max_players else game.about.usual_players
        options = _options(game, players, {name: one for name, one in self.options.items() if name in game.options})
        return Cell({self.factor: value}, players, (quick(game),) * players, options, name)


def _options(game: Game, players: int, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of the game at the table, as far as this version has them."""
    try:
        return game.option_values(game.prepared(players, options)[0])
    except ValueError:  # a value isn't possible any more
        return game.option_values(game.prepared(players, None)[0])


def measure(asked: Asked, out: Connection) -> None:
    """Play both versions; send what is found so far."""
    settle_in(PATIENT)
    for told in measured(asked):
        send(out, told)


def measured(asked: Asked) -> Iterator[dict[str, Any]]:
    """Play both versions; yield what is found so far, in the end with the lab's report."""
    yield {"state": "compiling"}
    try:
        plan = asked.plan()
        results, told = empty(plan), time.monotonic()
        for block in blocks_of(plan):
            results.add(work(plan, block, False))
            if time.monotonic() > told + TELL:
                yield {"state": "playing", **found(plan, results)}
                told = time.monotonic()
        summary = summarise(plan, results)
        report = html({**summary, "findings": findings(summary)}, Album(plan, results))
        yield {"state": "done", **found(plan, results), "report": report}
    except Exception as problem:
        yield {"state": "failed", "text": misread(problem) or str(problem) or type(problem).__name__}


def found(plan: Plan, results: Results) -> dict[str, Any]:
    """What the panel shows: wins, length and the game's own measures on both sides with their difference, and what never happens."""
    told = summarise(plan, results)
    cells = told["cells"]
    return {
        "games": cells[0]["games"],
        "rows": [
            {
                "name": effect["label"],
                "sides": [_side(cell, effect) for cell in cells],
                "difference": effect_text(effect),
                "clear": effect["settled"],
            }
            for effect in told["effects"]
        ],
        "never": [[never_text(thing) for thing in never_seen(cell)] for cell in cells],
    }


def _side(cell: Mapping[str, Any], effect: Mapping[str, Any]) -> str:
    """A quantity in one of the two versions, with its interval."""
    if effect["wins"]:
        return share_text(cell["seats"][int(effect["on"].partition("_")[2] or 0)])
    one = cell["measures"][effect["on"]]
    return share_text(one) if effect["share"] else within(one["mean"], one["low"], one["high"])


class Measurer(Background):
    """Measures what the last change did."""

    interrupted: ClassVar = {"state": "failed", "text": "The games were interrupted: their process has ended."}

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        self.changes: dict[str, Any] = {}
        """The constants that sliders have set."""
        self.against = 0
        """The number of the version to compare with; 0: the last one that plays otherwise."""
        self.asked: Asked | None = None
        self.state: dict[str, Any] = {"state": "nothing"}
        self.report = ""
        self.constants = constants(bench.game)

    # ---- what to compare --------------------------------------------------------------------------------------------

    def others(self) -> list[Version]:
        """The versions to compare with: the latest of each that plays otherwise than the one at the table."""
        *before, now = self.bench.versions
        latest = {version.plays: version for version in before if version.plays != now.plays}
        return sorted(latest.values(), key=lambda version: version.number)

    def wish(self) -> Asked | None:
        """What to compare now; None if nothing has changed."""
        with self.bench.lock:
            now, others, start = self.bench.versions[-1], self.others(), self.bench.line.start
            how = (start.players, dict(start.options), GAMES)
            if self.changes:
                (name, value), *more = self.changes.items()
                usual = {one["name"]: one["value"] for one in self.constants}
                after = variant.join(str(now.folder), self.changes)
                if more:
                    return Asked((str(now.folder), after), "numbers", ("as they are", _listed(self.changes)), *how)
                return Asked((str(now.folder), after), name, (usual[name], value), *how)
            before = next((one for one in others if one.number == self.against), others[-1] if others else None)
            if before is None:
                return None
            return Asked((str(before.folder), str(now.folder)), "version", (before.number, now.number), *how)

    def vary(self, changes: Mapping[str, Any], against: int) -> None:
        """Set sliders, or choose the version to compare with."""
        with self.bench.lock:
            known = {one["name"]: one["value"] for one in self.constants}
            if unknown := [name for name in changes if name not in known]:
                raise Refused("bad-options", f"There is no constant {unknown[0]!r} that can be changed here.", 422)
            self.changes = {name: value for name, value in changes.items() if value != known[name]}
            self.against = against
            self.wanted.set()

    def keep(self) -> None:
        """Write the numbers of the sliders into the files. Raises BadChange or SyntaxError if they can't be found there."""
        folder = self.bench.folder
        for file, text in variant.change(folder, self.changes)[0].items():
            ending = "\r\n" if b"\r\n" in (folder / file).read_bytes() else "\n"
            variant.write(folder / file, text.replace("\n", ending).encode())

    # ---- in the background ------------------------------------------------------------------------------------------

    def hear(self, what: str) -> None:
        """Measure each new version. What is now in the files is no variant any more."""
        if what == "version":
            self.constants = constants(self.bench.game)
            usual = {one["name"]: one["value"] for one in self.constants}
            self.changes = {name: value for name, value in self.changes.items() if name in usual and usual[name] != value}
        super().hear(what)

    def work(self) -> tuple[Callable[..., None], tuple[Any, ...]] | None:
        wish = self.wish()
        if wish == self.asked and self.state["state"] in ("nothing", "done"):
            return None
        self.asked, self.report = wish, ""
        self._show({"state": "nothing" if wish is None else "waiting"})
        return None if wish is None else (measure, (wish,))

    def tell(self, told: Any) -> bool:
        self.report = told.pop("report", "")
        folders = sorted({version.folder for version in self.bench.versions}, key=str)
        for folder in folders:
            told = {name: _home(value, folder, self.bench.folder) for name, value in told.items()}
        self._show(told)
        return told["state"] in ("done", "failed")

    def _show(self, state: dict[str, Any]) -> None:
        self.state = state
        self.bench.tell("measure")

    def data(self) -> dict[str, Any]:
        """What the panel shows."""
        values = () if self.asked is None else self.asked.values
        sides = [f"{self.asked.factor} {value}" for value in values] if self.asked is not None else []
        return {
            **self.state,
            "sides": sides,
            "constants": self.constants,
            "changes": self.changes,
            "versions": [version.number for version in self.others()],
            "against": self.against,
        }


def _home(value: Any, copy: Path, folder: Path) -> Any:
    """A text in which a file of a version's copy is named as in the designer's folder."""
    return value.replace(str(copy), str(folder)) if isinstance(value, str) else value


def _listed(changes: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in changes.items())


# ---- calls --------------------------------------------------------------------------------------------------------------

router = APIRouter(include_in_schema=False)


def the_measurer(request: Request) -> Measurer:
    """What measures on this server."""
    measurer: Measurer = request.app.state.measurer
    return measurer


MeasurerNow = Annotated[Measurer, Depends(the_measurer)]


class Vary(Body):
    changes: dict[str, int | float] = Field(default_factory=dict, description="constants of the variant; none: the version itself")
    against: int = Field(0, description="the version to compare with; 0: the last one that plays otherwise")


@router.get("/api/studio/measure")
def read(measurer: MeasurerNow) -> dict[str, Any]:
    """What was found so far, and the sliders."""
    return measurer.data()


@router.post("/api/studio/measure")
def vary(body: Vary, measurer: MeasurerNow) -> dict[str, Any]:
    """Move sliders, or compare with another version."""
    measurer.vary(body.changes, body.against)
    return measurer.data()


@router.post("/api/studio/keep")
def keep(measurer: MeasurerNow) -> dict[str, Any]:
    """Write the sliders' numbers into the files."""
    try:
        measurer.keep()
    except (variant.BadChange, SyntaxError, OSError) as problem:
        raise Refused("bad-options", misread(problem) or str(problem), 422) from None
    return measurer.data()


@router.get("/studio/report")
def report(measurer: MeasurerNow) -> Response:
    """The lab's report of this comparison."""
    if not measurer.report:
        raise Refused("running", "There is no report yet: the games are still being played.", 409)
    return HTMLResponse(measurer.report, headers={"Content-Security-Policy": REPORT_POLICY})
