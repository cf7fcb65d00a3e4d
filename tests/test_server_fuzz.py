"""Sockets get anything: every message is answered exactly once, refusals change nothing, and nothing goes wrong inside."""

import json
import logging
import os

import hypothesis
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from rulestone.server.app import create_app
from rulestone.server.sockets import COSTS, LARGEST_MESSAGE
from rulestone.server.thinking import Thinker
from tests.tables import WHISPER, Person, hear

VERBS = [*COSTS, "move", "why", "ping", "fly", ""]
QUICK = 100
texts = st.text(max_size=30) | st.sampled_from(["<script>", "\u202eabc", "\0", "drop 3", "0.0", "NaN", "\ud83d\ude00", "x" * 600])
values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 9) | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
fields = ("seat", "name", "bot", "at", "move", "key", "number", "yes", "text", "who", "reason", "on", "thing", "narrow")
requests = st.builds(
    lambda verb, number, more: {"do": verb, "id": number, **more},
    st.sampled_from(VERBS) | values,
    st.integers(0, 10**6),
    st.dictionaries(st.sampled_from(fields) | texts, values, max_size=4),
)
frames = (
    requests.map(lambda message: json.dumps(message, default=str))
    | texts
    | values.map(lambda value: json.dumps(value, default=str))
    | st.binary(max_size=40)
    | st.sampled_from(["[" * 2000, "x" * (LARGEST_MESSAGE + 1), '{"id": 1e400}', '{"do": "ping", "id": 1, "id": 2}', b""])
)


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    async def choose(self, source, view, bot, *rest):
        return view.game.actions.parse(view.legal()[0]), bot

    async def weigh(self, source, view, *rest):
        return []

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RULESTONE_JIT", "0")
        patch.setattr(Thinker, "choose", choose)
        patch.setattr(Thinker, "weigh", weigh)
        app = create_app(f"sqlite:///{tmp_path_factory.mktemp('fuzz')}/tables.db", games=[WHISPER], pace=0, limits=False)
        with TestClient(app) as client:
            yield client


def send(line, frame):
    if isinstance(frame, bytes):
        line.send_bytes(frame)
    else:
        line.send_text(frame)


def answers(line):
    """What the frames sent so far were answered with. A ping at the end says that there is no more."""
    line.send_json({"do": "ping", "id": -1})
    found = []
    while True:
        message = line.receive_json()
        if message["t"] in ("ok", "refused"):
            if message["id"] == -1:
                return found
            found.append(message)


def number_of(frame):
    """The number a frame asks to be answered under."""
    try:
        message = json.loads(frame) if isinstance(frame, str) and len(frame) <= LARGEST_MESSAGE else None
    except (ValueError, RecursionError):
        return None
    number = message.get("id") if isinstance(message, dict) else None
    return number if isinstance(number, int) else None


def state_of(client, table):
    """Everything about a table that is stored, and everything a stranger sees."""

    async def read():
        storage = client.app.state.rooms.storage
        return await storage.table(table), await storage.moves_of(table), await storage.chat_of(table)

    row, moves, chat = client.portal.call(read)
    row.updated, row.waits, row.due = 0, None, None
    return row, moves, chat


def fuzz(client, game, examples, caplog):
    anna = Person(client)

    @hypothesis.settings(
        max_examples=examples, deadline=None, database=None, derandomize=examples == QUICK, suppress_health_check=list(HealthCheck)
    )
    @given(sent=st.lists(frames, min_size=1, max_size=6), whose=st.sampled_from(["anna", "stranger"]))
    def check(sent, whose):
        person = anna if whose == "anna" else Person(client)
        with person.socket(table) as line:
            hear(line, "state")
            before = state_of(client, table)
            for frame in sent:
                send(line, frame)
            found = answers(line)
            assert len(found) == len(sent)
            assert [message["id"] for message in found if message["id"] is not None and message["t"] == "ok"] == [
                number_of(frame) for frame, message in zip(sent, found, strict=True) if message["t"] == "ok" and message["id"] is not None
            ]
            assert all(message["text"] and message["code"] for message in found if message["t"] == "refused")
            if all(message["t"] == "refused" for message in found):
                assert state_of(client, table) == before

    seats = [{"kind": "me"}, {"kind": "open"}] if game == "connect_four" else [{"kind": "me"}] * 2
    table = anna.table(game, seats=seats)
    with caplog.at_level(logging.WARNING):
        check()
    assert not [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR or record.exc_info]


@pytest.mark.parametrize("game", ["connect_four", "whisper"])
def test_every_message_is_answered_once_and_refusals_change_nothing(world, game, caplog):
    fuzz(world, game, QUICK, caplog)


@pytest.mark.soak
@pytest.mark.parametrize("game", ["connect_four", "whisper"])
def test_very_many_messages_are_answered_once(world, game, caplog):
    hypothesis.seed(int(os.environ.get("RULESTONE_SOAK_SEED", "1")))
    fuzz(world, game, 5000, caplog)
