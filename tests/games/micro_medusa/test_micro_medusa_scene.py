"""The face of Micro Medusa: every move can be clicked, nothing hidden shows, everything has words."""

import random
import re
from functools import cache
from itertools import pairwise

import pytest

import rulestone
from rulestone.games.micro_medusa import rules, scene
from rulestone.table import Face

GAME = rulestone.load("micro_medusa")
FACE = Face.of(GAME)
EYES = (0, 1, None)
VARIANTS = (
    {},
    {"grid": "square"},
    {"section": "bend", "win_check": "round_end", "run_out": "draft"},
    {"champion_blocks": "off", "heart_play": "on", "petrify": "three", "chain": "bare"},
)


@cache
def games():
    """Every position of a few random games."""
    played = []
    for number, options in enumerate(VARIANTS):
        for seed in range(3 if not options else 1):
            match, chance = GAME.new(seed=seed, options=options), random.Random(10 * number + seed)
            line = [match.copy()]
            while not match.over:
                match.play(chance.choice(match.legal()))
                line.append(match.copy())
            played.append(line)
    return played


def positions():
    return [match for line in games() for match in line]


def narrow(moves, clicks):
    """What the table page does: keep the moves that begin with these clicks."""
    return [move for move in moves if list(move["picks"][: len(clicks)]) == list(clicks)]


def test_only_placing_is_asked_about():
    for match in positions()[::3]:
        if not match.over:
            assert all(bool(move["sure"]) == move["move"].startswith("place") for move in FACE.moves(match.view(match.to_move)))


def test_the_tile_is_turned_up_in_its_place_before_its_effect():
    seen = set()
    for line in games():
        for before, after in pairwise(line):
            revealed = next((event for event in after.view(1).events if event.name == "reveals"), None)
            if before.state.phase != rules.RESPOND or revealed is None:
                continue
            was, now = before.view(1), after.view(1)
            hidden = f"up-{revealed.args[1]}"
            shown = FACE.steps(was, now)
            turning = next(k for k, step in enumerate(shown) if hidden in step["go"])
            assert f'transform="{shown[turning]["go"][hidden]}"' in FACE.scene(was, 1).parts[hidden]
            assert now.events[shown[turning]["event"]].name == "reveals"
            seen |= {now.events[step["event"]].name for step in shown[turning + 1 :] if hidden in step["flash"]}
    assert {"severs", "reflects", "burns", "settles"} <= seen


def test_second_click_on_a_weapon_is_enough():
    match = GAME.new(seed=1)
    while match.state.phase != rules.RESPOND:
        match.play(match.legal()[0])
    moves = FACE.moves(match.view(1))
    for gear in range(3):
        assert len(narrow(moves, [f"gear-{gear}", f"gear-{gear}"])) == 1
    picture = FACE.scene(match.view(1), 1)
    assert 'id="ghost-0"' in picture.parts["gear-0"]
    assert 'pointer-events="visible"' in picture.parts["gear-0"]


def test_events_and_endings_have_words():
    for match in positions():
        for eyes in EYES:
            view = match.view(eyes)
            for said in FACE.story(view):
                assert re.search(r"\[[RQ]\d+\]$", said)
        if match.over:
            who, why = FACE.ending(match.view(None))
            assert who.endswith(".")
            assert len(why) > 5


@pytest.mark.parametrize("eyes", [1, None])
def test_nothing_hidden_shows(eyes):
    """Worlds that look the same to somebody make the same picture."""
    redeal = GAME.interpreted(GAME.rules.redeal)
    differs = 0
    for number, match in enumerate(positions()[::5]):
        view = match.view(eyes)
        drawn = FACE.scene(view, eyes).data()
        other = match.copy()
        other._array[:] = view._array
        reader = GAME.layout.reader(other._array)
        reader.rng = number + 1
        redeal(reader, -1 if eyes is None else eyes)
        differs += other.state.hand.tolist() != match.state.hand.tolist()
        assert FACE.scene(other.view(eyes), eyes).data() == drawn
    assert differs
    for match in positions():
        if match.state.phase == rules.RESPOND:
            part = FACE.scene(match.view(eyes), eyes).parts[f"t-{match.state.n_tiles}"]
            assert "mm-back" in part
            assert not re.search("mm-(H|E|knot)", part)


