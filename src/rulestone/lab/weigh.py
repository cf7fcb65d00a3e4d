"""What a decision is about: some of its moves compared once more, on equal terms.

A search overrates the move it likes best (the best of many rough numbers is too high) and hardly knows the others. So, for a sample of
decisions, a first search names the moves in question and a second one compares them: with fresh random numbers, the same number of
simulations for each, and the same imagined worlds. The result is as often too high as too low.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rulestone.bots import Thoughts, decide, make, tree
from rulestone.bots.search import Search, Tree
from rulestone.game import Game
from rulestone.kernel.actions import Move
from rulestone.kernel.chance import MASK, stream
from rulestone.match import Match
from rulestone.statistics import student, z_for

EVERY = 16
"""One decision in this many (chosen at random) is weighed."""
SIMULATIONS, HEAPS = 1000, 10
"""Simulations for each move, and the batches they are split into; how much these differ gives the uncertainty of the comparison."""
REFEREE, LONGER, CHECKED = "mcts:1000", "mcts:4000", 2
"""The search that names the moves of a weighed decision, unless the player itself searched at least as long; the longer search it is
compared with; and in one of how many weighed decisions."""
RIVALS = ("kind", "second", "median")
"""What the best move is compared with: the best move of another verb, the second-best move, the middle one."""
WORTH, HOPELESS, SHIFT = 0.02, 0.02, 0.10
"""Shares of a win: a decision matters from WORTH on; a player below HOPELESS has no chance, and is a kingmaker above SHIFT."""
CANDIDATES = 6
"""How many moves of a player without a chance are examined."""
SURE = student(z_for(), HEAPS - 1)


@dataclass
class Weighed:
    """One decision: its ply, the verb of the best move, how much better that move is than each rival (with the standard error), whether
    the player had no chance, and whether they were a kingmaker.
    """

    ply: int
    verb: str
    gaps: dict[str, tuple[float, float]] = field(default_factory=dict)
    hopeless: bool = False
    king: bool = False
    agreed: bool | None = None
    """Whether a longer search prefers the same move, or rates its own favourite less than WORTH better; None if there was none."""
    led: bool | None = None
    """Whether the longer search sees the same player ahead as the observer, or nearly so."""


def chances(values: Sequence[float], game: Game) -> list[float]:
    """Expected payoffs as chances of winning; in a cooperative game, those of the team and of the game itself.

    A loser is assumed to get -1 or, if payoffs add up to 0, an equal share of the winner's gain as a loss.
    """
    if game.cooperative:
        team = (values[0] + 1) / 2
        return [team, 1 - team]
    lost = -1 / (len(values) - 1) if game.about.zero_sum and len(values) > 1 else -1.0
    return [min(1.0, max(0.0, (value - lost) / (1 - lost))) for value in values]


class Scales:
    """A search that examines one move at a time."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.search = Search(game)
        self.referee, self.longer = (make(name, game, threads=1) for name in (REFEREE, LONGER))
        self.tree = Tree(game, SIMULATIONS + 2, self.search.jit)

    def weigh(self, view: Match, move: Move, seed: int, simulations: int = SIMULATIONS) -> NDArray[np.float64] | None:
        """Everybody's chance after a move, one row per batch; the same seed means the same worlds. None if the search ignores the move."""
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
        """Weigh one decision, after `ply` moves if its player has not noticed all of them; None if there is nothing to compare.

        `thoughts` are those of the player, or of an observer.
        """
        if len(thoughts.moves) < 2:
            return None
        seen = thoughts
        if thoughts.simulations < SIMULATIONS:
            thoughts = decide(view, self.referee, int(stream(seed & MASK, 2)) >> 1).thoughts or thoughts
        moves = thoughts.moves
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
        if seed // EVERY % CHECKED == 0:
            made.agreed, made.led = self._check(view, thoughts, seen, int(stream(seed & MASK, 3)) >> 1)
        return made

    def _check(self, view: Match, thoughts: Thoughts, seen: Thoughts, seed: int) -> tuple[bool | None, bool | None]:
        """Whether a longer search agrees about the move, and about who is ahead."""
        longer = decide(view, self.longer, seed).thoughts
        if longer is None:
            return None, None
        worth = {move: chances([value] * view.players, self.game)[0] for move, value in zip(longer.moves, longer.worth, strict=True)}
        favourite, other = (worth.get(one.moves[0], 0.0) for one in (longer, thoughts))
        before, after = (chances(one.values, self.game) for one in (seen, longer))
        leader = max(range(len(before)), key=before.__getitem__)
        return bool(favourite - other < WORTH), bool(max(after) - after[leader] < WORTH)

    def _king(self, view: Match, moves: Sequence[Move], me: int, seed: int) -> bool:
        """Whether the player's choice matters to the others. One search finds which two moves and for whom, another measures it."""
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
    """Mean difference and its standard error, batch by batch."""
    apart = best - other
    return float(apart.mean()), float(apart.std(ddof=1)) / math.sqrt(HEAPS)


def matters(gap: float, error: float) -> bool:
    """Whether the favourite is worth at least WORTH more than its rival, beyond chance."""
    return gap >= WORTH and gap > SURE * error


def idle(gap: float, error: float) -> bool:
    """Whether the favourite cannot be worth as much as WORTH more."""
    return gap + SURE * error < WORTH
