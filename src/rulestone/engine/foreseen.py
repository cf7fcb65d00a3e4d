"""Whether what somebody saw of a move could be foreseen: `rulestone.undo` for moves that are seen whole, as a template that calls one
game's `legal`, `redeal`, `step`, `conceal`, `seen` and `deciding`.

`dice` are the 32-bit words of a generator of Python, used up as its `getrandbits(64)` and `choice` would: two for each generator state
that a rule gets, and for a choice from a single action as many as it takes until one is below CHOSEN.
"""

from rulestone.kernel.rule import int64, rule, uint64

FORESEEN, NEWS, UNCERTAIN = range(3)
"""What comes of it. It's uncertain if somebody would not see the move whole in some world, or if the dice have run out."""
KNOWN, WORLD, OTHER, SEEN = range(4)
"""Places in the scratch records: what is known to `eyes[0]`, two worlds, and from the last on what is seen after the move."""
CHOSEN = 1 << 31
AT_MOST = 8
"""How many words one world takes at most after the last look at how many are left."""


@rule
def foreseen(states, words, eyes, made, whole, worlds, moves, dice):
    """Make a move in worlds that look to `eyes[0]` like `states[KNOWN]`.

    With no other eyes, FORESEEN means that `eyes[0]` would always see `states[SEEN]` afterwards. Otherwise it means that in these worlds,
    each of the other eyes could have foreseen what they see: it's the same in a world that looks the same to them.

    `words` are the bytes of `states`; a move is seen whole if `seen` returns all bits of `whole`.
    """
    others = len(eyes) - 1
    last = len(dice) - AT_MOST
    at = 0
    tossed = False
    explained = False
    for _ in range(worlds):
        possible = False
        for turn in range(others + 1):  # first the world itself, then for each of the others one that looks the same to them
            viewer = int64(eyes[turn])
            if at >= last or (turn > 0 and not sees_whole(states[WORLD], made, viewer, whole)):
                return UNCERTAIN
            if turn == 0:
                states[WORLD] = states[KNOWN]
            else:
                look(states, int64(WORLD), int64(OTHER), viewer)
            s = states[min(WORLD + turn, OTHER)]
            rng = uint64(dice[at]) | uint64(dice[at + 1]) << uint64(32)
            s.rng = rng
            redeal(s, viewer)  # noqa: F821
            tossed = tossed or s.rng != rng
            at += 2
            possible = False
            if s.to_move >= 0:
                for k in range(legal(s, moves)):  # noqa: F821
                    possible = possible or moves[k] == made
            possible = possible and sees_whole(s, made, viewer, whole)
            if not possible and (turn > 0 or others == 0):
                return NEWS
            if not possible:
                break
            explained = True
            while dice[at] >= CHOSEN:
                at += 1
                if at >= last:
                    return UNCERTAIN
            at += 1
            if turn > 0:
                rng = uint64(dice[at]) | uint64(dice[at + 1]) << uint64(32)
                s.rng = rng
                step(s, made)  # noqa: F821
                tossed = tossed or s.rng != rng
                at += 2
                look(states, int64(OTHER), int64(SEEN + turn - 1), viewer)
        if possible:
            s = states[WORLD]
            rng = uint64(dice[at]) | uint64(dice[at + 1]) << uint64(32)
            s.rng = rng
            step(s, made)  # noqa: F821
            tossed = tossed or s.rng != rng
            at += 2
            for turn in range(min(1, others), others + 1):
                look(states, int64(WORLD), int64(OTHER), int64(eyes[turn]))
                for n in range(words.shape[1]):
                    if words[OTHER, n] != words[SEEN + max(turn - 1, 0), n]:
                        return NEWS
            if not tossed:
                return FORESEEN
    return FORESEEN if explained else NEWS


@rule
def look(states, source, to, viewer):
    """Write what the viewer sees in one record to another. The number of moves is left out: worlds that look alike can differ in it."""
    states[to] = states[source]
    s = states[to]
    conceal(s, viewer)  # noqa: F821
    s.ply = 0


@rule
def sees_whole(s, made, viewer, whole):
    """Return whether the viewer would see the whole move here."""
    return s.to_move == viewer or (deciding(s) == 0 and seen(s, made, viewer) & whole == whole)  # noqa: F821
