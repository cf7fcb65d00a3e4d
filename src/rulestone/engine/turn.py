"""One step of any game, as templates that call one game's `setup`, `legal`, `apply`, `hide` and `redeal`.

They do what every game needs, so that no game can forget it: the story starts again with each move, plies are counted, and the generator
and other players' hidden information are always concealed.
"""

from rulestone.kernel.rule import rule
from rulestone.kernel.story import forget, veil


@rule
def begin(s):
    """Start the game, up to the first decision. The generator, players and options are already filled in."""
    forget(s)
    setup(s)  # noqa: F821


@rule
def step(s, action):
    """Make one move, with everything that follows from it."""
    forget(s)
    apply(s, action)  # noqa: F821
    s.ply += 1


@rule
def conceal(s, viewer):
    """Blank everything the viewer can't know."""
    hide(s, viewer)  # noqa: F821
    veil(s, viewer)


@rule
def nothing_hidden(s, viewer):
    """`hide` and `redeal` of a game without hidden information."""


@rule
def nothing_derived(s):
    """`refresh` of a game without derived fields."""


@rule
def all_seen(s, action, viewer):
    """`seen` of a game whose moves are all public."""
    return -1


@rule
def deciding(s):
    """`deciding` of a game in which it's always one player's turn."""
    return 0


@rule
def never_asked(s, action):
    """`may` of a game that lists its legal moves by hand and gives no reasons."""
    return 0


# The same for a record in an array, which is how Python passes records to compiled code.


@rule
def begin_at(states, i):
    begin(states[i])


@rule
def legal_at(states, i, out):
    return legal(states[i], out)  # noqa: F821


@rule
def step_at(states, i, action):
    step(states[i], action)


@rule
def conceal_at(states, i, viewer):
    conceal(states[i], viewer)


@rule
def redeal_at(states, i, viewer):
    redeal(states[i], viewer)  # noqa: F821


@rule
def refresh_at(states, i):
    refresh(states[i])  # noqa: F821


@rule
def seen_at(states, i, action, viewer):
    return seen(states[i], action, viewer)  # noqa: F821


AT = (begin_at, legal_at, step_at, conceal_at, redeal_at, refresh_at, seen_at)
