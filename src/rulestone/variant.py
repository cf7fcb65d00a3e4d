"""What if? A game with other constants, without editing it.

The value of a top-level constant is replaced in the text of the game's `content.py`, `rules.py` or `bot.py`, so that everything
derived from it follows; the rest stays byte for byte. The changed game is an ordinary folder, kept in the user's cache.

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
TARGET = r"[A-Za-z_][\w.]*(?:\[[^\]]*\])?"
KEEP, KEEP_SECONDS = 100, 86_400
"""So many changed games are kept in the cache, and those of the last day."""


class BadChange(ValueError):
    """A change that cannot be made, or with which the game cannot be played."""


def split(name: str) -> tuple[str, dict[str, str]]:
    """The name of a game (or bot) and the changes written behind it: `NAME@CONSTANT=value;CONSTANT=value`."""
    found = re.fullmatch(rf"(.+?)@({TARGET}=.*)", name, re.DOTALL)
    if found is None:
        return name, {}
    pairs = re.split(rf";(?={TARGET}=)", found[2])
    return found[1], {target: value for target, _, value in (pair.partition("=") for pair in pairs)}


def join(name: str, changes: Mapping[str, Any]) -> str:
    """A game's name with changes, which `load` understands."""
    return name + ("@" + ";".join(f"{target}={written(value)}" for target, value in changes.items()) if changes else "")


def written(value: Any) -> str:
    """A value as it is written in a change."""
    return value.strip() if isinstance(value, str) else repr(value)


def plain(value: Any) -> Any:
    """A written number as a number; anything else as it is written."""
    try:
        number = ast.literal_eval(value) if isinstance(value, str) else value
    except (ValueError, SyntaxError):
        return value
    return number if isinstance(number, int | float) else written(value)


@dataclass(frozen=True)
class Constant:
    """A constant of a game: where it stands, what it is, and what is said about it there."""

    name: str
    file: str
    value: Any
    about: str


def constants(folder: Path) -> dict[str, Constant]:
    """What can be changed in a game: the constants that are written out as plain values."""
    found: dict[str, Constant] = {}
    for file in FILES:
        if (folder / file).exists():
            text = (folder / file).read_text()
            lines = text.splitlines()
            for name, node in _assigned(ast.parse(text)):
                plain = _plain(node)
                if plain is not None and not name.startswith("_"):
                    comment = lines[(node.end_lineno or 1) - 1].partition("  # ")[2]
                    found.setdefault(name, Constant(name, file, _value(plain), comment))
    return found


def change(
    folder: Path, changes: Mapping[str, Any], only: Sequence[str] = FILES, besides: Iterable[str] = ()
) -> tuple[dict[str, str], dict[str, str]]:
    """The files that the changes alter, with their new text, and the changes that are any. BadChange says what is not possible (and names
    what is alike, also among the names `besides`).
    """
    texts: dict[str, str] = {}
    real: dict[str, str] = {}
    for target, value in changes.items():
        file, keys = _find(folder, target, besides)
        if file not in only:
            raise BadChange(f"{target!r} stands in {file}; here only constants of {' or '.join(only)} can be changed")
        before = texts.get(file, (folder / file).read_text())
        texts[file], new = _replaced(before, target, keys, written(value))
        if texts[file] != before:
            real[target] = written(new)
    return texts, real


def make(folder: Path, package: str, texts: Mapping[str, str], apart: Sequence[str] = ()) -> Path:
    """The folder of the changed game, made unless it is there: an ordinary game's folder below one named by a hash of its content.

    The files `apart`, which rules do not depend on, take no part in the hash; they are brought up to date.
    """
    files: dict[str, bytes] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_file() and path.suffix != ".pyc" and "test" not in path.name:
            content = texts[name].encode() if name in texts else path.read_bytes()
            for own, short in ((f"from {package}.", b"from ."), (f"from {package} import", b"from . import")):
                content = content.replace(own.encode(), short)  # a game that names itself means itself
            files[name] = content
    digest = hashlib.sha256(folder.name.encode())
    for name, content in files.items():
        if name not in apart:
            digest.update(name.encode() + content)
    place = _room() / digest.hexdigest()[:16]
    if not (place / folder.name).is_dir():
        half = Path(tempfile.mkdtemp(dir=place.parent))
        for name, content in files.items():
            _write(half / folder.name / name, content)
        try:
            half.rename(place)
        except OSError:  # somebody else was first
            shutil.rmtree(half)
        _tidy(place.parent)
    with contextlib.suppress(OSError):  # in a cache that belongs to others
        for name, content in files.items():
            if name in apart and (place / folder.name / name).read_bytes() != content:
                _write(place / folder.name / name, content)
        place.touch()
    return place / folder.name


