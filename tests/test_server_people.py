"""People at a table: who reads what, under which name; closing the chat, removing guests, the word list and reports."""

import json
import re

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from rulestone.server.app import Extras, create_app, default_reports
from rulestone.server.talk import Manners, distinct, folded
from tests.tables import WHISPER, Person, ask, hear

pytestmark = pytest.mark.usefixtures("interpreted")


@pytest.fixture
def words(tmp_path):
    file = tmp_path / "words.txt"
    file.write_text("# not here\nbanana\nmelon*\n")
    return file


@pytest.fixture
def client(url, words):
    with TestClient(create_app(url, games=[WHISPER], pace=0, limits=False, extras=Extras(manners=Manners(words)))) as client:
        yield client


@pytest.fixture
def tom(client):
    """A spectator."""
    return Person(client)


def sit_down(anna, ben, game="connect_four", **more):
    table = anna.table(game, [{"kind": "me", "name": "Anna"}, "open"], **more)
    ben.post(f"/api/tables/{table}/sit", {"seat": 1, "name": "Ben"})
    return table


def say(person, table, text, name=""):
    return person.post(f"/api/tables/{table}/chat", {"text": text, "name": name})


def heard(person, table):
    return [line["text"] for line in person.get(f"/api/tables/{table}/chat").json()]


# ---- who reads what -------------------------------------------------------------------------------------------------------


def test_players_read_what_spectators_say_once_the_game_is_over(anna, ben, tom):
    table = sit_down(anna, ben, options={"line": 3})
    say(tom, table, "Column 0!", "Tom")
    say(anna, table, "Good luck")
    assert heard(tom, table) == ["Column 0!", "Good luck"]
    assert heard(anna, table) == heard(ben, table) == ["Good luck"]
    with anna.socket(table) as socket:
        assert [line["text"] for line in hear(socket, "chats")["chats"]] == ["Good luck"]
        for person, column in ((anna, 0), (ben, 1), (anna, 0), (ben, 1), (anna, 0)):
            person.move(table, column)
        lines = hear(socket, "chats")["chats"]
    assert [(line["name"], line["text"], line["apart"]) for line in lines] == [("Tom", "Column 0!", True), ("Anna", "Good luck", False)]
    say(tom, table, "Well played", "Tom")
    assert heard(ben, table) == ["Column 0!", "Good luck", "Well played"]


def test_before_the_game_starts_everybody_talks_to_everybody(anna, tom):
    table = anna.table(seats=["me", "open"])
    say(tom, table, "May I play?", "Tom")
    assert heard(anna, table) == ["May I play?"]


@pytest.mark.parametrize("game", ["connect_four", "whisper"])
def test_nothing_that_a_player_receives_depends_on_what_spectators_say(anna, ben, tom, game):
    """Not a line, a count, an order or a refusal: two tables, one with talkative spectators, send players the same bytes."""
    told = []
    for talkative in (False, True):
        table = sit_down(anna, ben, game)
        for k in range(210 if talkative else 0):  # more than a client gets
            say(tom, table, f"psst {k}", "Tom")
        say(anna, table, "Hello")
        with tom.socket(table) as his:
            hear(his, "state")
            with anna.socket(table) as hers:
                received = [hers.receive_text() for _ in range(4)]
                if talkative:
                    ask(his, "chat", text="psst", name="Tom")
                ask(his, "ping")
                hers.send_json({"do": "chat", "id": 7, "text": "Bye"})
                while '"t":"ok"' not in received[-1]:
                    received.append(hers.receive_text())
        received += [anna.get(f"/api/tables/{table}/chat").text, json.dumps(anna.info(table))]
        differs = r'"(id|made|who|me|commitment|guests|patience)":.*?(?=,"[a-z_]+":|}|$)'
        told.append([text[:12] if '"t":"state"' in text else re.sub(differs, "", text) for text in received])
    assert len(told[0]) > 5
    assert told[0] == told[1]


def test_the_host_does_not_learn_from_removing_who_has_talked(anna, ben, tom):
    table = sit_down(anna, ben)
    with tom.socket(table) as socket:
        who = hear(socket, "chats")["me"]
    say(tom, table, "psst", "Tom")
    anna.client.app.state.rooms.rooms.clear()  # as after a restart
    answer = anna.post(f"/api/tables/{table}/remove", {"who": who})
    assert answer.json()["code"] == "no-such-guest"


