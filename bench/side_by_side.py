"""Rulestone's server beside boardgame.io's: the same games of Connect Four, and everything else a server is judged by, in one run.

    python -m bench.server --quick     (8 minutes at most)
    python -m bench.server --full      (20 minutes at most)

Every contender plays complete games that end in a draw, with four sockets a table: two players, two spectators. The rate of moves rises
step by step; the highest one at which 99 of 100 updates take less than 100 ms is what a contender sustains. The server has one core to
itself; this program and databases share the others. To compare two workers with one, each worker may use the same small share of a core,
so that there is room for everything else. Then servers are killed with `kill -9` in the middle of it all, and started again: how many
moves that were acknowledged are gone?
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import json
import os
import pwd
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import websockets

from bench import server as one
from bench.machine import machine, versions
from rulestone.games import names as game_names

RATES = (100, 200, 350, 500, 700, 1000, 1400)
SHARE = 0.4
"""The share of a core that a worker may use while workers are counted: two of them leave room for databases and for this program."""
SHARED_RATES = range(100, 700, 25)
CGROUPS, PERIOD = Path("/sys/fs/cgroup"), 10_000
"""Where processor time is limited, and in which spans of microseconds: a worker that has used its share pauses for less than that."""
WITHIN = 100.0
"""Milliseconds within which 99 of 100 updates must be there."""
FOLDER = Path(__file__).parent / "boardgame_io"
ROWS, COLUMNS = 6, 7
# ---- the games ----------------------------------------------------------------------------------------------------------


def drawn_game(chance: random.Random) -> list[int]:
    """The columns of a game of Connect Four that fills the grid without a line."""
    while True:
        grid: dict[tuple[int, int], int] = {}
        height, played = [0] * COLUMNS, []
        while len(played) < ROWS * COLUMNS:
            fitting = [c for c in range(COLUMNS) if height[c] < ROWS and not _lines_up(grid, height[c], c, len(played) % 2)]
            if not fitting:
                break
            column = chance.choice(fitting)
            grid[height[column], column] = len(played) % 2
            height[column] += 1
            played.append(column)
        else:
            return played


def _lines_up(grid: dict[tuple[int, int], int], row: int, column: int, player: int) -> bool:
    for up, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        length = 1
        for way in (1, -1):
            k = way
            while grid.get((row + k * up, column + k * right)) == player:
                length, k = length + 1, k + way
        if length >= 4:
            return True
    return False


# ---- the contenders -----------------------------------------------------------------------------------------------------


class Planned(one.Table):
    """A table of Rulestone where a game is played to its end as planned."""

    def __init__(self, game: str, seats: list[dict[str, str]], tokens: list[str], host: str, plan: list[int]) -> None:
        super().__init__(game, seats, tokens, host)
        self.plan, self.acknowledged = plan, 0

    def chosen(self, state: dict[str, Any]) -> int:
        return self.plan[state["ply"]]

    def heard_else(self, text: str) -> None:
        super().heard_else(text)
        if text.startswith('{"t":"ok"'):
            self.acknowledged = max(self.acknowledged, int(json.loads(text)["id"]) + 1)


class Match(Planned):
    """A match of boardgame.io, spoken to in Socket.IO's protocol."""

    def __init__(self, host: str, plan: list[int], sockets: int) -> None:
        self.host, self.plan, self.acknowledged = host, plan, 0
        self.id = one.call("/games/connect_four/create", {"numPlayers": 2}, host=host)["matchID"]
        seats = [{"playerID": str(seat), "playerName": f"player {seat}"} for seat in range(2)]
        self.credentials = [one.call(f"/games/connect_four/{self.id}/join", seat, host=host)["playerCredentials"] for seat in seats]
        self.tokens = [*"01"[:sockets], *[""] * (sockets - 2)]
        self.reset()

    async def open(self) -> None:
        for number, seat in enumerate(self.tokens):
            line = await websockets.connect(f"ws://{self.host}/socket.io/?EIO=4&transport=websocket", max_size=None, proxy=None)
            await line.recv()
            await line.send("40/connect_four,")
            await line.recv()
            key = self.credentials[number] if seat else None
            await line.send(f"42/connect_four,{json.dumps(['sync', self.id, seat or None, key, 2])}")
            self.sockets.append(line)
            self.listening.append(asyncio.create_task(self.listen(line, seat)))

    async def listen(self, line: Any, seat: str = "") -> None:
        seen = -1
        with contextlib.suppress(websockets.ConnectionClosed):
            async for text in line:
                if text == "2":
                    await line.send("3")
                    continue
                kind = text.partition(",")[2][:8]
                if not kind.startswith(('["sync"', '["update')):
                    continue
                ply = int(text.split('"_stateID":', 1)[1].split(",", 1)[0].rstrip("}]"))
                if seat and ply % 2 == int(seat) and ply < len(self.plan):
                    self.offer(line, "42/connect_four," + json.dumps(["update", self._action(ply, seat), ply, self.id, seat]))
                if seat and ply and (ply - 1) % 2 == int(seat) and kind.startswith('["update'):
                    self.acknowledged = max(self.acknowledged, ply)
                if ply > seen:
                    self.arrived()
                seen = ply

    def _action(self, ply: int, seat: str) -> dict[str, Any]:
        return {
            "type": "MAKE_MOVE",
            "payload": {"type": "drop", "args": [self.plan[ply]], "playerID": seat, "credentials": self.credentials[int(seat)]},
        }

    def stored(self) -> int:
        try:
            return asyncio.run(self._stored())
        except (OSError, websockets.ConnectionClosed):  # it can't read what it has stored, and that ends the server
            return 0

    async def _stored(self) -> int:
        async with websockets.connect(f"ws://{self.host}/socket.io/?EIO=4&transport=websocket", max_size=None, proxy=None) as line:
            await line.recv()
            await line.send("40/connect_four,")
            await line.recv()
            await line.send(f"42/connect_four,{json.dumps(['sync', self.id, None, None, 2])}")
            for _ in range(20):
                try:
                    text = str(await asyncio.wait_for(line.recv(), 2))
                except TimeoutError:
                    return 0
                if '"_stateID":' in text:
                    return int(text.split('"_stateID":', 1)[1].split(",", 1)[0].rstrip("}]"))
        return 0


