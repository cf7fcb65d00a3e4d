"""Reviews: decisions judged by what their player knew, luck apart from play, and sums that add up."""

import json
import random
import threading
from dataclasses import replace

import pytest

import rulestone
from rulestone.bots import choose
from rulestone.review import Judge, page, whole
from tests.conftest import ROOT


@pytest.fixture(autouse=True)
def interpreted(monkeypatch):
    """Compiled or not, a search thinks the same (test_bots.py holds that); toys need no compiler."""
    monkeypatch.setenv("RULESTONE_JIT", "0")


def toy(name):
    return rulestone.load(ROOT / "tests" / "toys" / name)


def finished(game, seed, **given):
    """A game of random moves."""
    match, chooser = game.new(seed, **given), random.Random(seed)
    while not match.over:
        player = chooser.choice(sorted(match.deciders))
        match.play(chooser.choice(match.legal(player)), player=player)
    return match


def test_a_missed_block_is_a_blunder_and_the_best_move_is_named(connect_four):
    match = connect_four.new(seed=7)
    for column in (3, 2, 3, 2, 3, 2, 3):
        match.play(column)
    found = rulestone.review(match, simulations=600)
    last = found.turning_points[-1]
    assert (last.index, last.player, last.verdict) == (5, 1, "blunder")
    assert (last.best.move, last.best.picks) == ("drop 3", ("column-3",))
    assert last.sentence().startswith("Move 6: Drop into column 3 kept 0 %; Drop into column 4 would have kept ")


def test_a_move_that_wins_at_once_is_proved_and_fine(connect_four):
    match = connect_four.new(seed=7)
    for column in (3, 2, 3, 2, 3, 2, 3):
        match.play(column)
    last = rulestone.review(match, simulations=300).decisions[-1]
    assert (last.verdict, last.loss, last.played.chance, last.played.proved) == ("fine", 0.0, 1.0, True)


@pytest.mark.parametrize("card", range(8))
def test_the_chance_of_a_decision_is_what_its_player_could_know(whisper, card):
    """Whoever shows at once wins against each of the seven other cards that is lower."""
    match = next(match for seed in range(200) if (match := whisper.new(seed, 2)).state.hand[0] == card)
    match.play("show")
    found = rulestone.review(match, simulations=900)
    assert found.decisions[0].played.chance == pytest.approx(card / 7, abs=0.09)
    mine = found.accounts[0]
    assert mine.luck == pytest.approx(mine.result - mine.start - mine.own)


def test_there_is_no_hindsight(whisper):
    """In two worlds that look alike to the player, the same decision is judged alike, however the game ends."""
    worlds = [match for seed in range(300) if (match := whisper.new(seed, 2)).state.hand[0] == 4]
    lost = next(match for match in worlds if match.state.hand[1] > 4)
    won = next(match for match in worlds if match.state.hand[1] < 4)
    assert lost.view(0).raw == won.view(0).raw
    reviews = []
    for match in (lost, won):
        match.play("show")
        reviews.append(rulestone.review(match, simulations=400))
    assert reviews[0].decisions == reviews[1].decisions
    assert [found.accounts[0].result for found in reviews] == [0.0, 1.0]


@pytest.mark.parametrize(("game", "seed"), [("whisper", 1), ("whisper", 2), ("luck", 1), ("luck", 2), ("nim", 3), ("crown", 4)])
def test_start_play_and_luck_add_up_to_the_result(game, seed):
    match = finished(toy(game), seed)
    found = rulestone.review(match, simulations=120)
    for player, account in enumerate(found.accounts):
        assert account.start + account.own + account.others + account.luck == pytest.approx(account.result)
        assert account.result == (1 + match.payoff[player]) / 2
        luck = sum(found.luck_after(number)[player] for number in range(len(found.decisions)))
        assert luck == pytest.approx(account.luck)
        assert sum(account.verdicts.values()) <= account.decisions == sum(one.player == player for one in found.decisions)


def test_without_chance_and_secrets_play_explains_all_of_a_solved_end(connect_four):
    match = connect_four.new(seed=7)
    for column in (3, 2, 3, 2, 3, 2, 3):
        match.play(column)
    last = rulestone.review(match, simulations=300)
    assert last.luck_after(len(last.decisions) - 1) == pytest.approx((0, 0))


def test_decisions_made_at_the_same_time_are_judged_each_by_its_own_player():
    game = toy("luck")
    match = finished(game, 5)
    found = rulestone.review(match, simulations=120)
    together = [one for one in found.decisions if match.made_together(one.index)]
    assert len({one.player for one in together}) > 1
    for one in together:
        assert one.player == match.mover(one.index)
        assert one.played.move == str(match.moves[one.index])


def test_no_verdict_where_decisions_do_not_matter():
    """Of some hundred decisions that change nothing, none is called worse."""
    game = toy("coin")
    option = next(iter(game.options))
    judged = [
        decision
        for seed in range(40)
        for decision in rulestone.review(finished(game, seed, options={option: "throw"}), simulations=200).decisions
    ]
    assert len(judged) == 80
    assert {decision.verdict for decision in judged} == {"fine"}
    assert sum(decision.sure for decision in judged) <= 3


def test_a_verdict_needs_a_difference_beyond_the_noise(connect_four):
    match = connect_four.new(seed=7)
    for column in (3, 2, 3, 2, 3, 2, 3):
        match.play(column)
    one = rulestone.review(match, simulations=300).turning_points[-1]
    assert replace(one, sure=False).verdict == "fine"
    assert replace(one, sure=False).before == one.played.chances
    assert [replace(one, gain=gain).verdict for gain in (0.049, 0.05, 0.1, 0.2)] == ["fine", "inaccuracy", "mistake", "blunder"]


