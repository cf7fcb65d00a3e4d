"""How a net sees a game: which numbers of a record it reads, and as what. The same for every game, and measured by watching it.

What never varied is left out. A number that takes few values has one input for each; of others, a number with a declared span is scaled to
0…1 and any other is given as bits. The viewer's own things come first (`Turning`). A row of numbers, such as a hand, a pile or the tiles of
a board, is also given as counts: how often it has each value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rulestone.nets import forward
from rulestone.nets.encoding import Encoding, Turning

if TYPE_CHECKING:
    from rulestone.game import Game

MOST_VALUES = 40
"""A field with more values than this isn't given one input for each."""
WIDEST = 4096
"""The most by which the values of such a field can differ."""
PILE = 6
"""A row of at least this many numbers is also given as counts."""
UNSEEN = frozenset(("to_move", "players"))
"""Fields that say nothing: the viewer is to move, and a net knows one number of players."""
KINDS = ("ranked", "scaled", "bits")


@dataclass(frozen=True)
class Seen:
    """What is seen of one field: as what, its values (if ranked) or smallest and largest value, and which of its numbers."""

    name: str
    kind: str
    values: tuple[int, ...]
    places: tuple[int, ...]

    @property
    def inputs(self) -> int:
        """How many inputs each number has."""
        if self.kind == "ranked":
            return len(self.values)
        return 1 if self.kind == "scaled" else max(1, self.values[1].bit_length())


