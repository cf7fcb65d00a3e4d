"""Honest dice in a real browser: everybody's browser has a part in the seed, and the page checks it after the end."""

import json
from functools import partial
from pathlib import Path

from tests.browser.test_table_page import TWO_OF_ME, drop, new_table, text, until

EXAMPLES = json.loads((Path(__file__).parents[1] / "seeds.json").read_text())


def noted(page, table):
    return json.loads(page.evaluate(f"localStorage['dice:{table}'] ?? '{{}}'"))


def set_up(page, *seats):
    """Set up a short game on the set-up page, as people do."""
    page.goto("/new/connect_four")
    for number, kind in enumerate(seats):
        page.select_option(f"[name=seat{number}]", kind)
    page.click("form [type=submit]")
    page.wait_for_url("**/t/*")
    return page.url.rsplit("/", 1)[1]


def line_up(*pages):
    """The first page's player lines up four."""
    for k, column in enumerate((0, 1, 0, 1, 0, 1, 0)):
        drop(pages[k % len(pages)], column)
    for page in pages:
        page.wait_for_selector(".ended")


def opened(page):
    page.click(".seal")
    return text(page, "dialog.checked")


def test_javascript_and_python_make_the_same_seeds(person):
    page = person()
    page.goto("/about")
    base = page.evaluate("document.querySelector('link[rel=stylesheet]').href.replace(/[^/]*$/, '')")
    made = page.evaluate(
        """async ([base, examples]) => {
          const { mix, generator } = await import(base + "verify.js");
          const { pledgeOf } = await import(base + "dice.js"), { sha256 } = await import(base + "sha256.js");
          const pledges = (one) => one.values.map((value, n) => (value ? pledgeOf(value) : one.pledges[n]));
          return examples.map((one) => [mix(one), sha256(one.secret), pledges(one), [0, 1, 2].map((ply) => generator(one.seed, ply))]);
        }""",
        [base, EXAMPLES],
    )
    assert made == [[one["seed"], one["commitment"], one["pledges"], one["generators"]] for one in EXAMPLES]


def test_two_browsers_make_a_seed_together_and_check_it_after_the_end(person, shoot):
    anna, ben = person(name="Anna"), person(name="Ben")
    table = set_up(anna, "me", "open")
    ben.goto(f"/t/{table}")
    ben.click("#choices button")
    line_up(anna, ben)
    record = anna.request.get(f"/api/tables/{table}/record").json()
    notes = [noted(page, table) for page in (anna, ben)]
    assert record["seed_parts"]["values"] == [note["value"] for note in notes]
    assert [note["pledges"] for note in notes] == [record["seed_parts"]["pledges"]] * 2
    for page in (anna, ben):
        assert text(page, ".seal") == "✓ Dice checked"
        said = opened(page)
        for words in (
            "Honest dice",
            "own random number is part of the seed",
            "was not swapped",
            "the deal and 7 moves were checked",
            "--mine",
        ):
            assert words in said
    shoot(anna, "dice-checked")
    ben.set_viewport_size({"width": 390, "height": 844})
    shoot(ben, "dice-checked-phone")
    for page in (anna, ben):
        page.click("dialog.checked >> text=Close")
    shoot(anna, "dice-mark")
    shoot(ben, "dice-mark-phone")
    anna.goto(f"/t/{table}/replay")
    assert text(anna, "#proof .seal") == "✓ Dice checked"


def test_a_rematch_has_a_part_of_both_browsers_without_a_click_of_the_second(person):
    anna, ben = person(name="Anna"), person(name="Ben")
    table = set_up(anna, "me", "open")
    ben.goto(f"/t/{table}")
    ben.click("#choices button")
    line_up(anna, ben)
    anna.click("#choices >> text=Rematch")
    anna.wait_for_url(lambda url: table not in url)
    again = anna.url.rsplit("/", 1)[1]
    until(ben, f"JSON.parse(localStorage['dice:{again}'] ?? '{{}}').pledges !== undefined")
    ben.goto(f"/t/{again}")
    line_up(ben, anna)
    values = anna.request.get(f"/api/tables/{again}/record").json()["seed_parts"]["values"]
    assert values == [noted(ben, again)["value"], noted(anna, again)["value"]]


def resealed(change, route):
    record = route.fetch().json()
    change(record)
    route.fulfill(json=record)


FORGERIES = [
    ("record", lambda it: it["seed_parts"].update(secret="f" * 64), "doesn't have the fingerprint"),
    ("record", lambda it: it["seed_parts"]["values"].__setitem__(0, "f" * 64), "is not the one that was pledged"),
    ("record", lambda it: it["seed_parts"].update(pledges=["f" * 64] * 2, values=[None] * 2), "number is missing from the seed"),
    ("record", lambda it: it.update(seed="f" * 64), "not made of these numbers"),
    ("dice", lambda it: it["generators"].__setitem__(3, "f" * 16), "The dice of move 3 don't follow"),
    ("dice", lambda it: it["generators"].__setitem__(0, "f" * 16), "The deal doesn't follow"),
    ("dice", lambda it: it["generators"].pop(), "The dice of some moves are missing"),
]


def test_a_forged_record_is_found_out(person, shoot):
    page = person()
    table = set_up(page, "me", "me")
    line_up(page)
    assert text(page, ".seal") == "✓ Dice checked"
    for what, change, reason in FORGERIES:
        path = f"**/api/tables/{table}/{what}"
        page.route(path, partial(resealed, change))
        page.reload()
        assert text(page, ".seal") == "⚠ The dice are wrong"
        said = opened(page)
        assert "don't add up" in said
        assert reason in said
        page.unroute(path)
    shoot(page, "dice-forged")


def test_a_spectator_and_a_program_are_told_what_they_cannot_know(person):
    page, tom = person(), person(name="Tom")
    table = new_table(page, "connect_four", TWO_OF_ME)
    line_up(page)
    assert text(page, ".seal") == "Dice checked"
    assert "is not part of the seed" in opened(page)
    tom.goto(f"/t/{table}")
    assert "noted no fingerprint" in opened(tom)
