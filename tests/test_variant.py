"""Variants, games with other constants: finding, changing, loading, recording and studying them."""

import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest

import rulestone
from rulestone import cli, variant
from rulestone.bots import choose, make
from rulestone.lab import Study, make_plan, study
from rulestone.lab.command import _kept
from rulestone.lab.examples import Album
from rulestone.lab.folder import Folder, FolderError
from rulestone.lab.plan import listed
from rulestone.lab.run import work
from rulestone.variant import BadChange

pytestmark = pytest.mark.xdist_group("lab")  # only one process compiles

CONTENT = '''"""Pieces."""

import numpy as np

HAND = 6  # cards in a hand
ROWS, COLUMNS = 6, 7
RED, BLUE, GREEN = 0, 1, 2
SPEED: float = 0.5
NAMES = ("é", "Ö"); LIMIT = -1
WEIGHTS = np.array([2, 3, 5], np.uint8)
COPIES = {"boat": 2, 4: (1, 2)}
AREA = ROWS * COLUMNS
WORTH = 5 * 17
DECKS = """
deck   Ho  Swap
plain  10     4
two words 7  0
"""
TILES = """
kind | copies | sides
Eye  | 6      | 0 1 2
"""
PHASES = list(range(3))
'''
RULES = '''"""A game of one number."""

from rulestone.kernel import NOBODY, About, Actions, Record, rule, u8

from .content import HAND

START = 3
ABOUT = About(title="Toy", min_players=2, max_players=2, longest=9)
ACTIONS = Actions(add=HAND)


class State(Record):
    """One number."""

    total: u8


@rule
def setup(s):
    s.total = START


@rule
def legal(s, out):
    for k in range(HAND):
        out[k] = k
    return HAND


@rule
def apply(s, action):
    s.total += action
    s.to_move = 1 - s.to_move
    if s.total > 9:
        s.to_move = NOBODY
'''
BOT = '''"""Adds as much as it says here."""

from rulestone.kernel import rule

ADD = 1


@rule
def greedy(s, moves, count, scratch):
    return moves[ADD]
'''


