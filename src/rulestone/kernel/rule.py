"""Rules: plain Python functions over a record that run interpreted, compiled and on a GPU from the same source.

`@rule` only marks a function: at import nothing is compiled, and Numba isn't loaded. `Interpreter.bind` and `Compiler.bind` make running
copies of marked functions, in which the names of other rules, content tables and vocabularies refer to what that mode needs. Both modes
work side by side in one process, so tests can compare them byte for byte.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np

F = TypeVar("F", bound=Callable[..., Any])

int64 = int
"""Convert to a signed 64-bit integer in compiled rules; a plain `int` in interpreted ones."""
uint64 = int
"""The same for an unsigned 64-bit integer."""


def rule(function: F) -> F:
    """Mark a function as a rule, so that it can be compiled. Returns the same function.

    A rule can use the record and its fields, integers, other rules, module-level numbers and NumPy tables (indexed completely:
    `TABLE[i, j]`), `ACTIONS.verb(…)`, `EVENTS.name`, `REASONS.name`, and the kernel's functions for chance and the story. It never
    allocates memory, never recurses and never touches a Python object.

    >>> @rule
    ... def double(s, number):
    ...     return 2 * number
    >>> double(None, 3)
    6
    """
    function.__rule__ = True  # type: ignore[attr-defined]
    return function


def is_rule(value: object) -> bool:
    """Return whether a value is a function marked with `@rule`."""
    return isinstance(value, types.FunctionType) and getattr(value, "__rule__", False)


def check_rule(function: Any, scope: Mapping[str, Any]) -> Any:
    """Return the copy of `function` in an adapted scope. Raises TypeError if it isn't marked with `@rule`."""
    if not is_rule(function):
        raise TypeError(f"{getattr(function, '__name__', function)!r} is not marked with @rule")
    return scope[function.__name__]


class Interpreter:
    """Makes interpreted copies of rules: the same code objects over adapted globals, so coverage and debuggers work.

    Tables become memoryviews, which return plain Python ints. (NumPy's scalars would wrap at 8 bits, unlike compiled code.)
    Globals are adapted once per module.
    """

    def __init__(self) -> None:
        self.modules: dict[int, dict[str, Any]] = {}
        self.templates: dict[int, dict[str, Any]] = {}
        self.bound: dict[Callable[..., Any], Callable[..., Any]] = {}

    def bind(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the interpreted copy of one rule."""
        copy = self.bound.get(function)
        if copy is None:
            original = function.__globals__
            scope = self.modules.get(id(original))
            copy = self.bound[function] = check_rule(function, self._adapt(original, self.modules) if scope is None else scope)
        return copy

    def fill(self, template: Callable[..., Any], names: Mapping[str, Any]) -> Callable[..., Any]:
        """Return the interpreted copy of a template: a rule of the engine that calls one game's rules by the given names."""
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
