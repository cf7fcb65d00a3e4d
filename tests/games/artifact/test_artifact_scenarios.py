"""Every scenario printed in the rule sheet."""

import pytest

from rulestone.games.artifact.content import CARDS, HOME, MAP_NAMES, NONE, TEMPLE, WALL

JUMP = CARDS.index("Jump")


@pytest.mark.parametrize("seed", range(5))
def test_S1_R2_R3_R4_R5_Q2_Q3_a_new_game_for_two(game, see, seed):
    match = game.new(seed=seed, players=2)
    s, index = match.state, MAP_NAMES.index("2-crossing")
    assert match.options["map"] == "2-crossing"
    assert match.options["deck"] == "standard54"
    assert s.hand_n.tolist() == [6, 6, 0, 0]
    assert s.hand.sum() == 12
    assert s.disc_n == 1
    assert s.deck_n == 41
    assert s.pos.tolist() == [HOME[index, 0], HOME[index, 1], NONE, NONE]
    assert s.art == TEMPLE[index]
    assert s.holder == NONE
    assert s.rot == 0
    assert (s.h == WALL[index]).all()
    assert match.to_move == 0
    assert see.phase(match) == "draw"
    assert see.plays(match) == (0, 3)
    assert [str(move) for move in match.legal()] == ["draw_deck", "draw_discard"]


@pytest.mark.parametrize("seed", range(5))
def test_S3_R2_R3_R4_R5_Q2_Q3_a_new_game_for_four(game, see, seed):
    match = game.new(seed=seed, players=4)
    s, index = match.state, MAP_NAMES.index("4-crossroads")
    assert match.options["map"] == "4-crossroads"
    assert s.hand_n.tolist() == [6, 6, 6, 6]
    assert s.disc_n == 1
    assert s.deck_n == 29
    assert s.pos.tolist() == HOME[index].tolist()
    assert s.art == TEMPLE[index]
    assert s.holder == NONE
    assert s.rot == 0
    assert (s.h == WALL[index]).all()
    assert match.to_move == 0
    assert see.phase(match) == "draw"
    assert see.plays(match) == (0, 3)
    assert [str(move) for move in match.legal()] == ["draw_deck", "draw_discard"]


@pytest.fixture
def s5(lay):
    return lay(phase="draw", hands={1: "Ho*6", 2: "Vert*6"}, deck="Swap", discard="Rotate, Jump")


def test_S5_R7_Q5_a_card_from_the_discard_pile_is_known_and_may_be_played_at_once(s5, see):
    s5.play("draw_discard")
    assert see.hand(s5, 1) == {"Ho": 6, "Jump": 1}
    assert s5.state.known[0, JUMP] == 1
    assert see.pile(s5, "disc") == ["Rotate"]
    assert see.phase(s5) == "play"
    assert see.ways(s5, "jump") == "SE"


@pytest.mark.parametrize("rng", range(6))
def test_S7_R15_Q40_drawing_from_an_empty_deck_reshuffles_all_but_the_top_discard(lay, see, rng):
    match = lay(phase="draw", hands={1: "Ho*6"}, discard="Rotate, Jump, Dynamite", rest=2)
    match.play("draw_deck", rng=rng)
    assert see.pile(match, "disc") == ["Dynamite"]
    assert match.state.deck_n == 1
    (drawn,) = set(see.hand(match, 1)) - {"Ho"}
    assert sorted([drawn, *see.pile(match, "deck")]) == ["Jump", "Rotate"]


def test_S9_R7_Q4_a_player_who_can_draw_nothing_goes_on_to_play(lay, see):
    match = lay(mover=2, phase="discard", hands={1: "Ho*5", 2: "Vert*6"}, rest=2)
    match.play("end_turn")
    assert match.to_move == 0
    assert see.phase(match) == "play"
    assert match.state.hand_n[0] == 5


def test_S11_R21_R22_Q25_steps_never_go_up_and_jumps_only_go_up(lay, see):
    match = lay(pieces={1: (1, 0)}, hands={1: "Ho, Vert, Jump, Diag"})
    assert (see.ways(match, "ho"), see.ways(match, "vert"), see.ways(match, "diag"), see.ways(match, "jump")) == (None, "N S", "NE SE", "E")


