"""What the lab measures in this game, besides what it measures in every game: the designer's questions (sheet, section 12)."""

from rulestone.kernel import rule
from rulestone.measures import Measures, choice, memory, number, ratio, tally, yes_no

from .bot import is_blocked, turns_to
from .content import CARDS_A_TURN, CENTRE, COLOURS, MYSTERY_TILE, NONE, PLAYERS, SLOTS, SPECIAL_CARDS, START, TILES
from .rules import (
    ACTIONS,
    CENTRE_BIT,
    CUT_OFF,
    EVENTS,
    FACE_DOWN,
    ODD_TILES,
    PROTECT,
    ROUND_LIMIT,
    SHARD,
    SHRIEK,
    STONE,
    SWAP,
    TRAP,
    bit,
    live_slot,
    stone_tiles,
)

EARLY, LATE = 3, 12  # rounds: the first three are early, the twelfth and later ones are counted together
FOUND, BURIED, SWEPT, SHIELDED, LEFT, UNREACHED = 0, 1, 2, 3, 4, 5
FATES = ("found", "buried under stone", "swept away by a Shriek", "under a Protect Tile", "left behind for the centre", "never reached")
KINDS_OF_FATE = len(FATES)
FROZEN, INSIDE, WALLED_IN = 0, 1, 2
ENDINGS = ("four shards", "die won", "somebody cut off", "no shard", "die lost", "round limit", "deck out")  # by reason
NUMBERS = [str(tile) for tile in range(1, TILES + 1)]
ON_BOARD = [[f"tile-{quadrant}-{tile}" for quadrant in range(PLAYERS)] for tile in range(1, TILES + 1)]  # every quadrant has each tile
FIRST_USES = (*(f"{card} on {tile}" for card in ("Protect Tile", "Save Tile") for tile in NUMBERS), "Save Player")

MEASURES = Measures(
    rounds=number("rounds", 40, seconds=150, says="A game takes {mean} rounds."),
    ending=choice("how it ends", ENDINGS),
    # Shards.
    shards=number("Mirror Shards at the battle", 4, says="Teams that reach the battle hold {mean} of the 4 Mirror Shards."),
    found=number("Mirror Shards found", 4, each=True),
    shard_fates=tally("what becomes of the shards", FATES),
    shard_fates_by_tile=tally("what becomes of the shards, by tile", [f"{tile}: {fate}" for tile in MYSTERY_TILE for fate in FATES]),
    # Where players go.
    visits=tally("tiles stepped onto", NUMBERS, shape=(4, 4), cells=ON_BOARD),
    # Arriving and waiting.
    arrived=yes_no("reached the throne room", each=True),
    arrival_round=number("round of arrival", 40, each=True),
    first_arrival=number("round of the first arrival", 40),
    last_arrival=number("round of the last arrival", 40),
    cut_off=choice("who is cut off", COLOURS),
    all_turns=number("turns of all players together", 164),
    centre_turns=number("turns spent in the throne room", 100),
    idle_turns=number("turns without a decision", 100),
    idle_kinds=tally("turns without a decision, by cause", ("frozen", "waiting in the throne room", "walled in")),
    waiting=ratio("share of turns in the throne room", of="centre_turns", to="all_turns"),
    idle=ratio("share of turns without a decision", of="idle_turns", to="all_turns", says="{share} of turns pass without a decision."),
    # Freezing.
    hits=number("players frozen", 12, says="Players are frozen {mean} times in a game."),
    rescues=number("frozen players freed by Save Player", 4),
    rescued=ratio("share of frozen players who are rescued", of="rescues", to="hits"),
    early_hit=yes_no("somebody is frozen in rounds 1-3"),
    start_hits=number("players frozen on the start tile in round 1", 4),
    barred=number("players barred in the throne room", 4),
    # Special Cards.
    protects=number("Protect Tile used", 4),
    tile_saves=number("Save Tile used", 4),
    player_saves=number("Save Player used", 4),
    protect_round=number("round of Protect Tile", 40, each=True),
    tile_save_round=number("round of Save Tile", 40, each=True),
    player_save_round=number("round of Save Player", 40, each=True),
    first_use=choice("first Special Card and its target", FIRST_USES),
    protect_targets=tally("targets of Protect Tile", NUMBERS, shape=(4, 4), cells=ON_BOARD),
    save_targets=tally("targets of Save Tile", NUMBERS, shape=(4, 4), cells=ON_BOARD),
    centre_protects=number("Protect Tile on Tile 4", 4),
    stripped=number("Protect Tile on Tile 4 swept away by a Shriek", 4),
    stripping=ratio("share of protected Tiles 4 that a Shriek strips", of="stripped", to="centre_protects"),
    centre_uses=tally("Special Cards used from the throne room", tuple(SPECIAL_CARDS)),
    # Magic Trap.
    swaps=number("swaps", 4),
    partners=tally("partners in swaps", ("frozen", "blocked", "ahead", "level", "behind")),
    # Medusa's Shriek.
    shrieks=number("Shrieks", 4),
    swept=number("cards swept away by Shrieks", 36),
    sweep=ratio("cards swept away per Shriek", of="swept", to="shrieks"),
    sweep_sizes=tally("Shrieks by cards swept away", 10),
    shriek_rounds=tally("Shrieks by round", [str(k) for k in range(1, LATE + 1)]),
    opened=number("Shrieks that open Tile 4", 4),
    opening_rate=ratio("share of Shrieks that open Tile 4", of="opened", to="shrieks"),
    turns_gained=number("turns saved by Shrieks", 40),
    gain=ratio("turns saved per Shriek", of="turns_gained", to="shrieks"),
    # Petrification.
    early_fours=number("card 4 drawn before the quadrant's player arrives", 4),
    early_stone=tally("tiles turned to stone in rounds 1-3", NUMBERS, shape=(4, 4), cells=ON_BOARD),
    stone_by_round=tally(
        "tiles turned to stone, by round",
        [f"round {r}: tile {t}" for r in range(1, LATE + 1) for t in NUMBERS],
        shape=(LATE, TILES),
    ),
    # Memory: the round and turn; per quadrant 1 + its shard's fate; per player the way to the centre, and 1 if frozen + 2 if blocked.
    now=memory(),
    turn=memory(),
    decided=memory(),
    decided_inside=memory(),
    fate=memory(PLAYERS),
    way=memory(PLAYERS),
    plight=memory(PLAYERS),
)


