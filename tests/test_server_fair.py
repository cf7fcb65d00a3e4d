"""Fair play at a table: hints, undo by consent, resigning, draws, calling off, and running out of time."""

import time

import pytest
from starlette.testclient import TestClient

import rulestone
from rulestone.server.app import create_app
from tests.tables import WHISPER, Person, ask, hear, joined
from tests.test_together import RPS

pytestmark = pytest.mark.usefixtures("interpreted")
BOT = {"kind": "bot", "bot": "random"}


def serving(url):
    return TestClient(create_app(url, games=[WHISPER, RPS], pace=0, limits=False))


@pytest.fixture
def client(url):
    with serving(url) as client:
        yield client


@pytest.fixture
def cleo(client):
    return Person(client)


def seated(*people, game="connect_four", bots=0, **more):
    """A table where each person has a seat, in their order, and bots have the rest."""
    host, *guests = people
    table = host.table(game, ["me", *["open"] * len(guests), *[BOT] * bots], **more)
    for seat, guest in enumerate(guests, 1):
        assert guest.post(f"/api/tables/{table}/sit", {"seat": seat}).status_code == 200
    return table


def does(person, table, verb, **body):
    return person.post(f"/api/tables/{table}/{verb}", body).json()


def answers(person, table, yes):
    return does(person, table, "answer", number=person.info(table)["request"]["number"], yes=yes)


def record(person, table):
    """The record of the finished game, which must also replay."""
    made = person.get(f"/api/tables/{table}/record").json()
    game = person.client.app.state.rooms.games[made["game"]]
    assert rulestone.replay(made, game).payoff == tuple(made["payoff"])
    return made


# ---- what is decided when the table is set up -------------------------------------------------------------------------------


def test_fair_play_is_decided_at_set_up_and_everybody_sees_it(anna, ben):
    table = seated(anna, ben, fair={"hints": "on", "undo": "free", "time": "lose"}, clock={"kind": "move", "seconds": 60})
    said = ["Hints are on.", "You can undo without asking.", "If your time runs out, you lose."]
    assert anna.info(table)["fair"] == ben.info(table)["fair"] == {"hints": "on", "undo": "free", "time": "lose", "says": said}
    assert Person(anna.client).info(table)["fair"]["says"] == said, "spectators, too"


def test_the_usual_fair_play_depends_on_how_many_people_play(anna, ben):
    alone, two = anna.table(seats=["me", BOT]), seated(anna, ben)
    assert anna.info(alone)["fair"]["says"] == ["Hints are on.", "You can undo your moves."]
    assert anna.info(two)["fair"]["says"] == ["Hints are off: two or more people play.", "You can undo a move if everybody else agrees."]


def test_what_is_not_fair_play_is_refused_with_the_choices(anna):
    answer = anna.post("/api/tables", {"game": "connect_four", "seats": [{"kind": "me"}, BOT], "fair": {"hints": "always"}})
    assert answer.status_code == 422
    assert "'alone', 'on' or 'off'" in answer.text


def test_the_interface_describes_fair_play(client):
    described = client.get("/api/openapi.json").json()["components"]["schemas"]["FairPlay"]["properties"]
    assert described["hints"]["enum"] == ["alone", "on", "off"]
    assert all(field["description"] for field in described.values())


def test_fair_play_and_endings_survive_a_restart(either):
    chosen = {"hints": "off", "undo": "off", "time": "lose"}
    with serving(either) as client:
        anna, ben, cleo = Person(client), Person(client), Person(client)
        table = seated(anna, ben, fair=chosen)
        three = seated(anna, ben, cleo, game="artifact")
        does(ben, three, "resign", seat=1)
        does(ben, table, "resign", seat=1)
        before = record(anna, table)
    with serving(either) as client:
        anna.client = ben.client = cleo.client = client
        info = ben.info(table)
        assert {name: info["fair"][name] for name in chosen} == chosen
        assert (info["over"], info["ended"], record(anna, table)) == (True, {"resigned": [1]}, before)
        assert anna.state(table)["ending"] == ["Red wins.", "Blue resigned."]
        assert (ben.info(three)["seats"][1]["out"], ben.info(three)["over"]) == ("resigned", False)
        again = does(anna, table, "rematch")["id"]
        assert {name: anna.info(again)["fair"][name] for name in chosen} == chosen, "a rematch keeps it"


