"""Sarpedon: four friends cross a palace that turns to stone, gather Mirror Shards and meet Medusa in her throne room."""

import numpy as np

from rulestone.kernel import NOBODY, About, Actions, Events, Reasons, Record, because, i8, option, rand, require, rule, shuffle_row, u8, u16
from rulestone.kernel.sets import lowest, nth, size
from rulestone.kernel.story import room, tell

from .content import (
    AROUND,
    CARDS_A_TURN,
    CENTRE,
    COLOURS,
    DECK,
    HELD,
    MYSTERY_CARDS,
    MYSTERY_TILE,
    NEIGHBOURS,
    NONE,
    PLAYERS,
    SLOT,
    SLOTS,
    SPECIAL_CARDS,
    SPECIAL_COPIES,
    START,
    TILES,
)

BARE, STONE, PROTECT, SAVED, SAVED_P = range(5)  # cover: the top card of a tile
REMOVED, FACE_DOWN, FACE_UP = range(3)  # mstate
TRAP, SHRIEK, SHARD = range(3)  # mtype
PROTECT_TILE, SAVE_TILE, SAVE_PLAYER = 1, 2, 4  # the bits of `has`
SECOND_COPY = 3  # a second copy of a card is this many bits higher (only if SPECIAL_COPIES says so)
TURN, SWAP, OVER = range(3)  # the phases
NOTHING_DRAWN, TO_STONE, NO_EFFECT, FROZEN, BARRED = range(5)  # last_draw's effect
FOUR_SHARDS, DIE_WON, CUT_OFF, NO_SHARD, DIE_LOST, ROUND_LIMIT, DECK_OUT = range(1, 8)  # reason
TWO_TURNS, UNTIL_SAVED = range(2)  # option freeze
PLAYER, TILE = range(2)  # option swap_freeze
DECK_OUT_TOO, CAP = 1, 2  # option loss

HIDDEN = 255
ALL_TILES, CENTRE_BIT, ALL_PLAYERS = (1 << TILES) - 1, 1 << CENTRE - 1, (1 << PLAYERS) - 1
ODD_TILES = ALL_TILES // 3  # every other one
# Many automatic turns can follow one move (Q9, Q45). Lost turns go into the story only while it has 33 free rows, and cards while it
# has 9, so that there is always room for how the game ended.
STORY, ROOM_FOR_ROUTINE, ROOM_FOR_CARDS = 64, 33, 9


def longest_for(players, options):
    """Section 8: four turns a round with at most one decision each, and at most four Magic Traps to answer."""
    return PLAYERS * options["max_rounds"] + PLAYERS


ABOUT = About(
    title="Sarpedon",
    min_players=PLAYERS,
    max_players=PLAYERS,
    longest=164,
    cooperative=True,
    perfect_information=False,
    story=STORY,
    version=2,  # 2: a Magic Trap no longer counts as hope (Q36), so lost games end earlier
    minutes="20-30",
    seats=COLOURS,
    summary="Cross Medusa's palace together while it turns to stone, gather Mirror Shards, and face her in the throne room.",
)

ACTIONS = Actions(
    pass_=(),
    move=range(1, TILES + 1),
    protect=(PLAYERS, range(1, TILES + 1)),
    save_tile=(PLAYERS, range(1, TILES + 1)),
    save_player=PLAYERS,
    swap=PLAYERS,
)

EVENTS = Events(
    names={"quadrant": COLOURS, "mystery": tuple(MYSTERY_CARDS)},
    stone="{who:seat} draws {quadrant:quadrant} {tile}: the tile turns to stone. [R9]",
    buries="The stone buries the hidden Mystery Card on {quadrant:quadrant} {tile}. [Q11]",
    harmless="{who:seat} draws {quadrant:quadrant} {tile}: the tile is safe, so nothing happens. [R26]",
    freezes="{who:seat} draws {quadrant:quadrant} {tile}, the tile under their feet, freezes and loses this turn. [R17]",
    bars="{who:seat} draws {quadrant:quadrant} {tile}, turns to stone in the throne room and can't use Special Cards any more. [R44]",
    no_card="{who:seat} draws nothing: the {quadrant:quadrant} deck is empty. [Q37]",
    sits_out="{who:seat} is still frozen and loses this turn too. [R18]",
    thaws="{who:seat} thaws. [R18]",
    waits="{who:seat} can only pass. [Q45]",
    passes="{who:seat} passes. [R11]",
    moves="{who:seat} steps onto {quadrant:quadrant} {tile}. [R12]",
    arrives="{who:seat} reaches the throne room. [R42]",
    protects="{who:seat} protects {quadrant:quadrant} {tile}: it can never turn to stone. [R25]",
    disables="The shield covers the hidden Mystery Card on {quadrant:quadrant} {tile}: nobody can turn it over now. [R27]",
    saves_tile="{who:seat} breaks the stone on {quadrant:quadrant} {tile}: the tile is walkable again. [R28]",
    frees="That frees {who:seat} too. [Q15]",
    saves_player="{who:seat} frees {friend:seat}. [R30]",
    clears="{quadrant:quadrant} {tile}, under {friend:seat}, is walkable again. [Q14]",
    springs_trap="{who:seat} turns over a Magic Trap on {quadrant:quadrant} {tile}. [R34]",
    no_partner="Everybody else is in the throne room, so the trap catches nobody. [Q27]",
    declines="{who:seat} slips out of the trap and swaps with nobody. [Q23]",
    swaps="{who:seat} and {friend:seat} swap places and decks: "
    "now {who:seat} is in the {here:quadrant} quadrant and {friend:seat} in the {there:quadrant} one. [R34]",
    passes_freeze="The freeze stays with the tile: now {who:seat} is frozen and {friend:seat} is free. [Q24]",
    ends_freeze="The swap frees {friend:seat}, who was frozen. [Q24]",
    shriek="{who:seat} turns over Medusa's Shriek on {quadrant:quadrant} {tile}: "
    "all cards on even tiles are swept away, {count} in all. [R37]",
    discards="The {card:mystery} on {quadrant:quadrant} {tile} is swept away. [Q35]",
    discards_unseen="The hidden Mystery Card on {quadrant:quadrant} {tile} is swept away unseen. [Q35]",
    shard="{who:seat} finds a Mirror Shard on {quadrant:quadrant} {tile}. [R39]",
    four_shards="All four shards are together: Medusa is defeated! [R48]",
    rolls="All four face Medusa with {shards} of the 4 Mirror Shards and roll {die}. [R49]",
    die_won="The mirror holds: Medusa is defeated! [R49]",
    die_lost="The mirror breaks: Medusa wins. [R49]",
    no_shard="All four face Medusa without a single Mirror Shard: she wins. [R47]",
    cut_off="{who:seat} can no longer reach the throne room: no path, Save Tile or Mystery Card can help. Medusa wins. [Q36]",
    stone_for_good="{who:seat} is frozen and nobody is left to help: Medusa wins. [Q36]",
    round_limit="Round {round} ends without a battle: Medusa wins. [Q38]",
    deck_out="{who:seat} is outside the throne room with an empty deck: Medusa wins. [Q37]",
)

