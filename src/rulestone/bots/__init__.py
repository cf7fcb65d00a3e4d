"""Bots: programs that play a seat. A bot gets what its seat can know and returns a move; see docs/bots.md.

>>> import rulestone
>>> match = rulestone.load("connect_four").new(seed=7)
>>> move = choose(match.view(0), "mcts:200", seed=1)
>>> move in match.legal()
True
"""

from __future__ import annotations

import contextlib
import importlib
import random
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import entry_points
from operator import index
from typing import TYPE_CHECKING, Any

from rulestone import variant
from rulestone.bots.nets import NetPlayer
from rulestone.bots.protocol import Bot, Budget, Choice, Thoughts
from rulestone.bots.search import Arrays, MonteCarlo, arrays
from rulestone.bots.simple import Greedy, Random
from rulestone.kernel.actions import Move
from rulestone.match import Match
from rulestone.nets.net import NetError, is_net

if TYPE_CHECKING:
    from rulestone.game import Game

__all__ = ["LEVELS", "Bot", "Budget", "Choice", "Level", "Thoughts", "UnknownBot", "choose", "decide", "make"]

ENTRY_POINTS = "rulestone.bots"


class UnknownBot(ValueError):
    """There is no bot of that name, or what was found isn't a bot."""


@dataclass(frozen=True)
class Level:
    """A playing strength, the same for every game: seconds of thinking per move, and the share of moves made without it (`slip`)."""

    seconds: float
    slip: float


LEVELS = {
    1: Level(0.001, 0.75),
    2: Level(0.003, 0.50),
    3: Level(0.01, 0.30),
    4: Level(0.05, 0.15),
    5: Level(1.00, 0.00),
}
"""The levels by number, weakest first: `level:1` to `level:5`."""


class Levelled:
    """The bot `level:N`: a search that sometimes slips. It then makes a random move, but none that the game's own bot calls absurd."""

    def __init__(
        self,
        game: Game,
        level: Level,
        clock: Callable[[], float] = time.perf_counter,
        arrays: Callable[[int, int], Arrays] = arrays,
    ) -> None:
        self.game = game
        self.quick = Greedy(game) if game.greedy is not None else None
        self.thinker = MonteCarlo(game, Budget(seconds=level.seconds), threads=1, clock=clock, hurry=True, arrays=arrays)
        self.slip = {players: level.slip * settings.slips for players, settings in self.thinker.search.settings.items()}

    def choose(
        self, view: Match, legal: list[Move], seed: int, budget: Budget | None = None, stop: threading.Event | None = None
    ) -> Choice:
        """Return a move made without thinking or the best move found; see `Bot.choose`."""
        chooser = random.Random(seed)
        if chooser.random() < self.slip[view.players]:
            moves = self.game.actions
            return Choice(moves.decode(self.unthinking(view, [moves.parse(move) for move in legal], chooser)))
        return self.thinker.choose(view, legal, seed, budget, stop)

    def unthinking(self, view: Match, legal: list[int], chooser: random.Random) -> int:
        """Return the number of a random move: one that the game's `sensible` keeps, and of two such moves the one its `greedy` prefers."""
        if "sensible" in self.game.hints:
            kept = [*legal]
            legal = kept[: view.ask(self.game.hints["sensible"], kept, len(kept))]
        pair = sorted(chooser.sample(legal, min(2, len(legal))))
        either = chooser.choice(pair)
        if self.quick is None or len(pair) < 2:
            return either
        with contextlib.suppress(IndexError, ValueError):  # it may look for a move that isn't among these
            better = self.quick.pick(view.array, [*pair], chooser.getrandbits(62))
            return better if better in pair else either
        return either


class Champion:
    """The bot `champion`: a search with the game's own net, for the numbers of players for which that is stronger than the top level.

    With other numbers of players, or options that the net doesn't know, it's the top level.
    """

    def __init__(
        self,
        game: Game,
        clock: Callable[[], float] = time.perf_counter,
        arrays: Callable[[int, int], Arrays] = arrays,
    ) -> None:
        self.seconds = game.champion
        self.thinker = MonteCarlo(game, Budget(seconds=max(self.seconds.values())), threads=1, clock=clock, arrays=arrays, net="net")
        self.top = Levelled(game, LEVELS[max(LEVELS)], clock, arrays)

    def choose(
        self, view: Match, legal: list[Move], seed: int, budget: Budget | None = None, stop: threading.Event | None = None
    ) -> Choice:
        """Return the best move found; see `Bot.choose`."""
        nets = self.thinker.search.nets
        if nets is None or view.players not in self.seconds or not nets.fit(view):
            return self.top.choose(view, legal, seed, budget, stop)
        own = Budget(seconds=self.seconds[view.players])
        return self.thinker.choose(view, legal, seed, own if budget is None else budget.within(own), stop)


