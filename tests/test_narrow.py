"""Narrow layouts: a scene that takes `narrow` is drawn differently on phones; one that does not is drawn as before."""

import re

import pytest

import rulestone
from rulestone.server import puzzles
from rulestone.server.frames import Frames
from rulestone.table import Face, Scene, Step, svg
from rulestone.testing.contract import Case, ContractError, check_scene
from tests.tables import ask, hear

pytestmark = pytest.mark.usefixtures("interpreted")
GAME = "connect_four"


def scene(view, seat, narrow=False):
    """A token that lies elsewhere on a narrow screen, and the columns to click."""
    things = [svg.thing(f"column-{k}", svg.circle(k, 0, 5)) for k in range(7)]
    token = svg.thing("token", svg.circle(0, 0, 9), at=(view.ply, 1 if narrow else 2))
    return Scene(100 if narrow else 300, 200, [*things, token], title="A board")


def steps(before, after, events, narrow=False):
    return [Step(event=k, go={"token": (after.ply, 1 if narrow else 2)}) for k in range(len(events))]


@pytest.fixture
def face(monkeypatch):
    """The face of a game that has a narrow layout."""
    face = Face.of(rulestone.load(GAME))
    monkeypatch.setitem(face.hooks, "scene", scene)
    monkeypatch.setitem(face.hooks, "steps", steps)
    monkeypatch.setattr(face, "narrow", True)
    puzzles.shown.cache_clear()  # other tests have looked at puzzles with the real face
    yield face
    puzzles.shown.cache_clear()


def test_a_scene_without_a_narrow_layout_is_drawn_as_before():
    game = rulestone.load(GAME)
    face, view = Face(game), game.new(1).view(0)
    face.hooks = {**face.hooks, "scene": lambda view, seat: Scene(7, 7, [], title="As ever")}
    face.narrow = False
    assert face.layouts() == (False,)
    assert face.scene(view, 0, True).title == "As ever"
    frames = Frames(face)
    assert frames.frame(game.new(1), 0, "", True, True)["narrow"] is False


def test_a_game_without_a_scene_is_drawn_on_narrow_screens_too():
    game = rulestone.load("tests/toys/whisper")
    assert Face.of(game).scene(game.new(1).view(0), 0, True).things


def test_differences_are_against_the_same_layout(face):
    match = rulestone.load(GAME).new(1)
    frames = Frames(face)
    wide, narrow = (frames.frame(match, 0, "", True, layout) for layout in (False, True))
    assert (wide["scene"]["size"], narrow["scene"]["size"]) == ([300, 200], [100, 200])
    match.play("drop 3")
    frames.turn_page(match)
    for layout, down in ((False, 2), (True, 1)):
        text = frames.text(match, 0, "", True, 0, 0, layout)
        assert '"base":0' in text
        assert '"size"' not in text
        assert f'"token":"translate(1 {down})"' in text, "steps have the places of their layout"
        assert f'transform=\\"translate(1 {down})\\"' in text


def test_a_layout_that_was_not_drawn_before_is_drawn_for_the_difference(face):
    """Whoever has no picture in it says so, and gets a whole one: see the phone that is turned."""
    match = rulestone.load(GAME).new(1)
    frames = Frames(face)
    frames.frame(match, 0, "", True)
    match.play("drop 3")
    frames.turn_page(match)
    text = frames.text(match, 0, "", True, 0, 0, True)
    assert ('"base":0' in text, '"size"' in text, "translate(1 1)" in text) == (True, False, True)
    assert '"base"' not in frames.text(match, 0, "", True, -1, 0, True)


@pytest.mark.parametrize("narrow", [False, True])
def test_a_picture_that_the_page_came_with_is_not_sent_again(face, anna, narrow):
    table = anna.table()
    page = anna.client.get(f"/t/{table}", headers={**anna.headers, "cookie": f"narrow={int(narrow)}"}).text
    drawn = re.search(r'data-drawn="(\w+)"', page)[1]

    def first(layout):
        with anna.client.websocket_connect(f"/ws/tables/{table}?narrow={layout:d}&drawn={drawn}", headers=anna.headers) as socket:
            return hear(socket, "state")["scene"].keys()

    everything = set(anna.state(table)["scene"])
    assert first(narrow) == everything - {"parts", "order"}
    assert first(not narrow) == everything, "the page has the other layout"
    anna.move(table, "drop 2")
    assert first(narrow) == everything, "the page has an older picture"


