"""Hydra Regatta: triremes race twice around the Hydra, on a course that changes under way."""

from rulestone.kernel import NOBODY, About, Actions, Events, Record, option, rand, require, rule, shuffle, tell, tell_only, u8, u16, u64

from .content import (
    ADD_MOVE,
    ADD_NAV,
    ADVANCE,
    ALL_LOSE_FISH,
    ANGLE,
    ANY_PATH,
    BOAT,
    BOLT,
    CARD_NAMES,
    CARDS,
    DOT_NAMES,
    DRAW_PLACE,
    EFFECT,
    ENTRY,
    EXIT,
    EXITS,
    GAIN_FISH,
    ICON,
    ICON_BOOST,
    ICON_CHARYBDIS,
    ICON_FAVOR,
    ICON_FISH,
    ICON_HYDRA,
    ICON_SCYLLA,
    ICON_START,
    ICON_WEDGE,
    IGNORE_HYDRA,
    KIND,
    LABEL,
    LANE,
    LONGEST_LAP,
    LOSE_FISH,
    MARKED,
    MAX_DOTS,
    NO_BUST,
    NO_PROTECT,
    NO_SECOND,
    PARAMETER,
    PRE_LINE,
    REROLL,
    RING_SLOTS,
    SET_NAV,
    SLOW,
    STACK,
    START_DOT,
    START_WEDGE,
    STARTER,
    STEAL_FISH,
    STOLEN,
    STOP,
    TRIDENT,
    TYPE,
    UNMARKED,
    WEDGE_NAMES,
)

NONE = 255
ALL_CARDS = (1 << CARDS) - 1
MAX_FISH, LINE_FISH, BOOST = 3, 1, 3  # R42, R46, R45
FAVOR_LIMIT = 2  # R43: Favors drawn in a turn
PROTECTION = 1  # R53: dots without Hydras for each point of navigation
WEDGES_COVER = 1  # R24: a placed wedge covers what lies there; 0: the course stays as it was (what are the wedges worth?)
if not (0 < MAX_FISH <= 20 and 0 <= LINE_FISH <= 20 and 0 <= FAVOR_LIMIT <= 2 and 0 <= PROTECTION <= 20 and 0 <= BOOST <= 3):
    raise ValueError("at most 20 fish, 2 Favors in a turn, 20 dots of protection for a point and boosts of 3 dots are possible")
if WEDGES_COVER not in (0, 1):
    raise ValueError("WEDGES_COVER is 0 or 1")
BOOST_DOTS = f"{BOOST} dot{'s' * (BOOST != 1)}"
STORY = 64

# The phases: what is being asked.
SETUP, NAV, FIRST, SECOND, VALUE, WEDGE, MOVE, HYDRA, ENDWIN, SLOTS, TARGET, ROOM, STEAL, GAIA, OVER = range(15)
# The bits of `flags`.
SKIP, FREE, BATTLE, NOPROT, NO2 = (1 << bit for bit in range(5))
# What comes next when nobody has to be asked: see `run_on`.
ASK, ROUND, DICE, DICED, TURN, SAIL, MOVED, REVEAL, TURNED = range(9)
# Stored values of the options that have names.
SEQUENTIAL, HIDDEN = 0, 1
SKIPPED_FREE, SKIPPED_RESTRICTED = 0, 1
INCLUDING, BEFORE = 0, 1
RADIUS, BY_ANGLE = 0, 1
WINNER, RANK = 0, 1

# Bounds for `longest`, see there.
TURN_DECISIONS, MOST_DOTS = 22 + MAX_FISH, 150


def longest_for(players, options):
    """A bound on the number of decisions.

    Each turn moves a Ship on, so a race has at most LONGEST_LAP rounds a lap. A player's turn asks at most 25 questions besides those
    at dots: 12 while rolling (3 fish and two Demeters are 7 rerolls, 2 uses and 3 decisions), 2 wedges, 4 Favors used, 3 ends of
    movement, 2 x 2 for revealed Favors. A dot asks at most twice (a Hydra, a fork), and a Ship passes at most LONGEST_LAP dots a
    lap and not 150 more in its last turn.
    """
    rounds = LONGEST_LAP * options["laps"]
    return players * (1 + rounds * TURN_DECISIONS + 2 * (rounds + MOST_DOTS))


ABOUT = About(
    title="Hydra Regatta",
    min_players=2,
    max_players=4,
    longest=longest_for(4, {"laps": 2}),
    perfect_information=False,
    story=STORY,
    version=2,  # 2: moves that others do not notice are counted
    minutes="45",
    seats=("Red", "Blue", "Green", "Yellow"),
    summary="Push your luck with the dice and race your trireme twice around the Hydra, on a course that changes under way.",
)

ACTIONS = Actions(
    ship="A B C D",
    nav_keep=(),
    nav_reroll=(),
    hold=(),
    roll2=(),
    accept2=(),
    reroll2=(),
    use=2,
    value=range(1, 4),
    wedge=(2, RING_SLOTS),
    step=3,
    end_move=(),
    feed=(),
    battle=(),
    target=4,
    replace=2,
    discard_new=(),
    discard_own=2,
)

EVENTS = Events(
    names={"card": CARD_NAMES, "wedge": WEDGE_NAMES, "dot": DOT_NAMES, "lane": ("A", "B", "C", "D")},
    line="The Starting Line is laid on {wedge:wedge} in slot {slot}. [R3]",
    starter="{who:seat} is dealt {card:card}, Starter {number}. [R7]",
    ship="{who:seat} takes lane {lane:lane} of the Starting Line. [R8]",
    first_fleece="{who:seat} placed last and gets the Golden Fleece. [R10]",
    fleece="The Golden Fleece goes to {who:seat}, who is in last place. [R13]",
    keeps_fleece="{who:seat} is in last place and keeps the Golden Fleece. [R13]",
    round="Round {number} begins: everybody rolls. [R12]",
    last_round="This was the last round. [R56]",
    nav="{who:seat} rolls a {die} for navigation. [R15]",
    set_nav="{who:seat} turns the Navigation die to {die}. [Q31]",
    first="{who:seat} rolls a {die} with the first Movement die. [R16]",
    hold="{who:seat} is content with {first}. [R17]",
    second="{who:seat} dares a second Movement die: {die}. [R17]",
    pays_reroll="{who:seat} spends a fish to roll again. [R54]",
    success="{who:seat} keeps both dice: {first} and {second}. [R18]",
    bust="Bust! {who:seat} rolled {second} after {first} and loses both Movement dice. [R19]",
    dice="{who:seat} has {nav} for navigation and {first} and {second} for movement. [Q5]",
    no_second="{who:seat} may not roll the second Movement die. [Q32]",
    places="{who:seat} places {wedge:wedge} on slot {slot}. [R24]",
    voyage="{who:seat} sets sail with {move} movement and a protection of {prot} from Hydras. [R21]",
    sails="{who:seat} sails to {dot:dot} in slot {slot}, {left} movement left. [R30]",
    skips="{who:seat} sails past a Ship on {dot:dot} in slot {slot}, free of charge. [R33]",
    path="{who:seat} leaves Charybdis by path {label}. [R47]",
    pays_scylla="{who:seat} leaves Scylla by the path that costs {label} fish. [R49]",
    lap="{who:seat} crosses the Starting Line: lap {lap}. [R46]",
    fish="{who:seat} gets {count} fish and has {total}. [R42]",
    full="{who:seat} has no room for more fish. [R42]",
    draws="{who:seat} draws a Favor, face down. [R43]",
    reshuffle="The discarded Favors are shuffled into a new deck. [R41]",
    wedge="{who:seat} draws the wedge {wedge:wedge} for the next turn. [R44]",
    boost=f"A boost carries {{who:seat}} {BOOST_DOTS} further: {{left}} movement left. [R45]",
    protected="{who:seat} slips past the Hydra on dot {moved} of the turn: protected. [R53]",
    feeds="{who:seat} feeds a fish to the Hydra. [R51]",
    battles="{who:seat} has no fish and battles the Hydra, losing {lost} movement. [R52]",
    uses="{who:seat} uses {card:card}. [R35]",
    curse="{card:card} strikes {who:seat}. [Q32]",
    slowed="{who:seat} is slowed down to {move} movement. [Q32]",
    unprotected="{who:seat} has no protection from Hydras. [Q32]",
    anchor="{who:seat} drops anchor and gives up {lost} movement. [Q31]",
    cancelled="Busy with the battle, {who:seat} loses the Favors still facedown: {count}. [Q26]",
    bolt="{who:seat} reveals {card:card}: a lightning bolt strikes at once. [R38]",
    boat="{who:seat} reveals {card:card} and keeps it. [R39]",
    crowded="{who:seat} reveals {card:card} but has no free Favor slot. [R39]",
    replaces="{who:seat} discards {old:card} to keep {new:card}. [R39]",
    declines="{who:seat} discards {card:card}. [R39]",
    trident="{who:seat} reveals {card:card}, a trident for somebody else. [R40]",
    cursed="{who:seat} lays {card:card} on the board of {victim:seat}. [R40]",
    makes_room="{who:seat} discards {old:card} to make room for {new:card}. [R40]",
    loses_fish="{who:seat} returns {count} fish. [R54]",
    steals="{who:seat} takes {count} fish from {victim:seat}. [Q35]",
    gaia="{who:seat} draws {wedge:wedge} to place it at once. [Q35]",
    nothing="{card:card} has no effect. [Q35]",
    rank="Place {place}: {who:seat}, laps completed: {laps}. [R57]",
    wins="{who:seat} wins the regatta. [R57]",
)


