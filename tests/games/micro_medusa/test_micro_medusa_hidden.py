"""What each side may know in Micro Medusa: the secret tile, the face-down tile and the order of the stack."""

import random
from collections import Counter
from itertools import permutations
from math import sqrt

import numpy as np
import pytest

from rulestone.games.micro_medusa.rules import MEDUSA_DRAFT, OVER, PLACE, RESPOND, ROTATE
from rulestone.kernel.record import Scratch
from tests.games.micro_medusa.test_micro_medusa_greedy import chosen

MEDUSA, CHAMPION, SPECTATOR = 0, 1, -1


def kinds(letters):
    return [letters.count(letter) for letter in "HES"] + [0, 0]


def worlds(game, match, viewer, count):
    """Positions that are possible for the viewer, dealt by `redeal` from what they see."""
    view = match.view(None if viewer == SPECTATOR else viewer)
    redeal = game.interpreted(game.rules.redeal)
    for number in range(count):
        array = view._array.copy()
        reader = game.layout.reader(array)
        reader.rng = number * 0x9E3779B97F4A7C15 + 1 & 0xFFFF_FFFF_FFFF_FFFF
        redeal(reader, viewer)
        yield reader


def fits(observed, expected):
    """A chi-squared test: does the distribution of outcomes agree with the exact probabilities (0.1 % level)?"""
    assert set(observed) <= set(expected), "an impossible world was dealt"
    total = sum(observed.values())
    squares = sum((observed[world] - total * chance) ** 2 / (total * chance) for world, chance in expected.items())
    freedom = len(expected) - 1
    # Wilson and Hilferty's approximation of the 99.9 % point; exact enough for any number of outcomes.
    limit = freedom * (1 - 2 / (9 * freedom) + 3.09 * sqrt(2 / (9 * freedom))) ** 3 if freedom else 0
    return squares <= limit


# ---- Views -----------------------------------------------------------------------------------------------------------


def test_R20_Q29_the_champion_and_spectators_do_not_see_hand_stack_and_face_down_tile(lay):
    match = lay(known="HE", secret=1)
    match.play("place H 1")
    for viewer in (1, None):
        state = match.view(viewer).state
        assert (state.hand.tolist(), state.fd_kind, state.fd_cell) == ([0] * 5, -2, 1)
        assert ((state.stack == -1).all(), state.stack_n, state.rng) == (True, 11, 0)
        assert (state.known.tolist(), state.secret) == (kinds("HE"), 1)


def test_R5_R8_medusa_sees_everything_but_the_stack(lay):
    match = lay(known="HE", secret=1)
    match.play("place H 1")
    state = match.view(0).state
    assert (state.hand.tolist(), state.fd_kind, state.fd_cell) == (kinds("ES"), 0, 1)
    assert ((state.stack == -1).all(), state.stack_n, state.rng) == (True, 11, 0)


def test_R20_others_see_where_a_tile_is_placed_but_not_its_kind(lay):
    match = lay(known="HE", secret=1)
    match.play("place H 1")
    assert [str(move) for move in match.view(0).moves] == ["place H 1"]
    for viewer in (1, None):
        assert [str(move) for move in match.view(viewer).moves] == ["place ? 1"]
        assert match.view(viewer).moves[0] == ("place", None, 1)
        assert [event.name for event in match.view(viewer).events] == ["places"]
    assert [match.view(0).say(event) for event in match.view(0).events][1] == "It is a Snakehead, but only Medusa knows. [R20]"


def test_R20_the_view_is_the_same_whatever_tile_lies_face_down(lay):
    """Non-interference: nothing that the Champion sees depends on the kind of the tile."""
    seen = set()
    for kind in "HES":
        match = lay(known="HE", secret=1)
        match.play(f"place {kind} 1")
        seen.add((match.view(1)._array.tobytes(), match.view(None)._array.tobytes(), tuple(match.view(1).legal())))
    assert len(seen) == 1


def test_R20_the_legal_placements_are_for_medusa_only(lay):
    match = lay()
    assert len(match.view(0).legal()) == 18
    assert match.view(1).legal() == []
    assert match.view(None).legal() == []