REASONS = Reasons(
    names={"quadrant": COLOURS, "card": tuple(SPECIAL_CARDS)},
    trap="You turned over a Magic Trap: first choose a friend to swap places with. [R34]",
    compulsory="You can't decline a Magic Trap: choose a friend to swap places with. [Q23]",
    no_trap="You can swap places only after turning over a Magic Trap. [R34]",
    yourself="You can't swap places with yourself. [R34]",
    friend_inside="You can't swap with {friend:seat}, who is in the throne room. [Q26]",
    inside="You're in the throne room and can't leave it. [R42]",
    here="You're already on tile {tile}. To stay there, pass. [R11]",
    far="Tile {tile} doesn't share an edge with your tile, {own}. [R4]",
    stone="{quadrant:quadrant} {tile} is stone: go around it. [R13]",
    used="You've already used your {card:card}: each Special Card works once. [R22]",
    barred="You turned to stone in the throne room, so you can't use Special Cards any more. [R44]",
    spent="In the throne room you may use only {count} of your Special Cards, and you already have. [R43]",
    hard="{quadrant:quadrant} {tile} is stone, and Protect Tile can't undo that. [R25]",
    safe="{quadrant:quadrant} {tile} is already safe. [Q20]",
    not_stone="{quadrant:quadrant} {tile} isn't stone, so there's nothing to break. [R28]",
    not_yourself="You can't use Save Player on yourself. [R30]",
    petrified="{friend:seat} turned to stone in the throne room, and Save Player can't undo that. [Q43]",
    not_frozen="{friend:seat} isn't frozen. [R30]",
)


OPEN = ("deck",)  # the cards drawn so far; the others are hidden


class State(Record):
    """Four quadrants of sixteen tiles. A tile's index is its number minus one; Mystery slots are tiles 2, 3 and 7."""

    quad: u8[4].each_seat.within(0, 3)  # the quadrant each player is in (always a permutation)
    pos: u8[4].each_seat.within(1, 16)  # the tile each player is on, 1..16
    frozen: u8[4].each_seat  # turns still to sit out, counting the current one
    barred: u8[4].each_seat.within(0, 1)  # 1 = petrified in the centre: no more Special Cards
    cused: u8[4].each_seat  # Special Cards used while in the centre
    has: u8[4].each_seat  # unused Special Cards: 1 Protect Tile, 2 Save Tile, 4 Save Player
    shards: u8[4].each_seat  # Mirror Shards held
    cover: u8[4, 16].within(0, 4)  # top card: 0 none, 1 stone, 2 Protect Tile, 3 Save Tile, 4 Save Player
    mstate: u8[4, 3].within(0, 2)  # Mystery Card: 0 removed, 1 face down, 2 face up
    mtype: u8[4, 3].within(0, 2, 255)  # 0 Magic Trap, 1 Medusa's Shriek, 2 Mirror Shard; 255 hidden
    mknown: u8[4, 3].within(0, 1)  # 1 = the type has been seen by all
    deck: u8[4, 16].within(1, 16, 255)  # the quadrant's Petrification Cards in order; 255 hidden
    dptr: u8[4].within(0, 16)  # how many of them have been drawn
    phase: u8.within(0, 2)  # 0 TURN, 1 SWAP, 2 OVER
    round: u8  # from 1
    result: i8.within(-1, 1)  # 1 won, -1 lost, 0 while running
    reason: u8.within(0, 7)  # 1 four shards, 2 die won, 3 cut off, 4 no shard, 5 die lost, 6 round limit, 7 deck out
    die: u8  # 0 = not rolled
    open: u16[4]  # tiles over which the centre was within reach when last tested (Q36, to be quick); tile n is bit n-1
    last_draw: u8[3].within(0, 16)  # quadrant, number (0: deck empty), effect: 0 none, 1 stone, 2 harmless, 3 frozen, 4 barred

    freeze: u8 = option(
        "two_turns",
        ("two_turns", "until_saved"),
        "how long a petrified player is frozen: this turn and the next, or until saved (Q5)",
        title="Frozen players",
        labels=("free after two turns", "until saved"),
    )
    swap_freeze: u8 = option(
        "player",
        ("player", "tile", "none"),
        "what happens to a freeze when a Magic Trap swaps players: it stays with the player, stays with the tile, or ends (Q24)",
        labels=("stays with the player", "stays with the tile", "ends"),
    )
    swap_centre: u8 = option(0, (0, 1), "whether a Magic Trap may swap with a player in the throne room (Q26)")
    trap_optional: u8 = option(
        0, (0, 1), "whether the player who springs a Magic Trap may decline the swap (Q23)", title="Magic Traps can be declined"
    )
    save_player_clears: u8 = option(1, (1, 0), "whether Save Player also makes the tile under the saved player walkable (Q14)")
    save_tile_frees: u8 = option(0, (0, 1), "whether Save Tile also frees a player frozen on that tile (Q15)")
    save_restores_mystery: u8 = option(0, (0, 1), "whether Save Tile brings a buried Mystery Card back into play (Q13)")
    shriek_spares_protect: u8 = option("no", ("no", "yes"), "whether Protect Tile survives a Shriek (Q22)")
    shriek_reveals: u8 = option(1, (1, 0), "whether a hidden Mystery Card discarded by a Shriek is shown (Q35)")
    centre_specials: u8 = option(1, (1, 3), "how many Special Cards a player may use from the throne room (Q42)")
    centre_permanent: u8 = option(1, (1, 0), "whether petrification in the throne room is permanent, even for Save Player (Q43)")
    loss: u8 = option(
        "certain",
        ("certain", "deck_out", "cap"),
        "when the game is lost early: as soon as a player is certainly cut off, also when a player outside can't draw, or never (Q36)",
        labels=("somebody is cut off", "somebody is cut off or can't draw", "never early"),
    )
    max_rounds: u8 = option(40, range(20, 201), "the round after which the game is lost (Q38)")


