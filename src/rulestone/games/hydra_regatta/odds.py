"""When a second Movement die pays, by exact odds: `match.outcomes` lists every throw, and `busts` judges it.

>>> import rulestone
>>> [str(gain) for gain in gains(rulestone.load("hydra_regatta").new(seed=1), fish=0)]
['7/2', '3', '2', '1/2', '-3/2', '-4']
"""

from fractions import Fraction

from .rules import ACTIONS, MAX_FISH, NONE, busts

FACES = range(1, 7)


def gains(match, fish, price=0):
    """For each first die, what a second one brings on average, in movement, if the player has this many fish.

    Whoever has a fish may spend it to throw the second die again; it counts as `price` movement, and is spent if that pays.
    """
    return [_second(_asked(match, first, fish), "roll2", Fraction(price)) - first for first in FACES]


def thresholds(match, price=0):
    """For 0, 1, … fish, the highest first die with which a second one pays."""
    tables = [gains(match, fish, price) for fish in range(MAX_FISH + 1)]
    return [max((first for first, gain in zip(FACES, table, strict=True) if gain > 0), default=0) for table in tables]


def _asked(match, first, fish):
    """The position in which a player has thrown this first die and has this many fish, and no Favor to use."""
    match = match.copy()
    while "roll2" not in [move.verb for move in match.legal()]:
        match.play(match.legal()[0])
    s, player = match.state, match.to_move
    s.d1[player], s.fish[player] = first, fish
    s.slots[player] = NONE
    return match


def _second(match, verb, price):
    """The expected movement of both dice after throwing the second one, with the best use of the fish left."""
    player, first = match.to_move, int(match.state.d1[match.to_move])
    total = Fraction(0)
    for outcome in match.outcomes((verb,)):
        after = outcome.match
        second = int(after.state.d2[player])
        kept = 0 if after.state.bust[player] or busts(first, second) else first + second
        again = not after.over and after.to_move == player and ACTIONS.reroll2() in after.legal_actions()
        total += outcome.probability * max(kept, _second(after, "reroll2", price) - price if again else 0)
    return total
