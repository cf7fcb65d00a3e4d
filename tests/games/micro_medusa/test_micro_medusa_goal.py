"""The goal line above the prompt, and the rule behind the "?"."""

import pytest

from rulestone.games.micro_medusa import rules
from rulestone.table import Face

START = {
    0: "Get 3 Snakeheads (now 0), 2 stone Hearts (0) or end a chain of 3 (0).",
    1: "Capture 3 Snakeheads (now 0), close 6 open ends or last 7 rounds.",
    None: "0 of 3 Snakeheads in play, 0 of 3 captured; 6 open ends, 7 rounds left.",
}
LATER = {
    0: "Get 3 Snakeheads (now 1), 2 stone Hearts (1) or end a chain of 3 (1).",
    1: "Capture 3 Snakeheads (now 2), close 4 open ends or last 4 rounds.",
    None: "1 of 3 Snakeheads in play, 2 of 3 captured; 4 open ends, 4 rounds left.",
}


@pytest.mark.parametrize("seat", [0, 1, None])
def test_the_goal_line_of_a_new_game_names_the_goals_of_the_one_who_looks(game, seat):
    assert Face.of(game).goal(game.new(seed=1).view(seat), seat) == START[seat]


@pytest.mark.parametrize("seat", [0, 1, None])
def test_the_goal_line_shows_how_far_each_goal_is(lay, seat):
    match = lay("S1r1 H3r5 E5r1 xS6", captured=2, live=1)
    assert Face.of(match.game).goal(match.view(seat), seat) == LATER[seat]


@pytest.mark.parametrize(
    ("options", "words"),
    [({}, "2 stone Hearts (0) or end a chain of 3 (0)"), ({"petrify": "three", "chain": "bare"}, "3 stares (0) or a chain of 3 (0)")],
)
def test_the_goal_line_follows_the_options(game, options, words):
    assert words in Face.of(game).goal(game.new(seed=1, options=options).view(0), 0)


def test_the_goal_line_counts_a_drafted_heart(lay):
    match = lay(equip="BST")
    assert "3 stone Hearts (0)" in Face.of(match.game).goal(match.view(0), 0)


@pytest.mark.parametrize(
    ("phase", "rule"),
    [(rules.MEDUSA_DRAFT, "R18"), (rules.CHAMPION_DRAFT, "R19"), (rules.PLACE, "R21"), (rules.RESPOND, "R22"), (rules.ROTATE, "R24")],
)
def test_the_question_mark_opens_the_rule_of_the_phase(lay, play, phase, rule):
    if phase == rules.ROTATE:
        match = lay("S1r1 S2r0")
        play(match, "place S 8, respond Blade 0")
    elif phase == rules.RESPOND:
        match = lay()
        play(match, "place H 1")
    else:
        match = lay(phase=phase)
    assert match.state.phase == phase
    assert Face.of(match.game).rule(match.view(match.to_move)) == rule