# ---- setup ----------------------------------------------------------------------------------------------------------------


@rule
def setup(s):
    """R2, R5-R7: everybody is on the start tile with three Special Cards; Mystery Cards and decks are shuffled. R8: P0 begins."""
    for player in range(PLAYERS):
        s.quad[player] = player
        s.pos[player] = START
        s.has[player] = HELD
    for quadrant in range(PLAYERS):
        for slot in range(SLOTS):
            s.mtype[quadrant, slot] = slot
            s.mstate[quadrant, slot] = FACE_DOWN
        shuffle_row(s, s.mtype, quadrant, 0, SLOTS)
        for card in range(TILES):
            s.deck[quadrant, card] = DECK[card]
        shuffle_row(s, s.deck, quadrant, 0, TILES)
    s.round = 1
    if not start_turn(s):
        afterwards(s)


@rule
def bit(tile):
    """A tile as a set of tiles."""
    return 1 << tile - 1


@rule
def neighbours(tiles):
    """R4: all tiles that share an edge with a tile of the set."""
    return AROUND[0, tiles & 255] | AROUND[1, tiles >> 8]


@rule
def stone_tiles(s, quadrant):
    """R41: the tiles of a quadrant whose top card is a Petrification Card."""
    tiles = 0
    for index in range(TILES):
        tiles |= (s.cover[quadrant, index] == STONE) << index
    return tiles


# ---- the turn -------------------------------------------------------------------------------------------------------------


@rule
def afterwards(s):
    """Section 6, R10, R16: the turn ends, unless a Magic Trap must be answered; so do turns in which nobody has a choice."""
    going = s.phase == TURN
    acted = True
    while going:
        going = end_turn(s, acted) and not start_turn(s)
        acted = False


@rule
def start_turn(s):
    """Section 6, Q53: draw, apply the card to the player, test for a loss. Returns True if there is a decision (or the game is over)."""
    player = s.to_move
    for _ in range(CARDS_A_TURN):
        draw_card(s, player)
        # The card can close only this quadrant, unless it takes away a Save Tile or the way to a trap that frees a friend.
        all_may_be = s.last_draw[2] == BARRED or s.freeze == UNTIL_SAVED
        if s.phase == OVER or lose_if_doomed(s, outside(s) & (ALL_PLAYERS if all_may_be else 1 << player)):
            return True
        if s.last_draw[2] == FROZEN:  # a player who is hit draws no further card
            break
    if s.frozen[player] > 0:  # Q9: not asked; the card's event already covers the turn of the hit
        if s.last_draw[2] != FROZEN and room(s, ROOM_FOR_ROUTINE):
            tell(s, EVENTS.sits_out, player)
        return False
    if has_choice(s):
        return True
    if s.pos[player] != CENTRE and room(s, ROOM_FOR_ROUTINE):
        tell(s, EVENTS.waits, player)
    return False


@rule
def draw_card(s, player):
    """R9, R20, R44: everybody draws from the deck of the quadrant they are in and places the card on the tile with its number.
    Q37: an empty deck is not reshuffled. Option loss=deck_out: for a player outside the centre the game is lost then.
    """
    quadrant = s.quad[player]
    s.last_draw[0] = quadrant
    s.last_draw[1] = 0
    s.last_draw[2] = NOTHING_DRAWN
    if s.dptr[quadrant] < TILES:
        s.last_draw[1] = s.deck[quadrant, s.dptr[quadrant]]
        s.dptr[quadrant] += 1
        s.last_draw[2] = petrify(s, player, quadrant, s.last_draw[1])
    elif s.pos[player] != CENTRE and s.loss == DECK_OUT_TOO:
        finish(s, DECK_OUT, EVENTS.deck_out, player)
    elif s.pos[player] != CENTRE and room(s, ROOM_FOR_ROUTINE):
        tell(s, EVENTS.no_card, player, quadrant)


@rule
def cards_left(s, quadrant):
    """The set of tiles whose Petrification Cards are still in a quadrant's deck."""
    tiles = ALL_TILES
    for card in range(s.dptr[quadrant]):
        tiles &= ~bit(s.deck[quadrant, card])
    return tiles


