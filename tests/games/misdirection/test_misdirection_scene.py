"""The face of misDIRECTION: pictures, clicks and words, for every number of players and every pair of eyes."""

import random
import re
from pathlib import Path

import pytest

import rulestone
from rulestone.games.misdirection import art, words
from rulestone.games.misdirection import scene as look
from rulestone.games.misdirection.content import CELLS, COLOURS, KIND_NAMES
from rulestone.games.misdirection.rules import EVENTS, OFF_BOARD, UNTOLD
from rulestone.kernel.story import Event
from rulestone.table import Face
from rulestone.table.kit import PARK
from rulestone.table.look import SEATS, TOKENS

RULES = Path(look.__file__).with_name("RULES.md").read_text()
KNOWN_RULES = set(re.findall(r"\*\*([RQ]\d+)\*\*", RULES))
IDS = re.compile(r' id="([\w-]+)"')
TURNS = {"turns_free", "turns_own", "turns_under"}


@pytest.fixture(scope="module")
def face(game):
    return Face.of(game)


def positions(game, players, seed, plies=36, every=5, **options):
    """Matches along a random game."""
    match, chance = game.new(seed=seed, players=players, options=options), random.Random(seed)
    while match.ply < plies and not match.over:
        if match.ply % every == 0 or match.ply < 3:
            yield match
        match.play(chance.choice(match.legal()[:40]))
    yield match


def ids(scene):
    """Every id that the page can find, nested ones too."""
    return [id for part in scene.parts.values() for id in IDS.findall(part)]


def test_the_opening_is_a_move_with_the_number_rolled(game, face):
    match = game.new(seed=3, players=4)
    view = match.view(match.to_move)
    (move,) = face.moves(view)
    assert move["label"] == f"Move {match.state.opening}"
    assert str(match.state.opening) in face.prompt(view, match.to_move)


def test_everybodys_roll_off_die_is_shown_until_the_first_move(game, face):
    match = game.new(seed=3, players=4)
    parts = face.scene(match.view(None), None).parts
    for seat, number in enumerate(match.state.rolloff.tolist()):
        assert f"#md-die{number}" in parts[f"start-{seat}"]
        assert 'data-motion="roll"' in parts[f"start-{seat}"]
    assert f"{COLOURS[match.state.first]} goes first" in parts["begins"]
    match.play(match.legal()[0])
    assert not {"begins", "start-0"} & set(face.scene(match.view(None), None).parts)


def test_Q35_a_memory_game_shows_no_covered_arrow(misdirection, face):
    up = {(4, 4): "O-E", (9, 9): "A-N"}
    drawn = []
    for code in ("O-E", "O-N"):
        at = misdirection.at(up={**up, (4, 4): code}, tokens={0: (4, 4)}, light=[0], covered_view="blank")
        drawn.append((face.scene(at.view(0), 0).data(), face.prompt(at.view(0), 0)))
    assert drawn[0] == drawn[1]
    at = misdirection.at(up=up, tokens={0: (4, 4)}, light=[0])
    assert "←" in face.prompt(at.view(0), 0)
    for name, args in (("will_head", (0, 1)), ("will_head_opposite", (0, 1)), ("turns_over", (5, 1))):
        event = Event(name, args)
        assert "↗" in face.say(at.view(0), event)
        blank = misdirection.at(up=up, covered_view="blank")
        assert not set(look.ARROWS) & set(face.say(blank.view(0), event))


def test_every_event_can_be_said_with_its_rule_and_without_coordinates(misdirection, face):
    view = misdirection.at(up={(4, 4): "A-E"}).view(0)
    for name in EVENTS.order:
        said = face.say(view, Event(name, (1,) * len(EVENTS.arguments[name])))
        tags = re.findall(r"\[(\w+)\]$", said)
        assert tags, said
        assert set(tags) <= KNOWN_RULES, said
        assert not re.search(r"\(\d+,\d+\)", said), said


