"""The lab page, and records opened on the replay page."""

import asyncio
import base64
import hashlib
import json
import re
import sys
import time
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from functools import partial

import pytest
from starlette.datastructures import Headers
from starlette.testclient import TestClient

import rulestone
from rulestone import cli, game
from rulestone.lab import Study, make_plan, study
from rulestone.lab.examples import Album
from rulestone.server import app, labs, studying, upkeep
from rulestone.server.app import create_app
from rulestone.server.constants import constants
from rulestone.server.storage import Storage, StudyRow
from rulestone.server.studying import Now, pack, told_of, unpack

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
    assert '<option value="line">' in text
    assert 'name="constant:COLUMNS"' in text
    assert '<option value="level:3">' in text
    assert '<option value="mcts:200">' in text
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
    scripts = re.findall(r"<script>(.*?)</script>", report.text, re.S)
    names = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    assert len(names) == 1
    assert f"script-src 'sha256-{names[0]}';" in report.headers["content-security-policy"], "its own script and no other"
    assert "allow-same-origin" not in report.headers["content-security-policy"]


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
def test_compiling_ahead_of_time_stops_for_a_study(tmp_path):
    async def look():
        storage = Storage(f"sqlite:///{tmp_path}/tables.db")
        await storage.open()
        lab = labs.Labs(storage)
        lab.foresee([("connect_four", "random"), ("sarpedon", "greedy")])
        while ("connect_four", "random") not in lab.ready:
            await asyncio.sleep(0.05)
        assert lab.wanted == [("sarpedon", "greedy")], "the other one later"
        lab.foresee([("artifact", "greedy")])
        assert lab.wanted[0] == ("artifact", "greedy")
        lab.close()

        slow = labs.Labs(storage)
        slow.foresee([("artifact", "greedy")])
        while slow.ahead is None:
            await asyncio.sleep(0.01)
        future = slow.ahead[2]
        asked = {"games": 50, "players": None, "bots": "random", "options": {}, "changes": {}, "vary": {}}
        id = await slow.add("me", "connect_four", "connect_four", "", asked)
        while id in slow.running:
            await asyncio.sleep(0.05)
        row = await storage.study(id)
        assert (row.state, row.told["text"], row.told["cells"][0]["games"]) == ("done", "", 50)
        assert isinstance(future.exception(), BrokenProcessPool), "it was stopped"
        slow.close()
        await storage.close()

    asyncio.run(look())


@pytest.mark.parametrize(
    ("wish", "status", "words"),
    [
        ({"game": "connect_four", "games": 200_000}, 422, "less than or equal to 100000"),
        ({"game": "artifact", "games": 50_000}, 422, "At most 5,000 games"),
        ({"game": "connect_four", "games": 10, "vary": "size"}, 422, "no option 'size'"),
        ({"game": "connect_four", "games": 10, "bots": "mcts:9999"}, 422, "up to 2,000 simulations"),
        ({"game": "connect_four", "games": 10, "bots": "greedy"}, 422, "no bot 'greedy' here"),
        ({"game": "connect_four", "games": 10, "bots": "mcts:1s"}, 422, "no bot 'mcts:1s' here"),
        ({"game": "connect_four", "games": 10, "bots": "os:system"}, 422, "no bot 'os:system' here"),
        ({"game": "connect_four", "games": 10, "vary": {"bots": ["random", "os:system"]}}, 422, "no bot 'os:system' here"),
        ({"game": "connect_four", "games": 10, "changes": {"COLUMNS": 1000}}, 422, "COLUMNS can be a whole number from 0 to 14 here"),
        ({"game": "connect_four", "games": 10, "changes": {"COLUMNS": 6.5}}, 422, "COLUMNS can be a whole number"),
        ({"game": "connect_four", "games": 10, "changes": {"EMPTY": 3}}, 422, "no constant 'EMPTY' that can be changed here"),
        ({"game": "connect_four", "games": 10, "vary": {"COLUMNS": [7, "__import__('os')"]}}, 422, "COLUMNS can be a whole number"),
        ({"game": "connect_four", "games": 10, "vary": {"ROWS": [6]}}, 422, "at least two values"),
        ({"game": "connect_four", "games": 10, "vary": {"ROWS": [1, 2, 3, 4, 5, 6, 7]}}, 422, "up to 6 values"),
        ({"game": "connect_four", "games": 10, "vary": {"ROWS": [5, 6], "COLUMNS": [6, 7], "line": [3, 4]}}, 422, "Vary at most 2 things"),
        ({"game": "connect_four", "games": 10, "players": 3}, 422, "is for 2 players"),
        ({"game": "nothing", "games": 10}, 404, "no game 'nothing'"),
    ],
)
def test_an_impossible_study_is_refused(client, wish, status, words):
    answer = client.post("/api/studies", json=wish)
    assert answer.status_code == status
    assert words in answer.json()["text"]


