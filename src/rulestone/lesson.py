"""What a game's lesson is written in: the vocabulary of a game's `lesson.py`. See docs/lessons.md.

A lesson is a list of steps. Each lays a position, says a sentence or two, lights things up and waits for a move.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Says = str | Mapping[str, str] | Callable[[Any, Any], str | None]
"""A sentence; or one for each move, or for each verb; or a function of the view and the move. `""` stands for any other move."""


@dataclass(frozen=True)
class Position:
    """A position: a game dealt from a seed, then some moves, then some fields written by hand.

    A field's value is a number, a whole list, or single places: `fields={"height": {3: 2}, "grid": {(0, 3): 1}}`. A move may have its
    generator set, to get the dice that a lesson needs: `"roll @ 123"`.
    """

    seed: int | str = 1
    players: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    moves: Sequence[str] = ()
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Step:
    """One step of a lesson.

    - `text`: a sentence or two, in the player's words.
    - `at`: the position. Without one, the step continues where the step before it ended.
    - `expect`: the moves that are right, or a function of the view and a move. Without any, there is only a text to read.
    - `glow`: the ids of the things to light up; without any, what a click on the first expected move goes through.
    - `right`, `wrong`: what to say after such a move.
    - `then`: moves that follow by themselves after a right one, such as the opponent's reply; or a function of the view and the move.
    - `seat`: whose eyes the learner has (by default the player to move).
    - `rng`: the generator of the expected move, to get the dice that the lesson needs.
    """

    text: str
    at: Position | None = None
    expect: Sequence[str] | Callable[[Any, Any], bool] = ()
    glow: Sequence[str] = ()
    right: Says = "That's it."
    wrong: Says = "You could do that in a real game. For now, try what glows."
    then: Sequence[str] | Callable[[Any, Any], Sequence[str]] = ()
    seat: int | None = None
    rng: int | None = None
