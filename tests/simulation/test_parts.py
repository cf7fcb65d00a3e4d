"""What stands in for the database, the bus and the clock behaves like the real ones: the same contract for each of them."""

import asyncio
import contextlib
import random
import time
from dataclasses import replace

import pytest

from rulestone.server import storage
from rulestone.server.bus import Redis
from rulestone.server.storage import Conflict, Line, MoveRow, SeatRow, Storage, TableRow, Turns
from tests import services
from tests.simulation import parts
from tests.simulation.world import World

TIMES = ("created", "updated", "due")
"""What depends on the clock. Everything else must be the same."""
STEPS, MOST = 120, 4


class Plain(parts.Database):
    """A database that doesn't play what it stores, so that any rows will do."""

    def _replay(self, table):
        pass

    def _play(self, table, move):
        pass


def in_the_simulation(work):
    """Run `work(world)` in a world without trouble."""
    world = World(1, {})
    world.database = Plain(world.loop, {}, world.log)
    try:
        return world.loop.run_until_complete(world.loop.create_task(work(world)))
    finally:
        world.loop.bury()


# ---- the storage ----------------------------------------------------------------------------------------------------------


class Writers:
    """Random calls to a storage, right and wrong ones, and what came of each."""

    def __init__(self, store, seed):
        self.store, self.chance, self.count, self.signs = store, random.Random(seed), 0, {}
        self.ids, self.lines, self.told = [], [0], []

    async def run(self):
        await self.new_table()
        for _ in range(STEPS):
            act = self.chance.choice([self.move] * 8 + [self.seat] * 4 + [self.line] * 3 + self.others)
            try:
                found = await act()
            except Conflict:
                found = "conflict"
            self.told.append((act.__name__, found, await self.look()))
        self.told.append(("end", None, [await self.whole(id) for id in self.ids]))
        return self.told

    @property
    def others(self):
        return [self.new_table, self.back, self.out, self.wish, self.stage, self.hush, self.remove, self.read, self.turns]

    async def look(self):
        """What is stored of the tables that have another sign than before."""
        signs = await self.store.signs(self.ids)
        news = [id for id in self.ids if signs[id] != self.signs.get(id)]
        self.signs = signs
        return [(id, await self.whole(id)) for id in news]

    async def whole(self, id, *given):
        row, moves, gone = await self.store.load(id, *given)
        return self.plain(row), moves, sorted(gone)

    @staticmethod
    def plain(row):
        return {name: value for name, value in vars(row).items() if name not in TIMES}

    async def pick(self):
        """A table as it is stored, its moves, and how an ill-informed writer may know its edition."""
        row, moves, _ = await self.store.load(self.chance.choice(self.ids))
        return row, moves, self.chance.choice([None, row.edition, row.edition, row.edition, (row.edition[0] + 1, row.edition[1])])

    def often(self, value, *others):
        return self.chance.choice([value] * 4 + [*others])

    async def new_table(self):
        if len(self.ids) == MOST:
            return
        after = self.chance.choice([None, *self.ids]) if self.ids else None
        series, number = self.chance.choice([(None, None), ("s", 0), ("s", self.chance.randrange(4))])
        self.count += 1
        row = TableRow(f"t{self.count}", "any", 1, 2, {}, "seed", "", "host", series=series, number=number, terms={"length": 3}, stage=0)
        row.seats = [SeatRow("person", "anna", "Anna"), SeatRow()]
        await self.store.add_table(row, self.chance.choice([(), ("carl",)]), after, [1, 0] if after else ())
        self.ids.append(row.id)

    async def move(self):
        row, moves, edition = await self.pick()
        ply = self.often(len(moves), 0, max(0, len(moves) - 1))
        made = MoveRow(ply, self.chance.randrange(7), 5, 1.5, f"k{len(self.told)}", self.chance.choice(["anna", "ben"]), "0.0", None, "")
        lost = self.chance.choice([None, [seat.out for seat in row.seats], ["time", ""]])
        await self.store.add_move(row.id, made, self.chance.choice(["", "running", "running", "over"]), edition, lost)

    async def back(self):
        row, moves, _ = await self.pick()
        await self.store.take_back(
            row.id,
            self.chance.randrange(len(moves) + 1),
            row.revision + self.often(1, 0, 2),
            self.chance.choice([None, len(moves), 1 + len(moves)]),
        )

    async def out(self):
        row, moves, edition = await self.pick()
        if moves:
            place = self.chance.randrange(len(moves))
            later = self.often(moves[place + 1 :], moves)
            await self.store.take_out(row.id, moves[place].ply, later, self.chance.randrange(2), edition or row.edition)

    async def seat(self):
        row, moves, _ = await self.pick()
        number = self.chance.randrange(2)
        now = SeatRow("person", self.chance.choice(["anna", "ben"]), "", "", self.chance.random() < 0.5, self.chance.choice(["", "time"]))
        was = self.often(row.seats[number], SeatRow("bot", None, "", "level:1"))
        end = self.chance.choice([None, None, len(moves), 9])
        await self.store.set_seat(row.id, number, now, was, self.chance.choice([None, "{}"]), end)

    async def wish(self):
        row, _, _ = await self.pick()
        await self.store.set_wishes(row.id, f"wish {len(self.told)}", self.often(row.wishes, "other"))

    async def stage(self):
        row, _, _ = await self.pick()
        await self.store.set_stage(row.id, self.often(row.stage, 5), (row.stage + 1) % 3, {"pledges": [None, "x"]})

    async def hush(self):
        await self.store.set_table(self.chance.choice(self.ids), hushed=self.chance.randrange(2))

    async def remove(self):
        """Servers that don't hear of it notice by the sign."""
        table = self.chance.choice(self.ids)
        before = await self.store.signs([table])
        await self.store.remove(table, self.chance.choice(["ben", "carl"]))
        return before != await self.store.signs([table])

    async def line(self):
        guest, key = self.chance.choice(["anna", "carl"]), self.chance.choice([None, "a", "b", f"c{len(self.told)}"])
        said = Line("Name", self.chance.choice([None, 0]), f"text {len(self.told)}", 1.5, guest, self.chance.random() < 0.5, key)
        self.lines.append(await self.store.add_chat(self.chance.choice(self.ids), said))

    async def read(self):
        """Whatever can be asked: databases count lines in their own way, so what counts is which of them is meant."""
        table, after = self.chance.choice(self.ids), self.chance.choice(self.lines)
        lines = await self.store.chat_of(table, self.chance.random() < 0.5, self.chance.choice([2, 200]), after)
        one = await self.store.said(table, "anna", self.chance.choice(["a", "b"]))
        row, moves, _ = await self.pick()
        return (
            [replace(said, number=self.lines.index(said.number)) for said in (*lines, *filter(None, [one]))],
            [self.plain(other) for other in await self.store.series_tables("s")],
            await self.store.load("unknown"),
            await self.store.table("unknown"),
            self.plain(await self.store.table(row.id)),
            await self.whole(row.id, row.edition, self.chance.randrange(len(moves) + 1)),
            await self.whole(row.id, (99, 0), len(moves)),
        )

    async def turns(self):
        """Whom a table waits for is stored with the next move, or soon, unless it is no news any more; a table is due only while its game
        goes on."""
        row, moves, _ = await self.pick()
        late, later, _ = await self.pick()
        due, waits = self.chance.choice([None, 0.0, 5.0, 50.0]), {"0": [float(len(self.told)), None]}
        if late.id != row.id:
            wrong = ((99, 0), len(later)) if not later or self.chance.random() < 0.5 else (late.edition, len(later) - 1)
            self.store.keep_turns(late.id, Turns({"1": [0.0, None]}, 0.0, *wrong))
        self.store.keep_turns(row.id, Turns(waits, due, row.edition, len(moves)))
        while (found := await self.store.table(row.id)).waits != waits:
            await asyncio.sleep(0.002)
        return found.due == due, row.id in await self.store.due_tables(10.0), (await self.store.table(late.id)).waits


