"""The running ladder: how a network does against `random`, `greedy` and its past, in games side by side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rulestone.bots.ladder import mean_interval, settled
from rulestone.envs.vector import VectorEnv
from rulestone.train.eyes import Eyes
from rulestone.train.games import Table
from rulestone.train.model import Network

RANDOM, GREEDY, PAST = "random", "greedy", "its past"


@dataclass(frozen=True)
class Score:
    """What a network scored against a rival: its mean share of the win with a 95 % interval, and what equal strength would give.

    With more than two players, it has one seat and the rival all others. In a cooperative game, the score is the share of games won by a
    team of it, and `fair` what a team of the rival wins on the same deals.
    """

    rival: str
    score: float
    low: float
    high: float
    fair: float
    games: int
    settled: bool
    """Whether it's clear, with 95 % confidence, who is stronger."""

    @property
    def better(self) -> bool:
        """Whether the network is stronger, as far as it's clear."""
        return self.settled and self.score > self.fair

    def text(self) -> str:
        """Return it in a few words."""
        return f"{self.score:.0%} v {self.rival} ({self.low:.0%} … {self.high:.0%})"


class Arena:
    """Games of evaluation: the same deals every time."""

    def __init__(self, env: VectorEnv, eyes: Eyes, device: str, seed: int) -> None:
        self.env, self.eyes, self.device, self.seed = env, eyes, device, seed

    def against(self, network: Network, rival: str, past: Network | None = None) -> Score:
        """Return how a network does against a rival. It makes its best moves, as it will as a bot; against its past, both are drawn."""
        if self.env.game.cooperative:
            own, their = self._play(network, None, past), self._play(None, rival, past)
            gains = [float(one) - float(other) for one, other in zip(own, their, strict=True)]
            return Score(rival, *mean_interval(own), sum(their) / len(their), len(own), settled(gains))
        shares = self._play(network, rival, past)
        fair = 1 / self.env.players
        return Score(rival, *mean_interval(shares), fair, len(shares), settled([share - fair for share in shares]))

    def _play(self, network: Network | None, rival: str | None, past: Network | None) -> list[float]:
        """Play one game in each place. Returns the network's share of the win in each, or in a cooperative game whether it was won."""
        env, drawn = self.env, rival == PAST or past is not None
        env.reset(self.seed)
        table = Table(env, self.eyes, 0, self.device, self.seed)
        places = np.arange(env.games)
        seat = places % env.players
        shares = np.full(env.games, np.nan)
        while (playing := np.isnan(shares)).any():
            own = playing & (env.to_move == seat) if rival is not None else playing
            own &= network is not None
            theirs = playing & ~own
            actions = env.sample()
            table.listen()
            if network is not None and own.any():
                logs, _ = table.ask(network, own)
                actions[own] = table.draw(logs) if drawn else logs.argmax(1).cpu().numpy()
            if theirs.any() and past is not None and rival == PAST:
                actions[theirs] = table.draw(table.ask(past, theirs)[0])
            elif theirs.any() and rival == GREEDY:
                actions[theirs] = table.now[theirs]
            env.step(actions, playing)
            ended = playing & env.done
            if ended.any():
                payoff = env.rewards[ended]
                if env.game.cooperative:
                    shares[ended] = payoff[:, 0] > 0
                else:
                    best = payoff.max(axis=1, keepdims=True) == payoff
                    shares[ended] = best[np.arange(len(payoff)), seat[ended]] / best.sum(axis=1)
        return [float(share) for share in shares]
