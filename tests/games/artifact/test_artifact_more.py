"""Between the lines of the sheet: neighbours of its scenarios, options together, hands and boards written by hand."""

import numpy as np
import pytest

from rulestone.games.artifact.content import CARDS, HOME, MAP_NAMES, NONE
from rulestone.match import IllegalMove

HO, VERT, JUMP, DIAG, SWAP, DROP, DYNAMITE, ROTATE = range(8)


def story(match):
    """The sentences of the last move as everybody reads them."""
    return [match.say(event) for event in match.view(None).events]


# ---- setup and draws ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_R3_R4_a_new_game_for_three(game, see, seed):
    match = game.new(seed=seed, players=3)
    assert match.options["map"] == "3-tripod"
    assert match.state.hand_n.tolist() == [6, 6, 6, 0]
    assert (match.state.deck_n, match.state.disc_n) == (35, 1)
    assert match.state.pos.tolist() == [*HOME[MAP_NAMES.index("3-tripod"), :3], NONE]


def test_Q1_two_players_are_the_default(game):
    assert game.new(seed=1).players == 2


def test_R7_Q4_the_last_card_of_the_deck_is_drawn_without_a_reshuffle(lay, see):
    match = lay(phase="draw", hands={1: "Ho*6"}, deck="Swap", discard="Rotate, Jump", rest=2)
    match.play("draw_deck")
    assert see.hand(match, 1) == {"Ho": 6, "Swap": 1}
    assert match.state.deck_n == 0
    assert see.pile(match, "disc") == ["Rotate", "Jump"]


def test_R15_after_a_reshuffle_everybody_starts_counting_again(lay):
    match = lay("test3", phase="draw", hands={1: "Ho*6", 2: "Vert*6"}, discard="Rotate, Jump, Dynamite", rest=3)
    match.state.mine = 1
    match.play("draw_deck")
    drawn = [1 - int((match.state.deck[:1] == kind).any()) if kind in (JUMP, ROTATE) else 0 for kind in range(8)]
    assert match.state.epoch.tolist() == [0, 0, 1, 0, 0, 0, 0, 1]
    assert match.state.mine[:3].tolist() == [drawn, [0] * 8, [0] * 8]


# ---- steps, jumps, blocks -------------------------------------------------------------------------------------------------


def test_R27_after_one_rotation_ho_runs_north_south_for_everybody(lay, see):
    match = lay("test4", mover=3, rot=3, pieces={3: (3, 3)}, hands={3: "Ho, Vert"})
    assert see.ways(match, "ho") == "N S"
    assert see.ways(match, "vert") == "E W"


@pytest.mark.parametrize(("seat", "rot", "ho"), [(1, 0, "E W"), (2, 0, "N S"), (3, 0, "E W"), (4, 0, "N S"), (4, 1, "E W"), (1, 3, "N S")])
def test_Q32_with_seat_axes_seat_and_turns_add_up(lay, see, seat, rot, ho):
    match = lay("test4", seat_axes=1, mover=seat, rot=rot, pieces={seat: (1, 1)}, hands={seat: "Ho"})
    assert see.ways(match, "ho") == ho


def test_Q22_with_three_levels_steps_fall_and_jumps_climb_any_height(lay, see):
    match = lay(
        max_height=3,
        pieces={1: (2, 1)},
        art=(0, 2),
        blocks=[(2, 1), (2, 0), (2, 0), (2, 0), (3, 1), (3, 1)],
        hands={1: "Ho, Vert, Jump, Drop Block, Dynamite"},
    )
    assert see.ways(match, "jump") == "S W"
    assert see.ways(match, "ho") == "E"
    assert see.ways(match, "vert") == "N"
    assert see.ways(match, "drop") == "N NE E SE S SW NW self"
    assert see.ways(match, "dynamite") == "N S W self"


def test_Q22_dynamite_takes_one_block_of_a_stack(lay, see):
    match = lay(max_height=2, pieces={1: (1, 1)}, blocks=[(1, 1)], hands={1: "Dynamite*2"})
    match.play("dynamite self")
    assert see.height(match, 1, 1) == 1
    match.play("dynamite self")
    assert see.height(match, 1, 1) == 0


