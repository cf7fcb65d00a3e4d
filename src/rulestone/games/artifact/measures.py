"""What the lab measures in Artifact beyond the usual: takes and thefts, how games are won, cards, blocks, places."""

import numpy as np

from rulestone.kernel import rule
from rulestone.measures import Measures, choice, memory, number, ratio, tally, yes_no

from .content import BONUS, CARDS, COLUMNS, HAND, HO, JUMP, KINDS, MAPS, NONE, PLACE, PLAYS, SWAP, VERT, WALL
from .rules import ABOUT, ACTIONS, CARD_VERBS, EVENTS, home, turned

KIND_OF = np.array([CARD_VERBS.index(verb.name) if verb.name in CARD_VERBS else -1 for verb in ACTIONS for _ in range(verb.count)], np.int8)
ROWS, ACROSS = max(len(rows) for rows in MAPS.values()), max(len(rows[0]) for rows in MAPS.values())
BY_STEP, BY_JUMP, BY_SWAP, AT_START = range(4)
WALKED, JUMPED, SWAPPED, STOLE_AT_HOME, STARTED, PUT_HOME, CAPPED = range(7)
EARLY, MIDDLE, LATE = 5, 10, 20  # blocks are counted after this many rounds
SEATS = 8  # places of a measure that each player has
OPENING = tuple(f"opening_{card.lower().replace(' ', '_')}" for card in CARDS)


def on_board(view):
    """The squares of the map that is played, as the scene names them."""
    across = int(COLUMNS[view.read("map")])
    return [f"cell-{k // ACROSS * across + k % ACROSS}" if k % ACROSS < across else "" for k in range(ROWS * ACROSS)]


SHORTEST, LONGEST, CHANGES = 4, 12, 2  # rounds and thefts of a lively game

MEASURES = Measures(
    rounds=number("rounds", 60, says="A game takes {mean} rounds."),
    quick=yes_no("over within two rounds"),
    long=yes_no("longer than 15 rounds"),
    ending=choice(
        "how the game is won",
        (
            *("walk home", "Jump home", "Swap onto your own base", "theft by a move on your own base", "start of turn on your own base"),
            *("sent home by somebody else's Swap", "nobody in time"),
        ),
    ),
    winning_cards=number("cards played in the winning turn", 16),
    winning_way=number("squares from home when the winning turn starts", 15),
    same_turn=yes_no("won in the turn the artifact was taken"),
    on_bonus=yes_no("won with a card beyond the 3 or 4"),
    base=choice("home base", ("base 1", "base 2", "base 3", "base 4"), each=True),
    first_taker=choice("who takes the artifact first", ABOUT.seats),
    took_first=yes_no("took the artifact first", each=True),
    first_wins=yes_no("the first to take it wins", says="The first player to take the artifact wins {share} of games."),
    take_cards=number("cards the first taker has played by then", 60),
    winner_cards=number("cards the winner played in the game", 200),
    last_thief=yes_no("was the last thief", each=True),
    takes=number("takes while nobody had it"),
    thefts=number("thefts", says="The artifact is stolen {mean} times a game."),
    theft_kinds=tally("thefts by", ("step", "Jump", "Swap", "start of turn")),
    undone=number("thefts undone in the victim's next turn"),
    undone_share=ratio("share of thefts undone in the victim's next turn", of="undone", to="thefts"),
    longest_hold=number("longest possession, in turns (all players' turns counted)", 60),
    all_turns=number("turns", 200, seconds=45),
    chases=number("turns with a fourth card allowed", 200),
    fourths=number("fourth cards played", 200),
    fourth_share=ratio("share of allowed fourth cards that were played", of="fourths", to="chases"),
    bonuses=number(f"bonuses of {BONUS} cards"),
    bonus_plays=number("cards played on the bonus", 200),
    bonus_use=ratio("cards played per bonus", of="bonus_plays", to="bonuses"),
    unused=number("plays left unused", 400),
    unused_rate=ratio("plays left unused per turn", of="unused", to="all_turns"),
    idle=number("turns without a card played"),
    idle_share=ratio("share of turns without a card played", of="idle", to="all_turns"),
    picks=number("cards taken from the discard pile", 200),
    pick_share=ratio("share of turns that start with a card from the discard pile", of="picks", to="all_turns"),
    picks_played=number("cards taken from the discard pile and played in the same turn", 200),
    pick_use=ratio("share of cards taken from the discard pile that are played at once", of="picks_played", to="picks"),
    kept=tally("cards kept at the end of a turn", CARDS),
    played=tally("cards played", CARDS),
    left=tally("last card of a turn, left on top of the pile for the next player", CARDS),
    lively=yes_no(f"lively: {SHORTEST} to {LONGEST} rounds and at least {CHANGES} thefts (a stand-in for what people like, not a survey)"),
    **{name: number(f"{card} in the opening hand", HAND, each=True) for name, card in zip(OPENING, CARDS, strict=True)},
    rotations=number("rotations"),
    rotate_helps=number("rotations that make more of the player's own Ho and Vert useful"),
    rotate_harms=number("rotations that make fewer of the next player's Ho and Vert useful"),
    helps_share=ratio("share of rotations that help the player", of="rotate_helps", to="rotations"),
    harms_share=ratio("share of rotations that hurt the next player", of="rotate_harms", to="rotations"),
    blocks_early=number(f"blocks on the board after {EARLY} rounds"),
    blocks_middle=number(f"blocks on the board after {MIDDLE} rounds"),
    blocks_late=number(f"blocks on the board after {LATE} rounds"),
    tiles=number("most blocks at once beyond the map's walls"),
    base_blocked=yes_no("had a block dropped on their base", each=True),
    visits=tally("visits", ROWS * ACROSS, shape=(ROWS, ACROSS), cells=on_board),
    theft_places=tally("where the artifact is stolen", ROWS * ACROSS, shape=(ROWS, ACROSS), cells=on_board),
    walls_used=tally("Jumps onto and Dynamite on the map's own walls", ROWS * ACROSS, shape=(ROWS, ACROSS), cells=on_board),
    gifts=number("Swaps that help an opponent and don't gain control"),
    kingmade=yes_no("the winner was helped by such a Swap in the last round"),
    # What the rules below remember of the game so far.
    latest=memory(),
    cards=memory(4),
    plays=memory(),
    limit=memory(),
    usual=memory(),
    picked=memory(),
    acted=memory(),
    acted_at=memory(),
    way=memory(),
    holder=memory(),
    held_since=memory(),
    taken_at=memory(),
    thief=memory(),
    due=memory(4),
    blocks=memory(),
    walls=memory(),
    nearer=memory(4),
    gift_to=memory(),
    gift_at=memory(),
)
FIRST_OPENING = MEASURES.place[OPENING[0]]


