"""Micro Medusa: Medusa grows hidden tiles out of her head, and the Champion answers each with Blade, Shield or Torch."""

from rulestone.kernel import NOBODY, About, Actions, Events, Reasons, Record, because, list_if, lowest, option, rand, require, rule
from rulestone.kernel.piles import fill, lift, pick
from rulestone.kernel.record import i8, i16, u8
from rulestone.kernel.story import tell, tell_only

from . import content
from .content import (
    ACTIVE,
    BITS,
    CAPTURES_TO_WIN,
    CHAIN_TO_WIN,
    COPIES,
    DEALT,
    EYEBALLS_TO_WIN,
    HAND,
    KINDS,
    LAST_SPACE,
    MARKET,
    NEIGHBOUR,
    OFF,
    SECRET,
    SHAPE,
    SIDES,
    SNAKEHEADS_TO_WIN,
    STACK,
    TILES,
    TURNED,
)

MEDUSA, CHAMPION, DRAW = 0, 1, 2
SNAKEHEAD, EYEBALL, SECTION, MEDUSAS_HEAD = 0, 1, 2, 5  # kinds 2, 3 and 4 are all Snake Sections
BLADE, SHIELD, TORCH, HEART = 0, 1, 2, 3
MEDUSA_DRAFT, CHAMPION_DRAFT, PLACE, RESPOND, ROTATE, OVER = 0, 1, 2, 3, 4, 5
NONE, HIDDEN = -1, -2  # instead of a kind or a piece of equipment
NOWHERE, BESIDE = 255, 254  # instead of a space
BESIDE_DIRECTION = 6
STAYED, CAPTURED, BLOCKED = 0, 1, 2
HEADS, STONE, CHAIN, CAPTURE, CLOSED, TILES_OUT = 1, 2, 4, 8, 16, 32  # bits of `reasons`
MEDUSAS_REASONS = HEADS | STONE | CHAIN
ALL = 99  # open ends: count them all

ABOUT = About(
    title="Micro Medusa",
    min_players=2,
    max_players=2,
    longest=5 * TILES - 1,  # Medusa drafts one tile less than there are; each tile takes at most one Champion draft and three decisions
    zero_sum=True,
    perfect_information=False,
    story=14,
    version=2,  # 2: options `judged_first` and `closing`; with `petrify` = three the Heart can be drafted; endings cite Q25
    minutes="3-10",
    seats=("Medusa", "Champion"),
    summary="Medusa places snakes, heads and staring eyes face down; the Champion guesses and answers with Blade, Shield or Torch.",
)

KIND_NAMES, KIND_LETTERS, GEAR_NAMES = content.KIND_NAMES, content.KIND_LETTERS, content.GEAR_NAMES
KIND_WORDS = [f"{letter}/{name}" for letter, name in zip(KIND_LETTERS, KIND_NAMES, strict=False)]
GEAR_WORDS = [f"{name}/{name[0]}" for name in GEAR_NAMES]
ACTIONS = Actions(  # by phase
    draft=(KIND_WORDS,),
    equip=(GEAR_WORDS,),
    place=(KIND_WORDS, range(1, LAST_SPACE + 1)),
    respond=(GEAR_WORDS, 7),
    rotate=6,
)

A_KIND = [f"an {name}" if name[0] in "AEIOU" else f"a {name}" for name in KIND_NAMES]
IN_THE_GAME = [name for name, copies in zip(KIND_NAMES, COPIES, strict=False) if copies]
TILE_WORDS = [f"{name} {letter}" if IN_THE_GAME.count(name) > 1 else name for name, letter in zip(KIND_NAMES, KIND_LETTERS, strict=False)]
TASKS = ("Medusa drafts", "the Champion drafts", "Medusa places", "the Champion answers", "Medusa rotates the tile")  # by phase
NTH = ("first", "second", "third", "fourth", *(f"{nth}th" for nth in range(5, MARKET + 1)))
PLURALS = ("tiles", "stares", "open ends", "Hearts")
COUNTED = {words: [f"{n or 'no'} {words if n != 1 else words[:-1]}" for n in range(100)] for words in PLURALS}
ROTATED = ("unrotated", "rotated by 1 side", *(f"rotated by {n} sides" for n in range(2, 6)))

