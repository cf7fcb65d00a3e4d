"""A measure of every kind that has an interval."""

from rulestone.kernel import rule
from rulestone.measures import Measures, choice, memory, number, ratio, tally, yes_no

from .rules import ACTIONS, EVENTS

MEASURES = Measures(
    dares=number("dares", 12),
    gains=number("lucky dares", 12),
    luck=ratio("share of lucky dares", of="gains", to="dares"),
    many=yes_no("more than half of the choices are dares"),
    first=choice("the first choice", ("stay", "dare")),
    own=number("own dares", 3, each=True),
    card=choice("card", ("0", "1", "2", "3"), each=True),
    kept=yes_no("never dared", each=True),
    by_round=tally("dares by round", ("1", "2", "3")),
    note=memory(),
)


@rule
def opening(s, out):
    out[MEASURES.first] = -1


@rule
def before(s, action, out):
    if out[MEASURES.first] < 0:
        out[MEASURES.first] = action == ACTIONS.dare
    if action == ACTIONS.dare:
        out[MEASURES.dares] += 1
        out[MEASURES.own + s.to_move] += 1
        out[MEASURES.by_round + s.made // s.players] += 1


@rule
def after(s, action, player, out):
    for k in range(min(s.told, s.story.shape[0])):
        out[MEASURES.gains] += s.story[k, 1] == EVENTS.gains


@rule
def finish(s, out):
    out[MEASURES.many] = 2 * out[MEASURES.dares] > 3 * s.players
    for player in range(s.players):
        out[MEASURES.card + player] = s.card[player]
        out[MEASURES.kept + player] = out[MEASURES.own + player] == 0
