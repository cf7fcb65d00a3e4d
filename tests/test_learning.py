"""Lessons and the pictures in the rules: what a game's folder describes can be shown, and every click gets an answer."""

import re

import pytest
from rich.console import Console
from starlette.testclient import TestClient

import rulestone
from rulestone.learning import BrokenLesson, Lesson, lay, pictures, read_picture, without_pictures
from rulestone.lesson import Position, Step
from rulestone.match import IllegalMove, Match
from rulestone.scaffold import make
from rulestone.server.app import create_app
from rulestone.server.frames import Frames
from rulestone.table import Face
from rulestone.terminal import Teacher
from rulestone.testing import ContractError, check_lesson

GAMES = rulestone.games()


def lesson(game, *steps):
    return Lesson(game, list(steps))


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    database = tmp_path_factory.mktemp("learning") / "tables.db"
    with TestClient(create_app(f"sqlite:///{database}", limits=False), base_url="http://localhost") as client:
        yield client


# ---- positions


def test_a_position_is_laid_by_moves_and_by_fields(connect_four):
    match = lay(connect_four, Position(moves=["drop 3"], fields={"height": {0: 2}, "grid": {(0, 0): 1, "1, 0": 0}}))
    assert match.state.height[3] == 1
    assert (match.state.height[0], match.state.grid[0, 0], match.state.grid[1, 0]) == (2, 1, 0)


def test_a_position_written_by_hand_has_no_story(connect_four):
    assert lay(connect_four, Position(moves=["drop 3"])).events
    assert not lay(connect_four, Position(moves=["drop 3"], fields={"to_move": 0})).events


def test_a_move_may_have_its_generator_set(whisper):
    first, again = (lay(whisper, Position(seed=3, moves=["whisper 1 0 @ 5"])).raw for _ in range(2))
    assert first == again


# ---- steps


def test_a_right_move_is_made_and_its_reply_follows(connect_four):
    taught = lesson(connect_four, Step("Middle!", Position(), ["drop 3"], right="Good.", then=["drop 0"]))
    answer = taught.answer(0, "drop 3")
    assert (answer.right, answer.says) == (True, "Good.")
    assert [shown.match.length for shown in answer.follows] == [1, 2]
    assert answer.follows[1].before.length == 1


def test_a_wrong_move_changes_nothing_and_gets_its_own_answer(connect_four):
    step = Step("Middle!", Position(), ["drop 3"], wrong={"drop 0": "Not the corner.", "": "Not there."})
    taught = lesson(connect_four, step)
    assert [taught.answer(0, f"drop {column}").says for column in (0, 1)] == ["Not the corner.", "Not there."]
    assert taught.answer(0, "drop 0").follows == ()
    assert taught.start(0).length == 0


def test_a_move_that_nothing_on_the_board_stands_for_lights_up_its_button(connect_four, monkeypatch):
    taught = lesson(connect_four, Step("Middle!", Position(), ["drop 3"]), Step("That's it."))
    assert [taught.button(0), taught.button(1)] == [None, None]
    monkeypatch.setitem(Face.of(connect_four).hooks, "picks", lambda view, move: ())
    assert (taught.glow(0), taught.button(0)) == ([], 3)


def test_an_impossible_move_is_refused_with_the_rules_own_reason(connect_four):
    full = Position(moves=["drop 0"] * 6)
    with pytest.raises(IllegalMove, match="full"):
        lesson(connect_four, Step("Middle!", full, ["drop 3"])).answer(0, "drop 0")


def test_a_step_without_a_position_continues_after_the_step_before(connect_four):
    taught = lesson(connect_four, Step("Middle!", Position(), ["drop 3"], then=["drop 0"]), Step("Again!", expect=["drop 3"]))
    assert taught.start(1).moves == [("drop", 3), ("drop", 0)]


def test_a_step_continues_after_the_move_that_the_learner_made(connect_four):
    left = Step("To the left!", Position(), lambda view, move: move.args[0] < 3, then=["drop 6"])
    taught = lesson(connect_four, left, Step("Again!", expect=["drop 3"]), Step("And again!", expect=["drop 3"], at=Position()))
    assert taught.after(0, "drop 2").start(1).moves == [("drop", 2), ("drop", 6)]
    assert taught.start(1).moves == [("drop", 0), ("drop", 6)], "the lesson itself stays as it is"
    assert taught.after(1, "drop 3").start(2).length == 0, "a step with its own position begins there"
    assert taught.after(0, "drop 5") is taught, "after a wrong move nothing changes"