class State(Record):
    """The ring, the stacks, the player boards, and where the turn stands. 255 is none."""

    also = {"n": "players"}  # noqa: RUF012

    phase: u8  # what is asked: SETUP 0, NAV 1, … OVER 14
    round: u8  # 0 during setup
    turn: u8  # index in the order starting with the Fleece, for the dice and for the turns
    fleece: u8  # who holds the Golden Fleece
    final: u8  # 1 when somebody has completed the last lap
    start_slot: u8  # where the Starting Line wedge lies
    under: u8  # the wedge below it, out of the game
    order0: u8[4]  # order of placing Ships in setup
    setup_i: u8  # how many have been placed
    top: u8[12]  # the visible wedge of each slot
    height: u8[12]  # wedges in each pile
    stack: u8[16]  # wedges to draw; the next is stack[16 - stack_n]
    stack_n: u8
    hand: u8[4, 2]  # wedges drawn and to be placed next turn
    deck: u8[CARDS]  # Favors to draw; the next is deck[36 - deck_n]
    deck_n: u8
    disc: u64  # the discard pile as a set of bits
    slots: u8[4, 2]  # the two Favor slots of each player board
    face: u8[2]  # facedown Favors of the player in turn
    face_n: u8
    drawn: u8  # Favors drawn this turn
    wdrawn: u8  # wedges drawn this turn
    reshuf: u8  # 1: the deck was reshuffled while face[0] was waiting, so everybody can deduce it
    pend: u8  # revealed boat or trident that waits for a decision
    ptarget: u8  # who receives the trident
    gaia: u8  # wedge to be placed at once
    fish: u8[4]
    pos: u8[4]  # slot * 16 + dot of each Ship
    wake: u8[4]  # where each Ship's turn began
    laps: u8[4]  # times each Ship has crossed the line
    nav: u8[4]  # Navigation die, 0 = not on the board
    d1: u8[4]  # first Movement die
    d2: u8[4]  # second Movement die
    bust: u8[4]  # 1: lost both Movement dice this round
    move: u8  # movement left
    moved: u8  # dots moved this turn
    prot: u8  # Hydras up to this dot are ignored
    cur: u8  # dot from which the next exit is chosen: the Ship's, or the one being skipped
    flags: u8  # SKIP 1, FREE 2 (Janus), BATTLE 4, NOPROT 8 (Ares), NO2 16 (Eris)
    snap: u8[20]  # fish (4), Favor slots (8) and discard pile (8 bytes) when the dice phase began
    rank: u8[4]  # final ranking: the seat in each place
    unnoticed: u16[5]  # with hidden rolls: how many decisions a spectator and each player did not notice (hidden)

    start_fish: u8 = option(2, (2, 1), "fish at the start; 1 is the difficult game (R5)")
    race: u8 = option(2, (2, 1, 3), "laps to complete (Q44)", name="laps")
    roll_mode: u8 = option("sequential", ("sequential", "hidden"), "whether players see the dice of those who rolled before them (Q5)")
    skip_whirlpool: u8 = option(
        "free", ("free", "restricted"), "whether the path of a skipped whirlpool is free or must match a die or be paid (Q18)"
    )
    hydra_count: u8 = option("including", ("including", "before"), "whether the Hydra's own dot counts for protection (Q23)")
    battle_cancels_reveal: u8 = option("no", ("no", "yes"), "whether a battle also discards the Favors drawn this turn (Q26)")
    rank_in_wedge: u8 = option("radius", ("radius", "angle"), "who is ahead on the same wedge: the inner lane, or further clockwise (Q39)")
    returns: u8 = option("winner", ("winner", "rank"), "result: +1 for the winner and -1 for all others, or linear by place (Q43)")


# ---- setup ----------------------------------------------------------------------------------------------------------------


@rule
def setup(s):
    """R2 to R8: the ring, the stack, the boards and the Favors; then the first Ship is to be placed."""
    lay_ring(s)
    for k in range(STACK):
        s.stack[k] = UNMARKED[k]
    shuffle(s, s.stack, 0, STACK)  # R4
    s.stack_n = STACK
    for p in range(4):
        for k in range(2):
            s.hand[p, k] = s.slots[p, k] = NONE
        s.pos[p] = s.wake[p] = s.order0[p] = s.rank[p] = NONE
    for p in range(s.players):
        s.fish[p] = min(s.start_fish, MAX_FISH)  # R5
    s.face[0] = s.face[1] = s.pend = s.ptarget = s.gaia = s.fleece = NONE
    deal_starters(s)
    take_snapshot(s)
    s.phase = SETUP
    s.to_move = s.order0[0]


@rule
def lay_ring(s):
    """R2, R3, Q4: each quarter in random order, the quarters in random order, the Starting Line on a random wedge."""
    for quarter in range(4):
        for k in range(3):
            s.top[3 * quarter + k] = MARKED[quarter, k]
    for quarter in range(3, 0, -1):
        other = rand(s, quarter + 1)
        for k in range(3):
            kept = s.top[3 * quarter + k]
            s.top[3 * quarter + k] = s.top[3 * other + k]
            s.top[3 * other + k] = kept
    for quarter in range(4):
        shuffle(s, s.top, 3 * quarter, 3 * quarter + 3)
    for slot in range(RING_SLOTS):
        s.height[slot] = 1
    s.start_slot = rand(s, RING_SLOTS)
    s.under = s.top[s.start_slot]
    s.top[s.start_slot] = START_WEDGE
    s.height[s.start_slot] = 2
    tell(s, EVENTS.line, s.under, s.start_slot)


@rule
def deal_starters(s):
    """R7: one Starter each, the rest go back into the deck. R8: their numbers are the order of placing Ships."""
    for k in range(4):
        s.deck[k] = k
    shuffle(s, s.deck, 0, 4)
    for p in range(s.players):
        s.slots[p, 0] = STARTER[s.deck[p]]
        tell(s, EVENTS.starter, p, s.slots[p, 0], s.deck[p] + 1)
    order_of_starters(s)
    first = CARDS - fill_deck(s, ALL_CARDS & ~held_cards(s))
    shuffle(s, s.deck, first, CARDS)


@rule
def order_of_starters(s):
    """R8: who holds the lowest Starter places the first Ship."""
    placed = 0
    for number in range(4):
        for p in range(s.players):
            if s.slots[p, 0] == STARTER[number]:
                s.order0[placed] = p
                placed += 1


@rule
def held_cards(s):
    """The Favors in slots, as a set."""
    held = 0
    for p in range(s.players):
        for k in range(2):
            if s.slots[p, k] != NONE:
                held |= 1 << s.slots[p, k]
    return held


