"""The entry point: `python -m bench [--quick] [--json PATH] [--only PART]` from the project root."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench import games, random_play, report, search, start_up, targets
from bench.machine import BUSY, machine, versions

RESULTS = Path(__file__).parent / "results"
WIDE = 160
"""The width of tables in a file."""


@dataclass(frozen=True)
class Effort:
    """How long to measure."""

    rounds: int
    round_seconds: float
    repetitions: int
    game_seconds: float


FULL, QUICK = Effort(5, 2.0, 5, 1.5), Effort(3, 0.4, 3, 0.3)


@dataclass(frozen=True)
class Part:
    """The results of one part of the benchmark."""

    table: Table
    figures: dict[str, Any]
    targets: list[targets.Target]
    failed: dict[str, str]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and save. Return 0 if everything was measured, 1 if a game failed; a missed target is not an error."""
    options = _parser().parse_args(arguments)
    console = Console() if sys.stdout.isatty() else Console(width=WIDE)
    path: Path = options.json or RESULTS / time.strftime("%Y-%m-%d-%H%M%S.json")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    except OSError as problem:
        console.print(f"Can't write the results to {path}: {problem.strerror}")
        return 2
    here, involved = machine(), versions()
    console.print(report.facts_table("Machine", here), report.facts_table("Versions", involved))
    if float(here["load"]) > BUSY:
        console.print(f"The machine is busy (load {here['load']}): these figures are too low and noisy.", style="yellow")
    effort = QUICK if options.quick else FULL
    parts = {}
    for name in [options.only] if options.only else _MEASURES:
        with console.status(name) as status:
            parts[name] = _MEASURES[name](effort, _teller(console, status.update))
        console.print(parts[name].table)
    promised = [target for part in parts.values() for target in part.targets]
    if promised:
        console.print(report.targets_table(promised))
    figures: dict[str, Any] = {"made": time.strftime("%Y-%m-%dT%H:%M:%S%z"), "quick": options.quick, "machine": here, "versions": involved}
    figures |= {name: part.figures for name, part in parts.items()} | {"targets": [target.as_json() for target in promised]}
    path.write_text(json.dumps(figures, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    console.print(f"The results are in {path}.")
    return 1 if any(part.failed for part in parts.values()) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure Rulestone side by side with similar libraries.")
    parser.add_argument("--quick", action="store_true", help="short measurements, for a first look")
    parser.add_argument("--json", type=Path, metavar="PATH", help="where to save the figures (default: a new file in bench/results/)")
    parser.add_argument("--only", choices=_MEASURES, help="measure only this part")
    return parser


def _teller(console: Console, update: Callable[[str], None]) -> Callable[[str], None]:
    """Show progress as a status line in a terminal; in a file, print only what was skipped."""

    def say(text: str) -> None:
        if text.startswith("skipping"):
            console.print(text, style="yellow")
        else:
            update(text)

    return say


def _random_play(effort: Effort, say: Callable[[str], None]) -> Part:
    standing = random_play.measure(effort.rounds, effort.round_seconds, say)
    return Part(report.standing_table(standing), report.standing_json(standing), targets.of_random_play(standing), {})


def _start_up(effort: Effort, say: Callable[[str], None]) -> Part:
    outcome = start_up.measure(effort.repetitions, say)
    return Part(report.start_up_table(outcome), report.start_up_json(outcome), targets.of_start_up(outcome), outcome.failed)


def _games(effort: Effort, say: Callable[[str], None]) -> Part:
    outcome = games.measure(effort.game_seconds, say)
    return Part(report.games_table(outcome), report.games_json(outcome), [], outcome.failed)


def _search(effort: Effort, say: Callable[[str], None]) -> Part:
    standing = search.measure(effort.rounds, effort.game_seconds, say)
    return Part(report.search_table(standing), report.search_json(standing), targets.of_search(standing), standing.failed)


def _environments(effort: Effort, say: Callable[[str], None]) -> Part:
    from bench import environments  # needs the extra `envs`

    standing = environments.measure(effort.rounds, effort.round_seconds, say)
    rates = {name: contender.rates().as_json() for name, contender in standing.contenders.items()}
    return Part(environments.table(standing), {"steps per second": rates}, environments.targets(standing), {})


def _lab(effort: Effort, say: Callable[[str], None]) -> Part:
    from bench import lab

    costs, seconds = lab.measure(say)
    return Part(lab.table(costs, seconds), lab.as_json(costs, seconds), [], {})


def _server(effort: Effort, say: Callable[[str], None]) -> Part:
    from bench import server

    figures = server.measure(10 * effort.round_seconds, say)
    return Part(server.table(figures), figures, server.targets(figures), {})


_MEASURES: dict[str, Callable[[Effort, Callable[[str], None]], Part]] = {
    "random_play": _random_play,
    "start_up": _start_up,
    "games": _games,
    "search": _search,
    "environments": _environments,
    "lab": _lab,
    "server": _server,
}


if __name__ == "__main__":
    sys.exit(main())
