"""Weighing moves: each candidate is tried in the same imagined worlds, and the bots play on. Templates that call one game's `step`,
`legal`, `conceal`, `redeal`, `sensible`, `suspect`, `estimate` and `bot_move`.

What differs between two moves is then what they are worth, and not the luck that both would have had.
"""

from rulestone.kernel.chance import rand, stream
from rulestone.kernel.rule import int64, rule

KNOWN, DEALT, WORLD, WORLDS = 0, 1, 2, 3
"""Records: what the player to move knows, one way in which the rest can be, and how that one goes on. How many records that needs."""
COUNT, WHO, CUT, HIDDEN, TRUST = range(5)
"""Settings: in how many worlds to try each move; who plays on, as in `engine.quick`; after how many moves the game's `estimate` says the
rest (-1: never); whether anything is hidden; and in how many of a thousand worlds `suspect` is applied."""


@rule
def weigh(states, worlds, tools, settings, share, candidates, results):
    """Try candidate moves in the games first..stop-1: a row each, -1 where there are fewer.

    `results` gets everybody's mean payoff after each of them. The moves are judged by what the player to move knows: all else is dealt
    again in every world.
    """
    _, moves, _, _ = tools
    seed, first, stop = share
    for row in range(first, stop):
        if candidates[row, 0] >= 0:
            me = int64(states[row].to_move)
            worlds[KNOWN] = states[row]
            conceal(worlds[KNOWN], me)  # noqa: F821
            for number in range(settings[COUNT]):
                deal_again(worlds, me, stream(seed, row * settings[COUNT] + number), settings, tools)
                for k in range(candidates.shape[1]):
                    if candidates[row, k] >= 0:
                        worlds[WORLD] = worlds[DEALT]
                        s = worlds[WORLD]
                        step(s, int64(candidates[row, k]))  # noqa: F821
                        go_on(s, moves, settings, tools)
                        for player in range(s.players):
                            judged = estimate(s, player) / 1000 if s.to_move >= 0 else s.payoff[player]  # noqa: F821
                            results[row, k, player] += judged / settings[COUNT]


@rule
def deal_again(worlds, me, rng, settings, tools):
    """Imagine a world that agrees with what a player knows."""
    spare, _, _, _ = tools
    worlds[DEALT] = worlds[KNOWN]
    s = worlds[DEALT]
    s.rng = rng
    if settings[HIDDEN]:
        redeal(s, me)  # noqa: F821
        if settings[TRUST] > 0 and rand(s, 1000) < settings[TRUST]:
            suspect(s, me, spare)  # noqa: F821


@rule
def go_on(s, moves, settings, tools):
    """Let the bots play on to the end, or for `CUT` moves."""
    spare, _, mind, desk = tools
    left = settings[CUT]
    while s.to_move >= 0 and left != 0:
        n = legal(s, moves)  # noqa: F821
        action = int64(moves[0])
        if n > 1:
            action = bot_move(s, moves, n, settings[WHO], spare, mind, desk)  # noqa: F821
        step(s, action)  # noqa: F821
        left -= 1


@rule
def worth_trying(known, moves, mask):
    """Leave only the sensible moves in the mask: those that the search would consider in these hidden records."""
    for row in range(mask.shape[0]):
        n = 0
        for action in range(mask.shape[1]):
            if mask[row, action]:
                moves[n] = action
                n += 1
                mask[row, action] = False
        for k in range(sensible(known[row], moves, n)):  # noqa: F821
            mask[row, moves[k]] = True
