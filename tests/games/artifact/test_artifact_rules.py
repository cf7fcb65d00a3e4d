"""Rule by rule and ruling by ruling, beyond the sheet's own scenarios."""

from collections import Counter

import pytest

from rulestone.games.artifact.content import CARDS, DECKS, HOME, MAP_NAMES, NONE, TEMPLE
from rulestone.match import IllegalMove

HO, VERT, JUMP, DIAG, SWAP, DROP, DYNAMITE, ROTATE = range(8)

# ---- setup ----------------------------------------------------------------------------------------------------------------


def test_Q1_two_to_four_may_play(game):
    assert (game.name, game.min_players, game.max_players) == ("artifact", 2, 4)
    with pytest.raises(ValueError, match="2 to 4 players"):
        game.new(seed=1, players=5)


def test_R2_R30_a_map_for_another_number_of_players_is_refused(game):
    with pytest.raises(ValueError, match="the map 3-tee is for 3 players, not 2; possible: 2-crossing, 2-vault, 2-causeway, 2-maze, test2"):
        game.new(seed=1, players=2, options={"map": "3-tee"})


def test_R3_the_turned_up_card_and_the_deal_come_from_the_deck(game):
    match = game.new(seed=4, players=3)
    s = match.state
    total = Counter(s.deck[: s.deck_n].tolist()) + Counter(s.disc[:1].tolist())
    for seat in range(3):
        total += Counter({kind: int(count) for kind, count in enumerate(s.hand[seat])})
    assert [total[kind] for kind in range(8)] == list(DECKS["standard54"])
    assert s.deck_n == 35


def test_R3_Q36_any_kind_can_be_turned_up_and_it_has_no_effect(game):
    tops = {int(game.new(seed=seed, players=2).state.disc[0]) for seed in range(60)}
    assert tops == set(range(8))
    assert all(game.new(seed=seed, players=2).state.rot == 0 for seed in range(60))


def test_Q2_a_deck_can_be_given_as_eight_counts(game):
    match = game.new(seed=1, players=2, options={"deck": [3, 3, 3, 3, 3, 3, 2, 0]})
    assert match.state.cnt.tolist() == [3, 3, 3, 3, 3, 3, 2, 0]
    assert match.state.deck_n == 20 - 13
    assert game.new(seed=1, options={"deck": "even56"}).state.cnt.tolist() == [7] * 8


@pytest.mark.parametrize(
    ("players", "deck", "span"), [(2, [3, 3, 3, 3, 3, 3, 1, 0], "20 to 64"), (4, [3] * 8, "32 to 64"), (2, [9] * 8, "20 to 64")]
)
def test_Q2_a_deck_too_small_or_too_large_is_refused(game, players, deck, span):
    with pytest.raises(ValueError, match=span):
        game.new(seed=1, players=players, options={"deck": deck})


def test_Q3_start_seat_says_who_goes_first(game):
    match = game.new(seed=1, players=3, options={"start_seat": 2})
    assert match.to_move == 2
    with pytest.raises(ValueError, match="seat 2 can't go first in a game for 2"):
        game.new(seed=1, players=2, options={"start_seat": 2})


def test_Q3_Q47_shuffle_bases_deals_every_assignment_of_bases(game):
    index = MAP_NAMES.index("3-tripod")
    seen = Counter()
    for seed in range(120):
        s = game.new(seed=seed, players=3, options={"shuffle_bases": 1}).state
        assert s.pos[:3].tolist() == [HOME[index, base] for base in s.base[:3]]
        assert s.base[3] == 3
        seen[tuple(s.base[:3].tolist())] += 1
    assert len(seen) == 6
    assert min(seen.values()) >= 8
    assert game.new(seed=1, players=3).state.base.tolist() == [0, 1, 2, 3]


def test_Q3_R29_with_shuffled_bases_you_win_on_the_base_you_were_assigned(lay):
    match = lay(shuffle_bases=1, pieces={1: (4, 3), 2: (0, 0)}, art=(4, 3), holder=1, hands={1: "Ho, Vert"})
    match.state.base = [1, 0, 2, 3]
    match.play("ho E")
    assert match.over
    assert match.state.winner == 0


# ---- the turn -------------------------------------------------------------------------------------------------------------


def test_R6_a_turn_is_draw_play_discard_refill(lay, see):
    match = lay(phase="draw", hands={1: "Ho*2, Rotate*4", 2: "Vert*6"}, deck="Diag*4", discard="Jump")
    phases = [see.phase(match)]
    for move in ("draw_deck", "ho E", "end_play", "discard Rotate", "end_turn"):
        match.play(move)
        phases.append(see.phase(match))
    assert phases == ["draw", "play", "play", "discard", "discard", "draw"]
    assert see.hand(match, 1) == {"Ho": 1, "Rotate": 3, "Diag": 2}
    assert match.state.turn == 1
    assert match.to_move == 1


def test_R7_the_deck_gives_its_top_card(lay, see):
    match = lay(phase="draw", hands={1: "Ho*6"}, deck="Swap, Diag", discard="Jump")
    match.play("draw_deck")
    assert see.hand(match, 1) == {"Ho": 6, "Swap": 1}
    assert see.pile(match, "disc") == ["Jump"]
    assert match.state.known[0].sum() == 0
    assert match.state.mine[0, SWAP] == 1


def test_R7_one_card_is_drawn_in_a_turn(lay):
    match = lay(phase="draw", hands={1: "Ho*6"}, deck="Swap, Diag", discard="Jump")
    match.play("draw_deck")
    with pytest.raises(IllegalMove, match="already drawn your card"):
        match.play("draw_discard")


