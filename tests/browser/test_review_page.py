"""The review on the replay page: its turning points open on the board with both moves drawn, and can be tried again."""

import re

import pytest

from tests.browser.test_table_page import TWO_OF_ME, new_table, text, until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def option(label, chance, *picks):
    return {"label": label, "chance": chance, "picks": list(picks)}


REVIEW = {
    "accounts": [
        {"name": "Red", "start": 0.55, "own": 0, "others": 0.4, "luck": 0.05, "result": 1, "accuracy": 100},
        {"name": "Blue", "start": 0.45, "own": -0.4, "others": 0, "luck": -0.05, "result": 0, "accuracy": 61.4},
    ],
    "decisions": [
        {
            "index": 3,
            "player": 1,
            "verdict": "blunder",
            "sentence": "Move 4: Drop into column 2 kept 0 %; Drop into column 1 would have kept 40 %.",
            "played": option("Drop into column 2", 0.0, "column-1"),
            "best": option("Drop into column 1", 0.4, "column-0"),
        }
    ],
    "turning_points": [3],
}


def test_a_turning_point_opens_on_the_board_and_can_be_tried_again(person):
    page = person()
    table = new_table(page, "connect_four", TWO_OF_ME, options={"line": 3})
    for column in (0, 1, 0, 1, 0):
        state = page.request.get(f"/api/tables/{table}").json()["state"]
        page.request.post(f"/api/tables/{table}/moves", data={"at": state["at"], "move": f"drop {column}"})
    answers = [{"state": "none"}, {"state": "thinking", "done": 2, "total": 5, "ahead": 0}, {"state": "done", "review": REVIEW}]
    asked = []

    def answer(route):
        asked.append(route.request.method)
        route.fulfill(json=answers[min(len(asked), len(answers)) - 1])

    page.route("**/review", answer)
    page.goto(f"/t/{table}/replay")
    page.click("text=Review this game")
    until(page, "document.querySelector('#review [role=status]')?.textContent.includes('decision 2 of 5')")
    page.wait_for_selector(".turning-points")
    assert asked == ["GET", "POST", "GET"]
    assert "−40" in text(page, ".accounts")
    page.click(".turning-points .plain")
    until(page, "document.querySelectorAll('.marks rect').length === 2")
    assert page.evaluate("[document.querySelector('#eyes').value, document.querySelector('#where').value]") == ["1", "3"]
    assert "Better: Drop into column 1" in text(page, "#prompt")
    page.click("#next")
    until(page, "!document.querySelector('.marks')")
    page.click(".turning-points .quiet")
    page.wait_for_url(re.compile(r"/t/\w+$"))
    assert page.request.get(f"/api/tables/{page.url.rsplit('/', 1)[1]}").json()["state"]["ply"] == 3
