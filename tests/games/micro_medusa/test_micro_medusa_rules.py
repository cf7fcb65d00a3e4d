"""Micro Medusa, rule by rule (the numbers are those of its RULES.md; S1, S2, … are the scenarios of the rule sheet)."""

import random

import pytest

import rulestone
from rulestone.engine.playouts import playouts
from rulestone.games.micro_medusa import content, rules
from rulestone.games.micro_medusa.rules import CHAMPION_DRAFT, MEDUSA_DRAFT, OVER, PLACE, RESPOND, ROTATE
from rulestone.kernel import BrokenInvariant

CHAIN3 = "S1r1 S8r0 S9r1"  # three Sections in a row, an end of the last one points at 22
ROUND7 = "xS1 S4r0 H5r1 xS6 S14r1 xE12 E29r0 S15r0 xE16 S31r1 xE52"


def kinds(letters):
    return [letters.count(letter) for letter in "HES"] + [0, 0]


def last_round(lay, **fields):
    """Scenario 55: the second turn of round 7, the stack is empty."""
    given = {"hand": "HE", "market": "HHE-", "equip": "BST", "drafted": 1, "round": 7, "turn": 1, "captured": 2, "live": 1}
    return lay(ROUND7, **given | {"champ_equip": [1, -1], "champ_cell": [53, 255]} | fields)


@pytest.mark.parametrize(
    ("word", "letter"),
    [("draft Snakehead", "draft H"), ("place eyeball 3", "place E 3"), ("place snake_section 3", "place S 3"), ("equip t", "equip Torch")],
)
def test_tiles_and_equipment_are_read_by_name_and_by_letter(game, word, letter):
    assert game.actions.parse(word) == game.actions.parse(letter)
    assert str(game.actions.decode(game.actions.parse(word))) == letter


# ---- Setup -----------------------------------------------------------------------------------------------------------


def test_R1_medusa_is_seat_0_and_the_champion_seat_1(game):
    assert game.about.seats == ("Medusa", "Champion")
    assert (game.min_players, game.max_players) == (2, 2)
    with pytest.raises(ValueError, match="2 players"):
        game.new(players=3)


def test_R2_there_are_six_tiles_of_each_kind_besides_medusas_head(game):
    state = game.new(seed=3).state
    dealt = [*state.stack, *state.market, *(kind for kind in range(3) for _ in range(state.hand[kind]))]
    assert sorted(dealt) == [0] * 6 + [1] * 6 + [2] * 6
    assert (state.t_kind[0], state.n_tiles) == (5, 1)


def test_R3_R6_R7_equipment_is_a_weapon_of_each_kind_and_two_hearts_with_one_of_each_in_reserve(game, play):
    assert content.ACTIVE.tolist() == [1, 1, 1, 2]
    match = game.new(seed=3)
    assert (match.state.live, match.state.reserve) == (2, 1)
    match.play(match.legal()[0])
    match.play(match.legal()[0])
    assert [str(move) for move in match.legal()] == ["equip Blade", "equip Shield", "equip Torch", "equip Heart"]
    match.play("equip Torch")
    assert match.state.equip.tolist() == [1, 1, 2]


@pytest.mark.parametrize("seed", [1, 2, 3, "four"])
def test_R4_R5_R8_R9_S1_a_new_game(game, numbers, opened, seed):
    match = game.new(seed=seed)
    state = match.state
    assert (state.round, state.phase, match.to_move, state.turn) == (1, MEDUSA_DRAFT, 0, 0)
    assert (state.hand.sum(), state.secret, state.known.sum()) == (1, 1, 0)
    assert ((state.market >= 0).sum(), state.stack_n, (state.stack >= 0).sum()) == (4, 13, 13)
    assert (state.live, state.reserve, state.drafted, state.equip.tolist()) == (2, 1, -1, [0, 0, 0])
    assert (state.fd_kind, state.fd_cell, state.champ_equip.tolist(), state.champ_cell.tolist()) == (-1, 255, [-1, -1], [255, 255])
    assert (state.last_kind, state.last_cell, state.last_equip, state.last_result) == (-1, 255, -1, -1)
    assert (state.winner, state.reasons, state.skips) == (-1, 0, 0)
    assert (state.t_cell[0], state.t_kind[0], state.t_mask[0], state.t_blocked[0]) == (0, 5, 63, 0)
    assert opened(match) == [1, 2, 3, 4, 5, 6]
    counts = [list(state.stack).count(k) + list(state.market).count(k) + state.hand[k] for k in range(3)]
    assert counts == [6, 6, 6]
    assert numbers(match) == sorted({int(kind) for kind in state.market})


def test_R5_R8_every_kind_is_dealt_everywhere_equally_often(game):
    """The 18 tiles are shuffled: each kind is the secret tile, a market tile and the top of the stack in a third of all games."""
    games = [game.new(seed=seed).state for seed in range(1500)]
    for places in (
        [s.hand.argmax() for s in games],
        [s.market[3] for s in games],
        [s.stack[12] for s in games],
        [s.stack[0] for s in games],
    ):
        observed = [list(places).count(kind) for kind in range(3)]
        assert sum((n - 500) ** 2 / 500 for n in observed) < 13.8  # chi-squared, 2 degrees of freedom, 0.1 %


# ---- Drafting Phase --------------------------------------------------------------------------------------------------


def first_draft(lay):
    return lay(hand="E", known="", secret=1, market="HHES", phase=MEDUSA_DRAFT, round=1, stack="SS")


def test_R18_Q37_S2_a_drafted_tile_goes_to_the_hand_and_the_lowest_slot_is_refilled(lay, numbers):
    match = first_draft(lay)
    assert match.state.stack_n == 13
    match.play("draft H")
    state = match.state
    assert state.market.tolist() == [2, 0, 1, 2]
    assert state.hand.tolist() == kinds("HE")
    assert state.known.tolist() == kinds("H")
    assert (state.stack_n, state.stack[12], state.phase, match.to_move) == (12, -1, MEDUSA_DRAFT, 0)
    assert numbers(match) == [0, 1, 2]


def test_R18_R20_Q30_S3_the_tile_just_turned_up_may_be_drafted(lay, play):
    match = first_draft(lay)
    play(match, "draft H, draft S")
    state = match.state
    assert state.market.tolist() == [2, 0, 1, 2]
    assert state.hand.tolist() == kinds("HES")
    assert (state.known.tolist(), state.secret) == (kinds("HS"), 1)
    assert (state.stack_n, state.phase, match.to_move) == (11, CHAMPION_DRAFT, 1)


