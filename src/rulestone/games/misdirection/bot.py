"""The `greedy` bot: aims its own tile at the centre or at launch cells, and turns away opponents who point at the centre.

Values are whole numbers, so that they are the same in every mode: UNIT is a certain hit of the centre with the next roll.
"""

from rulestone.kernel import rand, rule

from .content import AIM, CELLS, CENTRE, CORNER, DISTANCE, NEXT, RANGE, SEAT, SEATS
from .rules import ACTIONS, BLANK, FACE_UNKNOWN, NONE, POST, arrow, heading, in_play, kind_at, may_rot_cw, redeal, seat_to_move

UNIT = 30_000  # 5000 for each of the six numbers of the die
SHOT, ALMOST, MISFIT, UNSEEN = 5 * 170, 5 * 60, 5 * 20, 5 * 60  # landing on a launch cell: aligned, needs turning, wrong class, face down
PLAIN, FARTHER = 5 * 30, 5 * 3  # landing anywhere else: this, less for each step from the centre
TURNING, TELEPORTING = UNIT // 100, UNIT // 50  # what a rotation and a teleport cost
GOOD_SHOT, WEAK = 16 * UNIT // 100, UNIT // 10
BLOCKING = 1  # 0: it never turns an opponent's tile
PATIENCE = 0  # in a series a win brings a point for each face-up tile: with fewer than this many, it doesn't shoot
REMEMBER = 100  # percent: how likely it remembers an arrow under a token; otherwise it assumes a random quarter turn


@rule
def greedy(s, moves, count, scratch):
    """The move to play: the best for its own token, unless an opponent has to be turned away."""
    if count == 1:
        return moves[0]
    if s.covered_view == BLANK or is_covered(s):  # it doesn't know the covered arrows either, so it guesses them
        redeal(s, s.to_move)
    elif REMEMBER < 100:
        forget(s)
    if s.phase == POST:
        return after_moving(s)
    return before_moving(s, moves, count)


@rule
def is_covered(s):
    """Q35: is the arrow under some token hidden, as at a table that plays from memory?"""
    for player in range(s.players):
        if s.face[s.pos[SEAT[s.players, player]]] == FACE_UNKNOWN:
            return True
    return False


@rule
def forget(s):
    """R12: players must remember the arrows under tokens. The bot may have forgotten each one: it assumes a random quarter turn."""
    for seat in range(SEATS):
        if in_play(s, seat) and s.pos[seat] < CELLS and s.face[s.pos[seat]] != 0 and rand(s, 100) >= REMEMBER:
            s.face[s.pos[seat]] = 1 + rand(s, 4)


@rule
def before_moving(s, moves, count):
    """Roll (or stay, Q26), aim its own tile first, or teleport, whichever is worth most; instead of a weak roll, block a threat."""
    cell = s.pos[seat_to_move(s)]
    rolling = value(s, cell, heading(s, cell))
    move = aim(s, cell, moves[0])
    best = value_of(s, cell, move)
    first = count
    while ACTIONS.teleport.includes(moves[first - 1]):
        first -= 1
    for k in range(first, count):
        there = ACTIONS.teleport.argument(moves[k])
        gain = 4 * value(s, there, heading(s, there)) // 5 - TELEPORTING
        if gain > best:
            best = gain
            move = moves[k]
    if BLOCKING and move == ACTIONS.roll() and rolling < WEAK:
        threat = lowest_threat(s)
        if threat != NONE and may_rot_cw(s, s.pos[threat]) == 0:
            return turn_away(s, s.pos[threat])
    return move


@rule
def after_moving(s):
    """Block the next opponent who points at the centre, unless aiming its own tile makes a good new shot."""
    cell = s.pos[seat_to_move(s)]
    move = aim(s, cell, ACTIONS.pass_())
    threat = next_threat(s)
    if BLOCKING and threat != NONE and may_rot_cw(s, s.pos[threat]) == 0:
        if not (value_of(s, cell, move) > GOOD_SHOT and value(s, cell, heading(s, cell)) < GOOD_SHOT):
            return turn_away(s, s.pos[threat])
    return move


