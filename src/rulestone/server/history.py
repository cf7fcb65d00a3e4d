"""Earlier positions of a match, for all who look back."""

from __future__ import annotations

import numpy as np

from rulestone.match import Match


def length(match: Match) -> int:
    """How many moves were made since the start (or the laid-out position)."""
    return len(match._past)


def at(match: Match, index: int) -> Match:
    """The match as it stood before its move number `index` (`length(match)`: as it stands now)."""
    twin = match.copy()
    if index < len(twin._past):
        raw = twin._past[index].before
        twin._array[:] = np.frombuffer(raw, twin.game.layout.dtype)
        twin._now = raw
        del twin._past[index:]
    return twin


def action(match: Match, index: int) -> int:
    """The number of move `index`'s action."""
    return match._past[index].action


def laid_out(match: Match, raw: bytes) -> None:
    """Make `raw` the starting position of a fresh match (its record then says so)."""
    match._array[:] = np.frombuffer(raw, match.game.layout.dtype)
    match._notice_edits()


def pages(match: Match, viewer: int | None) -> list[int]:
    """The positions that a viewer can look back at, as numbers for `at`: before each move they noticed, and now."""
    return match.pages(viewer)