def test_R18_S4_one_action_for_each_kind_in_the_market(lay, numbers):
    assert numbers(lay(hand="E", market="HHHH", phase=MEDUSA_DRAFT)) == [0]


def test_Q30_two_tiles_of_one_kind_may_be_drafted(lay, play):
    match = lay(hand="E", market="HHES", phase=MEDUSA_DRAFT)
    play(match, "draft H, draft H")
    assert match.state.hand.tolist() == kinds("EHH")


def test_Q27_S5_a_slot_stays_empty_when_the_stack_is_empty(lay):
    board = "xS1 xE2 xE3 S4r0 H5r1 xS6 S14r1 xE12 E29r0 S15r0"
    match = lay(board, hand="E", market="HHHS", phase=MEDUSA_DRAFT, round=7, captured=2, live=1)
    assert match.state.stack[: match.state.stack_n].tolist() == [1]
    match.play("draft H")
    assert match.state.market.tolist() == [1, 0, 0, 2]
    assert (match.state.stack_n, match.state.phase) == (0, MEDUSA_DRAFT)
    events = match.play("draft S")
    assert match.state.market.tolist() == [1, 0, 0, -1]
    assert (match.state.hand.tolist(), match.state.phase) == (kinds("HES"), CHAMPION_DRAFT)
    assert "leaves_empty" in [event.name for event in events]


def test_Q12_R18_after_a_skipped_turn_medusa_drafts_only_until_she_holds_three(lay, play):
    match = lay(hand="HS", phase=MEDUSA_DRAFT)
    match.play("draft E")
    assert (match.state.phase, match.state.hand.sum()) == (CHAMPION_DRAFT, 3)


def test_R19_Q18_Q20_S7_a_heart_can_be_drafted_while_it_lives(lay, numbers):
    assert numbers(lay(phase=CHAMPION_DRAFT)) == [5, 6, 7, 8]
    assert numbers(lay("E1r3", phase=CHAMPION_DRAFT, live=2, reserve=0)) == [5, 6, 7]
    assert numbers(lay(phase=CHAMPION_DRAFT, options={"petrify": "three"})) == [5, 6, 7, 8]


@pytest.mark.parametrize(("gear", "equip"), [("Blade", [2, 1, 1]), ("Shield", [1, 2, 1]), ("Torch", [1, 1, 2]), ("Heart", [1, 1, 1])])
def test_R19_Q23_the_drafted_tile_joins_the_active_equipment(lay, gear, equip):
    match = lay(phase=CHAMPION_DRAFT)
    match.play(f"equip {gear}")
    assert (match.state.equip.tolist(), rules.GEAR_NAMES[match.state.drafted]) == (equip, gear)
    assert (match.state.phase, match.state.turn, match.to_move, match.state.reserve) == (PLACE, 0, 0, 1)


def test_Q23_Q31_the_champion_must_draft_and_respond_and_medusa_must_place(lay, play):
    """There is no passing: the only verbs are draft, equip, place, respond and rotate, one of each phase."""
    match = lay(phase=CHAMPION_DRAFT)
    verbs = {move.verb for move in match.legal()}
    match.play("equip Heart")
    verbs |= {move.verb for move in match.legal()}
    match.play("place H 1")
    assert verbs | {move.verb for move in match.legal()} == {"equip", "place", "respond"}


def test_Q23_the_reserve_never_runs_dry_and_the_draft_is_public(game, lay, play):
    match = lay(phase=CHAMPION_DRAFT, hand="HES")
    play(match, "equip Shield")
    assert match.view(None).state.drafted == 1
    play(match, "place H 1, respond Torch 0, place E 3, respond Shield 2, draft S, draft S")
    assert [str(move) for move in match.legal()] == ["equip Blade", "equip Shield", "equip Torch", "equip Heart"]


# ---- Battle Phase: placing -------------------------------------------------------------------------------------------


def test_R21_Q6_S9_every_kind_in_hand_fits_every_open_space(lay, numbers):
    match = lay()
    assert len(numbers(match)) == 18
    assert (numbers(match)[0], numbers(match)[-1]) == (9, 350)
    assert numbers(match) == [9 + 168 * kind + cell - 1 for kind in range(3) for cell in range(1, 7)]
    assert len(numbers(lay(hand="HHE"))) == 12


@pytest.mark.parametrize("board", ["H1r3", "xS1", "E1r3", "xE1"])
def test_Q4_Q8_S11_nothing_grows_from_a_dead_end_or_a_blocked_tile(lay, opened, spaces, board):
    match = lay(board)
    assert opened(match) == [2, 3, 4, 5, 6]
    assert spaces(match) == [2, 3, 4, 5, 6]


def test_Q5_Q14_S13_open_ends_of_sections(lay, opened):
    assert opened(lay("S1r1 S2r0 S8r1")) == [3, 4, 5, 6, 7, 10, 18, 21]


@pytest.mark.parametrize(("cell", "ends"), [(1, [8, 18]), (2, [8, 10]), (3, [10, 12]), (4, [12, 14]), (5, [14, 16]), (6, [16, 18])])
def test_Q3_R30_a_fork_on_the_head_opens_two_spaces_between_the_lanes(lay, opened, play, cell, ends):
    match = lay()
    play(match, f"place S {cell}, respond Blade {cell - 1}")  # the Blade is placed straight outwards
    assert opened(match) == sorted(set(range(1, 7)) - {cell} | set(ends))
    assert match.state.t_mask[1] == (42 if cell % 2 else 21)


def test_Q5_a_side_without_a_tress_is_no_place(lay, opened):
    """A Section on 1 touches 7 only with a side without a tress, so nothing may be placed there."""
    match = lay("S1r1")
    assert 7 not in opened(match)
    with pytest.raises(rulestone.IllegalMove, match="points at space 7"):
        match.play("place H 7")


def test_Q32_the_second_tile_may_go_onto_an_end_of_the_section_just_revealed(lay, play, spaces):
    match = lay()
    play(match, "place S 1, respond Blade 0")
    assert match.state.turn == 1
    assert spaces(match) == [2, 3, 4, 5, 6, 8, 18]


def test_Q36_the_table_is_large_enough_for_six_sections_in_a_row():
    """Sections reach ring 6, other tiles ring 7, Champion tiles ring 8; the same on squares."""
    for grid, (tiles, all_spaces) in enumerate([(168, 216), (112, 144)]):
        distance = {0: 0}
        for cell in range(all_spaces + 1):
            for side in range(content.SIDES[grid]):
                beyond = int(content.NEIGHBOUR[grid, cell, side])
                if beyond != content.OFF:
                    distance[beyond] = min(distance.get(beyond, 99), distance[cell] + 1)
        assert max(cell for cell in distance if distance[cell] == 7) == tiles
        assert (max(distance), max(distance.values())) == (all_spaces, 8)


