"""Rulings and options of Sarpedon in combination, and what the story says about them."""

import pytest

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
    moves,
    play,
    told,
    words,
)


def frozen_partner(**options):
    """P0 next to the Trap; P2 frozen on the stone of Q2:10."""
    return at(pos=(1, 13, 10, 13), stone={2: [10]}, frozen=(0, 0, 1, 0), options=options)


def said(match):
    return " ".join(match.say(event) for event in match.events)


# ---- Freezing, saving, swapping -------------------------------------------------------------------------------------


def test_Q5_Q24_until_saved_and_tile_the_newcomer_is_frozen_until_saved():
    match = play(frozen_partner(freeze="until_saved", swap_freeze="tile"), "move 2", "swap 2")
    assert match.state.frozen.tolist() == [1, 0, 0, 0]
    play(match, "pass", "pass", "pass", "pass", "pass", "pass")
    assert (match.to_move, match.state.frozen.tolist(), match.state.round) == (1, [1, 0, 0, 0], 3)
    play(match, "save_player 0")
    assert (match.state.frozen.tolist(), cover(match, 2, 10)) == ([0, 0, 0, 0], SAVED_P)


def test_Q24_the_story_tells_what_becomes_of_the_freeze():
    assert "now Red is frozen and Green is free" in said(play(frozen_partner(swap_freeze="tile"), "move 2", "swap 2"))
    assert "The swap frees Green" in said(play(frozen_partner(swap_freeze="none"), "move 2", "swap 2"))
    assert {"passes_freeze", "ends_freeze"}.isdisjoint(told(play(frozen_partner(), "move 2", "swap 2")))


def test_Q24_Q28_the_only_partner_may_be_frozen():
    match = at(pos=(1, 4, 10, 4), stone={2: [10]}, frozen=(0, 0, 1, 0))
    play(match, "move 2")
    assert (match.state.pos.tolist(), match.state.frozen.tolist()) == ([10, 4, 2, 4], [0, 0, 1, 0])


def test_Q8_R19_a_saved_player_can_be_hit_in_their_new_quadrant_only():
    match = at(pos=(1, 13, 10, 13), stone={2: [10]}, frozen=(0, 0, 1, 0), next_cards={0: [2]})
    play(match, "move 2", "swap 2", "save_player 2")  # saved on Q0:2, then P2 draws 2
    assert (match.state.frozen.tolist(), match.to_move, cover(match, 0, 2)) == ([0, 0, 1, 0], 3, STONE)


def test_Q6_Q17_after_save_tile_the_frozen_player_can_still_be_saved():
    match = at(to_move=1, pos=(10, 13, 13, 13), stone={0: [10]}, frozen=(1, 0, 0, 0))
    play(match, "save_tile 0 10")
    assert (match.to_move, "save_player 0" in words(match)) == (2, True)
    play(match, "save_player 0")
    assert (cover(match, 0, 10), match.state.frozen[0]) == (SAVED, 0)


def test_Q14_the_story_tells_that_the_tile_is_walkable():
    match = at(pos=(13, 10, 13, 13), stone={1: [10]}, frozen=(0, 1, 0, 0))
    assert "Red frees Yellow. [R30] Yellow 10, under Yellow, is walkable again. [Q14]" in said(play(match, "save_player 1"))
    kept = at(pos=(13, 10, 13, 13), stone={1: [10]}, frozen=(0, 1, 0, 0), options={"save_player_clears": 0})
    assert "clears" not in told(play(kept, "save_player 1"))


def test_Q15_the_story_tells_that_save_tile_freed_somebody():
    match = at(pos=(13, 10, 13, 13), stone={1: [10]}, frozen=(0, 1, 0, 0), options={"save_tile_frees": 1})
    assert "That frees Yellow too. [Q15]" in said(play(match, "save_tile 1 10"))


# ---- Mystery Cards --------------------------------------------------------------------------------------------------


