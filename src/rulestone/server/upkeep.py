"""Looking after a database: checking it, copying it while servers use it, and filling an empty one from a copy."""

from __future__ import annotations

import contextlib
import gzip
import os
import shutil
import sqlite3
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import orjson
from sqlalchemy import MetaData, func, insert, inspect, select, text
from sqlalchemy.engine import URL, Connection
from sqlalchemy.ext.asyncio import AsyncEngine

import rulestone
from rulestone.game import Game
from rulestone.match import Match
from rulestone.server import schema
from rulestone.server.dice import DEALT, begin
from rulestone.server.fair import play_stored
from rulestone.server.storage import MoveRow, Storage, TableRow, metadata, seats, tables
from rulestone.server.stored import other_rules

ROWS = 500
"""How many rows are read, written or checked at a time."""
SQLITE, DUMPED, ZIPPED = b"SQLite format 3\0", b"PGDMP", b"\x1f\x8b"
"""How copies begin: of an SQLite file, by pg_dump, and our own."""
NOT_GAMES = {"settings", "alembic_version"}
"""What a database that nobody has played on contains."""
SHORTEST = 8
"""How many characters of a hash are needed to find a person."""
BOTH = {"kind": ("person", "bot", "open"), "status": ("running", "over")}


class Unknown(Exception):
    """A table of a game that isn't installed, or that was played by other rules."""


def replayed(games: Mapping[str, Game], row: TableRow, moves: Sequence[MoveRow]) -> Match:
    """The match of a stored table. Raises Unknown if its game isn't installed, ValueError if its moves can't be played."""
    game = games.get(row.game)
    if game is None:
        raise Unknown(f"its game, {row.game}, isn't installed")
    if why := other_rules(game, row):
        raise Unknown(why[0].lower() + why[1:].rstrip("."))
    match = begin(game, row)
    played = play_stored(match, moves, row.seats)
    if row.stage == DEALT:
        match.bots = [move.bot or None for move in played]
    return match


@contextlib.asynccontextmanager
async def opened(url: str) -> AsyncIterator[Storage]:
    """A storage for reading, as it is: it isn't created or brought up to date. Raises ValueError if it can't be read."""
    file = schema.file_of(schema.address(url))
    if file is not None and not file.is_file():
        raise ValueError(f"there is no database {file}")
    storage = Storage(url)
    try:
        async with storage.engine.connect() as connection:
            await connection.run_sync(schema.check_current)
        yield storage
    except schema.Outdated as problem:
        raise ValueError(f"the database can't be used: {problem}") from None
    finally:
        await storage.close()


# ---- checking -----------------------------------------------------------------------------------------------------------


async def check(
    storage: Storage, games: Mapping[str, Game], progress: Callable[[int, int], None] = lambda done, total: None
) -> tuple[int, list[str], list[str]]:
    """Replay every table. Returns how many there are, what is wrong, and which ones can't be replayed here."""
    wrong: list[str] = []
    unknown: list[str] = []
    async with storage.engine.connect() as connection:
        if storage.own is not None:
            wrong += await connection.run_sync(_sqlite_problems)
        ids = list((await connection.execute(select(tables.c.id).order_by(tables.c.id))).scalars())
    for start in range(0, len(ids), ROWS):
        for row in await storage.tables_with(ids[start : start + ROWS]):
            try:
                wrong += [f"table {row.id}: {problem}" for problem in problems(games, row, await storage.moves_of(row.id))]
            except Unknown as problem:
                unknown.append(f"table {row.id}: {problem}")
        progress(min(start + ROWS, len(ids)), len(ids))
    return len(ids), wrong, unknown


def _sqlite_problems(connection: Connection) -> list[str]:
    """What SQLite itself finds wrong with a file."""
    found = [str(row[0]) for row in connection.execute(text("PRAGMA integrity_check")) if row[0] != "ok"]
    return found + [f"a row of {row[0]} belongs to no row of {row[2]}" for row in connection.execute(text("PRAGMA foreign_key_check"))]


def problems(games: Mapping[str, Game], row: TableRow, moves: Sequence[MoveRow]) -> Iterator[str]:
    """What is wrong with one table. Raises Unknown if it can't be replayed here."""
    if len(row.seats) != row.players:
        yield f"it has {len(row.seats)} seats for {row.players} players"
        return
    for number, seat in enumerate(row.seats):
        if seat.kind not in BOTH["kind"]:
            yield f"seat {number} is of the unknown kind {seat.kind!r}"
        if (seat.kind == "bot" or seat.stand_in) and not seat.bot:
            yield f"seat {number} is played by a bot without a name"
    if row.status not in BOTH["status"]:
        yield f"it has the unknown status {row.status!r}"
    plies = [move.ply for move in moves]
    if plies and plies != list(range(plies[0], plies[0] + len(plies))):
        missing = next(ply for ply, after in pairwise(plies) if after != ply + 1) + 1
        yield f"move {missing} is missing"
        return
    try:
        if moves and (game := games.get(row.game)) is not None and not other_rules(game, row) and begin(game, row).ply != plies[0]:
            yield f"its first move is stored as move {plies[0]}"
            return
        match = replayed(games, row, moves)
    except Unknown:
        raise
    except Exception as problem:  # whatever a game's own code says to a move that it doesn't expect
        yield f"its moves can't be replayed: {problem}"
        return
    if match.over != (row.status == "over"):
        yield f"its game is {'over' if match.over else 'not over'}, but it is stored as {row.status}"


