"""Dice nobody can steer: pledges, values and the deal at real tables, also when somebody doesn't answer or the server restarts."""

import asyncio
import json
import re
import time
from dataclasses import replace

import pytest
from starlette.testclient import TestClient

import rulestone
from rulestone.bots import decide
from rulestone.seeds import Parts, pledge, sha256
from rulestone.server import dice
from rulestone.server.app import create_app
from rulestone.server.storage import Conflict, SeatRow, Storage, TableRow
from tests.tables import WHISPER, Person, ask, hear, joined

pytestmark = pytest.mark.usefixtures("interpreted")
A, B, C = "a" * 64, "b" * 64, "c" * 64
SHORT = {"line": 3}


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """Nobody's time runs out on a busy machine, unless a test says so."""
    monkeypatch.setattr(dice, "REVEAL_SECONDS", 600.0)
    monkeypatch.setattr(dice, "GATHER_SECONDS", 600.0)


@pytest.fixture
def hasty(monkeypatch):
    monkeypatch.setattr(dice, "REVEAL_SECONDS", 0.1)
    monkeypatch.setattr(dice, "GATHER_SECONDS", 0.1)


def sit(person, table, seat, value=None):
    return person.post(f"/api/tables/{table}/sit", {"seat": seat, "pledge": pledge(value) if value else ""})


def reveal(person, table, value):
    return person.post(f"/api/tables/{table}/reveal", {"value": value})


def stage(person, table):
    return person.info(table)["dice"]["stage"]


def finish(table, *people):
    for k, column in enumerate((0, 1, 0, 1, 0)):
        assert people[k % len(people)].move(table, column).status_code == 200
    return people[0].get(f"/api/tables/{table}/record").json()


def two(anna, ben, **more):
    """A table with two people who have pledged."""
    table = anna.table(seats=["me", "open"], options=SHORT, pledge=pledge(A), **more)
    sit(ben, table, 1, B)
    return table


def restarted(person):
    person.client.app.state.rooms.close()
    person.client.app.state.rooms.rooms.clear()


def dealt(socket):
    """Wait until the game is dealt."""
    while not (told := hear(socket, "table"))["started"]:
        pass
    return told


# ---- people ---------------------------------------------------------------------------------------------------------------------


def test_the_seed_is_made_of_the_secret_and_of_everybodys_value(anna, ben):
    table = two(anna, ben)
    info = anna.info(table)
    assert info["dice"] == {"stage": "closed", "pledges": [pledge(A), pledge(B)], "revealed": [False, False]}
    assert not info["started"]
    assert anna.move(table, 0).json()["code"] == "not-started"
    assert reveal(anna, table, A).json()["dice"]["revealed"] == [True, False]
    assert reveal(ben, table, B).json()["dice"] == {"stage": "dealt"}
    assert anna.info(table)["started"]
    record = finish(table, anna, ben)
    parts = rulestone.replay(record).parts
    assert (parts.values, parts.pledges) == ((A, B), (pledge(A), pledge(B)))
    assert parts.commitment == info["commitment"]
    assert record["seed"] == parts.seed()


def test_alone_against_bots_one_value_is_enough(anna):
    made = anna.post(
        "/api/tables", {"game": "connect_four", "seats": [{"kind": "me"}, {"kind": "bot", "bot": "random"}], "pledge": pledge(A)}
    )
    assert made.json()["dice"]["pledges"] == [pledge(A), None]
    assert re.fullmatch("[0-9a-f]{64}", made.json()["commitment"])
    assert reveal(anna, made.json()["id"], A).json()["dice"]["stage"] == "dealt"
    assert anna.move(made.json()["id"], 0).status_code == 200


def test_people_who_share_a_browser_have_one_value(anna):
    table = anna.table(seats=["me", "me"], options=SHORT, pledge=pledge(A))
    assert reveal(anna, table, A).json()["dice"]["stage"] == "dealt"
    assert finish(table, anna)["seed_parts"]["values"] == [A, A]


