"""What is wrong with a game's files, as the page shows it: the sentence, the file, the line and the lines around it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rulestone.game import Game, misread, slip

PLACE = re.compile(r"(?:.*? )?(?P<file>\S[^\n]*?\.py),? line (?P<line>\d+)(?:, in [\w<>]+)?[:,] (?P<says>.*)", re.S)
AROUND = 2
"""How many lines are shown before and after the one that is wrong."""
FILES, TABLE, CHECK = "files", "table", "check"
"""Where a problem shows: the new files can't be played, a move or picture at the table fails, or the checks find it."""


@dataclass(frozen=True)
class Problem:
    """Something that is wrong, and where."""

    where: str
    says: str
    file: Path | None = None
    line: int = 0

    def data(self, folder: Path) -> dict[str, Any]:
        """The problem for the page, with the lines around it. Files of the game are named as in its folder."""
        if self.file is None:
            return {"where": self.where, "says": self.says, "file": "", "line": 0, "lines": []}
        own = self.file.is_relative_to(folder)
        try:
            text = self.file.read_text().splitlines() if own else []
        except (OSError, ValueError):
            text = []
        first = max(1, self.line - AROUND)
        lines = [[number, line] for number, line in enumerate(text[first - 1 : self.line + AROUND], first)]
        file = str(self.file.relative_to(folder)) if own else str(self.file)
        return {"where": self.where, "says": self.says, "file": file, "line": self.line, "lines": lines}


def read(where: str, sentence: str) -> Problem:
    """A problem from a sentence such as `rulestone check` prints: it may begin with a file and a line."""
    found = PLACE.fullmatch(sentence)
    return Problem(where, found["says"], Path(found["file"]), int(found["line"])) if found else Problem(where, sentence)


def told(where: str, problem: BaseException, game: Game) -> Problem:
    """A problem from an exception that the files of a game have caused."""
    return read(where, misread(problem) or slip(game, problem) or str(problem) or type(problem).__name__)
