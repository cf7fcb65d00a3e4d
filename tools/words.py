"""What can be checked about our sentences: line length in documents, and phrases we don't use. Part of `make lint`.

Spelling is checked by codespell, links by the tests and by `make docs`.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
WIDEST = 100

PHRASES = {
    r"not everybody (sits|has)": "Waiting for players.",
    r"\bonly who\b": "only the person who …",
    r"(?:^|[.;:,] |[>\"])one (?:can|may|cannot|could)\b": "you can",
    r"\b(can|cannot|could) be had\b|\bis had\b": "you can get it; it is installed, returned …",
    r"\bgo(es)? by that name\b": "unknown host name",
    r"\btoo much at once\b": "too many requests",
    r"\bcannot be unseen\b": "new information was revealed",
    r"\bhow others call you\b": "your name",
    r"\bor someone at my screen\b": "or someone next to me",
    r"\bPlay on\b(?! (an?|the|all|one|this|several)\b)": "Continue",
    r"\bLook back\b": "Replay",
    r"(?<!events )\b(is|are|be|been|being|was|were|not) told\b|\btold with\b": "shows, reports, says; only people tell things",
    r"\bdares an?\b": "risks",
    r"\bdisk (dark|light)\b": "what it does: rotates a tile after moving",
    r"\bin so many\b|\bso many (games|points|places|moves|and no more)\b|\bso-manieth\b": "how many; every n-th",
    r"\bforetell|\bforetold\b": "predict",
    r"\bwhat came of\b": "the results",
    r"\bthe same command goes on\b": "run the same command to continue",
    r"\bthat are no options\b|\bthat is no option\b": "that isn't an option",
    r"\bis round first\b|\bwho is round\b": "completes a lap",
    r"\bby and by\b": "gradually",
    r"\bgive or take\b": "± 0.3",
    r"\bonlookers?\b": "spectator",
    r"\bthat which\b": "what",
    r"\b(take|takes|taking|took) back( \w+)? (move|decision|choice)s?\b|\b(moves?|decisions?) .{0,20}\btaken back\b": "undo",
}
"""Phrases that no native speaker would use here, and what to say instead."""

READERS = {r"\bchairs?\b": "seat"}
"""The same for what players read: pages and documents, not the code's own texts."""


def prose(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a Markdown text that are neither code nor tables nor HTML, with their numbers."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced and not line.startswith(("    ", "|", "<", "\t")) and not line.lstrip().startswith("|"):
            yield number, line


def wide(text: str) -> list[tuple[int, str]]:
    """Lines of prose that are too long. Where links lead does not count, for it cannot be wrapped."""
    return [
        (number, f"{len(line)} characters; wrap at {WIDEST}")
        for number, line in prose(text)
        if len(re.sub(r"\]\([^)]*\)|\S*://\S*", "", line)) > WIDEST
    ]


def said(text: str, phrases: dict[str, str]) -> list[str]:
    """The phrases of a list that a text uses, with what to say instead."""
    text = re.sub(r"`[^`]*`", "", re.sub(r"\s+", " ", text))
    found = [(re.search(pattern, text, 0 if any(map(str.isupper, pattern)) else re.I), better) for pattern, better in phrases.items()]
    return [f"“{match[0].strip(' .;:,')}” – say: {better}" for match, better in found if match]


def in_python(text: str) -> list[tuple[int, str]]:
    """Phrases in the texts of a program: strings of several words, docstrings too."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value.strip():
            found += [(node.lineno, words) for words in said(node.value, PHRASES)]
    return found


def in_markdown(text: str) -> list[tuple[int, str]]:
    """Phrases in a document, tables included, code not."""
    found, fenced = [], False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            found += [(number, words) for words in said(line, PHRASES | READERS)]
    return found


def in_template(text: str) -> list[tuple[int, str]]:
    """Phrases in a page or a script, line by line."""
    return [(number, words) for number, line in enumerate(text.splitlines(), 1) for words in said(line, PHRASES | READERS)]


def check(file: Path) -> list[tuple[int, str]]:
    """What is wrong with a file: line numbers and sentences."""
    text = file.read_text()
    if file.suffix == ".md":
        return sorted(wide(text) + (in_markdown(text) if file.name != "CHANGELOG.md" else []))
    return sorted(in_python(text) if file.suffix == ".py" else in_template(text))


def files() -> Iterator[Path]:
    """Everything people read: documents, rules, pages, and the texts in the code."""
    yield from sorted(ROOT.glob("*.md"))
    for folder in ("docs", "examples", ".github"):
        yield from sorted((ROOT / folder).rglob("*.md"))
    for ending in ("*.md", "*.py", "*.html", "*.txt"):
        yield from sorted((ROOT / "src" / "rulestone").rglob(ending))


if __name__ == "__main__":
    problems = [f"{file.relative_to(ROOT)}:{line}: {text}" for file in files() for line, text in check(file)]
    print("\n".join(problems) or "The words are fine.")
    sys.exit(bool(problems))
