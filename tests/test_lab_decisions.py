"""What decisions are about and what turns a game: weighed moves, kingmakers and swings, on positions with known numbers."""

import math
import re
from pathlib import Path

import numpy as np
import pytest

import rulestone
from rulestone.bots import Thoughts, decide, make
from rulestone.lab import Study, make_plan, matches, study
from rulestone.lab.count import counter_of
from rulestone.lab.examples import Album
from rulestone.lab.findings import effect_text, gap_text, swing_text
from rulestone.lab.matches import Watched, play_match, sway
from rulestone.lab.report import html
from rulestone.lab.weigh import HEAPS, Scales, idle, matters
from rulestone.statistics import cluster_mean, cluster_share, z_for

pytestmark = pytest.mark.xdist_group("lab")  # one process compiles, the others don't have to
CROWN = str(Path(__file__).parent / "toys" / "crown")
COIN = str(Path(__file__).parent / "toys" / "coin")


@pytest.fixture(scope="module")
def game():
    return rulestone.load("connect_four")


@pytest.fixture(scope="module")
def scales(game):
    return Scales(game)


@pytest.fixture
def all_weighed(monkeypatch):
    monkeypatch.setattr(matches, "EVERY", 1)


def test_a_move_that_wins_at_once_is_worth_more_than_the_others(game, scales):
    match = game.new(1)
    for column in (3, 0, 3, 0, 3, 0):
        match.play(("drop", column))
    weighed = scales.decision(match.view(0), decide(match.view(0), "mcts:200", 1).thoughts, 5)
    assert weighed.verb == "drop"
    assert set(weighed.gaps) == {"second", "median"}, "there is no other kind of move"
    assert weighed.gaps["second"][0] > 0.15
    assert matters(*weighed.gaps["second"])


def test_mirror_images_of_a_move_rarely_differ(game, scales):
    """By chance alone they differ in 5 % of cases; taking the best of two rough numbers, they would in half of them."""
    view = game.new(1).view(0)
    left, right = view.legal()[0], view.legal()[6]
    told = 0
    for seed in range(150):
        gaps = scales.weigh(view, left, seed)[:, 0] - scales.weigh(view, right, 10_000 + seed)[:, 0]
        told += matters(float(gaps.mean()), float(gaps.std(ddof=1)) / math.sqrt(HEAPS))
    assert told <= 16, "5 % of 150 are 7.5"


def test_equal_seeds_mean_equal_worlds(game, scales):
    view = game.new(1).view(0)
    move = view.legal()[3]
    assert np.array_equal(scales.weigh(view, move, 4), scales.weigh(view, move, 4))
    assert not np.array_equal(scales.weigh(view, move, 4), scales.weigh(view, move, 5))


def test_a_single_move_is_not_weighed(game, scales):
    view = game.new(1).view(0)
    full = Thoughts((view.legal()[0],), (1.0,), (0.0,), (0.0, 0.0), 10)
    assert scales.decision(view, full, 1) is None


def test_some_decisions_neither_matter_nor_not_for_certain():
    assert (matters(0.05, 0.01), idle(0.05, 0.01)) == (True, False)
    assert (matters(-0.05, 0.01), idle(-0.05, 0.01)) == (False, True), "the favourite is worse: the choice of a better one is not shown"
    assert (matters(0.001, 0.001), idle(0.001, 0.001)) == (False, True)
    assert (matters(0.03, 0.02), idle(0.03, 0.02)) == (False, False)


def test_a_number_that_rounds_to_zero_has_no_minus_sign():
    small = {"mean": -0.0001, "difference": -0.0001, "low": -0.0021, "high": 0.0019, "share": True}
    assert gap_text(small) == "0.0 % ± 0.2"
    assert swing_text(small) == "+0.0 ± 0.2"
    assert effect_text(small) == "+0.0 ± 0.2 percentage points"


@pytest.mark.parametrize(("vain", "kings"), [("no", 1.0), ("yes", 0.0)])
def test_a_player_who_cannot_win_but_decides_who_does_is_a_kingmaker(all_weighed, monkeypatch, vain, kings):
    monkeypatch.setenv("RULESTONE_JIT", "0")  # playing such a small game is quicker than compiling it
    told = study(CROWN, games=4, bots="mcts:20", options={"vain": vain}, workers=1)["cells"][0]["decisions"]
    assert told["hopeless"]["share"] == 1.0
    assert told["kings"]["share"] == kings
    assert bool(told["king_examples"]) == (kings > 0)
    assert told["kind"]["n"] == 4
    assert told["kind"]["matters"]["share"] == 0.0, "the player gains nothing either way"


