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


def test_players_change_seats_and_keep_their_points(connect_four):
    series = Series(connect_four, target=3, seed=1, rotate=True)
    assert series.seats() == (0, 1)
    assert series.add(finish(series.new_match())) == (1, 0)
    assert series.seats() == (1, 0)
    assert series.add(finish(series.new_match())) == (0, 1)  # seat 0 wins again, where player 1 sits now
    assert series.totals == (1, 1)


def test_a_game_can_say_how_seats_change(whisper, monkeypatch):
    monkeypatch.setattr(whisper.rules, "next_seats", lambda players: range(players), raising=False)
    series = Series(whisper, target=9, players=3, rotate=True)
    series.credit((1, 0, 0))
    assert series.seats() == (0, 1, 2)
    monkeypatch.undo()
    assert series.seats() == (1, 2, 0)


def test_best_of_three_ends_once_nobody_can_catch_up(connect_four):
    series = Series(connect_four, length=3)
    assert series.terms == "Best of 3"
    series.credit((0, 1))
    assert not series.over
    series.credit((0, 1))
    assert (series.over, series.winner) == (True, 1)
    drawn = Series(connect_four, length=2)
    drawn.credit((0, 0))
    assert not drawn.over
    drawn.credit((0, 0))
    assert (drawn.over, drawn.winner, drawn.leaders) == (True, None, (0, 1))


def test_with_points_of_its_own_a_game_is_played_the_whole_number_of_times(whisper, monkeypatch):
    monkeypatch.setattr(whisper.rules, "points", lambda s, player: 0, raising=False)
    series = Series(whisper, length=2, players=2)
    assert (series.terms, series.target) == ("2 games", None)
    series.credit((50, 0))
    assert not series.over
    series.credit((0, 49))
    assert (series.over, series.winner, series.totals) == (True, 0, (50, 49))


def test_a_series_without_games_is_refused(connect_four):
    with pytest.raises(ValueError, match="at least 1 game"):
        Series(connect_four, length=0)


def test_the_result_is_a_sentence(connect_four, whisper, monkeypatch):
    three = Series(whisper, target=4, players=3)
    three.credit((4, 1, 4))
    assert three.result(["Anna", "Ben", "Cem"]) == "Anna and Cem share the series with 4 points each."
    three.credit((0, 0, 1))
    assert three.result(["Anna", "Ben", "Cem"]) == "Cem wins the series with 5 points."
    monkeypatch.setattr(type(connect_four), "cooperative", True, raising=False)
    together = Series(connect_four, length=3)
    for points in ((1, 1), (0, 0), (1, 1)):
        together.credit(points)
    assert (together.over, together.terms, together.result(["Anna", "Ben"])) == (True, "3 games", "You won 2 of 3 games.")