@rule
def petrify(s, player, quadrant, tile):
    """R9, R17, R26, R29, R44, Q10: the tile turns to stone unless a Special Card keeps it safe. Returns the effect."""
    loud = room(s, ROOM_FOR_CARDS)
    if s.cover[quadrant, tile - 1] > STONE:
        if loud:
            tell(s, EVENTS.harmless, player, quadrant, tile)
        return NO_EFFECT
    s.cover[quadrant, tile - 1] = STONE
    if s.pos[player] != tile:
        effect = TO_STONE
        event = EVENTS.stone
    elif tile == CENTRE:
        effect = BARRED
        event = EVENTS.bars
        s.barred[player] = 1
    else:
        effect = FROZEN
        event = EVENTS.freezes
        s.frozen[player] = 2
    if loud:
        tell(s, event, player, quadrant, tile)
        if effect == TO_STONE and hides_mystery(s, quadrant, tile):
            tell(s, EVENTS.buries, quadrant, tile)
    return effect


@rule
def has_choice(s):
    """Q45: is there anything to do but pass?"""
    player = s.to_move
    if when_move(s) == 0 and NEIGHBOURS[s.pos[player] - 1] & ~stone_tiles(s, s.quad[player]) != 0:
        return True
    if may_use_cards(s, player) != 0:
        return False
    if s.has[player] & SAVE_PLAYER != 0:
        for friend in range(PLAYERS):
            if may_save_player(s, friend) == 0:
                return True
    return (s.has[player] & PROTECT_TILE != 0 and any_tile(s, BARE)) or (s.has[player] & SAVE_TILE != 0 and any_tile(s, STONE))


@rule
def any_tile(s, cover):
    """Is there a tile on the board with this top card?"""
    for quadrant in range(PLAYERS):
        for index in range(TILES):
            if s.cover[quadrant, index] == cover:
                return True
    return False


@rule
def may_pass(s):
    """R11. Q23: a Magic Trap must be answered, unless the option trap_optional says otherwise."""
    return REASONS.compulsory if s.phase == SWAP and s.trap_optional == 0 else 0


@rule
def do_pass(s):
    """R10, R11: to do nothing is one of the choices. Q23: it also declines a Magic Trap, where the option allows that."""
    tell(s, EVENTS.declines if s.phase == SWAP else EVENTS.passes, s.to_move)
    s.phase = TURN


@rule
def when_move(s):
    """R42: nobody walks out of the throne room."""
    if s.phase == SWAP:
        return REASONS.trap
    return REASONS.inside if s.pos[s.to_move] == CENTRE else 0


@rule
def may_move(s, tile):
    """R12, R13: one step onto a neighbouring tile that is not stone."""
    here = s.pos[s.to_move]
    quadrant = s.quad[s.to_move]
    if NEIGHBOURS[here - 1] & bit(tile) == 0:
        return because(REASONS.here, tile) if tile == here else because(REASONS.far, tile, here)
    return because(REASONS.stone, quadrant, tile) if s.cover[quadrant, tile - 1] == STONE else 0


@rule
def legal_move(s, out, n):
    """Faster than asking `may_move` about every tile."""
    near = NEIGHBOURS[s.pos[s.to_move] - 1]
    quadrant = s.quad[s.to_move]
    for index in range(TILES):
        if near >> index & 1 and s.cover[quadrant, index] != STONE:
            out[n] = ACTIONS.move(index + 1)
            n += 1
    return n


@rule
def do_move(s, tile):
    """R12, R15, Q55: one step; a live Mystery Card there is turned over, like it or not."""
    player = s.to_move
    quadrant = s.quad[player]
    s.pos[player] = tile
    tell(s, EVENTS.moves, player, quadrant, tile)
    if tile == CENTRE:
        tell(s, EVENTS.arrives, player)
    slot = live_slot(s, quadrant, tile)
    if slot != NONE:
        turn_over(s, player, quadrant, slot)


@rule
def end_turn(s, acted):
    """Section 6: the freeze runs down, the battle comes if all are in the centre, a loss is tested, the next seat follows. Returns True
    if the game continues. (A turn in which nobody acted loses nothing: that was tested after its card.)
    """
    player = s.to_move
    thaw(s, player)
    players = outside(s)
    if players == 0:  # R45
        battle(s)
    if players == 0 or (acted and lose_if_doomed(s, players)):
        return False
    if player == PLAYERS - 1 and s.round >= s.max_rounds:  # Q38
        finish(s, ROUND_LIMIT, EVENTS.round_limit, s.round)
        return False
    s.round += player == PLAYERS - 1
    s.to_move = (player + 1) % PLAYERS
    return True


@rule
def thaw(s, player):
    """R18, Q5: the turn of the hit and the next one are lost; with freeze=until_saved all turns until somebody helps."""
    if s.frozen[player] == 0:
        return
    if s.freeze == UNTIL_SAVED:
        s.frozen[player] = 1
    else:
        s.frozen[player] -= 1
        if s.frozen[player] == 0 and room(s, ROOM_FOR_ROUTINE):
            tell(s, EVENTS.thaws, player)


# ---- Special Cards --------------------------------------------------------------------------------------------------------


@rule
def may_use(s, card):
    """R10, R22: a card that has not been used, in one's turn."""
    if s.phase == SWAP:
        return REASONS.trap
    if s.has[s.to_move] & card == 0:
        return because(REASONS.used, card >> 1)
    return may_use_cards(s, s.to_move)


@rule
def may_use_cards(s, player):
    """R43, R44, Q42, Q43: not if barred, and in the centre only a limited number."""
    if s.barred[player] != 0:
        return REASONS.barred
    return because(REASONS.spent, s.centre_specials) if s.pos[player] == CENTRE and s.cused[player] >= s.centre_specials else 0


