"""The champions: those in the package, and how they are trained on another machine and come back from it."""

import json
import random
from dataclasses import asdict, replace

import pytest
from tools import champions
from typer.testing import CliRunner

from rulestone.nets.net import Net, own_file


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


def test_every_champion_in_the_package_fits_its_game_and_beats_its_quick_bot():
    rows = [champions.Row(**row) for row in json.loads(champions.LADDER.read_text())]
    sure = {row.seat for row in rows if row.other == "greedy" and row.settled and row.score > row.fair and row.games >= 4000}
    there = [seat for seat in champions.seats() if own_file(seat.game, seat.players).is_file()]
    assert {seat.name for seat in there} == sure == {row.seat for row in rows}
    for seat in there:
        net = Net.load(own_file(seat.game, seat.players)).check(seat.game, seat.players)
        assert net.lens(seat.game)
        assert net.header["trained"]["command"].startswith(f"rulestone train {seat.game.name} --players {seat.players} --seed ")
        assert net.header["trained"]["seconds"] > 0


def test_adopting_one_keeps_what_was_measured_of_the_others(tmp_path, monkeypatch):
    [seat] = champions.seats("artifact-2")
    monkeypatch.setattr(champions, "LADDER", tmp_path / "ladder.json")
    monkeypatch.setattr(champions, "own_file", lambda game, players: tmp_path / "own" / f"{players}.net")
    measured = champions.Row("artifact", 2, "net", "greedy", 0.6, 0.58, 0.62, 0.5, 4000, True)
    others = [asdict(replace(measured, players=players)) for players in (3, 2)]
    champions.LADDER.write_text(json.dumps(others))
    (tmp_path / "artifact-2.net").write_bytes(own_file(seat.game, 2).read_bytes())
    (tmp_path / "artifact-2.quick.json").write_text(json.dumps(asdict(measured) | {"score": 0.7}))
    told = CliRunner().invoke(champions.app, ["adopt", "--build", str(tmp_path)])
    assert told.exit_code == 0, told.output
    rows = json.loads(champions.LADDER.read_text())
    assert [(row["players"], row["score"]) for row in rows] == [(2, 0.7), (3, 0.6)]
    assert Net.load(tmp_path / "own" / "2.net").players == 2