# ---- hints -------------------------------------------------------------------------------------------------------------------


def test_hints_are_on_alone_and_off_as_soon_as_two_people_play(anna, ben):
    alone, two = anna.table(seats=["me", BOT]), seated(anna, ben)
    assert (anna.info(alone)["hints"], anna.info(two)["hints"]) == (True, False)
    assert "move" in does(anna, alone, "hint")
    answer = anna.post(f"/api/tables/{two}/hint")
    assert (answer.status_code, answer.json()["text"]) == (403, "Hints are off at this table, because two or more people play.")
    off = anna.table(seats=["me", BOT], fair={"hints": "off"})
    assert does(anna, off, "hint")["text"] == "Hints are off at this table."


def test_hints_can_be_on_between_people(anna, ben):
    assert "move" in does(anna, seated(anna, ben, fair={"hints": "on"}), "hint")


# ---- undo by consent ---------------------------------------------------------------------------------------------------------


def test_a_move_is_undone_once_everybody_else_has_agreed(anna, ben):
    table = seated(anna, ben)
    anna.move(table, 3)
    with ben.socket(table) as socket, Person(anna.client).socket(table) as spectator:
        joined(socket)
        joined(spectator)
        assert does(anna, table, "undo")["asked"]
        assert hear(socket, "notice")["text"] == hear(spectator, "notice")["text"] == "Red would like to undo their last move."
        wish = ben.info(table)["request"]
        assert (wish["kind"], wish["seat"], wish["mine"], wish["asked"]) == ("undo", 0, False, True)
        assert anna.info(table)["request"]["mine"]
        assert anna.state(table)["ply"] == 1, "nothing happens before"
        ask(socket, "answer", number=wish["number"], yes=True)
    assert (anna.state(table)["ply"], anna.info(table)["request"]) == (0, None)


def test_a_declined_request_changes_nothing_and_cannot_be_repeated_in_the_same_position(anna, ben):
    table = seated(anna, ben)
    anna.move(table, 3)
    assert anna.info(table)["undo"]
    does(anna, table, "undo")
    with anna.socket(table) as socket:
        joined(socket)
        answers(ben, table, yes=False)
        assert hear(socket, "notice")["text"] == "Blue declined."
    assert (anna.state(table)["ply"], anna.info(table)["request"], anna.info(table)["undo"]) == (1, None, False)
    assert does(anna, table, "undo")["code"] == "asked"
    for person in (ben, anna):
        person.move(table, 3)
    assert does(anna, table, "undo")["asked"], "after the next move one may ask again"


def test_everybody_else_has_to_agree(anna, ben, cleo):
    table = seated(anna, ben, cleo, game="misdirection", options={"opening_roll": "fresh"})
    state = anna.state(table)
    mover = [anna, ben, cleo][state["to_move"]]
    others = [person for person in (anna, ben, cleo) if person is not mover]
    does(mover, table, "draw")
    assert answers(others[0], table, yes=True)["request"]["asked"] is False
    assert not mover.info(table)["over"]
    assert does(others[0], table, "answer", number=mover.info(table)["request"]["number"], yes=True)["code"] == "not-asked"
    assert answers(others[1], table, yes=True)["over"]


def test_a_request_is_void_after_the_next_move(anna, ben):
    table = seated(anna, ben)
    anna.move(table, 3)
    does(anna, table, "undo")
    number = ben.info(table)["request"]["number"]
    ben.move(table, 3)
    assert ben.info(table)["request"] is None
    assert does(ben, table, "answer", number=number, yes=True)["code"] == "no-request"
    assert anna.state(table)["ply"] == 2