async def written(url, seed):
    store = Storage(url)
    await store.open()
    try:
        return await Writers(store, seed).run()
    finally:
        await store.close()


@pytest.fixture(scope="module")
def databases(tmp_path_factory):
    """The addresses of a fresh SQLite database and, where it is installed, a fresh PostgreSQL."""
    with contextlib.ExitStack() as stack:
        found = {"sqlite": f"sqlite:///{tmp_path_factory.mktemp('db') / 'tables.db'}"}
        with contextlib.suppress(pytest.skip.Exception):
            found["postgres"] = stack.enter_context(services.postgres())
        yield found


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_the_stand_in_for_the_storage_answers_like_the_real_one(kind, databases, monkeypatch):
    if kind not in databases:
        pytest.skip(f"{kind} is not installed")
    monkeypatch.setattr(storage, "SOON", 0.0)
    monkeypatch.setattr(parts, "SOON", 0.0)
    told = in_the_simulation(lambda world: Writers(parts.Store(world, world.clock.time), 6).run())
    assert {name for name, found, _ in told if found == "conflict"} == {"new_table", "move", "back", "out", "seat", "wish", "stage", "line"}
    assert {found for name, found, _ in told if name == "remove"} == {True}
    for step, (ours, real) in enumerate(zip(told, asyncio.run(written(databases[kind], 6)), strict=True)):
        assert ours == real, f"step {step}"


