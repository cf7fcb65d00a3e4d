"""Looking after a database: `rulestone db`, how long tables are kept, and taking one's games along."""

import asyncio
import contextlib
import gzip
import io
import json
import os
import shutil
import sqlite3
import subprocess
import time
import zipfile
from types import SimpleNamespace

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

import rulestone
from rulestone.cli import app as cli
from rulestone.server import retention, schema, upkeep
from rulestone.server.app import Extras, create_app
from rulestone.server.retention import Keep, Pruned, span
from rulestone.server.storage import Line, Storage, metadata
from tests.tables import WHISPER, Person

DAY = retention.DAY


@pytest.fixture(autouse=True)
def quick(interpreted):
    pass


def file_of(url):
    return url.removeprefix("sqlite:///")


def db(*arguments):
    return CliRunner().invoke(cli, ["db", *map(str, arguments)])


def refused(*arguments):
    """The sentence with which a command refuses."""
    done = db(*arguments)
    assert isinstance(done.exception, ValueError), done.output
    return str(done.exception)


@contextlib.contextmanager
def serving(url, extras=None):
    with TestClient(create_app(url, games=[WHISPER], pace=0, limits=False, extras=extras)) as client:
        yield client


def play_to_the_end(person, table):
    """Drop discs into the first column, then the second: player 0 wins in seven moves."""
    for move in (0, 1, 0, 1, 0, 1, 0):
        assert person.move(table, move).status_code == 200


def some_games(url):
    """A finished game, a running one and a hidden one. Returns a person and their tables."""
    with serving(url) as client:
        anna = Person(client)
        anna.guest = client.app.state.guests.of(client.build_request("GET", "/", headers=anna.headers).headers)
        finished, running, hidden = anna.table(), anna.table(), anna.table("whisper")
        play_to_the_end(anna, finished)
        anna.move(running, 3)
        anna.post(f"/api/tables/{finished}/chat", {"text": "Well played", "name": "Anna"})
        return anna, finished, running, hidden


async def rows_in(url):
    """Everything in a database, table by table."""
    engine = schema.patient(schema.address(url))
    try:
        async with engine.connect() as connection:
            return {name: sorted(map(str, await connection.execute(table.select()))) for name, table in metadata.tables.items()}
    finally:
        await engine.dispose()


def contents(url):
    return asyncio.run(rows_in(url))


# ---- upgrade and check ----------------------------------------------------------------------------------------------------


def test_upgrade_creates_a_database_and_check_finds_nothing_wrong_with_it(either):
    assert "up to date" in db("upgrade", "--db", either).output
    done = db("check", "--db", either)
    assert (done.exit_code, done.output) == (0, "0 tables, 0 problems, 0 that can't be replayed here.\n")


def test_check_replays_every_table_and_lists_games_that_are_not_installed(either):
    *_, hidden = some_games(either)
    done = db("check", "--db", either)
    assert done.exit_code == 0
    assert f"table {hidden}: its game, whisper, isn't installed" in done.output
    assert "3 tables, 0 problems, 1 that can't be replayed here." in done.output
    assert "3 tables, 0 problems, 0 that" in db("check", "--db", either, "--game", WHISPER).output


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ("DELETE FROM moves WHERE ply = 3 AND table_id = '{0}'", "table {0}: move 3 is missing"),
        ("DELETE FROM moves WHERE ply = 0 AND table_id = '{0}'", "table {0}: its first move is stored as move 1"),
        ("UPDATE moves SET action = 99 WHERE ply = 2 AND table_id = '{0}'", "table {0}: its moves can't be replayed"),
        ("DELETE FROM seats WHERE seat = 1 AND table_id = '{1}'", "table {1}: it has 1 seats for 2 players"),
        ("UPDATE seats SET kind = 'ghost' WHERE table_id = '{1}'", "table {1}: seat 0 is of the unknown kind 'ghost'"),
        ("UPDATE seats SET kind = 'bot' WHERE table_id = '{1}'", "table {1}: seat 0 is played by a bot without a name"),
        ("UPDATE tables SET status = 'over' WHERE id = '{1}'", "table {1}: its game is not over, but it is stored as over"),
        ("UPDATE tables SET status = 'running' WHERE id = '{0}'", "table {0}: its game is over, but it is stored as running"),
        ("UPDATE moves SET table_id = 'nowhere' WHERE table_id = '{1}'", "a row of moves belongs to no row of tables"),
    ],
)  # fmt: skip
def test_check_finds_what_is_wrong(damage, said, url):
    _, finished, running, _ = some_games(url)
    with contextlib.closing(sqlite3.connect(file_of(url))) as file:
        file.execute(damage.format(finished, running))
        file.commit()
    done = db("check", "--db", url, "--game", WHISPER)
    assert said.format(finished, running) in done.output
    assert done.exit_code == 1


