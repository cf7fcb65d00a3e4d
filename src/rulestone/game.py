"""Games: load a game, see its facts, and run its rules interpreted or compiled."""

from __future__ import annotations

import ast
import contextlib
import difflib
import hashlib
import importlib
import importlib.util
import logging
import os
import random
import re
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property, wraps
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

import rulestone.games as built_in_games
from rulestone import variant
from rulestone.engine import quick, together, turn, unnoticed
from rulestone.engine.tape import Tape
from rulestone.fingerprint import fingerprint
from rulestone.kernel import verbs
from rulestone.kernel.about import SPECTATOR, About
from rulestone.kernel.actions import Actions
from rulestone.kernel.reasons import Reasons
from rulestone.kernel.record import SCRATCH, STORY_FIELDS, Layout, Option, Record, Scratch
from rulestone.kernel.rule import Interpreter
from rulestone.kernel.story import Events
from rulestone.patience import Endless, patience

if TYPE_CHECKING:
    from rulestone.match import Match

F = TypeVar("F", bound=Callable[..., Any])
PACKAGE = Path(__file__).parent
NEEDED = ("ABOUT", "ACTIONS", "State", "setup", "legal", "apply")
HINTS = ("estimate", "sensible", "suspect")
"""Functions in a game's `bot.py` that help the search, besides `greedy`."""
SHOWN = ("scene.py", "art.py", "words.py", "forecast.py", "lesson.py", "components.py")
"""Files of a game for its looks and words."""
NET = ".net"
"""The suffix of trained nets, which play a game but are no part of it."""
LEARNT = (NET, ".checkpoint", ".part")
"""The suffixes of what a training writes, besides its report."""
APART = (*SHOWN, "measures.py", "puzzles.json")
"""Files of a game that its rules don't depend on. A change to them needs no new compilation."""
PAPERS = (".pdf", ".svg", ".png", ".jpg", ".html", ".zip")
"""What may lie in a game's folder without taking part in the game."""
TRIAL_MOVES, TRIAL_ADVICE = 150, 3
"""How many random moves, and how many moves of its own bot, a game is tried out with before it is compiled."""


class UnknownGame(LookupError):
    """There is no game of that name, or it can't be loaded as a game."""


class BrokenGame(ValueError):
    """A game can't be played as it is. The message says what is wrong, and where."""


