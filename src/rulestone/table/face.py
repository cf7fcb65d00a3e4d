"""A game's face: its `scene.py`, with defaults for everything it leaves out. All results are pure functions of a view."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any
from weakref import WeakKeyDictionary

from rulestone.kernel.actions import Move
from rulestone.kernel.story import Event
from rulestone.table import auto, kit
from rulestone.table.look import hue_of
from rulestone.table.scene import Aids, Scene, Step, View

HOOKS = (
    "scene",
    "picks",
    "say_move",
    "prompt",
    "unaided",
    "say",
    "steps",
    "confirm",
    "meant",
    "why_not",
    "why",
    "ending",
    "screen",
    "goal",
)
_faces: WeakKeyDictionary[Any, Face] = WeakKeyDictionary()


class Face:
    """How a game looks and speaks.

    >>> import rulestone
    >>> match = rulestone.load("connect_four").new(seed=7)
    >>> face = Face.of(match.game)
    >>> face.prompt(match.view(0), 0), face.prompt(match.view(1), 1)
    ('Your turn, Red: choose a column.', 'Red is thinking…')
    >>> face.moves(match.view(0))[3]
    {'action': 3, 'move': 'drop 3', 'label': 'Drop into column 4', 'picks': ['column-3'], 'sure': ''}
    """

    def __init__(self, game: Any) -> None:
        module: ModuleType | None = game.scene
        self.game = game
        self.automatic = not hasattr(module, "scene")
        self.hooks: dict[str, Callable[..., Any]] = {} if self.automatic else {n: getattr(module, n) for n in HOOKS if hasattr(module, n)}
        self.same_for_all: bool = self.automatic or getattr(module, "SAME_FOR_ALL", False)
        """Whether the picture is the same for every viewer (then equal views are drawn only once)."""
        self.any_order: bool = getattr(module, "ANY_ORDER", False)
        """Whether the things of a move can be clicked in any order."""
        self.aids: Aids | None = module.AIDS if module and "screen" in self.hooks else None
        """The memory aids to choose from, if a person's screen shows less than a player may know."""
        self._hues: dict[int, list[int]] = {}

    @staticmethod
    def of(game: Any) -> Face:
        """The face of a game (cached)."""
        if game not in _faces:
            _faces[game] = Face(game)
        return _faces[game]

    def scene(self, view: View, seat: int | None) -> Scene:
        """The picture of a position for the player in `seat` (None: a spectator)."""
        made: Scene = self.hooks.get("scene", auto.scene)(view, seat)
        return made

    def moves(self, view: View, only: Sequence[Move] | None = None) -> list[dict[str, Any]]:
        """The legal moves (or `only` some), each with its label, the things to click in order, and a question to confirm it (or "")."""
        label, sure = self.hooks.get("say_move"), self.hooks.get("confirm")
        return [
            {
                "action": self.game.actions.parse(move),
                "move": str(move),
                "label": label(view, move) if label else plain_words(move),
                "picks": list(self.picks(view, move)),
                "sure": (sure(view, move) or "") if sure else "",
            }
            for move in (view.legal() if only is None else only)
        ]

    def prompt(self, view: View, seat: int | None) -> str:
        """One sentence: what the viewer can do now, or who the table is waiting for."""
        if view.to_move is None:
            return self.ending(view)[0]
        name = kit.name(view, view.to_move)
        if seat != view.to_move:
            if not view.together:
                return f"{name} is thinking…"
            names = [kit.name(view, player) for player in sorted(view.deciders)]
            return f"{'You’re ready. ' if seat in range(view.players) else ''}Waiting for {kit.listed(names, 'and')}…"
        own = self.hooks.get("prompt")
        said = own(view, seat) if own else None
        return said or f"Your turn, {name}: {kit.listed(dict.fromkeys(move.verb.replace('_', ' ') for move in view.legal()), 'or')}."

    def picks(self, view: View, move: Move) -> Sequence[str]:
        """The things to click for a move, in order."""
        own = self.hooks.get("picks")
        return own(view, move) if own else ()

    def goal(self, view: View, seat: int | None) -> str:
        """The goal and how things stand for the one who looks, in a short line; "" if the game doesn't say."""
        own = self.hooks.get("goal")
        return (own(view, seat) or "") if own else ""

    def rule(self, view: View) -> str:
        """The number of the rule that applies to what is asked now ("R12"): the first one that the rules cite for a possible move."""
        for verb in dict.fromkeys(move.verb for move in view.legal()):
            for word in ("do", "may"):
                cited = re.search(r"\b[RQ]\d+\b", getattr(getattr(self.game.rules, f"{word}_{verb}", None), "__doc__", None) or "")
                if cited:
                    return cited[0]
        return ""

    def unaided(self, view: View, seat: int | None) -> str | None:
        """The prompt for players who have turned reminders off, if it is different."""
        own = self.hooks.get("unaided")
        return own(view, seat) if own and view.to_move is not None and seat == view.to_move else None

    def say(self, view: View, event: Event) -> str:
        """The sentence for an event."""
        own = self.hooks.get("say")
        return (own(view, event) if own else None) or view.say(event)

    def story(self, view: View) -> list[str]:
        """What happened in the last move, in sentences."""
        return [self.say(view, event) for event in view.events]

    def steps(self, before: View, after: View) -> list[dict[str, Any]]:
        """How to show what happened between two views: the game's own steps, or one sentence after another by default."""
        own = self.hooks.get("steps")
        old = len(before.events) if before.ply == after.ply else 0  # already shown before something that the viewer did not notice
        events = after.events[old:]
        made: Sequence[Step] = own(before, after, events) if own else [Step(event=k) for k in range(len(events))]
        steps = [step.data() for step in made]
        for step in steps:
            if step["event"] is not None:
                step["event"] += old
        return steps

    def why_not(self, view: View, id: str) -> str:
        """Why a thing can't be chosen now: the rules' reason against the move that a click on it stands for, or the scene's sentence."""
        own, meant = self.hooks.get("why_not"), self.hooks.get("meant")
        said = own(view, id) if own else meant(view, id) if meant else None
        return (said if isinstance(said, str) or said is None else view.why(said)) or "You can't choose that now."

    def why(self, view: View, move: Move) -> str | None:
        """A reason for a move in one sentence, where the game has one."""
        own = self.hooks.get("why")
        return own(view, move) if own else None

    def ending(self, view: View) -> tuple[str, str]:
        """Who won, and why, once the game is over."""
        own = self.hooks.get("ending")
        said = own(view) if own else None
        if said:
            return (said[0], said[1])
        best = max(view.payoff)
        first = [kit.name(view, seat) for seat in kit.winners(view.payoff)]
        story = [sentence for sentence in self.story(view) if sentence]
        why = story[-1] if story else ""
        if self.game.cooperative:
            return ("You win together." if best > 0 else "You lose together.", why)
        if len(first) == view.players:
            return ("A draw.", why)
        return (f"{' and '.join(first)} win{'s' if len(first) == 1 else ''}.", why)

    def rehearse(self, match: Any) -> dict[int | None, str]:
        """Produce everything a table would show at a position, for all viewers. Returns the pictures; errors here would be errors there."""
        drawn = {}
        for viewer in [None, *range(match.players)]:
            view = match.view(viewer)
            drawn[viewer] = self.scene(view, viewer).document("auto")
            self.prompt(view, viewer)
            self.moves(view)
            for move in view.legal():
                self.why(view, move)
            self.story(view)
            if view.over:
                self.ending(view)
        return drawn

    def hues(self, players: int) -> list[int]:
        """The number of each seat's colour."""
        if players not in self._hues:
            names = self.names(players)
            self._hues[players] = [hue_of(names, seat) for seat in range(players)]
        return self._hues[players]

    def names(self, players: int) -> list[str]:
        """The players' names."""
        return [self.game.about.name(seat, players) for seat in range(players)]


def plain_words(move: Move) -> str:
    """A move as a label: "rot_cw 3" is "Rot cw 3"."""
    words = str(move).replace("_", " ")
    return words[:1].upper() + words[1:]
