"""Limits: nobody gets more than their share, and ordinary people never notice. No test waits: the clock is passed in."""

import asyncio
import contextlib
import json
import logging
import socket
import time
import urllib.request
from types import SimpleNamespace

import h11
import httpx
import pytest
import uvicorn
import websockets
from starlette.requests import HTTPConnection
from starlette.testclient import TestClient
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from rulestone.server import lines, wire
from rulestone.server.app import create_app
from rulestone.server.limits import LIMITS, MOST_SOCKETS, Here, Limits, Rate, network
from rulestone.server.lines import BODY_SECONDS, HEAD_SECONDS, IDLE_SECONDS, STALLED_SECONDS, Doors, Line
from rulestone.server.logs import Repeats
from rulestone.server.refusal import Full, TooFast
from rulestone.server.room import Client
from rulestone.server.rooms import LOOK
from rulestone.server.security import address_of, proxies
from rulestone.server.sockets import COSTS
from tests.services import serving
from tests.tables import Person, ask, hear, joined
from tests.test_server_leaks import room_of


@pytest.fixture
def limits(clock):
    return Limits(here=Here(clock))


def tries(limits, count, what, **whom):
    """How many of so many tries are allowed."""

    async def run():
        allowed = 0
        for _ in range(count):
            with contextlib.suppress(TooFast, Full):
                await limits.check(what, **whom)
                allowed += 1
        return allowed

    return asyncio.run(run())


# ---- counting -----------------------------------------------------------------------------------------------------------------


def test_a_bucket_refills_and_says_how_long_to_wait(clock):
    here = Here(clock)
    wanted = [("thing", Rate(2, 3))]

    async def take():
        return await here.take(wanted)

    assert [asyncio.run(take()) for _ in range(4)] == [0, 0, 0, 0.5]
    clock.now += 0.5
    assert [asyncio.run(take()) for _ in range(2)] == [0, 0.5]


def test_new_tokens_dont_help_an_address_beyond_its_limit(limits):
    most = LIMITS["create"].address.burst
    assert sum(tries(limits, 1, "create", guest=f"guest {n}", address="192.0.2.1") for n in range(400)) == most
    assert tries(limits, 1, "create", guest="somebody else", address="192.0.2.2") == 1


def test_a_whole_ipv6_network_of_one_home_counts_as_one_address(limits):
    most = int(LIMITS["token"].address.burst)
    assert sum(tries(limits, 1, "token", address=f"2001:db8:0:7::{n:x}") for n in range(most + 50)) == most
    assert tries(limits, 1, "token", address="2001:db8:0:8::1") == 1
    assert network("::ffff:192.0.2.7") == network("192.0.2.7")
    assert network("testclient") == "testclient"


def test_many_addresses_together_stop_at_what_the_server_can_bear(limits):
    most = LIMITS["create"].everybody.burst
    assert sum(tries(limits, 1, "create", guest=str(n), address=f"10.0.{n // 250}.{n % 250}") for n in range(2000)) == most
    with pytest.raises(Full) as refusal:
        asyncio.run(limits.check("create", "one more", "10.9.9.9"))
    assert (refusal.value.status, refusal.value.wait) == (503, 1)


def test_strangers_cannot_crowd_out_the_players_of_a_table(limits):
    crowd = sum(tries(limits, 1, "chat", guest=f"stranger {n}", address=f"10.0.0.{n}", table="t") for n in range(250))
    assert crowd == LIMITS["chat"].table.burst
    assert tries(limits, 1, "chat", guest="player", address="192.0.2.1") == 1  # for players, no table is given


def test_a_refused_try_costs_nothing_else(limits):
    assert tries(limits, 500, "create", guest="eager", address="192.0.2.1") == LIMITS["create"].guest.burst
    assert tries(limits, 20, "create", guest="patient", address="192.0.2.1") == 20


def test_buckets_stay_bounded(clock, monkeypatch):
    monkeypatch.setattr("rulestone.server.limits.BUCKETS", 100)
    limits = Limits(here=Here(clock))
    tries(limits, 1, "request", address="192.0.2.1")
    for n in range(500):
        tries(limits, 1, "request", address=f"10.0.{n // 250}.{n % 250}")
    assert len(limits.here.buckets) == 100


