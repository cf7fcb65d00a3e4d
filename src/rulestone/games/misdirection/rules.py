"""misDIRECTION: race across 220 face-down tiles, rotate other people's arrows, hit the centre with an exact roll.

There are two kinds of numbers. A *seat* 0..3 is a colour and a corner: all fields and kinds use seats. A *player* 0..players-1
decides and is paid: `to_move` and `payoff`. They differ only with two players, where player 1 has seat 2 (Q40).
"""

import numpy as np

from rulestone.kernel import NOBODY, About, Actions, Events, Reasons, Record, list_if, lowest, option, rand, require, rule, u8, u16
from rulestone.kernel.piles import fill, pick
from rulestone.kernel.story import forget, room, tell

from . import content
from .content import CELLS, CENTRE, COVERED, HOME, IDENTITIES, KIND, NEXT, PLAYER, PRINTED, RANGE, SEAT, SEATS, TILE_SPACE, TILES

ARROW, AUTO_FLIP, OPPOSITE, ROLL_AGAIN, LOSE_TURN, TELEPORT, CORNER, MIDDLE = content.KINDS
PRE, POST, OVER, LANDED = 0, 1, 2, 3
DARK, LIGHT = 0, 1
QUARTERS, SIDES = ("clockwise", "counter-clockwise"), ("dark", "light")  # turns of a tile, sides of a disk
NONE = 255  # no seat; in `pos`: seat not in play
FACE_UNKNOWN = 5  # in views with covered_view=blank: face up, but nobody may see the arrow
OFF_BOARD, UNTOLD = -1, -2  # the end of a roll off the board, or (in views) one that nobody can know
MOST_DICE = 50  # Q25
STORY = 48  # events kept of one move
STORY_OF_CHAIN = 34  # Q25: this many of a long chain, and then its last roll
SERIES_TARGET = 200  # Q39: the suggested match is first to 200 points

# What options are compared with.
ANYWHERE, OWN_TELEPORT, AT_ONCE, DARK_DISK = 1, 2, 1, 1  # teleport_from, _when and _disk
USE, OWN, BUMP, GO_HOME, BLANK = 0, 1, 1, 1, 1  # opening_roll, rotate_occupied, corner_rule, corner_exit, covered_view


def longest_for(players, options):
    """Q41: a turn has at most 2 decisions, one more with rotations before and after moving (Q19, Q21) or a jump at once (Q26)."""
    twice = bool(options["double_rotation"] and options["autoflip_rotate"])
    return options["cap_turns"] * (2 + twice + (options["teleport_when"] == "at_once"))


ABOUT = About(
    title="misDIRECTION",
    min_players=2,
    max_players=4,
    default_players=4,
    longest=800,
    zero_sum=False,
    perfect_information=False,
    version=2,  # the option teleport_when (Q26); a bumped token uncovers an arrow, and the story shows it (Q35)
    story=STORY,
    minutes="20-40",
    seats=tuple(content.COLOURS),
    chairs={2: (0, 2)},
    summary="Race across 220 face-down tiles, rotate each other's arrows, and be the first to hit the centre with an exact roll.",
)

ACTIONS = Actions(roll=(), pass_=(), rot_cw=CELLS, rot_ccw=CELLS, teleport=CELLS)
ROT_CW = np.array([ACTIONS.rot_cw(cell) for cell in range(CELLS)], np.int16)

