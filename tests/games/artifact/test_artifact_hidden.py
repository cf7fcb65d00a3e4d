"""What each player knows, and that sampled worlds agree with it (section 7 of the sheet)."""

from collections import Counter
from math import comb

import numpy as np
import pytest

from rulestone.games.artifact.content import CARDS, NONE

HO, VERT, JUMP, DIAG, SWAP, DROP, DYNAMITE, ROTATE = range(8)


@pytest.fixture
def worlds(game):
    """Freshly sampled records that a viewer might be looking at."""

    def worlds(match, viewer, count):
        for number in range(count):
            array = match.view(viewer)._array.copy()
            array["rng"] = np.uint64(0x9E3779B97F4A7C15 * (number + 1) & 0xFFFFFFFFFFFFFFFF)
            game.run("redeal", array, game.layout.reader(array), -1 if viewer is None else viewer)
            yield array[0]

    return worlds


def test_Q48_a_view_hides_the_deck_and_the_other_hands_and_nothing_else(game):
    match = game.new(seed=3, players=3)
    for _ in range(40):
        match.play(match.legal()[0])
    seen, true = match.view(1).state, match.state
    hidden = {"rng", "deck", "hand", "mine", "story", "told", "ply", "unnoticed"}
    for name in match._array.dtype.names:
        if name not in hidden:
            assert np.array_equal(seen[name], true[name]), name
    assert set(seen.deck.tolist()) == {NONE}
    assert seen.hand[1].tolist() == true.hand[1].tolist()
    assert seen.mine[1].tolist() == true.mine[1].tolist()
    assert seen.hand[[0, 2]].sum() == 0
    assert seen.mine[[0, 2]].sum() == 0
    assert true.hand[[0, 2]].sum() > 0
    assert seen.ply == len(match.view(1).moves) < true.ply == 40  # §7: not every END_PLAY of the others is noticed


def test_Q48_a_spectator_sees_no_hand_at_all(game):
    seen = game.new(seed=3, players=4).view(None).state
    assert seen.hand.sum() == 0
    assert seen.mine.sum() == 0
    assert seen.hand_n.tolist() == [6, 6, 6, 6]
    assert seen.disc_n == 1


def test_Q48_only_the_player_who_draws_from_the_deck_learns_the_card(lay):
    match = lay(phase="draw", hands={1: "Ho*6", 2: "Vert*6"}, deck="Swap", discard="Jump")
    match.play("draw_deck")
    assert "You draw Swap. [R7]" in [match.say(event) for event in match.view(0).events]
    for viewer in (1, None):
        assert [event.name for event in match.view(viewer).events] == ["draws"]


def test_Q5_everybody_learns_what_was_taken_from_the_discard_pile(lay):
    match = lay(phase="draw", hands={1: "Ho*6", 2: "Vert*6"}, deck="Swap", discard="Jump")
    match.play("draw_discard")
    assert [match.say(event) for event in match.view(1).events] == ["Red takes Jump from the discard pile. [R7]"]
    assert match.view(1).state.known[0].tolist() == [0, 0, 1, 0, 0, 0, 0, 0]


def test_Q5_a_known_card_is_in_every_sampled_hand_until_it_is_discarded(lay, worlds):
    match = lay(phase="draw", hands={1: "Ho*3, Jump*2", 2: "Vert*6"}, deck="Swap", discard="Rotate, Swap")
    match.play("draw_discard")
    assert all(world["hand"][0, SWAP] >= 1 for world in worlds(match, 1, 60))
    match.play("end_play")
    match.play("discard Swap")
    assert match.state.known[0].sum() == 0
    assert any(world["hand"][0, SWAP] == 0 for world in worlds(match, 1, 60))


def test_Q5_of_two_alike_the_known_one_leaves_first(lay):
    match = lay(pieces={1: (2, 1)}, art=(0, 2), hands={1: "Rotate*3, Ho"})
    match.state.known[0, ROTATE] = 2
    for left in (1, 0, 0):
        match.play("rotate")
        assert match.state.known[0, ROTATE] == left


