"""The database: tables, seats, moves, chat, series, reviews, studies, people and their devices.

A move is acknowledged only after it is committed. `(table, ply)` is the key of a move, so two writers can never both accept ply 17. Moves
of different tables that arrive together are committed together with a single disk flush, which allows hundreds of moves per second with
full durability.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlalchemy import (
    JSON,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    bindparam,
    create_engine,
    delete,
    event,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.engine import URL, Connection
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import QueuePool

from rulestone.server import metrics, schema
from rulestone.server.refusal import Away

log = logging.getLogger(__name__)
COMPANY = 0.004
"""Seconds for which a move waits for others to be committed with it, if one was committed just before."""
SOON = 1.0
"""Seconds until it is stored whom a table waits for, if no move is stored before."""
YEAR = 365 * 24 * 3600
PATIENCE = 5.0
"""Seconds to wait for a database: for other writers of an SQLite file, or for an answer from a server."""
DOUBT = 30.0
"""Seconds in which something can still be stored, or have been stored, that the storage didn't answer to."""
NOBODY = "Someone"
"""The name in the chat of a person who asked to be forgotten."""
LONGEST_SERIES = 1000
"""How many games of a series are listed."""
metadata = MetaData()

settings = Table("settings", metadata, Column("name", String(40), primary_key=True), Column("value", Text, nullable=False))

tables = Table(
    "tables",
    metadata,
    Column("id", String(24), primary_key=True),
    Column("game", Text, nullable=False),
    Column("rules", Integer, nullable=False),
    Column("players", Integer, nullable=False),
    Column("options", JSON, nullable=False),
    Column("seed", Text, nullable=False),
    Column("laid", Text),
    Column("name", Text, nullable=False),
    Column("host", String(64), nullable=False, index=True),
    Column("listed", Integer, nullable=False),
    Column("spectators", Integer, nullable=False),
    Column("clock", JSON, nullable=False),
    Column("status", String(10), nullable=False, index=True),
    Column("revision", Integer, nullable=False),
    Column("created", Float, nullable=False),
    Column("updated", Float, nullable=False, index=True),
    Column("rematch", String(24)),
    Column("aid", String(4)),
    Column("waits", JSON),
    Column("due", Float, index=True),
    Column("fair", JSON),
    Column("series", String(24)),
    Column("number", Integer),
    Column("terms", JSON),
    Column("points", JSON),
    Column("hushed", Integer, nullable=False, server_default="0"),
    Column("taken_out", JSON),
    Column("wishes", Text),
    Column("stage", Integer),
    Column("dice", JSON),
    Column("plays", String(16)),
    Column("edits", Integer, nullable=False, server_default="0"),
    Index("one_game_of_a_series", "series", "number", unique=True),
)

