"""Shapes as SVG text. Colours are given by name (see look.py); anything that moves is a `thing` with a stable id.

>>> str(circle(0, 0, 5, fill="clay"))
'<circle r="5" class="f-clay"/>'
>>> piece = thing("token-1", circle(0, 0, 5, fill="clay"), at=(10, 20), turn=90)
>>> piece.id, piece.startswith('<g id="token-1" transform="translate(10 20) rotate(90)">')
('token-1', True)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from html import escape
from math import cos, pi, sin
from typing import Any, TypedDict, TypeVar, Unpack, cast

from rulestone.table.look import check_colour

Point = tuple[float, float]
F = TypeVar("F", bound=Callable[..., Any])
NAME = re.compile(r"[A-Za-z][\w.:-]*")
SPECIAL = re.compile(r"[&<>\"']").search


def memo(function: F) -> F:
    """Cache a pure function of plain values: boards use the same few shapes again and again."""
    return cast(F, lru_cache(8192)(function))


class Thing(str):
    """SVG text of a group with an id. Scenes consist of things; things can be clicked and can move."""

    id: str


@lru_cache(65536)
def number(value: float) -> str:
    """A coordinate in as few characters as possible."""
    if not isinstance(value, float):
        return str(value)
    shown = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if shown == "-0" else shown


def _attributes(given: dict[str, Any]) -> str:
    """Attributes as text; None and empty strings are left out."""
    parts = []
    for name, value in given.items():
        if value is None or value == "":
            continue
        shown = number(value) if isinstance(value, int | float) else str(value)
        parts.append(f' {name}="{escape(shown, quote=True) if SPECIAL(shown) else shown}"')
    return "".join(parts)


def paint(fill: str = "", line: str = "", also: str = "") -> str:
    """The classes for a fill, a line and anything else."""
    words = [f"f-{check_colour(fill)}"] if fill else []
    if line:
        words.append(f"s-{check_colour(line)}")
    if also:
        words.append(also)
    return " ".join(words)


def _shape(tag: str, geometry: dict[str, Any], fill: str, line: str, width: float, also: str, more: dict[str, Any]) -> str:
    geometry["stroke-width"] = (width or 1.5) if line and (width or line) and width != 1 else None
    extra = {name.replace("_", "-"): value for name, value in more.items()}
    return f"<{tag}{_attributes(geometry)}{_attributes({'class': paint(fill, line, also), **extra})}/>"


@memo
def rect(
    x: float, y: float, w: float, h: float, *, fill: str = "none", line: str = "", width: float = 0, round: float = 0, also: str = "",
    **more: Any,
) -> str:  # fmt: skip
    """A rectangle, with rounded corners if `round` is given."""
    return _shape("rect", {"x": x or None, "y": y or None, "width": w, "height": h, "rx": round or None}, fill, line, width, also, more)


@memo
def circle(x: float, y: float, r: float, *, fill: str = "none", line: str = "", width: float = 0, also: str = "", **more: Any) -> str:
    """A circle."""
    return _shape("circle", {"cx": x or None, "cy": y or None, "r": r}, fill, line, width, also, more)


@memo
def path(d: str, *, fill: str = "none", line: str = "", width: float = 0, also: str = "", **more: Any) -> str:
    """A path in SVG path syntax."""
    return _shape("path", {"d": d}, fill, line, width, also, more)


def polygon(points: Iterable[Point], **paint_: Any) -> str:
    """A closed shape through these points."""
    return path("M" + "L".join(f"{number(float(x))} {number(float(y))}" for x, y in points) + "Z", **paint_)


def line(x1: float, y1: float, x2: float, y2: float, *, ink: str = "line", width: float = 1.5, also: str = "", **more: Any) -> str:
    """A straight line."""
    return path(f"M{number(x1)} {number(y1)}L{number(x2)} {number(y2)}", line=ink, width=width, also=also, **more)


def curve(points: Sequence[Point], *, ink: str = "line", width: float = 1.5, also: str = "", **more: Any) -> str:
    """A smooth line through points (Catmull-Rom)."""
    d = [f"M{number(float(points[0][0]))} {number(float(points[0][1]))}"]
    for k in range(len(points) - 1):
        before, a, b, after = points[max(k - 1, 0)], points[k], points[k + 1], points[min(k + 2, len(points) - 1)]
        c1 = (a[0] + (b[0] - before[0]) / 6, a[1] + (b[1] - before[1]) / 6)
        c2 = (b[0] - (after[0] - a[0]) / 6, b[1] - (after[1] - a[1]) / 6)
        d.append("C" + " ".join(number(float(value)) for point in (c1, c2, b) for value in point))
    return path("".join(d), line=ink, width=width, also=also, **more)


def wedge(inner: float, outer: float, start: float, stop: float, **paint_: Any) -> str:
    """A slice of a ring around (0, 0), with angles in degrees clockwise from the top."""
    a, b, big = (start - 90) * pi / 180, (stop - 90) * pi / 180, int(stop - start > 180)
    p = [
        (outer * cos(a), outer * sin(a)),
        (outer * cos(b), outer * sin(b)),
        (inner * cos(b), inner * sin(b)),
        (inner * cos(a), inner * sin(a)),
    ]
    q = [f"{number(x)} {number(y)}" for x, y in p]
    arc = f"A{number(float(outer))} {number(float(outer))} 0 {big} 1"
    back = f"A{number(float(inner))} {number(float(inner))} 0 {big} 0"
    return path(f"M{q[0]}{arc} {q[1]}L{q[2]}{back} {q[3]}Z", **paint_)


@memo
def text(
    words: object, x: float = 0, y: float = 0, *, size: float = 16, fill: str = "ink", align: str = "middle", serif: bool = False,
    bold: bool = False, also: str = "", **more: Any,
) -> str:  # fmt: skip
    """One line of text with its middle (or start, or end) at (x, y), centred vertically."""
    words_ = ("serif" if serif else "", "bold" if bold else "", align if align != "middle" else "", also)
    classes = " ".join(word for word in words_ if word)
    extra = {name.replace("_", "-"): value for name, value in more.items()}
    attributes = {"x": x or None, "y": y or None, "font-size": size, "class": paint(fill, also=classes), **extra}
    return f"<text{_attributes(attributes)}>{escape(str(words))}</text>"


def group(*children: str, at: Point | None = None, turn: float = 0, scale: float = 1, also: str = "") -> str:
    """Shapes moved, rotated (degrees clockwise) and scaled together. A group has no id, so it can't move on its own."""
    return f"<g{_attributes({'transform': placing(at, turn, scale), 'class': also})}>{''.join(children)}</g>"


