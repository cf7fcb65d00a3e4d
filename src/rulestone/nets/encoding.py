"""A record as an observation: one flat vector of integers, or a dictionary of named arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from rulestone.kernel.about import NOBODY
from rulestone.nets.forward import COUNT, FIRST, PART

if TYPE_CHECKING:
    from rulestone.game import Game
    from rulestone.kernel.record import Layout
    from rulestone.match import Match

SECRET = frozenset(("rng", "payoff", "pending", "mixed"))
"""Fields left out of an observation: generators, the payoff (which is the reward), and a count that every view blanks."""
TOLD = frozenset(("told", "story"))
"""The story of the last move. Named observations include it, flat ones do not: rules never read it, and it would be half of the vector."""
PARTS = ("u1", "i1", "u2", "i2", "i4")
"""The types that fields are read as. 32 unsigned bits are read as signed, 64 bits as two halves, the lower one first: no bit is lost."""

_encodings: WeakKeyDictionary[Any, Encoding] = WeakKeyDictionary()


class Encoding:
    """Turns the records of one game into vectors, the same for every layout.

    >>> import rulestone
    >>> encoding = Encoding.of(rulestone.load("connect_four"))
    >>> encoding.size, encoding.slices["grid"], encoding.slices["height"]
    (53, slice(3, 45, None), slice(45, 52, None))
    """

    def __init__(self, game: Game, layout: Layout | None = None) -> None:
        dtype: Any = (layout or game.layout).dtype
        self.game = game
        self.names = [name for name in dtype.names if name not in SECRET and not name.startswith("_") and dtype[name].base.kind in "iu"]
        self.slices: dict[str, slice] = {}
        runs: list[list[int]] = []
        low: list[int] = []
        high: list[int] = []
        for name in self.names:
            if name in TOLD:
                continue
            kind: Any = dtype[name].base
            width = min(kind.itemsize, 4)
            part = PARTS.index("i4" if width == 4 else kind.str[1:])
            offset, count = int(dtype.fields[name][1]), dtype[name].itemsize // width
            if runs and runs[-1][PART] == part and (runs[-1][FIRST] + runs[-1][COUNT]) * width == offset:
                runs[-1][COUNT] += count
            else:
                runs.append([part, offset // width, count, len(low)])
            least, most = self.bounds(name, PARTS[part])
            self.slices[name] = slice(len(low), len(low) + count)
            low += [least] * count
            high += [most] * count
        self.size = len(low)
        self.runs = np.array(runs, np.int32)
        self.low, self.high = np.array(low, np.int32), np.array(high, np.int32)

    def span(self, name: str) -> tuple[tuple[int, int], tuple[int, ...]] | None:
        """The smallest and largest value of a field, and its values besides; None if the game doesn't declare them."""
        about, field = self.game.about, self.game.layout.fields[name]
        if name == "players":
            return (about.min_players, about.max_players), ()
        if name == "to_move":
            return (0, about.max_players - 1), (NOBODY,)
        if field.option is not None and not field.option.length:
            choices = range(len(field.option.names)) if field.option.names else field.option.choices
            return (min(choices), max(choices)), ()
        declared = field.type.span(about.max_players)
        return None if declared is None else (declared, field.type.besides)

    def bounds(self, name: str, part: Any) -> tuple[int, int]:
        """The smallest and largest number that a field can hold, read as a type."""
        declared = self.span(name)
        if declared is None:
            bounds = np.iinfo(part)
            return int(bounds.min), int(bounds.max)
        span, besides = declared
        low, high = min(*span, *besides), max(*span, *besides)
        return low - (low == high), high  # Gymnasium warns about a number that can't vary

    @staticmethod
    def of(game: Game) -> Encoding:
        """The encoding of a game; cached."""
        if game not in _encodings:
            _encodings[game] = Encoding(game)
        return _encodings[game]

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy is the encoding of the game itself."""
        return Encoding.of, (self.game,)

    def parts(self, records: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        """The memory of records, read as each of the PARTS: one row per record."""
        return tuple(records.view(part).reshape(len(records), -1) for part in PARTS)

    def flat(self, record: NDArray[Any] | Match) -> NDArray[np.int32]:
        """A view, or one record (in an array of one), as a vector, for example as input to a trained network.

        >>> import rulestone
        >>> game = rulestone.load("connect_four")
        >>> Encoding.of(game).flat(game.new(seed=1).view(0)).shape
        (53,)
        """
        array: Any = getattr(record, "_array", record)
        vector = np.empty(self.size, np.int32)
        for part, first, count, place in self.runs.tolist():
            vector[place : place + count] = array.view(PARTS[part])[first : first + count]
        return vector

    def named(self, record: NDArray[Any] | Match) -> dict[str, NDArray[Any]]:
        """A view, or one record (in an array of one), as arrays by field name; a single number is an array of one."""
        array: Any = getattr(record, "_array", record)
        return {name: (array[name][0] if array[name].ndim > 1 else array[name]).copy() for name in self.names}


class Turning:
    """Turns the table so that the viewer's own things come first.

    In arrays with a row for each seat the viewer has row 0 and the next player row 1, and in fields that hold a seat the viewer is 0. This
    uses what a game declares with `each_seat` and `seat`.
    """

    def __init__(self, game: Game, players: int) -> None:
        about, encoding = game.about, Encoding.of(game)
        chairs = about.chairs.get(players)
        self.players = players
        self.ring = about.max_players if chairs else players
        """How many seats there are to turn."""
        self.places = np.array(chairs or range(players))
        """The seat of each player."""
        self.source = np.tile(np.arange(encoding.size), (players, 1))
        """For every viewer, where each number comes from."""
        self.seats = np.zeros(encoding.size, np.bool_)
        """Which numbers hold seats."""
        for name, place in encoding.slices.items():
            kind = game.layout.fields[name].type
            self.seats[place] = kind.is_seat
            if kind.by_seat:
                rows = np.arange(place.start, place.stop).reshape(kind.shape[0], -1)
                for viewer, first in enumerate(self.places):
                    turned = rows.copy()
                    turned[: self.ring] = rows[(first + np.arange(self.ring)) % self.ring]
                    self.source[viewer, place] = turned.ravel()
        self._mover = encoding.slices["to_move"].start

    def __call__(self, flat: NDArray[np.int32], viewer: int | NDArray[Any]) -> NDArray[np.int32]:
        """Turn flat vectors (or one a row) that a viewer sees (one for all, or one for each row)."""
        source = self.source[viewer]
        turned = flat[..., source] if source.ndim == 1 else np.take_along_axis(flat, source, axis=-1)
        first = self.places[viewer]
        own = turned[..., self.seats]
        seated = (own >= 0) & (own < self.ring)
        turned[..., self.seats] = np.where(seated, (own - np.expand_dims(first, -1)) % self.ring, own)
        mover = turned[..., self._mover]
        turned[..., self._mover] = np.where(mover >= 0, (mover - viewer) % self.players, mover)
        return turned
