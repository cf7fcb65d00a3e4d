"""The story: what happened during a move. Each viewer hears only what they can know.

Rules call `tell(s, EVENTS.name, …)` with up to four numbers. The record keeps the events of the last move, each as a row
(audience, event, a, b, c, d). Further numbers follow with `tell_more`, in rows of their own behind it, so only long events need more
room. `Events` declares the events with a sentence for each.

>>> events = Events(names={"card": ("Ho", "Vert")}, rolls="{who:seat} rolls {die}.", plays="{who:seat} plays {card:card}. [R17]")
>>> events.say(Event("plays", (1, 0)), seats=("Red", "Blue"))
'Blue plays Ho. [R17]'
"""

from __future__ import annotations

import string
from collections import namedtuple
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rulestone.kernel.rule import rule

EVERYBODY = -1
KEPT = 64
AUDIENCE, EVENT, ARGUMENTS, WIDTH = 0, 1, 2, 6
A_ROW = WIDTH - ARGUMENTS
"""How many numbers a row holds."""
MORE = -1
"""Stands in place of the event in rows with further numbers."""


@dataclass(frozen=True)
class Event:
    """One thing that happened during a move. `Match.say` turns it into a sentence."""

    name: str
    """The name of the event, as declared in the game's `EVENTS`."""
    args: tuple[int, ...]
    """Its numbers, in the order of the sentence."""
    audience: int | None = None
    """The only player who knows about it; None if everybody does."""


class Vocabulary:
    """Named sentences with numbers in braces: `{x}` prints the number, `{x:word}` the entry of `names["word"]`."""

    first = 0
    """The number of the first sentence."""
    most = A_ROW
    """How many numbers a sentence can show."""

    def __init__(self, names: Mapping[str, Sequence[str]] | None = None, **sentences: str) -> None:
        self.names = dict(names or {})
        self.sentences = sentences
        self.arguments: dict[str, tuple[str, ...]] = {}
        for name, sentence in sentences.items():
            found = [field for _, field, _, _ in string.Formatter().parse(sentence) if field is not None]
            self.arguments[name] = tuple(dict.fromkeys(found))
            if len(self.arguments[name]) > self.most:
                raise ValueError(f"{name!r} shows more than {self.most} numbers: {sentence}")
        self.order = tuple(sentences)
        codes: Any = namedtuple("codes", self.order)  # type: ignore[misc]
        self.codes = codes(*range(self.first, self.first + len(self.order)))

    def __getattr__(self, name: str) -> int:
        if name.startswith("__") or name == "codes":
            raise AttributeError(name)
        return int(getattr(self.codes, name))

    def __len__(self) -> int:
        return len(self.order)

    def fill(self, name: str, numbers: Sequence[int], seats: Sequence[str]) -> str:
        """Return the sentence of that name with its numbers filled in."""
        words = {"seat": seats, **self.names}
        values = dict(zip(self.arguments[name], [*numbers, *[0] * len(self.arguments[name])], strict=False))
        parts = []
        for text, field, spec, _ in string.Formatter().parse(self.sentences[name]):
            parts.append(text)
            if field is not None:
                parts.append(str(words[spec][values[field]]) if spec else str(values[field]))
        return "".join(parts)


class Events(Vocabulary):
    """The events of a game, declared as `EVENTS`: a name and a sentence each, with the numbers in braces in the order `tell` gets them.

    `{x}` prints the number, `{x:seat}` the name of that seat, `{x:word}` the entry of `names["word"]`. A sentence can end with the rule
    that applied, `[R17]`; tables turn it into a link. Inside a rule, `EVENTS.rolls` is the number of that event.
    """

    most = 4 * A_ROW

    def read(self, rows: Any, told: int) -> list[Event]:
        """Return the events in the rows of a record's story, of which the first `told` are used."""
        events: list[Event] = []
        for row in rows[: min(told, len(rows))].tolist():
            numbers = tuple(row[ARGUMENTS:])
            if row[EVENT] != MORE:
                name = self.order[row[EVENT]]
                events.append(Event(name, numbers[: len(self.arguments[name])], None if row[AUDIENCE] == EVERYBODY else row[AUDIENCE]))
            elif events:
                last = events.pop()
                events.append(replace(last, args=(last.args + numbers)[: len(self.arguments[last.name])]))
        return events

    def say(self, event: Event, seats: Sequence[str]) -> str:
        """Return the sentence for an event. `seats` are the names of the seats."""
        return self.fill(event.name, event.args, seats)


