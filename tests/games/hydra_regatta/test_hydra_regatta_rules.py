"""Rules and rulings that the printed scenarios leave open, one by one."""

import random
import re
from collections import Counter

import pytest

import rulestone
from rulestone.match import IllegalMove


def names(events):
    return [event.name for event in events]


def rounds_played(match):
    return match.state.round


def new(regatta, players=4, seed=1, **options):
    return regatta.game.new(seed=seed, players=players, options=options)


def place_all(match):
    """Place every Ship on its first free lane."""
    while match.state.phase == 0:
        match.play(match.legal()[0])
    return match


def finish(regatta, ships, laps, players=2, **options):
    match = regatta.lay(players, ships, fleece=0, laps=dict(enumerate(laps)), options=options)
    s = match.state
    s.phase, s.to_move, s.turn = regatta.rules.ENDWIN, players - 1, players - 1
    s.flags = s.move = s.face_n = 0
    match.play("end_move")
    return match


# ---- setup ----------------------------------------------------------------------------------------------------------------


def test_R1_two_to_four_players(regatta):
    assert (regatta.game.min_players, regatta.game.max_players) == (2, 4)
    with pytest.raises(ValueError, match="2 to 4 players"):
        regatta.game.new(players=5)


def test_the_action_numbers_are_those_of_the_sheet(regatta):
    """The 54 actions of section 6.2, and one that only `protected_battle` needs."""
    actions = regatta.game.actions
    numbers = {"ship A": 0, "ship D": 3, "nav_keep": 4, "nav_reroll": 5, "hold": 6, "roll2": 7, "accept2": 8, "reroll2": 9, "use 0": 10}
    numbers |= {"value 1": 12, "value 3": 14, "wedge 0 0": 15, "wedge 0 11": 26, "wedge 1 0": 27, "wedge 1 11": 38, "step 0": 39}
    numbers |= {"end_move": 42, "feed": 43, "battle": 44, "target 0": 45, "target 3": 48, "replace 0": 49, "discard_new": 51}
    numbers |= {"discard_own 0": 52, "discard_own 1": 53, "ignore": 54}
    assert {text: actions.parse(text) for text in numbers} == numbers
    assert len(actions) == 55


def test_R2_Q4_quarters_of_one_symbol_stay_together(regatta):
    for seed in range(30):
        s = new(regatta, seed=seed).state
        ring = [int(wedge) for wedge in s.top]
        ring[s.start_slot] = s.under
        quarters = [[regatta.content.COURSE[wedge].symbol for wedge in ring[first : first + 3]] for first in (0, 3, 6, 9)]
        assert sorted(quarter[0] for quarter in quarters) == [1, 2, 3, 4]
        assert all(len(set(quarter)) == 1 for quarter in quarters)