class Game:
    """A game, ready to play. Load one with `rulestone.load`, and start a match with `new`.

    >>> game = load("connect_four")
    >>> game.title, game.min_players, game.max_players, len(game.actions)
    ('Connect Four', 2, 2, 7)
    >>> game.options["line"].default_for(players=2)
    4
    """

    name: str
    """The name it's loaded by."""
    rules: ModuleType
    """The game's `rules.py`."""
    folder: Path
    """The game's folder."""
    about: About
    """The facts the game declares as `ABOUT`."""
    actions: Actions
    """All moves of the game; see `rulestone.kernel.Actions`."""
    events: Events
    """The events of its story, with their sentences."""
    reasons: Reasons
    """The reasons for refusing a move, with their sentences."""
    options: dict[str, Option]
    """The options of the game, by name."""
    changes: Mapping[str, str] = {}
    """The constants that were changed; see `changed`."""
    base: Game | None = None
    """The game without these changes; None if nothing was changed."""

    def __init__(self, name: str, rules: ModuleType, bot: ModuleType | None, folder: Path) -> None:
        for needed in NEEDED:
            if not hasattr(rules, needed):
                raise UnknownGame(
                    f"{folder / 'rules.py'} does not define {needed}; a game needs {', '.join(NEEDED)}"
                    " (or REASONS with may_VERB and do_VERB for each verb, instead of legal and apply)"
                )
        self.name = name
        self.rules = rules
        self.folder = folder
        self.about = rules.ABOUT
        self.actions = rules.ACTIONS
        self.events = getattr(rules, "EVENTS", Events())
        self.reasons = getattr(rules, "REASONS", Reasons())
        self.may: Callable[..., Any] | None = getattr(rules, "may", None) if hasattr(rules, "REASONS") else None
        """The game's rule `may(s, action)`, which returns 0 or a reason; None if the game gives no reasons."""
        self.simultaneous = hasattr(rules, "deciders")
        """Whether several players can decide at the same time."""
        if self.simultaneous and not hasattr(rules, "resolve"):
            raise UnknownGame(
                f"{folder / 'rules.py'} defines deciders but not resolve, the rule for what happens when everybody has decided"
            )
        self.layout = self._layout(self.about.story)
        self.options = self.layout.options
        self.bot = bot
        """The game's `bot.py`; None if it has none."""
        self.features: Callable[..., Any] | None = getattr(bot, "features", None)
        """What the game tells nets besides its record: a rule `features(s, out)` in its `bot.py`; None if it has none."""
        self.greedy: Callable[..., Any] | None = getattr(bot, "greedy", None)
        self.hints: dict[str, Callable[..., Any]] = {name: getattr(bot, name) for name in HINTS if hasattr(bot, name)}
        self.search_settings: dict[str, Any] = dict(getattr(bot, "SEARCH", {}))
        self.champion: dict[int, float] = dict(getattr(bot, "CHAMPION_SECONDS", {}))
        """By number of players, the seconds in which a search with the game's own net is stronger than the top level."""
        self._compiler: Any = None
        self._silent_compiler: Any = None
        self._fast: dict[str, Any] | None = None
        self._interpreter = Interpreter()
        self._making = threading.RLock()
        """Held while a template is filled in, because bots in several threads can ask for one at the same time."""
        self._trials = threading.local()
        self.memo: dict[Any, Any] = {}
        """What others have found out about this game, kept as long as the game is; see `once_per_game`."""
        self.rule: Callable[[Callable[..., Any]], Callable[..., Any]] = self._interpreter.bind
        """Returns a rule of this game as plain Python, to call with a record's reader."""

    def _layout(self, story: int | None) -> Layout:
        """Return the record layout with room for `story` events per move (None: without a story)."""
        state: type[Record] = self.rules.State
        return state.layout(self.about.max_players, story, together.fields(self.about.max_players) if self.simultaneous else None)

    title = property(lambda self: self.about.title, doc="The name of the game as people write it.")
    min_players = property(lambda self: self.about.min_players, doc="The smallest number of players.")
    max_players = property(lambda self: self.about.max_players, doc="The largest number of players.")
    cooperative = property(lambda self: self.about.cooperative, doc="Whether all players win or lose together.")
    perfect_information = property(lambda self: self.about.perfect_information, doc="Whether nothing is hidden from anybody.")
    version = property(lambda self: self.about.version, doc="The version of the rules.")

    def __repr__(self) -> str:
        return f"<Game {self.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the game as the name or folder it was loaded from."""
        base = self.base or self
        return load, (str(base.folder) if base.from_folder else base.name, dict(self.changes) or None)

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        return self

    @property
    def cache_name(self) -> str:
        """The name of this game's cache folders."""
        return self.name if self.base is None else f"variants/{self.folder.parent.name}/{self.base.name}"

    @property
    def edition(self) -> str:
        """A hash of the game's rules, bot and measures, on which saved results depend."""
        return digest(path for path in self.folder.rglob("*.py") if path.name not in SHOWN)

    @cached_property
    def plays(self) -> str:
        """A hash of what plays, rules, content and options, so that rules changed without a new version are noticed."""
        own = (path for path in self.sources() if path.is_relative_to(self.folder) and path.suffix != ".py")
        return fingerprint(self.folder, self.options, own)

    @property
    def constants(self) -> dict[str, variant.Constant]:
        """The constants that `changed` can change, by name."""
        return variant.constants(self.folder)

    def changed(self, changes: Mapping[str, Any], only: Sequence[str] = variant.FILES) -> Game:
        """Return a variant of this game with other values for some constants; see docs/lab.md.

        `only` limits the changes to constants in these files. Raises BadChange if a change isn't possible, or if the game can't be played
        with it.

        >>> load("connect_four").changed({"COLUMNS": 8}).title
        'Connect Four with COLUMNS = 8'
        """
        base = self.base or self
        variant.change(base.folder, changes, only, base.options)
        texts, real = variant.change(base.folder, {**self.changes, **changes})
        if not real:
            return base
        folder = variant.make(base.folder, base.rules.__name__.rpartition(".")[0], texts, APART)
        if str(folder) not in _loaded:
            words = " and ".join(f"{target} = {value}" for target, value in real.items())
            try:
                game = _from_folder(folder)
                game.name, game.changes, game.base = variant.join(base.name, real), real, base
                game.about = replace(game.about, title=f"{game.about.title} with {words}")
                game.champion = {}  # its net has learned other rules
                _try_out(game, folder.parent / "tried")
            except Exception as problem:
                wrong = str(problem) or type(problem).__name__
                raise variant.BadChange(f"{base.title} can't be played with {words}: {wrong}") from problem
            _loaded[str(folder)] = game
        return _loaded[str(folder)]

    @property
    def mode(self) -> str:
        """How rules run where speed matters: "compiled", or "interpreted" if the environment variable RULESTONE_JIT is 0."""
        return "interpreted" if os.environ.get("RULESTONE_JIT") == "0" else "compiled"

    def new(self, seed: int | str | None = None, players: int | None = None, options: Mapping[str, Any] | None = None) -> Match:
        """Start a new match.

        The same arguments give the same match on every machine. Without a seed, a secret one is drawn. `players` defaults to the game's
        usual number; `options` are values by name, with the game's defaults for the others. Raises ValueError if one isn't valid.

        >>> load("connect_four").new(seed=7).legal()[:2]
        [Move('drop 0'), Move('drop 1')]
        """
        from rulestone.match import Match

        return Match(self, seed, players, options)

    def prepared(self, players: int | None, options: Mapping[str, Any] | None) -> tuple[NDArray[Any], int]:
        """Return a record (in an array of length 1) with players and options filled in, and the number of players.

        Raises ValueError if the number of players or an option isn't valid.
        """
        about = self.about
        if players is None:
            players = about.usual_players
        if isinstance(players, np.integer):
            players = int(players)
        if isinstance(players, bool) or not isinstance(players, int) or not about.min_players <= players <= about.max_players:
            span = str(about.min_players) if about.min_players == about.max_players else f"{about.min_players} to {about.max_players}"
            raise ValueError(f"{self.name} is for {span} players, not {players!r}")
        given = dict(options or {})
        unknown = [name for name in given if name not in self.options]
        if unknown:
            raise ValueError(f"{self.name} has no option {unknown[0]!r}; its options are: {', '.join(self.options) or 'none'}")
        record = self.layout.array(1)
        record["players"] = players
        for name, option in self.options.items():
            record[self.layout.option_fields[name]] = option.read(given.get(name, option.default_for(players)))
        judge = getattr(self.rules, "judge", None)
        if judge is not None:
            problem = judge(players, self.option_values(record))
            if problem:
                raise ValueError(problem)
        return record, players

    def option_values(self, record: NDArray[Any]) -> dict[str, Any]:
        """Return the options of a record by name, as people write them."""
        return {name: option.show(record[self.layout.option_fields[name]][0]) for name, option in self.options.items()}

    def longest(self, players: int, options: Mapping[str, Any]) -> int:
        """Return the most moves that a game with these options can take, according to the game."""
        bound = getattr(self.rules, "longest_for", None)
        return int(bound(players, options)) if bound else self.about.longest

    # ---- the rules in each mode -------------------------------------------------------------------------------------

    def rule_names(self, maker: Any) -> dict[str, Any]:
        """Return this game's rules under the names that the engine's templates call them by."""
        rules = self.rules
        names = {name: maker.bind(getattr(rules, name)) for name in ("setup", "legal", "apply")}
        names["hide"] = maker.bind(getattr(rules, "hide", turn.nothing_hidden))
        names["redeal"] = maker.bind(getattr(rules, "redeal", turn.nothing_hidden))
        names["refresh"] = maker.bind(getattr(rules, "refresh", turn.nothing_derived))
        names["may"] = maker.bind(self.may or turn.never_asked)
        names["seen"] = maker.bind(getattr(rules, "seen", turn.all_seen))
        names["greedy"] = maker.bind(self.greedy or quick.any_move)
        names["features"] = maker.bind(self.features or quick.no_features)
        for name, hint in self.hints.items():
            names[name] = maker.bind(hint)
        taking: tuple[Callable[..., Any], ...] = (turn.begin, turn.step, turn.conceal, turn.deciding)
        if self.simultaneous:
            names |= {"deciders": maker.bind(rules.deciders), "resolve": maker.bind(rules.resolve)}
            taking = (together.begin, together.step, together.conceal, together.deciding)
        elif self.has_unnoticed_moves:
            taking = (turn.begin, unnoticed.step, unnoticed.conceal, turn.deciding)
        for template in (*taking, quick.quick_move, quick.advice_in, quick.ponder, quick.net_move, quick.bot_move):
            names[template.__name__] = maker.fill(template, names)
        return names

    @property
    def entries(self) -> tuple[Callable[..., Any], ...]:
        """The templates through which Python calls this game's compiled rules."""
        return (*turn.AT, together.deciding_at) if self.simultaneous else turn.AT

    @cached_property
    def interpreted_names(self) -> dict[str, Any]:
        """The game's interpreted rules, by name."""
        return self.rule_names(self._interpreter)

    @cached_property
    def compiled_names(self) -> dict[str, Any]:
        """The game's compiled rules, by name."""
        from rulestone.kernel.compiled import Compiler, cache_folder

        folder = cache_folder(self.cache_name, self.sources())
        if self.from_folder:
            self.try_out(folder and folder / "tried")
        self._compiler = Compiler(self.layout, folder, common=common_compiler())
        return self.rule_names(self._compiler)

    # Playouts, search and environments need no story. Without it, records are a third to a half shorter, and `tell` costs nothing.

    @cached_property
    def bare(self) -> Layout:
        """The layout of records without a story. (If the game's rules or bot read the story, it's the ordinary layout.)"""
        texts = (path.read_text() for path in self.folder.glob("*.py") if path.name not in APART)
        if any(isinstance(node, ast.Attribute) and node.attr in STORY_FIELDS for text in texts for node in ast.walk(ast.parse(text))):
            return self.layout
        return self._layout(None)

    def bared(self, records: NDArray[Any]) -> NDArray[Any]:
        """Return a copy of records without their story."""
        if self.bare is self.layout:
            return records.copy()
        bare = self.bare.array(len(records))
        for name in self.bare.fields:
            bare[name] = records[name]
        return bare

    @cached_property
    def silent_names(self) -> dict[str, Any]:
        """The game's rules compiled for `bare` records, by name."""
        from rulestone.kernel.compiled import Compiler
        from rulestone.kernel.silence import SILENT

        spoken = self.compiled_names
        if self.bare is self.layout:
            self._silent_compiler = self._compiler
            return spoken
        folder = self._compiler.cache
        self._silent_compiler = Compiler(self.bare, folder and folder / "silent", SILENT, common_compiler())
        return self.rule_names(self._silent_compiler)

    def silent(self, template: Callable[..., Any], **otherwise: Callable[..., Any]) -> Any:
        """Return a template compiled for `bare` records: the same games without a story. See `compiled`."""
        with self._making:
            names = self.silent_names
            return self._entry(self._silent_compiler, template, names, otherwise)

    @property
    def has_unnoticed_moves(self) -> bool:
        """Whether players can move without others noticing. Such a game has a field that counts those moves."""
        return unnoticed.FIELD in self.layout.fields

    @property
    def from_folder(self) -> bool:
        """Whether the game was loaded from a folder rather than by name."""
        return self.base is None and self.rules.__name__.startswith(FOLDER)

    def try_out(self, mark: Path | None = None) -> None:
        """Play a few moves with interpreted rules. Raises BrokenGame if the game can't be played.

        Interpreted rules notice a number that is too large for its field or an index out of range; compiled rules don't.
        """
        try:
            _try_out(self, mark)
        except Exception as problem:
            raise BrokenGame(f"{self.name} can't be played: {slip(self, problem) or problem}") from problem

    @cached_property
    def tape(self) -> Tape:
        """The rules over a tape of draws, for exact chances."""
        return Tape(self)

    def trial(self) -> tuple[memoryview, Any]:
        """Return the bytes and the reader of a scratch record that belongs to this thread. `Match.ask` runs rules on it."""
        own: tuple[memoryview, Any] | None = getattr(self._trials, "own", None)
        if own is None:
            record = np.zeros(1, self.layout.dtype)
            own = self._trials.own = record.view(np.uint8).data, self.layout.reader(record)
        return own

    def interpreted(self, template: Callable[..., Any], **otherwise: Callable[..., Any]) -> Any:
        """Return a template of the engine that calls this game's rules, as plain Python.

        `otherwise` are rules for names that the game doesn't define.
        """
        with self._making:
            maker, names = self._interpreter, self.interpreted_names
            return maker.fill(template, {name: maker.bind(default) for name, default in otherwise.items()} | names)

    def compiled(self, template: Callable[..., Any], **otherwise: Callable[..., Any]) -> Any:
        """Return a template like `interpreted`, but compiled at the first call or loaded from the cache on disk.

        Calling it raises RuleError if a rule can't be compiled.
        """
        with self._making:
            names = self.compiled_names
            return self._entry(self._compiler, template, names, otherwise)

    def _entry(self, maker: Any, template: Callable[..., Any], names: dict[str, Any], otherwise: Mapping[str, Any]) -> Any:
        from rulestone.kernel.compiled import Entry

        return Entry(maker.fill(template, {name: maker.bind(default) for name, default in otherwise.items()} | names))

    @cached_property
    def scene(self) -> ModuleType | None:
        """The game's `scene.py`, which draws it; None if it has none."""
        return self._module("scene")

    @cached_property
    def measures(self) -> ModuleType | None:
        """The game's `measures.py`, with its own statistics for the lab; None if it has none."""
        return self._module("measures")

    @cached_property
    def lesson(self) -> ModuleType | None:
        """The game's `lesson.py`, which teaches it; None if it has none."""
        return self._module("lesson")

    @cached_property
    def components(self) -> ModuleType | None:
        """The game's `components.py`, which says what is printed of it; None if it has none."""
        return self._module("components")

    def _module(self, name: str) -> ModuleType | None:
        """Import a file of the game's folder, if it is there."""
        if not (self.folder / f"{name}.py").exists():
            return None
        return importlib.import_module(f"{self.rules.__name__.rpartition('.')[0]}.{name}")

    @property
    def warm(self) -> bool:
        """Whether matches run compiled rules now; see `warm_up`."""
        return self._fast is not None

    def warm_up(self) -> None:
        """Compile the rules or load them from the cache, so that matches run faster from now on. The results are the same."""
        if self._fast is not None or self.mode == "interpreted":
            return
        record, _ = self.prepared(None, None)
        fast = {template.__name__.removesuffix("_at"): self.compiled(template) for template in self.entries}
        moves = np.zeros(len(self.actions), np.int16)
        fast["begin"](record, 0)
        fast["legal"](record, 0, moves)
        fast["seen"](record, 0, int(moves[0]), SPECTATOR)
        fast["step"](record, 0, int(moves[0]))
        fast["conceal"](record, 0, SPECTATOR)
        fast["redeal"](record, 0, SPECTATOR)
        fast["refresh"](record, 0)
        if self.simultaneous:
            fast["deciding"](record, 0)
        self._fast = fast

    def reader(self, array: NDArray[Any]) -> Any:
        """Return what `run` reads a record by: nothing once the rules are compiled."""
        return None if self._fast is not None else self.layout.reader(array)

    def run(self, name: str, array: NDArray[Any], reader: Any, *arguments: Any) -> Any:
        """Run one of the rules on the record in `array`, read by `reader`: compiled if the game is warm, else interpreted."""
        if self._fast is not None:
            return self._fast[name](array, 0, *arguments)
        watched = patience.begin(self.folder)
        try:
            return self.interpreted_names[name](reader, *arguments)
        except Endless as problem:
            if problem.args:  # an inner call has already said where
                raise
            raise Endless(f"{patience.where()}: this runs without end") from None
        finally:
            if watched:
                patience.end()

    def seen(self, array: NDArray[Any], action: int, viewer: int) -> int:
        """Return what a viewer sees of a move made in this record, as a bit mask: bit 0 is the verb, bit 1 the first argument, …

        While several players decide at the same time, the others see nothing of a move.
        """
        if array["to_move"][0] == viewer:
            return -1
        reader = self.reader(array)
        if self.simultaneous and self.run("deciding", array, reader):
            return 0
        return int(self.run("seen", array, reader, action, viewer))

    def sources(self) -> list[Path]:
        """Return every file that compiled code depends on. If any of them changes, the rules are compiled again."""
        own = [
            path
            for path in self.folder.rglob("*")
            if path.is_file()
            and path.suffix not in (".pyc", ".md", *LEARNT, *PAPERS)
            and path.name not in APART
            and "test" not in path.name
            if not any(part.startswith(".") or part.endswith("~") for part in path.relative_to(self.folder).parts)  # an editor's, or git's
        ]
        return house_sources() + own


