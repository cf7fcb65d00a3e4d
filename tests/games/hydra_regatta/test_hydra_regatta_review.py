"""Corners where two rules meet, and positions written by hand."""

import re

import pytest

from rulestone.match import IllegalMove


def laid(regatta, phase, ships, *, turn=1, fleece=1, dice=(1, 1, 0), **more):
    """Seat 0 in the middle of its turn, last of the round, with nothing drawn and no flag set."""
    match = regatta.lay(len(ships), ships, fleece=fleece, dice={0: dice}, **more)
    s = match.state
    s.phase, s.to_move, s.turn = phase, 0, turn
    s.flags = s.drawn = s.wdrawn = s.face_n = s.reshuf = 0
    s.face = [255, 255]
    return match


# ---- setup and dice -------------------------------------------------------------------------------------------------------


def test_R8_R10_the_last_of_four_gets_the_dot_that_is_left(regatta):
    match = regatta.game.new(seed=3, players=4, options={"roll_mode": "sequential"})
    order = [int(seat) for seat in match.state.order0]
    for lane in ("ship d", "SHIP A", 1):
        match.play(lane)
    assert [int(match.state.pos[seat]) % 16 for seat in order] == [3, 0, 1, 2]
    assert list(match.state.wake) == list(match.state.pos)
    assert (match.state.setup_i, match.state.round, match.state.turn) == (4, 1, 0)
    assert match.state.fleece == order[3] == match.to_move
    assert [bool(match.state.nav[seat]) for seat in order] == [False, False, False, True]


def test_Q32_two_curses_on_the_dice_strike_in_the_order_of_the_slots(regatta):
    match = regatta.base_r(fish=1, slots=["Hades", "Hades2"], wanted=(1,))
    assert match.state.fish[0] == 0
    assert regatta.slots(match, 0) == [None, None]
    assert regatta.discarded(match, "Hades2")


def test_Q32_eris_binds_her_victim_only(regatta):
    match = regatta.base_r(fish=0, slots=["Eris"], wanted=(1,))  # seat 0 had nothing to decide: seat 1 rolls
    assert match.to_move == 1
    match.play("nav_keep")
    assert regatta.legal(match) == ["hold", "roll2"]


def test_Q31_athena_without_fish_leads_straight_to_the_first_die(regatta):
    match = regatta.base_r(fish=0, slots=["Athena"], wanted=(1,))
    match.play("use 0")
    match.play("value 2")
    assert (match.state.nav[0], match.state.phase) == (2, regatta.rules.FIRST)


def test_Q31_tyche_is_offered_beside_a_reroll_and_keeps_the_fish(regatta):
    match = regatta.base_r(fish=1, slots=["Demeter", "Tyche"], wanted=(2,))
    regatta.roll(match, "nav_keep", 2, 5)
    regatta.roll(match, "roll2", 2, 5, 1)
    assert regatta.legal(match) == ["accept2", "reroll2", "use 0", "use 1"]
    match.play("use 1")
    s = match.state
    assert (s.nav[0], s.d1[0], s.d2[0], s.bust[0], s.fish[0]) == (2, 5, 0, 0, 1)
    assert match.to_move == 1


# ---- moving ---------------------------------------------------------------------------------------------------------------


def test_R44_Q12_with_two_players_dot_and_line_give_a_wedge_each(regatta):
    match = regatta.base_m("s11.B2", (1, 1, 0), on={11: "W17"})
    assert [int(wedge) for wedge in match.state.hand[0]] == [regatta.wedge("W13"), regatta.wedge("W14")]
    assert match.state.stack_n == 13


def test_Q18_with_the_option_a_skipped_charybdis_wants_a_matching_die_and_no_favor_helps(regatta):
    match = regatta.base_m("s2.A2", (1, 3, 0), other="s3.B1", slots=["Janus"], options={"skip_whirlpool": "restricted"})
    assert regatta.legal(match) == ["step 0", "step 2"]
    with pytest.raises(IllegalMove, match="while sailing past a Ship"):
        match.play("use 0")


def test_Q31_janus_makes_a_scylla_path_free_and_works_once(regatta):
    match = regatta.base_m("s6.C1", (3, 0, 0), fish=1, slots=["Janus", "Janus2"])
    assert regatta.legal(match) == ["use 0", "step 0", "step 1"]
    match.play("use 0")
    assert regatta.legal(match) == ["step 0", "step 1", "step 2"]  # the second Janus waits for another whirlpool
    match.play("step 2")
    assert (regatta.at(match, 0), match.state.fish[0]) == ("s6.B2", 1)
    assert not match.state.flags & regatta.rules.FREE
    assert regatta.slots(match, 0) == [None, "Janus2"]


