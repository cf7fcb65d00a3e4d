"""The server under load: many tables and sockets, moves at a steady rate, and the time from a move to everybody's update, while bots think.

    python -m bench.server --tables 500 --sockets 4 --rate 100 --seconds 20 --thinking 4 --games connect_four
    python -m bench.server --scenes
    python -m bench.server --quick     (or --full: beside boardgame.io's server; see side_by_side.py)

Starts a server on one core (where the system can pin it); its bots' processes and this program share the others. Every table has as many
players as the game takes; the other sockets watch. At further tables, bots play each other as fast as they can think. Prints one JSON
object. An update takes from the moment the move is sent to the moment a socket has the new position; all sockets count that are shown
it (in some games, not everybody notices every move).
`--scenes` measures drawing instead: every position of some random games for every viewer, in CPU time.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import json
import os
import random
import resource
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import rich.table
import websockets

import rulestone
from bench.targets import Target
from rulestone.games import names as game_names
from rulestone.table import Face


def free_port() -> int:
    """A free port, so that two benches can run side by side."""
    with socket.socket() as trial:
        trial.bind(("localhost", 0))
        return int(trial.getsockname()[1])


PORT = free_port()
CORES = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set[int]()
HOST = f"localhost:{PORT}"
BOT = "level:5"
COMPILING = 600
"""Seconds that a server may take to compile its games."""
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))
CHANCE = random.Random(1)


def call(path: str, body: Any = None, token: str = "", host: str = HOST) -> Any:
    headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
    request = urllib.request.Request(f"http://{host}{path}", None if body is None else json.dumps(body).encode(), headers)
    return json.load(DIRECT.open(request))


def wait_for(host: str, path: str) -> None:
    """Wait until a server answers. Raises an OSError if it refuses, or doesn't answer within two minutes."""
    for last in (*[False] * 1200, True):
        try:
            call(path, host=host)
            return
        except OSError as problem:
            if last or isinstance(problem, urllib.error.HTTPError):
                raise
            time.sleep(0.1)


def wait_until_compiled(host: str, games: Sequence[str], say: Callable[[str], None]) -> None:
    """Wait until a server has compiled these games: before that, its bots don't search. It begins when their first tables are made."""
    wanted = sum(rulestone.load(game).mode == "compiled" for game in {*games})
    for second in range(COMPILING):
        text = DIRECT.open(f"http://{host}/metrics").read().decode()
        done = next((float(line.split()[1]) for line in text.splitlines() if line.startswith("rulestone_games_compiled ")), 0)
        if done >= wanted:
            return
        if second % 15 == 14:
            say(f"  the server compiles: {done:.0f} of {wanted} games are ready")
        time.sleep(1)
    raise NobodyThinks(f"the games were not compiled within {COMPILING} s")


class NothingMoved(Exception):
    """The load was not as requested: figures without moves say nothing."""


class NobodyThinks(NothingMoved):
    """The load was not as requested: figures without thinking bots say nothing about a server with them."""


