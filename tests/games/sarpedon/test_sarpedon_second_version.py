"""Sarpedon against the sheet in plain Python: every field after every move, in messy positions under random options."""

import random

import pytest

from tests.games.sarpedon.sarpedon_positions import game
from tests.games.sarpedon.second_version import FIELDS, Sheet, fields


def messy_position(rng):
    """Anything that can lie on the board, whether or not a game leads there; often late in the game."""
    values = {name: rng.choice(option.values()) for name, option in game().options.items() if rng.random() < 0.5}
    match = game().new(seed=rng.randrange(1000), options=values)
    state = match.state
    state.to_move, state.phase = rng.randrange(4), 0
    state.quad = rng.sample(range(4), 4)
    state.pos = [rng.choice((4, 4, 3, 8, rng.randint(1, 16), rng.randint(1, 16))) for _ in range(4)]
    state.round = rng.choice((1, 9, state.max_rounds - 1, state.max_rounds))
    for p in range(4):
        inside = state.pos[p] == 4
        state.has[p] = rng.randrange(8) & rng.choice((7, 5))
        state.shards[p] = rng.choice((0, 0, 1))
        state.cused[p] = inside and rng.choice((0, 0, 1))
        state.barred[p] = (inside or state.swap_centre) and rng.random() < 0.2
        state.frozen[p] = not inside and p != state.to_move and rng.random() < 0.3
    dense = rng.random()
    for q in range(4):
        state.deck[q], state.mtype[q] = rng.sample(range(1, 17), 16), rng.sample(range(3), 3)
        state.dptr[q] = rng.choice((16, int(17 * dense * rng.random()), int(17 * dense * rng.random())))
        for card in state.deck[q, : state.dptr[q]]:
            state.cover[q, card - 1] = rng.choice((1, 1, 1, 1, 1, 0, 2, 3, 4))
        for k in range(3):
            state.mstate[q, k] = rng.choice((1, 1, 1, 0, 2))
            state.mknown[q, k] = state.mstate[q, k] != 1 and (k > 0 or rng.random() < 0.8)
    return match


def any_move(rng, actions):
    """A move, with steps and cards other than Protect Tile chosen more often than their number suggests."""
    steps = [action for action in actions if 1 <= action <= 16]
    cards = [action for action in actions if action > 80]
    return rng.choice(rng.choice([group for group in (steps, steps, cards, actions) if group]))


@pytest.mark.parametrize("block", range(5))
def test_R9_R24_R37_Q24_Q36_Q53_every_field_is_what_the_sheet_says(block):
    rng = random.Random(block)
    for _ in range(250):
        match = messy_position(rng)
        sheet = Sheet(match)
        for _ in range(rng.choice((2, 6, 20))):
            actions = sheet.legal()
            assert [match.game.actions.encode(move.verb, *move.args) for move in match.legal()] == actions
            if not actions:
                break
            action = any_move(rng, actions)
            match.play(action)
            sheet.play(action)
            if sheet.shards_rolled_for:
                sheet.die = match.state.die
                sheet.result, sheet.reason = (1, 2) if sheet.die <= sheet.shards_rolled_for else (-1, 5)
            assert fields(match) == {name: getattr(sheet, name) for name in FIELDS}
            assert match.to_move == sheet.to_move
            assert match.payoff == (sheet.result,) * 4
            assert all(match.say(event) for event in match.events)
