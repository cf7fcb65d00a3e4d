"""Connect Four, rule by rule (the numbers are those of its RULES.md)."""

import numpy as np
import pytest

import rulestone
from rulestone.kernel import rule
from rulestone.table import Face

game = rulestone.load("connect_four")


def played(*columns, **options):
    match = game.new(seed=1, options=options)
    for column in columns:
        match.play(("drop", column))
    return match


def laid(*rows, to_move=0):
    """A position from a drawing, top row first: . empty, 0 and 1 the players' discs."""
    match = game.new(seed=1)
    for row, line in enumerate(reversed(rows)):
        for column, disc in enumerate(line):
            match.state.grid[row, column] = -1 if disc == "." else int(disc)
    match.state.to_move = to_move
    match.refresh()
    return match


def test_R1_the_grid_starts_empty():
    assert (game.new(seed=1).state.grid == -1).all()


def test_R2_red_begins_and_players_take_turns():
    match = played()
    assert match.to_move == 0
    match.play("drop 3")
    assert match.to_move == 1
    match.play("drop 3")
    assert match.to_move == 0


def test_R3_a_disc_falls_onto_the_pile():
    match = played(3, 3, 3)
    assert list(match.state.grid[:, 3]) == [0, 1, 0, -1, -1, -1]
    assert match.state.height[3] == 3


def test_R3_a_full_column_takes_no_disc():
    match = played(0, 0, 0, 0, 0, 0)
    assert [str(move) for move in match.legal()] == [f"drop {column}" for column in range(1, 7)]
    with pytest.raises(rulestone.IllegalMove, match="drop 1, drop 2"):
        match.play("drop 0")


def test_R4_four_in_a_row_win():
    match = played(0, 0, 1, 1, 2, 2, 3)
    assert match.over
    assert match.payoff == (1, -1)


def test_R4_four_in_a_column_win_for_blue():
    assert played(0, 6, 0, 6, 1, 6, 1, 6).payoff == (-1, 1)


def test_R4_four_on_the_rising_diagonal_win():
    match = laid("...1...", "..01...", ".011...", "0111...")
    match.state.grid[3, 3] = -1
    match.refresh()
    match.play("drop 3")
    assert match.payoff == (1, -1)


def test_R4_four_on_the_falling_diagonal_win():
    match = laid("0......", "10.....", "110....", "111....")
    match.play("drop 3")
    assert match.payoff == (1, -1)


def test_R4_a_disc_that_closes_a_gap_wins_with_both_sides():
    match = laid("00.0...")
    match.play("drop 2")
    assert match.payoff == (1, -1)


def test_R4_three_do_not_win():
    assert not played(0, 0, 1, 1, 2).over


def test_R4_a_line_does_not_run_around_the_edge():
    match = laid(".......", "00...0.", "11...1.")
    match.play("drop 6")
    assert not match.over


def test_R5_a_full_grid_is_a_draw():
    match = laid(".010101", "1010101", "0101010", "0101010", "1010101", "1010101", to_move=1)
    match.play("drop 0")
    assert match.over
    assert match.payoff == (0, 0)
    assert match.events[-1].name == "full"


@pytest.mark.parametrize(("line", "over"), [(3, True), (4, False), (5, False)])
def test_Q1_three_in_a_line_win_only_with_the_option(line, over):
    assert played(0, 0, 1, 1, 2, line=line).over is over


def test_Q1_five_in_a_line_win_with_the_option():
    match = played(0, 0, 1, 1, 2, 2, 3, 3, line=5)
    assert not match.over
    match.play("drop 4")
    assert match.payoff == (1, -1)


def test_the_story_tells_what_happened():
    match = played(0, 0, 1, 1, 2, 2, 3)
    assert [match.say(event) for event in match.events] == ["Red drops a disc into column 3. [R3]", "Red lines up 4. [R4]"]


def test_check_finds_a_gap_under_a_disc():
    match = played(0)
    match.state.grid[3, 0] = 1
    with pytest.raises(AssertionError, match="gap"):
        match.check()


@rule
def perft(states, depth, moves, todo):
    """The number of move sequences of this length, stopping at wins, with an explicit stack of positions."""
    nodes = 0
    level = 0
    todo[0] = legal(states[0], moves[0])  # noqa: F821
    while level >= 0:
        if todo[level] == 0:
            level -= 1
            continue
        todo[level] -= 1
        states[level + 1] = states[level]
        step(states[level + 1], moves[level, todo[level]])  # noqa: F821
        if level + 1 == depth:
            nodes += 1
        elif states[level + 1].to_move >= 0:
            level += 1
            todo[level] = legal(states[level], moves[level])  # noqa: F821
    return nodes


def test_node_counts_are_the_published_ones():
    """An anchor against regressions: nobody can win before depth 7, and from there on wins cut off branches."""
    states = game.layout.array(9)
    states[:1] = game.new(seed=1)._array
    count = game.compiled(perft)
    counts = [count(states, depth, np.zeros((8, 7), np.int16), np.zeros(8, np.int64)) for depth in (1, 4, 7, 8)]
    assert counts == [7, 2401, 823_536, 5_673_234]


def test_the_picture_and_the_goal_follow_other_numbers():
    game = rulestone.load("connect_four@ROWS=5;COLUMNS=8")
    match = game.new(seed=1, options={"line": 3})
    scene = Face.of(game).scene(match.view(0), 0)
    assert (scene.width, scene.height) == (812, 650)
    assert "A22 22 0 0 1 764 584" in scene.inline(), "the plate ends above its foot"
    assert game.scene.goal(match.view(0), 0) == "Line up three of your discs: across, up or diagonally."
