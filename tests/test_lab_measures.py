"""A game's own measures, luck and the counting of things, on a game whose numbers can be worked out by hand."""

from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import rulestone
from rulestone.engine.playouts import playouts
from rulestone.lab import Study, make_plan, study
from rulestone.lab.count import counter_of
from rulestone.lab.examples import Album
from rulestone.lab.findings import findings
from rulestone.lab.report import Page, html
from rulestone.measures import Measures, number, ratio, tally

pytestmark = pytest.mark.xdist_group("lab")  # one process compiles, the others don't have to
COIN = str(Path(__file__).parent / "toys" / "coin")
LOTS = str(Path(__file__).parent / "toys" / "lots")
GAMES = 8000


@pytest.fixture(scope="module")
def coin():
    return study(COIN, games=GAMES, workers=1)["cells"][0]


def near(share, n=GAMES):
    """Within four standard errors."""
    return pytest.approx(share, abs=4 * (share * (1 - share) / n) ** 0.5 + 1e-9)


def test_a_number_has_its_mean_and_distribution(coin):
    ones = coin["measures"]["ones"]
    assert ones["mean"] == pytest.approx(1, abs=0.04)
    assert ones["sd"] == pytest.approx(0.5**0.5, abs=0.03)
    assert [(row["value"], row["share"]) for row in ones["distribution"]] == [(0, near(0.25)), (1, near(0.5)), (2, near(0.25))]
    assert (ones["median"], ones["least"], ones["most"]) == (1, 0, 2)


def test_yes_or_no_is_never_more_than_yes(coin):
    assert coin["measures"]["both"]["share"] == near(0.25)


def test_a_negative_value_leaves_the_game_out(coin):
    late, first = coin["measures"]["late"], coin["measures"]["first"]
    assert late["n"] == next(row["times"] for row in first["distribution"] if row["value"] == "one")
    assert late["mean"] == near(0.5, late["n"])


def test_a_measure_of_each_player_shows_how_that_player_does():
    told = study(COIN, games=GAMES, workers=1, options={"by": "calls"})["cells"][0]["measures"]["mine"]
    assert told["n"] == 2 * GAMES
    assert [seat["mean"] for seat in told["seats"]] == [near(0.5), near(0.5)]
    assert all(row["wins"][0]["share"] == near(0.5) for row in told["distribution"])


def test_a_tally_counts_and_shows_who_won_then(coin):
    sides = coin["measures"]["sides"]
    assert sides["shape"] == [1, 2]
    assert [entry["mean"] for entry in sides["entries"]] == [pytest.approx(1, abs=0.04)] * 2
    assert [entry["share"] for entry in sides["entries"]] == [near(0.75)] * 2
    assert coin["measures"]["thrown"]["entries"][0]["games"] + coin["measures"]["thrown"]["entries"][1]["games"] == GAMES


def test_a_ratio_has_an_interval(coin):
    share = coin["measures"]["share"]
    assert share["low"] < 0.5 < share["high"]
    assert share["high"] - share["low"] == pytest.approx(2 * 1.96 * 0.5 / (2 * GAMES) ** 0.5, rel=0.05)


def test_minutes_come_from_the_measure_that_has_seconds(coin):
    assert coin["minutes"]["by"] == "calls of 1"
    assert coin["minutes"]["mean"] == pytest.approx(0.5, abs=0.03)


def test_things_are_counted_with_offers_hands_and_wins():
    told = study(COIN, games=4000, workers=1, options={"by": "throw"})["cells"][0]
    things = {thing["label"]: thing for thing in told["things"]}
    assert things["call"]["times"] == 8000
    assert things["call"]["offered"] == 8000
    assert things["call 1"]["offered"] == 8000
    assert things["call 1"]["taken"] == near(0.5)
    assert things["calls: tails"]["times"] == things["call 1"]["times"]
    assert things["wins"]["shift"] == 1.0  # who wins has won
    assert things["thrown: heads"]["times"] + things["thrown: tails"]["times"] == 4000


def test_endings_are_the_last_event(coin):
    assert [(row["value"], row["share"]) for row in coin["measures"]["last_event"]["distribution"]] == [("wins", 1.0)]


@pytest.mark.parametrize(("by", "part"), [("deal", "deal"), ("throw", "dice"), ("calls", "play")])
def test_luck_is_what_decides(by, part):
    told = study(COIN, games=1, workers=1, options={"by": by}, luck=200)["cells"][0]["luck"]
    assert told["deals"] == 200
    assert told[part]["share"] > 0.9
    assert sum(told[name]["share"] for name in ("deal", "dice", "play")) == pytest.approx(1, abs=1e-5)


