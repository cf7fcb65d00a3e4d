"""Games that end other than by their rules: by resigning, on time, by agreement, or called off."""

import json
import random

import pytest
from typer.testing import CliRunner

import rulestone
from rulestone.cli import app
from rulestone.match import ENDINGS, RecordError, _checksum
from rulestone.series import Series
from rulestone.table import Face
from tests.tables import every_table
from tests.test_together import RPS


@pytest.fixture
def match(monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    match = rulestone.load("connect_four").new(seed=7)
    match.play("drop 3")
    return match


@pytest.mark.parametrize(
    ("ended", "payoff"),
    [
        ({"resigned": [0]}, (-1, 1)),
        ({"time": [1]}, (1, -1)),
        ({"agreed": [0, 1]}, (0, 0)),
        ({"called off": [1]}, (0, 0)),
        ({"resigned": [0], "time": [1]}, (-1, -1)),
    ],
)
def test_the_payoff_follows_from_how_the_game_ended(match, ended, payoff):
    match.end(ended)
    assert (match.over, match.to_move, match.legal(), match.payoff) == (True, None, [], payoff)


def test_the_record_says_how_the_game_ended_and_replays(match):
    match.end({"resigned": [1]})
    record = json.loads(json.dumps(match.record()))
    assert (record["ended"], record["over"], record["payoff"]) == ({"resigned": [1]}, True, [1, -1])
    again = rulestone.replay(record)
    assert (again.ended, again.payoff, again.raw) == (match.ended, match.payoff, match.raw)
    assert "ended" not in match.at(0).record()


@pytest.mark.parametrize(
    "ended", [{}, [], {"resigned": [7]}, {"resigned": "x"}, {"sulked": [0]}, {"resigned": []}, {"resigned": [0], "time": [0]}]
)
def test_a_record_with_an_impossible_ending_is_refused(match, ended):
    match.end({"resigned": [1]})
    record = {**match.record(), "ended": ended}
    with pytest.raises(RecordError):
        rulestone.replay({**record, "checksum": _checksum(record)})


def test_a_record_cannot_claim_another_result_than_its_ending(match):
    match.end({"resigned": [1]})
    record = {**match.record(), "ended": {"resigned": [0]}}
    with pytest.raises(RecordError, match="do not lead to"):
        rulestone.replay({**record, "checksum": _checksum(record)})


def test_verify_reports_how_the_game_ended(match, tmp_path):
    match.end({"time": [0]})
    (tmp_path / "record.json").write_text(json.dumps(match.record()))
    said = CliRunner().invoke(app, ["verify", str(tmp_path / "record.json")]).output
    assert said.startswith("honest: Connect Four, 1 moves, over, payoff -1, 1.\nBlue wins. Red ran out of time.")


def test_a_finished_game_cannot_be_ended_again(match):
    match.end({"agreed": [0, 1]})
    with pytest.raises(ValueError, match="over"):
        match.end({"resigned": [0]})
    with pytest.raises(rulestone.IllegalMove):
        match.play("drop 3")


def test_undo_also_takes_back_the_ending(match):
    match.end({"agreed": [0, 1]})
    match.undo()
    assert (match.over, match.ended, match.ply) == (False, {}, 0)


def test_players_who_resigned_have_lost_whatever_the_rules_gave_their_seat(monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    match, chance = rulestone.load("misdirection").new(seed=3, players=3, options={"cap_turns": 3}), random.Random(3)
    while not match.over:
        match.play(chance.choice(match.legal()))
    kept = match.payoff
    match.end({"resigned": [1]})
    assert match.payoff == (kept[0], -1, kept[2])
    assert rulestone.replay(match.record()).payoff == match.payoff


def test_with_three_left_of_four_they_share_what_was_lost(monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    match = rulestone.load("artifact").new(seed=3, players=4)
    match.end({"resigned": [2]})
    assert match.payoff == pytest.approx((1 / 3, 1 / 3, -1, 1 / 3))


def test_a_game_can_end_while_players_decide_at_the_same_time(monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    match = rulestone.load(RPS).new(seed=1)
    match.play("show Rock", player=0)
    match.end({"resigned": [1]})
    assert (match.over, match.deciders, match.together, match.payoff) == (True, frozenset(), False, (1, -1))
    assert rulestone.replay(match.record(), match.game).ended == {"resigned": (1,)}


def test_a_game_called_off_awards_no_points_and_one_resigned_those_of_a_win(monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    series = Series(rulestone.load("connect_four"), target=2, seed=7)
    for ended, award in (({"called off": [0]}, (0, 0)), ({"resigned": [0]}, (0, 1)), ({"agreed": [0, 1]}, (0, 0))):
        match = series.new_match()
        match.end(ended)
        assert series.add(match) == award


@every_table
def test_every_game_can_be_shown_wherever_it_ended(name, players, monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    game, chance = rulestone.load(name), random.Random(5)
    face = Face.of(game)
    for plies, how in ((0, "called off"), (1, "resigned"), (9, "time"), (25, "agreed")):
        match = game.new(seed=5, players=players)
        while match.ply < plies and not match.over:
            match.play(chance.choice(match.legal()))
        if match.over:
            continue
        match.end({how: range(players) if how == "agreed" else [players - 1]})
        match.check()
        face.rehearse(match)
        for eyes in (None, *range(players)):
            view = match.view(eyes)
            assert isinstance(face.goal(view, eyes), str)
            assert face.in_words(view, eyes)
            assert all(isinstance(said, str) and said for said in face.ending(view))
        assert set(match.ended) <= set(ENDINGS)
        assert rulestone.replay(match.record()).payoff == match.payoff


def test_the_story_says_how_a_game_ended_early(match):
    face = Face.of(match.game)
    before = face.story(match.view(None))
    match.end({"resigned": [1]})
    assert face.story(match.view(None)) == [*before, "Red wins. Blue resigned."]