def test_Q13_Q23_a_restored_trap_asks_and_lies_face_up_under_save_tile():
    options = {"save_restores_mystery": 1, "trap_optional": 1}
    match = at(pos=(1, 13, 13, 13), cover={0: {2: SAVED}}, options=options)
    assert words(play(match, "move 2")) == ["pass", "swap 1", "swap 2", "swap 3"]
    assert (match.state.mstate[0].tolist(), cover(match, 0, 2)) == ([2, 1, 1], SAVED)


def test_Q13_Q33_a_restored_shriek_on_tile_2_sweeps_its_own_save_tile_away():
    match = at(pos=(1, 13, 13, 13), cover={0: {2: SAVED}}, mystery={0: (SHRIEK, SHARD, TRAP)}, options={"save_restores_mystery": 1})
    play(match, "move 2")
    assert (match.state.mstate[0].tolist(), cover(match, 0, 2)) == ([0, 1, 1], BARE)


def test_Q13_a_mystery_card_under_save_player_stays_disabled():
    match = at(pos=(6, 13, 13, 13), cover={0: {7: SAVED_P}}, options={"save_restores_mystery": 1})
    assert play(match, "move 7").state.shards[0] == 0


def test_Q33_Q44_a_shriek_leaves_the_odd_mystery_cards():
    match = play(at(pos=(6, 13, 13, 13), mystery={0: (SHARD, TRAP, SHRIEK)}, stone={0: [3, 4]}), "move 7")
    assert match.state.mstate[0].tolist() == [0, 1, 2]
    assert (cover(match, 0, 3), cover(match, 0, 4)) == (STONE, BARE)


def test_Q27_Q23_without_a_partner_trap_optional_asks_nothing():
    match = play(at(pos=(1, 4, 4, 4), options={"trap_optional": 1}), "move 2")
    assert (match.state.phase, match.to_move) == (0, 1)


# ---- The centre -----------------------------------------------------------------------------------------------------


def test_Q26_R43_the_limit_holds_again_for_a_player_back_in_the_centre():
    match = at(pos=(1, 13, 8, 13), cused=(0, 0, 1, 0), options={"swap_centre": 1})
    play(match, "pass", "pass", "move 4", "pass", "pass", "pass")  # P2 is passed over
    assert (match.to_move, match.state.pos[2], match.state.cused[2]) == (3, 4, 1)


def test_Q26_the_last_player_outside_swaps_with_the_centre_and_no_battle_comes():
    match = play(at(pos=(1, 4, 4, 4), shards=(4, 0, 0, 0), options={"swap_centre": 1}), "move 2", "swap 3")
    assert not match.over
    assert (match.state.pos.tolist(), match.state.quad.tolist()) == ([4, 4, 4, 2], [3, 1, 2, 0])


def test_Q26_the_trapper_is_not_barred_by_the_stone_of_the_tile_4_he_comes_to():
    match = at(pos=(1, 4, 13, 13), barred=(0, 1, 0, 0), stone={1: [4]}, options={"swap_centre": 1})
    play(match, "move 2", "swap 1")
    assert match.state.barred.tolist() == [0, 1, 0, 0]
    assert (match.state.pos[0], match.state.quad[0], cover(match, 1, 4)) == (4, 1, STONE)


def swept_tile_4(**changes):
    """P0 before a Tile 4 that a Shriek has really swept clean; P0 steps onto it, and everybody else passes."""
    match = play(at(pos=(7, 13, 13, 13), taken={0: [7]}, **changes), "move 3")
    assert "shriek" in told(match)
    assert cover(match, 0, 4) == BARE
    return play(match, "pass", "pass", "pass", "move 4", "pass", "pass", "pass")


def test_Q43_a_player_who_enters_a_tile_4_swept_clean_of_its_stone_is_safe():
    match = swept_tile_4(stone={0: [4]}, next_cards={0: [1, 5]})
    assert (match.state.pos[0], match.state.barred[0], cover(match, 0, 4)) == (4, 0, BARE)
    assert 4 in match.state.deck[0, : match.state.dptr[0]]
    assert 4 not in match.state.deck[0, match.state.dptr[0] :]


