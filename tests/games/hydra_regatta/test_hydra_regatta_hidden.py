"""What players may know: section 7 of the rule sheet."""

import random
from collections import Counter

import pytest

NONE = 255


def redealt(regatta, match, viewer, seed):
    """A world that agrees with what the viewer sees."""
    array = match.view(viewer)._array.copy()
    array["rng"] = seed * 0x9E3779B97F4A7C15 % 2**64
    reader = regatta.game.layout.reader(array)
    regatta.game.interpreted_names["redeal"](reader, viewer)
    return reader


def test_R4_R7_Q37_deck_stack_and_facedown_favors_are_hidden_from_everybody(regatta):
    match = regatta.base_m("s11.A3", (1, 1, 0), slots=["Amphitrite"])  # stands on s0.A1 with one wedge and one Favor drawn
    assert match.state.face_n == 1
    for viewer in (None, 0, 1):
        s = match.view(viewer).state
        assert set(s.deck) == {NONE}
        assert list(s.face) == [NONE, NONE]
        assert s.stack[0] == regatta.wedge("W13")  # the drawn part stays
        assert set(s.stack[1:]) == {NONE}
        assert (s.deck_n, s.face_n, s.stack_n) == (34, 1, 15)
        assert s.rng == 0


def test_Q36_a_facedown_favor_that_can_be_deduced_stays_visible(regatta):
    match = regatta.base_m("s0.C1", (1, 5, 0), on={1: "W25"}, deck=["Tyche"], discard="rest", slots=["Amphitrite"])
    while match.state.drawn < 2:
        match.play("step 1" if "step 1" in regatta.legal(match) else "step 0")
    assert match.state.reshuf == 1
    view = match.view(1).state
    assert list(view.face) == [regatta.card("Tyche"), NONE]
    seconds = set()
    for seed in range(30):
        world = redealt(regatta, match, 1, seed)
        assert world.face[0] == regatta.card("Tyche")
        seconds.add(world.face[1])
        regatta.rules.check(world)
    assert len(seconds) > 10
    match.play("use 0")  # the movement ends, Tyche is revealed
    assert match.state.reshuf == 0


def test_Q37_redealt_facedown_favors_are_uniform_over_the_unseen(regatta):
    match = regatta.base_m("s11.A3", (1, 1, 0), slots=["Amphitrite"])
    counts = Counter(redealt(regatta, match, 0, seed).face[0] for seed in range(3500))
    assert len(counts) == 35
    assert regatta.card("Amphitrite") not in counts
    assert sum((count - 100) ** 2 / 100 for count in counts.values()) < 65.2  # χ², 34 degrees of freedom, 0.1 %


def test_R4_the_redealt_stack_is_uniform_over_the_wedges_not_drawn(regatta):
    match = regatta.base_m("s11.A3", (1, 1, 0), slots=["Amphitrite"])
    counts = Counter(redealt(regatta, match, 0, seed).stack[1] for seed in range(1500))
    assert sorted(counts) == list(range(13, 28))
    assert sum((count - 100) ** 2 / 100 for count in counts.values()) < 36.1  # χ², 14 degrees of freedom, 0.1 %


# ---- rolling at the same time -----------------------------------------------------------------------------------------------------


def test_Q5_others_look_as_they_did_before_they_began_to_roll(regatta):
    match = regatta.base_t(fish=2, slots=["Demeter", "Hades"], wanted=(1,))
    assert match.deciders == {0, 1, 2}
    match.play("nav_reroll", player=0)
    match.play("use 0", player=0)
    own, other = match.view(0).state, match.view(1).state
    assert own.nav[0] == match.state.nav[0] > 0
    assert own.fish[0] == match.state.fish[0]
    assert regatta.slots(match.view(0), 0) == [None, None]
    assert (other.nav[0], other.d1[0], other.d2[0]) == (0, 0, 0)
    assert other.fish[0] == 1  # Hades struck before they rolled, for all to see
    assert regatta.slots(match.view(1), 0) == ["Demeter", None]
    assert own.disc == 1 << regatta.card("Demeter") | 1 << regatta.card("Hades")
    assert other.disc == 1 << regatta.card("Hades")
    assert (other.phase, other.to_move, other.stage[0], other.turn) == (regatta.rules.NAV, 1, regatta.rules.NAV, 0)


