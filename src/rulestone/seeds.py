"""Seeds that nobody can steer, made of a server's secret and of a number from each player's browser.

1. The server draws a secret and shows its SHA-256, the `commitment`.
2. Each browser draws a number, its `value`, and sends the hash of it, the `pledge`.
3. Once all pledges are known to everybody, the browsers send their values.
4. The seed is a hash of the secret and of all values. For a value that never came, its pledge is used.

Nobody can choose the seed: each part was fixed before its owner knew the others. The page's own verifier, `verify.js`, repeats these few
lines in JavaScript, and both are tested with the same examples. What this promises, and what not, is in docs/records.md.

>>> parts = Parts("s3cret", (pledge("a" * 64), None), ("a" * 64, None))
>>> parts.seed()[:16], parts.commitment[:16]
('c6025b00800c506b', '1ec1c26b50d5d3c5')
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def pledge(value: str) -> str:
    """The hash that a browser sends before its value."""
    return sha256(f"rulestone pledge {value}")


@dataclass(frozen=True)
class Parts:
    """What a seed is made of. Seats without a browser that pledged (bots, programs) have None."""

    secret: str
    pledges: tuple[str | None, ...]
    values: tuple[str | None, ...]

    @property
    def commitment(self) -> str:
        """What the server showed before anything else was known."""
        return sha256(self.secret)

    def seed(self) -> str:
        """The seed of the game."""
        lines = ["rulestone seed", f"secret {self.secret}"]
        for promised, value in zip(self.pledges, self.values, strict=True):
            lines.append(f"value {value}" if value else f"pledge {promised}" if promised else "nothing")
        return sha256("\n".join(lines))

    def says(self) -> list[str]:
        """What each seat had to do with the seed, in words."""
        words = {(True, True): "number in the seed", (True, False): "number never came, so its pledge is in the seed"}
        return [words.get((bool(one), bool(value)), "no part in the seed") for one, value in zip(self.pledges, self.values, strict=True)]

    def data(self) -> dict[str, Any]:
        """The parts as they are in a record."""
        return {"secret": self.secret, "commitment": self.commitment, "pledges": list(self.pledges), "values": list(self.values)}

    @classmethod
    def read(cls, data: Any, seats: int) -> Parts:
        """The parts from a record. Raises ValueError, with a sentence, if they contradict each other."""
        try:
            parts = cls(data["secret"], tuple(data["pledges"]), tuple(data["values"]))
            sizes = len(parts.pledges), len(parts.values)
            known = isinstance(data, Mapping) and isinstance(parts.secret, str) and sizes == (seats, seats)
            known = known and all(one is None or is_hash(one) for one in (*parts.pledges, *parts.values))
        except (KeyError, TypeError):
            known = False
        if not known:
            raise ValueError("the parts of the seed can't be read")
        if data.get("commitment") != parts.commitment:
            raise ValueError("the server's secret does not match its commitment")
        for seat, (promised, value) in enumerate(zip(parts.pledges, parts.values, strict=True)):
            if value is not None and pledge(value) != promised:
                raise ValueError(f"the value of player {seat} does not match its pledge")
        return parts


def is_hash(text: Any) -> bool:
    """Whether this is a SHA-256, or a value of the same size, as lower-case hexadecimal digits."""
    return isinstance(text, str) and re.fullmatch(r"[0-9a-f]{64}", text) is not None
