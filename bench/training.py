"""The same training loop on Connect Four with three libraries: `python -m bench.training [--quick] [--json PATH]`.

sb3-contrib's MaskablePPO, with the same settings and hidden layers, learns the first seat against random moves: on our `SeatVecEnv` with
two encodings (224 and 53 numbers; the others have 84), on Pgx behind one jitted call a step, and on PettingZoo's `connect_four_v3` in a
`DummyVecEnv`. Every step has the opponent's move, the mask and the restart of finished games in it. What the environment takes of the time
is measured around its calls.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gymnasium import Env, spaces
from rich.console import Console
from rich.table import Table
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv, VecEnvWrapper

from bench.machine import BUSY, _version, machine, versions
from bench.report import facts_table

GAME = "connect_four"
ROLLOUT = 2048
"""Steps between two updates, over all games."""
SIZES = (8, 256)
OURS, SCALED, PGX, ZOO = "Rulestone, one-hot", "Rulestone, float", "Pgx on the CPU", "PettingZoo connect_four_v3"


class Timed(VecEnvWrapper):
    """Measures the time inside an environment: wall clock and CPU."""

    def __init__(self, env: VecEnv) -> None:
        super().__init__(env)
        self.seconds = self.processor = 0.0

    def _measured(self, call: Callable[[], Any]) -> Any:
        wall, processor = time.perf_counter(), time.process_time()
        answer = call()
        self.seconds += time.perf_counter() - wall
        self.processor += time.process_time() - processor
        return answer

    def reset(self) -> Any:
        """Start all games."""
        return self._measured(self.venv.reset)

    def step_wait(self) -> Any:
        """Make a move in every game."""
        return self._measured(self.venv.step_wait)

    def env_method(self, method_name: str, *arguments: Any, indices: Any = None, **named: Any) -> Any:
        """Ask for the masks."""
        return self._measured(lambda: self.venv.env_method(method_name, *arguments, indices=indices, **named))


# ---- the environments -----------------------------------------------------------------------------------------------


def _ours(observation: str) -> Callable[[int], VecEnv]:
    def make(games: int) -> VecEnv:
        from rulestone.envs.sb3 import SeatVecEnv

        return SeatVecEnv(GAME, games, bots="random", observation=observation, relative=True)

    return make


class Zoo(Env[Any, Any]):
    """The first seat of PettingZoo's game against random moves, as its own tutorial for MaskablePPO wraps it."""

    def __init__(self) -> None:
        from pettingzoo.classic import connect_four_v3

        self.table = connect_four_v3.env()
        self.table.reset()
        self.observation_space, self.action_space = spaces.Box(0, 1, (84,), np.int8), spaces.Discrete(7)
        self.chooser = random.Random(1)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        """Start a game."""
        self.table.reset(seed=seed)
        self.me = self.table.agent_selection
        return self._seen(), {}

    def _seen(self) -> Any:
        shown = self.table.observe(self.me)
        self.mask = shown["action_mask"].astype(np.bool_)
        return shown["observation"].ravel()

    def action_masks(self) -> Any:
        """The legal action mask."""
        return self.mask

    def step(self, action: Any) -> Any:
        """Make a move and the opponent's."""
        table = self.table
        table.step(int(action))
        if not any(table.terminations.values()):
            mask = table.observe(table.agent_selection)["action_mask"]
            table.step(int(self.chooser.choice(np.flatnonzero(mask))))
        over = any(table.terminations.values())
        return self._seen(), float(table.rewards[self.me]) if over else 0.0, over, False, {}


def _zoo(games: int) -> VecEnv:
    return DummyVecEnv([Zoo] * games)


def _pgx(games: int) -> VecEnv:
    import jax
    import jax.numpy as jnp
    import pgx

    jax.config.update("jax_platforms", "cpu")
    env = pgx.make(GAME)

    def one(state: Any, action: Any, key: Any) -> Any:
        """A move, the opponent's random move, and a new game if this one is over."""
        choosing, starting = jax.random.split(key)
        me = state.current_player
        moved = env.step(state, action)
        answer = jax.random.categorical(choosing, jnp.where(moved.legal_action_mask, 0.0, -jnp.inf))
        after = env.step(moved, answer)
        reward = moved.rewards[me] + jnp.where(moved.terminated, 0.0, after.rewards[me])
        last, fresh = env.observe(after, me), env.init(starting)
        state = jax.tree_util.tree_map(lambda new, old: jnp.where(after.terminated, new, old), fresh, after)
        return state, state.observation, state.legal_action_mask, reward, after.terminated, last

    step, start = jax.jit(jax.vmap(one)), jax.jit(jax.vmap(env.init))

    class Batch(VecEnv):
        """A batch of Pgx's games."""

        def __init__(self) -> None:
            self.key = jax.random.key(1)
            super().__init__(games, spaces.Box(0, 1, (84,), np.float32), spaces.Discrete(7))

        def _keys(self) -> Any:
            self.key, own = jax.random.split(self.key)
            return jax.random.split(own, games)

        def reset(self) -> Any:
            self.state = start(self._keys())
            self.mask = np.asarray(self.state.legal_action_mask)
            return np.asarray(self.state.observation, np.float32).reshape(games, -1)

        def step_async(self, actions: Any) -> None:
            self.actions = actions

        def step_wait(self) -> Any:
            self.state, seen, mask, rewards, done, last = step(self.state, self.actions, self._keys())
            self.mask, done = np.asarray(mask), np.asarray(done)
            infos: list[dict[str, Any]] = [{} for _ in range(games)]
            if done.any():
                ends = np.asarray(last, np.float32).reshape(games, -1)
                for place in np.flatnonzero(done):
                    infos[place] = {"terminal_observation": ends[place], "TimeLimit.truncated": False}
            return np.asarray(seen, np.float32).reshape(games, -1), np.asarray(rewards), done, infos

        def env_method(self, method_name: str, *arguments: Any, indices: Any = None, **named: Any) -> Any:
            return list(self.mask)

        def has_attr(self, attr_name: str) -> bool:
            return attr_name == "action_masks"

        def get_attr(self, attr_name: str, indices: Any = None) -> Any:
            return [None] * games

        def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
            raise AttributeError(attr_name)

        def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> Any:
            return [False] * games

        def close(self) -> None:
            """Do nothing."""

    return Batch()


