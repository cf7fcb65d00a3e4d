"""The whole PDF: the guide, the reference sheet, the sheets of pieces and the rules, set by typst.

What is printed on both sides comes first, so that fronts are on odd pages; boards and other one-sided sheets come last.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import ceil
from pathlib import Path

import typst

from rulestone.components import Board, Box, BrokenComponents, Piece, Size
from rulestone.game import Game, slip
from rulestone.learning import FENCE, BrokenLesson, Picture, read_picture
from rulestone.printing import ink
from rulestone.printing.order import CannotPrint, Order, box_of
from rulestone.printing.sheets import ONE_SIDE, Sheet, n, outline, plan, sheets, svg_file
from rulestone.printing.words import markup, said, string
from rulestone.table import Face, kit

FIGURE = 75.0
"""The most height of a picture in the rules, in millimetres."""
RULER = 50
THUMB, SIGN, EM = 12.5, 8.0, 3.53
"""How large pieces and signs are shown on the reference sheet, in millimetres, where its print is 10 points (EM); else in proportion."""
LONG = 18
"""A longer list of pieces is set in two columns."""
STYLE = Path(__file__).parent / "style.typ"
SHORT = re.compile(r"^## In short\s*\n(.*?)(?=^## |\Z)", re.M | re.S)
HEADED = re.compile(r"^(?:\*\*|- |\|).*?(?=^\s*$|\Z)", re.M | re.S)
"""Paragraphs that start with a heading of their own, lists and tables: not notes on how the rules are written."""
RULES = re.compile(r"^[RQ]\d+(?:[-–, ]+(?:and )?[RQ]\d+)*:?\s+")
TITLE = re.compile(r"^# .*\n", re.M)
Tell = Callable[[int, int], None]


@dataclass(frozen=True)
class Printed:
    """A PDF, and what is in it."""

    pdf: bytes
    pages: int
    sheets: tuple[Sheet, ...]
    places: tuple[int, ...]
    """The page of each sheet, from 1."""
    box: Box

    @property
    def counts(self) -> Counter[str]:
        """How many pieces of each name are printed."""
        return sum((sheet.counts for sheet in self.sheets if sheet.side != "back"), Counter())


@dataclass(frozen=True)
class Prepared:
    """A game laid out on sheets, before it is set."""

    game: Game
    order: Order
    box: Box
    own: bool
    """Whether the game lists its pieces itself."""
    sheets: tuple[Sheet, ...]


def prepare(game: Game, order: Order) -> Prepared:
    """Lay out a game's pieces. Raises CannotPrint or ValueError with a sentence that says what is wrong."""
    box, own = box_of(game, order)
    chosen = [piece for piece in box.pieces if order.wants(piece.part)]
    if order.only and not chosen and not {"guide", "reference", "rules"} & set(order.only):
        there = sorted({piece.part for piece in box.pieces})
        raise CannotPrint(f"{game.title} has no {' and no '.join(order.only)} to print; it has {kit.listed(there)}")
    try:
        return Prepared(game, order, box, own, tuple(sheets(chosen, order.sheet, order.mono)))
    except BrokenComponents as problem:
        raise CannotPrint(f"{game.title} can't be printed: {problem}") from problem


def print_game(game: Game, order: Order | None = None) -> Printed:
    """Return a game as a PDF. The same game and order give the same bytes. Raises CannotPrint if it can't be printed."""
    return typeset(prepare(game, order or Order()))


def typeset(made: Prepared, tell: Tell = lambda done, of: None) -> Printed:
    """Return a game that is laid out as a PDF, and call `tell` with how many steps are done, and of how many."""
    game = made.game
    with tempfile.TemporaryDirectory() as folder:
        work = _Work(made, Path(folder), tell)
        (Path(folder) / "main.typ").write_text(work.source())
        work.step()
        try:
            setter = typst.Compiler(str(Path(folder) / "main.typ"), root=folder, ignore_system_fonts=True)
            pdf = setter.compile(format="pdf", timestamp=0)
            assert isinstance(pdf, bytes)
            pages, places = json.loads(setter.query("<end>", field="value", one=True))
        except typst.TypstError as problem:
            raise CannotPrint(f"{game.title} can't be typeset: {problem.message}") from problem
    return Printed(pdf, pages, made.sheets, tuple(places), made.box)


