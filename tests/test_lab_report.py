"""A report that can be read and sent on: the first screen, folded sections, maps on the game's board, several numbers of players."""

import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pytest

from rulestone.lab import Study, boards, make_plan, plots, study
from rulestone.lab.brief import html as in_brief
from rulestone.lab.examples import Album
from rulestone.lab.findings import findings, never_seen, twins
from rulestone.lab.report import html
from rulestone.lab.summary import in_general
from rulestone.measures import tally

pytestmark = pytest.mark.xdist_group("lab")
CHROMIUM = shutil.which("chromium")
HERE = Path(__file__).parent
GAMES = HERE.parent / "src" / "rulestone" / "games"
LOTS = ""


def copied(folder, where):
    """A copy of a game of this file's own: other tests in this process have it compiled."""
    return str(shutil.copytree(folder, where / folder.name))


@pytest.fixture(autouse=True, scope="module")
def lots(tmp_path_factory):
    global LOTS
    LOTS = copied(HERE / "toys" / "lots", tmp_path_factory.mktemp("report"))


@pytest.fixture(autouse=True)
def interpreted(monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")


@pytest.fixture
def compiled(monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "1")


@pytest.fixture(scope="module")
def palace(tmp_path_factory):
    """A small study of a cooperative game with a board."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RULESTONE_JIT", "0")
        own = copied(GAMES / "sarpedon", tmp_path_factory.mktemp("palace"))
        done = Study(make_plan(own, games=6, bots="greedy", pace=60), workers=1)
        return done.run(), Album(done.plan, done.results)


def page_of(**plan):
    done = Study(make_plan(LOTS, **plan), workers=1)
    summary = done.run()
    return summary, html(summary, Album(done.plan, done.results))


# ---- the first screen -----------------------------------------------------------------------------------------------------


def test_the_first_screen_says_who_wins_how_long_and_how_it_ends():
    summary = study(LOTS, games=200, players=2, luck=0, workers=1)
    told = summary["findings"]
    assert len(told) <= 6
    assert told[0].startswith("With random play, ")
    assert re.match(r"A game lasts 1.5 minutes \(nine games in ten: 1.5 to 1.5\), if each decision", told[1])
    assert "(an assumption)" in told[1]
    assert told[2].startswith("How games end: ")


def test_seats_that_cannot_be_told_apart_have_an_interval():
    summary = study(LOTS, games=40, players=4, workers=1)
    seats = summary["cells"][0]["seats"]
    low, high = min(seat["low"] for seat in seats), max(seat["high"] for seat in seats)
    assert f"each wins between {100 * low:.0f} % and {100 * high:.0f} % of games" in summary["findings"][0]


def test_the_pace_sets_the_minutes_and_nothing_else(compiled):
    slow, usual = (study("connect_four", games=30, workers=1, **pace)["cells"][0] for pace in ({"pace": 30}, {}))
    assert slow["minutes"]["mean"] == pytest.approx(2 * usual["minutes"]["mean"], rel=1e-4)
    assert slow["minutes"]["seconds"] == 30
    assert slow["seats"] == usual["seats"]
    with pytest.raises(ValueError, match="seconds that people need"):
        make_plan("connect_four", pace=-1)


def test_a_study_goes_on_at_another_pace(tmp_path):
    Study(make_plan(LOTS, games=4, players=2), workers=1, out=tmp_path / "study").run()
    again = Study(make_plan(LOTS, games=4, players=2, pace=40), workers=1, out=tmp_path / "study", resume=True)
    assert again.run()["cells"][0]["minutes"]["seconds"] == 40


def test_a_round_of_more_players_lasts_longer(tmp_path):
    for cell in study(copied(GAMES / "artifact", tmp_path), games=1, bots="greedy", players="2,4", workers=1)["cells"]:
        turns, rounds = (cell["measures"][name]["mean"] for name in ("all_turns", "rounds"))
        assert cell["minutes"]["mean"] == pytest.approx(turns * 45 / 60, rel=1e-4)
        assert (rounds - 1) * cell["players"] < turns <= rounds * cell["players"]


def test_what_never_happened_is_bounded_by_the_number_of_games(compiled):
    summary = study("connect_four", games=300, options={"line": 3}, workers=1)
    assert [thing["label"] for thing in never_seen(summary["cells"][0])] == ["full"]
    assert any("less often than once in 100 games" in sentence and "“the grid is full”" in sentence for sentence in findings(summary))


def test_a_change_is_told_in_minutes(compiled):
    summary = study("connect_four", games=300, vary={"line": [4, 3]}, workers=1)
    assert summary["findings"][0].endswith("; games are 2.7 ± 0.3 minutes shorter.")


def test_an_event_is_told_in_general():
    assert in_general("{who:seat} lines up {count}. [R4]") == "somebody lines up …"
    assert in_general("The {quadrant:quadrant} {tile} is safe. [{rule:rule}]") == "the … is safe"


def test_a_verb_and_its_event_are_one_row(compiled):
    done = Study(make_plan("connect_four", games=20), workers=1)
    summary = done.run()
    cell = summary["cells"][0]
    assert twins(cell["things"]) == {"drops": "drop"}
    page = html(summary, Album(done.plan, done.results))
    assert "<td>drops<br>" not in page
    assert "<td>wins<br>" in page
    assert twins([{"kind": "verb", "label": "pass_", "times": 3}, {"kind": "event", "name": "passes", "label": "passes", "times": 4}]) == {}


# ---- sections -------------------------------------------------------------------------------------------------------------


class Sections(HTMLParser):
    """The ids inside each folded section, and the links of the contents."""

    def __init__(self):
        super().__init__()
        self.inside, self.links, self.depth, self.nav = set(), [], 0, False

    def handle_starttag(self, tag, attrs):
        self.depth += tag == "details"
        self.nav = self.nav or tag == "nav"
        given = dict(attrs)
        if self.depth and "id" in given:
            self.inside.add(given["id"])
        if self.nav and tag == "a":
            self.links.append(given["href"])

    def handle_endtag(self, tag):
        self.depth -= tag == "details"
        self.nav = self.nav and tag != "nav"


def test_the_contents_link_into_the_folded_sections():
    _, text = page_of(games=20, players=2, vary={"bonus": [2, 3]})
    found = Sections()
    found.feed(text)
    assert len(found.links) >= 8
    assert {link[1:] for link in found.links} <= found.inside, "a browser opens the section around the target of a link"
    assert "#change" in found.links


def test_several_numbers_of_players_are_side_by_side():
    summary, text = page_of(games=40, players="2-4")
    assert [cell["players"] for cell in summary["cells"]] == [2, 3, 4]
    assert summary["plan"]["factors"] == {"players": [2, 3, 4]}
    assert re.match(r"In random play: with 2 players .*; with 3 players .*; with 4 players ", summary["findings"][0])
    assert re.match(r"A game lasts \S+ with 2, \S+ with 3 and \S+ with 4 players \(in minutes", summary["findings"][1])
    assert not any("3 instead of 2 players, Red wins" in sentence for sentence in summary["findings"])
    for section in ("wins", "length", "ends"):
        part = text.split(f"<div id={section} class=anchor>")[1].split("</details>")[0]
        assert all(f"<p class=title>{count} players" in part for count in (2, 3, 4)), section


@pytest.mark.parametrize("players", ["2-3", "2,3", [2, 3]])
def test_numbers_of_players_can_be_written_in_three_ways(players):
    assert [cell.players for cell in make_plan(LOTS, games=2, players=players).cells] == [2, 3]


@pytest.mark.parametrize(("players", "words"), [("4-2", "write 3, 2-4 or 2,3,4"), ("two", "not a number"), ("2,2", "the same value twice")])
def test_a_wrong_number_of_players_is_refused(players, words):
    with pytest.raises(ValueError, match=words):
        make_plan(LOTS, games=2, players=players)


# ---- maps -----------------------------------------------------------------------------------------------------------------


def test_every_game_has_maps_whose_cells_are_in_its_picture(compiled):
    from rulestone.game import load as load_game
    from rulestone.games import names

    for name in names():
        mapped = 0
        game = load_game(name)
        board = boards.Board(boards.opening(game, game.about.usual_players, {}))
        for measure in getattr(game.measures, "MEASURES", None).all.values() if game.measures else ():
            if measure.cells:
                spots = board.spots(measure)
                mapped += 1
                assert len(spots) == len(measure.names)
                assert sum(map(bool, spots)) > 5, f"{name}: {measure.label}"
                box = (0, 0, board.scene.width, board.scene.height)
                assert all(box[0] < spot.x < box[2] and box[1] < spot.y < box[3] for own in spots for spot in own), name
        assert mapped, f"{name} has a board, but no map"


def test_a_map_is_drawn_on_the_board_with_named_cells(palace):
    summary, album = palace
    text = html(summary, album)
    assert text.count('<g id="ground">') == 1, "the board is drawn once"
    assert text.count('<svg class="scene map"') == 4
    assert "Nowhere does who wins differ by more than chance" in text, "six games are too few"
    entry = summary["cells"][0]["measures"]["visits"]["entries"][3]
    assert text.count(f"<title>4: {entry['mean']:.2g} per game</title>") == 4, "there is a tile 4 in each quadrant"


def test_a_map_knows_where_a_turned_thing_is():
    class Picture:
        area = '<rect width="8" height="4" class="target"/>'
        things = (f'<g transform="translate(100 50) rotate(90)"><g id="a" transform="translate(10 0)">{area}</g></g>',)

    spot = boards.places(Picture(), {"a"})["a"]
    assert [round(value, 6) for value in spot] == [100, 60, 4, 8]


def test_only_clear_differences_are_coloured():
    seats = [{"seat": k, "name": name, "share": 0.5} for k, name in enumerate(("Red", "Blue"))]
    cell = {"seats": seats, "detailed_games": 2000}
    wins = [{"share": share} for share in (0.7, 0.3)]
    entries = [
        {"name": "here", "games": 1000, "wins": wins},
        {"name": "there", "games": 10, "wins": wins},
        {"name": "nowhere", "games": 0, "wins": []},
    ]
    here, there, nowhere = boards.gains(cell, entries, [0, 1], team=False)
    assert (here.colour, there.colour, nowhere) == ("seat0", "stone", None)
    assert here.says == "here: Red wins 70 %, Blue wins 30 % of 1,000 games"


def test_cells_must_be_as_many_as_the_entries():
    with pytest.raises(ValueError, match="has 4 entries, but 3 cells"):
        tally("visits", 4, cells=["a", "b", "c"])


# ---- plots ----------------------------------------------------------------------------------------------------------------


def test_an_axis_has_round_marks():
    assert plots.Scale(0, 0.97).ticks == [0, 0.2, 0.4, 0.6, 0.8]
    assert plots.Scale(3, 3).ticks
    drawn = plots.intervals([plots.Row("Red", 0.5, 0.4, 0.6)], "who", lambda value: f"{value:.0%}", mark=0.5)
    assert "45 %" in drawn
    assert "class=even" in drawn


# ---- in brief -------------------------------------------------------------------------------------------------------------


def test_the_brief_report_has_a_picture_and_stands_alone(palace):
    text = in_brief(*palace)
    assert "<script" not in text
    assert not re.search(r"url\((?!#)|@import|https?://(?!www\.w3\.org/2000/svg)", text)
    assert re.search(r'<svg class="scene look" [^>]*aria-label="[^"]+"', text)
    assert "not of a playtest with people" in text


@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
@pytest.mark.slow
def test_the_brief_report_prints_on_one_or_two_pages(palace, tmp_path):
    pypdf = pytest.importorskip("pypdf")
    sync_api = pytest.importorskip("playwright.sync_api")
    (tmp_path / "brief.html").write_text(in_brief(*palace))
    with sync_api.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        page.goto((tmp_path / "brief.html").as_uri())
        for size in ("A4", "Letter"):
            page.pdf(path=tmp_path / f"{size}.pdf", format=size)
            assert len(pypdf.PdfReader(tmp_path / f"{size}.pdf").pages) <= 2
        browser.close()


@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
@pytest.mark.slow
def test_tables_are_sorted_and_searched_links_open_sections_and_nothing_is_too_wide(palace, tmp_path):
    sync_api = pytest.importorskip("playwright.sync_api")
    (tmp_path / "report.html").write_text(html(*palace))
    with sync_api.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 390, "height": 844})
        wrong = []
        page.on("pageerror", lambda problem: wrong.append(problem))
        page.goto((tmp_path / "report.html").as_uri())
        assert page.evaluate("document.documentElement.scrollHeight") < 3000
        page.click("nav a[href='#events']")
        assert page.evaluate("document.getElementById('events').closest('details').open")
        part = page.locator("details.part", has=page.locator("#events"))
        part.get_by_role("button", name="per game").first.click()
        shown = [float(text.replace(",", "")) for text in part.locator("tbody tr td:nth-child(2)").all_text_contents()]
        assert shown == sorted(shown, reverse=True)
        part.locator("input[type=search]").fill("frozen")
        rows = part.locator("tbody tr:visible").all_text_contents()
        assert rows
        assert all("frozen" in row.lower() for row in rows)
        edges = (
            "[['nav button', 'bottom'], ['.part', 'top']].map(([what, edge]) => document.querySelector(what).getBoundingClientRect()[edge])"
        )
        button, line = page.evaluate(edges)
        assert line - button >= 8
        page.click("text=Open all sections")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        sizes = "[...document.querySelectorAll('.chart span, .chart b')].map((e) => parseFloat(getComputedStyle(e).fontSize))"
        assert min(page.evaluate(sizes)) >= 11
        assert wrong == []
        axe = pytest.importorskip("axe_playwright_python.sync_playwright")
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            found = axe.Axe().run(page).response["violations"]
            assert [one["id"] for one in found if one["impact"] in ("serious", "critical")] == []
        browser.close()
