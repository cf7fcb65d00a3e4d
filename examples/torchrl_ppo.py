"""TorchRL's PPO learns one seat of a game against random moves: `python examples/torchrl_ppo.py --game connect_four --steps 200000`."""

from __future__ import annotations

import argparse

import torch
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.envs import TransformedEnv
from torchrl.envs.transforms import ActionMask
from torchrl.envs.utils import ExplorationType, set_exploration_type
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from rulestone.envs.torchrl import SeatBatch

GAMES, HORIZON, EPOCHS, BATCH = 64, 64, 4, 512


def make(game: str, seed: int) -> TransformedEnv:
    """A batch of games against random moves."""
    env = TransformedEnv(SeatBatch(game, GAMES, bots="random", observation="onehot", relative=True), ActionMask())
    env.set_seed(seed)
    return env


def networks(env: TransformedEnv, width: int = 64) -> tuple[ProbabilisticActor, ValueOperator]:
    """A policy over legal actions, and the expected payoff."""
    size, actions = env.observation_spec["observation"].shape[-1], env.base_env.action_spec.n
    policy = nn.Sequential(nn.Linear(size, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, actions))
    value = nn.Sequential(nn.Linear(size, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1))
    actor = ProbabilisticActor(
        TensorDictModule(policy, ["observation"], ["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"},
        distribution_class=MaskedCategorical,
        return_log_prob=True,
        default_interaction_type=ExplorationType.RANDOM,
    )
    return actor, ValueOperator(value, in_keys=["observation"])


@torch.no_grad()
def mean_payoff(actor: ProbabilisticActor, env: TransformedEnv, games: int) -> float:
    """The mean payoff of at least that many games, moves drawn from the policy; each place plays the same number of games."""
    left = torch.full(env.batch_size, -(-games // env.batch_size[0]))
    payoffs: list[float] = []
    state = env.reset()
    while left.any():
        with set_exploration_type(ExplorationType.RANDOM):
            stepped, state = env.step_and_maybe_reset(actor(state))
        counted = stepped["next", "done"][:, 0] & (left > 0)
        payoffs += stepped["next", "reward"][counted, 0].tolist()
        left -= counted.long()
    return sum(payoffs) / len(payoffs)


def train(game: str, steps: int, seed: int = 1, games: int = 256) -> tuple[float, float]:
    """Train for that many steps; return the mean payoff before and after."""
    torch.manual_seed(seed)
    env, judge = make(game, seed), make(game, seed + 1000)
    actor, critic = networks(env)
    loss = ClipPPOLoss(actor, critic, entropy_coeff=0.01, normalize_advantage=True)
    advantage = GAE(gamma=1.0, lmbda=0.95, value_network=critic)
    optimiser = torch.optim.Adam(loss.parameters(), 3e-4)
    before = mean_payoff(actor, judge, games)
    state = None
    for _ in range(-(-steps // (GAMES * HORIZON))):
        with torch.no_grad():
            data = env.rollout(HORIZON, actor, tensordict=state, auto_reset=state is None, break_when_any_done=False)
            state = env.step_mdp(data[:, -1])
            state = env.maybe_reset(state)
        for _ in range(EPOCHS):
            advantage(data)
            flat = data.reshape(-1)
            for part in torch.randperm(len(flat)).split(BATCH):
                terms = loss(flat[part])
                optimiser.zero_grad()
                (terms["loss_objective"] + terms["loss_critic"] + terms["loss_entropy"]).backward()
                nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
                optimiser.step()
    return before, mean_payoff(actor, judge, games)


def main() -> None:
    """Read the command line, train and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="connect_four")
    parser.add_argument("--steps", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    before, after = train(options.game, options.steps, options.seed)
    print(f"{options.game}, mean payoff against random: {before:+.2f} before, {after:+.2f} after {options.steps:,} steps")


if __name__ == "__main__":
    main()