EVENTS = Events(
    names={"kind": KIND_NAMES, "a_kind": A_KIND, "gear": GEAR_NAMES, "nth": NTH, "rotated": ROTATED, **COUNTED}
    | {"side": ("Medusa", "The Champion")},
    drafts="Medusa drafts {kind:a_kind}, the {slot:nth} tile in the market. [R18]",
    refills="The market is refilled with {kind:a_kind} in {slot:nth} place: {left:tiles} left in the stack. [R18]",
    leaves_empty="The stack is empty, so the {slot:nth} place in the market stays empty. [Q27]",
    conceals="Medusa conceals her {count:tiles}. [R20]",
    equips="The Champion takes the reserve {gear:gear} for this round. [R19]",
    places="Medusa places a tile face down on space {cell}. [R21]",
    lays="It is {kind:a_kind}, but only Medusa knows. [R20]",
    responds="The Champion answers with the {gear:gear}, on space {cell}. [R22]",
    answers_beside="The Champion answers with the {gear:gear}, played beside the board. [R22]",
    reveals="Medusa reveals the tile on space {cell}: {kind:a_kind}! [R23]",
    severs=f"The Blade severs the Snakehead on space {{cell}}: {{count}} of {CAPTURES_TO_WIN} captured. [R25]",
    reflects="The Shield reflects the stare: the Eyeball is flipped and blocks space {cell} for good. [R27]",
    burns="The Torch burns the Snake Section: it is flipped and blocks space {cell} for good. [R29]",
    may_rotate="The tile fits in {count} ways: Medusa chooses one. [Q14]",
    settles="The {kind:kind} stays and joins Medusa's hair on space {cell}, {rotation:rotated}. [R24]",
    hisses=f"The Snakehead hisses: {{count}} of {SNAKEHEADS_TO_WIN} Snakeheads in play. [R26]",
    stares="The Eyeball meets no Shield: {count:stares} so far. [R28]",
    drafted_stone="The drafted Heart turns to stone. [Q19]",
    standing_stone="One of the Champion's Hearts turns to stone: {left:Hearts} left. [R28]",
    grows="Medusa can grow from the Snake Section: {count:open ends} in all. [R30]",
    three_heads="{count} Snakeheads are connected to Medusa's head. [R10]",
    petrified="The Champion is petrified. [R11]",
    chained="A chain of {count} Snake Sections is complete. [R12]",
    three_captured="The Champion has captured {count} Snakeheads. [R13]",
    closed="No open end is left: Medusa is closed in. [R14]",
    sections_closed="No Snake Section has an open end left: Medusa is closed in. [Q24]",
    skips="Champion tiles cover every open space: this turn is skipped. [Q12]",
    closed_skip="Medusa has no open space: this turn is skipped. [Q25]",
    empty_handed="Medusa has no tile in hand: this turn is not played. [Q27]",
    runs_out="Medusa has run out of tiles. [R15]",
    round_ends="Round {round} ends, and the Champion takes back their equipment. [R34]",
    recovers="All Hearts beat again. [Q20]",
    round_begins="Round {round} begins. [R36]",
    no_draft="Medusa has nothing to draft. [Q27]",
    wins="{side:side} wins. [R33]",
    wins_at_once="{side:side} wins. [Q25]",
    draws="Both sides reach a goal in this round: it's a draw. [Q25]",
)

REASONS = Reasons(
    names={"task": TASKS, "tile": TILE_WORDS, "letter": KIND_LETTERS, "a_kind": A_KIND, "gear": GEAR_NAMES},
    busy="You can't do that now: first {phase:task}. [R16]",
    no_such="There are no {kind:letter} tiles in this game. [R2]",
    not_in_market="You can't draft that: there's no {kind:tile} in the market. [R18]",
    stone_heart="You can't take this Heart: it has turned to stone. [Q20]",
    not_in_hand="There's no {kind:tile} in Medusa's hand. [R21]",
    stone="There's stone on space {cell}: you can't place anything there. [Q8]",
    taken="There's already {kind:a_kind} on space {cell}. [Q5]",
    covered="A Champion tile covers space {cell} until the end of the round. [Q10]",
    no_end="No tress of Medusa's head or of an open Snake Section points at space {cell}. [Q5]",
    heart="You can't play a Heart as an answer. [Q21]",
    used="There's no {gear:gear} left in this round. It comes back in the next one. [R31]",
    beside="In this game answers take up no space: play them beside the board, in direction {direction}. [Q10]",
    not_beside="There's a free space next to the face-down tile, so the answer goes there. [Q11]",
    no_direction="A square has no direction {direction}: directions are 0 to 3. [Q2]",
    no_room="The space in that direction is taken. [Q10]",
    loose="The tile has to connect to as many tresses as possible. This rotation doesn't, or it looks the same as a smaller one. [Q14]",
)


