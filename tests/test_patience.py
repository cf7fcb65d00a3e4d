"""Rules that never end are stopped, and the line is named."""

import shutil
import threading
import time
import weakref
from pathlib import Path

import pytest
from typer.testing import CliRunner

import rulestone
from rulestone import patience
from rulestone.cli import app
from rulestone.game import BrokenGame
from rulestone.patience import Endless
from rulestone.testing import ContractError, contract

DICE = Path(__file__).parent.parent / "examples" / "games" / "liars_dice"
LOOP = "    while s.face == 6:  # for ever\n        s.count = 2\n"


@pytest.fixture
def looping(tmp_path, monkeypatch):
    """Liar's Dice with a rule that never ends: calling a bid of sixes a lie."""
    monkeypatch.setattr(patience, "SECONDS", 0.2)
    monkeypatch.setattr(patience, "LOOKS", 0.05)
    folder = shutil.copytree(DICE, tmp_path / "looping", ignore=shutil.ignore_patterns("__pycache__"))
    text = (folder / "rules.py").read_text()
    told = "    tell(s, EVENTS.doubts, s.to_move)\n"
    assert told in text
    (folder / "rules.py").write_text(text.replace(told, told + LOOP))
    return folder


def line_of(folder):
    return 1 + (folder / "rules.py").read_text()[: (folder / "rules.py").read_text().index("# for ever")].count("\n")


def test_a_move_that_never_ends_is_stopped_and_changes_nothing(looping):
    match = rulestone.load(looping).new(seed=1)
    match.play("bid 1 6")
    before = match.raw
    with pytest.raises(Endless, match=rf"rules\.py line ({line_of(looping)}|{line_of(looping) + 1}), in do_liar: this runs without end"):
        match.play("liar")
    assert match.raw == before
    assert match.play("bid 2 1")


def test_it_is_stopped_in_any_thread_and_the_others_go_on(looping):
    game, stopped = rulestone.load(looping), []

    def play():
        match = game.new(seed=1)
        match.play("bid 1 6")
        try:
            match.play("liar")
        except Endless as problem:
            stopped.append(str(problem))

    threads = [threading.Thread(target=play) for _ in range(2)]
    for thread in threads:
        thread.start()
    steady = rulestone.load(DICE).new(seed=1)
    assert steady.play("bid 1 1")
    for thread in threads:
        thread.join()
    assert len(stopped) == 2


def test_check_names_the_line_that_loops(looping, monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    done = CliRunner().invoke(app, ["check", str(looping)])
    assert done.exit_code == 1
    assert f"rules.py line {line_of(looping)}" in done.output or f"rules.py line {line_of(looping) + 1}" in done.output
    assert "this runs without end" in done.output


def test_a_game_that_never_ends_is_not_compiled(looping):
    text = (looping / "rules.py").read_text().replace("while s.face == 6:", "while s.count:")
    (looping / "rules.py").write_text(text)
    with pytest.raises(BrokenGame, match=r"can't be played: .*rules\.py line \d+, in do_liar: this runs without end"):
        rulestone.load(looping).try_out()


def test_compiled_rules_that_are_stuck_are_reported_with_the_line(looping, monkeypatch):
    monkeypatch.setattr(contract, "STUCK", 0.2)
    game, report = rulestone.load(looping), contract.np.zeros(6, contract.np.int64)
    report[4] = 1
    stuck = threading.Event()
    seed = next(seed for seed in range(1, 99) if loops(game, seed))
    report[2] = 99
    with pytest.raises(Endless, match="in do_liar: this runs without end"):
        contract._wait_for(stuck.wait, game, contract.Case(2), seed, report)
    stuck.set()
    with pytest.raises(ContractError, match="a world redealt in game 0 after 0 moves, runs without end"):
        contract._wait_for(lambda: time.sleep(1), rulestone.load(DICE), contract.Case(2), 1, report * [1, 0, 0, 1, 1, 1])


def loops(game, seed):
    try:
        with patience.patience.over(game.folder):
            contract._replayed(game, contract.Case(2), seed, 0, 99)
    except Endless:
        return True
    return False


def test_ctrl_c_says_where_a_check_was(looping, monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    text = (
        (looping / "rules.py").read_text().replace("        s.count = 2\n", "        raise KeyboardInterrupt\n")
    )  # somebody lost patience
    (looping / "rules.py").write_text(text)
    done = CliRunner().invoke(app, ["check", str(looping)])
    assert done.exit_code == 130
    assert "stopped 2 players" in done.output
    assert f"rules.py line {line_of(looping) + 1}" in done.output


def test_nothing_of_a_call_is_kept_once_it_has_been_looked_at(tmp_path, monkeypatch):
    monkeypatch.setattr(patience, "LOOKS", 0.05)

    class Thing:
        pass

    def call():
        thing = Thing()
        with patience.patience.over(tmp_path):
            time.sleep(0.2)
        return weakref.ref(thing)

    assert call()() is None
