"""A table knows by which rules it is played: other rules never replay it, and its record can still be downloaded."""

import asyncio
import contextlib
import io
import json
import shutil
import zipfile

import pytest
from sqlalchemy import text, update
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from typer.testing import CliRunner

import rulestone
from rulestone.cli import app as cli
from rulestone.match import replay
from rulestone.server.app import create_app
from rulestone.server.storage import Storage, tables
from rulestone.server.storage import _migrate as migrate
from tests.conftest import ROOT
from tests.tables import Person

GAME = ROOT / "src" / "rulestone" / "games" / "connect_four"
DRAW, EARLIER = "    elif grid_is_full(s):\n", "    elif s.ply > 5:\n"
WON = (0, 1, 0, 1, 0, 1, 0)


@pytest.fixture(autouse=True)
def quick(interpreted):
    pass


@pytest.fixture
def four(tmp_path):
    """A designer's game in its folder."""
    folder = tmp_path / "four"
    shutil.copytree(GAME, folder)
    return folder


def edit(four, old=DRAW, new=EARLIER, file="rules.py"):
    source = (four / file).read_text()
    assert old in source
    (four / file).write_text(source.replace(old, new, 1))


@contextlib.contextmanager
def serving(url, four, person=None):
    """A server, and a person who plays there."""
    with TestClient(create_app(url, games=[four], pace=0, limits=False)) as client:
        yield Person(client, person and person.headers)


def play(person, moves=WON, **more):
    table = person.table("four", **more)
    for column in moves:
        assert person.move(table, column).status_code == 200
    return table


def says_so(answer):
    return (answer.status_code, answer.json()["code"]) == (409, "other-rules")


def test_a_changed_rule_is_never_used_to_replay_a_table(either, four):
    with serving(either, four) as anna:
        over, running = play(anna), play(anna, WON[:3])
        before = anna.get(f"/api/tables/{over}/record").json()
        old = rulestone.load(four)
    edit(four)
    with serving(either, four, anna) as anna:
        for table in (over, running):
            assert says_so(anna.get(f"/api/tables/{table}"))
            assert says_so(anna.move(table, 3, at="0.0"))
            page = anna.get(f"/t/{table}")
            assert page.status_code == 409
            assert "played by other rules" in page.text
            assert "have been changed since then" in page.text
            assert (f"/api/tables/{table}/record" in page.text) is (table == over)
            with pytest.raises(WebSocketDisconnect) as closed, anna.socket(table) as socket:
                socket.receive_json()
            assert closed.value.code == 4404
        assert anna.get(f"/t/{over}/preview.png").status_code == 200
        assert anna.get("/").status_code == 200
        record = anna.get(f"/api/tables/{over}/record").json()
        assert says_so(anna.get(f"/api/tables/{running}/record"))
        kept = ("game", "rules", "plays", "players", "options", "seed", "commitment", "seed_parts", "bots")
        assert {name: record[name] for name in kept} == {name: before[name] for name in kept}
        assert play(anna)  # new tables are played by the new rules
    again = replay(record, old)
    assert (again.over, [str(move) for move in again.moves], again.payoff) == (True, before["moves"], tuple(before["payoff"]))


def test_putting_the_old_rules_back_opens_the_tables_again(either, four):
    with serving(either, four) as anna:
        running = play(anna, WON[:3])
    edit(four)
    with serving(either, four, anna) as anna:
        assert says_so(anna.get(f"/api/tables/{running}"))
        anna.get("/")
    edit(four, EARLIER, DRAW)
    with serving(either, four, anna) as anna:
        assert anna.state(running)["ply"] == 3


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("words.py", "def ", "# the same in other words\ndef "),
        ("scene.py", "def ", "# another picture\ndef "),
        ("rules.py", DRAW, "    # a comment\n" + DRAW),
        ("rules.py", 'drops="', 'drops="In other words: '),
    ],
)
def test_other_words_and_pictures_are_the_same_rules(url, four, file, old, new):
    if not (four / file).exists():
        (four / file).write_text("def word():\n    pass\n")
    with serving(url, four) as anna:
        running = play(anna, WON[:3])
    edit(four, old, new)
    with serving(url, four, anna) as anna:
        assert anna.state(running)["ply"] == 3


def test_a_raised_version_says_which_one_it_was(url, four):
    edit(four, "ABOUT = About(", "ABOUT = About(version=1, ")
    with serving(url, four) as anna:
        over = play(anna)
    edit(four, "version=1", "version=2")
    with serving(url, four, anna) as anna:
        assert "It was played by version 1 of the rules of Connect Four, but version 2 is installed." in anna.get(f"/t/{over}").text


def test_a_private_table_of_other_rules_is_still_private(url, four):
    with serving(url, four) as anna:
        over = play(anna, spectators=False)
    edit(four)
    with serving(url, four, anna) as anna:
        stranger = Person(anna.client)
        for path in (f"/api/tables/{over}", f"/api/tables/{over}/record", f"/embed/{over}"):
            assert stranger.get(path).status_code == 403
        assert "private" in stranger.get(f"/t/{over}").text
        assert anna.get(f"/api/tables/{over}/record").status_code == 200


