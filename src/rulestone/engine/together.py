"""`begin`, `step` and `conceal` of a game in which several players may decide at the same time: it has rules `deciders` and `resolve`.

While `deciders(s)` is a set of players (bit p stands for player p), each of them may move, in any order. Nobody notices what the others do,
nor how often; who is still among the deciders is public. When the last one has decided, `deciders(s)` is 0, everybody learns of all those
moves at once, and `resolve(s)` makes of them what follows. It begins with an empty story and with a generator that depends on everybody's
moves, but not on their order: so the order of arrival changes nothing at all.

Whoever plays for all – playouts, search, environments – takes the deciders in the order of their seats: `to_move` is the first of them.
"""

from rulestone.kernel.chance import stream
from rulestone.kernel.record import Type, u16, u64
from rulestone.kernel.rule import rule
from rulestone.kernel.sets import lowest
from rulestone.kernel.story import forget, keep_for, keeps_rows, veil, veil_kept


def fields(players: int) -> dict[str, Type]:
    """What records of such a game have besides their own fields. For a spectator and each player: how many moves they never noticed,
    and how many they will notice when the others have decided; and the generators of those moves, mixed.
    """
    return {"unnoticed": u16[1 + players], "pending": u16[1 + players], "mixed": u64}


@rule
def begin(s):
    """From a record with generator, players and options filled in to the first decision."""
    forget(s)
    setup(s)  # noqa: F821
    first_decides(s)


@rule
def deciding(s):
    """The set of players who decide at the same time now; 0 where it is one player's turn, or the game is over."""
    return deciders(s) if s.to_move >= 0 else 0  # noqa: F821


@rule
def first_decides(s):
    """Of those who decide at the same time, the first is `to_move`."""
    players = deciding(s)
    if players != 0:
        s.to_move = lowest(players)


@rule
def step(s, action):
    """One move and all that follows from it."""
    together = deciding(s) != 0
    blind = 0
    for viewer in range(-1, s.players):
        if viewer != s.to_move and (together or seen(s, action, viewer) & 1 == 0):  # noqa: F821
            blind |= 1 << (viewer + 1)
            if together:
                s.pending[viewer + 1] += 1
            else:
                s.unnoticed[viewer + 1] += 1
    if together:
        s.mixed ^= s.rng
    if blind != 0 or keeps_rows(s):
        keep_for(s, blind)
    else:
        forget(s)
    apply(s, action)  # noqa: F821
    s.ply += 1
    if together and deciding(s) == 0:
        disclose(s)
    first_decides(s)


@rule
def disclose(s):
    """Everybody has decided."""
    for viewer in range(s.pending.shape[0]):
        s.pending[viewer] = 0
    if s.to_move >= 0:
        keep_for(s, 0)
        s.rng = stream(s.mixed, s.ply)
        resolve(s)  # noqa: F821
    s.mixed = 0


@rule
def conceal(s, viewer):
    """Blank everything the viewer may not know. A viewer among the deciders sees themselves to move, all others see the first of them."""
    players = deciding(s)
    hide(s, viewer)  # noqa: F821
    s.ply -= s.unnoticed[viewer + 1] + s.pending[viewer + 1]
    for other in range(s.pending.shape[0]):
        s.unnoticed[other] = 0
        s.pending[other] = 0
    s.mixed = 0
    if players != 0:
        s.to_move = viewer if viewer >= 0 and players >> viewer & 1 else lowest(players)
    if keeps_rows(s):
        veil_kept(s, viewer)
    else:
        veil(s, viewer)


@rule
def deciding_at(states, i):
    return deciding(states[i])
