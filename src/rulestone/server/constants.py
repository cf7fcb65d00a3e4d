"""The numbers of a game that guests can change, with their ranges."""

from __future__ import annotations

import re
from typing import Any

from rulestone import variant
from rulestone.game import Game, once_per_game
from rulestone.server.refusal import Refused

MOST_PARTS = 12
"""Tables with more entries aren't offered entry by entry."""
MARKS = (127, 128, 254, 255)
"""Numbers that stand for "none" or "unknown" in a game's code, rather than for something a designer would change."""


@once_per_game
def constants(game: Game) -> list[dict[str, Any]]:
    """The numbers of a game that can be changed, with their ranges: those that a rule gives first, those of its bot last."""
    made = []
    for one in variant.constants(game.folder).values():
        parts = {one.name: one.value}
        if isinstance(one.value, dict) and len(one.value) <= MOST_PARTS:
            parts = {f"{one.name}[{key}]": value for key, value in one.value.items() if re.fullmatch(r"[\w '-]+", str(key))}
        for name, value in parts.items():
            if type(value) in (int, float) and value >= 0 and value not in MARKS:
                printed = one.file == "content.py" and name != one.name  # how many copies of each card, for example
                group = "bot" if one.file == "bot.py" else "rules" if printed or re.match(r"[RQ]\d", one.about) else "more"
                made.append({"name": name, "title": title(name), "value": value, "about": said(one.about), "group": group, **span(value)})
    if not any(one["group"] == "rules" for one in made):
        made = [{**one, "group": "rules" if one["group"] == "more" else one["group"]} for one in made]
    return sorted(made, key=lambda one: ("rules", "more", "bot").index(one["group"]))


def span(value: float) -> dict[str, float]:
    """A sensible range: from nothing to twice as much, and at least to 4.

    >>> span(6), span(1), span(0.5)
    ({'low': 0, 'high': 12, 'step': 1}, {'low': 0, 'high': 4, 'step': 1}, {'low': 0, 'high': 1.0, 'step': 0.05})
    """
    if isinstance(value, float):
        return {"low": 0, "high": 2 * value or 1.0, "step": float(f"{value / 10 or 0.1:.1g}")}
    return {"low": 0, "high": max(4, 2 * value), "step": 1}


def title(name: str) -> str:
    """A constant's name in words.

    >>> title("CARDS_A_TURN"), title("SPECIAL_COPIES[Save Tile]")
    ('Cards a turn', 'Special copies: Save Tile')
    """
    head, _, part = name.rstrip("]").partition("[")
    words = head.replace("_", " ").capitalize()
    return f"{words}: {part}" if part else words


def said(comment: str) -> str:
    """A comment of the code as an explanation, with the rules it names at its end, where the page makes links of them.

    >>> said("R9: Petrification Cards drawn at the start of a turn")
    'Petrification Cards drawn at the start of a turn (R9)'
    """
    found = re.match(r"((?:[RQ]\d+(?:, )?)+):?\s*(.*)", comment)
    if found is None:
        return comment
    return " ".join(filter(None, (found[2], *(f"({rule})" for rule in found[1].split(", ")))))


def check(game: Game, name: str, value: Any) -> None:
    """Raise Refused unless a game has this constant, and it can have this value here."""
    one = next((one for one in constants(game) if one["name"] == name), None)
    if one is None:
        raise refused(f"{game.title} has no constant {name!r} that can be changed here.")
    whole = isinstance(one["value"], int)
    if isinstance(value, bool) or not isinstance(value, int if whole else int | float) or not one["low"] <= value <= one["high"]:
        kind = "a whole number" if whole else "a number"
        raise refused(f"{one['name']} can be {kind} from {one['low']} to {one['high']} here.")


def refused(text: str) -> Refused:
    """A refusal to play a game with these values."""
    return Refused("bad-options", text, 422)