def test_Q43_R44_on_a_tile_4_swept_clean_of_its_shield_an_undrawn_card_4_bars():
    match = swept_tile_4(cover={0: {4: PROTECT}}, next_cards={0: [1, 4]})
    assert (match.state.pos[0], match.state.barred[0], cover(match, 0, 4)) == (4, 1, STONE)


def test_Q43_a_player_who_enters_a_saved_tile_4_is_safe():
    match = play(at(pos=(8, 13, 13, 13), cover={0: {4: SAVED}}, next_cards={0: [1, 5]}), "move 4", "pass", "pass", "pass")
    assert (match.to_move, match.state.barred[0], 4 in match.state.deck[0, : match.state.dptr[0]]) == (0, 0, True)


def test_R43_the_reason_names_the_limit():
    match = at(pos=(4, 13, 13, 13), cused=(1, 0, 0, 0))
    with pytest.raises(IllegalMove, match="only 1 of your Special Cards"):
        match.play("save_tile 0 16")


# ---- The end --------------------------------------------------------------------------------------------------------


def test_Q37_Q53_a_frozen_player_outside_with_an_empty_deck_loses_under_deck_out():
    stone = {0: list(range(1, 17))}
    match = at(to_move=3, pos=(8, 13, 13, 13), stone=stone, frozen=(1, 0, 0, 0), options={"loss": "deck_out"})
    assert (play(match, "pass").state.reason, match.state.dptr[0]) == (7, 16)


def test_Q36_Q37_being_cut_off_comes_before_the_empty_deck():
    stone = {0: [n for n in range(1, 17) if n != 8]}
    options = {"loss": "deck_out"}
    match = at(to_move=3, pos=(8, 4, 4, 4), stone=stone, cover={0: {8: PROTECT}}, drawn={0: [8]}, has=1, options=options)
    assert play(match, "pass").state.reason == 3


def test_Q36_Q38_being_cut_off_comes_before_the_round_limit():
    match = at(to_move=3, round=40, pos=(8, 4, 4, 4), stone={0: [4]}, has=1, face_up={0: [2, 3]}, taken={0: [7]})
    assert play(match, "pass").state.reason == 3


def test_Q38_Q39_a_battle_in_the_last_turn_of_the_last_round_counts():
    match = play(at(to_move=3, round=40, pos=(4, 4, 4, 8), shards=(1, 1, 1, 1)), "move 4")
    assert (match.state.result, match.state.reason) == (1, 1)


def test_Q36_people_hear_whether_a_wall_or_the_freeze_was_the_end():
    frozen = at(to_move=3, pos=(13, 9, 9, 9), next_cards={0: [13]}, has=3, options={"freeze": "until_saved"})
    assert told(play(frozen, "pass"))[-1] == "stone_for_good"
    walls = {"pos": (13, 4, 4, 4), "stone": {0: [9]}, "next_cards": {0: [14]}, "has": 5}
    walled = at(to_move=3, **walls, options={"freeze": "until_saved"})
    assert told(play(walled, "pass"))[-1] == "cut_off"


def test_R49_the_roll_is_told_with_the_shards():
    match = play(at(pos=(8, 4, 4, 4), shards=(1, 0, 0, 0)), "move 4")
    assert f"with 1 of the 4 Mirror Shards and roll {match.state.die}." in said(match)


def test_Q45_Q18_a_walled_in_player_may_still_pick_a_card_when_a_friend_is_frozen():
    match = at(to_move=3, stone={0: [9, 14], 1: [13]}, has=(4, 7, 7, 7), frozen=(0, 1, 0, 0), next_cards={0: [12]})
    assert words(play(match, "pass")) == ["pass", "save_player 1"]
    assert moves(match) == set()
