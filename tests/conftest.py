"""Fixtures that several test files use."""

import asyncio
from pathlib import Path

import pytest

import rulestone
from tests.services import postgres
from tests.studios import own_game
from tests.tables import WHISPER, Person

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def connect_four():
    return rulestone.load("connect_four")


@pytest.fixture(scope="session")
def whisper():
    """A tiny game with hidden information, loaded from its folder like a user's own game."""
    return rulestone.load(ROOT / "tests" / "toys" / "whisper")


@pytest.fixture
def interpreted(monkeypatch):
    """Don't compile in the background: the interpreted game is the same game."""
    monkeypatch.setenv("RULESTONE_JIT", "0")


@pytest.fixture
def url(tmp_path):
    """The address of a fresh storage."""
    return f"sqlite:///{tmp_path / 'tables.db'}"


@pytest.fixture(scope="session")
def postgres_server():
    with postgres() as url:
        yield url


@pytest.fixture
def postgres_url(postgres_server):
    """An empty PostgreSQL database."""
    asyncio.run(emptied(postgres_server))
    return postgres_server


async def emptied(url):
    from rulestone.server import schema

    engine = schema.patient(schema.address(url))
    async with engine.begin() as connection:
        await connection.exec_driver_sql("DROP SCHEMA public CASCADE")
        await connection.exec_driver_sql("CREATE SCHEMA public")
    await engine.dispose()


@pytest.fixture(params=["sqlite", "postgresql"])
def either(request, tmp_path):
    """Both kinds of database."""
    return request.getfixturevalue("postgres_url") if request.param == "postgresql" else f"sqlite:///{tmp_path / 'tables.db'}"


class Clock:
    """A clock that a test sets."""

    now = 1_800_000_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def client(url):
    """A server; a file of tests can have its own, for the same people."""
    from starlette.testclient import TestClient

    from rulestone.server.app import create_app

    with TestClient(create_app(url, games=[WHISPER], pace=0, limits=False)) as client:
        yield client


@pytest.fixture
def anna(client):
    return Person(client)


@pytest.fixture
def ben(client):
    return Person(client)


@pytest.fixture
def folder(tmp_path):
    """A designer's own copy of the tutorial's game."""
    return own_game(tmp_path / "four")


@pytest.fixture
def bench(folder):
    """That game on a studio's workbench."""
    from rulestone.studio.bench import Bench

    return Bench(folder)


@pytest.fixture
def one_thread():
    """The tests share the cores."""
    torch = pytest.importorskip("torch")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def pytest_collection_modifyitems(items):
    """Run all tests of a game in one process, so that two processes don't compile the same rules."""
    names = rulestone.games()
    for item in items:
        words = [*item.path.parts, *str(getattr(item, "callspec", None) and item.callspec.id).replace(":", " ").split()]
        game = next((name for name in names if name in words), None)
        if game is not None:
            item.add_marker(pytest.mark.xdist_group(game))
