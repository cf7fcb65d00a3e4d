"""Sarpedon rule by rule: R1-R50 and the scenarios printed with them."""

import numpy as np
import pytest

import rulestone
from rulestone.kernel import BrokenInvariant
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
    told,
    words,
)

# ---- Board and setup ------------------------------------------------------------------------------------------------


def test_R1_each_quadrant_has_sixteen_tiles_and_one_card_for_each():
    match = game().new(seed=3)
    assert match.state.cover.shape == (4, 16)
    assert [sorted(deck) for deck in match.state.deck.tolist()] == [list(range(1, 17))] * 4


def test_R2_everybody_starts_on_tile_13_of_their_own_quadrant():
    match = game().new(seed=3)
    assert match.state.pos.tolist() == [13] * 4
    assert match.state.quad.tolist() == [0, 1, 2, 3]


def test_R2_R9_R12_Q20_S1_first_decision_of_a_new_game():
    match = new(5)
    assert match.to_move == 0
    assert cover(match, 0, 5) == STONE
    assert moves(match) == {9, 14}
    verbs = [move.verb for move in match.legal()]
    assert len(verbs) == 67
    assert (verbs.count("pass"), verbs.count("move"), verbs.count("protect"), verbs.count("save_player")) == (1, 2, 63, 0)
    assert [word for word in words(match) if word.startswith("save_tile")] == ["save_tile 0 5"]


def test_R3_tile_4_is_the_throne_room_and_nobody_leaves_it():
    match = at(pos=(8, 13, 13, 13))
    assert "arrives" in told(play(match, "move 4"))
    assert match.state.pos[0] == 4


@pytest.mark.parametrize(("tile", "near"), [(8, {4, 7, 12}), (5, {1, 6, 9}), (9, {5, 10, 13}), (1, {2, 5})])
def test_R4_S7_steps_go_to_tiles_that_share_an_edge(tile, near):
    assert moves(at(pos=(tile, 13, 13, 13))) == near


@pytest.mark.parametrize(
    ("tile", "near"), [(3, {2, 4, 7}), (6, {2, 5, 7, 10}), (11, {7, 10, 12, 15}), (12, {8, 11}), (14, {10, 13, 15}), (15, {11, 14})]
)
def test_R4_neighbours_of_the_other_tiles_with_16_stone(tile, near):
    assert moves(at(pos=(tile, 13, 13, 13))) == near


def test_R5_everybody_has_one_special_card_of_each_kind():
    assert game().new(seed=3).state.has.tolist() == [7, 7, 7, 7]


def test_R6_three_mystery_cards_lie_face_down_in_every_quadrant():
    match = game().new(seed=3)
    assert match.state.mstate.tolist() == [[1, 1, 1]] * 4
    assert match.state.mknown.tolist() == [[0, 0, 0]] * 4


def test_R6_mystery_cards_are_shuffled_evenly():
    orders = [tuple(game().new(seed=seed).state.mtype[2].tolist()) for seed in range(1200)]
    counts = [orders.count(order) for order in sorted(set(orders))]
    assert len(counts) == 6
    assert sum((n - 200) ** 2 / 200 for n in counts) < 20.5  # chi squared, 5 degrees of freedom, p = 0.001


def test_R7_decks_are_shuffled_evenly():
    firsts = [int(game().new(seed=seed).state.deck[3, 0]) for seed in range(1600)]
    assert sum((firsts.count(n) - 100) ** 2 / 100 for n in range(1, 17)) < 37.7  # 15 degrees of freedom, p = 0.001


def test_R8_P0_begins_and_the_turns_go_around_by_seat():
    match = at()
    seats = [match.to_move]
    for _ in range(4):
        seats.append(play(match, "pass").to_move)
    assert seats == [0, 1, 2, 3, 0]


# ---- The turn -------------------------------------------------------------------------------------------------------


