"""Lists of actions, and sets of small numbers as the bits of one number, as rules keep them: bit k stands for k (0..62)."""

from typing import Any

from rulestone.kernel.rule import rule


@rule
def lowest(bits: int) -> int:
    """The smallest number of a set that is not empty."""
    number = 0
    while bits & 0xFFFF == 0:
        bits >>= 16
        number += 16
    while bits & 1 == 0:
        bits >>= 1
        number += 1
    return number


@rule
def size(bits: int) -> int:
    """How many numbers a set has."""
    count = 0
    while bits != 0:
        bits &= bits - 1
        count += 1
    return count


@rule
def nth(bits: int, place: int) -> int:
    """The number at a place (0, 1, …) of a set, in ascending order."""
    for _ in range(place):
        bits &= bits - 1
    return lowest(bits)


@rule
def list_if(reason: int, action: int, out: Any, n: int) -> int:
    """Write an action to `out` at place n if there is no reason against it; returns the place behind it."""
    if reason == 0:
        out[n] = action
        n += 1
    return n


@rule
def list_set(bits: int, out: Any, n: int) -> int:
    """Write the numbers of a set to `out` from place n on, ascending; returns the place behind them. So a set of actions becomes a list."""
    number = 0
    while bits != 0:
        if bits & 1:
            out[n] = number
            n += 1
        bits >>= 1
        number += 1
    return n
