"""Two servers, one PostgreSQL and one Redis: any server serves any table, and what happens on one is seen on the other."""

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import httpx
import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from rulestone.game import load
from rulestone.review.whole import FORMAT_VERSION
from rulestone.seeds import Parts, pledge
from rulestone.server import labs
from rulestone.server.app import create_app
from rulestone.server.bus import connect
from rulestone.server.far import FAST, SLOW, Far, Service
from rulestone.server.limits import LIMITS, Here, Limits, Rate, Shared
from rulestone.server.refusal import Full, TooFast
from rulestone.server.reviews import Reviews
from rulestone.server.thinking import Shares, Thinker
from rulestone.server.workers import check
from tests.services import postgres, redis
from tests.tables import WHISPER, Person, ask, hear, joined
from tests.test_server_orphans import family
from tests.test_together import RPS

pytestmark = pytest.mark.timeout(120)


@pytest.fixture(scope="module", autouse=True)
def quick():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RULESTONE_JIT", "0")
        patch.setattr("rulestone.server.room.LEAD_SECONDS", 0.1)
        patch.setattr("rulestone.server.app.OFTEN", 0.5)
        yield


@pytest.fixture(scope="module")
def database():
    with postgres() as url:
        yield url


@pytest.fixture(scope="module")
def line():
    with redis() as url:
        yield url


@contextlib.contextmanager
def serving(database, line):
    with TestClient(create_app(database, games=[WHISPER, RPS], pace=0, limits=False, redis=line)) as client:
        until(lambda: client.app.state.rooms.bus.up)
        yield client


def until(happens):
    """Wait until something has happened; returns it."""
    for _ in range(1000):
        if found := happens():
            return found
        time.sleep(0.03)
    raise AssertionError("it didn't happen")


@contextlib.contextmanager
def pair(database, line):
    """Two servers that know of each other."""
    with serving(database, line) as one, serving(database, line) as other:
        until(lambda: all(client.app.state.rooms.bus.others for client in (one, other)))
        yield one, other


@pytest.fixture(scope="module")
def two(database, line):
    with pair(database, line) as servers:
        yield servers


@pytest.fixture
def anna(two):
    """A person at the first server."""
    return Person(two[0])


@pytest.fixture
def ben(two):
    """A person at the second server."""
    return Person(two[1])


def at_the_other(person, two):
    """The same person at the other server."""
    return Person(two[0] if person.client is two[1] else two[1], person.headers)


def table_of_two(anna, ben, game="connect_four", **more):
    table = anna.table(game, ["me", "open"], **more)
    assert ben.post(f"/api/tables/{table}/sit", {"seat": 1, "name": "Ben"}).status_code == 200
    until(lambda: all(person.info(table)["started"] for person in (anna, ben)))
    return table


def at_once(*acts):
    """Do things at the same time; returns what came of them."""
    with ThreadPoolExecutor(len(acts)) as threads:
        return [done.result() for done in [threads.submit(act) for act in acts]]


def hear_until(socket, kind, suits):
    """The first message of a kind that suits."""
    while not suits(message := hear(socket, kind)):
        pass
    return message


def ask_and_hear(socket, suits, verb, **body):
    """The answer to a request and the first news of the table that suits, whichever comes first."""
    socket.send_json({"do": verb, "id": 7, **body})
    answer = news = None
    while answer is None or news is None:
        message = socket.receive_json()
        if message.get("id") == 7:
            answer = message
        elif message["t"] == "table" and suits(message):
            news = message
    return answer, news


def test_a_move_on_one_server_appears_at_the_sockets_of_the_other(anna, ben):
    table = table_of_two(anna, ben)
    with anna.socket(table) as here, ben.socket(table) as there:
        joined(here), joined(there)
        for ply, (mover, watcher) in enumerate(((here, there), (there, here)) * 3):
            at = anna.state(table)["at"] if mover is here else ben.state(table)["at"]
            assert ask(mover, "move", at=at, move=3 + ply % 2)["t"] == "ok"
            assert hear_until(watcher, "state", lambda frame, ply=ply: frame["ply"] == ply + 1)["at"] == f"0.{ply + 1}"
    assert [person.get(f"/api/tables/{table}/position").json()["moves"] for person in (anna, ben)] == [["drop 3", "drop 4"] * 3] * 2


def test_a_position_gets_one_move_and_the_slower_server_answers_with_the_fresh_view(two, anna):
    table = anna.table()
    there = at_the_other(anna, two)
    assert there.state(table)["ply"] == 0
    answers = at_once(lambda: anna.move(table, 0, at="0.0"), lambda: there.move(table, 1, at="0.0"))
    assert sorted(answer.status_code for answer in answers) == [200, 409]
    stale = next(answer.json() for answer in answers if answer.status_code == 409)
    assert (stale["code"], stale["state"]["ply"]) == ("stale", 1)
    until(lambda: anna.state(table) == there.state(table))


