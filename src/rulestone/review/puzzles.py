"""Puzzles: positions in which exactly one move is far better than all others, for what its player knows.

They are found by playing and proved by search. A game's puzzles are kept in a file `puzzles.json` in its folder.
"""

from __future__ import annotations

import hashlib
import json
import random
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rulestone.bots import choose, decide, make
from rulestone.kernel.actions import Move
from rulestone.match import Match, replay
from rulestone.review.judge import Candidate, Judge

if TYPE_CHECKING:
    from rulestone.game import Game

FORMAT, FORMAT_VERSION, FILE = "rulestone.puzzles", 1, "puzzles.json"
GAP = 0.15
"""By how much of the chance the solution must be better than every other move, if nothing else is said."""
GLANCE, PROOF, RIVALS = 600, 24_000, 6
"""Simulations with which a position is screened and proved, and how many moves are compared in the proof."""
LEAST_MOVES = 3
SLIPS = 0.2
"""How often the bots that play the games slip: their opponents then have something to find."""
PROBES = (10, 40, 160, 640)
"""Searches of so many simulations are asked for the solution: the more of them miss it, the harder the puzzle."""


class BadPuzzles(ValueError):
    """A file of puzzles that does not fit its game; the text says which and why."""


@dataclass(frozen=True)
class Puzzle:
    """A position, told as the record of the game that led there, and the one good move in it."""

    id: str
    record: Mapping[str, Any] = field(hash=False)
    player: int
    solution: str
    chance: float
    """The chance that the solution keeps."""
    runner_up: str
    runner_up_chance: float
    difficulty: int
    """1 (even a glance finds it) to 5."""

    def match(self, game: Game) -> Match:
        """The position, as a match. Show people the view of `player` only: the record knows everything."""
        return replay(self.record, game)


def read(path: Path) -> tuple[list[Puzzle], dict[str, Any]]:
    """The puzzles of a file, and what it says about itself."""
    try:
        data = json.loads(path.read_text())
    except ValueError:
        raise BadPuzzles(f"{path} is not JSON") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT or data.get("version") != FORMAT_VERSION:
        raise BadPuzzles(f"{path} does not hold puzzles of version {FORMAT_VERSION}")
    return [Puzzle(**entry) for entry in data.pop("puzzles")], data


def puzzles_of(game: Game) -> list[Puzzle]:
    """The puzzles in a game's folder; none if it has none, or if they were made for other rules."""
    path = game.folder / FILE
    if not path.is_file():
        return []
    found, about = read(path)
    return found if about["rules"] == game.version else []


def write(path: Path, game: Game, found: list[Puzzle], *, seed: int, gap: float = GAP, games: int) -> None:
    """Keep puzzles, and how many games have been searched for them. An interrupted writer leaves the old file."""
    about = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "game": game.name,
        "rules": game.version,
        "seed": seed,
        "gap": gap,
        "games": games,
    }
    part = path.with_suffix(".part")
    part.write_text(json.dumps({**about, "puzzles": [asdict(puzzle) for puzzle in found]}, indent=1) + "\n")
    part.replace(path)


def find(
    game: Game,
    path: Path,
    *,
    count: int = 100,
    seconds: float | None = None,
    seed: int = 1,
    gap: float = GAP,
    glance: int = GLANCE,
    proof: int = PROOF,
    progress: Callable[[int, int], None] = lambda found, games: None,
    stop: threading.Event | None = None,
) -> list[Puzzle]:
    """Play games of bots and keep the puzzles in them in a file, until it has `count`. A file that is there is continued."""
    found: list[Puzzle] = []
    games = 0
    if path.is_file():
        found, about = read(path)
        if (about["game"], about["rules"], about["seed"], about["gap"]) != (game.name, game.version, seed, gap):
            made = f"{about['game']}, rules {about['rules']}, seed {about['seed']}, gap {about['gap']}"
            raise BadPuzzles(f"{path} was made for {made}; choose another file")
        games = about["games"]
    game.warm_up()
    judge, ends = Judge(game), None if seconds is None else time.monotonic() + seconds
    while len(found) < count and not (ends and time.monotonic() >= ends) and not (stop and stop.is_set()):
        fresh = in_game(judge, f"puzzle {seed} {games}", gap=gap, glance=glance, proof=proof)
        found += fresh[: count - len(found)]
        games += 1
        write(path, game, found, seed=seed, gap=gap, games=games)
        progress(len(found), games)
    return found


