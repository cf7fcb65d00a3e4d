"""Draw the pictures of the documents: `make pictures`, or `python -m tools.pictures [NAME …]`.

Everything is drawn from real games by the table's own scenes, so a picture is true whenever it is made: `play.svg`, a few moves of a game
as an animated SVG; `move.svg`, the life of a move; `house.svg`, the rooms; and screenshots of the set-up page, a table and a lab report
by Chromium.
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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import rulestone
from rulestone.bots import choose
from rulestone.table import Face, Scene
from rulestone.table.film import animated

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
LARGEST = 400_000


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


FLOORS: tuple[tuple[tuple[str, str], ...], ...] = (
    (("cli", "the command line"),),
    (("studio", "a designer’s own table: live reload, and a workbench beside the board"),),
    (("train", "nets from self-play: strong players for any game"),),
    (("envs", "PettingZoo, OpenSpiel, Gymnasium, thousands of games at once"),),
    (
        ("server", "tables on the web:|rooms, sockets, storage,|pages, lessons, puzzles"),
        ("terminal", "a game, a lesson or a|position in words"),
        ("testing", "the contract|of every game"),
        ("scaffold", "a new game’s folder"),
    ),
    (("review", "what each decision kept, hints that say why, puzzles"),),
    (("lab", "plan, play by the million, count, compare, report"),),
    (("bots", "random, the game’s own quick bot, nets, tree search"),),
    (("printing", "a whole game as a PDF, to cut out and play"),),
    (("learning", "running lessons, and drawing the pictures in the rules"),),
    (("series", "several games with points"), ("undo", "what can be undone without giving a secret away")),
    (("match", "one game in progress: moves, views, undo, records"),),
    (("game", "the rules loaded, in every mode"),),
    (
        ("games", "one folder each: rules, content, bot, lesson,|scene, art, words, measures, RULES.md"),
        ("engine", "one step of a game and whole games as|compiled loops, on cores and on a GPU"),
    ),
    (("nets", "what a net sees, its file, and its forward pass"),),
    (
        ("table · components", "what scenes and|pieces are drawn with"),
        ("lesson · measures", "what a game’s lesson and|measures are written in"),
        ("variant · statistics", "other constants;|intervals"),
        ("fingerprint · seeds", "which rules played;|seeds nobody can steer"),
        ("helper · patience", "processes for others;|rules that never end"),
    ),
    (("kernel", "what a rulebook is written in"),),
)
"""The house from the roof to the ground: the rooms of each floor and what they do. `.importlinter` keeps it so."""


def draw_house(out: Path) -> None:
    """`house.svg`: every room uses only the rooms below it."""
    width, edge, gap, high = 760, 20, 13, 16
    y, parts = edge, []
    for floor in FLOORS:
        tall = 40 + high * max(said.count("|") + 1 for _, said in floor)
        wide = (width - 2 * edge - gap * (len(floor) - 1)) / len(floor)
        for k, (name, said) in enumerate(floor):
            x = edge + k * (wide + gap)
            fill = "#D8E6EA" if name == "kernel" else "#FFFBF2"
            parts.append(f'<rect x="{x:g}" y="{y}" width="{wide:g}" height="{tall}" rx="8" fill="{fill}" stroke="#CDBFA3"/>')
            middle = f'x="{x + wide / 2:g}" text-anchor="middle"'
            small = ' font-size="13"' * (wide < 150)
            parts.append(f'<text {middle} y="{y + 22}" font-weight="bold"{small}>{name}</text>')
            for line, words in enumerate(said.split("|")):
                parts.append(f'<text {middle} y="{y + 40 + high * line}" font-size="12" fill="#6F675C">{words}</text>')
        y += tall + 16
    title = "The house: every room uses only the rooms below it"
    out.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {y + 4}" width="{width}" height="{y + 4}" '
        f'font-family="system-ui, sans-serif" font-size="15" fill="#211D19" role="img" aria-label="{title}">'
        f'<rect width="100%" height="100%" fill="#F7F1E5"/>{"".join(parts)}</svg>\n'
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
        command = [sys.executable, "-m", "rulestone.cli", "lab", "sarpedon", "--bots", "greedy", "--games", "5000", "--estimates", "0"]
        subprocess.run([*command, "--report", str(report)], check=True, stdout=subprocess.DEVNULL)
        page.goto(report.as_uri())
        page.screenshot(path=out)


ALL: dict[str, Callable[[Path], None]] = {
    "play.svg": draw_play,
    "move.svg": draw_move,
    "house.svg": draw_house,
    "setup.png": draw_setup,
    "table.png": draw_table,
    "report.png": draw_report,
}

if __name__ == "__main__":
    for name in sys.argv[1:] or ALL:
        ALL[name](PICTURES / name)
        print(f"docs/pictures/{name}: {(PICTURES / name).stat().st_size:,} bytes")
