"""misDIRECTION in three minutes: Red learns to move, to rotate tiles, and to hit the centre."""

from rulestone.lesson import Position, Step

from .content import HOME
from .rules import POST
from .words import SPOTS

ROLLS = {2: 11, 3: 4, 4: 1, 5: 6}
"""A generator for each number that the die has to show; the one for 2 rolls two of them in a row."""


def spot(name):
    """The space with this name: "E5" is the fifth from the left and the fifth from the top."""
    return SPOTS.index(name)


def turn(name, *ways):
    """Rotations of a tile."""
    return [f"rot_{way} {spot(name)}" for way in ways or ("cw", "ccw")]


def position(seed, up, red, green=None, **fields):
    """Red against Green, with Red to move. `up` are the face-up tiles: the name of each and how often it was rotated."""
    tokens = {0: spot(red), 2: spot(green) if green else int(HOME[2])}
    faces = {spot(name): 1 + quarters for name, quarters in up.items()}
    laid = {"opening": 0, "to_move": 0, "turn": 9, "last_die": 3, "pos": tokens, "face": faces}
    return Position(seed, players=2, fields=laid | fields)


WELL_ON = ("H4", "C5", "E3", "F12", "I2", "J7", "K13", "L4", "M10", "N6")  # the face-up tiles of a game that is well on its way

STEPS = [
    Step(
        "You are Red. Land exactly on the golden star in the centre and you win. "
        "You rolled the lowest number, 4, so you go first. Click the die: your corner's arrow takes you 4 spaces ↘.",
        at=Position(seed=1051, players=2, fields={"last_die": 4}),  # so that the dice of the roll-off don't cover the centre
        expect=["roll"],
        glow=["centre", "die"],
        right="You turned over the tile you landed on. Its arrow is where you'll move next turn: ↗, away from the centre.",
    ),
    Step(
        "Your disk is dark: after moving, you may give any face-up tile a quarter turn. Click yours, then turn it towards the centre.",
        expect=turn("E5", "cw"),
        right="Now you'll move ↘, and a 3 would win! Rotating flipped your disk to light. Watch what Green does.",
        wrong={
            "pass": "Then your next roll takes you away from the centre. Turn your tile first.",
            "": "That way it points ↖, back home. Turn it the other way.",
        },
        then=[f"roll @ {ROLLS[3]}", *turn("E5", "cw")],
    ),
    Step(
        "Green moved, then rotated the tile under you. That's misdirection! "
        "Your disk is light, so this time you rotate before you roll. Turn your arrow back to ↘.",
        expect=turn("E5", "ccw"),
        right="Back on course, and your disk is dark again. You get one rotation a turn: before rolling or after moving.",
        wrong={
            "roll": "You'd move ↙, away from the centre. Rotate your tile first.",
            turn("E5", "cw")[0]: "That way it points ↖, back home. Turn it the other way.",
            "": "That doesn't help you now. Turn the tile under your own token.",
        },
    ),
    Step(
        "Now roll. You need exactly a 3.",
        expect=["roll"],
        rng=ROLLS[5],
        right="A 5: you passed over the centre and kept moving. Only an exact roll wins. But your new tile points straight back!",
    ),
    Step(
        "You've just moved, and your disk is dark. Green's arrow points at the centre, and a 3 would win. Spoil it!",
        at=position(29251, {"H11": 0, "K4": 0, "F6": 0, "J13": 0}, red="K4", green="H11", phase=POST),
        expect=turn("H11"),
        right="Now Green moves sideways. In a real game, tokens cover their arrows. Remember where they point!",
        wrong={
            "pass": "Green could win with a 3. Rotate the tile under Green.",
            "": "Green could still win with a 3. Rotate Green's tile.",
        },
    ),
    Step(
        "What if a roll takes you off the board? The edge is two spaces away. Roll and see!",
        at=position(964, {"M4": 0, "J10": 0}, red="M4", green="J10"),
        expect=["roll"],
        rng=ROLLS[5],
        right="At the edge you turned over the tile there and made the rest of your move along its arrow. "
        "If that leads off the board too, you go home.",
    ),
    Step(
        "Careful: your arrow points straight off the board, so any roll takes you home. Your disk is light. Save yourself!",
        at=position(1049, {"J1": 0, "M9": 0, "F6": 0}, red="J1", green="M9", light={0: 1}),
        expect=turn("J1"),
        right="Now you'll move along the edge.",
        wrong={
            "roll": "That roll would take you home to your corner. Rotate your tile first.",
            "": "You'd still go home. Rotate your own tile.",
        },
    ),
    Step(
        "You're on an Opposite tile: you move against its arrow. Roll!",
        at=position(5393, {"D11": 0, "H11": 0, "D4": 0}, red="D11", green="H11"),
        expect=["roll"],
        rng=ROLLS[4],
        right="You landed on Green, so Green goes back to their corner.",
    ),
    Step(
        "You're on a Teleport tile. Instead of rolling, you may jump to a face-up Teleport tile of your colour, red. Jump!",
        at=position(11810, {"E13": 3, "E8": 3, "L12": 1}, red="E13", green="L12"),
        expect=[f"teleport {spot('E8')}"],
        right="From here you're heading straight for the centre.",
        wrong="You may roll instead, but look at the red Teleport tile: its arrow points at the centre. Click that tile.",
    ),
    Step(
        "Every face-up tile is worth a point to the winner. A 4 wins now, but other numbers could help, too. Roll!",
        at=position(2668, dict.fromkeys(WELL_ON, 0), red="H4", green="K13", turn=17),
        expect=["roll"],
        rng=ROLLS[2],
        right="A 2 takes you to Roll Again, so you roll once more: another 2, exactly onto the centre. You win!",
    ),
    Step(
        "Two more tiles: Auto flip flips your disk. Lose Turn makes the player of its colour miss a turn. "
        "Point at anything on the board to read what it does. Now play a real game!",
        at=Position(seed=1),
        glow=["kind-3", "kind-5"],
    ),
]
