"""A quick opponent for both roles of Micro Medusa.

Each turn is a small matching game: Medusa picks a kind, the Champion a weapon; she wants a mismatch, he a match. The bot
knows what it is worth to stand at the end of a round with so many Snakeheads, Hearts and open ends, looks ahead to
there, and plays by the odds that nobody can exploit: whoever always does the "best" thing here is read like a book.
"""

import numpy as np

from rulestone.kernel import rand, rule

from .content import (
    BITS,
    CAPTURES_TO_WIN,
    CHAIN_TO_WIN,
    EYEBALLS_TO_WIN,
    KINDS,
    LAST_SPACE,
    NEIGHBOUR,
    SHAPE,
    SIDES,
    SNAKEHEADS_TO_WIN,
    TURNED,
)
from .rules import (
    ACTIONS,
    CHAMPION_DRAFT,
    EYEBALL,
    HEART,
    MEDUSA_DRAFT,
    PLACE,
    RESPOND,
    ROTATE,
    SECTION,
    SNAKEHEAD,
    can_grow,
    deal,
    free_directions,
    insert,
    joined,
    judge_reveal,
    lowest,
    open_cells,
    open_end,
    opposite,
    rotations,
    settle,
    tile_on,
    unseen_copies,
)

# ---- What a position is worth ------------------------------------------------------------------------------------------

# Medusa's chances at the end of a round, in hundredths of log-odds, fitted to the outcomes of the bot's own games.
BASE = 0
IN_PLAY = np.array([0, 60, 150], np.int16)  # by Snakeheads in play
SEVERED = np.array([0, -60, -150], np.int16)  # by Snakeheads captured
BEATING = np.array([250, 250, 0, -60], np.int16)  # by standing Hearts that beat
IN_RESERVE = -50  # the reserve Heart beats
ENDS_LEFT = np.array([-400, -250, -150, -80, -40, 0, 20, 40, 60], np.int16)  # by open ends
ROW = np.array([0, 20, 60, 150], np.int16)  # by the Sections in a row behind the deepest open end
TILES_LEFT = np.array([-400, -200, -150, -100, -80, -60, -40, -20, 0, 0, 0, 0, 0, 0], np.int16)  # by tiles in the stack
WIN, WORST = 10_000, 600
CHANCE = np.round(WIN / (1 + np.exp(np.arange(WORST, -WORST - 1, -1) / 100))).astype(np.int16)

# A position in one number: these are the places of its parts, each four bits wide but the last.
HEADS, CAPTURED, LIVES, RESERVE, BUFFER, DEPTH, ENDS = 0, 4, 8, 12, 16, 20, 24
WON, LOST = -1, -2
# A space in one number: Sections behind it, ends that point at it, ends that a Section there would open.
CLOSES, OPENS = 4, 8

REPEATS = 24
MIX, GUARD = 3, 4  # columns of the notebook beside the three weapons


@rule
def worth(s, p):
    """Medusa's chances out of WIN if a round ends like this."""
    if p == WON:
        return WIN
    if p == LOST or (s.run_out == 0 and s.stack_n == 0):
        return 0
    score = BASE + IN_PLAY[p >> HEADS & 15] + SEVERED[p >> CAPTURED & 15] + ROW[p >> DEPTH & 15]
    score += ENDS_LEFT[min(p >> ENDS, 8)] + TILES_LEFT[s.stack_n]
    if s.hearts == 1 and s.petrify == 0:
        score += BEATING[2] + IN_RESERVE
    else:
        score += BEATING[p >> LIVES & 15] + IN_RESERVE * (p >> RESERVE & 15)
    return CHANCE[min(max(score, -WORST), WORST) + WORST]


