"""Variants: a game with other constants, without editing it.

The value of a top-level constant is replaced in the text of the game's `content.py`, `rules.py` or `bot.py`, so everything derived from it
changes too; the rest stays the same, byte for byte. The changed game is an ordinary game folder in the user's cache.

>>> split("whist@HAND=5;DECKS[short,ace]=5")
('whist', {'HAND': '5', 'DECKS[short,ace]': '5'})
>>> join("whist", {"HAND": 5})
'whist@HAND=5'
"""

from __future__ import annotations

import ast
import contextlib
import difflib
import hashlib
import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rulestone.kernel.cache import cache_root, last_used

FILES = ("content.py", "rules.py", "bot.py")
FORMAT = "rulestone.variant"
TARGET = r"[A-Za-z_][\w.]*(?:\[[^\]]*\])?"
KEEP, KEEP_SECONDS = 100, 86_400
"""How many changed games the cache keeps at least, and for how long it keeps all of them."""


class BadChange(ValueError):
    """A change isn't possible, or the game can't be played with it."""


def split(name: str) -> tuple[str, dict[str, str]]:
    """Split `NAME@CONSTANT=value;CONSTANT=value` into the name of the game (or bot) and the changes."""
    found = re.fullmatch(rf"(.+?)@({TARGET}=.*)", name, re.DOTALL)
    if found is None:
        return name, {}
    pairs = re.split(rf";(?={TARGET}=)", found[2])
    return found[1], {target: value for target, _, value in (pair.partition("=") for pair in pairs)}


def join(name: str, changes: Mapping[str, Any]) -> str:
    """Return a game's name with changes, as `load` accepts it."""
    return name + ("@" + ";".join(f"{target}={written(value)}" for target, value in changes.items()) if changes else "")


def written(value: Any) -> str:
    """Return a value as it's written in a change."""
    return value.strip() if isinstance(value, str) else repr(value)


def plain(value: Any) -> Any:
    """Return a written number as a number, anything else as it's written."""
    try:
        number = ast.literal_eval(value) if isinstance(value, str) else value
    except (ValueError, SyntaxError):
        return value
    return number if isinstance(number, int | float) else written(value)


@dataclass(frozen=True)
class Constant:
    """A constant of a game: its name, file and value, and the comment behind it (`about`)."""

    name: str
    file: str
    value: Any
    about: str


def packed(game: str, options: Mapping[str, Any], players: int | None = None) -> dict[str, Any]:
    """Return a variant as a small file holds it: the game's name with its changes, the options that are set, the number of players."""
    return {"format": FORMAT, "version": 1, "game": game, "options": dict(options)} | ({"players": players} if players else {})


def unpacked(text: str) -> tuple[str, dict[str, Any], int | None]:
    """Return what a variant's file says. Raises BadChange if it isn't one.

    >>> unpacked(json.dumps(packed("connect_four@ROWS=5", {"line": 3})))
    ('connect_four@ROWS=5', {'line': 3}, None)
    """
    try:
        data = json.loads(text)
        if data["format"] != FORMAT or data["version"] != 1:
            raise KeyError
        return str(data["game"]), dict(data["options"]), data.get("players") and int(data["players"])
    except (ValueError, KeyError, TypeError):
        raise BadChange("this file isn't a variant of a game; the page that sets up a table saves one") from None


def constants(folder: Path) -> dict[str, Constant]:
    """Return the constants of a game that can be changed: those written as plain values."""
    found: dict[str, Constant] = {}
    for file in FILES:
        if (folder / file).exists():
            text = (folder / file).read_text()
            lines = text.splitlines()
            for name, node in _assigned(ast.parse(text, str(folder / file))):
                plain = _plain(node)
                if plain is not None and not name.startswith("_"):
                    comment = lines[(node.end_lineno or 1) - 1].partition("  # ")[2]
                    found.setdefault(name, Constant(name, file, _value(plain), comment))
    return found