def test_a_value_that_breaks_the_game_is_refused_with_the_reason(client):
    answer = client.post("/api/studies", json={"game": "connect_four", "games": 10, "changes": {"COLUMNS": 0}})
    assert answer.status_code == 422
    assert answer.json()["text"].startswith("Connect Four can't be played with COLUMNS = 0")


def test_the_constants_of_a_game_come_with_their_comments_and_ranges():
    known = {one["name"]: one for one in constants(rulestone.load("sarpedon"))}
    assert known["CARDS_A_TURN"] == {
        "name": "CARDS_A_TURN", "title": "Cards a turn", "value": 1, "low": 0, "high": 4, "step": 1, "group": "rules",
        "about": "Petrification Cards drawn at the start of a turn (R9)",
    }  # fmt: skip
    assert known["SPECIAL_COPIES[Save Tile]"]["value"] == 1
    assert known["STONE_WAIT"]["group"] == "bot"
    assert "HIDDEN" not in known, "255 stands for something unknown"


@pytest.fixture
def plain(tmp_path, monkeypatch):
    """A server that doesn't compile."""
    monkeypatch.setenv("RULESTONE_JIT", "0")
    with TestClient(create_app(f"sqlite:///{tmp_path}/tables.db", limits=False)) as client:
        client.get("/")
        yield client


def test_a_grid_of_a_constant_and_an_option_is_played_and_its_settings_are_compared(plain):
    client = plain
    wish = {"game": "connect_four", "games": 40, "vary": {"COLUMNS": [7, 5], "line": [4, 3]}, "name": "Narrow boards"}
    told = client.post("/api/studies/estimate", json=wish).json()
    assert (told["settings"], told["games"]) == (4, 160)
    id = client.post("/api/studies", json=wish).json()["id"]
    done = finished(client, id)
    assert (done["state"], done["text"], done["mine"], done["name"]) == ("done", "", True, "Narrow boards")
    assert [cell["set"] for cell in done["cells"]] == [{"COLUMNS": c, "line": n} for c in (7, 5) for n in (4, 3)]
    assert [cell["changes"] for cell in done["cells"]] == [{}, {}, {"COLUMNS": "5"}, {"COLUMNS": "5"}]
    assert not any("COLUMNS = 5" in known.title for known in game._loaded.values()), "changed games stay out of the server's own process"
    records = client.portal.call(client.app.state.rooms.storage.report_of, id)
    name = next(name for name, record in unpack(records)["records"].items() if record["game"] != "connect_four")
    record = client.get(f"/studies/{id}/games/{name}")
    assert record.json()["game"] == "connect_four@COLUMNS=5", "a file to open with `rulestone replay`"
    assert record.headers["content-disposition"].startswith("attachment")
    page = client.get(f"/lab/compare?a={id}&b={id}&cb=3").text
    assert '<th scope="row">COLUMNS</th><td>as in the rules</td><td>5</td>' in page
    assert '<th scope="row">Discs in a line</th><td>4</td><td>3</td>' in page


@pytest.mark.slow
def test_a_search_bot_plays_against_another_bot(plain):
    client = plain
    id = client.post("/api/studies", json={"game": "connect_four", "games": 1, "bots": ["mcts:20", "random"]}).json()["id"]
    done = finished(client, id)
    assert (done["state"], done["text"]) == ("done", "")
    assert [one["bot"] for one in done["cells"][0]["line_up"]] == ["mcts:20", "random"]
    assert "Which bot wins" in client.get(f"/lab/compare?a={id}&b={id}").text


def test_an_estimate_follows_the_number_of_games_and_simulations(client, monkeypatch):
    labs_ = labs.labs_of(client)  # it needs only the app
    for kind in ("random", "mcts:4"):
        labs_.ready.add(("connect_four", kind))
        labs_.paces["connect_four", 2, kind] = (0.01, 40.0)

    def estimate(**wish):
        return client.post("/api/studies/estimate", json={"game": "connect_four", **wish}).json()

    assert estimate(games=1000)["seconds"] == 10.0
    assert estimate(games=1000, vary="line")["seconds"] == 30.0
    assert estimate(games=100, bots="mcts:50")["seconds"] == 1.0
    assert 1.2 < estimate(games=100, bots="mcts:200")["seconds"] < 4, "some of the work doesn't depend on the bot"
    assert estimate(games=100, bots=["mcts:50", "random"])["seconds"] == 1.0, "the mean of both"
    slow = estimate(games=10, bots="level:5", vary={"line": [4, 3, 5], "bots": ["level:5", "level:4"]})
    assert (slow["code"], "Choose quicker bots" in slow["text"]) == ("too-slow", True)


