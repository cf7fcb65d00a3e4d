"""Games of bots that search: played as matches, then counted like all others. The bots' own estimates show how the lead changed, what
a decision was about, and what each thing that happened was worth.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulestone.bots import Bot, decide, make
from rulestone.game import Game
from rulestone.kernel.chance import MASK, stream
from rulestone.kernel.story import EVENT, MORE
from rulestone.lab.count import Counter, Totals
from rulestone.lab.loops import EXAMPLES, NEVER, PLIES, UNIT
from rulestone.lab.plan import Cell
from rulestone.lab.weigh import EVERY, RIVALS, Scales, Weighed, chances, idle, matters
from rulestone.match import Match

SWAYS = ("lead_changes", "drama", "lowest", "comeback", "half_time", "decided")
"""What estimates show about a game; see `_curve`."""
PARTS = 20
"""The number of parts that the course of a game is divided into."""
OBSERVER = "mcts:100"
"""The bot that estimates the chances if the players themselves do not."""
SURE = 0.9
EYES = 3
"""A swing is next seen by the same player, by another player, or at the end of the game."""
COMEBACK, HALF_TIME, KING, DECISIONS = 0, 1, 2, 3
"""Rows of `swayed`, which has example moves: of comebacks, lost leads and kingmakers; of decisions that mattered, for all verbs and
for each; and then of everything that happens."""
SPREAD = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
"""Upper ends of the classes of the distance to the best move."""
TOLD = ("matters", "idle", "gap", "square")
"""For the best move and a rival: whether the choice matters, whether it cannot matter, the difference, and its square minus the noise."""


def bots_for(game: Game, names: Sequence[str]) -> dict[str, Bot]:
    """One bot for each name, searching on one core: the lab uses the other cores for other games."""
    return {name: make(name, game, threads=1) for name in dict.fromkeys(names)}


def seed_of(seed: int, game: int) -> str:
    """The seed of the match that is game number `game` of a study: the same in every cell."""
    return f"lab {seed} {game}"


@dataclass
class Watched:
    """A game, every player's expected payoff at its decisions (ply, payoffs), and the decisions that were weighed."""

    match: Match
    expected: list[tuple[int, tuple[float, ...]]] = field(default_factory=list)
    weighed: list[Weighed] = field(default_factory=list)


@lru_cache(8)
def _scales(game: Game) -> Scales:
    return Scales(game)


def play_match(game: Game, cell: Cell, number: int, seed: int, bots: Mapping[str, Bot], observer: Bot | None = None) -> Watched:
    """One game of the line-up, with the estimates of its bots (or the observer)."""
    match = game.new(seed_of(seed, number), cell.players, cell.options)
    turned = number % cell.players if cell.mixed else 0
    made = Watched(match)
    mind = int(stream(stream(seed & MASK, number) & MASK, 1))
    while (seat := match.to_move) is not None:
        legal = match.legal_actions()
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
            made.expected.append((match.ply, thoughts.values))
            again = int(stream(own, 1))
            if again % EVERY == 0 and (found := _scales(game).decision(view, thoughts, again, match.ply)) is not None:
                made.weighed.append(found)
        match.play(choice.move)
    return made


def script_of(match: Match) -> NDArray[np.uint64]:
    """The match as a script for the scripted loop: the generator of the deal, then the generator and action of every move."""
    return np.array([(match.generator_of(index), action) for index, action in enumerate([0, *match.actions], -1)], np.uint64)


# ---- what the estimates show --------------------------------------------------------------------------------------------


