"""A hash of what plays: a game's rules, content and options, without comments, docstrings and sentences.

Games of the same version with different fingerprints were not played by the same rules: somebody changed a rule and didn't raise
`ABOUT.version`. A new wording or a new comment changes no fingerprint.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rulestone.kernel.record import Option

RULES = "rules.py"


def fingerprint(folder: Path, options: Mapping[str, Option], data: Iterable[Path] = ()) -> str:
    """Return the fingerprint of a game in a folder. `data` are further files that its rules depend on."""
    made = hashlib.sha256()
    for file in _imported(folder):
        made.update(f"{file.name}\n{_essence(file)}\n".encode())
    for file in sorted(data):
        made.update(file.name.encode() + file.read_bytes())
    for option in options.values():
        made.update(f"{option.name} {option.default} {option.choices} {option.length}\n".encode())
    return made.hexdigest()[:16]


def _imported(folder: Path) -> list[Path]:
    """Return `rules.py` and everything in its folder that it imports, directly or not, sorted by name."""
    found, waiting = set(), [folder / RULES]
    while waiting:
        file = waiting.pop()
        if file in found or not file.is_file():
            continue
        found.add(file)
        for node in ast.walk(ast.parse(file.read_bytes())):
            if isinstance(node, ast.ImportFrom):
                names = [(node.module or "").rpartition(".")[2], *(alias.name for alias in node.names)]
                waiting += [folder / f"{name}.py" for name in names]
    return sorted(found)


def _essence(file: Path) -> str:
    """Return a file's code without comments and docstrings, and without the sentences in the rules. (Content may be written as text.)"""
    tree = ast.parse(file.read_bytes())
    keys = {key for node in ast.walk(tree) if isinstance(node, ast.Dict) for key in node.keys}  # the names of things, not sentences
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
            body[0] = ast.Pass()
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and file.name == RULES and node not in keys:
            node.value = ""
    return _written(tree)


def _written(part: Any) -> str:
    """Return a part of a syntax tree as text: the same in every version of Python, unlike `ast.unparse` and `ast.dump`."""
    if isinstance(part, list):
        return f"[{' '.join(map(_written, part))}]"
    if not isinstance(part, ast.AST):
        return repr(part)
    fields = (f"{name}={_written(value)}" for name, value in ast.iter_fields(part) if value not in (None, []))
    return f"{type(part).__name__}({' '.join(fields)})"