def test_a_study_that_is_too_slow_is_refused_however_it_is_asked_for(client, monkeypatch):
    monkeypatch.setattr(labs.labs_of(client), "ready", {("connect_four", "mcts:4")})
    monkeypatch.setitem(labs.labs_of(client).paces, ("connect_four", 2, "mcts:4"), (30.0, 40.0))
    wish = {"game": "connect_four", "games": 10, "bots": "mcts:2000", "vary": {"line": [4, 3, 5], "COLUMNS": [7, 6, 8]}}
    answers = [client.post(path, json=wish) for path in ("/api/studies/estimate", "/api/studies")]
    assert [(answer.status_code, answer.json()["code"]) for answer in answers] == [(422, "too-slow")] * 2


def test_a_study_that_proves_too_slow_once_its_rules_are_compiled_is_not_played(plain, monkeypatch):
    elsewhere = labs.Labs._elsewhere

    async def slow(labs_, study, act, *arguments):
        return (500.0, 40.0) if act is studying.pace else await elsewhere(labs_, study, act, *arguments)

    monkeypatch.setattr(labs.Labs, "_elsewhere", slow)
    id = plain.post("/api/studies", json={"game": "connect_four", "games": 1, "bots": "mcts:100"}).json()["id"]
    told = finished(plain, id)
    assert (told["state"], told["done"]) == ("failed", 0)
    assert "Choose quicker bots or fewer settings" in told["text"]


def stored(client, guest, **values):
    """A finished study, as if it had been played."""
    told = told_of(Now(plan := make_plan("connect_four", games=200, **values), study_results(plan)))
    row = StudyRow(labs.new_id(), guest, "connect_four", "", {"games": 200, "changes": {}, "vary": {}}, told, "done")
    client.portal.call(client.app.state.rooms.storage.add_study, row, 30, 1000)
    return row.id


def study_results(plan):
    made = Study(plan, workers=1)
    made.run()
    return made.results


def me(client):
    return client.app.state.guests.of(Headers({"cookie": f"rulestone={client.cookies['rulestone']}"}))


def test_studies_are_listed_renamed_and_deleted_only_by_their_owner(client):
    mine, other = stored(client, me(client)), stored(client, "stranger")
    listed = {one["id"]: one for one in client.get("/api/studies").json()}
    assert mine in listed
    assert other not in listed
    assert (listed[mine]["title"], listed[mine]["games"], listed[mine]["state"]) == ("Connect Four", 200, "done")
    assert client.get(f"/lab/{other}").status_code == 200, "a link can be shared"
    assert client.get(f"/api/studies/{other}").json()["mine"] is False
    assert client.put(f"/api/studies/{other}", json={"name": "x"}).status_code == 403
    assert client.delete(f"/api/studies/{other}").status_code == 403
    assert client.put(f"/api/studies/{mine}", json={"name": "  <b>Base\u202e game</b> "}).status_code == 204
    assert client.get(f"/api/studies/{mine}").json()["name"] == "<b>Base game</b>"
    assert client.delete(f"/api/studies/{mine}").status_code == 204
    assert client.get(f"/api/studies/{mine}").json()["code"] == "no-such-study"
    assert client.get(f"/lab/{mine}").status_code == 404


def test_the_oldest_studies_of_a_person_are_dropped(tmp_path):
    async def look():
        storage = Storage(f"sqlite:///{tmp_path}/tables.db")
        await storage.open()
        for n in range(5):
            await storage.add_study(StudyRow(f"a{n}", "anna", "connect_four", "", {}, {}, "done", made=n), 3, 100)
        await storage.add_study(StudyRow("b", "ben", "connect_four", "", {}, {}, "done", made=9), 3, 100)
        kept = [row.id for row in await storage.studies_of("anna")]
        await storage.forget("anna")
        left = [row.id for row in await storage.studies_of("anna") + await storage.studies_of("ben")]
        await storage.close()
        return kept, left

    assert asyncio.run(look()) == (["a4", "a3", "a2"], ["b"])


def test_a_portable_backup_takes_the_studies_along(tmp_path):
    async def look():
        here, there = f"sqlite:///{tmp_path}/here.db", f"sqlite:///{tmp_path}/there.db"
        storage = Storage(here)
        await storage.open()
        await storage.add_study(StudyRow("s", "anna", "connect_four", "", {}, {}, "done"), 3, 100)
        await storage.set_study("s", report=pack("the report", {}))
        await storage.close()
        await upkeep.backup(here, tmp_path / "copy", portable=True)
        await upkeep.restore(there, tmp_path / "copy")
        storage = Storage(there)
        await storage.open()
        found = await storage.report_of("s")
        await storage.close()
        return unpack(found)["report"]

    assert asyncio.run(look()) == "the report"


