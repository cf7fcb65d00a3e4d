"""Printed games: what the PDFs hold, that everything is as large as it says, and that fronts and backs meet."""

import io
import re
import shutil
from collections import Counter
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pypdf
import pytest
import typst
from PIL import Image

import rulestone.games as built_in
from rulestone.components import Board, BrokenComponents, Card, Disk, Tile, Token
from rulestone.game import load
from rulestone.printing import PAPERS, CannotPrint, Order, prepare, print_game
from rulestone.printing.order import box_of
from rulestone.printing.sheets import BLEED, FLAP, MARGIN, OVERLAP, footprint, outline, plan, sheets, svg_file
from rulestone.printing.words import curled, markup

GAMES = built_in.names()
TOYS = Path(__file__).parent / "toys"
MM = 72 / 25.4
NUMBER = r"(-?\d*\.?\d+)"
SIDES = ("front", "back", "one side")
COLOUR = re.compile(rf"{NUMBER} {NUMBER} {NUMBER} (?:rg|RG|sc|SC|scn|SCN)\b".encode())


@cache
def printed(game, paper="a4", mono=False, only=()):
    return print_game(load(game), Order(paper, mono, only))


def colours(made):
    """Every colour that the PDF sets, as numbers from 0 to 1."""
    found = set()
    for page in open_pdf(made.pdf).pages:
        waiting = [page.get_contents(), *page["/Resources"].get("/XObject", {}).values()]
        while waiting:
            stream = waiting.pop().get_object()
            if stream.get("/Subtype") != "/Image":
                found |= set(COLOUR.findall(stream.get_data()))
                waiting += stream.get("/Resources", {}).get("/XObject", {}).values()
    return {tuple(map(float, parts)) for parts in found}


@cache
def open_pdf(pdf):
    return pypdf.PdfReader(io.BytesIO(pdf))


def texts_at(page):
    """The words of a page with the places of their first letters, in millimetres from the upper left corner."""
    found = []

    def see(text, matrix, own, font, size):
        if text.strip():
            x = own[4] * matrix[0] + own[5] * matrix[2] + matrix[4]
            y = own[4] * matrix[1] + own[5] * matrix[3] + matrix[5]
            found.append((text.strip(), x / MM, (float(page.mediabox.height) - y) / MM))

    page.extract_text(visitor_text=see)
    return found


# ---- the whole PDF --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("game", GAMES)
def test_every_page_has_the_size_of_the_paper_and_none_is_empty(game, paper):
    made = printed(game, paper)
    pages = open_pdf(made.pdf).pages
    assert len(pages) == made.pages > 4
    for number, page in enumerate(pages):
        size = (float(page.mediabox.width) / MM, float(page.mediabox.height) / MM)
        assert size == pytest.approx((PAPERS[paper].width, PAPERS[paper].height), abs=0.05)
        assert len(page.get_contents().get_data()) > 600, f"page {number + 1} is empty"


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("game", GAMES)
def test_fronts_are_on_odd_pages_with_their_backs_on_the_next_page(game, paper):
    made = printed(game, paper)
    pages = {side: [page for page, sheet in zip(made.places, made.sheets, strict=True) if sheet.side == side] for side in SIDES}
    assert pages["front"] == list(range(3, 3 + 2 * len(pages["front"]), 2))  # after the guide and the reference sheet, a page each
    assert [page - 1 for page in pages["back"]] == pages["front"]
    last = len(pages["one side"])
    assert pages["one side"] == list(range(made.pages - last + 1, made.pages + 1))


@pytest.mark.parametrize("game", GAMES)
def test_the_fonts_are_in_the_pdf_and_the_same_on_every_machine(game):
    for page in open_pdf(printed(game).pdf).pages:
        for font in page["/Resources"].get("/Font", {}).values():
            inner = font.get_object()["/DescendantFonts"][0].get_object()
            assert {"/FontFile", "/FontFile2", "/FontFile3"} & set(inner["/FontDescriptor"].get_object())
            assert re.search("Libertinus|DejaVuSansMono|NewCM", inner["/BaseFont"])