class State(Record):
    """Everything on the table and in Medusa's hand."""

    grid: u8 = option(
        "hex",
        content.GRID_NAMES,
        "the shape of the spaces: hexagons, or squares with four sides (Q2)",
        title="Spaces",
        labels=[{"hex": "hexagons", "square": "squares"}.get(name, name) for name in content.GRID_NAMES],
    )
    section: u8 = option(
        "fork",
        content.SECTION_NAMES,
        "the tresses of a Snake Section: three in a fork, two in a bend, or two in a line (Q3)",
        title="Snake Sections",
    )
    run_out: u8 = option(
        "stack",
        ("stack", "draft", "all"),
        "when Medusa is out of tiles: the stack is empty, she can't fill her hand, or nothing is left (Q26)",
        labels=("the stack is empty", "she can't fill her hand", "nothing is left"),
    )
    petrify: u8 = option(
        "active",
        ("active", "three"),
        f"what petrifies the Champion: all active Hearts turned to stone, or {EYEBALLS_TO_WIN} unshielded Eyeballs (Q18)",
        labels=("all active Hearts", f"{EYEBALLS_TO_WIN} Eyeballs"),
    )
    hearts: u8 = option(
        "persist",
        ("persist", "reset"),
        "what happens to stone Hearts: they stay stone, or recover at the end of the round (Q20)",
        labels=("stay stone", "recover"),
    )
    champion_blocks: u8 = option("on", ("on", "off"), "whether the Champion's tile takes up a space until the end of the round (Q10)")
    soft_block: u8 = option("off", ("off", "on"), "whether Champion tiles on the field count as blocks for closing Medusa in (Q24)")
    heart_play: u8 = option("off", ("off", "on"), "whether a Heart may be played as an answer that matches nothing (Q21)")
    chain: u8 = option(
        "capped",
        ("capped", "bare"),
        "what a chain needs at its end: a Snakehead or an Eyeball, or nothing (Q16)",
        labels=("a Snakehead or Eyeball", "nothing"),
    )
    win_check: u8 = option(
        "immediate",
        ("immediate", "round_end"),
        "when a goal wins: right after the reveal, or at the end of the round (Q25)",
        labels=("right after the reveal", "at the end of the round"),
    )
    judged_first: u8 = option(
        "medusa",
        ("medusa", "champion"),
        "who is judged first if one tile reaches Medusa's goal and closes her in (Q25)",
        labels=("Medusa", "the Champion"),
    )
    closing: u8 = option(
        "all",
        ("all", "sections"),
        "which ends must be closed: all, or only those of Sections once there is one (Q24)",
        labels=("all", "those of Sections"),
    )

    phase: u8.within(0, OVER)  # 0 MEDUSA_DRAFT, 1 CHAMPION_DRAFT, 2 PLACE, 3 RESPOND, 4 ROTATE, 5 OVER
    round: u8  # from 1
    turn: u8.within(0, 1)  # 0 first, 1 second turn of the round
    winner: i8.within(-1, DRAW)  # -1 none, 0 Medusa, 1 Champion, 2 draw
    reasons: u8  # bits: 1 heads, 2 stone, 4 chain, 8 capture, 16 closed, 32 tiles
    stack: i8[STACK].within(0, KINDS - 1, NONE, HIDDEN)  # kinds, top = stack[stack_n - 1], then -1
    stack_n: u8.within(0, STACK)  # tiles in the stack
    market: i8[MARKET].within(0, KINDS - 1, NONE)  # kind, or -1
    hand: u8[KINDS].within(0, TILES)  # Medusa's hand per kind, without the face-down tile
    known: u8[KINDS].within(0, TILES)  # publicly known kinds among hand and unrevealed face-down tile
    secret: u8  # tiles dealt at the setup that are not yet publicly identified
    n_tiles: u8.within(0, TILES + 1)  # tiles on the table; entry 0 is Medusa's head
    t_cell: u8[TILES + 1].within(0, LAST_SPACE, NOWHERE)  # where each tile lies, in the order of settling
    t_kind: u8[TILES + 1].within(0, MEDUSAS_HEAD)  # its kind
    t_mask: u8[TILES + 1].within(0, 63)  # its sides with a tress, 0 if blocked
    t_blocked: u8[TILES + 1].within(0, 1)  # 1 if it was flipped and blocks its space
    fd_kind: i8.within(0, KINDS - 1, NONE, HIDDEN)  # the tile placed and not yet settled; -1 none, -2 hidden
    fd_cell: u8.within(0, LAST_SPACE, NOWHERE)  # its space, 255 none
    champ_equip: i8[2].within(0, HEART, NONE)  # Champion tiles on the field: 0 Blade, 1 Shield, 2 Torch, 3 Heart, -1 none
    champ_cell: u8[2].within(0, LAST_SPACE, BESIDE, NOWHERE)  # their spaces, 254 beside the board, 255 none
    equip: u8[3]  # unused Blades, Shields and Torches of this round
    drafted: i8.within(0, HEART, NONE)  # what the Champion drafted this round, -1 nothing
    live: u8  # standing Hearts with the heart side up
    reserve: u8.within(0, 1)  # 1 while the reserve Heart has its heart side up (also while drafted)
    heads: u8  # Snakeheads in play
    captured: u8  # Snakeheads captured
    hits: u8  # unshielded Eyeballs
    last_kind: i8.within(0, KINDS - 1, NONE)  # the last reveal: kind, -1 none
    last_cell: u8.within(0, LAST_SPACE, NOWHERE)  # its space, 255 none
    last_equip: i8.within(0, HEART, NONE)  # the Champion's answer, -1 none
    last_result: i8.within(0, 2, NONE)  # 0 stayed, 1 captured, 2 blocked, -1 none or not yet settled
    skips: u8  # skipped turns
    _notes: i16[6 + KINDS, 6]  # a notebook for the game's bot, empty in every position

    also = {f"opt_{name}": name for name in ("grid", "section", "run_out", "petrify", "hearts")} | {
        f"opt_{name}": name for name in ("champion_blocks", "soft_block", "heart_play", "chain", "win_check", "judged_first", "closing")
    }


# ---- setup ----------------------------------------------------------------------------------------------------------------


@rule
def setup(s):
    """R4-R9: Medusa's head in the centre, one secret tile, a market of four, the rest a stack; the Champion's Hearts."""
    s.t_kind[0] = MEDUSAS_HEAD
    s.t_mask[0] = SHAPE[s.grid, s.section, MEDUSAS_HEAD]
    s.n_tiles = 1
    s.winner = s.fd_kind = s.last_kind = s.last_equip = s.last_result = NONE
    s.fd_cell = s.last_cell = NOWHERE
    fill(s.market, 0, MARKET, NONE)
    s.secret = DEALT
    unseen = imagine_hand(s)
    if not SECRET:
        s.secret = 0
        for kind in range(KINDS):
            s.known[kind] = s.hand[kind]
    for slot in range(MARKET):
        s.market[slot] = deal(s, unseen, STACK + MARKET - slot)
        unseen -= 1 << 8 * s.market[slot]
    s.stack_n = STACK
    shuffle_into_stack(s, unseen, STACK)
    s.live = ACTIVE[HEART]
    s.reserve = 1
    begin_round(s)


@rule
def deal(s, unseen, count):
    """R5: a random tile out of `count` unseen ones; `unseen` holds how many there are of each kind, 8 bits for a kind."""
    place = rand(s, count)
    kind = 0
    while place >= (unseen >> 8 * kind & 255):
        place -= unseen >> 8 * kind & 255
        kind += 1
    return kind


@rule
def shuffle_into_stack(s, unseen, count):
    """R5: the unseen tiles in random order become the stack, as many as it has."""
    for place in range(min(s.stack_n, count)):
        s.stack[place] = deal(s, unseen, count - place)
        unseen -= 1 << 8 * s.stack[place]


# ---- the round ------------------------------------------------------------------------------------------------------------


@rule
def in_phase(s, phase):
    """R16: one Drafting Phase, then a Battle Phase and a Reveal Phase twice; each decision has its phase. Q31: nobody may pass."""
    return 0 if s.phase == phase else because(REASONS.busy, s.phase)


WHEN = {verb.name: (in_phase, phase) for phase, verb in enumerate(ACTIONS)}


@rule
def go_to(s, phase):
    """The next decision, and whose it is."""
    s.phase = phase
    refresh(s)


