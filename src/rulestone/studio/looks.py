"""What the page shows of the workbench, as data."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from rulestone.game import Game, slip
from rulestone.learning import BrokenLesson, Lesson, Picture, pictures
from rulestone.match import Match
from rulestone.patience import Endless, patience
from rulestone.server.frames import Eyes, Frames
from rulestone.studio.bench import Bench, Stumble
from rulestone.studio.problems import Problem
from rulestone.table import Face

MOST_OUTCOMES = 60
"""How many outcomes of a move are listed."""
MOST_TRIED, SEARCHED = 20_000, 1.5
"""How many generators are tried to get an outcome, and for how many seconds."""
WORLDS = 6
"""How many worlds are imagined to see what is hidden from a viewer."""


def frame(bench: Bench, eyes: Eyes, narrow: bool) -> tuple[dict[str, Any], Problem | None]:
    """The position for these eyes as the table shows it. If the game's scene fails: its fields as a picture, and the problem."""
    before = bench.stumbled
    try:
        with bench.watching():
            Face.of(bench.game).scene(bench.match.view(eyes), eyes, narrow)  # `Frames` would only log what goes wrong
            return _frame(Face.of(bench.game), bench.match, eyes, narrow), None
    except Stumble:
        problem, bench.stumbled = bench.stumbled, before
        return _frame(plain(bench.game), bench.match, eyes, narrow), problem


def _frame(face: Face, match: Match, eyes: Eyes, narrow: bool) -> dict[str, Any]:
    frames = Frames(face)
    playing = not match.over and eyes in match.deciders
    return {**frames.frame(match, eyes, "", playing, narrow), "told": frames.story(match, eyes)}


def plain(game: Game) -> Face:
    """The face of a game without its `scene.py`."""
    face = Face(game)
    face.hooks = {}
    return face


def table(bench: Bench, eyes: Eyes | str, narrow: bool) -> dict[str, Any]:
    """Everything the page shows all the time. With the eyes "turn", the position is seen by whoever is to move."""
    with bench.lock:
        match, game, line = bench.match, bench.game, bench.line
        looked = match.to_move if eyes == "turn" or eyes not in [None, *range(match.players)] else eyes
        assert not isinstance(looked, str)
        shown, undrawn = frame(bench, looked, narrow)
        stands = state(bench)
        if undrawn is not None and undrawn != bench.stumbled:
            stands["problems"].append(undrawn.data(bench.folder))
        return {
            "game": {"name": game.name, "title": game.title, "folder": str(bench.folder), "lesson": game.lesson is not None},
            "version": bench.number,
            "change": bench.changes,
            "said": bench.said,
            **stands,
            "frame": shown,
            "names": Face.of(game).names(match.players),
            "hues": Face.of(game).hues(match.players),
            "over": match.over,
            "line": {
                "at": line.at,
                "moments": [
                    {
                        "label": moment.label or moment.move or ("The deal" if place == 0 else "Fields changed by hand"),
                        "player": moment.player if moment.move else None,
                        "rng": str(moment.rng) if moment.by_hand else None,
                    }
                    for place, moment in enumerate(line.moments)
                ],
            },
            "start": {"seed": line.start.seed, "players": line.start.players, "options": dict(line.start.options)},
        }


def state(bench: Bench) -> dict[str, Any]:
    """What is wrong with the files, and how far the checks are."""
    problems = (bench.broken, bench.stumbled, bench.impossible, bench.found)
    return {"problems": [one.data(bench.folder) for one in problems if one], "checks": bench.checks}


# ---- the record ---------------------------------------------------------------------------------------------------------

LEFT_OUT = ("rng", "players", "story", "told")
"""Base fields that can't be written by hand, or say nothing about the position."""
MANY = 200
"""How many refused moves are listed for one reason."""


def editable(game: Game) -> list[str]:
    """The fields that can be written by hand."""
    return [name for name in game.layout.fields if name not in LEFT_OUT and not name.startswith("_")]


def fields(bench: Bench) -> dict[str, Any]:
    """All fields of the record with their values, and from whom each value is hidden (by place, -1 being a spectator)."""
    with bench.lock, bench.watching():
        match, layout = bench.match, bench.game.layout
        secret = hidden(match)
        made = []
        for name in editable(bench.game):
            values = match.array[name][0]
            from_whom: dict[int, list[int]] = {}
            for viewer, blank in secret.items():
                for place in np.flatnonzero(blank[name]).tolist():
                    from_whom.setdefault(place, []).append(viewer)
            field = layout.fields[name]
            made.append(
                {
                    "name": name,
                    "about": field.comment or (field.option.sentence if field.option else ""),
                    "kind": "option" if field.option else "game" if name in layout.own else "base",
                    "shape": list(values.shape),
                    "values": values.reshape(-1).tolist(),
                    "hidden": {str(place): viewers for place, viewers in from_whom.items()},
                }
            )
        return {"fields": made, "rng": str(match.reader.rng)}


def hidden(match: Match) -> dict[int, dict[str, Any]]:
    """For every viewer (-1: a spectator), which places of each field they can't know: blank in their view, or different in worlds that
    they can imagine."""
    if match.game.perfect_information:
        return {}
    secret = {}
    for viewer in [None, *range(match.players)]:
        view = match.view(viewer)
        worlds = [match.array]
        try:
            worlds += [view.imagine(seed=number).array for number in range(WORLDS)]
        except Endless:
            raise
        except Exception:  # no world fits a position that was laid by hand
            pass
        blank = {}
        for name in editable(match.game):
            blank[name] = np.any([np.reshape(world[name][0] != view.array[name][0], -1) for world in worlds], axis=0)
        secret[-1 if viewer is None else viewer] = blank
    return secret


