"""Stable-Baselines3: many games as one of its vector environments, stepped by one compiled call. See examples/maskable_ppo.py.

One seat alone needs nothing of this: `MaskablePPO("MlpPolicy", rulestone.envs.gymnasium.SeatEnv("connect_four"))` works as it is.
"""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulestone.envs.gymnasium import SeatVectorEnv
from rulestone.envs.policy import Policy
from rulestone.game import Game, load

try:
    import torch
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.vec_env import VecEnv
except ModuleNotFoundError as problem:
    raise ModuleNotFoundError("stable-baselines3 is not installed: pip install 'rulestone[envs,sb3]'") from problem


class SeatVecEnv(VecEnv):
    """One seat of many games against bots. The settings are those of `SeatVectorEnv`; `seat=None` shares the games out among all seats."""

    def __init__(self, game: Game | str, num_envs: int = 64, seat: int | None = 0, **settings: Any) -> None:
        game = load(game) if isinstance(game, str) else game
        players = game.prepared(settings.get("players"), None)[1]
        seats = range(players) if seat is None else [seat]
        self.edges = [part * num_envs // len(seats) for part in range(len(seats) + 1)]
        """Where the games of each seat begin, and the number of games."""
        sizes = [last - first for first, last in pairwise(self.edges)]
        if not all(sizes):
            raise ValueError(f"{num_envs} games can't be shared out among {players} seats; play at least {players}")
        self.parts = [SeatVectorEnv(game, size, seat=own, **settings) for own, size in zip(seats, sizes, strict=True)]
        """The games, seat by seat."""
        self.many = self.parts[0]
        super().__init__(num_envs, self.many.single_observation_space, self.many.single_action_space)

    def reset(self) -> Any:
        """Start all games, with the seed given to `seed()` if there is one."""
        seeds = self._seeds if any(seed is not None for seed in self._seeds) else None
        self._reset_seeds()
        self.reset_infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        return self._joined([part.reset(seed=None if seeds is None else seeds[own])[0] for part, own in self._shares()])

    def _shares(self) -> list[tuple[SeatVectorEnv, slice]]:
        return [(part, slice(*edges)) for part, edges in zip(self.parts, pairwise(self.edges), strict=True)]

    def _joined(self, parts: list[Any]) -> Any:
        if isinstance(parts[0], dict):
            return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal action masks of all games."""
        return np.concatenate([part.action_masks() for part in self.parts])

    def step_async(self, actions: NDArray[Any]) -> None:
        """Take the actions of the next step."""
        self._actions = actions

    def step_wait(self) -> tuple[Any, NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Make the seat's move in every game."""
        stepped = [part.step(self._actions[own]) for part, own in self._shares()]
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for (_, _, done, _, info), first in zip(stepped, self.edges, strict=False):
            for place in np.flatnonzero(done):
                infos[first + place] = {"terminal_observation": info["final_obs"][place], "TimeLimit.truncated": False}
        observations, rewards, done = (self._joined([result[number] for result in stepped]) for number in range(3))
        return observations, rewards.astype(np.float32), done, infos

    def env_method(self, method_name: str, *arguments: Any, indices: Any = None, **named: Any) -> list[Any]:
        """Call `action_masks`, the only method that single games have here."""
        if method_name != "action_masks":
            raise AttributeError(f"a game in a batch has no method {method_name!r}; possible: action_masks")
        return list(self.action_masks()[list(self._get_indices(indices))])

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
        return [picture for part in self.parts for picture in part.render()]

    def close(self) -> None:
        """Stop the threads."""
        for part in self.parts:
            part.close()


class Trained(Policy):
    """A bot that plays what MaskablePPO has learnt: `rulestone.envs.sb3:Trained:model.zip`.

    It must have been trained with `observation="onehot", relative=True`. Set both in a subclass for a model trained otherwise.
    """

    observation, relative = "onehot", True

    def __init__(self, game: Game, argument: str = "") -> None:
        super().__init__(game)
        try:
            self.model = MaskablePPO.load(argument, device="cpu")
        except (OSError, ValueError) as problem:
            raise ValueError(f"can't read a model from {argument!r}: {problem}") from None

    def act(self, observation: Any, mask: NDArray[np.bool_], seed: int) -> int:
        """Draw an action from the policy."""
        if observation.shape != self.model.observation_space.shape:
            wanted = self.model.observation_space.shape
            raise ValueError(f"this model wants observations of shape {wanted}; {self.game.name} has {observation.shape} here")
        with torch.no_grad():
            seen, _ = self.model.policy.obs_to_tensor(observation)
            spread: Any = self.model.policy.get_distribution(seen, action_masks=mask).distribution
            chances = spread.probs[0].double().cumsum(0)
        drawn = random.Random(seed).random() * float(chances[-1])
        return min(int(torch.searchsorted(chances, drawn, right=True)), int(np.flatnonzero(mask)[-1]))
