"""Faults around a table: malformed frames, characters that databases reject, an unavailable storage. Nothing is acknowledged unless it is
stored, everyone gets a message, and play continues afterwards."""

import asyncio
import contextlib
import logging
import sqlite3
import time
from dataclasses import replace

import aiosqlite
import pytest
from sqlalchemy import event
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from rulestone.server.app import create_app
from rulestone.server.refusal import Away
from rulestone.server.rooms import new_id
from rulestone.server.storage import Conflict, MoveRow, SeatRow, Storage, TableRow, Turns
from tests.tables import Person, ask, hear


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    monkeypatch.setattr("rulestone.server.room.RETRY_SECONDS", 0.05)
    monkeypatch.setattr("rulestone.server.storage.PATIENCE", 0.2)


@pytest.fixture
def url(either):
    return either


@contextlib.contextmanager
def serving(url):
    with TestClient(create_app(url, pace=0, limits=False)) as client:
        yield client


# ---- frames and characters ------------------------------------------------------------------------------------------------


def test_a_binary_frame_is_refused_and_the_socket_stays_open(tmp_path):
    with serving(f"sqlite:///{tmp_path / 'tables.db'}") as client:
        anna = Person(client)
        with anna.socket(anna.table()) as socket:
            hear(socket, "state")
            for data in (b"", b"\x00\xff", b'{"do": "ping"}'):
                socket.send_bytes(data)
                assert hear(socket, "refused")["code"] == "not-understood"
            assert ask(socket, "ping")["t"] == "ok"


NUL = "a\x00b"


def test_half_a_character_is_refused(tmp_path):
    with serving(f"sqlite:///{tmp_path / 'tables.db'}") as client:
        anna = Person(client)
        table = anna.table()
        for body in (b'{"text": "\\ud800"}', b'{"text": "Hello", "name": "\\udc00"}', b'{"text": "Hello", "key": "\\ud800"}'):
            answer = client.post(f"/api/tables/{table}/chat", content=body, headers={**anna.headers, "Content-Type": "application/json"})
            assert answer.status_code == 422, answer.text


def test_no_text_with_a_nul_reaches_the_storage(url):
    with serving(url) as client:
        anna = Person(client)
        table = anna.table(seats=["me", "me"])
        free = anna.table(seats=["me", "open"])
        for path, body in (
            (f"/api/tables/{table}/moves", {"at": anna.state(table)["at"], "move": 3, "key": NUL}),
            (f"/api/tables/{table}/moves", {"at": NUL, "move": 3}),
            (f"/api/tables/{table}/moves", {"at": anna.state(table)["at"], "move": NUL}),
            (f"/api/tables/{table}/undo", {"at": NUL}),
            (f"/api/tables/{table}/chat", {"text": NUL}),
            (f"/api/tables/{table}/chat", {"text": "Hello", "name": NUL}),
            (f"/api/tables/{table}/chat", {"text": "Hello", "key": NUL}),
            (f"/api/tables/{free}/sit", {"seat": 1, "name": NUL}),
            (f"/api/tables/{free}/bot", {"seat": 1, "bot": NUL}),
            ("/api/tables", {"game": "connect_four", "seats": [{"kind": "me"}, {"kind": "me"}], "name": NUL}),
            ("/api/tables", {"game": "connect_four", "seats": [{"kind": "me", "name": NUL}, {"kind": "me"}]}),
            ("/api/tables", {"game": "connect_four", "seats": [{"kind": "me"}, {"kind": "me"}], "options": {NUL: NUL}}),
        ):
            answer = anna.post(path, body)
            assert (path, answer.status_code) == (path, 422), answer.text
            assert answer.json()["text"]
            if path.startswith(f"/api/tables/{table}"):
                with anna.socket(table) as socket:
                    verb = {"moves": "move"}.get(path.rpartition("/")[2], path.rpartition("/")[2])
                    assert ask(socket, verb, **body)["t"] == "refused"
        assert anna.get("/api/tables/a%00b").status_code == 404
        assert anna.get("/t/a%00b").status_code == 404
        with client.websocket_connect("/ws/tables/a%00b", headers=anna.headers) as socket, pytest.raises(WebSocketDisconnect) as closed:
            socket.receive_text()
        assert closed.value.code == 4404
        assert anna.state(table)["ply"] == 0
        assert anna.get(f"/api/tables/{table}/chat").json() == []
        assert anna.move(table, 3).status_code == 200


