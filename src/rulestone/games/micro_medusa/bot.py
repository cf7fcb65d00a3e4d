"""A quick opponent for both roles of Micro Medusa.

Each turn is a small matching game: Medusa picks a kind, the Champion a weapon; she wants a mismatch, he a match. The bot
judges what each kind is worth matched and unmatched by trying it out, solves that game, and plays its odds: whoever always
does the "best" thing here is read like a book.
"""

import numpy as np

from rulestone.kernel import rand, rule

from .content import KINDS, LAST_SPACE, SIDES
from .rules import (
    ACTIONS,
    CHAMPION,
    CHAMPION_DRAFT,
    EYEBALL,
    HEART,
    MEDUSA,
    MEDUSA_DRAFT,
    OVER,
    PLACE,
    RESPOND,
    ROTATE,
    SECTION,
    SNAKEHEAD,
    can_grow,
    free_directions,
    judge_reveal,
    longest_chain,
    lowest,
    open_end,
    open_ends,
    redeal,
    respond,
    rotations,
    settle,
)

# What is good for Medusa, in hundredths of a per cent of a won game.
WIN = 10_000
IN_PLAY = np.array([0, 900, 2_600, 5_000, 5_000, 5_000, 5_000], np.int16)  # Snakeheads in play; a captured one counts against her
STONE = np.array([7_000, 2_600, 0], np.int16)  # by standing Hearts that beat
STARES = np.array([0, 900, 2_600, 7_000, 7_000, 7_000, 7_000], np.int16)  # by Eyeballs in play, where three of them petrify
STONE_RESERVE = 700
ENDS = np.array([-9_000, -3_600, -1_800, -900, -400, -150, 0, 80, 150], np.int16)  # by open ends
REACH = np.array([0, 150, 700, 2_400], np.int16)  # by the longest row of Sections

# The last spare record's story is a notebook. A row for each kind with these columns, and below a row for each kind with
# the worth of each answer.
UNMATCHED, MATCHED, STATE, ODDS, BEST = 0, 1, 2, 3, 4
OUT, GUARDED, FREE = 0, 1, 2  # STATE: not in hand, its weapon is there, its weapon is gone
FINE = 1 << 20


@rule
def greedy(s, moves, count, scratch):
    """Choose one of moves[0..count-1] for the player on turn, knowing only what that player knows."""
    if s.phase == ROTATE:
        return medusa_rotates(s, moves, count, scratch)
    if s.to_move == MEDUSA:
        return medusa_chooses(s, moves, count, scratch)
    redeal(s, CHAMPION)  # he imagines one hand that she might hold, likelier ones more often
    return champion_equips(s) if s.phase == CHAMPION_DRAFT else champion_answers(s, scratch)


# ---- Judging a position ----------------------------------------------------------------------------------------------


@rule
def worth(t):
    """How good a position is for Medusa."""
    if t.phase == OVER:
        return WIN if t.winner == MEDUSA else -WIN if t.winner == CHAMPION else 0
    row = longest_chain(t, True)
    ends = open_ends(t, False, 8)
    value = IN_PLAY[t.heads] - IN_PLAY[t.captured] + REACH[min(row, 3)] + ENDS[ends]
    value += STARES[t.hits] if t.petrify == 1 else STONE[min(t.live, 2)] + STONE_RESERVE * (1 - t.reserve)
    if t.phase == PLACE and t.turn == 1:  # a kind whose weapon is gone is a certain mismatch now
        best = 0
        for kind in range(KINDS):
            if t.hand[kind] > 0 and t.equip[min(kind, SECTION)] == 0:
                best = max(best, threat(t, kind, row, ends))
        value += best // 2
    return value


@rule
def threat(t, kind, row, ends):
    """What an unmatched tile of a kind would bring Medusa, roughly, with such a row of Sections and so many open ends."""
    if kind >= SECTION:
        return 700 if ends > 2 else 1_700
    if row >= 3:
        return WIN
    if kind == SNAKEHEAD:
        return WIN if t.heads == 2 else IN_PLAY[t.heads + 1] - IN_PLAY[t.heads]
    if t.petrify == 1:
        return WIN if t.hits == 2 else STARES[t.hits + 1] - STARES[t.hits]
    if t.drafted == HEART and t.reserve == 1:
        return STONE_RESERVE
    return WIN if t.live == 1 else STONE[1]


@rule
def outcome(s, scratch, kind, cell, gear, direction):
    """The worth of what becomes of a tile of that kind on a space, answered like this: found out by playing it."""
    scratch[0] = s
    t = scratch[0]
    if t.fd_kind >= 0:
        t.hand[t.fd_kind] += 1
    t.hand[kind] = max(t.hand[kind] - 1, 0)
    t.equip[gear] = max(t.equip[gear], 1)
    t.fd_kind = kind
    t.fd_cell = cell
    t.phase = RESPOND
    respond(t, gear, direction if direction >= 0 else lowest(free_directions(t)))
    if t.phase == ROTATE:
        settle(t, lowest(rotations(t, cell, kind)))
    judge_reveal(t)
    return worth(t)


