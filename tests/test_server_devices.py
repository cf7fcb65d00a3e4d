"""People without accounts: their devices, a name that is kept, being forgotten, and slow games that outlive a server."""

import time
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from rulestone.server.app import create_app
from rulestone.server.storage import NOBODY
from tests.tables import Person, hear

pytestmark = pytest.mark.usefixtures("interpreted")
DAY = 24 * 3600


def put(person, body):
    return person.client.put("/api/me", json=body, headers=person.headers)


def delete(person, path=""):
    return person.client.delete(f"/api/me{path}", headers=person.headers)


def link(person):
    return person.post("/api/me/links").json()["link"].partition("#")[2]


def use(person, code):
    return person.post("/api/me/links/use", {"code": code})


def devices(person):
    return person.get("/api/me").json()["devices"]


@pytest.fixture(params=["sqlite", "postgres"])
def two(request, url):
    """Two devices on one server, with either database."""
    url = url if request.param == "sqlite" else request.getfixturevalue("postgres_url")
    with TestClient(create_app(url, pace=0, limits=False)) as client:
        yield Person(client), Person(client)


# ---- devices ------------------------------------------------------------------------------------------------------------------


def test_a_linked_device_has_the_same_seats_and_name(two):
    laptop, phone = two
    table = laptop.table(seats=["me", "open"])
    put(laptop, {"name": "Anna"})
    code = link(laptop)
    assert phone.post("/api/me/links/look", {"code": code}).json() == {"name": "Anna", "already": False, "own_games": 0}
    assert use(phone, code).json() == {"name": "Anna"}
    assert phone.info(table)["seats"][0]["mine"]
    assert [device["this"] for device in devices(phone)] == [False, True]


def test_a_link_works_once(anna, ben, client):
    code = link(anna)
    assert use(ben, code).status_code == 200
    third = Person(client)
    assert use(third, code).json()["code"] == "no-such-link"
    assert third.post("/api/me/links/look", {"code": code}).status_code == 404
    assert devices(third) != devices(anna)


def test_a_link_is_good_for_ten_minutes(anna, ben, monkeypatch):
    code, now = link(anna), time.time()
    monkeypatch.setattr("rulestone.server.storage.time.time", lambda: now + 599)
    assert ben.post("/api/me/links/look", {"code": code}).status_code == 200
    monkeypatch.setattr("rulestone.server.storage.time.time", lambda: now + 601)
    assert use(ben, code).status_code == 404


def test_a_link_can_be_taken_back_and_a_new_one_replaces_it(anna, ben):
    code = link(anna)
    assert delete(anna, "/links").status_code == 204
    assert use(ben, code).status_code == 404
    older, newer = link(anna), link(anna)
    assert use(ben, older).status_code == 404
    assert use(ben, newer).status_code == 200


def test_only_the_hash_of_a_code_is_stored(anna, url):
    code = link(anna)
    path = url.removeprefix("sqlite:///")
    stored = b"".join(Path(path + suffix).read_bytes() for suffix in ("", "-wal"))
    assert code.encode() not in stored
    assert anna.headers["Authorization"].split()[1].partition(".")[0].encode() not in stored


def test_a_device_that_is_signed_out_gets_its_own_games_back(anna, ben):
    mine, its = anna.table(seats=["me", "open"]), ben.table(seats=["me", "open"])
    use(ben, link(anna))
    assert ben.info(mine)["seats"][0]["mine"]
    assert not ben.info(its)["seats"][0]["mine"]
    [phone] = [device for device in devices(anna) if not device["this"]]
    with ben.socket(mine) as socket:
        hear(socket, "state")
        assert delete(anna, f"/devices/{phone['id']}").status_code == 204
        with pytest.raises(WebSocketDisconnect) as closed:
            hear(socket, "never")
    assert (closed.value.code, closed.value.reason) == (4401, "signed out")
    assert not ben.info(mine)["seats"][0]["mine"]
    assert ben.info(its)["seats"][0]["mine"]