def test_a_line_comes_with_a_handle_that_says_nothing_about_other_tables(anna, ben):
    handles = set()
    for _ in range(2):
        table = sit_down(anna, ben)
        say(anna, table, "Hello")
        line = ben.get(f"/api/tables/{table}/chat").json()[0]
        assert line["who"] == anna.info(table)["seats"][0]["who"] != anna.info(table)["seats"][1]["who"]
        assert "guest" not in line
        handles.add(line["who"])
    assert len(handles) == 2


# ---- names ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["Anna", "anna", "ＡＮＮＡ", " A n n a. ", "red", "Blue", "ben"])
def test_a_spectator_cannot_speak_under_the_name_or_title_of_a_seat(anna, ben, tom, name):
    table = sit_down(anna, ben)
    assert say(tom, table, "I resign", name).json()["code"] == "name-taken"
    assert say(tom, table, "Hello", "Tom").status_code == 204
    assert [line["name"] for line in tom.get(f"/api/tables/{table}/chat").json()] == ["Tom"]


def test_two_players_never_have_the_same_name(anna, ben):
    table = anna.table(seats=[{"kind": "me", "name": "Anna"}, "open"])
    ben.post(f"/api/tables/{table}/sit", {"seat": 1, "name": "ANNA"})
    assert [seat["name"] for seat in ben.info(table)["seats"]] == ["Anna", "ANNA 2"]
    say(ben, table, "Hello", "Anna")
    assert ben.get(f"/api/tables/{table}/chat").json()[0]["name"] == "ANNA 2"


def test_a_player_is_not_called_like_another_seat(anna):
    table = anna.table(seats=[{"kind": "me", "name": "Blue"}, {"kind": "bot", "bot": "random"}])
    assert anna.info(table)["seats"][0]["name"] == "Blue 2"
    assert anna.info(anna.table(seats=[{"kind": "me", "name": "Red"}, "open"]))["seats"][0]["name"] == "Red"


def test_a_player_without_a_name_speaks_under_the_title_of_the_seat(anna):
    table = anna.table(seats=["me", "me"])
    say(anna, table, "Hello", "Ben")
    assert anna.get(f"/api/tables/{table}/chat").json()[0]["name"] == "Red"


def test_numbered_names_stay_within_the_limit():
    assert distinct("Anna", ["anna", "Anna 2"]) == "Anna 3"
    assert distinct("x" * 24, ["X" * 24]) == "x" * 22 + " 2"
    assert distinct("", ["", "Red"]) == ""
    assert folded("!?") == "!?"


# ---- manners --------------------------------------------------------------------------------------------------------------


def test_only_the_host_can_close_the_chat(url, anna, ben):
    table = sit_down(anna, ben)
    assert ben.post(f"/api/tables/{table}/hush", {"on": True}).json()["code"] == "not-host"
    with ben.socket(table) as socket:
        hear(socket, "state")
        assert anna.post(f"/api/tables/{table}/hush", {"on": True}).status_code == 204
        assert hear(socket, "table")["hushed"]
        assert ask(socket, "chat", text="Hello")["code"] == "hushed"
    anna.client.app.state.rooms.rooms.clear()  # as after a restart
    assert say(anna, table, "Hello").json()["code"] == "hushed"
    anna.post(f"/api/tables/{table}/hush", {"on": False})
    assert say(ben, table, "Hello").status_code == 204


def test_a_removed_spectator_cannot_come_back(anna, ben, tom):
    table = sit_down(anna, ben, options={"line": 3})
    with tom.socket(table) as socket:
        who = hear(socket, "chats")["me"]
        hear(socket, "state")
        assert anna.info(table)["guests"] == [who]
        assert ben.info(table)["guests"] is None
        assert ben.post(f"/api/tables/{table}/remove", {"who": who}).json()["code"] == "not-host"
        assert anna.post(f"/api/tables/{table}/remove", {"who": who}).status_code == 204
        with pytest.raises(WebSocketDisconnect) as closed:
            hear(socket, "nothing")
    assert (closed.value.code, closed.value.reason) == (4401, "removed")
    anna.client.app.state.rooms.rooms.clear()  # as after a restart
    assert tom.get(f"/api/tables/{table}").json()["code"] == "removed"
    assert tom.get(f"/t/{table}").status_code == 403
    with pytest.raises(WebSocketDisconnect) as closed, tom.socket(table) as socket:
        socket.receive_text()
    assert closed.value.reason == "removed"
    for person, column in ((anna, 0), (ben, 1), (anna, 0), (ben, 1), (anna, 0)):
        person.move(table, column)
    again = anna.post(f"/api/tables/{table}/rematch").json()["id"]
    assert tom.get(f"/api/tables/{again}").json()["code"] == "removed"


