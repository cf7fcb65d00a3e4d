"""A game as one animated SVG: what never changes is drawn once, what moves moves, and a sentence says what has just happened."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from rulestone.table.look import stylesheet
from rulestone.table.scene import Scene

OPENING = re.compile(r"<g( [^>]*)?>")


@dataclass
class Shape:
    """One look of one thing, and where it is in which frames; `anywhere` is where the thing is in whatever look."""

    content: str
    classes: str
    anywhere: dict[int, str]
    places: dict[int, str] = field(default_factory=dict)


def shapes(scenes: Sequence[Scene]) -> list[Shape]:
    """All looks of all things in all scenes, back to front. A thing that changes its place in that order is drawn in both."""
    slots: list[tuple[str, dict[tuple[str, str], Shape]]] = []
    anywhere: dict[str, dict[int, str]] = {}
    for frame, scene in enumerate(scenes):
        merged = []
        things = {thing.id: thing for thing in scene.things if "data-hover" not in thing[: thing.index(">")]}
        for kind, a, b, c, d in SequenceMatcher(None, [id for id, _ in slots], list(things), autojunk=False).get_opcodes():
            merged += slots[a:b]
            merged += [] if kind == "equal" else [(id, {}) for id in list(things)[c:d]]
            for id, looks in merged[-(d - c) :] if d > c else []:
                _see(things[id], looks, anywhere.setdefault(id, {}), frame)
        slots = merged
    return [shape for _, looks in slots for shape in looks.values()]


def _see(thing: str, looks: dict[tuple[str, str], Shape], anywhere: dict[int, str], frame: int) -> None:
    """Note how a thing looks in a frame, and where it is."""
    opening = OPENING.match(thing)
    assert opening is not None
    attributes = dict(re.findall(r' ([\w-]+)="([^"]*)"', opening[1] or ""))
    look = re.sub(r' data-[\w-]+="[^"]*"', "", thing[opening.end() : -len("</g>")]), attributes.get("class", "")
    place = anywhere[frame] = attributes.get("transform", "")
    looks.setdefault(look, Shape(*look, anywhere)).places[frame] = place


def as_css(place: str) -> str:
    """A transform attribute as a CSS transform.

    >>> as_css("translate(3 4) rotate(90)")
    'translate(3px,4px) rotate(90deg)'
    """
    place = re.sub(r"translate\(([-\d.]+) ([-\d.]+)\)", r"translate(\1px,\2px)", place)
    return re.sub(r"rotate\(([-\d.]+)\)", r"rotate(\1deg)", place) or "none"


def moves(shape: Shape, frames: int) -> str:
    """The keyframes of one look: where it is when, and when it is not there."""
    part, stops = 100 / frames, []
    for frame in range(frames):
        here, before = shape.places.get(frame), shape.places.get(frame - 1)
        if here is None:
            if before is not None or frame == 0:
                stops.append(f"{frame * part:.2f}%{{visibility:hidden}}")
            if shape.places.get(frame + 1) is not None or frame == frames - 1:
                stops.append(f"{(frame + 1) * part - 0.01:.2f}%{{visibility:hidden}}")
            continue
        come = shape.anywhere.get(frame - 1, here)
        if before is None or come != here:
            stops.append(f"{frame * part:.2f}%{{visibility:visible;transform:{as_css(come)}}}")
        if come != here:
            stops.append(f"{(frame + 0.4) * part:.2f}%{{visibility:visible;transform:{as_css(here)}}}")
        if shape.places.get(frame + 1) != here or frame == frames - 1:
            stops.append(f"{(frame + 1) * part - 0.01:.2f}%{{visibility:visible;transform:{as_css(here)}}}")
    return "".join(stops)


def animated(scenes: Sequence[Scene], words: Sequence[str], seconds: float) -> str:
    """Scenes as one animated SVG. What never changes is drawn once; people who want no motion see the first scene."""
    width, height, frames = scenes[0].width, scenes[0].height, len(scenes)
    size = width / 30
    text_at = f'<text x="{width / 2:g}" y="{height + size * 1.6:g}" font-size="{size:g}" class="f-ink said">'
    captions = [Shape(f"{text_at}{html.escape(text)}</text>", "", {}, {k: ""}) for k, text in enumerate(words)]
    styles: list[str] = []
    body: list[str] = []
    for shape in [*shapes(scenes), *captions]:
        first = shape.places.get(0)
        name = "" if len(shape.places) == frames and len(set(shape.places.values())) == 1 else f"m{len(styles)}"
        classes = f"{shape.classes} {name}".strip()
        place = first if first is not None else next(iter(shape.places.values()))
        attributes = f' class="{classes}"' if classes else ""
        attributes += f' transform="{place}"' if place else ""
        attributes += ' visibility="hidden"' if first is None else ""
        body.append(f"<g{attributes}>{shape.content}</g>")
        if name:
            styles.append(f"@keyframes {name}{{{moves(shape, frames)}}}.{name}{{animation:{name} {frames * seconds:g}s linear infinite}}")
    motion = "@media (prefers-reduced-motion:no-preference){" + "".join(styles) + "}"
    style = html.escape(stylesheet() + ".said{text-anchor:middle;font-family:Georgia,serif}" + motion, quote=False)
    full = height + size * 2.6
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" data-theme="auto" class="scene alone" viewBox="0 0 {width:g} {full:g}" width="{width:g}" '
        f'height="{full:g}" role="img" aria-label="{html.escape(scenes[0].title, quote=True)}"><style>{style}</style>'
        f'<rect width="100%" height="100%" class="f-felt"/>{"".join(body)}</svg>\n'
    )
