"""Artifact: race over a two-level grid to bring the artifact from the temple to your own home base."""

from rulestone.kernel import NOBODY, About, Actions, Reasons, Record, because, complete, fill, lift, option, require, rule, shuffle, u8, u16
from rulestone.kernel.story import Events, tell, tell_only

from .content import (
    BONUS,
    CARDS,
    CELLS,
    CHASE_PLAYS,
    DECKS,
    DEFAULT_MAP,
    DIAG,
    DROP,
    DYNAMITE,
    HAND,
    HOME,
    JUMP,
    KINDS,
    LAND,
    MAP_NAMES,
    MOST_CARDS,
    NEIGHBOUR,
    NONE,
    PLACE,
    PLACES,
    PLAYERS_OF,
    PLAYS,
    ROTATE,
    SACRED,
    SWAP,
    TEMPLE,
    VERT,
    WALL,
    WAYS,
)

SEATS = max(PLAYERS_OF.values())
DRAW, PLAY, DISCARD, OVER = range(4)  # the phases
STEPS = ("ho", "vert", "jump", "diag")
CARD_VERBS = (*STEPS, "swap", "drop", "dynamite", "rotate")  # in the order of the kinds
SELF = 8  # the ninth "way" of Drop Block and Dynamite: your own location
MOST_PLAYS, MOST_BONUSES = 16, 5
HIGHEST = 255  # blocks on a location if there is no limit
DECK_LABELS = {"standard54": "standard", "swaplight54": "fewer Swaps", "even56": "seven of each card"}
if not (PLAYS > 0 and CHASE_PLAYS > 0 and BONUS >= 0 and max(PLAYS, CHASE_PLAYS) + BONUS <= MOST_PLAYS):
    raise ValueError(f"{PLAYS} or {CHASE_PLAYS} plays and {BONUS} more are too few or too many: a turn has 1 to {MOST_PLAYS} plays")


def map_label(name):
    """A map's name as players read it: "2-crossing" is "Crossing"."""
    return name.partition("-")[2].capitalize() or name.capitalize()


def longest_for(players, options):
    """Q45 ends the game after max_rounds · n turns. A turn has at most one draw, one end_play and one end_turn; a card is played
    or discarded at most once for each time it is drawn: 6 · n in the deal, then 1 + 6 in a turn. (With the default cap and four
    players: 10 · 800 + 24.)
    """
    return (4 + HAND) * options["max_rounds"] * players + HAND * players


ABOUT = About(
    title="Artifact",
    min_players=2,
    max_players=4,
    default_players=2,
    longest=(4 + HAND) * 200 * SEATS + HAND * SEATS,
    perfect_information=False,
    story=40,
    version=2,  # 2: counts discards, and moves that others do not notice
    minutes="10-25",
    seats=("Red", "Blue", "Green", "Yellow"),
    summary="Grab the artifact from the temple and carry it to your own home base, past walls, blocks and thieves.",
)

ACTIONS = Actions(
    draw_deck=(),
    draw_discard=(),
    end_play=(),
    end_turn=(),
    discard="Ho Vert Jump Diag Swap Drop/Drop_Block Dynamite Rotate",
    ho="N E S W",
    vert="N E S W",
    jump="N NE E SE S SW W NW",
    diag="NE SE SW NW",
    swap="P1 P2 P3 P4",
    drop="N NE E SE S SW W NW self",
    dynamite="N NE E SE S SW W NW self",
    rotate=(),
)

