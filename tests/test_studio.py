"""The designer's studio: live reload, the workbench, and what it copies."""

import gc
import itertools
import json
import random
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

import rulestone
from rulestone.game import Game, load
from rulestone.learning import Lesson, read_picture
from rulestone.lesson import Position, Step
from rulestone.match import IllegalMove
from rulestone.server.app import create_app
from rulestone.studio import bench as workbench
from rulestone.studio import copying, looks
from rulestone.studio.app import concerns, studio
from rulestone.studio.bench import Bench, Stumble
from rulestone.studio.checks import Checker
from tests.studios import GAMES, edit

TOYS = Path(__file__).parent / "toys"


def prompt(bench):
    return looks.table(bench, "turn", False)["frame"]["prompt"]


def problems(bench):
    return looks.table(bench, "turn", False)["problems"]


# ---- who may open it --------------------------------------------------------------------------------------------------------


def test_an_ordinary_server_has_no_door_to_the_studio(tmp_path):
    with TestClient(create_app(f"sqlite:///{tmp_path}/tables.db")) as client:
        for path in ("/studio", "/api/studio/table", "/api/studio/fields", "/studio/static/studio.js"):
            assert client.get(path).status_code == 404
        assert client.post("/api/studio/play", json={"move": 0}).status_code == 404
        with pytest.raises(WebSocketDisconnect), client.websocket_connect("/studio/live"):
            pass


@pytest.fixture
def served(tmp_path, folder):
    with TestClient(studio(folder, f"sqlite:///{tmp_path}/tables.db")) as client:
        yield client


def test_the_studio_answers_only_to_this_machine_and_its_own_pages(served):
    assert served.get("/studio").status_code == 200
    assert served.get("/studio", headers={"host": "evil.example"}).status_code == 421
    assert served.post("/api/studio/play", json={"move": 3}, headers={"origin": "http://evil.example"}).status_code == 403
    with pytest.raises(WebSocketDisconnect), served.websocket_connect("/studio/live", headers={"origin": "http://evil.example"}):
        pass
    assert served.get("/api/studio/table").json()["line"]["at"] == 0


def test_the_page_is_told_of_a_saved_file_within_a_second(served, folder):
    with served.websocket_connect("/studio/live") as socket:
        time.sleep(0.3)  # until the folder is being watched
        scene = folder / "scene.py"
        scene.write_text(scene.read_text().replace("choose a column.", "pick a column."))
        assert json.loads(socket.receive_text())["t"] == "version"
    assert served.get("/api/studio/table").json()["frame"]["prompt"] == "Your turn, Red: pick a column."
    assert served.get("/rules/four").status_code == served.get("/learn/four").status_code == 200


def test_only_files_that_can_change_the_game_are_watched():
    assert concerns(None, "/games/mine/rules.py")
    assert concerns(None, "/games/mine/RULES.md")
    assert not any(concerns(None, f"/games/mine/{name}") for name in ("test_mine.py", "__pycache__/rules.py", "rules.py.swp", "4913"))


# ---- a saved file ---------------------------------------------------------------------------------------------------------------


def test_a_change_comes_to_the_table_and_the_position_is_kept(bench):
    bench.play("drop 3")
    edit(bench, "scene.py", "choose a column.", "pick a column.")
    assert bench.reload()
    assert (bench.said, bench.number) == ("The position was kept.", 2)
    assert prompt(bench) == "Your turn, Blue: pick a column."
    bench.go(0)
    assert prompt(bench) == "Your turn, Red: pick a column."
    bench.go(1)
    assert [str(move) for move in bench.match.moves] == ["drop 3"]


def test_two_changes_of_the_same_length_within_a_second_are_both_seen(bench):
    for old, new in itertools.pairwise(["choose a column.", "abcdef a column.", "ghijkl a column.", "mnopqr a column."]):
        edit(bench, "scene.py", old, new)
        assert bench.reload()
        assert prompt(bench).endswith(new)


