"""The database's schema: which version it has, and bringing it up to date with Alembic."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import text
from sqlalchemy.engine import URL, Connection, make_url
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

LOCK = 0x52756C65
"""The advisory lock that machines on one PostgreSQL take in turn when they start: a number of our own."""


def address(url: str) -> URL:
    """The address of a database, as `--db` takes it, with the driver that we use. Raises an exception of SQLAlchemy if it is none."""
    found = make_url(url)
    if found.drivername == "sqlite":
        return found.set(drivername="sqlite+aiosqlite")
    return found.set(drivername="postgresql+asyncpg") if found.drivername in ("postgresql", "postgres") else found


def file_of(url: URL) -> Path | None:
    """The file of an SQLite database; None if it is in memory, or another kind of database."""
    return Path(url.database) if url.drivername.startswith("sqlite") and url.database and url.database != ":memory:" else None


class Outdated(ValueError):
    """The database's schema isn't that of this version."""


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    return config


@cache
def head() -> str:
    """The newest version of the schema that this program knows."""
    return str(ScriptDirectory.from_config(_config()).get_current_head())


def version(connection: Connection) -> str | None:
    """The version of a database's schema; None if it is empty."""
    return MigrationContext.configure(connection).get_current_revision()


def upgrade(connection: Connection, to: str = "head") -> None:
    """Bring a database's schema up to date. Machines that start together on one PostgreSQL do so one after the other."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SET LOCAL statement_timeout = 0"))
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
    config = _config()
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, to)
    except CommandError as problem:
        if "locate revision" in str(problem):
            raise Outdated("it belongs to a newer version of Rulestone; install that version") from None
        raise


def check_current(connection: Connection) -> None:
    """Raise Outdated unless a database's schema is that of this version."""
    found = version(connection)
    if found != head():
        raise Outdated(f"it has schema {found or 'none'}, but this version needs {head()}; run `rulestone db upgrade` first")


def patient(url: URL) -> AsyncEngine:
    """An engine for work that may take long: a connection of its own each time, without a limit on how long a statement takes."""
    return create_async_engine(url, poolclass=NullPool, hide_parameters=True)
