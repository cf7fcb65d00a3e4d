"""The lab: the same totals however the work is split, stopped or resumed; every mistake gets one clear sentence."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from rich.console import Console

import rulestone
from rulestone import cli
from rulestone.engine.playouts import playouts
from rulestone.lab import Study, command, make_plan, study, summary
from rulestone.lab.examples import Album
from rulestone.lab.folder import Folder, FolderError
from rulestone.lab.run import Crew, blocks_of, empty, work
from rulestone.lab.summary import summarise

pytestmark = pytest.mark.xdist_group("lab")  # one process compiles, the others don't have to
RULESTONE = str(Path(sys.executable).parent / "rulestone")


def text(summary):
    return json.dumps(summary, sort_keys=True)


@pytest.fixture(scope="module")
def small():
    return make_plan("connect_four", games=4000, seed=5, vary={"line": [4, 3]})


def test_totals_are_those_of_the_engines_playouts():
    told = study("connect_four", games=3000, seed=9, workers=1)["cells"][0]
    raw = playouts(rulestone.load("connect_four"), 3000, seed=9, threads=1)
    assert [seat["wins"] for seat in told["seats"]] == [int((raw.winners == player).sum()) for player in range(2)]
    assert told["measures"]["decisions"]["mean"] == pytest.approx(raw.lengths.mean(), rel=1e-5)
    assert next(thing for thing in told["things"] if thing["label"] == "drop")["times"] == raw.decisions


def test_totals_are_the_same_on_one_two_and_three_workers(small):
    summaries = [text(Study(small, workers=workers).run()) for workers in (1, 2, 3)]
    assert summaries[0] == summaries[1] == summaries[2]


def test_a_block_counts_once_however_often_it_comes(small):
    results = empty(small)
    answer = work(small, ("games", 0), False)
    results.add(answer)
    before = text(summarise(small, results))
    results.add(answer)
    assert text(summarise(small, results)) == before


def test_an_interrupted_study_resumes_to_the_same_bytes(small, tmp_path):
    whole = Study(small, workers=1, out=tmp_path / "whole").run()
    seen = []

    def stop(block, results):
        seen.append(block)
        if len(seen) == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Study(small, workers=2, out=tmp_path / "part").run(stop)
    again = Study(small, workers=2, out=tmp_path / "part", resume=True)
    assert 5 <= len(again.results.done) < 32
    assert text(again.run()) == text(whole)
    assert (tmp_path / "part/summary.json").read_bytes() == (tmp_path / "whole/summary.json").read_bytes()
    rows = pq.read_table(tmp_path / "part/games")
    assert rows.num_rows == 8000
    assert (
        pq.read_table(tmp_path / "whole/games")
        .sort_by([("cell", "ascending"), ("game", "ascending")])
        .equals(rows.sort_by([("cell", "ascending"), ("game", "ascending")]))
    )


def test_rows_in_parquet_add_up_to_the_totals(tmp_path):
    told = study("connect_four", games=500, seed=2, workers=1, out=tmp_path / "study")["cells"][0]
    rows = pq.read_table(tmp_path / "study/games").to_pydict()
    assert sum(rows["won_0"]) == told["seats"][0]["wins"]
    assert np.mean(rows["decisions"]) == pytest.approx(told["measures"]["decisions"]["mean"], rel=1e-5)
    assert sorted(rows["game"]) == list(range(500))


def test_paired_differences_are_those_of_the_rows(tmp_path):
    summary = study("connect_four", games=600, seed=2, workers=1, vary={"line": [4, 5]}, out=tmp_path / "study")
    rows = pq.read_table(tmp_path / "study/games").to_pydict()
    by_cell = [[v for v, c in zip(rows["decisions"], rows["cell"], strict=True) if c == cell] for cell in (0, 1)]
    games = [[v for v, c in zip(rows["game"], rows["cell"], strict=True) if c == cell] for cell in (0, 1)]
    first = dict(zip(games[0], by_cell[0], strict=True))
    differences = [value - first[game] for game, value in zip(games[1], by_cell[1], strict=True)]
    effect = next(effect for effect in summary["effects"] if effect["on"] == "decisions")
    assert effect["difference"] == pytest.approx(np.mean(differences), rel=1e-5)
    assert effect["sd"] == pytest.approx(np.std(differences, ddof=1), rel=1e-5)


def test_in_a_grid_each_factor_is_compared_with_the_others_held_equal():
    plan = make_plan("sarpedon", games=10, vary={"freeze": ["two_turns", "until_saved"], "loss": _two("sarpedon", "loss")})
    assert len(plan.cells) == 4
    assert [weights for *_, weights in plan.contrasts()] == [(-1, -1, 1, 1), (-1, 1, -1, 1)]
    alone = make_plan("sarpedon", games=10, grid=False, vary={"freeze": ["two_turns", "until_saved"], "loss": _two("sarpedon", "loss")})
    assert [weights for *_, weights in alone.contrasts()] == [(-1, 1, 0), (-1, 0, 1)]


def _two(game, option):
    return rulestone.load(game).options[option].values()[:2]


def test_bots_that_search_are_counted_like_all_others(tmp_path, monkeypatch):
    monkeypatch.setattr(summary, "SURELY", 0.0)  # so few games prove little
    plan = make_plan("connect_four", games=6, seed=1, bots="mcts:12")
    whole = Study(plan, workers=1, out=tmp_path / "study").run()
    told = whole["cells"][0]
    assert told["games"] == 6
    assert told["estimates"]["by"] == "the bots themselves"
    assert told["estimates"]["lead_changes"]["n"] == 6
    kept = Folder(tmp_path / "study").resume(plan)[1]
    assert text(summarise(plan, kept)) == text({key: value for key, value in whole.items() if key != "findings"})
    album = Album(plan, kept)
    game, ply = told["seats"][0]["examples"][0]
    record = album.records[album.game(0, game)]
    assert rulestone.replay(record).payoff == (1.0, -1.0)
    assert len(record["moves"]) == ply
    assert "dice" not in record


def test_an_example_is_the_game_that_was_counted():
    study_ = Study(make_plan("connect_four", games=64, seed=4), workers=1)
    told = study_.run()["cells"][0]
    album = Album(study_.plan, study_.results)
    thing = next(thing for thing in told["things"] if thing["label"] == "drop 6")
    game, ply = thing["examples"][-1]
    match = album.match(0, game)
    assert str(match.moves[ply - 1]) == "drop 6"
    assert rulestone.replay(album.records[album.game(0, game)]).moves == match.moves


def test_the_record_of_an_example_gives_the_deal_by_its_generator(whisper):
    study_ = Study(make_plan(str(whisper.folder), games=8, seed=4), workers=1)
    study_.run()
    album = Album(study_.plan, study_.results)
    deals = []
    for number in range(8):
        record = album.records[album.game(0, number)]
        assert "laid" not in record
        deals.append(rulestone.replay(record, whisper).raw_at(0))
    assert len(set(deals)) > 1


def test_the_only_verb_of_a_game_is_taken_whenever_it_is_offered():
    """In long studies only some games are counted in detail."""
    told = study("connect_four", games=100_000, workers=1)["cells"][0]
    drop = next(thing for thing in told["things"] if thing["kind"] == "verb")
    assert (drop["taken"], drop["times"]) == (1.0, drop["offered"])
    assert drop["per_game"] == pytest.approx(told["measures"]["decisions"]["mean"], rel=0.05)


def test_a_study_that_grows_takes_more_workers():
    plan = make_plan("connect_four", games=100_000, seed=1)
    crew = Crew(plan, 3, False)
    blocks = blocks_of(plan)[:3]
    assert len(list(crew.answers(blocks[:2]))) == 2
    assert len(list(crew.answers(blocks))) == 3
    assert crew.pools[False][0] == 3
    crew.close()


def test_watched_games_can_be_replayed_too(tmp_path, monkeypatch):
    monkeypatch.setattr(summary, "SURELY", 0.0)  # so few games prove little
    study_ = Study(make_plan("connect_four", games=20, seed=4, estimates=4), workers=1, out=tmp_path / "study")
    told = study_.run()["cells"][0]["estimates"]
    assert told["by"] == "mcts:100"
    assert told["lead_changes"]["n"] == 4
    examples = [move for moves in told["examples"].values() for move in moves]
    assert examples
    album = Album(study_.plan, Folder(tmp_path / "study").resume(None)[1])
    for game, ply in examples:
        record = album.records[album.game(0, game, watched=True)]
        assert rulestone.replay(record).over
        assert ply < len(record["moves"])


def test_skill_puts_each_bot_against_the_others_in_rotating_seats():
    told = study("connect_four", games=16, bots="random", skill=["mcts:2", "mcts:60"], workers=1)
    weak, strong = (cell["line_up"][0] for cell in told["cells"])
    assert strong["share"] > 0.7
    assert weak["hands"] == strong["hands"] == 16
    assert [seat["high"] > 0.6 for seat in strong["seats"]] == [True, True]
    assert told["findings"][0].startswith("Thinking")


def test_a_stopping_rule_stops_early_and_at_the_same_game_on_any_number_of_workers():
    plan = make_plan("connect_four", games=100_000, until="seat win rate ±2 %", seed=8)
    summaries = [Study(plan, workers=workers).run() for workers in (1, 2)]
    assert text(summaries[0]) == text(summaries[1])
    cell = summaries[0]["cells"][0]
    assert cell["games"] < 20_000
    assert all((seat["high"] - seat["low"]) / 2 <= 0.02 for seat in cell["seats"])


@pytest.mark.slow
def test_interpreted_rules_give_the_same_study():
    command = [RULESTONE, "lab", "connect_four", "-n", "30", "--json", "--seed", "3", "--workers", "1", "--luck", "1", "--vary", "line=4,3"]
    told = [
        subprocess.run(command, env={**os.environ, "RULESTONE_JIT": jit}, capture_output=True, text=True, check=True).stdout for jit in "01"
    ]
    assert told[0] == told[1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["lab", "connect_for"], "did you mean connect_four"),
        (["lab", "connect_four", "--bots", "clever"], "there is no bot 'clever'"),
        (["lab", "connect_four", "--bots", "random,random,random"], "3 bots for 2 players"),
        (["lab", "connect_four", "--vary", "size=1,2"], "has no option and no constant 'size'"),
        (["lab", "connect_four", "--vary", "line=4"], "at least two values"),
        (["lab", "connect_four", "--vary", "line=4,4"], "the same value twice"),
        (["lab", "connect_four", "--vary", "line=4,3", "--option", "line=4"], "both set and varied"),
        (["lab", "connect_four", "--vary", "players=2,3"], "is for 2 players"),
        (["lab", "connect_four", "--until", "nonsense"], "is not understood"),
        (["lab", "connect_four", "--until", "beauty ±1 %"], "nothing called 'beauty'"),
        (["lab", "connect_four", "--resume"], "--resume needs --out"),
        (["lab", "connect_four", "--resume", "--out", "nowhere"], "there is no study in nowhere"),
        (["lab", "connect_four", "--workers", "2", "--ray", "local"], "use either --workers or --ray"),
        (["lab", "connect_four", "--report", "nowhere/report.html"], "can't write nowhere/report.html"),
        (["lab", "connect_four", "--out", "/proc/study"], "cannot be written"),
        (["replay", "nowhere.json"], "can't read nowhere.json"),
    ],
)
def test_a_mistake_gets_one_sentence_and_exit_code_2(arguments, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["rulestone", *arguments])
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code == 2
    said = capsys.readouterr().err.strip()
    assert words in said
    assert len(said.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_folder_in_use_is_not_overwritten(small, tmp_path):
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters/mine.txt").write_text("dear")
    with pytest.raises(FolderError, match="is not an empty folder"):
        Study(small, out=tmp_path / "letters")
    Study(small, out=tmp_path / "study")
    with pytest.raises(FolderError, match="use --resume to continue it"):
        Study(small, out=tmp_path / "study")
    assert [path.name for path in (tmp_path / "letters").iterdir()] == ["mine.txt"]


def test_a_foreign_or_damaged_folder_is_not_resumed(small, tmp_path):
    done = Study(small, workers=1, out=tmp_path / "study")
    done.run()
    other = make_plan("connect_four", games=5000, seed=5, vary={"line": [4, 3]})
    with pytest.raises(FolderError, match=r"a different plan \(games\)"):
        Study(other, out=tmp_path / "study", resume=True)
    rows = sorted((tmp_path / "study/games").iterdir())[1]
    kept = rows.read_bytes()
    for damage in (lambda: rows.write_bytes(kept[: len(kept) // 2]), rows.unlink):
        damage()
        with pytest.raises(FolderError, match=rf"{rows.name} are missing or damaged"):
            Study(small, out=tmp_path / "study", resume=True)
    rows.write_bytes(kept)
    totals = tmp_path / "study/totals.npz"
    whole = totals.read_bytes()
    totals.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(FolderError, match=r"the totals in .* are damaged"):
        Study(small, out=tmp_path / "study", resume=True)
    assert len(totals.read_bytes()) == len(whole) // 2
    plan = tmp_path / "study/plan.json"
    plan.write_text(plan.read_text().replace("rulestone.study", "somebody.else"))
    with pytest.raises(FolderError, match="holds something else"):
        Study(small, out=tmp_path / "study", resume=True)
    plan.write_text("{")
    with pytest.raises(FolderError, match=r"the plan in .* is damaged"):
        Study(small, out=tmp_path / "study", resume=True)


def test_a_full_disk_is_reported_and_what_was_saved_stays(small, tmp_path, monkeypatch):
    study_ = Study(small, workers=1, out=tmp_path / "study")
    seen = []

    def fill(*_):
        raise OSError(28, "No space left on device")

    def after_some(block, results):
        seen.append(block)
        if len(seen) == 3:
            study_.folder.save(results)
            monkeypatch.setattr(os, "fsync", fill)
            monkeypatch.setattr(pq, "write_table", fill)

    with pytest.raises(FolderError, match="cannot be written: No space left on device"):
        study_.run(after_some)
    assert not list((tmp_path / "study").rglob("*.half"))
    monkeypatch.undo()
    again = Study(small, workers=1, out=tmp_path / "study", resume=True)
    assert len(again.results.done) == 3
    assert text(again.run()) == text(Study(small, workers=1).run())


@pytest.mark.slow
def test_ctrl_c_saves_what_was_played_and_shows_how_to_continue(tmp_path):
    command = [RULESTONE, "lab", "connect_four", "-n", "100000000", "--out", str(tmp_path / "study")]
    heed = lambda: signal.signal(signal.SIGINT, signal.default_int_handler)  # noqa: E731 (a shell's background job would ignore it)
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, preexec_fn=heed)
    deadline = time.monotonic() + 60
    while not list((tmp_path / "study/games").glob("*.parquet")) and time.monotonic() < deadline:
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "--resume" in said
    assert "Traceback" not in said
    assert len(Folder(tmp_path / "study").resume(None)[1].done) > 0


def test_the_command_to_continue_can_be_pasted(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(Study, "run", interrupt)
    assert lab(Console(), "connect_four", {"games": 10}, tmp_path / "my study") == 130
    assert f"rulestone lab connect_four --out '{tmp_path / 'my study'}' --resume" in capsys.readouterr().err


def interrupt(*_):
    raise KeyboardInterrupt


def lab(console, name, wanted, out, resume=False):
    more = {"where": {"workers": 1, "ray": None, "gpu": False}, "report": None, "as_json": False}
    return command.run(console, name, wanted, out=out, resume=resume, **more)


def test_a_study_continues_however_its_game_is_spelt(tmp_path, whisper, monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    monkeypatch.chdir(tmp_path)
    shutil.copytree(whisper.folder, tmp_path / "sub/other", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(whisper.folder, tmp_path / "sub/third", ignore=shutil.ignore_patterns("__pycache__"))
    wanted = {"games": 10, "players": 2}
    lab(Console(quiet=True), "sub/other", wanted, tmp_path / "study")
    for spelt in ("sub/other/", "./sub/other", tmp_path / "sub/other"):
        assert lab(Console(quiet=True), str(spelt), None, tmp_path / "study", resume=True) == 0
        assert lab(Console(quiet=True), str(spelt), wanted, tmp_path / "study", resume=True) == 0
    with pytest.raises(FolderError, match="sub/other, not of sub/third"):
        lab(Console(quiet=True), "sub/third", None, tmp_path / "study", resume=True)
    monkeypatch.chdir(tmp_path / "sub")
    assert lab(Console(quiet=True), "other", None, tmp_path / "study", resume=True) == 0
    assert lab(Console(quiet=True), "other", wanted, tmp_path / "study", resume=True) == 0


def test_settings_are_shown_with_their_brackets(capsys):
    seat = {"name": "[Red]", "share": 0.5, "low": 0.4, "high": 0.6}
    command._print(Console(width=200), {"findings": [], "cells": [{"label": "DECK[a,b]=3", "games": 10, "seats": [seat]}]})
    said = capsys.readouterr().out
    assert "DECK[a,b]=3" in said
    assert "[Red]" in said


def test_memory_does_not_grow_with_the_number_of_games():
    sizes = [
        sum(values.nbytes for values in Study(make_plan("connect_four", games=games)).results.cells[0].values()) for games in (10, 10**9)
    ]
    assert sizes[0] == sizes[1]


@pytest.mark.slow
def test_what_runs_in_another_process_is_the_same():
    thinking = make_plan("connect_four", games=4, seed=1, bots="mcts:5")
    assert text(Study(thinking, workers=1).run()) == text(Study(thinking, workers=2).run())