R8, R13, Q46, Q6 = range(4)  # why the play limit is what it is
RULES = ("R8", "R13", "Q46", "Q6")
LEFT = ["", *(f", now {height} high" for height in range(1, 256))]
COUNTED = ["1 card" if count == 1 else f"{count} cards" for count in range(MOST_CARDS + 1)]
LAID_OUT = ["played card goes" if count == 1 else f"{count} played cards go" for count in range(MOST_PLAYS + 1)]
WORDS = {"card": CARDS, "cards": COUNTED, "played": LAID_OUT, "left": LEFT, "piled": ["", "", *LEFT[2:]], "rule": RULES}
EVENTS = Events(
    names=WORDS | {"way": [f" {way}" for way in WAYS], "place": PLACES},
    deals="Everybody is dealt {count:cards}, and {card:card} is turned up to start the discard pile. [R3]",
    turn="{who:seat}'s turn, with up to {limit:cards} to play. [{rule:rule}]",
    chase="{who:seat}'s turn, with up to {limit:cards} to play because {holder:seat} has the artifact. [R9]",
    draws="{who:seat} draws a card from the deck. [R7]",
    drew="You draw {card:card}. [R7]",
    picks="{who:seat} takes {card:card} from the discard pile. [R7]",
    nothing="{who:seat} can't draw: the deck and the discard pile are both empty. [Q4]",
    ho="{who:seat} plays Ho and steps{way:way} to {place:place}. [R18]",
    vert="{who:seat} plays Vert and steps{way:way} to {place:place}. [R19]",
    diag="{who:seat} plays Diag and steps{way:way} to {place:place}. [R20]",
    jump="{who:seat} plays Jump and leaps{way:way} onto the wall at {place:place}. [R22]",
    swap="{who:seat} plays Swap and trades places with {other:seat}. [R23]",
    drop="{who:seat} plays Drop Block and puts a block on {place:place}{height:piled}. [R25]",
    dynamite="{who:seat} plays Dynamite and blasts a block off {place:place}{height:left}. [R26]",
    rotate="{who:seat} plays Rotate and turns the board 90° clockwise: Ho and Vert swap directions. [R27]",
    idle="{who:seat} plays {card:card} without effect. [Q34]",
    takes="{who:seat} takes control of the artifact at {place:place}. [R12]",
    steals="{who:seat} steals the artifact from {victim:seat} at {place:place}. [R12]",
    carries="{who:seat} carries the artifact to {place:place}. [R28]",
    stays="The artifact stays at {place:place}. [R24]",
    loose="With {who:seat} gone, nobody controls the artifact. [Q15]",
    handed="{who:seat} lands on the artifact and controls it at once. [Q15]",
    follows="The artifact goes with {who:seat} to {place:place}. [Q13]",
    allowance="{who:seat} may now play up to {limit:cards} this turn. [{rule:rule}]",
    stops="{who:seat} is done playing cards. [R8]",
    discards="{who:seat} discards {card:card}. [R10]",
    refills="{who:seat} draws {count:cards} to refill their hand. [R11]",
    refill="You draw {card:card}. [R11]",
    reshuffles="The discard pile, except for its top card, is shuffled into a new deck of {count:cards}. [R15]",
    piles="{who:seat}'s {count:played} onto the discard pile; {card:card} is on top. [R14]",
    wins="{who:seat} has the artifact at home and wins! [R29]",
    capped="Round {rounds} is over and nobody has brought the artifact home: it's a draw. [Q45]",
)

REASONS = Reasons(
    names={"card": CARDS, "line": ("east or west", "north or south"), "player": ("1", "2", "3", "4")},
    undrawn="Draw a card first, from the deck or the discard pile. [R7]",
    drawn="You've already drawn your card for this turn. [R7]",
    no_deck="The deck is empty, and there aren't enough discards to reshuffle. [Q4]",
    no_pile="The discard pile is empty. [Q4]",
    still_playing="Stop playing cards first. Then you can discard and end your turn. [R10]",
    stopped="You've already stopped playing cards. Discard, or end your turn. [R10]",
    over="You can't play any more cards this turn. Discard, or end your turn. [R10]",
    many="You can keep at most {count} cards. Discard down to that first. [Q39]",
    no_card="You have no {card:card} in hand. [R8]",
    line="The way the board is turned now, {card:card} moves {line:line}. [R27]",
    edge="That's off the board. [Q31]",
    up="That square is higher than yours; only Jump goes up. [R21]",
    level="You can only jump onto a neighbouring wall that's higher than you. [R22]",
    no_wall="There's no wall there to jump onto. [Q25]",
    shared="Somebody is already there, and squares can't be shared in this game. [Q17]",
    yourself="You can't swap places with yourself. [Q16]",
    no_player="There's no player {player:player} in this game. [Q16]",
    together="You're both on the same square, so nothing would change. [Q16]",
    diagonal="In this game Drop Block and Dynamite don't reach diagonally. [Q21]",
    nothing_there="There's no block there to remove. [R26]",
    sacred="In this game blocks can't go on home bases or the temple. [Q26]",
    no_tile="There are no spare blocks left. [Q30]",
    high="There's already a block there, and you can't stack another on it. [Q27]",
)


NOTES = ("mine",)  # §7: imagined worlds leave the others' at 0, a safe value


