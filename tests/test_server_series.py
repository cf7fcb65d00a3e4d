"""Series at the table: several games with the same people, on SQLite and PostgreSQL."""

import pytest
from starlette.testclient import TestClient

from rulestone.server.app import create_app
from rulestone.server.storage import Storage
from tests.tables import Person, hear

pytestmark = pytest.mark.usefixtures("interpreted")


@pytest.fixture
def url(either):
    return either


@pytest.fixture
def client(tmp_path):
    with TestClient(create_app(f"sqlite:///{tmp_path / 'tables.db'}", pace=0, limits=False)) as client:
        yield client


def sit_down(anna, ben, **series):
    """A series of Connect Four between Anna and Ben, three in line."""
    seats = [{"kind": "me", "name": "Anna"}, "open"]
    table = anna.table(seats=seats, options={"line": 3}, series=series)
    ben.post(f"/api/tables/{table}/sit", {"seat": 1, "name": "Ben"})
    return table


def first_seat_wins(table, *people):
    """Whoever sits in the first seat wins."""
    people = sorted(people, key=lambda person: not person.info(table)["seats"][0]["mine"])
    for k, column in enumerate((0, 1, 0, 1, 0)):
        assert people[k % 2].move(table, column).status_code == 200


def next_game(person, table):
    return person.post(f"/api/tables/{table}/rematch").json()["id"]


def test_a_series_keeps_score_over_games_and_restarts(url):
    with TestClient(create_app(url, pace=0, limits=False)) as client:
        anna, ben = Person(client), Person(client)
        first = sit_down(anna, ben, length=3)
        told = ben.info(first)["series"]
        assert (told["game"], told["terms"], told["points"], told["over"]) == (1, "Best of 3", [0, 0], False)
        first_seat_wins(first, anna, ben)
        told = ben.info(first)["series"]
        assert (told["points"], told["won"], told["over"], told["result"]) == ([1, 0], [1, 0], False, None)
        second = next_game(ben, first)
        assert next_game(anna, first) == second
    with TestClient(create_app(url, pace=0, limits=False)) as client:  # restarted
        anna, ben = Person(client, anna.headers), Person(client, ben.headers)
        told = anna.info(second)
        assert [seat["name"] for seat in told["seats"]] == ["Ben", "Anna"]
        assert (told["series"]["game"], told["series"]["points"]) == (2, [0, 1])
        first_seat_wins(second, anna, ben)
        assert anna.info(second)["series"]["points"] == [1, 1]
        third = next_game(anna, second)
        first_seat_wins(third, anna, ben)
        told = ben.info(third)["series"]
        assert (told["over"], told["points"], told["result"]) == (True, [2, 1], "Anna wins the series 2 : 1.")
    with TestClient(create_app(url, pace=0, limits=False)) as client:
        told = Person(client, ben.headers).get(f"/api/series/{told['id']}").json()
        assert [game["table"] for game in told["games"]] == [first, second, third]
        assert [game["points"] for game in told["games"]] == [[1, 0], [0, 1], [1, 0]]
        assert [game["totals"] for game in told["games"]] == [[1, 0], [1, 1], [2, 1]]
        assert [(player["name"], player["total"], player["mine"]) for player in told["players"]] == [("Anna", 2, False), ("Ben", 1, True)]
        assert told["result"] == "Anna wins the series 2 : 1."


def test_the_next_game_is_created_once_by_two_servers(url):
    with TestClient(create_app(url, pace=0, limits=False)) as one, TestClient(create_app(url, pace=0, limits=False)) as two:
        anna, ben = Person(one), Person(one)
        table = sit_down(anna, ben, length=3)
        first_seat_wins(table, anna, ben)
        elsewhere = Person(two, ben.headers)
        elsewhere.info(table)  # in memory there, before the next game exists
        again = next_game(anna, table)
        assert next_game(elsewhere, table) == again
        assert len(anna.get(f"/api/series/{anna.info(table)['series']['id']}").json()["games"]) == 2


def test_after_a_series_a_rematch_begins_a_new_one(anna, ben):
    table = sit_down(anna, ben, target=1)
    first_seat_wins(table, anna, ben)
    told = anna.info(table)["series"]
    assert (told["over"], told["terms"], told["result"]) == (True, "First to 1 point", "Anna wins the series 1 : 0.")
    fresh = anna.info(next_game(anna, table))["series"]
    assert fresh["id"] != told["id"]
    assert (fresh["game"], fresh["points"], fresh["terms"]) == (1, [0, 0], "First to 1 point")


