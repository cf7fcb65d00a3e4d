"""Rock, paper, scissors over three rounds: everybody chooses at the same time, and nobody sees a hand before all have chosen."""

from rulestone.kernel import NOBODY, About, Actions, Events, Reasons, Record, rand, require, rule, tell, u8

SEATS, ROUNDS = 2, 3
HANDS = ("Rock", "Paper", "Scissors")
NOTHING, UNKNOWN = 0, 4  # 1..3 are the hands; UNKNOWN is a hand that the viewer may not see yet

ABOUT = About(
    title="Rock, Paper, Scissors",
    min_players=SEATS,
    max_players=SEATS,
    longest=SEATS * ROUNDS,
    zero_sum=True,
    perfect_information=False,
    seats=("Red", "Blue"),
)
ACTIONS = Actions(show=HANDS)
EVENTS = Events(
    names={"hand": ("nothing", "rock", "paper", "scissors")},
    shows="{who:seat} shows {hand:hand}. [R1]",
    scores="{who:seat} wins the round. [R2]",
    same="Nobody wins the round. [R2]",
    wins="{who:seat} wins {ours} to {theirs}. [R3]",
    draws="It's a draw. [R3]",
)
REASONS = Reasons(chosen="You've already chosen a hand for this round. [R1]")


class State(Record):
    """What has been chosen in this round, and the score."""

    hand: u8[SEATS]  # NOTHING while choosing
    score: u8[SEATS]
    round: u8


@rule
def setup(s):
    """The first round begins."""


@rule
def deciders(s):
    """R1: everybody who has not chosen yet decides, all at the same time."""
    players = 0
    for player in range(SEATS):
        if s.hand[player] == NOTHING:
            players |= 1 << player
    return players


@rule
def may_show(s, hand):
    """R1: one hand a round."""
    return 0 if s.hand[s.to_move] == NOTHING else REASONS.chosen


@rule
def do_show(s, hand):
    """R1: chosen, but not shown yet."""
    s.hand[s.to_move] = 1 + hand


@rule
def resolve(s):
    """R2: all hands are shown; rock beats scissors, scissors beat paper, paper beats rock."""
    for player in range(SEATS):
        tell(s, EVENTS.shows, player, s.hand[player])
    lead = (s.hand[0] - s.hand[1]) % 3
    if lead == 0:
        tell(s, EVENTS.same)
    else:
        s.score[lead - 1] += 1
        tell(s, EVENTS.scores, lead - 1)
    for player in range(SEATS):
        s.hand[player] = NOTHING
    s.round += 1
    if s.round == ROUNDS:
        finish(s)


@rule
def finish(s):
    """R3: after three rounds the higher score wins."""
    s.to_move = NOBODY
    if s.score[0] == s.score[1]:
        tell(s, EVENTS.draws)
        return
    winner = 0 if s.score[0] > s.score[1] else 1
    s.payoff[winner] = 1
    s.payoff[1 - winner] = -1
    tell(s, EVENTS.wins, winner, s.score[winner], s.score[1 - winner])


@rule
def hide(s, viewer):
    """R1: nobody knows what the others have chosen, only that they have."""
    for player in range(SEATS):
        if player != viewer and s.hand[player] != NOTHING:
            s.hand[player] = UNKNOWN


@rule
def redeal(s, viewer):
    """Any hand is possible for the others."""
    for player in range(SEATS):
        if s.hand[player] == UNKNOWN:
            s.hand[player] = 1 + rand(s, len(HANDS))


def check(s):
    """What must be true in every position."""
    require(s.score[0] + s.score[1] <= s.round <= ROUNDS, f"{s.score[0]} and {s.score[1]} points after {s.round} rounds")
    require(all(hand < UNKNOWN for hand in s.hand), "a hand is still unknown")
