"""The studio's page and its calls. Only `rulestone dev` has them."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request, WebSocket, WebSocketDisconnect
from fastapi.responses import Response
from jinja2 import ChoiceLoader, FileSystemLoader
from pydantic import Field

from rulestone.match import IllegalMove
from rulestone.server import assets
from rulestone.server.api import Body, game_data
from rulestone.server.pages import is_narrow, page, templates
from rulestone.server.refusal import Refused
from rulestone.server.security import host_allowed, same_origin
from rulestone.studio import copying, looks
from rulestone.studio.bench import Bench
from rulestone.studio.panels import panels

HERE = Path(__file__).parent
STATIC = {file.name: file for file in sorted((HERE / "static").iterdir())}
IMPORT = re.compile(r'(?<=from ")\./(\w+\.js)(?=";)')
router = APIRouter(include_in_schema=False)
calls = APIRouter(prefix="/api/studio", include_in_schema=False)


class Live:
    """The pages that are open: they hear when something has changed."""

    def __init__(self) -> None:
        self.outboxes: set[asyncio.Queue[dict[str, Any]]] = set()
        self.loop: asyncio.AbstractEventLoop | None = None

    def tell(self, what: str, **more: Any) -> None:
        """Tell every page, from any thread: its script gets {"t": what, …}."""
        if self.loop is not None and not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self._put, {"t": what, **more})

    def _put(self, message: dict[str, Any]) -> None:
        for outbox in self.outboxes:
            outbox.put_nowait(message)


def the_bench(request: Request) -> Bench:
    """The workbench of this server."""
    bench: Bench = request.app.state.bench
    return bench


BenchNow = Annotated[Bench, Depends(the_bench)]
Eyes = Annotated[str, Query(description='whose eyes: a seat, "public", or "turn" for whoever is to move')]


class Look:
    """How the page wants to see the position: whose eyes, and whether its screen is narrow."""

    def __init__(self, eyes: Eyes = "turn", narrow: bool = False) -> None:
        self.eyes: int | str | None = int(eyes) if eyes.isdigit() else None if eyes == "public" else "turn"
        self.narrow = narrow

    def of(self, bench: Bench) -> dict[str, Any]:
        """Everything the page shows."""
        return looks.table(bench, self.eyes, self.narrow)


LookNow = Annotated[Look, Depends()]


@contextmanager
def answering() -> Iterator[None]:
    """What isn't possible is refused with its sentence."""
    try:
        yield
    except (IllegalMove, ValueError, TypeError, AttributeError, IndexError) as problem:
        raise Refused("illegal", str(problem), 422) from None


# ---- the page ---------------------------------------------------------------------------------------------------------------


@router.get("/studio")
def studio(request: Request, bench: BenchNow) -> Response:
    """The page."""
    if not isinstance(templates.loader, ChoiceLoader):
        templates.loader = ChoiceLoader([templates.loader, FileSystemLoader(HERE / "pages")])  # type: ignore[list-item]
    with bench.lock:
        scene = looks.table(bench, "turn", is_narrow(request))["frame"]["scene"]
        width, height = scene["size"]
        return page(request, "studio.html", game=bench.game, folder=bench.folder, width=width, height=height, panels=panels())


@router.get("/studio/static/{name}")
def static(name: str) -> Response:
    """A script or a style of the studio. Scripts of the server are imported from where the server has them."""
    if name not in STATIC:
        raise Refused("no-such-file", "There is no such file.", 404)
    text = STATIC[name].read_text()
    text = IMPORT.sub(lambda found: f"{'.' if found[1] in STATIC else assets.BASE}/{found[1]}", text)
    return Response(text, media_type=assets.TYPES[Path(name).suffix], headers={"Cache-Control": "no-cache"})


@router.websocket("/studio/live")
async def live(socket: WebSocket) -> None:
    """Hear when something has changed."""
    if not same_origin(socket.headers) or not host_allowed(socket.headers, socket.app.state.hosts):
        await socket.close(4403)
        return
    await socket.accept()
    hub: Live = socket.app.state.live
    outbox: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    hub.outboxes.add(outbox)

    async def send() -> None:
        while True:
            await socket.send_text(json.dumps(await outbox.get()))

    sender = asyncio.create_task(send())
    try:
        while True:
            await socket.receive_text()
    except (WebSocketDisconnect, RuntimeError):
        pass
    finally:
        hub.outboxes.discard(outbox)
        sender.cancel()


# ---- the table --------------------------------------------------------------------------------------------------------------


class Play(Body):
    move: int | str = Field(description="the action's number or its words", union_mode="left_to_right")
    player: int | None = None
    rng: int | None = Field(None, description="the generator, to get certain dice")


class Go(Body):
    at: int


