"""The architecture: allowed imports, private attributes, and numbers of parameters."""

import ast
import configparser
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tools.pictures import FLOORS, draw_house

import rulestone

HOUSE = Path(str(rulestone.__file__)).parent
FILES = sorted(HOUSE.rglob("*.py"))
NOT_OURS = {"_current_frames", "_exit", "_processes"}
"""Private names of the standard library that can't be avoided."""


def strangers_secrets(text: str) -> list[tuple[int, str]]:
    """Return the lines that use a private attribute of something defined in another file."""
    tree = ast.parse(text)
    private = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__") and node.attr not in NOT_OURS
    ]
    own = {node.attr for node in private if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")}
    own |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    return [(node.lineno, node.attr) for node in private if node.attr not in own]


def test_nothing_touches_a_private_attribute_of_a_match_or_of_anything_else_in_another_file():
    # The fields of a game's records can start with an underscore.
    fields = {field for name in rulestone.games() for field in rulestone.load(name).layout.fields}
    found = {
        str(file.relative_to(HOUSE)): wrong
        for file in FILES
        if (wrong := [use for use in strangers_secrets(file.read_text()) if use[1] not in fields])
    }
    assert found == {}


@pytest.mark.parametrize("text", ["match._past", "def f(match):\n    return match.view(0)._array.copy()"])
def test_access_to_private_attributes_would_be_found(text):
    assert strangers_secrets(text)


MOST_PARAMETERS = 10


def parameters(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> int:
    given = function.args
    return len(given.posonlyargs + given.args + given.kwonlyargs) + (given.vararg is not None) + (given.kwarg is not None)


def is_command(function: ast.AST) -> bool:
    """Return whether it's a command of the command line, where each parameter is an option with a name."""
    return any(ast.unparse(decorator).startswith("app.command") for decorator in getattr(function, "decorator_list", ()))


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(HOUSE)))
def test_no_function_has_more_than_ten_parameters(file):
    functions = [
        node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    ]
    greedy = [(node.lineno, parameters(node)) for node in functions if parameters(node) > MOST_PARAMETERS and not is_command(node)]
    assert greedy == []


ROOT = Path(__file__).parents[1]
CONTRACTS = configparser.ConfigParser()
CONTRACTS.read(ROOT / ".importlinter")


def linted(folder: Path) -> dict[str, bool]:
    """Return which contracts of `.importlinter` the code in a folder keeps, by name."""
    told = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as run; run()", "--no-cache"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        timeout=120,
    ).stdout
    return {name: kept == "KEPT" for name, kept in re.findall(r"^(\S.*) (KEPT|BROKEN)\b", told, re.MULTILINE)}


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """A copy of the code with two new games, to add wrong imports to."""
    folder = tmp_path_factory.mktemp("house")
    shutil.copy(ROOT / ".importlinter", folder)
    shutil.copytree(HOUSE, folder / "rulestone", ignore=shutil.ignore_patterns("__pycache__", "static", "*.md", "*.html"))
    for game in ("one", "other"):
        (folder / "rulestone" / "games" / game).mkdir()
        for name in ("__init__", "rules", "content", "bot", "scene", "art", "words", "measures"):
            (folder / "rulestone" / "games" / game / f"{name}.py").write_text("")
    return folder


def test_the_house_with_new_games_keeps_its_contracts(planted):
    assert linted(planted) == {CONTRACTS[section]["name"]: True for section in CONTRACTS.sections() if ":" in section}


@pytest.mark.parametrize(
    ("file", "text", "contract"),
    [
        ("games/one/rules.py", "from rulestone.table import kit", "rules"),
        ("games/one/content.py", "def late():\n    import rulestone.measures", "rules"),
        ("games/one/bot.py", "from . import scene", "rules"),
        ("games/one/scene.py", "import rulestone.statistics", "scenes"),
        ("games/one/words.py", "import rulestone.measures", "scenes"),
        ("games/one/measures.py", "from rulestone.table import svg", "measures"),
        ("games/one/rules.py", "from rulestone.games.other import rules", "independent"),
        ("games/one/rules.py", "from rulestone.match import Match", "layers"),
        ("games/one/content.py", "import rich", "others"),
        ("engine/loops.py", "from rulestone import game", "layers"),
        ("engine/turn.py", "from rulestone.games import names", "layers"),
        ("kernel/rule.py", "import rulestone.engine.turn", "layers"),
        ("attic.py", "", "layers"),
    ],
)
def test_an_import_that_is_not_allowed_breaks_its_contract(planted, file, text, contract):
    place = planted / "rulestone" / file
    scene = planted / "rulestone" / "games" / "one" / "scene.py"
    before = {path: path.read_text() if path.exists() else None for path in (place, scene)}
    try:
        if "import scene" in text:
            scene.write_text("from rulestone.table import kit")
        place.write_text(f"{before[place] or ''}\n{text}\n")
        broken = [name for name, kept in linted(planted).items() if not kept]
    finally:
        for path, old in before.items():
            path.unlink() if old is None else path.write_text(old)
    assert CONTRACTS[f"importlinter:contract:{contract}"]["name"] in broken


def test_every_external_package_is_named_in_the_contract_of_the_games():
    imports = [node for file in FILES for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {alias.name for node in imports if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module) for node in imports if isinstance(node, ast.ImportFrom) and node.level == 0}
    used = {name.partition(".")[0] for name in names} - set(sys.stdlib_module_names) - {"rulestone", "numpy"}
    assert used <= set(CONTRACTS["importlinter:contract:others"]["forbidden_modules"].split())


def test_the_picture_of_the_house_shows_every_room_on_its_floor(tmp_path):
    floors = [set(floor.split(" | ")) for floor in CONTRACTS["importlinter:contract:layers"]["layers"].split("\n") if floor]
    assert [{name for rooms, _ in floor for name in rooms.split(" · ")} for floor in FLOORS] == floors
    draw_house(tmp_path / "house.svg")
    assert (tmp_path / "house.svg").read_text() == (ROOT / "docs" / "pictures" / "house.svg").read_text(), "make pictures"
