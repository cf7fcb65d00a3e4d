"""Series, chat and manners in real browsers: two players and a spectator at one table, on a desktop and on a phone."""

import pytest

from tests.browser.test_browser import new_table, until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def table_for_two(anna, ben, **more):
    table = new_table(anna, "connect_four", [{"kind": "me", "name": "Anna"}, {"kind": "open"}], options={"line": 3}, **more)
    ben.goto(f"/t/{table}")
    ben.click("#choices >> text=/Take .*'s seat/")
    until(ben, "document.querySelectorAll('.plate-do').length === 0")
    return table


def play_out(table, *pages):
    """The first seat wins, once everybody's browser has had its part in the dice."""
    until(pages[0], f"fetch('/api/tables/{table}').then((answer) => answer.json()).then((told) => told.table.started)")
    for k, column in enumerate((0, 1, 0, 1, 0)):
        for page in pages:
            told = page.request.get(f"/api/tables/{table}").json()
            if told["table"]["seats"][k % 2]["mine"]:
                assert page.request.post(f"/api/tables/{table}/moves", data={"at": told["state"]["at"], "move": column}).ok


def serious(page):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    found = [one for one in axe.Axe().run(page).response["violations"] if one["impact"] in ("serious", "critical")]
    return [(one["id"], [node["html"][:160] for node in one["nodes"]]) for one in found]


def said(page):
    return [line.strip() for line in page.locator("#chat li").all_text_contents()]


def test_a_series_from_the_form_to_its_last_game(person, shoot):
    anna, ben = person(name="Anna", bypass_csp=True), person(390, 844, name="Ben", bypass_csp=True)
    anna.goto("/new/connect_four")
    anna.select_option("[name=seat1]", "open")
    anna.select_option("[name=series]", "length")
    assert anna.input_value("[name=many]") == "3"
    assert "Games in the series" in anna.inner_text("#series-many")
    shoot(anna, "series-form")
    anna.select_option("[name='option:line']", "3")
    anna.click("[type=submit]")
    anna.wait_for_selector(".plate")
    ben.goto(anna.url)
    ben.click("#choices >> text=/Take .*'s seat/")
    until(ben, "document.querySelectorAll('.plate-do').length === 0")
    assert "Game 1 · Best of 3" in ben.inner_text("#players")
    for number, points in ((1, ["1", "0"]), (2, ["1", "1"]), (3, ["2", "1"])):
        play_out(anna.url.rpartition("/")[2], anna, ben)
        ben.wait_for_selector(".ended")
        until(ben, f"[...document.querySelectorAll('.score')].map((one) => parseInt(one.textContent)).join() === '{','.join(points)}'")
        if number < 3:
            ben.wait_for_selector("#choices >> text=Next game")
            assert [int(one.rpartition(" ")[2]) for one in ben.locator("#prompt .rank").all_inner_texts()] == sorted(map(int, points))[::-1]
            mark, said = (anna.locator(part).bounding_box() for part in ("#turn", "#prompt"))
            assert said["y"] < mark["y"] + mark["height"], "the winner's mark stands beside the sentence"
            if number == 1:
                shoot(anna, "series-next-1280")
                shoot(ben, "series-next-390")
            ben.click("#choices >> text=Next game")
            anna.click("#choices >> text=Go to the next game")
            for page in (anna, ben):
                page.wait_for_selector(f"text=Game {number + 1} · Best of 3")
    for page, size in ((anna, 1280), (ben, 390)):
        page.wait_for_selector(".series-end")
        assert "Anna wins the series 2 : 1." in page.inner_text("#prompt")
        page.wait_for_timeout(900)
        shoot(page, f"series-end-{size}")
        assert page.locator("#choices >> text=Play another series").count() == 1
    assert serious(ben) == []
    for page, size in ((anna, 1280), (ben, 390)):
        page.click("#choices >> text=All games")
        page.wait_for_selector(".scores")
        assert page.locator(".scores tbody tr").count() == 3
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert serious(page) == []
        shoot(page, f"series-page-{size}")
    ben.click(".scores >> text=Game 2")
    ben.wait_for_selector(".replay")


