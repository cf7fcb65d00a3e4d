"""Details of the table page, each in a real browser: choosing, sound, title, touch, motion, joining, clocks, replay, rules."""

import json
import re
import socket
import threading
from collections import Counter

import pytest
from tools import sounds

import rulestone
from rulestone.server.pages import rules_html
from tests.browser.test_browser import CLICK, drop, new_table, until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
TWO_OF_ME = [{"kind": "me"}, {"kind": "me"}]


def text(page, selector):
    return page.text_content(selector).strip()


# ---- choosing ---------------------------------------------------------------------------------------------------------------


def test_the_form_creates_a_table_with_its_default_settings(person):
    """And every bot that it offers can be chosen."""
    page = person()
    page.goto("/new/connect_four")
    offered = page.eval_on_selector_all("[name=seat1] option", "options => options.map((option) => option.value)")
    for bot in [page.input_value("[name=seat1]"), *(value for value in offered if value.startswith("bot:"))]:
        page.goto("/new/connect_four")
        page.select_option("[name=seat1]", bot)
        page.get_by_role("button", name="Create table").click()
        page.wait_for_url(re.compile("/t/"))
        seats = page.request.get(f"/api/tables/{page.url.rpartition('/')[2]}").json()["table"]["seats"]
        assert seats[1]["bot"] == bot.removeprefix("bot:")


def special_cards(page):
    """A table of Sarpedon where Red moves first: one stone to break, several tiles to protect."""
    while True:  # until Red isn't frozen right away
        table = new_table(page, "sarpedon", [{"kind": "me"}] * 4)
        if page.request.get(f"/api/tables/{table}").json()["state"]["to_move"] == 0:
            break
    page.wait_for_selector(".my-turn #special-0-1.glow")


def test_a_card_with_a_single_target_needs_no_second_click(person):
    page = person()
    special_cards(page)
    everything = page.locator(".glow").count()
    lines = page.locator("#story li").count()
    page.hover("#special-0-1")
    page.wait_for_selector(".meant .halo", state="attached")
    assert page.locator(".meant").count() == 1, "the mouse over the card shows its target"
    page.click("#special-0-0")  # a card with several targets
    page.wait_for_selector("#special-0-0.chosen")
    assert not page.locator(".meant").count()
    page.keyboard.press("Escape")
    until(page, f"document.querySelectorAll('.glow').length === {everything}")
    page.click("#special-0-0")
    page.click(".board", position={"x": 4, "y": 4})
    until(page, f"document.querySelectorAll('.glow').length === {everything}")
    assert page.locator("#story li").count() == lines, "nothing has been played yet"
    page.click("#special-0-0")
    page.click("#special-0-1")  # another card instead
    until(page, "document.querySelector('#story').textContent.includes('breaks the stone')")


def test_in_artifact_one_click_plays_a_card_or_a_square_if_that_is_clear(person):
    page = person()
    table = new_table(page, "artifact", TWO_OF_ME)
    state, single = page.request.get(f"/api/tables/{table}").json()["state"], []
    while not single:
        picks = [move["picks"] for move in state["moves"] if len(move["picks"]) == 2]
        counted = Counter(pick for pair in picks for pick in pair)
        single = [pair for pair in picks if counted[pair[1]] == 1]  # a square that only one card leads to
        if not single:
            move = state["moves"][state["ply"] * 7 % len(state["moves"])]["action"]
            state = page.request.post(f"/api/tables/{table}/moves", data={"at": state["at"], "move": move}).json()
    page.goto(f"/t/{table}")
    page.wait_for_selector(".plate")
    if page.is_visible("#curtain button"):
        page.click("#curtain button")
    page.wait_for_selector(f"#{single[0][1]}.glow")
    page.click(f"#{single[0][1]}", force=True)
    until(page, f"document.querySelector('#ply-{state['ply'] + 1}')")


