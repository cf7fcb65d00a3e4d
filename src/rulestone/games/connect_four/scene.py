"""How Connect Four looks and speaks: a standing grid into which discs fall."""

from functools import cache

from rulestone.games.connect_four.rules import COLUMNS, EMPTY, ROWS, completes_line
from rulestone.kernel import rule
from rulestone.table import Card, Part, Plate, Scene, kit, svg

SAME_FOR_ALL = True  # both players see the same picture
GRID = kit.Grid(COLUMNS, ROWS, cell=92, left=38, top=112)
WIDTH, HEIGHT, HOLE = 76 + 92 * COLUMNS, 190 + 92 * ROWS, 37
IN_WORDS = {3: "three", 4: "four", 5: "five"}
MARKS = {EMPTY: "·", 0: "●", 1: "■"}


def scene(view, seat):
    """Back to front: the recess behind the grid, the discs, the plate with its holes, the columns to click."""
    grid = view.state.grid
    line = winning_line(grid, view.state.line) if view.over else ()
    last = last_disc(view)
    things, cards = [BACK], {}
    for row, owners in enumerate(grid.tolist()):
        for column, owner in enumerate(owners):
            if owner != EMPTY:
                ringed = (row, column) in line
                things.append(fallen(row, column, owner, ringed, (row, column) == last and not line))
                cards[things[-1].id] = disc_card(row, column, kit.name(view, owner))
    things.append(PLATE)
    for column, height in enumerate(view.state.height.tolist()):
        if view.to_move is not None and height < ROWS:
            things.append(ghost(column, view.to_move))
        things.append(target(column, height))
        if not view.over:
            cards[f"column-{column}"] = column_card(column, height)
    counts = [int((grid == player).sum()) for player in range(2)]
    return Scene(
        WIDTH,
        HEIGHT,
        things,
        title=f"Connect Four: {kit.many(counts[0], 'red disc')} and {kit.many(counts[1], 'blue disc')} in the grid",
        cards=cards,
        plates=[Plate()] * 2,
    )


BACK = svg.thing("back", svg.rect(26, 100, WIDTH - 52, HEIGHT - 166, fill="felt", round=22))


@cache
def fallen(row, column, owner, ringed, trailed):
    """A disc in the grid, perhaps with the ring of a line or the trail of the last move."""
    x, y = GRID.centre(column, ROWS - 1 - row)
    ring = svg.circle(0, 0, HOLE - 4, line="gold", width=6) if ringed else ""
    trail = svg.circle(0, 0, HOLE - 3, line=f"on{owner}", width=3) if trailed else ""
    return svg.thing(f"disc-{row}-{column}", disc(owner), trail, ring, at=(x, y), motion="drop", come=(x, 40), also="part")


@cache
def disc_card(row, column, name):
    return Card(f"{name}'s disc", f"Column {column + 1}, row {row + 1} from the bottom.", "R3")


@cache
def ghost(column, player):
    """The disc that would fall, shown above its column."""
    x, _ = GRID.centre(column, (ROWS - 1) / 2)
    return svg.thing(f"ghost-{column}", svg.group(disc(player), also="ghost"), at=(x, 52), hover=f"column-{column}")


@cache
def target(column, height):
    """A column to click, with the place where a disc would land."""
    x, y = GRID.centre(column, (ROWS - 1) / 2)
    landing = svg.circle(0, GRID.centre(0, ROWS - 1 - height)[1] - y, HOLE, also="landing") if height < ROWS else ""
    return svg.thing(f"column-{column}", landing, kit.target(88, ROWS * 92 - 4, round=44), at=(x, y))


@cache
def column_card(column, height):
    says = "This column is full." if height == ROWS else f"A disc dropped here lands in row {height + 1} from the bottom."
    return Card(f"Column {column + 1}", says, "R3")


def spots(view):
    """The squares of the grid, for maps."""
    return {f"square-{row}-{column}": GRID.centre(column, ROWS - 1 - row) for row in range(ROWS) for column in range(COLUMNS)}


@cache
def disc(owner):
    """A playing disc with the seat's mark."""
    return (
        svg.circle(0, 0, HOLE + 3, fill=f"seat{owner}")
        + svg.circle(0, 0, HOLE - 9, line=f"on{owner}", width=2.5, also="half")
        + svg.group(kit.mark(owner, 13, f"on{owner}"))
    )


