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

    def __init__(self, inputs: int, actions: int, players: int, widths: Sequence[int]) -> None:
        super().__init__()
        self.inputs, self.actions, self.players, self.widths = inputs, actions, players, tuple(widths)
        sizes = [inputs, *widths]
        self.layers = nn.ModuleList(nn.Linear(one, other) for one, other in itertools.pairwise(sizes))
        self.head = nn.Linear(sizes[-1], actions + players)
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)

    def forward(self, seen: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the logarithms of the policy's probabilities, and the payoffs expected."""
        for layer in self.layers:
            seen = torch.relu(layer(seen))
        out = self.head(seen)
        return torch.log_softmax(out[:, : self.actions].masked_fill(~mask, IMPOSSIBLE), 1), out[:, self.actions :]

    def weights(self) -> NDArray[np.float32]:
        """Return all weights in the order of a net's file."""
        with torch.no_grad():
            parts: list[torch.Tensor] = []
            for layer in self.layers:
                assert isinstance(layer, nn.Linear)
                parts += [layer.weight.t(), layer.bias]
            return torch.cat([part.reshape(-1) for part in (*parts, self.head.weight, self.head.bias)]).cpu().numpy().copy()

    def copy_of(self) -> dict[str, torch.Tensor]:
        """Return a copy of the weights, as `load_state_dict` takes them."""
        return {name: tensor.detach().clone() for name, tensor in self.state_dict().items()}


def frozen(like: Network, weights: Mapping[str, Any]) -> Network:
    """Return a network with other weights that doesn't learn."""
    made = Network(like.inputs, like.actions, like.players, like.widths)
    made.load_state_dict(weights)
    made.requires_grad_(False)
    return made.to(next(like.parameters()).device)
