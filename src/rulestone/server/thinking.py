"""Bots think in other processes, so they never block the sockets. They get hidden records, never the true one."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import multiprocessing
import os
import random
import re
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cache, lru_cache
from typing import Any, TypeVar

import numpy as np

from rulestone import undo
from rulestone.bots import Bot, decide, make
from rulestone.bots.search import arrays
from rulestone.game import Game, load
from rulestone.helper import settle_in
from rulestone.match import Match, replay
from rulestone.review import Judge, advice
from rulestone.server import metrics
from rulestone.table import Face
from rulestone.table.film import animated

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
    "champion": "Champion",
}
OPPONENT, GENTLE, HELPER, REVIEWER = "level:3", "level:1", "level:4", "mcts:400"
"""The default opponent, the one for people who have just learned a game, the bot that gives hints and plays for absent players, and
the bot that reviews finished games."""


FRAMES, LARGEST_FILM = 120, 1_500_000
"""How many positions an animated picture of a game shows at most, and how many characters it may have."""
more_bots: list[str] = []
"""Extra bots of this server (`rulestone serve --bot`), by name."""


def levels(game: Game) -> dict[str, str]:
    """The bots of a game with their labels, weakest first, followed by this server's extra bots."""
    there = {"greedy": game.greedy is not None, "champion": bool(game.champion)}
    own = {name: label for name, label in LABELS.items() if there.get(name, True)}
    return {**own, **{name: name for name in more_bots}}


def quick(game: Game) -> str:
    """The bot that plays while the search is still being compiled."""
    return "greedy" if game.greedy is not None else "random"


QUICK = ("random", "greedy", "level:1", "level:2", "level:3", "level:4")
"""Bots that decide within a twentieth of a second. They never wait for others."""
VARIANTS, STUCK = 8, 60.0
"""How many variants one process knows at most, and how many seconds a piece of its work may take."""
SEARCHERS = ("level:", "mcts:", "champion")
"""How the names of bots begin that keep the memory of their search from move to move."""


class Shares:
    """A few places for work that takes long. Whoever waits for one takes turns by whose work it is, not by how much of it there is."""

    def __init__(self, places: int) -> None:
        self.places, self.busy = places, 0
        self.waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    @contextlib.asynccontextmanager
    async def place(self, owner: str) -> AsyncIterator[None]:
        """Wait for a place, and have it for a while."""
        if self.busy < self.places:
            self.busy += 1
        else:
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self.waiting.setdefault(owner, deque()).append(turn)
            try:
                with metrics.timing(metrics.QUEUED):
                    await turn
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled():  # it was this one's turn just now
                    self._free()
                raise
        try:
            yield
        finally:
            self._free()

    def _free(self) -> None:
        """Give a place to the next owner in turn, who then waits behind all others."""
        while self.waiting and self.busy <= self.places:
            owner, turns = self.waiting.popitem(last=False)
            turn = turns.popleft()
            if turns:
                self.waiting[owner] = turns
            if not turn.done():
                turn.set_result(None)
                return
        self.busy -= 1

    def resize(self, places: int) -> None:
        """Have more or fewer places from now on."""
        self.places = places
        while self.waiting and self.busy < self.places:
            self.busy += 1
            self._free()


