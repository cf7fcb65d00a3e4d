"""Games to learn from: many side by side, with the learner, its past selves and the game's quick bot in the seats."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from rulestone.envs.vector import VectorEnv
from rulestone.train.eyes import Eyes, features_of
from rulestone.train.model import Network
from rulestone.train.weigh import Weigher, candidates

Decide = Callable[[NDArray[np.bool_]], NDArray[np.int64]]


@dataclass
class Rows:
    """Decisions to learn from, a row each: what was seen, and what could be done."""

    flat: NDArray[np.int32]
    viewers: NDArray[np.int8]
    features: NDArray[np.float32]
    mask: NDArray[np.bool_]
    advice: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.advice)

    def tensors(self, device: str) -> dict[str, torch.Tensor]:
        """Return everything by name, on a device."""
        return {name: torch.from_numpy(array).to(device) for name, array in vars(self).items()}


@dataclass
class Weighed(Rows):
    """Decisions whose moves were weighed."""

    tried: NDArray[np.int64]
    """The moves that were weighed; -1 where there are fewer. The quick bot's is first, or else the one that the learner likes best."""
    gain: NDArray[np.float32]
    """What each of them was worth to the player to move, more than the first one."""
    worth: NDArray[np.float32]
    """What the move that the learner likes best was worth to every player, the one to move first."""


@dataclass
class Batch(Rows):
    """Decisions that were made, and the results."""

    action: NDArray[np.int64]
    log: NDArray[np.float32]
    """The logarithm of the probability that the learner gave to its action."""
    gain: NDArray[np.float32]
    """How much better the action turned out than expected."""
    worth: NDArray[np.float32]
    """The result for every player, the one to move first."""


class Table:
    """Many games side by side, and what is kept of some moves in each of them."""

    def __init__(self, env: VectorEnv, eyes: Eyes, moves: int, device: str, seed: int) -> None:
        self.env, self.eyes, self.moves, self.device = env, eyes, moves, device
        self.chance = np.random.default_rng(seed)
        self.dice = torch.Generator(device).manual_seed(seed)
        """What actions are drawn with."""
        shape = (moves, env.games)
        self.flat = np.zeros((*shape, env.encoding.size), np.int32)
        self.mask = np.zeros((*shape, env.mask.shape[1]), np.bool_)
        self.features = np.zeros((*shape, eyes.lens.features), np.float32)
        self.viewers = np.zeros(shape, np.int8)
        self.action, self.advice = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        self.advised = env.game.greedy is not None
        """Whether the game's quick bot is asked."""
        self.now = np.zeros(env.games, np.int64)
        """What it advises now, in each game."""
        self.log = np.zeros(shape, np.float32)
        self.kept, self.done = np.zeros(shape, np.bool_), np.zeros(shape, np.bool_)
        self.values, self.rewards = np.zeros((*shape, env.players), np.float32), np.zeros((*shape, env.players), np.float32)

    @torch.no_grad()
    def ask(self, network: Network, rows: NDArray[Any] | slice) -> tuple[torch.Tensor, NDArray[np.float32]]:
        """Return a network's logarithms of probabilities (on its device) and values in some of the games as they stand now."""
        env = self.env
        here = env.observations[rows], env.to_move[rows], features_of(env, self.eyes.lens.features)[rows], self.now[rows], env.mask[rows]
        flat, viewers, features, advice, mask = (torch.from_numpy(array).to(self.device) for array in here)
        logs, values = network(self.eyes(flat, viewers, features, advice), mask, advice)
        return logs.masked_fill(~mask, -torch.inf), values.cpu().numpy()

    def listen(self) -> None:
        """Ask the game's quick bot what it would do now."""
        if self.advised:
            self.now = self.env.advice()

    def draw(self, logs: torch.Tensor) -> NDArray[np.int64]:
        """Return an action for each row, drawn with these probabilities: one die for each, and how far it reaches along their sum."""
        reach = logs.exp().cumsum(1)
        dice = torch.rand((len(logs), 1), generator=self.dice, device=logs.device)
        # What can't be done adds nothing to the sum, so where it first exceeds the die can be done. Less than the whole sum, for rounding.
        actions: NDArray[np.int64] = torch.searchsorted(reach, dice * reach[:, -1:] * (1 - 1e-6), right=True)[:, 0].cpu().numpy()
        return actions

    def look(self, move: int) -> None:
        """Keep what is seen before a move."""
        env = self.env
        self.listen()
        self.flat[move], self.mask[move], self.viewers[move], self.advice[move] = env.observations, env.mask, env.to_move, self.now
        if self.eyes.lens.features:
            self.features[move] = features_of(env, self.eyes.lens.features)

    def go(self, move: int, actions: NDArray[np.int64], logs: torch.Tensor, values: NDArray[np.float32]) -> None:
        """Make a move in every game, and keep the rewards."""
        env = self.env
        self.action[move], self.values[move] = actions, values
        self.log[move] = logs.gather(1, torch.from_numpy(actions).to(logs.device)[:, None])[:, 0].cpu().numpy()
        env.step(actions)
        self.done[move], self.rewards[move] = env.done, env.rewards

    def batch(self, network: Network, decay: float) -> Batch:
        """Return what was kept, with the gains of the actions and the results (both by TD(λ); `decay` is λ).

        A player's decisions follow each other whatever others do in between. At the end of the batch, a game is worth to each player what
        the player to move there expects.
        """
        env = self.env
        games, players = np.arange(env.games), env.players
        self.listen()
        _, last = self.ask(network, slice(None))
        seats = (env.to_move[:, None].astype(np.int64) + np.arange(players)) % players
        worth = np.zeros((env.games, players), np.float32)  # what each player's next decision (or the end) is expected to be worth
        np.put_along_axis(worth, seats, last, axis=1)
        came = worth.copy()  # the same, with what really happened
        gains, comes = np.zeros_like(self.log), np.zeros_like(self.values)
        for move in range(self.moves - 1, -1, -1):
            ended = self.done[move]
            worth[ended] = came[ended] = self.rewards[move, ended]
            mover, value = self.viewers[move].astype(np.int64), self.values[move, :, 0]
            gain = (1 - decay) * worth[games, mover] + decay * came[games, mover] - value
            gains[move] = gain
            worth[games, mover], came[games, mover] = value, value + gain
            comes[move] = np.take_along_axis(came, (mover[:, None] + np.arange(players)) % players, axis=1)
        kept = self.kept & (self.mask.sum(axis=2) > 1)
        return Batch(
            self.flat[kept], self.viewers[kept], self.features[kept], self.mask[kept], self.advice[kept],
            self.action[kept], self.log[kept], gains[kept], comes[kept],
        )  # fmt: skip


