"""What is learnt from a batch: to imitate, or to do more of what turned out better than expected (PPO)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from rulestone.train.eyes import Eyes
from rulestone.train.games import Batch
from rulestone.train.model import Network


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
    hold: float = 0.0
    """The weight of staying close to what was imitated to the end: for games in which there is little to gain and much to lose."""


class Learner:
    """The network and its optimiser."""

    def __init__(self, network: Network, eyes: Eyes, rates: Rates, device: str, seed: int) -> None:
        self.network, self.eyes, self.rates, self.device = network, eyes, rates, device
        self.optimiser = torch.optim.Adam(network.parameters(), rates.rate, eps=1e-5)
        self.chance = np.random.default_rng(seed)

    def learn(self, batch: Batch, progress: float, imitating: bool, guide: Network | None = None, keep: float = 0.0) -> dict[str, float]:
        """Learn from a batch; `progress` is the part of the training that is over. Returns the mean losses and the entropy.

        `guide` is what to stay close to, with weight `keep`.
        """
        rates = self.rates
        for group in self.optimiser.param_groups:
            group["lr"] = rates.rate * (1 - 0.9 * progress)
        curiosity = rates.entropy * (1 - 0.8 * progress)
        if not imitating:
            batch.gain[:] = (batch.gain - batch.gain.mean()) / (batch.gain.std() + 1e-6)
        given = batch.tensors(self.device)
        told: dict[str, list[torch.Tensor]] = {"policy": [], "worth": [], "entropy": []}
        for _ in range(rates.epochs):
            order = torch.from_numpy(self.chance.permutation(len(batch))).to(self.device)
            for first in range(0, len(order), rates.part):
                part = {name: array[order[first : first + rates.part]] for name, array in given.items()}
                mask, advice, action, log, gain, worth = (part[name] for name in ("mask", "advice", "action", "log", "gain", "worth"))
                seen = self.eyes(part["flat"], part["viewers"], part["features"], advice)
                logs, values = self.network(seen, mask, advice)
                own = logs.gather(1, action[:, None])[:, 0]
                entropy = -(logs.exp() * logs).sum(1).mean()
                off = (values - worth).square().mean()
                if imitating:
                    policy = -own.mean()
                else:
                    ratio = (own - log).exp()
                    policy = -torch.min(ratio * gain, ratio.clamp(1 - rates.clip, 1 + rates.clip) * gain).mean()
                    policy = policy - curiosity * entropy
                loss = policy + rates.worth * off
                if guide is not None and keep > 0:
                    with torch.no_grad():
                        guided, _ = guide(seen, mask, advice)
                    loss = loss + keep * (guided.exp() * (guided - logs)).sum(1).mean()
                self.optimiser.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(self.network.parameters(), 0.5)
                self.optimiser.step()
                for name, value in (("policy", policy), ("worth", off), ("entropy", entropy)):
                    told[name].append(value.detach())
        return {name: float(torch.stack(values).mean()) if values else 0.0 for name, values in told.items()}
