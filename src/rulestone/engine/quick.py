"""Asking the quick bot, as templates: `greedy` stands for that of a game's `bot.py`, `conceal` for the game's."""

from rulestone.kernel.chance import rand
from rulestone.kernel.rule import int64, rule


@rule
def quick_move(s, moves, count, scratch, rng):
    """The quick bot's choice of moves[:count] for the player to move in a true record, of which it is shown what that player may know.

    `rng` is its own generator, so that its thoughts change no dice.
    """
    scratch[0] = s
    known = scratch[0]
    conceal(known, s.to_move)  # noqa: F821
    known.rng = rng
    return int64(greedy(known, moves, count, scratch[1:]))  # noqa: F821


@rule
def quick_move_in(states, count, moves):
    """The same in the hidden record states[0]; the others are its scratch paper."""
    return int64(greedy(states[0], moves, count, states[1:]))  # noqa: F821


@rule
def any_move(s, moves, count, scratch):
    """`greedy` of a game that has no bot of its own."""
    return moves[rand(s, count)]