def house_sources() -> list[Path]:
    """Return every file of the house that compiled code depends on."""
    return [path for room in ("kernel", "engine", "nets") for path in (PACKAGE / room).rglob("*.py")]


class AnyState(Record):
    """A record with what every game has."""


@cache
def common_compiler() -> Any:
    """Return the compiler of the rules that are the same for every game, such as the forward pass of a net."""
    from rulestone.kernel.compiled import Compiler, cache_folder

    return Compiler(AnyState.layout(1, None), cache_folder("every game", house_sources()))


_loaded: dict[str, Game] = {}
FOLDER = "rulestone_folder_"
"""Prefix of the package names of games loaded from folders."""


def digest(files: Iterable[Path]) -> str:
    """Return a hash of the names and contents of files."""
    made = hashlib.sha256()
    for file in sorted(files):
        made.update(file.name.encode() + file.read_bytes())
    return made.hexdigest()[:16]


def load(name: str | Path, changes: Mapping[str, Any] | None = None) -> Game:
    """Load a game by its name, or from the path of its folder.

    The name is that of a built-in game or of an entry point in the group "rulestone.games". `changes` sets constants of the game's
    `content.py`, `rules.py` and `bot.py` to other values. They can also be part of the name, as in records: `connect_four@COLUMNS=8`.

    Raises UnknownGame if there is no such game, or if it can't be loaded. Raises BadChange if a change isn't possible.

    >>> load("connect_four").name
    'connect_four'
    >>> load("connect_fuor")
    Traceback (most recent call last):
    ...
    rulestone.game.UnknownGame: there is no game 'connect_fuor'; did you mean connect_four? Games: ...
    """
    key = str(name)
    plain, more = (key, {}) if os.path.isfile(f"{key}/rules.py") else variant.split(key)
    if changes or more:
        return load(plain).changed({**more, **(changes or {})})
    if key in _loaded:
        return _loaded[key]
    if key in built_in_games.built_in():
        game = _from_package(key, f"{built_in_games.__name__}.{key}")
    elif points := entry_points(group=built_in_games.ENTRY_POINTS, name=key):
        try:
            game = _from_package(key, next(iter(points)).value)
        except Exception as problem:  # a stranger's package
            raise UnknownGame(f"the installed game {key!r} can't be loaded: {type(problem).__name__}: {problem}") from problem
    elif (Path(name) / "rules.py").is_file():
        return _from_folder(Path(name))
    else:
        raise UnknownGame(_unknown(key))
    _loaded[key] = game
    return game


