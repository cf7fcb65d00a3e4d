"""Stable-Baselines3's MaskablePPO learns to play every seat of a game: `python examples/maskable_ppo.py --game connect_four`."""

from __future__ import annotations

import argparse

from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

import rulestone
from rulestone.envs.sb3 import SeatVecEnv

ENCODING = {"observation": "onehot", "relative": True}
GAMES = 64
"""How many games are played at the same time."""


def mean_payoff(model: MaskablePPO, env: SeatVecEnv, games: int) -> float:
    """The mean payoff of at least that many games in all seats, moves drawn from the policy; each place plays the same number of games."""
    left = [-(-games // env.num_envs)] * env.num_envs
    payoffs: list[float] = []
    observations = env.reset()
    while any(left):
        actions, _ = model.predict(observations, action_masks=env.action_masks())
        observations, rewards, done, _ = env.step(actions)
        for place in done.nonzero()[0]:
            if left[place]:
                payoffs.append(float(rewards[place]))
                left[place] -= 1
    return sum(payoffs) / len(payoffs)


class Curve(BaseCallback):
    """Measures the mean payoff against the same bots every so often, on games that aren't trained on."""

    def __init__(self, game: rulestone.Game, bots: str, every: int, games: int, seed: int) -> None:
        super().__init__()
        self.judge = SeatVecEnv(game, GAMES, seat=None, bots=bots, **ENCODING)
        self.every, self.games, self.chance = every, games, seed
        self.points: list[tuple[int, float]] = []

    def _measure(self) -> None:
        self.judge.seed(self.chance + 1000)
        self.points.append((self.num_timesteps, mean_payoff(self.model, self.judge, self.games)))

    def _on_rollout_start(self) -> None:
        if self.num_timesteps >= self.every * len(self.points):
            self._measure()

    def _on_training_end(self) -> None:
        self._measure()

    def _on_step(self) -> bool:
        return True


def train(
    name: str, steps: int, bots: str = "random", seed: int = 1, games: int = 256, every: int | None = None
) -> tuple[MaskablePPO, list[tuple[int, float]]]:
    """Train against a bot. Return the model, and its mean payoff before, after and every so many steps."""
    game = rulestone.load(name)
    env = SeatVecEnv(game, GAMES, seat=None, bots=bots, **ENCODING)
    env.seed(seed)
    model = MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=512, gamma=1.0, ent_coef=0.01, seed=seed, device="cpu")
    curve = Curve(game, bots, every or steps, games, seed)
    model.learn(steps, callback=curve)
    return model, curve.points


def main() -> None:
    """Read the command line, train, report and save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="connect_four")
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--bots", default="random", help="who plays the other seats: random or greedy")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", metavar="FILE", help="save the model to this .zip file: the bot rulestone.envs.sb3:Trained:FILE")
    options = parser.parse_args()
    model, curve = train(options.game, options.steps, options.bots, options.seed)
    for steps, payoff in curve:
        print(f"{options.game}, mean payoff against {options.bots} after {steps:,} steps: {payoff:+.2f}")
    if options.save:
        model.save(options.save)


if __name__ == "__main__":
    main()
