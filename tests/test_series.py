"""Series: several games with points."""

import pytest

import rulestone
from rulestone import Series


def finish(match):
    while not match.over:
        match.play(match.legal()[0])
    return match


def test_the_winner_of_each_game_gets_a_point_until_the_target(connect_four):
    series = Series(connect_four, target=2, seed=1)
    assert series.add(finish(series.new_match())) == (1, 0)
    assert (series.totals, series.over, series.winner) == ((1, 0), False, None)
    series.add(finish(series.new_match()))
    assert (series.totals, series.over, series.winner) == ((2, 0), True, 0)
    with pytest.raises(ValueError, match="the series is over"):
        series.new_match()


def test_every_game_has_its_own_dice_from_the_seed(whisper):
    series, twin = Series(whisper, target=9, seed=1), Series(whisper, target=9, seed=1)
    first = finish(series.new_match())
    series.add(first)
    second = series.new_match()
    assert first.seed != second.seed
    assert twin.new_match().state.deck.tolist() == rulestone.replay(series.games[0], whisper).game.new("1/1").state.deck.tolist()


def test_a_game_can_award_its_own_points(whisper, monkeypatch):
    monkeypatch.setattr(whisper.rules, "points", lambda s, player: 10 * s.payoff[player], raising=False)
    monkeypatch.setattr(whisper.rules, "SERIES_TARGET", 30, raising=False)
    series = Series(whisper, seed=1, players=2)
    assert series.target == 30
    award = series.add(finish(series.new_match()))
    assert sorted(award) == [-10, 10]


def test_only_the_next_finished_game_counts(connect_four):
    series = Series(connect_four, target=2, seed=1)
    with pytest.raises(ValueError, match="not over yet"):
        series.add(series.new_match())
    with pytest.raises(ValueError, match="not the next game of this series"):
        series.add(finish(connect_four.new(seed=5)))
    match = finish(series.new_match())
    series.add(match)
    with pytest.raises(ValueError, match="not the next game"):
        series.add(match)


def test_a_target_below_one_is_refused(connect_four):
    with pytest.raises(ValueError, match="at least 1 point"):
        Series(connect_four, target=0)
