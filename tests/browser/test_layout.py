"""Where things are on the table page: on wide screens everything to read is next to the board, on phones everything fits the screen."""

import pytest

from tests.browser.test_browser import ALL_MINE, new_table
from tests.browser.test_table_page import TWO_OF_ME, drop

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
BOXES = """() => Object.fromEntries(["#board", "#goal", "#prompt", "#players", ".side", ".tabs", ".helpers"].map((name) => {
  const {left, top, right, bottom} = document.querySelector(name).getBoundingClientRect();
  return [name.slice(1), {left, top, right, bottom}];
}))"""


def sit(page, name, seats):
    """A new table, with the first player's screen open."""
    table = new_table(page, name, seats)
    page.wait_for_selector(".plate")
    if page.is_visible("#curtain button"):
        page.click("#curtain button")
    page.wait_for_selector(".my-turn")
    return table


@pytest.mark.parametrize("name", sorted(ALL_MINE))
def test_on_a_wide_screen_goal_and_prompt_are_next_to_the_top_of_the_board(person, name):
    page = person()
    sit(page, name, ALL_MINE[name])
    boxes = page.evaluate(BOXES)
    for box in (boxes["goal"], boxes["prompt"]):
        assert 0 < box["left"] - boxes["board"]["right"] < 90
        assert box["bottom"] < 230
    assert boxes["prompt"]["bottom"] < boxes["players"]["top"] < boxes["side"]["top"]


def test_the_story_takes_no_more_room_than_it_needs(person):
    page = person()
    new_table(page, "connect_four", TWO_OF_ME)
    page.wait_for_selector(".my-turn")
    assert page.locator(".side").bounding_box()["height"] < 200
    drop(page, 0, 0)
    few = page.locator(".side").bounding_box()["height"]
    drop(page, 1, 1, 2, 2)
    many = page.locator(".side").bounding_box()["height"]
    assert few < many < 400


@pytest.mark.parametrize("size", [(375, 667), (390, 844)])
@pytest.mark.parametrize("name", sorted(ALL_MINE))
def test_on_a_phone_the_prompt_covers_nothing_and_no_name_is_cut(person, name, size):
    page = person(*size)
    seats = [{**seat, "name": f"Person {'i' * 10} {k}"} for k, seat in enumerate(ALL_MINE[name])]
    sit(page, name, seats)
    boxes = page.evaluate(BOXES)
    assert boxes["players"]["bottom"] <= boxes["board"]["top"] + 1
    assert boxes["board"]["bottom"] <= boxes["goal"]["top"] + 1
    assert boxes["goal"]["bottom"] <= boxes["prompt"]["top"] + 1
    assert boxes["tabs"]["bottom"] <= size[1] + 1
    assert boxes["tabs"]["right"] <= boxes["helpers"]["left"] + 1
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    cut = "names => names.filter((name) => name.scrollWidth > name.clientWidth + 1).map((name) => name.textContent)"
    assert page.eval_on_selector_all(".plate-name, .plate-name *", cut) == []


def test_on_a_phone_the_story_opens_over_the_board_and_closes_again(person):
    page = person(390, 844)
    new_table(page, "connect_four", TWO_OF_ME)
    drop(page, 0)
    story = page.locator("#story li")
    assert not story.is_visible()
    page.tap("#tab-story")
    assert story.is_visible()
    page.tap("#tab-chat")
    assert page.is_visible("#words")
    page.tap("#tab-chat")
    assert not page.is_visible("#words")
    page.tap("#tab-story")
    page.keyboard.press("Escape")
    assert not story.is_visible()
    page.tap("#tab-story")
    page.tap("#players")
    assert not story.is_visible()


def test_goods_that_the_board_shows_are_on_the_plates_only_after_a_click(person):
    page = person()
    sit(page, "artifact", TWO_OF_ME)
    goods = page.locator(".goods").first
    assert not goods.is_visible()
    page.click(".plate >> nth=0")
    assert "6 cards" in goods.inner_text()


def test_the_end_shows_the_winners_mark_and_what_comes_next(person, shoot):
    page = person()
    new_table(page, "connect_four", TWO_OF_ME, options={"line": 3})
    drop(page, 0, 1, 0, 1, 0)
    page.wait_for_selector(".ended")
    assert page.locator("#turn path.f-seat0").count() == 1
    assert page.locator("#turn path").count() == 1
    assert page.locator("#choices > *").all_inner_texts() == ["Rematch", "Review", "Share"]
    mark, result = (page.locator(part).bounding_box() for part in ("#turn", "#prompt strong"))
    assert result["y"] < mark["y"] + mark["height"], "the result stands beside the mark"
    shoot(page, "the-end")


@pytest.mark.parametrize("width", [390, 360, 320])
def test_no_page_with_the_site_header_scrolls_sideways(person, width):
    page = person(width, 800)
    for path in ("/new/connect_four", "/my/games"):
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path


def test_on_a_short_phone_the_whole_menu_can_be_reached(person):
    page = person(375, 500)
    new_table(page, "connect_four", [{"kind": "me"}, {"kind": "bot", "bot": "random"}])
    page.tap("#menu summary")
    box = page.locator(".menu-box").bounding_box()
    assert box["y"] + box["height"] <= 500
    page.tap("#leave [data-end=resign]")
    page.tap("dialog[open] >> text=Cancel")
