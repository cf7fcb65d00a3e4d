"""What the lab's statistics cost: `python -m bench.lab` plays the same random games as plain playouts and as a study, in turn.

Rates are per second of CPU time, which other work on the machine hardly affects; the million games are timed by the wall clock.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

import rulestone
from rulestone.engine.playouts import playouts
from rulestone.games import names as game_names
from rulestone.lab import Study, make_plan
from rulestone.lab.run import blocks_of, work

ROUNDS = 7
GAMES = 1_000_000
"""The size of the study; only part of it is played here."""
SECONDS = 1.0


def cost(name: str) -> tuple[float, float]:
    """Games per second of plain playouts, and the share of that speed that a study keeps (medians over rounds)."""
    game = rulestone.load(name)
    playouts(game, 10, seed=1, threads=1)
    Study(make_plan(name, games=10), workers=1).run()
    began = time.process_time()
    playouts(game, 200, seed=1, threads=1)
    portion = max(200, min(GAMES, round(200 * SECONDS / max(1e-6, time.process_time() - began))))
    raw, kept = [], []
    for number in range(ROUNDS):
        began = time.process_time()
        playouts(game, portion, seed=number, threads=1)
        plain = time.process_time() - began
        study = Study(make_plan(name, games=GAMES, seed=number), workers=1)
        began = time.process_time()
        played = _play(study, portion)
        raw.append(portion / plain)
        kept.append(played / (time.process_time() - began) / raw[-1])
    return statistics.median(raw), statistics.median(kept)


def _play(study: Study, games: int) -> int:
    """Play and add up some blocks of a study; return the number of games."""
    played = 0
    for block in blocks_of(study.plan):
        study.results.add(work(study.plan, block, False))
        played = int(study.results.cells[0]["seats"][0, :, 0].sum())
        if played >= games:
            break
    return played


def million() -> float:
    """Seconds for a whole study of a million games of Connect Four, on all cores, without compiling."""
    Study(make_plan("connect_four", games=1000)).run()
    began = time.perf_counter()
    Study(make_plan("connect_four", games=1_000_000)).run()
    return time.perf_counter() - began


def measure(say: Callable[[str], None], games: Sequence[str] = ()) -> tuple[dict[str, tuple[float, float]], float]:
    """`cost` of each game, and the seconds of `million`."""
    costs = {}
    for name in games or game_names():
        say(f"lab, {name}")
        costs[name] = cost(name)
    return costs, million()


def table(costs: dict[str, tuple[float, float]], seconds: float) -> Table:
    """One line per game."""
    made = Table(title="Random play on one core: how much of the engine's speed a study keeps")
    made.caption = f"A study of 1,000,000 games of Connect Four took {seconds:.1f} s."
    for column in ("game", "plain playouts, games/s", "a study keeps"):
        made.add_column(column, justify="left" if column == "game" else "right")
    for name, (raw, kept) in costs.items():
        made.add_row(name, f"{raw:,.0f}", f"{kept:.0%}")
    return made


def as_json(costs: dict[str, tuple[float, float]], seconds: float) -> dict[str, Any]:
    """The same as JSON-ready data."""
    return {
        "games": {name: {"plain playouts, games/s": raw, "a study keeps": kept} for name, (raw, kept) in costs.items()},
        "a million games of Connect Four, seconds": seconds,
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.lab", description=__doc__)
    parser.add_argument("games", nargs="*", help="which games (default: all)")
    console = Console()
    console.print(table(*measure(lambda text: console.print(text, style="dim"), parser.parse_args().games)))


if __name__ == "__main__":
    main()