@rule
def opening(s, out):
    """The deal, and the first turn."""
    out[MEASURES.first_taker] = out[MEASURES.take_cards] = out[MEASURES.first_wins] = out[MEASURES.winner_cards] = -1
    out[MEASURES.winning_cards] = out[MEASURES.winning_way] = out[MEASURES.same_turn] = out[MEASURES.on_bonus] = -1
    out[MEASURES.blocks_early] = out[MEASURES.blocks_middle] = out[MEASURES.blocks_late] = -1
    out[MEASURES.kingmade] = out[MEASURES.latest] = -1
    out[MEASURES.holder] = NONE
    out[MEASURES.picked] = out[MEASURES.thief] = out[MEASURES.taken_at] = out[MEASURES.gift_to] = -1
    for player in range(s.players):
        out[MEASURES.base + player] = s.base[player]
        out[MEASURES.due + player] = -1
        for kind in range(KINDS):
            out[FIRST_OPENING + SEATS * kind + player] = s.hand[player, kind]
    for cell in range(s.h.shape[0]):
        out[MEASURES.blocks] += s.h[cell]
        out[MEASURES.walls] += WALL[s.map, cell]
    follow(s, 0, -1, out)
    out[MEASURES.way] = apart(s, s.pos[s.to_move], home(s, s.to_move))


@rule
def before(s, action, out):
    """What has to be looked at before the move."""
    me = s.to_move
    out[MEASURES.acted] = action
    out[MEASURES.acted_at] = s.turn
    if ACTIONS.end_turn.includes(action):
        for kind in range(KINDS):
            out[MEASURES.kept + kind] += s.hand[me, kind]
    elif ACTIONS.rotate.includes(action):
        out[MEASURES.rotations] += 1
        now = turned(s, me)
        out[MEASURES.rotate_helps] += useful(s, me, 1 - now) > useful(s, me, now)
        other = (me + 1) % s.players
        now = turned(s, other)
        out[MEASURES.rotate_harms] += useful(s, other, 1 - now) < useful(s, other, now)
    elif ACTIONS.swap.includes(action):
        for player in range(s.players):
            out[MEASURES.nearer + player] = to_go(s, player)