# ---- Battle Phase: responding ----------------------------------------------------------------------------------------


def test_R22_Q10_S14_any_unused_weapon_on_any_free_space_around_the_tile(lay, numbers):
    match = lay(equip="BST")
    match.play("place H 1")
    assert (match.state.phase, match.to_move) == (RESPOND, 1)
    assert numbers(match) == [849, 850, 851, 853, 854, 856, 857, 858, 860, 861, 863, 864, 865, 867, 868]


def test_R24_R26_R31_Q10_S15_a_snakehead_stays_and_the_champions_tile_keeps_its_space(lay, play, spaces, opened, table):
    match = lay(equip="BST")
    play(match, "place H 1, respond Torch 2")
    state = match.state
    assert table(match) == "H1m8"
    assert (state.heads, state.equip.tolist(), state.turn, state.phase) == (1, [1, 1, 0], 1, PLACE)
    assert (state.champ_equip.tolist(), state.champ_cell.tolist()) == ([2, -1], [2, 255])
    assert spaces(match) == [3, 4, 5, 6]
    assert opened(match) == [2, 3, 4, 5, 6]
    assert (state.last_kind, state.last_cell, state.last_equip, state.last_result) == (0, 1, 2, 0)


def test_Q22_S17_a_doubled_weapon_may_be_played_twice(lay, play):
    match = lay(equip="BSTT")
    play(match, "place H 1, respond Torch 0, place E 3")
    assert {move.args[0] for move in match.legal()} == {0, 1, 2}


def test_R31_Q22_a_used_weapon_is_gone_for_the_second_turn(lay, play):
    match = lay(equip="BST")
    play(match, "place H 1, respond Shield 0, place E 3")
    assert {move.args[0] for move in match.legal()} == {0, 2}
    with pytest.raises(rulestone.IllegalMove, match="no Shield left"):
        match.play("respond Shield 1")


def test_Q10_S19_without_blocking_answers_are_played_beside_the_board(lay, numbers, play, spaces):
    match = lay(equip="BST", options={"champion_blocks": "off"})
    match.play("place H 1")
    assert numbers(match) == [855, 862, 869]
    match.play("respond Torch 6")
    assert match.state.champ_cell.tolist() == [254, 255]
    assert spaces(match) == [2, 3, 4, 5, 6]


def test_Q11_with_no_free_space_around_the_tile_the_answer_is_played_beside(lay, numbers, play):
    """Space 1 is surrounded by tiles on 2, 6, 7, 8, 18 and the head."""
    match = lay("xE2 xE6 xE7 xS8 xS18", hand="HES", market="HESS", equip="BST")
    match.play("place H 1")
    assert numbers(match) == [855, 862, 869]
    match.play("respond Shield 6")
    assert (match.state.champ_cell.tolist(), match.state.heads) == ([254, 255], 1)
    assert match.state.phase == PLACE


def test_Q11_direction_6_is_refused_while_a_space_is_free(lay):
    match = lay()
    match.play("place H 1")
    with pytest.raises(rulestone.IllegalMove, match="free space next to the face-down tile"):
        match.play("respond Blade 6")


def test_Q10_a_champion_tile_keeps_the_champion_out_too(lay, play):
    """With a Champion tile on 2, the answer to a tile on 3 can't go there."""
    match = lay()
    play(match, "place H 1, respond Torch 2, place E 3")
    assert {move.args[1] for move in match.legal()} == {1, 2, 3, 4}
    assert (content.NEIGHBOUR[0, 3, 0], content.NEIGHBOUR[0, 3, 5]) == (2, 0)


def test_Q21_a_heart_is_not_an_answer(lay):
    match = lay(equip="BST")
    match.play("place H 1")
    with pytest.raises(rulestone.IllegalMove, match="can't play a Heart"):
        match.play("respond Heart 0")


def test_Q21_with_heart_play_a_heart_matches_nothing_and_may_be_played_in_both_turns(lay, play):
    match = lay(equip="BBST", live=1, reserve=0, hand="HES", options={"heart_play": "on"})
    play(match, "place S 1, respond Heart 0")
    assert (match.state.last_result, match.state.equip.tolist(), match.state.champ_equip[0]) == (0, [2, 1, 1], 3)
    play(match, "place H 3, respond Heart 1")
    assert (match.state.heads, match.state.live, match.state.round) == (1, 1, 3)


def test_Q21_with_heart_play_a_played_heart_still_counts_as_an_active_heart(lay, play):
    match = lay(equip="BST", hand="EES", options={"heart_play": "on"})
    play(match, "place E 1, respond Heart 0")
    assert (match.state.reserve, match.state.live) == (0, 2)


# ---- Reveal Phase ----------------------------------------------------------------------------------------------------


def test_R23_after_both_have_placed_the_tile_is_revealed(lay, play):
    match = lay()
    events = play(match, "place E 1, respond Blade 0")
    assert [event.name for event in events][:2] == ["responds", "reveals"]
    assert (match.state.last_kind, match.state.last_cell, match.state.fd_kind, match.state.fd_cell) == (1, 1, -1, 255)


def test_R25_Q9_S21_the_blade_captures_a_snakehead_and_its_space_is_open_again(lay, play, spaces):
    match = lay(equip="BSTT")
    play(match, "place H 1, respond Blade 0")
    state = match.state
    assert (state.captured, state.heads, state.n_tiles) == (1, 0, 1)
    assert (state.champ_equip.tolist(), state.champ_cell.tolist()) == ([0, -1], [7, 255])
    assert (state.equip.tolist(), state.turn, state.last_result) == ([0, 1, 2], 1, 1)
    assert spaces(match) == [1, 2, 3, 4, 5, 6]


def test_R27_S23_the_shield_blocks_an_eyeball(lay, play, opened, table):
    match = lay(equip="BSTT")
    play(match, "place E 4, respond Shield 3")
    assert table(match) == "xE4"
    assert (match.state.hits, match.state.live, match.state.reserve, match.state.last_result) == (0, 2, 1, 2)
    assert opened(match) == [1, 2, 3, 5, 6]


def test_R29_S25_the_torch_blocks_a_section(lay, play, opened, table):
    match = lay(equip="BSTT")
    play(match, "place S 5, respond Torch 4")
    assert table(match) == "xS5"
    assert opened(match) == [1, 2, 3, 4, 6]
    assert match.state.equip.tolist() == [1, 1, 1]


