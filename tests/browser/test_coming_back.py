"""Coming back and sharing, in a real browser: notifications, my games, two devices of one person, previews, replays on other sites."""

import http.server
import re
import threading

import pytest

from tests.browser.test_browser import new_table, until
from tests.browser.test_table_page import TWO_OF_ME, drop, text

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
SHOWN = (
    """async () => (await (await navigator.serviceWorker.ready).getNotifications()).map((note) => [note.title, note.body, note.data.url])"""
)
COVERED = """(parts) => parts.filter((one) => {
  const box = one.getBoundingClientRect();
  return !one.contains(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2));
}).map((one) => one.outerHTML)"""
HIDE = "Object.defineProperty(document, 'hidden', {get: () => true})"


def against_a_friend(page, friend, **more):
    table = new_table(page, "connect_four", [{"kind": "me"}, {"kind": "open"}], **more)
    friend.goto(f"/t/{table}")
    friend.click("#choices >> text=Take Blue's seat")
    page.wait_for_selector(".my-turn #column-3.glow")
    return table


def finished(page, **more):
    table = new_table(page, "connect_four", TWO_OF_ME, options={"line": 3}, **more)
    for column in (0, 1, 0, 1, 0):
        state = page.request.get(f"/api/tables/{table}").json()["state"]
        page.request.post(f"/api/tables/{table}/moves", data={"at": state["at"], "move": f"drop {column}"})
    return table


def test_a_player_who_looks_away_is_notified(person, server, shoot):
    page, friend = person(permissions=["notifications"]), person(name="Ben")
    table = against_a_friend(page, friend, name="Sunday")
    page.click("#menu summary")
    page.check("#notify")
    until(page, "navigator.serviceWorker.controller !== null || navigator.serviceWorker.ready.then(() => true)")
    page.keyboard.press("Escape")
    drop(page, 3)
    friend.wait_for_selector(".my-turn #column-3.glow")
    friend.click("#column-3")
    page.wait_for_selector(".my-turn #column-3.glow")
    assert page.evaluate(SHOWN) == [], "whoever looks at the table needs no notification"
    drop(page, 2)
    page.evaluate(HIDE)
    friend.wait_for_selector(".my-turn #column-4.glow")
    friend.click("#column-4")
    until(page, f"({SHOWN})().then((notes) => notes.length)")
    assert page.evaluate(SHOWN) == [["Your turn", "It’s your turn in Connect Four at table “Sunday”.", f"/t/{table}"]]


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)], ids=["desktop", "phone"])
def test_the_table_asks_once_after_a_move_against_a_person(person, shoot, size):
    page, friend = person(*size), person(name="Ben")
    page.add_init_script("Object.defineProperty(Notification, 'permission', {get: () => 'default'})")
    against_a_friend(page, friend)
    assert page.locator("#nudge").count() == 0
    drop(page, 3)
    page.wait_for_selector("#nudge")
    shoot(page, f"nudge-{size[0]}")
    page.click("#menu summary")
    assert page.locator(".menu-box button:visible, .menu-box select:visible, .menu-box a:visible").evaluate_all(COVERED) == []
    page.keyboard.press("Escape")
    page.click("#undo")
    page.wait_for_selector("#request:not([hidden])")
    assert page.is_hidden("#nudge"), "a request comes first"
    page.click("#request >> text=Withdraw")
    page.click("#nudge >> text=No, thanks")
    friend.wait_for_selector(".my-turn #column-3.glow")
    friend.click("#column-3")
    drop(page, 2)
    assert page.locator("#nudge").count() == 0


