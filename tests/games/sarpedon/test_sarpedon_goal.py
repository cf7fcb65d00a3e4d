"""The goal line above the prompt, and the rule behind the "?"."""

import pytest

from rulestone.table import Face
from tests.games.sarpedon.sarpedon_positions import at, game


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({}, "Bring everybody to the throne room: 0 of 4 there, 0 of 4 shards."),
        ({"pos": (8, 4, 13, 4), "shards": (1, 0, 0, 1)}, "Bring everybody to the throne room: 2 of 4 there, 2 of 4 shards."),
    ],
)
@pytest.mark.parametrize("seat", [0, 2, None])
def test_the_goal_line_counts_friends_and_shards_for_everybody_alike(fields, line, seat):
    assert Face.of(game()).goal(at(**fields).view(seat), seat) == line
    assert len(line) <= 70


@pytest.mark.parametrize(("phase", "rule"), [(0, "R10"), (1, "R34")])
def test_the_question_mark_opens_what_a_turn_is_or_what_a_trap_asks(phase, rule):
    assert Face.of(game()).rule(at(phase=phase).view(0)) == rule
