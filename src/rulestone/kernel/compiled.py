"""Compiled rules: the same functions, compiled by Numba and cached on disk.

A rule is prepared in three ways before Numba compiles it, none of which its author needs to know about:

- Every read of an integer field or table is widened to a signed 64-bit integer, so that arithmetic works as in Python.
  (Numba would make `u8 - u8` unsigned and `u64 + i64` a float.)
- Names are rebound: other rules to their compiled copies, vocabularies to tuples of numbers, and a template's open names
  (`legal`, `apply`, …) to one game's rules. With rebound globals, Numba's on-disk cache works; with functions passed as arguments, it
  wouldn't.
- It's compiled with `_nrt=False`, so a rule that would allocate memory is refused.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import linecache
import os
import re
import shutil
import textwrap
import threading
import types
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numba
import numpy as np

from rulestone.kernel.actions import Actions, Verb
from rulestone.kernel.cache import cache_root, last_used
from rulestone.kernel.record import Layout
from rulestone.kernel.rule import check_rule, is_rule

_lock = threading.RLock()


class Compiler:
    """Makes compiled copies of rules for one record layout. The compilation itself happens at the first call."""

    def __init__(
        self, layout: Layout, cache: Path | None = None, instead: Mapping[Any, Any] | None = None, common: Compiler | None = None
    ) -> None:
        self.layout = layout
        self.cache = cache
        self.instead = instead or {}
        """Rules to replace, and their replacements."""
        self.common = common
        """Compiles the rules that are the same for every game (`COMMON` in their module), so that it happens once."""
        self.modules: dict[int, dict[str, Any]] = {}
        self.templates: dict[int, dict[str, Any]] = {}

    def bind(self, function: Callable[..., Any]) -> Any:
        """Return the compiled copy of one rule, for other compiled rules to call. (Python code calls templates.)"""
        function = self.instead.get(function, function)
        if self.common is not None and function.__globals__.get("COMMON"):
            return self.common.bind(function)
        return check_rule(function, self._scope(function.__globals__))

    def fill(self, template: Callable[..., Any], names: Mapping[str, Any]) -> Any:
        """Return the compiled copy of a template, callable from Python: a rule of the engine that calls one game's rules by name."""
        original = template.__globals__
        if id(original) not in self.templates:
            self._adapt(original, self.templates)
        self.templates[id(original)].update(names)
        return check_rule(template, self.templates[id(original)])

    def _scope(self, original: dict[str, Any]) -> dict[str, Any]:
        scope = self.modules.get(id(original))
        return self._adapt(original, self.modules) if scope is None else scope

    def _adapt(self, original: dict[str, Any], known: dict[int, dict[str, Any]]) -> dict[str, Any]:
        scope = known[id(original)] = dict(original)
        scope["int64"] = scope["__int64__"] = numba.int64
        scope["uint64"] = numba.uint64
        called_from_python = known is self.templates
        for name, value in original.items():
            if is_rule(value):
                here = value.__globals__ is original
                scope[name] = self._dispatcher(value, scope, called_from_python) if here else self.bind(value)
            elif hasattr(value, "codes"):
                scope[name] = value.codes
        return scope

    def _dispatcher(self, function: Any, scope: dict[str, Any], called_from_python: bool) -> Any:
        widened = self._widened(function, scope)
        with _lock:
            config: Any = numba.config
            before = config.CACHE_DIR
            if self.cache is not None:
                config.CACHE_DIR = str(self.cache)
            try:
                # Wrappers for calls from Python take half of a small function's compile time; inner rules don't need them.
                inner = {} if called_from_python else {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
                njit: Any = numba.njit
                dispatcher = njit(cache=self.cache is not None, nogil=True, error_model="numpy", _nrt=False, **inner)(widened)
            finally:
                config.CACHE_DIR = before
        return dispatcher

    def _widened(self, function: Any, scope: dict[str, Any]) -> Any:
        lines, first, file = getattr(function, "__source__", None) or (*inspect.getsourcelines(function), function.__code__.co_filename)
        tree = ast.parse(textwrap.dedent("".join(lines)))
        definition = tree.body[0]
        assert isinstance(definition, ast.FunctionDef)
        definition.decorator_list = []
        definition.body = [node for node in definition.body if not _is_docstring(node)] or [ast.Pass()]
        names = {name: value for name, value in function.__globals__.items() if name not in function.__code__.co_varnames}
        self._know_fields(definition, file, first)
        _Widen(self.layout, names).visit(tree)
        ast.increment_lineno(tree, first - 1)
        ast.fix_missing_locations(tree)
        code = compile(tree, file, "exec")
        inner = next(const for const in code.co_consts if isinstance(const, types.CodeType))
        widened = types.FunctionType(inner, scope, function.__name__, function.__defaults__)
        widened.__module__ = function.__module__
        widened.__qualname__ = function.__qualname__
        return widened

    def _know_fields(self, definition: ast.FunctionDef, file: str, first: int) -> None:
        """Raise RuleError for a field that the record `s` doesn't have. (Numba's own error names neither file nor line.)"""
        if not definition.args.args or definition.args.args[0].arg != "s":
            return
        fields = self.layout.dtype.names or ()
        for node in ast.walk(definition):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "s" and node.attr not in fields:
                raise RuleError(f"{file}, line {first + node.lineno - 1}: {self.layout.no_field(node.attr)}")


class RuleError(TypeError):
    """A rule can't be compiled. The message names its file and line."""


class Entry:
    """A compiled function as Python calls it. Raises RuleError, with a one-sentence message, if it can't be compiled."""

    def __init__(self, dispatcher: Any) -> None:
        self.dispatcher = dispatcher

    def __call__(self, *arguments: Any) -> Any:
        try:
            return self.dispatcher(*arguments)
        except numba.core.errors.NumbaError as problem:
            raise RuleError(_in_one_sentence(str(problem))) from problem


def _in_one_sentence(report: str) -> str:
    """Shorten Numba's report to the file and line of the rule it's about."""
    found = [*re.findall(r'File "([^"]+)", line (\d+)', report), *re.findall(r"\bat (\S+) \((\d+)\)", report)]
    places = [place for place in found if "numba" not in Path(place[0]).parts]
    if not places:
        return f"a rule can't be compiled: {report}"
    file, line = places[0]
    source = linecache.getline(str(Path(file).resolve()), int(line)).strip()
    return (
        f"{file}, line {line}, can't be compiled: {source!r}. A rule can use numbers, fields of the record, tables and other rules, "
        "but it can't allocate memory (no lists, strings, new arrays or slices)"
    )


class _Widen(ast.NodeTransformer):
    """Wrap each complete read of an integer field or table in `__int64__(…)`, and each number passed to a rule; write out defaults.

    (Numba would compile a rule again for every number of arguments and for every literal it's called with.)
    """

    def __init__(self, layout: Layout, names: Mapping[str, Any]) -> None:
        self.layout = layout
        self.tables = {name: value.ndim for name, value in names.items() if isinstance(value, np.ndarray) and value.dtype.kind in "iu"}
        self.rules = {name: value for name, value in names.items() if is_rule(value)}
        self.actions = {name: value for name, value in names.items() if isinstance(value, Actions)}

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and (verb := self._verb(node.func)):
            return ast.copy_location(_number(verb, node.args), node)
        if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Attribute) and (verb := self._verb(node.func.value)):
            return ast.copy_location(_asked(verb, node.func.attr, node.args), node)
        called = self.rules.get(node.func.id) if isinstance(node.func, ast.Name) else None
        if called is None or node.keywords:
            return node
        missing = called.__code__.co_argcount - len(node.args)
        node.args += [ast.Constant(value) for value in (called.__defaults__ or ())[-missing:] if missing > 0]
        node.args = [_widen(arg) if isinstance(arg, ast.Constant) and type(arg.value) is int else arg for arg in node.args]
        return node

    def _verb(self, node: ast.Attribute) -> Verb | None:
        """Return the verb that `ACTIONS.verb` names, if it is one."""
        actions = self.actions.get(node.value.id) if isinstance(node.value, ast.Name) else None
        return getattr(actions, node.attr).verb if actions is not None else None

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Name) and node.attr in self.layout.whole_scalars:
            return _widen(node)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            return node
        indices = len(node.slice.elts) if isinstance(node.slice, ast.Tuple) else 1
        if isinstance(node.value, ast.Attribute) and self.layout.whole_arrays.get(node.value.attr) == indices:
            return _widen(node)
        if isinstance(node.value, ast.Name) and self.tables.get(node.value.id) == indices:
            return _widen(node)
        return node