def test_R20_R23_a_revealed_tile_is_public(lay, play):
    match = lay("S1r1 S2r0", market="HHES", known="HE", secret=1)
    events = play(match, "place S 8, respond Blade 0")
    assert match.state.phase == ROTATE
    assert match.view(1).state.fd_kind == 2
    assert match.view(1).events == events


def test_Q23_the_champion_has_no_secrets(lay):
    match = lay(phase=1)
    match.play("equip Heart")
    assert [str(move) for move in match.view(0).moves] == ["equip Heart"]
    assert match.view(0).state.drafted == 3


# ---- Public knowledge ------------------------------------------------------------------------------------------------


def test_Q29_S61_a_revealed_kind_that_was_drafted_keeps_the_secret(lay, play):
    match = lay(known="HE", secret=1, round=1, equip="BSTT")
    play(match, "place H 1, respond Torch 0")
    assert (match.state.known.tolist(), match.state.secret, match.state.hand.tolist()) == (kinds("E"), 1, kinds("ES"))


def test_Q29_a_revealed_kind_that_was_never_drafted_is_the_secret_tile(lay, play):
    match = lay(known="HE", secret=1, round=1, equip="BSTT")
    play(match, "place S 1, respond Torch 0")
    assert (match.state.known.tolist(), match.state.secret, match.state.hand.tolist()) == (kinds("HE"), 0, kinds("HE"))


def test_Q28_Q29_only_the_setup_tile_was_never_public(game):
    """Once it is identified, the Champion knows the hand exactly until the end of the game."""
    for seed in range(30):
        match = game.new(seed=seed)
        chooser = random.Random(seed)
        while not match.over:
            if match.state.secret == 0 and match.state.phase != RESPOND:
                assert match.state.known.tolist() == match.state.hand.tolist()
            match.play(chooser.choice(match.legal()))


# ---- Dealing again ---------------------------------------------------------------------------------------------------


def test_S63_the_secret_tile_is_any_unseen_tile(game, lay, play):
    """Q29: U = 12 tiles, four of each kind; one of them is the secret tile, eleven are the stack."""
    match = lay(known="HE", secret=1, round=1, equip="BSTT")
    play(match, "place H 1, respond Torch 0")
    secrets = Counter()
    for world in worlds(game, match, CHAMPION, 3000):
        hand = list(world.hand)
        hand[1] -= 1
        secrets[hand.index(1)] += 1
        assert sum(hand) == 1
        assert sorted([*world.stack[:11], hand.index(1)]) == [0] * 4 + [1] * 4 + [2] * 4
        assert list(world.stack[11:]) == [-1, -1]
    assert fits(secrets, {0: 1 / 3, 1: 1 / 3, 2: 1 / 3})


def test_Q29_in_rotate_the_revealed_tile_is_neither_in_hand_nor_in_the_stack(game, lay, play):
    match = lay("S1r1 S2r0", market="HHES", known="HE", secret=1)
    play(match, "place S 8, respond Blade 0")
    assert (match.state.phase, match.state.secret) == (ROTATE, 0)
    for world in worlds(game, match, CHAMPION, 20):
        assert (list(world.hand), world.fd_kind) == (kinds("HE"), 2)
        assert sorted(world.stack[: world.stack_n]) == sorted(match.state.stack[: match.state.stack_n])


def test_Q29_in_rotate_the_secret_tile_is_dealt_without_the_revealed_one(game, lay, play):
    """Unseen are 18 tiles less three Sections, the market and the known Snakehead: 4 H less 1, 5 E, 2 S."""
    match = lay("S1r1 S2r0", hand="HES", market="HHES", known="HS", secret=1)
    play(match, "place S 8, respond Blade 0")
    assert (match.state.phase, match.state.secret, match.state.known.tolist()) == (ROTATE, 1, kinds("H"))
    secrets = Counter()
    for world in worlds(game, match, CHAMPION, 2000):
        hand = [n - (kind == 0) for kind, n in enumerate(world.hand[:3])]
        secrets[hand.index(1)] += 1
        assert sorted([*world.stack[: world.stack_n], hand.index(1)]) == [0] * 3 + [1] * 5 + [2] * 2
    assert fits(secrets, {0: 3 / 10, 1: 5 / 10, 2: 2 / 10})


