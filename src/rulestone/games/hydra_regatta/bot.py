"""The `greedy` bot: tries every route of its own movement and takes the best landing; rolls dice by expected gain.

Values are tenths of a dot. The distance still to go is the cheapest way around the ring as it is now, lane by lane.
"""

from itertools import pairwise

import numpy as np

from rulestone.kernel import hush, nth, rand, rule, size

from .content import (
    CARDS,
    COURSE,
    DOES,
    EFFECT,
    KIND,
    LANES,
    MAX_DOTS,
    RING_SLOTS,
    TRIDENT,
)
from .rules import (
    ACTIONS,
    BOOST,
    ENDWIN,
    FIRST,
    GAIA,
    MOVE,
    NAV,
    NO2,
    NONE,
    OVER,
    RANK,
    ROOM,
    SECOND,
    SETUP,
    SLOTS,
    VALUE,
    WEDGE,
    act,
    asking,
    busts,
    choices,
    navigation,
    progress,
    sail,
    start_dot,
)

DOT = 10
LAP = 300  # roughly what a lap costs
FAR = 9_999
# How an icon changes the cost of entering its dot.
ICON_COST = {".": 0, "f": -4, "g": -4, "w": -1, "+": -BOOST * DOT, "H": 8, "Y": 2, "Z": 2, "S": 0}
SCYLLA_FISH = 6
# What the third, second and first fish are worth, and a Favor or a wedge just drawn.
FISH_VALUE = np.array([0, 12, 21, 26], np.int16)
FAVOR_VALUE, WEDGE_VALUE = 8, 3
# What a card in a Favor slot is worth while it waits, by its effect; a curse is a burden.
_worth = {
    DOES.GAIN_FISH: 15,
    DOES.REROLL: 10,
    DOES.ADD_MOVE: 26,
    DOES.ANY_PATH: 5,
    DOES.SET_NAV: 12,
    DOES.NO_BUST: 14,
    DOES.IGNORE_HYDRA: 13,
    DOES.STOP: 2,
    DOES.ADD_NAV: 17,
}
CARD_VALUE = np.array([-12 if KIND[card] == TRIDENT else _worth.get(int(EFFECT[card]), 0) for card in range(CARDS)], np.int16)
# The lanes differ in length: what reaching the line on an outer lane costs.
LINE_COST = np.array([0, 3, 6, 10], np.int16)
ROUTES, DEPTH = 64, 20
if not 0 < DEPTH <= 20:  # a route is one number, with three bits for each decision
    raise ValueError("DEPTH must be 1 to 20: the bot looks at no more than 20 decisions of a route")


def _leave_costs(wedge):
    """For each dot and each seam the cheapest way out: the cost of the dots entered after this one."""
    costs = np.full((MAX_DOTS, LANES), FAR, np.int16)
    for dot in range(len(wedge.dots)):
        for way in wedge.ways(dot):
            cost = 0
            for here, there in pairwise(way):
                cost += DOT + ICON_COST[wedge.dots[there].icon] + _fee(wedge, here, there)
            for label, target in wedge.dots[way[-1]].exits:
                if target >= MAX_DOTS:
                    fee = SCYLLA_FISH * label if wedge.dots[way[-1]].icon == "Z" else 0
                    costs[dot, target - MAX_DOTS] = min(costs[dot, target - MAX_DOTS], cost + fee)
    return costs


def _fee(wedge, here, there):
    """What a Scylla path costs."""
    if wedge.dots[here].icon != "Z":
        return 0
    return min(SCYLLA_FISH * label for label, target in wedge.dots[here].exits if target == there)


LEAVE = np.array([_leave_costs(wedge) for wedge in COURSE], np.int16)
THROUGH = np.array(
    [
        [[DOT + ICON_COST[wedge.dots[entry].icon] + LEAVE[w, entry, out] for out in range(LANES)] for entry in wedge.entries]
        for w, wedge in enumerate(COURSE)
    ],
    np.int16,
)


