"""Whisper: a tiny game with hidden information, to test what such games need. Change cards, whisper, show; the highest card wins."""

from rulestone.kernel import NOBODY, About, Actions, Events, Record, i8, option, rand, require, rule, shuffle, tell, tell_only, u8

ABOUT = About(title="Whisper", min_players=2, max_players=3, longest=30, perfect_information=False, story=3)
ACTIONS = Actions(change=(), whisper=(range(1, 4), 2), show=())
EVENTS = Events(
    changes="{who:seat} changes a card.",
    draws="{who:seat} draws {card}.",
    whispers="{who:seat} whispers something.",
    shows="{who:seat} shows: {winner:seat} wins.",
)
CARDS = 8


class State(Record):
    """Cards in hands and in the deck."""

    hand: i8[3]  # each player's card, -1 hidden
    deck: i8[CARDS]  # next = deck[left - 1]; -1 hidden or gone
    left: u8  # cards in the deck
    heard: u8  # how often somebody whispered
    patience: u8 = option(20, (20, 5), "whispers and changes before the cards must be shown")


@rule
def setup(s):
    for card in range(CARDS):
        s.deck[card] = card
    shuffle(s, s.deck, 0, CARDS)
    s.left = CARDS
    for player in range(s.players):
        s.hand[player] = draw(s)


@rule
def draw(s):
    s.left -= 1
    card = s.deck[s.left]
    s.deck[s.left] = -1
    return card


@rule
def legal(s, out):
    count = 0
    if s.heard < s.patience:
        if s.left > 0:
            out[count] = ACTIONS.change
            count += 1
        for k in range(6):
            out[count] = ACTIONS.whisper + k
            count += 1
    out[count] = ACTIONS.show
    return count + 1


@rule
def apply(s, action):
    if action == ACTIONS.show:
        show(s)
        return
    s.heard += 1
    if action == ACTIONS.change:
        s.hand[s.to_move] = draw(s)
        tell(s, EVENTS.changes, s.to_move)
        tell_only(s, s.to_move, EVENTS.draws, s.to_move, s.hand[s.to_move])
    else:
        tell(s, EVENTS.whispers, s.to_move)
    s.to_move = (s.to_move + 1) % s.players


@rule
def show(s):
    winner = 0
    for player in range(s.players):
        s.payoff[player] = -1
        if s.hand[player] > s.hand[winner]:
            winner = player
    s.payoff[winner] = 1
    tell(s, EVENTS.shows, s.to_move, winner)
    s.to_move = NOBODY


@rule
def hide(s, viewer):
    for player in range(s.players):
        if player != viewer and s.to_move != NOBODY:
            s.hand[player] = -1
    for place in range(s.left):
        s.deck[place] = -1


@rule
def redeal(s, viewer):
    """Any card the viewer can't see may be anywhere (a changed card is out of the game, and nobody remembers it)."""
    known = 0
    for player in range(s.players):
        if s.hand[player] >= 0:
            known |= 1 << s.hand[player]
    for player in range(s.players):
        if s.hand[player] < 0:
            card = unknown_card(s, known)
            s.hand[player] = card
            known |= 1 << card
    for place in range(s.left):
        card = unknown_card(s, known)
        s.deck[place] = card
        known |= 1 << card


@rule
def unknown_card(s, known):
    card = rand(s, CARDS)
    while known >> card & 1:
        card = rand(s, CARDS)
    return card


@rule
def seen(s, action, viewer):
    """Others notice the whisper and its second argument, not the first, which is secret."""
    if ACTIONS.whisper <= action < ACTIONS.show:
        return 0b101
    return -1


def check(s):
    cards = [s.hand[player] for player in range(s.players)] + [s.deck[place] for place in range(s.left)]
    require(len(set(cards)) == len(cards) and min(cards) >= 0, f"cards twice or missing: {cards}")


def explain(s, action):
    if action == ACTIONS.change and s.left == 0:
        return "the deck is empty."
    return None


def judge(players, options):
    if players == 3 and options["patience"] == 5:
        return "three players need more patience than 5"
    return None
