"""What reading a game's source finds out: mistakes that playing would show late, or never."""

from __future__ import annotations

import ast
import dis
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from rulestone.game import Game
from rulestone.kernel.rule import is_rule

TELLING = {"tell": 2, "tell_only": 3}
"""The kernel's words for telling something, and how many arguments come before the numbers of the sentence."""


def mistakes(game: Game) -> Iterator[str]:
    """Yield what is wrong, each with its file and line."""
    for path in sorted(game.folder.glob("*.py")):
        if "test" not in path.name:
            yield from _short_sentences(game, path)
    for module in (game.rules, game.bot, game.measures):
        if module is not None and (circle := _circle(module)):
            code, names = circle[0].__code__, [rule.__name__ for rule in (*circle, circle[0])]
            yield f"{code.co_filename} line {code.co_firstlineno}: rules can't recurse, but {' calls '.join(names)}"


def _short_sentences(game: Game, path: Path) -> Iterator[str]:
    """Yield calls that tell an event with fewer numbers than its sentence shows. (The others would be 0, without a word.)"""
    tree = ast.parse(path.read_text())
    more = dict(_told_more(tree))
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=word), args=[*given]) if word in TELLING and len(given) >= TELLING[word]:
                event = given[TELLING[word] - 1]
            case _:
                continue
        match event:
            case ast.Attribute(value=ast.Name(id="EVENTS"), attr=name) if name in game.events.sentences:
                numbers = len(given) - TELLING[word] + len(node.keywords) + more.get(node, 0)
                shows = len(game.events.arguments[name])
                if numbers < shows and not any(isinstance(part, ast.Starred) for part in given):
                    sentence = game.events.sentences[name]
                    yield f"{path} line {node.lineno}: {name!r} gets {numbers} of its {shows} numbers: {sentence!r}"


def _told_more(tree: ast.AST) -> Iterator[tuple[ast.Call, int]]:
    """Yield calls that are followed by `tell_more`, with the number of numbers given there."""
    for node in ast.walk(tree):
        for lines in (getattr(node, name, None) for name in ("body", "orelse")):
            last, numbers = None, 0
            for line in lines if isinstance(lines, list) else ():
                match line:
                    case ast.Expr(value=ast.Call(func=ast.Name(id="tell_more")) as call) if last is not None:
                        numbers += len(call.args) + len(call.keywords)
                        yield last, numbers
                    case ast.Expr(value=ast.Call() as call):
                        last, numbers = call, 0
                    case _:
                        last = None


def _circle(module: ModuleType) -> list[Callable[..., Any]] | None:
    """The rules of a module that call each other in a circle; None if there are none."""
    done: set[Callable[..., Any]] = set()

    def search(rule: Callable[..., Any], way: list[Callable[..., Any]]) -> list[Callable[..., Any]] | None:
        if rule in way:
            return way[way.index(rule) :]
        if rule not in done:
            names = {part.argval for part in dis.get_instructions(rule) if part.opname == "LOAD_GLOBAL"}
            for other in (rule.__globals__.get(name) for name in sorted(names)):
                if other is not None and is_rule(other) and (circle := search(other, [*way, rule])):
                    return circle
            done.add(rule)
        return None

    return next((circle for rule in filter(is_rule, vars(module).values()) if (circle := search(rule, []))), None)