def test_R2_Q4_every_order_of_quarters_and_of_wedges_comes_up_equally_often(regatta):
    orders, inner, starts = Counter(), Counter(), Counter()
    for seed in range(2400):
        s = new(regatta, seed=seed).state
        ring = [int(wedge) for wedge in s.top]
        ring[s.start_slot] = s.under
        orders[tuple(ring[first] // 3 for first in (0, 3, 6, 9))] += 1
        inner[tuple(wedge % 3 for wedge in ring[:3])] += 1
        starts[s.start_slot] += 1
    for counts, cells, limit in ((orders, 24, 49.7), (inner, 6, 20.5), (starts, 12, 31.3)):  # χ² at 0.1 %
        expected = 2400 / cells
        assert len(counts) == cells
        assert sum((count - expected) ** 2 / expected for count in counts.values()) < limit


def test_R3_Q3_the_starting_line_lies_on_one_of_the_twelve(regatta):
    s = new(regatta).state
    assert s.top[s.start_slot] == 28
    assert list(s.height) == [2 if slot == s.start_slot else 1 for slot in range(12)]
    assert s.under < 12
    assert s.under not in s.top
    assert new(regatta).view(None).state.under == s.under


def test_R4_the_other_sixteen_wedges_are_shuffled(regatta):
    orders = set()
    for seed in range(5):
        s = new(regatta, seed=seed).state
        assert sorted(s.stack) == list(range(12, 28))
        assert s.stack_n == 16
        orders.add(tuple(s.stack))
    assert len(orders) == 5


def test_R6_ships_wait_beside_the_line_and_lap_markers_stand_on_start(regatta):
    s = new(regatta).state
    assert list(s.pos) == [255] * 4
    assert list(s.wake) == [255] * 4
    assert list(s.laps) == [0] * 4
    assert s.round == 0


@pytest.mark.parametrize("players", [2, 3, 4])
def test_R7_each_player_gets_a_starter_and_the_rest_are_in_the_deck(regatta, players):
    s = new(regatta, players).state
    dealt = [int(s.slots[seat, 0]) for seat in range(players)]
    assert set(dealt) <= {0, 2, 4, 6}
    assert s.deck_n == 36 - players
    assert sorted([*dealt, *s.deck[players:]]) == list(range(36))
    assert (s.slots[:, 1] == 255).all()


def test_R8_each_start_dot_is_taken_once_in_order_of_the_starters(regatta):
    match = new(regatta, 3, seed=4)
    s = match.state
    numbers = [int(s.slots[seat, 0]) // 2 + 1 for seat in range(3)]
    assert [int(seat) for seat in s.order0[:3]] == sorted(range(3), key=lambda seat: numbers[seat])
    match.play("ship C")
    assert regatta.legal(match) == ["ship A", "ship B", "ship D"]
    with pytest.raises(IllegalMove, match="already a Ship on that start dot"):
        match.play("ship C")


def test_R8_with_two_or_three_players_the_last_is_asked_too(regatta):
    match = new(regatta, 3)
    match.play("ship A")
    match.play("ship B")
    assert match.state.phase == regatta.rules.SETUP
    assert regatta.legal(match) == ["ship C", "ship D"]


def test_R10_the_last_player_to_place_gets_the_fleece_and_rolls_first(regatta):
    match = place_all(new(regatta, 4, seed=9, roll_mode="sequential"))
    assert match.state.fleece == match.state.order0[3] == match.to_move


def test_R11_Q8_the_fleece_doubles_navigation_for_movement_and_protection(regatta):
    match = regatta.lay(2, ["s1.A1", "s9.D4"], fleece=0, dice={0: (3, 4, 5), 1: (1, 1, 0)})
    s = match.state
    s.phase, s.to_move, s.turn, s.flags = regatta.rules.FIRST, 1, 1, 0
    match.play("hold")
    assert (s.move, s.prot, s.nav[0]) == (15, 6, 3)


def test_R11_Q8_doubling_holds_after_a_bust(regatta):
    match = regatta.lay(2, ["s1.A1", "s9.D4"], fleece=0, dice={0: (2, 0, 0), 1: (1, 1, 0)})
    s = match.state
    s.phase, s.to_move, s.turn, s.flags = regatta.rules.FIRST, 1, 1, 0
    match.play("hold")
    assert (s.move, s.prot) == (4, 4)


def test_Q1_four_start_dots_one_for_each_lane(regatta):
    assert regatta.legal(new(regatta, 2)) == ["ship A", "ship B", "ship C", "ship D"]
    match = place_all(new(regatta, 2))
    assert sorted(int(place) % 16 for place in match.state.pos[:2]) == [0, 1]


def test_Q2_Q51_an_exit_leads_into_the_wedge_that_now_lies_on_the_next_slot(regatta):
    plain = regatta.base_m("s1.A2", (1, 0, 0), fish=1)
    assert regatta.at(plain, 0) == "s2.A1"
    joined = regatta.base_m("s1.A2", (1, 0, 0), fish=1, on={2: "W20"})  # seam a of W20 leads to B1
    assert regatta.at(joined, 0) == "s2.B1"


def test_Q45_the_fleece_stays_with_its_holder_who_is_last_again(regatta):
    match = finish(regatta, ["s1.A1", "s5.A1"], [0, 0])
    assert match.state.fleece == 0
    assert "keeps_fleece" in names(match.events)


def test_Q46_all_boards_full_of_fish_need_twelve_of_sixteen(regatta):
    match = regatta.lay(4, ["s1.A1", "s2.A1", "s3.A1", "s4.A1"], fleece=0, fish={0: 3, 1: 3, 2: 3, 3: 3})
    s = match.state
    s.phase, s.to_move, s.turn = regatta.rules.ENDWIN, 3, 3
    s.flags = s.move = s.face_n = 0
    match.check()
    assert sum(match.state.fish) == 12


def test_Q47_the_lost_symbols_are_four_sets_of_three(regatta):
    assert Counter(wedge.symbol for wedge in regatta.content.COURSE) == {0: 16, 1: 3, 2: 3, 3: 3, 4: 3, -1: 1}


def test_Q49_the_starters_decide_who_places_first_not_the_seat(regatta):
    firsts = Counter(new(regatta, 4, seed=seed).to_move for seed in range(400))
    assert len(firsts) == 4
    assert min(firsts.values()) > 70


def test_Q50_a_two_player_game_has_no_dummy_ships(regatta):
    match = place_all(new(regatta, 2))
    assert list(match.state.pos[2:]) == [255, 255]
    assert match.state.deck_n == 34


# ---- rounds and dice ---------------------------------------------------------------------------------------------------------


def test_R12_all_roll_from_the_fleece_clockwise_then_all_move_in_the_same_order(regatta):
    match = place_all(new(regatta, 3, seed=3, roll_mode="sequential"))
    order = [(match.state.fleece + k) % 3 for k in range(3)]
    rolled, sailed = [], []
    while match.state.round == 1:
        roller = match.to_move
        if match.state.phase <= regatta.rules.VALUE:
            rolled += [roller] if roller not in rolled else []
        move = next(m for m in regatta.legal(match) if not m.startswith("use"))
        sailed += [event.args[0] for event in match.play(move) if event.name == "voyage"]
    assert rolled == order
    assert sailed == order


def test_R13_R22_dice_are_cleared_and_nobody_moves_while_rolling(regatta):
    match = regatta.base_m("s1.D4", (2, 0, 0), fish=0)
    assert match.state.round == 6
    assert match.to_move == match.state.fleece == 0
    assert list(match.state.d2[:2]) == [0, 0]
    assert match.state.nav[1] == 0
    before = list(match.state.pos)
    while match.state.phase <= regatta.rules.FIRST and match.to_move == 0:
        match.play("hold" if "hold" in regatta.legal(match) else "nav_keep")
    assert list(match.state.pos) == before


def test_R13_the_fleece_goes_to_the_player_in_last_place(regatta):
    match = finish(regatta, ["s5.A1", "s1.A1"], [0, 0])
    assert match.state.fleece == 1
    assert match.to_move == 1


def test_R15_navigation_may_be_rerolled_while_fish_last(regatta):
    match = regatta.base_r(fish=2, wanted=(1,))
    assert regatta.legal(match) == ["nav_keep", "nav_reroll"]
    regatta.roll(match, "nav_reroll", 2)
    assert match.state.fish[0] == 1
    assert regatta.legal(match) == ["nav_keep", "nav_reroll"]
    regatta.roll(match, "nav_reroll", 3)  # no fish left: the first Movement die is rolled at once
    assert match.state.fish[0] == 0
    assert regatta.legal(match) == ["hold", "roll2"]


def test_R15_R16_die_faces_are_one_to_three_and_one_to_six(regatta):
    navs, firsts = Counter(), Counter()
    match = regatta.base_r(fish=1, wanted=(1,))
    for rng in range(1800):
        trial = match.copy()
        trial.play("nav_reroll", rng=rng)
        navs[int(trial.state.nav[0])] += 1
        firsts[int(trial.state.d1[0])] += 1
    for counts, faces, limit in ((navs, 3, 13.8), (firsts, 6, 20.5)):  # χ² at 0.1 %
        assert sorted(counts) == list(range(1, faces + 1))
        assert sum((count - 1800 / faces) ** 2 / (1800 / faces) for count in counts.values()) < limit


def test_R16_fish_never_reroll_the_first_die(regatta):
    match = regatta.base_r(fish=3, wanted=(1,))
    match.play("nav_keep")
    assert regatta.legal(match) == ["hold", "roll2"]


def test_R18_a_second_die_equal_to_the_first_is_a_success(regatta):
    match = regatta.base_r(fish=0, wanted=(2, 4))
    regatta.roll(match, "roll2", 2, 4, 4)
    assert match.state.bust[0] == 0
    assert regatta.total(match, 0) == 10


def test_R20_R58_lucy_rerolls_a_bust_into_nine(regatta):
    match = regatta.base_r(fish=1, wanted=(1,))
    regatta.roll(match, "nav_keep", 1, 3)
    regatta.roll(match, "roll2", 1, 3, 2)
    assert regatta.legal(match) == ["accept2", "reroll2"]
    regatta.roll(match, "reroll2", 1, 3, 5)
    assert match.to_move == 1  # no fish left, accepted without a question
    assert regatta.total(match, 0) == 9


def test_Q6_a_bust_is_final_only_when_it_is_accepted(regatta):
    match = regatta.base_r(fish=1, wanted=(2,))
    regatta.roll(match, "nav_keep", 2, 6)
    regatta.roll(match, "roll2", 2, 6, 1)
    assert (match.state.bust[0], match.state.d1[0], match.state.d2[0]) == (0, 6, 1)
    match.play("accept2")
    assert (match.state.bust[0], match.state.d1[0], match.state.d2[0], match.state.fish[0]) == (1, 0, 0, 1)


def test_R54_fish_pay_for_rerolls_hydra_and_scylla_only_while_there_are_any(regatta):
    match = regatta.base_r(fish=0, slots=["Athena"], wanted=(1,))
    with pytest.raises(IllegalMove, match="costs a fish"):
        match.play("nav_reroll")
    scylla = regatta.base_m("s5.C3", (1, 4, 0), fish=1)
    with pytest.raises(IllegalMove, match="costs 2 fish"):
        scylla.play("step 2")
    scylla.play("step 1")
    assert scylla.state.fish[0] == 0


def test_Q31_athena_turns_the_navigation_die_and_navigation_is_asked_again(regatta):
    match = regatta.base_r(fish=1, slots=["Athena"], wanted=(1,))
    assert regatta.legal(match) == ["nav_keep", "nav_reroll", "use 0"]
    match.play("use 0")
    assert regatta.legal(match) == ["value 1", "value 2", "value 3"]
    match.play("value 3")
    assert (match.state.nav[0], match.state.phase) == (3, regatta.rules.NAV)
    assert regatta.legal(match) == ["nav_keep", "nav_reroll"]


def test_Q31_apollo_rerolls_navigation_and_the_second_die(regatta):
    match = regatta.base_r(fish=0, slots=["Apollo", "Apollo2"], wanted=(1,))
    assert regatta.legal(match) == ["nav_keep", "use 0"]  # of two equal cards only slot 0 is offered
    regatta.roll(match, "use 0", 3)
    assert regatta.legal(match) == ["nav_keep", "use 1"]
    regatta.roll(match, "nav_keep", 3, 5)
    regatta.roll(match, "roll2", 3, 5, 2)
    assert regatta.legal(match) == ["accept2", "use 1"]
    regatta.roll(match, "use 1", 3, 5, 6)
    assert match.to_move == 1


def test_Q31_demeter_is_not_offered_with_three_fish(regatta):
    match = regatta.base_r(fish=3, slots=["Demeter"], wanted=(1,))
    assert regatta.legal(match) == ["nav_keep", "nav_reroll"]
    with pytest.raises(IllegalMove, match="no room"):
        match.play("use 0")


def test_Q32_eris_forbids_the_second_die_and_hades_takes_a_fish(regatta):
    match = regatta.base_r(fish=2, slots=["Eris", "Hades"], wanted=(1,))
    assert match.state.fish[0] == 1
    assert regatta.slots(match, 0) == [None, None]
    assert regatta.discarded(match, "Eris")
    assert regatta.discarded(match, "Hades")
    match.play("nav_keep")
    assert match.to_move == 1  # nothing to decide at FIRST
    assert (match.state.d1[0] > 0, match.state.d2[0]) == (True, 0)


def test_Q7_Q32_under_eris_apollo_works_for_the_navigation_die_only(regatta):
    match = regatta.base_r(fish=0, slots=["Eris", "Apollo"], wanted=(1,))
    assert regatta.legal(match) == ["nav_keep", "use 1"]
    match.play("nav_keep")  # neither a second die nor another first one: nothing is asked
    assert match.to_move == 1
    assert regatta.slots(match, 0) == [None, "Apollo"]
    forbidden = regatta.base_r(fish=1, slots=["Eris"], wanted=(1,))
    with pytest.raises(IllegalMove, match="Decide about the Navigation die first"):
        forbidden.play("roll2")


def test_Q7_apollo_rerolls_the_second_die(regatta):
    match = regatta.base_r(fish=0, slots=["Apollo"], wanted=(3,))
    regatta.roll(match, "nav_keep", 3, 4)
    with pytest.raises(IllegalMove, match="can't use Apollo now"):
        match.play("use 0")
    regatta.roll(match, "roll2", 3, 4, 1)
    assert regatta.legal(match) == ["accept2", "use 0"]
    regatta.roll(match, "use 0", 3, 4, 6)
    assert regatta.discarded(match, "Apollo")


def test_Q32_hades_without_fish_is_still_discarded(regatta):
    match = regatta.base_r(fish=0, slots=["Hades"], wanted=(1,))
    assert match.state.fish[0] == 0
    assert regatta.discarded(match, "Hades")


# ---- wedges -------------------------------------------------------------------------------------------------------------------


def test_R24_Q10_a_wedge_covers_exactly_one_place(regatta):
    match = regatta.base_m("s1.A2", (1, 0, 0), fish=1, hand=["W13"])
    before = list(match.state.top)
    match.play("wedge 0 6")
    assert [slot for slot in range(12) if match.state.top[slot] != before[slot]] == [6]
    assert match.state.height[6] == 2


def test_R25_R26_Q11_places_where_a_wedge_cannot_go(regatta):
    match = regatta.base_m("s1.A2", (1, 0, 0), hand=["W13"])
    assert regatta.legal(match) == [f"wedge 0 {slot}" for slot in (2, 3, 4, 5, 6, 7, 8, 10, 11)]
    with pytest.raises(IllegalMove, match="Starting Line"):
        match.play("wedge 0 0")
    with pytest.raises(IllegalMove, match="can't cover a wedge with a Ship"):
        match.play("wedge 0 1")
    with pytest.raises(IllegalMove, match="only one wedge"):
        match.play("wedge 1 2")


@pytest.mark.parametrize(("players", "taken"), [(2, 2), (3, 1)])
def test_R28_R44_Q12_there_is_a_limit_of_wedges_in_a_turn(regatta, players, taken):
    # From W12's place: s10.D1 wedge, s1.B3 wedge are far apart; on W26 and W01 wedges follow each other on lane B.
    match = regatta.base_m("s0.B1", (2, 6, 0), players=players, on={1: "W26", 2: "W17"})
    while match.state.round == 5 and match.to_move == 0:
        match.play("step 1" if regatta.at(match, 0) in ("s1.B1", "s1.B2") else "step 0")
    assert sum(match.state.hand[0] != 255) == taken


def test_Q9_wedges_must_be_placed_before_the_ship_moves(regatta):
    match = regatta.base_m("s1.A2", (1, 0, 0), hand=["W13"])
    assert all(str(move).startswith("wedge") for move in match.legal())


def test_R28_Q12_gaia_has_no_effect_when_the_wedge_of_the_turn_has_been_drawn(regatta):
    match = regatta.base_m("s11.D4", (1, 0, 0), players=3, deck=["Gaia"])
    assert match.state.hand[0, 0] == regatta.wedge("W13")
    assert not {"gaia", "places"} & {event.name for event in match.events}
    assert regatta.discarded(match, "Gaia")


def test_R28_Q12_gaia_has_no_effect_when_the_wedge_of_the_turn_has_been_placed(regatta):
    match = regatta.base_m("s1.D4", (1, 0, 0), players=3, hand=["W20"], deck=["Gaia"])
    match.play("wedge 0 5")
    assert "gaia" not in [event.name for event in match.events]
    assert regatta.discarded(match, "Gaia")


def test_R28_Q12_with_two_players_gaia_gives_the_second_wedge_of_the_turn(regatta):
    match = regatta.base_m("s11.D4", (1, 0, 0), deck=["Gaia"])
    assert match.state.hand[0, 0] == regatta.wedge("W13")
    assert match.state.gaia == regatta.wedge("W14")
    assert match.state.wdrawn == 2
    match.play("wedge 0 5")
    assert match.state.top[5] == regatta.wedge("W14")
    assert match.state.hand[0, 0] == regatta.wedge("W13")


def test_R28_Q12_gaias_wedge_is_the_one_of_the_turn_for_poseidon_too(regatta):
    """D2 of Two Heads gives a wedge, but not to a player who has drawn one with Gaia."""
    match = regatta.base_m("s0.C1", (1, 2, 0), players=3, on={1: "W25", 2: "W16"}, deck=["Gaia", "Poseidon"])
    while match.state.phase != regatta.rules.GAIA:
        match.play(regatta.legal(match)[-1])
    assert match.state.wdrawn == 1
    match.play("wedge 0 5")
    assert match.state.wdrawn == 1
    assert match.state.hand[0, 0] == 255


def test_Q31_demeter_may_be_used_after_the_last_dot(regatta):
    match = regatta.base_m("s0.D1", (1, 0, 0), slots=["Demeter"])
    assert (match.state.phase, regatta.legal(match)) == (regatta.rules.ENDWIN, ["use 0", "end_move"])
    match.play("use 0")
    assert match.state.fish[0] == 2
    assert regatta.base_m("s0.D1", (1, 0, 0), fish=3, slots=["Demeter"]).state.round == 6  # R42: no room, nothing is asked


def test_Q26_Q31_demeter_is_not_offered_after_a_battle(regatta):
    match = regatta.base_m("s1.D4", (1, 1, 0), on={2: "W14"}, slots=["Demeter"])
    match.play("battle")
    assert match.state.round == 6
    assert regatta.slots(match, 0) == ["Demeter", None]


def test_Q24_with_the_option_a_hydra_may_be_battled_under_protection(regatta):
    options = {"protected_battle": "yes"}
    match = regatta.base_m("s1.A2", (2, 4, 0), fish=2, options=options)
    assert (match.state.phase, regatta.legal(match)) == (regatta.rules.HYDRA, ["battle", "ignore"])
    with pytest.raises(IllegalMove, match="You're protected"):
        match.play("feed")
    on = match.copy()
    on.play("ignore")
    assert (on.state.phase, on.state.fish[0], on.state.move) == (regatta.rules.MOVE, 2, 5)
    match.play("battle")
    assert (regatta.at(match, 0), match.state.fish[0], match.state.round) == ("s2.A1", 2, 6)
    assert "fights" in [event.name for event in match.events]
    assert regatta.base_m("s1.A2", (2, 4, 0), fish=2).state.phase == regatta.rules.MOVE  # without it nothing is asked


def test_Q24_Q25_without_protection_the_option_changes_nothing(regatta):
    match = regatta.base_m("s1.D4", (1, 4, 0), on={2: "W14"}, fish=1, slots=["Artemis"], options={"protected_battle": "yes"})
    assert regatta.legal(match) == ["use 0", "feed"]
    for move, why in (("ignore", "not protected"), ("battle", "must feed")):
        with pytest.raises(IllegalMove, match=why):
            match.play(move)


def test_Q33_Q34_tridents_that_stay_make_no_room(regatta):
    stay = {"tridents": "stay"}
    match = regatta.base_m("s1.D4", (1, 0, 0), slots=["Eris", "Tyche"], deck=["Athena"], options=stay)
    assert regatta.legal(match) == ["replace 1", "discard_new"]
    with pytest.raises(IllegalMove, match="can't discard Eris: it stays until it strikes"):
        match.play("replace 0")
    full = regatta.base_m("s1.D4", (1, 0, 0), slots=["Eris", "Hades"], deck=["Athena"], options=stay)
    assert regatta.discarded(full, "Athena")  # without a choice nobody is asked


def test_Q33_a_victim_with_one_trident_that_stays_gives_up_the_other_card(regatta):
    match = regatta.base_m("s1.D4", (1, 0, 0), others_slots=["Eris", "Tyche"], deck=["Hades"], options={"tridents": "stay"})
    assert regatta.discarded(match, "Tyche")
    assert [event.args for event in match.events if event.name == "cursed"] == [(0, regatta.card("Hades"), 1)]


def test_Q33_where_two_tridents_stay_there_is_no_room_for_a_third(regatta):
    options = {"tridents": "stay"}
    alone = regatta.base_m("s1.D4", (1, 0, 0), others_slots=["Eris", "Ares"], deck=["Hades"], options=options)
    assert regatta.discarded(alone, "Hades")
    assert "no_room" in [event.name for event in alone.events]
    three = regatta.base_m("s1.D4", (1, 0, 0), players=3, others_slots=["Eris", "Ares"], deck=["Hades"], options=options)
    assert [event.args for event in three.events if event.name == "cursed"] == [(0, regatta.card("Hades"), 2)]  # nobody is asked


def test_Q51_ships_on_neighbouring_wedges_keep_their_dot(regatta):
    match = regatta.base_m("s1.A2", (1, 0, 0), fish=1, hand=["W13"])
    before = int(match.state.pos[1])
    match.play("wedge 0 8")
    assert match.state.pos[1] == before
    assert regatta.at(match, 1) == "s9.D4"


# ---- moving -------------------------------------------------------------------------------------------------------------------


def test_R29_every_step_leads_clockwise(regatta):
    chooser, match = random.Random(5), place_all(new(regatta, 4, seed=5))
    angle = regatta.content.ANGLE
    steps, here = 0, {}
    while not match.over:
        for event in match.play(chooser.choice(match.legal())):
            if event.name == "sails":
                who, dot, slot = event.args[:3]
                place = (slot, int(angle[dot // 16, dot % 16]))
                if who in here:
                    slots_on = (slot - here[who][0]) % 12  # a skipped wedge or two lie between at most
                    assert slots_on <= 3
                    assert slots_on > 0 or place[1] > here[who][1]
                here[who] = place
                steps += 1
    assert steps > 100


def test_R30_the_whole_movement_is_used(regatta):
    match = regatta.base_m("s1.D1", (3, 2, 0), fish=0)
    match.play("step 1")
    assert match.state.moved == 5
    assert regatta.at(match, 0) == "s2.D2"


def test_R31_a_single_way_is_taken_without_asking(regatta):
    match = regatta.base_m("s1.D2", (1, 0, 0))
    assert regatta.legal(match) == ["step 0", "step 1"]
    match = regatta.base_m("s1.D3", (1, 0, 0))
    assert regatta.at(match, 0) == "s1.D4"


def test_R32_Q14_bonuses_count_in_passing_and_never_run_out(regatta):
    match = regatta.base_m("s1.D3", (2, 0, 0), fish=1)
    assert (regatta.at(match, 0), match.state.fish[0]) == ("s2.D1", 2)
    again = regatta.base_m("s1.D3", (1, 0, 0), fish=2)
    assert again.state.fish[0] == 3


def test_R34_bonuses_of_a_skipped_dot_have_no_effect(regatta):
    match = regatta.base_m("s1.D3", (1, 0, 0), other="s1.D4")
    assert (regatta.at(match, 0), match.state.fish[0]) == ("s2.D1", 0)


def test_R36_the_wake_stays_behind_until_the_movement_is_over(regatta):
    match = regatta.base_m("s1.D1", (3, 2, 0))
    assert match.state.wake[0] == regatta.dot(match, "s1.D1")
    match.play("step 1")
    assert match.state.wake[0] == match.state.pos[0] == regatta.dot(match, "s2.D2")


def test_Q17_a_skipped_dot_does_not_count_for_protection(regatta):
    match = regatta.base_m("s1.A2", (1, 0, 0), other="s2.A1", fish=0)
    match.play("step 1")  # s2.B2 is a Hydra, dot 1 of this movement
    assert regatta.at(match, 0) == "s2.B2"
    assert "protected" in names(match.events)


def test_Q19_after_feeding_a_hydra_you_must_sail_on(regatta):
    match = regatta.base_m("s1.D4", (1, 4, 0), fish=1, on={2: "W14"})
    assert regatta.legal(match) == ["step 0", "step 1"]
    match.play("step 1")
    assert regatta.at(match, 0) == "s3.D1"


def test_Q20_leaving_the_line_is_no_lap_and_landing_on_it_is(regatta):
    leaving = regatta.base_m("s0.D1", (1, 0, 0))
    assert (regatta.at(leaving, 0), leaving.state.laps[0]) == ("s1.D1", 0)
    landing = regatta.base_m("s11.A3", (1, 0, 0))
    assert (regatta.at(landing, 0), landing.state.laps[0]) == ("s0.A1", 1)


def test_R46_Q21_order_of_the_line_bonus_and_a_full_board(regatta):
    match = regatta.base_m("s11.A3", (1, 0, 0), fish=3)
    line = names(match.events).index("lap")
    assert names(match.events)[line : line + 5] == ["lap", "full", "wedge", "draws", "sails"]
    assert match.state.fish[0] == 3


def test_Q21_with_three_players_a_wedge_drawn_before_forfeits_the_wedge_of_the_line(regatta):
    match = regatta.base_m("s11.B2", (1, 1, 0), players=3, on={11: "W17"})
    line = names(match.events).index("lap")
    assert names(match.events)[line : line + 4] == ["lap", "fish", "draws", "sails"]
    assert list(match.state.hand[0]) == [regatta.wedge("W13"), 255]


def test_Q21_Q38_two_favors_drawn_before_forfeit_the_favor_of_the_line(regatta):
    match = regatta.base_m("s10.B3", (1, 4, 0), on={11: "W25"})
    events = match.play("step 1")
    line = names(events).index("lap")
    assert names(events)[line : line + 4] == ["lap", "fish", "wedge", "sails"]
    assert regatta.at(match, 0) == "s0.D1"


def test_R42_never_more_than_three_fish(regatta):
    match = regatta.base_m("s1.D3", (1, 0, 0), fish=3)
    assert match.state.fish[0] == 3
    assert "full" in names(match.events)


def test_R45_Q22_boosts_add_up_and_do_not_change_protection(regatta):
    match = regatta.base_m("s0.C1", (1, 0, 0), on={1: "W18"})
    assert (regatta.at(match, 0), match.state.move) == ("s1.C2", 2)
    assert match.state.prot == 1


def test_Q22_a_skipped_boost_gives_nothing(regatta):
    match = regatta.base_m("s0.C1", (1, 0, 0), on={1: "W18"}, other="s1.C1")
    assert regatta.at(match, 0) == "s1.C2"
    assert rounds_played(match) == 6


def test_Q40_Q52_no_dot_of_our_starting_line_lies_before_the_line(regatta):
    assert not regatta.content.PRE_LINE.any()
    assert [len(dot.icon) for wedge in regatta.content.COURSE for dot in wedge.dots] == [1] * 337


def test_Q52_an_icon_dot_counts_one_movement(regatta):
    match = regatta.base_m("s1.D3", (2, 0, 0))  # D4 shows a fish
    assert [event.args[3] for event in match.events if event.name == "sails"] == [1, 0]


# ---- whirlpools and the Hydra -----------------------------------------------------------------------------------------------------


def test_R47_only_a_matching_path_is_open_and_a_single_one_is_taken(regatta):
    match = regatta.base_m("s2.A2", (2, 5, 6))
    sailed = [event.args[1] % 16 for event in match.events if event.name == "sails"]
    assert sailed[1] == regatta.content.COURSE[2].index("B2")


def test_Q27_the_fleece_doubles_the_amount_not_the_face(regatta):
    match = regatta.lay(2, ["s3.B1", "s9.D4"], fleece=0, dice={0: (1, 4, 0), 1: (1, 1, 0)})
    s = match.state
    s.phase, s.to_move, s.turn, s.flags = regatta.rules.FIRST, 1, 1, 0
    match.play("hold")
    assert [event.args for event in match.events if event.name == "path"] == [(0, 1)]


def test_Q6_Q27_dice_lost_by_a_bust_do_not_count_for_charybdis(regatta):
    match = regatta.base_m("s3.B1", (2, 0, 0))
    assert [event.args for event in match.events if event.name == "path"] == [(0, 2)]


def test_R49_R50_Q30_a_ship_on_scylla_pays_with_the_fish_of_its_next_turn(regatta):
    landing = regatta.base_m("s5.C3", (1, 0, 0), fish=2)
    assert (regatta.at(landing, 0), landing.state.fish[0]) == ("s6.C1", 2)
    leaving = regatta.base_m("s6.C1", (1, 0, 0), fish=1)
    assert regatta.legal(leaving) == ["step 0", "step 1"]
    leaving.play("step 0")  # the free path may be chosen with fish in hand
    assert (regatta.at(leaving, 0), leaving.state.fish[0]) == ("s6.D2", 1)


def test_R49_without_fish_the_free_path_is_taken(regatta):
    match = regatta.base_m("s6.C1", (1, 0, 0), fish=0)
    assert regatta.at(match, 0) == "s6.D2"


def test_Q30_fish_gained_earlier_in_the_same_movement_count(regatta):
    match = regatta.base_m("s5.C2", (1, 2, 0), fish=0, on={5: "W15"})
    match.play("step 0")  # C3 of W15 shows a fish
    assert regatta.at(match, 0) == "s6.C1"
    assert regatta.legal(match) == ["step 0", "step 1"]


def test_Q31_demeter_makes_a_scylla_a_decision(regatta):
    match = regatta.base_m("s6.C1", (1, 0, 0), fish=0, slots=["Demeter"])
    assert regatta.legal(match) == ["use 0", "step 0"]
    match.play("use 0")
    assert regatta.legal(match) == ["step 0", "step 1", "step 2"]
    skipped = regatta.base_m("s5.C3", (1, 0, 0), fish=0, slots=["Demeter"], other="s6.C1")
    assert regatta.legal(skipped) == ["step 0", "step 1", "step 2"]  # free while skipping, and no Favors


def test_Q18_a_skipped_scylla_is_free_or_with_the_option_paid(regatta):
    free = regatta.base_m("s5.C3", (1, 0, 0), fish=2, other="s6.C1")
    free.play("step 2")
    assert (regatta.at(free, 0), free.state.fish[0]) == ("s6.B2", 2)
    paid = regatta.base_m("s5.C3", (1, 0, 0), fish=2, other="s6.C1", options={"skip_whirlpool": "restricted"})
    paid.play("step 2")
    assert (regatta.at(paid, 0), paid.state.fish[0]) == ("s6.B2", 0)


def test_R51_Q25_feeding_is_compulsory_even_on_the_last_dot(regatta):
    match = regatta.base_m("s1.D4", (1, 1, 0), fish=1, on={2: "W14"})
    assert (regatta.at(match, 0), match.state.fish[0]) == ("s2.D2", 0)
    assert rounds_played(match) == 6


def test_Q25_with_a_fish_battling_is_not_allowed(regatta):
    match = regatta.base_m("s1.D4", (1, 4, 0), fish=1, on={2: "W14"}, slots=["Artemis"])
    with pytest.raises(IllegalMove, match="must feed the Hydra"):
        match.play("battle")


def test_R52_without_a_fish_the_hydra_cannot_be_fed(regatta):
    match = regatta.base_m("s1.D4", (1, 4, 0), fish=0, on={2: "W14"}, slots=["Artemis"])
    assert match.why("feed") == "You have no fish to feed the Hydra. [R52]"


def test_Q31_of_two_equal_favors_the_first_is_used(regatta):
    match = regatta.base_m("s1.A1", (1, 3, 0), slots=["Hephaestus", "Hephaestus"])
    assert match.why("use 0") is None
    assert match.why("use 1") == "You have Hephaestus twice; use the first one. [Q31]"


def test_refusals_and_reasons_are_sentences_that_end_in_a_rule_of_the_sheet(regatta):
    """At random positions, for every action that is not possible; no reason is left out there or in the tests of its rule."""
    chance, said = random.Random(5), set()
    for seed in range(6):
        match = regatta.game.new(seed=seed, players=2 + seed % 3)
        while not match.over:
            if match.ply % 5 == 0:
                said |= {match.why(action) for action in range(len(match.game.actions))} - {None}
            match.play(chance.choice(match.legal()))
    known = set(re.findall(r"\*\*([RQ]\d+)\*\*", (regatta.game.folder / "RULES.md").read_text()))
    for sentence in said:
        assert set(re.findall(r"[RQ]\d+", re.search(r"\. \[([RQ0-9, ]+)\]$", sentence)[1])) <= known, sentence
    assert len(said) > 40


@pytest.mark.parametrize(("count", "fish"), [("including", 0), ("before", 1)])
def test_Q23_whether_the_hydras_own_dot_counts(regatta, count, fish):
    match = regatta.base_m("s1.D4", (1, 4, 0), fish=1, on={2: "W14"}, options={"hydra_count": count})
    assert (regatta.at(match, 0), match.state.fish[0]) == ("s2.D2", fish)


def test_R53_Q24_protection_is_applied_without_asking(regatta):
    match = regatta.base_m("s1.A2", (1, 0, 0), fish=1, slots=["Artemis"])
    assert (regatta.at(match, 0), match.state.fish[0]) == ("s2.A1", 1)
    assert regatta.slots(match, 0) == ["Artemis", None]


def test_Q26_after_a_battle_drawn_favors_are_revealed_but_give_no_movement(regatta):
    match = regatta.base_m("s0.C1", (1, 4, 0), on={1: "W25"}, deck=["Poseidon"], slots=["Hephaestus"])
    match.play("step 0")  # C1 Favor, C2, C3 Hydra at dot 3
    assert regatta.at(match, 0) == "s1.C3"
    assert "nothing" in names(match.events)
    assert regatta.discarded(match, "Poseidon")
    assert rounds_played(match) == 6  # no question about Hephaestus


def test_Q26_with_the_option_a_battle_discards_the_facedown_favors(regatta):
    match = regatta.base_m("s0.C1", (1, 4, 0), on={1: "W25"}, deck=["Athena"], options={"battle_cancels_reveal": "yes"})
    match.play("step 0")
    assert regatta.slots(match, 0) == [None, None]
    assert regatta.discarded(match, "Athena")
    match.check()


@pytest.mark.parametrize(("face", "kept"), [(["Poseidon", "Athena"], None), (["Athena", "Poseidon"], "Athena")])
def test_Q26_a_battle_in_poseidons_movement_discards_only_what_is_not_yet_revealed(regatta, face, kept):
    match = regatta.lay(
        2, ["s1.B3", "s9.D4"], fleece=1, dice={0: (1, 1, 0)}, on={1: "W25", 2: "W13"}, options={"battle_cancels_reveal": "yes"}, deck=face
    )
    s = match.state
    s.face, s.face_n, s.deck_n, s.drawn = [regatta.card(name) for name in face], 2, 34, 2
    s.phase, s.to_move, s.turn, s.moved, s.prot, s.move, s.flags = regatta.rules.ENDWIN, 0, 1, 2, 1, 0, 0
    events = match.play("end_move")  # Poseidon leads to s2.A1, a Hydra at dot 3
    assert regatta.at(match, 0) == "s2.A1"
    assert "battles" in names(events)
    assert regatta.slots(match, 0) == [kept, None]
    assert regatta.discarded(match, "Athena") == (kept is None)
    match.check()


# ---- Favors -----------------------------------------------------------------------------------------------------------------------


def test_Q31_hermes_adds_navigation_to_movement_and_protection(regatta):
    match = regatta.base_m("s0.D1", (2, 0, 0), slots=["Hermes"])
    assert regatta.legal(match) == ["use 0", "end_move"]
    match.play("use 0")
    assert (match.state.move, match.state.prot) == (2, 4)


def test_Q31_hermes_at_a_hydra_if_it_protects(regatta):
    match = regatta.base_m("s1.D4", (1, 4, 0), on={2: "W14"}, slots=["Hermes"], fish=1)
    assert regatta.legal(match) == ["use 0", "feed"]  # s2.D2 is dot 2: 1 + 1 protects
    match.play("use 0")
    assert (match.state.fish[0], match.state.move) == (1, 4)


def test_Q31_hermes_is_not_offered_at_a_hydra_beyond_his_protection(regatta):
    match = regatta.base_m("s1.D3", (1, 4, 0), on={2: "W14"}, slots=["Hermes"], fish=0)
    assert (regatta.at(match, 0), match.state.fish[0]) == ("s2.D2", 0)  # D4 gave a fish; dot 3 is not within 1 + 1: it was fed
    assert match.state.phase == regatta.rules.MOVE


def test_Q31_Q32_hermes_cannot_restore_the_protection_under_ares(regatta):
    match = regatta.base_m("s1.D4", (1, 4, 0), on={2: "W14"}, slots=["Hermes", "Ares"], fish=1)
    assert (match.state.phase, match.state.fish[0]) == (regatta.rules.MOVE, 0)
    match.play("use 0")
    assert (match.state.move, match.state.prot) == (4, 0)


def test_Q31_demeter_at_a_hydra_feeds_it_afterwards(regatta):
    match = regatta.base_m("s1.D4", (1, 4, 0), on={2: "W14"}, slots=["Demeter"])
    assert regatta.legal(match) == ["use 0", "battle"]
    match.play("use 0")
    assert (match.state.fish[0], match.state.move, match.state.phase) == (1, 3, regatta.rules.MOVE)


def test_Q32_two_aeolus_slow_twice_but_never_below_one(regatta):
    slowed = regatta.base_m("s1.A1", (3, 6, 0), slots=["Aeolus", "Aeolus2"])
    assert slowed.state.move == 3
    stopped = regatta.base_m("s1.A1", (2, 2, 0), slots=["Aeolus", "Aeolus2"])
    assert stopped.state.move == 1


def test_Q32_a_movement_curse_may_strike_in_the_same_round(regatta):
    match = regatta.base_m("s1.D4", (1, 0, 0), players=3, deck=["Aeolus"], other="s9.B1")
    assert regatta.legal(match) == ["target 1", "target 2"]
    match.state.nav[1], match.state.d1[1] = 2, 3
    match.play("target 1")
    assert match.to_move == 1
    assert regatta.slots(match, 1) == [None, None]
    assert [event.args for event in match.events if event.name == "slowed"] == [(1, 2)]


def test_R40_Q33_the_receiver_makes_room_for_a_trident(regatta):
    match = regatta.base_m("s1.D4", (1, 0, 0), deck=["Eris"], others_slots=["Tyche", "Hades"])
    assert match.to_move == 1
    assert regatta.legal(match) == ["discard_own 0", "discard_own 1"]
    match.play("discard_own 1")
    assert regatta.slots(match, 1) == ["Tyche", "Eris"]
    assert regatta.discarded(match, "Hades")
    assert (match.state.pend, match.state.ptarget) == (255, 255)


def test_R40_Q33_any_other_player_may_be_chosen(regatta):
    match = regatta.base_m("s1.D4", (1, 0, 0), players=3, deck=["Eris"], other="s9.B1")
    assert regatta.legal(match) == ["target 1", "target 2"]
    with pytest.raises(IllegalMove, match="another player"):
        match.play("target 0")
    with pytest.raises(IllegalMove, match="no player 3"):
        match.play("target 3")
    match.play("target 2")
    assert match.to_move == 1
    assert regatta.slots(match, 2) == ["Eris", None]


def test_R38_Q35_zeus_takes_a_fish_from_everybody_else(regatta):
    match = regatta.base_m("s1.D4", (1, 0, 0), players=3, deck=["Zeus"], fish=2, others_fish=1)
    assert list(match.state.fish[:3]) == [2, 0, 0]


def test_R38_Q35_nereus_gives_two_fish_up_to_three(regatta):
    match = regatta.base_m("s1.D4", (1, 0, 0), deck=["Nereus"], fish=2)
    assert match.state.fish[0] == 3


def test_R38_Q35_dionysus_steals_from_the_only_possible_victim_or_asks(regatta):
    single = regatta.base_m("s1.D4", (1, 0, 0), deck=["Dionysus"], others_fish=2)
    assert list(single.state.fish[:2]) == [1, 1]
    several = regatta.base_m("s1.D4", (1, 0, 0), players=3, deck=["Dionysus"], others_fish=2)
    assert several.state.phase == regatta.rules.STEAL
    assert regatta.legal(several) == ["target 1", "target 2"]
    several.play("target 2")
    assert list(several.state.fish[:3]) == [1, 2, 1]


@pytest.mark.parametrize(("fish", "others"), [(3, 2), (0, 0)])
def test_Q35_dionysus_without_room_or_victim_does_nothing(regatta, fish, others):
    match = regatta.base_m("s1.D4", (1, 0, 0), deck=["Dionysus"], fish=fish, others_fish=others)
    assert list(match.state.fish[:2]) == [fish, others]
    assert regatta.discarded(match, "Dionysus")
    assert "nothing" in names(match.events)


def test_Q35_poseidons_movement_is_ordinary_movement_with_the_turns_limits(regatta):
    match = regatta.base_m("s11.D3", (1, 0, 0), deck=["Poseidon", "Athena", "Tyche"])
    # D4 draws Poseidon; his 2 dots cross the line (lap, fish, wedge, Favor Athena) and reach s1.D1.
    assert (regatta.at(match, 0), match.state.laps[0], match.state.fish[0]) == ("s1.D1", 1, 1)
    assert regatta.slots(match, 0) == ["Athena", None]
    assert match.state.deck[36 - match.state.deck_n] == regatta.card("Tyche")


def test_Q35_the_dots_moved_count_on_in_poseidons_movement(regatta):
    match = regatta.base_m("s1.D4", (1, 0, 0), on={3: "W13"}, deck=["Poseidon"], slots=["Hephaestus"])
    assert regatta.legal(match) == ["use 0", "end_move"]
    match.play("end_move")
    assert (regatta.at(match, 0), match.state.moved, match.state.phase) == ("s2.D3", 3, regatta.rules.ENDWIN)


def test_Q34_a_boat_goes_into_the_lowest_empty_slot(regatta):
    match = regatta.base_m("s1.D4", (1, 0, 0), slots=[None, "Tyche"], deck=["Athena"])
    assert regatta.slots(match, 0) == ["Athena", "Tyche"]


def test_R39_Q34_the_new_boat_may_be_discarded(regatta):
    match = regatta.base_m("s1.D4", (1, 0, 0), slots=["Apollo", "Tyche"], deck=["Athena"])
    match.play("discard_new")
    assert regatta.slots(match, 0) == ["Apollo", "Tyche"]
    assert regatta.discarded(match, "Athena")


def test_Q36_only_the_discard_pile_is_shuffled_into_the_deck(regatta):
    match = regatta.base_m("s1.D4", (1, 0, 0), slots=["Apollo", "Tyche"], deck=[], discard="rest")
    match.check()
    held = {regatta.card("Apollo"), regatta.card("Tyche")}
    cards = {int(card) for card in match.state.deck[36 - match.state.deck_n :]}
    assert match.state.deck_n == 33
    assert not cards & held


def test_Q37_nobody_sees_the_facedown_favors_not_even_their_owner(regatta):
    match = regatta.base_m("s0.C1", (3, 2, 6), on={1: "W25"}, deck=["Demeter2"])
    assert match.state.face[0] == regatta.card("Demeter2")
    for viewer in (None, 0, 1):
        seen = match.view(viewer).state
        assert list(seen.face) == [255, 255]
        assert seen.face_n == 1


# ---- the end ------------------------------------------------------------------------------------------------------------------------


def test_R55_on_the_rearmost_wedge_the_outermost_is_last(regatta):
    match = finish(regatta, ["s3.B1", "s3.D4", "s5.A1"], [0, 0, 0], players=3)
    assert match.state.fleece == 1
    by_angle = finish(regatta, ["s3.B1", "s3.D4", "s5.A1"], [0, 0, 0], players=3, rank_in_wedge="angle")
    assert by_angle.state.fleece == 0


def test_R56_Q41_later_players_still_take_their_turn(regatta):
    match = regatta.base_m("s11.A3", (1, 0, 0), players=3, laps=[1, 0, 0], other="s9.B1", deck=["Demeter2"])
    assert match.state.final == 1
    assert not match.over
    assert match.to_move == 1
    while not match.over:
        match.play(match.legal()[0])
    assert list(match.state.rank[:1]) == [0]
    assert match.state.round == 5
    assert match.state.phase == regatta.rules.OVER


@pytest.mark.parametrize(("laps", "over"), [(1, True), (2, False), (3, False)])
def test_Q44_the_number_of_laps_can_be_chosen(regatta, laps, over):
    match = regatta.base_m("s11.A3", (1, 0, 0), deck=["Demeter2"], options={"laps": laps})
    assert match.state.laps[0] == 1
    assert match.over == over
    assert match.options["laps"] == laps


def test_Q43_returns_by_rank_with_two_and_three_players(regatta):
    assert finish(regatta, ["s2.A1", "s1.A1"], [2, 1], returns="rank").payoff == (1, -1)
    assert finish(regatta, ["s2.A1", "s1.A1", "s4.A1"], [2, 1, 2], players=3, returns="rank").payoff == (0, -1, 1)


def test_Q5_sequential_rolls_are_public(regatta):
    match = regatta.base_r(fish=0, wanted=(3, 4))
    assert match.view(1).state.nav[0] == 3
    assert match.view(None).state.d1[0] == 4


def test_positions_may_be_written_in_the_middle_of_a_movement(regatta):
    """R31: written fields are enough, without refresh: the exits come from the Ship's dot."""
    match = regatta.lay(2, ["s2.A2", "s9.D4"], fleece=1, dice={0: (1, 3, 0)})
    s = match.state
    s.phase, s.to_move, s.turn, s.move, s.moved, s.prot, s.flags = regatta.rules.MOVE, 0, 1, 4, 0, 1, 0
    assert regatta.legal(match) == ["step 0"]
    match.play("step 0")
    assert regatta.legal(match) == ["step 0", "step 2"]


def test_R23_refresh_starts_the_movement_when_no_wedge_is_to_be_placed(regatta):
    match = regatta.lay(2, ["s2.A2", "s9.D4"], fleece=1, dice={0: (1, 3, 0)})
    s = match.state
    s.phase, s.to_move, s.turn = regatta.rules.WEDGE, 0, 1
    match.refresh()
    assert regatta.legal(match) == ["step 0", "step 2"]


def test_wrong_clicks_get_a_reason(regatta):
    match = regatta.base_m("s2.A2", (1, 3, 0))
    for move, reason in {
        "step 1": "That path needs a die showing 2",
        "use 0": "slot is empty",
        "hold": "Choose the next dot",
        "ship A": "Choose the next dot",
        "feed": "Choose the next dot",
    }.items():
        with pytest.raises(IllegalMove, match=reason):
            match.play(move)
    fork = regatta.base_m("s1.A1", (1, 0, 0), slots=["Eris", "Tyche"])
    with pytest.raises(IllegalMove, match="only 2 exits"):
        fork.play("step 2")
    with pytest.raises(IllegalMove, match="is a curse"):
        fork.play("use 0")


# ---- properties over whole races ----------------------------------------------------------------------------------------------------


def random_options(chooser):
    game = rulestone.load("hydra_regatta")
    return {name: chooser.choice(option.values()) for name, option in game.options.items()}


@pytest.mark.parametrize("seed", range(12))
def test_P1_to_P8_properties_of_random_races(regatta, seed):
    """P1 conservation, P2 no shared dot, P3 progress, P4 limits, P5 wakes, P6 the end, P7 rounds, P8 always a legal action."""
    chooser = random.Random(seed)
    match = regatta.game.new(seed=seed, players=2 + seed % 3, options=random_options(chooser))
    players, laps = match.players, match.options["laps"]
    content, turns, before = regatta.content, Counter(), {}

    def key(s, seat):
        slot, dot = divmod(int(s.pos[seat]), 16)
        return (int(s.laps[seat]), (slot - s.start_slot) % 12, int(content.ANGLE[s.top[slot], dot]))

    while not match.over:
        assert match.legal()  # P8
        match.check()  # P1, P2, P4, P5
        s = match.state
        if s.phase != 0:
            before = {seat: key(s, seat) for seat in range(players)}
        sailed = Counter(event.args[0] for event in match.play(chooser.choice(match.legal())) if event.name == "voyage")
        turns.update(sailed)
        for seat in before:
            now = key(match.state, seat)
            assert now > before[seat] if sailed[seat] and match.to_move != seat else now >= before[seat]  # P3
    match.check()
    assert match.state.round <= 57 * laps  # P7
    assert set(turns.values()) == {match.state.round}  # P6
    assert max(match.state.laps[:players]) >= laps