@rule
def greedy(s, moves, count, scratch):
    """One of the legal actions, depending on the question."""
    phase = asking(s)
    if MOVE <= phase <= ENDWIN:
        return best_route(s, moves, count, scratch)
    if phase == SETUP:
        return best_lane(s, moves, count)
    if phase == NAV:
        return choose_navigation(s)
    if phase == FIRST:
        return choose_second(s)
    if phase == SECOND:
        return choose_reroll(s)
    if phase == VALUE:
        return ACTIONS.value(3)
    if phase in (WEDGE, GAIA):
        return best_place(s, moves, count)
    if phase == SLOTS:
        return choose_slot(s, moves, count)
    if phase == ROOM:
        return ACTIONS.discard_own(0 if card_value(s, s.to_move, 0) <= card_value(s, s.to_move, 1) else 1) if count > 1 else moves[0]
    return choose_victim(s, moves, count)


# ---- the way still to go ------------------------------------------------------------------------------------------------------


@rule
def through(wedge, lane, a, b, c, d):
    """The cheapest way on from an entry lane, when a, b, c, d are the costs from the four seams behind the wedge."""
    return min(
        min(THROUGH[wedge, lane, 0] + a, THROUGH[wedge, lane, 1] + b),
        min(THROUGH[wedge, lane, 2] + c, THROUGH[wedge, lane, 3] + d),
    )


@rule
def way_to_line(s, place):
    """The cheapest way from a dot to the next crossing of the Starting Line."""
    slot = place // MAX_DOTS
    dot = place % MAX_DOTS
    a = LINE_COST[0]
    b = LINE_COST[1]
    c = LINE_COST[2]
    d = LINE_COST[3]
    later = (s.start_slot - 1) % RING_SLOTS
    while later != slot:
        wedge = s.top[later]
        new_a = through(wedge, 0, a, b, c, d)
        new_b = through(wedge, 1, a, b, c, d)
        new_c = through(wedge, 2, a, b, c, d)
        d = through(wedge, 3, a, b, c, d)
        a = new_a
        b = new_b
        c = new_c
        later = (later - 1) % RING_SLOTS
    wedge = s.top[slot]
    return min(min(LEAVE[wedge, dot, 0] + a, LEAVE[wedge, dot, 1] + b), min(LEAVE[wedge, dot, 2] + c, LEAVE[wedge, dot, 3] + d))


@rule
def card_value(s, p, k):
    """What the card in a Favor slot is worth."""
    return 0 if s.slots[p, k] == NONE else CARD_VALUE[s.slots[p, k]]


# ---- setup, wedges, cards -------------------------------------------------------------------------------------------------------


@rule
def best_lane(s, moves, count):
    """The start dot with the shortest way round."""
    choice = moves[0]
    least = 10 * FAR
    for k in range(count):
        cost = way_to_line(s, start_dot(s, ACTIONS.ship.argument(moves[k])))
        if cost < least:
            least = cost
            choice = moves[k]
    return choice


@rule
def best_place(s, moves, count):
    """Where the wedge lengthens the others' ways most and its own least; ties at random."""
    p = s.to_move
    choice = moves[0]
    most = -10 * FAR
    equal = 0
    for k in range(count):
        which = ACTIONS.wedge.argument(moves[k])
        slot = ACTIONS.wedge.argument(moves[k], 1)
        below = s.top[slot]
        s.top[slot] = s.gaia if s.phase == GAIA else s.hand[p, which]
        value = 0
        for q in range(s.players):
            ahead = progress(s, q) > progress(s, p)
            weight = 2 if ahead else 1
            value += -s.players * way_to_line(s, s.pos[q]) if q == p else weight * way_to_line(s, s.pos[q])
        s.top[slot] = below
        if value > most:
            most = value
            choice = moves[k]
            equal = 1
        elif value == most:
            equal += 1
            if rand(s, equal) == 0:
                choice = moves[k]
    return choice