def sway_totals(counter: Counter) -> Totals:
    """Totals of no estimates. For each of SWAYS: number of games, sum and sum of squares; the same for the winner's chance along the game.

    Things that one game can have more of than another are kept in rows (`_row`): for every verb (row 0: all) and rival, what
    TOLD lists; players without a chance, and kingmakers; how often a longer search saw the same player ahead, and preferred the same
    move (of all verbs and of each); the swing of everything that happens (row 0: of any decision).

    What a thing's swing is beyond that of other decisions rests on numbers of one game that depend on each other: for each of EYES how
    often the thing happened, and its swing; and for each of EYES how many decisions there were, and their swing. Kept are the sums of
    the latter over games (`usual_sums`) and of all products (`beyond`, and `usual` without the thing).
    """
    verbs = len(counter.game.actions.verbs)
    return {
        "sways": np.zeros((len(SWAYS), 3), np.int64),
        "course": np.zeros((PARTS + 1, 6), np.int64),
        "weighed": np.zeros((1 + verbs, len(RIVALS), len(TOLD), 6), np.int64),
        "spread": np.zeros((len(RIVALS), len(SPREAD) + 1), np.int64),
        "kings": np.zeros((2, 6), np.int64),
        "agreed": np.zeros((2 + verbs, 6), np.int64),
        "swings": np.zeros((1 + len(counter.things), 6), np.int64),
        "eyes": np.zeros((len(counter.things), EYES), np.int64),
        "beyond": np.zeros((len(counter.things), EYES + 1, 3 * EYES + 1), np.int64),
        "usual": np.zeros((2 * EYES, 2 * EYES), np.int64),
        "usual_sums": np.zeros(2 * EYES, np.int64),
        "swayed": np.full((DECISIONS + 1 + verbs + len(counter.things), EXAMPLES), NEVER, np.int64),
    }


def _row(n: int, total: float) -> tuple[int, ...]:
    """What a game adds to a mean over things that a game can have several of: one game, the number of things, its square, their sum,
    its square, the product. Things of one game are correlated; the interval of a ratio of two sums over games allows for that.
    """
    whole = round(total * UNIT)
    return 1, n, n * n, whole, whole * whole, n * whole


def sway(counter: Counter, watched: Watched, number: int) -> Totals:
    """Everything that the estimates show about one game."""
    totals = sway_totals(counter)
    if len(watched.expected) > 1:
        _curve(counter.game, watched, number, totals)
    if watched.expected:
        _swings(counter, watched, number, totals)
    if watched.weighed:
        _decisions(counter, watched.weighed, number, totals)
    return totals