def test_a_game_against_bots_does_not_ask(person):
    page = person()
    page.add_init_script("Object.defineProperty(Notification, 'permission', {get: () => 'default'})")
    new_table(page, "connect_four", [{"kind": "me"}, {"kind": "bot", "bot": "random"}])
    page.click("#column-3")
    until(page, "document.querySelectorAll('[id^=disc-]').length === 2")
    assert page.locator("#nudge").count() == 0


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)], ids=["desktop", "phone"])
def test_my_games_show_what_is_urgent_in_my_time_zone(person, shoot, size):
    page, friend = person(*size, timezone_id="Pacific/Kiritimati"), person(name="Ben")
    slow = against_a_friend(page, friend, clock={"kind": "move", "seconds": 3 * 24 * 3600}, name="Slow and steady")
    finished(page)
    page.goto(f"/t/{slow}")
    until(page, "/^by .*\\d\\d:\\d\\d$/.test(document.querySelector('.plate.turn .clock')?.textContent)")
    zone = "new Intl.DateTimeFormat('en-GB', {weekday: 'long'}).format(new Date(Date.now() + 3 * 864e5))"
    assert page.evaluate(zone) in text(page, ".plate.turn .clock")
    assert text(page, ".plate:not(.turn) .clock") == "3 days"
    shoot(page, f"slow-table-{size[0]}")
    page.goto("/my/games")
    assert page.title() == "(1) My games · Rulestone"
    until(page, "/^by /.test(document.querySelector('[data-due]').textContent)")
    assert page.locator("#urgent + .rows .row").count() == 1
    shoot(page, f"my-games-{size[0]}")
    state = page.request.get(f"/api/tables/{slow}").json()["state"]
    page.request.post(f"/api/tables/{slow}/moves", data={"at": state["at"], "move": "drop 3"})
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    until(page, "document.title === 'My games · Rulestone'")


def test_a_phone_gets_the_games_of_the_laptop_and_can_be_signed_out(person, server, shoot):
    laptop, phone = person(name="Anna"), person(390, 844, name="")
    laptop.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=server.address)
    table = new_table(laptop, "connect_four", [{"kind": "me"}, {"kind": "open"}])
    laptop.goto("/my/devices")
    laptop.wait_for_selector("#devices li")
    assert laptop.input_value("#name") == "Anna"
    laptop.click("text=Link another device")
    laptop.wait_for_selector("#qr[src^='data:image/svg']")
    assert "Only this computer can open it" in text(laptop, "#says")
    shoot(laptop, "devices-1280")
    laptop.click("#copy")
    link = laptop.evaluate("navigator.clipboard.readText()")
    phone.goto(link)
    phone.wait_for_selector("text=Play as Anna on this device?")
    assert "#" not in phone.url, "the code is gone from the address"
    shoot(phone, "link-390")
    phone.click("#use")
    phone.wait_for_url(re.compile("/my/games"))
    assert phone.evaluate("localStorage.name") == "Anna"
    assert phone.locator(f"a[href='/t/{table}']").count() == 1
    laptop.wait_for_selector("#devices li:nth-child(2)")
    phone.goto("/link")
    phone.wait_for_selector("h1 >> text=That didn't work")
    assert laptop.is_hidden("#link"), "the link has done its work"
    phone.goto("/my/devices")
    phone.wait_for_selector("#devices li:nth-child(2)")
    shoot(phone, "devices-390")
    phone.goto(f"/t/{table}")
    phone.wait_for_selector(".plate >> text=you")
    laptop.click("#devices li:nth-child(2) button")
    phone.wait_for_selector("text=This device is signed out.")
    phone.goto("/my/games")
    assert phone.locator(f"a[href='/t/{table}']").count() == 0