def public_story(game, seed, options=None):
    """Play a random game; yields each position with what has been public so far: the first market and all public events."""
    match = game.new(seed=seed, options=options)
    market = match.view(None).state.market.tolist()
    chooser = random.Random(seed)
    events = []
    while True:
        yield match, market, events
        if match.over:
            return
        match.play(chooser.choice(match.legal()))
        events = events + [event for event in match.view(None).events if event.name in ("drafts", "refills", "places", "reveals")]


def possible_deals(market, events):
    """All deals (secret tile, stack from the top) under which the public story could have happened, one by one.

    Every order of the 18 tiles is equally likely, so is every different sequence of kinds. The story fixes the market and the
    refills; the rest is tried out. A deal is possible if each revealed kind was in Medusa's hand at that time.
    """
    refills = [event.args[0] for event in events if event.name == "refills"]
    seen = Counter(market + refills)
    rest = [kind for kind in range(3) for _ in range(6 - seen[kind])]
    for secret in set(rest):
        below = list(rest)
        below.remove(secret)
        hand = hand_after(secret, events)
        if hand is not None:
            for stack in set(permutations(below)):
                yield hand, stack


def hand_after(secret, events):
    """Medusa's tiles after the story if that was the secret tile, or None if the story contradicts it."""
    hand = Counter([secret])
    for event in events:
        if event.name == "drafts":
            hand[event.args[0]] += 1
        if event.name == "reveals":
            hand[event.args[1]] -= 1
            if hand[event.args[1]] < 0:
                return None
    return tuple(hand[kind] for kind in range(3))


def exact_worlds(market, events, face_down):
    """The exact distribution of (hand, face-down kind, stack) given the public story; any tile may be the face-down one."""
    chances = Counter()
    for hand, stack in possible_deals(market, events):
        tiles = [kind for kind in range(3) for _ in range(hand[kind])] if face_down else [-1]
        for tile in tiles:
            rest = tuple(n - (kind == tile) for kind, n in enumerate(hand))
            chances[rest, tile, stack] += 1 / len(tiles)
    total = sum(chances.values())
    return {world: chance / total for world, chance in chances.items()}


def small_stacks(game, wanted, options=None):
    """Positions of random games with few tiles left, by phase and by whether the secret tile is still unknown."""
    found = {}
    for seed in range(4000):
        for match, market, events in public_story(game, seed, options):
            key = (match.state.phase, match.state.secret)
            if match.state.stack_n <= 4 and key in wanted and key not in found:
                found[key] = (match.copy(), market, events)
        if len(found) == len(wanted):
            return found
    raise AssertionError(f"only {sorted(found)} found")


@pytest.fixture(scope="module")
def late_positions(game):
    return small_stacks(game, {(phase, secret) for phase in (MEDUSA_DRAFT, PLACE, RESPOND, OVER) for secret in (0, 1)})


@pytest.mark.parametrize("secret", [0, 1])
@pytest.mark.parametrize("phase", [MEDUSA_DRAFT, PLACE, RESPOND, OVER])
@pytest.mark.parametrize("viewer", [CHAMPION, SPECTATOR])
def test_Q29_the_champions_worlds_are_the_exact_posterior(game, late_positions, phase, secret, viewer):
    """On small stacks `redeal` agrees with an enumeration of all deals that fit the public story (chi-squared)."""
    match, market, events = late_positions[phase, secret]
    expected = exact_worlds(market, events, phase == RESPOND)
    observed = Counter()
    for world in worlds(game, match, viewer, max(500, min(20 * len(expected), 6000))):
        stack = tuple(world.stack[: world.stack_n])[::-1]
        observed[tuple(world.hand[:3]), world.fd_kind if phase == RESPOND else -1, stack] += 1
    assert fits(observed, expected)
    truth = tuple(match.state.hand[:3].tolist()), match.state.fd_kind, tuple(match.state.stack[: match.state.stack_n].tolist())[::-1]
    assert truth in expected
    if secret == 1:
        assert len({hand for hand, _, _ in expected}) > 1


