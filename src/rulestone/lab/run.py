"""Running a plan: blocks of games on threads, processes, a GPU or a cluster. Every result is added once, in whatever order they come."""

from __future__ import annotations

import logging
import multiprocessing
import os
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulestone.helper import settle_in
from rulestone.lab import luck, matches
from rulestone.lab.count import Counter, Desk, Totals, counter_of, merge
from rulestone.lab.loops import PLIES
from rulestone.lab.plan import Cell, Plan, policy_of

Block = tuple[str, int]
"""A piece of work: ("games", number) or ("estimates", number) or ("luck", number)."""
Scripts = dict[int, list[int]]
Answer = tuple[Block, list[Totals], NDArray[np.int64] | None, list[NDArray[np.int32]], list[Scripts]]
"""The results of a block: totals of each cell, comparisons, rows if wanted, and the actions of games that were matches."""


@dataclass
class Results:
    """Totals of each cell and of each comparison, and the blocks they come from."""

    cells: list[Totals]
    contrasts: NDArray[np.int64]
    done: set[Block]
    scripts: list[Scripts]
    """The actions of games of bots that search, if they serve as examples."""
    looks: int = 0

    def add(self, answer: Answer) -> None:
        """Add a block; one that was added before changes nothing."""
        block, cells, contrasts, _, scripts = answer
        if block in self.done:
            return
        for into, other in zip(self.cells, cells, strict=True):
            merge(into, other)
        if contrasts is not None:
            self.contrasts += contrasts
        for own, new in zip(self.scripts, scripts, strict=False):
            own.update(new)
        self.done.add(block)
        if len(self.done) % 64 == 0:
            self.forget()

    def forget(self) -> None:
        """Keep only the scripts of games that serve as examples."""
        for own, totals in zip(self.scripts, self.cells, strict=True):
            moves = np.concatenate([totals[name].ravel() for name in ("examples", "firsts", "swayed")]) // PLIES
            wanted = {*moves.tolist(), *totals["earliest"].tolist()}
            for game in [game for game in own if game not in wanted]:
                del own[game]


def empty(plan: Plan) -> Results:
    """The results of no games."""
    counters = [counter_of(plan.game_of(cell)) for cell in plan.cells]
    cells = [{**counter.totals(), **matches.sway_totals(counter), **luck.luck_totals(counter.seats)} for counter in counters]
    contrasts = np.zeros((len(plan.contrasts()), len(counter_of(plan.game).quantities()), 4), np.int64)
    return Results(cells, contrasts, set(), [{} for _ in plan.cells])


_own = threading.local()


def _desk(counter: Counter) -> Desk:
    """The desk of this thread."""
    desks: dict[int, Desk] = _own.__dict__.setdefault("desks", {})
    if id(counter) not in desks:
        desks[id(counter)] = counter.desk()
    return desks[id(counter)]


def work(plan: Plan, block: Block, want_rows: bool) -> Answer:
    """Do one block of work, in any process."""
    counters = [counter_of(plan.game_of(cell)) for cell in plan.cells]
    each = list(zip(counters, plan.cells, strict=True))
    kind, number = block
    if kind == "estimates":
        watched = [_estimate(counter, plan, cell, number) for counter, cell in each]
        return block, [totals for totals, _ in watched], None, [], [scripts for _, scripts in watched]
    if kind == "luck":
        return block, [_luck(counter, plan, cell, number) for counter, cell in each], None, [], []
    size = plan.block(counters[0].game.mode == "interpreted")
    first = number * size
    count = min(size, plan.games - first)
    in_rows = want_rows or bool(plan.contrasts())
    totals, tables, scripts = [], [], []
    for counter, cell in each:
        rows = np.full((count if in_rows else 0, len(counter.columns)), -1, np.int32)
        scripts.append(Scripts())
        totals.append(_play(counter, plan, cell, first, count, rows, scripts[-1]))
        tables.append(rows)
    return block, totals, compared(plan, tables), tables if want_rows else [], scripts


def _play(counter: Counter, plan: Plan, cell: Cell, first: int, count: int, rows: NDArray[np.int32], scripts: Scripts) -> Totals:
    desk, game = _desk(counter), counter.game
    start, _ = game.prepared(cell.players, cell.options)
    if cell.fast:
        policy = policy_of(cell)
        way = "policy" if policy.any() else "random"
        return desk.play(way, start, first, count, rows, seed=plan.seed, policy=policy, rotate=cell.mixed, every=plan.every(cell))
    bots = _bots(plan.game_of(cell), cell.bots)
    totals: Totals = {**counter.totals(), **matches.sway_totals(counter)}
    for k in range(count):
        watched = matches.play_match(game, cell, first + k, plan.seed, bots)
        script = matches.script_of(watched.match)
        scripts[first + k] = script[1:, 1].tolist()
        merge(totals, desk.play_again(start, first + k, script, cell.mixed, rows[k : k + 1]))
        merge(totals, matches.sway(counter, watched, first + k))
    return totals


