"""What the lab measures in misDIRECTION beyond the usual: threats and shots, tiles, disks, the edge, how games are won.

The story uses seats, measures use players: see rules.py.
"""

from rulestone.kernel import rule
from rulestone.measures import Measures, choice, memory, number, ratio, tally, yes_no

from .content import AIM, CELL_NAMES, CELLS, CENTRE, CORNER, DIRECTIONS, DISTANCE, HOME, LOSE_TURN, PLAYER, ROLL_AGAIN, SEAT, SIDE, TELEPORT
from .rules import ACTIONS, EVENTS, LIGHT, NONE, OVER, POST, PRE, heading, in_play, kind_at, seat_to_move

TILES = ("Arrow", "Auto flip", "Opposite", "Roll Again", "Lose Turn, own", "Lose Turn, other", "Teleport, own", "Teleport, other")
LOSE_OWN, LOSE_OTHER, TELEPORT_OWN, TELEPORT_OTHER = 4, 5, 6, 7
SIDES, TURNED = ("light (before moving)", "dark (after moving)"), ("own tile", "under an opponent", "free tile")
EARLY = 5
"""Only landings in a player's first few turns are related to winning: later ones would only show how long the game was."""
EARLY_TILES = tuple(f"early_{tile.lower().replace(', ', '_').replace(' ', '_')}" for tile in TILES)
SEATS = 8  # places of a measure that each player has
BOARD = (SIDE, SIDE)
ON_BOARD = [f"tile-{cell}" for cell in range(CELLS)]  # the scene's names
ON_BOARD[CENTRE] = "centre"
for _seat, _home in enumerate(HOME):
    ON_BOARD[_home] = f"corner-{_seat}"
AWAY = int(DISTANCE[HOME[0]])

MEASURES = Measures(
    all_turns=number("turns", 400, seconds=30, says="A game takes {mean} turns."),
    points=number("points for a win (face-up tiles)", 220),
    ending=choice("how it ends", ("the centre is hit", "draw after the last turn")),
    hit=yes_no("somebody wins"),
    order=choice("place in the turn order", ("first", "second", "third", "fourth"), each=True),
    opening=number("opening number of the first player", 6, each=True),
    first_turn=yes_no("won in the player's first turn"),
    # Blocking.
    threats=number("turns that end with an arrow pointing at the centre", 100),
    parried=number("threats that are gone when the player's next turn comes", 100),
    parry_rate=ratio("share of threats blocked", of="parried", to="threats"),
    parries=tally("threats blocked by", ("rotating the tile", "sending the token home")),
    shots=number("rolls towards the centre", 100, says="Players take {mean} shots at the centre per game."),
    hit_rate=ratio("share of shots that hit", of="hit", to="shots"),
    chances=number("decisions with a possible shot at the centre", 100),
    declined=number("of these, shots given up by teleporting or rotating the player's own tile", 50),
    decline_rate=ratio("share of possible shots that were given up", of="declined", to="chances"),
    declined_own=number("shots at the centre given up", 20, each=True),
    scored=number("points scored", 220, each=True),
    blocks=number("tiles rotated under opponents", 30, each=True),
    self_turns=number("tiles rotated under their own token", 30, each=True),
    blocks_before=number("tiles rotated under opponents by the previous player", 30, each=True),
    blocks_behind=number("tiles rotated under opponents by the next player", 30, each=True),
    # Teleports, disks, tiles.
    rotations=tally("rotations by disk side and tile", [f"{side}, {tile}" for side in SIDES for tile in TURNED]),
    teleports=number("teleports", 20, each=True),
    teleport_win=yes_no("the winner teleported in their last three turns"),
    light_turns=number("turns started with a light disk", 400),
    dark_turns=number("turns started with a dark disk", 400),
    light_share=ratio("share of turns started with a light disk", of="light_turns", to="all_turns"),
    light_win=yes_no("won in a turn started with a light disk"),
    dark_win=yes_no("won in a turn started with a dark disk"),
    light_rate=ratio("chance of winning in a turn started with a light disk", of="light_win", to="light_turns"),
    dark_rate=ratio("chance of winning in a turn started with a dark disk", of="dark_win", to="dark_turns"),
    landed=tally("landings by tile", (*TILES, "corner", "centre")),
    **{name: yes_no(f"landed on {tile} (in the first {EARLY} turns)", each=True) for name, tile in zip(EARLY_TILES, TILES, strict=True)},
    missed=number("turns missed", 20, each=True),
    # Edge, corners and bumps.
    exits=number("times a token left the board", 100),
    corner_exits=number("of these, at a corner", 50),
    sent_home=tally("sent home by", ("a bump", "a second exit", "an exit at a corner")),
    bumps=number("bumps", 50),
    bumped=number("opponents sent home", 20, each=True),
    was_bumped=number("times sent home by a bump", 20, each=True),
    bump_steps=number("steps towards the centre lost to bumps", 400),
    bump_loss=ratio("steps lost per bump", of="bump_steps", to="bumps"),
    away=number("turns started on somebody else's corner", 50),
    away_share=ratio("share of turns started on somebody else's corner", of="away", to="all_turns"),
    # How games are won.
    ray=choice("direction of the winning move", DIRECTIONS),
    distance=number("length of the winning move", 6),
    launch=choice("tile the winning move starts from", (*TILES, "corner")),
    again_win=yes_no("won with a Roll Again roll"),
    turned_win=yes_no("won from a tile the winner had rotated while standing on it"),
    # Places.
    landings=tally("landings", CELL_NAMES, shape=BOARD, cells=ON_BOARD),
    shots_from=tally("shots at the centre", CELL_NAMES, shape=BOARD, cells=ON_BOARD),
    bumps_at=tally("bumps", CELL_NAMES, shape=BOARD, cells=ON_BOARD),
    face_up=tally("face up at the end", CELL_NAMES, shape=BOARD, cells=ON_BOARD),
    # What the rules below remember of the game so far.
    turn=memory(),
    own=memory(4),
    aimed=memory(4),
    turned=memory(4),
    teleported=memory(4),
    here=memory(),
    launched=memory(),
    dice=memory(),
    began_light=memory(),
    side=memory(),
)
FIRST_EARLY = MEASURES.place[EARLY_TILES[0]]