# ---- an unavailable storage -----------------------------------------------------------------------------------------------


class Fault:
    """A real SQLite database that can't write for a while."""

    def __init__(self, kind, storage):
        self.kind, self.on, self.storage, self.other = kind, False, storage, None
        for engine in (storage.engine.sync_engine, storage.own.engine):
            event.listen(engine, "before_cursor_execute", self.begins)

    def begins(self, connection, cursor, statement, *more):
        if self.kind == "read-only" and statement.startswith("BEGIN"):
            cursor.execute(f"PRAGMA query_only={int(self.on)}")
        if self.kind == "full" and statement.startswith("BEGIN"):
            cursor.execute(f"PRAGMA max_page_count={1 if self.on else 1_000_000}")

    def comes(self):
        self.on = True
        if self.kind == "locked":
            self.other = sqlite3.connect(self.storage.url.database, isolation_level=None, check_same_thread=False)
            self.other.execute("BEGIN IMMEDIATE")

    def goes(self):
        self.on = False
        if self.other is not None:
            self.other.close()


def until_refused(act, most=200):
    """Repeat a request until it fails (a full disk may still have half a page left)."""
    return next(answer for answer in (act() for _ in range(most)) if answer.status_code >= 400)


@pytest.fixture(params=["locked", "read-only", "full"])
def broken(request, tmp_path):
    with serving(f"sqlite:///{tmp_path / 'tables.db'}") as client:
        fault = Fault(request.param, client.app.state.rooms.storage)
        yield client, fault
        fault.goes()


def away(answer):
    assert answer.status_code == 503
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["code"] == "storage"
    assert answer.json()["text"].endswith(".")


def test_an_unavailable_storage_returns_503_and_changes_nothing(broken):
    client, fault = broken
    anna, ben = Person(client), Person(client)
    free, played, *tables = anna.table(seats=["me", "open"]), *(anna.table() for _ in range(40))
    anna.move(played, 3)
    fault.comes()
    away(until_refused(lambda: anna.post(f"/api/tables/{played}/chat", {"text": "x" * 500})))
    said = len(anna.get(f"/api/tables/{played}/chat").json())
    table, answer = next((table, answer) for table in tables if (answer := anna.move(table, 3, key="mine")).status_code != 200)
    away(answer)
    before = anna.state(table), anna.state(played), [seat["kind"] for seat in anna.info(free)["seats"]]
    with anna.socket(table) as socket:
        hear(socket, "state")
        again = {"at": before[0]["at"], "move": 3, "key": "mine"}
        refused = ask(socket, "move", **again)
        assert (refused["t"], refused["code"]) == ("refused", "storage")
        assert ask(socket, "ping")["t"] == "ok"
        if fault.kind != "full":  # a full disk still has room for a little more
            away(anna.post("/api/tables", {"game": "connect_four", "seats": [{"kind": "me"}, {"kind": "me"}]}))
            away(ben.post(f"/api/tables/{free}/sit", {"seat": 1}))
            away(anna.post(f"/api/tables/{played}/undo"))
            away(anna.post(f"/api/tables/{played}/chat", {"text": "Hello", "key": "hello"}))
        assert before == (anna.state(table), anna.state(played), [seat["kind"] for seat in anna.info(free)["seats"]])
        fault.goes()
        assert ask(socket, "move", **again)["t"] == "ok"
    assert anna.state(table)["ply"] == 1
    assert anna.post(f"/api/tables/{played}/chat", {"text": "Hello", "key": "hello"}).status_code == 204
    assert len(anna.get(f"/api/tables/{played}/chat").json()) == said + 1
    assert ben.post(f"/api/tables/{free}/sit", {"seat": 1}).status_code == 200
    assert anna.post(f"/api/tables/{played}/undo").json()["ply"] == 0


