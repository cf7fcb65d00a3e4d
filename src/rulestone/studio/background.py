"""Work about the version at the table, in a process of low priority, while the designer goes on playing.

Every new version ends the work about the one before, and starts it again.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, ClassVar

from rulestone.studio.bench import Bench

CALM = 0.6
"""Seconds without another wish before the work begins."""


class Background:
    """One piece of work after the other, each in a process of its own."""

    interrupted: ClassVar[Any] = None
    """What `tell` gets if the process ends without a word."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.wanted = threading.Event()
        self.closing = False
        self.thread = threading.Thread(target=self._run, name=type(self).__name__, daemon=True)
        bench.changed.append(self.hear)

    def work(self) -> tuple[Callable[..., None], tuple[Any, ...]] | None:
        """What to do now: a function that is called in the process with these arguments and a pipe for what it tells; None: nothing."""
        raise NotImplementedError

    def tell(self, told: Any) -> bool:
        """The process has told something. Returns whether the work is done."""
        raise NotImplementedError

    def open(self) -> None:
        """Begin with the version that is at the table."""
        self.wanted.set()
        self.thread.start()

    def hear(self, what: str) -> None:
        """A new version ends the work about the one before."""
        if what == "version":
            self.wanted.set()

    def close(self) -> None:
        """End everything."""
        self.bench.changed.remove(self.hear)
        self.closing = True
        self.wanted.set()
        self.thread.join()

    def _run(self) -> None:
        while True:
            self.wanted.wait()
            while not self.closing:
                self.wanted.clear()
                if not self.wanted.wait(CALM):
                    break
            if self.closing:
                return
            if (todo := self.work()) is not None:
                self._do(*todo)

    def _do(self, act: Callable[..., None], arguments: tuple[Any, ...]) -> None:
        """Do a piece of work until it is done or another one is wanted."""
        mine, other = multiprocessing.Pipe(duplex=False)
        process: BaseProcess = multiprocessing.get_context("spawn").Process(target=act, args=(*arguments, other), daemon=True)
        process.start()
        other.close()
        try:
            while not self.wanted.is_set():
                if not mine.poll(0.1):
                    continue
                try:
                    told = mine.recv()
                except EOFError:
                    told = self.interrupted
                if self.tell(told):
                    return
        finally:
            process.kill()
            process.join()
            process.close()
            mine.close()


def send(out: Connection, told: Any) -> None:
    """Tell something. If nobody listens any more, that is no problem."""
    with contextlib.suppress(OSError):
        out.send(told)
