"""Records: a game in progress as one NumPy record of a few hundred bytes.

A game declares its state as a subclass of `Record`, with a type for each field:

>>> class State(Record):
...     '''A small example.'''
...     grid: i8[2, 3]
...     phase: u8
...     speed: u8 = option("slow", ("slow", "fast"), "how fast the pieces move")
>>> layout = State.layout(players=2)
>>> s = layout.new()
>>> s.grid[1, 2] = -1
>>> s.grid[1, 2], s.phase, layout.options["speed"].read("fast")
(-1, 0, 1)
"""

from __future__ import annotations

import ast
import difflib
import inspect
import io
import re
import sys
import textwrap
import tokenize
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulestone.kernel.story import WIDTH

Value = int | str | bool | Sequence[int]


@dataclass(frozen=True)
class Type:
    """The type of a field: `i8` is a signed byte, `i8[6, 7]` a 6 by 7 array of them.

    A field can also say which values it takes, in the truth and in every view. Rules don't need this; learning programs do, and
    `Match.check` holds the field to it.

    >>> height, owner, hands = i8[7].within(0, 6), i8[6, 7].seat(-1), u8[4, 8].each_seat.within(0, 9)
    >>> height.span(players=2), owner.span(players=2), hands.by_seat
    ((0, 6), (0, 1), True)
    """

    code: str
    shape: tuple[int, ...] = ()
    low: int | None = None
    high: int | None = None
    besides: tuple[int, ...] = ()
    """Values outside the span that mean something else, such as 255 for "nowhere"."""
    is_seat: bool = False
    """Whether the values are seats."""
    by_seat: bool = False
    """Whether there is one row for each seat."""

    def __getitem__(self, shape: int | tuple[int, ...]) -> Type:
        return replace(self, shape=shape if isinstance(shape, tuple) else (shape,))

    def within(self, low: int, high: int, *besides: int) -> Type:
        """Return this type for numbers from `low` to `high`, or one of the values `besides`."""
        return replace(self, low=low, high=high, besides=besides)

    def seat(self, *besides: int) -> Type:
        """Return this type for the number of a seat, or one of the values `besides`."""
        return replace(self, is_seat=True, besides=besides)

    @property
    def each_seat(self) -> Type:
        """This type for an array with one row for each seat."""
        return replace(self, by_seat=True)

    def span(self, players: int) -> tuple[int, int] | None:
        """Return the smallest and largest value (without those `besides`) in a game of up to `players` players; None if not declared."""
        if self.is_seat:
            return 0, players - 1
        return None if self.low is None or self.high is None else (self.low, self.high)


i8, i16, i32, i64 = Type("i1"), Type("i2"), Type("i4"), Type("i8")
u8, u16, u32, u64 = Type("u1"), Type("u2"), Type("u4"), Type("u8")
f32 = Type("f4")