seats = Table(
    "seats",
    metadata,
    Column("table_id", String(24), ForeignKey("tables.id"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("kind", String(10), nullable=False),
    Column("guest", String(64), index=True),
    Column("name", Text, nullable=False),
    Column("bot", Text, nullable=False),
    Column("stand_in", Integer, nullable=False),
    Column("out", String(10), nullable=False, server_default=""),
    Column("pledge", String(64), nullable=False, server_default=""),
    Column("value", String(64), nullable=False, server_default=""),
)

moves = Table(
    "moves",
    metadata,
    Column("table_id", String(24), ForeignKey("tables.id"), primary_key=True),
    Column("ply", Integer, primary_key=True),
    Column("action", Integer, nullable=False),
    Column("spent", Integer, nullable=False),
    Column("made", Float, nullable=False),
    Column("key", String(40), nullable=False),
    Column("guest", String(64), nullable=False),
    Column("at", String(24), nullable=False),
    Column("player", Integer),
    Column("bot", String(40), nullable=False, server_default=""),
)

chat = Table(
    "chat",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("table_id", String(24), ForeignKey("tables.id"), nullable=False, index=True),
    Column("name", Text, nullable=False),
    Column("seat", Integer),
    Column("text", Text, nullable=False),
    Column("made", Float, nullable=False),
    Column("guest", String(64), nullable=False, server_default=""),
    Column("apart", Integer, nullable=False, server_default="0"),
    Column("key", String(40)),
    Index("said_once", "table_id", "guest", "key", unique=True),
)

removed = Table(
    "removed",
    metadata,
    Column("table_id", String(24), ForeignKey("tables.id"), primary_key=True),
    Column("guest", String(64), primary_key=True),
)


reviews = Table(
    "reviews",
    metadata,
    Column("table_id", String(24), ForeignKey("tables.id"), primary_key=True),
    Column("made", Float, nullable=False),
    Column("review", JSON, nullable=False),
)


studies = Table(
    "studies",
    metadata,
    Column("id", String(24), primary_key=True),
    Column("guest", String(64), nullable=False, index=True),
    Column("game", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("made", Float, nullable=False, index=True),
    Column("updated", Float, nullable=False),
    Column("state", String(10), nullable=False),
    Column("stopped", Integer, nullable=False),
    Column("asked", JSON, nullable=False),
    Column("told", JSON, nullable=False),
    Column("report", Text),
)


people = Table("people", metadata, Column("guest", String(64), primary_key=True), Column("name", Text, nullable=False))

devices = Table(
    "devices",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("guest", String(64), nullable=False, index=True),
    Column("name", Text, nullable=False),
    Column("since", Float, nullable=False),
)

links = Table(
    "links",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("guest", String(64), nullable=False, index=True),
    Column("until", Float, nullable=False),
)

pushes = Table(
    "pushes",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("guest", String(64), nullable=False, index=True),
    Column("device", String(64), nullable=False),
    Column("subscription", JSON, nullable=False),
    Column("since", Float, nullable=False),
)


Edition = tuple[int, int]
"""Which version of its history a table is at: how often moves were undone, and how often decisions that only their player knew."""


class Conflict(Exception):
    """Another writer was faster: the ply already has a move, moves were undone, or the seat has changed."""


@dataclass
class SeatRow:
    """One seat: a person (by the hash of their token), a bot, or nobody yet."""

    kind: str = "open"
    guest: str | None = None
    name: str = ""
    bot: str = ""
    stand_in: bool = False
    out: str = ""
    """How this seat lost before the end of the game: "resigned" or "time". A bot plays on for it."""
    pledge: str = ""
    value: str = ""
    """This person's part in the dice, until the game is dealt (see `dice.py`)."""


@dataclass
class MoveRow:
    """One stored move. A negative `action` is not a move: it is how the game ended (see `fair.py`).

    `spent` is the thinking time in milliseconds; `key` is the id that its sender, `guest`, gave it at position `at`; `player` is who moved
    if several players could (None: the player to move); `bot` is the bot that chose it.
    """

    ply: int
    action: int
    spent: int = 0
    made: float = 0.0
    key: str = ""
    guest: str = ""
    at: str = ""
    player: int | None = None
    bot: str = ""


@dataclass
class Line:
    """One line of chat: who said it, by the name they had at the table, and whether it was only for spectators (`apart`)."""

    name: str
    seat: int | None
    text: str
    made: float = field(default_factory=time.time)
    guest: str = ""
    apart: bool = False
    key: str | None = None
    """The id that its sender gave it, so that a line that is sent twice is stored once."""
    number: int = 0
    """Lines are numbered as they are stored."""


@dataclass
class TableRow:
    """One table: everything except its moves."""

    id: str
    game: str
    rules: int
    players: int
    options: dict[str, Any]
    seed: str
    name: str
    host: str
    laid: str | None = None
    listed: bool = False
    spectators: bool = True
    clock: dict[str, Any] = field(default_factory=dict)
    status: str = "running"
    revision: int = 0
    created: float = field(default_factory=time.time)
    updated: float = field(default_factory=time.time)
    rematch: str | None = None
    aid: str | None = None
    """The memory aid, if the game is played from memory: one of the game's `aids`."""
    waits: dict[str, list[float | None]] | None = None
    """The people the table waits for, by seat: since when, and until when if there is a clock. None: not known yet."""
    due: float | None = None
    """When somebody's time is up (0: a bot is to move), so that the table is found even if nobody opens it."""
    fair: dict[str, str] | None = None
    """What is fair at this table, as in `Fair`; None at tables that are older than this choice."""
    series: str | None = None
    number: int | None = None
    """Which game of its series this is, counted from 0."""
    terms: dict[str, int] | None = None
    """What the series is played for: `target` (points) or `length` (games)."""
    points: list[int] | None = None
    """The points of the finished game, seat by seat, once they have been counted."""
    hushed: bool = False
    """Whether the host has closed the chat."""
    taken_out: dict[str, int] | None = None
    """How often each seat has undone a decision that only its player knew about."""
    wishes: str | None = None
    """What players ask of each other, as in `Wishes`."""
    stage: int | None = None
    dice: dict[str, Any] | None = None
    """How far the seed has come, and the pledges and values it is made of (see `dice.py`). None at older tables: `seed` is the seed."""
    plays: str | None = None
    """A hash of the rules, content and options it is played by (`Game.plays`); None at older tables, which only know the version."""
    edits: int = 0
    """How often anything else than its moves has been changed."""
    seats: list[SeatRow] = field(default_factory=list)

    @property
    def edition(self) -> Edition:
        return self.revision, sum((self.taken_out or {}).values())


@dataclass(frozen=True)
class DeviceRow:
    """A browser or program, by the hash of its token, and the person it plays as."""

    id: str
    guest: str
    name: str
    since: float


@dataclass(frozen=True)
class PushRow:
    """Where a device's push service takes messages for it."""

    id: str
    guest: str
    device: str
    subscription: dict[str, Any]
    since: float


@dataclass
class StudyRow:
    """A study of the lab: what was asked, and what is known so far. Its report is read apart: it is large."""

    id: str
    guest: str
    game: str
    name: str
    asked: dict[str, Any]
    told: dict[str, Any]
    state: str = "waiting"
    stopped: bool = False
    made: float = field(default_factory=time.time)
    updated: float = field(default_factory=time.time)


class Turns(NamedTuple):
    """Whom a table waits for (see `TableRow`), and the edition of its history and the ply: after the next move, it is no news any more."""

    waits: dict[str, list[float | None]]
    due: float | None
    edition: Edition
    ply: int


class Sign(NamedTuple):
    """What changes whenever a table does: how many moves it has, the number of the last line that was said there, and so on."""

    edits: int
    revision: int
    taken_out: str
    moves: int
    said: int | None
    removed: int

    @property
    def besides_moves(self) -> tuple[Any, ...]:
        return self.edits, self.revision, self.taken_out, self.said, self.removed


@dataclass
class _Waiting:
    """A move to store; without one, only the turns of tables."""

    table: str
    move: MoveRow | None
    status: str
    done: asyncio.Future[None]
    edition: Edition | None = None
    lost: Sequence[str] | None = None
    turns: dict[str, Turns] = field(default_factory=dict)


class _Own:
    """A connection to SQLite that only stores moves, in its own thread: one round trip per commit instead of a dozen."""

    def __init__(self, url: URL) -> None:
        self.thread = ThreadPoolExecutor(1, "moves")
        self.engine = create_engine(url.set(drivername="sqlite"), hide_parameters=True)
        event.listen(self.engine, "connect", _prepare_sqlite)
        event.listen(self.engine, "begin", _begin_to_write)
        self.connection: Connection | None = None

    async def commit(self, batch: Sequence[_Waiting]) -> None:
        await asyncio.get_running_loop().run_in_executor(self.thread, self._commit, batch)

    def _commit(self, batch: Sequence[_Waiting]) -> None:
        if self.connection is None:
            self.connection = self.engine.connect()
        try:
            with self.connection.begin():
                _store(self.connection, batch)
        except (IntegrityError, Conflict):
            raise
        except Exception:  # start over next time: a file opened while read-only stays read-only
            connection, self.connection = self.connection, None
            connection.invalidate()
            connection.close()
            raise

    def close(self) -> None:
        self.thread.shutdown()
        if self.connection is not None:
            self.connection.close()
        self.engine.dispose()


class Storage:
    """The database behind the tables."""

    def __init__(self, url: str) -> None:
        self.url = schema.address(url)
        file = schema.file_of(self.url)
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
        kind = self.url.drivername
        given = {"timeout": PATIENCE, "command_timeout": PATIENCE} if kind == "postgresql+asyncpg" else {}
        self.engine: AsyncEngine = create_async_engine(
            self.url, connect_args=given, pool_pre_ping=not kind.startswith("sqlite"), hide_parameters=True
        )
        self.writing = self.engine.execution_options(writing=True)
        self.snapshots = self.engine if kind.startswith("sqlite") else self.engine.execution_options(isolation_level="REPEATABLE READ")
        self.own: _Own | None = None
        if self.url.drivername.startswith("sqlite"):
            event.listen(self.engine.sync_engine, "connect", _prepare_sqlite)
            event.listen(self.engine.sync_engine, "begin", _begin)
            self.own = _Own(self.url) if file is not None else None
        self.queue: asyncio.Queue[_Waiting] = asyncio.Queue()
        self.writer: asyncio.Task[None] | None = None
        self.turns: dict[str, Turns] = {}
        """Whom tables wait for now, to be stored soon."""
        self.unsure_until = 0.0
        """Until then, tables may have changed without word of it: the answer to what was asked of the storage was lost."""

    async def open(self) -> None:
        """Bring the schema up to date and start the writer."""
        engine = self.writing if self.url.drivername.startswith("sqlite") else schema.patient(self.url)
        async with engine.begin() as connection:
            await connection.run_sync(_migrate)
        self.writer = asyncio.create_task(self._write())

    async def close(self) -> None:
        """Commit what is queued, then close."""
        if self.writer is not None:
            self._flush_turns()
            await self.queue.join()
            self.writer.cancel()
            await asyncio.gather(self.writer, return_exceptions=True)
        if self.own is not None:
            self.own.close()
        await self._all_back()
        await self.engine.dispose()

    async def _all_back(self) -> None:
        """Wait until no connection is in use: what was broken off a moment ago hands its own back while the loop still runs."""
        pool, deadline = self.engine.pool, time.monotonic() + PATIENCE
        while isinstance(pool, QueuePool) and pool.checkedout() and time.monotonic() < deadline:
            await asyncio.sleep(COMPANY)
        await asyncio.sleep(0)

    def doubt(self) -> None:
        """Something may have been stored though nobody here has heard of it: look at tables for a while."""
        self.unsure_until = time.monotonic() + DOUBT

    @contextlib.contextmanager
    def _trying(self) -> Iterator[None]:
        try:
            with _trouble():
                yield
        except Away:
            self.doubt()
            raise

    @contextlib.asynccontextmanager
    async def _reading(self) -> AsyncIterator[AsyncConnection]:
        with self._trying(), metrics.timing(metrics.READ):
            async with self.engine.connect() as connection:
                yield connection

    @contextlib.asynccontextmanager
    async def _writing(self) -> AsyncIterator[AsyncConnection]:
        try:
            with self._trying(), metrics.timing(metrics.WRITE):
                async with self.writing.begin() as connection:
                    yield connection
        except Away:
            if self.own is not None:  # start over next time, see `_Own`
                await self.engine.dispose()
            raise

    # ---- moves ----------------------------------------------------------------------------------------------------------

    async def add_move(
        self, table: str, move: MoveRow, status: str, edition: Edition | None = None, lost: Sequence[str] | None = None
    ) -> None:
        """Store a move and its table's new status (if any). Returns once it is committed.

        Raises Conflict if the ply is taken, if the table's history is no longer the given edition, or if seats have lost (`SeatRow.out`)
        otherwise than in `lost`: a move that ends the game says how it knows them, as the result depends on it.
        """
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        await self.queue.put(_Waiting(table, move, status, done, edition, lost))
        await done

    async def _write(self) -> None:
        """Commit queued moves, all in one transaction."""
        committed = 0.0
        while True:
            batch = [await self.queue.get()]
            if time.monotonic() - committed < COMPANY:
                await asyncio.sleep(COMPANY)
            while not self.queue.empty() and len(batch) < 500:
                batch.append(self.queue.get_nowait())
            batch[0].turns, self.turns = self.turns, {}
            try:
                with self._trying(), metrics.timing(metrics.COMMIT):
                    try:
                        await self._commit(batch)
                    except (IntegrityError, Conflict):
                        for waiting in batch:
                            await self._commit_alone(waiting)
            except Exception as problem:
                self._keep_for_later(batch[0])
                for waiting in batch:
                    if not waiting.done.done():
                        waiting.done.set_exception(problem)
            finally:
                for waiting in batch:
                    if not waiting.done.done():
                        waiting.done.set_result(None)
                    self.queue.task_done()
                committed = time.monotonic()

    async def _commit(self, batch: Sequence[_Waiting]) -> None:
        if self.own is not None:
            await self.own.commit(batch)
            return
        async with self.writing.begin() as connection:
            await connection.run_sync(_store, batch)

    async def _commit_alone(self, waiting: _Waiting) -> None:
        try:
            await self._commit([waiting])
        except (IntegrityError, Conflict):
            self._keep_for_later(waiting)
            ply = waiting.move and waiting.move.ply
            waiting.done.set_exception(Conflict(f"ply {ply} is taken, moves were undone, or somebody has lost"))

    def keep_turns(self, table: str, turns: Turns) -> None:
        """Store soon whom a table waits for: with the next moves, or after a moment. What is lost in a crash, the table finds out again."""
        if not self.turns:
            asyncio.get_running_loop().call_later(SOON, self._flush_turns)
        self.turns[table] = turns

    def _keep_for_later(self, waiting: _Waiting) -> None:
        """Store the turns that came with a failed commit another time."""
        if waiting.turns:
            self.turns = {**waiting.turns, **self.turns}
            asyncio.get_running_loop().call_later(PATIENCE, self._flush_turns)

    def _flush_turns(self) -> None:
        if self.turns:
            done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            done.add_done_callback(asyncio.Future.exception)  # nobody waits for it; problems are logged
            self.queue.put_nowait(_Waiting("", None, "", done))

    async def moves_of(self, table: str) -> list[MoveRow]:
        """The stored moves in order."""
        async with self._reading() as connection:
            return await _moves(connection, moves.c.table_id == table)

    async def load(self, table: str, edition: Edition | None = None, ply: int = 0) -> tuple[TableRow, list[MoveRow], set[str]] | None:
        """A table, its moves and the guests removed from it, all as of one moment.

        The moves are those from `ply` on if the table's history is still the given edition, otherwise all.
        """
        with self._trying():
            async with self.snapshots.connect() as connection:
                found = await _rows(connection, tables.c.id == table, limit=1)
                if not found:
                    return None
                start = ply if found[0].edition == edition else 0
                rows = await _moves(connection, (moves.c.table_id == table) & (moves.c.ply >= start))
                gone = await connection.execute(select(removed.c.guest).where(removed.c.table_id == table))
                return found[0], rows, set(gone.scalars())

    async def signs(self, ids: Sequence[str]) -> dict[str, Sign]:
        """What changes whenever a table does, for each of these tables."""
        count = select(func.count()).where(moves.c.table_id == tables.c.id).scalar_subquery()
        said = select(func.max(chat.c.id)).where(chat.c.table_id == tables.c.id).scalar_subquery()
        gone = select(func.count()).where(removed.c.table_id == tables.c.id).scalar_subquery()
        wanted = select(tables.c.id, tables.c.edits, tables.c.revision, tables.c.taken_out, count, said, gone).where(tables.c.id.in_(ids))
        async with self._reading() as connection:
            return {row[0]: Sign(*row[1:3], str(row[3]), *row[4:]) for row in await connection.execute(wanted)}

    async def take_back(self, table: str, ply: int, revision: int, end: int | None = None) -> None:
        """Delete the moves from `ply` on. The table's new revision makes moves for the old positions stale.

        Raises Conflict if moves were undone or (given `end`, the next ply) made in the meantime.
        """
        async with self._writing() as connection:
            after = update(tables).where(tables.c.id == table, tables.c.revision == revision - 1)
            if not (await connection.execute(after.values(revision=revision, updated=time.time()))).rowcount:
                raise Conflict(f"moves were undone before revision {revision}")
            if end is not None and await _next_ply(connection, table, end) != end:
                raise Conflict(f"ply {end} is taken")
            await connection.execute(delete(moves).where(moves.c.table_id == table, moves.c.ply >= ply))

    async def take_out(self, table: str, ply: int, later: Sequence[MoveRow], seat: int, edition: Edition) -> None:
        """Delete one move of a seat and move up the ones after it (`later`).

        Raises Conflict if more have been made in the meantime, or if the table's history is no longer the given edition.
        """
        async with self._writing() as connection:
            lock = select(tables.c.revision, tables.c.taken_out).where(tables.c.id == table).with_for_update(key_share=True)
            revision, known = (await connection.execute(lock)).one()
            out: dict[str, int] = known or {}
            if (revision, sum(out.values())) != edition:
                raise Conflict("moves were undone")
            after = select(moves.c.action).where(moves.c.table_id == table, moves.c.ply > ply).order_by(moves.c.ply)
            if list((await connection.execute(after)).scalars()) != [row.action for row in later]:
                raise Conflict(f"the moves after ply {ply} have changed")
            await connection.execute(delete(moves).where(moves.c.table_id == table, moves.c.ply >= ply))
            if later:
                await connection.execute(ADD_MOVE, [{"table_id": table, **vars(row), "ply": row.ply - 1} for row in later])
            out = {**out, str(seat): out.get(str(seat), 0) + 1}
            await connection.execute(update(tables).where(tables.c.id == table).values(taken_out=out))

    # ---- tables ---------------------------------------------------------------------------------------------------------

    async def add_table(
        self, row: TableRow, removed_guests: Iterable[str] = (), after: str | None = None, points: Sequence[int] = ()
    ) -> None:
        """Store a new table: the rematch of the table `after`, which ended with these points, if there is one.

        Raises Conflict if its series already has this game, or that table a rematch.
        """
        values = {name: value for name, value in vars(row).items() if name != "seats"}
        async with self._writing() as connection:
            try:
                await connection.execute(insert(tables), [values])
            except IntegrityError:
                raise Conflict(f"game {row.number} of the series exists") from None
            if after is not None:
                first = update(tables).where(tables.c.id == after, tables.c.rematch.is_(None))
                if not (await connection.execute(first.values(rematch=row.id, points=[*points], **_edited()))).rowcount:
                    raise Conflict(f"table {after} has a rematch")
            for guest in removed_guests:
                await connection.execute(insert(removed), [{"table_id": row.id, "guest": guest}])
            await connection.execute(insert(seats), [{"table_id": row.id, "seat": n, **vars(seat)} for n, seat in enumerate(row.seats)])

    async def table(self, id: str) -> TableRow | None:
        found = await self._tables(tables.c.id == id, limit=1)
        return found[0] if found else None

    async def tables_with(self, ids: Sequence[str]) -> list[TableRow]:
        """Several tables by their ids."""
        return await self._tables(tables.c.id.in_(ids), len(ids))

    async def set_seat(
        self, table: str, number: int, seat: SeatRow, was: SeatRow, wishes: str | None = None, end: int | None = None
    ) -> None:
        """Change who sits in a seat, and what players ask of each other.

        Raises Conflict if the seat is not as it `was`, if (given `end`, the next ply) somebody has moved, or if somebody loses a game that
        is over: another writer was faster.
        """
        running = [tables.c.status != "over"] if seat.out and not was.out else []
        known = {**vars(was), "stand_in": int(was.stand_in)}
        same = [seats.c[name].is_not_distinct_from(value) for name, value in known.items()]
        async with self._writing() as connection:
            chair = update(seats).where(seats.c.table_id == table, seats.c.seat == number, *same)
            if not (await connection.execute(chair.values(**vars(seat)))).rowcount:
                raise Conflict(f"seat {number} has changed")
            row = update(tables).where(tables.c.id == table, *running).values(**_edited(), wishes=wishes)
            if not (await connection.execute(row)).rowcount:
                raise Conflict("the game is over")
            if end is not None and await _next_ply(connection, table, end) != end:
                raise Conflict(f"ply {end} is taken")

    async def set_wishes(self, table: str, wishes: str, was: str | None) -> None:
        """Change what players ask of each other. Raises Conflict if it is not as it `was`."""
        async with self._writing() as connection:
            same = update(tables).where(tables.c.id == table, tables.c.wishes.is_not_distinct_from(was))
            if not (await connection.execute(same.values(wishes=wishes, **_edited()))).rowcount:
                raise Conflict("somebody else has asked or answered")

    async def set_table(self, id: str, **values: Any) -> None:
        async with self._writing() as connection:
            await connection.execute(update(tables).where(tables.c.id == id).values(**_edited(), **values))

    async def set_stage(self, id: str, was: int | None, stage: int, dice: dict[str, Any]) -> None:
        """Bring a table to its next stage (see `dice.py`). Raises Conflict if it is not in the stage it `was` in."""
        async with self._writing() as connection:
            table = update(tables).where(tables.c.id == id, tables.c.stage == was)
            if not (await connection.execute(table.values(stage=stage, dice=dice, **_edited()))).rowcount:
                raise Conflict(f"the table is not in stage {was} any more")

    async def series_tables(self, series: str) -> list[TableRow]:
        """The games of a series in order."""
        return sorted(await self._tables(tables.c.series == series, LONGEST_SERIES), key=lambda row: row.number or 0)

    async def remove(self, table: str, guest: str) -> None:
        """Remember that a guest may not come to a table any more."""
        async with self._writing() as connection:
            await connection.execute(delete(removed).where(removed.c.table_id == table, removed.c.guest == guest))
            await connection.execute(insert(removed), [{"table_id": table, "guest": guest}])
            await connection.execute(update(tables).where(tables.c.id == table).values(**_edited()))

    async def removed_from(self, table: str) -> set[str]:
        async with self._reading() as connection:
            return {
                str(guest) for guest in (await connection.execute(select(removed.c.guest).where(removed.c.table_id == table))).scalars()
            }

    async def tables_of(self, guest: str, limit: int = 20) -> list[TableRow]:
        """The tables where a guest has a seat or is the host: running ones first, most recent first."""
        sits = select(seats.c.table_id).where(seats.c.guest == guest)
        return await self._tables(tables.c.id.in_(sits) | (tables.c.host == guest), limit)

    async def open_tables(self, limit: int = 20) -> list[TableRow]:
        """Listed tables with a free seat, most recent first."""
        free = select(seats.c.table_id).where(seats.c.kind == "open")
        return await self._tables((tables.c.listed == 1) & (tables.c.status == "running") & tables.c.id.in_(free), limit)

    async def due_tables(self, now: float) -> list[str]:
        """Running tables where somebody's time is up, or a bot is to move."""
        async with self._reading() as connection:
            wanted = select(tables.c.id).where(tables.c.status == "running", tables.c.due <= now).order_by(tables.c.due)
            return list((await connection.execute(wanted)).scalars())

    async def _tables(self, condition: Any, limit: int) -> list[TableRow]:
        async with self._reading() as connection:
            return await _rows(connection, condition, limit)

    async def keep_review(self, table: str, review: dict[str, Any]) -> None:
        """Keep the review of a finished game, in place of an older one."""
        async with self._writing() as connection:
            await connection.execute(delete(reviews).where(reviews.c.table_id == table))
            await connection.execute(insert(reviews), [{"table_id": table, "made": time.time(), "review": review}])

    async def review_of(self, table: str) -> dict[str, Any] | None:
        async with self._reading() as connection:
            found: dict[str, Any] | None = (await connection.execute(select(reviews.c.review).where(reviews.c.table_id == table))).scalar()
            return found

    # ---- studies of the lab ---------------------------------------------------------------------------------------------

    async def add_study(self, row: StudyRow, most: int, most_in_all: int) -> None:
        """Keep a new study; the oldest of this person, and of everybody, are dropped if there are too many."""
        async with self._writing() as connection:
            await connection.execute(insert(studies), [vars(row)])
            for own, keep in ((studies.c.guest == row.guest, most), (studies.c.id != "", most_in_all)):
                old = select(studies.c.id).where(own).order_by(studies.c.made.desc()).offset(keep).limit(100)
                ids = list((await connection.execute(old)).scalars())
                await connection.execute(delete(studies).where(studies.c.id.in_(ids)))

    async def study(self, id: str) -> StudyRow | None:
        return next(iter(await self._studies(studies.c.id == id)), None)

    async def studies_of(self, guest: str) -> list[StudyRow]:
        """A person's studies, newest first."""
        return await self._studies(studies.c.guest == guest)

    async def busy_studies(self, since: float) -> list[StudyRow]:
        """Studies of any server that are waiting or running, and have been heard of since then."""
        return await self._studies(studies.c.state.not_in(["done", "failed"]) & (studies.c.updated >= since))

    async def _studies(self, condition: Any) -> list[StudyRow]:
        wanted = select(*(column for column in studies.c if column.name != "report")).where(condition).order_by(studies.c.made.desc())
        async with self._reading() as connection:
            return [StudyRow(**{**row, "stopped": bool(row["stopped"])}) for row in (await connection.execute(wanted)).mappings()]

    async def set_study(self, id: str, **values: Any) -> None:
        async with self._writing() as connection:
            await connection.execute(update(studies).where(studies.c.id == id).values(updated=time.time(), **values))

    async def name_study(self, id: str, name: str) -> None:
        async with self._writing() as connection:
            await connection.execute(update(studies).where(studies.c.id == id).values(name=name))

    async def report_of(self, study: str) -> str | None:
        async with self._reading() as connection:
            found: str | None = (await connection.execute(select(studies.c.report).where(studies.c.id == study))).scalar()
            return found

    async def drop_study(self, id: str) -> None:
        async with self._writing() as connection:
            await connection.execute(delete(studies).where(studies.c.id == id))

    # ---- people and their devices ---------------------------------------------------------------------------------------

    async def name_of(self, guest: str) -> str:
        async with self._reading() as connection:
            return str((await connection.execute(select(people.c.name).where(people.c.guest == guest))).scalar() or "")

    async def keep_name(self, guest: str, name: str) -> None:
        await self._replace(people, people.c.guest == guest, {"guest": guest, "name": name})

    async def whose_devices(self) -> dict[str, str]:
        """The person each known device plays as; "" if it is signed out."""
        async with self._reading() as connection:
            return {row.id: row.guest for row in await connection.execute(select(devices.c.id, devices.c.guest))}

    async def devices_of(self, guest: str) -> list[DeviceRow]:
        async with self._reading() as connection:
            rows = await connection.execute(select(devices).where(devices.c.guest == guest).order_by(devices.c.since))
            return [DeviceRow(**row) for row in rows.mappings()]

    async def keep_device(self, device: DeviceRow) -> None:
        await self._replace(devices, devices.c.id == device.id, vars(device))

    async def drop_device(self, id: str) -> None:
        async with self._writing() as connection:
            await connection.execute(delete(devices).where(devices.c.id == id))

    async def add_link(self, id: str, guest: str, until: float) -> None:
        """Keep the hash of a link's code, in place of older ones of the same person."""
        async with self._writing() as connection:
            await connection.execute(delete(links).where((links.c.guest == guest) | (links.c.until < time.time())))
            await connection.execute(insert(links), [{"id": id, "guest": guest, "until": until}])

    async def link(self, id: str, use: bool = False) -> str | None:
        """The person who made a link, if it is still good. A link is used once."""
        good = (links.c.id == id) & (links.c.until > time.time())
        async with self._writing() as connection:
            found = await connection.execute(
                delete(links).where(good).returning(links.c.guest) if use else select(links.c.guest).where(good)
            )
            return found.scalar()

    async def drop_links(self, guest: str) -> None:
        async with self._writing() as connection:
            await connection.execute(delete(links).where(links.c.guest == guest))

    async def keep_push(self, push: PushRow, most: int) -> None:
        """Keep where to send a device's messages; the oldest of too many are dropped."""
        await self._replace(pushes, (pushes.c.id == push.id) | (pushes.c.device == push.device), vars(push))
        for old in (await self.pushes_of(push.guest))[:-most]:
            await self.drop_push(old.id)

    async def pushes_of(self, guest: str) -> list[PushRow]:
        async with self._reading() as connection:
            rows = await connection.execute(select(pushes).where(pushes.c.guest == guest).order_by(pushes.c.since))
            return [PushRow(**row) for row in rows.mappings()]

    async def drop_push(self, id: str = "", device: str = "") -> None:
        async with self._writing() as connection:
            await connection.execute(delete(pushes).where((pushes.c.id == id) | (pushes.c.device == device)))

    async def unname(self, guest: str) -> None:
        """Remove a person's name from the chat of their tables, and their keys from their moves."""
        sat = select(seats.c.seat).where(seats.c.table_id == chat.c.table_id, seats.c.seat == chat.c.seat, seats.c.guest == guest)
        played = moves.c.table_id.in_(select(seats.c.table_id).where(seats.c.guest == guest))
        async with self._writing() as connection:
            await connection.execute(update(chat).where(sat.exists() | (chat.c.guest == guest)).values(name=NOBODY, guest="", key=None))
            await connection.execute(update(moves).where(played, moves.c.guest == guest).values(guest="", key=""))

    async def forget(self, guest: str) -> None:
        """Remove everything that says who a person is, once they have given up their seats. Moves and lines of chat stay."""
        async with self._writing() as connection:
            await connection.execute(update(seats).where(seats.c.guest == guest).values(guest=None, name=""))
            await connection.execute(update(tables).where(tables.c.host == guest).values(host=""))
            await connection.execute(delete(devices).where(devices.c.id == guest))
            for table in (people, devices, links, pushes, removed, studies):
                await connection.execute(delete(table).where(table.c.guest == guest))

    async def _replace(self, table: Table, same: Any, row: dict[str, Any]) -> None:
        with contextlib.suppress(IntegrityError):  # somebody has just stored it
            async with self._writing() as connection:
                await connection.execute(delete(table).where(same))
                await connection.execute(insert(table), [row])

    # ---- chat and settings ----------------------------------------------------------------------------------------------

    async def add_chat(self, table: str, line: Line) -> int:
        """Store a line; returns its number. Raises Conflict if its guest has used its key before."""
        row = {name: value for name, value in vars(line).items() if name != "number"}
        try:
            async with self._writing() as connection:
                added = await connection.execute(insert(chat).values(table_id=table, **row).returning(chat.c.id))
                return int(added.scalar_one())
        except IntegrityError:
            raise Conflict(f"the key {line.key} has been used") from None

    async def chat_of(self, table: str, apart: bool = True, limit: int = 200, after: int = 0) -> list[Line]:
        """The last lines after number `after`; without `apart`, only those that were for everybody."""
        wanted = select(chat).where(chat.c.table_id == table, chat.c.id > after, *([] if apart else [chat.c.apart == 0]))
        async with self._reading() as connection:
            return _lines(await connection.execute(wanted.order_by(chat.c.id.desc()).limit(limit)))[::-1]

    async def said(self, table: str, guest: str, key: str) -> Line | None:
        """The line that a guest sent with this key."""
        wanted = select(chat).where(chat.c.table_id == table, chat.c.guest == guest, chat.c.key == key)
        async with self._reading() as connection:
            return next(iter(_lines(await connection.execute(wanted))), None)

    async def secret(self) -> str:
        """The key that signs cookies: created once and stored with the tables."""
        return await self._setting("secret", lambda: secrets.token_hex(32))

    async def undated_until(self) -> float:
        """Until when tokens without a date are good: a year after the first start of a server that dates them."""
        return float(await self._setting("undated tokens until", lambda: str(time.time() + YEAR)))

    async def _setting(self, name: str, make: Callable[[], str]) -> str:
        """A setting that is made once and stored with the tables."""
        wanted = select(settings.c.value).where(settings.c.name == name)
        with contextlib.suppress(IntegrityError):  # another server has just created it
            async with self._writing() as connection:
                if (await connection.execute(wanted)).scalar() is None:
                    await connection.execute(insert(settings), [{"name": name, "value": make()}])
        async with self._reading() as connection:
            return str((await connection.execute(wanted)).scalar_one())


_migrate = schema.upgrade


def _edited() -> dict[str, Any]:
    """What else is written with every change of a table that isn't a move."""
    return {"updated": time.time(), "edits": tables.c.edits + 1}


async def _rows(connection: AsyncConnection, condition: Any, limit: int) -> list[TableRow]:
    """Tables with their seats."""
    wanted = select(tables).where(condition).order_by(tables.c.status != "running", tables.c.updated.desc()).limit(limit)
    found = (await connection.execute(wanted)).mappings().all()
    ids = [row["id"] for row in found]
    chairs = (await connection.execute(select(seats).where(seats.c.table_id.in_(ids)).order_by(seats.c.seat))).mappings().all()
    rows = [TableRow(**{**row, **{name: bool(row[name]) for name in ("listed", "spectators", "hushed")}}) for row in found]
    by_id = {row.id: row for row in rows}
    for chair in chairs:
        seat = {name: chair[name] for name in ("kind", "guest", "name", "bot", "out", "pledge", "value")}
        by_id[chair["table_id"]].seats.append(SeatRow(**seat, stand_in=bool(chair["stand_in"])))
    return rows


async def _moves(connection: AsyncConnection, condition: Any) -> list[MoveRow]:
    rows = await connection.execute(select(moves).where(condition).order_by(moves.c.ply))
    return [MoveRow(row.ply, row.action, row.spent, row.made, row.key, row.guest, row.at, row.player, row.bot) for row in rows]


async def _next_ply(connection: AsyncConnection, table: str, first: int) -> int:
    """The ply after a table's last stored move; `first` if there is none."""
    last = (await connection.execute(select(func.max(moves.c.ply)).where(moves.c.table_id == table))).scalar()
    return first if last is None else int(last) + 1


def _lines(rows: Iterable[Any]) -> list[Line]:
    return [Line(row.name, row.seat, row.text, row.made, row.guest, bool(row.apart), row.key, row.id) for row in rows]


LOOK_AGAIN = 20.0
"""A table is looked at so many seconds after a move, unless it is stored in the meantime whom it waits for."""
ADD_MOVE = insert(moves)
LOCK_TABLES = (
    select(tables.c.id, tables.c.revision, tables.c.taken_out)
    .where(tables.c.id.in_(bindparam("ids", expanding=True)))
    .order_by(tables.c.id)
    .with_for_update(key_share=True)
)
LOST = select(seats.c.out).where(seats.c.table_id == bindparam("table")).order_by(seats.c.seat)
MARK_TABLE = (
    update(tables)
    .where(tables.c.id == bindparam("table"))
    .values(due=bindparam("when"), status=bindparam("is_now"), updated=bindparam("at"))
)
LOOK_LATER = update(tables).where(tables.c.id == bindparam("table")).values(due=bindparam("when"))
KEEP_TURNS = (
    update(tables)
    .where(tables.c.id == bindparam("table"))
    .where(~select(moves.c.ply).where(moves.c.table_id == bindparam("table"), moves.c.ply >= bindparam("before")).exists())
    .values(waits=bindparam("whom"), due=bindparam("when"))
)


def _store(connection: Connection, batch: Sequence[_Waiting]) -> None:
    """Write moves, update the status of their tables, and whom tables wait for.

    All tables are locked first, in the same order by all writers, so that nobody undoes moves meanwhile and no two wait for each other.
    """
    now = time.time()
    news = {table: turns for waiting in batch for table, turns in waiting.turns.items()}
    made = sorted((waiting for waiting in batch if waiting.move is not None), key=lambda waiting: waiting.table)
    ids = sorted({*(waiting.table for waiting in made), *news})
    locked = connection.execute(LOCK_TABLES, {"ids": ids})
    stored = {row.id: (row.revision, sum((row.taken_out or {}).values())) for row in locked}
    if any(waiting.edition is not None and stored.get(waiting.table) != waiting.edition for waiting in made):
        raise Conflict("moves were undone")
    for waiting in made:
        if waiting.lost is not None and list(connection.execute(LOST, {"table": waiting.table}).scalars()) != [*waiting.lost]:
            raise Conflict("somebody has lost")
    turns = [
        {"table": table, "whom": one.waits, "when": one.due, "before": one.ply}
        for table, one in news.items()
        if stored.get(table) == one.edition
    ]
    if turns:
        connection.execute(KEEP_TURNS, turns)
    if made:
        connection.execute(ADD_MOVE, [{"table_id": waiting.table, **vars(waiting.move)} for waiting in made])
    marks = [{"table": waiting.table, "when": now + LOOK_AGAIN, "is_now": waiting.status, "at": now} for waiting in made]
    for change, rows in ((MARK_TABLE, [row for row in marks if row["is_now"]]), (LOOK_LATER, [row for row in marks if not row["is_now"]])):
        if rows:
            connection.execute(change, rows)


@contextlib.contextmanager
def _trouble() -> Iterator[None]:
    """Turn whatever a database or its driver raises into `Away`."""
    try:
        yield
    except (IntegrityError, Conflict):
        raise
    except Exception as problem:
        known = isinstance(problem, SQLAlchemyError | OSError)
        reason = str(getattr(problem, "orig", None) or problem).partition("\n")[0]
        log.warning("the storage is not available: %s", reason or type(problem).__name__, exc_info=not known)
        raise Away from problem


def _prepare_sqlite(connection: Any, _: object) -> None:
    """Use write-ahead logging, flush at every commit, and wait for other writers."""
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=FULL", f"busy_timeout={int(1000 * PATIENCE)}", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()
    connection.isolation_level = None  # transactions begin where SQLAlchemy says, not at the first write


def _begin(connection: Connection) -> None:
    """Begin a transaction of SQLite. Whoever may write takes the lock at once, so that nothing changes after it has looked."""
    connection.exec_driver_sql("BEGIN IMMEDIATE" if connection.get_execution_options().get("writing") else "BEGIN")


def _begin_to_write(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")