@rule
def choose_slot(s, moves, count):
    """Discard the least valuable of three cards."""
    choice = ACTIONS.discard_new()
    least = CARD_VALUE[s.pend]
    for k in range(count):
        if ACTIONS.replace.includes(moves[k]) and card_value(s, s.to_move, ACTIONS.replace.argument(moves[k])) < least:
            least = card_value(s, s.to_move, ACTIONS.replace.argument(moves[k]))
            choice = moves[k]
    return choice


@rule
def choose_victim(s, moves, count):
    """The player furthest ahead."""
    choice = moves[0]
    for k in range(1, count):
        if progress(s, ACTIONS.target.argument(moves[k])) > progress(s, ACTIONS.target.argument(choice)):
            choice = moves[k]
    return choice


# ---- dice -----------------------------------------------------------------------------------------------------------------------


@rule
def held(s, effect):
    """The action that uses a card with this effect, or -1."""
    for k in range(2):
        card = s.slots[s.to_move, k]
        if card != NONE and KIND[card] != TRIDENT and EFFECT[card] == effect:
            return ACTIONS.use(k)
    return -1


@rule
def choose_navigation(s):
    """Reroll a 1 with the Fleece, which doubles it, or with fish to spare."""
    p = s.to_move
    if s.nav[p] == 1:
        if held(s, DOES.SET_NAV) >= 0:
            return held(s, DOES.SET_NAV)
        if s.fish[p] >= (1 if p == s.fleece else 3):
            return ACTIONS.nav_reroll()
    return ACTIONS.nav_keep()


@rule
def second_die_gain(first, fish):
    """What rolling the second die gains on average, if a bust may be rerolled for fish."""
    successes = 7 - first
    good = DOT * successes * (first + 6) // 2  # sum of the successful faces
    loss = -DOT * first
    value = (good + (6 - successes) * loss) // 6
    for _ in range(fish):
        value = (good + (6 - successes) * max(loss, value - DOT)) // 6
    return value


@rule
def choose_second(s):
    """Roll while it gains movement; Tyche takes the risk away."""
    p = s.to_move
    first = s.d1[p]
    gain = second_die_gain(first, s.fish[p])
    if held(s, DOES.NO_BUST) >= 0 or (held(s, DOES.GAIN_FISH) >= 0 and s.fish[p] == 0):
        gain = max(gain, second_die_gain(first, s.fish[p] + 2))
    if gain > 0 and not s.flags & NO2 << p:
        return ACTIONS.roll2()
    return ACTIONS.hold()


@rule
def choose_reroll(s):
    """Spend a fish or a card on a bust if that gains more than it costs."""
    p = s.to_move
    first = s.d1[p]
    if s.d2[p] >= first:
        return ACTIONS.accept2()
    best = -DOT * first
    choice = ACTIONS.accept2()
    if held(s, DOES.NO_BUST) >= 0 and best < -12:
        best = -12
        choice = held(s, DOES.NO_BUST)
    if s.fish[p] > 0 and second_die_gain(first, s.fish[p] - 1) - DOT > best:
        best = second_die_gain(first, s.fish[p] - 1) - DOT
        choice = ACTIONS.reroll2()
    if held(s, DOES.REROLL) >= 0 and second_die_gain(first, s.fish[p]) - 9 > best:
        best = second_die_gain(first, s.fish[p]) - 9
        choice = held(s, DOES.REROLL)
    if held(s, DOES.GAIN_FISH) >= 0 and s.fish[p] == 0 and second_die_gain(first, 1) - DOT > best:
        choice = held(s, DOES.GAIN_FISH)
    return choice


# ---- the movement -----------------------------------------------------------------------------------------------------------------


@rule
def best_route(s, moves, count, scratch):
    """Every route that begins with each action, as deep as the movement goes; the action that leads to the best landing."""
    choice = moves[0]
    best = -1_000_000_000
    for k in range(count):
        value = best_after(s, moves[k], scratch)
        if value > best:
            best = value
            choice = moves[k]
    return choice


