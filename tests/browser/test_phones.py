"""Phones: every game has print that can be read, and everything one needs is on the screen."""

import pytest

import rulestone
from rulestone.bots import choose
from rulestone.table import Face
from tests.browser.test_browser import CLICK, new_table, until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
SMALLEST = 10
NARROW = [name for name in rulestone.games() if Face.of(rulestone.load(name)).narrow]
TOO_SMALL = """(smallest) => {
  const main = document.querySelector("main"), scene = main.querySelector("svg.scene"), frame = scene.getBoundingClientRect(), found = [];
  for (const element of main.querySelectorAll("*")) {
    const said = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.data).join("").trim();
    if (!said || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const printed = scene.contains(element), words = document.createRange();
    words.selectNodeContents(element);
    const box = (printed ? element : words).getBoundingClientRect();
    if (box.width <= 1 || box.height <= 1 || (printed && (box.right < frame.left || box.bottom < frame.top))) continue;  // unseen, parked
    const matrix = printed ? element.getScreenCTM() : new DOMMatrix();
    const scale = Math.sqrt(Math.abs(matrix.a * matrix.d - matrix.b * matrix.c));
    const size = parseFloat(getComputedStyle(element).fontSize) * scale;
    if (scale > 0.02 && size < smallest) found.push(`${said}: ${size.toFixed(1)} px`);
    const cut = box.left < -1 || box.right > innerWidth + 1 || (printed && (box.top < frame.top - 1 || box.bottom > frame.bottom + 1));
    if (scale > 0.02 && cut) found.push(`${said}: cut off`);
  }
  return found;
}"""
DRAW = """(picture) => {
  const drawn = new DOMParser().parseFromString(picture, "image/svg+xml").documentElement, scene = document.querySelector("svg.scene");
  scene.setAttribute("viewBox", drawn.getAttribute("viewBox"));
  scene.replaceChildren(...document.importNode(drawn, true).children);
}"""
UNSEEN = """() => {
  const board = document.querySelector("#board").getBoundingClientRect(), words = document.querySelector("#prompt").getBoundingClientRect();
  const found = board.bottom > words.top + 1 ? ["the prompt covers the board"] : [];
  for (const thing of document.querySelectorAll("svg.scene .glow")) {
    const box = (thing.querySelector(".target, rect, circle, path, use") ?? thing).getBoundingClientRect();
    const x = box.left + box.width / 2, y = box.top + box.height / 2;
    if (y > board.bottom || y < board.top || x < 0 || x > innerWidth) found.push(thing.id);
  }
  return found;
}"""


def of_mine(name):
    """One's own seat among bots."""
    game = rulestone.load(name)
    return [{"kind": "me"}, *[{"kind": "bot", "bot": "random"}] * (game.about.usual_players - 1)]


def positions(name, players, every=12):
    """Matches along a game that bots play, from start to end."""
    game = rulestone.load(name)
    match, bot = game.new(3, players), "greedy" if game.greedy is not None else "random"
    while not match.over and match.ply < 140:
        if match.ply % every == 0:
            yield match
        match.play(choose(match.view(match.to_move), bot, match.ply))
    yield match


@pytest.mark.parametrize("name", rulestone.games())
def test_nothing_is_too_small_or_cut_off_from_start_to_end(person, shoot, name):
    page = person(390, 844)
    new_table(page, name, of_mine(name))
    page.wait_for_selector(".plate")
    face = Face.of(rulestone.load(name))
    assert page.evaluate(TOO_SMALL, SMALLEST) == []
    for match in positions(name, face.game.about.usual_players):
        for seat in dict.fromkeys((match.to_move or 0, None)):
            page.evaluate(DRAW, face.scene(match.view(seat), seat, True).inline())
            assert page.evaluate(TOO_SMALL, SMALLEST) == [], f"after {match.ply} moves"


@pytest.mark.parametrize("name", rulestone.games())
def test_on_a_short_phone_what_can_be_tapped_is_seen_without_scrolling(person, shoot, name):
    page = person(375, 667)
    new_table(page, name, of_mine(name))
    clicks = 0
    while clicks < 8:
        did = page.evaluate(CLICK, clicks)
        clicks += did == "clicked"
        page.wait_for_timeout(30)
        if did == "clicked" and page.locator("svg.scene .glow").count():
            assert page.evaluate(UNSEEN) == []
        if did == "over":
            break
    shoot(page, f"{name}-375")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def box(page):
    return page.get_attribute("main svg.scene", "viewBox")


