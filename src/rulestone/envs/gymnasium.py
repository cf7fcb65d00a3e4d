"""Gymnasium: one seat of a game against chosen bots, alone (`SeatEnv`) or in thousands of games at once (`SeatVectorEnv`).

Importing this module registers every installed game as `rulestone/NAME-v0`:

>>> import gymnasium
>>> env = gymnasium.make("rulestone/connect_four-v0", seat=1, bots="random")
>>> observation, info = env.reset(seed=3)
>>> observation.shape, int(info["action_mask"].sum())
((53,), 7)
>>> many = gymnasium.make_vec("rulestone/connect_four-v0", num_envs=512, bots="random")
>>> many.reset(seed=3)[0].shape
(512, 53)
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulestone import games
from rulestone.bots import decide, make
from rulestone.bots.protocol import Bot
from rulestone.bots.simple import Greedy, Random
from rulestone.envs.encoding import Encoding
from rulestone.envs.position import Position
from rulestone.envs.render import MODES, render
from rulestone.envs.spaces import observation_space, observed
from rulestone.envs.vector import VectorEnv
from rulestone.game import Game
from rulestone.match import Match

import gymnasium  # isort: skip  (after `envs.spaces`, which says what to install if it is missing)
from gymnasium import spaces  # isort: skip

ILLEGAL = -1.0
"""The reward for an illegal action, which ends the game: as bad as losing."""


def seats(bots: str | Sequence[str | None], seat: int, players: int) -> list[str | None]:
    """Who plays which seat: the learner (None) on `seat`, and one bot for all others or one for each of them in order.

    >>> seats(("greedy", "random"), 1, 3)
    ['greedy', None, 'random']
    """
    if not 0 <= seat < players:
        raise ValueError(f"there is no seat {seat!r}; seats are 0..{players - 1}")
    others = [bots] * (players - 1) if isinstance(bots, str) else list(bots)
    if len(others) != players - 1:
        raise ValueError(f"{len(others)} bots for {players - 1} other seats; give one for all or one for each")
    return [*others[:seat], None, *others[seat:]]


class SeatEnv(gymnasium.Env[Any, Any]):
    """One seat of a game; bots of any kind (`random`, `greedy`, `mcts:500`, …) play the others.

    The reward is the seat's payoff when the game is over. `info["action_mask"]` is the legal action mask. An illegal action ends the game
    with reward -1 and `info["illegal"]`, so that an agent without masks learns to avoid it. `settings` are the game's options by name.
    """

    metadata = {"render_modes": MODES, "render_fps": 2}  # noqa: RUF012

    def __init__(
        self,
        game: Game | str,
        seat: int = 0,
        players: int | None = None,
        bots: str | Sequence[str] = "random",
        observation: str = "flat",
        options: Mapping[str, Any] | None = None,
        render_mode: str | None = None,
        **settings: Any,
    ) -> None:
        if render_mode is not None and render_mode not in MODES:
            raise ValueError(f"there is no render_mode {render_mode!r}; possible: {', '.join(MODES)}")
        self.position = Position(game, players, {**(options or {}), **settings})
        self.game, self.seat, self.kind, self.render_mode = self.position.game, seat, observation, render_mode
        self.seats = seats(bots, seat, self.position.players)
        """The names of the bots, seat by seat; None for the learner."""
        self._seat_bots()
        self.encoding = Encoding.of(self.game)
        self.observation_space = observation_space(self.encoding, observation)
        self.action_space = spaces.Discrete(len(self.game.actions))
        self._chooser = random.Random()
        self._running = False

    def _seat_bots(self) -> None:
        self.bots: list[Bot | None] = [None if name is None else make(name, self.game) for name in self.seats]

    def __getstate__(self) -> dict[str, Any]:
        """What a copy needs. It gets bots of its own: they remember nothing, and the memory they think in can't be copied."""
        return {name: value for name, value in vars(self).items() if name != "bots"}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)
        self._seat_bots()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start a game and make the bots' moves until it is the seat's turn."""
        super().reset(seed=seed)
        if seed is not None:
            self._chooser = random.Random(seed)
        while True:
            self.position.begin(self._chooser.getrandbits(63))
            self._match: Match | None = None
            self._running = self._others_move()
            if self._running:
                return self._seen(), self._info()

    def _others_move(self) -> bool:
        """Make the bots' moves; return False if the game is over."""
        position = self.position
        while (player := position.to_move) not in (self.seat, -1):
            legal = position.legal().tolist()
            chance = self._chooser.getrandbits(63)
            bot = self.bots[player]
            if len(legal) == 1 or bot is None:
                position.step(legal[0])
            elif isinstance(bot, Random):
                position.step(bot.pick(position.array, legal, chance))
            elif isinstance(bot, Greedy):
                position.step(bot.pick(position.known(player), legal, chance))
            else:
                position.step(self.game.actions.parse(decide(self._caught_up().view(player), bot, chance).move))
        return position.to_move == self.seat

    def _caught_up(self) -> Match:
        """The game so far as a match, which is kept and extended from call to call."""
        if self._match is None:
            self._match = self.game.new(self.position.seed, self.position.players, self.position.options)
        for action in self.position.actions[self._match.ply :]:
            self._match.play(action)
        return self._match

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Make the seat's move, then the others' moves until its next turn."""
        if not self._running:
            raise ValueError("no game is running; call reset()")
        if int(action) not in self.position.legal():
            self._running = False
            return self._seen(), ILLEGAL, True, False, {**self._info(), "illegal": True}
        self.position.step(int(action))
        self._running = self._others_move()
        reward = 0.0 if self._running else self.position.payoff[self.seat]
        return self._seen(), reward, not self._running, False, self._info()

    def _seen(self) -> Any:
        return observed(self.position, self.kind, self.seat)

    def _info(self) -> dict[str, Any]:
        mask = np.zeros(len(self.game.actions), np.int8)
        if self._running:
            mask[self.position.legal()] = 1
        return {"action_mask": mask}

    def match(self) -> Match:
        """The game so far as a match: `match().record()` is a record that others can replay."""
        return self.position.match()

    def render(self) -> Any:
        """What the seat sees."""
        if self.render_mode is None:
            raise ValueError(f"choose a render_mode when making the environment: {', '.join(MODES)}")
        return render(self.match(), self.seat, self.render_mode)


class SeatVectorEnv(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """The same for many games in one compiled call, with `random` and `greedy` as bots.

    A finished game restarts in the same step; `final_obs` and `final_info` in the infos show how it ended. Observations and masks are
    the arrays of a `rulestone.envs.vector.VectorEnv`, which the next step overwrites: copy what you keep. An illegal action raises
    ValueError and changes nothing.
    """

    metadata = {"autoreset_mode": gymnasium.vector.AutoresetMode.SAME_STEP, "render_modes": []}  # noqa: RUF012

    def __init__(
        self,
        game: Game | str,
        num_envs: int = 1024,
        seat: int = 0,
        players: int | None = None,
        bots: str | Sequence[str] = "random",
        options: Mapping[str, Any] | None = None,
        threads: int = 1,
        **settings: Any,
    ) -> None:
        chosen = {**(options or {}), **settings}
        count = Position(game, players, chosen).players
        self.batch = VectorEnv(game, num_envs, players=count, options=chosen, bots=seats(bots, seat, count), threads=threads)
        self.num_envs, self.seat = num_envs, seat
        self.single_observation_space = observation_space(self.batch.encoding, "flat")
        self.single_action_space = spaces.Discrete(len(self.batch.game.actions))
        self.observation_space = gymnasium.vector.utils.batch_space(self.single_observation_space, num_envs)
        self.action_space = gymnasium.vector.utils.batch_space(self.single_action_space, num_envs)
        self._never: NDArray[np.bool_] = np.zeros(num_envs, np.bool_)
        self._nothing = np.zeros_like(self.batch.mask)
        self._nothing.flags.writeable = False

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start all games."""
        super().reset(seed=seed)
        self.batch.reset(seed)
        return self.batch.observations, {"action_mask": self.batch.mask}

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Make the seat's move in every game."""
        batch = self.batch
        batch.step(actions)
        done, info = batch.done.copy(), {"action_mask": batch.mask, "length": batch.length}
        if done.any():
            info |= self._final(done)
        return batch.observations, batch.rewards[:, self.seat].astype(np.float64), done, self._never.copy(), info

    def _final(self, done: NDArray[np.bool_]) -> dict[str, Any]:
        """How games ended, in the format of Gymnasium's own vector environments."""
        observations = np.full(self.num_envs, None, object)
        for place, observation in zip(np.flatnonzero(done), self.batch.look_back(self.seat), strict=True):
            observations[place] = observation
        info = {"action_mask": self._nothing, "_action_mask": done.copy(), "length": self.batch.length.copy(), "_length": done.copy()}
        return {"final_obs": observations, "_final_obs": done.copy(), "final_info": info, "_final_info": done.copy()}

    def close_extras(self, **kwargs: Any) -> None:
        """Stop the threads."""
        self.batch.close()


for _name in games():
    gymnasium.register(
        f"rulestone/{_name}-v0",
        entry_point="rulestone.envs.gymnasium:SeatEnv",
        vector_entry_point="rulestone.envs.gymnasium:SeatVectorEnv",
        kwargs={"game": _name},
    )
