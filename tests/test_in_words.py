"""Positions in words, for people who can't see the picture: whole, structured, and only for those who ask."""

import io
import random
import re

import pytest
from rich.console import Console

import rulestone
from rulestone.server.frames import Frames
from rulestone.table import Face, Part, Plate, Scene, auto
from rulestone.terminal import Session
from rulestone.testing import ContractError, check_game
from tests.tables import ask, hear

SILENT = re.compile(r"[^\w\s.,:;?!'’%°()+=/–-]")
"""What a screen reader may pass over in silence: arrows, marks, glyphs of a drawing."""


def some_positions(name, plies=60, every=4, seed=8):
    """Positions of a random game, for a start and the middle of the game, and the last one."""
    match, chooser = rulestone.load(name).new(seed=seed), random.Random(seed)
    while not match.over and match.ply < plies:
        if match.ply % every == 0:
            yield match.copy()
        match.play(chooser.choice(match.legal()))
    yield match


@pytest.mark.parametrize("name", rulestone.games())
def test_every_position_can_be_read_aloud(name):
    for match in some_positions(name):
        for seat in (None, *range(match.players)):
            parts = Face.of(match.game).in_words(match.view(seat), seat)
            titles = [part.title for part in parts]
            assert len(set(titles)) == len(titles) > 0
            said = [word for part in parts for word in (part.title, *part.lines, *part.head, *(cell for row in part.rows for cell in row))]
            assert not [words for words in said if SILENT.search(words)]
            assert all(line[-1] in ".?!" and line[0] == line[0].upper() for part in parts for line in part.lines)
            for player in range(match.players):
                assert match.game.about.name(player, match.players) in " ".join(said) or match.ply == 0


@pytest.mark.parametrize("name", rulestone.games())
def test_no_two_moves_have_the_same_name(name):
    """Without the picture the name of a move is all there is."""
    for match in some_positions(name, plies=200, every=1):
        if not match.over:
            labels = [move["label"] for move in Face.of(match.game).moves(match.view(match.to_move))]
            assert len(set(labels)) == len(labels)
            assert not [label for label in labels if SILENT.search(label)]


def test_connect_four_is_a_table(connect_four):
    match = connect_four.new(seed=7)
    for column in (3, 3, 4):
        match.play(column)
    (board,) = Face.of(connect_four).in_words(match.view(1), 1)
    assert board.lines == ["The last disc: Red, column 5, row 1 from the bottom."]
    assert board.head[:2] == ("Row", "Column 1")
    assert board.rows[-1] == ("Row 1", "empty", "empty", "empty", "Red", "Red", "empty", "empty")
    assert board.rows[-2][4] == "Blue"


def test_a_game_without_a_scene_lists_its_fields(whisper):
    view = whisper.new(seed=1, players=2).view(0)
    (part,) = Face.of(whisper).in_words(view, 0)
    fields = {name: value for name, value, _ in part.rows}
    assert fields["hand"].split()[0] == str(int(view.state.hand[0]))
    assert "-1" in fields["hand"], "what is hidden stays hidden"


def test_a_scene_without_words_of_its_own_is_read_from_its_cards(connect_four, monkeypatch):
    face = Face(connect_four)
    monkeypatch.delitem(face.hooks, "in_words")
    match = connect_four.new(seed=7)
    match.play(2)
    view = match.view(0)
    assert "Red's disc: Column 3, row 1 from the bottom." in face.in_words(view, 0)[0].lines
    plain = Scene(1, 1, [], "A title", plates=[Plate(("2 fish",), "frozen"), Plate()])
    board, red = auto.in_words(view, plain)
    assert board.lines == ["A title."]
    assert (red.title, red.lines) == ("Red", ["2 fish", "frozen"])


def test_words_that_fail_are_replaced_by_the_fields(connect_four, monkeypatch, caplog):
    face = Face(connect_four)
    monkeypatch.setitem(face.hooks, "in_words", lambda view, seat: 1 / 0)
    (part,) = Frames(face).in_words(connect_four.new(seed=7), 0)
    assert part["head"] == ["Field", "Value", "Meaning"]
    assert "the words of connect_four failed" in caplog.text


@pytest.mark.parametrize("wrong", [Part("", ["A line."]), Part("The board", head=("One", "Two"), rows=[("alone",)])])
def test_the_contract_refuses_parts_that_cannot_be_shown(connect_four, monkeypatch, wrong):
    monkeypatch.setitem(Face.of(connect_four).hooks, "in_words", lambda view, seat: [wrong])
    with pytest.raises(ContractError, match="in_words"):
        check_game(connect_four, matches=1, games=1, positions=1)


def test_the_terminal_describes_the_position(connect_four, monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    typed = iter(["d", "?", "q"])
    console = Console(file=io.StringIO(), width=120)
    monkeypatch.setattr(console, "input", lambda prompt: next(typed))
    Session(console, connect_four.new(seed=7), {0}, "random").run()
    said = console.file.getvalue()
    assert "Column 7" in said
    assert "d  describe the position in words" in said


def test_lessons_pictures_puzzles_and_replays_can_be_read_as_well(interpreted, anna):
    said = Face.of(rulestone.load("connect_four")).in_words(rulestone.load("connect_four").new(seed=7).view(0), 0)
    start = [part.data() for part in said]
    assert anna.get("/api/games/connect_four/lesson/0").json()["frame"]["parts"] == start
    after = anna.post("/api/games/connect_four/lesson/0", {"move": "drop 3"}).json()["follows"][-1]
    assert after["parts"][0]["rows"][-1][4] == "Red"
    assert anna.get("/api/games/connect_four/pictures/0").json()["frames"][0]["parts"]
    assert anna.get("/api/puzzles/connect_four").json()["state"]["parts"]
    table = anna.table("connect_four", ["me", "me"])
    assert anna.get(f"/api/tables/{table}/frames/0?words=true").json()["parts"] == start
    assert "parts" not in anna.get(f"/api/tables/{table}/frames/0").json()


def test_a_replay_in_words_says_no_more_than_its_viewer_saw(interpreted, anna, ben):
    table = anna.table("whisper", ["me", "open"])
    ben.post(f"/api/tables/{table}/sit", {"seat": 1})
    path = f"/api/tables/{table}/frames/0?words=true&eyes=0"
    (hand,) = [row[1] for row in anna.get(path).json()["parts"][0]["rows"] if row[0] == "hand"]
    assert hand.split()[1] == "-1", "what Ben holds stays hidden"
    assert ben.get(path).status_code == 403


def test_the_server_sends_words_only_to_those_who_ask(interpreted, anna, ben):
    table = anna.table("whisper", ["me", "open"])
    ben.post(f"/api/tables/{table}/sit", {"seat": 1})
    with anna.socket(table) as socket:
        assert "parts" not in hear(socket, "state")
        said = ask(socket, "words")["words"]
    assert said == anna.get(f"/api/tables/{table}/words").json()
    assert said["at"] == anna.state(table)["at"]
    hands = [
        next(row[1] for row in person.get(f"/api/tables/{table}/words").json()["parts"][0]["rows"] if row[0] == "hand")
        for person in (anna, ben)
    ]
    assert hands[0] != hands[1], "each reads their own hand"