@dataclass(frozen=True)
class Option:
    """An option of a game: its name, default, choices and help text. Declare one with `option`.

    `choices` is a sequence or range of numbers, or a tuple of names (stored as 0, 1, …). For an array field it's a mapping from names
    to tuples of numbers, and any other list of that length is allowed too. `default` can be a mapping from numbers of players to values.

    >>> line = Option("line", 4, (4, 3, 5), "how many discs in line win")
    >>> line.read("5"), line.default_for(players=2)
    (5, 4)
    >>> line.read(9)
    Traceback (most recent call last):
    ...
    ValueError: option 'line' can't be 9; allowed: 4, 3, 5
    """

    name: str
    default: Any
    choices: Any
    help: str
    length: int = 0
    title: str = ""
    """A short name. Options that have one are offered to players directly; the others are among a game's further rules."""
    labels: tuple[str, ...] = ()
    """The choices in players' words, in the same order; () if their values are clear enough."""

    def said(self, value: Value) -> str:
        """Return a value in players' words.

        >>> Option("share", 1, (1, 0), "whether you may share a square").said(0)
        'no'
        """
        choices = list(self.choices)
        if self.labels and value in choices:
            return self.labels[choices.index(value)]
        if self.is_question:
            return {"0": "no", "1": "yes", "off": "no", "on": "yes"}.get(str(value), str(value))
        return str(value).replace("_", " ")

    @property
    def is_question(self) -> bool:
        """Whether the choices are just yes and no."""
        return self.help.startswith("whether ") and {str(choice) for choice in self.choices} in ({"0", "1"}, {"no", "yes"}, {"off", "on"})

    @property
    def sentence(self) -> str:
        """What the option is about, in a sentence for players.

        >>> Option("share", 1, (1, 0), "whether you may share a square (Q17)").sentence
        'You may share a square (Q17)'
        >>> Option("line", 4, (4, 3, 5), "how many discs in line win").sentence
        'How many discs in line win'
        """
        said = self.help.removeprefix("whether ") if self.is_question else self.help
        return said[:1].upper() + said[1:]

    def read(self, value: Value) -> int | tuple[int, ...]:
        """Return the stored form of a value given by number or name. Raises ValueError if it isn't allowed."""
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, str) and re.fullmatch(r"-?[0-9]+", value):
            value = int(value)
        if self.length:
            return self._read_list(value)
        if isinstance(value, bool):
            words = ("on", "yes") if value else ("off", "no")
            value = next((word for word in words if word in self.names), int(value))
        if isinstance(value, str) and not self.names:
            value = {"no": 0, "yes": 1, "off": 0, "on": 1, "false": 0, "true": 1}.get(value.lower(), value)
        if isinstance(value, str) and value in self.names:
            return self.names.index(value)
        if isinstance(value, int) and value in (range(len(self.names)) if self.names else self.choices):
            return value
        raise ValueError(f"option {self.name!r} can't be {value!r}; allowed: {self.possible()}")

    def _read_list(self, value: Any) -> tuple[int, ...]:
        if isinstance(value, str) and "," in value:
            value = value.split(",")
        if isinstance(value, str) and value in self.choices:
            return tuple(self.choices[value])
        if isinstance(value, list | tuple) and len(value) == self.length:
            try:
                numbers = tuple(int(number) if isinstance(number, str) else index(number) for number in value)
            except (ValueError, TypeError):
                numbers = (-1,)
            if all(0 <= number <= 255 for number in numbers):
                return numbers
        raise ValueError(f"option {self.name!r} can't be {value!r}; allowed: {self.possible()}")

    def show(self, stored: Any) -> Value:
        """Return a stored value as people write it: by name if it has one."""
        if self.length:
            numbers = tuple(int(number) for number in stored)
            return next((name for name, known in self.choices.items() if tuple(known) == numbers), list(numbers))
        return self.names[int(stored)] if self.names else int(stored)

    def default_for(self, players: int) -> Value:
        """Return the default value for a number of players."""
        return self.default[players] if isinstance(self.default, Mapping) else self.default  # type: ignore[no-any-return]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the choices; empty if they are numbers."""
        return tuple(self.choices) if not self.length and len(self.choices) and isinstance(self.choices[0], str) else ()

    def possible(self) -> str:
        """Return the allowed values as text."""
        if isinstance(self.choices, range):
            return f"{self.choices[0]}..{self.choices[-1]}"
        shown = ", ".join(str(choice) for choice in self.choices)
        return f"{shown}, or a list of {self.length} numbers" if self.length else shown

    def values(self) -> list[Value]:
        """Return the values worth testing: all choices, or the ends and the middle of a long range."""
        if isinstance(self.choices, range) and len(self.choices) > 8:
            return [self.choices[0], self.choices[len(self.choices) // 2], self.choices[-1]]
        return list(self.choices)


@dataclass(frozen=True)
class _Declared:
    default: Any
    choices: Any
    help: str
    name: str | None
    title: str
    labels: tuple[str, ...]


def option(default: Any, choices: Any, help: str, *, name: str | None = None, title: str = "", labels: Sequence[str] = ()) -> Any:
    """Declare a field of a `Record` as an option that people choose before the game.

    `choices` are the allowed values (see `Option`), `help` says what the option does. `default` can be a mapping from the number of
    players to the default. `name` is the option's name if it differs from the field's.

    When people set up a table, options with a `title` are shown; the others are under "More rules". `labels` are the choices in their
    words, one for each. Raises ValueError if their number is wrong.
    """
    if labels and len(labels) != len(choices):
        raise ValueError(f"there are {len(choices)} choices but {len(labels)} labels: {', '.join(labels)}")
    return _Declared(default, choices, help, name, title, tuple(labels))


@dataclass(frozen=True)
class Field:
    """One field of a record, with its comment from the source."""

    name: str
    type: Type
    comment: str = ""
    option: Option | None = None


BASE_FIELDS = ("rng", "ply", "players", "to_move", "told", "payoff", "story")
"""The fields at the start of every record."""
STORY_FIELDS = ("told", "story")
"""The base fields that playouts and search do without; see `silence`."""


class Record:
    """Base class of a game's `State`. Subclasses declare their fields as annotations, such as `grid: i8[6, 7]`.

    Every record starts with the base fields: `rng`, `ply`, `players`, `to_move`, `payoff` and the story.
    """

    rng: u64  # type: ignore[valid-type]  # state of the generator (hidden)
    ply: u32  # type: ignore[valid-type]  # moves made
    players: u8  # type: ignore[valid-type]  # number of players
    to_move: i8  # type: ignore[valid-type]  # who decides, or NOBODY when the game is over

    also: Mapping[str, str] = {}
    """Other names for fields, such as {"cur": "to_move"}."""

    @classmethod
    def layout(cls, players: int, story: int | None = 8, more: Mapping[str, Type] | None = None) -> Layout:
        """Return the memory layout for games of up to `players` players and `story` events per move (None: without a story).

        `more` are fields that the engine adds unless the class declares them. Raises TypeError if a field has no valid type.
        """
        types = (u64, u32, u8, i8, u8, f32[players], i16[story or 0, WIDTH])
        fields = [
            Field(name, type_) for name, type_ in zip(BASE_FIELDS, types, strict=True) if story is not None or name not in STORY_FIELDS
        ]
        comments = _comments(cls)
        scope = vars(sys.modules[cls.__module__]) if cls.__module__ in sys.modules else {}
        for name, type_ in inspect.get_annotations(cls, globals=dict(scope), eval_str=True).items():
            if not isinstance(type_, Type):
                raise TypeError(f"field {name!r} of {cls.__name__} has type {type_!r}; it needs one such as i8 or u8[4]")
            if any(field.name == name for field in fields):
                raise TypeError(f"every record already has a field {name!r}; choose another name")
            declared = cls.__dict__.get(name)
            opt = None
            if isinstance(declared, _Declared):
                length = type_.shape[0] if type_.shape else 0
                opt = Option(
                    declared.name or name, declared.default, declared.choices, declared.help, length, declared.title, declared.labels
                )
            fields.append(Field(name, type_, comments.get(name, ""), opt))
        declared_names = {field.name for field in fields}
        added = [Field(name, type_) for name, type_ in (more or {}).items() if name not in declared_names]
        return Layout([*fields, *added], cls.also, {field.name for field in added})


def _comments(cls: type) -> dict[str, str]:
    """Return the comment behind each field in the class's source."""
    try:
        source = textwrap.dedent(inspect.getsource(cls))
    except (OSError, TypeError):
        return {}
    by_line = {
        token.start[0]: token.string.lstrip("# ").strip()
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    }
    body = ast.parse(source).body[0].body  # type: ignore[attr-defined]
    return {
        node.target.id: by_line[node.end_lineno]
        for node in body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.end_lineno in by_line
    }


class Layout:
    """How a record is laid out in memory, and how interpreted rules read it."""

    def __init__(self, fields: Sequence[Field], also: Mapping[str, str], added: Container[str] = ()) -> None:
        self.fields = {field.name: field for field in fields}
        self.own = {field.name: field for field in fields if field.name not in BASE_FIELDS and field.name not in added}
        """The fields declared by the game itself."""
        self.also = dict(also)
        self.options = {field.option.name: field.option for field in fields if field.option}
        self.option_fields = {field.option.name: field.name for field in fields if field.option}
        self.dtype = _packed(fields)
        integers = [field for field in fields if field.type.code[0] in "iu"]
        # What the compiler widens when read; `rng` keeps its 64 unsigned bits.
        self.whole_scalars = {field.name for field in integers if not field.type.shape and field.name != "rng"}
        self.whole_arrays = {field.name: len(field.type.shape) for field in integers if field.type.shape}
        self.reader = _reader_class(list(fields))

    def new(self) -> Any:
        """Return a new record, all zeros, as interpreted rules read it."""
        return self.reader(self.array(1))

    def no_field(self, name: str) -> str:
        """Return the error message for a field that doesn't exist."""
        close = difflib.get_close_matches(name, self.fields, 1)
        return f"the record has no field {name!r}" + (f"; did you mean {close[0]!r}?" if close else "")

    def stray(self, records: NDArray[Any], players: int) -> str | None:
        """Return which field of which value is outside its declared span, in a game of up to `players` players; None if all are inside."""
        for field in self.fields.values():
            span = field.type.span(players)
            if span is not None:
                values = records[field.name]
                wrong = ((values < span[0]) | (values > span[1])) & ~np.isin(values, field.type.besides)
                if wrong.any():
                    besides = "".join(f" or {value}" for value in field.type.besides)
                    return f"{field.name} is {values[wrong][0]}, not within {span[0]}..{span[1]}{besides}"
        return None

    def array(self, count: int) -> NDArray[Any]:
        """Return an array of `count` records, all zeros."""
        return np.zeros(count, self.dtype)


def _packed(fields: Sequence[Field]) -> np.dtype[Any]:
    """Return an aligned dtype with named gaps: NumPy doesn't copy nameless ones, and records are compared byte for byte."""
    members: list[tuple[str, str, tuple[int, ...]]] = []
    offset = 0
    for field in [*fields, Field("", u64)]:
        gap = -offset % np.dtype(field.type.code).itemsize
        if gap:
            members.append((f"_gap{len(members)}", "u1", (gap,)))
        if field.name:
            members.append((field.name, field.type.code, field.type.shape))
            offset += gap + np.dtype((field.type.code, field.type.shape)).itemsize
    return np.dtype(members, align=True)


class Reader:
    """A record as interpreted rules read it: attributes that return plain Python ints. Each layout has its own subclass."""

    __slots__ = ("raw",)
    raw: NDArray[Any]


def _reader_class(fields: list[Field]) -> Callable[[NDArray[Any]], Any]:
    """Generate the class: memoryviews over the record's bytes, so `s.grid[i, j]` and `s.phase` are ints and cheap."""
    lines = ["class State(Reader):", f"    __slots__ = {tuple(('_' if not f.type.shape else '') + f.name for f in fields)!r}"]
    lines += ["    def __init__(self, raw):", "        self.raw = raw"]
    for field in fields:
        cell = f"memoryview(raw[{field.name!r}])" if not field.type.shape else f"memoryview(raw[{field.name!r}][0])"
        lines.append(f"        self.{'' if field.type.shape else '_'}{field.name} = {cell}")
    for field in fields:
        if not field.type.shape:
            lines += ["    @property", f"    def {field.name}(self): return self._{field.name}[0]"]
            lines += [f"    @{field.name}.setter", f"    def {field.name}(self, value): self._{field.name}[0] = value"]
    scope: dict[str, Any] = {"Reader": Reader}
    exec("\n".join(lines), scope)
    return scope["State"]  # type: ignore[no-any-return]


SCRATCH = 4
"""Number of records for a `greedy` bot: its view, and three to look ahead with."""


class Scratch:
    """Spare records for a bot that looks ahead: `scratch[0] = s` copies a record, `scratch[0]` is the copy. Works as in compiled code."""

    def __init__(self, records: list[Any]) -> None:
        self.records = records

    @staticmethod
    def of(layout: Layout, count: int) -> Scratch:
        """Return `count` new records of a layout."""
        return Scratch([layout.new() for _ in range(count)])

    def __getitem__(self, index: int | slice) -> Any:
        return Scratch(self.records[index]) if isinstance(index, slice) else self.records[index]

    def __setitem__(self, index: int, record: Any) -> None:
        self.records[index].raw[...] = record.raw
