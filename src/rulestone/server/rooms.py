"""All tables of this server: created, restored from storage when someone opens them, dropped from memory when nobody is there."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rulestone.game import Game, installed, load
from rulestone.match import Match
from rulestone.server.refusal import Refused
from rulestone.server.room import Room
from rulestone.server.storage import SeatRow, Storage, TableRow
from rulestone.server.thinking import HELPER, Thinker, levels
from rulestone.table import Face

IDLE_SECONDS, PASSING_SECONDS = 600, 6 * 3600
LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"


def new_id() -> str:
    """A table's id in links: 12 characters that are hard to guess and easy to read aloud."""
    return "".join(secrets.choice(LETTERS) for _ in range(12))


@dataclass(frozen=True)
class Terms:
    """What the host decides about a table, besides the game and its options."""

    name: str = ""
    listed: bool = False
    spectators: bool = True
    clock: Mapping[str, Any] | None = None
    aid: str | None = None


class Rooms:
    """The tables, and the games that can be played at them."""

    def __init__(self, storage: Storage, thinker: Thinker, extra_games: Sequence[str | Path] = (), pace: float = 0.7) -> None:
        self.storage, self.thinker, self.pace = storage, thinker, pace
        self.rooms: dict[str, Room] = {}
        self.loading: dict[str, asyncio.Lock] = {}
        self.games: dict[str, Game] = dict(installed())
        self.sources: dict[str, str] = {name: name for name in self.games}
        for folder in extra_games:
            game = load(folder)
            self.games[game.name], self.sources[game.name] = game, str(folder)

    def game(self, name: str) -> Game:
        if name not in self.games:
            raise Refused("no-such-game", f"There is no game {name!r}. Choose one of: {', '.join(self.games)}.", 404)
        return self.games[name]

    async def get(self, id: str) -> Room:
        """A table by its id, restored by replaying its moves if it is not in memory."""
        if "\0" in id:  # databases reject this character, and no id contains it
            raise Refused("no-such-table", "There is no such table. Please check the link.", 404)
        if id in self.rooms:
            return self.rooms[id]
        async with self.loading.setdefault(id, asyncio.Lock()):
            if id not in self.rooms:
                try:
                    self.rooms[id] = await self._restore(id)
                finally:
                    self.loading.pop(id, None)
        return self.rooms[id]

    async def _restore(self, id: str) -> Room:
        row = await self.storage.table(id)
        if row is None:
            raise Refused("no-such-table", "There is no such table. Please check the link.", 404)
        game = self.game(row.game)
        if row.rules != game.version:
            raise Refused("other-rules", f"This table uses version {row.rules} of the rules, but version {game.version} is installed.")
        row.aid = _aid(game, row.seats, row.aid)
        moves = await self.storage.moves_of(id)
        match = begin(game, row)
        for move in moves:
            match.play(move.action, player=move.player)
        return self.open(row, match, moves)

    def open(self, row: TableRow, match: Match, moves: list[Any]) -> Room:
        source = self.sources[row.game]
        self.thinker.warm_up(source, match.game)
        return Room(row, match, moves, source, self.storage, self.thinker, self.pace)

    async def create(
        self,
        game_name: str,
        host: str,
        seats: Sequence[Mapping[str, Any]],
        options: Mapping[str, Any],
        terms: Terms,
        laid: bytes | None = None,
    ) -> Room:
        """Create a table. `seats` lists the kind (me, open, bot), name and bot of each seat; `laid` is a custom starting position."""
        game = self.game(game_name)
        chairs = [_chair(game, seat, host) for seat in seats]
        try:
            record, players = game.prepared(len(chairs), options)
        except ValueError as problem:
            raise Refused("bad-options", str(problem), 422) from None
        row = TableRow(
            id=new_id(),
            game=game.name,
            rules=game.version,
            players=players,
            options=game.option_values(record),
            seed=secrets.token_hex(16),
            name=terms.name,
            host=host,
            laid=None if laid is None else laid.hex(),
            listed=terms.listed,
            spectators=terms.spectators,
            clock=dict(terms.clock or {}),
            aid=_aid(game, chairs, terms.aid),
            seats=chairs,
        )
        match = begin(game, row)
        await self.storage.add_table(row)
        room = self.rooms[row.id] = self.open(row, match, [])
        room.go_on()
        return room

    async def rematch(self, room: Room, guest: str) -> str:
        """The same players at a new table, each one seat further. The first request creates it; later ones return the same table."""
        if not room.seats_of(guest) and guest != room.row.host:
            raise Refused("not-seated", "Only players of this game can ask for a rematch.", 403)
        if not room.match.over:
            raise Refused("running", "You can ask for a rematch once the game is over.")
        async with room.lock:
            if room.row.rematch is None:
                old = room.row
                turned = [old.seats[(n + 1) % old.players] for n in range(old.players)]
                seats = [{"kind": seat.kind, "guest": seat.guest, "name": seat.name, "bot": seat.bot} for seat in turned]
                terms = Terms(old.name, spectators=old.spectators, clock=old.clock, aid=old.aid)
                made = await self.create(old.game, old.host, seats, old.options, terms)
                await self.storage.set_table(old.id, rematch=made.row.id)
                old.rematch = made.row.id
        room.tell_table()
        assert room.row.rematch is not None
        return room.row.rematch

    async def fork(self, room: Room, guest: str, index: int, name: str) -> Room:
        """Continue from a position of a finished game: the guest plays the seat to move, bots play the others, with new randomness."""
        if not room.match.over:
            raise Refused("running", "You can continue from here once the game is over.", 403)
        if not 0 <= index < room.match.length:
            raise Refused("no-such-move", f"You can't continue from move {index}: the game has {room.match.length} moves.", 404)
        past, mover = room.match.at(index), room.match.mover(index)
        seats = [{"kind": "me", "name": name} if n == mover else {"kind": "bot", "bot": HELPER} for n in range(past.players)]
        title = f"{room.row.name or room.game.title}, from move {past.ply}"[:60]
        return await self.create(room.row.game, guest, seats, room.row.options, Terms(title), past.raw)

    def sweep(self) -> None:
        """Drop idle tables from memory; they stay in storage."""
        now = time.monotonic()
        for id, room in list(self.rooms.items()):
            busy = room.clients or room.lock.locked() or room.drivers or room.alarms
            if not busy and now - room.touched > (PASSING_SECONDS if room.passing else IDLE_SECONDS):
                room.close()
                del self.rooms[id]

    def quiet_for(self) -> float:
        """Seconds since anything happened at any table."""
        return time.monotonic() - max((room.touched for room in self.rooms.values()), default=0.0)

    def close(self) -> None:
        for room in self.rooms.values():
            room.close()