@rule
def tell(s: Any, event: int, a: int = 0, b: int = 0, c: int = 0, d: int = 0) -> None:
    """Add an event to the story of this move, for everybody. `a` to `d` are the numbers its sentence shows.

    >>> from rulestone.kernel import Record
    >>> class State(Record):
    ...     pass
    >>> events, s = Events(rolls="{who:seat} rolls {die}."), State.layout(players=2).new()
    >>> tell(s, events.rolls, 1, 6)
    >>> events.read(s.raw["story"][0], s.told)
    [Event(name='rolls', args=(1, 6), audience=None)]
    """
    tell_only(s, EVERYBODY, event, a, b, c, d)


@rule
def tell_only(s: Any, player: int, event: int, a: int = 0, b: int = 0, c: int = 0, d: int = 0) -> None:
    """Add an event to the story of this move that only one player learns about."""
    n = s.told
    if n < s.story.shape[0]:
        s.story[n, 0] = player
        s.story[n, 1] = event
        s.story[n, 2] = a
        s.story[n, 3] = b
        s.story[n, 4] = c
        s.story[n, 5] = d
    if n < 255:
        s.told = n + 1


@rule
def tell_more(s: Any, a: int = 0, b: int = 0, c: int = 0, d: int = 0) -> None:
    """Give the last event further numbers, up to four at a time. Whoever hears the event hears them, too.

    >>> from rulestone.kernel import Record
    >>> class State(Record):
    ...     pass
    >>> events, s = Events(throws="{who:seat} throws {a}, {b}, {c}, {d} and {e}."), State.layout(players=2).new()
    >>> tell(s, events.throws, 1, 6, 6, 2)
    >>> tell_more(s, 1, 3)
    >>> events.read(s.raw["story"][0], s.told)
    [Event(name='throws', args=(1, 6, 6, 2, 1, 3), audience=None)]
    """
    if s.told > 0:
        tell_only(s, s.story[min(s.told, s.story.shape[0]) - 1, 0], MORE, a, b, c, d)


@rule
def room(s: Any, rows: int = 1) -> bool:
    """Return whether the story has room for `rows` more events. Use it for events that can be left out, so the ending always fits."""
    return bool(s.story.shape[0] - s.told >= rows)


@rule
def hush(s: Any) -> int:
    """Stop adding to the story, in rules that play ahead. Returns a number; pass it to `speak` to continue the story."""
    told: int = s.told
    s.told = 255
    return told


@rule
def speak(s: Any, told: int) -> None:
    """Continue the story after `hush`, which returned `told`."""
    s.told = told


@rule
def forget(s: Any, first: int = 0) -> None:
    """Clear the story, or only its events from number `first` on. The cleared rows are all zeros."""
    for n in range(first, min(s.told, s.story.shape[0])):
        for k in range(WIDTH):
            s.story[n, k] = 0
    s.told = first


@rule
def veil(s: Any, viewer: int) -> None:
    """Hide what is hidden in every game: the generator, and events for others only. Runs after the game's own `hide`."""
    s.rng = 0
    kept = 0
    for n in range(min(s.told, s.story.shape[0])):
        if s.story[n, 0] == EVERYBODY or s.story[n, 0] == viewer:
            for k in range(WIDTH):
                s.story[kept, k] = s.story[n, k]
            kept += 1
    for n in range(kept, s.story.shape[0]):
        for k in range(WIDTH):
            s.story[n, k] = 0
    s.told = kept