@dataclass
class Contender:
    """A server to measure: how to start its workers on these ports, and which kind of tables it has."""

    name: str
    start: Callable[[int], list[str]]
    workers: int = 1
    boardgame_io: bool = False
    share: float = 0
    """The share of a core that each worker may use; 0: a core of its own."""
    ports: list[int] = field(default_factory=list)
    running: list[subprocess.Popen[bytes]] = field(default_factory=list)
    beside: Sequence[int] = ()
    """The processes of its databases."""

    def up(self) -> None:
        """Start all workers, pin each to a core, and wait until they answer."""
        self.ports = self.ports or [one.free_port() for _ in range(self.workers)]
        cores = sorted(one.CORES, reverse=True)
        for number, port in enumerate(self.ports):
            process = subprocess.Popen(self.start(port), cwd=FOLDER if self.boardgame_io else None, stdout=subprocess.DEVNULL)
            one.pin(process.pid, {cores[number % len(cores)]} if cores and not self.share else one.CORES)
            self.running.append(process)
            one.wait_for(f"localhost:{port}", "/games" if self.boardgame_io else "/api/games")

    @contextlib.contextmanager
    def limited(self) -> Iterator[None]:
        """Meanwhile, no worker gets more than its share of a core. Raises NothingMoved if that isn't possible (Linux lets root do it)."""
        above = CGROUPS / "cpu" if (CGROUPS / "cpu").is_dir() else CGROUPS
        groups = {above / f"bench-{process.pid}": str(process.pid) for process in self.running if self.share}
        try:
            for group, process in groups.items():
                self._limit(group, process)
            yield
        finally:
            for group, process in groups.items():
                with contextlib.suppress(OSError):
                    (above / "cgroup.procs").write_text(process)
                    group.rmdir()

    def _limit(self, group: Path, process: str) -> None:
        quota = int(PERIOD * self.share)
        try:
            group.mkdir()
            if (group / "cpu.max").exists():
                (group / "cpu.max").write_text(f"{quota} {PERIOD}")
            else:
                (group / "cpu.cfs_period_us").write_text(f"{PERIOD}")
                (group / "cpu.cfs_quota_us").write_text(f"{quota}")
            (group / "cgroup.procs").write_text(process)
        except OSError as problem:
            raise one.NothingMoved(f"{self.name}: its processor time can't be limited here ({problem})") from None

    def down(self, how: int = signal.SIGTERM) -> None:
        for process in self.running:
            process.send_signal(how)
        for process in self.running:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.running.clear()

    def host(self, number: int) -> str:
        return f"localhost:{self.ports[number % len(self.ports)]}"

    def table(self, number: int, sockets: int, tokens: list[str]) -> Planned:
        plan = drawn_game(random.Random(number))
        if self.boardgame_io:
            return Match(self.host(number), plan, sockets)
        return Planned("connect_four", [{"kind": "me"}, {"kind": "open"}], tokens, self.host(number), plan)

    def tokens(self, sockets: int) -> list[str]:
        return [] if self.boardgame_io else [one.call("/api/guests", {}, host=self.host(0))["token"] for _ in range(sockets)]

    def cpu(self) -> float:
        return sum(one.cpu_seconds(process.pid) for process in self.running)

    def cpu_beside(self) -> float:
        """What its databases have used."""
        return sum(one.cpu_seconds(process) for main in self.beside for process in (main, *one.children(main)))

    async def settle(self, sockets: int, say: Callable[[str], None]) -> None:
        """Play nothing until everything is compiled."""
        await opened(self, self.workers, sockets)
        if not self.boardgame_io:
            for number in range(self.workers):
                await asyncio.to_thread(one.wait_until_compiled, self.host(number), ["connect_four"], say)
        await asyncio.sleep(2)

    def memory(self) -> float:
        """The kilobytes that all workers have for themselves."""
        return sum(_own_kilobytes(process.pid) for process in self.running)


