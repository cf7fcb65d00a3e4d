"""`step` and `conceal` of a game with unnoticed moves: moves whose verb `seen` doesn't show to some viewer.

For a viewer who doesn't notice a move, it doesn't count, and what they heard before stays in their story. Such a game has a field that
counts those moves for a spectator and each player: `unnoticed: u16[1 + SEATS]`. Other games don't need the field or the extra work.
"""

from rulestone.kernel.rule import rule
from rulestone.kernel.story import forget, keep_for, keeps_rows, veil, veil_kept

FIELD = "unnoticed"


@rule
def step(s, action):
    """Make one move, with everything that follows from it."""
    blind = 0
    for viewer in range(-1, s.players):
        if viewer != s.to_move and seen(s, action, viewer) & 1 == 0:  # noqa: F821
            blind |= 1 << (viewer + 1)
            s.unnoticed[viewer + 1] += 1
    if blind != 0 or keeps_rows(s):
        keep_for(s, blind)
    else:
        forget(s)
    apply(s, action)  # noqa: F821
    s.ply += 1


@rule
def conceal(s, viewer):
    """Blank everything the viewer can't know, including the number of moves they didn't notice."""
    hide(s, viewer)  # noqa: F821
    s.ply -= s.unnoticed[viewer + 1]
    for other in range(s.unnoticed.shape[0]):
        s.unnoticed[other] = 0
    if keeps_rows(s):
        veil_kept(s, viewer)
    else:
        veil(s, viewer)
