"""The pytest plugin of the test kit.

`pytest --pyargs rulestone.testing.suite --rulestone-game GAME` checks a game, with one test for each number of players and each value of
each option. In your own tests, use the argument `rulestone_case`, a pair of a `Game` and a `Case`:

    def test_my_game(rulestone_case):
        game, case = rulestone_case
        check_game(game, case.players, case.options)
"""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option `--rulestone-game`."""
    group = parser.getgroup("rulestone")
    group.addoption(
        "--rulestone-game",
        action="append",
        default=[],
        metavar="GAME",
        help="game to check, by name or folder; repeat to check several",
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test with the argument `rulestone_case` once for each configuration of the games named on the command line."""
    if "rulestone_case" not in metafunc.fixturenames:
        return
    from rulestone.game import load
    from rulestone.testing.contract import cases

    found = [(load(name), case) for name in metafunc.config.getoption("--rulestone-game") for case in cases(load(name))]
    metafunc.parametrize("rulestone_case", found, ids=[f"{game.name}: {case}" for game, case in found])
