"""A bot that always calls 1."""

from rulestone.kernel import rule


@rule
def greedy(s, moves, count, scratch):
    return moves[count - 1]
