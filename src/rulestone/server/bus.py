"""The bus: how the servers of one database hear of each other.

The storage is the truth. The bus only says that a table has changed, and what isn't stored: who is here, and what was said in passing.
A message that gets lost is healed by the next one, and by a look at the storage every few seconds. So tables keep working without a bus;
they are then as slow to hear of each other as that look.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import os
import secrets
import socket
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import orjson

log = logging.getLogger(__name__)
News = dict[str, Any]
Hear = Callable[[str, str, News], None]
"""Takes a message: the table it is about ("": all), the server it is from, and what it says."""
BEAT, LIFE = 1.0, 5
"""Every so many seconds a server says that it is alive, and after so many of silence the others take it for dead."""
PATIENCE = 2.0
"""Seconds to wait for an answer."""
KEPT = 24 * 3600
"""Seconds after which it is forgotten who was at a table that nobody has closed."""
KEPT_OF_A_KIND = 1000


class Alone:
    """The bus of a server that has its database to itself: there is nobody to tell, and it leads at every table."""

    up = True
    """Whether the others can hear us."""
    others: frozenset[str] = frozenset()
    """The other servers that are alive."""

    async def open(self, hear: Hear) -> None:
        """Start. `hear` is called with every message from another server."""

    async def close(self) -> None:
        """Leave: what this server leads is free for the others."""

    async def follow(self, table: str) -> dict[str, list[str]]:
        """Hear of a table from now on. Returns who is at it, by server, for every other server that has it in memory."""
        return {}

    def unfollow(self, table: str) -> None:
        """Hear no more of a table, and lead it no longer."""

    def tell(self, table: str, **news: Any) -> None:
        """Tell all others that follow a table; with "" all others. Nothing is promised."""

    def here(self, table: str, guests: list[str]) -> None:
        """Say who is at a table through this server, once for each socket."""

    async def lead(self, table: str) -> bool:
        """Whether this server plays for the bots of a table and wakes it: the first one to ask, as long as it is alive."""
        return True

    async def once(self, what: str, seconds: int) -> bool:
        """Whether nobody has asked the same in the last seconds."""
        return True

    async def keep(self, kind: str, name: str, value: Any, seconds: float) -> None:
        """Keep something for the other servers, for so many seconds at most: the last KEPT_OF_A_KIND of a kind, if nothing goes wrong."""

    async def kept(self, kind: str, name: str) -> Any:
        """What a server has kept; None if there is nothing."""
        return None


ALIVE = """
local now = tonumber(redis.call('TIME')[1])
if ARGV[1] ~= '' then redis.call('ZADD', KEYS[1], now, ARGV[1]) end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - tonumber(ARGV[2]))
return redis.call('ZRANGE', KEYS[1], 0, -1)
"""
"""Say that a server is alive; returns all that are. Only the clock of Redis counts."""
LEAD = """
local now, leads = tonumber(redis.call('TIME')[1]), redis.call('GET', KEYS[2])
if leads and leads ~= ARGV[1] then
    local beat = redis.call('ZSCORE', KEYS[1], leads)
    if beat and tonumber(beat) > now - tonumber(ARGV[2]) then return 0 end
