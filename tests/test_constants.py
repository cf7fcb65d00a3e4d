"""Every constant that `rulestone options` lists: with another value, the game refuses it, or works and its sentences follow."""

import pytest

import rulestone
from rulestone.testing.contract import Case, check_bot, check_game
from tests.conftest import ROOT
from tests.said import changed, cites, constants, told_as_before

GAMES = {name: rulestone.load(name) for name in rulestone.games()}
WHOLE = [(name, constant) for name, game in GAMES.items() for constant in constants(game) if type(constant.value) is int]


def entries(constant):
    """Return the numbers inside a constant that is a table: one per column of a text, all of a dict."""
    if isinstance(constant.value, dict):
        return [(f"{constant.name}[{key}]", value) for key, value in constant.value.items() if type(value) is int]
    lines = [line for line in str(constant.value).splitlines() if line.strip()] if isinstance(constant.value, str) else []
    split = (lambda line: [word.strip() for word in line.split("|")]) if lines and "|" in lines[0] else str.split
    if len(lines) < 3 or any(word.isdecimal() for word in split(lines[0])):
        return []
    rows = [split(line) for line in lines]
    found = {}
    for row in rows[1:]:
        for column, cell in zip(rows[0][::-1], row[::-1], strict=False):
            if cell.isdecimal():
                found.setdefault(column, (f"{constant.name}[{next(word for word in row if not word.isdecimal())},{column}]", int(cell)))
    return list(found.values())


INSIDE = [(name, *entry) for name, game in GAMES.items() for constant in constants(game) for entry in entries(constant)]


@pytest.fixture(autouse=True)
def _interpreted(monkeypatch):
    """Run interpreted: nothing is compiled for these few games."""
    monkeypatch.setenv("RULESTONE_JIT", "0")


def named(cases):
    return [pytest.param(*case, id=":".join(str(getattr(part, "name", part)) for part in case[:2])) for case in cases]


@pytest.mark.parametrize(("name", "constant"), named(case for case in WHOLE if cites(GAMES[case[0]], case[1])))
def test_sentences_follow_a_changed_constant(name, constant):
    assert told_as_before(GAMES[name], constant) == []


def keeps_its_contract(game, target, value, bot):
    varied = changed(game, target, value)
    if varied is not None and bot:
        check_bot(varied, Case(varied.about.usual_players), seed=1, decisions=12)
    elif varied is not None:
        check_game(varied, matches=1, plies=20, games=1, positions=10, worlds=0)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "constant"), named(WHOLE))
def test_a_game_with_a_changed_constant_keeps_its_contract(name, constant):
    keeps_its_contract(GAMES[name], constant.name, constant.value, constant.file == "bot.py")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "target", "value"), named(INSIDE))
def test_a_game_with_a_changed_entry_of_a_table_keeps_its_contract(name, target, value):
    keeps_its_contract(GAMES[name], target, value, bot=False)


def test_sentences_that_do_not_follow_a_constant_are_found():
    """The toy writes its leap as a number and its rest as a word; its top is shown correctly, and its apples vary by chance."""
    toy = rulestone.load(ROOT / "tests" / "toys" / "slips")
    found = {name: told_as_before(toy, constant) for name, constant in toy.constants.items()}
    assert found == {
        "TOP": [],
        "LEAP": ["Blue leaps # steps up.", "Red leaps # steps up."],
        "REST": ["Blue rests and slides back # steps.", "Red rests and slides back # steps."],
        "FOOD": [],
    }
