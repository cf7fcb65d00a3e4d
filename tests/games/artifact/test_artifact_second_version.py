"""The rules compared with a second, slow and simple version, over all options, in real games and in random positions."""

import random

import pytest

from rulestone.games.artifact.content import CELLS, LAND, MAP_NAMES, NONE, PLAYERS_OF

from .second_version import DISCARD, DRAW, LISTS, NUMBERS, OVER, PILES, PLAY, Reference, read

VARIANTS = {
    "shuffle_bases": (1,),
    "chase_and_take": (7,),
    "live_limit": (1,),
    "bonus_each": (1,),
    "holder_bonus": (1,),
    "swap_carry": (1,),
    "passive_take": (1,),
    "share": (0,),
    "adjacent": (4,),
    "jump_level": ("yes",),
    "max_height": (2, 3, 0),
    "protect": (1,),
    "block_supply": (1, 3),
    "seat_axes": (1,),
    "idle_cards": ("yes",),
    "hand_cap": (6,),
    "max_rounds": (5, 20),
    "opening_limit": (1, 2),
}


def variant(chance):
    """A map and some options, at random."""
    name = chance.choice(MAP_NAMES)
    return name, {option: chance.choice(values) for option, values in VARIANTS.items() if chance.random() < 0.3}


def scatter(match, chance):
    """Write a random position: pieces close together, blocks everywhere, and sometimes hardly a card left to draw."""
    s, options = match.state, match.options
    land = [cell for cell in range(CELLS) if LAND[s.map, cell]]
    corner = chance.randrange(len(land))
    close = land[corner : corner + 14]
    for seat in range(match.players):
        s.pos[seat] = chance.choice(close)
    mover = s.to_move = chance.randrange(match.players)
    s.art, s.holder = chance.choice(close), NONE
    if chance.random() < 0.5:
        s.holder = chance.randrange(match.players)
        s.art = int(s.pos[s.holder])
    for cell in land:
        s.h[cell] = chance.randrange((options["max_height"] or 5) + 1) if chance.random() < 0.5 else 0
    s.rot, s.spare = chance.randrange(4), chance.randrange(3) if options["block_supply"] else 0
    deal_anew(match, chance)
    s.phase = chance.choice([PLAY, DISCARD, DRAW] if s.disc_n and s.deck_n + s.disc_n > 1 else [PLAY, DISCARD])
    s.turn = chance.choice([0, 1, 2, 7, options["max_rounds"] * match.players - 1])
    s.bonus = chance.randrange(2)
    s.limit = 3 + (s.holder not in (NONE, mover)) + 3 * s.bonus
    if s.phase != DISCARD and s.pos[mover] == s.art:
        s.holder = mover


def deal_anew(match, chance):
    """All cards at random into hands of many sizes, the played cards and the piles."""
    s = match.state
    cards = [kind for kind in range(8) for _ in range(s.cnt[kind])]
    chance.shuffle(cards)
    s.hand, s.known, s.mine, s.epoch = 0, 0, 0, s.cnt
    for seat in range(match.players):
        for _ in range(chance.choice([1, 3, 6, 7, 9])):
            s.hand[seat, cards.pop()] += 1
    played = [cards.pop() for _ in range(chance.randrange(3))]
    discarded = [cards.pop() for _ in range(chance.randrange(6))]
    if chance.random() < 0.4:  # somebody hoards nearly all that is left
        hoarder = chance.randrange(match.players)
        while len(cards) > chance.randrange(5):
            s.hand[hoarder, cards.pop()] += 1
    for name, kinds in (("deck", cards), ("disc", discarded), ("played", played)):
        s[name] = NONE
        s[name][: len(kinds)] = kinds
        s[f"{name}_n"] = len(kinds)
    s.used = len(played)
    s.hand_n = s.hand.sum(axis=1)


def play_both(game, match, chance, moves):
    """Play at random, comparing everything after every move."""
    reference = Reference(match)
    for _ in range(moves):
        possible = [game.actions.parse(move) for move in match.legal()]
        assert possible == reference.legal()
        if match.over:
            break
        number = chance.choices(possible, [4 if action >= 12 else 1 for action in possible])[0]
        before = match.to_move
        match.play(number)
        real = read(match.state)
        reference.play(number, real)
        context = (game.actions.decode(number), before, match.options)
        for name in (*NUMBERS, *LISTS, *PILES):
            assert real[name] == getattr(reference, name), (name, *context)
        assert (match.to_move, match.payoff) == (reference.mover, reference.payoff), context
        assert match.over == (reference.phase == OVER)
        assert match.state.hand_n.tolist() == [sum(hand) for hand in real["hand"]]


@pytest.mark.parametrize("seed", range(30))
def test_R6_real_games_go_as_in_the_second_version_of_the_rules(game, seed):
    chance = random.Random(seed)
    name, options = variant(chance)
    match = game.new(seed=seed, players=PLAYERS_OF[name], options={"map": name, **options})
    play_both(game, match, chance, 150)
    match.check()


@pytest.mark.parametrize("seed", range(200))
def test_R6_laid_positions_go_as_in_the_second_version_of_the_rules(game, seed):
    chance = random.Random(f"laid {seed}")
    name, options = variant(chance)
    match = game.new(seed=seed, players=PLAYERS_OF[name], options={"map": name, **options})
    scatter(match, chance)
    play_both(game, match, chance, 40)
