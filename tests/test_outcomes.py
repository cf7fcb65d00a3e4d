"""Exact chance: every outcome of a move with its probability, from the unchanged rules."""

import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import pytest

import rulestone
from rulestone.engine.tape import TooManyOutcomes, Undecided
from rulestone.kernel.chance import stream
from rulestone.match import IllegalMove
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def toss():
    return rulestone.load(ROOT / "tests" / "toys" / "toss")


def blank(array):
    """A record without its generator, and what that was mixed into."""
    record = array.copy()
    for name in ("rng", "mixed"):
        if name in record.dtype.names:
            record[name] = 0
    return record.tobytes()


@pytest.fixture
def second_roll():
    """Misdirection before the second roll. (The first was settled by the deal.)"""
    match = rulestone.load("misdirection").new(seed=5, players=2)
    for move in ("roll", "pass"):
        match.play(move)
    return match


def test_a_die_has_six_outcomes_of_one_sixth(second_roll):
    outcomes = second_roll.outcomes("roll")
    assert [(one.probability, one.match.state.last_die) for one in outcomes] == [(Fraction(1, 6), die) for die in range(1, 7)]
    assert all(isinstance(one.probability, Fraction) for one in outcomes)


def test_a_die_that_the_deal_has_settled_has_one_outcome():
    match = rulestone.load("misdirection").new(seed=5, players=2)
    (only,) = match.outcomes("roll")
    match.play("roll")
    assert (only.probability, only.match.state.last_die) == (1, match.state.last_die)


def test_a_move_without_chance_has_one_outcome(connect_four):
    (only,) = connect_four.new(seed=1).outcomes("drop 3")
    assert only.probability == 1
    assert only.match.state.height[3] == 1


@pytest.mark.parametrize("name", rulestone.games())
def test_what_happens_is_among_the_outcomes_and_they_add_up(name):
    game, chooser = rulestone.load(name), random.Random(4)
    match, looked = game.new(seed=9), 0
    while not match.over and looked < 60:
        move = chooser.choice(match.legal())
        try:
            outcomes = match.outcomes(move)
        except TooManyOutcomes:
            match.play(move)
            continue
        looked += 1
        assert sum(one.probability for one in outcomes) == 1
        match.play(move)
        assert blank(match.array) in {blank(one.match.array) for one in outcomes}
    assert looked > 5


def test_sampling_agrees_with_the_exact_probabilities():
    """A move with several outcomes, made many times, leads to each as often as it should."""
    match, chooser = rulestone.load("misdirection").new(seed=5), random.Random(2)
    exact = {}
    while len(exact) < 4:
        move = chooser.choice(match.legal())
        exact = {blank(one.match.array): float(one.probability) for one in match.outcomes(move)}
        if len(exact) < 4:
            match.play(move)
    seen = Counter()
    for number in range(3000):
        twin = match.copy()
        twin.play(move, rng=stream(1, number))
        seen[blank(twin.array)] += 1
    assert set(seen) <= set(exact)
    chi_squared = sum((seen[raw] - 3000 * p) ** 2 / (3000 * p) for raw, p in exact.items())
    assert chi_squared < 3 * len(exact) + 15


def test_several_draws_that_lead_to_one_position_are_one_outcome(toss):
    """The higher of two dice with three sides: nine ways, three positions."""
    match = toss.new(seed=1)
    exact = [(Fraction(2 * high - 1, 9), high) for high in (3, 2, 1)]
    assert [(one.probability, one.match.state.high) for one in match.outcomes("roll")] == exact
    for most in range(1, 4):
        assert [(one.probability, one.match.state.high) for one in match.outcomes("roll", most)] == exact[:most]


def test_an_outcome_can_be_played_on_and_the_match_stays_as_it_was(toss):
    match = toss.new(seed=1)
    before = match.raw
    first = match.outcomes("roll")[0].match
    assert {one.match.payoff for one in first.outcomes("call heads")} == {(1.0, -1.0), (-1.0, 1.0)}
    first.play("call heads")
    assert first.over
    assert (match.raw, match.moves) == (before, [])


def test_a_player_among_several_who_decide_can_be_named():
    match = rulestone.load(ROOT / "tests" / "toys" / "luck").new(seed=1, players=2)
    outcomes = match.outcomes("roll", player=1)
    assert [(one.probability, list(one.match.state.sum)[:2]) for one in outcomes] == [(Fraction(1, 6), [0, die]) for die in range(1, 7)]
    match.play("stop", player=1)
    with pytest.raises(IllegalMove, match="player 1 can't move now; players who can: 0"):
        match.outcomes("roll", player=1)
    match.play("roll")
    assert sorted(one.probability for one in match.outcomes("stop")) == [Fraction(1, 9)] * 9


def test_draws_that_cannot_be_are_refused(toss):
    record = toss.prepared(2, {})[0]
    with pytest.raises(Undecided) as draw:
        toss.tape.run("begin", record.copy(), ())
    for wrong in (-1, draw.value.n):
        with pytest.raises(ValueError, match=f"draw 1 is one of {draw.value.n} numbers from 0 on, not {wrong}"):
            toss.tape.run("begin", record.copy(), (wrong,))


def test_threads_share_a_tape(toss):
    match = toss.new(seed=1)
    with ThreadPoolExecutor(4) as pool:
        for outcomes in pool.map(lambda _: match.copy().outcomes("roll"), range(12)):
            assert [one.probability for one in outcomes] == [Fraction(5, 9), Fraction(3, 9), Fraction(1, 9)]


def test_a_shuffle_is_one_draw_after_the_other(whisper):
    tape, record = whisper.tape, whisper.prepared(2, {})[0]
    with pytest.raises(Undecided) as first:
        tape.run("begin", record.copy(), ())
    with pytest.raises(Undecided) as second:
        tape.run("begin", record.copy(), (0,))
    assert second.value.n == first.value.n - 1
    with pytest.raises(ValueError, match="draws were given"):
        tape.run("begin", record.copy(), (0,) * 40)


def test_the_outcomes_of_an_impossible_move_are_refused(connect_four):
    match = connect_four.new(seed=1)
    with pytest.raises(IllegalMove):
        match.outcomes("drop 9")
    with pytest.raises(TypeError, match="view"):
        match.view(0).outcomes("drop 3")


def test_a_rule_that_draws_bits_past_the_tape_is_refused(tmp_path):
    text = (ROOT / "tests" / "toys" / "toss" / "rules.py").read_text().replace("rand(s, MARKS)", "draw32(s) % MARKS")
    (tmp_path / "rules.py").write_text(text.replace("\nMARKS", "\nfrom rulestone.kernel.chance import draw32\n\nMARKS"))
    game = rulestone.load(tmp_path)
    assert game.new(seed=1).state.mark < 41
    with pytest.raises(TypeError, match="draw with rand"):
        game.tape.outcomes("begin", game.prepared(2, {})[0])
