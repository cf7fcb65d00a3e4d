"""One table in play: its seats, its game and its sockets. Its lock and the storage's key ensure that there is only one writer."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

from rulestone import undo
from rulestone.game import Game
from rulestone.match import Match
from rulestone.review.advice import Advice, advice
from rulestone.server.frames import TOLD, Eyes, Frames, encode
from rulestone.server.refusal import Away, Refused, Stale
from rulestone.server.storage import Conflict, MoveRow, SeatRow, Storage, TableRow
from rulestone.server.thinking import HELPER, Thinker, levels
from rulestone.table import Face

log = logging.getLogger(__name__)
AWAY_SECONDS = 60
"""How long a player must be disconnected before the others can ask a bot to play for them."""
RETRY_SECONDS = 3.0
GRACE_SECONDS = 10
"""The least time left on a clock when a table is loaded into memory again, so that nobody loses their seat to a server restart."""

PRIVATE, SLOW = (4401, "private"), (1013, "too slow")
"""Why a socket is closed: a code for programs, a reason for people."""


class Client:
    """One socket at a table: whose it is, through whose eyes it sees the game, and what it has already received."""

    def __init__(self, guest: str) -> None:
        self.guest = guest
        self.outbox: asyncio.Queue[str | tuple[int, str]] = asyncio.Queue(200)
        """Messages to send, and finally the code and reason for closing the socket."""
        self.look: Eyes = None
        self.eyes: Eyes = None
        self.has = -1
        self.told = ""

    def send(self, text: str) -> None:
        """Queue a message. A client that can't keep up is disconnected; it reconnects by itself."""
        try:
            self.outbox.put_nowait(text)
        except asyncio.QueueFull:
            self.shut(*SLOW)

    def shut(self, code: int, why: str) -> None:
        """Drop what is queued and close the socket."""
        while not self.outbox.empty():
            self.outbox.get_nowait()
        self.outbox.put_nowait((code, why))


