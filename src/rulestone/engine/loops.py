"""The loops that play whole games, as templates that call one game's `begin`, `legal`, `step`, `quick_move`
and `bot_move`."""

from rulestone.kernel.chance import rand, stream
from rulestone.kernel.rule import int64, rule


@rule
def random_games(states, start, first, count, seed, policy, scratch, moves, verb_of, results):
    """Play games first..first+count-1 with uniformly random moves from the prepared record `start`.

    `results` gets a row for each game: the payoffs, the length, and how often each verb was used.
    """
    s = states[0]
    payoff, length, verbs = results
    for game in range(first, first + count):
        states[0] = start[0]
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
def policy_games(states, start, first, count, seed, policy, scratch, moves, verb_of, results):
    """Do the same with a policy for each seat: 0 is random, 1 is the game's quick bot."""
    s = states[0]
    payoff, length, verbs = results
    for game in range(first, first + count):
        states[0] = start[0]
        s.rng = stream(seed, game)
        begin(s)  # noqa: F821
        while s.to_move >= 0:
            n = legal(s, moves)  # noqa: F821
            action = int64(moves[0])
            if n > 1:
                if policy[s.to_move] == 1:
                    action = quick_move(s, moves, n, scratch, stream(s.rng, s.ply))  # noqa: F821
                else:
                    action = int64(moves[rand(s, n)])
            verbs[game - first, verb_of[action]] += 1
            step(s, action)  # noqa: F821
        length[game - first] = s.ply
        for player in range(s.players):
            payoff[game - first, player] = s.payoff[player]


@rule
def net_games(states, start, first, count, seed, policy, scratch, moves, verb_of, results):
    """Do the same if nets play, too: a policy is a number of `engine.quick`, and `scratch` comes with the nets and their desk."""
    s = states[0]
    spare, mind, desk = scratch
    payoff, length, verbs = results
    for game in range(first, first + count):
        states[0] = start[0]
        s.rng = stream(seed, game)
        begin(s)  # noqa: F821
        while s.to_move >= 0:
            n = legal(s, moves)  # noqa: F821
            action = int64(moves[0])
            if n > 1:
                action = bot_move(s, moves, n, int64(policy[s.to_move]), spare, mind, desk)  # noqa: F821
            verbs[game - first, verb_of[action]] += 1
            step(s, action)  # noqa: F821
        length[game - first] = s.ply
        for player in range(s.players):
            payoff[game - first, player] = s.payoff[player]