def test_Q26_with_protect_no_block_goes_under_a_player_at_home(lay, see):
    match = lay(protect=1, hands={1: "Drop Block, Rotate"})
    assert see.ways(match, "drop") == "E S"
    with pytest.raises(IllegalMove, match="can't go on home bases"):
        match.play("drop self")


def test_Q26_with_protect_a_block_already_there_can_be_blown_up(lay, see):
    match = lay(protect=1, pieces={1: (2, 1)}, blocks=[(2, 2)], hands={1: "Dynamite, Drop Block"})
    assert see.ways(match, "dynamite") == "N E"


def test_Q21_with_adjacent_4_a_diagonal_block_is_refused_with_a_reason(lay, see):
    match = lay(adjacent=4, pieces={1: (2, 2)}, art=(2, 2), holder=1, hands={1: "Dynamite, Drop Block"})
    assert see.ways(match, "drop") == "N E S W self"
    with pytest.raises(IllegalMove, match="don't reach diagonally"):
        match.play("dynamite NW")


def test_Q30_without_a_spare_tile_no_block_can_be_dropped(lay, see):
    match = lay(block_supply=2, spare=0, hands={1: "Drop Block, Rotate"})
    assert see.ways(match, "drop") is None
    with pytest.raises(IllegalMove, match="no spare blocks left"):
        match.play("drop E")


def test_Q17_with_share_0_a_step_onto_any_piece_is_impossible_and_a_free_location_is_not(lay, see):
    match = lay("test4", share=0, pieces={1: (1, 1), 2: (1, 2), 3: (2, 2), 4: (0, 1)}, art=(3, 3), hands={1: "Ho, Vert, Diag"})
    assert see.ways(match, "ho") == "W"
    assert see.ways(match, "vert") == "S"
    assert see.ways(match, "diag") == "NW"


# ---- the artifact and the limit -------------------------------------------------------------------------------------------


def test_R13_Q8_a_take_at_home_wins_with_the_bonus_counted(lay, see):
    match = lay(mover=2, pieces={1: (4, 4), 2: (2, 0)}, art=(4, 4), holder=1, limit=4, hands={2: "Ho, Swap"})
    match.play("swap P1")
    assert match.over
    assert match.payoff == (-1.0, 1.0)
    assert see.plays(match) == (1, 7)
    assert see.phase(match) == "over"
    assert see.pile(match, "played") == ["Swap"]
    assert match.legal() == []
    assert match.to_move is None


def test_R22_R12_a_jump_onto_the_artifact_takes_it(lay, see):
    match = lay(pieces={1: (2, 1)}, blocks=[(2, 2)], hands={1: "Jump, Ho"})
    match.play("jump E")
    assert see.holder(match) == 1
    assert see.plays(match) == (1, 6)


def test_R22_R28_the_holder_jumps_home_onto_a_block_and_wins(lay):
    match = lay(pieces={1: (0, 1)}, art=(0, 1), holder=1, blocks=[(0, 0)], hands={1: "Jump, Ho"})
    match.play("jump W")
    assert match.payoff == (1.0, -1.0)


def test_R20_R29_the_holder_goes_home_diagonally(lay):
    match = lay(mover=2, pieces={2: (3, 3)}, art=(3, 3), holder=2, hands={2: "Diag, Ho"})
    match.play("diag SE")
    assert match.payoff == (-1.0, 1.0)


def test_Q44_the_holder_may_leave_a_foreign_base_again(lay, see):
    match = lay("test3", mover=3, pieces={3: (0, 4), 2: (1, 1)}, art=(0, 4), holder=3, hands={3: "Vert, Ho"})
    match.play("vert S")
    assert see.artifact(match) == (1, 4)
    assert see.holder(match) == 3


def test_Q43_a_foreign_base_is_dangerous_its_owner_wins_when_the_turn_starts(lay):
    match = lay(
        "test3", mover=1, phase="discard", pieces={1: (0, 4), 2: (0, 4)}, art=(0, 4), holder=1, hands={1: "Ho", 2: "Vert"}, discard="Jump"
    )
    match.play("end_turn")
    assert match.payoff == (-1.0, 1.0, -1.0)
    assert match.state.winner == 1
    assert match.state.turn == 1