def _curve(game: Game, watched: Watched, number: int, totals: Totals) -> None:
    """How the lead changed: lead changes; drama (how far the winner was behind the leader, on average); the winner's lowest chance;
    whether it was below half of an even share (a comeback); whether the leader at half-time won; and when the winner's chance passed
    SURE for good (from 0 at the start to 1 at the end).
    """
    match, expected = watched.match, watched.expected
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
        for row, told, at in ((COMEBACK, found["comeback"], own.index(min(own))), (HALF_TIME, not found["half_time"], len(own) // 2)):
            _keep(totals, row, number, [expected[at][0]] if told else [])
        unsure = [k for k, value in enumerate(own) if value < SURE]
        found["decided"] = (expected[unsure[-1]][0] + 1) / match.ply if unsure else 0.0
        parts = [ply * PARTS // max(1, match.ply) for ply, _ in expected]
        for part in dict.fromkeys(parts):
            values = [value for at, value in zip(parts, own, strict=True) if at == part]
            totals["course"][part] += _row(len(values), sum(values))
    for name, value in found.items():
        _add(totals["sways"], SWAYS.index(name), float(value))


def _decisions(counter: Counter, weighed: Sequence[Weighed], number: int, totals: Totals) -> None:
    """What the decisions of a game were about, by the verb of the best move."""
    for verb, name in enumerate(["", *counter.game.actions.verbs]):
        own = [one for one in weighed if not verb or one.verb == name]
        for rival, what in enumerate(RIVALS):
            gaps = [one.gaps[what] for one in own if what in one.gaps]
            told: dict[str, list[float]] = {
                "matters": [matters(*gap) for gap in gaps],
                "idle": [idle(*gap) for gap in gaps],
                "gap": [gap for gap, _ in gaps],
                "square": [gap * gap - error * error for gap, error in gaps],
            }
            for column, told_of in enumerate(TOLD if gaps else ()):
                totals["weighed"][verb, rival, column] += _row(len(gaps), sum(told[told_of]))
            if not verb:
                np.add.at(totals["spread"][rival], np.searchsorted(SPREAD, told["gap"], side="right"), 1)
        telling = [one.ply for one in own if any(matters(*one.gaps[what]) for what in ("kind", "second") if what in one.gaps)]
        _keep(totals, DECISIONS + verb, number, telling)
    for column, kings in enumerate(([one.hopeless for one in weighed], [one.king for one in weighed])):
        totals["kings"][column] += _row(len(weighed), sum(kings))
    _keep(totals, KING, number, [one.ply for one in weighed if one.king])
    checks: list[list[bool | None]] = [[one.led for one in weighed], [one.agreed for one in weighed]]
    checks += [[one.agreed for one in weighed if one.verb == name] for name in counter.game.actions.verbs]
    for row, found in enumerate(checks):
        checked = [bool(agreed) for agreed in found if agreed is not None]
        totals["agreed"][row] += _row(len(checked), sum(checked)) if checked else 0


def _swings(counter: Counter, watched: Watched, number: int, totals: Totals) -> None:
    """For everything that happened, how much the mover's chance rose from the estimate before to the next one (at last: the outcome)."""
    game, match = counter.game, watched.match
    curve = [(ply, chances(values, game)) for ply, values in [*watched.expected, (match.ply, match.payoff)]]
    actions = match.actions
    states = [np.frombuffer(match.raw_at(index), game.layout.dtype)[0] for index in range(match.length + 1)]
    found: dict[int, list[tuple[int, float, int]]] = {}
    for (ply, old), (upto, new) in itertools.pairwise(curve):
        eyes = 2 if upto == match.ply else int(states[ply]["to_move"] != states[upto]["to_move"])
        for move in range(ply, upto):
            mover = 0 if game.cooperative else int(states[move]["to_move"])
            keys = {*counter.key_of[actions[move]].tolist(), *_told(counter, states[move + 1])} - {-1}
            for key in [*keys, *([-1] if move == ply else [])]:
                found.setdefault(key, []).append((move + 1, new[mover] - old[mover], eyes))
    usual = np.array([*_by_eyes(found[-1], False), *_by_eyes(found[-1], True)], np.int64)
    totals["usual_sums"] += usual
    totals["usual"] += np.outer(usual, usual)
    for key, changes in found.items():
        totals["swings"][1 + key] += _row(len(changes), sum(change for _, change, _ in changes))
        if key >= 0:
            _keep(totals, len(totals["swayed"]) - len(counter.things) + key, number, [move for move, *_ in changes])
            own = np.array([*_by_eyes(changes, False), sum(_by_eyes(changes, True))], np.int64)
            totals["eyes"][key] += own[:EYES]
            totals["beyond"][key] += np.outer(own, [*own, *usual])


def _by_eyes(changes: Sequence[tuple[int, float, int]], swing: bool) -> list[int]:
    """The number of changes, or their sum, for each of EYES."""
    return [sum(round(change * UNIT) if swing else 1 for _, change, eyes in changes if eyes == whose) for whose in range(EYES)]


def _told(counter: Counter, state: Any) -> Iterable[int]:
    """The keys of the last move's events, and of the words in them."""
    for row in state["story"][: int(state["told"])].tolist():
        if row[EVENT] == MORE:
            continue
        keys = counter.told_as[row[EVENT]].tolist()
        yield keys[0]
        for place in keys[7 : 7 + keys[6]]:
            if 0 <= row[2 + place] < keys[11 + place]:
                yield keys[2 + place] + row[2 + place]


def _keep(totals: Totals, row: int, number: int, moves: Sequence[int]) -> None:
    """Keep an example from this game, if it has one."""
    if moves:
        totals["swayed"][row, 0] = number * PLIES + moves[0]


def _add(into: Any, row: int, value: float) -> None:
    whole = round(value * UNIT)
    into[row] += (1, whole, whole * whole)
