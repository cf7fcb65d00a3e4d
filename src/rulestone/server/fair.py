"""Fair play: what the host decided when the table was set up, and what players ask of each other during a game."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rulestone.game import Game
from rulestone.match import AGREED, CALLED_OFF, ENDINGS, Match
from rulestone.server.storage import MoveRow, SeatRow


@dataclass(frozen=True)
class Fair:
    """What is fair at one table. It can't be changed later, everybody can read it, and a rematch keeps it."""

    hints: str = "alone"
    """alone: on while one person plays against bots, off as soon as two people play; on; off."""
    undo: str = "ask"
    """ask: free against bots, otherwise everybody else has to agree; free; off."""
    time: str = "bot"
    """When a clock runs out: bot (a bot plays on), or lose (the seat loses)."""

    def hinted(self, people: int) -> bool:
        """Whether hints are on while so many people play."""
        return self.hints == "on" or (self.hints == "alone" and people < 2)

    def says(self, people: int, clock: bool) -> list[str]:
        """What is fair at a table with so many people, in sentences."""
        hints = "Hints are on." if self.hinted(people) else "Hints are off: two or more people play."
        undo = {"off": "No move can be undone.", "free": "You can undo without asking."}.get(self.undo, "")
        time = "If your time runs out, you lose." if self.time == "lose" else "If your time runs out, a bot plays on for you."
        return [
            "Hints are off." if self.hints == "off" else hints,
            undo or ("You can undo your moves." if people < 2 else "You can undo a move if everybody else agrees."),
            *([time] if clock else []),
        ]


ASKS = {
    "undo": "{} would like to undo their last move.",
    "draw": "{} offers a draw.",
    "resign": "{} would like to give up.",
}
AGREED_TO = {
    "undo": "{}'s last move was undone: everybody agreed.",
    "draw": "Everybody agreed on a draw.",
    "resign": "Everybody agreed to give up.",
}


@dataclass
class Wish:
    """What a player asks of the others. It is void as soon as everybody sees another position, or somebody comes or goes."""

    number: int
    kind: str
    guest: str
    seat: int
    waiting: set[str]
    """The guests who haven't answered yet. One "no" is enough."""
    at: str
    """The position as everybody knows it."""

    def data(self, guest: str, name: str) -> dict[str, Any]:
        """The request as one guest sees it."""
        said = ASKS[self.kind].format(name)
        return {
            "number": self.number,
            "kind": self.kind,
            "seat": self.seat,
            "text": said,
            "mine": guest == self.guest,
            "asked": guest in self.waiting,
        }


@dataclass
class Wishes:
    """What players ask of each other at one table: one thing at a time, and each thing once in a position."""

    open: Wish | None = None
    number: int = 0
    asked: dict[tuple[str, str], str] = field(default_factory=dict)
    """In which position a guest last asked for a thing."""

    def ask(self, kind: str, guest: str, seat: int, waiting: set[str], at: str) -> Wish:
        self.number += 1
        self.asked[kind, guest] = at
        self.open = Wish(self.number, kind, guest, seat, waiting, at)
        return self.open

    def text(self) -> str:
        """As it is stored."""
        wish = None if self.open is None else {**vars(self.open), "waiting": sorted(self.open.waiting)}
        return json.dumps({"open": wish, "number": self.number, "asked": [[*who, at] for who, at in self.asked.items()]})

    @staticmethod
    def read(text: str | None) -> Wishes:
        """What is stored."""
        if not text:
            return Wishes()
        kept = json.loads(text)
        wish = None if kept["open"] is None else Wish(**{**kept["open"], "waiting": {*kept["open"]["waiting"]}})
        return Wishes(wish, kept["number"], {(kind, guest): at for kind, guest, at in kept["asked"]})


# ---- endings, stored like a move: the key (table, ply) makes sure that a position gets a move or an ending, never both ----------


def ending_row(ply: int, how: str, seat: int, made: float) -> MoveRow:
    """How a game ended, as it is stored in place of the next move."""
    return MoveRow(ply, -1 - ENDINGS.index(how), made=made, player=seat)


def lost_by(seats: Sequence[SeatRow]) -> dict[str, list[int]]:
    """The seats that have lost before the end, by how."""
    lost: dict[str, list[int]] = {}
    for number, seat in enumerate(seats):
        if seat.out:
            lost.setdefault(seat.out, []).append(number)
    return lost


def ended_by(game: Game, seats: Sequence[SeatRow], how: str, by: int) -> dict[str, list[int]]:
    """How a game ended, and by whom, as `Match.end` wants it."""
    if how == CALLED_OFF:
        return {how: [by]}
    lost = lost_by(seats)
    if how == AGREED:
        return {**lost, how: [number for number, seat in enumerate(seats) if not seat.out]}
    together = game.cooperative and how == ENDINGS[0]
    return {**lost, how: list(range(len(seats))) if together else [*lost.get(how, []), by]}


def ended_by_row(game: Game, seats: Sequence[SeatRow], row: MoveRow) -> dict[str, list[int]]:
    """The same from a stored ending."""
    return ended_by(game, seats, ENDINGS[-1 - row.action], row.player or 0)


def play_stored(match: Match, rows: Sequence[MoveRow], seats: Sequence[SeatRow]) -> list[MoveRow]:
    """Play stored moves, and end the match if it ended other than by its rules. Returns the rows that are moves."""
    moves = []
    for row in rows:
        if row.action < 0:
            match.end(ended_by_row(match.game, seats, row))
        else:
            match.play(row.action, player=row.player)
            moves.append(row)
    settle(match, seats)
    return moves


def settle(match: Match, seats: Sequence[SeatRow]) -> None:
    """Once the rules have ended a game, those who resigned or ran out of time on the way have lost."""
    if match.over and not match.ended and (lost := lost_by(seats)):
        match.end(lost)