def forget(game: Game) -> None:
    """Let go of a variant that nobody plays any more, so that its modules can be freed."""
    _loaded.pop(str(game.folder), None)
    package = game.rules.__name__.rpartition(".")[0]
    for name in [name for name in sys.modules if name == package or name.startswith(f"{package}.")]:
        del sys.modules[name]


def load_again(game: Game) -> Game:
    """Import a game's files again and return the game as it is now. If that fails, the modules stay as they were.

    The game that was loaded before keeps its own modules and can still be played.
    """
    package = game.rules.__name__.rpartition(".")[0]
    before = {name: module for name, module in sys.modules.items() if name == package or name.startswith(f"{package}.")}
    unwritten, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # two edits within a second can look the same to Python's cache
    try:
        if game.from_folder:
            return _from_folder(game.folder)
        for name in before:
            del sys.modules[name]
        importlib.invalidate_caches()
        return _from_package(game.name, package)
    except BaseException:
        for name in [name for name in sys.modules if name == package or name.startswith(f"{package}.")]:
            del sys.modules[name]
        sys.modules.update(before)
        raise
    finally:
        sys.dont_write_bytecode = unwritten


def once_per_game(make: F) -> F:
    """Cache what a function finds out about a game, as long as the game is there. The game is its first argument."""

    @wraps(make)
    def found(game: Game, *more: Any) -> Any:
        key = (make, *more)
        if key not in game.memo:
            game.memo[key] = make(game, *more)
        return game.memo[key]

    return found  # type: ignore[return-value]