def test_greedy_play_is_that_of_the_playouts_and_mixed_bots_rotate():
    game = rulestone.load(COIN)
    told = study(COIN, games=300, workers=1, bots="greedy", seed=6, options={"by": "throw"})["cells"][0]
    raw = playouts(game, 300, bots="greedy", seed=6, threads=1, options={"by": "throw"})
    assert told["seats"][0]["wins"] == int((raw.payoffs[:, 0] > 0).sum())
    assert told["measures"]["ones"]["mean"] == 2
    mixed = study(COIN, games=300, workers=1, bots="greedy,random")["cells"][0]
    greedy = mixed["line_up"][0]
    assert greedy["bot"] == "greedy"
    assert [seat["share"] for seat in greedy["seats"]] == [near(0.5, 150)] * 2
    first = next(row for row in mixed["measures"]["first"]["distribution"] if row["value"] == "one")
    assert first["share"] == near(0.75, 300)


def test_an_example_opens_where_the_measure_changed():
    told = Study(make_plan(COIN, games=200), workers=1)
    summary = told.run()
    album = Album(told.plan, told.results)
    late = next(row for row in summary["cells"][0]["measures"]["late"]["distribution"] if row["value"] == 1)
    match = album.match(0, late["example"])
    assert [str(move) for move in match.moves] == ["call 1", "call 1"]
    assert album.move(0, late["example"], "late") == 2
    assert album.move(0, late["example"], "ones") == 1


def test_sentences_of_measures_are_among_the_findings():
    summary = study(COIN, games=500, workers=1)
    assert any(sentence.startswith("Both call 1 in 2") for sentence in findings(summary))
    told = Study(make_plan(COIN, games=50), workers=1)
    text = html(told.run(), Album(told.plan, told.results))
    assert "calls by side" in text
    assert "What this game measures" in text


def test_a_measure_whose_name_sounds_like_winning_is_not_a_win():
    summary = study(COIN, games=200, workers=1, vary={"by": ["deal", "throw"]})
    effect = next(effect for effect in summary["effects"] if effect["on"] == "won_by")
    assert (effect["difference"], effect["wins"], effect["share"]) == (1.0, False, False)
    assert any("“by what it was won” +1" in sentence for sentence in findings(summary))


def test_a_wrong_declaration_is_refused():
    with pytest.raises(ValueError, match="do not fill 2 rows of 2"):
        tally("x", 3, shape=(2, 2))
    with pytest.raises(ValueError, match="'b' is not one"):
        Measures(a=number("a"), c=ratio("c", of="a", to="b"))


def test_a_seat_whose_name_depends_on_the_number_of_players_has_all_its_names(monkeypatch):
    counter = counter_of(LOTS)
    about = replace(counter.game.about, chairs={2: (0, 2)})
    monkeypatch.setattr(counter.game, "about", about)
    assert [counter.name(seat) for seat in range(3)] == ["Red", "Green or Blue", "Green"]


def test_a_seats_wins_in_some_games_have_an_interval(coin):
    page = object.__new__(Page)
    page.base = coin
    assert page.wins([{"share": 0.75, "low": 0.3, "high": 0.95}] * 2).count("75 % (30 to 95)") == 2


def test_the_table_of_games_says_what_its_columns_mean(tmp_path, monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    told = Study(make_plan(LOTS, games=12, players=2, vary={"bonus": [2, 3]}), workers=1, out=tmp_path / "study")
    summary = told.run()
    rows = pq.read_table(tmp_path / "study/games")
    assert set(rows.column("own_1").to_pylist()) <= {0, 1, 2, 3}
    for absent in ("own_2", "payoff_3", "won_3", "kept_2"):
        assert set(rows.column(absent).to_pylist()) == {-1}, "nobody sits there"
    assert set(rows.column("card_0").to_pylist()) <= {"0", "1", "2", "3"}
    assert set(rows.column("first").to_pylist()) <= {"stay", "dare"}
    assert set(rows.column("card_2").to_pylist()) == {None}
    assert set(rows.column("setting").to_pylist()) == {"bonus 2", "bonus 3"}
    assert "own_4" not in rows.column_names, "there are four seats"
    assert "note" not in rows.column_names, "the rules' own memory"
    field = rows.schema.field("payoff_0")
    assert (field.metadata[b"meaning"], field.metadata[b"unit"]) == (b"payoff of Red", b"1/10,000")
    assert all(field.metadata[b"meaning"] for field in rows.schema)
    text = html(summary, Album(told.plan, told.results))
    assert f"What the {len(rows.column_names)} columns mean" in text
