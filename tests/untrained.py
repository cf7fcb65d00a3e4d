"""Nets with weights at random, for tests of everything but learning."""

import itertools

import numpy as np

from rulestone.envs.vector import VectorEnv
from rulestone.nets import forward
from rulestone.nets.lens import Lens
from rulestone.nets.net import Net

WIDTHS = (8, 4)


def watched(game, players, moves=12, options=None):
    """What random games looked like: flat vectors, and who was to move."""
    env = VectorEnv(game, 16, players=players, options=options, seed=1)
    flat, viewers = [], []
    for _ in range(moves):
        flat.append(env.observations.copy())
        viewers.append(env.to_move.copy())
        env.step(env.sample())
    return env, np.concatenate(flat), np.concatenate(viewers)


def made(game, players=None, options=None, seed=1, features=0, advised=False):
    """A net with weights at random, in units that 16 bits can hold."""
    env, flat, viewers = watched(game, players, options=options)
    lens = Lens.measured(game, env.players, flat, viewers, features, advised)
    plan, _ = lens.table(game)
    sizes = [int(plan[forward.INPUTS]), *WIDTHS, len(game.actions) + env.players]
    count = sum((one + 1) * other for one, other in itertools.pairwise(sizes)) + advised
    weights = np.random.default_rng(seed).normal(0, 0.5, count).astype(np.float16).astype(np.float32)
    return Net(Net.header_for(game, lens, env.options, WIDTHS, {"seed": seed}), weights)
