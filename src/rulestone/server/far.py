"""Bots that think elsewhere: servers put work into streams of Redis, and thinkers on any machine take it from there.

What takes long waits at the servers, in fair shares, until a thinker has a place for it; so the streams stay short. What is quick goes into
a stream of its own, and every thinker has a process that does nothing else. If a thinker dies, another one claims what it has left; if
there is none, or it takes too long, the server thinks for itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from rulestone.bots import make
from rulestone.game import Game, installed, load
from rulestone.match import Match
from rulestone.review import advice
from rulestone.server import metrics
from rulestone.server.bus import ALIVE, LIFE, TROUBLE, connect, end, keep_going
from rulestone.server.thinking import QUICK, Shares, Thinker, levels, more_bots, view_of

log = logging.getLogger(__name__)
FAST, SLOW = "rulestone:work:quick", "rulestone:work:slow"
GROUP, THINKERS, ANSWERS = "thinkers", "rulestone:thinkers", "rulestone:answers:"
LONGEST = 15.0
"""Seconds after which a server no longer waits for an answer."""
RENEW, LEFT = 1.0, 4.0
"""How often a thinker says what it is working on, in seconds, and after how long without a word it must have died."""
MOST = 10_000
"""How much work a stream holds; the oldest is dropped."""


class Unable(Exception):
    """Nobody elsewhere can do this work now."""


class Far(Thinker):
    """Lets others do the work, and does it here if they can't."""

    def __init__(self, url: str, workers: int = 0) -> None:
        super().__init__(workers)
        self.line, self.name = connect(url), secrets.token_hex(8)
        self.asked: dict[str, asyncio.Future[Any]] = {}
        self.places = 0
        """How many pieces of work that take long the thinkers can do at the same time."""
        self.far = Shares(1)
        self.life: asyncio.Task[None] | None = None

    async def open(self) -> None:
        with contextlib.suppress(*TROUBLE):
            await self._look()
        self.life = asyncio.create_task(keep_going([self._listen, self._watch], self._lost))

    async def hang_up(self) -> None:
        if self.life is not None:
            await end(self.life)
        await self.line.aclose()

    async def _listen(self) -> None:
        """Take answers."""
        while True:
            found = await self.line.blpop([ANSWERS + self.name], timeout=1)
            if found is not None:
                told = orjson.loads(found[1])
                waiting = self.asked.get(told["job"])
                if waiting is not None and not waiting.done():
                    if "answer" in told:
                        waiting.set_result(told["answer"])
                    else:
                        log.warning("a thinker could not help: %s", told["unable"])
                        waiting.set_exception(Unable())

    async def _watch(self) -> None:
        while True:
            await self._look()
            await asyncio.sleep(RENEW)

    async def _look(self) -> None:
        """See which thinkers are alive, and have two pieces of work on the way to each of their places."""
        alive = await self.line.eval(ALIVE, 1, THINKERS, "", LIFE)
        self.places = sum(int(thinker.decode().rpartition(" ")[2]) for thinker in alive)
        self.far.resize(max(1, 2 * self.places))
        if not self.places:
            self._lost()

    def _lost(self) -> None:
        """Nobody can help: think here."""
        self.places = 0
        for waiting in self.asked.values():
            if not waiting.done():
                waiting.set_exception(Unable())

    async def _ask(self, kind: str, game: Game, owner: str, *, quick: bool = False, **given: Any) -> Any:
        """Have some work done. Raises Unable if nobody can."""
        async with contextlib.nullcontext() if quick else self.far.place(owner):
            if not self.places:
                raise Unable
            job = secrets.token_hex(8)
            work = {"job": job, "to": self.name, "kind": kind, "game": game.name, "rules": game.plays, **given}
            answer = self.asked[job] = asyncio.get_running_loop().create_future()
            try:
                async with asyncio.timeout(LONGEST):
                    asked = time.perf_counter()
                    await self.line.xadd(FAST if quick else SLOW, {"work": orjson.dumps(work)}, maxlen=MOST, approximate=True)
                    found = await answer
                    metrics.ELSEWHERE.observe(time.perf_counter() - asked)
                    return found
            except TROUBLE as problem:
                raise Unable from problem
            finally:
                del self.asked[job]

    async def choose(self, source: str, view: Match, bot: str, seed: int | None = None, owner: str = "") -> tuple[int, str]:
        try:
            action, chose = await self._ask("choose", view.game, owner, quick=bot in QUICK, **_seen(view), bot=bot, seed=seed)
            if action in view.legal_actions():
                return int(action), str(chose)
        except Unable:
            pass
        return await super().choose(source, view, bot, seed, owner)

    async def weigh(self, source: str, view: Match, owner: str = "") -> list[advice.Weighed]:
        try:
            return [(action, chance) for action, chance in await self._ask("weigh", view.game, owner, **_seen(view))]
        except Unable:
            return await super().weigh(source, view, owner)

    async def curve(self, source: str, match: Match, positions: Sequence[tuple[bytes, int]], owner: str = "") -> list[list[float]]:
        common: dict[str, Any] = {"players": match.players, "options": match.options}
        asked = [self._ask("curve", match.game, owner, **common, raw=raw.hex(), seat=seat) for raw, seat in positions]
        try:
            return [list(one) for one in await asyncio.gather(*asked)]
        except Unable:
            return await super().curve(source, match, positions, owner)

    async def film(self, source: str, record: Mapping[str, Any], owner: str = "") -> str:
        try:
            return str(await self._ask("film", load(source), owner, record=record))
        except Unable:
            return await super().film(source, record, owner)