def test_a_save_that_changes_nothing_makes_no_version(bench):
    edit(bench, "scene.py", "choose a column.", "pick a column.")
    assert bench.reload()
    (bench.folder / "scene.py").touch()
    assert bench.reload()
    assert bench.number == 2


def test_if_the_fields_have_changed_the_moves_are_played_again(bench):
    for move in ("drop 3", "drop 2", "drop 3"):
        bench.play(move)
    edit(bench, "rules.py", "    height: ", "    spare: i8  # nothing yet\n    height: ")
    assert bench.reload()
    assert bench.said == "The moves were played again."
    assert bench.match.state.height.tolist() == [0, 0, 1, 2, 0, 0, 0]
    assert bench.match.state.spare == 0
    assert len(bench.line.moments) == 4


def test_moves_that_are_not_possible_any_more_are_named(bench):
    for move in ("drop 3", "drop 6", "drop 3"):
        bench.play(move)
    edit(bench, "rules.py", "ROWS, COLUMNS, EMPTY = 6, 7", "ROWS, COLUMNS, EMPTY = 6, 5")
    assert bench.reload()
    assert bench.said.startswith("1 of 3 moves were played again. 'drop 6' isn't possible now")
    assert bench.match.ply == 1


def test_if_nothing_fits_a_new_game_is_dealt(bench):
    bench.play("drop 6")
    edit(bench, "rules.py", "ROWS, COLUMNS, EMPTY = 6, 7", "ROWS, COLUMNS, EMPTY = 6, 5")
    assert bench.reload()
    assert bench.said == "The position doesn't fit any more: a new game was dealt."
    assert bench.match.ply == 0


def test_fields_changed_by_hand_are_kept_with_the_position_and_given_up_with_it(bench):
    bench.lay(lambda match: looks.write(match, "grid", 2, 0))
    edit(bench, "scene.py", "choose a column.", "pick a column.")
    assert bench.reload()
    assert bench.match.state.height[2] == 1
    edit(bench, "rules.py", "    height: ", "    spare: i8  # nothing yet\n    height: ")
    assert bench.reload()
    assert bench.said == "The position doesn't fit any more: a new game was dealt, without the fields that you had changed."


@pytest.mark.parametrize(
    ("file", "old", "new", "says"),
    [
        ("rules.py", "def setup(s):", "def setup(s:", "'(' was never closed"),
        ("rules.py", "ROWS, COLUMNS, EMPTY = 6, 7", "ROWS, COLUMNS, EMPTY = 6, seven", "NameError: name 'seven' is not defined"),
        ("rules.py", "@rule\ndef setup(s):", "@rule\ndef setup(s):\n    s.wall = 1", "the record has no field 'wall'"),
        ("scene.py", "choose a column.", "choose a {colour}.", "NameError: name 'colour' is not defined"),
        ("lesson.py", "STEPS = [", "STEPS = [ nothing,", "NameError: name 'nothing' is not defined"),
    ],
)
def test_a_mistake_stands_in_the_page_with_its_place_and_the_last_version_stays_playable(bench, file, old, new, says):
    bench.play("drop 3")
    right = (bench.folder / file).read_text()
    edit(bench, file, old, new)
    assert not bench.reload()
    (problem,) = problems(bench)
    assert (problem["where"], problem["file"]) == ("files", file)
    assert says in problem["says"]
    assert dict(problem["lines"])[problem["line"]] == (bench.folder / file).read_text().splitlines()[problem["line"] - 1]
    bench.play("drop 3")
    assert prompt(bench) == "Your turn, Red: choose a column."
    (bench.folder / file).write_text(right)
    assert bench.reload()
    assert problems(bench) == []
    assert bench.match.ply == 2


def test_the_page_says_what_check_says(bench, capfd):
    edit(bench, "rules.py", "def setup(s):", "def setup(s:")
    assert not bench.reload()
    (problem,) = problems(bench)
    result = subprocess.run([sys.executable, "-m", "rulestone.cli", "check", str(bench.folder)], capture_output=True, text=True)
    assert f"{bench.folder / problem['file']} line {problem['line']}: {problem['says']}" in result.stderr


