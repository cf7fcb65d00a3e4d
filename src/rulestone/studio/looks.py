"""What the page shows of the workbench, as data."""

from __future__ import annotations

from typing import Any

from rulestone.game import Game, slip
from rulestone.match import Match
from rulestone.server.frames import Eyes, Frames
from rulestone.studio.bench import Bench
from rulestone.table import Face

WORLDS = 6
"""How many worlds are imagined to see what is hidden from a viewer."""


def frame(bench: Bench, eyes: Eyes, narrow: bool) -> dict[str, Any]:
    """The position for these eyes as the table shows it. If the game's scene fails, the fields are drawn, and the problem is noted."""
    try:
        with bench.watching():
            Face.of(bench.game).scene(bench.match.view(eyes), eyes, narrow)  # `Frames` would only log what goes wrong
            return _frame(Face.of(bench.game), bench.match, eyes, narrow)
    except Exception as problem:
        if slip(bench.game, problem) is None and bench.stumbled is None:
            raise
        return _frame(plain(bench.game), bench.match, eyes, narrow)


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
        bench.clear()
        match, game, line = bench.match, bench.game, bench.line
        looked = match.to_move if eyes == "turn" or eyes not in [None, *range(match.players)] else eyes
        assert not isinstance(looked, str)
        shown = frame(bench, looked, narrow)
        problems = [one.data(bench.folder) for one in (bench.broken, bench.stumbled, bench.impossible) if one]
        return {
            "game": {"name": game.name, "title": game.title, "folder": str(bench.folder), "lesson": game.lesson is not None},
            "version": bench.number,
            "said": bench.said,
            "problems": problems,
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


def why(bench: Bench, eyes: Eyes | str, thing: str) -> str:
    """Why a thing of the picture can't be chosen now."""
    seat = bench.match.to_move if isinstance(eyes, str) else eyes
    with bench.watching():
        return Face.of(bench.game).why_not(bench.match.view(seat), thing)
