"""The goal line above the prompt, and the rule that the question mark beside it opens."""

import pytest

from rulestone.table import Face


@pytest.fixture(scope="module")
def face(regatta):
    return Face.of(regatta.game)


def test_before_the_ships_are_placed_there_is_only_the_goal(regatta, face):
    match = regatta.game.new(seed=1, players=3, options={"laps": 1})
    assert face.goal(match.view(0), 0) == face.goal(match.view(None), None) == "Be furthest after 1 lap around the Hydra."


def test_during_the_race_everybody_reads_their_own_laps_and_place(regatta, face):
    match = regatta.base_m("s1.C2", (1, 1, 0), other="s3.D1", laps=(1, 0))
    assert face.goal(match.view(0), 0) == "2 laps around the Hydra: 1 completed, you're 1st of 2."
    assert face.goal(match.view(1), 1) == "2 laps around the Hydra: 0 completed, you're 2nd of 2."
    assert face.goal(match.view(None), None) == "2 laps around the Hydra: Red leads with 1 completed."


def test_in_the_last_round_the_goal_is_to_be_furthest(regatta, face):
    match = regatta.base_m("s11.B2", (1, 1, 0), other="s1.D1", laps=(1, 2))
    assert face.goal(match.view(0), 0) == "Last round, the Ship furthest past the line wins: you're 2nd of 2."
    assert face.goal(match.view(None), None) == "Last round, the Ship furthest past the line wins: Blue leads."


def test_after_the_race_the_places_remain(regatta, face):
    match = regatta.base_m("s11.A3", (2, 0, 0), other="s9.D4", laps=(1, 1), deck=["Demeter2"])
    assert match.over
    assert face.goal(match.view(1), 1) == "The race is over: you're 2nd of 2."
    assert face.goal(match.view(None), None) == "The race is over: Red wins."


def test_the_line_stays_short_in_real_races(regatta, face):
    match = regatta.game.new(seed=5, players=4, options={"laps": 3})
    while not match.over and match.ply < 400:
        assert all(len(face.goal(match.view(seat), seat)) <= 70 for seat in (None, 0, 3))
        match.play(match.legal()[match.ply % len(match.legal())])


@pytest.mark.parametrize(
    ("rule", "lay"),
    [
        ("R8", lambda regatta: regatta.game.new(seed=1, players=2)),
        ("R15", lambda regatta: regatta.base_t(fish=1)),
        ("R23", lambda regatta: regatta.base_m("s1.A2", (1, 1, 0), hand=["W13"])),
        ("R30", lambda regatta: regatta.base_m("s1.C2", (1, 1, 0))),
        ("R35", lambda regatta: regatta.base_m("s1.D2", (1, 1, 0), slots=["Hephaestus"])),
        ("R39", lambda regatta: regatta.base_m("s1.D4", (1, 0, 0), slots=["Apollo", "Tyche"], deck=["Athena"])),
        ("R40", lambda regatta: regatta.base_m("s1.D4", (1, 0, 0), players=3, deck=["Eris"])),
    ],
)
def test_the_question_mark_opens_the_rule_that_helps(regatta, face, rule, lay):
    match = lay(regatta)
    assert face.rule(match.view(match.to_move)) == rule


def test_the_question_mark_follows_the_dice(regatta, face):
    match = regatta.base_r(fish=1, wanted=(2,))
    regatta.roll(match, "nav_keep", None, 4)
    assert face.rule(match.view(0)) == "R17"
    regatta.roll(match, "roll2", None, None, 2)
    assert face.rule(match.view(0)) == "R20"


def test_the_victim_of_a_trident_reads_about_making_room(regatta, face):
    match = regatta.base_m("s1.D4", (1, 0, 0), deck=["Eris"], others_slots=["Apollo", "Tyche"])
    assert regatta.legal(match) == ["discard_own 0", "discard_own 1"]
    assert face.rule(match.view(1)) == "R40"