def test_a_rule_that_never_ends_is_stopped_and_its_line_named(bench, monkeypatch):
    monkeypatch.setattr("rulestone.patience.SECONDS", 0.3)
    edit(bench, "rules.py", "@rule\ndef setup(s):", "@rule\ndef setup(s):\n    while s.ply == 0:\n        pass\n")
    assert not bench.reload()
    (problem,) = problems(bench)
    assert (problem["file"], problem["says"]) == ("rules.py", "this runs without end")


def test_the_last_version_can_be_played_while_a_new_one_is_being_tried(bench, monkeypatch):
    monkeypatch.setattr("rulestone.patience.SECONDS", 1.0)
    edit(bench, "rules.py", "@rule\ndef setup(s):", "@rule\ndef setup(s):\n    while s.ply == 0:\n        pass\n")
    trying = threading.Thread(target=bench.reload)
    trying.start()
    while bench.read != bench._files():
        time.sleep(0.01)
    bench.play("drop 3")
    assert trying.is_alive()
    trying.join()
    assert problems(bench)[0]["says"] == "this runs without end"
    assert bench.match.ply == 1


def test_a_move_made_while_a_new_version_is_tried_is_in_it(bench, monkeypatch):
    tried = workbench._try
    monkeypatch.setattr(workbench, "_try", lambda match: (tried(match), bench.play("drop 3") if not bench.line.at else None))
    edit(bench, "scene.py", "choose a column.", "pick a column.")
    assert bench.reload()
    assert [str(move) for move in bench.match.moves] == ["drop 3"]
    assert prompt(bench) == "Your turn, Blue: pick a column."


def test_an_invariant_that_a_rule_breaks_keeps_the_version_away_from_the_table(bench):
    edit(bench, "rules.py", "    discs = [0, 0]\n", "    discs = [0, 0]\n    require(s.height[0] == 0, 'the first column stays empty')\n")
    assert not bench.reload()
    (problem,) = problems(bench)
    assert (problem["file"], problem["says"]) == ("rules.py", "BrokenInvariant: the first column stays empty")


def test_a_move_that_fails_at_the_table_changes_nothing_and_says_where(bench):
    edit(
        bench, "rules.py", "@rule\ndef do_drop(s, column):", "@rule\ndef do_drop(s, column):\n    if s.ply == 60:\n        s.height[99] = 1"
    )
    assert bench.reload()
    bench.lay(lambda match: looks.write(match, "ply", None, 60))
    before = bench.match.raw
    with pytest.raises(Stumble):
        bench.play("drop 3")
    assert bench.match.raw == before
    (problem,) = problems(bench)
    assert (problem["where"], problem["file"]) == ("table", "rules.py")
    assert "IndexError" in problem["says"]


def test_if_a_scene_fails_later_the_fields_are_drawn_and_the_line_is_named(bench):
    edit(bench, "scene.py", "    grid = view.state.grid\n", "    grid = view.state.grid\n    1 / (view.ply - 70)\n")
    assert bench.reload()
    bench.lay(lambda match: looks.write(match, "ply", None, 70))
    table = looks.table(bench, "turn", False)
    assert "field-height" in "".join(table["frame"]["scene"]["parts"])
    assert [(one["file"], one["says"]) for one in table["problems"]] == [("scene.py", "ZeroDivisionError: division by zero")]
    bench.go(0)
    assert problems(bench) == []


def test_an_installed_game_says_where_its_files_are_and_is_imported_for_the_studio_alone(capsys):
    other = load("connect_four")
    bench = Bench("connect_four")
    assert bench.folder == GAMES / "connect_four"
    assert bench.reload()
    assert bench.game is not other
    assert load("connect_four") is other
    assert bench.game.rules is not other.rules