def test_two_screens_of_one_guest_get_their_own_layouts(face, anna):
    table = anna.table()
    with (
        anna.socket(table) as desk,
        anna.client.websocket_connect(f"/ws/tables/{table}?narrow=1", headers=anna.headers) as phone,
    ):
        assert hear(desk, "state")["scene"]["size"] == [300, 200]
        assert hear(phone, "state")["scene"]["size"] == [100, 200]
        anna.move(table, "drop 2")
        for screen, down in ((desk, 2), (phone, 1)):
            news = hear(screen, "state")
            assert news["base"] == 0
            assert news["narrow"] is (down == 1)
            assert news["steps"][0]["go"] == {"token": f"translate(1 {down})"}


def test_a_phone_that_is_turned_gets_the_other_layout(face, anna):
    table = anna.table()
    with anna.socket(table) as socket:
        assert hear(socket, "state")["narrow"] is False
        socket.send_json({"do": "layout", "id": 1, "narrow": True})
        turned = hear(socket, "state")
        assert (turned["narrow"], turned["scene"]["size"], "base" in turned) == (True, [100, 200], False)
        assert ask(socket, "layout", narrow=True)["t"] == "ok"
        assert ask(socket, "layout", narrow="sideways")["code"] == "not-understood"
        anna.move(table, "drop 2")
        assert hear(socket, "state")["base"] == turned["version"]


@pytest.mark.parametrize(
    ("headers", "width"),
    [
        ({}, 300),
        ({"cookie": "narrow=1"}, 100),
        ({"user-agent": "Mozilla/5.0 (Linux; Android 14) Mobile Safari"}, 100),
        ({"user-agent": "Mozilla/5.0 (Linux; Android 14) Mobile Safari", "cookie": "narrow=0"}, 300),
    ],
    ids=["desktop", "noted", "phone", "phone held sideways"],
)
def test_pages_arrive_with_the_picture_for_their_screen(face, anna, headers, width):
    table = anna.table()
    for page in (f"/t/{table}", f"/t/{table}/replay", f"/puzzles/{GAME}"):
        assert f'viewBox="0 0 {width} 200"' in anna.client.get(page, headers={**anna.headers, **headers}).text, page


def test_replays_puzzles_lessons_and_rules_have_narrow_pictures(face, anna):
    table = anna.table()
    anna.move(table, "drop 2")
    frame = anna.get(f"/api/tables/{table}/frames/1?eyes=0&narrow=true").json()
    assert (frame["scene"]["size"], frame["steps"][0]["go"]) == ([100, 200], {"token": "translate(1 1)"})
    assert anna.get(f"/api/tables/{table}/frames/1?eyes=0").json()["scene"]["size"] == [300, 200]
    for narrow, width in ((True, 100), (False, 300)):
        asked = f"?narrow={str(narrow).lower()}"
        assert anna.get(f"/api/puzzles/{GAME}{asked}").json()["state"]["scene"]["size"][0] == width
        assert anna.get(f"/api/games/{GAME}/lesson/0{asked}").json()["frame"]["scene"]["size"][0] == width
        assert anna.get(f"/api/games/{GAME}/pictures/0{asked}").json()["frames"][0]["scene"]["size"][0] == width
        assert f'viewBox="0 0 {width} 200"' in anna.get(f"/rules/{GAME}/pictures/0.svg{asked}").text


def test_the_contract_wants_everything_clickable_in_the_narrow_layout(face, monkeypatch):
    check_scene(face.game, Case(2), 1)

    def bare(view, seat, narrow=False):
        whole = scene(view, seat, narrow)
        return Scene(100, 200, whole.things[2:], title="A board") if narrow else whole

    monkeypatch.setitem(face.hooks, "scene", bare)
    with pytest.raises(ContractError, match=r"player 0 on a narrow screen lacks things that can be clicked: .*'column-0', 'column-1'"):
        check_scene(face.game, Case(2), 1)
