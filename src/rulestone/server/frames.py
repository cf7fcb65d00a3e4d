"""Frames: a position as one pair of eyes may see it, ready to send. Only hidden records become scenes and JSON.

A frame is made at most once per position and pair of eyes, however many people are watching, and a picture is drawn once for everyone
who sees the same. Viewers who don't notice a move get no frame for it, and no number in any of their frames counts it. A client that
has the previous frame gets only the difference.
"""

from __future__ import annotations

import logging
from collections.abc import Collection
from typing import Any

import orjson

from rulestone.match import Match, State
from rulestone.table import Face, Scene, auto

log = logging.getLogger(__name__)
Eyes = int | None
TOLD = 150
"""How many moves of the story a new client gets, and how many a replay gets at a time."""


def encode(message: dict[str, Any]) -> str:
    return orjson.dumps(message).decode()


class Fields(State):
    """The fields of a view. A view never changes, so each field is read once and cached."""

    def __getattr__(self, name: str) -> Any:
        value = super().__getattr__(name)
        object.__setattr__(self, name, value)
        return value


class Page:
    """A position as one pair of eyes sees it, until they see something change."""

    def __init__(self, view: Match, before: Page | None = None) -> None:
        self.view = view
        self.version: int = 0 if before is None else before.version + 1
        self.before = before
        self.scenes: dict[bool, Scene] = {}
        """The pictures by layout (True: for narrow screens)."""
        self.words: dict[str, Any] = {}
        self.steps: dict[bool, list[dict[str, Any]]] = {}
        self.parts: list[dict[str, Any]] | None = None
        if before is not None:
            before.before = None