def test_S13_R22_R21_jump_up_and_step_down_onto_the_artifact(lay, see):
    match = lay(hands={1: "Ho, Jump, Diag"})
    match.play("jump SE")
    assert see.where(match, 1) == (1, 1)
    match.play("diag SE")
    assert see.where(match, 1) == (2, 2)
    assert see.holder(match) == 1
    assert see.plays(match) == (2, 6)


def test_S15_R20_Q31_a_diagonal_step_may_pass_between_two_walls(lay, see):
    match = lay("test4", pieces={1: (1, 1)}, blocks=[(1, 2), (2, 1)], hands={1: "Diag"})
    assert "SE" in see.ways(match, "diag").split()


def test_S17_R27_Q33_rotate_changes_what_ho_and_vert_mean_and_nothing_else(lay, see):
    match = lay(pieces={1: (2, 1)}, hands={1: "Ho, Vert, Rotate"})
    before = match.state.h.tolist()
    match.play("rotate")
    assert match.state.rot == 1
    assert see.ways(match, "ho") == "S"
    assert see.ways(match, "vert") == "E W"
    assert see.where(match, 1) == (2, 1)
    assert match.state.h.tolist() == before


def test_S19_R27_Q32_a_rotation_stays_in_force_for_the_next_player(lay, see):
    match = lay(pieces={2: (3, 4)}, hands={1: "Rotate", 2: "Ho*5, Vert"}, deck="Diag*6, Jump", discard="Dynamite")
    match.play("rotate")
    assert match.to_move == 1
    assert see.hand(match, 1) == {"Diag": 6}
    match.play("draw_discard")
    assert see.ways(match, "ho") == "N S"
    assert see.ways(match, "vert") is None


def test_S21_R25_Q27_a_block_under_yourself_makes_walls_walkable(lay, see):
    match = lay(hands={1: "Ho, Vert, Diag, Drop Block*2"})
    match.play("drop self")
    assert see.height(match, 0, 0) == 1
    assert see.where(match, 1) == (0, 0)
    assert (see.ways(match, "diag"), see.ways(match, "ho"), see.ways(match, "vert"), see.ways(match, "drop")) == ("SE", "E", "S", "E S")


def test_S23_R12_R21_Q26_a_block_lifts_the_artifact_and_it_is_taken_from_wall_to_wall(lay, see):
    match = lay(pieces={1: (2, 1), 2: (3, 2)}, blocks=[(3, 2), (2, 2)], mover=2, hands={2: "Ho, Vert, Jump"})
    match.play("vert N")
    assert see.where(match, 2) == (2, 2)
    assert see.holder(match) == 2
    assert see.plays(match) == (1, 6)


def test_S25_R25_Q21_with_adjacent_4_blocks_do_not_fall_diagonally(lay, see):
    match = lay(adjacent=4, hands={1: "Drop Block"})
    assert see.ways(match, "drop") == "E S self"


def test_S27_R21_R22_Q22_with_stacks_a_jump_goes_to_any_greater_height(lay, see):
    match = lay(max_height=2, pieces={1: (1, 1)}, blocks=[(1, 2), (1, 2), (0, 1)], hands={1: "Ho, Vert, Jump*2"})
    assert (see.ways(match, "jump"), see.ways(match, "ho"), see.ways(match, "vert")) == ("E", "W", "N S")


def test_S29_R26_Q30_dynamite_returns_a_tile_to_the_supply(lay, see):
    match = lay(block_supply=1, spare=0, hands={1: "Ho, Drop Block, Dynamite"})
    assert see.ways(match, "drop") is None
    match.play("dynamite SE")
    assert match.state.spare == 1
    assert see.ways(match, "drop") == "E SE S self"


def test_S31_R26_Q28_dynamite_under_yourself_hurts_nobody(lay, see):
    match = lay(pieces={1: (1, 1)}, hands={1: "Jump, Dynamite"})
    match.play("dynamite self")
    assert see.height(match, 1, 1) == 0
    assert see.where(match, 1) == (1, 1)
    assert see.phase(match) == "discard"
    assert see.ways(match, "jump") is None


