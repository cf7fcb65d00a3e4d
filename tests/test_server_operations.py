"""What whoever runs a server relies on: health, figures, logs, and leaving without losing anything."""

import asyncio
import contextlib
import json
import logging
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time

import httpx
import pytest
from starlette.testclient import TestClient
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from rulestone.server import app as application
from rulestone.server import health, logs, metrics
from rulestone.server.app import create_app
from tests.services import postgres, redis
from tests.tables import Person, ask, hear
from tests.test_server_orphans import family


@pytest.fixture(autouse=True)
def quick(interpreted):
    pass


# ---- health ---------------------------------------------------------------------------------------------------------------


def test_a_server_that_works_is_alive_and_ready_by_whatever_name_it_is_asked(client):
    for host in ("testserver", "10.1.2.3:8000", "nonsense"):
        assert client.get("/healthz", headers={"Host": host}).text == "ok\n"
        answer = client.get("/readyz", headers={"Host": host})
        assert (answer.status_code, answer.json()) == (200, {"ready": True, "storage": "ok", "draining": "no"})
        assert answer.headers["cache-control"] == "no-store"


def test_a_server_without_its_storage_is_alive_but_not_ready(client, monkeypatch):
    monkeypatch.setattr(health, "FRESH", 0)

    async def broken():
        raise OSError("no route to host, password hunter2")

    client.app.state.readiness.checks["storage"] = broken
    assert client.get("/healthz").status_code == 200
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["storage"]) == (503, "no answer")
    assert "hunter2" not in answer.text


def test_a_server_that_is_too_old_for_its_database_is_not_ready(client, url, monkeypatch):
    monkeypatch.setattr(health, "FRESH", 0)
    with contextlib.closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as file:
        file.execute("UPDATE alembic_version SET version_num = '9999'")
        file.commit()
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["storage"]) == (503, "not up to date")


def test_asking_often_whether_it_is_ready_does_not_wear_the_storage_out(client):
    asked = []

    async def check():
        asked.append(1)

    client.app.state.readiness.checks["storage"] = check
    client.app.state.readiness.when = time.monotonic() - health.FRESH
    for _ in range(20):
        assert client.get("/readyz").status_code == 200
    assert len(asked) < 10


# ---- figures --------------------------------------------------------------------------------------------------------------


def figure(client, name):
    """The value of one figure (a line of /metrics up to its value)."""
    lines = [line.rpartition(" ") for line in client.get("/metrics").text.splitlines()]
    return next((float(value) for found, _, value in lines if found == name), 0.0)


def test_moves_refusals_sockets_and_times_are_counted(client, anna):
    names = (
        'rulestone_moves_total{by="person"}',
        'rulestone_moves_total{by="bot"}',
        'rulestone_refusals_total{code="illegal"}',
        'rulestone_storage_seconds_count{what="commit"}',
        'rulestone_bot_seconds_count{part="think"}',
        "rulestone_move_seconds_count",
    )
    before = {name: figure(client, name) for name in names}
    table = anna.table(seats=["me", {"kind": "bot", "bot": "random"}])
    with anna.socket(table) as socket:
        at = hear(socket, "state")["at"]
        assert figure(client, "rulestone_sockets") == 1
        assert ask(socket, "move", at=at, move=3)["t"] == "ok"
        while hear(socket, "state")["ply"] < 2:
            pass
        assert anna.move(table, "nonsense").status_code == 422
    grown = {name: figure(client, name) - before[name] for name in names}
    assert grown.pop(names[3]) >= 2
    assert set(grown.values()) == {1.0}
    client.portal.call(metrics.Pulse(client.app.state.rooms.rooms).look)
    assert figure(client, "rulestone_tables_in_memory") == 1


