"""How Connect Four looks and speaks: a standing grid into which discs fall."""

from functools import cache

from rulestone.games.connect_four.rules import COLUMNS, EMPTY, ROWS, completes_line
from rulestone.kernel import rule
from rulestone.table import Card, Plate, Scene, kit, svg

SAME_FOR_ALL = True  # both players see the same picture
GRID = kit.Grid(COLUMNS, ROWS, cell=92, left=38, top=112)
WIDTH, HEIGHT, HOLE = 720, 742, 37
MARKS = {EMPTY: "·", 0: "●", 1: "■"}


def scene(view, seat):
    """Back to front: the recess behind the grid, the discs, the plate with its holes, the columns to click."""
    grid = view.state.grid
    line = winning_line(grid, view.state.line) if view.over else ()
    last = last_disc(view)
    things, cards = [svg.thing("back", svg.rect(26, 100, 668, 576, fill="felt", round=22))], {}
    for row in range(ROWS):
        for column in range(COLUMNS):
            owner = int(grid[row, column])
            if owner != EMPTY:
                x, y = GRID.centre(column, ROWS - 1 - row)
                ring = svg.circle(0, 0, HOLE - 4, line="gold", width=6) if (row, column) in line else ""
                trail = svg.circle(0, 0, HOLE - 3, line=f"on{owner}", width=3) if (row, column) == last and not line else ""
                id = f"disc-{row}-{column}"
                things.append(svg.thing(id, disc(owner), trail, ring, at=(x, y), motion="drop", come=(x, 40), also="part"))
                cards[id] = Card(f"{kit.name(view, owner)}'s disc", f"Column {column + 1}, row {row + 1} from the bottom.", "R3")
    things.append(PLATE)
    for column in range(COLUMNS):
        height = int(view.state.height[column])
        x, y = GRID.centre(column, 2.5)
        if view.to_move is not None and height < ROWS:
            ghost = svg.thing(f"ghost-{column}", svg.group(disc(view.to_move), also="ghost"), at=(x, 52), hover=f"column-{column}")
            things.append(ghost)
        landing = svg.circle(0, GRID.centre(0, ROWS - 1 - height)[1] - y, HOLE, also="landing") if height < ROWS else ""
        things.append(svg.thing(f"column-{column}", landing, kit.target(88, ROWS * 92 - 4, round=44), at=(x, y)))
        if not view.over:
            says = "This column is full." if height == ROWS else f"A disc dropped here lands in row {height + 1} from the bottom."
            cards[f"column-{column}"] = Card(f"Column {column + 1}", says, "R3")
    counts = [int((grid == player).sum()) for player in range(2)]
    return Scene(
        WIDTH,
        HEIGHT,
        things,
        title=f"Connect Four: {kit.many(counts[0], 'red disc')} and {kit.many(counts[1], 'blue disc')} in the grid",
        cards=cards,
        plates=[Plate((f"{kit.many(count, 'disc')} dropped",)) for count in counts],
    )


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
    outline = "M48 100H672A22 22 0 0 1 694 122V654A22 22 0 0 1 672 676H48A22 22 0 0 1 26 654V122A22 22 0 0 1 48 100Z"
    holes, rims = [], []
    for column, row in GRID:
        x, y = GRID.centre(column, row)
        holes.append(f"M{x - HOLE:g} {y:g}a{HOLE} {HOLE} 0 1 0 {2 * HOLE} 0a{HOLE} {HOLE} 0 1 0 {-2 * HOLE} 0Z")
        rims.append(f"M{x - HOLE:g} {y:g}a{HOLE} {HOLE} 0 1 0 {2 * HOLE} 0a{HOLE} {HOLE} 0 1 0 {-2 * HOLE} 0")
    numbers = [svg.text(column + 1, GRID.centre(column, 0)[0], 84, size=15, fill="muted") for column in range(COLUMNS)]
    return svg.thing(
        "plate",
        svg.rect(8, 684, 704, 42, fill="board", line="line", width=1.5, round=12, also="soft-shadow"),
        svg.group(kit.frieze(664, height=15), at=(28, 705)),
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


def goal(view, seat):
    """The goal, always in sight."""
    return "Line up four of your discs: across, up or diagonally."


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
