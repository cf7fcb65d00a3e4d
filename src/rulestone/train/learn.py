"""What is learnt from a batch: to imitate, to do more of what turned out better than expected (PPO), or what was weighed to be better."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch

from rulestone.train.eyes import Eyes
from rulestone.train.games import Batch, Rows, Weighed
from rulestone.train.model import IMPOSSIBLE, Network


@dataclass(frozen=True)
class Rates:
    """How to learn. The defaults suit most games."""

    rate: float = 1e-3
    """The learning rate at first; it falls to a tenth."""
    epochs: int = 3
    """How often each batch is looked at."""
    part: int = 1024
    """How many decisions are learnt from at a time."""
    clip: float = 0.2
    """How far the probability of an action can move in one round."""
    entropy: float = 0.01
    """The weight of staying curious at first; it falls to a fifth."""
    worth: float = 0.5
    """The weight of predicting payoffs."""
    keep: float = 0.2
    """The weight of staying close to what was imitated, without advice; it falls to nothing halfway through the rest of the training."""
    heat: float = 0.02
    """Where moves are weighed: by what payoff a move must be better to be an e-fold likelier than before."""
    hold: float = 0.0
    """The weight of staying close to what was imitated to the end: for games in which there is little to gain and much to lose."""


Loss = Callable[[dict[str, torch.Tensor], torch.Tensor, torch.Tensor], tuple[torch.Tensor, torch.Tensor]]
"""What to make smaller, and the entropy: from a part of a batch, its inputs, and the logarithms of the policy's probabilities."""


class Learner:
    """The network and its optimiser."""

    def __init__(self, network: Network, eyes: Eyes, rates: Rates, device: str, seed: int) -> None:
        self.network, self.eyes, self.rates, self.device = network, eyes, rates, device
        self.optimiser = torch.optim.Adam(network.parameters(), rates.rate, eps=1e-5)
        self.chance = np.random.default_rng(seed)
        self.trust = 0.0 if network.trust is None else float(network.trust.detach())
        """How much the network trusted the quick bot's advice at first."""

    def learn(self, batch: Batch, progress: float, imitating: bool, guide: Network | None = None, keep: float = 0.0) -> dict[str, float]:
        """Learn from a batch; `progress` is the part of the training that is over. Returns the mean losses and the entropy.

        `guide` is what to stay close to, with weight `keep`.
        """
        rates = self.rates
        curiosity = rates.entropy * (1 - 0.8 * progress)
        if not imitating:
            batch.gain[:] = (batch.gain - batch.gain.mean()) / (batch.gain.std() + 1e-6)

        def loss(part: dict[str, torch.Tensor], seen: torch.Tensor, logs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            mask, advice, action, log, gain = (part[name] for name in ("mask", "advice", "action", "log", "gain"))
            own = logs.gather(1, action[:, None])[:, 0]
            entropy = -(logs.exp() * logs).sum(1).mean()
            if imitating:
                policy = -own.mean()
            else:
                ratio = (own - log).exp()
                policy = -torch.min(ratio * gain, ratio.clamp(1 - rates.clip, 1 + rates.clip) * gain).mean()
                policy = policy - curiosity * entropy
            if guide is not None and keep > 0:
                with torch.no_grad():
                    guided, _ = guide(seen, mask, advice)
                policy = policy + keep * (guided.exp() * (guided - logs)).sum(1).mean()
            return policy, entropy

        return self._learn(batch, progress, loss)

    def weigh(self, batch: Weighed, progress: float) -> dict[str, float]:
        """Learn from moves that were weighed; see `learn`.

        The policy is drawn towards better moves in proportion to their gain, and back to the quick bot's as it was at first. So luck in the
        gains, which is the same whatever the policy, cancels out over many positions.
        """
        heat, trust = self.rates.heat, self.trust
        scale = 1 / (batch.gain[batch.tried >= 0].std() + 1e-6) if len(batch) else 1.0

        def loss(part: dict[str, torch.Tensor], seen: torch.Tensor, logs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            there = part["tried"] >= 0
            among = torch.log_softmax(logs.gather(1, part["tried"].clamp(min=0)).masked_fill(~there, IMPOSSIBLE), 1)
            chance = among.exp()
            entropy = -(chance * among).sum(1).mean()
            gain = (chance * part["gain"]).sum(1).mean() + heat * (entropy + trust * chance[:, 0].mean())
            return -scale * gain, entropy

        return self._learn(batch, progress, loss)

    def _learn(self, batch: Rows, progress: float, loss: Loss) -> dict[str, float]:
        """Learn from a batch: the payoffs, and what a loss says of the policy."""
        rates = self.rates
        for group in self.optimiser.param_groups:
            group["lr"] = rates.rate * (1 - 0.9 * progress)
        given = batch.tensors(self.device)
        told: dict[str, list[torch.Tensor]] = {"policy": [], "worth": [], "entropy": []}
        for _ in range(rates.epochs):
            order = torch.from_numpy(self.chance.permutation(len(batch))).to(self.device)
            for first in range(0, len(order), rates.part):
                part = {name: array[order[first : first + rates.part]] for name, array in given.items()}
                seen = self.eyes(part["flat"], part["viewers"], part["features"], part["advice"])
                logs, values = self.network(seen, part["mask"], part["advice"])
                policy, entropy = loss(part, seen, logs)
                off = (values - part["worth"]).square().mean()
                self.optimiser.zero_grad()
                (policy + rates.worth * off).backward()
                torch.nn.utils.clip_grad_norm_(self.network.parameters(), 0.5)
                self.optimiser.step()
                for name, value in (("policy", policy), ("worth", off), ("entropy", entropy)):
                    told[name].append(value.detach())
        return {name: float(torch.stack(values).mean()) if values else 0.0 for name, values in told.items()}
