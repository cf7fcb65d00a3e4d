"""`rulestone lab` in a terminal: shows progress while the study runs, then the findings."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from rulestone.lab.findings import percent
from rulestone.lab.folder import Folder, FolderError
from rulestone.lab.plan import Plan, make_plan, name_of
from rulestone.lab.run import Block, Results
from rulestone.lab.study import Study
from rulestone.variant import split


def run(
    console: Console,
    name: str,
    wanted: Mapping[str, Any] | None,
    *,
    out: Path | None,
    resume: bool,
    workers: int | None,
    ray: str | None,
    gpu: bool,
    report: Path | None,
    as_json: bool,
) -> int:
    """Run a study and return the exit code. Raise ValueError, with one sentence, before anything is played if the study cannot be run."""
    if resume and out is None:
        raise ValueError("--resume needs --out FOLDER, the folder of the study to continue")
    if ray is not None and workers is not None:
        raise ValueError("--workers is for this machine, and a Ray cluster has its own; use either --workers or --ray")
    if ray is not None and gpu:
        raise ValueError("--gpu is for this machine; use either --gpu or --ray")
    plan = make_plan(name, **wanted) if wanted is not None else _kept(name, out)
    study = Study(plan, workers=workers, ray=ray, gpu=gpu, out=out, resume=resume)
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    stopped = False
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("compiling", total=study.total, completed=len(study.results.done))

        def seen(block: Block, results: Results) -> None:
            kinds = {"games": "playing", "estimates": "estimating", "luck": "replaying deals"}
            progress.update(task, description=kinds[block[0]], completed=len(results.done))

        try:
            summary = study.run(seen)
        except KeyboardInterrupt:
            stopped = True
            summary = study.summary()
    played = summary["cells"][0]["games"]
    if stopped:
        again = shlex.join(["rulestone", "lab", name, "--out", str(out), "--resume"])
        kept = f"To continue: {again}" if out else "Nothing was saved. Use --out FOLDER to save a study."
        Console(stderr=True, highlight=False).print(f"Stopped after {played:,} games. {kept}", markup=False, soft_wrap=True)
        return 130
    if report is not None or study.folder is not None:
        _tell(study, summary, report)
    if as_json:
        print(json.dumps(summary, indent=1))
        return 0
    _print(console, summary)
    if report is not None:
        console.print(f"The report is in {report}.", highlight=False, markup=False)
    return 0


def _kept(name: str, out: Path | None) -> Plan:
    assert out is not None
    plan = Folder(out).plan()
    if name_of(name) not in (plan.game, split(plan.game)[0]):
        raise FolderError(f"{out} holds a study of {plan.game}, not of {name}")
    return plan


def _tell(study: Study, summary: dict[str, Any], report: Path | None) -> None:
    """Write the example games and the report that links to them."""
    from rulestone.lab.examples import Album
    from rulestone.lab.report import html

    album = Album(study.plan, study.results)
    text = html(summary, album)
    if study.folder is not None:
        for file, record in album.records.items():
            study.folder.write(f"examples/{file}", json.dumps(record, indent=1).encode() + b"\n")
        study.folder.write("report.html", text.encode())
    if report is not None:
        half = report.with_name(report.name + ".half")
        try:
            half.write_text(text)
            half.replace(report)
        except OSError as problem:
            half.unlink(missing_ok=True)
            raise ValueError(f"{report} cannot be written: {problem.strerror}") from None


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
