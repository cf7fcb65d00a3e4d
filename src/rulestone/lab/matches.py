"""Games of bots that think: played as matches, then counted like all others. Their own estimates say how the game swayed."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulestone.bots import Bot, decide, make
from rulestone.game import Game
from rulestone.kernel.chance import MASK, stream
from rulestone.lab.loops import EXAMPLES, NEVER, PLIES, UNIT
from rulestone.lab.plan import Cell
from rulestone.match import Match

SWAYS = ("lead_changes", "drama", "lowest", "comeback", "half_time", "decided")
"""What estimates tell of a game, see `sway`."""
PARTS = 20
"""The course of a game is told in so many parts."""
OBSERVER = "mcts:100"
"""Who estimates the chances where the players themselves do not."""
SURE = 0.9


def bots_for(game: Game, names: Sequence[str]) -> dict[str, Bot]:
    """One bot for each name, thinking on one core: the lab uses the others for other games."""
    return {name: make(name, game, threads=1) for name in dict.fromkeys(names)}


def seed_of(seed: int, game: int) -> str:
    """The seed of the match that is game number `game` of a study: the same in every cell."""
    return f"lab {seed} {game}"


def play_match(
    game: Game, cell: Cell, number: int, seed: int, bots: Mapping[str, Bot], observer: Bot | None = None
) -> tuple[Match, list[tuple[int, tuple[float, ...]]]]:
    """One game of the line-up, and what was expected for every player at each decision: (ply, payoffs)."""
    match = game.new(seed_of(seed, number), cell.players, cell.options)
    turned = number % cell.players if cell.mixed else 0
    expected: list[tuple[int, tuple[float, ...]]] = []
    mind = int(stream(stream(seed & MASK, number) & MASK, 1))
    while (seat := match.to_move) is not None:
        legal = match._legal_actions()
        if len(legal) == 1:
            match.play(legal[0])
            continue
        view = match.view(seat)
        own = int(stream(mind, match.ply)) >> 1
        choice = decide(view, bots[cell.bots[(seat + turned) % cell.players]], own)
        thoughts = choice.thoughts
        if thoughts is None and observer is not None:
            thoughts = decide(view, observer, own).thoughts
        if thoughts is not None and thoughts.simulations:
            expected.append((match.ply, thoughts.values))
        match.play(choice.move)
    return match, expected


def script_of(match: Match) -> NDArray[np.uint64]:
    """The match as the scripted loop plays it: the generator and the action of every move, after that of the deal."""
    rows = [(match._randomness(0), 0)]
    rows += [(match._dice.get(ply, match._randomness(ply + 1)), action) for ply, (action, _) in enumerate(match._past)]
    return np.array(rows, np.uint64)


def sway_totals() -> dict[str, NDArray[np.int64]]:
    """Nothing estimated yet: for each of SWAYS how many games, sum and sum of squares; the same for the winner's chance along the game;
    and examples of comebacks and of leaders at half-time who lost.
    """
    return {
        "sways": np.zeros((len(SWAYS), 3), np.int64),
        "course": np.zeros((PARTS + 1, 3), np.int64),
        "swayed": np.full((2, EXAMPLES), NEVER, np.int64),
    }


def chances(values: Sequence[float], game: Game) -> list[float]:
    """Expected payoffs as chances to win; in a cooperative game those of the team and of the game itself.

    A loser is taken to get -1, or, where payoffs add up to 0, the winner's share of the loss.
    """
    if game.cooperative:
        team = (values[0] + 1) / 2
        return [team, 1 - team]
    lost = -1 / (len(values) - 1) if game.about.zero_sum and len(values) > 1 else -1.0
    return [min(1.0, max(0.0, (value - lost) / (1 - lost))) for value in values]


def sway(game: Game, match: Match, expected: Sequence[tuple[int, tuple[float, ...]]], number: int) -> dict[str, NDArray[np.int64]]:
    """How one game swayed: changes of the lead; drama (how far the winner was behind the leader, on average); the winner's lowest
    chance; whether it was below half of a fair share (a comeback); whether who led at half-time won; and when the winner was sure of it
    for good (0 at the start to 1 at the end).
    """
    totals = sway_totals()
    if len(expected) < 2:
        return totals
    curve = [chances(values, game) for _, values in expected]
    leaders = [max(range(len(each)), key=each.__getitem__) for each in curve]
    found: dict[str, float] = {"lead_changes": sum(a != b for a, b in itertools.pairwise(leaders))}
    payoff = match.payoff
    best = max(payoff)
    winner = (0 if payoff[0] > 0 else 1) if game.cooperative else payoff.index(best) if payoff.count(best) == 1 else None
    if winner is not None:
        own = [each[winner] for each in curve]
        found["drama"] = sum(max(each) - each[winner] for each in curve) / len(curve)
        found["lowest"] = min(own)
        found["comeback"] = min(own) < 0.5 / len(curve[0])
        found["half_time"] = leaders[len(leaders) // 2] == winner
        for row, (told, at) in enumerate(((found["comeback"], own.index(min(own))), (not found["half_time"], len(own) // 2))):
            if told:
                totals["swayed"][row, 0] = number * PLIES + expected[at][0]
        unsure = [k for k, value in enumerate(own) if value < SURE]
        found["decided"] = (expected[unsure[-1]][0] + 1) / match.ply if unsure else 0.0
        for ply, value in zip((ply for ply, _ in expected), own, strict=True):
            _add(totals["course"], ply * PARTS // max(1, match.ply), value)
    for name, value in found.items():
        _add(totals["sways"], SWAYS.index(name), float(value))
    return totals


def _add(into: Any, row: int, value: float) -> None:
    whole = round(value * UNIT)
    into[row] += (1, whole, whole * whole)
