"""How long a person waits for a quick bot while many strong ones wait for a place to think.

    python -m bench.patience --game connect_four --tables 100 --answers 200

Somebody plays against level 1: first alone, then while level 5 plays itself at many tables, each with a host of its own (so fair shares
can't put any of them behind the others) and somebody who watches. An answer takes from sending one's move until the bot's move is shown.
It is measured in one process with SQLite, and with PostgreSQL, Redis and a thinker. Prints a table in Markdown.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

import websockets

from bench import server as one
from bench.machine import machine
from bench.side_by_side import databases

QUICK, STRONG = "level:1", "level:5"
FIRST = 20
"""So many answers are counted apart once level 5 has begun: a process that hasn't played this game yet has to load it."""
WANTED = 300
"""Milliseconds within which level 1 must answer."""


class Person:
    """Somebody who plays against one quick bot, game after game."""

    def __init__(self, game: str, host: str) -> None:
        self.game, self.host, self.chance = game, host, random.Random(1)
        self.token = one.call("/api/guests", {}, host=host)["token"]

    async def answers(self, number: int) -> list[float]:
        """How many milliseconds so many answers took. Raises NobodyThinks if another bot than the one asked for has answered."""
        times: list[float] = []
        while len(times) < number:
            table = await asyncio.to_thread(self._call, "", {"game": self.game, "seats": [{"kind": "me"}, {"kind": "bot", "bot": QUICK}]})
            times += await self._play(table["id"], number - len(times))
            record = await asyncio.to_thread(self._call, f"/{table['id']}/record")
            if {*record["bots"]} - {None, QUICK}:
                raise one.NobodyThinks(f"{record['bots']} have answered instead of {QUICK}")
        return times

    def _call(self, path: str, body: Any = None) -> Any:
        return one.call(f"/api/tables{path}", body, self.token, self.host)

    async def _play(self, table: str, most: int) -> list[float]:
        times: list[float] = []
        sent, number, headers = 0.0, 0, {"Authorization": f"Bearer {self.token}"}
        async with websockets.connect(f"ws://{self.host}/ws/tables/{table}", additional_headers=headers, max_size=None, proxy=None) as line:
            async for text in line:
                state = json.loads(text)
                if state["t"] != "state":
                    continue
                if sent and (state["moves"] or state["payoff"]):
                    times.append(1000 * (time.perf_counter() - sent))
                    sent = 0.0
                if state["payoff"]:
                    break
                if state["moves"] and len(times) == most:
                    await asyncio.to_thread(self._call, f"/{table}/resign", {"seat": state["eyes"]})
                elif state["moves"] and not sent:
                    await asyncio.sleep(self.chance.uniform(0.05, 0.3))
                    number += 1
                    sent = time.perf_counter()
                    move = {"do": "move", "at": state["at"], "move": self.chance.choice(state["moves"])["action"], "key": f"{number}"}
                    await line.send(json.dumps({**move, "id": number}))
        return times


async def compiled(person: Person, until: float) -> None:
    """Wait until the search is loaded in every process: before, other bots answer."""
    while True:
        try:
            await person.answers(30)
            return
        except one.NobodyThinks:
            if time.monotonic() > until:
                raise


