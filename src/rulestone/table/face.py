"""A game's face: its `scene.py`, with defaults for everything it leaves out. All results are pure functions of a view."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from rulestone.kernel.actions import Move
from rulestone.kernel.story import Event
from rulestone.table import auto, kit
from rulestone.table.look import hue_of
from rulestone.table.scene import Aids, Part, Scene, Step, View
from rulestone.table.svg import Point

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
    "in_words",
    "spots",
)
RESIGNED, AGREED, CALLED_OFF = "resigned", "agreed", "called off"
LOST = {RESIGNED: "resigned", "time": "ran out of time"}


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
        self.narrow = "scene" in self.hooks and _takes_narrow(self.hooks["scene"])
        """Whether the game has a layout of its own for narrow screens."""
        self.any_order: bool = getattr(module, "ANY_ORDER", False)
        """Whether the things of a move can be clicked in any order."""
        self.aids: Aids | None = module.AIDS if module and "screen" in self.hooks else None
        """The memory aids to choose from, if a person's screen shows less than a player may know."""
        self._hues: dict[int, list[int]] = {}
        self._cited: dict[str, str] = {}

    @staticmethod
    def of(game: Any) -> Face:
        """The face of a game (cached)."""
        if Face not in game.memo:
            game.memo[Face] = Face(game)
        face: Face = game.memo[Face]
        return face

    def scene(self, view: View, seat: int | None, narrow: bool = False) -> Scene:
        """The picture of a position for the player in `seat` (None: a spectator), in the layout for `narrow` screens if there is one."""
        made: Scene = self.hooks.get("scene", auto.scene)(view.before_ended(), seat, **self._layout("scene", narrow))
        return made

    def spots(self, view: View) -> dict[str, Point]:
        """Named points of a spectator's picture where no thing lies yet: for maps (`cells` of a measure)."""
        found = self.hooks["spots"](view) if "spots" in self.hooks else {}
        return dict(found)

    def _layout(self, hook: str, narrow: bool) -> dict[str, bool]:
        """The argument that asks a hook for its narrow layout, if it has one."""
        return {"narrow": True} if narrow and self.narrow and _takes_narrow(self.hooks[hook]) else {}

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
        return (own(view.before_ended(), seat) or "") if own else ""

    def in_words(self, view: View, seat: int | None) -> list[Part]:
        """The position in words, for people who can't see the picture: the game's own, else what its scene says, else its fields."""
        view, own = view.before_ended(), self.hooks.get("in_words")
        if own:
            return [part for part in own(view, seat) if part.lines or part.rows]
        return auto.fields(view) if self.automatic else auto.in_words(view, self.scene(view, seat))

    def rule(self, view: View, moves: Sequence[dict[str, Any]] | None = None) -> str:
        """The number of the rule that applies to what is asked now ("R12"): the first one that the rules cite for a possible move.

        `moves` are the possible moves, if they are already known (as `moves` lists them).
        """
        verbs = (move.verb for move in view.legal()) if moves is None else (str(move["move"]).split()[0] for move in moves)
        return next((cited for verb in verbs if (cited := self.cited(verb))), "")

    def cited(self, verb: str) -> str:
        """The first rule that the docstrings of a verb's functions cite (cached); "" if there is none."""
        if verb not in self._cited:
            docs = (getattr(getattr(self.game.rules, f"{word}_{verb}", None), "__doc__", None) or "" for word in ("do", "may"))
            self._cited[verb] = next((found[0] for doc in docs if (found := re.search(r"\b[RQ]\d+\b", doc))), "")
        return self._cited[verb]

    def unaided(self, view: View, seat: int | None) -> str | None:
        """The prompt for players who have turned reminders off, if it is different."""
        own = self.hooks.get("unaided")
        return own(view, seat) if own and view.to_move is not None and seat == view.to_move else None

    def say(self, view: View, event: Event) -> str:
        """The sentence for an event."""
        view, own = view.before_ended(), self.hooks.get("say")
        return (own(view, event) if own else None) or view.say(event)

    def story(self, view: View) -> list[str]:
        """What happened in the last move, in sentences; and how the game ended, if not by its rules."""
        told = [self.say(view, event) for event in view.before_ended().events]
        return [*told, " ".join(self._ended_early(view))] if view.ended else told

    def steps(self, before: View, after: View, narrow: bool = False) -> list[dict[str, Any]]:
        """How to show what happened between two views: the game's own steps, or one sentence after another by default."""
        after, own = after.before_ended(), self.hooks.get("steps")
        old = len(before.events) if before.ply == after.ply else 0  # already shown before something that the viewer did not notice
        events = after.events[old:]
        made: Sequence[Step] = (
            own(before, after, events, **self._layout("steps", narrow)) if own else [Step(event=k) for k in range(len(events))]
        )
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
        if view.ended:
            return self._ended_early(view)
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

    def _ended_early(self, view: View) -> tuple[str, str]:
        """Who won, and why, if the game ended other than by its rules."""
        if CALLED_OFF in view.ended:
            return ("The game was called off.", "Nobody wins or loses.")
        names = {how: [kit.name(view, seat) for seat in seats] for how, seats in view.ended.items()}
        whys = [f"{kit.listed(names[how], 'and')} {said}." for how, said in LOST.items() if how in names]
        if AGREED in names:
            return ("A draw.", " ".join(["The others agreed on it." if whys else "The players agreed on it.", *whys]))
        by_rules = view.before_ended()
        if by_rules.over:
            whys = [self.ending(by_rules)[1], *whys]
        if self.game.cooperative:
            return ("You lose together.", "You gave up." if len(view.ended.get(RESIGNED, ())) == view.players else " ".join(whys))
        best = max(view.payoff)
        first = [kit.name(view, seat) for seat, paid in enumerate(view.payoff) if paid == best > -1]
        return (f"{kit.listed(first, 'and')} win{'s' if len(first) == 1 else ''}." if first else "Nobody wins.", " ".join(whys))

    def layouts(self) -> tuple[bool, ...]:
        """The layouts there are to check: for wide screens, and for `narrow` ones if the game has one for them."""
        return (False, True) if self.narrow else (False,)

    def rehearse(self, match: Any) -> dict[tuple[int | None, bool], tuple[Scene, str]]:
        """Produce everything a table would show at a position, for all viewers. Errors here would be errors there.

        Returns the scenes and their pictures by viewer and layout (True: narrow).
        """
        drawn = {}
        for viewer in [None, *range(match.players)]:
            view = match.view(viewer)
            for narrow in self.layouts():
                scene = self.scene(view, viewer, narrow)
                drawn[viewer, narrow] = scene, scene.document("auto")
            self.prompt(view, viewer)
            self.goal(view, viewer)
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


def _takes_narrow(hook: Callable[..., Any]) -> bool:
    """Whether a function of a `scene.py` knows narrow screens."""
    return "narrow" in inspect.signature(hook).parameters


def plain_words(move: Move) -> str:
    """A move as a label: "rot_cw 3" is "Rot cw 3"."""
    words = str(move).replace("_", " ")
    return words[:1].upper() + words[1:]