POINTS = ["1 point" if count == 1 else f"{count} points" for count in range(256)]
EVENTS = Events(
    names={
        "points": POINTS,
        "cell": content.CELL_NAMES,
        "dir": content.DIRECTIONS,
        "tile": content.TILE_NAMES,
        "way": QUARTERS,
        "side": SIDES,
    },
    rolls_off="{who:seat} rolls {die} to see who goes first. [R5]",
    starts="{who:seat} rolled the lowest number and goes first. [R5]",
    opens="{who:seat} opens with the {die} from the roll-off. [R6]",
    rolls="{who:seat} rolls {die}. [R21]",
    travels="{who:seat} moves {count} {way:dir} to {cell:cell}. [R10]",
    overshoots="{who:seat} passes over the centre: only an exact roll wins. [Q8]",
    uncovers_edge="At the edge {cell:cell} is turned over: {tile:tile}. {who:seat} just follows the arrow. [R17]",
    follows_edge="At the edge {who:seat} follows the arrow on {cell:cell}: {way:dir}. [R17]",
    follows_corner="At the corner {cell:cell} {who:seat} follows the printed arrow: {way:dir}. [Q11]",
    lost_at_corner="{who:seat} runs off the board at the corner {cell:cell} and goes home. Their turn is over. [Q11]",
    lost_at_edge="{who:seat} runs off the board again at {cell:cell} and goes home. Their turn is over. [R19]",
    bumps="{who:seat} lands on {cell:cell} and sends {victim:seat} home. [R15]",
    turns_over="{cell:cell} is turned over: {tile:tile}. [R11]",
    will_head="{who:seat} will move {way:dir} next turn. [R12]",
    will_head_opposite="Opposite! {who:seat} will move {way:dir} next turn. [R26]",
    auto_flip="Auto flip! {who:seat} flips their disk to {side:side}. [R27]",
    lose_turn="Lose Turn! {victim:seat} will miss a turn. [R28]",
    roll_again="Roll Again! {who:seat} gets another roll. [R30]",
    rolls_on="{who:seat} keeps rolling: {dice} rolls so far, and now on {cell:cell}. [Q25]",
    rolled_enough="{who:seat} has rolled 50 times in one turn, so this Roll Again is ignored. [Q25]",
    teleports="{who:seat} teleports to {cell:cell}. [R29]",
    turns_free="{who:seat} rotates the tile at {cell:cell} {way:way}. [R23]",
    turns_own="{who:seat} rotates the tile at {cell:cell} under their own token {way:way}. [R23]",
    turns_under="{who:seat} rotates the tile at {cell:cell} under {victim:seat} {way:way}. [R23]",
    flips_disk="{who:seat} flips their disk to {side:side}. [R24]",
    passes="{who:seat} passes the die on. [R24]",
    misses="{who:seat} misses this turn. [R28]",
    wins="{who:seat} hits the centre exactly and wins {points:points}, one for each face-up tile. [R16]",
    draw="The last turn is over and nobody has hit the centre: it's a draw. [Q41]",
    stays="{who:seat} stays put instead of teleporting. [Q26]",
)

REASONS = Reasons(
    over="The game is over. [R16]",
    moved="You've already moved. Rotate a tile, or pass the die on. [R22]",
    unmoved="You can't pass yet: roll or teleport first. [Q31]",
    no_tile="There's no tile to rotate on the corners and the centre. [Q17]",
    opening="Make the opening move first. You can rotate a tile afterwards. [R6]",
    rotated="You've already rotated a tile this turn. Now roll or teleport. [Q19]",
    dark="Your disk is dark, so you can only rotate a tile after moving. [R22]",
    face_down="That tile is still face down. You can only rotate tiles that have been turned over. [R23]",
    taken="In this game you can't rotate tiles under other players' tokens. [Q18]",
    replaced="You've already moved. You can only teleport instead of rolling. [Q30]",
    roll_off="You make the opening move with your number from the roll-off, so you can't teleport. [Q30]",
    light="In this game you can only teleport while your disk is dark. [Q29]",
    not_own="Your token isn't on a Teleportation tile of your own colour. [Q26]",
    not_in_play="Your token isn't on a Teleportation tile of a colour in play. [Q26]",
    there="Your token is already there. [Q27]",
    at_once="In this game you can only teleport right after landing. [Q26]",
    landed="You've just landed. Teleport first, or pass to stay where you are. [Q26]",
    no_goal="You can only teleport to a face-up Teleportation tile of your own colour. [Q27]",
)