def test_luck_is_measured_if_only_some_settings_have_bots_that_search(monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    summary = study(CROWN, games=2, skill=["random", "mcts:2"], luck=30, workers=1)
    assert [cell["luck"]["deals"] for cell in summary["cells"]] == [30, 30]


def test_decisions_lead_their_section_and_their_games_open(all_weighed):
    done = Study(make_plan("connect_four", games=6, bots="mcts:30", seed=2), workers=1)
    summary = done.run()
    told = summary["cells"][0]["decisions"]
    assert told["second"]["n"] == sum(row["times"] for row in told["spread"]) > 60
    assert told["agreement"]["n"] > 20
    assert told["agreement"]["share"] > 0.75
    assert 0 < told["second"]["matters"]["low"] < told["second"]["matters"]["share"] < 1 - told["second"]["idle"]["share"]
    assert not any("decisions matter" in sentence for sentence in summary["findings"]), "a few games say nothing on the first screen"
    album = Album(done.plan, done.results)
    text = html(summary, album)
    assert "What decisions are about" in text
    assert re.search("<p>At least [^<]* of the decisions matter", text)
    assert "A longer search (mcts:4000) agrees about the best move in" in text
    assert "What turns the game" in text
    game, ply = told["examples"][0]
    assert album.match(0, game).ply > ply


def test_swings_are_changes_of_the_movers_chance_until_the_next_estimate(game):
    counter = counter_of("connect_four")
    plan = make_plan("connect_four", games=1, bots="random")
    match = play_match(game, plan.cells[0], 0, 1, {"random": make("random", game)}).match
    red = match.payoff == (1.0, -1.0)
    watched = Watched(match, [(0, (0.0, 0.0)), (3, (0.5, -0.5))])
    totals = sway(counter, watched, 0)
    assert totals["usual_sums"].tolist()[:5] == [0, 1, 1, 0, 2500], "next seen by the other player, and at the end"
    assert totals["eyes"].sum() == totals["swings"][1:, 1].sum()
    rows = totals["swings"]
    last = -0.25 if red else 0.75  # of Blue, who is to move at ply 3
    assert rows[0].tolist() == [
        1,
        2,
        4,
        round(10_000 * (0.25 + last)),
        round(10_000 * (0.25 + last)) ** 2,
        2 * round(10_000 * (0.25 + last)),
    ]
    assert rows[1:, 1].sum() == match.ply + _told(match), "everything that happened, once per move"
    first = next(key for key, thing in enumerate(counter.things) if thing.label == str(match.moves[0]))
    changes = [
        (0.25, -0.25)[ply % 2] if ply < 3 else last if ply % 2 else -last for ply, move in enumerate(match.moves) if move == match.moves[0]
    ]
    assert rows[1 + first, 3] == round(10_000 * sum(changes))


def _told(match):
    """How many different events there were over all moves, counting words in them as well."""
    counter = counter_of("connect_four")
    states = [np.frombuffer(raw, match.game.layout.dtype)[0] for raw in (match.raw_at(index) for index in range(1, match.length + 1))]
    return sum(len(set(matches._told(counter, state))) for state in states)


def test_the_interval_of_a_mean_over_correlated_things_covers_the_truth():
    chooser = np.random.default_rng(3)
    covered = naive = 0
    for _ in range(400):
        n = chooser.integers(1, 9, 60)
        luck = chooser.normal(0.3, 0.2, 60)  # of the whole game
        total = n * luck + chooser.normal(0, 0.1, 60) * np.sqrt(n)
        row = (60, n.sum(), (n * n).sum(), total.sum(), (total * total).sum(), (n * total).sum())
        _, low, high = cluster_mean(row, z_for())
        covered += low <= 0.3 <= high
        reach = 1.96 * math.hypot(0.2, 0.1) / math.sqrt(n.sum())
        naive += abs(total.sum() / n.sum() - 0.3) <= reach
    assert 0.92 <= covered / 400 <= 0.98
    assert naive / 400 < 0.85


def test_the_interval_of_a_share_over_correlated_things_covers_the_truth():
    chooser = np.random.default_rng(4)
    covered = 0
    for _ in range(400):
        n = chooser.integers(1, 9, 60)
        own = chooser.binomial(n, chooser.beta(2, 6, 60))
        row = (60, n.sum(), (n * n).sum(), own.sum(), (own * own).sum(), (n * own).sum())
        _, low, high = cluster_share(row, z_for())
        covered += low <= 0.25 <= high
    assert 0.92 <= covered / 400 <= 0.985
    assert cluster_share((1, 5, 25, 0, 0, 0), z_for()) == (0.0, 0.0, 1.0)


def test_a_ratio_that_is_a_share_stays_between_0_and_1():
    told = study(COIN, games=6, workers=1, bots="greedy")["cells"][0]["measures"]
    assert (told["share"]["part"], told["share"]["share"], told["share"]["high"]) == (True, 1.0, 1.0)
    few = [study(COIN, games=2, workers=1, seed=seed)["cells"][0]["measures"] for seed in range(8)]
    assert all(0 <= one["share"]["low"] <= one["share"]["high"] <= 1 for one in few)
    assert any(one["share"]["low"] == 0 < one["share"]["share"] for one in few), "it would have been less"
    above = [one["calls_for_one"] for one in few if one["calls_for_one"]["n"]]
    assert all(not one["part"] for one in above)
    assert max(one["high"] for one in above) > 1


def test_nothing_is_said_where_a_longer_search_too_often_disagrees(all_weighed, monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    monkeypatch.setattr(Scales, "_check", lambda *_: (False, False))
    done = Study(make_plan(CROWN, games=8, bots="mcts:20"), workers=1)
    summary = done.run()
    cell = summary["cells"][0]
    assert (cell["decisions"]["trusted"], cell["decisions"]["agreement"]["share"]) == (False, 0.0)
    assert "matters" not in str(cell["decisions"])
    assert cell["swings"] == []
    assert "drama" not in cell["estimates"]
    assert not any("matter" in sentence or "chance of winning" in sentence for sentence in summary["findings"])
    text = html(summary, Album(done.plan, done.results))
    assert "can't be trusted to say more" in text.replace("&#x27;", "'")
