"""Verbs are functions: from `may_VERB` and `do_VERB` come the list of legal moves, the dispatch and the reason of a refusal.

For each verb of `ACTIONS` a game writes

- `may_VERB(s, *args)`: 0 if the player to move may make that move now, else a reason of `REASONS`;
- `do_VERB(s, *args)`: the move;

and, where it helps,

- `when_VERB(s)`: 0 if the verb can be used at all now, else a reason; asked once, before any argument is looked at;
- `legal_VERB(s, out, n)`: a quicker list than asking `may_VERB` for all its arguments (append ascending numbers to `out` from
  place `n` on, return the new count);
- `afterwards(s)`: what happens by itself after every move, up to the next decision.

`complete` adds what follows from these to the rules: `legal(s, out)`, `apply(s, action)` and `may(s, action)`. A game may write
any of them itself; one without `REASONS` writes `legal` and `apply`. `rulestone check` holds that `legal` lists exactly the
actions for which `may` is 0.
"""

from __future__ import annotations

import linecache
import types
from types import ModuleType
from typing import Any

from rulestone.kernel.actions import Actions, Verb
from rulestone.kernel.reasons import Reasons
from rulestone.kernel.rule import is_rule, rule


def complete(rules: ModuleType) -> None:
    """Add to a rules module that declares `REASONS` what its verbs' functions imply. ValueError says which function is missing."""
    actions = getattr(rules, "ACTIONS", None)
    if not isinstance(actions, Actions) or not isinstance(getattr(rules, "REASONS", None), Reasons):
        return
    have = {name for name, value in vars(rules).items() if is_rule(value)}
    makers = {"apply": ("do_", _apply), "may": ("may_", _may), "legal": ("may_", _legal)}
    for name, (prefix, make) in makers.items():
        written = [verb for verb in actions if prefix + verb.name in have]
        if name in have or not written:
            continue
        missing = [prefix + verb.name for verb in actions if verb not in written]
        if missing:
            raise ValueError(f"{rules.__file__} has {prefix}{written[0].name}, but no rule {', '.join(missing)}")
        _add(rules, name, make(actions, have))


def _add(rules: ModuleType, name: str, lines: list[str]) -> None:
    """Define a rule in a module. Its text is kept for tracebacks, and for the compiler, which counts it to the module's file."""
    source = [line + "\n" for line in lines]
    file = f"<{name} of {rules.__name__}>"
    linecache.cache[file] = (0, None, source, file)
    code = next(const for const in compile("".join(source), file, "exec").co_consts if isinstance(const, types.CodeType))
    made: Any = rule(types.FunctionType(code, vars(rules), name))
    made.__module__ = rules.__name__
    made.__source__ = source, 1, str(rules.__file__)
    setattr(rules, name, made)


def _apply(actions: Actions, have: set[str]) -> list[str]:
    lines = ["def apply(s, action):", *_dispatch(actions, lambda verb, args: [f"do_{verb.name}(s{args})"])]
    return [*lines, "    afterwards(s)"] if "afterwards" in have else lines


def _may(actions: Actions, have: set[str]) -> list[str]:
    def ask(verb: Verb, args: str) -> list[str]:
        first = [f"reason = when_{verb.name}(s)", "if reason != 0:", "    return reason"] if f"when_{verb.name}" in have else []
        return [*first, f"return may_{verb.name}(s{args})"]

    return ["def may(s, action):", *_dispatch(actions, ask)]


def _dispatch(actions: Actions, body: Any) -> list[str]:
    """For each verb what is done with its arguments, which are decoded from `action`."""
    lines = []
    verbs = list(actions)
    for verb in verbs:
        keyword = "if" if verb is verbs[0] else "elif"
        lines.append("    else:" if verb is verbs[-1] and len(verbs) > 1 else f"    {keyword} action < {verb.base + verb.count}:")
        divisor, args = verb.count, ""
        for slot in verb.slots:
            divisor //= slot.count
            offset = f"action - {verb.base}"
            digit = f"({offset}) // {divisor} % {slot.count}" if len(verb.slots) > 1 else offset
            args += f", {digit} + {slot.first}"
        lines += [f"        {line}" for line in body(verb, args)]
    return lines


def _legal(actions: Actions, have: set[str]) -> list[str]:
    lines = ["def legal(s, out):", "    n = 0"]
    for verb in actions:
        indent = "    "
        if f"when_{verb.name}" in have:
            lines.append(f"{indent}if when_{verb.name}(s) == 0:")
            indent += "    "
        if f"legal_{verb.name}" in have:
            lines.append(f"{indent}n = legal_{verb.name}(s, out, n)")
            continue
        lines.append(f"{indent}action = {verb.base}")
        names = [f"a{place}" for place in range(len(verb.slots))]
        for name, slot in zip(names, verb.slots, strict=True):
            lines.append(f"{indent}for {name} in range({slot.first}, {slot.first + slot.count}):")
            indent += "    "
        lines += [
            f"{indent}if may_{verb.name}({', '.join(['s', *names])}) == 0:",
            f"{indent}    out[n] = action",
            f"{indent}    n += 1",
        ]
        if names:
            lines.append(f"{indent}action += 1")
    return [*lines, "    return n"]
