"""`rulestone new`: the folder of a new game, ready to play and to rewrite."""

from __future__ import annotations

import keyword
import re
from pathlib import Path

import rulestone.games as built_in_games

TEMPLATE = Path(__file__).parent / "template"


def make(name: str, where: Path) -> Path:
    """Create the folder `where/name` from the template and return it. Raises ValueError if the name or the place won't do."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise ValueError(f"{name!r} can't be the name of a game; use lower-case letters, digits and underscores, starting with a letter")
    if name in built_in_games.names():
        raise ValueError(f"there is already a game called {name!r}; choose another name")
    folder = where / name
    if folder.exists():
        raise ValueError(f"{folder} already exists; nothing was changed")
    if not where.is_dir():
        raise ValueError(f"{where} is not a folder")
    folder.mkdir()
    title = name.replace("_", " ").title()
    for source in sorted(TEMPLATE.iterdir()):
        if source.is_file():
            text = source.read_text().replace("__NAME__", name).replace("__TITLE__", title)
            (folder / source.name.removesuffix(".txt").replace("NAME", name)).write_text(text)
    return folder
