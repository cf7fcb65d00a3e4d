"""The plan of a study: its cells (players, bots, options), each with the same numbered games."""

from __future__ import annotations

import itertools
import json
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import rulestone.games as built_in_games
from rulestone import variant
from rulestone.bots import make, parted
from rulestone.game import Game
from rulestone.lab.count import counter_of

AS_IT_IS = "as it is"
"""The label of a game in which nothing was changed."""
COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")
FAST = ("random", "greedy")
"""Bots that are played and counted within one compiled loop."""
BLOCK = {"short": 20_000, "long": 4_000, "thinking": 8, "interpreted": 50}
"""Games in a block of work, over all cells: about a second."""
LONG, LEAST_BLOCKS = 200, 32
DETAIL = ((100_000, 8), (20_000, 4))
"""(games, n): from this many games of random play on, moves, events and the game's own measures are counted in every n-th game only."""
MOST_CELLS = 200


def timed(bot: str) -> bool:
    """Whether a bot has a time limit: its games then differ from run to run and from machine to machine.

    >>> timed("mcts:1s net"), timed("mcts:200 net:fast.net"), timed("net:1s.net")
    (True, False, False)
    """
    kind, _, budget = bot.partition("@")[0].partition(":")
    thinks, _ = parted(budget)
    return kind == "level" or (kind == "mcts" and (not thinks or thinks.partition("x")[0].strip().endswith("s")))


@dataclass(frozen=True)
class Cell:
    """One setting: the values it varies, the players, the bots of the line-up, the options; and the game, if its constants are changed."""

    set: Mapping[str, Any]
    players: int
    bots: tuple[str, ...]
    options: Mapping[str, Any]
    game: str = ""

    @property
    def fast(self) -> bool:
        return all(bot in FAST for bot in self.bots)

    @property
    def mixed(self) -> bool:
        """Whether there are different bots: the line-up then moves on by a seat with each game."""
        return len(set(self.bots)) > 1


def said_of(words: Mapping[str, Any], name: str, value: Any) -> str:
    """A value of an option in players' words; any other value as it is."""
    return str(words[name]["values"].get(str(value), value)) if name in words else str(value)


def title_of(words: Mapping[str, Any], name: str) -> str:
    """What an option is called for players; the name of anything else."""
    return str(words[name]["title"]) if name in words else name


def phrase(words: Mapping[str, Any], name: str, value: Any) -> str:
    """What was set or varied, and its value; `words` are those of `Plan.words`.

    >>> words = {"freeze": {"title": "Frozen players", "values": {"until_saved": "until saved"}}}
    >>> phrase(words, "freeze", "until_saved"), phrase(words, "HAND", 5), phrase(words, "players", 3)
    ('Frozen players: until saved', 'HAND 5', '3 players')
    """
    if name == "players":
        return f"{value} player{'' if value == 1 else 's'}"
    title, said = title_of(words, name), said_of(words, name, value)
    return f"{title} {said}" if title == name and (name not in words or not re.search("[a-z]", said)) else f"{title}: {said}"


def instead(words: Mapping[str, Any], name: str, value: Any, base: Any) -> str:
    """One value instead of another, within a sentence.

    >>> words = {"freeze": {"title": "Frozen players", "values": {"until_saved": "until saved", "two_turns": "for two turns"}}}
    >>> instead(words, "freeze", "until_saved", "two_turns"), instead(words, "HAND", 5, 6)
    ('“until saved” instead of “for two turns” for “Frozen players”', 'HAND 5 instead of 6')
    """
    if name == "players":
        return f"{value} instead of {base} players"
    title, new, old = title_of(words, name), said_of(words, name, value), said_of(words, name, base)
    if title == name and (name not in words or not re.search("[a-z]", new + old)):
        return f"{name} {new} instead of {old}"
    quoted = [text if re.fullmatch(r"[\d.,]+", text) else f"“{text}”" for text in (new, old)]
    return f"{quoted[0]} instead of {quoted[1]} for “{title}”"


@dataclass(frozen=True)
class Until:
    """When to stop early: as soon as a quantity is known to ± `within`."""

    what: str
    within: float
    text: str

    @staticmethod
    def read(text: str) -> Until:
        """`seat win rate ±0.5 %`, `decisions ±0.2`, `NAME ±1` (a measure of the game).

        >>> Until.read("seat win rate ±0.5 %")
        Until(what='seat win rate', within=0.005, text='seat win rate ±0.5 %')
        """
        found = re.fullmatch(r"\s*(.+?)\s*(?:±|\+/-|\+-)\s*(\d+(?:\.\d+)?)\s*(%?)\s*", text)
        if found is None or float(found[2]) <= 0:
            raise ValueError(
                f"{text!r} is not understood; write a quantity and its precision, such as 'seat win rate ±0.5 %' or 'decisions ±0.2'"
            )
        return Until(found[1], float(found[2]) / (100 if found[3] else 1), text.strip())