def test_the_second_click_of_a_double_click_does_not_play_another_move(person):
    page = person()
    new_table(page, "connect_four", TWO_OF_ME)
    page.wait_for_selector(".my-turn #column-3.glow")
    page.dblclick("#column-3", delay=20)
    page.wait_for_selector("#disc-0-3")
    page.wait_for_timeout(300)
    assert page.locator("[id^=disc-]").count() == 1


@pytest.mark.parametrize("name", rulestone.games())
def test_what_glows_has_a_light_and_a_dark_edge_and_rests_after_some_seconds(person, name):
    page = person()
    new_table(page, name, [{"kind": "me"}] * rulestone.load(name).about.usual_players)
    until(page, "document.querySelector('#curtain:not([hidden]) button, svg.scene .glow, #choices button')")
    if page.is_visible("#curtain button"):
        page.click("#curtain button")
    page.wait_for_selector("svg.scene .glow")
    rings = """[...document.querySelectorAll("svg.scene .glow")]
        .map((thing) => [thing.firstElementChild, thing.querySelector(":scope > .halo")]
        .map((line) => getComputedStyle(line).stroke.match(/[\\d.]+/g).slice(0, 3).reduce((sum, part) => sum + Number(part) / 765, 0)))"""
    assert all(dark < 0.3 and light > 0.6 for dark, light in page.evaluate(rings))
    lasting = "document.getAnimations().map((motion) => motion.effect.getComputedTiming().endTime)"
    assert all(end is not None and end < 8000 for end in page.evaluate(lasting)), "null is endless"
    page.keyboard.press("Escape")
    page.evaluate("for (const motion of document.getAnimations()) motion.finish()")
    assert page.evaluate("document.getAnimations().length") == 0


STAGE = """async (body) => {
  const {Stage} = await import("/static/stage.js");
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  document.body.append(svg);
  const stage = new Stage(svg);
  const scene = (parts) => ({size: [100, 100], title: "a test", parts, order: Object.keys(parts), cards: {}, plates: []});
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  return await (new Function("stage", "scene", "wait", `return (async () => {${body}})()`))(stage, scene, wait);
}"""


@pytest.fixture
def stage(person):
    """A separate stage, controlled by a few lines of script."""
    page = person(bypass_csp=True)
    page.goto("/about")
    return lambda body: page.evaluate(STAGE, body)


def test_the_scene_puts_back_things_that_steps_have_moved(stage):
    places = stage("""
        const a = '<g id="a" transform="translate(1 1)"><rect/></g>';
        const board = '<g id="board"><g id="inner" transform="translate(2 2)"><rect/></g><g id="other"><rect/></g></g>';
        stage.patch(scene({a, board}));
        const steps = [{event: null, go: {a: "translate(50 50)", inner: "translate(60 60)"}, flash: [], ms: 10}];
        await stage.show(scene({a, board}), steps);
        const place = (id) => stage.thing(id).getAttribute("transform");
        return [place("a"), place("inner"), stage.svg.lastChild.id, stage.thing("board").lastChild.id];
    """)
    assert places == ["translate(1 1)", "translate(2 2)", "board", "other"]


def test_a_thing_that_flips_twice_shows_its_last_face(stage):
    seen = stage("""
        const card = (face) => ({a: `<g id="a" data-face="${face}"><text>${face}</text></g>`});
        stage.patch(scene(card("back")));
        stage.patch(scene(card("king")));
        const soon = stage.thing("a").textContent;
        await wait(60);
        stage.patch(scene(card("queen")));
        await wait(500);
        return [soon, stage.thing("a").textContent, stage.svg.children.length];
    """)
    assert seen == ["king", "queen", 1]


READY = """document.querySelector(".ended") || (document.querySelector(".my-turn")
  && document.querySelector("#choices button, svg.scene .glow") && !document.querySelector("svg.scene [data-gone]"))"""
LIE = """() => [...document.querySelectorAll("svg.scene [id]")]
  .map((thing) => [thing.id, thing.getAttribute("transform"), thing.textContent])"""