def test_R9_a_turn_starts_with_a_card_on_the_tile_of_its_number():
    match = play(at(next_cards={1: [6]}), "pass")
    assert match.to_move == 1
    assert cover(match, 1, 6) == STONE
    assert match.state.dptr.tolist() == [1, 1, 0, 0]
    assert match.state.last_draw.tolist() == [1, 6, 1]


def test_R10_a_free_player_may_move_use_a_card_or_pass():
    assert {move.verb for move in at().legal()} == {"pass", "move", "protect", "save_tile"}


def test_R11_passing_is_always_allowed():
    assert words(at())[0] == "pass"
    match = play(at(), "pass")
    assert match.state.pos[0] == 13


def test_R12_a_move_is_one_step():
    match = play(at(), "move 9")
    assert match.state.pos.tolist() == [9, 13, 13, 13]
    with pytest.raises(IllegalMove, match="doesn't share an edge"):
        at().play("move 10")


def test_R13_a_player_cannot_move_onto_a_petrified_tile():
    match = at(pos=(6, 13, 13, 13), stone={0: [7]})
    assert moves(match) == {2, 5, 10}
    with pytest.raises(IllegalMove, match="stone"):
        match.play("move 7")


def test_R14_steps_stay_in_the_quadrant():
    match = play(at(pos=(3, 13, 13, 13), face_up={0: [3]}), "move 4")
    assert match.state.quad.tolist() == [0, 1, 2, 3]


def test_R15_R39_S21_stepping_onto_a_hidden_mystery_card_turns_it_over():
    match = play(at(pos=(6, 13, 13, 13)), "move 7")
    assert match.state.shards.tolist() == [1, 0, 0, 0]
    assert match.state.mstate[0].tolist() == [1, 1, 0]
    assert match.to_move == 1
    assert match.state.last_draw.tolist() == [1, 16, 1]


def test_R16_after_a_special_card_the_turn_is_over():
    match = play(at(), "protect 0 4")
    assert match.to_move == 1
    assert match.state.pos[0] == 13


def test_R16_after_a_move_the_turn_is_over():
    match = play(at(), "move 9")
    assert match.to_move == 1
    assert match.state.has[0] == 7


# ---- Petrified players ----------------------------------------------------------------------------------------------


def test_R17_Q9_S2_the_card_of_your_own_tile_freezes_you_and_the_turn_is_skipped():
    match = new(13, 16)
    assert match.to_move == 1
    assert match.state.frozen.tolist() == [1, 0, 0, 0]
    assert (cover(match, 0, 13), cover(match, 1, 16)) == (STONE, STONE)
    assert match.state.dptr.tolist() == [1, 1, 0, 0]
    assert len(match.legal()) == 68
    assert "save_player 0" in words(match)


def test_R18_an_unsaved_player_loses_the_next_turn_too_and_is_free_after_it():
    match = at(to_move=3, next_cards={0: [13, 12, 11]})
    play(match, "pass")
    assert (match.to_move, match.state.frozen.tolist()) == (1, [1, 0, 0, 0])
    play(match, "pass", "pass", "pass")
    assert (match.to_move, match.state.frozen.tolist(), match.state.round) == (1, [0, 0, 0, 0], 3)
    play(match, "pass", "pass", "pass")
    assert match.to_move == 0
    assert moves(match) == {9, 14}


def test_R19_Q7_Q14_S3_a_saved_player_acts_in_their_next_turn():
    match = new(13, 16)
    for q, coming in ((0, [13, 12, 11]), (1, [16, 12]), (2, [16, 12]), (3, [16, 12])):
        match.state.deck[q] = [*coming, *(n for n in range(1, 17) if n not in coming)]
    play(match, "save_player 0")
    assert match.state.frozen.tolist() == [0, 0, 0, 0]
    assert cover(match, 0, 13) == SAVED_P
    assert (match.state.pos[1], match.state.has[1], match.to_move) == (13, 3, 2)
    play(match, "pass", "pass")
    assert (match.state.round, match.to_move) == (2, 0)
    assert match.state.last_draw.tolist() == [0, 12, 1]
    assert moves(match) == {9, 14}


