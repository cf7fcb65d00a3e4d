"""Undo: which moves players can undo without revealing anything.

A move can be undone if everybody saw all of it and nobody learnt anything from it. Players see whether a move can be undone, so the
answer must not depend on anything they can't know. That's why the worlds tried here are drawn from common knowledge, with dice that follow
from it. A move that somebody didn't fully see can never be undone, because that would reveal that it was made, or that it's gone.

>>> import rulestone
>>> match = rulestone.load("connect_four").new(seed=7)
>>> events = match.play("drop 3")
>>> refusal(match, 0, [0, 1]) is None
True
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulestone.engine import foreseen
from rulestone.game import Game
from rulestone.kernel.about import SPECTATOR
from rulestone.kernel.actions import Move
from rulestone.match import Match

WORLDS = 64
"""How many redealt worlds are tried before a move counts as having revealed nothing."""
SECRET = "You can't undo a move that the others didn't fully see."
REVEALED = "You can't undo this: new information was revealed."
PERHAPS = "You can't undo this: new information may have been revealed."
QUICK = "undo"
"""Under this name a game's memo has `engine.foreseen` once it's compiled; see `warm_up`."""
WORDS = 8
"""How many random words each viewer gets for a world. On average they need six."""


def warm_up(game: Game) -> None:
    """Compile what tries moves out, or load it from the cache, so that most answers come ten times as fast. They are the same."""
    if game.mode == "compiled" and QUICK not in game.memo:
        quick = game.compiled(foreseen.foreseen)
        laid_out = _laid_out(game, game.layout.array(1).tobytes(), b"", [SPECTATOR])
        quick(*laid_out, 0, 0, 0, np.zeros(1, np.int16), np.frombuffer(bytes(4), "<u4"))
        game.memo[QUICK] = quick


def refusal(match: Match, index: int, viewers: Iterable[int | None]) -> str | None:
    """Return why move number `index` can't be undone at a table with these viewers, as a sentence; None if it can.

    While several players decide at the same time, only the player who made the move counts, because the others don't notice it.
    """
    if match.undisclosed(index):
        return revealed(match, index, [match.mover(index)])
    if secret(match, index):
        return SECRET
    return revealed(match, index, viewers)


def secret(match: Match, index: int) -> bool:
    """Return whether anybody, including bots and spectators, did not see all of move number `index`."""
    whole = match.moves[index]
    return any(match.moves_seen_by(viewer)[index] != whole for viewer in range(SPECTATOR, match.players))


def reveals(match: Match, index: int, viewers: Iterable[int | None]) -> bool:
    """Return whether one of these viewers learnt anything from move number `index`, beyond the move itself.

    It's found by experiment: in worlds redealt from what the viewer knew before, with other dice, a move is made that looks the same to
    them. If they see in each of these worlds exactly what they really saw, they have learnt nothing. The answer is always the same.
    """
    return revealed(match, index, viewers) is not None


def revealed(match: Match, index: int, viewers: Iterable[int | None], asker: int | None = None) -> str | None:
    """Return the same as the sentence for `asker` (by default the player who made the move); None if nothing was revealed.

    The sentence is certain only about what the asker knows: what everybody saw, or what they saw themselves. That others have learnt
    something is only a possibility.
    """
    eyes = [SPECTATOR if viewer is None else viewer for viewer in viewers]
    made = match.actions[index]
    before, after = _World(match), _World(match)
    before.load(match.array_before(index).tobytes())
    after.load(match.raw_at(index + 1))
    if len(eyes) > 1 and _may_tell(before, made, eyes):
        eyes = [SPECTATOR, match.mover(index) if asker is None else asker]
        return REVEALED if any(_learns(before, after, made, viewer) for viewer in eyes) else PERHAPS
    return REVEALED if any(_learns(before, after, made, viewer) for viewer in eyes) else None


def _may_tell(before: _World, made: int, eyes: list[int]) -> bool:
    """Return whether the move could have revealed something to somebody, judging only by common knowledge."""
    known, word = before.seen_by(SPECTATOR), before.word(made, SPECTATOR)
    drawn_from = known + str(word).encode()
    quickly = _quickly(before, [SPECTATOR, *eyes], made, word, known, b"", drawn_from)
    if quickly is not None:
        return quickly
    chance = random.Random(drawn_from)
    world, other = before.twin(), before.twin()
    explained = False
    for _ in range(WORLDS):
        world.redeal(before, SPECTATOR, chance)
        alike = world.alike(word, SPECTATOR)
        if not alike:
            continue
        explained = True
        action = world.choose(alike, chance)
        seen = {viewer: world.word(action, viewer) for viewer in eyes}
        others = []
        for viewer in eyes:
            other.redeal(world, viewer, chance)
            choices = other.alike(seen[viewer], viewer)
            if not choices:
                return True
            other.play(other.choose(choices, chance), chance)
            others.append(other.seen_by(viewer))
        world.play(action, chance)
        if others != [world.seen_by(viewer) for viewer in eyes]:
            return True
        if not (world.tossed or other.tossed):
            return False
    return not explained


def _learns(before: _World, after: _World, made: int, viewer: int) -> bool:
    """Return whether this viewer saw something that they would not have seen in every world that looked the same to them."""
    known, seen, word = before.seen_by(viewer), after.seen_by(viewer), before.word(made, viewer)
    drawn_from = known + seen + str(word).encode()
    quickly = _quickly(before, [viewer], made, word, known, seen, drawn_from)
    if quickly is not None:
        return quickly
    chance = random.Random(drawn_from)
    world = before.twin()
    for _ in range(WORLDS):
        world.redeal(before, viewer, chance)
        alike = world.alike(word, viewer)
        if not alike:
            return True
        world.play(world.choose(alike, chance), chance)
        if world.seen_by(viewer) != seen:
            return True
        if not world.tossed:
            return False
    return False


def _quickly(before: _World, eyes: list[int], made: int, word: Move | None, known: bytes, seen: bytes, drawn_from: bytes) -> bool | None:
    """Return the same as `_learns` for the only viewer in `eyes`, or as `_may_tell` for those after the first; None if it isn't known.

    It is if the move is seen whole and the game is compiled (see `warm_up`). That depends only on what the viewer knows, or everybody, so
    the time it takes tells nobody more than the answer.
    """
    quick = before.game.memo.get(QUICK)
    if quick is None or word is None or None in word:
        return None
    count = WORLDS * WORDS * len(eyes)
    dice = random.Random(drawn_from).randbytes(4 * count)
    found = quick(*_laid_out(before.game, known, seen, eyes), made, (1 << len(word)) - 1, WORLDS, before.moves, np.frombuffer(dice, "<u4"))
    return None if found == foreseen.UNCERTAIN else found == foreseen.NEWS


def _laid_out(game: Game, known: bytes, seen: bytes, eyes: list[int]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return scratch records for `engine.foreseen`, with what is known and what was seen filled in; their words; and the eyes."""
    records = game.layout.array(foreseen.SEEN + max(1, len(eyes) - 1))
    words = records.view(np.uint64).reshape(len(records), -1)
    words[foreseen.KNOWN] = np.frombuffer(known, np.uint64)
    if seen:
        words[foreseen.SEEN] = np.frombuffer(seen, np.uint64)
    return records, words, np.array(eyes)


