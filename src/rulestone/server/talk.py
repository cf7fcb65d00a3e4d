"""The people at a table: what they say, under which name, who reads it, whom the host removes, and what is reported."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import time
import unicodedata
import weakref
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rulestone.server.frames import encode
from rulestone.server.refusal import Away, Refused
from rulestone.server.storage import Conflict, Line

if TYPE_CHECKING:
    from rulestone.server.room import Client, Room

LONGEST_NAME = 24
SPECTATOR = "A spectator"
REMOVED = (4401, "removed")
"""How the socket of a removed guest is closed."""


def folded(text: str) -> str:
    """A name or a line as it is compared: without regard to capitals, width, spaces and punctuation."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "".join(letter for letter in unicodedata.normalize("NFKC", plain) if letter.isalnum()) or plain.strip()


def distinct(name: str, taken: Iterable[str]) -> str:
    """The name, with a number if it is taken: the second Anna is "Anna 2"."""
    used, shown, number = {folded(other) for other in taken if other}, name, 1
    while shown and folded(shown) in used:
        number += 1
        shown = f"{name[: LONGEST_NAME - len(str(number)) - 1]} {number}"
    return shown


@dataclass
class Manners:
    """What the operator of a server decides: words that nobody may use, and the file that reports are added to."""

    words: Path | None = None
    reports: Path | None = None
    pattern: re.Pattern[str] | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        if self.words is None:
            return
        try:
            lines = [line.partition("#")[0].strip() for line in self.words.read_text().splitlines()]
        except (OSError, UnicodeDecodeError) as problem:
            raise ValueError(f"the word list {str(self.words)!r} cannot be read: {problem}") from None
        words = [re.escape(_plain(line)).replace(r"\*", r"\w*") for line in lines if line]
        if words:
            self.pattern = re.compile(rf"(?<!\w)(?:{'|'.join(words)})(?!\w)")

    def check(self, text: str) -> None:
        """Raises Refused if the text contains a word of the list."""
        if self.pattern is not None and self.pattern.search(_plain(text)):
            raise Refused("words", "Please choose other words: this server doesn't allow all of these.", 422)

    def add(self, report: dict[str, Any]) -> None:
        """Add a report to the file, one JSON object per line."""
        if self.reports is None:
            raise Refused("no-reports", "This server doesn't take reports.", 404)
        try:
            self.reports.parent.mkdir(parents=True, exist_ok=True)
            with self.reports.open("a", encoding="utf-8") as file:
                file.write(json.dumps(report, ensure_ascii=False) + "\n")
        except OSError:
            raise Away from None


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


SHOWN = 100
"""How many lines a table remembers to have shown."""
AGAIN_SECONDS = 3.0
"""How long it waits for a storage that is away."""