def test_accuracy_falls_with_what_was_lost():
    assert whole.accuracy([]) is None
    assert whole.accuracy([0, 0]) == 100
    assert whole.accuracy([0.5]) < whole.accuracy([0.1]) < whole.accuracy([0, 0.1]) < 100


def test_the_same_seed_gives_the_same_review_on_any_number_of_threads(connect_four, monkeypatch):
    monkeypatch.delenv("RULESTONE_JIT")
    match = finished(connect_four, 3)
    one, two, other = (rulestone.review(match, simulations=300, seed=seed, threads=threads) for seed, threads in ((1, 1), (1, 2), (2, 1)))
    assert one.decisions == two.decisions
    assert one.decisions != other.decisions


def test_a_record_is_reviewed_like_its_match(connect_four):
    match = finished(connect_four, 4)
    assert rulestone.review(match.record(), simulations=130).decisions == rulestone.review(match, simulations=130).decisions


def test_some_seats_only():
    match = finished(toy("whisper"), 3)
    found = rulestone.review(match, seats=[1], simulations=120)
    assert {one.player for one in found.decisions} == {1}
    assert found.accounts[0].accuracy is None
    with pytest.raises(ValueError, match="there is no seat 5; seats are 0"):
        rulestone.review(match, seats=[5])


def test_a_running_game_is_refused(connect_four):
    with pytest.raises(ValueError, match="only a finished game can be reviewed"):
        rulestone.review(connect_four.new(seed=1))


def test_it_reports_progress_and_can_be_stopped(connect_four):
    match, stop, heard = finished(connect_four, 3), threading.Event(), []

    def progress(done, total):
        heard.append((done, total))
        if done == 2:
            stop.set()

    found = rulestone.review(match, simulations=130, progress=progress, stop=stop, threads=1)
    assert heard[:2] == [(1, match.length), (2, match.length)]
    assert len(found.decisions) < match.length
    assert not found.complete
    for account in found.accounts:
        assert account.start + account.own + account.others + account.luck == pytest.approx(account.result)


def test_a_budget_in_seconds_is_kept_to(connect_four):
    """It is shared by all decisions: none gets more than it would alone."""
    match = finished(connect_four, 3)
    found = rulestone.review(match, seconds=0.5)
    assert found.complete
    assert found.simulations >= match.length


def test_as_data_it_is_json(connect_four):
    match = finished(connect_four, 3)
    data = json.loads(json.dumps(rulestone.review(match, simulations=130).to_dict()))
    assert (data["format"], data["version"], data["game"], data["moves"]) == ("rulestone.review", 1, "connect_four", match.length)
    assert data["curve"][-1] == [match.length, [(1 + value) / 2 for value in match.payoff]]
    assert {"played", "best", "gain", "error", "verdict", "sentence", "luck"} <= set(data["decisions"][0])


def test_a_move_that_the_game_thinks_senseless_is_judged_all_the_same():
    game = rulestone.load("misdirection")
    match, chooser = game.new(2), random.Random(1)
    judge = Judge(game)
    while match.to_move is not None:
        view = match.view(match.to_move)
        if len(view.legal()) > 8:
            odd = view.legal()[-1]
            found = judge.judge(view, odd, simulations=120, seed=1)
            assert odd in [candidate.move for candidate in found]
            assert len({candidate.visits for candidate in found}) == 1
            return
        match.play(choose(view, "greedy", chooser.getrandbits(60)))
    raise AssertionError("no such position")


def test_a_budget_in_seconds_holds_where_some_decisions_are_far_quicker_than_others(connect_four, monkeypatch):
    """The last decisions of a game are simulated a thousand times as fast: that says nothing about the first ones."""

    class Clock:
        now = 0.0

    class Fake:
        def __init__(self, game, clock):
            self.rate = 0.0

        def judge(self, view, played=None, *, simulations, **more):
            self.rate = 1e6 if view.ply > 5 else 1e3
            Clock.now += simulations / self.rate
            other = next(move for move in view.legal() if move != played)
            noisy = tuple(0.5 + 0.5 * (k % 2) for k in range(16))  # all look like a loss, none surely
            return [
                whole.Candidate(other, 0.6, 0.1, (0.6, 0.4), simulations, False, noisy),
                whole.Candidate(played or view.legal()[0], 0.5, 0.1, (0.5, 0.5), simulations, False, noisy[::-1]),
            ]

    match = finished(connect_four, 3)
    assert match.length > 8
    monkeypatch.setattr(whole, "Judge", Fake)
    found = rulestone.review(match, seconds=100, threads=1, clock=lambda: Clock.now)
    assert found.complete
    assert 50 < Clock.now < 130


def test_a_game_without_chance_has_no_luck(connect_four):
    assert whole.left_to_chance(finished(connect_four, 7)) is False
    assert whole.left_to_chance(finished(toy("luck"), 1)) is True
    assert whole.left_to_chance(finished(toy("whisper"), 1)) is True


def test_what_no_decision_explains_is_called_by_its_name(connect_four):
    match = connect_four.new(seed=7)
    for column in (3, 2, 3, 2, 3, 2, 3):
        match.play(column)
    found = rulestone.review(match, simulations=50, threads=1)
    assert found.to_dict()["chance"] is False
    assert "unclear" in page.columns(found)
    assert "luck" not in page.html(found, match)
    assert "luck" in page.columns(replace(found, chance=True))
