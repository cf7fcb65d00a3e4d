"""What viewers can find out: the part of the contract that needs many games and some statistics.

A position, what a viewer sees of it, and a world imagined from that: given what the viewer sees, the truth and the imagined world must be
two draws from the same urn. So whichever value of a hidden cell goes together with something visible – a number in the story, an open
field, or nothing in particular – must do so as often in the truth as in imagined worlds. Where it doesn't, an event or a field gives the
secret away, or `redeal` prefers some worlds.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulestone.engine import unnoticed
from rulestone.game import Game
from rulestone.kernel.about import SPECTATOR
from rulestone.kernel.actions import Move
from rulestone.kernel.chance import MASK, stream
from rulestone.kernel.story import A_ROW, ARGUMENTS, AUDIENCE, EVENT

SURE = 6.0
"""How many standard deviations a difference must have. Thousands of pairs are compared, and none may be a false alarm."""
LARGE = 0.35
"""After the first move, how many of the pairs that differ must differ in one direction. What players do tells a little about their
cards, and `redeal` needn't know that."""
OFTEN, OTHER = 8, 0.2
"""A move gives a hidden cell away if two of its values or more, each seen OFTEN, go together with one value of the cell each; and if the
cell has another value in at least this share of imagined worlds."""
FEW, MANY = 12, 40
"""Something visible takes part if it has at most FEW values; a hidden cell, if it has at most MANY."""


@dataclass(frozen=True)
class Secret:
    """Something a viewer can find out, or a world that is imagined too often."""

    what: str
    viewer: int
    game: int
    moves: list[str]


@dataclass
class Sample:
    """Positions of many games as one viewer sees them, the truth behind each, and a world imagined for each."""

    viewer: int
    truth: NDArray[Any]
    view: NDArray[Any]
    world: NDArray[Any]
    games: list[tuple[int, list[str]]]
    """The number of each position's game, and the moves that led there."""
    latest: list[Move | None]
    """The last of these moves as the viewer sees it; None if there is none, or if it is theirs."""


def found_out(game: Game, players: int, seed: int, positions: int) -> Secret | None:
    """The first secret that a viewer can find out, at the start of many games and later on; None if there is none."""
    if game.about.perfect_information or positions < 1:
        return None
    for deep in (False, True):
        samples = list(_samples(game, players, seed, positions * (1 + deep), deep))
        if not deep and (secret := _shown(game, samples)):
            return secret
        for sample in samples:
            if deep and (secret := _named(game, sample)):
                return secret
            if secret := _unlike(game, sample, 0.0 if not deep else LARGE):
                return secret
    return None


def _runner(game: Game) -> Callable[..., Any]:
    """Return `game.run`, but compiled if possible, whether or not the game's matches are."""
    if game.mode == "interpreted":
        return game.run
    fast = {template.__name__.removesuffix("_at"): game.compiled(template) for template in game.entries}
    return lambda name, array, reader, *arguments: fast[name](array, 0, *arguments)


def _samples(game: Game, players: int, seed: int, positions: int, deep: bool) -> Iterator[Sample]:
    """Yield, for a spectator and each player, the same positions: all at the start of games, or anywhere in them."""
    start, _ = game.prepared(players, None)
    run = _runner(game)
    chooser, one = random.Random(seed), start.copy()
    truth, games, latest = np.repeat(start, positions), [], []
    reader, moves = game.layout.reader(one), np.zeros(len(game.actions), np.int16)
    for number in range(positions):
        one[:] = start
        reader.rng = stream(seed, number) & MASK
        run("begin", one, reader)
        played: list[str] = []
        made: tuple[NDArray[Any], int] | None = None
        last = chooser.randrange(1, 12) if deep else 0
        while reader.to_move >= 0 and (len(played) < last or (game.simultaneous and played and run("deciding", one, reader))):
            before = one.copy()
            count = run("legal", one, reader, moves)
            action = int(moves[chooser.randrange(count)])
            run("step", one, reader, action)
            if reader.to_move < 0:  # at the end everything may lie open: look at the position before
                one[:] = before
                made = None
                break
            made = (before, action)
            played.append(str(game.actions.decode(action)))
        truth[number] = one[0]
        latest.append([_seen(game, made, viewer) for viewer in range(SPECTATOR, players)])
        games.append((number, played))
    for viewer in range(SPECTATOR, players):
        view, world = truth.copy(), truth.copy()
        for number in range(positions):
            one[:] = truth[number]
            run("conceal", one, reader, viewer)
            view[number] = one[0]
            reader.rng = stream(seed + 1001 + viewer, number) & MASK
            run("redeal", one, reader, viewer)
            world[number] = one[0]
        yield Sample(viewer, truth, view, world, games, [moves[viewer - SPECTATOR] for moves in latest])