def test_a_club_of_forty_behind_one_address_notices_nothing(limits, clock):
    """Everybody opens a page, a table and a socket, plays and chats, for ten minutes."""
    for _minute in range(10):
        for member in range(40):
            who = {"guest": f"member {member}", "address": "192.0.2.1"}
            assert tries(limits, 30, "request", address="192.0.2.1") == 30
            assert tries(limits, 1, "socket", **who) == 1
            assert tries(limits, 30, "message", **who) == 30
            assert tries(limits, 3, "chat", **who) == 3
            assert tries(limits, 2, "think", **who) == 2
            assert tries(limits, 5, "change", **who) == 5
            clock.now += 1.5
        assert tries(limits, 20, "create", guest=f"host {_minute}", address="192.0.2.1") == 20


def test_a_school_class_of_thirty_can_join_in_the_same_second(limits):
    for pupil in range(30):
        who = {"guest": f"pupil {pupil}", "address": "192.0.2.1"}
        assert tries(limits, 40, "request", address="192.0.2.1") == 40
        assert [tries(limits, 1, what, **who) for what in ("token", "create", "socket", "change")] == [1, 1, 1, 1]


def test_the_operator_can_be_more_generous_or_turn_limits_off(clock):
    assert tries(Limits(3, here=Here(clock)), 100, "create", guest="g", address="a") == 3 * LIMITS["create"].guest.burst
    assert tries(Limits(0), 1000, "create", guest="g", address="a") == 1000


def test_every_verb_that_costs_more_than_a_message_has_a_limit_by_guest_and_address():
    assert all(LIMITS[what].guest and LIMITS[what].address for what in set(COSTS.values()))


def test_open_sockets_are_counted_by_guest_and_address(limits):
    with contextlib.ExitStack() as stack:
        for _ in range(MOST_SOCKETS["guest"]):
            stack.enter_context(limits.socket("anna", "192.0.2.1"))
        with pytest.raises(TooFast), limits.socket("anna", "192.0.2.2"):
            pass
        with limits.socket("ben", "192.0.2.1"):
            pass
    assert not limits.open


# ---- at a server ----------------------------------------------------------------------------------------------------------------


@pytest.fixture
def strict(url, clock, monkeypatch):
    """A server with limits, and a clock that stands still."""
    monkeypatch.setenv("RULESTONE_JIT", "0")
    app = create_app(url, pace=0)
    app.state.limits.here.clock = clock
    with TestClient(app) as client:
        yield client


def test_a_refusal_says_when_to_try_again(strict, clock):
    anna = Person(strict)
    table = {"game": "connect_four", "seats": [{"kind": "me"}, {"kind": "me"}]}
    answers = [anna.post("/api/tables", table) for _ in range(21)]
    assert [answer.status_code for answer in answers] == [201] * 20 + [429]
    assert answers[-1].json()["code"] == "too-fast"
    assert answers[-1].headers["Retry-After"] == "2"
    clock.now += 2
    assert anna.post("/api/tables", table).status_code == 201


def test_one_address_gets_no_more_tables_by_asking_for_more_tokens(strict):
    table = {"game": "connect_four", "seats": [{"kind": "me"}, {"kind": "me"}]}
    people = [Person(strict) for _ in range(15)]
    made = [person.post("/api/tables", table).status_code for person in people for _ in range(10)]
    assert made.count(201) == LIMITS["create"].address.burst
    assert made[-1] == 429


def test_a_page_is_refused_with_a_page(strict):
    assert strict.get("/about").status_code == 200
    strict.app.state.limits.here.buckets["request address testclient"].level = 1.0
    assert strict.get("/about").status_code == 200
    refused = strict.get("/about")
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "1")
    assert "Too many requests" in refused.text
    assert "text/html" in refused.headers["Content-Type"]


def test_verbs_of_a_socket_are_refused_with_the_seconds_to_wait(strict, clock):
    anna = Person(strict)
    with anna.socket(anna.table()) as line:
        hear(line, "state")
        lines = [ask(line, "chat", text=f"line {n}") for n in range(7)]
        assert [answer["t"] for answer in lines] == ["ok"] * 6 + ["refused"]
        assert (lines[-1]["code"], lines[-1]["wait"]) == ("too-fast", 2)
        clock.now += 2
        assert ask(line, "chat", text="patience")["t"] == "ok"
        drawn = [ask(line, "fresh")["t"] for _ in range(61)]
        assert drawn == ["ok"] * 60 + ["refused"]


