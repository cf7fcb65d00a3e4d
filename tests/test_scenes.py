"""The contract of scenes, for every game that has one: with all numbers of players, with rule options, through different eyes."""

import random
import re
from functools import cache
from xml.etree import ElementTree

import pytest

import rulestone
from rulestone.table import Face

OPTIONS = {
    "artifact": [
        {},
        {"map": "3-tee", "max_height": 3, "block_supply": 4, "hand_cap": 6},
        {"seat_axes": 1, "live_limit": 1, "bonus_each": 1, "holder_bonus": 1},
        {"shuffle_bases": 1, "swap_carry": 1, "share": 0, "passive_take": 1},
    ],
    "connect_four": [{}],
    "hydra_regatta": [{}, {"roll_mode": "sequential", "rank_in_wedge": "angle", "laps": 3}],
    "micro_medusa": [
        {},
        {"grid": "square"},
        {"section": "bend", "win_check": "round_end", "run_out": "draft"},
        {"champion_blocks": "off", "heart_play": "on", "petrify": "three", "chain": "bare"},
        {"judged_first": "champion", "closing": "sections"},
    ],
    "misdirection": [
        {},
        {"covered_view": "blank"},
        {"teleport_from": "anywhere", "rotate_occupied": "own"},
        {"teleport_when": "at_once", "teleport_from": "anywhere"},
    ],
    "sarpedon": [
        {},
        {"trap_optional": 1, "swap_centre": 1, "centre_specials": 3, "centre_permanent": 0},
        {"freeze": "until_saved", "save_restores_mystery": 1, "shriek_reveals": 0},
    ],
}
LARGEST = 80_000

PHONE = 386  # what the page leaves of a screen that is 390 pixels wide
POSITIONS = 9
TABLES = [
    (name, number)
    for name in rulestone.games()
    for number in range(max(len(OPTIONS.get(name, [{}])), rulestone.load(name).max_players - 1))
]
MARK = re.compile(r"\[[RQ]\d+(?:, ?[RQ]\d+)*\]$")


@cache
def rules_of(name):
    return set(re.findall(r"\*\*([RQ]\d+)\*\*", (rulestone.load(name).folder / "RULES.md").read_text()))