def test_every_version_leaves_a_copy_that_stays_as_it_is(bench):
    edit(bench, "rules.py", "ROWS, COLUMNS, EMPTY = 6, 7", "ROWS, COLUMNS, EMPTY = 6, 5")
    bench.reload()
    before, now = bench.versions
    assert (before.number, now.number) == (1, 2)
    assert before.plays != now.plays
    assert "6, 7" in (before.folder / "rules.py").read_text()
    assert "6, 5" in (now.folder / "rules.py").read_text()


@pytest.mark.slow
@pytest.mark.flaky(reruns=2)  # other tests leave threads in this process, which take memory of their own
def test_memory_stays_flat_over_200_reloads(bench, monkeypatch):
    monkeypatch.setattr(workbench, "TRIED", 3)
    bench.play("drop 3")
    words = itertools.cycle(["choose a column.", "pick a column. "])
    lengths = itertools.cycle(["longest=ROWS * COLUMNS", "longest=COLUMNS * ROWS"])
    now, size, sizes = next(words), next(lengths), []
    for number in range(200):
        if number % 2:
            edit(bench, "scene.py", now, now := next(words))
        else:
            edit(bench, "rules.py", size, size := next(lengths))
        assert bench.reload()
        looks.table(bench, "turn", False), looks.fields(bench), looks.moves(bench, None), looks.taught(bench)
        if number % 20 == 19:
            gc.unfreeze()  # a server of another test may have frozen what was there
            gc.collect()
            sizes.append(int(Path("/proc/self/statm").read_text().split()[1]) * 4096)
    assert sum(type(one) is Game and one.folder == bench.folder for one in gc.get_objects()) == 1
    assert sizes[-1] - sizes[2] < 3_000_000  # the first reloads fill caches that are bounded


# ---- the workbench ----------------------------------------------------------------------------------------------------------------


def test_steps_go_back_and_forth_and_another_move_forgets_what_came_after(bench):
    for move in ("drop 3", "drop 2", "drop 1"):
        bench.play(move)
    bench.go(1)
    assert bench.match.ply == 1
    assert len(bench.line.moments) == 4
    bench.go(3)
    assert bench.match.ply == 3
    bench.go(2)
    bench.play("drop 6")
    assert [moment.move for moment in bench.line.moments] == ["", "drop 3", "drop 2", "drop 6"]


def test_fields_are_written_only_if_they_fit_and_what_is_impossible_is_said(bench):
    bench.lay(lambda match: looks.write(match, "grid", 3, 1))
    assert bench.match.state.grid[0, 3] == 1
    for name, place, value in (
        ("to_move", None, 7),
        ("grid", 99, 1),
        ("grid", 0, 1000),
        ("to_move", None, 0.5),
        ("rng", None, 1),
        ("nothing", None, 1),
    ):
        with pytest.raises((ValueError, AttributeError)):
            bench.lay(lambda match, name=name, place=place, value=value: looks.write(match, name, place, value))
    assert len(bench.line.moments) == 2
    bench.lay(lambda match: looks.write(match, "grid", 4, 1))
    assert problems(bench)[0]["says"] == "BrokenInvariant: the players have 0 and 2 discs"


def test_each_value_says_from_whom_it_is_hidden():
    bench = Bench(TOYS / "whisper")
    (hand,) = (field for field in looks.fields(bench)["fields"] if field["name"] == "hand")
    for player in range(bench.match.players):
        assert hand["hidden"][str(player)] == [viewer for viewer in [-1, *range(bench.match.players)] if viewer != player]


def test_every_refused_move_has_its_reason(bench):
    for _ in range(6):
        bench.play("drop 3")
    shown = looks.moves(bench, None)
    assert [move["move"] for move in shown["legal"]] == [f"drop {column}" for column in (0, 1, 2, 4, 5, 6)]
    assert [(group["moves"], group["reason"]) for group in shown["refused"]] == [(["drop 3"], bench.match.why("drop 3"))]


