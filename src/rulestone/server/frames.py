"""What is sent: a position as one pair of eyes may see it. Only hidden records become scenes and JSON.

Frames are made at most once for each position and pair of eyes, however many people look, and the picture is drawn once for all
who see the same. A client that has the previous frame gets the difference.
"""

from __future__ import annotations

import json
from typing import Any

from rulestone.match import Match
from rulestone.server import history
from rulestone.table import Face

Eyes = int | None
TOLD = 150
"""How many moves of the story a newcomer is told."""


def encode(message: dict[str, Any]) -> str:
    return json.dumps(message, separators=(",", ":"), ensure_ascii=False)


class Frames:
    """The frames of one table."""

    def __init__(self, face: Face) -> None:
        self.face = face
        self.version = 0
        self.now: dict[Eyes, dict[str, Any]] = {}
        self.before: dict[Eyes, dict[str, Any]] = {}
        self.texts: dict[tuple[Eyes, Eyes, bool], str] = {}
        self.drawn: dict[tuple[bytes, Eyes], dict[str, Any]] = {}
        self.views: dict[Eyes, Match] = {}
        self.views_before: dict[Eyes, Match] = {}
        self.moved = False

    def turn_page(self, moved: bool = True) -> None:
        """The position has changed: by a move, or (`moved=False`) by taking moves back."""
        self.version += 1
        self.moved = moved
        self.before, self.now = self.now, {}
        self.views_before, self.views = self.views, {}
        self.texts.clear()
        self.drawn.clear()

    def forget(self) -> None:
        """The words around the position have changed, the position has not."""
        self.now = {}
        self.texts.clear()

    def view(self, match: Match, eyes: Eyes) -> Match:
        """The match as these eyes see it."""
        if eyes not in self.views:
            self.views[eyes] = match.view(eyes)
        return self.views[eyes]

    def picture(self, view: Match, eyes: Eyes) -> dict[str, Any]:
        """The scene as data, drawn once for equal views."""
        key = (view._array.tobytes(), None if self.face.same_for_all else eyes)
        if key not in self.drawn:
            self.drawn[key] = self.face.scene(view, eyes).data()
        return self.drawn[key]

    def frame(self, match: Match, eyes: Eyes, at: str, playing: bool) -> dict[str, Any]:
        """The whole position for these eyes."""
        if eyes not in self.now:
            view = self.view(match, eyes)
            self.now[eyes] = {
                "t": "state",
                "version": self.version,
                "at": at,
                "ply": view.ply,
                "eyes": eyes,
                "to_move": view.to_move,
                "prompt": self.face.prompt(view, eyes),
                "moves": self.face.moves(view) if playing else [],
                "any_order": self.face.any_order,
                "scene": self.picture(view, eyes),
                "story": self.told(view),
                "steps": self.face.steps(self.view_before(match, eyes), view) if self.moved else [],
                "ending": self.face.ending(view) if view.over else None,
                "payoff": view.payoff if view.over else None,
            }
        return self.now[eyes]

    def view_before(self, match: Match, eyes: Eyes) -> Match:
        """The match before its last move as these eyes saw it."""
        if eyes not in self.views_before:
            self.views_before[eyes] = history.at(match, history.length(match) - 1).view(eyes)
        return self.views_before[eyes]

    def told(self, view: Match) -> dict[str, Any]:
        """The last move's part of the story."""
        return {"ply": view.ply, "lines": self.face.story(view)}

    def story(self, match: Match, eyes: Eyes) -> list[dict[str, Any]]:
        """The story so far as these eyes followed it, without the last move (which is in the frame)."""
        count = history.length(match)
        return [self.told(history.at(match, index).view(eyes)) for index in range(max(0, count - TOLD), count)]

    def text(self, match: Match, eyes: Eyes, at: str, playing: bool, has: int, looked: Eyes) -> str:
        """The frame as JSON for a client that has version `has` as `looked` saw it: only what is new if that is the previous one."""
        frame = self.frame(match, eyes, at, playing)
        differs = has == self.version - 1 and looked in self.before
        key = (eyes, looked, differs)
        if key not in self.texts:
            if differs:
                frame = {**frame, "scene": difference(self.before[looked]["scene"], frame["scene"]), "base": has}
            self.texts[key] = encode(frame)
        return self.texts[key]


def difference(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """What of a scene has changed: parts and cards by id (null: gone), the rest whole where it differs."""
    changed = {name: value for name, value in new.items() if name not in ("parts", "cards") and old[name] != value}
    for name in ("parts", "cards"):
        was, now = old[name], new[name]
        patch = {id: value for id, value in now.items() if was.get(id) != value}
        patch.update({id: None for id in was if id not in now})
        changed[name] = patch
    return changed