PROTECTS, SAVES = (
    np.array([[verb(quadrant, tile) for tile in range(1, TILES + 1)] for quadrant in range(PLAYERS)], np.uint8)
    for verb in (ACTIONS.protect, ACTIONS.save_tile)
)
WHEN = {"protect": (may_use, PROTECT_TILE), "save_tile": (may_use, SAVE_TILE), "save_player": (may_use, SAVE_PLAYER)}


@rule
def may_protect(s, quadrant, tile):
    """R25, R31, Q20: a tile of any quadrant with nothing on it."""
    cover = s.cover[quadrant, tile - 1]
    if cover == BARE:
        return 0
    return because(REASONS.hard, quadrant, tile) if cover == STONE else because(REASONS.safe, quadrant, tile)


@rule
def may_save_tile(s, quadrant, tile):
    """R28, R31, Q16: a stone tile of any quadrant."""
    return 0 if s.cover[quadrant, tile - 1] == STONE else because(REASONS.not_stone, quadrant, tile)


@rule
def may_save_player(s, friend):
    """R30, Q6: another player who is frozen; with centre_permanent=0 also one who is barred (Q43)."""
    if friend == s.to_move:
        return REASONS.not_yourself
    if s.frozen[friend] > 0 or (s.centre_permanent == 0 and s.barred[friend] > 0):
        return 0
    return because(REASONS.petrified if s.barred[friend] > 0 else REASONS.not_frozen, friend)


@rule
def legal_protect(s, out, n):
    return tiles_covered_by(s, BARE, PROTECTS, out, n)


@rule
def legal_save_tile(s, out, n):
    return tiles_covered_by(s, STONE, SAVES, out, n)


@rule
def tiles_covered_by(s, cover, actions, out, n):
    """R31: the actions for the tiles of all quadrants with this top card. (An action that does not fit is overwritten: no branch, fast.)"""
    for quadrant in range(PLAYERS):
        for index in range(TILES):
            out[n] = actions[quadrant, index]
            n += s.cover[quadrant, index] == cover
    return n


@rule
def spend(s, card):
    """R22-R24, Q58: the large card is spent for good; a second copy, where there is one, goes first."""
    player = s.to_move
    if s.pos[player] == CENTRE:
        s.cused[player] += 1
    if s.has[player] & card << SECOND_COPY != 0:
        card <<= SECOND_COPY
    s.has[player] &= ~card


@rule
def do_protect(s, quadrant, tile):
    """R25-R27, Q21: the tile can never turn to stone; a Mystery Card hidden there is out of reach from now on."""
    spend(s, PROTECT_TILE)
    tell(s, EVENTS.protects, s.to_move, quadrant, tile)
    s.cover[quadrant, tile - 1] = PROTECT
    if hides_mystery(s, quadrant, tile):
        tell(s, EVENTS.disables, quadrant, tile)


@rule
def do_save_tile(s, quadrant, tile):
    """R28, R29: the stone tile is normal again. Q15: it frees nobody, unless the option save_tile_frees says so."""
    spend(s, SAVE_TILE)
    tell(s, EVENTS.saves_tile, s.to_move, quadrant, tile)
    s.cover[quadrant, tile - 1] = SAVED
    if s.save_tile_frees == 1:
        for friend in range(PLAYERS):
            if s.quad[friend] == quadrant and s.pos[friend] == tile and s.frozen[friend] > 0:
                s.frozen[friend] = 0
                tell(s, EVENTS.frees, friend)


@rule
def do_save_player(s, friend):
    """R19, R30: the friend is free. Q14: a stone tile underfoot (Q17) is walkable again. Q43: a bar may be lifted."""
    spend(s, SAVE_PLAYER)
    tell(s, EVENTS.saves_player, s.to_move, friend)
    s.frozen[friend] = 0
    if s.centre_permanent == 0:
        s.barred[friend] = 0
    quadrant = s.quad[friend]
    tile = s.pos[friend]
    if s.save_player_clears == 1 and s.cover[quadrant, tile - 1] == STONE:
        s.cover[quadrant, tile - 1] = SAVED_P
        tell(s, EVENTS.clears, quadrant, tile, friend)


# ---- Mystery Cards --------------------------------------------------------------------------------------------------------


@rule
def hides_mystery(s, quadrant, tile):
    """R6, Q11: does a face-down Mystery Card lie on this tile, at the top or below?"""
    return SLOT[tile] != NONE and s.mstate[quadrant, max(SLOT[tile], 0)] == FACE_DOWN


@rule
def live_slot(s, quadrant, tile):
    """R15: the slot of the Mystery Card that the next player to step here turns over, or NONE."""
    slot = SLOT[tile]
    return slot if slot != NONE and is_live(s, quadrant, slot) else NONE


@rule
def is_live(s, quadrant, slot):
    """R40, R41: a face-down Mystery Card works if it is on top. Q13: with save_restores_mystery also under Save Tile."""
    cover = s.cover[quadrant, MYSTERY_TILE[slot] - 1]
    return s.mstate[quadrant, slot] == FACE_DOWN and (cover == BARE or (cover == SAVED and s.save_restores_mystery == 1))


@rule
def live_cards(s):
    """R41: the live Mystery Cards of all quadrants, as a set of SLOTS · quadrant + slot."""
    cards = 0
    for quadrant in range(PLAYERS):
        for slot in range(SLOTS):
            cards |= is_live(s, quadrant, slot) << SLOTS * quadrant + slot
    return cards


@rule
def unseen(s, quadrant):
    """Section 7: the set of Mystery kinds in a quadrant that nobody has seen."""
    kinds = (1 << SLOTS) - 1
    for slot in range(SLOTS):
        if s.mknown[quadrant, slot] == 1:
            kinds &= ~(1 << s.mtype[quadrant, slot])
    return kinds


