"""The checks of the test kit as a pytest suite; see `rulestone.testing.plugin`."""

from typing import Any

from rulestone.testing.contract import check_game


def test_contract(rulestone_case: Any) -> None:
    """The game keeps its contract in one configuration."""
    game, case = rulestone_case
    check_game(game, case.players, case.options)
