"""Actions: the verbs of a game with their argument ranges, and one flat number for each possible move.

>>> actions = Actions(pass_=(), move=range(1, 17), turn="N E S W", swap=(2, 3))
>>> len(actions)
27
>>> actions.encode("move", 2), actions.encode("turn", "S"), actions.encode("swap", 1, 2)
(2, 19, 26)
>>> actions.decode(19)
Move('turn S')
>>> tuple(actions.decode(19))
('turn', 2)
>>> actions.parse("SWAP 1, 2")
26
>>> actions.swap(1, 2), actions.swap.includes(26), actions.swap.argument(26), actions.swap.argument(26, 1)
(26, True, 1, 2)
>>> Actions(take="Bag/Large_Bag Box").parse("take large bag")
0
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import index
from typing import Any

Argument = int | range | str | Sequence[str]


class Move(tuple[Any, ...]):
    """One move: a tuple `(verb, *arguments)` that prints as people write it.

    It equals, and can be replaced by, a plain tuple of the verb and numbers. An argument that a viewer may not know is None.

    >>> Move(("move", 2)) == ("move", 2), str(Move(("move", 2)))
    (True, 'move 2')
    """

    text: str

    def __new__(cls, parts: Sequence[Any], text: str | None = None) -> Move:
        move = super().__new__(cls, parts)
        move.text = text if text is not None else " ".join("?" if part is None else str(part) for part in parts)
        return move

    @property
    def verb(self) -> str:
        return str(self[0])

    @property
    def args(self) -> tuple[int | None, ...]:
        return tuple(self[1:])

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Move({self.text!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (Move, (tuple(self), self.text))


def _plain(word: str) -> str:
    """A name as it is compared: in lower case, and a blank is as good as an underscore."""
    return word.lower().replace(" ", "_")


@dataclass(frozen=True)
class Slot:
    """One argument of a verb: `count` numbers from `first` on, perhaps with names, and other words that are read for them."""

    first: int
    count: int
    names: tuple[str, ...] = ()
    words: tuple[tuple[str, ...], ...] = ()

    @staticmethod
    def of(argument: Argument) -> Slot:
        if isinstance(argument, bool):
            raise TypeError("an argument is a count, a range or names, not a bool")
        if isinstance(argument, int):
            return Slot(0, argument)
        if isinstance(argument, range):
            if argument.step != 1:
                raise ValueError(f"argument ranges have step 1, not {argument}")
            return Slot(argument.start, len(argument))
        words = tuple(tuple(name.split("/")) for name in (argument.split() if isinstance(argument, str) else argument))
        return Slot(0, len(words), tuple(first for first, *_ in words), tuple(tuple(_plain(word) for word in group) for group in words))

    def show(self, value: int | None) -> str:
        if value is None:
            return "?"
        return self.names[value] if self.names else str(value)

    def read(self, word: int | str) -> int | None:
        """The number a word stands for, or None if it is out of range."""
        if isinstance(word, str):
            for number, words in enumerate(self.words):
                if _plain(word) in words:
                    return number
            try:
                word = int(word)
            except ValueError:
                return None
        try:
            number = index(word)
        except TypeError:
            return None
        return number if self.first <= number < self.first + self.count else None

    def range_text(self) -> str:
        return "|".join(self.names) if self.names else f"{self.first}..{self.first + self.count - 1}"


@dataclass(frozen=True)
class Verb:
    """One verb: its name, its arguments and the first of its action numbers."""

    name: str
    slots: tuple[Slot, ...]
    base: int
    count: int

    def decoding(self, action: str, place: int) -> str:
        """The source text that works out an argument from an action's number."""
        slot, offset = self.slots[place], f"{action} - {self.base}"
        if len(self.slots) == 1:
            return f"{offset} + {slot.first}"
        divisor = 1
        for later in self.slots[place + 1 :]:
            divisor *= later.count
        return f"({offset}) // {divisor} % {slot.count} + {slot.first}"

    def usage(self) -> str:
        return " ".join([self.name, *(slot.range_text() for slot in self.slots)])


class Code(int):
    """The number of a verb's first action. In rules and outside: `ACTIONS.move(2)` is the number of the move "move 2",
    `ACTIONS.move.includes(action)` tells whether an action is such a move, `ACTIONS.move.argument(action)` its (first) argument.
    """

    verb: Verb

    def __new__(cls, verb: Verb) -> Code:
        code = super().__new__(cls, verb.base)
        code.verb = verb
        return code

    def __call__(self, *args: int) -> int:
        if len(self.verb.slots) == 1 == len(args):  # interpreted rules call this often
            return self.verb.base - self.verb.slots[0].first + args[0]
        offset = 0
        for slot, number in zip(self.verb.slots, args, strict=True):
            offset = offset * slot.count + number - slot.first
        return self.verb.base + offset

    def includes(self, action: int) -> bool:
        return self.verb.base <= action < self.verb.base + self.verb.count

    def argument(self, action: int, place: int = 0) -> int:
        offset = action - self.verb.base
        if len(self.verb.slots) == 1:
            return offset + self.verb.slots[0].first
        for slot in reversed(self.verb.slots[place + 1 :]):
            offset //= slot.count
        return offset % self.verb.slots[place].count + self.verb.slots[place].first