class State(Record):
    """Everything on the table. A location is row · columns + column; NONE (255) means nobody, nothing or nowhere."""

    map: u8 = option(
        DEFAULT_MAP,
        MAP_NAMES,
        "the map; each is made for a certain number of players (R30)",
        title="Map",
        labels=[map_label(name) for name in MAP_NAMES],
    )
    cnt: u8[KINDS] = option(
        "standard54",
        DECKS,
        "the deck: a name, or how many cards there are of each of the eight kinds (Q2)",
        name="deck",
        title="Deck",
        labels=[DECK_LABELS.get(name, name) for name in DECKS],
    )
    start_seat: u8 = option(
        0, range(4), "the seat that goes first, counting from 0 (Q3)", labels=("the first", "the second", "the third", "the fourth")
    )
    shuffle_bases: u8 = option(0, (0, 1), "whether home bases are assigned at random (Q3)", title="Random home bases")
    chase_and_take: u8 = option(
        PLAYS + BONUS,
        sorted({PLAYS + BONUS, CHASE_PLAYS + BONUS}),
        "how many plays you get if your turn starts on an artifact that another player has (Q11)",
    )
    live_limit: u8 = option(0, (0, 1), "whether the play limit changes during your turn when the artifact changes hands (Q6)")
    bonus_each: u8 = option(0, (0, 1), f"whether you get {BONUS} more plays every time you take the artifact, not just once a turn (Q9)")
    holder_bonus: u8 = option(0, (0, 1), f"whether you also get {BONUS} more plays if you start your turn with the artifact (Q10)")
    swap_carry: u8 = option(0, (0, 1), "whether the artifact goes along with its holder in a Swap instead of staying where it is (Q13)")
    passive_take: u8 = option(0, (0, 1), "whether a player who is swapped onto the artifact by its holder controls it at once (Q15)")
    share: u8 = option(1, (1, 0), "whether you may step or jump onto an occupied square (Q17)")
    adjacent: u8 = option(
        8,
        (8, 4),
        "how many neighbouring squares Drop Block and Dynamite reach: all 8, or 4 without the diagonals (Q21)",
        labels=("all 8", "4, without the diagonals"),
    )
    jump_level: u8 = option("no", ("no", "yes"), "whether Jump reaches any neighbouring wall, even from wall to wall (Q25)")
    max_height: u8 = option(
        1, (1, 2, 3, 0), "how high blocks can be stacked; 0 means as high as you like (Q22)", labels=("1", "2", "3", "as high as you like")
    )
    protect: u8 = option(0, (0, 1), "whether home bases and the temple stay free of blocks (Q26)")
    block_supply: u8 = option(0, range(61), "how many spare blocks there are besides the map's walls; 0 means unlimited (Q30)")
    seat_axes: u8 = option(0, (0, 1), "whether everybody reads Ho and Vert from their own side of the table, with 3 or 4 players (Q32)")
    idle_cards: u8 = option("no", ("no", "yes"), "whether you may play a card that has no effect (Q34)")
    hand_cap: u8 = option(
        0, (0, HAND), "the most cards you may hold when you end your turn; 0 means any number (Q39)", labels=("any number", str(HAND))
    )
    max_rounds: u16 = option(200, range(1, 1001), "the round after which the game is a draw (Q45)")
    opening_limit: u8 = option(PLAYS, (PLAYS, *range(1, PLAYS)), "how many cards may be played in the very first turn of the game (Q46)")

    turn: u16  # completed turns
    phase: u8.within(0, 3)  # 0 DRAW, 1 PLAY, 2 DISCARD, 3 OVER
    used: u8  # cards played this turn
    limit: u8  # cards that may be played this turn
    bonus: u8  # how many times BONUS was granted this turn
    winner: u8.seat(NONE)  # the seat that has won, or NONE
    rot: u8.within(0, 3)  # quarter turns of the board, clockwise
    base: u8[SEATS].each_seat  # each seat's home base
    pos: u8[SEATS].each_seat.within(0, CELLS - 1, NONE)  # location of each piece
    art: u8.within(0, CELLS - 1, NONE)  # location of the artifact
    holder: u8.seat(NONE)  # who controls it, or NONE
    h: u8[CELLS]  # blocks on each location
    spare: u8  # spare block tiles (only with block_supply)
    hand: u8[SEATS, KINDS].each_seat  # cards of each kind in each hand
    hand_n: u8[SEATS].each_seat  # hand sizes (public)
    deck_n: u8  # cards in the deck
    deck: u8[MOST_CARDS]  # kinds, top = last; NONE after the end
    disc_n: u8  # cards in the discard pile
    disc: u8[MOST_CARDS]  # kinds, top = last; NONE after the end
    played_n: u8  # cards played this turn
    played: u8[MOST_PLAYS]  # kinds in the order played; NONE after the end
    known: u8[SEATS, KINDS].each_seat  # cards everybody knows to be in a hand: taken from the discard pile (Q5)
    epoch: u8[KINDS]  # what the deck was made of at the last shuffle
    mine: u8[SEATS, KINDS].each_seat  # what each player has drawn from it since (private)
    tossed: u8  # cards discarded this turn: the first one shows that the play step is over
    unnoticed: u16[1 + SEATS]  # how many END_PLAYs a spectator and each player did not notice (hidden)

    also = {"n": "players"}  # noqa: RUF012


def judge(players, options):
    """Why these options don't fit together, or None."""
    name, counts, seat = options["map"], options["deck"], options["start_seat"]
    if PLAYERS_OF[name] != players:
        fitting = ", ".join(other for other in MAP_NAMES if PLAYERS_OF[other] == players)
        return f"the map {name} is for {PLAYERS_OF[name]} players, not {players}; possible: {fitting}"
    cards = sum(DECKS.get(counts, ()) if isinstance(counts, str) else counts)
    if not HAND * players + KINDS <= cards <= MOST_CARDS:
        return f"the deck has {cards} cards; a game for {players} needs {HAND * players + KINDS} to {MOST_CARDS}"
    if seat >= players:
        return f"seat {seat} can't go first in a game for {players}; choose 0 to {players - 1}"
    return None


# ---- setup ----------------------------------------------------------------------------------------------------------------


@rule
def setup(s):
    """R2-R5: the board, then the deal; then the first turn begins."""
    lay_board(s)
    deal(s)
    s.winner = NONE
    s.to_move = s.start_seat
    tell(s, EVENTS.deals, HAND, s.disc[0])
    start_turn(s)
    afterwards(s)


