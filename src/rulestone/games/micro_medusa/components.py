"""Micro Medusa on paper: Medusa's tiles, with one back for all, and the Champion's medallions."""

from rulestone.components import Box, Disk, Tile
from rulestone.table import kit, svg

from . import art, words
from .content import ACTIVE, COPIES, GEAR_NAMES, GRID_NAMES, KIND_NAMES, KINDS, MEDUSAS_HEAD, SECTION_NAMES, SHAPE
from .rules import CHAMPION, HEART

TILE, MEDALLION = 42, 38  # millimetres between two sides of a tile, and across a medallion
SNAKES = "M-19 -3C-10 8 10 8 19 -3M-13 4L-17 10M-4 7L-5 14M5 7L6 14M14 3L18 9M-16 -13C-9 -19 9 -19 16 -13"
HEAD_TEXT, HEART_TEXT = "Everything grows out of it. It starts in the middle of the table.", "A life. Its back is stone."


def components(players, options):
    """R2, R3: Medusa's tiles in the shapes of the options `grid` and `section`, and the Champion's tiles."""
    grid, section = GRID_NAMES.index(options["grid"]), SECTION_NAMES.index(options["section"])
    kinds = [kind for kind in range(KINDS) if COPIES[kind]]
    head = art.face(MEDUSAS_HEAD, int(SHAPE[grid, section, MEDUSAS_HEAD]), grid)
    return Box(
        [
            medusa_tile("Medusa’s head", 1, head, grid, HEAD_TEXT),
            *(
                medusa_tile(KIND_NAMES[kind], int(COPIES[kind]), art.loose(kind, grid, section), grid, words.ABOUT_KIND[kind])
                for kind in kinds
            ),
            *(medallion(gear, int(ACTIVE[gear]), False) for gear in range(len(GEAR_NAMES))),
            *(medallion(gear, 1, True) for gear in range(len(GEAR_NAMES))),
        ],
        defs=str(art.ART),
        assembly=(
            "Glue the tiles and medallions to card before you cut them out: nobody should see through a face-down tile.",
            "A tile that a Shield or a Torch answers is flipped and stays: its back is the stone that blocks the space.",
        ),
    )


def medusa_tile(name, count, front, grid, text):
    """A tile of Medusa's. Its back is also the stone it becomes."""
    wide = 2 * 48.6 * 0.87
    size = (TILE, TILE) if grid == art.SQUARE else (TILE, TILE * 2 * 48.6 / wide)
    rim = svg.path(art.outline(grid, 40), line="board", width=1.6)
    return Tile(
        name,
        count,
        front,
        rim + svg.path(SNAKES, line="board", width=3),
        size=size,
        span=wide,
        outline=art.outline(grid),
        ground="clay",
        text=text,
    )


def medallion(gear, count, reserve):
    """A tile of the Champion's; those of the reserve are marked, because they go back at the end of the round."""
    shown = svg.group(art.use(f"gear{gear}"), at=(0, 3 * reserve), scale=0.88 if reserve else 1)
    front = art.use("disc") + shown + svg.group(art.use("mark"), scale=0.8)  # further in than on the screen: nothing is cut off
    if reserve:
        front += svg.rect(-17, -36, 34, 10, fill="board", line=art.SEAT, width=1.2, round=4) + svg.text("reserve", 0, -31, size=8)
    back = art.use("stoneheart") if gear == HEART else svg.circle(0, 0, 20, fill="board") + kit.mark(CHAMPION, 15)
    name = f"{GEAR_NAMES[gear]} (reserve)" if reserve else GEAR_NAMES[gear]
    text = "" if reserve else HEART_TEXT if gear == HEART else words.ABOUT_GEAR[gear][0]
    return Disk(name, count, front, back, size=(MEDALLION, MEDALLION), span=80, ground=art.SOFT, text=text)
