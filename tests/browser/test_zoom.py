"""Zooming into the board: fingers, keys, a button. Clicks still play."""

import pytest

from tests.browser.test_browser import new_table, until
from tests.browser.test_table_page import TWO_OF_ME, drop

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
WIDE = "document.querySelector('svg.scene').getBoundingClientRect().width / document.querySelector('#board').clientWidth"


@pytest.fixture
def phone(person):
    page = person(390, 844)
    new_table(page, "connect_four", TWO_OF_ME)
    page.wait_for_selector(".my-turn .glow")
    return page


def touch(page, *moves):
    """Fingers that move together: each of `moves` is a list of points."""
    fingers = page.context.new_cdp_session(page)
    for kind, points in zip(["touchStart", *["touchMove"] * (len(moves) - 1)], moves, strict=True):
        fingers.send(
            "Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(points)]}
        )
    fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_a_pinch_zooms_a_drag_moves_and_a_tap_still_plays(phone):
    assert phone.evaluate(WIDE) <= 1.01
    touch(phone, [(180, 400), (210, 400)], [(160, 400), (230, 400)], [(130, 400), (260, 400)])
    until(phone, f"{WIDE} > 2")
    before = phone.locator("#column-3").bounding_box()["x"]
    touch(phone, [(200, 400)], [(170, 400)], [(140, 400)])
    until(phone, f"document.querySelector('#column-3').getBoundingClientRect().x < {before} - 20")
    assert phone.locator("[id^=disc-]").count() == 0, "neither the pinch nor the drag has played"
    phone.touchscreen.tap(195, 430)
    until(phone, "document.querySelectorAll('[id^=disc-]').length === 1")
    assert phone.evaluate(WIDE) > 2, "a move keeps the zoom"
    phone.tap(".whole")
    until(phone, f"{WIDE} <= 1.01")
    assert not phone.is_visible(".whole")
    drop(phone, 6)


def test_each_tap_after_a_drag_plays(phone):
    """A drag that the browser took for a fling would swallow the next tap, one in four or so."""
    for _ in range(4):
        phone.keyboard.press("+")
    until(phone, f"{WIDE} > 3")
    for played in range(1, 7):
        start, end = (140, 240) if played % 2 else (240, 140)
        touch(phone, [(start, 400)], [((start + end) / 2, 400)], [(end, 400)])
        phone.wait_for_selector(".my-turn .glow")
        phone.touchscreen.tap(195, 430)
        until(phone, f"document.querySelectorAll('[id^=disc-]').length === {played}", 10)


def test_a_double_tap_zooms_only_where_nothing_can_be_clicked(phone):
    box = phone.locator("#board").bounding_box()
    for _ in range(2):
        phone.touchscreen.tap(box["x"] + 30, box["y"] + 12)
    until(phone, f"{WIDE} > 2")
    for _ in range(2):
        phone.touchscreen.tap(box["x"] + 30, box["y"] + 12)
    until(phone, f"{WIDE} <= 1.01")
    for discs, column in (1, 2), (2, 5):
        phone.wait_for_selector(f".my-turn #column-{column}.glow")
        phone.tap(f"#column-{column}")
        until(phone, f"document.querySelectorAll('[id^=disc-]').length === {discs}")
    assert phone.evaluate(WIDE) <= 1.01


def test_keys_zoom_and_the_focus_stays_in_sight(person):
    page = person()
    new_table(page, "connect_four", TWO_OF_ME)
    page.wait_for_selector(".my-turn .glow")
    for _ in range(3):
        page.keyboard.press("+")
    assert page.evaluate(WIDE) > 3
    page.focus("#column-0")
    page.keyboard.press("Tab")
    seen = page.locator("#column-1").bounding_box()
    board = page.locator("#board").bounding_box()
    assert board["x"] <= seen["x"] + seen["width"] / 2 <= board["x"] + board["width"]
    page.keyboard.press("-")
    assert page.evaluate(WIDE) > 2
    page.keyboard.press("0")
    assert page.evaluate(WIDE) <= 1.01
    page.click("#tab-chat")
    page.focus("#words")
    page.keyboard.type("+-0")
    assert page.input_value("#words") == "+-0"
    assert page.evaluate(WIDE) <= 1.01
    drop(page, 4)