@lru_cache(64)
def _bots(name: str, bots: tuple[str, ...]) -> Any:
    game = counter_of(name).game
    game.warm_up()
    made = matches.bots_for(game, bots)
    for bot in made.values():  # a bot with changed constants has its own game
        getattr(bot, "game", game).warm_up()
    return made


def _estimate(counter: Counter, plan: Plan, cell: Cell, number: int) -> tuple[Totals, Scripts]:
    """One game of the line-up, watched by an observer that estimates the chances. (Bots that search make their own estimates.)"""
    if not cell.fast:
        return {}, {}
    bots = _bots(plan.game_of(cell), (*cell.bots, matches.OBSERVER))
    watched = matches.play_match(counter.game, cell, number, plan.seed, bots, bots[matches.OBSERVER])
    return matches.sway(counter, watched, number), {number: matches.script_of(watched.match)[1:, 1].tolist()}


def _luck(counter: Counter, plan: Plan, cell: Cell, number: int) -> Totals:
    """Some deals, each played with several series of dice and in several ways."""
    if cell.fast:
        size = _deals(plan)
        return luck.compiled_luck(_desk(counter), cell, number * size, min(size, plan.luck - number * size), plan.seed)
    return luck.match_luck(counter.game, cell, number, plan.seed, _bots(plan.game_of(cell), cell.bots))


def compared(plan: Plan, tables: list[NDArray[np.int32]]) -> NDArray[np.int64] | None:
    """What each change of a factor did, game by game: the number of games, the sum and sum of squares of the difference, and the sum of
    what it was before.
    """
    compare = plan.contrasts()
    if not compare:
        return None
    counters = [counter_of(plan.game_of(cell)) for cell in plan.cells]
    names = [name for name, _ in counter_of(plan.game).quantities()]
    made = np.zeros((len(compare), len(names), 4), np.int64)
    values = [_quantities(counter, names, table) for counter, table in zip(counters, tables, strict=True)]
    for k, (*_, weights) in enumerate(compare):
        taking_part = [(weight, values[cell]) for cell, weight in enumerate(weights) if weight]
        known = np.all([own >= 0 for _, own in taking_part], axis=0)
        difference = np.sum([weight * own for weight, own in taking_part], axis=0) * known
        before = np.sum([own for weight, own in taking_part if weight < 0], axis=0) * known
        made[k] = np.stack([part.sum(axis=0) for part in (known, difference, difference * difference, before)], axis=1)
    return made


def _quantities(counter: Counter, names: list[str], table: NDArray[np.int32]) -> NDArray[np.int64]:
    """The compared quantities of every game; a changed game may keep one in another column, or not have it (-1)."""
    place = dict(counter.quantities())
    values = table[:, [place.get(name, 0) for name in names]].astype(np.int64)
    values[:, [name not in place for name in names]] = -1
    return values


# ---- the workers ---------------------------------------------------------------------------------------------------------


class Crew:
    """All cores of this machine: threads for games in compiled code, processes for bots that search."""

    def __init__(self, plan: Plan, workers: int, want_rows: bool) -> None:
        self.plan, self.workers, self.want_rows = plan, workers, want_rows
        self.pools: dict[bool, tuple[int, Any]] = {}

    def answers(self, blocks: list[Block]) -> Iterator[Answer]:
        """The results of these blocks, in any order."""
        thinking = not all(cell.fast for cell in self.plan.cells) or any(kind == "estimates" for kind, _ in blocks)
        workers = min(self.workers, len(blocks))
        if workers <= 1 or (counter_of(self.plan.game).game.mode == "interpreted" and not thinking):
            for block in blocks:
                yield work(self.plan, block, self.want_rows)
            return
        size, pool = self.pools.get(thinking, (0, None))
        if size < workers:  # later rounds need more workers
            if pool is not None:
                pool.shutdown()
            if thinking:
                pool = ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"), initializer=settle_in, initargs=(2,))
            else:
                pool = ThreadPoolExecutor(workers)
            self.pools[thinking] = workers, pool
        yield from _in_flight(blocks, 2 * workers, lambda block: pool.submit(work, self.plan, block, self.want_rows))

    def close(self, now: bool = False) -> None:
        """Stop all workers; `now`: without waiting for those still at work."""
        for thinking, (_, pool) in self.pools.items():
            processes = list((pool._processes or {}).values()) if thinking and now else []
            pool.shutdown(wait=not processes, cancel_futures=True)
            for process in processes:
                process.terminate()


def _in_flight(blocks: Iterable[Block], most: int, submit: Callable[[Block], Future[Answer]]) -> Iterator[Answer]:
    """Results as they arrive, with at most `most` blocks in flight, so that memory use does not grow."""
    waiting: set[Future[Answer]] = set()
    queue = iter(blocks)
    while True:
        for block in queue:
            waiting.add(submit(block))
            if len(waiting) >= most:
                break
        if not waiting:
            return
        finished, waiting = wait(waiting, return_when=FIRST_COMPLETED)
        for future in finished:
            yield future.result()