def test_a_socket_too_many_is_closed_with_the_code_for_coming_back_later(strict, monkeypatch):
    monkeypatch.setitem(MOST_SOCKETS, "guest", 2)
    anna = Person(strict)
    table = anna.table()
    with anna.socket(table) as one, anna.socket(table) as two:
        joined(one), joined(two)
        with anna.socket(table) as three:
            closed = three.receive()
        assert (closed["type"], closed["code"], closed["reason"]) == ("websocket.close", 1013, "too-fast")
    with anna.socket(table) as again:
        assert ask(again, "ping")["t"] == "ok"


@pytest.mark.parametrize(
    ("peer", "said", "counts_as"),
    [
        ("127.0.0.1", "203.0.113.9", "203.0.113.9"),
        ("127.0.0.1", "1.2.3.4, 203.0.113.9", "203.0.113.9"),  # what the client made up is to the left
        ("10.1.2.3", "203.0.113.9", "203.0.113.9"),
        ("198.51.100.7", "203.0.113.9", "198.51.100.7"),  # nobody's proxy
    ],
)
def test_only_proxies_are_believed_about_addresses(peer, said, counts_as):
    async def app(scope, receive, send):
        found.append(address_of(HTTPConnection(scope)))

    found = []
    trusting = ProxyHeadersMiddleware(app, proxies(["10.0.0.0/8"]))
    for kind in ("http", "websocket"):
        scope = {"type": kind, "client": (peer, 1), "headers": [(b"x-forwarded-for", said.encode())], "scheme": "http"}
        asyncio.run(trusting(scope, None, None))
    assert found == [counts_as] * 2


def test_a_proxy_has_to_be_an_address():
    with pytest.raises(ValueError, match="--proxy"):
        proxies(["*"])


# ---- connections ------------------------------------------------------------------------------------------------------------------


class Transport:
    """A transport that only counts."""

    def __init__(self):
        self.unread, self.said, self.closed, self.aborted = 0, b"", False, False

    def get_write_buffer_size(self):
        return self.unread

    def is_closing(self):
        return self.closed or self.aborted

    def write(self, data):
        self.said += data

    def close(self):
        self.closed = True

    def abort(self):
        self.aborted = True


def line(phase="", since=0.0, peer="192.0.2.1"):
    made = Line()
    made.transport, made.phase, made.since, made.peer = Transport(), phase, since, peer
    made.loop = SimpleNamespace(call_later=lambda *_: None)
    return made


@pytest.mark.parametrize(("phase", "seconds"), [("head", HEAD_SECONDS), ("body", BODY_SECONDS), ("idle", IDLE_SECONDS)])
def test_a_connection_may_wait_only_so_long(phase, seconds):
    waits = line(phase, since=100.0)
    waits.judge(100.0 + seconds)
    assert not waits.transport.closed
    waits.judge(100.1 + seconds)
    assert waits.transport.closed
    assert waits.transport.said.startswith(b"HTTP/1.1 408" if phase != "idle" else b"")


def test_a_connection_at_work_may_take_its_time():
    works = line("", since=0.0)
    works.judge(10_000.0)
    assert not works.transport.is_closing()


def test_somebody_who_does_not_read_is_dropped_and_a_slow_reader_is_not():
    deaf, slow = line(), line()
    deaf.transport.unread = slow.transport.unread = 300_000
    for second in range(int(STALLED_SECONDS) + 2):
        deaf.judge(second)
        slow.judge(second)
        slow.transport.unread -= 1_000
    assert (deaf.transport.aborted, slow.transport.aborted) == (True, False)


def test_a_connection_that_does_not_even_read_the_end_is_cut():
    deaf = line("head", since=0.0)
    for second in range(60):
        deaf.judge(second)
    assert deaf.transport.aborted