class State(Record):
    """The board of 15 x 15 cells, cell = 15 * row + column. Arrays of 4 are by seat."""

    tile: u8[CELLS]  # as printed: 8 * kind + direction; corners 8 * 12 + arrow; centre 104. Views: 255 unknown, 128 + kind covered
    face: u8[CELLS].within(0, 5)  # 0 face down (corners, centre too), else face up after face - 1 clockwise quarter turns. Views: 5 covered
    pos: u8[SEATS].each_seat.within(0, CELLS - 1, 255)  # cell of each token, 255 = seat not in play
    light: u8[SEATS].each_seat.within(0, 1)  # disk: 0 dark, 1 light
    lose: u8[SEATS].each_seat  # turns to miss
    phase: u8.within(0, 3)  # 0 PRE before roll or teleport, 1 POST may rotate after moving, 2 OVER, 3 LANDED may teleport at once (Q26)
    rotated: u8.within(0, 1)  # 1 if the player on turn has rotated in this turn
    start_light: u8.within(0, 1)  # the disk of the player on turn when the turn began
    opening: u8  # roll-off number that the first player still has to use, else 0
    turn: u16  # number of the current turn; missed turns do not count
    first: u8.seat()  # starting seat
    rolloff: u8[SEATS].each_seat  # each seat's last number in the roll-off, 0 = seat not in play
    last_die: u8  # the last number moved
    winner: u8.seat(255)  # seat, 255 = nobody
    points: u8  # face-up tiles
    unseen: u8[IDENTITIES]  # scratch space of dealing, zero between moves
    arrows: u8 = option(
        "eight",
        ("eight", "orthogonal"),
        "which way the arrows on the tiles point: in all eight directions, or never diagonally (Q2)",
        title="Arrows",
        labels=("eight directions", "never diagonally"),
    )
    opening_roll: u8 = option(
        "use",
        ("use", "fresh"),
        "the first player's first move: with the number from the roll-off, or with a new roll (Q5)",
        labels=("the roll-off counts", "a new roll"),
    )
    teleport_from: u8 = option(
        "any_teleport",
        ("any_teleport", "anywhere", "own_teleport"),
        "where your token must be for you to teleport (Q26)",
        labels=("on any Teleport", "anywhere", "on your own Teleport"),
    )
    teleport_when: u8 = option(
        "next_turn",
        ("next_turn", "at_once"),
        "when you may teleport: instead of a later roll, or right after landing (Q26)",
        labels=("instead of a later roll", "right after landing"),
    )
    teleport_disk: u8 = option(
        "any", ("any", "dark"), "which side your disk must show for you to teleport (Q29)", labels=("either side", "dark")
    )
    double_rotation: u8 = option(0, (0, 1), "whether you may rotate after moving even if you rotated before rolling (Q19)")
    autoflip_rotate: u8 = option(0, (0, 1), "whether a turn that starts with a light disk may end with a rotation (Q21)")
    rotate_occupied: u8 = option(
        "any",
        ("any", "own"),
        "which tiles you may rotate: any, or none under other players' tokens (Q18)",
        labels=("any", "none under others"),
    )
    corner_rule: u8 = option(
        "shared",
        ("shared", "bump"),
        "what happens in a corner: tokens share it, or a token that lands there sends visitors home (Q13)",
        labels=("tokens share it", "visitors go home"),
    )
    corner_exit: u8 = option(
        "arrow",
        ("arrow", "home"),
        "what happens if you leave the board at a corner: you follow its arrow, or go home (Q11)",
        labels=("follow its arrow", "go home"),
    )
    lose_stack: u8 = option(0, (0, 1), "whether turns to miss add up (Q24)")
    covered_view: u8 = option(
        "known",
        ("known", "blank"),
        "what is known of the arrows under tokens: all that everybody has seen, or nothing (Q35)",
        labels=("all that everybody has seen", "nothing"),
    )
    cap_turns: u16 = option(400, range(1, 60001), "the turn after which a game without a winner is a draw (Q41)")

    also = {"cur": "to_move", "n": "players"}  # noqa: RUF012


# ---- setup ------------------------------------------------------------------------------------------------------------------


@rule
def setup(s):
    """R1: corners and centre hold no tile. R2: tokens at home. R3: disks dark. R4: all tiles mixed, face down. R5-R7: roll-off."""
    for cell in range(CELLS):
        s.tile[cell] = PRINTED[cell]
    count_unseen(s)
    lay_unseen(s)
    for seat in range(SEATS):
        s.pos[seat] = HOME[seat] if in_play(s, seat) else NONE
    s.winner = NONE
    s.turn = 1
    s.first = roll_off(s)
    s.to_move = PLAYER[s.players, s.first]
    note(s, EVENTS.starts, s.first)
    if s.opening_roll == USE:  # R6, Q5
        s.opening = s.rolloff[s.first]


