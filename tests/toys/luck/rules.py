"""Luck: everybody rolls at the same time, as often as they dare; then a card that nobody knows decides what the round is worth.

It has the hard parts of deciding at the same time: private dice, any number of decisions per player, chance once all have decided,
and moves that only one player makes.
"""

from rulestone.kernel import NOBODY, About, Actions, Events, Reasons, Record, option, rand, require, rule, tell, tell_only, u8

SEATS, ROUNDS, MOST = 3, 2, 12

ABOUT = About(title="Luck", min_players=2, max_players=3, longest=SEATS * 13 * ROUNDS + ROUNDS, perfect_information=False, story=6)
ACTIONS = Actions(roll=(), stop=(), bless="Red Blue Green")
EVENTS = Events(
    rolled="You roll {die}, {sum} in all.",
    busts="Too much.",
    shows="{who:seat} has {sum}.",
    card="The card is worth {worth}.",
    blesses="{who:seat} blesses {whom:seat}.",
    wins="{who:seat} wins.",
)
REASONS = Reasons(done="You've already stopped.", later="You can't do that now.", nobody="There is no such player.")


class State(Record):
    """Everybody's sum in this round and their score."""

    sum: u8[SEATS]
    done: u8[SEATS]
    score: u8[SEATS]
    round: u8
    blessing: u8  # one player decides alone
    at_once: u8 = option(1, (1, 0), "whether everybody rolls at the same time")


@rule
def setup(s):
    s.to_move = 0


@rule
def deciders(s):
    players = 0
    if s.at_once and not s.blessing:
        for player in range(s.players):
            if not s.done[player]:
                players |= 1 << player
    return players


@rule
def may_roll(s):
    return REASONS.later if s.blessing else REASONS.done if s.done[s.to_move] else 0


may_stop = may_roll


@rule
def may_bless(s, whom):
    return REASONS.later if not s.blessing else REASONS.nobody if whom >= s.players else 0


@rule
def do_roll(s):
    player = s.to_move
    die = 1 + rand(s, 6)
    s.sum[player] += die
    tell_only(s, player, EVENTS.rolled, die, s.sum[player])
    if s.sum[player] > MOST:
        s.sum[player] = 0
        tell_only(s, player, EVENTS.busts)
        do_stop(s)


@rule
def do_stop(s):
    s.done[s.to_move] = 1
    if not s.at_once:
        s.to_move += 1
        if s.to_move == s.players:
            s.to_move = 0
            resolve(s)


@rule
def resolve(s):
    """All sums are shown, then a card; the highest sum blesses somebody."""
    best = 0
    for player in range(s.players):
        tell(s, EVENTS.shows, player, s.sum[player])
        if s.sum[player] > s.sum[best]:
            best = player
    worth = 1 + rand(s, 9)
    tell(s, EVENTS.card, worth)
    s.score[best] += worth
    s.blessing = 1
    s.to_move = best


@rule
def do_bless(s, whom):
    tell(s, EVENTS.blesses, s.to_move, whom)
    s.score[whom] += 1
    s.blessing = 0
    s.round += 1
    s.to_move = 0
    best = 0
    for player in range(s.players):
        s.sum[player] = 0
        s.done[player] = 0
        if s.score[player] > s.score[best]:
            best = player
    if s.round == ROUNDS:
        s.to_move = NOBODY
        s.payoff[best] = 1
        tell(s, EVENTS.wins, best)


@rule
def hide(s, viewer):
    if not s.blessing:
        for player in range(s.players):
            if player != viewer:
                s.sum[player] = 0


@rule
def redeal(s, viewer):
    """Players who are still rolling start again; those who have stopped can have any sum."""
    if not s.blessing:
        for player in range(s.players):
            if player != viewer and s.done[player]:
                s.sum[player] = rand(s, MOST + 1)


def check(s):
    require(max(s.sum) <= MOST, f"sums {list(s.sum)}")