def test_Q4_without_a_discard_pile_the_deck_is_drawn_from_by_itself(lay, see):
    match = lay(mover=2, phase="discard", hands={1: "Ho*6", 2: "Vert*6"}, deck="Swap")
    match.play("end_turn")
    assert match.to_move == 0
    assert see.phase(match) == "play"
    assert see.hand(match, 1) == {"Ho": 6, "Swap": 1}


def test_Q4_if_only_the_top_discard_is_left_it_is_taken_by_itself(lay, see):
    match = lay(mover=2, phase="discard", hands={1: "Ho*6", 2: "Vert*6"}, discard="Jump", rest=2)
    match.play("end_turn")
    assert match.to_move == 0
    assert see.phase(match) == "play"
    assert see.hand(match, 1) == {"Ho": 6, "Jump": 1}
    assert match.state.known[0, JUMP] == 1
    assert match.state.disc_n == 0


def test_Q4_with_two_discards_and_no_deck_both_draws_are_offered(lay):
    match = lay(mover=2, phase="discard", hands={1: "Ho*6", 2: "Vert*6"}, discard="Jump, Swap", rest=2)
    match.play("end_turn")
    assert [str(move) for move in match.legal()] == ["draw_deck", "draw_discard"]


def test_R8_playing_no_card_at_all_is_allowed(lay, see):
    match = lay(hands={1: "Ho*7", 2: "Vert*6"}, discard="Jump")
    match.play("end_play")
    match.play("end_turn")
    assert match.to_move == 1
    assert see.hand(match, 1) == {"Ho": 7}


def test_R8_three_cards_and_no_more(lay, see):
    match = lay(hands={1: "Rotate*4, Ho*3"})
    for _ in range(3):
        match.play("rotate")
    assert see.phase(match) == "discard"
    assert see.plays(match) == (3, 3)
    with pytest.raises(IllegalMove, match="You can't play any more cards"):
        match.play("rotate")


def test_R9_the_others_may_play_four_while_somebody_has_the_artifact(lay, see):
    match = lay(pieces={1: (0, 2)}, art=(0, 2), holder=1, phase="discard", hands={1: "Ho*6", 2: "Vert*6"}, discard="Rotate")
    match.play("end_turn")
    assert match.to_move == 1
    assert see.plays(match) == (0, 4)
    assert "chase" in see.story(match)


def test_R10_Q36_cards_are_discarded_one_by_one_onto_the_pile_and_all_may_go(lay, see):
    match = lay(phase="discard", hands={1: "Ho, Swap", 2: "Vert*6"}, deck="Diag*6", discard="Jump")
    match.play("discard Swap")
    assert see.pile(match, "disc") == ["Jump", "Swap"]
    assert match.to_move == 0
    match.play("discard Ho")
    assert see.pile(match, "disc") == ["Jump", "Swap", "Ho"]
    assert see.hand(match, 1) == {"Diag": 6}
    assert match.to_move == 1


def test_Q36_played_cards_lie_aside_until_the_turn_ends(lay, see):
    match = lay(hands={1: "Ho*3, Rotate"}, discard="Jump")
    match.play("rotate")
    assert see.pile(match, "played") == ["Rotate"]
    assert see.pile(match, "disc") == ["Jump"]


def test_R10_no_card_can_be_discarded_before_the_last_play(lay):
    match = lay(hands={1: "Ho*3, Rotate"}, discard="Jump")
    with pytest.raises(IllegalMove, match="Stop playing cards first"):
        match.play("discard Ho")


def test_R11_Q37_the_hand_is_refilled_to_six_once(lay, see):
    match = lay(phase="discard", hands={1: "Ho*4", 2: "Vert*6"}, deck="Diag*4", discard="Jump")
    match.play("end_turn")
    assert see.hand(match, 1) == {"Ho": 4, "Diag": 2}
    assert match.state.mine[0, DIAG] == 2


def test_R14_the_last_card_played_is_offered_to_the_next_player(lay, see):
    match = lay(hands={1: "Rotate, Ho, Vert*2"}, discard="Jump")
    for move in ("rotate", "ho S", "discard Vert", "end_turn"):
        match.play(move)
    assert see.pile(match, "disc") == ["Jump", "Vert", "Rotate", "Ho"]
    assert match.state.played_n == 0
    assert set(match.state.played.tolist()) == {NONE}


def test_Q38_cards_played_this_turn_are_not_in_this_turns_reshuffle(lay, see):
    match = lay(phase="discard", hands={1: "Ho*3"}, played="Swap, Swap", discard="Diag, Jump, Vert, Rotate", rest=2)
    match.play("end_turn")
    assert see.hand(match, 1) == {"Ho": 3, "Diag": 1, "Jump": 1, "Vert": 1}
    assert see.pile(match, "disc") == ["Rotate", "Swap", "Swap"]


def test_R15_a_reshuffle_in_the_middle_of_a_refill_first_uses_up_the_deck(lay, see):
    match = lay(phase="discard", hands={1: "Ho*4"}, deck="Swap", discard="Diag, Diag, Diag, Rotate", rest=2)
    match.play("end_turn")
    assert see.hand(match, 1) == {"Ho": 4, "Swap": 1, "Diag": 1}
    assert see.pile(match, "deck") == ["Diag", "Diag"]
    assert see.pile(match, "disc") == ["Rotate"]
    assert match.state.epoch.tolist() == [0, 0, 0, 3, 0, 0, 0, 0]
    assert match.state.mine[0].tolist() == [0, 0, 0, 1, 0, 0, 0, 0]