EVERYTHING = 1_000_000


async def rows_of(storage: Storage, table: str | None, guest: str | None) -> tuple[list[TableRow], str | None]:
    """The tables of a series (or the one table), or of a person by the beginning of their hash; and the whole hash."""
    if table is not None:
        row = await storage.table(table)
        if row is None:
            raise ValueError(f"there is no table {table!r}")
        return [row] if row.series is None else await storage.series_tables(row.series), None
    beginning = guest or ""
    if len(beginning) < SHORTEST:
        raise ValueError(f"{beginning!r} is too short for the hash of a person: give at least {SHORTEST} characters")
    known: set[str] = set()
    async with storage.engine.connect() as connection:
        for column in (seats.c.guest, tables.c.host):
            alike = select(column).where(column.startswith(beginning, autoescape=True)).distinct().limit(2)
            known |= set((await connection.execute(alike)).scalars())
    if len(known) != 1:
        raise ValueError(f"{beginning!r} could be several people: give more characters" if known else f"nobody has the hash {beginning!r}")
    whole = known.pop()
    return await storage.tables_of(whole, EVERYTHING), whole


# ---- copies -------------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _new_file(file: Path) -> Iterator[Path]:
    """A file to write, which nobody else can read; it gets its name once it is whole. Nothing is overwritten."""
    if file.exists():
        raise ValueError(f"{file} exists already; nothing was changed")
    part = file.with_name(f".{file.name}.part")
    try:
        os.close(os.open(part, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600))
        yield part
        with part.open("rb") as whole:
            os.fsync(whole.fileno())
        part.rename(file)
    except OSError as problem:
        raise ValueError(f"can't write {file}: {problem.strerror}") from None
    finally:
        part.unlink(missing_ok=True)


async def backup(url: str, file: Path, portable: bool = False) -> str:
    """Copy a database as it is at one moment, while servers use it. Returns what kind of copy it is."""
    address = schema.address(url)
    source = schema.file_of(address)
    if source is not None and not source.is_file():
        raise ValueError(f"there is no database {source}")
    with _new_file(file) as part:
        if source is not None and not portable:
            _copy_sqlite(source, part)
            return "an SQLite file"
        if address.drivername.startswith("postgresql") and shutil.which("pg_dump") and not portable:
            _run_postgres(["pg_dump", "--format=custom", "--no-owner", "--no-privileges", f"--file={part}"], address)
            return "an archive of pg_dump"
        await _dump(schema.patient(address), part)
    return "a portable copy"


def _copy_sqlite(source: Path, target: Path) -> None:
    """Copy with SQLite's own backup, which sees one moment even while others write; check that the copy is whole."""
    with contextlib.closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as old:
        try:
            with contextlib.closing(sqlite3.connect(target)) as new:
                old.backup(new)
                found = new.execute("PRAGMA integrity_check").fetchone()[0]
        except sqlite3.Error as problem:
            raise ValueError(f"{source} can't be copied: {problem}") from None
    if found != "ok":
        raise ValueError(f"{source} is damaged: {found}")


def _run_postgres(command: list[str], url: URL) -> None:
    """Run one of PostgreSQL's own programs on a database. The password isn't visible to other processes."""
    query = {"sslmode" if name == "ssl" else name: value for name, value in url.query.items()}
    plain = URL.create("postgresql", url.username, None, url.host, url.port, url.database, query).render_as_string()
    secret = {"PGPASSWORD": url.password} if url.password else {}
    done = subprocess.run([*command, f"--dbname={plain}"], env={**os.environ, **secret}, capture_output=True, text=True, check=False)
    if done.returncode:
        said = (done.stderr.strip().splitlines() or ["it says nothing"])[0]
        raise ValueError(f"{command[0]} failed: {said}; `rulestone db backup --portable` does without it")


async def _dump(engine: AsyncEngine, file: Path) -> None:
    """Write all rows as lines of JSON, compressed: first the schema's version, last how many rows there are."""
    repeatable = engine.dialect.name == "postgresql"
    async with engine.connect() as connection:
        if repeatable:
            await connection.execution_options(isolation_level="REPEATABLE READ")
        else:
            await connection.exec_driver_sql("BEGIN")
        await connection.run_sync(_write_rows, file)
    await engine.dispose()