@rule
def opening(s, out):
    """Nothing has happened yet, except for the first draws."""
    for player in range(PLAYERS):
        out[MEASURES.arrival_round + player] = -1
        out[MEASURES.protect_round + player] = -1
        out[MEASURES.tile_save_round + player] = -1
        out[MEASURES.player_save_round + player] = -1
    out[MEASURES.first_arrival] = -1
    out[MEASURES.last_arrival] = -1
    out[MEASURES.cut_off] = -1
    out[MEASURES.first_use] = -1
    read_story(s, 1, -1, out)
    look_for_shards(s, out)


@rule
def before(s, action, out):
    """Count what the move is about to change."""
    player = s.to_move
    out[MEASURES.now] = s.round
    if s.phase == SWAP:
        look_at_partners(s, player, s.pos[player], out)
        return
    out[MEASURES.decided] += 1
    out[MEASURES.decided_inside] += s.pos[player] == CENTRE
    if ACTIONS.move.includes(action):
        tile = ACTIONS.move.argument(action)
        out[MEASURES.visits + tile - 1] += 1
        quadrant = s.quad[player]
        slot = live_slot(s, quadrant, tile)
        if slot != NONE:
            if s.mtype[quadrant, slot] == TRAP:
                look_at_partners(s, player, tile, out)
            elif s.mtype[quadrant, slot] == SHRIEK:
                count_shriek(s, quadrant, tile, out)
    elif action != ACTIONS.pass_():
        count_card(s, player, action, out)


@rule
def after(s, action, player, out):
    """Count the results of the move and of the cards drawn since."""
    read_story(s, out[MEASURES.now], player, out)
    for other in range(PLAYERS):
        if s.pos[other] == CENTRE and out[MEASURES.arrival_round + other] < 0:
            out[MEASURES.arrival_round + other] = out[MEASURES.now]
            if out[MEASURES.first_arrival] < 0:
                out[MEASURES.first_arrival] = out[MEASURES.now]
    look_for_shards(s, out)


