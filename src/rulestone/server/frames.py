"""What is sent: a position as one pair of eyes may see it. Only hidden records become scenes and JSON.

Frames are made at most once for each position and pair of eyes, however many people look, and the picture is drawn once for all
who see the same. A client that has the previous frame gets the difference, and only the difference becomes text.
"""

from __future__ import annotations

import logging
from typing import Any

import orjson

from rulestone.match import Match, State
from rulestone.server import history
from rulestone.table import Face, Scene, auto

log = logging.getLogger(__name__)
Eyes = int | None
TOLD = 150
"""How many moves of the story a newcomer is told, and how many at a time who looks back."""


def encode(message: dict[str, Any]) -> str:
    return orjson.dumps(message).decode()


class Fields(State):
    """The fields of a view, which never changes: each is read once, however often pictures and words ask for it."""

    def __getattr__(self, name: str) -> Any:
        value = super().__getattr__(name)
        object.__setattr__(self, name, value)
        return value


class Frames:
    """The frames of one table."""

    def __init__(self, face: Face, aid: str | None = None) -> None:
        self.face, self.aid = face, aid
        self.version = 0
        self.words: dict[Eyes, dict[str, Any]] = {}
        self.texts: dict[tuple[Eyes, Eyes, bool], str] = {}
        self.drawn: dict[tuple[bytes, Eyes], Scene] = {}
        self.scenes: dict[Eyes, Scene] = {}
        self.scenes_before: dict[Eyes, Scene] = {}
        self.fields: dict[bytes, Fields] = {}
        self.views: dict[Eyes, Match] = {}
        self.views_before: dict[Eyes, Match] = {}
        self.moved = False

    def turn_page(self, moved: bool = True) -> None:
        """The position has changed: by a move, or (`moved=False`) by taking moves back."""
        self.version += 1
        self.moved = moved
        self.scenes_before, self.scenes = self.scenes, {}
        self.views_before, self.views = self.views, {}
        self.drawn.clear()
        self.fields.clear()
        self.forget()

    def forget(self) -> None:
        """The words around the position have changed, the position has not."""
        self.words.clear()
        self.texts.clear()

    def view(self, match: Match, eyes: Eyes) -> Match:
        """The match as these eyes see it. Equal views share what is read of them."""
        if eyes not in self.views:
            view = self.views[eyes] = self.seen(match, eyes)
            raw = view._array.tobytes()
            if raw not in self.fields:
                self.fields[raw] = Fields(view._array, view.game.layout.also, False)
            view.state = self.fields[raw]
        return self.views[eyes]

    def seen(self, match: Match, eyes: Eyes) -> Match:
        """The match as these eyes see it on a screen: in a game from memory only with what the table's memory aid shows."""
        view = match.view(eyes)
        if self.aid is not None and not view.over:
            self.face.hooks["screen"](State(view._array, view.game.layout.also), eyes, self.aid)
        return view

    def scene(self, match: Match, eyes: Eyes) -> Scene:
        """The picture for these eyes, drawn once for equal views."""
        if eyes not in self.scenes:
            view = self.view(match, eyes)
            key = (view._array.tobytes(), None if self.face.same_for_all else eyes)
            if key not in self.drawn:
                self.drawn[key] = self.draw(view, eyes)
            self.scenes[eyes] = self.drawn[key]
        return self.scenes[eyes]

    def draw(self, view: Match, eyes: Eyes) -> Scene:
        """The picture of a view."""
        try:
            return self.face.scene(view, eyes)
        except Exception:  # a slip in somebody's scene.py: the game goes on with a plain picture
            log.exception("the scene of %s failed after %d moves; its fields are shown instead", view.game.name, view.ply)
            return auto.scene(view, eyes)

    def said(self, match: Match, eyes: Eyes, at: str, playing: bool) -> dict[str, Any]:
        """Everything for these eyes but the picture."""
        if eyes not in self.words:
            view = self.view(match, eyes)
            self.words[eyes] = {
                "t": "state",
                "version": self.version,
                "at": at,
                "ply": view.ply,
                "eyes": eyes,
                "to_move": view.to_move,
                "prompt": self.face.prompt(view, eyes),
                "unaided": self.face.unaided(view, eyes),
                "moves": self.face.moves(view) if playing else [],
                "any_order": self.face.any_order,
                "story": self.told(view),
                "steps": self.face.steps(self.view_before(match, eyes), view) if self.moved else [],
                "ending": self.face.ending(view) if view.over else None,
                "payoff": view.payoff if view.over else None,
            }
        return self.words[eyes]

    def frame(self, match: Match, eyes: Eyes, at: str, playing: bool) -> dict[str, Any]:
        """The whole position for these eyes."""
        return {**self.said(match, eyes, at, playing), "scene": self.scene(match, eyes).data()}

    def view_before(self, match: Match, eyes: Eyes) -> Match:
        """The match before its last move as these eyes saw it."""
        if eyes not in self.views_before:
            self.views_before[eyes] = self.seen(history.at(match, history.length(match) - 1), eyes)
        return self.views_before[eyes]

    def told(self, view: Match) -> dict[str, Any]:
        """The last move's part of the story."""
        return {"ply": view.ply, "lines": self.face.story(view)}

    def story(self, match: Match, eyes: Eyes) -> list[dict[str, Any]]:
        """The story so far as these eyes followed it, without the last move (which is in the frame)."""
        count = history.length(match)
        self.view(match, eyes)  # what these eyes have heard is worked out once, for all positions
        return [self.told(self.seen(history.at(match, index), eyes)) for index in range(max(0, count - TOLD), count)]

    def text(self, match: Match, eyes: Eyes, at: str, playing: bool, has: int, looked: Eyes) -> str:
        """The frame as JSON for a client that has version `has` as `looked` saw it: only what is new if that is the previous one."""
        differs = has == self.version - 1 and looked in self.scenes_before
        key = (eyes, looked, differs)
        if key not in self.texts:
            if differs:
                patch = difference(self.scenes_before[looked], self.scene(match, eyes))
                frame = {**self.said(match, eyes, at, playing), "scene": patch, "base": has}
            else:
                frame = self.frame(match, eyes, at, playing)
            self.texts[key] = encode(frame)
        return self.texts[key]


def difference(old: Scene, new: Scene) -> dict[str, Any]:
    """What of a scene has changed: parts and cards by id (null: gone), the rest whole where it differs."""
    changed: dict[str, Any] = {
        "parts": {id: part for id, part in new.parts.items() if old.parts.get(id) != part},
        "cards": {id: card.data() for id, card in new.cards.items() if (was := old.cards.get(id)) is not card and was != card},
    }
    changed["parts"].update((id, None) for id in old.parts if id not in new.parts)
    changed["cards"].update((id, None) for id in old.cards if id not in new.cards)
    if (old.width, old.height) != (new.width, new.height):
        changed["size"] = [new.width, new.height]
    if old.title != new.title:
        changed["title"] = new.title
    if (order := list(new.parts)) != list(old.parts):
        changed["order"] = order
    if list(old.plates) != list(new.plates):
        changed["plates"] = [plate.data() for plate in new.plates]
    return changed
