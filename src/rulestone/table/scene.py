"""A scene: one position as a picture with words. It is made from a view alone, so it can only show what the viewer may know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from html import escape
from typing import Any, NamedTuple, Protocol

from rulestone.kernel.actions import Move
from rulestone.kernel.story import Event
from rulestone.table.look import stylesheet
from rulestone.table.svg import Point, Thing, placing

LIT = "stroke:var(--gold);stroke-width:6px;visibility:visible"
"""How a thing looks that a picture lights up."""


class View(Protocol):
    """What a scene is made from: a `Match` as one viewer may see it."""

    game: Any
    players: int
    state: Any

    ended: dict[str, tuple[int, ...]]

    @property
    def to_move(self) -> int | None: ...
    @property
    def deciders(self) -> frozenset[int]: ...
    @property
    def together(self) -> bool: ...
    @property
    def over(self) -> bool: ...
    @property
    def payoff(self) -> tuple[float, ...]: ...
    @property
    def ply(self) -> int: ...
    @property
    def options(self) -> dict[str, Any]: ...
    @property
    def moves(self) -> list[Move]: ...
    @property
    def events(self) -> list[Event]: ...
    def read(self, name: str) -> Any: ...
    def say(self, event: Event) -> str: ...
    def legal(self) -> list[Move]: ...
    def ask(self, question: Any, *arguments: Any) -> Any: ...
    def why(self, move: Any) -> str | None: ...
    def before_ended(self) -> View: ...


class Card(NamedTuple):
    """What people see when they hover over a thing: its name, what it does in one sentence, and the rule's number ("R17")."""

    name: str
    text: str = ""
    rule: str = ""

    def data(self) -> list[str]:
        """JSON-ready."""
        return list(self)


class Plate(NamedTuple):
    """What a player's plate shows besides name and mark: short lines about their goods, and a badge such as "loses next turn"."""

    lines: tuple[str, ...] = ()
    badge: str = ""

    def data(self) -> dict[str, Any]:
        """JSON-ready."""
        return {"lines": list(self.lines), "badge": self.badge}


class Part(NamedTuple):
    """One part of a position in words: a heading, sentences, and perhaps a table whose first column and first row are heads."""

    title: str
    lines: Sequence[str] = ()
    head: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()

    def data(self) -> dict[str, Any]:
        """JSON-ready."""
        return {"title": self.title, "lines": list(self.lines), "head": list(self.head), "rows": [list(row) for row in self.rows]}


@dataclass(frozen=True)
class Aids:
    """The memory aids of a game in which people have to remember what they have seen.

    `levels` lists them by name (four letters at most) with what they show, from the one that shows nothing to the one that shows
    everything. `together` is the default if several people play, `alone` if one person plays with bots.
    """

    levels: Mapping[str, str]
    together: str
    alone: str

    def __post_init__(self) -> None:
        if not {self.together, self.alone} <= set(self.levels) or max(map(len, self.levels)) > 4:
            raise ValueError(f"memory aids need names of at most four letters, and `together` and `alone` must be among them: {self}")

    def usual(self, people: int) -> str:
        """The default aid for a number of people."""
        return self.alone if people == 1 else self.together

    def all(self, aid: str | None) -> bool:
        """Whether this aid shows everything."""
        return aid == list(self.levels)[-1]


@dataclass(frozen=True)
class Step:
    """One step of showing what happened: things move, things flash, one sentence is highlighted.

    `event` is the index of the event whose sentence is highlighted; `go` maps things to their new places (before the whole new scene
    is shown); `flash` lists the things that flash; `ms` is how long the step takes at the calm speed. `show` has things as they look from
    this step on, until the whole new scene is shown: a card that is turned over and back.
    """

    event: int | None = None
    go: Mapping[str, Point | tuple[float, float, float]] = field(default_factory=dict)
    flash: tuple[str, ...] = ()
    ms: int = 320
    show: tuple[Thing, ...] = ()

    def data(self) -> dict[str, Any]:
        """JSON-ready; places as transforms."""
        places = {id: placing((at[0], at[1]), at[2] if len(at) > 2 else 0) for id, at in self.go.items()}
        shown = {"show": list(self.show)} if self.show else {}
        return {"event": self.event, "go": places, "flash": list(self.flash), "ms": self.ms, **shown}


@dataclass(frozen=True)
class Scene:
    """A picture of things, `width` by `height`, from back to front, with its words."""

    width: float
    height: float
    things: Sequence[Thing]
    title: str
    cards: Mapping[str, Card] = field(default_factory=dict)
    plates: Sequence[Plate] = ()
    panels: bool = False
    """Whether the picture itself shows what each player has. Then the plates show it only when someone clicks on one."""

    @cached_property
    def parts(self) -> dict[str, str]:
        """The things by id, from back to front."""
        parts: dict[str, str] = {thing.id: thing for thing in self.things}
        if len(parts) != len(self.things):
            seen: set[str] = set()
            twice = next(thing.id for thing in self.things if thing.id in seen or seen.add(thing.id))  # type: ignore[func-returns-value]
            raise ValueError(f"two things of the scene have the id {twice!r}")
        return parts

    @cached_property
    def fingerprint(self) -> str:
        """The same for the same things in the same order."""
        return blake2b("".join(self.things).encode(), digest_size=8).hexdigest()

    def data(self) -> dict[str, Any]:
        """JSON-ready, as sent to a browser."""
        return {
            "size": [self.width, self.height],
            "title": self.title,
            "parts": self.parts,
            "order": list(self.parts),
            "cards": {id: card.data() for id, card in self.cards.items()},
            "plates": [plate.data() for plate in self.plates],
            "panels": self.panels,
        }

    def inline(self) -> str:
        """The `<svg>` element for a page that includes the style sheet."""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="scene" viewBox="0 0 {self.width:g} {self.height:g}" role="group" '
            f'aria-label="{escape(self.title, quote=True)}">{"".join(self.things)}</svg>'
        )

    def document(self, theme: str = "light", light: Sequence[str] = ()) -> str:
        """A stand-alone SVG file with its own style sheet; the things with the ids in `light` are lit up."""
        body = "".join(self.things)
        lit = f"{','.join(f'#{id}>:first-child' for id in light)}{{{LIT}}}" if light else ""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" data-theme="{theme}" class="scene alone" '
            f'viewBox="0 0 {self.width:g} {self.height:g}" '
            f'width="{self.width:g}" height="{self.height:g}" role="img" aria-label="{escape(self.title, quote=True)}">'
            f"<title>{escape(self.title)}</title><style>{escape(stylesheet() + lit, quote=False)}</style>"
            f'<rect width="100%" height="100%" class="f-felt"/>{body}</svg>\n'
        )
