"""A table where people and bots decide at the same time."""

import time

import pytest
from starlette.testclient import TestClient

from rulestone.server.app import create_app
from tests.tables import ask, hear
from tests.test_together import LUCK, RPS

pytestmark = pytest.mark.usefixtures("interpreted")


@pytest.fixture
def client(url):
    with TestClient(create_app(url, games=[RPS, LUCK], pace=0, limits=False)) as client:
        yield client


def table_of_two(anna, ben, game="rps", **more):
    table = anna.table(game, ["me", "open"], **more)
    assert ben.post(f"/api/tables/{table}/sit", {"seat": 1}).status_code == 200
    return table


def test_players_decide_at_the_same_time_in_any_order(anna, ben):
    table = table_of_two(anna, ben)
    first, second = anna.state(table), ben.state(table)
    assert first["deciders"] == second["deciders"] == [0, 1]
    assert list(anna.get(f"/api/tables/{table}/position").json()["fields"]) == ["hand", "score", "round"]
    assert (first["to_move"], second["to_move"]) == (0, 1)
    assert len(first["moves"]) == len(second["moves"]) == 3
    assert ben.move(table, "show Rock", second["at"]).status_code == 200
    assert ben.state(table)["prompt"] == "You’re ready. Waiting for Red…"
    assert ben.state(table)["moves"] == []
    assert ben.move(table, "show Rock").json()["text"] == "You’re ready. Waiting for the others."
    assert anna.move(table, "show Paper", first["at"]).status_code == 200, "what ben did has not changed anna's position"
    assert ben.state(table)["story"]["lines"] == ["Red shows paper. [R1]", "Blue shows rock. [R1]", "Red wins the round. [R2]"]


def test_messages_to_others_reveal_only_who_is_ready(anna, ben):
    told = []
    for hand in ("Rock", "Paper", "Scissors"):
        table = table_of_two(anna, ben)
        with ben.socket(table) as socket:
            hear(socket, "state")
            assert anna.move(table, f"show {hand}").status_code == 200
            told.append(hear(socket, "state"))
        told[-1] = {**told[-1], "position": ben.get(f"/api/tables/{table}/position").json(), "state": ben.state(table)}
    assert told[0] == told[1] == told[2]
    assert told[0]["deciders"] == [1]
    assert told[0]["state"]["ply"] == 0


def test_nothing_is_sent_while_another_player_makes_further_decisions(anna, ben):
    table = table_of_two(anna, ben, "luck")
    with ben.socket(table) as socket:
        hear(socket, "state")
        for _ in range(2):
            assert anna.move(table, "roll").status_code == 200
        assert anna.move(table, "stop").status_code in (200, 403)
        assert hear(socket, "state")["deciders"] == [1], "the first thing ben hears is that anna is ready"


def test_the_list_of_tables_does_not_reveal_further_decisions(anna, ben):
    table = table_of_two(anna, ben, "luck")
    before = ben.get("/api/tables").json()
    assert anna.move(table, "roll").status_code == 200
    assert anna.move(table, "roll").status_code in (200, 403)
    assert ben.get("/api/tables").json() == before
    assert anna.post(f"/api/tables/{table}/undo").status_code in (200, 409)
    assert ben.get("/api/tables").json() == before


def test_a_table_can_be_restored_while_players_are_deciding(url, anna, ben, client):
    table = table_of_two(anna, ben)
    ben.move(table, "show Scissors")
    with TestClient(create_app(url, games=[RPS, LUCK], pace=0, limits=False)) as again:
        anna.client = ben.client = again
        assert ben.state(table)["deciders"] == [0]
        assert anna.move(table, "show Rock").status_code == 200
        assert anna.state(table)["story"]["lines"][-1] == "Red wins the round. [R2]"