def test_a_step_that_is_broken_after_one_of_several_right_moves_is_found(connect_four):
    left = Step("To the left!", Position(moves=["drop 0"] * 5), lambda view, move: move.args[0] < 2)
    with pytest.raises(BrokenLesson, match="expects 'drop 0', which is not possible"):
        lesson(connect_four, Step("First.", Position()), left, Step("The corner!", expect=["drop 0"])).check()


@pytest.mark.parametrize("name", GAMES)
def test_a_lesson_continues_on_the_page_where_the_learner_is(client, name):
    """Wherever a step accepts several moves, what was put down stays where it is in the next step."""
    taught = Lesson.of(rulestone.load(name))
    for number, step in enumerate(taught.steps[1:]):
        for move in taught.expected(number)[-1:] if step.at is None else ():
            ends = client.post(f"/api/games/{name}/lesson/{number}", json={"move": str(move)}).json()["follows"][-1]
            begins = client.get(f"/api/games/{name}/lesson/{number + 1}", params={"made": str(move)}).json()["frame"]
            if taught.seat(number) == taught.seat(number + 1):
                assert begins["scene"]["parts"] == ends["scene"]["parts"]


def test_a_move_that_was_not_possible_is_refused_by_the_next_step(client):
    answer = client.get("/api/games/connect_four/lesson/1", params={"made": "drop 9"})
    assert (answer.status_code, answer.json()["code"]) == (422, "illegal")


def test_what_is_expected_may_be_a_function(connect_four):
    taught = lesson(connect_four, Step("To the left!", Position(), lambda view, move: move.args[0] < 3))
    assert taught.expected(0) == [("drop", 0), ("drop", 1), ("drop", 2)]


@pytest.mark.parametrize(
    ("step", "problem"),
    [
        (Step("Full!", Position(moves=["drop 0"] * 6), ["drop 0"]), "expects 'drop 0', which is not possible"),
        (Step("Nothing!", Position(), lambda view, move: False), "none is right"),
        (Step("What?", Position(), ["drop 3"], glow=["tower-3"]), "lights up 'tower-3'"),
        (Step("Silent.", Position(), ["drop 3"], wrong=""), "says nothing to 'drop 0'"),
        (Step("", Position()), "has no text"),
        (Step("Late.", Position(moves=["drop 9"])), "cannot be shown"),
        (Step("Reply?", Position(), ["drop 3"], then=["drop 9"]), "follows 'drop 9'"),
        (Step("Where?"), "needs a position"),
    ],
)
def test_what_is_wrong_with_a_lesson_is_found(connect_four, step, problem):
    with pytest.raises(BrokenLesson, match=problem):
        lesson(connect_four, step).check()


@pytest.mark.parametrize("name", GAMES)
def test_every_lesson_has_six_to_twelve_steps_reaches_its_end_and_answers_every_click(name):
    taught = Lesson.of(rulestone.load(name))
    assert taught is not None, "there is no lesson"
    assert 6 <= len(taught) <= 12
    taught.check()
    assert not taught.steps[-1].expect or taught.answer(len(taught) - 1, taught.expected(len(taught) - 1)[0]).right
    assert sum(len(step.text.split()) for step in taught.steps) <= 450, "three minutes are not enough"


# ---- pictures


@pytest.mark.parametrize("name", GAMES)
def test_every_picture_in_the_rules_can_be_drawn_and_played(name):
    game = rulestone.load(name)
    shown = pictures(game)
    assert len(shown) >= (2 if name == "connect_four" else 8)
    for picture in shown:
        picture.check()
        assert picture.caption.endswith((".", "!", "?")), picture.caption
    assert sum(bool(picture.play) for picture in shown) >= len(shown) // 2


@pytest.mark.parametrize(
    ("block", "problem"),
    [("A move.\nplay: drop 9\n", "drop"), ("A light.\nlight: tower\n", "no 'tower'"), ("Fields.\nfields: {\n", "not JSON")],
)
def test_a_picture_that_cannot_be_shown_says_why(connect_four, block, problem):
    with pytest.raises(BrokenLesson, match=problem):
        read_picture(connect_four, block).check()


def test_a_picture_lights_up_even_squares_that_show_only_when_they_can_be_clicked(connect_four):
    """Such targets are hidden in pictures that stand alone."""
    drawn = read_picture(connect_four, "A column.\nlight: column-3\n").svg
    assert ".alone .target{visibility:hidden}" in drawn
    (lit,) = re.findall(r"#column-3&gt;:first-child{(.*?)}", drawn)
    assert "visibility:visible" in lit


