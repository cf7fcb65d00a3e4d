"""A study from beginning to end: plan, play, summarise, save."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rulestone.lab.count import counter_of
from rulestone.lab.findings import findings
from rulestone.lab.folder import Folder
from rulestone.lab.plan import Plan, Until, make_plan
from rulestone.lab.run import Block, Results, blocks_of, default_workers, empty, extras_of, run
from rulestone.lab.summary import summarise
from rulestone.statistics import mean_interval, wilson, z_at_look

SAVE_SECONDS = 5.0


def study(
    name: str, *, workers: int | None = None, ray: str | None = None, gpu: bool = False, out: str | Path | None = None, **plan: Any
) -> dict[str, Any]:
    """Run a study and return its summary. `plan` holds the arguments of `make_plan`: games, players, bots, options, vary, seed, …

    It runs on the cores of this machine, on its GPU (raises NoGpu if something is missing) or on a Ray cluster, with the same results.

    >>> summary = study("connect_four", games=1000, workers=1)
    >>> summary["cells"][0]["games"], summary["cells"][0]["seats"][0]["wins"]
    (1000, 550)
    """
    return Study(make_plan(name, **plan), workers=workers, ray=ray, gpu=gpu, out=out).run()


class Study:
    """A running plan: it can be watched, stopped and resumed."""

    def __init__(
        self,
        plan: Plan,
        *,
        workers: int | None = None,
        ray: str | None = None,
        gpu: bool = False,
        out: str | Path | None = None,
        resume: bool = False,
    ) -> None:
        self.plan, self.ray, self.gpu, self.workers = plan, ray, gpu, workers or default_workers()
        if gpu:
            from rulestone.lab.gpu import check_plan

            check_plan(plan)
        self.folder = Folder(Path(out)) if out is not None else None
        self.results: Results = empty(plan)
        check_until(plan)
        if self.folder is not None and resume:
            self.plan, self.results = self.folder.resume(plan)
        elif self.folder is not None:
            self.folder.begin(plan)
        self.saved = time.monotonic()

    @property
    def total(self) -> int:
        """The number of blocks at most."""
        return len(blocks_of(self.plan)) + len(extras_of(self.plan))

    def run(self, progress: Callable[[Block, Results], None] | None = None) -> dict[str, Any]:
        """Play what is left and return the summary. With a folder, what was played is saved whatever happens."""
        folder, plan = self.folder, self.plan

        def seen(block: Block, results: Results) -> None:
            if folder is not None and time.monotonic() - self.saved > SAVE_SECONDS:
                folder.save(results)
                self.saved = time.monotonic()
            if progress is not None:
                progress(block, results)

        until = plan.until
        try:
            run(
                plan,
                self.results,
                workers=self.workers,
                ray=self.ray,
                gpu=self.gpu,
                keep=None if folder is None else lambda answer: folder.keep(plan, answer),
                settled=None if until is None else lambda results, look: settled(plan, until, results, look),
                progress=seen,
            )
        finally:
            if folder is not None:
                folder.save(self.results)
        summary = self.summary()
        if folder is not None:
            folder.write("summary.json", json.dumps(summary, indent=1).encode() + b"\n")
        return summary

    def summary(self) -> dict[str, Any]:
        """The summary of the games so far."""
        told = summarise(self.plan, self.results)
        return {**told, "findings": findings(told)}


def check_until(plan: Plan) -> None:
    """Raise ValueError if the stopping rule names an unknown quantity."""
    if plan.until is not None and plan.until.what != "seat win rate":
        counter = counter_of(plan.game)
        known = [name for name, measure in counter.measures.items() if measure.kind in ("number", "yes_no") and not measure.each]
        if plan.until.what not in known:
            raise ValueError(f"there is nothing called {plan.until.what!r} to measure; possible: seat win rate, {', '.join(known)}")


def settled(plan: Plan, until: Until, results: Results, look: int) -> bool:
    """Whether the quantity is known precisely enough in every cell. The interval allows for all looks, this one and those to come."""
    for cell, totals in zip(plan.cells, results.cells, strict=True):
        counter = counter_of(plan.game_of(cell))
        if until.what == "seat win rate":
            z = z_at_look(look, 1 if counter.game.cooperative else cell.players)
            intervals = [wilson(float(row[1]), float(row[0]), z) for row in totals["seats"][: cell.players].sum(axis=1)]
        else:
            place = counter.place[until.what]
            n, total, squares = (float(value) for value in totals["sums"][place, :3])
            _, low, high = mean_interval(n, total, squares, z_at_look(look))
            intervals = [(low, high)]
        if any((high - low) / 2 > until.within for low, high in intervals):
            return False
    return True
