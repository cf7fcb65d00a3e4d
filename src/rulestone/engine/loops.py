"""The loops that play whole games, as templates that call one game's `begin`, `legal`, `step`, `quick_move`
and `bot_move`. Those at the end are for a GPU, where each lane plays a stretch of one game at a time."""

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


GAMES, DECISIONS, SHORTEST, LONGEST, PLAYERS = range(5)
"""Places in a vector of totals; from the last on: for every player the games won alone, those with a payoff above 0, and the sum of the
payoffs in units of 1 / UNITS; then how often each verb was used."""
UNITS = 1 << 24
"""Payoffs are added up as whole numbers of this fraction, so that the sum doesn't depend on the order of the games."""


@rule
def deal(states, place, start, game, seed):
    """Begin a game in a place."""
    states[place] = start[0]
    s = states[place]
    s.rng = stream(seed, game)
    begin(s)  # noqa: F821


@rule
def random_stretch(states, place, most, policy, scratch, moves, verb_of, used):
    """Make up to `most` random moves in a place, and count their verbs. Returns whether the game is over."""
    s = states[place]
    for _ in range(most):
        if s.to_move >= 0:
            n = legal(s, moves)  # noqa: F821
            action = int64(moves[rand(s, n)])
            used[verb_of[action]] += 1
            step(s, action)  # noqa: F821
    return s.to_move < 0


@rule
def policy_stretch(states, place, most, policy, scratch, moves, verb_of, used):
    """Do the same with a policy for each seat."""
    s = states[place]
    for _ in range(most):
        if s.to_move >= 0:
            n = legal(s, moves)  # noqa: F821
            action = int64(moves[0])
            if n > 1:
                if policy[s.to_move] == 1:
                    action = quick_move(s, moves, n, scratch, stream(s.rng, s.ply))  # noqa: F821
                else:
                    action = int64(moves[rand(s, n)])
            used[verb_of[action]] += 1
            step(s, action)  # noqa: F821
    return s.to_move < 0


@rule
def note(states, place, row, used, results):
    """Write a finished game's row, and count the verbs of the next one from zero."""
    s = states[place]
    payoff, length, verbs = results
    length[row] = s.ply
    for player in range(payoff.shape[1]):
        payoff[row, player] = s.payoff[player]
    for verb in range(verbs.shape[1]):
        verbs[row, verb] = used[verb]
        used[verb] = 0


@rule
def tally(states, place, totals):
    """Add a finished game to the totals, except for its verbs."""
    s = states[place]
    most = s.payoff[0]
    best = 0
    for player in range(1, s.players):
        if s.payoff[player] > most:
            most = s.payoff[player]
            best = player
    sharing = 0
    for player in range(s.players):
        if s.payoff[player] == most:
            sharing += 1
        if s.payoff[player] > 0:
            totals[PLAYERS + 3 * player + 1] += 1
        totals[PLAYERS + 3 * player + 2] += int64(s.payoff[player] * UNITS)
    if sharing == 1:
        totals[PLAYERS + 3 * best] += 1
    totals[GAMES] += 1
    totals[DECISIONS] += s.ply
    totals[SHORTEST] = min(totals[SHORTEST], s.ply)
    totals[LONGEST] = max(totals[LONGEST], s.ply)