@pytest.mark.parametrize("kind", [3, 4])
def test_R29_the_torch_matches_every_section_shape(lay, kind):
    """Spare kinds 3 and 4 are Snake Sections in every rule."""
    match = lay(hand="HE", equip="BSTT")
    match.state.hand[kind] = match.state.known[kind] = 1
    match.play(("place", kind, 5))
    match.play("respond Torch 4")
    assert (match.state.t_kind[1], match.state.t_blocked[1]) == (kind, 1)


def test_Q18_Q19_S27_the_drafted_heart_turns_to_stone_first(lay, play):
    match = lay(hand="EEH", equip="BST")
    play(match, "place E 1, respond Blade 0")
    assert (match.state.hits, match.state.reserve, match.state.live) == (1, 0, 2)
    play(match, "place E 4, respond Torch 3")
    assert (match.state.hits, match.state.live, match.state.reserve, match.state.round) == (2, 1, 0, 3)
    assert not match.over


def test_R11_Q18_S28_the_reserve_heart_does_not_help(lay, play):
    match = lay("E1r3", hand="EES", equip="BBST", live=1)
    play(match, "place E 2, respond Torch 0")
    assert (match.over, match.payoff, match.state.winner, match.state.reasons) == (True, (1, -1), 0, 2)
    assert (match.state.live, match.state.reserve, match.state.phase) == (0, 1, OVER)


def test_Q18_Q19_S29_a_drafted_heart_absorbs_one_eyeball_and_the_third_always_kills(lay, play):
    match = lay("E1r3", hand="EES", equip="BST", live=1)
    play(match, "place E 2, respond Torch 0")
    assert (match.state.live, match.state.reserve, match.state.hits, match.over, match.state.turn) == (1, 0, 2, False, 1)
    play(match, "place E 4, respond Blade 3")
    assert (match.over, match.state.winner, match.state.reasons, match.state.hits) == (True, 0, 2, 3)


def test_R28_a_standing_heart_turns_to_stone_if_no_heart_was_drafted(lay, play, table):
    match = lay(equip="BBST")
    play(match, "place E 1, respond Torch 0")
    assert (match.state.live, match.state.reserve, match.state.hits, table(match)) == (1, 1, 1, "E1m8")


@pytest.mark.parametrize(("kind", "wrong"), [("H", ("Shield", "Torch")), ("E", ("Blade", "Torch")), ("S", ("Blade", "Shield"))])
def test_R26_R28_R30_Q34_every_other_answer_lets_the_tile_stay(lay, play, kind, wrong):
    for weapon in wrong:
        match = lay(equip="BST")
        play(match, f"place {kind} 1, respond {weapon} 0")
        assert (match.state.last_result, match.state.t_blocked[1], match.state.n_tiles) == (0, 0, 2)


def test_Q33_an_eyeball_stares_only_once(lay, play):
    match = lay("E1r3", live=1, equip="BSTT")
    play(match, "place H 3, respond Torch 2, place S 4, respond Torch 3")
    assert (match.state.live, match.state.hits, match.state.round) == (1, 1, 3)


def test_R10_Q17_Q25_S31_the_third_snakehead_wins_at_once(lay, play):
    match = lay("H1r3 H2r4")
    play(match, "place H 4, respond Shield 3")
    assert (match.over, match.state.winner, match.state.reasons, match.state.turn, match.payoff) == (True, 0, 1, 0, (1, -1))


def test_Q17_a_snakehead_connected_through_a_section_counts(lay, play):
    match = lay("H1r3 S2r0 H4r0")
    play(match, "place H 8, respond Shield 0")
    assert (match.state.winner, match.state.reasons, match.state.t_mask[4]) == (0, 1, 1 << 3)


def test_Q7_capturing_an_end_tile_disconnects_nothing(lay, play):
    match = lay("S1r1 S8r0")
    play(match, "place H 9, respond Blade 0")
    assert (match.state.n_tiles, match.state.captured) == (3, 1)
    match.check()


def test_Q8_a_blocked_tile_closes_the_ends_that_point_at_it_and_its_kind_stays_known(lay, opened):
    match = lay("S1r1 xE8")
    assert opened(match) == [2, 3, 4, 5, 6, 18]
    assert match.view(1).state.t_kind[2] == 1


# ---- Rotation --------------------------------------------------------------------------------------------------------


def test_R24_Q14_S33_medusa_chooses_among_equally_good_rotations(lay, play, numbers, opened, spaces):
    match = lay("S1r1 S2r0", market="HHES")
    play(match, "place S 8, respond Blade 0")
    state = match.state
    assert (state.phase, match.to_move, numbers(match)) == (ROTATE, 0, [877, 878])
    assert (match.view(1).state.fd_kind, match.view(None).state.fd_kind, state.fd_cell) == (2, 2, 8)
    assert (state.last_kind, state.last_result, state.n_tiles, state.known[2]) == (2, -1, 3, 0)
    other = match.copy()
    match.play("rotate 0")
    assert opened(match) == [3, 4, 5, 6, 9, 10, 18, 20]
    assert spaces(match) == [3, 4, 5, 6, 9, 10, 18]
    assert (match.state.last_result, match.state.t_mask[3]) == (0, 21)
    other.play("rotate 1")
    assert opened(other) == [3, 4, 5, 6, 7, 10, 18, 21]


def test_Q14_a_snakehead_between_two_ends_may_turn_to_either(lay, play, numbers):
    """Ends of 1 and of 2 point at 8: two rotations connect one tress each."""
    match = lay("S1r1 S2r0")
    play(match, "place H 8, respond Shield 0")
    assert (match.state.phase, match.state.heads) == (ROTATE, 0)
    chosen = [number - 877 for number in numbers(match)]
    assert sorted(int(content.NEIGHBOUR[0, 8, side]) for side in chosen) == [1, 2]
    match.play(match.legal()[1])
    assert (match.state.heads, match.state.t_mask[3], match.state.turn) == (1, 1 << chosen[1], 1)


def test_Q14_a_heart_turns_to_stone_only_when_the_eyeball_is_settled(lay, play):
    match = lay("S1r1 S2r0")
    play(match, "place E 8, respond Blade 0")
    assert (match.state.phase, match.state.live, match.state.hits) == (ROTATE, 2, 0)
    match.play(match.legal()[0])
    assert (match.state.live, match.state.hits) == (1, 1)