def test_programs_that_know_nothing_of_this_play_at_once(anna, ben):
    table = anna.table(seats=["me", "open"], options=SHORT)
    assert not anna.info(table)["started"]
    assert sit(ben, table, 1).json()["started"]
    record = finish(table, anna, ben)
    assert record["seed_parts"]["values"] == record["seed_parts"]["pledges"] == [None, None]
    assert rulestone.replay(record).parts.says() == ["no part in the seed"] * 2


def test_bots_only_begin_at_once(anna):
    table = anna.table(seats=[{"kind": "bot", "bot": "random"}] * 2)
    assert anna.info(table)["started"]


def test_a_bot_in_the_last_seat_begins_the_game(anna):
    table = anna.table(seats=["me", "open"], options=SHORT, pledge=pledge(A))
    assert stage(anna, table) == "open"
    anna.post(f"/api/tables/{table}/bot", {"seat": 1, "bot": "random"})
    assert stage(anna, table) == "closed"
    reveal(anna, table, A)
    assert anna.move(table, 0).status_code == 200


def test_everything_works_over_the_socket(anna, ben):
    table = anna.table(seats=["me", "open"], options=SHORT, pledge=pledge(A))
    with anna.socket(table) as hers, ben.socket(table) as his:
        assert ask(his, "sit", seat=1, name="Ben", pledge=pledge(B))["t"] == "ok"
        while hear(hers, "table")["dice"]["stage"] != "closed":
            pass
        assert ask(his, "reveal", value=B)["t"] == "ok"
        hers.send_json({"do": "reveal", "id": 7, "value": A})
        assert dealt(hers)["dice"] == {"stage": "dealt"}
        assert hear(hers, "state")["eyes"] == 0


# ---- who doesn't keep to it -------------------------------------------------------------------------------------------------------


def test_a_value_that_never_comes_is_replaced_by_its_pledge(anna, ben, hasty):
    table = anna.table(seats=["me", "open"], options=SHORT, pledge=pledge(A))
    with anna.socket(table) as socket:
        sit(ben, table, 1, B)
        dealt(socket)
    record = finish(table, anna, ben)
    assert record["seed_parts"]["pledges"] == [pledge(A), pledge(B)]
    assert None in record["seed_parts"]["values"]
    assert rulestone.replay(record).over
    assert reveal(ben, table, B).json()["code"] == "too-late"


def test_a_value_must_belong_to_the_pledge_and_to_its_person(anna, ben):
    table = two(anna, ben)
    assert reveal(anna, table, B).json()["code"] == "wrong-value"
    assert reveal(Person(anna.client), table, A).json()["code"] == "not-seated"
    assert stage(anna, table) == "closed"
    for bad in ("", A.upper(), "a" * 63, A + "a", "\0" * 64):
        assert reveal(anna, table, bad).status_code == 422
        assert anna.post("/api/tables", {"game": "connect_four", "seats": [{"kind": "me"}] * 2, "pledge": bad or "x"}).status_code == 422


def test_values_wait_for_all_pledges_and_pledges_come_before_all_values(anna, ben):
    table = anna.table(seats=["me", "open"], pledge=pledge(A))
    assert reveal(anna, table, A).json()["code"] == "too-early"
    assert anna.post(f"/api/tables/{table}/pledge", {"pledge": pledge(C)}).json()["dice"]["pledged"] == [True, False]
    sit(ben, table, 1, B)
    assert anna.info(table)["dice"]["pledges"] == [pledge(C), pledge(B)]
    reveal(anna, table, C)
    assert ben.post(f"/api/tables/{table}/pledge", {"pledge": pledge(A)}).json()["code"] == "too-late"
    assert ben.post(f"/api/tables/{table}/pledge", {"pledge": pledge(B)}).status_code == 200
    for _ in range(2):  # sent twice, it counts once
        assert reveal(ben, table, B).status_code == 200


