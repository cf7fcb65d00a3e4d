"""One decision judged by search, from what the player who made it knew then: a search finds the candidates, a duel compares them.

In the duel every candidate gets the same number of simulations in the same imagined worlds with the same dice, in a fresh tree: whichever
move the search likes gets no more thought than the move that was made. The simulations come in rounds; how much the rounds differ says how
far the result can be trusted.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rulestone.bots import Budget, tree
from rulestone.bots.search import Search, Settings, Tree
from rulestone.kernel.actions import Move
from rulestone.kernel.chance import MASK, stream
from rulestone.match import Match
from rulestone.statistics import student, z_for

if TYPE_CHECKING:
    from rulestone.game import Game

T = TypeVar("T", float, NDArray[Any])
CONFIDENCE = 0.99
"""How sure a difference must be: at most one of a hundred moves that are as good as the best is called worse."""
ROUNDS, RUN_IN = 20, 4
"""The rounds of a duel, and how many of them only grow the tree: nothing is counted there."""
FIRST_LOOK = 0.4
"""The share of the simulations that looks for candidates; the duel gets the rest."""
RIVALS = 2
"""How many candidates are compared with the move that was made."""
LEAST = 2 * ROUNDS * (1 + RIVALS)
"""The fewest simulations that a decision is judged with."""


def chance(payoff: T) -> T:
    """A payoff as a chance: 0 is the worst result and 1 the best, so a draw, or a place in the middle, counts a half."""
    return (1 + payoff) / 2


@dataclass(frozen=True)
class Candidate:
    """One move in a duel: the chance it keeps for its player, with the standard error, and for everybody; and its simulations."""

    move: Move
    chance: float
    error: float
    chances: tuple[float, ...]
    visits: int
    proved: bool
    """Is the result certain, whatever the others do?"""
    rounds: tuple[float, ...]
    """The chance in each round that counts."""

    def ahead_of(self, other: Candidate) -> tuple[float, float]:
        """By how much this move is better than another, and the standard error: of the same worlds, and of one more, in which the two
        differ by 1, for what has not been seen yet."""
        gain = self.chance - other.chance
        if self.proved and other.proved:
            return gain, 0.0
        apart = np.array(self.rounds) - np.array(other.rounds)
        spread = float(apart.std(ddof=1)) / len(apart) ** 0.5 if len(apart) > 1 else 1.0
        return gain, float(np.hypot(spread, 1 / max(1, min(self.visits, other.visits))))

    def beats(self, other: Candidate) -> bool:
        """Is it better beyond the noise of the search?"""
        gain, error = self.ahead_of(other)
        return gain > certainty(len(self.rounds)) * error


def certainty(rounds: int) -> float:
    """How many standard errors a difference must have."""
    return student(z_for(RIVALS, CONFIDENCE), rounds - 1) if rounds > 1 else np.inf


class Judge:
    """Judges decisions in one game. It keeps its memory between decisions and nothing else."""

    def __init__(self, game: Game, settings: Settings | None = None, clock: Callable[[], float] = time.perf_counter) -> None:
        self.game, self.clock = game, clock
        self.search = Search(game, settings)
        self.rate = 0.0
        """Simulations a second, as far as this judge has seen."""
        self._tree: Tree | None = None

    def judge(
        self,
        view: Match,
        played: Move | None = None,
        *,
        simulations: int,
        seed: int,
        rivals: int = RIVALS,
        stop: threading.Event | None = None,
    ) -> list[Candidate]:
        """The best moves of a view and the move that was made, best first; none if there is no choice, or when stopped before the end."""
        if len(view.legal()) < 2:
            return []
        began, simulations = self.clock(), max(simulations, LEAST)
        look = max(ROUNDS, round(FIRST_LOOK * simulations))
        thoughts = self.search.think(view, seed, Budget(simulations=look), threads=1, stop=stop)
        number = rivals + (played is not None)
        asked = list(dict.fromkeys([*([] if played is None else [played]), *thoughts.moves]))[:number]
        if len(asked) < 2:  # where only one move is sensible, any other one is its rival
            asked = list(dict.fromkeys([*asked, *view.legal()]))[:2]
        found = self.duel(view, asked, simulations - look, int(stream(seed & MASK, 1)), stop)
        self.rate = simulations / max(self.clock() - began, 1e-6)
        return found

    def duel(self, view: Match, moves: Sequence[Move], simulations: int, seed: int, stop: threading.Event | None = None) -> list[Candidate]:
        """Compare moves on equal terms, best first; none when stopped before the end."""
        actions = [self.game.actions.parse(move) for move in moves]
        portion = max(1, simulations // (len(actions) * ROUNDS))
        own = self._prepared(view, seed, actions, portion)
        places = [own.moves[:, tree.ACTION].astype(int).tolist().index(action) for action in actions]
        kept = np.zeros((len(actions), ROUNDS, view.players))
        for turn in range(ROUNDS):
            for number, place in enumerate(places):
                if stop is not None and stop.is_set():
                    return []
                own.moves[:, tree.PRIOR] = 0
                own.moves[place, tree.PRIOR] = 1
                own.totals[:] = 0
                self.search.run(own, seed, 0, portion, True)
                kept[number, turn] = own.totals[: view.players] / portion
        assert view.viewer is not None
        return sorted(
            (self._candidate(move, own.moves[place], kept[number, RUN_IN:], view.viewer)
             for number, (move, place) in enumerate(zip(moves, places, strict=True))),
            key=lambda candidate: -candidate.chance,
        )  # fmt: skip

    def _prepared(self, view: Match, seed: int, actions: Sequence[int], portion: int) -> Tree:
        """A tree with nothing but its root, which has an edge for each of these actions, even those that the game thinks senseless."""
        room = len(actions) * ROUNDS * portion + 2
        if self._tree is None or self._tree.room < room:
            self._tree = Tree(self.game, room, self.search.jit)
        own = self._tree
        own.reset(view.array)
        self.search.run(own, seed, 0, 1, True)
        for action in set(actions) - set(own.moves[:, tree.ACTION].astype(int).tolist()):
            own.edges[len(own.moves)] = 0
            own.edges[len(own.moves), tree.ACTION] = action
            own.nodes[0, tree.COUNT] += 1
            own.counts[tree.EDGES] += 1
        own.moves[:, [tree.TIMES, tree.SUM]] = 0  # worlds are counted from the first again
        return own

    def _candidate(self, move: Move, edge: NDArray[Any], kept: NDArray[Any], me: int) -> Candidate:
        rounds, proof, visits = chance(kept), int(edge[tree.PROOF]), int(edge[tree.TIMES])
        chances = rounds.mean(axis=0)
        error = float(rounds[:, me].std(ddof=1)) / len(rounds) ** 0.5
        if proof != tree.OPEN:
            own = chance(proof - 2)
            chances, error = np.array([own if player == me else 1 - own for player in range(len(chances))]), 0.0
            rounds = np.tile(chances, (len(rounds), 1))
        return Candidate(
            move, float(chances[me]), error, tuple(map(float, chances)), visits, proof != tree.OPEN, tuple(rounds[:, me].tolist())
        )
