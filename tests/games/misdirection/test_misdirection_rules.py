"""The rules R1-R31 and the scenarios of the sheet that show them."""

import pytest

from rulestone.kernel import BrokenInvariant
from rulestone.match import IllegalMove

PRE, POST, OVER = 0, 1, 2

EIGHT = {kind: [n] * 8 for kind, n in ((0, 17), (1, 1), (2, 4), (3, 1), (8, 1), (9, 1), (10, 1), (11, 1))}
EIGHT |= {4: [0, 0, 0, 1, 0, 0, 0, 0], 5: [0, 0, 0, 0, 0, 1, 0, 0], 6: [0, 0, 0, 0, 0, 0, 0, 1], 7: [0, 1, 0, 0, 0, 0, 0, 0]}
NOT_TILES = (0, 14, 112, 210, 224)


# ---- setup and opening ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_R1_R3_R4_S1_a_new_game_has_220_face_down_tiles_and_one_legal_action(misdirection, seed):
    new = misdirection.new(seed)
    tiles = sorted(int(new.state.tile[cell]) for cell in range(225) if cell not in NOT_TILES)
    assert tiles == sorted(8 * kind + way for kind, row in EIGHT.items() for way, n in enumerate(row) for _ in range(n))
    assert len(tiles) == 220
    assert not new.state.face.any()
    assert new.state.pos.tolist() == [0, 14, 224, 210]
    assert new.disks == [0, 0, 0, 0]
    assert new.state.phase == PRE
    assert 1 <= new.state.opening <= 6
    assert new.ids == [0]
    assert new.state.points == 0


def test_R1_corners_and_centre_are_printed_spaces_without_tile(misdirection):
    assert [int(misdirection.new().state.tile[cell]) for cell in (0, 14, 224, 210, 112)] == [99, 101, 103, 97, 104]


def test_R2_each_token_starts_on_the_corner_of_its_colour(misdirection):
    new = misdirection.new()
    assert [new.token(seat) for seat in range(4)] == [(0, 0), (0, 14), (14, 14), (14, 0)]


def test_R3_a_new_game_has_the_starting_values_of_the_sheet(misdirection):
    s = misdirection.new(seed=3).state
    assert (s.turn, s.winner, s.rotated, s.start_light, s.last_die, s.points) == (1, 255, 0, 0, 0, 0)
    assert s.lose.tolist() == [0, 0, 0, 0]


def test_R4_tiles_lie_differently_in_different_games(misdirection):
    assert misdirection.new(1).state.tile.tolist() != misdirection.new(2).state.tile.tolist()


def test_R5_the_lowest_roll_goes_first(misdirection):
    for seed in range(60):
        new = misdirection.new(seed)
        first_round = [event.args for event in new.events if event.name == "rolls_off"][:4]
        lowest = min(die for _, die in first_round)
        assert new.state.first in [seat for seat, die in first_round if die == lowest]
        assert new.to_move == new.state.first


def test_R6_the_first_player_moves_the_number_from_the_roll_off(misdirection):
    new = misdirection.new(seed=4)
    first, number = new.state.first, int(new.state.rolloff[new.state.first])
    assert new.state.opening == number
    assert new.roll()[0] == "opens"
    assert new.state.last_die == number
    assert new.state.opening == 0
    homes = [(0, 0), (0, 14), (14, 14), (14, 0)]
    assert max(abs(a - b) for a, b in zip(new.token(first), homes[first], strict=True)) == number


def test_R7_turns_pass_clockwise_and_everybody_rolls_for_themselves(misdirection):
    at = misdirection.at(down={(4, 4): "A-N", (4, 10): "A-N", (10, 10): "A-N", (10, 4): "A-N"})
    order = []
    for _ in range(4):
        order.append(at.turn_of)
        at.roll(4)
        at.pass_()
    assert order == [0, 1, 2, 3]
    assert at.turn_of == 0


def test_R11_R22_S6_the_opening_move_turns_a_tile_over_and_leads_to_the_rotation(misdirection):
    at = misdirection.at(turn=1, opening=4, down={(4, 4): "A-W"})
    at.roll()
    assert at.token(0) == (4, 4)
    assert at.state.phase == POST
    assert at.ids == [1, 66, 291]


