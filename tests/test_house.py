"""What holds the house together: who may look into whom, and how much a function may ask for."""

import ast
from pathlib import Path

import pytest

import rulestone

HOUSE = Path(str(rulestone.__file__)).parent
FILES = sorted(HOUSE.rglob("*.py"))
NOT_OURS = {"_exit", "_processes"}
"""Private names of Python's own library that there is no other way to."""


def strangers_secrets(text: str) -> list[tuple[int, str]]:
    """The lines that use a private attribute of something that is not made in the same file."""
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
    found = {str(file.relative_to(HOUSE)): wrong for file in FILES if (wrong := strangers_secrets(file.read_text()))}
    assert found == {}


@pytest.mark.parametrize("text", ["match._past", "def f(match):\n    return match.view(0)._array.copy()"])
def test_a_look_into_a_match_would_be_found(text):
    assert strangers_secrets(text)
