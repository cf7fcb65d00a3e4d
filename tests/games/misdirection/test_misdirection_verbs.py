"""Rules said once: what the table shows ahead is what the rules then do, and every refusal gives its reason."""

import random

import pytest

import rulestone
from rulestone.games.misdirection import scene as look
from rulestone.games.misdirection.rules import OFF_BOARD, REASONS, UNTOLD
from rulestone.games.misdirection.words import Table
from tests.games.misdirection.conftest import Table as Laying
from tests.games.misdirection.conftest import generator_for
from tests.games.misdirection.test_misdirection_second_version import lay

CHANGED = {"TELEPORTS": 60, "OPPOSITES": 60, "ROLL_AGAINS": 0}


def laid(game, chance):
    """A position laid at random in which the token of the player to move has not yet moved."""
    while True:
        match = lay(Laying(game), chance).match
        if match.state.phase == 0:
            match.refresh()
            return match


def landing(match, number):
    """Where a token stops if this number is rolled, before the tile there takes effect."""
    after = match.copy()
    after.play("roll", rng=generator_for((number,))[0])
    legs = []
    for event in after.events:
        if event.name in ("lost_at_edge", "lost_at_corner"):
            return OFF_BOARD
        if event.name == "roll_again":
            break
        if event.name == "travels":
            legs.append(event)
    return legs[-1].args[3]


@pytest.fixture(scope="module", params=["usual", "changed"])
def any_game(request):
    return rulestone.load("misdirection", changes=CHANGED if request.param == "changed" else {})


@pytest.mark.parametrize("seed", range(3))
def test_R10_R17_the_paths_shown_at_the_die_are_those_then_taken(any_game, seed):
    chance, known = random.Random(seed), 0
    for _ in range(25):
        match = laid(any_game, chance)
        t = Table(match.view(match.to_move))
        for number, end in look.reach(t).items():
            if end != UNTOLD:
                assert end == landing(match, number)
                known += 1
    assert known > 50


@pytest.mark.parametrize("seed", range(3))
def test_Q10_after_a_warning_every_number_leads_home(any_game, seed):
    chance = random.Random(seed)
    for _ in range(25):
        match = laid(any_game, chance)
        t = Table(match.view(match.to_move))
        if t.heading(t.pos[t.seat]) is not None:
            numbers = [t.opening] if t.opening else range(1, 7)
            assert t.leads_home(t.pos[t.seat]) == all(landing(match, number) == OFF_BOARD for number in numbers)


@pytest.mark.parametrize("seed", range(3))
def test_R22_R29_the_steps_and_jumps_shown_are_those_the_rules_allow(any_game, seed):
    chance = random.Random(seed)
    for _ in range(25):
        match = laid(any_game, chance)
        view = match.view(match.to_move)
        t, moves = Table(view), {(move.verb, *move.args) for move in view.legal()}
        things = look.scene(view, match.to_move).inline()
        assert (t.steps[0] == "now") == any(verb.startswith("rot") for verb, *_ in moves)
        if t.steps[0] == "now":
            for cell in look.art.TILE_CELLS:
                assert (f'id="port-{cell}"' in things) == (("teleport", cell) in moves)
                assert (f'id="cw-{cell}"' in things) == (("rot_cw", cell) in moves)
        after = match.copy()
        after.play("roll")
        if t.steps[2] == "never":
            assert after.state.phase != 1


def test_Q19_a_rotation_before_rolling_leaves_none_for_the_end_of_the_turn(misdirection):
    at = misdirection.at(up={(4, 4): "A-E"}, tokens={0: (4, 4)}, light=[0], autoflip_rotate=1)
    assert Table(at.view(0)).steps == ("now", "now", "later")
    at.rot_cw(4, 4)
    assert Table(at.view(0)).steps == ("done", "now", "never")


def test_every_reason_is_given_somewhere_and_names_its_rule(any_game):
    chance, given = random.Random(1), set()
    for _ in range(150):
        match = lay(Laying(any_game), chance).match
        match.state.rotated = int(match.state.phase == 0 and chance.random() < 0.2)
        for action in range(0, len(any_game.actions), chance.choice([1, 7])):
            given.add(match.ask(any_game.rules.may, action))
        match.state.phase = 2
        given.add(match.ask(any_game.rules.may, 0))
    assert given - {0} == set(REASONS.codes)
    assert all(REASONS.say(reason).endswith("]") for reason in given - {0})
