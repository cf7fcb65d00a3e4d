"""A bot that always dares."""

from rulestone.kernel import rule


@rule
def greedy(s, moves, count, scratch):
    return moves[count - 1]