def test_Q31_amphitrite_is_not_offered_before_the_first_dot(regatta):
    match = regatta.base_m("s1.D2", (3, 6, 0), slots=["Amphitrite"])
    assert regatta.legal(match) == ["step 0", "step 1"]
    match.play("step 1")
    assert regatta.legal(match) == ["use 0", "step 0"]


def test_Q31_two_favors_may_be_used_at_one_hydra(regatta):
    match = regatta.base_m("s1.D4", (1, 4, 0), on={2: "W14"}, slots=["Demeter", "Artemis"])
    assert regatta.legal(match) == ["use 0", "use 1", "battle"]
    match.play("use 0")
    assert regatta.legal(match) == ["use 1", "feed"]
    match.play("use 1")
    assert (match.state.fish[0], match.state.move) == (2, 3)


def test_R51_Q31_after_the_hydra_on_the_last_dot_the_end_is_asked(regatta):
    match = regatta.base_m("s1.D4", (1, 1, 0), on={2: "W14"}, slots=["Hephaestus"], fish=1)
    assert (match.state.phase, match.state.fish[0]) == (regatta.rules.ENDWIN, 0)
    battle = regatta.base_m("s1.D4", (1, 1, 0), on={2: "W14"}, slots=["Hephaestus"])
    assert battle.state.round == 6  # Q26: battling, nothing is asked


# ---- revealing ------------------------------------------------------------------------------------------------------------


def test_R40_Q33_after_making_room_the_turn_continues_with_the_second_card(regatta):
    match = laid(regatta, regatta.rules.ENDWIN, ["s2.D1", "s9.D4"], slots={1: ["Tyche", "Artemis"]}, deck=["Ares", "Nereus"])
    s = match.state
    s.face, s.face_n, s.deck_n, s.drawn, s.move = [regatta.card("Ares"), regatta.card("Nereus")], 2, s.deck_n - 2, 2, 0
    match.play("end_move")
    assert (match.to_move, s.ptarget, s.pend) == (1, 1, regatta.card("Ares"))
    with pytest.raises(IllegalMove, match="you can't refuse it"):
        match.play("discard_new")
    match.play("discard_own 0")
    assert regatta.slots(match, 1) == ["Ares", "Artemis"]
    assert s.fish[0] == 2  # Nereus
    assert s.round == 6


def test_R56_Q35_the_last_lap_may_be_completed_by_poseidon(regatta):
    match = regatta.base_m("s11.D3", (1, 0, 0), laps=(1, 1), deck=["Poseidon", "Zeus"])
    assert match.over
    assert (match.state.laps[0], regatta.at(match, 0)) == (2, "s1.D1")
    assert [int(seat) for seat in match.state.rank] == [0, 1, 255, 255]


def test_Q35_a_favor_may_extend_poseidons_movement(regatta):
    match = regatta.base_m("s1.D4", (1, 0, 0), deck=["Poseidon"], slots=["Hermes"])
    match.play("end_move")
    assert (regatta.at(match, 0), match.state.phase) == ("s2.D3", regatta.rules.ENDWIN)
    match.play("use 0")
    assert (match.state.move, match.state.prot, match.state.moved) == (1, 2, 3)
    match.play("step 1")
    assert regatta.at(match, 0) == "s2.D4"


def test_Q35_dionysus_asks_only_about_players_who_have_a_fish(regatta):
    match = laid(regatta, regatta.rules.ENDWIN, ["s2.D1", "s9.D4", "s9.C1", "s9.B1"], turn=3, fish={1: 1, 3: 2}, deck=["Dionysus"])
    s = match.state
    s.face, s.face_n, s.deck_n, s.drawn, s.move = [regatta.card("Dionysus"), 255], 1, s.deck_n - 1, 1, 0
    match.play("end_move")
    assert regatta.legal(match) == ["target 1", "target 3"]
    with pytest.raises(IllegalMove, match="has no fish"):
        match.play("target 2")
    match.play("target 3")
    assert list(s.fish) == [1, 1, 0, 1]


def test_Q35_gaia_finds_an_empty_stack(regatta):
    match = regatta.base_m("s1.D4", (1, 0, 0), deck=["Gaia"], stack=0)
    assert (match.state.round, match.state.gaia) == (6, 255)
    assert regatta.discarded(match, "Gaia")


# ---- the end --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4])
def test_R56_when_the_race_is_over_every_field_is_in_its_range(regatta, players):
    """The index of the turn stays that of the last player, the Fleece keeps its last value; the dice are cleared (R13)."""
    ships = ["s1.C1", "s1.C3", "s11.A3", "s0.A1"][:players]
    match = laid(regatta, regatta.rules.ENDWIN, ships, turn=players - 1, laps={0: 2, 1: 2, 2: 1, 3: 2}, dice=(2, 3, 4))
    match.state.move, match.state.fleece = 0, 1
    match.play("end_move")
    s = match.state
    assert match.to_move is None
    assert (s.phase, s.turn, s.fleece, s.final, s.round) == (regatta.rules.OVER, players - 1, 1, 1, 5)
    assert (s.nav[0], s.d1[0], s.d2[0]) == (0, 0, 0)
    assert [int(seat) for seat in s.rank] == ([1, 0, 3, 2] if players == 4 else [1, 0, *range(2, players), *[255] * (4 - players)])


