"""A finished game reviewed: what each decision kept of the chances, what would have kept more, and what was luck. See docs/review.md."""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from rulestone.kernel.chance import MASK, stream
from rulestone.match import Match, replay
from rulestone.review.judge import LEAST, Candidate, Judge, chance
from rulestone.table import Face

FORMAT, FORMAT_VERSION = "rulestone.review", 1
SECONDS = 30.0
VERDICTS = {"blunder": 0.2, "mistake": 0.1, "inaccuracy": 0.05}
"""How much of the chance a move must have lost to be called so; everything else is fine."""
STEEP = 4.35
"""How fast accuracy falls with what a decision loses: a tenth of the chance leaves 65 %. (Lichess rates moves by the same curve.)"""
MOST_TURNING_POINTS = 12
FIRST_PASS, AGAIN = 0.6, 4
"""The share of the time in which every decision is judged once. The rest is for those that look like a loss, but not surely: they
are judged afresh, with a budget in simulations so many times as long."""


@dataclass(frozen=True)
class Option:
    """A move in words: its label, what to click for it, the chance it keeps for its player, and for everybody."""

    move: str
    label: str
    picks: tuple[str, ...]
    chance: float
    error: float
    chances: tuple[float, ...]
    visits: int
    proved: bool


@dataclass(frozen=True)
class Decision:
    """One decision: what was played, what the search liked best, and the difference with its standard error."""

    index: int
    """How many moves were made before it."""
    player: int
    played: Option
    best: Option
    others: tuple[Option, ...]
    gain: float
    error: float
    sure: bool
    """Is the best move better beyond the noise of the search?"""

    @property
    def loss(self) -> float:
        """The chance that the decision lost, 0 unless that is sure."""
        return self.gain if self.sure else 0.0

    @property
    def verdict(self) -> str:
        return next((word for word, least in VERDICTS.items() if self.loss >= least), "fine")

    @property
    def before(self) -> tuple[float, ...]:
        """Everybody's chance before it: with the best move, or with the move made if that may be as good."""
        return self.best.chances if self.sure else self.played.chances

    @property
    def after(self) -> tuple[float, ...]:
        """Everybody's chance after it, before any die is rolled or card turned over."""
        return self.played.chances

    def sentence(self) -> str:
        """What it kept, and what would have kept more."""
        kept = f"Move {self.index + 1}: {self.played.label} kept {percent(self.played.chance)}"
        if self.verdict == "fine":
            return f"{kept}."
        return f"{kept}; {self.best.label} would have kept {percent(self.best.chance)}."


@dataclass(frozen=True)
class Account:
    """How a player's chance became their result: start + own + others + luck = result."""

    name: str
    start: float
    own: float
    """What their own decisions lost."""
    others: float
    """What the other players' decisions gave or took."""
    luck: float
    result: float
    accuracy: float | None
    """0 to 100; None for a player without a decision that was judged."""
    decisions: int
    verdicts: Mapping[str, int]


@dataclass(frozen=True)
class Review:
    """A whole game. `decisions` are those with a choice, in order; moves without one are not listed."""

    game: str
    title: str
    cooperative: bool
    seed: int
    moves: int
    decisions: tuple[Decision, ...]
    accounts: tuple[Account, ...]
    simulations: int
    seconds: float
    complete: bool
    """False if it was stopped: the decisions that are missing then count as luck."""
    chance: bool = True
    """Whether dice, cards or hidden things played a part. If not, what no decision explains is what the search couldn't see."""

    @property
    def rest(self) -> str:
        """What to call the part of a result that no decision explains."""
        return "luck" if self.chance else "unclear"

    @property
    def turning_points(self) -> list[Decision]:
        """The decisions that lost most, at most a dozen, in order."""
        found = sorted((decision for decision in self.decisions if decision.verdict != "fine"), key=lambda one: -one.loss)
        return sorted(found[:MOST_TURNING_POINTS], key=lambda one: one.index)

    @property
    def curve(self) -> list[tuple[int, tuple[float, ...]]]:
        """Everybody's chance before each decision, and the result: (moves made, chances)."""
        result = tuple(account.result for account in self.accounts)
        return [*((decision.index, decision.before) for decision in self.decisions), (self.moves, result)]

    def luck_after(self, number: int) -> tuple[float, ...]:
        """What chance gave or took between decision `number` of the list and the next one (or the end)."""
        return tuple(then - now for now, then in zip(self.decisions[number].after, self.curve[number + 1][1], strict=True))

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        decisions = [
            {
                **asdict(decision),
                "loss": decision.loss,
                "verdict": decision.verdict,
                "before": decision.before,
                "sentence": decision.sentence(),
                "luck": self.luck_after(number),
            }
            for number, decision in enumerate(self.decisions)
        ]
        data: dict[str, Any] = _rounded(
            {
                "format": FORMAT,
                "version": FORMAT_VERSION,
                **{name: getattr(self, name) for name in ("game", "title", "cooperative", "seed", "moves")},
                "accounts": [asdict(account) for account in self.accounts],
                "decisions": decisions,
                "turning_points": [decision.index for decision in self.turning_points],
                "curve": self.curve,
                **{name: getattr(self, name) for name in ("simulations", "seconds", "complete", "chance")},
            }
        )
        return data


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, Mapping):
        return {key: _rounded(entry) for key, entry in value.items()}
    return [_rounded(entry) for entry in value] if isinstance(value, list | tuple) else value


