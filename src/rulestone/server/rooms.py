"""All tables of this server: created, restored from storage when someone opens them, dropped from memory when nobody is there."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rulestone import variant
from rulestone.game import Game, forget, installed, load
from rulestone.match import Match, RecordError, replay
from rulestone.series import Series, awarded, next_seats
from rulestone.server.bus import Alone, News
from rulestone.server.constants import check, refused
from rulestone.server.dice import GATHER_SECONDS, OPEN, begin, go_ahead
from rulestone.server.fair import Fair, play_stored
from rulestone.server.refusal import Away, Refused
from rulestone.server.room import SIGNED_OUT, Room
from rulestone.server.storage import Conflict, SeatRow, Sign, Storage, TableRow
from rulestone.server.stored import OtherRules, check_watching, other_rules
from rulestone.server.talk import Manners
from rulestone.server.thinking import HELPER, Thinker, levels
from rulestone.table import Face

if TYPE_CHECKING:
    from rulestone.server.push import Herald

log = logging.getLogger(__name__)
MOST = 10_000
RESTING_SECONDS = 30
"""Seconds without a move until a table forgets its pictures."""
IDLE_SECONDS, ASKED_SECONDS, PASSING_SECONDS = 40, 600, 6 * 3600
"""After how long a table that nobody uses leaves memory: usually, if somebody has asked the others for something, or if it is stored
nowhere else. `sweep` looks every LOOK seconds, so a table is gone within a minute."""
LOOKED_AT = 200
"""How many replays of games that are stored nowhere are in memory."""
SOON = 90
"""A clock that has no more seconds to run keeps its table in memory."""
KEPT, RECENT = 500, 10
"""Beyond so many tables in memory, those that nobody has used for so many seconds leave at once."""
LOOK = 15
"""Every so many seconds, tables are looked for where somebody's time is up."""
VARIANTS = 30
"""How many games with other constants are in memory; more if they are all being played."""
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
    fair: Fair = field(default_factory=Fair)
    series: Mapping[str, int] | None = None
    """What a series is played for: `target` (points) or `length` (games); None for a single game."""


