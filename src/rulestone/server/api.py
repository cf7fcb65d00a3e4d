"""The REST interface: everything a page can do, for programs in any language. OpenAPI at /api/openapi.json."""

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
    """Without control characters and needless spaces; the joint of an emoji made of several stays."""
    text = re.sub(r"(?<![^\x00-\x7f])\u200d|\u200d(?![^\x00-\x7f])", " ", text)
    return " ".join(re.sub(r"[\x00-\x1f\x7f\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f]", " ", text).split())


Name = Annotated[str, Field(max_length=24, description="What others call you."), AfterValidator(_clean)]


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid")

    @field_validator("*", mode="before")
    @classmethod
    def _without_nul(cls, value: Any) -> Any:
        """No database can keep a NUL in a text."""
        if isinstance(value, str) and "\0" in value:
            raise PydanticCustomError("nul", "Text can't contain the character NUL.")
        return value


class SeatWish(Body):
    """One chair of a new table."""

    kind: Literal["me", "open", "bot"] = Field(description="you, whoever opens the link first, or a bot")
    name: Name = ""
    bot: str = Field("", max_length=40, description="the bot's level, if a bot sits here")


class Clock(Body):
    """A clock; when it runs out a bot takes the chair."""

    kind: Literal["move", "game"] = Field(description="for each move, or for the whole game of each player")
    seconds: int = Field(ge=5, le=24 * 3600)


class NewTable(Body):
    game: str = Field(max_length=80)
    seats: list[SeatWish] = Field(min_length=1, max_length=8)
    options: dict[str, int | str | list[int]] = Field(default_factory=dict, max_length=64)
    name: Annotated[str, Field(max_length=60), AfterValidator(_clean)] = ""
    listed: bool = Field(False, description="show it on the home page while a chair is free")
    spectators: bool = Field(True, description="others may watch (they see the public view)")
    clock: Clock | None = None
    aid: str | None = Field(None, max_length=4, description="in a game played from memory: one of its `aids`, the same for everybody")


class Sit(Body):
    seat: int = Field(ge=0, le=7)
    name: Name = ""


class Seat(Body):
    seat: int = Field(ge=0, le=7)


class BotSeat(Seat):
    bot: str = Field(max_length=40)


class MoveIn(Body):
    at: str = Field(max_length=24, description="the position's name as the last state gave it")
    move: int | str = Field(description="the action's number or its words, such as 3 or 'drop 3'", union_mode="left_to_right")
    key: str = Field("", max_length=40, description="your own id for this move; sent twice, it is made once")
    seat: int | None = Field(None, description="in which of your seats, if several of them may decide now")


class Undo(Body):
    at: str = Field("", max_length=24, description="the position's name; another position is left alone")


class Say(Body):
    text: Annotated[str, Field(min_length=1, max_length=500), AfterValidator(_clean), Field(min_length=1)]
    name: Name = ""
    key: str = Field("", max_length=40, description="your own id for this line; sent twice, it is said once")


class Fork(Body):
    index: int = Field(ge=0, description="play on from before this move")
    name: Name = ""


class Ids(BaseModel):
    id: str


# ---- what every call needs ----------------------------------------------------------------------------------------------


def rooms_of(request: Request) -> Rooms:
    rooms: Rooms = request.app.state.rooms
    return rooms


def limits_of(request: Request) -> Limits:
    limits: Limits = request.app.state.limits
    return limits


def guest_of(request: Request) -> str:
    """The caller, who must have a token (pages give browsers a cookie; programs POST /api/guests)."""
    guests: Guests = request.app.state.guests
    guest = guests.of(request.headers)
    if guest is None:
        raise Refused("no-token", "Get a token first: POST /api/guests, then send it as 'Authorization: Bearer TOKEN'.", 401)
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
    """A token for a program (browsers get theirs as a cookie). Whoever has it has its seats."""
    limits.check("create", request.client.host if request.client else "")
    guests: Guests = request.app.state.guests
    return {"token": guests.issue()}


@router.get("/games")
async def list_games(rooms: RoomsNow) -> list[dict[str, Any]]:
    """The games that can be played here, with players, options and bots."""
    return [game_data(game) for game in rooms.games.values()]


@router.get("/games/{game}")
async def one_game(game: str, rooms: RoomsNow) -> dict[str, Any]:
    return game_data(rooms.game(game))


@router.get("/tables")
async def list_tables(rooms: RoomsNow, guest: Guest) -> dict[str, list[dict[str, Any]]]:
    """The caller's tables, and listed tables with a free chair."""
    mine, free = await rooms.storage.tables_of(guest), await rooms.storage.open_tables()
    return {
        "mine": [table_data(row, rooms.games[row.game], guest) for row in mine if row.game in rooms.games],
        "open": [table_data(row, rooms.games[row.game], guest) for row in free if row.game in rooms.games],
    }


@router.post("/tables", status_code=201)
async def new_table(wish: NewTable, rooms: RoomsNow, guest: Guest, limits: LimitsNow) -> Ids:
    """Make a table."""
    limits.check("create", guest)
    terms = Terms(wish.name, wish.listed, wish.spectators, wish.clock.model_dump() if wish.clock else None, wish.aid)
    room = await rooms.create(wish.game, guest, [seat.model_dump() for seat in wish.seats], wish.options, terms)
    return Ids(id=room.row.id)