def test_Q40_every_order_of_a_reshuffle_occurs_equally_often(lay):
    """χ² with 5 degrees of freedom over the 6 orders of three different cards; 20.5 is exceeded once in a thousand times."""
    seen = Counter()
    for rng in range(1200):
        match = lay(phase="draw", hands={1: "Ho*6"}, discard="Rotate, Jump, Swap, Dynamite", rest=2)
        before = match.state.hand[0].copy()
        match.play("draw_deck", rng=rng * 7919)
        drawn = int((match.state.hand[0] - before).argmax())
        seen[(drawn, *match.state.deck[:2].tolist())] += 1
    assert len(seen) == 6
    assert sum((count - 200) ** 2 / 200 for count in seen.values()) < 20.5


def test_Q35_the_turn_ends_by_itself_with_an_empty_hand(lay, see):
    match = lay(hands={1: "Ho", 2: "Vert*6"}, deck="Diag*6", discard="Jump")
    match.play("ho E")
    assert match.to_move == 1
    assert see.hand(match, 1) == {"Diag": 6}
    assert see.pile(match, "disc") == ["Jump", "Ho"]


def test_Q35_a_player_without_cards_and_without_a_draw_is_passed_over(lay, see):
    match = lay("test3", mover=1, phase="discard", hands={1: "Ho*6"}, rest=1)
    match.play("end_turn")
    assert match.to_move == 0
    assert match.state.turn == 3
    assert see.phase(match) == "play"
    assert see.story(match).count("nothing") == 3


def test_Q35_the_story_is_the_same_for_a_forced_stop_and_a_chosen_one(lay, see):
    forced = lay(pieces={1: (1, 1)}, hands={1: "Jump, Dynamite"})
    forced.play("dynamite self")
    chosen = lay(hands={1: "Jump, Dynamite"})
    chosen.play("end_play")
    assert see.story(forced)[-1] == see.story(chosen)[-1] == "stops"


def test_Q39_a_hand_of_seven_is_kept_and_not_refilled(lay, see):
    match = lay(phase="discard", hands={1: "Ho*7", 2: "Vert*6"}, deck="Diag", discard="Jump")
    match.play("end_turn")
    assert see.hand(match, 1) == {"Ho": 7}
    assert match.state.hand_n[0] == 7


def test_Q39_with_hand_cap_6_six_cards_may_be_kept(lay, see):
    match = lay(hand_cap=6, phase="discard", hands={1: "Ho*6, Swap", 2: "Vert*6"}, deck="Diag", discard="Jump")
    with pytest.raises(IllegalMove, match="at most 6 cards"):
        match.play("end_turn")
    match.play("discard Swap")
    match.play("end_turn")
    assert see.hand(match, 1) == {"Ho": 6}
    assert match.to_move == 1


# ---- moving ---------------------------------------------------------------------------------------------------------------


def test_R17_R18_R19_ho_goes_east_west_and_vert_north_south(lay, see):
    match = lay(pieces={1: (2, 2)}, art=(0, 2), hands={1: "Ho, Vert"})
    assert see.ways(match, "ho") == "E W"
    assert see.ways(match, "vert") == "N S"
    match.play("ho W")
    assert see.where(match, 1) == (2, 1)
    assert see.pile(match, "played") == ["Ho"]


def test_R20_diag_goes_in_four_directions(lay, see):
    match = lay("test4", pieces={1: (1, 1)}, no_blocks=[(0, 2), (2, 0)], hands={1: "Diag"})
    assert see.ways(match, "diag") == "NE SE SW NW"


def test_R21_from_a_wall_you_can_step_onto_walls_and_down(lay, see):
    match = lay(pieces={1: (1, 1)}, blocks=[(1, 2)], hands={1: "Ho, Vert, Diag"})
    assert (see.ways(match, "ho"), see.ways(match, "vert"), see.ways(match, "diag")) == ("E W", "N S", "NE SE SW NW")


def test_R21_stepping_onto_a_wall_is_refused_with_a_reason(lay):
    match = lay(pieces={1: (1, 0)}, hands={1: "Ho, Vert"})
    with pytest.raises(IllegalMove, match=r"only Jump goes up\. \[R21\]"):
        match.play("ho E")


def test_Q25_from_a_wall_no_jump_is_possible_with_two_levels(lay, see):
    match = lay(pieces={1: (1, 1)}, blocks=[(1, 2)], hands={1: "Jump, Ho"})
    assert see.ways(match, "jump") is None


def test_Q25_with_jump_level_a_jump_goes_onto_any_wall_also_from_wall_to_wall(lay, see):
    match = lay(jump_level="yes", pieces={1: (1, 1)}, blocks=[(1, 2)], hands={1: "Jump, Ho"})
    assert see.ways(match, "jump") == "E"
    assert match.why("jump W") == "There's no wall there to jump onto. [Q25]"
    match.play("jump E")
    assert see.where(match, 1) == (1, 2)


def test_Q25_with_jump_level_and_stacks_a_jump_goes_down_to_a_lower_wall_too(lay, see):
    match = lay(jump_level="yes", max_height=3, pieces={1: (1, 1)}, blocks=[(1, 1), (1, 2), (0, 1), (0, 1), (0, 1)], hands={1: "Jump"})
    assert see.ways(match, "jump") == "N E"


def test_R22_with_jump_level_nothing_changes_on_the_ground(lay, see):
    usual = see.ways(lay(hands={1: "Jump"}), "jump")
    assert see.ways(lay(hands={1: "Jump"}, jump_level="yes"), "jump") == usual == "SE"