def test_Q5_a_player_who_is_ready_stays_hidden_until_all_are(regatta):
    match = regatta.base_t(fish=0, wanted=(2, 5), seat1_fish=0)
    assert match.view(1).state.nav[2] == 0
    assert match.view(2).state.nav[2] > 0
    regatta.roll(match, "roll2", 2, 5, then=lambda s: 0 < s.d2[0] < 5)  # a bust
    assert match.deciders == {1, 2}
    assert (match.view(1).state.d2[0], match.view(0).state.d2[0]) == (0, match.state.d2[0])
    assert match.view(1).state.stage[0] == regatta.rules.OVER
    assert match.view(None).state.nav[1] == 0
    match.play("hold", player=2)
    match.play("hold", player=1)  # the last: everything is shown
    assert match.state.phase >= regatta.rules.WEDGE
    for viewer in (None, 0, 1, 2):
        s = match.view(viewer).state
        assert list(s.nav[:3]) == list(match.state.nav[:3])
        assert s.bust[0] == 1
    assert [event.args[0] for event in match.events if event.name == "dice"] == [2, 0, 1]
    assert [event.args[0] for event in match.events if event.name in ("hold", "bust")] == [2, 0, 1]


def test_Q5_Q32_eris_strikes_before_anybody_rolls(regatta):
    match = regatta.base_t(fish=2, slots=["Eris"], wanted=(1,))
    for viewer in (None, 0, 1):
        assert match.view(viewer).state.flags & 16
        assert regatta.slots(match.view(viewer), 0) == [None, None]
    match.play("nav_keep", player=0)  # nothing is left to decide
    assert match.deciders == {1, 2}
    other = regatta.base_t(fish=0, slots=["Eris"], wanted=(1,))
    assert other.deciders == {1, 2}  # ready from the start


def test_Q5_decisions_about_dice_are_not_in_the_story(regatta):
    match = regatta.base_t(fish=2, wanted=(1,))
    before = match.view(1).events
    match.play("nav_reroll", player=0)
    assert "nav_reroll" not in [str(move) for move in match.view(1).moves]
    assert [str(move) for move in match.view(0).moves][-1] == "nav_reroll"
    assert match.view(1).events == before
    assert "nav" in [event.name for event in match.view(0).events]


def test_Q5_sequential_decisions_are_in_the_story(regatta):
    match = regatta.base_r(fish=2, wanted=(1,))
    match.play("nav_reroll")
    assert str(match.view(1).moves[-1]) == "nav_reroll"
    assert "nav" in [event.name for event in match.view(1).events]


def test_Q5_redealt_rolls_vary_and_start_from_what_was_there(regatta):
    match = regatta.base_t(fish=1, slots=["Apollo"], wanted=(1,), seat1_fish=0)
    match.play("nav_keep", player=0)
    match.play("hold", player=0)
    assert match.deciders == {1, 2}
    dice, fish, apollo = Counter(), set(), set()
    for seed in range(400):
        world = redealt(regatta, match, 1, seed)
        regatta.rules.check(world)
        assert (world.to_move, world.stage[0]) == (1, regatta.rules.OVER)
        assert (world.nav[1], world.d1[1]) == (match.state.nav[1], match.state.d1[1])
        assert 1 <= world.nav[0] <= 3
        dice[world.nav[0], world.d1[0], world.d2[0]] += 1
        fish.add(world.fish[0])
        apollo.add(world.slots[0, 0])
    assert len(dice) > 40
    assert fish == {0, 1}
    assert apollo == {NONE, regatta.card("Apollo")}


def test_Q5_a_player_who_is_rolling_is_put_back_to_the_first_decision(regatta):
    match = regatta.base_t(fish=2, wanted=(1,))
    match.play("nav_keep", player=0)
    match.play("roll2", player=0)
    for seed in range(20):
        world = redealt(regatta, match, 1, seed)
        assert (world.stage[0], world.fish[0], world.d1[0]) == (regatta.rules.NAV, 2, 0)
        assert world.nav[0] in (1, 2, 3)


@pytest.mark.parametrize("seed", range(3))
def test_P10_resampling_leaves_the_view_unchanged_while_all_roll(regatta, seed):
    chooser = random.Random(seed)
    match = regatta.game.new(seed=seed, players=3, options={"laps": 1})
    worlds = 0
    while not match.over:
        if chooser.random() < 0.3:
            viewer = chooser.randrange(3)
            world = redealt(regatta, match, viewer, chooser.randrange(10**9))
            regatta.rules.check(world)
            regatta.game.interpreted_names["conceal"](world, viewer)
            assert world.raw.tobytes() == match.view(viewer).raw
            worlds += 1
        player = chooser.choice(sorted(match.deciders))
        match.play(chooser.choice(match.legal(player)), player=player)
    assert worlds > 10
