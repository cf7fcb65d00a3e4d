"""`rulestone review` and `rulestone puzzles`, and the hint in the terminal."""

import json

import pytest

from tests.test_cli import run


@pytest.fixture
def record(tmp_path, connect_four):
    match = connect_four.new(seed=7)
    for column in (3, 2, 3, 2, 3, 2, 3):
        match.play(column)
    path = tmp_path / "game.json"
    path.write_text(json.dumps(match.record()))
    return path


def test_a_review_in_the_terminal(record):
    done = run("review", record, "--simulations", 600, RULESTONE_JIT="0")
    assert done.returncode == 0
    assert "Blue, blunder. Move 6: Drop into column 3 kept 0 %; Drop into column 4 would have kept" in done.stdout
    assert [line.split()[0] for line in done.stdout.splitlines()[:3]] == ["player", "Red", "Blue"]


def test_a_review_as_json_is_the_same_for_the_same_seed(record):
    one, two = (json.loads(run("review", record, "--simulations", 130, "--seed", 5, "--json", RULESTONE_JIT="0").stdout) for _ in range(2))
    assert one.pop("seconds") != two.pop("seconds")
    assert one == two
    assert one["seed"] == 5


def test_a_review_as_one_page_that_needs_nothing_else(record, tmp_path):
    page = tmp_path / "review.html"
    done = run("review", record, "--simulations", 600, "--html", page, RULESTONE_JIT="0")
    assert f"The review is in {page}." in done.stdout
    text = page.read_text()
    assert text.count("data:image/svg+xml;base64,") >= 1
    assert "Better: Drop into column 4" in text
    assert not any(outside in text for outside in ("<script", "http://localhost", 'src="/', 'href="/'))


def test_an_unfinished_game_or_a_seat_that_is_not_there(record, tmp_path, connect_four):
    running = tmp_path / "running.json"
    running.write_text(json.dumps(connect_four.new(seed=1).record()))
    for arguments, why in (([running], "only a finished game can be reviewed"), ([record, "--seat", 7], "there is no seat 7")):
        done = run("review", *arguments, RULESTONE_JIT="0")
        assert done.returncode == 2
        assert why in done.stderr


def test_puzzles_are_found_continued_and_checked(tmp_path):
    path = tmp_path / "puzzles.json"
    assert "2 puzzles in" in run("puzzles", "connect_four", "-n", 2, "-o", path).stdout
    assert "3 puzzles in" in run("puzzles", "connect_four", "-n", 3, "-o", path).stdout
    assert run("puzzles", "connect_four", "-o", path, "--check").stdout.startswith("fine 3 puzzles of Connect Four")
    missing = run("puzzles", "connect_four", "-o", tmp_path / "none.json", "--check")
    assert (missing.returncode, "there is no file" in missing.stderr) == (2, True)


def test_a_hint_in_the_terminal():
    done = run("play", "connect_four", "--seat", "all", stdin="4\n3\n4\n3\n4\nhint\nq\n", RULESTONE_JIT="0")
    assert "It stops Red from lining up 4. [R4]" in done.stdout
