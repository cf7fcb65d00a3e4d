"""PettingZoo: every game as a turn-based environment (`env`), and batches of games as a parallel one (`parallel_env`).

>>> game = env("connect_four")
>>> game.reset(seed=7)
>>> for agent in game.agent_iter():
...     observation, reward, terminated, truncated, info = game.last()
...     game.step(None if terminated else int(observation["action_mask"].argmax()))
>>> game.unwrapped.match().payoff
(1.0, -1.0)

Players who decide at the same time (`deciders`) take turns here in the order of their seats, hidden from each other.
"""

from __future__ import annotations

import random
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulestone.envs import MISSING
from rulestone.envs.observations import Observations
from rulestone.envs.position import Position
from rulestone.envs.render import MODES, checked, render
from rulestone.envs.spaces import observation_space, observed
from rulestone.envs.vector import VectorEnv
from rulestone.game import Game
from rulestone.match import IllegalMove, Match
from rulestone.nets.encoding import Encoding

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv, ParallelEnv
    from pettingzoo.utils import parallel_to_aec
    from pettingzoo.utils.env_logger import EnvLogger
except ModuleNotFoundError as problem:
    raise ModuleNotFoundError(MISSING.format("pettingzoo")) from problem


def env(name: Game | str, players: int | None = None, render_mode: str | None = None, **settings: Any) -> AECEnv[str, Any, Any]:
    """A game in which agents take turns, with the checks of PettingZoo's usual wrappers: an illegal move loses and ends the game.

    `settings` are `observation` and `relative` (see `Observations`) and the game's options by name. With `max_cycles` (and optionally
    `games`) it is the agent cycle of `parallel_env` instead: every agent acts in every cycle, and all are truncated after `max_cycles`
    cycles.
    """
    if "max_cycles" in settings or "games" in settings:
        return parallel_to_aec(parallel_env(name, players=players, render_mode=render_mode, **settings))
    return checked_env(name, players, render_mode, **settings)


