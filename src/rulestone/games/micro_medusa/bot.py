"""A quick opponent for both roles of Micro Medusa.

Each turn is a small matching game: Medusa picks a kind, the Champion a weapon. She wants a mismatch, the Champion a match. The bot
knows the value of ending a round with given Snakeheads, Hearts and open ends, looks ahead to that end, and mixes its choices by
odds that can't be exploited: a player who always does the "best" thing here can be read like a book.
"""

import numpy as np

from rulestone.kernel import lowest, rand, rule

from .content import (
    ACTIVE,
    BITS,
    CAPTURES_TO_WIN,
    CHAIN_TO_WIN,
    EYEBALLS_TO_WIN,
    HAND,
    KINDS,
    NEIGHBOUR,
    SHAPE,
    SIDES,
    SNAKEHEADS_TO_WIN,
)
from .rules import (
    ACTIONS,
    BESIDE_DIRECTION,
    CHAMPION,
    CHAMPION_DRAFT,
    EYEBALL,
    HEART,
    MEDUSA_DRAFT,
    NOWHERE,
    PLACE,
    RESPOND,
    ROTATE,
    SECTION,
    SNAKEHEAD,
    can_grow,
    first_to_close,
    free_directions,
    grower,
    held,
    imagine_hand,
    joined,
    open_end,
    rotations,
    settle,
    tile_on,
    turned,
)

# Medusa's chances at the end of a round: hundredths of log-odds, fitted to the outcomes of the bot's own games.
BASE = 136
IN_PLAY = np.array([0, 99, 248], np.int16)  # by Snakeheads in play
SEVERED = np.array([0, -43, -91], np.int16)  # by Snakeheads captured
BEATING = np.array([300, 117, 0, -59], np.int16)  # by standing Hearts left
IN_RESERVE = -56  # while the reserve Heart is alive
ENDS_LEFT = np.array([-600, -280, -196, -124, -82, -30, 0, 43, 63], np.int16)  # by open ends
ROW = np.array([0, 24, 49, 73], np.int16)  # by Sections in a row up to the deepest open end
TILES_LEFT = np.array([-900, -226, -196, -166, -153, -140, -128, -115, -99, -83, -64, -44, -22, 0], np.int16)  # by tiles in the stack
WIN, WORST = 1_000, 600
CHANCE = np.round(WIN / (1 + np.exp(np.arange(WORST, -WORST - 1, -1) / 100))).astype(np.int16)

# A position in one number: where its parts begin, four bits for each but the last.
HEADS, CAPTURED, HEARTS, RESERVE, BUFFER, DEPTH, ENDS = 0, 4, 8, 12, 16, 20, 24
WON, LOST = -1, -2
# A space in one number: Sections in a row up to it, ends that point at it, ends that a Section there would open.
CLOSES, OPENS = 4, 8
# A hand, or a set of weapons, in one number: four bits for each kind or for the weapon against it.
ONE = np.array([0x001, 0x010, 0x100], np.int16)
EQUIPPED = int(ACTIVE[:3] @ ONE)  # before the Champion drafts

# The notebook is a field of a spare record. Its upper rows hold what each kind gains against each weapon, and how often
# to play each kind and each weapon; below are running totals, then the value of each draft.
MIX, GUARD, TOTAL = 3, 4, 5
TOTALS, DRAFTS = 3, 6
REPEATS = 30  # this many times WIN still fits into the notebook


@rule
def greedy(s, moves, count, scratch):
    """Choose one of moves[0..count-1] for the player to move, using only what that player knows."""
    if s.phase == ROTATE:
        return medusa_rotates(s, moves, count, scratch)
    pad = scratch[0]
    depths = rows(s)
    if s.phase == MEDUSA_DRAFT:
        return medusa_drafts(s, moves, count, pad, position(s, depths))
    if s.phase == PLACE:
        return medusa_places(s, pad, depths)
    imagine_hand(s)
    if s.phase == CHAMPION_DRAFT:
        return champion_equips(s, moves, count, pad, position(s, depths))
    return champion_answers(s, pad, depths)


# ---- Reading the table -----------------------------------------------------------------------------------------------


@rule
def rows(s):
    """How many Sections in a row lead from Medusa's head to each tile, three bits per tile."""
    depths = 0
    for tile in range(1, s.n_tiles):
        if can_grow(s, tile):
            depth = 0
            for side in range(SIDES[s.grid]):
                other = joined(s, tile, side)
                if 0 <= other < tile:
                    depth = max(depth, depths >> 3 * other & 7)
            depths |= min(depth + 1, CHAIN_TO_WIN) << 3 * tile
    return depths


