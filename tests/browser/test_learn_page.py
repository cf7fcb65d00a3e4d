"""The page of a lesson in a real Chromium."""

import pytest

import rulestone


def test_a_learner_can_skip_to_a_real_game(person):
    page = person()
    page.goto("/learn/connect_four")
    page.get_by_role("button", name="Skip to a real game").click()
    page.wait_for_url("**/t/*")
    page.get_by_text("Your turn, Red: choose a column.").first.wait_for()


def test_the_story_keeps_what_led_to_the_opponents_reply(person):
    page = person()
    page.goto("/learn/connect_four")
    page.locator("#column-3.glow").click()
    page.locator("#next").wait_for()
    assert page.locator("#story li").count() == 2


@pytest.mark.parametrize("name", rulestone.games())
def test_the_whole_board_of_a_lesson_is_on_the_screen(person, name):
    page = person()
    page.goto(f"/learn/{name}")
    picture, board = page.locator("section#board > svg.scene").bounding_box(), page.locator("section#board").bounding_box()
    assert picture["y"] + picture["height"] <= board["y"] + board["height"] + 1
    assert board["y"] + board["height"] <= 800
