"""The games behind the numbers: any counted game as a record that `rulestone replay` opens at a given move."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rulestone.game import Game
from rulestone.kernel.chance import MASK, stream
from rulestone.lab import matches
from rulestone.lab.count import NO_SCRIPT, Desk, counter_of
from rulestone.lab.plan import Plan, policy_of
from rulestone.lab.run import Results
from rulestone.match import Match

MOST_GAMES, MOST_BYTES = 60, 600_000


@dataclass
class Album:
    """Example games, made on demand."""

    plan: Plan
    results: Results
    records: dict[str, dict[str, Any]] = field(default_factory=dict)
    changed: dict[tuple[int, int], list[int]] = field(default_factory=dict)
    size: int = 0

    def __post_init__(self) -> None:
        self.counter = counter_of(self.plan.game)
        self.desks: dict[str, Desk] = {}

    def game(self, cell: int, number: int, watched: bool = False) -> str | None:
        """The name of a game's record; None if the album is full or the game's moves were not kept.

        `watched`: one of the games that an observer watched, which have numbers of their own.
        """
        name = f"{self.counter.game.folder.name}-{cell}-{'watched-' if watched else ''}{number}.json"
        if name not in self.records:
            if len(self.records) >= MOST_GAMES or self.size > MOST_BYTES:
                return None
            match = self.match(cell, number, watched)
            if match is None:
                return None
            self.records[name] = match.record()
            self.size += len(json.dumps(self.records[name]))
        return name

    def game_of(self, cell: int) -> Game:
        """The game that a cell plays."""
        return counter_of(self.plan.game_of(self.plan.cells[cell])).game

    def move(self, cell: int, number: int, measure: str, entry: int = 0) -> int | None:
        """The number of moves after which a measure first changed in a game; None if only at the end."""
        ply = self.changed[cell, number][self._desk(cell).counter.place[measure] + entry]
        return ply if ply >= 0 else None

    def _desk(self, cell: int) -> Desk:
        """The desk that replays games of a cell, which may have changed constants."""
        name = self.plan.game_of(self.plan.cells[cell])
        if name not in self.desks:
            self.desks[name] = counter_of(name).desk()
        return self.desks[name]

    def match(self, cell: int, number: int, watched: bool = False) -> Match | None:
        """A counted (or watched) game as a match."""
        desk, setting = self._desk(cell), self.plan.cells[cell]
        game = desk.counter.game
        start, _ = game.prepared(setting.players, setting.options)
        if setting.fast and not watched:
            policy = np.zeros(8, np.int8)
            policy[: setting.players] = policy_of(setting)
            _, actions, dice, changed = desk.trace("trace", start, number, self.plan.seed, policy, setting.mixed, NO_SCRIPT)
            match = game.new(matches.seed_of(self.plan.seed, number), setting.players, setting.options)
            match.deal_again(int(stream(self.plan.seed & MASK, number)))
            for action, rng in zip(actions, dice, strict=True):
                match.play(action, rng=rng)
        else:
            kept = self.results.scripts[cell].get(number)
            if kept is None:
                return None
            match = game.new(matches.seed_of(self.plan.seed, number), setting.players, setting.options)
            for action in kept:
                match.play(action)
            script = matches.script_of(match)
            *_, changed = desk.trace("trace scripted", start, number, 0, np.zeros(8, np.int8), setting.mixed, script)
        self.changed[cell, number] = changed
        return match
