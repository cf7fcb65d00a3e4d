"""The environments of a game at a glance: what `rulestone envs` prints, and the table in docs/researchers/environments.md."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from rulestone.engine.loops import random_games
from rulestone.engine.tape import uses_chance
from rulestone.envs.observations import Observations
from rulestone.game import Game
from rulestone.kernel.record import SCRATCH, Scratch
from rulestone.nets.encoding import Encoding

COLUMNS = ("environment", "players", "flat", "one-hot", "ranges", "actions", "moves", "hidden", "cooperative", "chance")
GAMES = 20
"""How many random games the mean length is measured in."""


def environment_id(game: Game) -> str:
    """The name of a game's environment in Gymnasium's registry. Its version is that of the game's rules.

    >>> import rulestone
    >>> environment_id(rulestone.load("connect_four"))
    'rulestone/connect_four-v1'
    """
    return f"rulestone/{game.name}-v{game.version}"


@dataclass(frozen=True)
class Facts:
    """What a researcher wants to know first about a game."""

    environment: str
    """Its name in Gymnasium's registry."""
    players: tuple[int, int]
    """The smallest and largest number of players."""
    flat: int
    """How many numbers a flat observation has, whatever the number of players."""
    onehot: int
    """How many numbers a one-hot observation has."""
    declared: float
    """The share of the flat numbers whose range the game declares."""
    actions: int
    moves: float
    """The mean number of moves in a random game with the usual number of players."""
    error: float
    """The standard error of that mean."""
    hidden: bool
    """Whether something is hidden from somebody."""
    cooperative: bool
    """Whether all players win or lose together."""
    chance: bool
    """Whether anything is drawn at random."""

    def cells(self) -> tuple[str, ...]:
        """The facts as text, in the order of COLUMNS."""
        players = "-".join(str(number) for number in sorted(set(self.players)))
        moves = f"{self.moves:,.0f} ± {self.error:,.0f}" if self.moves >= 100 else f"{self.moves:.1f} ± {self.error:.1f}"
        facts = ["yes" if fact else "no" for fact in (self.hidden, self.cooperative, self.chance)]
        sizes = f"{self.flat:,}", f"{self.onehot:,}", f"{100 * self.declared:.0f} %", f"{self.actions:,}"
        return self.environment, players, *sizes, moves, *facts

    def as_json(self) -> dict[str, Any]:
        """The facts by name."""
        return asdict(self)


def facts(game: Game, games: int = GAMES) -> Facts:
    """Look at a game, and play some random games of it."""
    about, rules = game.about, game.rules
    lengths = random_lengths(game, games)
    seen = Observations(game, about.usual_players, {}, "onehot")
    drawing = [getattr(rules, name) for name in ("setup", "apply", "resolve") if hasattr(rules, name)]
    return Facts(
        environment=environment_id(game),
        players=(about.min_players, about.max_players),
        flat=Encoding.of(game).size,
        onehot=seen.size,
        declared=seen.declared,
        actions=len(game.actions),
        moves=float(lengths.mean()),
        error=float(lengths.std(ddof=1) / len(lengths) ** 0.5) if games > 1 else 0.0,
        hidden=not about.perfect_information,
        cooperative=about.cooperative,
        chance=any(uses_chance(rule) for rule in drawing),
    )


def random_lengths(game: Game, games: int) -> Any:
    """The number of moves in random games 0, 1, 2, … of seed 1. The rules run interpreted: compiling takes longer than a few games."""
    start, players = game.prepared(None, None)
    lengths, verb = np.zeros(games, np.int32), [0] * len(game.actions)
    results = np.zeros((games, players), np.float32), lengths, np.zeros((games, 1), np.int32)
    spare = [0] * players, Scratch.of(game.layout, SCRATCH), [0] * len(game.actions), verb
    game.interpreted(random_games)(Scratch.of(game.layout, 1), [game.layout.reader(start)], 0, games, 1, *spare, results)
    return lengths


def markdown(rows: Iterable[Facts]) -> str:
    """The table for a document."""
    head = [COLUMNS, ("---", "---", *["---:"] * 5, *["---"] * 3)]
    return lines([*head, *((f"`{name}`", *rest) for name, *rest in (row.cells() for row in rows))])


def lines(rows: Iterable[Iterable[str]]) -> str:
    """Rows of cells in Markdown.

    >>> lines([("a", "b"), ("---", "---:")])
    '| a | b |\\n| --- | ---: |\\n'
    """
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)
