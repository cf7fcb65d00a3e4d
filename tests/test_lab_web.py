"""The lab page, and records opened on the replay page."""

import asyncio
import json
import re
import sys
import time
from concurrent.futures.process import BrokenProcessPool

import pytest
from starlette.testclient import TestClient

import rulestone
from rulestone import cli
from rulestone.lab import Study, make_plan, study
from rulestone.lab.examples import Album
from rulestone.server import app, labs
from rulestone.server.app import create_app

pytestmark = pytest.mark.xdist_group("lab")  # so that only one process compiles


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with TestClient(create_app(f"sqlite:///{tmp_path_factory.mktemp('web')}/tables.db", limits=False)) as client:
        client.get("/")
        yield client


@pytest.fixture(scope="module")
def record():
    told = Study(make_plan("connect_four", games=3, seed=2), workers=1)
    told.run()
    album = Album(told.plan, told.results)
    return album.records[album.game(0, 0)]


def finished(client, id):
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        told = client.get(f"/api/studies/{id}").json()
        if told["state"] in ("done", "failed"):
            return told
        time.sleep(0.2)
    raise AssertionError("the study did not finish")


def test_the_page_offers_games_bots_and_options_to_compare(client):
    text = client.get("/lab?game=connect_four").text
    assert '<option value="connect_four" selected>' in text
    assert '<option value="line">line</option>' in text
    assert 'value="100000"' in text
    assert client.get("/lab?game=nothing").status_code == 404


@pytest.mark.slow
def test_a_study_ends_with_the_same_numbers_as_on_the_command_line(client):
    id = client.post("/api/studies", json={"game": "connect_four", "games": 2000, "vary": "line"}).json()["id"]
    busy = client.post("/api/studies", json={"game": "connect_four", "games": 1000})
    assert (busy.status_code, busy.json()["code"]) == (429, "busy")
    assert client.get(f"/api/studies/{id}/report").status_code == 409
    told = finished(client, id)
    assert told["state"] == "done", told["text"]
    expected = study("connect_four", games=2000, vary={"line": [4, 3, 5]}, workers=1)
    assert told["findings"] == expected["findings"]
    assert [cell["seats"][0]["wins"] for cell in told["cells"]] == [cell["seats"][0]["wins"] for cell in expected["cells"]]
    report = client.get(f"/api/studies/{id}/report")
    assert "Who wins" in report.text
    assert "script-src" not in report.headers["content-security-policy"]


@pytest.mark.slow
def test_the_person_who_started_a_study_can_stop_it_and_its_report_links_to_its_games(client):
    id = client.post("/api/studies", json={"game": "connect_four", "games": 100_000, "vary": "line"}).json()["id"]
    mine = dict(client.cookies)
    client.cookies.clear()
    client.get("/")
    stranger = client.post(f"/api/studies/{id}/stop")
    client.cookies.clear()
    client.cookies.update(mine)
    assert (stranger.status_code, stranger.json()["code"]) == (403, "not-yours")
    while client.get(f"/api/studies/{id}").json()["done"] < 1:
        time.sleep(0.05)
    assert client.post(f"/api/studies/{id}/stop").status_code == 204
    told = finished(client, id)
    assert (told["state"], told["stopped"], told["report"]) == ("done", True, True)
    assert 0 < told["cells"][0]["games"] < 100_000
    link = re.search(rf'href="(/studies/{id}/games/connect_four-0-\d+\.json)#(\d+)"', client.get(f"/api/studies/{id}/report").text)
    shown = client.get(link[1], follow_redirects=False)
    assert shown.status_code == 303
    table = re.fullmatch(r"/t/(\w+)/replay", shown.headers["location"])[1]
    assert client.get(f"/api/tables/{table}/frames/{link[2]}?eyes=open").json()["index"] == int(link[2])
    assert client.get(f"/studies/{id}/games/nothing.json").status_code == 404


@pytest.mark.slow
def test_compiling_ahead_of_time_stops_for_a_study():
    async def look():
        lab = labs.Labs()
        lab.foresee([("connect_four", "random"), ("sarpedon", "greedy")])
        while ("connect_four", "random") not in lab.ready:
            await asyncio.sleep(0.05)
        assert lab.wanted == [("sarpedon", "greedy")], "the other one later"
        lab.foresee([("artifact", "greedy")])
        assert lab.wanted[0] == ("artifact", "greedy")
        lab.close()

        slow = labs.Labs()
        slow.foresee([("artifact", "greedy")])
        while slow.ahead is None:
            await asyncio.sleep(0.01)
        future = slow.ahead[2]
        plan = make_plan("connect_four", games=50)
        study_ = slow.studies[slow.add("me", plan)]
        while study_.state not in ("done", "failed"):
            await asyncio.sleep(0.05)
        assert (study_.state, study_.text) == ("done", "")
        assert isinstance(future.exception(), BrokenProcessPool), "it was stopped"
        slow.close()

    asyncio.run(look())


