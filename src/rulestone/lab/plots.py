"""Plots as HTML: text stays text, so it is as readable on a phone as on paper. Labelled directly, with axes, always with intervals;
grey for context and one accent for the finding.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape
from typing import NamedTuple

from rulestone.table.svg import number

WIDE = 720.0
COLUMNS = 60
"""The most columns of a histogram."""


class Row(NamedTuple):
    """One line of a plot: a label, a value with its interval, and a colour."""

    label: str
    value: float
    low: float
    high: float
    colour: str = "stone"


class Point(NamedTuple):
    """A place on a curve, and the band around it."""

    x: float
    value: float
    low: float
    high: float


class Scale:
    """Values along an axis, as percentages of its length, with round numbers to mark it.

    >>> scale = Scale(0.43, 0.57)
    >>> scale.ticks, round(scale.at(0.5), 1)
    ([0.45, 0.5, 0.55], 50.0)
    """

    def __init__(self, low: float, high: float, most: int = 5) -> None:
        self.low, self.high = low, high if high > low else low + 1
        rough = (self.high - self.low) / most
        power = 10.0 ** math.floor(math.log10(rough))
        self.step = next(power * size for size in (1, 2, 5, 10) if power * size >= rough * 0.999)
        first, last = math.ceil(self.low / self.step - 1e-9), math.floor(self.high / self.step + 1e-9)
        self.ticks = [float(f"{k * self.step:.10g}") for k in range(first, last + 1)]

    def at(self, value: float) -> float:
        return 100 * (value - self.low) / (self.high - self.low)


def svg(height: float, what: str, *shapes: str) -> str:
    """A picture of the standard width."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="scene plot" viewBox="0 0 {number(WIDE)} {number(height)}" role="img" '
        f'aria-label="{escape(what, quote=True)}">{"".join(shapes)}</svg>'
    )


def plot(what: str, body: str, also: str = "") -> str:
    """A plot with its name."""
    return f'<div class="chart {also}" role="group" aria-label="{escape(what, quote=True)}">{body}</div>'


def percent_tick(value: float, step: float) -> str:
    """The mark of an axis of shares."""
    return f"{100 * value:z.{0 if step >= 0.00999 else 1 if step >= 0.000999 else 2}f} %"


def plain_tick(value: float, step: float) -> str:
    """The mark of an axis of numbers."""
    return f"{value:,.{0 if step >= 1 else 1 if step >= 0.1 else 2 if step >= 0.01 else 3}f}"


def _place(name: str, colour: str, left: float, width: float | None = None) -> str:
    wide = "" if width is None else f";width:{number(round(width, 2))}%"
    paint = f";--c:var(--{colour})" if colour else ""
    return f'<i class={name} style="left:{number(round(left, 2))}%{wide}{paint}"></i>'


def _marks(scale: Scale, tick: Callable[[float, float], str]) -> str:
    marks = "".join(f'<b style="left:{number(round(scale.at(value), 2))}%">{escape(tick(value, scale.step))}</b>' for value in scale.ticks)
    return f"<span class=marks aria-hidden=true>{marks}</span>"


def intervals(
    rows: Sequence[Row],
    what: str,
    show: Callable[[float], str],
    *,
    mark: float | None = None,
    bars: bool = False,
    span: tuple[float, float] | None = None,
    tick: Callable[[float, float], str] = percent_tick,
) -> str:
    """One line per row: the value as a dot (or a bar from 0) with its interval, and the number beside it. `span`: the ends of the axis."""
    if not rows:
        return ""
    scale = Scale(*(span or reach(rows, mark, bars)))
    lines = []
    for row in rows:
        left, right = (min(100.0, max(0.0, scale.at(value))) for value in (row.low, row.high))
        dot = min(100.0, max(0.0, scale.at(row.value)))
        shapes = "" if mark is None else _place("even", "", scale.at(mark))
        if bars:
            zero = scale.at(0)
            shapes += _place("bar", row.colour, min(zero, dot), abs(dot - zero))
        shapes += _place("reach", "ink" if bars else row.colour, left, right - left)
        shapes += "" if bars else _place("dot", row.colour, dot)
        bold = " class=told" if row.colour != "stone" else ""
        lines.append(
            f"<div{bold}><span>{escape(row.label)}</span><span class=track>{shapes}</span><span>{escape(show(row.value))}</span></div>"
        )
    lines.append(f"<div class=axis><span></span>{_marks(scale, tick)}<span></span></div>")
    return plot(what, "".join(lines), "rows")


def reach(rows: Sequence[Row], mark: float | None = None, bars: bool = False) -> tuple[float, float]:
    """The ends of an axis for these rows."""
    if not rows:
        return 0.0, 1.0
    low = min([0.0 if bars else rows[0].low, *(row.low for row in rows), *([] if mark is None else [mark])])
    high = max([*(row.high for row in rows), *([] if mark is None else [mark])])
    spread = (high - low) or 1.0
    return (low, high + 0.04 * spread) if bars else (low - 0.06 * spread, high + 0.06 * spread)


