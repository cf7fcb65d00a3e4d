"""Chance: the only source of randomness, with the same stream of numbers in every mode.

The generator is SplitMix64 on the record's `rng` field: 64 bits of state, one addition and one mix per draw. `& MASK` makes Python's
unlimited integers wrap like the machine's.

>>> from rulestone.kernel import Record, u8
>>> class State(Record):
...     cards: u8[5]
>>> s = State.layout(players=2).new()
>>> s.rng = 7
>>> all(0 <= rand(s, 6) <= 5 for _ in range(100))
True
>>> for k in range(5):
...     s.cards[k] = k
>>> shuffle(s, s.cards, 0, 5)
>>> sorted(s.cards)
[0, 1, 2, 3, 4]
"""

from typing import Any

from rulestone.kernel.rule import int64, rule, uint64

MASK = 0xFFFF_FFFF_FFFF_FFFF
GOLDEN, MIX_A, MIX_B = 0x9E37_79B9_7F4A_7C15, 0xBF58_476D_1CE4_E5B9, 0x94D0_49BB_1331_11EB


@rule
def rand(s: Any, n: int) -> int:
    """Return a uniformly random number 0..n-1, for 1 <= n < 2**31, without modulo bias (Lemire's method)."""
    product = draw32(s) * n
    low = product & 0xFFFFFFFF
    if low < n:
        threshold = (4294967296 - n) % n
        while low < threshold:
            product = draw32(s) * n
            low = product & 0xFFFFFFFF
    return product >> 32


@rule
def shuffle(s: Any, items: Any, start: int, stop: int) -> None:
    """Shuffle items[start:stop] in place; every order is equally likely. `items` is a one-dimensional field of the record."""
    for last in range(stop - 1, start, -1):
        other = start + rand(s, last - start + 1)
        kept = items[last]
        items[last] = items[other]
        items[other] = kept


@rule
def shuffle_row(s: Any, items: Any, row: int, start: int, stop: int) -> None:
    """Shuffle items[row, start:stop] in place; every order is equally likely. `items` is a two-dimensional field of the record."""
    for last in range(stop - 1, start, -1):
        other = start + rand(s, last - start + 1)
        kept = items[row, last]
        items[row, last] = items[row, other]
        items[row, other] = kept


@rule
def draw32(s: Any) -> int:
    """Return the next 32 random bits."""
    z = (s.rng + GOLDEN) & MASK
    s.rng = z
    z = ((z ^ (z >> 30)) * MIX_A) & MASK
    z = ((z ^ (z >> 27)) * MIX_B) & MASK
    return int64((z ^ (z >> 31)) >> 32)


@rule
def stream(seed: int, index: int) -> int:
    """Return the initial generator state of game number `index` of many independent games with one seed."""
    z = (uint64(seed) + uint64(index + 1) * GOLDEN) & MASK
    z = ((z ^ (z >> 33)) * 0xFF51_AFD7_ED55_8CCD) & MASK
    z = ((z ^ (z >> 33)) * 0xC4CE_B9FE_1A85_EC53) & MASK
    return z ^ (z >> 33)