def change(
    folder: Path, changes: Mapping[str, Any], only: Sequence[str] = FILES, besides: Iterable[str] = ()
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the changed files with their new text, and those changes that really change something.

    `only` limits the changes to these files. Raises BadChange if a change isn't possible; its message suggests similar names, also from
    `besides`.
    """
    texts: dict[str, str] = {}
    real: dict[str, str] = {}
    for target, value in changes.items():
        file, keys = _find(folder, target, besides)
        if file not in only:
            raise BadChange(f"{target!r} is in {file}; only constants in {' or '.join(only)} can be changed here")
        before = texts.get(file, (folder / file).read_text())
        texts[file], new = _replaced(before, target, keys, written(value))
        if texts[file] != before:
            real[target] = written(new)
    return texts, real


def make(folder: Path, package: str, texts: Mapping[str, str], apart: Sequence[str] = ()) -> Path:
    """Return the folder of the changed game, after creating it if necessary. Its parent is named by a hash of the content.

    The rules don't depend on the files in `apart`: they aren't part of the hash, and are updated if they have changed.
    """
    files: dict[str, bytes] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_file() and path.suffix not in (".pyc", ".net") and "test" not in path.name:
            content = texts[name].encode() if name in texts else path.read_bytes()
            for own, short in ((f"from {package}.", b"from ."), (f"from {package} import", b"from . import")):
                content = content.replace(own.encode(), short)  # a game that imports from itself by its full name
            files[name] = content
    digest = hashlib.sha256(folder.name.encode())
    for name, content in files.items():
        if name not in apart:
            digest.update(name.encode() + content)
    place = _room() / digest.hexdigest()[:16]
    if not (place / folder.name).is_dir():
        half = Path(tempfile.mkdtemp(dir=place.parent))
        for name, content in files.items():
            write(half / folder.name / name, content)
        try:
            half.rename(place)
        except OSError:  # another process was first
            shutil.rmtree(half)
        _tidy(place.parent)
    with contextlib.suppress(OSError):  # in a cache that belongs to others
        for name, content in files.items():
            there = place / folder.name / name
            if name in apart and not (there.exists() and there.read_bytes() == content):
                write(there, content)
        place.touch()
    return place / folder.name


def write(file: Path, content: bytes) -> None:
    """Write a file atomically."""
    file.parent.mkdir(parents=True, exist_ok=True)
    half = file.with_name(f"{file.name}.{os.getpid()}")
    half.write_bytes(content)
    half.replace(file)


def _room() -> Path:
    """Return the folder for changed games: in the cache or, if that isn't writable, a temporary folder for this process."""
    room = cache_root() / "variants"
    try:
        room.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=room).close()
        return room
    except OSError:
        spare = Path(tempfile.gettempdir()) / f"rulestone-{os.getpid()}"
        spare.mkdir(mode=0o700, exist_ok=True)
        return spare


def _tidy(room: Path) -> None:
    """Remove changed games that haven't been used for long, together with their compiled code."""
    kept = sorted(room.iterdir(), key=last_used, reverse=True)
    for place in kept[KEEP:]:
        if time.time() - last_used(place) > KEEP_SECONDS:
            shutil.rmtree(place, ignore_errors=True)


# ---- finding a constant ---------------------------------------------------------------------------------------------------


def _find(folder: Path, target: str, besides: Iterable[str]) -> tuple[str, list[str]]:
    """Return the file of a constant, and its name followed by its keys: `NAME`, `NAME[key]`, `NAME[row,column]` or `NAME.key`."""
    name, _, inside = target.strip().rstrip("]").partition("[")
    first, *parts = name.split(".")
    files = [file for file in FILES if (folder / file).exists()]
    if parts and f"{first}.py" in files:
        files, (first, *parts) = [f"{first}.py"], parts
    places = [file for file in files if first in dict(_assigned(ast.parse((folder / file).read_text(), str(folder / file))))]
    if not places:
        known = [*besides, *constants(folder)]
        close = difflib.get_close_matches(first, known, 3, 0.5) or difflib.get_close_matches(first.upper(), known, 3, 0.5)
        if first in known:
            raise BadChange(f"{first!r} is an option of {folder.name}, not a constant; set it with -o {first}=…")
        hint = f"did you mean {' or '.join(close)}?" if close else "`rulestone options GAME` lists them"
        raise BadChange(f"{folder.name} has no option and no constant {first!r}; {hint}")
    if len(places) > 1:
        raise BadChange(f"{first!r} is in {' and in '.join(places)}; write {' or '.join(f'{file[:-3]}.{first}' for file in places)}")
    return places[0], [first, *parts, *(key.strip().strip("'\"") for key in inside.split(",") if inside)]