@rule
def fill_deck(s, cards):
    """Lay a set of Favors into the deck in ascending order, to be shuffled; how many they are."""
    place = CARDS
    for card in range(CARDS - 1, -1, -1):
        if cards >> card & 1:
            place -= 1
            s.deck[place] = card
    for k in range(place):
        s.deck[k] = NONE
    s.deck_n = CARDS - place
    return CARDS - place


@rule
def place_ship(s, lane):
    """R8, R9: Ship and Wake token on a start dot, whose icons are ignored. R10: who places last gets the Fleece."""
    take_lane(s, lane)
    if s.setup_i < s.players:
        s.to_move = s.order0[s.setup_i]
        free = ship_choices(s)
        if several(free):
            return ASK
        lane = 0  # a single dot is left: nobody is asked
        while free >> lane & 1 == 0:
            lane += 1
        take_lane(s, lane)
    s.fleece = s.to_move
    s.round = 1
    tell(s, EVENTS.first_fleece, s.fleece)
    return ROUND


@rule
def take_lane(s, lane):
    """R8: the next Ship stands on the Starting Line."""
    p = s.to_move
    s.pos[p] = s.wake[p] = s.start_slot * MAX_DOTS + START_DOT[lane]
    s.setup_i += 1
    tell(s, EVENTS.ship, p, lane)


# ---- the flow of a round ----------------------------------------------------------------------------------------------------


@rule
def run_on(s, stage):
    """R12, R13: everything that needs no decision, until somebody has to be asked or the race is over."""
    while stage != ASK:
        if stage == ROUND:
            stage = begin_round(s)
        elif stage == DICE:
            stage = begin_dice(s)
        elif stage == DICED:
            stage = end_dice(s)
        elif stage == TURN:
            stage = begin_turn(s)
        elif stage == SAIL:
            stage = sail(s)
        elif stage == MOVED:
            stage = end_movement(s)
        elif stage == REVEAL:
            stage = reveal(s)
        else:
            stage = end_turn(s)


@rule
def in_turn(s, index):
    """The player who is index-th in the order that starts with the Fleece."""
    return (s.fleece + index) % s.players


@rule
def begin_round(s):
    """R12, R13: no dice lie on the boards and all players roll, the Fleece first."""
    tell(s, EVENTS.round, s.round)
    for p in range(s.players):
        s.nav[p] = s.d1[p] = s.d2[p] = s.bust[p] = 0
    take_snapshot(s)
    s.turn = 0
    return DICE


@rule
def end_turn(s):
    """R12: the next player, or the end of the round."""
    if s.turn + 1 == s.players:
        return end_round(s)
    s.turn += 1
    return TURN


@rule
def end_round(s):
    """R13: the Fleece goes to the last. R56, Q41: when somebody has completed the last lap the race is over."""
    for p in range(s.players):
        if s.laps[p] >= s.race:
            s.final = 1
    if s.final:
        finish(s)
        return ASK
    last = s.fleece
    for p in range(s.players):
        if progress(s, p) < progress(s, last):
            last = p
    tell(s, EVENTS.keeps_fleece if last == s.fleece else EVENTS.fleece, last)
    s.fleece = last
    s.round += 1
    return ROUND


@rule
def progress(s, p):
    """R55, R57, Q39, Q40: how far a Ship is: laps, then slots past the line, then inner before outer, then angle."""
    slot = s.pos[p] // MAX_DOTS
    dot = s.pos[p] % MAX_DOTS
    wedge = s.top[slot]
    offset = (slot - s.start_slot) % RING_SLOTS
    if PRE_LINE[wedge, dot]:
        offset = RING_SLOTS
    inner = 3 - LANE[wedge, dot]
    angle = ANGLE[wedge, dot]
    place = angle * 4 + inner if s.rank_in_wedge == BY_ANGLE else inner * 16 + angle
    return (s.laps[p] * 16 + offset) * 64 + place


@rule
def finish(s):
    """R57, Q42, Q43: everybody is ranked, the race is over."""
    tell(s, EVENTS.last_round)
    n = s.players
    for p in range(n):
        place = 0
        for q in range(n):
            if progress(s, q) > progress(s, p):
                place += 1
        s.rank[place] = p
        if s.returns == RANK:
            s.payoff[p] = 1 - 2 * place / (n - 1)
        else:
            s.payoff[p] = 1 if place == 0 else -1
    for place in range(n):
        tell(s, EVENTS.rank, place + 1, s.rank[place], s.laps[s.rank[place]])
    tell(s, EVENTS.wins, s.rank[0])
    s.phase = OVER
    s.to_move = NOBODY


# ---- rolling dice -----------------------------------------------------------------------------------------------------------


@rule
def whisper(s, event, a=0, b=0, c=0):
    """Q5: what happens while rolling; with hidden rolls only the rolling player hears of it."""
    if s.roll_mode == HIDDEN and NAV <= s.phase <= VALUE:
        tell_only(s, s.to_move, event, a, b, c)
    else:
        tell(s, event, a, b, c)


@rule
def begin_dice(s):
    """R14, Q32: a player's dice; first the curses that bear on them, Favor slot 0 before 1."""
    p = s.to_move = in_turn(s, s.turn)
    s.phase = NAV
    s.flags &= ~NO2
    for k in range(2):
        card = s.slots[p, k]
        if card != NONE and KIND[card] == TRIDENT:
            if EFFECT[card] == LOSE_FISH:
                discard_slot(s, p, k)
                whisper(s, EVENTS.curse, card, p)
                lose_fish(s, p, PARAMETER[card])
            elif EFFECT[card] == NO_SECOND:
                discard_slot(s, p, k)
                whisper(s, EVENTS.curse, card, p)
                whisper(s, EVENTS.no_second, p)
                s.flags |= NO2
    return roll_navigation(s)


@rule
def roll_navigation(s):
    """R15: 1, 2 or 3."""
    p = s.to_move
    s.nav[p] = 1 + rand(s, 3)
    whisper(s, EVENTS.nav, p, s.nav[p])
    return after_navigation(s)


@rule
def after_navigation(s):
    """R15: reroll for fish or with a Favor, or go on; without a choice nobody is asked."""
    s.phase = NAV
    if several(dice_choices(s)):
        return ASK
    return roll_first(s)


@rule
def roll_first(s):
    """R16, R17: then hold or dare the second die; under Eris there may be no choice."""
    p = s.to_move
    s.d1[p] = 1 + rand(s, 6)
    whisper(s, EVENTS.first, p, s.d1[p])
    s.phase = FIRST
    if several(dice_choices(s)):
        return ASK
    return hold(s)


@rule
def hold(s):
    """R17: no second die."""
    whisper(s, EVENTS.hold, s.to_move, s.d1[s.to_move])
    return DICED


@rule
def roll_second(s):
    """R17, R20: a reroll forgets the earlier result."""
    p = s.to_move
    s.d2[p] = 1 + rand(s, 6)
    whisper(s, EVENTS.second, p, s.d2[p])
    return after_second(s)


@rule
def after_second(s):
    """R20: reroll for fish or with a Favor, or accept; without a choice the die is accepted."""
    s.phase = SECOND
    if several(dice_choices(s)):
        return ASK
    return accept_second(s)


@rule
def accept_second(s):
    """R18, R19, Q6: the second die stays, or it was a bust and both Movement dice are removed."""
    p = s.to_move
    if s.d2[p] >= s.d1[p]:
        whisper(s, EVENTS.success, p, s.d1[p], s.d2[p])
    else:
        whisper(s, EVENTS.bust, p, s.d2[p], s.d1[p])
        s.d1[p] = s.d2[p] = 0
        s.bust[p] = 1
    return DICED


@rule
def end_dice(s):
    """R12, R14: the next player rolls; when all have rolled the turns begin and hidden dice are shown."""
    s.turn += 1
    if s.turn < s.players:
        return DICE
    s.phase = WEDGE
    if s.roll_mode == HIDDEN:
        for index in range(s.players):
            p = in_turn(s, index)
            tell(s, EVENTS.dice, p, s.nav[p], s.d1[p], s.d2[p])
    s.turn = 0
    return TURN


