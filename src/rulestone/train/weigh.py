"""Weighing: what some of a position's moves are worth, by playing on from each of them in the same imagined worlds."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from rulestone.bots import tree
from rulestone.bots.search import settings_of
from rulestone.engine import quick, weighing
from rulestone.envs.vector import VectorEnv
from rulestone.kernel.chance import MASK, stream
from rulestone.kernel.record import SCRATCH
from rulestone.nets.net import Minds


class Weigher:
    """Weighs moves in the games of a vector environment as they stand. The game's quick bot plays on for everybody, or else chance.

    Where the search of a game stops playing on and asks the game's `estimate`, so does this. The worlds are others each time.
    """

    def __init__(self, env: VectorEnv, worlds: int, seed: int, threads: int = 1) -> None:
        game = env.game
        settings, bot = settings_of(game, env.players), game.greedy is not None
        cut = settings.cut if settings.cut > 0 and "estimate" in game.hints else -1
        hidden, trust = not game.about.perfect_information, round(1000 * settings.trust) if bot else 0
        self.env, self.seed = env, seed
        self.times = 0
        """How often moves have been weighed."""
        self.settings = np.array([worlds, quick.GREEDY if bot else quick.RANDOM, cut, hidden, trust], np.int64)
        lanes = min(threads, env.games) if env.compiled else 1
        self.lanes = list(pairwise(lane * env.games // lanes for lane in range(lanes + 1)))
        run = game.silent if env.compiled else game.interpreted
        self._run = run(weighing.weigh, estimate=tree.even, suspect=tree.anything)
        self._sift = run(weighing.worth_trying, sensible=tree.all_moves)
        self._tools = [self._tool() for _ in self.lanes]

    def _tool(self) -> tuple[Any, ...]:
        """Return what a thread needs for itself."""
        env, spare = self.env, self.env.layout.array(SCRATCH)
        minds = Minds(env.game, env.layout, [], env.compiled)
        moves = env.plain(np.zeros(len(env.game.actions), np.int16))
        return env.tables(env.layout.array(weighing.WORLDS)), (env.tables(spare), moves, minds.mind, minds.desk(spare))

    def sensible(self) -> NDArray[np.bool_]:
        """Return the mask of the legal moves that the game's search would consider."""
        env, mask = self.env, self.env.mask.copy()
        self._sift(env.tables(env.records), self._tools[0][1][1], env.plain(mask))
        return mask

    def __call__(self, tried: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return every player's mean payoff after each move that is tried: a row for each game, -1 where there are fewer moves."""
        env = self.env
        seed = int(stream(self.seed & MASK, self.times))
        self.times += 1
        results = np.zeros((*tried.shape, env.players))
        states, settings, moves, out = env.tables(env.states), env.plain(self.settings), env.plain(tried), env.plain(results)

        def work(lane: int) -> None:
            worlds, tools = self._tools[lane]
            share = (np.uint64(seed) if env.compiled else seed, *self.lanes[lane])
            self._run(states, worlds, tools, settings, share, moves, out)

        if len(self.lanes) == 1:
            work(0)
        else:
            with ThreadPoolExecutor(len(self.lanes)) as pool:
                list(pool.map(work, range(len(self.lanes))))
        return results


def candidates(
    logs: torch.Tensor, mask: NDArray[np.bool_], advice: NDArray[np.int64], most: int, chance: np.random.Generator
) -> NDArray[np.int64]:
    """Return which moves to weigh in each position: the advice, and others from a mask, drawn half by the policy, half at random.

    The rest is -1. The only move isn't weighed.
    """
    rows, most = np.arange(len(mask)), min(most, mask.shape[1])
    mask[rows, advice] = True
    number = mask.sum(axis=1)
    weight = np.where(mask, 0.5 * np.exp(logs.cpu().numpy()) + 0.5 / number[:, None], 0.0)
    with np.errstate(divide="ignore"):
        order = np.log(weight) + chance.gumbel(size=weight.shape)  # the largest are a draw without replacement
    order[rows, advice] = np.inf
    tried = np.argsort(-order, axis=1, kind="stable")[:, :most].astype(np.int64)
    tried[(np.arange(most) >= number[:, None]) | (number < 2)[:, None]] = -1
    return np.ascontiguousarray(tried)
