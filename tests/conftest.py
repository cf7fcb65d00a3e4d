"""Fixtures that several test files use."""

from pathlib import Path

import pytest

import rulestone

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def connect_four():
    return rulestone.load("connect_four")


@pytest.fixture(scope="session")
def whisper():
    """A tiny game with hidden information, loaded from its folder like a user's own game."""
    return rulestone.load(ROOT / "tests" / "toys" / "whisper")


def pytest_collection_modifyitems(items):
    """Run all tests of a game in one process, so that two processes don't compile the same rules."""
    names = rulestone.games()
    for item in items:
        words = [*item.path.parts, *str(getattr(item, "callspec", None) and item.callspec.id).replace(":", " ").split()]
        game = next((name for name in names if name in words), None)
        if game is not None:
            item.add_marker(pytest.mark.xdist_group(game))