@rule
def roll_off(s):
    """R5: the lowest roll goes first. Q4: those who tie for lowest roll again, in seat order, until one is alone lowest."""
    rolling = 0
    for player in range(s.players):
        rolling |= 1 << SEAT[s.players, player]
    while rolling & (rolling - 1):
        least = RANGE + 1
        tied = 0
        for seat in range(SEATS):
            if rolling >> seat & 1:
                die = 1 + rand(s, RANGE)
                s.rolloff[seat] = die
                note(s, EVENTS.rolls_off, seat, die)
                if die < least:
                    least = die
                    tied = 0
                if die == least:
                    tied |= 1 << seat
        rolling = tied
    return lowest(rolling)


# ---- the turn ---------------------------------------------------------------------------------------------------------------


@rule
def apply(s, action):
    """R20-R24: one step of the turn, and everything that follows by itself. (The position may have been written by hand.)"""
    refresh(s)
    act(s, action)  # noqa: F821 (the kernel makes it)


@rule
def legal(s, out):
    """R20-R22, R29: before moving roll, perhaps rotate or teleport; after moving pass or rotate. (Faster than the kernel's own list.)"""
    if s.phase == OVER:
        return 0
    out[0] = ACTIONS.roll() if s.phase == PRE else ACTIONS.pass_()
    n = 1
    if may_rotate(s) == 0:
        if s.rotate_occupied == OWN:
            for cell in range(CELLS):
                n = list_if(may_rot_cw(s, cell), ROT_CW[cell], out, n)
        else:
            for cell in range(CELLS):  # no branch: a tile that isn't face up is overwritten by the next cell
                out[n] = ROT_CW[cell]
                n += s.face[cell] != 0
        tiles = n - 1
        for k in range(1, n):
            out[tiles + k] = ACTIONS.rot_ccw(ACTIONS.rot_cw.argument(out[k]))
        n += tiles
    if when_teleport(s) == 0:
        for cell in range(CELLS):
            if s.face[cell] != 0:
                n = list_if(may_teleport(s, cell), ACTIONS.teleport(cell), out, n)
    return n


@rule
def may_roll(s):
    """R21, Q31: once a turn, and always possible."""
    return 0 if s.phase == PRE else unless_over(s, REASONS.landed if s.phase == LANDED else REASONS.moved)


@rule
def do_roll(s):
    """R21: roll and move. R6: the starter moves the number of the roll-off. R30, Q25: Roll Again rolls the next die at once."""
    seat = seat_to_move(s)
    for dice in range(MOST_DICE):
        if dice > 0:
            note(s, EVENTS.roll_again, seat)
            if not room(s, STORY - STORY_OF_CHAIN):
                forget(s, STORY_OF_CHAIN)
                note(s, EVENTS.rolls_on, seat, dice, s.pos[seat])
        opens = s.opening > 0
        s.last_die = s.opening if opens else 1 + rand(s, RANGE)
        s.opening = 0
        note(s, EVENTS.opens if opens else EVENTS.rolls, seat, s.last_die)
        cell = travel(s, seat, s.pos[seat], s.last_die)
        if cell == OFF_BOARD:  # R19, Q12: no more rotation
            s.pos[seat] = HOME[seat]
            end_turn(s)
            return
        land(s, seat, cell)
        if cell == CENTRE:  # R16: at once. R31: a point for each face-up tile
            s.winner = seat
            tell(s, EVENTS.wins, seat, s.points)
            finish(s)
            return
        if kind_at(s, cell) != ROLL_AGAIN:
            break
        if dice == MOST_DICE - 1:
            tell(s, EVENTS.rolled_enough, seat)
    s.phase = LANDED
    if when_teleport(s) == 0:
        for goal in range(CELLS):
            if may_teleport(s, goal) == 0:
                return
    finish_move(s, seat)


@rule
def finish_move(s, seat):
    """R22: with a dark disk the player may rotate now. Otherwise the turn is over."""
    if s.light[seat] == DARK and may_end_rotating(s) and s.points > 0:
        s.phase = POST
    else:
        end_turn(s)


@rule
def may_pass(s):
    """R22, R24: after moving."""
    return unless_over(s, REASONS.unmoved if s.phase == PRE else 0)


@rule
def do_pass(s):
    """R22: no rotation after the move. R24: the disk stays as it is. Q26: a player who does not teleport at once may still rotate."""
    seat = seat_to_move(s)
    if s.phase == LANDED:
        note(s, EVENTS.stays, seat)
        finish_move(s, seat)
    else:
        note(s, EVENTS.passes, seat)
        end_turn(s)