@rule
def finish(s, out):
    """Count what the last position shows."""
    out[MEASURES.rounds] = s.round
    out[MEASURES.ending] = s.reason - 1
    out[MEASURES.shards] = -1 if s.reason == CUT_OFF or s.reason >= ROUND_LIMIT else 0
    if s.reason == ROUND_LIMIT:
        out[MEASURES.turn] = PLAYERS * s.round - 1
    everybody = True
    last = 0
    for player in range(PLAYERS):
        out[MEASURES.found + player] = s.shards[player]
        if out[MEASURES.shards] >= 0:
            out[MEASURES.shards] += s.shards[player]
        arrival = out[MEASURES.arrival_round + player]
        out[MEASURES.arrived + player] = s.pos[player] == CENTRE
        everybody = everybody and s.pos[player] == CENTRE
        last = max(last, arrival)
        if arrival >= 0:
            out[MEASURES.centre_turns] += (out[MEASURES.turn] - player) // PLAYERS + 1 - arrival
    if everybody:
        out[MEASURES.last_arrival] = last
    out[MEASURES.all_turns] = out[MEASURES.turn] + 1
    out[MEASURES.idle_kinds + INSIDE] = out[MEASURES.centre_turns] - out[MEASURES.decided_inside]
    for kind in range(3):
        out[MEASURES.idle_turns] += out[MEASURES.idle_kinds + kind]
    for quadrant in range(PLAYERS):
        fate = out[MEASURES.fate + quadrant] - 1 if out[MEASURES.fate + quadrant] > 0 else UNREACHED
        out[MEASURES.shard_fates + fate] += 1
        out[MEASURES.shard_fates_by_tile + shard_slot(s, quadrant) * KINDS_OF_FATE + fate] += 1


# ---- The story ------------------------------------------------------------------------------------------------------


@rule
def read_story(s, round_, last, out):
    """Count the events, from the turn of seat `last` in this round on; a card for the same or an earlier seat starts a new round."""
    out[MEASURES.turn] = PLAYERS * (round_ - 1) + last
    cards = CARDS_A_TURN  # that seat has drawn all its cards
    for k in range(min(s.told, s.story.shape[0])):
        event = s.story[k, 1]
        who = s.story[k, 2]
        if event == EVENTS.stone or event == EVENTS.harmless or event == EVENTS.freezes or event == EVENTS.bars:
            if who != last or cards == CARDS_A_TURN:
                round_ += who <= last
                last = who
                cards = 0
                out[MEASURES.turn] = PLAYERS * (round_ - 1) + who
            cards += 1
            count_drawn(s, event, who, s.story[k, 4], round_, out)
        elif event == EVENTS.sits_out:
            out[MEASURES.idle_kinds + FROZEN] += 1
        elif event == EVENTS.waits:
            out[MEASURES.idle_kinds + WALLED_IN] += 1
        elif event == EVENTS.shard:
            out[MEASURES.fate + s.story[k, 3]] = 1 + FOUND
        elif event == EVENTS.swaps:
            count_swap(who, s.story[k, 3], out)
        elif event == EVENTS.shriek:
            out[MEASURES.swept] += s.story[k, 5]
            out[MEASURES.sweep_sizes + min(s.story[k, 5], 9)] += 1
        elif event == EVENTS.cut_off or event == EVENTS.stone_for_good:
            out[MEASURES.cut_off] = who


@rule
def count_drawn(s, event, who, tile, round_, out):
    """Count a drawn card. (Only the player who moved can have changed places, and that was before the draw.)"""
    if event == EVENTS.freezes:
        out[MEASURES.hits] += 1
        out[MEASURES.idle_kinds + FROZEN] += 1
        if round_ <= EARLY:
            out[MEASURES.early_hit] = 1
        if round_ == 1 and tile == START:
            out[MEASURES.start_hits] += 1
    elif event == EVENTS.bars:
        out[MEASURES.barred] += 1
    if s.pos[who] != CENTRE:
        out[MEASURES.early_fours] += tile == CENTRE
        if event != EVENTS.harmless:
            out[MEASURES.stone_by_round + (min(round_, LATE) - 1) * TILES + tile - 1] += 1
            if round_ <= EARLY:
                out[MEASURES.early_stone + tile - 1] += 1


