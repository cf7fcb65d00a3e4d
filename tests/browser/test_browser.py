"""Whole games played by clicking in a real browser: desktop and phone, two browsers at one table, bots, reconnecting, restarting."""

import runpy
import time

import pytest

import rulestone
from tests.conftest import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


def until(page, expression, seconds=20):
    """Wait until an expression is true. It is polled from here, because the pages' policy forbids evaluating strings inside them."""
    end = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < end, f"timed out waiting for {expression}"
        page.wait_for_timeout(40)


def settled(page):
    """Wait until a page shows what it has to show, and all that moves has come to rest."""
    until(page, "document.readyState === 'complete' && document.querySelector('#prompt')?.textContent !== '…'")
    moving = "(motion) => motion.playState === 'running' && motion.effect.getTiming().iterations !== Infinity"
    until(page, f"!document.getAnimations().some({moving})")


def drop(page, *columns):
    """Drop discs by clicking, each after the previous one has landed."""
    for column in columns:
        page.wait_for_selector(f".my-turn #column-{column}.glow")
        discs = page.locator("[id^=disc-]").count()
        page.click(f"#column-{column}")
        until(page, f"document.querySelectorAll('[id^=disc-]').length === {discs + 1}")


def new_table(page, game, seats, **more):
    """Create a table from inside the page and open it."""
    page.request.get("/about")  # a person's first page, which makes them known
    answer = page.request.post("/api/tables", data={"game": game, "seats": seats, **more})
    assert answer.ok, answer.text()
    made = answer.json()
    page.goto(f"/t/{made['id']}")
    until(page, "document.querySelector('#prompt').textContent.length > 3")
    return made["id"]


ALL_MINE = {name: [{"kind": "me"}] * rulestone.load(name).about.usual_players for name in rulestone.games() if name != "connect_four"}
CLICK = """(number) => {
  const find = (selector) => [...document.querySelectorAll(selector)];
  const press = (elements, k) => elements[k % elements.length].dispatchEvent(new MouseEvent("click", {bubbles: true}));
  if (find(".ended").length) return "over";
  const curtain = find("#curtain:not([hidden]) button"), sure = find("#choices .primary");
  const glowing = find("svg.scene .glow"), buttons = find("#choices button");
  if (curtain.length) press(curtain, 0);
  else if (!find(".my-turn").length) return "wait";
  else if (sure.length) press(sure, 0);
  else if (glowing.length && (!buttons.length || number % 2)) press(glowing, number * 7);
  else if (buttons.length) press(buttons, number * 5);
  return "clicked";
}"""


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)], ids=["desktop", "phone"])
@pytest.mark.parametrize("name", rulestone.games())
def test_a_whole_game_against_bots_by_clicking(person, shoot, name, size):
    page = person(*size)
    game = rulestone.load(name)
    bot = "greedy" if game.greedy is not None else "random"  # good enough to finish the game
    new_table(page, name, [{"kind": "me"}, *[{"kind": "bot", "bot": bot}] * (game.about.usual_players - 1)])
    did, clicks, end = "", 0, time.monotonic() + 400
    while did != "over" and time.monotonic() < end:
        did = page.evaluate(CLICK, clicks)
        clicks += did == "clicked"
        page.wait_for_timeout(15)
        if clicks == 12 and did == "clicked":
            shoot(page, f"{name}-{size[0]}")
    shoot(page, f"{name}-{size[0]}-end")
    assert did == "over", f"not over after {clicks} clicks"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page scrolls sideways"


def test_two_browsers_at_one_table(person, shoot):
    anna, ben, watcher = person(), person(390, 844), person()
    table = new_table(anna, "connect_four", [{"kind": "me", "name": "Anna"}, {"kind": "open"}])
    assert "Waiting for Blue" in anna.text_content("#prompt")
    ben.goto(f"/t/{table}")
    ben.click("#choices >> text=/Take .*'s seat/")
    watcher.goto(f"/t/{table}")
    until(watcher, "document.querySelector('#prompt').textContent.includes('Red is thinking')")
    for column, page in ((0, anna), (1, ben), (0, anna), (1, ben), (0, anna), (1, ben), (0, anna)):
        page.wait_for_selector(f".my-turn #column-{column}.glow")
        page.click(f"#column-{column}")
    for page in (anna, ben, watcher):
        page.wait_for_selector(".ended")
        assert "Red wins." in page.text_content("#prompt")
        assert page.locator("#story li").count() == 7
    shoot(anna, "two-browsers-anna")
    shoot(ben, "two-browsers-ben")
    anna.click("text=Rematch")
    anna.wait_for_url(lambda url: table not in url)
    ben.click("text=Go to the rematch")
    ben.wait_for_selector(".my-turn #column-0.glow")  # the seats have rotated: Ben begins
    anna.click("#tab-chat")
    anna.fill("#words", "<img src=x onerror=alert(1)> good luck")
    anna.press("#words", "Enter")
    ben.click("#tab-chat")
    ben.wait_for_selector("#chat li")
    assert "<img src=x onerror=alert(1)> good luck" in ben.text_content("#chat")


