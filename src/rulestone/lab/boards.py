"""Maps on the game's own board: what happened where, drawn over the game's picture. The lab knows no game: a measure names the things in
the picture that stand for its entries (`cells`), and the picture says where they are.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from html import escape
from typing import Any, NamedTuple
from xml.etree import ElementTree

from rulestone.game import Game
from rulestone.lab.findings import percent
from rulestone.match import Match
from rulestone.measures import Measure
from rulestone.statistics import newcombe, z_for
from rulestone.table import Face, Scene
from rulestone.table.svg import number

EDGE = 0.75
"""How much of the picture around the outermost cells is shown, in cells."""
READABLE = 9
"""A number is printed in a cell if at most this many cells are side by side: else it could not be read on a phone."""
Matrix = tuple[float, float, float, float, float, float]
SAME: Matrix = (1, 0, 0, 1, 0, 0)


class Spot(NamedTuple):
    """A cell in the picture: its middle, and its size."""

    x: float
    y: float
    wide: float
    high: float


class Tint(NamedTuple):
    """How a cell is painted: a colour, how strongly (0 to 1), what is printed in it, and what it says when pointed at."""

    colour: str
    strength: float
    print: str
    says: str


def opening(game: Game, players: int, options: Any) -> Match:
    """The game as it starts, seen by a spectator."""
    return game.new("a board", players, options).view(None)


def picture(scene: Scene, prefix: str) -> str:
    """The scene's drawing as SVG, with ids that can't clash with others on the page."""
    drawn = re.sub(r'\bid="', f'id="{prefix}', "".join(scene.things))
    return re.sub(r'(href="#|url\(#)', rf"\1{prefix}", drawn)


class Board:
    """The game's picture as a ground for maps. It is put on the page once, and every map uses it."""

    def __init__(self, view: Match) -> None:
        self.view, face = view, Face.of(view.game)
        self.scene = face.scene(view, None)
        self.points = {name: Spot(x, y, 0, 0) for name, (x, y) in face.spots(view).items()}
        self.drawn = not face.automatic
        self.used = False

    def ground(self) -> str:
        """What the page contains once, if there are maps."""
        if not self.used:
            return ""
        return f'<svg class="scene ground" aria-hidden="true"><defs><g id="ground">{picture(self.scene, "g-")}</g></defs></svg>'

    def look(self) -> str:
        """The game's picture; empty if it has none of its own."""
        if not self.drawn:
            return ""
        self.used = True
        what = escape(self.scene.title, quote=True)
        box = f"0 0 {self.scene.width:g} {self.scene.height:g}"
        return f'<svg class="scene look" viewBox="{box}" role="img" aria-label="{what}"><use href="#ground"/></svg>'

    def spots(self, measure: Measure) -> list[list[Spot]]:
        """Where each entry of a measure is; empty if none is in the picture."""
        cells: Any = measure.cells if self.drawn else ""
        if callable(cells):
            cells = cells(self.view)
        elif isinstance(cells, str):
            cells = [cells.format(k) for k in range(len(measure.names))] if cells else []
        ids = [[own] if isinstance(own, str) else list(own) for own in cells]
        wanted = {id for own in ids for id in own if id}
        found = {name: spot for name, spot in self.points.items() if name in wanted} | (places(self.scene, wanted) if wanted else {})
        side = _apart([(spot.x, spot.y) for spot in found.values()])
        sized = {id: spot if spot.wide else Spot(spot.x, spot.y, side, side) for id, spot in found.items()}
        return [[sized[id] for id in own if id in sized] for own in ids] if sized else []

    def map(self, spots: Sequence[Sequence[Spot]], tints: Sequence[Tint | None], what: str) -> str:
        """The picture, faded, with its cells painted."""
        self.used = True
        every = [spot for own in spots for spot in own]
        wide, high = min(spot.wide for spot in every), min(spot.high for spot in every)
        left, right = min(s.x - s.wide / 2 for s in every) - EDGE * wide, max(s.x + s.wide / 2 for s in every) + EDGE * wide
        edge = EDGE * min(wide, high)
        top, bottom = min(s.y - s.high / 2 for s in every) - edge, max(s.y + s.high / 2 for s in every) + edge
        left, right = max(left, 0.0), min(right, float(self.scene.width))
        top, bottom = max(top, 0.0), min(bottom, float(self.scene.height))
        printed = (right - left) / wide <= READABLE + 2 * EDGE + 0.5
        shapes = [_cell(spot, tint, printed) for own, tint in zip(spots, tints, strict=True) if tint is not None for spot in own]
        box = " ".join(number(round(value, 1)) for value in (left, top, right - left, bottom - top))
        return (
            f'<svg class="scene map" viewBox="{box}" role="img" aria-label="{escape(what, quote=True)}">'
            f'<use href="#ground" class="under"/>{"".join(shapes)}</svg>'
        )


def _cell(spot: Spot, tint: Tint, printed: bool) -> str:
    wide, high = 0.94 * spot.wide, 0.94 * spot.high
    box = f'x="{number(round(spot.x - wide / 2, 1))}" y="{number(round(spot.y - high / 2, 1))}"'
    size = f'width="{number(round(wide, 1))}" height="{number(round(high, 1))}" rx="{number(round(0.1 * min(wide, high), 1))}"'
    body = f'<rect {box} {size} class="f-{tint.colour}" fill-opacity="{number(round(tint.strength, 2))}"/>'
    if printed and tint.print:
        size = f'font-size="{number(round(0.27 * spot.wide, 1))}"'
        body += f'<text x="{number(round(spot.x, 1))}" y="{number(round(spot.y, 1))}" {size} class="f-ink bold">{escape(tint.print)}</text>'
    return f"<g><title>{escape(tint.says)}</title>{body}</g>"


