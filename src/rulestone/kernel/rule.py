"""Rules: plain Python functions over a record that run interpreted, compiled and on a GPU from one source.

`@rule` only marks a function; at import nothing is compiled and Numba is not loaded. `interpreted` and `compiled.bind`
make running copies of marked functions in which the names of other rules, of content tables and of vocabulary stand for
what that mode needs. Both live side by side in one process, which is what lets tests compare them byte for byte.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np

F = TypeVar("F", bound=Callable[..., Any])

int64 = int
"""A plain signed number; the compiler reads it as the machine's 64-bit integer."""
uint64 = int
"""The same for 64 unsigned bits."""


def rule(function: F) -> F:
    """Mark a function as a rule: it never allocates, never recurses and never touches a Python object.

    What a rule may use: the record and its fields, integers, other rules, module-level NumPy tables (indexed completely,
    `TABLE[i, j]`), module-level numbers, `ACTIONS.verb(…)`, `EVENTS.name`, `REASONS.name`, and the kernel's chance and story.
    """
    function.__rule__ = True  # type: ignore[attr-defined]
    return function


def is_rule(value: object) -> bool:
    return isinstance(value, types.FunctionType) and getattr(value, "__rule__", False)


def check_rule(function: Any, scope: Mapping[str, Any]) -> Any:
    """The copy of `function` in an adapted scope."""
    if not is_rule(function):
        raise TypeError(f"{getattr(function, '__name__', function)!r} is not marked with @rule")
    return scope[function.__name__]


class Interpreter:
    """Makes interpreted copies: the same code objects (so coverage and debuggers see them) over adapted globals.

    Tables become memoryviews, which hand out plain Python ints (NumPy's scalars would wrap at 8 bits where compiled code
    does not). Globals are adapted once per module, however many functions come from it.
    """

    def __init__(self) -> None:
        self.modules: dict[int, dict[str, Any]] = {}
        self.templates: dict[int, dict[str, Any]] = {}
        self.bound: dict[Callable[..., Any], Callable[..., Any]] = {}

    def bind(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The interpreted copy of one rule."""
        copy = self.bound.get(function)
        if copy is None:
            original = function.__globals__
            scope = self.modules.get(id(original))
            copy = self.bound[function] = check_rule(function, self._adapt(original, self.modules) if scope is None else scope)
        return copy

    def fill(self, template: Callable[..., Any], names: Mapping[str, Any]) -> Callable[..., Any]:
        """The interpreted copy of a template: a rule of the engine whose open names stand for one game's rules."""
        original = template.__globals__
        if id(original) not in self.templates:
            self._adapt(original, self.templates)
        self.templates[id(original)].update(names)
        return check_rule(template, self.templates[id(original)])  # type: ignore[no-any-return]

    def _adapt(self, original: dict[str, Any], known: dict[int, dict[str, Any]]) -> dict[str, Any]:
        scope = known[id(original)] = dict(original)
        for name, value in original.items():
            if is_rule(value):
                here = value.__globals__ is original
                scope[name] = types.FunctionType(value.__code__, scope, value.__name__, value.__defaults__) if here else self.bind(value)
            elif isinstance(value, np.ndarray) and value.dtype.kind in "iub":
                scope[name] = memoryview(value.data)
            elif hasattr(value, "codes"):
                scope[name] = getattr(value, "spoken", value.codes)
        return scope