def _number(verb: Verb, args: list[ast.expr]) -> ast.expr:
    """Return `ACTIONS.verb(a, b)` as arithmetic."""
    number: ast.expr = ast.Constant(0)
    constant = 0
    for slot, arg in zip(verb.slots, args, strict=True):
        number = ast.BinOp(ast.BinOp(number, ast.Mult(), ast.Constant(slot.count)), ast.Add(), arg)
        constant = constant * slot.count - slot.first
    return ast.BinOp(number, ast.Add(), ast.Constant(verb.base + constant))


def _asked(verb: Verb, question: str, args: list[ast.expr]) -> ast.expr:
    """Return `ACTIONS.verb.includes(action)` or `ACTIONS.verb.argument(action, place)` as arithmetic."""
    action = ast.unparse(args[0])
    if question == "includes":
        return ast.parse(f"{verb.base} <= ({action}) < {verb.base + verb.count}", mode="eval").body
    place = int(ast.unparse(args[1])) if len(args) > 1 else 0
    return ast.parse(verb.decoding(f"({action})", place), mode="eval").body


def _widen(node: ast.expr) -> ast.expr:
    return ast.copy_location(ast.Call(ast.Name("__int64__", ast.Load()), [node], []), node)


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def cache_folder(name: str, files: Iterable[Path]) -> Path | None:
    """Return the cache folder for the compiled code of these source files, named by a hash of all of them; None if it isn't writable.

    The hash matters because Numba's own cache doesn't notice changes to functions in other files. Of the older folders of the same game,
    all but the last four are removed.
    """
    digest = hashlib.sha256(f"{numba.__version__} {np.__version__} {os.sys.version}".encode())  # type: ignore[attr-defined]
    for file in sorted(files):
        digest.update(str(file).encode())
        digest.update(file.read_bytes())
    root = cache_root()
    folder = root / f"{name}-{digest.hexdigest()[:16]}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        folder.touch()
    except OSError:
        return None
    older = sorted((p for p in root.glob(f"{name}-" + "?" * 16) if p != folder), key=last_used, reverse=True)
    for forgotten in older[4:]:
        shutil.rmtree(forgotten, ignore_errors=True)
    return folder
