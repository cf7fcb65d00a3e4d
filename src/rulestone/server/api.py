"""The REST interface: everything a page can do, for programs in any language. Described in /api/openapi.json."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import JSONResponse
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from rulestone.game import Game
from rulestone.series import Series, has_points, usual_target
from rulestone.server.dice import commitment
from rulestone.server.fair import Fair
from rulestone.server.limits import Limits
from rulestone.server.refusal import Refused
from rulestone.server.room import Room
from rulestone.server.rooms import Rooms, Terms
from rulestone.server.security import Guests, address_of
from rulestone.server.storage import TableRow
from rulestone.server.stored import OtherRules, other_rules
from rulestone.server.thinking import levels
from rulestone.table import Face

router = APIRouter(prefix="/api", tags=["tables"])
MOST_CHOICES = 40
"""Options with more choices are written as a range."""


def clean(text: str) -> str:
    """Remove control characters and extra spaces, but keep the joiners inside emoji."""
    text = re.sub(r"(?<![^\x00-\x7f])\u200d|\u200d(?![^\x00-\x7f])", " ", text)
    return " ".join(re.sub(r"[\x00-\x1f\x7f\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f]", " ", text).split())


DAY = 24 * 3600
Name = Annotated[str, Field(max_length=24, description="Your name, shown to the others."), AfterValidator(clean)]


Hash = Annotated[str, Field(pattern="^([0-9a-f]{64})?$", max_length=64)]
PLEDGE = "your part in the dice: the hash of a secret value (docs/server/dice.md); empty to leave them to the others"


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
    """A clock. `fair.time` decides what happens when a player's time is up."""

    kind: Literal["move", "game"] = Field(description="time per move, or per player for the whole game")
    seconds: int = Field(ge=5, le=30 * DAY)


class FairPlay(Body):
    """What is fair at a table. It is shown to everybody, a rematch keeps it, and nobody can change it later."""

    hints: Literal["alone", "on", "off"] = Field(
        default="alone", description="alone: on while one person plays against bots, off as soon as two people play"
    )
    undo: Literal["ask", "free", "off"] = Field(
        default="ask", description="ask: free against bots; between people, everybody else has to agree"
    )
    time: Literal["bot", "lose"] = Field(default="bot", description="when a player's time is up: a bot plays on for them, or they lose")


class SeriesWish(Body):
    """A series: several games with the same players, who change seats as the game says. Give one of the two."""

    target: int | None = Field(None, ge=1, le=100_000, description="the first to reach this many points wins")
    length: int | None = Field(None, ge=2, le=99, description="whoever has most points after this many games wins")

    @model_validator(mode="after")
    def _one_of_two(self) -> SeriesWish:
        if (self.target is None) == (self.length is None):
            raise PydanticCustomError("series", "Give either target or length.")
        return self


class NewTable(Body):
    game: str = Field(max_length=200, description="its name, with changed constants if you like: connect_four@ROWS=5")
    seats: list[SeatWish] = Field(min_length=1, max_length=8)
    options: dict[str, int | str | list[int]] = Field(default_factory=dict, max_length=64)
    name: Annotated[str, Field(max_length=60), AfterValidator(clean)] = ""
    listed: bool = Field(False, description="list the table on the home page while a seat is free")
    spectators: bool = Field(True, description="anyone with the link can watch (spectators see only public information)")
    clock: Clock | None = None
    aid: str | None = Field(None, max_length=4, description="for games played from memory: one of the game's `aids`, the same for everyone")
    fair: FairPlay = FairPlay()
    series: SeriesWish | None = None
    pledge: Hash = Field("", description=PLEDGE)


class Sit(Body):
    seat: int = Field(ge=0, le=7)
    name: Name = ""
    pledge: Hash = Field("", description=PLEDGE)


class Seat(Body):
    seat: int = Field(ge=0, le=7)


class Layout(Body):
    narrow: bool = Field(description="whether the screen is narrow")


class BotSeat(Seat):
    bot: str = Field(max_length=40)


class MoveIn(Body):
    at: str = Field(max_length=24, description="the name of the position, from the latest state")
    move: int | str = Field(description="the action's number or its text, such as 3 or 'drop 3'", union_mode="left_to_right")
    key: str = Field("", max_length=40, description="your own id for this move; if you send it twice, the move is made once")
    seat: int | None = Field(None, description="which of your seats to move in, if more than one can decide now")