def _seen(game: Game, made: tuple[NDArray[Any], int] | None, viewer: int) -> Move | None:
    """A move as somebody else sees it."""
    if made is None or game.layout.reader(made[0]).to_move == viewer:
        return None
    return game.actions.decode(made[1], game.seen(*made, viewer))


def _cells(records: NDArray[Any], field: str) -> NDArray[Any]:
    return np.asarray(records[field]).reshape(len(records), -1)


def _whose(viewer: int) -> str:
    return "a spectator" if viewer == SPECTATOR else f"player {viewer}"


def _cell(game: Game, field: str, cell: int) -> str:
    """A cell of a field as a designer writes it: `hand[2, 0]`."""
    shape = game.layout.fields[field].type.shape
    return f"{field}[{', '.join(str(int(k)) for k in np.unravel_index(cell, shape))}]" if shape else field


def _shown(game: Game, samples: list[Sample]) -> Secret | None:
    """A cell shown to some who shouldn't see it: `hide` blanks it for others like them, or the cells beside it for everybody.

    `redeal` can't mend that, and then no other check notices it: the viewer simply knows. Cells that are the same in every game are no
    secret, and a row for each seat belongs to the player who sits there.
    """
    for field, declared in game.layout.own.items():
        truth = _cells(samples[0].truth, field)
        varies = (truth != truth[0]).any(axis=0)
        shown = np.array([((_cells(one.view, field) == truth) & (_cells(one.world, field) == truth)).all(axis=0) for one in samples])
        if field in _notes(game) or shown[:, varies].all():
            continue
        shape = declared.type.shape
        width = len(varies) // shape[0] if shape and shape[0] == game.max_players else 0
        for cell in np.flatnonzero(varies):
            owner = int(cell) // width if width else None
            strangers = [k for k, one in enumerate(samples) if one.viewer != owner]
            seers = [k for k in strangers if shown[k, cell]]
            if len(seers) == len(strangers):
                row = slice(owner * width, (owner + 1) * width) if owner is not None else slice(None)
                hidden = varies[row] & ~shown[strangers][:, row].any(axis=0)
                if field not in getattr(game.rules, "OPEN", ()) and hidden.any():
                    beside = _cell(game, field, (row.start or 0) + int(np.flatnonzero(hidden)[0]))
                    told = f"hide shows everybody {_cell(game, field, int(cell))}, but hides {beside}"
                    return Secret(f"{told}; if that part is open on purpose, add {field!r} to OPEN", samples[seers[0]].viewer, 0, [])
            elif seers and (owner is not None or len(seers) > 1):
                blind = next(k for k in strangers if k not in seers)
                sees, not_seen = (_whose(samples[k].viewer) for k in (seers[-1], blind))
                told = f"hide shows {_cell(game, field, int(cell))} to {sees}, but not to {not_seen}"
                return Secret(told, samples[seers[-1]].viewer, 0, [])
    return None


def _notes(game: Game) -> tuple[str, ...]:
    """The fields that imagined worlds may leave blank: players' notes, as the game declares them, and the engine's own."""
    return (*getattr(game.rules, "NOTES", ()), unnoticed.FIELD)


