"""What a game's printed pieces are written in: the vocabulary of a game's `components.py`. See docs/print.md.

`components(players, options)` returns a `Box`: everything that is printed and cut out. Drawings are SVG, centred on (0, 0); `span` says
how many units of the drawing are as wide as the piece. Sizes are in millimetres.

>>> piece = Disk("Fish", 16, "<circle r='10'/>", span=20)
>>> piece.size, piece.scale, piece.two_sided
((20.0, 20.0), 1.0, False)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

Size = tuple[float, float]
RECTANGLE, CIRCLE = "rectangle", "circle"


class BrokenComponents(ValueError):
    """Components that can't be printed; the text says which, and why."""


@dataclass(frozen=True)
class Piece:
    """Something to print and cut out.

    - `name`: what it is called; pieces of one name are listed together.
    - `count`: how many of exactly this one there are.
    - `front`, `back`: what is printed on its two sides. Without a `back` it is printed on one side.
    - `size`: width and height in millimetres.
    - `span`: how wide the piece is in the units of the drawing (0: it is drawn in millimetres).
    - `outline`: what is cut: RECTANGLE, CIRCLE, or an SVG path in the units of the drawing.
    - `ground`: the colour of the back right up to its edge, and a little beyond, so that no white shows if the cut is not exact.
    - `text`: what it does, in a sentence or two, for the reference sheet.
    """

    name: str
    count: int = 1
    front: str = ""
    back: str = ""
    size: Size = (63.0, 88.0)
    span: float = 0
    outline: str = RECTANGLE
    ground: str = ""
    text: str = ""

    part: ClassVar[str] = ""
    """What `--only` calls pieces of this kind."""

    def __post_init__(self) -> None:
        if min(self.size) <= 0 or self.count < 0 or self.span < 0:
            raise BrokenComponents(f"{self.name!r} needs a size of more than 0 mm, and a count and a span of 0 or more")
        if not self.front:
            raise BrokenComponents(f"{self.name!r} has no drawing of its front")

    @property
    def two_sided(self) -> bool:
        """Whether something is printed on its back."""
        return bool(self.back or self.ground)

    @property
    def scale(self) -> float:
        """Millimetres of a unit of the drawing."""
        return self.size[0] / self.span if self.span else 1.0


@dataclass(frozen=True)
class Card(Piece):
    """A card; by default of the size of most card sleeves."""

    part = "cards"


@dataclass(frozen=True)
class Tile(Piece):
    """A tile, to be glued to thick card."""

    size: Size = (25.0, 25.0)

    part = "tiles"


@dataclass(frozen=True)
class Disk(Piece):
    """A round counter, lying flat, to be glued to thick card."""

    size: Size = (20.0, 20.0)
    outline: str = CIRCLE

    part = "disks"


@dataclass(frozen=True)
class Token(Piece):
    """A playing piece that stands: printed as a strip with its front and its back (or its front again), folded, and glued to a foot."""

    size: Size = (18.0, 26.0)

    part = "tokens"

    @property
    def two_sided(self) -> bool:
        """It is printed on one side and folded."""
        return False


@dataclass(frozen=True)
class Board(Piece):
    """A board. One that is larger than a sheet is printed in parts with overlap."""

    size: Size = (190.0, 190.0)

    part = "board"


@dataclass(frozen=True)
class Sign:
    """A sign that is printed on boards, tiles or cards, for the reference sheet: its drawing, `span` units wide, and what it means."""

    name: str
    drawing: str
    text: str
    span: float


@dataclass(frozen=True)
class Box:
    """Everything in the box.

    - `pieces`: in the order in which they are listed.
    - `signs`: what the signs on them mean.
    - `defs`: what the drawings use by name, as a `<defs>` element.
    - `besides`: what players need that can't be printed: "a six-sided die".
    - `assembly`: how to put things together: a sentence each.
    """

    pieces: Sequence[Piece]
    defs: str = ""
    besides: Sequence[str] = ()
    assembly: Sequence[str] = ()
    signs: Sequence[Sign] = ()