class Undo(Body):
    at: str = Field("", max_length=24, description="the name of the position; refused if it isn't the current one")


class Answer(Body):
    number: int = Field(description="the `number` of the request in the table's `request`")
    yes: bool = Field(description="whether you agree; one no is enough to decline it")


class Say(Body):
    text: Annotated[str, Field(min_length=1, max_length=500), AfterValidator(clean), Field(min_length=1)]
    name: Name = ""
    key: str = Field("", max_length=40, description="your own id for this message; if you send it twice, it appears once")


class Hush(Body):
    on: bool = Field(description="true closes the chat, false opens it again")


class Who(Body):
    who: str = Field(max_length=24, description="a person at the table, as in its chat lines and seats")


class Report(Who):
    text: str = Field(max_length=500, description="the line, as in the chat")
    reason: Annotated[str, Field(min_length=1, max_length=300), AfterValidator(clean)]


class Fork(Body):
    index: int = Field(ge=0, description="continue from the position before this move")
    name: Name = ""
    pledge: Hash = Field("", description=PLEDGE)


class Pledge(Body):
    pledge: Hash = Field("", description=PLEDGE)


class Value(Body):
    value: str = Field(pattern="^[0-9a-f]{64}$", max_length=64, description="the value behind your pledge, once all pledges are known")


class Ids(BaseModel):
    id: str


class Made(Ids):
    """A new table, the fingerprint of the server's secret there, and how far its dice are."""

    commitment: str
    dice: dict[str, Any]


def made(room: Room) -> Made:
    return Made(id=room.row.id, commitment=commitment(room.row), dice=room.dice.data())


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


async def room_of(table: str, rooms: RoomsNow, guest: Guest, request: Request, limits: LimitsNow) -> Room:
    await limits.check("message", guest, address_of(request))
    room = await rooms.watched(table, guest)
    await limits.check("message", table=room.stranger_at(guest))
    return room


RoomNow = Annotated[Room, Depends(room_of)]


def limited(what: str) -> Any:
    """Refuse a call that the same guest or address makes too often."""

    async def check(request: Request, limits: LimitsNow, guest: Guest) -> None:
        await limits.check(what, guest, address_of(request))

    return Depends(check)


def limited_at_table(what: str) -> Any:
    """The same for a call about a table, which has a limit for strangers, too."""

    async def check(request: Request, limits: LimitsNow, room: RoomNow, guest: Guest) -> None:
        await limits.check(what, guest, address_of(request), room.stranger_at(guest))

    return Depends(check)


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
        "series": {"points": has_points(game), "target": usual_target(game)},
        "verbs": [verb.usage() for verb in game.actions],
        "options": [
            {
                "name": option.name,
                "help": option.help,
                "title": option.title,
                "sentence": option.sentence,
                "said": {str(value): option.said(value) for value in option.choices} if len(option.choices) <= MOST_CHOICES else {},
                "default": {str(n): option.default_for(n) for n in range(game.min_players, game.max_players + 1)},
                "choices": list(option.choices) if len(option.choices) <= MOST_CHOICES else option.possible(),
            }
            for option in game.options.values()
        ],
    }


async def tables_data(rooms: Rooms, rows: Iterable[TableRow], guest: str | None) -> list[dict[str, Any]]:
    """Tables in a list, most urgent first: those that wait for the guest by the time left, then by how long they have waited."""
    found = [(row, await rooms.known(row.game)) for row in rows]
    known = [table_data(row, game, guest, await rooms.turns(row)) for row, game in found if game is not None]
    return sorted(known, key=_urgency)


def _urgency(table: Mapping[str, Any]) -> tuple[bool, bool, float, float]:
    turn = table["turn"] or {"since": 0.0, "due": None}
    return table["status"] == "over", table["turn"] is None, turn["due"] or math.inf, turn["since"]


