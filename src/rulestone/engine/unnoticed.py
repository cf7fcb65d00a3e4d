"""`step` and `conceal` of a game with unnoticed moves, which are those whose verb `seen` does not show to a viewer.

Whoever does not notice a move does not count it, and does not forget for it what they heard before. Such a game has a field that counts
those moves, for a spectator and each player: `unnoticed: u16[1 + SEATS]`. Other games are spared the field and the work.
"""

from rulestone.kernel.rule import rule
from rulestone.kernel.story import forget, keep_for, keeps_rows, veil, veil_kept

FIELD = "unnoticed"


@rule
def step(s, action):
    """One move and all that follows from it."""
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
    """Blank everything the viewer may not know, also how many moves they did not notice."""
    hide(s, viewer)  # noqa: F821
    s.ply -= s.unnoticed[viewer + 1]
    for other in range(s.unnoticed.shape[0]):
        s.unnoticed[other] = 0
    if keeps_rows(s):
        veil_kept(s, viewer)
    else:
        veil(s, viewer)