def test_Q13_a_matched_tile_is_not_rotated(lay, play):
    match = lay("S1r1 S2r0", market="HHES")
    play(match, "place S 8, respond Torch 0")
    assert (match.state.phase, match.state.t_blocked[3], match.state.t_mask[3]) == (PLACE, 1, 0)


def test_Q14_Q16_S35_one_best_rotation_is_automatic_and_may_close_a_loop(lay, play, opened, table):
    match = lay("S1r1 S8r0 S9r1 S10r0", market="HHEE")
    play(match, "place S 3, respond Blade 2")
    assert table(match).split()[-1] == "S3m42"
    assert opened(match) == [2, 4, 5, 6, 12, 18, 20, 22, 24]
    assert (match.state.reasons, match.over) == (0, False)


def test_Q14_only_the_best_rotations_are_legal(lay, play):
    match = lay("S1r1 S2r0", market="HHES")
    play(match, "place S 8, respond Blade 0")
    with pytest.raises(rulestone.IllegalMove, match="as many tresses as possible"):
        match.play("rotate 2")


def test_Q15_an_end_that_points_at_a_champion_tile_opens_when_the_tile_is_taken_back(lay, play, opened, spaces):
    match = lay()
    play(match, "place S 1, respond Blade 1")
    assert match.state.champ_cell[0] == 8
    assert 8 in opened(match)
    assert 8 not in spaces(match)
    play(match, "place H 4, respond Shield 3, draft H, draft E, equip Heart")
    assert 8 in spaces(match)


# ---- Chains ----------------------------------------------------------------------------------------------------------


def test_R12_Q16_S37_three_sections_between_the_heads_win(lay, play, opened, table):
    match = lay(CHAIN3)
    assert opened(match) == [2, 3, 4, 5, 6, 10, 18, 20, 22]
    play(match, "place H 22, respond Shield 0")
    assert table(match).split()[-1] == "H22m16"
    assert (match.over, match.state.winner, match.state.reasons, match.state.heads) == (True, 0, 4, 1)


def test_R12_an_eyeball_ends_a_chain_too(lay, play):
    match = lay(CHAIN3)
    play(match, "place E 22, respond Blade 0")
    assert (match.state.winner, match.state.reasons, match.state.hits) == (0, 4, 1)


def test_Q16_S39_a_matched_end_tile_completes_nothing(lay, play, opened, table):
    match = lay(CHAIN3)
    other = match.copy()
    play(match, "place E 22, respond Shield 0")
    assert (table(match).split()[-1], match.over, match.state.turn) == ("xE22", False, 1)
    play(other, "place H 22, respond Blade 0")
    assert (other.state.captured, other.over, 22 in opened(other)) == (1, False, True)


def test_R12_S41_two_sections_are_no_chain(lay, play, table):
    match = lay("S1r1 S8r0")
    play(match, "place H 9, respond Torch 1")
    assert (table(match).split()[-1], match.state.heads, match.over) == ("H9m32", 1, False)


def test_Q16_S43_a_section_that_closes_a_loop_completes_a_chain_to_an_old_end_tile(lay, play, table):
    match = lay("S1r1 S8r0 H20r3 S3r1 S10r0", market="HHEE", equip="BSST")
    assert rules.longest_chain(match._s, False) == 2
    play(match, "place S 9, respond Blade 2")
    assert table(match).split()[-1] == "S9m42"
    assert rules.longest_chain(match._s, False) == 4
    assert (match.state.winner, match.state.reasons) == (0, 4)


def test_Q16_branches_off_the_path_do_not_count(lay, play):
    """Three Sections, but only two of them on the way to the Snakehead."""
    match = lay("S1r1 S8r0 S18r0")
    play(match, "place H 9, respond Shield 0")
    assert (match.over, match.state.heads) == (False, 1)


def test_Q16_a_bare_chain_needs_no_end_tile(lay, play):
    match = lay("S1r1 S8r0", options={"chain": "bare"})
    play(match, "place S 9, respond Blade 0")
    assert (match.state.winner, match.state.reasons) == (0, 4)


def test_Q16_without_an_end_tile_three_sections_do_not_win(lay, play):
    match = lay("S1r1 S8r0")
    play(match, "place S 9, respond Blade 0")
    assert (match.over, match.state.reasons) == (False, 0)


def test_Q1_the_chain_ends_at_a_snakehead_not_at_medusas_head(lay, play):
    """Typos mean nothing; "the head" that ends a chain is a Snakehead: a loop back to Medusa's head wins nothing."""
    match = lay("S1r1 S8r0 S9r1 S10r0", market="HHEE")
    play(match, "place S 3, respond Blade 2")
    assert rules.longest_chain(match._s, False) == 0
    assert rules.longest_chain(match._s, True) == 5


# ---- Champion's goals ------------------------------------------------------------------------------------------------


def test_R13_the_third_captured_snakehead_wins_for_the_champion(lay, play):
    match = lay(captured=2, market="HESS")
    play(match, "place H 1, respond Blade 0")
    assert (match.over, match.state.winner, match.state.reasons, match.payoff) == (True, 1, 8, (-1, 1))
    assert (match.state.captured, match.state.n_tiles) == (3, 1)


def test_R14_Q24_S45_a_dead_end_on_the_last_space_closes_medusa_in(lay, play, opened):
    match = lay("xS1 xE2 xS3 xE4 xE5", equip="BSST")
    play(match, "place H 6, respond Torch 5")
    assert (match.state.heads, opened(match)) == (1, [])
    assert (match.over, match.state.winner, match.state.reasons) == (True, 1, 16)


def test_R14_R29_S47_a_section_on_the_last_space_keeps_medusa_going_unless_it_burns(lay, play, opened, table):
    match = lay("xS1 xE2 xS3 xE4 xE5", equip="BSST")
    other = match.copy()
    play(match, "place S 6, respond Blade 5")
    assert (table(match).split()[-1], opened(match), match.over) == ("S6m21", [16, 18], False)
    play(other, "place S 6, respond Torch 5")
    assert (table(other).split()[-1], other.state.winner, other.state.reasons) == ("xS6", 1, 16)


def test_R14_a_shield_closes_the_last_space_too(lay, play):
    match = lay("xS1 xE2 xS3 xE4 xE5", equip="BSST")
    play(match, "place E 6, respond Shield 5")
    assert (match.state.winner, match.state.reasons) == (1, 16)