def test_a_decision_can_be_undone_until_everyone_has_decided(anna, ben):
    table = table_of_two(anna, ben)
    with ben.socket(table) as socket:
        hear(socket, "state")
        anna.move(table, "show Rock")
        assert hear(socket, "state")["deciders"] == [1]
        assert anna.info(table)["undo"]
        before = anna.state(table)["at"]
        assert anna.post(f"/api/tables/{table}/undo").status_code == 200
        told = hear(socket, "state")
        assert told["deciders"] == [0, 1]
    assert anna.state(table)["at"] != before
    at = ben.state(table)["at"]
    anna.move(table, "show Paper")
    assert ben.move(table, "show Rock", at).status_code == 200
    assert ben.state(table)["story"]["lines"][-1] == "Red wins the round. [R2]"
    assert anna.post(f"/api/tables/{table}/undo").status_code == 409


def test_undoing_a_decision_keeps_what_others_decided_since(url, anna, ben, client):
    def sums():
        return ben.get(f"/api/tables/{table}/position").json()["fields"]["sum"]

    table = table_of_two(anna, ben, "luck")
    anna.move(table, "stop")
    ben.move(table, "roll")
    rolled, story = sums(), ben.state(table)["story"]
    assert rolled[1] > 0
    assert anna.post(f"/api/tables/{table}/undo").status_code == 200
    assert (sums(), ben.state(table)["story"], ben.state(table)["deciders"]) == (rolled, story, [0, 1])
    assert ben.post(f"/api/tables/{table}/undo").json()["code"] == "revealed"
    with TestClient(create_app(url, games=[RPS, LUCK], pace=0, limits=False)) as again:
        anna.client = ben.client = again
        assert (sums(), ben.state(table)["deciders"]) == (rolled, [0, 1])


def test_a_shared_screen_is_passed_from_one_player_to_the_other(anna):
    table = anna.table("rps", ["me", "me"])
    with anna.socket(table) as socket:
        state = hear(socket, "state")
        assert state["eyes"] == 0
        assert ask(socket, "move", at=state["at"], move="show Rock", seat=0)["t"] == "ok"
        assert anna.state(table)["eyes"] == 1
        assert ask(socket, "move", at=anna.state(table)["at"], move="show Paper", seat=1)["t"] == "ok"
    assert anna.state(table)["story"]["lines"][-1] == "Blue wins the round. [R2]"


def test_bots_decide_at_the_same_time_as_people(anna):
    table = anna.table("luck", ["me", {"kind": "bot", "bot": "random"}, {"kind": "bot", "bot": "random"}])
    until = time.monotonic() + 30
    while anna.state(table)["deciders"] != [0] and time.monotonic() < until:
        time.sleep(0.05)
    assert anna.state(table)["deciders"] == [0]
    assert anna.state(table)["ply"] == 0
    while not anna.state(table)["ending"] and time.monotonic() < until:
        state = anna.state(table)
        if state["moves"]:
            anna.move(table, state["moves"][-1]["move"])
        time.sleep(0.02)
    assert anna.state(table)["ending"]
    record = anna.get(f"/api/tables/{table}/record").json()
    assert len(record["by"]) == len(record["moves"])


def test_clocks_run_for_everyone_who_is_not_ready(client, anna, ben):
    table = table_of_two(anna, ben, clock={"kind": "move", "seconds": 100})
    room = client.app.state.rooms.rooms[table]
    room.began = {seat: began - 60 for seat, began in room.began.items()}
    assert [round(seat["clock"]) for seat in anna.info(table)["seats"]] == [40, 40]
    anna.move(table, "show Rock")
    assert [round(seat["clock"]) for seat in anna.info(table)["seats"]] == [40, 40], "a clock a move starts afresh when all have decided"
    ben.move(table, "show Rock")
    assert [round(seat["clock"]) for seat in anna.info(table)["seats"]] == [100, 100]


def test_a_bot_plays_for_someone_who_runs_out_of_time(client, anna, ben):
    table = table_of_two(anna, ben, clock={"kind": "move", "seconds": 5})
    room = client.app.state.rooms.rooms[table]
    anna.move(table, "show Rock")
    room.began[1] -= 4.8
    client.portal.call(room.go_on)
    until = time.monotonic() + 20
    while anna.state(table)["ply"] < 2 and time.monotonic() < until:
        time.sleep(0.05)
    assert anna.info(table)["seats"][1]["stand_in"]
    assert not anna.info(table)["seats"][0]["stand_in"]
    assert len(anna.state(table)["story"]["lines"]) == 3
