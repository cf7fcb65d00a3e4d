"""The designer's studio: live reload, the workbench, and what it copies."""

import shutil
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import rulestone
from rulestone.server.app import create_app
from rulestone.studio import looks
from rulestone.studio.app import studio
from rulestone.studio.bench import Bench

GAMES = Path(str(rulestone.__file__)).parent / "games"


@pytest.fixture
def folder(tmp_path):
    """A designer's own copy of the tutorial's game."""
    own = tmp_path / "four"
    shutil.copytree(GAMES / "connect_four", own, ignore=shutil.ignore_patterns("__pycache__", "*.json"))
    for file in own.glob("*.py"):
        file.write_text(file.read_text().replace("rulestone.games.connect_four.", "."))
    return own


def edit(folder, file, *changes):
    """Replace texts in a file of the game; each must be there."""
    path = folder / file
    text = path.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path.write_text(text)


def test_an_ordinary_server_has_no_door_to_the_studio(tmp_path):
    app = create_app(f"sqlite:///{tmp_path}/tables.db")
    with TestClient(app) as client:
        for path in ("/studio", "/studio/api/table", "/studio/static/studio.js"):
            assert client.get(path).status_code == 404
        assert client.post("/studio/api/play", json={"move": 0}).status_code in (404, 405)
    with TestClient(studio("connect_four", f"sqlite:///{tmp_path}/other.db")) as client:
        assert client.get("/studio").status_code == 200


def test_a_saved_change_comes_to_the_table_and_the_position_is_kept(folder):
    bench = Bench(folder)
    bench.play("drop 3")
    edit(folder, "scene.py", ("choose a column.", "pick a column."))
    assert bench.reload()
    assert bench.said == "The position was kept."
    assert bench.match.state.grid[0, 3] == 0
    assert looks.table(bench, "turn", False)["frame"]["prompt"] == "Your turn, Blue: pick a column."
