"""Lessons and the pictures in the rules: positions that a game's folder describes, and what happens when a learner moves there.

Everything here is a function of the game's files alone: the same step always looks the same, and nobody's progress is kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rulestone.game import Game
from rulestone.kernel.actions import Move
from rulestone.lesson import Position, Says, Step
from rulestone.match import IllegalMove, Match
from rulestone.table import Face

FENCE = re.compile(r"^```scene\n(.*?)^```$", re.M | re.S)
KEYS = ("seed", "players", "options", "moves", "fields", "seat", "light", "play")


class BrokenLesson(ValueError):
    """A lesson or a picture that cannot be shown; the text says which, and why."""


# ---- positions ------------------------------------------------------------------------------------------------------


def lay(game: Game, position: Position) -> Match:
    """The position as a match."""
    match = game.new(position.seed, position.players, position.options)
    for move in position.moves:
        play(match, move)
    for name, value in position.fields.items():
        if isinstance(value, dict):
            for place, single in value.items():
                getattr(match.state, name)[_place(place)] = single
        else:
            setattr(match.state, name, value)
    if position.fields:
        match.state.told = 0  # what was dealt or played before is not the story of this position
        match.refresh()
    return match


def _place(place: Any) -> Any:
    """An index; in JSON it is text: "3" or "0, 3"."""
    return tuple(int(part) for part in place.split(",")) if isinstance(place, str) else place


def play(match: Match, text: str) -> None:
    """Play a move, with its generator if it names one: "roll @ 123"."""
    move, _, rng = text.partition("@")
    match.play(move.strip(), rng=int(rng) if rng else None)


# ---- lessons --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Shown:
    """A position in a lesson, and how it came about."""

    match: Match
    before: Match | None = None


@dataclass(frozen=True)
class Answer:
    """What a learner's move leads to: what is said, and the positions that follow if it was right."""

    right: bool
    says: str
    follows: tuple[Shown, ...] = ()


