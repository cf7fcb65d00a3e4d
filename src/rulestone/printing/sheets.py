"""Sheets: pieces laid out on paper with cut marks, their backs mirrored, and boards in parts with overlap. All lengths in millimetres."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from math import ceil
from typing import NamedTuple

from rulestone.components import CIRCLE, RECTANGLE, Board, BrokenComponents, Piece, Size, Token
from rulestone.printing import ink

MARGIN = 7.5
"""What printers leave white, with room for cut marks."""
FOOT = 2.5
"""More room at the bottom of boards, for the line that says which part this is."""
GAP, BETWEEN, BLEED = 3.0, 8.5, 1.5
"""Between pieces that aren't rectangles, between blocks of pieces, and how far a back's colour goes beyond its edge."""
OVERLAP = 10.0
"""How much of a board is printed twice, so that its parts can be glued together."""
FLAP = 7.0
"""The feet of a piece that stands."""
FRONT, BACK, ONE_SIDE = "front", "back", "one side"


class Paper(NamedTuple):
    """A size of paper."""

    title: str
    width: float
    height: float


PAPERS = {"a4": Paper("A4", 210.0, 297.0), "letter": Paper("US Letter", 215.9, 279.4)}


class Place(NamedTuple):
    """Where a piece lies on a sheet: its middle."""

    piece: Piece
    x: float
    y: float


@dataclass(frozen=True)
class Sheet:
    """One printed page of pieces. `drawing` is SVG in millimetres."""

    side: str
    title: str
    places: tuple[Place, ...]
    drawing: str = field(repr=False)

    @property
    def counts(self) -> Counter[str]:
        """How many pieces of each name are on it; the parts of a board count as the board once."""
        return Counter(place.piece.name for place in self.places)


def room(paper: Paper) -> Size:
    """How large a board can be on one sheet."""
    return (paper.width - 2 * MARGIN, paper.height - 2 * MARGIN - FOOT)


def footprint(piece: Piece) -> Size:
    """The room that a piece takes on a sheet."""
    wide, high = piece.size
    return (wide, 2 * high + 2 * FLAP) if isinstance(piece, Token) else (wide, high)


def sheets(pieces: Sequence[Piece], paper: Paper, mono: bool = False) -> list[Sheet]:
    """All sheets: first those that are printed on both sides, front and back in turn, then the others."""
    large = [piece for piece in pieces if isinstance(piece, Board) and not _fits(piece, paper)]
    small = [piece for piece in pieces if piece not in large]
    made: list[Sheet] = []
    for blocks in _pages([piece for piece in small if piece.two_sided], paper):
        made += [_front(blocks, FRONT), _back(blocks, paper, mono)]
    for blocks in _pages([piece for piece in small if not piece.two_sided], paper):
        made.append(_front(blocks, ONE_SIDE))
    for piece in large:
        made += [sheet for _ in range(piece.count) for sheet in _board(piece, paper)]
    return made


def _fits(board: Board, paper: Paper) -> bool:
    """Whether a board can lie on a sheet like a card, together with others."""
    return all(length <= space + 1e-6 for length, space in zip(board.size, room(paper), strict=True))


# ---- where pieces lie -----------------------------------------------------------------------------------------------------


class Block(NamedTuple):
    """Pieces of one size in rows and columns: the upper left corner of the first, the size of each, the gap between them."""

    x: float
    y: float
    size: Size
    gap: float
    columns: int
    pieces: list[Piece]

    @property
    def rows(self) -> int:
        return ceil(len(self.pieces) / self.columns)

    @property
    def high(self) -> float:
        return self.rows * (self.size[1] + self.gap) - self.gap

    @property
    def right(self) -> float:
        return self.x + self.columns * (self.size[0] + self.gap) - self.gap

    def moved(self, right: float, down: float) -> Block:
        return Block(self.x + right, self.y + down, *self[2:])

    def corner(self, number: int) -> tuple[float, float]:
        """The upper left corner of a piece."""
        row, column = divmod(number, self.columns)
        return (self.x + column * (self.size[0] + self.gap), self.y + row * (self.size[1] + self.gap))

    def places(self) -> Iterator[Place]:
        for number, piece in enumerate(self.pieces):
            x, y = self.corner(number)
            yield Place(piece, x + self.size[0] / 2, y + self.size[1] / 2)


class Kind(NamedTuple):
    """What lies in one block: pieces of one size and, because two printed sides never meet exactly, with backs of one colour."""

    size: Size
    gap: float
    ground: str


class _Page:
    """A page that is being filled, on shelves: blocks side by side, all but the first in a single row."""

    def __init__(self, space: Size) -> None:
        self.wide, self.high = space
        self.shelves: list[list[Block]] = []

    @property
    def top(self) -> float:
        """Where the next shelf starts."""
        return max(block.y + block.high for block in self.shelves[-1]) + BETWEEN if self.shelves else 0.0

    def rows(self, kind: Kind) -> int:
        """How many rows of this kind fit below everything else."""
        return int((self.high - self.top + kind.gap + 1e-6) // (kind.size[1] + kind.gap))

    def beside(self, kind: Kind, waiting: list[Piece]) -> bool:
        """Whether all that wait fit in one row beside another; if so, they are put there."""
        for shelf in self.shelves:
            last = shelf[-1]
            new = Block(last.right + BETWEEN, last.y, kind.size, kind.gap, len(waiting), waiting)
            bottom = self.high if shelf is self.shelves[-1] else max(block.y + block.high for block in shelf)
            if last.rows == 1 and new.right <= self.wide + 1e-6 and new.y + new.high <= bottom + 1e-6:
                shelf.append(new)
                return True
        return False

    def below(self, kind: Kind, columns: int, pieces: list[Piece]) -> None:
        """Put these on a shelf of their own."""
        self.shelves.append([Block(0.0, self.top, kind.size, kind.gap, min(columns, len(pieces)), pieces)])


def _pages(pieces: Sequence[Piece], paper: Paper) -> Iterator[list[Block]]:
    """Blocks of equal pieces, page by page. A block lies on the first page where all of it fits; only one larger than a page is divided."""
    groups: dict[Kind, list[Piece]] = {}
    for piece in pieces:
        gap = 0.0 if piece.outline == RECTANGLE and not isinstance(piece, Token) else GAP
        groups.setdefault(Kind(footprint(piece), gap, piece.ground), []).extend([piece] * piece.count)
    space = (paper.width - 2 * MARGIN, paper.height - 2 * MARGIN)
    made: list[_Page] = []
    for kind, waiting in groups.items():
        columns, most = (int((length + kind.gap + 1e-6) // (side + kind.gap)) for length, side in zip(space, kind.size, strict=True))
        if not columns or not most:
            wide, high = kind.size
            raise BrokenComponents(
                f"{waiting[0].name!r} is {wide:g} × {high:g} mm as printed; {paper.title} has room for {space[0]:g} × {space[1]:g} mm"
            )
        while waiting:
            if any(page.beside(kind, waiting) for page in made):
                break
            last = made[-1] if made and len(waiting) > most * columns else None
            page = next((page for page in made if page.rows(kind) * columns >= len(waiting)), last)
            if page is None or page.rows(kind) < 1:
                made.append(page := _Page(space))
            here = page.rows(kind) * columns
            page.below(kind, columns, waiting[:here])
            waiting = waiting[here:]
    yield from (_centred(page.shelves, paper) for page in made)


def _centred(shelves: list[list[Block]], paper: Paper) -> list[Block]:
    """The blocks of a page: each shelf in the middle of its width, all of them in the middle of its height if they fill most of it."""
    used = max(block.y + block.high for block in shelves[-1])
    down = (paper.height - used) / 2 if used > 0.8 * (paper.height - 2 * MARGIN) else MARGIN + 4
    return [block.moved((paper.width - shelf[-1].right) / 2, down) for shelf in shelves for block in shelf]


# ---- what is drawn --------------------------------------------------------------------------------------------------------


def n(value: float) -> str:
    """A length in as few characters as possible."""
    return f"{value:.3f}".rstrip("0").rstrip(".")


def svg_file(drawing: str, size: Size, defs: str, mono: bool) -> str:
    """A drawing in millimetres as an SVG file."""
    style = escape(ink.stylesheet(mono), quote=False)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="scene alone" viewBox="0 0 {n(size[0])} {n(size[1])}" width="{n(size[0])}mm" '
        f'height="{n(size[1])}mm"><style>{style}</style>{defs}{drawing}</svg>'.replace("&#x27;", "’")
    )


def outline(piece: Piece, **paint: str) -> str:
    """What is cut, centred on (0, 0), in millimetres."""
    attributes = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in paint.items())
    wide, high = piece.size
    if piece.outline == CIRCLE:
        return f'<circle r="{n(wide / 2)}"{attributes}/>'
    if piece.outline == RECTANGLE:
        return f'<rect x="{n(-wide / 2)}" y="{n(-high / 2)}" width="{n(wide)}" height="{n(high)}"{attributes}/>'
    width = paint.get("stroke_width", "0")
    scaled = attributes.replace(f'stroke-width="{width}"', f'stroke-width="{n(float(width) / piece.scale)}"')
    return f'<path transform="scale({n(piece.scale)})" d="{piece.outline}"{scaled}/>'


CUT = {"fill": "none", "stroke": "#9a9a9a", "stroke_width": "0.15"}


def _at(x: float, y: float, drawing: str, scale: float = 1.0, also: str = "") -> str:
    grown = f" scale({scale:.6g})" if scale != 1 else ""
    return f'<g transform="translate({n(x)} {n(y)}){grown}"{also}>{drawing}</g>'


def _line(x1: float, y1: float, x2: float, y2: float, dash: str = "", ink: str = "#333333", width: float = 0.2) -> str:
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<path d="M{n(x1)} {n(y1)}L{n(x2)} {n(y2)}" stroke="{ink}" stroke-width="{width:g}" fill="none"{dashed}/>'


def _front(blocks: list[Block], side: str) -> Sheet:
    parts: list[str] = []
    places = [place for block in blocks for place in block.places()]
    for place in places:
        parts.append(_standing(place) if isinstance(place.piece, Token) else _flat(place))
    for block in blocks:
        if not block.gap:
            parts += _cut_marks(block)
    return Sheet(side, _named(places), tuple(places), "".join(parts))


def _flat(place: Place) -> str:
    piece = place.piece
    return _at(place.x, place.y, piece.front, piece.scale) + _at(place.x, place.y, outline(piece, **CUT))


def _standing(place: Place) -> str:
    """A strip: foot, the back upside down, the front, foot; folded at the dashed lines."""
    piece = place.piece
    wide, high = piece.size
    left, right, top = place.x - wide / 2, place.x + wide / 2, place.y - high - FLAP
    front = f'<g transform="scale({piece.scale:.6g})">{piece.front}</g>'
    behind = f'<g transform="scale({piece.scale:.6g})">{piece.back or piece.front}</g>'
    drawn = (
        _at(place.x, place.y + high / 2, front) + f'<g transform="translate({n(place.x)} {n(place.y - high / 2)}) rotate(180)">{behind}</g>'
    )
    size = f'x="{n(left)}" y="{n(top)}" width="{n(wide)}" height="{n(2 * high + 2 * FLAP)}"'
    frame = f'<rect {size} fill="none" stroke="#9a9a9a" stroke-width="0.15"/>'
    folds = "".join(_line(left, y, right, y, "1 1", "#777777", 0.15) for y in (place.y - high, place.y, place.y + high))
    return drawn + frame + folds


def _back(blocks: list[Block], paper: Paper, mono: bool) -> Sheet:
    """The same pieces as seen from behind: the page is turned over along its long edge."""
    places = [Place(piece, paper.width - x, y) for block in blocks for piece, x, y in block.places()]
    grounds, drawn = [], []
    for piece, x, y in places:
        if piece.ground:
            fill = ink.ground(piece.ground, mono)
            grown = outline(piece, fill=fill, stroke=fill, stroke_width=n(2 * BLEED), stroke_linejoin="round")
            grounds.append(_at(x, y, grown))
            drawn.append(_at(x, y, outline(piece, fill=fill)))  # over the neighbour's bleed
        drawn.append(_at(x, y, piece.back, piece.scale, ' class="back"'))
    return Sheet(BACK, _named(places), tuple(places), "".join(grounds + drawn))


def _named(places: Sequence[Place]) -> str:
    """What is on a sheet, in words."""
    names = list(dict.fromkeys(place.piece.name for place in places))
    return ", ".join(names) if len(names) <= 4 else f"{', '.join(names[:3])} and {len(names) - 3} more"


def _cut_marks(block: Block) -> Iterator[str]:
    """Lines outside a block, where its rows and columns end; a last row that isn't full has marks of its own."""
    (wide, high), rows = block.size, block.rows
    last = len(block.pieces) - (rows - 1) * block.columns
    across = block.columns if rows > 1 else last
    bottom, right = block.y + rows * high, block.x + across * wide
    for column in range(across + 1):
        x = block.x + column * wide
        foot = bottom if column <= last else bottom - high
        yield _line(x, block.y - 1, x, block.y - 3.5) + _line(x, foot + 1, x, foot + 3.5)
    for row in range(rows + 1):
        y = block.y + row * high
        yield _line(block.x - 1, y, block.x - 4, y)
        end = right if row < rows else block.x + last * wide
        yield _line(end + 1, y, end + 4, y)