@rule
def best_after(s, action, scratch):
    """The best landing after an action. A route is a number: three bits for each later decision encode the choice.

    Routes begin alike, so the movement before the last two decisions is kept, one at an even depth and one at an odd.
    """
    t = scratch[0]
    best = -1_000_000_000
    route = 0
    sizes = 0
    depth = -1
    even = -1
    odd = -1
    for _ in range(ROUTES):
        if depth >= 0 and depth == (odd if depth & 1 else even):
            scratch[0] = scratch[1 + (depth & 1)]
        else:
            depth = 0
            scratch[0] = s
            go_on(t, action)
        while t.phase <= OVER and depth < DEPTH:
            if depth & 1:
                odd = depth
            else:
                even = depth
            scratch[1 + (depth & 1)] = t
            left = choices(t)
            sizes = sizes & ((1 << (3 * depth)) - 1) | size(left) << (3 * depth)
            go_on(t, nth(left, route >> (3 * depth) & 7))
            depth += 1
        best = max(best, landing_value(t, s.to_move))
        # The next route: the deepest decision that has a choice left takes it.
        depth -= 1
        while depth >= 0 and (route >> (3 * depth) & 7) + 1 >= (sizes >> (3 * depth) & 7):
            depth -= 1
        if depth < 0:
            return best
        route = (route & ((1 << (3 * depth + 3)) - 1)) + (1 << (3 * depth))
    return best


@rule
def go_on(t, action):
    """One decision of the movement and the dots up to the next one."""
    hush(t)
    act(t, action)
    sail(t)


@rule
def landing_value(t, p):
    """How good it is to end the movement like this; in the last round only the ranking counts."""
    if t.final:
        behind = 0
        for q in range(t.players):
            if q != p and progress(t, q) < progress(t, p):
                behind += 1
        return 1_000_000 * (behind + 1) + progress(t, p)
    return standing(t, p) + FAVOR_VALUE * t.drawn + WEDGE_VALUE * t.wdrawn


@rule
def standing(s, p):
    """How far a player has come, in tenths of a dot, plus the value of their fish and cards."""
    return LAP * s.laps[p] - way_to_line(s, s.pos[p]) + FISH_VALUE[min(s.fish[p], 3)] + card_value(s, p, 0) + card_value(s, p, 1)


# ---- for search bots -------------------------------------------------------------------------------------------------------------

SEARCH = {"explore": {2: 2.5, 3: 1.0, 4: 1.0}, "cut": 12, "trust": 1.0}
USUAL_DICE = 8  # the dots that a player sails in a round
SWING = 30  # the lead, in tenths of a dot, that wins three times out of four at the end of a race; before, it takes more


@rule
def to_come(s, p):
    """The dots that a player will still sail in this round, judging by the dice."""
    place = (p - s.fleece) % s.players
    bust = s.d2[p] > 0 and busts(s.d1[p], s.d2[p])
    dice = navigation(s, p) + (0 if bust else s.d1[p] + s.d2[p])
    if NAV <= s.phase <= VALUE:
        return dice if s.d1[p] + s.bust[p] > 0 else USUAL_DICE
    if place < s.turn:
        return 0
    return s.move if place == s.turn and s.phase != WEDGE else dice


@rule
def estimate(s, player):
    """A player's expected result, in thousandths: their lead over each rival, compared with what the rest of the race can change."""
    if s.phase == SETUP:
        return 0 if s.returns == RANK else 2000 // s.players - 1000
    to_go = FAR
    for p in range(s.players):
        to_go = min(to_go, LAP * (s.race - 1 - s.laps[p]) + way_to_line(s, s.pos[p]) - DOT * to_come(s, p))
    swing = SWING + 3 * max(to_go, 0) // 2
    own = standing(s, player) + DOT * to_come(s, player)
    ahead = 0  # the chance of finishing ahead of each rival, in thousandths, added up
    odds = 0  # how much likelier the rivals are to win, in thousandths
    for other in range(s.players):
        if other != player:
            lead = own - standing(s, other) - DOT * to_come(s, other)
            ahead += 1000 * lead // (abs(lead) + swing)
            odds += 1000 * (abs(lead) - lead + swing) // (abs(lead) + lead + swing)
    return ahead // (s.players - 1) if s.returns == RANK else 2_000_000 // (1000 + odds) - 1000
