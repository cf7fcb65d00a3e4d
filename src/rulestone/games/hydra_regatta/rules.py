"""Hydra Regatta: triremes race twice around the Hydra, on a course that keeps changing."""

import numpy as np

from rulestone.kernel import (
    NOBODY,
    About,
    Actions,
    Events,
    Reasons,
    Record,
    because,
    complete,
    fill,
    hush,
    lift,
    list_set,
    lowest,
    nth,
    option,
    rand,
    require,
    rule,
    shuffle,
    size,
    speak,
    tell,
    tell_only,
    u8,
    u64,
)

from .content import (
    ANGLE,
    BOAT,
    BOLT,
    CARD_NAMES,
    CARDS,
    DOES,
    DOT_NAMES,
    EFFECT,
    ENTRY,
    EXIT,
    EXITS,
    ICON,
    IS,
    KIND,
    LABEL,
    LANE,
    LONGEST_LAP,
    MARKED,
    MAX_DOTS,
    MAX_EXITS,
    PARAMETER,
    PRE_LINE,
    RING_SLOTS,
    STACK,
    START_DOT,
    START_WEDGE,
    STARTER,
    STOLEN,
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
WEDGES_COVER = 1  # R24: a placed wedge covers what is there; 0: the course stays as it was (to measure what wedges are worth)
if not (0 < MAX_FISH <= 20 and 0 <= LINE_FISH <= 20 and 0 <= FAVOR_LIMIT <= 2 and 0 <= PROTECTION <= 20 and 0 <= BOOST <= 3):
    raise ValueError("the limits are 20 fish, 2 Favors a turn, 20 dots of protection per point and boosts of 3 dots")
if WEDGES_COVER not in (0, 1):
    raise ValueError("WEDGES_COVER must be 0 or 1")
BOOST_DOTS = f"{BOOST} dot{'s' * (BOOST != 1)}"

# The phases: what the player is asked …
SETUP, NAV, FIRST, SECOND, VALUE, WEDGE, MOVE, HYDRA, ENDWIN, SLOTS, TARGET, ROOM, STEAL, GAIA, OVER = range(15)
# … or, within a move that needs no decision, what comes next: see `afterwards`.
ROUND, DICE, DICED, TURN, PLACE, SAIL, MOVED, REVEAL, TURNED = range(OVER + 1, OVER + 10)
# The bits of `flags`; NO2 is the first of four, one for each player.
SKIP, FREE, BATTLE, NOPROT, NO2 = (1 << bit for bit in range(5))
# The options that have names are stored as 0 for the usual value and 1 for these.
SEQUENTIAL, RESTRICTED, BEFORE, BY_ANGLE, RANK = (1,) * 5
# Q31: when a boat may be used, by its effect: sets of phases.
_moments = {
    DOES.GAIN_FISH: (NAV, SECOND, MOVE, HYDRA, ENDWIN),
    DOES.REROLL: (NAV, SECOND),
    DOES.ADD_MOVE: (MOVE, ENDWIN),
    DOES.ANY_PATH: (MOVE,),
    DOES.SET_NAV: (NAV,),
    DOES.NO_BUST: (SECOND,),
    DOES.IGNORE_HYDRA: (HYDRA,),
    DOES.STOP: (MOVE,),
    DOES.ADD_NAV: (MOVE, HYDRA, ENDWIN),
}
MOMENTS = np.array([sum(1 << phase for phase in _moments.get(effect, ())) for effect in DOES], np.int32)
TURN_DECISIONS, MOST_DOTS = 22 + MAX_FISH, 150  # see `longest_for`


def longest_for(players, options):
    """An upper bound on the number of decisions.

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
    story=64,
    version=3,  # 3: Apollo, Gaia, Demeter and the end of a round as ruled in November 2026, rolling at the same time
    minutes="45",
    seats=("Red", "Blue", "Green", "Yellow"),
    summary="Push your luck with the dice and race your trireme twice around the Hydra, on a course that keeps changing.",
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
    ignore=(),
)

EVENTS = Events(
    names={"card": CARD_NAMES, "wedge": WEDGE_NAMES, "dot": DOT_NAMES, "lane": ("A", "B", "C", "D")},
    line="The Starting Line goes on top of {wedge:wedge} in slot {slot}. [R3]",
    starter="{who:seat} is dealt {card:card}, Starter {number}. [R7]",
    ship="{who:seat} takes lane {lane:lane} of the Starting Line. [R8]",
    first_fleece="{who:seat} placed their Ship last and gets the Golden Fleece. [R10]",
    fleece="The Golden Fleece goes to {who:seat}, who is in last place. [R13]",
    keeps_fleece="{who:seat} is in last place and keeps the Golden Fleece. [Q45]",
    round="Round {number} begins: everybody rolls. [R12]",
    last_round="This was the last round. [R56]",
    nav="{who:seat} rolls {die} for navigation. [R15]",
    set_nav="{who:seat} turns the Navigation die to {die}. [Q31]",
    first="{who:seat} rolls {die} with the first Movement die. [R16]",
    hold="{who:seat} stops with {first}. [R17]",
    second="{who:seat} risks a second Movement die and rolls {die}. [R17]",
    pays_reroll="{who:seat} spends a fish on a reroll. [R54]",
    success="{who:seat} keeps both dice: {first} and {second}. [R18]",
    bust="Bust! {who:seat} rolled {second} after {first} and loses both Movement dice. [R19]",
    dice="{who:seat} reveals {die} for navigation. [Q5]",
    no_second="{who:seat} can't roll a second Movement die this round. [Q32]",
    places="{who:seat} places {wedge:wedge} on slot {slot}. [R24]",
    voyage="{who:seat} sets sail with {move} movement and {prot} Hydra protection. [R21]",
    sails="{who:seat} sails to {dot:dot} in slot {slot}, {left} movement left. [R30]",
    skips="{who:seat} sails past a Ship on {dot:dot} in slot {slot} for free. [R33]",
    path="{who:seat} leaves Charybdis by path {label}. [R47]",
    pays_scylla="{who:seat} leaves Scylla by the {label}-fish path. [R49]",
    lap="{who:seat} crosses the Starting Line and completes lap {lap}. [R46]",
    fish="{who:seat} takes {count} fish and now has {total}. [R42]",
    full="{who:seat} has no room for more fish. [R42]",
    draws="{who:seat} draws a Favor face down. [R43]",
    reshuffle="The discarded Favors are shuffled into a new deck. [R41]",
    wedge="{who:seat} draws {wedge:wedge} to place next turn. [R44]",
    boost=f"A boost carries {{who:seat}} {BOOST_DOTS} further, with {{left}} to go. [R45]",
    protected="{who:seat} is protected and slips past the Hydra on dot {moved} of the turn. [R53]",
    feeds="{who:seat} feeds a fish to the Hydra. [R51]",
    battles="{who:seat} has no fish, battles the Hydra and loses {lost} movement. [R52]",
    fights="{who:seat} is protected but battles the Hydra anyway and gives up {lost} movement. [Q24]",
    uses="{who:seat} uses {card:card}. [Q31]",
    curse="{card:card} strikes {who:seat}. [Q32]",
    slowed="{who:seat} is slowed to {move} movement. [Q32]",
    unprotected="{who:seat} has no protection from Hydras. [Q32]",
    anchor="{who:seat} drops anchor and gives up {lost} movement. [Q31]",
    cancelled="Busy with the battle, {who:seat} loses the Favors still face down: {count}. [Q26]",
    bolt="{who:seat} reveals {card:card}: a lightning bolt strikes at once. [R38]",
    boat="{who:seat} reveals {card:card} and keeps it. [R39]",
    crowded="{who:seat} reveals {card:card} but has no free Favor slot. [R39]",
    replaces="{who:seat} discards {old:card} to keep {new:card}. [R39]",
    declines="{who:seat} discards {card:card}. [R39]",
    trident="{who:seat} reveals {card:card}, a trident for a rival. [R40]",
    cursed="{who:seat} puts {card:card} on the board of {victim:seat}. [R40]",
    makes_room="{who:seat} discards {old:card} to make room for {new:card}. [R40]",
    no_room="No board has room for {card:card}: waiting tridents stay. [Q33]",
    loses_fish="{who:seat} returns {count} fish. [Q35]",
    steals="{who:seat} takes {count} fish from {victim:seat}. [Q35]",
    gaia="{who:seat} draws {wedge:wedge} to place at once. [Q35]",
    nothing="{card:card} has no effect. [Q35]",
    rank="Place {place} goes to {who:seat}, laps completed: {laps}. [R57]",
    wins="{who:seat} wins the regatta! [R57]",
)

QUESTIONS = (
    "Place your Ship on the Starting Line first. [R8]",
    "Decide about the Navigation die first: keep it or reroll it. [R14]",
    "Stop now, or roll the second Movement die. You can't reroll dice you've kept. [R15, R16]",
    "Accept the second Movement die, or reroll it. [R20]",
    "First turn the Navigation die to 1, 2 or 3. [Q31]",
    "Place your wedge first. [R23]",
    "Choose the next dot: you must use all your movement. [R30]",
    "Deal with the Hydra first. [R51]",
    "Your movement is used up: end it, or use a Favor. [Q31]",
    "The Favor you revealed needs a slot: discard it, or one of your others. [R39]",
    "Choose a victim for the trident first. [R40]",
    "Make room for the trident first: you can't refuse it. [Q33]",
    "Choose whose fish to take first. [Q35]",
    "Place Gaia's wedge first. [Q35]",
    "The race is over. [R56]",
)
REASONS = Reasons(
    names={"card": CARD_NAMES, "question": QUESTIONS, "exits": ("no exit", "1 exit", "2 exits", "3 exits")},
    now="{question:question}",
    lane="There's already a Ship on that start dot. [R8]",
    no_fish="A reroll costs a fish, and you have none. [R54]",
    eris="Eris won't let you roll a second Movement die this round. [Q32]",
    one_wedge="You have only one wedge to place. [R23]",
    line="You can't cover the Starting Line. [R25]",
    ship="You can't cover a wedge with a Ship on it. [R26]",
    exits="This dot has only {count:exits}. [R31]",
    path="That path needs a die showing {label}; the Fleece doesn't change what a die shows. [R47]",
    price="That path costs {label} fish, and you don't have enough. [R49]",
    harmless="You're protected from this Hydra: ignore it or battle it. [Q24]",
    exposed="You're not protected from this Hydra. [R53]",
    unfed="You have no fish to feed the Hydra. [R52]",
    fed="You have a fish on board, so you must feed the Hydra. [Q25]",
    empty="That Favor slot is empty. [R35]",
    curse="{card:card} is a curse and strikes by itself. [Q32]",
    twin="You have {card:card} twice; use the first one. [Q31]",
    passing="You can't use a Favor while sailing past a Ship. [Q31]",
    full="You have no room for more fish. [R42]",
    moment="You can't use {card:card} now. {question:question}",
    nobody="There's no player {number} in this race. [R40]",
    yourself="You can't choose yourself: this Favor is for another player. [R40]",
    poor="That player has no fish. [Q35]",
    stays="You can't discard {card:card}: it stays until it strikes. [Q33]",
    laden="Two tridents are already waiting on that board, and they stay. [Q33]",
)


class State(Record):
    """The ring, the stacks, the player boards, and the state of the turn. 255 means none."""

    also = {"n": "players"}  # noqa: RUF012

    phase: u8.within(0, OVER)  # the question: SETUP 0, NAV 1, … OVER 14 (and within a move what comes next)
    round: u8  # 0 during setup
    turn: u8  # index in the order starting with the Fleece, for the dice and for the turns
    fleece: u8.seat(255)  # who holds the Golden Fleece
    final: u8.within(0, 1)  # 1 when somebody has completed the last lap
    start_slot: u8.within(0, 11)  # where the Starting Line wedge is
    under: u8  # the wedge below it, out of the game
    order0: u8[4].seat(255)  # order of placing Ships in setup
    setup_i: u8  # how many have been placed
    top: u8[12]  # the visible wedge of each slot
    height: u8[12]  # wedges in each pile
    stack: u8[16]  # wedges to draw; the next is stack[16 - stack_n]
    stack_n: u8.within(0, 16)
    hand: u8[4, 2].each_seat  # wedges drawn and to be placed next turn
    deck: u8[CARDS].within(0, CARDS - 1, 255)  # Favors to draw; the next is deck[36 - deck_n]
    deck_n: u8.within(0, CARDS)
    disc: u64  # the discard pile as a set of bits
    slots: u8[4, 2].each_seat.within(0, CARDS - 1, 255)  # the two Favor slots of each player board
    face: u8[2].within(0, CARDS - 1, 255)  # facedown Favors of the player in turn
    face_n: u8
    drawn: u8  # Favors drawn this turn
    wdrawn: u8  # wedges drawn this turn
    wplaced: u8  # wedges placed this turn
    reshuf: u8  # 1: the deck was reshuffled while face[0] was waiting, so everybody can deduce it
    pend: u8.within(0, CARDS - 1, 255)  # revealed boat or trident that waits for a decision
    ptarget: u8.seat(255)  # who receives the trident
    gaia: u8  # wedge to be placed at once
    fish: u8[4].each_seat
    pos: u8[4].each_seat  # slot * 16 + dot of each Ship
    wake: u8[4].each_seat  # where each Ship's turn began
    laps: u8[4].each_seat  # times each Ship has crossed the line
    nav: u8[4].each_seat  # Navigation die, 0 = not on the board
    d1: u8[4].each_seat  # first Movement die
    d2: u8[4].each_seat  # second Movement die
    bust: u8[4].each_seat.within(0, 1)  # 1: lost both Movement dice this round
    move: u8  # movement left
    moved: u8  # dots moved this turn
    prot: u8  # Hydras up to this dot are ignored
    cur: u8  # dot from which the next exit is chosen: the Ship's, or the one being skipped
    flags: u8  # SKIP 1, FREE 2 (Janus), BATTLE 4, NOPROT 8 (Ares), NO2 16, 32, 64, 128 (Eris, by player)
    stage: u8[4].each_seat.within(0, OVER)  # while all roll at the same time: what each player is asked, NAV to VALUE, or OVER when ready
    fish0: u8[4].each_seat  # … and what was there before they rolled: fish
    slots0: u8[4, 2].each_seat.within(0, CARDS - 1, 255)  # … Favors
    disc0: u64  # … and the discard pile
    rank: u8[4].seat(255)  # final ranking: the seat in each place

    start_fish: u8 = option(
        2,
        (2, 1),
        "how many fish you start with; 1 is the difficult game (R5)",
        title="Difficulty",
        labels=("normal: 2 fish", "difficult: 1 fish"),
    )
    race: u8 = option(2, (2, 1, 3), "how many laps the race has (Q44)", name="laps", title="Laps")
    roll_mode: u8 = option(
        "simultaneous",
        ("simultaneous", "sequential"),
        "when you roll: everybody at the same time, or one after the other in the open (Q5)",
        title="Rolling",
        labels=("all at the same time", "one after the other"),
    )
    skip_whirlpool: u8 = option(
        "free",
        ("free", "restricted"),
        "how you leave a whirlpool that you skip: by any path, or by one that matches a die or is paid for (Q18)",
        labels=("by any path", "by a matching or paid path"),
    )
    hydra_count: u8 = option(
        "including",
        ("including", "before"),
        "how far you must move to be protected from the Hydra: her own dot counts, or it doesn't (Q23)",
        labels=("her dot counts", "her dot doesn't count"),
    )
    protected_battle: u8 = option("no", ("no", "yes"), "whether you may battle a Hydra although you're protected from it (Q24)")
    battle_cancels_reveal: u8 = option("no", ("no", "yes"), "whether a battle also costs you the Favors drawn this turn (Q26)")
    tridents: u8 = option(
        "discardable",
        ("discardable", "stay"),
        "what you can do with a waiting trident: discard it to make room, or nothing until it strikes (Q33)",
        labels=("discard it", "nothing"),
    )
    rank_in_wedge: u8 = option(
        "radius",
        ("radius", "angle"),
        "who is ahead on the same wedge: the Ship on the inner lane, or the one further clockwise (Q39)",
        labels=("the inner lane", "further clockwise"),
    )
    returns: u8 = option(
        "winner",
        ("winner", "rank"),
        "how a game is scored: +1 for the winner and -1 for everybody else, or evenly spaced by place (Q43)",
        labels=("the winner takes all", "by place"),
    )


# ---- setup ----------------------------------------------------------------------------------------------------------------


@rule
def setup(s):
    """R2 to R8: the ring, the stack, the boards and the Favors; then the first Ship is to be placed."""
    lay_ring(s)
    for k in range(STACK):
        s.stack[k] = UNMARKED[k]
    shuffle(s, s.stack, 0, STACK)  # R4
    s.stack_n = STACK
    for player in range(4):
        for k in range(2):
            s.hand[player, k] = s.slots[player, k] = NONE
        s.pos[player] = s.wake[player] = s.order0[player] = s.rank[player] = NONE
        s.fish[player] = min(s.start_fish, MAX_FISH) if player < s.players else 0  # R5
    s.face[0] = s.face[1] = s.pend = s.ptarget = s.gaia = s.fleece = NONE
    deal_starters(s)
    s.phase = SETUP
    s.to_move = s.order0[0]


@rule
def lay_ring(s):
    """R2, R3, Q4: each quarter in random order, the quarters in random order, the Starting Line on a random wedge."""
    for slot in range(RING_SLOTS):
        s.top[slot] = MARKED[slot // 3, slot % 3]
        s.height[slot] = 1
    for quarter in range(3, 0, -1):
        other = rand(s, quarter + 1)
        for k in range(3):
            kept = s.top[3 * quarter + k]
            s.top[3 * quarter + k] = s.top[3 * other + k]
            s.top[3 * other + k] = kept
    for quarter in range(4):
        shuffle(s, s.top, 3 * quarter, 3 * quarter + 3)
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
    for player in range(s.players):
        s.slots[player, 0] = STARTER[s.deck[player]]
        tell(s, EVENTS.starter, player, s.slots[player, 0], s.deck[player] + 1)
    order_of_starters(s)
    make_deck(s, ALL_CARDS & ~held_cards(s))


@rule
def order_of_starters(s):
    """R8: the player with the lowest Starter places the first Ship."""
    placed = 0
    for number in range(4):
        for player in range(s.players):
            if s.slots[player, 0] == STARTER[number]:
                s.order0[placed] = player
                placed += 1


@rule
def held_cards(s):
    """The Favors in slots, as a set."""
    held = 0
    for player in range(s.players):
        for k in range(2):
            if s.slots[player, k] != NONE:
                held |= 1 << s.slots[player, k]
    return held


@rule
def make_deck(s, cards):
    """R7, R41: a set of Favors is shuffled and becomes the deck."""
    s.deck_n = size(cards)
    fill(s.deck, 0, CARDS - s.deck_n, NONE)
    list_set(cards, s.deck, CARDS - s.deck_n)
    shuffle(s, s.deck, CARDS - s.deck_n, CARDS)


@rule
def may_ship(s, lane):
    """R8: a start dot that is still free."""
    return REASONS.lane if occupied(s, s.to_move, start_dot(s, lane)) else 0


@rule
def do_ship(s, lane):
    """R8, R9: Ship and Wake token on a start dot, whose icons are ignored. R10: the last player to place gets the Fleece."""
    player = s.to_move
    s.pos[player] = s.wake[player] = start_dot(s, lane)
    s.setup_i += 1
    tell(s, EVENTS.ship, player, lane)
    if s.setup_i < s.players:
        s.to_move = s.order0[s.setup_i]
    else:
        s.fleece = player
        s.round = 1
        tell(s, EVENTS.first_fleece, player)
        s.phase = ROUND


@rule
def start_dot(s, lane):
    """The place of a start dot."""
    return s.start_slot * MAX_DOTS + START_DOT[lane]


# ---- the turn -------------------------------------------------------------------------------------------------------------


@rule
def asked(s, phase, or_phase=OVER):
    """Is this the question now? (Or the other one.)"""
    return 0 if asking(s) == phase or s.phase == or_phase else because(REASONS.now, asking(s))


@rule
def asking(s):
    """The question for the player to move."""
    return s.stage[s.to_move] if together(s) else s.phase


@rule
def together(s):
    """R14, Q5: do all players roll at the same time?"""
    return s.phase == NAV and s.roll_mode != SEQUENTIAL


@rule
def deciders(s):
    """R14, Q5: those who roll at the same time and are not ready yet."""
    players = 0
    if together(s):
        for player in range(s.players):
            players |= 1 << player if s.stage[player] != OVER else 0
    return players


@rule
def resolve(s):
    """Q5: everybody is ready."""
    s.phase = DICED
    afterwards(s)


_verbs = {SETUP: "ship", NAV: "nav_keep nav_reroll", FIRST: "hold roll2", SECOND: "accept2 reroll2", VALUE: "value"}
_verbs |= {MOVE: "step", HYDRA: "feed battle ignore", ENDWIN: "end_move", SLOTS: "replace discard_new", ROOM: "discard_own"}
WHEN = {verb: (asked, phase) for phase, verbs in _verbs.items() for verb in verbs.split()}
WHEN |= {"wedge": (asked, WEDGE, GAIA), "target": (asked, TARGET, STEAL)}


@rule
def one(reason, number):
    """The set of this number alone, or the empty set if there is a reason against it."""
    return 1 << number if reason == 0 else 0


@rule
def several(found):
    """Has a set more than one member?"""
    return found & (found - 1) != 0


@rule
def choices(s):
    """The possible actions as a set of bits: bit a is action a."""
    phase = asking(s)
    found = 0
    if phase == MOVE:
        return open_exits(s) << ACTIONS.step(0) | favors(s)
    if phase == NAV:
        return 1 << ACTIONS.nav_keep() | one(may_nav_reroll(s), ACTIONS.nav_reroll()) | favors(s)
    if phase == FIRST:
        return 1 << ACTIONS.hold() | one(may_roll2(s), ACTIONS.roll2()) | favors(s)
    if phase == SECOND:
        return 1 << ACTIONS.accept2() | one(may_reroll2(s), ACTIONS.reroll2()) | favors(s)
    if phase == VALUE:
        return 7 << ACTIONS.value(1)
    if phase == HYDRA:
        found = one(may_feed(s), ACTIONS.feed()) | one(may_battle(s), ACTIONS.battle())
        return found | one(may_ignore(s), ACTIONS.ignore()) | favors(s)
    if phase == ENDWIN:
        return 1 << ACTIONS.end_move() | favors(s)
    if phase == SLOTS:
        found = one(may_replace(s, 0), ACTIONS.replace(0)) | one(may_replace(s, 1), ACTIONS.replace(1))
        return found | 1 << ACTIONS.discard_new()
    if phase == ROOM:
        return one(may_discard_own(s, 0), ACTIONS.discard_own(0)) | one(may_discard_own(s, 1), ACTIONS.discard_own(1))
    if phase in (WEDGE, GAIA):
        for slot in range(RING_SLOTS):
            found |= one(may_cover(s, slot), slot)
        second = found if wedge_held(s, 1) != NONE else 0
        return found << ACTIONS.wedge(0, 0) | second << ACTIONS.wedge(1, 0)
    for number in range(4):
        if phase == SETUP:
            found |= one(may_ship(s, number), ACTIONS.ship(number))
        elif phase != OVER:
            found |= one(may_target(s, number), ACTIONS.target(number))
    return found


@rule
def legal(s, out):
    """The possible actions in ascending order. (The rules need them as a set anyway, to know whether there is a choice at all.)"""
    return list_set(choices(s), out, 0)


@rule
def no_choice(s):
    """Is there only one thing to do? Then it is done without asking. (A Ship sails on by itself, see `sail`.)"""
    phase = asking(s)
    return (phase <= SECOND or SLOTS <= phase <= STEAL) and not several(choices(s))


@rule
def afterwards(s):
    """R12, R13: everything that needs no decision, until somebody has to be asked or the race is over."""
    while s.phase > OVER or no_choice(s):
        if s.phase < OVER:
            act(s, lowest(choices(s)))  # noqa: F821
        elif s.phase == ROUND:
            begin_round(s)
        elif s.phase == DICE:
            begin_dice(s)
        elif s.phase == DICED:
            end_dice(s)
        elif s.phase == TURN:
            begin_turn(s)
        elif s.phase == PLACE:
            begin_movement(s)
        elif s.phase == SAIL:
            sail(s)
        elif s.phase == MOVED:
            end_movement(s)
        elif s.phase == REVEAL:
            reveal(s)
        else:
            end_turn(s)


# ---- the round ------------------------------------------------------------------------------------------------------------


@rule
def in_turn(s, index):
    """The player who is index-th in the order that starts with the Fleece."""
    return (s.fleece + index) % s.players


@rule
def begin_round(s):
    """R12, R14: all players roll, at the same time or (Q5) one after the other, the Fleece first."""
    tell(s, EVENTS.round, s.round)
    s.turn = 0
    s.phase = DICE
    if s.roll_mode == SEQUENTIAL:
        return
    for index in range(s.players):
        s.to_move = in_turn(s, index)
        curses_strike(s)
    for player in range(s.players):
        s.stage[player] = OVER
    take_snapshot(s)
    s.phase = NAV
    for player in range(s.players):
        s.to_move = player
        s.stage[player] = NAV
        roll_navigation(s)
        while no_choice(s):
            act(s, lowest(choices(s)))  # noqa: F821 (made by the kernel)
    if deciders(s) == 0:
        s.phase = DICED


@rule
def end_turn(s):
    """R12: the next player. R13: after the last one the dice are cleared and the Fleece goes to the last. R56, Q41: or all is over."""
    if s.turn + 1 < s.players:
        s.turn += 1
        s.phase = TURN
        return
    for player in range(s.players):
        s.nav[player] = s.d1[player] = s.d2[player] = s.bust[player] = 0
    if s.final:
        finish(s)
        return
    last = s.fleece
    for player in range(s.players):
        if progress(s, player) < progress(s, last):
            last = player
    tell(s, EVENTS.keeps_fleece if last == s.fleece else EVENTS.fleece, last)
    s.fleece = last
    s.round += 1
    s.phase = ROUND


@rule
def progress(s, player):
    """R55, R57, Q39, Q40: how far a Ship is: laps, then slots past the line, then inner before outer, then angle."""
    slot = s.pos[player] // MAX_DOTS
    dot = s.pos[player] % MAX_DOTS
    wedge = s.top[slot]
    offset = RING_SLOTS if PRE_LINE[wedge, dot] else (slot - s.start_slot) % RING_SLOTS
    inner = 3 - LANE[wedge, dot]
    angle = ANGLE[wedge, dot]
    place = angle * 4 + inner if s.rank_in_wedge == BY_ANGLE else inner * 16 + angle
    return (s.laps[player] * 16 + offset) * 64 + place


@rule
def finish(s):
    """R57, Q42, Q43: everybody is ranked, the race is over."""
    tell(s, EVENTS.last_round)
    n = s.players
    for player in range(n):
        place = 0
        for other in range(n):
            if progress(s, other) > progress(s, player):
                place += 1
        s.rank[place] = player
        if s.returns == RANK:
            s.payoff[player] = 1 - 2 * place / (n - 1)
        else:
            s.payoff[player] = 1 if place == 0 else -1
    for place in range(n):
        tell(s, EVENTS.rank, place + 1, s.rank[place], s.laps[s.rank[place]])
    tell(s, EVENTS.wins, s.rank[0])
    s.phase = OVER
    s.to_move = NOBODY


# ---- rolling dice ---------------------------------------------------------------------------------------------------------


@rule
def whisper(s, event, a=0, b=0, c=0):
    """Q5: tell what happens while rolling; if all roll at the same time, only the player learns it."""
    if together(s):
        tell_only(s, s.to_move, event, a, b, c)
    else:
        tell(s, event, a, b, c)


@rule
def ask(s, phase):
    """The next question for the player who rolls."""
    if together(s):
        s.stage[s.to_move] = phase
    else:
        s.phase = phase


@rule
def begin_dice(s):
    """R14, Q32: a player's dice; first the curses that affect them."""
    s.to_move = in_turn(s, s.turn)
    curses_strike(s)
    s.phase = NAV
    roll_navigation(s)


@rule
def roll_navigation(s):
    """R15: 1, 2 or 3; then it may be rerolled."""
    s.nav[s.to_move] = 1 + rand(s, 3)
    whisper(s, EVENTS.nav, s.to_move, s.nav[s.to_move])


@rule
def may_reroll2(s):
    """R15, R20, R54: one fish for each reroll."""
    return 0 if s.fish[s.to_move] else REASONS.no_fish


may_nav_reroll = may_reroll2


@rule
def do_reroll2(s):
    """R15, R20, R54: one fish for each reroll of the die just rolled."""
    s.fish[s.to_move] -= 1
    whisper(s, EVENTS.pays_reroll, s.to_move)
    roll_again(s)


do_nav_reroll = do_reroll2


@rule
def roll_again(s):
    """R15, R20: the die just rolled once more; the earlier result is gone."""
    if asking(s) == NAV:
        roll_navigation(s)
    else:
        do_roll2(s)


@rule
def do_value(s, number):
    """Q31: Athena turns the Navigation die."""
    s.nav[s.to_move] = number
    whisper(s, EVENTS.set_nav, s.to_move, number)
    ask(s, NAV)


@rule
def do_nav_keep(s):
    """R15, R16: the Navigation die stays; the first Movement die is rolled."""
    s.d1[s.to_move] = 1 + rand(s, 6)
    whisper(s, EVENTS.first, s.to_move, s.d1[s.to_move])
    ask(s, FIRST)


@rule
def may_roll2(s):
    """R17, Q32."""
    return REASONS.eris if s.flags & NO2 << s.to_move else 0


@rule
def do_roll2(s):
    """R17, R20: after a reroll the earlier result is gone."""
    s.d2[s.to_move] = 1 + rand(s, 6)
    whisper(s, EVENTS.second, s.to_move, s.d2[s.to_move])
    ask(s, SECOND)


@rule
def do_hold(s):
    """R17, R20: the dice stay as they are; if all roll at the same time (Q5), they are shown when all are ready."""
    if together(s):
        s.stage[s.to_move] = OVER
    else:
        show(s, s.to_move)
        s.phase = DICED


@rule
def do_accept2(s):
    """R20, R18, R19: the second die stays, or it is a bust."""
    do_hold(s)


@rule
def show(s, player):
    """R17 to R19, Q6: a first die alone, or with a second one, or it was a bust and both Movement dice are removed."""
    first = s.d1[player]
    second = s.d2[player]
    if second == 0:
        tell(s, EVENTS.hold, player, first)
    elif busts(first, second):
        tell(s, EVENTS.bust, player, second, first)
        s.d1[player] = s.d2[player] = 0
        s.bust[player] = 1
    else:
        tell(s, EVENTS.success, player, first, second)


@rule
def busts(first, second):
    """R18, R19: is the second die too low?"""
    return second < first


@rule
def end_dice(s):
    """R12, R14: the next player rolls; when all have rolled the turns begin, and (Q5) dice rolled at the same time are shown."""
    s.turn += 1
    if s.roll_mode == SEQUENTIAL and s.turn < s.players:
        s.phase = DICE
        return
    s.phase = TURN
    s.turn = 0
    if s.roll_mode != SEQUENTIAL:
        for index in range(s.players):
            player = in_turn(s, index)
            tell(s, EVENTS.dice, player, s.nav[player])
            show(s, player)


# ---- placing wedges -------------------------------------------------------------------------------------------------------


@rule
def begin_turn(s):
    """R12: nothing has been drawn or fought yet in this turn. R23: the wedges drawn on the previous turn come first."""
    s.to_move = in_turn(s, s.turn)
    s.drawn = s.wdrawn = s.wplaced = s.face_n = s.reshuf = 0
    s.face[0] = s.face[1] = NONE
    s.flags &= ~BATTLE
    s.phase = PLACE if s.hand[s.to_move, 0] == NONE else WEDGE


@rule
def may_wedge(s, which, slot):
    """R23 to R27, Q11: a wedge in hand on a slot that may take one."""
    return REASONS.one_wedge if wedge_held(s, which) == NONE else may_cover(s, slot)


@rule
def wedge_held(s, which):
    """R23: a wedge to be placed, or NONE; Gaia's counts as hand 0."""
    if s.phase == GAIA:
        return NONE if which else s.gaia
    return s.hand[s.to_move, which]


@rule
def may_cover(s, slot):
    """R25, R26, Q11: not on the Starting Line, not where a Ship stands."""
    if s.top[slot] == START_WEDGE or slot == s.start_slot:
        return REASONS.line
    for player in range(s.players):
        if s.pos[player] // MAX_DOTS == slot:
            return REASONS.ship
    return 0


@rule
def do_wedge(s, which, slot):
    """R23, R24, R27: it covers what is there; one wedge at a time, until the hand is empty. Then the Ship moves."""
    player = s.to_move
    wedge = wedge_held(s, which)
    if WEDGES_COVER:
        s.top[slot] = wedge
    s.height[slot] += 1
    s.wplaced += 1
    tell(s, EVENTS.places, player, wedge, slot)
    if s.phase == GAIA:
        s.gaia = NONE
        s.phase = REVEAL
        return
    if which == 0:
        s.hand[player, 0] = s.hand[player, 1]
    s.hand[player, 1] = NONE
    if s.hand[player, 0] == NONE:
        s.phase = PLACE


# ---- moving the Ship ------------------------------------------------------------------------------------------------------


@rule
def navigation(s, player):
    """R11, Q8: the navigation die counts twice with the Fleece."""
    return s.nav[player] * (2 if player == s.fleece else 1)


@rule
def begin_movement(s):
    """R21: the sum of the dice. Q32: curses on the voyage strike now."""
    player = s.to_move
    s.prot = PROTECTION * navigation(s, player)
    s.move = navigation(s, player) + s.d1[player] + s.d2[player]
    s.moved = 0
    s.flags &= ~(SKIP | FREE | NOPROT)
    s.cur = s.pos[player]
    s.phase = SAIL
    curses_strike(s)
    tell(s, EVENTS.voyage, player, s.move, last_harmless(s, s.prot))


@rule
def sail(s):
    """R30, R31: on from dot to dot while there is only one way, until a decision or the end of the movement."""
    while s.phase == SAIL:
        if s.move == 0 and not s.flags & SKIP:
            s.phase = ENDWIN
            if s.flags & BATTLE or favors(s) == 0:
                s.phase = MOVED
        else:
            s.phase = MOVE
            exits = open_exits(s)
            if not several(exits) and not favor_makes_decision(s):
                do_step(s, lowest(exits))


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
    if icon != IS.CHARYBDIS and icon != IS.SCYLLA:
        return False
    return not s.flags & FREE and (not s.flags & SKIP or s.skip_whirlpool == RESTRICTED)


@rule
def may_step(s, e):
    """R31, R47, R49, Q27, Q28, Q30: an exit of the dot; out of a whirlpool by a number on the dice, or for fish."""
    player = s.to_move
    wedge = s.top[here(s) // MAX_DOTS]
    dot = here(s) % MAX_DOTS
    if e >= EXITS[wedge, dot]:
        return because(REASONS.exits, EXITS[wedge, dot])
    if not path_rule_applies(s):
        return 0
    label = LABEL[wedge, dot, e]
    if ICON[wedge, dot] == IS.SCYLLA:
        return 0 if label <= s.fish[player] else because(REASONS.price, label)
    return 0 if label == s.nav[player] or label == s.d1[player] or label == s.d2[player] else because(REASONS.path, label)


@rule
def open_exits(s):
    """The exits that may be taken, as a set."""
    exits = (1 << EXITS[s.top[here(s) // MAX_DOTS], here(s) % MAX_DOTS]) - 1
    if path_rule_applies(s):
        for e in range(MAX_EXITS):
            exits &= ~(1 << e) | one(may_step(s, e), e)
    return exits


@rule
def favor_makes_decision(s):
    """Q31: Amphitrite from the first dot on, Janus on a whirlpool, Demeter on a Scylla that cannot be paid in full."""
    for k in range(2):
        if may_use(s, k) == 0:
            effect = EFFECT[s.slots[s.to_move, k]]
            if effect == DOES.STOP or effect == DOES.ANY_PATH:
                return True
            if effect == DOES.GAIN_FISH and s.fish[s.to_move] < 2 and path_rule_applies(s) and icon_at(s, here(s)) == IS.SCYLLA:
                return True
    return False


@rule
def exit_to(s, e):
    """Q2: the place that an exit leads to; over the seam into the wedge that now lies on the next slot."""
    slot = here(s) // MAX_DOTS
    dot = EXIT[s.top[slot], here(s) % MAX_DOTS, e]
    if dot < MAX_DOTS:
        return slot * MAX_DOTS + dot
    slot = (slot + 1) % RING_SLOTS
    return slot * MAX_DOTS + ENTRY[s.top[slot], dot - MAX_DOTS]


@rule
def do_step(s, e):
    """R30, R31: along one way to the next dot. R33, R34: an occupied one is skipped and not counted."""
    player = s.to_move
    there = exit_to(s, e)
    if path_rule_applies(s):  # R49, Q29, Q30: a Scylla path is paid on leaving
        label = LABEL[s.top[here(s) // MAX_DOTS], here(s) % MAX_DOTS, e]
        if icon_at(s, here(s)) == IS.SCYLLA:
            s.fish[player] -= label
            tell(s, EVENTS.pays_scylla, player, label)
        else:
            tell(s, EVENTS.path, player, label)
    s.flags &= ~FREE  # Janus serves for one step only
    s.cur = there
    name = s.top[there // MAX_DOTS] * MAX_DOTS + there % MAX_DOTS
    if icon_at(s, there) == IS.START:
        cross_line(s, player)  # R34, Q20: also when skipping
    s.phase = SAIL
    if occupied(s, player, there):
        s.flags |= SKIP
        tell(s, EVENTS.skips, player, name, there // MAX_DOTS)
        return
    s.flags &= ~SKIP
    s.pos[player] = there
    s.move -= 1
    s.moved += 1
    tell(s, EVENTS.sails, player, name, there // MAX_DOTS, s.move)
    encounter(s, player, icon_at(s, there))


@rule
def occupied(s, player, place):
    """R33: does another player's Ship stand there?"""
    for other in range(s.players):
        if other != player and s.pos[other] == place:
            return True
    return False


@rule
def encounter(s, player, icon):
    """R32, Q14: what the dot shows is resolved at once, in passing as at the end."""
    if icon == IS.FISH:
        gain_fish(s, player, 1)
    elif icon == IS.FAVOR:
        draw_favor(s, player)
    elif icon == IS.WEDGE:
        draw_wedge(s, player)
    elif icon == IS.BOOST:
        s.move += BOOST  # R45, Q22
        tell(s, EVENTS.boost, player, s.move)
    elif icon == IS.HYDRA:
        meet_hydra(s)


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
    """R51 to R53, Q24, Q25: protected, or asked if a Favor could help (with the option also if protected), or fed, or battled."""
    s.phase = HYDRA
    if protected(s, s.prot):
        if not s.protected_battle:
            do_ignore(s)
    elif favors(s) == 0:
        if s.fish[s.to_move]:
            do_feed(s)
        else:
            do_battle(s)


@rule
def may_ignore(s):
    """R53, Q24: with protection."""
    return 0 if protected(s, s.prot) else REASONS.exposed


@rule
def do_ignore(s):
    """R53: she does nothing."""
    tell(s, EVENTS.protected, s.to_move, s.moved)
    s.phase = SAIL


@rule
def may_feed(s):
    """R51, Q24: without protection."""
    return REASONS.harmless if protected(s, s.prot) else 0 if s.fish[s.to_move] else REASONS.unfed


@rule
def do_feed(s):
    """R51: a fish for the Hydra."""
    s.fish[s.to_move] -= 1
    tell(s, EVENTS.feeds, s.to_move)
    s.phase = SAIL


@rule
def may_battle(s):
    """Q24, Q25: only without a fish, or with protection."""
    return REASONS.fed if s.fish[s.to_move] and not protected(s, s.prot) else 0


@rule
def do_battle(s):
    """R52: without a fish all remaining movement is lost. Q24: or by choice."""
    tell(s, EVENTS.fights if protected(s, s.prot) else EVENTS.battles, s.to_move, s.move)
    s.move = 0
    s.flags |= BATTLE
    s.phase = SAIL


@rule
def cross_line(s, player):
    """R46, Q21: lap marker, fish, wedge and Favor, each within its limit. R56: the last lap ends the race."""
    s.laps[player] += 1
    tell(s, EVENTS.lap, player, s.laps[player])
    if s.laps[player] >= s.race:
        s.final = 1
    if LINE_FISH:
        gain_fish(s, player, LINE_FISH)
    draw_wedge(s, player)
    draw_favor(s, player)


@rule
def end_movement(s):
    """R36: the Wake token comes under the Ship. Q26: with the option a battle costs the facedown Favors."""
    player = s.to_move
    s.wake[player] = s.pos[player]
    if s.flags & BATTLE and s.battle_cancels_reveal and s.face_n:
        tell(s, EVENTS.cancelled, player, s.face_n)
        for k in range(s.face_n):
            s.disc |= 1 << s.face[k]
            s.face[k] = NONE
        s.face_n = s.reshuf = 0
    s.phase = REVEAL


# ---- fish, wedges and Favors ----------------------------------------------------------------------------------------------


@rule
def gain_fish(s, player, count):
    """R42: take fish, but never more than there is room for."""
    gained = min(count, MAX_FISH - s.fish[player])
    s.fish[player] += gained
    if gained:
        whisper(s, EVENTS.fish, player, gained, s.fish[player])
    else:
        whisper(s, EVENTS.full, player)


@rule
def lose_fish(s, player, count):
    """Return fish to the supply: this many, or all there are."""
    lost = min(count, s.fish[player])
    s.fish[player] -= lost
    if lost:
        tell(s, EVENTS.loses_fish, player, lost)


@rule
def wedge_limit(s):
    """R28: how many wedges may be drawn, and how many placed, in a turn."""
    return 2 if s.players == 2 else 1


@rule
def draw_wedge(s, player):
    """R28, R44, Q12, Q13: one wedge a turn, two with 2 players; none from an empty stack."""
    held = (s.hand[player, 0] != NONE) + (s.hand[player, 1] != NONE)
    if s.wdrawn < wedge_limit(s) and held < wedge_limit(s) and s.stack_n > 0:
        s.hand[player, held] = take_wedge(s)
        tell(s, EVENTS.wedge, player, s.hand[player, held])


@rule
def take_wedge(s):
    """The top wedge of the stack, which counts as drawn."""
    s.stack_n -= 1
    s.wdrawn += 1
    return s.stack[STACK - s.stack_n - 1]


@rule
def draw_favor(s, player):
    """R43, Q38: facedown, two in a turn. R41, Q36: from an empty deck only after the discard pile was shuffled into it."""
    if s.drawn >= FAVOR_LIMIT:
        return
    if s.deck_n == 0:
        make_deck(s, s.disc)
        s.disc = 0
        s.reshuf = s.face_n > 0
        tell(s, EVENTS.reshuffle)
    if s.deck_n == 0:
        return  # only in positions written by hand: deck and discard pile always have 26 cards
    lay_facedown(s)
    s.drawn += 1
    tell(s, EVENTS.draws, player)


@rule
def lay_facedown(s):
    """The top card of the deck is added to the facedown Favors."""
    s.face[s.face_n] = lift(s.deck, CARDS - s.deck_n, NONE)
    s.deck_n -= 1
    s.face_n += 1


@rule
def discard_slot(s, player, k):
    """R41: a Favor leaves the board for the discard pile."""
    s.disc |= 1 << s.slots[player, k]
    s.slots[player, k] = NONE


@rule
def free_slot(s, player):
    """The lowest empty Favor slot, or NONE."""
    if s.slots[player, 0] == NONE:
        return 0
    return 1 if s.slots[player, 1] == NONE else NONE


# ---- using Favors ---------------------------------------------------------------------------------------------------------


@rule
def may_use(s, k):
    """Q31: a boat at its moment; of two equal cards only the first is offered."""
    card = s.slots[s.to_move, k]
    if card == NONE:
        return REASONS.empty
    if KIND[card] != BOAT:
        return because(REASONS.curse, card)
    if k == 1 and s.slots[s.to_move, 0] != NONE and TYPE[s.slots[s.to_move, 0]] == TYPE[card]:
        return because(REASONS.twin, card)
    if usable(s, card):
        return 0
    if s.phase == MOVE and s.flags & SKIP:
        return REASONS.passing
    if EFFECT[card] == DOES.GAIN_FISH and s.fish[s.to_move] == MAX_FISH:
        return REASONS.full
    return because(REASONS.moment, card, asking(s))


@rule
def favors(s):
    """Q31: the Favors that may be used now, as a set of actions."""
    return one(may_use(s, 0), ACTIONS.use(0)) | one(may_use(s, 1), ACTIONS.use(1))


@rule
def usable(s, card):
    """Q31: may the boat be used at this moment?"""
    effect = EFFECT[card]
    player = s.to_move
    if not MOMENTS[effect] >> asking(s) & 1 or (s.phase == MOVE and s.flags & SKIP):
        return False
    if effect == DOES.GAIN_FISH:
        return s.fish[player] < MAX_FISH
    if effect == DOES.NO_BUST:
        return busts(s.d1[player], s.d2[player])
    if effect == DOES.STOP:
        return s.moved >= 1
    if effect == DOES.ANY_PATH:
        return path_rule_applies(s)
    if effect == DOES.IGNORE_HYDRA:
        return not protected(s, s.prot)
    return effect != DOES.ADD_NAV or s.phase != HYDRA or protected(s, s.prot + PROTECTION * s.nav[player])


@rule
def do_use(s, k):
    """R35, R41, Q31: the card is discarded and takes effect; a Hydra is met again, unless Artemis turns it away."""
    player = s.to_move
    card = s.slots[player, k]
    effect = EFFECT[card]
    discard_slot(s, player, k)
    whisper(s, EVENTS.uses, player, card)
    if effect == DOES.GAIN_FISH:
        gain_fish(s, player, PARAMETER[card])
    elif effect == DOES.SET_NAV:
        ask(s, VALUE)
    elif effect == DOES.NO_BUST:  # only the second die is removed, and the rolling is over
        s.d2[player] = 0
        do_hold(s)
    elif effect == DOES.REROLL:
        roll_again(s)
    elif effect == DOES.ADD_MOVE:
        s.move += PARAMETER[card]
    elif effect == DOES.ANY_PATH:
        s.flags |= FREE
    elif effect == DOES.ADD_NAV:
        s.move += s.nav[player]
        if not s.flags & NOPROT:
            s.prot += PROTECTION * s.nav[player]
    elif effect == DOES.STOP:
        tell(s, EVENTS.anchor, player, s.move)
        s.move = 0
        s.phase = MOVED
    if s.phase == HYDRA and effect != DOES.IGNORE_HYDRA:
        meet_hydra(s)
    elif MOVE <= s.phase <= ENDWIN:
        s.phase = SAIL


@rule
def do_end_move(s):
    """Q31: no Favor is used after the last dot."""
    s.phase = MOVED


@rule
def curses_strike(s):
    """Q32: the tridents whose moment has come, before the dice or before the voyage, Favor slot 0 before 1."""
    player = s.to_move
    rolling = s.phase == DICE
    if rolling:
        s.flags &= ~(NO2 << player)
    for k in range(2):
        card = s.slots[player, k]
        if card != NONE and KIND[card] == TRIDENT:
            effect = EFFECT[card]
            if (effect == DOES.LOSE_FISH or effect == DOES.NO_SECOND) == rolling:
                discard_slot(s, player, k)
                tell(s, EVENTS.curse, card, player)
                if effect == DOES.LOSE_FISH:
                    lose_fish(s, player, PARAMETER[card])
                elif effect == DOES.NO_SECOND:
                    tell(s, EVENTS.no_second, player)
                    s.flags |= NO2 << player
                elif effect == DOES.SLOW:
                    s.move = max(1, s.move - PARAMETER[card])
                    tell(s, EVENTS.slowed, player, s.move)
                else:
                    s.flags |= NOPROT
                    s.prot = 0
                    tell(s, EVENTS.unprotected, player)


# ---- revealing Favors -----------------------------------------------------------------------------------------------------


@rule
def reveal(s):
    """R37: the facedown Favors one at a time, in drawing order; then the turn is over."""
    player = s.to_move
    if s.face_n == 0:
        s.phase = TURNED
        return
    card = s.face[0]
    s.face[0] = s.face[1]
    s.face[1] = NONE
    s.face_n -= 1
    s.reshuf = 0
    if KIND[card] == BOLT:
        s.disc |= 1 << card  # Q35: discarded when its use begins
        tell(s, EVENTS.bolt, player, card)
        strike(s, player, card)
        return
    s.pend = card
    if KIND[card] == TRIDENT:
        tell(s, EVENTS.trident, player, card)
        s.phase = TARGET
        if choices(s) == 0:
            tell(s, EVENTS.no_room, card)
            throw_away(s)
    elif free_slot(s, player) != NONE:
        tell(s, EVENTS.boat, player, card)
        lay_favor(s, player, free_slot(s, player))  # Q34
    else:
        tell(s, EVENTS.crowded, player, card)
        s.phase = SLOTS


@rule
def strike(s, player, card):
    """R38, Q35: a lightning bolt takes effect at once, or has no effect if there is nothing for it to do."""
    effect = EFFECT[card]
    if effect == DOES.ADVANCE and not s.flags & BATTLE:
        s.move = PARAMETER[card]
        s.cur = s.pos[player]
        s.flags &= ~(SKIP | FREE)
        s.phase = SAIL
    elif effect == DOES.GAIN_FISH:
        gain_fish(s, player, PARAMETER[card])
    elif effect == DOES.ALL_LOSE_FISH:
        for other in range(s.players):
            if other != player:
                lose_fish(s, other, PARAMETER[card])
    elif effect == DOES.DRAW_PLACE and s.stack_n > 0 and max(s.wdrawn, s.wplaced) < wedge_limit(s):  # Q12: drawn and placed
        s.gaia = take_wedge(s)
        tell(s, EVENTS.gaia, player, s.gaia)
        s.phase = GAIA
    else:
        s.phase = STEAL
        if effect != DOES.STEAL_FISH or s.fish[player] == MAX_FISH or choices(s) == 0:
            tell(s, EVENTS.nothing, card)
            s.phase = REVEAL


@rule
def may_target(s, other):
    """R40: another player. Q35: whose fish are to be taken must have some. Q33: tridents that stay leave no room for a third."""
    if other >= s.players:
        return because(REASONS.nobody, other)
    if other == s.to_move:
        return REASONS.yourself
    if s.phase == STEAL:
        return 0 if s.fish[other] else REASONS.poor
    laden = s.tridents and free_slot(s, other) == NONE and KIND[s.slots[other, 0]] == KIND[s.slots[other, 1]] == TRIDENT
    return REASONS.laden if laden else 0


@rule
def do_target(s, other):
    """R40, Q33: a trident goes into the lowest free Favor slot of the victim, who otherwise makes room.
    Q35: Dionysus takes fish from another board, if there is room.
    """
    player = s.to_move
    if s.phase == STEAL:
        count = min(STOLEN, s.fish[other], MAX_FISH - s.fish[player])
        s.fish[other] -= count
        s.fish[player] += count
        tell(s, EVENTS.steals, player, count, other)
        s.phase = REVEAL
        return
    s.ptarget = other
    if free_slot(s, other) == NONE:
        s.phase = ROOM
        s.to_move = other
    else:
        lay_favor(s, other, free_slot(s, other))


@rule
def lay_favor(s, player, k):
    """R39, R40: the revealed Favor is on a board; the turn continues with the player who revealed it."""
    s.slots[player, k] = s.pend
    s.to_move = in_turn(s, s.turn)
    if player == s.ptarget:
        tell(s, EVENTS.cursed, s.to_move, s.pend, player)
    s.pend = s.ptarget = NONE
    s.phase = REVEAL


@rule
def may_replace(s, k):
    """R39, R40, Q33, Q34: any Favor may go, a waiting trident only if the option does not keep it."""
    card = s.slots[s.to_move, k]
    return because(REASONS.stays, card) if s.tridents and KIND[card] == TRIDENT else 0


may_discard_own = may_replace


@rule
def do_replace(s, k):
    """R39: another Favor goes for the new one."""
    player = s.to_move
    tell(s, EVENTS.makes_room if s.phase == ROOM else EVENTS.replaces, player, s.slots[player, k], s.pend)
    discard_slot(s, player, k)
    lay_favor(s, player, k)


@rule
def do_discard_own(s, k):
    """R40, Q33: the victim of a trident makes room."""
    do_replace(s, k)


@rule
def do_discard_new(s):
    """R39: the revealed boat is not kept."""
    tell(s, EVENTS.declines, s.to_move, s.pend)
    throw_away(s)


@rule
def throw_away(s):
    """R41: the revealed Favor is discarded."""
    s.disc |= 1 << s.pend
    s.pend = NONE
    s.phase = REVEAL


# ---- what is hidden -------------------------------------------------------------------------------------------------------


@rule
def take_snapshot(s):
    """Q5: fish, Favors and discard pile as they are before all roll at the same time."""
    for player in range(4):
        s.fish0[player] = s.fish[player]
        for k in range(2):
            s.slots0[player, k] = s.slots[player, k]
    s.disc0 = s.disc


@rule
def hide(s, viewer):
    """Q37: nobody knows the deck, the facedown Favors and the stack. Q5: nor what others do while all roll at the same time."""
    fill(s.deck, 0, CARDS, NONE)
    for k in range(2):
        if not (k == 0 and s.reshuf):
            s.face[k] = NONE
    fill(s.stack, STACK - s.stack_n, STACK, NONE)
    if not together(s):
        return
    s.disc = s.disc0
    for player in range(s.players):
        for k in range(2):
            if player != viewer:
                s.slots[player, k] = s.slots0[player, k]
            elif s.slots[player, k] != s.slots0[player, k] and s.slots[player, k] == NONE:
                s.disc |= 1 << s.slots0[player, k]
        if player != viewer:
            s.nav[player] = s.d1[player] = s.d2[player] = 0
            s.fish[player] = s.fish0[player]
            if s.stage[player] != OVER:  # a player who isn't ready looks as if they hadn't started
                s.stage[player] = NAV


@rule
def redeal(s, viewer):
    """Fill a view at random: the unseen Favors over deck and facedown cards, the stack, and with hidden rolls the dice."""
    unseen = ALL_CARDS & ~held_cards(s) & ~s.disc
    if s.pend != NONE:
        unseen &= ~(1 << s.pend)
    if s.reshuf:
        unseen &= ~(1 << s.face[0])
    make_deck(s, unseen)
    face_n = s.face_n
    s.face_n = s.reshuf
    while s.face_n < face_n:
        lay_facedown(s)
    drawn = 0  # the wedges that were never drawn, in random order
    for k in range(STACK - s.stack_n):
        if s.stack[k] != NONE:
            drawn |= 1 << s.stack[k]
    place = STACK - s.stack_n
    for k in range(STACK):
        if not drawn >> UNMARKED[k] & 1 and place < STACK:
            s.stack[place] = UNMARKED[k]
            place += 1
    shuffle(s, s.stack, STACK - s.stack_n, place)
    if together(s):
        roll_for_others(s, viewer)


@rule
def roll_for_others(s, viewer):
    """Q5: those who are ready have rolled in some way, those who are not have come to their first decision."""
    told = hush(s)
    mover = s.to_move
    for player in range(s.players):
        if player != viewer:
            ready = s.stage[player] == OVER
            s.to_move = player
            s.stage[player] = NAV
            roll_navigation(s)
            while s.stage[player] != OVER and (ready or no_choice(s)):
                act(s, nth(choices(s), rand(s, size(choices(s)))))  # noqa: F821
    s.to_move = mover
    speak(s, told)


# ---- positions written by hand ----------------------------------------------------------------------------------------------


@rule
def refresh(s):
    """After fields were written by hand: who places a Ship, the dot in question, a new snapshot; with an empty hand the Ship moves."""
    if s.phase == SETUP:
        order_of_starters(s)
        s.to_move = s.order0[s.setup_i]
    elif s.phase == WEDGE:
        s.phase = TURN
        afterwards(s)
    elif s.phase >= MOVE and s.phase <= ENDWIN and not s.flags & SKIP:
        s.cur = s.pos[s.to_move]
    elif together(s) and not snapshot_possible(s):
        take_snapshot(s)


@rule
def snapshot_possible(s):
    """Q5: can the rolling so far have led from the snapshot to this? Fish and cards are only spent."""
    disc = s.disc0
    for player in range(s.players):
        most = s.fish0[player]
        for k in range(2):
            card = s.slots0[player, k]
            if s.slots[player, k] != card:
                if s.slots[player, k] != NONE:
                    return False
                disc |= 1 << card
                most = MAX_FISH if EFFECT[card] == DOES.GAIN_FISH else most
        if s.fish[player] > most:
            return False
    return disc == s.disc


# ---- for people -----------------------------------------------------------------------------------------------------------


@rule
def foretell(s, player, dice):
    """R21, R53: the voyage a player would start with this much on the Movement dice: its movement and the last harmless dot."""
    hush(s)
    s.to_move = player
    s.d1[player] = dice
    s.d2[player] = 0
    begin_movement(s)
    return s.move, last_harmless(s, s.prot)


def check(s):
    """The pieces add up and everything is in a possible place (section 5 of the rule sheet); raises BrokenInvariant."""
    require(s.phase <= OVER, f"there is no phase {s.phase}")
    require((s.phase == OVER) == (s.to_move == NOBODY), f"phase {s.phase} with player {s.to_move} to move")
    require(not together(s) or deciders(s), "everybody is ready, but the game doesn't continue")
    for player in range(s.players):
        require(s.fish[player] <= MAX_FISH, f"player {player} has {s.fish[player]} fish")
        require(s.nav[player] <= 3 and s.d1[player] <= 6 and s.d2[player] <= 6, f"player {player} has impossible dice")
        require(not (s.bust[player] and s.d1[player] + s.d2[player]), f"player {player} is bust but has Movement dice")
        require(s.pos[player] != NONE or s.phase == SETUP, f"the Ship of player {player} is not on the course")
        if s.pos[player] != NONE:
            slot, dot = divmod(s.pos[player], MAX_DOTS)
            require(slot < RING_SLOTS and EXITS[s.top[slot], dot], f"the Ship of player {player} isn't on a dot: {s.pos[player]}")
        sailing = MOVE <= s.phase <= ENDWIN and player == s.to_move
        require(sailing or s.wake[player] == s.pos[player], f"the Wake token of player {player} is not under the Ship")
    ships = [s.pos[player] for player in range(s.players) if s.pos[player] != NONE]
    require(len(set(ships)) == len(ships), f"two Ships share a dot: {ships}")
    finished = any(s.laps[player] >= s.race for player in range(s.players))
    require(s.final == finished, "`final` doesn't match whether the last lap is completed")
    wedges = max(s.wdrawn, s.wplaced)
    require(s.drawn <= FAVOR_LIMIT and wedges <= wedge_limit(s), f"{s.drawn} Favors and {wedges} wedges drawn or placed in a turn")
    if s.phase == OVER:
        require(sorted(s.rank[player] for player in range(s.players)) == list(range(s.players)), "the ranking doesn't list every player")

    # 36 Favors, all different, in deck, discard pile, slots, face down or waiting
    cards = [card for card in range(CARDS) if s.disc >> card & 1]
    cards += [s.deck[k] for k in range(CARDS - s.deck_n, CARDS)] + [s.face[k] for k in range(s.face_n)]
    cards += [s.slots[player, k] for player in range(s.players) for k in range(2) if s.slots[player, k] != NONE]
    cards += [s.pend] if s.pend != NONE else []
    require(sorted(cards) == list(range(CARDS)), f"the Favors are not the {CARDS} of the game: {sorted(cards)}")
    for player in range(s.players, 4):
        empty = s.slots[player, 0] == s.slots[player, 1] == s.hand[player, 0] == s.hand[player, 1] == NONE
        require(empty, f"empty seat {player} has cards")

    # 16 wedges in the stack, in hands and on the course
    hands = [s.hand[player, k] for player in range(s.players) for k in range(2)] + [s.gaia]
    hands = [wedge for wedge in hands if wedge != NONE]
    placed = sum(s.height[slot] for slot in range(RING_SLOTS)) - RING_SLOTS - 1
    require(s.stack_n + len(hands) + placed == STACK, f"{s.stack_n} wedges in the stack, {len(hands)} in hands, {placed} placed")
    wedges = [s.top[slot] for slot in range(RING_SLOTS)] + [s.stack[k] for k in range(STACK - s.stack_n, STACK)] + hands
    require(len(set(wedges)) == len(wedges), "a wedge is in two places")
    require(s.top[s.start_slot] == START_WEDGE, "the Starting Line is covered")


complete(globals())  # act, for the bot
