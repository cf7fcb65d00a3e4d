"""What the REST interface answers: the shape of every answer and all refusals, for /api/openapi.json.

These models describe answers; they don't make them, so they cost nothing when a call is answered. `tests/test_server_schema.py` compares
them with real answers. An answer may get further fields in a later version.
"""

from __future__ import annotations

from typing import Any, Literal

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel, Field, create_model
from pydantic.json_schema import models_json_schema

from rulestone.server.refusal import CODES

REF = "#/components/schemas/{model}"


class Token(BaseModel):
    token: str = Field(description="send it as 'Authorization: Bearer TOKEN'")


class Id(BaseModel):
    id: str


class NewTable(Id):
    """A table, the fingerprint of the server's secret there, and how far its dice are."""

    commitment: str
    dice: dict[str, Any]


class StudyListed(BaseModel):
    id: str
    game: str
    title: str
    name: str
    made: float
    state: str
    settings: int
    games: int
    bots: list[Any]
    factors: list[str]


class OptionFacts(BaseModel):
    name: str
    help: str
    title: str
    sentence: str
    said: dict[str, str]
    default: dict[str, Any] = Field(description="by number of players")
    choices: list[Any] | str = Field(description="the values, or their range in words if there are many")


class AidFacts(BaseModel):
    levels: dict[str, str]
    together: str
    alone: str


class SeriesFacts(BaseModel):
    points: bool
    target: int | None


class GameFacts(BaseModel):
    name: str
    title: str
    summary: str
    minutes: str
    players: list[int] = Field(description="the least and the most")
    usual_players: int
    cooperative: bool
    perfect_information: bool
    seats: dict[str, list[str]] = Field(description="names of seats, by number of players")
    bots: dict[str, str]
    aids: AidFacts | None
    series: SeriesFacts
    verbs: list[str]
    options: list[OptionFacts]


class ListedSeat(BaseModel):
    title: str
    kind: Literal["open", "person", "bot"]
    name: str
    bot: str
    mine: bool


class Turn(BaseModel):
    since: float
    due: float | None


class ListedTable(BaseModel):
    id: str
    game: str
    title: str
    name: str
    status: Literal["open", "running", "over"]
    seats: list[ListedSeat]
    updated: float
    other_rules: bool = Field(description="played by other rules than those installed, so that it can't be opened")
    turn: Turn | None


class Tables(BaseModel):
    mine: list[ListedTable]
    open: list[ListedTable]


class Chair(BaseModel):
    seat: int
    title: str
    hue: int
    kind: Literal["open", "person", "bot"]
    name: str
    who: str | None
    bot: str
    mine: bool
    online: bool
    stand_in: bool
    out: str
    patience: int | None
    clock: float | None


class FairFacts(BaseModel):
    hints: Literal["alone", "on", "off"]
    undo: Literal["ask", "free", "off"]
    time: Literal["bot", "lose"]
    says: list[str]


class Asking(BaseModel):
    number: int
    kind: Literal["undo", "draw", "resign"]
    seat: int
    text: str
    mine: bool
    asked: bool


class Standing(BaseModel):
    id: str
    game: int
    terms: str
    points: list[int]
    won: list[int] | None
    over: bool
    result: Any


class TableFacts(BaseModel):
    """A table, except the position."""

    t: Literal["table"]
    id: str
    game: str
    title: str
    name: str
    seats: list[Chair]
    host: bool
    started: bool
    over: bool
    clock: dict[str, Any]
    aid: str | None
    aid_says: str | None
    aid_all: bool
    watchers: int
    guests: list[str] | None
    hushed: bool
    series: Standing | None
    rematch: str | None
    commitment: str
    seed: str | None
    curtain: int | None
    undo: bool
    hints: bool
    fair: FairFacts
    may: dict[str, str]
    request: Asking | None
    ended: dict[str, list[int]] | None
    levels: dict[str, str]
    helper: str


class MoveFacts(BaseModel):
    action: int
    move: str
    label: str
    picks: list[str]
    sure: str


class SceneFacts(BaseModel):
    """A picture: parts of an SVG by id, in order, and what can be said about them."""

    size: list[float]
    title: str
    parts: dict[str, str]
    order: list[str]
    cards: dict[str, Any]
    plates: list[dict[str, Any]]
    panels: Any


class Told(BaseModel):
    ply: int
    lines: list[str]


class State(BaseModel):
    """A position through one pair of eyes."""

    t: Literal["state"]
    version: int
    at: str
    ply: int
    eyes: int | None
    to_move: int | None
    deciders: list[int]
    together: bool
    prompt: str
    goal: str | None
    rule: str | None
    unaided: str | None
    moves: list[MoveFacts]
    any_order: bool
    story: Told
    ending: list[str] | None
    payoff: list[float] | None
    narrow: bool
    steps: list[Any]
    scene: SceneFacts