@rule
def opening(s, out):
    """The roll-off, and the first turn."""
    for player in range(s.players):
        out[MEASURES.order + player] = (player - s.to_move) % s.players
        out[MEASURES.opening + player] = s.rolloff[s.first] if player == s.to_move else -1
        out[MEASURES.teleported + player] = -9
        out[MEASURES.turned + player] = -1
    begin_turn(s, out)


@rule
def before(s, action, out):
    """Where the token is, and whether it gives up a shot at the centre (perhaps to win later for more points)."""
    seat = seat_to_move(s)
    cell = s.pos[seat]
    out[MEASURES.here] = cell
    out[MEASURES.side] = s.phase == POST
    if s.phase == PRE and s.opening == 0 and aims(s, seat):
        out[MEASURES.chances] += 1
        if ACTIONS.teleport.includes(action) or action == ACTIONS.rot_cw(cell) or action == ACTIONS.rot_ccw(cell):
            out[MEASURES.declined] += 1
            out[MEASURES.declined_own + s.to_move] += 1


@rule
def after(s, action, player, out):
    """The events of the move; then whether the turn is over."""
    if action == ACTIONS.roll():
        follow_roll(s, player, out)
    follow(s, player, out)
    if s.turn != out[MEASURES.turn]:
        out[MEASURES.aimed + player] = aims(s, SEAT[s.players, player])
        out[MEASURES.threats] += out[MEASURES.aimed + player]
        if s.to_move >= 0:
            begin_turn(s, out)


@rule
def finish(s, out):
    """Who hit the centre and how; which tiles are face up."""
    won = s.winner != NONE
    out[MEASURES.all_turns] = s.turn if won else s.cap_turns
    out[MEASURES.hit] = won
    out[MEASURES.ending] = 0 if won else 1
    for cell in range(CELLS):
        out[MEASURES.face_up + cell] = s.face[cell] != 0
    for player in range(s.players):
        out[MEASURES.blocks_before + player] = out[MEASURES.blocks + (player - 1) % s.players]
        out[MEASURES.blocks_behind + player] = out[MEASURES.blocks + (player + 1) % s.players]
    out[MEASURES.points] = s.points if won else -1
    out[MEASURES.distance] = s.last_die if won else -1
    out[MEASURES.light_win] = won and out[MEASURES.began_light] == 1
    out[MEASURES.dark_win] = won and out[MEASURES.began_light] == 0
    if not won:
        out[MEASURES.ray] = out[MEASURES.launch] = out[MEASURES.again_win] = out[MEASURES.turned_win] = -1
        out[MEASURES.first_turn] = out[MEASURES.teleport_win] = -1
        return
    player = PLAYER[s.players, s.winner]
    out[MEASURES.scored + player] = s.points
    cell = out[MEASURES.launched]
    out[MEASURES.ray] = heading(s, cell)
    out[MEASURES.launch] = tile_at(s, cell, s.winner)
    out[MEASURES.again_win] = out[MEASURES.dice] > 1
    out[MEASURES.turned_win] = out[MEASURES.turned + player] == cell
    out[MEASURES.first_turn] = out[MEASURES.own + player] == 1
    out[MEASURES.teleport_win] = out[MEASURES.own + player] - out[MEASURES.teleported + player] <= 2


# ---- parts ----------------------------------------------------------------------------------------------------------------


