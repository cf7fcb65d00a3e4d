"""A changed game is one link and one small file: it is played at tables of any server, which say what is changed."""

import asyncio
import json
import time

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from rulestone import variant
from rulestone.cli import app
from rulestone.game import _loaded, forget, load
from rulestone.server import rooms, thinking
from rulestone.server.app import create_app
from rulestone.server.thinking import Thinker

LOW = "connect_four@ROWS=5"


@pytest.fixture
def client(tmp_path, monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    with TestClient(create_app(f"sqlite:///{tmp_path}/tables.db", limits=0, pace=0)) as client:
        client.get("/")
        yield client


def table(client, game=LOW, **more):
    return client.post("/api/tables", json={"game": game, "seats": [{"kind": "me"}, {"kind": "me"}], **more})


def test_the_page_of_a_link_says_what_is_changed(client):
    page = client.get(f"/new/{LOW}?line=3").text
    assert "ROWS is 5 instead of 6" in page
    assert f'data-game="{LOW}"' in page
    assert "Changed:" not in client.get("/new/connect_four").text


def test_a_table_of_a_variant_is_played_by_its_rules_and_says_what_is_changed(client):
    id = table(client, options={"line": 3}).json()["id"]
    page = client.get(f"/t/{id}").text
    assert "<h1>Connect Four with ROWS = 5</h1>" in page
    assert "ROWS is 5 instead of 6" in page
    assert "is 3 instead of 4" in page
    assert f"/new/{LOW}?line=3&amp;players=2" in page
    state = client.get(f"/api/tables/{id}/position").json()
    assert len(state["fields"]["grid"]) == 5
    assert "Changed rules" not in client.get(f"/t/{table(client, 'connect_four').json()['id']}").text


def test_a_variant_is_in_no_list_of_games_but_its_tables_are_among_ones_own(client):
    id = table(client).json()["id"]
    assert LOW not in {game["name"] for game in client.get("/api/games").json()}
    assert id in client.get("/").text


def test_the_table_is_there_after_a_restart(tmp_path, monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    for _ in range(2):
        with TestClient(create_app(f"sqlite:///{tmp_path}/tables.db", limits=0, pace=0)) as client:
            if not (kept := tmp_path / "id").exists():
                client.get("/")
                kept.write_text(table(client).json()["id"] + " " + client.cookies["rulestone"])
            id, guest = kept.read_text().split()
            client.cookies.set("rulestone", guest)
            assert len(client.get(f"/api/tables/{id}/position").json()["fields"]["grid"]) == 5
            assert id in client.get("/").text


@pytest.mark.parametrize(
    ("game", "status", "says"),
    [
        ("connect_four@ROWS=0", 422, "can't be played with ROWS = 0"),
        ("connect_four@ROWS=5000", 422, "ROWS can be a whole number from 0 to 12 here."),
        ("connect_four@ROWS=five", 422, "ROWS can be a whole number from 0 to 12 here."),
        ("connect_four@HEIGHT=5", 422, "has no constant 'HEIGHT' that can be changed here."),
        ("draughts@ROWS=5", 404, "There is no game 'draughts@ROWS=5'."),
    ],
)
def test_what_cannot_be_played_is_refused_with_its_reason(client, game, status, says):
    refused = table(client, game)
    assert refused.status_code == status
    assert says in refused.json()["text"]


def test_a_variant_that_changes_nothing_is_the_game_itself(client):
    id = table(client, "connect_four@ROWS=6").json()["id"]
    assert "<h1>Connect Four</h1>" in client.get(f"/t/{id}").text


def test_bots_play_variants(client):
    id = table(client, seats=[{"kind": "me"}, {"kind": "bot", "bot": "random"}]).json()["id"]
    at = client.get(f"/api/tables/{id}").json()["state"]["at"]
    assert client.post(f"/api/tables/{id}/moves", json={"at": at, "move": "drop 3"}).status_code == 200
    until = time.monotonic() + 60
    while client.get(f"/api/tables/{id}/position").json()["to_move"] != 0:
        assert time.monotonic() < until
        time.sleep(0.1)


def test_variants_that_nobody_plays_are_forgotten(client, monkeypatch):
    monkeypatch.setattr(rooms, "VARIANTS", 2)
    here = client.app.state.rooms
    for columns in (5, 6, 8, 9):
        assert table(client, f"connect_four@COLUMNS={columns}").status_code == 201
        here.rooms.clear()
    assert list(here.variants) == ["connect_four@COLUMNS=8", "connect_four@COLUMNS=9"]
    assert not any(game.name == "connect_four@COLUMNS=5" for game in _loaded.values())


def forever(source):
    while True:
        pass


def test_a_variant_that_never_ends_is_stopped_with_its_process_and_no_other_one(monkeypatch):
    async def run():
        thinker = Thinker(1)
        thinker.variants.add(LOW)
        try:
            monkeypatch.setattr(thinking, "STUCK", 0.5)
            with pytest.raises(TimeoutError):
                await thinker._run(forever, LOW)
            assert (thinker.apart, thinker.pool) == (None, None)
            monkeypatch.undo()
            assert await thinker.try_out(LOW) == ""
        finally:
            thinker.close()

    asyncio.run(run())


def test_rulestone_play_opens_a_variants_file(tmp_path):
    file = tmp_path / "low.json"
    file.write_text(json.dumps(variant.packed(LOW, {"line": "3"}, 2)))
    result = CliRunner().invoke(app, ["play", str(file), "--seat", "none", "--seed", "1"])
    assert result.exit_code == 0
    assert "Connect Four with ROWS = 5" in result.output
    file.write_text("{}")
    result = CliRunner().invoke(app, ["play", str(file)])
    assert isinstance(result.exception, variant.BadChange) or "this file isn't a variant" in result.output


def test_no_champion_plays_variants_since_its_net_has_learned_other_rules(client, monkeypatch):
    monkeypatch.setattr(load("connect_four"), "champion", {2: 1.0})
    assert 'value="bot:champion"' in client.get("/new/connect_four").text
    page = client.get(f"/new/{LOW}").text
    assert 'value="bot:level:3"' in page
    assert 'value="bot:champion"' not in page
    assert load(LOW).champion == {}


def test_a_forgotten_variant_can_be_loaded_again():
    first = load(LOW)
    forget(first)
    again = load(LOW)
    assert again is not first
    assert again.plays == first.plays
