"""When a server is killed, its helper processes end too, at any moment."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SERVER = """
import asyncio, os, sys
from rulestone.game import load
from rulestone.server.thinking import Thinker

async def main():
    game = load("connect_four")
    thinker = Thinker(2)
    view = game.new(1).view(0)
    thinker.warm_up("connect_four", game)
    print("at work", flush=True)
    while True:
        await asyncio.gather(*(thinker.choose("connect_four", view, "mcts:300ms") for _ in range(3)))

if __name__ == "__main__":
    asyncio.run(main())
"""


def family(mark):
    """All processes with a marker in their environment: their commands by process id (Linux)."""
    found = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (entry / "environ").read_bytes():
                found[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:  # it has just ended
            continue
    return found


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks processes up in /proc")
@pytest.mark.parametrize("blind", [False, True], ids=["both ways", "by the pipe alone"])
def test_no_helper_outlives_a_server_that_is_killed(blind, tmp_path):
    if blind:  # as on systems without it
        (tmp_path / "sitecustomize.py").write_text("import sys; sys.platform = 'elsewhere'")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    left = {}
    for k, moment in enumerate((0.02, 0.1, 0.2, 0.3, 0.45, 0.6, 0.9, 1.5)):
        mark = f"rulestone-orphans-{os.getpid()}-{blind}-{k}"
        server = subprocess.Popen(
            [sys.executable, "-c", SERVER],
            env={**os.environ, "MARK": mark, "PYTHONPATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        try:
            assert server.stdout.readline() == "at work\n"
            time.sleep(moment)
        finally:
            server.kill()
            server.wait()
            server.stdout.close()
        left[moment] = mark
    until = time.monotonic() + 20
    while (orphans := {moment: family(mark) for moment, mark in left.items() if family(mark)}) and time.monotonic() < until:
        time.sleep(0.1)
    for processes in orphans.values():
        for process in processes:
            os.kill(process, signal.SIGKILL)
    assert not orphans