def test_a_request_is_void_after_a_restart(tmp_path):
    url = f"sqlite:///{tmp_path / 'tables.db'}"
    with serving(url) as client:
        anna, ben = Person(client), Person(client)
        table = seated(anna, ben)
        does(anna, table, "draw")
    with serving(url) as client:
        anna.client = ben.client = client
        assert ben.info(table)["request"] is None
        assert does(ben, table, "answer", number=1, yes=True)["code"] == "no-request"


def test_an_answer_to_an_older_request_does_not_count_for_a_newer_one(anna, ben):
    table = seated(anna, ben)
    does(anna, table, "draw")
    old = ben.info(table)["request"]["number"]
    does(anna, table, "withdraw")
    anna.move(table, 3)
    does(anna, table, "draw")
    assert does(ben, table, "answer", number=old, yes=True)["code"] == "no-request"
    assert not ben.info(table)["over"]


def test_whoever_has_asked_to_undo_withdraws_the_request_before_moving_on(anna, ben):
    """If moving on withdrew it, the others would notice a move that they may not notice."""
    table = seated(anna, ben, game="artifact")
    mover = (anna, ben)[anna.state(table)["to_move"]]
    room = anna.client.app.state.rooms.rooms[table]
    room.wishes.ask("undo", room.row.seats[room.match.to_move].guest, room.match.to_move, {"x"}, room.at_for(None))
    move = mover.state(table)["moves"][0]["move"]
    assert mover.move(table, move).json()["code"] == "asked"
    does(mover, table, "withdraw")
    assert mover.move(table, move).status_code == 200


def test_undo_is_free_against_bots_and_where_the_table_says_so(anna, ben):
    table = seated(anna, ben, fair={"undo": "free"})
    anna.move(table, 3)
    with ben.socket(table) as socket:
        joined(socket)
        assert not does(anna, table, "undo")["asked"]
        assert hear(socket, "notice")["text"] == "Red has undone their last move."
    assert anna.state(table)["ply"] == 0
    alone = anna.table(seats=["me", BOT])
    anna.client.app.state.rooms.rooms[alone].pace = 1000
    anna.move(alone, 3)
    assert not does(anna, alone, "undo")["asked"]
    assert anna.state(alone)["ply"] == 0


def test_a_table_can_be_without_undo(anna):
    table = anna.table(fair={"undo": "off"})
    anna.move(table, 3)
    assert not anna.info(table)["undo"]
    assert does(anna, table, "undo")["code"] == "no-undo"


def test_undo_is_offered_only_when_it_would_be_granted(anna, ben):
    table = anna.table("whisper", ["me", BOT])
    anna.client.app.state.rooms.rooms[table].pace = 1000
    anna.move(table, "change")
    assert not anna.info(table)["undo"], "a card was drawn"
    assert does(anna, table, "undo")["code"] == "revealed"
    four = seated(anna, ben)
    assert not anna.info(four)["undo"]
    anna.move(four, 3)
    assert (anna.info(four)["undo"], ben.info(four)["undo"]) == (True, False)


def test_the_page_is_told_when_undo_has_become_possible(anna, ben, monkeypatch):
    monkeypatch.setattr("rulestone.server.room.UNDO_SECONDS", 0)
    table = seated(anna, ben)
    with anna.socket(table) as socket:
        anna.move(table, 3)
        while not hear(socket, "table")["undo"]:
            pass


def test_nobody_is_asked_about_an_undo_that_would_reveal_something(anna, ben):
    table = seated(anna, ben, game="whisper")
    with ben.socket(table) as socket:
        anna.move(table, "change")
        assert does(anna, table, "undo")["code"] in ("revealed", "secret")
        assert ask(socket, "ping")["t"] == "ok"
    assert ben.info(table)["request"] is None


