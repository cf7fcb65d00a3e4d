"""Draw the pictures of the documents: `make pictures`, or `python -m tools.pictures [NAME …]`.

Everything is drawn from real games by the table's own scenes, so a picture is true whenever it is made: `play.svg`, a few moves of a game
as an animated SVG; `move.svg`, the life of a move; and screenshots of the set-up page, a table and a lab report by Chromium.
"""

from __future__ import annotations

import contextlib
import html
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import rulestone
from rulestone.bots import choose
from rulestone.table import Face, Scene
from rulestone.table.look import stylesheet

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
LARGEST = 400_000
OPENING = re.compile(r"<g( [^>]*)?>")


@dataclass
class Shape:
    """One look of one thing, and where it is in which frames; `anywhere` is where the thing is in whatever look."""

    content: str
    classes: str
    anywhere: dict[int, str]
    places: dict[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Film:
    """Which game the animated picture shows: a part of a game between quick bots, from a seat or (None) as a spectator sees it."""

    game: str = "sarpedon"
    players: int = 4
    seed: int = 4
    first: int = 2
    frames: int = 30
    seconds: float = 1.3
    bot: str = "greedy"


def play(film: Film) -> Iterator[tuple[Scene, str]]:
    """The positions of a game, each with the sentence that says what has just happened."""
    match = rulestone.load(film.game).new(players=film.players, seed=film.seed)
    face = Face.of(match.game)
    while match.ply < film.first + film.frames:
        view = match.view(None)
        if match.ply >= film.first:
            said = [face.say(view, event) for event in view.events]
            sentence = re.sub(r" ?\[[RQ]\d+\]", "", said[-1 if match.over else 0] if said else "")
            yield from [(face.scene(view, None), sentence)] * (3 if match.over else 1)  # an ending is a moment
        if match.over:
            break
        player = min(match.deciders)
        match.play(choose(match.view(player), film.bot, seed=match.ply), player=player)


def shapes(scenes: list[Scene]) -> list[Shape]:
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


def animated(scenes: list[Scene], words: list[str], seconds: float) -> str:
    """Scenes as one animated SVG. What never changes is drawn once; people who want no motion see the first scene."""
    width, height, frames = scenes[0].width, scenes[0].height, len(scenes)
    size = width / 30
    text_at = f'<text x="{width / 2:g}" y="{height + size * 1.6:g}" font-size="{size:g}" class="f-ink said">'
    captions = [Shape(f"{text_at}{html.escape(text)}</text>", "", {}, {k: ""}) for k, text in enumerate(words)]
    styles, body = [], []
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


def draw_play(out: Path, film: Film | None = None) -> None:
    """`play.svg`: a part of a real game."""
    film = film or Film()
    scenes, words = zip(*play(film), strict=True)
    text = animated(list(scenes), list(words), film.seconds)
    if len(text) > LARGEST:
        raise ValueError(f"{out.name} has {len(text):,} bytes, more than {LARGEST:,}; show fewer frames")
    out.write_text(text)


WAY = (
    ("You click", "choose.js narrows the legal moves to one"),
    ("The room", "one writer per table: legal in your own view? not stale? not repeated?"),
    ("The storage", "the move is committed before anybody hears of it"),
    ("The rules", "the same rules play it, with this move's own dice"),
    ("A view for each", "hide what this viewer may not know"),
    ("A scene of each view", "drawn once for all who see the same; only changes are sent"),
    ("Everybody sees it", "stage.js moves the pieces, step by step"),
)
"""The life of a move from a browser and back."""


def draw_move(out: Path) -> None:
    """`move.svg`: the life of a move, one box a station."""
    width, height, gap = 560, 58, 22
    parts = []
    for number, (name, text) in enumerate(WAY):
        top = 20 + number * (height + gap)
        parts.append(f'<rect x="20" y="{top}" width="{width - 40}" height="{height}" rx="8" fill="#FFFBF2" stroke="#CDBFA3"/>')
        parts.append(f'<text x="{width / 2:g}" y="{top + 24}" text-anchor="middle" font-weight="bold">{name}</text>')
        parts.append(
            f'<text x="{width / 2:g}" y="{top + 44}" text-anchor="middle" font-size="13" fill="#6F675C">{html.escape(text)}</text>'
        )
        if number < len(WAY) - 1:
            end = top + height + gap
            parts.append(f'<path d="M{width / 2:g} {end - gap + 2}V{end - 4}m-5-6 5 6 5-6" fill="none" stroke="#B4512F" stroke-width="2"/>')
    full = 40 + len(WAY) * (height + gap) - gap
    out.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {full}" width="{width}" height="{full}" '
        f'font-family="system-ui, sans-serif" font-size="15" fill="#211D19" role="img" aria-label="The life of a move, from a click to '
        f'everybody\'s screen"><rect width="100%" height="100%" fill="#F7F1E5"/>{"".join(parts)}</svg>\n'
    )