def test_Q11_Q19_a_third_player_on_the_artifact_does_not_take_it_in_somebody_elses_turn(lay, see):
    match = lay(
        "test4", mover=1, phase="discard", pieces={3: (1, 1), 4: (1, 1)}, art=(1, 1), hands={1: "Ho*6", 2: "Vert*6"}, discard="Jump"
    )
    match.play("end_turn")
    assert see.holder(match) is None
    assert see.plays(match) == (0, 3)


def test_Q14_a_swap_with_a_bystander_takes_a_loose_artifact(lay, see):
    match = lay("test3", pieces={1: (3, 0), 2: (1, 3), 3: (1, 3)}, art=(1, 3), hands={1: "Ho*2, Swap"})
    match.play("swap P3")
    assert see.holder(match) == 1
    assert see.plays(match) == (1, 6)


def test_Q15_the_swapper_may_come_back_before_the_opponents_turn(lay, see):
    match = lay(pieces={1: (1, 3), 2: (1, 2)}, art=(1, 3), holder=1, hands={1: "Swap, Ho*2"})
    match.play("swap P2")
    assert see.holder(match) is None
    match.play("ho E")
    assert see.holder(match) == 1
    assert see.plays(match) == (2, 6)  # a take in this turn, the first one


def test_Q15_a_third_player_may_take_the_loose_artifact_first(lay, see):
    match = lay("test3", mover=2, pieces={1: (3, 0), 2: (1, 2), 3: (1, 3)}, art=(1, 3), hands={2: "Ho, Vert"})
    match.play("ho E")
    assert see.holder(match) == 2
    assert "Blue takes control of the artifact at (1,3). [R12]" in story(match)


def test_Q15_with_passive_take_the_swapper_steals_it_back_with_a_bonus(lay, see):
    match = lay(passive_take=1, pieces={1: (1, 3), 2: (1, 2)}, art=(1, 3), holder=1, hands={1: "Swap, Ho*2"})
    match.play("swap P2")
    assert see.holder(match) == 2
    match.play("ho E")
    assert see.holder(match) == 1
    assert see.plays(match) == (2, 6)
    assert "Red steals the artifact from Blue at (1,3). [R12]" in story(match)


def test_Q6_Q15_with_live_limit_and_passive_take_the_swapper_gains_a_play(lay, see):
    match = lay(live_limit=1, passive_take=1, turn=3, pieces={1: (1, 3), 2: (3, 0)}, art=(1, 3), holder=1, hands={1: "Swap, Ho*2"})
    match.play("swap P2")
    assert see.plays(match) == (1, 4)


def test_Q6_with_live_limit_a_holders_swap_leaves_three(lay, see):
    match = lay(live_limit=1, turn=3, pieces={1: (1, 3), 2: (3, 0)}, art=(1, 3), holder=1, hands={1: "Swap, Ho*2"})
    match.play("swap P2")
    assert see.plays(match) == (1, 3)


def test_Q6_Q9_with_live_limit_and_bonus_each_sixteen_is_the_most(lay, see):
    match = lay(live_limit=1, bonus_each=1, turn=3, pieces={1: (2, 1)}, limit=15, bonus=4, used=2, hands={1: "Ho, Vert"})
    match.play("ho E")
    assert match.state.bonus == 5
    assert see.plays(match) == (3, 16)


def test_Q10_Q9_with_holder_bonus_and_bonus_each_a_second_take_adds_three(lay, see):
    match = lay(
        holder_bonus=1, bonus_each=1, pieces={1: (1, 2), 2: (1, 3)}, art=(1, 2), holder=1, limit=6, bonus=1, hands={1: "Swap, Ho*2, Vert"}
    )
    match.play("swap P2")
    match.play("ho W")
    assert see.plays(match) == (2, 9)


def test_Q10_a_take_at_the_start_gives_one_bonus_only_with_holder_bonus_too(lay, see):
    match = lay(
        holder_bonus=1,
        mover=2,
        phase="discard",
        pieces={1: (1, 3), 2: (1, 3)},
        art=(1, 3),
        holder=2,
        hands={1: "Ho*6", 2: "Vert*6"},
        discard="Jump",
    )
    match.play("end_turn")
    assert see.plays(match) == (0, 6)
    assert match.state.bonus == 1


