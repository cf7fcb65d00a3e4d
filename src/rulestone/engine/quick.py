"""Asking the quick bot, as templates that call one game's `greedy` (from its `bot.py`) and `conceal`."""

from rulestone.kernel.chance import rand
from rulestone.kernel.rule import int64, rule


@rule
def quick_move(s, moves, count, scratch, rng):
    """Return the quick bot's choice from moves[:count] for the player to move in a true record.

    The bot sees only what that player can know. `rng` is its own generator state, so that its choice doesn't affect the dice.
    """
    scratch[0] = s
    known = scratch[0]
    conceal(known, s.to_move)  # noqa: F821
    known.rng = rng
    return int64(greedy(known, moves, count, scratch[1:]))  # noqa: F821


@rule
def quick_move_in(states, count, moves):
    """Return the quick bot's choice in the hidden record states[0]; the other records are scratch space."""
    return int64(greedy(states[0], moves, count, states[1:]))  # noqa: F821


@rule
def any_move(s, moves, count, scratch):
    """`greedy` of a game without its own bot: a random move."""
    return moves[rand(s, count)]
