"""Actions: the verbs of a game with the ranges of their arguments, and one number for each possible move.

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

    It equals a plain tuple of the verb and its numbers. In a view, an argument that the viewer can't know is None.

    >>> Move(("move", 2)) == ("move", 2), str(Move(("move", 2)))
    (True, 'move 2')
    """

    text: str
    """The move as people write it, the same as `str(move)`."""

    def __new__(cls, parts: Sequence[Any], text: str | None = None) -> Move:
        move = super().__new__(cls, parts)
        move.text = text if text is not None else " ".join("?" if part is None else str(part) for part in parts)
        return move

    @property
    def verb(self) -> str:
        """The verb, such as "drop"."""
        return str(self[0])

    @property
    def args(self) -> tuple[int | None, ...]:
        """The arguments as numbers."""
        return tuple(self[1:])

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Move({self.text!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (Move, (tuple(self), self.text))


def _plain(word: str) -> str:
    """Return a name as it is compared: in lower case, with underscores for spaces."""
    return word.lower().replace(" ", "_")


@dataclass(frozen=True)
class Slot:
    """One argument of a verb: `count` numbers from `first` on. They can have `names`, and other `words` that mean the same."""

    first: int
    count: int
    names: tuple[str, ...] = ()
    words: tuple[tuple[str, ...], ...] = ()

    @staticmethod
    def of(argument: Argument) -> Slot:
        """Return the slot for an argument as declared in `Actions`: a count, a range or names."""
        if isinstance(argument, bool):
            raise TypeError("an argument must be a count, a range or names, not a bool")
        if isinstance(argument, int):
            return Slot(0, argument)
        if isinstance(argument, range):
            if argument.step != 1:
                raise ValueError(f"the range of an argument must have step 1, not {argument}")
            return Slot(argument.start, len(argument))
        words = tuple(tuple(name.split("/")) for name in (argument.split() if isinstance(argument, str) else argument))
        return Slot(0, len(words), tuple(first for first, *_ in words), tuple(tuple(_plain(word) for word in group) for group in words))

    def show(self, value: int | None) -> str:
        """Return a number as people write it: by name if it has one, "?" if it isn't known."""
        if value is None:
            return "?"
        return self.names[value] if self.names else str(value)

    def read(self, word: int | str) -> int | None:
        """Return the number that a word or number stands for, or None if it isn't valid."""
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
        """Return the valid values as text."""
        return "|".join(self.names) if self.names else f"{self.first}..{self.first + self.count - 1}"


@dataclass(frozen=True)
class Verb:
    """One verb: its name, its arguments and the first of its action numbers."""

    name: str
    slots: tuple[Slot, ...]
    base: int
    count: int

    def decoding(self, action: str, place: int) -> str:
        """Return the source text that computes an argument from an action number."""
        slot, offset = self.slots[place], f"{action} - {self.base}"
        if len(self.slots) == 1:
            return f"{offset} + {slot.first}"
        divisor = 1
        for later in self.slots[place + 1 :]:
            divisor *= later.count
        return f"({offset}) // {divisor} % {slot.count} + {slot.first}"

    def usage(self) -> str:
        """Return the verb with the ranges of its arguments, such as "move 1..16"."""
        return " ".join([self.name, *(slot.range_text() for slot in self.slots)])


class Code(int):
    """A verb as rules and Python code use it; as an int, the number of its first action.

    `ACTIONS.move(2)` is the number of the move "move 2". `ACTIONS.move.includes(action)` is True if an action is such a move, and
    `ACTIONS.move.argument(action)` is its first argument.
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
        """Return whether an action is a move with this verb."""
        return self.verb.base <= action < self.verb.base + self.verb.count

    def argument(self, action: int, place: int = 0) -> int:
        """Return an argument of an action with this verb; `place` 0 is the first."""
        offset = action - self.verb.base
        if len(self.verb.slots) == 1:
            return offset + self.verb.slots[0].first
        for slot in reversed(self.verb.slots[place + 1 :]):
            offset //= slot.count
        return offset % self.verb.slots[place].count + self.verb.slots[place].first


class Actions:
    """All moves of a game, declared as `ACTIONS` and numbered from 0 in the order of declaration.

    Each keyword is a verb (a trailing underscore is dropped, so `pass_` is the verb "pass"). Its value declares the arguments:

    - `()`: none;
    - `7`: one argument 0..6;
    - `range(1, 17)`: one argument 1..16;
    - `"N E S W"`: one argument with names, numbered 0, 1, … in that order. `"Bag/Large_Bag Box"` gives the first value two names;
      it's shown by the first of them;
    - a tuple of these: several arguments. The last one varies fastest.

    `ACTIONS.move(2)` is the number of the move "move 2", inside rules and outside; see `Code` for more.

    >>> actions = Actions(drop=7)
    >>> len(actions), actions.parse("drop 3"), actions.decode(3)
    (7, 3, Move('drop 3'))
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
        self._decoded: dict[tuple[int, int], Move] = {}
        self._numbers: dict[Move, int] = {}
        # What a rule sees: a named tuple of plain numbers. The compiler treats them as constants, and `ACTIONS.move(2)` as arithmetic.
        codes: Any = namedtuple("codes", list(verbs))  # type: ignore[misc]
        self.codes = codes(*(verb.base for verb in self.verbs.values()))
        self.spoken = codes(*map(Code, self.verbs.values()))
        """The same for interpreted rules, in which each number is callable."""

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
        """Return the verb of an action number. Raises ValueError if there is no such action."""
        if not 0 <= action < self._size:
            raise ValueError(f"there is no action {action}; actions are numbered 0..{self._size - 1}")
        return self._by_number[action]

    def encode(self, verb: str, *args: int | str) -> int:
        """Return the action number of a verb and its arguments, given as numbers or names. Raises ValueError if they aren't valid."""
        found = self.verbs.get(verb.lower())
        if found is None:
            raise ValueError(f"there is no move {verb!r}; moves are: {', '.join(self.verbs)}")
        if len(args) != len(found.slots):
            arguments = "1 argument" if len(found.slots) == 1 else f"{len(found.slots)} arguments"
            raise ValueError(f"{verb!r} takes {arguments}, not {len(args)}; usage: {found.usage()}")
        offset = 0
        for slot, word in zip(found.slots, args, strict=True):
            number = slot.read(word)
            if number is None:
                raise ValueError(f"{word!r} is not a valid argument; usage: {found.usage()}")
            offset = offset * slot.count + number - slot.first
        return found.base + offset

    def decode(self, action: int, seen: int = -1) -> Move:
        """Return the move with this number (made once). Raises ValueError if there is none.

        `seen` is a bit mask of what to show: bit 0 is the verb, bit k the k-th argument. What isn't shown is None, or "?" in text.
        """
        move = self._decoded.get((action, seen))
        if move is None:
            move = self._decoded[action, seen] = self._decode(index(action), seen)
            if seen == -1:
                self._numbers[move] = action
        return move

    def _decode(self, action: int, seen: int) -> Move:
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
        """Return the action number of a move given as a Move, a tuple, a number or text. Raises ValueError if it isn't a move."""
        if type(move) is Move and move in self._numbers:
            return self._numbers[move]
        if isinstance(move, str):
            words = move.replace(",", " ").split()
            if len(words) == 1 and words[0].isdecimal():
                return self.parse(int(words[0]))
            if not words:
                raise ValueError(f"the text is empty; moves are: {', '.join(verb.usage() for verb in self)}")
            verb = self.verbs.get(words[0].lower())
            if verb is not None and len(verb.slots) == 1 and len(words) > 1:  # a name of two words
                words[1:] = [" ".join(words[1:])]
            return self.encode(*words)
        if isinstance(move, tuple | list) and move and isinstance(move[0], str):
            return self.encode(move[0], *move[1:])
        try:
            number = move.__index__()
        except AttributeError:
            raise ValueError(f"{move!r} is not a move; use a Move, a tuple, a number or text such as {str(self.decode(0))!r}") from None
        self.verb_of(number)
        return int(number)