def in_game(judge: Judge, seed: str, *, gap: float = GAP, glance: int = GLANCE, proof: int = PROOF) -> list[Puzzle]:
    """The puzzles of one game of bots that slip now and then; at most two of them, the hardest, then the clearest."""
    game, chooser = judge.game, random.Random(seed)
    match = game.new(seed, chooser.randint(game.min_players, game.max_players))
    quick = make("greedy", game) if game.greedy is not None else make("mcts:60", game, threads=1)
    found = []
    while (player := match.to_move) is not None:
        view = match.view(player)
        if len(view.legal()) >= LEAST_MOVES:
            first = judge.judge(view, simulations=glance, seed=chooser.getrandbits(60))
            if clear(first, gap / 2) and (proved := prove(judge, view, first[0].move, proof, chooser.getrandbits(60), gap)):
                found.append(puzzle(judge, match.record(), player, view, *proved))
        bot = "random" if chooser.random() < SLIPS else quick
        match.play(choose(view, bot, chooser.getrandbits(60)))
    return sorted(found, key=lambda one: (-one.difficulty, one.runner_up_chance - one.chance))[:2]


def clear(candidates: list[Candidate], gap: float) -> bool:
    """Is the first surely better than all others, by that much?"""
    best, *others = candidates
    return bool(others) and all(best.beats(other) and best.chance - other.chance >= gap for other in others)


def prove(judge: Judge, view: Match, move: Move, simulations: int, seed: int, gap: float = GAP) -> tuple[Candidate, Candidate] | None:
    """The solution and its runner-up, if two large searches agree that this one move is far better than all others."""
    for look in range(2):
        found = judge.judge(view, simulations=simulations, seed=seed + look, rivals=RIVALS)
        if found[0].move != move or not clear(found, gap):
            return None
    return found[0], found[1]


def puzzle(judge: Judge, record: dict[str, Any], player: int, view: Match, best: Candidate, rival: Candidate) -> Puzzle:
    """A position and its solution, with how hard it is to find."""
    missed = sum(decide(view, f"mcts:{probe}", 1).move != best.move for probe in PROBES)
    name = hashlib.sha256(record["checksum"].encode()).hexdigest()[:12]
    chances = round(best.chance, 4), round(rival.chance, 4)
    return Puzzle(name, record, player, str(best.move), chances[0], str(rival.move), chances[1], 1 + missed)


def check(game: Game, path: Path, *, proof: int | None = None, progress: Callable[[int], None] = lambda done: None) -> int:
    """How many puzzles a file holds; BadPuzzles says which one does not fit. With `proof` simulations each is proved again."""
    found, about = read(path)
    if (about["game"], about["rules"]) != (game.name, game.version):
        raise BadPuzzles(f"{path} was made for {about['game']}, rules {about['rules']}; {game.name} has rules {game.version}")
    if len({puzzle.id for puzzle in found}) != len(found):
        raise BadPuzzles(f"{path} holds a puzzle twice")
    judge = Judge(game)
    for number, one in enumerate(found):
        wrong = f"puzzle {one.id} of {path}: "
        try:
            match = one.match(game)
        except ValueError as problem:
            raise BadPuzzles(f"{wrong}{problem}") from None
        if match.to_move != one.player:
            raise BadPuzzles(f"{wrong}player {one.player} is not to move")
        legal = [str(move) for move in match.legal()]
        if len(legal) < LEAST_MOVES or one.solution not in legal or one.runner_up not in legal or one.solution == one.runner_up:
            raise BadPuzzles(f"{wrong}{one.solution!r} and {one.runner_up!r} are not two of its {len(legal)} moves")
        if one.chance - one.runner_up_chance < about["gap"] - 1e-4 or not 1 <= one.difficulty <= 1 + len(PROBES):
            raise BadPuzzles(f"{wrong}its figures do not fit")
        solution = game.actions.decode(game.actions.parse(one.solution))
        if proof and prove(judge, match.view(one.player), solution, proof, number, about["gap"]) is None:
            raise BadPuzzles(f"{wrong}{one.solution!r} is not far better than all other moves")
        progress(1)
    return len(found)