class _Work:
    """Writes typst's source and the pictures it needs into a folder."""

    def __init__(self, made: Prepared, folder: Path, tell: Tell) -> None:
        self.made, self.game, self.order, self.folder, self.tell = made, made.game, made.order, folder, tell
        file = made.game.folder / "RULES.md"
        self.rules = file.read_text() if file.exists() else ""
        self.names: dict[str, str] = {}
        self.done, self.steps = 0, len(made.sheets) + (len(FENCE.findall(self.rules)) if self.order.wants("rules") else 0) + 2

    def step(self) -> None:
        """One more step is done."""
        self.done += 1
        self.tell(self.done, self.steps)

    # ---- pictures --------------------------------------------------------------------------------------------------------

    def picture(self, drawing: str) -> str:
        """The name of a picture's file; the same drawing is kept once."""
        if drawing not in self.names:
            self.names[drawing] = f"{len(self.names)}.svg"
            (self.folder / self.names[drawing]).write_text(drawing)
        return string(self.names[drawing])

    def thumb(self, piece: Piece) -> str:
        """A small picture of a piece."""
        scale = THUMB / max(piece.size)
        cut = outline(piece, fill="none", stroke="#9a9a9a", stroke_width="0.3")
        wide, high = piece.size
        return self.small(f'<g transform="scale({piece.scale:.6g})">{piece.front}</g>{cut}', scale, (wide + 0.4, high + 0.4))

    def small(self, drawing: str, scale: float, size: Size) -> str:
        """A drawing round (0, 0), scaled, as a picture in a line of text."""
        wide, high = (length * scale for length in size)
        placed = f'<g transform="translate({n(wide / 2)} {n(high / 2)}) scale({scale:.6g})">{drawing}</g>'
        return f"#image({self.picture(svg_file(placed, (wide, high), self.made.box.defs, self.order.mono))}, width: {n(wide / EM)}em)"

    def figure(self, block: str) -> str:
        """A picture in the rules, as its scene draws it, with its caption."""
        self.step()
        try:
            shown: Picture = read_picture(self.game, block)
            scene = Face.of(self.game).scene(shown.view(), shown.eyes)
            drawing = scene.document("light", shown.light)
        except (BrokenLesson, ValueError, AttributeError, IndexError, TypeError) as problem:
            raise CannotPrint(
                slip(self.game, problem) or f"a picture in the rules of {self.game.title} can't be drawn: {problem}"
            ) from problem
        lit = "".join(
            f"#{id}>:first-child{{stroke:{ink.colours(self.order.mono)['gold']};stroke-width:6px;visibility:visible}}" for id in shown.light
        )
        style = (ink.stylesheet(self.order.mono) + lit).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        drawing = re.sub(r"<style>.*?</style>", lambda _: f"<style>{style}</style>", drawing, flags=re.S)
        tall = f"height: {FIGURE:g}mm" if scene.height / scene.width > 1.05 else "width: 100%"
        return f"\n#figure(image({self.picture(drawing)}, {tall}), caption: [{said(shown.caption)}])\n"

    # ---- the document ----------------------------------------------------------------------------------------------------

    def source(self) -> str:
        order, made = self.order, self.made
        both = [sheet for sheet in made.sheets if sheet.side != ONE_SIDE]
        single = [sheet for sheet in made.sheets if sheet.side == ONE_SIDE]
        parts = [_head(self.game.title, order)]
        if order.wants("guide"):
            self.step()
            parts.append(self.guide(bool(both), bool(single)))
        if order.wants("reference"):
            parts.append(self.reference())
        parts += [self.sheet(number, sheet) for number, sheet in enumerate(made.sheets) if sheet.side != ONE_SIDE]
        if order.wants("rules") and self.rules:
            parts.append(f"#page(columns: 2)[#metadata(none)<rules>\n{self.booklet()}]\n")
        parts += [self.sheet(number, sheet) for number, sheet in enumerate(made.sheets) if sheet.side == ONE_SIDE]
        places = "".join(f"counter(page).at(<sheet-{number}>).first(), " for number in range(len(made.sheets)))
        return "".join(parts) + f"#context[#metadata((counter(page).final().first(), ({places})))<end>]\n"

    def sheet(self, number: int, sheet: Sheet) -> str:
        self.step()
        paper = self.order.sheet
        drawing = svg_file(sheet.drawing, (paper.width, paper.height), self.made.box.defs, self.order.mono)
        side = {"front": "front", "back": "back of the page before"}.get(sheet.side, "one side only")
        foot = said(f"{self.game.title} · {sheet.title} · {side} · ")
        return (
            f"#page(margin: 0mm, footer: none)[#metadata(none)<sheet-{number}>"
            f"#place(top + left, image({self.picture(drawing)}, width: 100%))"
            f"#place(bottom + center, dy: -2.2mm, text(5.5pt, fill: luma(90))[{foot}#context counter(page).display()])]\n"
        )

    def booklet(self) -> str:
        text = TITLE.sub("", self.rules, count=1)
        body = markup(text, self.figure)
        body = re.sub(r"(#heading\(level: 3\)\[#\"Rulings\b.*?)(?=\n#heading\(level: [123]\)|\Z)", r"#small[\1]", body, flags=re.S)
        title = f"#booktitle[{said(self.game.title)}][{said(self.game.about.summary)}]"
        return f'#place(top, scope: "parent", float: true, clearance: 6mm)[{title}]\n{body}'

    def reference(self) -> str:
        """On one page: the game in short, what each piece does, what the seats' marks are."""
        short = SHORT.search(self.rules)
        parts = []
        if short:
            parts.append(markup("\n\n".join(HEADED.findall(short[1])) or short[1], lambda block: ""))
        elif self.rules:
            parts.append(markup(FENCE.sub("", re.split(r"^## ", TITLE.sub("", self.rules, count=1), flags=re.M)[0]), lambda block: ""))
        told = list(self.told_pieces())
        if told:
            parts.append("#heading(level: 2)[Pieces]\n" + "".join(told))
        parts.append("#heading(level: 2)[Players]\n" + self.players())
        if not told:
            parts.append(self.moves())
        return f"#page(reference([#booktitle[{said(self.game.title)}][Reference sheet]], [\n{''.join(parts)}]))\n"

    def told_pieces(self) -> Iterator[str]:
        """Each kind of piece that has a text, with its picture and how many there are; then the signs on them."""
        kinds: dict[str, list[Piece]] = {}
        for piece in self.made.box.pieces:
            kinds.setdefault(piece.name, []).append(piece)
        for name, pieces in kinds.items():
            first = next((piece for piece in pieces if piece.text), None)
            if first is not None:
                count = sum(piece.count for piece in pieces)
                yield _told(self.thumb(first), name, first.text, f"× {count}" if count > 1 else "")
        for sign in self.made.box.signs:
            yield _told(self.small(sign.drawing, SIGN / sign.span, (sign.span, sign.span)), sign.name, sign.text)

    def players(self) -> str:
        """The seats with their marks, for the largest number of players."""
        players = self.order.players or self.game.max_players
        face = Face.of(self.game)
        shown = []
        for name, hue in zip(face.names(players), face.hues(players), strict=True):
            drawn = f'<g transform="translate(2.2 2.2) scale(.17)">{kit.mark(hue)}</g>'
            shown.append(
                f"#box(baseline: 20%, image({self.picture(svg_file(drawn, (4.4, 4.4), '', self.order.mono))}, height: 1em)) {said(name)}"
            )
        return " #h(1em) ".join(shown) + "\n\n"

    def moves(self) -> str:
        """What a player can do, for games that don't say what their pieces are for: the first sentence of each verb's rule."""
        found = []
        for verb in self.game.actions:
            rule = next((rule for word in ("may", "do") if (rule := getattr(self.game.rules, f"{word}_{verb.name}", None))), None)
            words = RULES.sub("", (getattr(rule, "__doc__", None) or "").strip().split("\n\n")[0].replace("\n", " "))
            found.append(f"[*{said(verb.name.replace('_', ' ').capitalize())}.* {said(words[:1].upper() + words[1:])}],")
        return f"#heading(level: 2)[Moves]\n#list({''.join(found)})\n"

    # ---- the guide -------------------------------------------------------------------------------------------------------

    def guide(self, both: bool, single: bool) -> str:
        about, box = self.game.about, self.made.box
        span = f"{about.min_players}" if about.min_players == about.max_players else f"{about.min_players} to {about.max_players}"
        facts = [f"{span} players", *([f"{about.minutes.replace('-', '–')} minutes"] if about.minutes else []), self.order.sheet.title]
        parts = [f"{said(' · '.join(facts))}\n\n"]
        parts.append("#heading(level: 2)[Before you print]\n#enum(" + "".join(f"[{step}]," for step in self.steps_of(both, single)) + ")\n")
        parts.append(f"#ruler({RULER}mm)\n")
        if not self.made.own:
            parts.append(
                said("This game doesn’t list its pieces (in a components.py in its folder), so its board is printed as its scene shows it.")
                + "\n\n"
            )
        elif self.made.sheets:
            parts.append("#heading(level: 2)[In the box]\n" + self.contents())
        if box.besides:
            needed = kit.listed(box.besides)
            parts.append(f"#heading(level: 2)[What you need besides]\n{said(needed[:1].upper() + needed[1:])}.\n\n")
        if box.assembly:
            parts.append("#heading(level: 2)[Putting it together]\n#list(" + "".join(f"[{said(line)}]," for line in box.assembly) + ")\n")
        parts.append(self.plans())
        return f"#page(guide([#booktitle[{said(about.title)}][{said(about.summary)}]], [\n{''.join(parts)}]))\n"

    def steps_of(self, both: bool, single: bool) -> Iterator[str]:
        yield said(
            f"Print at actual size (100 %, not “fit to page”) on {self.order.sheet.title}. The bar below is then exactly {RULER} mm long."
        )
        sheets = self.made.sheets
        if both and single:
            first = next(number for number, sheet in enumerate(sheets) if sheet.side == ONE_SIDE)
            until = f"#context{{ counter(page).at(<sheet-{first}>).first() - 1 }}"
            yield (
                f"Print pages 1 to {until} on both sides, turned over along the *long* edge, and "
                f"#pages(<sheet-{first}>, <sheet-{len(sheets) - 1}>) on one side only."
            )
        elif both:
            yield "Print on both sides, turned over along the *long* edge."
        elif sheets:
            yield "Print on one side only. You can print the pages of rules on both."
        if both:
            yield said("Fronts and backs can be half a millimetre apart. Cut by the front; the colour of the backs goes past the edge.")
        if sheets:
            yield said("Cut along the thin lines; the marks at the sheet’s edge show where they run. A knife and a steel ruler are best.")

    def contents(self) -> str:
        """The pieces by name: how many, how large, and on which pages."""
        rows: dict[str, list[Piece]] = {}
        for piece in self.made.box.pieces:
            if self.order.wants(piece.part):
                rows.setdefault(piece.name, []).append(piece)
        cells = []
        for name, pieces in rows.items():
            on = [number for number, sheet in enumerate(self.made.sheets) if self.lies_on(sheet, name)]
            wide, high = pieces[0].size
            size = f"{wide:.3g} mm" if pieces[0].outline == "circle" else f"{wide:.3g} × {high:.3g} mm"
            cells.append(
                f"[{said(name)}], [{sum(piece.count for piece in pieces)}], [{said(size)}], [#span(<sheet-{on[0]}>, <sheet-{on[-1]}>)],"
            )
        half = ceil(len(cells) / 2) if len(cells) > LONG else len(cells)
        tables = [
            "table(columns: (1fr, auto, auto, auto), align: (left, right, left, left), "
            f"[*piece*], [*number*], [*size*], [*pages*], {' '.join(part)})"
            for part in (cells[:half], cells[half:])
            if part
        ]
        return f"#grid(columns: {len(tables)}, gutter: 6mm, {', '.join(tables)})\n"

    def lies_on(self, sheet: Sheet, name: str) -> bool:
        return sheet.counts[name] > 0 or sheet.title.startswith(f"{name}: ")

    def plans(self) -> str:
        """How boards in several parts are joined."""
        boards = [piece for piece in self.made.box.pieces if isinstance(piece, Board) and self.order.wants("board")]
        large = [(piece, cut) for piece in boards if (cut := plan(piece, self.order.sheet)).count > 1]
        if not large:
            return ""
        how = "Cut each part along its corner marks. Glue the next part’s edge onto the dashed line, so that the picture continues."
        drawn = "".join(
            f"#parts({cut.across}, {cut.down}, {n(cut.part[0])}, {n(cut.part[1])}, {string(piece.name)})\n" for piece, cut in large
        )
        return f"#heading(level: 2)[Joining the board]\n{said(how)}\n\n{drawn}"


def _told(picture: str, name: str, text: str, count: str = "") -> str:
    """A line of the reference sheet."""
    return f"#told[{picture}][*{said(name)}* #h(1fr) {said(count)}\\ {said(text)}]\n"


def _head(title: str, order: Order) -> str:
    """Settings, and the functions that the rest is written with."""
    paper, colour = order.sheet, ink.colours(order.mono)
    values = {
        "title": string(title),
        "width": f"{n(paper.width)}mm",
        "height": f"{n(paper.height)}mm",
        "face": string(ink.SERIF),
        "accent": f'rgb("{ink.DARK if order.mono else colour["clay"]}")',
        "hairline": f'rgb("{colour["line"]}")',
    }
    return "".join(f"#let {name} = {value}\n" for name, value in values.items()) + STYLE.read_text()