def table_data(row: TableRow, game: Game, guest: str | None, waits: Mapping[str, list[float | None]]) -> dict[str, Any]:
    """A table in a list. `turn` says since when it waits for the guest, and until when; nothing is said of others."""
    mine = [waits[str(n)] for n, seat in enumerate(row.seats) if guest and seat.guest == guest and str(n) in waits and row.status != "over"]
    due = [until for _, until in mine if until is not None]
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
        "other_rules": other_rules(game, row) is not None,
        "turn": {"since": min(since for since, _ in mine if since is not None), "due": min(due, default=None)} if mine else None,
    }


async def series_data(rooms: Rooms, id: str, guest: str) -> dict[str, Any]:
    """A series with its games. Players are numbered by their seats in the first game."""
    room, rows = await rooms.games_of(id, guest)
    series, last = Series(room.game, **(room.row.terms or {}), rotate=True, players=room.row.players, options=room.row.options), rows[-1]
    hues, games = room.face.hues(last.players), []
    for number, row in enumerate(rows):
        points = await rooms.points_of(row)
        seats = series.seats(number)
        won = series.credit(points) if points is not None else None
        chairs = [seats.index(player) for player in range(series.players)]
        games.append(
            {
                "table": row.id,
                "game": number + 1,
                "over": points is not None,
                "seats": [room.seat_name(chair) for chair in chairs],
                "hues": [hues[chair] for chair in chairs],
                "points": won,
                "totals": series.totals if won is not None else None,
            }
        )
    seats = series.seats(len(rows) - 1)
    chairs_now = [last.seats[seats.index(player)] for player in range(series.players)]
    names = [chair.name or room.seat_name(player) for player, chair in enumerate(chairs_now)]
    players = [
        {"name": names[player], "kind": chair.kind, "bot": chair.bot, "mine": chair.guest == guest, "total": series.totals[player]}
        for player, chair in enumerate(chairs_now)
    ]
    result = series.result(names) if series.over else None
    facts = {"id": id, "game": room.game.name, "title": room.game.title, "name": last.name, "terms": series.terms, "over": series.over}
    return {**facts, "result": result, "players": players, "games": games}


# ---- calls --------------------------------------------------------------------------------------------------------------


@router.post("/guests", status_code=201)
async def new_guest(request: Request, limits: LimitsNow) -> dict[str, str]:
    """Get a token for a program (browsers get a cookie). Anyone who has the token can play for its seats."""
    await limits.check("token", address=address_of(request))
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
    """List your tables, most urgent first, and public tables with a free seat."""
    mine, free = await rooms.storage.tables_of(guest), await rooms.storage.open_tables()
    return {"mine": await tables_data(rooms, mine, guest), "open": await tables_data(rooms, free, None)}


@router.post("/tables", status_code=201, dependencies=[limited("create")])
async def new_table(wish: NewTable, rooms: RoomsNow, guest: Guest) -> Made:
    """Create a table."""
    clock, fair = wish.clock.model_dump() if wish.clock else None, Fair(**wish.fair.model_dump())
    series = wish.series.model_dump(exclude_none=True) if wish.series else None
    terms = Terms(wish.name, wish.listed, wish.spectators, clock, wish.aid, fair, series)
    room = await rooms.create(wish.game, guest, [seat.model_dump() for seat in wish.seats], wish.options, terms, pledge=wish.pledge)
    return made(room)


@router.get("/tables/{table}")
async def read_table(room: RoomNow, guest: Guest) -> dict[str, Any]:
    """Get the table and the position as you may see it, with the legal moves if it's your turn."""
    await room.weigh_undo(guest)
    return {"table": room.table_info(guest), "state": room.state(guest)}


@router.get("/tables/{table}/words")
async def read_words(room: RoomNow, guest: Guest) -> dict[str, Any]:
    """Get the position as you may see it in words: parts with a title, sentences, and perhaps a table."""
    return room.in_words(guest, room.deciding(guest))


@router.get("/tables/{table}/position")
async def read_position(room: RoomNow, guest: Guest) -> dict[str, Any]:
    """Get the position as data: all fields and moves your seat can know, and its legal moves (`legal`)."""
    return room.position(guest)


@router.post("/tables/{table}/sit", dependencies=[limited_at_table("change")])
async def sit(body: Sit, room: RoomNow, guest: Guest) -> dict[str, Any]:
    """Take a free seat."""
    await room.sit(guest, body.seat, body.name, body.pledge)
    return room.table_info(guest)