class Room:
    """A table in memory. It can be restored from its row and its moves; nothing else is stored."""

    def __init__(
        self, row: TableRow, match: Match, moves: list[MoveRow], source: str, storage: Storage, thinker: Thinker, pace: float
    ) -> None:
        self.row, self.match, self.moves, self.source = row, match, moves, source
        self.storage, self.thinker, self.pace = storage, thinker, pace
        self.game: Game = match.game
        self.face = Face.of(match.game)
        self.frames = Frames(self.face, row.aid)
        self.lock = asyncio.Lock()
        self.clients: set[Client] = set()
        self.last_seen: dict[str, float] = {}
        self.drivers: dict[int, asyncio.Task[None]] = {}
        """Bots that are thinking, by seat."""
        self.alarms: dict[int, asyncio.TimerHandle] = {}
        self.began: dict[int, float] = {}
        """When each player who can decide now started thinking."""
        self.taken_out: dict[int, int] = {}
        """How often a seat has undone a decision that only its player knew about. The position's name doesn't change for anyone else."""
        self.touched = time.monotonic()
        self.tasks: set[asyncio.Task[None]] = set()
        self.lines_said: deque[tuple[str, str, str]] = deque(maxlen=64)
        """Recent chat lines that came with a key: guest, key and text."""
        self.in_doubt: int | None = None
        """The decision that an undo went back to when the storage's answer was lost."""
        self.passing = False
        """Whether this is only the replay of a finished game, kept in memory."""
        self.forecast: list[list[float]] | None = None
        self.reviewed: dict[str, Any] | None = None
        """The review of the finished game, once it has been made or read."""
        self.reviewing = asyncio.Lock()
        self._time_decisions()
        for seat in match.deciders if moves else ():
            whole = self._left(seat)
            if whole is not None:  # the clock kept running in the meantime
                self.began[seat] = max(self._last_change_for(seat), self.began[seat] - max(0.0, whole - GRACE_SECONDS))

    # ---- facts ----------------------------------------------------------------------------------------------------------

    @property
    def at(self) -> str:
        """The position's internal name. It is never sent, because it also counts moves that not everyone noticed."""
        return f"{self.row.revision}.{self.match.ply}"

    def at_for(self, eyes: Eyes) -> str:
        """The position's name, counting only the moves these eyes noticed. Every move carries it, so that a stale one is detected."""
        own = f"-{self.taken_out[eyes]}" if eyes in self.taken_out else ""
        return f"{self.row.revision}.{self.frames.view(self.match, eyes).ply}{own}"

    def deciding(self, guest: str, look: Eyes = None) -> Eyes:
        """The seat in which a guest can decide now: the one they see from, otherwise the first; None if there is none."""
        mine = [seat for seat in self.seats_of(guest) if seat in self.match.deciders]
        return look if look in mine else mine[0] if mine else None

    def _is_now(self, guest: str, at: str) -> bool:
        """Whether `at` names the current position, as far as this guest can know."""
        return any(at == self.at_for(eyes) for eyes in (None, *self.seats_of(guest)))

    @property
    def started(self) -> bool:
        """Whether every seat is taken. Nobody can move before that."""
        return all(seat.kind != "open" for seat in self.row.seats)

    def seats_of(self, guest: str) -> list[int]:
        return [n for n, seat in enumerate(self.row.seats) if seat.kind == "person" and seat.guest == guest]

    def online(self, guest: str | None) -> bool:
        return any(client.guest == guest for client in self.clients)

    def patience(self, seat: SeatRow) -> int | None:
        """Seconds until the others can ask a bot to play for an absent person; None if the person is connected, or for a bot."""
        if seat.kind != "person" or self.online(seat.guest):
            return None
        away = time.monotonic() - self.last_seen.get(seat.guest or "", self.touched)
        return max(0, math.ceil(AWAY_SECONDS - away))

    def may_watch(self, guest: str) -> bool:
        """Whether a guest may watch. Private tables are only for their players, and for those who could still take a seat."""
        return self.row.spectators or not self.started or guest == self.row.host or bool(self.seats_of(guest))

    def check_watching(self, guest: str) -> None:
        if not self.may_watch(guest):
            raise Refused("private", "This table is private: only its players can see it.", 403)

    def seat_name(self, seat: int) -> str:
        return self.face.names(self.match.players)[seat]

    def secret(self, seat: int) -> bool:
        """Whether this seat knows something now that a spectator does not."""
        if self.game.perfect_information:
            return False
        own, common = (self.match.view(eyes).array.copy() for eyes in (seat, None))
        for name in ("ply", "to_move"):  # neither moves that went unnoticed nor deciding at the same time need a curtain
            own[name] = common[name]
        return bool(own.tobytes() != common.tobytes())

    def eyes_of(self, guest: str, look: Eyes) -> tuple[Eyes, Eyes]:
        """Through whose eyes a guest sees the game, and which seat the curtain waits for (if several people share a screen)."""
        mine = self.seats_of(guest)
        if len(mine) > 1:  # skip seats that bots are playing for
            mine = [seat for seat in mine if not self.row.seats[seat].stand_in]
        if len(mine) <= 1:
            return (mine[0] if mine else None, None)
        turn = self.deciding(guest, look) if self.match.together else self.match.to_move
        if turn in mine and look != turn and self.secret(turn):
            return (None, turn)
        if turn in mine:
            return (turn, None)
        if look in mine:
            return (look, None)
        return (None if self.secret(mine[0]) else mine[0], None)

    def _eyes_without_screen(self, guest: str) -> Eyes:
        """Through whose eyes a guest sees the game in a program, where there is no curtain."""
        return self.eyes_of(guest, self.deciding(guest))[0]

    # ---- what is sent ---------------------------------------------------------------------------------------------------

    def state(self, guest: str) -> dict[str, Any]:
        """The whole position as a guest may see it."""
        eyes = self._eyes_without_screen(guest)
        return self.frames.frame(self.match, eyes, self.at_for(eyes), self.started)

    def position(self, guest: str) -> dict[str, Any]:
        """The position as data, for programs that play: every field the guest's seat can know, and everything it has seen."""
        eyes = self._eyes_without_screen(guest)
        view = self.frames.view(self.match, eyes)
        return {
            "at": self.at_for(eyes),
            "seat": eyes,
            "ply": view.ply,
            "players": view.players,
            "to_move": view.to_move,
            "deciders": sorted(view.deciders),
            "options": view.options,
            "fields": {name: view.array[name][0].tolist() for name in view.game.layout.own},
            "legal": [str(move) for move in view.legal()] if self.started else [],
            "moves": [str(move) for move in view.moves],
            "events": [[event.name, *event.args] for event in view.events],
            "over": view.over,
            "payoff": view.payoff if view.over else None,
        }

    def table_info(self, guest: str, curtain: Eyes = None) -> dict[str, Any]:
        """Everything about the table except the position."""
        row, hues, titles = self.row, self.face.hues(self.match.players), self.face.names(self.match.players)
        chairs = []
        for n, seat in enumerate(row.seats):
            person = seat.kind == "person"
            chairs.append(
                {
                    "seat": n,
                    "title": titles[n],
                    "hue": hues[n],
                    "kind": seat.kind,
                    "name": seat.name or titles[n],
                    "bot": seat.bot,
                    "mine": person and seat.guest == guest,
                    "online": seat.kind == "bot" or (person and self.online(seat.guest)),
                    "stand_in": seat.stand_in,
                    "patience": self.patience(seat),
                    "clock": self._left(n),
                }
            )
        over = self.match.over
        return {
            "t": "table",
            "id": row.id,
            "game": self.game.name,
            "title": self.game.title,
            "name": row.name,
            "seats": chairs,
            "host": guest == row.host,
            "started": self.started,
            "over": over,
            "clock": row.clock,
            "aid": row.aid,
            "aid_says": self.face.aids.levels[row.aid] if self.face.aids and row.aid else None,
            "aid_all": bool(self.face.aids and self.face.aids.all(row.aid)),
            "watchers": sum(not self.seats_of(client.guest) for client in self.clients),
            "rematch": row.rematch,
            "commitment": self.match.commitment,
            "seed": str(self.match.seed) if over else None,
            "curtain": curtain,
            "undo": (last := self._undo_index(guest)) is not None and (self.match.undisclosed(last) or not undo.secret(self.match, last)),
            "levels": levels(self.game),
            "helper": HELPER,
        }

    def _left(self, seat: int) -> float | None:
        """Seconds left on a seat's clock (for its next move, if the clock is per move)."""
        clock, chair = self.row.clock, self.row.seats[seat]
        if not clock or chair.kind != "person" or self.match.over:
            return None
        running = time.time() - self.began[seat] if seat in self.began and self.started else 0.0
        if clock["kind"] == "move":
            return round(max(0.0, float(clock["seconds"]) - running - self._thought_unnoticed(seat)), 1)
        first = self.moves[0].ply if self.moves else 0
        spent = sum(move.spent for move in self.moves if self.match.mover(move.ply - first) == seat) / 1000
        return round(max(0.0, float(clock["seconds"]) - spent - running), 1)

    def _thought_unnoticed(self, seat: int) -> float:
        """Seconds a seat has spent this turn on moves that someone did not notice. Such moves don't restart a per-move clock."""
        spent = 0
        heard = [self.match.moves_seen_by(viewer) for viewer in range(-1, self.match.players if self.game.has_unnoticed_moves else -1)]
        for index in range(len(self.moves) - 1, -1, -1):
            if self.match.mover(index) != seat and self.match.undisclosed(index):
                continue
            if self.match.mover(index) != seat or all(moves[index] is not None for moves in heard):
                break
            spent += self.moves[index].spent
        return spent / 1000

    def _time_decisions(self, mover: Eyes = None) -> None:
        """Start the clocks of those who can decide now but couldn't before, and of the mover; leave the others running."""
        now = time.time()
        self.began = {seat: now if seat == mover else self.began.get(seat, now) for seat in self.match.deciders}

    def _last_change_for(self, seat: int) -> float:
        """When a seat could start thinking about its current decision."""
        for index in range(len(self.moves) - 1, -1, -1):
            if self.match.mover(index) == seat or not self.match.undisclosed(index):
                return self.moves[index].made
        return 0.0

    def tell_seats(self, client: Client, known: dict[tuple[str, Eyes], str] | None = None) -> None:
        """Send a client the table's information if it has changed. All spectators get the same text (cached in `known`)."""
        _, curtain = self.eyes_of(client.guest, client.look)
        watches = client.guest != self.row.host and not self.seats_of(client.guest)
        key = ("" if watches else client.guest, curtain)
        known = {} if known is None else known
        if key not in known:
            known[key] = encode(self.table_info(client.guest, curtain))
        if client.told != known[key]:
            client.told = known[key]
            client.send(known[key])

    def show(self, client: Client, known: dict[tuple[str, Eyes], str] | None = None) -> None:
        """Send a client the position, or only what has changed."""
        eyes, _ = self.eyes_of(client.guest, client.look)
        self.tell_seats(client, known)
        if eyes is not None:
            client.look = eyes
        client.send(self.frames.text(self.match, eyes, self.at_for(eyes), self.started, client.has, client.eyes))
        client.eyes, client.has = eyes, self.frames.page(self.match, eyes).version

    def show_all(self) -> None:
        known: dict[tuple[str, Eyes], str] = {}
        for client in self.clients:
            self.show(client, known)

    def show_news(self) -> None:
        """Send the position to everyone for whom a move has changed it. The others get nothing at all."""
        known: dict[tuple[str, Eyes], str] = {}
        for client in self.clients:
            eyes, _ = self.eyes_of(client.guest, client.look)
            if (client.eyes, client.has) != (eyes, self.frames.page(self.match, eyes).version):
                self.show(client, known)

    def tell_table(self) -> None:
        """Send everyone the table after seats or presence have changed."""
        self.frames.forget()
        self.show_all()

    def tell_all(self, message: dict[str, Any]) -> None:
        text = encode(message)
        for client in self.clients:
            client.send(text)

    # ---- coming and going -----------------------------------------------------------------------------------------------

    async def join(self, client: Client) -> None:
        """A socket opens: send it everything it may know, and update presence for the others."""
        chats = await self.storage.chat_of(self.row.id)
        self.clients.add(client)
        self.touched = time.monotonic()
        client.send(encode({"t": "chats", "chats": chats}))
        self._retell(client)
        self.show(client)
        self._tell_presence()
        self.go_on()

    def _retell(self, client: Client) -> None:
        """Send the story so far, through the client's eyes."""
        eyes, _ = self.eyes_of(client.guest, client.look)
        client.send(encode({"t": "story", "story": self.frames.story(self.match, eyes)}))

    def part(self, client: Client) -> None:
        self.clients.discard(client)
        self.last_seen[client.guest] = self.touched = time.monotonic()
        self._tell_presence()

    def _tell_presence(self) -> None:
        known: dict[tuple[str, Eyes], str] = {}
        for client in self.clients:
            self.tell_seats(client, known)

    def look(self, client: Client, seat: int) -> None:
        """Lift the curtain for one of the client's own seats."""
        if seat not in self.seats_of(client.guest):
            raise Refused("not-yours", "That isn't your seat.", 403)
        client.look = seat
        client.has = -1
        self._retell(client)
        self.show(client)

    async def sit(self, guest: str, number: int, name: str) -> None:
        """Take a free seat."""
        async with self.lock:
            seat = self._chair(number)
            if seat.kind == "person" and seat.guest == guest:
                return
            if seat.kind != "open" or not await self._change_seat(number, SeatRow("person", guest, name)):
                raise Refused("taken", f"{self.seat_name(number)}'s seat is taken.")
        self.go_on()

    async def set_bot(self, guest: str, number: int, bot: str) -> None:
        """Put a bot in a free seat, or replace one bot with another. Only the host can do this."""
        async with self.lock:
            seat = self._chair(number)
            if guest != self.row.host:
                raise Refused("not-host", "Only the host of the table can add bots.", 403)
            if seat.kind == "person":
                raise Refused("taken", f"{self.seat_name(number)}'s seat is taken.")
            if bot not in levels(self.game):
                raise Refused("no-such-bot", f"There is no bot {bot!r}. Choose one of: {', '.join(levels(self.game))}.", 422)
            if not await self._change_seat(number, SeatRow("bot", None, "", bot)):
                raise Refused("taken", f"{self.seat_name(number)}'s seat is taken.")
        self.go_on()

    async def leave(self, guest: str, number: int) -> None:
        """A person leaves: a bot plays for them until they return. Before the game starts, the seat becomes free again."""
        async with self.lock:
            seat = self._own(guest, number)
            if not self.started:
                await self._set_seat(number, SeatRow())
            else:
                await self._set_seat(number, SeatRow("person", guest, seat.name, HELPER, True))
        self.go_on()

    async def come_back(self, guest: str, number: int) -> None:
        async with self.lock:
            seat = self._own(guest, number)
            if seat.stand_in:
                await self._take_back(number)
        self.go_on()

    async def _take_back(self, number: int) -> None:
        """Give a seat back to its person, unless the bot is playing because their time is up."""
        if self._left(number) == 0:
            raise Refused("time-up", f"{self.seat_name(number)}'s time is up, so a bot is making this move.")
        chair = self.row.seats[number]
        await self._set_seat(number, SeatRow("person", chair.guest, chair.name))

    async def substitute(self, guest: str, number: int) -> None:
        """A player asks a bot to play for someone who has been away for a while."""
        async with self.lock:
            seat = self._chair(number)
            if not self.seats_of(guest):
                raise Refused("not-seated", "Only players at this table can ask a bot to step in.", 403)
            if self.patience(seat) != 0:
                raise Refused("not-away", f"{self.seat_name(number)} hasn't been away for {AWAY_SECONDS} seconds yet.")
            await self._set_seat(number, SeatRow("person", seat.guest, seat.name, HELPER, True))
        self.go_on()

    def _chair(self, number: int) -> SeatRow:
        if not 0 <= number < len(self.row.seats):
            raise Refused("no-such-seat", f"There is no seat {number}. This table has seats 0 to {len(self.row.seats) - 1}.", 404)
        return self.row.seats[number]

    def _own(self, guest: str, number: int) -> SeatRow:
        seat = self._chair(number)
        if seat.kind != "person" or seat.guest != guest:
            raise Refused("not-yours", "That isn't your seat.", 403)
        return seat

    async def _set_seat(self, number: int, seat: SeatRow) -> None:
        if not await self._change_seat(number, seat):
            raise Stale

    async def _change_seat(self, number: int, seat: SeatRow) -> bool:
        """Change who sits in a seat. If another server on the same storage was faster, take over its seats; returns whether it worked."""
        waited = not self.started
        try:
            await self.storage.set_seat(self.row.id, number, seat, was=self.row.seats[number])
            self.row.seats[number] = seat
        except Conflict:
            stored = await self.storage.table(self.row.id)
            assert stored is not None
            self.row.seats = stored.seats
        self.touched = time.monotonic()
        if waited:  # once a game has started, its clocks keep running whoever comes and goes
            self.began = {}
            self._time_decisions()
        for client in [client for client in self.clients if not self.may_watch(client.guest)]:
            client.shut(*PRIVATE)
            self.clients.discard(client)
        self.tell_table()
        return self.row.seats[number] == seat

    # ---- playing --------------------------------------------------------------------------------------------------------

    async def move(self, guest: str, at: str, action: int, key: str, wish: Eyes = None) -> None:
        """Make a person's move, in the seat they wish if they have several. Returns once it is committed; raises Refused if it is not."""
        async with self.lock:
            await self._make_sure()
            if self._sent_before(guest, at, action, key):
                return
            seat = self.deciding(guest, wish)
            if seat is None:
                seat = self.match.to_move
            if not (at == self.at_for(seat) if seat in self.seats_of(guest) else self._is_now(guest, at)):
                raise Stale
            if seat is None:
                raise Refused("over", "The game is over.")
            if not self.started:
                raise Refused("not-started", "Waiting for players.")
            if self.match.together and self.seats_of(guest) and seat not in self.seats_of(guest):
                raise Refused("not-your-turn", "You’re ready. Waiting for the others.", 403)
            self._own(guest, seat)
            if self.row.seats[seat].stand_in:
                await self._take_back(seat)
            self._check_legal(seat, action)
            try:
                await self._commit(seat, action, guest, at, key)
            except Refused:  # another writer was faster, or this very move was stored and only the answer was lost
                if not self._sent_before(guest, at, action, key):
                    raise

    def _sent_before(self, guest: str, at: str, action: int, key: str) -> bool:
        """Whether this move was sent before. A key belongs to its guest and stands for one move."""
        sent = next((row for row in self.moves[-64:] if (row.guest, row.key) == (guest, key)), None) if key else None
        if sent is not None and (sent.at, sent.action) != (at, action):
            raise Refused("key-used", "You already used this key for another move.")
        return sent is not None

    def _check_legal(self, seat: int, action: int) -> None:
        """Judge a move only by what its player knows, so that a refusal reveals nothing new."""
        reason = self.frames.view(self.match, seat).why(action)
        if reason is not None:
            raise Refused("illegal", reason, 422)

    def action(self, move: int | str) -> int:
        """The number of a move given as a number or as text."""
        try:
            return self.game.actions.parse(move)
        except (ValueError, TypeError) as problem:
            raise Refused("illegal", str(problem), 422) from None

    async def _commit(self, seat: int, action: int, guest: str = "", at: str = "", key: str = "") -> None:
        """Play the move on a copy, store it, and only then show it."""
        after = self.match.copy()
        after.play(action, player=seat)
        now = time.time()
        who = seat if self.game.simultaneous else None
        row = MoveRow(self.match.ply, action, int((now - self.began[seat]) * 1000), now, key, guest, at, who)
        try:
            await self.storage.add_move(self.row.id, row, self._status(after))
        except Conflict:
            await self._reload()
            raise Stale from None
        self.match = after
        self.moves.append(row)
        self.row.status = "over" if after.over else "running"
        self._moved(seat)

    def _status(self, after: Match) -> str:
        """The table's new status after its last move; "" (no update) if someone did not notice the move, as lists show the time."""
        if self.game.has_unnoticed_moves and not after.over:
            heard = (after.moves_seen_by(viewer)[-1] for viewer in range(-1, after.players))
            return "running" if all(move is not None for move in heard) else ""
        return "over" if after.over else "running"

    def _moved(self, seat: Eyes = None) -> None:
        if not self.match.together:
            self.began = {}
        self._time_decisions(seat)
        self.touched = time.monotonic()
        self.frames.turn_page(self.match)
        self.show_news()
        self.go_on()

    async def _reload(self) -> None:
        """Another writer was faster: load what is stored."""
        stored = await self.storage.moves_of(self.row.id)
        for row in stored[len(self.moves) :]:
            self.match.play(row.action, player=row.player)
            self.moves.append(row)
        self._moved()

    # ---- bots and clocks ------------------------------------------------------------------------------------------------

    def go_on(self) -> None:
        """Let bots move if they can decide, and set the clock alarms of people who can."""
        for alarm in self.alarms.values():
            alarm.cancel()
        self.alarms = {}
        for seat in self.match.deciders if self.started else ():
            if self._bot_sits(seat):
                if self._watched() and (seat not in self.drivers or self.drivers[seat].done()):
                    self.drivers[seat] = asyncio.create_task(self._drive(seat))
            elif self.row.clock:
                left = self._left(seat)
                if left is not None:
                    self._ring(seat, left, self._turn_of(seat))

    def _watched(self) -> bool:
        """Whether bots have anyone to play for."""
        return bool(self.clients) or any(seat.kind == "person" and not seat.stand_in for seat in self.row.seats)

    def _ring(self, seat: int, seconds: float, turn: tuple[int, int]) -> None:
        later = asyncio.get_running_loop().call_later
        self.alarms[seat] = later(seconds, self._spawn, lambda: self._time_is_up(seat, turn))

    def _turn_of(self, seat: int) -> tuple[int, int]:
        """Identifies the decision a seat is thinking about. It changes when something changes for the seat, not when others decide."""
        if self.match.together:
            return self.row.revision, -1 - self.match.movers.count(seat)
        return self.row.revision, self.match.ply

    def _spawn(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        task = asyncio.create_task(work())
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _drive(self, seat: int) -> None:
        """Let a bot move as long as it can decide, at a pace people can follow."""
        try:
            while seat in self.match.deciders and self.started and self._bot_sits(seat):
                try:
                    await self._bot_moves(seat, self.row.seats[seat].bot)
                except Away:
                    await asyncio.sleep(RETRY_SECONDS)
                except Refused:
                    pass  # too late
                except Exception:  # without a retry the table would be stuck for good
                    log.exception("a bot could not move; trying again")
                    await asyncio.sleep(RETRY_SECONDS)
                if not self._watched():
                    return
        finally:
            if self.drivers.get(seat) is asyncio.current_task():
                del self.drivers[seat]

    async def _bot_moves(self, seat: int, bot: str) -> None:
        asked, began = self._turn_of(seat), time.monotonic()
        action = await self.thinker.choose(self.source, self.match.view(seat), bot)
        await asyncio.sleep(max(0.0, self.pace - (time.monotonic() - began)))
        async with self.lock:
            await self._make_sure()
            if self._turn_of(seat) == asked and seat in self.match.deciders and self._bot_sits(seat):
                await self._commit(seat, action)

    async def _time_is_up(self, seat: int, turn: tuple[int, int]) -> None:
        async with self.lock:
            chair = self.row.seats[seat]
            if self._turn_of(seat) == turn and seat in self.match.deciders and chair.kind == "person" and not chair.stand_in:
                try:
                    await self._change_seat(seat, SeatRow("person", chair.guest, chair.name, HELPER, True))
                except Away:
                    self._ring(seat, RETRY_SECONDS, turn)
                    return
        self.go_on()

    # ---- undo, hint, why ------------------------------------------------------------------------------------------------

    def _undo_index(self, guest: str) -> int | None:
        """The guest's last decision, if only their own seats and bots have moved since.

        If moves can go unnoticed, another person counts as having moved as soon as they could have, so that nobody learns whether they did.
        """
        mine = set(self.seats_of(guest))
        turn = self.match.to_move
        if self.match.together:
            own = [index for index, seat in enumerate(self.match.movers) if seat in mine and self.match.undisclosed(index)]
            return own[-1] if own else None
        if self.game.has_unnoticed_moves and turn is not None and turn not in mine and not self._bot_sits(turn):
            return None
        for index in range(self.match.length - 1, -1, -1):
            seat = self.match.mover(index)
            if seat in mine:
                return index
            if not self._bot_sits(seat):
                return None
        return None

    def _bot_sits(self, seat: int) -> bool:
        return self.row.seats[seat].kind == "bot" or self.row.seats[seat].stand_in

    async def undo(self, guest: str, at: str = "") -> None:
        """Go back to the guest's last decision, if nobody has learnt anything new since.

        With `at`, only if that is the current position, so that a request sent twice undoes only one move.
        """
        async with self.lock:
            await self._make_sure()
            if at and not self._is_now(guest, at):
                raise Stale
            index = self._undo_index(guest)
            if index is None:
                raise Refused("nothing-to-undo", "You can only undo your own last move, and only until another player has moved.")
            if self.match.over:
                raise Refused("over", "You can't undo this: the game is over.")
            if self.match.undisclosed(index):
                await self._take_out(index)
                return
            if undo.secret(self.match, index):
                raise Refused("secret", undo.SECRET)
            people = [n for n, seat in enumerate(self.row.seats) if seat.kind == "person"]
            viewers: list[Eyes] = [*people, *([None] if any(not self.seats_of(client.guest) for client in self.clients) else [])]
            for later in range(index, self.match.length):
                if why := await asyncio.to_thread(undo.revealed, self.match, later, viewers, self.match.mover(index)):
                    raise Refused("revealed", why)
            ply = self.match.ply - (self.match.length - index)
            try:
                await self.storage.take_back(self.row.id, ply, self.row.revision + 1)
            except Away:
                self.in_doubt = index
                raise
            self._taken_back(index)
        self.go_on()

    async def _make_sure(self) -> None:
        """Before storing anything: if the answer to an undo was lost but the undo was stored, apply it."""
        if self.in_doubt is not None:
            if self.match.undisclosed(self.in_doubt):
                if len(await self.storage.moves_of(self.row.id)) < len(self.moves):
                    self._taken_out(self.in_doubt)
            else:
                stored = await self.storage.table(self.row.id)
                if stored is not None and stored.revision > self.row.revision:
                    self._taken_back(self.in_doubt)
            self.in_doubt = None

    def _taken_back(self, index: int) -> None:
        """Drop the moves from number `index` on, and show everyone the result."""
        thought = self._thought_about(index)
        self.row.revision += 1
        self.match, self.moves = self.match.at(index), self.moves[:index]
        self.frames.turn_page(self.match, moved=False)
        self.began = {}
        self._time_decisions()
        if self.match.to_move is not None:
            self.began[self.match.to_move] -= thought
        for client in self.clients:
            self._retell(client)
            self.show(client)

    def _thought_about(self, index: int) -> float:
        """Seconds that still count when decision `index` is undone: the time spent on it, plus any time its player is using now."""
        first = self.match.ply - self.match.length
        spent = sum(row.spent for row in self.moves if row.ply == first + index) / 1000
        return spent + (time.time() - self.began.get(self.match.mover(index), time.time()))

    async def _take_out(self, index: int) -> None:
        """Undo a decision that nobody else knows about. What others have decided in the meantime stays."""
        seat = self.match.mover(index)
        if why := await asyncio.to_thread(undo.refusal, self.match, index, [seat]):
            raise Refused("revealed", why)
        try:
            await self.storage.take_out(self.row.id, self.moves[index].ply, self.moves[index + 1 :])
        except Conflict:
            await self._reload()
            raise Stale from None
        except Away:
            self.in_doubt = index
            raise
        self._taken_out(index)
        self.go_on()

    def _taken_out(self, index: int) -> None:
        """Remove decision `index`, move later ones up, and show its player the result."""
        seat, thought, after = self.match.mover(index), self._thought_about(index), self.match.copy()
        after.undo(seat)
        self.match = after
        self.moves[index:] = [replace(row, ply=row.ply - 1) for row in self.moves[index + 1 :]]
        self.taken_out[seat] = self.taken_out.get(seat, 0) + 1
        self.frames.turn_page(self.match, moved=False, for_all=False)
        self._time_decisions(seat)
        self.began[seat] -= thought
        for client in self.clients:
            if seat in self.seats_of(client.guest):
                self._retell(client)
        self.show_news()

    async def hint(self, guest: str) -> dict[str, Any]:
        """The move the bot would make in the guest's place, knowing only what the guest's screen shows, and why."""
        seat = self.deciding(guest)
        if seat is None:
            raise Refused("not-your-turn", "You can ask for a hint when it's your turn.")
        at, view = self.at_for(seat), self.frames.seen(self.match, seat)
        weighed = await self.thinker.weigh(self.source, view)
        action = weighed[0][0] if weighed else await self.thinker.choose(self.source, view, HELPER)
        told = Advice(next(move for move in self.face.moves(view) if move["action"] == action))
        try:
            told = advice(view, weighed) if weighed else told
        except Exception as problem:  # a slip in a stranger's `why`: the move is worth telling all the same
            log.warning("a hint of %s has no reason: %r", self.game.name, problem)
        return {"t": "hint", "at": at, **told.to_dict()}

    def why_not(self, guest: str, look: Eyes, id: str) -> str:
        eyes, _ = self.eyes_of(guest, look)
        try:
            return self.face.why_not(self.frames.view(self.match, eyes), id)
        except Exception as problem:  # an unknown thing, or a mistake in a game's scene.py: no reason to lose the socket
            log.warning("why_not of %s, %r: %r", self.game.name, id, problem)
            return "You can't choose that now."

    async def say(self, guest: str, name: str, text: str, key: str = "") -> None:
        """Chat. Browsers show it as text, never as HTML."""
        if self.passing:
            raise Refused("no-chat", "This is a replay, so there is no chat.")
        if key:
            sent = next((line for *sender, line in self.lines_said if sender == [guest, key]), None)
            if sent is not None:
                if sent != text:
                    raise Refused("key-used", "You already used this key for another line.")
                return  # sent twice
            self.lines_said.append((guest, key, text))
        mine = self.seats_of(guest)
        shown = self.row.seats[mine[0]].name if mine else name or "A spectator"
        try:
            line = await self.storage.add_chat(self.row.id, shown, mine[0] if mine else None, text)
        except Away:
            if key:
                self.lines_said.remove((guest, key, text))
            raise
        self.tell_all({"t": "chat", **line})

    # ---- replay ---------------------------------------------------------------------------------------------------------

    def past_frame(self, guest: str, index: int, eyes: str, noticed: bool = False, ply: bool = False) -> dict[str, Any]:
        """The position before move `index` as one pair of eyes saw it; any eyes, or everything revealed, once the game is over.

        While the game is running, or with `noticed`, only moves that those eyes noticed count. With `ply`, the index is the ply as those
        eyes counted it.
        """
        seen, seat, count = self._past(guest, eyes, noticed)
        if ply:
            index = bisect_left(range(count), index, key=lambda place: seen(place).ply)
        if not 0 <= index <= count:
            raise Refused("no-such-move", f"There is no move {index}: the game has {count} moves.", 404)
        if self.face.aids and self.row.aid and not self.face.aids.all(self.row.aid) and not self.match.over and index < count:
            raise Refused("running", "This table plays from memory: you can replay the game once it is over.", 403)
        view = seen(index)
        return {
            "t": "state",
            "index": index,
            "count": count,
            "to_move": view.to_move,
            "prompt": self.face.prompt(view, -1),
            "scene": self.frames.draw(view, seat).data(),
            "story": {"ply": view.ply, "lines": self.face.story(view)},
            "steps": self.face.steps(seen(index - 1), view) if index else [],
            "ending": self.face.ending(view) if view.over else None,
        }

    def past_story(self, guest: str, start: int, eyes: str) -> list[list[str]]:
        """The story of each position from `start` on, at most TOLD of them, as one pair of eyes saw it."""
        seen, _, count = self._past(guest, eyes)
        told, before = [], seen(start - 1) if 0 < start <= count else None
        for index in range(start, min(start + TOLD, count + 1)):
            view = seen(index)
            old = len(before.events) if before is not None and before.ply == view.ply else 0  # the move in between went unnoticed
            told.append(self.face.story(view)[old:])
            before = view
        return told

    def _past(self, guest: str, eyes: str, noticed: bool = False) -> tuple[Callable[[int], Match], Eyes, int]:
        """A function that shows earlier positions as one pair of eyes saw them, their seat, and the number of the last position."""
        count = self.match.length
        if eyes == "open":
            if not self.match.over:
                raise Refused("running", "You can see everything once the game is over.", 403)
            return lambda index: self.match.at(index), None, count
        seat = None if eyes == "public" else int(eyes)
        if seat is not None and not 0 <= seat < self.match.players:
            raise Refused("no-such-seat", f"There is no seat {seat}. This game has seats 0 to {self.match.players - 1}.", 404)
        if seat is not None and not self.match.over and seat not in self.seats_of(guest):
            raise Refused("not-yours", "You can see the game as another player saw it once it is over.", 403)
        # what these eyes noticed is computed once for all positions
        pages = self.match.pages(seat)
        if self.match.over and not noticed:
            pages = list(range(count + 1))
        see = Match.view if self.match.over else self.frames.seen
        return lambda index: see(self.match.at(pages[index]), seat), seat, len(pages) - 1

    async def curve(self, samples: int = 40) -> dict[str, Any]:
        """The chances throughout a finished game, estimated by a bot that knows only what the player to move knew."""
        if not self.match.over:
            raise Refused("running", "You can see the chances once the game is over.", 403)
        count = self.match.length
        places = sorted({round(k * count / samples) for k in range(samples + 1)})
        async with self.reviewing:
            if self.forecast is None:
                past = [(match, match.to_move) for match in (self.match.at(index) for index in places[:-1])]
                positions = [(match.view(seat).raw, seat) for match, seat in past if seat is not None]
                self.forecast = [*await self.thinker.curve(self.source, self.match, positions), list(self.match.payoff)]
        return {"at": places, "payoff": self.forecast}

    def record(self) -> dict[str, Any]:
        """The record of the finished game with its seed, for download and `rulestone verify`."""
        if not self.match.over:
            raise Refused("running", "You can download the record after the game: it contains the secret seed.", 403)
        return self.match.copy().record()

    def close(self) -> None:
        """Stop everything that is running for this table."""
        for alarm in self.alarms.values():
            alarm.cancel()
        for task in [*self.drivers.values(), *self.tasks]:
            task.cancel()