def test_R22_R24_S7_rotating_after_the_move_turns_the_disk_light(misdirection):
    at = misdirection.at(turn=1, opening=4, down={(4, 4): "A-W"})
    at.roll()
    at.rot_cw(4, 4)
    assert at.arrow(4, 4) == "N"
    assert at.disks == [1, 0, 0, 0]
    assert at.turn_of == 1


@pytest.mark.parametrize(("seat", "cell"), [(0, (5, 5)), (1, (5, 9)), (2, (9, 9)), (3, (9, 5))])
def test_R8_Q3_S9_from_home_the_token_follows_the_printed_arrow(misdirection, seat, cell):
    at = misdirection.at(seat=seat, down={cell: "A-N"})
    at.roll(5)
    assert at.token(seat) == cell


# ---- moving and landing -----------------------------------------------------------------------------------------------------


def test_R9_a_token_moves_where_its_tile_points_after_all_rotations(misdirection):
    at = misdirection.at(up={(4, 4): "A-N"}, tokens={0: (4, 4)}, down={(4, 6): "A-N"})
    at.state.face[64] = 2
    at.roll(2)
    assert at.token(0) == (4, 6)


def test_R10_Q7_S11_passing_does_nothing_to_tokens_and_tiles(misdirection):
    at = misdirection.at(up={(4, 4): "A-E", (4, 6): "A-N"}, down={(4, 5): "A-N", (4, 7): "A-S"}, tokens={0: (4, 4), 1: (4, 6)})
    at.roll(3)
    assert at.token(0) == (4, 7)
    assert at.token(1) == (4, 6)
    assert not at.is_up(4, 5)


def test_R11_the_tile_landed_on_is_turned_over_as_printed(misdirection):
    at = misdirection.at(down={(3, 3): "T2-NW"})
    at.roll(3)
    assert at.is_up(3, 3)
    assert at.state.face[48] == 1
    assert at.arrow(3, 3) == "NW"
    assert at.state.points == 1


def test_R12_the_arrow_landed_on_counts_for_the_next_move(misdirection):
    at = misdirection.at(players=2, down={(3, 3): "A-E", (10, 10): "A-N", (3, 5): "A-N"})
    at.roll(3)
    at.pass_()
    at.roll(4)
    at.pass_()
    at.roll(2)
    assert at.token(0) == (3, 5)


def test_R13_the_legal_moves_do_not_depend_on_covered_arrows(misdirection):
    one = misdirection.at(up={(4, 4): "T1-E", (9, 9): "T0-N"}, tokens={0: (4, 4), 1: (9, 9)}, light=[0])
    two = misdirection.at(up={(4, 4): "T1-W", (9, 9): "T0-S"}, tokens={0: (4, 4), 1: (9, 9)}, light=[0])
    assert one.ids == two.ids
    assert len(one.ids) == 6


def test_R14_a_face_up_tile_stays_face_up_when_the_token_leaves(misdirection):
    at = misdirection.at(up={(4, 4): "A-E"}, tokens={0: (4, 4)}, down={(4, 6): "A-N"})
    at.roll(2)
    assert at.is_up(4, 4)
    assert at.state.points == 2


def test_R15_landing_on_an_occupied_tile_sends_the_other_token_home(misdirection):
    at = misdirection.at(up={(4, 4): "A-E", (4, 6): "A-N"}, tokens={0: (4, 4), 3: (4, 6)})
    assert "bumps" in at.roll(2)
    assert at.token(0) == (4, 6)
    assert at.token(3) == (14, 0)


def test_R16_R31_S13_an_exact_hit_of_the_centre_wins_and_scores_the_face_up_tiles(misdirection):
    at = misdirection.at(up={(4, 4): "A-SE", (2, 2): "A-N"}, tokens={0: (4, 4)})
    at.roll(3)
    assert at.over
    assert at.state.winner == 0
    assert at.payoff == (1, -1, -1, -1)
    assert at.state.points == 2
    assert at.state.phase == OVER
    assert at.token(0) == (7, 7)
    assert at.state.turn == 10


