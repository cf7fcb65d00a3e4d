"""The automatic scene: a game's fields as labelled blocks, so that a new game is playable in the browser right away; and in words."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt
from typing import Any

import numpy as np

from rulestone.table import kit
from rulestone.table.scene import Card, Part, Plate, Scene, View
from rulestone.table.svg import group, rect, text, thing

WIDTH, CELL, MARGIN = 980, 30, 18


@dataclass(frozen=True)
class Block:
    """One field as a drawing: its size and its SVG."""

    name: str
    width: float
    height: float
    body: str


def scene(view: View, seat: int | None) -> Scene:
    """Every field that isn't an option, in record order. Rows that belong to seats carry the seats' marks."""
    fields = {name: field for name, field in view.game.layout.own.items() if field.option is None}
    singles, arrays = [], []
    for name in fields:
        value = getattr(view.state, name)
        if isinstance(value, np.ndarray):
            arrays.append(_block(view, name, value))
        else:
            singles.append((name, value))
    things, x, y, tall = [], float(MARGIN), float(MARGIN), 0.0
    for name, value in singles:
        words = f"{name} {value}"
        width = len(words) * 8.2 + 24
        if x + width > WIDTH - MARGIN:
            x, y = float(MARGIN), y + 38
        body = rect(0, 0, width, 30, fill="board", line="line", width=1, round=8) + text(words, width / 2, 15, size=14)
        things.append(thing(f"field-{name}", body, at=(x, y)))
        x += width + 8
    y += 48 if singles else 0
    x = float(MARGIN)
    for block in arrays:
        if x > MARGIN and x + block.width > WIDTH - MARGIN:
            x, y, tall = float(MARGIN), y + tall + 16, 0.0
        things.append(thing(f"field-{block.name}", block.body, at=(x, y)))
        x, tall = x + block.width + 20, max(tall, block.height)
    return Scene(
        width=WIDTH,
        height=y + tall + MARGIN,
        things=things,
        title=f"{view.game.title}, move {view.ply}",
        cards={f"field-{name}": Card(name, field.comment) for name, field in fields.items() if field.comment},
        plates=tuple(Plate() for _ in range(view.players)),
    )


def _block(view: View, name: str, value: np.ndarray[Any, Any]) -> Block:
    """An array as cells: a table has rows, a long list fills a square if it can, any other list is one row, wrapped at the edge."""
    rows = _rows(value)
    columns = max(len(row) for row in rows)
    wide = max((len(str(number)) for row in rows for number in row if number != 255), default=1)
    cell = min(max(CELL, wide * 9 + 10), (WIDTH - 2 * MARGIN - 30) / columns)
    by_seat = value.ndim > 1 and len(rows) == view.game.max_players
    left = 26 if by_seat else 0
    body = [text(name, 0, 9, size=13, fill="muted", align="start")]
    for r, row in enumerate(rows):
        if by_seat and r < view.players:
            body.append(group(kit.mark(kit.hue(view, r), 8), at=(10, 24 + r * CELL + CELL / 2)))
        for c, number in enumerate(row):
            x, y = left + c * cell, 24 + r * CELL
            blank = number in (0, -1, 255)
            body.append(rect(x, y, cell - 2, CELL - 2, fill="felt" if blank else "board", line="line", width=1, round=4))
            if not blank:
                body.append(text(number, x + cell / 2 - 1, y + CELL / 2, size=min(14, cell * 0.5)))
    return Block(name, max(left + columns * cell, len(name) * 8.0), 24 + len(rows) * CELL, "".join(body))


def _rows(value: np.ndarray[Any, Any]) -> list[list[int]]:
    if value.ndim > 1:
        rows: list[list[int]] = value.reshape(-1, value.shape[-1]).tolist()
        return rows
    numbers: list[int] = value.tolist()
    side = isqrt(len(numbers))
    width = side if side * side == len(numbers) and side > 5 else min(len(numbers), 30)
    return [numbers[k : k + width] for k in range(0, len(numbers), width)] or [[]]


def fields(view: View) -> list[Part]:
    """Every field that isn't an option, with its comment from the source."""
    own = {name: field for name, field in view.game.layout.own.items() if field.option is None}
    rows = [(name, shown(getattr(view.state, name)), field.comment) for name, field in own.items()]
    return [Part("The position", head=("Field", "Value", "Meaning"), rows=rows)]


def shown(value: Any) -> str:
    """The value of a field; a table has one line for each row, with a dot for -1."""
    if not isinstance(value, np.ndarray):
        return str(value)
    if value.ndim == 1:
        return " ".join(str(number) for number in value.tolist())
    width = max(len(str(number)) for number in value.flat)
    rows = value.reshape(-1, value.shape[-1]).tolist()
    return "\n".join(" ".join(f"{'·' if number == -1 else number:>{width}}" for number in row) for row in rows)


def in_words(view: View, scene: Scene) -> list[Part]:
    """What a scene says without its picture: its title, what hovering over its things would show, and the players' plates."""
    cards = dict.fromkeys(f"{card.name}: {card.text}" if card.text else card.name for card in scene.cards.values())
    goods = [(seat, [*plate.lines, *([plate.badge] if plate.badge else [])]) for seat, plate in enumerate(scene.plates)]
    return [Part("The board", [f"{scene.title}.", *cards]), *(Part(kit.name(view, seat), lines) for seat, lines in goods if lines)]