@rule
def begin_turn(s, out):
    """A new turn: the disk, the corner, and whether an arrow at the centre is still there."""
    player = s.to_move
    seat = SEAT[s.players, player]
    cell = s.pos[seat]
    out[MEASURES.turn] = s.turn
    out[MEASURES.own + player] += 1
    light = s.light[seat] == LIGHT
    out[MEASURES.began_light] = light
    out[MEASURES.light_turns] += light
    out[MEASURES.dark_turns] += not light
    out[MEASURES.away] += kind_at(s, cell) == CORNER and cell != HOME[seat]
    if out[MEASURES.aimed + player] and not aims(s, seat):
        out[MEASURES.parried] += 1
        out[MEASURES.parries + (cell == HOME[seat])] += 1
    out[MEASURES.aimed + player] = 0


@rule
def follow_roll(s, player, out):
    """The rolls of a move one by one: where each started, and where the token landed."""
    seat = SEAT[s.players, player]
    cell = out[MEASURES.here]
    landed = -1
    out[MEASURES.dice] = 0
    for k in range(min(s.told, s.story.shape[0])):
        event = s.story[k, 1]
        if event == EVENTS.rolls or event == EVENTS.opens:
            out[MEASURES.dice] += 1
            out[MEASURES.launched] = cell
            if AIM[cell] >= 0 and AIM[cell] == heading(s, cell):
                out[MEASURES.shots] += 1
                out[MEASURES.shots_from + cell] += 1
        elif event == EVENTS.travels:
            landed = s.story[k, 5]
        elif event == EVENTS.uncovers_edge or event == EVENTS.follows_edge or event == EVENTS.follows_corner:
            landed = -1
            out[MEASURES.exits] += 1
            out[MEASURES.corner_exits] += event == EVENTS.follows_corner
        elif event == EVENTS.lost_at_corner:
            landed = -1
            out[MEASURES.exits] += 1
            out[MEASURES.corner_exits] += 1
            out[MEASURES.sent_home + 2] += 1
        elif event == EVENTS.lost_at_edge:
            landed = -1
            out[MEASURES.sent_home + 1] += 1
        elif event == EVENTS.rolls_on:  # the part of a long chain that the story leaves out
            out[MEASURES.dice] = s.story[k, 3]
            cell = s.story[k, 4]
            landed = -1
        elif event == EVENTS.roll_again:
            count_landing(s, player, seat, landed, out)
            cell = landed
            landed = -1
    if landed >= 0:
        count_landing(s, player, seat, landed, out)


@rule
def count_landing(s, player, seat, cell, out):
    """A roll has ended on a space."""
    tile = tile_at(s, cell, seat)
    out[MEASURES.landings + cell] += 1
    out[MEASURES.landed + tile] += 1
    if tile < 8 and out[MEASURES.own + player] <= EARLY:
        out[FIRST_EARLY + SEATS * tile + player] = 1


@rule
def follow(s, player, out):
    """The other events: rotations, bumps, teleports and missed turns."""
    for k in range(min(s.told, s.story.shape[0])):
        event = s.story[k, 1]
        if event == EVENTS.turns_free:
            out[MEASURES.rotations + 3 * out[MEASURES.side] + 2] += 1
        elif event == EVENTS.turns_under:
            out[MEASURES.rotations + 3 * out[MEASURES.side] + 1] += 1
            out[MEASURES.blocks + player] += 1
        elif event == EVENTS.turns_own:
            out[MEASURES.rotations + 3 * out[MEASURES.side]] += 1
            out[MEASURES.self_turns + player] += 1
            out[MEASURES.turned + player] = s.story[k, 3]
        elif event == EVENTS.bumps:
            cell = s.story[k, 3]
            victim = PLAYER[s.players, s.story[k, 4]]
            out[MEASURES.bumps] += 1
            out[MEASURES.bumps_at + cell] += 1
            out[MEASURES.bumped + player] += 1
            out[MEASURES.was_bumped + victim] += 1
            out[MEASURES.bump_steps] += AWAY - DISTANCE[cell]
            out[MEASURES.sent_home] += 1
        elif event == EVENTS.teleports:
            out[MEASURES.teleports + player] += 1
            out[MEASURES.teleported + player] = out[MEASURES.own + player]
        elif event == EVENTS.misses:
            out[MEASURES.missed + PLAYER[s.players, s.story[k, 2]]] += 1
        elif event == EVENTS.travels and s.phase != OVER:
            out[MEASURES.turned + player] = -1


@rule
def aims(s, seat):
    """Would the seat's next roll go towards the centre, and can it reach it?"""
    cell = s.pos[seat]
    return AIM[cell] >= 0 and AIM[cell] == heading(s, cell)


@rule
def tile_at(s, cell, seat):
    """What a space is for this seat: an entry of TILES, 8 for a corner, 9 for the centre. Colours not in play are plain arrows."""
    kind = kind_at(s, cell)
    if kind <= ROLL_AGAIN:
        return kind
    if kind >= CORNER:
        return kind - CORNER + 8
    lose = kind < TELEPORT
    colour = kind - (LOSE_TURN if lose else TELEPORT)
    if not in_play(s, colour):
        return 0
    if lose:
        return LOSE_OWN if colour == seat else LOSE_OTHER
    return TELEPORT_OWN if colour == seat else TELEPORT_OTHER
