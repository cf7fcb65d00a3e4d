"""What a net reads, for many games at once: the inputs of its lens, the advice of the game's quick bot, and what the game adds."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
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
    """Turns what the players to move see into inputs. The advice and the features of the game come last."""

    def __init__(self, game: Game, lens: Lens, device: str = "cpu") -> None:
        self.game, self.lens, self.device = game, lens, device
        plan, table = lens.table(game)
        self.size = int(plan[forward.INPUTS])
        """How many inputs there are."""
        self.compiled = game.mode == "compiled"
        self._run = (common_compiler() if self.compiled else Interpreter()).fill(forward.spread, {})
        most = int(plan[forward.MOST]) + 1
        self._tables = [self._plain(array) for array in (plan[None], table)]
        self._desk = [self._plain(array) for array in (np.zeros(most, np.int32), np.zeros(most))]
        self._far = None if device == "cpu" else FarEyes(plan, table, device)
        self._advice_at = int(plan[forward.ADVICE_AT])

    def _plain(self, array: NDArray[Any]) -> Any:
        return array if self.compiled else memoryview(np.ascontiguousarray(array))  # type: ignore[arg-type]

    def __call__(self, flat: torch.Tensor, viewers: torch.Tensor, features: torch.Tensor, advice: torch.Tensor) -> torch.Tensor:
        """Return the inputs, a row each, of vectors seen by these players, with the game's features and the advice (-1: none)."""
        out = torch.zeros((len(flat), self.size), device=self.device)
        if self._far is not None:
            self._far(flat, viewers, out)
        elif len(flat):
            self._run(*self._tables, self._plain(flat.numpy()), self._plain(viewers.numpy()), *self._desk, self._plain(out.numpy()))
        if self.lens.advised:
            out[torch.arange(len(out), device=self.device), self._advice_at + advice] = 1.0
        out[:, self.size - self.lens.features :] = features
        return out


class FarEyes:
    """`forward.spread` in PyTorch, for a device."""

    def __init__(self, plan: NDArray[np.int64], table: NDArray[np.int32], device: str) -> None:
        def there(array: NDArray[Any]) -> torch.Tensor:
            return torch.from_numpy(np.ascontiguousarray(array).astype(np.int64)).to(device)

        size, first = int(plan[forward.SIZE]), int(plan[forward.COLUMNS])
        rows = table[first : first + size * forward.ENTRY].reshape(size, forward.ENTRY)
        sources = table[plan[forward.SOURCES] : plan[forward.PLACES]].reshape(-1, size)
        self.sources, self.table = there(sources), there(table)
        self.places = there(table[plan[forward.PLACES] : plan[forward.PLACES] + len(sources)])
        self.ring, self.seat_at = int(plan[forward.RING]), int(plan[forward.SEAT_AT])
        self.seats, self.low, self.high = (there(rows[:, column]) for column in (forward.SEAT, forward.LOW, forward.HIGH))
        kind = rows[:, forward.KIND]
        self.ranked, self.scaled, self.bits = (there(np.flatnonzero(kind == one)) for one in (forward.RANKED, forward.SCALED, forward.BITS))
        self.at, self.ranks = there(rows[:, forward.AT]), there(rows[:, forward.RANKS])
        self.piled = there(np.flatnonzero((kind == forward.RANKED) & (rows[:, forward.PILE] >= 0)))
        self.pile = there(rows[:, forward.PILE])[self.piled]
        self.part = 1.0 / there(rows[:, forward.LAID])[self.piled].float()
        self.bit = torch.arange(int(rows[kind == forward.BITS, forward.RANKS].max(initial=0)), device=device)

    def __call__(self, flat: torch.Tensor, viewers: torch.Tensor, out: torch.Tensor) -> None:
        """Write the inputs of vectors to `out`, which is zero."""
        viewers = viewers.long()
        value = flat.long().gather(1, self.sources[viewers])
        seated = (self.seats > 0) & (value >= 0) & (value < self.ring)
        value = torch.where(seated, (value - self.places[viewers][:, None]) % self.ring, value)
        value = torch.minimum(torch.maximum(value, self.low), self.high)
        out[torch.arange(len(out), device=out.device), self.seat_at + viewers] = 1.0
        rank = torch.zeros_like(value)
        rank[:, self.ranked] = self.table[(self.ranks + value - self.low)[:, self.ranked]]
        out.scatter_(1, (self.at + rank)[:, self.ranked], 1.0)
        if len(self.piled):
            out.scatter_add_(1, self.pile + rank[:, self.piled], self.part.expand(len(out), -1))
        if len(self.scaled):
            far = (self.high - self.low)[self.scaled].float()
            out[:, self.at[self.scaled]] = (value - self.low)[:, self.scaled].float() / far
        if len(self.bits):
            known = self.bit < self.ranks[self.bits][:, None]
            shown = (value[:, self.bits, None] >> self.bit) & 1
            out[:, (self.at[self.bits][:, None] + self.bit)[known]] = shown[:, known].float()


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


def watch(env: VectorEnv, advised: bool = False) -> tuple[Lens, float]:
    """Play games, at random and like the game's quick bot. The games then start again.

    Returns the lens for what varies in them, and how many moves there are to choose from, on average.
    """
    flat, viewers = [], []
    seed, decisions, choices = env.seed, 0, 0
    chance = np.random.default_rng(seed)
    watched = min(WATCHED, 4000) if not env.compiled else WATCHED
    own = np.arange(env.games) % 4 if env.game.greedy is not None else np.zeros(env.games)  # in a quarter of the games all is random
    while decisions < watched:
        flat.append(env.observations.copy())
        viewers.append(env.to_move.copy())
        decisions += env.games
        choices += int(env.mask.sum())
        actions = env.sample()
        if env.game.greedy is not None:
            actions = np.where(chance.random(env.games) < own / 3.2, env.advice(), actions)
        env.step(actions)
    lens = Lens.measured(env.game, env.players, np.concatenate(flat), np.concatenate(viewers), count_features(env), advised)
    env.reset(seed)
    return lens, choices / decisions
