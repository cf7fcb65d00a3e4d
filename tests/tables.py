"""Every game with every number of players, for tests that hold for all of them."""

import pytest

import rulestone


def _tables():
    for name in rulestone.games():
        game = rulestone.load(name)
        for players in range(game.min_players, game.max_players + 1):
            yield pytest.param(name, players, id=f"{name}:{players}")


every_table = pytest.mark.parametrize(("name", "players"), list(_tables()))