class Rooms:
    """The tables, and the games that can be played at them."""

    def __init__(
        self,
        storage: Storage,
        thinker: Thinker,
        extra_games: Sequence[str | Path] = (),
        pace: float = 0.7,
        manners: Manners | None = None,
        bus: Alone | None = None,
    ) -> None:
        self.bus = bus or Alone()
        self.signs: dict[str, Sign] = {}
        """What the storage said of the tables in memory when it was last looked at: see `look_after`."""
        self.missed: set[str] = set()
        """Tables that were being restored when another server said something about them, or might have."""
        self.signed_out: Callable[[str], None] = lambda device: None
        """Called when another server has linked or signed out a device."""
        self.storage, self.thinker, self.pace = storage, thinker, pace
        self.manners = manners or Manners()
        self.rooms: dict[str, Room] = {}
        self.crowd = KEPT
        """Tables in memory before the next look for some that nobody uses."""
        self.loading: dict[str, asyncio.Lock] = {}
        self.herald: Herald | None = None
        """Sends word to people who are elsewhere, if this server has a key for push messages."""
        self.stuck: set[str] = set()
        """Tables that can't be opened here: of games or rules that aren't installed."""
        self.games: dict[str, Game] = dict(installed())
        self.sources: dict[str, str] = {name: name for name in self.games}
        for folder in extra_games:
            game = load(folder)
            self.games[game.name], self.sources[game.name] = game, str(folder)
        self.variants: OrderedDict[str, Game] = OrderedDict()
        """Games with other constants that guests play, the last used one last. No list of games shows them."""
        self.shelf = asyncio.Lock()

    def game(self, name: str) -> Game:
        found = self.games.get(name) or self.variants.get(name)
        if found is None:
            raise Refused("no-such-game", f"There is no game {name!r}. Choose one of: {', '.join(self.games)}.", 404)
        return found

    async def variant(self, name: str) -> Game:
        """A game by its name, which can have changes, such as `connect_four@ROWS=5`. Raises Refused if it can't be played."""
        plain, changes = variant.split(name)
        if name in self.games or plain not in self.games or not changes:
            return self.game(name)
        for target, value in changes.items():
            check(self.games[plain], target, variant.plain(value))
        async with self.shelf:
            if name not in self.variants:
                source = variant.join(self.sources[plain], changes)
                self.thinker.variants.add(source)
                if wrong := await self.thinker.try_out(source):
                    raise refused(wrong)
                game = await asyncio.to_thread(load, source)
                if game.base is None:  # nothing is really changed
                    return self.games[plain]
                self._make_room()
                self.variants[game.name], self.sources[game.name] = game, source
                name = game.name
            self.variants.move_to_end(name)
            return self.variants[name]

    def _make_room(self) -> None:
        """Forget variants that no table in memory plays, the longest unused ones first, if there are many."""
        played = {room.game.name for room in self.rooms.values()}
        idle = [name for name in self.variants if name not in played]
        for name in idle[: max(0, len(self.variants) + 1 - VARIANTS)]:
            self._drop_variant(name)

    def _drop_variant(self, name: str) -> None:
        self.thinker.variants.discard(self.sources.pop(name))
        forget(self.variants.pop(name))

    def offer(self, game: Game, source: str) -> None:
        """Offer a game from now on, in place of an earlier version of it."""
        self.games[game.name], self.sources[game.name] = game, source
        for name in [name for name in self.variants if variant.split(name)[0] == game.name]:
            self._drop_variant(name)

    async def known(self, name: str) -> Game | None:
        """A game that is played at a table; None if it isn't here any more."""
        try:
            return await self.variant(name)
        except Refused:
            return None

    async def get(self, id: str) -> Room:
        """A table by its id, restored by replaying its moves if it is not in memory."""
        if "\0" in id:  # databases reject this character, and no id contains it
            raise Refused("no-such-table", "There is no such table. Please check the link.", 404)
        while id not in self.rooms:
            async with self._opening(id) as first:
                if first:
                    self.keep(await self._restore(id))
        room = self.rooms[id]
        room.used = time.monotonic()
        return room

    @contextlib.asynccontextmanager
    async def _opening(self, id: str) -> AsyncIterator[bool]:
        """A table is put into memory inside, one try after the other; says whether it is still to be done."""
        lock = self.loading.setdefault(id, asyncio.Lock())
        async with lock:
            if self.loading.get(id) is not lock:  # whoever was opening it is done with it, or has failed
                yield False
                return
            try:
                yield True
            finally:
                del self.loading[id]
            if id in self.missed:
                self.missed.discard(id)
                self.rooms[id].hear_all()

    async def watched(self, id: str, guest: str) -> Room:
        """A table that a guest looks at. Raises Refused unless they may watch it, OtherRules if it can't be shown."""
        try:
            room = await self.get(id[:24])
        except OtherRules as problem:
            check_watching(problem.row, guest, problem.removed)
            raise
        room.check_watching(guest)
        return room

    def keep(self, room: Room) -> None:
        """Keep a table in memory. If there are many, those that nobody uses make room."""
        if len(self.rooms) >= self.crowd:
            before = time.monotonic() - RECENT
            idle = [one for one in self.rooms.values() if not one.passing and one.last_used() < before and not self._busy(one)]
            for other in sorted(idle, key=Room.last_used)[: max(0, len(self.rooms) - KEPT // 2)]:
                self._drop(other)
            self.crowd = max(KEPT, len(self.rooms) + KEPT // 2)
        self.rooms[room.row.id] = room

    async def _restore(self, id: str) -> Room:
        found = await self.storage.load(id)
        if found is None:
            if (kept := await self.bus.kept("record", id)) is not None:
                return await self._replay(id, **kept)
            raise Refused("no-such-table", "There is no such table. Please check the link.", 404)
        game = await self.variant(found[0].game)
        if why := other_rules(game, found[0]):
            raise OtherRules(why, game, *found)
        elsewhere = await self.bus.follow(id)
        if elsewhere:  # they may have changed it before we could hear of it
            found = await self.storage.load(id) or found
        row, moves, removed = found
        row.aid = _aid(game, row.seats, row.aid)
        match = begin(game, row)
        room = self.open(row, match, play_stored(match, moves, row.seats), elsewhere)
        room.series = await self._series_of(row, game)
        room.talk.removed = removed
        await room.dice.settle()
        return room

    async def look_back(self, record: dict[str, Any], host: str) -> str:
        """Create a table that contains only the replay of a finished game, on all servers; returns its id."""
        id = new_id()
        self.keep(await self._replay(id, record, host))
        await self.bus.keep("record", id, {"record": record, "host": host}, PASSING_SECONDS)
        return id

    async def _replay(self, id: str, record: dict[str, Any], host: str) -> Room:
        try:
            game = self.game(str(record.get("game")))
            match = await asyncio.to_thread(replay, record, game)
        except RecordError as problem:
            raise Refused("bad-record", str(problem), 422) from None
        if not match.over:
            raise Refused("running", "You can only replay finished games.", 422)
        seats = [SeatRow("bot", None, "", "random") for _ in range(match.players)]
        row = TableRow(
            id=id, game=game.name, rules=game.version, players=match.players, options=match.options, name="",
            seed=match.parts.secret if match.parts else str(match.seed), host=host, laid=record.get("laid"), status="over", seats=seats,
        )  # fmt: skip
        room = self.open(row, match, [])
        room.passing = True
        for other in [other for other in self.rooms.values() if other.passing][: 1 - LOOKED_AT]:
            self._drop(other)
        return room

    def hear(self, table: str, server: str, news: News) -> None:
        """Another server says something about a table, or ("") to all."""
        if table in self.loading:
            self.missed.add(table)
        room = self.rooms.get(table)
        if room is not None and not room.passing:
            if "here" in news:
                room.hear_presence(server, news["here"])
            if "changed" in news:
                room.hear_change()
            if "notice" in news:
                room.tell_all(news["notice"])
            if "said" in news:
                room.hear_change()
        if table:
            return
        if "missed" in news or "gone" in news:
            self.missed |= self.loading.keys()
        if "missed" in news:
            for room in self.rooms.values():
                room.hear_all()
        if "gone" in news:
            self.storage.doubt()  # its last words may not have reached us
            for room in [room for room in self.rooms.values() if server in room.elsewhere]:
                room.hear_presence(server, None)
        if "signed_out" in news:
            self.signed_out(news["signed_out"])
            self._shut_device(news["signed_out"])
        if "forgotten" in news:
            for room in self.rooms.values():
                room.shut_guest(news["forgotten"])

    async def _series_of(self, row: TableRow, game: Game) -> Series | None:
        """The series of a table, with the games before this one."""
        if row.series is None:
            return None
        series = _series(game, row)
        for other in await self.storage.series_tables(row.series):
            if (other.number or 0) < (row.number or 0):
                series.credit(await self.points_of(other) or [0] * row.players)
        return series

    async def points_of(self, row: TableRow) -> Sequence[int] | None:
        """The points of a game, seat by seat; None if it isn't over, or if nobody can count them any more."""
        if row.points is not None or row.status != "over":
            return row.points
        try:
            return awarded((await self.get(row.id)).match)
        except OtherRules:
            return None

    async def games_of(self, series: str, guest: str) -> tuple[Room, list[TableRow]]:
        """The games of a series, and the last one's room. Raises Refused unless the guest may watch them."""
        rows = [] if "\0" in series else await self.storage.series_tables(series[:24])
        if not rows:
            raise Refused("no-such-series", "There is no such series. Please check the link.", 404)
        return await self.watched(rows[-1].id, guest), rows

    def open(self, row: TableRow, match: Match, moves: list[Any], elsewhere: dict[str, list[str]] | None = None) -> Room:
        source = self.sources[row.game]
        self.thinker.warm_up(source, match.game)
        room = Room(row, match, moves, source, self.storage, self.thinker, self.pace, self.manners, self.bus)
        room.join_others(elsewhere or {})
        if self.herald is not None:
            room.calls = self.herald.turn
        return room

    async def create(
        self,
        game_name: str,
        host: str,
        seats: Sequence[Mapping[str, Any]],
        options: Mapping[str, Any],
        terms: Terms,
        laid: bytes | None = None,
        after: Room | None = None,
        pledge: str = "",
    ) -> Room:
        """Create a table. `seats` lists the kind (me, open, bot), name and bot of each seat; `laid` is a custom starting position.

        `after` is the table of the game before, if it is a rematch or the next game of a series. `pledge` is the host's part in the dice.
        """
        game = await self.variant(game_name)
        for text in (terms.name, *(str(seat.get("name", "") or "") for seat in seats)):
            self.manners.check(text)
        chairs = [_chair(game, seat, host, pledge) for seat in seats]
        try:
            record, players = game.prepared(len(chairs), options)
        except ValueError as problem:
            raise Refused("bad-options", str(problem), 422) from None
        row = TableRow(
            id=new_id(),
            game=game.name,
            rules=game.version,
            plays=game.plays,
            players=players,
            options=game.option_values(record),
            seed=secrets.token_hex(32),
            name=terms.name,
            host=host,
            laid=None if laid is None else laid.hex(),
            listed=terms.listed,
            spectators=terms.spectators,
            clock=dict(terms.clock or {}),
            aid=_aid(game, chairs, terms.aid),
            fair=asdict(terms.fair),
            seats=chairs,
            stage=OPEN,
        )
        if after is not None and any(seat.kind == "person" and not seat.pledge and after.online(seat.guest) for seat in chairs):
            row.dice = {"until": time.time() + GATHER_SECONDS}  # their browsers hear of this table at the old one
        go_ahead(row, time.time())
        gone = after.talk.removed if after is not None else set[str]()
        if terms.series:
            standing = after.standing() if after is not None else None
            row.terms = dict(terms.series)
            row.series, row.number = (standing["id"], standing["game"]) if standing and not standing["over"] else (new_id(), 0)
        series = _series(game, row) if row.series else None
        if series is not None and after is not None and after.series is not None and row.number:
            series.awards = [*after.series.awards]
        match = begin(game, row)
        room = self.open(row, match, [])
        room.series, room.talk.removed = series, {*gone}
        for number, chair in enumerate(chairs):
            chair.name = room.talk.name_for(chair.guest or "", number, chair.name)
        again = after is not None and after.match.over
        before, points = (after.row.id, awarded(after.match)) if after is not None and again else (None, ())
        async with self._opening(row.id):
            await self.storage.add_table(row, gone, before, points)
            await self.bus.follow(row.id)
            self.keep(room)
        room.go_on()
        return room

    async def rematch(self, room: Room, guest: str, pledge: str = "") -> str:
        """The same players at a new table: the next game of a series, or a new game (or series), with the seats changed as the game says.

        The first request creates it; later ones return the same table.
        """
        if not room.seats_of(guest) and guest != room.row.host:
            raise Refused("not-seated", "Only players of this game can ask for a rematch.", 403)
        if not room.match.over:
            raise Refused("running", "You can ask for a rematch once the game is over.")
        async with room.lock:
            if room.row.rematch is None:
                old = room.row
                turned = [old.seats[before] for before in next_seats(room.game, old.players)]
                seats = [{"kind": seat.kind, "guest": seat.guest, "name": seat.name, "bot": seat.bot} for seat in turned]
                for seat in seats:
                    seat["pledge"] = pledge if seat["guest"] == guest else ""
                terms = Terms(old.name, spectators=old.spectators, clock=old.clock, aid=old.aid, fair=room.fair, series=old.terms)
                try:
                    made = (await self.create(old.game, old.host, seats, old.options, terms, after=room)).row.id
                    old.rematch, old.points = made, [*awarded(room.match)]
                except Conflict:  # another server on the same storage was faster
                    stored = await self.storage.table(old.id)
                    assert stored is not None
                    old.rematch, old.points = stored.rematch, stored.points
        room.changed()
        room.tell_table()
        assert room.row.rematch is not None
        if pledge:
            with contextlib.suppress(Refused):  # too late for it; the table is there all the same
                await (await self.get(room.row.rematch)).dice.pledge(guest, pledge)
        return room.row.rematch

    async def fork(self, room: Room, guest: str, index: int, name: str, pledge: str = "") -> Room:
        """Continue from a position of a finished game: the guest plays the seat to move, bots play the others, with new randomness."""
        if not room.match.over:
            raise Refused("running", "You can continue from here once the game is over.", 403)
        if not 0 <= index < room.match.length:
            raise Refused("no-such-move", f"You can't continue from move {index}: the game has {room.match.length} moves.", 404)
        past, mover = room.match.at(index), room.match.mover(index)
        seats = [{"kind": "me", "name": name} if n == mover else {"kind": "bot", "bot": HELPER} for n in range(past.players)]
        title = f"{room.row.name or room.game.title}, from move {past.ply}"[:60]
        return await self.create(room.row.game, guest, seats, room.row.options, Terms(title), past.raw, pledge=pledge)

    async def wake(self) -> None:
        """Open tables where time is up or a bot is to move, though nobody looks: after a restart, or days into a slow game."""
        for id in await self.storage.due_tables(time.time() + LOOK):
            if id in self.stuck:
                continue
            try:
                if id in self.rooms:
                    self.rooms[id].look_after()
                elif await self.bus.lead(id):
                    try:
                        (await self.get(id)).go_on()
                    finally:
                        if id not in self.rooms:  # another server may have more luck with it
                            self.bus.unfollow(id)
            except Away:
                raise
            except Exception as problem:
                log.warning("table %s… can't be opened: %s", id[:4], problem)
                self.stuck.add(id)

    @property
    def unsure(self) -> bool:
        """Whether something may be stored that this server hasn't heard of: by other servers, or because an answer was lost."""
        return bool(self.bus.others) or not self.bus.up or time.monotonic() < self.storage.unsure_until

    async def look_after(self) -> None:
        """Look whether tables in memory have changed without word of it: also those without sockets here, for whose bots it may play."""
        seen = [id for id, room in self.rooms.items() if not room.passing] if self.unsure else []
        now = await self.storage.signs(seen) if seen else {}
        changed = [id for id, sign in now.items() if self._has_news(id, sign)]
        for row in await self.storage.tables_with(changed) if changed else ():
            room, before = self.rooms.get(row.id), self.signs.get(row.id)
            if room is not None and not room.knows(row, now[row.id], before.said if before else None):
                room.hear_change()
        self.signs = now

    def _has_news(self, id: str, sign: Sign) -> bool:
        """Whether more may have happened at a table since the last look than this server's own moves."""
        before, room = self.signs.get(id), self.rooms.get(id)
        return before is None or sign.besides_moves != before.besides_moves or (room is not None and room.missed(sign))

    async def turns(self, row: TableRow) -> dict[str, list[float | None]]:
        """Whom a table waits for: by seat, since when and until when."""
        game = await self.known(row.game)
        if game is None or other_rules(game, row):
            return {}
        if row.id not in self.rooms and row.waits is None and row.status == "running" and row.id not in self.stuck:
            try:
                (await self.get(row.id)).go_on()
            except Refused:
                self.stuck.add(row.id)
        return self.rooms[row.id].turns()[0] if row.id in self.rooms else row.waits or {}

    async def forget(self, guest: str) -> None:
        """Give up a person's seats, and remove everything that says who they are. Bots finish their games."""
        await self.storage.unname(guest)
        for row in await self.storage.tables_of(guest, MOST):
            if row.id not in self.rooms and (row.status != "running" or row.id in self.stuck):
                continue
            with contextlib.suppress(Refused):
                await (await self.get(row.id)).forget(guest)
        await self.storage.forget(guest)
        self.bus.tell("", forgotten=guest)

    def sign_out(self, device: str) -> None:
        """Close all sockets of a device, at all servers."""
        self._shut_device(device)
        self.bus.tell("", signed_out=device)

    def _shut_device(self, device: str) -> None:
        for room in self.rooms.values():
            for client in room.clients:
                if client.device == device:
                    client.shut(*SIGNED_OUT)

    def _busy(self, room: Room) -> bool:
        """Whether a table has to stay in memory. A clock that has long to run doesn't keep it: see `wake`."""
        soon = any(alarm.when() < time.monotonic() + SOON for alarm in room.alarms.values())
        return bool(room.clients or room.lock.locked() or room.drivers or room.tasks or soon)

    def _drop(self, room: Room) -> None:
        room.close()
        del self.rooms[room.row.id]
        self.bus.unfollow(room.row.id)

    def sweep(self, now: float | None = None) -> None:
        """Drop tables that nobody uses from memory; they stay in storage."""
        now = time.monotonic() if now is None else now
        for room in list(self.rooms.values()):
            patience = PASSING_SECONDS if room.passing else ASKED_SECONDS if room.wishes.open else IDLE_SECONDS
            if now - room.last_used() > patience and not self._busy(room):
                self._drop(room)
            elif now - room.touched > RESTING_SECONDS:
                room.frames.rest()
        self.crowd = max(KEPT, len(self.rooms) + KEPT // 2)

    def quiet_for(self) -> float:
        """Seconds since anything happened at any table."""
        return time.monotonic() - max((room.touched for room in self.rooms.values()), default=0.0)

    def close(self) -> None:
        for room in self.rooms.values():
            room.close()


def _series(game: Game, row: TableRow) -> Series:
    """The series of a table, before its first game."""
    try:
        return Series(game, **(row.terms or {}), rotate=True, players=row.players, options=row.options)
    except ValueError as problem:
        raise Refused("bad-series", str(problem), 422) from None


def _aid(game: Game, seats: Sequence[SeatRow], wish: str | None) -> str | None:
    """The memory aid of a table: the one asked for, or the default; None if the game has none."""
    aids = Face.of(game).aids
    if aids is None:
        return None
    if wish is not None and wish not in aids.levels:
        raise Refused("no-such-aid", f"{game.title} has no memory aid {wish!r}. Choose one of: {', '.join(aids.levels)}.", 422)
    return wish or aids.usual(sum(seat.kind != "bot" for seat in seats))


def _chair(game: Game, seat: Mapping[str, Any], host: str, pledge: str = "") -> SeatRow:
    kind, bot = seat.get("kind", "open"), seat.get("bot", "") or ""
    if kind == "me":
        return SeatRow("person", host, seat.get("name", "") or "", pledge=pledge)
    if kind == "person":
        return SeatRow("person", seat["guest"], seat.get("name", ""), pledge=seat.get("pledge", ""))
    if kind == "bot":
        if bot not in levels(game):
            raise Refused("no-such-bot", f"{game.title} has no bot {bot!r}. Choose one of: {', '.join(levels(game))}.", 422)
        return SeatRow("bot", None, "", bot)
    return SeatRow()
