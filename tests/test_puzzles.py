"""Puzzles: found by playing, proved by search, kept in a file that can be continued and checked."""

import json
import shutil
from pathlib import Path

import pytest

import rulestone
from rulestone.review import Judge, puzzles
from rulestone.review.puzzles import BadPuzzles, check, find, puzzles_of, read
from tests.test_review_truth import solved  # noqa: F401


@pytest.fixture(scope="module")
def file(tmp_path_factory, connect_four):
    path = tmp_path_factory.mktemp("puzzles") / "puzzles.json"
    find(connect_four, path, count=12, seed=3, proof=8000)
    return path


def test_the_solution_is_far_better_than_every_other_move(connect_four, file):
    found, about = read(file)
    assert (len(found), about["game"], about["seed"]) == (12, "connect_four", 3)
    for one in found:
        match = one.match(connect_four)
        assert match.to_move == one.player
        assert one.solution in [str(move) for move in match.legal()]
        assert one.chance - one.runner_up_chance >= puzzles.GAP
    assert check(connect_four, file) == 12


def test_what_is_proved_in_solved_positions_is_true(connect_four, solved):  # noqa: F811
    """Where the truth is known, nothing but a proved solution reaches the best result."""
    judge, proved, true = Judge(connect_four), 0, 0
    for number, (match, worth) in enumerate(solved):
        view = match.view(match.to_move)
        move = judge.judge(view, simulations=600, seed=number)[0].move
        if puzzles.prove(judge, view, move, puzzles.PROOF, number):
            proved += 1
            true += [column for column, value in worth.items() if value == max(worth.values())] == [move.args[0]]
    assert proved >= 10
    assert true == proved


def test_a_file_is_continued_as_if_it_had_never_been_interrupted(connect_four, tmp_path):
    whole, parts = tmp_path / "whole.json", tmp_path / "parts.json"
    find(connect_four, whole, count=4, seed=5, proof=4000)
    find(connect_four, parts, count=2, seed=5, proof=4000)
    assert len(read(parts)[0]) == 2
    find(connect_four, parts, count=4, seed=5, proof=4000)
    ids = [[one.id for one in read(path)[0]] for path in (whole, parts)]
    assert ids[0][:2] == ids[1][:2]
    assert len(set(ids[1])) == 4


def test_a_file_of_something_else_is_refused(connect_four, file, tmp_path, whisper):
    with pytest.raises(BadPuzzles, match=r"was made for connect_four, rules 1, seed 3, gap 0\.15; choose another file"):
        find(connect_four, file, count=20, seed=4)
    with pytest.raises(BadPuzzles, match="was made for connect_four"):
        check(whisper, file)
    other = tmp_path / "other.json"
    other.write_text("[]")
    with pytest.raises(BadPuzzles, match="does not hold puzzles of version 1"):
        read(other)
    other.write_text("no")
    with pytest.raises(BadPuzzles, match="is not JSON"):
        read(other)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"solution": "drop 9"}, "are not two of its"),
        ({"player": 5}, "player 5 is not to move"),
        ({"runner_up_chance": 1.0}, "its figures do not fit"),
        ({"difficulty": 9}, "its figures do not fit"),
        ({"record": {}}, "not a match record"),
    ],
)
def test_the_checker_names_the_puzzle_that_does_not_fit(connect_four, file, tmp_path, change, why):
    data = json.loads(file.read_text())
    data["puzzles"][1].update(change)
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps(data))
    with pytest.raises(BadPuzzles, match=f"puzzle {data['puzzles'][1]['id']} of .*{why}"):
        check(connect_four, bad)


def test_a_wrong_solution_is_found_by_proving_it(connect_four, file, tmp_path):
    data = json.loads(file.read_text())
    first = data["puzzles"][0]
    first["solution"], first["runner_up"] = first["runner_up"], first["solution"]
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps(data))
    with pytest.raises(BadPuzzles, match="is not far better than all other moves"):
        check(connect_four, bad, proof=3000)


def test_a_puzzle_asks_for_what_its_player_can_know(connect_four, file):
    """The search that proves a puzzle is handed the view of its player."""
    one = read(file)[0][0]
    seen = []

    class Watched(Judge):
        def judge(self, view, *given, **also):
            seen.append((view.is_view, view.viewer))
            return super().judge(view, *given, **also)

    match = one.match(connect_four)
    puzzles.prove(Watched(connect_four), match.view(one.player), match.legal()[0], 400, 1)
    assert set(seen) == {(True, one.player)}


def test_generic_code_finds_the_puzzles_in_a_games_folder(file, tmp_path, connect_four):
    assert puzzles_of(rulestone.load(Path(__file__).parent / "toys" / "nim")) == []
    folder = shutil.copytree(connect_four.folder, tmp_path / "connect_four", ignore=shutil.ignore_patterns("__pycache__"))
    before = rulestone.load(folder).sources()
    shutil.copy(file, folder / "puzzles.json")
    game = rulestone.load(folder)
    assert len(puzzles_of(game)) == 12
    assert game.sources() == before  # compiled rules do not depend on puzzles
    data = json.loads(file.read_text())
    (folder / "puzzles.json").write_text(json.dumps({**data, "rules": 99}))
    assert puzzles_of(game) == []


@pytest.mark.parametrize("name", rulestone.games())
def test_every_game_comes_with_a_hundred_puzzles_that_fit_it(name):
    game = rulestone.load(name)
    assert check(game, game.folder / "puzzles.json") == len(puzzles_of(game)) == 100
