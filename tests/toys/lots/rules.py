"""Lots: a tiny game for studies of studies. Everybody has a card and dares or stays, three times; the highest score wins, or together."""

from rulestone.kernel import NOBODY, About, Actions, Events, Record, option, rand, rule, tell, u8

TOGETHER = 0
ABOUT = About(title="Lots", min_players=2, max_players=4, longest=12, cooperative=TOGETHER == 1, story=4)
ACTIONS = Actions(stay=(), dare=())
EVENTS = Events(stays="{who:seat} stays.", dares="{who:seat} dares.", gains="{who:seat} gains.", ends="That's it.")
ROUNDS = 3


class State(Record):
    """Cards, scores, and how many choices were made."""

    card: u8[4]
    score: u8[4]
    made: u8
    bonus: u8 = option(2, (2, 3), "what a lucky dare is worth")
    odds: u8 = option(2, (2, 3), "one dare in this many is lucky")


@rule
def setup(s):
    for player in range(s.players):
        s.card[player] = rand(s, 4)
        s.score[player] = s.card[player]


@rule
def legal(s, out):
    out[0] = ACTIONS.stay
    out[1] = ACTIONS.dare
    return 2


@rule
def apply(s, action):
    player = s.to_move
    if action == ACTIONS.dare:
        tell(s, EVENTS.dares, player)
        if rand(s, s.odds) == 0:
            s.score[player] += s.bonus
            tell(s, EVENTS.gains, player)
    else:
        tell(s, EVENTS.stays, player)
    s.made += 1
    if s.made < ROUNDS * s.players:
        s.to_move = (player + 1) % s.players
        return
    tell(s, EVENTS.ends)
    settle(s)
    s.to_move = NOBODY


@rule
def settle(s):
    total = 0
    best = 0
    for player in range(s.players):
        total += s.score[player]
        best = max(best, s.score[player])
    leaders = 0
    for player in range(s.players):
        leaders += s.score[player] == best
    for player in range(s.players):
        if TOGETHER == 1:
            s.payoff[player] = 1 if total > 3 * s.players else -1
        elif leaders == 1:
            s.payoff[player] = 1 if s.score[player] == best else -1