def test_S33_R26_Q34_Q35_cards_without_effect_cannot_be_played(lay, see):
    match = lay(pieces={1: (2, 1)}, no_blocks=[(1, 1)], hands={1: "Jump, Swap*2, Dynamite"})
    assert (see.ways(match, "dynamite"), see.ways(match, "jump"), see.ways(match, "swap")) == (None, None, "P2")


def test_S35_R13_Q8_taking_with_the_third_card_lets_the_turn_continue(lay, see):
    match = lay(pieces={1: (1, 2)}, hands={1: "Ho*2, Vert, Jump, Diag"}, played="Rotate, Rotate")
    match.play("vert S")
    assert see.plays(match) == (3, 6)
    assert see.phase(match) == "play"
    assert match.to_move == 0


def test_S37_R8_Q10_starting_a_turn_with_the_artifact_is_not_a_new_take(lay, see):
    match = lay(
        pieces={1: (0, 2), 2: (2, 4)},
        art=(0, 2),
        holder=1,
        mover=2,
        phase="discard",
        hands={1: "Ho*6", 2: "Vert*6"},
        deck="Jump, Jump",
        discard="Rotate",
    )
    match.play("end_turn")
    match.play("draw_deck")
    assert see.plays(match) == (0, 3)
    assert see.holder(match) == 1


def test_S39_R9_R13_Q6_Q8_stealing_with_the_fourth_card_gives_seven_plays(lay, see):
    match = lay(
        pieces={1: (0, 3), 2: (2, 4)},
        art=(0, 3),
        holder=1,
        mover=2,
        limit=4,
        hands={1: "Ho*6", 2: "Ho*2, Vert*2, Jump, Drop Block"},
        played="Rotate",
    )
    match.play("vert N")
    match.play("ho W")
    assert see.where(match, 2) == (1, 3)
    match.play("vert N")
    assert see.plays(match) == (4, 7)
    assert see.holder(match) == 2
    assert match.state.hand_n[1] == 3
    assert see.where(match, 1) == see.where(match, 2) == (0, 3)


def test_S41_R12_Q18_Q11_a_victim_on_the_thiefs_square_takes_the_artifact_back(lay, see):
    match = lay(
        pieces={1: (1, 3), 2: (1, 3)},
        art=(1, 3),
        holder=2,
        mover=2,
        phase="discard",
        hands={1: "Ho*6", 2: "Vert*6"},
        deck="Jump, Jump",
        discard="Rotate",
    )
    match.play("end_turn")
    assert see.holder(match) == 1
    match.play("draw_deck")
    assert see.plays(match) == (0, 6)


def test_S43_R12_Q15_Q19_of_several_on_the_artifact_the_next_in_turn_order_takes_it(lay, see):
    match = lay(
        "test4",
        pieces={1: (0, 1), 2: (1, 1), 3: (1, 3), 4: (1, 1)},
        art=(1, 1),
        phase="discard",
        hands={1: "Ho*6", 2: "Vert*6", 3: "Diag*6", 4: "Jump*6"},
        deck="Rotate, Rotate",
        discard="Rotate",
    )
    match.play("end_turn")
    match.play("draw_deck")
    assert match.to_move == 1
    assert see.holder(match) == 2
    assert see.plays(match) == (0, 6)


def test_S45_R24_Q15_the_holders_own_swap_leaves_the_artifact_to_nobody(lay, see):
    match = lay(pieces={1: (1, 3), 2: (3, 0)}, art=(1, 3), holder=1, hands={1: "Ho*2, Vert*2, Swap", 2: "Vert*6"})
    match.play("swap P2")
    assert see.where(match, 1) == (3, 0)
    assert see.where(match, 2) == (1, 3)
    assert see.artifact(match) == (1, 3)
    assert see.holder(match) is None
    assert see.plays(match) == (1, 3)


def test_S47_Q15_with_passive_take_the_opponent_controls_it_at_once(lay, see):
    match = lay(passive_take=1, pieces={1: (1, 3), 2: (3, 0)}, art=(1, 3), holder=1, hands={1: "Ho*2, Vert*2, Swap", 2: "Vert*6"})
    match.play("swap P2")
    assert see.holder(match) == 2
    assert see.plays(match) == (1, 3)