def test_dice_are_set_by_hand_and_outcomes_chosen():
    bench = Bench("hydra_regatta")
    bench.begin("7", None, {})
    while "roll" not in (verbs := [move.verb for move in bench.match.legal()]) and not bench.match.over:
        assert verbs
        bench.play(str(bench.match.legal()[0]))
        if bench.match.ply > 12:
            break
    move = str(next((move for move in bench.match.legal() if len(looks.outcomes(bench, str(move), None)) > 1), bench.match.legal()[0]))
    ways = looks.outcomes(bench, move, None)
    for number in range(min(3, len(ways))):
        wanted = bench.match.outcomes(move)[number].match
        rng = looks.generator_for(bench.match, move, None, wanted)
        at = bench.line.at
        bench.play(move, None, rng)
        assert looks.without_chance(bench.match) == looks.without_chance(wanted)
        assert bench.line.moments[-1].by_hand
        bench.go(at)


def test_a_new_game_takes_its_seed_players_and_options(bench):
    bench.begin("77", 2, {"line": "3"})
    assert (bench.match.seed, bench.match.options["line"]) == (77, 3)
    bench.begin(None, 2, {})
    assert bench.match.seed != 77
    with pytest.raises(ValueError, match="2 players"):
        bench.begin("1", 9, {})


# ---- copies -------------------------------------------------------------------------------------------------------------------


def position(seed, number, source):
    """A bench with some random moves, dice set by hand and (for odd seeds) a field written back by hand on the way."""
    bench, chance = Bench(source), random.Random(seed)
    for ply in range(number):
        if bench.match.over:
            break
        player = chance.choice(sorted(bench.match.deciders))
        bench.play(str(chance.choice(bench.match.legal(player))), player, chance.choice([None, 5 + ply]))
        if seed % 2 and ply == number // 2 and not bench.match.over:
            bench.lay(lambda match: looks.write(match, "ply", None, int(match.state.ply) + 1))
    return bench


GAME_NAMES = [*rulestone.games(), *(str(TOYS / name) for name in ("whisper", "luck", "slips"))]


@pytest.mark.parametrize("seed", [2, 3])
@pytest.mark.parametrize("source", GAME_NAMES)
def test_what_is_copied_works_when_it_is_pasted(source, seed, tmp_path):
    bench = position(seed, 7, source)
    text = copying.scenario(bench)
    scope = {"__file__": str(bench.folder / "test_it.py")}
    exec(text, scope)
    (run,) = (value for name, value in scope.items() if name.startswith("test_"))
    run()
    written = {"Step": Step, "Position": Position}
    exec(f"STEPS = [\n{copying.step(bench)}]", written)
    Lesson(bench.game, written["STEPS"]).check()
    block = re.fullmatch(r"```scene\n(.*)```\n", copying.picture(bench), re.S)[1]
    read_picture(bench.game, block).check()


@pytest.mark.slow
def test_a_copied_test_fails_when_the_rule_is_changed(bench):
    bench.play("drop 3")
    (bench.folder / "test_copied.py").write_text(copying.scenario(bench))

    def pytest_says():
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:randomly", "test_copied.py"]
        return subprocess.run(command, cwd=bench.folder, capture_output=True, text=True).stdout

    assert "1 passed" in pytest_says()
    edit(bench, "rules.py", "s.height[column] = row + 1", "s.height[column] = row + 2")
    assert "1 failed" in pytest_says()


def test_a_refused_move_is_copied_as_a_test_of_its_reason(bench):
    for _ in range(6):
        bench.play("drop 3")
    text = copying.refusal(bench, "drop 3")
    assert f'assert match.why("drop 3") == "{bench.match.why("drop 3")}"' in text
    with pytest.raises(copying.NotCopied, match="possible now"):
        copying.refusal(bench, "drop 2")


def test_a_position_without_a_move_can_be_copied_too(bench):
    assert "assert [str(move) for move in match.legal()] == [" in copying.scenario(bench)
    assert "expect" not in copying.step(bench)
    assert "play:" not in copying.picture(bench)