@router.post("/tables/{table}/pledge", dependencies=[limited_at_table("change")])
async def pledge(body: Pledge, room: RoomNow, guest: Guest) -> Made:
    """Pledge your part in the dice, if you haven't done so when you took your seat."""
    await room.dice.pledge(guest, body.pledge)
    return made(room)


@router.post("/tables/{table}/reveal", dependencies=[limited_at_table("change")])
async def reveal(body: Value, room: RoomNow, guest: Guest) -> Made:
    """Send the value behind your pledge, once everybody's pledge is known."""
    await room.dice.reveal(guest, body.value)
    return made(room)


@router.post("/tables/{table}/bot", dependencies=[limited_at_table("change")])
async def set_bot(body: BotSeat, room: RoomNow, guest: Guest) -> dict[str, Any]:
    """Put a bot in a free seat, or change a bot (host only)."""
    await room.set_bot(guest, body.seat, body.bot)
    return room.table_info(guest)


@router.post("/tables/{table}/leave", dependencies=[limited_at_table("change")])
async def leave(body: Seat, room: RoomNow, guest: Guest) -> dict[str, Any]:
    """Leave your seat. A bot plays for you until you return."""
    await room.leave(guest, body.seat)
    return room.table_info(guest)


@router.post("/tables/{table}/return", dependencies=[limited_at_table("change")])
async def come_back(body: Seat, room: RoomNow, guest: Guest) -> dict[str, Any]:
    """Return to your seat; the bot stops playing for you."""
    await room.come_back(guest, body.seat)
    return room.table_info(guest)


@router.post("/tables/{table}/substitute", dependencies=[limited_at_table("change")])
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


@router.post("/tables/{table}/undo", dependencies=[limited_at_table("change")])
async def undo(room: RoomNow, guest: Guest, body: Undo | None = None) -> dict[str, Any]:
    """Undo your last decision, if nobody has learnt anything new since. If others have to agree first, `asked` is true."""
    asked = await room.undo(guest, body.at if body else "")
    return {**room.state(guest), "asked": asked}


@router.post("/tables/{table}/resign", dependencies=[limited_at_table("change")])
async def resign(body: Seat, room: RoomNow, guest: Guest) -> dict[str, Any]:
    """Resign: you lose. With three or more players, a bot plays on for you; in a cooperative game, everybody has to agree."""
    await room.resign(guest, body.seat)
    return room.table_info(guest)


@router.post("/tables/{table}/draw", dependencies=[limited_at_table("change")])
async def offer_draw(room: RoomNow, guest: Guest) -> dict[str, Any]:
    """Offer a draw. Everybody else has to agree before the next move; bots never do."""
    await room.offer_draw(guest)
    return room.table_info(guest)


@router.post("/tables/{table}/call-off", dependencies=[limited_at_table("change")])
async def call_off(room: RoomNow, guest: Guest) -> dict[str, Any]:
    """Call the game off. You can do this until everybody has moved, and nobody wins or loses."""
    await room.call_off(guest)
    return room.table_info(guest)


@router.post("/tables/{table}/answer", dependencies=[limited_at_table("change")])
async def answer(body: Answer, room: RoomNow, guest: Guest) -> dict[str, Any]:
    """Agree to another player's request (undo, draw, giving up together), or decline it."""
    await room.answer(guest, body.number, body.yes)
    return room.table_info(guest)


@router.post("/tables/{table}/withdraw", dependencies=[limited_at_table("change")])
async def withdraw(room: RoomNow, guest: Guest) -> dict[str, Any]:
    """Withdraw your own request."""
    await room.withdraw(guest)
    return room.table_info(guest)


@router.post("/tables/{table}/hint", dependencies=[limited_at_table("think")])
async def hint(room: RoomNow, guest: Guest) -> dict[str, Any]:
    """Get the move a bot would make, at a table where hints are on."""
    return await room.hint(guest)


@router.post("/tables/{table}/chat", status_code=204, dependencies=[limited_at_table("chat")])
async def say(body: Say, room: RoomNow, guest: Guest) -> None:
    """Send a chat message."""
    await room.talk.say(guest, body.name, body.text, body.key)