@pytest.fixture
def toy(tmp_path, monkeypatch):
    monkeypatch.setenv("RULESTONE_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "toy"
    folder.mkdir()
    for name, text in (("content.py", CONTENT), ("rules.py", RULES), ("bot.py", BOT)):
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize(
    ("target", "value", "old", "new"),
    [
        ("HAND", 5, "HAND = 6 ", "HAND = 5 "),
        ("content.HAND", "5", "HAND = 6 ", "HAND = 5 "),
        ("COLUMNS", 8, "= 6, 7", "= 6, 8"),
        ("SPEED", 2, "= 0.5", "= 2"),
        ("LIMIT", -3, "= -1", "= -3"),
        ("NAMES[0]", "ü", '"é"', "'ü'"),
        ("WEIGHTS[1]", 9, "[2, 3, 5]", "[2, 9, 5]"),
        ("WEIGHTS", "(1, 1, 1)", "[2, 3, 5]", "[1, 1, 1]"),
        ("COPIES[boat]", 3, '"boat": 2', '"boat": 3'),
        ("COPIES.boat", 3, '"boat": 2', '"boat": 3'),
        ("COPIES[4,1]", 0, "(1, 2)", "(1, 0)"),
        ("WORTH", 90, "5 * 17", "90"),
        ("DECKS[plain,Swap]", 5, "10     4", "10     5"),
        ("DECKS[two words,Ho]", 12, "words 7", "words 12"),
        ("TILES[Eye,copies]", 7, "| 6  ", "| 7  "),
        ("TILES[Eye,sides]", "0 3", "| 0 1 2", "| 0 3"),
        ("TILES[Eye,2]", 8, "| 6  ", "| 8  "),
    ],
)
def test_the_value_is_replaced_and_the_rest_stays_byte_for_byte(toy, target, value, old, new):
    texts, real = variant.change(toy, {target: value})
    assert CONTENT.count(old) == 1
    assert texts == {"content.py": CONTENT.replace(old, new)}
    assert real == {target: str(value)} or target == "WEIGHTS"


@pytest.mark.parametrize(
    ("target", "value", "words"),
    [
        ("HAMD", 5, "did you mean HAND"),
        ("hand", 5, "did you mean HAND"),
        ("nonsense", 5, "`rulestone options GAME` lists them"),
        ("HAND", "many", "HAND is 6; 'many' is not a value of the same kind"),
        ("HAND", 1.5, "is not a value of the same kind"),
        ("AREA", 50, "AREA can't be changed: it follows from ROWS, COLUMNS"),
        ("BLUE", 2, "not a plain value"),
        ("PHASES", 2, "not a plain value"),
        ("HAND[1]", 2, "has no parts"),
        ("COPIES[raft]", 2, "there is no 'raft'; choose from: boat, 4"),
        ("DECKS[other,Ho]", 2, "there is no row 'other'; rows: plain, two"),
        ("DECKS[plain,Hi]", 2, "there is no column 'Hi'; columns: deck, Ho, Swap"),
        ("DECKS[plain]", 2, "[row,column]"),
    ],
)
def test_a_change_that_is_not_possible_is_refused_in_a_sentence(toy, target, value, words):
    with pytest.raises(BadChange) as refused:
        variant.change(toy, {target: value})
    assert words in str(refused.value)


def test_a_name_in_two_files_must_say_which_file(toy):
    (toy / "bot.py").write_text(BOT + "HAND = 2\n")
    with pytest.raises(BadChange, match=r"write content\.HAND or bot\.HAND"):
        variant.change(toy, {"HAND": 5})
    assert list(variant.change(toy, {"bot.HAND": 5})[0]) == ["bot.py"]


def test_constants_are_listed_with_their_comments(toy):
    found = variant.constants(toy)
    assert (found["HAND"].value, found["HAND"].file, found["HAND"].about) == (6, "content.py", "cards in a hand")
    assert "START" in found
    assert "ADD" in found
    assert not {"AREA", "RED", "ABOUT", "PHASES"} & set(found)


def test_a_folder_is_loaded_with_changes_and_derived_values_follow(toy):
    game = rulestone.load(toy, changes={"HAND": 4, "START": 2})
    assert (game.name, game.title, len(game.actions)) == ("toy@HAND=4;START=2", "Toy with HAND = 4 and START = 2", 4)
    assert game.new(seed=1).state.total == 2
    assert len(rulestone.load(toy).actions) == 6
    assert rulestone.load(f"{toy}@HAND=4;START=2") is game


def test_a_change_to_the_same_value_is_the_game_itself():
    assert rulestone.load("connect_four", changes={"COLUMNS": 7}) is rulestone.load("connect_four")


def test_a_value_that_does_not_fit_the_record_is_refused_before_the_game_starts(toy):
    with pytest.raises(BadChange, match="Toy can't be played with START = 300"):
        rulestone.load(toy, changes={"START": 300})
    with pytest.raises(BadChange, match="Toy can't be played with ADD = 9: list index out of range"):
        rulestone.load(toy, changes={"ADD": 9})
    with pytest.raises(BadChange, match="Toy can't be played with START = 300"):  # not only the first time
        rulestone.load(toy, changes={"START": 300})


def test_a_new_scene_is_copied_and_needs_no_new_compilation(toy):
    (toy / "scene.py").write_text("SIZE = 1\n")
    before = rulestone.load(toy, changes={"HAND": 4})
    (toy / "scene.py").write_text("SIZE = 2\n")
    after = rulestone.load(toy, changes={"HAND": 4})
    assert after.folder == before.folder
    assert (after.folder / "scene.py").read_text() == "SIZE = 2\n"


def test_a_file_that_the_rules_do_not_depend_on_can_be_added_later(toy):
    folder = rulestone.load(toy, {"HAND": 5}).folder
    assert not (folder / "components.py").exists()
    (toy / "components.py").write_text("SIZE = 1\n")
    again = rulestone.load(toy, {"HAND": 5}).folder
    assert again == folder
    assert (folder / "components.py").read_text() == "SIZE = 1\n"


def test_an_unwritable_cache_is_no_obstacle(toy, monkeypatch):
    monkeypatch.setenv("RULESTONE_CACHE", "/proc/nowhere")
    assert len(rulestone.load(toy, changes={"HAND": 3}).actions) == 3


def test_a_bot_can_have_its_own_constants(toy):
    game = rulestone.load(toy)
    view = game.new(seed=1).view(0)
    assert str(choose(view, "greedy", seed=1)) == "add 1"
    assert str(choose(view, "greedy@ADD=4", seed=1)) == "add 4"
    with pytest.raises(BadChange, match=r"only constants in bot\.py"):
        make("greedy@START=1", game)


def test_a_record_carries_the_changes_and_replays_with_them_only():
    game = rulestone.load("connect_four", changes={"COLUMNS": 8})
    match = game.new(seed=7)
    for move in ("drop 7", "drop 0", "drop 7", "drop 0", "drop 7", "drop 0", "drop 7"):
        match.play(move)
    record = json.loads(json.dumps(match.record()))
    assert record["game"] == "connect_four@COLUMNS=8"
    again = rulestone.replay(record)
    assert again.over
    assert again.game is game
    with pytest.raises(rulestone.RecordError):
        rulestone.replay(record, rulestone.load("connect_four"))


def test_values_are_separated_by_commas_or_slashes_outside_brackets():
    assert listed("plain/10,10,7") == ["plain", "10,10,7"]
    assert listed("greedy@KEEP[1,2]=3,random") == ["greedy@KEEP[1,2]=3", "random"]


@pytest.fixture(scope="module")
def wider():
    """A study of Connect Four with the usual seven columns and with eight."""
    plan = make_plan("connect_four", games=1500, seed=5, vary={"COLUMNS": "7,8"})
    return plan, study("connect_four", games=1500, seed=5, vary={"COLUMNS": "7,8"}, workers=1)


def test_a_varied_constant_is_studied_like_an_option(wider):
    plan, told = wider
    assert [cell.game for cell in plan.cells] == ["", "connect_four@COLUMNS=8"]
    assert [cell["set"] for cell in told["cells"]] == [{"COLUMNS": 7}, {"COLUMNS": 8}]
    alone = study("connect_four", games=1500, seed=5, workers=1, changes={"COLUMNS": 8})
    plain = study("connect_four", games=1500, seed=5, workers=1)
    assert (alone["game"], alone["title"]) == ("connect_four@COLUMNS=8", "Connect Four with COLUMNS = 8")
    for cell, other in zip(told["cells"], (plain["cells"][0], alone["cells"][0]), strict=True):
        assert cell["seats"] == other["seats"]
        assert cell["things"] == other["things"]
        assert cell["measures"] == other["measures"]
    longer = next(effect for effect in told["effects"] if effect["on"] == "decisions")
    means = [cell["measures"]["decisions"]["mean"] for cell in told["cells"]]
    assert longer["difference"] == pytest.approx(means[1] - means[0], abs=1e-3)


def test_a_study_is_the_same_on_two_workers_after_a_resume_and_in_its_folder(wider, tmp_path):
    plan, told = wider
    assert Study(plan, workers=2).run() == told
    Study(plan, workers=1, out=tmp_path / "kept").run()
    again = Study(plan, workers=1, out=tmp_path / "kept", resume=True)
    assert again.run() == told
    kept = json.loads((tmp_path / "kept" / "plan.json").read_text())
    assert kept["plan"]["cells"][1]["game"] == "connect_four@COLUMNS=8"


def test_a_study_of_a_changed_game_continues_without_naming_the_change_again(tmp_path):
    plan = make_plan("connect_four", games=10, changes={"COLUMNS": 8})
    Folder(tmp_path / "kept").begin(plan)
    assert _kept("connect_four", tmp_path / "kept") == plan
    with pytest.raises(FolderError, match="holds a study of connect_four@COLUMNS=8, not of artifact"):
        _kept("artifact", tmp_path / "kept")


def test_an_example_of_a_changed_cell_is_a_record_of_the_changed_game(wider):
    plan, _ = wider
    again = Study(plan, workers=1)
    again.run()
    match = Album(plan, again.results).match(1, 3)
    assert match.over
    assert match.record()["game"] == "connect_four@COLUMNS=8"
    assert rulestone.replay(match.record()).payoff == match.payoff


def test_an_option_takes_precedence_over_a_constant_and_both_can_be_varied():
    plan = make_plan("connect_four", games=10, changes={"line": 3}, vary={"ROWS": [6, 7], "COLUMNS": [7, 8]}, grid=False)
    assert [cell.game for cell in plan.cells] == ["", "connect_four@ROWS=7", "connect_four@COLUMNS=8"]
    assert {cell.options["line"] for cell in plan.cells} == {3}
    both = make_plan("connect_four", games=10, changes={"ROWS": 7}, vary={"COLUMNS": [7, 8]})
    assert (both.game, both.cells[1].game) == ("connect_four@ROWS=7", "connect_four@ROWS=7;COLUMNS=8")
    with pytest.raises(ValueError, match="both set and varied"):
        make_plan("connect_four", games=10, changes={"ROWS": 7}, vary={"ROWS": [6, 7]})


def test_line_ups_can_be_varied():
    plan = make_plan("connect_four", games=10, vary={"bots": "random/mcts:5,random"})
    assert [cell.bots for cell in plan.cells] == [("random", "random"), ("mcts:5", "random")]


def test_a_changed_game_is_played_and_verified_at_the_command_line(tmp_path, monkeypatch, capsys):
    record = tmp_path / "record.json"
    for arguments in (["play", "connect_four", "--change", "COLUMNS=8", "--seat", "none", "--seed", "1", "--save", str(record)],
                      ["verify", str(record)], ["options", "connect_four"]):  # fmt: skip
        monkeypatch.setattr(sys, "argv", ["rulestone", *arguments])
        with pytest.raises(SystemExit) as end:
            cli.main()
        assert not end.value.code
    said = capsys.readouterr().out
    assert "Connect Four with COLUMNS = 8" in said
    assert "COLUMNS" in said.rpartition("constant")[2]
    assert json.loads(record.read_text())["game"] == "connect_four@COLUMNS=8"


ELSEWHERE = """
import json, sys
from rulestone.lab.plan import Plan
from rulestone.lab.run import work
_, totals, *_ = work(Plan.from_json(json.load(sys.stdin)), ("games", 0), False)
print(json.dumps([cell["seats"].tolist() for cell in totals]))
"""


def test_another_process_creates_the_changed_game_itself(wider, tmp_path):
    plan, _ = wider
    plan = replace(plan, games=2)
    own = {**os.environ, "RULESTONE_JIT": "0", "RULESTONE_CACHE": str(tmp_path)}
    told = subprocess.run(
        [sys.executable, "-c", ELSEWHERE], input=json.dumps(plan.as_json()), env=own, capture_output=True, text=True, check=True
    )
    assert json.loads(told.stdout) == [cell["seats"].tolist() for cell in work(plan, ("games", 0), False)[1]]
    assert len(list((tmp_path / "variants").iterdir())) == 1


@pytest.mark.parametrize("line", ["A, B, C = 0, 1, 2", "A, B = -1, -2", "A, B, C = 1, 2, 3", "A, B, C = 1, 2, 4", "A, B, C = 0, 4, 8"])
def test_numbers_that_only_distinguish_names_are_not_listed(tmp_path, line):
    (tmp_path / "rules.py").write_text(line + "\n")
    assert variant.constants(tmp_path) == {}
    with pytest.raises(BadChange, match="A can't be changed: it is not a plain value"):
        variant.change(tmp_path, {"A": 7})


@pytest.mark.parametrize("line", ["A, B = 3, 4", "A, B = 1, 2", "A, B = 1, 4", "A, B, C = 15, 4, 6", "A, B, C = 3, 1, 3"])
def test_numbers_of_several_names_in_a_line_are_listed(tmp_path, line):
    (tmp_path / "rules.py").write_text(line + "\n")
    assert list(variant.constants(tmp_path)) == line.split(" = ")[0].split(", ")