def test_R16_S15_seat_3_wins_along_its_row(misdirection):
    at = misdirection.at(seat=3, up={(7, 2): "A-E"}, tokens={3: (7, 2)})
    at.roll(5)
    assert at.state.winner == 3
    assert at.payoff == (-1, -1, -1, 1)


# ---- board edge -------------------------------------------------------------------------------------------------------------


def test_R17_R20_S27_a_face_up_exit_tile_is_used_as_it_stands(misdirection):
    at = misdirection.at(up={(2, 5): "A-N", (0, 5): "A-N"}, tokens={0: (2, 5)}, light=[0], down={(0, 3): "A-E"})
    at.rot_ccw(0, 5)
    assert at.arrow(0, 5) == "W"
    at.roll(4)
    assert at.token(0) == (0, 3)
    assert at.disks[0] == 0
    assert at.turn_of == 1


def test_R17_a_face_down_exit_tile_is_turned_over_and_followed(misdirection):
    at = misdirection.at(up={(2, 5): "A-N"}, tokens={0: (2, 5)}, down={(0, 5): "A-W", (0, 2): "A-S"})
    at.roll(5)
    assert at.token(0) == (0, 2)
    assert at.is_up(0, 5)
    assert at.state.points == 3


def test_R18_S23_a_special_exit_tile_gives_only_its_arrow(misdirection):
    at = misdirection.at(up={(2, 5): "A-N"}, tokens={0: (2, 5)}, down={(0, 5): "R-E", (0, 7): "A-S"})
    at.roll(4)
    assert at.token(0) == (0, 7)
    assert at.state.phase == POST


@pytest.mark.parametrize("code", ["F-E", "L1-E", "T1-E", "L0-E"])
def test_R18_no_special_of_an_exit_tile_acts(misdirection, code):
    at = misdirection.at(up={(2, 5): "A-N"}, tokens={0: (2, 5)}, down={(0, 5): code, (0, 7): "A-S"})
    at.roll(4)
    assert at.token(0) == (0, 7)
    assert at.disks == [0, 0, 0, 0]
    assert at.lose == [0, 0, 0, 0]
    assert at.state.phase == POST


def test_R19_a_second_exit_sends_the_token_home_and_ends_the_turn(misdirection):
    at = misdirection.at(up={(2, 5): "A-N"}, tokens={0: (2, 5)}, down={(0, 5): "A-NE"})
    assert "lost_at_edge" in at.roll(3)
    assert at.token(0) == (0, 0)
    assert at.is_up(0, 5)
    assert at.turn_of == 1


# ---- turn sequence and disk -------------------------------------------------------------------------------------------------


def test_R20_Q19_S57_a_light_disk_rotates_one_tile_before_rolling(misdirection):
    at = misdirection.at(
        teleport_from="anywhere", up={(4, 4): "A-E", (9, 9): "A-N", (2, 3): "T0-W"}, tokens={0: (4, 4)}, light=[0], down={(4, 6): "A-N"}
    )
    assert len(at.legal()) == 8
    at.rot_cw(9, 9)
    assert at.arrow(9, 9) == "E"
    assert at.disks[0] == 0
    assert [str(move) for move in at.legal()] == ["roll", "teleport 33"]
    at.roll(2)
    assert at.turn_of == 1
    assert at.disks[0] == 0


def test_R20_S63_a_dark_disk_gives_no_rotation_before_rolling(misdirection):
    at = misdirection.at(up={(4, 4): "A-E", (9, 9): "A-N"}, tokens={0: (4, 4)})
    assert at.ids == [0]


def test_R21_a_turn_is_a_roll_or_a_teleport(misdirection):
    at = misdirection.at(up={(4, 4): "T0-E", (9, 9): "T0-N"}, tokens={0: (4, 4)})
    assert [str(move) for move in at.legal()] == ["roll", "teleport 144"]
    at.teleport(9, 9)
    assert not [move for move in at.legal() if move.verb in ("roll", "teleport")]


