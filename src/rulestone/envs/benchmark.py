"""A benchmark for agents: fixed opponents, held-out deals, other numbers of players and other options. See docs/researchers/benchmark.md.

>>> import rulestone
>>> for task in tasks(rulestone.load("connect_four")):
...     print(task.kind, task.players, task.options, task.others)
usual 2 {} random
usual 2 {} mcts:200
options 2 {'line': 3} mcts:200
"""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rulestone.bots import Budget, UnknownBot, make
from rulestone.bots.ladder import Kept, Played, Table, identity, play, wins
from rulestone.envs.table import lines
from rulestone.game import Game
from rulestone.nets.net import NetError
from rulestone.statistics import Z, cluster_share

PROTOCOL = 1
"""The version of the protocol. It is raised whenever a change gives other tables."""
OPPONENTS = ("random", "greedy", "mcts:200")
"""Who an agent meets, as far as a game has them. All of them give the same moves on every machine."""
USUAL, PLAYERS, OPTIONS = KINDS = ("usual", "players", "options")
"""The kinds of tasks: the game as it is usually played, with other numbers of players, and with other options."""
OTHER_OPTIONS = 3
"""How many options of a game are changed, each in a task of its own."""
GAMES, SEEDS, BUDGET = 20, 5, "1s"
"""The games for each task and seed, the seeds, and what an agent can use for a decision."""
HELD_OUT = 1 << 62
"""The seeds of all deals are at least this large. Whoever trains with smaller ones never meets them."""


