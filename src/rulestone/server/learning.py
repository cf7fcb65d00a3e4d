"""Lessons and the pictures in the rules, for the browser. Nothing is kept: every answer follows from the game's files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response
from pydantic import Field

from rulestone.game import once_per_game
from rulestone.learning import Lesson, Picture, Shown, pictures
from rulestone.match import IllegalMove
from rulestone.server.api import Body, RoomsNow
from rulestone.server.frames import Frames
from rulestone.server.refusal import Refused
from rulestone.server.security import PICTURE_POLICY
from rulestone.table import Face

router = APIRouter(tags=["learning"])
lesson_of = once_per_game(Lesson.of)
pictures_of = once_per_game(pictures)


class Try(Body):
    """A learner's move."""

    move: int | str = Field(description="the action's number or its words", union_mode="left_to_right")


Made = Annotated[Sequence[str], Query(description="the learner's moves in the steps just before, the last one last", max_length=12)]


def the_lesson(game: str, rooms: RoomsNow) -> Lesson:
    """A game's lesson."""
    lesson = lesson_of(rooms.game(game))
    if lesson is None:
        raise Refused("no-lesson", f"{rooms.game(game).title} has no lesson.", 404)
    return lesson


def the_step(lesson: Annotated[Lesson, Depends(the_lesson)], step: int) -> int:
    """One of its steps, counted from 0."""
    if not 0 <= step < len(lesson):
        raise Refused("no-step", f"This lesson has steps 0 to {len(lesson) - 1}.", 404)
    return step


def the_lesson_so_far(lesson: Annotated[Lesson, Depends(the_lesson)], step: Annotated[int, Depends(the_step)], made: Made = ()) -> Lesson:
    """A game's lesson as it continues after the learner's moves in the steps just before."""
    if len(made) > step:
        raise Refused("not-understood", f"Before step {step} there are only {step} moves.", 422)
    try:
        for number, move in enumerate(made, step - len(made)):
            lesson = lesson.after(number, move)
    except (IllegalMove, ValueError, TypeError) as problem:
        raise Refused("illegal", str(problem), 422) from None
    return lesson


LessonNow = Annotated[Lesson, Depends(the_lesson_so_far)]
StepNow = Annotated[int, Depends(the_step)]


def _shown(lesson: Lesson, step: int, shown: Shown, narrow: bool) -> dict[str, Any]:
    eyes = lesson.seat(step)
    return Frames.alone(lesson.face, shown.match, eyes, shown.before).whole(shown.match, eyes, str(step), narrow)


@router.get("/api/games/{game}/lesson/{step}")
def read_step(lesson: LessonNow, step: StepNow, narrow: bool = False) -> dict[str, Any]:
    """A step of a game's lesson: what it says, the position, what to light up, and whether it waits for a move.

    With `narrow`, pictures are in the layout for narrow screens.
    """
    return {
        "step": step,
        "of": len(lesson),
        "text": lesson.steps[step].text,
        "glow": lesson.glow(step),
        "button": lesson.button(step),
        "waits": bool(lesson.expected(step)),
        "frame": _shown(lesson, step, Shown(lesson.start(step)), narrow),
    }


@router.post("/api/games/{game}/lesson/{step}")
def try_move(body: Try, lesson: LessonNow, step: StepNow, narrow: bool = False) -> dict[str, Any]:
    """Try a move in a step of a lesson: whether it is right, what the lesson says, and the positions that follow."""
    try:
        answer = lesson.answer(step, body.move)
    except (IllegalMove, ValueError, TypeError) as problem:
        raise Refused("illegal", str(problem), 422) from None
    return {"right": answer.right, "says": answer.says, "follows": [_shown(lesson, step, shown, narrow) for shown in answer.follows]}


@router.get("/api/games/{game}/lesson/{step}/why")
def why(lesson: LessonNow, step: StepNow, thing: Annotated[str, Query(max_length=80)]) -> dict[str, str]:
    """Why a thing can't be chosen in a step of a lesson."""
    return {"why": lesson.face.why_not(lesson.view(step), thing)}


def the_picture(game: str, number: int, rooms: RoomsNow) -> Picture:
    """A picture in a game's rules, counted from 0."""
    found = pictures_of(rooms.game(game))
    if not 0 <= number < len(found):
        raise Refused("no-picture", f"The rules of {rooms.game(game).title} have {len(found)} pictures.", 404)
    return found[number]


PictureNow = Annotated[Picture, Depends(the_picture)]


@router.get("/rules/{game}/pictures/{number}.svg", include_in_schema=False)
def draw(picture: PictureNow, narrow: bool = False) -> Response:
    headers = {"Content-Security-Policy": PICTURE_POLICY, "Cache-Control": "public, max-age=3600"}
    return Response(picture.drawn(narrow), media_type="image/svg+xml", headers=headers)


@router.get("/api/games/{game}/pictures/{number}")
def read_picture(picture: PictureNow, narrow: bool = False) -> dict[str, Any]:
    """A picture in the rules with the move it shows: the position before, and what happens."""
    face, before, eyes = Face.of(picture.game), picture.match, picture.eyes
    shown = [Frames.alone(face, before, eyes).whole(before, eyes, "before", narrow)]
    if picture.play:
        after = picture.played()
        shown.append(Frames.alone(face, after, eyes, before).whole(after, eyes, "after", narrow))
    return {"caption": picture.caption, "light": list(picture.light), "frames": shown}
