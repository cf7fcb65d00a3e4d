"""The lab page in a real browser: run a study, stop it, read its report, and replay one of its games at a given move."""

import re

import pytest

from tests.browser.test_browser import until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
PHONE = {"width": 390, "height": 844}


def begin(page, game, games="5000"):
    page.goto(f"/lab?game={game}")
    page.select_option("[name=games]", games)
    page.click("#study button[type=submit]")


@pytest.fixture
def person(chromium, server):
    """A plain browser. (The usual `person` writes to localStorage, which a sandboxed report can't use.)"""
    contexts = []

    def open_browser(**size):
        contexts.append(chromium.new_context(base_url=server.address, viewport={"width": 1280, "height": 800, **size}, bypass_csp=True))
        page = contexts[-1].new_page()
        page.on("pageerror", lambda problem: complaints.append(str(problem)))
        page.set_default_timeout(20_000)
        return page

    complaints = []
    yield open_browser
    for context in contexts:
        context.close()
    assert complaints == []


def serious(page):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    found = axe.Axe().run(page).response["violations"]
    return [one["id"] for one in found if one["impact"] in ("serious", "critical")]


@pytest.mark.parametrize("size", [{}, PHONE], ids=["desktop", "phone"])
def test_a_study_shows_live_results_can_be_stopped_and_links_to_its_games(person, shoot, size):
    page = person(**size)
    begin(page, "connect_four", "100000")
    page.wait_for_selector("#numbers tr:visible", timeout=60_000)
    counted = "Number(document.querySelector('#numbers td:nth-child(2)').textContent.replace(',', ''))"
    first = page.evaluate(counted)
    until(page, f"{counted} > {first}", 60)
    assert 0 < page.evaluate("document.querySelector('#progress').value") < 1
    assert serious(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page scrolls sideways"
    shoot(page, f"lab-{page.viewport_size['width']}")
    page.click("#stop")
    page.wait_for_selector("#report:visible", timeout=60_000)
    told = re.fullmatch(r"Stopped: results of ([\d,]+) games", page.text_content("#state"))
    assert first <= int(told[1].replace(",", "")) < 100_000
    assert page.locator("#stop").is_hidden()
    assert page.locator("#progress").is_hidden()
    page.click("#report")
    page.wait_for_selector("th button", state="attached")  # its script may run
    assert page.locator(".findings li").count() >= 3
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the report scrolls sideways"
    shoot(page, f"lab-report-{page.viewport_size['width']}")
    plain = person(**size)
    plain.set_content(page.content())  # the report itself runs no scripts but its own, not even axe
    assert serious(plain) == []
    page.evaluate("for (const folded of document.querySelectorAll('details')) folded.open = true")
    link = page.locator("td a", has_text=re.compile(r"game \d+, move [1-9]")).first
    move = re.search(r"move (\d+)", link.text_content())[1]
    link.click()
    page.wait_for_url(re.compile(rf"/t/\w+/replay#{move}$"))
    until(page, f"document.querySelector('#slider, input[type=range]').value === '{move}'")


def test_a_finished_study_shows_its_results(person):
    page = person()
    begin(page, "connect_four", "1000")
    page.wait_for_selector("#report:visible", timeout=60_000)
    assert page.text_content("#state") == "Results"
    assert page.text_content("#numbers td:nth-child(2)") == "1,000"
    assert page.locator("#findings li").count() >= 2
    assert page.locator("#stop").is_hidden()


def test_the_page_explains_a_long_wait(person):
    """The server in these tests never compiles, so its answer is faked here."""
    page = person()
    told = {"state": "preparing", "seconds": 9, "stopped": False, "text": "", "done": 0, "total": 32, "findings": [], "report": False}
    told["cells"] = [{"label": "as it is", "games": 0, "seats": []}]
    page.route("**/api/studies/*", lambda route: route.fulfill(json=told) if route.request.method == "GET" else route.continue_())
    begin(page, "connect_four", "1000")
    until(page, "document.querySelector('#state').textContent === 'Compiling the rules…'")
    assert "9 s so far" in page.text_content("#about")
    assert not page.evaluate("document.querySelector('#progress').hasAttribute('value')"), "the length of the wait is unknown"
    assert page.locator("#stop").is_visible()


def test_a_designer_varies_two_things_keeps_the_studies_and_compares_them(person, shoot):
    page = person(**PHONE)
    page.goto("/lab?game=connect_four")
    page.click("text=What if?")
    rows = page.locator("[name='constant:ROWS']")
    page.locator("[aria-label='Rows, slider']").focus()
    page.keyboard.press("ArrowLeft")
    assert rows.input_value() == "5", "the slider sets the number"
    rows.fill("4")
    assert page.locator("[aria-label='Rows, slider']").input_value() == "4"
    assert page.locator("[data-count=constant]").text_content() == "1 changed"
    page.select_option("[name=factor0]", "COLUMNS")
    page.fill(".values input[type=text]", "7, 5")
    page.select_option("[name=factor1]", "line")
    page.uncheck(".values label:has-text('5') >> input")
    page.select_option("[name=games]", "200")
    page.fill("[name=name]", "Small boards")
    until(page, "document.querySelector('#estimate').textContent.startsWith('4 settings, 800 games in all: about')", 60)
    assert serious(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page scrolls sideways"
    page.click("#study button[type=submit]")
    page.wait_for_selector("#report:visible", timeout=120_000)
    page.select_option("#shown", "Decisions in a game")
    assert page.locator(".matrix tbody tr").count() == 2
    shoot(page, "lab-grid-390")

    page.reload()  # the address is the study's own by now
    page.wait_for_selector("#report:visible")
    assert page.locator("h1").text_content() == "A study of Connect Four"
    assert (rows.input_value(), page.locator("[name=factor0]").input_value(), page.locator(".values input[type=text]").input_value()) == (
        "4", "COLUMNS", "7, 5",
    )  # fmt: skip
    page.select_option("[name=factor1]", "")
    page.select_option("[name=factor0]", "")
    page.fill("[name=name]", "")
    page.click("[aria-label^='Rows: back to 6']")
    first = page.url
    page.click("#study button[type=submit]")
    page.wait_for_url(lambda url: url != first)
    page.wait_for_selector("#report:visible", timeout=120_000)

    until(page, "document.querySelectorAll('#mine input[type=checkbox]:enabled').length === 2")
    page.click("[aria-label='Rename Connect Four']")
    page.keyboard.type("As printed")
    page.keyboard.press("Enter")
    page.check("[aria-label='Compare As printed']")
    page.check("[aria-label='Compare Small boards']")
    page.click("#compare")
    page.wait_for_selector(".compare h1")
    assert [" ".join(row.split()) for row in page.locator("table >> nth=0 >> tbody tr").all_inner_texts()] == ["ROWS 4 as in the rules"]
    assert serious(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the comparison scrolls sideways"
    shoot(page, "lab-compare-390")
    page.select_option("[name=ca]", "COLUMNS 5, Discs in a line: 3")
    page.click("text=Compare these settings")
    assert page.locator("th:text-is('COLUMNS')").count() == 1

    page.goto("/lab")
    page.click("[aria-label='Delete As printed']")
    page.click("[aria-label='Delete As printed for good?']")
    until(page, "document.querySelectorAll('#mine li').length === 1")
