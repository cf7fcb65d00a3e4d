"""Asking who can move at once: the game's quick bot (`greedy`, from its `bot.py`) or a net. Templates that call one game's `greedy`,
`features` and `conceal`.
"""

from rulestone.kernel.chance import rand, stream
from rulestone.kernel.rule import int64, rule
from rulestone.nets.forward import ADVICE_AT, MOST, best_move, expected, think

RANDOM, GREEDY, NETS = 0, 1, 2
"""Who plays a seat: random, the game's quick bot, or from here on a net."""


@rule
def bot_move(s, moves, count, who, scratch, mind, desk):
    """Return the choice of a random player, the quick bot or a net from moves[:count]. Nobody sees more than the player to move knows."""
    if who == RANDOM:
        return int64(moves[rand(s, count)])
    if who == GREEDY:
        return quick_move(s, moves, count, scratch, stream(s.rng, s.ply))
    return net_move(s, moves, count, who - NETS, scratch, mind, desk)


@rule
def quick_move(s, moves, count, scratch, rng):
    """Return the quick bot's choice from moves[:count] for the player to move in a true record.

    The bot sees only what that player can know. `rng` is its own generator state, so that its choice doesn't affect the dice.
    """
    scratch[0] = s
    known = scratch[0]
    conceal(known, s.to_move)  # noqa: F821
    known.rng = rng
    return int64(greedy(known, moves, count, scratch[1:]))  # noqa: F821


@rule
def net_move(s, moves, count, net, scratch, mind, desk):
    """Return a net's choice from moves[:count] for the player to move in a true record. The net sees only what that player can know."""
    advice = -1
    if mind[0][net, ADVICE_AT] >= 0:
        advice = quick_move(s, moves, count, scratch, stream(s.rng, s.ply))
    scratch[0] = s
    known = scratch[0]
    conceal(known, s.to_move)  # noqa: F821
    return best_move(mind, desk, net, ponder(known, 0, net, mind, desk, advice), moves, count, advice)


@rule
def ponder(known, row, net, mind, desk, advice):
    """Let a net look at a hidden record, which is row `row` of the desk's records, with the quick bot's advice (or -1).

    Returns where its last layer begins.
    """
    features(known, desk[3][int64(mind[0][net, MOST]) :])  # noqa: F821
    return think(mind, desk, net, row, int64(known.to_move), advice)


@rule
def quick_move_in(states, count, moves):
    """Return the quick bot's choice in the hidden record states[0]; the other records are scratch space."""
    return int64(greedy(states[0], moves, count, states[1:]))  # noqa: F821


@rule
def advice_in(states, count, moves, net, mind, rng):
    """Return the quick bot's choice in the hidden record states[0] if a net asks for it, else -1. `rng` is its own generator state."""
    if mind[0][net, ADVICE_AT] < 0:
        return -1
    states[1] = states[0]
    states[1].rng = rng
    return int64(greedy(states[1], moves, count, states[2:]))  # noqa: F821


@rule
def net_move_in(states, count, moves, net, mind, desk, rng):
    """Return a net's choice in the hidden record states[0]."""
    advice = advice_in(states, count, moves, net, mind, rng)
    return best_move(mind, desk, net, ponder(states[0], 0, net, mind, desk, advice), moves, count, advice)


@rule
def expected_in(states, count, moves, net, mind, desk, rng, out):
    """Write the payoffs that a net expects in the hidden record states[0]."""
    s = states[0]
    here = ponder(s, 0, net, mind, desk, advice_in(states, count, moves, net, mind, rng))
    for player in range(s.players):
        out[player] = expected(mind, desk, net, here, player, s.to_move, s.players)


@rule
def features_of(states, count, width, out):
    """Write the game's features of hidden records, `width` numbers each. Returns how many the last one had."""
    written = 0
    for row in range(count):
        written = int64(features(states[row], out[row * width :]))  # noqa: F821
    return written


@rule
def any_move(s, moves, count, scratch):
    """`greedy` of a game without its own bot: a random move."""
    return moves[rand(s, count)]


@rule
def no_features(s, out):
    """`features` of a game that tells nets nothing besides its record."""
    return 0