class New(Body):
    seed: str = Field("", max_length=100, description="nothing: a new one is drawn")
    players: int | None = None
    options: dict[str, str | int] = Field(default_factory=dict)


def changed(bench: Bench, look: Look, change: Callable[[], None]) -> dict[str, Any]:
    """Change something, and answer with what the page shows then."""
    with bench.lock, answering():
        change()
        return look.of(bench)


@calls.get("/table")
def read_table(bench: BenchNow, look: LookNow) -> dict[str, Any]:
    return look.of(bench)


@calls.post("/play")
def play(body: Play, bench: BenchNow, look: LookNow) -> dict[str, Any]:
    return changed(bench, look, lambda: bench.play(body.move, body.player, body.rng))


@calls.post("/go")
def go(body: Go, bench: BenchNow, look: LookNow) -> dict[str, Any]:
    return changed(bench, look, lambda: bench.go(body.at))


@calls.post("/new")
def new(body: New, bench: BenchNow, look: LookNow) -> dict[str, Any]:
    return changed(bench, look, lambda: bench.begin(body.seed.strip() or None, body.players, body.options))


class Write(Body):
    field: str = Field(max_length=80)
    place: int | None = Field(None, description="which of an array's values, counted through")
    value: float


class Turn(Body):
    move: str = Field(max_length=80)
    outcome: int = Field(ge=0, description="which of the outcomes, as /outcomes lists them")
    player: int | None = None


@calls.get("/game")
def read_game(bench: BenchNow) -> dict[str, Any]:
    """The game's numbers of players and its options."""
    return game_data(bench.game)


@calls.get("/fields")
def read_fields(bench: BenchNow) -> dict[str, Any]:
    """The record's fields, and from whom each value is hidden."""
    with answering():
        return looks.fields(bench)


@calls.post("/fields")
def write_field(body: Write, bench: BenchNow, look: LookNow) -> dict[str, Any]:
    """Write a value into a field."""
    return changed(bench, look, lambda: bench.lay(lambda match: looks.write(match, body.field, body.place, body.value)))


@calls.get("/moves")
def read_moves(bench: BenchNow, look: LookNow) -> dict[str, Any]:
    """The moves that are possible, and why the others aren't."""
    with answering():
        return looks.moves(bench, look.eyes if isinstance(look.eyes, int) else None)


@calls.get("/outcomes")
def read_outcomes(bench: BenchNow, move: Annotated[str, Query(max_length=80)], player: int | None = None) -> list[dict[str, Any]]:
    """The ways a move can turn out."""
    with answering():
        return looks.outcomes(bench, move, player)


@calls.post("/outcomes")
def choose_outcome(body: Turn, bench: BenchNow, look: LookNow) -> dict[str, Any]:
    """Make a move that turns out in a certain way: with dice that lead there or, if none are found soon, by writing the position."""

    def turn() -> None:
        with bench.watching():
            wanted = bench.match.outcomes(body.move, looks.MOST_OUTCOMES, body.player)[body.outcome].match
            rng = looks.generator_for(bench.match, body.move, body.player, wanted)
        if rng is None:
            bench.lay(lambda match: match.lay(wanted.raw))
        else:
            bench.play(body.move, body.player, rng)

    return changed(bench, look, turn)


@calls.get("/copy/{what}")
def copy(what: str, bench: BenchNow, move: Annotated[str, Query(max_length=80)] = "") -> dict[str, str]:
    """A scenario test, a lesson's step or a picture for the rules; with "refusal", a test that a move isn't possible."""
    if what not in (*copying.COPIES, "refusal"):
        raise Refused("no-such-page", f"Only these can be copied: {', '.join(copying.COPIES)}, refusal.", 404)
    with bench.lock, answering(), bench.watching():
        return {"text": copying.refusal(bench, move) if what == "refusal" else copying.COPIES[what](bench)}


@calls.get("/lesson")
def read_lesson(bench: BenchNow) -> dict[str, Any]:
    """The steps of the game's lesson and the pictures in its rules, each with what is wrong with it."""
    with bench.lock, answering():
        return looks.taught(bench)


class Show(Body):
    kind: Literal["step", "picture"]
    number: int = Field(ge=0)


@calls.post("/lesson")
def show_lesson(body: Show, bench: BenchNow, look: LookNow) -> dict[str, Any]:
    """Lay the position of a step or a picture on the table."""
    return changed(bench, look, lambda: looks.show_taught(bench, body.kind, body.number))


@calls.get("/why")
def why(thing: Annotated[str, Query(max_length=80)], bench: BenchNow, look: LookNow) -> dict[str, str]:
    """Why a thing can't be chosen now."""
    with bench.lock, answering():
        return {"why": looks.why(bench, look.eyes, thing)}


router.include_router(calls)