class Thinker:
    """A pool of processes that know the games: some for what takes long, in fair shares, and one more for what is quick.

    `owner` is whose work it is: somebody who has much of it waits for themselves, not others for them.
    """

    def __init__(self, workers: int = 0) -> None:
        self.workers = workers or max(2, (os.cpu_count() or 2) - 1)
        self.shares = Shares(self.workers)
        self.pool: ProcessPoolExecutor | None = None
        self.variants: set[str] = set()
        """Sources of variants that guests have made: they are never compiled here, and think in a process of their own."""
        self.apart: ProcessPoolExecutor | None = None
        self.known: set[str] = set()
        """The variants that this process knows."""
        self.turn, self.compiling = asyncio.Lock(), asyncio.Lock()
        """Held while that process works, and while a variant is compiled: one after the other."""
        self.warming: dict[str, asyncio.Task[None]] = {}
        self.ready: set[str] = set()

    async def choose(self, source: str, view: Match, bot: str, seed: int | None = None, owner: str = "") -> tuple[int, str]:
        """The action a bot chooses, given the view of its own seat and a seed (without one: any), and the bot that really chose it."""
        assert view.viewer is not None
        if view.game.mode == "compiled" and source not in self.ready and bot not in ("random", "greedy"):
            bot = quick(view.game)
        given = (source, view.players, view.options, view.raw, view.viewer)
        seed = random.getrandbits(63) if seed is None else seed
        try:
            if bot in QUICK:
                return await self._run(think, *given, bot, seed), bot
            return await self._share(owner, think, *given, bot, seed), bot
        except BrokenProcessPool:
            raise
        except TimeoutError:
            log.warning("the bot %s got stuck in %s; a random move is made instead", bot, source)
            return random.choice(view.legal_actions()), "random"
        except Exception:
            if bot not in more_bots:
                raise
            log.exception("the bot %s could not decide; the quick bot moves instead", bot)
            return await self._run(think, *given, quick(view.game), seed), quick(view.game)

    async def weigh(self, source: str, view: Match, owner: str = "") -> list[advice.Weighed]:
        """The best moves in the view of one's own seat with the chances they keep; none while the search is still being compiled."""
        assert view.viewer is not None
        if view.game.mode == "compiled" and source not in self.ready:
            return []
        return await self._share(owner, weigh, source, view.players, view.options, view.raw, view.viewer)

    async def curve(self, source: str, match: Match, positions: Sequence[tuple[bytes, int]], owner: str = "") -> list[list[float]]:
        """A bot's estimate for every seat at each of these positions, given as hidden records of the seat to move."""
        work = [self._share(owner, expect, source, match.players, match.options, raw, seat) for raw, seat in positions]
        return list(await asyncio.gather(*work))

    async def film(self, source: str, record: Mapping[str, Any], owner: str = "") -> str:
        """A finished game as an animated SVG."""
        return await self._share(owner, film, source, record)

    async def _share(self, owner: str, work: Callable[..., T], *arguments: Any) -> T:
        async with self.shares.place(owner):
            return await self._run(work, *arguments)

    def warm_up(self, source: str, game: Game) -> None:
        """Compile a game in a separate process, then load the result here, so that sockets never wait for the compiler."""
        if source not in self.warming and game.mode == "compiled":
            self.warming[source] = asyncio.create_task(self._warm_up(source, game))

    async def _warm_up(self, source: str, game: Game) -> None:
        made = source in self.variants
        async with self.compiling if made else contextlib.nullcontext():
            await self._compile(source, None if made else game)

    async def _compile(self, source: str, game: Game | None) -> None:
        """Compile a game for bots and, if it is given, for this process. Last comes what only undo needs, so that nobody waits for it."""
        pool = helpers(1)
        try:
            await asyncio.get_running_loop().run_in_executor(pool, compile_game, source)
            if game is not None:
                await asyncio.to_thread(game.warm_up)
            self.ready.add(source)
            metrics.COMPILED.set(len(self.ready))
            if game is not None:
                await asyncio.get_running_loop().run_in_executor(pool, compile_undo, source)
                await asyncio.to_thread(undo.warm_up, game)
        except Exception as problem:
            slower = (
                "it takes longer to find out what can be undone" if source in self.ready else "the quick bot replaces all bots that search"
            )
            log.warning("%s is not compiled, so %s (%s)", source, slower, problem)
        finally:
            end(pool)

    async def try_out(self, source: str) -> str:
        """Load a variant and try it out where nothing else can be harmed. Returns why it can't be played; "" if it can."""
        try:
            return await self._run(tried, source)
        except (TimeoutError, BrokenProcessPool):
            return "The game can't be played with these values: trying it out took too long."

    async def _run(self, work: Callable[..., T], *arguments: Any) -> T:
        for last_try in (False, True):
            asked = time.perf_counter()
            try:
                if arguments[0] in self.variants:
                    result, seconds = await self._run_apart(work, *arguments)
                else:
                    self.pool = self.pool or helpers(self.workers + 1)
                    result, seconds = await asyncio.get_running_loop().run_in_executor(self.pool, timed, work, *arguments)
            except BrokenProcessPool:
                self.pool = None
                if last_try:
                    raise
                continue
            metrics.THOUGHT.observe(seconds)
            metrics.WAITED.observe(max(0.0, time.perf_counter() - asked - seconds))
            return result
        raise AssertionError

    async def _run_apart(self, work: Callable[..., T], source: str, *arguments: Any) -> tuple[T, float]:
        """Work for a variant. Its process is ended when it knows many of them, or gets stuck: then this raises TimeoutError."""
        async with self.turn:
            if self.apart is None or (source not in self.known and len(self.known) >= VARIANTS):
                self._part()
                self.apart = helpers(1)
            self.known.add(source)
            going = asyncio.get_running_loop().run_in_executor(self.apart, timed, work, source, *arguments)
            await asyncio.wait([going], timeout=STUCK)
            if going.done() and not isinstance(going.exception(), BrokenProcessPool):
                return going.result()
            self._part()
            going.add_done_callback(lambda future: future.cancelled() or future.exception())
            raise TimeoutError

    def _part(self) -> None:
        """End the process of the variants."""
        if self.apart is not None:
            end(self.apart)
        self.apart, self.known = None, set()

    async def open(self) -> None:
        """Look for others who think, if there can be any."""

    async def hang_up(self) -> None:
        """Don't ask others any more."""

    def close(self) -> None:
        for task in self.warming.values():
            task.cancel()
        self._part()
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