def _write_rows(connection: Connection, file: Path) -> None:
    version = schema.version(connection)
    if version is None:
        raise ValueError("there are no tables of Rulestone in this database")
    found = MetaData()
    found.reflect(connection, only=[name for name in inspect(connection).get_table_names() if name in metadata.tables])
    counts = {}
    with gzip.open(file, "wb", compresslevel=6) as out:
        out.write(orjson.dumps({"rulestone": rulestone.__version__, "dump": 1, "schema": version, "made": time.time()}) + b"\n")
        for table in found.sorted_tables:
            name = str(table.name)
            counts[name], columns = 0, [str(column.name) for column in table.c]
            rows = connection.execution_options(yield_per=ROWS).execute(select(table))
            for some in rows.partitions():
                counts[name] += len(some)
                out.write(orjson.dumps({"table": name, "columns": columns, "rows": [list(row) for row in some]}) + b"\n")
        out.write(orjson.dumps({"end": counts}) + b"\n")


# ---- filling a database from a copy -------------------------------------------------------------------------------------


async def restore(url: str, file: Path, force: bool = False) -> None:
    """Fill an empty database from a copy, and bring it up to date. With `force`, what is in the database is lost."""
    try:
        with file.open("rb") as start:
            head = start.read(16)
    except OSError as problem:
        raise ValueError(f"can't read {file}: {problem.strerror}") from None
    address = schema.address(url)
    target, engine = schema.file_of(address), schema.patient(address)
    if target is not None:
        target.parent.mkdir(parents=True, exist_ok=True)
    try:
        async with engine.connect() as connection:
            played = await connection.run_sync(_is_played_on)
        if played and not force:
            raise ValueError("this database isn't empty, so nothing was changed; with --force, what is in it is lost")
        if head.startswith(ZIPPED):
            whole = _counted(file)
            async with engine.begin() as connection:
                await connection.run_sync(_read_rows, file, whole)
        elif head == SQLITE and target is not None:
            _copy_sqlite(file, target)
        elif head.startswith(DUMPED) and target is None:
            options = ["--clean", "--if-exists", "--no-owner", "--no-privileges", "--single-transaction", "--exit-on-error"]
            _run_postgres(["pg_restore", *options, str(file)], address)
        elif head == SQLITE or head.startswith(DUMPED):
            raise ValueError(f"{file} is for another kind of database; make a copy for any kind with `rulestone db backup --portable`")
        else:
            raise ValueError(f"{file} isn't a backup of Rulestone")
        async with engine.begin() as connection:
            await connection.run_sync(schema.upgrade)
    finally:
        await engine.dispose()


def _is_played_on(connection: Connection) -> bool:
    """Whether there is anything in a database that could be lost."""
    names = [name for name in inspect(connection).get_table_names() if name in metadata.tables and name not in NOT_GAMES]
    return any(connection.execute(select(text("1")).select_from(metadata.tables[name]).limit(1)).first() for name in names)


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    try:
        with gzip.open(file, "rb") as lines:
            for line in lines:
                yield orjson.loads(line)
    except (OSError, EOFError, ValueError) as problem:
        raise ValueError(f"{file} is damaged: {problem}") from None


def _counted(file: Path) -> dict[str, Any]:
    """Read a portable copy once: its first line. Raises ValueError unless it is whole and ours."""
    first, last, counts = None, None, dict[str, int]()
    for line in _lines(file):
        first, last = first or line, line
        if "rows" in line:
            counts[line["table"]] = counts.get(line["table"], 0) + len(line["rows"])
    if first is None or "schema" not in first or first.get("dump") != 1:
        raise ValueError(f"{file} isn't a backup of Rulestone")
    if last is None or {name: count for name, count in last.get("end", {"": -1}).items() if count} != counts:
        raise ValueError(f"{file} is damaged: it ends too early")
    return first


def _read_rows(connection: Connection, file: Path, first: Mapping[str, Any]) -> None:
    old = MetaData()
    here = set(inspect(connection).get_table_names())
    old.reflect(connection, only=[name for name in here if name in metadata.tables or name == "alembic_version"])
    old.drop_all(connection)
    schema.upgrade(connection, str(first["schema"]))
    new = MetaData()
    new.reflect(connection)
    for line in _lines(file):
        if line.get("rows"):
            connection.execute(insert(new.tables[line["table"]]), [dict(zip(line["columns"], row, strict=True)) for row in line["rows"]])
    if connection.dialect.name == "postgresql":  # numbers that the database gives out continue after those in use
        for table in metadata.sorted_tables:
            for column in table.c:
                if column.autoincrement is True and table.name in new.tables:
                    highest = select(func.coalesce(func.max(column), 0) + 1).scalar_subquery()
                    connection.execute(select(func.setval(func.pg_get_serial_sequence(table.name, column.name), highest, False)))
