"""Verbs are functions: the list of legal moves, the dispatch and the reasons for refusals are generated from `may_VERB` and `do_VERB`.

A game that declares `REASONS` writes two rules for each verb of `ACTIONS`:

- `may_VERB(s, *args)` returns 0 if the player to move can make that move now, else a reason from `REASONS`;
- `do_VERB(s, *args)` makes the move.

These are optional:

- `when_VERB(s)` returns 0 if the verb can be used at all now, else a reason. It's called once, before any arguments are tried. If the
  arguments don't matter, `may_VERB` can be left out;
- `legal_VERB(s, out, n)` lists the legal moves of a verb faster than calling `may_VERB` for all arguments. It appends ascending action
  numbers to `out` from place `n` on and returns the new count;
- `afterwards(s)` does what happens automatically after every move, up to the next decision.

Verbs that share a rule name it in a table `WHEN`, `MAY` or `DO`, with numbers that come before the move's own arguments:
`DO = {"ho": (do_step, HO), "vert": (do_step, VERT)}`.

`complete` adds the following rules, unless the game defines them itself:

- `may(s, action)` returns 0 or a reason;
- `legal(s, out)` lists the actions for which `may` returns 0 (`rulestone check` verifies that it does);
- `choices(s)` returns the same as a set of bits (see `sets`), in games with at most 63 actions;
- `act(s, action)` makes the move alone;
- `apply(s, action)` makes the move and does what happens afterwards.

A game without `REASONS` writes `legal` and `apply` itself.
"""

from __future__ import annotations

import linecache
import types
from collections.abc import Callable
from typing import Any

from rulestone.kernel.actions import Actions, Verb
from rulestone.kernel.reasons import Reasons
from rulestone.kernel.rule import is_rule, rule


def complete(scope: dict[str, Any]) -> None:
    """Add the generated rules to the globals of a rules module. Raises ValueError if a verb has no rule.

    Loading a game does this automatically. If the game's bot imports `act` or `legal` from its rules, end the rules module with
    `complete(globals())`.
    """
    actions = scope.get("ACTIONS")
    if not isinstance(actions, Actions) or not isinstance(scope.get("REASONS"), Reasons):
        return
    have = {name for name, value in scope.items() if is_rule(value)}
    when, may, do = (_calls(scope, actions, prefix) for prefix in ("when", "may", "do"))
    made: dict[str, tuple[str, dict[str, str], Callable[[], list[str]]]] = {
        "act": ("do_", do, lambda: _act(actions, do)),
        "apply": ("do_", do, lambda: _apply(have)),
        "may": ("may_", may, lambda: _may(actions, when, may)),
        "legal": ("may_", may, lambda: _legal(actions, have, when, may)),
        "choices": ("may_", may, lambda: _choices(actions, when, may)),
    }
    for name, (prefix, calls, make) in made.items():
        if name in scope or not calls or (name == "choices" and len(actions) > 63):
            continue
        enough = calls if prefix == "do_" else when | calls
        missing = [prefix + verb.name for verb in actions if verb.name not in enough]
        if missing:
            raise ValueError(f"{scope['__file__']} has {prefix}{next(iter(calls))}, but these rules are missing: {', '.join(missing)}")
        _add(scope, name, make())


def _calls(scope: dict[str, Any], actions: Actions, prefix: str) -> dict[str, str]:
    """Return for each verb the start of the call of its rule: `do_VERB(s`, or the rule named in the table `DO`."""
    calls = {verb.name: f"{prefix}_{verb.name}(s" for verb in actions if is_rule(scope.get(f"{prefix}_{verb.name}"))}
    for verb, (shared, *numbers) in scope.get(prefix.upper(), {}).items():
        calls[verb] = ", ".join([f"{shared.__name__}(s", *map(str, numbers)])
    return calls


def _add(scope: dict[str, Any], name: str, lines: list[str]) -> None:
    """Define a rule in a module. Its text is kept for tracebacks and for the compiler, which treats it as part of the module's file."""
    source = [line + "\n" for line in lines]
    file = f"<{name} of {scope['__name__']}>"
    linecache.cache[file] = (0, None, source, file)
    code = next(const for const in compile("".join(source), file, "exec").co_consts if isinstance(const, types.CodeType))
    made: Any = rule(types.FunctionType(code, scope, name))
    made.__module__ = scope["__name__"]
    made.__source__ = source, 1, str(scope["__file__"])
    scope[name] = made


def _act(actions: Actions, do: dict[str, str]) -> list[str]:
    return ["def act(s, action):", *_dispatch(actions, lambda verb, args: [f"{do[verb.name]}{args})"])]


def _apply(have: set[str]) -> list[str]:
    return ["def apply(s, action):", "    act(s, action)", *(["    afterwards(s)"] if "afterwards" in have else [])]


def _may(actions: Actions, when: dict[str, str], may: dict[str, str]) -> list[str]:
    def ask(verb: Verb, args: str) -> list[str]:
        if verb.name not in may:
            return [f"return {when[verb.name]})"]
        first = [f"reason = {when[verb.name]})", "if reason != 0:", "    return reason"] if verb.name in when else []
        return [*first, f"return {may[verb.name]}{args})"]

    return ["def may(s, action):", *_dispatch(actions, ask)]


def _dispatch(actions: Actions, body: Any) -> list[str]:
    """Return the lines that decode the arguments from `action` and run `body` for its verb."""
    lines = []
    verbs = list(actions)
    for verb in verbs:
        keyword = "if" if verb is verbs[0] else "elif"
        lines.append("    else:" if verb is verbs[-1] and len(verbs) > 1 else f"    {keyword} action < {verb.base + verb.count}:")
        args = "".join(f", {verb.decoding('action', place)}" for place in range(len(verb.slots)))
        lines += [f"        {line}" for line in body(verb, args)]
    return lines


def _legal(actions: Actions, have: set[str], when: dict[str, str], may: dict[str, str]) -> list[str]:
    lists = {verb.name: f"n = legal_{verb.name}(s, out, n)" for verb in actions if f"legal_{verb.name}" in have}
    return ["def legal(s, out):", "    n = 0", *_scan(actions, when, may, lists, "out[n] = action", "n += 1"), "    return n"]


def _choices(actions: Actions, when: dict[str, str], may: dict[str, str]) -> list[str]:
    return ["def choices(s):", "    found = 0", *_scan(actions, when, may, {}, "found |= 1 << action"), "    return found"]


def _scan(actions: Actions, when: dict[str, str], may: dict[str, str], lists: dict[str, str], *found: str) -> list[str]:
    """Return the lines that loop over all actions and run `found` for the legal ones."""
    lines = []
    for verb in actions:
        indent = "    "
        if verb.name in when:
            lines.append(f"{indent}if {when[verb.name]}) == 0:")
            indent += "    "
        if verb.name in lists:
            lines.append(indent + lists[verb.name])
            continue
        lines.append(f"{indent}action = {verb.base}")
        names = [f"a{place}" for place in range(len(verb.slots))]
        for name, slot in zip(names, verb.slots, strict=True):
            lines.append(f"{indent}for {name} in range({slot.first}, {slot.first + slot.count}):")
            indent += "    "
        asked = f"if {', '.join([may[verb.name], *names])}) == 0:" if verb.name in may else "if True:"
        lines += [indent + asked, *(f"{indent}    {line}" for line in found)]
        if names:
            lines.append(f"{indent}action += 1")
    return lines