# Some viewers don't notice a move (`seen` doesn't show them its verb). What they heard before must still be there for them after that
# move, but nobody else may hear it twice. So before such a move, those rows are moved to the end of the story, behind the rows that `told`
# counts. Their audience is then KEPT + player, or EVERYBODY minus the set of viewers who have heard more since (bit 0 is a spectator, bit 1
# player 0, …).


@rule
def kept_from(s: Any) -> int:
    """Return the number of the first kept row; all rows from there to the end are kept ones."""
    n: int = s.story.shape[0]
    while n > s.told and (s.story[n - 1, 0] < EVERYBODY or s.story[n - 1, 0] >= KEPT):
        n -= 1
    return n


@rule
def keeps_rows(s: Any) -> bool:
    """Return whether there are kept rows. Usually there are none, so this is checked first."""
    last = s.story[s.story.shape[0] - 1, 0]
    return bool(last < EVERYBODY or last >= KEPT)


@rule
def still_for(audience: int, blind: int) -> int:
    """Return the audience of a row after a move that the viewers in the set `blind` don't notice; 0 if nobody needs it any longer."""
    if audience < 0:
        knowing = EVERYBODY - audience
        return EVERYBODY - (knowing | ~blind & 0x7FFF) if blind & ~knowing else 0
    player = audience - KEPT if audience >= KEPT else audience
    return KEPT + player if blind >> (player + 1) & 1 else 0


@rule
def copy_row(s: Any, a: int, b: int) -> None:
    """Copy row a of the story to row b."""
    for k in range(WIDTH):
        s.story[b, k] = s.story[a, k]


@rule
def clear_rows(s: Any, start: int, stop: int) -> None:
    """Set rows start..stop-1 of the story to zeros."""
    for n in range(start, stop):
        for k in range(WIDTH):
            s.story[n, k] = 0


@rule
def keep_for(s: Any, blind: int) -> None:
    """Clear the story, but keep it for the viewers in the set `blind`, who don't notice the next move."""
    size = s.story.shape[0]
    first = kept_from(s)
    place = size
    for n in range(size - 1, first - 1, -1):
        audience = still_for(s.story[n, 0], blind)
        if audience != 0:
            place -= 1
            copy_row(s, n, place)
            s.story[place, 0] = audience
    clear_rows(s, first, place)
    told = min(s.told, first)
    end = size  # kept rows, then from `end` on the new ones, the last of them first
    for n in range(told - 1, -1, -1):
        audience = still_for(s.story[n, 0], blind)
        if audience != 0 and place > n:
            place -= 1
            end -= 1
            for k in range(place, end):
                copy_row(s, k + 1, k)
            copy_row(s, n, end)
            s.story[end, 0] = audience
    clear_rows(s, 0, min(told, place))
    s.told = 0


@rule
def veil_kept(s: Any, viewer: int) -> None:
    """`veil` for a game with unnoticed moves: rows kept for the viewer come before the newer ones."""
    size = s.story.shape[0]
    first = kept_from(s)
    count = 0
    for n in range(min(s.told, first)):
        if s.story[n, 0] == EVERYBODY or s.story[n, 0] == viewer:
            copy_row(s, n, count)
            count += 1
    old = 0
    for n in range(first, size):
        audience = s.story[n, 0]
        if audience == KEPT + viewer or (audience < EVERYBODY and not (EVERYBODY - audience) >> (viewer + 1) & 1):
            event, a, b, c, d = s.story[n, 1], s.story[n, 2], s.story[n, 3], s.story[n, 4], s.story[n, 5]
            for k in range(count, old, -1):
                copy_row(s, k - 1, k)
            s.story[old, 0] = EVERYBODY if audience < EVERYBODY else viewer
            s.story[old, 1] = event
            s.story[old, 2] = a
            s.story[old, 3] = b
            s.story[old, 4] = c
            s.story[old, 5] = d
            old += 1
            count += 1
    clear_rows(s, count, size)
    s.told = count
    s.rng = 0
