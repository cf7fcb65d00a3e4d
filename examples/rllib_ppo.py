"""RLlib's PPO learns one seat of a game against random moves: `python examples/rllib_ppo.py --game connect_four --rounds 20`."""

from __future__ import annotations

import argparse
import logging
from typing import Any

import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

from rulestone.envs.rllib import MaskedSeatEnv


def configured(game: str, seed: int, steps: int) -> PPOConfig:
    """PPO with RLlib's own module for action masks, in this process."""
    settings = {"game": game, "bots": "random", "observation": "onehot", "relative": True}
    return (
        PPOConfig()
        .environment(MaskedSeatEnv, env_config=settings)
        .env_runners(num_env_runners=0, num_envs_per_env_runner=8)
        .training(gamma=1.0, lr=3e-4, entropy_coeff=0.01, train_batch_size_per_learner=steps, minibatch_size=256, num_epochs=4)
        .rl_module(rl_module_spec=RLModuleSpec(module_class=ActionMaskingTorchRLModule, model_config={"head_fcnet_hiddens": [64, 64]}))
        .debugging(seed=seed, log_level="ERROR")
    )


def train(game: str, rounds: int, seed: int = 1, steps: int = 4_000) -> list[float]:
    """Train for some rounds of that many steps; return the mean payoff of the games in each round."""
    if not ray.is_initialized():
        ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    learner = configured(game, seed, steps).build_algo()
    try:
        return [_payoff(learner.train()) for _ in range(rounds)]
    finally:
        learner.stop()


def _payoff(outcome: dict[str, Any]) -> float:
    return float(outcome["env_runners"]["episode_return_mean"])


def main() -> None:
    """Read the command line, train and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="connect_four")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for number, payoff in enumerate(train(options.game, options.rounds, options.seed), 1):
        print(f"{options.game}, mean payoff against random in round {number}: {payoff:+.2f}")
    ray.shutdown()


if __name__ == "__main__":
    main()