def test_R20_a_frozen_player_still_draws():
    match = play(at(to_move=3, stone={0: [13]}, frozen=(1, 0, 0, 0), next_cards={0: [12]}), "pass")
    assert match.to_move == 1
    assert cover(match, 0, 12) == STONE
    assert match.state.dptr[0] == 3


def test_R21_a_thawed_player_may_step_off_their_stone_tile_but_not_back():
    match = at(stone={0: [13]}, next_cards={0: [12]})
    assert moves(match) == {9, 14}
    play(match, "move 9", "pass", "pass", "pass")
    assert match.to_move == 0
    assert moves(match) == {5, 10}


# ---- Special Cards --------------------------------------------------------------------------------------------------


def test_R22_each_special_card_works_once():
    match = play(at(), "protect 0 4", "pass", "pass", "pass")
    assert match.state.has[0] == 6
    assert not [word for word in words(match) if word.startswith("protect")]
    with pytest.raises(IllegalMove, match="used your Protect Tile"):
        match.play("protect 0 3")


def test_R23_one_special_card_instead_of_moving():
    match = play(at(pos=(9, 13, 13, 13)), "save_tile 0 16")
    assert (match.state.pos[0], match.state.has[0], match.to_move) == (9, 5, 1)


def test_R24_the_small_card_lies_on_the_tile():
    assert cover(play(at(), "protect 2 9"), 2, 9) == PROTECT
    assert cover(play(at(), "save_tile 0 16"), 0, 16) == SAVED


def test_R25_protect_tile_takes_any_tile_that_is_not_petrified():
    offered = {word for word in words(at()) if word.startswith("protect")}
    assert len(offered) == 63
    assert "protect 0 16" not in offered
    with pytest.raises(IllegalMove, match="is stone"):
        at().play("protect 0 16")


def test_R26_S5_a_protected_tile_cannot_be_petrified_even_under_a_player():
    match = play(at(to_move=3, cover={0: {13: PROTECT}}, next_cards={0: [13]}), "pass")
    assert match.to_move == 0
    assert match.state.frozen[0] == 0
    assert cover(match, 0, 13) == PROTECT
    assert match.state.dptr[0] == 2
    assert match.state.last_draw.tolist() == [0, 13, 2]


def test_R27_protect_on_a_hidden_mystery_card_disables_it():
    match = at(pos=(6, 13, 13, 13))
    play(match, "protect 0 7")
    assert "disables" in told(match)
    play(match, "pass", "pass", "pass", "move 7")
    assert match.state.shards[0] == 0
    assert match.state.mstate[0].tolist() == [1, 1, 1]


def test_R28_R31_S13_save_tile_opens_a_stone_tile_of_another_quadrant():
    match = play(at(pos=(13, 13, 8, 13), stone={2: [4]}), "save_tile 2 4")
    assert cover(match, 2, 4) == SAVED
    assert (match.state.has[0], match.to_move) == (5, 1)
    play(match, "pass")
    assert 4 in moves(match)


def test_R29_a_saved_tile_is_not_petrified_again():
    match = at(to_move=3, cover={0: {12: SAVED}})
    match.state.deck[0] = [16, 1, 12, *(n for n in range(2, 16) if n != 12)]
    play(match, "pass")
    assert match.state.last_draw.tolist() == [0, 12, 2]
    assert cover(match, 0, 12) == SAVED


def test_R30_S19_save_player_is_for_another_frozen_player_only():
    match = new(13, 16)
    assert [word for word in words(match) if word.startswith("save_player")] == ["save_player 0"]
    with pytest.raises(IllegalMove, match="can't use Save Player on yourself"):
        match.play("save_player 1")
    with pytest.raises(IllegalMove, match="isn't frozen"):
        match.play("save_player 2")


def test_R30_S19_a_frozen_player_gets_no_decision():
    match = new(13, 16)
    seats = [match.to_move]
    while match.state.frozen[0]:
        play(match, "pass")
        seats.append(match.to_move)
    assert 0 not in seats[:-1]


