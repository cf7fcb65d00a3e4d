"""What is counted in a game: things by key, measures by place; and the arrays of totals, which can be added up."""

from __future__ import annotations

import string
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulestone import variant
from rulestone.game import Game, load
from rulestone.kernel.chance import MASK
from rulestone.kernel.record import SCRATCH, Scratch
from rulestone.kernel.rule import Interpreter
from rulestone.kernel.story import A_ROW
from rulestone.lab import loops
from rulestone.lab.loops import EXAMPLES, GENERAL, NEVER, UNIT
from rulestone.measures import SEATS, Measure, Measures, choice, number

LONG = 4096
"""The most bins for the length of a game."""
Totals = dict[str, NDArray[np.int64]]
FIRST_FEW, LEAST = ("examples", "firsts", "swayed"), ("earliest",)
"""Totals that keep the first few values, or the smallest one; all others are sums."""
HOOKS = {"opening": loops.no_opening, "before": loops.no_before, "after": loops.no_after, "finish": loops.no_finish}
WAYS = {
    "random": (loops.random_move, loops.dealt),
    "policy": (loops.policy_move, loops.dealt),
    "scripted": (loops.scripted_move, loops.scripted_deal),
    "trace": (loops.policy_move, loops.dealt),
    "trace scripted": (loops.scripted_move, loops.scripted_deal),
    "luck": (loops.policy_move, loops.dealt),
}
NOBODY_GREEDY = np.zeros(SEATS, np.int8)
NO_SCRIPT = np.zeros((1, 2), np.uint64)


@dataclass(frozen=True)
class Thing:
    """Something that is counted: a verb, an argument of a verb, an event, or a word in an event."""

    kind: str
    name: str
    label: str
    actions: tuple[int, ...] = ()


@dataclass(frozen=True)
class Column:
    """A column of the table of games: its place in a row, its name, what it means, its unit and, for a choice, the names of its values."""

    place: int
    name: str
    meaning: str
    unit: str
    names: tuple[str, ...] = ()