class Frames:
    """The frames of one table. Each pair of eyes has its own pages; what they don't notice doesn't turn a page."""

    def __init__(self, face: Face, aid: str | None = None) -> None:
        self.face, self.aid = face, aid
        self.pages: dict[Eyes, Page] = {}
        self.texts: dict[tuple[Eyes, Eyes, int, bool, bool], str] = {}
        """What is being sent, until everybody has it."""
        self.drawn: dict[tuple[bytes, Eyes, bool], Scene] = {}
        self.fields: dict[bytes, Fields] = {}
        self.moved = False

    @staticmethod
    def alone(face: Face, match: Match, eyes: Eyes, before: Match | None = None) -> Frames:
        """The frames of one position that belongs to no table; `before` is the position before the move to show."""
        frames = Frames(face)
        page = frames.page(match, eyes)
        if before is not None:
            page.before, frames.moved = Page(frames.seen(before, eyes)), True
        return frames

    def turn_page(self, match: Match, moved: bool = True, known_to: Collection[Eyes] | None = None) -> None:
        """The position has changed by a move or (`moved=False`) an undo, which turns everyone's page, unless it is only `known_to` some."""
        self.moved = moved
        self.texts.clear()
        self.drawn.clear()
        self.fields.clear()
        for eyes, page in self.pages.items():
            view = self._look(match, eyes)
            if (not moved if known_to is None else eyes in known_to) or view.raw != page.view.raw:
                self.pages[eyes] = Page(view, page)

    def forget(self) -> None:
        """The words around the position have changed, but not the position itself."""
        self.texts.clear()
        for page in self.pages.values():
            page.words, page.steps = {}, {}

    def _look(self, match: Match, eyes: Eyes) -> Match:
        """The match as these eyes see it. Equal views share their cached fields."""
        view = self.seen(match, eyes)
        raw = view.raw
        if raw not in self.fields:
            self.fields[raw] = Fields(view.array, view.game.layout.also, False)
        view.state = self.fields[raw]
        return view

    def page(self, match: Match, eyes: Eyes) -> Page:
        """The page these eyes see now."""
        if eyes not in self.pages:
            self.pages[eyes] = Page(self._look(match, eyes))
        return self.pages[eyes]

    def view(self, match: Match, eyes: Eyes) -> Match:
        return self.page(match, eyes).view

    def seen(self, match: Match, eyes: Eyes) -> Match:
        """The match as these eyes see it on screen. In a game played from memory, that is only what the table's memory aid shows."""
        view = match.view(eyes)
        if self.aid is not None and not view.over:
            self.face.hooks["screen"](State(view.array, view.game.layout.also), eyes, self.aid)
        return view

    def scene(self, match: Match, eyes: Eyes, narrow: bool = False) -> Scene:
        """The picture for these eyes, drawn once for equal views and each layout."""
        return self._picture(self.page(match, eyes), eyes, narrow and self.face.narrow)

    def _picture(self, page: Page, eyes: Eyes, narrow: bool) -> Scene:
        if narrow not in page.scenes:
            key = (page.view.raw, None if self.face.same_for_all else eyes, narrow)
            if key not in self.drawn:
                self.drawn[key] = self.draw(page.view, eyes, narrow)
            page.scenes[narrow] = self.drawn[key]
        return page.scenes[narrow]

    def rest(self) -> None:
        """Forget everything that can be drawn again. What is sent stays the same."""
        for cache in (self.texts, self.drawn, self.fields):
            cache.clear()
        for page in self.pages.values():
            for one in (page, page.before):
                if one is not None:
                    one.scenes, one.words, one.steps, one.parts = {}, {}, {}, None

    def draw(self, view: Match, eyes: Eyes, narrow: bool = False) -> Scene:
        """The picture of a view."""
        try:
            return self.face.scene(view, eyes, narrow)
        except Exception:  # a mistake in a game's scene.py: the game continues with a plain picture
            log.exception("the scene of %s failed after %d moves; its fields are shown instead", view.game.name, view.ply)
            return auto.scene(view, eyes)

    def whole(self, match: Match, eyes: Eyes, at: str, narrow: bool) -> dict[str, Any]:
        """The whole position as a picture and in words, with the moves if these eyes are to move."""
        playing = self.view(match, eyes).to_move == eyes
        return {**self.frame(match, eyes, at, playing, narrow), "parts": self.in_words(match, eyes)}

    def in_words(self, match: Match, eyes: Eyes) -> list[dict[str, Any]]:
        """The position in words, made only for those who ask."""
        page = self.page(match, eyes)
        if page.parts is None:
            page.parts = self.describe(page.view, eyes)
        return page.parts

    def describe(self, view: Match, eyes: Eyes) -> list[dict[str, Any]]:
        """A view in words."""
        try:
            parts = self.face.in_words(view, eyes)
        except Exception:  # a mistake in a game's scene.py: the game continues with its fields
            log.exception("the words of %s failed after %d moves; its fields are listed instead", view.game.name, view.ply)
            parts = auto.fields(view)
        return [part.data() for part in parts]

    def steps(self, match: Match, eyes: Eyes, narrow: bool) -> list[dict[str, Any]]:
        """How these eyes are shown the last change: places differ between layouts."""
        page, narrow = self.page(match, eyes), narrow and self.face.narrow
        if narrow not in page.steps:
            page.steps[narrow] = self.face.steps(self.view_before(match, eyes), page.view, narrow) if self.moved else []
        return page.steps[narrow]

    def said(self, match: Match, eyes: Eyes, at: str, playing: bool, narrow: bool) -> dict[str, Any]:
        """Everything for these eyes except the picture."""
        page = self.page(match, eyes)
        if not page.words:
            view = page.view
            moves = self.face.moves(view) if playing else []
            page.words = {
                "t": "state",
                "version": page.version,
                "at": at,
                "ply": view.ply,
                "eyes": eyes,
                "to_move": view.to_move,
                "deciders": sorted(view.deciders),
                "together": view.together,
                "prompt": self.face.prompt(view, eyes),
                "goal": self.face.goal(view, eyes),
                "rule": self.face.rule(view, moves),
                "unaided": self.face.unaided(view, eyes),
                "moves": moves,
                "any_order": self.face.any_order,
                "story": self.told(view),
                "ending": self.face.ending(view) if view.over else None,
                "payoff": view.payoff if view.over else None,
            }
        return {**page.words, "narrow": narrow and self.face.narrow, "steps": self.steps(match, eyes, narrow)}

    def frame(self, match: Match, eyes: Eyes, at: str, playing: bool, narrow: bool = False) -> dict[str, Any]:
        """The whole position for these eyes."""
        return {**self.said(match, eyes, at, playing, narrow), "scene": self.scene(match, eyes, narrow).data()}

    def view_before(self, match: Match, eyes: Eyes) -> Match:
        """What these eyes saw before the last change they noticed."""
        before = self.page(match, eyes).before
        return before.view if before is not None else self.seen(match.at(match.pages(eyes)[-2:][0]), eyes)

    def told(self, view: Match) -> dict[str, Any]:
        """The part of the story that belongs to the last move."""
        return {"ply": view.ply, "lines": self.face.story(view)}

    def story(self, match: Match, eyes: Eyes) -> list[dict[str, Any]]:
        """The story so far as these eyes saw it, without the last move (which is in the frame)."""
        return [self.told(self.seen(match.at(index), eyes)) for index in match.pages(eyes)[-1 - TOLD : -1]]

    def text(self, match: Match, eyes: Eyes, at: str, playing: bool, has: int, looked: Eyes, narrow: bool = False, drawn: str = "") -> str:
        """The frame as JSON for a client that has version `has` as `looked` saw it; only the difference if that is the previous version.

        What the client has is in the layout it gets now. If its page came with this very picture (`drawn`), that isn't sent again.
        """
        narrow = narrow and self.face.narrow
        known = bool(drawn) and drawn == self.scene(match, eyes, narrow).fingerprint
        key = (eyes, looked, has, narrow, known)
        if key not in self.texts:
            old = self.pages[looked].before if looked in self.pages else None
            if old is not None and old.version == has:
                patch = difference(self._picture(old, looked, narrow), self.scene(match, eyes, narrow))
                frame = {**self.said(match, eyes, at, playing, narrow), "scene": patch, "base": has}
            else:
                frame = self.frame(match, eyes, at, playing, narrow)
                if known:
                    frame["scene"] = {name: value for name, value in frame["scene"].items() if name not in ("parts", "order")}
            self.texts[key] = encode(frame)
        return self.texts[key]


def difference(old: Scene, new: Scene) -> dict[str, Any]:
    """What has changed in a scene: parts and cards by id (null: removed), everything else in full if it differs."""
    changed: dict[str, Any] = {
        "parts": {id: part for id, part in new.parts.items() if old.parts.get(id) != part},
        "cards": {id: card.data() for id, card in new.cards.items() if (was := old.cards.get(id)) is not card and was != card},
    }
    changed["parts"].update((id, None) for id in old.parts if id not in new.parts)
    changed["cards"].update((id, None) for id in old.cards if id not in new.cards)
    if (old.width, old.height) != (new.width, new.height):
        changed["size"] = [new.width, new.height]
    if old.panels != new.panels:
        changed["panels"] = new.panels
    if old.title != new.title:
        changed["title"] = new.title
    if (order := list(new.parts)) != list(old.parts):
        changed["order"] = order
    if list(old.plates) != list(new.plates):
        changed["plates"] = [plate.data() for plate in new.plates]
    return changed
