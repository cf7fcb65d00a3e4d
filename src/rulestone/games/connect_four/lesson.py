"""Connect Four in three minutes."""

from rulestone.lesson import Position, Step

ROW = ["drop 2", "drop 2", "drop 3", "drop 3", "drop 4", "drop 0"]  # Red has three in the bottom row
DIAGONAL = ["drop 0", "drop 1", "drop 1", "drop 2", "drop 2", "drop 3", "drop 2", "drop 3", "drop 3", "drop 6"]


def into(column):
    """A drop into one of the columns, counted from 1 as on the board."""
    return [f"drop {column - 1}"]


STEPS = [
    Step(
        "You are Red. Discs fall to the bottom of their column, or onto what lies there. Drop one into the middle.",
        at=Position(),
        expect=into(4),
        right="It falls all the way down. The middle is a good start: most lines of four run through it.",
        wrong="That works too, but let's start in the middle: the column that is marked.",
        then=["drop 3"],
    ),
    Step(
        "Blue's disc landed on yours. Now build a row: put a disc beside your first one.",
        expect=[*into(3), *into(5)],
        right="Two in a row.",
        wrong="Choose a column right beside your disc, so that the two touch.",
    ),
    Step(
        "Four in line win: across, up or diagonally. You have three in the bottom row. Finish it!",
        at=Position(moves=ROW),
        expect=[*into(6), *into(2)],
        right="Four in a row: you win, and the game ends at once.",
        wrong="That disc doesn't complete the row. Look for the free place at the end of your three discs.",
    ),
    Step(
        "Now Blue has three in the bottom row. What do you have to do?",
        at=Position(moves=["drop 6", "drop 1", "drop 6", "drop 2", "drop 5", "drop 3"]),
        expect=[*into(1), *into(5)],
        right="You close one end, and Blue wins at the other: three in a row with two free ends can't be stopped.",
        wrong="Blue wins with the next disc unless you close an end of that row.",
        then=lambda view, move: into(1) if move.args[0] == 4 else into(5),
    ),
    Step(
        "So stop a row early. Blue has only two in the bottom row, but free places on both sides. Act now!",
        at=Position(moves=["drop 6", "drop 2", "drop 6", "drop 3"]),
        expect=[*into(2), *into(5)],
        right="Good. Now Blue can get three in that row, but only one end is open.",
        wrong="If you let Blue play beside those two discs, you'll face three with two open ends. Play next to them.",
    ),
    Step(
        "Diagonals count too, and they're easy to miss. Climb to the right from the bottom left: where does your fourth disc go?",
        at=Position(moves=DIAGONAL),
        expect=into(4),
        right="A diagonal of four wins just the same.",
        wrong="Follow your discs from the bottom-left corner upwards: one step to the right, one step up.",
    ),
    Step(
        "A full column takes no more discs, and a full board without a line of four is a draw. You know it all: play a real game!",
        at=Position(moves=["drop 0", "drop 0", "drop 0", "drop 0", "drop 0", "drop 0"]),
        glow=["column-0"],
    ),
]