@pytest.mark.parametrize("name", rulestone.games())
def test_after_all_animations_everything_is_where_the_scene_says(person, name):
    """Make some moves with all their animations; then the board is the same as a freshly loaded one."""
    page = person()
    page.add_init_script("localStorage.speed = 'brisk'")
    game = rulestone.load(name)
    bot = {"kind": "bot", "bot": "greedy" if game.greedy is not None else "random"}
    new_table(page, name, [{"kind": "me"}, *[bot] * (game.about.usual_players - 1)])
    for number in range(4):
        until(page, READY, 60)
        page.evaluate(CLICK, number)
    until(page, READY, 60)  # while a move is being sent, there is nothing to choose
    page.keyboard.press("Escape")
    lies = page.evaluate(LIE)
    page.reload()
    until(page, READY)
    assert page.evaluate(LIE) == lies


def test_the_focus_stays_on_the_board_for_keyboard_players(person):
    page = person()
    on = "document.activeElement?.closest('.glow')?.id"
    new_table(page, "connect_four", TWO_OF_ME)
    page.wait_for_selector("#column-4.glow")
    page.focus("#column-4")
    page.keyboard.press("Enter")
    page.wait_for_selector("#disc-0-4")
    until(page, f"{on} === 'column-0'")
    page.wait_for_timeout(500)  # a space right after the motion before would have been meant for that
    page.keyboard.press(" ")
    page.wait_for_selector("#disc-0-0")
    until(page, on)
    page.click("#column-2")
    page.wait_for_selector("#disc-0-2")
    page.wait_for_selector(".my-turn .glow")
    assert not page.evaluate(on), "not after a click"
    page.click("#tab-chat")
    page.focus("#words")
    page.keyboard.type("hello")
    drop(page, 5)
    page.focus("#words")
    page.keyboard.type(" again")
    table = page.url.replace("/t/", "/api/tables/")
    state = page.request.get(table).json()["state"]
    page.request.post(f"{table}/moves", data={"at": state["at"], "move": "drop 6"})
    page.wait_for_selector("#disc-0-6")
    page.wait_for_selector(".my-turn .glow")
    assert page.evaluate("document.activeElement.id") == "words", "the focus is never taken from what has it"


def test_after_escape_the_focus_is_on_something_that_glows(person):
    page = person()
    special_cards(page)
    page.focus("#special-0-0")
    page.keyboard.press("Enter")
    page.wait_for_selector("#special-0-0.chosen")
    until(page, "document.activeElement.classList.contains('glow')")
    assert text(page, "#prompt").endswith(": choose a glowing place, or go back.")
    page.keyboard.press("Escape")
    until(page, "!document.querySelector('.chosen') && document.activeElement.classList.contains('glow')")


# ---- around the board -----------------------------------------------------------------------------------------------------------

EARS = """
window.heard = [];
const start = AudioBufferSourceNode.prototype.start;
AudioBufferSourceNode.prototype.start = function (...given) { window.heard.push(this.buffer.duration); return start.apply(this, given); };
"""
LASTS = {name: len(sound) / sounds.RATE for name, sound in sounds.every_sound().items()}


def heard(page):
    """The sounds played so far, known by how long they last."""
    return [min(LASTS, key=lambda name: abs(LASTS[name] - lasts)) for lasts in page.evaluate("heard")]


def test_sound_is_off_until_someone_turns_it_on(person):
    page, asked = person(), []
    page.on("request", lambda request: asked.append(request.url.rsplit("/", 1)[-1]))
    page.add_init_script(EARS)
    new_table(page, "connect_four", TWO_OF_ME)
    drop(page, 0)
    assert heard(page) == []
    assert not [name for name in asked if name == "sound.js" or name.endswith(".wav")]
    assert page.locator("#volume").count() == 0
    page.click("#menu summary")
    page.check("#sound")
    until(page, "heard.length === 1")  # so that people know how loud it is
    assert {name for name in asked if name.endswith(".wav")} == {f"{name}.wav" for name in LASTS}
    page.keyboard.press("Escape")
    drop(page, 1, 0, 1, 0, 1)
    until(page, "heard.length >= 6")
    assert set(heard(page)) == {"knock"}
    drop(page, 0)
    until(page, "heard.length >= 8")
    assert heard(page)[-2:] == ["knock", "end"]
    page.click("#menu summary")
    page.uncheck("#sound")
    assert page.is_hidden("#volume")


