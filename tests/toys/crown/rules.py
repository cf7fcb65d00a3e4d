"""Crown: a tiny game whose third player can't win, but decides which of the others does, or lets a coin decide."""

from rulestone.kernel import NOBODY, About, Actions, Record, option, rand, rule, u8

ABOUT = About(title="Crown", min_players=3, max_players=3, longest=1)
ACTIONS = Actions(crown=2, toss=())


class State(Record):
    """Nothing but an option."""

    vain: u8 = option("no", ("no", "yes"), "whether the coin decides, whatever the third player chooses")


@rule
def setup(s):
    s.to_move = 2


@rule
def legal(s, out):
    for action in range(3):
        out[action] = action
    return 3


@rule
def apply(s, action):
    winner = action - ACTIONS.crown if action < ACTIONS.toss and s.vain == 0 else rand(s, 2)
    for player in range(3):
        s.payoff[player] = 1 if player == winner else -1
    s.to_move = NOBODY
