"""The database: tables, seats, moves, chat, reviews. A move is acknowledged only after it is committed.

`(table, ply)` is the key of a move, so two writers can never both accept ply 17. Moves of different tables that arrive together are
committed together with a single disk flush, which allows hundreds of moves per second with full durability.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import (
    JSON,
    Column,
    Float,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    bindparam,
    create_engine,
    delete,
    event,
    insert,
    select,
    update,
)
from sqlalchemy.engine import URL, Connection, make_url
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from rulestone.server.refusal import Away

log = logging.getLogger(__name__)
PATIENCE = 5.0
"""Seconds to wait for a database: for other writers of an SQLite file, or for an answer from a server."""
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
)


reviews = Table(
    "reviews",
    metadata,
    Column("table_id", String(24), ForeignKey("tables.id"), primary_key=True),
    Column("made", Float, nullable=False),
    Column("review", JSON, nullable=False),
)


class Conflict(Exception):
    """Another writer was faster: the ply already has a move, or the seat has changed."""


@dataclass
class SeatRow:
    """One seat: a person (by the hash of their token), a bot, or nobody yet."""

    kind: str = "open"
    guest: str | None = None
    name: str = ""
    bot: str = ""
    stand_in: bool = False


@dataclass
class MoveRow:
    """One stored move.

    `spent` is the thinking time in milliseconds; `key` is the id that its sender, `guest`, gave it at position `at`; `player` is who moved
    if several players could (None: the player to move).
    """

    ply: int
    action: int
    spent: int = 0
    made: float = 0.0
    key: str = ""
    guest: str = ""
    at: str = ""
    player: int | None = None


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
    seats: list[SeatRow] = field(default_factory=list)


@dataclass
class _Waiting:
    table: str
    move: MoveRow
    status: str
    done: asyncio.Future[None]


class _Own:
    """A connection to SQLite that only stores moves, in its own thread: one round trip per commit instead of a dozen."""

    def __init__(self, url: URL) -> None:
        self.thread = ThreadPoolExecutor(1, "moves")
        self.engine = create_engine(url.set(drivername="sqlite"))
        event.listen(self.engine, "connect", _prepare_sqlite)
        self.connection: Connection | None = None

    async def commit(self, batch: Sequence[_Waiting]) -> None:
        await asyncio.get_running_loop().run_in_executor(self.thread, self._commit, batch)

    def _commit(self, batch: Sequence[_Waiting]) -> None:
        if self.connection is None:
            self.connection = self.engine.connect()
        try:
            with self.connection.begin():
                _store(self.connection, batch)
        except IntegrityError:
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
        self.url = make_url(url)
        if self.url.drivername == "sqlite":
            self.url = self.url.set(drivername="sqlite+aiosqlite")
        elif self.url.drivername in ("postgresql", "postgres"):
            self.url = self.url.set(drivername="postgresql+asyncpg")
        if self.url.database and self.url.drivername.startswith("sqlite") and self.url.database != ":memory:":
            Path(self.url.database).parent.mkdir(parents=True, exist_ok=True)
        kind = self.url.drivername
        given = {"timeout": PATIENCE, "command_timeout": PATIENCE} if kind == "postgresql+asyncpg" else {}
        self.engine: AsyncEngine = create_async_engine(self.url, connect_args=given, pool_pre_ping=not kind.startswith("sqlite"))
        self.own: _Own | None = None
        if self.url.drivername.startswith("sqlite"):
            event.listen(self.engine.sync_engine, "connect", _prepare_sqlite)
            if self.url.database not in (None, "", ":memory:"):
                self.own = _Own(self.url)
        self.queue: asyncio.Queue[_Waiting] = asyncio.Queue()
        self.writer: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Bring the schema up to date and start the writer."""
        async with self.engine.begin() as connection:
            await connection.run_sync(_migrate)
        self.writer = asyncio.create_task(self._write())

    async def close(self) -> None:
        """Commit what is queued, then close."""
        if self.writer is not None:
            await self.queue.join()
            self.writer.cancel()
            await asyncio.gather(self.writer, return_exceptions=True)
        if self.own is not None:
            self.own.close()
        await self.engine.dispose()

    @contextlib.asynccontextmanager
    async def _reading(self) -> AsyncIterator[AsyncConnection]:
        with _trouble():
            async with self.engine.connect() as connection:
                yield connection

    @contextlib.asynccontextmanager
    async def _writing(self) -> AsyncIterator[AsyncConnection]:
        try:
            with _trouble():
                async with self.engine.begin() as connection:
                    yield connection
        except Away:
            if self.own is not None:  # start over next time, see `_Own`
                await self.engine.dispose()
            raise

    # ---- moves ----------------------------------------------------------------------------------------------------------

    async def add_move(self, table: str, move: MoveRow, status: str) -> None:
        """Store a move and its table's new status (if any). Returns once it is committed; raises Conflict if the ply is taken."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        await self.queue.put(_Waiting(table, move, status, done))
        await done

    async def _write(self) -> None:
        """Commit queued moves, all in one transaction."""
        while True:
            batch = [await self.queue.get()]
            while not self.queue.empty() and len(batch) < 500:
                batch.append(self.queue.get_nowait())
            try:
                with _trouble():
                    try:
                        await self._commit(batch)
                    except IntegrityError:
                        for waiting in batch:
                            await self._commit_alone(waiting)
            except Exception as problem:
                for waiting in batch:
                    if not waiting.done.done():
                        waiting.done.set_exception(problem)
            finally:
                for waiting in batch:
                    if not waiting.done.done():
                        waiting.done.set_result(None)
                    self.queue.task_done()

    async def _commit(self, batch: Sequence[_Waiting]) -> None:
        if self.own is not None:
            await self.own.commit(batch)
            return
        async with self.engine.begin() as connection:
            await connection.run_sync(_store, batch)

    async def _commit_alone(self, waiting: _Waiting) -> None:
        try:
            await self._commit([waiting])
        except IntegrityError:
            waiting.done.set_exception(Conflict(f"ply {waiting.move.ply} is taken"))

    async def moves_of(self, table: str) -> list[MoveRow]:
        """The stored moves in order."""
        async with self._reading() as connection:
            rows = await connection.execute(select(moves).where(moves.c.table_id == table).order_by(moves.c.ply))
            return [MoveRow(row.ply, row.action, row.spent, row.made, row.key, row.guest, row.at, row.player) for row in rows]

    async def take_back(self, table: str, ply: int, revision: int) -> None:
        """Delete the moves from `ply` on. The table's new revision makes moves for the old positions stale."""
        async with self._writing() as connection:
            await connection.execute(delete(moves).where(moves.c.table_id == table, moves.c.ply >= ply))
            await connection.execute(update(tables).where(tables.c.id == table).values(revision=revision, updated=time.time()))

    async def take_out(self, table: str, ply: int, later: Sequence[MoveRow]) -> None:
        """Delete one move and move up the ones after it (`later`). Raises Conflict if more have been made in the meantime."""
        async with self._writing() as connection:
            await connection.execute(select(tables.c.id).where(tables.c.id == table).with_for_update())
            after = select(moves.c.action).where(moves.c.table_id == table, moves.c.ply > ply).order_by(moves.c.ply)
            if list((await connection.execute(after)).scalars()) != [row.action for row in later]:
                raise Conflict(f"the moves after ply {ply} have changed")
            await connection.execute(delete(moves).where(moves.c.table_id == table, moves.c.ply >= ply))
            if later:
                await connection.execute(ADD_MOVE, [{"table_id": table, **vars(row), "ply": row.ply - 1} for row in later])

    # ---- tables ---------------------------------------------------------------------------------------------------------

    async def add_table(self, row: TableRow) -> None:
        values = {name: value for name, value in vars(row).items() if name != "seats"}
        async with self._writing() as connection:
            await connection.execute(insert(tables), [values])
            await connection.execute(insert(seats), [{"table_id": row.id, "seat": n, **vars(seat)} for n, seat in enumerate(row.seats)])

    async def table(self, id: str) -> TableRow | None:
        found = await self._tables(tables.c.id == id, limit=1)
        return found[0] if found else None

    async def set_seat(self, table: str, number: int, seat: SeatRow, was: SeatRow) -> None:
        """Change who sits in a seat. Raises Conflict if it is not as it `was`: another writer was faster."""
        known = {**vars(was), "stand_in": int(was.stand_in)}
        same = [seats.c[name].is_not_distinct_from(value) for name, value in known.items()]
        async with self._writing() as connection:
            chair = update(seats).where(seats.c.table_id == table, seats.c.seat == number, *same)
            if not (await connection.execute(chair.values(**vars(seat)))).rowcount:
                raise Conflict(f"seat {number} has changed")
            await connection.execute(update(tables).where(tables.c.id == table).values(updated=time.time()))

    async def set_table(self, id: str, **values: Any) -> None:
        async with self._writing() as connection:
            await connection.execute(update(tables).where(tables.c.id == id).values(updated=time.time(), **values))

    async def tables_of(self, guest: str, limit: int = 20) -> list[TableRow]:
        """The tables where a guest has a seat or is the host: running ones first, most recent first."""
        sits = select(seats.c.table_id).where(seats.c.guest == guest)
        return await self._tables(tables.c.id.in_(sits) | (tables.c.host == guest), limit)

    async def open_tables(self, limit: int = 20) -> list[TableRow]:
        """Listed tables with a free seat, most recent first."""
        free = select(seats.c.table_id).where(seats.c.kind == "open")
        return await self._tables((tables.c.listed == 1) & (tables.c.status == "running") & tables.c.id.in_(free), limit)

    async def _tables(self, condition: Any, limit: int) -> list[TableRow]:
        async with self._reading() as connection:
            wanted = select(tables).where(condition).order_by(tables.c.status != "running", tables.c.updated.desc()).limit(limit)
            found = (await connection.execute(wanted)).mappings().all()
            ids = [row["id"] for row in found]
            chairs = (await connection.execute(select(seats).where(seats.c.table_id.in_(ids)).order_by(seats.c.seat))).mappings().all()
        rows = [TableRow(**{**row, "listed": bool(row["listed"]), "spectators": bool(row["spectators"])}) for row in found]
        by_id = {row.id: row for row in rows}
        for chair in chairs:
            seat = SeatRow(chair["kind"], chair["guest"], chair["name"], chair["bot"], bool(chair["stand_in"]))
            by_id[chair["table_id"]].seats.append(seat)
        return rows

    async def keep_review(self, table: str, review: dict[str, Any]) -> None:
        """Keep the review of a finished game, in place of an older one."""
        async with self._writing() as connection:
            await connection.execute(delete(reviews).where(reviews.c.table_id == table))
            await connection.execute(insert(reviews), [{"table_id": table, "made": time.time(), "review": review}])

    async def review_of(self, table: str) -> dict[str, Any] | None:
        async with self._reading() as connection:
            found: dict[str, Any] | None = (await connection.execute(select(reviews.c.review).where(reviews.c.table_id == table))).scalar()
            return found

    # ---- chat and settings ----------------------------------------------------------------------------------------------

    async def add_chat(self, table: str, name: str, seat: int | None, text: str) -> dict[str, Any]:
        line = {"name": name, "seat": seat, "text": text, "made": time.time()}
        async with self._writing() as connection:
            await connection.execute(insert(chat), [{"table_id": table, **line}])
        return line

    async def chat_of(self, table: str, limit: int = 200) -> list[dict[str, Any]]:
        async with self._reading() as connection:
            rows = await connection.execute(select(chat).where(chat.c.table_id == table).order_by(chat.c.id.desc()).limit(limit))
            return [{"name": row.name, "seat": row.seat, "text": row.text, "made": row.made} for row in rows][::-1]

    async def secret(self) -> str:
        """The key that signs cookies: created once and stored with the tables."""
        async with self._writing() as connection:
            found = (await connection.execute(select(settings.c.value).where(settings.c.name == "secret"))).scalar()
            if found is None:
                found = secrets.token_hex(32)
                await connection.execute(insert(settings), [{"name": "secret", "value": found}])
            return str(found)


ADD_MOVE = insert(moves)
MARK_TABLE = update(tables).where(tables.c.id == bindparam("table")).values(status=bindparam("is_now"), updated=bindparam("at"))


def _store(connection: Connection, batch: Sequence[_Waiting]) -> None:
    """Write moves, and update the status of their tables."""
    now = time.time()
    connection.execute(ADD_MOVE, [{"table_id": waiting.table, **vars(waiting.move)} for waiting in batch])
    marks = [{"table": waiting.table, "is_now": waiting.status, "at": now} for waiting in batch if waiting.status]
    if marks:
        connection.execute(MARK_TABLE, marks)


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


def _migrate(connection: Connection, version: str = "head") -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    command.upgrade(config, version)
