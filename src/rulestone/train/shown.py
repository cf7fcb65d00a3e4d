"""A training as the terminal shows it: a line that moves, and one that stays for each ladder."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from rulestone.train.trainer import Course, Report, Trainer


class Shown:
    """The progress of a training. Use it as a context."""

    def __init__(self, console: Console, course: Course) -> None:
        self.console, self.course = console, course
        self.progress = Progress(
            TextColumn("{task.description}"), BarColumn(20), TextColumn("{task.percentage:>3.0f} %"), TimeElapsedColumn(),
            TextColumn("{task.fields[told]}"), console=console, transient=True,
        )  # fmt: skip
        self.task = self.progress.add_task("watching the game", total=1.0, told="")
        self.before = (0.0, 0)

    def __enter__(self) -> Shown:
        self.progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None) -> None:
        self.progress.stop()

    def begin(self, trainer: Trainer) -> None:
        """Say what will learn."""
        self.before = (trainer.seconds, trainer.decisions)
        self.console.print(
            f"{trainer.game.title} for {trainer.players}: {trainer.eyes.size:,} inputs, {len(trainer.network.weights()):,} weights, "
            f"seed {trainer.course.seed}", style="dim",
        )  # fmt: skip

    def tell(self, report: Report) -> None:
        """Show a round, and its ladder if there was one."""
        seconds, decisions = self.before
        rate = (report.decisions - decisions) / max(1e-9, report.seconds - seconds)
        doing = "imitating greedy" if report.imitating else "learning by playing"
        told = f"{rate:,.0f} decisions/s · value loss {report.worth:.3f} · entropy {report.entropy:.2f}"
        self.progress.update(self.task, completed=report.progress, description=doing, told=told)
        if report.ladder:
            ladder = " · ".join(score.text() for score in report.ladder)
            best = "  best so far" if report.best else ""
            self.console.print(f"{report.seconds / 60:5.1f} min  {report.decisions:>10,} decisions  {ladder}{best}", soft_wrap=True)
