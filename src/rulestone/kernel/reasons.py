"""Reasons: why a move is not possible now, each said once.

`may_VERB` returns 0 if the move is possible, else a reason, perhaps with up to two numbers that its sentence shows:

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
    """Why moves are refused: for each reason a sentence, which may show two numbers in braces, in the order `because` gives them.

    `{x}` prints the number, `{x:seat}` the name of that seat, `{x:word}` the entry of `names["word"]`. A sentence may end in the
    rule that forbids the move, `[R13]`. Inside a rule `REASONS.stone` is the reason's number, which is never 0.
    """

    first = 1
    most = 2

    def say(self, reason: int, seats: tuple[str, ...] = ()) -> str:
        """The sentence for what `may_VERB` returned."""
        name = self.order[(reason & 255) - self.first]
        return self.fill(name, (reason >> 8 & 0xFFFF, reason >> 24 & 0xFFFF), seats)


@rule
def because(reason: int, a: int = 0, b: int = 0) -> int:
    """A reason with the numbers its sentence shows, each 0..65535."""
    return reason | a << 8 | b << 24
