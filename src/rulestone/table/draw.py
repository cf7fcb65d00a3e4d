"""Positions as picture files: SVG directly; PNG by resvg, or for a file with the help of an installed Chromium."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from functools import cache
from html import escape
from pathlib import Path

import resvg_py

from rulestone.table import look
from rulestone.table.scene import Scene

THEMES = ("light", "dark", "auto")
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


class CannotDraw(ValueError):
    """The picture can't be drawn; the message says why."""


def draw(scene: Scene, out: Path, *, theme: str = "light", scale: float = 1) -> None:
    """Write the scene to `out`, an .svg or a .png file."""
    if theme not in THEMES:
        raise CannotDraw(f"there is no theme {theme!r}; possible: {', '.join(THEMES)}")
    if out.suffix not in (".svg", ".png"):
        raise CannotDraw(f"{out.name!r} must end in .svg or .png")
    try:
        if out.suffix == ".svg":
            out.write_text(scene.document(theme))
        else:
            _png(scene, out, theme, scale)
    except OSError as problem:
        raise CannotDraw(f"{out} cannot be written: {problem.strerror}") from None


def _png(scene: Scene, out: Path, theme: str, scale: float) -> None:
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        raise CannotDraw("a PNG needs Chromium, which is not installed: run apt-get install chromium, or choose a file that ends in .svg")
    with tempfile.TemporaryDirectory() as folder:
        source, shot = Path(folder) / "scene.svg", Path(folder) / "scene.png"
        source.write_text(scene.document(theme))
        command = [
            browser,
            "--headless",
            "--disable-gpu",
            "--disable-background-networking",
            "--hide-scrollbars",
            f"--user-data-dir={folder}/user",
        ]
        command += ["--no-sandbox"] if os.geteuid() == 0 else []
        command += [f"--window-size={round(scene.width)},{round(scene.height)}", f"--force-device-scale-factor={scale:g}"]
        done = subprocess.run([*command, f"--screenshot={shot}", source.as_uri()], capture_output=True, text=True, check=False, timeout=60)
        if done.returncode or not shot.exists():
            raise CannotDraw(
                f"Chromium couldn't draw the picture: {done.stderr.strip().splitlines()[-1] if done.stderr else 'no reason given'}"
            )
        shutil.copyfile(shot, out)


def png(document: str, width: int, height: int) -> bytes:
    """A stand-alone SVG as PNG, in light colours, without a browser."""
    style = f"<style>{escape(plain_stylesheet(), quote=False)}</style>"
    picture = re.sub("<style>.*?</style>", lambda _: style, document, flags=re.S)
    return bytes(
        resvg_py.svg_to_bytes(svg_string=picture, width=width, height=height, sans_serif_family="DejaVu Sans", serif_family="DejaVu Serif")
    )


@cache
def plain_stylesheet() -> str:
    """The light style sheet with every colour written out, because resvg doesn't support custom properties."""
    return written_out(light_colours())


def light_colours() -> dict[str, str]:
    """Every named colour of the light theme, as a colour."""
    value = {name: light for name, (light, _) in look.TOKENS.items()}
    for hue, (_, colour, on, _) in enumerate(look.SEATS):
        value |= {f"seat{hue}": colour, f"on{hue}": on}
    value |= {f"{name}-soft": _mixed(value[name], value["board"], 0.24) for name in look.SOFT}
    return value | {"shade": "rgba(33,29,25,0.16)"}


def written_out(value: Mapping[str, str]) -> str:
    """The style sheet with these colours written out."""
    colours = "".join(f".f-{name}{{fill:{colour}}}.s-{name}{{stroke:{colour}}}" for name, colour in value.items())
    rest = look.stylesheet().partition(".f-none")
    return colours + rest[1] + re.sub(r"var\(--([\w-]+)\)", lambda found: value[found[1]], rest[2])


def _mixed(one: str, other: str, share: float) -> str:
    pairs = zip(bytes.fromhex(one[1:]), bytes.fromhex(other[1:]), strict=True)
    return "#" + bytes(round(a * share + b * (1 - share)) for a, b in pairs).hex()