@rule
def lay_board(s):
    """R16, Q23: the walls of the map are blocks. R4, R5: pieces at home, the artifact in the temple. Q3: player k owns base k,
    unless the bases are dealt at random.
    """
    for cell in range(CELLS):
        s.h[cell] = WALL[s.map, cell]
    s.spare = s.block_supply
    for player in range(SEATS):
        s.base[player] = player
        s.pos[player] = NONE
    if s.shuffle_bases:
        shuffle(s, s.base, 0, s.players)
    for player in range(s.players):
        s.pos[player] = home(s, player)
    s.art = TEMPLE[s.map]
    s.holder = NONE


@rule
def deal(s):
    """R3: six cards each; then the top card of the deck is turned up."""
    refresh(s)
    for kind in range(KINDS):
        s.epoch[kind] = s.cnt[kind]
        for _ in range(s.cnt[kind]):
            s.deck[s.deck_n] = kind
            s.deck_n += 1
    shuffle(s, s.deck, 0, s.deck_n)
    for player in range(s.players):
        for _ in range(HAND):
            draw_top(s, player)
    s.deck_n -= 1
    s.disc[0] = lift(s.deck, s.deck_n, NONE)
    s.disc_n = 1
    s.epoch[s.disc[0]] -= 1


@rule
def home(s, player):
    """The location of a player's home base."""
    return HOME[s.map, s.base[player]]


# ---- the turn -------------------------------------------------------------------------------------------------------------


@rule
def afterwards(s):
    """Q4, Q35: forced steps happen by themselves until somebody has a choice (a loop, as whole turns can be forced). If only one
    pile can be drawn from, the draw is made; if none can, it is skipped.
    """
    while s.phase != OVER:
        if s.phase == DRAW:
            if may_draw_deck(s) == 0 and may_draw_discard(s) == 0:
                return
            if may_draw_deck(s) == 0:
                do_draw_deck(s)
            elif may_draw_discard(s) == 0:
                do_draw_discard(s)
            else:
                tell(s, EVENTS.nothing, s.to_move)
                s.phase = PLAY
        elif s.phase == PLAY:
            if s.used < s.limit and playable(s) != 0:
                return
            do_end_play(s)
        elif hand_size(s, s.to_move) > 0:
            return
        else:
            do_end_turn(s)


@rule
def may_now(s, phase):
    """R6: every step in its turn."""
    if s.phase == phase:
        return 0
    if phase == DRAW:
        return REASONS.drawn
    if s.phase == DRAW:
        return REASONS.undrawn
    return REASONS.stopped if phase == PLAY else REASONS.still_playing


@rule
def start_turn(s):
    """Q11: the cap, then a take by a player on the artifact, then the win, then the play limit; then step 1."""
    me = s.to_move
    s.used = 0
    s.bonus = 0
    s.tossed = 0
    s.phase = DRAW
    if s.turn >= s.max_rounds * s.players:
        tell(s, EVENTS.capped, s.max_rounds)  # Q45, Q49: nobody has won in time
        s.phase = OVER
        s.to_move = NOBODY
        return
    chasing = another_has_it(s)
    if s.pos[me] == s.art:
        if s.holder != me:  # R12 (i)
            take(s, me)
            s.bonus = 1
        elif s.holder_bonus:  # Q10
            s.bonus = 1
    finish_if_home(s)
    if s.phase != OVER:
        s.limit = s.chase_and_take if chasing and s.holder == me else base_limit(s) + BONUS * s.bonus
        if another_has_it(s):
            tell(s, EVENTS.chase, me, s.limit, s.holder)
        else:
            tell(s, EVENTS.turn, me, s.limit, R13 if s.bonus else Q46 if s.limit < PLAYS else R8)


@rule
def base_limit(s):
    """R8: 3 cards (Q46: in the very first turn `opening_limit`); R9: one more if another player has the artifact."""
    plays = s.opening_limit if s.turn == 0 else PLAYS
    return plays + CHASE_PLAYS - PLAYS if another_has_it(s) else plays


@rule
def another_has_it(s):
    """Q7: has means controls; standing on the artifact's location is not enough."""
    return s.holder != NONE and s.holder != s.to_move


@rule
def may_end_turn(s):
    """Q39: with `hand_cap` not with more than six cards."""
    return because(REASONS.many, s.hand_cap) if s.hand_cap and hand_size(s, s.to_move) > s.hand_cap else 0


@rule
def do_end_turn(s):
    """R11, R14, Q38: refill, then the played cards go onto the pile, then it is the next seat's turn."""
    refill(s)
    pile_up(s)
    s.turn += 1
    s.to_move = (s.to_move + 1) % s.players
    start_turn(s)


# ---- step 1: draw one -----------------------------------------------------------------------------------------------------


@rule
def may_draw_deck(s):
    """R7, Q4: a card in the deck, or at least two in the discard pile, of which one stays."""
    return 0 if s.deck_n > 0 or s.disc_n >= 2 else REASONS.no_deck


@rule
def may_draw_discard(s):
    """R7, Q4."""
    return 0 if s.disc_n > 0 else REASONS.no_pile


@rule
def do_draw_deck(s):
    """R7: the top card of the deck, unseen by the others."""
    if s.deck_n == 0:
        reshuffle(s)
    tell(s, EVENTS.draws, s.to_move)
    kind = draw_top(s, s.to_move)
    tell_only(s, s.to_move, EVENTS.drew, kind)
    s.phase = PLAY