def _write(file: Path, content: bytes) -> None:
    """A file, whole at once."""
    file.parent.mkdir(parents=True, exist_ok=True)
    half = file.with_name(f"{file.name}.{os.getpid()}")
    half.write_bytes(content)
    half.replace(file)


def _room() -> Path:
    """Where changed games are kept; where nothing can be kept, a folder for this process."""
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
    """Forget what has not been used for long; its compiled code lies beside it and goes with it."""
    kept = sorted(room.iterdir(), key=last_used, reverse=True)
    for place in kept[KEEP:]:
        if time.time() - last_used(place) > KEEP_SECONDS:
            shutil.rmtree(place, ignore_errors=True)


# ---- finding a constant ---------------------------------------------------------------------------------------------------


def _find(folder: Path, target: str, besides: Iterable[str]) -> tuple[str, list[str]]:
    """The file a constant stands in, and its name with the keys behind it: `NAME`, `NAME[key]`, `NAME[row,column]`, `NAME.key`."""
    name, _, inside = target.strip().rstrip("]").partition("[")
    first, *parts = name.split(".")
    files = [file for file in FILES if (folder / file).exists()]
    if parts and f"{first}.py" in files:
        files, (first, *parts) = [f"{first}.py"], parts
    places = [file for file in files if first in dict(_assigned(ast.parse((folder / file).read_text())))]
    if not places:
        known = [*besides, *constants(folder)]
        close = difflib.get_close_matches(first, known, 3, 0.5) or difflib.get_close_matches(first.upper(), known, 3, 0.5)
        if first in known:
            raise BadChange(f"{first!r} is an option of {folder.name}, not a constant: -o {first}=…")
        hint = f"did you mean {' or '.join(close)}?" if close else "`rulestone options` lists them"
        raise BadChange(f"{folder.name} has no option and no constant {first!r}; {hint}")
    if len(places) > 1:
        raise BadChange(f"{first!r} stands in {' and in '.join(places)}; write {' or '.join(f'{file[:-3]}.{first}' for file in places)}")
    return places[0], [first, *parts, *(key.strip().strip("'\"") for key in inside.split(",") if inside)]


def _assigned(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """The names that are assigned at the top level, with what they are assigned."""
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
    """Do these numbers only tell names apart: 0, 1, … or -1, -2, … or (at least three of them) 0, 2, 5, … or 1, 2, 3, … or 1, 2, 4, …?"""
    count = len(values)
    if values in ([*range(count)], [*range(-1, -1 - count, -1)]):
        return True
    if count < 3 or not all(type(value) is int for value in values):
        return False
    rising = values[0] == 0 and sorted(set(values)) == values
    return rising or values in ([*range(1, count + 1)], [1 << k for k in range(count)])


def _plain(node: ast.expr) -> ast.expr | None:
    """The part of an expression that is a value written out: itself, or the first argument of a call (`np.array([…])`); else None."""
    if isinstance(node, ast.Call) and node.args:
        return node.args[0] if isinstance(node.args[0], ast.List | ast.Tuple) and _value(node.args[0]) is not None else None
    return node if hasattr(node, "lineno") and _value(node) is not None else None


def _value(node: ast.expr) -> Any:
    """What an expression of plain values comes to (`5 * 170` too); None if it needs anything else."""
    if any(isinstance(part, ast.Name | ast.Call | ast.Attribute | ast.Lambda | ast.Await | ast.comprehension) for part in ast.walk(node)):
        return None
    try:
        return eval(compile(ast.Expression(node), "<constant>", "eval"), {"__builtins__": {}})
    except Exception:
        return None


# ---- changing it ----------------------------------------------------------------------------------------------------------


def _replaced(text: str, target: str, keys: list[str], value: str) -> tuple[str, Any]:
    """The text of a file with the constant changed, and the value it has then. What has that value already stays as it is."""
    name, *rest = keys
    assigned = dict(_assigned(ast.parse(text)))[name]
    node = _plain(assigned)
    if node is None:
        names = [part.id for part in ast.walk(assigned) if isinstance(part, ast.Name) and part.id.isupper()]
        why = f"follows from {', '.join(dict.fromkeys(names))}" if names else "is no plain value"
        raise BadChange(f"{name} {why}; it cannot be changed by itself")
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
        raise BadChange(f"{target}: there is no {key!r}; possible: {', '.join(entries)}")
    return entries[key]


def _read(old: Any, target: str, value: str) -> Any:
    """The new value; it must be of the old one's kind."""
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
        raise BadChange(f"{target} is {old!r}; {value!r} is no value of that kind")
    return new


def _cell(old: str, target: str, keys: list[str], value: str) -> str:
    """A text that is a table with another entry: `[row,column]`, by what stands in the row and by the heading (or a number from 1)."""
    if len(keys) != 2:
        raise BadChange(f"{target}: an entry of a table is named by row and column, [row,column]")
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