def test_a_person_can_be_forgotten(person):
    page = person(name="Anna")
    new_table(page, "connect_four", [{"kind": "me"}, {"kind": "open"}])
    page.goto("/my/devices")
    page.wait_for_selector("#devices li")
    page.click("#forget")
    page.click("#sure >> text=Cancel")
    assert "/my/devices" in page.url
    page.click("#forget")
    page.click("#sure button[value=yes]")
    page.wait_for_url(re.compile("/$"))
    assert page.locator("#mine").count() == 0
    assert page.evaluate("localStorage.name") == ""


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)], ids=["desktop", "phone"])
def test_the_share_dialog_says_who_can_open_the_link(person, server, shoot, size):
    page = person(*size)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=server.address)
    table = finished(page)
    page.goto(f"/t/{table}")
    page.wait_for_selector(".ended")
    page.click("#choices >> text=Share")
    page.wait_for_selector("dialog.share[open] img")
    until(page, "document.querySelector('dialog.share img').naturalWidth === 1200")
    assert "Only this computer can open the link." in text(page, "#share-who")
    shoot(page, f"share-{size[0]}")
    page.click("dialog.share >> text=Copy link")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == f"{server.address}/t/{table}/replay#end"
    stranger = person(*size)
    stranger.goto(link)
    until(stranger, "document.querySelectorAll('[id^=disc-]').length === 5")
    assert "Red wins." in text(stranger, "#prompt")
    assert stranger.input_value("#where") == "5"
    shoot(stranger, f"shared-replay-{size[0]}")


def test_a_finished_game_can_be_saved_as_an_animated_picture(person, shoot):
    page = person()
    table = finished(page)
    page.goto(f"/t/{table}/replay")
    page.click("#share")
    with page.expect_download() as download:
        page.click("dialog.share >> text=Animated picture")
    saved = download.value.path().read_text()
    assert saved.startswith("<svg")
    assert "@keyframes" in saved
    page.goto("/about")
    page.evaluate(f"document.querySelector('main').innerHTML = '<img src=/t/{table}/game.svg>'")
    until(page, "document.querySelector('main img').naturalWidth > 100")
    shoot(page, "animated")


def test_another_site_can_show_a_replay(person, chromium, server, shoot):
    """The frame has no cookies of ours, and plays the whole game."""
    page = person()
    table = finished(page)

    class Blog(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            body = (
                f"<!doctype html><title>A blog</title><iframe src='{server.address}/embed/{table}' width=640 height=560></iframe>".encode()
            )
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    blog = http.server.HTTPServer(("127.0.0.1", 0), Blog)
    threading.Thread(target=blog.serve_forever, daemon=True).start()
    try:
        reader, problems = chromium.new_context().new_page(), []
        reader.on("pageerror", lambda problem: problems.append(str(problem)))
        reader.goto(f"http://127.0.0.1:{blog.server_port}/")
        frame = reader.frame_locator("iframe")
        frame.locator("#prompt >> text=Red wins.").wait_for()
        assert frame.locator("[id^=disc-]").count() == 5
        reader.wait_for_timeout(800)  # the discs land
        shoot(reader, "embedded")
        frame.locator("#first").click()
        frame.locator("#prompt >> text=Move 0 of 5").wait_for()
        frame.locator("#next").click()
        frame.locator("[id^=disc-]").first.wait_for()
        assert reader.context.cookies(server.address) == []
        assert problems == []
        reader.context.close()
    finally:
        blog.shutdown()
        blog.server_close()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing_serious_on_the_new_pages(person, dark):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    page = person(dark=dark, bypass_csp=True)
    table = finished(page)
    new_table(page, "connect_four", TWO_OF_ME, clock={"kind": "move", "seconds": 86400})
    for path, ready in (
        ("/my/games", "#urgent"),
        ("/my/devices", "#devices li"),
        ("/link", "text=needs a link"),
        (f"/embed/{table}", "[id^=disc-]"),
        (f"/t/{table}/replay", "#curve svg"),
        (f"/t/{table}", ".ended"),
    ):
        page.goto(path)
        page.wait_for_selector(ready)
        if "/my/devices" in path:
            page.click("text=Link another device")
            page.wait_for_selector("#qr[src^=data]")
        if path == f"/t/{table}":
            page.click("#choices >> text=Share")
            page.wait_for_selector("dialog.share[open]")
        found = axe.Axe().run(page).response["violations"]
        serious = [violation for violation in found if violation["impact"] in ("serious", "critical")]
        assert [(violation["id"], [node["html"][:160] for node in violation["nodes"]]) for violation in serious] == [], path
