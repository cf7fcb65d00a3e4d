"""`rulestone db …`: looking after the database of a server. What the commands do is in upkeep.py, retention.py and export.py."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

T = TypeVar("T")
app = typer.Typer(
    no_args_is_help=True,
    help="Look after a server's database: upgrade, check, backup, restore, prune, export.",
    rich_markup_mode="rich",
)
Db = Annotated[str | None, typer.Option("--db", metavar="URL", help="The database (default: a file in your data folder).")]
Games = Annotated[
    list[Path] | None, typer.Option("--game", metavar="FOLDER", help="Game folder, for tables of your own games. Repeat for several.")
]


def _run(work: Coroutine[Any, Any, T]) -> T:
    """Run one command. Whatever a database or its driver raises becomes a ValueError of one sentence."""
    from sqlalchemy.exc import SQLAlchemyError

    try:
        return asyncio.run(work)
    except (SQLAlchemyError, OSError) as problem:
        reason = str(getattr(problem, "orig", None) or problem).partition("\n")[0]
        raise ValueError(f"the database can't be used: {reason}") from None


def _url(db: str | None) -> str:
    from rulestone.server.app import default_database

    return db or default_database()


def _games(folders: list[Path] | None) -> dict[str, Any]:
    from rulestone.game import installed, load

    return dict(installed()) | {game.name: game for game in map(load, folders or ())}


@app.command()
def upgrade(db: Db = None) -> None:
    """Bring the database up to date with this version of Rulestone, or create it.

    A server does this by itself when it starts. On a fleet, stop the servers first, so that none of the old version goes on playing.
    """
    from rulestone.server.schema import head
    from rulestone.server.storage import Storage

    async def work() -> None:
        storage = Storage(_url(db))
        try:
            await storage.open()
        finally:
            await storage.close()

    _run(work())
    print(f"The database is up to date (schema {head()}).")


@app.command()
def check(db: Db = None, game: Games = None) -> None:
    """Check the database: every table is replayed from its seed, no move is missing, seats and status make sense.

    Prints what is wrong and exits with code 1 if anything is. Tables of games that aren't installed can't be replayed; they are listed.
    """
    from rulestone.server.upkeep import check as look
    from rulestone.server.upkeep import opened
    from rulestone.table.kit import many

    async def work() -> tuple[int, list[str], list[str]]:
        async with opened(_url(db)) as storage:
            return await look(storage, _games(game))

    count, wrong, unknown = _run(work())
    for line in [*unknown, *wrong]:
        print(line)
    print(f"{many(count, 'table')}, {many(len(wrong), 'problem')}, {len(unknown)} that can't be replayed here.")
    if wrong:
        raise typer.Exit(1)


@app.command()
def backup(
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="File to write (default: one named by date and time).")] = None,
    db: Db = None,
    portable: Annotated[bool, typer.Option("--portable", help="Write a copy that can be restored into SQLite and PostgreSQL.")] = False,
) -> None:
    """Copy the database as it is at one moment, while servers use it.

    Of SQLite, this makes another SQLite file; of PostgreSQL an archive of pg_dump, or a portable copy if pg_dump isn't installed.
    Keep backups private: they contain the secret seeds of running games, and the key that signs cookies.
    """
    from rulestone.server.upkeep import backup as copy

    target = file or Path(time.strftime("rulestone-%Y-%m-%d-%H%M%S.backup"))
    kind = _run(copy(_url(db), target, portable))
    print(f"The backup is in {target}: {kind}, {target.stat().st_size:,} bytes.")


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file that `rulestone db backup` wrote.")],
    db: Db = None,
    force: Annotated[bool, typer.Option("--force", help="Restore even if the database isn't empty. What is in it is lost.")] = False,
) -> None:
    """Fill an empty database from a backup, and bring it up to date. Stop the servers first."""
    from rulestone.server.upkeep import restore as fill

    _run(fill(_url(db), file, force))
    print("The database is restored. `rulestone db check` replays every table.")


@app.command()
def prune(
    db: Db = None,
    keep_finished: Annotated[str, typer.Option(metavar="TIME", help="How long to keep finished games: 90d, 12w, 1y, forever.")] = "forever",
    keep_unfinished: Annotated[
        str, typer.Option(metavar="TIME", help="How long to keep unfinished games after the last move.")
    ] = "forever",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say how many tables would go.")] = False,
) -> None:
    """Delete old tables with their moves and chat. The games of a series go together.

    Servers started with the same options do this once a day.
    """
    from rulestone.server.retention import Keep, Pruned, span
    from rulestone.server.retention import prune as run
    from rulestone.server.upkeep import opened

    keep = Keep(span(keep_finished), span(keep_unfinished))
    if not keep:
        raise ValueError("everything is kept for ever; say what is old with --keep-finished and --keep-unfinished")

    async def work() -> Pruned:
        async with opened(_url(db)) as storage:
            return await run(storage.writing, keep, dry=dry_run)

    gone = _run(work())
    verb = "would be deleted" if dry_run else "were deleted"
    print(f"{gone.finished} finished and {gone.unfinished} unfinished tables {verb}.")


@app.command()
def export(
    out: Annotated[Path, typer.Option("--out", "-o", help="Zip file to write.")] = Path("games.zip"),
    table: Annotated[str | None, typer.Option(metavar="ID", help="The table, as in its link; all games of its series.")] = None,
    guest: Annotated[
        str | None, typer.Option(metavar="HASH", help="The person: the hash of their token, or its beginning, as in reports.")
    ] = None,
    db: Db = None,
    game: Games = None,
) -> None:
    """Write all finished games of a table or a person to a zip file: a list, and a record of each that anybody can verify.

    Games that aren't over are left out: their seeds and hidden cards are secret until the end.
    """
    from rulestone.server.export import pack
    from rulestone.server.upkeep import opened, rows_of
    from rulestone.table.kit import many

    if (table is None) == (guest is None):
        raise ValueError("say whose games you want: --table ID or --guest HASH")
    if out.exists():
        raise ValueError(f"{out} exists already; nothing was changed")

    async def work() -> tuple[int, int]:
        async with opened(_url(db)) as storage:
            rows, whose = await rows_of(storage, table, guest)
            with out.open("wb") as file:
                return await pack(storage, _games(game), rows, file, whose), len(rows)

    packed, found = _run(work())
    print(f"{many(packed, 'finished game')} in {out}. Left out because they aren't over or can't be replayed here: {found - packed}.")
