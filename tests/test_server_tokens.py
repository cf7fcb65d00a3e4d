"""Tokens: dated, renewed by every visit, and worthless once they are replaced."""

import pytest
from itsdangerous import URLSafeSerializer
from starlette.datastructures import Headers
from starlette.testclient import TestClient

from rulestone.server.app import create_app
from rulestone.server.security import COOKIE, GOOD_FOR, RENEWED_AFTER, Guests
from tests.tables import Person, ask, joined

DAY = 24 * 3600


@pytest.fixture
def guests(clock):
    return Guests("a secret", clock=clock)


def bearer(token):
    return Headers({"Authorization": f"Bearer {token}"})


def test_a_token_expires(guests, clock):
    token = bearer(guests.issue())
    assert guests.of(token)
    clock.now += GOOD_FOR - 1
    assert guests.of(token)
    clock.now += 1
    assert guests.of(token) is None


def test_somebody_who_visits_twice_a_year_stays_the_same_person_for_ten_years(guests, clock):
    token = guests.issue()
    person = guests.of(bearer(token))
    for _ in range(20):
        clock.now += 180 * DAY
        token = guests.renewed(bearer(token)) or token
        assert guests.of(bearer(token)) == person


def test_a_token_is_renewed_once_a_week(guests, clock):
    token = bearer(guests.issue())
    assert guests.renewed(token) is None
    clock.now += RENEWED_AFTER + 1
    assert guests.renewed(token) is not None


def test_nobody_can_change_the_date_of_a_token(guests):
    payload, signature = guests.issue().split(".")
    forged = URLSafeSerializer("another secret", salt="rulestone dated guest").dumps(["token", 9_999_999_999])
    for token in (forged, payload + "." + signature[::-1], payload[:-2] + "AA." + signature):
        assert guests.of(bearer(token)) is None


def test_tokens_of_older_servers_are_good_for_a_year_and_get_a_date(clock):
    old = URLSafeSerializer("a secret", salt="rulestone guest").dumps("a token without a date")
    guests = Guests("a secret", undated_until=clock.now + 365 * DAY, clock=clock)
    person = guests.of(bearer(old))
    dated = guests.renewed(bearer(old))
    assert person
    assert guests.of(bearer(dated)) == person
    clock.now += 366 * DAY
    assert guests.of(bearer(old)) is None
    assert guests.of(bearer(dated)) == person


def test_a_page_renews_the_cookie_of_a_regular_player(client, clock, monkeypatch):
    monkeypatch.setattr(client.app.state.guests, "clock", clock)
    client.get("/about")
    first = client.cookies[COOKIE]
    table = client.post("/api/tables", json={"game": "connect_four", "seats": [{"kind": "me"}, {"kind": "me"}]}).json()["id"]
    clock.now += 300 * DAY
    client.get("/about")
    assert client.cookies[COOKIE] != first
    clock.now += 300 * DAY  # the first cookie would have expired
    assert [mine["id"] for mine in client.get("/api/tables").json()["mine"]] == [table]


def test_a_program_gets_a_fresh_token_for_the_same_seats(client, anna):
    table = anna.table()
    fresh = anna.post("/api/me/token").json()["token"]
    again = Person(client, {"Authorization": f"Bearer {fresh}"})
    assert again.info(table)["seats"][0]["mine"]
    assert anna.info(table)["seats"][0]["mine"]  # the old one still works


def test_a_replaced_token_is_out_at_once_and_its_seats_stay(client, anna, url):
    table = anna.table()
    thief = Person(client, dict(anna.headers))
    with thief.socket(table) as line:
        joined(line)
        fresh = anna.post("/api/me/token", {"replace": True}).json()["token"]
        while (heard := line.receive())["type"] != "websocket.close":
            pass
        assert (heard["code"], heard["reason"]) == (4401, "signed out")
    assert thief.get(f"/api/tables/{table}").status_code == 401
    again = Person(client, {"Authorization": f"Bearer {fresh}"})
    assert again.move(table, 3).status_code == 200
    assert [device["this"] for device in again.get("/api/me").json()["devices"]] == [True]
    once_more = Person(client, {"Authorization": f"Bearer {again.post('/api/me/token', {'replace': True}).json()['token']}"})
    assert again.get("/api/me").status_code == 401
    assert once_more.info(table)["seats"][0]["mine"]
    with TestClient(create_app(url, pace=0, limits=False)) as restarted:
        assert Person(restarted, thief.headers).get("/api/me").status_code == 401
        assert Person(restarted, once_more.headers).info(table)["seats"][0]["mine"]


def test_a_browser_gets_its_new_key_as_a_cookie(client):
    client.get("/about")
    old = client.cookies[COOKIE]
    table = client.post("/api/tables", json={"game": "connect_four", "seats": [{"kind": "me"}, {"kind": "me"}]}).json()["id"]
    client.post("/api/me/token", json={"replace": True})
    assert client.cookies[COOKIE] != old
    assert client.get(f"/api/tables/{table}").json()["table"]["seats"][0]["mine"]
    with client.websocket_connect(f"/ws/tables/{table}") as line:
        assert ask(line, "ping")["t"] == "ok"
