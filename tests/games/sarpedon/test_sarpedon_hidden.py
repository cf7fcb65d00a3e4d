"""What is hidden in Sarpedon (section 7): the undrawn cards and the unseen Mystery types, from everybody alike."""

import random
from collections import Counter

import numpy as np
import pytest

from rulestone.engine import turn
from tests.games.sarpedon.sarpedon_positions import SHARD, SHRIEK, TRAP, at, game, play


def redealt(match, rng):
    """The state of one world that fits what everybody knows."""
    view = match.view(0)
    world = game().layout.array(1)
    world[:] = view._array
    world["rng"] = rng
    game().interpreted(turn.redeal_at)([game().layout.reader(world)], 0, 0)
    return world[0]


def test_Q49_S61_a_view_has_no_undrawn_card_and_no_unseen_type():
    match = play(at(pos=(7, 13, 13, 13), taken={0: [7]}), "move 3")
    for seat in (0, 1, 2, 3, None):
        state = match.view(seat).state
        assert state.deck[0].tolist() == [16] + [255] * 15
        assert state.deck[1].tolist() == [16] + [255] * 15
        assert state.deck[2].tolist() == [255] * 16
        assert state.mtype.tolist() == [[TRAP, SHRIEK, SHARD], [255] * 3, [255] * 3, [255] * 3]
        assert state.rng == 0


def test_Q49_S61_a_type_known_only_by_elimination_is_still_blank():
    assert at(face_up={2: [2, 3]}).view(1).state.mtype[2].tolist() == [TRAP, SHRIEK, 255]


def test_Q49_S61_states_that_differ_only_in_hidden_things_look_alike():
    one = at(face_up={0: [2]})
    other = at(face_up={0: [2]}, mystery={0: (TRAP, SHARD, SHRIEK), 1: (SHARD, TRAP, SHRIEK)}, next_cards={0: [3, 1], 2: [9]})
    assert one.state.deck.tolist() != other.state.deck.tolist()
    for seat in range(4):
        assert one.view(seat)._array.tobytes() == other.view(seat)._array.tobytes()


def test_Q49_S61_the_view_is_the_same_for_all_seats():
    match = game().new(seed=5)
    views = {match.view(seat)._array.tobytes() for seat in (0, 1, 2, 3, None)}
    assert len(views) == 1


def test_Q35_a_card_discarded_unseen_stays_hidden():
    match = play(at(pos=(7, 13, 13, 13), taken={0: [7]}, options={"shriek_reveals": 0}), "move 3")
    assert match.view(0).state.mtype[0].tolist() == [255, SHRIEK, SHARD]


def test_S61_Q49_resampling_keeps_the_undrawn_numbers_and_the_known_types():
    match = at(face_up={0: [2]}, taken={1: [7]}, stone={0: [5, 9], 3: [1]})
    for rng in range(50):
        world = redealt(match, rng)
        for q in range(4):
            drawn = match.state.dptr[q]
            assert world["deck"][q, :drawn].tolist() == match.state.deck[q, :drawn].tolist()
            assert sorted(world["deck"][q].tolist()) == list(range(1, 17))
            assert sorted(world["mtype"][q].tolist()) == [0, 1, 2]
        assert world["mtype"][0, 0] == TRAP
        assert world["mtype"][1, 2] == SHARD


def chi_squared(counts, cells):
    expected = sum(counts.values()) / cells
    return sum((count - expected) ** 2 / expected for count in counts.values()) + (cells - len(counts)) * expected


def test_S61_Q49_resampled_types_are_equally_likely():
    """Against enumeration: 2 ways in Q0 (one seen), 6 in Q1."""
    match = at(face_up={0: [2]})
    worlds = [redealt(match, rng) for rng in range(1200)]
    assert chi_squared(Counter(tuple(world["mtype"][0].tolist()) for world in worlds), 2) < 10.8  # 1 degree of freedom, p = 0.001
    assert chi_squared(Counter(tuple(world["mtype"][1].tolist()) for world in worlds), 6) < 20.5  # 5 degrees


def test_S61_Q49_resampled_decks_are_equally_likely():
    """Q2 has three cards left, 5, 9 and 11: 6 orders."""
    match = at(stone={2: [n for n in range(1, 17) if n not in (4, 5, 9, 11)]}, drawn={2: [4]})
    worlds = [redealt(match, rng) for rng in range(1200)]
    counts = Counter(tuple(world["deck"][2, 13:].tolist()) for world in worlds)
    assert set(counts) == {(5, 9, 11), (5, 11, 9), (9, 5, 11), (9, 11, 5), (11, 5, 9), (11, 9, 5)}
    assert chi_squared(counts, 6) < 20.5


@pytest.mark.parametrize("seed", range(3))
def test_Q11_the_story_reveals_no_secret(seed):
    """Two worlds that look alike tell the same story of a buried or disabled card."""
    rng = random.Random(seed)
    one = at(to_move=3, next_cards={0: [7]})
    other = at(to_move=3, next_cards={0: [7]}, mystery={0: tuple(rng.sample((TRAP, SHRIEK, SHARD), 3))})
    assert play(one, "protect 1 3").events == play(other, "protect 1 3").events
    assert [event.name for event in one.events] == ["protects", "disables", "stone", "buries"]
    assert np.array_equal(one.view(0).state.story, other.view(0).state.story)