def test_Q25_S49_medusas_goals_come_before_being_closed_in(lay, play):
    match = lay("xS1 xE2 xS3 xE4 E5r1", live=1, equip="BSST")
    play(match, "place E 6, respond Torch 5")
    assert (match.over, match.state.winner, match.state.reasons) == (True, 0, 2)


def test_Q25_several_goals_of_medusa_in_one_reveal_are_all_recorded(lay, play):
    match = lay(f"{CHAIN3} H3r5 H4r0")
    play(match, "place H 22, respond Torch 0")
    assert (match.state.winner, match.state.reasons) == (0, 1 | 4)


def test_Q12_S51_a_turn_without_an_uncovered_open_space_is_skipped(lay, play, opened):
    match = lay("xS1 xE2 xS3 xE4")
    events = play(match, "place E 5, respond Torch 0")
    state = match.state
    assert (state.live, state.round, state.turn, state.phase, match.to_move) == (1, 3, 0, MEDUSA_DRAFT, 0)
    assert (state.hand.tolist(), state.skips, opened(match)) == (kinds("HS"), 1, [6])
    assert (state.champ_cell.tolist(), state.equip.tolist(), state.drafted) == ([255, 255], [0, 0, 0], -1)
    assert "skips" in [event.name for event in events]


def test_Q24_with_soft_block_a_covered_end_is_a_blocked_end(lay, play):
    match = lay("xS1 xE2 xS3 xE4", options={"soft_block": "on"})
    play(match, "place E 5, respond Torch 0")
    assert (match.over, match.state.winner, match.state.reasons, match.state.skips) == (True, 1, 16, 0)


def test_Q24_soft_block_has_no_effect_when_champion_tiles_take_no_space(lay, play):
    match = lay("xS1 xE2 xS3 xE4", options={"soft_block": "on", "champion_blocks": "off"})
    play(match, "place E 5, respond Torch 6")
    assert (match.over, match.state.turn, match.state.phase) == (False, 1, PLACE)


def test_Q24_medusa_is_not_closed_in_at_the_start_although_no_section_is_open(lay, play):
    match = lay()
    play(match, "place E 1, respond Shield 0")
    assert (match.over, match.state.reasons) == (False, 0)


# ---- End of turn and round -------------------------------------------------------------------------------------------


def test_R34_R35_Q20_Q28_S53_at_the_end_of_the_round_equipment_goes_back_and_stone_stays_stone(lay, play, table):
    for options, live in ((None, 1), ({"hearts": "reset"}, 2)):
        match = lay("E1r3", live=1, equip="BSTT", options=options)
        play(match, "place S 2, respond Torch 1, place H 3, respond Torch 1")
        state = match.state
        assert (state.round, state.turn, state.phase) == (3, 0, MEDUSA_DRAFT)
        assert table(match) == "E1m8 xS2 H3m32"
        assert state.hand.tolist() == kinds("E")
        assert (state.champ_equip.tolist(), state.champ_cell.tolist()) == ([-1, -1], [255, 255])
        assert (state.equip.tolist(), state.drafted, state.live, state.reserve, state.hits) == ([0, 0, 0], -1, live, 1, 1)


def test_Q20_a_drafted_heart_that_turned_to_stone_cannot_be_drafted_again(lay, play):
    for options, back in ((None, 0), ({"hearts": "reset"}, 1)):
        match = lay(hand="EHS", equip="BST", options=options)
        play(match, "place E 1, respond Blade 0, place H 3, respond Torch 2")
        assert (match.state.reserve, match.state.live, match.state.hits) == (back, 2, 1)
        play(match, "draft E, draft S")
        assert ("equip Heart" in [str(move) for move in match.legal()]) == bool(back)


def test_R16_R17_R32_R36_a_round_is_one_draft_and_two_turns_and_then_a_new_round_begins(lay, play):
    match = lay(hand="H", phase=MEDUSA_DRAFT, market="EESS")
    verbs = []
    for move in ("draft E", "draft S", "equip Heart", "place E 1", "respond Shield 0", "place S 3", "respond Torch 2"):
        verbs.append((match.state.round, match.state.turn, match.state.phase))
        match.play(move)
    assert verbs == [(2, 0, 0), (2, 0, 0), (2, 0, 1), (2, 0, 2), (2, 0, 3), (2, 1, 2), (2, 1, 3)]
    assert (match.state.round, match.state.turn, match.state.phase) == (3, 0, MEDUSA_DRAFT)


def test_R31_R34_Q35_equipment_comes_back_every_round_whether_it_matched_or_not(lay, play):
    for answers in ("Torch", "Blade"):
        match = lay(equip="BBST")
        play(match, f"place H 1, respond {answers} 0, place E 3, respond Shield 2, draft S, draft S, equip Heart")
        assert match.state.equip.tolist() == [1, 1, 1]


def test_Q35_medusa_may_play_any_of_her_three_tiles_but_not_next_to_any_tile(lay, spaces):
    match = lay("H1r3")
    assert {move.args[0] for move in match.legal()} == {0, 1, 2}
    assert spaces(match) == [2, 3, 4, 5, 6]


def test_Q28_the_unplayed_tile_is_kept_for_the_next_round(lay, play):
    match = lay(hand="HES")
    play(match, "place H 1, respond Torch 0, place S 3, respond Shield 2")
    assert (match.state.hand.tolist(), match.state.known.tolist()) == (kinds("E"), kinds("E"))


def test_R15_Q26_S55_the_champion_survives_until_the_stack_is_empty(lay, play, opened):
    match = last_round(lay)
    assert (match.state.stack_n, opened(match)) == (0, [2, 3, 54])
    play(match, "place H 2, respond Torch 0")
    state = match.state
    assert (state.heads, match.over, state.winner, state.reasons, match.payoff) == (2, True, 1, 32, (-1, 1))
    assert (state.round, state.champ_equip.tolist(), state.champ_cell[0]) == (7, [1, 2], 53)


def test_R33_Q25_a_goal_of_medusa_in_the_last_round_comes_before_running_out(lay, play):
    match = last_round(lay)
    play(match, "place E 2, respond Torch 0")
    assert (match.state.winner, match.state.reasons) == (0, 2)


def test_Q26_with_draft_the_game_ends_when_fewer_than_three_tiles_are_left(lay, play):
    match = last_round(lay, options={"run_out": "draft"})
    play(match, "place H 2, respond Torch 0")
    assert (match.over, match.state.round, match.state.phase) == (False, 8, MEDUSA_DRAFT)
    short = last_round(lay, hand="H", market="H---", options={"run_out": "draft"})
    short.state.stack = -1
    short.state.stack_n = 0
    play(short, "place H 2, respond Torch 0")
    assert (short.over, short.state.winner, short.state.reasons) == (True, 1, 32)


