"""Stable-Baselines3's MaskablePPO learns one seat of a game: `python examples/maskable_ppo.py --game connect_four --steps 200000`."""

from __future__ import annotations

import argparse

from sb3_contrib import MaskablePPO

from rulestone.envs.sb3 import SeatVecEnv


def mean_payoff(model: MaskablePPO, env: SeatVecEnv, games: int) -> float:
    """The mean payoff of at least that many games, moves drawn from the policy."""
    payoffs: list[float] = []
    observations = env.reset()
    while len(payoffs) < games:
        actions, _ = model.predict(observations, action_masks=env.many.action_masks())
        observations, rewards, done, _ = env.step(actions)
        payoffs += rewards[done].tolist()
    return sum(payoffs) / len(payoffs)


def train(game: str, steps: int, bots: str = "random", seed: int = 1, games: int = 256) -> tuple[float, float]:
    """Train for that many steps; return the mean payoff before and after."""
    env, judge = (SeatVecEnv(game, 64, bots=bots, observation="onehot", relative=True) for _ in range(2))
    env.seed(seed)
    judge.seed(seed + 1000)
    model = MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=512, gamma=1.0, ent_coef=0.01, seed=seed)
    before = mean_payoff(model, judge, games)
    model.learn(steps)
    return before, mean_payoff(model, judge, games)


def main() -> None:
    """Read the command line, train and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="connect_four")
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--bots", default="random", help="who plays the other seats: random or greedy")
    options = parser.parse_args()
    before, after = train(options.game, options.steps, options.bots)
    print(f"{options.game}, mean payoff against {options.bots}: {before:+.2f} before, {after:+.2f} after {options.steps:,} steps")


if __name__ == "__main__":
    main()