@dataclass(frozen=True)
class Plan:
    """A whole study. The same plan gives the same totals, however the work is split."""

    game: str
    cells: tuple[Cell, ...]
    games: int
    seed: int
    factors: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    grid: bool = True
    until: Until | None = None
    estimates: int = 0
    luck: int = 0
    pace: float = 0
    """Seconds that people need for a decision (or whatever the game counts time by); 0: the usual figure."""

    def game_of(self, cell: Cell) -> str:
        """The game that is played in a cell, by a name that `load` understands."""
        return cell.game or self.game

    def changed(self) -> dict[str, Any]:
        """What is not as in the printed game, in every cell: constants, and options that were set."""
        first = self.cells[0]
        game = counter_of(self.game_of(first)).game
        usual = game.option_values(game.prepared(first.players, None)[0])
        options = {name: value for name, value in first.options.items() if value != usual[name] and name not in self.factors}
        return {**variant.split(self.game)[1], **options}

    def label(self, cell: Cell) -> str:
        """What makes a cell different: what varies or, if single changes are compared, what has changed; else what was set."""
        if not self.factors:
            shown = self.changed()
        elif self.grid:
            shown = dict(cell.set)
        else:
            shown = {name: value for name, value in cell.set.items() if value != self.factors[name][0]}
        words = self.words()
        said = [phrase(words, name, line_up_text(cell.bots) if name == "bots" else value) for name, value in shown.items()]
        return ", ".join(said) or ("the base" if self.factors else AS_IT_IS)

    def words(self) -> dict[str, dict[str, Any]]:
        """The game's options in players' words: the title, what it is about, and each value that is played."""
        options = counter_of(self.game).game.options
        return {
            name: {
                "title": option.title or name.replace("_", " "),
                "about": option.sentence,
                "values": {str(value): option.said(value) for value in (cell.options[name] for cell in self.cells if name in cell.options)},
            }
            for name, option in options.items()
        }

    def block(self, interpreted: bool) -> int:
        """Games in one block of work (the same games of every cell, so that they can be compared game by game)."""
        fast = "long" if counter_of(self.game).game.about.longest > LONG else "short"
        kind = "thinking" if not all(cell.fast for cell in self.cells) else "interpreted" if interpreted else fast
        return max(1, min(-(-self.games // LEAST_BLOCKS), BLOCK[kind] // len(self.cells)))

    def every(self, cell: Cell) -> int:
        """n, if moves and events are counted in every n-th game."""
        if not cell.fast or "greedy" in cell.bots:
            return 1
        return next((every for games, every in DETAIL if self.games >= games), 1)

    def as_json(self) -> dict[str, Any]:
        return {
            "game": self.game,
            "games": self.games,
            "seed": self.seed,
            "factors": {name: list(values) for name, values in self.factors.items()},
            "grid": self.grid,
            "until": self.until.text if self.until else None,
            "estimates": self.estimates,
            "luck": self.luck,
            "cells": [
                {"set": dict(cell.set), "players": cell.players, "bots": list(cell.bots), "options": dict(cell.options)}
                | ({"game": cell.game} if cell.game else {})
                for cell in self.cells
            ],
        } | ({"pace": self.pace} if self.pace else {})

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Plan:
        cells = tuple(
            Cell(cell["set"], cell["players"], tuple(cell["bots"]), cell["options"], name_of(cell.get("game", "")))
            for cell in data["cells"]
        )
        until = Until.read(data["until"]) if data["until"] else None
        return Plan(
            name_of(data["game"]), cells, data["games"], data["seed"], data["factors"], data["grid"], until,
            data["estimates"], data["luck"], data.get("pace", 0),
        )  # fmt: skip

    def contrasts(self) -> list[tuple[str, Any, Any, tuple[int, ...]]]:
        """The comparisons: (factor, from, to, weight of each cell). In a grid, all cells with either value take part, weighted +1 or -1."""
        made = []
        for name, values in self.factors.items():
            for value in values[1:]:
                weights = tuple(self._sign(cell, name, values[0], value) for cell in self.cells)
                made.append((name, values[0], value, weights))
        return made

    def _sign(self, cell: Cell, name: str, base: Any, value: Any) -> int:
        others_usual = all(cell.set[other] == values[0] for other, values in self.factors.items() if other != name)
        if not self.grid and not others_usual:
            return 0
        return 1 if cell.set[name] == value else -1 if cell.set[name] == base else 0


def line_up_text(bots: Sequence[str]) -> str:
    """Who sits at the table.

    >>> line_up_text(["greedy"] + 3 * ["random"]), line_up_text(["greedy", "random"]), line_up_text(2 * ["greedy"] + 2 * ["random"])
    ('greedy alone against three random', 'greedy against random', 'two greedy against two random')
    """
    kinds = Counter(bots)
    if len(kinds) == 1:
        return bots[0]
    alone = len(bots) > 2 and kinds[bots[0]] == 1
    others = [f"{COUNTS[count]} {bot}" if len(bots) > 2 else bot for bot, count in kinds.items() if bot != bots[0]]
    first = f"{bots[0]} alone" if alone else bots[0] if len(bots) == 2 else f"{COUNTS[kinds[bots[0]]]} {bots[0]}"
    return f"{first} against {' and '.join(others)}"


def name_of(name: str) -> str:
    """A game's name, or its folder as an absolute path."""
    plain, changes = (name, {}) if os.path.isfile(f"{name}/rules.py") else variant.split(name)
    own = os.path.isfile(f"{plain}/rules.py") and plain not in built_in_games.names()
    return variant.join(os.path.realpath(plain) if own else plain, changes)


@dataclass(frozen=True)
class Extras:
    """Arguments that studies rarely need; see `make_plan`."""

    grid: bool = True
    skill: Sequence[str] = ()
    until: str | None = None
    estimates: int = 0
    luck: int = 0
    pace: float = 0


def make_plan(
    name: str,
    *,
    games: int = 10_000,
    players: int | str | Sequence[int] | None = None,
    bots: str | Sequence[str] = "random",
    options: Mapping[str, Any] | None = None,
    changes: Mapping[str, Any] | None = None,
    vary: Mapping[str, str | Sequence[Any]] | None = None,
    seed: int = 1,
    **extras: Any,
) -> Plan:
    """Return a checked plan. `changes` sets constants of the game to other values; `vary` compares several values of options, constants,
    `players` or `bots` (a list, or a text that `listed` reads): all combinations, or with `grid=False` one change at a time.

    `skill`: each of these bots plays one seat against the `bots` in the others. `until`: stop when a quantity is known well enough.
    `estimates`: the number of games in which a bot estimates the chances. `luck`: the number of deals replayed to separate luck from play.
    `players`: a number, or several to compare ("2-4", "2,3,4" or a list). `pace`: the seconds people need for a decision.
    """
    extra = Extras(**extras)
    if extra.pace < 0:
        raise ValueError(f"the pace is the seconds that people need for a decision, not {extra.pace:g}")
    grid, skill = extra.grid, extra.skill
    name = name_of(str(name))
    game = counter_of(name).game
    options = dict(options or {}) | {key: value for key, value in (changes or {}).items() if key in game.options}
    game = game.changed({key: value for key, value in (changes or {}).items() if key not in game.options})
    name = variant.join(variant.split(name)[0], game.changes) if game.changes else name
    if games < 1:
        raise ValueError(f"a study needs at least one game, not {games}")
    factors = {key: listed(values) if isinstance(values, str) else list(values) for key, values in (vary or {}).items()}
    numbers = numbers_of(players)
    players = numbers[0] if len(numbers) == 1 else None
    if len(numbers) > 1:
        if "players" in factors:
            raise ValueError("'players' is both set and varied; do one or the other")
        factors = {"players": numbers, **factors}
    if skill:
        if "bots" in factors:
            raise ValueError("--skill already varies the bots; leave out --vary bots")
        factors["bots"] = [_line_up(game, bot, bots, players) for bot in skill]
    for key, values in factors.items():
        if key in {*options, *(changes or {})} or (key == "players" and players is not None):
            raise ValueError(f"{key!r} is both set and varied; do one or the other")
        if len(values) < 2 and not skill:
            raise ValueError(f"varying {key!r} takes at least two values")
        if len({str(value) for value in values}) < len(values):
            raise ValueError(f"{key!r} is given the same value twice")
    combinations = list(itertools.product(*factors.values())) if grid else _one_at_a_time(list(factors.values()))
    if len(combinations) > MOST_CELLS:
        raise ValueError(f"{len(combinations)} combinations are too many (at most {MOST_CELLS}); use --one-at-a-time or fewer values")
    shown: dict[str, dict[Any, Any]] = {key: {} for key in factors}
    cells = []
    for combination in combinations:
        chosen = dict(zip(factors, combination, strict=True))
        cell = _cell(game, name, chosen, players, bots, dict(options))
        for key in factors:
            shown[key][str(chosen[key])] = cell.set[key]
        cells.append(cell)
    named = {key: [shown[key][str(value)] for value in values] for key, values in factors.items()}
    until = Until.read(extra.until) if extra.until else None
    plan = Plan(name, tuple(cells), games, seed, named, grid, until, extra.estimates, extra.luck, extra.pace)
    json.dumps(plan.as_json())
    return plan


def numbers_of(players: int | str | Sequence[int] | None) -> list[int]:
    """The numbers of players that are asked for.

    >>> numbers_of("2-4"), numbers_of("4,2"), numbers_of(3), numbers_of(None)
    ([2, 3, 4], [4, 2], [3], [])
    """
    if players is None or isinstance(players, int):
        return [] if players is None else [players]
    made: list[int] = []
    for part in players.split(",") if isinstance(players, str) else players:
        found = re.fullmatch(r"\s*(\d+)\s*(?:[-–]\s*(\d+)\s*)?", str(part))
        if found is None or int(found[2] or found[1]) < int(found[1]):
            raise ValueError(f"{part!r} is not a number of players; write 3, 2-4 or 2,3,4")
        made += range(int(found[1]), int(found[2] or found[1]) + 1)
    return made


def listed(text: str, between: str = "") -> list[str]:
    """The values in a text, separated by `between`, or by `/` if it contains one, else by commas; those within brackets do not count.

    >>> listed("5,6,7"), listed("(),(6,7,11)"), listed("greedy/greedy,random"), listed("net:a/b.net,greedy", ",")
    (['5', '6', '7'], ['()', '(6,7,11)'], ['greedy', 'greedy,random'], ['net:a/b.net', 'greedy'])
    """
    values, depth = [""], 0
    between = between or ("/" if "/" in text else ",")
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == between and depth == 0:
            values.append("")
        else:
            values[-1] += letter
    return [value.strip() for value in values]


def _cell(
    game: Game, name: str, chosen: Mapping[str, Any], players: int | None, bots: str | Sequence[str], options: dict[str, Any]
) -> Cell:
    given = {key: value for key, value in chosen.items() if key not in ("players", "bots")}
    options |= {key: value for key, value in given.items() if key in game.options}
    changes = {key: value for key, value in given.items() if key not in game.options}
    if changes:
        usual = game
        game = game.changed(changes)
        name = variant.join(variant.split(name)[0], game.changes) if game is not usual else ""
    count = chosen.get("players", players)
    try:
        count = None if count is None else int(count)
    except ValueError:
        raise ValueError(f"{count!r} is not a number of players") from None
    record, count = game.prepared(count, options)
    line_up = bots_of(game, chosen.get("bots", bots), count)
    values = game.option_values(record)
    shown = {"players": count, "bots": " + ".join(line_up) if len(set(line_up)) > 1 else line_up[0]}
    chose = {key: shown.get(key, values.get(key, variant.plain(value))) for key, value in chosen.items()}
    return Cell(chose, count, line_up, values, name if changes else "")


def bots_of(game: Game, bots: str | Sequence[str], players: int) -> tuple[str, ...]:
    """The checked line-up: one name for all players or one for each."""
    names = listed(bots, ",") if isinstance(bots, str) else [bot.strip() for bot in bots]
    if len(names) not in (1, players):
        raise ValueError(f"{len(names)} bots for {players} players; give one for all or one for each")
    for bot in dict.fromkeys(names):
        make(bot, game)
    return tuple(names * players if len(names) == 1 else names)


def _line_up(game: Game, bot: str, others: str | Sequence[str], players: int | None) -> str:
    count = players or game.about.usual_players
    rest = bots_of(game, others, count)
    return ",".join([bot, *rest[1:]]) if not game.cooperative else ",".join([bot] * count)


def _one_at_a_time(values: list[list[Any]]) -> list[tuple[Any, ...]]:
    base = tuple(choices[0] for choices in values)
    changed = [(*base[:k], value, *base[k + 1 :]) for k, choices in enumerate(values) for value in choices[1:]]
    return [base, *changed]


def policy_of(cell: Cell) -> Any:
    """The line-up as the compiled loop takes it."""
    return np.array([bot == "greedy" for bot in cell.bots], np.int8)