def test_a_decision_that_nobody_else_knows_about_is_undone_without_asking(anna, ben):
    table = seated(anna, ben, game="rps")
    anna.move(table, "show Rock")
    before = ben.get(f"/api/tables/{table}").json()
    assert before["state"]["deciders"] == [1]
    assert not does(anna, table, "undo")["asked"]
    assert anna.state(table)["deciders"] == [0, 1]
    assert ben.info(table)["request"] is None


# ---- resigning, draws, calling off -------------------------------------------------------------------------------------------


def test_resigning_ends_a_game_for_two(anna, ben):
    table = seated(anna, ben)
    anna.move(table, 3)
    with ben.socket(table) as socket:
        joined(socket)
        does(anna, table, "resign", seat=0)
        assert hear(socket, "notice")["text"] == "Red resigned."
    assert ben.state(table)["ending"] == ["Blue wins.", "Red resigned."]
    made = record(ben, table)
    assert (made["ended"], made["payoff"], made["moves"]) == ({"resigned": [0]}, [-1, 1], ["drop 3"])
    assert does(ben, table, "resign", seat=1)["code"] == "over"
    assert ben.move(table, 3).json()["code"] == "over"
    assert anna.get(f"/t/{table}/replay").status_code == 200
    assert anna.get(f"/api/tables/{table}/frames/1?eyes=open").json()["ending"] == ["Blue wins.", "Red resigned."]


def test_a_bot_plays_on_for_one_of_three_who_resigns(anna, ben, cleo):
    table = seated(anna, ben, cleo, game="artifact")
    info = does(ben, table, "resign", seat=1)
    assert (info["over"], info["seats"][1]["out"], info["seats"][1]["stand_in"], info["may"]) == (False, "resigned", True, {})
    for verb in ("return", "leave", "resign"):
        assert does(ben, table, verb, seat=1)["code"] == "out"
    assert does(anna, table, "resign", seat=0)["over"], "only one is left"
    made = record(cleo, table)
    assert (made["ended"], made["payoff"]) == ({"resigned": [0, 1]}, [-1, -1, 1])


def test_whoever_resigned_has_lost_even_if_the_bot_wins(anna, ben, cleo):
    table = seated(anna, ben, cleo, game="misdirection", options={"cap_turns": 1})
    does(ben, table, "resign", seat=1)
    until = time.monotonic() + 60
    while not anna.info(table)["over"] and time.monotonic() < until:
        for person in (anna, cleo):
            state = person.state(table)
            if state["moves"]:
                person.move(table, state["moves"][0]["action"])
    made = record(anna, table)
    assert (made["ended"], made["payoff"][1]) == ({"resigned": [1]}, -1)


def test_somebody_alone_against_bots_ends_the_game_by_resigning(anna):
    table = anna.table("artifact", ["me", BOT, BOT])
    anna.client.app.state.rooms.rooms[table].pace = 1000
    assert does(anna, table, "resign", seat=0)["ended"] == {"resigned": [0]}
    assert record(anna, table)["payoff"] == pytest.approx([-1, 0.5, 0.5])


def test_a_team_gives_up_together(anna, ben):
    table = seated(anna, ben, game="sarpedon", bots=2)
    anna.client.app.state.rooms.rooms[table].pace = 1000
    does(anna, table, "resign", seat=0)
    assert (ben.info(table)["over"], ben.info(table)["request"]["text"]) == (False, "Red would like to give up.")
    assert does(ben, table, "resign", seat=1)["code"] == "asked"
    answers(ben, table, yes=True)
    assert ben.state(table)["ending"] == ["You lose together.", "You gave up."]
    assert record(ben, table)["payoff"] == [-1] * 4


def test_a_draw_needs_everybodys_agreement(anna, ben):
    table = seated(anna, ben)
    does(ben, table, "draw")
    assert anna.info(table)["request"]["text"] == "Blue offers a draw."
    answers(anna, table, yes=True)
    assert anna.state(table)["ending"] == ["A draw.", "The players agreed on it."]
    assert (record(anna, table)["ended"], record(anna, table)["payoff"]) == ({"agreed": [0, 1]}, [0, 0])