def test_Q48_sampled_worlds_have_the_right_cards_in_the_right_numbers(game, worlds):
    match = game.new(seed=8, players=4)
    for turn in range(30):
        match.play(match.legal()[turn % len(match.legal())])
    true = match.state
    for viewer in (0, 1, 2, 3, None):
        for world in worlds(match, viewer, 5):
            assert world["hand"].sum(axis=1).tolist() == true.hand_n.tolist()
            deck = Counter(world["deck"][: true.deck_n].tolist())
            elsewhere = Counter(true.disc[: true.disc_n].tolist()) + Counter(true.played[: true.played_n].tolist())
            for kind in range(8):
                assert deck[kind] + elsewhere[kind] + world["hand"][:, kind].sum() == true.cnt[kind], CARDS[kind]
            assert set(world["deck"][true.deck_n :].tolist()) == {NONE}
            if viewer is not None:
                assert world["hand"][viewer].tolist() == true.hand[viewer].tolist()


def test_Q40_after_a_reshuffle_the_opponents_hand_is_known_exactly(lay, worlds):
    match = lay(phase="draw", hands={1: "Ho*6", 2: "Vert*6, Diag*2"}, discard="Rotate, Jump, Swap, Dynamite", deck="", rest=2)
    opponent = match.state.hand[1].tolist()
    match.play("draw_deck")
    for world in worlds(match, 0, 30):
        assert world["hand"][1].tolist() == opponent


def test_Q40_cards_from_before_the_shuffle_are_never_sampled_into_the_deck(lay, worlds):
    match = lay(phase="draw", hands={1: "Ho*6", 2: "Vert*4"}, discard="Rotate, Jump, Jump, Dynamite", deck="", rest=2)
    match.play("draw_deck")
    for world in worlds(match, 1, 40):
        assert set(world["deck"][: world["deck_n"]].tolist()) <= {ROTATE, JUMP}


def test_Q48_sampled_hands_follow_the_hypergeometric_distribution(lay, worlds):
    """χ² against exhaustive counting: how many of the 4 Swaps among 42 unseen cards (6 of them in the other hand)."""
    match = lay(hands={1: "Ho*6, Vert*5", 2: "Vert*5, Diag"}, discard="Jump")
    unseen, size, swaps, samples = 42, 6, 4, 3000
    seen = Counter(min(2, int(world["hand"][1, SWAP])) for world in worlds(match, 0, samples))
    exact = [comb(swaps, k) * comb(unseen - swaps, size - k) / comb(unseen, size) for k in range(swaps + 1)]
    expected = [exact[0], exact[1], sum(exact[2:])]
    assert sum((seen[k] - samples * p) ** 2 / (samples * p) for k, p in enumerate(expected)) < 13.8  # once in a thousand


def test_Q48_the_sampled_deck_is_in_random_order(lay, worlds):
    """χ² over which kind is on top, with 8 kinds in a deck of all unseen cards."""
    match = lay(hands={1: "Ho*6, Vert*5", 2: "Vert*5, Diag"}, discard="Jump")
    samples = 3000
    unseen = {kind: int(match.state.cnt[kind] - match.state.hand[0, kind] - (kind == JUMP)) for kind in range(8)}
    tops = Counter(int(world["deck"][world["deck_n"] - 1]) for world in worlds(match, 0, samples))
    total = sum(unseen.values())
    assert sum((tops[kind] - samples * n / total) ** 2 / (samples * n / total) for kind, n in unseen.items() if n) < 24.3


def test_Q48_a_laid_position_with_inconsistent_counts_can_still_be_sampled(lay, worlds):
    match = lay(hands={1: "Ho*6", 2: "Vert*6"}, discard="Jump")
    match.state.epoch = 0
    for world in worlds(match, 0, 5):
        assert world["hand"][1].sum() == 6
        assert (world["deck"] != NONE).sum() == match.state.deck_n


def test_R11_the_count_of_draws_starts_over_with_each_shuffle(game):
    match = game.new(seed=2, players=2)
    assert match.state.mine[0].tolist() == match.state.hand[0].tolist()
    top = int(match.state.disc[0])
    assert match.state.epoch.tolist() == [n - (kind == top) for kind, n in enumerate(match.state.cnt.tolist())]


def test_Q48_refresh_counts_hands_written_by_hand(game):
    match = game.new(seed=2, players=2)
    match.state.hand[0] = [1, 0, 2, 0, 0, 0, 0, 0]
    match.refresh()
    assert match.state.hand_n.tolist() == [3, 6, 0, 0]