def write(match: Match, name: str, place: int | None, value: float) -> None:
    """Write a value into a field, at a place of it. Raises ValueError if it doesn't fit."""
    if name not in editable(match.game):
        raise ValueError(f"there is no field {name!r} to write to")
    number: float = int(value) if value == int(value) else value
    if name == "to_move" and number not in range(-1, match.players):
        raise ValueError(f"to_move is a player, from 0 to {match.players - 1}, or -1 when the game is over; not {number}")
    old = getattr(match.state, name)
    if not isinstance(old, np.ndarray):
        setattr(match.state, name, number)
        return
    if place is None or not 0 <= place < old.size:
        raise ValueError(f"{name} has {old.size} places, from 0 on; {place} is not one of them")
    whole = old.astype(object)
    whole.flat[place] = number
    setattr(match.state, name, whole)


# ---- moves --------------------------------------------------------------------------------------------------------------


def moves(bench: Bench, player: int | None) -> dict[str, Any]:
    """The moves a player can make now, and all others with the reason why not."""
    with bench.lock, bench.watching():
        match = bench.match
        player = player if player in match.deciders else match.to_move
        if player is None:
            return {"player": None, "legal": [], "refused": []}
        view = match.view(player)
        groups: dict[str, list[str]] = {}
        for move, reason in match.refusals(player).items():
            groups.setdefault(_without(reason, str(move)), []).append(str(move))
        refused = [{"reason": reason, "moves": names[:MANY], "count": len(names)} for reason, names in groups.items()]
        legal = [{"move": move["move"], "label": move["label"]} for move in Face.of(bench.game).moves(view)]
        return {"player": player, "legal": legal, "refused": refused}


def _without(reason: str, move: str) -> str:
    """A reason without the name of the move, so that moves with the same reason stand together."""
    return "You can't play this now." if reason == f"You can't play '{move}' now." else reason.removeprefix(f"{move}: ")


def outcomes(bench: Bench, move: str, player: int | None) -> list[dict[str, Any]]:
    """The ways a move can turn out, the most likely first."""
    with bench.lock, bench.watching():
        match = bench.match
        mover = player if player in match.deciders else match.to_move
        face, made = Face.of(bench.game), []
        for one in match.outcomes(move, MOST_OUTCOMES, mover):
            share = f"{one.probability} ({float(one.probability):.1%})" if one.probability != 1 else "certain"
            made.append({"share": share, "story": face.story(one.match.view(mover))})
        return made


def generator_for(match: Match, move: str, player: int | None, wanted: Match) -> int | None:
    """A generator with which a move leads to a position; None if none is found soon."""
    until, goal = time.perf_counter() + SEARCHED, without_chance(wanted)
    for rng in range(MOST_TRIED):
        if time.perf_counter() > until:
            return None
        trial = match.copy()
        trial.play(move, rng, player)
        if without_chance(trial) == goal:
            return rng
    return None


def without_chance(match: Match) -> bytes:
    """A position as bytes, whatever its generator is."""
    array = match.array.copy()
    array["rng"] = 0
    return array.tobytes()


# ---- what the game teaches ------------------------------------------------------------------------------------------------


def taught(bench: Bench) -> dict[str, Any]:
    """The steps of the lesson and the pictures in the rules; each with what is wrong, if it can't be shown."""
    lesson, found = Lesson.of(bench.game), []
    for number, step in enumerate(lesson.steps if lesson else ()):
        assert lesson is not None
        expects = partial(lambda lesson, number: [str(move) for move in lesson.expected(number)], lesson, number)
        found.append({"text": step.text, **_shown(bench, expects)})
    drawn = [{"text": one.caption, **_shown(bench, partial(_checked, one))} for one in _pictures(bench)]
    return {"steps": found, "pictures": drawn}


def _pictures(bench: Bench) -> list[Picture]:
    try:
        return pictures(bench.game)
    except BrokenLesson:
        return []


def _checked(picture: Picture) -> list[str]:
    picture.check()
    return [picture.play] if picture.play else []


def _shown(bench: Bench, expects: Callable[[], list[str]]) -> dict[str, Any]:
    try:
        with patience.over(bench.folder):
            return {"moves": expects(), "wrong": ""}
    except Exception as problem:
        return {"moves": [], "wrong": slip(bench.game, problem) or str(problem)}


def show_taught(bench: Bench, kind: str, number: int) -> None:
    """Lay the position of a step of the lesson, or of a picture in the rules, as a new game."""
    with bench.watching():
        if kind == "picture":
            match = pictures(bench.game)[number].match
        elif (lesson := Lesson.of(bench.game)) is None or number >= len(lesson):
            raise ValueError("the lesson has no such step")
        else:
            match = lesson.start(number)
    bench.take(match)


def why(bench: Bench, eyes: Eyes | str, thing: str) -> str:
    """Why a thing of the picture can't be chosen now."""
    seat = bench.match.to_move if isinstance(eyes, str) else eyes
    with bench.watching():
        return Face.of(bench.game).why_not(bench.match.view(seat), thing)
