"""The kit, the scenes and pictures of positions. A scene depends on the view alone."""

import random
import re
from xml.etree import ElementTree

import numpy as np
import pytest

import rulestone
from rulestone.server.frames import difference
from rulestone.table import Card, Face, Plate, Scene, kit, svg
from rulestone.table.draw import CannotDraw, draw
from rulestone.table.look import COLOURS, stylesheet
from tests.conftest import ROOT


def positions(game, seed=3, count=40):
    """Positions of one random game, from the first to the last."""
    chooser, match = random.Random(seed), game.new(seed=seed)
    reached = [match.copy()]
    while not match.over:
        match.play(chooser.choice(match.legal()))
        reached.append(match.copy())
    step = max(1, len(reached) // count)
    return [*reached[::step], reached[-1]]


def everything(face, view, seat):
    """Everything a face produces for a view, as one comparable value."""
    scene = face.scene(view, seat)
    story = face.story(view)
    wrong = [face.why_not(view, id) for id in scene.parts][:50]
    return scene.data(), face.moves(view), face.prompt(view, seat), story, wrong, face.in_words(view, seat)


@pytest.mark.slow
@pytest.mark.parametrize("name", rulestone.games())
def test_every_position_has_a_picture_with_words(name):
    game = rulestone.load(name)
    face = Face.of(game)
    for match in positions(game):
        for seat in (None, *range(match.players)):
            view = match.view(seat)
            scene = face.scene(view, seat)
            ElementTree.fromstring(scene.document())
            assert scene.title
            assert set(scene.cards) <= set(re.findall(r'id="([^"]+)"', scene.inline()))
            assert len(scene.plates) == match.players
            ids = re.findall(r'\bid="([^"]+)"', scene.inline())
            assert len(ids) == len(set(ids)), "an id stands twice in the scene"
            for move in face.moves(view):
                assert move["label"]
                assert set(move["picks"]) <= set(ids), f"{move} picks what is not there"


@pytest.mark.slow
@pytest.mark.parametrize("name", rulestone.games())
def test_equal_views_give_equal_scenes_and_words(name):
    """Redealt worlds that the viewer can't tell from the true one look and read exactly the same."""
    game = rulestone.load(name)
    face = Face.of(game)
    for match in positions(game, seed=5, count=12):
        for seat in (None, *range(match.players)):
            world = match.copy()
            viewer = -1 if seat is None else seat
            world._run("conceal", viewer)
            world._s.rng = 99
            world._run("redeal", viewer)
            assert everything(face, match.view(seat), seat) == everything(face, world.view(seat), seat)


@pytest.mark.slow
@pytest.mark.parametrize("name", rulestone.games())
def test_a_scene_is_a_pure_function(name):
    """It doesn't change the view, and returns the same result again."""
    game = rulestone.load(name)
    face = Face.of(game)
    for match in positions(game, count=6):
        view = match.view(0)
        before = view.raw
        assert face.scene(view, 0).data() == face.scene(view, 0).data()
        assert view.raw == before


@pytest.mark.parametrize("name", rulestone.games())
def test_scenes_use_only_named_colours(name):
    game = rulestone.load(name)
    body = "".join(Face.of(game).scene(positions(game, count=3)[-1].view(None), None).things)
    assert not re.search(r'(fill|stroke)="(#|rgb|[a-z]+")', body.replace('fill-rule="evenodd"', ""))
    assert " style=" not in body


def test_colours_are_checked():
    with pytest.raises(ValueError, match="'crimson' is not a colour"):
        svg.circle(0, 0, 5, fill="crimson")
    for name in COLOURS - {"none"}:
        assert f"--{name}:" in stylesheet()


def test_words_are_escaped():
    assert "<script>" not in svg.text("<script>alert(1)</script>")
    with pytest.raises(ValueError, match="can't be the id of a thing"):
        svg.thing('x" onload="alert(1)')


def test_two_things_cannot_share_an_id():
    scene = Scene(10, 10, [svg.thing("a"), svg.thing("a")], "twice")
    with pytest.raises(ValueError, match="two things of the scene have the id 'a'"):
        scene.data()


PARTS = {
    "token": kit.token(0),
    "pawn": kit.pawn(3),
    "cube": kit.cube(2),
    "tile": kit.tile(40, height=6),
    "face_down": kit.face_down(40, 1),
    "hexagon": kit.hexagon(30, fill="board"),
    "card": kit.card(80, 120, "Title", "", "foot"),
    "card_back": kit.card_back(80, 120),
    "stack": kit.stack(4, kit.tile(20)),
    "die": kit.die(5) + kit.die(12) + kit.die(None),
    "pips": kit.pips(2, 4),
    "meter": kit.meter(1, 4, 80),
    "label": kit.label("words"),
    "arrow": kit.arrow(),
    "coin": kit.coin("", light=False),
    "medallion": kit.medallion("", worn=True),
    "frieze": kit.frieze(200),
    "board": kit.board(100, 100),
    "target": kit.target(10, 10),
    "wedge": svg.wedge(20, 60, 0, 30, fill="sea"),
    "curve": svg.curve([(0, 0), (5, 9), (20, 3)]),
    "marks": "".join(kit.mark(hue) for hue in range(6)),
}


@pytest.mark.parametrize("name", PARTS)
def test_every_part_of_the_kit_is_well_formed(name):
    assert len(ElementTree.fromstring(f"<g>{PARTS[name]}</g>")) > 0


def test_layouts():
    assert kit.Grid(2, 2, 10, gap=2).centre(1, 1) == (17, 17)
    x, y = kit.Ring(4, 100).at(1)
    assert (round(x), round(y)) == (100, 0)
    x, y = kit.Hexes(10).centre(1, 0)
    assert (round(x, 1), y) == (17.3, 0)
    assert [round(place[2]) for place in kit.fan(3, x=0, y=0)] == [-8, 0, 8]


def test_a_difference_leads_from_one_scene_to_the_next():
    one = Scene(10, 10, [svg.thing("a"), svg.thing("b")], "one", cards={"a": Card("A"), "b": Card("B")}, plates=[Plate(("1",))])
    two = Scene(10, 10, [svg.thing("b", at=(1, 1)), svg.thing("c")], "two", cards={"b": Card("B")}, plates=[Plate(("2",))], panels=True)
    assert difference(one, two) == {
        "title": "two",
        "parts": {"b": two.parts["b"], "c": two.parts["c"], "a": None},
        "order": ["b", "c"],
        "cards": {"a": None},
        "plates": [{"lines": ["2"], "badge": ""}],
        "panels": True,
    }
    assert difference(two, two) == {"parts": {}, "cards": {}}


def test_drawing_a_file(tmp_path, connect_four):
    scene = Face.of(connect_four).scene(connect_four.new(seed=1).view(None), None)
    draw(scene, tmp_path / "four.svg")
    assert ElementTree.parse(tmp_path / "four.svg").getroot().tag.endswith("svg")
    with pytest.raises(CannotDraw, match=r"must end in .svg or .png"):
        draw(scene, tmp_path / "four.gif")


def test_a_png_without_chromium_is_refused_with_a_reason(tmp_path, connect_four, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CannotDraw, match="Chromium, which is not installed"):
        draw(Face.of(connect_four).scene(connect_four.new(seed=1).view(None), None), tmp_path / "four.png")


def test_connect_four_shows_the_winning_line(connect_four):
    match = connect_four.new(seed=1)
    for column in (0, 1, 0, 1, 0, 1, 0):
        match.play(column)
    scene = Face.of(connect_four).scene(match.view(None), None)
    ringed = [id for id, part in scene.parts.items() if "s-gold" in part]
    assert ringed == ["disc-0-0", "disc-1-0", "disc-2-0", "disc-3-0"]
    assert Face.of(connect_four).ending(match.view(None))[0] == "Red wins."


def test_the_example_of_the_document_is_a_whole_game(tmp_path):
    """docs/scenes/example.md: its rules and its scene, played to the end and looked at all the way."""
    blocks = re.findall(r"^```python (\w+\.py)\n(.*?)^```$", (ROOT / "docs" / "scenes" / "example.md").read_text(), re.M | re.S)
    assert [name for name, _ in blocks] == ["rules.py", "scene.py"]
    for name, code in blocks:
        (tmp_path / name).write_text(code)
    game = rulestone.load(tmp_path)
    face, match, chooser = Face.of(game), game.new(seed=4, players=3), random.Random(4)
    assert not face.automatic
    walked = 0
    while not match.over:
        view = match.view(match.to_move)
        ids = set(face.scene(view, match.to_move).parts)
        assert all(set(move["picks"]) <= ids for move in face.moves(view))
        assert face.prompt(view, match.to_move)[:3] == "You"
        before = match.copy()
        match.play(chooser.choice(match.legal()))
        steps = face.steps(before.view(0), match.view(0))
        walked += sum(len(step["go"]) for step in steps)
        assert all(set(step["go"]) <= ids for step in steps)
    assert walked >= 12
    assert "wins." in face.ending(match.view(0))[0]
    blocked = next(place for place in range(12) if match.state.stone[place])
    assert face.why_not(match.view(0), f"place-{blocked}") == "That place is stone."
    assert match.check() is None


def test_a_strangers_game_has_an_automatic_face(whisper):
    match = whisper.new(seed=1, players=2)
    face = Face.of(whisper)
    assert face.automatic
    view = match.view(0)
    assert str(int(view.state.hand[0])) in "".join(face.scene(view, 0).parts["field-hand"])
    assert face.prompt(view, 0) == "Your turn, Red: change, whisper or show."
    assert np.all(match.view(None).state.hand[:2] == -1)