def make(
    name: str,
    game: Game,
    *,
    clock: Callable[[], float] = time.perf_counter,
    threads: int | None = None,
    arrays: Callable[[int, int], Arrays] = arrays,
) -> Bot:
    """Make a bot for a game from its name. Raises UnknownBot if there is no such bot.

    The name is one of:

    - `random`: plays a random legal move;
    - `greedy`: the game's own bot, if its `bot.py` has one. `greedy@NAME=value` changes a constant in `bot.py`;
    - `net:FILE`: a trained net, and `net`: the game's own, if it has one; see docs/bots/nets.md;
    - `mcts:2000`, `mcts:1s`: tree search with a `Budget` of simulations or time;
    - `mcts:1s net`, `mcts:1s net:FILE`: the same, guided by a net;
    - `level:1` to `level:5`: tree search of a certain strength;
    - `champion`: tree search with the game's own net, where that is stronger than the top level;
    - the name of an entry point in the group "rulestone.bots", or `package.module:Class`.

    `clock` measures budgets in seconds. `threads` is the most cores that a search in several trees uses (by default, all). `arrays`
    allocates the memory of a search; pass your own to share memory between searches that never run at the same time.

    >>> import rulestone
    >>> make("level:9", rulestone.load("connect_four"))
    Traceback (most recent call last):
    ...
    rulestone.bots.UnknownBot: there is no bot 'level:9'; levels are level:1 to level:5
    """
    name, changes = variant.split(name)
    game = game.changed(changes, ("bot.py",)) if changes else game
    head, _, rest = name.partition(":")
    if name == "champion":
        if not game.champion:
            raise UnknownBot(f"{game.name} has no champion; available: {known_bots(game)}")
        try:
            return Champion(game, clock, arrays)
        except NetError as problem:
            raise UnknownBot(str(problem)) from None
    if head == "random" and not rest:
        return Random(game)
    if head == "greedy" and not rest:
        if game.greedy is None:
            raise UnknownBot(f"{game.name} has no greedy bot; available: {known_bots(game)}")
        return Greedy(game)
    if head == "mcts" or is_net(name):
        budget, net = parted(rest)
        try:
            if head == "net":
                return NetPlayer(game, name)
            return MonteCarlo(game, Budget.read(budget or "1s"), threads=threads, clock=clock, arrays=arrays, net=net)
        except NetError as problem:
            raise UnknownBot(str(problem)) from None
        except ValueError as problem:
            raise UnknownBot(f"there is no bot {name!r}: {problem}") from None
    if head == "level":
        if not rest.isdecimal() or int(rest) not in LEVELS:
            raise UnknownBot(f"there is no bot {name!r}; levels are level:{min(LEVELS)} to level:{max(LEVELS)}")
        return Levelled(game, LEVELS[int(rest)], clock, arrays)
    return _strange(name, head, rest, game)


def parted(rest: str) -> tuple[str, str | None]:
    """Return the budget of a search and the name of the net that guides it, if there is one.

    >>> parted("1s x4 net:four.net"), parted("2000")
    (('1s x4', 'net:four.net'), ('2000', None))
    """
    found = re.fullmatch(r"(.*?)\s*\b(net(?::.+)?)", rest)
    return (found[1], found[2]) if found else (rest, None)


def _strange(name: str, head: str, rest: str, game: Game) -> Bot:
    """Make a bot from an entry point (`name` or `name:argument`) or a class (`package.module:Class` or `package.module:Class:argument`)."""
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
            raise UnknownBot(f"there is no bot {name!r} for {game.name}; available: {known_bots(game)}")
    except (ImportError, AttributeError) as problem:
        raise UnknownBot(f"there is no bot {name!r} for {game.name} ({problem}); available: {known_bots(game)}") from None
    try:
        bot: Any = maker(game, *arguments)
    except TypeError as problem:
        raise UnknownBot(f"{name!r} is not a bot: it can't be made for a game ({problem})") from problem
    if not callable(getattr(bot, "choose", None)):
        raise UnknownBot(f"{name!r} is not a bot: it has no method choose(view, legal, seed, budget, stop)")
    return bot  # type: ignore[no-any-return]


def known_bots(game: Game) -> str:
    """Return the names of the bots available for a game, as text."""
    strangers = sorted(point.name for point in entry_points(group=ENTRY_POINTS))
    own = ["random", "greedy"] if game.greedy is not None else ["random"]
    levels = f"level:{min(LEVELS)} … level:{max(LEVELS)}{', champion' if game.champion else ''}"
    return ", ".join([*own, levels, "net:FILE", "mcts:2000 (simulations)", "mcts:1s (time)", *strangers, "package.module:Class"])


def decide(view: Match, bot: str | Bot, seed: int, budget: Budget | None = None, stop: threading.Event | None = None) -> Choice:
    """Ask a bot for its move, with its thoughts if it has any.

    `view` is the match as the player to move sees it (`match.view(player)`), `bot` is a name (see `make`) or a bot. The same view, seed
    and number of simulations give the same move. `budget` limits the bot further, and setting `stop` asks it to answer soon.

    Raises ValueError if `view` isn't a view of the player to move, or if the bot's move is illegal; UnknownBot if there is no such bot.

    >>> import rulestone
    >>> match = rulestone.load("connect_four").new(seed=7)
    >>> choice = decide(match.view(0), "mcts:500", seed=1)
    >>> choice.move in match.legal(), choice.thoughts.simulations
    (True, 500)
    """
    legal, seed = view.legal(), index(seed)
    if not legal:
        raise ValueError("there are no legal moves in this view; pass the view of the player to move")
    if not view.is_view:
        raise ValueError("a bot needs a view, not the match itself; pass match.view(player)")
    player = make(bot, view.game) if isinstance(bot, str) else bot
    answer: Any = player.choose(view, list(legal), seed, budget, stop)
    choice = answer if isinstance(answer, Choice) else Choice(answer)
    name = bot if isinstance(bot, str) else type(bot).__name__
    try:
        move = view.game.actions.decode(view.game.actions.parse(choice.move))
    except (ValueError, TypeError) as problem:
        raise ValueError(f"the bot {name} played {choice.move!r}: {problem}") from None
    if move not in legal:
        raise ValueError(f"the bot {name} played '{move}', which is not legal now")
    return Choice(move, choice.thoughts)


def choose(view: Match, bot: str | Bot, seed: int) -> Move:
    """Return the move that a bot makes in a view. This is `decide(view, bot, seed).move`.

    >>> import rulestone
    >>> match = rulestone.load("connect_four").new(seed=7)
    >>> choose(match.view(0), "random", seed=1) in match.legal()
    True
    """
    return decide(view, bot, seed).move