def test_spectators_talk_apart_until_the_game_is_over(person, shoot):
    anna, ben, tom = person(name="Anna"), person(390, 844, name="Ben", bypass_csp=True), person(name="Tom")
    table = table_for_two(anna, ben)
    assert serious(ben) == []
    tom.goto(f"/t/{table}")
    tom.click("#tab-chat")
    tom.wait_for_selector("#chat-note >> text=Only spectators")
    tom.fill("#words", "She should play 0")
    tom.keyboard.press("Enter")
    until(tom, "document.querySelectorAll('#chat li').length === 1")
    anna.click("#tab-chat")
    anna.click("#quick >> text=Hello")
    ben.wait_for_selector(".bubble >> text=Hello")  # Ben's chat is closed, so Anna's plate shows it
    shoot(ben, "people-bubble-390")
    ben.tap("#tab-chat")
    assert ben.is_hidden(".bubble"), "the chat itself shows it now"
    until(tom, "document.querySelectorAll('#chat li').length === 2")
    assert said(anna) == ["Anna Hello"]
    shoot(tom, "people-chat-1280")
    play_out(table, anna, ben)
    until(anna, "document.querySelectorAll('#chat li').length === 2")
    assert said(anna) == ["Tom watching She should play 0", "Anna Hello"]


def test_quick_words_can_be_said_with_the_keyboard(person):
    page = person(name="Anna")
    new_table(page, "connect_four", [{"kind": "me", "name": "Anna"}, {"kind": "me"}])
    page.focus("#tab-chat")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")  # the chat
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Hello"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    until(page, "document.querySelectorAll('#chat li').length === 1")
    assert said(page) == ["Anna Well played!"]


def test_a_spectator_with_a_players_name_is_asked_for_another(person):
    anna, ben, tom = person(name="Anna"), person(name="Ben"), person(name="anna")
    table = table_for_two(anna, ben)
    tom.goto(f"/t/{table}")
    tom.click("#tab-chat")
    tom.fill("#words", "Hi all")
    tom.keyboard.press("Enter")
    tom.wait_for_selector("#chat-name")
    assert "anna is the name of a player here" in tom.inner_text(".people")
    tom.fill("#chat-name", "Tom")
    tom.keyboard.press("Enter")
    until(tom, "document.querySelectorAll('#chat li').length === 1")
    assert said(tom) == ["Tom watching Hi all"]


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)], ids=["desktop", "phone"])
def test_muting_reporting_and_removing(person, shoot, server, size):
    anna, ben, tom = person(*size, name="Anna", bypass_csp=True), person(name="Ben"), person(name="Tom")
    table = table_for_two(anna, ben)
    tom.goto(f"/t/{table}")
    ben.click("#tab-chat")
    for text in ("You play like my cat", "No offence"):
        ben.fill("#words", text)
        ben.keyboard.press("Enter")
    anna.click("#tab-chat")
    until(anna, "document.querySelectorAll('#chat li').length === 2")
    shoot(anna, f"people-chat-{size[0]}-player")

    anna.click("#chat .author >> nth=0")
    anna.wait_for_selector(".people[open]")
    assert serious(anna) == []
    shoot(anna, f"people-person-{size[0]}")
    anna.click("text=Report this message")
    anna.select_option("#report-reason", "Rude or hateful")
    shoot(anna, f"people-report-{size[0]}")
    anna.click("text=Send report")
    anna.wait_for_selector("#toast:not([hidden])")
    assert '"text": "You play like my cat", "reason": "Rude or hateful"' in (server.folder / "reports.jsonl").read_text()

    anna.click("#chat .author >> nth=0")
    anna.click(".people >> text=Mute")
    until(anna, "document.querySelectorAll('#chat li').length === 0")
    assert "You have muted 1 person." in anna.inner_text("#chat-note")
    anna.reload()
    anna.click("#tab-chat")
    until(anna, "document.querySelector('#chat-note').textContent.includes('muted 1')")
    assert said(anna) == []

    anna.click("#people")
    anna.wait_for_selector(".people-list")
    assert serious(anna) == []
    assert "muted" in anna.inner_text(".people-list")
    shoot(anna, f"people-list-{size[0]}")
    anna.click(".people-list li:has-text('A spectator') button")
    anna.click("text=Remove from the table")
    anna.wait_for_selector("text=Remove A spectator?")
    anna.click(".people .primary")
    tom.wait_for_selector("text=The host has removed you from this table.")
    assert tom.request.get(f"/t/{table}").status == 403

    anna.click("#people")
    anna.click("text=Close the chat for everybody")
    until(ben, "document.querySelector('#words').disabled")
    assert "The host has closed the chat." in ben.inner_text("#chat-note")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing_serious_in_the_chat(person, dark):
    page = person(name="Anna", dark=dark, bypass_csp=True)
    new_table(page, "connect_four", [{"kind": "me", "name": "Anna"}, {"kind": "me"}], series={"length": 3})
    page.click("#tab-chat")
    page.click("#quick >> text=Hello")
    until(page, "document.querySelectorAll('#chat li').length === 1")
    assert serious(page) == []