def test_who_leaves_before_the_game_takes_their_pledge_along(anna, ben):
    table = anna.table(seats=["me", "open", "open"], game="whisper", pledge=pledge(A))
    sit(ben, table, 1, B)
    ben.post(f"/api/tables/{table}/leave", {"seat": 1})
    assert anna.info(table)["dice"]["pledged"] == [True, False, False]
    for seat, other in ((1, Person(anna.client)), (2, Person(anna.client))):
        sit(other, table, seat)
    assert anna.info(table)["dice"]["pledges"] == [pledge(A), None, None]


def test_who_leaves_between_pledge_and_value_gains_nothing(anna, ben):
    table = two(anna, ben)
    ben.post(f"/api/tables/{table}/leave", {"seat": 1})
    assert anna.info(table)["seats"][1]["stand_in"]
    assert anna.info(table)["dice"]["pledges"] == [pledge(A), pledge(B)]
    reveal(anna, table, A)
    assert stage(anna, table) == "closed"
    reveal(ben, table, B)
    assert stage(anna, table) == "dealt"


# ---- restarts and other servers -----------------------------------------------------------------------------------------------------


def test_a_table_continues_after_a_restart_at_any_moment(anna, ben):
    table = anna.table(seats=["me", "open"], options=SHORT, pledge=pledge(A))
    first = anna.info(table)["commitment"]
    steps = [lambda: sit(ben, table, 1, B), lambda: reveal(anna, table, A), lambda: reveal(ben, table, B), lambda: anna.move(table, 0)]
    seen = []
    for step in steps:
        restarted(anna)
        assert step().status_code == 200
        restarted(anna)
        seen.append((stage(anna, table), anna.info(table)["commitment"]))
    assert seen == [(name, first) for name in ("closed", "closed", "dealt", "dealt")]
    assert anna.state(table)["ply"] == 1


def test_a_table_that_was_full_when_the_server_died_is_dealt_afterwards(anna, ben):
    """The seat is stored, but the server was killed before it stored the next stage."""
    table = anna.table(seats=["me", "open"])
    rooms = anna.client.app.state.rooms
    was = rooms.rooms[table].row.seats[1]
    anna.client.portal.call(rooms.storage.set_seat, table, 1, SeatRow("person", "somebody"), was)
    restarted(anna)
    assert anna.info(table)["started"]


def test_a_restart_between_pledge_and_value_does_not_wait_for_ever(url, monkeypatch):
    with TestClient(create_app(url, limits=False)) as client:
        anna = Person(client)
        table = anna.table(seats=["me", {"kind": "bot", "bot": "random"}], pledge=pledge(A))
        assert stage(anna, table) == "closed"
        row = client.portal.call(client.app.state.rooms.storage.table, table)
        late = {**row.dice, "until": time.time() - 1}
        client.portal.call(lambda: client.app.state.rooms.storage.set_table(table, dice=late))
    with TestClient(create_app(url, limits=False)) as client:
        assert Person(client, anna.headers).info(table)["started"]


def test_only_one_server_takes_a_step(tmp_path):
    async def race():
        storage = Storage(f"sqlite:///{tmp_path}/tables.db")
        await storage.open()
        seats = [SeatRow("person", "anna", pledge=pledge(A)), SeatRow("person", "ben", pledge=pledge(B))]
        await storage.add_table(TableRow("t", "connect_four", 1, 2, {}, "s", "", "anna", seats=seats, stage=dice.OPEN))
        await storage.set_stage("t", dice.OPEN, dice.CLOSED, {"pledges": [1]})
        with pytest.raises(Conflict):
            await storage.set_stage("t", dice.OPEN, dice.CLOSED, {"pledges": [2]})
        row = await storage.table("t")
        await storage.close()
        return row

    row = asyncio.run(race())
    assert (row.stage, row.dice) == (dice.CLOSED, {"pledges": [1]})
    assert row.seats[1].pledge == pledge(B)