def test_Q26_Q27_S57_with_all_medusa_drafts_from_what_is_left(lay, play):
    match = last_round(lay, options={"run_out": "all"})
    play(match, "place H 2, respond Torch 0")
    assert (match.state.round, match.state.phase, match.state.hand.tolist()) == (8, MEDUSA_DRAFT, kinds("E"))
    play(match, "draft E, draft H")
    assert (match.state.hand.tolist(), match.state.phase) == (kinds("HEE"), CHAMPION_DRAFT)
    assert sorted(match.state.market) == [-1, -1, -1, 0]


def test_Q26_with_all_the_game_ends_only_when_no_tile_is_left(lay, play):
    match = last_round(lay, hand="H", market="----", options={"run_out": "all"})
    match.state.stack = -1
    match.state.stack_n = 0
    play(match, "place H 2, respond Torch 0")
    assert (match.over, match.state.reasons) == (True, 32)


def test_Q27_with_an_empty_market_the_round_starts_with_the_champions_draft(lay, play):
    match = last_round(lay, market="----", options={"run_out": "all"})
    match.state.stack = -1
    match.state.stack_n = 0
    play(match, "place H 2, respond Torch 0")
    assert (match.state.round, match.state.phase, match.to_move, match.state.hand.tolist()) == (8, CHAMPION_DRAFT, 1, kinds("E"))


def test_Q27_without_a_tile_in_hand_the_turn_is_not_played_and_not_counted(lay, play):
    match = last_round(lay, hand="H", turn=0, market="E---", champ_equip=[-1, -1], champ_cell=[255, 255], options={"run_out": "all"})
    match.state.stack = -1
    match.state.stack_n = 0
    play(match, "place H 2, respond Torch 0")
    assert (match.state.round, match.state.phase, match.state.skips) == (8, MEDUSA_DRAFT, 0)


def test_Q25_S59_with_round_end_goals_of_both_sides_in_one_round_are_a_draw(lay, play):
    given = {"captured": 2, "hand": "HHE", "market": "ESSS"}
    match = lay("H1r3 H2r4", **given, options={"win_check": "round_end"})
    play(match, "place H 4, respond Shield 3")
    assert (match.over, match.state.reasons, match.state.turn) == (False, 1, 1)
    play(match, "place H 5, respond Blade 4")
    assert (match.over, match.state.winner, match.state.reasons, match.payoff) == (True, 2, 9, (0, 0))
    immediate = lay("H1r3 H2r4", **given)
    play(immediate, "place H 4, respond Shield 3")
    assert (immediate.state.winner, immediate.state.reasons) == (0, 1)


def test_Q25_with_round_end_a_closed_medusa_skips_her_second_turn_and_loses(lay, play):
    match = lay("xS1 xE2 xS3 xE4 xE5", equip="BSST", options={"win_check": "round_end"})
    play(match, "place H 6, respond Torch 5")
    assert (match.over, match.state.winner, match.state.reasons, match.state.round, match.state.skips) == (True, 1, 16, 2, 1)


def test_Q25_with_round_end_closing_is_not_recorded_once_medusa_has_a_goal(lay, play):
    match = lay("xS1 xE2 xS3 xE4 E5r1", live=1, equip="BSST", options={"win_check": "round_end"})
    play(match, "place E 6, respond Torch 5")
    assert (match.over, match.state.winner, match.state.reasons) == (True, 0, 2)


def test_Q25_with_round_end_running_out_is_tested_only_if_nothing_else_happened(lay, play):
    match = last_round(lay, options={"win_check": "round_end"})
    play(match, "place E 2, respond Torch 0")
    assert (match.state.winner, match.state.reasons) == (0, 2)


def test_Q25_with_round_end_a_second_stare_leaves_no_heart_below_zero(lay, play):
    match = lay(hand="EES", live=1, options={"win_check": "round_end"})
    play(match, "place E 1, respond Torch 0, place E 3, respond Blade 2")
    assert (match.state.live, match.state.hits, match.state.winner, match.state.reasons) == (0, 2, 0, 2)


def test_Q18_with_petrify_three_the_third_eyeball_wins_and_hearts_are_not_used(lay, play):
    match = lay("E1r3", hand="EES", options={"petrify": "three", "hearts": "reset"})
    play(match, "place E 2, respond Torch 0")
    assert (match.over, match.state.live, match.state.reserve, match.state.hits) == (False, 2, 1, 2)
    play(match, "place E 4, respond Blade 3")
    assert (match.state.winner, match.state.reasons, match.state.live) == (0, 2, 2)


def test_R37_without_options_there_is_no_draw(game):
    """No scores, no draws: exactly one side wins every game with default options."""
    for seed in range(60):
        match = game.new(seed=seed)
        chooser = random.Random(seed)
        while not match.over:
            match.play(chooser.choice(match.legal()))
        assert match.state.winner in (0, 1)
        assert sorted(match.payoff) == [-1, 1]
        assert match.payoff[match.state.winner] == 1


# ---- Variant geometry ------------------------------------------------------------------------------------------------


def test_Q3_S65_bends_and_straight_sections(lay, play, numbers, opened, spaces):
    match = lay(options={"section": "bend"})
    play(match, "place S 1, respond Blade 0")
    assert numbers(match) == [878, 880]
    other = match.copy()
    match.play("rotate 1")
    assert (match.state.t_mask[1], opened(match)) == (10, [2, 3, 4, 5, 6, 8])
    other.play("rotate 3")
    assert (other.state.t_mask[1], opened(other)) == (40, [2, 3, 4, 5, 6, 18])
    straight = lay(options={"section": "straight"})
    play(straight, "place S 1, respond Blade 0")
    assert (straight.state.t_mask[1], opened(straight)) == (9, [2, 3, 4, 5, 6, 7])
    assert spaces(straight) == [2, 3, 4, 5, 6]


def test_Q2_on_squares_medusas_head_has_four_sides(lay, play, opened, numbers):
    match = lay(equip="BST", options={"grid": "square"})
    assert (match.state.t_mask[0], opened(match)) == (15, [1, 2, 3, 4])
    match.play("place H 1")
    assert numbers(match) == [849, 850, 852, 856, 857, 859, 863, 864, 866]
    match.play("respond Torch 0")
    assert (match.state.t_mask[1], match.state.champ_cell[0]) == (1 << 2, 5)