@rule
def after(s, p, kind, matched, space):
    """The position after a tile of a kind was matched, or not, on a space."""
    depth = space & 15
    p -= (space >> CLOSES & 15) << ENDS
    if kind == SNAKEHEAD and matched:
        p += (1 << CAPTURED) + ((space >> CLOSES & 15) << ENDS)
        return p if (p >> CAPTURED & 15) < CAPTURES_TO_WIN else LOST
    if kind == SECTION and not matched:
        p += (space >> OPENS) << ENDS
        deeper = min(depth + 1, CHAIN_TO_WIN)
        if deeper == CHAIN_TO_WIN and s.chain == 1:
            return WON
        if deeper > (p >> DEPTH & 15):
            p += (deeper - (p >> DEPTH & 15)) << DEPTH
    elif not matched:
        if depth >= CHAIN_TO_WIN:
            return WON
        if kind == SNAKEHEAD:
            p += 1 << HEADS
            if (p >> HEADS & 15) >= SNAKEHEADS_TO_WIN:
                return WON
        elif p >> BUFFER & 15:
            p -= (1 << BUFFER) + (1 << RESERVE)
        elif (p >> LIVES & 15) <= 1:
            return WON
        else:
            p -= 1 << LIVES
    return p if p >> ENDS > 0 else LOST