@pytest.mark.parametrize("phase", [MEDUSA_DRAFT, PLACE, RESPOND])
def test_R5_medusas_worlds_differ_in_the_order_of_the_stack_only(game, late_positions, phase):
    match, _, _ = late_positions[phase, 1]
    state = match.state
    orders = set(permutations(state.stack[: state.stack_n].tolist()))
    observed = Counter()
    for world in worlds(game, match, MEDUSA, 40 * len(orders)):
        observed[tuple(world.stack[: world.stack_n])] += 1
        assert (list(world.hand), world.fd_kind) == (state.hand.tolist(), state.fd_kind)
    assert fits(observed, {order: 1 / len(orders) for order in orders})


def test_Q29_public_knowledge_is_exactly_what_the_story_implies(game):
    """`known` and `secret` agree in every position with what can be concluded from the public story alone."""
    for seed in range(25):
        for match, market, events in public_story(game, seed):
            if match.state.phase in (RESPOND, ROTATE):
                continue
            refills = [event.args[0] for event in events if event.name == "refills"]
            seen = Counter(market + refills)
            hands = {hand_after(kind, events) for kind in range(3) if seen[kind] < 6} - {None}
            known = tuple(match.state.known[:3].tolist())
            if match.state.secret:
                unseen = [kind for kind in range(3) if seen[kind] < 6]
                assert hands == {tuple(n + (kind == extra) for kind, n in enumerate(known)) for extra in unseen}
            else:
                assert known == tuple(match.state.hand[:3].tolist())
                assert known in hands


def test_redealt_worlds_are_legal_and_playable(game):
    """R2, R20: component counts hold in every redealt world, and it can be played to the end."""
    for seed in range(4):
        for match, _, _ in public_story(game, seed):
            for viewer in (MEDUSA, CHAMPION, SPECTATOR):
                for world in worlds(game, match, viewer, 1):
                    game.rules.check(world)
                    twin = match.copy()
                    twin._array[:] = world.raw
                    chooser = random.Random(seed)
                    while not twin.over:
                        twin.play(chooser.choice(twin.legal()))
                    twin.check()


def suspected(game, match, count):
    """Worlds in which the face-down tile is one that Medusa's bot would have placed there."""
    suspect = game.interpreted(game.hints["suspect"])
    for world in worlds(game, match, CHAMPION, count):
        suspect(world, CHAMPION, Scratch.of(game.layout, 2))
        yield world


def test_R20_suspected_worlds_are_worlds_that_the_champion_thinks_possible(game):
    for seed in range(6):
        for match, _, _ in public_story(game, seed):
            for world in suspected(game, match, 1):
                game.rules.check(world)
                twin = match.copy()
                twin._array[:] = world.raw
                assert np.array_equal(twin.view(CHAMPION)._array, match.view(CHAMPION)._array)


def test_R20_the_champion_suspects_what_the_bot_would_place_there(game, lay):
    """Without a secret tile the Champion knows the hand; the first six spaces are all alike."""
    match = lay(known="HES")
    placed = Counter()
    for move, times in chosen(game, match, 600).items():
        placed["HES".index(str(move).split()[1])] += times
    match.play("place H 1")
    found = Counter(world.fd_kind for world in suspected(game, match, 600))
    assert len(found) == 3
    assert [found[kind] / 600 for kind in range(3)] == pytest.approx([placed[kind] / 600 for kind in range(3)], abs=0.09)


def test_hiding_is_complete_and_the_same_from_every_world(game):
    """R20: hiding two worlds that look alike to a viewer gives the same bytes."""
    for seed in range(12):
        for match, _, _ in public_story(game, seed):
            for viewer in (MEDUSA, CHAMPION):
                view = match.view(viewer)._array
                for world in worlds(game, match, viewer, 2):
                    twin = match.copy()
                    twin._array[:] = world.raw
                    assert np.array_equal(twin.view(viewer)._array, view)
