"""The puzzle of the day: one for every game that has some; nothing hidden leaves."""

import json
import shutil

import pytest
from fastapi.testclient import TestClient

from rulestone.game import load
from rulestone.review import puzzles as work
from rulestone.server import puzzles
from rulestone.server.app import create_app
from tests.tables import WHISPER, Person

pytestmark = pytest.mark.usefixtures("interpreted")


@pytest.fixture
def game(tmp_path):
    """Whisper with two puzzles, made by hand: whoever holds the highest card shows it."""
    folder = shutil.copytree(WHISPER, tmp_path / "whisper", ignore=shutil.ignore_patterns("__pycache__"))
    game = load(folder)
    deals = [match for seed in range(100) if (match := game.new(seed, 2)).state.hand[0] == 7][:2]
    entries = [work.Puzzle(f"p{k}", match.record(), 0, "show", 1.0, "change", 0.5, 2) for k, match in enumerate(deals)]
    work.write(folder / "puzzles.json", game, entries, seed=1, games=2)
    return folder


@pytest.fixture
def anna(url, game):
    with TestClient(create_app(url, games=[game, WHISPER.parent / "nim"], pace=0, limits=False)) as client:
        yield Person(client)


def test_every_day_has_its_puzzle(game):
    found = [puzzles.of_today(load(game), now=day * 86400 + 5)[0].id for day in range(4)]
    assert found == ["p0", "p1", "p0", "p1"]


def test_the_position_is_what_its_player_may_know(anna, game):
    today = anna.get("/api/puzzles/whisper").json()
    assert (today["difficulty"], today["state"]["eyes"], today["state"]["to_move"]) == (2, 0, 0)
    assert "solution" not in json.dumps(today)
    one = next(one for one in work.puzzles_of(load(game)) if one.id == today["id"])
    twin = one.match(load(game)).view(0).imagine(5)  # another world that looks the same to the player
    other = puzzles.Frames.alone(puzzles.Face.of(load(game)), twin, 0).whole(twin, 0, one.id, False)
    assert today["state"] == json.loads(json.dumps(other))


def test_a_wrong_move_tells_nothing_and_the_right_one_everything(anna):
    path = f"/api/puzzles/whisper/{anna.get('/api/puzzles/whisper').json()['id']}"
    assert anna.post(path, {"move": "change"}).json() == {"right": False, "says": "There is a much better move. Try again."}
    right = anna.post(path, {"move": "show"}).json()
    assert (right["right"], right["says"]) == (True, "Show keeps 100 %; Change keeps only 50 %.")
    given_up = anna.post(path, {"move": ""}).json()
    assert (given_up["right"], given_up["solution"]["move"]) == (False, "show")
    assert anna.post(path, {"move": "dance"}).status_code == 422
    assert anna.post("/api/puzzles/whisper/nothing", {"move": ""}).status_code == 404


def test_pages_lead_to_it(anna):
    assert 'href="/puzzles/whisper"' in anna.get("/").text
    assert "puzzle of the day" in anna.get("/puzzles/whisper").text


def test_a_game_without_puzzles_says_so(anna):
    assert anna.get("/api/puzzles/nothing").status_code == 404
    home = anna.get("/").text
    assert 'href="/puzzles/whisper"' in home
    assert 'href="/puzzles/nim"' not in home
    answer = anna.get("/api/puzzles/nim")
    assert (answer.status_code, answer.json()["code"]) == (404, "no-puzzles")