def test_the_volume_is_remembered(person):
    page = person()
    page.add_init_script(EARS)
    table = new_table(page, "connect_four", TWO_OF_ME)
    page.click("#menu summary")
    page.check("#sound")
    page.wait_for_selector("#volume")
    page.fill("#volume", "25")
    page.goto(f"/t/{table}")
    page.click("#menu summary")
    page.wait_for_selector("#volume")
    assert page.input_value("#volume") == "25"
    assert page.is_checked("#sound")


def test_dice_rattle_and_cards_flick(person):
    """What rolls, flips or comes from a deck is heard as such; a thing with a sound of its own keeps it."""
    page = person()
    page.add_init_script("localStorage.sound = 'on';" + EARS)
    new_table(page, "connect_four", TWO_OF_ME)
    page.wait_for_selector("#volume", state="attached")
    page.click("#menu summary")  # browsers stay silent before the first click
    assert heard(page) == []
    page.evaluate(
        """async () => {
            const { moved } = await import(document.querySelector('script[src$="table.js"]').src.replace("table.js", "sound.js"));
            const stage = (it) => ({ data: { parts: { it } }, speed: 0 });
            const change = (before, after) => moved(stage(before), { steps: [], scene: { parts: { it: after } } });
            await change('<g data-again="1"/>', '<g data-again="2"/>');
            await change('<g data-face="up"/>', '<g data-face="down"/>');
            await change(undefined, '<g data-come="deck"/>');
            await change('<g transform="a" data-sound="none"/>', '<g transform="b" data-sound="none"/>');
            await change('<g transform="a" data-sound="tick"/>', '<g transform="b" data-sound="tick"/>');
            await change('<g transform="a"/>', '<g transform="b"/>');
        }"""
    )
    assert heard(page) == ["dice", "flick", "flick", "tick", "knock"]


def test_the_title_flashes_on_my_turn_while_the_page_is_hidden(person):
    page = person()
    page.add_init_script("Object.defineProperty(document, 'hidden', {get: () => true})")
    new_table(page, "connect_four", TWO_OF_ME)
    until(page, "document.title === '● Your turn'")
    until(page, "document.title.startsWith('Connect Four')")


def test_a_long_press_explains_a_thing_without_playing_it(person):
    page = person(390, 844)
    new_table(page, "connect_four", TWO_OF_ME)
    page.wait_for_selector("#column-2.glow")
    box = page.locator("#column-2").bounding_box()
    point = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    fingers = page.context.new_cdp_session(page)
    fingers.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [point]})
    page.wait_for_selector("#hovercard:not([hidden])")
    fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.dispatch_event("#column-2", "click")  # some phones send one
    assert "Column 3" in text(page, "#hovercard")
    assert page.locator("[id^=disc-]").count() == 0
    page.tap("#column-2")
    page.wait_for_selector("#disc-0-2")


def test_on_a_phone_a_question_shows_both_its_answers(person):
    page = person(390, 844)
    new_table(page, "micro_medusa", [{"kind": "me"}, {"kind": "bot", "bot": "random"}])
    clicks = 0
    while not page.evaluate("document.querySelectorAll('.my-turn #choices .primary').length"):
        clicks += page.evaluate(CLICK, clicks) == "clicked"
        page.wait_for_timeout(30)
        assert clicks < 60
    assert page.evaluate("document.querySelectorAll('#choices button').length") == 2
    assert page.evaluate("(box => box.scrollHeight <= box.clientHeight)(document.querySelector('#choices'))"), "a button is cut off"


