"""Hints that say why: the move, the chance it keeps, the runner-up, and a reason where the game has one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rulestone.match import Match
from rulestone.review.judge import LEAST, Judge
from rulestone.review.whole import percent
from rulestone.table import Face

SECONDS = 0.4
WORLDS = 4
"""A hint says that a move wins at once only if it does in this many imagined worlds."""
Weighed = tuple[int, float]
"""An action and the chance it keeps."""


@dataclass(frozen=True)
class Advice:
    """What a bot would do in a view, and why. `chance`, `rival` and `reason` are None where nothing can be said."""

    move: dict[str, Any]
    """As `Face.moves` has it: its action, its label, what to click."""
    chance: float | None = None
    rival: dict[str, Any] | None = None
    rival_chance: float | None = None
    reason: str | None = None

    def sentence(self) -> str:
        """The hint as people read it."""
        if self.chance is None:
            return f"The bot would: {self.move['label']}."
        kept = f"{self.move['label']} keeps {percent(self.chance)}"
        if self.rival is not None and self.rival_chance is not None:
            kept += f"; {self.rival['label']} keeps {percent(self.rival_chance)}"
        return f"{kept}. {self.reason}" if self.reason else f"{kept}."

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        rival = None if self.rival is None else {"label": self.rival["label"], "picks": self.rival["picks"], "chance": self.rival_chance}
        return {**self.move, "chance": self.chance, "rival": rival, "reason": self.reason, "says": self.sentence()}


def weigh(judge: Judge, view: Match, seconds: float = SECONDS, seed: int = 1) -> list[Weighed]:
    """The two best moves of a view with the chances they keep; one without a chance to speak of if there is no choice."""
    for _ in range(1 if judge.rate else 2):  # how fast it is here; the first time something may be compiled
        judge.judge(view, simulations=LEAST, seed=seed)
    found = judge.judge(view, simulations=int(seconds * judge.rate), seed=seed)
    return [(judge.game.actions.parse(one.move), one.chance) for one in found]


def advice(view: Match, weighed: Sequence[Weighed]) -> Advice:
    """The hint that follows from what was weighed; a function of the view alone."""
    face = Face.of(view.game)
    (action, chance), *others = weighed
    words = {entry["action"]: entry for entry in face.moves(view, [view.game.actions.decode(number) for number, _ in weighed])}
    rival = words[others[0][0]] if others else None
    reason = "It wins at once." if wins_at_once(view, action) else face.why(view, view.game.actions.decode(action))
    return Advice(words[action], chance, rival, others[0][1] if others else None, reason)


def wins_at_once(view: Match, action: int) -> bool:
    """Does a move end the game with the best result in all worlds that are tried?"""
    for seed in range(WORLDS):
        world = view.imagine(seed)
        world.play(action, player=view.viewer)
        if not world.over or world.payoff[view.viewer or 0] < 1:
            return False
    return True


def advise(view: Match, judge: Judge | None = None, seconds: float = SECONDS, seed: int = 1) -> Advice:
    """What to do in a view, and why.

    >>> import rulestone
    >>> match = rulestone.load("connect_four").new(seed=7)
    >>> for move in (3, 2, 3, 2, 3):
    ...     events = match.play(move)
    >>> advise(match.view(1)).reason
    'It stops Red from lining up 4. [R4]'
    """
    legal = view.legal_actions()
    if not legal:
        raise ValueError("there is a hint for the player to move, from their view")
    if len(legal) == 1:
        return Advice(Face.of(view.game).moves(view)[0])
    return advice(view, weigh(judge or Judge(view.game), view, seconds, seed))
