"""A designer's own game: a copy of the tutorial's, whose files are changed as in an editor."""

import shutil
from pathlib import Path

import rulestone

GAMES = Path(str(rulestone.__file__)).parent / "games"


def own_game(place):
    """Copy the tutorial's game to a folder, as a game of its own; returns the folder."""
    shutil.copytree(GAMES / "connect_four", place, ignore=shutil.ignore_patterns("__pycache__", "puzzles.json"))
    for file in place.glob("*.py"):
        file.write_text(file.read_text().replace("rulestone.games.connect_four.", "."))
    return place


def edit(studio, file, old, new):
    """Replace a text in a file of the game in a studio, where it must be."""
    path = studio.folder / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
