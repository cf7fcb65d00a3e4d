"""The loops that play whole games, as templates: `begin`, `legal`, `step`, `conceal` and `greedy` stand for one game's."""

from rulestone.kernel.chance import rand, stream
from rulestone.kernel.rule import int64, rule


@rule
def random_games(states, slot, start, first, count, seed, policy, scratch, moves, verb_of, payoff, length, verbs):
    """Play games first..first+count-1 with uniformly random moves from the prepared record `start`; a row of results for each."""
    s = states[slot]
    for game in range(first, first + count):
        states[slot] = start[0]
        s.rng = stream(seed, game)
        begin(s)  # noqa: F821
        while s.to_move >= 0:
            n = legal(s, moves)  # noqa: F821
            action = int64(moves[rand(s, n)])
            verbs[game - first, verb_of[action]] += 1
            step(s, action)  # noqa: F821
        length[game - first] = s.ply
        for player in range(s.players):
            payoff[game - first, player] = s.payoff[player]


@rule
def policy_games(states, slot, start, first, count, seed, policy, scratch, moves, verb_of, payoff, length, verbs):
    """The same with a policy for each seat: 0 random, 1 the game's own `greedy` bot, which sees a hidden record only."""
    s = states[slot]
    known = scratch[0]
    for game in range(first, first + count):
        states[slot] = start[0]
        s.rng = stream(seed, game)
        begin(s)  # noqa: F821
        while s.to_move >= 0:
            n = legal(s, moves)  # noqa: F821
            action = int64(moves[0])
            if n > 1:
                if policy[s.to_move] == 1:
                    scratch[0] = s
                    conceal(known, s.to_move)  # noqa: F821
                    known.rng = stream(s.rng, s.ply)
                    action = int64(greedy(known, moves, n, scratch[1:]))  # noqa: F821
                else:
                    action = int64(moves[rand(s, n)])
            verbs[game - first, verb_of[action]] += 1
            step(s, action)  # noqa: F821
        length[game - first] = s.ply
        for player in range(s.players):
            payoff[game - first, player] = s.payoff[player]