@rule
def refresh(s):
    """Medusa drafts, places and rotates; the Champion drafts and responds. (Also called after fields were written by hand.)"""
    s.to_move = NOBODY if s.phase == OVER else CHAMPION if s.phase in (CHAMPION_DRAFT, RESPOND) else MEDUSA


@rule
def begin_round(s):
    """R17: a Drafting Phase comes first. R6, R7, R34: nothing is drafted or on the field; weapons count from the Champion's draft on."""
    s.round += 1
    s.turn = 0
    s.drafted = NONE
    fill(s.equip, 0, 3, 0)
    fill(s.champ_equip, 0, 2, NONE)
    fill(s.champ_cell, 0, 2, NOWHERE)
    go_on_drafting(s, EVENTS.no_draft)


@rule
def begin_turn(s):
    """R21: Medusa goes first. Q12: without a free open space the turn is skipped. Q27: without a tile it is not played.
    R32: after two turns the round ends."""
    while s.turn < 2:
        if held(s) == 0:
            tell(s, EVENTS.empty_handed)
        elif open_ends(s, True, 1) > 0:
            go_to(s, PLACE)
            return
        else:
            s.skips += 1
            tell(s, EVENTS.skips if open_ends(s, False, 1) > 0 else EVENTS.closed_skip)
        s.turn += 1
    s.turn = 1
    end_round(s)


@rule
def end_round(s):
    """R15, Q26: Medusa has run out of tiles if the stack is empty, or she can't fill her hand again, or she has no tile at all.
    R33: is there a winner? If not, R34: the equipment is reset, R35: Medusa's tiles stay, R36: a new round begins."""
    left = s.stack_n if s.run_out == 0 else held(s) + market_size(s) + s.stack_n
    if s.reasons == 0 and left < (HAND if s.run_out == 1 else 1):
        reach(s, TILES_OUT, EVENTS.runs_out)
    if s.reasons != 0:
        finish(s, EVENTS.wins)
        return
    tell(s, EVENTS.round_ends, s.round)
    if s.hearts == 1 and s.petrify == 0 and (s.live < ACTIVE[HEART] or s.reserve == 0):  # Q20: reset
        s.live = ACTIVE[HEART]
        s.reserve = 1
        tell(s, EVENTS.recovers)
    tell(s, EVENTS.round_begins, s.round + 1)
    begin_round(s)


# ---- Drafting Phase -------------------------------------------------------------------------------------------------------


@rule
def held(s):
    """Q29: how many tiles Medusa has in hand and face down, which everybody can count."""
    count = s.secret
    for kind in range(KINDS):
        count += s.known[kind]
    return count


@rule
def market_size(s):
    """How many tiles are in the market."""
    count = 0
    for slot in range(MARKET):
        count += s.market[slot] != NONE
    return count


@rule
def go_on_drafting(s, otherwise, count=0):
    """R18: Medusa drafts until she has three tiles; Q27: as long as the market has tiles. `otherwise` is the event if she doesn't draft."""
    if held(s) < HAND and market_size(s) > 0:
        go_to(s, MEDUSA_DRAFT)
    else:
        tell(s, otherwise, count)
        go_to(s, CHAMPION_DRAFT)


@rule
def slot_of(s, kind):
    """Q37: the lowest market slot with a tile of that kind, or -1."""
    for slot in range(MARKET):
        if s.market[slot] == kind:
            return slot
    return -1


@rule
def may_draft(s, kind):
    """R18, Q30: any kind in the market, also one already drafted or just turned up."""
    return 0 if slot_of(s, kind) >= 0 else missing(kind, REASONS.not_in_market)


@rule
def missing(kind, reason):
    """R2: why there is no such tile: perhaps because this game has none."""
    return because(reason if COPIES[kind] > 0 else REASONS.no_such, kind)


@rule
def do_draft(s, kind):
    """R18: a market tile goes to the hand and its slot is refilled from the stack. R20: everybody sees which tile it is."""
    slot = slot_of(s, kind)
    s.hand[kind] += 1
    s.known[kind] += 1
    tell(s, EVENTS.drafts, kind, slot)
    if s.stack_n > 0:
        s.stack_n -= 1
        s.market[slot] = lift(s.stack, s.stack_n, NONE)
        tell(s, EVENTS.refills, s.market[slot], slot, s.stack_n)
    else:
        s.market[slot] = NONE
        tell(s, EVENTS.leaves_empty, slot)
    go_on_drafting(s, EVENTS.conceals, held(s))


@rule
def may_equip(s, gear):
    """R19: any reserve tile; Q20: but not a stone Heart."""
    return REASONS.stone_heart if gear == HEART and s.reserve == 0 else 0


@rule
def do_equip(s, gear):
    """R19: the drafted tile joins the Active Equipment for this round."""
    s.drafted = gear
    for weapon in range(3):
        s.equip[weapon] = ACTIVE[weapon] + (weapon == gear)
    tell(s, EVENTS.equips, gear)
    begin_turn(s)


# ---- Battle Phase: Medusa places ------------------------------------------------------------------------------------------


@rule
def tile_on(s, cell):
    """The index of the settled tile on a space, or -1."""
    for tile in range(s.n_tiles):
        if s.t_cell[tile] == cell:
            return tile
    return -1


@rule
def covered(s, cell):
    """Q10: is there a Champion tile on this space?"""
    return s.champ_cell[0] == cell or s.champ_cell[1] == cell


@rule
def can_grow(s, tile):
    """Q4, Q5, Q8: Medusa's head and face-up Snake Sections have ends; Snakeheads, Eyeballs and blocked tiles have none."""
    return s.t_kind[tile] >= SECTION and s.t_blocked[tile] == 0