def test_a_chair_is_given_once_when_two_servers_race(two, anna, ben):
    carl = Person(two[0])
    table = anna.table(seats=["me", "open"])
    assert not ben.info(table)["started"]
    answers = at_once(*(partial(who.post, f"/api/tables/{table}/sit", {"seat": 1}) for who in (ben, carl)))
    assert sorted(answer.status_code for answer in answers) == [200, 409]
    until(lambda: [who.info(table)["seats"][1]["mine"] for who in (ben, carl)].count(True) == 1)


def test_an_undo_crosses_and_moves_for_the_old_position_are_stale(two, anna):
    table = anna.table()
    there = at_the_other(anna, two)
    with there.socket(table) as socket:
        joined(socket)
        for column in (3, 3, 4):
            assert anna.move(table, column).status_code == 200
        hear_until(socket, "state", lambda frame: frame["ply"] == 3)
        assert anna.post(f"/api/tables/{table}/undo").status_code == 200
        assert hear_until(socket, "state", lambda frame: frame["ply"] == 2)["at"] == "1.2"
        assert ask(socket, "move", at="0.3", move=1)["code"] == "stale"
        assert ask(socket, "move", at="1.2", move=1)["t"] == "ok"
    until(lambda: anna.state(table)["ply"] == 3)


def hears_nothing(two, monkeypatch):
    """The second server hears nothing of the first, nor does it look at what is stored by itself."""

    async def nothing(ids):
        return {}

    monkeypatch.setattr(two[0].app.state.rooms.bus, "tell", lambda table, **news: None)
    monkeypatch.setattr(two[1].app.state.rooms.storage, "signs", nothing)


def test_a_server_that_missed_an_undo_cannot_continue_the_old_history(two, anna, monkeypatch):
    """Without word of it, the next ply would be free: the storage refuses it all the same."""
    table = anna.table()
    there = at_the_other(anna, two)
    for column in (3, 3, 4):
        anna.move(table, column)
    until(lambda: there.state(table)["ply"] == 3)
    hears_nothing(two, monkeypatch)
    anna.post(f"/api/tables/{table}/undo")
    anna.move(table, 5)
    assert there.state(table)["at"] == "0.3"
    answer = there.move(table, 6, at="0.3")
    assert (answer.status_code, answer.json()["state"]["at"]) == (409, "1.3")
    moves = ["drop 3", "drop 3", "drop 5"]
    assert [who.get(f"/api/tables/{table}/position").json()["moves"] for who in (anna, there)] == [moves, moves]


def test_a_server_that_missed_a_move_cannot_undo_it(two, anna, monkeypatch):
    table = anna.table()
    there = at_the_other(anna, two)
    anna.move(table, 3)
    until(lambda: there.state(table)["ply"] == 1)
    hears_nothing(two, monkeypatch)
    anna.move(table, 4)
    assert there.post(f"/api/tables/{table}/undo").json()["code"] == "stale"
    assert there.get(f"/api/tables/{table}/position").json()["moves"] == ["drop 3", "drop 4"]


def test_a_decision_that_only_its_player_knows_is_undone_at_both(two, anna, ben):
    table = table_of_two(anna, ben, "rps")
    there = at_the_other(anna, two)
    assert there.state(table)["moves"]
    assert anna.move(table, "show Rock").status_code == 200
    until(lambda: not there.state(table)["moves"])
    with ben.socket(table) as socket:
        joined(socket)
        assert anna.post(f"/api/tables/{table}/undo").status_code == 200
        until(lambda: there.state(table)["moves"])
        assert there.state(table)["at"] == anna.state(table)["at"]
        assert there.move(table, "show Paper").status_code == 200
        assert ben.move(table, "show Rock").status_code == 200
        assert hear_until(socket, "state", lambda frame: frame["story"]["lines"])["story"]["lines"][0] == "Red shows paper. [R1]"


def test_seats_presence_and_spectators_cross(two, anna, ben):
    table = anna.table(seats=["me", "open"])
    with anna.socket(table) as socket:
        joined(socket)
        ben.post(f"/api/tables/{table}/sit", {"seat": 1, "name": "Ben"})
        assert hear_until(socket, "table", lambda info: info["started"])["seats"][1]["name"] == "Ben"
        assert not anna.info(table)["seats"][1]["online"]
        with ben.socket(table) as far:
            joined(far)
            hear_until(socket, "table", lambda info: info["seats"][1]["online"])
            assert ben.info(table)["seats"][0]["online"]
        assert hear_until(socket, "table", lambda info: not info["seats"][1]["online"])["seats"][1]["patience"] == 60
        with Person(two[1]).socket(table) as far:
            joined(far)
            assert len(hear_until(socket, "table", lambda info: info["watchers"] == 1)["guests"]) == 1
        hear_until(socket, "table", lambda info: info["watchers"] == 0)


