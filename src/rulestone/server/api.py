"""The REST interface: everything a page can do, for programs in any language. Described in /api/openapi.json."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import JSONResponse
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator
from pydantic_core import PydanticCustomError

from rulestone.game import Game
from rulestone.server.refusal import Refused
from rulestone.server.room import Room
from rulestone.server.rooms import Rooms, Terms
from rulestone.server.security import Guests, Limits
from rulestone.server.storage import TableRow
from rulestone.server.thinking import levels
from rulestone.table import Face

router = APIRouter(prefix="/api", tags=["tables"])


def _clean(text: str) -> str:
    """Remove control characters and extra spaces, but keep the joiners inside emoji."""
    text = re.sub(r"(?<![^\x00-\x7f])\u200d|\u200d(?![^\x00-\x7f])", " ", text)
    return " ".join(re.sub(r"[\x00-\x1f\x7f\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f]", " ", text).split())


Name = Annotated[str, Field(max_length=24, description="Your name, shown to the others."), AfterValidator(_clean)]


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid")

    @field_validator("*", mode="before")
    @classmethod
    def _without_nul(cls, value: Any) -> Any:
        """Reject NUL characters, which not every database can store."""
        if isinstance(value, str) and "\0" in value:
            raise PydanticCustomError("nul", "Text can't contain the character NUL.")
        return value


class SeatWish(Body):
    """One seat of a new table."""

    kind: Literal["me", "open", "bot"] = Field(description="you, the first person to take the seat, or a bot")
    name: Name = ""
    bot: str = Field("", max_length=40, description="the level of the bot, if this is a bot's seat")


class Clock(Body):
    """A clock. When a player's time is up, a bot plays for them."""

    kind: Literal["move", "game"] = Field(description="time per move, or per player for the whole game")
    seconds: int = Field(ge=5, le=24 * 3600)


class NewTable(Body):
    game: str = Field(max_length=80)
    seats: list[SeatWish] = Field(min_length=1, max_length=8)
    options: dict[str, int | str | list[int]] = Field(default_factory=dict, max_length=64)
    name: Annotated[str, Field(max_length=60), AfterValidator(_clean)] = ""
    listed: bool = Field(False, description="list the table on the home page while a seat is free")
    spectators: bool = Field(True, description="anyone with the link can watch (spectators see only public information)")
    clock: Clock | None = None
    aid: str | None = Field(None, max_length=4, description="for games played from memory: one of the game's `aids`, the same for everyone")


class Sit(Body):
    seat: int = Field(ge=0, le=7)
    name: Name = ""


class Seat(Body):
    seat: int = Field(ge=0, le=7)


class BotSeat(Seat):
    bot: str = Field(max_length=40)


class MoveIn(Body):
    at: str = Field(max_length=24, description="the name of the position, from the latest state")
    move: int | str = Field(description="the action's number or its text, such as 3 or 'drop 3'", union_mode="left_to_right")
    key: str = Field("", max_length=40, description="your own id for this move; if you send it twice, the move is made once")
    seat: int | None = Field(None, description="which of your seats to move in, if more than one can decide now")


class Undo(Body):
    at: str = Field("", max_length=24, description="the name of the position; refused if it isn't the current one")


class Say(Body):
    text: Annotated[str, Field(min_length=1, max_length=500), AfterValidator(_clean), Field(min_length=1)]
    name: Name = ""
    key: str = Field("", max_length=40, description="your own id for this message; if you send it twice, it appears once")


class Fork(Body):
    index: int = Field(ge=0, description="continue from the position before this move")
    name: Name = ""


class Ids(BaseModel):
    id: str


# ---- shared by all calls ------------------------------------------------------------------------------------------------


def rooms_of(request: Request) -> Rooms:
    rooms: Rooms = request.app.state.rooms
    return rooms


def limits_of(request: Request) -> Limits:
    limits: Limits = request.app.state.limits
    return limits


def guest_of(request: Request) -> str:
    """The caller. Raises Refused if they have no token (browsers get a cookie; programs call POST /api/guests)."""
    guests: Guests = request.app.state.guests
    guest = guests.of(request.headers)
    if guest is None:
        raise Refused("no-token", "You need a token. Get one with POST /api/guests and send it as 'Authorization: Bearer TOKEN'.", 401)
    return guest


RoomsNow = Annotated[Rooms, Depends(rooms_of)]
LimitsNow = Annotated[Limits, Depends(limits_of)]
Guest = Annotated[str, Depends(guest_of)]