@pytest.mark.parametrize("size", [(844, 390), (853, 533)])
def test_a_phone_held_sideways_shows_the_newest_lines(person, size):
    page = person(*size)
    table = new_table(page, "sarpedon", [{"kind": "me"}] * 4)
    state = page.request.get(f"/api/tables/{table}").json()["state"]
    for _ in range(14):
        move = state["moves"][0]["action"]
        state = page.request.post(f"/api/tables/{table}/moves", data={"at": state["at"], "move": move}).json()
    until(page, f"document.querySelector('#ply-{state['story']['ply']}')")
    until(page, "((pane) => pane.scrollHeight - pane.scrollTop - pane.clientHeight < 3)(document.querySelector('#pane-story'))")
    assert page.locator("#pane-story").bounding_box()["height"] < size[1] * 0.7
    assert page.evaluate("document.documentElement.scrollHeight - innerHeight") < 60, "only a long prompt may make the page scroll"


def test_nothing_moves_with_reduced_motion(person):
    page = person(reduced_motion="reduce")
    page.add_init_script("localStorage.speed = 'calm'")
    new_table(page, "connect_four", TWO_OF_ME)
    page.wait_for_selector("#column-3.glow")
    page.evaluate("""() => {
        window.moved = 0;
        const animate = Element.prototype.animate;
        Element.prototype.animate = function (...given) { window.moved += 1; return animate.apply(this, given); };
    }""")
    drop(page, 3, 3)
    assert page.evaluate("[moved, document.getAnimations().length]") == [0, 0]


def test_a_click_skips_a_calm_animation(person):
    page = person()
    page.add_init_script("localStorage.speed = 'calm'")
    new_table(page, "connect_four", TWO_OF_ME)
    page.wait_for_selector("#column-3.glow")
    browser = page.context.new_cdp_session(page)
    browser.send("Animation.enable")
    browser.send("Animation.setPlaybackRate", {"playbackRate": 0.002})  # by itself, the disc would fall for minutes
    page.click("#column-3")
    until(page, "document.querySelector('#disc-0-3')?.getAnimations().length > 0")
    page.dispatch_event("#board", "pointerdown")
    until(page, "document.querySelector('#disc-0-3').getAnimations().length === 0")


def two_at_a_table(person, game):
    """A host, and a friend who followed the link."""
    page, friend = person(), person()
    friend.goto(f"/t/{new_table(page, game, [{'kind': 'me'}, {'kind': 'open'}])}")
    friend.click("#choices >> text=/Take .*'s seat/")
    return page, friend


def test_undo_is_not_offered_once_new_information_was_revealed(person):
    page, guest = two_at_a_table(person, "whisper")
    page.wait_for_selector(".my-turn [data-move=change]")
    page.click("#choices [data-move=change]")
    guest.wait_for_selector(".my-turn [data-move=change]")
    assert (
        page.evaluate("id => fetch(`/api/tables/${id}`).then((answer) => answer.json()).then(({ table }) => table.undo)", page.url[-12:])
        is False
    )
    assert page.locator("#undo").is_hidden()


def test_the_invitation_disappears_with_the_last_free_seat(person):
    """Even for those for whom nothing else changes: a host who doesn't move first, and a spectator."""
    host, guest, watcher = person(), person(), person()
    table = new_table(host, "connect_four", [{"kind": "open"}, {"kind": "me"}])
    for page in (guest, watcher):
        page.goto(f"/t/{table}")
    host.wait_for_selector("#choices >> text=Copy link")
    watcher.wait_for_selector("#choices >> text=/Take .*'s seat/")
    guest.click("#choices >> text=/Take .*'s seat/")
    for page in (host, guest, watcher):
        page.wait_for_selector(".turn-flag")
        until(page, "!document.querySelector('#choices button')", 5)


def test_the_invitation_lists_all_free_seats(person):
    host, guest = person(), person()
    guest.goto(f"/t/{new_table(host, 'sarpedon', [{'kind': 'me'}, *[{'kind': 'open'}] * 3])}")
    until(host, "document.querySelector('#prompt').textContent === 'Waiting for Yellow, Green and Blue: send your friends the link.'")
    until(guest, "document.querySelector('#prompt').textContent === `Take Yellow's, Green's or Blue's seat, or watch.`")