class Lesson:
    """The lesson of a game.

    >>> import rulestone
    >>> lesson = Lesson.of(rulestone.load("connect_four"))
    >>> answer = lesson.answer(0, lesson.expected(0)[0])
    >>> answer.right, len(lesson) > 5
    (True, True)
    """

    def __init__(self, game: Game, steps: list[Step]) -> None:
        self.game, self.steps = game, steps
        self.face = Face.of(game)
        self._starts: dict[int, Match] = {}

    @staticmethod
    def of(game: Game) -> Lesson | None:
        """A game's lesson, if it has one: the list STEPS in its `lesson.py`."""
        module = game.lesson
        return None if module is None else Lesson(game, list(module.STEPS))

    def __len__(self) -> int:
        return len(self.steps)

    def start(self, number: int) -> Match:
        """The position a step begins with."""
        if number not in self._starts:
            position = self.steps[number].at
            try:
                self._starts[number] = self._end(number - 1) if position is None else lay(self.game, position)
            except (ValueError, AttributeError, IndexError, TypeError) as problem:
                raise BrokenLesson(f"{self._name(number)} cannot be shown: {problem}") from problem
        return self._starts[number]

    def _end(self, number: int) -> Match:
        if number < 0:
            raise BrokenLesson("the first step needs a position (at=Position(…))")
        expected = self.expected(number)
        return self.answer(number, expected[0]).follows[-1].match if expected else self.start(number)

    def after(self, number: int, move: Move | int | str) -> Lesson:
        """The lesson as it continues after a right move of the learner: the next step begins with what they did, if it continues."""
        follows = self.answer(number, move).follows if number + 1 < len(self) and self.steps[number + 1].at is None else ()
        if not follows:
            return self
        lesson = Lesson(self.game, self.steps)
        lesson._starts = {number: self.start(number), number + 1: follows[-1].match}
        return lesson

    def seat(self, number: int) -> int:
        """Whose eyes the learner has."""
        seat, match = self.steps[number].seat, self.start(number)
        return (match.to_move or 0) if seat is None else seat

    def view(self, number: int, match: Match | None = None) -> Match:
        """What the learner sees."""
        return (match or self.start(number)).view(self.seat(number))

    def expected(self, number: int) -> list[Move]:
        """The moves that are right; none where there is only a text to read."""
        wanted, view = self.steps[number].expect, self.view(number)
        if callable(wanted):
            return [move for move in view.legal() if wanted(view, move)]
        moves = [self.game.actions.decode(self.game.actions.parse(text)) for text in wanted]
        for move in moves:
            if move not in view.legal():
                raise BrokenLesson(f"{self._name(number)} expects '{move}', which is not possible: {view.why(move)}")
        return moves

    def glow(self, number: int) -> list[str]:
        """The things to light up."""
        step, expected = self.steps[number], self.expected(number)
        if step.glow or not expected:
            return list(step.glow)
        return list(self.face.picks(self.view(number), expected[0]))

    def button(self, number: int) -> int | None:
        """The first expected move if nothing on the board stands for it, so that its button can be lit up."""
        expected = self.expected(number)
        return None if not expected or self.face.picks(self.view(number), expected[0]) else self.game.actions.parse(expected[0])

    def answer(self, number: int, move: Move | int | str) -> Answer:
        """What a move of the learner leads to. IllegalMove if it is none, as in a match."""
        step, view = self.steps[number], self.view(number)
        action = self.game.actions.decode(self.game.actions.parse(move))
        why = view.why(action)
        if why is not None:
            raise IllegalMove(why)
        right = action in self.expected(number)
        says = _said(step.right if right else step.wrong, view, action)
        return Answer(right, says, tuple(self._follow(number, action)) if right else ())

    def _follow(self, number: int, move: Move) -> Iterator[Shown]:
        """The positions after a right move, one for each move that is made."""
        step, match = self.steps[number], self.start(number).copy()
        before = match.copy()
        match.play(move, rng=step.rng, player=self.seat(number))
        yield Shown(match.copy(), before)
        for text in step.then(self.view(number), move) if callable(step.then) else step.then:
            before = match.copy()
            try:
                play(match, text)
            except IllegalMove as problem:
                raise BrokenLesson(f"{self._name(number)}: after '{move}' follows '{text}': {problem}") from None
            yield Shown(match.copy(), before)

    def _name(self, number: int) -> str:
        return f"step {number + 1} of the lesson of {self.game.name}"

    def check(self) -> None:
        """Go through the whole lesson; BrokenLesson says what is wrong: a move that isn't possible, a thing that isn't there, a click
        without an answer.
        """
        for number, step in enumerate(self.steps):
            view, expected = self.view(number), self.expected(number)
            if step.expect and not expected:
                raise BrokenLesson(f"{self._name(number)} expects a move, but none is right")
            if view.over and step.expect:
                raise BrokenLesson(f"{self._name(number)} expects a move, but the game is over")
            if not step.text.strip():
                raise BrokenLesson(f"{self._name(number)} has no text")
            for narrow in self.face.layouts():
                drawn = self.face.scene(view, self.seat(number), narrow).inline()
                for id in self.glow(number):
                    if f'id="{id}"' not in drawn:
                        raise BrokenLesson(f"{self._name(number)} lights up {id!r}, which the {'narrow ' * narrow}scene does not have")
            for move in view.legal() if expected else ():
                answer = self.answer(number, move)
                if not answer.says.strip():
                    raise BrokenLesson(f"{self._name(number)} says nothing to '{move}'")
                for shown in answer.follows:
                    self.face.scene(self.view(number, shown.match), self.seat(number))
                if answer.right and number + 1 < len(self):  # every way on leads through the next step
                    self.after(number, move).glow(number + 1)