def test_looking_back_with_everything_open_shows_medusas_tiles():
    """Face up in her hand, those the Champion did not know marked; on the back of the tile in play its kind. A spectator sees neither."""
    secrets = played = 0
    for match in positions():
        s, opened, seen = match.state, FACE.scene(match, None), FACE.scene(match.view(None), None)
        pool = int(sum(s.known)) + int(s.secret)
        shown = {kind: opened.parts[f"hand-{kind}"].count('id="own-') for kind in range(5) if f"hand-{kind}" in opened.parts}
        if pool:
            assert shown == {kind: int(count) for kind, count in enumerate(s.hand) if count}
            assert not any(id.startswith("held-") for id in opened.parts)
            assert sum(id.startswith("held-") for id in seen.parts) == pool
        assert not any(id.startswith(("hand-", "own-")) for id in seen.parts)
        secrets += any(">secret<" in part for part in opened.parts.values())
        if s.phase == rules.RESPOND:
            down = opened.parts[f"t-{s.n_tiles}"]
            assert "mm-back" in down
            assert re.search("mm-(H|E|knot)", down)
            assert "hidden from the Champion" in opened.cards[f"t-{s.n_tiles}"].text
            played += 1
        if s.stack_n:
            assert opened.cards["stack"].text.count(",") == s.stack_n
            assert "From the top" not in seen.cards["stack"].text
    assert secrets
    assert played


def test_tiles_keep_their_size_for_long_and_never_grow_again():
    for line in games():
        levels = [scene.zoom(t.grid, t.room())[0] for t in map(scene.Table, (match.view(1) for match in line))]
        assert levels == sorted(levels, reverse=True)
        assert len(set(levels)) <= 3
        for match in line:
            t = scene.Table(match.view(1))
            assert set(t.shown(t.spots())) <= set(t.room())


@pytest.mark.parametrize("grid", [0, 1])
def test_every_space_has_its_own_words(grid):
    words = [scene.where(grid, cell) for cell in range(1, len(scene.SPACES[grid]))]
    assert len(set(words)) == len(words)
    assert all(said.endswith("Medusa's head") for said in words)
    assert not any(word in said for said in words for word in ("1 steps", "up of", "down of"))
    assert scene.where(0, scene.NEIGHBOURS[0][0][0]) == "right of Medusa's head"
    far = scene.NEIGHBOURS[0][scene.NEIGHBOURS[0][0][0]][1]
    assert scene.where(0, far) == "1 step right and 1 upper right of Medusa's head"


def test_counts_agree_with_the_rules():
    for match in positions():
        t = scene.Table(match.view(0))
        s = match.state
        assert sum(t.ends.values()) == GAME.interpreted(rules.open_ends)(match._s, False, 99)
        assert t.pool == int(sum(s.hand)) + (s.phase == rules.RESPOND)
        assert t.rounds_left() >= 1


def test_warning_before_closing_oneself_in():
    warned = 0
    for match in positions():
        if match.state.phase == rules.PLACE:
            view = match.view(0)
            t = scene.Table(view)
            for move in view.legal():
                left = sum(count for cell, count in t.ends.items() if cell != move.args[1])
                asked = scene.confirm(view, move)
                assert asked.startswith("Careful") == (left <= 1)
                warned += left <= 1
    assert warned


def test_text():
    for match in positions()[::5]:
        drawn = scene.text(match.view(1))
        assert "M" in drawn
        assert "stack" in drawn


@pytest.mark.parametrize(("board", "options", "rule"), [("", {"champion_blocks": "off"}, "Q10"), ("xE2 xE6 xE7 xS8 xS18", {}, "Q11")])
def test_Q10_Q11_an_answer_beside_the_board_cites_the_rule_that_puts_it_there(lay, board, options, rule):
    match = lay(board, equip="BST", options=options)
    match.play("place H 1")
    view = match.view(1)
    assert FACE.scene(view, 1).cards["beside"].rule == rule
    assert "beside the board" in FACE.prompt(view, 1)
    events = match.play("respond Shield 6")
    assert FACE.say(match.view(1), events[0]).endswith(f"[{rule}]")
    assert match.say(events[0]).endswith("[R22]")
    assert "keeps Medusa out" not in FACE.scene(match.view(1), 1).cards["weapon-1-0"].text


def test_the_title_counts_like_people_do(lay):
    match = lay("H1r3", live=1)
    said = FACE.scene(match.view(0), 0).title
    assert "1 Snakehead in play" in said
    assert "1 Heart beating" in said
    match = lay("S1r1", live=2)
    assert "0 Snakeheads in play, 0 captured, 2 Hearts beating" in FACE.scene(match.view(0), 0).title


def test_Q5_several_open_ends_point_and_one_points(lay):
    cards = [card.text for card in FACE.scene(lay("S1r1 S2r0").view(0), 0).cards.values() if card.rule == "Q5"]
    assert "1 open end of Medusa's hair points here." in cards
    assert "2 open ends of Medusa's hair point here." in cards
