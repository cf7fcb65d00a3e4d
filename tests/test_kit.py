"""The test kit itself: a good game passes, and what is broken in a bad one is found."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import rulestone
from rulestone import undo
from rulestone.cli import app
from rulestone.engine.playouts import playouts
from rulestone.game import BrokenGame
from rulestone.testing import ContractError, cases, check_game

TOYS = Path(__file__).parent / "toys"


def broken(whisper, tmp_path, *changes):
    source = (whisper.folder / "rules.py").read_text()
    for old, new in changes:
        assert old in source
        source = source.replace(old, new)
    (tmp_path / "rules.py").write_text(source)
    return rulestone.load(tmp_path)


def test_a_good_game_passes_in_every_configuration(whisper):
    todo = list(cases(whisper))
    assert [str(case) for case in todo] == ["2 players", "2 players patience=5", "3 players"]
    for case in todo:
        check_game(whisper, case.players, case.options, matches=2, games=50)


SILENT = [
    ("tell_only, u8", "tell_only, u8, u16"),
    ("    heard: u8", "    unnoticed: u16[4]\n    heard: u8"),
    ("        tell(s, EVENTS.whispers, s.to_move)", "        pass"),
    ("        return 0b101", "        return 0"),
]
"""Nobody notices who whispers, and the turn passes."""
BREAKS = {
    "not ascending": ("legal actions are not in ascending order", [("    out[count] = ACTIONS.show\n", "    out[count] = ACTIONS.show\n    out[0] = 7\n")]),
    "no legal action": ("no legal", [("    return count + 1\n", "    return count + 1 if s.heard < 3 else 0\n")]),
    "too long": ("longer than", [("longest=30", "longest=3")]),
    "payoff too large": ("outside \\[-1, 1\\]", [("s.payoff[winner] = 1", "s.payoff[winner] = 2")]),
    "not zero sum": ("add up to zero", [("perfect_information=False", "perfect_information=False, zero_sum=True")]),
    "not cooperative": ("payoffs differ", [("perfect_information=False", "perfect_information=False, cooperative=True")]),
    "not perfect information": ("but ABOUT.perfect_information is True .*fields? .*deck", [("perfect_information=False", "perfect_information=True")]),
    "too many events": ("ABOUT.story allows", [("story=3", "story=1")]),
    "redeal forgets the own card": ("differs from hide\\(s, p\\) \\(viewer -?\\d, field hand\\)", [("if s.hand[player] < 0:\n            card", "if True:\n            card"), ("if s.hand[player] >= 0:", "if False:")]),
    "hide leaves leftovers": ("idempotent: .*field deck\\)", [("        s.deck[place] = -1\n\n\n@rule\ndef redeal", "        s.deck[place] = s.deck[place] // 4\n\n\n@rule\ndef redeal")]),
    "redeal makes impossible worlds": ("breaks an invariant: cards twice", [("        s.deck[place] = card\n", "        s.deck[place] = 0\n")]),
    "hidden information decides what is legal": ("has other legal moves|other legal actions", [("        if s.left > 0:\n", "        if s.deck[0] != 3:\n")]),
    "nothing is ever redealt": ("every redealt world", [("        if player != viewer and s.to_move != NOBODY:\n", "        if False:\n"), ("        s.deck[place] = -1\n\n\n@rule\ndef redeal", "        pass\n\n\n@rule\ndef redeal"), ("        if s.hand[player] < 0:\n            card", "        if False:\n            card"), ("    for place in range(s.left):\n        card = unknown", "    for place in range(0):\n        card = unknown")]),
    "an invariant fails": ("check says: cards twice", [("        s.hand[s.to_move] = draw(s)\n", "        s.hand[s.to_move] = draw(s)\n        s.hand[0] = s.hand[1]\n")]),
    "a sentence cannot be said": ("suit", [("{winner:seat} wins", "{winner:suit} wins")]),
    "unnoticed moves are not counted": ("has a field 'unnoticed' that counts them", [("        return 0b101", "        return 0")]),
    "unnoticed moves are counted in a small field": ("u16\\[1 \\+ 3\\]", [*SILENT, ("unnoticed: u16[4]", "unnoticed: u8[4]")]),
    "an unnoticed move changes something": ("does not notice .* changes what they see", [*SILENT, ("    s.to_move = (s.to_move", "    if action == ACTIONS.change:\n        s.to_move = (s.to_move")]),
    "a turn that passes unnoticed tells how": ("depends on those moves", [*SILENT, ("    s.heard += 1\n", "    s.heard += 1 + (action & 1)\n")]),
    "seats without names": ("fewer seat names", [("story=3", "story=3, seats=('Solo',)")]),
}  # fmt: skip


@pytest.mark.parametrize("name", BREAKS)
def test_a_broken_game_is_found(whisper, tmp_path, name, monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    reason, changes = BREAKS[name]
    with pytest.raises((ContractError, KeyError), match=reason):
        check_game(broken(whisper, tmp_path, *changes), 3, matches=3, games=20)


def test_a_game_with_unnoticed_moves_passes(whisper, tmp_path, monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    check_game(broken(whisper, tmp_path, *SILENT), 3, matches=3, games=20)


TELLING = {
    "because of what was whispered": ("secret", "not everybody saw the whole move", lambda match, index: match.moves[index][1:2] == (2,)),
    "because of a card in hand": ("revealed", "in a world that looks the same", lambda match, *_: undo.REVEALED if match.state.hand[0] % 2 else None),
    "where nobody watches": ("revealed", "in a world that looks the same", lambda match, _, eyes: undo.REVEALED if None not in eyes and match.state.hand[0] % 2 else None),
}  # fmt: skip


@pytest.mark.parametrize("why", TELLING)
def test_an_undo_that_reveals_a_secret_is_found(whisper, monkeypatch, why):
    name, reason, answer = TELLING[why]
    monkeypatch.setenv("RULESTONE_JIT", "0")
    monkeypatch.setattr(undo, name, answer)
    with pytest.raises(ContractError, match=reason):
        check_game(whisper, 3, matches=100, games=5)


@pytest.mark.slow
def test_a_difference_between_the_modes_is_found(whisper, tmp_path):
    """A table that is changed after compilation is a constant to the compiler, but not to the interpreter."""
    game = broken(
        whisper, tmp_path, ("CARDS = 8\n", "import numpy as np\nCARDS = 8\nSTEP = np.array([1])\n"), ("s.heard += 1", "s.heard += STEP[0]")
    )
    check_game(game, 3, matches=1, games=5)
    game.rules.STEP[0] = 2
    with pytest.raises(ContractError, match=r"interpreted and compiled state differ in \['heard'\]"):
        check_game(game, 3, matches=1, games=5)


def test_a_failure_names_seed_and_moves_that_reproduce_it(whisper, tmp_path, monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    game = broken(
        whisper, tmp_path, ("        s.hand[s.to_move] = draw(s)\n", "        s.hand[s.to_move] = draw(s)\n        s.hand[0] = s.hand[1]\n")
    )
    with pytest.raises(ContractError) as failure:
        check_game(game, 3)
    text = str(failure.value)
    seed = int(text.split("seed ")[1].split(",")[0])
    moves = text.split("moves: ")[1].split(", ")
    match = game.new(seed, 3)
    for move in moves:
        match.check()
        match.play(move)
    with pytest.raises(AssertionError, match="cards twice"):
        match.check()


def test_the_kit_runs_from_the_shell(whisper):
    command = [sys.executable, "-m", "rulestone.cli", "check", str(whisper.folder), "--games", "20"]
    done = subprocess.run([*command, "--players", "3"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["fine 3 players"]
    done = subprocess.run([*command, "--players", "9"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "rulestone: whisper is for 2 to 3 players, not 9\n")


@pytest.mark.slow
def test_the_kit_runs_as_a_pytest_suite(whisper, pytester):
    result = pytester.runpytest_subprocess("--pyargs", "rulestone.testing.suite", "--rulestone-game", str(whisper.folder), "-rA")
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["PASSED *whisper: 2 players patience=5*"])


BROKEN = {
    "a field that is not there": (
        "rules.py", "s.heard += 1", "s.herd += 1", r"rules\.py line \d+: the record has no field 'herd'; did you mean 'heard'\?",
    ),
    "a number too large": ("rules.py", "s.heard += 1", "s.heard += 300", r"rules\.py line \d+: a number does not fit the type of its field"),
    "a bot's illegal move": ("bot.py", "return moves[count - 1]", "return 99", "returned 99, which is not one of the legal actions|greedy makes an illegal move"),
    "settings of nobody": ("bot.py", '"cut": 2', '"cut": {2: 2}', r"SEARCH in the bot\.py of broken is not valid: cut has no value for 3 players"),
    "an estimate beyond all bounds": ("bot.py", "return 250", "return 2500", "estimate returned 2500 for player 0"),
    "a picture that fails": ("scene.py", "SCENE", "1 / 0", r"scene\.py line \d+: ZeroDivisionError"),
    "a thing drawn twice": ("scene.py", "SCENE", 'Scene(9, 9, [thing("a", group(thing("b"), thing("b")))], "")', r"has duplicate ids: \['b'\]"),
}  # fmt: skip


@pytest.mark.parametrize("what", BROKEN)
def test_an_error_in_a_game_is_reported_with_its_file_and_line(what, tmp_path):
    """On the command line, in one sentence and without a traceback."""
    from tests.test_bots import HINTS

    file, old, new, told = BROKEN[what]
    folder = shutil.copytree(TOYS / "whisper", tmp_path / "broken")
    (folder / "bot.py").write_text(HINTS)
    if file == "scene.py":
        words = "from rulestone.table import Scene\nfrom rulestone.table.svg import group, thing\n\n\ndef scene(view, seat):\n    return SCENE\n"
        (folder / "scene.py").write_text(words)
    text = (folder / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, new))
    done = CliRunner().invoke(app, ["check", str(folder), "--games", "20", "--players", "3"])
    assert done.exit_code == 1, done.output
    assert re.search(told, done.output), done.output
    assert "Traceback" not in done.output


def test_a_server_does_not_offer_what_it_cannot_show(tmp_path):
    folder = shutil.copytree(TOYS / "whisper", tmp_path / "broken")
    (folder / "scene.py").write_text("def scene(view, seat):\n    return 1 / 0\n")
    done = CliRunner().invoke(app, ["serve", "--game", str(folder), "--db", "sqlite:///:memory:"])
    assert re.search(r"broken cannot be shown: .*scene\.py line 2: ZeroDivisionError", str(done.exception)), done.output


def test_a_game_that_cannot_be_played_is_not_compiled(tmp_path):
    """Compiled rules check nothing, so illegal moves would end up in statistics."""
    folder = shutil.copytree(TOYS / "whisper", tmp_path / "broken")
    rules = (folder / "rules.py").read_text()
    (folder / "rules.py").write_text(rules.replace("s.to_move = NOBODY", "s.heard = 0").replace("longest=30", "longest=20"))
    with pytest.raises(
        BrokenGame, match=r"broken can't be played: .*(not over after \d+ moves, but ABOUT.longest is 20|nobody can move|line \d+)"
    ):
        playouts(rulestone.load(folder), 10, seed=1)
