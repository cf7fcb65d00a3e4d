"""Reviews on the server: after the game, once, one at a time, for those who may see the replay."""

import asyncio
import os
import time

import pytest
from fastapi.testclient import TestClient

from rulestone.server import reviews
from rulestone.server.app import create_app
from rulestone.server.reviews import Reviews
from tests.tables import WHISPER
from tests.test_server import finished

pytestmark = pytest.mark.usefixtures("interpreted")


@pytest.fixture
def client(url):
    with TestClient(create_app(url, games=[WHISPER], pace=0, limits=False)) as client:
        client.app.state.reviews = Reviews(seconds=0.2)
        yield client


def reviewed(person, table):
    """Ask for the review and wait for it."""
    person.post(f"/api/tables/{table}/review")
    until = time.monotonic() + 60
    while (found := person.get(f"/api/tables/{table}/review").json())["state"] in ("waiting", "thinking"):
        assert time.monotonic() < until
        time.sleep(0.1)
    return found


def test_a_finished_game_is_reviewed_once_and_kept(client, anna, ben, url):
    table = finished(anna)
    assert ben.get(f"/api/tables/{table}/review").json() == {"state": "none"}
    found = reviewed(anna, table)
    assert found["state"] == "done"
    assert found["review"]["moves"] == 5
    assert [account["result"] for account in found["review"]["accounts"]] == [1, 0]
    assert reviewed(ben, table) == found
    with TestClient(create_app(url, pace=0, limits=False)) as later:  # another day, from the storage
        assert later.get(f"/api/tables/{table}/review", headers=anna.headers).json() == found


def test_turning_points_name_the_things_to_mark(anna):
    review = reviewed(anna, finished(anna))["review"]
    last = next(one for one in review["decisions"] if one["index"] == review["turning_points"][-1])
    assert (last["index"], last["verdict"], last["played"]["picks"], last["best"]["picks"]) == (3, "blunder", ["column-1"], ["column-0"])


def test_a_running_game_has_no_review(anna):
    table = anna.table()
    for answer in (anna.get(f"/api/tables/{table}/review"), anna.post(f"/api/tables/{table}/review")):
        assert (answer.status_code, answer.json()["code"]) == (403, "running")


def test_a_private_game_is_reviewed_for_its_players_only(anna, ben):
    table = finished(anna, spectators=False)
    assert ben.post(f"/api/tables/{table}/review").json()["code"] == "private"
    assert ben.get(f"/api/tables/{table}/review").json()["code"] == "private"


def test_reviews_wait_for_one_another(anna, client):
    first, second = finished(anna), finished(anna)
    assert anna.post(f"/api/tables/{first}/review").json()["state"] in ("waiting", "thinking")
    assert anna.post(f"/api/tables/{second}/review").json()["state"] == "waiting"
    assert reviewed(anna, second)["state"] == "done"
    assert anna.get(f"/api/tables/{first}/review").json()["state"] == "done"


def test_too_many_at_once_are_refused(anna, client, monkeypatch):
    monkeypatch.setattr(reviews, "WAITING", 1)
    tables = [finished(anna), finished(anna)]
    anna.post(f"/api/tables/{tables[0]}/review")
    assert anna.post(f"/api/tables/{tables[1]}/review").json()["code"] == "busy"
    assert reviewed(anna, tables[0])["state"] == "done"


def test_a_review_that_fails_says_so_and_can_be_asked_for_again(anna, monkeypatch):
    table = finished(anna)
    with monkeypatch.context() as patch:
        patch.setattr(reviews, "look_at", "no function")
        assert reviewed(anna, table)["state"] == "failed"
    assert reviewed(anna, table)["state"] == "done"


def test_a_review_of_an_older_format_is_made_anew(anna, client):
    table = finished(anna)
    client.portal.call(client.app.state.rooms.storage.keep_review, table, {"version": 0})
    assert anna.get(f"/api/tables/{table}/review").json() == {"state": "none"}
    assert reviewed(anna, table)["review"]["version"] == 1


def test_a_record_that_is_looked_at_is_reviewed_without_being_kept(anna, client):
    record = anna.get(f"/api/tables/{finished(anna)}/record").json()
    table = anna.post("/api/records", record).json()["id"]
    assert reviewed(anna, table)["state"] == "done"
    assert client.portal.call(client.app.state.rooms.storage.review_of, table) is None


def test_the_process_that_reviews_stands_behind_all_others():
    async def niceness():
        own = Reviews()
        try:
            return await own._elsewhere(os.nice, 0)
        finally:
            own.close()

    assert asyncio.run(niceness()) == 19


def test_the_replay_page_offers_it_after_the_game(anna):
    assert 'id="review"' in anna.get(f"/t/{finished(anna)}/replay").text
    assert 'id="review"' not in anna.get(f"/t/{anna.table()}/replay").text
