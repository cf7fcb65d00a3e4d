"""The greedy bot: looks up to three plays ahead in its own turn and keeps an eye on everybody's way home."""

import numpy as np

from rulestone.kernel import lowest, rand, rule, size

from .content import CELLS, COLUMNS, DIAG, JUMP, KINDS, LAND, NEIGHBOUR, NONE, SWAP, WALL
from .rules import ACTIONS, DISCARD, DRAW, OVER, PLAY, act, home, playable

# ---- distances, in eighths of a card ----------------------------------------------------------------------------------------

STRAIGHT, SLANT, UP = 8, 10, 14
"""What a step costs: along a line, along a diagonal, onto a wall."""
NOT_HOLDING = 12
DELAY = 5
"""What it costs to be one seat later in the turn order."""
TOO_FAR = 255


def distances(index: int) -> np.ndarray:
    """The distance between any two locations of a map as printed (Floyd–Warshall)."""
    far = np.full((CELLS, CELLS), TOO_FAR, np.int64)
    for cell in range(CELLS):
        if LAND[index, cell]:
            far[cell, cell] = 0
        for way in range(8):
            there = NEIGHBOUR[index, cell, way]
            if there != NONE:
                up = WALL[index, there] > WALL[index, cell]
                far[cell, there] = UP if up else SLANT if way & 1 else STRAIGHT
    for over in np.flatnonzero(LAND[index]):
        far = np.minimum(far, far[:, over : over + 1] + far[over : over + 1, :])
    return np.minimum(far, TOO_FAR).astype(np.uint8)


FAR = np.stack([distances(index) for index in range(len(COLUMNS))])

FULL = 1 << 20
WEIGHT = np.maximum(1, FULL * np.exp(-0.25 / 8 * np.arange(1024))).astype(np.int32)
"""How good a chance is, by the distance from winning."""
PER_PLAY = 100
"""The least a play must be worth."""

# ---- judging a position -----------------------------------------------------------------------------------------------------


@rule
def worth(s, me):
    """My share of everybody's chances, out of FULL."""
    if s.phase == OVER:
        return FULL if s.winner == me else 0
    heir = next_holder(s, me)
    total = 0
    own = 0
    for later in range(s.players):
        player = (me + later) % s.players
        cost = FAR[s.map, s.art, home(s, player)] + blocked_home(s, player)
        if player != heir:
            cost += FAR[s.map, s.pos[player], s.art] + NOT_HOLDING
        if player == me:
            own = WEIGHT[max(0, cost + DELAY * (s.players - 1) - kept(s, me))]
            total += own
        else:
            total += WEIGHT[cost + DELAY * (later - 1)]
    return own * FULL // total


@rule
def next_holder(s, me):
    """Who will have the artifact soon: the next player after me whose turn starts on it, else its holder."""
    for later in range(1, s.players):
        player = (me + later) % s.players
        if s.pos[player] == s.art:
            return player
    return s.holder


@rule
def blocked_home(s, player):
    """What a block on the home base costs: it has to be climbed."""
    return UP - STRAIGHT if s.h[home(s, player)] > 0 else 0


@rule
def kept(s, me):
    """What the cards worth keeping are worth."""
    return 3 * min(2, s.hand[me, SWAP]) + min(2, s.hand[me, JUMP]) + min(2, s.hand[me, DIAG])


# ---- looking ahead in its own turn ------------------------------------------------------------------------------------------


@rule
def can_go_on(s):
    return s.phase != OVER and s.used < s.limit


@rule
def look_one(s, me, scratch):
    """The best that can be reached with at most one more play."""
    best = worth(s, me)
    if can_go_on(s):
        moves = playable(s)
        while moves != 0:
            scratch[2] = s
            act(scratch[2], lowest(moves))
            moves &= moves - 1
            best = max(best, worth(scratch[2], me) - PER_PLAY)
    return best


@rule
def look_two(s, me, scratch):
    """The best that can be reached with at most two more plays."""
    best = worth(s, me)
    if can_go_on(s):
        moves = playable(s)
        while moves != 0:
            scratch[1] = s
            act(scratch[1], lowest(moves))
            moves &= moves - 1
            best = max(best, look_one(scratch[1], me, scratch) - PER_PLAY)
    return best


# ---- the decisions ----------------------------------------------------------------------------------------------------------


