"""The description of the REST interface is true: made-up requests are answered or refused as it says, and never with an error."""

import ast
import logging
import os
import re
from functools import cache
from pathlib import Path

import hypothesis
import pytest
import schemathesis
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance, status_code_conformance
from starlette.testclient import TestClient

import rulestone
from rulestone.server import refusal
from rulestone.server.answers import ANSWERS, REFUSALS
from rulestone.server.app import create_app
from rulestone.server.labs import Labs
from rulestone.server.reviews import Reviews
from rulestone.server.thinking import Thinker
from tests.conftest import ROOT
from tests.tables import Person

CHECKS = [status_code_conformance, content_type_conformance, response_schema_conformance]
QUICK = 15
UNTYPED = {
    *("get /api/tables/{table}/story", "get /api/studies/{study}/report", "get /api/me/games.zip", "get /api/tables/{table}/dice"),
    "post /api/studies/estimate",
}
"""Calls whose answer FastAPI describes by itself: lists of text, pages, files, and what has a model already."""


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A server with people, a running table, a finished one and a series. Bots think at once."""

    async def choose(self, source, view, bot, *rest):
        return view.game.actions.parse(view.legal()[0]), bot

    async def weigh(self, source, view, *rest):
        return [(view.game.actions.parse(move), 0.5) for move in view.legal()[:2]]

    async def curve(self, source, match, positions, *rest):
        return [[0.5] * match.players for _ in positions]

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RULESTONE_JIT", "0")
        for name, act in (("choose", choose), ("weigh", weigh), ("curve", curve)):
            patch.setattr(Thinker, name, act)
        patch.setattr(Labs, "_begin", lambda self, work: work.close())

        async def rest(self, room, asked):
            pass

        patch.setattr(Reviews, "_run", rest)
        app = create_app(f"sqlite:///{tmp_path_factory.mktemp('schema')}/tables.db", pace=0, limits=False)
        with TestClient(app, raise_server_exceptions=False) as client:
            anna, ben = Person(client), Person(client)
            over, running, series, mixed = anna.table(), anna.table(), anna.table(series={"length": 2}), anna.table(seats=["me", "open"])
            for column in (3, 4, 3, 4, 3, 4, 3):
                assert anna.move(over, column).status_code == 200
            ben.post(f"/api/tables/{mixed}/sit", {"seat": 1, "name": "Ben"})
            anna.post(f"/api/tables/{running}/chat", {"text": "hello"})
            known = {
                "table": [over, running, series, mixed, "nowhere", "%00", "x" * 300],
                "series": [anna.info(series)["series"]["id"], "nowhere"],
                "game": ["connect_four", "micro_medusa", "chess"],
                "people": [anna.headers, ben.headers, {}, {"Authorization": "Bearer forged"}],
                "at": [anna.state(running)["at"], anna.state(over)["at"]],
            }
            yield client, known


DESCRIPTION = create_app("sqlite://").openapi()
LABELS = [f"{method.upper()} {path}" for path, methods in DESCRIPTION["paths"].items() for method in methods]


@cache
def operations():
    schema = schemathesis.openapi.from_dict(DESCRIPTION)
    return {result.ok().label: result.ok() for result in schema.get_all_operations()}


def test_every_operation_is_tried_out():
    assert list(operations()) == LABELS


def try_out(world, label, examples):
    client, known = world

    @hypothesis.settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=examples == QUICK,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operations()[label].as_strategy(), data=st.data())
    def check(case, data):
        for name in ("table", "series", "game"):
            if name in (case.path_parameters or {}):
                case.path_parameters[name] = data.draw(st.sampled_from(known[name]))
        if isinstance(case.body, dict) and "at" in case.body:
            case.body["at"] = data.draw(st.sampled_from(known["at"]))
        whose = data.draw(st.sampled_from(known["people"]))
        if "/api/me" in label and whose is known["people"][0]:  # somebody new: these calls sign people out
            whose = Person(client).headers
        sent = case.as_transport_kwargs(base_url="http://testserver", headers=whose)
        sent = {name: sent[name] for name in ("method", "url", "headers", "params", "json", "data") if sent.get(name) is not None}
        if isinstance(sent.get("data"), bytes | str):
            sent["content"] = sent.pop("data")
        answer = client.request(**sent)
        assert answer.status_code < 500 or answer.json()["code"] in refusal.CODES[503], answer.text
        case.validate_response(answer, checks=CHECKS)

    check()


@pytest.mark.parametrize("label", LABELS)
def test_made_up_requests_are_answered_as_described(world, label, caplog):
    with caplog.at_level(logging.ERROR):
        try_out(world, label, QUICK)
    assert not [record for record in caplog.records if record.exc_info]


@pytest.mark.soak
@pytest.mark.parametrize("label", LABELS)
def test_very_many_made_up_requests_are_answered_as_described(world, label, caplog):
    hypothesis.seed(int(os.environ.get("RULESTONE_SOAK_SEED", "1")))
    try_out(world, label, 300)
    assert not [record for record in caplog.records if record.exc_info]


@pytest.mark.parametrize(
    "body", [b'{"game": "\xff"}', b"[" * 60_000, b'{"game": %s}' % (b"9" * 5_000)], ids=["no text", "nested", "digits"]
)
def test_a_body_that_cannot_be_read_is_refused_as_described(world, body):
    client, known = world
    answer = client.post("/api/tables", content=body, headers={**known["people"][0], "Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["code"]) == (422, "not-understood")


def test_a_body_that_does_not_say_how_long_it_is_cannot_be_too_long_either(world):
    client, known = world
    answer = client.post(
        "/api/tables", content=(b" " * 10_000 for _ in range(8)), headers={**known["people"][0], "Content-Type": "application/json"}
    )
    assert (answer.status_code, answer.json()["code"]) == (413, "too-large")


class Checked:
    """A person whose answers are all compared with their description."""

    def __init__(self, client, headers):
        self.client, self.headers, self.seen = client, headers, set()

    def __call__(self, call, body=None, **names):
        method, path = call.split()
        answer = self.client.request(method, path.format(**names), json=body, headers=self.headers)
        assert answer.status_code < 300, answer.text
        model, how = ANSWERS[call]
        for one in answer.json() if how == "list" else [answer.json()]:
            model.model_validate(one, strict=True)
        self.seen.add(call)
        return answer.json()


def test_the_answers_of_whole_games_are_as_described(world):
    client, _ = world
    anna, ben = (Checked(client, Person(client).headers) for _ in range(2))

    def new(*seats, **more):
        return anna("post /api/tables", {"game": "connect_four", "seats": [{"kind": kind} for kind in seats], **more})["id"]

    def act(person, verb, body=None, table=None):
        return person(f"post /api/tables/{{table}}/{verb}", body, table=table or alone)

    def move(person, table, column):
        at = person("get /api/tables/{table}", table=table)["state"]["at"]
        return act(person, "moves", {"at": at, "move": column}, table)

    alone = new("me", "me")
    act(anna, "hint")
    move(anna, alone, 3)
    assert act(anna, "undo")["ply"] == 0
    act(anna, "leave", {"seat": 1})
    act(anna, "return", {"seat": 1})
    act(anna, "call-off")
    act(anna, "bot", {"seat": 1, "bot": "random"}, new("me", "open", series={"length": 2}))
    pair = new("me", "open")
    act(ben, "sit", {"seat": 1, "name": "Ben"}, pair)
    act(anna, "draw", {}, pair)
    act(anna, "withdraw", {}, pair)
    move(anna, pair, 3)
    act(ben, "draw", {}, pair)
    asked = anna("get /api/tables/{table}", table=pair)["table"]["request"]
    act(anna, "answer", {"number": asked["number"], "yes": False}, pair)
    client.app.state.rooms.rooms[pair].last_seen[client.app.state.rooms.rooms[pair].row.seats[1].guest] = -1000.0
    act(anna, "substitute", {"seat": 1}, pair)
    act(ben, "resign", {"seat": 1}, pair)
    record = anna("get /api/tables/{table}/record", table=pair)
    anna("post /api/records", record)
    act(anna, "rematch", {}, pair)
    act(anna, "fork", {"index": 0}, pair)
    anna("get /api/tables/{table}/curve", table=pair)
    act(anna, "review", {}, pair)
    puzzle = anna("get /api/puzzles/{game}", game="connect_four")["id"]
    anna("post /api/puzzles/{game}/{id}", {"move": ""}, game="connect_four", id=puzzle)
    link = anna("post /api/me/links")["link"].partition("#")[2]
    ben("post /api/me/links/look", {"code": link})
    ben("post /api/me/links/use", {"code": link})
    study = anna("post /api/studies", {"game": "connect_four", "games": 10})["id"]
    anna("get /api/studies/{study}", study=study)


@pytest.mark.parametrize("name", rulestone.games())
def test_positions_of_every_game_are_as_described(world, name):
    client, _ = world
    anna = Checked(client, Person(client).headers)
    facts = anna("get /api/games/{game}", game=name)
    table = anna("post /api/tables", {"game": name, "seats": [{"kind": "me"}] * facts["usual_players"]})["id"]
    for call in ("get /api/tables/{table}", "get /api/tables/{table}/words", "get /api/tables/{table}/position"):
        anna(call, table=table)
    anna("get /api/tables/{table}/frames/{index}", table=table, index=0)


def test_every_call_says_what_it_answers():
    paths = create_app("sqlite://").openapi()["paths"]
    calls = {f"{method} {path}": call for path, methods in paths.items() for method, call in methods.items()}
    silent = {name for name, call in calls.items() if "204" in call["responses"]}
    assert {*calls} - silent - UNTYPED == {*ANSWERS}
    for call in calls.values():
        assert {str(status) for status in REFUSALS} <= {*call["responses"]}


def refusals_in_the_code():
    """Every `Refused(code, text, status)` in the server."""
    found = {("stale", 409), ("storage", 503), ("too-fast", 429), ("full", 503), ("other-rules", 409)}  # classes of their own
    for file in (ROOT / "src" / "rulestone" / "server").glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Refused":
                codes = re.findall(r"'([a-z-]+)'", ast.unparse(node.args[0])) if not isinstance(node.args[0], ast.Name) else []
                status = ast.literal_eval(node.args[2]) if len(node.args) > 2 and isinstance(node.args[2], ast.Constant) else 409
                found |= {(code, status) for code in codes if code != "http"}
    return found


def test_all_refusals_are_listed_with_their_status_and_no_others():
    listed = {(code, status) for status, codes in refusal.CODES.items() for code in codes if code != "http"}
    assert refusals_in_the_code() == listed


def test_all_refusals_are_in_the_documentation():
    text = Path(ROOT / "docs" / "server" / "rest.md").read_text()
    for status, codes in refusal.CODES.items():
        row = next(line for line in text.splitlines() if line.startswith(f"| {status} |"))
        assert {*re.findall(r"`([a-z-]+)`", row)} == {*codes}