@rule
def open_end(s, tile, side, count_champion):
    """Q5: the space that the open end on this side of a tile points at, or -1. `count_champion`: Champion tiles are obstacles."""
    if (s.t_mask[tile] >> side & 1) == 0:
        return -1
    cell = NEIGHBOUR[s.grid, s.t_cell[tile], side]
    taken = cell > LAST_SPACE or cell == s.fd_cell or tile_on(s, cell) >= 0 or (count_champion and covered(s, cell))
    return -1 if taken else cell


@rule
def open_ends(s, count_champion, enough, first=0):
    """Q5: how many open ends there are, Medusa's head included (two may point at one space); stops counting at `enough`."""
    count = 0
    for tile in range(first, s.n_tiles):
        if can_grow(s, tile):
            for side in range(SIDES[s.grid]):
                if open_end(s, tile, side, count_champion) >= 0:
                    count += 1
                    if count == enough:
                        return count
    return count


@rule
def open_cells(s, out, count_champion):
    """Q5: the spaces that open ends point at, ascending and each once, written to `out`; returns how many."""
    count = 0
    for tile in range(s.n_tiles):
        if can_grow(s, tile):
            for side in range(SIDES[s.grid]):
                cell = open_end(s, tile, side, count_champion)
                if cell >= 0:
                    count = insert(out, count, cell)
    return count


@rule
def insert(out, count, cell):
    """Insert a number into an ascending list unless it is already there; returns the new length."""
    place = count
    while place > 0 and out[place - 1] > cell:
        place -= 1
    if place > 0 and out[place - 1] == cell:
        return count
    for later in range(count, place, -1):
        out[later] = out[later - 1]
    out[place] = cell
    return count + 1


@rule
def may_place(s, kind, cell):
    """R21, Q5, Q6, Q32: any tile in hand, on a space that an open end points at and no Champion tile covers (Q10)."""
    if s.hand[kind] == 0:
        return missing(kind, REASONS.not_in_hand)
    tile = tile_on(s, cell)
    if tile >= 0:
        return because(REASONS.stone, cell) if s.t_blocked[tile] else because(REASONS.taken, s.t_kind[tile], cell)
    if covered(s, cell):
        return because(REASONS.covered, cell)
    return 0 if ends_into(s, cell) != 0 else because(REASONS.no_end, cell)


@rule
def legal_place(s, out, n):
    """The same, listed from the open ends. (It comes first, so n is 0.)"""
    cells = open_cells(s, out, True)
    for kind in range(KINDS):
        n += cells * (s.hand[kind] > 0)
    # The spaces are at the front of the list. The last kind is written first; the first kind finally overwrites the spaces.
    first = n
    for kind in range(KINDS - 1, -1, -1):
        if s.hand[kind] > 0:
            first -= cells
            for place in range(cells):
                out[first + place] = ACTIONS.place(kind, out[place])
    return n


@rule
def do_place(s, kind, cell):
    """R21: a tile from the hand goes face down onto the space; only Medusa knows which (R20)."""
    s.hand[kind] -= 1
    s.fd_kind = kind
    s.fd_cell = cell
    tell(s, EVENTS.places, cell)
    tell_only(s, MEDUSA, EVENTS.lays, kind)
    go_to(s, RESPOND)


# ---- Battle Phase: the Champion responds ----------------------------------------------------------------------------------


@rule
def free_directions(s):
    """Q10: the directions from the face-down tile to spaces without a tile; Q11: beside the board, only if there is none."""
    free = 0
    if s.champion_blocks == 0:
        for side in range(SIDES[s.grid]):
            cell = NEIGHBOUR[s.grid, s.fd_cell, side]
            if cell != OFF and tile_on(s, cell) < 0 and not covered(s, cell):
                free |= 1 << side
    return free if free != 0 else 1 << BESIDE_DIRECTION


@rule
def may_use(s, gear):
    """R22, Q22: any weapon tile not yet used this round; Q21: a Heart only with `heart_play`."""
    if gear == HEART:
        return 0 if s.heart_play == 1 else REASONS.heart
    return 0 if s.equip[gear] > 0 else because(REASONS.used, gear)


@rule
def may_respond(s, gear, direction):
    """R22: with any usable tile, Q10: on a free space next to the face-down tile, or beside the board (Q11)."""
    unusable = may_use(s, gear)
    if unusable or free_directions(s) >> direction & 1:
        return unusable
    if s.champion_blocks == 1:
        return because(REASONS.beside, BESIDE_DIRECTION)
    if direction == BESIDE_DIRECTION:
        return REASONS.not_beside
    return because(REASONS.no_direction, direction) if direction >= SIDES[s.grid] else REASONS.no_room


@rule
def legal_respond(s, out, n):
    """The same, finding the free spaces only once."""
    free = free_directions(s)
    for gear in range(4):
        if may_use(s, gear) == 0:
            for direction in range(7):
                n = list_if(~free >> direction & 1, ACTIONS.respond(gear, direction), out, n)
    return n


@rule
def do_respond(s, gear, direction):
    """R22: the Champion's tile goes next to the face-down tile, R31: where it stays until the end of the round. R23: the face-down
    tile is revealed and meets the answer. Q13: only a tile that stays is rotated."""
    which = 0 if s.champ_equip[0] == NONE else 1
    kind = s.fd_kind
    s.champ_equip[which] = gear
    if gear < HEART:
        s.equip[gear] -= 1
    if direction == BESIDE_DIRECTION:
        s.champ_cell[which] = BESIDE
        tell(s, EVENTS.answers_beside, gear)
    else:
        s.champ_cell[which] = NEIGHBOUR[s.grid, s.fd_cell, direction]
        tell(s, EVENTS.responds, gear, s.champ_cell[which])
    s.last_kind = kind
    s.last_cell = s.fd_cell
    s.last_equip = gear
    s.last_result = NONE
    tell(s, EVENTS.reveals, s.fd_cell, kind)
    if s.known[kind] > 0:  # Q29: if the kind was drafted, one known tile less; otherwise it must be a tile from the setup
        s.known[kind] -= 1
    else:
        s.secret -= 1
    if matches(kind, gear):
        defeat(s)
        judge_reveal(s)
        return
    ways = rotations(s, s.fd_cell, kind)
    if BITS[ways] > 1:
        tell(s, EVENTS.may_rotate, BITS[ways])
        go_to(s, ROTATE)
    else:
        do_rotate(s, lowest(ways))