def test_a_seat_that_was_left_has_no_turn(person):
    page, other = two_at_a_table(person, "connect_four")
    page.wait_for_selector(".my-turn")
    page.click("#menu summary")
    page.click("#leave [data-end=leave]")
    page.click("dialog >> text=/^Leave$/")
    page.wait_for_selector("text=I'm back")
    until(page, "document.querySelectorAll('[id^=disc-]').length === 1")  # the bot has moved
    other.click(".my-turn #column-3.glow")
    until(page, "document.querySelectorAll('[id^=disc-]').length === 3")  # and answers at once
    assert not page.locator(".my-turn, .glow").count()
    assert page.locator("#hint, #undo").evaluate_all("buttons => buttons.every((button) => button.hidden)")
    page.click("text=I'm back")
    page.wait_for_selector("text=I'm back", state="detached")


def test_leaving_one_of_two_seats_keeps_the_other(person):
    page = person()
    new_table(page, "connect_four", TWO_OF_ME)
    page.wait_for_selector(".my-turn")
    page.click("#menu summary")
    page.click("text=Leave Blue's seat")
    page.click("dialog >> text=/^Leave$/")
    page.wait_for_selector("text=I'm back")
    assert page.locator("text=I'm back").count() == 1
    page.click("#column-3")
    until(page, "document.querySelectorAll('[id^=disc-]').length === 2")  # the bot has answered for Blue
    page.wait_for_selector(".my-turn")
    page.click("text=I'm back")
    page.wait_for_selector("text=I'm back", state="detached")
    drop(page, 0, 1)  # both seats are mine again


def test_someone_who_follows_the_link_is_asked_for_a_name(person, shoot):
    host, guest = person(), person(390, 844, name="")
    table = new_table(host, "connect_four", [{"kind": "me", "name": "Anna"}, {"kind": "open"}])
    guest.goto(f"/t/{table}")
    guest.click("#choices >> text=Take Blue's seat")
    guest.wait_for_selector("#who[open]")
    shoot(guest, "sit-down")
    guest.fill("#who-name", "Ben")
    guest.keyboard.press("Enter")
    until(host, "document.querySelector('#players').textContent.includes('Ben')")
    assert guest.evaluate("localStorage.name") == "Ben"


def test_hovering_over_a_sentence_shows_what_it_is_about_and_rules_are_linked(person):
    page = person()
    new_table(page, "connect_four", TWO_OF_ME)
    drop(page, 4)
    page.hover("#story p")
    page.wait_for_selector("#disc-0-4.flash")
    link = page.locator("#story a.rule").first
    assert link.get_attribute("href") == "/rules/connect_four#R3"
    page.goto("/rules/connect_four#R3")
    assert page.locator("#R3").is_visible()


def test_the_clock_survives_a_server_restart(person, server):
    page = person()
    new_table(page, "connect_four", TWO_OF_ME, clock={"kind": "move", "seconds": 300})
    drop(page, 3)
    page.wait_for_timeout(1500)
    server.kill()
    page.wait_for_selector("#offline:not([hidden])")
    server.start()
    page.wait_for_selector("#offline", state="hidden")
    left = page.request.get(page.url.replace("/t/", "/api/tables/")).json()["table"]["seats"][1]["clock"]
    assert 200 < left < 298.5
    shown = float(page.get_attribute("[data-runs]", "data-clock"))
    until(page, f"document.querySelector('[data-runs]').dataset.clock < {shown}")


# ---- afterwards -------------------------------------------------------------------------------------------------------------------


