"""What a game's designer wants counted: the vocabulary of a game's `measures.py`, which the lab reads.

A measure is a few numbers about one game, which small rules write into `out` during play. The lab turns them into means,
distributions and intervals, and relates them to who wins. See docs/lab.md.

>>> measures = Measures(thefts=number("thefts"), ending=choice("how it ends", ("home", "cap")), visits=tally("visits", 25))
>>> measures.thefts, measures.ending, measures.visits, measures.width
(0, 1, 2, 27)
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

Cells = str | Sequence[str | Sequence[str]] | Callable[[Any], Sequence[str | Sequence[str]]]
"""Where the entries of a tally are in the game's picture; see `tally`."""
SEATS = 8
"""Places reserved for a measure that each player has."""


@dataclass(frozen=True)
class Measure:
    """One declared measure. Made by `number`, `yes_no`, `choice`, `tally`, `ratio` and `memory`."""

    kind: str
    label: str
    names: tuple[str, ...] = ()
    shape: tuple[int, int] = (0, 0)
    each: bool = False
    upto: int = 1
    seconds: float = 0
    says: str = ""
    of: tuple[str, str] = ("", "")
    cells: Cells = ""

    @property
    def width(self) -> int:
        """How many places of `out` it takes."""
        if self.kind in ("tally", "memory"):
            return len(self.names)
        return 0 if self.kind == "ratio" else SEATS if self.each else 1


def number(label: str, upto: int = 60, *, each: bool = False, seconds: float = 0, says: str = "") -> Measure:
    """A count or value of 0 or more (negative: does not apply to this game); larger values than `upto` share the distribution's last bin.

    `each`: one per player, at `out[MEASURES.name + player]`. `seconds`: how long people need for one of these (a round, say);
    the lab uses it to estimate how long a game takes. `says`: a sentence for the findings, such as "A game takes {mean} rounds."
    """
    return Measure("number", label, each=each, upto=upto, seconds=seconds, says=says)


def yes_no(label: str, *, each: bool = False, says: str = "") -> Measure:
    """Did it happen (1) or not (0)? Negative: does not apply."""
    return Measure("yes_no", label, ("no", "yes"), each=each, says=says)


def choice(label: str, names: Sequence[str], *, each: bool = False, says: str = "") -> Measure:
    """Which of these was it: 0, 1, … (negative: none)."""
    return Measure("choice", label, tuple(names), each=each, upto=len(names) - 1, says=says)


def tally(label: str, names: int | Sequence[str], *, shape: tuple[int, int] = (0, 0), says: str = "", cells: Cells = "") -> Measure:
    """How often each of several things happened: kinds by name, or spaces by number.

    With a `shape`, it is drawn as a map. With `cells`, the map is drawn on the game's own picture: the id of the thing in its scene that
    stands for each entry, as a pattern with the entry's number (`"tile-{}"`), as a list (several ids for an entry that is in several
    places), or as a function of a view that returns such a list.

    >>> tally("visits", 4, shape=(2, 2)).names
    ('row 1, column 1', 'row 1, column 2', 'row 2, column 1', 'row 2, column 2')
    """
    if not isinstance(names, int):
        entries = tuple(names)
    elif shape[1]:
        entries = tuple(f"row {k // shape[1] + 1}, column {k % shape[1] + 1}" for k in range(names))
    else:
        entries = tuple(str(k) for k in range(names))
    if shape != (0, 0) and shape[0] * shape[1] != len(entries):
        raise ValueError(f"the tally {label!r} has {len(entries)} entries, which do not fill {shape[0]} rows of {shape[1]}")
    if isinstance(cells, Sequence) and not isinstance(cells, str) and len(cells) != len(entries):
        raise ValueError(f"the tally {label!r} has {len(entries)} entries, but {len(cells)} cells")
    return Measure("tally", label, entries, shape, says=says, cells=cells)


def ratio(label: str, of: str, to: str, *, says: str = "") -> Measure:
    """One number measure divided by another, over all games together: busts per second roll, say."""
    return Measure("ratio", label, of=(of, to), says=says)


def memory(places: int = 1) -> Measure:
    """Places of `out` where the rules can remember things; not reported."""
    return Measure("memory", "", ("",) * places)


class Measures:
    """A game's measures by name. Inside a rule, `MEASURES.name` is the (first) place of the measure in `out`."""

    def __init__(self, **measures: Measure) -> None:
        self.all = measures
        self.place: dict[str, int] = {}
        self.width = 0
        for name, measure in measures.items():
            self.place[name] = self.width
            self.width += measure.width
            for part in measure.of if measure.kind == "ratio" else ():
                if part not in measures or measures[part].kind not in ("number", "yes_no") or measures[part].each:
                    raise ValueError(f"the ratio {name!r} needs two number or yes_no measures of the whole game; {part!r} is not one")
        codes: Any = namedtuple("codes", list(measures))  # type: ignore[misc]
        self.codes = codes(*self.place.values())

    def __getattr__(self, name: str) -> int:
        if name.startswith("__") or name == "codes":
            raise AttributeError(name)
        return int(getattr(self.codes, name))