@contextlib.contextmanager
def served() -> Iterator[str]:
    """A server with an empty database, for as long as its pages are photographed."""
    with tempfile.TemporaryDirectory() as folder, socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        command = [sys.executable, "-m", "rulestone.cli", "serve", "--port", str(port), "--pace", "0", "--db", f"sqlite:///{folder}/t.db"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            for _ in range(300):
                with contextlib.suppress(OSError):
                    urllib.request.urlopen(f"http://localhost:{port}/about", timeout=2).read()
                    break
                time.sleep(0.1)
            yield f"http://localhost:{port}"
        finally:
            process.terminate()
            process.wait()


@contextlib.contextmanager
def browser(width: int = 1280, height: int = 800) -> Iterator[Any]:
    """A page in Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", "--headless", "--disable-gpu"])
        yield chromium.new_page(viewport={"width": width, "height": height})
        chromium.close()


def draw_setup(out: Path) -> None:
    """`setup.png`: the page where a table is set up."""
    with served() as address, browser(1100, 760) as page:
        page.goto(f"{address}/new/hydra_regatta")
        page.wait_for_timeout(500)
        page.screenshot(path=out)


def draw_table(out: Path) -> None:
    """`table.png`: a table in the middle of a game against bots."""
    with served() as address, browser() as page:
        page.goto(address)
        seats = [{"kind": "me"}, *[{"kind": "bot", "bot": "greedy"}] * 3]
        table = page.request.post(f"{address}/api/tables", data={"game": "artifact", "seats": seats}).json()["id"]
        for turn in range(14):
            state = page.request.get(f"{address}/api/tables/{table}/position").json()
            if state["over"] or not state["legal"]:
                time.sleep(0.3)
                continue
            move = state["legal"][turn * 5 % len(state["legal"])]
            page.request.post(f"{address}/api/tables/{table}/moves", data={"at": state["at"], "move": move, "key": str(turn)})
        page.goto(f"{address}/t/{table}")
        page.wait_for_selector(".my-turn, .glow", timeout=30_000)
        page.wait_for_timeout(2000)
        page.screenshot(path=out)


def draw_report(out: Path) -> None:
    """`report.png`: the first screen of a lab report."""
    with tempfile.TemporaryDirectory() as folder, browser(1100, 900) as page:
        report = Path(folder) / "report.html"
        command = [sys.executable, "-m", "rulestone.cli", "lab", "artifact", "--bots", "greedy", "--players", "4", "--games", "20000"]
        subprocess.run([*command, "--report", str(report)], check=True, stdout=subprocess.DEVNULL)
        page.goto(report.as_uri())
        page.screenshot(path=out)


ALL: dict[str, Callable[[Path], None]] = {
    "play.svg": draw_play,
    "move.svg": draw_move,
    "setup.png": draw_setup,
    "table.png": draw_table,
    "report.png": draw_report,
}

if __name__ == "__main__":
    for name in sys.argv[1:] or ALL:
        ALL[name](PICTURES / name)
        print(f"docs/pictures/{name}: {(PICTURES / name).stat().st_size:,} bytes")