@rule
def turn_over(s, player, quadrant, slot):
    """R32, R33: the card is used up; a Trap or a Shriek stays face up, a Shard is taken."""
    tile = MYSTERY_TILE[slot]
    s.mknown[quadrant, slot] = 1
    s.mstate[quadrant, slot] = FACE_UP
    if s.mtype[quadrant, slot] == TRAP:
        tell(s, EVENTS.springs_trap, player, quadrant, tile)
        spring_trap(s)
    elif s.mtype[quadrant, slot] == SHRIEK:
        shriek(s, player, quadrant, tile)
    else:
        s.mstate[quadrant, slot] = REMOVED
        s.shards[player] += 1  # R39
        tell(s, EVENTS.shard, player, quadrant, tile)


@rule
def spring_trap(s):
    """Q27: nobody to swap with, nothing happens. Q28: a single partner is swapped at once. Otherwise the player picks."""
    partners = 0
    for friend in range(PLAYERS):
        partners |= (may_swap(s, friend) == 0) << friend
    if partners == 0:
        tell(s, EVENTS.no_partner)
    elif size(partners) == 1 and s.trap_optional == 0:
        do_swap(s, lowest(partners))
    else:
        s.phase = SWAP


@rule
def when_swap(s):
    """R34: only after a Magic Trap."""
    return 0 if s.phase == SWAP else REASONS.no_trap


@rule
def may_swap(s, friend):
    """R34, Q26: any other player, but none in the centre unless the option swap_centre says so."""
    if friend == s.to_move:
        return REASONS.yourself
    return because(REASONS.friend_inside, friend) if s.pos[friend] == CENTRE and s.swap_centre == 0 else 0


@rule
def do_swap(s, friend):
    """R34-R36, Q25, Q30: they exchange quadrant, tile and, with the quadrant, the deck; all else stays with the person."""
    player = s.to_move
    s.phase = TURN
    s.quad[player], s.quad[friend] = s.quad[friend], s.quad[player]
    s.pos[player], s.pos[friend] = s.pos[friend], s.pos[player]
    tell(s, EVENTS.swaps, player, friend, s.quad[player], s.quad[friend])
    if s.frozen[friend] > 0 and s.swap_freeze != PLAYER:  # Q24
        s.frozen[friend] = 0
        if s.swap_freeze == TILE:
            s.frozen[player] = 2  # this turn, which is over anyway, and the next
            tell(s, EVENTS.passes_freeze, player, friend)
        else:
            tell(s, EVENTS.ends_freeze, friend)
    if s.pos[player] == CENTRE:
        tell(s, EVENTS.arrives, player)


@rule
def shriek(s, player, quadrant, tile):
    """R37, R38, Q32, Q33: all cards on even tiles of this quadrant are out of the game, Mystery Cards and (Q22) shields too, unless the
    option shriek_spares_protect keeps them. Q35: discards are open, so a hidden card becomes known, unless shriek_reveals is off.
    """
    count = 0
    for even in range(2, TILES + 1, 2):
        count += SLOT[even] != NONE and s.mstate[quadrant, max(SLOT[even], 0)] != REMOVED
        if s.shriek_spares_protect == 0 or s.cover[quadrant, even - 1] != PROTECT:
            count += s.cover[quadrant, even - 1] != BARE
            s.cover[quadrant, even - 1] = BARE
    tell(s, EVENTS.shriek, player, quadrant, tile, count)
    for slot in range(SLOTS):
        if MYSTERY_TILE[slot] % 2 == 0:
            if s.mstate[quadrant, slot] == FACE_DOWN:
                s.mknown[quadrant, slot] = s.shriek_reveals
                if s.shriek_reveals == 1:
                    tell(s, EVENTS.discards, s.mtype[quadrant, slot], quadrant, MYSTERY_TILE[slot])
                else:
                    tell(s, EVENTS.discards_unseen, quadrant, MYSTERY_TILE[slot])
            s.mstate[quadrant, slot] = REMOVED


# ---- the throne room and the end ------------------------------------------------------------------------------------------


@rule
def outside(s):
    """R45: the set of players who are not in the throne room."""
    players = 0
    for player in range(PLAYERS):
        players |= (s.pos[player] != CENTRE) << player
    return players


@rule
def battle(s):
    """R47-R49, Q39-Q41, Q47: no shard loses, four win, otherwise a four-sided die must not exceed the shards."""
    shards = 0
    for player in range(PLAYERS):
        shards += s.shards[player]
    if shards == 0:
        finish(s, NO_SHARD, EVENTS.no_shard)
    elif shards >= 4:
        finish(s, FOUR_SHARDS, EVENTS.four_shards)
    else:
        s.die = 1 + rand(s, 4)
        won = s.die <= shards
        tell(s, EVENTS.rolls, shards, s.die)
        finish(s, DIE_WON if won else DIE_LOST, EVENTS.die_won if won else EVENTS.die_lost)


@rule
def finish(s, reason, event, number=0):
    """R50: all win or all lose."""
    tell(s, event, number)
    s.result = 1 if reason <= DIE_WON else -1
    s.reason = reason
    s.phase = OVER
    for player in range(PLAYERS):
        s.payoff[player] = s.result
    s.to_move = NOBODY


# ---- when the game is lost ------------------------------------------------------------------------------------------------


@rule
def lose_if_doomed(s, players):
    """R46, Q36: the game is lost as soon as it is certain, from what everybody can see, that one of these never gets to the centre."""
    player = NOBODY if s.loss == CAP else doomed_player(s, players)
    if player == NOBODY:
        return False
    stone = stays_stone(s, player, save_tiles_left(s))
    finish(s, CUT_OFF, EVENTS.stone_for_good if stone else EVENTS.cut_off, player)
    return True