class Table:
    """One table: its sockets, the next possible move, and how long each socket waited for updates."""

    def __init__(self, game: str, seats: list[dict[str, str]], tokens: list[str], host: str = HOST) -> None:
        self.host = host
        self.id = call("/api/tables", {"game": game, "seats": seats}, tokens[0], host)["id"]
        for seat, wish in enumerate(seats):
            if wish["kind"] == "open":
                call(f"/api/tables/{self.id}/sit", {"seat": seat}, tokens[seat], host)
        self.tokens = tokens
        self.all_notice = not rulestone.load(game).has_unnoticed_moves
        self.reset()

    all_notice = True
    """Whether every socket gets every move. If not, a move is done once it is acknowledged."""

    def reset(self) -> None:
        self.sockets: list[Any] = []
        self.listening: list[asyncio.Task[None]] = []
        self.possible: tuple[Any, str] | None = None  # the mover's socket, and what to send
        self.sent, self.heard, self.made = 0.0, 0, 0
        self.done, self.over, self.refusal = asyncio.Event(), asyncio.Event(), ""
        self.times: list[float] = []

    async def open(self) -> None:
        for token in self.tokens:
            headers = {"Authorization": f"Bearer {token}"}
            line = await websockets.connect(f"ws://{self.host}/ws/tables/{self.id}", additional_headers=headers, max_size=None, proxy=None)
            self.sockets.append(line)
            self.listening.append(asyncio.create_task(self.listen(line)))

    async def listen(self, line: Any) -> None:
        seen = -1
        with contextlib.suppress(websockets.ConnectionClosed):
            async for text in line:
                if not text.startswith('{"t":"state"'):
                    self.heard_else(text)
                    continue
                ply = int(text.split('"ply":', 1)[1].split(",", 1)[0])
                if '"to_move":null' in text:
                    self.over.set()
                if '"moves":[{' in text:
                    state = json.loads(text)
                    move = {"do": "move", "at": state["at"], "move": self.chosen(state), "key": f"{self.id}{ply}", "id": ply}
                    self.offer(line, json.dumps(move))
                self.made = max(self.made, ply)
                if ply > seen:
                    self.arrived()
                seen = ply

    def chosen(self, state: dict[str, Any]) -> int:
        """The next move."""
        return int(CHANCE.choice(state["moves"])["action"])

    def heard_else(self, text: str) -> None:
        """A message that is not a position."""
        if text.startswith('{"t":"ok"') and not self.all_notice:
            self.done.set()
        elif text.startswith('{"t":"refused"'):
            self.refusal = text
            self.done.set()

    def offer(self, line: Any, message: str) -> None:
        """A move has become possible."""
        self.possible = line, message

    def arrived(self) -> None:
        """A socket has a new position."""
        if self.sent:
            self.times.append(time.perf_counter() - self.sent)
            self.heard += 1
            if self.heard == len(self.sockets):
                self.done.set()

    def stored(self) -> int:
        """How many moves the server knows."""
        return int(call(f"/api/tables/{self.id}", token=self.tokens[0], host=self.host)["state"]["ply"])

    async def move(self) -> None:
        """Make one move and wait until every socket has the update, as far as it is shown one. Raises NothingMoved if it is refused."""
        assert self.possible is not None
        (line, message), self.possible = self.possible, None
        self.heard, self.refusal = 0, ""
        self.done.clear()
        self.sent = time.perf_counter()
        await line.send(message)
        await asyncio.wait_for(self.done.wait(), 10)
        if self.refusal:
            raise NothingMoved(self.refusal)


class Bots:
    """Bots that play each other, at a new table whenever a game is over, so that some bot thinks during the whole measurement."""

    def __init__(self, game: str, seats: list[dict[str, str]], token: str) -> None:
        self.wish = game, seats, [token]
        self.table: Table | None = None
        self.before = 0

    @property
    def moves(self) -> int:
        return self.before + (self.table.made if self.table else 0)

    async def play(self) -> None:
        while True:
            self.table = await asyncio.to_thread(Table, *self.wish)
            await self.table.open()
            await self.table.over.wait()
            for line in self.table.sockets:
                await line.close()
            self.before, self.table = self.moves, None


def cpu_seconds(process: int) -> float:
    """The CPU seconds a process has used so far (Linux); 0 if it has ended."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def children(process: int) -> list[int]:
    """The child processes of a process (Linux)."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            if int(stat.read_text().rpartition(")")[2].split()[1]) == process:
                found.append(int(stat.parent.name))
        except OSError:  # it has just ended
            continue
    return found


def pin(process: int, cores: set[int]) -> None:
    if cores and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(process, cores)