@rule
def end_turn(s):
    """R7: clockwise. Q41: after the last turn a draw, before anybody misses one. R28, Q42: flagged players miss theirs."""
    s.turn += 1
    if s.turn > s.cap_turns:
        tell(s, EVENTS.draw)
        finish(s)
        return
    s.to_move = (s.to_move + 1) % s.players
    while s.lose[seat_to_move(s)] > 0:
        s.lose[seat_to_move(s)] -= 1
        note(s, EVENTS.misses, seat_to_move(s))
        s.to_move = (s.to_move + 1) % s.players
    s.phase = PRE
    s.rotated = 0
    s.start_light = s.light[seat_to_move(s)]


@rule
def unless_over(s, reason):
    """R16: a reason in a running game; after its end there is only one."""
    return REASONS.over if s.phase == OVER else reason


@rule
def seat_to_move(s):
    """The seat of the player on turn (Q40)."""
    return SEAT[s.players, s.to_move]


@rule
def in_play(s, seat):
    """Q40: two players sit on seats 0 and 2, three on seats 0, 1 and 2."""
    return PLAYER[s.players, seat] >= 0


# ---- rotating a tile --------------------------------------------------------------------------------------------------------


@rule
def may_rotate(s):
    """R20: before rolling with a light disk, once (Q19). R22: after moving. Q6: never before the opening move."""
    if s.phase != PRE:
        return unless_over(s, REASONS.landed if s.phase == LANDED else 0)
    if s.opening > 0:
        return REASONS.opening
    if s.rotated == 1:
        return REASONS.rotated
    return REASONS.dark if s.light[seat_to_move(s)] == DARK else 0


@rule
def may_end_rotating(s):
    """R22: can the turn end with a rotation if the disk is dark by then? Q19: one a turn. Q21: not in a turn begun light."""
    return (s.rotated == 0 or s.double_rotation == 1) and (s.start_light == 0 or s.autoflip_rotate == 1)


@rule
def may_rot_cw(s, cell):
    """R23, Q17: a face-up tile. Q18: any, or with `rotate_occupied=own` none under an opponent."""
    if PRINTED[cell] != TILE_SPACE:
        return REASONS.no_tile
    reason = may_rotate(s)
    if reason != 0:
        return reason
    if s.face[cell] == 0:
        return REASONS.face_down
    return REASONS.taken if s.rotate_occupied == OWN and opponent_on(s, cell) != NONE else 0


@rule
def rotate(s, way, cell):
    """R23: a quarter turn; the disk flips (R24). Before rolling the turn continues (R20), after moving it ends (R22)."""
    seat = seat_to_move(s)
    other = opponent_on(s, cell)
    s.face[cell] = (s.face[cell] + 2 * way) % 4 + 1
    s.rotated = 1
    if other != NONE:
        note(s, EVENTS.turns_under, seat, cell, other, way)
    else:
        note(s, EVENTS.turns_own if s.pos[seat] == cell else EVENTS.turns_free, seat, cell, way)
    s.light[seat] = DARK if s.phase == PRE else LIGHT
    note(s, EVENTS.flips_disk, seat, s.light[seat])
    if s.phase == POST:
        end_turn(s)


MAY = {"rot_ccw": (may_rot_cw,)}
DO = {"rot_cw": (rotate, 0), "rot_ccw": (rotate, 1)}


@rule
def opponent_on(s, cell):
    """The seat of an opponent whose token is there, or NONE."""
    for seat in range(SEATS):
        if s.pos[seat] == cell and seat != seat_to_move(s):
            return seat
    return NONE


# ---- moving -----------------------------------------------------------------------------------------------------------------


@rule
def kind_at(s, cell):
    """The kind of tile there (R25-R30)."""
    return KIND[s.tile[cell]]


@rule
def arrow(s, cell):
    """Where the arrow of a tile or corner points now: as printed, two eighths further for each quarter turn (R23)."""
    return s.tile[cell] + 2 * (s.face[cell] + 3 if s.face[cell] else 0) & 7


@rule
def heading(s, cell):
    """Where a token there will move. R8, Q14: a corner's printed arrow. R9: the tile's arrow. R26, Q22: Opposite reverses it."""
    return arrow(s, cell) + 4 & 7 if kind_at(s, cell) == OPPOSITE else arrow(s, cell)