class Lens:
    """What a net reads of a game's records, with a number of inputs in a fixed order.

    >>> import rulestone
    >>> from rulestone.envs.vector import VectorEnv
    >>> env = VectorEnv("connect_four", games=64, seed=1)
    >>> for _ in range(20):
    ...     env.step(env.sample())
    >>> lens = Lens.measured(env.game, env.players, env.observations, env.to_move)
    >>> [(seen.name, seen.kind) for seen in lens.fields][:3]
    [('ply', 'scaled'), ('grid', 'ranked'), ('height', 'ranked')]
    """

    def __init__(self, fields: Sequence[Seen], players: int, features: int = 0, advised: bool = False) -> None:
        self.fields, self.players, self.features = tuple(fields), players, features
        self.advised = advised
        """Whether it also knows what the game's quick bot would do."""

    @staticmethod
    def measured(
        game: Game, players: int, flat: NDArray[np.int32], viewers: NDArray[Any], features: int = 0, advised: bool = False
    ) -> Lens:
        """Return the lens for a game that was watched: flat vectors, a row each, and who was to move."""
        encoding = Encoding.of(game)
        turned = Turning(game, players)(flat, viewers.astype(np.int64))
        varied = turned.min(axis=0) != turned.max(axis=0)
        fields: list[Seen] = []
        for name, place in encoding.slices.items():
            places = tuple(np.flatnonzero(varied[place]).tolist())
            if name in UNSEEN or not places:
                continue
            values = np.unique(turned[:, place][:, places])
            low, high = int(values[0]), int(values[-1])
            if len(values) <= MOST_VALUES and high - low < WIDEST and name != "ply":
                fields.append(Seen(name, "ranked", tuple(values.tolist()), places))
            elif name == "ply" or encoding.span(name) is not None or low < 0 or high >= 1 << 24:
                fields.append(Seen(name, "scaled", (low, high), places))
            else:
                fields.append(Seen(name, "bits", (low, high), places))
        return Lens(fields, players, features, advised)

    def as_json(self) -> list[Any]:
        """Return the fields as JSON-ready data; numbers next to each other as first and last."""
        return [[seen.name, seen.kind, list(seen.values), _runs(seen.places)] for seen in self.fields]

    @staticmethod
    def from_json(data: Sequence[Any], game: Game, players: int, features: int, advised: bool = False) -> Lens:
        """Return the lens that was stored. Raises ValueError if it isn't one for this game."""
        encoding, fields = Encoding.of(game), []
        for name, kind, values, runs in data:
            place = encoding.slices[name]
            places = tuple(number for first, last in runs for number in range(int(first), int(last) + 1))
            numbers = tuple(int(value) for value in values)
            sensible = (
                numbers == tuple(sorted(set(numbers))) and 0 < len(numbers) <= MOST_VALUES and max(-numbers[0], numbers[-1] + 1) <= 1 << 31
            )
            if kind == "ranked":
                sensible = sensible and numbers[-1] - numbers[0] < WIDEST
            else:
                sensible = sensible and kind in KINDS and len(numbers) == 2
            if not sensible or not places or min(places) < 0 or max(places) >= place.stop - place.start:
                raise ValueError(f"what it says about {name} can't be")
            fields.append(Seen(name, kind, numbers, places))
        return Lens(fields, players, features, advised)

    def piles(self, game: Game, seen: Seen) -> int:
        """Return how long the rows are that are also given as counts; 0 if there are none."""
        kind = game.layout.fields[seen.name].type
        shape = kind.shape[1:] if kind.by_seat else kind.shape
        long = int(np.prod(shape)) if shape else 0
        return long if seen.kind == "ranked" and len(seen.values) > 1 and long >= PILE else 0

    def entries(self, game: Game) -> tuple[NDArray[np.int32], NDArray[np.int64], list[int], int]:
        """Return a description of each number, where it is in the vector, the ranks of all values, and the number of inputs."""
        encoding, turning = Encoding.of(game), Turning(game, self.players)
        rows: list[list[int]] = []
        columns: list[int] = []
        ranks: list[int] = []
        inputs = self.players  # first, which seat the viewer has
        for seen in self.fields:
            place, long = encoding.slices[seen.name], self.piles(game, seen)
            low, high = (0, (1 << seen.inputs) - 1) if seen.kind == "bits" else (seen.values[0], seen.values[-1])
            ranked_at = len(ranks)
            if seen.kind == "ranked":
                ranks += (np.searchsorted(seen.values, np.arange(low, high + 1), side="right") - 1).tolist()
            heaps: dict[int, int] = {}
            for number in seen.places:
                column = place.start + number
                heap = -1
                if long:
                    if number // long not in heaps:
                        heaps[number // long] = inputs
                        inputs += len(seen.values)
                    heap = heaps[number // long]
                where = ranked_at if seen.kind == "ranked" else seen.inputs
                rows.append([KINDS.index(seen.kind), low, high, inputs, where, heap, max(1, long), int(turning.seats[column])])
                columns.append(column)
                inputs += seen.inputs
        inputs += len(game.actions) if self.advised else 0
        return np.array(rows, np.int32).reshape(-1, forward.ENTRY), np.array(columns, np.int64), ranks, inputs + self.features

    def table(self, game: Game) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return the lens as rules read it: the part of the plan about it, and the table that the plan refers to."""
        rows, columns, ranks, inputs = self.entries(game)
        turning = Turning(game, self.players)
        parts: list[NDArray[Any]] = [rows.ravel(), turning.source[:, columns].ravel(), turning.places, np.array(ranks, np.int32)]
        starts = [0, *np.cumsum([len(part) for part in parts]).tolist()]
        ranked = rows[:, forward.KIND] == forward.RANKED
        rows[ranked, forward.RANKS] += starts[3]
        parts[0] = rows.ravel()
        kinds = rows[:, forward.KIND]
        shown = int(np.select([kinds == forward.RANKED, kinds == forward.SCALED], [2, 1], rows[:, forward.RANKS]).sum())
        most = 1 + shown + self.advised + self.features
        plan = np.zeros(forward.PLAN, np.int64)
        plan[forward.SIZE], plan[forward.COLUMNS], plan[forward.SOURCES], plan[forward.PLACES] = len(rows), starts[0], starts[1], starts[2]
        plan[forward.RING], plan[forward.SEAT_AT], plan[forward.FEATURES] = turning.ring, 0, self.features
        plan[forward.FEATURE_AT], plan[forward.INPUTS], plan[forward.MOST] = inputs - self.features, inputs, most
        plan[forward.ADVICE_AT] = inputs - self.features - len(game.actions) if self.advised else -1
        return plan, np.concatenate(parts).astype(np.int32)


def _runs(places: Sequence[int]) -> list[list[int]]:
    """Return ascending numbers as [first, last] of each run of them.

    >>> _runs([0, 1, 2, 5, 7, 8])
    [[0, 2], [5, 5], [7, 8]]
    """
    breaks = [0, *(k + 1 for k, (one, other) in enumerate(pairwise(places)) if other != one + 1), len(places)]
    return [[places[first], places[stop - 1]] for first, stop in pairwise(breaks)]


def tables_of(lenses: Sequence[Lens], game: Game) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return several lenses as rules read them: a plan each, and one table for all."""
    plans, tables, at = [], [], 0
    for lens in lenses:
        plan, table = lens.table(game)
        rows = table[: plan[forward.SIZE] * forward.ENTRY].reshape(-1, forward.ENTRY)
        rows[rows[:, forward.KIND] == forward.RANKED, forward.RANKS] += at
        plan[[forward.COLUMNS, forward.SOURCES, forward.PLACES]] += at
        plans.append(plan)
        tables.append(table)
        at += len(table)
    return np.array(plans, np.int64).reshape(-1, forward.PLAN), np.concatenate([*tables, np.zeros(1, np.int32)])
