"""Dice that nobody can steer: how the seed of a table comes about. See docs/server/dice.md.

A table passes three stages. It is OPEN until every seat is taken: people pledge when they sit down. Then the list of pledges is CLOSED and
shown to everybody, and browsers send the values behind their pledges. Once all have come, or after a few seconds, the seed is made of
the server's secret and the values, and the game is DEALT. Each step is one compare-and-set in the storage, so any server can take it.
"""

from __future__ import annotations

import asyncio
import time
import weakref
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rulestone.game import Game
from rulestone.match import Match
from rulestone.seeds import Parts, pledge, sha256
from rulestone.server.refusal import Away, Refused
from rulestone.server.storage import Conflict, SeatRow, TableRow

if TYPE_CHECKING:
    from rulestone.server.room import Room

OPEN, CLOSED, DEALT = 0, 1, 2
STAGES = ("open", "closed", "dealt")
GATHER_SECONDS = 3.0
"""How long a rematch waits for pledges of people whose browsers are still at the old table."""
REVEAL_SECONDS = 4.0
"""How long a game waits for a browser that has pledged and doesn't send its value."""
RETRY_SECONDS = 1.0
BEFORE = "before the deal"
"""The seed of what is shown before the deal. It is the same everywhere, so nobody can learn anything from it."""


def is_dealt(row: TableRow) -> bool:
    """Whether the seed is fixed. Tables older than these stages drew it when they were made."""
    return row.stage is None or row.stage == DEALT


def commitment(row: TableRow) -> str:
    """What is shown from the start: the hash of the server's secret (of the seed itself, at older tables)."""
    return sha256(row.seed)


def parts_of(row: TableRow) -> Parts | None:
    """What the seed of a table is made of; None before the deal, and at older tables."""
    return Parts(row.seed, tuple(row.dice["pledges"]), tuple(row.dice["values"])) if row.stage == DEALT and row.dice else None


def begin(game: Game, row: TableRow) -> Match:
    """The match of a table before its first move; before the deal, a picture of one."""
    parts = parts_of(row)
    match = game.new(BEFORE if not is_dealt(row) else parts.seed() if parts else row.seed, row.players, row.options)
    match.parts = parts
    if row.laid is not None:
        match.lay(bytes.fromhex(row.laid))
    return match


def next_stage(row: TableRow, now: float) -> dict[str, Any] | None:
    """The columns of a table that can go on to its next stage; None if it has to wait."""
    if is_dealt(row) or any(seat.kind == "open" for seat in row.seats):
        return None
    known = row.dice or {}
    in_time = now < known.get("until", 0.0)
    if row.stage == OPEN:
        if in_time and any(seat.kind == "person" and not seat.pledge for seat in row.seats):
            return None
        pledges = [seat.pledge or None for seat in row.seats]
        if any(pledges):
            return {"stage": CLOSED, "dice": {"pledges": pledges, "until": now + REVEAL_SECONDS}}
        return {"stage": DEALT, "dice": {"pledges": pledges, "values": pledges}}
    values = [value_of(seat, promised) for seat, promised in zip(row.seats, known["pledges"], strict=True)]
    if in_time and any(promised and not value for promised, value in zip(known["pledges"], values, strict=True)):
        return None
    return {"stage": DEALT, "dice": {"pledges": known["pledges"], "values": values}}


def value_of(seat: SeatRow, promised: str | None) -> str | None:
    """The value behind a seat's pledge, if it has come from the person who pledged."""
    return seat.value if seat.value and seat.pledge == promised else None


def go_ahead(row: TableRow, now: float) -> None:
    """Take every step that is possible, in memory only: for a table that isn't stored yet."""
    while (step := next_stage(row, now)) is not None:
        row.stage, row.dice = step["stage"], step["dice"]