@rule
def doomed_player(s, players):
    """Q36, the test `doomed`: the first of these players who can never reach the centre, or NOBODY. A Magic Trap is no hope: the player
    it brings stands on the same tile.
    """
    saves = save_tiles_left(s)
    for player in range(PLAYERS):
        if players >> player & 1:
            if not (has_way(s, player, saves) or may_get(s, player, saves, CENTRE_BIT)) or stays_stone(s, player, saves):
                return player
    return NOBODY


@rule
def has_way(s, player, saves):
    """Q36 without Mystery Cards, and fast: the tiles that led to the centre last time mostly still do."""
    quadrant = s.quad[player]
    here = bit(s.pos[player])
    stone = stone_tiles(s, quadrant) & ~here
    if s.open[quadrant] & here == 0 or size(s.open[quadrant] & stone) > saves:
        s.open[quadrant] = reached(s, player, CENTRE_BIT, stone, saves)
    return s.open[quadrant] != 0


@rule
def may_get(s, player, saves, goal):
    """Q36: is one of these tiles within reach, perhaps with the help of a Shriek that may be found on the way?"""
    stone = stone_tiles(s, s.quad[player])
    shrieks = possible_tiles(s, s.quad[player], SHRIEK, saves)
    if reached(s, player, shrieks, stone, saves) != 0:
        stone &= ODD_TILES
    return reached(s, player, goal, stone, saves) != 0


@rule
def reached(s, player, goal, stone, saves):
    """Q36: the tiles a player can get to with this many Save Tiles, up to the first goal tile among them; 0 if there is none."""
    if goal == 0:
        return 0
    tiles = bit(s.pos[player])
    while tiles & goal == 0:
        wider = tiles | (neighbours(tiles) & ~stone)
        if wider == tiles:
            if saves == 0:
                return 0
            saves -= 1
            wider = tiles | neighbours(tiles)
        tiles = wider
    return tiles


@rule
def possible_tiles(s, quadrant, kind, saves):
    """Q36: the tiles of live Mystery Cards that can be of this kind, from what everybody can see: all, unless the kind has been seen."""
    tiles = 0
    if unseen(s, quadrant) >> kind & 1:
        for slot in range(SLOTS):
            tiles |= can_come_alive(s, quadrant, slot, saves) << MYSTERY_TILE[slot] - 1
    return tiles


@rule
def can_come_alive(s, quadrant, slot, saves):
    """Q36: a live card; with save_restores_mystery also one under stone that a Save Tile could bring back."""
    if is_live(s, quadrant, slot):
        return True
    stone = s.cover[quadrant, MYSTERY_TILE[slot] - 1] == STONE
    return s.save_restores_mystery == 1 and saves > 0 and stone and s.mstate[quadrant, slot] == FACE_DOWN


@rule
def save_tiles_left(s):
    """Q36, the number S: unused Save Tiles whose owners may still use them, or can be enabled to (variant clauses)."""
    count = 0
    for player in range(PLAYERS):
        if s.has[player] & SAVE_TILE != 0 and not_spent(s, player):
            if s.barred[player] == 0 or (s.centre_permanent == 0 and has_helper(s, player)):
                count += 1 + (s.has[player] & SAVE_TILE << SECOND_COPY != 0)
    return count


@rule
def not_spent(s, player):
    """R43: does the limit in the centre leave the player another card? With swap_centre they may get out again."""
    return s.pos[player] != CENTRE or s.cused[player] < s.centre_specials or s.swap_centre == 1


@rule
def save_tiles_after(s, quadrant, tile):
    """Q36: how many Save Tiles are left once this stone is broken. (For callers who ask before they do it.)"""
    do_save_tile(s, quadrant, tile)
    return save_tiles_left(s)


@rule
def has_helper(s, player):
    """Q36: can another player still use Save Player?"""
    for friend in range(PLAYERS):
        if friend != player and s.has[friend] & SAVE_PLAYER != 0 and s.barred[friend] == 0 and not_spent(s, friend):
            return True
    return False


@rule
def stays_stone(s, player, saves):
    """Q36 with freeze=until_saved: is this player frozen, with no card left to free them, nor a swap that ends the freeze (Q24)?"""
    if s.freeze == TWO_TURNS or s.frozen[player] == 0 or has_helper(s, player):
        return False
    if s.save_tile_frees == 1 and saves > 0 and s.cover[s.quad[player], s.pos[player] - 1] == STONE:
        return False
    for friend in range(PLAYERS):
        if s.swap_freeze != PLAYER and friend != player and s.pos[friend] != CENTRE:
            if may_get(s, friend, saves, possible_tiles(s, s.quad[friend], TRAP, saves)):
                return False
    return True


# ---- what is hidden -------------------------------------------------------------------------------------------------------


@rule
def hide(s, viewer):
    """Section 7, Q49: undrawn cards and unseen Mystery types are hidden from everybody alike."""
    for quadrant in range(PLAYERS):
        for card in range(s.dptr[quadrant], TILES):
            s.deck[quadrant, card] = HIDDEN
        for slot in range(SLOTS):
            if s.mknown[quadrant, slot] == 0:
                s.mtype[quadrant, slot] = HIDDEN


@rule
def redeal(s, viewer):
    """Section 7: undrawn cards in any order, unseen types on any unseen slots, all equally likely."""
    for quadrant in range(PLAYERS):
        left = cards_left(s, quadrant)
        place = s.dptr[quadrant]
        for index in range(TILES):
            if bit(DECK[index]) & left != 0 and place < TILES:
                s.deck[quadrant, place] = DECK[index]
                place += 1
        shuffle_row(s, s.deck, quadrant, s.dptr[quadrant], TILES)
        kinds = unseen(s, quadrant)
        for slot in range(SLOTS):
            if s.mknown[quadrant, slot] == 0:
                s.mtype[quadrant, slot] = nth(kinds, rand(s, size(kinds)))
                kinds &= ~(1 << s.mtype[quadrant, slot])