def installed() -> Iterator[tuple[str, Game]]:
    """Yield every installed game with its name. A package that can't be loaded is skipped, with a warning in the log."""
    for name in built_in_games.names():
        try:
            yield name, load(name)
        except UnknownGame as problem:
            logging.getLogger(__name__).warning("%s", problem)


def _unknown(name: str) -> str:
    known = built_in_games.names()
    if "/" in name or Path(name).is_dir():
        return f"there is no rules.py in {name!r}; every game folder needs one"
    close = difflib.get_close_matches(name, known, 1)
    hint = f"did you mean {close[0]}? " if close else ""
    return f"there is no game {name!r}; {hint}Games: {', '.join(known)}"


def _from_package(name: str, package: str) -> Game:
    rules = importlib.import_module(f"{package}.rules")
    verbs.complete(vars(rules))
    folder = Path(str(rules.__file__)).parent
    bot = importlib.import_module(f"{package}.bot") if (folder / "bot.py").exists() else None
    return Game(name, rules, bot, folder)


def _from_folder(folder: Path) -> Game:
    """Import a folder as a package, again each time, so that edits take effect."""
    folder = folder.resolve()
    package = f"{FOLDER}{hashlib.sha256(str(folder).encode()).hexdigest()[:16]}"
    for old in [name for name in sys.modules if name == package or name.startswith(package + ".")]:
        del sys.modules[old]
    importlib.invalidate_caches()
    spec = importlib.util.spec_from_file_location(package, folder / "__init__.py", submodule_search_locations=[str(folder)])
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    module.__path__ = [str(folder)]
    sys.modules[package] = module
    return _from_package(folder.name, package)