class Talk:
    """The chat of one table, and the guests who were removed from it.

    Everybody reads what players say. What a spectator says while the game is running is only for spectators until the game is over,
    and until then nothing that a player receives depends on it.
    """

    def __init__(self, room: Room, manners: Manners, removed: Iterable[str] = ()) -> None:
        self.room: Room = weakref.proxy(room)  # so that a table is freed as soon as it is dropped
        self.manners, self.removed = manners, {*removed}
        self.heard = 0
        """The last line that was said before anybody listened here."""
        self.shown: set[int] = set()
        """The numbers of lines that were sent to sockets as they were said."""
        self.arriving: dict[Client, list[Line]] = {}
        """What was said while the storage was asked what a new socket may read."""
        self.reported: set[tuple[str, str, str]] = set()
        self.revealed = room.match.over
        self.revealing: asyncio.Task[None] | None = None

    # ---- who is who -----------------------------------------------------------------------------------------------------

    def handle(self, guest: str) -> str:
        """What others know a guest by: it stays the same throughout a table or series, and says nothing about other tables."""
        return hashlib.sha256(f"{self.room.row.series or self.room.row.id}/{guest}".encode()).hexdigest()[:12]

    def name_of(self, number: int) -> str:
        """The name under which the person or bot in a seat is known."""
        return self.room.row.seats[number].name or self.room.seat_name(number)

    def _names(self, but: str | None = None, seat: int | None = None) -> list[str]:
        """Names and titles of all seats except those of one guest, and except one seat."""
        others = [(n, chair) for n, chair in enumerate(self.room.row.seats) if n != seat and (but is None or chair.guest != but)]
        return [name for n, chair in others for name in (chair.name, self.room.seat_name(n))]

    def name_for(self, guest: str, number: int, wish: str) -> str:
        """The name under which a guest takes a seat: the one they wish, but never that of another seat."""
        self.manners.check(wish)
        return distinct(wish, self._names(guest, number))

    def _speaks_as(self, guest: str, wish: str) -> tuple[str, int | None]:
        mine = self.room.seats_of(guest)
        if mine:
            return self.name_of(mine[0]), mine[0]
        if wish and folded(wish) in map(folded, filter(None, self._names())):
            raise Refused("name-taken", f"{wish} is the name of a player here. Please choose another name.")
        self.manners.check(wish)
        return wish or SPECTATOR, None

    # ---- what is said ---------------------------------------------------------------------------------------------------

    def _reads_all(self, guest: str) -> bool:
        """Whether a guest may read what spectators say among themselves. Players may not until the game is over."""
        return self.room.match.over or not self.room.seats_of(guest)

    async def _lines(self, guest: str) -> list[Line]:
        """What a guest may read, by what is known here."""
        return await self.room.storage.chat_of(self.room.row.id, apart=self._reads_all(guest))

    async def _lines_for_sure(self, guest: str) -> list[Line]:
        """What a guest may read, also if they become a player or the game ends meanwhile.

        Whoever has sat down through another server reads as a player, though this one hasn't heard of it.
        """
        while True:
            all, lines = self._reads_all(guest), await self._lines(guest)
            if all and self.room.bus.others:  # only now: whatever made players of them was stored before what spectators said since
                await self.room.catch_up()
            if self._reads_all(guest) == all:
                return lines

    def _shown(self, line: Line) -> dict[str, Any]:
        who = self.handle(line.guest) if line.guest else ""
        return {"name": line.name, "seat": line.seat, "text": line.text, "made": line.made, "who": who, "apart": line.apart}

    async def lines(self, guest: str) -> list[dict[str, Any]]:
        """What was said, as far as this guest may read it."""
        return [self._shown(line) for line in await self._lines_for_sure(guest)]

    async def tell(self, client: Client) -> None:
        """Send a client everything it may read."""
        said = self.arriving[client] = []
        try:
            read = await self._lines_for_sure(client.guest)
        finally:
            del self.arriving[client]
        late = {line.number: line for line in said if not line.apart or self._reads_all(client.guest)}
        known = {**{line.number: line for line in read}, **late}
        lines, client.lines = [*known.values()], {*known}
        if not self.room.clients and not self.arriving and not self.shown:
            self.heard = max((line.number for line in lines), default=0)
        client.send(encode({"t": "chats", "chats": [*map(self._shown, lines)], "me": self.handle(client.guest)}))

    async def say(self, guest: str, name: str, text: str, key: str = "") -> None:
        """Say something. Browsers show it as text, never as HTML."""
        room = self.room
        if room.passing:
            raise Refused("no-chat", "This is a replay, so there is no chat.")
        sent = await room.storage.said(room.row.id, guest, key) if key else None
        if sent is not None:
            self._check_same(sent, text)
            self._tell(sent)
            return
        if room.row.hushed:
            raise Refused("hushed", "The host has closed the chat.", 403)
        shown, seat = self._speaks_as(guest, name)
        self.manners.check(text)
        apart = seat is None and room.started and not room.match.over
        line = Line(shown, seat, text, time.time(), guest, apart, key or None)
        try:
            number = await room.storage.add_chat(room.row.id, line)
        except Conflict:  # sent twice at the same time
            sent = await room.storage.said(room.row.id, guest, key)
            self._check_same(sent or line, text)
            return
        line.number = number
        self._tell(line)

    def _tell(self, line: Line) -> None:
        """Show a line here and at other servers."""
        self.room.bus.tell(self.room.row.id, said=True)
        self.show(line)

    @staticmethod
    def _check_same(sent: Line, text: str) -> None:
        if sent.text != text:
            raise Refused("key-used", "You already used this key for another line.")

    def show(self, line: Line) -> None:
        """Send a line to everybody who may read it and hasn't got it yet."""
        self.shown = {line.number, *sorted(self.shown)[-SHOWN:]}
        for said in self.arriving.values():
            said.append(line)
        told = encode({"t": "chat", **self._shown(line)})
        for client in self.room.clients:
            if line.number not in client.lines and (not line.apart or self._reads_all(client.guest)):
                client.lines.add(line.number)
                client.send(told)

    async def news(self) -> list[Line]:
        """Something was said through another server, or may have been: what may be new. It is shown with `show`."""
        long_ago = min(self.shown) if len(self.shown) > SHOWN else 0
        return await self.room.storage.chat_of(self.room.row.id, after=max(self.heard, long_ago))

    def go_on(self) -> None:
        """Once the game is over, players get to read what spectators said."""
        if self.room.match.over and not self.revealed:
            self.revealed = True
            self.revealing = asyncio.create_task(self._reveal())

    async def _reveal(self) -> None:
        while True:
            try:
                if any(line.apart for line in await self.room.storage.chat_of(self.room.row.id)):
                    for client in [client for client in self.room.clients if self.room.seats_of(client.guest)]:
                        await self.tell(client)
                return
            except Away:
                await asyncio.sleep(AGAIN_SECONDS)

    # ---- manners --------------------------------------------------------------------------------------------------------

    def _check_host(self, guest: str) -> None:
        if guest != self.room.row.host:
            raise Refused("not-host", "Only the host of the table can do this.", 403)

    async def hush(self, guest: str, on: bool) -> None:
        """The host closes the chat, or opens it again."""
        self._check_host(guest)
        async with self.room.lock:
            await self.room.storage.set_table(self.room.row.id, hushed=int(on))
            self.room.row.hushed = on
            self.room.changed()
        self.room.tell_table()

    def spectators(self) -> list[str]:
        """The handles of the spectators who are here."""
        here = {*self.room.here()} - {seat.guest for seat in self.room.row.seats} - {self.room.row.host}
        return sorted(map(self.handle, here))

    async def remove(self, guest: str, who: str) -> None:
        """The host removes a guest, who can't come back. A player can only be removed before the first move; the seat is free again."""
        room = self.room
        self._check_host(guest)
        async with room.lock:
            known = {line.guest for line in await self._lines(guest)} | {*room.here()} | {*room.last_seen}
            known |= {seat.guest for seat in room.row.seats if seat.guest}
            target = next((one for one in known if one and self.handle(one) == who), None)
            if target is None:
                raise Refused("no-such-guest", "There is no such guest at this table.", 404)
            if target == guest:
                raise Refused("yourself", "You can't remove yourself.")
            if room.seats_of(target) and room.under_way_for(guest):
                raise Refused("playing", "The game is under way, so you can't remove a player. You can mute them, or report what they say.")
            await room.storage.remove(room.row.id, target)
            self.removed.add(target)
            room.changed()
            for client in [client for client in room.clients if client.guest == target]:
                client.shut(*REMOVED)
                room.part(client)
            await room.vacate(target)

    async def report(self, guest: str, who: str, text: str, reason: str) -> None:
        """Report a line that the guest can read to the operator. The same line counts once."""
        line = next(
            (line for line in await self._lines(guest) if line.text == text and line.guest and self.handle(line.guest) == who), None
        )
        if line is None:
            raise Refused("no-such-line", "This line is not in the chat any more.", 404)
        if (guest, who, text) in self.reported:
            return
        report = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "table": self.room.row.id,
            "game": self.room.game.name,
            "seat": None if line.seat is None else self.room.seat_name(line.seat),
            "name": line.name,
            "text": line.text,
            "reason": reason,
            "guest": line.guest[:16],
            "by": guest[:16],
        }
        await asyncio.to_thread(self.manners.add, report)
        self.reported.add((guest, who, text))

    def close(self) -> None:
        if self.revealing is not None:
            self.revealing.cancel()
