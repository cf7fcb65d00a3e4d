"""What is asked for, and what a game has to print."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from rulestone.components import Board, Box, BrokenComponents, Piece
from rulestone.game import Game, slip
from rulestone.printing.sheets import PAPERS, Paper, room
from rulestone.table import Face

PARTS = ("guide", "reference", "board", "cards", "tiles", "disks", "tokens", "rules")
"""What a PDF can hold, as `--only` names it."""


class CannotPrint(ValueError):
    """It can't be printed like this; the text says why."""


@dataclass(frozen=True)
class Order:
    """What to print, and how: paper, colour, parts (all by default), number of players (all by default) and options."""

    paper: str = "a4"
    mono: bool = False
    only: tuple[str, ...] = ()
    players: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.paper not in PAPERS:
            raise CannotPrint(f"there is no paper {self.paper!r}; choose {' or '.join(PAPERS)}")
        for part in self.only:
            if part not in PARTS:
                raise CannotPrint(f"there is no part {part!r}; choose from {', '.join(PARTS)}")

    @property
    def sheet(self) -> Paper:
        return PAPERS[self.paper]

    def wants(self, part: str) -> bool:
        return not self.only or part in self.only


def box_of(game: Game, order: Order) -> tuple[Box, bool]:
    """Everything to cut out, and whether the game says so itself (in `components.py`); otherwise it is the board as its scene shows it.

    Of each piece there are as many as the number of players that needs most of it.
    """
    module = game.components
    hook: Callable[..., Box] | None = getattr(module, "components", None)
    if module is not None and hook is None:
        raise CannotPrint(f"{game.folder / 'components.py'} needs a function components(players, options) that returns a Box")
    tables = _tables(game, order)
    boxes = [_made(game, hook, players, values) for players, values in tables] if hook else [_shown(game, tables[-1][0], order)]
    counts: dict[Piece, int] = {}
    listed: list[Piece] = []  # as for most players; what only others need comes after what it follows there
    for box in reversed(boxes):
        own: dict[Piece, int] = {}
        for piece in box.pieces:
            single = replace(piece, count=1)
            own[single] = own.get(single, 0) + piece.count
        before = 0
        for single, count in own.items():
            if single not in counts:
                listed.insert(before, single)
            counts[single] = max(count, counts.get(single, 0))
            before = listed.index(single) + 1
    pieces = [replace(piece, count=counts[piece]) for piece in listed if counts[piece]]
    defs = "".join(dict.fromkeys(box.defs for box in boxes))
    return replace(boxes[-1], pieces=tuple(sorted(pieces, key=lambda piece: PARTS.index(piece.part))), defs=defs), hook is not None


def _tables(game: Game, order: Order) -> list[tuple[int, dict[str, Any]]]:
    """The numbers of players to print for, with all options of each."""
    numbers = range(game.min_players, game.max_players + 1) if order.players is None else (order.players,)
    found, refusal = [], ValueError("")
    for players in numbers:
        try:
            record, _ = game.prepared(players, order.options)
            found.append((players, game.option_values(record)))
        except ValueError as problem:  # options that only fit other numbers
            refusal = problem
    if not found:
        raise refusal
    return found


def _made(game: Game, hook: Callable[..., Box], players: int, values: dict[str, Any]) -> Box:
    try:
        box = hook(players, values)
        if not isinstance(box, Box) or not all(isinstance(piece, Piece) and piece.part for piece in box.pieces):
            raise BrokenComponents("it returns a Box of boards, cards, tiles, disks and tokens")
        return box
    except Exception as problem:
        where = slip(game, problem) if not isinstance(problem, BrokenComponents) else None
        raise CannotPrint(where or f"components() of {game.name}: {problem}") from problem


def _shown(game: Game, players: int, order: Order) -> Box:
    """What is printed of a game that doesn't list its pieces: its board, as large as a sheet."""
    try:
        match = game.new(1, players, order.options)
        scene = Face.of(game).scene(match.view(None), None)
    except Exception as problem:
        raise CannotPrint(slip(game, problem) or f"the scene of {game.name} can't be drawn: {problem}") from problem
    wide, high = room(order.sheet)
    scale = min(wide / scene.width, high / scene.height)
    drawn = f'<g transform="translate({-scene.width / 2:g} {-scene.height / 2:g})">{"".join(scene.things)}</g>'
    return Box([Board("Board", 1, drawn, size=(scene.width * scale, scene.height * scale), span=scene.width)])