# ---- for people -----------------------------------------------------------------------------------------------------------


def check(s):
    """Section 5: what is true of every real game."""
    require(sorted(s.quad) == list(range(PLAYERS)), f"players are in quadrants {list(s.quad)}: each has exactly one player (Q30)")
    check_players(s)
    for quadrant in range(PLAYERS):
        check_quadrant(s, quadrant)
    for kind, name in ((PROTECT, "Protect Tile"), (SAVED, "Save Tile"), (SAVED_P, "Save Player")):
        lying = sum(s.cover[q, i] == kind for q in range(PLAYERS) for i in range(TILES))
        copies = PLAYERS * SPECIAL_COPIES[name]
        require(lying <= copies, f"{lying} {name} cards are on the board, but there are only {copies}")
    check_shards(s)
    check_end(s)
    require(1 <= s.round <= s.max_rounds, f"the round is {s.round} of {s.max_rounds}")
    quadrant, number, effect = s.last_draw
    require(quadrant < PLAYERS and number <= TILES and effect <= BARRED, f"the last draw is {quadrant}, {number}, {effect}")


def check_end(s):
    """R47-R50: phase, result, reason, payoffs and die agree, during the game and when it is over."""
    over = s.phase == OVER
    require(s.phase in (TURN, SWAP, OVER) and s.reason <= DECK_OUT, f"phase {s.phase} or reason {s.reason} is out of range")
    require(over == (s.to_move == NOBODY) == (s.reason != 0), f"phase {s.phase}, reason {s.reason} and to_move {s.to_move} disagree")
    result = 0 if not over else 1 if s.reason <= DIE_WON else -1
    require(s.result == result and all(s.payoff[p] == result for p in range(PLAYERS)), f"result {s.result} does not fit reason {s.reason}")
    require((s.die != 0) == (s.reason in (DIE_WON, DIE_LOST)) and s.die <= 4, f"the die shows {s.die} with reason {s.reason} (Q47)")


def check_players(s):
    """What holds of each player."""
    for player in range(PLAYERS):
        require(1 <= s.pos[player] <= TILES, f"player {player} is on tile {s.pos[player]}")
        require(s.has[player] & ~HELD == 0 and s.barred[player] <= 1 and s.frozen[player] <= 2, f"player {player} has values out of range")
        require(s.pos[player] != CENTRE or s.frozen[player] == 0, f"player {player} is frozen in the centre (Q43)")
        require(s.frozen[player] < 2 or s.phase == OVER, f"player {player} is still frozen for 2 turns at a decision (Q5)")
        require(s.barred[player] == 0 or s.pos[player] == CENTRE or s.swap_centre == 1, f"player {player} is barred outside the centre")
        require(s.cused[player] <= s.centre_specials, f"player {player} has used {s.cused[player]} cards in the centre (R43)")
        require(s.phase == OVER or player != s.to_move or s.frozen[player] == 0, f"player {player} is to move but frozen (Q9)")


def check_quadrant(s, quadrant):
    """R1, Q2, Q54: the deck is complete, cards on tiles have been drawn, and there is one Mystery Card of each kind."""
    cards = [s.deck[quadrant, i] for i in range(TILES)]
    require(sorted(cards) == sorted(DECK.tolist()), f"the deck of quadrant {quadrant} is {cards}")
    require(s.dptr[quadrant] <= TILES, f"{s.dptr[quadrant]} cards drawn in quadrant {quadrant}")
    drawn = set(cards[: s.dptr[quadrant]])
    for index in range(TILES):
        cover = s.cover[quadrant, index]
        require(cover <= SAVED_P, f"tile {index + 1} of quadrant {quadrant} has cover {cover}")
        require(cover in (BARE, PROTECT) or index + 1 in drawn, f"tile {index + 1} of quadrant {quadrant} has been stone without a card")
    types = sorted(s.mtype[quadrant, slot] for slot in range(SLOTS))
    require(types == [TRAP, SHRIEK, SHARD], f"the Mystery Cards of quadrant {quadrant} are {types} (Q2)")
    for slot in range(SLOTS):
        state, known = s.mstate[quadrant, slot], s.mknown[quadrant, slot]
        require(state <= FACE_UP and known <= 1, f"Mystery slot {slot} of quadrant {quadrant} has values out of range")
        require(state != FACE_DOWN or known == 0, f"a face-down Mystery Card of quadrant {quadrant} is known (Q49)")
        require(
            state != FACE_UP or (known == 1 and s.mtype[quadrant, slot] != SHARD), f"a wrong card is face up in quadrant {quadrant} (R33)"
        )


def check_shards(s):
    """R39: the shards held, still on the board and discarded by a Shriek add up to four."""
    held = sum(s.shards)
    lying = lost = perhaps = 0
    for quadrant in range(PLAYERS):
        slots = {int(s.mtype[quadrant, slot]): slot for slot in range(SLOTS)}
        mirror, heard = slots[SHARD], s.mknown[quadrant, slots[SHRIEK]]
        lying += s.mstate[quadrant, mirror] == FACE_DOWN
        # Only a shard on an even tile can have been discarded, and only by a Shriek that has been turned over. If it is unseen, it was.
        swept = s.mstate[quadrant, mirror] == REMOVED and MYSTERY_TILE[mirror] % 2 == 0 and heard
        lost += swept and not s.mknown[quadrant, mirror]
        perhaps += swept and s.mknown[quadrant, mirror] and s.shriek_reveals
    most = 4 - lying - lost
    require(most - perhaps <= held <= most, f"{held} shards held, {lying} lying and {lost} swept away unseen, of four")
