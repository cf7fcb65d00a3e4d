"""What can be taken back: a move that everybody saw, and from which nobody learnt anything.

Whether a move may be taken back is told, so it must not depend on anything that those who hear it cannot know. Hence the worlds tried
here are drawn from what is known in common, with dice that follow from that; and a move that somebody else did not see in full is never
taken back, because that would tell them that there was one, or that it is gone.

>>> import rulestone
>>> match = rulestone.load("connect_four").new(seed=7)
>>> events = match.play("drop 3")
>>> refusal(match, 0, [0, 1]) is None
True
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import numpy as np

from rulestone.kernel.about import SPECTATOR
from rulestone.kernel.actions import Move
from rulestone.match import Match

WORLDS = 64
"""How many redealt worlds are tried before a move counts as having revealed nothing."""
SECRET = "You can't undo a move that the others didn't fully see."
REVEALED = "You can't undo this: new information was revealed."
PERHAPS = "You can't undo this: new information may have been revealed."


def refusal(match: Match, index: int, viewers: Iterable[int | None]) -> str | None:
    """Why these viewers cannot let move number `index` be taken back, in a sentence; None if they can.

    While several decide at the same time it is between the player and the game: the others do not notice.
    """
    if match.undisclosed(index):
        return revealed(match, index, [match.mover(index)])
    if secret(match, index):
        return SECRET
    return revealed(match, index, viewers)


def secret(match: Match, index: int) -> bool:
    """Was there anybody who did not see the whole of move number `index`, be it a bot or a spectator?"""
    whole = match.moves[index]
    return any(match.moves_seen_by(viewer)[index] != whole for viewer in range(SPECTATOR, match.players))


def reveals(match: Match, index: int, viewers: Iterable[int | None]) -> bool:
    """Did move number `index` tell one of these viewers anything that did not follow from what they knew and the move itself?

    The engine decides: in worlds redealt from what the viewer knew before, with other dice, a move is made that looks the same to them.
    If they see in each of them exactly what they really saw, they have learnt nothing. Asked again, the answer is the same.
    """
    return revealed(match, index, viewers) is not None


def revealed(match: Match, index: int, viewers: Iterable[int | None], asker: int | None = None) -> str | None:
    """The same, as the sentence that the asker hears (who made the move, if nothing is said). It is sure only of what they know: what
    everybody saw, or they themselves. That others have learnt something is a guess."""
    eyes = [SPECTATOR if viewer is None else viewer for viewer in viewers]
    made = match.actions[index]
    before, after = _World(match), _World(match)
    before.array[:] = match.array_before(index)
    after.load(match.raw_at(index + 1))
    if len(eyes) > 1 and _may_tell(before, made, eyes):
        eyes = [SPECTATOR, match.mover(index) if asker is None else asker]
        return REVEALED if any(_learns(before, after, made, viewer) for viewer in eyes) else PERHAPS
    return REVEALED if any(_learns(before, after, made, viewer) for viewer in eyes) else None


def _may_tell(before: _World, made: int, eyes: list[int]) -> bool:
    """Could the move have told somebody something, for all that everybody knows? The answer tells no more than that."""
    known, word = before.seen_by(SPECTATOR), before.word(made, SPECTATOR)
    chance = random.Random(known + str(word).encode())
    world, other = before.twin(), before.twin()
    explained = False
    for _ in range(WORLDS):
        world.redeal(before, SPECTATOR, chance)
        alike = world.alike(word, SPECTATOR)
        if not alike:
            continue
        explained = True
        action = chance.choice(alike)
        seen = {viewer: world.word(action, viewer) for viewer in eyes}
        others = []
        for viewer in eyes:
            other.redeal(world, viewer, chance)
            choices = other.alike(seen[viewer], viewer)
            if not choices:
                return True
            other.play(chance.choice(choices), chance)
            others.append(other.seen_by(viewer))
        world.play(action, chance)
        if others != [world.seen_by(viewer) for viewer in eyes]:
            return True
    return not explained


def _learns(before: _World, after: _World, made: int, viewer: int) -> bool:
    """Did this viewer see something that they would not see in every world that looked like this one?"""
    seen, word = after.seen_by(viewer), before.word(made, viewer)
    chance = random.Random(before.seen_by(viewer) + seen + str(word).encode())
    world = before.twin()
    for _ in range(WORLDS):
        world.redeal(before, viewer, chance)
        alike = world.alike(word, viewer)
        if not alike:
            return True
        world.play(chance.choice(alike), chance)
        if world.seen_by(viewer) != seen:
            return True
    return False


class _World:
    """A record to try things in."""

    def __init__(self, match: Match) -> None:
        self.match, self.game = match, match.game
        self.array, self.hidden = match.game.layout.array(1), match.game.layout.array(1)
        self.reader, self.hidden_reader = match.game.layout.reader(self.array), match.game.layout.reader(self.hidden)
        self.moves = np.zeros(len(match.game.actions), np.int16)

    def twin(self) -> _World:
        return _World(self.match)

    def load(self, raw: bytes) -> None:
        self.array[:] = np.frombuffer(raw, self.array.dtype)

    def run(self, name: str, *arguments: Any) -> Any:
        return self.game.run(name, self.array, self.reader, *arguments)

    def seen_by(self, viewer: int) -> bytes:
        self.hidden[:] = self.array
        self.game.run("conceal", self.hidden, self.hidden_reader, viewer)
        self.hidden["ply"] = 0  # which in worlds that look alike to one differs for another, where moves go unnoticed
        return self.hidden.tobytes()

    def redeal(self, other: _World, viewer: int, chance: random.Random) -> None:
        """Become a world that looks to the viewer like the other one."""
        self.load(other.seen_by(viewer))
        self.array["rng"] = chance.getrandbits(64)
        self.run("redeal", viewer)

    def word(self, action: int, viewer: int) -> Move | None:
        """An action as the viewer would see it made here; None if they would not notice it."""
        return self.match.seen_as(self.array, action, viewer)

    def alike(self, word: Move | None, viewer: int) -> list[int]:
        """The actions possible here that look like this to the viewer."""
        possible = self.moves[: self.run("legal", self.moves)].tolist() if self.array["to_move"][0] >= 0 else []
        return [action for action in possible if self.word(action, viewer) == word]

    def play(self, action: int, chance: random.Random) -> None:
        self.array["rng"] = chance.getrandbits(64)
        self.run("step", action)
