"""Every scenario printed in the rule sheet, under its number."""

import pytest

from rulestone.match import IllegalMove


def new_game_with_starters(regatta, numbers, **options):
    """The first new game in which the seats are dealt the Starters with these numbers."""
    for seed in range(2000):
        match = regatta.game.new(seed=seed, players=len(numbers), options=options)
        if [match.state.slots[seat, 0] // 2 + 1 for seat in range(len(numbers))] == list(numbers):
            return match
    raise AssertionError("no such deal")


def test_S1_R5_R7_R8_R9_R10_placing_order_with_four_players(regatta):
    match = new_game_with_starters(regatta, [4, 1, 3, 2], roll_mode="sequential")
    s = match.state
    assert match.to_move == 1
    match.play("ship A")
    assert match.to_move == 3
    match.play("ship D")
    assert match.to_move == 2
    match.play("ship B")
    assert regatta.at(match, 0) == f"s{s.start_slot}.C1"
    assert (s.fleece, s.round, match.to_move) == (0, 1, 0)
    assert s.nav[0] in (1, 2, 3)
    assert list(s.nav[1:]) == [0, 0, 0]
    assert list(s.fish) == [2, 2, 2, 2]
    assert list(s.laps) == [0, 0, 0, 0]
    assert (s.hand == 255).all()
    assert s.deck_n == 32


def test_S3_R14_R16_R17_R21_R58_ollie_holds_with_seven(regatta):
    match = regatta.base_r(fish=0, wanted=(3, 4))
    assert regatta.legal(match) == ["hold", "roll2"]
    regatta.roll(match, "hold", 2, seat=1)
    assert regatta.total(match, 0) == 7
    assert [match.state.nav[0], match.state.d1[0], match.state.d2[0]] == [3, 4, 0]
    assert match.to_move == 1
    assert match.state.nav[1] == 2


def test_S5_R19_R21_Q6_bust_removes_both_movement_dice(regatta):
    match = regatta.base_r(fish=0, wanted=(2, 5))
    regatta.roll(match, "roll2", 2, 0, 0)
    assert [match.state.nav[0], match.state.d1[0], match.state.d2[0]] == [2, 0, 0]
    assert match.state.bust[0] == 1
    assert regatta.total(match, 0) == 2


def test_S7_R20_a_good_second_die_may_be_rerolled_and_is_lost(regatta):
    match = regatta.base_r(fish=1, wanted=(2,))
    regatta.roll(match, "nav_keep", 2, 3)
    regatta.roll(match, "roll2", 2, 3, 5)
    assert regatta.legal(match) == ["accept2", "reroll2"]
    events = regatta.roll(match, "reroll2", 2, 0, 0)
    assert [event.name for event in events][:3] == ["pays_reroll", "second", "bust"]
    assert match.state.bust[0] == 1
    assert match.state.fish[0] == 0
    assert match.to_move == 1


def test_S9_R16_Q7_apollo_never_rerolls_the_first_die(regatta):
    match = regatta.base_r(fish=0, slots=["Apollo"], wanted=(3,))
    assert regatta.legal(match) == ["nav_keep", "use 0"]
    other = match.copy()
    regatta.roll(match, "nav_keep", 3, 1)
    assert regatta.legal(match) == ["hold", "roll2"]
    regatta.roll(other, "use 0", 1)
    assert regatta.discarded(other, "Apollo")
    assert regatta.legal(other) == ["hold", "roll2"]


def test_S11_R19_Q31_tyche_saves_the_first_die(regatta):
    match = regatta.base_r(fish=0, slots=["Tyche"], wanted=(2, 5))
    good = match.copy()
    regatta.roll(match, "roll2", 2, 5, 1)
    assert regatta.legal(match) == ["accept2", "use 0"]
    match.play("use 0")
    assert [match.state.nav[0], match.state.d1[0], match.state.d2[0], match.state.bust[0]] == [2, 5, 0, 0]
    assert regatta.total(match, 0) == 7
    assert match.to_move == 1
    regatta.roll(good, "roll2", 2, 5, 6)  # a success is accepted without a question
    assert good.to_move == 1
    assert regatta.slots(good, 0) == ["Tyche", None]


def test_S13_R20_Q31_demeter_in_the_dice_phase(regatta):
    match = regatta.base_r(fish=0, slots=["Demeter"], wanted=(1,))
    regatta.roll(match, "nav_keep", 1, 3)
    regatta.roll(match, "roll2", 1, 3, 2)
    match.play("use 0")
    assert match.state.fish[0] == 2
    regatta.roll(match, "reroll2", 1, 3, 4)
    assert match.state.fish[0] == 1
    assert regatta.legal(match) == ["accept2", "reroll2"]
    match.play("accept2")
    assert [match.state.nav[0], match.state.d1[0], match.state.d2[0]] == [1, 3, 4]


def test_S15_R52_Q32_hydra_without_fish_ends_the_movement(regatta):
    match = regatta.base_m("s1.A2", (3, 6, 6), slots=["Ares"])
    assert regatta.at(match, 0) == "s2.A1"
    assert regatta.discarded(match, "Ares")
    assert [event.args for event in match.events if event.name == "battles"] == [(0, 14)]
    assert match.state.moved == 1


def test_S17_R51_R52_R53_one_dot_too_far(regatta):
    match = regatta.base_m("s1.D4", (1, 4, 0), fish=1, on={2: "W14"})
    assert (regatta.at(match, 0), match.state.fish[0], match.state.move) == ("s2.D2", 0, 3)
    assert regatta.legal(match) == ["step 0", "step 1"]
    poor = regatta.base_m("s1.D4", (1, 4, 0), fish=0, on={2: "W14"})
    assert regatta.at(poor, 0) == "s2.D2"
    assert poor.state.round == 6


def test_S19_R21_R53_exactly_equal_is_protected(regatta):
    match = regatta.base_m("s1.A2", (2, 0, 0), fish=1)
    assert regatta.at(match, 0) == "s2.A1"
    assert regatta.legal(match) == ["step 0", "step 1"]
    match.play("step 1")
    assert regatta.at(match, 0) == "s2.B2"
    assert match.state.fish[0] == 1


def test_S21_R33_Q17_chain_of_two_ships_with_the_last_point(regatta):
    match = regatta.base_m("s0.D1", (1, 0, 0), players=3, other="s1.D1", third="s1.D2")
    assert regatta.legal(match) == ["step 0", "step 1"]
    assert match.state.moved == 0
    match.play("step 1")
    assert regatta.at(match, 0) == "s1.D3"


def test_S23_R34_Q18_skipping_a_ship_on_charybdis_opens_every_path(regatta):
    match = regatta.base_m("s2.A2", (1, 0, 0), other="s3.B1")
    assert regatta.legal(match) == ["step 0", "step 1", "step 2"]
    match.play("step 2")
    assert regatta.at(match, 0) == "s3.A1"
    strict = regatta.base_m("s2.A2", (1, 0, 0), other="s3.B1", options={"skip_whirlpool": "restricted"})
    assert regatta.at(strict, 0) == "s3.C2"
    assert strict.state.round == 6


def test_S25_R32_R45_Q22_boost_when_passing_and_when_landing(regatta):
    match = regatta.base_m("s6.D4", (1, 1, 0))
    assert (regatta.at(match, 0), match.state.move) == ("s7.D2", 3)
    assert regatta.legal(match) == ["step 0", "step 1"]
    match.play("step 1")
    assert (regatta.at(match, 0), match.state.fish[0], match.state.moved) == ("s8.C1", 1, 5)


def test_S27_R37_R43_Q38_at_most_two_favors_a_turn(regatta):
    match = regatta.base_m("s0.C1", (3, 2, 6), on={1: "W25"}, deck=["Demeter2", "Apollo2", "Hephaestus2"])
    match.play("step 1")
    assert (regatta.at(match, 0), match.state.move, match.state.drawn) == ("s2.D3", 4, 2)
    assert regatta.legal(match) == ["step 0", "step 1"]
    while match.state.round == 5:
        match.play("step 1")
    assert regatta.slots(match, 0) == ["Demeter2", "Apollo2"]
    assert match.state.deck[36 - match.state.deck_n] == regatta.card("Hephaestus2")


def test_S29_R46_Q13_empty_wedge_stack(regatta):
    match = regatta.base_m("s11.A3", (1, 0, 0), stack=0)
    assert regatta.at(match, 0) == "s0.A1"
    assert (match.state.laps[0], match.state.fish[0], match.state.hand[0, 0]) == (1, 1, 255)
    assert [event.name for event in match.events].count("draws") == 1


def test_S31_R47_Q28_charybdis_choice_by_a_movement_die(regatta):
    match = regatta.base_m("s2.A2", (1, 3, 0))
    assert regatta.at(match, 0) == "s3.B1"
    assert regatta.legal(match) == ["step 0", "step 2"]
    match.play("step 2")
    assert (regatta.at(match, 0), match.state.move) == ("s3.A1", 2)
    assert regatta.legal(match) == ["step 0", "step 1"]


def test_S33_R48_Q29_landing_on_charybdis_lets_the_next_dice_decide(regatta):
    match = regatta.base_m("s3.B1", (3, 6, 0))
    assert (regatta.at(match, 0), match.state.moved) == ("s3.A1", 1)
    several = regatta.base_m("s3.B1", (3, 2, 0))
    assert regatta.at(several, 0) == "s3.B1"
    assert regatta.legal(several) == ["step 1", "step 2"]


def test_S35_R49_R52_fish_spent_on_scylla_are_missing_for_the_hydra(regatta):
    match = regatta.base_m("s5.C3", (1, 4, 0), fish=2)
    assert regatta.at(match, 0) == "s6.C1"
    assert regatta.legal(match) == ["step 0", "step 1", "step 2"]
    match.play("step 2")
    assert (regatta.at(match, 0), match.state.fish[0]) == ("s6.B2", 0)
    events = match.play("step 0")
    assert (regatta.at(match, 0), match.state.fish[0]) == ("s6.A2", 0)
    assert [event.args for event in events if event.name == "battles"] == [(0, 2)]


def test_S37_R35_R47_R49_Q31_janus_at_a_whirlpool(regatta):
    match = regatta.base_m("s2.A2", (2, 5, 6), slots=["Janus"])
    assert regatta.at(match, 0) == "s3.B1"
    assert regatta.legal(match) == ["use 0", "step 1"]
    match.play("use 0")
    assert regatta.legal(match) == ["step 0", "step 1", "step 2"]
    match.play("step 2")
    assert regatta.at(match, 0) == "s3.A1"
    scylla = regatta.base_m("s5.C3", (1, 4, 0), fish=1, slots=["Janus"])
    assert regatta.legal(scylla) == ["use 0", "step 0", "step 1"]
    scylla.play("use 0")
    scylla.play("step 2")
    assert (regatta.at(scylla, 0), scylla.state.fish[0]) == ("s6.B2", 1)


def test_S39_R35_R51_R52_Q31_artemis_at_a_hydra(regatta):
    match = regatta.base_m("s1.D4", (1, 4, 0), on={2: "W14"}, slots=["Artemis"])
    assert regatta.at(match, 0) == "s2.D2"
    assert regatta.legal(match) == ["use 0", "battle"]
    match.play("use 0")
    assert match.state.move == 3
    assert regatta.legal(match) == ["step 0", "step 1"]
    assert regatta.discarded(match, "Artemis")
    rich = regatta.base_m("s1.D4", (1, 4, 0), on={2: "W14"}, slots=["Artemis"], fish=1)
    assert regatta.legal(rich) == ["use 0", "feed"]


def test_S41_R35_Q31_hephaestus_after_the_last_dot(regatta):
    match = regatta.base_m("s0.D1", (2, 0, 0), slots=["Hephaestus"])
    assert (regatta.at(match, 0), match.state.move) == ("s1.D2", 0)
    assert regatta.legal(match) == ["use 0", "end_move"]
    match.play("use 0")
    assert match.state.move == 3
    assert regatta.legal(match) == ["step 0", "step 1"]
    events = match.play("step 1")
    assert (regatta.at(match, 0), match.state.fish[0]) == ("s2.D1", 1)
    assert [event.name for event in events].count("draws") == 1


@pytest.mark.parametrize("slots", [["Amphitrite"], ["Amphitrite", "Hephaestus"]])
def test_S43_R30_Q31_amphitrite_drops_anchor(regatta, slots):
    match = regatta.base_m("s0.D1", (3, 6, 0), slots=slots)
    assert (regatta.at(match, 0), match.state.moved) == ("s1.D1", 1)
    assert "step 0" in regatta.legal(match)
    assert "use 0" in regatta.legal(match)
    match.play("use 0")
    assert regatta.at(match, 0) == "s1.D1"
    assert match.state.round == 6


def test_S43_Q31_amphitrite_cannot_be_used_before_the_first_dot(regatta):
    match = regatta.base_m("s1.A1", (3, 6, 0), slots=["Amphitrite"])
    assert regatta.legal(match) == ["step 0", "step 1"]
    with pytest.raises(IllegalMove, match="can't use Amphitrite now"):
        match.play("use 0")


def test_S45_R53_Q32_ares_removes_the_protection_even_with_the_fleece(regatta):
    match = start_with_fleece(regatta, "s1.A2", (3, 0, 0), fish=2, slots=["Ares"])
    assert (regatta.at(match, 0), match.state.fish[0], match.state.move) == ("s2.A1", 1, 5)
    match.play("step 1")
    assert (regatta.at(match, 0), match.state.fish[0], match.state.move) == ("s3.A1", 0, 2)
    assert regatta.legal(match) == ["step 0", "step 1"]


def start_with_fleece(regatta, at, dice, **more):
    """Seat 0 holds the Fleece and moves first: the other's last dice decision begins its turn."""
    match = regatta.lay(
        2, [at, "s9.D4"], fleece=0, dice={0: dice, 1: (1, 1, 0)}, fish={0: more.pop("fish", 0)}, slots={0: more.pop("slots", ())}, **more
    )
    s = match.state
    s.phase, s.to_move, s.turn, s.flags = regatta.rules.FIRST, 1, 1, 0
    match.play("hold")
    return match


def test_S47_R34_R46_Q20_skipping_a_ship_on_the_line_still_counts(regatta):
    match = regatta.base_m("s11.B3", (1, 0, 0), other="s0.B1", deck=["Demeter2"])
    assert (match.state.laps[0], match.state.fish[0]) == (1, 1)
    assert match.state.hand[0, 0] == regatta.wedge("W13")
    assert regatta.slots(match, 0) == ["Demeter2", None]
    assert regatta.at(match, 0) == "s1.B1"


def finish(regatta, ships, laps, players=2, **options):
    """End the last turn of a last round with these Ships and laps."""
    match = regatta.lay(players, ships, fleece=0, laps=dict(enumerate(laps)), options=options)
    s = match.state
    s.phase, s.to_move, s.turn = regatta.rules.ENDWIN, players - 1, players - 1
    s.flags = s.move = s.face_n = 0
    match.play("end_move")
    return match


def test_S49_R57_Q39_on_the_same_wedge_the_inner_ship_is_ahead(regatta):
    match = finish(regatta, ["s1.D4", "s1.A1"], [2, 2])
    assert list(match.state.rank[:2]) == [1, 0]
    assert match.payoff == (-1, 1)
    by_angle = finish(regatta, ["s1.D4", "s1.A1"], [2, 2], rank_in_wedge="angle")
    assert list(by_angle.state.rank[:2]) == [0, 1]
    assert by_angle.payoff == (1, -1)


def test_S51_R55_Q40_laps_count_before_slots(regatta):
    match = finish(regatta, ["s0.D1", "s11.A3"], [1, 0])
    assert match.state.fleece == 1
    assert match.state.round == 6


def test_S53_R23_R27_R28_Q11_two_wedges_one_on_the_other(regatta):
    match = regatta.base_m("s1.A2", (1, 0, 0), fish=1, hand=["W13", "W27"])
    assert len(match.legal()) == 18
    match.play("wedge 1 2")
    assert match.state.top[2] == regatta.wedge("W27")
    assert len(match.legal()) == 9
    assert all(move[1] == 0 for move in match.legal())
    match.play("wedge 0 2")
    assert (match.state.top[2], match.state.height[2]) == (regatta.wedge("W13"), 3)
    assert (regatta.at(match, 0), match.state.fish[0]) == ("s2.A1", 1)


def test_S55_R37_R39_boat_with_full_slots(regatta):
    match = regatta.base_m("s1.D4", (1, 0, 0), slots=["Apollo", "Tyche"], deck=["Athena"])
    assert regatta.legal(match) == ["replace 0", "replace 1", "discard_new"]
    match.play("replace 1")
    assert regatta.slots(match, 0) == ["Apollo", "Athena"]
    assert regatta.discarded(match, "Tyche")


def test_S57_R40_Q33_trident_with_two_players_goes_to_the_other_without_a_question(regatta):
    match = regatta.base_m("s1.D4", (1, 0, 0), deck=["Eris"], others_slots=[])
    assert ("cursed", (0, regatta.card("Eris"), 1)) in [(event.name, event.args) for event in match.events]
    # Seat 1 is ahead, so seat 0 rolls first in the next round and Eris still lies there.
    assert match.state.fleece == 0
    assert regatta.slots(match, 1) == ["Eris", None]


def test_S59_R38_Q35_poseidon_moves_the_ship_on(regatta):
    match = regatta.base_m("s1.D4", (1, 0, 0), deck=["Poseidon"])
    assert regatta.at(match, 0) == "s2.D3"
    assert match.state.round == 6
    assert match.state.wake[0] == match.state.pos[0]


def test_S61_R25_R26_R38_Q35_gaia_places_a_wedge_at_once(regatta):
    match = regatta.base_m("s1.D4", (1, 0, 0), deck=["Gaia"])
    assert regatta.legal(match) == [f"wedge 0 {slot}" for slot in (1, 3, 4, 5, 6, 7, 8, 10, 11)]
    match.play("wedge 0 3")
    assert match.state.top[3] == regatta.wedge("W13")
    empty = regatta.base_m("s1.D4", (1, 0, 0), deck=["Gaia"], stack=0)
    assert empty.state.round == 6
    assert regatta.discarded(empty, "Gaia")


def test_S63_R41_Q36_deck_runs_out_between_two_draws(regatta):
    match = regatta.base_m("s0.C1", (1, 3, 0), on={1: "W25"}, deck=["Tyche"], discard="rest")
    for rng in range(40):
        trial = match.copy()
        events = trial.play("step 1", rng=rng)
        assert trial.state.deck_n == 34
        revealed = [event for event in events if event.name in ("boat", "bolt", "trident")]
        assert (revealed[0].name, revealed[0].args[1]) == ("boat", regatta.card("Tyche"))
        assert trial.state.slots[0, 0] == regatta.card("Tyche") or trial.state.phase == regatta.rules.ROOM


def test_S65_R23_R36_R37_R58_perrys_turn(regatta):
    match = regatta.base_m("s1.D2", (1, 2, 0), other="s5.D1", hand=["W13"], deck=["Athena"])
    match.play("wedge 0 7")
    assert match.state.wake[0] == match.state.pos[0]
    events = match.play("step 1")
    sailed = [event.args[1] for event in events if event.name == "sails"]
    assert [regatta.content.DOT_NAMES[dot][-2:] for dot in sailed] == ["D3", "D4", "D1"]
    assert (regatta.at(match, 0), match.state.fish[0]) == ("s2.D1", 1)
    assert regatta.slots(match, 0) == ["Athena", None]
    assert match.state.top[7] == regatta.wedge("W13")


def test_S67_R56_Q41_the_last_player_of_a_round_finishes_and_nobody_moves_any_more(regatta):
    match = regatta.base_m("s11.A3", (2, 0, 0), laps=[1, 1], deck=["Demeter2"])
    assert (regatta.at(match, 0), match.state.laps[0]) == ("s1.A1", 2)
    assert match.over
    assert list(match.state.rank[:2]) == [0, 1]
    assert match.payoff == (1, -1)


def test_S69_R52_Q15_the_dot_you_start_from_is_not_encountered_again(regatta):
    fishing = regatta.base_m("s1.A1", (1, 0, 0))
    fishing.play("step 0")
    assert (regatta.at(fishing, 0), fishing.state.fish[0]) == ("s1.A2", 0)
    battled = regatta.base_m("s2.A1", (1, 0, 0))
    assert regatta.legal(battled) == ["step 0", "step 1"]
    battled.play("step 0")
    assert regatta.at(battled, 0) == "s2.A2"


def test_S71_R31_R33_Q18_a_fork_reached_by_skipping_can_be_the_occupied_dot(regatta):
    match = regatta.base_m("s1.B3", (2, 0, 0), other="s2.B1")
    assert regatta.legal(match) == ["step 0", "step 1"]
    assert (match.state.move, match.state.moved) == (2, 0)
    match.play("step 0")
    assert (regatta.at(match, 0), match.state.fish[0]) == ("s2.B3", 0)


def test_S73_R39_Q34_replacing_a_curse(regatta):
    match = regatta.base_m("s1.D4", (1, 0, 0), slots=["Eris", "Tyche"], deck=["Athena"])
    assert regatta.legal(match) == ["replace 0", "replace 1", "discard_new"]
    match.play("replace 0")
    assert regatta.slots(match, 0) == ["Athena", "Tyche"]
    assert regatta.discarded(match, "Eris")


def test_S75_R5_Q48_difficult_game(regatta):
    match = regatta.game.new(seed=1, players=4, options={"start_fish": 1})
    assert list(match.state.fish) == [1, 1, 1, 1]


def test_S77_R31_Q16_a_crossing_of_lines_is_no_intersection(regatta):
    match = regatta.base_m("s2.A2", (1, 0, 0), on={3: "W24"})
    assert (regatta.at(match, 0), match.state.fish[0]) == ("s3.B1", 1)
    other = regatta.base_m("s2.B3", (1, 0, 0), on={3: "W24"})
    assert (regatta.at(other, 0), other.state.fish[0]) == ("s3.A1", 0)


def test_S79_R57_Q42_Q43_result_of_a_four_player_race(regatta):
    ships, laps = ["s1.C1", "s1.C3", "s11.A3", "s0.A1"], [2, 2, 1, 2]
    match = finish(regatta, ships, laps, players=4)
    assert list(match.state.rank) == [1, 0, 3, 2]
    assert match.payoff == (-1, 1, -1, -1)
    by_rank = finish(regatta, ships, laps, players=4, returns="rank")
    assert by_rank.payoff == pytest.approx((1 / 3, 1, -1, -1 / 3))


def test_S81_R26_Q9_most_crowded_board(regatta):
    match = regatta.lay(4, ["s1.A1", "s2.B1", "s3.C1", "s4.D1"], fleece=0, hand={0: ["W13"]})
    s = match.state
    s.phase, s.to_move, s.turn = regatta.rules.WEDGE, 0, 0
    assert regatta.legal(match) == [f"wedge 0 {slot}" for slot in range(5, 12)]