def test_when_there_are_too_many_connections_the_one_that_waited_longest_goes():
    doors = Doors(most=3)
    lines = [line(peer=f"192.0.2.{n}") for n in range(5)]
    for waiting in lines[1:3]:
        doors.waiting[waiting] = None
    assert [doors.enter(one) for one in lines[:4]] == [True] * 4
    assert [one.transport.aborted for one in lines] == [False, True, False, False, False]
    doors.leave(lines[1])
    doors.waiting.clear()
    assert not doors.enter(lines[4])  # all others are at work


def test_all_connections_are_looked_at_once_a_second_however_often_they_come_and_go():
    class Loop:
        def __init__(self):
            self.later = []

        def time(self):
            return 0.0

        def call_later(self, seconds, look, *given):
            self.later.append((look, given))

    loop, doors = Loop(), Doors(most=100)
    for _ in range(50):
        one = line()
        one.loop = loop
        doors.enter(one)
        doors.leave(one)
    stays = line()
    stays.loop = loop
    doors.enter(stays)
    for _ in range(3):
        ((look, given),) = loop.later
        loop.later.clear()
        look(*given)
    doors.leave(stays)
    loop.later.clear()
    look(*given)
    assert not loop.later  # nobody is left to be looked at
    doors.enter(stays)
    assert len(loop.later) == 1


def test_one_address_cannot_take_all_connections_but_a_proxy_can(monkeypatch):
    monkeypatch.setattr("rulestone.server.lines.MOST_FROM_ONE_PEER", 2)
    doors = Doors(most=100)
    assert [doors.enter(line()) for _ in range(3)] == [True, True, False]
    assert [doors.enter(line(peer="127.0.0.1"), trusted=True) for _ in range(5)] == [True] * 5


def test_the_phases_of_a_connection_follow_its_requests(monkeypatch):
    """With the real protocol: a head in pieces, a body in pieces, then quiet."""

    async def app(scope, receive, send):
        while (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def run():
        monkeypatch.setattr(lines, "DOORS", Doors(most=10))
        config = uvicorn.Config(app, **{**wire.SETTINGS, "ws": "none"}, lifespan="off")
        config.load()
        made = []

        class Seen(lines.Http):
            def __init__(self, *arguments, **named):
                super().__init__(*arguments, **named)
                made.append(self)

        state = uvicorn.Server(config).server_state
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: Seen(config=config, server_state=state, app_state={}), "127.0.0.1", 0)
        _, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        phases = []

        async def say(text, until):
            writer.write(text)
            async with asyncio.timeout(30):
                while not (made and until(made[0])):
                    await asyncio.sleep(0)
            phases.append(made[0].phase)

        await say(b"", lambda seen: seen.transport is not None)
        await say(b"POST / HTTP/1.1\r\nHost: x\r\n", lambda seen: seen.conn.trailing_data[0])
        since = made[0].since
        await say(b"Content-Length: 4\r\n", lambda seen: b"Length" in seen.conn.trailing_data[0])
        assert made[0].since == since  # more of the same head is no new beginning
        await say(b"\r\nab", lambda seen: seen.conn.their_state is h11.SEND_BODY)
        await say(b"cd", lambda seen: seen.phase == "idle")
        assert made[0] in lines.DOORS.waiting
        writer.close()
        async with asyncio.timeout(30):
            while lines.DOORS.lines:
                await asyncio.sleep(0)
        server.close()
        return phases

    assert asyncio.run(run()) == ["head", "head", "head", "body", "idle"]
    assert not Line.unread


@pytest.fixture
def small_server(tmp_path):
    """A real server with 256 descriptors."""
    with serving(tmp_path, descriptors=256) as (port, _):
        yield port, tmp_path / "log"


def test_300_half_open_requests_against_256_descriptors_stop_nobody(small_server):
    port, log = small_server
    with contextlib.ExitStack() as stack:
        for n in range(300):
            held = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=30))
            held.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
            if n % 50 == 49:
                assert urllib.request.urlopen(f"http://localhost:{port}/about", timeout=30).status == 200
    assert "Too many open files" not in log.read_text()


# ---- somebody who doesn't read, on a real socket --------------------------------------------------------------------------------