def test_points_of_the_games_own_are_added_up_and_seats_change_as_it_says(anna, monkeypatch):
    rules = anna.client.app.state.rooms.games["connect_four"].rules
    monkeypatch.setattr(rules, "points", lambda s, player: 7 + player, raising=False)
    monkeypatch.setattr(rules, "next_seats", lambda players: range(players), raising=False)
    assert anna.get("/api/games/connect_four").json()["series"] == {"points": True, "target": 3}
    table = anna.table(options={"line": 3}, series={"target": 15})
    for expected in ([7, 8], [14, 16]):
        first_seat_wins(table, anna, anna)
        told = anna.info(table)["series"]
        assert told["points"] == expected
        table, last = next_game(anna, table), table
    assert anna.info(last)["series"]["over"]
    assert anna.info(last)["series"]["result"] == "Blue wins the series 16 : 14."


def test_the_games_of_a_series_have_independent_seeds(anna, ben):
    """The seed of a finished game is public, so it must say nothing about the next one."""
    table = sit_down(anna, ben, length=3)
    first_seat_wins(table, anna, ben)
    again = next_game(anna, table)
    seed = anna.info(table)["seed"]
    rooms = anna.client.app.state.rooms.rooms
    assert seed == rooms[table].match.seed
    assert not {seed, rooms[table].row.seed} & {rooms[again].match.seed, rooms[again].row.seed}
    assert anna.info(again)["seed"] is None


def test_everybody_hears_of_the_next_game(anna, ben):
    table = sit_down(anna, ben, length=3)
    first_seat_wins(table, anna, ben)
    with ben.socket(table) as socket:
        hear(socket, "state")
        again = next_game(anna, table)
        assert hear(socket, "table")["rematch"] == again


def test_a_series_page_lists_the_games(anna, ben, client):
    table = sit_down(anna, ben, length=3)
    first_seat_wins(table, anna, ben)
    again = next_game(anna, table)
    series = anna.info(table)["series"]["id"]
    page = anna.get(f"/series/{series}")
    assert page.status_code == 200
    for words in ("best of 3", f'href="/t/{table}/replay"', f'href="/t/{again}"', "Anna", "Ben"):
        assert words in page.text
    assert client.get("/series/nothing").status_code == 404
    assert anna.get("/api/series/nothing").json()["code"] == "no-such-series"


def test_a_private_series_is_for_its_players_only(anna, ben):
    table = anna.table(seats=["me", "open"], spectators=False, series={"length": 3})
    ben.post(f"/api/tables/{table}/sit", {"seat": 1})
    series = anna.info(table)["series"]["id"]
    stranger = Person(anna.client)
    assert ben.get(f"/api/series/{series}").status_code == 200
    assert stranger.get(f"/api/series/{series}").json()["code"] == "private"
    assert stranger.get(f"/series/{series}").status_code == 403


@pytest.mark.parametrize("series", [{}, {"target": 3, "length": 3}, {"target": 0}, {"length": 1}, {"length": 100}, {"games": 3}])
def test_a_series_that_makes_no_sense_is_refused(anna, series):
    answer = anna.post("/api/tables", {"game": "connect_four", "seats": [{"kind": "me"}] * 2, "series": series})
    assert answer.status_code == 422
    assert answer.json()["text"].startswith("series")


def test_a_game_that_is_not_in_a_series_says_so(anna):
    assert anna.info(anna.table())["series"] is None


def test_a_database_from_before_series_keeps_its_tables(url):
    import asyncio

    from sqlalchemy import text

    from rulestone.server.storage import _migrate

    async def upgraded():
        storage = Storage(url)
        async with storage.engine.begin() as connection:
            for statement in ("DROP SCHEMA public CASCADE", "CREATE SCHEMA public") if "postgres" in url else ():
                await connection.execute(text(statement))
            await connection.run_sync(_migrate, "0007")
            names = "id, game, rules, players, options, seed, name, host, listed, spectators, clock, status, revision, created, updated"
            values = "'t', 'connect_four', 1, 2, '{}', 's', '', 'h', 0, 1, '{}', 'running', 0, 1, 1"
            await connection.execute(text(f"INSERT INTO tables ({names}) VALUES ({values})"))
            await connection.execute(
                text("INSERT INTO seats (table_id, seat, kind, guest, name, bot, stand_in) VALUES ('t', 0, 'person', 'h', 'Anna', '', 0)")
            )
            await connection.execute(text("INSERT INTO chat (table_id, name, text, made) VALUES ('t', 'Anna', 'Hello', 1)"))
        try:
            await storage.open()
            return await storage.table("t"), await storage.chat_of("t", apart=False)
        finally:
            await storage.close()

    row, lines = asyncio.run(upgraded())
    assert (row.series, row.number, row.points, row.hushed, row.seats[0].name) == (None, None, None, False, "Anna")
    assert [(line.text, line.apart, line.guest) for line in lines] == [("Hello", False, "")]
