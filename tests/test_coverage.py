"""A 95 % interval holds in about 95 of 100 studies: every kind of interval in a report, on a thousand small studies each.

Truth is what a very long study of the same toy game finds or, where a bot's estimates are needed, what the simulation was made with.
"""

import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from rulestone.lab import make_plan
from rulestone.lab.count import counter_of, merge
from rulestone.lab.loops import UNIT
from rulestone.lab.luck import DICE, PLAYS, _counted
from rulestone.lab.matches import EYES, PARTS, SWAYS, TOLD, sway_totals
from rulestone.lab.plan import policy_of
from rulestone.lab.run import Results, compared, empty
from rulestone.lab.summary import _decisions, _luck, _sways, _swings, _with_and_without, summarise
from rulestone.statistics import cluster_difference, z_for

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("lab")]
LOTS = str(Path(__file__).parent / "toys" / "lots")
STUDIES, GAMES, TRUTH = 1000, 150, 400_000


@cache
def desk_of(name):
    return counter_of(name).desk()


def played(plan, seed, games):
    """The summary and the totals of a study of this many games, played at one go."""
    results: Results = empty(plan)
    tables = []
    for number, cell in enumerate(plan.cells):
        counter, desk = counter_of(plan.game_of(cell)), desk_of(plan.game_of(cell))
        start, _ = counter.game.prepared(cell.players, cell.options)
        rows = np.full((games if plan.contrasts() else 0, len(counter.columns)), -1, np.int32)
        merge(results.cells[number], desk.play("policy", start, 0, games, rows, seed=seed, policy=policy_of(cell), rotate=cell.mixed))
        tables.append(rows)
    if plan.contrasts():
        results.contrasts += compared(plan, tables)
    return {**summarise(plan, results), "totals": results.cells[0]}


def covered(kinds, arguments):
    """For each kind, the share of studies in which all its intervals hold."""
    plan = make_plan(LOTS, games=GAMES, **arguments)
    whole = played(plan, 999_999, TRUTH)
    truth = {kind: find(whole) for kind, find in kinds.items()}
    held = dict.fromkeys(kinds, 0)
    for seed in range(1, STUDIES + 1):
        summary = played(plan, seed, GAMES)
        for kind, find in kinds.items():
            held[kind] += all(low <= truth[kind][name][0] <= high for name, (_, low, high) in find(summary).items())
    return {kind: count / STUDIES for kind, count in held.items()}


def spans(rows, value="share", low="low", high="high"):
    return {k: (row[value], row[low], row[high]) for k, row in enumerate(rows)}


def of(name, *path):
    """Picks one interval of a measure."""

    def find(summary):
        told = summary["cells"][0]["measures"][name]
        for step in path:
            told = told[step]
        return spans([told], "share" if "share" in told else "mean")

    return find


def mean_of(name):
    return lambda summary: spans([summary["cells"][0]["measures"][name]], "mean")


def value_of(name, value, what=None):
    """Picks the share of a value of a measure or, with `what`, who wins then."""

    def find(summary):
        row = next(row for row in summary["cells"][0]["measures"][name]["distribution"] if row["value"] == value)
        return spans(row[what] if what else [row])

    return find


def effects(summary):
    return {(effect["factor"], effect["on"]): tuple(effect[key] for key in ("difference", "low", "high")) for effect in summary["effects"]}


def shift_of(label):
    """Picks how much more often those win to whom something happened, by itself: a report widens it for all rows of the table."""

    def find(summary):
        counter, totals = counter_of(LOTS), summary["totals"]
        key = next(key for key, thing in enumerate(counter.things) if thing.label == label)
        rows = _with_and_without(totals["counts"][key], totals["detail"], summary["cells"][0]["players"])
        return {0: cluster_difference(*rows, z_for())}

    return find


def wins(summary):
    return spans(summary["cells"][0]["seats"])