@contextlib.asynccontextmanager
async def listening(app):
    """A real server in this process; its port."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None, **wire.SETTINGS))
    running = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        await running


def upgrade(table, token):
    """The request that opens a socket at a table."""
    how = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="
    return f"GET /ws/tables/{table} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n{how}\r\n\r\n".encode()


class Deaf:
    """A socket at a table that asks for one whole position after another, and reads as little as its test wants."""

    def __init__(self, port, table, token):
        self.line = socket.socket()
        self.line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.line.connect(("127.0.0.1", port))
        self.line.sendall(upgrade(table, token))
        self.line.setblocking(False)

    def ask(self, times):
        message = b'{"do":"fresh"}'
        with contextlib.suppress(OSError):  # it may have been dropped, or not be heard for the moment
            self.line.sendall((bytes([0x81, 0x80 | len(message), 0, 0, 0, 0]) + message) * times)

    def read(self, most):
        """How many bytes there are, at most so many; None at the end."""
        try:
            return len(self.line.recv(most)) or None
        except BlockingIOError:
            return 0
        except OSError:
            return None


def test_who_asks_and_never_reads_is_dropped_and_disturbs_nobody(url, interpreted, monkeypatch):
    monkeypatch.setattr(lines, "STALLED_SECONDS", 1.5)

    async def play():
        app = create_app(url, pace=0, limits=0)
        async with listening(app) as port, httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False) as client:
            tokens = [(await client.post("/api/guests")).json()["token"] for _ in range(2)]
            anna = {"Authorization": f"Bearer {tokens[0]}"}
            wish = {"game": "micro_medusa", "seats": [{"kind": "me"}, {"kind": "me"}]}
            table = (await client.post("/api/tables", json=wish, headers=anna)).json()["id"]
            room = app.state.rooms.rooms[table]
            deaf, reads = Deaf(port, table, tokens[1]), Deaf(port, table, tokens[1])
            slow, most, taken = 0.0, 0, 0
            until = time.monotonic() + 120
            async with websockets.connect(f"ws://127.0.0.1:{port}/ws/tables/{table}", additional_headers=anna, proxy=None) as line:
                while len(room.clients) != 2 and time.monotonic() < until:  # anna, and the one who reads
                    deaf.ask(40)
                    taken += reads.read(64 * 1024) or 0
                    began = time.monotonic()
                    await line.send('{"do": "ping", "id": 1}')
                    while '"ok"' not in await line.recv():
                        pass
                    slow = max(slow, time.monotonic() - began)
                    held = [one.transport.get_write_buffer_size() for one in lines.DOORS.lines]
                    most = max(most, *held, *(sum(map(len, map(str, one.outbox.waiting))) for one in room.clients))
                    await asyncio.sleep(0.02)
                dropped = len(room.clients) == 2
                reads.ask(1)
                before = taken
                while taken == before and time.monotonic() < until:
                    taken += reads.read(64 * 1024) or 0
                    await asyncio.sleep(0.02)
            while (end := deaf.read(1 << 20)) is not None and time.monotonic() < until:
                await asyncio.sleep(0.001)
            return dropped, taken > before, end, slow, most

    dropped, other_stays, end, slow, most = asyncio.run(play())
    assert (dropped, other_stays, end) == (True, True, None)
    assert slow < 5, "others are answered meanwhile"
    assert most < 8 << 20, "what waits for somebody is bounded"


async def at_a_table(client):
    """A token, and a table where its owner sits."""
    token = (await client.post("/api/guests")).json()["token"]
    wish = {"game": "connect_four", "seats": [{"kind": "me"}, {"kind": "me"}]}
    return token, (await client.post("/api/tables", json=wish, headers={"Authorization": f"Bearer {token}"})).json()["id"]


@pytest.mark.parametrize(("begin", "frame"), [(b"", b"\x89"), (b"", b"\x8a"), (b"\x01", b"\x00")], ids=["pings", "pongs", "pieces"])
def test_who_sends_thousands_of_frames_that_are_no_message_is_dropped(url, interpreted, begin, frame):
    """They cost memory and processor time, and no other limit counts them."""
    empty = b"\x80" + bytes(4)

    async def play():
        async with (
            listening(create_app(url, pace=0)) as port,
            httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False) as client,
        ):
            token, table = await at_a_table(client)
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(upgrade(table, token))
            await reader.readuntil(b"\r\n\r\n")
            writer.write((begin and begin + empty) + (frame + empty) * 3000)
            with contextlib.suppress(ConnectionError):
                async with asyncio.timeout(10):
                    await reader.read()
            writer.close()

    asyncio.run(play())


def test_somebody_may_ping_and_send_a_message_in_pieces(url, interpreted):
    async def play():
        async with (
            listening(create_app(url, pace=0)) as port,
            httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False) as client,
        ):
            token, table = await at_a_table(client)
            address, head = f"ws://127.0.0.1:{port}/ws/tables/{table}", {"Authorization": f"Bearer {token}"}
            async with websockets.connect(address, additional_headers=head, proxy=None) as line:
                for _ in range(20):
                    await (await line.ping())
                await line.send(['{"do"', ': "ping"', ', "id": 1}'])
                while '"ok"' not in await line.recv():
                    pass

    asyncio.run(play())


# ---- memory, presence, logs -----------------------------------------------------------------------------------------------------


def test_tables_that_nobody_uses_leave_memory_within_a_minute(client, anna):
    rooms = client.app.state.rooms
    tables = [anna.table() for _ in range(5)]
    with anna.socket(tables[0]) as line:
        joined(line)
        now = time.monotonic()
        rooms.sweep(now + 30)
        assert set(rooms.rooms) == {*tables}
        rooms.sweep(now + 60 - LOOK)
        assert set(rooms.rooms) == {tables[0]}
        assert anna.state(tables[3])["ply"] == 0  # it comes back


def test_ten_thousand_tables_take_the_memory_of_a_few(client, anna, monkeypatch):
    """The same with smaller numbers: however many tables are opened, those that nobody uses make room."""
    monkeypatch.setattr("rulestone.server.rooms.KEPT", 20)
    monkeypatch.setattr("rulestone.server.rooms.RECENT", -1)
    rooms = client.app.state.rooms
    rooms.crowd = 20
    first = anna.table()
    with anna.socket(first) as line:
        joined(line)
        tables, most = [first], 0
        for _ in range(100):
            tables.append(anna.table())
            most = max(most, len(rooms.rooms))
        assert most <= 30
        assert first in rooms.rooms
    for table in tables[:50]:
        assert anna.get(f"/api/tables/{table}").status_code == 200
        assert len(rooms.rooms) <= 30


def test_many_who_leave_at_once_are_one_piece_of_news(connect_four):
    room = room_of(connect_four, 1)
    told = []
    tell = room._tell_presence
    room._tell_presence = lambda: (told.append(len(room.clients)), tell())

    async def run():
        stays = Client("guest0")
        crowd = [Client(f"stranger {n}") for n in range(200)]
        for client in (stays, *crowd):
            await room.join(client)
        while not told:
            await asyncio.sleep(0.01)
        for client in crowd:
            room.part(client)
        while len(told) < 2:
            await asyncio.sleep(0.01)
        room.close()
        return stays

    stays = asyncio.run(run())
    assert told == [201, 1]
    assert json.loads(stays.told)["watchers"] == 0


def test_repeated_warnings_are_counted_and_not_logged(clock):
    """An abuser who causes a warning with every request gets ten lines, and then one a minute."""
    repeats, shown = Repeats(clock), []

    def warn(text, *values, level=logging.WARNING):
        record = logging.LogRecord("rulestone.server", level, "", 0, text, values, None)
        if repeats.filter(record):
            shown.append(record.getMessage())

    for n in range(1000):
        warn("bad request %d%%", n)
    warn("something else")
    assert (len(shown), shown[-1]) == (11, "something else")
    clock.now += 60
    warn("bad request %d%%", 1000)
    assert shown[-1] == "bad request 1000% (and 990 more like this)"
    for n in range(1000):
        warn(f"made up {n}")
    assert len(shown) <= 12 + 260
    assert len(repeats.left_out) <= 1000
    warn("answered", level=logging.INFO)
    assert shown[-1] == "answered"


def test_what_strangers_send_is_not_logged(client, anna, caplog):
    table = anna.table()
    with anna.socket(table) as line:
        assert ask(line, "why", thing="EVIL\nline")["t"] == "ok"
    assert "EVIL" not in caplog.text
    assert table not in caplog.text