def test_R31_protect_reaches_other_quadrants():
    assert cover(play(at(), "protect 3 9"), 3, 9) == PROTECT


# ---- Mystery Cards --------------------------------------------------------------------------------------------------


def test_R32_a_used_mystery_card_does_nothing_the_second_time():
    match = play(at(pos=(6, 13, 13, 13), face_up={0: [2]}), "move 2")
    assert (match.state.phase, match.to_move) == (0, 1)
    assert match.state.quad.tolist() == [0, 1, 2, 3]


def test_R33_a_turned_trap_stays_face_up_and_a_shard_is_taken():
    match = play(at(pos=(1, 13, 13, 13)), "move 2")
    assert match.state.mstate[0].tolist() == [2, 1, 1]
    assert match.state.mknown[0].tolist() == [1, 0, 0]
    assert play(at(pos=(6, 13, 13, 13)), "move 7").state.mstate[0].tolist() == [1, 1, 0]


def test_R34_a_magic_trap_swaps_quadrant_and_tile():
    match = play(at(pos=(1, 13, 10, 13)), "move 2")
    assert (match.to_move, match.state.phase) == (0, 1)
    assert words(match) == ["swap 1", "swap 2", "swap 3"]
    play(match, "swap 2")
    assert match.state.quad.tolist() == [2, 1, 0, 3]
    assert match.state.pos.tolist() == [10, 13, 2, 13]


def test_R35_decks_go_with_the_quadrant():
    match = play(at(pos=(1, 13, 13, 13), next_cards={0: [9]}), "move 2", "swap 1")
    assert match.state.last_draw.tolist() == [0, 9, 1]


def test_R36_cards_shards_and_turn_order_stay_with_the_person():
    match = play(at(pos=(1, 13, 13, 13), has=(7, 1, 7, 7), shards=(1, 0, 0, 0)), "move 2", "swap 1")
    assert (match.state.has.tolist(), match.state.shards.tolist(), match.to_move) == ([7, 1, 7, 7], [1, 0, 0, 0], 1)


def test_R37_a_shriek_clears_all_even_tiles_of_the_quadrant_only():
    match = at(pos=(2, 13, 13, 13), face_up={0: [2]}, stone={0: [4, 5, 6, 9, 14], 1: [6]}, cover={0: {8: PROTECT, 10: SAVED}})
    play(match, "move 3")
    assert match.state.cover[0].tolist() == [0, 0, 0, 0, STONE, 0, 0, 0, STONE, 0, 0, 0, 0, 0, 0, 0]
    assert cover(match, 1, 6) == STONE
    assert match.state.mstate[0].tolist() == [0, 2, 1]


def test_R37_Q22_S26_a_shriek_strips_protection_and_the_card_may_still_come():
    match = at(pos=(7, 13, 13, 13), taken={0: [7]}, cover={0: {4: PROTECT}}, next_cards={0: [4]})
    play(match, "move 3", "pass", "pass", "pass")
    assert match.to_move == 0
    assert cover(match, 0, 4) == STONE
    assert moves(match) == {2, 7}


def test_R38_Q54_S27_a_number_drawn_earlier_never_comes_again():
    match = at(pos=(7, 13, 13, 13), taken={0: [7]}, cover={0: {4: PROTECT}}, drawn={0: [4]})
    play(match, "move 3")
    assert cover(match, 0, 4) == BARE
    state = match.state
    assert 4 in state.deck[0, : state.dptr[0]]
    assert 4 not in state.deck[0, state.dptr[0] :]


def test_R39_a_shard_is_kept_to_the_end():
    match = play(at(pos=(6, 13, 13, 13)), "move 7", "pass", "pass", "pass", "move 3")
    assert match.state.shards.tolist() == [1, 0, 0, 0]


# ---- Layers ---------------------------------------------------------------------------------------------------------


def test_R40_only_the_top_card_counts():
    match = at(pos=(6, 13, 13, 13), cover={0: {7: PROTECT}})
    assert 7 in moves(match)
    assert play(match, "move 7").state.shards[0] == 0


