"""Nim: take 1 to 3 sticks from one of three heaps, or pass once; whoever takes the last stick wins. Its verbs are functions."""

from rulestone.kernel import NOBODY, About, Actions, Events, Reasons, Record, because, option, rule, tell, u8

HEAPS, MOST = 3, 3

ABOUT = About(title="Nim", min_players=2, max_players=2, longest=40, zero_sum=True, story=3)
ACTIONS = Actions(pass_=(), take=(HEAPS, range(1, MOST + 1)), swap="First Last")
EVENTS = Events(takes="{who:seat} takes {count}.", passes="{who:seat} passes.", wins="{who:seat} wins.")
REASONS = Reasons(
    names={"heap": ("left", "middle", "right")},
    passed="You have passed already. [R2]",
    few="The {heap:heap} heap has only {count} left. [R1]",
    swapped="The heaps have been swapped before. [R3]",
)


class State(Record):
    """Sticks in heaps."""

    heap: u8[HEAPS]
    passed: u8[2]
    swaps: u8
    moves: u8
    full: u8 = option(4, (4, 5, 6), "sticks in a heap")


@rule
def setup(s):
    for heap in range(HEAPS):
        s.heap[heap] = s.full


@rule
def may_pass(s):
    """R2: once."""
    return REASONS.passed if s.passed[s.to_move] else 0


@rule
def do_pass(s):
    s.passed[s.to_move] = 1
    tell(s, EVENTS.passes, s.to_move)


@rule
def may_take(s, heap, count):
    """R1: no more than there are."""
    if s.heap[heap] < count:
        return because(REASONS.few, heap, s.heap[heap])
    return 0


@rule
def do_take(s, heap, count):
    s.heap[heap] -= count
    tell(s, EVENTS.takes, s.to_move, count)


@rule
def when_swap(s):
    """R3: once in a game."""
    return REASONS.swapped if s.swaps else 0


@rule
def may_swap(s, which):
    return 0


@rule
def do_swap(s, which):
    s.swaps = 1
    other = 2 * which
    kept = s.heap[1]
    s.heap[1] = s.heap[other]
    s.heap[other] = kept


@rule
def afterwards(s):
    """R4: the last stick wins; otherwise it is the other player's turn."""
    s.moves += 1
    if s.heap[0] + s.heap[1] + s.heap[2] == 0:
        s.payoff[s.to_move] = 1
        s.payoff[1 - s.to_move] = -1
        tell(s, EVENTS.wins, s.to_move)
        s.to_move = NOBODY
    else:
        s.to_move = 1 - s.to_move


@rule
def best(s):
    """The number of a move that leaves an even sum, or -1; for tests of ACTIONS.verb(…) inside a rule."""
    for heap in range(HEAPS):
        for count in range(1, MOST + 1):
            if may_take(s, heap, count) == 0 and (s.heap[0] ^ s.heap[1] ^ s.heap[2]) & 1 == count & 1:
                return ACTIONS.take(heap, count)
    return -1


@rule
def taken(s, action):
    """What a move takes, as heap and count, or -1; for tests of asking a move inside a rule."""
    if ACTIONS.take.includes(action):
        return ACTIONS.take.argument(action) * 10 + ACTIONS.take.argument(action, 1)
    return -1