def _seen(view: Match) -> dict[str, Any]:
    """What a bot gets: the hidden record of its own seat."""
    return {"players": view.players, "options": view.options, "raw": view.raw.hex(), "seat": view.viewer}


class Service:
    """A thinker: it takes work from the streams, and has it done by processes of its own."""

    def __init__(self, url: str, workers: int = 0, games: Sequence[str | Path] = ()) -> None:
        self.line, self.name = connect(url), secrets.token_hex(8)
        self.local = Thinker(workers)
        self.games: dict[str, tuple[str, Game]] = {name: (name, game) for name, game in installed()}
        for folder in games:
            game = load(folder)
            self.games[game.name] = (str(folder), game)
        self.busy: set[tuple[str, bytes]] = set()
        self.leaving = asyncio.Event()

    async def run(self) -> None:
        """Think until the end."""
        readers = [lambda: self._take(FAST), *[lambda: self._take(FAST, SLOW)] * self.local.workers]
        life = asyncio.create_task(keep_going([*readers, self._stay_alive, self._renew], lambda: None))
        try:
            await self.leaving.wait()
            async with asyncio.timeout(LEFT):
                while self.busy:
                    await asyncio.sleep(0.05)
        except TimeoutError:
            pass
        finally:
            await end(life)
            self.local.close()
            with contextlib.suppress(*TROUBLE):
                await self.line.zrem(THINKERS, self._said())
            await self.line.aclose()

    def _said(self) -> str:
        return f"{self.name} {self.local.workers}"

    async def _stay_alive(self) -> None:
        while True:
            await self.line.eval(ALIVE, 1, THINKERS, self._said(), LIFE)
            await asyncio.sleep(RENEW)

    async def _renew(self) -> None:
        """Say what is being worked on, so that nobody else claims it."""
        while True:
            for stream in (FAST, SLOW):
                if mine := [id for where, id in self.busy if where == stream]:
                    await self.line.xclaim(stream, GROUP, self.name, 0, mine, justid=True)
            await asyncio.sleep(RENEW)

    async def _take(self, *streams: str) -> None:
        """Do one piece of work after the other: quick ones first."""
        for stream in streams:
            with contextlib.suppress(*EXISTS):
                await self.line.xgroup_create(stream, GROUP, "0", mkstream=True)
        while not self.leaving.is_set():
            for stream, id, fields in await self._next(streams):
                self.busy.add((stream, id))
                try:
                    await self._do(stream, id, fields)
                finally:
                    self.busy.discard((stream, id))
        await asyncio.Event().wait()

    async def _next(self, streams: Sequence[str]) -> list[tuple[str, bytes, dict[bytes, bytes]]]:
        for stream in streams:
            found = await self.line.xreadgroup(GROUP, self.name, {stream: ">"}, count=1)
            if not found:
                found = [(stream, (await self.line.xautoclaim(stream, GROUP, self.name, int(1000 * LEFT), count=1))[1])]
            if work := _entries(found):
                return work
        return _entries(await self.line.xreadgroup(GROUP, self.name, dict.fromkeys(streams, ">"), count=1, block=1000))

    async def _do(self, stream: str, id: bytes, fields: dict[bytes, bytes]) -> None:
        work = orjson.loads(fields[b"work"])
        try:
            told = {"job": work["job"], "answer": await self._answer(work)}
        except Exception as problem:
            if not isinstance(problem, Unable):
                log.exception("a thinker failed")
            told = {"job": work["job"], "unable": str(problem)}
        async with self.line.pipeline() as pipe:
            pipe.rpush(ANSWERS + work["to"], orjson.dumps(told))
            pipe.expire(ANSWERS + work["to"], 60)
            pipe.xack(stream, GROUP, id)
            pipe.xdel(stream, id)
            await pipe.execute()

    async def _answer(self, work: dict[str, Any]) -> Any:
        source, game = self.games.get(work["game"], ("", None))
        if game is None or game.plays != work["rules"]:
            raise Unable(f"{work['game']} is not installed here, or has other rules")
        self.local.warm_up(source, game)
        if work["kind"] == "film":
            return await self.local.film(source, work["record"])
        view = view_of(game, work["players"], work["options"], bytes.fromhex(work["raw"]), work["seat"])
        if work["kind"] == "weigh":
            return await self.local.weigh(source, view)
        if work["kind"] == "curve":
            return (await self.local.curve(source, view, [(view.raw, work["seat"])]))[0]
        if work["bot"] not in levels(game):
            raise Unable(f"there is no bot {work['bot']!r} here")
        return await self.local.choose(source, view, work["bot"], work["seed"])