def _apart(points: Sequence[tuple[float, float]]) -> float:
    """The distance between neighbouring points."""
    ways = [math.dist(one, other) for k, one in enumerate(points) for other in points[:k]]
    return min((way for way in ways if way > 1), default=60.0)


# ---- where things are -----------------------------------------------------------------------------------------------------


def places(scene: Scene, wanted: set[str]) -> dict[str, Spot]:
    """Where these things are in the picture, and how large the areas are that people click on (0 if they have none)."""
    tree = ElementTree.fromstring(f'<svg xmlns="http://www.w3.org/2000/svg">{"".join(scene.things)}</svg>')
    found: dict[str, Spot] = {}

    def look(element: ElementTree.Element, outer: Matrix) -> None:
        here = _times(outer, _matrix(element.get("transform", "")))
        id = element.get("id", "")
        if id in wanted:
            wide, high = _size(element, here)
            found[id] = Spot(here[4], here[5], wide, high)
        for child in element:
            look(child, here)

    look(tree, SAME)
    return found


def _size(element: ElementTree.Element, here: Matrix) -> tuple[float, float]:
    """The size of the rectangle that people click on; 0 if it isn't one around the thing's middle."""
    for child in element:
        if child.tag.endswith("rect") and "target" in child.get("class", ""):
            wide, high = float(child.get("width", 0)), float(child.get("height", 0))
            return abs(here[0] * wide) + abs(here[2] * high), abs(here[1] * wide) + abs(here[3] * high)
    return 0.0, 0.0


def _times(a: Matrix, b: Matrix) -> Matrix:
    return (
        a[0] * b[0] + a[2] * b[1], a[1] * b[0] + a[3] * b[1], a[0] * b[2] + a[2] * b[3], a[1] * b[2] + a[3] * b[3],
        a[0] * b[4] + a[2] * b[5] + a[4], a[1] * b[4] + a[3] * b[5] + a[5],
    )  # fmt: skip


def _matrix(transform: str) -> Matrix:
    """The matrix of a transform as the kit writes it (`svg.placing`)."""
    made = SAME
    for kind, told in re.findall(r"(\w+)\(([^)]*)\)", transform):
        values = [float(value) for value in re.split(r"[ ,]+", told.strip())]
        if kind == "translate":
            made = _times(made, (1, 0, 0, 1, values[0], values[1] if len(values) > 1 else 0))
        elif kind == "scale":
            made = _times(made, (values[0], 0, 0, values[-1], 0, 0))
        elif kind == "rotate":
            turn = math.radians(values[0])
            made = _times(made, (math.cos(turn), math.sin(turn), -math.sin(turn), math.cos(turn), 0, 0))
    return made


# ---- two maps of a tally --------------------------------------------------------------------------------------------------


def often(entries: Sequence[dict[str, Any]], show: Callable[[float], str]) -> list[Tint | None]:
    """How often it happened in each place: the darker, the more often."""
    top = max((entry["mean"] for entry in entries), default=0) or 1
    return [
        Tint("clay", 0.08 + 0.77 * entry["mean"] / top, show(entry["mean"]), f"{entry['name']}: {show(entry['mean'])} per game")
        if entry["mean"] > 0
        else None
        for entry in entries
    ]


def gains(cell: dict[str, Any], entries: Sequence[dict[str, Any]], hues: Sequence[int], team: bool) -> list[Tint | None]:
    """Who wins more in the games where it happened than in the others, as far as it is more than chance (for all cells and seats
    together): the seat's colour; in a cooperative game sea if the team wins more often, clay if less. Grey: no clear difference.
    """
    seats, games = cell["seats"], cell["detailed_games"]
    z = z_for(max(1, len(seats) * sum(0 < entry["games"] < games for entry in entries)))
    made: list[Tint | None] = []
    for entry in entries:
        own = entry["games"]
        if not own:
            made.append(None)
            continue
        clear: list[tuple[float, int, str]] = []
        told = []
        for seat, won in zip(seats, entry["wins"], strict=False):
            others = games - own
            rest = min(float(others), max(0.0, seat["share"] * games - won["share"] * own))
            more, low, high = newcombe(won["share"] * own, own, rest, others, z)
            told.append(f"{seat['name']} wins {percent(won['share'])}")
            if others and (low > 0 or high < 0):
                clear.append((abs(more), seat["seat"], _sign(more)))
        says = f"{entry['name']}: {', '.join(told)} of {own:,} games"
        lead = max((one for one in clear if team or one[2] == "+"), default=None)
        print_ = percent(entry["wins"][0]["share"]).removesuffix(" %") if team else ""
        if lead is None:
            made.append(Tint("stone", 0.18, print_, f"{says} (no clear difference)"))
        else:
            colour = f"seat{hues[lead[1]]}" if not team else "sea" if lead[2] == "+" else "clay"
            made.append(Tint(colour, min(0.9, 0.3 + 3 * lead[0]), print_ or f"+{100 * lead[0]:.0f}", says))
    return made


def _sign(value: float) -> str:
    return "+" if value > 0 else "-"