def test_R41_petrified_means_stone_on_top():
    stones = {1: STONE, 6: SAVED, 9: SAVED_P}
    assert moves(at(pos=(5, 13, 13, 13), cover={0: stones})) == {6, 9}


# ---- Centre, end of the game ----------------------------------------------------------------------------------------


def test_R42_a_player_on_tile_4_cannot_leave_it():
    match = at(pos=(4, 13, 13, 13))
    assert moves(match) == set()
    with pytest.raises(IllegalMove, match="can't leave"):
        match.play("move 3")


def test_R43_Q42_S45_one_more_special_card_in_the_centre():
    match = play(at(pos=(4, 13, 13, 13)), "protect 1 4")
    assert (match.state.cused[0], match.state.has[0]) == (1, 6)
    play(match, "pass", "pass", "pass")
    assert (match.to_move, match.state.round) == (1, 2)
    assert cover(match, 0, 12) == STONE


def test_R44_Q43_S47_card_4_bars_the_player_in_the_centre():
    match = play(at(to_move=3, pos=(4, 13, 13, 13), next_cards={0: [4]}), "pass")
    assert match.state.barred.tolist() == [1, 0, 0, 0]
    assert match.state.frozen.tolist() == [0, 0, 0, 0]
    assert cover(match, 0, 4) == STONE
    assert (match.to_move, match.state.round) == (1, 2)
    assert not [word for word in words(match) if word.startswith("save_player")]
    assert match.state.dptr[0] == 2


def test_R44_players_in_the_centre_keep_drawing():
    match = play(at(to_move=3, pos=(4, 13, 13, 13), next_cards={0: [9]}), "pass")
    assert match.to_move == 0
    assert cover(match, 0, 9) == STONE


def test_R45_the_battle_comes_when_the_fourth_player_arrives():
    match = play(at(pos=(8, 4, 4, 4), shards=(0, 0, 4, 0)), "move 4")
    assert match.over
    assert match.state.phase == 2


def test_R46_a_player_who_can_never_arrive_loses_the_game_for_all():
    match = at(pos=(13, 4, 4, 4), stone={0: [14]}, next_cards={0: [9]}, has=0, to_move=3)
    match.state.has[3] = 1
    play(match, "pass")
    assert (match.state.result, match.state.reason) == (-1, 3)
    assert match.events[-1].name == "cut_off"
    assert match.events[-1].args == (0,)


def test_R47_no_shards_lose():
    match = play(at(pos=(8, 4, 4, 4)), "move 4")
    assert (match.state.result, match.state.reason, match.state.die) == (-1, 4, 0)


def test_R48_Q39_S51_four_shards_win_at_once():
    match = play(at(pos=(8, 4, 4, 4), shards=(1, 1, 2, 0)), "move 4")
    assert match.over
    assert (match.state.result, match.state.reason, match.state.die) == (1, 1, 0)
    assert match.state.dptr.tolist() == [1, 0, 0, 0]


@pytest.mark.parametrize("shards", [1, 2, 3])
def test_R49_S53_otherwise_the_die_must_not_exceed_the_shards(shards):
    wins, dice = 0, set()
    for rng in range(400):
        match = at(pos=(8, 4, 4, 4), shards=(0, 0, 0, shards))
        match.play("move 4", rng=rng * 7919)
        die = match.state.die
        dice.add(die)
        assert (match.state.result, match.state.reason) == ((1, 2) if die <= shards else (-1, 5))
        wins += die <= shards
    assert dice == {1, 2, 3, 4}
    assert abs(wins / 400 - shards / 4) < 0.1


def test_R50_all_win_or_all_lose():
    assert play(at(pos=(8, 4, 4, 4), shards=(4, 0, 0, 0)), "move 4").payoff == (1, 1, 1, 1)
    assert play(at(pos=(8, 4, 4, 4)), "move 4").payoff == (-1, -1, -1, -1)
    assert rulestone.load("sarpedon").cooperative


# ---- The public vocabulary ------------------------------------------------------------------------------------------


