"""The checks of `rulestone check`, in a process of low priority, while the designer goes on playing.

Each version that comes to the table is compiled and checked, a little at a time; the next version ends that and starts again.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import threading
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

from rulestone.game import BrokenGame, load, misread, slip
from rulestone.helper import settle_in
from rulestone.kernel.compiled import RuleError
from rulestone.studio.bench import Bench
from rulestone.studio.problems import CHECK, read
from rulestone.testing import ContractError, cases, check_game
from rulestone.testing.contract import check_facts, check_lesson, check_source

PATIENT = 15
"""The niceness of the checks: everything else comes first."""
LIGHT = {"matches": 1, "games": 40, "positions": 400, "worlds": 120}
"""How much each check plays: less than `rulestone check`, which takes its time."""
CALM = 0.6
"""Seconds without a new version before its checks begin."""


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
    with contextlib.suppress(OSError):
        out.send(wrong)


class Checker:
    """Checks the version at the table, one after the other."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.wanted = threading.Event()
        self.closing = False
        self.process: BaseProcess | None = None
        self.thread = threading.Thread(target=self._run, name="checks", daemon=True)
        bench.changed.append(self.hear)

    def open(self) -> None:
        """Begin with the version that is at the table."""
        self.wanted.set()
        self.thread.start()

    def hear(self, what: str) -> None:
        """A new version ends the checks of the one before."""
        if what == "version":
            self.wanted.set()

    def close(self) -> None:
        """End everything."""
        self.bench.changed.remove(self.hear)
        self.closing = True
        self.wanted.set()
        self.thread.join()

    def _run(self) -> None:
        while True:
            self.wanted.wait()
            while not self.closing:
                self.wanted.clear()
                if not self.wanted.wait(CALM):
                    break
            if self.closing:
                return
            self._check()

    def _check(self) -> None:
        """Check the present version until it is done or the next one comes."""
        version = self.bench.versions[-1]
        mine, other = multiprocessing.Pipe(duplex=False)
        process = multiprocessing.get_context("spawn").Process(target=work, args=(version.folder, other), daemon=True)
        process.start()
        other.close()
        try:
            while not self.wanted.is_set():
                if not mine.poll(0.1):
                    continue
                try:
                    told = mine.recv()
                except EOFError:
                    told = "The checks were interrupted: their process has ended."
                if self._tell(version.number, version.folder, told):
                    return
        finally:
            process.kill()
            process.join()
            process.close()
            mine.close()

    def _tell(self, number: int, folder: Path, told: tuple[str, int, int] | str) -> bool:
        """Show how far the checks are. Returns whether they are done."""
        with self.bench.lock:
            if number != self.bench.number:
                return True
            if isinstance(told, tuple):
                doing, done, total = told
                self.bench.checks = {"state": "checking", "doing": doing, "done": done, "of": total}
            else:
                self.bench.checks = {"state": "broken" if told else "fine"}
                self.bench.found = read(CHECK, told.replace(str(folder), str(self.bench.folder))) if told else None
            self.bench.tell("checks")
            return isinstance(told, str)
