"""Gymnasium: one seat of a game against chosen bots, alone (`SeatEnv`) or in thousands of games at once (`SeatVectorEnv`).

Importing this module registers every installed game as `rulestone/NAME-vVERSION`, with the version of its rules:

>>> import gymnasium
>>> env = gymnasium.make("rulestone/connect_four-v1", seat=1, bots="random")
>>> observation, info = env.reset(seed=3)
>>> observation.shape, int(info["action_mask"].sum())
((53,), 7)
>>> many = gymnasium.make_vec("rulestone/connect_four-v1", num_envs=512, bots="random")
>>> many.reset(seed=3)[0].shape
(512, 53)

In a worker process, or without the import, put the module in front: `gymnasium.make("rulestone.envs.gymnasium:rulestone/connect_four-v1")`.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulestone.bots import decide, make
from rulestone.bots.protocol import Bot
from rulestone.bots.simple import Greedy, Random
from rulestone.envs.observations import Observations
from rulestone.envs.position import Position
from rulestone.envs.render import MODES, checked, render
from rulestone.envs.spaces import observation_space, observed
from rulestone.envs.table import environment_id
from rulestone.envs.vector import VectorEnv
from rulestone.game import Game, installed, load
from rulestone.match import Match
from rulestone.nets.encoding import TOLD, Encoding

import gymnasium  # isort: skip  (after `envs.spaces`, which says what to install if it is missing)
from gymnasium import spaces  # isort: skip
from gymnasium.vector import AutoresetMode  # isort: skip

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

    The reward is the seat's payoff when the game is over. `info["action_mask"]` and `action_masks()` are the legal action mask, the latter
    as sb3-contrib asks for it. An illegal action ends the game with reward -1 and `info["illegal"]`, so that an agent without masks learns
    to avoid it. `observation` and `relative` choose the encoding (see `Observations`). `settings` are the game's options by name.
    """

    metadata = {"render_modes": MODES, "render_fps": 2}  # noqa: RUF012

    def __init__(
        self,
        game: Game | str,
        seat: int = 0,
        players: int | None = None,
        bots: str | Sequence[str] = "random",
        observation: str = "flat",
        relative: bool = False,
        options: Mapping[str, Any] | None = None,
        render_mode: str | None = None,
        **settings: Any,
    ) -> None:
        self.render_mode = checked(render_mode)
        self.position = Position(game, players, {**(options or {}), **settings})
        self.game, self.seat = self.position.game, seat
        self.seen = Observations(self.game, self.position.players, self.position.options, observation, relative)
        self.seats = seats(bots, seat, self.position.players)
        """The names of the bots, seat by seat; None for the learner."""
        self._seat_bots()
        self.encoding = Encoding.of(self.game)
        self.observation_space = observation_space(self.seen)
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
        return observed(self.position, self.seen, self.seat)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.action_masks().view(np.int8)}

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal action mask; all false when the game is over."""
        mask: NDArray[np.bool_] = np.zeros(len(self.game.actions), np.bool_)
        if self._running:
            mask[self.position.legal()] = True
        return mask

    def match(self) -> Match:
        """The game so far as a match: `match().record()` is a record that others can replay."""
        return self.position.match()

    def render(self) -> Any:
        """What the seat sees."""
        return render(self.match(), self.seat, self.render_mode)


@dataclass(frozen=True)
class Manner:
    """How many games are shown and stepped, whatever the game."""

    observation: str = "flat"
    """The encoding; see `Observations`."""
    relative: bool = False
    """Whether the seat's own things come first; see `Observations`."""
    render_mode: str | None = None
    autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP
    """When a finished game restarts."""
    copy: bool = True
    """Whether what is returned stays as it is in the next step."""
    threads: int = 1
    """How many threads share the games."""


MANNER = [field.name for field in fields(Manner)]


