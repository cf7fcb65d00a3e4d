"""The line that keeps the goal of misDIRECTION in sight, and the rule behind the "?"."""

import pytest

from rulestone.table import Face

HEADING = {(4, 4): "A-SE", (9, 9): "A-W", (2, 2): "A-N"}


@pytest.fixture(scope="module")
def face(game):
    return Face.of(game)


def laid(misdirection, up=HEADING, **more):
    at = misdirection.at(up=up, tokens={0: (4, 4), 2: (9, 9)}, **more)
    at.refresh()  # counts the face-up tiles
    return at


def test_the_line_names_the_number_that_wins_or_how_far_you_are_away(misdirection, face):
    at = laid(misdirection)
    assert face.goal(at.view(0), 0) == "Land exactly on the centre: a 3 wins 3 points."
    assert face.goal(at.view(2), 2) == "Land exactly on the centre: you're 2 away. A win is worth 3 points."
    assert face.goal(at.view(1), 1) == "Land exactly on the centre: you're 7 away. A win is worth 3 points."


def test_spectators_read_who_is_nearest(misdirection, face):
    at = laid(misdirection, players=2)
    assert face.goal(at.view(None), None) == "Land exactly on the centre: Green is 2 away. A win is worth 3 points."


def test_no_number_wins_from_a_corner_although_its_arrow_points_at_the_centre(game, face):
    match = game.new(seed=1)
    assert face.goal(match.view(0), 0) == "Land exactly on the centre: you're 7 away. A win is worth 0 points."


def test_Q35_the_line_does_not_give_a_covered_arrow_away(misdirection, face):
    lines = set()
    for code in ("A-SE", "A-NW"):
        at = laid(misdirection, HEADING | {(4, 4): code}, covered_view="blank")
        lines.add(face.goal(at.view(0), 0))
    assert lines == {"Land exactly on the centre: you're 3 away. A win is worth 3 points."}


def test_after_the_game_only_the_goal_is_left(misdirection, face):
    at = laid(misdirection)
    at.roll(3)
    assert at.over
    assert face.goal(at.view(0), 0) == "Land exactly on the centre."


def test_the_rule_that_applies_is_the_step_of_the_turn(misdirection, face):
    at = laid(misdirection)
    assert face.rule(at.view(0)) == "R21"
    at.roll(1)
    assert face.rule(at.view(0)) == "R22"
