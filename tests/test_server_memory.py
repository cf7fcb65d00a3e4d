"""Memory stays bounded, and the garbage collector stays out of the way."""

import asyncio
import gc
import re
import sys
import time
import urllib.request
import weakref
from pathlib import Path

import httpx
import pytest
from starlette.testclient import TestClient

from rulestone.server import garbage
from rulestone.server.app import create_app
from rulestone.server.frames import Frames
from rulestone.server.garbage import AT_LATEST, GROWTH, LONG_QUIET, QUIET, Keeper
from rulestone.server.room import Client
from rulestone.server.rooms import IDLE_SECONDS, RESTING_SECONDS, Rooms, Terms
from rulestone.server.storage import Storage
from rulestone.table import Face
from tests.services import serving
from tests.tables import WHISPER

pytestmark = pytest.mark.usefixtures("interpreted")
PEOPLE = [{"kind": "person", "guest": f"guest{n}"} for n in range(2)]


class Nobody:
    """Bots that never think."""

    def warm_up(self, source, game):
        pass


@pytest.fixture
def without_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


async def played(rooms, moves=6):
    """A table where two people have played a little while a third watched, and all have left."""
    room = await rooms.create("connect_four", "guest0", PEOPLE, {}, Terms())
    clients = [Client(f"guest{n}") for n in range(3)]
    for client in clients:
        await room.join(client)
    for ply in range(moves):
        seat = room.match.to_move
        await room.move(f"guest{seat}", room.at_for(seat), ply, f"key {ply}")
    for client in clients:
        room.part(client)
    return room, clients


async def with_rooms(url, work):
    storage = Storage(url)
    await storage.open()
    rooms = Rooms(storage, Nobody(), pace=0)
    try:
        return await work(rooms)
    finally:
        rooms.close()
        await storage.close()


async def settled(condition):
    """Wait until it is so, or long enough."""
    for _ in range(500):
        if condition():
            return
        await asyncio.sleep(0.01)


def drop(rooms, idle=IDLE_SECONDS):
    rooms.sweep(time.monotonic() + idle + 1)


def test_a_table_that_leaves_memory_is_freed_at_once(url, without_collector):
    async def work(rooms):
        room, clients = await played(rooms)
        kept = [weakref.ref(one) for one in (room, room.match, room.frames, room.talk, *clients)]
        del room, clients
        drop(rooms)
        await settled(lambda: not any(one() for one in kept))
        return [one() for one in kept]

    assert asyncio.run(with_rooms(url, work)) == [None] * 7


def counted(url, rounds, tables):
    """How many objects there are after each round in which tables come and go, without the collector."""

    async def work(rooms):
        found = []
        for _ in range(rounds):
            for _ in range(tables):
                await played(rooms, 3)
                drop(rooms)
            assert not rooms.rooms
            await settled(lambda: len(asyncio.all_tasks()) <= 2)
            found.append(len(gc.get_objects()))
        return found

    return asyncio.run(with_rooms(url, work))


def test_tables_that_come_and_go_leave_nothing_behind(url, without_collector):
    first, *_, last = counted(url, 3, 20)
    assert last - first < 20 * 2 * 20, "less than twenty objects a table"


@pytest.mark.soak
def test_thousands_of_tables_leave_nothing_behind(url, without_collector):
    first, *_, last = counted(url, 6, 1000)
    assert last - first < 5000 * 2