# ---- the bus --------------------------------------------------------------------------------------------------------------


async def until(known):
    """Wait until it is so."""
    async with asyncio.timeout(30):
        while not known():
            await asyncio.sleep(0.01)


async def talk(one, other, names, lose):
    """What two servers hear of each other. `lose` makes a server lose its line to the bus, which comes back by itself."""
    heard = {one: [], other: []}
    for bus in heard:
        await bus.open(lambda *said, bus=bus: heard[bus].append(said))
    first, second = (names(bus) for bus in heard)
    await until(lambda: one.up and other.up and second in one.others and first in other.others)
    assert ("", first, {"missed": True}) in heard[one]
    assert await one.follow("t") == {}
    one.here("t", ["anna", "anna"])
    await until(lambda: one.up)
    while (here := await other.follow("t")) != {first: ["anna", "anna"]}:
        assert here in ({}, {first: []})
        await asyncio.sleep(0.01)
    for said in heard.values():
        said.clear()
    one.tell("u", changed=True)  # a table that the other doesn't follow
    one.tell("t", changed=True)
    one.tell("", forgotten="ben")
    await until(lambda: ("", first, {"forgotten": "ben"}) in heard[other] and ("t", first, {"changed": True}) in heard[other])
    other.here("t", ["carl"])
    await until(lambda: ("t", second, {"here": ["carl"]}) in heard[one])
    assert all(said[0] != "u" for said in heard[other])
    assert all(said[1] != first for said in heard[one])
    assert [await bus.lead("t") for bus in (one, other, one)] == [True, False, True]
    one.unfollow("t")
    await until(lambda: ("t", first, {"here": None}) in heard[other])
    while not await other.lead("t"):
        await asyncio.sleep(0.01)
    assert not await one.lead("t")
    assert await one.lead("v")
    assert not await other.lead("v")
    assert await one.lead("w")
    await lose(one)
    one.unfollow("w")
    while not await other.lead("w"):
        await asyncio.sleep(0.01)
    await until(lambda: one.up and other.up)
    await one.close()
    await until(lambda: ("", first, {"gone": True}) in heard[other] and first not in other.others)
    while not await other.lead("v"):
        await asyncio.sleep(0.01)
    await other.close()


def test_the_stand_in_for_the_bus_carries_what_redis_carries():
    with services.redis() as url:

        async def cut(bus):
            await bus.line.client_kill_filter(_type="pubsub")
            await until(lambda: not bus.up)

        async def real():
            await talk(*(Redis(url, "test") for _ in range(2)), lambda bus: bus.name, cut)

        asyncio.run(real())

    async def ours(world):
        async def cut(bus):
            bus.cut()
            world.loop.call_later(0.1, bus.connect)

        await talk(*(parts.Wire(world, name, world.loop.machine(name)) for name in ("one", "other")), lambda bus: bus.name, cut)

    in_the_simulation(ours)


# ---- the clock ------------------------------------------------------------------------------------------------------------


async def keep_time(clock):
    """What a server expects of its clock and its loop."""
    loop, order = asyncio.get_running_loop(), []
    began, wall, own = clock.monotonic(), clock.time(), loop.time()
    loop.call_later(0.03, order.append, "later")
    loop.call_later(0.01, order.append, "soon")
    loop.call_later(0.02, order.append, "never").cancel()
    loop.call_soon(order.append, "now")
    tasks = [asyncio.create_task(asyncio.sleep(0.02, name)) for name in "ab"]
    assert await asyncio.gather(*tasks) == ["a", "b"]
    await asyncio.sleep(0.05)
    assert order == ["now", "soon", "later"]
    passed = [clock.monotonic() - began, clock.time() - wall, loop.time() - own]
    assert min(passed) >= 0.069
    assert max(passed) - min(passed) < 0.5
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(asyncio.sleep(60), 0.01)
    assert await loop.run_in_executor(None, pow, 2, 3) == 8
    with pytest.raises(ZeroDivisionError):
        await loop.run_in_executor(None, divmod, 1, 0)
    assert clock.strftime("%Y", clock.gmtime()) > "2000"


def test_the_stand_in_for_the_clock_keeps_time():
    asyncio.run(keep_time(time))
    in_the_simulation(lambda world: keep_time(world.clock))


def test_a_machine_that_dies_in_the_simulation_does_nothing_more():
    async def work(world):
        done = []

        async def live():
            while True:
                done.append(world.loop.time())
                await asyncio.sleep(1)

        context = world.loop.machine("server")
        world.loop.create_task(live(), context=context)
        await asyncio.sleep(2.5)
        world.loop.kill("server")
        await asyncio.sleep(10)
        return len(done)

    assert in_the_simulation(work) == 3