# ---- boards ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Plan:
    """How a board is cut into parts: how many across and down, and how large each is with its overlap; `turned`: lying on its side."""

    across: int
    down: int
    part: Size
    turned: bool

    @property
    def count(self) -> int:
        return self.across * self.down


def plan(board: Board, paper: Paper) -> Plan:
    """The fewest parts of a board, upright or turned."""
    found = []
    for turned in (False, True):
        size = board.size[::-1] if turned else board.size
        counts, lengths = [], []
        for length, space in zip(size, room(paper), strict=True):
            count = 1 if length <= space + 1e-6 else ceil((length - OVERLAP) / (space - OVERLAP) - 1e-6)
            counts.append(count)
            lengths.append((length + (count - 1) * OVERLAP) / count)
        found.append(Plan(counts[0], counts[1], (lengths[0], lengths[1]), turned))
    return min(found, key=lambda one: (one.count, one.turned))


def _board(board: Board, paper: Paper) -> Iterator[Sheet]:
    """A board's parts, row by row. What is printed twice is glued: the next part's edge comes onto the dashed line."""
    cut = plan(board, paper)
    (wide, high), turned = cut.part, cut.turned
    size = board.size[::-1] if turned else board.size
    left, top = (paper.width - wide) / 2, (paper.height - FOOT - high) / 2
    for number in range(cut.count):
        row, column = divmod(number, cut.across)
        x, y = column * (wide - OVERLAP), row * (high - OVERLAP)  # the part's corner on the board
        turn = " rotate(90)" if turned else ""
        middle = f"translate({n(left - x + size[0] / 2)} {n(top - y + size[1] / 2)}){turn}"
        clip = f'<clipPath id="part"><rect x="{n(left)}" y="{n(top)}" width="{n(wide)}" height="{n(high)}"/></clipPath>'
        drawn = f'<g transform="{middle} scale({board.scale:.6g})">{board.front}</g>'
        edge = f'<g transform="{middle}">{outline(board, **CUT)}</g>'
        marks = "".join(_part_marks(left, top, cut, row, column))
        title = board.name if cut.count == 1 else f"{board.name}: {_where(cut, row, column)} (part {number + 1} of {cut.count})"
        places = (Place(board, paper.width / 2, paper.height / 2),) if number == 0 else ()
        yield Sheet(ONE_SIDE, title, places, f'<defs>{clip}</defs><g clip-path="url(#part)">{drawn}{edge}</g>{marks}')


def _where(cut: Plan, row: int, column: int) -> str:
    across = ("",) if cut.across == 1 else ("left", *["middle"] * (cut.across - 2), "right")
    down = ("",) if cut.down == 1 else ("top", *["middle"] * (cut.down - 2), "bottom")
    return " ".join(word for word in (down[row], across[column]) if word)


def _part_marks(left: float, top: float, cut: Plan, row: int, column: int) -> Iterator[str]:
    """Where to cut a part, and where the next part's edge comes."""
    right, bottom = left + cut.part[0], top + cut.part[1]
    for x, out in ((left, -1), (right, 1)):
        for y, away in ((top, -1), (bottom, 1)):
            yield _line(x + out, y, x + 4 * out, y) + _line(x, y + away, x, y + 4 * away)
    if column < cut.across - 1:
        x = right - OVERLAP
        yield _line(x, top, x, bottom, "2 1.5") + _line(x, top - 1, x, top - 4) + _line(x, bottom + 1, x, bottom + 4)
    if row < cut.down - 1:
        y = bottom - OVERLAP
        yield _line(left, y, right, y, "2 1.5") + _line(left - 1, y, left - 4, y) + _line(right + 1, y, right + 4, y)
