"""The bot `net`: plays the move that a trained net likes best."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rulestone.bots.protocol import Budget, Choice
from rulestone.engine import quick
from rulestone.kernel.actions import Move
from rulestone.kernel.chance import MASK, stream
from rulestone.kernel.record import SCRATCH, Scratch
from rulestone.match import Match
from rulestone.nets.net import Minds, Net, NetError, net_of, own_file

if TYPE_CHECKING:
    from rulestone.game import Game


class Nets:
    """The nets that a bot's name names: `net:FILE` is one, and `net` is the game's own for each number of players.

    Raises NetError if there is none for the game.
    """

    def __init__(self, game: Game, name: str) -> None:
        self.game, self.name = game, name
        numbers = range(game.min_players, game.max_players + 1)
        if name != "net":
            net_of(name, game, 0)
        elif not any(own_file(game, players).is_file() for players in numbers):
            raise NetError(f"{game.name} has no net of its own; train one with `rulestone train` and play it as net:FILE")
        self._known: dict[Any, Net] = {}

    def of(self, view: Match) -> Net:
        """Return the net for a view. Raises NetError if there is none for its number of players and its options."""
        key = (view.players, *(str(value) for value in view.options.values()))
        if key not in self._known:
            self._known[key] = net_of(self.name, self.game, view.players, view.options)
        return self._known[key]

    def fit(self, view: Match) -> bool:
        """Return whether there is a net for a view."""
        try:
            return bool(self.of(view))
        except NetError:
            return False


def edition(game: Game, bot: str) -> str:
    """Return a hash of the nets that a bot's name names; empty if it names none. The same name can name another net tomorrow."""
    found = re.search(r"\bnet(?::(.+))?$|^(?=champion$)", bot)
    if found is None:
        return ""
    files = [Path(found[1])] if found[1] else [own_file(game, players) for players in range(game.min_players, game.max_players + 1)]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files if file.is_file())).hexdigest()[:16]


class NetPlayer:
    """The bot `net` or `net:FILE`. It plays what the net likes best, without search."""

    def __init__(self, game: Game, name: str) -> None:
        self.game, self.nets = game, Nets(game, name)
        self.seats: dict[int, Seat] = {}

    def choose(
        self, view: Match, legal: list[Move], seed: int, budget: Budget | None = None, stop: threading.Event | None = None
    ) -> Choice:
        """Return the net's move; see `Bot.choose`. Raises NetError if the net is for another number of players or other options."""
        seat = self._seat(self.nets.of(view))
        return Choice(self.game.actions.decode(seat.pick(view.array, self._numbers(legal), seed)))

    def expected(self, view: Match) -> list[float]:
        """Return the payoff, from -1 to 1, that the net expects for every player, as the player to move sees the game."""
        return self._seat(self.nets.of(view)).expected(view.array, self._numbers(view.legal()))[: view.players]

    def _numbers(self, legal: Sequence[Move]) -> list[int]:
        return [self.game.actions.parse(move) for move in legal]

    def _seat(self, net: Net) -> Seat:
        if id(net) not in self.seats:
            self.seats[id(net)] = Seat(self.game, net)
        return self.seats[id(net)]


class Seat:
    """One net with the memory it thinks in."""

    def __init__(self, game: Game, net: Net) -> None:
        self.game, self.jit = game, game.mode == "compiled"
        layout = game.bare if self.jit else game.layout
        self.minds = Minds(game, layout, [net], self.jit)
        room = SCRATCH + 1  # the view, and what the quick bot needs to advise
        self.array = layout.array(room)
        self.states: Any = self.array if self.jit else Scratch([layout.reader(self.array[k : k + 1]) for k in range(room)])
        self.mind, self.desk = self.minds.mind, self.minds.desk(self.array)
        self.moves = np.zeros(len(game.actions), np.int16)
        self.worth = np.zeros(game.max_players)

    def pick(self, record: NDArray[Any], legal: list[int], seed: int) -> int:
        """Return the number of the move for a hidden record (in an array of one). The seed is for the quick bot, if it's asked."""
        return int(self._choose(*self._shown(record, legal), self.mind, self.desk, self._own(seed)))

    def expected(self, record: NDArray[Any], legal: list[int]) -> list[float]:
        """Return the payoff expected for each seat."""
        self._expect(*self._shown(record, legal), self.mind, self.desk, self._own(0), self.minds.plain(self.worth))
        return [float(value) for value in self.worth]

    def _shown(self, record: NDArray[Any], legal: list[int]) -> tuple[Any, ...]:
        self.array[:1] = self.game.bared(record) if self.jit else record
        self.moves[: len(legal)] = legal
        return self.states, len(legal), self.minds.plain(self.moves), 0

    def _own(self, seed: int) -> Any:
        own = int(stream(seed & MASK, 0))
        return np.uint64(own) if self.jit else own

    @cached_property
    def _choose(self) -> Any:
        return (self.game.silent if self.jit else self.game.interpreted)(quick.net_move_in)

    @cached_property
    def _expect(self) -> Any:
        return (self.game.silent if self.jit else self.game.interpreted)(quick.expected_in)
