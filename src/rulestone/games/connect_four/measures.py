"""What the lab measures in Connect Four besides the usual: which squares each side takes."""

from rulestone.kernel import rule
from rulestone.measures import Measures, tally

from .rules import COLUMNS, ROWS

SQUARES = [(row, column) for row in range(ROWS) for column in range(COLUMNS)]  # row 0 is at the bottom
NAMES = [f"column {column + 1}, row {row + 1} from the bottom" for row, column in SQUARES]
ON_BOARD = [f"square-{row}-{column}" for row, column in SQUARES]

MEASURES = Measures(
    red=tally("squares that Red takes", NAMES, cells=ON_BOARD),
    blue=tally("squares that Blue takes", NAMES, cells=ON_BOARD),
)


@rule
def after(s, action, player, out):
    """The disc has just come to rest on top of its column."""
    square = (s.height[action] - 1) * COLUMNS + action
    out[MEASURES.red + player * ROWS * COLUMNS + square] += 1  # Blue's squares follow Red's