def test_bots_wait_for_an_unavailable_storage_and_continue(broken, caplog):
    client, fault = broken
    anna = Person(client)
    tables = [anna.table(seats=["me", {"kind": "bot", "bot": "random"}]) for _ in range(2 if fault.kind != "full" else 120)]
    rooms = client.app.state.rooms
    real, silent = rooms.storage.add_move, []

    async def add_move(table, move, *given):
        if not move.key and not fault.on and not silent:
            silent.append(fault.comes())
        await real(table, move, *given)

    rooms.storage.add_move = add_move
    for table in tables:
        if anna.move(table, 3, key="mine").status_code != 200:
            break
    with caplog.at_level(logging.WARNING):
        until = time.monotonic() + 10
        while "the storage is not available" not in caplog.text and time.monotonic() < until:
            time.sleep(0.05)
    assert "the storage is not available" in caplog.text
    assert "Traceback" not in caplog.text
    fault.goes()
    until = time.monotonic() + 10
    while any(anna.state(table)["ply"] == 1 for table in tables) and time.monotonic() < until:
        time.sleep(0.05)
    assert {anna.state(table)["ply"] for table in tables} <= {0, 2}
    assert anna.state(tables[0])["ply"] == 2


def test_a_bot_takes_over_once_the_storage_is_back_if_the_clock_ran_out_meanwhile(tmp_path):
    with serving(f"sqlite:///{tmp_path / 'tables.db'}") as client:
        fault = Fault("read-only", client.app.state.rooms.storage)
        anna = Person(client)
        table = anna.table(clock={"kind": "move", "seconds": 5})
        room = client.app.state.rooms.rooms[table]
        fault.comes()
        room.began[0] -= 60
        client.portal.call(room._time_is_up, 0, room.turn_of(0))
        assert not anna.info(table)["seats"][0]["stand_in"]
        fault.goes()
        until = time.monotonic() + 10
        while not anna.info(table)["seats"][0]["stand_in"] and time.monotonic() < until:
            time.sleep(0.05)
        assert anna.info(table)["seats"][0]["stand_in"]


def test_pages_and_new_sockets_report_an_unavailable_storage(tmp_path):
    with serving(f"sqlite:///{tmp_path / 'tables.db'}") as client:
        anna = Person(client)
        table = anna.table()
        client.app.state.rooms.rooms.clear()
        storage = client.app.state.rooms.storage
        client.portal.call(storage.engine.dispose)

        def gone(*_):
            raise sqlite3.OperationalError("unable to open database file")

        event.listen(storage.engine.sync_engine, "do_connect", gone)
        away(anna.get(f"/api/tables/{table}"))
        page = anna.get(f"/t/{table}")
        assert (page.status_code, "<html" in page.text) == (503, True)
        with anna.socket(table) as socket, pytest.raises(WebSocketDisconnect) as closed:
            socket.receive_text()
        assert (closed.value.code, closed.value.reason) == (1013, "storage")  # browsers reconnect automatically
        event.remove(storage.engine.sync_engine, "do_connect", gone)
        assert anna.move(table, 3).status_code == 200


def test_a_move_that_was_stored_although_its_answer_was_lost_can_be_sent_again(tmp_path):
    """The connection to the storage is lost after the commit: the move is refused, but stored."""
    with serving(f"sqlite:///{tmp_path / 'tables.db'}") as client:
        anna = Person(client)
        table = anna.table()
        storage = client.app.state.rooms.storage
        real = storage._commit

        async def lost(batch):
            await real(batch)
            raise OSError("the line is broken")

        storage._commit = lost
        at = anna.state(table)["at"]
        away(anna.move(table, 3, at=at, key="mine"))
        storage._commit = real
        assert anna.move(table, 3, at=at, key="mine").json()["ply"] == 1
        assert anna.move(table, 3).json()["ply"] == 2