@router.get("/tables/{table}/chat")
async def chat(room: RoomNow, guest: Guest) -> list[dict[str, Any]]:
    """Read the chat. Players can read what spectators say once the game is over."""
    return await room.talk.lines(guest)


@router.post("/tables/{table}/hush", status_code=204, dependencies=[limited_at_table("change")])
async def hush(body: Hush, room: RoomNow, guest: Guest) -> None:
    """Close the chat of a table, or open it again (host only)."""
    await room.talk.hush(guest, body.on)


@router.post("/tables/{table}/remove", status_code=204, dependencies=[limited_at_table("change")])
async def remove(body: Who, room: RoomNow, guest: Guest) -> None:
    """Remove a guest from a table for good (host only); a player only before the first move."""
    await room.talk.remove(guest, body.who)


@router.post("/tables/{table}/report", status_code=204, dependencies=[limited_at_table("report")])
async def report(body: Report, room: RoomNow, guest: Guest) -> None:
    """Report a chat message to the operator of the server."""
    await room.talk.report(guest, body.who, body.text, body.reason)


@router.post("/tables/{table}/rematch", status_code=201, dependencies=[limited_at_table("create")])
async def rematch(room: RoomNow, rooms: RoomsNow, guest: Guest, body: Pledge | None = None) -> Made:
    """Ask for a rematch, or for the next game of a series: the same players at a new table, with the seats changed."""
    return made(await rooms.get(await rooms.rematch(room, guest, body.pledge if body else "")))


@router.get("/series/{series}")
async def read_series(series: str, rooms: RoomsNow, guest: Guest) -> dict[str, Any]:
    """Get a series: what it is played for, its games with their tables, everybody's points and the running totals."""
    return await series_data(rooms, series, guest)


@router.post("/tables/{table}/fork", status_code=201, dependencies=[limited_at_table("create")])
async def fork(body: Fork, room: RoomNow, rooms: RoomsNow, guest: Guest) -> Made:
    """Continue from a position of a finished game, with bots."""
    return made(await rooms.fork(room, guest, body.index, body.name, body.pledge))


@router.get("/tables/{table}/frames/{index}")
async def frame(
    index: int,
    room: RoomNow,
    guest: Guest,
    eyes: Annotated[str, Query(pattern="^(open|public|[0-7])$")] = "public",
    noticed: bool = False,
    ply: bool = False,
    narrow: bool = False,
    words: bool = False,
) -> dict[str, Any]:
    """Get the position before move `index` as one viewer saw it: yourself while the game is running, anyone (or `open`) once it is over.

    While the game is running, only moves that the viewer noticed count; with `noticed`, the same goes for a finished game.
    With `ply`, the index is a position's `ply`, as in its frame. With `narrow`, its picture is in the layout for narrow screens.
    With `words`, it comes in words as well (`parts`).
    """
    return room.past_frame(guest, index, eyes, noticed, ply, narrow, words)


@router.get("/tables/{table}/story")
async def story(
    room: RoomNow,
    guest: Guest,
    start: Annotated[int, Query(ge=0)] = 0,
    eyes: Annotated[str, Query(pattern="^(open|public|[0-7])$")] = "public",
) -> list[list[str]]:
    """Get the story of up to 150 positions from number `start` on, as one viewer saw it (see frames)."""
    return room.past_story(guest, start, eyes)


@router.get("/tables/{table}/curve", dependencies=[limited_at_table("think")])
async def curve(room: RoomNow, guest: Guest) -> dict[str, Any]:
    """Get a bot's estimate of the chances throughout a finished game."""
    return await room.curve()


@router.get("/tables/{table}/dice")
async def generators(room: RoomNow) -> dict[str, Any]:
    """Get the generator that each move of a finished game started with, as 16 hexadecimal digits; the first one is the deal's."""
    return room.generators()


@router.get("/tables/{table}/record")
async def record(table: str, rooms: RoomsNow, guest: Guest, request: Request, limits: LimitsNow) -> dict[str, Any]:
    """Download the record of a finished game, with the seed that proves it was fair."""
    try:
        return (await room_of(table, rooms, guest, request, limits)).record()
    except OtherRules as problem:
        return problem.record()