@rule
def travel(s, seat, cell, die):
    """R10, Q7: straight on from a cell, one space per pip. R17, Q9: at the edge turn once. The last cell, or OFF_BOARD (R19).

    Asked of a view, where arrows may be hidden, it is UNTOLD if the way depends on one of them.
    """
    if s.tile[cell] >= COVERED:
        return UNTOLD
    way = heading(s, cell)
    turned = False
    leg = 0
    for pip in range(die):
        if NEXT[cell, way] == OFF_BOARD:
            if leg > 0:
                note(s, EVENTS.travels, seat, leg, way, cell)
            leg = 0
            if not turned:
                if s.corner_exit == GO_HOME and kind_at(s, cell) == CORNER:
                    note(s, EVENTS.lost_at_corner, seat, cell)
                    return OFF_BOARD
                if s.tile[cell] >= COVERED:
                    return UNTOLD
                turned = True
                way = turn_at_edge(s, seat, cell)
            if NEXT[cell, way] == OFF_BOARD:  # Q12: at once or later in this roll; the tile is not turned over
                note(s, EVENTS.lost_at_edge, seat, cell)
                return OFF_BOARD
        cell = NEXT[cell, way]
        leg += 1
        if cell == CENTRE and pip < die - 1:
            note(s, EVENTS.overshoots, seat)
    note(s, EVENTS.travels, seat, leg, way, cell)
    return cell


@rule
def turn_at_edge(s, seat, cell):
    """R17: the exit tile is turned over and its arrow followed. R18, Q9, Q15: nothing but the arrow. Q11: a corner's printed arrow."""
    if kind_at(s, cell) == CORNER:
        note(s, EVENTS.follows_corner, cell, seat, arrow(s, cell))
    elif s.face[cell] == 0:
        turn_over(s, cell)
        note(s, EVENTS.uncovers_edge, cell, s.tile[cell], seat)
    else:
        note(s, EVENTS.follows_edge, seat, cell, arrow(s, cell))
    return arrow(s, cell)


@rule
def turn_over(s, cell):
    """R11, R14: face up for the rest of the game, aligned with the top of the board."""
    s.face[cell] = 1
    s.points += 1


@rule
def land(s, seat, cell):
    """Q38: bump, turn the tile over, then its effect, except for further rolls.

    R15: a token on the tile goes home. Q13: none on a corner, or with `corner_rule=bump` all except its owner's.
    """
    if kind_at(s, cell) != CORNER or s.corner_rule == BUMP:
        for other in range(SEATS):
            if other != seat and s.pos[other] == cell and HOME[other] != cell:
                s.pos[other] = HOME[other]
                note(s, EVENTS.bumps, seat, cell, other)
    s.pos[seat] = cell
    if PRINTED[cell] != TILE_SPACE:
        return
    if s.face[cell] == 0:
        turn_over(s, cell)
        note(s, EVENTS.turns_over, cell, s.tile[cell])
    kind = kind_at(s, cell)
    if kind == AUTO_FLIP:
        s.light[seat] = 1 - s.light[seat]
        note(s, EVENTS.auto_flip, seat, s.light[seat])
    elif LOSE_TURN <= kind < LOSE_TURN + SEATS and in_play(s, kind - LOSE_TURN):  # R28, Q23: no matter who landed. Q40: not absent colours
        victim = kind - LOSE_TURN
        s.lose[victim] = min(s.lose[victim] * s.lose_stack + 1, 255)  # Q24: flag or counter
        note(s, EVENTS.lose_turn, victim)
    if kind != ROLL_AGAIN:  # a bumped token has uncovered the arrow, so everybody sees it (Q35)
        note(s, EVENTS.will_head_opposite if kind == OPPOSITE else EVENTS.will_head, seat, heading(s, cell))


# ---- teleporting ------------------------------------------------------------------------------------------------------------


@rule
def when_teleport(s):
    """R29, Q30: instead of rolling, not for the opening move; Q26: or at once after landing, from a Teleportation tile. Q29: perhaps
    only with a dark disk."""
    if s.phase != (LANDED if s.teleport_when == AT_ONCE else PRE):
        return unless_over(s, REASONS.at_once if s.teleport_when == AT_ONCE else REASONS.replaced)
    if s.opening > 0:
        return REASONS.roll_off
    seat = seat_to_move(s)
    if s.teleport_disk == DARK_DISK and s.light[seat] == LIGHT:
        return REASONS.light
    if s.teleport_from == ANYWHERE:
        return 0
    colour = kind_at(s, s.pos[seat]) - TELEPORT
    if s.teleport_from == OWN_TELEPORT:
        return 0 if colour == seat else REASONS.not_own
    return 0 if 0 <= colour < SEATS and in_play(s, colour) else REASONS.not_in_play  # Q40: absent colours are plain arrows