def test_the_replay_shows_all_views_and_the_proof(person):
    page = person()
    table = new_table(page, "whisper", TWO_OF_ME)
    page.click("text=I'm Red")
    page.click("#menu summary")
    commitment = re.search(r"[0-9a-f]{64}", text(page, "#proof"))[0]
    page.click("#choices [data-move=change]")
    page.click("text=I'm Blue")
    page.click("#choices [data-move=show]")
    page.wait_for_selector(".ended")
    assert re.search(r"Seed \w{8}", text(page, "#proof"))
    assert commitment[:16] in text(page, "#proof")
    page.goto(f"/t/{table}/replay")
    until(page, "document.querySelector('#where').max === '2'")
    assert page.evaluate("[...document.querySelector('#eyes').options].map((o) => o.value)") == ["open", "0", "1", "public"]
    for eyes in ("1", "0", "public", "open"):
        page.select_option("#eyes", eyes)
        seen = page.request.get(f"/api/tables/{table}/frames/0?eyes={eyes}").json()["scene"]["parts"]["field-hand"]
        until(page, f"document.querySelector('#field-hand')?.textContent === {re.sub('<.*?>', '', seen)!r}")
    page.fill("#where", "2")
    until(page, "document.querySelector('#prompt').textContent.includes('win')")
    page.wait_for_selector("#curve path.s-seat1")
    with page.expect_download() as download:
        page.click("text=Download record")
    record = json.loads(download.value.path().read_text())
    assert record["seed_parts"]["commitment"] == commitment
    assert record["moves"] == ["change", "show"]


def test_the_curve_of_a_cooperative_game_is_one_line(person):
    page = person()
    table = new_table(page, "connect_four", TWO_OF_ME, options={"line": 3})
    for column in (0, 1, 0, 1, 0):
        state = page.request.get(f"/api/tables/{table}").json()["state"]
        page.request.post(f"/api/tables/{table}/moves", data={"at": state["at"], "move": f"drop {column}"})
    shown = [0.5, 0.5]
    page.route("**/curve", lambda route: route.fulfill(json={"at": [0, 3, 5], "payoff": [shown] * 3}))
    for second, lines in (0.5, 0), (-0.5, 2):
        shown[1] = second
        page.goto(f"/t/{table}/replay")
        page.wait_for_selector("#curve svg")
        assert page.locator("#curve path[class*=s-seat]").count() == lines
        assert ("for everyone" in text(page, "#curve")) == (lines == 0)


def test_running_tables_come_first_and_the_others_are_not_lost(person):
    page = person()
    table = new_table(page, "connect_four", TWO_OF_ME, options={"line": 3})
    for _ in range(9):
        assert page.request.post("/api/tables", data={"game": "connect_four", "seats": TWO_OF_ME}).ok
    for column in (0, 1, 0, 1, 0):  # finished, and changed last
        state = page.request.get(f"/api/tables/{table}").json()["state"]
        page.request.post(f"/api/tables/{table}/moves", data={"at": state["at"], "move": f"drop {column}"})
    page.goto("/")
    assert page.locator(".row:visible").count() == 8
    page.click("text=2 more tables")
    rows = page.locator(".row:visible")
    assert rows.count() == 10
    assert rows.last.get_attribute("href") == f"/t/{table}"


def test_long_rules_have_a_table_of_contents(person):
    page = person()
    page.goto("/rules/sarpedon")
    page.click(".contents >> text=Save Player")
    assert page.evaluate("document.querySelector(':target').textContent") == "Save Player"
    page.goto("/rules/connect_four")
    assert not page.locator(".contents").count()


def test_a_link_to_a_ruling_opens_the_section_it_is_folded_into(person, tmp_path):
    (tmp_path / "RULES.md").write_text("# Game\n\n## End\n\n### Rulings\n\n- **Q91** First.\n\n### Rulings\n\n- **Q92** Second.\n")

    def add_rulings(route):
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace("</article>", f"{rules_html(tmp_path / 'RULES.md')}</article>"))

    page = person()
    page.route("**/rules/connect_four", add_rulings)
    page.goto("/rules/connect_four")
    assert not page.is_visible("#Q91")
    page.evaluate("history.replaceState(null, '', '#Q91'); dispatchEvent(new Event('hashchange'))")  # as in browsers that don't open it
    page.wait_for_selector("#Q91", state="visible")
    assert not page.is_visible("#Q92")
    page.goto("/rules/connect_four#Q92")
    page.wait_for_selector("#Q92", state="visible")