@pytest.mark.parametrize("players", [2, 4])
def test_steps_follow_the_events_and_put_everything_back(game, face, players):
    for match in positions(game, players, 20 + players, plies=40, every=1):
        if match.over:
            break
        before = match.view(0)
        after_match = match.copy()
        after_match.play(after_match.legal()[0])
        after = after_match.view(0)
        here = set(ids(face.scene(before, 0)))
        steps = look.steps(before, after, after.events)
        told = [step.event for step in steps if step.event is not None]
        assert told == list(range(len(after.events)))
        parked = {}
        for step in steps:
            assert set(step.go) | set(step.flash) <= here
            parked.update({id: at for id, at in step.go.items() if id.startswith(("face", "show", "over", "note"))})
            tokens = {id: at for id, at in step.go.items() if id.startswith("token")}
            assert all((x, y) in look.PLACES or (x, y + look.LIFT) in look.PLACES for x, y in tokens.values())
        assert all(at == PARK for at in parked.values())


def test_a_rotated_tile_lies_still_after_its_step(misdirection, face):
    at = misdirection.at(up={(4, 4): "A-E", (9, 9): "A-N"}, tokens={0: (4, 4)}, light=[0])
    before = at.view(0)
    at.rot_ccw(9, 9)
    after = at.view(0)
    turning = [step for step in look.steps(before, after, after.events) if "tile-144" in step.go]
    assert [step.go["tile-144"][2] for step in turning] == [-90]
    assert 'data-motion="still"' in face.scene(after, 0).parts["tile-144"]


def test_the_token_is_lifted_before_it_moves(misdirection):
    at = misdirection.at(up={(4, 4): "A-E"}, tokens={0: (4, 4)})
    before = at.view(0)
    at.roll(3)
    after = at.view(0)
    x, y = look.PLACES[64]
    shown = look.steps(before, after, after.events)
    lifted = next(k for k, step in enumerate(shown) if step.go.get("token-0") == (x, y - look.LIFT))
    assert shown[lifted].go["show-2"] == (x, y)
    assert shown[lifted].ms == 500
    assert [step.go["token-0"] for step in shown[lifted + 1 : lifted + 4]] == [look.PLACES[cell] for cell in (65, 66, 67)]


def test_the_memory_aid_can_show_just_your_own_token(misdirection, face):
    at = misdirection.at(up={(4, 4): "A-E", (9, 9): "A-N"}, tokens={0: (4, 4), 2: (9, 9)})
    parts = face.scene(at.view(0), 0).parts
    assert 'class="aid own"' in parts["token-0"]
    assert 'class="aid"' in parts["token-2"]
    blank = misdirection.at(up={(4, 4): "A-E"}, tokens={0: (4, 4)}, covered_view="blank")
    assert "aid" not in face.scene(blank.view(0), 0).parts["token-0"]


def test_a_grey_step_says_why(misdirection, face):
    light = misdirection.at(up={(4, 4): "A-E"}, tokens={0: (4, 4)}, light=[0])
    assert face.scene(light.view(0), 0).cards["steps"].text == "Light disk: a tile may only be rotated before rolling."
    dark = misdirection.at(up={(4, 4): "A-E"}, tokens={0: (4, 4)})
    assert face.scene(dark.view(0), 0).cards["steps"].text == "Dark disk: a tile may only be rotated after moving."


def test_ways_show_where_each_number_leads(misdirection):
    def ends(at):
        return list(look.reach(words.Table(at.view(0))).values())

    at = misdirection.at(up={(2, 5): "A-N", (0, 5): "A-E"}, tokens={0: (2, 5)})
    assert ends(at) == [20, 5, 6, 7, 8, 9]
    at = misdirection.at(up={(2, 5): "A-N"}, down={(0, 5): "A-E"}, tokens={0: (2, 5)})
    assert ends(at) == [20, 5, *[UNTOLD] * 4]
    at = misdirection.at(up={(2, 5): "A-N", (0, 5): "A-N"}, tokens={0: (2, 5)})
    assert ends(at) == [20, 5, *[OFF_BOARD] * 4]


