"""Boards, tiles, cards, dice, tokens: the parts most games need. Each function returns SVG text centred on (0, 0).

>>> cells = Grid(7, 6, cell=90, left=35, top=60)
>>> cells.centre(0, 0), cells.width
((80.0, 105.0), 630)
>>> token(1).count("seat1") >= 1
True
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import cos, pi, sin, sqrt
from typing import Any

from rulestone.table.look import hue_of
from rulestone.table.scene import Step, View
from rulestone.table.svg import Point, Thing, circle, group, line, memo, path, polygon, rect, text, thing


def name(view: View, seat: int) -> str:
    """A player's name."""
    called: str = view.game.about.name(seat, view.players)
    return called


def whose(view: View, seat: int | None, player: int) -> str:
    """A player as a heading of the position in words: "You, Red" for the one who looks, else "Red"."""
    return f"You, {name(view, player)}" if player == seat else name(view, player)


def listed(words: Iterable[str], last: str = "and") -> str:
    """Join words into a list.

    >>> listed(["move", "use", "pass"], "or")
    'move, use or pass'
    """
    parts = list(words)
    return f" {last} ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def in_words(count: int) -> str:
    """A small number as a word.

    >>> in_words(3), in_words(30)
    ('three', '30')
    """
    return WORDS[count] if 0 <= count < len(WORDS) else str(count)


def hue(view: View, seat: int) -> int:
    """The number of a player's colour (0 vermilion ●, 1 blue ■, 2 green ▲, 3 amber ◆). Seats named after a colour get that colour."""
    return hue_of([name(view, other) for other in range(view.players)], seat)


def many(count: int, word: str, words: str = "") -> str:
    """A count with its noun.

    >>> many(1, "dot"), many(3, "dot"), many(2, "fish", "fish")
    ('1 dot', '3 dots', '2 fish')
    """
    return f"{count} {word if count == 1 else words or word + 's'}"


class Fields:
    """The fields of a view as plain ints and lists, each read on first use and cached. Scenes can add methods to a subclass.

    >>> import rulestone
    >>> f = Fields(rulestone.load("connect_four").new(seed=7).view(0))
    >>> f.height, f.players, f.mover
    ([0, 0, 0, 0, 0, 0, 0], 2, 0)
    """

    def __init__(self, view: View) -> None:
        self.view, self.players, self.mover = view, view.players, view.to_move
        self.ask = view.ask  # the answer of a rule

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = self.__dict__[name] = self.view.read(name)
        return value


# ---- building steps -----------------------------------------------------------------------------------------------------

PARK = (-9000, -9000)
"""Far outside the picture: where things wait until a step brings them in."""


def parked(id: str, *art: str, motion: str = "still", also: str = "") -> Thing:
    """A thing that waits outside the picture until a step brings it in."""
    return thing(id, *art, at=PARK, motion=motion, also=also)


class Showing:
    """Builds the steps of one move. What `bring` puts into the picture stays until the next step, then it is parked again."""

    def __init__(self) -> None:
        self.made: list[Step] = []
        self.out: set[str] = set()

    def step(
        self,
        event: int | None,
        ms: int = 320,
        *,
        go: Mapping[str, Any] | None = None,
        bring: Mapping[str, Any] | None = None,
        flash: Iterable[str] = (),
        stay: Callable[[str], bool] = lambda id: False,
        show: Iterable[Thing] = (),
    ) -> None:
        """Add a step: things `go` somewhere, parked ones are brought in; those for which `stay` returns True are not parked again.

        What is in `show` is drawn anew until the next scene.
        """
        leaving = {id for id in self.out if not stay(id)}
        places: dict[str, Any] = {**dict.fromkeys(sorted(leaving), PARK), **(go or {})}
        self.out -= leaving
        for id, at in (bring or {}).items():
            places.pop(id, None)
            places[id] = at
            self.out.add(id)
        self.made.append(Step(event=event, go=places, flash=tuple(flash), ms=ms, show=tuple(show)))

    def done(self) -> list[Step]:
        """All steps, with everything that belongs outside the picture parked again."""
        if self.out:
            self.made.append(Step(go=dict.fromkeys(sorted(self.out), PARK), ms=0))
            self.out = set()
        return self.made