@router.get("/tables/{table}")
async def read_table(room: RoomNow, guest: Guest) -> dict[str, Any]:
    """The table and the position as the caller may see it, with the legal moves if it is the caller's turn."""
    return {"table": room.table_info(guest), "state": room.state(guest)}


@router.get("/tables/{table}/position")
async def read_position(room: RoomNow, guest: Guest) -> dict[str, Any]:
    """The position as data, for programs that play: the fields of the record and the moves made, as far as the caller's seat may know them,
    and what it can do now (`legal`)."""
    return room.position(guest)


@router.post("/tables/{table}/sit")
async def sit(body: Sit, room: RoomNow, guest: Guest) -> dict[str, Any]:
    """Take a free chair."""
    await room.sit(guest, body.seat, body.name)
    return room.table_info(guest)


@router.post("/tables/{table}/bot")
async def set_bot(body: BotSeat, room: RoomNow, guest: Guest) -> dict[str, Any]:
    """The host puts a bot into a free chair."""
    await room.set_bot(guest, body.seat, body.bot)
    return room.table_info(guest)


@router.post("/tables/{table}/leave")
async def leave(body: Seat, room: RoomNow, guest: Guest) -> dict[str, Any]:
    """Leave a chair: a bot plays on and hands it back on return."""
    await room.leave(guest, body.seat)
    return room.table_info(guest)


@router.post("/tables/{table}/return")
async def come_back(body: Seat, room: RoomNow, guest: Guest) -> dict[str, Any]:
    """Take one's chair back from the bot."""
    await room.come_back(guest, body.seat)
    return room.table_info(guest)


@router.post("/tables/{table}/substitute")
async def substitute(body: Seat, room: RoomNow, guest: Guest) -> dict[str, Any]:
    """Let a bot play for a person who has been away for a minute."""
    await room.substitute(guest, body.seat)
    return room.table_info(guest)


@router.post("/tables/{table}/moves")
async def make_move(body: MoveIn, room: RoomNow, guest: Guest) -> Any:
    """Make a move. The answer comes after it is committed. 409 'stale' with the present `state` if the table has moved on."""
    try:
        await room.move(guest, body.at, room.action(body.move), body.key, body.seat)
    except Refused as refusal:
        if refusal.code != "stale":
            raise
        return JSONResponse({"code": refusal.code, "text": refusal.text, "state": room.state(guest)}, refusal.status)
    return room.state(guest)


@router.post("/tables/{table}/undo")
async def undo(room: RoomNow, guest: Guest, body: Undo | None = None) -> dict[str, Any]:
    """Take back one's last decision, as far as nobody has learnt anything new since."""
    await room.undo(guest, body.at if body else "")
    return room.state(guest)


@router.post("/tables/{table}/hint")
async def hint(room: RoomNow, guest: Guest, limits: LimitsNow) -> dict[str, Any]:
    """What the bot would do."""
    limits.check("think", guest)
    return await room.hint(guest)


@router.post("/tables/{table}/chat", status_code=204)
async def say(body: Say, room: RoomNow, guest: Guest, limits: LimitsNow) -> None:
    """Say something at the table."""
    limits.check("chat", guest)
    await room.say(guest, body.name, body.text, body.key)


@router.get("/tables/{table}/chat")
async def chat(room: RoomNow) -> list[dict[str, Any]]:
    """What was said."""
    return await room.storage.chat_of(room.row.id)


@router.post("/tables/{table}/rematch", status_code=201)
async def rematch(room: RoomNow, rooms: RoomsNow, guest: Guest, limits: LimitsNow) -> Ids:
    """The same people again, each one chair further."""
    limits.check("create", guest)
    return Ids(id=await rooms.rematch(room, guest))


@router.post("/tables/{table}/fork", status_code=201)
async def fork(body: Fork, room: RoomNow, rooms: RoomsNow, guest: Guest, limits: LimitsNow) -> Ids:
    """Play on from a position of a finished game, against bots."""
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
    """The position before move `index`, through one pair of eyes: one's own while the game runs, any (or `open`) when it is over.

    While the game runs only the moves that those eyes noticed are counted; `noticed` asks for that also when it is over.
    With `ply` the index is a position's `ply`, as in its frame.
    """
    return room.past_frame(guest, index, eyes, noticed, ply)


@router.get("/tables/{table}/story")
async def story(
    room: RoomNow,
    guest: Guest,
    start: Annotated[int, Query(ge=0)] = 0,
    eyes: Annotated[str, Query(pattern="^(open|public|[0-7])$")] = "public",
) -> list[list[str]]:
    """What was told up to each position from number `start` on, at most 150 of them, through one pair of eyes as above."""
    return room.past_story(guest, start, eyes)


@router.get("/tables/{table}/curve")
async def curve(room: RoomNow, guest: Guest, limits: LimitsNow) -> dict[str, Any]:
    """How the chances stood along a finished game."""
    limits.check("think", guest)
    return await room.curve()


@router.get("/tables/{table}/record")
async def record(room: RoomNow) -> dict[str, Any]:
    """The record of a finished game, with the seed that proves it honest."""
    return room.record()