# ---- The matching game -----------------------------------------------------------------------------------------------


@rule
def solve(pad):
    """The value of the matching game in the notebook, and in ODDS how often Medusa should play each kind.

    She gets `a` for a kind unmatched and `b` matched. With g = a - b, the Champion guards each kind just so often that all
    kinds worth playing bring the same v: (a - v) / g of the time, which adds up to 1; Medusa plays them as 1 / g.
    """
    safe = -2 * WIN
    guarded = 0
    for kind in range(KINDS):
        pad.story[kind, ODDS] = 0
        if pad.story[kind, STATE] == GUARDED and pad.story[kind, UNMATCHED] > pad.story[kind, MATCHED]:
            guarded |= 1 << kind
        elif pad.story[kind, STATE] != OUT:
            safe = max(safe, pad.story[kind, UNMATCHED])
    value = -2 * WIN
    while guarded != 0:
        least = 2 * WIN
        weights = 0
        total = -FINE
        for kind in range(KINDS):
            if guarded >> kind & 1:
                weight = FINE // (pad.story[kind, UNMATCHED] - pad.story[kind, MATCHED])
                weights += weight
                total += weight * pad.story[kind, UNMATCHED]
                least = min(least, pad.story[kind, UNMATCHED])
        value = total // weights
        if value <= least:
            break
        for kind in range(KINDS):  # the least is not worth playing
            if guarded >> kind & 1 and pad.story[kind, UNMATCHED] == least:
                guarded ^= 1 << kind
    for kind in range(KINDS):
        if value >= safe and guarded >> kind & 1:
            pad.story[kind, ODDS] = 2_000_000 // (pad.story[kind, UNMATCHED] - pad.story[kind, MATCHED] + 100)
        elif value < safe and pad.story[kind, STATE] != OUT and pad.story[kind, UNMATCHED] == safe:
            pad.story[kind, ODDS] = 1
    return max(value, safe)


@rule
def draw_lot(s, pad, column):
    """A kind by its odds in a column of the notebook, or -1 if there are none."""
    total = 0
    for kind in range(KINDS):
        total += pad.story[kind, column]
    if total == 0:
        return -1
    lot = rand(s, total)
    kind = 0
    while lot >= pad.story[kind, column]:
        lot -= pad.story[kind, column]
        kind += 1
    return kind


# ---- Medusa ----------------------------------------------------------------------------------------------------------


@rule
def medusa_chooses(s, moves, count, scratch):
    """Place where the matching game is best for her, a kind by its odds; draft the kind that makes the best hand for it."""
    pad = scratch[2]
    drafting = s.phase == MEDUSA_DRAFT
    for kind in range(KINDS):
        pad.story[kind, BEST] = -2 * WIN if drafting else 0
        if drafting and kind < 3:
            s.equip[kind] = 1
    space = 0
    top = -4 * WIN
    for tile in range(s.n_tiles):
        if can_grow(s, tile):
            for side in range(SIDES[s.grid]):
                cell = open_end(s, tile, side, True)
                if cell >= 0:
                    weigh(s, scratch, cell, drafting)
                    if drafting:
                        note_hands(s, pad)
                    else:
                        value = solve(pad) + rand(s, 100)
                        if value > top:
                            top = value
                            space = cell
                            for kind in range(KINDS):
                                pad.story[kind, BEST] = pad.story[kind, ODDS]
    if drafting:
        return best_draft(s, moves, count, pad)
    return ACTIONS.place + LAST_SPACE * draw_lot(s, pad, BEST) + space - 1


@rule
def weigh(s, scratch, cell, drafting):
    """Note what each kind in hand, or in a draft each kind at all, is worth on this space, unmatched and matched."""
    pad = scratch[2]
    for kind in range(KINDS):
        pad.story[kind, STATE] = OUT
        if s.hand[kind] > 0 or (drafting and kind <= SECTION):
            guard = min(kind, SECTION)
            pad.story[kind, STATE] = GUARDED if s.equip[guard] > 0 else FREE
            for column in range(2):
                gear = other_weapon(s, guard) if column == UNMATCHED else guard
                pad.story[kind, column] = outcome(s, scratch, kind, cell, gear, -1)


@rule
def other_weapon(s, guard):
    """A weapon that does not match, if possible one that the Champion still has."""
    first = (guard + 1) % 3
    return first if s.equip[first] > 0 else (guard + 2) % 3