def test_a_database_of_another_version_is_left_alone(url, tmp_path):
    db("upgrade", "--db", url)
    with contextlib.closing(sqlite3.connect(file_of(url))) as file:
        file.execute("UPDATE alembic_version SET version_num = '9999'")
        file.commit()
    assert "it has schema 9999, but this version needs" in refused("check", "--db", url)
    assert "newer version of Rulestone" in refused("upgrade", "--db", url)
    missing = tmp_path / "no" / "such.db"
    assert refused("check", "--db", f"sqlite:///{missing}") == f"there is no database {missing}"
    assert not missing.parent.exists()


def test_servers_that_start_together_upgrade_one_after_the_other(postgres_url):
    async def start():
        storages = [Storage(postgres_url) for _ in range(4)]
        try:
            await asyncio.gather(*(storage.open() for storage in storages))
        finally:
            await asyncio.gather(*(storage.close() for storage in storages))

    asyncio.run(start())
    assert db("check", "--db", postgres_url).exit_code == 0


# ---- backup and restore ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("portable", [False, True], ids=["own", "portable"])
def test_a_backup_taken_while_people_play_is_restored_byte_for_byte(either, portable, tmp_path):
    some_games(either)
    before, file = contents(either), tmp_path / "a.backup"
    with serving(either) as client:  # in use
        anna = Person(client)
        assert db("backup", file, "--db", either, *["--portable"] * portable).exit_code == 0
        later = anna.table()
    assert os.stat(file).st_mode & 0o777 == 0o600
    assert list(tmp_path.glob(".*.part")) == []
    assert "isn't empty" in refused("restore", file, "--db", either)
    assert any(later in row for row in contents(either)["tables"])
    done = db("restore", file, "--db", either, "--force")
    assert done.exit_code == 0, done.exception
    assert contents(either) == before
    with serving(either) as client:  # the chat's next number is free
        anna = Person(client)
        assert anna.post(f"/api/tables/{anna.table()}/chat", {"text": "Hello", "name": "Anna"}).status_code == 204


def test_games_move_from_a_file_to_postgresql(url, postgres_url, tmp_path):
    anna, _, running, _ = some_games(url)
    file = tmp_path / "games.backup"
    assert "a portable copy" in db("backup", file, "--db", url, "--portable").output
    assert db("restore", file, "--db", postgres_url).exit_code == 0
    assert contents(postgres_url) == contents(url)
    with serving(postgres_url) as client:  # the same token is still the same person
        assert Person(client, anna.headers).move(running, 3).status_code == 200


def test_a_portable_copy_of_an_older_version_is_brought_up_to_date(url, tmp_path):
    some_games(url)
    file, older = tmp_path / "new.backup", tmp_path / "old.backup"
    db("backup", file, "--db", url, "--portable")
    lines = [json.loads(line) for line in gzip.decompress(file.read_bytes()).splitlines()]
    new = {"series", "number", "terms", "points", "hushed"}  # came with 0008
    for line in lines:
        if line.get("table") == "tables":
            at = [k for k, name in enumerate(line["columns"]) if name in new]
            line["columns"] = [name for name in line["columns"] if name not in new]
            line["rows"] = [[value for k, value in enumerate(row) if k not in at] for row in line["rows"]]
    lines[0]["schema"] = "0007"
    keep = [line for line in lines if line.get("table") in (None, "tables", "settings")]
    keep[-1]["end"] = {name: count for name, count in keep[-1]["end"].items() if name in ("tables", "settings")}
    older.write_bytes(gzip.compress("".join(json.dumps(line) + "\n" for line in keep).encode()))
    target = f"sqlite:///{tmp_path / 'other.db'}"
    assert db("restore", older, "--db", target).exit_code == 0
    assert len(contents(target)["tables"]) == 3
    assert "up to date" in db("upgrade", "--db", target).output