async def room_of(table: str, rooms: RoomsNow, guest: Guest) -> Room:
    room = await rooms.get(table[:24])
    room.check_watching(guest)
    return room


RoomNow = Annotated[Room, Depends(room_of)]


def game_data(game: Game) -> dict[str, Any]:
    """A game as data."""
    about = game.about
    return {
        "name": game.name,
        "title": game.title,
        "summary": about.summary,
        "minutes": about.minutes,
        "players": [game.min_players, game.max_players],
        "usual_players": about.usual_players,
        "cooperative": game.cooperative,
        "perfect_information": game.perfect_information,
        "seats": {str(n): [about.name(seat, n) for seat in range(n)] for n in range(game.min_players, game.max_players + 1)},
        "bots": levels(game),
        "aids": asdict(aids) if (aids := Face.of(game).aids) else None,
        "verbs": [verb.usage() for verb in game.actions],
        "options": [
            {
                "name": option.name,
                "help": option.help,
                "default": {str(n): option.default_for(n) for n in range(game.min_players, game.max_players + 1)},
                "choices": list(option.choices) if len(option.choices) <= 40 else option.possible(),
            }
            for option in game.options.values()
        ],
    }


def table_data(row: TableRow, game: Game, guest: str | None) -> dict[str, Any]:
    """A table in a list."""
    seats = [
        {
            "title": game.about.name(n, row.players),
            "kind": seat.kind,
            "name": seat.name,
            "bot": seat.bot,
            "mine": bool(guest) and seat.guest == guest,
        }
        for n, seat in enumerate(row.seats)
    ]
    return {
        "id": row.id,
        "game": row.game,
        "title": game.title,
        "name": row.name,
        "status": row.status,
        "seats": seats,
        "updated": row.updated,
    }


# ---- calls --------------------------------------------------------------------------------------------------------------


@router.post("/guests", status_code=201)
async def new_guest(request: Request, limits: LimitsNow) -> dict[str, str]:
    """Get a token for a program (browsers get a cookie). Anyone who has the token can play for its seats."""
    limits.check("create", request.client.host if request.client else "")
    guests: Guests = request.app.state.guests
    return {"token": guests.issue()}


@router.get("/games")
async def list_games(rooms: RoomsNow) -> list[dict[str, Any]]:
    """List the games you can play here, with their numbers of players, options and bots."""
    return [game_data(game) for game in rooms.games.values()]


@router.get("/games/{game}")
async def one_game(game: str, rooms: RoomsNow) -> dict[str, Any]:
    """Describe one game."""
    return game_data(rooms.game(game))


@router.get("/tables")
async def list_tables(rooms: RoomsNow, guest: Guest) -> dict[str, list[dict[str, Any]]]:
    """List your tables, and public tables with a free seat."""
    mine, free = await rooms.storage.tables_of(guest), await rooms.storage.open_tables()
    return {
        "mine": [table_data(row, rooms.games[row.game], guest) for row in mine if row.game in rooms.games],
        "open": [table_data(row, rooms.games[row.game], guest) for row in free if row.game in rooms.games],
    }


@router.post("/tables", status_code=201)
async def new_table(wish: NewTable, rooms: RoomsNow, guest: Guest, limits: LimitsNow) -> Ids:
    """Create a table."""
    limits.check("create", guest)
    terms = Terms(wish.name, wish.listed, wish.spectators, wish.clock.model_dump() if wish.clock else None, wish.aid)
    room = await rooms.create(wish.game, guest, [seat.model_dump() for seat in wish.seats], wish.options, terms)
    return Ids(id=room.row.id)


@router.get("/tables/{table}")
async def read_table(room: RoomNow, guest: Guest) -> dict[str, Any]:
    """Get the table and the position as you may see it, with the legal moves if it's your turn."""
    return {"table": room.table_info(guest), "state": room.state(guest)}


@router.get("/tables/{table}/position")
async def read_position(room: RoomNow, guest: Guest) -> dict[str, Any]:
    """Get the position as data: all fields and moves your seat can know, and its legal moves (`legal`)."""
    return room.position(guest)


@router.post("/tables/{table}/sit")
async def sit(body: Sit, room: RoomNow, guest: Guest) -> dict[str, Any]:
    """Take a free seat."""
    await room.sit(guest, body.seat, body.name)
    return room.table_info(guest)


@router.post("/tables/{table}/bot")
async def set_bot(body: BotSeat, room: RoomNow, guest: Guest) -> dict[str, Any]:
    """Put a bot in a free seat, or change a bot (host only)."""
    await room.set_bot(guest, body.seat, body.bot)
    return room.table_info(guest)