def test_a_draw_is_only_offered_between_people_who_compete(anna, ben):
    alone, team = anna.table(seats=["me", BOT]), seated(anna, ben, game="sarpedon", bots=2)
    assert does(anna, alone, "draw")["text"] == "Bots never agree to a draw. You can offer one if only people play."
    assert does(anna, team, "draw")["code"] == "no-draw"
    assert "draw" not in {**anna.info(alone)["may"], **anna.info(team)["may"]}
    assert "draw" in anna.info(seated(anna, ben))["may"]


def test_a_game_can_be_called_off_until_everybody_has_moved(anna, ben):
    table = seated(anna, ben)
    anna.move(table, 3)
    does(ben, table, "call-off")
    assert anna.state(table)["ending"] == ["The game was called off.", "Nobody wins or loses."]
    assert (record(anna, table)["ended"], record(anna, table)["payoff"]) == ({"called off": [1]}, [0, 0])
    later = seated(anna, ben)
    anna.move(later, 3)
    ben.move(later, 3)
    assert "call_off" not in anna.info(later)["may"]
    assert does(anna, later, "call-off")["code"] == "too-late"


def test_spectators_and_guests_of_a_waiting_table_can_end_nothing(anna, ben):
    table = anna.table(seats=["me", "open"])
    for verb in ("draw", "call-off"):
        assert does(anna, table, verb)["code"] == "not-started"
        assert does(ben, seated(anna, Person(anna.client)), verb)["code"] == "not-seated"
    assert does(ben, table, "resign", seat=0)["code"] == "not-yours"
    assert does(anna, table, "resign", seat=0)["code"] == "not-started"


def test_two_servers_cannot_both_move_and_end_a_game(tmp_path):
    url = f"sqlite:///{tmp_path / 'tables.db'}"
    with serving(url) as one, serving(url) as two:
        anna, ben = Person(one), Person(one)
        table = seated(anna, ben)
        anna.move(table, 3)
        elsewhere = Person(two, ben.headers)
        assert elsewhere.state(table)["ply"] == 1
        does(anna, table, "resign", seat=0)
        assert elsewhere.move(table, 3).json()["code"] == "stale"
        assert elsewhere.info(table)["over"]
        assert record(elsewhere, table) == record(anna, table)


# ---- running out of time -----------------------------------------------------------------------------------------------------


def run_out(client, table, person):
    """Let the clock of the player to move run out."""
    room = client.app.state.rooms.rooms[table]
    seat = room.match.to_move
    room.began[seat] -= 200
    client.portal.call(room.go_on)
    until = time.monotonic() + 20
    while not (room.match.over or room.row.seats[seat].stand_in) and time.monotonic() < until:
        time.sleep(0.01)
    return person.info(table)


def test_a_seat_loses_on_time_where_the_table_says_so(client, anna, ben, cleo):
    clock = {"kind": "game", "seconds": 100}
    two = seated(anna, ben, clock=clock, fair={"time": "lose"})
    assert run_out(client, two, ben)["ended"] == {"time": [0]}
    assert (record(ben, two)["payoff"], ben.state(two)["ending"]) == ([-1, 1], ["Blue wins.", "Red ran out of time."])
    three = seated(anna, ben, cleo, game="artifact", clock=clock, fair={"time": "lose"})
    client.app.state.rooms.rooms[three].pace = 1000
    info = run_out(client, three, anna)
    assert ([seat["out"] for seat in info["seats"]].count("time"), info["over"]) == (1, False)


def test_a_bot_plays_on_for_somebody_out_of_time_by_default(client, anna, ben):
    table = seated(anna, ben, clock={"kind": "game", "seconds": 100})
    client.app.state.rooms.rooms[table].pace = 1000
    info = run_out(client, table, ben)
    assert (info["over"], info["seats"][0]["stand_in"], info["seats"][0]["out"]) == (False, True, "")