def test_the_theme_can_be_switched_on_every_page(person):
    page = person()
    table = new_table(page, "connect_four", TWO_OF_ME)
    paths = "/", "/about", "/api", "/lab", "/new/connect_four", "/rules/connect_four", f"/t/{table}/replay"
    for path in paths:
        page.goto(path)
        page.click("[data-do=theme]")
        until(page, "document.documentElement.dataset.theme === 'dark'", 5)
        page.evaluate("localStorage.removeItem('theme')")


def test_on_a_phone_the_players_of_a_new_table_are_not_cut_off(person):
    page = person(390, 844)
    page.goto("/new/micro_medusa")
    cut = """(select) => {
      const whole = select.cloneNode(true);
      Object.assign(whole.style, {position: "absolute", width: "max-content", maxWidth: "none"});
      select.after(whole);
      return whole.offsetWidth > select.offsetWidth;
    }"""
    for seat in page.locator(".seat-line:visible select").all():
        assert not seat.evaluate(cut)


# ---- weight -----------------------------------------------------------------------------------------------------------------------


class Relay:
    """A relay between browser and server that counts every byte sent to the browser."""

    def __init__(self, port):
        self.target, self.bytes = port, 0
        self.door = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://localhost:{self.door.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            near, far = self.door.accept()[0], socket.create_connection(("127.0.0.1", self.target))
            threading.Thread(target=self.pump, args=(near, far), daemon=True).start()
            threading.Thread(target=self.pump, args=(far, near, True), daemon=True).start()

    def pump(self, source, sink, counted=False):
        try:
            while data := source.recv(65536):
                self.bytes += counted * len(data)
                sink.sendall(data)
        except OSError:
            pass
        sink.close()


def weight(person, server, page, table):
    """Every byte that a browser with an empty cache is sent until it rests: page, scripts, styles, socket messages, and all headers."""
    relay = Relay(server.port)
    cold = person(base_url=relay.address, storage_state=page.context.storage_state())
    cold.goto(f"/t/{table}")
    cold.wait_for_selector(".plate")
    cold.wait_for_load_state("networkidle")
    assert cold.locator("svg.scene [id]").count() > 5
    return relay.bytes


@pytest.mark.parametrize("name", rulestone.games())
def test_a_table_weighs_less_than_50_kilobytes_and_little_more_late_in_the_game(person, server, name):
    page = person()
    game = rulestone.load(name)
    table = new_table(page, name, [{"kind": "me"}] * game.max_players)
    state = page.request.get(f"/api/tables/{table}").json()["state"]
    page.goto("/about")
    assert 30_000 < weight(person, server, page, table) < 50_000
    while not state["ending"] and state["ply"] < 120:
        move = state["moves"][(state["ply"] * 5) % len(state["moves"])]["action"]
        state = page.request.post(f"/api/tables/{table}/moves", data={"at": state["at"], "move": move}).json()
    assert weight(person, server, page, table) < 65_000, "once it is over, the page checks the dice, too"


def test_chat_and_words_are_loaded_when_they_are_wanted(person):
    page = person()
    new_table(page, "connect_four", TWO_OF_ME)
    page.wait_for_selector(".my-turn .glow")
    loaded = "performance.getEntriesByType('resource').map(({name}) => name.split('/').pop())"
    assert not {"people.js", "people.css", "words.js"} & set(page.evaluate(loaded))
    page.click("#tab-chat")
    page.click("#quick >> text=Hello")
    page.wait_for_selector("#chat li")
    assert {"people.js", "people.css"} <= set(page.evaluate(loaded))
    page.click("#menu summary")
    page.click(".menu-box [data-do=words]")
    page.wait_for_selector("#in-words table")
    assert page.get_attribute(".menu-box [data-do=words]", "aria-pressed") == "true"
    page.reload()
    page.wait_for_selector("#in-words table")
    page.wait_for_selector("#chat li", state="attached")