STUDIES_OF = {
    "two players": (
        {"players": 2},
        {
            "who wins": wins,
            "who wins given a number": value_of("dares", 3, "wins"),
            "who wins given a player's number": value_of("own", 1, "wins"),
            "difference in wins": shift_of("gains"),
        },
    ),
    "three players": (
        {"players": 3},
        {
            "who wins": wins,
            "draws": lambda s: spans([s["cells"][0]["draws"]]),
            "payoff": lambda s: spans(s["cells"][0]["seats"][:1], "payoff", "payoff_low", "payoff_high"),
            "a mean": mean_of("dares"),
            "a mean over players": mean_of("own"),
            "means by seat": lambda s: spans(s["cells"][0]["measures"]["own"]["seats"], "mean"),
            "yes or no": of("many"),
            "yes or no, each player": of("kept"),
            "a share of games": value_of("dares", 5),
            "a share of players": value_of("card", "2"),
            "who wins given a number": value_of("dares", 5, "wins"),
            "who wins given a player's number": value_of("own", 2, "wins"),
            "a tally": lambda s: spans(s["cells"][0]["measures"]["by_round"]["entries"][:1], "mean"),
            "who wins with an entry of a tally": lambda s: spans(s["cells"][0]["measures"]["by_round"]["entries"][1]["wins"]),
            "a ratio": of("luck"),
            "difference in wins": shift_of("gains"),
            "difference in wins, with what nearly everybody does": shift_of("dares"),
        },
    ),
    "different bots": (
        {"players": 3, "bots": "greedy,random,random"},
        {
            "a bot alone": lambda s: spans(s["cells"][0]["line_up"][:1]),
            "bots in two seats": lambda s: spans(s["cells"][0]["line_up"][1:]),
        },
    ),
    "a team": (
        {"changes": {"TOGETHER": 1}, "players": 4},
        {
            "who wins": wins,
            "given a player's number": value_of("own", 2, "wins"),
            "given a player's card": value_of("card", "3", "wins"),
            "given something rare": value_of("kept", "yes", "wins"),
            "yes or no, each player": of("kept"),
            "difference in wins": shift_of("gains"),
        },
    ),
    "two settings": ({"players": 3, "vary": {"bonus": [2, 3]}}, {"differences": effects}),
    "a grid": ({"players": 3, "vary": {"bonus": [2, 3], "odds": [2, 3]}}, {"pooled differences": effects}),
}
"""Studies, and how to find each kind of interval in their summaries."""


@pytest.mark.parametrize("name", STUDIES_OF)
def test_every_kind_of_interval_holds_in_93_to_97_of_100_studies(name):
    arguments, kinds = STUDIES_OF[name]
    assert {kind: share for kind, share in covered(kinds, arguments).items() if not 0.93 <= share <= 0.97} == {}


# ---- what rests on a bot's estimates: simulated games with a known mean ---------------------------------------------------


def rows_of(numbers, totals):
    """Rows of `cluster_mean` for studies (axis 0) of games (axis 1): how many things, and their total."""
    whole = np.rint(totals * UNIT)
    parts = ((numbers > 0), numbers, numbers**2, whole, whole**2, numbers * whole)
    return np.stack([part.sum(axis=1) for part in parts], axis=-1).astype(np.int64)


def share_held(truth, told):
    return np.mean([one["low"] <= truth <= one["high"] for one in told])