@rule
def position(s, depths):
    """What matters in the position, in one number."""
    ends = 0
    deepest = 0
    first = first_to_close(s)
    for tile in range(s.n_tiles):
        if can_grow(s, tile):
            for side in range(SIDES[s.grid]):
                if open_end(s, tile, side, False) >= 0:
                    ends += tile >= first
                    deepest = max(deepest, depths >> 3 * tile & 7)
    p = s.heads << HEADS | s.captured << CAPTURED | deepest << DEPTH | ends << ENDS
    if s.petrify == 1:
        return p | max(EYEBALLS_TO_WIN - s.hits, 1) << HEARTS
    return p | max(s.live, 1) << HEARTS | s.reserve << RESERVE | (s.reserve if s.drafted == HEART else 0) << BUFFER


@rule
def space_at(s, cell, depths):
    """What matters about a space, in one number."""
    depth = 0
    closes = 0
    first = first_to_close(s)
    for side in range(SIDES[s.grid]):
        tile = grower(s, cell, side)
        if tile >= 0:
            closes += tile >= first
            depth = max(depth, depths >> 3 * tile & 7)
    mask = turned(s, SECTION, lowest(rotations(s, cell, SECTION)))
    opens = 0
    for side in range(SIDES[s.grid]):
        if mask >> side & 1 and tile_on(s, NEIGHBOUR[s.grid, cell, side]) < 0:
            opens += 1
    return depth | closes << CLOSES | opens << OPENS


@rule
def some_space(s, p):
    """The deepest open end as a space, for plans made before a space is chosen."""
    return p >> DEPTH & 15 | 1 << CLOSES | BITS[SHAPE[s.grid, s.section, SECTION]] - 1 << OPENS


@rule
def hand_of(s):
    """Medusa's hand in one number."""
    hand = 0
    for kind in range(KINDS):
        hand += s.hand[kind] * ONE[min(kind, SECTION)]
    return hand


@rule
def equip_of(s):
    """The Champion's unused weapons in one number."""
    return s.equip[0] * ONE[0] + s.equip[1] * ONE[1] + s.equip[2] * ONE[2]


# ---- Looking ahead ---------------------------------------------------------------------------------------------------


@rule
def worth(s, p):
    """Medusa's chance of winning, out of WIN, if a round ends like this."""
    if p == WON:
        return WIN
    if p == LOST or (s.run_out == 0 and s.stack_n == 0):
        return 0
    score = BASE + IN_PLAY[min(p >> HEADS & 15, 2)] + SEVERED[min(p >> CAPTURED & 15, 2)] + ROW[min(p >> DEPTH & 15, 3)]
    score += ENDS_LEFT[min(p >> ENDS, 8)] + TILES_LEFT[min(s.stack_n, 13)]
    if s.hearts == 1 and s.petrify == 0:  # Q20: all Hearts beat again
        score += BEATING[2] + IN_RESERVE
    else:
        score += BEATING[min(p >> HEARTS & 15, 3)] + IN_RESERVE * (p >> RESERVE & 15)
    return CHANCE[min(max(score, -WORST), WORST) + WORST]


@rule
def after(s, p, kind, matched, space):
    """The position after a tile of this kind is matched, or not, on a space."""
    if kind == SNAKEHEAD and matched:
        return p + (1 << CAPTURED) if (p >> CAPTURED & 15) + 1 < CAPTURES_TO_WIN else LOST
    p -= (space >> CLOSES & 15) << ENDS
    if s.judged_first == CHAMPION and kind != SECTION and p >> ENDS == 0:
        return LOST
    if not matched:
        if kind == SECTION:
            p += space >> OPENS << ENDS
            row = min((space & 15) + 1, CHAIN_TO_WIN)
            if row == CHAIN_TO_WIN and s.chain == 1:
                return WON
            p += max(row - (p >> DEPTH & 15), 0) << DEPTH
        elif space & 15 == CHAIN_TO_WIN:
            return WON
        elif kind == SNAKEHEAD:
            p += 1 << HEADS
            if (p >> HEADS & 15) >= SNAKEHEADS_TO_WIN:
                return WON
        elif p >> BUFFER & 15:
            p -= (1 << BUFFER) + (1 << RESERVE)
        else:
            p -= 1 << HEARTS
            if (p >> HEARTS & 15) == 0:
                return WON
    return p if p >> ENDS > 0 else LOST