@pytest.mark.parametrize("game", GAMES)
def test_mono_has_no_colours(game):
    parts = ("cards", "tiles", "disks", "tokens") if game != "connect_four" else ()
    assert any(max(colour) - min(colour) > 0.1 for colour in colours(printed(game, only=parts)))
    assert all(max(colour) - min(colour) < 0.005 for colour in colours(printed(game, mono=True, only=parts)))


@pytest.mark.parametrize("game", ["connect_four", GAMES[-1]])
def test_the_same_game_gives_the_same_bytes(game):
    assert print_game(load(game), Order()).pdf == printed(game).pdf
    assert open_pdf(printed(game).pdf).metadata.get("/CreationDate") in (None, "D:19700101000000Z")


@pytest.mark.parametrize("game", GAMES)
def test_the_guide_says_how_many_of_each_piece_there_are_and_on_which_pages(game):
    made = printed(game)
    guide = re.sub(r"\s+", " ", open_pdf(made.pdf).pages[0].extract_text().replace("-\n", ""))
    for name, count in made.counts.items():
        assert re.search(rf"{re.escape(curled(name))} {count} [\d.]+ ", guide), f"{count} {name}"
    backs = [number for number, sheet in enumerate(made.sheets, 3) if sheet.side == "back"]
    if backs and any(sheet.side == "one side" for sheet in made.sheets):
        first = made.pages - sum(sheet.side == "one side" for sheet in made.sheets) + 1
        assert f"Print pages 1 to {first - 1} on both sides" in guide
    assert "actual size" in guide


@pytest.mark.parametrize("game", GAMES)
def test_everything_in_the_box_is_on_the_sheets_exactly_as_often(game):
    made = printed(game)
    wanted = Counter()
    for piece in made.box.pieces:
        wanted[piece.name] += piece.count
    assert made.counts == wanted
    for front, back in pairwise(made.sheets):
        if front.side == "front":
            assert front.counts == back.counts


def test_only_some_parts_are_printed():
    made = printed("connect_four", only=("disks",))
    assert (made.pages, sum(made.counts.values())) == (1, 42)
    assert printed("connect_four", only=("board",)).pages == 1
    assert printed("connect_four", only=("guide", "reference")).pages == 2
    rules = open_pdf(printed("connect_four", only=("rules",)).pdf)
    assert "You win as soon as your disc completes a line" in re.sub(r"\s+", " ", rules.pages[0].extract_text())


# ---- sizes ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("paper", PAPERS)
def test_what_is_26_mm_apart_in_the_drawing_is_26_mm_apart_on_paper(paper):
    page = open_pdf(printed("connect_four", paper, only=("board",)).pdf).pages[0]
    places = {text: x for text, x, y in texts_at(page) if len(text) == 1 and y < 200}
    assert [places[str(k + 1)] - places[str(k)] for k in range(1, 7)] == pytest.approx([26] * 6, abs=0.3)
    assert places["7"] - places["1"] == pytest.approx(6 * 26, abs=0.3)


@pytest.mark.parametrize("paper", PAPERS.values())
@pytest.mark.parametrize("game", GAMES)
def test_pieces_lie_on_the_paper_and_not_on_each_other(game, paper):
    for sheet in prepare(load(game), Order(next(key for key in PAPERS if PAPERS[key] is paper))).sheets:
        boxes = []
        for piece, x, y in sheet.places:
            if isinstance(piece, Board) and plan(piece, paper).count > 1:
                continue
            wide, high = footprint(piece)
            boxes.append((x - wide / 2, y - high / 2, x + wide / 2, y + high / 2))
        for left, top, right, bottom in boxes:
            assert left > MARGIN - 0.01
            assert top > MARGIN - 0.01
            assert right < paper.width - MARGIN + 0.01
            assert bottom < paper.height - MARGIN + 0.01
        for number, (left, top, right, bottom) in enumerate(boxes):
            for a, b, c, d in boxes[:number]:
                assert left > c - 0.01 or a > right - 0.01 or top > d - 0.01 or b > bottom - 0.01


