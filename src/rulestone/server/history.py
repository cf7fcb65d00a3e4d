"""Earlier positions of a match, and whether a move told anybody something new."""

from __future__ import annotations

import random
from collections.abc import Iterable

import numpy as np

from rulestone.kernel.about import SPECTATOR
from rulestone.match import Match

WORLDS = 64
"""How many redealt worlds are tried before a move counts as having revealed nothing."""


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


def reveals(match: Match, index: int, viewers: Iterable[int | None]) -> bool:
    """Did move number `index` tell one of these viewers anything that did not follow from what they knew and the move itself?

    The engine decides: worlds redealt from what the viewer knew before, with other dice, are played on by the same move; if the
    viewer sees in each of them exactly what he really saw, he has learnt nothing. Asked again, the answer is the same.
    """
    before, after = at(match, index), at(match, index + 1)
    made = action(match, index)
    return any(_learns(before, after, made, SPECTATOR if viewer is None else viewer) for viewer in viewers)


def _learns(before: Match, after: Match, made: int, viewer: int) -> bool:
    seen = _hidden(after, viewer)
    chance = random.Random(f"{before.seed} {before.ply} {viewer}")
    for _ in range(WORLDS):
        world = before.copy()
        world._run("conceal", viewer)
        world._s.rng = chance.getrandbits(64)
        world._run("redeal", viewer)
        if made not in world._legal_actions():
            return True
        world._s.rng = chance.getrandbits(64)
        world._run("step", made)
        if _hidden(world, viewer) != seen:
            return True
    return False


def _hidden(match: Match, viewer: int) -> bytes:
    twin = match.copy()
    twin._run("conceal", viewer)
    return twin._array.tobytes()
