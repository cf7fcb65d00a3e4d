"""Several processes on one port: a supervisor starts them, starts them anew if they die, and leaves none behind."""

from __future__ import annotations

import logging
import multiprocessing
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from rulestone.helper import settle_in
from rulestone.server import metrics

log = logging.getLogger(__name__)
FIRST, PAUSE, LAST = 5.0, 1.0, 20.0
"""A process that dies in its first seconds is started again after a pause; at the end, processes get so many seconds to finish."""
Work = Callable[[Callable[[], None]], None]
"""What a process does. It calls what it is given once it is ready."""


@dataclass(frozen=True)
class Fleet:
    """How many processes there are: the Redis they share, the workers, how many think for bots beside several workers (None: as many as are
    useful; 0: none here), and what each process does first."""

    redis: str | None = None
    workers: int = 1
    thinkers: int | None = None
    prepare: Callable[[], object] = bool


@dataclass
class Started:
    """A process, and the pipe through which it says that it is ready."""

    work: Work
    process: BaseProcess
    pipe: Connection
    ready: bool = False
    since: float = field(default_factory=time.monotonic)


def _begin(work: Work, pipe: Connection) -> None:
    """In the new process: it leaves Ctrl-C to its parent, and ends with it."""
    settle_in(0)
    work(lambda: pipe.send(True))


def supervise(work: Sequence[Work], ready: Callable[[], None], last: float = LAST) -> None:
    """Run processes until this one is asked to stop, and then for at most `last` seconds.

    Calls `ready` once all are; raises ValueError if one can't start at all.
    """
    context = multiprocessing.get_context("spawn")
    asked: list[int] = []
    for sign in (signal.SIGINT, signal.SIGTERM):
        signal.signal(sign, lambda number, _: asked.append(number))

    def start(one: Work) -> Started:
        mine, its = context.Pipe(duplex=False)
        process = context.Process(target=_begin, args=(one, its))
        process.start()
        its.close()
        return Started(one, process, mine)

    running = [start(one) for one in work]
    said = False
    try:
        while not asked:
            told: list[Any] = wait([one.pipe for one in running if not one.ready] + [one.process.sentinel for one in running], 0.5)
            for place, one in enumerate(running):
                if one.pipe in told and not one.ready:
                    one.ready = _heard(one.pipe)
                if not one.process.is_alive() and not asked:
                    if not said:
                        raise ValueError("a worker could not start; its own message above says why")
                    metrics.ended(one.process.pid or 0)
                    log.warning("process %s ended with code %s; starting another", one.process.pid, one.process.exitcode)
                    if time.monotonic() - one.since < FIRST:
                        time.sleep(PAUSE)
                    running[place] = start(one.work)
            if not said and all(one.ready for one in running):
                said = True
                ready()
    finally:
        stop([one.process for one in running], last)


def _heard(pipe: Connection) -> bool:
    try:
        return bool(pipe.recv())
    except EOFError:
        return False


def stop(processes: Sequence[BaseProcess], last: float = LAST) -> None:
    """Ask processes to finish; end those that don't."""
    for process in processes:
        process.terminate()
    until = time.monotonic() + last
    for process in processes:
        process.join(max(0.0, until - time.monotonic()))
        if process.is_alive():
            process.kill()
            process.join()


def listening(host: str, port: int) -> socket.socket:
    """A socket on a port that several processes share: the system spreads connections over them. Raises OSError."""
    family, kind, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listener = socket.socket(family, kind)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    listener.bind(place)
    return listener


def check(workers: int, database: str, redis: str | None) -> None:
    """Raise ValueError, in one sentence, if several workers can't share this."""
    if workers > 1 and sys.platform != "linux":
        raise ValueError("--workers shares a port, which only Linux does well; start several servers on ports of their own instead")
    if workers > 1 and (database.startswith("sqlite") or not redis):
        raise ValueError(
            "several workers need a database server and Redis: --db postgresql+asyncpg://USER@HOST/NAME --redis redis://HOST:6379"
        )
