"""The rules compared with a second, slow and simple version, over all options, in real games and in random positions."""

import random

import pytest

from .second_version import CARDS, COURSE, DECISIONS, ENDWIN, NOTHING, USE, Race, fields


def new(game, chance):
    options = {name: chance.choice([option.choices[0], *option.choices]) for name, option in game.options.items()}
    return game.new(seed=chance.randrange(10**9), players=chance.choice([2, 3, 4]), options=options)


def play_both(match, chance, decisions):
    """Play at random; at every decision the possible moves, all fields and what a player sees of them are the same.

    Returns what was decided: the phase, and the verb or the Favor that was used.
    """
    race = Race(match)
    going = race.race()
    expected = next(going)
    eager = chance.choice([1, 1, 4])  # for Favors
    decided = []
    while True:
        context = (decided[-3:], match.to_move, match.options)
        assert [match.game.actions.parse(move) for move in match.legal()] == expected, context
        agree(fields(match), race.fields(), context)
        for viewer in viewers(match, race, chance):
            agree(fields(match.view(viewer)), race.seen(viewer), ("seen by", viewer, *context))
        assert match.to_move == race.to_move, context
        assert match.payoff == pytest.approx(race.payoff), context
        if match.over or len(decided) == decisions:
            return decided
        action = chance.choices(expected, [eager if action in (USE, USE + 1) else 1 for action in expected])[0]
        move = match.game.actions.decode(action)
        decided.append((race.asked, race.held(race.to_move)[move.args[0]] if move.verb == "use" else move.verb))
        race.rng = chance.randrange(2**60)
        match.play(action, rng=race.rng)
        race.ply = match.ply
        expected = going.send(action)
        assert match.state.rng == race.rng, context


def agree(real, expected, context):
    assert {name: (real[name], expected[name]) for name in real if real[name] != expected[name]} == {}, context


def viewers(match, race, chance):
    """Everybody while all roll at the same time, otherwise just one viewer: all see the same."""
    everybody = [None, *range(match.players)]
    return everybody if race.rolling else [chance.choice(everybody)]


def lay(match, chance):
    """Somebody has no movement left, and the rest is random: Ships close together, many wedges, few cards to draw."""
    s, n = match.state, match.players
    s.phase, s.setup_i, s.round = ENDWIN, n, chance.choice([1, 9])
    s.fleece, s.turn = chance.randrange(n), chance.randrange(n)
    mover = s.to_move = (s.fleece + s.turn) % n
    lay_wedges(s, n, mover, chance)
    first = chance.choice([10, 11, chance.randrange(12)])
    slots = [(s.start_slot + first + k) % 12 for k in range(3)]
    close = [slot * 16 + dot for slot in slots for dot in range(len(COURSE[s.top[slot]]))]
    chance.shuffle(close)
    if chance.random() < 0.5:  # the last one is taken first
        close.sort(key=lambda place: COURSE[s.top[place // 16]][place % 16]["item"] in ("Y", "Z"))
    for p in chance.sample(range(n), n):
        s.pos[p] = s.wake[p] = close.pop()
        s.fish[p] = chance.randrange(4)
        s.nav[p] = chance.randint(1, 3)
        s.d1[p] = chance.randrange(7)
        s.d2[p] = chance.randint(s.d1[p], 6) if s.d1[p] and chance.random() < 0.5 else 0
        s.bust[p] = s.d1[p] == 0
        moved = (p - s.fleece) % n <= s.turn
        s.laps[p] = chance.randrange(match.options["laps"] + (moved and chance.random() < 0.2))
        s.final |= s.laps[p] == match.options["laps"]
    s.cur, s.moved, s.prot, s.flags = s.pos[mover], chance.randint(1, 9), chance.randrange(7), chance.choice([0, 0, 0, 8])
    lay_cards(s, n, mover, chance)
    match.refresh()
    match.check()


def lay_wedges(s, n, mover, chance):
    s.stack_n = chance.choice([0, 1, chance.randrange(17)])
    used = s.stack.tolist()[: 16 - s.stack_n]
    for p in range(n):
        for k in range(chance.randrange(3 if n == 2 else 2)):
            if used:
                s.hand[p, k] = used.pop()
                s.wdrawn += p == mover
    for wedge in used:
        slot = (s.start_slot + chance.randint(1, 11)) % 12
        s.top[slot] = wedge
        s.height[slot] += 1


def lay_cards(s, n, mover, chance):
    cards = chance.sample(range(36), 36)
    s.slots, s.face, s.deck = NOTHING, NOTHING, NOTHING
    for p in range(n):
        for k in range(chance.randrange(3)):
            s.slots[p, k] = cards.pop()
    move_on = next(card for card in cards if CARDS[card // 2] in ("Hephaestus", "Hermes"))
    cards.remove(move_on)
    if s.slots[mover, 0] != NOTHING:
        cards.append(s.slots[mover, 0])
    s.slots[mover, 0] = move_on
    chance.shuffle(cards)
    s.face_n = chance.randrange(3)
    s.drawn = chance.randint(s.face_n, 2)
    for k in range(s.face_n):
        s.face[k] = cards.pop()
    s.reshuf = s.face_n > 0 and chance.random() < 0.3
    s.deck_n = chance.choice([0, 1, 2, chance.randrange(len(cards) + 1)])
    for k in range(36 - s.deck_n, 36):
        s.deck[k] = cards.pop()
    s.disc = sum(1 << int(card) for card in cards)


def whole_race(game, seed):
    chance = random.Random(seed)
    return play_both(new(game, chance), chance, None)


def from_laid_position(game, seed):
    chance = random.Random(f"laid {seed}")
    match = new(game, chance)
    lay(match, chance)
    return play_both(match, chance, 40)


@pytest.mark.parametrize("seed", range(30))
def test_R12_whole_races_go_as_in_the_second_version_of_the_rules(regatta, seed):
    whole_race(regatta.game, seed)


@pytest.mark.parametrize("seed", range(200))
def test_R12_laid_positions_go_as_in_the_second_version_of_the_rules(regatta, seed):
    from_laid_position(regatta.game, seed)


@pytest.mark.slow
def test_R12_Q31_many_more_races_agree_and_meet_every_decision_and_use_every_boat_whenever_it_may_be_used(regatta):
    decided = set()
    for seed in range(100, 150):
        decided.update(whole_race(regatta.game, seed))
    for seed in range(1000, 1500):
        decided.update(from_laid_position(regatta.game, seed))
    assert decided == {(phase, what) for phase, everything in DECISIONS.items() for what in everything}