def test_an_outward_arrow_comes_with_a_warning(misdirection, face):
    at = misdirection.at(up={(0, 5): "A-N"}, tokens={0: (0, 5)}, light=[0])
    assert "off the board" in face.prompt(at.view(0), 0)
    assert "off the board" in face.scene(at.view(0), 0).plates[0].lines[1]
    at = misdirection.at(up={(0, 5): "O-S"}, tokens={0: (0, 5)}, light=[0])  # Q10: turns at once and follows the arrow
    assert "off the board" not in face.prompt(at.view(0), 0)


def test_a_teleport_onto_somebody_is_confirmed(misdirection, face):
    at = misdirection.at(up={(3, 9): "T3-S", (7, 4): "T0-E", (1, 9): "T0-N"}, tokens={0: (3, 9), 2: (7, 4)})
    sure = {move["move"]: move["sure"] for move in face.moves(at.view(0))}
    assert "Green" in sure["teleport 109"]
    assert sure["teleport 24"] == sure["roll"] == ""


def test_a_wrong_click_is_answered_by_the_rule(misdirection, face):
    at = misdirection.at(up={(4, 4): "A-E"}, tokens={0: (4, 4)})
    view = at.view(0)
    assert "dark" in face.why_not(view, "tile-64")
    assert "no tile to rotate" in face.why_not(view, "corner-2")
    for id in ids(face.scene(view, 0)):
        assert face.why_not(view, id)[-1] in ".]"


def test_a_replay_with_nothing_hidden_shows_the_face_down_tiles(misdirection, face, game):
    match = next(match for match in positions(game, 4, 3, covered_view="blank") if match.ply == 20)
    seen, opened = face.scene(match.view(None), None), face.scene(match, None)
    for cell in art.TILE_CELLS:
        id, code = f"tile-{cell}", int(match.state.tile[cell])
        if match.state.face[cell]:
            assert "#md-back" not in opened.parts[id] + seen.parts[id]
            continue
        assert re.findall("#md-[a-z]+", seen.parts[id]) == ["#md-back"]
        assert "#md-flat" in opened.parts[id]
        assert f"rotate({45 * (code & 7)})" in opened.parts[id] or not code & 7
        assert opened.cards[id].name == f"Face down: {KIND_NAMES[code >> 3]} {look.ARROWS[code & 7]}"
    aid = [f"token-{seat}" for seat in range(4) if match.state.face[match.state.pos[seat]]]
    assert aid
    assert all("md-tip" in opened.parts[id] and "md-tip" not in seen.parts[id] for id in aid)  # what a token covers


def luminance(colour):
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def colour_of(name, theme):
    """A colour of the look as red, green and blue from 0 to 1."""
    if name.endswith("-soft"):
        pairs = zip(colour_of(name[:-5], theme), colour_of("board", theme), strict=True)
        return [0.24 * a + 0.76 * b for a, b in pairs]
    if name.startswith("seat"):
        value = SEATS[int(name[4:])][1]
    else:
        value = SEATS[int(name[2:])][2] if name[:2] == "on" else TOKENS[name][theme]
    return [int(value[k : k + 2], 16) / 255 for k in (1, 3, 5)]


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [0, 1])
def test_the_text_around_the_board_is_readable(theme):
    """Each text against the shape before it (or the table): 4.5 : 1, and on a phone 390 px wide at least 9 px high."""
    every = [art.steps_bar(seat, states) for seat in range(4) for states in (("now", "now", "never"), ("done", "done", "now"))]
    every += [art.steps_bar(0, ("never", "now", "later")), art.steps_bar(0, ("now", "now", "later")), *art.pot(14, 16, False)]
    every += [art.disk(seat, 1, lose, active, 0)[0] for seat in range(4) for lose in (0, 1) for active in (False, True)]
    every += [art.legend(kind, 128) for kind in range(6)]
    for part in every:
        ground = "felt"
        for name, rest in re.findall(r"<(rect|text)([^>]*)", part):
            fill = (re.search(r"\bf-([\w-]+)", rest) or [None, "ink"])[1]
            if name == "rect":
                ground = fill
                continue
            assert contrast(colour_of(fill, theme), colour_of(ground, theme)) >= 4.5, (part, fill, ground)
            assert float(re.search(r'font-size="([\d.]+)"', rest)[1]) * 390 / look.WIDTH >= 9


