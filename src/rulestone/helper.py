"""Processes that work for another one: they leave Ctrl-C to it, stand back, and never outlive it."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
import threading

PR_SET_PDEATHSIG = 1


def settle_in(stand_back: int) -> None:
    """How a helper begins (a process pool's `initializer`). `stand_back` is how much further back it queues for the processor."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(stand_back)
    _follow()


def _follow() -> None:
    """End with the process that started this one, however it ended and however long ago.

    Linux kills a helper at once, even in compiled code, if its parent (strictly, the parent's thread that started it) ends. Everywhere
    else, and if the parent has ended before Linux could be asked, the pipe that every helper is started through closes.
    """
    parent = multiprocessing.parent_process()
    assert parent is not None
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent.pid:
            os._exit(0)

    def wait() -> None:
        parent.join()
        os._exit(0)

    threading.Thread(target=wait, daemon=True).start()