def test_chat_crosses_once_and_only_to_those_who_may_read_it(two, anna, ben):
    table = table_of_two(anna, ben)
    tom = Person(two[0])
    with ben.socket(table) as player, Person(two[1]).socket(table) as spectator:
        joined(player), joined(spectator)
        assert tom.post(f"/api/tables/{table}/chat", {"text": "Column 3!", "name": "Tom"}).status_code == 204
        assert hear(spectator, "chat")["text"] == "Column 3!"
        for person in (anna, at_the_other(anna, two)):
            assert person.post(f"/api/tables/{table}/chat", {"text": "Hello", "key": "1"}).status_code == 204
        assert person.post(f"/api/tables/{table}/chat", {"text": "Bye", "key": "1"}).json()["code"] == "key-used"
        assert anna.post(f"/api/tables/{table}/chat", {"text": "Good luck"}).status_code == 204
        assert [hear(player, "chat")["text"] for _ in range(2)] == ["Hello", "Good luck"]


def test_a_server_that_opens_a_table_later_knows_what_was_asked(two, anna, ben):
    table = table_of_two(anna, ben)
    late = two[1].app.state.rooms
    until(lambda: late.sweep(time.monotonic() + 3600) or table not in late.rooms)
    assert anna.move(table, 3).status_code == 200
    assert anna.post(f"/api/tables/{table}/draw").status_code == 200
    assert ben.info(table)["request"]["kind"] == "draw"
    assert anna.info(table)["request"] is not None


def test_a_request_is_asked_on_one_server_and_answered_on_the_other(anna, ben):
    table = table_of_two(anna, ben)
    anna.move(table, 3)
    with ben.socket(table) as socket:
        joined(socket)
        assert anna.post(f"/api/tables/{table}/undo").json()["asked"]
        assert hear(socket, "notice")["asks"]
        request = hear_until(socket, "table", lambda info: info["request"])["request"]
        assert (request["kind"], request["asked"]) == ("undo", True)
        assert ask(socket, "answer", number=request["number"], yes=True)["t"] == "ok"
    until(lambda: anna.state(table)["ply"] == 0)
    assert anna.info(table)["request"] is None


def test_everybody_agrees_though_two_answer_at_once_on_different_servers(two, anna, ben):
    carl = Person(two[0])
    table = anna.table("whisper", ["me", "open", "open"])
    for seat, person in ((1, ben), (2, carl)):
        assert person.post(f"/api/tables/{table}/sit", {"seat": seat}).status_code == 200
    until(lambda: all(person.info(table)["started"] for person in (anna, ben, carl)))
    assert anna.post(f"/api/tables/{table}/draw").status_code == 200
    number = until(lambda: ben.info(table)["request"])["number"]

    def agrees(person):
        while (answer := person.post(f"/api/tables/{table}/answer", {"number": number, "yes": True})).json().get("code") == "stale":
            pass
        assert answer.status_code == 200, answer.text

    at_once(partial(agrees, ben), partial(agrees, carl))
    until(lambda: all(person.info(table)["ended"] for person in (anna, ben, carl)))


def test_a_rematch_is_one_table_and_everybody_hears_of_it(two, anna, ben):
    table = table_of_two(anna, ben)
    with ben.socket(table) as socket:
        joined(socket)
        assert anna.post(f"/api/tables/{table}/resign", {"seat": 0}).status_code == 200
        until(lambda: ben.info(table)["over"])
        answers = at_once(*(partial(who.post, f"/api/tables/{table}/rematch") for who in (anna, ben)))
        assert [answer.status_code for answer in answers] == [201, 201]
        assert answers[0].json() == answers[1].json()
        assert hear_until(socket, "table", lambda info: info["rematch"])["rematch"] == answers[0].json()["id"]


def test_a_guest_whom_the_host_removes_leaves_every_server(two, anna, ben):
    table = anna.table(seats=["me", "open"])
    with ben.socket(table) as socket:
        joined(socket)
        who = until(lambda: anna.info(table)["guests"])[0]
        assert anna.post(f"/api/tables/{table}/remove", {"who": who}).status_code == 204
        with pytest.raises(WebSocketDisconnect) as closed:
            hear(socket, "nothing any more")
        assert closed.value.reason == "removed"
    assert ben.get(f"/api/tables/{table}").status_code == 403


