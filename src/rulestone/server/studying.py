"""What the lab does in processes of its own: check a study, measure its pace, play it and write its report.

Guests can change constants, so their games are never loaded in the server itself. A process plays one study at a time.
"""

from __future__ import annotations

import base64
import json
import pickle
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rulestone import variant
from rulestone.bots import LEVELS
from rulestone.lab.count import counter_of
from rulestone.lab.findings import event_words, findings
from rulestone.lab.plan import FAST, Plan, make_plan
from rulestone.lab.run import Results, blocks_of, empty, work
from rulestone.lab.summary import summarise
from rulestone.lab.weigh import CHECKED, EVERY, LONGER, RIVALS, SIMULATIONS

SEARCH = "mcts:4"
"""The bot whose search is compiled: all bots that search share it."""
TRIED = "mcts:50"
"""The bot that measures how fast a game is searched."""
PACE_SECONDS, PACE_GAMES = 0.3, 4096
"""When a pace is measured well enough: after this processor time, or these games."""
TELL, KEEP = 0.5, 3.0
"""Seconds between two summaries of a study that is being played, and between two copies of its totals."""


def kind_of(bot: str) -> str:
    """What has to be compiled for a bot.

    >>> kind_of("greedy"), kind_of("level:3"), kind_of("mcts:500")
    ('greedy', 'mcts:4', 'mcts:4')
    """
    return bot if bot in FAST else SEARCH


# ---- before it starts ---------------------------------------------------------------------------------------------------


def checked(source: str, asked: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The settings of a study: players, bots, and the game's name if its constants are changed. Raises ValueError if it is impossible."""
    plan = make_plan(source, **asked)
    return [
        {"players": cell.players, "bots": list(cell.bots), "game": name if variant.split(name := plan.game_of(cell))[1] else ""}
        for cell in plan.cells
    ]


def prepare(game: str, bots: str) -> None:
    """Compile what a study needs, by running the smallest possible one."""
    plan = make_plan(game, games=1, bots=bots)
    results = empty(plan)
    results.add(work(plan, ("games", 0), False))
    report_of(plan, results, "")


def pace(source: str, players: int, kind: str) -> tuple[float, float]:
    """Measure a game: its seconds of processor time, after a first one that loads everything; and the number of its decisions."""
    bots, games = (TRIED if kind == SEARCH else kind), 1
    work(make_plan(source, games=1, players=players, bots=bots), ("games", 0), False)
    while True:
        plan = make_plan(source, games=games, players=players, bots=bots)
        results, start = empty(plan), time.process_time()
        for block in blocks_of(plan):
            results.add(work(plan, block, False))
        spent = time.process_time() - start
        if spent >= PACE_SECONDS or games >= PACE_GAMES:
            return spent / games, float(summarise(plan, results)["cells"][0]["measures"]["decisions"]["mean"])
        games *= 4


def effort(bot: str, measured: tuple[float, float]) -> float:
    """The seconds of a game with this bot in all seats, from the pace of its kind. A level thinks for a fixed time at most.

    >>> effort("greedy", (0.001, 30)), effort("mcts:50", (0.1, 30)), effort("level:5", (0.1, 30)) > 30
    (0.001, 0.1, True)
    """
    seconds, decisions = measured
    kind, _, budget = bot.partition(":")
    if not budget:
        return seconds
    weighing = (SIMULATIONS * (2 + len(RIVALS)) + int(LONGER.partition(":")[2]) / CHECKED) / EVERY  # a decision in the lab, on average
    a_simulation = seconds / (int(TRIED.partition(":")[2]) + weighing)
    if kind == "level":
        level = LEVELS[int(budget)]
        return a_simulation * weighing + decisions * level.seconds * (1 - level.slip)
    return a_simulation * (int(budget) + weighing)


# ---- the study ----------------------------------------------------------------------------------------------------------


@dataclass
class Now:
    """The study that this process is playing."""

    plan: Plan
    results: Results
    told: float = 0.0
    kept: float = 0.0


_now: dict[str, Now] = {}


def begin(id: str, source: str, asked: Mapping[str, Any], kept: bytes | None) -> dict[str, Any]:
    """Begin a study, or go on from a copy of its totals. Returns what has to be compiled and the number of blocks."""
    plan = make_plan(source, **asked)
    results = pickle.loads(kept) if kept else empty(plan)  # a copy that `play` has made
    _now.clear()
    _now[id] = Now(plan, results, kept=time.monotonic())
    rules = dict.fromkeys((plan.game_of(cell), kind_of(bot)) for cell in plan.cells for bot in cell.bots)
    compiled = counter_of(plan.game).game.mode == "compiled"
    return {"rules": list(rules) if compiled else [], "blocks": len(blocks_of(plan)), "told": told_of(_now[id])}


def play(id: str, number: int) -> tuple[dict[str, Any] | None, bytes | None]:
    """Play a block. Now and then there is a summary, and a copy of the totals in case this process has to be stopped."""
    now = _now[id]
    now.results.add(work(now.plan, ("games", number), False))
    told = kept = None
    if time.monotonic() - now.told > TELL:
        told = told_of(now)
        now.told = time.monotonic()
    if time.monotonic() - now.kept > KEEP:
        kept = pickle.dumps(now.results)
        now.kept = time.monotonic()
    return told, kept


def conclude(id: str, games: str) -> tuple[dict[str, Any], str | None]:
    """The last summary and the report, which links to `games`."""
    now = _now[id]
    report = pack(*report_of(now.plan, now.results, games)) if now.results.done else None
    return told_of(now), report


def pack(report: str, records: Mapping[str, Any]) -> str:
    """A report and its games as a short text: backups are lines of JSON, which have no bytes."""
    return base64.b64encode(zlib.compress(json.dumps({"report": report, "records": records}).encode(), 6)).decode()


def unpack(packed: str) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(packed)))
    return made