def test_R22_a_dark_disk_may_rotate_after_moving_and_turns_light(misdirection):
    at = misdirection.at(up={(9, 9): "A-N"}, down={(4, 4): "A-E"})
    at.roll(4)
    assert at.ids == [1, 66, 146, 291, 371]
    at.rot_ccw(9, 9)
    assert at.arrow(9, 9) == "W"
    assert at.disks == [1, 0, 0, 0]
    assert at.turn_of == 1


def test_R23_a_rotation_is_a_quarter_turn_either_way(misdirection):
    at = misdirection.at(up={(9, 9): "A-NE"}, light=[0, 1])
    at.rot_cw(9, 9)
    assert at.arrow(9, 9) == "SE"
    at.roll(4)
    at.rot_ccw(9, 9)
    assert at.arrow(9, 9) == "NE"


def test_R23_four_quarter_turns_bring_a_tile_back(misdirection):
    at = misdirection.at(up={(9, 9): "A-NE"}, seat=3)
    ways = []
    for _ in range(4):
        at.state.phase = POST
        at.rot_ccw(9, 9)
        ways.append(at.arrow(9, 9))
    assert ways == ["NW", "SW", "SE", "NE"]
    assert at.state.face[144] == 1


def test_R24_without_rotation_the_disk_stays_and_the_right_is_gone(misdirection):
    at = misdirection.at(down={(4, 4): "A-E"})
    at.roll(4)
    at.pass_()
    assert at.disks == [0, 0, 0, 0]
    assert at.turn_of == 1
    assert at.ids == [0]


# ---- tiles ------------------------------------------------------------------------------------------------------------------


def test_R25_an_arrow_tile_does_nothing_else(misdirection):
    at = misdirection.at(down={(4, 4): "A-E"})
    assert at.roll(4) == ["rolls", "travels", "turns_over", "will_head"]
    assert at.disks == [0, 0, 0, 0]
    assert at.lose == [0, 0, 0, 0]
    assert at.state.phase == POST


def test_R26_S17_an_opposite_tile_reverses_the_heading(misdirection):
    at = misdirection.at(up={(4, 4): "O-SE"}, tokens={0: (4, 4)}, down={(1, 1): "A-N"})
    at.roll(3)
    assert at.token(0) == (1, 1)


def test_R27_S31_auto_flip_on_an_edge_space_reached_by_a_bounce(misdirection):
    at = misdirection.at(up={(2, 12): "A-N"}, tokens={0: (2, 12)}, down={(0, 12): "A-SE", (2, 14): "F-W"})
    at.roll(4)
    assert at.token(0) == (2, 14)
    assert at.disks == [1, 0, 0, 0]
    assert at.turn_of == 1


def test_R27_auto_flip_works_on_a_tile_long_face_up(misdirection):
    at = misdirection.at(up={(4, 4): "A-E", (4, 6): "F-N"}, tokens={0: (4, 4)})
    assert "auto_flip" in at.roll(2)
    assert at.disks == [1, 0, 0, 0]


def test_R28_S49_the_colour_shown_misses_its_next_turn(misdirection):
    at = misdirection.at(up={(4, 4): "A-E"}, tokens={0: (4, 4)}, down={(4, 6): "L2-N", (5, 9): "A-N", (9, 5): "A-N"})
    at.roll(2)
    assert at.lose == [0, 0, 1, 0]
    assert at.state.phase == POST
    at.pass_()
    assert at.turn_of == 1
    at.roll(5)
    at.pass_()
    assert at.turn_of == 3
    assert at.lose == [0, 0, 0, 0]
    at.roll(5)
    at.pass_()
    assert at.turn_of == 0


def test_R28_S53_flags_are_consumed_one_after_the_other(misdirection):
    at = misdirection.at(up={(4, 4): "A-E"}, tokens={0: (4, 4)}, down={(4, 6): "A-N"}, lose={1: 1, 2: 1})
    at.roll(2)
    at.pass_()
    assert at.turn_of == 3
    assert at.lose == [0, 0, 0, 0]