# ---- layouts ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Grid:
    """Squares in columns and rows, (0, 0) at the top left."""

    columns: int
    rows: int
    cell: float
    left: float = 0
    top: float = 0
    gap: float = 0

    @property
    def width(self) -> float:
        return self.columns * (self.cell + self.gap) - self.gap

    @property
    def height(self) -> float:
        return self.rows * (self.cell + self.gap) - self.gap

    def corner(self, column: float, row: float) -> Point:
        """The top left corner of a square."""
        return (self.left + column * (self.cell + self.gap), self.top + row * (self.cell + self.gap))

    def centre(self, column: float, row: float) -> Point:
        """The centre of a square."""
        x, y = self.corner(column, row)
        return (x + self.cell / 2, y + self.cell / 2)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return ((column, row) for row in range(self.rows) for column in range(self.columns))


@dataclass(frozen=True)
class Hexes:
    """Hexagons with a corner at the top, in axial coordinates (q right, r down right). `size` is the distance from centre to corner."""

    size: float
    x: float = 0
    y: float = 0

    def centre(self, q: float, r: float) -> Point:
        return (self.x + self.size * sqrt(3) * (q + r / 2), self.y + self.size * 1.5 * r)


@dataclass(frozen=True)
class Ring:
    """Places around a centre, clockwise from the top."""

    places: int
    radius: float
    x: float = 0
    y: float = 0

    def angle(self, place: float) -> float:
        """Degrees clockwise from the top."""
        return 360 * place / self.places

    def at(self, place: float, radius: float | None = None) -> Point:
        angle = self.angle(place) * pi / 180
        reach = self.radius if radius is None else radius
        return (self.x + reach * sin(angle), self.y - reach * cos(angle))


def fan(count: int, *, x: float, y: float, spread: float = 8, step: float = 70, widest: float = 500) -> list[tuple[float, float, float]]:
    """Places (x, y, turn) for the cards of a hand, fanned out around (x, y)."""
    step = min(step, widest / max(1, count - 1))
    places = []
    for k in range(count):
        away = k - (count - 1) / 2
        turn = away * min(spread, 40 / max(1, count - 1))
        places.append((x + away * step, y + abs(away) ** 1.6 * 3, turn))
    return places


# ---- seats --------------------------------------------------------------------------------------------------------------


@memo
def mark(hue: int, size: float = 10, fill: str = "") -> str:
    """A seat's mark: ● ■ ▲ ◆ ✚ ★, drawn as a shape so that it looks the same everywhere."""
    fill = fill or f"seat{hue}"
    s = size
    match hue % 6:
        case 0:
            return circle(0, 0, s * 0.9, fill=fill)
        case 1:
            return rect(-s * 0.8, -s * 0.8, s * 1.6, s * 1.6, fill=fill, round=s * 0.15)
        case 2:
            return polygon([(0, -s), (s * 0.95, s * 0.75), (-s * 0.95, s * 0.75)], fill=fill)
        case 3:
            return polygon([(0, -s * 1.1), (s * 0.9, 0), (0, s * 1.1), (-s * 0.9, 0)], fill=fill)
        case 4:
            a, b = s * 0.35, s
            cross = [(-a, -b), (a, -b), (a, -a), (b, -a), (b, a), (a, a), (a, b), (-a, b), (-a, a), (-b, a), (-b, -a), (-a, -a)]
            return polygon(cross, fill=fill)
        case _:
            points = [(s * (1.1 if k % 2 == 0 else 0.45), k * pi / 5) for k in range(10)]
            return polygon([(r * sin(a), -r * cos(a)) for r, a in points], fill=fill)


@memo
def token(hue: int, size: float = 30) -> str:
    """A round playing piece in a seat's colour with its mark."""
    return (
        circle(0, 0, size, fill=f"seat{hue}", also="low-shadow")
        + circle(0, 0, size * 0.78, line=f"on{hue}", width=max(1.2, size * 0.06), also="half")
        + mark(hue, size * 0.36, f"on{hue}")
    )