@rule
def after(s, action, player, out):
    """What a move has changed: cards, blocks, places, and then its events."""
    kind = kind_of(action)
    if kind >= 0:
        out[MEASURES.cards + player] += 1
        out[MEASURES.played + kind] += 1
        out[MEASURES.latest] = kind
        out[MEASURES.plays] += 1
        out[MEASURES.bonus_plays] += out[MEASURES.plays] > out[MEASURES.usual]
        out[MEASURES.fourths] += PLAYS < out[MEASURES.plays] <= out[MEASURES.usual]
        if kind == out[MEASURES.picked]:
            out[MEASURES.picks_played] += 1
            out[MEASURES.picked] = -1
        if kind <= SWAP and s.story[0, 1] != EVENTS.idle:
            out[MEASURES.visits + spot(s, s.pos[player])] += 1
        if kind == SWAP and s.players > 2 and s.winner == NONE:
            count_gifts(s, ACTIONS.swap.argument(action), player, out)
    turn = out[MEASURES.acted_at]
    follow(s, kind, player, out)
    if s.holder != out[MEASURES.holder]:
        if out[MEASURES.holder] != NONE:
            out[MEASURES.longest_hold] = max(out[MEASURES.longest_hold], turn - out[MEASURES.held_since])
        out[MEASURES.holder] = s.holder
        out[MEASURES.held_since] = turn
    if s.turn != turn:
        if out[MEASURES.latest] >= 0:
            out[MEASURES.left + out[MEASURES.latest]] += 1
        out[MEASURES.latest] = -1
    if s.turn != turn and s.to_move >= 0:
        out[MEASURES.way] = apart(s, s.pos[s.to_move], home(s, s.to_move))
        count_blocks(s, out)


@rule
def follow(s, kind, player, out):
    """The events of a move, in order; a move may end the turn and start the next."""
    for k in range(min(s.told, s.story.shape[0])):
        event = s.story[k, 1]
        who = s.story[k, 2]
        if event == EVENTS.turn or event == EVENTS.chase:
            limit = s.story[k, 3]
            out[MEASURES.all_turns] += 1
            out[MEASURES.bonuses] += event == EVENTS.turn and limit > PLAYS
            out[MEASURES.plays] = 0
            out[MEASURES.limit] = limit
            out[MEASURES.usual] = limit - BONUS if event == EVENTS.turn and limit > PLAYS else limit
            out[MEASURES.chases] += event == EVENTS.chase or out[MEASURES.usual] > PLAYS
            out[MEASURES.picked] = -1
        elif event == EVENTS.allowance:
            out[MEASURES.bonuses] += s.story[k, 3] > out[MEASURES.limit]
            out[MEASURES.limit] = s.story[k, 3]
        elif event == EVENTS.stops:
            out[MEASURES.unused] += max(0, out[MEASURES.limit] - out[MEASURES.plays])
            out[MEASURES.idle] += out[MEASURES.plays] == 0
        elif event == EVENTS.picks:
            out[MEASURES.picks] += 1
            out[MEASURES.picked] = s.story[k, 3]
        elif event == EVENTS.takes:
            out[MEASURES.takes] += 1
            count_take(s, who, out)
        elif event == EVENTS.steals:
            out[MEASURES.thefts] += 1
            out[MEASURES.thief] = who
            how = AT_START
            if who == player and kind >= 0:
                how = BY_SWAP if kind == SWAP else BY_JUMP if kind == JUMP else BY_STEP
            out[MEASURES.theft_kinds + how] += 1
            out[MEASURES.theft_places + square(s.story[k, 4])] += 1
            turn = count_take(s, who, out)
            out[MEASURES.due + s.story[k, 3]] = turn + (s.story[k, 3] - who) % s.players
        elif event == EVENTS.drop or event == EVENTS.dynamite:
            count_tile(s, 1 if event == EVENTS.drop else -1, s.story[k, 3], out)
        elif event == EVENTS.jump:
            mark_wall(s, s.story[k, 4], out)


