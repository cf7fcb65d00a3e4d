"""The rulings Q1-Q42, each option, and the scenarios of the sheet that show them."""

from itertools import pairwise

import pytest

from rulestone.games.misdirection import rules
from rulestone.games.misdirection.scene import LIFT, PLACES, steps
from rulestone.match import IllegalMove

PRE, POST, OVER = 0, 1, 2


# ---- board, arrows, start ---------------------------------------------------------------------------------------------------


def test_Q1_the_board_has_15_times_15_spaces_of_which_220_hold_tiles(misdirection):
    s = misdirection.new().state
    assert s.tile.shape == s.face.shape == (225,)
    assert sum(1 for tile in s.tile if tile < 96) == 220


def test_Q2_orthogonal_tiles_never_point_diagonally(misdirection):
    new = misdirection.new(seed=2, arrows="orthogonal")
    tiles = [int(tile) for tile in new.state.tile if tile < 96]
    assert len(tiles) == 220
    assert [sum(tile % 8 == way for tile in tiles) for way in range(8)] == [55, 0, 55, 0, 55, 0, 55, 0]
    assert [sum(tile // 8 == kind for tile in tiles) for kind in range(12)] == [136, 8, 32, 8, 1, 1, 1, 1, 8, 8, 8, 8]
    assert {tile for tile in tiles if 32 <= tile < 64} == {4 * 8 + 4, 5 * 8 + 6, 6 * 8 + 0, 7 * 8 + 2}


def test_Q2_home_arrows_stay_diagonal_with_orthogonal_tiles(misdirection):
    at = misdirection.at(arrows="orthogonal", down={(3, 3): "A-N"})
    at.roll(3)
    assert at.token(0) == (3, 3)


def test_Q2_a_quarter_turn_keeps_a_diagonal_arrow_diagonal(misdirection):
    at = misdirection.at(up={(9, 9): "A-SW"}, light=[0])
    at.rot_cw(9, 9)
    assert at.arrow(9, 9) == "NW"


def test_Q3_no_first_roll_from_home_reaches_the_centre(misdirection):
    at = misdirection.at(down={(6, 6): "A-N"})
    at.roll(6)
    assert at.token(0) == (6, 6)
    assert not at.over


@pytest.fixture
def roll_off(misdirection, game):
    """Roll to see who goes first, with the wanted numbers."""
    generator_for = misdirection.generator_for

    def with_dice(*dice, players=4):
        record, _ = game.prepared(players, None)
        s = game.layout.reader(record)
        s.rng, after = generator_for(dice)
        first = rules.roll_off(s)
        assert s.rng == after, "another number of dice was thrown"
        return first, list(s.rolloff)

    return with_dice


def test_Q4_S3_players_who_tie_for_lowest_roll_again_and_use_the_last_roll(roll_off):
    assert roll_off(2, 4, 2, 5, 6, 3) == (2, [6, 4, 3, 5])


def test_Q4_only_the_tied_players_roll_again_even_above_the_others(roll_off):
    assert roll_off(1, 2, 1, 2, 6, 5) == (2, [6, 2, 5, 2])


def test_Q4_a_tie_may_be_repeated(roll_off):
    assert roll_off(3, 3, 5, 5, 4, 2, players=2) == (2, [4, 0, 2, 0])


def test_Q4_the_opening_number_is_the_last_roll_of_the_first_player(misdirection):
    for seed in range(80):
        new = misdirection.new(seed)
        rolls = [event.args for event in new.events if event.name == "rolls_off"]
        last = dict(rolls)
        assert new.state.rolloff.tolist() == [last[seat] for seat in range(4)]
        assert new.state.opening == last[new.state.first]


def test_Q5_S5_the_roll_off_decides_who_starts(roll_off):
    assert roll_off(3, 5, 2, 6) == (2, [3, 5, 2, 6])


def test_Q5_S5_with_a_fresh_opening_roll_the_first_player_rolls_normally(misdirection):
    seed = next(seed for seed in range(1000) if misdirection.new(seed, opening_roll="fresh").state.first == 2)
    new = misdirection.new(seed, opening_roll="fresh")
    assert new.state.opening == 0
    assert new.turn_of == 2
    new.state.tile[9 * 15 + 9] = 0
    new.roll(5)
    assert new.token(2) == (9, 9)


def test_Q5_by_default_the_opening_move_rolls_no_die(misdirection):
    at = misdirection.at(turn=1, opening=6, down={(6, 6): "A-N"})
    at.roll()
    assert at.token(0) == (6, 6)


def test_Q6_the_opening_move_is_a_complete_turn_with_effects(misdirection):
    at = misdirection.at(turn=1, opening=3, down={(3, 3): "R-E", (3, 5): "L1-N"})
    at.roll(2)
    assert at.token(0) == (3, 5)
    assert at.lose == [0, 1, 0, 0]
    assert [str(move) for move in at.legal()] == ["pass", "rot_cw 48", "rot_cw 50", "rot_ccw 48", "rot_ccw 50"]


# ---- movement ---------------------------------------------------------------------------------------------------------------


def test_Q7_corners_and_centre_count_one_step_each_when_passed(misdirection):
    at = misdirection.at(up={(0, 12): "A-E", (7, 5): "A-E"}, tokens={0: (7, 5)}, down={(7, 10): "A-N"})
    at.roll(5)
    assert at.token(0) == (7, 10)


def test_Q8_a_token_passes_over_the_centre_and_keeps_moving(misdirection):
    at = misdirection.at(up={(6, 6): "A-SE"}, tokens={0: (6, 6)}, down={(9, 9): "A-N"})
    assert "overshoots" in at.roll(3)
    assert at.token(0) == (9, 9)
    assert not at.over


def test_Q9_S25_an_opposite_exit_tile_is_followed_along_its_plain_arrow(misdirection):
    at = misdirection.at(up={(2, 5): "A-N"}, tokens={0: (2, 5)}, down={(0, 5): "O-S", (0, 7): "A-S"})
    at.roll(4)
    assert at.token(0) == (2, 5)


def test_Q9_S41_a_roll_that_ends_on_the_edge_lands_normally(misdirection):
    at = misdirection.at(up={(12, 3): "A-SW"}, tokens={0: (12, 3)}, down={(14, 1): "F-N"})
    at.roll(2)
    assert at.token(0) == (14, 1)
    assert at.disks == [1, 0, 0, 0]
    assert at.turn_of == 1


def test_Q9_leaving_costs_no_step(misdirection):
    at = misdirection.at(up={(1, 5): "A-N"}, tokens={0: (1, 5)}, down={(0, 5): "A-E", (0, 6): "A-S"})
    at.roll(2)
    assert at.token(0) == (0, 6)


@pytest.mark.parametrize("die", range(1, 7))
def test_Q10_any_roll_from_an_outward_arrow_leads_home(misdirection, die):
    at = misdirection.at(up={(0, 5): "A-NE"}, tokens={0: (0, 5)})
    at.roll(die)
    assert at.token(0) == (0, 0)
    assert at.turn_of == 1
    assert at.state.points == 1


def test_Q10_S33_an_opposite_tile_on_the_edge_moves_along_its_arrow(misdirection):
    at = misdirection.at(up={(0, 5): "O-S"}, tokens={0: (0, 5)}, down={(3, 5): "A-N"})
    at.roll(3)
    assert at.token(0) == (3, 5)


def test_Q10_Q9_S35_no_win_by_a_bounce(misdirection):
    at = misdirection.at(up={(7, 0): "O-E"}, tokens={0: (7, 0)}, down={(7, 6): "A-N"})
    at.roll(6)
    assert at.token(0) == (7, 6)
    assert not at.over


def test_Q11_S37_with_corner_exit_home_the_corner_sends_home(misdirection):
    at = misdirection.at(corner_exit="home", seat=1, up={(0, 2): "A-W"}, tokens={1: (0, 2)})
    assert "lost_at_corner" in at.roll(5)
    assert at.token(1) == (0, 14)
    assert at.turn_of == 2


def test_Q11_a_corner_turns_any_token_along_its_printed_arrow(misdirection):
    at = misdirection.at(seat=1, up={(0, 2): "A-W"}, tokens={1: (0, 2)}, down={(3, 3): "A-N"})
    assert "follows_corner" in at.roll(5)
    assert at.token(1) == (3, 3)
    assert at.state.phase == POST


def test_Q11_a_token_running_back_along_a_diagonal_comes_back(misdirection):
    at = misdirection.at(seat=1, up={(2, 2): "A-NW"}, tokens={1: (2, 2)}, down={(3, 3): "A-N"})
    at.roll(5)
    assert at.token(1) == (3, 3)


def test_Q11_a_corner_after_a_first_exit_is_a_second_exit(misdirection):
    at = misdirection.at(up={(2, 1): "A-NW"}, tokens={0: (2, 1)}, down={(1, 0): "A-N"})
    assert "lost_at_edge" in at.roll(4)
    assert at.token(0) == (0, 0)
    assert at.turn_of == 1


def test_Q12_S29_a_second_exit_at_a_corner_does_not_use_its_arrow(misdirection):
    at = misdirection.at(up={(1, 13): "A-N"}, tokens={0: (1, 13)}, down={(0, 13): "A-E"})
    at.roll(5)
    assert at.token(0) == (0, 0)
    assert at.turn_of == 1
    assert at.state.points == 2


def test_Q12_S30_the_second_exit_tile_is_not_turned_over(misdirection):
    at = misdirection.at(up={(2, 12): "A-N"}, tokens={0: (2, 12)}, down={(0, 12): "A-SE", (2, 14): "A-W"})
    at.roll(6)
    assert at.token(0) == (0, 0)
    assert not at.is_up(2, 14)
    assert at.is_up(0, 12)
    assert at.turn_of == 1


def test_Q12_a_rotation_before_the_roll_stands_when_the_token_goes_home(misdirection):
    at = misdirection.at(up={(0, 5): "A-N", (9, 9): "A-N"}, tokens={0: (0, 5)}, light=[0], double_rotation=1, autoflip_rotate=1)
    at.rot_cw(9, 9)
    at.roll(2)
    assert at.turn_of == 1
    assert at.arrow(9, 9) == "E"
    assert at.disks[0] == 0


def test_Q12_Q25_S43_each_roll_of_a_chain_has_its_own_exit(misdirection):
    at = misdirection.at(up={(1, 5): "A-N"}, tokens={0: (1, 5)}, down={(0, 5): "A-SE", (1, 6): "R-N", (0, 6): "A-S", (2, 6): "A-W"})
    at.roll(2, 3)
    assert at.token(0) == (2, 6)
    assert all(at.is_up(*cell) for cell in ((0, 5), (1, 6), (0, 6), (2, 6)))
    assert at.state.phase == POST


def test_Q13_Q14_S77_a_foreign_corner_is_shared_and_its_arrow_followed(misdirection):
    at = misdirection.at(seat=1, up={(0, 3): "A-W"}, tokens={1: (0, 3)}, down={(4, 4): "A-N"})
    at.roll(3)
    assert at.token(0) == at.token(1) == (0, 0)
    assert at.state.phase == POST
    assert [str(move) for move in at.legal()] == ["pass", "rot_cw 3", "rot_ccw 3"]
    at.pass_()
    at.state.to_move = 1
    at.roll(4)
    assert at.token(1) == (4, 4)


@pytest.mark.parametrize(("rule", "home"), [("shared", (0, 0)), ("bump", (0, 14))])
def test_Q13_S79_visitors_of_a_corner_stay_or_are_bumped_but_never_the_owner(misdirection, rule, home):
    at = misdirection.at(seat=2, corner_rule=rule, up={(0, 3): "A-W"}, tokens={2: (0, 3), 1: (0, 0)})
    at.roll(3)
    assert at.token(1) == home
    assert at.token(0) == at.token(2) == (0, 0)


def test_Q13_being_sent_home_never_bumps(misdirection):
    at = misdirection.at(corner_rule="bump", up={(0, 5): "A-N"}, tokens={0: (0, 5), 1: (0, 0)})
    at.roll(2)
    assert at.token(0) == at.token(1) == (0, 0)


def test_Q13_the_owner_coming_home_by_roll_bumps_visitors_only_under_the_option(misdirection):
    at = misdirection.at(corner_rule="bump", up={(0, 5): "A-W"}, tokens={0: (0, 5), 1: (0, 0)})
    at.roll(5)
    assert at.token(0) == (0, 0)
    assert at.token(1) == (0, 14)


def test_Q14_a_visitor_heads_along_the_foreign_corners_arrow(misdirection):
    at = misdirection.at(seat=2, tokens={2: (14, 0)}, down={(11, 3): "A-N"})
    at.roll(3)
    assert at.token(2) == (11, 3)


def test_Q15_S39_a_token_on_the_exit_tile_stays(misdirection):
    at = misdirection.at(up={(2, 5): "A-N", (0, 5): "A-E"}, tokens={0: (2, 5), 1: (0, 5)}, down={(0, 7): "A-S"})
    at.roll(4)
    assert at.token(0) == (0, 7)
    assert at.token(1) == (0, 5)


def test_Q16_S19_a_bumped_player_keeps_disk_and_missed_turn(misdirection):
    at = misdirection.at(up={(4, 4): "A-E", (4, 6): "A-N"}, tokens={0: (4, 4), 1: (4, 6)}, light=[1], lose={1: 1})
    at.roll(2)
    at.pass_()
    assert at.token(1) == (0, 14)
    assert at.disks == [0, 1, 0, 0]
    assert at.turn_of == 2
    assert at.lose == [0, 0, 0, 0]


def test_Q16_S21_a_bounce_back_to_the_tokens_own_tile_is_an_ordinary_landing(misdirection):
    at = misdirection.at(up={(2, 5): "A-N"}, tokens={0: (2, 5)}, down={(0, 5): "A-S"})
    at.roll(4)
    assert at.token(0) == (2, 5)
    assert at.is_up(0, 5)
    assert at.state.points == 2


def test_Q16_a_bounce_back_triggers_the_special_again(misdirection):
    at = misdirection.at(up={(2, 5): "F-N"}, tokens={0: (2, 5)}, down={(0, 5): "A-S"})
    at.roll(4)
    assert at.token(0) == (2, 5)
    assert at.disks == [1, 0, 0, 0]


def test_Q16_a_bumped_player_heads_along_the_home_arrow(misdirection):
    at = misdirection.at(up={(4, 4): "A-E", (4, 6): "O-N"}, tokens={0: (4, 4), 1: (4, 6)}, down={(3, 11): "A-N"})
    at.roll(2)
    at.pass_()
    at.roll(3)
    assert at.token(1) == (3, 11)


# ---- rotation and disk ------------------------------------------------------------------------------------------------------


def test_Q17_exit_tiles_and_tiles_turned_over_this_turn_can_be_rotated(misdirection):
    at = misdirection.at(up={(2, 5): "A-N"}, tokens={0: (2, 5)}, down={(0, 5): "A-E", (0, 7): "A-S"})
    at.roll(4)
    assert [move.args[0] for move in at.legal() if move.verb == "rot_cw"] == [5, 7, 35]


def test_Q17_rotations_persist_when_a_token_lands_again(misdirection):
    at = misdirection.at(up={(4, 4): "A-E", (4, 6): "A-N"}, tokens={0: (4, 4)})
    at.state.face[66] = 3
    at.roll(2)
    assert at.arrow(4, 6) == "S"


def test_Q18_S61_with_rotate_occupied_own_opponents_tiles_are_safe(misdirection):
    at = misdirection.at(rotate_occupied="own", up={(9, 9): "A-NW"}, tokens={2: (9, 9)}, down={(5, 5): "A-N"})
    at.roll(5)
    assert [str(move) for move in at.legal()] == ["pass", "rot_cw 80", "rot_ccw 80"]


def test_Q18_by_default_any_tile_may_be_rotated(misdirection):
    at = misdirection.at(up={(9, 9): "A-NW"}, tokens={2: (9, 9)}, down={(5, 5): "A-N"})
    at.roll(5)
    at.rot_cw(9, 9)
    assert at.arrow(9, 9) == "NE"


def test_Q18_with_rotate_occupied_own_the_rotation_step_is_offered_even_if_nothing_may_be_rotated(misdirection):
    at = misdirection.at(rotate_occupied="own", seat=1, up={(0, 3): "A-W", (9, 9): "A-N"}, tokens={1: (0, 3), 3: (0, 3), 2: (9, 9)})
    at.roll(3)
    assert at.state.phase == POST
    assert at.ids == [1]


def test_Q19_S59_two_rotations_with_both_options(misdirection):
    at = misdirection.at(double_rotation=1, autoflip_rotate=1, up={(4, 4): "A-S"}, tokens={0: (4, 4)}, light=[0], down={(4, 6): "A-N"})
    at.rot_ccw(4, 4)
    at.roll(2)
    assert at.state.phase == POST
    at.rot_cw(4, 6)
    assert at.disks[0] == 1
    assert at.turn_of == 1


@pytest.mark.parametrize("options", [{"double_rotation": 1}, {"autoflip_rotate": 1}, {}])
def test_Q19_Q21_S59_one_option_alone_gives_no_second_rotation(misdirection, options):
    at = misdirection.at(up={(4, 4): "A-S"}, tokens={0: (4, 4)}, light=[0], down={(4, 6): "A-N"}, **options)
    at.rot_ccw(4, 4)
    at.roll(2)
    assert at.turn_of == 1
    assert at.disks[0] == 0


def test_Q19_a_player_who_always_rotates_alternates_between_end_and_start_of_turn(misdirection):
    at = misdirection.at(players=2, down={(3, 3): "A-E", (3, 5): "A-S", (6, 5): "A-N"})
    at.roll(3)
    at.rot_cw(3, 3)
    at.state.to_move, at.state.start_light = 0, 1
    assert at.arrow(3, 3) == "S"
    at.rot_ccw(3, 3)
    at.roll(2)
    assert at.disks[0] == 0
    assert at.turn_of == 2
    at.state.to_move, at.state.start_light = 0, 0
    at.roll(3)
    assert at.state.phase == POST


def test_Q20_a_light_disk_stays_light_until_it_is_used(misdirection):
    at = misdirection.at(up={(4, 4): "A-E"}, tokens={0: (4, 4)}, light=[0], down={(4, 6): "A-N"})
    at.roll(2)
    assert at.disks == [1, 0, 0, 0]
    assert at.turn_of == 1


def test_Q21_an_auto_flip_from_dark_to_light_leaves_no_rotation_now(misdirection):
    at = misdirection.at(up={(4, 4): "A-E"}, tokens={0: (4, 4)}, down={(4, 6): "F-N"})
    at.roll(2)
    assert at.disks == [1, 0, 0, 0]
    assert at.turn_of == 1


def test_Q21_S45_an_auto_flip_from_light_to_dark_gives_no_rotation(misdirection):
    at = misdirection.at(up={(4, 4): "A-E"}, tokens={0: (4, 4)}, light=[0], down={(4, 6): "F-N"})
    at.roll(2)
    assert at.token(0) == (4, 6)
    assert at.disks[0] == 0
    assert at.turn_of == 1


def test_Q21_with_autoflip_rotate_the_rotation_is_permitted(misdirection):
    at = misdirection.at(autoflip_rotate=1, up={(4, 4): "A-E"}, tokens={0: (4, 4)}, light=[0], down={(4, 6): "F-N"})
    at.roll(2)
    assert at.disks[0] == 0
    assert at.state.phase == POST


def test_Q21_S47_an_auto_flip_after_a_rotation_turns_the_disk_light_again(misdirection):
    at = misdirection.at(up={(4, 4): "A-S"}, tokens={0: (4, 4)}, light=[0], down={(4, 6): "F-N"})
    at.rot_ccw(4, 4)
    assert at.arrow(4, 4) == "E"
    assert at.disks[0] == 0
    at.roll(2)
    assert at.token(0) == (4, 6)
    assert at.disks[0] == 1
    assert at.turn_of == 1


def test_Q21_a_light_disk_counts_as_the_start_of_the_turn_even_if_start_light_was_not_written(misdirection):
    at = misdirection.at(up={(4, 4): "A-E"}, tokens={0: (4, 4)}, light=[0], down={(4, 6): "F-N"})
    at.state.start_light = 0
    at.roll(2)
    assert at.turn_of == 1


def test_Q22_a_rotated_opposite_tile_still_reverses_its_new_arrow(misdirection):
    at = misdirection.at(up={(4, 4): "O-N"}, tokens={0: (4, 4)}, light=[0], down={(4, 2): "A-N"})
    at.rot_cw(4, 4)
    at.roll(2)
    assert at.token(0) == (4, 2)


# ---- special tiles ----------------------------------------------------------------------------------------------------------


def test_Q23_a_player_hit_by_their_own_lose_turn_finishes_this_turn_and_misses_the_next(misdirection):
    at = misdirection.at(players=2, up={(4, 4): "A-E"}, tokens={0: (4, 4)}, down={(4, 6): "L0-N", (10, 10): "A-N"})
    at.roll(2)
    assert at.lose == [1, 0, 0, 0]
    assert at.state.phase == POST
    at.rot_cw(4, 6)
    assert at.turn_of == 2
    at.roll(4)
    at.pass_()
    assert at.turn_of == 2
    assert at.lose == [0, 0, 0, 0]
    assert at.disks == [1, 0, 0, 0]


def test_Q23_a_lose_turn_tile_of_an_absent_colour_does_nothing(misdirection):
    at = misdirection.at(players=3, down={(4, 4): "L3-N"})
    at.roll(4)
    assert at.lose == [0, 0, 0, 0]


@pytest.mark.parametrize(("stack", "number"), [(0, 1), (1, 2)])
def test_Q24_S51_lose_turn_twice_is_a_flag_or_a_counter(misdirection, stack, number):
    at = misdirection.at(lose_stack=stack, up={(4, 4): "A-E", (4, 6): "L2-N"}, tokens={0: (4, 4)}, lose={2: 1})
    at.roll(2)
    assert at.lose == [0, 0, number, 0]


def test_Q24_a_counter_is_served_turn_by_turn_and_stops_at_255(misdirection):
    at = misdirection.at(lose_stack=1, up={(4, 4): "A-E", (4, 6): "L1-N"}, tokens={0: (4, 4)}, lose={1: 255})
    at.roll(2)
    assert at.lose[1] == 255
    at.pass_()
    assert at.lose[1] == 254
    assert at.turn_of == 2


def test_Q25_Q16_S55_a_chain_of_roll_again_bumps_and_flips_at_its_end(misdirection):
    at = misdirection.at(up={(4, 4): "A-E", (6, 3): "F-N"}, tokens={0: (4, 4), 2: (6, 3)}, down={(4, 6): "R-S", (6, 6): "R-W"})
    at.roll(2, 2, 3)
    assert at.token(0) == (6, 3)
    assert at.token(2) == (14, 14)
    assert at.disks == [1, 0, 0, 0]
    assert at.turn_of == 1
    assert at.state.points == 4


def test_Q25_roll_again_may_win(misdirection):
    at = misdirection.at(down={(4, 4): "R-SE"})
    at.roll(4, 3)
    assert at.state.winner == 0
    assert at.state.points == 1


def test_Q25_roll_again_may_send_home_and_ends_the_turn(misdirection):
    at = misdirection.at(down={(1, 1): "R-N", (0, 1): "A-N"})
    at.roll(1, 3)
    assert at.token(0) == (0, 0)
    assert at.turn_of == 1


@pytest.mark.parametrize(("opening", "thrown"), [(0, 50), (3, 49)])
def test_Q25_after_fifty_rolls_roll_again_is_ignored(misdirection, opening, thrown):
    at = misdirection.at(opening=opening, turn=1)
    for cell in range(225):
        if at.state.tile[cell] < 96:  # everything is Roll Again: rightwards in the left half, leftwards in the right half
            at.state.tile[cell] = 24 + (2 if cell % 15 < 7 else 6)
    if opening:
        at.state.pos[0] = 0
    else:
        at.state.pos[0] = 64
        at.state.face[64] = 1
    told = at.play("roll", rng=5)
    assert told[-1].name == "rolled_enough"
    thrown_by_hand = misdirection.after_dice(5, thrown)
    assert at.state.rng == thrown_by_hand
    assert at.state.phase == POST
    assert at.state.told <= at.game.about.story
    assert at.state.tile[at.state.pos[0]] // 8 == 3


def long_chain(misdirection, dice):
    """A chain of exactly this many rolls that then lands: all tiles are Roll Again except those of two columns."""
    for rng in range(1, 20_000):
        at = misdirection.at(turn=10)
        for cell in range(225):
            if at.state.tile[cell] < 96:
                at.state.tile[cell] = (0 if cell % 15 in (2, 12) else 24) + (2 if cell % 15 < 7 else 6)
        at.state.pos[0], at.state.face[64] = 64, 1
        told = at.play("roll", rng=rng)
        if at.state.rng == misdirection.after_dice(rng, dice) and at.state.pos[0] % 15 in (2, 12):
            return at, told
    raise AssertionError("no such chain")


@pytest.mark.parametrize("dice", [3, 12, 13, 20])
def test_Q25_the_story_has_the_last_roll_of_any_chain_in_full(misdirection, dice):
    at, told = long_chain(misdirection, dice)
    assert told[-1].name == "will_head"
    last = max(k for k, event in enumerate(told) if event.name == "rolls")
    assert told[last].args == (0, at.state.last_die)
    landed = [event for event in told[last:] if event.name == "travels"][-1]
    assert landed.args[3] == at.state.pos[0]
    skipped = [event for event in told if event.name == "rolls_on"]
    thrown = sum(event.name == "rolls" for event in told)
    assert thrown == dice if not skipped else (len(skipped), skipped[0].args[1]) == (1, dice - 1)
    before = told[: told.index(skipped[0])] if skipped else told
    assert len(before) >= 34 or before == told


def test_Q25_the_steps_of_a_long_chain_lead_to_where_the_token_is(misdirection):
    at, told = long_chain(misdirection, 20)
    before = misdirection.at(up={(4, 4): "R-E"}, tokens={0: (4, 4)}).view(0)
    walked = [step.go["token-0"] for step in steps(before, at.view(0), told) if "token-0" in step.go]
    assert walked[-1] == PLACES[at.state.pos[0]]
    assert all((x, y) in PLACES or (x, y + LIFT) in PLACES for x, y in walked)
    far = [max(abs(a[0] - b[0]), abs(a[1] - b[1])) for a, b in pairwise(walked)]
    assert sum(step > 47 for step in far) <= 1  # only over what is not told


def test_Q26_Q27_Q30_S83_teleport_only_from_a_teleportation_tile_of_any_colour(misdirection):
    up = {(7, 4): "T0-E", (1, 9): "T0-S", (3, 9): "T1-S", (2, 2): "A-S"}
    assert misdirection.at(up=up).ids == [0]
    assert misdirection.at(up=up, tokens={0: (2, 2)}).ids == [0]
    at = misdirection.at(up=up, tokens={0: (3, 9)})
    assert at.ids == [0, 476, 561]
    at.teleport(7, 4)
    assert at.token(0) == (7, 4)
    assert at.is_up(3, 9)
    assert at.state.phase == POST
    assert len(at.legal()) == 9
    at.pass_()
    assert at.turn_of == 1


@pytest.mark.parametrize(("options", "expected"), [("any_teleport", [0, 561]), ("own_teleport", [0]), ("anywhere", [0, 561])])
def test_Q26_a_foreign_teleport_tile_as_departure(misdirection, options, expected):
    at = misdirection.at(teleport_from=options, up={(7, 4): "T0-E", (3, 9): "T1-S"}, tokens={0: (3, 9)})
    assert at.ids == expected


def test_Q26_own_teleport_departs_from_your_own_colour(misdirection):
    at = misdirection.at(teleport_from="own_teleport", up={(7, 4): "T0-E", (3, 9): "T0-S"}, tokens={0: (3, 9)})
    assert at.ids == [0, 561]


def test_Q26_Q28_Q29_S85_rotating_first_and_teleporting_onto_an_opponent(misdirection):
    at = misdirection.at(up={(3, 9): "T3-S", (7, 4): "T0-E", (1, 9): "A-N"}, tokens={0: (3, 9), 2: (7, 4)}, light=[0])
    assert len(at.legal()) == 8
    at.rot_cw(3, 9)
    assert at.arrow(3, 9) == "W"
    assert at.disks[0] == 0
    assert [str(move) for move in at.legal()] == ["roll", "teleport 109"]
    at.teleport(7, 4)
    assert at.token(0) == (7, 4)
    assert at.token(2) == (14, 14)
    assert at.disks[0] == 0
    assert at.turn_of == 1


def test_Q27_face_down_tiles_and_your_own_tile_are_not_destinations(misdirection):
    at = misdirection.at(up={(7, 4): "T0-E"}, tokens={0: (7, 4)}, down={(3, 9): "T0-N"})
    assert at.ids == [0]


def test_Q28_S67_an_occupied_destination_is_legal_and_bumps(misdirection):
    at = misdirection.at(teleport_from="anywhere", up={(7, 4): "T0-E"}, tokens={2: (7, 4)})
    at.teleport(7, 4)
    assert at.token(0) == (7, 4)
    assert at.token(2) == (14, 14)


def test_Q29_Q30_S69_a_light_disk_may_teleport_and_stays_light(misdirection):
    at = misdirection.at(teleport_from="anywhere", up={(7, 4): "T0-E"}, light=[0])
    at.teleport(7, 4)
    assert at.disks == [1, 0, 0, 0]
    assert at.turn_of == 1


def test_Q29_S69_with_teleport_disk_dark_a_rotation_opens_the_teleport(misdirection):
    at = misdirection.at(teleport_from="anywhere", teleport_disk="dark", up={(7, 4): "T0-E"}, light=[0])
    with pytest.raises(IllegalMove):
        at.teleport(7, 4)
    at.rot_cw(7, 4)
    assert at.ids == [0, 561]


def test_Q29_Q30_S69_rotating_and_teleporting_leaves_no_rotation(misdirection):
    at = misdirection.at(teleport_from="anywhere", up={(7, 4): "T0-N"}, light=[0])
    at.rot_cw(7, 4)
    assert at.arrow(7, 4) == "E"
    at.teleport(7, 4)
    assert at.turn_of == 1
    assert at.disks[0] == 0


def test_Q30_S69_landing_on_a_teleport_tile_by_roll_does_nothing_at_once(misdirection):
    at = misdirection.at(teleport_from="anywhere", up={(4, 4): "A-E", (9, 9): "T0-N"}, tokens={0: (4, 4)}, down={(4, 6): "T0-N"})
    at.roll(2)
    assert at.state.phase == POST
    assert not [move for move in at.legal() if move.verb == "teleport"]


def at_once(misdirection, **more):
    """Red will land on Blue's Teleportation tile at (4,6) with a 2; Red's own ones are (7,4) and, face down, (10,10)."""
    up = {(4, 4): "A-E", (7, 4): "T0-W", **more.pop("up", {})}
    down = {(4, 6): "T1-N", (10, 10): "T0-N"}
    return misdirection.at(teleport_when="at_once", up=up, down=down, tokens={0: (4, 4), **more.pop("tokens", {})}, **more)


def test_Q26_at_once_a_teleportation_tile_works_as_soon_as_you_land(misdirection):
    at = at_once(misdirection)
    assert at.ids == [0]
    at.roll(2)
    assert (at.state.phase, at.token(0), at.ids) == (3, (4, 6), [1, 561])
    assert [event.name for event in at.teleport(7, 4)] == ["teleports", "will_head"]
    assert (at.token(0), at.state.phase) == ((7, 4), 1)
    assert not [move for move in at.legal() if move.verb == "teleport"]
    at.rot_cw(7, 4)
    assert at.turn_of == 1


def test_Q26_a_player_who_does_not_teleport_at_once_may_still_rotate_but_not_teleport_later(misdirection):
    at = at_once(misdirection)
    at.roll(2)
    assert [event.name for event in at.pass_()] == ["stays"]
    assert (at.token(0), at.state.phase, len(at.legal())) == ((4, 6), 1, 7)
    at.pass_()
    at.state.to_move = 0
    assert at.ids == [0]


@pytest.mark.parametrize(("move", "reason"), [("roll", "Teleport first"), ("rot_cw 64", "Teleport first"), ("teleport 66", "face-up")])
def test_Q26_after_landing_you_first_teleport_or_stay(misdirection, move, reason):
    at = at_once(misdirection)
    with pytest.raises(IllegalMove, match="only teleport right after landing"):
        at.play("teleport 109")
    at.roll(2)
    with pytest.raises(IllegalMove, match=reason):
        at.play(move)


def test_Q6_Q26_the_opening_move_may_end_with_a_teleport_at_once(misdirection):
    at = misdirection.at(teleport_when="at_once", up={(7, 4): "T0-W"}, down={(2, 2): "T3-N"}, turn=1, opening=2)
    at.play("roll")
    assert at.ids == [1, 561]


def test_Q25_Q26_a_chain_of_rolls_may_end_with_a_teleport_at_once(misdirection):
    at = at_once(misdirection, up={(4, 5): "R-E"})
    at.roll(1, 1)
    assert at.ids == [1, 561]


@pytest.mark.parametrize("options", [{"teleport_from": "own_teleport"}, {"teleport_disk": "dark", "light": [0]}])
def test_Q26_Q29_at_once_is_offered_only_where_and_while_you_may_teleport(misdirection, options):
    at = at_once(misdirection, **options)
    at.roll(2)
    assert at.state.phase != 3


def test_Q28_a_teleport_at_once_sends_a_token_there_home(misdirection):
    at = at_once(misdirection, tokens={2: (7, 4)}, light=[0])
    at.roll(2)
    at.teleport(7, 4)
    assert (at.token(0), at.token(2), at.turn_of) == ((7, 4), (14, 14), 1)


def test_Q41_a_game_with_teleports_at_once_may_have_one_more_decision_each_turn(game):
    assert [rules.longest_for(4, game.new(options={"teleport_when": when}).options) for when in ("next_turn", "at_once")] == [800, 1200]


def test_Q30_no_teleport_instead_of_the_opening_move(misdirection):
    at = misdirection.at(teleport_from="anywhere", up={(7, 4): "T0-E"}, turn=1, opening=2)
    assert at.ids == [0]


def test_Q31_somebody_on_turn_must_roll_or_teleport(misdirection):
    at = misdirection.at(up={(7, 4): "T0-E"}, tokens={0: (7, 4)}, light=[0])
    assert at.ids[0] == 0
    assert 1 not in at.ids


# ---- information, wording, end ----------------------------------------------------------------------------------------------


def test_Q32_there_is_one_die(misdirection):
    at = misdirection.at(down={(4, 4): "A-E"})
    at.roll(4)
    assert at.state.last_die == 4


def test_Q33_the_choice_before_rolling_does_not_depend_on_the_covered_arrow(misdirection):
    views = []
    for code in ("A-N", "A-E"):
        at = misdirection.at(covered_view="blank", up={(4, 4): code}, tokens={0: (4, 4)}, light=[0])
        views.append((at.ids, at.view(0).state.tile.tolist()[64], at.view(0).state.face.tolist()[64]))
    assert views[0] == views[1]


def test_Q36_exit_tiles_count_for_the_score(misdirection):
    at = misdirection.at(up={(2, 6): "A-NW"}, tokens={0: (2, 6)}, down={(0, 4): "R-SE", (6, 10): "A-N"})
    at.roll(2 + 4)
    assert at.token(0) == (4, 8)
    assert at.is_up(0, 4)
    assert at.state.points == 3


def test_Q37_a_win_ends_the_game_at_once_without_rotation(misdirection):
    at = misdirection.at(up={(4, 4): "A-SE"}, tokens={0: (4, 4)}, lose={1: 1})
    at.roll(3)
    assert at.over
    assert at.legal() == []
    assert at.lose == [0, 1, 0, 0]


def test_Q38_bump_comes_before_turning_over_and_effect(misdirection):
    at = misdirection.at(up={(4, 4): "A-E", (4, 6): "L1-N"}, tokens={0: (4, 4), 1: (4, 6)})
    names = at.roll(2)
    assert names.index("bumps") < names.index("lose_turn")
    fresh = misdirection.at(down={(4, 4): "F-N"})
    names = fresh.roll(4)
    assert names.index("turns_over") < names.index("auto_flip")


@pytest.mark.parametrize("winner", range(4))
def test_Q39_S75_the_winner_gets_the_number_of_face_up_tiles(misdirection, winner):
    cell = [(4, 4), (4, 10), (10, 10), (10, 4)][winner]
    at = misdirection.at(seat=winner, up={cell: ["A-SE", "A-SW", "A-NW", "A-NE"][winner], (2, 3): "A-N"}, tokens={winner: cell})
    at.roll(3)
    assert at.state.points == sum(1 for face in at.state.face if face > 0) == 2
    assert [rules.points(at.state, player) for player in range(4)] == [2 * (player == winner) for player in range(4)]


def test_Q39_S75_a_draw_gives_nobody_points(misdirection):
    at = misdirection.at(turn=400, down={(4, 4): "A-N"})
    at.roll(4)
    at.pass_()
    assert at.over
    assert at.payoff == (0, 0, 0, 0)
    assert at.state.points == 1
    assert [rules.points(at.state, player) for player in range(4)] == [0, 0, 0, 0]


def test_Q39_the_points_of_two_players_go_to_the_player_on_the_seat(misdirection):
    at = misdirection.at(players=2, seat=2, up={(10, 10): "A-NW"}, tokens={2: (10, 10)})
    at.roll(3)
    assert at.state.winner == 2
    assert [rules.points(at.state, player) for player in range(2)] == [0, 1]


def test_Q39_a_match_is_first_to_200():
    assert rules.SERIES_TARGET == 200


def test_Q39_everybody_keeps_their_colour_in_the_next_game_of_a_match():
    assert rules.next_seats(3) == (0, 1, 2)


def test_Q40_two_players_sit_on_opposite_corners(misdirection):
    new = misdirection.new(seed=5, players=2)
    assert new.state.pos.tolist() == [0, 255, 224, 255]
    assert [bool(number) for number in new.state.rolloff] == [True, False, True, False]
    assert sum(1 for tile in new.state.tile if tile < 96) == 220


def test_Q40_three_players_sit_on_seats_0_1_2(misdirection):
    new = misdirection.new(seed=5, players=3)
    assert new.state.pos.tolist() == [0, 14, 224, 255]
    assert new.state.rolloff[3] == 0


def test_Q40_player_1_of_two_moves_the_token_of_seat_2(misdirection):
    at = misdirection.at(players=2, seat=2, down={(10, 10): "A-N"})
    assert at.to_move == 1
    at.roll(4)
    assert at.token(2) == (10, 10)
    at.pass_()
    assert at.to_move == 0


def test_Q40_player_1_of_two_wins_for_themselves(misdirection):
    at = misdirection.at(players=2, seat=2, up={(10, 10): "A-NW"}, tokens={2: (10, 10)})
    at.roll(3)
    assert at.payoff == (-1, 1)


def test_Q40_teleports_of_absent_colours_are_not_departure_tiles(misdirection):
    up = {(7, 4): "T0-E", (3, 9): "T1-S", (3, 5): "T2-S"}
    assert misdirection.at(players=2, up=up, tokens={0: (3, 9)}).ids == [0]
    assert misdirection.at(players=2, up=up, tokens={0: (3, 5)}).ids == [0, 561]
    assert misdirection.at(players=3, up=up, tokens={0: (3, 9)}).ids == [0, 561]


def test_Q40_absent_corners_still_turn_tokens(misdirection):
    at = misdirection.at(players=2, up={(0, 12): "A-E"}, tokens={0: (0, 12)}, down={(3, 11): "A-N"})
    at.roll(5)
    assert at.token(0) == (3, 11)


def test_Q41_S81_a_win_in_the_last_turn_counts(misdirection):
    at = misdirection.at(turn=400, up={(4, 4): "A-SE"}, tokens={0: (4, 4)})
    at.roll(3)
    assert at.state.winner == 0
    assert at.state.turn == 400


def test_Q41_the_cap_is_checked_before_missed_turns(misdirection):
    at = misdirection.at(cap_turns=10, turn=10, down={(4, 4): "A-N"}, lose={1: 1})
    at.roll(4)
    assert not at.over
    at.rot_cw(4, 4)
    assert at.over
    assert at.lose == [0, 1, 0, 0]
    assert (at.state.turn, at.state.winner, at.state.phase) == (11, 255, OVER)


def test_Q41_missed_turns_do_not_count(misdirection):
    at = misdirection.at(turn=10, down={(4, 4): "A-N"}, lose={1: 1, 2: 1})
    at.roll(4)
    at.pass_()
    assert at.state.turn == 11


def test_Q42_the_player_who_has_just_moved_may_be_next(misdirection):
    at = misdirection.at(down={(4, 4): "A-N"}, lose={1: 1, 2: 1, 3: 1})
    at.roll(4)
    at.pass_()
    assert at.turn_of == 0
    assert at.lose == [0, 0, 0, 0]
    assert at.state.rotated == 0


def test_Q42_missed_turns_are_served_around_the_table_more_than_once(misdirection):
    at = misdirection.at(lose_stack=1, down={(4, 4): "A-N"}, lose={0: 1, 1: 3, 2: 2, 3: 2})
    at.roll(4)
    at.pass_()
    assert at.turn_of == 0
    assert at.lose == [0, 1, 0, 0]


@pytest.mark.parametrize("field", [{"light": 0}, {"light": [0, 1, 0, 0]}])
def test_R20_refresh_forgets_a_light_disk_that_is_dark_again(misdirection, field):
    at = misdirection.at(up={(4, 4): "A-E"}, tokens={0: (4, 4)}, light=[0], down={(4, 6): "A-N"})
    at.refresh()
    assert at.state.start_light == 1
    at.state.light = field["light"]
    at.refresh()
    assert at.state.start_light == 0
    at.roll(2)
    assert at.state.phase == POST