def test_a_turned_phone_gets_the_other_layout_and_keeps_a_half_made_choice(person):
    page = person(390, 844)
    table = new_table(page, "sarpedon", of_mine("sarpedon"))
    page.tap("svg.scene .glow[id^=special]")
    page.wait_for_selector("svg.scene .chosen")
    upright = box(page)
    things = page.evaluate("[...document.querySelectorAll('svg.scene .glow')].map((thing) => thing.id)")
    page.set_viewport_size({"width": 844, "height": 390})
    until(page, f"document.querySelector('main svg.scene').getAttribute('viewBox') !== '{upright}'")
    until(page, f"document.querySelectorAll('svg.scene .glow').length === {len(things)}")
    assert page.locator("svg.scene .chosen").count() == 1
    page.set_viewport_size({"width": 390, "height": 844})
    until(page, f"document.querySelector('main svg.scene').getAttribute('viewBox') === '{upright}'")
    assert page.evaluate("[...document.querySelectorAll('svg.scene .glow')].map((thing) => thing.id)") == things
    assert f'viewBox="{upright}"' in page.request.get(f"/t/{table}").text(), "the next page arrives in the right layout"


@pytest.mark.parametrize("name", NARROW)
def test_lessons_replays_and_rules_have_the_layout_for_phones(person, shoot, name):
    page = person(390, 844)
    table = new_table(page, name, of_mine(name))
    upright = box(page)
    page.goto(f"/t/{table}/replay")
    until(page, "document.querySelectorAll('main svg.scene > g').length > 3")
    assert box(page) == upright
    page.goto(f"/learn/{name}")
    until(page, "document.querySelector('#prompt').textContent.length > 3")
    assert box(page) == upright
    page.goto(f"/rules/{name}")
    picture = page.locator("figure.shown img").first
    picture.scroll_into_view_if_needed()
    until(page, "document.querySelector('figure.shown img').currentSrc.endsWith('?narrow=1')")
    shoot(page, f"{name}-rules-390")


def test_a_tap_on_something_that_can_not_be_chosen_explains_it(person):
    page = person(390, 844)
    new_table(page, "sarpedon", of_mine("sarpedon"))
    page.wait_for_selector(".my-turn .glow")
    page.tap("#deck-1")
    page.wait_for_selector("#hovercard:not([hidden])")
    assert "deck" in page.inner_text("#hovercard")
    ply = page.evaluate("document.querySelectorAll('#story li').length")
    page.tap("#prompt")
    page.wait_for_selector("#hovercard", state="hidden")
    page.tap("svg.scene .glow[id^=tile]")
    until(page, f"document.querySelectorAll('#story li').length > {ply}")
    assert page.is_hidden("#hovercard")


def test_at_the_end_who_won_has_the_whole_width(person, shoot):
    page = person(390, 844)
    table = new_table(page, "connect_four", [{"kind": "me"}] * 2)
    for column in (0, 1, 0, 1, 0, 1, 0):
        page.wait_for_selector(f".my-turn #column-{column}.glow")
        page.tap(f"#column-{column}")
    page.wait_for_selector(".ended")
    shoot(page, "ended-390")
    assert page.is_hidden("#goal")
    assert page.locator("#prompt").bounding_box()["width"] > 250
    page.goto(f"/t/{table}")
    page.wait_for_selector(".ended")
    assert page.is_hidden("#goal")


def test_free_seats_are_offered_once_and_in_sight_on_a_small_phone(person):
    host, guest = person(), person(375, 667)
    table = new_table(host, "hydra_regatta", [{"kind": "me", "name": "Anna-Maria Wolkenstein"}, {"kind": "open"}, {"kind": "open"}])
    guest.goto(f"/t/{table}")
    guest.locator("#choices button").first.wait_for()
    offers = guest.get_by_role("button", name="seat").all()
    assert [offer.text_content() for offer in offers] == ["Take Blue's seat", "Take Green's seat"]
    box = "const box = button.getBoundingClientRect()"
    foot = f"(button) => {{ {box}; return document.elementFromPoint(box.x + 30, box.bottom - 2) === button; }}"
    assert [offer.evaluate(foot) for offer in offers] == [True, True]


@pytest.mark.parametrize("width", [1280, 390])
def test_a_long_name_is_not_cut_off(person, width):
    page = person(width)
    new_table(page, "connect_four", [{"kind": "me", "name": "Annemarie v. Wolkenstein"}, {"kind": "open"}])
    shown = page.locator(".plate-name small").first
    assert "v. Wolkenstein" in shown.inner_text()
    assert shown.evaluate("(name) => name.scrollWidth <= name.clientWidth && getComputedStyle(name).textOverflow === 'clip'")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
