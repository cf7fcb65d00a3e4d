"""Lists of actions, and small sets as integers: bit k is set if the number k (0..62) is in the set.

>>> bits = 1 << 2 | 1 << 5
>>> lowest(bits), size(bits), nth(bits, 1)
(2, 2, 5)
>>> out = [0] * 4
>>> list_set(bits, out, 0), out
(2, [2, 5, 0, 0])
"""

from typing import Any

from rulestone.kernel.rule import rule


@rule
def lowest(bits: int) -> int:
    """Return the smallest number in a set, which must not be empty."""
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
    """Return how many numbers are in a set."""
    count = 0
    while bits != 0:
        bits &= bits - 1
        count += 1
    return count


@rule
def nth(bits: int, place: int) -> int:
    """Return the number at a place (0, 1, …) of a set in ascending order."""
    for _ in range(place):
        bits &= bits - 1
    return lowest(bits)


@rule
def list_if(reason: int, action: int, out: Any, n: int) -> int:
    """Write an action to `out[n]` if `reason` is 0 (the move is legal). Returns the next free place."""
    if reason == 0:
        out[n] = action
        n += 1
    return n


@rule
def list_set(bits: int, out: Any, n: int) -> int:
    """Write the numbers in a set to `out` from place n on, in ascending order. Returns the next free place."""
    number = 0
    while bits != 0:
        if bits & 1:
            out[n] = number
            n += 1
        bits >>= 1
        number += 1
    return n