MAKERS: dict[str, Callable[[int], VecEnv]] = {OURS: _ours("onehot"), SCALED: _ours("float"), PGX: _pgx, ZOO: _zoo}


# ---- measuring ------------------------------------------------------------------------------------------------------


def learner(make: Callable[[int], VecEnv], games: int) -> tuple[MaskablePPO, Timed]:
    """A learner that has made its first round already, so that everything is compiled."""
    env = Timed(make(games))
    model = MaskablePPO("MlpPolicy", env, n_steps=ROLLOUT // games, batch_size=512, n_epochs=4, gamma=1.0, seed=1, device="cpu")
    model.learn(ROLLOUT)
    return model, env


def measure(rounds: int, updates: int, say: Callable[[str], None]) -> list[dict[str, Any]]:
    """Let all libraries learn by turns. Returns a row for each library and number of games, with a figure for every round."""
    rows = []
    for games in SIZES:
        learners = {}
        for name, make in MAKERS.items():
            try:
                learners[name] = learner(make, games)
            except ImportError as problem:
                say(f"skipping {name}: not installed ({problem})")
        found: dict[str, list[tuple[float, ...]]] = {name: [] for name in learners}
        for number in range(rounds):
            say(f"{games} games, round {number + 1} of {rounds}")
            for name, (model, env) in learners.items():
                env.seconds = env.processor = 0.0
                wall, processor = time.perf_counter(), time.process_time()
                model.learn(updates * ROLLOUT, reset_num_timesteps=False)
                wall, processor = time.perf_counter() - wall, time.process_time() - processor
                found[name].append((updates * ROLLOUT / wall, updates * ROLLOUT / processor, env.processor / processor, env.seconds / wall))
        for name, figures in found.items():
            columns = [list(column) for column in zip(*figures, strict=True)]
            keys = ("steps per second", "steps per CPU second", "share of the environment", "share by the clock")
            rows.append({"library": name, "games": games, **dict(zip(keys, columns, strict=True))})
    return rows


def table(rows: list[dict[str, Any]]) -> Table:
    """Medians over the rounds; how many times faster we are is the median of the rounds' ratios."""
    columns = ("games", "library", "steps/s", "steps per CPU second", "environment", "µs a step", "one-hot is faster", "in CPU time")
    made = Table(*columns, title="MaskablePPO on Connect Four")
    for row in rows:
        ours = next(other for other in rows if other["library"] == OURS and other["games"] == row["games"])
        ratios = [_ratio(ours[key], row[key]) for key in ("steps per second", "steps per CPU second")]
        figures = [f"{statistics.median(row[key]):,.0f}" for key in ("steps per second", "steps per CPU second")]
        share = statistics.median(row["share of the environment"])
        parts = zip(row["share of the environment"], row["steps per CPU second"], strict=True)
        taken = statistics.median(1e6 * part / rate for part, rate in parts)
        made.add_row(str(row["games"]), row["library"], *figures, f"{share:.1%}", f"{taken:.1f}", *(["–", "–"] if row is ours else ratios))
    return made


def _ratio(over: list[float], under: list[float]) -> str:
    ratios = [one / other for one, other in zip(over, under, strict=True)]
    return f"{statistics.median(ratios):.2f} × ({min(ratios):.2f} to {max(ratios):.2f})"


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.training", description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="short measurements, for a first look")
    parser.add_argument("--json", type=Path, metavar="PATH", help="where to save the figures")
    options = parser.parse_args()
    torch.set_num_threads(1)
    console = Console() if sys.stdout.isatty() else Console(width=160)
    here = machine()
    involved = {**versions(), **{name: _version(name) for name in ("gymnasium", "sb3-contrib", "torch")}}
    console.print(facts_table("Machine", here), facts_table("Versions", involved))
    if float(here["load"]) > BUSY:
        console.print(f"The machine is busy (load {here['load']}): compare the figures in CPU time.", style="yellow")
    rows = measure(3 if options.quick else 5, 1 if options.quick else 4, lambda text: console.print(text, style="dim"))
    console.print(table(rows))
    if options.json:
        options.json.write_text(json.dumps({"machine": here, "versions": involved, "rows": rows}, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