@rule
def do_draw_discard(s):
    """R7, Q5: the top card of the discard pile; everybody knows now that it is in this hand."""
    player = s.to_move
    s.disc_n -= 1
    kind = lift(s.disc, s.disc_n, NONE)
    s.hand[player, kind] += 1
    s.known[player, kind] += 1
    s.hand_n[player] = hand_size(s, player)
    tell(s, EVENTS.picks, player, kind)
    s.phase = PLAY


@rule
def draw_top(s, player):
    """The top card of the deck goes into a hand."""
    s.deck_n -= 1
    kind = lift(s.deck, s.deck_n, NONE)
    s.hand[player, kind] += 1
    s.mine[player, kind] += 1
    s.hand_n[player] = hand_size(s, player)
    return kind


@rule
def reshuffle(s):
    """R15, Q40: the discard pile becomes the new deck, except for its top card."""
    count = s.disc_n - 1
    for kind in range(KINDS):
        s.epoch[kind] = 0
        for player in range(s.players):
            s.mine[player, kind] = 0
    for place in range(count):
        s.deck[place] = lift(s.disc, place, NONE)
        s.epoch[s.deck[place]] += 1
    s.disc[0] = lift(s.disc, count, NONE)
    s.disc_n = 1
    s.deck_n = count
    shuffle(s, s.deck, 0, count)
    tell(s, EVENTS.reshuffles, count)


@rule
def hand_size(s, player):
    """How many cards a hand has."""
    size = 0
    for kind in range(KINDS):
        size += s.hand[player, kind]
    return size


# ---- step 2: play cards ---------------------------------------------------------------------------------------------------


@rule
def may_play(s, kind):
    """R8: a card in hand, in the play step."""
    if s.phase != PLAY:
        return REASONS.undrawn if s.phase == DRAW else REASONS.over
    return because(REASONS.no_card, kind) if s.hand[s.to_move, kind] == 0 else 0


@rule
def playable(s):
    """Q34: the set of the card actions that can be carried out in the play step."""
    return choices(s) & ~(1 << ACTIONS.end_play())  # noqa: F821  (the kernel makes it)


@rule
def may_use(s, kind, way):
    """Q34: a card that can be carried out, with `idle_cards` any."""
    if s.idle_cards:
        return 0
    return may_step(s, kind, way) if kind <= DIAG else may_build(s, kind, way)


@rule
def may_step(s, kind, way):
    """R18-R22, R27: Ho left or right, Vert up or down as the board now lies, Diag and Jump any way; Jump goes up (Q25: or onto any
    wall), the others never do. Q31: the board ends. Q17: a location can be shared, unless the option says no.
    """
    if kind <= VERT:
        line = kind ^ turned(s, s.to_move)  # 0: E and W of the printed map, 1: N and S
        if way & 1 == line:
            return because(REASONS.line, kind, line)
    here = s.pos[s.to_move]
    there = NEIGHBOUR[s.map, here, eighth(kind, way)]
    if there == NONE:
        return REASONS.edge
    up = higher(s, there, here)
    if kind != JUMP and up:
        return REASONS.up
    if kind == JUMP and not up and not (s.jump_level and s.h[there] > 0):
        return REASONS.no_wall if s.jump_level else REASONS.level
    if s.share == 0:
        for player in range(s.players):
            if s.pos[player] == there:
                return REASONS.shared
    return 0


@rule
def eighth(kind, way):
    """Which of the eight ways a step goes: Ho and Vert have the four straight ones, Diag the four others, Jump all."""
    return way if kind == JUMP else 2 * way + (kind == DIAG)


@rule
def higher(s, there, here):
    """R21, R22: is one location higher than another?"""
    return s.h[there] > s.h[here]


@rule
def may_swap(s, other):
    """Q16, Q34: never with yourself or with a player on your location, except without effect."""
    if other >= s.players:
        return because(REASONS.no_player, other)
    if s.idle_cards:
        return 0
    if other == s.to_move:
        return REASONS.yourself
    return REASONS.together if s.pos[other] == s.pos[s.to_move] else 0


@rule
def may_build(s, kind, way):
    """R25, R26, Q21: a block more or less next to you or under yourself. Q22, Q26, Q27, Q30: where a block may be put."""
    there = target(s, way)
    if there == NONE:
        return REASONS.edge
    if s.adjacent == 4 and way != SELF and way & 1:
        return REASONS.diagonal
    if kind == DYNAMITE:
        return 0 if s.h[there] > 0 else REASONS.nothing_there
    if s.protect and SACRED[s.map, there]:
        return REASONS.sacred
    if s.block_supply and s.spare == 0:
        return REASONS.no_tile
    return 0 if s.h[there] < s.max_height or (s.max_height == 0 and s.h[there] < HIGHEST) else REASONS.high


@rule
def turned(s, player):
    """R27, Q33: after an odd number of quarter turns Ho is N-S of the printed map and Vert is E-W."""
    return quarters(s, player) & 1


