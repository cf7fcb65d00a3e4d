"""The test kit on every built-in game, with every number of players and every value of every option."""

import pytest

import rulestone
from rulestone.testing import cases, check_game

EVERYTHING = [
    pytest.param(name, case, id=f"{name}: {case}", marks=[pytest.mark.slow] if number > 0 else [])
    for name in rulestone.games()
    for number, case in enumerate(cases(rulestone.load(name)))
]


@pytest.mark.parametrize(("name", "case"), EVERYTHING)
def test_contract(name, case):
    effort = (
        {"matches": 1, "plies": 100, "games": 60, "positions": 300}
        if case.options
        else {"matches": 2, "plies": 300, "games": 400, "positions": 4000}
    )
    check_game(rulestone.load(name), case.players, case.options, **effort)


@pytest.mark.parametrize("name", rulestone.games())
def test_contract_without_a_compiler(name, monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    check_game(rulestone.load(name), matches=1, plies=100, games=2, positions=20, worlds=0)
