"""One table in play: its seats, its game and its sockets. Its lock and the storage's key ensure that there is only one writer."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import time
from bisect import bisect_left
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import takewhile
from typing import Any

from rulestone import undo
from rulestone.game import Game
from rulestone.match import AGREED, CALLED_OFF, RESIGNED, TIME, Match
from rulestone.review.advice import Advice, advice
from rulestone.series import Series, awarded
from rulestone.server import metrics
from rulestone.server.bus import Alone
from rulestone.server.dice import Dice, begin, commitment
from rulestone.server.fair import AGREED_TO, Fair, Wish, Wishes, ended_by, ending_row, play_stored, settle
from rulestone.server.frames import TOLD, Eyes, Frames, encode
from rulestone.server.outbox import Outbox
from rulestone.server.refusal import Away, Refused, Stale
from rulestone.server.storage import Conflict, MoveRow, SeatRow, Sign, Storage, TableRow, Turns
from rulestone.server.stored import check_watching, may_watch, seats_in
from rulestone.server.talk import REMOVED, Manners, Talk
from rulestone.server.thinking import HELPER, Thinker, levels, quick
from rulestone.table import Face

log = logging.getLogger(__name__)
AWAY_SECONDS = 60
"""How long a player must be disconnected before the others can ask a bot to play for them."""
RETRY_SECONDS = 3.0
LEAD_SECONDS = 2.0
"""How often a server asks whether the one that plays for a table's bots is still alive."""
SHOWN = ("seats", "host", "hushed", "rematch")
"""What everybody is shown of a table's row."""
ELSEWHERE = ("created", "updated", "edits", "status", "waits", "due", "aid")
"""What of a table's row says nothing new: it follows from its moves and seats."""
PRESENCE_SECONDS = 0.1
"""How long news of people who come and go is gathered."""
CALLED_SECONDS = 30
"""When a table is loaded into memory again, turns that began so long ago count as announced."""
GRACE_SECONDS = 10
"""The least time left on a clock when a table is loaded into memory again, so that nobody loses their seat to a server restart."""

UNDO_SECONDS = 0.3
"""How long a position must have stood before the server finds out whether undo can be offered: it takes up to half a second."""
WEIGHING = ThreadPoolExecutor(1, "undo")

PRIVATE, SIGNED_OUT, SLOW = (4401, "private"), (4401, "signed out"), (1013, "too slow")
"""Why a socket is closed: a code for programs, a reason for people."""


class Client:
    """One socket at a table: whose it is, through whose eyes it sees the game, and what it has already received."""

    def __init__(self, guest: str, narrow: bool = False, device: str = "") -> None:
        self.guest, self.device = guest, device
        self.narrow = narrow
        """Whether its screen is narrow and gets the layout for such screens."""
        self.outbox = Outbox[str | tuple[int, str]](200)
        """Messages to send, and finally the code and reason for closing the socket."""
        self.look: Eyes = None
        self.eyes: Eyes = None
        self.has = -1
        self.drawn = ""
        """The fingerprint of the picture that its page came with, until it gets a position."""
        self.told = ""
        self.lines: set[int] = set()
        """The lines of chat that it has been sent, by number."""

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

    def finish(self, code: int, why: str) -> None:
        """Send what is queued, then close the socket."""
        try:
            self.outbox.put_nowait((code, why))
        except asyncio.QueueFull:
            self.shut(code, why)


@dataclass
class Known:
    """What is said about a table at one moment, made once however many sockets it is for."""

    common: dict[str, Any]
    texts: dict[tuple[str, Eyes], str] = field(default_factory=dict)


