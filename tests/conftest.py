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