def histogram(
    values: Sequence[tuple[float, float]],
    what: str,
    unit: str,
    marks: Sequence[tuple[float, str]] = (),
    span: tuple[float, float] | None = None,
    scale_by: float = 1.0,
) -> str:
    """How often each value occurred: (value, share), in at most 60 columns, with named marks. `span`: the first and last value of the
    axis; `scale_by`: what one is worth in the unit (minutes in a turn, say).
    """
    if not values:
        return ""
    first, last = span or (values[0][0], values[-1][0])
    wide = max(1, -(-int(last - first + 1) // COLUMNS))
    heaps: dict[int, float] = {}
    for value, share in values:
        heaps[int(value - first) // wide] = heaps.get(int(value - first) // wide, 0.0) + share
    count, top = int(last - first) // wide + 1, max(heaps.values())
    scale = Scale((first - 0.5) * scale_by, (first - 0.5 + count * wide) * scale_by)
    tall = {heap: round(100 * share / top, 2) for heap, share in sorted(heaps.items())}
    bars = "".join(
        f'<rect x="{heap + 0.04:g}" y="{number(100 - high)}" width=".92" height="{number(high)}"/>' for heap, high in tall.items()
    )
    lines = "".join(f'<u style="left:{number(round(scale.at(value * scale_by), 2))}%"><b>{escape(name)}</b></u>' for value, name in marks)
    body = (
        f"<span class=high>{percent_tick(top, top)}</span><span class=field>"
        f'<svg viewBox="0 0 {count} 100" preserveAspectRatio="none" class="f-stone" aria-hidden="true">{bars}</svg>{lines}</span>'
        f"{_marks(scale, plain_tick)}<span class=unit>{escape(unit)}</span>"
    )
    return plot(what, body, "columns")


def heat(rows: int, columns: int, values: Sequence[float], what: str, names: Sequence[str], show: Callable[[float], str]) -> str:
    """A map: darker cells are more frequent; each tells its name."""
    top = max(values, default=0.0) or 1.0
    cells = "".join(
        f'<i style="--a:{round(88 * value / top)}%" title="{escape(f"{name}: {show(value)}", quote=True)}">'
        f"{escape(show(value)) if columns <= 8 else ''}</i>"
        for value, name in zip(values, names, strict=True)
    )
    return plot(
        what, f'<div class=heat style="grid-template-columns:repeat({columns},1fr);max-width:{min(560, 64 * columns)}px">{cells}</div>'
    )


def course(points: Sequence[tuple[float, float, float, float]], what: str, name: str) -> str:
    """A line with its band: (x from 0 to 1, value, low, high), values from 0 to 1."""
    if not points:
        return ""

    def at(x: float, y: float) -> str:
        return f"{number(round(100 * x, 1))} {number(round(100 * (1 - min(1.0, max(0.0, y))), 1))}"

    band = [at(x, low) for x, _, low, _ in points] + [at(x, top) for x, _, _, top in reversed(points)]
    line = "L".join(at(x, y) for x, y, *_ in points)
    shapes = (
        f'<path d="M0 50H100" class="s-line"/><path d="M{"L".join(band)}Z" class="f-clay-soft"/><path d="M{line}" class="s-clay thick"/>'
    )
    body = (
        "<span class=high>100 %</span><span class=middle>50 %</span><span class=field>"
        f'<svg viewBox="0 0 100 100" preserveAspectRatio="none" fill="none" aria-hidden="true">{shapes}</svg></span>'
        '<span class=marks><b style="left:0">start</b><b style="left:50%">half-time</b><b style="left:100%">end</b></span>'
        f"<span class=unit>{escape(name)}</span>"
    )
    return plot(what, body, "columns tall")


def curve(
    points: Sequence[Point],
    what: str,
    unit: str,
    tick: Callable[[float, float], str] = percent_tick,
    *,
    mark: float | None = None,
    span: tuple[float, float] | None = None,
) -> str:
    """A line with its band over any axis from 0 on. `mark`: a value drawn as a line across; `span`: the ends of the upright axis."""
    if not points:
        return ""
    low, high = span or (min(0.0, *(point.low for point in points)), max(point.high for point in points))
    across, up = Scale(0, max(point.x for point in points)), Scale(low, high)

    def at(x: float, y: float) -> str:
        return f"{number(round(across.at(x), 1))} {number(round(100 - min(100.0, max(0.0, up.at(y))), 1))}"

    band = [at(point.x, point.low) for point in points] + [at(point.x, point.high) for point in reversed(points)]
    line = "L".join(at(point.x, point.value) for point in points)
    level = "" if mark is None else f'<path d="M{at(0, mark)}L{at(across.high, mark)}" class="s-line"/>'
    body = (
        f"<span class=high>{escape(tick(up.high, up.step))}</span><span class=field>"
        f'<svg viewBox="0 0 100 100" preserveAspectRatio="none" fill="none" aria-hidden="true">{level}'
        f'<path d="M{"L".join(band)}Z" class="f-clay-soft"/><path d="M{line}" class="s-clay thick"/></svg></span>'
        f"{_marks(across, plain_tick)}<span class=unit>{escape(unit)}</span>"
    )
    return plot(what, body, "columns tall")


def stack(parts: Sequence[tuple[str, float, str]], what: str) -> str:
    """One bar divided into parts that add up to 1: (name, share, colour)."""
    bar = "".join(f'<i style="width:{100 * share:.1f}%;--c:var(--{colour})"></i>' for _, share, colour in parts)
    names = "".join(f'<span><i style="--c:var(--{colour})"></i>{escape(name)} {100 * share:.0f} %</span>' for name, share, colour in parts)
    return plot(what, f"<div class=stack>{bar}</div><div class=legend>{names}</div>")


def side_by_side(named: Sequence[tuple[str, str]]) -> str:
    """Several plots next to each other (below each other on a phone), each with its title."""
    return f"<div class=beside>{''.join(f'<div><p class=title>{escape(name)}</p>{picture}</div>' for name, picture in named)}</div>"
