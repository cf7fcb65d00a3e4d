"""Who sits in an empty chair. A bot is handed what its seat may know and returns a move; see docs/bots.md."""

from __future__ import annotations

import importlib
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import entry_points
from operator import index
from typing import TYPE_CHECKING, Any

from rulestone import variant
from rulestone.bots.protocol import Bot, Budget, Choice, Thoughts
from rulestone.bots.search import Arrays, MonteCarlo, arrays
from rulestone.bots.simple import Greedy, Random
from rulestone.kernel.actions import Move
from rulestone.match import Match

if TYPE_CHECKING:
    from rulestone.game import Game

__all__ = ["LEVELS", "Bot", "Budget", "Choice", "Level", "Thoughts", "UnknownBot", "choose", "decide", "make"]

ENTRY_POINTS = "rulestone.bots"


class UnknownBot(ValueError):
    """No bot of that name, or what was found is none."""


@dataclass(frozen=True)
class Level:
    """One strength, the same for every game: how long it thinks about a move, and how often it plays without thinking at all."""

    seconds: float
    slip: float


LEVELS = {
    1: Level(0.001, 0.75),
    2: Level(0.003, 0.50),
    3: Level(0.01, 0.30),
    4: Level(0.05, 0.15),
    5: Level(1.00, 0.00),
}


class Levelled:
    """A search of one of the LEVELS: now and then it plays the first move that comes to mind."""

    def __init__(
        self,
        game: Game,
        level: Level,
        clock: Callable[[], float] = time.perf_counter,
        arrays: Callable[[int, int], Arrays] = arrays,
    ) -> None:
        self.thinker = MonteCarlo(game, Budget(seconds=level.seconds), threads=1, clock=clock, hurry=True, arrays=arrays)
        self.slip = {players: level.slip * settings.slips for players, settings in self.thinker.search.settings.items()}

    def choose(
        self, view: Match, legal: list[Move], seed: int, budget: Budget | None = None, stop: threading.Event | None = None
    ) -> Choice:
        chooser = random.Random(seed)
        if chooser.random() < self.slip[view.players]:
            return Choice(chooser.choice(legal))
        return self.thinker.choose(view, legal, seed, budget, stop)


def make(
    name: str,
    game: Game,
    *,
    clock: Callable[[], float] = time.perf_counter,
    threads: int | None = None,
    arrays: Callable[[int, int], Arrays] = arrays,
) -> Bot:
    """The bot of that name for a game: `random`, `greedy`, `mcts:2000`, `mcts:1s`, `level:3`, an entry point's name or an import path.

    `greedy@NAME=value` is the bot with another value of a constant of the game's `bot.py`.
    `clock` is what budgets in seconds are measured with, `threads` how many cores a search in several trees may use; `arrays` hands out
    the memory of a search, for searches that never think at the same time and may share it.

    >>> import rulestone
    >>> make("level:9", rulestone.load("connect_four"))
    Traceback (most recent call last):
    ...
    rulestone.bots.UnknownBot: there is no 'level:9'; levels are level:1 to level:5
    """
    name, changes = variant.split(name)
    game = game.changed(changes, ("bot.py",)) if changes else game
    head, _, rest = name.partition(":")
    if head == "random" and not rest:
        return Random(game)
    if head == "greedy" and not rest:
        if game.greedy is None:
            raise UnknownBot(f"{game.name} has no greedy bot; possible: {known_bots(game)}")
        return Greedy(game)
    if head == "mcts":
        try:
            return MonteCarlo(game, Budget.read(rest or "1s"), threads=threads, clock=clock, arrays=arrays)
        except ValueError as problem:
            raise UnknownBot(f"{name!r} is no bot: {problem}") from None
    if head == "level":
        if not rest.isdecimal() or int(rest) not in LEVELS:
            raise UnknownBot(f"there is no {name!r}; levels are level:{min(LEVELS)} to level:{max(LEVELS)}")
        return Levelled(game, LEVELS[int(rest)], clock, arrays)
    return _strange(name, head, rest, game)


def _strange(name: str, head: str, rest: str, game: Game) -> Bot:
    """Somebody else's bot: an entry point (`name` or `name:argument`), or `package.module:Class` (or `package.module:Class:argument`)."""
    arguments = [rest] if rest else []
    found = next(iter(entry_points(group=ENTRY_POINTS, name=head)), None)
    try:
        if found is not None:
            maker = found.load()
        elif rest:
            class_name, _, argument = rest.partition(":")
            arguments = [argument] if argument else []
            maker = getattr(importlib.import_module(head), class_name)
        else:
            raise UnknownBot(f"there is no bot {name!r} for {game.name}; possible: {known_bots(game)}")
    except (ImportError, AttributeError) as problem:
        raise UnknownBot(f"there is no bot {name!r} for {game.name} ({problem}); possible: {known_bots(game)}") from None
    try:
        bot: Any = maker(game, *arguments)
    except TypeError as problem:
        raise UnknownBot(f"{name!r} is no bot: it cannot be made for a game ({problem})") from problem
    if not callable(getattr(bot, "choose", None)):
        raise UnknownBot(f"{name!r} is no bot: it has no method choose(view, legal, seed, budget, stop)")
    return bot  # type: ignore[no-any-return]


def known_bots(game: Game) -> str:
    """What can be named, in words."""
    strangers = sorted(point.name for point in entry_points(group=ENTRY_POINTS))
    own = ["random", "greedy"] if game.greedy is not None else ["random"]
    levels = f"level:{min(LEVELS)} … level:{max(LEVELS)}"
    return ", ".join([*own, levels, "mcts:2000 (simulations)", "mcts:1s (time)", *strangers, "package.module:Class"])


def decide(view: Match, bot: str | Bot, seed: int, budget: Budget | None = None, stop: threading.Event | None = None) -> Choice:
    """What a bot does in a view of its own seat, and what it thinks; an illegal move of a stranger's bot raises ValueError.

    >>> import rulestone
    >>> match = rulestone.load("connect_four").new(seed=7)
    >>> choice = decide(match.view(0), "mcts:500", seed=1)
    >>> choice.move in match.legal(), choice.thoughts.simulations
    (True, 500)
    """
    legal, seed = view.legal(), index(seed)
    if not legal:
        raise ValueError("a bot decides in the view of the player who is to move")
    if not view.is_view:
        raise ValueError("a bot is handed a view (match.view(player)), never the match itself")
    player = make(bot, view.game) if isinstance(bot, str) else bot
    answer: Any = player.choose(view, list(legal), seed, budget, stop)
    choice = answer if isinstance(answer, Choice) else Choice(answer)
    name = bot if isinstance(bot, str) else type(bot).__name__
    try:
        move = view.game.actions.decode(view.game.actions.parse(choice.move))
    except (ValueError, TypeError) as problem:
        raise ValueError(f"the bot {name} wants to play {choice.move!r}: {problem}") from None
    if move not in legal:
        raise ValueError(f"the bot {name} wants to play '{move}', which is not possible now")
    return Choice(move, choice.thoughts)


def choose(view: Match, bot: str | Bot, seed: int) -> Move:
    """The move a bot (or the bot of a name) makes in a view of its own seat.

    >>> import rulestone
    >>> match = rulestone.load("connect_four").new(seed=7)
    >>> choose(match.view(0), "random", seed=1) in match.legal()
    True
    """
    return decide(view, bot, seed).move
