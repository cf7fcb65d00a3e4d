"""Artifact in three minutes: Red fetches the artifact, loses it, gets it back and carries it home."""

from random import Random

from rulestone.lesson import Position, Step

from .content import CARDS, DECKS, MOST_CARDS, NONE
from .rules import DRAW, PLAY, SEATS
from .rules import STEPS as MOVES

COLUMNS = 9  # of the usual map for two


def square(name):
    """The square with this name: "e5" is the fifth from the left and the fifth from the top."""
    return COLUMNS * (int(name[1:]) - 1) + "abcdefghi".index(name[0])


def position(hand, red, blue, art, holder=NONE, top="Rotate", **fields):
    """Red to move, with these cards; Blue has six others, and what is left makes the deck."""
    held = [[cards.count(card) for card in CARDS] for cards in (hand, ["Ho", "Vert", "Vert", "Jump", "Diag", "Drop Block"], [], [])]
    left = [count - sum(counts) for count, *counts in zip(DECKS["standard54"], *held, strict=True)]
    left[CARDS.index(top)] -= 1
    deck = [kind for kind, count in enumerate(left) for _ in range(count)]
    Random(1).shuffle(deck)
    piles = {"deck": [*deck, *[NONE] * (MOST_CARDS - len(deck))], "deck_n": len(deck), "disc": {0: CARDS.index(top)}, "disc_n": 1}
    cards = {"hand": held, "mine": [[0] * len(CARDS)] * SEATS, "epoch": DECKS["standard54"], **piles}
    places = {"pos": {0: square(red), 1: square(blue)}, "art": square(art), "holder": holder}
    return Position(fields=cards | places | {"phase": PLAY, "turn": 6} | fields)


STEPS = [
    Step(
        "You are Red. Fetch the artifact from the temple and carry it home to your red flag. "
        "Each turn starts with a new card, from the deck or the discard pile. There's a Diag on the pile: take it.",
        at=position(["Ho", "Jump", "Swap", "Vert", "Dynamite", "Drop Block"], red="c6", blue="f8", art="e5", top="Diag", phase=DRAW),
        expect=["draw_discard"],
        glow=["discard", "artifact", "flag-0"],
        right="Now you have seven cards.",
        wrong="That would be a surprise. Take the Diag: you'll need it.",
    ),
    Step(
        "You may play up to three cards. Ho moves you left or right, Vert up or down. "
        "Play Ho: click the card, then the square towards the temple.",
        expect=["ho E"],
        right="One step closer, and two plays left.",
        wrong={
            "ho W": "That's the wrong way: the temple is on your right.",
            "": "You can do that, but let's get the artifact. Play Ho to the right.",
        },
    ),
    Step(
        "The artifact is diagonally next to you. Step onto it with Diag.",
        expect=["diag NE"],
        right="You have the artifact, and it goes where you go. Taking it gives you three more plays this turn.",
        wrong="That doesn't take you to the artifact. Play Diag up and to the right.",
    ),
    Step(
        "A wall blocks the way home. Ho, Vert and Diag never go up, but Jump does. Jump onto the wall!",
        expect=["jump NW"],
        right="From up here you can walk along walls or step down again. Only Jump goes up, so Blue can't easily follow.",
        wrong={
            "jump": "That's a wall, too, but not on your way home. Jump up and to the left.",
            "": "Get away first: jump onto the wall between you and home.",
        },
    ),
    Step(
        "You don't have to use every play. Up here you're hard to reach, so keep your other cards and stop playing.",
        expect=["end_play"],
        right="Now you may discard what you don't want. Then you refill your hand to six. "
        "Your last card, Jump, is on top of the pile, where Blue can take it.",
        wrong={
            "swap": "Careful: in a Swap the artifact stays behind, and Blue would get it! Choose “Stop playing cards”.",
            "": "You could do that, but save the card. Choose “Stop playing cards”.",
        },
        then=["end_turn"],
    ),
    Step(
        "Later: Blue has the artifact, so you may play four cards. Step onto Blue's square to steal it!",
        at=position(["Diag", "Ho", "Vert", "Vert", "Jump", "Rotate", "Drop Block"], red="e6", blue="f5", art="f5", holder=1, limit=4),
        expect=["diag NE"],
        right="It's yours, with three more plays. But Blue is still here.",
        wrong="That doesn't get you the artifact. Blue is one step away, up and to the right.",
    ),
    Step(
        "If you end your turn on Blue's square, Blue takes the artifact back. Steal and run!",
        expect=lambda view, move: move.verb in MOVES,
        right="Well done. The farther you get, the safer you are.",
        wrong={"end_play": "Blue would take the artifact back at once. Get away!", "": "You'd still be on Blue's square. Move!"},
    ),
    Step(
        "Now Blue is one step from home, and you're far away. But you have a Swap: trade places with Blue.",
        at=position(["Swap", "Ho", "Vert", "Diag", "Dynamite", "Rotate", "Ho"], red="d3", blue="i8", art="i8", holder=1, limit=4),
        expect=["swap P2"],
        right="You traded places, but the artifact stayed where it was. So now it's yours!",
        wrong="You can't catch Blue on foot. Play Swap: click the card, then Blue.",
    ),
    Step(
        "Almost home! But Blue has put a block on your base, and you have no Jump. Blow it up with Dynamite.",
        at=position(
            ["Dynamite", "Rotate", "Vert", "Vert", "Drop Block", "Swap", "Diag"],
            red="b1",
            blue="d2",
            art="b1",
            holder=0,
            h={square("a1"): 1},
        ),
        expect=["dynamite W"],
        right="The way is free. Drop Block does the opposite: it builds a wall, even under yourself.",
        wrong={"rotate": "Good idea, but the block comes first.", "": "First get rid of the block on your base: Dynamite, then the block."},
    ),
    Step(
        "Home is on your left, but you have no Ho. Play Rotate: click it.",
        expect=["rotate"],
        right="The whole board has turned, for everybody. Now home is straight up.",
        wrong="That takes you away from home. Turn the board with Rotate.",
    ),
    Step(
        "Your third play: Vert takes you home.",
        expect=["vert W"],
        right="You're home with the artifact: you win at once.",
        wrong="So close! Play Vert and step onto your base.",
    ),
    Step(
        "That's all: draw, play, discard, refill. Point at a card or a square to read what it does. Now play a real game!",
        at=Position(),
    ),
]
