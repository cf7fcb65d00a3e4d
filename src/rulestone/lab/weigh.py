"""What a decision is about: some of its moves weighed against each other once more, on equal terms.

A search flatters the move it likes best (the best of many rough numbers is too high) and hardly knows the others. So of a sample of
decisions the moves in question are named by the first thinking and compared by a second one: with fresh chance, equally many simulations
for each, and the same imagined worlds. What is then measured is as often too high as too low.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rulestone.bots import Thoughts, tree
from rulestone.bots.search import Search, Tree
from rulestone.game import Game
from rulestone.kernel.actions import Move
from rulestone.kernel.chance import MASK, stream
from rulestone.match import Match
from rulestone.statistics import student, z_for

EVERY = 16
"""In every which decision (drawn by lot) moves are weighed."""
SIMULATIONS, HEAPS = 1000, 10
"""For each move, in heaps whose differences tell how sure the comparison is."""
RIVALS = ("kind", "second", "median")
"""What the best move is compared with: the best move of another verb, the second-best move, the middle one."""
WORTH, HOPELESS, SHIFT = 0.02, 0.02, 0.10
"""A decision matters from so much of a win on; a player without so much has no chance; and makes a king from so much on."""
CANDIDATES = 6
"""Moves of a player without a chance that are looked at."""
SURE = student(z_for(), HEAPS - 1)


@dataclass
class Weighed:
    """One decision: where, the verb of the best move, by how much (and how surely) it is better than each rival; and whether the player
    had no chance of their own but decided among the others.
    """

    ply: int
    verb: str
    gaps: dict[str, tuple[float, float]] = field(default_factory=dict)
    hopeless: bool = False
    king: bool = False


def chances(values: Sequence[float], game: Game) -> list[float]:
    """Expected payoffs as chances to win; in a cooperative game those of the team and of the game itself.

    A loser is taken to get -1, or, where payoffs add up to 0, the winner's share of the loss.
    """
    if game.cooperative:
        team = (values[0] + 1) / 2
        return [team, 1 - team]
    lost = -1 / (len(values) - 1) if game.about.zero_sum and len(values) > 1 else -1.0
    return [min(1.0, max(0.0, (value - lost) / (1 - lost))) for value in values]


class Scales:
    """A search that looks at one move at a time."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.search = Search(game)
        self.tree = Tree(game, SIMULATIONS + 2, self.search.jit)

    def weigh(self, view: Match, move: Move, seed: int, simulations: int = SIMULATIONS) -> NDArray[np.float64] | None:
        """Everybody's chance after a move, a row for each heap; the same seed means the same worlds. None if it is no move to think of."""
        own, size = self.tree, simulations // HEAPS
        own.reset(view.array)
        self.search.run(own, seed, 0, 1, True)  # makes the root
        edges = own.edges[: int(own.nodes[0, tree.COUNT])]
        edges[:, tree.TIMES : tree.PRIOR] = 0
        edges[:, tree.PRIOR] = edges[:, tree.ACTION] == self.game.actions.parse(move)
        if not edges[:, tree.PRIOR].any():
            return None
        made = []
        for heap in range(HEAPS):
            own.totals[:] = 0
            self.search.run(own, seed, 1 + heap * size, size, True)
            made.append(chances((own.totals[: view.players] / size).tolist(), self.game))
        return np.array(made)

    def decision(self, view: Match, thoughts: Thoughts, seed: int, ply: int | None = None) -> Weighed | None:
        """One decision on the scales, after `ply` moves if its player has not noticed all; None if there is nothing to compare."""
        moves = thoughts.moves
        if len(moves) < 2:
            return None
        me = 0 if self.game.cooperative else view.viewer or 0
        made = Weighed(view.ply if ply is None else ply, moves[0][0])
        best = self.weigh(view, moves[0], seed)
        if best is None:
            return None
        other_verb = next((move for move in moves if move[0] != moves[0][0]), None)
        rivals = {"kind": other_verb, "second": moves[1], "median": moves[len(moves) // 2]}
        known: dict[Move, tuple[float, float]] = {}
        for name, move in rivals.items():
            if move is not None and move not in known and (other := self.weigh(view, move, seed)) is not None:
                known[move] = _difference(best[:, me], other[:, me])
            if move in known:
                made.gaps[name] = known[move]
        if view.players > 2 and not self.game.cooperative:
            tried = [worth for worth, share in zip(thoughts.worth, thoughts.shares, strict=True) if share]
            own = [chances([worth] * view.players, self.game)[0] for worth in tried]
            made.hopeless = max([*own, float(best[:, me].mean())]) < HOPELESS
            made.king = made.hopeless and self._king(view, moves, me, seed)
        return made

    def _king(self, view: Match, moves: Sequence[Move], me: int, seed: int) -> bool:
        """Does it matter to the others what they do? Which two moves and for whom is found first, and measured afresh."""
        some = moves[:: -(-len(moves) // CANDIDATES)]
        rough = [(move, found) for move in some if (found := self.weigh(view, move, seed, SIMULATIONS // 5)) is not None]
        if len(rough) < 2:
            return False
        means = np.array([found.mean(axis=0) for _, found in rough])
        means[:, me] = 0
        other = int(np.ptp(means, axis=0).argmax())
        high, low = (rough[int(at)][0] for at in (means[:, other].argmax(), means[:, other].argmin()))
        again = int(stream(seed & MASK, 1))
        most, least = (self.weigh(view, move, again) for move in (high, low))
        if most is None or least is None:
            return False
        shift, error = _difference(most[:, other], least[:, other])
        return shift > SHIFT and shift > SURE * error


def _difference(best: NDArray[np.float64], other: NDArray[np.float64]) -> tuple[float, float]:
    """Mean difference and its standard error, heap by heap."""
    apart = best - other
    return float(apart.mean()), float(apart.std(ddof=1)) / math.sqrt(HEAPS)


def matters(gap: float, error: float) -> bool:
    """One of the two moves is worth that much more (mostly the one thought best), and it is not chance that says so."""
    return abs(gap) >= WORTH and abs(gap) > SURE * error


def idle(gap: float, error: float) -> bool:
    """It cannot be that much."""
    return abs(gap) + SURE * error < WORTH