def test_a_study_that_was_running_when_the_server_stopped_says_so(client):
    id = stored(client, me(client))
    storage = client.app.state.rooms.storage
    client.portal.call(partial(storage.set_study, id, state="playing"))
    assert client.get(f"/api/studies/{id}").json()["state"] == "playing", "another server may be playing it"
    labs_of = client.app.state.labs
    row = client.portal.call(storage.study, id)
    assert labs_of.now(replace(row, updated=time.time() - 60)).told["text"] == labs.INTERRUPTED
    assert client.post("/api/studies", json={"game": "connect_four", "games": 10}).json()["code"] == "busy"
    assert client.post(f"/api/studies/{id}/stop").status_code == 204
    assert client.portal.call(storage.study, id).stopped, "the server that plays it will see this"
    assert client.delete(f"/api/studies/{id}").status_code == 204


def test_a_study_is_over_only_when_its_report_is_stored():
    row = StudyRow("study", "guest", "connect_four", "", {}, {"done": 3}, "playing", updated=time.time())
    over = labs.Running(replace(row, told={"done": 4}), "connect_four")
    over.enter("done")
    now = labs.Labs(None)
    now.running["study"] = over
    assert now.now(row).state == "playing"


def test_two_studies_are_compared_with_intervals_and_what_differs(client):
    a, b = stored(client, "x"), stored(client, "x", options={"line": 3})
    page = client.get(f"/lab/compare?a={a}&b={b}").text
    assert '<th scope="row">Discs in a line</th><td>4</td><td>3</td>' in page
    left, right = (client.get(f"/api/studies/{id}").json()["cells"][0] for id in (a, b))
    shift = 100 * (right["decisions"]["mean"] - left["decisions"]["mean"])
    assert f"{shift / 100:+.1f} ±" in page or f"{shift / 100:+.0f} ±" in page
    assert "<h2>How it ends</h2>" in page
    assert "is no evidence" not in page
    same = client.get(f"/lab/compare?a={a}&b={stored(client, 'y')}").text
    assert "Nothing: both have the same players, bots, options and constants." in same
    assert "is no evidence" in same


def test_a_comparison_says_how_games_end_in_words_and_in_minutes_that_add_up(client):
    one = stored(client, me(client), vary={"line": [4, 3]})
    text = client.get(f"/lab/compare?a={one}&b={one}&cb=1").text
    assert '<th scope="row">somebody lines up …</th>' in text
    row = re.search(r"Minutes for people, roughly</th><td>([\d.]+)</td><td>([\d.]+)</td><td>([-+][\d.]+)</td>", text)
    assert float(row[2]) - float(row[1]) == pytest.approx(float(row[3]))
    assert "." in row[1]


def test_only_studies_of_one_game_with_results_are_compared(client):
    a, b = stored(client, "x"), stored(client, "x")
    other = StudyRow(labs.new_id(), "x", "sarpedon", "", {}, {}, "done")
    empty = StudyRow(labs.new_id(), "x", "connect_four", "", {}, {**client.portal.call(client.app.state.rooms.storage.study, a).told})
    empty.told = {**empty.told, "cells": [{**empty.told["cells"][0], "games": 0}]}
    for row in (other, empty):
        client.portal.call(client.app.state.rooms.storage.add_study, row, 30, 1000)
    assert client.get(f"/lab/compare?a={a}&b={other.id}").status_code == 422
    assert client.get(f"/lab/compare?a={a}&b={empty.id}").status_code == 409
    assert client.get(f"/lab/compare?a={a}&b={b}&cb=7").status_code == 404
    assert client.get(f"/lab/compare?a={a}&b=nothing").status_code == 404


def test_a_study_that_hangs_is_stopped_and_the_next_one_runs(tmp_path, monkeypatch):
    """Constants that guests change may make a game endless."""

    async def look():
        storage = Storage(f"sqlite:///{tmp_path}/tables.db")
        await storage.open()
        lab = labs.Labs(storage)
        study_ = labs.Running(StudyRow("x", "me", "connect_four", "", {}, {}), "connect_four", deadline=time.monotonic())
        with pytest.raises(labs.TooLong):
            await lab._elsewhere(study_, time.sleep, 600)
        study_.deadline = time.monotonic() + 60
        assert await lab._elsewhere(study_, abs, -1) == 1, "in a new process"
        lab.close()
        await storage.close()

    monkeypatch.setattr(labs, "GRACE", 0.01)
    asyncio.run(look())


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
    rooms.sweep(time.monotonic() + 3600)
    assert id in rooms.rooms
    rooms.sweep(time.monotonic() + 7 * 3600)
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
