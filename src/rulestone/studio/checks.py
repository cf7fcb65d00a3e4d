"""The checks of `rulestone check` in the background: each version that comes to the table is compiled and checked."""

from __future__ import annotations

from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from rulestone.game import BrokenGame, load, misread, slip
from rulestone.helper import settle_in
from rulestone.kernel.compiled import RuleError
from rulestone.studio.background import Background, send
from rulestone.studio.problems import CHECK, read
from rulestone.testing import ContractError, cases, check_game
from rulestone.testing.contract import check_facts, check_lesson, check_source

PATIENT = 15
"""The niceness of the checks: everything else comes first."""
LIGHT = {"matches": 1, "games": 40, "positions": 400, "worlds": 120}
"""How much each check plays: less than `rulestone check`, which takes its time."""


def work(folder: Path, out: Connection) -> None:
    """Check the game in a folder; send how far that is, and in the end what is wrong ("" if nothing is)."""
    settle_in(PATIENT)
    wrong = ""
    try:
        game = load(folder)
        try:
            out.send(("reading the files", 0, 0))
            check_facts(game)
            check_source(game)
            check_lesson(game)
            out.send(("compiling", 0, 0))
            game.try_out()
            game.warm_up()
            todo = list(cases(game))
            for number, case in enumerate(todo):
                out.send((str(case), number, len(todo)))
                check_game(game, case.players, case.options, **LIGHT)
        except Exception as problem:
            plain = isinstance(problem, ContractError | BrokenGame | RuleError)
            wrong = str(problem) if plain else slip(game, problem) or f"{type(problem).__name__}: {problem}"
    except Exception as problem:
        wrong = misread(problem) or str(problem)
    send(out, wrong)


class Checker(Background):
    """Checks the version at the table."""

    interrupted = "The checks were interrupted: their process has ended."

    def work(self) -> tuple[Callable[..., None], tuple[Any, ...]]:
        self.version = self.bench.versions[-1]
        return work, (self.version.folder,)

    def tell(self, told: tuple[str, int, int] | str) -> bool:
        """Show how far the checks are."""
        with self.bench.lock:
            if self.version.number != self.bench.number:
                return True
            if isinstance(told, tuple):
                doing, done, total = told
                self.bench.checks = {"state": "checking", "doing": doing, "done": done, "of": total}
            else:
                self.bench.checks = {"state": "broken" if told else "fine"}
                self.bench.found = read(CHECK, told.replace(str(self.version.folder), str(self.bench.folder))) if told else None
            self.bench.tell("checks")
            return isinstance(told, str)