@rule
def second_turn(s, p, hand, equip):
    """The value of the last turn of a round: a matching game with what is left of hand and equipment.

    Medusa gets `a` for a kind unmatched and `b` matched. With g = a - b, the Champion guards each kind just so often that
    all kinds worth playing bring the same v: (a - v) / g of the time, which adds up to 1.
    """
    if p < 0 or hand == 0:
        return worth(s, p)
    space = (p >> DEPTH & 15) | 1 << CLOSES | (BITS[SHAPE[s.grid, s.section, SECTION]] - 1) << OPENS
    value = 0
    weights = 0
    total = -(1 << 20)
    for kind in range(3):
        if hand >> 4 * kind & 15:
            unmatched = worth(s, after(s, p, kind, False, space))
            if equip >> 4 * kind & 15:
                gain = unmatched - worth(s, after(s, p, kind, True, space))
                if gain > 0:
                    weights += (1 << 20) // gain
                    total += (1 << 20) // gain * unmatched
                    value = max(value, unmatched - gain)
                    continue
            value = max(value, unmatched)
    if weights > 0:
        value = max(value, total // weights)
    return value


@rule
def contest(s, pad, p, hand, equip, space, turn):
    """Solve the turn: the notebook gets Medusa's mix of kinds and the Champion's mix of weapons; returns her chances.

    Row by row the notebook holds what each kind brings against each weapon. The mixes come from playing it over and over,
    each side always doing what would have been best against all the other did so far.
    """
    for kind in range(3):
        pad.story[kind, MIX] = 0
        pad.story[kind, GUARD] = 0
        if hand >> 4 * kind & 15:
            for weapon in range(3):
                if equip >> 4 * weapon & 15:
                    then = after(s, p, kind, kind == weapon, space)
                    if turn == 0:
                        pad.story[kind, weapon] = second_turn(s, then, hand - (1 << 4 * kind), equip - (1 << 4 * weapon))
                    else:
                        pad.story[kind, weapon] = worth(s, then)
    value = 0
    for _ in range(REPEATS):
        best = -1
        top = -1
        for kind in range(3):
            if hand >> 4 * kind & 15:
                total = 0
                for weapon in range(3):
                    if equip >> 4 * weapon & 15:
                        total += pad.story[kind, weapon] * (1 + 3 * pad.story[weapon, GUARD])
                if total > top:
                    top = total
                    best = kind
        pad.story[best, MIX] += 1
        least = 1 << 30
        for weapon in range(3):
            if equip >> 4 * weapon & 15:
                total = 0
                for kind in range(3):
                    if hand >> 4 * kind & 15:
                        total += pad.story[kind, weapon] * pad.story[kind, MIX]
                if total < least:
                    least = total
                    best = weapon
        pad.story[best, GUARD] += 1
        value = least
    return value // REPEATS


@rule
def draw_lot(s, pad, column):
    """A row of the notebook by the odds in a column."""
    lot = rand(s, REPEATS)
    row = 0
    while lot >= pad.story[row, column]:
        lot -= pad.story[row, column]
        row += 1
    return row


# ---- Reading the table -------------------------------------------------------------------------------------------------


@rule
def rows(s):
    """How many Sections lie in a row from Medusa's head to each tile, three bits a tile."""
    depths = 0
    for tile in range(1, s.n_tiles):
        if can_grow(s, tile):
            depth = 0
            for side in range(SIDES[s.grid]):
                other = joined(s, tile, side)
                if 0 <= other < tile:
                    depth = max(depth, depths >> 3 * other & 7)
            depths |= min(depth + 1, 7) << 3 * tile
    return depths


@rule
def position(s, depths):
    """What matters in the position, in one number."""
    ends = 0
    deepest = 0
    for tile in range(s.n_tiles):
        if can_grow(s, tile):
            for side in range(SIDES[s.grid]):
                if open_end(s, tile, side, False) >= 0:
                    ends += 1
                    deepest = max(deepest, depths >> 3 * tile & 7)
    p = min(s.heads, 2) << HEADS | min(s.captured, 2) << CAPTURED | min(deepest, CHAIN_TO_WIN) << DEPTH | ends << ENDS
    if s.petrify == 1:
        return p | max(EYEBALLS_TO_WIN - s.hits, 1) << LIVES
    buffer = 1 if s.drafted == HEART else 0
    return p | max(s.live, 1) << LIVES | s.reserve << RESERVE | (buffer & s.reserve) << BUFFER


@rule
def space_at(s, cell, depths):
    """What matters about a space, in one number."""
    depth = 0
    closes = 0
    for side in range(SIDES[s.grid]):
        tile = tile_on(s, NEIGHBOUR[s.grid, cell, side])
        if tile >= 0 and can_grow(s, tile) and s.t_mask[tile] >> opposite(s, side) & 1:
            closes += 1
            depth = max(depth, depths >> 3 * tile & 7)
    mask = TURNED[s.grid, SHAPE[s.grid, s.section, SECTION], lowest(rotations(s, cell, SECTION))]
    opens = 0
    for side in range(SIDES[s.grid]):
        if mask >> side & 1 and tile_on(s, NEIGHBOUR[s.grid, cell, side]) < 0:
            opens += 1
    return min(depth, CHAIN_TO_WIN) | closes << CLOSES | opens << OPENS


@rule
def hand_of(s):
    """Medusa's hand in one number, four bits for each of the three kinds."""
    hand = 0
    for kind in range(KINDS):
        hand += s.hand[kind] << 4 * min(kind, SECTION)
    return hand


@rule
def equip_of(s):
    """The Champion's unused weapons in one number."""
    return s.equip[0] | s.equip[1] << 4 | s.equip[2] << 8


# ---- Decisions ---------------------------------------------------------------------------------------------------------


@rule
def greedy(s, moves, count, scratch):
    """Choose one of moves[0..count-1] for the player on turn, knowing only what that player knows."""
    if s.phase == ROTATE:
        return medusa_rotates(s, moves, count, scratch)
    pad = scratch[0]
    depths = rows(s)
    p = position(s, depths)
    if s.phase == MEDUSA_DRAFT:
        return medusa_drafts(s, moves, count, pad, p)
    if s.phase == PLACE:
        return medusa_places(s, pad, p, depths)
    imagine_hand(s)
    if s.phase == CHAMPION_DRAFT:
        return champion_equips(s, moves, count, pad, p)
    return champion_answers(s, pad, p, depths)


@rule
def deepest_space(s, p):
    """The space for which plans are made before one is chosen."""
    return (p >> DEPTH & 15) | 1 << CLOSES | (BITS[SHAPE[s.grid, s.section, SECTION]] - 1) << OPENS


@rule
def medusa_drafts(s, moves, count, pad, p):
    """The kind that makes the best hand: worth much, and hard to guess next to what she holds."""
    hand = hand_of(s)
    best = moves[0]
    top = -1
    for n in range(count):
        kind = min(moves[n] - ACTIONS.draft, SECTION)
        value = contest(s, pad, p, hand + (1 << 4 * kind), 0x111, deepest_space(s, p), 0) + rand(s, 100)
        if value > top:
            top = value
            best = moves[n]
    return best


@rule
def medusa_places(s, pad, p, depths):
    """The space where the turn is best for her, then a kind by its odds: so the space tells nothing about the kind."""
    hand = hand_of(s)
    equip = equip_of(s)
    cell = 0
    top = -1
    mix = 0
    last = -1
    value = 0
    for tile in range(s.n_tiles):
        if can_grow(s, tile):
            for side in range(SIDES[s.grid]):
                there = open_end(s, tile, side, True)
                if there >= 0:
                    space = space_at(s, there, depths)
                    if space != last:
                        value = contest(s, pad, p, hand, equip, space, s.turn)
                        last = space
                    chance = value + rand(s, 60)
                    if chance > top:
                        top = chance
                        cell = there
                        mix = draw_lot(s, pad, MIX)
    kind = mix
    while s.hand[kind] == 0:
        kind += 1
    return ACTIONS.place + LAST_SPACE * kind + cell - 1


@rule
def medusa_rotates(s, moves, count, scratch):
    """The rotation that leaves the best position."""
    best = moves[0]
    top = -1
    for n in range(count):
        scratch[0] = s
        t = scratch[0]
        settle(t, moves[n] - ACTIONS.rotate)
        value = worth(t, position(t, rows(t))) + rand(s, 20)
        if value > top:
            top = value
            best = moves[n]
    return best


@rule
def imagine_hand(s):
    """One hand that she might hold, a face-down tile included: what is known and perhaps any unseen tile."""
    unseen = 0
    count = 0
    for kind in range(KINDS):
        s.hand[kind] = s.known[kind]
        if s.secret == 1:
            copies = unseen_copies(s, kind, 1)
            unseen += copies << 8 * kind
            count += copies
    if count > 0:
        s.hand[deal(s, unseen, count)] += 1


@rule
def champion_equips(s, moves, count, pad, p):
    """What leaves Medusa the least chances."""
    hand = hand_of(s)
    best = moves[0]
    top = 2 * WIN
    for n in range(count):
        gear = moves[n] - ACTIONS.equip
        if gear == HEART:
            value = contest(s, pad, p + (1 << BUFFER), hand, 0x111, deepest_space(s, p), 0)
        else:
            value = contest(s, pad, p, hand, 0x111 + (1 << 4 * gear), deepest_space(s, p), 0)
        value += rand(s, 50)
        if value < top:
            top = value
            best = moves[n]
    return best


@rule
def champion_answers(s, pad, p, depths):
    """A weapon by its odds, onto the space where it keeps Medusa from growing most."""
    cell = s.fd_cell
    s.fd_cell = 255
    p = position(s, depths)
    contest(s, pad, p, hand_of(s), equip_of(s), space_at(s, cell, depths), s.turn)
    s.fd_cell = cell
    gear = draw_lot(s, pad, GUARD)
    free = free_directions(s)
    best = 0
    top = -1
    for direction in range(7):
        if free >> direction & 1:
            value = rand(s, 8)
            if direction < 6:
                there = NEIGHBOUR[s.grid, cell, direction]
                for side in range(SIDES[s.grid]):
                    tile = tile_on(s, NEIGHBOUR[s.grid, there, side])
                    if tile >= 0 and can_grow(s, tile) and s.t_mask[tile] >> opposite(s, side) & 1:
                        value += 8 + 8 * (depths >> 3 * tile & 7)
            if value > top:
                top = value
                best = direction
    return ACTIONS.respond + 7 * gear + best