def _own_kilobytes(process: int) -> float:
    lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    return sum(float(line.split()[1]) for line in lines if line.startswith(("Private_Dirty:", "Private_Clean:")))


# ---- measuring ----------------------------------------------------------------------------------------------------------


async def opened(contender: Contender, tables: int, sockets: int) -> list[Planned]:
    tokens = contender.tokens(sockets)
    made = [await asyncio.to_thread(contender.table, number, sockets, tokens) for number in range(tables)]
    for k in range(0, tables, 25):
        await asyncio.gather(*(table.open() for table in made[k : k + 25]))
    return made


async def play(contender: Contender, tables: list[Planned], rate: float, seconds: float) -> dict[str, Any]:
    """Moves at one rate: what they cost, and how long updates take."""
    for table in tables:
        table.times.clear()
    work, skipped = [], 0
    began, used, beside = time.perf_counter(), contender.cpu(), contender.cpu_beside()
    for k in range(int(rate * seconds)):
        ahead = began + k / rate - time.perf_counter()
        if ahead > 0:
            await asyncio.sleep(ahead)
        table = tables[k % len(tables)]
        if table.possible is None:
            skipped += 1  # over, or still waiting for the move before
        else:
            work.append(asyncio.create_task(table.move()))
    answers = await asyncio.gather(*work, return_exceptions=True)
    took, used, beside = time.perf_counter() - began, contender.cpu() - used, contender.cpu_beside() - beside
    times = sorted(1000 * value for table in tables for value in table.times)
    made = sum(not isinstance(answer, BaseException) for answer in answers)
    if not made:
        raise one.NothingMoved(f"no move was made at {contender.name}")
    p99 = times[len(times) * 99 // 100] if times else None
    return {
        "rate": rate,
        "seconds": round(took, 1),
        "moves_per_second": round(made / took, 1),
        "failed": len(work) - made,
        "skipped": skipped,
        "p50_ms": round(times[len(times) // 2], 1) if times else None,
        "p99_ms": None if p99 is None else round(p99, 1),
        "cpu_ms_per_move": round(1000 * used / max(1, made), 2),
        "database_cpu_ms_per_move": round(1000 * beside / max(1, made), 2),
        "cpu_share": round(used / took, 2),
        "sustained": bool(p99 is not None and p99 < WITHIN and made / took >= 0.95 * rate and made == len(work)),
    }


def ladder(contender: Contender, chosen: Scale, say: Callable[[str], None]) -> dict[str, Any]:
    """What a contender sustains, the processor time of a move, and the memory of a table."""

    async def climb() -> dict[str, Any]:
        await contender.settle(chosen.sockets, say)
        with contender.limited():
            return await steps_up()

    async def steps_up() -> dict[str, Any]:
        before = contender.memory()
        tables = await opened(contender, chosen.tables, chosen.sockets)
        await asyncio.sleep(1)
        gc.disable()  # this program's pauses must not count as the server's
        steps: list[dict[str, Any]] = []
        left = chosen.tables * ROWS * COLUMNS
        rates, misses = (SHARED_RATES, 3) if contender.share else (RATES, 2)
        for rate in rates:
            if left < rate * chosen.seconds:
                break
            left -= int(rate * chosen.seconds)
            steps.append(await play(contender, tables, rate, chosen.seconds))
            say(f"  {rate} moves/s: p99 {steps[-1]['p99_ms']} ms, {steps[-1]['cpu_ms_per_move']} ms of processor time a move")
            await asyncio.sleep(0.5)
            if len(steps) >= misses and not any(step["sustained"] for step in steps[-misses:]):
                break  # one step may have been unlucky, so many were not
        gc.enable()
        held = [step for step in steps if step["sustained"]]
        best = held[-1] if held else None
        return {
            "name": contender.name,
            "workers": contender.workers,
            "share": contender.share,
            "tables": chosen.tables,
            "sockets": chosen.tables * chosen.sockets,
            "moves_per_second": best["rate"] if best else 0,
            **{name: (best or steps[0])[name] for name in ("p99_ms", "cpu_ms_per_move", "database_cpu_ms_per_move")},
            "kB_per_table": round((contender.memory() - before) / chosen.tables),
            "steps": steps,
        }

    say(f"{contender.name}: {chosen.tables} tables, {chosen.tables * chosen.sockets} sockets")
    contender.up()
    try:
        return asyncio.run(climb())
    finally:
        contender.down()


def minute(contender: Contender, rate: float, chosen: Scale, say: Callable[[str], None]) -> dict[str, Any]:
    """The same rate for a whole minute."""
    tables = max(chosen.tables, int(rate * chosen.minute / (ROWS * COLUMNS - 4)) + 1)
    say(f"{contender.name}: {rate:g} moves/s for {chosen.minute:g} s at {tables} tables")

    async def hold() -> dict[str, Any]:
        await contender.settle(chosen.sockets, say)
        playing = await opened(contender, tables, chosen.sockets)
        await asyncio.sleep(1)
        gc.disable()
        try:
            return await play(contender, playing, rate, chosen.minute)
        finally:
            gc.enable()

    contender.up()
    try:
        return {"name": contender.name, "tables": tables, **asyncio.run(hold())}
    finally:
        contender.down()


def killed(contender: Contender, chosen: Scale, say: Callable[[str], None]) -> dict[str, Any]:
    """How many acknowledged moves are gone after `kill -9` in the middle of play."""

    async def until_killed() -> list[Planned]:
        tables = await opened(contender, chosen.doomed, 2)
        wait = random.Random(len(acknowledged)).uniform(1, 3)
        asyncio.get_running_loop().call_later(wait, contender.down, signal.SIGKILL)
        began, work = time.perf_counter(), []
        while contender.running and time.perf_counter() - began < 10:
            for table in tables:
                if table.possible is not None:
                    work.append(asyncio.create_task(table.move()))
            await asyncio.sleep(0.05)
        for task in work:
            task.cancel()
        await asyncio.gather(*work, return_exceptions=True)
        await asyncio.sleep(0.3)
        return tables

    acknowledged: list[int] = []
    lost = 0
    for _ in range(chosen.kills):
        contender.up()
        tables = asyncio.run(until_killed())
        contender.up()
        acknowledged.append(sum(table.acknowledged for table in tables))
        for table in tables:
            lost += max(0, table.acknowledged - table.stored())
            if any(process.poll() is not None for process in contender.running):
                contender.down()
                contender.up()
        contender.down()
    say(f"{contender.name}: {lost} of {sum(acknowledged)} acknowledged moves lost in {chosen.kills} kills")
    return {"name": contender.name, "kills": chosen.kills, "acknowledged": sum(acknowledged), "lost": lost}


# ---- everything ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Scale:
    """How much is measured."""

    tables: int = 500
    sockets: int = 4
    seconds: float = 5
    minute: float = 60
    settle: float = 10
    kills: int = 3
    doomed: int = 40
    drawing: bool = True


QUICK = Scale(tables=150, seconds=4, minute=0, settle=5, kills=1, drawing=False)
HELD = 500
"""Moves a second that are held for a whole minute."""


@contextlib.contextmanager
def databases() -> Iterator[tuple[str, str, list[int]]]:
    """A PostgreSQL that flushes every commit, and a Redis, for a while: their addresses, reached through files, and processes."""
    initdb, postgres, redis = (program(name) for name in ("initdb", "postgres", "redis-server"))
    account = pwd.getpwnam("postgres") if os.getuid() == 0 else None  # it refuses to be run by root
    user = "postgres" if account else None
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        if account:
            os.chown(folder, account.pw_uid, account.pw_gid)
        data, there = f"{folder}/data", ["-c", "listen_addresses=", "-c", f"unix_socket_directories={folder}"]
        subprocess.run([initdb, "-D", data, "-U", "postgres", "-A", "trust"], check=True, capture_output=True, user=user, cwd=folder)
        quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        running = [
            subprocess.Popen([postgres, "-D", data, *there], user=user, cwd=folder, **quiet),
            subprocess.Popen([redis, "--port", "0", "--save", "", "--unixsocket", f"{folder}/redis.sock", "--dir", folder], **quiet),
        ]
        others = one.CORES - {max(one.CORES, default=0)}
        for process in running:
            one.pin(process.pid, others)
        try:
            for _ in range(300):
                if Path(f"{folder}/.s.PGSQL.5432").exists() and Path(f"{folder}/redis.sock").exists():
                    break
                time.sleep(0.1)
            processes = [process.pid for process in running]
            yield f"postgresql+asyncpg://postgres@/postgres?host={folder}", f"unix://{folder}/redis.sock", processes
        finally:
            for process in running:
                process.terminate()
            for process in running:
                process.wait()


def program(name: str) -> str:
    """Where a program is. Raises FileNotFoundError if it isn't installed."""
    found = shutil.which(name) or next(iter(sorted(map(str, Path("/usr/lib/postgresql").glob(f"*/bin/{name}")), reverse=True)), None)
    if found is None:
        raise FileNotFoundError(f"{name} is not installed")
    return found


def install_boardgame_io(say: Callable[[str], None]) -> str | None:
    """Install boardgame.io beside its script, unless it is there; returns its version, None if that is not possible here."""
    try:
        if not (FOLDER / "node_modules").is_dir():
            say("installing boardgame.io …")
            command = [program("npm"), "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
            subprocess.run(command, cwd=FOLDER, check=True, capture_output=True, timeout=120)
        program("node")
    except (OSError, subprocess.SubprocessError) as problem:
        say(f"boardgame.io is left out: {problem}")
        return None
    return str(json.loads((FOLDER / "node_modules/boardgame.io/package.json").read_text())["version"])


def measure(chosen: Scale, say: Callable[[str], None], keep: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """Measure all contenders, one after the other. `keep` gets what is known so far, again and again."""
    one.more_files()
    other = install_boardgame_io(say)
    found: dict[str, Any] = {"machine": machine(), "versions": {**versions(), **_versions(other)}, "connect_four": [], "minute": []}
    found |= {"killed": [], "mixed": []}
    began = time.perf_counter()

    def note(part: str, work: Callable[[], dict[str, Any]]) -> None:
        try:
            found[part].append(work())
        except one.NothingMoved as problem:  # the other parts say something all the same
            say(f"left out: {problem}")
        found["minutes"] = round((time.perf_counter() - began) / 60, 1)
        keep(found)

    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-"))
        stack.callback(one.pin, 0, one.CORES)
        one.pin(0, one.CORES - {max(one.CORES, default=0)})

        def rulestone(database: str, redis: str = "") -> Callable[[int], list[str]]:
            return lambda port: [sys.executable, "-c", one.SERVER, database, str(port), redis]

        def node(*more: str) -> Callable[[int], list[str]]:
            return lambda port: [program("node"), "server.js", str(port), *more]

        sqlite = Contender("Rulestone, SQLite", rulestone(f"sqlite:///{folder}/tables.db"))
        contenders, mixed = [sqlite], [("SQLite", "", "")]
        try:
            database, redis, beside = stack.enter_context(databases())
            contenders.append(Contender("Rulestone, PostgreSQL and Redis", rulestone(database, redis), beside=beside))
            for n, name in enumerate(("one worker", "two workers, each"), 1):
                contenders.append(Contender(f"{name} on {SHARE} of a core", rulestone(database, redis), n, share=SHARE, beside=beside))
            mixed.append(("PostgreSQL and Redis", database, redis))
        except (OSError, KeyError) as problem:
            say(f"PostgreSQL and Redis are left out: {problem}")
        files = Contender("boardgame.io, files", node(f"{folder}/files"), boardgame_io=True)
        if other:
            contenders += [Contender("boardgame.io, memory", node(), boardgame_io=True), files]
        for contender in contenders:
            note("connect_four", partial(ladder, contender, chosen, say))
        for contender in [sqlite, *[files] * bool(other)] if chosen.minute else []:
            note("minute", partial(minute, contender, HELD, chosen, say))
        for contender in contenders:
            if not contender.share:
                note("killed", partial(killed, contender, chosen, say))
        wish = ["--tables", str(chosen.tables), "--rate", "200", "--games", ",".join(game_names()), "--settle", str(chosen.settle)]
        wish += ["--seconds", str(4 * chosen.seconds)]
        for name, database, redis in mixed:
            say(f"all games mixed, 200 moves/s, with bots thinking: {name}")
            work = partial(one.serve_and_play, one.parser().parse_args(wish), say, database, redis)
            note("mixed", lambda name=name, work=work: {"name": name, **work()})  # type: ignore[misc]
    if chosen.drawing:
        found["scenes"] = one.scenes(say)
        keep(found)
    return found


def _versions(other: str | None) -> dict[str, str]:
    node = subprocess.run(["node", "--version"], capture_output=True, text=True, check=False).stdout.strip() if other else ""
    return {"boardgame.io": other or "not installed", "node": node or "not installed"}


def report(found: dict[str, Any]) -> str:
    """The figures as tables in Markdown, for the documentation."""
    lost = {row["name"]: f"{row['lost']:,} of {row['acknowledged']:,}" for row in found["killed"]}
    lines = [
        "| server | moves/s at 99 % within 100 ms | 99 % within | processor time a move | of its databases "
        "| memory a table | acknowledged moves lost |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for row in found["connect_four"]:
        beside = f"{row['database_cpu_ms_per_move']} ms" if row["database_cpu_ms_per_move"] else "–"
        times = f"{row['moves_per_second']:,} | {row['p99_ms']} ms | {row['cpu_ms_per_move']} ms | {beside}"
        lines.append(f"| {row['name']} | {times} | {row['kB_per_table']} kB | {lost.get(row['name'], '–')} |")
    many = [row for row in found["connect_four"] if row["share"]]
    if len(many) == 2 and many[0]["moves_per_second"]:
        times = many[1]["moves_per_second"] / many[0]["moves_per_second"]
        spent = " and ".join(f"{row['cpu_ms_per_move']} ms" for row in many)
        lines.append(f"\nTwo workers sustain {times:.2f} times the moves of one. One and two take {spent} of processor time a move.")
    lines += ["", "| a whole minute | moves/s | 99 % within | processor time a move | failed or skipped |", "|---|---:|---:|---:|---:|"]
    for row in found["minute"]:
        missed = row["failed"] + row["skipped"]
        figures = f"{row['moves_per_second']} | {row['p99_ms']} ms | {row['cpu_ms_per_move']} ms | {missed}"
        lines.append(f"| {row['name']}, {row['tables']} tables | {figures} |")
    mixed = found["mixed"]
    lines += ["", "| all games mixed, bots thinking | " + " | ".join(row["name"] for row in mixed) + " |", "|---|" + "---:|" * len(mixed)]
    for title, name, unit in MIXED:
        lines.append(f"| {title} | " + " | ".join(f"{row['ms'].get(name, row.get(name))}{unit}" for row in mixed) + " |")
    if "scenes" in found:
        lines += ["", "| drawing | first picture | median | 99 % within | slowest |", "|---|---:|---:|---:|---:|"]
        for game, row in found["scenes"].items():
            lines.append(f"| {game} | " + " | ".join(f"{row[name]} ms" for name in ("first_ms", "p50_ms", "p99_ms", "worst_ms")) + " |")
    return "\n".join(lines)


MIXED = (
    ("sockets", "sockets", ""),
    ("moves a second", "moves_per_second", ""),
    ("failed", "failed", ""),
    ("half of the updates within", "p50", " ms"),
    ("90 % within", "p90", " ms"),
    ("99 % within", "p99", " ms"),
    ("the slowest", "worst_ms", " ms"),
    ("processor time a move", "server_cpu_ms_per_move", " ms"),
    ("of the core", "server_cpu_share", ""),
    ("moves of bots besides", "bot_moves", ""),
    ("cores that bots thought with", "bots_cpu_share", ""),
)


def main(chosen: argparse.Namespace, say: Callable[[str], None]) -> None:
    path = Path(chosen.json)
    path.parent.mkdir(parents=True, exist_ok=True)

    def keep(known: dict[str, Any]) -> None:
        path.write_text(json.dumps(known, indent=2) + "\n")

    found = measure(QUICK if chosen.quick else Scale(), say, keep)
    print(json.dumps({"machine": found["machine"], "versions": found["versions"], "minutes": found["minutes"]}))
    print(report(found))
    say(f"written to {path}")
