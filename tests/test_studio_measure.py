"""What a change did: two versions of a game side by side, and sliders that are variants until they are kept."""

import shutil
import time

import pytest
from starlette.testclient import TestClient

from rulestone.studio import measuring
from rulestone.studio.app import studio
from rulestone.studio.measuring import Asked, Measurer, measured
from tests.studios import edit

DEEPER = ("ROWS, COLUMNS, EMPTY = 6, 7", "ROWS, COLUMNS, EMPTY = 7, 7")


@pytest.fixture(autouse=True)
def few(monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    monkeypatch.setattr(measuring, "GAMES", 60)


def save(bench, *change):
    edit(bench, *change)
    assert bench.reload()


def told(asked):
    return list(measured(asked))[-1]


def test_each_version_is_compared_with_the_last_one_that_plays_otherwise(bench):
    measurer = Measurer(bench)
    assert measurer.wish() is None
    save(bench, "scene.py", "choose a column.", "pick a column.")
    assert measurer.wish() is None
    save(bench, "rules.py", *DEEPER)
    wish = measurer.wish()
    assert (wish.factor, wish.values) == ("version", (2, 3))
    save(bench, "scene.py", "pick a column.", "take a column.")
    assert measurer.wish().values == (2, 4)
    save(bench, "rules.py", *reversed(DEEPER))
    assert measurer.wish().values == (4, 5)


def test_a_change_of_words_is_not_measured_again(bench):
    measurer = Measurer(bench)
    save(bench, "rules.py", *DEEPER)
    act, (asked,) = measurer.work()
    assert (act, asked.values) == (measuring.measure, (1, 2))
    measurer.tell({"state": "done"})
    assert measurer.work() is None


def test_any_earlier_version_can_be_compared_with(bench):
    measurer = Measurer(bench)
    save(bench, "rules.py", *DEEPER)
    save(bench, "rules.py", "ROWS, COLUMNS, EMPTY = 7, 7", "ROWS, COLUMNS, EMPTY = 8, 7")
    assert (measurer.data()["versions"], measurer.wish().values) == ([1, 2], (2, 3))
    measurer.vary({}, 1)
    assert measurer.wish().values == (1, 3)


def test_both_versions_play_the_same_deals_and_stand_side_by_side_with_intervals(bench):
    measurer = Measurer(bench)
    save(bench, "rules.py", "ROWS, COLUMNS, EMPTY = 6, 7", "ROWS, COLUMNS, EMPTY = 3, 5")
    result = told(measurer.wish())
    assert (result["state"], result["games"]) == ("done", 60)
    rows = {row["name"]: row for row in result["rows"]}
    assert all("±" in side or "to" in side for side in rows["wins by Red"]["sides"])
    assert "percentage points" in rows["wins by Red"]["difference"]
    assert rows["decisions"]["clear"]
    assert len(result["never"]) == 2
    assert "version 2 instead of 1" in result["report"]


def test_versions_that_play_alike_show_no_difference(bench):
    asked = Asked((str(bench.folder), str(bench.versions[-1].folder)), "version", (1, 2), 2, {}, 60)
    assert {row["difference"] for row in told(asked)["rows"]} == {"no difference"}


def test_what_cannot_be_played_is_said(bench, tmp_path):
    other = shutil.copytree(bench.folder, tmp_path / "other")
    (other / "rules.py").write_text("def setup(s:\n")
    result = told(Asked((str(bench.folder), str(other)), "version", (1, 2), 2, {}, 60))
    assert result["state"] == "failed"
    assert "rules.py line 1: " in result["text"]


def test_a_slider_is_a_variant_and_changes_no_file(bench):
    before = (bench.folder / "rules.py").read_text()
    measurer = Measurer(bench)
    measurer.vary({"ROWS": 5, "COLUMNS": 7}, 0)
    wish = measurer.wish()
    assert (wish.factor, wish.values) == ("ROWS", (6, 5))
    assert "ROWS 5" not in (bench.folder / "rules.py").read_text()
    assert told(wish)["state"] == "done"
    assert (bench.folder / "rules.py").read_text() == before
    assert measurer.data()["changes"] == {"ROWS": 5}


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_keep_writes_the_number_and_nothing_else(bench, ending):
    file = bench.folder / "rules.py"
    before = file.read_bytes().replace(b"\n", ending.encode())
    file.write_bytes(before)
    measurer = Measurer(bench)
    measurer.vary({"ROWS": 5}, 0)
    measurer.keep()
    assert file.read_bytes() == before.replace(b"EMPTY = 6, 7", b"EMPTY = 5, 7") != before
    assert bench.reload()
    assert measurer.data()["changes"] == {}
    assert measurer.wish().values == (1, 2)


def test_what_the_files_say_now_is_no_variant_any_more(bench):
    measurer = Measurer(bench)
    measurer.vary({"ROWS": 5, "COLUMNS": 6}, 0)
    save(bench, "rules.py", "ROWS, COLUMNS, EMPTY = 6, 7", "ROWS, COLUMNS, EMPTY = 5, 7")
    assert measurer.data()["changes"] == {"COLUMNS": 6}


def test_all_calls_of_the_panel(tmp_path, folder):
    with TestClient(studio(folder, f"sqlite:///{tmp_path}/tables.db")) as client:
        api = "/api/studio"
        assert client.get(f"{api}/measure").json()["state"] == "nothing"
        assert client.get("/studio/report").status_code == 409
        assert client.post(f"{api}/measure", json={"changes": {"ROWS": 5}}).json()["changes"] == {"ROWS": 5}
        refused = client.post(f"{api}/measure", json={"changes": {"HEIGHT": 5}})
        assert (refused.status_code, refused.json()["text"]) == (422, "There is no constant 'HEIGHT' that can be changed here.")
        good = (folder / "rules.py").read_text()
        (folder / "rules.py").write_text(good + "def (")
        refused = client.post(f"{api}/keep")
        assert (refused.status_code, "rules.py line" in refused.json()["text"]) == (422, True)
        (folder / "rules.py").write_text(good)
        assert client.post(f"{api}/keep").status_code == 200
        assert "EMPTY = 5, 7" in (folder / "rules.py").read_text()


@pytest.mark.slow
def test_a_saved_change_is_measured_in_the_background(bench):
    measurer = Measurer(bench)
    measurer.open()
    try:
        save(bench, "rules.py", *DEEPER)
        until = time.monotonic() + 240
        while measurer.state["state"] != "done":
            assert time.monotonic() < until
            time.sleep(0.1)
        data = measurer.data()
        assert (data["games"], data["sides"]) == (60, ["version 1", "version 2"])
        assert "<main>" in measurer.report
    finally:
        measurer.close()
