"""Leduc poker: six cards, one of them open, and two rounds of betting."""

from rulestone.kernel import NOBODY, About, Actions, Events, Reasons, Record, i8, rand, require, rule, tell, tell_only, u8

SEATS, SUITS, RANKS = 2, 2, 3
CARDS = SUITS * RANKS  # card = SUITS * rank + suit
NOT_DEALT, UNKNOWN = -1, -2
ANTE, ROUNDS, RAISES = 1, 2, 2
SMALL_RAISE, LARGE_RAISE = 2, 4  # chips, in the first and in the second round
LARGEST_WIN = ANTE + RAISES * (SMALL_RAISE + LARGE_RAISE)  # chips: payoffs are chips won, divided by this

ABOUT = About(
    title="Leduc Poker",
    min_players=SEATS,
    max_players=SEATS,
    longest=ROUNDS * (RAISES + SEATS),
    zero_sum=True,
    perfect_information=False,
    story=6,
    summary="Six cards, one of them open, and two rounds of betting.",
)
ACTIONS = Actions(fold=(), call=(), raise_=())
EVENTS = Events(
    names={"card": tuple(f"{rank} of {suit}" for rank in ("Jack", "Queen", "King") for suit in ("hearts", "spades"))},
    dealt="{who:seat} gets the {card:card}. [R1]",
    folds="{who:seat} folds. [R3]",
    checks="{who:seat} checks. [R3]",
    calls="{who:seat} calls. [R3]",
    raises="{who:seat} raises by {chips}. [R4]",
    opens="The {card:card} is turned over. [R5]",
    shows="{who:seat} has the {card:card}. [R6]",
    wins="{who:seat} wins {chips} from the other player. [R7]",
    splits="Nobody wins. [R7]",
)
REASONS = Reasons(
    nothing="There is nothing to fold to: nobody has raised. [R3]",
    enough="There have been two raises in this round already. [R4]",
)


class State(Record):
    """The cards and the bets."""

    hand: i8[SEATS]  # UNKNOWN to the other player
    table: i8  # the open card, NOT_DEALT in the first round
    paid: u8[SEATS]  # chips in the pot
    round: u8  # 0 or 1
    raises: u8  # in this round
    called: u8  # calls in a row
    shown: u8  # whether the cards lie open


@rule
def setup(s):
    """R1: each player pays a chip and gets a card."""
    s.table = NOT_DEALT
    for player in range(SEATS):
        s.paid[player] = ANTE
        s.hand[player] = NOT_DEALT
    for player in range(SEATS):
        s.hand[player] = draw(s)
        tell_only(s, player, EVENTS.dealt, player, s.hand[player])


@rule
def draw(s):
    """R1, R5: one of the cards that have not been dealt."""
    free = 0
    for card in range(CARDS):
        free += not dealt(s, card)
    place = rand(s, free)
    for card in range(CARDS):
        if not dealt(s, card):
            if place == 0:
                return card
            place -= 1
    return NOT_DEALT


@rule
def dealt(s, card):
    """Does somebody hold this card, or does it lie open?"""
    return s.hand[0] == card or s.hand[1] == card or s.table == card


@rule
def may_fold(s):
    """R3: only to a raise."""
    return 0 if s.paid[1 - s.to_move] > s.paid[s.to_move] else REASONS.nothing


@rule
def do_fold(s):
    """R3: the other player wins."""
    tell(s, EVENTS.folds, s.to_move)
    finish(s, 1 - s.to_move)


@rule
def may_call(s):
    """R3: always; without a raise it is a check."""
    return 0


@rule
def do_call(s):
    """R3: pay what the other has paid. R5, R6: once both have called, or one has called a raise, the round is over."""
    player = s.to_move
    behind = s.paid[1 - player] > s.paid[player]
    tell(s, EVENTS.calls if behind else EVENTS.checks, player)
    s.paid[player] = s.paid[1 - player]
    s.called += 1
    if not behind and s.called < SEATS:
        s.to_move = 1 - player
    elif s.round == 0:
        open_card(s)
    else:
        show(s)


@rule
def may_raise(s):
    """R4: at most twice in a round."""
    return REASONS.enough if s.raises == RAISES else 0


@rule
def do_raise(s):
    """R4: call, and pay more."""
    player = s.to_move
    more = SMALL_RAISE if s.round == 0 else LARGE_RAISE
    s.paid[player] = s.paid[1 - player] + more
    s.raises += 1
    s.called = 0
    tell(s, EVENTS.raises, player, more)
    s.to_move = 1 - player


@rule
def open_card(s):
    """R2, R5: the second round begins with an open card, and with Red."""
    s.table = draw(s)
    tell(s, EVENTS.opens, s.table)
    s.round = 1
    s.raises = 0
    s.called = 0
    s.to_move = 0


@rule
def show(s):
    """R6: the cards are shown. A pair with the open card wins, else the higher rank."""
    s.shown = 1
    for player in range(SEATS):
        tell(s, EVENTS.shows, player, s.hand[player])
    lead = worth(s, 0) - worth(s, 1)
    if lead == 0:
        tell(s, EVENTS.splits)
        s.to_move = NOBODY
    else:
        finish(s, 0 if lead > 0 else 1)


@rule
def worth(s, player):
    """R6: what a hand is worth: its rank, and a pair more than any rank."""
    rank = s.hand[player] // SUITS
    return rank + RANKS if rank == s.table // SUITS else rank


@rule
def finish(s, winner):
    """R7: the winner gets what the other has paid."""
    won = s.paid[1 - winner]
    tell(s, EVENTS.wins, winner, won)
    s.payoff[winner] = won / LARGEST_WIN
    s.payoff[1 - winner] = -won / LARGEST_WIN
    s.to_move = NOBODY


@rule
def hide(s, viewer):
    """R1: a player sees their own card only. R6: in the end both, unless somebody has folded."""
    for player in range(SEATS):
        if player != viewer and not s.shown:
            s.hand[player] = UNKNOWN


@rule
def redeal(s, viewer):
    """R1: it may be any card that the viewer does not see."""
    for player in range(SEATS):
        if s.hand[player] == UNKNOWN:
            s.hand[player] = draw(s)


def check(s):
    """What must hold in every position."""
    cards = [*s.hand, s.table] if s.round else list(s.hand)
    require(len(set(cards)) == len(cards) and min(cards) >= 0, f"cards {cards}")
    require(max(s.paid) <= LARGEST_WIN, f"paid {list(s.paid)}")