def test_no_figure_identifies_a_person_or_a_table(client, anna):
    table = anna.table(name="Our secret table", seats=[{"kind": "me", "name": "Annabella"}, {"kind": "me", "name": "Benedict"}])
    anna.move(table, 3, key="my-own-key")
    anna.get("/api/tables/nosuchtable")
    text = client.get("/metrics").text
    for secret in (table, "Annabella", "Benedict", "secret table", "my-own-key", "nosuchtable", anna.headers["Authorization"][7:20]):
        assert secret not in text
    labels = {part.split("=")[0] for line in text.splitlines() if line.startswith("rulestone_") and "{" in line
              for part in line[line.index("{") + 1 : line.index("}")].split(",")}  # fmt: skip
    assert labels <= {"by", "code", "part", "what", "generation", "le"}


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "play.example.org"},
        {"X-Forwarded-For": "127.0.0.1"},
        {"Forwarded": "for=127.0.0.1"},
        {"Via": "1.1 proxy"},
        {"Host": "play.example.org", "Authorization": "Bearer wrong"},
        {"Host": "["},
    ],
    ids=str,
)
def test_figures_are_for_this_machine_only(client, headers, monkeypatch):
    assert client.get("/metrics").status_code == 200
    assert client.get("/metrics", headers=headers).status_code == 403
    monkeypatch.setenv(health.TOKEN, "sesame")
    assert client.get("/metrics", headers=headers).status_code == 403
    assert client.get("/metrics", headers={**headers, "Authorization": "Bearer sesame"}).status_code == 200


def test_an_empty_token_opens_nothing(client, monkeypatch):
    monkeypatch.setenv(health.TOKEN, "")
    assert client.get("/metrics", headers={"Host": "play.example.org", "Authorization": "Bearer "}).status_code == 403


def test_pauses_of_the_collector_are_counted_by_generation():
    pulse, counted = metrics.Pulse({}), metrics.PAUSES.labels("2")
    before = counted._sum.get()
    pulse._collects("start", {"generation": 2})
    pulse._collects("stop", {"generation": 2})
    pulse.look()
    assert counted._sum.get() > before


WORKER = """
import sys
from rulestone.server import metrics
metrics.BY_PERSON.inc(3)
metrics.SOCKETS.inc(2)
metrics.COMMIT.observe(0.004)
print("counted", flush=True)
sys.stdin.readline()
print(metrics.exposition()[0].decode(), flush=True)
"""


def test_workers_count_together_and_what_an_ended_one_had_open_is_gone():
    with metrics.shared():
        ends = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        one, other = (subprocess.Popen([sys.executable, "-c", WORKER], **ends) for _ in range(2))
        assert [worker.stdout.readline() for worker in (one, other)] == ["counted\n"] * 2
        one.kill()
        one.communicate()
        metrics.ended(one.pid)
        lines = other.communicate("go\n")[0].splitlines()
    assert 'rulestone_moves_total{by="person"} 6.0' in lines
    assert "rulestone_sockets 2.0" in lines
    assert 'rulestone_storage_seconds_count{what="commit"} 2.0' in lines
    assert "PROMETHEUS_MULTIPROC_DIR" not in os.environ


# ---- logs -----------------------------------------------------------------------------------------------------------------


@pytest.fixture
def logged(capsys):
    """Log as a server does; the fixture is a function that returns the lines so far."""
    root, before = logging.getLogger(), (logging.getLogger().handlers[:], logging.getLogger().level)
    yield lambda: capsys.readouterr().err.splitlines()
    root.handlers[:], root.level = before
    for name in ("rulestone", "uvicorn"):
        logging.getLogger(name).setLevel(logging.NOTSET)


def test_every_request_has_a_line_in_json_and_none_has_a_secret(url, logged):
    logs.set_up("json", "info")
    with TestClient(create_app(url, pace=0)) as client:
        anna = Person(client)
        table = anna.table(seats=[{"kind": "me", "name": "Annabella"}, "open"])
        anna.post(f"/api/tables/{table}/chat", {"text": "a word in private", "name": "Annabella"})
        answer = client.get(f"/t/{table}", headers={**anna.headers, "X-Request-ID": "proxy-0123456789"})
        assert answer.headers["x-request-id"] == "proxy-0123456789"
        assert len(client.get("/", headers={"X-Request-ID": 'bad"id\\n'}).headers["x-request-id"]) == 16
        logging.getLogger("rulestone.server.rooms").warning("table %s can't be opened: %s", table, anna.headers)
        guest = client.app.state.guests.of(answer.request.headers)
    lines = logged()
    rows = [json.loads(line) for line in lines]
    assert {"method": "GET", "route": "/t/{table}", "status": 200, "request": "proxy-0123456789"}.items() <= rows[3].items()
    for secret in (table, "Annabella", "in private", anna.headers["Authorization"][7:], guest, "testclient"):
        assert secret not in "\n".join(lines)
    assert any(table[:4] + "…" in row["text"] for row in rows)