@pytest.mark.parametrize(
    ("wish", "status", "words"),
    [
        ({"game": "connect_four", "games": 200_000}, 422, "less than or equal to 100000"),
        ({"game": "artifact", "games": 50_000}, 422, "At most 5,000 games"),
        ({"game": "connect_four", "games": 10, "vary": "size"}, 422, "no option 'size'"),
        ({"game": "connect_four", "games": 10, "bots": "mcts:9999"}, 422, "'random' or 'greedy'"),
        ({"game": "connect_four", "games": 10, "players": 3}, 422, "is for 2 players"),
        ({"game": "nothing", "games": 10}, 404, "no game 'nothing'"),
    ],
)
def test_an_impossible_study_is_refused(client, wish, status, words):
    answer = client.post("/api/studies", json=wish)
    assert answer.status_code == status
    assert words in answer.json()["text"]


def test_other_sites_cannot_start_studies(client):
    answer = client.post("/api/studies", json={"game": "connect_four", "games": 10}, headers={"origin": "http://elsewhere.example"})
    assert answer.status_code == 403


def test_a_record_opens_on_the_replay_page_at_any_move(client, record):
    id = client.post("/api/records", json=record).json()["id"]
    assert client.get(f"/t/{id}/replay").status_code == 200
    frame = client.get(f"/api/tables/{id}/frames/3?eyes=open").json()
    assert (frame["index"], frame["count"]) == (3, len(record["moves"]))
    assert client.get(f"/api/tables/{id}/record").json()["moves"] == record["moves"]


def test_a_damaged_or_unfinished_record_is_refused(client, record):
    damaged = client.post("/api/records", json={**record, "moves": []})
    assert (damaged.status_code, damaged.json()["code"]) == (422, "bad-record")
    unfinished = client.post("/api/records", json=rulestone.load("connect_four").new(1).record())
    assert unfinished.json()["text"] == "You can only replay finished games."
    assert client.post("/api/records", json={"game": "nothing"}).status_code == 404


def test_a_custom_position_from_a_stranger_is_refused(client):
    """Its bytes could be anything, and compiled rules trust them."""
    match = rulestone.load("connect_four").new(seed=1)
    match.state.grid[0, 0] = 1
    match.state.height[0] = 1
    match.refresh()
    refused = client.post("/api/records", json=match.record())
    assert (refused.status_code, refused.json()["code"]) == (422, "laid")


def test_a_replay_has_no_chat(client, record):
    id = client.post("/api/records", json=record).json()["id"]
    assert client.post(f"/api/tables/{id}/chat", json={"text": "hello"}).json()["code"] == "no-chat"
    rooms = client.app.state.rooms
    assert rooms.quiet_for() >= 0
    rooms.rooms[id].touched -= 3600
    rooms.sweep()
    assert id in rooms.rooms
    rooms.rooms[id].touched -= 6 * 3600
    rooms.sweep()
    assert id not in rooms.rooms


def test_replay_serves_the_record_it_was_given(client, record):
    client.app.state.records = {"game": record}
    answer = client.get("/records/game", follow_redirects=False)
    assert answer.status_code == 303
    assert client.get(answer.headers["location"]).status_code == 200
    assert client.get("/records/other").status_code == 404


def test_the_replay_command_opens_a_file_at_a_move(record, tmp_path, monkeypatch, capsys):
    shown = []
    monkeypatch.setattr(app, "show", lambda *arguments: shown.append(arguments))
    file = tmp_path / "game.json"
    file.write_text(json.dumps(record))
    _rulestone(monkeypatch, "replay", str(file), "--ply", "4", "--no-browser")
    assert shown == [(record, 4, 8001, False, None)]
    assert _rulestone(monkeypatch, "replay", str(file), "--ply", "999") == 2
    assert "there is no move 999" in capsys.readouterr().err
    file.write_text(json.dumps({**record, "moves": []}))
    assert _rulestone(monkeypatch, "replay", str(file)) == 1
    assert "damaged" in capsys.readouterr().err


def _rulestone(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["rulestone", *arguments])
    with pytest.raises(SystemExit) as end:
        cli.main()
    return end.value.code
