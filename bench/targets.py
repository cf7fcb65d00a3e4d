"""The targets, and whether the figures reach them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from bench import random_play, search
from bench.measure import Summary, cores_used
from bench.random_play import Standing
from bench.start_up import StartUp, slowest

QUIET = 0.95
"""The share of the cores that must be free for the figures to count."""


@dataclass(frozen=True)
class Target:
    """One target: what is wanted, what was measured (None: it could not be), and whether that is enough."""

    what: str
    wanted: str
    measured: str | None
    reached: bool | None

    def as_json(self) -> dict[str, Any]:
        """The target as JSON-ready data."""
        return asdict(self)


def of_random_play(standing: Standing) -> list[Target]:
    """Speed against OpenSpiel, the gain of a second core, and the interpreter's speed."""
    against = standing.ratio(random_play.COMPILED, random_play.SPIEL_LOOP)
    gain = standing.ratio(random_play.TWO_CORES, random_play.COMPILED)
    interpreted = standing.contenders[random_play.INTERPRETED].rates()
    return [
        _at_least("compiled, one core, against OpenSpiel's C++ loop", 10, against, "×"),
        _at_least("two cores against one", 1.8, gain, "×", _cores_missing(standing)),
        _at_least("interpreted", 30_000, interpreted, " steps/s"),
    ]


def of_search(standing: search.Standing) -> list[Target]:
    """Speed against OpenSpiel's search on Connect Four."""
    return [_at_least("tree search against OpenSpiel's MCTSBot", 4, standing.ratio(search.OURS, search.MCTS), "×")]


def _cores_missing(standing: Standing) -> str:
    """A remark if other processes were using the second core, which no program can make up for."""
    pair = standing.contenders.get(random_play.TWO_CORES)
    used = cores_used(pair.samples) if pair else 2.0
    return "" if used >= QUIET * 2 else f" (only {used:.2f} cores were free)"


def of_start_up(outcome: StartUp) -> list[Target]:
    """The import, the slowest second start and the slowest cold compilation."""
    warm = {name: start.warm.median for name, start in outcome.games.items()}
    cold = {name: start.cold_everything.seconds for name, start in outcome.games.items()}
    return [
        _below("import rulestone", 0.3, outcome.importing.median),
        _slowest_below("second process to the first compiled playout", 1.5, warm),
        _slowest_below("cold compilation of a game (aim)", 15, cold),
    ]


def _at_least(what: str, wanted: float, measured: Summary | None, unit: str, remark: str = "") -> Target:
    """A target that is reached if the median is at least `wanted`."""
    if measured is None:
        return Target(what, f"≥ {wanted:,}{unit}", None, None)
    value = measured.median
    return Target(what, f"≥ {wanted:,}{unit}", f"{value:,.{2 if value < 1000 else 0}f}{unit}{remark}", value >= wanted)


def _below(what: str, wanted: float, seconds: float, where: str = "") -> Target:
    """A target that is reached below `wanted` seconds."""
    return Target(what, f"< {wanted} s", f"{seconds:.2f} s{where}", seconds < wanted)


def _slowest_below(what: str, wanted: float, seconds: dict[str, float]) -> Target:
    """The same for the slowest of several games."""
    if not seconds:
        return Target(what, f"< {wanted} s", None, None)
    name, worst = slowest(seconds)
    return _below(what, wanted, worst, f" ({name})")