def test_Q22_without_a_limit_blocks_are_stacked_as_high_as_there_are_tiles(lay, see):
    match = lay(max_height=0, limit=7, hands={1: "Drop Block*6, Ho"})
    for height in range(2, 8):
        match.play("drop SE")
        assert see.height(match, 1, 1) == height
    few = lay(max_height=0, block_supply=1, spare=1, hands={1: "Drop Block*2, Ho"})
    few.play("drop SE")
    assert few.why("drop SE") == "There are no spare blocks left. [Q30]"


def test_Q22_with_stacks_a_step_goes_down_any_height_and_a_jump_up_any(lay, see):
    match = lay(max_height=3, pieces={1: (2, 0)}, blocks=[(1, 0), (1, 0), (1, 0)], hands={1: "Jump, Vert"})
    match.play("jump N")
    assert see.where(match, 1) == (1, 0)
    assert see.ways(match, "vert") == "N S"


def test_Q22_with_stacks_a_block_can_be_dropped_and_blown_up_on_the_same_location(lay, see):
    match = lay(max_height=2, hands={1: "Drop Block*2, Dynamite, Ho*3"})
    assert "SE" in see.ways(match, "drop")
    assert see.ways(match, "dynamite") == "SE"
    match.play("drop SE")
    assert see.height(match, 1, 1) == 2
    assert see.ways(match, "drop") == "E S self"
    match.play("dynamite SE")
    assert see.height(match, 1, 1) == 1


def test_Q23_map_walls_are_blocks_that_can_be_blown_up(lay, see):
    match = lay(hands={1: "Dynamite, Diag"})
    match.play("dynamite SE")
    assert see.height(match, 1, 1) == 0
    assert see.ways(match, "diag") == "SE"


def test_Q31_a_hole_in_the_map_cannot_be_entered_or_built_on(lay, see):
    match = lay("3-tripod", pieces={1: (3, 3)}, hands={1: "Ho, Vert, Diag, Jump, Drop Block, Dynamite, Rotate"})
    assert see.ways(match, "ho") is None
    assert see.ways(match, "vert") == "N"
    assert see.ways(match, "diag") == "SE"
    assert see.ways(match, "jump") == "W NW"
    assert see.ways(match, "drop") == "N SE self"
    assert see.ways(match, "dynamite") == "W NW"


def test_Q31_the_board_does_not_wrap(lay):
    match = lay(hands={1: "Ho, Vert"})
    for move in ("ho W", "vert N"):
        with pytest.raises(IllegalMove, match="That's off the board"):
            match.play(move)


def test_Q17_several_players_may_share_a_location(lay, see):
    match = lay("test3", pieces={1: (1, 0), 2: (1, 1), 3: (1, 1)}, hands={1: "Ho, Vert"})
    match.play("ho E")
    assert see.where(match, 1) == see.where(match, 2) == see.where(match, 3) == (1, 1)


def test_Q17_with_share_0_a_jump_onto_an_occupied_wall_is_impossible_too(lay, see):
    match = lay(share=0, pieces={2: (1, 1)}, hands={1: "Jump, Ho"})
    assert see.ways(match, "jump") is None
    assert see.ways(match, "ho") == "E"
    with pytest.raises(IllegalMove, match="Somebody is already there"):
        match.play("jump SE")


def test_Q44_with_share_0_a_piece_on_your_base_keeps_you_out(lay, see):
    match = lay(share=0, pieces={1: (0, 1), 2: (0, 0)}, art=(0, 1), holder=1, hands={1: "Ho, Vert"})
    assert see.ways(match, "ho") == "E"


def test_Q44_a_block_on_your_base_has_to_be_climbed(lay, see):
    match = lay(pieces={1: (0, 1)}, blocks=[(0, 0)], art=(0, 1), holder=1, hands={1: "Ho, Jump"})
    assert see.ways(match, "ho") == "E"
    assert "W" in see.ways(match, "jump").split()
    match.play("jump W")
    assert match.over
    assert match.state.winner == 0


# ---- swap -----------------------------------------------------------------------------------------------------------------


def test_R23_swap_exchanges_places_over_any_distance_and_height(lay, see):
    match = lay("test3", pieces={1: (1, 1), 3: (2, 0)}, hands={1: "Swap, Ho"})
    match.play("swap P3")
    assert see.where(match, 1) == (2, 0)
    assert see.where(match, 3) == (1, 1)
    assert see.height(match, 2, 0) == 1


def test_Q16_swap_targets_are_opponents_elsewhere(lay, see):
    match = lay("test4", pieces={1: (1, 1), 2: (1, 1)}, hands={1: "Swap, Ho"})
    assert see.ways(match, "swap") == "P3 P4"
    for move, reason in (("swap P1", "with yourself"), ("swap P2", "same square")):
        with pytest.raises(IllegalMove, match=reason):
            match.play(move)


def test_R24_a_swap_by_others_leaves_the_artifact_with_its_holder(lay, see):
    match = lay("test3", pieces={1: (1, 0), 2: (3, 1), 3: (1, 3)}, art=(1, 3), holder=3, limit=4, hands={1: "Swap, Ho"})
    match.play("swap P2")
    assert see.holder(match) == 3
    assert see.artifact(match) == (1, 3)
    assert see.plays(match) == (1, 4)


def test_Q14_a_swap_with_the_holder_is_the_classic_theft(lay, see):
    match = lay(pieces={1: (3, 0), 2: (1, 3)}, art=(1, 3), holder=2, limit=4, hands={1: "Swap, Ho"})
    match.play("swap P2")
    assert see.holder(match) == 1
    assert see.where(match, 1) == see.artifact(match) == (1, 3)
    assert see.plays(match) == (1, 7)
    assert "steals" in see.story(match)
    assert "stays" in see.story(match)