end
redis.call('SET', KEYS[2], ARGV[1], 'EX', ARGV[3])
return 1
"""
"""Lead a table, unless another server that is alive does."""
DROP = """
redis.call('HDEL', KEYS[2], ARGV[1])
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
"""
"""Lead a table no longer, and be there no longer."""


KEEP = """
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
redis.call('LREM', KEYS[2], 0, KEYS[1])
redis.call('LPUSH', KEYS[2], KEYS[1])
while redis.call('LLEN', KEYS[2]) > tonumber(ARGV[3]) do redis.call('DEL', redis.call('RPOP', KEYS[2])) end
redis.call('EXPIRE', KEYS[2], ARGV[4])
"""
"""Keep a value for some seconds, and no more than so many of its kind."""


class Redis(Alone):
    """A bus through Redis. `tag` tells databases apart that share one Redis."""

    def __init__(self, url: str, tag: str) -> None:
        self.line = connect(url)
        self.name = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(3)}"
        self.tag = f"rulestone:{tag}:"
        self.up = False
        self.hear: Hear = lambda table, server, news: None
        self.followed: dict[str, asyncio.Future[None]] = {}
        """Tables that are followed; done once Redis has said so."""
        self.presence: dict[str, list[str]] = {}
        self.left: set[str] = set()
        """Tables that are followed no longer, until Redis knows it: otherwise nobody else could lead them."""
        self.queue: asyncio.Queue[tuple[str, News]] = asyncio.Queue(10_000)
        self.life: asyncio.Task[None] | None = None
        self.ears: Any = None

    def _key(self, what: str, name: str = "") -> str:
        return f"{self.tag}{what}:{name}"

    async def open(self, hear: Hear) -> None:
        self.hear = hear
        with contextlib.suppress(*TROUBLE):
            await self._beat()
        self.life = asyncio.create_task(keep_going([self._listen, self._speak, self._stay_alive], self._lost))

    async def close(self) -> None:
        if self.life is not None:
            await end(self.life)
        with contextlib.suppress(*TROUBLE):
            await self.line.zrem(self._key("servers"), self.name)
            await self.line.publish(self._key("table"), orjson.dumps([self.name, {"gone": True}]))
        await self.line.aclose()

    def _lost(self) -> None:
        self.up, self.queue = False, asyncio.Queue(10_000)

    # ---- hearing --------------------------------------------------------------------------------------------------------

    async def _listen(self) -> None:
        async with self.line.pubsub() as ears:
            for table, done in self.followed.items():
                if done.done():
                    self.followed[table] = asyncio.get_running_loop().create_future()
            await ears.subscribe(self._key("table"), *(self._key("table", table) for table in self.followed))
            self.ears = ears
            try:
                silent = 0
                while silent < 4:
                    message = await ears.get_message(timeout=BEAT)
                    if message is None:
                        silent += 1
                        await ears.ping()
                    else:
                        silent = 0
                        self._heard(message)
                raise ConnectionError("there is no answer")
            finally:
                self.ears = None

    def _heard(self, message: dict[str, Any]) -> None:
        if message["type"] == "pong":
            return
        table = message["channel"].decode().removeprefix(self._key("table"))
        if message["type"] == "subscribe":
            if table == "":  # there may have been news while nobody listened
                self.up = True
                for followed, guests in [*self.presence.items()]:
                    self.here(followed, guests)
                for left in self.left:
                    self._send(left, {"unfollow": True})
                self.hear("", self.name, {"missed": True})
            elif table in self.followed and not self.followed[table].done():
                self.followed[table].set_result(None)
        elif message["type"] == "message":
            server, news = orjson.loads(message["data"])
            if server == self.name:
                return
            if table == "" and "gone" in news:
                self.others -= {server}
            self.hear(table, server, news)

    async def follow(self, table: str) -> dict[str, list[str]]:
        self.left.discard(table)
        if table not in self.followed:
            self.followed[table] = asyncio.get_running_loop().create_future()
            self.presence[table] = []
        try:
            async with asyncio.timeout(PATIENCE):
                if self.ears is not None and not self.followed[table].done():
                    await self.ears.subscribe(self._key("table", table))
                if self.up:
                    await asyncio.shield(self.followed[table])
                    here = self._key("here", table)
                    async with self.line.pipeline(transaction=False) as pipe:
                        pipe.hset(here, self.name, orjson.dumps(self.presence[table]))
                        pipe.expire(here, KEPT)
                        pipe.hgetall(here)
                        found = (await pipe.execute())[-1]
                    others = {server.decode(): orjson.loads(guests) for server, guests in found.items()}
                    return {server: guests for server, guests in others.items() if server in self.others}
        except TROUBLE as problem:
            log.info("table %s is opened without news from others: %s", table, problem)
        return {}

    def unfollow(self, table: str) -> None:
        self.followed.pop(table, None)
        self.presence.pop(table, None)
        self.left.add(table)
        self._send(table, {"unfollow": True})

    # ---- telling --------------------------------------------------------------------------------------------------------

    def tell(self, table: str, **news: Any) -> None:
        self._send(table, news)

    def here(self, table: str, guests: list[str]) -> None:
        self.presence[table] = guests
        self._send(table, {"here": True})

    def _send(self, table: str, news: News) -> None:
        if self.up:
            with contextlib.suppress(asyncio.QueueFull):  # healed by the next look at the storage
                self.queue.put_nowait((table, news))

    async def _speak(self) -> None:
        """Send what there is to say, all at once; of several words about who is here, the last."""
        while True:
            waiting = [await self.queue.get()]
            while not self.queue.empty():
                waiting.append(self.queue.get_nowait())
            async with self.line.pipeline(transaction=False) as pipe:
                for table in {table for table, news in waiting if "here" in news and table in self.presence}:
                    guests = self.presence[table]
                    pipe.hset(self._key("here", table), self.name, orjson.dumps(guests))
                    pipe.expire(self._key("here", table), KEPT)
                    self._publish(pipe, table, {"here": guests})
                for table, news in waiting:
                    if "unfollow" in news and table not in self.followed:
                        pipe.eval(DROP, 2, self._key("leads", table), self._key("here", table), self.name)
                        self._publish(pipe, table, {"here": None})
                        if self.ears is not None:
                            await self.ears.unsubscribe(self._key("table", table))
                    elif "here" not in news and "unfollow" not in news:
                        self._publish(pipe, table, news)
                await pipe.execute()
            self.left -= {table for table, news in waiting if "unfollow" in news}

    def _publish(self, pipe: Any, table: str, news: News) -> None:
        pipe.publish(self._key("table", table), orjson.dumps([self.name, news]))

    async def _stay_alive(self) -> None:
        while True:
            await self._beat()
            await asyncio.sleep(BEAT)

    async def _beat(self) -> None:
        alive = await self.line.eval(ALIVE, 1, self._key("servers"), self.name, LIFE)
        others = frozenset(server.decode() for server in alive) - {self.name}
        gone, self.others = self.others - others, others
        for server in gone:
            self.hear("", server, {"gone": True})

    # ---- agreeing -------------------------------------------------------------------------------------------------------

    async def lead(self, table: str) -> bool:
        try:
            keys = (self._key("servers"), self._key("leads", table))
            return bool(await self.line.eval(LEAD, 2, *keys, self.name, LIFE, KEPT))
        except TROUBLE:  # everybody for themselves: the storage decides whose move counts
            return True

    async def once(self, what: str, seconds: int) -> bool:
        try:
            return bool(await self.line.set(self._key("once", what), self.name, nx=True, ex=seconds))
        except TROUBLE:
            return True

    async def keep(self, kind: str, name: str, value: Any, seconds: float) -> None:
        keys = (self._key(f"kept {kind}", name), self._key("kept", kind))
        with contextlib.suppress(*TROUBLE):
            await self.line.eval(KEEP, 2, *keys, orjson.dumps(value), math.ceil(seconds), KEPT_OF_A_KIND, KEPT)

    async def kept(self, kind: str, name: str) -> Any:
        try:
            found = await self.line.get(self._key(f"kept {kind}", name))
        except TROUBLE:
            return None
        return None if found is None else orjson.loads(found)


async def keep_going(works: Sequence[Callable[[], Coroutine[Any, Any, None]]], lost: Callable[[], None]) -> None:
    """Do all of this together. If Redis goes away, call `lost` and start over, after a little longer each time."""
    loop, wait = asyncio.get_running_loop(), 0.1
    while True:
        began, tasks = loop.time(), [asyncio.create_task(work()) for work in works]
        for task in tasks:
            task.add_done_callback(_retrieve)
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        finally:
            await end(*tasks)
        found = [task.exception() for task in tasks if not task.cancelled()]
        problem = next(filter(None, found), None)
        if problem is not None and not isinstance(problem, TROUBLE):
            log.error("something failed between servers; trying again", exc_info=problem)
        elif wait < 0.3:
            log.warning("Redis is away: %s", problem)
        lost()
        wait = 0.1 if loop.time() - began > 5 else min(2 * wait, 5.0)
        await asyncio.sleep(wait)


def _retrieve(task: asyncio.Task[None]) -> None:
    """Problems are reported once for all tasks together."""
    if not task.cancelled():
        task.exception()


async def end(*tasks: asyncio.Task[None]) -> None:
    """Cancel tasks and wait for their end; again and again, as the client of Redis may swallow it."""
    while any(not task.done() for task in tasks):
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks, timeout=0.2)


def connect(url: str) -> Any:
    """A connection to Redis that fails at once if there is no answer. Raises ValueError, in one sentence, if it can't be used."""
    try:
        from redis.asyncio import Redis as Line
        from redis.asyncio.retry import Retry
        from redis.backoff import NoBackoff
    except ModuleNotFoundError:
        raise ValueError("--redis needs the client library: pip install 'rulestone[many]'") from None
    try:
        return Line.from_url(url, socket_connect_timeout=PATIENCE, socket_timeout=PATIENCE, retry=Retry(NoBackoff(), 0))
    except ValueError:
        raise ValueError(f"--redis takes a URL like redis://localhost:6379/0, not {url!r}") from None


def _trouble() -> tuple[type[Exception], ...]:
    try:
        from redis.exceptions import RedisError
    except ModuleNotFoundError:
        return (OSError, TimeoutError)
    return (RedisError, OSError, TimeoutError)


TROUBLE = _trouble()
"""What Redis and its client raise."""