@rule
def quarters(s, player):
    """Q32: how far the board is turned, for everybody, or with `seat_axes` (3 and 4 players) from each player's own seat."""
    return (s.rot + player if s.seat_axes and s.players > 2 else s.rot) & 3


@rule
def play_step(s, kind, event, way):
    """R18-R22: one location on. R28: the holder carries the artifact; R12 (ii): a player who reaches it takes it."""
    if idles(s, kind, way):
        return
    player = s.to_move
    limit = s.limit
    lay_out(s, kind)
    there = NEIGHBOUR[s.map, s.pos[player], eighth(kind, way)]
    s.pos[player] = there
    tell(s, event, player, eighth(kind, way), PLACE[s.map, there])
    if s.holder == player:
        s.art = there
        tell(s, EVENTS.carries, player, PLACE[s.map, there])
    elif there == s.art:
        take(s, player)
        grant_bonus(s)
    judge_play(s, limit)


@rule
def judge_play(s, limit):
    """After a card: R13 and Q6 may have changed how many may be played; Q42: the game may be won by it."""
    if s.live_limit:  # Q6 (b)
        s.limit = min(MOST_PLAYS, base_limit(s) + BONUS * s.bonus)
    if s.limit != limit:
        tell(s, EVENTS.allowance, s.to_move, s.limit, Q6 if s.live_limit and s.limit != limit + BONUS else R13)
    finish_if_home(s)


@rule
def lay_out(s, kind):
    """Q36: played cards lie beside the player, in order, until the end of the turn."""
    remove(s, s.to_move, kind)
    s.played[s.played_n] = kind
    s.played_n += 1
    s.used += 1


@rule
def remove(s, player, kind):
    """A card leaves the hand; Q5: if one of its kind was known to be there, it counts as that one."""
    s.hand[player, kind] -= 1
    s.hand_n[player] = hand_size(s, player)
    if s.known[player, kind] > 0:
        s.known[player, kind] -= 1


@rule
def do_swap(s, other):
    """R23: exchange places. R24, Q13: the artifact stays where it lies (with `swap_carry`: with its holder)."""
    if idles(s, SWAP, other):
        return
    player = s.to_move
    limit = s.limit
    lay_out(s, SWAP)
    mine = s.pos[player]
    s.pos[player] = s.pos[other]
    s.pos[other] = mine
    tell(s, EVENTS.swap, player, other)
    if s.swap_carry and (s.holder == player or s.holder == other):
        s.art = s.pos[s.holder]
        tell(s, EVENTS.follows, s.holder, PLACE[s.map, s.art])
    elif s.pos[player] == s.art:  # Q14
        tell(s, EVENTS.stays, PLACE[s.map, s.art])
        take(s, player)
        grant_bonus(s)
    elif s.holder == player:  # Q15: the opponent did not move there; nobody has it, unless the option says so
        tell(s, EVENTS.stays, PLACE[s.map, s.art])
        s.holder = NONE
        if s.passive_take:
            s.holder = other
            tell(s, EVENTS.handed, other)
        else:
            tell(s, EVENTS.loose, player)
    judge_play(s, limit)


@rule
def target(s, way):
    """R25, R26: the location that a Drop Block or Dynamite is aimed at."""
    return s.pos[s.to_move] if way == SELF else NEIGHBOUR[s.map, s.pos[s.to_move], way]


@rule
def change_height(s, kind, event, blocks, way):
    """R25, R26: a block more or less. Q26, Q28: whatever is there goes up or down with it, unharmed; Q29: that is no move. Q30: spare
    tiles are counted only if they are limited.
    """
    if idles(s, kind, way):
        return
    lay_out(s, kind)
    there = target(s, way)
    s.h[there] += blocks
    if s.block_supply:
        s.spare -= blocks
    tell(s, event, s.to_move, PLACE[s.map, there], s.h[there])
    judge_play(s, s.limit)


@rule
def do_rotate(s):
    """R27: a quarter turn clockwise."""
    lay_out(s, ROTATE)
    s.rot = (s.rot + 1) & 3
    tell(s, EVENTS.rotate, s.to_move)
    judge_play(s, s.limit)


@rule
def idles(s, kind, way):
    """Q34: with `idle_cards` a card that can't be carried out that way is played anyway, and nothing happens."""
    if s.idle_cards == 0:
        return False
    if kind == SWAP:
        works = s.pos[way] != s.pos[s.to_move]
    else:
        works = (may_step(s, kind, way) if kind <= DIAG else may_build(s, kind, way)) == 0
    if works:
        return False
    lay_out(s, kind)
    tell(s, EVENTS.idle, s.to_move, kind)
    judge_play(s, s.limit)
    return True


# ---- the artifact ---------------------------------------------------------------------------------------------------------


@rule
def take(s, player):
    """R12, Q18, Q20: control changes hands, like it or not."""
    if s.holder == NONE:
        tell(s, EVENTS.takes, player, PLACE[s.map, s.art])
    else:
        tell(s, EVENTS.steals, player, s.holder, PLACE[s.map, s.art])
    s.holder = player


