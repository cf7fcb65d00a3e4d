"""Connect Four on paper: a grid that lies flat on the table, and the discs."""

from rulestone.components import Board, Box, Disk
from rulestone.games.connect_four.rules import COLUMNS, ROWS
from rulestone.games.connect_four.scene import HOLE, disc
from rulestone.table import kit, svg

CELL, DISC, EDGE, TOP = 26, 23, 5, 8  # millimetres


def components(players, options):
    """R1: the grid, and as many discs of each colour as can be needed."""
    discs = (ROWS * COLUMNS + 1) // 2, ROWS * COLUMNS // 2
    names = ("Red disc", "Blue disc")
    return Box(
        [
            Board("Grid", 1, grid(), size=(COLUMNS * CELL + 2 * EDGE, ROWS * CELL + EDGE + TOP)),
            *(Disk(names[player], discs[player], disc(player), size=(DISC, DISC), span=2 * HOLE + 6) for player in range(2)),
        ],
        assembly=(
            "Glue the discs to card, or use coins, draughts or buttons.",
            "The grid lies flat. Slide a disc into its column from the top, down to the lowest free space.",
        ),
    )


def grid():
    """The grid, in millimetres, with the numbers of its columns at the top."""
    wide, high = COLUMNS * CELL + 2 * EDGE, ROWS * CELL + EDGE + TOP
    places = kit.Grid(COLUMNS, ROWS, cell=CELL, left=EDGE - wide / 2, top=TOP - high / 2)
    holes = [svg.circle(*places.centre(*place), DISC / 2 + 0.8, fill="felt", line="line", width=0.5) for place in places]
    numbers = [
        svg.text(column + 1, places.centre(column, 0)[0], TOP / 2 + 0.5 - high / 2, size=5, fill="muted") for column in range(COLUMNS)
    ]
    return svg.rect(-wide / 2, -high / 2, wide, high, fill="board") + "".join(holes) + "".join(numbers)
