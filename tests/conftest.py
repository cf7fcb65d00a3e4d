"""What several tests share."""

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
    """A tiny game with secrets, loaded from its folder as a stranger's game would be."""
    return rulestone.load(ROOT / "tests" / "toys" / "whisper")


def pytest_collection_modifyitems(items):
    """Tests of one game run in one process, so that two processes do not compile the same rules side by side."""
    names = rulestone.games()
    for item in items:
        words = [*item.path.parts, *str(getattr(item, "callspec", None) and item.callspec.id).replace(":", " ").split()]
        game = next((name for name in names if name in words), None)
        if game is not None:
            item.add_marker(pytest.mark.xdist_group(game))
