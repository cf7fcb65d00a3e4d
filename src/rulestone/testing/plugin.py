"""Pytest plugin: `pytest --pyargs rulestone.testing.suite --rulestone-game NAME_OR_FOLDER` checks the contract case by case."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("rulestone")
    group.addoption(
        "--rulestone-game",
        action="append",
        default=[],
        metavar="GAME",
        help="game (name or folder) whose contract to check; repeat for several",
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test with the argument `rulestone_case` runs once for each configuration of the games named on the command line."""
    if "rulestone_case" not in metafunc.fixturenames:
        return
    from rulestone.game import load
    from rulestone.testing.contract import cases

    found = [(load(name), case) for name in metafunc.config.getoption("--rulestone-game") for case in cases(load(name))]
    metafunc.parametrize("rulestone_case", found, ids=[f"{game.name}: {case}" for game, case in found])
