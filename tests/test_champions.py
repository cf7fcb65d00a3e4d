"""How champions are trained on another machine: what comes back from it, and that they continue here."""

import random

import pytest
from tools import champions
from typer.testing import CliRunner


@pytest.fixture
def build(tmp_path):
    """A small net, a checkpoint, and one that is larger than an archive."""
    folder = tmp_path / "build"
    folder.mkdir()
    for name, size in (("a.net", 2_000), ("a.checkpoint", 9_000), ("b.checkpoint", 8_000), ("c.checkpoint", 30_000)):
        (folder / name).write_bytes(random.Random(name).randbytes(size))
    return folder


def test_what_was_packed_is_unpacked_again(build, tmp_path):
    left = champions.pack(build, tmp_path / "packed", most=2, size=13_000)
    archives = sorted((tmp_path / "packed").iterdir())
    assert [file.name for file in archives] == ["champions-0.zip", "champions-1.zip"]
    assert all(file.stat().st_size <= 13_000 for file in archives)
    assert [file.name for file in left] == ["c.checkpoint"]
    told = CliRunner().invoke(champions.app, ["unpack", *map(str, archives), "--build", str(tmp_path / "here")])
    assert told.exit_code == 0, told.output
    there = {file.name: file.read_bytes() for file in (tmp_path / "here").iterdir()}
    assert there == {name: (build / name).read_bytes() for name in ("a.net", "a.checkpoint", "b.checkpoint")}


def test_small_files_are_packed_first(build, tmp_path):
    left = champions.pack(build, tmp_path / "packed", most=1, size=12_500)
    assert [file.name for file in left] == ["a.checkpoint", "c.checkpoint"]


def test_those_with_a_checkpoint_continue_and_the_others_begin(tmp_path, monkeypatch):
    started = {}
    monkeypatch.setattr(champions, "side_by_side", lambda commands, logs, folder: started.update(commands) or True)
    (tmp_path / "artifact-2.checkpoint").touch()
    told = CliRunner().invoke(
        champions.app, ["train", "--minutes", "3", "--width", "64", "--resume", "--only", "artifact-2,artifact-3", "--build", str(tmp_path)]
    )
    assert told.exit_code == 0, told.output
    assert "--resume" in started["artifact-2"]
    assert "--width" not in started["artifact-2"]
    assert "--resume" not in started["artifact-3"]
    assert "--width" in started["artifact-3"]