def test_Q13_with_swap_carry_a_swap_with_the_holder_steals_nothing(lay, see):
    match = lay(swap_carry=1, pieces={1: (3, 0), 2: (1, 3)}, art=(1, 3), holder=2, limit=4, hands={1: "Swap, Ho"})
    match.play("swap P2")
    assert see.holder(match) == 2
    assert see.artifact(match) == (3, 0)
    assert see.plays(match) == (1, 4)


def test_Q13_with_swap_carry_a_holder_swapped_home_wins_in_somebody_elses_turn(lay):
    match = lay(swap_carry=1, pieces={1: (4, 4), 2: (1, 3)}, art=(1, 3), holder=2, limit=4, hands={1: "Swap, Ho"})
    match.play("swap P2")
    assert match.over
    assert match.state.winner == 1
    assert match.payoff == (-1, 1)


def test_Q13_with_swap_carry_arriving_on_a_third_players_artifact_takes_it(lay, see):
    match = lay("test3", swap_carry=1, pieces={1: (3, 0), 2: (1, 3), 3: (1, 3)}, art=(1, 3), holder=3, limit=4, hands={1: "Swap, Ho"})
    match.play("swap P2")
    assert see.holder(match) == 1
    assert see.plays(match) == (1, 7)


def test_Q15_with_passive_take_on_that_opponents_base_they_win_at_once(lay):
    match = lay(passive_take=1, pieces={1: (4, 4), 2: (3, 0)}, art=(4, 4), holder=1, hands={1: "Swap, Ho"})
    match.play("swap P2")
    assert match.over
    assert match.state.winner == 1


def test_Q15_without_passive_take_that_opponent_wins_when_their_turn_starts(lay, see):
    match = lay(pieces={1: (4, 4), 2: (3, 0)}, art=(4, 4), holder=1, hands={1: "Swap, Ho"}, discard="Jump")
    match.play("swap P2")
    assert not match.over
    assert see.holder(match) is None
    match.play("end_play")
    match.play("end_turn")
    assert match.over
    assert match.state.winner == 1


def test_Q15_passive_take_does_nothing_under_swap_carry(lay, see):
    match = lay(passive_take=1, swap_carry=1, pieces={1: (1, 3), 2: (3, 0)}, art=(1, 3), holder=1, hands={1: "Swap, Ho"})
    match.play("swap P2")
    assert see.holder(match) == 1
    assert see.artifact(match) == (3, 0)


# ---- blocks ---------------------------------------------------------------------------------------------------------------


def test_R25_Q24_a_block_may_fall_on_any_neighbouring_ground(lay, see):
    match = lay("test4", pieces={1: (1, 1)}, no_blocks=[(0, 2)], hands={1: "Drop Block, Ho"})
    assert see.ways(match, "drop") == "N NE E SE S W NW self"
    match.play("drop NE")
    assert see.height(match, 0, 2) == 1
    assert see.pile(match, "played") == ["Drop Block"]


def test_Q26_a_block_lifts_pieces_and_lands_on_bases_and_temple_too(lay, see):
    match = lay("test3", pieces={1: (1, 1), 2: (1, 2)}, hands={1: "Drop Block*3, Ho"})
    for move in ("drop NW", "drop SE", "drop E"):
        match.play(move)
    assert see.height(match, 0, 0) == see.height(match, 2, 2) == see.height(match, 1, 2) == 1
    assert see.where(match, 2) == (1, 2)
    assert see.artifact(match) == (2, 2)
    assert see.holder(match) is None


def test_Q26_with_protect_bases_and_temple_stay_free(lay, see):
    match = lay("test3", protect=1, pieces={1: (1, 1)}, hands={1: "Drop Block, Ho"})
    assert see.ways(match, "drop") == "N E S W self"
    at_home = lay("test3", protect=1, hands={1: "Drop Block, Ho"})
    assert see.ways(at_home, "drop") == "E SE S"
    with pytest.raises(IllegalMove, match="can't go on home bases"):
        at_home.play("drop self")


def test_Q27_a_block_cannot_go_on_a_block(lay):
    match = lay(pieces={1: (1, 1)}, hands={1: "Drop Block, Ho"})
    with pytest.raises(IllegalMove, match="There's already a block there"):
        match.play("drop self")


def test_R26_Q28_dynamite_drops_others_and_changes_no_control(lay, see):
    match = lay(pieces={1: (1, 0), 2: (1, 1)}, art=(1, 1), holder=2, limit=4, hands={1: "Dynamite, Vert"})
    match.play("dynamite E")
    assert see.height(match, 1, 1) == 0
    assert see.where(match, 2) == (1, 1)
    assert see.holder(match) == 2


def test_Q29_being_lifted_is_not_a_move_and_takes_nothing(lay, see):
    match = lay("test3", pieces={1: (1, 1), 2: (1, 2)}, art=(1, 2), hands={1: "Drop Block, Ho"})
    match.play("drop E")
    assert see.holder(match) is None
    assert see.height(match, 1, 2) == 1


def test_Q30_a_limited_supply_runs_out(lay, see):
    match = lay(block_supply=1, spare=1, hands={1: "Drop Block*2, Rotate*2"})
    match.play("drop E")
    assert match.state.spare == 0
    assert see.ways(match, "drop") is None
    with pytest.raises(IllegalMove, match="no spare blocks left"):
        match.play("drop S")