def test_text_logs_are_cut_in_the_same_way_also_in_tracebacks(logged):
    logs.set_up("text", "warning")
    try:
        raise ValueError("token=k3mw7xq2hbnp at postgresql://me:hunter2@db/x for " + "ab12" * 16)
    except ValueError:
        logging.getLogger("rulestone.server.app").exception("it failed at /ws/tables/k3mw7xq2hbnp")
    text = "\n".join(logged())
    assert "it failed at /ws/tables/k3mw…" in text
    assert "Traceback" in text
    for secret in ("7xq2hbnp", "hunter2", "ab12ab12"):
        assert secret not in text


def test_a_refused_statement_does_not_bring_its_values_into_the_log(client):
    engines = client.app.state.rooms.storage.engine.sync_engine, client.app.state.rooms.storage.own.engine
    assert all(engine.hide_parameters for engine in engines)


# ---- addresses ------------------------------------------------------------------------------------------------------------


def test_a_server_behind_a_proxy_prints_the_address_that_people_use(monkeypatch):
    monkeypatch.delenv("FORWARDED_ALLOW_IPS", raising=False)
    assert application._public("127.0.0.1", 8000, ["play.example.org"]) == "https://play.example.org/"
    assert application._public("0.0.0.0", 8000, ["box.local"]) == "http://box.local:8000/"
    assert application._public("127.0.0.1", 8000, []) == "http://localhost:8000/"
    assert application._public("127.0.0.1", 8000, ["localhost"]) == "http://localhost:8000/"
    assert application._public("0.0.0.0", 8000, ["play.example.org"], ["10.0.0.0/8"]) == "https://play.example.org/"
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "10.0.0.7")
    assert application._public("0.0.0.0", 8000, ["play.example.org"]) == "https://play.example.org/"


# ---- leaving --------------------------------------------------------------------------------------------------------------


class Serving:
    """A server in a process of its own."""

    def __init__(self, url, mark, *more):
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        command = [sys.executable, "-m", "rulestone.cli", "serve", "--port", str(self.port), "--db", url, "--pace", "0", *more]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "MARK": mark, "RULESTONE_JIT": "0"}
        )
        assert self.process.stdout.readline().startswith("Rulestone is at"), self.process.communicate()[1]
        self.http = httpx.Client(base_url=f"http://127.0.0.1:{self.port}", timeout=60)

    def socket(self, table, headers):
        return connect(f"ws://127.0.0.1:{self.port}/ws/tables/{table}", additional_headers=headers, open_timeout=60)

    def end(self):
        self.http.close()
        self.process.kill()
        self.process.communicate()


@contextlib.contextmanager
def database(kind, folder):
    """The URL of a database, and further options: one worker on either kind, or two that share PostgreSQL and Redis."""
    if kind == "sqlite":
        yield f"sqlite:///{folder / 'tables.db'}", []
    elif kind == "postgresql":
        with postgres() as url:
            yield url, []
    else:
        with postgres() as url, redis() as line:
            yield url, ["--redis", line, "--workers", "2", "--thinkers", "1"]


PLAYERS = 12


def play_until_closed(server, table, headers, acknowledged, closed, begun):
    """Play as fast as possible at a table of one's own. Notes every move that is acknowledged, and how the socket was closed."""
    state = {}
    try:
        with server.socket(table, headers) as socket:
            for number in range(10_000):
                while not state.get("moves"):
                    message = json.loads(socket.recv())
                    state = message if message["t"] == "state" else state
                wish = {"at": state["at"], "move": state["moves"][number % len(state["moves"])]["action"], "key": f"key-{number}"}
                socket.send(json.dumps({"do": "move", "id": number, **wish}))
                while True:
                    message = json.loads(socket.recv())
                    state = message if message["t"] == "state" else state
                    if message.get("id") == number and message["t"] in ("ok", "refused"):
                        break
                if message["t"] == "ok":
                    acknowledged.append((table, wish["key"]))
                    begun.release()
                if state.get("ending"):
                    return
    except ConnectionClosed as end:
        closed.append((end.rcvd.code, end.rcvd.reason) if end.rcvd else None)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks processes up in /proc")