def test_tables_from_before_keep_their_seed():
    row = TableRow("t", "connect_four", 1, 2, {"line": 4}, "old", "", "anna", seats=[SeatRow("person", "anna"), SeatRow()])
    assert dice.is_dealt(row)
    assert dice.next_stage(row, 0.0) is None
    match = dice.begin(rulestone.load("connect_four"), row)
    assert (match.seed, match.parts, match.commitment) == ("old", None, dice.commitment(row))


# ---- rematches, series, continuing ---------------------------------------------------------------------------------------------------


def test_a_rematch_has_new_parts_and_waits_only_for_those_who_are_there(anna, ben):
    table = two(anna, ben)
    reveal(anna, table, A)
    reveal(ben, table, B)
    finish(table, anna, ben)
    with ben.socket(table) as socket:
        joined(socket)
        again = anna.post(f"/api/tables/{table}/rematch", {"pledge": pledge(C)}).json()
        assert again["dice"] == {"stage": "open", "pledged": [False, True]}
        while (new := hear(socket, "table")["rematch"]) is None:
            pass
        assert ben.post(f"/api/tables/{new}/pledge", {"pledge": pledge(B)}).json()["dice"]["pledges"] == [pledge(B), pledge(C)]
    assert again["commitment"] != anna.info(table)["commitment"]
    reveal(ben, new, B)
    assert reveal(anna, new, C).json()["dice"]["stage"] == "dealt"
    third = finish(new, ben, anna)
    assert third["seed_parts"]["values"] == [B, C]


def test_a_rematch_does_not_wait_for_somebody_who_has_gone(anna, ben):
    table = two(anna, ben)
    reveal(anna, table, A)
    reveal(ben, table, B)
    finish(table, anna, ben)
    again = anna.post(f"/api/tables/{table}/rematch", {"pledge": pledge(C)}).json()
    assert again["dice"]["pledges"] == [None, pledge(C)]
    assert reveal(anna, again["id"], C).json()["dice"]["stage"] == "dealt"


def test_the_second_to_ask_for_a_rematch_brings_their_pledge(anna, ben):
    table = two(anna, ben)
    reveal(anna, table, A)
    reveal(ben, table, B)
    finish(table, anna, ben)
    with anna.socket(table) as hers, ben.socket(table) as his:
        joined(his)
        first = ask(hers, "rematch", pledge=pledge(C))
        second = ask(his, "rematch", pledge=pledge(B))
    assert first["table"] == second["table"]
    assert second["dice"]["pledges"] == [pledge(B), pledge(C)]


def test_a_rematch_goes_on_without_a_browser_that_does_not_answer(anna, ben, hasty):
    table = two(anna, ben)
    with anna.socket(table) as socket:
        dealt(socket) if not anna.info(table)["started"] else None
    finish(table, anna, ben)
    with ben.socket(table) as his:
        joined(his)
        again = anna.post(f"/api/tables/{table}/rematch").json()["id"]
        with anna.socket(again) as socket:
            assert dealt(socket)["started"]


def test_every_game_of_a_series_has_parts_of_its_own(anna):
    table = anna.table(seats=["me", "me"], options=SHORT, series={"length": 2}, pledge=pledge(A))
    reveal(anna, table, A)
    first = finish(table, anna)
    again = anna.post(f"/api/tables/{table}/rematch", {"pledge": pledge(B)}).json()["id"]
    reveal(anna, again, B)
    second = finish(again, anna)
    assert second["seed_parts"]["values"] == [B, B]
    assert first["seed_parts"]["secret"] != second["seed_parts"]["secret"]


def test_continuing_from_a_position_has_parts_too(anna):
    table = anna.table(seats=["me", "me"], options=SHORT)
    finish(table, anna)
    fork = anna.post(f"/api/tables/{table}/fork", {"index": 2, "pledge": pledge(A)}).json()
    assert fork["dice"]["stage"] == "closed"
    assert reveal(anna, fork["id"], A).json()["dice"]["stage"] == "dealt"
    assert anna.state(fork["id"])["ply"] == 2


# ---- bots ---------------------------------------------------------------------------------------------------------------------------