def timed(work: Callable[..., T], *arguments: Any) -> tuple[T, float]:
    """What some work returns, and the seconds it took."""
    began = time.perf_counter()
    return work(*arguments), time.perf_counter() - began


def think(source: str, players: int, options: Mapping[str, Any], raw: bytes, seat: int, bot: str, seed: int) -> int:
    """Choose an action from a hidden record."""
    game = known_game(source)
    player = _searcher(source, bot) if bot.startswith(SEARCHERS) else bot  # others may keep state: a new one each time
    return game.actions.parse(decide(view_of(game, players, options, raw, seat), player, seed).move)


@lru_cache(maxsize=8)
def _judge(source: str) -> Judge:
    return Judge(known_game(source))


def weigh(source: str, players: int, options: Mapping[str, Any], raw: bytes, seat: int) -> list[advice.Weighed]:
    """Compare the best moves of a hidden record."""
    return advice.weigh(_judge(source), view_of(known_game(source), players, options, raw, seat))


def expect(source: str, players: int, options: Mapping[str, Any], raw: bytes, seat: int) -> list[float]:
    """The reviewing bot's estimate for every seat, from a hidden record."""
    thoughts = decide(view_of(known_game(source), players, options, raw, seat), REVIEWER, 1).thoughts
    assert thoughts is not None
    return [round(value, 3) for value in thoughts.values]


def film(source: str, record: Mapping[str, Any]) -> str:
    """A finished game as an animated SVG, as a spectator saw it. Of a long game, every n-th position; an ending is a moment."""
    match = replay(record, known_game(source))
    face, most = Face.of(match.game), FRAMES
    while True:
        step = max(1, -(-match.length // most))
        views = [match.at(index).view(None) for index in (*range(0, match.length, step), *[match.length] * 3)]
        words = [re.sub(r"\s*\[[RQ].*?\]", "", (face.ending(view)[:1] if view.over else face.story(view) or ("",))[0]) for view in views]
        text = animated([face.scene(view, None) for view in views], words, 1.0)
        if len(text) < LARGEST_FILM or most < 10:
            return text
        most //= 2


def view_of(game: Game, players: int, options: Mapping[str, Any], raw: bytes, seat: int) -> Match:
    """The view that a hidden record was taken from."""
    view = game.new(0, players, options).view(seat)
    view.array[:] = np.frombuffer(raw, game.layout.dtype)
    return view


def tried(source: str) -> str:
    """Try a variant out. Returns why it can't be played; "" if it can."""
    try:
        known_game(source)
    except ValueError as problem:
        return str(problem)
    return ""


def compile_game(source: str) -> None:
    """Compile the rules and the bots' search into the cache on disk."""
    game = load(source)
    game.warm_up()
    match = game.new(0)
    if match.to_move is not None:
        decide(match.view(match.to_move), "mcts:4", 1)


def compile_undo(source: str) -> None:
    """Compile what tries out whether moves can be undone into the cache on disk."""
    undo.warm_up(load(source))