async def measured(host: str, chosen: argparse.Namespace, say: Callable[[str], None]) -> dict[str, Any]:
    person = Person(chosen.game, host)
    await compiled(person, time.monotonic() + 300)
    say(f"{QUICK} alone …")
    alone = await person.answers(chosen.answers)
    say(f"opening {chosen.tables} tables of {STRONG} …")
    seats = [{"kind": "bot", "bot": STRONG}] * 2
    hosts = [one.call("/api/guests", {}, host=host)["token"] for _ in range(chosen.tables)]
    tables = [await asyncio.to_thread(one.Table, chosen.game, seats, [token], host) for token in hosts]
    for table in tables:
        await table.open()
    await asyncio.sleep(chosen.settle)
    first = await person.answers(FIRST)
    say(f"{QUICK} while they think …")
    before, began = sum(table.made for table in tables), time.monotonic()
    among = await person.answers(chosen.answers)
    made, took = sum(table.made for table in tables) - before, time.monotonic() - began
    waiting = sum(not table.over.is_set() for table in tables)
    if not made or waiting < 0.9 * chosen.tables:
        raise one.NobodyThinks(f"{made} moves were made at {waiting} tables of {STRONG}")
    for table in tables:
        for line in table.sockets:
            await line.close()
    return {
        "alone": _said(alone),
        "first": _said(first),
        "among": _said(among),
        "strong_tables": waiting,
        "strong_moves_per_second": round(made / took, 2),
        "load_average": os.getloadavg()[0],
    }


def _said(times: list[float]) -> dict[str, float]:
    times = sorted(times)
    return {
        "answers": len(times),
        **{f"p{p}_ms": round(times[len(times) * p // 100], 1) for p in (50, 99)},
        "worst_ms": round(times[-1], 1),
    }


@contextlib.contextmanager
def running(*commands: list[str]) -> Iterator[None]:
    started = [subprocess.Popen([sys.executable, "-m", "rulestone.cli", *command], stdout=subprocess.DEVNULL) for command in commands]
    try:
        yield
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait()


def measure(chosen: argparse.Namespace, say: Callable[[str], None]) -> dict[str, Any]:
    one.more_files()
    say(f"compiling {chosen.game} …")
    subprocess.run([sys.executable, "-c", f"from rulestone.server.thinking import compile_game; compile_game({chosen.game!r})"], check=True)
    found: dict[str, Any] = {}

    def run(name: str, options: list[str], *more: list[str]) -> None:
        port = one.free_port()
        with running(["serve", "--port", str(port), "--pace", "0", "--limits", "0", *options], *more):
            one.wait_for(f"localhost:{port}", "/api/games")
            found[name] = asyncio.run(measured(f"localhost:{port}", chosen, say))

    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        say("one process, SQLite")
        run("one process, SQLite", ["--db", f"sqlite:///{folder}/tables.db"])
    with databases() as (database, redis, _):
        say("PostgreSQL, Redis and a thinker")
        run("PostgreSQL, Redis and a thinker", ["--db", database, "--redis", redis], ["think", "--redis", redis])
    return found


def report(found: dict[str, Any]) -> str:
    lines = [
        f"| server | {QUICK} alone: half, 99 % within | while {STRONG} waits: half, 99 % within | the slowest |",
        "|---|---:|---:|---:|",
    ]
    for name, row in found.items():
        alone, among = row["alone"], row["among"]
        said = f"{alone['p50_ms']:.0f} ms, {alone['p99_ms']:.0f} ms | {among['p50_ms']:.0f} ms, {among['p99_ms']:.0f} ms"
        lines.append(f"| {name} | {said} | {among['worst_ms']:.0f} ms |")
    kept = all(row["among"]["p99_ms"] < WANTED for row in found.values())
    return "\n".join([*lines, "", f"Below {WANTED} ms: {'yes' if kept else 'NO'}"])


def main() -> None:
    made = argparse.ArgumentParser(prog="python -m bench.patience", description="Measure how long quick bots take while strong ones think.")
    made.add_argument("--game", default="connect_four", help="a game for two")
    made.add_argument("--tables", type=int, default=100, help=f"tables where {STRONG} plays itself")
    made.add_argument("--answers", type=int, default=200, help="how many answers to measure")
    made.add_argument("--settle", type=float, default=10, help="seconds to wait before measuring")
    chosen = made.parse_args()
    try:
        found = measure(chosen, lambda text: print(text, file=sys.stderr))
    except one.NothingMoved as problem:
        sys.exit(f"The bench failed: {problem}.")
    print(json.dumps({"machine": machine(), "found": found}))
    print(report(found))


if __name__ == "__main__":
    main()