def test_Q30_a_new_game_has_the_supply_asked_for_and_none_is_counted_by_default(game, lay, see):
    assert game.new(seed=1, options={"block_supply": 7}).state.spare == 7
    match = lay(hands={1: "Drop Block, Dynamite"})
    match.play("drop E")
    assert match.state.spare == 0
    assert see.height(match, 0, 1) == 1


# ---- rotate ---------------------------------------------------------------------------------------------------------------


def test_R27_Q33_two_rotations_cancel_out_but_are_counted(lay, see):
    match = lay(pieces={1: (2, 2)}, art=(0, 2), rot=3, hands={1: "Ho, Rotate"})
    assert see.ways(match, "ho") == "N S"
    match.play("rotate")
    assert match.state.rot == 0
    assert see.ways(match, "ho") == "E W"


def test_R27_a_step_along_the_wrong_line_is_refused_with_a_reason(lay):
    match = lay(pieces={1: (2, 2)}, art=(0, 2), rot=1, hands={1: "Ho, Vert"})
    with pytest.raises(IllegalMove, match="Ho moves north or south"):
        match.play("ho E")
    with pytest.raises(IllegalMove, match="Vert moves east or west"):
        match.play("vert N")


def test_Q32_with_two_players_seat_axes_changes_nothing(lay, see):
    match = lay(seat_axes=1, pieces={2: (2, 2)}, art=(0, 2), mover=2, hands={2: "Ho, Vert"})
    assert see.ways(match, "ho") == "E W"
    assert see.ways(match, "vert") == "N S"


def test_Q34_rotate_is_always_playable_and_other_cards_only_with_effect(lay, see):
    match = lay(no_blocks=[(1, 1)], hands={1: "Rotate, Dynamite, Jump"})
    assert see.verbs(match) == ["end_play", "rotate"]
    with pytest.raises(IllegalMove, match="no block there to remove"):
        match.play("dynamite SE")


def test_Q34_with_idle_cards_a_card_may_be_played_without_effect(lay, see):
    match = lay(idle_cards="yes", no_blocks=[(1, 1)], hands={1: "Dynamite, Jump, Ho"}, discard="Vert")
    assert see.ways(match, "dynamite") == "N NE E SE S SW W NW self"
    match.play("jump E")
    assert see.plays(match) == (1, 3)
    assert see.pile(match, "played") == ["Jump"]
    assert see.where(match, 1) == (0, 0)
    assert match.say(match.events[0]) == "Red plays Jump without effect. [Q34]"
    match.play("dynamite SE")
    assert see.height(match, 1, 1) == 0
    assert see.story(match) == ["idle"]


def test_Q34_with_idle_cards_a_card_that_can_be_carried_out_is(lay, see):
    match = lay(idle_cards="yes", pieces={2: (2, 2)}, hands={1: "Ho, Swap, Drop Block, Rotate"}, limit=4)
    match.play("ho E")
    assert see.where(match, 1) == (0, 1)
    match.play("drop W")
    assert see.height(match, 0, 0) == 1
    match.play("swap P2")
    assert see.where(match, 1) == (2, 2)


def test_Q34_Q16_with_idle_cards_a_swap_with_yourself_does_nothing_and_empty_seats_stay_out(lay, see):
    match = lay(idle_cards="yes", hands={1: "Swap, Ho"})
    assert see.ways(match, "swap") == "P1 P2"
    match.play("swap P1")
    assert (see.where(match, 1), see.where(match, 2)) == ((0, 0), (4, 4))


def test_Q34_Q35_with_idle_cards_the_play_step_continues_while_there_is_a_card(lay, see):
    match = lay(idle_cards="yes", no_blocks=[(1, 1)], hands={1: "Jump, Dynamite"}, discard="Vert")
    match.play("jump S")
    assert see.verbs(match) == ["dynamite", "end_play"]


# ---- the artifact ---------------------------------------------------------------------------------------------------------


def test_R12_Q20_moving_onto_the_artifact_takes_it_like_it_or_not(lay, see):
    match = lay(pieces={1: (2, 1)}, hands={1: "Ho, Vert"})
    match.play("ho E")
    assert see.holder(match) == 1
    assert see.plays(match) == (1, 6)
    assert see.story(match) == ["ho", "takes", "allowance"]


def test_R13_Q8_unused_plays_are_kept(lay, see):
    match = lay(pieces={1: (2, 1)}, hands={1: "Ho, Vert, Rotate*4, Swap"})
    for move in ("ho E", "rotate", "rotate", "rotate", "rotate"):
        match.play(move)
    assert see.plays(match) == (5, 6)
    assert see.phase(match) == "play"


def test_Q6_the_four_plays_are_kept_after_the_theft(lay, see):
    match = lay(pieces={1: (1, 2), 2: (1, 3)}, art=(1, 3), holder=2, limit=4, hands={1: "Ho, Vert, Rotate"})
    match.play("ho E")
    assert see.plays(match) == (1, 7)


def test_Q6_with_live_limit_the_fourth_play_is_lost_with_the_theft(lay, see):
    match = lay(live_limit=1, pieces={1: (1, 2), 2: (1, 3)}, art=(1, 3), holder=2, limit=4, hands={1: "Ho, Vert, Rotate"})
    match.play("ho E")
    assert see.plays(match) == (1, 6)


def test_Q6_with_live_limit_the_limit_can_fall_below_the_plays_used(lay, see):
    match = lay(
        live_limit=1,
        passive_take=1,
        pieces={1: (1, 3), 2: (1, 2)},
        art=(1, 3),
        holder=1,
        limit=6,
        bonus=1,
        turn=2,
        hands={1: "Swap, Ho*3"},
        played="Vert*5",
    )
    match.play("swap P2")
    assert see.plays(match) == (6, 7)
    assert see.holder(match) == 2
    match.play("ho E")
    assert see.plays(match) == (7, 6)
    assert see.holder(match) == 1
    assert see.phase(match) == "discard"


