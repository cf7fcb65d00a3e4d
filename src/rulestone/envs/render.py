"""Positions as pixels: the scene that people see, drawn by resvg without a browser."""

from __future__ import annotations

import io
import re
from functools import cache
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from rulestone.match import Match
from rulestone.table import look
from rulestone.table.face import Face
from rulestone.terminal import drawing

MODES = ["human", "ansi", "rgb_array"]


def checked(mode: str | None) -> str | None:
    """Return a render mode; raise ValueError if there is no such mode."""
    if mode is not None and mode not in MODES:
        raise ValueError(f"there is no render_mode {mode!r}; possible: {', '.join(MODES)}")
    return mode


def render(match: Match, viewer: int | None, mode: str | None) -> Any:
    """What a viewer (None: a spectator) sees: text for "ansi", printed text for "human", pixels for "rgb_array"."""
    if mode is None:
        raise ValueError(f"choose a render_mode when making the environment: {', '.join(MODES)}")
    if mode == "rgb_array":
        return pixels(match.view(viewer), viewer)
    text = words(match.view(viewer))
    if mode == "human":
        print(text)
        return None
    return text


def words(view: Match) -> str:
    """A view as text: what happened, and the position as the game draws it for terminals."""
    console = Console(width=120, file=io.StringIO(), color_system=None)
    console.print(Face.of(view.game).prompt(view, view.viewer), *Face.of(view.game).story(view), sep="\n", markup=False)
    console.print(drawing(view))
    return str(console.file.getvalue())  # type: ignore[attr-defined]


def pixels(view: Match, seat: int | None, width: int = 600) -> NDArray[np.uint8]:
    """A view as rows of red, green and blue."""
    try:
        import resvg_py
        from PIL import Image
    except ModuleNotFoundError as problem:
        raise ModuleNotFoundError("drawing pictures needs resvg-py and pillow: pip install 'rulestone[envs]'") from problem
    scene = Face.of(view.game).scene(view, seat)
    style = f"<style>{escape(plain_stylesheet(), quote=False)}</style>"
    document = re.sub("<style>.*?</style>", lambda _: style, scene.document(), flags=re.S)
    picture = resvg_py.svg_to_bytes(
        svg_string=document,
        width=width,
        height=round(scene.height * width / scene.width),
        sans_serif_family="DejaVu Sans",
        serif_family="DejaVu Serif",
    )
    return np.asarray(Image.open(io.BytesIO(picture)).convert("RGB"))


@cache
def plain_stylesheet() -> str:
    """The light style sheet with every colour written out, because resvg doesn't support custom properties."""
    value = {name: light for name, (light, _) in look.TOKENS.items()}
    for hue, (_, colour, on, _) in enumerate(look.SEATS):
        value |= {f"seat{hue}": colour, f"on{hue}": on}
    value |= {f"{name}-soft": _mixed(value[name], value["board"], 0.24) for name in look.SOFT}
    value["shade"] = "rgba(33,29,25,0.16)"
    colours = "".join(f".f-{name}{{fill:{colour}}}.s-{name}{{stroke:{colour}}}" for name, colour in value.items())
    rest = look.stylesheet().partition(".f-none")
    return colours + rest[1] + re.sub(r"var\(--([\w-]+)\)", lambda found: value[found[1]], rest[2])


def _mixed(one: str, other: str, share: float) -> str:
    pairs = zip(bytes.fromhex(one[1:]), bytes.fromhex(other[1:]), strict=True)
    return "#" + bytes(round(a * share + b * (1 - share)) for a, b in pairs).hex()
