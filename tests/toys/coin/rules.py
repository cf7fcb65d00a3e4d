"""Coin: a tiny game whose numbers can be worked out by hand. Each player calls 0 or 1; the deal, a last throw or the calls decide."""

from rulestone.kernel import NOBODY, About, Actions, Events, Record, option, rand, rule, tell, u8

ABOUT = About(title="Coin", min_players=2, max_players=2, longest=2, zero_sum=True, perfect_information=False, story=3)
ACTIONS = Actions(call=2)
EVENTS = Events(
    names={"side": ("heads", "tails")}, calls="{who:seat} calls {side:side}.", thrown="The coin shows {side:side}.", wins="{who:seat} wins."
)


class State(Record):
    """What was dealt, called and thrown."""

    dealt: u8  # 0 or 1, hidden
    called: u8  # how many calls of 1
    calls: u8
    by: u8 = option("deal", ("deal", "throw", "calls"), "what decides")


@rule
def setup(s):
    s.dealt = rand(s, 2)


@rule
def legal(s, out):
    out[0] = ACTIONS.call
    out[1] = ACTIONS.call + 1
    return 2


@rule
def apply(s, action):
    side = action - ACTIONS.call
    tell(s, EVENTS.calls, s.to_move, side)
    s.called += side
    s.calls += 1
    if s.calls < 2:
        s.to_move = 1
        return
    thrown = rand(s, 2)
    tell(s, EVENTS.thrown, thrown)
    winner = s.dealt if s.by == 0 else thrown if s.by == 1 else s.called % 2
    s.payoff[winner] = 1
    s.payoff[1 - winner] = -1
    tell(s, EVENTS.wins, winner)
    s.to_move = NOBODY


@rule
def hide(s, viewer):
    if s.to_move != NOBODY:
        s.dealt = 0


@rule
def redeal(s, viewer):
    if s.to_move != NOBODY:
        s.dealt = rand(s, 2)