def test_readers_without_pictures_get_the_captions():
    text = "Before.\n\n```scene\nRed wins\nat once.\nmoves: drop 3\n```\n\nAfter.\n"
    assert without_pictures(text) == "Before.\n\n> Red wins\nat once.\n\nAfter.\n"


def test_the_kit_finds_a_broken_lesson(tmp_path):
    folder = make("my_game", tmp_path)
    (folder / "lesson.py").write_text('from rulestone.lesson import Position, Step\n\nSTEPS = [Step("", at=Position())]\n')
    with pytest.raises(ContractError, match="step 1 of the lesson of my_game has no text"):
        check_lesson(rulestone.load(folder))


# ---- in the browser and the terminal


def test_the_server_teaches_step_by_step(client):
    step = client.get("/api/games/connect_four/lesson/0").json()
    assert (step["step"], step["waits"], step["glow"]) == (0, True, ["column-3"])
    assert len(step["frame"]["moves"]) == 7
    wrong = client.post("/api/games/connect_four/lesson/0", json={"move": "drop 0"}).json()
    assert (wrong["right"], wrong["follows"]) == (False, [])
    right = client.post("/api/games/connect_four/lesson/0", json={"move": 3}).json()
    assert right["right"]
    assert right["follows"][0]["story"]["lines"] == ["Red drops a disc into column 4. [R3]"]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("get", "/api/games/connect_four/lesson/99", 404),
        ("get", "/api/games/nothing/lesson/0", 404),
        ("get", "/rules/connect_four/pictures/99.svg", 404),
        ("get", "/learn/nothing", 404),
    ],
)
def test_what_is_not_there_is_refused(client, method, path, status):
    assert getattr(client, method)(path).status_code == status


def test_a_move_that_is_none_is_refused(client):
    answer = client.post("/api/games/connect_four/lesson/0", json={"move": "fly 3"})
    assert answer.status_code == 422


@pytest.mark.parametrize("name", GAMES)
def test_the_rules_page_shows_every_picture(client, name):
    page = client.get(f"/rules/{name}").text
    shown = pictures(rulestone.load(name))
    assert page.count("<figure") == len(shown)
    assert "language-scene" not in page
    for number, picture in enumerate(shown):
        assert client.get(f"/rules/{name}/pictures/{number}.svg").text.startswith("<svg")
        assert len(client.get(f"/api/games/{name}/pictures/{number}").json()["frames"]) == 1 + bool(picture.play)


def test_the_terminal_teaches_with_the_same_steps(connect_four, monkeypatch):
    answers = iter(["drop 0", "?", "drop 3", "q"])
    console = Console(record=True, width=200)
    monkeypatch.setattr(console, "input", lambda prompt: next(answers))
    assert not Teacher(console, Lesson.of(connect_four)).run()
    said = console.export_text()
    steps = Lesson.of(connect_four).steps
    assert steps[0].wrong in said
    assert "Try 'drop 3'" in said
    assert steps[1].text in said


def test_the_terminal_lesson_numbers_the_moves_as_a_game_does(connect_four, monkeypatch):
    answers = iter(["99", "l", "4", "q"])
    console = Console(record=True, width=200)
    monkeypatch.setattr(console, "input", lambda prompt: next(answers))
    assert not Teacher(console, Lesson.of(connect_four)).run()
    said = console.export_text()
    assert said.count("4 drop 3") == 3  # at the first step, when listed again, and at the next step
    assert "There is no move number 99; choose 1..7" in said
    assert Lesson.of(connect_four).steps[0].right in said


def test_the_terminal_lesson_describes_its_positions_in_words(connect_four, monkeypatch):
    answers = iter(["d", "q"])
    console = Console(record=True, width=200)
    monkeypatch.setattr(console, "input", lambda prompt: next(answers))
    assert not Teacher(console, Lesson.of(connect_four)).run()
    lesson = Lesson.of(connect_four)
    assert lesson.face.in_words(lesson.view(0), 0)[0].title in console.export_text()


def test_the_goal_and_the_rule_are_in_sight(connect_four):
    view = connect_four.new(seed=1).view(0)
    assert "four" in Face.of(connect_four).goal(view, 0)
    assert Face.of(connect_four).rule(view) == "R3"


def test_the_moves_are_listed_once_for_a_frame(connect_four, monkeypatch):
    """The rule that applies is found among the moves that are offered anyway."""
    match, listed = connect_four.new(seed=1), []
    legal = Match.legal
    monkeypatch.setattr(Match, "legal", lambda self, *more: listed.append(self) or legal(self, *more))
    frame = Frames(Face.of(connect_four)).frame(match, 0, "", True)
    assert (frame["rule"], len(frame["moves"]), len(listed)) == ("R3", 7, 1)
