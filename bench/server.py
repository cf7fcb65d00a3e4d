"""The server under load: many tables and sockets, moves at a steady rate, the time from send to everybody's update, while bots think.

    python -m bench.server --tables 500 --sockets 4 --rate 100 --seconds 20 --thinking 4 --games connect_four

Starts a server on one core (where the system can pin it); its bots' processes and this program share the others. At every table sit as
many people as the game takes, the other sockets watch; besides, bots play among themselves as fast as they can think. Prints one JSON
object. An update counts from the moment the move is sent to the moment a socket has the new position; all sockets count.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

import websockets

PORT = 8765
HOST = f"localhost:{PORT}"
BOT = "level:5"
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))
CHANCE = random.Random(1)


def call(path: str, body: Any = None, token: str = "") -> Any:
    headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
    request = urllib.request.Request(f"http://{HOST}{path}", None if body is None else json.dumps(body).encode(), headers)
    return json.load(DIRECT.open(request))


class Table:
    """One table: its sockets, the move that can be made next, and how long everybody waited for news."""

    def __init__(self, game: str, seats: list[dict[str, str]], tokens: list[str]) -> None:
        self.id = call("/api/tables", {"game": game, "seats": seats}, tokens[0])["id"]
        for seat, wish in enumerate(seats):
            if wish["kind"] == "open":
                call(f"/api/tables/{self.id}/sit", {"seat": seat}, tokens[seat])
        self.tokens = tokens
        self.sockets: list[Any] = []
        self.possible: tuple[Any, dict[str, Any]] | None = None  # the mover's socket, and what to send
        self.ply, self.ply_sent, self.sent, self.heard, self.news = 0, 0, 0.0, 0, 0
        self.done = asyncio.Event()
        self.times: list[float] = []

    async def open(self) -> None:
        for token in self.tokens:
            headers = {"Authorization": f"Bearer {token}"}
            socket = await websockets.connect(f"ws://{HOST}/ws/tables/{self.id}", additional_headers=headers, max_size=None, proxy=None)
            self.sockets.append(socket)
            asyncio.create_task(self.listen(socket))  # noqa: RUF006

    async def listen(self, socket: Any) -> None:
        async for text in socket:
            if not text.startswith('{"t":"state"'):
                continue
            now = time.perf_counter()
            self.news += 1
            ply = int(text.split('"ply":', 1)[1].split(",", 1)[0])
            if '"moves":[{' in text:
                state = json.loads(text)
                self.ply = ply
                chosen = CHANCE.choice(state["moves"])["action"]
                self.possible = socket, {"do": "move", "at": state["at"], "move": chosen, "key": f"{self.id}{ply}", "id": ply}
            if self.sent and ply > self.ply_sent:
                self.times.append(now - self.sent)
                self.heard += 1
                if self.heard == len(self.sockets):
                    self.sent = 0.0
                    self.done.set()

    async def move(self) -> None:
        """One move, done when everybody has been told."""
        assert self.possible is not None
        (socket, message), self.possible = self.possible, None
        self.heard, self.ply_sent = 0, self.ply
        self.done.clear()
        self.sent = time.perf_counter()
        await socket.send(json.dumps(message))
        await asyncio.wait_for(self.done.wait(), 10)


def cpu_seconds(*processes: int) -> float:
    """What processes have used of the processor so far (Linux)."""
    used = 0
    for process in processes:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        used += int(fields[11]) + int(fields[12])
    return used / os.sysconf("SC_CLK_TCK")


def children(process: int) -> list[int]:
    """The processes that a process has started (Linux)."""
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


async def run(server: int, others: set[int], chosen: argparse.Namespace) -> dict[str, Any]:
    tokens = [call("/api/guests", {})["token"] for _ in range(chosen.sockets)]
    facts = {game["name"]: game for game in call("/api/games")}
    print(f"opening {chosen.tables} tables with {chosen.tables * chosen.sockets} sockets …", file=sys.stderr)
    tables, thinking = [], []
    for k in range(chosen.tables):
        game = chosen.games[k % len(chosen.games)]
        people = min(chosen.sockets, facts[game]["players"][1])
        tables.append(Table(game, [{"kind": "me"}, *[{"kind": "open"}] * (people - 1)], tokens))
    for k in range(chosen.thinking):
        game = chosen.games[k % len(chosen.games)]
        thinking.append(Table(game, [{"kind": "bot", "bot": BOT}] * facts[game]["usual_players"], tokens[:1]))
    for k in range(0, chosen.tables, 25):
        await asyncio.gather(*(table.open() for table in tables[k : k + 25]))
    await asyncio.gather(*(table.open() for table in thinking))
    await asyncio.sleep(chosen.settle)
    bots = children(server)
    for process in bots:
        pin(process, others)
    gc.disable()  # the pauses of this program are not the server's
    print(f"playing {chosen.rate:g} moves/s for {chosen.seconds:g} s …", file=sys.stderr)
    order = list(tables)
    CHANCE.shuffle(order)
    for table in thinking:
        table.news = 0
    began, work, skipped = time.perf_counter(), [], 0
    used, thought = cpu_seconds(server), cpu_seconds(*bots)
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
        "server_cpu_share": round((cpu_seconds(server) - used) / took, 2),
        "bot_moves": sum(table.news for table in thinking),
        "bots_cpu_share": round((cpu_seconds(*bots) - thought) / took, 2),
        "load_average": os.getloadavg()[0],
        "ms": {f"p{p}": round(times[min(len(times) - 1, len(times) * p // 100)], 1) for p in (50, 90, 99)} if times else {},
        "worst_ms": round(times[-1], 1) if times else None,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="The server under load.")
    parser.add_argument("--tables", type=int, default=500)
    parser.add_argument("--sockets", type=int, default=4, help="sockets at each table: the players, and people who watch")
    parser.add_argument("--rate", type=float, default=100)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--settle", type=float, default=20, help="seconds before measuring: the compiled rules are loaded meanwhile")
    parser.add_argument("--thinking", type=int, default=4, help=f"further tables where bots ({BOT}) play among themselves")
    parser.add_argument("--games", type=lambda text: text.split(","), default=["connect_four"], help="played in turn: connect_four,…")
    chosen = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(65536, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)
    cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
    own, others = {max(cores, default=0)} if cores else set(), cores - {max(cores, default=0)}
    with tempfile.TemporaryDirectory() as folder:
        code = (
            "import uvicorn; from rulestone.server.app import create_app; "
            f"uvicorn.run(create_app('sqlite:///{folder}/t.db', limits=False, pace=0), port={PORT}, log_level='warning')"
        )
        server = subprocess.Popen([sys.executable, "-c", f"if __name__ == '__main__':\n    {code.replace('; ', chr(10) + '    ')}"])
        pin(server.pid, own)
        pin(0, others)
        try:
            for _ in range(200):
                try:
                    call("/api/games")
                    break
                except OSError:
                    time.sleep(0.1)
            print(json.dumps(asyncio.run(run(server.pid, others, chosen)), indent=2))
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