def test_the_chat_is_closed_on_every_server(anna, ben):
    table = table_of_two(anna, ben)
    with ben.socket(table) as socket:
        joined(socket)
        anna.post(f"/api/tables/{table}/hush", {"on": True})
        hear_until(socket, "table", lambda info: info["hushed"])
        assert ask(socket, "chat", text="Hello")["code"] == "hushed"


def test_a_clock_that_runs_out_counts_once(two, anna, ben):
    table = table_of_two(anna, ben, clock={"kind": "move", "seconds": 600}, fair={"time": "lose"})
    assert ben.state(table)["ply"] == 0
    rooms = [client.app.state.rooms.rooms[table] for client in two]
    with ben.socket(table) as socket:
        joined(socket)
        at_once(*(partial(at.portal.call, room._time_is_up, 0, room.turn_of(0)) for at, room in zip(two, rooms, strict=True)))
        until(lambda: anna.info(table)["over"] and ben.info(table)["over"])
        assert anna.info(table)["ended"] == ben.info(table)["ended"] == {"time": [0]}


def test_a_clock_does_not_run_out_for_somebody_who_moved_in_time_on_another_server(two, anna, ben, monkeypatch):
    table = table_of_two(anna, ben, clock={"kind": "move", "seconds": 600})
    assert ben.state(table)["ply"] == 0
    hears_nothing(two, monkeypatch)
    room = two[1].app.state.rooms.rooms[table]
    turn = room.turn_of(0)
    assert anna.move(table, 3).status_code == 200
    two[1].portal.call(room._time_is_up, 0, turn)
    assert not ben.info(table)["seats"][0]["stand_in"]
    assert ben.state(table)["ply"] == 1


def test_a_lost_message_is_healed_by_looking_at_the_storage(two, anna, monkeypatch):
    table = anna.table()
    there = at_the_other(anna, two)
    with there.socket(table) as socket:
        joined(socket)
        monkeypatch.setattr(two[0].app.state.rooms.bus, "tell", lambda table, **news: None)
        anna.move(table, 3)
        assert hear_until(socket, "state", lambda frame: frame["ply"] == 1)


def test_a_server_reads_no_table_again_for_what_it_has_done_itself(two, anna, monkeypatch):
    table, storage = anna.table(), two[0].app.state.rooms.storage
    read, looked, load, signs, tables_with = [], [], storage.load, storage.signs, storage.tables_with
    with anna.socket(table) as socket:
        joined(socket)
        monkeypatch.setattr(storage, "signs", lambda ids: looked.append(table in ids) or signs(ids))
        until(lambda: looked.count(True) > 1)
        monkeypatch.setattr(storage, "load", lambda id, *given: read.append(id) or load(id, *given))
        monkeypatch.setattr(storage, "tables_with", lambda ids: read.extend(ids) or tables_with(ids))
        for column in (3, 4):
            anna.move(table, column)
            looked.clear()
            until(lambda: looked.count(True) > 1)
    assert table not in read


def test_the_clocks_of_a_table_run_alike_on_both(two, anna, ben):
    table = table_of_two(anna, ben, clock={"kind": "game", "seconds": 600})
    two[0].app.state.rooms.rooms[table].began[0] -= 595
    anna.move(table, 3)
    until(lambda: ben.state(table)["ply"] == 1)
    assert anna.info(table)["seats"][0]["clock"] == ben.info(table)["seats"][0]["clock"] <= 5


def test_one_server_plays_for_the_bots_and_another_takes_over_if_it_dies(database, line, monkeypatch):
    with pair(database, line) as two:
        check_that_one_takes_over(two, Person(two[0]), monkeypatch)