class Actions:
    """All moves that can ever occur, numbered from 0 in the order of declaration.

    Each keyword is a verb (a trailing underscore is dropped, so `pass_` is the verb "pass"). Its value says which arguments
    it takes: `()` none, `7` one argument 0..6, `range(1, 17)` one argument 1..16, `"N E S W"` one argument with names
    (numbered 0, 1, … in that order; of `"Bag/Large_Bag Box"` the first has two names, and is shown by the former), or a tuple of
    these for several arguments. The last argument varies fastest.

    Inside a rule and outside, `ACTIONS.move(2)` is the number of the move "move 2"; see `Code` for the rest.
    """

    def __init__(self, **verbs: Any) -> None:
        self.verbs: dict[str, Verb] = {}
        base = 0
        for key, value in verbs.items():
            name = key.rstrip("_")
            parts = (
                value if isinstance(value, tuple) and not (value and all(isinstance(v, str) and " " not in v for v in value)) else (value,)
            )
            slots = tuple(Slot.of(part) for part in parts)
            count = 1
            for slot in slots:
                count *= slot.count
            self.verbs[name] = Verb(name, slots, base, count)
            base += count
        self._size = base
        self._by_number = [verb for verb in self.verbs.values() for _ in range(verb.count)]
        # What a rule sees: a named tuple of plain numbers, which the compiler takes for constants (and `ACTIONS.move(2)` for arithmetic).
        codes: Any = namedtuple("codes", list(verbs))  # type: ignore[misc]
        self.codes = codes(*(verb.base for verb in self.verbs.values()))
        self.spoken = codes(*map(Code, self.verbs.values()))
        """The same for interpreted rules, where each number can be called."""

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Verb]:
        return iter(self.verbs.values())

    def __getattr__(self, name: str) -> Code:
        if name.startswith("__") or name in ("codes", "spoken"):
            raise AttributeError(name)
        return getattr(self.spoken, name)  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return f"Actions({'; '.join(verb.usage() for verb in self)})"

    def verb_of(self, action: int) -> Verb:
        """The verb an action number belongs to."""
        if not 0 <= action < self._size:
            raise ValueError(f"there is no action {action}; actions are numbered 0..{self._size - 1}")
        return self._by_number[action]

    def encode(self, verb: str, *args: int | str) -> int:
        """The action number of a verb with its arguments (numbers, or names where the argument has names)."""
        found = self.verbs.get(verb.lower())
        if found is None:
            raise ValueError(f"there is no move {verb!r}; moves are: {', '.join(self.verbs)}")
        if len(args) != len(found.slots):
            raise ValueError(f"{verb!r} takes {len(found.slots)} argument(s), not {len(args)}: {found.usage()}")
        offset = 0
        for slot, word in zip(found.slots, args, strict=True):
            number = slot.read(word)
            if number is None:
                raise ValueError(f"{word!r} does not fit {verb!r}: {found.usage()}")
            offset = offset * slot.count + number - slot.first
        return found.base + offset

    def decode(self, action: int, seen: int = -1) -> Move:
        """The move with this number. `seen` is a bit mask of what to show: bit 0 the verb, bit k its k-th argument."""
        verb = self.verb_of(action)
        if not seen & 1:
            return Move(("?",))
        offset = action - verb.base
        numbers: list[int | None] = []
        for slot in reversed(verb.slots):
            offset, digit = divmod(offset, slot.count)
            numbers.append(slot.first + digit)
        numbers = [number if seen >> place + 1 & 1 else None for place, number in enumerate(reversed(numbers))]
        shown = [slot.show(number) for slot, number in zip(verb.slots, numbers, strict=True)]
        return Move((verb.name, *numbers), " ".join([verb.name, *shown]))

    def parse(self, move: Any) -> int:
        """The action number of a move given as a Move, a tuple, a number or text."""
        if isinstance(move, str):
            words = move.replace(",", " ").split()
            if len(words) == 1 and words[0].isdecimal():
                return self.parse(int(words[0]))
            if not words:
                raise ValueError(f"an empty text is no move; moves are: {', '.join(verb.usage() for verb in self)}")
            verb = self.verbs.get(words[0].lower())
            if verb is not None and len(verb.slots) == 1 and len(words) > 1:  # a name of two words
                words[1:] = [" ".join(words[1:])]
            return self.encode(*words)
        if isinstance(move, tuple | list) and move and isinstance(move[0], str):
            return self.encode(move[0], *move[1:])
        try:
            number = move.__index__()
        except AttributeError:
            raise ValueError(f"{move!r} is no move; give a Move, a tuple, a number or text such as {str(self.decode(0))!r}") from None
        self.verb_of(number)
        return int(number)
