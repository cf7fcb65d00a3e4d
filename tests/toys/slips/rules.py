"""Slips: a race up a hill whose sentences do not follow all of its constants. Not an example to follow: tests find the slips."""

from rulestone.kernel import NOBODY, About, Actions, Events, Record, rand, rule, tell, u8

TOP = 9  # R1: steps to the top
LEAP = 3  # R2: steps of a leap
REST = 2  # R3: steps back for a rest
FOOD = 4  # R4: apples in the bag

ABOUT = About(title="Slips", min_players=2, max_players=2, longest=400)
ACTIONS = Actions(leap=(), rest=())
EVENTS = Events(
    leaps="{who:seat} leaps 3 steps up. [R2]",  # the slip: it is LEAP
    rests="{who:seat} rests and slides back two steps. [R3]",  # the slip, in a word: it is REST
    stands="{who:seat} stands on step {step} of {top}. [R1]",
    eats="{who:seat} eats an apple; in the bag: {left}. [R4]",
)


class State(Record):
    """Where everybody stands."""

    step: u8[2]  # from 0
    bag: u8  # apples left


@rule
def setup(s):
    s.bag = FOOD


@rule
def legal(s, out):
    out[0] = ACTIONS.leap
    out[1] = ACTIONS.rest
    return 2


@rule
def apply(s, action):
    me = s.to_move
    if action == ACTIONS.leap:
        s.step[me] = min(s.step[me] + LEAP, TOP)
        tell(s, EVENTS.leaps, me)
    else:
        s.step[me] = max(s.step[me] - REST, 0)
        tell(s, EVENTS.rests, me)
    tell(s, EVENTS.stands, me, s.step[me], TOP)
    s.bag = rand(s, FOOD + 1)
    tell(s, EVENTS.eats, me, s.bag)
    s.to_move = 1 - me
    if s.step[me] == TOP or s.ply >= 390:
        s.payoff[me] = 1
        s.payoff[1 - me] = -1
        s.to_move = NOBODY
