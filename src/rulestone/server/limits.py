"""Limits: how often and how much anybody may ask for. All numbers are here; docs/server/limits.md explains them.

A limit goes by guest (a token), by address, by table and by everybody together. Tokens are free, so a limit by token keeps honest programs
honest; the limit by address stops the others. A table's limit counts only people who don't sit there: strangers can't crowd out its
players, and nothing a player gets depends on what spectators do.
"""

from __future__ import annotations

import ipaddress
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, Protocol

from rulestone.server.bus import TROUBLE, connect
from rulestone.server.refusal import Full, TooFast


class Rate(NamedTuple):
    """So many a second, and so many at once."""

    rate: float
    burst: float


@dataclass(frozen=True)
class Limit:
    """How often one thing may be done: by one guest, from one address, at one table by strangers, and by everybody together."""

    guest: Rate | None = None
    address: Rate | None = None
    table: Rate | None = None
    everybody: Rate | None = None


LIMITS = {
    # every page, file and call
    "request": Limit(address=Rate(100, 1500)),
    # every message of a socket, and every call about a table
    "message": Limit(guest=Rate(30, 300), address=Rate(300, 3000), table=Rate(300, 3000)),
    # a whole position again
    "redraw": Limit(guest=Rate(4, 60), address=Rate(40, 600), table=Rate(40, 600)),
    # seats, undo, endings, what people ask of each other
    "change": Limit(guest=Rate(3, 60), address=Rate(30, 600), table=Rate(30, 300)),
    # tables, rematches, studies, records to look at
    "create": Limit(guest=Rate(0.5, 20), address=Rate(0.5, 120), everybody=Rate(10, 600)),
    # tokens for programs
    "token": Limit(address=Rate(1, 120), everybody=Rate(50, 2000)),
    # codes of links between devices: nobody guesses them
    "link": Limit(guest=Rate(0.5, 20), address=Rate(0.5, 60)),
    "chat": Limit(guest=Rate(0.7, 6), address=Rate(10, 120), table=Rate(5, 60)),
    "report": Limit(guest=Rate(1 / 60, 5), address=Rate(1 / 20, 30)),
    # hints, curves, reviews, films
    "think": Limit(guest=Rate(1, 6), address=Rate(5, 60), table=Rate(2, 20), everybody=Rate(20, 200)),
    # pictures that are drawn for other sites
    "picture": Limit(address=Rate(2, 60), everybody=Rate(10, 200)),
    # sockets that open
    "socket": Limit(guest=Rate(5, 60), address=Rate(20, 400), table=Rate(50, 1000)),
}

MOST_SOCKETS = {"guest": 40, "address": 500, "table": 2000}
"""Sockets that are open at the same time: of one guest, from one address, of strangers at one table."""
MOST_REQUESTS, MOST_FROM_ONE = 500, 100
"""Requests that are being answered at the same time: in all, and from one address."""
MOST_CONNECTIONS, RESERVED, MOST_FROM_ONE_PEER = 20_000, 64, 1000
"""Connections to one process, of which at least RESERVED descriptors stay free; and those from one address that isn't a proxy's."""
HEAD_SECONDS, BODY_SECONDS, IDLE_SECONDS, STALLED_SECONDS = 10.0, 30.0, 15, 30.0
"""How long a connection may take for the head of a request and for its body, stay open in between, and not read what it is sent."""
LEAST_READ = 16 * 1024
"""Bytes that a reader has to take in STALLED_SECONDS while it is behind."""
LOOSE_FRAMES = Rate(10, 200)
"""Frames of one socket that are no message: pings, pongs, and pieces of a message after the first. Whoever sends more is cut off."""
LARGEST_BODY, LARGEST_MESSAGE = 64 * 1024, 4096
"""Bytes of a request's body, and characters of a socket's message."""
BUCKETS = 50_000
AWAY_SECONDS = 10.0
"""How long nobody asks a Redis that didn't answer."""


@lru_cache(maxsize=4096)
def network(address: str) -> str:
    """What counts as one address: an IPv4 address, or the first half of an IPv6 address, which is what one home gets.

    >>> network("2001:db8:1:2:aaaa::7") == network("2001:db8:1:2::1")
    True
    >>> network("::ffff:192.0.2.7")
    '192.0.2.7'
    """
    try:
        known = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address[:64]
    if isinstance(known, ipaddress.IPv4Address):
        return str(known)
    if known.ipv4_mapped is not None:
        return str(known.ipv4_mapped)
    return str(ipaddress.ip_network((int(known) >> 64 << 64, 64)))


class Bucket:
    """A bucket that refills: `rate` a second, up to `burst`."""

    __slots__ = ("level", "rate", "when")

    def __init__(self, rate: Rate, now: float) -> None:
        self.rate, self.level, self.when = rate, rate.burst, now

    def wait(self, now: float) -> float:
        """Seconds until something can be taken; 0 if that is now."""
        rate, burst = self.rate
        self.level, self.when = min(burst, self.level + (now - self.when) * rate), now
        return 0.0 if self.level >= 1 else (1 - self.level) / rate


Wanted = Sequence[tuple[str, Rate]]
"""What is to be taken from: names of buckets, with their rates."""


class Counts(Protocol):
    """Where it is counted how often things were done. Servers that share their limits share one of these."""

    async def take(self, wanted: Wanted) -> float:
        """Take one from each of these buckets, or from none if one is empty; returns the seconds until all have one (0: taken)."""