def test_the_first_device_can_be_signed_out_by_another_for_good(anna, ben, client, url):
    table = anna.table(seats=["me", "open"])
    use(ben, link(anna))
    [laptop] = [device for device in devices(ben) if not device["this"]]
    assert delete(ben, f"/devices/{laptop['id']}").status_code == 204
    assert anna.get("/api/me").status_code == 401
    assert ben.info(table)["seats"][0]["mine"]
    with TestClient(create_app(url, limits=False)) as restarted:
        again = [Person(restarted, person.headers) for person in (anna, ben)]
        assert again[0].get("/api/me").status_code == 401
        assert again[1].info(table)["seats"][0]["mine"]


def test_the_only_device_and_somebody_elses_cannot_be_signed_out(anna, ben):
    [own] = devices(anna)
    assert delete(anna, f"/devices/{own['id']}").json()["code"] == "only-device"
    assert delete(ben, f"/devices/{own['id']}").json()["code"] == "no-such-device"


def test_devices_are_named_after_their_browser(anna):
    anna.headers["User-Agent"] = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1"
    assert devices(anna)[0]["name"] == "Safari on iPhone"


def test_another_site_cannot_use_a_link_for_somebody(anna, ben):
    ben.headers["Origin"] = "https://elsewhere.example"
    assert use(ben, link(anna)).status_code == 403


# ---- being forgotten ------------------------------------------------------------------------------------------------------------


def test_a_person_who_is_forgotten_leaves_nothing_but_their_moves(two):
    anna, ben = two
    put(anna, {"name": "Anna"})
    running = anna.table(seats=[{"kind": "me", "name": "Anna"}, "open"])
    ben.post(f"/api/tables/{running}/sit", {"seat": 1, "name": "Ben"})
    anna.post(f"/api/tables/{running}/chat", {"text": "Hello"})
    ben.post(f"/api/tables/{running}/chat", {"text": "Hi"})
    over = anna.table(seats=[{"kind": "me", "name": "Anna"}, {"kind": "me", "name": "Anna"}], options={"line": 3})
    for column in (0, 1, 0, 1, 0):
        anna.move(over, f"drop {column}")
    free = anna.table(seats=[{"kind": "me", "name": "Anna"}, "open"], listed=True)
    assert delete(anna).status_code == 204
    seats = ben.info(running)["seats"]
    assert [(seat["kind"], seat["name"]) for seat in seats] == [("bot", "Red"), ("person", "Ben")]
    assert [line["name"] for line in ben.get(f"/api/tables/{running}/chat").json()] == [NOBODY, "Ben"]
    assert [(seat["kind"], seat["name"]) for seat in ben.info(over)["seats"]] == [("person", "Red"), ("person", "Blue")]
    assert [seat["kind"] for seat in ben.info(free)["seats"]] == ["open", "open"]
    assert anna.get("/api/tables").json()["mine"] == []
    assert anna.get("/api/me").json()["name"] == ""
    until = time.monotonic() + 20
    while ben.state(running)["ply"] == 0 and time.monotonic() < until:
        time.sleep(0.05)
    assert ben.state(running)["ply"] == 1, "the bot plays on"


def test_linked_devices_are_forgotten_too(anna, ben):
    table = anna.table(seats=["me", "open"])
    use(ben, link(anna))
    delete(ben)
    for person in (anna, ben):
        assert not any(seat["mine"] for seat in person.info(table)["seats"])
        assert len(devices(person)) == 1


# ---- my games, and slow games -------------------------------------------------------------------------------------------------


def test_my_games_are_listed_by_urgency(anna, ben):
    def versus(mover, **more):
        table = mover.table(seats=["me", "open"], **more)
        (ben if mover is anna else anna).post(f"/api/tables/{table}/sit", {"seat": 1})
        return table

    over = anna.table(options={"line": 3})
    for column in (0, 1, 0, 1, 0):
        anna.move(over, f"drop {column}")
    theirs, calm = versus(ben), versus(anna)
    slow, quick = (versus(anna, clock={"kind": "move", "seconds": seconds}) for seconds in (3 * DAY, DAY))
    listed = anna.get("/api/tables").json()["mine"]
    assert [table["id"] for table in listed] == [quick, slow, calm, theirs, over]
    assert [table["turn"] is not None for table in listed] == [True, True, True, False, False]
    assert abs(listed[0]["turn"]["due"] - time.time() - DAY) < 60
    page = anna.get("/my/games").text
    assert "<title>(3) My games" in page
    assert page.index(quick) < page.index(slow) < page.index(calm) < page.index(theirs) < page.index(over)
    assert "(1) My games" in ben.get("/my/games").text