@rule
def second_turn(s, p, hand, equip):
    """Medusa's chances in the last turn of a round, with the hand and weapons that are left.

    Medusa gets `a` for an unmatched kind and `b` for a matched one. With g = a - b, the Champion guards each kind just often enough
    that all kinds are worth the same v: (a - v) / g of the time, which adds up to 1. A kind whose weapon is gone is worth a.
    """
    if p < 0 or hand == 0:
        return worth(s, p)
    value = 0
    weights = 0
    total = -(1 << 20)
    for kind in range(3):
        if hand >> 4 * kind & 15:
            unmatched = worth(s, after(s, p, kind, False, some_space(s, p)))
            matched = unmatched
            if equip >> 4 * kind & 15:
                matched = worth(s, after(s, p, kind, True, some_space(s, p)))
            value = max(value, matched)
            if unmatched > matched:
                weight = (1 << 20) // (unmatched - matched)
                weights += weight
                total += weight * unmatched
    return max(value, total // weights) if weights > 0 else value


@rule
def contest(s, pad, p, hand, equip, space, turn):
    """Work out a turn on a space: write how often to play each kind and each weapon into the notebook. Returns Medusa's chances."""
    for kind in range(3):
        pad._notes[kind, MIX] = 0
        pad._notes[kind, GUARD] = 0
        pad._notes[kind, TOTAL] = 0
        pad._notes[TOTALS, kind] = 0
        if hand >> 4 * kind & 15:
            for weapon in range(3):
                if equip >> 4 * weapon & 15:
                    then = after(s, p, kind, kind == weapon, space)
                    if turn == 0:
                        pad._notes[kind, weapon] = second_turn(s, then, hand - ONE[kind], equip - ONE[weapon])
                    else:
                        pad._notes[kind, weapon] = worth(s, then)
    return find_odds(pad, hand, equip)


@rule
def find_odds(pad, hand, equip):
    """Play the turn in the notebook over and over, each side choosing the best reply to everything the other has played so far."""
    for _ in range(REPEATS):
        kind = -1
        for row in range(3):
            if hand >> 4 * row & 15 and (kind < 0 or pad._notes[row, TOTAL] > pad._notes[kind, TOTAL]):
                kind = row
        pad._notes[kind, MIX] += 1
        weapon = -1
        for column in range(3):
            if equip >> 4 * column & 15:
                pad._notes[TOTALS, column] += pad._notes[kind, column]
                if weapon < 0 or pad._notes[TOTALS, column] < pad._notes[TOTALS, weapon]:
                    weapon = column
        pad._notes[weapon, GUARD] += 1
        for row in range(3):
            if hand >> 4 * row & 15:
                pad._notes[row, TOTAL] += pad._notes[row, weapon]
    value = WIN * REPEATS
    for column in range(3):
        if equip >> 4 * column & 15:
            value = min(value, pad._notes[TOTALS, column])
    return value // REPEATS


@rule
def draw_lot(s, pad, column):
    """A random kind, or weapon, by the odds in the notebook."""
    lot = rand(s, REPEATS)
    row = 0
    while lot >= pad._notes[row, column]:
        lot -= pad._notes[row, column]
        row += 1
    return row


# ---- Medusa ----------------------------------------------------------------------------------------------------------


@rule
def medusa_drafts(s, moves, count, pad, p):
    """The kind that makes the best hand, if need be with one more tile from the market."""
    hand = hand_of(s)
    for n in range(count):
        pad._notes[DRAFTS + n, 0] = 0
    for n in range(count):
        having = hand + ONE[min(ACTIONS.draft.argument(moves[n]), SECTION)]
        if held(s) + 1 >= HAND:
            pad._notes[DRAFTS + n, 0] = best_hand(s, pad, p, having)
        else:
            for m in range(n, count):
                value = best_hand(s, pad, p, having + ONE[min(ACTIONS.draft.argument(moves[m]), SECTION)])
                pad._notes[DRAFTS + n, 0] = max(pad._notes[DRAFTS + n, 0], value)
                pad._notes[DRAFTS + m, 0] = max(pad._notes[DRAFTS + m, 0], value)
    best = 0
    for n in range(count):
        pad._notes[DRAFTS + n, 0] += rand(s, 4)
        if pad._notes[DRAFTS + n, 0] > pad._notes[DRAFTS + best, 0]:
            best = n
    return moves[best]


@rule
def best_hand(s, pad, p, hand):
    """Medusa's chances in a round that begins with this hand, against the best draft of the Champion."""
    value = WIN
    for kind in range(3):
        if hand >> 4 * kind & 15:
            value = min(value, drafted_value(s, pad, p, hand, kind))
            if kind == EYEBALL and p >> RESERVE & 15:
                value = min(value, drafted_value(s, pad, p, hand, HEART))
    return value


@rule
def drafted_value(s, pad, p, hand, gear):
    """Medusa's chances in a round in which the Champion drafts this."""
    if gear == HEART:
        return contest(s, pad, p + ((s.petrify == 0) << BUFFER), hand, EQUIPPED, some_space(s, p), 0)
    return contest(s, pad, p, hand, EQUIPPED + ONE[gear], some_space(s, p), 0)


@rule
def medusa_places(s, pad, depths):
    """The space where the turn is best for Medusa, then a kind by its odds, so that the space doesn't give away the kind."""
    p = position(s, depths)
    hand = hand_of(s)
    equip = equip_of(s)
    cell = 0
    kind = 0
    value = 0
    last = -1
    top = -1
    for tile in range(s.n_tiles):
        if can_grow(s, tile):
            for side in range(SIDES[s.grid]):
                there = open_end(s, tile, side, True)
                if there >= 0:
                    space = space_at(s, there, depths)
                    if space != last:
                        value = 8 * contest(s, pad, p, hand, equip, space, s.turn)
                        last = space
                    chance = value + rand(s, 48)
                    if chance > top:
                        top = chance
                        cell = there
                        kind = draw_lot(s, pad, MIX)
    return ACTIONS.place(kind_in_hand(s, kind), cell)


@rule
def kind_in_hand(s, kind):
    """Kinds 3 and 4 are Sections too."""
    while s.hand[kind] == 0:
        kind += 1
    return kind


@rule
def medusa_rotates(s, moves, count, scratch):
    """The rotation that leaves the best position."""
    best = moves[0]
    top = -1
    for n in range(count):
        scratch[0] = s
        t = scratch[0]
        settle(t, ACTIONS.rotate.argument(moves[n]))
        value = 8 * worth(t, position(t, rows(t))) + rand(s, 16)
        if value > top:
            top = value
            best = moves[n]
    return best


# ---- The Champion ----------------------------------------------------------------------------------------------------


@rule
def champion_equips(s, moves, count, pad, p):
    """The draft that leaves Medusa the smallest chance. It is public, so there is no point in mixing."""
    hand = hand_of(s)
    best = moves[0]
    top = 8 * WIN + 40
    for n in range(count):
        value = 8 * drafted_value(s, pad, p, hand, ACTIONS.equip.argument(moves[n])) + rand(s, 40)
        if value < top:
            top = value
            best = moves[n]
    return best


@rule
def champion_answers(s, pad, depths):
    """A weapon by its odds, placed where it keeps Medusa from her deepest open ends."""
    cell = s.fd_cell
    s.fd_cell = NOWHERE  # the position before she placed it
    contest(s, pad, position(s, depths), hand_of(s), equip_of(s), space_at(s, cell, depths), s.turn)
    s.fd_cell = cell
    best = BESIDE_DIRECTION
    top = -1
    free = free_directions(s)
    for direction in range(SIDES[s.grid]):
        if free >> direction & 1:
            value = rand(s, 8)
            for side in range(SIDES[s.grid]):
                tile = grower(s, NEIGHBOUR[s.grid, cell, direction], side)
                if tile >= 0:
                    value += 8 + 8 * (depths >> 3 * tile & 7)
            if value > top:
                top = value
                best = direction
    gear = draw_lot(s, pad, GUARD) if equip_of(s) else HEART  # Q21
    return ACTIONS.respond(gear, best)


# ---- For search bots ---------------------------------------------------------------------------------------------------

SEARCH = {"trust": 0.9}


@rule
def suspect(s, viewer, scratch):
    """Guess the face-down tile of an imagined hand, by the odds with which Medusa would place each kind there."""
    if viewer == CHAMPION and s.phase == RESPOND:
        pad = scratch[0]
        cell = s.fd_cell
        s.hand[s.fd_kind] += 1
        s.fd_cell = NOWHERE  # the position before she placed it
        depths = rows(s)
        contest(s, pad, position(s, depths), hand_of(s), equip_of(s), space_at(s, cell, depths), s.turn)
        kind = kind_in_hand(s, draw_lot(s, pad, MIX))
        s.hand[kind] -= 1
        s.fd_kind = kind
        s.fd_cell = cell