# ---- Reveal Phase ---------------------------------------------------------------------------------------------------------


@rule
def matches(kind, gear):
    """R25, R27, R29: Blade beats Snakehead, Shield beats Eyeball, Torch beats any Snake Section; a Heart beats nothing (Q21)."""
    return gear == min(kind, SECTION)


@rule
def defeat(s):
    """R25, Q9: a Snakehead leaves the game, and its space is open again. R27, R29, Q8: other tiles are flipped and block their space."""
    if s.fd_kind == SNAKEHEAD:
        s.captured += 1
        s.last_result = CAPTURED
        tell(s, EVENTS.severs, s.fd_cell, s.captured)
        s.fd_kind = NONE
        s.fd_cell = NOWHERE
    else:
        s.last_result = BLOCKED
        tell(s, EVENTS.reflects if s.fd_kind == EYEBALL else EVENTS.burns, s.fd_cell)
        add_tile(s, 0)


@rule
def add_tile(s, mask):
    """The tile in play becomes the next tile on the table; a flipped one has no tresses."""
    tile = s.n_tiles
    s.t_cell[tile] = s.fd_cell
    s.t_kind[tile] = s.fd_kind
    s.t_mask[tile] = mask
    s.t_blocked[tile] = mask == 0
    s.n_tiles = tile + 1
    s.fd_kind = NONE
    s.fd_cell = NOWHERE