def test_whom_a_table_waited_for_is_not_stored_after_a_move_whose_answer_was_lost(url):
    async def play():
        storage = Storage(url)
        await storage.open()
        try:
            tables = [new_id(), new_id()]
            for table in tables:
                await storage.add_table(TableRow(table, "connect_four", 1, 2, {}, "1", "", "host", seats=[SeatRow(), SeatRow()]))
            real = storage._commit

            async def lost(batch):
                await real([replace(waiting, turns={}) for waiting in batch])
                raise OSError("the line is broken")

            storage._commit = lost
            for table in tables:
                storage.keep_turns(table, Turns({"0": [1.0, None]}, None, (0, 0), 0))
            with pytest.raises(Away):
                await storage.add_move(tables[0], MoveRow(0, 3), "running")
            storage._commit = real
            while (await storage.table(tables[1])).waits is None:
                await asyncio.sleep(0.02)
            assert (await storage.table(tables[0])).due is not None, "somebody looks at it again"
        finally:
            await storage.close()

    asyncio.run(play())


@pytest.mark.parametrize("then", ["move", "undo"])
def test_an_undo_that_was_stored_although_its_answer_was_lost_leaves_no_gap(tmp_path, then):
    with serving(f"sqlite:///{tmp_path / 'tables.db'}") as client:
        anna = Person(client)
        table = anna.table()
        for column in (3, 3, 3):
            anna.move(table, column)
        storage = client.app.state.rooms.storage
        real = storage.take_back

        async def lost(*given):
            await real(*given)
            raise Away

        storage.take_back = lost
        away(anna.post(f"/api/tables/{table}/undo"))
        storage.take_back = real
        answer = anna.move(table, 4) if then == "move" else anna.post(f"/api/tables/{table}/undo", {"at": anna.state(table)["at"]})
        assert (answer.status_code, answer.json()["code"]) == (409, "stale")  # the position they saw is gone
        assert (anna.state(table)["ply"], anna.state(table)["at"]) == (2, "1.2")
        assert anna.move(table, 4).json()["ply"] == 3
    with serving(f"sqlite:///{tmp_path / 'tables.db'}") as client:
        assert Person(client, anna.headers).get(f"/api/tables/{table}/position").json()["moves"] == ["drop 3", "drop 3", "drop 4"]


def test_a_lost_database_connection_is_restored(postgres_url):
    with serving(postgres_url) as client:
        anna, storage = Person(client), client.app.state.rooms.storage
        table = anna.table()
        anna.move(table, 3)

        async def cut():
            async with storage.engine.connect() as connection:
                await connection.exec_driver_sql(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = 'postgres'"
                )
                await connection.exec_driver_sql("SELECT 1")

        async def hold_two():
            async with storage.engine.connect() as one, storage.engine.connect() as other:
                await one.exec_driver_sql("SELECT 1")
                await other.exec_driver_sql("SELECT 1")

        client.portal.call(hold_two)
        client.portal.call(cut)
        assert [anna.move(table, column).status_code for column in (3, 3, 3)] == [200] * 3


# ---- two servers, one storage ---------------------------------------------------------------------------------------------


def test_a_seat_is_given_once_when_two_servers_share_a_storage(url):
    with serving(url) as one, serving(url) as other:
        anna, ben, carl = Person(one), Person(one), Person(other)
        table = anna.table(seats=["me", "open"])
        with carl.socket(table) as socket:
            hear(socket, "state")
            assert ben.post(f"/api/tables/{table}/sit", {"seat": 1, "name": "Ben"}).status_code == 200
            refused = ask(socket, "sit", seat=1, name="Carl")
            assert (refused["t"], refused["code"]) == ("refused", "taken")
        assert carl.post(f"/api/tables/{table}/sit", {"seat": 1}).json()["code"] == "taken"
        assert [person.info(table)["seats"][1]["name"] for person in (ben, carl)] == ["Ben", "Ben"]
        assert [person.info(table)["seats"][1]["mine"] for person in (ben, carl)] == [True, False]
        there = Person(other, ben.headers)
        assert there.post(f"/api/tables/{table}/sit", {"seat": 1}).status_code == 200  # it already belongs to Ben


