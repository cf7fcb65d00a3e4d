"""`rulestone lab` in a terminal: shows progress while the study runs, then the findings."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from rulestone.lab.count import counter_of
from rulestone.lab.findings import findings, percent
from rulestone.lab.folder import Folder, FolderError
from rulestone.lab.plan import Plan, make_plan, name_of
from rulestone.lab.run import Block, Results
from rulestone.lab.study import Study
from rulestone.variant import split

PATIENCE = 1.0
"""Seconds that a study may be silent before a preview is played."""
FEW = 20
"""Games of random play in a preview."""


def run(
    console: Console,
    name: str,
    wanted: Mapping[str, Any] | None,
    *,
    out: Path | None,
    resume: bool,
    where: Mapping[str, Any],
    report: Path | None,
    brief: Path | None = None,
    pace: float | None = None,
    as_json: bool,
) -> int:
    """Run a study and return the exit code. Raise ValueError, with one sentence, before anything is played if the study cannot be run.

    `where` says what plays: `workers`, `ray` and `gpu` of a `Study`.
    """
    workers, ray, gpu = where["workers"], where["ray"], where["gpu"]
    if resume and out is None:
        raise ValueError("--resume needs --out FOLDER, the folder of the study to continue")
    if ray is not None and workers is not None:
        raise ValueError("--workers is for this machine, and a Ray cluster has its own; use either --workers or --ray")
    if ray is not None and gpu:
        raise ValueError("--gpu is for this machine; use either --gpu or --ray")
    plan = make_plan(name, **wanted) if wanted is not None else _kept(name, out)
    plan = plan if pace is None else replace(plan, pace=pace)
    study = Study(plan, workers=workers, ray=ray, gpu=gpu, out=out, resume=resume)
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    stopped = False
    preview = Preview(study.plan, Console(stderr=True, highlight=False))
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("compiling", total=study.total, completed=len(study.results.done))

        def seen(block: Block, results: Results) -> None:
            kinds = {"games": "playing", "estimates": "estimating", "luck": "replaying deals"}
            preview.stop()
            progress.update(task, description=kinds[block[0]], completed=len(results.done))

        try:
            summary = study.run(seen)
        except KeyboardInterrupt:
            stopped = True
            summary = study.summary()
        finally:
            preview.stop()
    played = summary["cells"][0]["games"]
    if stopped:
        again = shlex.join(["rulestone", "lab", name, "--out", str(out), "--resume"])
        kept = f"To continue: {again}" if out else "Nothing was saved. Use --out FOLDER to save a study."
        Console(stderr=True, highlight=False).print(f"Stopped after {played:,} games. {kept}", markup=False, soft_wrap=True)
        return 130
    if report is not None or brief is not None or study.folder is not None:
        _tell(study, summary, report, brief)
    if as_json:
        print(json.dumps(summary, indent=1))
        return 0
    _print(console, summary)
    if report is not None:
        console.print(f"The report is in {report}.", highlight=False, markup=False)
    if brief is not None:
        console.print(f"The brief report is in {brief}; print it from a browser to get a PDF.", highlight=False, markup=False)
    return 0


class Preview:
    """A first answer while the rules are being compiled: a few of the study's games, played interpreted by another process."""

    def __init__(self, plan: Plan, console: Console) -> None:
        self.plan, self.console, self.done = plan, console, threading.Event()
        self.process: subprocess.Popen[str] | None = None
        if counter_of(plan.game).game.mode == "compiled":
            threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        if self.done.wait(PATIENCE):
            return
        first = self.plan.cells[0]
        games = FEW if all(bot == "random" for bot in first.bots) else 2
        told = {"games": games, "players": first.players, "bots": list(first.bots), "options": dict(first.options), "seed": self.plan.seed}
        asked = json.dumps([self.plan.game_of(first), told])
        command = [sys.executable, "-m", "rulestone.lab.command", asked]
        self.process = subprocess.Popen(command, env={**os.environ, "RULESTONE_JIT": "0"}, stdout=subprocess.PIPE, text=True)
        said, _ = self.process.communicate()
        if said and not self.done.is_set():
            self.console.print(f"Still compiling. {games} games, played without compiling, say:\n{said.rstrip()}", markup=False)

    def stop(self) -> None:
        """The study itself has something to say."""
        self.done.set()
        if self.process is not None and self.process.poll() is None:
            self.process.kill()


def _preview(asked: str) -> None:
    """What the other process does."""
    name, told = json.loads(asked)
    for sentence in findings(Study(make_plan(name, **told), workers=1).run()):
        print(f"• {sentence}")


def _kept(name: str, out: Path | None) -> Plan:
    assert out is not None
    plan = Folder(out).plan()
    if name_of(name) not in (plan.game, split(plan.game)[0]):
        raise FolderError(f"{out} holds a study of {plan.game}, not of {name}")
    return plan


def _tell(study: Study, summary: dict[str, Any], report: Path | None, brief: Path | None) -> None:
    """Write the example games, the report that links to them, and the brief one."""
    from rulestone.lab.brief import html as in_brief
    from rulestone.lab.examples import Album
    from rulestone.lab.report import html

    album = Album(study.plan, study.results)
    text, short = html(summary, album), in_brief(summary, album)
    if study.folder is not None:
        for file, record in album.records.items():
            study.folder.write(f"examples/{file}", json.dumps(record, indent=1).encode() + b"\n")
        study.folder.write("report.html", text.encode())
        study.folder.write("brief.html", short.encode())
    for asked, page in ((report, text), (brief, short)):
        if asked is None:
            continue
        half = asked.with_name(asked.name + ".half")
        try:
            half.write_text(page)
            half.replace(asked)
        except OSError as problem:
            half.unlink(missing_ok=True)
            raise ValueError(f"{asked} cannot be written: {problem.strerror}") from None


def _print(console: Console, summary: dict[str, Any]) -> None:
    for sentence in summary["findings"]:
        console.print(f"• {sentence}", markup=False, soft_wrap=True)
    table = Table(box=None, header_style="bold")
    for column in ("setting", "games", "seat", "wins", "95 % interval"):
        table.add_column(column, justify="left" if column in ("setting", "seat") else "right")
    for cell in summary["cells"]:
        for seat in cell["seats"]:
            share, span = percent(seat["share"], 2), f"{percent(seat['low'], 2)} … {percent(seat['high'], 2)}"
            table.add_row(escape(cell["label"]), f"{cell['games']:,}", escape(seat["name"]), share, span)
    console.print(table)


if __name__ == "__main__":
    _preview(sys.argv[1])
