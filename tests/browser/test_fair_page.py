"""Fair play in two real browsers at one table: asking to undo, resigning, draws, leaving, and what is offered when."""

import pytest

import rulestone
from tests.browser.test_browser import new_table, until
from tests.browser.test_table_page import drop, text, two_at_a_table

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def calm(page):
    """Axe finds nothing serious on the page as it is."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    serious = [found for found in axe.Axe().run(page).response["violations"] if found["impact"] in ("serious", "critical")]
    assert [(found["id"], [node["html"][:160] for node in found["nodes"]]) for found in serious] == []


def choose(page, verb):
    page.click("#menu summary")
    page.click(f"#leave [data-end={verb}]")
    page.wait_for_selector("dialog[open]")


def test_two_people_ask_each_other_before_a_move_is_undone(person, shoot):
    host, guest = two_at_a_table(person, "connect_four")
    drop(host, 3)
    host.click("#undo:not([hidden])")
    host.wait_for_selector("#request >> text=You've asked to undo your last move.")
    guest.wait_for_selector("#request >> text=Red would like to undo their last move.")
    shoot(guest, "fair-request-1280")
    guest.click("#request >> text=Decline")
    host.wait_for_selector("#toast >> text=Blue declined.")
    assert host.locator("#request, #undo").evaluate_all("parts => parts.every((part) => part.hidden)")
    drop(guest, 3)
    drop(host, 4)
    host.click("#undo:not([hidden])")
    assert text(host, "#undo") == "Ask to undo"
    guest.click("#request >> text=Agree")
    until(host, "document.querySelectorAll('[id^=disc-]').length === 2")
    host.wait_for_selector(".my-turn #column-3.glow")
    host.wait_for_selector("#toast >> text=Red's last move was undone: everybody agreed.")
    assert guest.locator("#request").is_hidden()


def test_a_request_lapses_with_the_next_move_and_can_be_withdrawn(person):
    host, guest = two_at_a_table(person, "connect_four")
    drop(host, 3)
    host.click("#undo:not([hidden])")
    guest.wait_for_selector("#request >> text=Agree")
    drop(guest, 3)
    for page in (host, guest):
        page.wait_for_selector("#request", state="hidden")
    choose(host, "draw")
    host.click("dialog >> text=/^Offer a draw$/ >> nth=-1")
    guest.wait_for_selector("#request >> text=Red offers a draw.")
    host.click("#request >> text=Withdraw")
    guest.wait_for_selector("#request", state="hidden")


def test_hints_are_offered_alone_and_not_between_two_people(person):
    host, _ = two_at_a_table(person, "connect_four")
    host.wait_for_selector(".my-turn .glow")
    assert host.locator("#hint").is_hidden()
    host.click("#fair summary")
    assert "Hints are off: two or more people play." in text(host, "#fair")
    new_table(host, "connect_four", [{"kind": "me"}, {"kind": "bot", "bot": "random"}])
    host.wait_for_selector("#hint:not([hidden])")


def test_resigning_asks_first_and_everybody_sees_the_end(person, shoot):
    host, guest = two_at_a_table(person, "connect_four")
    drop(host, 3)
    choose(host, "resign")
    assert text(host, "dialog h2 + p") == "You lose, and the game ends."
    shoot(host, "fair-resign-1280")
    host.click("dialog[open] >> text=Cancel")
    assert guest.locator(".ended").count() == 0
    choose(host, "resign")
    host.click("dialog >> text=/^Resign$/")
    for page in (host, guest):
        page.wait_for_selector(".ended")
        until(page, "document.querySelector('#prompt').textContent === 'Blue wins. Red resigned.'")
    assert guest.locator("#choices >> text=Rematch").count() == 1
    host.goto(host.url + "/replay")
    host.wait_for_selector("[id^=disc-]", state="detached")
    host.keyboard.press("End")
    until(host, "document.querySelector('#prompt').textContent.startsWith('Blue wins. Red resigned.')")


def test_a_draw_is_agreed_on_a_phone(person, shoot):
    host, guest = two_at_a_table(person, "connect_four")
    phone = person(390, 844)
    phone.context.add_cookies(guest.context.cookies())
    phone.goto(guest.url)
    drop(host, 3)
    choose(host, "draw")
    host.click("dialog >> text=/^Offer a draw$/ >> nth=-1")
    phone.wait_for_selector("#request >> text=Red offers a draw.")
    shoot(phone, "fair-request-390")
    phone.click("#request >> text=Agree")
    for page in (host, guest, phone):
        until(page, "document.querySelector('#prompt').textContent === 'A draw. The players agreed on it.'")


def test_leaving_asks_first_and_a_game_nobody_has_begun_is_called_off(person):
    host, guest = two_at_a_table(person, "connect_four")
    host.wait_for_selector(".my-turn .glow")
    choose(host, "leave")
    host.keyboard.press("Escape")
    host.wait_for_selector("dialog[open]", state="detached")
    assert host.locator("text=I'm back").count() == 0
    choose(guest, "call_off")
    guest.click("dialog >> text=Call it off")
    until(host, "document.querySelector('#prompt').textContent === 'The game was called off. Nobody wins or loses.'")


def test_dialogs_and_requests_are_accessible(person):
    host, guest = person(bypass_csp=True), person()
    guest.goto(f"/t/{new_table(host, 'connect_four', [{'kind': 'open'}, {'kind': 'me'}])}")
    guest.click("#choices >> text=/Take .*'s seat/")
    drop(guest, 3)
    choose(host, "resign")
    calm(host)
    host.keyboard.press("Escape")
    guest.click("#undo:not([hidden])")
    host.wait_for_selector("#request >> text=Agree")
    host.click("#fair summary")
    calm(host)


# ---- setting up -------------------------------------------------------------------------------------------------------------------


def test_fair_play_and_variants_are_chosen_at_set_up(person, shoot):
    page = person()
    page.goto("/new/artifact")
    usual = page.locator("[name=hints] option").first
    assert usual.inner_text() == "on (you play alone)"
    page.select_option("[name=seat1]", "open")
    assert usual.inner_text() == "off (two or more people play)"
    assert page.locator("[name=time]").is_hidden()
    page.select_option("[name=clock]", "move:120")
    page.select_option("[name=time]", "lose")
    page.select_option("[name=undo]", "off")
    page.select_option("[name=players]", "2")
    page.select_option("[name='option:map']", label="Vault")
    assert page.locator("[name='option:map'] option:not([hidden])").all_inner_texts() == ["Crossing", "Vault", "Causeway", "Maze", "Test2"]
    page.click(".more summary")
    page.select_option("[name='option:share']", label="no")
    page.get_by_role("button", name="Create table").click()
    page.wait_for_selector("#fair summary")
    told = page.request.get(f"/api/tables/{page.url.rpartition('/')[2]}").json()["table"]
    assert {name: told["fair"][name] for name in ("hints", "undo", "time")} == {"hints": "alone", "undo": "off", "time": "lose"}
    assert (
        page.request.get(f"/api/tables/{page.url.rpartition('/')[2]}/position").json()["options"].items()
        >= {"map": "2-vault", "share": 0}.items()
    )


def test_a_map_that_does_not_fit_the_number_of_players_is_not_kept(person):
    page = person()
    page.goto("/new/artifact")
    page.select_option("[name=players]", "2")
    page.select_option("[name='option:map']", label="Vault")
    page.select_option("[name=players]", "3")
    assert page.input_value("[name='option:map']") == ""
    assert page.locator("[name='option:map'] option").first.inner_text() == "Tripod"


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)], ids=["desktop", "phone"])
def test_the_set_up_page_of_every_game_is_short_and_accessible(person, shoot, size):
    page = person(*size, bypass_csp=True)
    for name in rulestone.games():
        page.goto(f"/new/{name}")
        until(page, "document.querySelector('[name=hints] option').textContent.startsWith('on')")
        bottom, wide = page.evaluate(
            "[document.querySelector('[type=submit]').getBoundingClientRect().bottom, document.querySelector('form').scrollWidth]"
        )
        assert wide <= size[0]
        if size[0] > 1000:
            assert bottom < size[1], "everything that players usually choose is on one screen"
        shoot(page, f"new-{name}-{size[0]}")
    page.click(".more summary")
    calm(page)
