"""Bots think in other processes, so they never block the sockets. They get hidden records, never the true one."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import random
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cache, lru_cache
from typing import Any, TypeVar

import numpy as np

from rulestone.bots import Bot, decide, make
from rulestone.bots.search import arrays
from rulestone.game import Game, load
from rulestone.helper import settle_in
from rulestone.match import Match
from rulestone.review import Judge, advice

log = logging.getLogger(__name__)
T = TypeVar("T")
LABELS = {
    "random": "Careless",
    "greedy": "Quick",
    "level:1": "Beginner",
    "level:2": "Easy",
    "level:3": "Fair",
    "level:4": "Strong",
    "level:5": "Master",
}
OPPONENT, GENTLE, HELPER, REVIEWER = "level:3", "level:1", "level:4", "mcts:400"
"""The default opponent, the one for people who have just learned a game, the bot that gives hints and plays for absent players, and
the bot that reviews finished games."""


more_bots: list[str] = []
"""Extra bots of this server (`rulestone serve --bot`), by name."""


def levels(game: Game) -> dict[str, str]:
    """The bots of a game with their labels, weakest first, followed by this server's extra bots."""
    own = {name: label for name, label in LABELS.items() if name != "greedy" or game.greedy is not None}
    return {**own, **{name: name for name in more_bots}}


def quick(game: Game) -> str:
    """The bot that plays while the search is still being compiled."""
    return "greedy" if game.greedy is not None else "random"


class Thinker:
    """A pool of processes that know the games."""

    def __init__(self, workers: int = 0) -> None:
        self.workers = workers or max(2, (os.cpu_count() or 2) - 1)
        self.pool: ProcessPoolExecutor | None = None
        self.warming: dict[str, asyncio.Task[None]] = {}
        self.ready: set[str] = set()

    async def choose(self, source: str, view: Match, bot: str) -> int:
        """The action a bot chooses, given the view of its own seat."""
        assert view.viewer is not None
        if view.game.mode == "compiled" and source not in self.ready and bot not in ("random", "greedy"):
            bot = quick(view.game)
        given = (source, view.players, view.options, view.raw, view.viewer)
        try:
            return await self._run(think, *given, bot, random.getrandbits(63))
        except BrokenProcessPool:
            raise
        except Exception:
            if bot not in more_bots:
                raise
            log.exception("the bot %s could not decide; the quick bot moves instead", bot)
            return await self._run(think, *given, quick(view.game), random.getrandbits(63))

    async def weigh(self, source: str, view: Match) -> list[advice.Weighed]:
        """The best moves in the view of one's own seat with the chances they keep; none while the search is still being compiled."""
        assert view.viewer is not None
        if view.game.mode == "compiled" and source not in self.ready:
            return []
        return await self._run(weigh, source, view.players, view.options, view.raw, view.viewer)

    async def curve(self, source: str, match: Match, positions: Sequence[tuple[bytes, int]]) -> list[list[float]]:
        """A bot's estimate for every seat at each of these positions, given as hidden records of the seat to move."""
        work = [self._run(expect, source, match.players, match.options, raw, seat) for raw, seat in positions]
        return list(await asyncio.gather(*work))

    def warm_up(self, source: str, game: Game) -> None:
        """Compile a game in a separate process, then load the result here, so that sockets never wait for the compiler."""
        if source not in self.warming and game.mode == "compiled":
            self.warming[source] = asyncio.create_task(self._warm_up(source, game))

    async def _warm_up(self, source: str, game: Game) -> None:
        pool = helpers(1)
        try:
            await asyncio.get_running_loop().run_in_executor(pool, compile_game, source)
            await asyncio.to_thread(game.warm_up)
            self.ready.add(source)
        except Exception as problem:
            log.warning("%s is not compiled, so the quick bot replaces all bots that search (%s)", source, problem)
        finally:
            end(pool)

    async def _run(self, work: Callable[..., T], *arguments: Any) -> T:
        for last_try in (False, True):
            if self.pool is None:
                self.pool = helpers(self.workers)
            try:
                return await asyncio.get_running_loop().run_in_executor(self.pool, work, *arguments)
            except BrokenProcessPool:
                self.pool = None
                if last_try:
                    raise
        raise AssertionError

    def close(self) -> None:
        for task in self.warming.values():
            task.cancel()
        if self.pool is not None:
            end(self.pool)
            self.pool = None  # this also frees the system's semaphores, which a process killed by a signal would leak


def helpers(number: int) -> ProcessPoolExecutor:
    """Low-priority processes that think, compile or count for the server."""
    return ProcessPoolExecutor(number, mp_context=multiprocessing.get_context("spawn"), initializer=settle_in, initargs=(5,))


def end(pool: ProcessPoolExecutor) -> None:
    """Stop a pool now, without waiting for its running tasks."""
    for process in list((pool._processes or {}).values()):
        process.terminate()
    pool.shutdown(cancel_futures=True)


# ---- in the other process -----------------------------------------------------------------------------------------------


known_game = cache(load)
"""Games are loaded once per process, as in the server itself."""


_arrays = cache(arrays)
"""A process runs one search at a time, so the searches of all games and levels share one block of 148 MiB."""


@lru_cache(maxsize=64)
def _searcher(source: str, bot: str) -> Bot:
    return make(bot, known_game(source), arrays=_arrays)


def think(source: str, players: int, options: Mapping[str, Any], raw: bytes, seat: int, bot: str, seed: int) -> int:
    """Choose an action from a hidden record."""
    game = known_game(source)
    player = _searcher(source, bot) if bot.startswith(("level:", "mcts:")) else bot  # others may keep state: a new one each time
    return game.actions.parse(decide(_view(game, players, options, raw, seat), player, seed).move)


@lru_cache(maxsize=8)
def _judge(source: str) -> Judge:
    return Judge(known_game(source))


def weigh(source: str, players: int, options: Mapping[str, Any], raw: bytes, seat: int) -> list[advice.Weighed]:
    """Compare the best moves of a hidden record."""
    return advice.weigh(_judge(source), _view(known_game(source), players, options, raw, seat))


def expect(source: str, players: int, options: Mapping[str, Any], raw: bytes, seat: int) -> list[float]:
    """The reviewing bot's estimate for every seat, from a hidden record."""
    thoughts = decide(_view(known_game(source), players, options, raw, seat), REVIEWER, 1).thoughts
    assert thoughts is not None
    return [round(value, 3) for value in thoughts.values]


def _view(game: Game, players: int, options: Mapping[str, Any], raw: bytes, seat: int) -> Match:
    """The view that a hidden record was taken from."""
    view = game.new(0, players, options).view(seat)
    view.array[:] = np.frombuffer(raw, game.layout.dtype)
    return view


def compile_game(source: str) -> None:
    """Compile the rules and the bots' search into the cache on disk."""
    game = load(source)
    game.warm_up()
    match = game.new(0)
    if match.to_move is not None:
        decide(match.view(match.to_move), "mcts:4", 1)
