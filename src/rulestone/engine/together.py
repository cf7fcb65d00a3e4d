"""`begin`, `step` and `conceal` of a game in which several players can decide at the same time. It has rules `deciders` and `resolve`.

While `deciders(s)` is a set of players (bit p is player p), each of them can move, in any order. Nobody notices the others' moves, or how
many there were; who still has to decide is public. When the last player has decided, `deciders(s)` is 0. Everybody then learns about all
those moves at once, and `resolve(s)` carries out their consequences. It starts with an empty story, and with a generator that depends on
everybody's moves but not on their order, so the order in which moves arrive changes nothing at all.

Code that plays for everybody (playouts, search, environments) lets players decide in the order of their seats: `to_move` is the first.
"""

from rulestone.kernel.chance import stream
from rulestone.kernel.record import Type, u16, u64
from rulestone.kernel.rule import rule
from rulestone.kernel.sets import lowest
from rulestone.kernel.story import forget, keep_for, keeps_rows, veil, veil_kept


def fields(players: int) -> dict[str, Type]:
    """Return the extra fields of such a game.

    For a spectator and each player, they count the moves they never noticed (`unnoticed`) and those they'll notice when the others have
    decided (`pending`). `mixed` combines the generator states of those moves.
    """
    return {"unnoticed": u16[1 + players], "pending": u16[1 + players], "mixed": u64}


@rule
def begin(s):
    """Start the game, up to the first decision. The generator, players and options are already filled in."""
    forget(s)
    setup(s)  # noqa: F821
    first_decides(s)


@rule
def deciding(s):
    """Return the set of players who decide at the same time now; 0 if it's one player's turn or the game is over."""
    return deciders(s) if s.to_move >= 0 else 0  # noqa: F821


@rule
def first_decides(s):
    """Set `to_move` to the first of the players who decide at the same time, if any."""
    players = deciding(s)
    if players != 0:
        s.to_move = lowest(players)


@rule
def step(s, action):
    """Make one move, with everything that follows from it."""
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
    """Disclose the moves after everybody has decided, and resolve them."""
    for viewer in range(s.pending.shape[0]):
        s.pending[viewer] = 0
    if s.to_move >= 0:
        keep_for(s, 0)
        s.rng = stream(s.mixed, s.ply)
        resolve(s)  # noqa: F821
    s.mixed = 0


@rule
def conceal(s, viewer):
    """Blank everything the viewer can't know. A viewer who still has to decide sees themselves to move, others see the first who has to."""
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