@rule
def greedy(s, moves, count, scratch):
    """One of the legal moves, chosen for the player to move."""
    if s.phase == DRAW:
        return choose_draw(s, scratch)
    if s.phase == DISCARD:
        return choose_discard(s, moves, count)
    return choose_play(s, moves, count, scratch)


@rule
def choose_draw(s, scratch):
    """From the discard pile if its card clearly helps this turn or is a Swap, else from the deck. Now and then from the deck
    anyway, or the same Swap could change hands for ever.
    """
    me = s.to_move
    if rand(s, 8) == 0:
        return ACTIONS.draw_deck()
    kind = s.disc[s.disc_n - 1]
    s.phase = PLAY
    s.idle_cards = 0
    without = look_two(s, me, scratch)
    s.hand[me, kind] += 1
    if kind == SWAP or look_two(s, me, scratch) > without + without // 16 + PER_PLAY:
        return ACTIONS.draw_discard()
    return ACTIONS.draw_deck()


@rule
def choose_play(s, moves, count, scratch):
    """The play that leads to the best position within three plays, or stopping if that is best; ties at random."""
    me = s.to_move
    worthwhile = -1
    if s.idle_cards:  # cards without effect are ignored
        s.idle_cards = 0
        worthwhile = playable(s)
        many = size(worthwhile) > 11
    else:
        many = count > 12
    best = worth(s, me)
    chosen = ACTIONS.end_play()
    ties = 0
    for n in range(count):
        action = moves[n]
        if not ACTIONS.end_play.includes(action) and worthwhile >> action & 1:
            scratch[0] = s
            act(scratch[0], action)
            value = look_one(scratch[0], me, scratch) if many else look_two(scratch[0], me, scratch)
            value -= PER_PLAY
            if value > best:
                best = value
                chosen = action
                ties = 1
            elif value == best and ties > 0:
                ties += 1
                if rand(s, ties) == 0:
                    chosen = action
    return chosen


KEEP = np.array((2, 2, 2, 2, 3, 1, 1, 1), np.uint8)
"""The bot discards more cards of a kind than this, as the hand is refilled anyway."""


@rule
def choose_discard(s, moves, count):
    """Discard what there is too much of; if the turn can't be ended yet, the least useful card."""
    me = s.to_move
    for kind in range(KINDS):
        keep = KEEP[kind] if s.used > 0 else 1  # a hand without a good play needs new cards
        if s.hand[me, kind] > keep:
            return ACTIONS.discard(kind)
    if ACTIONS.end_turn.includes(moves[0]):
        return ACTIONS.end_turn()
    return moves[count - 1]


# ---- for search bots --------------------------------------------------------------------------------------------------------

SEARCH = {"cut": 0, "explore": 1.0}

# What lowers a player's chance, in thousandths of its logarithm: fitted to 9,000 games of two to four greedy players.
AWAY, BEHIND = 19, 6  # per eighth of a card from the artifact to their home, and from them to the artifact
A_SEAT = 125  # per seat until their turn
PLAYED, A_PLAY = 330, 100  # for a turn that is over, and what a play left in it gives back
A_CARD = np.array((50, 50, 120, 200, 300, -110, -110, -110), np.int16)
"""What one or two cards of a kind in hand give back."""
BEST = 3000  # more than anybody can get back
CHANCE = np.maximum(1, FULL * np.exp(-0.008 * np.arange(1024))).astype(np.int32)
"""The chance that remains, by cost in steps of eight thousandths."""


@rule
def estimate(s, player):
    """A player's expected result, in thousandths: their share of everybody's chances."""
    heir = next_holder(s, (s.to_move + s.players - 1) % s.players)
    total = 0
    own = 0
    for later in range(s.players):
        other = (s.to_move + later) % s.players
        cost = BEST + AWAY * FAR[s.map, s.art, home(s, other)]
        if other != heir:
            cost += BEHIND * FAR[s.map, s.pos[other], s.art]
        if later > 0:
            cost += A_SEAT * later
        else:
            cost += PLAYED
            if s.phase <= PLAY:
                cost -= A_PLAY * max(0, s.limit - s.used)
        for kind in range(KINDS):
            cost -= A_CARD[kind] * min(2, s.hand[other, kind])
        chance = CHANCE[min(1023, cost >> 3)]
        total += chance
        if other == player:
            own = chance
    return 2000 * own // total - 1000
