"""Rules that never end: an interpreted rule is stopped after some seconds, and the error names the line it was in.

Compiled rules can't be stopped, so every game from a folder is tried out interpreted before it is compiled.
"""

from __future__ import annotations

import ctypes
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

SECONDS = 5.0
"""How much processor time one call of a rule may take. No honest rule takes a hundredth of it."""
LOOKS = 0.5
"""How often somebody looks, in seconds."""


class Endless(ValueError):
    """A rule ran for too long. The message says which line was running."""


class Patience:
    """Watches the calls that are running, at most one per thread."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.running: dict[int, tuple[float, Path]] = {}
        """By thread: the processor time at which a call is stopped, and the game's folder."""
        self.stopped: dict[int, str] = {}
        """By thread: the line that a call was stopped in."""
        self.watcher: threading.Thread | None = None

    def begin(self, folder: Path) -> bool:
        """Put the call that follows under watch; returns False if an outer one already is. End it with `end`."""
        thread = threading.get_ident()
        if thread in self.running:
            return False
        with self.lock:
            self.running[thread] = clock(thread) + SECONDS, folder
            if self.watcher is None:
                self.watcher = threading.Thread(target=self._watch, name="patience", daemon=True)
                self.watcher.start()
        return True

    def end(self) -> None:
        """The call has ended."""
        with self.lock:
            self.running.pop(threading.get_ident(), None)

    @contextmanager
    def over(self, folder: Path) -> Iterator[None]:
        """Watch a block of interpreted code. Raises Endless if it takes too long."""
        watched = self.begin(folder)
        try:
            yield
        except Endless as problem:
            if problem.args:  # an inner call has already said where
                raise
            raise Endless(f"{self.where()}: this runs without end") from None
        finally:
            if watched:
                self.end()

    def where(self) -> str:
        """Return the line that this thread's last call was stopped in."""
        with self.lock:
            return self.stopped.pop(threading.get_ident(), "somewhere")

    def _watch(self) -> None:
        while True:
            time.sleep(LOOKS)
            with self.lock:
                if not self.running:
                    self.watcher = None  # the next call starts another one
                    return
                for thread, (limit, folder) in list(self.running.items()):
                    self._look(thread, limit, folder)

    def _look(self, thread: int, limit: float, folder: Path) -> None:
        """Stop a call that has taken too long. Nothing of the call is kept: its frame would keep the whole game alive."""
        frame = sys._current_frames().get(thread)
        if frame is None:  # the thread is gone
            del self.running[thread]
        elif clock(thread) > limit:
            del self.running[thread]
            self.stopped[thread] = line_in(folder, frame)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(Endless))


def clock(thread: int) -> float:
    """The processor time of a thread; where the system doesn't tell, the time that has passed."""
    return time.clock_gettime(time.pthread_getcpuclockid(thread)) if hasattr(time, "pthread_getcpuclockid") else time.monotonic()


def line_in(folder: Path, frame: FrameType | None) -> str:
    """Return the innermost line of a game's own files in a stack of calls."""
    while frame is not None:
        if Path(frame.f_code.co_filename).is_relative_to(folder):
            return f"{frame.f_code.co_filename} line {frame.f_lineno}, in {frame.f_code.co_name}"
        frame = frame.f_back
    return "outside the game's files"


patience = Patience()
"""The one of this process."""
