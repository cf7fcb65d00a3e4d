"""`rulestone new`: the folder of a new game, ready to play and to rewrite.

What stands in `template/shared` goes into every game. `template/sticks` is the smallest game; the others, `LIKES`, have a scene, a bot and
a lesson as well. Where a file stands in both, the shared part comes first.
"""

from __future__ import annotations

import difflib
import keyword
import re
from pathlib import Path

import rulestone.games as built_in_games

TEMPLATE = Path(__file__).parent / "template"
SMALLEST = "sticks"
LIKES = {
    "board": "two players move pawns on a board, and nothing is hidden",
    "cards": "two to four players with hands of cards that only they see, and a pile to draw from",
    "race": "two to four players race along a track, roll as often as they dare, and send each other back",
    "tiles": "two to four players walk over face-down tiles, peek under some and take what they find",
    "secrets": "two to four players lay cards face down, claim what they are, and doubt each other",
}
"""What a new game can be like, in a few words for its designer."""
HINT = "This is a whole game. Turn it into yours: play it with `rulestone play .`, check it with `rulestone check .`."


def make(name: str, where: Path, like: str = SMALLEST) -> Path:
    """Create the folder `where/name` from a template and return it. Raises ValueError if the name, the place or the template won't do."""
    if like not in (SMALLEST, *LIKES):
        close = difflib.get_close_matches(like, LIKES, 1)
        hint = f"did you mean {close[0]}? " if close else ""
        raise ValueError(f"a new game can't be like {like!r}; {hint}possible: {', '.join(LIKES)}")
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise ValueError(f"{name!r} can't be the name of a game; use lower-case letters, digits and underscores, starting with a letter")
    if name in built_in_games.names():
        raise ValueError(f"there is already a game called {name!r}; choose another name")
    folder = where / name
    if folder.exists():
        raise ValueError(f"{folder} already exists; nothing was changed")
    if not where.is_dir():
        raise ValueError(f"{where} is not a folder")
    files: dict[str, list[str]] = {}
    for part in ("shared", like):
        for source in sorted((TEMPLATE / part).glob("*.txt")):
            files.setdefault(source.name.removesuffix(".txt"), []).append(source.read_text())
    folder.mkdir()
    for file, parts in files.items():
        text = "\n\n".join(parts)
        for mark, word in (("__NAME__", name), ("__TITLE__", name.replace("_", " ").title()), ("__HINT__", HINT)):
            text = text.replace(mark, word)
        (folder / file.replace("NAME", name)).write_text(text)
    return folder