def test_a_damaged_copy_is_refused_and_nothing_is_lost(url, tmp_path):
    some_games(url)
    before, whole = contents(url), tmp_path / "whole"
    db("backup", whole, "--db", url, "--portable")
    lines = gzip.decompress(whole.read_bytes()).splitlines(keepends=True)
    for name, data, said in (
        ("short", whole.read_bytes()[:-40], "is damaged"),
        ("early", gzip.compress(b"".join(lines[:-1])), "it ends too early"),
        ("foreign", b"hello", "isn't a backup of Rulestone"),
        ("other", gzip.compress(b"{}\n"), "isn't a backup of Rulestone"),
        ("archive", b"PGDMP.....", "is for another kind of database"),
    ):
        (tmp_path / name).write_bytes(data)
        assert said in refused("restore", tmp_path / name, "--db", url, "--force")
    assert contents(url) == before
    assert "exists already" in refused("backup", whole, "--db", url)


def test_without_pg_dump_a_portable_copy_is_made(postgres_url, tmp_path, monkeypatch):
    some_games(postgres_url)
    real = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "pg_dump" else real(name))
    assert "a portable copy" in db("backup", tmp_path / "copy", "--db", postgres_url).output


def test_the_password_of_a_database_is_not_on_the_command_line(monkeypatch):
    ran = []
    done = SimpleNamespace(returncode=0)
    monkeypatch.setattr(subprocess, "run", lambda command, **more: ran.append((command, more)) or done)
    upkeep._run_postgres(["pg_dump"], schema.address("postgresql://me:hunter2@db/x?ssl=require"))
    assert ran[0][0] == ["pg_dump", "--dbname=postgresql://me@db/x?sslmode=require"]
    assert ran[0][1]["env"]["PGPASSWORD"] == "hunter2"


# ---- how long tables are kept ---------------------------------------------------------------------------------------------


def test_times_are_read_and_nonsense_is_refused():
    assert (span("90d"), span("1y"), span("forever")) == (90 * DAY, 365 * DAY, None)
    for text in ("", "0d", "-1d", "90", "1h", "1.5d", "ever"):
        with pytest.raises(ValueError, match="90d, 12w or 1y"):
            span(text)
    assert "for ever" in refused("prune")


def age(url, days, *ids):
    """Make tables look as if nobody had touched them for some days."""

    async def work():
        engine = schema.patient(schema.address(url))
        async with engine.begin() as connection:
            for id in ids:
                changed = metadata.tables["tables"].update().where(metadata.tables["tables"].c.id == id)
                await connection.execute(changed.values(updated=time.time() - days * DAY))
        await engine.dispose()

    asyncio.run(work())


def test_old_tables_go_with_everything_that_belongs_to_them_and_others_stay(either):
    _, finished, running, hidden = some_games(either)
    age(either, 100, finished, running)
    options = ["--db", either, "--keep-finished", "90d", "--keep-unfinished", "1y"]
    assert db("prune", *options, "--dry-run").output == "1 finished and 0 unfinished tables would be deleted.\n"
    assert len(contents(either)["tables"]) == 3
    assert db("prune", *options).output == "1 finished and 0 unfinished tables were deleted.\n"
    left = contents(either)
    assert not any(finished in row for rows in left.values() for row in rows)
    assert {id for id in (running, hidden) if any(id in row for row in left["moves"] + left["tables"])} == {running, hidden}
    assert db("prune", "--db", either, "--keep-unfinished", "12w").output == "0 finished and 1 unfinished tables were deleted.\n"
    assert db("check", "--db", either, "--game", WHISPER).exit_code == 0


def test_the_games_of_a_series_go_together(url):
    with serving(url) as client:
        anna = Person(client)
        first = anna.table(series={"length": 3})
        play_to_the_end(anna, first)
        second = anna.post(f"/api/tables/{first}/rematch").json()["id"]
    age(url, 100, first)
    assert "0 finished" in db("prune", "--db", url, "--keep-finished", "90d").output
    age(url, 400, second)
    assert "0 finished and 0 unfinished" in db("prune", "--db", url, "--keep-finished", "90d").output  # one is running
    assert "1 finished and 1 unfinished" in db("prune", "--db", url, "--keep-finished", "90d", "--keep-unfinished", "1y").output


def test_of_several_servers_one_deletes_old_tables_once_a_day(either):
    db("upgrade", "--db", either)

    async def ask(now, count=6):
        engines = [schema.patient(schema.address(either)) for _ in range(count)]
        try:
            return [await retention.my_turn(engine, now) for engine in engines]
        finally:
            await asyncio.gather(*(engine.dispose() for engine in engines))

    assert sum(asyncio.run(ask(1_000_000))) == 1
    assert sum(asyncio.run(ask(1_000_000 + DAY / 2))) == 0
    assert sum(asyncio.run(ask(1_000_000 + 2 * DAY))) == 1


