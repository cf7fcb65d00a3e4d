"""Piles and hands as rules keep them: a row of numbers with a blank value where nothing lies, or a count for each kind."""

from typing import Any

from rulestone.kernel.chance import rand
from rulestone.kernel.rule import int64, rule


@rule
def fill(items: Any, start: int, stop: int, value: int) -> None:
    """Write one value to items[start:stop] (a one-dimensional field): how a pile is blanked."""
    for place in range(start, stop):
        items[place] = value


@rule
def lift(items: Any, place: int, blank: int) -> int:
    """Take the thing at a place off a pile and leave `blank` there; returns what was taken."""
    thing = int64(items[place])
    items[place] = blank
    return thing


@rule
def pick(s: Any, counts: Any, start: int, stop: int) -> int:
    """Draw a kind from start..stop-1 at random, each as likely as its share of counts[start:stop]; -1 if they are all zero."""
    total = 0
    for kind in range(start, stop):
        total += int64(counts[kind])
    if total == 0:
        return -1
    place = rand(s, total)
    kind = start
    while place >= counts[kind]:
        place -= int64(counts[kind])
        kind += 1
    return kind