def report_of(plan: Plan, results: Results, games: str) -> tuple[str, dict[str, dict[str, Any]]]:
    """The report of a study and the records of the games it links to."""
    from rulestone.lab.examples import Album
    from rulestone.lab.report import html

    told, album = summarise(plan, results), Album(plan, results)
    return html({**told, "findings": findings(told)}, album, games), album.records


SHARE = ("share", "low", "high")
NUMBER = ("n", "mean", "low", "high", "sd")


def told_of(now: Now) -> dict[str, Any]:
    """What the page shows and comparisons need: a small part of the summary."""
    told = summarise(now.plan, now.results)
    names = [now.plan.game_of(cell) for cell in now.plan.cells]
    return {
        "title": told["title"],
        "rules": told["rules"],
        "cooperative": told["cooperative"],
        "seed": now.plan.seed,
        "factors": {name: list(values) for name, values in now.plan.factors.items()},
        "words": told["words"],
        "done": len(now.results.done),
        "findings": findings(told) if now.results.done else [],
        "cells": [_cell(cell, variant.split(name)[1]) for cell, name in zip(told["cells"], names, strict=True)],
    }


def _cell(cell: Mapping[str, Any], changes: Mapping[str, str]) -> dict[str, Any]:
    ending = cell["measures"][cell["ending"]]
    events = event_words(cell) if cell["ending"] == "last_event" else {}
    return {
        **{key: cell[key] for key in ("label", "set", "players", "bots", "options", "games", "fair", "reproducible")},
        "changes": dict(changes),
        "seats": [{key: seat[key] for key in ("name", "wins", *SHARE)} for seat in cell["seats"]],
        "draws": cell["draws"],
        "line_up": [{key: one[key] for key in ("bot", *SHARE)} for one in cell["line_up"]],
        "minutes": cell["minutes"]["mean"],
        "decisions": {key: cell["measures"]["decisions"][key] for key in NUMBER},
        "endings": [
            {**{key: row[key] for key in ("times", *SHARE)}, "value": events.get(row["value"], row["value"])}
            for row in ending.get("distribution", ())
        ],
    }