def placing(at: Point | None, turn: float = 0, scale: float = 1) -> str:
    """The value of a transform attribute."""
    parts = [f"translate({number(at[0])} {number(at[1])})"] if at else []
    if turn:
        parts.append(f"rotate({number(turn)})")
    if scale != 1:
        parts.append(f"scale({number(scale)})")
    return " ".join(parts)


def use(name: str, at: Point | None = None, turn: float = 0, scale: float = 1, also: str = "") -> str:
    """Reuse what was drawn in a `<defs>` under the id `name`.

    >>> use("af-fish", at=(3, 4))
    '<use href="#af-fish" transform="translate(3 4)"/>'
    """
    return f"<use{_attributes({'href': f'#{name}', 'transform': placing(at, turn, scale), 'class': also})}/>"


class Rarely(TypedDict, total=False):
    """Arguments that few things need; see `thing`."""

    come: str | Point
    go: str | Point
    hover: str
    faint: bool
    still: str
    route: str
    sound: str


RARELY = Rarely.__annotations__.keys()


def thing(
    id: str,
    *children: str,
    at: Point = (0, 0),
    turn: float = 0,
    scale: float = 1,
    also: str = "",
    face: object = None,
    again: object = None,
    motion: str = "",
    **rarely: Unpack[Rarely],
) -> Thing:
    """A group with a stable id, which the table moves smoothly from its old place to its new one.

    `face`: when this changes, the thing flips over. `again`: when this changes, it shakes (a die rolled again).
    `motion`: how it moves and appears: "" slides, "drop" falls and bounces, "hop" jumps in an arc, "flip" turns over, "roll" rolls in,
    "late" waits for things that roll, "still" appears at once.
    `come`, `go`: where it comes from when it appears and where it goes when it disappears: another thing's id, or a point.
    `hover`: the thing is shown only while the thing with that id is hovered over or chosen (previews).
    `still`: its `placing` for people who keep the board still (otherwise it turns with the board).
    `route`: the moves that lead towards it, such as "step 0|step 2"; a click on it makes several moves to get there.
    `sound`: what is heard when it moves ("knock", "flick", "dice", "none"); otherwise this follows from how it moves.
    """
    if not NAME.fullmatch(id):
        raise ValueError(f"{id!r} can't be the id of a thing: start with a letter, then use letters, digits, '-', '_', '.' or ':'")
    if rarely:
        if unknown := rarely.keys() - RARELY:
            raise TypeError(f"a thing has no argument {unknown.pop()!r}; optional arguments: {', '.join(RARELY)}")
        also = " ".join(word for word in (also, "preview" if rarely.get("hover") else "", "faint" if rarely.get("faint") else "") if word)
    attributes: dict[str, Any] = {
        "id": id,
        "transform": placing(at, turn, scale),
        "class": also,
        "data-face": None if face is None else str(face),
        "data-again": None if again is None else str(again),
        "data-motion": motion,
    }
    if rarely:
        attributes["data-come"] = _place(rarely.get("come", ""))
        attributes["data-go"] = _place(rarely.get("go", ""))
        for name in ("hover", "still", "route", "sound"):
            attributes[f"data-{name}"] = rarely.get(name, "")
    made = Thing(f"<g{_attributes(attributes)}>{''.join(children)}</g>")
    made.id = id
    return made


def _place(where: str | Point) -> str:
    return where if isinstance(where, str) else f"{number(where[0])} {number(where[1])}"
