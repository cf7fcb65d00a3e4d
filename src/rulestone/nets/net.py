"""A net and its file: what it was trained for, how it sees the game, and its weights in 16 bits.

A file has a line that says what it is, a line of JSON (the header), and then the weights, layer by layer: those of each input, then the
biases. It only fits the game, the rules, the number of players and the options it was trained for.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rulestone.nets import forward
from rulestone.nets.encoding import Encoding
from rulestone.nets.lens import Lens, tables_of

if TYPE_CHECKING:
    from rulestone.game import Game
    from rulestone.kernel.record import Layout

MAGIC = b"rulestone net 1\n"
MOST_BYTES = 2_000_000
"""The largest file."""
MOST_WIDTH = 4096
SUFFIX = ".net"
OWN = "nets"
"""The folder in a game's folder with its own nets: `nets/2.net` plays with two players."""


class NetError(ValueError):
    """A net can't be read, or it isn't for this game."""


class Net:
    """A trained net: `header` says what it is for, `weights` are all its weights in one array, `name` is where it came from.

    >>> import rulestone
    >>> net_of("net", rulestone.load("connect_four"), 2)
    Traceback (most recent call last):
    ...
    rulestone.nets.net.NetError: connect_four has no net of its own for 2 players; train one with `rulestone train` and play it as net:FILE
    """

    def __init__(self, header: Mapping[str, Any], weights: NDArray[np.float32], name: str = "this net") -> None:
        self.header, self.weights, self.name = dict(header), np.ascontiguousarray(weights, np.float32), name
        self.players: int = self.header["players"]
        """The number of players it plays with."""
        self.options: dict[str, Any] = self.header["options"]
        """The options it plays with."""
        self.widths: tuple[int, ...] = tuple(self.header["widths"])
        """The widths of its hidden layers."""
        self.advised = bool(self.header["advised"])
        """Whether it asks the game's quick bot."""

    @staticmethod
    def header_for(game: Game, lens: Lens, options: Mapping[str, Any], widths: Sequence[int], trained: Mapping[str, Any]) -> dict[str, Any]:
        """Return the header of a net for a game; `trained` says how it was made."""
        return {
            "game": game.name,
            "version": game.version,
            "plays": game.plays,
            "players": lens.players,
            "options": dict(options),
            "actions": len(game.actions),
            "features": lens.features,
            "advised": lens.advised,
            "widths": list(widths),
            "lens": lens.as_json(),
            "trained": dict(trained),
        }

    def packed(self) -> bytes:
        """Return what is in its file. Raises NetError if it's too large."""
        whole = MAGIC + json.dumps(self.header, separators=(",", ":")).encode() + b"\n" + self.weights.astype("<f2").tobytes()
        if len(whole) > MOST_BYTES:
            raise NetError(f"the net would take {len(whole) / 1e6:.1f} MB, and the most is {MOST_BYTES / 1e6:.0f} MB; make it narrower")
        return whole

    def save(self, file: Path) -> None:
        """Write the net to a file, which is never seen half written. Raises NetError if it's too large or can't be written."""
        whole = self.packed()
        half = file.with_name(file.name + ".part")
        try:
            half.write_bytes(whole)
            half.replace(file)
        except OSError as problem:
            raise NetError(f"can't write {file}: {problem.strerror}") from None

    @staticmethod
    def load(file: str | Path) -> Net:
        """Read a net from a file. Raises NetError if it isn't one."""
        try:
            whole = Path(file).read_bytes()
        except OSError as problem:
            raise NetError(f"can't read the net {file}: {problem.strerror}") from None
        top, _, rest = whole[len(MAGIC) :].partition(b"\n")
        try:
            if not whole.startswith(MAGIC) or len(whole) > MOST_BYTES or len(rest) % 2:
                raise ValueError
            weights = np.frombuffer(rest, "<f2").astype(np.float32)
            net = Net(json.loads(top), weights, str(file))
            widths_fit = 0 < len(net.widths) <= forward.DEEPEST and all(0 < width <= MOST_WIDTH and width % 4 == 0 for width in net.widths)
            if not widths_fit or not np.isfinite(weights).all() or not isinstance(net.options, dict):
                raise ValueError
        except (ValueError, KeyError, TypeError):
            raise NetError(f"{file} is not a net that `rulestone train` made, or it's damaged") from None
        return net

    def check(self, game: Game, players: int | None = None, options: Mapping[str, Any] | None = None) -> Net:
        """Return this net if it's for a game, a number of players and options (as people write them). Raises NetError if not."""
        own = self.header
        if own.get("game") != game.name:
            raise NetError(f"{self.name} was trained for {own.get('game')}, not for {game.name}")
        if (own.get("version"), own.get("plays"), own.get("actions")) != (game.version, game.plays, len(game.actions)):
            raise NetError(f"{self.name} was trained for other rules of {game.name} than those here; train it again")
        if self.advised and game.greedy is None:
            raise NetError(f"{self.name} asks the bot greedy of {game.name}, which isn't there any more; train it again")
        if players is not None and players != self.players:
            raise NetError(f"{self.name} was trained for {self.players} players, not for {players}")
        if options is not None and dict(options) != self.options:
            wrong = next(name for name in {**options, **self.options} if options.get(name) != self.options.get(name))
            raise NetError(f"{self.name} was trained with {wrong} = {self.options.get(wrong)}, not {options.get(wrong)}")
        return self

    def lens(self, game: Game) -> Lens:
        """Return how it sees the game. Raises NetError if the file doesn't fit the game."""
        try:
            lens = Lens.from_json(self.header["lens"], game, self.players, int(self.header["features"]), self.advised)
            plan, _ = lens.table(game)
        except (ValueError, KeyError, TypeError, IndexError):
            raise NetError(f"{self.name} doesn't fit the record of {game.name}, or it's damaged") from None
        sizes = [int(plan[forward.INPUTS]), *self.widths, len(game.actions) + self.players]
        if len(self.weights) != sum((one + 1) * other for one, other in itertools.pairwise(sizes)) + self.advised:
            raise NetError(f"{self.name} is damaged: it has {len(self.weights):,} weights, which isn't what its layers need")
        return lens