class SeatVectorEnv(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """The same for many games in one compiled call, with `random` and `greedy` as bots.

    `settings` are those of `Manner` and the game's options by name.

    `autoreset_mode` says when a finished game restarts: in the same step ("SameStep": `final_obs` and `final_info` in the infos show how
    it ended), in the next one ("NextStep": that step's action doesn't count), or when you reset it ("Disabled"). `reset` takes one seed, or
    one for each game, and restarts only the games in `options["reset_mask"]` if it is given. Named observations are without the story.

    What is returned is yours to keep. With `copy=False`, flat observations and masks are the arrays of a `rulestone.envs.vector.VectorEnv`,
    which the next step overwrites. An illegal action raises ValueError and changes nothing.
    """

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": MODES, "render_fps": 2}  # noqa: RUF012

    def __init__(
        self,
        game: Game | str,
        num_envs: int = 1024,
        seat: int = 0,
        players: int | None = None,
        bots: str | Sequence[str] = "random",
        options: Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> None:
        manner = Manner(**{name: settings.pop(name) for name in MANNER if name in settings})
        self.render_mode, self.copy, self.mode = checked(manner.render_mode), manner.copy, AutoresetMode(manner.autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.mode}
        chosen = {**(options or {}), **settings}
        game = load(game) if isinstance(game, str) else game
        count = game.prepared(players, chosen)[1]
        self.batch = VectorEnv(game, num_envs, players=count, options=chosen, bots=seats(bots, seat, count), threads=manner.threads)
        self.num_envs, self.seat = num_envs, seat
        self.seen = Observations(game, count, self.batch.options, manner.observation, manner.relative)
        self.single_observation_space = observation_space(self.seen, without=TOLD)
        self.single_action_space = spaces.Discrete(len(game.actions))
        self.observation_space = gymnasium.vector.utils.batch_space(self.single_observation_space, num_envs)
        self.action_space = gymnasium.vector.utils.batch_space(self.single_action_space, num_envs)
        self._ended: NDArray[np.bool_] = np.zeros(num_envs, np.bool_)
        """Which games are over and show how they ended; never any if games restart in the same step."""

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start all games, or those in `options["reset_mask"]`."""
        super().reset(seed=seed if isinstance(seed, int) else None)
        mask = (options or {}).get("reset_mask")
        if mask is None:
            self.batch.reset(seed)
            self._ended[:] = False
        else:
            self._reset_some(mask, seed)
        return self._shown(), {"action_mask": self._masks()}

    def _reset_some(self, mask: NDArray[np.bool_], seed: Any) -> None:
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
            raise TypeError(f"options['reset_mask'] must be a numpy array of bool, not {getattr(mask, 'dtype', type(mask))}")
        if mask.shape != (self.num_envs,) or not mask.any():
            raise ValueError(f"options['reset_mask'] must have the shape ({self.num_envs},) and at least one True")
        waiting = mask & self._ended if seed is None else self._never  # their next game has already been started
        if (mask & ~waiting).any():
            self.batch.reset(seed, mask & ~waiting)
        self._ended &= ~mask

    @property
    def _never(self) -> NDArray[np.bool_]:
        return np.zeros(self.num_envs, np.bool_)

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Make the seat's move in every game."""
        batch = self.batch
        if self._ended.any():
            if self.mode is AutoresetMode.DISABLED:
                raise ValueError(f"game {int(self._ended.argmax())} has ended; reset it with options={{'reset_mask': …}}")
            batch.step(actions, ~self._ended)
        else:
            batch.step(actions)
        done = batch.done.copy()
        info: dict[str, Any] = {"length": batch.length.copy() if self.copy else batch.length}
        if self.mode is not AutoresetMode.SAME_STEP:
            self._ended = done.copy()
            if done.any():
                self._keep_ends()
        elif done.any():
            info |= self._final(done)
        info["action_mask"] = self._masks()
        return self._shown(), batch.rewards[:, self.seat].astype(np.float64), done, self._never, info

    def _keep_ends(self) -> None:
        """Keep how games ended, to show it until they restart."""
        self._last_records = self.batch.layout.array(int(self._ended.sum()))
        self._last = self.batch.look_back(self.seat, self._last_records)

    def _shown(self) -> Any:
        """What the seat sees of every game."""
        flat, ended = self.batch.observations, self._ended
        if self.seen.kind == "dict":
            named = self._named(self.batch.records)
            if ended.any():
                for name, values in self._named(self._last_records).items():
                    named[name][ended] = values
            return named
        if ended.any():
            flat = flat.copy()
            flat[ended] = self._last
        made = self.seen(flat, self.seat)
        return made.copy() if self.copy and made is self.batch.observations else made

    def _named(self, records: NDArray[Any]) -> dict[str, NDArray[Any]]:
        """Fields by name, with a row for each record; a single number is a row of one."""
        names = self.single_observation_space.spaces  # type: ignore[attr-defined]
        return {name: records[name].reshape(len(records), *space.shape).copy() for name, space in names.items()}

    def _masks(self) -> NDArray[np.int8]:
        mask = self.batch.mask.view(np.int8)
        if self._ended.any():
            return np.where(self._ended[:, None], np.int8(0), mask)
        return mask.copy() if self.copy else mask

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal action mask of every game; all false where a game is over."""
        return self._masks().view(np.bool_)

    def _final(self, done: NDArray[np.bool_]) -> dict[str, Any]:
        """How games ended, in the format of Gymnasium's own vector environments."""
        records = self.batch.layout.array(int(done.sum()))
        ends = self.seen(self.batch.look_back(self.seat, records), self.seat)
        named = self._named(records) if self.seen.kind == "dict" else {}
        observations = np.full(self.num_envs, None, object)
        for number, place in enumerate(np.flatnonzero(done)):
            observations[place] = {name: values[number] for name, values in named.items()} if named else ends[number]
        nothing = np.zeros_like(self.batch.mask, np.int8)
        info = {"action_mask": nothing, "_action_mask": done.copy(), "length": self.batch.length.copy(), "_length": done.copy()}
        return {"final_obs": observations, "_final_obs": done.copy(), "final_info": info, "_final_info": done.copy()}

    def render(self) -> Any:
        """What the seat sees of each game."""
        return tuple(
            render(self.batch.match(place, bool(self._ended[place])), self.seat, self.render_mode) for place in range(self.num_envs)
        )

    def close_extras(self, **kwargs: Any) -> None:
        """Stop the threads."""
        self.batch.close()


for _name, _game in installed():
    gymnasium.register(
        environment_id(_game),
        entry_point="rulestone.envs.gymnasium:SeatEnv",
        vector_entry_point="rulestone.envs.gymnasium:SeatVectorEnv",
        kwargs={"game": _name},
    )