def _plate():
    """The front of the grid: one shape with round holes, on a foot with a Greek key."""
    right, bottom, turn = WIDTH - 26, HEIGHT - 66, "A22 22 0 0 1"
    outline = f"M48 100H{right - 22}{turn} {right} 122V{bottom - 22}{turn} {right - 22} {bottom}"
    outline += f"H48{turn} 26 {bottom - 22}V122{turn} 48 100Z"
    holes, rims = [], []
    for column, row in GRID:
        x, y = GRID.centre(column, row)
        holes.append(f"M{x - HOLE:g} {y:g}a{HOLE} {HOLE} 0 1 0 {2 * HOLE} 0a{HOLE} {HOLE} 0 1 0 {-2 * HOLE} 0Z")
        rims.append(f"M{x - HOLE:g} {y:g}a{HOLE} {HOLE} 0 1 0 {2 * HOLE} 0a{HOLE} {HOLE} 0 1 0 {-2 * HOLE} 0")
    numbers = [svg.text(column + 1, GRID.centre(column, 0)[0], 82, size=20, fill="muted") for column in range(COLUMNS)]
    return svg.thing(
        "plate",
        svg.rect(8, HEIGHT - 58, WIDTH - 16, 42, fill="board", line="line", width=1.5, round=12, also="soft-shadow"),
        svg.group(kit.frieze(WIDTH - 56, height=15), at=(28, HEIGHT - 37)),
        svg.path(outline + "".join(holes), fill="board", line="line", width=1.5, also="soft-shadow", fill_rule="evenodd"),
        svg.path("".join(rims), line="line", width=2),
        *numbers,
    )


PLATE = _plate()


def last_disc(view):
    """Where the last disc fell, as (row, column)."""
    dropped = [event for event in view.events if event.name == "drops"]
    if not dropped:
        return None
    column = dropped[-1].args[1]
    return (int(view.state.height[column]) - 1, column)


def winning_line(grid, length):
    """R4: the squares of every completed line."""
    found = set()
    for row in range(ROWS):
        for column in range(COLUMNS):
            for up, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                squares = [(row + k * up, column + k * right) for k in range(length)]
                if all(0 <= r < ROWS and 0 <= c < COLUMNS for r, c in squares):
                    if grid[row, column] != EMPTY and len({int(grid[r, c]) for r, c in squares}) == 1:
                        found.update(squares)
    return found


def picks(view, move):
    """A move is a click on its column."""
    return (f"column-{move.args[0]}",)


def say_move(view, move):
    return f"Drop into column {move.args[0] + 1}"


def prompt(view, seat):
    return f"Your turn, {kit.name(view, seat)}: choose a column."


def say(view, event):
    """People count columns from 1."""
    if event.name == "drops":
        return f"{kit.name(view, event.args[0])} drops a disc into column {event.args[1] + 1}. [R3]"
    return None


def meant(view, id):
    """A click on a column means dropping a disc there."""
    kind, _, number = id.partition("-")
    return ("drop", int(number)) if kind == "column" else None


def text(view) -> str:
    """For terminals: the standing grid with its column numbers, the bottom row last."""
    grid = view.state.grid
    rows = [" ".join(MARKS[int(grid[row, column])] for column in range(COLUMNS)) for row in reversed(range(ROWS))]
    return "\n".join([*rows, " ".join(str(column) for column in range(COLUMNS))])


def in_words(view, seat):
    """The grid as a table, the top row first, and what came last."""
    grid, last = view.state.grid, last_disc(view)
    named = {EMPTY: "empty", **{player: kit.name(view, player) for player in range(2)}}
    rows = [(f"Row {row + 1}", *(named[int(grid[row, column])] for column in range(COLUMNS))) for row in reversed(range(ROWS))]
    lines = [] if last is None else [f"The last disc: {named[int(grid[last])]}, column {last[1] + 1}, row {last[0] + 1} from the bottom."]
    if line := view.over and winning_line(grid, view.state.line):
        squares = kit.listed(f"column {column + 1} row {row + 1}" for row, column in sorted(line, key=lambda place: place[::-1]))
        lines.append(f"The line: {squares}.")
    return [Part("The board", lines, ("Row", *(f"Column {column + 1}" for column in range(COLUMNS))), rows)]


def goal(view, seat):
    """The goal, always in sight."""
    return f"Line up {IN_WORDS[view.state.line]} of your discs: across, up or diagonally."


def why(view, move):
    """A reason for a move, where the rules give one."""
    me, column = view.to_move, move.args[0]
    if view.ask(would_line_up, me, column):
        return f"It lines up {view.state.line}. [R4]"
    if view.ask(would_line_up, 1 - me, column):
        return f"It stops {kit.name(view, 1 - me)} from lining up {view.state.line}. [R4]"
    return None


@rule
def would_line_up(s, player, column):
    """R4: would a player's disc in this column complete a line?"""
    s.grid[s.height[column], column] = player
    return completes_line(s, s.height[column], column)