def test_a_lost_connection_is_restored_automatically(person):
    page = person()
    new_table(page, "connect_four", [{"kind": "me"}, {"kind": "me"}])
    page.wait_for_selector("#column-3.glow")
    page.context.set_offline(True)
    page.evaluate("1")
    page.context.set_offline(False)
    page.click("#column-3")
    page.wait_for_selector("#disc-0-3")


def test_a_killed_server_loses_nothing(person, server, shoot):
    page = person()
    new_table(page, "connect_four", [{"kind": "me"}, {"kind": "me"}])
    drop(page, 3, 3, 2)
    page.wait_for_selector("#disc-0-2")
    server.kill()
    page.wait_for_selector("#offline:not([hidden])")
    shoot(page, "offline")
    server.start()
    page.wait_for_selector("#offline", state="hidden")
    assert page.locator("[id^=disc-]").count() == 3
    page.wait_for_selector("#column-2.glow")
    page.click("#column-2")
    page.wait_for_selector("#disc-1-2")


def test_keyboard_alone(person):
    page = person()
    new_table(page, "connect_four", [{"kind": "me"}, {"kind": "me"}])
    page.wait_for_selector("#column-0.glow")
    page.focus("#column-4")
    page.keyboard.press("Enter")
    page.wait_for_selector("#disc-0-4")
    page.focus("#tab-story")
    page.keyboard.press("ArrowRight")
    page.click("#movelist button >> nth=6")
    page.wait_for_selector("#disc-0-6")


def test_a_wrong_click_says_why_and_hovering_explains(person):
    page = person()
    new_table(page, "connect_four", [{"kind": "me"}, {"kind": "me"}])
    drop(page, *[0] * 6)
    page.wait_for_selector("#disc-5-0")
    prompt = page.text_content("#prompt")
    page.click("#column-0")
    until(page, "document.querySelector('#prompt').textContent === 'That column is full.R3'")  # the rule is a link
    until(page, f"document.querySelector('#prompt').textContent === {prompt!r}")  # the answer is shown only for a moment
    page.hover("#column-5")
    page.wait_for_selector("#hovercard:not([hidden])")
    assert "row 1 from the bottom" in page.text_content("#hovercard")


def test_undo_hint_and_leaving(person):
    page = person()
    new_table(page, "connect_four", [{"kind": "me"}, {"kind": "bot", "bot": "random"}])
    page.wait_for_selector("#column-3.glow")
    page.click("#column-3")
    page.wait_for_selector(".my-turn .glow")
    page.click("#undo")
    page.wait_for_selector("#disc-0-3", state="detached")
    page.click("#hint")
    page.wait_for_selector(".hinted")
    new_table(page, "connect_four", [{"kind": "me"}, {"kind": "me"}])  # two bots would finish the game before anyone returns
    page.click("#menu summary")
    page.click("#leave [data-end=leave] >> nth=0")
    page.click("dialog >> text=/^Leave$/")
    page.wait_for_selector("text=I'm back")
    page.click("text=I'm back")
    page.wait_for_selector("text=I'm back", state="detached")


def test_the_curtain_between_people_sharing_a_screen(person, shoot):
    page = person()
    new_table(page, "whisper", [{"kind": "me"}, {"kind": "me"}])
    page.wait_for_selector("#curtain:not([hidden])")
    shoot(page, "curtain")
    page.click("text=I'm Red")
    page.wait_for_selector(".my-turn #choices button")
    page.click("#choices button >> nth=0")
    page.wait_for_selector("text=Pass the screen to Blue.")


