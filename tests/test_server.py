"""The server: tables shared by link, moves committed before they are acknowledged, refusals with reasons."""

import asyncio
import json
import random
import re
import signal
import socket
import subprocess
import sys
import time
import tracemalloc
from functools import cache
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

import rulestone
from rulestone import undo
from rulestone.bots import decide, make
from rulestone.bots.search import arrays
from rulestone.server import thinking
from rulestone.server.app import create_app, serve
from rulestone.server.frames import Frames
from rulestone.server.pages import rules_html
from rulestone.server.room import Room
from rulestone.server.storage import Conflict, MoveRow, SeatRow, Storage, TableRow
from rulestone.server.thinking import Thinker
from rulestone.table import Face
from tests.tables import WHISPER, Person, ask, hear

pytestmark = pytest.mark.usefixtures("interpreted")


# ---- pages ----------------------------------------------------------------------------------------------------------------


def test_pages_open_and_carry_the_security_headers(client, anna):
    table = anna.table()
    for path in ("/", "/about", "/api", "/new/connect_four", "/rules/connect_four", f"/t/{table}", f"/t/{table}/replay"):
        answer = client.get(path)
        assert answer.status_code == 200, path
        assert "script-src 'self'" in answer.headers["content-security-policy"]
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert " style=" not in answer.text
        assert "<script>" not in answer.text


def test_a_missing_page_says_so(client):
    answer = client.get("/t/nowhere")
    assert answer.status_code == 404
    assert "There is no such table." in answer.text
    assert client.get("/nothing").status_code == 404
    assert client.get("/rules/chess").status_code == 404


@pytest.mark.parametrize("name", rulestone.games())
def test_rules_have_an_anchor_for_every_number(client, name):
    page = client.get(f"/rules/{name}").text
    for number in set(re.findall(r"\*\*([RQ]\d+)\b", (rulestone.load(name).folder / "RULES.md").read_text())):
        assert f'id="{number}"' in page


def test_rulings_are_folded_until_the_next_heading_of_their_level(tmp_path):
    rulings = "### Rulings\n\n- **Q1** First.\n\n#### Details\n\n- **Q2** Second.\n"
    (tmp_path / "RULES.md").write_text(f"# Game\n\n## Setup\n\n- **R1** Deal.\n\n{rulings}\n## End\n\n- **R2** Stop.\n\n{rulings}")
    html = rules_html(tmp_path / "RULES.md")
    before, first, second = html.split('<details class="rulings">')
    fold, after = first.split("</details>")
    assert "<summary>Rulings (2)</summary>" in fold
    assert [f'id="{number}"' in fold for number in ("R1", "Q1", "Q2", "R2")] == [False, True, True, False]
    assert 'id="R1"' in before
    assert 'id="R2"' in after
    assert "Rulings (2)" not in second, "a ruling counts only where it is first mentioned"
    (tmp_path / "plain.md").write_text("# Game\n\n## Setup\n\n- **R1** Deal.\n\n### Rules\n\n- **Q1** First.\n")
    assert "<details" not in rules_html(tmp_path / "plain.md")


def test_every_game_has_a_picture(client):
    for name in rulestone.games():
        assert client.get(f"/pictures/{name}.svg").text.startswith("<svg")


def test_a_table_page_is_light(client, anna):
    """Everything a table page loads, without compression."""
    table = anna.table("misdirection", ["me"] * 4)
    page = client.get(f"/t/{table}")
    size = len(page.content)
    for path in set(re.findall(r'(?:src|href)="(/static/[^"]+)"', page.text)):
        size += len(client.get(path).content)
    with anna.socket(table) as socket:
        size += len(json.dumps(hear(socket, "state")))
    assert size < 250_000  # tests/browser counts what is really sent


def test_scripts_lose_comments_and_indentation_and_nothing_else():
    from rulestone.server import assets

    text = "// one\n  /** two */\n  const a = `b  c//d`;  // three\n\n/* stays */ x(); // stays\n"
    assert assets.bare(text) == "const a = `b  c//d`;\n/* stays */ x(); // stays\n"
    for file in (Path(assets.__file__).parent / "static").glob("*.[jc]s*"):
        for line in file.read_text().splitlines():  # what goes over several lines would be damaged
            assert line.count("`") % 2 == 0, (file.name, line)
            assert line.count("/*") == line.count("*/"), (file.name, line)
            assert "  // " not in line or line.partition("  // ")[0].count('"') % 2 == 0, (file.name, line)


def test_a_script_comes_with_what_it_imports():
    from rulestone.server import assets

    scripts = {
        "page.js": 'import { $ } from "./common.js";\nimport { b } from "./two.js";\nimport { a } from "./one.js";\n$(a, b);\n',
        "one.js": "const own = 1;\nexport const a = own;\nexport async function c() {}\n",
        "two.js": 'import { a } from "./one.js";\nconst own = 2;\nexport const b = a + own;\n',
    }
    assert assets.bundled("page.js", scripts) == (
        'import * as common_js from "./common.js";\n'
        "const one_js = (() => {\nconst own = 1;\nconst a = own;\nasync function c() {}\nreturn { a, c };\n})();\n"
        "const two_js = (() => {\nconst { a } = one_js;\nconst own = 2;\nconst b = a + own;\nreturn { b };\n})();\n"
        "const { $ } = common_js;\nconst { b } = two_js;\nconst { a } = one_js;\n$(a, b);\n"
    )
    for name, text in assets.FILES.items():
        if name.endswith(".js"):
            left = re.findall(r'^import .* from "(.+)";$', text.decode(), re.MULTILINE)
            assert left in ([], ["./common.js"]), f"{name} has an import that can't be bundled"