@pytest.mark.parametrize("game", GAMES)
def test_backs_lie_behind_their_fronts_when_the_page_is_turned_along_its_long_edge(game):
    order = Order()
    made = prepare(load(game), order).sheets
    for front, back in pairwise(made):
        if front.side == "front":
            behind = {(round(order.sheet.width - x, 3), round(y, 3)): piece for piece, x, y in back.places}
            assert behind == {(round(x, 3), round(y, 3)): piece for piece, x, y in front.places}


@pytest.mark.parametrize("game", GAMES)
def test_nothing_drawn_on_a_piece_is_cut_off(game, tmp_path):
    box, _ = box_of(load(game), Order())
    faces = {
        (face, piece.size, piece.outline): piece
        for piece in box.pieces
        if piece.part != "board"
        for face in (piece.front, piece.back)
        if face
    }
    cell = max(max(piece.size) for piece in faces.values()) + 12
    size = (12 * cell, -(-len(faces) // 12) * cell)
    drawn = ""
    for number, ((face, *_), piece) in enumerate(faces.items()):
        cover = outline(piece, fill="#fff", stroke="#fff", stroke_width="4")  # all of the piece and 2 mm more
        place = f"translate({(number % 12 + 0.5) * cell} {(number // 12 + 0.5) * cell})"
        drawn += f'<g transform="{place}"><g transform="scale({piece.scale})">{face}</g>{cover}</g>'
    (tmp_path / "faces.svg").write_text(svg_file(drawn, size, box.defs, False))
    (tmp_path / "faces.typ").write_text(
        f'#set page(width: {size[0]}mm, height: {size[1]}mm, margin: 0mm)\n#image("faces.svg", width: 100%)'
    )
    setter = typst.Compiler(str(tmp_path / "faces.typ"), root=str(tmp_path), ignore_system_fonts=True)
    shown = np.asarray(Image.open(io.BytesIO(setter.compile(format="png", ppi=51))).convert("L"))
    outside = {
        int(y / shown.shape[0] * size[1] // cell) * 12 + int(x / shown.shape[1] * size[0] // cell) for y, x in np.argwhere(shown < 200)
    }
    assert not outside, [list(faces.values())[number].name for number in outside]


def art(size=5):
    return f'<circle r="{size}" class="f-clay"/>'


def test_a_full_page_of_cards_holds_nine():
    for paper in PAPERS.values():
        front, back, *rest = sheets([Card("Card", 9, art(), art())], paper)
        assert not rest
        assert (front.counts["Card"], back.counts["Card"]) == (9, 9)
    assert [sheet.side for sheet in sheets([Card("Card", 10, art(), art())], PAPERS["a4"])] == ["front", "back"] * 2


def test_a_large_board_is_printed_in_parts_that_overlap():
    board, paper = Board("Board", 1, art(), size=(340, 340)), PAPERS["a4"]
    cut = plan(board, paper)
    assert (cut.across, cut.down, cut.part) == (2, 2, (175, 175))
    assert 2 * cut.part[0] - OVERLAP == board.size[0]
    made = sheets([board], paper)
    titles = ["top left (part 1 of 4)", "top right (part 2 of 4)", "bottom left (part 3 of 4)", "bottom right (part 4 of 4)"]
    assert [sheet.title for sheet in made] == [f"Board: {title}" for title in titles]
    assert sum((sheet.counts for sheet in made), Counter()) == {"Board": 1}
    long = plan(Board("Long", 1, art(), size=(270, 100)), paper)
    assert (long.count, long.turned) == (1, True)  # lying on its side
    assert [sheet.side for sheet in sheets([Board("Mat", 3, art(), size=(180, 80))], paper)] == ["one side"]  # three on a sheet


def test_a_few_pieces_lie_where_there_is_room_for_all_of_them():
    boards = [Board(f"Map {number}", 1, art(), size=(180, 180)) for number in range(2)]
    first, second = sheets([*boards, Token("Hero", 4, art(), size=(20, 26))], PAPERS["a4"])
    assert (first.counts, second.counts) == ({"Map 0": 1, "Hero": 4}, {"Map 1": 1})
    fits = sheets([Tile("Small", 3, art(), size=(15, 15)), Tile("Taller", 3, art(), size=(20, 20))], PAPERS["a4"])[0]
    assert len({y - piece.size[1] / 2 for piece, x, y in fits.places}) == 1  # side by side


def test_only_more_than_a_page_of_equal_pieces_is_divided():
    made = sheets([Board("Map", 1, art(), size=(180, 180)), Disk("Stone", 50, art(), size=(23, 23))], PAPERS["a4"])
    assert [sheet.counts for sheet in made] == [{"Map": 1}, {"Stone": 50}]
    assert [sheet.counts["Stone"] for sheet in sheets([Disk("Stone", 100, art(), size=(23, 23))], PAPERS["a4"])] == [70, 30]


def test_backs_of_two_colours_never_touch():
    cards = [Card("Sun", 4, art(), art(), ground="gold"), Card("Moon", 3, art(), art(), ground="sea")]
    front, back = sheets(cards, PAPERS["a4"])
    for sheet in (front, back):
        suns, moons = ([y for piece, x, y in sheet.places if piece.name == name] for name in ("Sun", "Moon"))
        assert min(moons) - max(suns) >= 88 + 2 * BLEED


def test_a_piece_that_stands_is_a_strip_with_two_fronts_and_feet():
    assert footprint(Token("Hero", 1, art(), size=(20, 30))) == (20, 60 + 2 * FLAP)
    (sheet,) = sheets([Token("Hero", 4, art(), art(3), size=(20, 30))], PAPERS["a4"])
    assert sheet.side == "one side"
    assert "rotate(180)" in sheet.drawing


def test_a_piece_larger_than_the_paper_is_refused():
    with pytest.raises(BrokenComponents, match="'Wall' is 300 × 88 mm as printed; A4 has room for 195 × 282 mm"):
        sheets([Card("Wall", 1, art(), size=(300, 88))], PAPERS["a4"])
    with pytest.raises(BrokenComponents, match="no drawing of its front"):
        Disk("Nothing")
    with pytest.raises(BrokenComponents, match="size of more than 0 mm"):
        Tile("Flat", 1, art(), size=(0, 5))


# ---- changes, options and other people's games ----------------------------------------------------------------------------


def test_a_changed_game_prints_changed():
    assert prepare(load("connect_four", {"COLUMNS": 8}), Order()).box.pieces[1].count == 24
    assert printed("connect_four").counts == {"Grid": 1, "Red disc": 21, "Blue disc": 21}


def test_a_game_without_components_gets_a_guide_its_board_and_a_reference_sheet():
    made = print_game(load(TOYS / "nim"), Order())
    pages = [page.extract_text() for page in open_pdf(made.pdf).pages]
    assert made.pages == 3
    assert "doesn’t list its pieces" in pages[0]
    assert "Take" in pages[1]
    assert made.counts == {"Board": 1}


def stranger(tmp_path, components):
    folder = tmp_path / "strange"
    shutil.copytree(TOYS / "nim", folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "components.py").write_text(components)
    return load(folder)


def test_a_stranger_declares_pieces(tmp_path):
    text = """
from rulestone.components import Box, Disk


def components(players, options):
    return Box([Disk("Stone", 10 * players, '<circle r="10" class="f-stone"/>', text="Take some.")], besides=["a friend"])
"""
    made = print_game(stranger(tmp_path, text), Order())
    assert made.counts == {"Stone": 20}
    assert "A friend." in open_pdf(made.pdf).pages[0].extract_text()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("def components(players, options):\n    return 1 / 0\n", r"components\.py line 2: ZeroDivisionError"),
        ("def components(players, options):\n    return []\n", "returns a Box of boards, cards, tiles, disks and tokens"),
        ("pieces = []\n", "needs a function components"),
        (
            "from rulestone.components import Box, Card\ndef components(players, options):\n    return Box([Card('A', 1)])\n",
            "'A' has no drawing of its front",
        ),
    ],
)
def test_a_slip_in_components_is_one_sentence(tmp_path, text, sentence):
    with pytest.raises(CannotPrint, match=sentence) as refused:
        print_game(stranger(tmp_path, text), Order())
    assert "\n" not in str(refused.value)


def test_bad_orders_are_one_sentence():
    with pytest.raises(CannotPrint, match="there is no paper 'a5'; choose a4 or letter"):
        Order("a5")
    with pytest.raises(CannotPrint, match="there is no part 'dice'; choose from guide, reference, board"):
        Order(only=("dice",))
    with pytest.raises(CannotPrint, match="Connect Four has no cards to print; it has board and disks"):
        prepare(load("connect_four"), Order(only=("cards",)))
    with pytest.raises(ValueError, match="is for 2 players"):
        prepare(load("connect_four"), Order(players=5))


def test_the_most_that_any_number_of_players_needs_is_printed(tmp_path):
    text = """
from rulestone.components import Box, Disk


def components(players, options):
    return Box([Disk("Stone", 12 - players, '<circle r="10"/>'), Disk(f"Seat {players}", 1, '<circle r="9"/>')])
"""
    folder = tmp_path / "strange"
    shutil.copytree(TOYS / "whisper", folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "components.py").write_text(text)
    game = load(folder)
    assert print_game(game, Order()).counts == {"Stone": 10, "Seat 2": 1, "Seat 3": 1}
    assert print_game(game, Order(players=3)).counts == {"Stone": 9, "Seat 3": 1}


def test_pieces_are_listed_as_for_most_players(tmp_path):
    text = """
from rulestone.components import Board, Box, Disk


def components(players, options):
    seats = [Disk(f"Seat {seat}", 1, f'<circle r="{seat}"/>') for seat in range(players)]
    return Box([Board(f"Map for {players}", 1, '<circle r="8"/>'), *seats, Disk("Stone", 9, '<circle r="9"/>')])
"""
    folder = tmp_path / "strange"
    shutil.copytree(TOYS / "whisper", folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "components.py").write_text(text)
    box, _ = box_of(load(folder), Order())
    assert [piece.name for piece in box.pieces] == ["Map for 2", "Map for 3", "Seat 0", "Seat 1", "Seat 2", "Stone"]


def test_a_short_reference_sheet_is_printed_twice_to_be_cut_in_two():
    short, long = (open_pdf(printed(game).pdf).pages[1].extract_text() for game in ("connect_four", "hydra_regatta"))
    assert (short.count("Reference sheet"), long.count("Reference sheet")) == (2, 1)
    assert "Drop. Any column that is not full." in short


@pytest.mark.parametrize("game", GAMES)
def test_the_reference_sheet_has_no_notes_on_how_the_rules_are_written(game):
    text = open_pdf(printed(game).pdf).pages[1].extract_text()
    assert not re.search(r"with an? [RQ]\b|An R is|\(seat 0\)", text)


def test_rules_become_markup():
    made = markup('## Head\n\nIt says "no" to *you* and `x#y`.\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n', str)
    assert '#heading(level: 2)[#"Head";]' in made
    assert "“no”" in made
    assert '#raw("x#y");' in made
    assert '#table(columns: 2, table.header([#"a";],[#"b";],),[#"1";]' in made