def _entries(found: Any) -> list[tuple[str, bytes, dict[bytes, bytes]]]:
    """The entries in an answer of Redis, by stream."""
    streams = found.items() if isinstance(found, dict) else found or ()
    flat = [(name, entry) for name, entries in streams for entry in entries if entry and entry[1]]
    return [(name.decode() if isinstance(name, bytes) else name, id, fields) for name, (id, fields) in flat]


def _exists() -> tuple[type[Exception], ...]:
    try:
        from redis.exceptions import ResponseError
    except ModuleNotFoundError:
        return ()
    return (ResponseError,)


EXISTS = _exists()
"""What Redis answers if a group exists."""


def run(url: str, workers: int, games: Sequence[str | Path], bots: Sequence[str], ready: Callable[[], None] | None = None) -> None:
    """Think until stopped. Raises ValueError, with the reason in one sentence, if that isn't possible."""
    for bot in bots:
        make(bot, load(games[0]) if games else next(installed())[1])
    more_bots[:] = bots

    async def think() -> None:
        service = Service(url, workers, games)
        for sign in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(sign, service.leaving.set)
        try:
            await service.line.ping()
        except TROUBLE as problem:
            log.warning("Redis can't be reached yet: %s", problem)
        if ready is not None:
            ready()
        else:
            print(f"Thinking with {service.local.workers + 1} processes  (press Ctrl-C to stop)", flush=True)
        await service.run()

    asyncio.run(think())
