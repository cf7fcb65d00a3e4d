"""Documents are true: the tutorial's code runs, rule numbers are cited, links lead somewhere."""

import doctest
import re

import numpy as np
import pytest

import rulestone
from rulestone.engine.playouts import playouts
from tests.conftest import ROOT

BLOCK = re.compile(r"^```(\S+)(?: (\S+))?\n(.*?)^```$", re.M | re.S)
NUMBER = re.compile(r"\b[RQ][1-9]\d*\b(?!:)")


def run_examples(code, names):
    """Run an interactive example and compare what it prints."""
    test = doctest.DocTestParser().get_doctest(code, names, "document", "document", 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    runner.run(test, clear_globs=False)
    assert (runner.failures, runner.tries > 0) == (0, True)
    names.update(test.globs)


@pytest.mark.slow
def test_the_tutorial_builds_the_very_game(tmp_path, monkeypatch):
    """Its blocks, executed in order, make a game that plays exactly like the built-in one."""
    folder = tmp_path / "four"
    folder.mkdir()
    monkeypatch.chdir(tmp_path)
    names = {}
    for language, file, code in BLOCK.findall((ROOT / "docs" / "write-your-own-game.md").read_text()):
        if file:
            with (folder / file).open("a") as out:
                out.write(code + "\n")
        elif language == "pycon":
            run_examples(code, names)
    ours, theirs = playouts(rulestone.load("connect_four"), 2000, seed=5), playouts(rulestone.load(folder), 2000, seed=5)
    assert np.array_equal(ours.payoffs, theirs.payoffs)
    assert np.array_equal(ours.lengths, theirs.lengths)


@pytest.mark.parametrize("file", sorted((ROOT / "docs").rglob("*.md")), ids=lambda file: str(file.relative_to(ROOT)))
def test_interactive_examples_are_true(file):
    names = {}
    for language, _, code in BLOCK.findall(file.read_text()):
        if language == "pycon" and file.name != "write-your-own-game.md":
            run_examples(code, names)


def test_the_readmes_python_runs(capsys):
    code = next(code for language, _, code in BLOCK.findall((ROOT / "README.md").read_text()) if language == "python")
    exec(code, {})
    assert "drafts" in capsys.readouterr().out


@pytest.mark.parametrize("name", rulestone.games())
def test_every_rule_number_is_cited_by_a_test(name):
    """The numbers of RULES.md and those in the names and docstrings of the game's tests are the same."""
    rules = set(re.findall(r"\*\*([RQ]\d+)\b", (rulestone.load(name).folder / "RULES.md").read_text()))
    cited = set()
    for file in (ROOT / "tests" / "games" / name).glob("test_*.py"):
        for words in re.findall(r"def (test_\w+)\(|\"\"\"(.*?)\"\"\"", file.read_text(), re.S):
            cited |= set(NUMBER.findall(" ".join(words).replace("_", " ")))
    assert rules, "RULES.md has no numbers"
    assert rules - cited == set(), "not cited by any test"
    assert {number for number in cited if number[0] in "RQ"} - rules == set(), "cited, but not in RULES.md"


@pytest.mark.parametrize("name", rulestone.games())
def test_numbers_cited_in_the_code_are_in_the_rules(name):
    folder = rulestone.load(name).folder
    rules = set(re.findall(r"\*\*([RQ]\d+)\b", (folder / "RULES.md").read_text()))
    for file in folder.glob("*.py"):
        assert set(NUMBER.findall(file.read_text())) <= rules, file.name


@pytest.mark.parametrize("file", sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]), ids=lambda file: file.name)
def test_links_between_documents_lead_somewhere(file):
    for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", file.read_text()):
        if "://" not in target:
            assert (file.parent / target).exists(), target


def test_no_game_is_named_outside_its_folder():
    """Kernel, engine, bots, table, lab and server know no game. (The tutorial game may be an example in texts.)"""
    names = [name for name in rulestone.games() if name != "connect_four"]
    titles = [rulestone.load(name).title for name in names]
    for file in (ROOT / "src" / "rulestone").rglob("*.py"):
        if "games" not in file.relative_to(ROOT / "src" / "rulestone").parts[:1]:
            text = file.read_text()
            assert [word for word in [*names, *titles] if word in text] == [], file