@rule
def decide_dice(s, action):
    """R15 to R20: a decision of the rolling player."""
    p = s.to_move
    if action == ACTIONS.nav_keep:
        return roll_first(s)
    if action == ACTIONS.nav_reroll:
        spend_on_reroll(s)
        return roll_navigation(s)
    if action == ACTIONS.hold:
        return hold(s)
    if action == ACTIONS.roll2:
        return roll_second(s)
    if action == ACTIONS.accept2:
        return accept_second(s)
    if action == ACTIONS.reroll2:
        spend_on_reroll(s)
        return roll_second(s)
    if action >= ACTIONS.value:
        s.nav[p] = 1 + action - ACTIONS.value
        whisper(s, EVENTS.set_nav, p, s.nav[p])
        return after_navigation(s)
    return use_while_rolling(s, action - ACTIONS.use)


@rule
def spend_on_reroll(s):
    """R15, R20, R54: one fish for each reroll."""
    s.fish[s.to_move] -= 1
    whisper(s, EVENTS.pays_reroll, s.to_move)


@rule
def use_while_rolling(s, k):
    """Q31: Demeter, Apollo, Athena and Tyche."""
    p = s.to_move
    card = s.slots[p, k]
    effect = EFFECT[card]
    discard_slot(s, p, k)
    whisper(s, EVENTS.uses, p, card)
    if effect == GAIN_FISH:
        gain_fish(s, p, PARAMETER[card])
        return after_navigation(s) if s.phase == NAV else after_second(s)
    if effect == REROLL:
        if s.phase == NAV:
            return roll_navigation(s)
        if s.phase == FIRST:
            return roll_first(s)  # Q7: a Favor may reroll the first die
        return roll_second(s)
    if effect == SET_NAV:
        s.phase = VALUE
        return ASK
    s.d2[p] = 0  # NO_BUST: only the second die is removed, and the rolling is over
    return hold(s)


# ---- the turn: placing wedges -------------------------------------------------------------------------------------------------


@rule
def begin_turn(s):
    """R12, R23: the wedges drawn on the previous turn are placed first."""
    p = s.to_move = in_turn(s, s.turn)
    forget_last_turn(s)
    s.phase = WEDGE
    if s.hand[p, 0] != NONE:
        return ASK
    return begin_movement(s)


@rule
def forget_last_turn(s):
    """What was drawn in it and whether there was a battle."""
    s.drawn = s.wdrawn = s.face_n = s.reshuf = 0
    s.face[0] = s.face[1] = NONE
    s.flags &= ~BATTLE


@rule
def may_take_wedge(s, slot):
    """R25, R26, Q11: not on the Starting Line, not where a Ship stands."""
    if s.top[slot] == START_WEDGE or slot == s.start_slot:
        return False
    for p in range(s.players):
        if s.pos[p] // MAX_DOTS == slot:
            return False
    return True


@rule
def place_wedge(s, wedge, slot):
    """R24, R27: it covers what lies there."""
    if WEDGES_COVER:
        s.top[slot] = wedge
    s.height[slot] += 1
    tell(s, EVENTS.places, s.to_move, wedge, slot)


@rule
def place_from_hand(s, which, slot):
    """R23: one at a time, until the hand is empty; then the Ship moves."""
    p = s.to_move
    place_wedge(s, s.hand[p, which], slot)
    if which == 0:
        s.hand[p, 0] = s.hand[p, 1]
    s.hand[p, 1] = NONE
    if s.hand[p, 0] != NONE:
        return ASK
    return begin_movement(s)


# ---- the turn: moving the Ship ------------------------------------------------------------------------------------------------


@rule
def navigation(s, p):
    """R11, Q8: the navigation die counts twice with the Fleece."""
    return s.nav[p] * (2 if p == s.fleece else 1)


@rule
def begin_movement(s):
    """R21: the sum of the dice. Q32: curses on the voyage strike now."""
    p = s.to_move
    s.phase = MOVE
    s.prot = PROTECTION * navigation(s, p)
    s.move = navigation(s, p) + s.d1[p] + s.d2[p]
    s.moved = 0
    s.flags &= ~(SKIP | FREE | NOPROT)
    s.cur = s.pos[p]
    for k in range(2):
        card = s.slots[p, k]
        if card != NONE and KIND[card] == TRIDENT:
            if EFFECT[card] == SLOW:
                discard_slot(s, p, k)
                s.move = max(1, s.move - PARAMETER[card])
                tell(s, EVENTS.curse, card, p)
                tell(s, EVENTS.slowed, p, s.move)
            elif EFFECT[card] == NO_PROTECT:
                discard_slot(s, p, k)
                s.flags |= NOPROT
                s.prot = 0
                tell(s, EVENTS.curse, card, p)
                tell(s, EVENTS.unprotected, p)
    tell(s, EVENTS.voyage, p, s.move, last_harmless(s, s.prot))
    return SAIL


@rule
def sail(s):
    """R30, R31: on from dot to dot while there is only one way, until a decision or the end of the movement."""
    while True:
        if s.move == 0 and not s.flags & SKIP:
            s.phase = ENDWIN
            if s.flags & BATTLE or favor_choices(s) == 0:
                return MOVED
            return ASK
        s.phase = MOVE
        exits = open_exits(s)
        if several(exits) or favor_makes_decision(s):
            return ASK
        if take_exit(s, exits >> 1) == ASK:  # a single bit: 1, 2 or 4 is exit 0, 1 or 2
            return ASK


@rule
def here(s):
    """The dot whose exits are in question: the Ship's own, or while skipping the occupied one."""
    return s.cur if s.flags & SKIP else s.pos[s.to_move]


