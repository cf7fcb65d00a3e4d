"""The server benchmark measures what it claims to measure."""

import json
import subprocess
import sys

import pytest

from tests.conftest import ROOT


def bench(*more):
    command = [sys.executable, "-m", "bench.server", "--tables", "1", "--sockets", "2", "--rate", "5", *more]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, timeout=200)


@pytest.mark.slow
def test_bots_think_as_long_as_the_server_is_measured():
    """Their first games, played by the quick bot while the search is compiled, are over within a second."""
    ended = bench("--thinking", "2", "--settle", "8", "--seconds", "4")
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["bot_moves"] > 0


@pytest.mark.slow
def test_the_bench_fails_if_no_bot_thinks():
    ended = bench("--thinking", "1", "--settle", "0", "--seconds", "0.2")  # too short for a bot to start
    assert ended.returncode == 1
    assert "The bench failed: no bot moved" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert ended.stdout == ""
