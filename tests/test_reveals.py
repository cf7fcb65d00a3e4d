"""Steps that open hidden things on the way: whoever was told sees them, nobody else gets a byte of them, and they are closed again."""

import json
import shutil

import pytest

import rulestone
from rulestone.server.frames import Frames
from rulestone.table import Face
from rulestone.testing import Case, ContractError
from rulestone.testing.contract import check_scene
from tests.tables import WHISPER

SCENE = """from rulestone.table import Scene, Step, svg


def card(seat, value):
    drawn = svg.text(f"card {value}") if value is not None else svg.rect(0, 0, 5, 5)
    return svg.thing(f"hand-{seat}", drawn, at=(10 * seat, 0), face="down" if value is None else "up")


def scene(view, seat):
    return Scene(30, 10, [card(one, None) for one in range(view.players)], "")


def picks(view, move):
    return ()


def steps(before, after, events):
    return [Step(event=k, show=(card(*event.args),) if event.name == "draws" else ()) for k, event in enumerate(events)]
"""


@pytest.fixture
def memory(tmp_path, monkeypatch):
    """Whisper, but you see a card only while you draw it."""
    monkeypatch.setenv("RULESTONE_JIT", "0")
    folder = shutil.copytree(WHISPER, tmp_path / "memory", ignore=shutil.ignore_patterns("__pycache__"))
    rules = (folder / "rules.py").read_text()
    (folder / "rules.py").write_text(rules.replace('draws="{who:seat} draws {card}."', 'draws="{who:seat} draws {card}. "'))
    (folder / "scene.py").write_text(SCENE)
    return rulestone.load(folder)


def sent(match, move):
    """What everybody is sent after a move."""
    frames, eyes = Frames(Face.of(match.game)), [None, *range(match.players)]
    for one in eyes:
        frames.page(match, one)
    match.play(move)
    frames.turn_page(match)
    return {one: frames.text(match, one, "1", True, 0, one) for one in eyes}


def test_whoever_is_told_sees_it_until_the_next_scene(memory):
    match = memory.new(seed=3, players=2)
    frame = json.loads(sent(match, "change")[0])
    (shown,) = [step["show"] for step in frame["steps"] if "show" in step]
    assert f">card {match.state.hand[0]}<" in shown[0]
    assert ">card" not in json.dumps(frame["scene"])


def test_nobody_else_gets_a_byte_of_it(memory):
    texts = []
    for seed in range(40):
        match = memory.new(seed=3, players=2)
        world = match.view(1).imagine(seed)
        texts.append((sent(world, "change"), world.state.hand[0]))
    assert len({card for _, card in texts}) > 3
    assert len({text[0] for text, _ in texts}) > 3
    for one in (None, 1):
        assert len({text[one] for text, _ in texts}) == 1
        assert not any("show" in step for step in json.loads(texts[0][0][one])["steps"])
        assert ">card" not in texts[0][0][one]


def test_a_game_with_such_steps_keeps_the_contract(memory):
    check_scene(memory, Case(2), 1)


def test_a_later_step_can_move_only_what_an_earlier_one_has_shown(memory):
    text = SCENE.replace("return [Step(", "return [Step(go={'ghost': (1, 1)})] + [Step(")
    (memory.folder / "scene.py").write_text(text)
    with pytest.raises(ContractError, match=r"things that aren't in the picture: \['ghost'\]"):
        check_scene(rulestone.load(memory.folder), Case(2), 1)
    ghost = "[Step(show=(svg.thing('ghost', at=(0, 0)),)), Step(go={'ghost': (1, 1)})] + [Step("
    (memory.folder / "scene.py").write_text(SCENE.replace("return [Step(", f"return {ghost}"))
    check_scene(rulestone.load(memory.folder), Case(2), 1)


def test_steps_that_show_nothing_are_sent_as_before():
    from rulestone.table import Step

    assert Step(event=1).data() == {"event": 1, "go": {}, "flash": [], "ms": 320}