def short_game(page):
    """Play a game of five moves to its end; returns its table."""
    table = new_table(page, "connect_four", [{"kind": "me"}, {"kind": "me"}], options={"line": 3})
    drop(page, 0, 1, 0, 1, 0)
    page.wait_for_selector(".ended")
    return table


def test_a_key_pressed_before_the_replay_has_loaded_is_not_lost(person):
    page, held = person(), []
    table = short_game(page)
    page.route("**/frames/0?*", lambda route: held.append(route))
    with page.expect_request("**/frames/0?*"):
        page.goto(f"/t/{table}/replay")
    page.keyboard.press("End")
    for route in held:
        route.continue_()
    until(page, "document.querySelectorAll('[id^=disc-]').length === 5")


def test_replaying_a_game_and_continuing_from_it(person, shoot):
    page = person()
    table = short_game(page)
    page.goto(f"/t/{table}/replay")
    until(page, "document.querySelector('#where').max === '5'")
    for discs in (1, 2, 3):
        page.keyboard.press("ArrowRight")
        until(page, f"document.querySelectorAll('[id^=disc-]').length === {discs}")
    page.wait_for_selector("#curve svg")
    assert page.locator("#story li").count() == 5, "the whole story, not only the moves shown so far"
    assert page.get_attribute("#story li.lit", "data-at") == "3"
    needle = page.get_attribute("#curve path[id=needle]", "d")
    shoot(page, "replay")
    page.select_option("#eyes", "1")
    page.keyboard.press("End")
    until(page, "document.querySelectorAll('[id^=disc-]').length === 5")
    assert page.get_attribute("#curve path[id=needle]", "d") != needle
    assert page.locator("#story li").count() == 5
    page.click("#story li[data-at='2']")
    until(page, "document.querySelectorAll('[id^=disc-]').length === 2")
    page.keyboard.press("Home")
    until(page, "document.querySelectorAll('[id^=disc-]').length === 0")
    page.click("#run")
    until(page, "document.querySelectorAll('[id^=disc-]').length === 1")
    page.keyboard.press("Home")
    until(page, "document.querySelector('#run').textContent === 'Play'")
    until(page, "document.querySelectorAll('[id^=disc-]').length === 0")
    page.click("#fork")
    page.wait_for_selector(".my-turn .glow")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing_serious(person, dark):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    page = person(dark=dark, bypass_csp=True)
    table = new_table(page, "connect_four", [{"kind": "me"}, {"kind": "bot", "bot": "random"}])
    page.wait_for_selector(".glow")
    others = [page.request.post("/api/tables", data={"game": name, "seats": ALL_MINE[name]}).json()["id"] for name in ALL_MINE]
    for path in (
        f"/t/{table}",
        *(f"/t/{other}" for other in others),
        "/",
        "/new/connect_four",
        "/rules/connect_four",
        "/about",
        f"/t/{table}/replay",
    ):
        page.goto(path)
        settled(page)
        if page.is_visible("#curtain button"):
            page.click("#curtain button")
            page.wait_for_selector(".my-turn")
        found = axe.Axe().run(page).response["violations"]
        serious = [violation for violation in found if violation["impact"] in ("serious", "critical")]
        serious = [(violation["id"], [node["html"][:160] for node in violation["nodes"]]) for violation in serious]
        assert serious == [], path


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", [(1280, 800), (390, 844)], ids=["desktop", "phone"])
def test_pictures_of_the_pages(person, shoot, dark, size):
    """Saved as build artefacts for people to look at."""
    page = person(*size, dark=dark)
    for name, path in (("home", "/"), ("new", "/new/connect_four"), ("rules", "/rules/connect_four#R4")):
        page.goto(path)
        settled(page)
        shoot(page, f"{name}-{size[0]}-{'dark' if dark else 'light'}")


def test_a_program_without_a_browser_plays_to_the_end(server):
    """The example of docs/server/rest.md, against the bots of the server."""
    example = runpy.run_path(str(ROOT / "examples" / "player.py"))
    host = example["Table"](server.address, "")
    seats = [{"kind": "bot", "bot": "random"}, {"kind": "open"}]
    table = host.call("POST", "/tables", {"game": "connect_four", "seats": seats})["id"]
    payoff = example["Table"](server.address, table).play(1, pause=0.02)
    assert sorted(payoff) in ([-1.0, 1.0], [0.0, 0.0])