@pytest.mark.parametrize("kind", ["sqlite", "postgresql", "workers"])
def test_a_server_that_is_asked_to_stop_amid_many_moves_loses_none_and_leaves_nothing_behind(kind, tmp_path):
    mark = f"rulestone-drain-{os.getpid()}-{kind}"
    with database(kind, tmp_path) as (url, more):
        server = Serving(url, mark, *more)
        try:
            acknowledged, closed, begun = [], [], threading.Semaphore(0)
            people = [Person(server.http) for _ in range(PLAYERS)]
            seats = [["me", "me"], ["me", {"kind": "bot", "bot": "random"}]]
            tables = [person.table("connect_four", seats[n % 2]) for n, person in enumerate(people)]
            work = [
                threading.Thread(target=play_until_closed, args=(server, table, person.headers, acknowledged, closed, begun))
                for table, person in zip(tables, people, strict=True)
            ]
            for thread in work:
                thread.start()
            for _ in range(3 * PLAYERS):
                assert begun.acquire(timeout=60)
            server.process.send_signal(signal.SIGTERM)
            for thread in work:
                thread.join(60)
            said = server.process.communicate(timeout=60)
        finally:
            server.end()
        assert (server.process.returncode, said[1]) == (0, "")
        assert closed
        assert set(closed) == {(1012, "restart")}
        stored = asyncio.run(keys_in(url))
        assert [one for one in acknowledged if one not in stored] == []
        assert len(acknowledged) >= 3 * PLAYERS
        assert family(mark) == {}


async def keys_in(url):
    """All moves in a database that carry a key, as (table, key)."""
    from sqlalchemy import select

    from rulestone.server.storage import Storage, moves

    storage = Storage(url)
    await storage.open()
    try:
        async with storage.engine.connect() as connection:
            return {(row.table_id, row.key) for row in await connection.execute(select(moves.c.table_id, moves.c.key)) if row.key}
    finally:
        await storage.close()


def test_a_server_on_its_way_out_says_so_and_answers_what_it_has_heard(client, anna):
    """Between the signal and the end: red for balancers, acknowledged what was asked, closed with a word."""
    table = anna.table()
    drain, rooms = client.app.state.drain, client.app.state.rooms
    real = rooms.storage.add_move
    leaving = []

    async def add_move(*given):
        leaving.append(asyncio.create_task(drain.leave(rooms)))  # the signal comes while the move is being stored
        while not drain.deaf:
            await asyncio.sleep(0)
        await real(*given)

    rooms.storage.add_move = add_move
    with anna.socket(table) as socket:
        at = hear(socket, "state")["at"]
        socket.send_json({"do": "move", "id": 1, "at": at, "move": 3, "key": "mine"})
        socket.send_json({"do": "ping", "id": 2})
        heard = []
        while (message := socket.receive())["type"] != "websocket.close":
            heard.append(json.loads(message["text"]))
        assert (message["code"], message["reason"]) == (1012, "restart")
        answers = [one["id"] for one in heard if one["t"] in ("ok", "refused")]
        assert answers == [1]  # the ping came too late: the page sends it again
    assert client.get("/readyz").status_code == 503
    assert client.get("/readyz").json()["draining"] == "yes"
    assert client.get("/healthz").status_code == 200
    with anna.socket(table) as late:
        assert late.receive()["code"] == 1012


def test_a_server_that_the_others_cannot_hear_says_so_and_stays_ready(tmp_path, monkeypatch):
    monkeypatch.setattr(health, "FRESH", 0)
    with redis() as line, TestClient(create_app(f"sqlite:///{tmp_path / 'tables.db'}", redis=line)) as client:
        assert client.get("/readyz").json() == {"ready": True, "storage": "ok", "redis": "ok", "draining": "no"}
        client.app.state.rooms.bus.up = False
        answer = client.get("/readyz")
        assert (answer.status_code, answer.json()["redis"]) == (200, "no answer"), "tables work without it"
