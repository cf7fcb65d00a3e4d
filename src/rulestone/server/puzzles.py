"""The puzzle of the day, for every game that has puzzles in its folder. The position leaves as its player may see it, nothing else."""

from __future__ import annotations

import asyncio
import time
from functools import lru_cache
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import Field

from rulestone.game import Game, once_per_game
from rulestone.review.puzzles import Puzzle, puzzles_of
from rulestone.review.whole import percent
from rulestone.server.api import Body, RoomsNow
from rulestone.server.frames import Frames
from rulestone.server.pages import is_narrow, page
from rulestone.server.refusal import Refused
from rulestone.table import Face

DAY = 24 * 3600
router = APIRouter()
known = once_per_game(puzzles_of)
"""The puzzles of a game, read once."""


class Answer(Body):
    move: str = Field(max_length=60, description="the move in words, as the position's `moves` have it; nothing to see the solution")


def of_today(game: Game, now: float | None = None) -> tuple[Puzzle, int]:
    """The puzzle of the day, and the number of the day; they come round when all have had their turn."""
    found, day = known(game), int((time.time() if now is None else now) // DAY)
    if not found:
        raise Refused("no-puzzles", f"{game.title} has no puzzles yet.", 404)
    return found[day % len(found)], day


@lru_cache(64)
def shown(game: Game, puzzle: Puzzle, narrow: bool = False) -> dict[str, Any]:
    """The position of a puzzle as its player sees it, with the moves to choose from."""
    match = puzzle.match(game)
    return Frames.alone(Face.of(game), match, puzzle.player).whole(match, puzzle.player, puzzle.id, narrow)


@lru_cache(64)
def reason(game: Game, puzzle: Puzzle) -> str | None:
    """Why the solution is good, where the game can say it."""
    move = game.actions.decode(game.actions.parse(puzzle.solution))
    return Face.of(game).why(puzzle.match(game).view(puzzle.player), move)


@router.get("/puzzles/{game}", include_in_schema=False)
async def puzzle_page(request: Request, game: str, rooms: RoomsNow) -> Response:
    found = rooms.game(game)
    puzzle, _ = of_today(found)
    width, height = (await asyncio.to_thread(shown, found, puzzle, is_narrow(request)))["scene"]["size"]
    others = [one for one in rooms.games.values() if known(one) and one is not found]
    return page(request, "puzzle.html", game=found, width=width, height=height, others=others)


@router.get("/api/puzzles/{game}", tags=["puzzles"])
async def read_puzzle(game: str, rooms: RoomsNow, narrow: bool = False) -> dict[str, Any]:
    """The puzzle of the day: the position as its player may see it (`narrow`: on a narrow screen), and how hard it is (1 to 5)."""
    found = rooms.game(game)
    puzzle, day = of_today(found)
    return {"id": puzzle.id, "day": day, "difficulty": puzzle.difficulty, "state": await asyncio.to_thread(shown, found, puzzle, narrow)}


@router.post("/api/puzzles/{game}/{id}", tags=["puzzles"])
async def answer(game: str, id: str, body: Answer, rooms: RoomsNow) -> dict[str, Any]:
    """Is this the move? The answer contains the solution once it is found, or if no move is sent."""
    found = rooms.game(game)
    puzzle = next((one for one in known(found) if one.id == id), None)
    if puzzle is None:
        raise Refused("no-such-puzzle", "There is no such puzzle.", 404)
    moves = (await asyncio.to_thread(shown, found, puzzle))["moves"]
    if body.move and body.move not in [move["move"] for move in moves]:
        raise Refused("illegal", "That move isn't possible in this puzzle.", 422)
    if body.move not in ("", puzzle.solution):
        return {"right": False, "says": "There is a much better move. Try again."}
    solution = next(move for move in moves if move["move"] == puzzle.solution)
    rival = next(move["label"] for move in moves if move["move"] == puzzle.runner_up)
    why = await asyncio.to_thread(reason, found, puzzle)
    says = f"{solution['label']} keeps {percent(puzzle.chance)}; {rival} keeps only {percent(puzzle.runner_up_chance)}."
    return {"right": bool(body.move), "says": f"{says} {why}" if why else says, "solution": solution}
