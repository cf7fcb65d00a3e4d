"""Helper processes: they leave Ctrl-C to their parent, run at lower priority, and never outlive it."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
import threading

PR_SET_PDEATHSIG = 1


def settle_in(stand_back: int) -> None:
    """Set up a helper process; use it as the `initializer` of a process pool. `stand_back` is added to its niceness."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(stand_back)
    _follow()


def _follow() -> None:
    """Exit when the parent process ends, however it ends, even if it already has.

    On Linux, the kernel kills a helper as soon as its parent ends (strictly, the parent's thread that started it), even in compiled code.
    On other systems, the pipe through which the helper was started closes.
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
