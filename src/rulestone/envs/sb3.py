"""Stable-Baselines3: many games as one of its vector environments, stepped by one compiled call. See examples/maskable_ppo.py.

One seat alone needs nothing of this: `MaskablePPO("MlpPolicy", rulestone.envs.gymnasium.SeatEnv("connect_four"))` works as it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulestone.envs.gymnasium import SeatVectorEnv
from rulestone.game import Game

try:
    from stable_baselines3.common.vec_env import VecEnv
except ModuleNotFoundError as problem:
    raise ModuleNotFoundError("stable-baselines3 is not installed: pip install 'rulestone[envs,sb3]'") from problem


class SeatVecEnv(VecEnv):  # type: ignore[misc]
    """One seat of many games against bots. The settings are those of `SeatVectorEnv`."""

    def __init__(self, game: Game | str, num_envs: int = 64, **settings: Any) -> None:
        self.many = SeatVectorEnv(game, num_envs, **settings)
        super().__init__(num_envs, self.many.single_observation_space, self.many.single_action_space)

    def reset(self) -> Any:
        """Start all games, with the seed given to `seed()` if there is one."""
        seeds = self._seeds if any(seed is not None for seed in self._seeds) else None
        self._reset_seeds()
        self.reset_infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        return self.many.reset(seed=seeds)[0]

    def step_async(self, actions: NDArray[Any]) -> None:
        """Take the actions of the next step."""
        self._actions = actions

    def step_wait(self) -> tuple[Any, NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Make the seat's move in every game."""
        observations, rewards, done, _, info = self.many.step(self._actions)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for place in np.flatnonzero(done):
            infos[place] = {"terminal_observation": info["final_obs"][place], "TimeLimit.truncated": False}
        return observations, rewards.astype(np.float32), done, infos

    def env_method(self, method_name: str, *arguments: Any, indices: Any = None, **named: Any) -> list[Any]:
        """Call `action_masks`, the only method that single games have here."""
        if method_name != "action_masks":
            raise AttributeError(f"a game in a batch has no method {method_name!r}; possible: action_masks")
        return list(self.many.action_masks()[list(self._get_indices(indices))])

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of the batch, for each game."""
        value = getattr(self.many, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Refuse: the games of a batch have no attributes of their own."""
        raise AttributeError(f"a game in a batch has no {attr_name!r} of its own to set")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Games in a batch have no wrappers."""
        return [False for _ in self._get_indices(indices)]

    def get_images(self) -> list[Any]:
        """A picture of each game."""
        return list(self.many.render())

    def close(self) -> None:
        """Stop the threads."""
        self.many.close()
