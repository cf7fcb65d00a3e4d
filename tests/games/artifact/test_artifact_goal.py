"""The line that keeps the goal of Artifact in sight, and the rule behind the "?"."""

import pytest

from rulestone.table import Face


@pytest.fixture(scope="module")
def face(game):
    return Face.of(game)


def lines(face, match):
    """The line for player 1, player 2 and a spectator."""
    return [face.goal(match.view(seat), seat) for seat in (0, 1, None)]


def test_while_the_artifact_is_in_the_temple_the_line_says_how_far_away_it_is(lay, face):
    assert lines(face, lay(pieces={1: (2, 1), 2: (4, 4)})) == [
        "Carry the artifact home: it's in the temple, 1 square away.",
        "Carry the artifact home: it's in the temple, 2 squares away.",
        "Carry the artifact home: it's in the temple.",
    ]


def test_once_somebody_has_it_the_line_says_how_far_they_still_have_to_go(lay, face):
    assert lines(face, lay(pieces={1: (3, 1), 2: (0, 3)}, art=(0, 3), holder=2)) == [
        "Carry the artifact home: Blue has it, with 4 squares to go.",
        "Carry the artifact home: 4 squares to go.",
        "Carry the artifact home: Blue has it, with 4 squares to go.",
    ]


def test_an_artifact_that_nobody_controls_is_loose(lay, face):
    assert lines(face, lay(pieces={1: (3, 1), 2: (3, 2)}, art=(3, 2)))[0] == "Carry the artifact home: it's loose at c4, 1 square away."


def test_holes_are_walked_around(lay, face):
    match = lay("3-tripod", pieces={1: (3, 3), 2: (3, 5)}, art=(3, 5), holder=2)
    assert face.goal(match.view(1), 1) == "Carry the artifact home: 3 squares to go."
    assert face.goal(lay("3-tripod", pieces={1: (2, 3)}).view(0), 0).endswith("2 squares away.")


def test_a_short_line_fits_above_the_prompt(game, face):
    for players in (2, 3, 4):
        assert all(len(line) <= 70 for line in lines(face, game.new(seed=1, players=players)))


@pytest.mark.parametrize(("phase", "rule"), [("draw", "R7"), ("play", "R8"), ("discard", "R11")])
def test_the_rule_that_applies_is_the_step_of_the_turn(lay, face, phase, rule):
    assert face.rule(lay(phase=phase, hands={1: "Ho*6"}, discard="Rotate").view(0)) == rule


def test_the_rule_about_discarding_applies_while_nothing_else_is_possible(lay, face):
    assert face.rule(lay(phase="discard", hands={1: "Ho*7"}, hand_cap=6).view(0)) == "R10"