def test_S49_Q9_with_bonus_each_every_take_gives_three_more(lay, see):
    match = lay(
        bonus_each=1,
        pieces={1: (1, 2), 2: (1, 3)},
        art=(1, 2),
        holder=1,
        limit=6,
        bonus=1,
        hands={1: "Ho*2, Vert, Swap", 2: "Vert*6"},
        played="Vert, Vert",
    )
    match.play("swap P2")
    match.play("ho W")
    assert see.plays(match) == (4, 9)
    assert see.holder(match) == 1


def test_S51_R23_Q14_a_swap_onto_the_artifact_takes_it_from_a_third_player(lay, see):
    match = lay("test3", pieces={1: (3, 0), 2: (1, 3), 3: (1, 3)}, art=(1, 3), holder=3, limit=4, hands={1: "Ho*2, Swap"})
    match.play("swap P2")
    assert see.holder(match) == 1
    assert see.where(match, 3) == (1, 3)
    assert see.plays(match) == (1, 7)


def test_S53_Q13_with_swap_carry_a_holder_can_swap_home_and_win(lay, see):
    match = lay(swap_carry=1, pieces={1: (3, 0), 2: (0, 0)}, art=(3, 0), holder=1, hands={1: "Ho, Jump, Swap"})
    match.play("swap P2")
    assert match.over
    assert match.state.winner == 0
    assert see.artifact(match) == (0, 0)
    assert match.payoff == (1, -1)


def test_S55_Q17_with_share_0_an_occupied_location_cannot_be_entered(lay, see):
    match = lay(share=0, pieces={1: (1, 2), 2: (1, 3)}, art=(1, 3), holder=2, limit=4, hands={1: "Ho, Vert, Swap"})
    assert see.ways(match, "ho") is None
    assert see.ways(match, "swap") == "P2"


def test_S57_R29_Q43_a_theft_on_your_own_home_base_wins(lay):
    match = lay(pieces={1: (4, 4), 2: (2, 0)}, art=(4, 4), holder=1, mover=2, limit=4, hands={2: "Ho, Swap"})
    match.play("swap P1")
    assert match.over
    assert match.state.winner == 1
    assert match.state.holder == 1
    assert match.payoff == (-1, 1)


def test_S59_Q43_the_artifact_on_a_foreign_base_ends_nothing(lay, see):
    match = lay("test3", pieces={1: (0, 1), 2: (1, 1), 3: (0, 3)}, art=(0, 3), holder=3, mover=3, hands={3: "Ho, Vert"})
    match.play("ho E")
    assert not match.over
    assert see.where(match, 3) == see.artifact(match) == (0, 4)
    assert see.holder(match) == 3


def test_S61_R29_Q44_an_opponent_on_your_base_does_not_stop_you(lay):
    match = lay(pieces={1: (0, 1), 2: (0, 0)}, art=(0, 1), holder=1, hands={1: "Ho, Vert"})
    match.play("ho W")
    assert match.over
    assert match.state.winner == 0


def test_S63_R11_R14_Q38_refill_first_then_the_played_cards_go_onto_the_pile(lay, see):
    match = lay(hands={1: "Ho, Vert, Jump, Swap, Drop Block, Dynamite, Rotate", 2: "Vert*6"}, deck="Diag, Diag, Diag", discard="Jump")
    for move in ("ho E", "rotate", "drop W", "end_turn"):
        match.play(move)
    assert see.hand(match, 1) == {"Vert": 1, "Jump": 1, "Diag": 2, "Swap": 1, "Dynamite": 1}
    assert see.pile(match, "disc") == ["Jump", "Ho", "Rotate", "Drop Block"]
    assert match.to_move == 1
    assert see.phase(match) == "draw"


def test_S65_R8_R10_Q35_after_end_play_only_discards_and_end_turn(lay, see):
    match = lay(hands={1: "Ho, Vert, Jump, Swap, Drop Block, Dynamite, Rotate", 2: "Vert*6"})
    match.play("end_play")
    assert see.phase(match) == "discard"
    assert see.verbs(match) == ["discard", "end_turn"]
    assert see.ways(match, "discard") == "Ho Vert Jump Swap Drop Dynamite Rotate"


