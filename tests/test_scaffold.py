"""`rulestone new`: each starting point is a whole game that passes everything a game is checked for."""

import re

import numpy as np
import pytest

import rulestone
from rulestone.bots.simple import Greedy
from rulestone.kernel.chance import stream
from rulestone.learning import Lesson, pictures
from rulestone.printing import Order, prepare
from rulestone.scaffold import LIKES, SMALLEST, make
from rulestone.testing import cases, check_game
from tests.conftest import ROOT
from tests.test_cli import run

KINDS = (SMALLEST, *LIKES)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The folder of a new game of each kind."""
    where = tmp_path_factory.mktemp("new")
    return {kind: make(f"my_{kind}_game", where, kind) for kind in KINDS}


@pytest.fixture
def game(request, made, interpreted):
    return rulestone.load(made[request.param])


every_kind = pytest.mark.parametrize("game", KINDS, indirect=True)
with_a_face = pytest.mark.parametrize("game", LIKES, indirect=True)


def test_like_without_a_word_lists_what_there_is():
    for arguments in (["new", "--like"], ["new", "mine", "--like"]):
        done = run(*arguments)
        assert done.returncode == 0
        assert [line.split()[0] for line in done.stdout.splitlines()] == list(LIKES)
        assert all(says in done.stdout for says in LIKES.values())


@pytest.mark.parametrize("kind", KINDS)
def test_the_name_is_put_everywhere(made, kind):
    for file in made[kind].iterdir():
        assert not re.search("__[A-Z]+__", file.read_text()), file
        assert f"My {kind.title()} Game" in file.read_text(), file
    assert (made[kind] / f"test_my_{kind}_game.py").is_file()


@every_kind
def test_a_new_game_keeps_its_contract(game):
    for case in cases(game):
        check_game(game, case.players, case.options, games=3, matches=1, worlds=100)


@every_kind
def test_the_tests_of_a_new_game_pass_and_cite_every_rule(game):
    names = {"__file__": str(game.folder / f"test_{game.name}.py"), "__name__": "tests_of_a_new_game"}
    exec((game.folder / f"test_{game.name}.py").read_text(), names)
    tests = {name: test for name, test in names.items() if name.startswith("test_") and name != "test_the_whole_contract"}
    for test in tests.values():
        test()
    rules = set(re.findall(r"\*\*(R\d+)\b", (game.folder / "RULES.md").read_text()))
    assert {name.split("_")[1] for name in tests} == rules
    for file in game.folder.glob("*.py"):
        assert set(re.findall(r"\bR\d+\b", file.read_text())) <= rules, file


@with_a_face
def test_its_lesson_reaches_its_end_and_its_rules_have_a_picture(game):
    lesson = Lesson.of(game)
    lesson.check()
    assert lesson.expected(len(lesson) - 1)
    assert all(picture.play for picture in pictures(game))
    assert pictures(game)


@pytest.mark.parametrize("game", ["cards", "tiles", "secrets"], indirect=True)
def test_its_cards_and_tiles_are_printed_as_often_as_its_content_says(game):
    names = getattr(game.rules, "FRUITS", None) or game.rules.NAMES
    copies = np.broadcast_to(game.rules.COPIES, len(names)).tolist()
    backed = {piece.name: piece.count for piece in prepare(game, Order()).box.pieces if piece.two_sided}
    assert backed == {name[0].upper() + name[1:]: count for name, count in zip(names, copies, strict=True)}


@with_a_face
def test_its_quick_bot_beats_a_random_player(game):
    bot, won = Greedy(game), 0.0
    for seed in range(40):
        match = game.new(seed, players=2)
        while not match.over:
            legal = match.legal()
            thinks = match.to_move == seed % 2
            match.play(bot.choose(match.view(match.to_move), legal, seed).move if thinks else legal[stream(seed, match.ply) % len(legal)])
        won += match.payoff[seed % 2]
    assert won >= 8, f"{won} of 40 points"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["secrets"])
def test_a_new_game_is_the_same_compiled(made, kind):
    check_game(rulestone.load(made[kind]))


def test_the_docs_show_how_the_game_with_secrets_hides_a_move(made):
    page = (ROOT / "docs" / "write-your-own-game" / "secrets-by-example.md").read_text()
    shown = re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)
    assert [code in (made["secrets"] / "rules.py").read_text() for code in shown] == [True]