class Here:
    """Counts of this process. The least recently used ones are dropped."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.buckets: OrderedDict[str, Bucket] = OrderedDict()

    def bucket(self, name: str, rate: Rate) -> Bucket:
        found = self.buckets.get(name)
        if found is None:
            found = self.buckets[name] = Bucket(rate, self.clock())
            if len(self.buckets) > BUCKETS:
                self.buckets.popitem(last=False)
        else:
            self.buckets.move_to_end(name)
        return found

    async def take(self, wanted: Wanted) -> float:
        return self.take_from([self.bucket(name, rate) for name, rate in wanted])

    def take_from(self, buckets: Sequence[Bucket]) -> float:
        now = self.clock()
        wait = max((bucket.wait(now) for bucket in buckets), default=0.0)
        if wait == 0:
            for bucket in buckets:
                bucket.level -= 1
        return wait


TAKE = """
local now = redis.call('TIME')
now = now[1] + now[2] / 1000000
local levels, longest = {}, 0
for k, key in ipairs(KEYS) do
    local rate, burst = tonumber(ARGV[2 * k - 1]), tonumber(ARGV[2 * k])
    local kept = redis.call('HMGET', key, 'level', 'when')
    levels[k] = math.min(burst, (tonumber(kept[1]) or burst) + math.max(0, now - (tonumber(kept[2]) or now)) * rate)
    if levels[k] < 1 then longest = math.max(longest, (1 - levels[k]) / rate) end
end
if longest == 0 then
    for k, key in ipairs(KEYS) do
        redis.call('HSET', key, 'level', tostring(levels[k] - 1), 'when', string.format('%.6f', now))
        redis.call('EXPIRE', key, math.ceil((ARGV[2 * k] - levels[k] + 1) / ARGV[2 * k - 1]) + 1)
    end
end
return tostring(longest)
"""
"""Take one from each bucket, or from none if one is empty. Only the clock of Redis counts; a full bucket needs no memory."""


class Shared:
    """Counts of all servers that share a Redis. While it is away, each server counts for itself."""

    def __init__(self, url: str, tag: str, here: Here) -> None:
        self.line, self.tag, self.here = connect(url), f"rulestone:{tag}:limits:", here
        self.again = 0.0
        """When Redis is asked again, after it was away."""

    async def take(self, wanted: Wanted) -> float:
        if time.monotonic() >= self.again:
            rates = [number for _, rate in wanted for number in rate]
            try:
                return float(await self.line.eval(TAKE, len(wanted), *(self.tag + name for name, _ in wanted), *rates))
            except TROUBLE:
                self.again = time.monotonic() + AWAY_SECONDS
        return await self.here.take(wanted)

    async def close(self) -> None:
        await self.line.aclose()


class Limits:
    """The limits of a server. `scale` makes all of them more generous (2: twice as much of everything) or turns them off (0)."""

    def __init__(self, scale: float = 1.0, counts: Counts | None = None, here: Here | None = None) -> None:
        self.scale, self.here = scale, here or Here()
        self.counts: Counts = counts or self.here
        self.open: Counter[tuple[str, str]] = Counter()
        """What is going on now: sockets by guest, address and table, requests by address."""

    def _wanted(self, what: str, guest: str, address: str, table: str) -> tuple[list[tuple[str, Rate]], list[tuple[str, Rate]]]:
        """The buckets of somebody, and those of everybody."""
        limit, scale = LIMITS[what], self.scale
        own = (("guest", guest, limit.guest), ("address", network(address), limit.address), ("table", table, limit.table))
        mine = [(f"{what} {kind} {whom}", Rate(rate.rate * scale, rate.burst * scale)) for kind, whom, rate in own if rate and whom]
        all = limit.everybody
        return mine, [(f"{what} everybody", Rate(all.rate * scale, all.burst * scale))] if all else []

    async def check(self, what: str, guest: str = "", address: str = "", table: str = "") -> None:
        """Count something that somebody wants to do; `table` is for those who don't sit there. Raises TooFast or Full if it is too much."""
        if not self.scale:
            return
        mine, all = self._wanted(what, guest, address, table)
        if mine and (wait := await self.counts.take(mine)):
            raise TooFast(wait)
        if all and (wait := await self.counts.take(all)):
            raise Full(wait)

    def taps(self, what: str, guest: str = "", address: str = "", table: str = "") -> Callable[[], float]:
        """The same for something done often on one connection, always counted here: call it each time for the seconds to wait."""
        if not self.scale:
            return lambda: 0.0
        buckets = [self.here.bucket(*wanted) for wanted in self._wanted(what, guest, address, table)[0]]
        return lambda: self.here.take_from(buckets)

    @contextmanager
    def socket(self, guest: str, address: str, table: str = "") -> Iterator[None]:
        """While a socket is open. Raises TooFast if there are too many."""
        whose = [(kind, whom) for kind, whom in (("guest", guest), ("address", network(address)), ("table", table)) if whom]
        with self._one_more({place: MOST_SOCKETS[place[0]] for place in whose}):
            yield

    @contextmanager
    def request(self, address: str) -> Iterator[None]:
        """While a request is being answered. Raises Full if there are too many."""
        with self._one_more({("request", network(address)): MOST_FROM_ONE, ("request", ""): MOST_REQUESTS}):
            yield

    @contextmanager
    def _one_more(self, most: dict[tuple[str, str], int]) -> Iterator[None]:
        if self.scale and any(self.open[place] >= limit * self.scale for place, limit in most.items()):
            raise Full(1) if ("request", "") in most else TooFast(5)
        self.open.update(most.keys())
        try:
            yield
        finally:
            for place in most:
                self.open[place] -= 1
                if not self.open[place]:
                    del self.open[place]
