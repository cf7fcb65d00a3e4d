"""The figures as tables for people and as JSON for programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from rich.table import Table

from bench.games import Games
from bench.measure import Summary, cores_used, mean_length
from bench.random_play import COMPILED, TWO_CORES, Contender, Standing
from bench.search import OURS
from bench.search import Standing as Searches
from bench.start_up import Mark, StartUp
from bench.targets import Target

UNKNOWN, NOT_MEASURED = "–", "not measured"


def _table(title: str, *columns: str) -> Table:
    """A table with words in the first column and figures in the others."""
    table = Table(title=title, title_justify="left", title_style="bold")
    for number, column in enumerate(columns):
        table.add_column(column, justify="right" if number else "left", no_wrap=not number)
    return table


def facts_table(title: str, facts: dict[str, Any]) -> Table:
    """A table of names and values."""
    table = _table(title, "what", "value")
    for name, value in facts.items():
        table.add_row(name, str(value))
    return table


def standing_table(standing: Standing) -> Table:
    """Steps per second of all contenders, and how Rulestone on one core compares."""
    columns = ("library", "cores used", "steps/s", "spread", "moves per game", "compiled on 1 core is faster", "how")
    table = _table("Connect Four, random play", *columns)
    for contender in standing.contenders.values():
        rates, samples = contender.rates(), contender.samples
        ratio = standing.ratio(COMPILED, contender.name)
        times = UNKNOWN if contender.name == COMPILED or ratio is None else f"{ratio.median:,.2f} ×"
        used = f"{cores_used(samples):.2f} of {contender.cores}"
        length = f"{mean_length(samples):.2f}"
        table.add_row(contender.name, used, f"{rates.median:,.0f}", f"{rates.spread:.0%}", length, times, contender.note)
    for name in standing.skipped:
        table.add_row(name, UNKNOWN, "skipped", UNKNOWN, UNKNOWN, UNKNOWN, "not installed")
    gain = standing.ratio(TWO_CORES, COMPILED)
    if gain is not None:
        table.caption = (
            f"Two cores are {gain.median:.2f} × as fast as one ({gain.low:.2f} to {gain.high:.2f}). Ratios are medians over rounds."
        )
    return table


def start_up_table(outcome: StartUp) -> Table:
    """Seconds from the start of a process."""
    columns = ("game", "cold, first playout", "cold, everything compiled", "second process, first playout", "spread")
    table = _table("Seconds from the start of a process (in brackets: CPU seconds)", *columns)
    for name, start in outcome.games.items():
        warm = f"{start.warm.median:.2f} ({start.warm_processor.median:.2f})"
        table.add_row(name, _mark(start.cold_playout), _mark(start.cold_everything), warm, f"{start.warm.spread:.0%}")
    for name, why in outcome.failed.items():
        table.add_row(name, "failed", why, UNKNOWN, UNKNOWN)
    table.caption = f"import rulestone: {outcome.importing.median:.3f} s (spread {outcome.importing.spread:.0%})"
    return table


def _mark(mark: Mark) -> str:
    return f"{mark.seconds:.2f} ({mark.processor_seconds:.2f})"


def games_table(outcome: Games) -> Table:
    """Decisions per second in every game."""
    table = _table("Random play on one core, compiled", "game", "players", "decisions/s", "games/s", "decisions per game")
    for (name, players), sample in outcome.samples.items():
        speed = f"{sample.games / sample.seconds:,.0f}"
        table.add_row(name, str(players), f"{sample.rate:,.0f}", speed, f"{mean_length([sample]):.1f}")
    for name, why in outcome.failed.items():
        table.add_row(name, UNKNOWN, "failed", why, UNKNOWN)
    return table


def search_table(outcome: Searches) -> Table:
    """Simulations per second of all contenders on Connect Four, then of our bot in every game with the game's own settings."""
    table = _table("Tree search on one core", "library or game", "players", "simulations/s", "Rulestone is faster")
    for name in outcome.contenders:
        ratio = outcome.ratio(OURS, name)
        times = UNKNOWN if name == OURS or ratio is None else f"{ratio.median:,.2f} ×"
        table.add_row(name, "2", f"{outcome.rates(name).median:,.0f}", times)
    for (name, players), sample in outcome.games.items():
        table.add_row(name, str(players), f"{sample.rate:,.0f}", UNKNOWN)
    for name, why in outcome.failed.items():
        table.add_row(name, UNKNOWN, "failed", why)
    return table


def targets_table(targets: list[Target]) -> Table:
    """Each target and whether it is reached."""
    table = _table("Targets", "what", "target", "measured", "reached")
    for target in targets:
        verdict = UNKNOWN if target.reached is None else "yes" if target.reached else "NO"
        table.add_row(target.what, target.wanted, target.measured or NOT_MEASURED, verdict)
    return table


# ---- JSON -----------------------------------------------------------------------------------------------------------


def standing_json(standing: Standing) -> dict[str, Any]:
    """All contenders' rates, round by round, and the ratios."""
    return {
        "contenders": {contender.name: _contender_json(contender) for contender in standing.contenders.values()},
        "skipped": standing.skipped,
        "ratios": {
            "compiled on one core over": {name: _ratio_json(standing, COMPILED, name) for name in standing.contenders if name != COMPILED},
            "two cores over one": _ratio_json(standing, TWO_CORES, COMPILED),
        },
    }


def _contender_json(contender: Contender) -> dict[str, Any]:
    return {
        "cores": contender.cores,
        "cores used": cores_used(contender.samples),
        "how": contender.note,
        "steps per second": contender.rates().as_json(),
        "rounds": [sample.rate for sample in contender.samples],
        "moves a game": mean_length(contender.samples),
    }


def _ratio_json(standing: Standing, over: str, under: str) -> dict[str, float] | None:
    ratio: Summary | None = standing.ratio(over, under)
    return None if ratio is None else ratio.as_json()


def start_up_json(outcome: StartUp) -> dict[str, Any]:
    """The import and each game's start, in seconds."""
    return {
        "import": outcome.importing.as_json(),
        "games": {
            name: {
                "cold, first playout": asdict(start.cold_playout),
                "cold, everything": asdict(start.cold_everything),
                "second process, first playout": start.warm.as_json(),
                "second process, first playout, processor seconds": start.warm_processor.as_json(),
            }
            for name, start in outcome.games.items()
        },
        "failed": outcome.failed,
    }


def search_json(outcome: Searches) -> dict[str, Any]:
    """Simulations per second."""
    return {
        "contenders": {name: outcome.rates(name).as_json() for name in outcome.contenders},
        "games": [{"game": name, "players": players, "simulations per second": s.rate} for (name, players), s in outcome.games.items()],
        "skipped": outcome.skipped,
        "failed": outcome.failed,
    }


def games_json(outcome: Games) -> dict[str, Any]:
    """Each game with each number of players."""
    rows = [
        {
            "game": name,
            "players": players,
            "decisions per second": sample.rate,
            "games per second": sample.games / sample.seconds,
            "decisions a game": mean_length([sample]),
        }
        for (name, players), sample in outcome.samples.items()
    ]
    return {"games": rows, "failed": outcome.failed}