def _try_out(game: Game, mark: Path | None) -> None:
    """Play a few moves with every number of players and with the game's own bot. If all is well, touch `mark`, and skip this next time."""
    if mark is not None and mark.exists():
        return
    playable = 0
    for players in range(game.min_players, game.max_players + 1):
        try:
            game.prepared(players, None)
        except ValueError:
            if players == game.max_players and not playable:
                raise
            continue
        playable += 1
        match = game.new(1, players)
        chance = random.Random(1)
        for _ in range(TRIAL_MOVES):
            match.check()
            if match.over:
                break
            legal = match.legal_actions()
            if not legal:
                raise BrokenGame(f"after {match.ply} moves nobody can move, but the game is not over")
            match.play(chance.choice(legal))
        longest = game.longest(players, match.options)
        if not match.over and match.ply > longest:
            raise BrokenGame(f"a game is not over after {match.ply} moves, but ABOUT.longest is {longest}")
        _try_bot(game, players)
    if mark is not None:
        with contextlib.suppress(OSError):  # in a cache that belongs to others
            mark.touch()


def misread(problem: BaseException) -> str | None:
    """Return where a game's file can't be read or run, and why; None if the problem is another one."""
    if isinstance(problem, SyntaxError) and problem.filename and Path(problem.filename).with_name("rules.py").is_file():
        return f"{problem.filename} line {problem.lineno}: {problem.msg}"
    places = [
        (frame.f_code.co_filename, line)
        for frame, line in traceback.walk_tb(problem.__traceback__)
        if frame.f_code.co_name == "<module>" and Path(frame.f_code.co_filename).with_name("rules.py").is_file()
    ]
    return f"{places[-1][0]} line {places[-1][1]}: {type(problem).__name__}: {problem}" if places else None


