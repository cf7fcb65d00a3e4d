"""Reasons why a move is illegal, each with its sentence.

`may_VERB` returns 0 if a move is legal, else a reason, with up to two numbers for its sentence:

>>> reasons = Reasons(names={"card": ("Ho", "Vert")}, stone="That tile is stone. [R13]", none="You have no {card:card} in hand. [R10]")
>>> reasons.say(reasons.stone)
'That tile is stone. [R13]'
>>> reasons.say(because(reasons.none, 1))
'You have no Vert in hand. [R10]'
"""

from __future__ import annotations

from rulestone.kernel.rule import rule
from rulestone.kernel.story import Vocabulary


class Reasons(Vocabulary):
    """The reasons of a game, declared as `REASONS`: a name and a sentence each.

    A sentence can show two numbers in braces, in the order `because` gets them. `{x}` prints the number, `{x:seat}` the name of that
    seat, `{x:word}` the entry of `names["word"]`. A sentence can end with the rule that forbids the move, `[R13]`. Inside a rule,
    `REASONS.stone` is the number of that reason, which is never 0.
    """

    first = 1
    most = 2

    def say(self, reason: int, seats: tuple[str, ...] = ()) -> str:
        """Return the sentence for what `may_VERB` returned. `seats` are the names of the seats."""
        name = self.order[(reason & 255) - self.first]
        return self.fill(name, (reason >> 8 & 0xFFFF, reason >> 24 & 0xFFFF), seats)


@rule
def because(reason: int, a: int = 0, b: int = 0) -> int:
    """Return a reason together with the numbers its sentence shows, each 0..65535."""
    return reason | a << 8 | b << 24