def test_the_steps_fit_between_the_plates():
    for states in (("now", "now", "never"), ("done", "done", "now"), ("never", "now", "later"), ("now", "now", "later")):
        chips = re.findall(r'<rect x="(-?[\d.]+)"[^>]* width="([\d.]+)"', art.steps_bar(2, states))
        assert len(chips) == 3
        assert all(abs(float(x)) <= 122 and abs(float(x) + float(width)) <= 122 for x, width in chips)


def test_the_centre_has_no_golden_ring(face, game):
    assert "s-gold" not in face.scene(game.new(seed=1).view(None), None).parts["centre"]


def test_the_ending(misdirection, game, face):
    at = misdirection.at(up={(4, 4): "A-SE"}, tokens={0: (4, 4)})
    at.roll(3)
    who, why = face.ending(at.view(None))
    assert who == "Red wins 1 point."
    assert "[R16]" in why
    assert "crown" in face.scene(at.view(None), None).parts
    draw = game.new(seed=1, players=4, options={"cap_turns": 1})
    while not draw.over:
        draw.play(draw.legal()[0])
    if draw.state.winner == 255:
        assert face.ending(draw.view(None))[0] == "It's a draw."


def test_the_drawing_for_terminals(game):
    for match in positions(game, 3, 4, every=20):
        rows = look.text(match.view(None)).splitlines()
        assert len(rows) == 16
        assert sum(len(row.split()) for row in rows[:15]) == CELLS


@pytest.mark.parametrize(
    ("teleport_from", "tile", "kind"),
    [
        ("any_teleport", "From any Teleport tile of a colour in play, Red may jump here instead of rolling.", "Standing on one,"),
        ("anywhere", "From anywhere, Red may jump here instead of rolling.", "From anywhere"),
        ("own_teleport", "From any other Red Teleport tile, Red may jump here instead of rolling.", "Standing on one of your own colour,"),
    ],
)
def test_Q26_cards_say_from_where_you_may_teleport(misdirection, face, teleport_from, tile, kind):
    at = misdirection.at(up={(4, 4): "T0-E"}, teleport_from=teleport_from)
    cards = face.scene(at.view(0), 0).cards
    assert cards["tile-64"].text.startswith(tile)
    assert cards["kind-2"].text.startswith(kind)


def test_Q40_cards_say_that_tiles_of_absent_colours_are_plain_arrows(misdirection, face):
    at = misdirection.at(players=2, up={(4, 4): "T1-E", (5, 5): "L3-N", (6, 6): "T2-E", (7, 8): "L2-E"})
    cards = face.scene(at.view(0), 0).cards
    assert cards["tile-64"].text.startswith("Nobody plays Blue, so this is a plain arrow.")
    assert cards["tile-80"].text.startswith("Nobody plays Yellow, so this is a plain arrow.")
    assert cards["tile-64"].rule == cards["tile-80"].rule == "Q40"
    assert "Green may jump here" in cards["tile-96"].text
    assert "Green misses a turn" in cards["tile-113"].text
    assert "colours nobody plays" in cards["kind-5"].text
    assert "colours nobody plays" not in face.scene(misdirection.at().view(0), 0).cards["kind-5"].text


def test_R7_a_die_with_more_numbers_is_rolled_checked_and_drawn():
    game = rulestone.load("misdirection", changes={"RANGE": 9})
    shown = set()
    for seed in range(12):
        match = game.new(seed=seed)
        match.check()
        before = match.copy()
        match.play("roll")
        view = match.view(0)
        scene = Face.of(game).scene(view, 0)
        faces = {id for step in Face.of(game).steps(before.view(0), view) for id in step["go"] if id.startswith("face-")}
        assert faces <= set(scene.parts)
        assert all(f'id="md-die{id[5:]}"' in scene.parts["defs"] for id in faces)
        shown |= faces
    assert shown & {"face-7", "face-8", "face-9"}