def slip(game: Game, problem: BaseException) -> str | None:
    """Return where in a game's own files an exception was raised, and what is wrong; None if it wasn't raised there."""
    if isinstance(problem, Endless):
        return str(problem)
    places = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(problem.__traceback__)]
    own = [(Path(file), line) for file, line in places if Path(file).is_relative_to(game.folder)]
    if not own:
        return None
    wrong = f"{type(problem).__name__}: {problem}"
    if field := re.fullmatch(r"'State' object has no attribute '(\w+)'", str(problem)):  # Python names it when it is read, not when written
        wrong = game.layout.no_field(field[1])
    elif "memoryview: invalid value for format" in str(problem):
        wrong = "a number does not fit the type of its field"
    return f"{own[-1][0]} line {own[-1][1]}: {wrong}"


def _try_bot(game: Game, players: int) -> None:
    """Play a few moves of the game's own bot, if it has one. Raises BrokenGame if one isn't legal."""
    match = game.new(1, players)
    states = Scratch.of(game.layout, SCRATCH)
    for _ in range(TRIAL_ADVICE if game.greedy is not None else 0):
        if match.to_move is None:
            return
        legal = match.legal_actions()
        states.records[0].raw[...] = match.view(match.to_move).array
        move = game.interpreted_names["greedy"](states[0], list(legal), len(legal), states[1:]) if len(legal) > 1 else legal[0]
        if move not in legal:
            raise BrokenGame(f"greedy in {game.folder / 'bot.py'} returned {move!r}, which is not one of the legal actions {legal[:12]}")
        match.play(move)