def test_R28_S53_all_four_flagged_the_next_player_plays_in_the_end(misdirection):
    at = misdirection.at(up={(4, 4): "A-E"}, tokens={0: (4, 4)}, down={(4, 6): "A-N"}, lose={0: 1, 1: 1, 2: 1, 3: 1})
    at.roll(2)
    at.pass_()
    assert at.turn_of == 1
    assert at.lose == [0, 0, 0, 0]
    assert at.state.turn == 11


def test_R29_Q26_Q27_Q30_S65_teleport_to_a_face_up_tile_of_your_own_colour(misdirection):
    at = misdirection.at(teleport_from="anywhere", up={(7, 4): "T0-E", (3, 9): "T1-S"}, down={(10, 10): "T0-N"})
    assert at.ids == [0, 561]
    at.teleport(7, 4)
    assert at.token(0) == (7, 4)
    assert at.state.phase == POST
    at.pass_()
    assert at.turn_of == 1


def test_R30_roll_again_continues_at_once_in_the_direction_of_its_arrow(misdirection):
    at = misdirection.at(down={(3, 3): "R-E", (3, 8): "A-N"})
    at.roll(3, 5)
    assert at.token(0) == (3, 8)
    assert at.is_up(3, 3)
    assert at.state.last_die == 5
    assert at.state.phase == POST


def test_R31_only_the_winner_scores(misdirection, game):
    at = misdirection.at(up={(4, 4): "A-SE", (2, 2): "A-N", (9, 9): "A-N"}, tokens={0: (4, 4)})
    assert [game.rules.points(at.state, player) for player in range(4)] == [0, 0, 0, 0]
    at.roll(3)
    assert [game.rules.points(at.state, player) for player in range(4)] == [3, 0, 0, 0]


# ---- what is refused --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cell", [0, 14, 112, 210, 224, 100])
@pytest.mark.parametrize("verb", ["rot_cw", "rot_ccw"])
def test_R23_S73_face_down_tiles_corners_and_centre_cannot_be_rotated(misdirection, verb, cell):
    at = misdirection.at(up={(4, 4): "A-N"}, light=[0])
    with pytest.raises(IllegalMove):
        at.play((verb, cell))
    at.play((verb, 64))


def test_R22_S73_pass_before_moving_is_refused_with_a_reason(misdirection):
    with pytest.raises(IllegalMove, match=r"You can't pass yet: roll or teleport first\. \[Q31\]"):
        misdirection.at().play("pass")


@pytest.mark.parametrize("move", ["roll", "teleport 144"])
def test_R21_S73_a_second_move_in_the_same_turn_is_refused(misdirection, move):
    at = misdirection.at(up={(9, 9): "T0-N"}, down={(4, 4): "T0-N"})
    at.roll(4)
    with pytest.raises(IllegalMove, match="already moved"):
        at.play(move)


def test_R16_S73_nothing_is_possible_after_the_end(misdirection):
    at = misdirection.at(up={(4, 4): "A-SE"}, tokens={0: (4, 4)})
    at.roll(3)
    assert at.legal() == []
    with pytest.raises(IllegalMove, match="over"):
        at.play("roll")


@pytest.mark.parametrize("phase_before", [PRE, POST])
def test_R16_S73_nothing_is_possible_in_a_finished_position_written_by_hand(misdirection, phase_before):
    at = misdirection.at(up={(4, 4): "T0-SE", (5, 5): "T0-N"}, tokens={0: (4, 4)}, light=[0])
    at.state.phase = phase_before
    assert at.legal() != []
    at.state.phase = OVER
    assert at.legal() == []
    for move in ("roll", "pass", "rot_cw 64", "teleport 80"):
        with pytest.raises(IllegalMove, match="over"):
            at.play(move)
    at.refresh()
    assert at.over
    assert at.to_move is None


