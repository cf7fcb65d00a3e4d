"""What learners read: flat vectors as they are, scaled to numbers from 0 to 1, or one-hot, from any seat's own point of view.

>>> import rulestone
>>> from rulestone.envs.vector import VectorEnv
>>> env = VectorEnv("connect_four", games=4, seed=1)
>>> seen = Observations(env.game, env.players, env.options, "onehot", relative=True)
>>> seen(env.observations, env.to_move).shape
(4, 224)
>>> seen.names[:5]
['ply=0', 'ply=1', 'ply=2', 'ply=3', 'ply=4']
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulestone.game import Game
from rulestone.nets.encoding import Encoding, Turning

KINDS = ("flat", "float", "onehot", "dict")
MOST_VALUES = 64
"""A field with more values than this is scaled instead of one-hot."""


class Observations:
    """Turns the flat vectors of a game into what one kind of learner reads.

    - `flat`: the numbers of the record, `int32`.
    - `float`: each number scaled to 0…1, `float32`. A field's values besides its span (such as 255 for "nowhere") come first, at 0.
    - `onehot`: each number as zeros and a single one, `float32`; numbers with more than 64 values are scaled if the game declares their
      span, and otherwise given as bits. What can't vary is left out.
    - `dict`: named fields; there is nothing to turn.

    `relative` turns the table so that the viewer's own things come first: in arrays with a row for each seat the viewer has row 0 and the
    next player row 1, and in fields that hold a seat the viewer is 0. It uses what a game declares with `each_seat` and `seat`.
    """

    def __init__(self, game: Game, players: int, options: Mapping[str, Any], kind: str = "flat", relative: bool = False) -> None:
        if kind not in KINDS:
            raise ValueError(f"there is no observation {kind!r}; possible: {', '.join(KINDS)}")
        if relative and kind == "dict":
            raise ValueError("relative observations are flat, float or onehot, not dict")
        self.game, self.players, self.kind, self.relative = game, players, kind, relative
        self.encoding = encoding = Encoding.of(game)
        self.low, self.high = encoding.low.copy(), encoding.high.copy()
        longest = game.longest(players, {**_defaults(game, players), **options})
        self.low[encoding.slices["ply"]], self.high[encoding.slices["ply"]] = 0, longest
        self._measure(longest)
        self._turned = Turning(game, players) if relative else None
        if kind == "onehot":
            self._lay_out()
        self.size = len(self.names) if kind == "onehot" else encoding.size
        """How many numbers an observation has."""
        self.dtype: type[np.generic] = np.int32 if kind == "flat" else np.float32

    def _measure(self, longest: int) -> None:
        """For every number: how many values it has (0: not declared), where they start, and which values come before them."""
        encoding = self.encoding
        self._values = np.zeros(encoding.size, np.int64)
        self._shift = self.low.astype(np.int64)
        self._besides: list[tuple[slice, int, int]] = []
        for name, place in encoding.slices.items():
            declared = ((0, longest), ()) if name == "ply" else encoding.span(name)
            if declared is not None:
                (low, high), besides = declared
                self._values[place] = high - low + 1 + len(besides)
                self._shift[place] = low - len(besides)
                self._besides += [(place, value, number) for number, value in enumerate(besides)]
        width = self.high.astype(np.int64) - self.low
        self.declared = float((self._values > 0).mean())
        """The share of numbers whose range the game declares; the others have the range of their type."""
        self._scale = 1 / np.maximum(1, np.where(self._values > 0, self._values - 1, width))

    def _lay_out(self) -> None:
        """The columns of a one-hot vector."""
        self.names: list[str] = []
        """What each number of a one-hot vector says: `grid[3]=1` (is it?), `turn` (scaled) or `flags.2` (a bit)."""
        hot, first, plain, plain_at = (list[int]() for _ in range(4))
        bit_of, bit, bit_at = (list[int]() for _ in range(3))
        for name, place in self.encoding.slices.items():
            several = place.stop - place.start > 1
            bits = min(32, 8 * self.game.layout.dtype[name].base.itemsize)
            for column in range(place.start, place.stop):
                count, at = int(self._values[column]), len(self.names)
                label = f"{name}[{column - place.start}]" if several else name
                if 2 <= count <= MOST_VALUES:
                    hot.append(column)
                    first.append(at)
                    besides = [value for where, value, _ in self._besides if where == place]
                    spoken = [*besides, *range(int(self._shift[column]) + len(besides), int(self._shift[column]) + count)]
                    self.names += [f"{label}={value}" for value in spoken]
                elif count > MOST_VALUES:
                    plain.append(column)
                    plain_at.append(at)
                    self.names.append(label)
                elif count == 0:
                    bit_of += [column] * bits
                    bit += range(bits)
                    bit_at += range(at, at + bits)
                    self.names += [f"{label}.{number}" for number in range(bits)]
        self._hot, self._first, self._plain, self._plain_at = (np.array(part, np.intp) for part in (hot, first, plain, plain_at))
        self._bit_of, self._bit, self._bit_at = (np.array(part, np.intp) for part in (bit_of, bit, bit_at))

    @property
    def bounds(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """The smallest and largest value of each number of an observation."""
        if self.kind == "flat":
            return self.low, self.high
        return np.zeros(self.size, np.float32), np.ones(self.size, np.float32)

    def __call__(self, flat: NDArray[np.int32], viewer: int | NDArray[Any]) -> NDArray[Any]:
        """Turn flat vectors (or one a row) that a viewer sees (one for all, or one for each row). They may be returned as they are."""
        if self._turned is not None:
            flat = self._turned(flat, viewer)
        if self.kind in ("flat", "dict"):
            return flat
        numbers = flat - self._shift  # 64 bits: an undeclared field can have all 32
        for place, value, number in self._besides:
            part = numbers[..., place]
            part[flat[..., place] == value] = number
        if self.kind == "float":
            return (numbers * self._scale).astype(np.float32)
        made: NDArray[np.float32] = np.zeros((*flat.shape[:-1], self.size), np.float32)
        np.put_along_axis(made, self._first + numbers[..., self._hot], 1, axis=-1)
        made[..., self._plain_at] = numbers[..., self._plain] * self._scale[self._plain]
        made[..., self._bit_at] = (flat[..., self._bit_of] >> self._bit) & 1
        return made


def _defaults(game: Game, players: int) -> dict[str, Any]:
    return {name: option.default_for(players) for name, option in game.options.items()}