@dataclass
class Counter:
    """Everything that is counted in one game (its rules and its `measures.py`)."""

    game: Game
    things: list[Thing] = field(init=False)

    def __post_init__(self) -> None:
        game = self.game
        self.seats = game.max_players
        self.things = []
        self.loops: dict[tuple[str, str], Any] = {}
        self.making = threading.Lock()
        self.key_of = self._action_keys()
        self.told_as = self._event_keys()
        size = len(game.actions)
        verbs = [(size + index, verb.base + verb.count) for index, verb in enumerate(game.actions) for _ in range(verb.count)]
        self.verb_of = np.array(verbs, np.int64)
        module = game.measures
        self.own: Measures = getattr(module, "MEASURES", Measures())
        self.hooks = {name: getattr(module, name, default) for name, default in HOOKS.items()}
        longest = max(1, game.about.longest)
        ends = [event.replace("_", " ") for event in game.events.order]
        general = {
            "decisions": number("decisions", min(longest, LONG)),
            "turns": number("turns", min(longest, LONG)),
            "forced": number("decisions without a choice", min(longest, LONG)),
            "last_event": choice("the last event", ends),
        }
        self.measures: dict[str, Measure] = {**general, **self.own.all}
        clash = set(general) & set(self.own.all)
        if clash:
            raise ValueError(f"measures.py of {game.name}: {clash.pop()!r} is a measure that every game has; choose another name")
        self.place = {**self.own.place, **{name: self.own.width + k for k, name in enumerate(general)}}
        self.width = self.own.width + GENERAL
        self.places, self.bins = self._places(longest)
        self.ratios = [name for name, measure in self.own.all.items() if measure.kind == "ratio"]
        self.cross = np.array(
            [[*(self.place[part] for part in self.own.all[name].of), 0, 0] for name in self.ratios], np.int64
        ).reshape(-1, 4)  # fmt: skip

    # ---- keys and places ------------------------------------------------------------------------------------------------

    def _add(self, *thing: Any) -> int:
        self.things.append(Thing(*thing))
        return len(self.things) - 1

    def _action_keys(self) -> NDArray[np.int64]:
        """For each action, the keys it counts under: its verb and each of its arguments."""
        actions = self.game.actions
        deepest = max((len(verb.slots) for verb in actions), default=0)
        keys = np.full((len(actions), 1 + deepest), -1, np.int64)
        for verb in actions:
            numbers = range(verb.base, verb.base + verb.count)
            key = self._add("verb", verb.name, verb.name, tuple(numbers))
            keys[verb.base : verb.base + verb.count, 0] = key if len(actions.verbs) > 1 else -1
            step = verb.count
            for place, slot in enumerate(verb.slots):
                step //= max(1, slot.count)
                for value in range(slot.count if slot.count > 1 else 0):
                    own = tuple(number for number in numbers if (number - verb.base) // step % slot.count == value)
                    shown = slot.show(slot.first + value)
                    words = " ".join([verb.name, *(shown if other == place else "·" for other in range(len(verb.slots)))])
                    keys[list(own), 1 + place] = self._add("argument", verb.name, words, own)
        return keys

    def sitters(self, players: int) -> NDArray[np.int64]:
        """The player on each seat that the story can name; -1 for nobody."""
        chairs = self.game.about.chairs.get(players, tuple(range(players)))
        return np.array([chairs.index(seat) if seat in chairs else -1 for seat in range(SEATS)], np.int64)

    def _event_keys(self) -> NDArray[np.int64]:
        """For each event: its key, which argument is the seat it belongs to, the first key of each argument that has names, how many
        such arguments there are and which, and how many names each has.
        """
        events = self.game.events
        keys = np.full((max(1, len(events)), 15), -1, np.int64)
        keys[:, 6] = 0
        for number_, event in enumerate(events.order):
            keys[number_, 0] = self._add("event", event, event.replace("_", " "))
            specs = {name: spec for _, name, spec, _ in string.Formatter().parse(events.sentences[event]) if name}
            for place, argument in enumerate(events.arguments[event][:A_ROW]):  # those told with `tell_more` aren't counted
                words = events.names.get(specs[argument] or "")
                if specs[argument] == "seat":
                    keys[number_, 1] = place if keys[number_, 1] < 0 else keys[number_, 1]
                elif words:
                    copies = [words[:k].count(word) + 1 for k, word in enumerate(words)]  # of some cards there are several
                    shown = [f"{word} (copy {copy})" if copy > 1 else word for word, copy in zip(words, copies, strict=True)]
                    made = [self._add("word", event, f"{event.replace('_', ' ')}: {word}") for word in shown]
                    keys[number_, 2 + place] = made[0]
                    keys[number_, 11 + place] = len(made)
                    keys[number_, 7 + keys[number_, 6]] = place
                    keys[number_, 6] += 1
        return keys

    def _places(self, longest: int) -> tuple[NDArray[np.int64], int]:
        """For each place of `out`: its first bin, the number of bins, their width, the player it belongs to, and its highest value."""
        places = np.zeros((self.width, 5), np.int64)
        bins = 0
        for name, measure in self.measures.items():
            for k in range(measure.width if measure.kind != "memory" else 0):
                place = self.place[name] + k
                if measure.each and k >= self.seats:
                    continue
                count = 2 if measure.kind == "tally" else measure.upto + 1
                wide = max(0, longest // LONG).bit_length() if name in ("decisions", "turns", "forced") else 0
                shared = measure.each and k > 0
                first = places[place - k, loops.BIN] if shared else bins
                top = measure.upto if measure.kind in ("yes_no", "choice") else 0
                places[place] = (first, count, wide, k if measure.each else -1, top)
                bins += 0 if shared else count
        return places, bins

    @property
    def columns(self) -> list[str]:
        """The columns of a row: payoffs, wins, and every place of `out`."""
        seats = [f"{what}_{seat}" for what in ("payoff", "won") for seat in range(self.seats)]
        named = [""] * self.width
        for name, measure in self.measures.items():
            for k in range(measure.width):
                named[self.place[name] + k] = name if measure.width == 1 else f"{name}_{k}"
        return seats + named

    def table(self) -> list[Column]:
        """The columns that a study saves for every game, and what they mean: all but the rules' own memory and seats nobody can take."""
        seats, names = range(self.seats), [self.name(seat) for seat in range(self.seats)]
        made = [Column(seat, f"payoff_{seat}", f"payoff of {names[seat]}", f"1/{UNIT:,}") for seat in seats]
        made += [Column(self.seats + seat, f"won_{seat}", f"whether {names[seat]} won", "0 or 1") for seat in seats]
        for name, measure in self.measures.items():
            place = 2 * self.seats + self.place[name]
            unit = {"yes_no": "0 or 1", "choice": "a name", "tally": "times"}.get(measure.kind, "a number")
            labels = measure.names if measure.kind == "choice" else ()
            if measure.each:
                made += [Column(place + seat, f"{name}_{seat}", f"{measure.label}: {names[seat]}", unit, labels) for seat in seats]
            elif measure.kind == "tally":
                made += [Column(place + k, f"{name}_{k}", f"{measure.label}: {word}", unit) for k, word in enumerate(measure.names)]
            elif measure.kind not in ("memory", "ratio"):
                made.append(Column(place, name, measure.label, unit, labels))
        return made

    def name(self, seat: int) -> str:
        """What a seat is called, with any number of players."""
        counts = range(max(seat + 1, self.game.min_players), self.seats + 1)
        return " or ".join(dict.fromkeys(self.game.about.name(seat, players) for players in counts))

    def quantities(self) -> list[tuple[str, int]]:
        """What cells are compared by, and its column in a row: wins by seat (cooperative: by the team), lengths, and own measures."""
        wins = [("won", self.seats)] if self.game.cooperative else [(f"won_{seat}", self.seats + seat) for seat in range(self.seats)]
        plain = [
            (name, 2 * self.seats + self.place[name])
            for name, measure in self.measures.items()
            if measure.kind in ("number", "yes_no") and not measure.each
        ]
        return wins + plain

    # ---- totals ---------------------------------------------------------------------------------------------------------

    def totals(self) -> Totals:
        """Totals of no games."""
        return {
            "counts": np.zeros((len(self.things), loops.ALL_WON + 1), np.int64),
            "offered": np.zeros(len(self.game.actions) + len(self.game.actions.verbs), np.int64),
            "branching": np.zeros(len(self.game.actions) + 1, np.int64),
            "examples": np.full((len(self.things), EXAMPLES), NEVER, np.int64),
            "sums": np.zeros((self.width, loops.N_TOTAL + 1), np.int64),
            "cross": np.zeros((len(self.cross), 2), np.int64),
            "bins": np.zeros((self.bins, max(loops.NOW_WON, self.seats) + 1), np.int64),
            "earliest": np.full(self.bins, NEVER, np.int64),
            "seats": np.zeros((self.seats, self.seats, 4), np.int64),
            "firsts": np.full((self.seats + 1, EXAMPLES), NEVER, np.int64),
            "detail": np.zeros(3, np.int64),
        }

    # ---- the loops over this game ---------------------------------------------------------------------------------------

    def run(self, way: str, mode: str = "") -> Any:
        """The loop over this game's rules and measures for one way to play ("random", "policy", "scripted"), or a "trace" or "luck".

        Each way has its own cache of compiled code, which also depends on `measures.py`.
        """
        made = way, mode or self.game.mode
        with self.making:
            if made not in self.loops:
                self.loops[made] = self._loop(*made)
            return self.loops[made]

    def _loop(self, way: str, mode: str) -> Any:
        game = self.game
        template = loops.luck_games if way == "luck" else loops.trace if way.startswith("trace") else loops.play_block
        if mode == "interpreted":
            maker: Any = Interpreter()
            names = game.rule_names(maker)
        else:
            from rulestone.kernel.compiled import Compiler, cache_folder

            extra = [Path(str(loops.__file__)), *(path for path in [game.folder / "measures.py"] if path.exists())]
            maker = Compiler(game.layout, cache_folder(f"{game.cache_name}_{way.replace(' ', '_')}_lab", [*game.sources(), *extra]))
            names = dict(game.compiled_names)
        names |= {name: maker.bind(one) for name, one in self.hooks.items()}
        names |= {name: maker.fill(one, names) for name, one in zip(("picked", "deal"), WAYS[way], strict=True)}
        made = maker.fill(template, names)
        if mode == "interpreted":
            return made
        from rulestone.kernel.compiled import Entry

        return Entry(made)

    def desk(self) -> Desk:
        """Working arrays for one thread."""
        return Desk(self)


class Desk:
    """The arrays one thread works with, and the totals of its current block."""

    def __init__(self, counter: Counter) -> None:
        game = counter.game
        self.counter = counter
        self.mode = game.mode
        self.jit = self.mode == "compiled"
        self.totals = counter.totals()
        things = len(counter.things)
        self.stamp = np.full((counter.seats + 2, things), -1, np.int64)
        self.stamp[counter.seats :] = 0  # hands and wins within a game
        self.fresh = np.zeros((counter.seats * things + 1, 2), np.int64)
        self.diary = np.zeros(2 * (len(counter.key_of[0]) + 5 * game.about.story + 512), np.int64)
        self.cross = counter.cross.copy()
        self.won = np.zeros((counter.seats, 3), np.int64)
        self.won[0, 2] = game.cooperative
        self.out = np.zeros(counter.width, np.int64)
        spare = 2 + 256 // game.layout.dtype.itemsize
        self.states: Any = game.layout.array(spare) if self.jit else Scratch.of(game.layout, 2)
        self.scratch: Any = game.layout.array(SCRATCH) if self.jit else Scratch.of(game.layout, SCRATCH)
        self.moves: Any = np.zeros(len(game.actions), np.int16) if self.jit else [0] * len(game.actions)

    def plain(self, *arrays: NDArray[Any]) -> tuple[Any, ...]:
        """Arrays as the loops take them: interpreted rules need plain ints."""
        return arrays if self.jit else tuple(memoryview(array.data) for array in arrays)

    def start(self, record: NDArray[Any]) -> Any:
        """A prepared record as the loops take it."""
        return record if self.jit else [self.counter.game.layout.reader(record)]

    def seed(self, seed: int) -> Any:
        """A seed as the loops take it."""
        return np.uint64(seed & MASK) if self.jit else seed & MASK

    def bots(self, policy: NDArray[np.int8], rotate: bool, script: NDArray[np.uint64] = NO_SCRIPT) -> tuple[Any, ...]:
        """Who plays: which bots of the line-up are greedy, whether it moves on by a seat with each game, and the recorded moves."""
        return (*self.plain(policy), int(rotate), self.scratch, *self.plain(script))

    def play(
        self,
        way: str,
        start: NDArray[Any],
        first: int,
        count: int,
        rows: NDArray[np.int32],
        *,
        seed: int = 0,
        policy: NDArray[np.int8] = NOBODY_GREEDY,
        rotate: bool = False,
        every: int = 1,
    ) -> Totals:
        """Play games first..first+count-1 and return the totals; if `rows` has room, it is filled with one row per game."""
        return self._count(way, start, (first, count, self.seed(seed), every), self.bots(policy, rotate), rows)

    def play_again(self, start: NDArray[Any], game: int, script: NDArray[np.uint64], rotate: bool, rows: NDArray[np.int32]) -> Totals:
        """The same for one game that any bots have already played."""
        return self._count("scripted", start, (game, 1, self.seed(0), 1), self.bots(NOBODY_GREEDY, rotate, script), rows)

    def _count(self, way: str, start: NDArray[Any], share: tuple[Any, ...], bots: tuple[Any, ...], rows: NDArray[np.int32]) -> Totals:
        counter, totals = self.counter, self._fresh()
        tables = self.plain(counter.key_of, counter.verb_of, counter.told_as, counter.sitters(int(start["players"][0])), counter.places)
        counted = self.plain(*{**totals, "cross": self.cross}.values())
        own = self.plain(self.diary, self.stamp, self.fresh, self.out, self.won)
        counter.run(way, self.mode)(self.states, self.start(start), share, self.moves, bots, tables, counted, own, *self.plain(rows))
        totals["cross"][:] = self.cross[:, 2:]
        return totals

    def trace(
        self, way: str, start: NDArray[Any], game: int, seed: int, policy: NDArray[np.int8], rotate: bool, script: NDArray[np.uint64]
    ) -> tuple[bytes, list[int], list[int], list[int]]:
        """Play one game again: its starting position, the actions, the generator before each, and when each place first changed."""
        counter = self.counter
        longest = 4 * counter.game.about.longest + 1000
        actions, dice = np.zeros(longest, np.int64), np.zeros(longest, np.uint64)
        changed, opened = np.zeros(counter.width, np.int64), np.zeros(counter.width, np.int64)
        kept, bots = self.plain(actions, dice, self.out, opened, changed), self.bots(policy, rotate, script)
        made = counter.run(way, self.mode)(self.states, self.start(start), game, self.seed(seed), self.moves, bots, kept)
        raw = self.states[1].raw if not self.jit else self.states[1]
        return raw.tobytes(), actions[:made].tolist(), dice[:made].tolist(), changed.tolist()

    def _fresh(self) -> Totals:
        self.totals = self.counter.totals()
        self.stamp[: self.counter.seats] = -1
        self.cross[:, 2:] = 0
        return self.totals


def counter_of(name: str) -> Counter:
    """The counter of a game by its name or folder; cached until a file in the folder changes."""
    folder = Path(variant.split(name)[0])
    files = folder.glob("*.py") if (folder / "rules.py").is_file() else ()
    return _counter(name, max((file.stat().st_mtime_ns for file in files), default=0))


@lru_cache(256)
def _counter(name: str, stamp: int) -> Counter:
    return Counter(load(name))


def merge(into: Totals, other: Mapping[str, NDArray[np.int64]]) -> None:
    """Add the totals of some games to those of others, in any order."""
    for name, values in other.items():
        if name in FIRST_FEW:
            into[name] = np.sort(np.concatenate([into[name], values], axis=1), axis=1)[:, :EXAMPLES]
        elif name in LEAST:
            np.minimum(into[name], values, out=into[name])
        else:
            into[name] += values
