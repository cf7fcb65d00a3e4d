"""Tables that were played by other rules than those installed here. They are never replayed; their records are there to download."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from rulestone.game import Game
from rulestone.match import claiming_nothing
from rulestone.server.dice import DEALT, parts_of
from rulestone.server.fair import ended_by_row, lost_by
from rulestone.server.refusal import Refused
from rulestone.server.storage import MoveRow, SeatRow, TableRow


def other_rules(game: Game, row: TableRow) -> str | None:
    """By which rules a table was played, as a sentence, if not by those of the installed game. Older tables only know the version."""
    if row.rules != game.version:
        return f"It was played by version {row.rules} of the rules of {game.title}, but version {game.version} is installed."
    if row.plays is not None and row.plays != game.plays:
        return f"The rules of {game.title} have been changed since then, though not their version number ({game.version})."
    return None


class OtherRules(Refused):
    """A table that was played by other rules."""

    def __init__(self, why: str, game: Game, row: TableRow, moves: Sequence[MoveRow], removed: Collection[str]) -> None:
        kept = "You can still download the record of its game." if row.status == "over" else "Its game can go on where those are installed."
        super().__init__("other-rules", f"This table was played by other rules. {why} {kept}")
        self.game, self.row, self.moves, self.removed = game, row, moves, removed

    @property
    def over(self) -> bool:
        """Whether the game is over. Until then, its record is secret."""
        return self.row.status == "over"

    def record(self) -> dict[str, Any]:
        """The record of the finished game, for download."""
        if not self.over:
            raise self
        return stored_record(self.game, self.row, self.moves)


def seats_in(row: TableRow, guest: str) -> list[int]:
    """The seats of a guest."""
    return [n for n, seat in enumerate(row.seats) if seat.kind == "person" and seat.guest == guest]


def may_watch(row: TableRow, guest: str, removed: Collection[str]) -> bool:
    """Whether a guest may watch. Private tables are only for their players, and for those who could still take a seat."""
    full = all(seat.kind != "open" for seat in row.seats)
    return (row.spectators or not full or guest == row.host or bool(seats_in(row, guest))) and guest not in removed


def check_watching(row: TableRow, guest: str, removed: Collection[str]) -> None:
    """Raise Refused unless a guest may watch."""
    if guest in removed:
        raise Refused("removed", "The host has removed you from this table.", 403)
    if not may_watch(row, guest, removed):
        raise Refused("private", "This table is private: only its players can see it.", 403)


def stored_record(game: Game, row: TableRow, moves: Sequence[MoveRow]) -> dict[str, Any]:
    """The record of a finished game, from what is stored. The rules here can't tell where its moves lead, so it doesn't claim a result."""
    played = [move for move in moves if move.action >= 0]
    parts = parts_of(row)
    record: dict[str, Any] = {
        "game": row.game,
        "rules": row.rules,
        "players": row.players,
        "options": row.options,
        "seed": parts.seed() if parts else row.seed,
        "moves": [move.action for move in played],
    }
    if row.plays is not None:
        record["plays"] = row.plays
    if any(move.player is not None for move in played):
        record["by"] = [move.player for move in played]
    if ended := _ending(game, row.seats, moves):
        record["ended"] = ended
    if row.laid is not None:
        record["laid"] = row.laid
    if parts is not None:
        record["seed_parts"] = parts.data()
    if row.stage == DEALT:
        record["bots"] = [move.bot or None for move in played]
    return claiming_nothing(record)


def _ending(game: Game, seats: Sequence[SeatRow], moves: Sequence[MoveRow]) -> dict[str, list[int]]:
    """How the game ended, if not by its rules alone."""
    last = next((move for move in moves if move.action < 0), None)
    return lost_by(seats) if last is None else ended_by_row(game, seats, last)