def test_the_list_says_nothing_about_the_turns_of_others(anna, ben):
    table = anna.table(seats=["me", "open"], listed=True, clock={"kind": "move", "seconds": DAY})
    [free] = ben.get("/api/tables").json()["open"]
    assert (free["id"], free["turn"]) == (table, None)
    ben.post(f"/api/tables/{table}/sit", {"seat": 1})
    [mine] = ben.get("/api/tables").json()["mine"]
    assert mine["turn"] is None


def due(client, table):
    storage = client.app.state.rooms.storage
    wait_for(lambda: client.portal.call(storage.table, table).due is not None)
    return client.portal.call(storage.table, table).due


def wait_for(condition, seconds=20):
    until = time.monotonic() + seconds
    while not condition() and time.monotonic() < until:
        time.sleep(0.05)
    assert condition()


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_day_a_move_ends_in_time_after_a_restart_with_nobody_there(kind, url, request, monkeypatch):
    url = url if kind == "sqlite" else request.getfixturevalue("postgres_url")
    monkeypatch.setattr("rulestone.server.room.GRACE_SECONDS", 0)
    with TestClient(create_app(url, pace=0, limits=False)) as client:
        anna, ben = Person(client), Person(client)
        table = anna.table(seats=["me", "open"], clock={"kind": "move", "seconds": DAY})
        ben.post(f"/api/tables/{table}/sit", {"seat": 1})
        anna.move(table, "drop 3")
    later = time.time() + DAY + 60
    monkeypatch.setattr("time.time", lambda: later)
    with TestClient(create_app(url, pace=0, limits=False)) as client:
        rooms = client.app.state.rooms
        wait_for(lambda: table in rooms.rooms and rooms.rooms[table].match.ply == 2)
        seat = Person(client, anna.headers).info(table)["seats"][1]
        assert (seat["stand_in"], seat["name"]) == (True, "Blue")


def test_a_bot_that_was_thinking_moves_after_a_restart_with_nobody_there(url, monkeypatch):
    async def sleepy(self, seat, bot):
        raise RuntimeError("it never comes to that")

    with monkeypatch.context() as patch, TestClient(create_app(url, pace=0, limits=False)) as client:
        patch.setattr("rulestone.server.room.Room._bot_moves", sleepy)
        patch.setattr("rulestone.server.room.RETRY_SECONDS", 60)
        anna = Person(client)
        table = anna.table(seats=["me", {"kind": "bot", "bot": "random"}])
        anna.move(table, "drop 3")
    with TestClient(create_app(url, pace=0, limits=False)) as client:
        rooms = client.app.state.rooms
        wait_for(lambda: table in rooms.rooms and rooms.rooms[table].match.ply == 2)


def test_a_slow_game_does_not_stay_in_memory(client, anna):
    rooms = client.app.state.rooms
    slow, soon = (anna.table(clock={"kind": "move", "seconds": seconds}) for seconds in (DAY, 60))
    rooms.sweep(time.monotonic() + 10_000)
    assert list(rooms.rooms) == [soon]
    assert abs(due(client, slow) - time.time() - DAY) < 60


def test_a_table_that_cannot_be_opened_is_tried_once(client, anna, caplog):
    rooms = client.app.state.rooms
    table = anna.table(clock={"kind": "move", "seconds": DAY})
    due(client, table)
    rooms.rooms.pop(table).close()
    client.portal.call(lambda: rooms.storage.set_table(table, rules=99, due=1.0))
    for _ in range(2):
        client.portal.call(rooms.wake)
    assert caplog.text.count("can't be opened") == 1


def test_a_clock_can_run_for_days_but_not_for_months(anna):
    assert anna.table(clock={"kind": "move", "seconds": 7 * DAY})
    body = {"game": "connect_four", "seats": [{"kind": "me"}] * 2, "clock": {"kind": "move", "seconds": 31 * DAY}}
    assert anna.post("/api/tables", body).status_code == 422