def test_a_player_can_be_removed_until_somebody_has_moved(anna, ben, tom):
    table = sit_down(anna, ben)
    who = anna.info(table)["seats"][1]["who"]
    assert anna.post(f"/api/tables/{table}/remove", {"who": anna.info(table)["seats"][0]["who"]}).json()["code"] == "yourself"
    assert anna.post(f"/api/tables/{table}/remove", {"who": who}).status_code == 204
    assert not anna.info(table)["started"]
    assert ben.post(f"/api/tables/{table}/sit", {"seat": 1}).json()["code"] == "removed"
    tom.post(f"/api/tables/{table}/sit", {"seat": 1, "name": "Tom"})
    anna.move(table, 3)
    refused = anna.post(f"/api/tables/{table}/remove", {"who": anna.info(table)["seats"][1]["who"]})
    assert refused.json()["code"] == "playing"
    assert tom.move(table, 3).status_code == 200


def test_words_of_the_list_are_refused_in_lines_and_names(anna, ben, tom):
    table = sit_down(anna, ben)
    for text in ("What a BANANA!", "watermelon? no, melons", "\uff42\uff41nana"):
        answer = say(ben, table, text)
        assert (answer.status_code, answer.json()["code"]) == (422, "words")
    assert say(ben, table, "bananas and a watermelon are fine").status_code == 204
    assert say(tom, table, "Hello", "Banana").json()["code"] == "words"
    assert anna.post("/api/tables", {"game": "connect_four", "seats": [{"kind": "me", "name": "Banana"}] * 2}).json()["code"] == "words"
    free = anna.table(seats=["me", "open"])
    assert ben.post(f"/api/tables/{free}/sit", {"seat": 1, "name": "banana"}).json()["code"] == "words"


def test_a_word_list_that_cannot_be_read_is_reported_in_one_sentence(tmp_path):
    with pytest.raises(ValueError, match=r"the word list .* cannot be read"):
        Manners(tmp_path / "nothing.txt")


def test_a_report_goes_to_a_file_beside_the_database(anna, ben, tmp_path):
    table = sit_down(anna, ben)
    say(ben, table, "You play like my cat")
    who = anna.info(table)["seats"][1]["who"]
    body = {"who": who, "text": "You play like my cat", "reason": "rude"}
    for _ in range(2):
        assert anna.post(f"/api/tables/{table}/report", body).status_code == 204
    assert anna.post(f"/api/tables/{table}/report", {**body, "text": "Never said"}).json()["code"] == "no-such-line"
    (line,) = (tmp_path / "reports.jsonl").read_text().splitlines()
    report = json.loads(line)
    told = {name: report[name] for name in ("table", "game", "seat", "name", "text", "reason")}
    assert told == {
        "table": table,
        "game": "connect_four",
        "seat": "Blue",
        "name": "Ben",
        "text": "You play like my cat",
        "reason": "rude",
    }


def test_a_player_cannot_report_what_only_spectators_may_read(anna, ben, tom):
    table = sit_down(anna, ben)
    with tom.socket(table) as socket:
        who = hear(socket, "chats")["me"]
    say(tom, table, "psst", "Tom")
    body = {"who": who, "text": "psst", "reason": "rude"}
    assert anna.post(f"/api/tables/{table}/report", body).json()["code"] == "no-such-line"
    assert Person(anna.client).post(f"/api/tables/{table}/report", body).status_code == 204


def test_reports_are_limited(url):
    with TestClient(create_app(url, pace=0)) as client:
        anna = Person(client)
        table = anna.table()
        say(anna, table, "Hello")
        body = {"who": anna.info(table)["seats"][0]["who"], "text": "Hello", "reason": "spam"}
        answers = [anna.post(f"/api/tables/{table}/report", body).status_code for _ in range(6)]
    assert answers == [204] * 5 + [429]


def test_reports_have_a_place_without_a_database_file(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_reports("postgresql+asyncpg://me@localhost/rulestone") == tmp_path / "rulestone" / "reports.jsonl"
    assert default_reports("sqlite:////srv/games/tables.db").as_posix() == "/srv/games/reports.jsonl"


def test_the_socket_takes_the_same_requests(anna, ben):
    table = sit_down(anna, ben)
    say(ben, table, "Hello")
    with anna.socket(table) as socket:
        who = hear(socket, "chats")["chats"][0]["who"]
        assert ask(socket, "report", who=who, text="Hello", reason="spam")["t"] == "ok"
        assert ask(socket, "hush", on=True)["t"] == "ok"
        assert ask(socket, "remove", who="nobody")["code"] == "no-such-guest"
        assert ask(socket, "remove")["code"] == "not-understood"
