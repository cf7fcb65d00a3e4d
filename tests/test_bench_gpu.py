"""The bench of a GPU, without one: its parts keep what they have measured, and the figures are printed as the docs show them."""

import json
import os
import subprocess
import sys
import threading

import pytest
from bench import gpu

from tests.conftest import ROOT


def script(text):
    return [sys.executable, "-c", f"import json, sys, time\nsay = lambda **one: print(json.dumps(one), flush=True)\n{text}"]


def test_a_part_that_is_cut_off_or_fails_keeps_what_it_has_measured(monkeypatch):
    """Time is up for the slow part once everybody has spoken."""
    said, timers = [], []
    commands = {
        "slow": script("say(a=1)\nprint('no figure')\nsay(a=1, b=2)\ntime.sleep(600)"),
        "wrong": script("say(a=3)\nraise ValueError('no such game')"),
        "good": script("say(a=4)"),
    }

    class Timer:
        def __init__(self, seconds, kill):
            self.kill, self.finished = kill, threading.Event()
            timers.append(self)

        def start(self):
            pass

        cancel = start

    def hear(part, figures):
        said.append((part, figures))
        if len(said) == 5:
            slow = next(timer for timer in timers if timer.kill.__self__.args == commands["slow"])
            slow.finished.set()
            slow.kill()

    monkeypatch.setattr(gpu.threading, "Timer", Timer)
    gpu.run_all(commands, 60.0, hear)
    by_part = {part: [figures for one, figures in said if one == part] for part in commands}
    assert by_part == {
        "slow": [{"a": 1}, {"a": 1, "b": 2}, {"failed": "out of time"}],
        "wrong": [{"a": 3}, {"failed": "ValueError: no such game"}],
        "good": [{"a": 4}],
    }


def test_parts_that_could_not_begin_are_out_of_time(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0})
    said = {}
    gpu.run_all({name: script("time.sleep(600)") for name in "abc"}, 0.5, said.__setitem__)
    assert said == {name: {"failed": "out of time"} for name in "abc"}


FIGURES = {
    "facts": {"GPU": "a card", "cores": 16},
    "results": {
        "peer connect_four": {"part": "peers", "game": "Pgx connect_four", "sizes": {"4096": {"random": 1e9, "step": 2e8, "network": 1e8},
                                                                                  "8192": {"random": 5e8, "step": 4e8}}},
        "play hydra_regatta greedy": {"part": "games", "game": "hydra_regatta", "bots": "greedy", "compiling": 54.2, "same": False,
                                      "core": 1e5, "totals": 1.1e6},
        "play connect_four random": {"part": "games", "game": "connect_four", "bots": "random", "compiling": 3.1, "same": True, "core": 2e7,
                                     "totals": 1.5e10, "kernel": 1.6e10, "rows": 3.124e9},
        "play sarpedon random": {"part": "games", "game": "sarpedon", "bots": "random", "compiling": 9.0, "same": True,
                                 "failed": "out of time"},
        "batches connect_four": {"part": "batches", "game": "connect_four",
                                 "sizes": {"65536": {"step": 2e9, "sampled": 1e9, "calls": 3e8, "network": 1.5e8}}},
        "peer backgammon": {"failed": "ModuleNotFoundError: No module named 'jax'"},
    },
}  # fmt: skip


def test_figures_are_printed_as_the_docs_show_them(tmp_path, capsys):
    (tmp_path / "figures.json").write_text(json.dumps(FIGURES))
    assert gpu.main(["--show", str(tmp_path / "figures.json")]) == 0
    printed = [line for line in capsys.readouterr().out.splitlines() if line and not line.startswith("| ---")]
    assert printed == [
        "GPU a card, cores 16",
        "Whole games, million decisions/s",
        "| game | bots | the same games | one core | kernel | totals | rows | totals × core | compiling, s |",
        "| connect_four | random | yes | 20.00 | 16,000 | 15,000 | 3,124 | 750 | 3 |",
        "| sarpedon | random | yes | – | – | – | – | – | 9 |",
        "| hydra_regatta | greedy | NO | 0.10 | – | 1.10 | – | 11 | 54 |",
        "Steps of batches, million/s",
        "| environment | games at once | step | with random actions | calls from Python | with a network |",
        "| Pgx connect_four | 4,096 | 200 | 1,000 | – | 100 |",
        "| Pgx connect_four | 8,192 | 400 | 500 | – | – |",
        "| connect_four | 65,536 | 2,000 | 1,000 | 300 | 150 |",
        "Connect Four, random: 15.0 × Pgx at its best batch size",
        "Connect Four, step: 5.0 × Pgx at its best batch size",
        "Connect Four, network: 1.5 × Pgx at its best batch size",
        "play sarpedon random: out of time",
        "peer backgammon: ModuleNotFoundError: No module named 'jax'",
    ]


@pytest.mark.slow
def test_every_part_runs_in_the_simulator(tmp_path):
    """Whole games and batches; Pgx, which isn't installed for the tests, is a part that fails in one sentence."""
    pytest.importorskip("numba_cuda")
    command = [sys.executable, "-W", "ignore", "-m", "bench.gpu", "connect_four", "--seconds", "0", "--json", tmp_path / "figures.json"]
    settings = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}
    ended = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, timeout=500, env=settings)
    results = json.loads((tmp_path / "figures.json").read_text())["results"]
    played, batch = results["play connect_four random"], results["batches connect_four"]
    assert played["same"], ended.stderr
    assert all(played[what] > 0 for what in ("core", "totals", "rows")), played
    assert played["kernel"]  # the simulator's clock always says -1
    assert all(rate > 0 for rate in batch["sizes"]["8"].values()), batch
    assert ended.returncode == int(any("failed" in one for one in results.values()))
    assert "| connect_four | random | yes |" in ended.stdout