@rule
def finish(s, out):
    """How it ended."""
    out[MEASURES.rounds] = min(s.turn // s.players + 1, s.max_rounds)
    out[MEASURES.lively] = SHORTEST <= out[MEASURES.rounds] <= LONGEST and out[MEASURES.thefts] >= CHANGES
    out[MEASURES.quick] = s.turn < 2 * s.players
    out[MEASURES.long] = s.turn >= 15 * s.players
    if out[MEASURES.holder] != NONE:
        out[MEASURES.longest_hold] = max(out[MEASURES.longest_hold], s.turn - out[MEASURES.held_since])
    for player in range(s.players):
        out[MEASURES.took_first + player] = out[MEASURES.first_taker] == player if out[MEASURES.first_taker] >= 0 else -1
        out[MEASURES.last_thief + player] = out[MEASURES.thief] == player if out[MEASURES.thief] >= 0 else -1
    if s.winner == NONE:
        out[MEASURES.ending] = CAPPED
        return
    out[MEASURES.first_wins] = out[MEASURES.first_taker] == s.winner
    out[MEASURES.winner_cards] = out[MEASURES.cards + s.winner]
    if s.players > 2:
        recent = s.turn - out[MEASURES.gift_at] < s.players
        out[MEASURES.kingmade] = out[MEASURES.gift_to] == s.winner and recent
    kind = kind_of(out[MEASURES.acted])
    took = out[MEASURES.taken_at] == s.turn
    if s.turn != out[MEASURES.acted_at]:
        out[MEASURES.ending] = STARTED
    elif (s.start_seat + s.turn) % s.players != s.winner:
        out[MEASURES.ending] = PUT_HOME
        return
    elif kind == SWAP:
        out[MEASURES.ending] = SWAPPED
    elif taken_now(s):
        out[MEASURES.ending] = STOLE_AT_HOME
    else:
        out[MEASURES.ending] = JUMPED if kind == JUMP else WALKED
    started = out[MEASURES.ending] == STARTED
    out[MEASURES.winning_cards] = s.used
    out[MEASURES.winning_way] = 0 if started else out[MEASURES.way]
    out[MEASURES.same_turn] = took
    out[MEASURES.on_bonus] = not started and out[MEASURES.plays] > out[MEASURES.usual]


# ---- parts ----------------------------------------------------------------------------------------------------------------


@rule
def kind_of(action):
    """The kind of card that a move plays, or -1."""
    return KIND_OF[action]


@rule
def taken_now(s):
    """Was the artifact taken in the last move?"""
    for k in range(min(s.told, s.story.shape[0])):
        if s.story[k, 1] == EVENTS.takes or s.story[k, 1] == EVENTS.steals:
            return True
    return False


@rule
def count_take(s, who, out):
    """Somebody takes control, always in their own turn; returns the number of that turn."""
    turn = s.turn if (s.start_seat + s.turn) % s.players == who else s.turn - 1
    if out[MEASURES.first_taker] < 0:
        out[MEASURES.first_taker] = who
        out[MEASURES.take_cards] = out[MEASURES.cards + who]
    out[MEASURES.taken_at] = turn
    out[MEASURES.undone] += out[MEASURES.due + who] == turn
    out[MEASURES.due + who] = -1
    return turn


@rule
def count_tile(s, change, place, out):
    """A block is dropped (1) or blown up (-1)."""
    out[MEASURES.blocks] += change
    out[MEASURES.tiles] = max(out[MEASURES.tiles], out[MEASURES.blocks] - out[MEASURES.walls])
    if change < 0:
        mark_wall(s, place, out)
        return
    for player in range(s.players):
        if PLACE[s.map, home(s, player)] == place:
            out[MEASURES.base_blocked + player] = 1


@rule
def mark_wall(s, place, out):
    """A wall that was there from the start has been jumped onto or blown up."""
    if WALL[s.map, (place >> 4) * COLUMNS[s.map] + (place & 15)]:
        out[MEASURES.walls_used + square(place)] += 1


@rule
def count_blocks(s, out):
    """At the start of some rounds: how many blocks are on the board."""
    if s.turn == EARLY * s.players:
        out[MEASURES.blocks_early] = out[MEASURES.blocks]
    elif s.turn == MIDDLE * s.players:
        out[MEASURES.blocks_middle] = out[MEASURES.blocks]
    elif s.turn == LATE * s.players:
        out[MEASURES.blocks_late] = out[MEASURES.blocks]


@rule
def count_gifts(s, other, player, out):
    """With three or more players: a Swap that brings the other player nearer to the goal without gaining control."""
    if s.holder != player and to_go(s, other) < out[MEASURES.nearer + other]:
        out[MEASURES.gifts] += 1
        out[MEASURES.gift_to] = other
        out[MEASURES.gift_at] = s.turn


@rule
def to_go(s, player):
    """Squares to the artifact and then home; for its holder just home."""
    if s.holder == player:
        return apart(s, s.pos[player], home(s, player))
    return apart(s, s.pos[player], s.art) + apart(s, s.art, home(s, player))


@rule
def apart(s, one, other):
    """Distance between two locations in a chess king's steps."""
    down = (PLACE[s.map, one] >> 4) - (PLACE[s.map, other] >> 4)
    right = (PLACE[s.map, one] & 15) - (PLACE[s.map, other] & 15)
    return max(abs(down), abs(right))


@rule
def useful(s, player, turned_now):
    """How many Ho and Vert in a hand lead towards the artifact, or home with it, for a board turned this way."""
    goal = home(s, player) if s.holder == player else s.art
    here = s.pos[player]
    down = abs((PLACE[s.map, here] >> 4) - (PLACE[s.map, goal] >> 4))
    right = abs((PLACE[s.map, here] & 15) - (PLACE[s.map, goal] & 15))
    if turned_now:
        down, right = right, down
    return min(s.hand[player, HO], right) + min(s.hand[player, VERT], down)


@rule
def spot(s, cell):
    """A location on the measures' maps."""
    return square(PLACE[s.map, cell])


@rule
def square(place):
    """The same for a place as numbered in the story."""
    return (place >> 4) * ACROSS + (place & 15)