class _World:
    """A scratch record to try moves in."""

    def __init__(self, match: Match) -> None:
        self.match, self.game = match, match.game
        self.array, self.hidden = match.game.layout.array(1), match.game.layout.array(1)
        self.hidden_reader = match.game.reader(self.hidden)
        self.bytes, self.hidden_bytes = self.array.view(np.uint8).data, self.hidden.view(np.uint8).data
        """The same records: copied as bytes, they take a hundredth of the time."""
        self.moves = np.zeros(len(match.game.actions), np.int16)
        self.tossed = False
        """Whether chance has ever had a say in this world. If it hasn't, all worlds are the same, and one is enough."""

    @cached_property
    def reader(self) -> Any:
        """What the record is read by here, and by interpreted rules."""
        return self.game.layout.reader(self.array)

    def twin(self) -> _World:
        return _World(self.match)

    def load(self, raw: bytes) -> None:
        self.bytes[:] = raw

    def run(self, name: str, *arguments: Any) -> Any:
        return self.game.run(name, self.array, self.reader, *arguments)

    def seen_by(self, viewer: int) -> bytes:
        self.hidden_bytes[:] = self.bytes
        self.game.run("conceal", self.hidden, self.hidden_reader, viewer)
        self.hidden["ply"] = 0  # with unnoticed moves, worlds that look the same to one viewer can have another ply for somebody else
        return self.hidden.tobytes()

    def redeal(self, other: _World, viewer: int, chance: random.Random) -> None:
        """Become a random world that looks the same to the viewer as the other one."""
        time.sleep(0)  # whoever waits for Python's lock gets it here
        self.load(other.seen_by(viewer))
        self.toss("redeal", viewer, chance)

    def word(self, action: int, viewer: int) -> Move | None:
        """Return an action as the viewer would see it here; None if they wouldn't notice it."""
        return self.match.seen_as(self.array, action, viewer)

    def alike(self, word: Move | None, viewer: int) -> list[int]:
        """Return the legal actions that look like this to the viewer."""
        possible = self.moves[: self.run("legal", self.moves)].tolist() if self.reader.to_move >= 0 else []
        if word is not None and None not in word:  # no other action can look like one that is seen whole
            possible = [action for action in possible if action == self.game.actions.parse(word)]
        return [action for action in possible if self.word(action, viewer) == word]

    def play(self, action: int, chance: random.Random) -> None:
        self.toss("step", action, chance)

    def toss(self, name: str, argument: int, chance: random.Random) -> None:
        """Run a rule with new dice, and notice whether it throws them."""
        self.reader.rng = dice = chance.getrandbits(64)
        self.run(name, argument)
        self.tossed |= self.reader.rng != dice

    def choose(self, actions: list[int], chance: random.Random) -> int:
        """Choose one of the actions."""
        self.tossed |= len(actions) > 1
        return chance.choice(actions)
