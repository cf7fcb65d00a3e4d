"""Positions as pixels: the scene that people see, drawn by resvg without a browser."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from rulestone.match import Match
from rulestone.table.draw import png
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
        from PIL import Image
    except ModuleNotFoundError as problem:
        raise ModuleNotFoundError("drawing pictures needs pillow: pip install 'rulestone[envs]'") from problem
    scene = Face.of(view.game).scene(view, seat)
    picture = png(scene.document(), width, round(scene.height * width / scene.width))
    return np.asarray(Image.open(io.BytesIO(picture)).convert("RGB"))