@lru_cache(64)
def _loaded(file: str, changed: int) -> Net:
    return Net.load(file)


def own_file(game: Game, players: int) -> Path:
    """Return where a game keeps its own net for a number of players."""
    return game.folder / OWN / f"{players}{SUFFIX}"


def is_net(bot: str) -> bool:
    """Return whether the name of a bot names a net: `net` or `net:FILE`."""
    return bot == "net" or bot.startswith("net:")


def net_of(bot: str, game: Game, players: int, options: Mapping[str, Any] | None = None) -> Net:
    """Return the net that a bot's name names; `players` 0 stands for any number. Raises NetError if there is none for this."""
    file = Path(bot[4:]) if bot.startswith("net:") else own_file(game, players)
    if bot == "net" and not file.is_file():
        word = f"{players} player{'s' if players != 1 else ''}"
        raise NetError(f"{game.name} has no net of its own for {word}; train one with `rulestone train` and play it as net:FILE")
    try:
        changed = file.stat().st_mtime_ns
    except OSError as problem:
        raise NetError(f"can't read the net {file}: {problem.strerror}") from None
    return _loaded(str(file), changed).check(game, players or None, options)


class Minds:
    """Several nets of one game, as compiled or interpreted rules read them.

    `mind` is the nets themselves, which threads can share; `desk` makes what a thread needs besides.
    """

    def __init__(self, game: Game, layout: Layout, nets: Sequence[Net], compiled: bool) -> None:
        self.game, self.compiled, self.encoding = game, compiled, Encoding(game, layout)
        plans, tables = tables_of([net.lens(game) for net in nets], game)
        at = 0
        for plan, net in zip(plans, nets, strict=True):
            plan[forward.WEIGHTS], plan[forward.LAYERS], plan[forward.ACTIONS] = at, len(net.widths), len(game.actions)
            plan[forward.OUTPUTS] = len(game.actions) + net.players
            plan[forward.WIDTHS : forward.WIDTHS + len(net.widths)] = net.widths
            at += len(net.weights)
        weights = np.concatenate([*(net.weights for net in nets), np.zeros(1, np.float32)])
        self.most = int(plans[:, forward.MOST].max(initial=0)) + 1
        layers = [int(plan[forward.FEATURES] + plan[forward.WIDTHS :].sum()) for plan in plans]
        self.room = self.most + max(layers, default=0) + 1
        self.mind = tuple(self.plain(array) for array in (plans, tables, weights, self.encoding.runs))

    def plain(self, array: NDArray[Any]) -> Any:
        """Return an array as rules read it: itself, or for interpreted rules a view that returns plain numbers."""
        return array if self.compiled else memoryview(array)  # type: ignore[arg-type]

    def desk(self, records: NDArray[Any]) -> tuple[Any, ...]:
        """Return a thread's own arrays, for its scratch records."""
        views = tuple(self.plain(part) for part in self.encoding.parts(records))
        arrays = np.zeros((len(records), self.encoding.size), np.int32), np.zeros(self.most, np.int32), np.zeros(self.room)
        return (views, *(self.plain(array) for array in arrays))
