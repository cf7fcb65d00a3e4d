"""Earlier positions of a match, for all who look back."""

from __future__ import annotations

import numpy as np

from rulestone.kernel.about import SPECTATOR
from rulestone.match import Match


def length(match: Match) -> int:
    """How many moves were made since the start (or the laid-out position)."""
    return len(match._past)


def at(match: Match, index: int) -> Match:
    """The match as it stood before its move number `index` (`length(match)`: as it stands now)."""
    twin = match.copy()
    if index < len(twin._past):
        raw = twin._past[index][1]
        twin._array[:] = np.frombuffer(raw, twin.game.layout.dtype)
        twin._now = raw
        del twin._past[index:]
    return twin


def action(match: Match, index: int) -> int:
    """The number of move `index`'s action."""
    return match._past[index][0]


def laid_out(match: Match, raw: bytes) -> None:
    """Make `raw` the starting position of a fresh match (its record then says so)."""
    match._array[:] = np.frombuffer(raw, match.game.layout.dtype)
    match._notice_edits()


def pages(match: Match, viewer: int | None) -> list[int]:
    """The positions that a viewer can look back at, as numbers for `at`: before each move they noticed, and now."""
    heard = match._moves_seen_by(SPECTATOR if viewer is None else viewer)
    return [*(index for index, move in enumerate(heard) if move is not None), len(heard)]