def _visible(game: Game, sample: Sample) -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield what the viewer sees: nothing in particular, the numbers in the story, and open fields."""
    yield "", np.zeros(len(sample.view), np.int64)
    story = np.asarray(sample.view["story"]).astype(np.int64)
    told = np.minimum(np.asarray(sample.view["told"]), story.shape[1])
    there = np.arange(story.shape[1]) < told[:, None]
    for code, name in enumerate(game.events.order):
        says = there & (story[:, :, EVENT] == code) & (story[:, :, AUDIENCE] < game.max_players)
        if not says.any():
            continue
        first = says.argmax(axis=1)
        for place, word in enumerate(game.events.arguments[name]):
            row = np.minimum(first + place // A_ROW, story.shape[1] - 1)
            value = story[np.arange(len(story)), row, ARGUMENTS + place % A_ROW]
            yield f"the event {name!r} with its number {word!r}", np.where(says.any(axis=1), value, -(1 << 20))
    for field in game.layout.own:
        values = _cells(sample.view, field)
        for cell in range(values.shape[1]):
            yield f"the field {_cell(game, field, cell)}", values[:, cell].astype(np.int64)


def _named(game: Game, sample: Sample) -> Secret | None:
    """A hidden cell that the last move names, as the viewer sees it: whichever card is laid, that is what lies there."""
    rows: dict[tuple[str, int], dict[int, list[int]]] = {}
    for number, move in enumerate(sample.latest):
        if move is not None:
            for place, value in enumerate(move.args):
                if value is not None:
                    rows.setdefault((move.verb, place), {}).setdefault(value, []).append(number)
    fields = [field for field in game.layout.own if field not in _notes(game)]
    for (verb, place), by_value in rows.items():
        groups = [found for found in by_value.values() if len(found) >= OFTEN]
        for field in fields if len(groups) > 1 else ():
            truth, world = _cells(sample.truth, field), _cells(sample.world, field)
            fixed = np.all([(truth[found] == truth[found[0]]).all(axis=0) for found in groups], axis=0)
            named = np.array([truth[found[0]] for found in groups])
            all_rows = [number for found in groups for number in found]
            other = (truth[all_rows] != world[all_rows]).mean(axis=0) >= OTHER
            for cell in np.flatnonzero(fixed & other & (named != named[0]).any(axis=0)):
                shown, always = str(sample.latest[groups[0][0]]), f"{_cell(game, field, int(cell))} is always {int(named[0][cell])}"
                told = f"the move {shown!r} tells {_whose(sample.viewer)} about a hidden field: then {always}"
                told += f"; hide that part of {verb!r} (argument {place + 1}) with seen(s, action, viewer)"
                return Secret(told, sample.viewer, *sample.games[groups[0][0]])
    return None


def _unlike(game: Game, sample: Sample, large: float) -> Secret | None:
    """The hidden cell and the visible thing that go together more often, or less often, in the truth than in imagined worlds."""
    hidden: list[tuple[str, int]] = []
    columns, truths = [], []
    for field in game.layout.own:
        truth, world = _cells(sample.truth, field), _cells(sample.world, field)
        if field in _notes(game):
            continue
        for cell in np.flatnonzero((truth != world).any(axis=0)):
            values = np.unique(np.concatenate([truth[:, cell], world[:, cell]]))
            if len(values) <= MANY:
                for value in values:
                    hidden.append((_cell(game, field, int(cell)), int(value)))
                    truths.append(truth[:, cell] == value)
                    columns.append((truth[:, cell] == value).astype(np.float32) - (world[:, cell] == value))
    if not hidden:
        return None
    names, visible = [], []
    for name, values in _visible(game, sample):
        kinds = np.unique(values)
        if not name or 1 < len(kinds) <= FEW:
            for kind in kinds[kinds > -(1 << 20)]:
                names.append(f"{name} {kind}" if name else "")
                visible.append((values == kind).astype(np.float32))
    apart, seen = np.array(columns), np.array(visible)
    sums, counts = seen @ apart.T, seen @ np.abs(apart).T
    with np.errstate(invalid="ignore", divide="ignore"):
        away = np.where(counts > 0, np.abs(sums) / np.sqrt(counts), 0.0)
        if large:  # what goes together with everything alike is how players play, not what they know
            lean = np.where(counts > 0, sums / counts, 0.0)
            away[np.abs(lean - lean[0]) < large] = 0.0
    thing, cell = np.unravel_index(int(away.argmax()), away.shape)
    if away[thing, cell] < SURE:
        return None
    (name, value), together = hidden[cell], seen[thing] > 0
    real, dreamt = (int((together & flags).sum()) for flags in (truths[cell], truths[cell] != (columns[cell] != 0)))
    sees, total = _whose(sample.viewer), int(together.sum())
    often = f"{name} is {value} in {real} of {total} real positions, but in {dreamt} of the worlds imagined from them"
    usual = truths[cell].mean() * total
    if names[thing] and abs(dreamt - usual) > abs(real - usual):  # the worlds are surer of it than the truth
        what = f"redeal for {sees} is biased: where {names[thing]} is seen, {often}"
    elif names[thing]:
        what = f"{names[thing]} tells {sees} about a hidden field: then {often}"
    else:
        what = f"redeal for {sees} is biased: {often}"
    example = int(np.flatnonzero(together & (columns[cell] != 0))[0])
    return Secret(what, sample.viewer, *sample.games[example])
