"""Intervals, compared with closed forms, SciPy and simulations: a 95 % interval holds at least that often."""

import json
import math
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from scipy import stats

from rulestone.lab import Study, make_plan
from rulestone.lab.examples import Album
from rulestone.lab.luck import DICE, PLAYS, _counted, shares
from rulestone.lab.report import html
from rulestone.lab.run import looks
from rulestone.statistics import games_to_settle, mean_interval, moments, newcombe, ratio_interval, student, wilson, z_at_look, z_for

pytestmark = pytest.mark.xdist_group("lab")  # only one process compiles


@pytest.mark.parametrize(("won", "games"), [(0, 10), (3, 10), (500, 1000), (999, 1000), (17, 17)])
def test_wilson_agrees_with_scipy(won, games):
    expected = stats.binomtest(won, games).proportion_ci(method="wilson")
    assert wilson(won, games, z_for()) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_sidaks_correction_keeps_the_whole_at_95_percent():
    for comparisons in (1, 2, 4, 50):
        each = 2 * stats.norm.cdf(z_for(comparisons)) - 1
        assert each**comparisons == pytest.approx(0.95)


def test_the_risk_spent_over_all_looks_adds_up_to_5_percent():
    spent = [2 * stats.norm.sf(z_at_look(look)) for look in range(1, 3000)]
    assert sum(spent) == pytest.approx(0.05, abs=1e-4)
    assert sum(spent) < 0.05


def test_students_quantile_agrees_with_scipy():
    for freedom in (5, 9, 30, 1000):
        assert student(z_for(), freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=0.01)


def test_moments_and_means_agree_with_numpy():
    values = np.array([3, 1, 4, 1, 5, 9, 2, 6])
    sums = len(values), float(values.sum()), float((values**2).sum())
    assert moments(*sums) == pytest.approx((values.mean(), values.std(ddof=1)))
    expected = stats.t.interval(0.95, len(values) - 1, values.mean(), stats.sem(values))
    assert mean_interval(*sums, z_for())[1:] == pytest.approx(expected, rel=0.02)


def test_newcombes_interval_is_the_published_one():
    """Newcombe 1998, table II, example (a): 56/70 against 48/80."""
    assert newcombe(56, 70, 48, 80, z_for()) == pytest.approx((0.2, 0.0524, 0.3339), abs=1e-4)


def test_a_ratios_interval_covers_the_truth():
    chooser = np.random.default_rng(3)
    covered = 0
    for _ in range(400):
        to = chooser.poisson(6, 300)
        of = chooser.binomial(to, 0.3)
        told = ratio_interval((of.sum(), (of**2).sum()), (to.sum(), (to**2).sum()), (of * to).sum(), z_for())
        covered += told[1] <= 0.3 <= told[2]
    assert 0.92 <= covered / 400 <= 0.98


def test_a_study_that_stops_at_any_time_still_covers_the_truth():
    """The interval at the time of stopping misses the truth in less than 5 % of studies, an uncorrected one in more."""
    chooser = np.random.default_rng(1)
    honest = naive = 0
    studies, block, most = 1500, 200, 60
    for _ in range(studies):
        wins = np.cumsum(chooser.binomial(block, 0.5, most))
        stopped = [False, False]
        for look, upto in enumerate(looks(most), 1):
            for k, z in enumerate((z_at_look(look), z_for())):
                low, high = wilson(wins[upto - 1], upto * block, z)
                stopped[k] |= not low <= 0.5 <= high
        honest += stopped[0]
        naive += stopped[1]
    assert honest / studies < 0.05 < naive / studies


def test_the_predicted_number_of_games_really_settles_it():
    needed = 100 + games_to_settle(100, 0.2, 1.0, z_for())
    power = stats.norm.sf(z_for() - 0.2 * math.sqrt(needed))
    assert power == pytest.approx(0.8, abs=0.01)
    assert games_to_settle(100, 0.0, 1.0, z_for()) is None


def test_variance_components_are_recovered():
    chooser = np.random.default_rng(7)
    deals = 4000
    deal = chooser.normal(0, 1, (deals, 1, 1, 1))
    dice = chooser.normal(0, math.sqrt(2), (deals, DICE, 1, 1))
    play = chooser.normal(0, math.sqrt(3), (deals, DICE, PLAYS, 1))
    found = shares(_counted(0.1 * (deal + dice + play), 0, 1)["luck"].sum(axis=0))
    assert [found["deal"], found["dice"], found["play"]] == pytest.approx([1 / 6, 2 / 6, 3 / 6], abs=0.03)


class Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.targets, self.ids, self.open = [], set(), []

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        self.targets += [named[key] for key in ("href", "src") if key in named]
        self.ids |= {named["id"]} if "id" in named else set()
        if tag not in ("meta", "br", "link", "rect", "circle", "path", "line"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def report():
    told = Study(make_plan("connect_four", games=3000, vary={"line": [4, 3]}, luck=25), workers=1)
    return html(told.run(), Album(told.plan, told.results))


def test_a_report_stands_alone(report):
    links = Links()
    links.feed(report)
    assert links.open == []
    assert len(report) < 2_000_000
    assert re.findall(r"<script[^>]*>", report) == ["<script>"], "one script, in the file itself"
    assert "fetch(" not in report
    assert not re.search(r"url\(|@import|https?://(?!www\.w3\.org/2000/svg)", report)
    assert all(target.startswith(("#", "data:application/json")) for target in links.targets)
    assert {target[1:] for target in links.targets if target.startswith("#")} <= links.ids
    assert len([target for target in links.targets if target.startswith("#")]) > 20


def test_a_report_leads_with_at_most_six_sentences(report):
    found = re.findall(r"<li>(.*?)</li>", report.split("<ol class=findings>")[1].split("</ol>")[0])
    assert 3 <= len(found) <= 6
    assert found[0].startswith("With 3 instead of 4 for “Discs in a line”, Red wins ")
    assert "%" in found[1]


def test_a_reports_games_are_records(report):
    import base64

    import rulestone

    data = re.findall(r'href="data:application/json;base64,([^"]+)"', report)
    assert len(data) >= 3
    record = json.loads(base64.b64decode(data[0]))
    assert rulestone.replay(record).over