async def run(server: int, others: set[int], chosen: argparse.Namespace, say: Callable[[str], None]) -> dict[str, Any]:
    tokens = [call("/api/guests", {})["token"] for _ in range(chosen.sockets)]
    facts = {game["name"]: game for game in call("/api/games")}
    say(f"opening {chosen.tables} tables with {chosen.tables * chosen.sockets} sockets …")
    tables, thinking = [], []
    for k in range(chosen.tables):
        game = chosen.games[k % len(chosen.games)]
        people = min(chosen.sockets, facts[game]["players"][1])
        tables.append(Table(game, [{"kind": "me"}, *[{"kind": "open"}] * (people - 1)], tokens))
    for k in range(chosen.thinking):
        game = chosen.games[k % len(chosen.games)]
        thinking.append(Bots(game, [{"kind": "bot", "bot": BOT}] * facts[game]["usual_players"], tokens[0]))
    for k in range(0, chosen.tables, 25):
        await asyncio.gather(*(table.open() for table in tables[k : k + 25]))
    await asyncio.to_thread(wait_until_compiled, HOST, chosen.games, say)
    playing = [asyncio.create_task(table.play()) for table in thinking]
    await asyncio.sleep(chosen.settle)
    bots = children(server)
    for process in bots:
        pin(process, others)
    gc.disable()  # this program's pauses must not count as the server's
    say(f"playing {chosen.rate:g} moves/s for {chosen.seconds:g} s …")
    order = list(tables)
    CHANCE.shuffle(order)
    bot_moves = sum(table.moves for table in thinking)
    began, work, skipped = time.perf_counter(), [], 0
    used, thought = cpu_seconds(server), {process: cpu_seconds(process) for process in bots}
    for k in range(int(chosen.rate * chosen.seconds)):
        ahead = began + k / chosen.rate - time.perf_counter()
        if ahead > 0:
            await asyncio.sleep(ahead)
        table = order[k % len(order)]
        if table.possible is None:
            skipped += 1  # over, or still waiting for the move before
        else:
            work.append(asyncio.create_task(table.move()))
    answers = await asyncio.gather(*work, return_exceptions=True)
    took = time.perf_counter() - began
    used = cpu_seconds(server) - used
    bot_moves = sum(table.moves for table in thinking) - bot_moves
    if thinking and not bot_moves:
        broken = next((task.exception() for task in playing if task.done()), None)
        raise NobodyThinks(f"no bot moved in {took:.0f} s, although bots were to think at {len(thinking)} tables ({broken or 'no error'})")
    times = sorted(1000 * value for table in tables for value in table.times)
    return {
        "games": chosen.games,
        "tables": chosen.tables,
        "sockets": chosen.tables * chosen.sockets,
        "moves": len(work),
        "moves_per_second": round(len(work) / took, 1),
        "updates": len(times),
        "failed": sum(isinstance(answer, BaseException) for answer in answers),
        "skipped": skipped,
        "server_cpu_share": round(used / took, 2),
        "server_cpu_ms_per_move": round(1000 * used / max(1, len(work)), 2),
        "bot_moves": bot_moves,
        "bots_cpu_share": round(sum(max(0.0, cpu_seconds(process) - before) for process, before in thought.items()) / took, 2),
        "load_average": os.getloadavg()[0],
        "ms": {f"p{p}": round(times[min(len(times) - 1, len(times) * p // 100)], 1) for p in (50, 90, 99)} if times else {},
        "worst_ms": round(times[-1], 1) if times else None,
    }


def more_files() -> None:
    """Allow this program as many sockets as it may have."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(65536, limit), limit))


def serve_and_play(chosen: argparse.Namespace, say: Callable[[str], None], database: str = "", redis: str = "") -> dict[str, Any]:
    """Start a server (by default, on an SQLite file of its own), put it under load and stop it."""
    more_files()
    cores = CORES
    own, others = {max(cores, default=0)} if cores else set(), cores - {max(cores, default=0)}
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen([sys.executable, "-c", SERVER, database or f"sqlite:///{folder}/t.db", str(PORT), redis])
        pin(server.pid, own)
        pin(0, others)
        try:
            wait_for(HOST, "/api/games")
            return asyncio.run(run(server.pid, others, chosen, say))
        finally:
            pin(0, cores)
            server.terminate()
            server.wait()


SERVER = """
import sys, uvicorn
from rulestone.server.app import create_app
from rulestone.server.wire import SETTINGS
if __name__ == "__main__":
    database, port, redis = sys.argv[1:]
    uvicorn.run(create_app(database, limits=0, pace=0, redis=redis or None), port=int(port), **SETTINGS)
"""


def draw(name: str, games: int, moves: int = 80) -> dict[str, Any]:
    """How long drawing a game takes: the very first picture, and every position of some random games for every viewer."""
    game = rulestone.load(name)
    game.warm_up()
    gc.disable()  # the server chooses when to collect garbage
    face, times = Face.of(game), []
    for number in range(games):
        match = game.new(seed=number, players=game.max_players)
        while not match.over and match.ply < moves:
            for eyes in (*range(match.players), None):
                view = match.view(eyes)
                began = time.thread_time()
                face.scene(view, eyes).data()
                times.append(1000 * (time.thread_time() - began))
            match.play(CHANCE.choice(match.legal()))
    later = sorted(times[1:])
    return {
        "first_ms": round(times[0], 2),
        "p50_ms": round(later[len(later) // 2], 2),
        "p99_ms": round(later[len(later) * 99 // 100], 2),
        "worst_ms": round(later[-1], 2),
        "drawn": len(times),
    }


def scenes(say: Callable[[str], None], games: int = 6) -> dict[str, dict[str, Any]]:
    """`draw` for every game, each in a fresh process."""
    found = {}
    for name in game_names():
        say(f"drawing {name} …")
        code = f"import json; from bench.server import draw; print(json.dumps(draw({name!r}, {games})))"
        found[name] = json.loads(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)
    return found


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m bench.server", description="Measure the server under load.")
    made.add_argument("--tables", type=int, default=500, help="tables with players")
    made.add_argument("--sockets", type=int, default=4, help="sockets per table: the players, and spectators")
    made.add_argument("--rate", type=float, default=100, help="moves per second, over all tables")
    made.add_argument("--seconds", type=float, default=20, help="how long to measure")
    made.add_argument("--settle", type=float, default=10, help="seconds between compiling and measuring, while bots begin to think")
    made.add_argument("--thinking", type=int, default=4, help=f"further tables where bots ({BOT}) play each other")
    made.add_argument("--games", type=lambda text: text.split(","), default=["connect_four"], help="played in turn: connect_four,…")
    made.add_argument("--scenes", action="store_true", help="measure drawing instead")
    made.add_argument("--full", action="store_true", help="measure everything, beside boardgame.io's server (20 minutes at most)")
    made.add_argument("--quick", action="store_true", help="the same with fewer tables (8 minutes at most)")
    made.add_argument("--json", default="bench/results/server.json", help="the file for the figures of --full and --quick")
    return made


def measure(seconds: float, say: Callable[[str], None]) -> dict[str, Any]:
    """Measure all games in turn under the target load, and their drawing."""
    chosen = parser().parse_args(["--seconds", str(seconds), "--games", ",".join(game_names())])
    return {"load": serve_and_play(chosen, say), "scenes": scenes(say)}


def targets(figures: dict[str, Any]) -> list[Target]:
    """The targets for the server."""
    load, drawn = figures["load"], figures["scenes"]
    slowest = max(drawn, key=lambda name: drawn[name]["p50_ms"])
    p99, rate, wanted = load["ms"].get("p99"), load["moves_per_second"], 100
    told = None if p99 is None else f"{p99:.0f} ms at {rate:.0f} moves/s"
    kept = p99 is not None and p99 < 100 and rate >= 0.97 * wanted and not load["failed"]
    return [
        Target(f"{load['sockets']:,} sockets, {wanted} moves/s of all games: 99 % of updates within", "< 100 ms", told, kept),
        Target("drawing a position", "< 2 ms", f"{drawn[slowest]['p50_ms']} ms ({slowest})", drawn[slowest]["p50_ms"] < 2),
    ]


def table(figures: dict[str, Any]) -> rich.table.Table:
    """The load in one line, then the drawing of every game."""
    load = figures["load"]
    said = f"p50 {load['ms'].get('p50')} ms, p99 {load['ms'].get('p99')} ms, {load['server_cpu_share']} of a core"
    made = rich.table.Table(title=f"Server: {load['tables']} tables, {load['moves_per_second']} moves/s: {said}")
    for column in ("game", "first picture, ms", "median, ms", "99 %, ms", "slowest, ms"):
        made.add_column(column, justify="left" if column == "game" else "right")
    for name, row in figures["scenes"].items():
        made.add_row(name, *(str(row[key]) for key in ("first_ms", "p50_ms", "p99_ms", "worst_ms")))
    return made


def main() -> None:
    chosen = parser().parse_args()

    def say(text: str) -> None:
        print(text, file=sys.stderr)

    try:
        if chosen.full or chosen.quick:
            from bench import side_by_side

            side_by_side.main(chosen, say)
            return
        print(json.dumps(scenes(say) if chosen.scenes else serve_and_play(chosen, say), indent=2))
    except NothingMoved as problem:
        sys.exit(f"The bench failed: {problem}.")


if __name__ == "__main__":
    main()
