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


def change(page, path, edit):
    """Let a page get an answer that `edit` has changed."""

    def answer(route):
        real = route.fetch()
        said = real.json()
        edit(said)
        route.fulfill(response=real, json=said)

    page.route(path, answer)


def question(moves):
    """Let every move ask whether it is really meant."""
    for move in moves:
        move["sure"] = "Really?"


def answer_twice(page):
    """Choose a move and press yes twice, as fast as a double click."""
    page.locator("#column-3.glow").click()
    page.locator("#choices .primary").evaluate("(yes) => { yes.click(); yes.click(); }")


def test_a_double_click_on_yes_answers_once_in_a_lesson(person):
    page, sent = person(), []
    change(page, "**/lesson/0?*", lambda said: question(said["frame"]["moves"]) if "frame" in said else None)
    page.on("request", lambda request: sent.append(request.post_data_json) if request.method == "POST" else None)
    page.goto("/learn/connect_four")
    answer_twice(page)
    page.locator("#next").wait_for()
    assert sent == [{"move": 3}]
    assert page.locator("#toast").is_hidden()


def test_a_double_click_on_yes_does_not_give_a_puzzle_away(person):
    page, sent = person(), []
    today = page.request.get("/api/puzzles/connect_four").json()
    position = page.request.get("/api/games/connect_four/lesson/0").json()["frame"]
    question(position["moves"])
    page.route("**/api/puzzles/connect_four", lambda route: route.fulfill(json={**today, "state": position}))
    page.route("**/api/puzzles/connect_four/*", lambda route: route.fulfill(json={"right": False, "says": "No."}))
    page.on("request", lambda request: sent.append(request.post_data_json) if request.method == "POST" else None)
    page.goto("/puzzles/connect_four")
    answer_twice(page)
    page.get_by_text("? No.").wait_for()
    assert sent == [{"move": "drop 3"}]


def test_a_move_that_has_only_a_button_is_lit_up_there(person):
    def without_places(said):
        said.update(button=3, glow=[])
        for move in said["frame"]["moves"]:
            move["picks"] = []

    page = person()
    change(page, "**/lesson/0?*", without_places)
    page.goto("/learn/connect_four")
    page.locator("#choices .hinted").wait_for()
    assert page.locator("#choices .hinted").all_text_contents() == ["Drop into column 4"]


@pytest.mark.parametrize("name", rulestone.games())
def test_the_whole_board_of_a_lesson_is_on_the_screen(person, name):
    page = person()
    page.goto(f"/learn/{name}")
    picture, board = page.locator("section#board > svg.scene").bounding_box(), page.locator("section#board").bounding_box()
    assert picture["y"] + picture["height"] <= board["y"] + board["height"] + 1
    assert board["y"] + board["height"] <= 800