def test_steps_and_pictures_of_the_game_can_be_laid_on_the_table(bench):
    shown = looks.taught(bench)
    assert len(shown["steps"]) == len(Lesson.of(bench.game))
    assert not any(one["wrong"] for one in shown["steps"])
    looks.show_taught(bench, "step", 2)
    assert bench.match.raw == Lesson.of(bench.game).start(2).raw
    with pytest.raises((ValueError, IllegalMove)):
        looks.show_taught(bench, "step", 99)


# ---- the calls ------------------------------------------------------------------------------------------------------------------


def test_all_calls_of_the_page(served):
    api = "/api/studio"
    table = served.post(f"{api}/play", json={"move": "drop 3"}).json()
    assert table["line"]["at"] == 1
    assert table["frame"]["eyes"] == 1
    refused = served.post(f"{api}/play", json={"move": "drop 9"})
    assert (refused.status_code, refused.json()["text"]) == (422, "'9' is not a valid argument; usage: drop 0..6")
    assert served.post(f"{api}/go", json={"at": 0}).json()["frame"]["eyes"] == 0
    assert served.get(f"{api}/table?eyes=public").json()["frame"]["eyes"] is None
    assert served.post(f"{api}/fields", json={"field": "height", "place": 0, "value": 3}).json()["line"]["at"] == 1
    assert served.post(f"{api}/fields", json={"field": "height", "place": 99, "value": 3}).status_code == 422
    assert served.get(f"{api}/moves").json()["player"] == 0
    assert served.get(f"{api}/outcomes?move=drop 1").json()[0]["share"] == "certain"
    assert served.post(f"{api}/outcomes", json={"move": "drop 1", "outcome": 0}).json()["line"]["at"] == 2
    assert served.post(f"{api}/new", json={"seed": "5", "options": {"line": "3"}}).json()["start"]["seed"] == 5
    for what in ("test", "step", "picture"):
        assert served.get(f"{api}/copy/{what}").json()["text"]
    assert served.get(f"{api}/copy/everything").status_code == 404
    assert served.get(f"{api}/copy/refusal?move=drop 1").status_code == 422
    assert served.get(f"{api}/lesson").json()["steps"]
    assert served.post(f"{api}/lesson", json={"kind": "step", "number": 1}).status_code == 200
    assert served.get(f"{api}/why?thing=column-3").json()["why"]
    assert "/common.js" in served.get("/studio/static/studio.js").text
    assert served.get("/studio/static/nothing.js").status_code == 404


# ---- the checks ------------------------------------------------------------------------------------------------------------------


def checked(bench):
    """What the checks in the background say of the version at the table."""
    until = time.monotonic() + 240
    while bench.checks["state"] in ("waiting", "checking"):
        assert time.monotonic() < until
        time.sleep(0.1)
    return bench.checks["state"]


@pytest.mark.slow
def test_a_rule_that_cannot_be_compiled_is_found_in_the_background(tmp_path):
    subprocess.run([sys.executable, "-m", "rulestone.cli", "new", "sticks_of_mine"], cwd=tmp_path, check=True, capture_output=True)
    bench = Bench(tmp_path / "sticks_of_mine")
    checker = Checker(bench)
    checker.open()
    try:
        assert checked(bench) == "fine"
        text = (bench.folder / "rules.py").read_text()
        head = re.search(r"@rule\ndef setup\(s\):\n(    \"\"\".*?\"\"\"\n)?", text, re.S)[0]
        (bench.folder / "rules.py").write_text(text.replace(head, f"{head}    names = {{'a': [1]}}\n    names['a'].append(2)\n"))
        assert bench.reload()
        assert checked(bench) == "broken"
        (problem,) = problems(bench)
        assert (problem["where"], problem["file"]) == ("check", "rules.py")
        bench.play(str(bench.match.legal()[0]))  # it can be played all the same
    finally:
        checker.close()