@rule
def grant_bonus(s):
    """R13, Q8: three more plays, unused ones are kept. Q9: once a turn, unless the option says each time."""
    if s.bonus == 0 or s.bonus_each:
        s.bonus = min(MOST_BONUSES, s.bonus + 1)
        s.limit = min(MOST_PLAYS, s.limit + BONUS)


@rule
def finish_if_home(s):
    """R29, Q42, Q43: a player who controls the artifact on their own home base wins, no matter whose turn it is."""
    if s.holder != NONE and s.pos[s.holder] == home(s, s.holder):
        tell(s, EVENTS.wins, s.holder)
        s.winner = s.holder
        for player in range(s.players):
            s.payoff[player] = 1 if player == s.holder else -1  # Q49
        s.phase = OVER
        s.to_move = NOBODY


# ---- step 3: discard ------------------------------------------------------------------------------------------------------


@rule
def do_end_play(s):
    """R8, Q35: the play step is over. §7: nobody else learns whether the player chose to stop or had to."""
    s.phase = DISCARD
    if stopped_in_secret(s):
        tell_only(s, s.to_move, EVENTS.stops, s.to_move)
    else:
        tell(s, EVENTS.stops, s.to_move)


@rule
def stopped_in_secret(s):
    """§7: the discard step has begun, but nothing shows it yet: there is a play left, and no card has been discarded."""
    return s.phase == DISCARD and s.used < s.limit and s.hand_n[s.to_move] > 0 and s.tossed == 0


@rule
def may_discard(s, kind):
    """R10: any card in hand."""
    return because(REASONS.no_card, kind) if s.hand[s.to_move, kind] == 0 else 0


@rule
def do_discard(s, kind):
    """R10, Q36: one card, face up, straight onto the discard pile."""
    remove(s, s.to_move, kind)
    s.disc[s.disc_n] = kind
    s.disc_n += 1
    s.tossed += 1
    tell(s, EVENTS.discards, s.to_move, kind)


# ---- step 4: refill -------------------------------------------------------------------------------------------------------


@rule
def refill(s):
    """R11, Q37: draw until there are six cards in hand."""
    player = s.to_move
    count = to_refill(s)
    if count > 0:
        tell(s, EVENTS.refills, player, count)
    for _ in range(count):
        if s.deck_n == 0:
            reshuffle(s)
        kind = draw_top(s, player)
        tell_only(s, player, EVENTS.refill, kind)


@rule
def to_refill(s):
    """R11, Q41: how many cards are missing, or how many can still be drawn (R15: the top discard stays)."""
    return max(0, min(HAND - hand_size(s, s.to_move), s.deck_n + max(0, s.disc_n - 1)))


@rule
def pile_up(s):
    """R14: the cards played this turn go onto the discard pile in the order played."""
    count = s.played_n
    for place in range(count):
        s.disc[s.disc_n] = lift(s.played, place, NONE)
        s.disc_n += 1
    s.played_n = 0
    if count:
        tell(s, EVENTS.piles, s.to_move, count, s.disc[s.disc_n - 1])


WHEN = {verb: (may_play, kind) for kind, verb in enumerate(CARD_VERBS)} | {
    "draw_deck": (may_now, DRAW),
    "draw_discard": (may_now, DRAW),
    "end_play": (may_now, PLAY),
    "end_turn": (may_now, DISCARD),
    "discard": (may_now, DISCARD),
}
MAY = {verb: (may_use, kind) for kind, verb in enumerate(CARD_VERBS) if verb not in ("swap", "rotate")}
DO = {verb: (play_step, kind, getattr(EVENTS, verb)) for kind, verb in enumerate(STEPS)} | {
    "drop": (change_height, DROP, EVENTS.drop, 1),
    "dynamite": (change_height, DYNAMITE, EVENTS.dynamite, -1),
}


# ---- what is hidden -------------------------------------------------------------------------------------------------------


@rule
def hide(s, viewer):
    """Q48: the deck and the other hands are secret, with what was drawn into them; hand sizes and known cards are not.
    §7: whether another player has stopped playing shows when a card is discarded.
    """
    if s.to_move != viewer and stopped_in_secret(s):
        s.phase = PLAY
    fill(s.deck, 0, MOST_CARDS, NONE)
    for player in range(SEATS):
        if player != viewer:
            for kind in range(KINDS):
                s.hand[player, kind] = 0
                s.mine[player, kind] = 0


@rule
def seen(s, action, viewer):
    """§7: nobody notices that another player stops playing (they always have a card and a play left then)."""
    return 0 if action == ACTIONS.end_play else -1


@rule
def redeal(s, viewer):
    """§7: the deck at random from what can be in it, the other hands at random from the rest, known cards where they are."""
    pool = 0
    for kind in range(KINDS):
        pool = put(s, pool, kind, min(unplaced(s, viewer, kind), undrawn(s, viewer, kind)))
    everything = pool
    for kind in range(KINDS):
        everything = put(s, everything, kind, unplaced(s, viewer, kind) - max(0, undrawn(s, viewer, kind)))
    if pool < s.deck_n:  # a position laid by hand with inconsistent counts: anything unplaced may be in the deck
        pool = everything
    shuffle(s, s.deck, 0, pool)
    shuffle(s, s.deck, s.deck_n, everything)
    deal_rest(s, viewer, everything)
    if s.phase == PLAY and s.to_move != viewer and playable(s) == 0:  # Q35
        s.phase = DISCARD