def percent(share: float) -> str:
    """A chance as people read it."""
    return f"{100 * share:.0f} %"


def accuracy(losses: Iterable[float]) -> float | None:
    """100 times the mean of exp(-4.35 loss) over decisions.

    >>> accuracy([0.0, 0.0]), round(accuracy([0.0, 0.1]), 1), accuracy([])
    (100.0, 82.4, None)
    """
    kept = [math.exp(-STEEP * loss) for loss in losses]
    return 100 * sum(kept) / len(kept) if kept else None


def review(
    given: Match | Mapping[str, Any],
    *,
    seats: Iterable[int] | None = None,
    seconds: float = SECONDS,
    simulations: int | None = None,
    seed: int = 1,
    threads: int | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
    stop: threading.Event | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> Review:
    """Judge every decision of a finished game (or of some `seats`) by what its player knew then.

    It takes about `seconds`, not counting compiling, shared among the decisions; with `simulations`, a number for each decision, the
    same seed gives the same review on any machine. `progress` is called with how many decisions are done, and of how many. `stop` ends
    it early with what has been judged. `clock` is what seconds are measured with (`time.thread_time`: what one thread uses).

    >>> import rulestone
    >>> match = rulestone.load("connect_four").new(seed=7)
    >>> for move in (3, 2, 3, 2, 3, 2, 3):
    ...     events = match.play(move)
    >>> found = review(match, simulations=2000)
    >>> found.turning_points[-1].verdict, found.turning_points[-1].best.label
    ('blunder', 'Drop into column 4')
    """
    match = given if isinstance(given, Match) else replay(given)
    if match.is_view or not match.over:
        raise ValueError("only a finished game can be reviewed")
    wanted = set(range(match.players)) if seats is None else set(seats)
    if not wanted <= set(range(match.players)):
        raise ValueError(f"there is no seat {max(wanted)}; seats are 0..{match.players - 1}")
    began = time.perf_counter()
    match.game.warm_up()
    for seat in wanted:
        match.moves_seen_by(seat)  # worked out once, for the views of all positions
    views = [(index, match.at(index).view(match.mover(index))) for index in range(match.length) if match.mover(index) in wanted]
    views = [(index, view) for index, view in views if len(view.legal()) > 1]
    work = _Work(match, views, seed, stop, clock)
    threads = (threads or len(os.sched_getaffinity(0))) if match.game.mode == "compiled" else 1
    found: list[Decision | None] = [None] * len(views)
    with ThreadPoolExecutor(threads, initializer=work.begin) as pool:
        todo, count = list(range(len(views))), 0
        for look, share in enumerate((FIRST_PASS, 1 - FIRST_PASS)):
            work.set_out(todo, look, share * seconds * threads, simulations and simulations * AGAIN**look)
            for number, judged in zip(todo, pool.map(work.judge, todo), strict=True):
                found[number] = judged or found[number]
                count += 1
                progress(count, work.total)
            todo = _in_doubt(found)[: len(views) // 4]
    done = [decision for decision in found if decision is not None]
    return Review(
        game=match.game.name,
        title=match.game.title,
        cooperative=match.game.cooperative,
        seed=seed,
        moves=match.length,
        decisions=tuple(done),
        accounts=accounts(match, done),
        simulations=work.simulated,
        seconds=time.perf_counter() - began,
        complete=len(done) == len(views),
        chance=left_to_chance(match),
    )


def left_to_chance(match: Match) -> bool:
    """Whether anything in a game was hidden, or drawn from its generator."""
    if not match.game.perfect_information:
        return True
    after = (np.frombuffer(match.raw_at(place), match.game.layout.dtype)["rng"][0] for place in range(match.length + 1))
    return any(int(rng) != match.generator_of(place - 1) for place, rng in enumerate(after))


def _in_doubt(found: list[Decision | None]) -> list[int]:
    """The decisions that look like a loss, but not surely, the largest first."""
    doubtful = {number: one.gain for number, one in enumerate(found) if one and not one.sure and one.gain >= min(VERDICTS.values())}
    return sorted(doubtful, key=lambda number: -doubtful[number])


class _Work:
    """The decisions of a game, judged by several threads: whoever is done takes the next one."""

    def __init__(
        self, match: Match, views: list[tuple[int, Match]], seed: int, stop: threading.Event | None, clock: Callable[[], float]
    ) -> None:
        self.match, self.views, self.seed, self.stop, self.clock = match, views, seed, stop, clock
        self.face = Face.of(match.game)
        self.moves = match.moves
        self.done, self.total, self.simulated, self.spent = 0, 0, 0, 0.0
        self.rates: dict[int, float] = {}
        """Simulations a second at each decision, once it has been judged."""
        self.own = threading.local()
        self.lock = threading.Lock()

    def set_out(self, todo: Sequence[int], look: int, seconds: float, simulations: int | None) -> None:
        """What is to be judged next, how often it has been, and within which budget: the seconds of all threads together."""
        self.total += len(todo)
        self.look, self.left, self.simulations = look, seconds, simulations

    def begin(self) -> None:
        """A thread gets a judge of its own, which compiles what it needs before the clock runs."""
        self.own.judge = Judge(self.match.game, clock=self.clock)
        with self.lock:
            self.own.judge.judge(self.views[0][1], simulations=LEAST, seed=1)

    def judge(self, number: int) -> Decision | None:
        judge: Judge = self.own.judge
        index, view = self.views[number]
        if self.stop is not None and self.stop.is_set():
            return None
        with self.lock:
            share = max(0.0, self.left) / (self.total - self.done)
            usual = self.simulated / self.spent if self.spent else 0.0
        rate = self.rates.get(number, min(judge.rate, usual))  # the end of a game is simulated a hundred times as fast as its beginning
        began, count = self.clock(), max(LEAST, self.simulations or int(share * rate))
        seed = int(stream(stream(self.seed & MASK, self.look), index))
        found = judge.judge(view, self.moves[index], simulations=count, seed=seed, stop=self.stop)
        judged = decision(self.face, view, index, self.moves[index], found) if found else None
        spent = self.clock() - began
        self.rates[number] = judge.rate
        with self.lock:
            self.left -= spent
            self.spent += spent
            self.done += 1
            self.simulated += count
        return judged


def decision(face: Face, view: Match, index: int, played: Any, found: list[Candidate]) -> Decision:
    """A duel in words."""
    words = {entry["move"]: entry for entry in face.moves(view, [candidate.move for candidate in found])}

    def option(candidate: Candidate) -> Option:
        said = words[str(candidate.move)]
        kept = (candidate.chance, candidate.error, candidate.chances, candidate.visits, candidate.proved)
        return Option(str(candidate.move), said["label"], tuple(said["picks"]), *kept)

    made, best = next(candidate for candidate in found if candidate.move == played), found[0]
    gain, error = best.ahead_of(made) if best is not made else (0.0, 0.0)
    others = tuple(option(candidate) for candidate in found if candidate is not made and candidate is not best)
    assert view.viewer is not None
    return Decision(index, view.viewer, option(made), option(best), others, gain, error, best is not made and best.beats(made))


def accounts(match: Match, decisions: list[Decision]) -> tuple[Account, ...]:
    """How each player's chance became their result. Whatever no decision explains is luck, so the sums always add up."""
    made = []
    for player, name in enumerate(Face.of(match.game).names(match.players)):
        result = chance(match.payoff[player])
        start = decisions[0].before[player] if decisions else result
        own = sum(one.after[player] - one.before[player] for one in decisions if one.player == player)
        others = sum(one.after[player] - one.before[player] for one in decisions if one.player != player)
        mine = [one for one in decisions if one.player == player]
        verdicts = {word: sum(one.verdict == word for one in mine) for word in VERDICTS}
        luck = result - start - own - others
        made.append(Account(name, start, own, others, luck, result, accuracy(one.loss for one in mine), len(mine), verdicts))
    return tuple(made)
