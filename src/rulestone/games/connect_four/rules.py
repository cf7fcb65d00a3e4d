"""Connect Four: drop discs; the first to line up four wins."""

from rulestone.kernel import NOBODY, About, Actions, Events, Reasons, Record, i8, option, require, rule, tell

ROWS, COLUMNS, EMPTY = 6, 7, -1

ABOUT = About(
    title="Connect Four",
    min_players=2,
    max_players=2,
    longest=ROWS * COLUMNS,
    zero_sum=True,
    perfect_information=True,
    story=2,
    minutes="5",
    summary="Drop discs into a standing grid; the first to line up four wins.",
)

ACTIONS = Actions(drop=COLUMNS)

EVENTS = Events(
    drops="{who:seat} drops a disc into column {column}. [R3]",
    wins="{who:seat} lines up {count}. [R4]",
    full="The grid is full. [R5]",
)

REASONS = Reasons(full="That column is full. [R3]")


class State(Record):
    """The standing grid, row 0 at the bottom."""

    grid: i8[ROWS, COLUMNS].seat(EMPTY)  # EMPTY or the owner of the disc
    height: i8[COLUMNS].within(0, ROWS)  # discs in each column
    line: i8 = option(4, (4, 3, 5), "how many discs in a line win", title="Discs in a line")


@rule
def setup(s):
    """R1: the grid starts empty. R2: player 0 begins."""
    for row in range(ROWS):
        for column in range(COLUMNS):
            s.grid[row, column] = EMPTY


@rule
def may_drop(s, column):
    """R3: any column that is not full."""
    return REASONS.full if s.height[column] >= ROWS else 0


@rule
def do_drop(s, column):
    """R3: the disc falls onto the pile. R4: four in line win. R5: a full grid is a draw."""
    row = s.height[column]
    s.grid[row, column] = s.to_move
    s.height[column] = row + 1
    tell(s, EVENTS.drops, s.to_move, column)
    if completes_line(s, row, column):
        win(s, s.to_move)
    elif grid_is_full(s):
        draw(s)
    else:
        s.to_move = 1 - s.to_move


@rule
def completes_line(s, row, column):
    """R4: does the disc at (row, column) complete a line: horizontal, vertical or diagonal?"""
    return (
        reach(s, row, column, 0, 1) + reach(s, row, column, 0, -1) >= s.line - 1
        or reach(s, row, column, -1, 0) >= s.line - 1
        or reach(s, row, column, 1, 1) + reach(s, row, column, -1, -1) >= s.line - 1
        or reach(s, row, column, 1, -1) + reach(s, row, column, -1, 1) >= s.line - 1
    )


@rule
def reach(s, row, column, up, right):
    """How many discs of the same owner follow (row, column) in one direction."""
    owner = s.grid[row, column]
    count = 0
    row += up
    column += right
    while 0 <= row < ROWS and 0 <= column < COLUMNS and s.grid[row, column] == owner:
        count += 1
        row += up
        column += right
    return count


@rule
def grid_is_full(s):
    """R5: is there no column left to drop into?"""
    for column in range(COLUMNS):
        if s.height[column] < ROWS:
            return False
    return True


@rule
def win(s, player):
    """R4: the game is over; the winner takes 1 from the other."""
    tell(s, EVENTS.wins, player, s.line)
    s.payoff[player] = 1
    s.payoff[1 - player] = -1
    s.to_move = NOBODY


@rule
def draw(s):
    """R5: the game is over and nobody wins."""
    tell(s, EVENTS.full)
    s.to_move = NOBODY


@rule
def refresh(s):
    """Count the discs in each column again, after the grid was written by hand."""
    for column in range(COLUMNS):
        height = 0
        while height < ROWS and s.grid[height, column] != EMPTY:
            height += 1
        s.height[column] = height


def check(s):
    """R1, R3: discs are stacked without gaps, and both players have dropped the same number, or player 0 one more."""
    discs = [0, 0]
    for column in range(COLUMNS):
        for row in range(ROWS):
            owner = s.grid[row, column]
            require((owner != EMPTY) == (row < s.height[column]), f"column {column} has a gap or the wrong height")
            if owner != EMPTY:
                discs[owner] += 1
    require(discs[0] - discs[1] in (0, 1), f"the players have {discs[0]} and {discs[1]} discs")