def begin(game: Game, row: TableRow) -> Match:
    """The match of a table before its first move."""
    match = game.new(row.seed, row.players, row.options)
    if row.laid is not None:
        match.lay(bytes.fromhex(row.laid))
    return match


def _aid(game: Game, seats: Sequence[SeatRow], wish: str | None) -> str | None:
    """The memory aid of a table: the one asked for, or the default; None if the game has none."""
    aids = Face.of(game).aids
    if aids is None:
        return None
    if wish is not None and wish not in aids.levels:
        raise Refused("no-such-aid", f"{game.title} has no memory aid {wish!r}. Choose one of: {', '.join(aids.levels)}.", 422)
    return wish or aids.usual(sum(seat.kind != "bot" for seat in seats))


def _chair(game: Game, seat: Mapping[str, Any], host: str) -> SeatRow:
    kind, bot = seat.get("kind", "open"), seat.get("bot", "") or ""
    if kind == "me":
        return SeatRow("person", host, seat.get("name", "") or "")
    if kind == "person":
        return SeatRow("person", seat["guest"], seat.get("name", ""))
    if kind == "bot":
        if bot not in levels(game):
            raise Refused("no-such-bot", f"{game.title} has no bot {bot!r}. Choose one of: {', '.join(levels(game))}.", 422)
        return SeatRow("bot", None, "", bot)
    return SeatRow()
