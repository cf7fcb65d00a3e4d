"""All finished games of a table or of a person, as one zip file of records that anybody can replay and verify.

Games that aren't over are left out: their seeds and hidden cards are secret until the end.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
import zipfile
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import IO, Any

from fastapi import APIRouter
from fastapi.responses import StreamingResponse

import rulestone
from rulestone.game import Game
from rulestone.server.api import Guest, RoomsNow, limited
from rulestone.server.storage import MoveRow, Storage, TableRow
from rulestone.server.stored import other_rules, stored_record
from rulestone.server.upkeep import replayed

router = APIRouter(prefix="/api/me", tags=["you"])
MOST = 500
"""How many games somebody gets at once by the page, the newest first. An operator gets all."""
IN_MEMORY, PIECE = 8 << 20, 64 << 10
turn = asyncio.Semaphore(1)
"""One file is made at a time: replaying many games is work."""


def entry(games: Mapping[str, Game], row: TableRow, moves: Sequence[MoveRow], guest: str | None) -> tuple[dict[str, Any], str] | None:
    """What the list of games says about a table, and the record of its game; None unless the game is over."""
    game = games.get(row.game)
    if game is None:
        return None
    if why := other_rules(game, row):
        record = stored_record(game, row, moves)
    else:
        match = replayed(games, row, moves)
        if not match.over:
            return None
        record = match.copy().record()
    day = time.strftime("%Y-%m-%d", time.gmtime(row.created))
    about = {
        "file": f"games/{day}-{row.game.partition('?')[0]}-{row.id}.json",
        "game": row.game,
        "title": game.title,
        "name": row.name,
        "table": row.id,
        "created": row.created,
        "ended": row.updated,
        "series": row.series,
        "other_rules": why,
        "seats": [{"kind": seat.kind, "name": seat.name, "bot": seat.bot, "you": seat.guest == (guest or "")} for seat in row.seats],
    }
    return about, json.dumps(record, indent=2) + "\n"


async def pack(storage: Storage, games: Mapping[str, Game], rows: Sequence[TableRow], out: IO[bytes], guest: str | None = None) -> int:
    """Write the finished games among some tables to a zip file. Returns how many there are."""
    known = []
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for row in rows:
            moves = await storage.moves_of(row.id) if row.status == "over" else []
            found = await asyncio.to_thread(entry, games, row, moves, guest) if row.status == "over" else None
            if found is not None:
                known.append(found[0])
                file.writestr(found[0]["file"], found[1])
        contents = {"rulestone": rulestone.__version__, "games": known, "left_out": len(rows) - len(known)}
        file.writestr("games.json", json.dumps(contents, indent=2) + "\n")
    return len(known)


@router.get("/games.zip", response_class=StreamingResponse, dependencies=[limited("create")])
async def my_games(rooms: RoomsNow, guest: Guest) -> StreamingResponse:
    """Download your finished games: a zip file with a list and the record of each. Games that aren't over are left out."""
    file = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 (it is closed when it has been sent)
    async with turn:
        rows = await rooms.storage.tables_of(guest, MOST)
        games = {row.game: game for row in rows if (game := await rooms.known(row.game)) is not None}
        await pack(rooms.storage, games, rows, file, guest)
    headers = {"Content-Disposition": 'attachment; filename="rulestone-games.zip"'}
    return StreamingResponse(_sent(file), media_type="application/zip", headers=headers)


async def _sent(file: IO[bytes]) -> AsyncIterator[bytes]:
    with file:
        file.seek(0)
        for piece in _pieces(file):
            yield piece


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    while piece := file.read(PIECE):
        yield piece