class Undone(State):
    asked: bool


class TableAndState(BaseModel):
    table: TableFacts
    state: State


class WordsPart(BaseModel):
    title: str
    lines: list[str]
    head: list[str]
    rows: list[list[str]]


class Words(BaseModel):
    at: str
    parts: list[WordsPart]


class Position(BaseModel):
    at: str
    seat: int | None
    ply: int
    players: int
    to_move: int | None
    deciders: list[int]
    options: dict[str, Any]
    fields: dict[str, Any]
    legal: list[str]
    moves: list[str]
    events: list[list[Any]]
    over: bool
    payoff: list[float] | None
    ended: dict[str, list[int]] | None


class Hint(BaseModel):
    t: Literal["hint"]
    at: str
    action: int
    move: str
    label: str
    picks: list[str]
    sure: str
    chance: float | None
    rival: dict[str, Any] | None
    reason: str | None
    says: str


class Line(BaseModel):
    name: str
    seat: int | None
    text: str
    made: float
    who: str
    apart: bool


class SeriesGame(BaseModel):
    table: str
    game: int
    over: bool
    seats: list[str]
    hues: list[int]
    points: list[int] | None
    totals: list[int] | None


class SeriesPlayer(BaseModel):
    name: str
    kind: Literal["open", "person", "bot"]
    bot: str
    mine: bool
    total: int


class SeriesAnswer(BaseModel):
    id: str
    game: str
    title: str
    name: str
    terms: str
    over: bool
    result: Any
    players: list[SeriesPlayer]
    games: list[SeriesGame]


class PastFrame(BaseModel):
    t: Literal["state"]
    index: int
    count: int
    to_move: int | None
    prompt: str
    scene: SceneFacts
    story: Told
    steps: list[Any]
    ending: list[str] | None
    ended: dict[str, list[int]] | None
    parts: list[WordsPart] | None = None


class Curve(BaseModel):
    at: list[int]
    payoff: list[list[float]]


class GameRecord(BaseModel):
    """The record of a finished game; docs/records.md describes it."""

    format: str
    version: int
    game: str
    rules: int
    players: int
    options: dict[str, Any]
    seed: Any
    commitment: str
    moves: list[str]
    over: bool
    payoff: list[float]


class DeviceFacts(BaseModel):
    id: str
    name: str
    since: float
    this: bool


class MyFacts(BaseModel):
    name: str
    devices: list[DeviceFacts]


class NewLink(BaseModel):
    link: str
    seconds: int
    qr: str


class WhoseLink(BaseModel):
    name: str
    already: bool
    own_games: int


class NameOnly(BaseModel):
    name: str


class PushFacts(BaseModel):
    key: str | None


class Sharing(BaseModel):
    title: str
    over: bool
    anyone: bool
    embed: bool


class StudyFacts(BaseModel):
    state: Literal["waiting", "preparing", "playing", "done", "failed"]
    seconds: int
    stopped: bool
    text: str
    done: int
    total: int
    cells: list[dict[str, Any]]
    findings: list[Any]
    report: bool


class WholeFrame(State):
    """A position that belongs to no table, as a picture and in words."""

    parts: list[WordsPart]


class LessonStep(BaseModel):
    step: int
    of: int
    text: str
    glow: list[str]
    button: int | None
    waits: bool
    frame: WholeFrame


class LessonAnswer(BaseModel):
    right: bool
    says: str
    follows: list[WholeFrame]


class Why(BaseModel):
    why: str


class PictureFacts(BaseModel):
    caption: str
    light: list[str]
    frames: list[WholeFrame]


class ReviewFacts(BaseModel):
    """How far a review is; once it is done, the review."""

    state: Literal["none", "waiting", "thinking", "failed", "done"]
    done: int | None = None
    total: int | None = None
    ahead: int | None = None
    review: dict[str, Any] | None = None


class PuzzleFacts(BaseModel):
    id: str
    day: int
    difficulty: int
    state: WholeFrame


class PuzzleAnswer(BaseModel):
    right: bool
    says: str
    solution: MoveFacts | None = None


