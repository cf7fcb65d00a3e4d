"""What particular games need from the table page: a board kept still, several moves with one click, double clicks, memory aids."""

import re

import pytest

from tests.browser.test_browser import new_table, until
from tests.browser.test_table_page import TWO_OF_ME, drop

END = r'id="(end-[\d-]+)" transform="translate\(([^)]*)\)" data-route="[^"|]+"><circle'
pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def play_until(page, table, wanted, prefer=()):
    """Make moves through the REST interface, preferring certain verbs, until a position is `wanted`. Returns its state."""
    state = page.request.get(f"/api/tables/{table}").json()["state"]
    while not wanted(state):
        assert not state["ending"], "the game ended first"
        moves = [move for move in state["moves"] if move["move"].split()[0] in prefer] or state["moves"]
        move = moves[state["ply"] * 7 % len(moves)]["action"]
        state = page.request.post(f"/api/tables/{table}/moves", data={"at": state["at"], "move": move}).json()
    return state


def turn_of(page, thing):
    found = re.search(r"rotate\((-?\d+)\)", page.get_attribute(f"#{thing}", "transform"))
    return int(found[1]) if found else 0


def test_the_board_turns_or_is_kept_still(person, shoot):
    page = person()
    table = new_table(page, "artifact", TWO_OF_ME)
    play_until(page, table, lambda state: state["scene"]["parts"]["floor"].count("rotate(90)"), prefer=("rotate", "draw_deck"))
    page.goto(f"/t/{table}")
    page.wait_for_selector(".plate")
    if page.is_visible("#curtain button"):
        page.click("#curtain button")
    until(page, "document.querySelector('#floor').getAttribute('transform').includes('rotate(90)')")
    assert turn_of(page, "needle") == 90
    page.click("#menu summary")
    page.check("#still")
    assert [turn_of(page, layer) for layer in ("floor", "walls", "men", "needle", "line-0")] == [0, 0, 0, 0, 90]
    deep = page.evaluate("[...document.querySelectorAll('#walls > g')].map((g) => new DOMMatrix(getComputedStyle(g).transform).f)")
    assert deep == sorted(deep)
    page.keyboard.press("Escape")
    assert not page.is_visible("#still")
    shoot(page, "board-kept-still")
    page.reload()
    page.wait_for_selector(".plate")
    until(
        page,
        "document.querySelector('#floor[data-still]') && !document.querySelector('#floor').getAttribute('transform').includes('rotate')",
    )


def test_a_click_on_an_end_dot_sails_all_the_way(person, shoot):
    page = person()
    table = new_table(page, "hydra_regatta", TWO_OF_ME)

    def single(state):
        """End dots that only one exit leads to."""
        ends = re.findall(END, "".join(state["scene"]["parts"].values()))
        return ends if any(move["move"].startswith("step") for move in state["moves"]) else []

    state = play_until(page, table, single, prefer=("nav_keep", "hold", "wedge", "ship"))
    end, at = single(state)[-1]
    page.goto(f"/t/{table}")
    page.wait_for_selector(f"#{end}.glow")
    shoot(page, "end-dots")
    page.click(f"#{end}")
    there = f"document.querySelector('#ship-{state['to_move']}').getAttribute('transform') === 'translate({at})'"
    asked = "document.querySelector('#do-feed, #do-battle') !== null || document.querySelector('#prompt').textContent.startsWith('Several')"
    until(page, f"{there} || {asked}")
    assert page.request.get(f"/api/tables/{table}").json()["state"]["ply"] > state["ply"]


def test_a_double_click_on_a_weapon_answers(person):
    page = person()
    new_table(page, "micro_medusa", [{"kind": "bot", "bot": "random"}, {"kind": "me"}])
    page.click("#spare-0.glow")
    page.wait_for_selector(".my-turn #gear-1.glow")
    page.dblclick("#gear-1 > circle")
    until(page, "document.querySelector('#story').textContent.includes('answers with the Shield')")


def test_older_sentences_highlight_their_things_too(person):
    page = person()
    new_table(page, "connect_four", TWO_OF_ME)
    drop(page, 4, 2)
    page.reload()
    page.wait_for_selector("#story li >> nth=1")
    page.hover("#story li >> nth=0 >> p")
    page.wait_for_selector("#disc-0-4.flash")