class Dice:
    """The stages of one table. Everything that changes them holds the room's lock."""

    def __init__(self, room: Room) -> None:
        self.room: Room = weakref.proxy(room)  # so that a table is freed as soon as it is dropped
        self.alarm: asyncio.TimerHandle | None = None

    @property
    def dealt(self) -> bool:
        return is_dealt(self.room.row)

    @property
    def fixed(self) -> bool:
        """Whether the seed was made of parts; at older tables it was drawn, and nothing is known of bots."""
        return self.room.row.stage == DEALT

    @property
    def due(self) -> float | None:
        """When the table goes on at the latest, though a browser hasn't answered."""
        row = self.room.row
        return None if self.dealt or not self.room.full else float((row.dice or {}).get("until", 0.0))

    def data(self) -> dict[str, Any]:
        """What everybody may know. The values stay secret until the end: nobody needs them before."""
        row = self.room.row
        told: dict[str, Any] = {"stage": STAGES[DEALT if row.stage is None else row.stage]}
        if row.stage == CLOSED and row.dice:
            pledges = row.dice["pledges"]
            told["pledges"] = pledges
            told["revealed"] = [bool(value_of(seat, promised)) for seat, promised in zip(row.seats, pledges, strict=True)]
        elif row.stage == OPEN:
            told["pledged"] = [bool(seat.pledge) for seat in row.seats]
        return told

    # ---- what browsers send ---------------------------------------------------------------------------------------------

    async def pledge(self, guest: str, promised: str) -> None:
        """Take a person's pledge for all of their seats. It counts until the list of pledges is closed."""
        room = self.room
        async with room.lock:
            own = self._seats_of(guest)
            if room.row.stage != OPEN:
                if all(seat.pledge == promised for _, seat in own):
                    return  # sent twice
                raise Refused("too-late", "It's too late to have a part in the dice of this game.")
            for number, seat in own:
                if seat.pledge != promised:
                    await room.set_seat(number, replace(seat, pledge=promised, value=""))
            await self.settle()
        room.go_on()

    async def reveal(self, guest: str, value: str) -> None:
        """Take the value behind a person's pledge, once everybody's pledge is known."""
        room, promised = self.room, pledge(value)
        async with room.lock:
            own = [(number, seat) for number, seat in self._seats_of(guest) if seat.pledge == promised]
            if not own:
                raise Refused("wrong-value", "This value doesn't belong to your pledge.", 422)
            if room.row.stage == OPEN:
                raise Refused("too-early", "Keep your value until everybody's pledge is known.")
            if all(seat.value == value for _, seat in own):
                return  # sent twice
            if self.dealt:
                raise Refused("too-late", "Your value has come too late: the game has begun with your pledge in its place.")
            for number, seat in own:
                await room.set_seat(number, replace(seat, value=value))
            await self.settle()
        room.go_on()

    def _seats_of(self, guest: str) -> list[tuple[int, SeatRow]]:
        seats = [(number, self.room.row.seats[number]) for number in self.room.seats_of(guest)]
        if not seats:
            raise Refused("not-seated", "Only players at this table can do this.", 403)
        return seats

    # ---- going on -------------------------------------------------------------------------------------------------------

    async def settle(self) -> None:
        """Go on to the next stage if possible. The caller holds the lock."""
        room = self.room
        try:
            while (step := next_stage(room.row, time.time())) is not None:
                await room.storage.set_stage(room.row.id, room.row.stage, **step)
                room.row.stage, room.row.dice = step["stage"], step["dice"]
                self.arrived()
                room.changed()
        except Conflict:  # another server was faster
            room.hear_change()
            self._wait(RETRY_SECONDS)
        except Away:
            self._wait(RETRY_SECONDS)
        else:
            self.go_on()

    def arrived(self) -> None:
        """The table has reached its next stage: show it, and deal if that is next."""
        if self.dealt:
            self.room.deal()
        else:
            self.room.tell_table()

    def go_on(self) -> None:
        """Wait for browsers, but not for long."""
        self.close()
        if (due := self.due) is not None:
            now = time.time()
            self._wait(0.0 if next_stage(self.room.row, now) else max(0.0, due - now))

    def _wait(self, seconds: float) -> None:
        self.close()
        self.alarm = asyncio.get_running_loop().call_later(seconds, self.room.spawn, self._time_is_up)

    async def _time_is_up(self) -> None:
        async with self.room.lock:
            await self.settle()
        if self.dealt:
            self.room.go_on()

    def close(self) -> None:
        if self.alarm is not None:
            self.alarm.cancel()
            self.alarm = None
