"""Playouts on the GPU and on one core, game by game, and whether the results agree: python -m bench.gpu [GAME …]"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.table import Table

import rulestone
from bench.machine import machine, versions
from bench.measure import Sample, amount_for
from bench.random_play import timed_playouts
from rulestone.engine.gpu import check
from rulestone.engine.playouts import playouts

SECONDS = 1.0
SAME = 2_000
"""Games compared one by one."""
FULL = 200_000
"""Games that fill a large GPU."""


@dataclass(frozen=True)
class Row:
    game: str
    bots: str
    compile_seconds: float
    same: bool
    core: float
    gpu: float


def measure(name: str, bots: str) -> Row:
    """Decisions per second of one game on a core and on the GPU; the time includes fetching the results from the GPU."""
    game = rulestone.load(name)
    here = playouts(game, SAME, bots=bots, seed=7)
    began = time.perf_counter()
    there = playouts(game, SAME, bots=bots, seed=7, gpu=True)
    compiling = time.perf_counter() - began
    same = all(np.array_equal(getattr(here, part), getattr(there, part)) for part in ("payoffs", "lengths", "verbs"))

    def play(games: int, gpu: bool = False) -> Sample:
        return timed_playouts(game, games, threads=1, bots=bots, gpu=gpu)

    core = play(amount_for(play, SECONDS))
    full = play(FULL, gpu=True)  # fewer games would leave most of it idle
    if full.seconds < SECONDS:
        full = play(int(FULL * SECONDS / full.seconds), gpu=True)
    return Row(name, bots, compiling, same, core.rate, full.rate)


def main(arguments: Sequence[str]) -> int:
    """Print a table. Return 1 if any game went differently on the GPU."""
    console = Console(width=140)
    device = check().get_current_device()
    facts = {"GPU": device.name.decode() if isinstance(device.name, bytes) else str(device.name), **machine(), **versions()}
    console.print(", ".join(f"{name} {value}" for name, value in facts.items()))
    table = Table(box=None)
    for column in ("game", "bots", "compiling, s", "same games", "decisions/s, one core", "decisions/s, GPU", "ratio"):
        table.add_column(column, justify="left" if column in ("game", "bots") else "right")
    rows = []
    for name in arguments or rulestone.games.names():
        for bots in ("random", "greedy") if rulestone.load(name).greedy else ("random",):
            try:
                row = measure(name, bots)
            except Exception as problem:  # one broken game must not hide the figures of the others
                console.print(f"{name} {bots}: {type(problem).__name__}: {str(problem)[:1500]}", markup=False)
                rows.append(Row(name, bots, 0, False, 0, 0))
                continue
            rows.append(row)
            print(row, flush=True)
            figures = (f"{row.compile_seconds:.1f}", "yes" if row.same else "NO", f"{row.core:,.0f}", f"{row.gpu:,.0f}")
            table.add_row(name, bots, *figures, f"{row.gpu / row.core:,.1f}")
    console.print(table)
    return 0 if all(row.same for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
