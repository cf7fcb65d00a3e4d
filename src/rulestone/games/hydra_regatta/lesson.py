"""The Hydra Regatta in three minutes. The learner is Red; Green holds the Fleece and has sailed, Blue comes next."""

from rulestone.lesson import Position, Step

from .content import CARD_NAMES, CARDS, COURSE, MAX_DOTS, RING_SLOTS, STACK, START_WEDGE, WEDGE_NAMES
from .rules import ENDWIN, NAV, NONE, WEDGE

RED, BLUE, GREEN, PLAYERS = 0, 1, 2, 3
TOP = [START_WEDGE, 9, 10, 6, 8, 7, 3, 4, 5, 0, 1, 2]  # a ring as it may be dealt, clockwise from the Starting Line
UNDER = 11


def dot(name):
    """The number of a dot: "5.C2" is the dot C2 on slot 5."""
    slot, name = name.split(".")
    return int(slot) * MAX_DOTS + COURSE[TOP[int(slot)]].index(name)


def race(*ships, dice=(1, 1), fish=(0, 0, 0), laps=(0, 0, 0), favors=(), coming=(), wedges=(), holds=False, **fields):
    """Red's turn, with these dice, on the way from the first of these dots: Red's, Blue's and Green's.

    `favors` are Red's, `coming` are the next in the deck, `wedges` the next in the stack; if Red `holds` it, the first is in Red's hand.
    """
    places = [dot(name) for name in ships]
    slots = [CARD_NAMES.index(name) for name in favors]
    top = [CARD_NAMES.index(name) for name in coming]
    deck = top + [card for card in range(CARDS) if card not in slots + top]
    stack = [WEDGE_NAMES.index(name) for name in wedges]
    stack += [wedge for wedge in range(RING_SLOTS, START_WEDGE) if wedge not in stack]
    first, second = ([die, 1, 1, 0] for die in dice[:2])
    laid = {
        "start_slot": 0,
        "under": UNDER,
        "top": TOP,
        "height": [2] + [1] * (RING_SLOTS - 1),
        "stack": stack,
        "stack_n": STACK - holds,
        "hand": {(RED, 0): stack[0] if holds else NONE},
        "slots": [slots + [NONE] * (2 - len(slots)), *([NONE, NONE] for _ in range(3))],
        "deck": [NONE] * (CARDS - len(deck)) + deck,
        "deck_n": len(deck),
        "pos": [*places, NONE],
        "wake": [*places, NONE],
        "laps": [*laps, 0],
        "final": int(max(laps) > 1),
        "fish": [*fish, 0],
        "nav": first,
        "d1": second,
        "setup_i": PLAYERS,
        "round": 3,
        "fleece": GREEN,
        "turn": 1,
        "phase": WEDGE,
        "to_move": RED,
    }
    return Position(players=PLAYERS, fields={**laid, **fields})