@memo
def pawn(hue: int, size: float = 30) -> str:
    """A pawn with the seat's mark on it."""
    s = size
    wide, slim, neck, waist, bulge = (f"{s * share:.1f}" for share in (0.6, 0.22, -0.25, 0.1, 0.45))
    skirt = f"M-{wide} {s:g}Q-{bulge} {waist} -{slim} {neck}H{slim}Q{bulge} {waist} {wide} {s:g}Z"
    body = path(skirt, fill=f"seat{hue}", line="board", width=1.5, also="low-shadow") + circle(
        0, -s * 0.55, s * 0.42, fill=f"seat{hue}", line="board", width=1.5
    )
    return body + group(mark(hue, s * 0.24, f"on{hue}"), at=(0, s * 0.5))


@memo
def cube(hue: int, size: float = 26) -> str:
    """A wooden cube with its mark."""
    s = size
    return rect(-s / 2, -s / 2, s, s, fill=f"seat{hue}", round=s * 0.12, also="low-shadow") + mark(hue, s * 0.26, f"on{hue}")


# ---- pieces of a game ---------------------------------------------------------------------------------------------------


@memo
def tile(size: float, *, fill: str = "board", edge: str = "line", round: float = 0, height: float = 0) -> str:
    """A square tile centred on (0, 0). With `height` it becomes a raised block with a lit top edge."""
    half, corner = size / 2, round or size * 0.08
    side = rect(-half, -half + height, size, size, fill="stone", round=corner, also="low-shadow") if height else ""
    return side + rect(-half, -half, size, size, fill=fill, line=edge, width=1.5, round=corner)


@memo
def face_down(size: float, tone: int = 0) -> str:
    """The back of a square tile, in one of two quiet tones."""
    half = size / 2
    return rect(-half, -half, size, size, fill=("stone-soft", "felt")[tone % 2], line="line", width=1, round=size * 0.08)


def hexagon(size: float, **paint: object) -> str:
    """A hexagon with a corner at the top; `size` is the distance from centre to corner."""
    corners = [(size * sin(k * pi / 3), -size * cos(k * pi / 3)) for k in range(6)]
    return polygon(corners, **paint)


def card(
    width: float,
    height: float,
    title: str = "",
    art: str = "",
    foot: str = "",
    *,
    fill: str = "board",
    edge: str = "line",
    ink: str = "ink",
) -> str:
    """A playing card centred on (0, 0): title at the top, art (SVG) in the middle, a line of text at the bottom."""
    size = min(width * 0.15, 15)
    parts = [rect(-width / 2, -height / 2, width, height, fill=fill, line=edge, width=1.5, round=width * 0.09, also="low-shadow"), art]
    if title:
        parts.append(text(title, 0, -height / 2 + size * 1.15, size=size, fill=ink, bold=True))
    if foot:
        parts.append(text(foot, 0, height / 2 - size * 1.05, size=size * 0.85, fill="muted"))
    return "".join(parts)


def card_back(width: float, height: float, *, fill: str = "clay", sign: str = "") -> str:
    """The back of a card: a frame and a sign (SVG, such as a seat's mark)."""
    w, h = width, height
    return (
        rect(-w / 2, -h / 2, w, h, fill=fill, round=w * 0.09, also="low-shadow")
        + rect(-w * 0.4, -h / 2 + w * 0.1, w * 0.8, h - w * 0.2, line="board", width=1.2, round=w * 0.05, also="half")
        + (sign or group(mark(3, w * 0.16, "board"), also="half"))
    )


def stack(count: int, top: str, *, layer: str = "", depth: float = 2.5, most: int = 5) -> str:
    """A pile seen from above at a slight angle: up to `most` layers under `top`. Empty for an empty pile."""
    if count <= 0:
        return ""
    under = min(count, most) - 1
    layers = [group(layer or top, at=(0, (under - k) * depth)) for k in range(under)]
    return "".join(layers) + top


PIPS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}