@rule
def aim(s, cell, otherwise):
    """The best of leaving its own tile as it is (`otherwise`) and rotating it if that is legal; the first of equals."""
    move = otherwise
    if may_rot_cw(s, cell) == 0:
        best = value(s, cell, heading(s, cell))
        if value_of(s, cell, ACTIONS.rot_cw(cell)) > best:
            move = ACTIONS.rot_cw(cell)
            best = value_of(s, cell, move)
        if value_of(s, cell, ACTIONS.rot_ccw(cell)) > best:
            move = ACTIONS.rot_ccw(cell)
    return move


@rule
def value_of(s, cell, move):
    """What its own token on `cell` is worth after rolling, passing or rotating its tile."""
    way = heading(s, cell)
    if move == ACTIONS.rot_cw(cell):
        return value(s, cell, way + 2 & 7) - TURNING
    if move == ACTIONS.rot_ccw(cell):
        return value(s, cell, way + 6 & 7) - TURNING
    return value(s, cell, way)


@rule
def value(s, cell, way):
    """The average value of where a roll from `cell` ends, over the six numbers of the die, with the board as it is."""
    total = 0
    turned = False
    for _ in range(RANGE):
        if NEXT[cell, way] < 0:
            if turned or (s.face[cell] == 0 and kind_at(s, cell) != CORNER):
                return total
            turned = True
            way = arrow(s, cell)
            if NEXT[cell, way] < 0:
                return total
        cell = NEXT[cell, way]
        total += landing(s, cell)
    return total


@rule
def landing(s, cell):
    """What ending a roll there is worth."""
    if cell == CENTRE:
        return UNIT // RANGE if s.points >= PATIENCE else 0
    if AIM[cell] < 0:
        return PLAIN - FARTHER * DISTANCE[cell]
    if s.face[cell] == 0:
        return UNSEEN
    missing = heading(s, cell) - AIM[cell] & 7  # eighths of a turn
    if missing == 0:
        return SHOT
    return MISFIT if missing & 1 else ALMOST


@rule
def is_threat(s, seat):
    """Is this token on a launch cell and pointing at the centre?"""
    if not in_play(s, seat) or s.pos[seat] >= CELLS:
        return False
    cell = s.pos[seat]
    return AIM[cell] >= 0 and heading(s, cell) == AIM[cell]


@rule
def lowest_threat(s):
    """The threatening opponent with the lowest seat number."""
    for seat in range(SEATS):
        if seat != seat_to_move(s) and is_threat(s, seat):
            return seat
    return NONE


@rule
def next_threat(s):
    """The threatening opponent who comes first after the player on turn."""
    for k in range(1, s.players):
        seat = SEAT[s.players, (s.to_move + k) % s.players]
        if is_threat(s, seat):
            return seat
    return NONE


@rule
def turn_away(s, cell):
    """Rotate that tile, one way or the other."""
    return ACTIONS.rot_cw(cell) if rand(s, 2) == 0 else ACTIONS.rot_ccw(cell)


# ---- for search bots --------------------------------------------------------------------------------------------------

SEARCH = {"advice": 6}


@rule
def sensible(s, moves, count):
    """Keep rolling and passing, rotations under tokens and on launch cells within reach of a token, and good teleports."""
    if count <= 8:
        return count
    kept = 0
    best = 0
    for k in range(count):
        if ACTIONS.teleport.includes(moves[k]):
            cell = ACTIONS.teleport.argument(moves[k])
            best = max(best, value(s, cell, heading(s, cell)))
    for k in range(count):
        action = moves[k]
        if ACTIONS.teleport.includes(action):
            cell = ACTIONS.teleport.argument(action)
            keep = value(s, cell, heading(s, cell)) * 10 >= best * 9
        elif ACTIONS.rot_ccw.includes(action):
            keep = worth_turning(s, ACTIONS.rot_ccw.argument(action))
        elif ACTIONS.rot_cw.includes(action):
            keep = worth_turning(s, ACTIONS.rot_cw.argument(action))
        else:
            keep = True
        if keep:
            moves[kept] = action
            kept += 1
    return kept


@rule
def worth_turning(s, cell):
    """Is a token there, or is it a launch cell that a token can reach with its next roll?"""
    for seat in range(SEATS):
        if in_play(s, seat) and s.pos[seat] < CELLS:
            here = s.pos[seat]
            if here == cell:
                return True
            if AIM[cell] >= 0:
                way = heading(s, here)
                for _ in range(RANGE):
                    here = NEXT[here, way]
                    if here < 0:
                        break
                    if here == cell:
                        return True
    return False