@rule
def facing(s, cell, side):
    """Q14: the tile beyond a side of a space if one of its tresses points into the space, or -1; a flipped tile has none (Q8)."""
    tile = tile_on(s, NEIGHBOUR[s.grid, cell, side])
    back = (side + SIDES[s.grid] // 2) % SIDES[s.grid]
    return tile if tile >= 0 and s.t_blocked[tile] == 0 and s.t_mask[tile] >> back & 1 else -1


@rule
def grower(s, cell, side):
    """Q14: the tile beyond a side of a space if one of its tresses points into the space and Medusa can grow from it, or -1."""
    tile = facing(s, cell, side)
    return tile if tile >= 0 and can_grow(s, tile) else -1


@rule
def ends_into(s, cell):
    """Q14: the sides of a space at which a tress of Medusa's head or a Section points into it, as bits."""
    sides = 0
    for side in range(SIDES[s.grid]):
        sides |= (grower(s, cell, side) >= 0) << side
    return sides


@rule
def rotations(s, cell, kind):
    """R24, Q14: the rotations, as bits, that connect the tile to the largest possible number of tresses."""
    ends = ends_into(s, cell)
    best = ways = 0
    for rotation in range(SIDES[s.grid]):
        mask = turned(s, kind, rotation)
        if mask >= 0:  # Q14: orientations that look the same are one choice, the smallest
            joined = BITS[mask & ends]
            if joined > best:
                best = joined
                ways = 0
            if joined == best:
                ways |= 1 << rotation
    return ways


@rule
def turned(s, kind, rotation):
    """The sides on which a tile has a tress after this rotation, or -1 if a smaller rotation looks the same."""
    return TURNED[s.grid, SHAPE[s.grid, s.section, kind], rotation]


@rule
def may_rotate(s, rotation):
    """R24, Q14: one of the best rotations."""
    return 0 if rotations(s, s.fd_cell, s.fd_kind) >> rotation & 1 else REASONS.loose


@rule
def do_rotate(s, rotation):
    """R24: the revealed tile stays the way Medusa chose."""
    settle(s, rotation)
    judge_reveal(s)


@rule
def settle(s, rotation):
    """R26, R28, R30, Q34: a tile that met the wrong answer stays face up and does what its kind does. An Eyeball turns the drafted
    Heart to stone if it is active and alive, otherwise a standing one (Q19). Q18: with `petrify` = three Hearts don't matter."""
    kind = s.fd_kind
    s.last_result = STAYED
    tell(s, EVENTS.settles, kind, s.fd_cell, rotation)
    add_tile(s, turned(s, kind, rotation))
    if kind == SNAKEHEAD:
        s.heads += 1
        tell(s, EVENTS.hisses, s.heads)
    elif kind == EYEBALL:
        s.hits += 1
        tell(s, EVENTS.stares, s.hits)
        if s.petrify == 0 and s.drafted == HEART and s.reserve == 1:
            s.reserve = 0
            tell(s, EVENTS.drafted_stone)
        elif s.petrify == 0 and s.live > 0:
            s.live -= 1
            tell(s, EVENTS.standing_stone, s.live)
    else:
        tell(s, EVENTS.grows, open_ends(s, False, ALL))


# ---- winning --------------------------------------------------------------------------------------------------------------


@rule
def judge_reveal(s):
    """Q25: after each reveal the game may be over; with `round_end` the round is played out."""
    judge_goals(s)
    if s.reasons != 0 and s.win_check == 0:
        finish(s, EVENTS.wins_at_once)
    else:
        s.turn += 1
        begin_turn(s)


@rule
def judge_goals(s):
    """R13: three captured Snakeheads. R14, Q24: no open end left, but not once Medusa has reached a goal. Q25: if one tile both reaches
    Medusa's goal and closes her in, the side that is judged first wins."""
    if s.judged_first == MEDUSA:
        judge_medusa(s)
    if s.captured >= CAPTURES_TO_WIN:
        reach(s, CAPTURE, EVENTS.three_captured, s.captured)
    if s.reasons & MEDUSAS_REASONS == 0 and open_ends(s, s.soft_block == 1, 1, first_to_close(s)) == 0:
        reach(s, CLOSED, EVENTS.closed if first_to_close(s) == 0 else EVENTS.sections_closed)
    if s.judged_first == CHAMPION and s.reasons & CLOSED == 0:
        judge_medusa(s)


@rule
def judge_medusa(s):
    """R10, Q17: three Snakeheads. R11: all active Hearts stone. R12: a chain, which only a tile that stays can complete (Q16)."""
    if s.heads >= SNAKEHEADS_TO_WIN:
        reach(s, HEADS, EVENTS.three_heads, s.heads)
    if is_petrified(s):
        reach(s, STONE, EVENTS.petrified)
    if s.last_result == STAYED and sections(s) >= CHAIN_TO_WIN:
        length = longest_chain(s, s.chain == 1)
        if length >= CHAIN_TO_WIN:
            reach(s, CHAIN, EVENTS.chained, length)


@rule
def first_to_close(s):
    """Q24: the first tile whose open ends keep Medusa from being closed in: her head or, with `closing` = sections, the tile after it."""
    return 1 if s.closing == 1 and sections(s) > 0 else 0


@rule
def reach(s, goal, event, number=0):
    """A goal is reached; the story tells it once."""
    if s.reasons & goal == 0:
        tell(s, event, number)
    s.reasons |= goal


@rule
def is_petrified(s):
    """R11, Q18: no standing Heart is left, or (`petrify` = three) three Eyeballs met no Shield."""
    return s.hits >= EYEBALLS_TO_WIN if s.petrify == 1 else s.live == 0


@rule
def sections(s):
    """The number of face-up Snake Sections."""
    count = 0
    for tile in range(1, s.n_tiles):
        count += can_grow(s, tile)
    return count


@rule
def joined(s, tile, side):
    """Q14: the tile connected to this one across a side, or -1; both must have a tress there."""
    return facing(s, s.t_cell[tile], side) if s.t_mask[tile] >> side & 1 else -1


@rule
def longest_chain(s, bare):
    """R12, Q16: the most Sections on a simple path from Medusa's head to a Snakehead or Eyeball (`bare`: to anywhere).

    Walks all paths: `trail` holds, for each step back, the tile (5 bits) and the side (3 bits) it was left by.
    """
    best = here = side = length = trail = 0
    visited = 1
    while length > 0 or side < SIDES[s.grid]:
        there = joined(s, here, side) if side < SIDES[s.grid] else -1
        is_end = there >= 0 and s.t_kind[there] < SECTION
        if bare or is_end:
            best = max(best, length)
        if side == SIDES[s.grid]:
            visited ^= 1 << here
            here = trail >> 3 & 31
            side = (trail & 7) + 1
            trail >>= 8
            length -= 1
        elif there < 0 or is_end or visited >> there & 1:
            side += 1
        else:
            trail = trail << 8 | here << 3 | side
            visited |= 1 << there
            here = there
            side = 0
            length += 1
    return best


@rule
def rounds_left(s):
    """R15, Q26: the largest number of rounds left, including this one, if no turn is skipped, from what everybody knows."""
    if s.run_out == 0:
        to_draft = HAND - held(s) if s.phase == MEDUSA_DRAFT else 0
        return 1 + max(0, (s.stack_n - to_draft + 1) // 2)
    played = s.turn + (s.phase == ROTATE)  # tiles of this round that are out of her hand for good
    tiles = played + held(s) + market_size(s) + s.stack_n
    return max(1, (tiles - (HAND - 1 if s.run_out == 1 else 0) + 1) // 2)


@rule
def finish(s, event):
    """R33, Q25: the game is over and everything stays where it is. Q25: goals of both sides in one round are a draw."""
    medusa = s.reasons & MEDUSAS_REASONS != 0
    if medusa and s.reasons & ~MEDUSAS_REASONS != 0:
        s.winner = DRAW
        tell(s, EVENTS.draws)
    else:
        s.winner = MEDUSA if medusa else CHAMPION
        s.payoff[s.winner] = 1
        s.payoff[1 - s.winner] = -1
        tell(s, event, s.winner)
    go_to(s, OVER)


# ---- for callers who ask before they do it --------------------------------------------------------------------------------


@rule
def lives(s):
    """Q18, Q19: how many Hearts must turn to stone."""
    return s.live + (s.reserve if s.drafted == HEART else 0)


@rule
def ends_to_close(s):
    """R14, Q24: how many open ends keep Medusa from being closed in."""
    return open_ends(s, False, ALL, first_to_close(s))


@rule
def foresee(s, kind, cell, matched):
    """The open ends and the goals reached if this tile is placed here and matched, or not (ignoring the Champion's tile)."""
    do_place(s, kind, cell)
    if matched:
        defeat(s)
    else:
        settle(s, lowest(rotations(s, cell, kind)))
    judge_goals(s)
    return ends_to_close(s), s.reasons


# ---- what is hidden -------------------------------------------------------------------------------------------------------


@rule
def hide(s, viewer):
    """R5: nobody knows the stack. R8, R20: only Medusa knows her hand and the face-down tile until it is revealed."""
    fill(s.stack, 0, STACK, NONE)
    if viewer != MEDUSA:
        fill(s.hand, 0, KINDS, 0)
        if s.phase == RESPOND:
            s.fd_kind = HIDDEN


@rule
def seen(s, action, viewer):
    """R20: others see that a tile is placed, and where, but not its kind."""
    return 0b101 if ACTIONS.place.includes(action) else -1


@rule
def redeal(s, viewer):
    """Q29: the hand is the publicly known tiles plus an unseen tile for each secret one; the other unseen tiles are the stack."""
    unseen = unseen_tiles(s, viewer) if viewer == MEDUSA else imagine_hand(s)
    if viewer != MEDUSA and s.phase == RESPOND:  # any tile of that hand may be the one that lies face-down
        kind = pick(s, s.hand, 0, KINDS)
        if kind != NONE:
            s.fd_kind = kind
            s.hand[kind] -= 1
    shuffle_into_stack(s, unseen, total(unseen))


@rule
def imagine_hand(s):
    """Q29: imagine a possible hand for Medusa, including the face-down tile; returns the tiles that are then unseen."""
    unseen = unseen_tiles(s, CHAMPION)
    for kind in range(KINDS):
        s.hand[kind] = s.known[kind]
    for _ in range(min(s.secret, total(unseen))):
        kind = deal(s, unseen, total(unseen))
        s.hand[kind] += 1
        unseen -= 1 << 8 * kind
    return unseen


@rule
def unseen_tiles(s, viewer):
    """The tiles a viewer has not seen on the table, captured, in the market or in a hand they know: 8 bits per kind."""
    unseen = 0
    for kind in range(KINDS):
        count = COPIES[kind] - (s.hand[kind] if viewer == MEDUSA else s.known[kind])
        for tile in range(1, s.n_tiles):
            count -= s.t_kind[tile] == kind
        for slot in range(MARKET):
            count -= s.market[slot] == kind
        count -= s.captured if kind == SNAKEHEAD else 0
        count -= s.fd_kind == kind  # hidden from the Champion before the reveal, and then part of `known` or the secret tile
        unseen |= max(count, 0) << 8 * kind
    return unseen


@rule
def total(unseen):
    """The number of tiles in such a set."""
    count = 0
    for kind in range(KINDS):
        count += unseen >> 8 * kind & 255
    return count


# ---- for people -----------------------------------------------------------------------------------------------------------


def check(s):
    """What is true in every real game: every tile is somewhere, public knowledge fits the hand, nobody has won unnoticed."""
    in_play, unrevealed = s.fd_kind >= 0, s.phase == RESPOND
    require(in_play == (s.phase in (RESPOND, ROTATE)), "a tile is in play exactly from its placement until it is settled")
    require((s.fd_cell != NOWHERE) == in_play, "a tile has a space exactly while it is in play")
    places = [*s.market, *(s.stack[place] for place in range(s.stack_n)), *(s.t_kind[tile] for tile in range(1, s.n_tiles)), s.fd_kind]
    places += [SNAKEHEAD] * s.captured
    for kind in range(KINDS):
        count, pool = places.count(kind) + s.hand[kind], s.hand[kind] + (unrevealed and s.fd_kind == kind)
        require(count == COPIES[kind], f"there are {count} tiles of kind {kind}, not {COPIES[kind]}")
        require(s.known[kind] <= pool, f"{s.known[kind]} tiles of kind {kind} are known, but Medusa has {pool}")
    require(all(s.stack[place] == NONE for place in range(s.stack_n, STACK)), "the stack has a gap")
    require(held(s) == sum(s.hand) + unrevealed, "public knowledge does not fit the size of the hand")
    require((s.phase == OVER) == (s.winner != NONE), "the game is over exactly when it has a result")
    require(s.to_move == (NOBODY if s.phase == OVER else s.phase in (CHAMPION_DRAFT, RESPOND)), "it is the wrong player's turn")
    if s.phase != OVER and s.win_check == 0:
        require(s.reasons == 0, "a goal has been reached, but the game continues")
        require(s.heads < SNAKEHEADS_TO_WIN and s.captured < CAPTURES_TO_WIN, "enough Snakeheads to win, but the game continues")
        require(not is_petrified(s), "the Champion is petrified, but the game continues")
        require(in_play or open_ends(s, False, 1) > 0, "Medusa is closed in, but the game continues")
    check_table(s)


def check_table(s):
    """Counters and equipment agree with the table. R21, R24, Q7: face-up tiles reach Medusa's head, and no two share a space."""
    played = [gear for gear in s.champ_equip if gear != NONE]
    full = 0 if s.drafted == NONE else sum(ACTIVE[:HEART]) + (s.drafted < HEART)
    require(sum(s.equip) + len(played) - played.count(HEART) == full, "the weapons, unused and on the field, don't add up")
    require(s.phase not in (PLACE, RESPOND) or len(played) == s.turn, "the Champion has not played once for each finished turn")
    require(all((s.champ_equip[i] == NONE) == (s.champ_cell[i] == NOWHERE) for i in range(2)), "a Champion tile has no space")
    cells = [s.t_cell[tile] for tile in range(s.n_tiles)]
    require(len(set(cells)) == len(cells), "two tiles share a space")
    require(s.fd_cell not in cells, "the tile in play is on another tile")
    require(not {*cells} & {*s.champ_cell}, "a Champion tile is on another tile")
    faces = [s.t_kind[tile] for tile in range(1, s.n_tiles) if not s.t_blocked[tile]]
    require(s.heads == faces.count(SNAKEHEAD), f"{s.heads} Snakeheads counted, {faces.count(SNAKEHEAD)} in play")
    require(s.hits == faces.count(EYEBALL), f"{s.hits} stares counted, {faces.count(EYEBALL)} Eyeballs in play")
    reached = [0]
    for tile in reached:  # it grows
        reached.extend({joined(s, tile, side) for side in range(int(SIDES[s.grid]))} - {-1, *reached})
    for tile in range(TILES + 1):
        blocked = bool(s.t_blocked[tile])
        if tile < s.n_tiles:
            require(blocked == (s.t_mask[tile] == 0), f"tile {tile} is blocked and has tresses, or neither")
            require(blocked or tile in reached, f"tile {tile} is not connected to Medusa's head")
        else:
            require(not (s.t_cell[tile] or s.t_kind[tile] or s.t_mask[tile] or blocked), "unused tile entries are not blank")