def test_a_seat_is_given_once_in_a_race(url):
    async def race():
        ends = [Storage(url), Storage(url)]
        for storage in ends:
            await storage.open()
        table = new_id()
        await ends[0].add_table(TableRow(table, "connect_four", 1, 2, {}, "1", "", "host", seats=[SeatRow(), SeatRow()]))
        wishes = [(storage, SeatRow("person", f"guest {k}")) for k, storage in enumerate(ends * 4)]
        answers = await asyncio.gather(
            *(storage.set_seat(table, 1, seat, was=SeatRow()) for storage, seat in wishes), return_exceptions=True
        )
        sits = (await ends[0].table(table)).seats[1]
        for storage in ends:
            await storage.close()
        return answers, sits

    answers, sits = asyncio.run(race())
    assert [type(answer) for answer in answers if answer is not None] == [Conflict] * 7
    assert sits.guest == f"guest {answers.index(None)}"


def test_a_bot_does_not_take_a_seat_taken_through_another_server(url):
    with serving(url) as one, serving(url) as other:
        anna, ben = Person(one), Person(other)
        table = anna.table(seats=["me", "open"])
        assert ben.post(f"/api/tables/{table}/sit", {"seat": 1}).status_code == 200
        assert anna.post(f"/api/tables/{table}/bot", {"seat": 1, "bot": "random"}).json()["code"] == "taken"


def test_a_seat_that_changed_on_another_server_cannot_be_left_again(url):
    with serving(url) as one, serving(url) as other:
        anna, ben = Person(one), Person(other)
        table = anna.table(seats=["me", "open"])
        there = Person(other, anna.headers)
        there.post(f"/api/tables/{table}/leave", {"seat": 0})
        ben.post(f"/api/tables/{table}/sit", {"seat": 0, "name": "Ben"})
        assert anna.post(f"/api/tables/{table}/leave", {"seat": 0}).json()["code"] == "stale"
        assert [person.info(table)["seats"][0]["name"] for person in (anna, ben)] == ["Ben", "Ben"]


def test_nobody_loses_a_game_that_is_over(url):
    """A resignation can be stored late, after the move that ended the game, if the storage's answer was lost."""

    async def resign(status):
        storage, sits = Storage(url), SeatRow("person", "guest")
        await storage.open()
        table = new_id()
        await storage.add_table(TableRow(table, "connect_four", 1, 2, {}, "1", "", "host", status=status, seats=[sits, SeatRow()]))
        with contextlib.suppress(Conflict):
            await storage.set_seat(table, 0, SeatRow("person", "guest", out="resigned"), was=sits)
        out = (await storage.table(table)).seats[0].out
        await storage.close()
        return out

    assert asyncio.run(resign("running")) == "resigned"
    assert asyncio.run(resign("over")) == ""


@pytest.mark.parametrize("late", [0.0, 0.05, 0.1, 0.15])
def test_a_storage_closes_after_what_still_uses_it(tmp_path, monkeypatch, late):
    """A server that ends breaks off what it does. If a connection were handed back after that, its loop would wait for it for ever."""
    execute = aiosqlite.Connection._execute

    async def slowly(self, work, *arguments, **more):
        return await execute(self, lambda: (time.sleep(0.02), work(*arguments, **more))[1])

    async def break_off():
        storage = Storage(f"sqlite:///{tmp_path / 'tables.db'}")
        await storage.open()
        monkeypatch.setattr(aiosqlite.Connection, "_execute", slowly)
        reading = asyncio.create_task(storage.study("any"))
        await asyncio.sleep(late)
        reading.cancel()
        await storage.close()
        return asyncio.all_tasks() - {asyncio.current_task()}

    assert not asyncio.run(break_off())
