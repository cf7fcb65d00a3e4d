"""Plots as SVG in the project's colours: labelled directly, always with intervals, grey for context and one accent for the finding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import NamedTuple

from rulestone.table.svg import circle, line, number, path, rect, text

WIDE, LEFT, RIGHT, ROW = 720.0, 240.0, 92.0, 26.0
SIZE = 13.0


class Row(NamedTuple):
    """One line of a plot: a label, a value with its interval, and a colour."""

    label: str
    value: float
    low: float
    high: float
    colour: str = "stone"


def svg(height: float, what: str, *shapes: str) -> str:
    """A picture of the standard width."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="scene plot" viewBox="0 0 {number(WIDE)} {number(height)}" role="img" '
        f'aria-label="{escape(what, quote=True)}">{"".join(shapes)}</svg>'
    )


def short(label: str, most: int = 33) -> str:
    return label if len(label) <= most else label[: most - 1] + "…"


def intervals(rows: Sequence[Row], what: str, show: Callable[[float], str], *, mark: float | None = None, bars: bool = False) -> str:
    """One line per row: the value as a dot (or a bar from 0) with its interval, and the number beside it."""
    if not rows:
        return ""
    low = min([0.0 if bars else rows[0].low, *(row.low for row in rows), *([] if mark is None else [mark])])
    high = max([*(row.high for row in rows), *([] if mark is None else [mark])])
    spread = (high - low) or 1.0
    low, high = (low, high + 0.04 * spread) if bars else (low - 0.06 * spread, high + 0.06 * spread)

    def x(value: float) -> float:
        return LEFT + (value - low) / (high - low) * (WIDE - LEFT - RIGHT)

    shapes = []
    height = ROW * len(rows) + (22 if mark is not None else 8)
    if mark is not None:
        shapes.append(line(x(mark), 2, x(mark), ROW * len(rows) + 4, ink="muted", width=1.2, also="dashed"))
        shapes.append(text(show(mark), x(mark), ROW * len(rows) + 13, size=11, fill="muted"))
    for k, row in enumerate(rows):
        y = ROW * k + ROW / 2
        shapes.append(text(short(row.label), LEFT - 12, y, size=SIZE, align="end"))
        if bars:
            shapes.append(rect(x(0), y - 8, max(0.5, x(row.value) - x(0)), 16, fill=row.colour, round=2))
        shapes.append(line(x(row.low), y, x(row.high), y, ink="ink" if bars else row.colour, width=1.6 if bars else 3))
        if not bars:
            shapes.append(circle(x(row.value), y, 5, fill=row.colour))
        shapes.append(text(show(row.value), WIDE - RIGHT + 12, y, size=SIZE, align="start", bold=row.colour != "stone"))
    return svg(height, what, *shapes)


def histogram(values: Sequence[tuple[float, float]], what: str, unit: str, marks: Sequence[tuple[float, str]] = ()) -> str:
    """How often each value occurred: (value, share), drawn in at most 60 columns, with named marks."""
    if not values:
        return ""
    first, last = values[0][0], values[-1][0]
    wide = max(1, -(-int(last - first + 1) // 60))
    heaps: dict[int, float] = {}
    for value, share in values:
        heaps[int(value - first) // wide] = heaps.get(int(value - first) // wide, 0.0) + share
    count, top = max(heaps) + 1, max(heaps.values())
    high, left, right = 150.0, 40.0, 20.0
    step = min(40.0, (WIDE - left - right) / count)

    def x(value: float) -> float:
        return left + (value - first) / wide * step

    shapes = [line(left - 4, 20 + high, WIDE - right, 20 + high, ink="line")]
    for heap, share in sorted(heaps.items()):
        tall = share / top * high
        shapes.append(rect(left + heap * step + 0.5, 20 + high - tall, max(0.6, step - 1), tall, fill="stone"))
    for value, name in marks:
        at = x(value) + step / 2
        shapes.append(line(at, 20, at, 20 + high, ink="clay", width=1.6))
        shapes.append(text(name, at, 10, size=11.5, fill="clay", bold=True))
    every = max(1, count // 10)
    for heap in range(0, count, every):
        shapes.append(text(f"{first + heap * wide:,.0f}", left + (heap + 0.5) * step, 20 + high + 12, size=11, fill="muted"))
    shapes.append(text(unit, WIDE - right, 20 + high + 28, size=11.5, fill="muted", align="end"))
    shapes.append(text(f"{100 * top:.0f} %" if top >= 0.01 else f"{100 * top:.1f} %", left - 6, 24, size=11, fill="muted", align="end"))
    return svg(high + 54, what, *shapes)


def heat(rows: int, columns: int, values: Sequence[float], what: str, show: Callable[[float], str]) -> str:
    """A map: darker cells are more frequent; with numbers where there is room."""
    top = max(values, default=0.0) or 1.0
    side = min(46.0, (WIDE - 20) / columns, 460.0 / rows)
    shapes = []
    for k, value in enumerate(values):
        row, column = divmod(k, columns)
        x, y = 10 + column * side, 6 + row * side
        shapes.append(rect(x, y, side - 1, side - 1, fill="board", line="line", width=0.5))
        if value > 0:
            shapes.append(rect(x, y, side - 1, side - 1, fill="clay", opacity=round(0.06 + 0.9 * value / top, 3)))
        if side >= 30:
            shapes.append(text(show(value), x + side / 2, y + side / 2, size=10))
    return svg(rows * side + 12, what, *shapes)


def course(points: Sequence[tuple[float, float, float, float]], what: str, name: str) -> str:
    """A line with its band: (x from 0 to 1, value, low, high), values from 0 to 1."""
    if not points:
        return ""
    high, left, right = 180.0, 44.0, 20.0

    def at(x: float, y: float) -> str:
        return f"{number(round(left + x * (WIDE - left - right), 1))} {number(round(10 + (1 - min(1.0, max(0.0, y))) * high, 1))}"

    band = [at(x, low) for x, _, low, _ in points] + [at(x, top) for x, _, _, top in reversed(points)]
    shapes = [path(f"M{'L'.join(band)}Z", fill="clay-soft"), path(f"M{'L'.join(at(x, y) for x, y, *_ in points)}", line="clay", width=2.4)]
    for share in (0.0, 0.5, 1.0):
        y = 10 + (1 - share) * high
        shapes.insert(0, line(left, y, WIDE - right, y, ink="line", width=1))
        shapes.append(text(f"{100 * share:.0f} %", left - 8, y, size=11, fill="muted", align="end"))
    shapes += [
        text("start", left, high + 24, size=11, fill="muted", align="start"),
        text("end", WIDE - right, high + 24, size=11, align="end"),
    ]
    shapes.append(text(name, WIDE / 2, high + 24, size=11.5, fill="muted"))
    return svg(high + 36, what, *shapes)


def stack(parts: Sequence[tuple[str, float, str]], what: str) -> str:
    """One bar divided into parts that add up to 1: (name, share, colour)."""
    shapes, x, wide = [], 10.0, WIDE - 20
    for name, share, colour in parts:
        shapes.append(rect(x, 6, max(0.5, share * wide - 1), 34, fill=colour))
        if share > 0.12:
            shapes.append(text(f"{name} {100 * share:.0f} %", x + share * wide / 2, 23, size=SIZE, bold=True))
        x += share * wide
    return svg(46, what, *shapes)