@cache
def moments(name, number):
    """(the match before, a move, the match after) along a random game; the players and the options take turns."""
    game, chance = rulestone.load(name), random.Random(number)
    tables = OPTIONS.get(name, [{}])
    options, players = tables[number % len(tables)], game.max_players - number % (game.max_players - game.min_players + 1)
    if "map" in options:
        players = int(options["map"][0])
    match, found = game.new(seed=number + 1, players=players, options=options), []
    while not match.over and match.ply < 160:
        before = match.copy()
        by_verb = {}
        for move in match.legal():
            by_verb.setdefault(move.verb, []).append(move)
        match.play(chance.choice(by_verb[chance.choice(sorted(by_verb))]))
        found.append((before, match.copy()))
    step = max(1, len(found) // POSITIONS)
    return [*found[:2], *found[2::step], found[-1]]


def eyes(match):
    """Who is to move, somebody else, and a spectator."""
    first = match.to_move if match.to_move is not None else 0
    return dict.fromkeys((first, (first + 1) % match.players, None))


def ids_in(picture):
    return re.findall(r'\bid="([^"]+)"', picture)


def is_sentence(words):
    words = re.sub(r" \[[RQ]\d+(, [RQ]\d+)*\]$", "", words)  # the rule it cites
    return (words[0].isupper() or words[0].isdigit()) and words.rstrip(")")[-1] in ".…!?"


@pytest.mark.parametrize(("name", "number"), TABLES)
def test_pictures_and_words(name, number):
    face = Face.of(rulestone.load(name))
    for match, after in moments(name, number):
        for seat in eyes(match):
            view = match.view(seat)
            for scene in (face.scene(view, seat, narrow) for narrow in face.layouts()):
                picture = scene.inline()
                there = ids_in(picture)
                ElementTree.fromstring(picture)
                assert len(there) == len(set(there)), "an id stands twice"
                assert set(re.findall(r'href="#([^"]+)"', picture)) <= set(there)
                assert len(picture) < LARGEST
                assert len(scene.plates) == match.players
                for id, card in scene.cards.items():
                    assert id in there, "a hover card of nothing"
                    assert card.name
                    assert is_sentence(card.text)
                    assert card.rule in rules_of(name), (id, card)
            said = face.prompt(view, seat)
            assert is_sentence(said)
            assert len(said) < 160
            assert all(MARK.search(line) for line in face.story(after.view(seat)))
    assert face.game.scene.text(after.view(None)).strip()
    if after.over:
        assert is_sentence(face.ending(after.view(None))[0])


@pytest.mark.parametrize(("name", "number"), TABLES)
def test_every_move_is_clicked_to_and_only_that_one(name, number):
    """As the table page narrows: with all its things clicked one move is left, and it is not played before the last click."""
    face = Face.of(rulestone.load(name))
    for match, _ in moments(name, number):
        view = match.view(match.to_move)
        moves = face.moves(view)
        pictures = [face.scene(view, match.to_move, narrow).inline() for narrow in face.layouts()]
        there, labels = set.intersection(*(set(ids_in(picture)) for picture in pictures)), [move["label"] for move in moves]
        assert len(set(labels)) == len(labels)
        assert all(labels)
        order = sorted if face.any_order else list
        clicks = [order(move["picks"]) for move in moves if move["picks"]]
        for picked in clicks:
            assert set(picked) <= there
            assert clicks.count(picked) == 1
            assert [picked] == [other for other in clicks if contains(other, picked, face.any_order)]
        assert len(moves) - len(clicks) <= 3, "too many buttons"
        words = {move["move"] for move in moves}
        routes = [re.findall(r'id="([^"]+)"[^>]* data-route="([^"]+)"', picture) for picture in pictures]
        assert all(sorted(other) == sorted(routes[0]) for other in routes), "another layout leads elsewhere"
        for _, route in routes[0]:
            assert set(route.split("|")) <= words


def contains(longer, shorter, any_order):
    return longer[: len(shorter)] == shorter or (any_order and all(longer.count(id) >= shorter.count(id) for id in shorter))


@pytest.mark.parametrize(("name", "number"), TABLES)
def test_nothing_in_a_narrow_layout_is_smaller_than_a_phone_shows_legibly(name, number):
    """Text is at least 10 pixels high where the picture is as wide as a phone, whatever groups it is scaled by."""
    face = Face.of(rulestone.load(name))
    for match, _ in moments(name, number):
        for seat in eyes(match):
            scene = face.scene(match.view(seat), seat, True)
            for words, size, shown in texts(ElementTree.fromstring(scene.inline())):
                assert not shown or size * PHONE / scene.width >= 10, (words, size)


def texts(element, size=16.0, scale=1.0, shown=True):
    """Every text with its size, and whether it is shown: not hidden, not parked outside the picture."""
    placing, size = element.get("transform", ""), float(element.get("font-size", size))
    scale *= float((re.search(r"scale\(([\d.]+)", placing) or [0, 1])[1])
    shown = shown and not re.match(r"translate\(-\d{4}", placing) and scale > 0.02
    if element.tag.endswith("}text"):
        yield element.text, size * scale, shown
    for child in element:
        yield from texts(child, size, scale, shown)


@pytest.mark.parametrize(("name", "number"), TABLES)
def test_steps_tell_every_event_in_order_and_move_things_that_are_there(name, number):
    face = Face.of(rulestone.load(name))
    for match, after_match in moments(name, number):
        for seat in eyes(match):
            before, after = match.view(seat), after_match.view(seat)
            for narrow in face.layouts():
                steps = face.steps(before, after, narrow)
                told = dict.fromkeys(step["event"] for step in steps if step["event"] is not None)
                old = len(before.events) if before.ply == after.ply else 0  # a move that the viewer does not notice tells them nothing
                assert list(told) == list(range(old, len(after.events)))
                known = {id for view in (before, after) for id in ids_in(face.scene(view, seat, narrow).inline())}
                assert {id for step in steps for id in (*step["go"], *step["flash"])} <= known


@pytest.mark.parametrize(("name", "number"), TABLES)
def test_a_wrong_click_is_answered(name, number):
    face = Face.of(rulestone.load(name))
    for match, _ in moments(name, number)[::4]:
        view = match.view(match.to_move)
        for id in {id for narrow in face.layouts() for id in ids_in(face.scene(view, match.to_move, narrow).inline())}:
            assert is_sentence(face.why_not(view, id))


@pytest.mark.parametrize(("name", "number"), TABLES)
def test_worlds_that_look_the_same_are_drawn_and_told_the_same(name, number):
    face = Face.of(rulestone.load(name))
    for match, _ in moments(name, number)[::3]:
        for seat in eyes(match):
            world, viewer = match.copy(), -1 if seat is None else seat
            world._run("conceal", viewer)
            world._s.rng = 99
            world._run("redeal", viewer)
            one, other = match.view(seat), world.view(seat)
            for narrow in face.layouts():
                assert face.scene(one, seat, narrow).data() == face.scene(other, seat, narrow).data()
            assert face.moves(one) == face.moves(other)
            assert face.prompt(one, seat) == face.prompt(other, seat)
