"""Kuhn poker: three cards, one chip to stay in, and the smallest game in which it pays to bluff."""

from rulestone.kernel import (
    NOBODY,
    About,
    Actions,
    Events,
    Reasons,
    Record,
    i8,
    rand,
    require,
    rule,
    tell,
    tell_only,
    u8,
)

SEATS, CARDS = 2, 3
UNKNOWN = -1
LARGEST_WIN = 2  # chips: payoffs are chips won, divided by this

ABOUT = About(
    title="Kuhn Poker",
    min_players=SEATS,
    max_players=SEATS,
    longest=3,
    zero_sum=True,
    perfect_information=False,
    story=4,
    summary="Three cards, one chip to stay in: the smallest game in which it pays to bluff.",
)
ACTIONS = Actions(pass_=(), bet=())
EVENTS = Events(
    names={"card": ("Jack", "Queen", "King")},
    dealt="{who:seat} gets the {card:card}. [R1]",
    checks="{who:seat} checks. [R2]",
    bets="{who:seat} bets a chip. [R2]",
    calls="{who:seat} calls. [R3]",
    folds="{who:seat} folds. [R3]",
    shows="{who:seat} has the {card:card}. [R4]",
    wins="{who:seat} wins {chips} from the other player. [R5]",
)
REASONS = Reasons()


class State(Record):
    """Both cards, and what has been bet."""

    hand: i8[SEATS]  # 0 Jack, 1 Queen, 2 King; UNKNOWN to the other player
    paid: u8[SEATS]  # chips in the pot
    passed: u8  # passes in a row
    shown: u8  # whether the cards lie open


@rule
def setup(s):
    """R1: each player pays a chip and gets a card."""
    for player in range(SEATS):
        s.paid[player] = 1
        s.hand[player] = UNKNOWN
    for player in range(SEATS):
        s.hand[player] = draw(s)
        tell_only(s, player, EVENTS.dealt, player, s.hand[player])


@rule
def draw(s):
    """R1: one of the cards that nobody holds."""
    free = 0
    for card in range(CARDS):
        free += not held(s, card)
    place = rand(s, free)
    for card in range(CARDS):
        if not held(s, card):
            if place == 0:
                return card
            place -= 1
    return UNKNOWN


@rule
def held(s, card):
    """Does somebody hold this card?"""
    return s.hand[0] == card or s.hand[1] == card


@rule
def may_pass(s):
    """R2, R3: always."""
    return 0


@rule
def do_pass(s):
    """R2: a check. R3: a fold, if the other player has bet."""
    player = s.to_move
    if s.paid[1 - player] > s.paid[player]:
        tell(s, EVENTS.folds, player)
        finish(s, 1 - player)
        return
    tell(s, EVENTS.checks, player)
    s.passed += 1
    if s.passed == SEATS:
        show(s)
    else:
        s.to_move = 1 - player


@rule
def may_bet(s):
    """R2, R3: always."""
    return 0


@rule
def do_bet(s):
    """R2: a bet. R3: a call, if the other player has bet."""
    player = s.to_move
    s.paid[player] += 1
    if s.paid[1 - player] == s.paid[player]:
        tell(s, EVENTS.calls, player)
        show(s)
    else:
        tell(s, EVENTS.bets, player)
        s.to_move = 1 - player


@rule
def show(s):
    """R4: the cards are shown, and the higher one wins."""
    s.shown = 1
    for player in range(SEATS):
        tell(s, EVENTS.shows, player, s.hand[player])
    finish(s, 0 if s.hand[0] > s.hand[1] else 1)


@rule
def finish(s, winner):
    """R5: the winner gets what the other has paid."""
    won = s.paid[1 - winner]
    tell(s, EVENTS.wins, winner, won)
    s.payoff[winner] = won / LARGEST_WIN
    s.payoff[1 - winner] = -won / LARGEST_WIN
    s.to_move = NOBODY


@rule
def hide(s, viewer):
    """R1: a player sees their own card only. R4: in the end both, unless somebody has folded."""
    for player in range(SEATS):
        if player != viewer and not s.shown:
            s.hand[player] = UNKNOWN


@rule
def redeal(s, viewer):
    """R1: it may be any card the viewer does not hold."""
    for player in range(SEATS):
        if s.hand[player] == UNKNOWN:
            s.hand[player] = draw(s)


def check(s):
    """What must hold in every position."""
    require(s.hand[0] != s.hand[1] and min(s.hand) >= 0, f"cards {list(s.hand)}")
    require(max(s.paid) <= LARGEST_WIN, f"paid {list(s.paid)}")