class SelfPlay:
    """Plays batches of moves. In some places, the learner has one seat and others the rest; in all others it plays against itself."""

    def __init__(self, table: Table, against_past: float, against_greedy: float) -> None:
        env = table.env
        alone = env.players == 1 or env.game.cooperative  # then there are no rivals
        past = 0 if alone else round(env.games * against_past)
        greedy = 0 if alone or env.game.greedy is None else round(env.games * against_greedy)
        self.table, self.past, self.greedy = table, past, greedy
        self.turn = 0

    def imitate(self, network: Network, decay: float, lead: float = 0.75, slip: float = 0.08) -> Batch:
        """Play like the game's quick bot (with the learner's moves and random ones in between), and return its moves to imitate."""
        table, env = self.table, self.table.env
        table.kept[:] = True
        for move in range(table.moves):
            table.look(move)
            logs, values = table.ask(network, slice(None))
            dice = table.chance.random(env.games)
            actions = np.where(dice < lead, table.now, np.where(dice < lead + slip, env.sample(), table.draw(logs)))
            table.go(move, actions, logs, values)
        table.action[:] = table.advice
        return table.batch(network, decay)

    def play(self, network: Network, rival: Network | None, decay: float) -> Batch:
        """Play against oneself, a past self and the game's quick bot, and return the learner's own moves."""
        for _ in self._moves(network, rival):
            pass
        return self.table.batch(network, decay)

    def weigh(self, network: Network, rival: Network | None, weigher: Weigher, most: int) -> Weighed:
        """Play in the same way, but weigh up to `most` of the learner's moves in each position, and return what they are worth."""
        table, env = self.table, self.table.env
        parts: list[list[NDArray[Any]]] = []
        for move, logs in self._moves(network, rival):
            first = table.now if table.advised else logs.argmax(1).cpu().numpy()
            tried = candidates(logs, weigher.sensible(), first, most, table.chance)
            tried[~table.kept[move]] = -1
            rows = np.flatnonzero(tried[:, 0] >= 0)
            seats = (env.to_move[:, None].astype(np.int64) + np.arange(env.players)) % env.players
            worth = np.take_along_axis(weigher(tried), seats[:, None, :], axis=2)[rows].astype(np.float32)
            tried = tried[rows]
            liked = np.where(tried >= 0, np.take_along_axis(logs.cpu().numpy()[rows], np.maximum(tried, 0), axis=1), -np.inf)
            gain = np.where(tried >= 0, worth[:, :, 0] - worth[:, :1, 0], 0)
            seen = (array[move, rows] for array in (table.flat, table.viewers, table.features, table.mask, table.advice))
            parts.append([*seen, tried, gain, worth[np.arange(len(rows)), liked.argmax(axis=1)]])
        return Weighed(*(np.concatenate(column) for column in zip(*parts, strict=True)))

    def _moves(self, network: Network, rival: Network | None) -> Iterator[tuple[int, torch.Tensor]]:
        """Make moves in every game. Before each, yields its number and how the learner likes what can be done."""
        table, env = self.table, self.table.env
        places = np.arange(env.games)
        seat = (places + self.turn) % env.players  # the learner's where others play
        self.turn += 1
        past = (places < self.past) & (rival is not None)
        quick = (places >= self.past) & (places < self.past + self.greedy)
        for move in range(table.moves):
            table.look(move)
            logs, values = table.ask(network, slice(None))
            actions = table.draw(logs)
            others = env.to_move != seat
            theirs = np.flatnonzero(past & others)
            if rival is not None and len(theirs):
                actions[theirs] = table.draw(table.ask(rival, theirs)[0])
            if self.greedy:
                actions = np.where(quick & others, table.now, actions)
            table.kept[move] = ~((past | quick) & others)
            yield move, logs
            table.go(move, actions, logs, values)