@rule
def deal_rest(s, viewer, stop):
    """The cards after the deck fill the other hands up to their sizes."""
    place = s.deck_n
    for player in range(s.players):
        if player != viewer:
            missing = s.hand_n[player]
            for kind in range(KINDS):
                s.mine[player, kind] = 0
                s.hand[player, kind] = s.known[player, kind]
                missing -= s.known[player, kind]
            while missing > 0 and place < stop:
                s.hand[player, s.deck[place]] += 1
                place += 1
                missing -= 1
    fill(s.deck, s.deck_n, MOST_CARDS, NONE)


@rule
def put(s, place, kind, count):
    """Put `count` cards of a kind into the deck from `place` on; returns the place after them."""
    for _ in range(count):
        if place < MOST_CARDS:
            s.deck[place] = kind
            place += 1
    return place


@rule
def unplaced(s, viewer, kind):
    """U of §7: cards of a kind whose place the viewer does not know."""
    count = s.cnt[kind]
    for place in range(s.disc_n):
        if s.disc[place] == kind:
            count -= 1
    for place in range(s.played_n):
        if s.played[place] == kind:
            count -= 1
    for player in range(s.players):
        count -= s.hand[player, kind] if player == viewer else s.known[player, kind]
    return count


@rule
def undrawn(s, viewer, kind):
    """E of §7: cards of a kind in the current shuffle that the viewer has not drawn; only these can be in the deck."""
    return s.epoch[kind] - (s.mine[viewer, kind] if viewer >= 0 else 0)


# ---- positions laid by hand ------------------------------------------------------------------------------------------------


@rule
def refresh(s):
    """After hands or piles were written by hand: count the hands, and blank everything after the end of a pile."""
    for player in range(SEATS):
        s.hand_n[player] = hand_size(s, player)
    fill(s.deck, s.deck_n, MOST_CARDS, NONE)
    fill(s.disc, s.disc_n, MOST_CARDS, NONE)
    fill(s.played, s.played_n, MOST_PLAYS, NONE)


# ---- for people -----------------------------------------------------------------------------------------------------------


@rule
def foresee(s, action):
    """Who would have the artifact after a play, and the play limit of this turn then."""
    act(s, action)  # noqa: F821  (the kernel makes it)
    return s.holder, s.limit


def check(s):
    """What holds in every real game (the sheet's invariants); raises BrokenInvariant."""
    for player in range(s.players):
        require(s.hand_n[player] == hand_size(s, player), f"hand_n of seat {player} is {s.hand_n[player]}, not {hand_size(s, player)}")
        known = all(s.known[player, kind] <= s.hand[player, kind] for kind in range(KINDS))
        require(known, f"seat {player} doesn't hold the cards known to be in their hand")
        require(LAND[s.map, s.pos[player]], f"the piece of seat {player} is off the board")
    for pile, size in ((s.deck, s.deck_n), (s.disc, s.disc_n), (s.played, s.played_n)):
        require(all(pile[place] == NONE for place in range(size, len(pile))), "there are cards after the end of a pile")
    for kind in range(KINDS):
        there = list(s.deck).count(kind)
        total = [*s.deck, *s.disc, *s.played].count(kind) + sum(s.hand[player, kind] for player in range(s.players))
        require(total == s.cnt[kind], f"there are {total} {CARDS[kind]}, not {s.cnt[kind]}")
        for player in range(s.players):
            possible = min(unplaced(s, player, kind), undrawn(s, player, kind))
            require(there <= possible, f"seat {player} expects at most {possible} {CARDS[kind]} in the deck, not {there}")
    check_board(s)


def check_board(s):
    """Control (Q7, Q50), heights (Q22), tiles (Q30), plays (R8, R9, R13) and phases (Q35)."""
    require(s.holder == NONE or s.pos[s.holder] == s.art, "the artifact is not where its holder is")
    require(s.art == TEMPLE[s.map] or s.art in list(s.pos[: s.players]), "the artifact is stranded")
    require(all(s.h[cell] <= (s.max_height or HIGHEST if LAND[s.map, cell] else 0) for cell in range(CELLS)), "a location is too high")
    tiles = s.block_supply + sum(int(WALL[s.map, cell]) for cell in range(CELLS))
    require(not s.block_supply or s.spare + sum(s.h) == tiles, f"there are {s.spare + sum(s.h)} block tiles, not {tiles}")
    require(s.used == s.played_n <= MOST_PLAYS and s.turn <= s.max_rounds * s.players, "too many plays or turns")
    require((s.phase == OVER) == (s.to_move == NOBODY), "the phase doesn't match the player to move")
    if s.phase in (DRAW, PLAY):
        require(
            (s.pos[s.to_move] == s.art) == (s.holder == s.to_move),
            "the player to move must control the artifact if they are on it, and only then",
        )
    if s.phase == PLAY:
        require(s.used < s.limit <= MOST_PLAYS, "the play step should be over")


complete(globals())  # act and choices, for the bot and rules above