def _assigned(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names assigned at the top level, with the expressions assigned to them."""
    for statement in tree.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value is not None:
            yield statement.target.id, statement.value
        for target in statement.targets if isinstance(statement, ast.Assign) else ():
            value = statement.value  # type: ignore[attr-defined]
            if isinstance(target, ast.Name):
                yield target.id, value
            elif isinstance(target, ast.Tuple):
                parts = value.elts if isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts) else [value] * len(target.elts)
                words = isinstance(value, ast.Tuple) and _are_words([_value(part) for part in parts])
                for name, part in zip(target.elts, parts, strict=True):
                    if isinstance(name, ast.Name):
                        yield name.id, ast.Tuple([], ast.Load()) if words or part is value else part


def _are_words(values: list[Any]) -> bool:
    """Return whether these numbers only distinguish names: 0, 1, … or -1, -2, …, or at least three like 0, 2, 5 or 1, 2, 3 or 1, 2, 4."""
    count = len(values)
    if values in ([*range(count)], [*range(-1, -1 - count, -1)]):
        return True
    if count < 3 or not all(type(value) is int for value in values):
        return False
    rising = values[0] == 0 and sorted(set(values)) == values
    return rising or values in ([*range(1, count + 1)], [1 << k for k in range(count)])


def _plain(node: ast.expr) -> ast.expr | None:
    """Return the part of an expression that is a plain value: itself, or the first argument of a call (`np.array([…])`); else None."""
    if isinstance(node, ast.Call) and node.args:
        return node.args[0] if isinstance(node.args[0], ast.List | ast.Tuple) and _value(node.args[0]) is not None else None
    return node if hasattr(node, "lineno") and _value(node) is not None else None


def _value(node: ast.expr) -> Any:
    """Return the value of an expression of plain values, such as `5 * 170`; None if it contains anything else."""
    if any(isinstance(part, ast.Name | ast.Call | ast.Attribute | ast.Lambda | ast.Await | ast.comprehension) for part in ast.walk(node)):
        return None
    try:
        return eval(compile(ast.Expression(node), "<constant>", "eval"), {"__builtins__": {}})
    except Exception:
        return None


# ---- changing it ----------------------------------------------------------------------------------------------------------


def _replaced(text: str, target: str, keys: list[str], value: str) -> tuple[str, Any]:
    """Return the text of a file with the constant changed, and its new value. If the value is the same, so is the text."""
    name, *rest = keys
    assigned = dict(_assigned(ast.parse(text)))[name]
    node = _plain(assigned)
    if node is None:
        names = [part.id for part in ast.walk(assigned) if isinstance(part, ast.Name) and part.id.isupper()]
        why = f"follows from {', '.join(dict.fromkeys(names))}" if names else "is not a plain value"
        raise BadChange(f"{name} can't be changed: it {why}")
    while rest and isinstance(node, ast.Dict | ast.Tuple | ast.List):
        node = _element(node, target, rest.pop(0))
    old = _value(node)
    if rest and not isinstance(old, str):
        raise BadChange(f"{target}: {old!r} has no parts to change")
    new = _cell(old, target, rest, value) if rest else _read(old, target, value)
    if new == old and type(new) is type(old):
        return text, new
    literal = f'"""{new}"""' if isinstance(new, str) and "\n" in new and '"""' not in new and "\\" not in new else repr(new)
    source = text.encode()
    starts = [0, *(place.end() for place in re.finditer(rb"\n", source))]
    first = starts[node.lineno - 1] + node.col_offset
    last = starts[(node.end_lineno or 1) - 1] + (node.end_col_offset or 0)
    return (source[:first] + literal.encode() + source[last:]).decode(), value if rest else new


def _element(node: ast.Dict | ast.Tuple | ast.List, target: str, key: str) -> ast.expr:
    if isinstance(node, ast.Dict):
        entries = {str(_value(name)): entry for name, entry in zip(node.keys, node.values, strict=True) if name is not None}
    else:
        entries = {str(number): entry for number, entry in enumerate(node.elts)}
    if key not in entries:
        raise BadChange(f"{target}: there is no {key!r}; choose from: {', '.join(entries)}")
    return entries[key]


def _read(old: Any, target: str, value: str) -> Any:
    """Return the new value. Raises BadChange if it isn't of the same kind as the old one."""
    try:
        new = ast.literal_eval(value)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        new = value
    if isinstance(old, str):
        return new if isinstance(new, str) else value
    alike = (
        isinstance(new, int) if isinstance(old, int) else isinstance(new, int | float) if isinstance(old, float) else type(new) is type(old)
    )
    if isinstance(old, list | tuple) and isinstance(new, list | tuple):
        alike, new = True, type(old)(new)
    if not alike:
        raise BadChange(f"{target} is {old!r}; {value!r} is not a value of the same kind")
    return new


def _cell(old: str, target: str, keys: list[str], value: str) -> str:
    """Return a table written as text with one entry changed. A row is named by one of its entries, a column by its heading or number."""
    if len(keys) != 2:
        raise BadChange(f"{target}: name an entry of the table by row and column, as in NAME[row,column]")
    row, column = keys
    lines = old.split("\n")
    filled = [number for number, line in enumerate(lines) if line.strip()]
    bar = "|" in lines[filled[0]]
    rows = {number: [word.strip() for word in lines[number].split("|")] if bar else lines[number].split() for number in filled}
    heading = rows[filled[0]]
    body = filled[column in heading :]
    found = [number for number in body if row in rows[number] or " ".join(rows[number]).startswith(f"{row} ")]
    if not found:
        raise BadChange(f"{target}: there is no row {row!r}; rows: {', '.join(rows[number][0] for number in body)}")
    place = heading.index(column) - len(heading) if column in heading else int(column) - 1 if column.isdigit() else None
    if place is None or not -len(rows[found[0]]) <= place < len(rows[found[0]]):
        raise BadChange(f"{target}: there is no column {column!r}; columns: {', '.join(heading)}")
    parts = lines[found[0]].split("|") if bar else re.findall(r"\s*\S+", lines[found[0]])
    part = parts[place]
    parts[place] = part[: len(part) - len(part.lstrip())] + value + part[len(part.rstrip()) :]
    lines[found[0]] = ("|" if bar else "").join(parts)
    return "\n".join(lines)