def test_S67_Q39_with_hand_cap_6_seven_cards_cannot_be_kept(lay):
    match = lay(hand_cap=6, phase="discard", hands={1: "Ho*7", 2: "Vert*6"}, deck="Diag", discard="Jump")
    assert [str(move) for move in match.legal()] == ["discard Ho"]


def test_S69_R15_Q41_if_cards_run_out_you_draw_what_there_is(lay, see):
    match = lay(phase="discard", hands={1: "Ho*2"}, played="Vert, Vert, Vert", deck="Rotate", discard="Diag, Jump", rest=2)
    match.play("end_turn")
    assert see.hand(match, 1) == {"Ho": 2, "Rotate": 1, "Diag": 1}
    assert see.pile(match, "disc") == ["Jump", "Vert", "Vert", "Vert"]
    assert match.state.deck_n == 0


def test_S71_R6_Q3_after_the_last_seat_comes_the_first(lay, see):
    match = lay("test4", mover=4, phase="discard", hands={1: "Ho*6", 2: "Vert*6", 3: "Diag*6", 4: "Jump*6"}, discard="Rotate")
    match.play("end_turn")
    assert match.to_move == 0
    assert see.phase(match) == "draw"


def test_S73_Q32_with_seat_axes_everybody_reads_the_board_from_their_own_side(lay, see):
    match = lay("test4", seat_axes=1, pieces={2: (1, 3)}, mover=2, hands={2: "Ho, Vert"})
    assert see.ways(match, "ho") == "N S"
    assert see.ways(match, "vert") == "E W"


def test_S75_Q35_Q34_if_nothing_is_playable_the_play_step_is_skipped(lay, see):
    match = lay(pieces={1: (4, 0)}, no_blocks=[(4, 0)], phase="draw", hands={1: "Jump, Dynamite*2"}, deck="Dynamite", discard="Rotate")
    match.play("draw_deck")
    assert see.phase(match) == "discard"
    assert match.state.hand_n[0] == 4


def test_S77_Q7_R9_standing_on_the_artifact_does_not_mean_having_it(lay, see):
    match = lay(
        "test4",
        pieces={1: (3, 0), 2: (1, 1), 3: (1, 3)},
        art=(1, 3),
        phase="discard",
        hands={1: "Ho*6", 2: "Vert*6", 3: "Diag*6", 4: "Jump*6"},
        deck="Rotate, Rotate",
        discard="Rotate",
    )
    match.play("end_turn")
    match.play("draw_deck")
    assert match.to_move == 1
    assert see.holder(match) is None
    assert see.plays(match) == (0, 3)


def test_S79_R8_R9_Q6_four_cards_without_a_theft_end_the_play_step(lay, see):
    match = lay(pieces={1: (2, 1), 2: (0, 3)}, art=(0, 3), holder=2, limit=4, hands={1: "Ho*2, Rotate*2"}, played="Vert, Vert, Vert")
    match.play("rotate")
    assert see.phase(match) == "discard"
    assert match.state.hand_n[0] == 3
    assert see.plays(match) == (4, 4)


def test_S81_R22_R26_Q21_adjacent_4_does_not_bind_jumps(lay, see):
    match = lay(adjacent=4, pieces={1: (2, 2)}, art=(2, 2), holder=1, hands={1: "Ho, Jump, Dynamite"})
    assert see.ways(match, "dynamite") is None
    assert see.ways(match, "jump") == "SE NW"


def test_S83_Q5_Q48_what_each_player_sees_of_the_others(s5, see):
    assert s5.state.known[0, JUMP] == 0
    s5.play("draw_discard")
    assert s5.state.known[0, JUMP] == 1
    s5.play("jump SE")
    assert s5.state.known[0, JUMP] == 0
    second, first = s5.view(1).state, s5.view(0).state
    assert second.hand[0].sum() == 0
    assert second.hand_n[0] == 6
    assert set(first.deck.tolist()) == {NONE}
    assert first.deck_n == s5.state.deck_n
    assert first.hand[1].sum() == 0
    assert first.hand_n[1] == 6
    assert see.pile(s5.view(0), "disc") == ["Rotate"]
    assert see.pile(s5.view(0), "played") == see.pile(s5.view(1), "played") == ["Jump"]
