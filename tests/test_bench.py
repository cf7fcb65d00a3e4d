"""The server benchmark measures what it claims to measure."""

import json
import random
import subprocess
import sys

import pytest
from bench import side_by_side

import rulestone
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


def test_the_games_of_the_bench_fill_the_grid_and_nobody_wins():
    for seed in range(5):
        match = rulestone.load("connect_four").new(seed=1)
        for column in side_by_side.drawn_game(random.Random(seed)):
            assert not match.over
            match.play(("drop", column))
        assert (match.over, match.payoff, match.ply) == (True, (0.0, 0.0), 42)


@pytest.mark.slow
def test_a_contender_climbs_is_killed_and_loses_nothing(tmp_path):
    program = """
import json, sys
from bench import side_by_side as bench
if __name__ == "__main__":
    bench.RATES = (5, 10)
    few = bench.Scale(tables=2, seconds=1, kills=1, doomed=2)
    start = lambda port: [sys.executable, "-c", bench.one.SERVER, f"sqlite:///{sys.argv[1]}/tables.db", str(port), ""]
    server = bench.Contender("ours", start)
    print(json.dumps([bench.ladder(server, few, str), bench.killed(server, few, str)]))
"""
    ended = subprocess.run([sys.executable, "-c", program, tmp_path], capture_output=True, text=True, check=False, cwd=ROOT, timeout=170)
    assert ended.returncode == 0, ended.stderr
    climbed, killed = json.loads(ended.stdout)
    assert [step["failed"] for step in climbed["steps"]] == [0] * len(climbed["steps"])
    assert all(step["cpu_ms_per_move"] > 0 for step in climbed["steps"])
    assert killed["acknowledged"] > 0
    assert killed["lost"] == 0