def test_the_list_of_tables_shows_nobody_waiting_at_a_table_of_other_rules(either, four):
    with serving(either, four) as anna:
        running = play(anna, WON[:3])
        anna.client.app.state.rooms.rooms[running].go_on()
        assert "Your turn" in anna.get("/").text
    edit(four)
    with serving(either, four, anna) as anna:
        page = anna.get("/").text
        assert running in page
        assert "Your turn" not in page
        assert "Other rules" in page


def test_how_a_game_ended_other_than_by_its_rules_is_in_the_record(either, four):
    with serving(either, four) as anna:
        ben = Person(anna.client)
        over = anna.table("four", ["me", "open"])
        ben.post(f"/api/tables/{over}/sit", {"seat": 1, "name": "Ben"})
        anna.move(over, 3)
        assert ben.post(f"/api/tables/{over}/resign", {"seat": 1}).status_code == 200
        before, old = anna.get(f"/api/tables/{over}/record").json(), rulestone.load(four)
    edit(four)
    with serving(either, four, anna) as anna:
        record = anna.get(f"/api/tables/{over}/record").json()
    assert record["ended"] == before["ended"] == {"resigned": [1]}
    assert replay(record, old).payoff == (1.0, -1.0)


def test_a_series_with_a_game_of_other_rules_says_so(either, four):
    with serving(either, four) as anna:
        first = play(anna, series={"length": 3})
        second = anna.post(f"/api/tables/{first}/rematch").json()["id"]
        series = anna.info(first)["series"]["id"]
    edit(four)
    with serving(either, four, anna) as anna:
        assert says_so(anna.get(f"/api/tables/{second}"))
        answer = anna.get(f"/series/{series}")
        assert answer.status_code == 409
        assert "played by other rules" in answer.text


def test_the_games_of_a_person_include_those_of_other_rules(either, four):
    with serving(either, four) as anna:
        over = play(anna)
        play(anna, WON[:3])
        old = rulestone.load(four)
    edit(four)
    with serving(either, four, anna) as anna:
        packed = zipfile.ZipFile(io.BytesIO(anna.get("/api/me/games.zip").content))
    listed = json.loads(packed.read("games.json"))
    assert listed["left_out"] == 1
    assert [(game["table"], "have been changed" in game["other_rules"]) for game in listed["games"]] == [(over, True)]
    assert replay(json.loads(packed.read(listed["games"][0]["file"])), old).over


def test_a_check_of_the_database_lists_tables_of_other_rules(either, four, tmp_path):
    with serving(either, four) as anna:
        over = play(anna)
    edit(four)
    done = CliRunner().invoke(cli, ["db", "check", "--db", either, "--game", str(four)])
    assert done.exit_code == 0, done.output
    assert f"table {over}: the rules of Connect Four have been changed since then" in " ".join(done.output.split())
    assert "0 problems" in done.output


def test_a_record_of_other_rules_is_verified_without_a_result(url, four, tmp_path):
    with serving(url, four) as anna:
        over = play(anna)
    shutil.copytree(four, tmp_path / "old" / "four")
    edit(four)
    with serving(url, four, anna) as anna:
        (tmp_path / "record.json").write_text(anna.get(f"/api/tables/{over}/record").text)
    done = CliRunner().invoke(cli, ["verify", str(tmp_path / "record.json"), "--game", str(tmp_path / "old" / "four")])
    assert done.exit_code == 0, done.output
    assert "doesn't say where its moves lead" in done.output


def test_tables_older_than_fingerprints_are_known_by_their_version_only(either, four):
    with serving(either, four) as anna:
        running = play(anna, WON[:3])

    async def forget():
        storage = Storage(either)
        await storage.open()
        async with storage.writing.begin() as connection:
            await connection.execute(update(tables).values(plays=None))
        await storage.close()

    asyncio.run(forget())
    edit(four)
    with serving(either, four, anna) as anna:
        assert anna.state(running)["ply"] == 3


def test_a_database_from_before_fingerprints_keeps_its_tables(either):
    async def upgraded():
        storage = Storage(either)
        async with storage.engine.begin() as connection:
            await connection.run_sync(migrate, "0011")
            columns = "id, game, rules, players, options, seed, name, host, listed, spectators, clock, status, revision, created, updated"
            values = "'t', 'connect_four', 1, 2, '{}', '1', '', 'host', 0, 1, '{}', 'running', 0, 0, 0"
            await connection.execute(text(f"INSERT INTO tables ({columns}) VALUES ({values})"))
        await storage.open()
        row = await storage.table("t")
        await storage.close()
        return row

    row = asyncio.run(upgraded())
    assert (row.game, row.plays) == ("connect_four", None)
