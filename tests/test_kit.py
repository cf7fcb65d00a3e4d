"""The test kit itself: it passes a good game and finds what is broken in a bad one."""

import subprocess
import sys

import pytest

import rulestone
from rulestone.testing import ContractError, cases, check_game


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


BREAKS = {
    "not ascending": ("legal (moves|actions) are not ascending", [("    out[count] = ACTIONS.show\n", "    out[count] = ACTIONS.show\n    out[0] = 7\n")]),
    "no legal action": ("no legal", [("    return count + 1\n", "    return count + 1 if s.heard < 3 else 0\n")]),
    "too long": ("longer than", [("longest=30", "longest=3")]),
    "payoff too large": ("outside \\[-1, 1\\]", [("s.payoff[winner] = 1", "s.payoff[winner] = 2")]),
    "not zero sum": ("add up to zero", [("perfect_information=False", "perfect_information=False, zero_sum=True")]),
    "not cooperative": ("payoffs differ", [("perfect_information=False", "perfect_information=False, cooperative=True")]),
    "not perfect information": ("nothing is hidden", [("perfect_information=False", "perfect_information=True")]),
    "too many events": ("ABOUT.story allows", [("story=3", "story=1")]),
    "redeal forgets the own card": ("differs from hide", [("if s.hand[player] < 0:\n            card", "if True:\n            card"), ("if s.hand[player] >= 0:", "if False:")]),
    "hide leaves leftovers": ("idempotent", [("        s.deck[place] = -1\n\n\n@rule\ndef redeal", "        s.deck[place] = s.deck[place] // 4\n\n\n@rule\ndef redeal")]),
    "redeal makes impossible worlds": ("breaks an invariant: cards twice", [("        s.deck[place] = card\n", "        s.deck[place] = 0\n")]),
    "hidden information decides what is legal": ("sees other legal|other legal actions", [("        if s.left > 0:\n", "        if s.deck[0] != 3:\n")]),
    "nothing is ever redealt": ("every redealt world", [("        if player != viewer and s.to_move != NOBODY:\n", "        if False:\n"), ("        s.deck[place] = -1\n\n\n@rule\ndef redeal", "        pass\n\n\n@rule\ndef redeal"), ("        if s.hand[player] < 0:\n            card", "        if False:\n            card"), ("    for place in range(s.left):\n        card = unknown", "    for place in range(0):\n        card = unknown")]),
    "an invariant fails": ("check says: cards twice", [("        s.hand[s.to_move] = draw(s)\n", "        s.hand[s.to_move] = draw(s)\n        s.hand[0] = s.hand[1]\n")]),
    "a sentence cannot be said": ("suit", [("{winner:seat} wins", "{winner:suit} wins")]),
    "seats without names": ("fewer seat names", [("story=3", "story=3, seats=('Solo',)")]),
}  # fmt: skip


@pytest.mark.parametrize("name", BREAKS)
def test_a_broken_game_is_found_out(whisper, tmp_path, name, monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    reason, changes = BREAKS[name]
    with pytest.raises((ContractError, KeyError), match=reason):
        check_game(broken(whisper, tmp_path, *changes), 3, matches=3, games=20)


@pytest.mark.slow
def test_a_difference_between_the_modes_is_found_out(whisper, tmp_path):
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