class Room:
    """A table in memory. It can be restored from its row and its moves; nothing else is stored."""

    def __init__(
        self,
        row: TableRow,
        match: Match,
        moves: list[MoveRow],
        source: str,
        storage: Storage,
        thinker: Thinker,
        pace: float,
        manners: Manners | None = None,
        bus: Alone | None = None,
    ) -> None:
        self.bus = bus or Alone()
        self.elsewhere: dict[str, list[str]] = {}
        """The guests at this table through other servers, once for each socket, by server."""
        self.behind = False
        """Whether another server has changed the table and this one hasn't looked yet."""
        self.row, self.match, self.moves, self.source = row, match, moves, source
        self.storage, self.thinker, self.pace = storage, thinker, pace
        self.game: Game = match.game
        self.face = Face.of(match.game)
        self.frames = Frames(self.face, row.aid)
        self.fair = Fair(**(row.fair or {}))
        self.wishes = Wishes.read(row.wishes)
        self.wishes.open = None  # a request doesn't survive a restart
        self.offers: dict[tuple[Any, ...], bool] = {}
        """Whether undo would be granted, once that has been found out, by what its player can know."""
        self.weighing: asyncio.TimerHandle | None = None
        self.lock = asyncio.Lock()
        self.clients: set[Client] = set()
        self.last_seen: dict[str, float] = {}
        self.drivers: dict[int, asyncio.Task[None]] = {}
        """Bots that are thinking, by seat."""
        self.alarms: dict[int, asyncio.TimerHandle] = {}
        self.began: dict[int, float] = {}
        """When each player who can decide now started thinking."""
        self.touched = self.used = time.monotonic()
        """When something last happened here, and when somebody last asked for this table."""
        self.presence: asyncio.TimerHandle | None = None
        self.tasks: set[asyncio.Task[None]] = set()
        self.talk = Talk(self, manners or Manners())
        self.dice = Dice(self)
        self.series: Series | None = None
        """The series this game belongs to, with the games before it (and this one, once it is over: see `standing`)."""
        self.in_doubt = False
        """Whether the storage's answer to an undo was lost."""
        self.passing = False
        """Whether this is only the replay of a finished game, kept in memory."""
        self.forecast: list[list[float]] | None = None
        self.reviewed: dict[str, Any] | None = None
        """The review of the finished game, once it has been made or read."""
        self.reviewing = asyncio.Lock()
        self.calls: Callable[[Room, int], Coroutine[Any, Any, None]] | None = None
        """Sends word to a seat whose turn has begun."""
        self.called = {int(seat) for seat, (since, _) in (row.waits or {}).items() if (since or 0) < time.time() - CALLED_SECONDS}
        """Seats whose turn has begun and who have had word of it."""
        self.kept = (row.waits, row.due)
        """Whom the table waits for, as far as the storage knows."""
        self._resume_clocks(GRACE_SECONDS)

    def join_others(self, elsewhere: dict[str, list[str]]) -> None:
        """Other servers have this table in memory. So nothing was interrupted: requests are still open, and clocks have run on."""
        self.elsewhere = elsewhere
        if elsewhere:
            self.wishes = Wishes.read(self.row.wishes)
            self._resume_clocks(0)

    def _resume_clocks(self, grace: float) -> None:
        """Let the clocks stand where they would be by now, with at least so many seconds left."""
        self.began = {}
        self._time_decisions()
        for seat in self.match.deciders if self.moves else ():
            whole = self._left(seat)
            if whole is not None:
                self.began[seat] = max(self._last_change_for(seat), self.began[seat] - max(0.0, whole - grace))

    # ---- facts ----------------------------------------------------------------------------------------------------------

    @property
    def at(self) -> str:
        """The position's internal name. It is never sent, because it also counts moves that not everyone noticed."""
        return f"{self.row.revision}.{self.match.ply}"

    def at_for(self, eyes: Eyes) -> str:
        """The position's name, counting only the moves these eyes noticed. Every move carries it, so that a stale one is detected."""
        taken_out = (self.row.taken_out or {}).get(str(eyes))  # nobody else notices, so it doesn't change for anyone else
        own = f"-{taken_out}" if taken_out else ""
        return f"{self.row.revision}.{self.frames.view(self.match, eyes).ply}{own}"

    def deciding(self, guest: str, look: Eyes = None) -> Eyes:
        """The seat in which a guest can decide now: the one they see from, otherwise the first; None if there is none."""
        mine = [seat for seat in self.seats_of(guest) if seat in self.match.deciders]
        return look if look in mine else mine[0] if mine else None

    def _is_now(self, guest: str, at: str) -> bool:
        """Whether `at` names the current position, as far as this guest can know."""
        return any(at == self.at_for(eyes) for eyes in (None, *self.seats_of(guest)))

    @property
    def full(self) -> bool:
        """Whether every seat is taken."""
        return all(seat.kind != "open" for seat in self.row.seats)

    @property
    def started(self) -> bool:
        """Whether every seat is taken and the game is dealt. Nobody can move before that."""
        return self.full and self.dice.dealt

    def seats_of(self, guest: str) -> list[int]:
        return seats_in(self.row, guest)

    def stranger_at(self, guest: str) -> str:
        """The table's id if the guest doesn't sit here: what strangers do counts for the table's limits."""
        return "" if self.seats_of(guest) else self.row.id

    @property
    def people(self) -> int:
        """How many people play, each counted once, and free seats as one each."""
        return len({seat.guest or number for number, seat in enumerate(self.row.seats) if seat.kind != "bot"})

    def here(self) -> list[str]:
        """Who is at the table, through this server or another, once for each socket."""
        return [*(client.guest for client in self.clients), *(guest for guests in self.elsewhere.values() for guest in guests)]

    def online(self, guest: str | None) -> bool:
        return any(client.guest == guest for client in self.clients) or any(guest in guests for guests in self.elsewhere.values())

    def patience(self, seat: SeatRow) -> int | None:
        """Seconds until the others can ask a bot to play for an absent person; None if the person is connected, or for a bot."""
        if seat.kind != "person" or self.online(seat.guest):
            return None
        away = time.monotonic() - self.last_seen.get(seat.guest or "", self.touched)
        return max(0, math.ceil(AWAY_SECONDS - away))

    def last_used(self) -> float:
        return max(self.touched, self.used)

    def may_watch(self, guest: str) -> bool:
        return may_watch(self.row, guest, self.talk.removed)

    def check_watching(self, guest: str) -> None:
        check_watching(self.row, guest, self.talk.removed)

    def farewell(self, guest: str) -> tuple[int, str]:
        """Why a guest may not watch, as a socket that is closed says it."""
        return REMOVED if guest in self.talk.removed else PRIVATE

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
        mine = self.seats_of(guest) if self.dice.dealt else []  # until then, nobody has anything of their own to see
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
            "ended": view.ended or None,
        }

    def table_info(self, guest: str, curtain: Eyes = None, common: dict[str, Any] | None = None) -> dict[str, Any]:
        """Everything about the table except the position. `common` is `common_info`, if it is already known."""
        common, host, wish = common or self.common_info(), guest == self.row.host, self._wish()
        own = {seat: {**common["seats"][seat], "mine": True} for seat in self.seats_of(guest)}
        return {
            **common,
            "seats": [own.get(chair["seat"], chair) for chair in common["seats"]],
            "host": host,
            "guests": self.talk.spectators() if host else None,
            "curtain": curtain,
            "undo": self._offers_undo(guest),
            "may": self._may(guest),
            "request": wish.data(guest, self.seat_name(wish.seat)) if wish else None,
        }

    def common_info(self) -> dict[str, Any]:
        """What `table_info` says to everybody, with room for what it says to each."""
        row, hues, titles = self.row, self.face.hues(self.match.players), self.face.names(self.match.players)
        here = self.here()
        chairs = []
        for n, seat in enumerate(row.seats):
            chairs.append(
                {
                    "seat": n,
                    "title": titles[n],
                    "hue": hues[n],
                    "kind": seat.kind,
                    "name": seat.name or titles[n],
                    "who": self.talk.handle(seat.guest) if seat.guest else None,
                    "bot": seat.bot,
                    "mine": False,
                    "online": seat.kind == "bot" or (seat.kind == "person" and seat.guest in here),
                    "stand_in": seat.stand_in,
                    "out": seat.out,
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
            "host": False,
            "started": self.started,
            "over": over,
            "clock": row.clock,
            "aid": row.aid,
            "aid_says": self.face.aids.levels[row.aid] if self.face.aids and row.aid else None,
            "aid_all": bool(self.face.aids and self.face.aids.all(row.aid)),
            "watchers": sum(not self.seats_of(watcher) for watcher in here),
            "guests": None,
            "hushed": row.hushed,
            "series": self.standing(),
            "rematch": row.rematch,
            "commitment": commitment(self.row),
            "dice": self.dice.data(),
            "seed": str(self.match.seed) if over else None,
            "curtain": None,
            "undo": False,
            "hints": self.fair.hinted(self.people),
            "fair": {**vars(self.fair), "says": self.fair.says(self.people, bool(row.clock))},
            "may": {},
            "request": None,
            "ended": self.match.ended or None,
            "levels": levels(self.game),
            "helper": HELPER,
        }

    def standing(self) -> dict[str, Any] | None:
        """The series this game belongs to: what it is played for, and everybody's points so far, seat by seat; None without a series."""
        series, number = self.series, self.row.number
        if series is None or number is None:
            return None
        if self.match.over and len(series.awards) == number:
            series.credit(awarded(self.match))
        seats = series.seats(number)
        names = [self.talk.name_of(seats.index(player)) for player in range(series.players)]
        return {
            "id": self.row.series,
            "game": number + 1,
            "terms": series.terms,
            "points": [series.totals[player] for player in seats],
            "won": [series.awards[number][player] for player in seats] if self.match.over else None,
            "over": series.over,
            "result": series.result(names) if series.over else None,
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

    def turns(self) -> tuple[dict[str, list[float | None]], float | None]:
        """The people the table waits for, each with the time they began to think and the time they must decide by; and when the table
        must be opened even if nobody looks: when somebody's time is up, or at once (0) if a bot is to move."""
        waits: dict[str, list[float | None]] = {}
        due: list[float] = []
        due += [] if self.dice.due is None else [self.dice.due]
        for seat in self.match.deciders if self.started else ():
            if self._bot_sits(seat):
                due += [0.0] if self._people_play() else []
                continue
            left = self._left(seat)
            until = None if left is None else round(time.time() + left)
            waits[str(seat)] = [round(self.began.get(seat, time.time())), until]
            due += [] if until is None else [float(until)]
        return waits, min(due, default=None)

    def _keep_turns(self) -> None:
        """Store whom the table waits for, if that has changed, and send word to those whose turn has begun.

        Others' moves that go unnoticed begin nobody's turn, so they send nothing.
        """
        now = self.turns()
        waiting = {int(seat) for seat in now[0]}
        before = self.row.seats[self.match.mover(self.match.length - 1) if self.match.length else -1].guest
        for seat in waiting - self.called:
            if self.calls is not None and before != self.row.seats[seat].guest:  # nobody tells themselves
                self.spawn(partial(self.calls, self, seat))
        self.called = waiting
        if self.passing or now == self.kept:
            return
        self.kept = now
        self.storage.keep_turns(self.row.id, Turns(*now, self.row.edition, self.match.ply + bool(self.match.ended)))

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

    def _time_decisions(self, mover: Eyes = None, now: float | None = None) -> None:
        """Start the clocks of those who can decide now but couldn't before, and of the mover; leave the others running."""
        now = time.time() if now is None else now
        self.began = {seat: now if seat == mover else self.began.get(seat, now) for seat in self.match.deciders}

    def _last_change_for(self, seat: int) -> float:
        """When a seat could start thinking about its current decision."""
        for index in range(len(self.moves) - 1, -1, -1):
            if self.match.mover(index) == seat or not self.match.undisclosed(index):
                return self.moves[index].made
        return 0.0

    def tell_seats(self, client: Client, known: Known | None = None) -> None:
        """Send a client the table's information if it has changed. All spectators get the same text (kept in `known`)."""
        _, curtain = self.eyes_of(client.guest, client.look)
        watches = client.guest != self.row.host and not self.seats_of(client.guest)
        key = ("" if watches else client.guest, curtain)
        known = known or Known(self.common_info())
        if key not in known.texts:
            known.texts[key] = encode(self.table_info(client.guest, curtain, known.common))
        if client.told != known.texts[key]:
            client.told = known.texts[key]
            client.send(client.told)

    def show(self, client: Client, known: Known | None = None) -> None:
        """Send a client the position, or only what has changed."""
        eyes, _ = self.eyes_of(client.guest, client.look)
        self.tell_seats(client, known)
        if eyes is not None:
            client.look = eyes
        client.send(
            self.frames.text(self.match, eyes, self.at_for(eyes), self.started, client.has, client.eyes, client.narrow, client.drawn)
        )
        client.eyes, client.has, client.drawn = eyes, self.frames.page(self.match, eyes).version, ""
        if known is None:
            self.frames.texts.clear()

    def show_all(self) -> None:
        known = Known(self.common_info())
        for client in self.clients:
            self.show(client, known)
        self.frames.texts.clear()

    def show_news(self) -> None:
        """Send the position to everyone for whom a move has changed it. The others get nothing at all."""
        known = Known(self.common_info())
        for client in self.clients:
            eyes, _ = self.eyes_of(client.guest, client.look)
            if (client.eyes, client.has) != (eyes, self.frames.page(self.match, eyes).version):
                self.show(client, known)
        self.frames.texts.clear()

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
        await self.talk.tell(client)
        if not self.may_watch(client.guest):  # not any more
            client.shut(*self.farewell(client.guest))
            return
        self.clients.add(client)
        self.touched = time.monotonic()
        self._retell(client)
        self.show(client)
        self._tell_presence_soon()
        self.go_on()

    def _say_who_is_here(self) -> None:
        if not self.passing:
            self.bus.here(self.row.id, [client.guest for client in self.clients])

    def hear_presence(self, server: str, guests: list[str] | None) -> None:
        """Another server says who is at the table through it; None if it no longer has the table."""
        for guest in {*self.elsewhere.get(server, ())} - {*(guests or ())}:
            self.last_seen[guest] = time.monotonic()
        if guests is None:
            self.elsewhere.pop(server, None)
        else:
            self.elsewhere[server] = guests
        self._tell_presence()
        self.go_on()

    async def hear_all_presence(self) -> None:
        """Ask who is at the table through other servers: this one may not have heard of everybody."""
        before = {**self.elsewhere}
        elsewhere = await self.bus.follow(self.row.id)
        for server in {**before, **elsewhere}:
            if self.elsewhere.get(server) is before.get(server):  # otherwise it has said something newer in the meantime
                self.hear_presence(server, elsewhere.get(server))

    def _retell(self, client: Client) -> None:
        """Send the story so far, through the client's eyes."""
        eyes, _ = self.eyes_of(client.guest, client.look)
        client.send(encode({"t": "story", "story": self.frames.story(self.match, eyes)}))

    def part(self, client: Client) -> None:
        self.clients.discard(client)
        self.last_seen[client.guest] = self.touched = time.monotonic()
        self._tell_presence_soon()

    def _tell_presence_soon(self) -> None:
        """Tell everybody who has come and gone: once for all who do so at about the same time."""
        if self.presence is None:
            self.presence = asyncio.get_running_loop().call_later(PRESENCE_SECONDS, self._tell_gathered)

    def _tell_gathered(self) -> None:
        self.presence = None
        self._tell_presence()
        self._say_who_is_here()

    def _tell_presence(self) -> None:
        known = Known(self.common_info())
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

    def lay_out(self, client: Client, narrow: bool) -> None:
        """The client's screen has become narrow or wide: send the position in the other layout."""
        if client.narrow != narrow:
            client.narrow = narrow
            if self.face.narrow:
                client.has = -1
                self.show(client)

    async def sit(self, guest: str, number: int, name: str, pledge: str = "") -> None:
        """Take a free seat, with a pledge for the dice if there is one."""
        async with self.lock:
            seat = self._chair(number)
            if seat.kind == "person" and seat.guest == guest:
                return
            known_as = self.talk.name_for(guest, number, name)
            if seat.kind != "open" or not await self._change_seat(number, SeatRow("person", guest, known_as, pledge=pledge)):
                raise Refused("taken", f"{self.seat_name(number)}'s seat is taken.")
            await self.dice.settle()
        self.go_on()

    def deal(self) -> None:
        """The seed is fixed, so the game begins."""
        self.match = begin(self.game, self.row)
        self.began = {}
        self._time_decisions()
        self.touched = time.monotonic()
        self.frames.turn_page(self.match, moved=False)
        for client in self.clients:
            client.has = -1
            self._retell(client)
        self.show_all()

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
            await self.dice.settle()
        self.go_on()

    async def vacate(self, guest: str) -> None:
        """Free all seats of a guest whom the host has removed. The caller holds the lock."""
        for number in self.seats_of(guest):
            await self.set_seat(number, SeatRow())

    def under_way_for(self, guest: str) -> bool:
        """Whether a guest has seen anybody move."""
        return self.match.over or bool(self.frames.view(self.match, self._eyes_without_screen(guest)).moves)

    async def leave(self, guest: str, number: int) -> None:
        """A person leaves: a bot plays for them until they return. Before the game starts, the seat becomes free again."""
        async with self.lock:
            seat = self._own(guest, number)
            self._check_in(number)
            if not self.full:
                await self.set_seat(number, SeatRow())
            else:
                await self.set_seat(number, replace(seat, bot=HELPER, stand_in=True))
        self.go_on()

    async def forget(self, guest: str) -> None:
        """A person wants to be forgotten: bots take their seats, or in a game that is over their seats lose their names."""
        async with self.lock:
            for number in self.seats_of(guest):
                kind, bot = ("person", "") if self.match.over else ("bot", HELPER) if self.full else ("open", "")
                await self.set_seat(number, replace(self.row.seats[number], kind=kind, guest=None, name="", bot=bot, stand_in=False))
            if self.row.host == guest:
                await self.storage.set_table(self.row.id, host="")
                self.row.host = ""
                self.changed()
            self.moves = [replace(row, guest="", key="") if row.guest == guest else row for row in self.moves]
        self.shut_guest(guest)
        self.go_on()

    def shut_guest(self, guest: str) -> None:
        """Close all sockets of a person who is forgotten."""
        for client in [client for client in self.clients if client.guest == guest]:
            client.shut(*SIGNED_OUT)
            self.clients.discard(client)

    async def come_back(self, guest: str, number: int) -> None:
        async with self.lock:
            seat = self._own(guest, number)
            if seat.stand_in:
                await self._take_back(number)
        self.go_on()

    async def _take_back(self, number: int) -> None:
        """Give a seat back to its person, unless the bot is playing because they have lost, or because their time is up."""
        self._check_in(number)
        if self._left(number) == 0:
            raise Refused("time-up", f"{self.seat_name(number)}'s time is up, so a bot is making this move.")
        chair = self.row.seats[number]
        await self.set_seat(number, SeatRow("person", chair.guest, chair.name))

    async def substitute(self, guest: str, number: int) -> None:
        """A player asks a bot to play for someone who has been away for a while."""
        async with self.lock:
            seat = self._chair(number)
            if not self.seats_of(guest):
                raise Refused("not-seated", "Only players at this table can ask a bot to step in.", 403)
            self._check_in(number)
            if self.patience(seat) != 0:
                raise Refused("not-away", f"{self.seat_name(number)} hasn't been away for {AWAY_SECONDS} seconds yet.")
            await self.set_seat(number, SeatRow("person", seat.guest, seat.name, HELPER, True))
        self.go_on()

    def _check_in(self, number: int) -> None:
        """Refuse whatever only somebody who hasn't lost yet can do."""
        if self.row.seats[number].out:
            raise Refused("out", f"{self.seat_name(number)} has lost already, and a bot plays on.")

    def _chair(self, number: int) -> SeatRow:
        if not 0 <= number < len(self.row.seats):
            raise Refused("no-such-seat", f"There is no seat {number}. This table has seats 0 to {len(self.row.seats) - 1}.", 404)
        return self.row.seats[number]

    def _own(self, guest: str, number: int) -> SeatRow:
        seat = self._chair(number)
        if seat.kind != "person" or seat.guest != guest:
            raise Refused("not-yours", "That isn't your seat.", 403)
        return seat

    async def set_seat(self, number: int, seat: SeatRow, end: int | None = None) -> None:
        if not await self._change_seat(number, seat, end):
            raise Stale

    async def _change_seat(self, number: int, seat: SeatRow, end: int | None = None) -> bool:
        """Change who sits in a seat, with `end` only if that is still the next ply; returns whether it worked.

        If another server on the same storage was faster, take over what is stored.
        """
        self.touched = time.monotonic()
        wishes = replace(self.wishes, open=None)
        try:
            await self.storage.set_seat(self.row.id, number, seat, self.row.seats[number], wishes.text(), end)
        except Conflict:
            await self._catch_up()
            return self.row.seats[number] == seat
        waited = not self.started
        self.row.seats[number] = seat
        self.wishes, self.row.wishes = wishes, wishes.text()
        self._reseated(waited)
        self.changed()
        return True

    def _reseated(self, waited: bool) -> None:
        """Somebody came or went; `waited` says whether the game couldn't start before."""
        if waited:  # once a game has started, its clocks keep running whoever comes and goes
            self.began = {}
            self._time_decisions()
        for client in [client for client in self.clients if not self.may_watch(client.guest)]:
            client.shut(*self.farewell(client.guest))
            self.clients.discard(client)
        self.tell_table()

    # ---- several servers ------------------------------------------------------------------------------------------------

    def changed(self) -> None:
        """Tell the other servers that what is stored of this table has changed."""
        self.bus.tell(self.row.id, changed=True)

    def missed(self, sign: Sign) -> bool:
        """Whether more moves are stored than this server knows."""
        return sign.moves > len(self.moves) + bool(self.match.ended)

    def knows(self, row: TableRow, sign: Sign, said: int | None) -> bool:
        """Whether nothing is stored that hasn't been taken over here. `said` is the last line of chat of the look before."""
        same = all(getattr(row, name) == getattr(self.row, name) for name in vars(row) if name not in ELSEWHERE)
        return same and not self.missed(sign) and sign.said == said and sign.removed == len(self.talk.removed)

    def hear_change(self) -> None:
        """Another server has changed what is stored of this table, or may have."""
        if not self.behind and not self.passing:
            self.behind = True
            self.spawn(self._look_again)

    def hear_all(self) -> None:
        """Other servers may have changed this table, and people may have come and gone there, without word of it."""
        if not self.passing:
            self.hear_change()
            self.spawn(self.hear_all_presence)

    async def catch_up(self) -> None:
        """Take over what other servers have stored."""
        async with self.lock:
            await self._catch_up()
        self.go_on()

    async def _look_again(self) -> None:
        while self.behind:
            try:
                async with self.lock:
                    self.behind = False
                    said = await self.talk.news() if self.clients else []
                    await self._catch_up()  # after that, so that nobody who plays by now reads what spectators said
                    for line in said:
                        self.talk.show(line)
            except Away:
                self.behind = True
                await asyncio.sleep(RETRY_SECONDS)
        self.go_on()

    @contextlib.asynccontextmanager
    async def _first(self, undoing: bool = False) -> AsyncIterator[None]:
        """Store something inside. If another server was faster, take over what it has stored, and raise Stale.

        If the answer to an undo gets lost, `_make_sure` finds out what became of it.
        """
        try:
            try:
                yield
            except Conflict:
                await self._catch_up()
                raise Stale from None
        except Away:
            self.in_doubt |= undoing
            raise

    async def _catch_up(self) -> None:
        """Take over what other servers have stored, and show it as if it had happened here. The caller holds the lock."""
        known = self.row
        found = await self.storage.load(known.id, known.edition, self.match.ply)
        if found is None:
            return
        row, moves, self.talk.removed = found
        waited = not self.started
        self.row, self.wishes = replace(row, aid=known.aid), Wishes.read(row.wishes)
        if row.stage != known.stage:
            self.dice.arrived()
        if row.revision != known.revision:
            common = sum(1 for _ in takewhile(lambda pair: _same(*pair), zip(self.moves, moves, strict=False)))
            self._taken_back(common)
            moves = moves[common:]
        elif row.edition != known.edition:
            self._played_again(moves, known)
            moves = []
        for move in moves if not self.match.ended else ():
            self._hear_move(move)
        if any(getattr(row, name) != getattr(known, name) for name in SHOWN) or any(not self.may_watch(who.guest) for who in self.clients):
            self._reseated(waited)
        elif row.wishes != known.wishes:  # nothing else: a move that somebody doesn't notice must not send them anything
            self._tell_presence()

    def _hear_move(self, row: MoveRow) -> None:
        """Another server has stored a move or an ending."""
        after = self.match.copy()
        seat = after.to_move if row.player is None else row.player
        played = play_stored(after, [row], self.row.seats)
        self.match = after
        self.moves += played
        if played:
            self.row.status = "over" if after.over else "running"
            self._moved(seat, row.made)
        else:
            self._has_ended()

    def _played_again(self, moves: list[MoveRow], known: TableRow) -> None:
        """On another server, decisions were undone that only their players knew about."""
        match = self.match.at(0)
        self.moves = play_stored(match, moves, self.row.seats)
        self.match = match
        before, now = known.taken_out or {}, self.row.taken_out or {}
        undone = {seat for seat in range(match.players) if now.get(str(seat)) != before.get(str(seat))}
        self.frames.turn_page(match, moved=False, known_to=undone)
        self._time_decisions()
        for client in self.clients:
            if undone & {*self.seats_of(client.guest)}:
                self._retell(client)
        if match.ended:
            self._has_ended()
        else:
            self.show_news()

    # ---- playing --------------------------------------------------------------------------------------------------------

    async def move(self, guest: str, at: str, action: int, key: str, wish: Eyes = None) -> None:
        """Make a person's move, in the seat they wish if they have several. Returns once it is committed; raises Refused if it is not."""
        with metrics.timing(metrics.ANSWERS):
            await self._move(guest, at, action, key, wish)

    async def _move(self, guest: str, at: str, action: int, key: str, wish: Eyes) -> None:
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
            if (open := self._wish()) and (open.kind, open.guest) == ("undo", guest):  # whether or not the others would notice the move
                raise Refused("asked", "You've asked to undo your last move. Wait for the answer, or withdraw your request.")
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

    async def _commit(self, seat: int, action: int, guest: str = "", at: str = "", key: str = "", bot: str = "") -> None:
        """Play the move on a copy, store it, and only then show it."""
        after = self.match.copy()
        after.play(action, player=seat)
        settle(after, self.row.seats)
        now = time.time()
        who = seat if self.game.simultaneous else None
        row = MoveRow(self.match.ply, action, int((now - self.began[seat]) * 1000), now, key, guest, at, who, bot)
        async with self._first():
            await self._add(row, self._status(after))
        (metrics.BY_PERSON if guest else metrics.BY_BOT).inc()
        self.match = after
        self.moves.append(row)
        self.row.status = "over" if after.over else "running"
        self.changed()
        self._moved(seat)

    async def _add(self, row: MoveRow, status: str) -> None:
        """Store a move or an ending. How a game ends depends on who has lost before."""
        lost = [seat.out for seat in self.row.seats] if status == "over" else None
        await self.storage.add_move(self.row.id, row, status, self.row.edition, lost)

    def _status(self, after: Match) -> str:
        """The table's new status after its last move; "" (no update) if someone did not notice the move, as lists show the time."""
        if self.game.has_unnoticed_moves and not after.over:
            heard = (after.moves_seen_by(viewer)[-1] for viewer in range(-1, after.players))
            return "running" if all(move is not None for move in heard) else ""
        return "over" if after.over else "running"

    def _moved(self, seat: Eyes = None, when: float | None = None) -> None:
        if not self.match.together:
            self.began = {}
        self._time_decisions(seat, when)
        self.touched = time.monotonic()
        # with a move, the storage forgets whom the table waits for; the server that made it says so again
        self.kept = (None, None) if when is None else self.turns()
        self.frames.turn_page(self.match)
        self.show_news()
        self.go_on()

    # ---- bots and clocks ------------------------------------------------------------------------------------------------

    def look_after(self) -> None:
        """The storage says that the table should be looked at: go on, and say again whom it waits for."""
        self.kept = (None, None)
        if self.bus.others:  # otherwise it may say what is no longer so
            self.hear_change()
        self.go_on()

    def go_on(self) -> None:
        """Let bots move if they can decide, and set the clock alarms of people who can."""
        self.talk.go_on()
        self.dice.go_on()
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
                    self._ring(seat, left, self.turn_of(seat))
        self._weigh_later()
        self._keep_turns()

    def _people_play(self) -> bool:
        return any(seat.kind == "person" and not seat.stand_in for seat in self.row.seats)

    def _watched(self) -> bool:
        """Whether bots have anyone to play for."""
        return bool(self.here()) or self._people_play()

    def _ring(self, seat: int, seconds: float, turn: tuple[int, int]) -> None:
        later = asyncio.get_running_loop().call_later
        self.alarms[seat] = later(seconds, self.spawn, lambda: self._time_is_up(seat, turn))

    def turn_of(self, seat: int) -> tuple[int, int]:
        """Identifies the decision a seat is thinking about. It changes when something changes for the seat, not when others decide."""
        if self.match.together:
            return self.row.revision, -1 - self.match.movers.count(seat)
        return self.row.revision, self.match.ply

    def spawn(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        task = asyncio.create_task(work())
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _drive(self, seat: int) -> None:
        """Let a bot move as long as it can decide, at a pace people can follow."""
        try:
            while seat in self.match.deciders and self.started and self._bot_sits(seat):
                try:
                    if not await self.bus.lead(self.row.id):
                        await asyncio.sleep(LEAD_SECONDS)
                        continue
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
        if seat not in self.match.deciders:  # somebody was faster
            return
        asked, began = self.turn_of(seat), time.monotonic()
        view, seed = self.match.view(seat), self.match.bot_seed(seat)
        action, bot = await self.thinker.choose(self.source, view, bot, seed, self.row.host)
        await asyncio.sleep(max(0.0, self.pace - (time.monotonic() - began)))
        async with self.lock:
            await self._make_sure()
            if self.turn_of(seat) == asked and seat in self.match.deciders and self._bot_sits(seat):
                await self._commit(seat, action, bot=bot)

    async def _time_is_up(self, seat: int, turn: tuple[int, int]) -> None:
        async with self.lock:
            try:
                if self.bus.others:  # perhaps they moved in time on another server
                    await self._catch_up()
                chair = self.row.seats[seat]
                if self.turn_of(seat) == turn and seat in self.match.deciders and chair.kind == "person" and not chair.stand_in:
                    if self.fair.time == "lose":
                        await self._lose(seat, TIME)
                    else:
                        end = None if self.match.together else self.match.ply
                        await self._change_seat(seat, SeatRow("person", chair.guest, chair.name, HELPER, True), end)
            except Stale:  # another server was faster
                pass
            except Away:
                self._ring(seat, RETRY_SECONDS, turn)
                return
        self.go_on()

    # ---- undo, hint, why ------------------------------------------------------------------------------------------------

    def _undo_index(self, guest: str) -> int | None:
        """The guest's last decision, if only their own seats and bots have moved since.

        If moves can go unnoticed, another person counts as having moved as soon as they could have, so that nobody learns whether they did.
        """
        mine = {seat for seat in self.seats_of(guest) if not self.row.seats[seat].out}
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

    async def undo(self, guest: str, at: str = "") -> bool:
        """Go back to the guest's last decision, if nobody has learnt anything new since; returns whether others have to agree first.

        With `at`, only if that is the current position, so that a request sent twice undoes only one move.
        """
        async with self.lock:
            await self._make_sure()
            if at and not self._is_now(guest, at):
                raise Stale
            if self.fair.undo == "off":
                raise Refused("no-undo", "At this table, no move can be undone.")
            index = self._undo_index(guest)
            if index is None:
                raise Refused("nothing-to-undo", "You can only undo your own last move, and only until another player has moved.")
            if self.match.over:
                raise Refused("over", "You can't undo this: the game is over.")
            if why := await self._why_no_undo(index):
                raise Refused("secret" if why == undo.SECRET else "revealed", why)
            if self.match.undisclosed(index):
                await self._take_out(index)
                return False
            others = self._others(guest) if self.fair.undo == "ask" else set()
            if others:
                await self._ask("undo", guest, self.match.mover(index), others)
                return True
            seat = self.match.mover(index)
            await self._undo_to(index)
            if self._others(guest):
                self.notice(f"{self.seat_name(seat)} has undone their last move.")
        self.go_on()
        return False

    async def _undo_to(self, index: int) -> None:
        ply = self.match.ply - (self.match.length - index)
        async with self._first(undoing=True):
            await self.storage.take_back(self.row.id, ply, self.row.revision + 1, self.match.ply)
        self.row.revision += 1
        self.changed()
        self._taken_back(index)

    def _undo_viewers(self) -> list[Eyes]:
        """Whose knowledge counts for an undo: people's, and spectators' if there are any."""
        people: list[Eyes] = [n for n, seat in enumerate(self.row.seats) if seat.kind == "person"]
        return [*people, *([None] if any(not self.seats_of(guest) for guest in self.here()) else [])]

    async def _why_no_undo(self, index: int) -> str | None:
        """Why decision `index` can't be undone, as a sentence that tells its player nothing new; None if it can."""
        if not self.match.undisclosed(index) and undo.secret(self.match, index):
            return undo.SECRET
        return await asyncio.get_running_loop().run_in_executor(WEIGHING, _revealed, self.match, index, self._undo_viewers())

    def _undo_name(self, index: int) -> tuple[Any, ...]:
        """Decision `index` as its player knows it: it doesn't change with moves that they don't notice."""
        seat = self.match.mover(index)
        return self.at_for(seat), seat, *self._undo_viewers()

    def _offers_undo(self, guest: str) -> bool:
        """Whether undo is known to be possible, or a request for it. Until that is known, it isn't offered."""
        if self.fair.undo == "off" or self.match.over or not self.started or self._wish() is not None:
            return False
        index = self._undo_index(guest)
        if index is None or not self.offers.get(self._undo_name(index)):
            return False
        free = self.fair.undo == "free" or self.match.undisclosed(index) or not self._others(guest)
        return free or self._may_ask("undo", guest)

    async def weigh_undo(self, guest: str) -> bool:
        """Find out whether the guest's last decision can be undone; returns whether that wasn't known."""
        index = None if self.fair.undo == "off" or self.match.over or not self.started else self._undo_index(guest)
        if index is not None and (name := self._undo_name(index)) not in self.offers:
            self.offers = dict([*self.offers.items()][-16:])
            self.offers[name] = await self._why_no_undo(index) is None
            return True
        return False

    def _weigh_later(self) -> None:
        """Find out soon what can be undone, unless a bot is about to move or nothing has been moved yet."""
        if self.weighing is not None:
            self.weighing.cancel()
            self.weighing = None
        if self.clients and self.moves and not self.match.over and not any(self._bot_sits(seat) for seat in self.match.deciders):
            self.weighing = asyncio.get_running_loop().call_later(UNDO_SECONDS, self.spawn, self._weigh_all)

    async def _weigh_all(self) -> None:
        self.weighing = None
        news = {guest for guest in sorted({client.guest for client in self.clients}) if await self.weigh_undo(guest)}
        known = Known(self.common_info()) if news else None
        for client in self.clients:  # nobody else: they may not have noticed the last move
            if client.guest in news:
                self.tell_seats(client, known)

    async def _make_sure(self) -> None:
        """Before storing anything: if the answer to an undo was lost but the undo was stored, apply it."""
        if self.in_doubt:
            await self._catch_up()
            self.in_doubt = False

    def _taken_back(self, index: int) -> None:
        """Drop the moves from number `index` on, and show everyone the result."""
        thought = self._thought_about(index) if index < self.match.length else 0.0
        self.match, self.moves = self.match.at(index), self.moves[:index]
        self.kept = (None, None)
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
        seat, thought = self.match.mover(index), self._thought_about(index)
        async with self._first(undoing=True):
            await self.storage.take_out(self.row.id, self.moves[index].ply, self.moves[index + 1 :], seat, self.row.edition)
        known, out = self.row, self.row.taken_out or {}
        self.row = replace(known, taken_out={**out, str(seat): out.get(str(seat), 0) + 1})
        self.changed()
        moves = [replace(row, ply=row.ply - 1) for row in self.moves[index + 1 :]]
        self._played_again([*self.moves[:index], *moves], known)
        self.began[seat] = time.time() - thought
        self.go_on()

    # ---- what players ask of each other, and endings other than by the rules ---------------------------------------------

    def notice(self, text: str, asks: bool = False) -> None:
        """Tell everybody at the table what somebody has asked (`asks`: the table's `request` says it, too), answered or done."""
        message = {"t": "notice", "text": text, "asks": asks}
        self.bus.tell(self.row.id, notice=message)
        self.tell_all(message)

    def _others(self, guest: str, absent: bool = False) -> set[str]:
        """The other people who are still in the game; with `absent`, also those for whom a bot plays at the moment."""
        seats = [seat for seat in self.row.seats if seat.kind == "person" and not seat.out and (absent or not seat.stand_in)]
        return {seat.guest for seat in seats if seat.guest and seat.guest != guest}

    def _wish(self) -> Wish | None:
        """The open request, if it is still about the position that everybody sees."""
        wish = self.wishes.open
        if wish is not None and (self.match.over or wish.at != self.at_for(None)):
            wish = self.wishes.open = None
        return wish

    def _may_ask(self, kind: str, guest: str) -> bool:
        asked = self.wishes.asked.get((kind, guest))
        return self._wish() is None and (asked is None or asked != self.at_for(None))

    async def _keep_wishes(self) -> None:
        """Store what players ask of each other. Raises Stale if somebody was faster on another server."""
        wishes = self.wishes.text()
        try:
            async with self._first():
                await self.storage.set_wishes(self.row.id, wishes, self.row.wishes)
        except Away:
            self.wishes = Wishes.read(self.row.wishes)
            raise
        self.row.wishes = wishes
        self.changed()

    async def _ask(self, kind: str, guest: str, seat: int, others: set[str]) -> None:
        if (wish := self._wish()) and wish.guest != guest:
            raise Refused("asked", "Somebody else has asked for something. Wait until that is settled.")
        if not self._may_ask(kind, guest):
            raise Refused("asked", "You've already asked. You can ask again after the next move.")
        wish = self.wishes.ask(kind, guest, seat, others, self.at_for(None))
        await self._keep_wishes()
        self.notice(wish.data(guest, self.seat_name(seat))["text"], asks=True)
        self._tell_presence()

    async def withdraw(self, guest: str) -> None:
        """Withdraw one's own request."""
        async with self.lock:
            wish = self._wish()
            if wish is None or wish.guest != guest:
                raise Refused("no-request", "You have no open request.")
            self.wishes.open = None
            await self._keep_wishes()
            self.notice(f"{self.seat_name(wish.seat)} has withdrawn the request.")
            self._tell_presence()

    async def answer(self, guest: str, number: int, yes: bool) -> None:
        """Agree to a request, or decline it for everybody. What was asked for happens once everybody has agreed."""
        async with self.lock:
            await self._make_sure()
            wish = self._wish()
            if wish is None or wish.number != number:
                raise Refused("no-request", "This request is no longer open.")
            if guest not in wish.waiting:
                raise Refused("not-asked", "You haven't been asked, or you've already agreed.", 403)
            if not yes:
                self.wishes.open = None
                await self._keep_wishes()
                self.notice(f"{self.seat_name(self.seats_of(guest)[0])} declined.")
            elif wish.waiting > {guest}:
                wish.waiting.remove(guest)
                await self._keep_wishes()
            else:
                await self._grant(wish)
            self._tell_presence()
        self.go_on()

    async def _grant(self, wish: Wish) -> None:
        """Everybody has agreed."""
        if wish.kind == "undo":
            index = self._undo_index(wish.guest)
            if index is None or self.match.undisclosed(index) or await self._why_no_undo(index):
                self.wishes.open = None
                await self._keep_wishes()
                raise Refused("no-request", "This move can no longer be undone.")
            await self._undo_to(index)  # the request ends with its position
        else:
            await self._end(AGREED if wish.kind == "draw" else RESIGNED, wish.seat)
        self.wishes.open = None
        self.notice(AGREED_TO[wish.kind].format(self.seat_name(wish.seat)))

    def _may(self, guest: str) -> dict[str, str]:
        """Which endings a guest can choose or ask for now, and what would follow, judged by what everybody knows."""
        seats = [seat for seat in self.seats_of(guest) if not self.row.seats[seat].out]
        may = {}
        if seats and self.started and not self.match.over:
            others = bool(self._others(guest))
            if not self.game.cooperative:
                ends = self._ends_without(seats[0])
                may["resign"] = (
                    "You lose, and the game ends." if ends else "You lose. A bot plays on in your seat, and you can't come back."
                )
            elif not others or self._may_ask("resign", guest):
                may["resign"] = ("Everybody else has to agree. Then the game" if others else "The game") + " ends, and you lose together."
            if self._why_no_draw() is None and self._may_ask("draw", guest):
                alone = not self._others(guest, absent=True)
                may["draw"] = "The game ends, and nobody wins." if alone else "Everybody else has to agree before the next move."
            if not self._all_have_moved():
                may["call_off"] = "The game ends, and nobody wins or loses."
        return may

    def _ends_without(self, number: int) -> bool:
        """Whether the game ends if this seat loses: it goes on with a bot only if two others are left, at least one of them a person."""
        left = [seat for n, seat in enumerate(self.row.seats) if n != number and not seat.out]
        return self.game.cooperative or len(left) < 2 or all(seat.kind == "bot" for seat in left)

    def _check_playing(self, guest: str) -> int:
        """The guest's first seat that is still in the running game."""
        if self.match.over:
            raise Refused("over", "The game is over.")
        if not self.started:
            raise Refused("not-started", "Waiting for players.")
        seats = self.seats_of(guest)
        if not seats:
            raise Refused("not-seated", "Only players at this table can do this.", 403)
        inside = [seat for seat in seats if not self.row.seats[seat].out]
        if not inside:
            self._check_in(seats[0])
        return inside[0]

    async def resign(self, guest: str, number: int) -> None:
        """Give up. In a cooperative game, the other people have to agree."""
        async with self.lock:
            await self._make_sure()
            self._own(guest, number)
            self._check_playing(guest)
            self._check_in(number)
            others = self._others(guest) if self.game.cooperative else set()
            if others:
                await self._ask("resign", guest, number, others)
            else:
                await self._lose(number, RESIGNED)
        self.go_on()

    async def _lose(self, number: int, how: str) -> None:
        """A seat has lost: the game ends, or a bot plays on for it."""
        why = "resigned" if how == RESIGNED else "ran out of time"
        if self._ends_without(number):
            await self._end(how, number)
            self.notice(f"{self.seat_name(number)} {why}.")
        else:
            end = self.match.ply if how == TIME and not self.match.together else None
            await self.set_seat(number, replace(self.row.seats[number], bot=HELPER, stand_in=True, out=how), end)
            self.notice(f"{self.seat_name(number)} {why} and has lost. A bot plays on.")

    def _why_no_draw(self) -> str | None:
        """Why nobody can offer a draw at this table, if so."""
        left = [seat for seat in self.row.seats if not seat.out]
        if self.game.cooperative:
            return "You win or lose together, so there is nothing to share."
        if any(seat.kind == "bot" for seat in left):
            return "Bots never agree to a draw. You can offer one if only people play."
        return None if len(left) > 1 else "There is nobody left to agree on a draw with."

    async def offer_draw(self, guest: str) -> None:
        """Offer a draw to everybody who is still in the game."""
        async with self.lock:
            await self._make_sure()
            seat = self._check_playing(guest)
            if why := self._why_no_draw():
                raise Refused("no-draw", why)
            others = self._others(guest, absent=True)
            if others:
                await self._ask("draw", guest, seat, others)
            else:
                await self._end(AGREED, seat)
        self.go_on()

    def _all_have_moved(self) -> bool:
        """Whether every seat has made a move that everybody noticed."""
        waiting = set(range(self.match.players))
        for index, move in enumerate(self.match.moves_seen_by(None)):
            if move is not None:
                waiting.discard(self.match.mover(index))
            if not waiting:
                return True
        return False

    async def call_off(self, guest: str) -> None:
        """Call the game off, as long as somebody hasn't moved yet."""
        async with self.lock:
            await self._make_sure()
            seat = self._check_playing(guest)
            if self._all_have_moved():
                raise Refused("too-late", "Everybody has moved, so the game can't be called off any more. You can resign, or offer a draw.")
            await self._end(CALLED_OFF, seat)
            self.notice(f"{self.seat_name(seat)} has called the game off.")
        self.go_on()

    async def _end(self, how: str, seat: int) -> None:
        """End the game other than by its rules. It is stored in place of the next move, so no other writer can make one."""
        after = self.match.copy()
        after.end(ended_by(self.game, self.row.seats, how, seat))
        async with self._first():
            await self._add(ending_row(self.match.ply, how, seat, time.time()), "over")
        self.match = after
        self.changed()
        self._has_ended()

    def _has_ended(self) -> None:
        self.row.status = "over"
        self.began = {}
        self.touched = time.monotonic()
        self.frames.turn_page(self.match, moved=False)
        self.show_all()

    async def hint(self, guest: str) -> dict[str, Any]:
        """The move the bot would make in the guest's place, knowing only what the guest's screen shows, and why."""
        if not self.fair.hinted(self.people):
            why = "" if self.fair.hints == "off" else ", because two or more people play"
            raise Refused("no-hints", f"Hints are off at this table{why}.", 403)
        seat = self.deciding(guest)
        if seat is None:
            raise Refused("not-your-turn", "You can ask for a hint when it's your turn.")
        at, view = self.at_for(seat), self.frames.seen(self.match, seat)
        weighed = await self.thinker.weigh(self.source, view, guest)
        if not weighed and quick(self.game) == "random":
            raise Refused("not-ready", "There's no hint yet: the bots are still getting ready. Try again in a moment.", 503)
        action = weighed[0][0] if weighed else (await self.thinker.choose(self.source, view, HELPER, owner=guest))[0]
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
            log.warning("why_not of %s failed: %s", self.game.name, type(problem).__name__)  # what was asked is a stranger's text
            return "You can't choose that now."

    def in_words(self, guest: str, look: Eyes) -> dict[str, Any]:
        """The position in words, for people who can't see the picture."""
        eyes, _ = self.eyes_of(guest, look)
        return {"at": self.at_for(eyes), "parts": self.frames.in_words(self.match, eyes)}

    # ---- replay ---------------------------------------------------------------------------------------------------------

    def past_frame(
        self, guest: str, index: int, eyes: str, noticed: bool = False, ply: bool = False, narrow: bool = False, words: bool = False
    ) -> dict[str, Any]:
        """The position before move `index` as one pair of eyes saw it; any eyes, or everything revealed, once the game is over.

        While the game is running, or with `noticed`, only moves that those eyes noticed count. With `ply`, the index is the ply as those
        eyes counted it. With `words`, it comes in words as well.
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
            "scene": self.frames.draw(view, seat, narrow).data(),
            "story": {"ply": view.ply, "lines": self.face.story(view)},
            "steps": self.face.steps(seen(index - 1), view, narrow) if index else [],
            "ending": self.face.ending(view) if view.over else None,
            "ended": view.ended or None,
            **({"parts": self.frames.describe(view, seat)} if words else {}),
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
                self.forecast = [*await self.thinker.curve(self.source, self.match, positions, self.row.id), list(self.match.payoff)]
        return {"at": places, "payoff": self.forecast}

    def record(self) -> dict[str, Any]:
        """The record of the finished game with its seed, for download and `rulestone verify`."""
        if not self.match.over:
            raise Refused("running", "You can download the record after the game: it contains the secret seed.", 403)
        match = self.match.copy()
        if not self.passing and self.dice.fixed:
            match.bots = [move.bot or None for move in self.moves]
        return match.record()

    def generators(self) -> dict[str, Any]:
        """The generators that the deal and each move started with, and the ply of the first position: a browser compares them with the
        seed."""
        if not self.match.over:
            raise Refused("running", "You can see the dice once the game is over.", 403)
        generators = [f"{self.match.generator_of(index):016x}" for index in range(-1, self.match.length)]
        return {"first": self.match.at(0).ply, "generators": generators}

    def close(self) -> None:
        """Stop everything that is running for this table."""
        self.talk.close()
        self.dice.close()
        for alarm in [*self.alarms.values(), *filter(None, (self.weighing, self.presence))]:
            alarm.cancel()
        for task in [*self.drivers.values(), *self.tasks]:
            task.cancel()


def _same(one: MoveRow, other: MoveRow) -> bool:
    """Whether two stored moves are the same move."""
    return (one.ply, one.action, one.player, one.made) == (other.ply, other.action, other.player, other.made)


def _revealed(match: Match, index: int, viewers: list[Eyes]) -> str | None:
    """Why the moves from decision `index` on can't be undone at a table with these viewers, if they have learnt something."""
    if match.undisclosed(index):
        return undo.revealed(match, index, [match.mover(index)])
    found = (undo.revealed(match, later, viewers, match.mover(index)) for later in range(index, match.length))
    return next((why for why in found if why), None)