def test_Q13_with_swap_carry_the_holder_swaps_away_with_the_artifact(lay, see):
    match = lay(swap_carry=1, pieces={1: (1, 3), 2: (3, 0)}, art=(1, 3), holder=1, hands={1: "Swap, Ho*2"})
    match.play("swap P2")
    assert see.artifact(match) == (3, 0)
    assert see.holder(match) == 1
    assert see.plays(match) == (1, 3)


def test_Q13_Q14_with_swap_carry_a_third_players_artifact_taken_at_home_wins(lay):
    match = lay("test3", swap_carry=1, pieces={1: (3, 0), 2: (0, 0), 3: (0, 0)}, art=(0, 0), holder=3, limit=4, hands={1: "Swap, Ho"})
    match.play("swap P2")
    assert match.payoff == (1.0, -1.0, -1.0)


# ---- the end of a turn and of the game ------------------------------------------------------------------------------------


def test_R10_R14_discards_lie_under_the_played_cards(lay, see):
    match = lay(hands={1: "Rotate, Ho*3, Jump", 2: "Vert*6"}, deck="Diag*6", discard="Swap")
    for move in ("rotate", "end_play", "discard Jump", "discard Ho", "end_turn"):
        match.play(move)
    assert see.pile(match, "disc") == ["Swap", "Jump", "Ho", "Rotate"]
    assert see.hand(match, 1) == {"Ho": 2, "Diag": 4}


def test_R15_Q38_discards_of_this_turn_are_in_the_reshuffle_but_for_the_top_one(lay, see):
    match = lay(phase="discard", hands={1: "Jump, Swap"}, played="Rotate", discard="Diag", rest=2)
    match.play("discard Jump")
    match.play("discard Swap")
    assert match.to_move == 1
    assert see.hand(match, 1) == {"Diag": 1, "Jump": 1}
    assert see.pile(match, "disc") == ["Swap", "Rotate"]
    assert match.state.deck_n == 0


def test_Q39_with_hand_cap_6_eight_cards_cost_two_discards(lay, see):
    match = lay(hand_cap=6, phase="discard", hands={1: "Ho*5, Jump*3", 2: "Vert*6"}, discard="Swap")
    assert see.verbs(match) == ["discard"]
    match.play("discard Jump")
    with pytest.raises(IllegalMove, match="at most 6 cards"):
        match.play("end_turn")
    match.play("discard Jump")
    assert see.verbs(match) == ["discard", "end_turn"]


def test_Q45_one_round_with_three_players_is_three_turns(lay):
    match = lay("test3", max_rounds=1, turn=2, mover=3, phase="discard", hands={1: "Ho", 2: "Vert", 3: "Diag*6"}, discard="Jump")
    match.play("end_turn")
    assert match.over
    assert match.payoff == (0.0, 0.0, 0.0)
    assert match.state.winner == NONE
    assert match.state.turn == 3


def test_Q45_a_game_with_start_seat_1_ends_after_the_same_number_of_turns(game):
    match = game.new(seed=1, players=2, options={"start_seat": 1, "max_rounds": 1, "map": "2-vault"})
    seats = []
    while not match.over:
        if not seats or seats[-1] != match.to_move:
            seats.append(match.to_move)
        match.play(next(move for move in match.legal() if move.verb in ("draw_deck", "end_play", "end_turn")))
    assert seats == [1, 0]
    assert match.state.turn == 2


# ---- what people type and hear --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["discard Drop", "DISCARD drop block", "discard Drop_Block", "discard 5", ("discard", "Drop Block"), ("discard", 5), 9]
)
def test_R10_a_card_is_discarded_by_name_or_number(lay, see, text):
    match = lay(phase="discard", hands={1: "Drop Block*2"})
    match.play(text)
    assert see.pile(match, "disc") == ["Drop Block"]
    assert story(match) == ["Red discards Drop Block. [R10]"]
    assert str(match.moves[-1]) == "discard Drop"


@pytest.mark.parametrize("text", ["swap P2", "SWAP p2", "swap 1", ("swap", 1), 33])
def test_R23_an_opponent_is_named_by_seat(lay, see, text):
    match = lay(hands={1: "Swap, Ho"})
    match.play(text)
    assert see.where(match, 1) == (4, 4)