@rule
def icon_at(s, place):
    """What the dot shows."""
    return ICON[s.top[place // MAX_DOTS], place % MAX_DOTS]


@rule
def path_rule_applies(s):
    """R47, R49: on a whirlpool, unless Janus made it free or (Q18) the whirlpool is being skipped."""
    icon = icon_at(s, here(s))
    if icon != ICON_CHARYBDIS and icon != ICON_SCYLLA:
        return False
    if s.flags & FREE:
        return False
    return not (s.flags & SKIP and s.skip_whirlpool == SKIPPED_FREE)


@rule
def open_exits(s):
    """R31, R47, R49, Q27, Q28, Q30: the exits that may be taken, as a set."""
    p = s.to_move
    place = here(s)
    wedge = s.top[place // MAX_DOTS]
    dot = place % MAX_DOTS
    exits = (1 << EXITS[wedge, dot]) - 1
    if not path_rule_applies(s):
        return exits
    charybdis = ICON[wedge, dot] == ICON_CHARYBDIS
    found = 0
    for e in range(EXITS[wedge, dot]):
        label = LABEL[wedge, dot, e]
        if charybdis:
            if label == s.nav[p] or label == s.d1[p] or label == s.d2[p]:
                found |= 1 << e
        elif label <= s.fish[p]:
            found |= 1 << e
    return found


@rule
def favor_makes_decision(s):
    """Q31: Amphitrite from the first dot on, Janus on a whirlpool, Demeter on a Scylla that cannot be paid in full."""
    if s.flags & SKIP:
        return False
    p = s.to_move
    for k in range(2):
        card = s.slots[p, k]
        if card != NONE and KIND[card] == BOAT:
            effect = EFFECT[card]
            if effect == STOP and s.moved >= 1:
                return True
            if effect == ANY_PATH and path_rule_applies(s):
                return True
            if effect == GAIN_FISH and s.fish[p] < 2 and path_rule_applies(s) and icon_at(s, here(s)) == ICON_SCYLLA:
                return True
    return False


@rule
def take_exit(s, e):
    """R29 to R34: along one way to the next dot; an occupied one is skipped and not counted."""
    p = s.to_move
    place = here(s)
    slot = place // MAX_DOTS
    dot = place % MAX_DOTS
    wedge = s.top[slot]
    leave_whirlpool(s, p, wedge, dot, e)
    dot = EXIT[wedge, dot, e]
    if dot >= MAX_DOTS:  # Q2: over the seam into the wedge that now lies on the next slot
        slot = (slot + 1) % RING_SLOTS
        wedge = s.top[slot]
        dot = ENTRY[wedge, dot - MAX_DOTS]
    icon = ICON[wedge, dot]
    if icon == ICON_START:
        cross_line(s, p)  # R34, Q20: also when skipping
    s.cur = slot * MAX_DOTS + dot
    if occupied(s, p, s.cur):
        s.flags |= SKIP
        tell(s, EVENTS.skips, p, wedge * MAX_DOTS + dot, slot)
        return SAIL
    s.flags &= ~SKIP
    s.pos[p] = s.cur
    s.move -= 1
    s.moved += 1
    tell(s, EVENTS.sails, p, wedge * MAX_DOTS + dot, slot, s.move)
    return encounter(s, p, icon)


@rule
def leave_whirlpool(s, p, wedge, dot, e):
    """R49, Q29, Q30: a Scylla path is paid on leaving; Janus serves for one step only."""
    if path_rule_applies(s):
        label = LABEL[wedge, dot, e]
        if ICON[wedge, dot] == ICON_SCYLLA:
            s.fish[p] -= label
            tell(s, EVENTS.pays_scylla, p, label)
        else:
            tell(s, EVENTS.path, p, label)
    s.flags &= ~FREE


@rule
def occupied(s, p, place):
    """R33: does another player's Ship stand there?"""
    for q in range(s.players):
        if q != p and s.pos[q] == place:
            return True
    return False


@rule
def encounter(s, p, icon):
    """R32, Q14: what the dot shows is resolved at once, in passing as at the end."""
    if icon == ICON_FISH:
        gain_fish(s, p, 1)
    elif icon == ICON_FAVOR:
        draw_favor(s, p)
    elif icon == ICON_WEDGE:
        draw_wedge(s, p)
    elif icon == ICON_BOOST:
        s.move += BOOST  # R45, Q22
        tell(s, EVENTS.boost, p, s.move)
    elif icon == ICON_HYDRA:
        return meet_hydra(s)
    return SAIL


@rule
def last_harmless(s, reach):
    """R53, Q23: the last dot of the turn on which a protection that reaches so far ignores a Hydra; 0 is none (Ares)."""
    if s.flags & NOPROT:
        return 0
    return reach + 1 if s.hydra_count == BEFORE else reach


@rule
def protected(s, reach):
    """R53, Q23: are the dots moved so far within the protection?"""
    return s.moved <= last_harmless(s, reach)


@rule
def meet_hydra(s):
    """R51 to R53, Q24, Q25: protected, or asked if a Favor could help, or fed, or battled."""
    if protected(s, s.prot):
        tell(s, EVENTS.protected, s.to_move, s.moved)
        return SAIL
    s.phase = HYDRA
    if favor_choices(s):
        return ASK
    return feed_or_battle(s)


@rule
def feed_or_battle(s):
    """R51: a fish for the Hydra. R52: without one all remaining movement is lost."""
    p = s.to_move
    if s.fish[p]:
        s.fish[p] -= 1
        tell(s, EVENTS.feeds, p)
    else:
        tell(s, EVENTS.battles, p, s.move)
        s.move = 0
        s.flags |= BATTLE
    return SAIL


@rule
def cross_line(s, p):
    """R46, Q21: lap marker, fish, wedge and Favor, each within its limit. R56: the last lap ends the race."""
    s.laps[p] += 1
    tell(s, EVENTS.lap, p, s.laps[p])
    if s.laps[p] >= s.race:
        s.final = 1
    if LINE_FISH:
        gain_fish(s, p, LINE_FISH)
    draw_wedge(s, p)
    draw_favor(s, p)


@rule
def use_while_sailing(s, k):
    """R35, Q31: a Favor used at a fork, at a Hydra or after the last dot."""
    p = s.to_move
    card = s.slots[p, k]
    effect = EFFECT[card]
    discard_slot(s, p, k)
    tell(s, EVENTS.uses, p, card)
    if effect == STOP:
        tell(s, EVENTS.anchor, p, s.move)
        s.move = 0
        return MOVED
    if effect == ADD_MOVE:
        s.move += PARAMETER[card]
    elif effect == ANY_PATH:
        s.flags |= FREE
    elif effect == GAIN_FISH:
        gain_fish(s, p, PARAMETER[card])
    elif effect == ADD_NAV:
        s.move += s.nav[p]
        if not s.flags & NOPROT:
            s.prot += PROTECTION * s.nav[p]
    if s.phase == HYDRA and effect != IGNORE_HYDRA:
        return meet_hydra(s)
    return SAIL


@rule
def end_movement(s):
    """R36: the Wake token comes under the Ship. Q26: with the option a battle costs the facedown Favors."""
    p = s.to_move
    s.wake[p] = s.pos[p]
    if s.flags & BATTLE and s.battle_cancels_reveal and s.face_n:
        tell(s, EVENTS.cancelled, p, s.face_n)
        for k in range(s.face_n):
            s.disc |= 1 << s.face[k]
            s.face[k] = NONE
        s.face_n = s.reshuf = 0
    return REVEAL


# ---- fish, wedges and Favors --------------------------------------------------------------------------------------------------


@rule
def gain_fish(s, p, count):
    """R42: never more than there is room for."""
    gained = min(count, MAX_FISH - s.fish[p])
    s.fish[p] += gained
    if gained:
        whisper(s, EVENTS.fish, p, gained, s.fish[p])
    else:
        whisper(s, EVENTS.full, p)


@rule
def lose_fish(s, p, count):
    """Return fish to the supply, as far as there are any."""
    lost = min(count, s.fish[p])
    s.fish[p] -= lost
    if lost:
        whisper(s, EVENTS.loses_fish, p, lost)


@rule
def draw_wedge(s, p):
    """R28, R44, Q12, Q13: one wedge a turn, two with 2 players; none from an empty stack."""
    limit = 2 if s.players == 2 else 1
    held = (s.hand[p, 0] != NONE) + (s.hand[p, 1] != NONE)
    if s.wdrawn < limit and held < limit and s.stack_n > 0:
        s.hand[p, held] = s.stack[STACK - s.stack_n]
        s.stack_n -= 1
        s.wdrawn += 1
        tell(s, EVENTS.wedge, p, s.hand[p, held])


@rule
def draw_favor(s, p):
    """R43, Q38: facedown, two in a turn. R41, Q36: from an empty deck only after the discard pile was shuffled into it."""
    if s.drawn >= FAVOR_LIMIT:
        return
    if s.deck_n == 0:
        first = CARDS - fill_deck(s, s.disc)
        shuffle(s, s.deck, first, CARDS)
        s.disc = 0
        if s.face_n:
            s.reshuf = 1
        tell(s, EVENTS.reshuffle)
    if s.deck_n == 0:
        return  # only in positions laid by hand: there are always 26 cards in deck and discard pile
    top = CARDS - s.deck_n
    s.face[s.face_n] = s.deck[top]
    s.deck[top] = NONE
    s.deck_n -= 1
    s.face_n += 1
    s.drawn += 1
    tell(s, EVENTS.draws, p)


@rule
def discard_slot(s, p, k):
    """R41: a Favor leaves the board for the discard pile."""
    s.disc |= 1 << s.slots[p, k]
    s.slots[p, k] = NONE


@rule
def free_slot(s, p):
    """The lowest empty Favor slot, or NONE."""
    if s.slots[p, 0] == NONE:
        return 0
    if s.slots[p, 1] == NONE:
        return 1
    return NONE


# ---- the turn: revealing Favors -------------------------------------------------------------------------------------------------


@rule
def reveal(s):
    """R37: the facedown Favors one at a time, in drawing order; then the turn is over."""
    p = s.to_move
    if s.face_n == 0:
        return TURNED
    card = s.face[0]
    s.face[0] = s.face[1]
    s.face[1] = NONE
    s.face_n -= 1
    s.reshuf = 0
    if KIND[card] == BOLT:
        s.disc |= 1 << card  # Q35: discarded when its use begins
        tell(s, EVENTS.bolt, p, card)
        return strike(s, p, card)
    if KIND[card] == TRIDENT:
        tell(s, EVENTS.trident, p, card)
        s.pend = card
        if s.players == 2:
            return give_trident(s, 1 - p)  # Q33
        s.phase = TARGET
        return ASK
    k = free_slot(s, p)
    if k != NONE:
        s.slots[p, k] = card  # Q34
        tell(s, EVENTS.boat, p, card)
        return REVEAL
    s.pend = card
    tell(s, EVENTS.crowded, p, card)
    s.phase = SLOTS
    return ASK


@rule
def strike(s, p, card):
    """R38, Q35: a lightning bolt takes effect at once, or has no effect if there is nothing for it to do."""
    effect = EFFECT[card]
    if effect == ADVANCE and not s.flags & BATTLE:
        s.move = PARAMETER[card]
        s.cur = s.pos[p]
        s.flags &= ~(SKIP | FREE)
        return SAIL
    if effect == GAIN_FISH:
        gain_fish(s, p, PARAMETER[card])
    elif effect == ALL_LOSE_FISH:
        for q in range(s.players):
            if q != p:
                lose_fish(s, q, PARAMETER[card])
    elif effect == DRAW_PLACE and s.stack_n > 0:
        s.gaia = s.stack[STACK - s.stack_n]  # Q12: not a wedge drawn in the sense of the limit
        s.stack_n -= 1
        tell(s, EVENTS.gaia, p, s.gaia)
        s.phase = GAIA
        return ASK
    elif effect == STEAL_FISH and s.fish[p] < MAX_FISH and theft_choices(s):
        s.phase = STEAL
        victims = theft_choices(s)
        if several(victims):
            return ASK
        victim = 0
        while victims >> (ACTIONS.target + victim) & 1 == 0:
            victim += 1
        return steal(s, victim)
    else:
        tell(s, EVENTS.nothing, card)
    return REVEAL


@rule
def steal(s, victim):
    """Q35: Dionysus takes a fish from another board, as far as there is room for it."""
    p = s.to_move
    count = min(STOLEN, s.fish[victim], MAX_FISH - s.fish[p])
    s.fish[victim] -= count
    s.fish[p] += count
    tell(s, EVENTS.steals, p, count, victim)
    return REVEAL


@rule
def give_trident(s, victim):
    """R40, Q33: into the lowest free Favor slot of the victim, who otherwise makes room."""
    k = free_slot(s, victim)
    s.ptarget = victim
    if k == NONE:
        s.phase = ROOM
        s.to_move = victim
        return ASK
    return lay_trident(s, k)


@rule
def lay_trident(s, k):
    """R40: the trident lies on the victim's board; the turn goes on with whoever revealed it."""
    s.slots[s.ptarget, k] = s.pend
    s.to_move = in_turn(s, s.turn)
    tell(s, EVENTS.cursed, s.to_move, s.pend, s.ptarget)
    s.pend = s.ptarget = NONE
    return REVEAL


@rule
def decide_reveal(s, action):
    """R38 to R40: a decision about a revealed Favor."""
    p = s.to_move
    if s.phase == TARGET:
        return give_trident(s, action - ACTIONS.target)
    if s.phase == STEAL:
        return steal(s, action - ACTIONS.target)
    if s.phase == ROOM:
        k = action - ACTIONS.discard_own
        tell(s, EVENTS.makes_room, p, s.slots[p, k], s.pend)
        discard_slot(s, p, k)
        return lay_trident(s, k)
    if s.phase == GAIA:
        place_wedge(s, s.gaia, (action - ACTIONS.wedge) % RING_SLOTS)
        s.gaia = NONE
        return REVEAL
    if action == ACTIONS.discard_new:
        tell(s, EVENTS.declines, p, s.pend)
        s.disc |= 1 << s.pend
    else:
        k = action - ACTIONS.replace
        tell(s, EVENTS.replaces, p, s.slots[p, k], s.pend)
        discard_slot(s, p, k)
        s.slots[p, k] = s.pend
    s.pend = NONE
    return REVEAL


# ---- decisions ------------------------------------------------------------------------------------------------------------------
# The possible actions of a phase as a set of bits: bit a is action a.


@rule
def several(choices):
    """Is there more than one possibility?"""
    return choices & (choices - 1) != 0


@rule
def choices(s):
    """What the player to move may do now."""
    phase = s.phase
    if phase == MOVE:
        return open_exits(s) << ACTIONS.step | favor_choices(s)
    if phase == SETUP:
        return ship_choices(s)
    if phase <= VALUE:
        return dice_choices(s)
    if phase in (WEDGE, GAIA):
        return wedge_choices(s)
    if phase == HYDRA:
        meeting = ACTIONS.feed if s.fish[s.to_move] else ACTIONS.battle  # Q25
        return 1 << meeting | favor_choices(s)
    if phase == ENDWIN:
        return 1 << ACTIONS.end_move | favor_choices(s)
    if phase == SLOTS:
        return 3 << ACTIONS.replace | 1 << ACTIONS.discard_new
    if phase == TARGET:
        return ((1 << s.players) - 1 & ~(1 << s.to_move)) << ACTIONS.target
    if phase == ROOM:
        return 3 << ACTIONS.discard_own
    if phase == STEAL:
        return theft_choices(s)
    return 0


@rule
def ship_choices(s):
    """R8: the start dots that are still free."""
    free = 0
    for lane in range(4):
        if not occupied(s, s.to_move, s.start_slot * MAX_DOTS + START_DOT[lane]):
            free |= 1 << (ACTIONS.ship + lane)
    return free


@rule
def dice_choices(s):
    """R15, R17, R20: what can be done about the die just rolled."""
    fish = s.fish[s.to_move]
    if s.phase == NAV:
        found = 1 << ACTIONS.nav_keep
        if fish:
            found |= 1 << ACTIONS.nav_reroll
    elif s.phase == FIRST:
        found = 1 << ACTIONS.hold
        if not s.flags & NO2:
            found |= 1 << ACTIONS.roll2
    elif s.phase == SECOND:
        found = 1 << ACTIONS.accept2
        if fish:
            found |= 1 << ACTIONS.reroll2
    else:
        return 7 << ACTIONS.value
    return found | favor_choices(s)


@rule
def wedge_choices(s):
    """R23 to R27, Q11: every wedge in hand on every slot that may take one; Gaia's wedge counts as hand 0."""
    places = 0
    for slot in range(RING_SLOTS):
        if may_take_wedge(s, slot):
            places |= 1 << slot
    p = s.to_move
    found = 0
    if s.phase == GAIA or s.hand[p, 0] != NONE:
        found |= places << ACTIONS.wedge
    if s.phase == WEDGE and s.hand[p, 1] != NONE:
        found |= places << (ACTIONS.wedge + RING_SLOTS)
    return found


@rule
def theft_choices(s):
    """Q35: other players who have a fish."""
    found = 0
    for q in range(s.players):
        if q != s.to_move and s.fish[q]:
            found |= 1 << (ACTIONS.target + q)
    return found


@rule
def favor_choices(s):
    """Q31: the Favor slots whose card may be used now; of two equal cards only the first is offered."""
    p = s.to_move
    first = s.slots[p, 0]
    second = s.slots[p, 1]
    found = 0
    if first != NONE and usable(s, first):
        found |= 1 << ACTIONS.use
    if second != NONE and (first == NONE or TYPE[first] != TYPE[second]) and usable(s, second):
        found |= 2 << ACTIONS.use
    return found


@rule
def usable(s, card):
    """Q31: is this a moment at which the card may be used?"""
    if KIND[card] != BOAT:
        return False
    effect = EFFECT[card]
    phase = s.phase
    p = s.to_move
    if effect == GAIN_FISH:
        wanted = phase in (NAV, SECOND, HYDRA) or (phase == MOVE and not s.flags & SKIP)
        return wanted and s.fish[p] < MAX_FISH
    if effect == REROLL:
        return NAV <= phase <= SECOND
    if effect == SET_NAV:
        return phase == NAV
    if effect == NO_BUST:
        return phase == SECOND and s.d2[p] < s.d1[p]
    if effect == IGNORE_HYDRA:
        return phase == HYDRA
    if phase == HYDRA:
        return effect == ADD_NAV and protected(s, s.prot + PROTECTION * s.nav[p])
    if phase == ENDWIN:
        return effect in (ADD_MOVE, ADD_NAV)
    if phase != MOVE or s.flags & SKIP:
        return False
    if effect == STOP:
        return s.moved >= 1
    if effect == ANY_PATH:
        return path_rule_applies(s)
    return True


@rule
def legal(s, out):
    """The possible actions in ascending order."""
    left = choices(s)
    action = 0
    count = 0
    while left:
        if left & 1:
            out[count] = action
            count += 1
        left >>= 1
        action += 1
    return count


@rule
def apply(s, action):
    """A decision, and everything up to the next one."""
    phase = s.phase
    if phase == SETUP:
        stage = place_ship(s, action - ACTIONS.ship)
    elif phase <= VALUE:
        stage = decide_dice(s, action)
    elif phase == WEDGE:
        stage = place_from_hand(s, (action - ACTIONS.wedge) // RING_SLOTS, (action - ACTIONS.wedge) % RING_SLOTS)
    elif phase <= ENDWIN:
        stage = decide_movement(s, action)
    else:
        stage = decide_reveal(s, action)
    run_on(s, stage)


@rule
def decide_movement(s, action):
    """R31, R35, R51, R52: a fork, a Hydra, the end of the movement, or a Favor used there."""
    if action == ACTIONS.use or action == ACTIONS.use + 1:
        return use_while_sailing(s, action - ACTIONS.use)
    if action == ACTIONS.end_move:
        return MOVED
    if action == ACTIONS.feed or action == ACTIONS.battle:
        return feed_or_battle(s)
    return take_exit(s, action - ACTIONS.step)


# ---- hidden information -----------------------------------------------------------------------------------------------------------


@rule
def take_snapshot(s):
    """Q5: fish, Favor slots and discard pile as they are when the dice phase begins."""
    for p in range(4):
        s.snap[p] = s.fish[p]
        for k in range(2):
            s.snap[4 + 2 * p + k] = s.slots[p, k]
    for k in range(8):
        s.snap[12 + k] = s.disc >> (8 * k) & 255


@rule
def snapshot_disc(s):
    """The discard pile as it was when the dice phase began."""
    disc = 0
    for k in range(8):
        disc |= s.snap[12 + k] << (8 * k)
    return disc


@rule
def rolling_secretly(s):
    """Q5: is this a dice phase with hidden rolls?"""
    return s.roll_mode == HIDDEN and NAV <= s.phase <= VALUE


@rule
def hide(s, viewer):
    """Q37: nobody knows the deck, the facedown Favors and the stack. Q5: with hidden rolls, nor the dice of others."""
    for k in range(CARDS):
        s.deck[k] = NONE
    for k in range(2):
        if not (k == 0 and s.reshuf):
            s.face[k] = NONE
    for k in range(STACK - s.stack_n, STACK):
        s.stack[k] = NONE
    if rolling_secretly(s):
        hide_rolls(s, viewer)


@rule
def hide_rolls(s, viewer):
    """Q5: those who have begun to roll look as they did before; the discard pile shows the viewer's own cards only."""
    disc = snapshot_disc(s)
    for index in range(s.turn + 1):
        p = in_turn(s, index)
        if p == viewer:
            for k in range(2):
                if s.snap[4 + 2 * p + k] != NONE and s.slots[p, k] == NONE:
                    disc |= 1 << s.snap[4 + 2 * p + k]
        else:
            s.nav[p] = s.d1[p] = s.d2[p] = s.bust[p] = 0
            s.fish[p] = s.snap[p]
            for k in range(2):
                s.slots[p, k] = s.snap[4 + 2 * p + k]
    s.disc = disc
    if s.to_move != viewer:
        s.phase = NAV
        s.flags &= ~NO2


@rule
def redeal(s, viewer):
    """Fill a view at random: the unseen Favors over deck and facedown cards, the stack, and with hidden rolls the dice."""
    unseen = ALL_CARDS & ~held_cards(s) & ~s.disc
    if s.pend != NONE:
        unseen &= ~(1 << s.pend)
    known = 1 if s.reshuf else 0
    if known:
        unseen &= ~(1 << s.face[0])
    deck_n = s.deck_n
    first = CARDS - fill_deck(s, unseen)
    shuffle(s, s.deck, first, CARDS)
    for k in range(known, s.face_n):
        s.face[k] = s.deck[first]
        s.deck[first] = NONE
        first += 1
    s.deck_n = deck_n
    redeal_stack(s)
    if rolling_secretly(s):
        roll_again(s, viewer)


@rule
def redeal_stack(s):
    """The wedges that were never drawn, in random order."""
    drawn = 0
    for k in range(STACK - s.stack_n):
        if s.stack[k] != NONE:
            drawn |= 1 << s.stack[k]
    place = STACK - s.stack_n
    for k in range(STACK):
        if not drawn >> UNMARKED[k] & 1 and place < STACK:
            s.stack[place] = UNMARKED[k]
            place += 1
    shuffle(s, s.stack, STACK - s.stack_n, place)


@rule
def roll_again(s, viewer):
    """Q5: the others who have begun play the dice phase again from its start; one who is rolling, up to the first decision."""
    told = s.told
    s.told = STORY  # nothing of this is told
    turn = s.turn
    phase = s.phase
    no2 = s.flags & NO2
    roller = s.to_move
    for index in range(turn + 1):
        if in_turn(s, index) != viewer:
            s.turn = index
            stage = begin_dice(s)
            while stage == ASK and index < turn:
                stage = decide_dice(s, any_choice(s))
    s.turn = turn
    s.to_move = roller
    if roller == viewer:
        s.phase = phase
        s.flags = s.flags & ~NO2 | no2
    s.told = told


@rule
def any_choice(s):
    """A random possible action of a dice phase."""
    left = dice_choices(s)
    chosen = 0
    count = 0
    for action in range(ACTIONS.nav_keep, ACTIONS.wedge):
        if left >> action & 1:
            count += 1
            if rand(s, count) == 0:
                chosen = action
    return chosen


@rule
def seen(s, action, viewer):
    """Q5: with hidden rolls nobody notices what another player decides about the dice."""
    return 0 if rolling_secretly(s) else -1


# ---- for positions laid by hand -----------------------------------------------------------------------------------------------------


@rule
def refresh(s):
    """After fields were written by hand: who places a Ship, the dot in question, a new snapshot; with an empty hand the Ship moves."""
    if s.phase == SETUP:
        order_of_starters(s)
        s.to_move = s.order0[s.setup_i]
    elif s.phase == WEDGE:
        forget_last_turn(s)
        if s.hand[s.to_move, 0] == NONE:
            run_on(s, begin_movement(s))
    elif s.phase >= MOVE and s.phase <= ENDWIN and not s.flags & SKIP:
        s.cur = s.pos[s.to_move]
    elif NAV <= s.phase <= VALUE and not snapshot_possible(s):
        take_snapshot(s)


@rule
def snapshot_possible(s):
    """Q5: can the rolling so far have led from the snapshot to this? Fish and cards are spent, and only by those who have begun."""
    disc = snapshot_disc(s)
    for index in range(s.players):
        p = in_turn(s, index)
        most = s.snap[p]
        for k in range(2):
            card = s.snap[4 + 2 * p + k]
            if s.slots[p, k] != card:
                if index > s.turn or s.slots[p, k] != NONE:
                    return False
                disc |= 1 << card
                if EFFECT[card] == GAIN_FISH:
                    most = MAX_FISH
        if s.fish[p] > most or (index > s.turn and s.fish[p] != s.snap[p]):
            return False
    return disc == s.disc


def check(s):
    """The pieces add up and everything is where it can be (section 5 of the rule sheet)."""
    require(s.phase <= OVER, f"there is no phase {s.phase}")
    require((s.phase == OVER) == (s.to_move == NOBODY), f"phase {s.phase} with player {s.to_move} to move")
    check_cards(s)
    check_wedges(s)
    for p in range(s.players):
        require(s.fish[p] <= MAX_FISH, f"player {p} has {s.fish[p]} fish")
        require(s.nav[p] <= 3 and s.d1[p] <= 6 and s.d2[p] <= 6, f"player {p} has impossible dice")
        require(not (s.bust[p] and s.d1[p] + s.d2[p]), f"player {p} is bust but has Movement dice")
        require(s.pos[p] != NONE or s.phase == SETUP, f"the Ship of player {p} is not on the course")
        if s.pos[p] != NONE:
            slot, dot = divmod(s.pos[p], MAX_DOTS)
            require(slot < RING_SLOTS and EXITS[s.top[slot], dot], f"the Ship of player {p} is on no dot: {s.pos[p]}")
        sailing = MOVE <= s.phase <= ENDWIN and p == s.to_move
        require(sailing or s.wake[p] == s.pos[p], f"the Wake token of player {p} is not under the Ship")
    ships = [s.pos[p] for p in range(s.players) if s.pos[p] != NONE]
    require(len(set(ships)) == len(ships), f"two Ships share a dot: {ships}")
    require(
        s.final == any(s.laps[p] >= s.race for p in range(s.players)), "the last lap is completed but not marked, or the other way round"
    )
    require(s.drawn <= FAVOR_LIMIT and s.wdrawn <= (2 if s.players == 2 else 1), f"{s.drawn} Favors and {s.wdrawn} wedges drawn in a turn")
    if s.phase == OVER:
        require(sorted(s.rank[p] for p in range(s.players)) == list(range(s.players)), "the ranking does not name everybody")


def check_cards(s):
    """36 Favors, all different, in deck, discard pile, slots, face down or waiting."""
    cards = [card for card in range(CARDS) if s.disc >> card & 1]
    cards += [s.deck[k] for k in range(CARDS - s.deck_n, CARDS)] + [s.face[k] for k in range(s.face_n)]
    cards += [s.slots[p, k] for p in range(s.players) for k in range(2) if s.slots[p, k] != NONE]
    cards += [s.pend] if s.pend != NONE else []
    require(sorted(cards) == list(range(CARDS)), f"the Favors are not the {CARDS} of the game: {sorted(cards)}")
    for p in range(s.players, 4):
        require(s.slots[p, 0] == s.slots[p, 1] == s.hand[p, 0] == s.hand[p, 1] == NONE, f"empty seat {p} has cards")


def check_wedges(s):
    """16 wedges in the stack, in hands and on the course."""
    hands = sum(s.hand[p, k] != NONE for p in range(s.players) for k in range(2)) + (s.gaia != NONE)
    placed = sum(s.height[slot] for slot in range(RING_SLOTS)) - RING_SLOTS - 1
    require(s.stack_n + hands + placed == STACK, f"{s.stack_n} wedges in the stack, {hands} in hands, {placed} placed")
    seen_wedges = [s.top[slot] for slot in range(RING_SLOTS)] + [s.stack[k] for k in range(STACK - s.stack_n, STACK)]
    seen_wedges += [s.hand[p, k] for p in range(s.players) for k in range(2) if s.hand[p, k] != NONE]
    seen_wedges += [s.gaia] if s.gaia != NONE else []
    require(len(set(seen_wedges)) == len(seen_wedges), "a wedge is in two places")
    require(s.top[s.start_slot] == START_WEDGE, "the Starting Line is covered")


# ---- words for wrong clicks ---------------------------------------------------------------------------------------------------------

QUESTIONS = (
    "now a Ship is to be placed on the Starting Line",
    "now the question is whether the Navigation die is kept",
    "now the question is whether the second Movement die is rolled",
    "now the question is whether the second Movement die is accepted",
    "now the Navigation die is to be turned to 1, 2 or 3",
    "now a wedge is to be placed",
    "now an exit of the dot is to be chosen",
    "now a Hydra is met",
    "the movement is used up",
    "now a revealed Favor needs a slot",
    "now a trident needs a victim",
    "now room is to be made for a trident",
    "now a fish is to be taken from another player",
    "now the wedge of Gaia is to be placed",
    "the race is over",
)


TOO_SOON_OR_LATE = {
    ("nav_reroll", FIRST): "the first Movement die is rolled, so the Navigation die stays (R15).",
    ("nav_reroll", SECOND): "the first Movement die is rolled, so the Navigation die stays (R15).",
    ("roll2", NAV): "the Navigation die comes first: keep it or reroll it (R14).",
    ("reroll2", FIRST): "fish never reroll the first Movement die, and the second is not rolled yet (R16).",
    ("end_move", MOVE): "the whole movement must be used (R30).",
    ("end_move", HYDRA): "the Hydra comes first (R51).",
    ("step", ENDWIN): "the movement is used up: end it or use a Favor (Q31).",
    ("discard_new", ROOM): "a trident cannot be refused (Q33).",
}


def explain(s, action):
    """Why an action is not possible now, in one sentence."""
    verb = ACTIONS.verb_of(action).name
    number = action - ACTIONS.verb_of(action).base
    phases = {
        "ship": (SETUP,),
        "nav_keep": (NAV,),
        "nav_reroll": (NAV,),
        "hold": (FIRST,),
        "roll2": (FIRST,),
        "accept2": (SECOND,),
        "reroll2": (SECOND,),
        "value": (VALUE,),
        "wedge": (WEDGE, GAIA),
        "step": (MOVE,),
        "end_move": (ENDWIN,),
        "feed": (HYDRA,),
        "battle": (HYDRA,),
        "target": (TARGET, STEAL),
        "replace": (SLOTS,),
        "discard_new": (SLOTS,),
        "discard_own": (ROOM,),
    }
    if verb == "use":
        return explain_use(s, number)
    if s.phase not in phases[verb]:
        return TOO_SOON_OR_LATE.get((verb, s.phase), f"{QUESTIONS[s.phase]}.")
    p = s.to_move
    if verb == "ship":
        return "another Ship stands on that start dot (R8)."
    if verb in ("nav_reroll", "reroll2"):
        return "a reroll costs a fish, and there is none (R54)."
    if verb == "roll2":
        return "Eris forbids the second Movement die this round (Q32)."
    if verb == "wedge":
        return explain_wedge(s, number // RING_SLOTS, number % RING_SLOTS)
    if verb == "step":
        return explain_step(s, number)
    if verb == "feed":
        return "there is no fish to feed the Hydra with (R52)."
    if verb == "battle":
        return "with a fish on board the Hydra must be fed (Q25)."
    if verb == "target":
        if number >= s.players:
            return f"there is no player {number} in this race."
        return "the Favor is for another player (R40)." if number == p else "that player has no fish (Q35)."
    return None


def explain_use(s, k):
    """Why a Favor cannot be used now."""
    card = s.slots[s.to_move, k]
    if card == NONE:
        return f"Favor slot {k} is empty."
    name = CARD_NAMES[card]
    if KIND[card] == TRIDENT:
        return f"{name} is a curse; it takes effect by itself (Q32)."
    if k == 1 and s.slots[s.to_move, 0] != NONE and TYPE[s.slots[s.to_move, 0]] == TYPE[card]:
        return f"there are two cards of {name}; use the one in slot 0 (Q31)."
    if s.phase == MOVE and s.flags & SKIP:
        return "no Favor can be used while sailing past a Ship (Q31)."
    if EFFECT[card] == GAIN_FISH and s.fish[s.to_move] == MAX_FISH:
        return "there is no room for more fish (R42)."
    return f"{name} cannot be used at this moment (Q31): {QUESTIONS[s.phase]}."


def explain_wedge(s, which, slot):
    """Why a wedge cannot go there."""
    if which and (s.phase == GAIA or s.hand[s.to_move, 1] == NONE):
        return "there is only one wedge to place; it is wedge 0."
    if slot == s.start_slot:
        return "nothing is placed on the Starting Line (R25)."
    return f"a Ship stands on slot {slot} (R26)."


def explain_step(s, e):
    """Why an exit cannot be taken."""
    place = s.cur if s.flags & SKIP else s.pos[s.to_move]
    slot, dot = divmod(place, MAX_DOTS)
    count = int(EXITS[s.top[slot], dot])
    if e >= count:
        return f"this dot has only {count} exit{'s' if count > 1 else ''} (R31)."
    if ICON[s.top[slot], dot] == ICON_SCYLLA:
        return f"that path costs {LABEL[s.top[slot], dot, e]} fish (R49)."
    return f"no die on the board shows the number {LABEL[s.top[slot], dot, e]} of that path (R47)."