@rule
def may_teleport(s, cell):
    """Q27: to a face-up Teleportation tile of your own colour, except the one your token is on."""
    if s.face[cell] == 0 or kind_at(s, cell) != TELEPORT + seat_to_move(s):
        return REASONS.no_goal
    return REASONS.there if s.pos[seat_to_move(s)] == cell else 0


@rule
def do_teleport(s, cell):
    """R29, Q30: the token goes to that tile, without a die; the tile does nothing. Q28: a token there goes home."""
    seat = seat_to_move(s)
    note(s, EVENTS.teleports, seat, cell)
    land(s, seat, cell)
    finish_move(s, seat)


# ---- the end ----------------------------------------------------------------------------------------------------------------


@rule
def finish(s):
    """R16: at once. Q39: the winner gets +1, everybody else -1. Q41: a draw is 0 for all."""
    for player in range(s.players):
        s.payoff[player] = due(s, player)
    s.phase = OVER
    s.to_move = NOBODY


@rule
def due(s, player):
    """Q39: what a player gets at the end."""
    return 0 if s.winner == NONE else 1 if SEAT[s.players, player] == s.winner else -1


@rule
def note(s, event, a=0, b=0, c=0, d=0):
    """Tell what fits: of fifty Roll Again (Q25) the first and the last. Two rows stay free for the end of the chain and the game."""
    if room(s, 3):
        tell(s, event, a, b, c, d)


# ---- what is hidden (Q34) ---------------------------------------------------------------------------------------------------


@rule
def hide(s, viewer):
    """R4: nobody knows a face-down tile. Q35: with `covered_view=blank` nobody remembers the arrow under a token."""
    for cell in range(CELLS):
        if is_face_down(s, cell):
            s.tile[cell] = TILE_SPACE
    if s.covered_view == BLANK:
        cover(s, NOBODY)


@rule
def cover(s, but):
    """Q35: tiles under tokens show only their kind, not where their arrows point; player `but` still sees their own."""
    for player in range(s.players):
        cell = s.pos[SEAT[s.players, player]]
        if s.face[cell] > 0 and player != but:
            s.tile[cell] = COVERED + kind_at(s, cell)
            s.face[cell] = FACE_UNKNOWN


@rule
def redeal(s, viewer):
    """Any order of the tiles that are not face up is equally likely. Q35: first, any unseen tile of the right
    kind, rotated any way, is guessed under each token."""
    count_unseen(s)
    for player in range(s.players):
        cell = s.pos[SEAT[s.players, player]]
        if s.face[cell] != FACE_UNKNOWN:
            continue
        identity = 8 * kind_at(s, cell)
        s.face[cell] = 1 + rand(s, 4)
        s.tile[cell] = identity + rand(s, 8)
        found = pick(s, s.unseen, identity, identity + 8)
        if found >= 0:  # always, except in positions written by hand
            s.tile[cell] = found
            s.unseen[found] -= 1
    lay_unseen(s)


@rule
def count_unseen(s):
    """How many tiles of each printed identity are unseen: the whole set without those that are face up and uncovered."""
    for identity in range(IDENTITIES):
        s.unseen[identity] = TILES[s.arrows, identity]
    for cell in range(CELLS):
        if s.face[cell] > 0 and s.tile[cell] < IDENTITIES and s.unseen[s.tile[cell]] > 0:
            s.unseen[s.tile[cell]] -= 1


@rule
def lay_unseen(s):
    """R4: the unseen tiles are shuffled onto the face-down spaces, every order equally likely."""
    identity = 0
    for cell in range(CELLS):
        if is_face_down(s, cell):
            while s.unseen[identity] == 0:
                identity += 1
            s.tile[cell] = identity
            s.unseen[identity] -= 1
    for last in range(CELLS - 1, 0, -1):
        if is_face_down(s, last):
            other = rand(s, last + 1)
            while not is_face_down(s, other):
                other = rand(s, last + 1)
            s.tile[last], s.tile[other] = s.tile[other], s.tile[last]
    fill(s.unseen, 0, IDENTITIES, 0)