@pytest.mark.parametrize("text", ["drop self", "DROP SELF", "drop 8", 44])
def test_R25_a_block_under_yourself_is_typed_self(lay, see, text):
    match = lay(hands={1: "Drop Block, Ho"})
    match.play(text)
    assert see.height(match, 0, 0) == 1


def test_R26_a_diagonal_is_typed_in_two_letters(lay, see):
    match = lay(pieces={1: (2, 0)}, hands={1: "Dynamite, Ho"})
    match.play("dynamite ne")
    assert see.height(match, 1, 1) == 0


def test_Q16_nobody_can_swap_with_an_empty_seat(lay):
    match = lay(hands={1: "Swap"})
    with pytest.raises(IllegalMove, match="There's no player 3 in this game"):
        match.play("swap P3")


@pytest.mark.parametrize("spectator", [0, 1, None])
def test_Q35_the_whole_story_is_the_same_after_a_forced_and_a_chosen_stop(lay, spectator):
    """§7: the story from the play to the end of the turn is the same whether the last card was playable or not."""
    heard = []
    for last in ("Jump", "Ho"):
        match = lay(pieces={1: (1, 1)}, hands={1: f"Dynamite, {last}", 2: "Vert*6"}, deck="Diag*5", discard="Swap")
        sentences = {}  # by the moves noticed
        for move in ("dynamite self", "end_play", "end_turn"):
            if move in [str(possible) for possible in match.legal()]:
                match.play(move)
                sentences[match.view(spectator).ply] = [match.say(event) for event in match.view(spectator).events]
        heard.append(sentences if spectator != 0 else [sentence for told in sentences.values() for sentence in told])
    assert heard[0] == heard[1]
    if spectator == 0:  # only the player who stops learns it now; the others see it when the turn ends
        assert heard[0][1] == "Red is done playing cards. [R8]"
    else:
        assert len(heard[0]) == 2


def test_R11_the_refill_is_announced_before_its_cards_are_named(lay):
    match = lay(phase="discard", hands={1: "Ho*4", 2: "Vert*6"}, deck="Diag, Jump", discard="Swap", played="Rotate")
    match.play("end_turn")
    assert [match.say(event) for event in match.view(0).events] == [
        "Red draws 2 cards to refill their hand. [R11]",
        "You draw Diag. [R11]",
        "You draw Jump. [R11]",
        "Red's played card goes onto the discard pile; Rotate is on top. [R14]",
        "Blue's turn, with up to 3 cards to play. [R8]",
    ]


# ---- written by hand ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("refreshed", [False, True])
def test_Q48_whole_fields_can_be_written_with_or_without_refresh(game, see, refreshed):
    match = game.new(seed=5, players=2, options={"map": "test2"})
    s = match.state
    s.h, s.pos, s.art, s.holder = 0, [7, 24, 255, 255], 12, NONE
    s.hand = np.array([[1, 1, 0, 0, 0, 0, 0, 2], [0, 6, 0, 0, 0, 0, 0, 0], [0] * 8, [0] * 8])
    s.disc, s.disc_n, s.deck_n = NONE, 0, 0
    s.phase, s.used, s.limit = 1, 2, 3
    if refreshed:
        match.refresh()
    assert [str(move) for move in match.legal()] == ["end_play", "ho E", "ho W", "vert N", "vert S", "rotate"]
    match.play("vert S")
    assert see.holder(match) == 1
    assert see.plays(match) == (3, 6)
    assert s.hand_n[0] == 3
    assert match.view(1).state.hand_n[0] == 3


def test_Q35_a_laid_table_without_any_card_runs_to_the_cap(lay):
    match = lay(max_rounds=3, phase="discard", hands={1: "Ho"})
    match.state.deck, match.state.deck_n = NONE, 0
    match.play("discard Ho")  # the next player has to draw it
    assert not match.over
    match.state.hand = 0
    match.play("end_play")
    assert match.over
    assert match.payoff == (0.0, 0.0)
    assert match.state.turn == 6


def test_R16_every_card_has_the_name_of_the_sheet():
    assert CARDS == ("Ho", "Vert", "Jump", "Diag", "Swap", "Drop Block", "Dynamite", "Rotate")
