"""The server under load: many tables and sockets, moves at a steady rate, the time from send to everybody's update.

    python -m bench.server --tables 500 --sockets 4 --rate 100 --seconds 20

Starts a server on one core (where the system can pin it), plays Connect Four with two players and spectators at every table, and
prints one JSON object.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import urllib.request
from typing import Any

import websockets

PORT = 8765
HOST = f"localhost:{PORT}"


def call(path: str, body: Any = None, token: str = "") -> Any:
    headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
    request = urllib.request.Request(f"http://{HOST}{path}", None if body is None else json.dumps(body).encode(), headers)
    return json.load(urllib.request.urlopen(request))


class Table:
    """One table: its sockets and when each heard of the last move."""

    def __init__(self, id: str, token: str) -> None:
        self.id, self.token, self.address = id, token, f"ws://{HOST}/ws/tables/{id}"
        self.sockets: list[Any] = []
        self.at, self.column, self.sent = "0.0", 0, 0.0
        self.heard = 0
        self.done = asyncio.Event()
        self.times: list[float] = []
        self.ply = 0

    async def open(self, count: int, tokens: list[str]) -> None:
        for token in [self.token, *tokens[: count - 1]]:
            socket = await websockets.connect(self.address, additional_headers={"Authorization": f"Bearer {token}"}, max_size=None)
            self.sockets.append(socket)
            asyncio.create_task(self.listen(socket))  # noqa: RUF006

    async def listen(self, socket: Any) -> None:
        async for text in socket:
            if text.startswith('{"t":"state"'):
                now = time.perf_counter()
                ply = int(text.split('"ply":', 1)[1].split(",", 1)[0])
                if ply == self.ply and self.sent:
                    self.times.append(now - self.sent)
                    self.heard += 1
                    if self.heard == len(self.sockets):
                        self.done.set()

    async def move(self) -> None:
        """One move by the player, answered when everybody has been told."""
        self.ply += 1
        self.heard = 0
        self.done.clear()
        column = (self.ply - 1) // 2 % 7 if self.ply % 2 else ((self.ply - 2) // 2 + 3) % 7
        message = {"do": "move", "at": f"0.{self.ply - 1}", "move": column, "key": f"{self.id}{self.ply}", "id": self.ply}
        self.sent = time.perf_counter()
        await self.sockets[0].send(json.dumps(message))
        await asyncio.wait_for(self.done.wait(), 10)


def cpu_seconds(process: int) -> float:
    """What a process has used of the processor so far (Linux)."""
    with open(f"/proc/{process}/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def run(server: int, tables: int, sockets: int, rate: float, seconds: float, settle: float) -> dict[str, Any]:
    tokens = [call("/api/guests", {})["token"] for _ in range(sockets)]
    print(f"opening {tables} tables with {tables * sockets} sockets …", file=sys.stderr)
    opened = []
    for _ in range(tables):
        made = call("/api/tables", {"game": "connect_four", "seats": [{"kind": "me"}, {"kind": "me"}], "options": {"line": 5}}, tokens[0])
        opened.append(Table(made["id"], tokens[0]))
    for k in range(0, tables, 25):
        await asyncio.gather(*(table.open(sockets, tokens[1:]) for table in opened[k : k + 25]))
    await asyncio.sleep(settle)
    gc.disable()  # the pauses of this program are not the server's
    print(f"playing {rate:g} moves/s for {seconds:g} s …", file=sys.stderr)
    order, late, failed = list(opened), 0, 0
    random.Random(1).shuffle(order)
    began, work, used = time.perf_counter(), [], cpu_seconds(server)
    for k in range(int(rate * seconds)):
        ahead = began + k / rate - time.perf_counter()
        if ahead > 0:
            await asyncio.sleep(ahead)
        else:
            late += 1
        table = order[k % len(order)]
        if table.ply < 24:
            work.append(asyncio.create_task(table.move()))
    answers = await asyncio.gather(*work, return_exceptions=True)
    failed = sum(isinstance(answer, BaseException) for answer in answers)
    took = time.perf_counter() - began
    times = sorted(value for table in opened for value in table.times)
    return {
        "tables": tables,
        "sockets": tables * sockets,
        "moves": len(work),
        "moves_per_second": round(len(work) / took, 1),
        "updates": len(times),
        "failed": failed,
        "server_cpu_share": round((cpu_seconds(server) - used) / took, 2),
        "ms": {f"p{p}": round(1000 * times[min(len(times) - 1, int(len(times) * p / 100))], 1) for p in (50, 90, 99)} if times else {},
        "worst_ms": round(1000 * times[-1], 1) if times else None,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="The server under load.")
    parser.add_argument("--tables", type=int, default=500)
    parser.add_argument("--sockets", type=int, default=4, help="sockets at each table: one plays both seats, the others watch")
    parser.add_argument("--rate", type=float, default=100)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--settle", type=float, default=20, help="seconds before measuring: the compiled rules are loaded meanwhile")
    chosen = parser.parse_args()
    import resource

    resource.setrlimit(resource.RLIMIT_NOFILE, (min(65536, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)
    with tempfile.TemporaryDirectory() as folder:
        code = (
            "import uvicorn; from rulestone.server.app import create_app; "
            f"uvicorn.run(create_app('sqlite:///{folder}/t.db', limits=False), port={PORT}, log_level='warning')"
        )
        server = subprocess.Popen([sys.executable, "-c", f"if __name__ == '__main__':\n    {code.replace('; ', chr(10) + '    ')}"])
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(server.pid, {max(os.sched_getaffinity(0))})
        try:
            for _ in range(100):
                try:
                    call("/api/games")
                    break
                except OSError:
                    time.sleep(0.1)
            print(
                json.dumps(
                    asyncio.run(run(server.pid, chosen.tables, chosen.sockets, chosen.rate, chosen.seconds, chosen.settle)), indent=2
                )
            )
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