@rule
def note_hands(s, pad):
    """For each kind that might be drafted: the value of the matching game with it, if better than on spaces before."""
    for extra in range(KINDS):
        for kind in range(KINDS):
            pad.story[kind, STATE] = GUARDED if s.hand[kind] > 0 or kind == extra else OUT
        if extra <= SECTION or s.hand[extra] > 0:
            pad.story[extra, BEST] = max(pad.story[extra, BEST], solve(pad))


@rule
def best_draft(s, moves, count, pad):
    """The kind that makes the best hand: worth much, and hard to guess next to what she holds."""
    best = moves[0]
    top = -4 * WIN
    for n in range(count):
        value = pad.story[moves[n] - ACTIONS.draft, BEST] + rand(s, 150)
        if value > top:
            top = value
            best = moves[n]
    return best


@rule
def medusa_rotates(s, moves, count, scratch):
    """The rotation that leaves the best position."""
    best = moves[0]
    top = -4 * WIN
    for n in range(count):
        scratch[0] = s
        settle(scratch[0], moves[n] - ACTIONS.rotate)
        judge_reveal(scratch[0])
        value = worth(scratch[0]) + rand(s, 20)
        if value > top:
            top = value
            best = moves[n]
    return best


# ---- The Champion ----------------------------------------------------------------------------------------------------


@rule
def champion_equips(s):
    """A second weapon, or the Heart, the likelier the worse it would be to lack it in the second turn."""
    row = longest_chain(s, True)
    ends = open_ends(s, False, 8)
    odds = 0
    total = 0
    for gear in range(4):
        kind = EYEBALL if gear == HEART else gear
        need = threat(s, kind, row, ends) // 100
        if s.hand[kind] == 0:
            need //= 4
        weight = 1 + need * need // 20
        if gear == HEART and (s.reserve == 0 or s.petrify == 1):
            weight = 0
        odds |= weight << 15 * gear
        total += weight
    lot = rand(s, total)
    gear = 0
    while lot >= (odds >> 15 * gear & 32_767):
        lot -= odds >> 15 * gear & 32_767
        gear += 1
    return ACTIONS.equip + gear


@rule
def champion_answers(s, scratch):
    """Guard each kind she may have played as often as it deserves; against kinds without a weapon, lose as little as possible."""
    pad = scratch[2]
    directions = 0
    spare = 0
    top = 8 * WIN
    for gear in range(3):
        if s.equip[gear] > 0:
            direction = best_direction(s, scratch, gear)
            directions |= direction << 3 * gear
            total = rand(s, 50)
            for kind in range(KINDS):
                total += pad.story[KINDS + kind, gear]
            if total < top:
                top = total
                spare = gear
    note_answers(s, pad)
    kind = draw_lot(s, pad, ODDS)
    gear = min(kind, SECTION) if kind >= 0 else spare
    return ACTIONS.respond + 7 * gear + (directions >> 3 * gear & 7)


@rule
def best_direction(s, scratch, gear):
    """Where this answer hurts Medusa most; its worth against each kind goes into the lower half of the notebook."""
    pad = scratch[2]
    free = free_directions(s)
    matters = s.turn == 0 or s.soft_block == 1  # in the second turn the tile is taken back at once
    best = 0
    top = 8 * WIN
    for step in range(8):  # the last step looks at the best direction once more
        direction = step if step < 7 else best
        if free >> direction & 1:
            value = rand(s, 50)
            for kind in range(KINDS):
                pad.story[KINDS + kind, gear] = 0
                if (matters or step == 7) and (s.hand[kind] > 0 or s.fd_kind == kind):
                    pad.story[KINDS + kind, gear] = outcome(s, scratch, kind, s.fd_cell, gear, direction)
                    value += pad.story[KINDS + kind, gear]
            if value < top and step < 7:
                top = value
                best = direction
    return best


@rule
def note_answers(s, pad):
    """How often to answer with the weapon against each kind: (a - v) / g of the time, see `solve`."""
    for kind in range(KINDS):
        guard = min(kind, SECTION)
        pad.story[kind, STATE] = OUT
        if s.hand[kind] > 0 or s.fd_kind == kind:
            pad.story[kind, STATE] = GUARDED if s.equip[guard] > 0 else FREE
            pad.story[kind, UNMATCHED] = pad.story[KINDS + kind, other_weapon(s, guard)]
            pad.story[kind, MATCHED] = pad.story[KINDS + kind, guard] if s.equip[guard] > 0 else 0
    value = solve(pad)
    for kind in range(KINDS):
        pad.story[kind, ODDS] = 0
        gain = pad.story[kind, UNMATCHED] - pad.story[kind, MATCHED]
        if pad.story[kind, STATE] == GUARDED and gain > 0 and pad.story[kind, UNMATCHED] > value:
            pad.story[kind, ODDS] = 1 + 10_000 * (pad.story[kind, UNMATCHED] - value) // gain