def test_Q2_Q14_on_squares_a_fork_has_three_tresses_on_neighbouring_sides(lay, play, numbers, opened):
    """A fork next to the head on space 1 joins it with one of its three tresses: three rotations are equally good."""
    match = lay(equip="BST", options={"grid": "square"})
    play(match, "place S 1, respond Blade 0")
    assert numbers(match) == [877, 878, 879]
    masks = []
    for move in match.legal():
        other = match.copy()
        other.play(move)
        masks.append(int(other.state.t_mask[1]))
    assert masks == [7, 14, 13]
    match.play("rotate 0")
    assert opened(match) == [2, 3, 4, 5, 6]


# ---- Invariants ------------------------------------------------------------------------------------------------------


def random_match(game, seed, options=None):
    match = game.new(seed=seed, options=options)
    chooser = random.Random(seed)
    while not match.over:
        yield match
        match.play(chooser.choice(match.legal()))
    yield match


def test_S67_S68_all_tiles_are_somewhere_and_public_knowledge_fits_the_hand(game):
    """R2, R20, Q29: by kind 6/6/6, and known and secret tiles are the hand and the unrevealed tile."""
    for seed in range(40):
        for match in random_match(game, seed):
            s = match.state
            for kind in range(3):
                table = sum(s.t_kind[1 : s.n_tiles] == kind) + (s.captured if kind == 0 else 0)
                held = s.hand[kind] + (s.fd_kind == kind)
                assert table + held + sum(s.market == kind) + sum(s.stack[: s.stack_n] == kind) == 6
            assert s.known.sum() + s.secret == s.hand.sum() + (s.phase == RESPOND)


def test_S69_S73_there_is_always_a_legal_move_and_no_goal_is_overlooked(game, numbers):
    for seed in range(40):
        for match in random_match(game, seed):
            if not match.over:
                found = numbers(match)
                assert 0 < len(found) <= 30
                assert len(set(found)) == len(found)
                assert found[-1] < 883
                assert match.state.heads <= 2
                assert match.state.captured <= 2
                assert match.state.hits <= 2
                assert match.state.live >= 1


def test_S70_every_face_up_tile_hangs_on_medusas_head(game, lay):
    """Q7, R24: `check` walks the connections; a tile laid by hand that connects to nothing is found."""
    for seed in range(40):
        for match in random_match(game, seed):
            match.check()
    match = lay("H1r0")  # a Snakehead that faces away from Medusa's head
    with pytest.raises(BrokenInvariant, match="not connected"):
        match.check()


def test_S71_the_stack_is_not_empty_at_the_first_draft_and_the_hand_is_full_after_the_draft(game):
    for seed in range(40):
        before = None
        for match in random_match(game, seed):
            if match.state.phase == MEDUSA_DRAFT and (before is None or before != match.state.round):
                assert match.state.stack_n > 0
                before = match.state.round
            if match.state.phase == CHAMPION_DRAFT:
                assert match.state.hand.sum() == 3


def test_S72_after_the_setup_nothing_is_left_to_chance(game):
    match = game.new(seed=5)
    while not match.over:
        twin = match.copy()
        move = match.legal()[0]
        match.play(move, rng=1)
        twin.play(move, rng=2)
        assert (match.state.rng, twin.state.rng) == (1, 2)
        match.state.rng = twin.state.rng = 0
        assert match._array.tobytes() == twin._array.tobytes()


def test_R36_Q12_no_game_takes_more_than_89_decisions(game):
    """At most 17 drafts by Medusa, and a Champion draft and three decisions for each of 18 tiles; random games stay far below that."""
    assert game.about.longest == 17 + 18 + 54
    assert 45 <= playouts(game, 20_000, seed=1).lengths.max() <= 60


def test_the_numbers_of_actions(game):
    """Section 6 of the sheet: 883 actions."""
    assert len(game.actions) == 883
    assert game.actions.encode("place", 4, 168) == 848
    assert game.actions.encode("respond", "Heart", 6) == 876
    assert game.actions.encode("rotate", 5) == 882
    assert str(game.actions.decode(9)) == "place H 1"
    assert tuple(game.actions.decode(851)) == ("respond", 0, 2)


@pytest.mark.parametrize(
    ("setting", "move", "reason"),
    [
        ({"phase": MEDUSA_DRAFT, "hand": "E", "market": "HHHH"}, "draft S", "no Snake Section in the market"),
        ({"phase": CHAMPION_DRAFT, "reserve": 0}, "equip Heart", "turned to stone"),
        ({"phase": CHAMPION_DRAFT, "reserve": 0, "options": {"petrify": "three"}}, "equip Heart", "turned to stone"),
        ({"phase": CHAMPION_DRAFT}, "place H 1", "first the Champion drafts"),
        ({"hand": "EES"}, "place H 1", "no Snakehead in Medusa's hand"),
        ({"phase": MEDUSA_DRAFT, "hand": "H"}, "draft S3", "no S3 tiles in this game. \\[R2\\]"),
        ({}, "place S4 1", "no S4 tiles in this game. \\[R2\\]"),
        ({"board": "H1r3"}, "place H 1", "already a Snakehead on space 1"),
        ({"champ_equip": [0, -1], "champ_cell": [2, 255]}, "place H 2", "Champion tile covers space 2"),
        ({}, "place H 7", "points at space 7"),
        ({}, "respond Blade 0", "first Medusa places"),
    ],
)
def test_wrong_clicks_get_a_reason_and_change_nothing(lay, setting, move, reason):
    match = lay(**setting)
    before = match._array.tobytes()
    with pytest.raises(rulestone.IllegalMove, match=reason):
        match.play(move)
    assert match._array.tobytes() == before


@pytest.mark.parametrize(
    ("options", "move", "reason"),
    [
        (None, "respond Blade 3", "space in that direction is taken"),
        ({"champion_blocks": "off"}, "respond Blade 0", "beside the board"),
        ({"grid": "square"}, "respond Blade 4", "square has no direction 4"),
    ],
)
def test_wrong_answers_get_a_reason(lay, options, move, reason):
    match = lay(options=options)
    match.play("place H 1")
    with pytest.raises(rulestone.IllegalMove, match=reason):
        match.play(move)


def test_R18_sections_that_share_a_name_are_distinguished_by_their_letters():
    game = rulestone.load("micro_medusa", changes={"MEDUSA_TILES[S,copies]": 5, "MEDUSA_TILES[S3,copies]": 1})
    match = game.new(seed=1)
    match.state.market = [2, 2, 2, 2]
    with pytest.raises(rulestone.IllegalMove, match="there's no Snake Section S3 in the market"):
        match.play("draft S3")