# ---- positions written by hand ----------------------------------------------------------------------------------------------


def test_Q5_refresh_retakes_a_snapshot_that_cannot_be_true(regatta):
    match = regatta.game.new(seed=1, players=3)
    while match.state.phase == regatta.rules.SETUP:
        match.play(match.legal()[0])
    s, roller = match.state, match.to_move
    s.fish[roller] = 1
    s.slots[roller] = [regatta.card("Apollo2"), 255]
    s.stage[roller] = regatta.rules.NAV
    match.refresh()
    match.play("use 0")
    seen = match.view((roller + 1) % 3).state
    assert list(seen.slots[roller]) == [regatta.card("Apollo2"), 255]
    assert (seen.fish[roller], seen.nav[roller], seen.disc) == (1, 0, s.disc & ~(1 << regatta.card("Apollo2")))


def test_Q5_refresh_keeps_a_snapshot_that_may_be_true(regatta):
    match = regatta.base_t(fish=2, slots=["Demeter"], wanted=(1,))
    match.play("nav_reroll")
    match.play("use 0")
    before = match.raw
    match.refresh()
    assert match.raw == before
    assert match.view(1).state.fish[0] == 2


def test_R8_refresh_asks_whoever_holds_the_lowest_starter_now(regatta):
    match = regatta.game.new(seed=1, players=4, options={"roll_mode": "sequential"})
    order = [3, 1, 0, 2]
    for number, seat in enumerate(order):
        match.state.slots[seat, 0] = regatta.rules.STARTER[number]
    match.refresh()
    match.check()
    for lane, seat in zip("ADB", order, strict=False):
        assert match.to_move == seat
        match.play(f"ship {lane}")
    assert match.state.fleece == match.to_move == order[3]


def test_Q5_a_card_written_by_hand_while_all_roll_is_not_shown_as_discarded(regatta):
    match = regatta.game.new(seed=1, players=3)
    while match.state.phase == regatta.rules.SETUP:
        match.play(match.legal()[0])
    roller = match.to_move
    match.state.slots[roller, 1] = regatta.card("Tyche")
    assert match.view(roller).state.disc == match.state.disc


def test_refresh_before_placing_forgets_what_the_last_turn_drew(regatta):
    """S59 once more, laid on a match that was in the middle of another turn."""
    match = regatta.lay(2, ["s1.D4", "s9.D4"], fleece=1, dice={0: (1, 0, 0)}, deck=["Poseidon"])
    s = match.state
    s.phase, s.to_move, s.turn, s.drawn, s.flags = regatta.rules.WEDGE, 0, 1, 2, regatta.rules.BATTLE
    match.refresh()
    assert regatta.at(match, 0) == "s2.D3"


# ---- words ----------------------------------------------------------------------------------------------------------------


def test_moves_at_the_wrong_moment_are_refused_with_the_rule(regatta):
    first = regatta.base_r(fish=1, wanted=(1,))
    with pytest.raises(IllegalMove, match=r"Decide about the Navigation die first.*R14"):
        first.play("roll2")
    first.play("nav_keep")
    for move, number in {"nav_reroll": "R15", "reroll2": "R16"}.items():
        with pytest.raises(IllegalMove, match=number):
            first.play(move)
    with pytest.raises(IllegalMove, match=r"you must use all your movement.*R30"):
        regatta.base_m("s1.D2", (3, 6, 0)).play("end_move")


def test_the_rules_page_has_every_number_of_the_sheet_once(regatta):
    text = (regatta.game.folder / "RULES.md").read_text()
    numbers = re.findall(r"\*\*([RQ]\d+)\*\*", text)
    assert sorted(numbers) == sorted([f"R{k}" for k in range(1, 59)] + [f"Q{k}" for k in range(1, 53)])


# ---- what the rules say ---------------------------------------------------------------------------------------------------


def test_Q31_amphitrite_works_on_the_first_dot_and_the_rules_say_so(regatta):
    match = regatta.base_m("s0.D1", (3, 6, 0), slots=["Amphitrite"])
    assert (regatta.at(match, 0), regatta.legal(match)) == ("s1.D1", ["use 0", "step 0"])
    (row,) = [line for line in (regatta.game.folder / "RULES.md").read_text().splitlines() if line.startswith("| Amphitrite")]
    assert "the first included" in row