def test_Q9_a_second_take_in_a_turn_gives_no_second_bonus(lay, see):
    match = lay(pieces={1: (1, 2), 2: (1, 3)}, art=(1, 2), holder=1, limit=6, bonus=1, hands={1: "Ho*2, Vert, Swap"}, played="Vert, Vert")
    match.play("swap P2")
    match.play("ho W")
    assert see.holder(match) == 1
    assert see.plays(match) == (4, 6)
    assert match.state.bonus == 1


def test_Q9_with_bonus_each_the_limit_stops_at_sixteen(lay, see):
    match = lay(bonus_each=1, pieces={1: (2, 1), 2: (4, 4)}, limit=15, bonus=4, hands={1: "Ho, Vert"}, used=2)
    match.play("ho E")
    assert match.state.limit == 16
    assert match.state.bonus == 5


def test_Q9_walking_on_as_holder_is_not_a_new_take(lay, see):
    match = lay(bonus_each=1, pieces={1: (2, 2)}, art=(2, 2), holder=1, hands={1: "Ho*2, Vert"})
    match.play("ho E")
    assert see.plays(match) == (1, 3)


def test_Q10_with_holder_bonus_the_holder_gets_six_and_no_further_bonus(lay, see):
    match = lay(
        holder_bonus=1,
        pieces={1: (0, 2), 2: (0, 1)},
        art=(0, 2),
        holder=1,
        mover=2,
        phase="discard",
        hands={1: "Swap, Ho*5", 2: "Vert*6"},
        discard="Rotate",
    )
    match.play("end_turn")
    match.play("draw_deck")
    assert see.plays(match) == (0, 6)
    assert match.state.bonus == 1
    match.play("swap P2")
    match.play("ho E")
    assert see.holder(match) == 1
    assert see.plays(match) == (2, 6)


def test_Q11_a_take_at_the_start_comes_before_the_limit_is_set(lay, see):
    match = lay(
        "test3", pieces={2: (1, 1), 3: (1, 1)}, art=(1, 1), holder=3, phase="discard", hands={1: "Ho*6", 2: "Vert*6"}, discard="Jump"
    )
    match.play("end_turn")
    assert see.holder(match) == 2
    assert see.plays(match) == (0, 6)
    assert see.story(match)[-2:] == ["steals", "turn"]


STARTS_ON_IT = {"pieces": {2: (1, 1), 3: (1, 1)}, "art": (1, 1), "phase": "discard", "hands": {1: "Ho*6", 2: "Vert*6"}, "discard": "Jump"}


def test_Q11_with_chase_and_take_7_a_turn_that_starts_on_anothers_artifact_has_the_fourth_card_too(lay, see):
    match = lay("test3", **STARTS_ON_IT, holder=3, chase_and_take=7)
    match.play("end_turn")
    assert see.holder(match) == 2
    assert see.plays(match) == (0, 7)
    assert match.say(match.events[-1]) == "Blue's turn, with up to 7 cards to play. [R13]"


def test_Q11_with_chase_and_take_7_an_artifact_that_nobody_has_brings_six(lay, see):
    match = lay("test3", **STARTS_ON_IT, chase_and_take=7)
    match.play("end_turn")
    assert see.plays(match) == (0, 6)


def test_Q6_with_live_limit_the_fourth_card_is_lost_again_after_the_first_play(lay, see):
    match = lay("test3", **STARTS_ON_IT, holder=3, chase_and_take=7, live_limit=1)
    for move in ("end_turn", "draw_deck", "vert S"):
        match.play(move)
    assert see.plays(match) == (1, 6)
    assert match.say(match.events[-1]) == "Blue may now play up to 6 cards this turn. [Q6]"


def test_Q46_a_shorter_first_turn_cites_its_ruling(game):
    match = game.new(seed=1, options={"opening_limit": 1})
    assert match.say(match.events[-1]) == "Red's turn, with up to 1 card to play. [Q46]"


def test_R28_Q12_the_artifact_travels_with_every_step_and_jump_of_its_holder(lay, see):
    match = lay(pieces={1: (2, 2)}, art=(2, 2), holder=1, hands={1: "Jump, Ho, Diag, Vert"})
    for move, place in (("jump SE", (3, 3)), ("ho W", (3, 2)), ("diag SW", (4, 1))):
        match.play(move)
        assert see.where(match, 1) == see.artifact(match) == place
    assert match.state.hand_n[0] == 1


def test_Q18_moving_onto_the_holder_steals_and_both_stay(lay, see):
    match = lay(pieces={1: (1, 2), 2: (1, 3)}, art=(1, 3), holder=2, limit=4, hands={1: "Ho, Vert, Rotate"})
    match.play("ho E")
    assert see.holder(match) == 1
    assert see.where(match, 1) == see.where(match, 2) == (1, 3)


def test_Q19_a_holder_who_comes_to_others_keeps_the_artifact(lay, see):
    match = lay(pieces={1: (1, 2), 2: (1, 3)}, art=(1, 2), holder=1, hands={1: "Ho, Vert"})
    match.play("ho E")
    assert see.holder(match) == 1
    assert see.artifact(match) == (1, 3)


def test_Q20_the_artifact_cannot_be_put_down(game):
    assert [verb.name for verb in game.actions] == [
        "draw_deck",
        "draw_discard",
        "end_play",
        "end_turn",
        "discard",
        "ho",
        "vert",
        "jump",
        "diag",
        "swap",
        "drop",
        "dynamite",
        "rotate",
    ]


