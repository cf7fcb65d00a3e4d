"""Playing without the picture: whole games by keyboard alone, with nothing but the words that a screen reader finds on the page."""

import random
import time

import pytest

import rulestone
from tests.browser.test_browser import new_table, until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
SHORT = {"laps": 1, "max_rounds": 4, "cap_turns": 12}
"""Options that make a game short, by their usual names; or as close as a game allows."""


def short_options(game):
    wished = {name: SHORT[name] for name in game.options if name in SHORT}
    return {name: max(value, min(game.options[name].choices)) for name, value in wished.items()}


def focus(page):
    """What has the focus: its role or tag, and its words."""
    return page.evaluate("(() => { const on = document.activeElement; return [on.tagName, on.textContent.trim()]; })()")


def tab_to(page, words, most=120):
    """Press Tab until a button has the focus; only the keyboard is used. False if the button is gone: somebody else was quicker."""
    for _ in range(most):
        if focus(page) == ["BUTTON", words]:
            return True
        page.keyboard.press("Tab")
    assert not page.get_by_role("button", name=words, exact=True).count(), f"Tab never reaches {words!r}"
    return False


def open_words(page):
    """From the top of the page, as a newcomer would find it."""
    page.keyboard.press("Tab")
    tab_to(page, "Board in words", 3)
    assert page.get_by_role("button", name="Board in words", pressed=False).count()
    page.keyboard.press("Enter")
    page.get_by_role("region", name="Board in words").get_by_role("heading").first.wait_for()


def test_a_lesson_by_keyboard_with_the_words_of_the_page_only(person):
    page = person()
    page.goto("/learn/connect_four")
    page.locator("#movelist button").first.wait_for(state="attached")
    open_words(page)
    moves, says = page.get_by_role("region", name="Your moves"), page.get_by_role("status")
    assert moves.get_by_role("button").count() == 7
    for move in ("Drop into column 1", "Drop into column 4"):
        before = says.inner_text()
        tab_to(page, move)
        page.keyboard.press("Enter")
        until(page, f"document.querySelector('#prompt').textContent !== {before!r}")
        assert focus(page)[1] in ("Your moves", "Next")
    until(page, "document.activeElement.id === 'next'")
    board = page.get_by_role("region", name="Board in words").inner_text
    assert board().count("Red") == 1
    page.keyboard.press("Enter")
    until(page, "document.querySelector('#step').textContent.startsWith('Step 2')")
    assert {"Red", "Blue"} <= set(board().split())


def test_a_replay_can_be_read(person):
    page = person()
    table = new_table(page, "connect_four", [{"kind": "me"}, {"kind": "me"}])
    state = page.request.get(f"/api/tables/{table}").json()["state"]
    page.request.post(f"/api/tables/{table}/moves", data={"at": state["at"], "move": "drop 3"})
    page.goto(f"/t/{table}/replay")
    until(page, "document.querySelectorAll('#story li').length === 1")
    open_words(page)
    board = page.get_by_role("region", name="Board in words").inner_text
    assert "Red" not in board()
    page.keyboard.press("End")
    page.get_by_role("cell", name="Red").wait_for()
    page.keyboard.press("Home")
    page.get_by_role("cell", name="Red").wait_for(state="detached")


@pytest.mark.parametrize("name", rulestone.games())
def test_a_whole_game_by_keyboard_with_the_words_of_the_page_only(person, shoot, name):
    page, game, chooser = person(), rulestone.load(name), random.Random(3)
    bots = [{"kind": "bot", "bot": "random"}] * (game.min_players - 1)
    new_table(page, name, [{"kind": "me"}, *bots], options=short_options(game))
    open_words(page)
    board = page.get_by_role("region", name="Board in words")
    buttons = page.get_by_role("region", name="Your moves").get_by_role("button")
    over, seen, made, end = page.get_by_role("button", name="Rematch"), set(), 0, time.monotonic() + 400
    while not over.count():
        assert time.monotonic() < end, "the game doesn't end"
        moves = buttons.all_text_contents()
        if not moves:
            page.wait_for_timeout(20)
            continue
        assert len(set(moves)) == len(moves), "two moves have the same name"
        seen.add(board.inner_text())
        if made == 3:
            shoot(page, f"words-{name}")
        move = chooser.choice(moves)
        page.evaluate("document.querySelector('#movelist').firstChild.dataset.turn = 'old'")
        if not tab_to(page, move):
            continue
        page.keyboard.press("Enter")
        if (asked := page.get_by_role("button", name="No, go back")).count() and asked.is_visible():
            assert focus(page) == ["BUTTON", move], "the question has the focus"
            page.keyboard.press("Enter")
        made += 1
        until(page, "!document.querySelector('#movelist [data-turn=old]')")
        until(page, "document.activeElement !== document.body")
        assert focus(page)[1] in ("Your moves", *buttons.all_text_contents()), "whoever chose a move stays at the moves"
    assert len(seen) > made / 2, "the words follow the game"
    assert page.get_by_role("log").inner_text()
    assert page.get_by_role("status").inner_text()