def _said(says: Says, view: Match, move: Move) -> str:
    """The sentence for a move."""
    if callable(says):
        return says(view, move) or ""
    return says if isinstance(says, str) else says.get(str(move)) or says.get(move.verb) or says.get("", "")


# ---- pictures in the rules ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Picture:
    """A picture in RULES.md: a position with things lit up and, if it shows one, a move."""

    game: Game
    caption: str
    position: Position
    light: tuple[str, ...] = ()
    play: str = ""
    seat: int | None = None

    @cached_property
    def match(self) -> Match:
        return lay(self.game, self.position)

    @property
    def eyes(self) -> int | None:
        """Whose eyes it is seen with."""
        return self.match.to_move if self.seat is None else self.seat

    def view(self, match: Match | None = None) -> Match:
        return (match or self.match).view(self.eyes)

    @cached_property
    def svg(self) -> str:
        """The position as an SVG file."""
        return self.drawn()

    def drawn(self, narrow: bool = False) -> str:
        """The position as an SVG file, in the layout for `narrow` screens if there is one."""
        return Face.of(self.game).scene(self.view(), self.eyes, narrow).document("auto", self.light)

    def played(self) -> Match:
        """The position after the move that the picture shows."""
        after = self.match.copy()
        play(after, self.play)
        return after

    def check(self) -> None:
        """BrokenLesson if it cannot be drawn, lights up what isn't there, or shows a move that isn't possible."""
        try:
            for narrow in Face.of(self.game).layouts():
                drawn = self.drawn(narrow)
                missing = [id for id in self.light if f'id="{id}"' not in drawn]
                if missing:
                    raise BrokenLesson(f"the {'narrow ' * narrow}scene has no {', '.join(map(repr, missing))}")
            if self.play:
                Face.of(self.game).scene(self.view(self.played()), self.eyes)
        except (ValueError, AttributeError, IndexError, TypeError) as problem:
            raise BrokenLesson(f"the picture “{self.caption}” of {self.game.name}: {problem}") from problem


def pictures(game: Game) -> list[Picture]:
    """The pictures in a game's RULES.md, in order."""
    file = game.folder / "RULES.md"
    return [read_picture(game, block) for block in FENCE.findall(file.read_text())] if file.exists() else []


def read_picture(game: Game, block: str) -> Picture:
    """A picture as RULES.md describes it: its caption, then a line for each key.

    >>> import rulestone
    >>> picture = read_picture(rulestone.load("connect_four"), "Red wins.\\nmoves: drop 1, drop 2\\nlight: column-3\\n")
    >>> picture.caption, picture.match.moves, picture.light
    ('Red wins.', [Move('drop 1'), Move('drop 2')], ('column-3',))
    """
    caption, values = [], {}
    for line in block.splitlines():
        key, colon, value = line.partition(":")
        if colon and key in KEYS:
            values[key] = value.strip()
        elif values:
            last = next(reversed(values))
            values[last] += " " + line.strip()  # a long value goes on
        else:
            caption.append(line.strip())
    try:
        data = {key: json.loads(values[key]) for key in ("options", "fields", "players", "seat") if key in values}
    except json.JSONDecodeError as problem:
        raise BrokenLesson(f"a picture in the rules of {game.name} has a line that is not JSON: {problem}") from None
    seed = values.get("seed", "1")
    moves = tuple(move.strip() for move in values.get("moves", "").split(",") if move.strip())
    light = tuple(id.strip() for id in values.get("light", "").split(",") if id.strip())
    position = Position(seed, data.get("players"), data.get("options", {}), moves, data.get("fields", {}))
    return Picture(game, " ".join(caption), position, light, values.get("play", ""), data.get("seat"))


def without_pictures(rules: str) -> str:
    """Rules for readers without pictures: the caption stands for each."""
    return FENCE.sub(lambda match: "> " + re.split(rf"^(?:{'|'.join(KEYS)}):", match[1], maxsplit=1, flags=re.M)[0].strip(), rules)
