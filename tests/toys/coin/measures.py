"""One measure of each kind."""

from rulestone.kernel import rule
from rulestone.measures import Measures, choice, memory, number, ratio, tally, yes_no

from .rules import ACTIONS, EVENTS

MEASURES = Measures(
    ones=number("calls of 1", 2, seconds=30, says="{mean} calls of 1."),
    calls=number("calls", 2),
    share=ratio("calls of 1 to calls", of="ones", to="calls"),
    calls_for_one=ratio("calls for one of 1", of="calls", to="ones"),
    both=yes_no("both called 1", says="Both call 1 in {share} of games."),
    first=choice("the first call", ("zero", "one")),
    mine=number("own calls of 1", 1, each=True),
    late=number("the second call, if the first was 1", 1),
    sides=tally("calls by side", ("heads", "tails"), shape=(1, 2)),
    thrown=tally("what was thrown", ("heads", "tails")),
    won_by=number("by what it was won", 2),
    seen=memory(),
)


@rule
def opening(s, out):
    out[MEASURES.late] = -1


@rule
def before(s, action, out):
    if s.calls == 0:
        out[MEASURES.first] = action - ACTIONS.call


@rule
def after(s, action, player, out):
    side = action - ACTIONS.call
    out[MEASURES.calls] += 1
    out[MEASURES.ones] += side
    out[MEASURES.mine + player] = side
    out[MEASURES.sides + side] += 1
    if player == 1 and out[MEASURES.first] == 1:
        out[MEASURES.late] = side
    for k in range(min(s.told, s.story.shape[0])):
        if s.story[k, 1] == EVENTS.thrown:
            out[MEASURES.thrown + s.story[k, 2]] += 1
            out[MEASURES.seen] += 1


@rule
def finish(s, out):
    out[MEASURES.won_by] = s.by
    out[MEASURES.both] = 5 if out[MEASURES.ones] == 2 else 0
