"""RLlib: one seat of a game against bots, with the action mask where RLlib's masking module looks for it. See examples/rllib_ppo.py.

All seats at once need nothing of this: RLlib's own `PettingZooEnv(rulestone.envs.pettingzoo.env("connect_four"))` and `OpenSpielEnv` work.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from rulestone.envs.gymnasium import SeatEnv


class MaskedSeatEnv(gymnasium.ObservationWrapper[Any, Any, Any]):
    """One seat; an observation is a dictionary of `observations` and `action_mask`. `config` has the settings of `SeatEnv`.

    >>> env = MaskedSeatEnv({"game": "connect_four", "observation": "float"})
    >>> seen, _ = env.reset(seed=1)
    >>> seen["observations"].shape, seen["action_mask"].tolist()
    ((53,), [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        self.seat = SeatEnv(**config)
        super().__init__(self.seat)
        mask = spaces.Box(0, 1, (len(self.seat.game.actions),), np.float32)
        self.observation_space = spaces.Dict({"observations": self.seat.observation_space, "action_mask": mask})

    def observation(self, observation: Any) -> dict[str, Any]:
        """What the seat sees, with the mask beside it."""
        return {"observations": observation, "action_mask": self.seat.action_masks().astype(np.float32)}
