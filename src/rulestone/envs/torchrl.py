"""TorchRL: one seat of many games against bots, stepped by one compiled call. See examples/torchrl_ppo.py.

All seats of a game need nothing of this: TorchRL's own `PettingZooWrapper(rulestone.envs.pettingzoo.env("connect_four"), use_mask=True)`
and `OpenSpielWrapper` work.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from rulestone.envs.gymnasium import SeatVectorEnv
from rulestone.game import Game

try:
    import torch
    from tensordict import TensorDict, TensorDictBase
    from torchrl.data import Binary, Bounded, Categorical, Composite, Unbounded
    from torchrl.envs import EnvBase
except ModuleNotFoundError as problem:
    raise ModuleNotFoundError("torchrl is not installed: pip install 'rulestone[envs,torchrl]'") from problem


class SeatBatch(EnvBase):
    """One seat of many games; `observation`, `action_mask`, `action`, `reward` and `done` have a row for each. The settings are those of
    `SeatVectorEnv`. Add `ActionMask()` with a `TransformedEnv` to draw random legal actions.

    >>> from torchrl.envs import TransformedEnv
    >>> from torchrl.envs.transforms import ActionMask
    >>> env = TransformedEnv(SeatBatch("connect_four", 4, observation="float"), ActionMask())
    >>> env.rollout(3)["observation"].shape
    torch.Size([4, 3, 53])
    """

    def __init__(self, game: Game | str, num_envs: int = 64, **settings: Any) -> None:
        super().__init__(device="cpu", batch_size=torch.Size([num_envs]))
        self.many = SeatVectorEnv(game, num_envs, autoreset_mode="Disabled", **settings)
        box, actions = self.many.single_observation_space, len(self.many.batch.game.actions)
        if not isinstance(box, spaces.Box):
            raise ValueError("a batch for TorchRL has flat, float or onehot observations, not dict")
        shape = (num_envs, *box.shape)
        low, high = (torch.as_tensor(np.broadcast_to(end, shape).copy()) for end in (box.low, box.high))
        self.observation_spec = Composite(
            observation=Bounded(low, high, shape, dtype=low.dtype),
            action_mask=Binary(shape=(num_envs, actions), dtype=torch.bool),
            shape=self.batch_size,
        )
        self.action_spec = Categorical(actions, shape=self.batch_size, dtype=torch.int64)
        self.reward_spec = Unbounded((num_envs, 1))
        self.done_spec = Categorical(2, shape=(num_envs, 1), dtype=torch.bool)
        self._chance: int | None = None

    def _set_seed(self, seed: int | None) -> None:
        self._chance = seed

    def _reset(self, tensordict: TensorDictBase | None = None, **_: Any) -> TensorDictBase:
        wanted = None if tensordict is None else tensordict.get("_reset", None)
        seed, self._chance = self._chance, None
        options = None if wanted is None or seed is not None else {"reset_mask": wanted.reshape(-1).numpy()}
        return self._shown(self.many.reset(seed=seed, options=options)[0])

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        observations, rewards, done, _, _ = self.many.step(tensordict["action"].numpy())
        ended = torch.as_tensor(done.copy())[:, None]
        shown = self._shown(observations)
        return shown.update({"reward": torch.as_tensor(rewards, dtype=torch.float32)[:, None], "done": ended, "terminated": ended.clone()})

    def _shown(self, observations: Any) -> TensorDict:
        seen = {"observation": torch.as_tensor(observations), "action_mask": torch.as_tensor(self.many.action_masks().copy())}
        return TensorDict(seen, batch_size=self.batch_size)