STEPS = [
    Step(
        "You're Red. The goal: race clockwise around the Hydra, two laps. Your dice show 1 and 2, so you sail exactly 3 dots. "
        "Golden rings show where you can go. Catch the fish!",
        at=race("1.C2", "3.B2", "0.D1", dice=(1, 2)),
        expect=["step 1"],
        glow=["end-2-9", "exit-1"],
        right="Caught! What a dot shows is yours as soon as you reach it, even in passing.",
        wrong="There's nothing to catch that way. Click the ring on the fish, or the one on the dot that leads to it.",
    ),
    Step(
        "Now the dice. At the start of a round, everybody rolls at the same time. First the Navigation die, 1 to 3. "
        "Yours shows 3, so keep it: rerolling costs a fish.",
        at=race("2.D1", "3.B3", "2.B1", fish=(1, 0, 0), phase=NAV, stage=[NAV, NAV, NAV, 0], nav=[3, 1, 2, 0], d1=[0] * 4, turn=0),
        expect=["nav_keep"],
        rng=4,
        right="Then comes your first Movement die: another 3. You can never reroll that one.",
        wrong="You can't do better than 3. Keep it, and save your fish.",
        seat=RED,
    ),
    Step(
        "3 and 3 make 6. Stop there, or risk a second Movement die? If it's lower than the first, you lose both of them. "
        "Your odds are good: try your luck!",
        expect=["roll2"],
        rng=11,
        right="Oh no, a 2! That's lower than 3, so it's a bust. But you have a fish …",
        wrong="That's the safe choice. But four rolls in six would take you further, so try your luck.",
        seat=RED,
    ),
    Step(
        "If you accept the bust, you'll sail only 3 dots, by your Navigation die. Spend your fish on another try.",
        expect=["reroll2"],
        rng=6,
        right="A 5: it's at least as high as the 3, so it counts. 3 + 3 + 5: you'll sail 11 dots when everybody is ready!",
        wrong="You'd lose both Movement dice and sail only 3 dots. Use your fish to reroll.",
        seat=RED,
    ),
    Step(
        "The dark red heads are Hydras. They want a fish, or they'll stop you for the rest of your turn. You have no fish, "
        "so stay clear of the one ahead.",
        at=race("5.C2", "8.D2", "4.B1", dice=(1, 4)),
        expect=["step 1"],
        right="Well steered: you sailed all 5 dots. You also picked up a wedge. More about that soon.",
        wrong="That way you'd meet the Hydra on your second dot and lose your other 3. Go around her on the outer lane.",
    ),
    Step(
        "The same place, other dice. Navigation also protects you: it shows 2, so Hydras ignore you on your first 2 dots, the shaded ones. "
        "Slip past her on the inner lane.",
        at=race("5.C2", "8.D2", "4.B1", dice=(2, 1)),
        expect=["step 0"],
        right="She didn't even look. Inner lanes are shorter, but there are more Hydras.",
        wrong="The outer lane is safe but longer. Dare the inner one: the Hydra is on your second dot, where you're protected.",
    ),
    Step(
        "Green is in your way? Good for you! Dots with other Ships don't count, so you pass them for free. "
        "Pass Green and reach the Favor, the golden temple.",
        at=race("6.D3", "8.D2", "6.C3", dice=(1, 1), coming=("Artemis",)),
        expect=["step 0"],
        right="Three dots for the price of two. After sailing, you reveal the Favor. It shows a boat, so you keep it until you use it.",
        wrong="You'd catch a fish there, but this time follow Green: the dot under that Ship is free.",
    ),
    Step(
        "Time for a lap: sail across the Starting Line, on any lane you like.",
        at=race("11.C2", "9.C2", "10.B1", dice=(1, 2), coming=("Hephaestus",), wedges=("Hydra's Den",)),
        expect=["step 0", "step 1", "step 2"],
        right="One lap completed! And the line gives you a fish, a Favor and a wedge, which you place at the start of your next turn.",
    ),
    Step(
        "Wedges change the course. Yours is full of Hydras. Cover the one behind you that Blue still has to pass.",
        at=race("3.A3", "1.B2", "0.A1", dice=(1, 1), laps=(1, 1, 1), wedges=("Hydra's Den",), holds=True),
        expect=["wedge 0 2"],
        right="Nasty! You're already past it, and Blue has no fish. Then you sail as usual.",
        wrong="You can put it there, but it hurts most right in front of Blue: on the wedge between you two.",
    ),
    Step(
        "Blue has completed the second lap, so this is the last round. Whoever is furthest past the line wins. Your movement is used up, "
        "but Hephaestus gives you 3 more dots. Click the card!",
        at=race(
            "11.B3",
            "0.C1",
            "9.D2",
            dice=(2, 2),
            laps=(1, 2, 1),
            favors=("Hephaestus",),
            coming=("Athena",),
            phase=ENDWIN,
            wake=[dot("10.C2"), dot("0.C1"), dot("9.D2"), NONE],
            moved=4,
            fleece=BLUE,
            turn=2,
        ),
        expect=["use 0"],
        right="Over the line and past Blue: you win! Finishing first isn't enough: everybody still gets their turn in that round.",
        wrong="Then Blue would win. Use your Favor.",
    ),
    Step(
        "One last thing: after each round, the player in last place gets the Golden Fleece. They go first, and their Navigation die counts "
        "twice. Whirlpools and cards explain themselves: point at them, or hold them. You'll begin by choosing a start dot. Have fun!",
        at=race("1.A1", "3.B2", "2.D2", phase=NAV, stage=[NAV, NAV, NAV, 0], nav=[2, 1, 2, 0], d1=[0] * 4, turn=0, fleece=RED),
        glow=["fleece"],
        seat=RED,
    ),
]
