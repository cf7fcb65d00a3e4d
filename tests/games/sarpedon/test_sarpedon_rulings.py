"""Sarpedon ruling by ruling: Q1-Q59 with their options, and the scenarios printed with them."""

import pytest

from rulestone.games.sarpedon import content
from rulestone.match import IllegalMove
from tests.games.sarpedon.sarpedon_positions import (
    BARE,
    PROTECT,
    SAVED,
    SAVED_P,
    SHARD,
    SHRIEK,
    STONE,
    TRAP,
    at,
    cover,
    game,
    moves,
    new,
    play,
    position_d,
    told,
    words,
)

# ---- Board ----------------------------------------------------------------------------------------------------------


def test_Q1_tiles_are_numbered_row_by_row_and_13_lies_opposite_4():
    near = {n: {m for m in range(1, 17) if content.NEIGHBOURS[n - 1] >> m - 1 & 1} for n in range(1, 17)}
    same_row = {n: {m for m in (n - 1, n + 1) if 1 <= m <= 16 and (m - 1) // 4 == (n - 1) // 4} for n in near}
    assert near == {n: same_row[n] | {m for m in (n - 4, n + 4) if 1 <= m <= 16} for n in near}


def test_Q2_each_quadrant_has_one_mystery_card_of_each_kind():
    for seed in range(20):
        assert [sorted(types) for types in game().new(seed=seed).state.mtype.tolist()] == [[TRAP, SHRIEK, SHARD]] * 4


def test_Q3_quadrants_are_turned_so_that_the_four_centres_meet():
    assert content.SQUARE[:, 3].tolist() == [[4, 3], [4, 4], [3, 4], [3, 3]]
    assert content.SQUARE[:, 12].tolist() == [[7, 0], [7, 7], [0, 7], [0, 0]]


def test_Q4_the_centre_is_four_separate_tiles():
    match = at(pos=(8, 8, 13, 13), stone={0: [4]})
    assert 4 not in moves(match)
    assert 4 in moves(play(match, "pass"))


# ---- Petrification --------------------------------------------------------------------------------------------------


def test_Q5_until_saved_a_frozen_player_stays_frozen():
    match = at(to_move=3, next_cards={0: [13, 12, 11]}, options={"freeze": "until_saved"})
    play(match, *["pass"] * 7)
    assert (match.to_move, match.state.frozen.tolist(), match.state.round) == (1, [1, 0, 0, 0], 4)
    play(match, "save_player 0", "pass", "pass")
    assert match.to_move == 0


def test_Q5_two_turns_count_down_to_zero():
    match = play(at(to_move=3, next_cards={0: [13, 12]}), "pass")
    assert match.state.frozen.tolist() == [1, 0, 0, 0]
    assert play(match, "pass", "pass", "pass").state.frozen.tolist() == [0, 0, 0, 0]


def test_Q6_after_the_second_lost_turn_a_player_can_no_longer_be_saved():
    match = at(to_move=3, next_cards={0: [13, 12]})
    assert "save_player 0" in words(play(match, "pass"))
    assert "save_player 0" in words(play(match, "pass"))
    assert "save_player 0" in words(play(match, "pass"))
    assert "save_player 0" not in words(play(match, "pass"))


def test_Q7_a_saved_player_waits_for_their_own_turn():
    match = play(at(to_move=3, next_cards={0: [13, 12]}), "pass", "save_player 0")
    assert match.to_move == 2


def test_Q8_S35_after_a_swap_a_frozen_player_can_be_hit_again():
    match = at(pos=(1, 13, 10, 13), stone={2: [10]}, frozen=(0, 0, 1, 0), next_cards={0: [2, 12]})
    play(match, "move 2", "swap 2", "pass")
    assert match.state.frozen.tolist() == [0, 0, 1, 0]
    assert cover(match, 0, 2) == STONE
    assert match.to_move == 3
    play(match, "pass", "pass", "pass")
    assert match.to_move == 3
    assert match.state.frozen.tolist() == [0, 0, 0, 0]


def test_Q9_a_frozen_player_is_not_asked():
    match = play(at(to_move=3, stone={0: [13]}, frozen=(1, 0, 0, 0)), "pass")
    assert match.to_move == 1
    assert "sits_out" in told(match)


@pytest.mark.parametrize("card", [PROTECT, SAVED, SAVED_P])
def test_Q10_a_card_for_a_safe_tile_is_discarded_but_counts_as_drawn(card):
    match = at(to_move=3)
    match.state.cover[0, 8] = card
    match.state.deck[0] = [16, 9, *(n for n in range(1, 16) if n != 9)]
    play(match, "pass")
    assert cover(match, 0, 9) == card
    assert (match.state.dptr[0], match.state.last_draw.tolist()) == (2, [0, 9, 2])


def test_Q11_a_buried_mystery_card_stays_unseen():
    match = play(at(to_move=3, next_cards={0: [7]}), "pass")
    assert cover(match, 0, 7) == STONE
    assert (match.state.mstate[0].tolist(), match.state.mknown[0].tolist()) == ([1, 1, 1], [0, 0, 0])
    assert "buries" in told(match)


def test_Q11_Q13_S15_a_saved_mystery_tile_does_nothing_by_default():
    match = at(pos=(6, 13, 13, 13), stone={0: [7]})
    play(match, "save_tile 0 7", "pass", "pass", "pass", "move 7")
    assert match.state.shards[0] == 0
    assert match.state.mstate[0, 2] == 1


def test_Q13_S15_with_save_restores_mystery_the_card_works_again():
    match = at(pos=(6, 13, 13, 13), stone={0: [7]}, options={"save_restores_mystery": 1})
    play(match, "save_tile 0 7", "pass", "pass", "pass", "move 7")
    assert match.state.shards[0] == 1
    assert match.state.mstate[0, 2] == 0


def test_Q13_a_protected_mystery_card_is_not_restored():
    match = at(pos=(6, 13, 13, 13), cover={0: {7: PROTECT}}, options={"save_restores_mystery": 1})
    assert play(match, "move 7").state.shards[0] == 0


def test_Q11_Q33_S29_a_shriek_removes_a_buried_trap_for_good():
    match = at(pos=(7, 13, 13, 13), taken={0: [7]}, stone={0: [2]})
    play(match, "move 3")
    assert cover(match, 0, 2) == BARE
    assert match.state.mstate[0, 0] == 0
    play(match, "pass", "pass", "pass", "move 2")
    assert match.to_move == 1
    assert match.state.quad.tolist() == [0, 1, 2, 3]


def test_Q12_a_used_mystery_card_is_just_petrified():
    match = play(at(to_move=3, face_up={0: [2]}, next_cards={0: [2]}), "pass")
    assert (cover(match, 0, 2), match.state.mstate[0, 0]) == (STONE, 2)
    assert "buries" not in told(match)


def test_Q14_S17_save_player_makes_the_tile_walkable():
    match = play(at(pos=(13, 10, 13, 13), stone={1: [10]}, frozen=(0, 1, 0, 0)), "save_player 1")
    assert match.to_move == 1
    assert cover(match, 1, 10) == SAVED_P
    play(match, "move 6", "pass", "pass", "pass")
    assert 10 in moves(match)


def test_Q14_S17_without_save_player_clears_the_tile_stays_stone():
    match = at(pos=(13, 10, 13, 13), stone={1: [10]}, frozen=(0, 1, 0, 0), options={"save_player_clears": 0})
    play(match, "save_player 1")
    assert cover(match, 1, 10) == STONE
    assert moves(match) == {6, 9, 11, 14}
    play(match, "move 6", "pass", "pass", "pass")
    assert match.to_move == 1
    assert 10 not in moves(match)


def test_Q15_save_tile_does_not_free_the_player_on_it():
    match = play(at(pos=(13, 10, 13, 13), stone={1: [10]}, frozen=(0, 1, 0, 0)), "save_tile 1 10")
    assert cover(match, 1, 10) == SAVED
    assert match.to_move == 2
    assert match.state.dptr[1] == 2


def test_Q15_with_save_tile_frees_it_frees_the_player_too():
    match = at(pos=(13, 10, 13, 13), stone={1: [10]}, frozen=(0, 1, 0, 0), options={"save_tile_frees": 1})
    play(match, "save_tile 1 10")
    assert match.to_move == 1
    assert match.state.frozen.tolist() == [0, 0, 0, 0]


def test_Q15_save_tile_frees_lifts_no_bar_and_frees_nobody_elsewhere():
    match = at(pos=(13, 4, 10, 13), stone={1: [4], 2: [9, 10]}, barred=(0, 1, 0, 0), frozen=(0, 0, 1, 0), options={"save_tile_frees": 1})
    play(match, "save_tile 1 4")
    assert match.state.barred.tolist() == [0, 1, 0, 0]
    assert match.state.frozen[2] == 0
    assert match.to_move == 3


def test_Q16_save_tile_may_be_used_under_a_player():
    match = at(pos=(13, 10, 4, 13), stone={0: [13], 1: [10], 2: [4]}, barred=(0, 0, 1, 0))
    assert {"save_tile 0 13", "save_tile 1 10", "save_tile 2 4"} <= set(words(match))


def test_Q17_save_player_off_a_petrified_tile_changes_no_tile():
    match = at(pos=(13, 10, 13, 13), frozen=(0, 1, 0, 0))
    before = match.state.cover.tolist()
    match.state.deck[1, 0] = 16
    play(match, "save_player 1")
    before[1][15] = STONE  # P1's next card
    assert match.state.cover.tolist() == before
    assert (match.to_move, match.state.frozen[1]) == (1, 0)


def test_Q18_S9_a_thawed_player_walled_in_on_stone_may_pass_or_use_cards():
    match = at(stone={0: [13, 9, 14]})
    assert moves(match) == set()
    assert {"pass", "save_tile 0 9"} <= set(words(match))


def test_Q19_a_move_never_leads_past_a_stone_tile():
    assert moves(at(pos=(5, 13, 13, 13), stone={0: [6]})) == {1, 9}


# ---- Protect Tile ---------------------------------------------------------------------------------------------------


def test_Q20_protect_offers_every_bare_tile_and_no_other():
    match = at(cover={1: {1: PROTECT, 2: SAVED, 3: SAVED_P, 5: STONE}}, drawn={1: [9]})
    offered = {word for word in words(match) if word.startswith("protect 1")}
    assert offered == {f"protect 1 {n}" for n in range(1, 17) if n not in (1, 2, 3, 5)}
    with pytest.raises(IllegalMove, match="already safe"):
        match.play("protect 1 2")


def test_Q21_a_shriek_removes_protect_and_mystery_card_from_tile_2():
    match = at(pos=(7, 13, 13, 13), taken={0: [7]}, cover={0: {2: PROTECT}})
    play(match, "move 3")
    assert (cover(match, 0, 2), match.state.mstate[0, 0], match.state.mknown[0, 0]) == (BARE, 0, 1)


def test_Q22_with_shriek_spares_protect_only_the_shield_stays():
    """The tile is safe when its card comes; stone and Mystery Cards on even tiles go as usual, even a card under a shield (Q21)."""
    laid = {"pos": (7, 13, 13, 13), "taken": {0: [7]}, "cover": {0: {4: PROTECT, 2: PROTECT, 10: SAVED}}, "stone": {0: [8]}}
    match = play(at(**laid, next_cards={0: [4]}, options={"shriek_spares_protect": "yes"}), "move 3")
    assert [cover(match, 0, tile) for tile in (2, 4, 8, 10, 16)] == [PROTECT, PROTECT, BARE, BARE, BARE]
    assert (match.state.mstate[0, 0], match.state.mknown[0, 0]) == (0, 1)
    shriek = next(event for event in match.events if event.name == "shriek")
    assert shriek.args[3] == 4  # stone on 8 and 16, Save Tile on 10, the Mystery Card of 2
    play(match, "pass", "pass", "pass")
    assert (cover(match, 0, 4), match.state.last_draw.tolist()) == (PROTECT, [0, 4, 2])
    assert 4 in moves(match)


def test_Q22_on_odd_tiles_protection_stays():
    match = play(at(pos=(7, 13, 13, 13), taken={0: [7]}, cover={0: {11: PROTECT}}), "move 3")
    assert cover(match, 0, 11) == PROTECT


# ---- Magic Trap -----------------------------------------------------------------------------------------------------


def test_Q23_the_swap_is_compulsory():
    assert words(play(at(pos=(1, 13, 13, 13)), "move 2")) == ["swap 1", "swap 2", "swap 3"]


def test_Q23_S43_with_trap_optional_the_player_may_decline():
    match = play(at(pos=(1, 13, 13, 13), options={"trap_optional": 1}), "move 2")
    assert words(match) == ["pass", "swap 1", "swap 2", "swap 3"]
    play(match, "pass")
    assert match.state.quad.tolist() == [0, 1, 2, 3]
    assert (match.to_move, match.state.phase) == (1, 0)


def test_Q23_with_trap_optional_even_a_single_partner_is_a_choice():
    match = play(at(pos=(1, 13, 4, 4), options={"trap_optional": 1}), "move 2")
    assert words(match) == ["pass", "swap 1"]


def test_Q24_Q25_Q17_S33_the_frozen_partner_stays_frozen_and_can_be_saved():
    match = at(pos=(1, 13, 10, 13), stone={2: [10]}, frozen=(0, 0, 1, 0))
    play(match, "move 2", "swap 2")
    assert match.state.pos.tolist() == [10, 13, 2, 13]
    assert match.state.frozen.tolist() == [0, 0, 1, 0]
    assert (cover(match, 2, 10), match.to_move) == (STONE, 1)
    saved = play(match.copy(), "save_player 2")
    assert saved.state.frozen.tolist() == [0, 0, 0, 0]
    assert (cover(saved, 0, 2), cover(saved, 2, 10), saved.to_move) == (BARE, STONE, 2)
    play(match, "pass")
    assert match.state.last_draw.tolist()[:2] == [3, 16]
    assert cover(match, 0, 12) == STONE
    assert (match.state.frozen.tolist(), match.to_move) == ([0, 0, 0, 0], 3)
    play(match, "pass")
    assert moves(match) == {6, 9, 11, 14}


def test_Q24_swap_freeze_tile_freezes_the_newcomer():
    match = at(pos=(1, 13, 10, 13), stone={2: [10]}, frozen=(0, 0, 1, 0), options={"swap_freeze": "tile"})
    play(match, "move 2", "swap 2")
    assert match.state.frozen.tolist() == [1, 0, 0, 0]
    play(match, "pass", "pass", "pass")
    assert (match.to_move, match.state.frozen.tolist()) == (1, [0, 0, 0, 0])


def test_Q24_swap_freeze_tile_passes_nothing_on_from_a_thawed_partner():
    match = at(pos=(1, 13, 10, 13), stone={2: [10]}, options={"swap_freeze": "tile"})
    assert play(match, "move 2", "swap 2").state.frozen.tolist() == [0, 0, 0, 0]


def test_Q24_swap_freeze_none_frees_both():
    match = at(pos=(1, 13, 10, 13), stone={2: [10]}, frozen=(0, 0, 1, 0), options={"swap_freeze": "none"})
    assert play(match, "move 2", "swap 2").state.frozen.tolist() == [0, 0, 0, 0]


def test_Q25_a_swap_may_put_you_on_stone_and_you_may_step_off():
    match = at(pos=(1, 9, 13, 13), stone={1: [9]})
    play(match, "move 2", "swap 1", "pass", "pass", "pass")
    assert (match.to_move, match.state.pos[0]) == (0, 9)
    assert moves(match) == {5, 10, 13}


def test_Q26_S39_players_in_the_centre_cannot_be_picked():
    assert words(play(at(pos=(1, 4, 13, 13)), "move 2")) == ["swap 2", "swap 3"]


def test_Q26_S39_with_swap_centre_players_in_the_centre_can_be_picked():
    match = play(at(pos=(1, 4, 13, 13), options={"swap_centre": 1}), "move 2")
    assert words(match) == ["swap 1", "swap 2", "swap 3"]
    play(match, "swap 1")
    assert match.state.pos.tolist() == [4, 2, 13, 13]
    assert match.state.quad.tolist() == [1, 0, 2, 3]


def test_Q26_bar_and_centre_uses_stay_with_the_person():
    match = at(pos=(1, 4, 4, 13), barred=(0, 1, 0, 0), cused=(0, 0, 1, 0), stone={1: [4]}, options={"swap_centre": 1})
    barred = play(match.copy(), "move 2", "swap 1")
    assert barred.state.barred.tolist() == [0, 1, 0, 0]
    assert {move.verb for move in barred.legal()} == {"pass", "move"}
    spent = play(match, "move 2", "swap 2")  # P1, barred in the centre, passes automatically
    assert (spent.to_move, spent.state.cused[2]) == (2, 1)
    assert "protect" in {move.verb for move in spent.legal()}


def test_Q27_S37_without_a_partner_the_trap_does_nothing():
    match = play(at(pos=(1, 4, 4, 4)), "move 2")
    assert match.state.pos.tolist() == [2, 4, 4, 4]
    assert match.state.mstate[0].tolist() == [2, 1, 1]
    assert (match.state.phase, match.to_move) == (0, 1)


def test_Q28_a_single_partner_is_swapped_without_a_question():
    match = play(at(pos=(1, 4, 13, 4)), "move 2")
    assert match.state.quad.tolist() == [2, 1, 0, 3]
    assert match.state.pos.tolist() == [13, 4, 2, 4]
    assert match.to_move == 1


def test_Q29_a_swap_turns_over_no_card():
    match = at(pos=(1, 7, 13, 13), cover={1: {7: PROTECT}})
    play(match, "move 2", "swap 1")
    assert match.state.shards.tolist() == [0, 0, 0, 0]
    assert match.state.mstate[1].tolist() == [1, 1, 1]
    assert match.to_move == 1


def test_Q30_S31_the_swapped_partner_draws_from_the_other_deck():
    match = play(at(pos=(1, 13, 13, 13)), "move 2", "swap 1")
    assert (match.to_move, match.state.quad[1], match.state.pos[1]) == (1, 0, 2)
    assert match.state.last_draw.tolist() == [0, 12, 1]
    assert match.state.dptr.tolist() == [2, 0, 0, 0]
    play(match, "pass", "pass", "pass")
    assert (match.to_move, match.state.quad[0], match.state.pos[0]) == (0, 1, 13)
    assert match.state.last_draw.tolist() == [1, 16, 1]
    assert match.state.dptr.tolist() == [2, 1, 1, 1]


def test_Q31_S41_your_quadrant_is_the_one_you_are_in():
    match = at(pos=(7, 13, 2, 13), quad=(2, 1, 0, 3), taken={2: [7]}, face_up={0: [2]}, stone={2: [4, 8], 0: [8]})
    play(match, "move 3")
    assert (cover(match, 2, 4), cover(match, 2, 8)) == (BARE, BARE)
    assert (cover(match, 0, 8), cover(match, 0, 16)) == (STONE, STONE)


# ---- Medusa's Shriek ------------------------------------------------------------------------------------------------


def test_Q32_after_a_shriek_the_even_tiles_can_be_walked_on():
    match = at(pos=(7, 13, 13, 13), taken={0: [7]}, stone={0: [2, 4]}, next_cards={0: [13]})
    play(match, "move 3", "pass", "pass", "pass")
    assert moves(match) == {2, 4, 7}


def test_Q33_S23_a_shriek_on_tile_2_removes_itself():
    match = at(pos=(1, 13, 13, 13), mystery={0: (SHRIEK, SHARD, TRAP)}, stone={0: [6, 9]})
    play(match, "move 2")
    assert match.state.pos[0] == 2
    assert match.state.mstate[0].tolist() == [0, 1, 1]
    assert (cover(match, 0, 6), cover(match, 0, 16), cover(match, 0, 9)) == (BARE, BARE, STONE)


def test_Q33_a_shard_on_tile_2_is_lost():
    match = at(pos=(7, 13, 13, 13), mystery={0: (SHARD, SHRIEK, TRAP)}, face_up={0: [7]})
    play(match, "move 3")
    assert match.state.mstate[0].tolist() == [0, 2, 2]
    assert match.state.shards.tolist() == [0, 0, 0, 0]


def test_Q34_a_shriek_in_one_quadrant_leaves_frozen_players_elsewhere_alone():
    match = at(pos=(7, 10, 13, 13), taken={0: [7]}, stone={1: [10]}, frozen=(0, 1, 0, 0))
    play(match, "move 3")
    assert cover(match, 1, 10) == STONE
    assert match.to_move == 2


def test_Q35_S25_a_discarded_mystery_card_becomes_known():
    match = at(pos=(7, 13, 13, 13), cover={0: {7: PROTECT}})
    play(match, "move 3")
    assert match.state.mstate[0].tolist() == [0, 2, 1]
    assert match.state.mknown[0].tolist() == [1, 1, 0]
    view = match.view(1).state
    assert view.mtype[0].tolist() == [TRAP, SHRIEK, 255]
    assert ("discards", (TRAP, 0, 2)) in [(event.name, event.args) for event in match.events]


def test_Q35_without_shriek_reveals_a_discarded_mystery_card_stays_unknown():
    match = at(pos=(7, 13, 13, 13), taken={0: [7]}, options={"shriek_reveals": 0})
    play(match, "move 3")
    assert match.state.mstate[0].tolist() == [0, 2, 0]
    assert match.state.mknown[0].tolist() == [0, 1, 1]
    assert "discards_unseen" in told(match)
    assert "discards" not in told(match)


def test_Q35_a_face_up_card_is_discarded_without_news():
    match = at(pos=(7, 13, 13, 13), taken={0: [7]}, face_up={0: [2]})
    assert "discards" not in told(play(match, "move 3"))
    assert match.state.mstate[0].tolist() == [0, 2, 0]


# ---- Decks, limits, end ---------------------------------------------------------------------------------------------


def empty_deck(**changes):
    stone = {0: [n for n in range(1, 17) if n not in (4, 8)]}
    return at(to_move=3, pos=(8, 13, 13, 13), stone=stone, cover={0: {4: PROTECT, 8: PROTECT}}, drawn={0: [4, 8]}, round=16, **changes)


def test_Q37_S11_with_an_empty_deck_you_draw_nothing_and_have_a_normal_turn():
    match = play(empty_deck(), "pass")
    assert (match.to_move, match.state.round, match.state.dptr[0]) == (0, 17, 16)
    assert match.state.last_draw.tolist() == [0, 0, 0]
    assert moves(match) == {4}


def test_Q37_the_story_names_the_player_and_the_deck_that_is_empty():
    """After a swap the two differ: Red stands in the quadrant of the second seat, Yellow."""
    match = empty_deck()
    match.state.quad[0], match.state.quad[1] = 1, 0
    match.state.dptr[0], match.state.dptr[1] = 0, 16
    events = match.play("pass")
    assert "Red draws nothing: the Yellow deck is empty. [Q37]" in [match.say(event) for event in events]


def test_Q37_S11_with_loss_deck_out_the_game_is_lost():
    match = play(empty_deck(options={"loss": "deck_out"}), "pass")
    assert match.over
    assert (match.state.result, match.state.reason) == (-1, 7)
    assert match.state.last_draw.tolist() == [0, 0, 0]


def test_Q37_loss_deck_out_spares_a_player_in_the_centre():
    match = empty_deck(options={"loss": "deck_out"})
    match.state.pos[0] = 4
    assert play(match, "pass").to_move == 0


def test_Q38_S59_the_game_is_lost_after_round_40():
    stone = {1: [16], 2: [16], 3: [16]}
    match = play(at(to_move=3, stone=stone, round=40), "pass")
    assert match.over
    assert (match.state.result, match.state.reason, match.state.dptr[0], match.state.round) == (-1, 6, 1, 40)
    match = play(at(to_move=3, stone=stone, round=39), "pass")
    assert (match.to_move, match.state.round) == (0, 40)


def test_Q38_max_rounds_moves_the_limit():
    assert play(at(to_move=3, round=20, options={"max_rounds": 20}), "pass").state.reason == 6
    assert not play(at(to_move=3, round=40, options={"max_rounds": 41}), "pass").over
    with pytest.raises(ValueError, match=r"20\.\.200"):
        game().new(options={"max_rounds": 19})


def test_Q39_the_battle_comes_before_any_further_draw():
    match = play(at(pos=(8, 4, 4, 4), shards=(4, 0, 0, 0), next_cards={1: [4]}), "move 4")
    assert match.state.barred.tolist() == [0, 0, 0, 0]
    assert match.state.dptr.tolist() == [1, 0, 0, 0]


def test_Q40_the_game_continues_when_no_shard_can_be_found_any_more():
    done = {q: [2, 3] for q in range(4)}
    match = play(at(face_up=done, taken={q: [7] for q in range(4)}), "pass")
    assert match.to_move == 1


def test_Q41_with_three_shards_the_die_is_rolled_even_if_the_fourth_is_destroyed():
    match = at(pos=(8, 4, 4, 4), shards=(1, 1, 1, 0), mystery={3: (SHARD, SHRIEK, TRAP)}, taken={3: [2]}, face_up={3: [3]})
    play(match, "move 4")
    assert match.state.die in (1, 2, 3, 4)
    assert match.state.reason in (2, 5)


def test_Q42_with_centre_specials_3_more_cards_may_be_used():
    match = play(at(pos=(4, 13, 13, 13), options={"centre_specials": 3}), "protect 1 4", "pass", "pass", "pass")
    assert match.to_move == 0
    play(match, "save_tile 0 16")
    assert (match.state.cused[0], match.state.has[0]) == (2, 4)


def test_Q42_uses_before_arriving_do_not_count():
    match = play(at(pos=(8, 13, 13, 13), next_cards={0: [1, 5]}), "protect 1 4", "pass", "pass", "pass", "move 4", "pass", "pass", "pass")
    assert (match.to_move, match.state.cused[0]) == (0, 0)
    assert "save_tile 0 16" in words(match)


def test_Q43_S47_with_centre_permanent_off_save_player_lifts_the_bar():
    match = at(to_move=3, pos=(4, 13, 13, 13), next_cards={0: [4]}, options={"centre_permanent": 0})
    play(match, "pass", "save_player 0")
    assert match.state.barred.tolist() == [0, 0, 0, 0]
    assert cover(match, 0, 4) == SAVED_P


def test_Q43_by_default_a_barred_player_cannot_be_saved():
    match = at(pos=(13, 4, 13, 13), stone={1: [4]}, barred=(0, 1, 0, 0))
    with pytest.raises(IllegalMove, match="Save Player can't undo that"):
        match.play("save_player 1")


def test_Q43_on_a_protected_tile_4_card_4_does_nothing():
    match = play(at(to_move=3, pos=(4, 13, 13, 13), cover={0: {4: PROTECT}}, next_cards={0: [4]}), "pass")
    assert (match.to_move, match.state.barred[0]) == (0, 0)


def test_Q43_a_bar_is_lifted_wherever_the_player_is():
    options = {"centre_permanent": 0, "swap_centre": 1, "save_player_clears": 0}
    match = at(pos=(13, 9, 13, 13), barred=(0, 1, 0, 0), options=options)
    assert "save_player 1" in words(match)
    play(match, "save_player 1")
    assert match.state.barred.tolist() == [0, 0, 0, 0]


def test_Q44_nobody_gets_to_the_mystery_cards_of_a_player_in_the_centre():
    match = at(pos=(1, 4, 4, 4))
    play(match, "move 2")
    assert match.state.quad.tolist() == [0, 1, 2, 3]


def test_Q45_S49_a_lone_pass_is_played_automatically():
    match = play(at(pos=(13, 4, 13, 13), has=(7, 4, 7, 7)), "pass")
    assert (match.to_move, match.state.dptr[1]) == (2, 1)


def test_Q45_a_walled_in_player_without_cards_passes_automatically():
    match = play(at(pos=(13, 13, 13, 13), stone={1: [9, 14]}, has=(7, 0, 7, 7)), "pass")
    assert (match.to_move, "waits" in told(match)) == (2, True)


def test_Q46_seat_0_begins():
    assert new(5).to_move == 0


def test_Q47_no_die_is_rolled_with_none_or_four_shards():
    assert play(at(pos=(8, 4, 4, 4)), "move 4").state.die == 0
    assert play(at(pos=(8, 4, 4, 4), shards=(0, 4, 0, 0)), "move 4").state.die == 0


def test_Q48_a_special_card_is_one_bit_per_player_and_kind():
    match = play(at(pos=(13, 13, 10, 13), stone={2: [10]}, frozen=(0, 0, 1, 0)), "save_player 2", "save_tile 0 16", "protect 3 3")
    assert match.state.has.tolist() == [3, 5, 6, 7]


def test_Q50_nothing_depends_on_typos_the_verbs_are_the_six_of_the_sheet():
    assert [verb.name for verb in game().actions] == ["pass", "move", "protect", "save_tile", "save_player", "swap"]


def test_Q51_a_player_frozen_outside_can_be_saved_from_the_centre():
    match = at(to_move=3, pos=(8, 4, 4, 4), next_cards={0: [8]}, shards=(1, 0, 0, 0))
    play(match, "pass")
    assert (match.to_move, match.state.frozen[0]) == (1, 1)
    play(match, "save_player 0")
    assert (match.state.cused.tolist(), match.state.frozen[0], cover(match, 0, 8)) == ([0, 1, 0, 0], 0, SAVED_P)


def test_Q52_one_save_player_frees_one_of_several():
    match = at(pos=(13, 10, 10, 13), stone={1: [10], 2: [10]}, frozen=(0, 1, 1, 0))
    assert [word for word in words(match) if word.startswith("save_player")] == ["save_player 1", "save_player 2"]
    play(match, "save_player 2")
    assert match.to_move == 2
    assert match.state.frozen.tolist() == [0, 0, 0, 0]  # P1 sat out their second turn meanwhile


def test_Q53_a_card_that_cuts_somebody_off_ends_the_game_before_they_act():
    match = play(position_d(), "pass")
    assert match.over
    assert (match.state.reason, match.state.dptr[0]) == (3, 2)


def test_Q53_a_card_that_freezes_ends_nothing():
    match = play(at(to_move=3, pos=(13, 4, 4, 4), next_cards={0: [13]}, has=1), "pass")
    assert not match.over
    assert match.state.frozen[0] == 1


def test_Q54_no_number_ever_comes_twice():
    match = at()
    for _ in range(40):
        play(match, "pass")
    drawn = match.state.deck[1, : match.state.dptr[1]].tolist()
    assert len(drawn) == len(set(drawn)) == match.state.dptr[1] > 5


def test_Q55_even_passing_by_turns_over_the_shriek():
    match = play(at(pos=(7, 13, 13, 13), taken={0: [7]}, cover={0: {4: PROTECT}}), "move 3")
    assert cover(match, 0, 4) == BARE
    assert "shriek" in told(match)


def test_Q56_players_never_share_a_quadrant_even_after_swaps():
    match = play(at(pos=(1, 1, 13, 13)), "move 2", "swap 3", "move 2", "swap 0")
    assert sorted(match.state.quad.tolist()) == [0, 1, 2, 3]


def test_Q57_the_draw_comes_before_the_decision():
    match = play(at(next_cards={1: [13]}), "pass")
    assert match.to_move == 2
    assert match.state.frozen[1] == 1


def test_Q58_a_special_card_swept_away_by_a_shriek_is_not_regained():
    match = play(at(pos=(7, 13, 13, 13), taken={0: [7]}, cover={0: {8: PROTECT}}, has=(6, 7, 7, 7)), "move 3")
    assert match.state.has.tolist() == [6, 7, 7, 7]


@pytest.mark.parametrize("players", [1, 2, 3, 5])
def test_Q59_always_four_seats(players):
    assert game().new(seed=1, players=4).players == 4
    with pytest.raises(ValueError, match="4 players"):
        game().new(seed=1, players=players)