def _reach(address: str) -> None:
    """Fail at once if there is no cluster at this address: Ray itself would try for minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if colon and port.isdigit():
        try:
            socket.create_connection((host, int(port)), 5).close()
        except OSError as problem:
            raise ValueError(f"there is no Ray cluster at {address!r}: {problem.strerror or problem}") from None


class Cluster:
    """A Ray cluster. A task that dies with its worker is done again elsewhere; results are added by block, so never twice."""

    def __init__(self, plan: Plan, address: str, want_rows: bool) -> None:
        try:
            import ray
        except ImportError:
            raise ValueError("--ray needs Ray: pip install 'rulestone[cluster]'") from None
        self.ray: Any = ray
        self.want_rows = want_rows
        self.own = not ray.is_initialized()
        if self.own:
            _reach(address)
            try:
                ray.init(None if address == "local" else address, log_to_driver=False, include_dashboard=False, logging_level=logging.ERROR)
            except (ConnectionError, ValueError) as problem:
                raise ValueError(f"there is no Ray cluster at {address!r}: {problem}") from None
        self.work = ray.remote(work).options(num_cpus=1, max_retries=-1)
        self.plan = ray.put(plan)
        self.waiting: set[Any] = set()

    def answers(self, blocks: list[Block]) -> Iterator[Answer]:
        """The results of these blocks, in any order."""
        most = 2 * max(1, int(self.ray.cluster_resources().get("CPU", 1)))
        queue = iter(blocks)
        while True:
            for block in queue:
                self.waiting.add(self.work.remote(self.plan, block, self.want_rows))
                if len(self.waiting) >= most:
                    break
            if not self.waiting:
                return
            ready, _ = self.ray.wait(list(self.waiting), num_returns=1)
            self.waiting -= set(ready)
            yield from self.ray.get(ready)

    def close(self, now: bool = False) -> None:
        """Leave the cluster, cancelling unfinished work."""
        for reference in self.waiting:
            self.ray.cancel(reference, force=True)
        if self.own:
            self.ray.shutdown()


# ---- the study ----------------------------------------------------------------------------------------------------------


def blocks_of(plan: Plan) -> list[Block]:
    """All blocks of games."""
    size = plan.block(counter_of(plan.game).game.mode == "interpreted")
    return [("games", number) for number in range(-(-plan.games // size))]


def extras_of(plan: Plan) -> list[Block]:
    """The other blocks: estimates if no bot searches, and luck."""
    watched = plan.estimates if any(cell.fast for cell in plan.cells) else 0
    deals = -(-plan.luck // _deals(plan))
    return [*(("estimates", number) for number in range(watched)), *(("luck", number) for number in range(deals))]


def _deals(plan: Plan) -> int:
    """Deals in a block, which is the same deals of every cell: a single one if any bot searches."""
    return luck.DEALS if all(cell.fast for cell in plan.cells) else 1


def looks(count: int) -> list[int]:
    """The numbers of blocks after which a study with a stopping rule checks whether it can stop: 1, 2, 3, 4, 6, 9, …"""
    made = [1]
    while made[-1] < count:
        made.append(min(count, max(made[-1] + 1, made[-1] * 3 // 2)))
    return made


def _crew(plan: Plan, workers: int, ray: str | None, gpu: bool, want_rows: bool) -> Crew | Cluster:
    """The workers of a study."""
    if gpu:
        from rulestone.lab.gpu import GpuCrew

        return GpuCrew(plan, workers, want_rows)
    return Cluster(plan, ray, want_rows) if ray else Crew(plan, workers, want_rows)


def run(
    plan: Plan,
    results: Results,
    *,
    workers: int,
    ray: str | None = None,
    gpu: bool = False,
    keep: Callable[[Answer], None] | None = None,
    settled: Callable[[Results, int], bool] | None = None,
    progress: Callable[[Block, Results], None] | None = None,
) -> None:
    """Play what is left, adding to `results`. `keep` saves rows; `settled` returns whether the stopping rule is met at a look."""
    blocks = blocks_of(plan)
    rounds = looks(len(blocks)) if settled else [len(blocks)]

    crew = _crew(plan, workers, ray, gpu, keep is not None)

    def play(todo: list[Block]) -> None:
        for answer in crew.answers([block for block in todo if block not in results.done]):
            if keep is not None:
                keep(answer)
            results.add(answer)
            if progress is not None:
                progress(answer[0], results)

    try:
        for look, upto in enumerate(rounds, 1):
            play(blocks[:upto])
            results.looks = look
            if settled is not None and settled(results, look):
                break
        play(extras_of(plan))
    except BaseException:
        crew.close(now=True)
        raise
    crew.close()


def default_workers() -> int:
    return len(os.sched_getaffinity(0))
