"""One game in progress for the adapters: a match without its checks, so that single steps from Python are fast."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulestone.game import Game, load
from rulestone.match import Match, generator, turn_name
from rulestone.nets.encoding import PARTS, Encoding


class Position:
    """A record, the seed its dice come from and the actions so far: the same game that a `Match` with this seed plays.

    Nothing is checked here; adapters must pass legal actions only.
    """

    def __init__(self, game: Game | str, players: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        self.game = load(game) if isinstance(game, str) else game
        self.game.warm_up()
        self.start, self.players = self.game.prepared(players, options)
        self.options = dict(options or {})
        self.seed: int | str = 0
        self.actions: list[int] = []
        self.movers: list[int] = []
        """Who made them, in games where several players can decide at the same time."""
        self._furnish(self.start)

    def _furnish(self, array: NDArray[Any]) -> None:
        """Make the buffers that are views of each other: of the record, and of what is shown of it."""
        self.moves = np.zeros(len(self.game.actions), np.int16)
        self._attach(array)
        self._shown = Shown(self.game)

    def _attach(self, array: NDArray[Any]) -> None:
        # Records are copied as bytes: NumPy would copy them field by field.
        self._bytes = array.view(np.uint8).copy()
        self.array = self._bytes.view(array.dtype)
        self._to_move, self._rng, self._ply = self.array["to_move"], self.array["rng"], self.array["ply"]
        self._reader = self._reader_of(self.array)

    def _run(self, name: str, *arguments: Any) -> Any:
        return self.game.run(name, self.array, self._reader, *arguments)

    def begin(self, seed: int | str) -> None:
        """Start the game with this seed."""
        self.seed, self.actions, self.movers = seed, [], []
        self._bytes[:] = self.start.view(np.uint8)
        self._rng[0] = generator(seed, 0)
        self._run("begin")

    @property
    def to_move(self) -> int:
        """Who is to move; -1 when the game is over."""
        return int(self._to_move[0])

    @property
    def payoff(self) -> list[float]:
        """Each player's payoff."""
        return self.array["payoff"][0, : self.players].tolist()  # type: ignore[no-any-return]

    def legal(self) -> NDArray[np.int16]:
        """The legal actions in ascending order; valid until the next call."""
        return self.moves[: self._run("legal", self.moves)]

    def step(self, action: int) -> None:
        """Make a legal move."""
        self.actions.append(action)
        self._rng[0] = generator(self.seed, *self._turn()) if self.game.simultaneous else generator(self.seed, int(self._ply[0]) + 1)
        self._run("step", action)

    def _turn(self) -> tuple[int | str, ...]:
        """What the dice of a move are seeded with, in a game where several players can decide at the same time."""
        named = turn_name(bool(self._run("deciding")), int(self._ply[0]), self.to_move, self.movers)
        self.movers.append(self.to_move)
        return named

    def redeal(self, viewer: int, seed: int) -> None:
        """Deal again everything that this viewer cannot see."""
        self._run("conceal", viewer)
        self.seed = seed
        self._rng[0] = generator(seed, 0)
        self._run("redeal", viewer)

    def known(self, viewer: int) -> NDArray[Any]:
        """A copy of the record (in an array of one) in which everything the viewer cannot know is blank."""
        record = self._bytes.copy().view(self.array.dtype)
        self.game.run("conceal", record, self._reader_of(record), viewer)
        return record

    def flat(self, viewer: int) -> NDArray[np.int32]:
        """The same as a flat vector."""
        shown = self._shown
        shown.bytes[:] = self._bytes
        self.game.run("conceal", shown.record, shown.reader, viewer)
        for place, part in shown.parts:
            place[:] = part
        return shown.vector.copy()

    def _reader_of(self, record: NDArray[Any]) -> Any:
        return self.game.layout.reader(record) if not self.game.warm else None

    def copy(self) -> Position:
        """An independent position."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.actions, twin.movers = list(self.actions), list(self.movers)
        twin._attach(self.array)
        return twin

    def __getstate__(self) -> dict[str, Any]:
        """What a copy needs. Buffers that share memory are made anew: NumPy would copy each of them apart from the others."""
        kept = ("game", "start", "players", "options", "seed", "actions", "movers")
        return {name: getattr(self, name) for name in kept} | {"record": self.array}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        array = kept.pop("record")
        self.__dict__.update(kept)
        self.game.warm_up()
        self._furnish(array)

    def match(self) -> Match:
        """The game so far as a match: to inspect, draw or save with `record()`."""
        match = self.game.new(self.seed, self.players, self.options)
        for action in self.actions:
            match.play(action)
        return match


class Shown:
    """A record and its vector, with their runs side by side: the buffers that every observation is written to."""

    def __init__(self, game: Game) -> None:
        encoding = Encoding.of(game)
        self.record = game.layout.array(1)
        self.bytes = self.record.view(np.uint8)
        self.reader = game.layout.reader(self.record) if not game.warm else None
        self.vector: NDArray[np.int32] = np.zeros(encoding.size, np.int32)
        runs = encoding.runs.tolist()
        self.parts = [(self.vector[place : place + n], self.record.view(PARTS[part])[at : at + n]) for part, at, n, place in runs]