@router.post("/tables/{table}/leave")
async def leave(body: Seat, room: RoomNow, guest: Guest) -> dict[str, Any]:
    """Leave your seat. A bot plays for you until you return."""
    await room.leave(guest, body.seat)
    return room.table_info(guest)


@router.post("/tables/{table}/return")
async def come_back(body: Seat, room: RoomNow, guest: Guest) -> dict[str, Any]:
    """Return to your seat; the bot stops playing for you."""
    await room.come_back(guest, body.seat)
    return room.table_info(guest)


@router.post("/tables/{table}/substitute")
async def substitute(body: Seat, room: RoomNow, guest: Guest) -> dict[str, Any]:
    """Let a bot play for someone who has been away for a minute."""
    await room.substitute(guest, body.seat)
    return room.table_info(guest)


@router.post("/tables/{table}/moves")
async def make_move(body: MoveIn, room: RoomNow, guest: Guest) -> Any:
    """Make a move. The call returns once the move is committed.

    If the position has changed, the answer is 409 'stale' with the current `state`.
    """
    try:
        await room.move(guest, body.at, room.action(body.move), body.key, body.seat)
    except Refused as refusal:
        if refusal.code != "stale":
            raise
        return JSONResponse({"code": refusal.code, "text": refusal.text, "state": room.state(guest)}, refusal.status)
    return room.state(guest)


@router.post("/tables/{table}/undo")
async def undo(room: RoomNow, guest: Guest, body: Undo | None = None) -> dict[str, Any]:
    """Undo your last decision, if nobody has learnt anything new since."""
    await room.undo(guest, body.at if body else "")
    return room.state(guest)


@router.post("/tables/{table}/hint")
async def hint(room: RoomNow, guest: Guest, limits: LimitsNow) -> dict[str, Any]:
    """Get the move a bot would make."""
    limits.check("think", guest)
    return await room.hint(guest)


@router.post("/tables/{table}/chat", status_code=204)
async def say(body: Say, room: RoomNow, guest: Guest, limits: LimitsNow) -> None:
    """Send a chat message."""
    limits.check("chat", guest)
    await room.say(guest, body.name, body.text, body.key)


@router.get("/tables/{table}/chat")
async def chat(room: RoomNow) -> list[dict[str, Any]]:
    """Read the chat."""
    return await room.storage.chat_of(room.row.id)


@router.post("/tables/{table}/rematch", status_code=201)
async def rematch(room: RoomNow, rooms: RoomsNow, guest: Guest, limits: LimitsNow) -> Ids:
    """Ask for a rematch: the same players at a new table, each one seat further."""
    limits.check("create", guest)
    return Ids(id=await rooms.rematch(room, guest))


@router.post("/tables/{table}/fork", status_code=201)
async def fork(body: Fork, room: RoomNow, rooms: RoomsNow, guest: Guest, limits: LimitsNow) -> Ids:
    """Continue from a position of a finished game, with bots."""
    limits.check("create", guest)
    return Ids(id=(await rooms.fork(room, guest, body.index, body.name)).row.id)


@router.get("/tables/{table}/frames/{index}")
async def frame(
    index: int,
    room: RoomNow,
    guest: Guest,
    eyes: Annotated[str, Query(pattern="^(open|public|[0-7])$")] = "public",
    noticed: bool = False,
    ply: bool = False,
) -> dict[str, Any]:
    """Get the position before move `index` as one viewer saw it: yourself while the game is running, anyone (or `open`) once it is over.

    While the game is running, only moves that the viewer noticed count; with `noticed`, the same goes for a finished game.
    With `ply`, the index is a position's `ply`, as in its frame.
    """
    return room.past_frame(guest, index, eyes, noticed, ply)


@router.get("/tables/{table}/story")
async def story(
    room: RoomNow,
    guest: Guest,
    start: Annotated[int, Query(ge=0)] = 0,
    eyes: Annotated[str, Query(pattern="^(open|public|[0-7])$")] = "public",
) -> list[list[str]]:
    """Get the story of up to 150 positions from number `start` on, as one viewer saw it (see frames)."""
    return room.past_story(guest, start, eyes)


@router.get("/tables/{table}/curve")
async def curve(room: RoomNow, guest: Guest, limits: LimitsNow) -> dict[str, Any]:
    """Get a bot's estimate of the chances throughout a finished game."""
    limits.check("think", guest)
    return await room.curve()


@router.get("/tables/{table}/record")
async def record(room: RoomNow) -> dict[str, Any]:
    """Download the record of a finished game, with the seed that proves it was fair."""
    return room.record()