@dataclass(frozen=True)
class Task:
    """A game to play: how many players, which options, and who has the other seats (None: the agent itself, as a team)."""

    game: str
    kind: str
    players: int
    options: Mapping[str, Any] = field(default_factory=dict)
    others: str | None = None

    def deal(self, seed: int, number: int) -> int:
        """Return the seed of deal 0, 1, 2, … of this task."""
        text = repr((PROTOCOL, self.game, self.players, sorted(self.options.items()), self.others, seed, number))
        return HELD_OUT | int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) >> 2

    def tables(self, seed: int, games: int) -> Iterator[Table]:
        """Yield at least that many games: with each deal the agent (0) has every seat once, and the others (1) the rest."""
        if self.others is None:
            for number in range(games):
                yield Table((0,) * self.players, self.deal(seed, number))
            return
        for number in range(-(-games // self.players)):
            for own in range(self.players):
                yield Table(tuple(int(seat != own) for seat in range(self.players)), self.deal(seed, number))

    def single(self, seed: int) -> Table:
        """Return one game of the first deal. The agent's seat changes with the seed."""
        tables = list(self.tables(seed, 1))
        return tables[(seed - 1) % len(tables)]

    def variant(self) -> str:
        """Return the options as text."""
        return ", ".join(f"{name}={value}" for name, value in self.options.items()) or "usual"


def tasks(game: Game) -> list[Task]:
    """Return what an agent plays in a game.

    First the usual game against each of the OPPONENTS. Then, against the game's greedy bot (or mcts:200 if it has none), every other number
    of players, and the first three options that have another value, each set to the first of them. In a cooperative game the others are
    partners, and the first task is a team of the agent alone.
    """
    about = game.about
    known = [name for name in OPPONENTS if name != "greedy" or game.greedy is not None]
    fixed = "greedy" if "greedy" in known else known[-1]
    met: list[str | None] = [None, *known] if game.cooperative else list(known)
    usual = about.usual_players
    found = [Task(game.name, USUAL, usual, {}, others) for others in met]
    found += [Task(game.name, PLAYERS, n, {}, fixed) for n in range(about.min_players, about.max_players + 1) if n != usual]
    return found + [Task(game.name, OPTIONS, usual, changed, fixed) for changed in other_options(game)[:OTHER_OPTIONS]]


def other_options(game: Game) -> list[dict[str, Any]]:
    """Return for each option that can be changed its first value besides the default that works with the usual number of players.

    >>> import rulestone
    >>> other_options(rulestone.load("connect_four"))
    [{'line': 3}]
    """
    found = []
    for name, option in game.options.items():
        usual = option.read(option.default_for(game.about.usual_players))
        for value in option.choices:
            if option.read(value) == usual:
                continue
            try:
                game.prepared(game.about.usual_players, {name: value})
            except ValueError:
                continue
            found.append({name: value})
            break
    return found


@dataclass(frozen=True)
class Row:
    """What an agent achieved in a task."""

    task: Task
    games: int
    payoff: float
    """The mean payoff, from -1 to 1, with a 95 % interval from `low` to `high`."""
    low: float
    high: float
    wins: float
    """The share of games won; several winners share one. In a cooperative game, the share of games that all won."""
    seeds: tuple[float, ...]
    """The mean payoff for each seed."""
    seconds: float
    """CPU seconds of the agent for each decision. Everything else in a row is the same on every machine."""


@dataclass(frozen=True)
class Result:
    """All rows of an agent, and how they were played."""

    agent: str
    rows: tuple[Row, ...]
    games: int
    seeds: int
    budget: str
    stopped: bool = False
    """Whether it was stopped with Ctrl-C. Then the last tasks are missing."""
    left_out: tuple[tuple[Task, str], ...] = ()
    """Tasks that the agent can't play, because a net was trained for other numbers of players or other options, and why."""

    def means(self) -> dict[str, tuple[float, float, float, int]]:
        """Return for each kind of task the mean payoff over its tasks, the ends of its interval, and the number of tasks."""
        found = {}
        for kind in KINDS:
            rows = [row for row in self.rows if row.task.kind == kind]
            if rows:
                mean = sum(row.payoff for row in rows) / len(rows)
                below, above = (math.hypot(*(row.payoff - (row.low, row.high)[end] for row in rows)) / len(rows) for end in (0, 1))
                found[kind] = (mean, max(-1.0, mean - below), min(1.0, mean + above), len(rows))
        return found

    def as_json(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        means = {kind: dict(zip(("payoff", "low", "high", "tasks"), mean, strict=True)) for kind, mean in self.means().items()}
        how = {"protocol": PROTOCOL, "agent": self.agent, "games": self.games, "seeds": self.seeds, "budget": self.budget}
        rows = [{**asdict(row.task), **{name: value for name, value in asdict(row).items() if name != "task"}} for row in self.rows]
        return {**how, "means": means, "rows": rows, "left_out": [{**asdict(task), "why": why} for task, why in self.left_out]}


def amount(games: Sequence[Game], number: int = GAMES, seeds: int = SEEDS) -> int:
    """Return how many games a benchmark plays."""
    return seeds * sum(len(list(task.tables(1, number))) for game in games for task in tasks(game))


def benchmark(
    agent: str,
    games: Sequence[Game],
    *,
    number: int | None = GAMES,
    seeds: int = SEEDS,
    budget: str = BUDGET,
    keep: Path | None = None,
    progress: Callable[[int], None] | None = None,
) -> Result:
    """Let an agent play all tasks of some games, `number` games of each (or a few more, so that all seats count alike) for every seed.

    With `number=None`, a slow agent plays a single game of each task for every seed, and takes turns with the seats.

    `agent` is the name of a bot. `{game}`, `{players}` and `{seed}` in it are replaced, so that each can have a model of its own. Tasks for
    which a net was not trained are left out.
    `budget` is the most that the agent can use for a decision. Every game is saved to the file `keep`, and games in it aren't played again.
    Ctrl-C ends the benchmark early, with the tasks that are complete. Raises UnknownBot if there is no such agent,
    or if a net can't play any of the tasks.

    >>> import rulestone
    >>> result = benchmark("mcts:20", [rulestone.load("connect_four")], number=2, seeds=1)
    >>> [(row.task.others, row.games, row.payoff) for row in result.rows[:1]]
    [('random', 2, 1.0)]
    """
    limit = Budget.read(budget)
    for game in games:
        for seed in range(1, seeds + 1):
            make(_named(agent, game, game.about.usual_players, seed), game)  # report an unknown agent before compiling
    rows: list[Row] = []
    left_out: list[tuple[Task, str]] = []
    stopped = False
    try:
        for game in games:
            game.warm_up()
            for task in tasks(game):
                try:
                    rows.append(_row(agent, game, task, (number, seeds, limit, keep), progress))
                except (NetError, UnknownBot) as problem:  # a net for other options or, with {players}, none for so many
                    left_out.append((task, str(problem)))
    except KeyboardInterrupt:
        stopped = True
    if left_out and not rows:
        raise UnknownBot(left_out[0][1])
    return Result(agent, tuple(rows), number or 1, seeds, budget, stopped, tuple(left_out))


def _named(agent: str, game: Game, players: int, seed: int) -> str:
    return agent.replace("{game}", game.name).replace("{players}", str(players)).replace("{seed}", str(seed))


def _row(
    agent: str, game: Game, task: Task, size: tuple[int | None, int, Budget, Path | None], progress: Callable[[int], None] | None
) -> Row:
    number, seeds, budget, keep = size
    played: list[list[Played]] = []
    for seed in range(1, seeds + 1):
        bots = [_named(agent, game, task.players, seed), task.others or "nobody"]
        kept = Kept(keep, bots, {**identity(game, task.players, task.options), "protocol": PROTOCOL, "budget": str(budget)})
        team: list[Any] = []
        played.append([])
        for table in task.tables(seed, number) if number else [task.single(seed)]:
            one = kept.find(table)
            if one is None:
                team = team or [make(bot, game, clock=time.thread_time, threads=1) for bot in bots if bot != "nobody"]
                one = play(game, team, table, task.players, task.options, budgets={0: budget})
                kept.add(one)
            played[-1].append(one)
            if progress is not None:
                progress(1)
    return counted(task, game.cooperative, played, by_seed="{seed}" in agent)


def counted(task: Task, together: bool, played: Sequence[Sequence[Played]], by_seed: bool) -> Row:
    """Count the games. Those of one deal belong together, or those of one seed if each seed has an agent of its own."""
    clusters: dict[tuple[int, int], list[float]] = {}
    won = 0.0
    for seed, rows in enumerate(played):
        for one in rows:
            own = one.table.seats.index(0)
            clusters.setdefault((seed, 0 if by_seed else one.table.seed), []).append((one.payoff[own] + 1) / 2)
            won += one.payoff[own] > 0 if together else wins(one)[own]
    sums = [(len(values), sum(values)) for values in clusters.values()]
    n, total = sum(count for count, _ in sums), sum(value for _, value in sums)
    parts = (len(sums), n, sum(count**2 for count, _ in sums), total, sum(value**2 for _, value in sums), sum(a * b for a, b in sums))
    share, low, high = cluster_share(parts, Z)
    every = [one for rows in played for one in rows]
    seconds = sum(one.seconds.get(0, 0.0) for one in every) / max(1, sum(one.decisions.get(0, 0) for one in every))
    means = tuple(sum(one.payoff[one.table.seats.index(0)] for one in rows) / len(rows) for rows in played)
    return Row(task, n, 2 * share - 1, 2 * low - 1, 2 * high - 1, won / n, means, seconds)


COLUMNS = ("game", "players", "options", "others", "games", "payoff", "95 % interval", "wins", "ms/move")


def cells(row: Row) -> tuple[str, ...]:
    """Return a row as text, in the order of COLUMNS."""
    task = row.task
    interval = f"{row.low:+.2f} … {row.high:+.2f}"
    facts = (task.game, str(task.players), task.variant(), task.others or "itself", str(row.games))
    return *facts, f"{row.payoff:+.2f}", interval, f"{row.wins:.0%}", f"{1000 * row.seconds:.2f}"


SENTENCES = {USUAL: "the usual game", PLAYERS: "other numbers of players", OPTIONS: "other options"}


def summary(result: Result) -> list[str]:
    """Return the means as lines of text."""
    lines = [
        f"{SENTENCES[kind]}: mean payoff {mean:+.2f} ({low:+.2f} … {high:+.2f}) over {count} {'task' if count == 1 else 'tasks'}"
        for kind, (mean, low, high, count) in result.means().items()
    ]
    lines += [f"left out: {task.game} ({task.players} players, {task.variant()}): {why}" for task, why in result.left_out]
    how = f"{result.games} games × {result.seeds} seeds per task, at most {result.budget} per decision"
    return [*lines, f"{result.agent}, protocol {PROTOCOL}: {how}"]


def markdown(result: Result) -> str:
    """Return the table for a document."""
    return lines([COLUMNS, ("---", "---:", "---", "---", *["---:"] * 5), *map(cells, result.rows)])