def test_things_and_the_page_can_share_ids_and_the_memory_aid_can_be_switched(person):
    page = person()
    new_table(page, "misdirection", [{"kind": "me"}] * 4, aid="all")
    page.wait_for_selector(".my-turn")
    assert page.locator("svg.scene #turn text").count() == 2
    assert page.locator("#turn.turn-mark svg").count() == 1
    aids = page.locator("svg.scene .aid:not(.own)")
    assert aids.count() == 3
    page.click("#menu summary")
    page.uncheck("#aid")
    assert not aids.first.is_visible()
    assert page.locator("svg.scene .aid.own").is_visible()


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)], ids=["desktop", "phone"])
def test_the_memory_aid_is_chosen_at_setup_and_shown_to_everyone(person, shoot, size):
    page = person(*size)
    page.goto("/new/misdirection")
    usual = page.locator("[name=aid] option").first
    assert usual.inner_text() == "default (own)"
    assert "bots remember everything" in page.inner_text("form")
    page.select_option("[name=seat1]", "me")
    assert usual.inner_text() == "default (off)"
    page.locator("[name=aid]").scroll_into_view_if_needed()
    shoot(page, f"new-memory-{size[0]}")
    for aid in ("", "all"):
        page.goto("/new/misdirection")
        page.select_option("[name=players]", "2")
        page.select_option("[name=seat1]", "me")
        page.select_option("[name=aid]", aid)
        page.get_by_role("button", name="Create table").click()
        page.wait_for_selector(".my-turn")
        told = page.request.get(f"/api/tables/{page.url.rpartition('/')[2]}").json()
        assert told["table"]["aid"] == (aid or "off")
        assert page.text_content("#aid-says").startswith(f"Memory aid {aid or 'off'}: ")
        page.click("svg.scene #die")
        page.wait_for_selector("svg.scene #trail", state="attached")
        starter = (0, 2)[told["state"]["to_move"]]
        assert page.locator(f"svg.scene #token-{starter} .aid").count() == (aid == "all")
    shoot(page, f"table-memory-{size[0]}")


def test_reminders_for_the_champion_can_be_turned_off(person):
    page = person()
    new_table(page, "micro_medusa", [{"kind": "bot", "bot": "greedy"}, {"kind": "me"}])
    page.wait_for_selector(".my-turn")
    known = page.locator("svg.scene [id^=held-] .known")
    assert known.count() == 2
    assert known.first.is_visible()
    assert "Medusa holds" in page.inner_text("#prompt")
    page.click("#menu summary")
    page.uncheck("#known")
    assert not known.first.is_visible()
    assert page.inner_text("#prompt") == "Take one reserve tile for this round, Champion."
    page.reload()
    page.wait_for_selector(".my-turn")
    assert not known.first.is_visible(), "the setting is saved"
    page.hover("#held-0")
    page.wait_for_timeout(700)
    assert not page.is_visible("#hovercard")
    page.click("#menu summary")
    page.check("#known")
    page.click("#menu summary")
    page.hover("#held-1")
    page.wait_for_selector("#hovercard:has-text('Known: ')")
    assert "Medusa holds" in page.inner_text("#prompt")


def test_the_dice_of_the_roll_off_roll_once_at_the_start(person):
    page = person()
    table = new_table(page, "misdirection", [{"kind": "me"}] * 4)
    page.wait_for_selector(".my-turn")
    moving = "[...document.querySelectorAll('#board [id^=start-], #begins')].map((thing) => thing.getAnimations().length)"
    assert page.evaluate(moving) == [0] * 5, "nothing moves at instant speed"
    page.evaluate("localStorage.speed = 'calm'")
    page.goto(f"/t/{table}")
    until(page, f"{moving}.join() === '2,2,2,2,1'")
    until(page, f"{moving}.join() === '0,0,0,0,0'")


def test_a_tile_is_dragged_to_its_space(person):
    page = person()
    new_table(page, "micro_medusa", [{"kind": "me"}, {"kind": "bot", "bot": "random"}])
    for _ in range(2):
        page.wait_for_selector(".my-turn [id^=market-].glow")
        page.locator(".glow [id^=slot-]").first.click()
        page.wait_for_timeout(150)
    page.wait_for_selector(".my-turn [id^=hand-].glow")
    tile = page.locator("[id^=own-]").first.bounding_box()
    space = page.locator("[id^=space-]").first.bounding_box()
    page.mouse.move(tile["x"] + tile["width"] / 2, tile["y"] + tile["height"] / 2)
    page.mouse.down()
    page.mouse.move(space["x"] + space["width"] / 2, space["y"] + space["height"] / 2, steps=4)
    assert page.locator(".dragged").count() == 1
    page.mouse.up()
    until(page, "document.querySelector('#prompt').textContent.startsWith('Place the')")
    assert page.locator(".dragged").count() == 0
    page.click("#choices .primary")
    until(page, "document.querySelector('#story').textContent.includes('places a tile face down')")


def test_the_buttons_on_a_hovered_tile_turn_it(person):
    page = person()
    table = new_table(page, "misdirection", [{"kind": "me"}] * 4)
    state = play_until(page, table, lambda state: any(move["move"].startswith("rot_cw") for move in state["moves"]))
    cell = next(int(pick[5:]) for move in state["moves"] for pick in move["picks"] if pick[:5] == "tile-" and 0 < int(pick[5:]) % 15 < 14)
    page.goto(f"/t/{table}")
    page.wait_for_selector(f"#tile-{cell}.glow")
    page.hover(f"#tile-{cell}", force=True)
    page.wait_for_selector(f"#cw-{cell}", state="visible")
    page.hover(f"#cw-{cell}", force=True)
    page.mouse.down()
    page.mouse.up()
    until(page, "/rotates the tile/.test(document.querySelector('#story').lastElementChild.textContent)")