ANSWERS: dict[str, tuple[type[BaseModel], Literal["one", "list"]]] = {
    "post /api/guests": (Token, "one"),
    "get /api/games": (GameFacts, "list"),
    "get /api/games/{game}": (GameFacts, "one"),
    "get /api/tables": (Tables, "one"),
    "post /api/tables": (NewTable, "one"),
    "get /api/tables/{table}": (TableAndState, "one"),
    "get /api/tables/{table}/words": (Words, "one"),
    "get /api/tables/{table}/position": (Position, "one"),
    "post /api/tables/{table}/moves": (State, "one"),
    "post /api/tables/{table}/undo": (Undone, "one"),
    "post /api/tables/{table}/hint": (Hint, "one"),
    "get /api/tables/{table}/chat": (Line, "list"),
    "post /api/tables/{table}/rematch": (NewTable, "one"),
    "post /api/tables/{table}/fork": (NewTable, "one"),
    "post /api/tables/{table}/pledge": (NewTable, "one"),
    "post /api/tables/{table}/reveal": (NewTable, "one"),
    "get /api/series/{series}": (SeriesAnswer, "one"),
    "get /api/tables/{table}/frames/{index}": (PastFrame, "one"),
    "get /api/tables/{table}/curve": (Curve, "one"),
    "get /api/tables/{table}/record": (GameRecord, "one"),
    "get /api/tables/{table}/share": (Sharing, "one"),
    "get /api/tables/{table}/review": (ReviewFacts, "one"),
    "post /api/tables/{table}/review": (ReviewFacts, "one"),
    "get /api/me": (MyFacts, "one"),
    "post /api/me/links": (NewLink, "one"),
    "post /api/me/links/look": (WhoseLink, "one"),
    "post /api/me/links/use": (NameOnly, "one"),
    "post /api/me/token": (Token, "one"),
    "get /api/push": (PushFacts, "one"),
    "post /api/studies": (Id, "one"),
    "get /api/studies": (StudyListed, "list"),
    "get /api/studies/{study}": (StudyFacts, "one"),
    "post /api/records": (Id, "one"),
    "get /api/games/{game}/lesson/{step}": (LessonStep, "one"),
    "post /api/games/{game}/lesson/{step}": (LessonAnswer, "one"),
    "get /api/games/{game}/lesson/{step}/why": (Why, "one"),
    "get /api/games/{game}/pictures/{number}": (PictureFacts, "one"),
    "get /api/puzzles/{game}": (PuzzleFacts, "one"),
    "post /api/puzzles/{game}/{id}": (PuzzleAnswer, "one"),
    **{
        f"post /api/tables/{{table}}/{verb}": (TableFacts, "one")
        for verb in ("sit", "bot", "leave", "return", "substitute", "resign", "draw", "call-off", "answer", "withdraw")
    },
}
"""What each call answers with if it isn't refused. Calls that answer with text, a page or nothing aren't here."""


def _refusal(status: int, codes: tuple[str, ...]) -> type[BaseModel]:
    fields: dict[str, Any] = {"code": (Literal[codes], Field(description="for your program"))}
    fields["text"] = (str, Field(description="for a person"))
    if status == 409:
        fields["state"] = (State | None, None)
    return create_model(f"Refusal{status}", **fields)


REFUSALS = {status: _refusal(status, codes) for status, codes in CODES.items()}
SAYS = {
    401: "There is no token, or it is no good.",
    403: "You may not do this.",
    404: "There is no such thing.",
    405: "There is no such call at this address.",
    409: "Not now: the table is in another state. For a stale move, `state` is the present position.",
    413: "The request is too large.",
    421: "The server doesn't go by this name.",
    422: "The request can't be understood, or asks for something impossible.",
    429: "Too many requests. `Retry-After` says when to try again.",
    503: "The server can't do this at the moment. `Retry-After` says when to try again, if that is known.",
}


def describe(app: FastAPI) -> dict[str, Any]:
    """The description of the REST interface, with the shape of every answer and all refusals."""
    if app.openapi_schema is None:
        schema = get_openapi(title=app.title, version=app.version, routes=app.routes)
        models = sorted({model for model, _ in ANSWERS.values()} | {*REFUSALS.values()}, key=lambda model: model.__name__)
        _, known = models_json_schema([(model, "serialization") for model in models], ref_template=REF)
        shapes = schema.setdefault("components", {}).setdefault("schemas", {})
        shapes |= known["$defs"]
        for unused in ("HTTPValidationError", "ValidationError"):
            shapes.pop(unused, None)
        schema["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        for path, calls in schema["paths"].items():
            for method, call in calls.items():
                _describe(f"{method} {path}", call)
        app.openapi_schema = schema
    return app.openapi_schema


def _describe(name: str, call: dict[str, Any]) -> None:
    answers = call["responses"]
    if name in ANSWERS:
        model, how = ANSWERS[name]
        one = {"$ref": REF.format(model=model.__name__)}
        done = next(answer for status, answer in answers.items() if status.startswith("2"))
        done["content"] = {"application/json": {"schema": one if how == "one" else {"type": "array", "items": one}}}
    call["security"] = [{"token": []}, {}]
    for status, refusal in REFUSALS.items():
        shape = {"application/json": {"schema": {"$ref": REF.format(model=refusal.__name__)}}}
        answers[str(status)] = {"description": SAYS[status], "content": shape}