def test_the_intervals_of_how_the_lead_changes_hold():
    chooser = np.random.default_rng(5)
    cell = make_plan(LOTS, games=1, players=3).cells[0]
    changes = chooser.poisson(3, (STUDIES, 40))
    turned = chooser.random((STUDIES, 40)) < 0.3
    number = chooser.integers(1, 5, (STUDIES, 40))  # estimates of a game within one part of it
    chance = number * (0.5 + chooser.normal(0, 0.15, (STUDIES, 40))) + np.sqrt(number) * chooser.normal(0, 0.05, (STUDIES, 40))
    course = rows_of(number, chance)
    told = []
    for k in range(STUDIES):
        totals = sway_totals(counter_of(LOTS))
        for row, values in ((SWAYS.index("lead_changes"), changes[k]), (SWAYS.index("comeback"), turned[k])):
            whole = values.astype(np.int64) * UNIT
            totals["sways"][row] = len(values), whole.sum(), (whole**2).sum()
        totals["course"][PARTS // 2] = course[k]
        told.append(_sways(cell, totals))
    assert 0.93 <= share_held(3, [one["lead_changes"] for one in told]) <= 0.97
    assert 0.93 <= share_held(0.3, [one["comeback"] for one in told]) <= 0.97
    assert 0.93 <= share_held(0.5, [one["course"][PARTS // 2] for one in told]) <= 0.97


def test_the_intervals_of_decisions_hold():
    chooser = np.random.default_rng(6)
    counter = counter_of(LOTS)
    cell = make_plan(LOTS, games=1, players=3).cells[0]
    number = chooser.integers(1, 9, (STUDIES, 60))
    matters = chooser.binomial(number, chooser.beta(2, 4, (STUDIES, 60)))
    gaps = number * chooser.normal(0.05, 0.03, (STUDIES, 60)) + np.sqrt(number) * chooser.normal(0, 0.04, (STUDIES, 60))
    kings = chooser.binomial(number, chooser.beta(1, 9, (STUDIES, 60)))
    told = []
    for shares, means, rare in zip(rows_of(number, matters), rows_of(number, gaps), rows_of(number, kings), strict=True):
        totals = sway_totals(counter)
        totals["weighed"][0, :, TOLD.index("matters")] = totals["weighed"][0, :, TOLD.index("idle")] = shares
        totals["weighed"][0, :, TOLD.index("gap")] = totals["weighed"][0, :, TOLD.index("square")] = means
        totals["kings"][:] = rare
        told.append(_decisions(counter, cell, totals))
    assert 0.93 <= share_held(1 / 3, [one["second"]["matters"] for one in told]) <= 0.97
    assert 0.93 <= share_held(0.05, [one["second"]["gap"] for one in told]) <= 0.97
    assert 0.93 <= share_held(0.1, [one["kings"] for one in told]) <= 0.97


def test_the_intervals_of_swings_hold():
    """Things of a game go together, and so do the swings of all its decisions, of which they are a part."""
    chooser = np.random.default_rng(7)
    counter = counter_of(LOTS)
    mean = np.array([-0.02, 0.01, 0.05])
    shape = (STUDIES, 50, EYES)
    others, own = chooser.poisson((12, 6, 1), shape), chooser.poisson((2, 1, 0.3), shape)
    game = chooser.normal(0, 0.03, (STUDIES, 50, 1))
    swings = others * (mean + game) + np.sqrt(others) * chooser.normal(0, 0.08, shape)
    swing = own * (mean + 0.03 + game) + np.sqrt(own) * chooser.normal(0, 0.08, shape)
    decisions, total = others + own, np.rint((swings + swing) * UNIT).astype(np.int64)
    expected = mean + 0.03 * np.array([2, 1, 0.3]) / np.array([14, 7, 1.3])  # the thing is among the decisions
    share = np.array([2, 1, 0.3]) / 3.3
    truth = {"mean": float(share @ (mean + 0.03)), "beyond": float(share @ (mean + 0.03 - expected))}
    rows = rows_of(own.sum(axis=2), swing.sum(axis=2))
    held = dict.fromkeys(truth, 0)
    for k in range(STUDIES):
        totals = sway_totals(counter)
        usual = np.concatenate([decisions[k], total[k]], axis=1)
        mine = np.concatenate([own[k], np.rint(swing[k].sum(axis=1, keepdims=True) * UNIT).astype(np.int64)], axis=1)
        totals["usual_sums"], totals["usual"] = usual.sum(axis=0), usual.T @ usual
        totals["swings"][0], totals["swings"][1], totals["eyes"][0] = rows[k], rows[k], own[k].sum(axis=0)
        totals["beyond"][0] = mine.T @ np.concatenate([mine, usual], axis=1)
        told = _swings(counter, totals)[1]
        held["mean"] += told["low"] <= truth["mean"] <= told["high"]
        held["beyond"] += told["beyond_low"] <= truth["beyond"] <= told["beyond_high"]
    assert all(0.93 <= count / STUDIES <= 0.97 for count in held.values()), held


def test_the_intervals_of_luck_and_play_hold():
    chooser = np.random.default_rng(8)
    truth = {"deal": 0.2, "dice": 0.3, "play": 0.5}
    held = dict.fromkeys(truth, 0)
    for _ in range(STUDIES):
        parts = [
            math.sqrt(truth[name]) * chooser.normal(0, 1, (200, *shape, 1))
            for name, shape in (("deal", (1, 1)), ("dice", (DICE, 1)), ("play", (DICE, PLAYS)))
        ]
        told = _luck(_counted(0.1 * sum(parts), 0, 1)["luck"])
        for name, value in truth.items():
            held[name] += told[name]["low"] <= value <= told[name]["high"]
    assert all(0.93 <= count / STUDIES <= 0.97 for count in held.values()), held