# ---- Cards ----------------------------------------------------------------------------------------------------------


@rule
def count_card(s, player, action, out):
    """Count a Special Card that is about to be used."""
    card = 0 if ACTIONS.protect.includes(action) else 1 if ACTIONS.save_tile.includes(action) else 2
    out[MEASURES.protects + card] += 1  # the three numbers stand one after the other
    if s.pos[player] == CENTRE:
        out[MEASURES.centre_uses + card] += 1
    use = 2 * TILES
    if card == 2:
        out[MEASURES.player_save_round + player] = s.round
        out[MEASURES.rescues] += s.frozen[ACTIONS.save_player.argument(action)] > 0
    elif card == 1:
        out[MEASURES.tile_save_round + player] = s.round
        use = ACTIONS.save_tile.argument(action, 1) - 1
        out[MEASURES.save_targets + use] += 1
        use += TILES
    else:
        out[MEASURES.protect_round + player] = s.round
        use = ACTIONS.protect.argument(action, 1) - 1
        out[MEASURES.protect_targets + use] += 1
        out[MEASURES.centre_protects] += use == CENTRE - 1
    if out[MEASURES.first_use] < 0:
        out[MEASURES.first_use] = use


@rule
def count_shriek(s, quadrant, tile, out):
    """Count a Shriek that is about to be turned over, with its effect on Tile 4 and on the way there."""
    out[MEASURES.shrieks] += 1
    out[MEASURES.shriek_rounds + min(s.round, LATE) - 1] += 1
    out[MEASURES.opened] += s.cover[quadrant, CENTRE - 1] == STONE
    out[MEASURES.stripped] += s.cover[quadrant, CENTRE - 1] == PROTECT and s.shriek_spares_protect == 0
    stone = stone_tiles(s, quadrant)
    out[MEASURES.turns_gained] += turns_to(bit(tile), CENTRE_BIT, stone) - turns_to(bit(tile), CENTRE_BIT, stone & ODD_TILES)


@rule
def look_at_partners(s, player, tile, out):
    """Remember everybody's position when a Magic Trap is turned over, with the player on the trap's tile."""
    for friend in range(PLAYERS):
        here = tile if friend == player else s.pos[friend]
        out[MEASURES.way + friend] = turns_to(bit(here), CENTRE_BIT, stone_tiles(s, s.quad[friend]))
        out[MEASURES.plight + friend] = (s.frozen[friend] > 0) + 2 * is_blocked(s, friend)


@rule
def count_swap(player, friend, out):
    """Count a swap and how the partner stood before it. Ahead: nearer to the centre than the player who sprang the trap."""
    out[MEASURES.swaps] += 1
    out[MEASURES.partners] += out[MEASURES.plight + friend] & 1
    out[MEASURES.partners + 1] += out[MEASURES.plight + friend] >> 1
    ahead = out[MEASURES.way + player] - out[MEASURES.way + friend]
    out[MEASURES.partners + (2 if ahead > 0 else 3 if ahead == 0 else 4)] += 1


@rule
def shard_slot(s, quadrant):
    """The slot of the quadrant's Mirror Shard, now or before it was taken."""
    found = 0
    for slot in range(SLOTS):
        if s.mtype[quadrant, slot] == SHARD:
            found = slot
    return found


@rule
def look_for_shards(s, out):
    """Remember what first put each shard out of reach. (A buried one can still be found if Save Tile restores it.)"""
    for player in range(PLAYERS):
        quadrant = s.quad[player]
        if out[MEASURES.fate + quadrant] == 0:
            slot = shard_slot(s, quadrant)
            cover = s.cover[quadrant, MYSTERY_TILE[slot] - 1]
            if s.mstate[quadrant, slot] != FACE_DOWN:
                out[MEASURES.fate + quadrant] = 1 + SWEPT
            elif s.pos[player] == CENTRE:
                out[MEASURES.fate + quadrant] = 1 + LEFT
            elif cover == STONE:
                out[MEASURES.fate + quadrant] = 1 + BURIED
            elif cover == PROTECT:
                out[MEASURES.fate + quadrant] = 1 + SHIELDED