def test_Q50_a_swapped_away_artifact_lies_under_the_opponent_who_takes_it_next(lay, see):
    match = lay(pieces={1: (1, 3), 2: (3, 0)}, art=(1, 3), holder=1, hands={1: "Ho*2, Vert*2, Swap"}, discard="Jump")
    for move in ("swap P2", "end_play", "end_turn"):
        match.play(move)
    assert see.holder(match) == 2
    assert see.plays(match) == (0, 6)


# ---- the end --------------------------------------------------------------------------------------------------------------


def test_R1_R29_Q42_bringing_the_artifact_home_wins_at_once(lay, see):
    match = lay(pieces={1: (1, 0)}, art=(1, 0), holder=1, hands={1: "Vert, Ho*3"})
    match.play("vert N")
    assert match.over
    assert match.to_move is None
    assert match.state.winner == 0
    assert see.phase(match) == "over"
    assert see.plays(match) == (1, 3)
    assert match.legal() == []
    assert see.story(match)[-1] == "wins"


def test_Q42_being_home_without_the_artifact_means_nothing(lay, see):
    match = lay(pieces={1: (1, 0)}, hands={1: "Vert, Ho*3"})
    match.play("vert N")
    assert not match.over
    assert see.where(match, 1) == (0, 0)


def test_Q43_a_turn_that_starts_at_home_on_the_artifact_wins_before_drawing(lay, see):
    match = lay(pieces={1: (4, 4), 2: (4, 4)}, art=(4, 4), holder=1, phase="discard", hands={1: "Ho*6", 2: "Vert*6"}, discard="Jump")
    match.play("end_turn")
    assert match.over
    assert match.state.winner == 1
    assert match.state.hand_n[1] == 6


def test_Q45_after_max_rounds_the_game_is_a_draw(lay, see):
    match = lay(max_rounds=3, mover=2, phase="discard", hands={1: "Ho*6", 2: "Vert*6"}, discard="Jump", turn=5)
    match.play("end_turn")
    assert match.over
    assert match.payoff == (0, 0)
    assert match.state.winner == NONE
    assert match.state.turn == 6
    assert see.story(match)[-1] == "capped"


def test_Q45_the_cap_comes_before_a_take_at_the_start_of_a_turn(lay):
    match = lay(
        max_rounds=3,
        pieces={1: (0, 0), 2: (2, 2)},
        art=(0, 0),
        mover=2,
        phase="discard",
        hands={1: "Ho*6", 2: "Vert*6"},
        discard="Jump",
        turn=5,
    )
    match.play("end_turn")
    assert match.over
    assert match.state.winner == NONE
    assert match.payoff == (0, 0)


def test_Q45_the_game_continues_after_the_last_turn_but_one(lay):
    match = lay(max_rounds=3, mover=1, phase="discard", hands={1: "Ho*6", 2: "Vert*6"}, discard="Jump", turn=4)
    match.play("end_turn")
    assert not match.over
    assert match.to_move == 1


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_Q46_opening_limit_binds_the_very_first_turn_only(game, see, limit):
    match = game.new(seed=5, players=2, options={"opening_limit": limit})
    assert see.plays(match) == (0, limit)
    match.play("draw_deck")
    while match.to_move == 0:
        match.play("end_play" if see.phase(match) == "play" else "end_turn")
    assert see.plays(match) == (0, 3)


def test_Q46_with_live_limit_the_opening_limit_stands_for_the_three(lay, see):
    match = lay(live_limit=1, opening_limit=1, limit=1, pieces={1: (2, 1)}, hands={1: "Ho, Vert*2"})
    match.play("ho E")
    assert see.plays(match) == (1, 4)


def test_Q49_the_winner_gets_one_and_everybody_else_minus_one(lay):
    match = lay("test4", pieces={3: (4, 3)}, art=(4, 3), holder=3, mover=3, hands={3: "Ho, Vert"})
    match.play("ho E")
    assert match.payoff == (-1, -1, 1, -1)
    assert match.state.winner == 2


# ---- the vocabulary -------------------------------------------------------------------------------------------------------


def test_R18_the_action_numbers_are_those_of_the_sheet(game):
    first = {verb.name: (verb.base, verb.count) for verb in game.actions}
    assert len(game.actions) == 55
    assert first == {
        "draw_deck": (0, 1),
        "draw_discard": (1, 1),
        "end_play": (2, 1),
        "end_turn": (3, 1),
        "discard": (4, 8),
        "ho": (12, 4),
        "vert": (16, 4),
        "jump": (20, 8),
        "diag": (28, 4),
        "swap": (32, 4),
        "drop": (36, 9),
        "dynamite": (45, 9),
        "rotate": (54, 1),
    }
    assert game.actions.encode("drop", "self") == 44
    assert game.actions.encode("swap", 1) == game.actions.encode("SWAP", "P2") == 33
    assert game.actions.encode("discard", "Rotate") == 11
    assert game.actions.encode("diag", "SW") == 30


def test_R18_all_eight_kinds_in_hand_give_the_most_legal_actions(lay):
    match = lay("test4", pieces={1: (1, 1), 2: (3, 3), 3: (3, 1), 4: (1, 3)}, hands={1: ", ".join(CARDS)}, blocks=[(1, 0)], max_height=1)
    assert len(match.legal()) == 22


def test_Q7_Q15_nobody_has_the_artifact_at_the_start(game):
    s = game.new(seed=1, players=3).state
    assert s.holder == NONE
    assert s.art == TEMPLE[MAP_NAMES.index("3-tripod")]