@memo
def die(value: int | None, size: float = 48, *, fill: str = "board", ink: str = "ink", edge: str = "line") -> str:
    """A die showing 1 to 6 as pips, any other number as a digit, None as a blank face."""
    body = rect(-size / 2, -size / 2, size, size, fill=fill, line=edge, width=1.5, round=size * 0.2, also="low-shadow")
    if value is None:
        return body
    if value in PIPS:
        return body + "".join(circle(x * size * 0.26, y * size * 0.26, size * 0.085, fill=ink) for x, y in PIPS[value])
    return body + text(value, size=size * 0.5, fill=ink, bold=True)


def pips(have: int, of: int, *, size: float = 7, gap: float = 6, fill: str = "clay") -> str:
    """A row of circles, `have` of them filled and the rest (up to `of`) empty. Starts at (0, 0)."""
    step = size * 2 + gap
    return "".join(
        circle(size + k * step, 0, size, fill=fill if k < have else "none", line=fill if k < have else "line", width=1.5) for k in range(of)
    )


def meter(value: float, most: float, width: float, *, height: float = 12, fill: str = "clay") -> str:
    """A bar that fills from the left. Starts at (0, 0), centred vertically."""
    share = max(0.0, min(1.0, value / most if most else 0.0))
    frame = rect(0, -height / 2, width, height, fill="felt", line="line", width=1, round=height / 2)
    return frame + (rect(0, -height / 2, width * share, height, fill=fill, round=height / 2) if share > 0 else "")


def label(words: str, *, size: float = 15, fill: str = "board", ink: str = "ink", pad: float = 9) -> str:
    """Words on a small plate centred on (0, 0)."""
    width = max(size, len(words) * size * 0.56) + 2 * pad
    return rect(-width / 2, -size * 0.85, width, size * 1.7, fill=fill, line="line", width=1, round=size * 0.5) + text(
        words, size=size, fill=ink
    )


def arrow(length: float = 40, *, ink: str = "ink", width: float = 6, head: float = 0) -> str:
    """An arrow pointing up, centred on (0, 0). Rotate it with `group(…, turn=90)`."""
    h, half = head or width * 2.2, length / 2
    shaft = line(0, half, 0, -half + h * 0.6, ink=ink, width=width)
    return shaft + polygon([(0, -half), (h * 0.8, -half + h), (-h * 0.8, -half + h)], fill=ink)


def coin(front: str, size: float = 26, *, light: bool = True) -> str:
    """One side of a two-sided disk, light or dark, with `front` drawn on it."""
    return circle(0, 0, size, fill="board" if light else "ink", line="ink", width=2, also="low-shadow") + front


def medallion(art: str, size: float = 34, *, fill: str = "board", edge: str = "clay", worn: bool = False) -> str:
    """A large round badge with art in it; grey like stone if `worn`."""
    return circle(0, 0, size, fill="stone-soft" if worn else fill, line="stone" if worn else edge, width=3, also="low-shadow") + art


def target(width: float, height: float, round: float = 8) -> str:
    """An invisible clickable area centred on (0, 0) that glows when it can be chosen: for columns, gaps, empty squares."""
    return rect(-width / 2, -height / 2, width, height, fill="none", round=round, also="target")


def frieze(width: float, *, height: float = 14, ink: str = "clay") -> str:
    """A Greek key border, starting at (0, 0), centred vertically."""
    unit = height * 1.4
    count = max(1, int(width // unit))
    stretch = width / count
    h, d = height / 2, []
    for k in range(count):
        x = k * stretch
        a, b, c = x + stretch * 0.75, x + stretch * 0.25, x + stretch * 0.5
        d.append(f"M{x:.1f} {h:.1f}V{-h:.1f}H{a:.1f}V{h * 0.4:.1f}H{b:.1f}V{-h * 0.3:.1f}H{c:.1f}M{x:.1f} {h:.1f}H{x + stretch:.1f}")
    return path("".join(d), line=ink, width=max(1.2, height * 0.13))


def board(width: float, height: float, *, round: float = 18, fill: str = "board") -> str:
    """The board itself, with its top left corner at (0, 0): a flat shape with a soft shadow."""
    return rect(0, 0, width, height, fill=fill, line="line", width=1.5, round=round, also="soft-shadow")


def winners(payoff: Sequence[float]) -> list[int]:
    """The seats with the highest payoff."""
    best = max(payoff)
    return [seat for seat, value in enumerate(payoff) if value == best]
