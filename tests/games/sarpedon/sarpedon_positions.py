"""The sheet's base position B, and a few words to read positions with."""

import functools

import rulestone

TRAP, SHRIEK, SHARD = 0, 1, 2
BARE, STONE, PROTECT, SAVED, SAVED_P = 0, 1, 2, 3, 4
SLOT = {2: 0, 3: 1, 7: 2}


def game():
    return rulestone.load("sarpedon")


@functools.cache
def seed_where(*first_cards, options=()):
    """The first seed whose decks begin with these numbers, by quadrant (None: any)."""
    for seed in range(100_000):
        deck = game().new(seed=seed, options=dict(options)).state.deck
        if all(card is None or deck[q, 0] == card for q, card in enumerate(first_cards)):
            return seed
    raise AssertionError("no such seed")


def new(*first_cards, **options):
    """A real new game whose decks begin with these numbers, by quadrant."""
    return game().new(seed=seed_where(*first_cards, options=tuple(options.items())), options=options)


def at(
    to_move=0,
    pos=(13, 13, 13, 13),
    quad=(0, 1, 2, 3),
    stone=None,
    cover=None,
    drawn=None,
    next_cards=None,
    mystery=None,
    face_up=None,
    taken=None,
    options=None,
    **fields,
):
    """Base position B with changes: `stone={0: [6, 9]}`, `cover={0: {7: PROTECT}}`, `drawn={0: [4]}` (discarded),
    `next_cards={0: [4]}`, `mystery={0: (SHRIEK, SHARD, TRAP)}` by tiles 2, 3, 7, `face_up={0: [2]}`, `taken={0: [7]}`."""
    match = game().new(seed=1, options=options)
    state = match.state
    state.pos, state.quad, state.to_move, state.round, state.phase = pos, quad, to_move, 1, 0
    for name in ("frozen", "barred", "cused", "shards", "cover", "mknown"):
        setattr(state, name, 0)
    state.has, state.mstate = 7, 1
    for q in range(4):
        state.mtype[q] = (mystery or {}).get(q, (TRAP, SHRIEK, SHARD))
        on_top = {**({16: STONE} if q == 0 else {}), **dict.fromkeys((stone or {}).get(q, ()), STONE), **(cover or {}).get(q, {})}
        out = [n for n, card in on_top.items() if card not in (BARE, PROTECT)]
        out += [n for n in (drawn or {}).get(q, ()) if n not in out]
        for tile, card in on_top.items():
            state.cover[q, tile - 1] = card
        coming = (next_cards or {}).get(q, (12, 11) if q == 0 else (16, 12))
        rest = [n for n in (*coming, *range(1, 17)) if n not in out]
        state.deck[q], state.dptr[q] = [*out, *dict.fromkeys(rest)], len(out)
        for tile in (face_up or {}).get(q, ()):
            state.mstate[q, SLOT[tile]], state.mknown[q, SLOT[tile]] = 2, 1
        for tile in (taken or {}).get(q, ()):
            state.mstate[q, SLOT[tile]], state.mknown[q, SLOT[tile]] = 0, 1
    for name, value in fields.items():
        setattr(state, name, value)
    return match


def position_d(**changes):
    """Position D of the sheet: P0 before a Tile 4 that is about to turn to stone, the others inside, no Save Tile."""
    base = {
        "to_move": 3,
        "pos": (8, 4, 4, 4),
        "has": 5,
        "face_up": {0: [2, 3]},
        "taken": {0: [7]},
        "shards": (1, 0, 0, 0),
        "round": 8,
        "next_cards": {0: [4]},
    }
    return at(**{**base, **changes})


def play(match, *texts):
    for text in texts:
        match.play(text)
    return match


def moves(match):
    return {move.args[0] for move in match.legal() if move.verb == "move"}


def words(match):
    return [str(move) for move in match.legal()]


def cover(match, q, tile):
    return int(match.state.cover[q, tile - 1])


def told(match):
    return [event.name for event in match.events]