@rule
def is_face_down(s, cell):
    """R4: a tile space whose tile has not been turned over."""
    return s.face[cell] == 0 and PRINTED[cell] == TILE_SPACE


# ---- positions written by hand ------------------------------------------------------------------------------------------------


@rule
def refresh(s):
    """After fields were written by hand: count the face-up tiles (R31, Q36), and note the disk's side at the start of the turn.

    Before rolling, a disk is light only if it was light from the start, and a player who has rotated started light (R20).
    """
    count = 0
    for cell in range(CELLS):
        count += s.face[cell] != 0
    s.points = count
    if s.phase == OVER:
        s.to_move = NOBODY
    elif s.phase == PRE and s.to_move != NOBODY:
        s.start_light = s.light[seat_to_move(s)] == LIGHT or s.rotated == 1


# ---- for people -------------------------------------------------------------------------------------------------------------


def points(s, player):
    """R31, Q39: a player's points for a finished game, for matches over several games."""
    return int(s.points) if due(s, player) > 0 else 0


def next_seats(players):
    """Q39: between the games of a match everybody keeps their colour, because a new roll-off decides who begins."""
    return tuple(range(players))


def check(s):
    """What holds in every real game (R1-R4, R14, R31, Q24, Q40, Q41); raises BrokenInvariant."""
    left = TILES[s.arrows].tolist()  # R1, R4: the tiles are complete; corners and centre hold none
    for cell, name in enumerate(content.CELL_NAMES):
        if PRINTED[cell] == TILE_SPACE:
            require(s.face[cell] <= 4, f"face of {name} is {s.face[cell]}")
            require(s.tile[cell] < IDENTITIES and left[s.tile[cell]] > 0, f"tile {s.tile[cell]} at {name} is one too many")
            left[s.tile[cell]] -= 1
        else:
            require(s.tile[cell] == PRINTED[cell] and s.face[cell] == 0, f"there is a tile on {name}")
    require(s.points == sum(face > 0 for face in s.face), f"points are {s.points}, but that isn't the number of face-up tiles")
    for seat, cell in enumerate(s.pos):  # R2, R11, R15: tokens stand on corners and on face-up tiles, one on each
        if not in_play(s, seat):
            require((cell, s.light[seat], s.lose[seat], s.rolloff[seat]) == (NONE, 0, 0, 0), f"seat {seat} is not in play")
            continue
        require(cell < CELLS, f"token {seat} is off the board")
        require(cell != CENTRE or s.winner == seat, f"token {seat} is in the centre but hasn't won")  # R16
        if PRINTED[cell] == TILE_SPACE:
            require(s.face[cell] > 0, f"token {seat} is on the face-down tile {content.CELL_NAMES[cell]}")
            require(list(s.pos).count(cell) == 1, f"two tokens on {content.CELL_NAMES[cell]}")
        require(s.light[seat] <= 1 and 1 <= s.rolloff[seat] <= RANGE, f"seat {seat} has an impossible disk or roll-off number")
        require(s.lose_stack or s.lose[seat] <= 1, f"seat {seat} misses {s.lose[seat]} turns")
    over, won = s.phase == OVER, s.winner != NONE
    require(s.phase in (PRE, POST, OVER, LANDED), f"phase is {s.phase}")
    require(over == (s.to_move == NOBODY), f"phase {s.phase} does not fit to_move {s.to_move}")
    light = DARK if over else s.light[seat_to_move(s)]
    require(over or not won, "there is a winner in a running game")
    for player in range(s.players):
        require(s.payoff[player] == due(s, player), f"player {player} is paid {s.payoff[player]}, not {due(s, player)}")
    require(1 <= s.turn <= s.cap_turns + (over and not won), f"turn {s.turn} of {s.cap_turns}")
    require(0 <= s.opening <= RANGE and (s.opening == 0 or (s.turn == 1 and s.points == 0)), "an opening number after the opening move")
    require(s.first < SEATS and in_play(s, s.first), f"seat {s.first} can't have gone first")
    require(s.phase != POST or (light == DARK and s.points > 0), "POST without a dark disk or without a face-up tile")
    require(s.phase != PRE or s.start_light == (light or s.rotated), "the disk does not fit the start of the turn")
