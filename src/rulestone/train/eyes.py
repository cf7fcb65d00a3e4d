"""What a net reads, for many games at once: the inputs of its lens, and what the game adds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulestone.engine import quick
from rulestone.envs.vector import VectorEnv
from rulestone.game import Game, common_compiler
from rulestone.kernel.rule import Interpreter
from rulestone.nets import forward
from rulestone.nets.lens import Lens

MOST_FEATURES = 1024
WATCHED = 40_000
"""About how many decisions are watched to see what varies in a game."""


class Eyes:
    """Turns what the players to move see into inputs. The features of the game come last."""

    def __init__(self, game: Game, lens: Lens) -> None:
        self.game, self.lens = game, lens
        plan, table = lens.table(game)
        self.size = int(plan[forward.INPUTS])
        """How many inputs there are."""
        self.compiled = game.mode == "compiled"
        self._run = (common_compiler() if self.compiled else Interpreter()).fill(forward.spread, {})
        most = int(plan[forward.MOST]) + 1
        self._tables = [self._plain(array) for array in (plan[None], table)]
        self._desk = [self._plain(array) for array in (np.zeros(most, np.int32), np.zeros(most))]

    def _plain(self, array: NDArray[Any]) -> Any:
        return array if self.compiled else memoryview(np.ascontiguousarray(array))  # type: ignore[arg-type]

    def __call__(self, flat: NDArray[np.int32], viewers: NDArray[np.int8], features: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the inputs, a row each, of vectors seen by these players, with the game's features."""
        out = np.zeros((len(flat), self.size), np.float32)
        if len(flat):
            self._run(*self._tables, self._plain(flat), self._plain(viewers), *self._desk, self._plain(out))
        out[:, self.size - self.lens.features :] = features
        return out


def features_of(env: VectorEnv, width: int) -> NDArray[np.float32]:
    """Return what the game tells nets besides its record, `width` numbers for each game."""
    out = np.zeros(env.games * max(width, 1) + MOST_FEATURES)
    if width:
        env.fill(quick.features_of)(env.tables(env.records), env.games, width, env.plain(out))
    return out[: env.games * width].reshape(env.games, width).astype(np.float32)


def count_features(env: VectorEnv) -> int:
    """Return how many numbers the game's `features` writes. Raises ValueError if it's more than can be, or none."""
    if env.game.features is None:
        return 0
    out = np.zeros(2 * MOST_FEATURES)
    count = int(env.fill(quick.features_of)(env.tables(env.records), 1, 0, env.plain(out)))
    if not 0 < count <= MOST_FEATURES:
        raise ValueError(
            f"features in the bot.py of {env.game.name} must return how many numbers it writes, 1 to {MOST_FEATURES}, not {count}"
        )
    return count


def watch(env: VectorEnv) -> Lens:
    """Play games, at random and like the game's quick bot, and return the lens for what varies in them. The games then start again."""
    flat, viewers = [], []
    seed, decisions = env.seed, 0
    chance = np.random.default_rng(seed)
    watched = min(WATCHED, 4000) if not env.compiled else WATCHED
    own = np.arange(env.games) % 4 if env.game.greedy is not None else np.zeros(env.games)  # in a quarter of the games all is random
    while decisions < watched:
        flat.append(env.observations.copy())
        viewers.append(env.to_move.copy())
        decisions += env.games
        actions = env.sample()
        if env.game.greedy is not None:
            actions = np.where(chance.random(env.games) < own / 3.2, env.advice(), actions)
        env.step(actions)
    lens = Lens.measured(env.game, env.players, np.concatenate(flat), np.concatenate(viewers), count_features(env))
    env.reset(seed)
    return lens