class raw_env(AECEnv[str, Any, Any]):  # type: ignore[misc]
    """The environment without wrappers. Observations are what the agent can know; `infos` contain the action mask as well."""

    def __init__(
        self,
        name: Game | str,
        players: int | None = None,
        render_mode: str | None = None,
        observation: str = "flat",
        relative: bool = False,
        **options: Any,
    ) -> None:
        super().__init__()
        self.position = Position(name, players, options)
        self.game, self.encoding = self.position.game, Encoding.of(self.position.game)
        self.seen = Observations(self.game, self.position.players, options, observation, relative)
        self.render_mode = checked(render_mode)
        self.metadata = metadata(self.game)
        self.possible_agents = [f"player_{seat}" for seat in range(self.position.players)]
        self._seat = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        actions = len(self.game.actions)
        one = {"observation": observation_space(self.seen), "action_mask": spaces.Box(0, 1, (actions,), np.int8)}
        self.observation_spaces = {agent: spaces.Dict(one) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}
        self._nothing: NDArray[np.int8] = np.zeros(actions, np.int8)
        self._nothing.flags.writeable = False
        self._seeds = random.Random()

    def observation_space(self, agent: str) -> Any:
        """The observation space of an agent: {"observation": …, "action_mask": …}."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The actions of the game, numbered as in `game.actions`."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game. With a seed, it is the match with that seed; later games without a seed follow from it."""
        if seed is not None:
            seed = index(seed)
            self._seeds = random.Random(seed)
        self.position.begin(self._seeds.getrandbits(63) if seed is None else seed)
        self.agents = self.possible_agents[:]
        self.rewards: dict[str, float] = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards: dict[str, float] = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {"action_mask": self._nothing} for agent in self.agents}
        self._turn()

    def _turn(self) -> None:
        """Set the action mask of the agent to move."""
        seat = self.position.to_move
        if seat >= 0:
            mask = np.zeros(len(self._nothing), np.int8)
            mask[self.position.legal()] = 1
            self.agent_selection = self.possible_agents[seat]
            self.infos[self.agent_selection] = {"action_mask": mask}

    def step(self, action: int | None) -> None:
        """Make the move of the agent whose turn it is; None for an agent whose game is over."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None or not 0 <= action < len(self._nothing) or not self.infos[agent]["action_mask"][action]:
            possible = np.flatnonzero(self.infos[agent]["action_mask"]).tolist()
            raise IllegalMove(f"action {action} is not possible for {agent}; possible: {possible[:12]}")
        self._cumulative_rewards[agent] = 0.0
        self.position.step(int(action))
        self.infos[agent] = {"action_mask": self._nothing}
        if self.position.to_move >= 0:
            self._turn()
            return
        self.rewards = dict(zip(self.agents, self.position.payoff, strict=True))
        self.terminations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()
        self.agent_selection = self.agents[(self._seat[agent] + 1) % len(self.agents)]
        self._deads_step_first()

    def observe(self, agent: str) -> dict[str, Any]:
        """What an agent can know now, and its action mask: all zeros unless it is to move."""
        info = self.infos.get(agent)
        mask = self._nothing if info is None else info["action_mask"]
        return {"observation": observed(self.position, self.seen, self._seat[agent]), "action_mask": mask}

    def match(self) -> Match:
        """The game so far as a match: `match().record()` is a record that others can replay."""
        return self.position.match()

    def render(self) -> Any:
        """What the agent to move sees."""
        seat = self.position.to_move
        return render(self.match(), None if seat < 0 else seat, self.render_mode)

    def close(self) -> None:
        """Do nothing: there is nothing to release."""


class checked_env(raw_env):
    """The same with the checks of `OrderEnforcingWrapper`, `AssertOutOfBoundsWrapper` and `TerminateIllegalWrapper`.

    They are built in because three nested wrappers would take most of the time of a step.
    """

    def __getattr__(self, name: str) -> Any:
        if name in ("agents", "rewards", "terminations", "truncations", "infos", "agent_selection"):
            raise AttributeError(f"{name} cannot be accessed before reset")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def step(self, action: int | None) -> None:
        """Make the move of the agent whose turn it is. An illegal one ends the game: -1 for that agent, 0 for everybody else."""
        agent = self.agent_selection
        if action is None or self.terminations[agent]:
            assert action is None, "action is not in action space"
            super().step(None)
            return
        assert 0 <= action < len(self._nothing), "action is not in action space"
        if self.infos[agent]["action_mask"][action]:
            super().step(action)
            return
        EnvLogger.warn_on_illegal_move()
        self.rewards = dict.fromkeys(self.agents, 0.0) | {agent: -1.0}
        self._cumulative_rewards[agent] = 0.0
        self.terminations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()
        self._deads_step_first()


class parallel_env(ParallelEnv[str, Any, Any]):  # type: ignore[misc]
    """A batch of games in which every agent acts in all games at once.

    Agent p observes an array with one row per game and returns one action per game. Only rows where it is p's turn count:
    `infos[p]["turn"]` marks them, and `infos[p]["action_mask"]` is the legal action mask. An illegal action is not punished: it is
    replaced by the next legal one (by number, wrapping around) and counted in `infos[p]["illegal"]`. When a game ends, everybody gets
    their reward (summed over the batch; `infos[p]["reward"]` has it by game) and the game restarts, so agents never terminate; they are
    truncated after `max_cycles` steps, if given.
    """

    def __init__(
        self,
        name: Game | str,
        games: int = 16,
        players: int | None = None,
        render_mode: str | None = None,
        max_cycles: int | None = None,
        observation: str = "flat",
        relative: bool = False,
        **options: Any,
    ) -> None:
        self.batch = VectorEnv(name, games, players=players, options=options, seed=0)
        self.game, self.max_cycles = self.batch.game, max_cycles
        self.render_mode = checked(render_mode)
        self.metadata = metadata(self.game)
        self.possible_agents = [f"player_{seat}" for seat in range(self.batch.players)]
        self.agents: list[str] = []
        if observation == "dict":
            raise ValueError("a batch has flat, float or onehot observations, not dict")
        self.seen = Observations(self.game, self.batch.players, self.batch.options, observation, relative)
        low, high = (np.broadcast_to(bound, (games, self.seen.size)) for bound in self.seen.bounds)
        self.observation_spaces = {agent: spaces.Box(low, high, dtype=low.dtype.type) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.MultiDiscrete([len(self.game.actions)] * games) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> Any:
        """One row of numbers per game."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """One action per game."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start all games of the batch."""
        self.batch.reset(seed)
        self.agents = self.possible_agents[:]
        self.cycles = 0
        return self._observations(), self._infos(np.zeros(self.batch.players, np.int64))

    def step(self, actions: dict[str, Any]) -> tuple[dict[str, Any], ...]:
        """Make one move in every game, by the agent to move there."""
        batch = self.batch
        table = np.stack([np.asarray(actions[agent]) for agent in self.agents])
        wanted = table[batch.to_move, np.arange(batch.games)].astype(np.int64)
        chosen = next_possible(batch.mask, wanted)
        illegal = np.bincount(batch.to_move[chosen != wanted], minlength=batch.players)
        batch.step(chosen)
        self.cycles += 1
        over = self.max_cycles is not None and self.cycles >= self.max_cycles
        live = self.agents
        rewards = {agent: float(batch.rewards[:, seat].sum()) for seat, agent in enumerate(live)}
        answer = self._observations(), rewards, dict.fromkeys(live, False), dict.fromkeys(live, over), self._infos(illegal)
        if over:
            self.agents = []
        return answer

    def _observations(self) -> dict[str, Any]:
        return {agent: self.seen(self.batch.look(seat), seat) for seat, agent in enumerate(self.agents)}

    def _infos(self, illegal: NDArray[np.int64]) -> dict[str, Any]:
        batch = self.batch
        turns = [batch.to_move == seat for seat in range(batch.players)]
        return {
            agent: {
                "turn": turns[seat],
                "action_mask": (batch.mask & turns[seat][:, None]).view(np.int8),
                "done": batch.done.copy(),
                "reward": batch.rewards[:, seat].copy(),
                "illegal": int(illegal[seat]),
            }
            for seat, agent in enumerate(self.agents)
        }

    def render(self) -> Any:
        """The first game of the batch as a spectator sees it, as text or picture."""
        return render(self.batch.match(0), None, self.render_mode)

    def close(self) -> None:
        """Release the batch."""
        self.batch.close()


def next_possible(mask: NDArray[np.bool_], wanted: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each row, the first legal action from the wanted one on, wrapping around.

    >>> next_possible(np.array([[True, False, True], [True, False, False]]), np.array([1, 2])).tolist()
    [2, 0]
    """
    count = mask.shape[1]
    turned = mask[np.arange(len(mask))[:, None], (wanted[:, None] + np.arange(count)) % count]
    chosen: NDArray[np.int64] = (wanted + turned.argmax(axis=1)) % count
    return chosen


def metadata(game: Game) -> dict[str, Any]:
    """PettingZoo's metadata for an environment."""
    return {"name": f"rulestone_{game.name}_v{game.version}", "render_modes": MODES, "is_parallelizable": False, "render_fps": 2}