REFUSALS = [
    ({"up": {(4, 4): "A-N"}}, "rot_cw 64", "disk is dark"),
    ({"up": {(4, 4): "A-N"}, "opening": 3, "turn": 1, "light": [0]}, "rot_cw 64", "Make the opening move first"),
    ({"up": {(4, 4): "A-N"}, "light": [0]}, "rot_cw 0", "no tile to rotate"),
    ({"up": {(4, 4): "A-N"}, "light": [0]}, "rot_cw 1", "still face down"),
    ({"up": {(4, 4): "A-N"}, "tokens": {1: (4, 4)}, "light": [0], "rotate_occupied": "own"}, "rot_ccw 64", "other players' tokens"),
    ({"up": {(4, 4): "T0-N"}}, "teleport 64", "isn't on a Teleportation tile of a colour in play"),
    ({"up": {(4, 4): "T0-N", (5, 5): "T1-N"}, "tokens": {0: (5, 5)}, "teleport_from": "own_teleport"}, "teleport 64", "of your own colour"),
    ({"up": {(4, 4): "T0-N"}, "tokens": {0: (4, 4)}}, "teleport 64", "already there"),
    ({"up": {(4, 4): "T0-N"}, "tokens": {0: (4, 4)}}, "teleport 65", "face-up Teleportation tile of your own colour"),
    (
        {"up": {(4, 4): "T0-N"}, "teleport_from": "anywhere", "teleport_disk": "dark", "light": [0]},
        "teleport 64",
        "while your disk is dark",
    ),
    ({"up": {(4, 4): "T0-N"}, "teleport_from": "anywhere", "opening": 2, "turn": 1}, "teleport 64", "number from the roll-off"),
]


@pytest.mark.parametrize(("position", "move", "reason"), REFUSALS)
def test_R20_R29_a_refused_move_is_explained(misdirection, position, move, reason):
    at = misdirection.at(**position)
    with pytest.raises(IllegalMove, match=reason):
        at.play(move)


def test_R20_a_second_rotation_before_rolling_is_refused_with_a_reason(misdirection):
    at = misdirection.at(up={(4, 4): "A-N"}, light=[0])
    at.rot_cw(4, 4)
    with pytest.raises(IllegalMove, match="already rotated a tile this turn"):
        at.rot_cw(4, 4)


def test_R23_the_action_numbers_are_those_of_the_sheet(game):
    assert len(game.actions) == 677
    assert [game.actions.encode(verb) for verb in ("roll", "pass")] == [0, 1]
    assert [game.actions.encode(verb, 64) for verb in ("rot_cw", "rot_ccw", "teleport")] == [66, 291, 516]
    assert [game.actions.encode(verb, 224) for verb in ("rot_cw", "rot_ccw", "teleport")] == [226, 451, 676]


def test_R20_R29_at_most_449_actions_are_legal_at_once(misdirection):
    at = misdirection.at(teleport_from="anywhere", light=[0])
    kinds = misdirection.new(seed=9).state.tile
    at.state.tile = kinds
    at.state.face = [0 if cell in NOT_TILES else 1 for cell in range(225)]
    assert len(at.legal()) == 449
    assert at.ids == sorted(at.ids)


# ---- invariants -------------------------------------------------------------------------------------------------------------


BROKEN = [
    ("R4", {"same": 0}, "one too many"),
    ("R1", {"face": {112: 1}}, "there is a tile on"),
    ("R11", {"pos": {0: 64}}, "face-down tile"),
    ("R15", {"pos": {0: 64, 1: 64}, "face": {64: 1}, "points": 1}, "two tokens"),
    ("R31", {"points": 3}, "points are 3"),
    ("Q24", {"lose": {0: 2}}, "misses 2 turns"),
    ("Q41", {"turn": 401}, "turn 401"),
]


@pytest.mark.parametrize(("number", "edits", "reason"), BROKEN)
def test_R4_R14_a_broken_position_is_noticed(misdirection, number, edits, reason):
    new = misdirection.new(seed=1)
    new.check()
    for name, edit in edits.items():
        if name == "same":
            new.state.tile[1] = new.state.tile[2] = 4 * 8 + 3  # there is one such tile
        elif isinstance(edit, dict):
            for index, value in edit.items():
                new.state[name][index] = value
        else:
            new.state[name] = edit
    with pytest.raises(BrokenInvariant, match=reason):
        new.check()


def test_R31_refresh_counts_the_face_up_tiles(misdirection):
    at = misdirection.at(up={(4, 4): "A-SE", (2, 2): "A-N"})
    at.refresh()
    assert at.state.points == 2
