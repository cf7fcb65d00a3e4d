"""Liar's Dice: one die each under the cup; bid higher, or call the last bid a lie."""

from rulestone.kernel import NOBODY, About, Actions, Events, Reasons, Record, option, rand, require, rule, tell, tell_only, u8

SEATS, SIDES = 2, 6
UNKNOWN = 0
BIDS = SEATS * SIDES

ABOUT = About(
    title="Liar's Dice",
    min_players=SEATS,
    max_players=SEATS,
    longest=BIDS + 1,
    zero_sum=True,
    perfect_information=False,
    story=4,
    summary="One die each under the cup: bid higher, or call the last bid a lie.",
)
ACTIONS = Actions(bid=(range(1, SEATS + 1), range(1, SIDES + 1)), liar=())
EVENTS = Events(
    rolled="{who:seat} rolls {die}. [R1]",
    bids="{who:seat} bids {count} × {face}. [R2]",
    doubts="{who:seat} doubts it. [R3]",
    shows="{who:seat} has {die}. [R3]",
    wins="{who:seat} wins. [R4]",
)
REASONS = Reasons(
    low="You must bid higher than the last bid. [R2]",
    sides="No die has that many pips. [R1]",
    first="There is no bid to doubt yet. [R3]",
)


class State(Record):
    """The dice and the last bid."""

    die: u8[SEATS]  # UNKNOWN to the other player
    count: u8  # the last bid: how many dice, 0 before the first
    face: u8  # and which face
    shown: u8  # whether the dice lie open
    sides: u8 = option(SIDES, range(2, SIDES + 1), "sides of a die")


@rule
def setup(s):
    """R1: everybody rolls a die and looks at it in secret."""
    for player in range(SEATS):
        s.die[player] = 1 + rand(s, s.sides)
        tell_only(s, player, EVENTS.rolled, player, s.die[player])


@rule
def may_bid(s, count, face):
    """R2: more dice, or as many of a higher face."""
    if face > s.sides:
        return REASONS.sides
    return 0 if count > s.count or (count == s.count and face > s.face) else REASONS.low


@rule
def do_bid(s, count, face):
    """R2: the bid."""
    tell(s, EVENTS.bids, s.to_move, count, face)
    s.count = count
    s.face = face
    s.to_move = 1 - s.to_move


@rule
def may_liar(s):
    """R3: only a bid can be doubted."""
    return 0 if s.count > 0 else REASONS.first


@rule
def do_liar(s):
    """R3: the dice are shown. R4: whoever bid wins if it was true, else whoever doubted it."""
    tell(s, EVENTS.doubts, s.to_move)
    s.shown = 1
    for player in range(SEATS):
        tell(s, EVENTS.shows, player, s.die[player])
    winner = 1 - s.to_move if matching(s) >= s.count else s.to_move
    tell(s, EVENTS.wins, winner)
    s.payoff[winner] = 1
    s.payoff[1 - winner] = -1
    s.to_move = NOBODY


@rule
def matching(s):
    """R4: how many dice show the face of the last bid. The highest face counts as any."""
    count = 0
    for player in range(SEATS):
        count += s.die[player] == s.face or s.die[player] == s.sides
    return count


@rule
def hide(s, viewer):
    """R1: a player sees their own die only. R3: in the end both."""
    for player in range(SEATS):
        if player != viewer and not s.shown:
            s.die[player] = UNKNOWN


@rule
def redeal(s, viewer):
    """R1: it may be any roll."""
    for player in range(SEATS):
        if s.die[player] == UNKNOWN:
            s.die[player] = 1 + rand(s, s.sides)


def check(s):
    """What must hold in every position."""
    require(all(1 <= die <= s.sides for die in s.die), f"dice {list(s.die)}")
    require(s.count <= SEATS and s.face <= s.sides, f"bid {s.count} × {s.face}")
