"""`rulestone dev` in a real browser: edit a file, see the change, break it, mend it; measure it, share it."""

import os
import re
import signal
import subprocess
import sys
import time
import urllib.request

import pytest

from rulestone.scaffold import make
from tests.browser.conftest import free_port
from tests.studios import edit

expect = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed (pip install playwright)").expect
expect.set_options(timeout=30_000)
NUMBERS = "BELIEVED, TRUE, CAUGHT = 1, 3, 2"


class Studio:
    """`rulestone dev` of a designer's own game, in its own process."""

    def __init__(self, place):
        self.folder = make("crown", place, "secrets")
        self.port = free_port()
        command = [sys.executable, "-m", "rulestone.cli", "dev", str(self.folder), "--port", str(self.port), "--no-browser"]
        self.log = (place / "dev.log").open("w")
        environment = {**os.environ, "RULESTONE_JIT": "0"}
        self.process = subprocess.Popen(command, env=environment, stdout=self.log, stderr=self.log, start_new_session=True)
        self.address = f"http://localhost:{self.port}"
        until = time.monotonic() + 60
        while True:
            try:
                urllib.request.urlopen(self.address + "/about", timeout=2).read()
                return
            except OSError:
                assert time.monotonic() < until, (place / "dev.log").read_text()
                time.sleep(0.1)

    def save(self, file, old, new):
        edit(self, file, old, new)

    def close(self):
        os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait()
        self.log.close()


@pytest.fixture
def studio(tmp_path):
    made = Studio(tmp_path)
    yield made
    made.close()


@pytest.fixture
def page(person, studio):
    made = person(base_url=studio.address)
    made.goto("/studio")
    expect(made.locator("#prompt")).to_contain_text("lay a card and say")
    return made


def test_a_designer_edits_sees_breaks_and_mends(page, studio, shoot):
    page.locator("[id^=card-]").first.click()
    expect(page.locator("#prompt")).to_contain_text("is it really")
    studio.save("words.py", "is it really", "do you think it is")
    expect(page.locator("#prompt")).to_contain_text("do you think it is")
    expect(page.locator("#said")).to_contain_text("Version 2. The position was kept.")
    studio.save("rules.py", "    points: u8[SEATS]\n", "    points: u8[SEATS]\n    spare: u8  # nothing yet\n")
    expect(page.locator("#said")).to_contain_text("Version 3. The moves were played again.")
    studio.save("rules.py", "def setup(s):", "def setup(s:")
    trouble = page.locator("#problems")
    expect(trouble).to_contain_text("These files can’t be played. The last version that worked is on the table.")
    expect(trouble).to_contain_text("rules.py line")
    expect(trouble).to_contain_text("'(' was never closed")
    shoot(page, "studio-broken")
    page.get_by_role("button", name="Believe").click()
    expect(page.locator("#prompt")).to_contain_text("lay a card and say “berry”")
    studio.save("rules.py", "def setup(s:", "def setup(s):")
    expect(trouble).to_be_empty()
    expect(page.locator("#said")).to_contain_text("The position was kept.")
    shoot(page, "studio")


def test_the_last_change_is_measured_a_slider_kept_and_the_variant_shared(page, studio, shoot):
    panel = page.locator("[data-panel=measure]")
    panel.locator("summary").first.click()
    studio.save("rules.py", NUMBERS, NUMBERS.replace("3", "9"))
    result = panel.locator("table")
    expect(result).to_contain_text("version 2", timeout=120_000)
    expect(result).to_contain_text("wins by Red")
    expect(panel.get_by_role("link", name="More", exact=True)).to_be_visible(timeout=120_000)
    shoot(page, "studio-measured")
    before = (studio.folder / "rules.py").read_text()
    panel.locator("[name=HAND]").fill("3")
    expect(panel.get_by_role("link", name="Play or share it")).to_have_attribute("href", "/new/crown@HAND=3?first=apple&players=3")
    assert (studio.folder / "rules.py").read_text() == before
    panel.get_by_role("button", name="Keep HAND = 3").click()
    expect(page.locator("#said")).to_contain_text("Version 3.")
    assert (studio.folder / "rules.py").read_text() == before.replace("len(FRUITS), 5, 4", "len(FRUITS), 5, 3")


def test_the_workbench_on_a_phone(person, studio, shoot):
    page = person(390, 844, base_url=studio.address)
    page.goto("/studio")
    expect(page.locator("#prompt")).to_contain_text("lay a card and say")
    for name in ("moves", "fields", "copy"):
        page.locator(f"[data-panel={name}] summary").first.click()
    expect(page.locator("[data-panel=moves]")).to_contain_text("Lay")
    page.locator("[data-field=points] summary").click()
    page.locator("[data-field=points] input").first.fill("7")
    page.locator("[data-field=points] input").first.press("Enter")
    expect(page.locator("#players")).to_contain_text("7 points")
    page.locator("[data-field=asked] input").fill("99")
    page.locator("[data-field=asked] input").press("Enter")
    expect(page.locator("#problems")).to_contain_text("IndexError")
    page.get_by_role("button", name="One step back").click()
    expect(page.locator("#problems")).to_be_empty()
    page.get_by_role("button", name="Scenario test").click()
    expect(page.locator("textarea.copied")).to_have_value(re.compile("def test_"))
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    shoot(page, "studio-phone")
