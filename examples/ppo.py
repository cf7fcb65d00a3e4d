"""Self-play PPO on a two-player game with hidden information, on the CPU: python examples/ppo.py --minutes 10

One network plays both seats of a batch of games. It sees what the player to move may know (the flat observation as one-hot numbers), with
illegal actions masked out. Every `report` seconds it is evaluated on both seats against the game's own greedy bot.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from rulestone.envs.vector import VectorEnv

IMPOSSIBLE = -60.0
"""The logit of an illegal action: small enough for a probability of zero, but not for slow denormal numbers."""


@dataclass
class Settings:
    game: str = "micro_medusa"
    games: int = 128
    horizon: int = 32
    width: int = 128
    classes: int = 12
    rate: float = 5e-4
    decay: float = 0.95
    clip: float = 0.2
    entropy: float = 0.01
    epochs: int = 2
    parts: int = 16
    seed: int = 1


class Network(nn.Module):
    """A policy over all actions, and the expected payoff of the player to move."""

    def __init__(self, size: int, actions: int, width: int, classes: int) -> None:
        super().__init__()
        self.classes = classes
        self.body = nn.Sequential(nn.Linear(size * classes, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.policy = nn.Linear(width, actions)
        self.value = nn.Linear(width, 1)
        nn.init.zeros_(self.policy.weight)

    def forward(self, seen: torch.Tensor, mask: torch.Tensor) -> tuple[torch.distributions.Categorical, torch.Tensor]:
        # -1, 0, 1, 2, … each have a class of their own; all larger numbers share the last one.
        numbers = nn.functional.one_hot((seen.long() + 1).clamp(0, self.classes - 1), self.classes)
        body = self.body(numbers.flatten(1).float())
        logits = self.policy(body).masked_fill(~mask, IMPOSSIBLE)
        return torch.distributions.Categorical(logits=logits, validate_args=False), self.value(body).squeeze(1).tanh()


class Learner:
    """The batch of games, the network, and how the network learns from the games."""

    def __init__(self, settings: Settings) -> None:
        torch.manual_seed(settings.seed)
        self.settings = settings
        self.env = VectorEnv(settings.game, settings.games, players=2, seed=settings.seed)
        # Views of the batch's own arrays: nothing is copied until it is stored.
        self.seen, self.mask = torch.from_numpy(self.env.observations), torch.from_numpy(self.env.mask)
        self.network = Network(self.env.encoding.size, self.mask.shape[1], settings.width, settings.classes)
        self.optimizer = torch.optim.Adam(self.network.parameters(), settings.rate, eps=1e-5)
        self.steps = 0

    @torch.no_grad()
    def collect(self) -> dict[str, torch.Tensor]:
        """Play `horizon` moves in every game. The advantages are those of the player who moved."""
        env, rows = self.env, []
        for _ in range(self.settings.horizon):
            policy, value = self.network(self.seen, self.mask)
            action = policy.sample()
            row = {"seen": self.seen.clone(), "mask": self.mask.clone(), "action": action, "log": policy.log_prob(action), "value": value}
            mover = env.to_move.astype(np.int64)
            env.step(action.numpy())
            row["reward"] = torch.from_numpy(env.rewards[np.arange(env.games), mover])
            # The sign of the next value for this mover: plus if they move again, minus if the opponent does, zero after the end.
            sign = np.where(env.to_move == mover, 1.0, -1.0) * ~env.done
            row["sign"] = torch.from_numpy(sign.astype(np.float32))
            rows.append(row)
        _, value = self.network(self.seen, self.mask)
        advantage = torch.zeros(env.games)
        for row in reversed(rows):
            surprise = row["reward"] + row["sign"] * value - row["value"]
            advantage = row["advantage"] = surprise + self.settings.decay * row["sign"] * advantage
            value = row["value"]
        self.steps += env.games * len(rows)
        return {name: torch.cat([row[name] for row in rows]) for name in rows[0]}

    def learn(self, data: dict[str, torch.Tensor]) -> float:
        """One round of PPO updates; returns the last loss."""
        loss = torch.tensor(0.0)
        target = data["value"] + data["advantage"]
        gain = (data["advantage"] - data["advantage"].mean()) / (data["advantage"].std() + 1e-6)
        for _ in range(self.settings.epochs):
            for part in torch.randperm(len(gain)).chunk(self.settings.parts):
                policy, value = self.network(data["seen"][part], data["mask"][part])
                ratio = (policy.log_prob(data["action"][part]) - data["log"][part]).exp()
                clipped = ratio.clamp(1 - self.settings.clip, 1 + self.settings.clip)
                better = torch.min(ratio * gain[part], clipped * gain[part]).mean()
                loss = -better + 0.5 * (value - target[part]).square().mean() - self.settings.entropy * policy.entropy().mean()
                self.optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.network.parameters(), 0.5)
                self.optimizer.step()
        return float(loss.detach())

    @torch.no_grad()
    def measure(self, seat: int, bot: str, games: int) -> float:
        """The network's mean payoff on a seat against a bot."""
        bots: list[str | None] = [bot, bot]
        bots[seat] = None
        env = VectorEnv(self.settings.game, min(games, 256), players=2, bots=bots, seed=self.settings.seed + 1)
        payoffs: list[float] = []
        # Every slot of the batch plays the same number of games, so that short games don't count more often.
        left = np.full(env.games, -(-games // env.games))
        while left.any():
            policy, _ = self.network(torch.from_numpy(env.observations), torch.from_numpy(env.mask))
            env.step(policy.sample().numpy())
            payoffs += env.rewards[env.done & (left > 0), seat].tolist()
            left -= env.done & (left > 0)
        return float(np.mean(payoffs))


def train(settings: Settings, minutes: float, report: float = 30.0, games: int = 1024) -> list[tuple[int, float, float]]:
    """Train for some minutes; returns (moves so far, payoff on the first seat, on the second) for each report."""
    learner = Learner(settings)
    bot = "greedy" if learner.env.game.greedy else "random"
    print(f"{settings.game}, mean payoff against {bot}")
    began, shown, results = time.monotonic(), -report, []
    while (passed := time.monotonic() - began) < 60 * minutes or not results:
        if passed - shown >= report:
            shown = passed
            results.append((learner.steps, learner.measure(0, bot, games), learner.measure(1, bot, games)))
            print("{:6.0f} s {:10,} moves: {:+.3f} on seat 0, {:+.3f} on seat 1".format(passed, *results[-1]))
        learner.learn(learner.collect())
    results.append((learner.steps, learner.measure(0, bot, games), learner.measure(1, bot, games)))
    print("at the end {:10,} moves: {:+.3f} on seat 0, {:+.3f} on seat 1".format(*results[-1]))
    return results


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default=Settings.game)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=Settings.seed)
    chosen = parser.parse_args()
    train(Settings(game=chosen.game, seed=chosen.seed), chosen.minutes)
