"""What a report says is true: whose thinking pays, numbers that fit each other, what was changed, intervals as they are."""

import io
import shutil
import time
from pathlib import Path

import pytest
from rich.console import Console

from rulestone.lab import Study, command, make_plan, study
from rulestone.lab.examples import Album
from rulestone.lab.findings import effect_text, share_text, within
from rulestone.lab.report import html

pytestmark = pytest.mark.xdist_group("lab")  # one process compiles, the others don't have to
LOTS = ""
"""A copy of the toy `lots` of this file's own: other tests in this process have it compiled."""


@pytest.fixture(autouse=True, scope="module")
def lots(tmp_path_factory):
    global LOTS
    LOTS = str(shutil.copytree(Path(__file__).parent / "toys" / "lots", tmp_path_factory.mktemp("words") / "lots"))


@pytest.fixture(autouse=True)
def interpreted(monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")  # playing such a small game is quicker than compiling it


def test_bots_that_never_met_are_not_said_to_think_in_vain():
    summary = study(LOTS, games=60, players=2, vary={"bots": ["greedy", "random"]}, workers=1)
    assert not any("Thinking" in sentence for sentence in summary["findings"])
    assert all(cell["line_up"] == [] for cell in summary["cells"])
    assert any(sentence.startswith("With bots random instead of greedy") for sentence in summary["findings"])


def test_whether_thinking_pays_is_said_for_each_setting():
    summary = study(LOTS, games=8, players=2, skill=["greedy", "mcts:4"], vary={"bonus": [2, 3]}, workers=1)
    thinking = [sentence for sentence in summary["findings"] if "Thinking" in sentence]
    assert [sentence.partition(":")[0] for sentence in thinking] == ["With bonus 2", "With bonus 3"]


def test_seats_with_different_bots_are_named():
    done = Study(make_plan(LOTS, games=40, players=4, bots="greedy,random,random,random"), workers=1)
    summary = done.run()
    assert summary["findings"][0].startswith("greedy alone against three random wins ")
    text = html(summary, Album(done.plan, done.results))
    assert "greedy alone against three random" in text
    assert "three random against one greedy" in text


def test_in_a_grid_the_shares_of_a_sentence_belong_to_its_difference():
    summary = study(LOTS, games=200, players=2, vary={"bonus": [2, 3], "odds": [2, 3]}, workers=1)
    for effect in summary["effects"]:
        cells = [cell for cell in summary["cells"] if cell["set"][effect["factor"]] == effect["to"]]
        if effect["on"] == "won_0":
            assert effect["new"] == pytest.approx(sum(cell["seats"][0]["share"] for cell in cells) / 2, abs=1e-5)
        assert effect["new"] - effect["old"] == pytest.approx(effect["difference"], abs=1e-4)
    text = next(sentence for sentence in summary["findings"] if sentence.startswith("With "))
    assert "averaged over all settings of " in text


def test_shares_that_are_shown_differ_by_the_difference_that_is_shown():
    from rulestone.lab.findings import _instead

    effect = {"on": "won_0", "wins": True, "share": True, "old": 0.69561, "difference": -0.10521, "low": -0.11021, "high": -0.10021}
    said = _instead({"cells": [{"seats": [{"name": "Red"}]}]}, effect)
    assert said == ", Red wins 59.1 % of games instead of 69.6 % (-10.5 ± 0.5 percentage points)"


def test_lopsided_intervals_are_written_out():
    assert share_text({"share": 0.0, "low": 0.0, "high": 0.42}) == "0 % (0 to 42)"
    assert share_text({"share": 0.99, "low": 0.93, "high": 0.998}) == "99 % (93 to 100)"
    assert share_text({"share": 0.554, "low": 0.551, "high": 0.557}) == "55.4 % ± 0.3"
    assert within(-0.004, -0.3, 0.292, " %") == "0.0 % ± 0.3"
    assert effect_text({"difference": 0.0, "low": 0.0, "high": 0.0, "share": True}) == "no difference"


def test_what_was_changed_or_set_is_named():
    summary = study(LOTS, games=30, players=2, changes={"ROUNDS": 2}, options={"bonus": 3}, workers=1)
    assert summary["title"] == "Lots with ROUNDS = 2 and bonus = 3"
    assert summary["cells"][0]["label"] == "ROUNDS 2, bonus 3"
    assert any("(ROUNDS 2, bonus 3)" in sentence for sentence in summary["findings"])


def test_labels_of_single_changes_name_only_what_differs():
    summary = study(LOTS, games=20, grid=False, vary={"bonus": [2, 3], "odds": [2, 3], "players": [2, 3]}, workers=1)
    assert [cell["label"] for cell in summary["cells"]] == ["the base", "bonus 3", "odds 3", "3 players"]


def test_a_first_answer_comes_while_the_rules_are_compiled(monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "1")
    monkeypatch.setattr(command, "PATIENCE", 0.0)
    said = io.StringIO()
    preview = command.Preview(make_plan(LOTS, games=10, players=2), Console(file=said, width=200))
    for _ in range(600):
        if "Still compiling. 20 games, played without compiling, say:\n• " in said.getvalue():
            break
        time.sleep(0.1)
    else:
        raise AssertionError(said.getvalue())
    preview.stop()


def test_a_study_that_answers_at_once_has_no_preview(monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "1")
    preview = command.Preview(make_plan(LOTS, games=10, players=2), Console(file=io.StringIO()))
    preview.stop()
    assert preview.process is None


def test_options_are_named_in_players_words():
    first = study("connect_four", games=30, vary={"line": [4, 3]}, workers=1)
    assert [cell["label"] for cell in first["cells"]] == ["Discs in a line: 4", "Discs in a line: 3"]
    assert first["findings"][0].startswith("With 3 instead of 4 for “Discs in a line”, ")
    assert study("connect_four", games=2, options={"line": 3}, workers=1)["title"] == "Connect Four with Discs in a line = 3"


def test_a_sentence_about_one_of_several_settings_names_it():
    sentences = study(LOTS, games=60, grid=False, vary={"players": [2, 3]}, workers=1)["findings"]
    assert any(sentence.startswith("How games end (the base): ") for sentence in sentences)
    assert all("(the base" in sentence for sentence in sentences if sentence.startswith(("How games end", "Never seen")))
    only = study(LOTS, games=60, workers=1)["findings"]
    assert not any("the base" in sentence for sentence in only)