def test_the_record_names_the_bots_and_their_moves_can_be_reproduced(anna):
    table = anna.table(seats=["me", {"kind": "bot", "bot": "random"}], options=SHORT, pledge=pledge(A))
    with anna.socket(table) as socket:
        socket.send_json({"do": "reveal", "id": 7, "value": A})
        while not (state := hear(socket, "state"))["ending"]:
            if state["moves"]:
                ask_move(socket, state)
    match = rulestone.replay(anna.get(f"/api/tables/{table}/record").json())
    assert match.bots == [None if match.mover(index) == 0 else "random" for index in range(match.length)]
    for index in (k for k, bot in enumerate(match.bots) if bot):
        position, seat = match.at(index), match.mover(index)
        assert decide(position.view(seat), match.bots[index], position.bot_seed(seat)).move == match.moves[index]


def ask_move(socket, state):
    socket.send_json({"do": "move", "id": 7, "at": state["at"], "move": state["moves"][0]["action"]})


# ---- nothing leaks --------------------------------------------------------------------------------------------------------------------


def test_nothing_about_the_secret_or_the_values_is_sent_before_the_end(anna, ben):
    table = two(anna, ben)
    reveal(anna, table, A)
    row = anna.client.app.state.rooms.rooms[table].row
    heard = []
    with ben.socket(table) as socket:
        reveal(ben, table, B)
        ask(socket, "ping")
        for column, person in ((0, anna), (1, ben)):
            person.move(table, column)
            heard.append(json.dumps(hear(socket, "state")))
    paths = ("", "/position", "/words", "/frames/0", "/story", "/chat", "/record", "/dice", "/curve")
    heard += [ben.get(f"/api/tables/{table}{path}").text for path in paths] + [
        ben.get(f"/t/{table}").text,
        ben.get(f"/t/{table}/replay").text,
    ]
    seed = anna.client.app.state.rooms.rooms[table].match.seed
    for secret in (row.seed, seed, A, B, sha256(seed)):
        assert not any(secret in text for text in heard)
    assert ben.get(f"/api/tables/{table}/dice").status_code == 403


@pytest.mark.parametrize("name", [*rulestone.games(), "whisper"])
def test_what_is_shown_before_the_deal_is_the_same_whatever_the_secret(name, monkeypatch):
    """Two tables with different secrets, one dealt differently from the other: before the deal they look alike to everybody."""
    game = rulestone.load(WHISPER if name == "whisper" else name)
    looks = []
    for secret in ("one", "another"):
        seats = [SeatRow("person", "anna", pledge=pledge(A)), *[SeatRow() for _ in range(game.max_players - 1)]]
        row = TableRow("t", game.name, 1, game.max_players, game.new(1, game.max_players).options, secret, "", "anna", seats=seats)
        row.stage = dice.OPEN
        open_look = dice.begin(game, row)
        row.seats = [replace(seat, kind="person") for seat in seats]
        dice.go_ahead(row, 0.0)
        assert row.stage == dice.CLOSED
        looks.append([open_look.raw, dice.begin(game, row).raw])
        row.dice, row.stage = {"pledges": [None] * row.players, "values": [None] * row.players}, dice.DEALT
        assert dice.begin(game, row).seed == Parts(secret, (None,) * row.players, (None,) * row.players).seed()
    assert looks[0] == looks[1]


def test_before_the_deal_everybody_sees_what_a_spectator_sees(anna, ben):
    table = anna.table("whisper", seats=["me", "open"], pledge=pledge(A))
    assert anna.state(table) == Person(anna.client).state(table)
    assert anna.state(table)["eyes"] is None
    sit(ben, table, 1)
    reveal(anna, table, A)
    assert anna.state(table)["eyes"] == 0


def test_the_generators_of_a_finished_game_follow_from_its_seed(anna):
    table = anna.table(seats=["me", "me"], options=SHORT)
    record = finish(table, anna)
    told = anna.get(f"/api/tables/{table}/dice").json()["generators"]
    assert told == [f"{rulestone.match.generator(record['seed'], ply):016x}" for ply in range(6)]
