"""The test kit on every built-in game, with every number of players and every value of every option."""

import pytest

import rulestone
from rulestone.testing import cases, check_game


def everything():
    """Every case of every game. Each value of an option is tried with one number of players, by turns; `make soak` tries the others."""
    for name in rulestone.games():
        possible = list(cases(rulestone.load(name)))
        values = list(dict.fromkeys(str(case.options) for case in possible))
        for number, case in enumerate(possible):
            players = [other.players for other in possible if other.options == case.options]
            turn = players[values.index(str(case.options)) % len(players)]
            marks = [pytest.mark.soak] if case.options and case.players != turn else [pytest.mark.slow] if number > 0 else []
            yield pytest.param(name, case, id=f"{name}: {case}", marks=marks)


@pytest.mark.parametrize(("name", "case"), list(everything()))
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
