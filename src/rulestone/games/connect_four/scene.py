"""How Connect Four looks: for now, in a terminal."""

from rulestone.games.connect_four.rules import COLUMNS, EMPTY, ROWS

MARKS = {EMPTY: "·", 0: "●", 1: "■"}


def text(view) -> str:
    """The standing grid with its column numbers, the bottom row last."""
    grid = view.state.grid
    rows = [" ".join(MARKS[int(grid[row, column])] for column in range(COLUMNS)) for row in reversed(range(ROWS))]
    return "\n".join([*rows, " ".join(str(column) for column in range(COLUMNS))])
