"""The network in PyTorch: the same layers as `rulestone.nets.forward`, with gradients."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

IMPOSSIBLE = -60.0
"""The logit of an illegal action: small enough for a probability of zero, but not for slow denormal numbers."""


class Network(nn.Module):
    """A policy over all actions, and the expected payoff of every player, the one to move first."""

    def __init__(self, inputs: int, actions: int, players: int, widths: Sequence[int], trust: float | None = None) -> None:
        super().__init__()
        self.inputs, self.actions, self.players, self.widths = inputs, actions, players, tuple(widths)
        self.trust = None if trust is None else nn.Parameter(torch.tensor(float(trust)))
        """How much is added to the logit of the move that the game's quick bot advises; None if it isn't asked."""
        sizes = [inputs, *widths]
        self.layers = nn.ModuleList(nn.Linear(one, other) for one, other in itertools.pairwise(sizes))
        self.head = nn.Linear(sizes[-1], actions + players)
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)

    def forward(self, seen: torch.Tensor, mask: torch.Tensor, advice: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the logarithms of the policy's probabilities, and the payoffs expected. `advice` is ignored if nobody is asked."""
        for layer in self.layers:
            seen = torch.relu(layer(seen))
        out = self.head(seen)
        logits, worth = out[:, : self.actions], out[:, self.actions :]
        if self.trust is not None:
            logits = logits.scatter_add(1, advice[:, None], self.trust.expand(len(out), 1))
        return torch.log_softmax(logits.masked_fill(~mask, IMPOSSIBLE), 1), worth

    def weights(self) -> NDArray[np.float32]:
        """Return all weights in the order of a net's file."""
        with torch.no_grad():
            parts: list[torch.Tensor] = []
            for layer in self.layers:
                assert isinstance(layer, nn.Linear)
                parts += [layer.weight.t(), layer.bias]
            parts += [self.head.weight, self.head.bias, *([] if self.trust is None else [self.trust])]
            return torch.cat([part.reshape(-1) for part in parts]).cpu().numpy().copy()

    def copy_of(self) -> dict[str, torch.Tensor]:
        """Return a copy of the weights in 16 bits, as in a net's file, as `load_state_dict` takes them."""
        return {name: tensor.detach().half() for name, tensor in self.state_dict().items()}


def frozen(like: Network, weights: Mapping[str, Any]) -> Network:
    """Return a network with other weights that doesn't learn."""
    made = Network(like.inputs, like.actions, like.players, like.widths, None if like.trust is None else 0.0)
    made.load_state_dict(weights)
    made.requires_grad_(False)
    return made.to(next(like.parameters()).device)