def test_browsers_cache_scripts_and_styles(client):
    page = client.get("/").text
    paths = set(re.findall(r'(?:src|href)="(/static/[^"]+)"', page))
    assert {path.rpartition("/")[2] for path in paths} >= {"style.css", "scene.css", "theme.js", "home.js", "icon.svg"}
    for path in paths:
        answer = client.get(path)
        assert "immutable" in answer.headers["cache-control"]
        assert answer.headers["content-encoding"] == "gzip"
        again = client.get(path, headers={"If-None-Match": answer.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
    version = paths.pop().split("/")[2]
    assert client.get("/static/style.css").headers["cache-control"] == "no-cache"
    assert client.get("/static/older/style.css").headers["cache-control"] == "no-cache"
    assert "content-encoding" not in client.get("/static/style.css", headers={"Accept-Encoding": "identity"}).headers
    assert client.get(f"/static/{version}/nothing.js").status_code == 404
    assert client.get(f"/static/{version}/../app.py").status_code == 404


def test_the_api_is_described(client):
    description = client.get("/api/openapi.json").json()
    assert "/api/tables/{table}/moves" in description["paths"]
    assert {game["name"] for game in client.get("/api/games").json()} == {*rulestone.games(), "whisper"}


# ---- playing ----------------------------------------------------------------------------------------------------------------


def test_two_people_play_by_link(anna, ben):
    table = anna.table(seats=[{"kind": "me", "name": "Anna"}, "open"])
    assert anna.move(table, "drop 3").json()["code"] == "not-started"
    assert ben.post(f"/api/tables/{table}/sit", {"seat": 1, "name": "Ben"}).status_code == 200
    with anna.socket(table) as one, ben.socket(table) as two:
        assert hear(one, "state")["moves"][3]["label"] == "Drop into column 4"
        assert hear(two, "state")["moves"] == []
        assert ask(one, "move", at="0.0", move="drop 3")["t"] == "ok"
        heard = hear(two, "state")
        assert heard["to_move"] == heard["eyes"] == 1
        assert heard["story"]["lines"] == ["Red drops a disc into column 4. [R3]"]
        assert "disc-0-3" in heard["scene"]["parts"]
        assert ask(one, "move", at="0.1", move="drop 3")["code"] == "not-yours"
    seats = anna.info(table)["seats"]
    assert [(seat["name"], seat["mine"]) for seat in seats] == [("Anna", True), ("Ben", False)]


def test_a_client_with_the_previous_position_gets_the_difference(anna):
    table = anna.table()
    with anna.socket(table) as socket:
        whole = hear(socket, "state")
        anna.move(table, "drop 3")
        patch = hear(socket, "state")
    assert patch["base"] == whole["version"]
    assert set(patch["scene"]["parts"]) < set(whole["scene"]["parts"]) | {"disc-0-3"}
    assert "plate" not in patch["scene"]["parts"]


def test_a_stale_move_is_refused_with_the_fresh_position(anna):
    table = anna.table()
    with anna.socket(table) as socket:
        hear(socket, "state")
        anna.move(table, 0)
        hear(socket, "state")
        assert ask(socket, "move", at="0.0", move=1)["code"] == "stale"
        fresh = hear(socket, "state")
        assert "base" not in fresh
        assert fresh["at"] == "0.1"
    answer = anna.move(table, 1, at="0.0")
    assert (answer.status_code, answer.json()["code"]) == (409, "stale")
    assert answer.json()["state"]["at"] == "0.1"


def test_players_can_read_the_story_as_they_saw_it_from_any_move_on(anna, ben):
    table = anna.table(options={"line": 3})
    for column in (0, 1, 0, 1):
        anna.move(table, column)
    told = anna.get(f"/api/tables/{table}/story?eyes=0").json()
    assert [len(lines) for lines in told] == [0, 1, 1, 1, 1]
    assert "Blue" in told[2][0]
    assert anna.get(f"/api/tables/{table}/story?start=3").json() == told[3:]
    assert anna.get(f"/api/tables/{table}/story?start=99").json() == []
    assert ben.get(f"/api/tables/{table}/story?eyes=0").json()["code"] == "not-yours"
    assert anna.get(f"/api/tables/{table}/story?eyes=open").json()["code"] == "running"


def test_names_keep_composed_emoji_but_no_invisible_characters(anna):
    astronaut = "\U0001f469\u200d\U0001f680"
    table = anna.table(seats=[{"kind": "me", "name": f" {astronaut} A\u200dnn\u202ea "}, "open"])
    assert anna.info(table)["seats"][0]["name"] == f"{astronaut} A nn a"


def test_sending_a_move_twice_is_harmless(anna):
    table = anna.table()
    for _ in range(3):
        assert anna.move(table, "drop 3", at="0.0", key="my-move").status_code == 200
    assert anna.state(table)["ply"] == 1


def test_a_key_belongs_to_its_sender(anna, ben):
    table = anna.table(seats=["me", "open"])
    ben.post(f"/api/tables/{table}/sit", {"seat": 1})
    assert anna.move(table, 3, key="mine").status_code == 200
    assert ben.move(table, 4, key="mine").status_code == 200
    assert ben.state(table)["ply"] == 2


def test_a_key_stands_for_one_move(anna):
    table = anna.table()
    first = anna.state(table)["at"]
    anna.move(table, 3, at=first, key="mine")
    for move, at in ((4, first), (4, None), (3, None)):  # another move; another move later; the same move in another position
        answer = anna.move(table, move, at=at, key="mine")
        assert (answer.status_code, answer.json()["code"]) == (409, "key-used")
    with anna.socket(table) as socket:
        assert ask(socket, "move", at=anna.state(table)["at"], move=4, key="mine")["code"] == "key-used"
        assert ask(socket, "move", at=first, move=3, key="mine")["t"] == "ok"  # sent again
    assert anna.state(table)["ply"] == 1


def test_a_key_stands_for_one_chat_message(anna, ben):
    table = anna.table()
    for person, text, status in ((anna, "Hello", 204), (anna, "Hello", 204), (anna, "Bye", 409), (ben, "Good evening", 204)):
        assert person.post(f"/api/tables/{table}/chat", {"text": text, "key": "mine"}).status_code == status
    assert [line["text"] for line in ben.get(f"/api/tables/{table}/chat").json()] == ["Hello", "Good evening"]


def test_an_illegal_move_is_refused_with_a_reason_and_changes_nothing(anna):
    table = anna.table()
    for _ in range(6):
        anna.move(table, "drop 0")
    answer = anna.move(table, "drop 0")
    assert (answer.status_code, answer.json()["code"]) == (422, "illegal")
    assert answer.json()["text"] == "That column is full. [R3]"
    assert anna.move(table, "jump 3").json()["code"] == "illegal"
    assert anna.state(table)["ply"] == 6


def test_nobody_can_move_for_someone_else(anna, ben):
    table = anna.table(seats=["me", "me"])
    assert ben.move(table, 0).json()["code"] == "not-yours"
    assert ben.post(f"/api/tables/{table}/sit", {"seat": 0}).json()["code"] == "taken"
    assert ben.post(f"/api/tables/{table}/leave", {"seat": 0}).json()["code"] == "not-yours"
    assert ben.post(f"/api/tables/{table}/sit", {"seat": 7}).json()["code"] == "no-such-seat"


@pytest.mark.slow
@pytest.mark.parametrize("name", rulestone.games())
def test_every_game_can_be_finished_by_a_person_and_bots(client, anna, name):
    """A person and bots play until the game is over."""
    game = rulestone.load(name)
    table = anna.table(name, ["me", *[{"kind": "bot", "bot": "random"}] * (game.about.usual_players - 1)])
    ended = None
    with anna.socket(table) as socket:
        until = time.monotonic() + 120
        while ended is None and time.monotonic() < until:
            state = hear(socket, "state")
            ended = state["ending"]
            if state["moves"] and ended is None:
                move = state["moves"][(state["ply"] * 5) % len(state["moves"])]
                socket.send_json({"do": "move", "at": state["at"], "move": move["action"], "key": f"k{state['at']}"})
            if state["ply"] > 400:
                return
    assert ended is not None


def test_a_strangers_game_is_playable_right_away(anna):
    table = anna.table("whisper", ["me", {"kind": "bot", "bot": "random"}])
    state = anna.state(table)
    assert state["prompt"] == "Your turn, Red: change, whisper or show."
    assert anna.move(table, "show").json()["ending"] is not None


def test_options_are_checked_and_saved(anna):
    table = anna.table(options={"line": "3"})
    for column in (0, 1, 0, 1, 0):
        anna.move(table, column)
    assert anna.state(table)["ending"][0] == "Red wins."
    answer = anna.post("/api/tables", {"game": "connect_four", "seats": [{"kind": "me"}, {"kind": "me"}], "options": {"line": 9}})
    assert answer.status_code == 422
    assert "option 'line' can't be 9" in answer.json()["text"]


# ---- eyes -------------------------------------------------------------------------------------------------------------------


def test_players_sharing_a_screen_get_a_curtain_if_there_is_hidden_information(anna):
    table = anna.table("whisper", ["me", "me"])
    with anna.socket(table) as socket:
        assert hear(socket, "table")["curtain"] == 0
        public = hear(socket, "state")
        assert public["eyes"] is None
        assert public["moves"] == []
        socket.send_json({"do": "look", "seat": 0})
        state = hear(socket, "state")
        assert state["eyes"] == 0
        assert state["moves"]
        socket.send_json({"do": "move", "at": state["at"], "move": "change"})
        assert hear(socket, "table")["curtain"] == 1
        assert hear(socket, "state")["eyes"] is None


def test_a_seat_that_was_left_needs_no_curtain(anna):
    table = anna.table("whisper", ["me", "me"])
    assert anna.post(f"/api/tables/{table}/leave", {"seat": 1}).status_code == 200
    with anna.socket(table) as socket:
        assert hear(socket, "table")["curtain"] is None
        assert hear(socket, "state")["eyes"] == 0


def test_there_is_no_curtain_without_hidden_information(anna):
    table = anna.table()
    with anna.socket(table) as socket:
        assert hear(socket, "table")["curtain"] is None
        assert hear(socket, "state")["eyes"] == 0
        anna.move(table, 0)
        assert hear(socket, "state")["eyes"] == 1


def test_other_players_views_can_be_seen_only_after_the_game(anna, ben):
    table = anna.table("whisper", ["me", "open"])
    ben.post(f"/api/tables/{table}/sit", {"seat": 1})
    frames = f"/api/tables/{table}/frames"
    assert anna.get(f"{frames}/0?eyes=0").status_code == 200
    assert anna.get(f"{frames}/0?eyes=1").json()["code"] == "not-yours"
    assert anna.get(f"{frames}/0?eyes=open").json()["code"] == "running"
    assert anna.get(f"/api/tables/{table}/record").json()["code"] == "running"
    anna.move(table, "show")
    assert anna.get(f"{frames}/0?eyes=1").status_code == 200
    assert anna.get(f"{frames}/1?eyes=open").json()["ending"]
    assert anna.get(f"{frames}/9").status_code == 404


def test_private_tables_are_for_their_players_only(anna, ben):
    table = anna.table(spectators=False)
    assert ben.get(f"/api/tables/{table}").json()["code"] == "private"
    assert ben.get(f"/t/{table}").status_code == 403
    with pytest.raises(WebSocketDisconnect), ben.socket(table) as socket:
        socket.receive_json()


def test_visitors_are_disconnected_once_a_private_table_is_full(client, anna, ben):
    eve = Person(client)
    table = anna.table(seats=["me", "open"], spectators=False)
    with eve.socket(table) as socket:
        hear(socket, "state")
        ben.post(f"/api/tables/{table}/sit", {"seat": 1})
        anna.post(f"/api/tables/{table}/chat", {"text": "a secret"})
        with pytest.raises(WebSocketDisconnect) as closed:
            hear(socket, "chat")
    assert closed.value.code == 4401
    assert client.app.state.rooms.rooms[table].clients == set()


# ---- undo, hint, leaving, clock, rematch ----------------------------------------------------------------------------------------


def test_undo_goes_back_to_the_players_own_decision(anna):
    table = anna.table(seats=["me", {"kind": "bot", "bot": "random"}])
    anna.move(table, 3)
    until = time.monotonic() + 20
    while anna.state(table)["ply"] < 2 and time.monotonic() < until:
        time.sleep(0.05)
    assert anna.post(f"/api/tables/{table}/undo").json()["ply"] == 0
    assert anna.state(table)["at"] == "1.0"
    assert anna.move(table, 3, at="0.0").json()["code"] == "stale"


def test_undo_is_impossible_after_another_person_has_moved(anna, ben):
    table = anna.table(seats=["me", "open"], fair={"undo": "free"})
    ben.post(f"/api/tables/{table}/sit", {"seat": 1})
    assert anna.post(f"/api/tables/{table}/undo").json()["code"] == "nothing-to-undo"
    anna.move(table, 3)
    ben.move(table, 3)
    assert anna.post(f"/api/tables/{table}/undo").json()["code"] == "nothing-to-undo"
    assert ben.post(f"/api/tables/{table}/undo").json()["ply"] == 1


def test_undo_is_refused_after_new_information_was_revealed(anna):
    table = anna.table("whisper", ["me", {"kind": "bot", "bot": "random"}])
    room_state = anna.move(table, "change")
    assert room_state.status_code == 200
    assert anna.post(f"/api/tables/{table}/undo").json()["code"] == "revealed"


def test_drawing_reveals_and_whispering_does_not(whisper):
    match = whisper.new(seed=4, players=2)
    match.play("change")
    match.play("whisper 1 0")
    assert undo.reveals(match, 0, [0])
    assert not undo.reveals(match, 1, [1])


def test_an_undo_that_was_refused_is_refused_again():
    """Worlds are redealt for each question, but the answer to the same question must not change."""
    game = rulestone.load("micro_medusa")
    looked = told = 0
    for seed in range(12):
        match, chance = game.new(f"undo {seed}"), random.Random(seed)
        while not match.over and match.length < 40:
            match.play(chance.choice(match.legal_actions()))
        for index in range(5, match.length, 9):
            answers = {undo.reveals(match, index, [0, 1]) for _ in range(3)}
            assert len(answers) == 1
            looked += 1
            told += answers.pop()
    assert 0 < told < looked


@pytest.mark.parametrize("name", ["connect_four", "micro_medusa", WHISPER, "tests/toys/toss", "tests/toys/luck"])
def test_one_world_answers_for_all_if_chance_has_no_say(name, monkeypatch):
    game, tried = rulestone.load(name), []
    redeal = undo._World.redeal
    monkeypatch.setattr(undo._World, "redeal", lambda self, *given: (tried.append(self), redeal(self, *given)))
    match, chance = game.new("undo"), random.Random(1)
    while not match.over and match.length < 6:
        match.play(chance.choice(match.legal_actions()))
    quick = [undo.revealed(match, index, [0, 1, None]) for index in range(match.length)]
    worlds = len(tried)
    monkeypatch.setattr(undo._World, "tossed", property(lambda self: True, lambda self, value: None), raising=False)
    assert [undo.revealed(match, index, [0, 1, None]) for index in range(match.length)] == quick
    assert worlds <= (7 * match.length if name == "connect_four" else len(tried) - worlds)


def test_an_undo_sent_twice_undoes_only_one_move(anna):
    table = anna.table()
    for column in range(4):
        anna.move(table, column)
    at = anna.state(table)["at"]
    assert anna.post(f"/api/tables/{table}/undo", {"at": at}).json()["ply"] == 3
    with anna.socket(table) as socket:
        assert ask(socket, "undo", at=at)["code"] == "stale"
    assert anna.state(table)["ply"] == 3


def test_a_program_reads_the_position_as_its_seat_knows_it(client, anna, ben):
    table = anna.table("whisper", ["me", "open"])
    assert anna.get(f"/api/tables/{table}/position").json()["legal"] == []  # a seat is still free
    ben.post(f"/api/tables/{table}/sit", {"seat": 1})
    match = client.app.state.rooms.rooms[table].match
    one, other, stranger = (person.get(f"/api/tables/{table}/position").json() for person in (anna, ben, Person(client)))
    assert one["fields"]["hand"] == match.view(0).state.hand.tolist() != other["fields"]["hand"] == match.view(1).state.hand.tolist()
    assert stranger["fields"]["hand"] == match.view(None).state.hand.tolist()
    assert not {"rng", "seed"} & {*one, *one["fields"]}
    assert (one["legal"], other["legal"], stranger["seat"]) == ([str(move) for move in match.legal()], [], None)
    anna.move(table, "whisper 1 0")
    with ben.socket(table) as socket:
        told = ask(socket, "position")["position"]
    match = client.app.state.rooms.rooms[table].match
    assert (told["moves"], told["ply"], told["to_move"]) == ([str(move) for move in match.view(1).moves], 1, 1)
    assert told["moves"] != [str(move) for move in match.moves]  # Ben can't know what was whispered


def test_a_server_can_have_extra_bots_and_replaces_one_that_fails(anna, monkeypatch):
    from rulestone.server import thinking

    monkeypatch.setattr(thinking, "more_bots", ["mcts:3", "json:JSONDecoder"])  # the second isn't a bot
    assert anna.get("/api/games/connect_four").json()["bots"]["mcts:3"] == "mcts:3"
    for bot in thinking.more_bots:
        table = anna.table(seats=["me", {"kind": "bot", "bot": bot}])
        anna.move(table, 3)
        until = time.monotonic() + 30
        while anna.state(table)["ply"] < 2 and time.monotonic() < until:
            time.sleep(0.05)
        assert anna.state(table)["ply"] == 2


def test_a_hint_is_a_legal_move(anna):
    table = anna.table()
    hint = anna.post(f"/api/tables/{table}/hint").json()
    assert hint["action"] in range(7)
    assert hint["picks"] == [f"column-{hint['action']}"]


def test_a_hint_says_what_the_move_keeps(anna):
    table = anna.table(options={"line": 3})
    for column in (0, 1, 0):
        anna.move(table, column)
    hint = anna.post(f"/api/tables/{table}/hint").json()
    assert (hint["move"], hint["reason"]) == ("drop 0", "It stops Red from lining up 3. [R4]")
    assert hint["chance"] > hint["rival"]["chance"] == 0
    assert hint["says"].startswith("Drop into column 1 keeps ")


def test_a_slip_in_a_reason_does_not_cost_the_hint(anna, monkeypatch):
    monkeypatch.setattr("rulestone.server.room.advice", lambda view, weighed: 1 / 0)
    hint = anna.post(f"/api/tables/{anna.table()}/hint").json()
    assert hint["says"] == f"The bot would: {hint['label']}."


def test_no_careless_move_is_given_as_a_hint_while_the_search_is_compiled(anna, monkeypatch):
    async def still_compiling(self, source, view, guest):
        return []

    monkeypatch.setattr("rulestone.server.thinking.Thinker.weigh", still_compiling)
    assert anna.post(f"/api/tables/{anna.table()}/hint").json()["code"] == "not-ready"


def test_a_bot_plays_for_someone_who_leaves_until_they_return(anna, ben):
    table = anna.table(seats=["me", "open"])
    ben.post(f"/api/tables/{table}/sit", {"seat": 1})
    assert ben.post(f"/api/tables/{table}/leave", {"seat": 1}).json()["seats"][1]["stand_in"]
    anna.move(table, 3)
    until = time.monotonic() + 30
    while anna.state(table)["ply"] < 2 and time.monotonic() < until:
        time.sleep(0.05)
    assert anna.state(table)["ply"] == 2
    assert not ben.post(f"/api/tables/{table}/return", {"seat": 1}).json()["seats"][1]["stand_in"]
    anna.move(table, 2)
    time.sleep(0.3)
    assert ben.state(table)["to_move"] == 1


def test_a_bot_can_play_for_someone_who_has_been_away_for_a_minute(client, anna, ben):
    table = anna.table(seats=["me", "open"])
    ben.post(f"/api/tables/{table}/sit", {"seat": 1})
    room = client.app.state.rooms.rooms[table]
    with ben.socket(table) as socket:
        assert hear(socket, "table")["seats"][1]["patience"] is None
    assert 50 <= anna.info(table)["seats"][1]["patience"] <= 60
    assert anna.post(f"/api/tables/{table}/substitute", {"seat": 1}).json()["code"] == "not-away"
    room.last_seen = {guest: seen - 60 for guest, seen in room.last_seen.items()}
    assert anna.info(table)["seats"][1]["patience"] == 0
    assert anna.post(f"/api/tables/{table}/substitute", {"seat": 1}).json()["seats"][1]["stand_in"]


def test_a_bot_takes_over_when_the_clock_runs_out(client, anna):
    table = anna.table(seats=["me", {"kind": "bot", "bot": "random"}], clock={"kind": "move", "seconds": 5})
    room = client.app.state.rooms.rooms[table]
    with anna.socket(table) as socket:
        assert 0 < hear(socket, "table")["seats"][0]["clock"] <= 5
        room.began[0] -= 4.8
        client.portal.call(room.go_on)
        until = time.monotonic() + 20
        while not anna.info(table)["seats"][0]["stand_in"] and time.monotonic() < until:
            time.sleep(0.05)
    assert anna.info(table)["seats"][0]["stand_in"]


@pytest.mark.parametrize("kind", ["move", "game"])
def test_joining_leaving_and_undo_do_not_stop_a_clock(client, anna, ben, kind):
    table = anna.table(seats=["me", "open"], clock={"kind": kind, "seconds": 100}, fair={"undo": "free"})
    ben.post(f"/api/tables/{table}/sit", {"seat": 1})
    room = client.app.state.rooms.rooms[table]

    def left():
        return anna.info(table)["seats"][0]["clock"]

    room.began[0] -= 60
    assert 35 < left() <= 40
    anna.post(f"/api/tables/{table}/return", {"seat": 0})
    ben.post(f"/api/tables/{table}/leave", {"seat": 1})
    ben.post(f"/api/tables/{table}/return", {"seat": 1})
    assert 35 < left() <= 40
    anna.move(table, 3)
    assert anna.post(f"/api/tables/{table}/undo").status_code == 200
    assert 35 < left() <= 40


def test_a_player_whose_time_was_up_can_return_on_the_next_turn(client, anna, ben):
    table = anna.table(seats=["me", "open"], clock={"kind": "move", "seconds": 100})
    ben.post(f"/api/tables/{table}/sit", {"seat": 1})
    room = client.app.state.rooms.rooms[table]
    room.pace = 1000  # the bot keeps thinking
    room.began[0] -= 101
    client.portal.call(room.go_on)
    while not anna.info(table)["seats"][0]["stand_in"]:
        time.sleep(0.01)
    assert anna.post(f"/api/tables/{table}/return", {"seat": 0}).json()["code"] == "time-up"
    assert anna.move(table, 3).json()["code"] == "time-up"
    room.began[0] = time.time()
    assert not anna.post(f"/api/tables/{table}/return", {"seat": 0}).json()["seats"][0]["stand_in"]


def test_a_bot_whose_move_could_not_be_stored_tries_again(client, anna, monkeypatch):
    monkeypatch.setattr("rulestone.server.room.RETRY_SECONDS", 0.01)
    storage, failures = client.app.state.rooms.storage, iter([False, True, True])
    add = storage.add_move

    async def flaky(*arguments):
        if next(failures, False):
            raise OSError("the disk is gone")
        await add(*arguments)

    monkeypatch.setattr(storage, "add_move", flaky)
    table = anna.table(seats=["me", {"kind": "bot", "bot": "random"}])
    anna.move(table, 3)
    until = time.monotonic() + 20
    while anna.state(table)["ply"] < 2 and time.monotonic() < until:
        time.sleep(0.02)
    assert anna.state(table)["ply"] == 2


@pytest.mark.parametrize(("away", "least", "most"), [(0, 19, 20), (5, 14, 15), (3600, 9, 10)])
def test_clocks_keep_running_while_the_server_is_down_but_cost_nobody_their_seat(connect_four, away, least, most):
    match = connect_four.new(seed=1)
    match.play("drop 3")
    seats = [SeatRow("person", "anna"), SeatRow("person", "ben")]
    row = TableRow("t", "connect_four", 1, 2, {}, "1", "", "anna", seats=seats, clock={"kind": "move", "seconds": 20})
    room = Room(row, match, [MoveRow(0, 3, 0, time.time() - away)], "connect_four", None, None, 0)
    assert least < room.table_info("anna")["seats"][1]["clock"] <= most


def test_the_host_can_add_bots(anna, ben):
    table = anna.table(seats=["me", "open"])
    assert ben.post(f"/api/tables/{table}/bot", {"seat": 1, "bot": "random"}).json()["code"] == "not-host"
    assert anna.post(f"/api/tables/{table}/bot", {"seat": 1, "bot": "os:system"}).json()["code"] == "no-such-bot"
    assert anna.post(f"/api/tables/{table}/bot", {"seat": 1, "bot": "random"}).json()["started"]


def test_a_rematch_rotates_the_seats(anna, ben):
    table = anna.table(seats=["me", "open"], options={"line": 3})
    ben.post(f"/api/tables/{table}/sit", {"seat": 1})
    assert anna.post(f"/api/tables/{table}/rematch").json()["code"] == "running"
    for person, column in ((anna, 0), (ben, 1), (anna, 0), (ben, 1), (anna, 0)):
        person.move(table, column)
    again = anna.post(f"/api/tables/{table}/rematch").json()["id"]
    assert ben.post(f"/api/tables/{table}/rematch").json()["id"] == again
    assert [seat["mine"] for seat in ben.info(again)["seats"]] == [True, False]


def finished(person, **more):
    table = person.table(options={"line": 3}, **more)
    for column in (0, 1, 0, 1, 0):
        person.move(table, column)
    return table


def test_the_record_proves_that_the_game_was_fair(anna):
    table = anna.table(options={"line": 3})
    commitment, seed = (anna.info(table)[key] for key in ("commitment", "seed"))
    assert seed is None
    for column in (0, 1, 0, 1, 0):
        anna.move(table, column)
    record = anna.get(f"/api/tables/{table}/record").json()
    assert record["seed_parts"]["commitment"] == commitment
    assert rulestone.replay(record).over


def test_continuing_from_a_position(anna):
    table = finished(anna)
    assert anna.post(f"/api/tables/{table}/fork", {"index": 5}).json()["code"] == "no-such-move"
    fork = anna.post(f"/api/tables/{table}/fork", {"index": 3}).json()["id"]
    state = anna.state(fork)
    assert (state["ply"], state["to_move"], state["eyes"]) == (3, 1, 1)
    assert anna.move(fork, 0).status_code == 200


def test_the_curve_of_chances(anna):
    curve = anna.get(f"/api/tables/{finished(anna)}/curve").json()
    assert curve["at"] == [0, 1, 2, 3, 4, 5]
    assert curve["payoff"][-1] == [1, -1]
    assert curve["payoff"][4][0] > 0.5


# ---- chat and malicious requests -------------------------------------------------------------------------------------------------


def test_chat_reaches_everyone_unchanged(anna, ben):
    table = anna.table(seats=[{"kind": "me", "name": "Anna"}, "me"])
    with ben.socket(table) as socket:
        hear(socket, "state")
        anna.post(f"/api/tables/{table}/chat", {"text": "<b>hello</b>\u202e\n there"})
        line = hear(socket, "chat")
    assert (line["name"], line["text"], line["seat"]) == ("Anna", "<b>hello</b> there", 0)
    for text in ("x" * 501, "\u200b"):
        assert anna.post(f"/api/tables/{table}/chat", {"text": text}).status_code == 422
    for _ in range(2):  # sent again after a lost answer
        anna.post(f"/api/tables/{table}/chat", {"text": "again", "key": "7"})
    assert [line["text"] for line in anna.get(f"/api/tables/{table}/chat").json()] == ["<b>hello</b> there", "again"]


def test_requests_from_other_sites_are_refused(client, anna):
    answer = client.post("/api/tables", json={}, headers={**anna.headers, "Origin": "https://evil.example"})
    assert (answer.status_code, answer.json()["code"]) == (403, "wrong-origin")
    answer = client.post("/api/tables", json={}, headers={**anna.headers, "Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 403
    table = anna.table()
    headers = {**anna.headers, "Origin": "https://evil.example"}
    with pytest.raises(WebSocketDisconnect), client.websocket_connect(f"/ws/tables/{table}", headers=headers):
        pass


@pytest.mark.parametrize("host", ["evil.example", "[", "a]b", ""])
def test_unknown_host_names_are_refused(client, host):
    assert client.get("/", headers={"Host": host}).status_code == 421


def test_a_scene_that_fails_is_replaced_by_a_plain_picture(client, anna, monkeypatch):
    table = anna.table()
    anna.move(table, 3)
    room = client.app.state.rooms.rooms[table]
    monkeypatch.setitem(room.face.hooks, "scene", lambda view, seat: 1 // 0)
    anna.move(table, 3)
    with anna.socket(table) as socket:
        told = hear(socket, "state")
    assert told["ply"] == 2
    assert "grid" in json.dumps(told["scene"])  # the names of the fields
    assert anna.move(table, 3).status_code == 200


def test_malformed_origins_are_refused(client):
    assert client.post("/api/guests", headers={"Origin": "http://["}).status_code == 403


@pytest.mark.parametrize("name", rulestone.games())
def test_a_click_on_an_unknown_thing_is_answered(client, anna, name):
    game = rulestone.load(name)
    table = anna.table(name, ["me"] * game.min_players)
    with anna.socket(table) as socket:
        for thing in (
            "",
            "x",
            *(f"{kind}-{end}" for kind in ("column", "cell", "card", "tile", "t", "closed") for end in ("99", "-1", "x", "²")),
        ):
            assert ask(socket, "why", thing=thing)["why"]


def test_tokens_cannot_be_forged(client):
    for token in ("", "x", "ImFiYyI.forged", "a" * 300):
        assert client.get("/api/tables", headers={"Authorization": f"Bearer {token}"}).status_code == 401


def test_large_and_malformed_input_is_refused(client, anna):
    assert (
        client.post("/api/tables", content=b"x" * 70_000, headers={**anna.headers, "Content-Type": "application/json"}).status_code == 413
    )
    assert anna.post("/api/tables", {"game": "connect_four", "seats": [], "surprise": 1}).status_code == 422
    assert anna.post("/api/tables", {"game": "chess", "seats": [{"kind": "me"}]}).status_code == 404
    assert anna.post("/api/tables", {"game": "connect_four", "seats": [{"kind": "me"}] * 3}).status_code == 422
    table = anna.table()
    with anna.socket(table) as socket:
        hear(socket, "state")
        for text in (
            "nonsense",
            "[]",
            '{"do": "fly"}',
            '{"do": "move"}',
            '{"do": "move", "at": 1, "move": {}}',
            "[" * 3000,
            '{"id": "x"}',
            "x" * 5000,
        ):
            socket.send_text(text)
            assert hear(socket, "refused")["text"]
        assert ask(socket, "ping")["t"] == "ok"


# ---- storage ------------------------------------------------------------------------------------------------------------------


def test_a_restarted_server_loses_nothing(url):
    with TestClient(create_app(url, pace=0, limits=False)) as client:
        anna = Person(client)
        table = anna.table(seats=[{"kind": "me", "name": "Anna"}, "me"])
        for column in (3, 3, 2):
            last = anna.state(table)["at"]
            anna.move(table, column, key=f"for {last}")
        anna.post(f"/api/tables/{table}/chat", {"text": "back in a minute"})
        before = anna.state(table)
    with TestClient(create_app(url, pace=0, limits=False)) as client:
        again = Person(client, anna.headers)
        after = again.state(table)
        assert after["scene"] == before["scene"]
        assert after["at"] == before["at"]
        assert again.get(f"/api/tables/{table}/chat").json()[0]["text"] == "back in a minute"
        assert again.move(table, 2, at=last, key=f"for {last}").json()["at"] == before["at"]  # sent again
        assert again.move(table, 2).status_code == 200
        assert again.get("/api/tables").json()["mine"][0]["id"] == table


@pytest.mark.parametrize("kind", ["file", "memory"])  # moves to a file are stored by a separate thread, others by the usual connections
def test_only_one_writer_gets_a_ply(url, kind):
    async def race():
        storage = Storage(url if kind == "file" else "sqlite://")
        await storage.open()
        await storage.add_table(TableRow("t", "connect_four", 1, 2, {}, "seed", "name", "host", seats=[SeatRow(), SeatRow()]))
        answers = await asyncio.gather(*(storage.add_move("t", MoveRow(0, k), "running") for k in range(5)), return_exceptions=True)
        stored = await storage.moves_of("t")
        await storage.close()
        return answers, stored

    answers, stored = asyncio.run(race())
    assert sum(answer is None for answer in answers) == 1
    assert sum(isinstance(answer, Conflict) for answer in answers) == 4
    assert len(stored) == 1


def test_moves_of_several_tables_are_stored_together(url, monkeypatch):
    batches = []
    monkeypatch.setattr(Storage, "_commit", lambda self, batch, real=Storage._commit: batches.append(len(batch)) or real(self, batch))

    async def play():
        storage = Storage(url)
        await storage.open()
        for name in "abc":
            await storage.add_table(TableRow(name, "connect_four", 1, 2, {}, "seed", "name", "host", seats=[SeatRow(), SeatRow()]))
        await asyncio.gather(*(storage.add_move(name, MoveRow(0, 3), "over" if name == "b" else "running") for name in "abc"))
        found = [(await storage.moves_of(name), await storage.table(name)) for name in "abc"]
        await storage.close()
        return found

    found = asyncio.run(play())
    assert batches == [3]
    assert [[move.action for move in moves] for moves, _ in found] == [[3], [3], [3]]
    assert [row.status for _, row in found] == ["running", "over", "running"]


def test_equal_views_share_cached_fields_and_others_do_not():
    for game, shared in (("connect_four", True), (WHISPER, False)):
        match = rulestone.load(game).new(seed=1)
        frames = Frames(Face.of(match.game))
        one, other = frames.view(match, 0), frames.view(match, 1)
        assert (one.state is other.state) == shared == (one.raw == other.raw)
        assert [one.state[name] for name in ("ply", "to_move")] == [getattr(one.state, name) for name in ("ply", "to_move")] == [0, 0]
        with pytest.raises(TypeError, match="read-only"):
            one.state.ply = 3


def test_a_server_killed_by_a_signal_leaks_no_semaphores():
    program = """
import asyncio, os, signal
from rulestone.game import load
from rulestone.server.thinking import Thinker

async def main():
    thinker = Thinker(1)
    await thinker.choose("connect_four", load("connect_four").new(1).view(0), "random")
    thinker.close()
    os.kill(os.getpid(), signal.SIGTERM)

if __name__ == "__main__":
    asyncio.run(main())
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == -signal.SIGTERM
    assert "leaked" not in ended.stderr


def test_bots_can_think_about_a_game_that_is_already_compiled(monkeypatch, connect_four):
    """As with a second server in one process, or a server next to an environment."""
    monkeypatch.setenv("RULESTONE_JIT", "1")
    connect_four.warm_up()

    async def main():
        thinker = Thinker(1)
        thinker.warm_up("connect_four", connect_four)
        await thinker.warming["connect_four"]
        thinker.close()
        return thinker.ready

    assert asyncio.run(main()) == {"connect_four"}
    assert undo.QUICK in connect_four.memo


def test_a_room_that_lost_a_race_loads_what_is_stored(client, anna):
    table = anna.table()
    client.portal.call(client.app.state.rooms.storage.add_move, table, MoveRow(0, 5), "running")
    answer = anna.move(table, 3, at="0.0")
    assert answer.json()["code"] == "stale"
    assert anna.state(table)["ply"] == 1
    assert "disc-0-5" in anna.state(table)["scene"]["parts"]


def test_migrations_create_exactly_the_tables_of_the_code(url):
    from sqlalchemy import inspect

    from rulestone.server.storage import metadata

    async def columns():
        storage = Storage(url)
        await storage.open()
        async with storage.engine.connect() as connection:
            found = await connection.run_sync(
                lambda sync: {name: {c["name"] for c in inspect(sync).get_columns(name)} for name in metadata.tables}
            )
        await storage.close()
        return found

    assert asyncio.run(columns()) == {name: set(table.columns.keys()) for name, table in metadata.tables.items()}


def test_a_database_of_the_first_version_keeps_its_moves(url):
    from sqlalchemy import text

    from rulestone.server.storage import _migrate

    async def upgraded():
        storage = Storage(url)
        async with storage.engine.begin() as connection:
            await connection.run_sync(_migrate, "0001")
        async with storage.engine.connect() as connection:
            columns = "id, game, rules, players, options, seed, name, host, listed, spectators, clock, status, revision, created, updated"
            values = "'t', 'connect_four', 1, 2, '{}', '1', '', 'host', 0, 1, '{}', 'running', 0, 0, 0"
            await connection.execute(text(f"INSERT INTO tables ({columns}) VALUES ({values})"))
            await connection.execute(text("INSERT INTO moves (table_id, ply, action, spent, made, key) VALUES ('t', 0, 3, 5, 1.5, 'k')"))
            await connection.commit()
        await storage.open()
        found = await storage.moves_of("t")
        await storage.close()
        return found

    assert asyncio.run(upgraded()) == [MoveRow(0, 3, 5, 1.5, "k")]


def test_idle_tables_are_dropped_from_memory_but_not_from_storage(client, anna):
    table = anna.table()
    anna.move(table, 3)
    rooms = client.app.state.rooms
    rooms.sweep(time.monotonic() + 10_000)
    assert table not in rooms.rooms
    assert anna.state(table)["ply"] == 1


def test_a_thinking_process_shares_its_memory_between_moves_bots_and_games():
    def thinks(game, bot):
        view = rulestone.load(game).new(seed=1).view(0)
        return thinking.think(str(game), view.players, view.options, view.raw, 0, bot, 5)

    thinks("connect_four", "mcts:2ms")
    thinks(WHISPER, "random")  # loads it
    tracemalloc.start()
    for game, bot in (("connect_four", "mcts:2ms"), ("connect_four", "mcts:3ms"), (WHISPER, "mcts:2ms")):
        thinks(game, bot)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 5_000_000


def test_memory_used_by_another_game_changes_no_choice(connect_four, whisper):
    view, shared = connect_four.new(seed=1).view(0), cache(arrays)
    fresh = decide(view, "mcts:200", 5)
    assert decide(whisper.new(seed=1).view(0), make("mcts:200", whisper, arrays=lambda room, edges: shared(201, 5000)), 1)
    assert decide(view, make("mcts:200", connect_four, arrays=lambda room, edges: shared(201, 5000)), 5) == fresh


def test_a_server_opens_its_database_once(url, monkeypatch, capsys):
    opened, ran = [], []
    monkeypatch.setattr(Storage, "open", lambda self, real=Storage.open: opened.append(self) or real(self))

    async def main_loop(self):
        ran.append(self.started)

    monkeypatch.setattr("uvicorn.Server.main_loop", main_loop)
    monkeypatch.setattr("uvicorn.Config.configure_logging", lambda self: None)  # it would close the log handlers of other tests
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        port = trial.getsockname()[1]
    serve("127.0.0.1", port, url)
    assert (ran, len(opened)) == ([True], 1)
    assert "Rulestone is at" in capsys.readouterr().out
