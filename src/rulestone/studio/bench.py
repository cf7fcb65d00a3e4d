"""The workbench: one game with its files, one position, and everything that led to it.

Whenever a file is saved, the game is imported again. If it can be played, it takes the place of the version before, and the position is
kept if its record still fits; otherwise the last version that worked stays, and the problem is shown.
"""

from __future__ import annotations

import contextlib
import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rulestone import variant
from rulestone.game import APART, NET, BrokenGame, Game, digest, load, load_again, slip
from rulestone.kernel.about import BrokenInvariant
from rulestone.match import IllegalMove, Made, Match
from rulestone.patience import Endless, patience
from rulestone.studio.problems import FILES, TABLE, Problem, told
from rulestone.table import Face

TRIED, TRIED_SECONDS = 40, 0.25
"""How many random moves a new version plays before it comes to the table, and for how many seconds at most."""
KEPT = 20
"""How many versions are kept."""
IGNORED = ("__pycache__", ".git", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis")
SUFFIXES = (".py", ".md", ".json", ".net", ".txt", ".csv", ".toml")
SEEDS = 1_000_000
"""Seeds that are drawn for a new game: short ones, which are easy to note."""


@dataclass(frozen=True)
class Start:
    """What a game was dealt from."""

    seed: int | str
    players: int
    options: Mapping[str, Any] = field(default_factory=dict)

    def deal(self, game: Game) -> Match:
        """The game before its first move."""
        return game.new(self.seed, self.players, self.options)


@dataclass(frozen=True)
class Version:
    """A version that came to the table: its number, a copy of its files that stays as it is, and the hash of what plays (`Game.plays`)."""

    number: int
    folder: Path
    plays: str


@dataclass(frozen=True)
class Moment:
    """A position, and how it came about: by a move, or (without one) by the deal or by fields written by hand."""

    raw: bytes
    move: str = ""
    label: str = ""
    player: int = 0
    rng: int = 0
    """The generator that the move started with."""
    by_hand: bool = False
    """Whether that generator was set by hand."""


@dataclass(frozen=True)
class Line:
    """A game's past and future on the workbench: how it was dealt, its moments, and which of them is on the table."""

    start: Start
    moments: Sequence[Moment]
    at: int = 0

    @property
    def laid(self) -> int:
        """The last moment up to now that no move has led to: the deal, or fields written by hand."""
        return max(k for k in range(self.at + 1) if not self.moments[k].move)

    @property
    def edited(self) -> bool:
        """Whether fields were written by hand on the way to this position."""
        return self.laid > 0

    def match(self, game: Game) -> Match:
        """The position on the table, with the moves that led to it."""
        match = self.start.deal(game)
        past = [
            Made(game.actions.parse(made.move), made.player, before.raw, made.rng)
            for before, made in zip(self.moments[self.laid : self.at], self.moments[self.laid + 1 : self.at + 1], strict=True)
        ]
        match.follow(past, self.moments[self.at].raw)
        return match

    def match_at(self, game: Game, at: int) -> Match:
        """The position at another moment."""
        return replace(self, at=at).match(game)


class Bench:
    """A game on the workbench. Everything that changes it is done by one thread at a time (`lock`)."""

    def __init__(self, source: str | Path) -> None:
        self.lock = threading.RLock()
        self.reloading = threading.Lock()
        """Held while new files are tried, one version after the other."""
        self.source = str(source)
        self.game = load(source)
        self.game = load_again(self.game)  # its own modules, which nobody else uses
        self.number = 1
        """Counts the versions that came to the table."""
        self.said = ""
        """What became of the position when the last version came."""
        self.broken: Problem | None = None
        """Why the files as they are now can't be played."""
        self.stumbled: Problem | None = None
        """What went wrong at the table since the last change."""
        self.impossible: Problem | None = None
        """The invariant that the position breaks."""
        self.read = ""
        """A hash of the files when they were last imported."""
        self.versions: list[Version] = []
        """The last versions that came to the table, the present one last."""
        self.found: Problem | None = None
        """What the checks in the background have found in the version at the table."""
        self.checks: dict[str, Any] = {"state": "waiting"}
        """How far those checks are."""
        self.changes = 0
        """Counts the changes to what the page shows."""
        self.changed: list[Callable[[str], None]] = []
        """Called with a word when something has changed: "version", "files" (they can't be played) or "table"."""
        with patience.over(self.folder):
            _import_all(self.game)
            self.match, self.line = self._dealt(self.game, Start(1, self.game.about.usual_players))
            _try(self.match)
        self.read = self._files()
        self._arrived()

    @property
    def folder(self) -> Path:
        """Where the game's files are."""
        return self.game.folder

    def tell(self, what: str) -> None:
        """Tell everybody that something has changed."""
        self.changes += 1
        for hear in self.changed:
            hear(what)

    # ---- versions ---------------------------------------------------------------------------------------------------

    def reload(self) -> bool:
        """Import the files again if they have changed. Returns whether they are at the table now.

        The last version can be played all the while. If the position has changed meanwhile, the new one is tried again.
        """
        with self.reloading:
            read, self.read = self.read, self._files()
            if self.read == read:
                return self.broken is None
            fresh: Game | None = None
            try:
                with patience.over(self.folder):
                    fresh = load_again(self.game)
                    _import_all(fresh)
                while True:
                    line = self.line
                    with patience.over(self.folder):
                        match, carried, said = self._carried(fresh, line)
                        _try(match)
                    with self.lock:
                        if self.line is line:
                            self._take(fresh, match, carried, said)
                            return True
            except Exception as problem:
                with self.lock:
                    self.broken = told(FILES, problem, fresh or self.game)
                    self.tell("files")
                return False

    def _take(self, game: Game, match: Match, line: Line, said: str) -> None:
        """Put a new version on the table."""
        self.game, self.match, self.line, self.said = game, match, line, said
        self.number += 1
        self.broken = self.stumbled = self.found = None
        self.checks = {"state": "waiting"}
        self._arrived()
        self._look()
        self.tell("version")

    def _files(self) -> str:
        """A hash of the files that can change the game."""
        return digest(file for file in self.folder.rglob("*") if takes_part(file) and file.is_file())

    def _arrived(self) -> None:
        """Keep a copy of the files of the version that has come to the table."""
        copy = variant.make(self.folder, self.game.rules.__name__.rpartition(".")[0], {}, APART)
        for net in self.folder.rglob(f"*{NET}"):  # nets are no part of a version, but bots play with them
            place = copy / net.relative_to(self.folder)
            with contextlib.suppress(OSError):  # it is there already
                place.parent.mkdir(exist_ok=True)
                place.symlink_to(net)
        self.versions = [*self.versions, Version(self.number, copy, self.game.plays)][-KEPT:]

    def _carried(self, game: Game, line: Line) -> tuple[Match, Line, str]:
        """The position in a new version of the game: as it is, or after the same moves, or a new game; and which of them."""
        if game.layout.dtype == self.game.layout.dtype and (kept := self._kept(game, line)):
            return *kept, "The position was kept."
        return self._replayed(game, line)

    def _kept(self, game: Game, line: Line) -> tuple[Match, Line] | None:
        """The position as it is, with its past; None if it isn't possible in this version."""
        try:
            try:
                match = line.match(game)
            except ValueError:  # a move of the past isn't known any more
                now = replace(line.moments[line.at], move="", label="")
                line = Line(line.start, [now])
                match = line.match(game)
            match.refresh()
            if not self.impossible:
                match.check()
            if not match.over and not match.legal_actions():
                return None
        except Endless:
            raise
        except Exception:  # if it isn't the position's fault, a new game fails as well
            return None
        if match.raw != line.moments[line.at].raw:  # what follows from the fields is another now
            moments = [*line.moments[: line.at], Moment(match.raw), *line.moments[line.at + 1 :]]
            line = replace(line, moments=moments)
        return match, line

    def _replayed(self, game: Game, old: Line) -> tuple[Match, Line, str]:
        """The same moves from the same deal, as far as they are possible; else a new game."""
        options = {name: value for name, value in old.start.options.items() if name in game.options}
        players = old.start.players if game.min_players <= old.start.players <= game.max_players else game.about.usual_players
        try:
            match, line = self._dealt(game, Start(old.start.seed, players, options))
        except ValueError:  # an option's value isn't possible any more
            match, line = self._dealt(game, Start(old.start.seed, players))
        last = next((k for k in range(1, old.at + 1) if not old.moments[k].move), old.at + 1) - 1
        for number, made in enumerate(old.moments[1 : last + 1], 1):
            try:
                line = _played(match, line, made.move, made.player, made.rng if made.by_hand else None)
            except Exception as problem:
                if number == 1:
                    return match, line, "The position doesn't fit any more: a new game was dealt."
                why = str(problem) if isinstance(problem, IllegalMove) else "it fails"
                return match, line, f"{number - 1} of {old.at} moves were played again. '{made.move}' isn't possible now: {why}"
        if last < old.at:
            done = f"{last} moves were played again" if last else "a new game was dealt"
            return match, line, f"The position doesn't fit any more: {done}, without the fields that you had changed."
        return match, line, "The moves were played again." if old.at else "A new game was dealt."

    # ---- the position -----------------------------------------------------------------------------------------------

    @staticmethod
    def _dealt(game: Game, start: Start) -> tuple[Match, Line]:
        match = start.deal(game)
        return match, Line(replace(start, seed=match.seed, options=match.options), [Moment(match.raw)])

    def begin(self, seed: int | str | None, players: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Deal a new game. Raises ValueError if that isn't possible."""
        with self.lock:
            drawn = random.randrange(SEEDS) if seed is None else seed
            with self.watching():
                self.match, self.line = self._dealt(self.game, Start(drawn, players or self.game.about.usual_players, options or {}))
            self._moved()

    def take(self, match: Match) -> None:
        """Put another match of this game on the table: its moves, or its position if it was laid by hand."""
        with self.lock:
            with self.watching():
                self.match, self.line = self._dealt(self.game, Start(match.seed, match.players, match.options))
                for place, action in enumerate(match.actions):
                    if match.raw_at(0) != self.line.moments[0].raw:
                        break
                    fresh, rng = self.match.copy(), match.generator_of(place)
                    line = _played(fresh, self.line, action, match.mover(place), None)
                    if line.moments[-1].rng != rng:
                        fresh = self.match.copy()
                        line = _played(fresh, self.line, action, match.mover(place), rng)
                    self.match, self.line = fresh, line
                if self.match.raw != match.raw:
                    raw = match.raw
                    self.line = Line(self.line.start, [self.line.moments[0], Moment(raw)], 1)
                    self.match = self.line.match(self.game)
            self._moved()

    def play(self, move: str | int, player: int | None = None, rng: int | None = None) -> None:
        """Make a move; what came after this position is forgotten. Raises IllegalMove, or Stumble if the rules fail."""
        with self.lock:
            match = self.match.copy()
            with self.watching():
                line = _played(match, self.line, move, player, rng)
            self.match, self.line = match, line
            self._moved()

    def go(self, at: int) -> None:
        """Step back or forth to a moment."""
        with self.lock:
            line = replace(self.line, at=max(0, min(at, len(self.line.moments) - 1)))
            with self.watching():
                self.match, self.line = line.match(self.game), line
            self._moved()

    def lay(self, change: Callable[[Match], None]) -> None:
        """Write fields by hand, as `change` does; what came after this position is forgotten."""
        with self.lock:
            match = self.match.copy()
            with self.watching():
                change(match)
                match.refresh()
            line, edit = self.line, Moment(match.raw)
            first = line.at + (line.at == 0 or bool(line.moments[line.at].move))  # several edits are one moment
            self.line = Line(line.start, [*line.moments[:first], edit], first)
            self.match = match
            self._moved()

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Run the game's code: it is stopped if it never ends, and what its files do wrong is noted and raised as Stumble."""
        try:
            with patience.over(self.folder):
                yield
        except Exception as problem:
            if isinstance(problem, BrokenInvariant) or slip(self.game, problem) is None:  # a plain answer to what was asked
                raise
            self.stumbled = told(TABLE, problem, self.game)
            raise Stumble(self.stumbled.says) from problem

    def _moved(self) -> None:
        """The position has changed."""
        self._look()
        self.tell("table")

    def _look(self) -> None:
        """See whether the position could arise in a real game."""
        self.stumbled = self.impossible = None
        try:
            with self.watching():
                self.match.check()
        except BrokenInvariant as problem:
            self.impossible = told(TABLE, problem, self.game)
        except Stumble:
            pass


def takes_part(file: Path) -> bool:
    """Whether a file can change the game."""
    return file.suffix in SUFFIXES and "test" not in file.name and not any(part in IGNORED for part in file.parts)


class Stumble(ValueError):
    """The game's files failed at the table; the sentence says where."""


def _import_all(game: Game) -> None:
    """Import every file of a game that can be imported later, so that it belongs to this version."""
    assert (game.scene, game.lesson, game.measures) is not None


def _try(match: Match) -> None:
    """Show the position to everybody, and play some random moves of a new game. Raises what goes wrong."""
    face, chance, until = Face.of(match.game), random.Random(1), time.perf_counter() + TRIED_SECONDS
    face.rehearse(match)
    match = match.game.new(1, match.players, match.options)
    for _ in range(TRIED):
        match.check()
        if match.over or time.perf_counter() > until:
            break
        legal = match.legal_actions()
        if not legal:
            raise BrokenGame(f"after {match.ply} moves nobody can move, but the game is not over")
        match.play(chance.choice(legal))
    face.scene(match.view(None), None)


def _played(match: Match, line: Line, move: str | int, player: int | None, rng: int | None) -> Line:
    """Make a move in a match and return the line with it."""
    mover = match.to_move if player is None else player
    view = match.view(mover) if mover is not None and mover in range(match.players) else None
    match.play(move, rng, player)
    made = match.game.actions.decode(match.actions[-1])
    label = Face.of(match.game).moves(view, [made])[0]["label"] if view is not None else str(made)
    now = Moment(match.raw, str(made), label, match.mover(match.length - 1), match.generator_of(match.length - 1), rng is not None)
    return Line(line.start, [*line.moments[: line.at + 1], now], line.at + 1)
