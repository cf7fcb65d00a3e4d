"""misDIRECTION on paper: the board, 220 tiles with one back, tokens and two-sided disks."""

from rulestone.components import Board, Box, Disk, Tile
from rulestone.table import kit, svg

from . import art
from .content import CELLS, CENTRE, COLOURS, HOMES, KIND_NAMES, LOSE_TURN, OPPOSITE, SEAT, SIDE, TELEPORT, TILE_SETS, TILE_SPACE, TILES

SPACE, TILE = 21, 20  # millimetres
EDGE = 12  # of the board, in units of the scene
UNITS = 46  # a space in the scene
COUNTER, DISK = 15, 20
TEXTS = {
    "Arrow": "Your next roll goes this way.",
    "Auto flip": "Land here and flip your disk.",
    "Opposite": "Your next roll goes against the arrow.",
    "Roll Again": "Land here and roll again at once.",
    "Lose Turn": "The player of this colour misses their next turn.",
    "Teleport": "Instead of rolling, move to another face-up Teleport tile of your colour.",
}


def components(players, options):
    """R1-R4: the board, the tiles that the option `arrows` names, and a token and a disk for each player."""
    counts = TILES[list(TILE_SETS).index(options["arrows"])]
    side = SIDE * UNITS + 2 * EDGE
    seats = SEAT[players, :players].tolist()
    return Box(
        [
            Board("Board", 1, board(), size=(side * SPACE / UNITS,) * 2, span=side),
            *(tile(identity >> 3, identity & 7, int(count)) for identity, count in enumerate(counts) if count),
            *(token(seat) for seat in seats),
            *(disk(seat, DISK_TEXT if seat == seats[0] else "") for seat in seats),
        ],
        defs=str(art.DEFS),
        besides=("a six-sided die",),
        assembly=(
            "Glue the tiles to card before you cut them out, so that nobody sees through them.",
            "Mix the tiles and lay one on each space, arrows down.",
            "The bar at one edge of a tile is its top: turn it to the top of the board when the tile is turned over.",
        ),
    )


DISK_TEXT = "Dark: you may rotate a tile after moving. Light: you may rotate one before rolling. Rotating flips the disk."


def board():
    """The board: spaces, the corners with their arrows, and the centre."""
    x, y = art.PLACES[CENTRE]
    spaces = "".join(
        svg.group(art.square(fill="sea-soft" if (cell // SIDE + cell % SIDE) % 2 else "board", line="line", width=0.8), at=art.PLACES[cell])
        for cell in range(CELLS)
        if art.PRINTED[cell] == TILE_SPACE
    )
    corners = "".join(art.corner(seat, True) for seat in HOMES)
    half = SIDE * UNITS / 2 + EDGE
    return svg.rect(-half, -half, 2 * half, 2 * half, fill="felt") + svg.group(spaces, corners, art.MIDDLE, at=(-x, -y))


def tile(kind, way, count):
    """A tile, face up as it is turned over: its arrow, the sign of its kind, and a bar at its top edge."""
    if kind == 0:
        front = art.use(f"t{way}")
    else:
        front = art.use("up" if kind < LOSE_TURN else f"b{kind}") + art.use("against" if kind == OPPOSITE else "way", turn=45 * way)
        front += art.sign(kind, way)
    front += svg.line(-7, -20.4, 7, -20.4, ink="on3", width=1.4)
    back = svg.path("M0-13L13 0L0 13L-13 0Z", line="on0", width=2) + svg.path("M0-6L6 0L0 6L-6 0Z", fill="on0")
    name = KIND_NAMES[kind]
    text = next(text for start, text in TEXTS.items() if name.startswith(start))
    return Tile(
        name, count, front, back, size=(TILE, TILE), span=45, ground="sea", text=text if kind <= LOSE_TURN or kind == TELEPORT else ""
    )


def token(seat):
    """A token, the same on both sides; it covers the arrow of a tile, and leaves the sign in its corner free."""
    return Disk(f"{COLOURS[seat]} token", 1, kit.token(seat, 20), kit.token(seat, 20), size=(COUNTER, COUNTER), span=40)


def disk(seat, text):
    return Disk(f"{COLOURS[seat]} disk", 1, coin(seat, False), coin(seat, True), size=(DISK, DISK), span=56, text=text)


def coin(seat, light):
    """One side of a seat's disk."""
    metal, rim = ("on0", "on3") if light else ("on3", "on0")
    body = svg.circle(0, 0, 25.5, fill=metal, line=f"seat{seat}", width=4) + svg.circle(0, 0, 18.5, line=rim, width=1.2)
    return body + kit.mark(seat, 11)