def test_a_server_deletes_old_tables_by_itself_but_none_that_is_open(url, monkeypatch):
    _, finished, running, _ = some_games(url)
    age(url, 100, finished, running)
    pruned = []

    async def prune(engine, keep, *, spare=(), dry=False, now=None, real=retention.prune):
        pruned.append(await real(engine, keep, spare=[running]))
        return pruned[-1]

    monkeypatch.setattr(retention, "prune", prune)
    with serving(url, Extras(keep=Keep(90 * DAY, 90 * DAY))) as client:
        while not pruned:
            client.get("/healthz")
        assert client.get(f"/t/{finished}").status_code == 404
        assert client.get(f"/t/{running}").status_code == 200
    assert pruned == [Pruned(finished=1)]


# ---- taking one's games along ---------------------------------------------------------------------------------------------


def unpacked(data):
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        return {name: file.read(name).decode() for name in file.namelist()}


def test_a_person_takes_their_finished_games_along_and_nothing_hidden_leaves(url):
    with serving(url) as client:
        anna, ben = Person(client), Person(client)
        finished, running, hidden = anna.table(), anna.table(), anna.table("whisper")
        play_to_the_end(anna, finished)
        others = ben.table()
        play_to_the_end(ben, others)
        answer = anna.get("/api/me/games.zip")
        single = anna.get(f"/api/tables/{finished}/record").json()
        rows = {id: client.portal.call(client.app.state.rooms.storage.table, id) for id in (finished, running, hidden, others)}
        assert client.get("/api/me/games.zip").status_code == 401
    assert answer.headers["content-type"] == "application/zip"
    files = unpacked(answer.content)
    games = json.loads(files["games.json"])
    assert [game["table"] for game in games["games"]] == [finished]
    assert games["left_out"] == 2
    assert [seat["you"] for seat in games["games"][0]["seats"]] == [True, True]
    record = json.loads(files[games["games"][0]["file"]])
    assert rulestone.replay(record).over
    assert record == single
    text = "".join(files.values())
    assert rows[finished].seed in text
    for id in (running, hidden, others):
        assert rows[id].seed not in text
        assert id not in text


def test_an_operator_exports_the_games_of_a_table_or_a_person(url, tmp_path):
    anna, finished, running, _ = some_games(url)
    out = tmp_path / "one.zip"
    assert "1 finished game in" in db("export", "--db", url, "--table", finished, "--out", out).output
    assert len(unpacked(out.read_bytes())) == 2
    assert "exists already" in refused("export", "--db", url, "--table", finished, "--out", out)
    empty = tmp_path / "none.zip"
    assert "0 finished games in" in db("export", "--db", url, "--table", running, "--out", empty).output
    all_of_them = tmp_path / "all.zip"
    assert "1 finished game in" in db("export", "--db", url, "--guest", anna.guest[:10], "--out", all_of_them).output
    assert json.loads(unpacked(all_of_them.read_bytes())["games.json"])["games"][0]["seats"][0]["you"]
    for arguments, said in (
        ([], "--table ID or --guest HASH"),
        (["--table", "a", "--guest", "b"], "--table ID or --guest HASH"),
        (["--table", "nosuchtable"], "there is no table 'nosuchtable'"),
        (["--guest", "ab"], "at least 8 characters"),
        (["--guest", "0123456789"], "nobody has the hash"),
    ):
        assert said in refused("export", "--db", url, "--out", tmp_path / "x.zip", *arguments)
    assert not (tmp_path / "x.zip").exists()


def test_my_games_offers_the_download_once_a_game_is_over(url):
    with serving(url) as client:
        anna = Person(client)
        table = anna.table()
        assert "games.zip" not in anna.get("/my/games").text
        play_to_the_end(anna, table)
        assert 'href="/api/me/games.zip"' in anna.get("/my/games").text
        assert 'href="/api/me/games.zip"' in anna.get("/my/devices").text


def test_chat_of_others_is_not_exported(url):
    with serving(url) as client:
        anna = Person(client)
        table = anna.table()
        client.portal.call(client.app.state.rooms.storage.add_chat, table, Line("Somebody", None, "a private word"))
        play_to_the_end(anna, table)
        assert b"private word" not in "".join(unpacked(anna.get("/api/me/games.zip").content).values()).encode()