def check_that_one_takes_over(two, anna, monkeypatch):
    table = anna.table(seats=["me", {"kind": "bot", "bot": "random"}])
    there = at_the_other(anna, two)
    asked = []
    for client in two:
        thinker = client.app.state.rooms.thinker

        async def choose(source, view, bot, *more, real=thinker.choose, client=client, **named):
            asked.append(client)
            return await real(source, view, bot, *more, **named)

        monkeypatch.setattr(thinker, "choose", choose)
    with there.socket(table) as socket:
        joined(socket)
        for ply in (2, 4, 6):
            assert ask(socket, "move", at=there.state(table)["at"], move=ply // 2)["t"] == "ok"
            hear_until(socket, "state", lambda frame, ply=ply: frame["ply"] == ply)
        assert len(asked) == 3, "one of them thinks"
        first = asked[0]
        rooms = first.app.state.rooms
        for dies in (rooms.bus.life.cancel, rooms.close, rooms.rooms.clear):
            first.portal.call(dies)
        before = len(asked)
        mover = there if first is two[0] else anna
        until(lambda: mover.state(table)["ply"] == 6)
        assert mover.move(table, 6).status_code == 200
        until(lambda: mover.state(table)["ply"] == 8)
        assert {client is first for client in asked[before:]} == {False}


def test_the_dice_are_made_by_browsers_on_different_servers(anna, ben, monkeypatch):
    """Each pledges and reveals at their own server; the seed is made of both values."""
    monkeypatch.setattr("rulestone.server.dice.REVEAL_SECONDS", 100.0)
    values = {person: f"{number}" * 64 for number, person in enumerate((anna, ben), 3)}
    table = anna.post("/api/tables", {"game": "connect_four", "seats": [{"kind": "me"}, {"kind": "open"}], "pledge": pledge(values[anna])})
    commitment, table = table.json()["commitment"], table.json()["id"]
    with anna.socket(table) as here, ben.socket(table) as there:
        joined(here), joined(there)
        assert ask(there, "sit", seat=1, pledge=pledge(values[ben]))["t"] == "ok"
        closed = hear_until(here, "table", lambda info: info["dice"]["stage"] == "closed")
        assert closed["dice"]["pledges"] == [pledge(values[anna]), pledge(values[ben])]
        assert not closed["started"]
        assert ask(here, "reveal", value=values[anna])["t"] == "ok"
        hear_until(there, "table", lambda info: info["dice"].get("revealed") == [True, False])
        answer, news = ask_and_hear(there, lambda info: info["started"], "reveal", value=values[ben])
        assert answer["t"] == "ok"
        for told in (news, hear_until(here, "table", lambda info: info["started"])):
            assert (told["dice"], told["commitment"]) == ({"stage": "dealt"}, commitment)
        assert ask(here, "resign", seat=0)["t"] == "ok"
        hear_until(there, "table", lambda info: info["over"])
    records = [person.get(f"/api/tables/{table}/record").json() for person in (anna, ben)]
    assert records[0] == records[1]
    parts = Parts.read(records[0]["seed_parts"], 2)
    assert (parts.commitment, parts.values) == (commitment, (values[anna], values[ben]))
    assert parts.seed() == records[0]["seed"]


def test_who_leaves_without_showing_their_value_steers_nothing_at_any_server(two, anna, ben, monkeypatch):
    monkeypatch.setattr("rulestone.server.dice.REVEAL_SECONDS", 3.0)
    values = {person: f"{number}" * 64 for number, person in enumerate((anna, ben), 5)}
    wish = {"game": "connect_four", "seats": [{"kind": "me"}, {"kind": "open"}], "pledge": pledge(values[anna])}
    table = anna.post("/api/tables", wish).json()["id"]
    assert ben.post(f"/api/tables/{table}/sit", {"seat": 1, "pledge": pledge(values[ben])}).status_code == 200
    until(lambda: anna.info(table)["dice"]["stage"] == "closed")
    assert anna.post(f"/api/tables/{table}/reveal", {"value": values[anna]}).status_code == 200
    assert ben.post(f"/api/tables/{table}/leave", {"seat": 1}).status_code == 200
    until(lambda: all(person.info(table)["started"] for person in (anna, ben)))
    assert at_the_other(ben, two).post(f"/api/tables/{table}/reveal", {"value": values[ben]}).json()["code"] == "too-late"
    assert anna.post(f"/api/tables/{table}/resign", {"seat": 0}).status_code == 200
    parts = until(lambda: ben.get(f"/api/tables/{table}/record").json().get("seed_parts"))
    assert (parts["pledges"], parts["values"]) == ([pledge(values[anna]), pledge(values[ben])], [values[anna], None])


def test_a_device_that_is_signed_out_is_out_on_every_server(two, anna):
    there = at_the_other(anna, two)
    phone = Person(two[1])
    link = anna.post("/api/me/links").json()["link"]
    assert phone.post("/api/me/links/use", {"code": link.partition("#")[2]}).status_code == 200
    table = anna.table()
    assert phone.info(table)["host"]
    device = next(device for device in there.get("/api/me").json()["devices"] if not device["this"])
    assert anna.client.delete(f"/api/me/devices/{device['id']}", headers=anna.headers).status_code == 204
    until(lambda: not phone.info(table)["host"])


# ---- what isn't stored ------------------------------------------------------------------------------------------------------


def finished(anna, ben):
    """A game that is over, and its record."""
    table = table_of_two(anna, ben)
    for person, column in ((anna, 3), (ben, 3)):
        until(lambda person=person, column=column: person.move(table, column).status_code == 200)
    assert anna.post(f"/api/tables/{table}/resign", {"seat": 0}).status_code == 200
    until(lambda: ben.info(table)["over"])
    return table, anna.get(f"/api/tables/{table}/record").json()


def test_a_record_that_is_opened_at_one_server_is_shown_by_all(two, anna, ben):
    record = finished(anna, ben)[1]
    opened = anna.post("/api/records", record).json()["id"]
    frames = [person.get(f"/api/tables/{opened}/frames/2?eyes=open") for person in (anna, ben)]
    assert [frame.status_code for frame in frames] == [200, 200]
    assert frames[0].json() == frames[1].json()
    assert ben.get(f"/api/tables/{opened}/record").json()["moves"] == record["moves"]
    assert ben.get("/api/tables/abcdefghjkmn").status_code == 404


@pytest.mark.parametrize("opened", [False, True], ids=["a table", "a record"])
def test_a_review_in_progress_is_known_to_all_servers_and_made_once(two, anna, ben, monkeypatch, opened):
    table, record = finished(anna, ben)
    if opened:
        table = anna.post("/api/records", record).json()["id"]
    may_end, made = threading.Event(), []

    async def elsewhere(self, act, *given):
        made.append(self)
        self.progress[:] = [3, 9]
        await asyncio.to_thread(may_end.wait)
        return {"version": FORMAT_VERSION, "decisions": []}

    monkeypatch.setattr(Reviews, "_elsewhere", elsewhere)
    address = f"/api/tables/{table}/review"
    assert anna.post(address).json()["state"] in ("waiting", "thinking")
    known = until(lambda: (found := ben.get(address).json())["state"] == "thinking" and found)
    assert (known["done"], known["total"]) == (3, 9)
    assert ben.post(address).json()["state"] == "thinking"
    may_end.set()
    for person in (anna, ben):
        until(lambda person=person: person.get(address).json()["state"] == "done")
    assert len(made) == 1


def test_a_study_is_played_at_one_server_and_shown_and_stopped_at_another(two, anna, ben, monkeypatch):
    told = {"title": "Connect Four", "factors": {}, "findings": [], "cells": [{"games": 3, "bots": ["random"]}]}

    async def run(self, study):
        study.enter("playing", 600)
        study.done, study.total, study.row.told = 3, 9, told
        await study.halt.wait()
        return "the report"

    monkeypatch.setattr(labs, "BEAT", 0.1)
    monkeypatch.setattr(labs.Labs, "_run", run)
    monkeypatch.setattr(labs.Labs, "estimate", lambda self, *given: asyncio.sleep(0, {"settings": 1}))
    made = anna.post("/api/studies", {"game": "connect_four", "games": 100})
    assert made.status_code == 201, made.text
    address = f"/api/studies/{made.json()['id']}"
    shown = until(lambda: (found := ben.get(address).json())["state"] == "playing" and found)
    assert (shown["done"], shown["total"], shown["mine"]) == (3, 9, False)
    assert ben.post(f"{address}/stop").status_code == 403
    there = at_the_other(anna, two)
    assert there.post("/api/studies", {"game": "connect_four", "games": 100}).json()["code"] == "busy"
    assert there.post(f"{address}/stop").status_code == 204
    for person in (anna, ben):
        over = until(lambda person=person: (found := person.get(address).json())["state"] == "done" and found)
        assert (over["stopped"], over["report"]) == (True, True)


# ---- limits -----------------------------------------------------------------------------------------------------------------


def allowed(limits, count, what, **whom):
    """How many of so many tries are allowed, made by turns with each of these."""

    async def run():
        done = 0
        for number in range(count):
            with contextlib.suppress(TooFast, Full):
                await limits[number % len(limits)].check(what, **whom)
                done += 1
        for one in limits:
            await one.counts.close()
        return done

    return asyncio.run(run())


def sharing(line, name):
    here = Here()
    return Limits(counts=Shared(line, name, here), here=here)


def test_servers_count_together(line):
    pair = [sharing(line, "a") for _ in range(2)]
    began = time.monotonic()
    done = allowed(pair, 60, "create", guest="anna", address="192.0.2.1")
    assert 20 <= done <= 21 + (time.monotonic() - began) * LIMITS["create"].guest.rate
    assert allowed([sharing(line, "a")], 1, "create", guest="ben", address="192.0.2.1") == 1
    assert not pair[0].here.buckets
    assert allowed([sharing(line, "b")], 1, "create", guest="anna", address="192.0.2.1") == 1, "another database"


def test_a_shared_bucket_refills_and_is_forgotten_once_it_is_full(line, monkeypatch):
    async def run():
        shared, wanted = Shared(line, "c", Here()), [("slow", Rate(0.001, 1)), ("quick", Rate(50, 2))]
        took = [await shared.take(wanted[1:]) for _ in range(2)]
        assert took == [0, 0]
        assert 0 < await shared.take(wanted[1:]) <= 0.02
        await asyncio.sleep(0.05)
        assert await shared.take(wanted) == 0
        assert 900 < await shared.take(wanted) <= 1000
        assert await shared.take(wanted[1:]) == 0, "a refused try costs nothing else"
        key = "rulestone:c:limits:quick"
        assert 0 < await shared.line.ttl(key) <= 2
        await shared.close()

    asyncio.run(run())


def test_each_server_counts_for_itself_while_redis_is_away():
    began = time.monotonic()
    assert allowed([sharing("unix:///nowhere/redis.sock", "a")], 60, "create", guest="anna", address="a") in (20, 21)
    assert time.monotonic() - began < 2


def test_new_tables_are_limited_over_all_servers(database, line):
    with contextlib.ExitStack() as stack:
        apps = [create_app(database, pace=0, redis=line) for _ in range(2)]
        clients = [stack.enter_context(TestClient(app)) for app in apps]
        anna, began = Person(clients[0]), time.monotonic()
        both, table = [anna, Person(clients[1], anna.headers)], {"game": "connect_four", "seats": [{"kind": "me"}, {"kind": "me"}]}
        made = [both[number % 2].post("/api/tables", table).status_code for number in range(30)]
        assert {*made} == {201, 429}
        assert made.count(201) <= 21 + (time.monotonic() - began) * LIMITS["create"].guest.rate


# ---- thinking elsewhere -----------------------------------------------------------------------------------------------------


def test_long_work_takes_turns_by_whose_it_is():
    async def play():
        shares, order = Shares(1), []

        async def work(owner):
            async with shares.place(owner):
                order.append(owner)
                await asyncio.sleep(0)

        await asyncio.gather(*(work(owner) for owner in [*["anna"] * 20, "ben", "carl"]))
        assert shares.busy == 0
        return order

    assert asyncio.run(play())[:5] == ["anna", "anna", "ben", "carl", "anna"]


def test_whoever_stops_waiting_keeps_nobody_from_a_place():
    async def play():
        shares, order = Shares(1), []

        async def work(owner):
            async with shares.place(owner):
                order.append(owner)
                await asyncio.sleep(0.01)

        tasks = [asyncio.create_task(work(owner)) for owner in "abcd"]
        await asyncio.sleep(0)
        tasks[1].cancel()
        tasks[0].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        shares.resize(3)
        await asyncio.gather(*map(work, "efgh"))
        assert (shares.busy, len(shares.waiting)) == (0, 0)
        return order

    assert asyncio.run(play()) == list("acdefgh")


class Slow(Thinker):
    """Thinks long about what takes long, until it may end."""

    def __init__(self):
        super().__init__(2)
        self.began, self.may_end = 0, asyncio.Event()

    async def _run(self, work, *arguments):
        if "level:5" not in arguments:
            return work(*arguments)
        self.began += 1
        await self.may_end.wait()
        return 3


def service(line, local=None):
    made = Service(line, 2, [WHISPER])
    if local is not None:
        made.local = local
    return made


@contextlib.asynccontextmanager
async def thinking_with(line, *services):
    far = Far(line, 1)
    running = [asyncio.create_task(one.run()) for one in services]
    await far.open()
    await soon(lambda: far.places == sum(one.local.workers for one in services))
    try:
        yield far
    finally:
        for one in services:
            one.leaving.set()
        await asyncio.gather(*running)
        await far.hang_up()
        far.close()


async def soon(happens):
    async with asyncio.timeout(60):
        while not happens():
            await asyncio.sleep(0.02)


def test_quick_bots_answer_while_a_hundred_strong_ones_wait(line):
    async def play():
        view = load("connect_four").new(1).view(0)
        one = service(line, Slow())
        async with thinking_with(line, one) as far:
            strong = [asyncio.create_task(far.choose("connect_four", view, "level:5", 1, f"guest {k % 20}")) for k in range(100)]
            await soon(lambda: one.local.began == 2)
            assert (await far.choose("connect_four", view, "level:1"))[0] in range(7)
            assert not any(task.done() for task in strong)
            assert await far.line.xlen(SLOW) <= 4, "the rest waits at the server, in fair shares"
            one.local.may_end.set()
            assert set(await asyncio.gather(*strong)) == {(3, "level:5")}

    asyncio.run(play())


def test_another_thinker_claims_what_a_dead_one_left(line, monkeypatch):
    monkeypatch.setattr("rulestone.server.far.LEFT", 1.0)
    monkeypatch.setattr("rulestone.server.far.RENEW", 0.1)

    async def play():
        view = load("connect_four").new(1).view(0)
        dies, lives = service(line, Slow()), service(line, Slow())
        lives.local.may_end.set()
        dying = asyncio.create_task(dies.run())
        far = Far(line, 1)
        await far.open()
        await soon(lambda: far.places)
        asked = asyncio.create_task(far.choose("connect_four", view, "level:5"))
        await soon(lambda: dies.busy)
        living = asyncio.create_task(lives.run())
        await soon(lambda: far.places == 4)
        dying.cancel()
        assert (await asked, lives.local.began, far.pool) == ((3, "level:5"), 1, None)
        lives.leaving.set()
        await asyncio.gather(dying, living, return_exceptions=True)
        await far.hang_up()

    asyncio.run(play())


def test_a_server_thinks_for_itself_if_nobody_else_does(line, monkeypatch):
    async def play():
        view = load("connect_four").new(1).view(0)
        far = Far("unix:///nowhere/redis.sock", 1)
        await far.open()
        assert (await far.choose("connect_four", view, "random"))[0] in range(7)
        await far.hang_up()
        far.close()
        async with thinking_with(line, service(line)) as far:
            other = load(RPS).new(1).view(0)  # the thinker doesn't know this game
            assert (await far.choose(str(RPS), other, "random"))[0] in range(3)

    asyncio.run(play())


def test_a_thinker_gets_only_hidden_records(line):
    seen = []

    class Spy(Thinker):
        async def _run(self, work, *arguments):
            seen.append(arguments)
            return work(*arguments)

    async def play():
        match = load(WHISPER).new(3, players=2)
        async with thinking_with(line, service(line, Spy(1))) as far:
            await far.choose(str(WHISPER), match.view(0), "random")
            assert await far.line.xlen(FAST) == 0, "nothing stays behind"
        return match

    match = asyncio.run(play())
    assert seen[0][3] == match.view(0).raw != match.raw


# ---- several workers --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux shares a port well")
def test_workers_share_a_port_and_are_replaced_and_none_is_left(database, line):
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        port = trial.getsockname()[1]
    mark = f"rulestone-workers-{os.getpid()}"
    command = ["serve", "--port", str(port), "--db", database, "--redis", line, "--workers", "2", "--thinkers", "1", "--pace", "0"]
    server = subprocess.Popen(
        [sys.executable, "-m", "rulestone.cli", *command], env={**os.environ, "MARK": mark}, stdout=subprocess.PIPE, text=True
    )
    try:
        assert "Rulestone is at" in server.stdout.readline()
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60, limits=httpx.Limits(max_keepalive_connections=0)) as client:
            anna = Person(client)
            table = anna.table(seats=["me", {"kind": "bot", "bot": "random"}])
            for ply in (2, 4, 6):  # each call may be answered by another worker
                at = until(lambda ply=ply: (found := anna.state(table))["ply"] == ply - 2 and found)["at"]
                answer = until(lambda at=at, ply=ply: (made := anna.move(table, ply, at=at)).status_code == 200 and made)
                assert answer.json()["ply"] >= ply - 1
                until(lambda ply=ply: anna.state(table)["ply"] == ply)
            workers = {id for id, said in family(mark).items() if "spawn_main" in said and parent(id) == server.pid}
            assert len(workers) == 3
            os.kill(min(workers), signal.SIGKILL)
            until(lambda: len({id for id in family(mark) if parent(id) == server.pid} - workers) == 1)
            until(lambda: ply_of(anna, table) == 6)
    finally:
        server.terminate()
        server.communicate(timeout=60)
    assert server.returncode == 0
    until(lambda: not family(mark))


def ply_of(person, table):
    with contextlib.suppress(httpx.TransportError):  # a connection to the worker that was killed
        return person.state(table)["ply"]


def parent(id):
    with contextlib.suppress(OSError):
        return int(Path(f"/proc/{id}/stat").read_text().rpartition(")")[2].split()[1])


@pytest.mark.parametrize(("db", "line"), [("sqlite:///x.db", "redis://localhost"), ("postgresql://localhost/x", None)])
def test_what_several_workers_cannot_share_is_refused_in_one_sentence(db, line):
    with pytest.raises(ValueError, match="several workers need a database server and Redis"):
        check(2, db, line)


def test_an_address_that_is_not_of_a_redis_is_refused_in_one_sentence():
    with pytest.raises(ValueError, match="--redis takes a URL like"):
        connect("localhost")
