"""Toss: a fair bet whose deal everybody sees. Roll two dice, of which the higher one counts for nothing; then call a coin.

Nobody can do better than chance here, so every policy is worth 0. Whoever could tell the seed from the deal would always win.
"""

from rulestone.kernel import NOBODY, About, Actions, Reasons, Record, rand, rule, u8

MARKS, SIDES = 41, 3

ABOUT = About(title="Toss", min_players=2, max_players=2, longest=2, zero_sum=True)
ACTIONS = Actions(roll=(), call="heads tails")
REASONS = Reasons(rolled="You have rolled already.", first="Roll first.")


class State(Record):
    """What was dealt and rolled, for everybody to see."""

    mark: u8  # dealt
    high: u8  # the higher of two dice with three sides; 0 before the roll


@rule
def setup(s):
    s.mark = rand(s, MARKS)


@rule
def may_roll(s):
    return REASONS.rolled if s.high else 0


@rule
def do_roll(s):
    one = 1 + rand(s, SIDES)
    other = 1 + rand(s, SIDES)
    s.high = max(one, other)


@rule
def may_call(s, side):
    return 0 if s.high else REASONS.first


@rule
def do_call(s, side):
    winner = 0 if rand(s, 2) == side else 1
    s.payoff[winner] = 1
    s.payoff[1 - winner] = -1
    s.to_move = NOBODY
