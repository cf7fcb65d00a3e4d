"""The page of a lesson in a real Chromium."""


def test_a_learner_can_skip_to_a_real_game(person):
    page = person()
    page.goto("/learn/connect_four")
    page.get_by_role("button", name="Skip to a real game").click()
    page.wait_for_url("**/t/*")
    page.get_by_text("Your turn, Red: choose a column.").first.wait_for()


def test_the_story_keeps_what_led_to_the_opponents_reply(person):
    page = person()
    page.goto("/learn/connect_four")
    page.locator("#column-3").click()
    page.locator("#next").wait_for()
    assert page.locator("#story li").count() == 2