def test_R10_actions_are_numbered_as_in_the_sheet():
    """Section 6: R10, R34."""
    actions = game().actions
    assert len(actions) == 153
    assert [actions.encode("pass"), actions.encode("move", 16), actions.encode("protect", 0, 1), actions.encode("protect", 3, 16)] == [
        0,
        16,
        17,
        80,
    ]
    assert [actions.encode("save_tile", 0, 1), actions.encode("save_tile", 3, 16), actions.encode("save_player", 0)] == [81, 144, 145]
    assert [actions.encode("swap", 0), actions.encode("swap", 3)] == [149, 152]


def test_R33_a_shriek_stays_face_up_unless_it_lies_on_an_even_tile():
    assert play(at(pos=(7, 13, 13, 13), taken={0: [7]}), "move 3").state.mstate[0].tolist() == [0, 2, 0]
    on_two = at(pos=(1, 13, 13, 13), mystery={0: (SHRIEK, TRAP, SHARD)})
    assert play(on_two, "move 2").state.mstate[0].tolist() == [0, 1, 1]


def test_R11_a_wrong_click_gets_a_reason():
    with pytest.raises(IllegalMove, match="Magic Trap"):
        at().play("swap 1")
    with pytest.raises(IllegalMove, match="already"):
        at().play("move 13")
    with pytest.raises(IllegalMove, match="isn't stone"):
        at().play("save_tile 1 1")
    trapped = play(at(pos=(1, 13, 13, 4)), "move 2")
    for text, reason in (("pass", "can't decline"), ("move 3", "Magic Trap"), ("swap 0", "yourself"), ("swap 3", "throne room")):
        with pytest.raises(IllegalMove, match=reason):
            trapped.play(text)


def test_R49_the_die_is_fair():
    results = np.array([play_die(rng) for rng in range(800)])
    counts = np.bincount(results, minlength=5)[1:]
    assert ((counts - 200) ** 2 / 200).sum() < 16.3  # 3 degrees of freedom, p = 0.001


def play_die(rng):
    match = at(pos=(8, 4, 4, 4), shards=(1, 0, 0, 0), mystery={0: (TRAP, SHRIEK, SHARD)})
    match.play("move 4", rng=rng * 104729)
    return match.state.die


# ---- what check() says of positions laid by hand -------------------------------------------------------------------


def test_check_accepts_what_the_sheets_invariants_allow():
    at(cover={0: {13: PROTECT}}, next_cards={0: [13]}).check()


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"phase": 3}, "phase 3"),
        ({"last_draw": (9, 99, 9)}, "the last draw is 9, 99, 9"),
        ({"payoff": 1}, "does not fit reason 0"),
        ({"result": -1}, "result -1 does not fit reason 0"),
        ({"reason": 9}, "reason 9 is out of range"),
        ({"reason": 3}, "disagree"),
        ({"shards": (1, 0, 0, 0)}, "1 shards held, 4 lying"),
        ({"cover": {0: {1: PROTECT, 2: PROTECT, 3: PROTECT, 5: PROTECT, 6: PROTECT}}}, "5 Protect Tile cards"),
    ],
)
def test_check_refuses_impossible_positions(fields, reason):
    with pytest.raises(BrokenInvariant, match=reason):
        at(**fields).check()


def test_check_knows_that_a_shard_swept_away_unseen_is_held_by_nobody():
    match = at(mystery={0: (SHARD, SHRIEK, TRAP)}, face_up={0: [3]}, taken={0: [2]}, options={"shriek_reveals": 0})
    match.state.mknown[0, 0] = 0
    match.check()
    match.state.shards[0] = 1
    with pytest.raises(BrokenInvariant, match="1 swept away unseen"):
        match.check()


def test_check_knows_that_a_won_battle_is_won():
    match = at(to_move=3, round=40, stone={1: [16], 2: [16], 3: [16]})
    match.play("pass")
    match.check()
    match.state.result = 1
    with pytest.raises(BrokenInvariant, match="result 1 does not fit reason 6"):
        match.check()