@pytest.mark.soak
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks memory up in /proc")
def test_ten_thousand_tables_at_a_real_server_leave_memory_within_a_minute(tmp_path):
    def figures(port, process):
        text = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics").read().decode()
        resident = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{process.pid}/status").read_text())[1]
        return float(re.search(r"^rulestone_tables_in_memory (\S+)", text, re.MULTILINE)[1]), int(resident) / 1024

    async def visit(client, rounds):
        """One person after the other makes a table and moves there once."""
        for _ in range(rounds):
            headers = {"Authorization": f"Bearer {(await client.post('/api/guests')).json()['token']}"}
            made = await client.post("/api/tables", json={"game": "connect_four", "seats": [{"kind": "me"}] * 2}, headers=headers)
            path = f"/api/tables/{made.json()['id']}"
            state = (await client.get(path, headers=headers)).json()["state"]
            moved = await client.post(f"{path}/moves", json={"at": state["at"], "move": 3}, headers=headers)
            assert moved.status_code == 200, moved.text

    async def crowd(port, tables):
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60, trust_env=False) as client:
            await asyncio.gather(*(visit(client, tables // 8) for _ in range(8)))

    with serving(tmp_path, "--limits", "0") as (port, process):
        asyncio.run(crowd(port, 400))
        seen = [figures(port, process)]
        for _ in range(10):
            asyncio.run(crowd(port, 1000))
            seen.append(figures(port, process))
        time.sleep(60)
        seen.append(figures(port, process))
    print("tables in memory, MB:", *(f"{tables:.0f}, {memory:.0f};" for tables, memory in seen))
    assert seen[-1][0] == 0
    assert max(tables for tables, _ in seen) < 5000
    assert max(memory for _, memory in seen[6:]) < 1.2 * max(memory for _, memory in seen[:6]), "it grows no further"


def test_a_table_that_nobody_touches_keeps_no_picture(url):
    async def work(rooms):
        room, _ = await played(rooms)
        drawn = [page for page in room.frames.pages.values() if page.scenes]
        drop(rooms, RESTING_SECONDS)
        return drawn, room

    drawn, room = asyncio.run(with_rooms(url, work))
    assert drawn
    assert not any(page.scenes or (page.before and page.before.scenes) for page in room.frames.pages.values())
    assert not room.frames.drawn
    assert not room.frames.texts


def test_what_everybody_has_received_is_not_kept(url):
    async def work(rooms):
        return (await played(rooms))[0].frames.texts

    assert not asyncio.run(with_rooms(url, work))


@pytest.mark.parametrize("game", ["connect_four", "micro_medusa"])
def test_a_rested_table_sends_what_it_would_have_sent(game):
    import rulestone

    match = rulestone.load(game).new(seed=3)
    awake, rested = (Frames(Face.of(match.game)) for _ in range(2))
    has = {}
    for _ in range(8):
        for eyes in (None, *range(match.players)):
            rested.rest()
            told = [one.text(match, eyes, "at", True, has.get(eyes, -1), eyes) for one in (awake, rested)]
            assert told[0] == told[1]
            has[eyes] = awake.page(match, eyes).version
        match.play(match.legal_actions()[-1])
        rested.rest()
        for frames in (awake, rested):
            frames.turn_page(match)


class Collector:
    """Python's collector, with what was asked of it."""

    def __init__(self):
        self.asked, self.frozen = [], 0

    def __getattr__(self, name):
        return lambda *given: self.asked.append(name)

    def get_threshold(self):
        return (700, 10, 10)

    def get_freeze_count(self):
        return self.frozen


@pytest.mark.parametrize(
    ("quiet", "passed", "frozen", "asked"),
    [
        (0.0, 15.0, 0, []),
        (QUIET + 1, 15.0, 0, ["collect", "freeze"]),
        (0.0, AT_LATEST, 0, ["collect", "freeze"]),
        (LONG_QUIET + 1, 15.0, 100, ["unfreeze", "collect", "freeze"]),
        (LONG_QUIET + 1, 15.0, 0, ["collect", "freeze"]),
        (0.0, AT_LATEST, GROWTH + 1, ["unfreeze", "collect", "freeze"]),
    ],
    ids=["busy", "quiet", "busy for long", "quiet for long", "quiet for long, nothing new", "far more than before"],
)
def test_garbage_is_collected_in_quiet_moments_and_all_of_it_rarely(monkeypatch, quiet, passed, frozen, asked):
    collector = Collector()
    monkeypatch.setattr(garbage, "gc", collector)
    keeper = Keeper()
    with keeper.at_work():
        collector.asked.clear()
        collector.frozen = frozen
        keeper.tidy(quiet, passed)
        assert collector.asked == asked
    assert collector.asked[-2:] == ["set_threshold", "unfreeze"]


def test_what_is_new_stays_little_although_as_much_goes_as_comes():
    """Python itself would let it pile up: it counts what comes less what goes, and looks once that is much."""
    with Keeper().at_work():
        tables = [[[] for _ in range(10)] for _ in range(2_000)]  # one picture each
        garbage.visit()
        most = 0
        for k in range(len(tables)):
            tables[k] = [[] for _ in range(10)]
            if k % 25 == 0:
                most = max(most, sum(len(gc.get_objects(generation)) for generation in range(3)))
                garbage.visit()
    assert most < 2_000


def test_a_server_at_work_visits_what_is_new_again_and_again(monkeypatch, tmp_path):
    visits = []
    monkeypatch.setattr(garbage, "visit", lambda: visits.append(len(visits)))
    with TestClient(create_app(f"sqlite:///{tmp_path / 'tables.db'}", games=[WHISPER])):
        while len(visits) < 3:
            time.sleep(0.01)
