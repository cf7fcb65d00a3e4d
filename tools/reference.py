"""The reference pages, generated: the Python API from docstrings (by mkdocstrings), the command line from its Typer application."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from pathlib import Path
from typing import Any

import typer.main

SRC = Path(__file__).parents[1] / "src"

API: dict[str, tuple[str, list[str]]] = {
    "rulestone": ("Games and matches", ["rulestone"]),
    "kernel": ("Writing rules", ["rulestone.kernel"]),
    "bots": ("Bots", ["rulestone.bots"]),
    "engine": ("Playouts", ["rulestone.engine.playouts:playouts,Playouts"]),
    "lab": ("The lab", ["rulestone.lab", "rulestone.lab.plan:Cell,Until,Extras", "rulestone.lab.run:Results"]),
    "measures": ("A game's own measures", ["rulestone.measures:Measures,Measure,number,yes_no,choice,tally,ratio,memory"]),
    "review": ("Reviews and hints", ["rulestone.review"]),
    "lesson": ("Lessons", ["rulestone.lesson:Position,Step"]),
    "envs": (
        "Environments",
        [
            "rulestone.envs.vector:VectorEnv",
            "rulestone.nets.encoding:Encoding",
            "rulestone.envs.pettingzoo:env,raw_env,parallel_env",
            "rulestone.envs.gymnasium:SeatEnv,SeatVectorEnv",
            "rulestone.envs.openspiel:register,resampler",
        ],
    ),
    "table": ("Scenes", ["rulestone.table", "rulestone.table.svg", "rulestone.table.kit"]),
    "components": ("Printed pieces", ["rulestone.components", "rulestone.printing"]),
    "testing": ("The test kit", ["rulestone.testing"]),
}
"""The pages of the API reference: a title, and modules. All public names of a module (its `__all__`, if it has one), or those named."""

EXAMPLE = re.compile(r"^>>> .*(?:\n(?!\s*$).+)*", re.M)

SOURCES = {
    "src/rulestone/cli.py": "cli.md",
    "src/rulestone/__init__.py": "api/rulestone.md",
    "src/rulestone/engine/playouts.py": "api/engine.md",
    "src/rulestone/measures.py": "api/measures.md",
    "src/rulestone/lesson.py": "api/lesson.md",
    "src/rulestone/components.py": "api/components.md",
    **{f"src/rulestone/{page}/__init__.py": f"api/{page}.md" for page in ("kernel", "bots", "review", "lab", "envs", "table", "testing")},
}
"""Files of the repository that a reader of the site wants to see as their reference page."""


def source(module: str) -> ast.Module:
    """The text of a module of ours. It is not imported: an environment may need packages that documents can do without."""
    place = SRC / module.replace(".", "/")
    return ast.parse((place / "__init__.py" if place.is_dir() else place.with_suffix(".py")).read_text())


def names(module: str) -> list[str]:
    """What a module offers; a name that is not there raises AttributeError."""
    path, _, chosen = module.partition(":")
    if chosen:
        defined = {getattr(node, "name", "") for node in source(path).body}
        if missing := set(chosen.split(",")) - defined:
            raise AttributeError(f"{path} has no {', '.join(sorted(missing))}")
        return chosen.split(",")
    found = importlib.import_module(path)
    wanted = getattr(found, "__all__", None) or _public(found)
    return [name for name in wanted if not inspect.ismodule(getattr(found, name)) or callable(getattr(found, name))]


def _public(module: Any) -> list[str]:
    own = [name for name, value in vars(module).items() if getattr(value, "__module__", None) == module.__name__]
    return [name for name in own if not name.startswith("_") and callable(getattr(module, name))]


def _blocks(module: str) -> list[str]:
    """A block for mkdocstrings for each name. Small values without a docstring of their own, such as `i8`, share their type's."""
    path, _, chosen = module.partition(":")
    if chosen:
        return [f"::: {path}.{name}\n" for name in names(module)]
    found = importlib.import_module(path)
    blocks, values = [], dict[type, list[str]]()
    for name in names(module):
        value = getattr(found, name)
        if inspect.ismodule(value):  # `rulestone.games` and `rulestone.review` are folders and functions
            called = name if hasattr(value, name) else "names"
            blocks.append(f"::: {path}.{name}.{called}\n    options:\n      heading: {name}\n      toc_label: {name}\n")
        elif type(value).__module__.startswith("rulestone.kernel.record"):
            values.setdefault(type(value), []).append(f"`{name}`")
        elif name != "__version__":
            blocks.append(f"::: {path}.{name}\n")
    return blocks + [f"## {', '.join(same)}\n\n{fenced(inspect.getdoc(kind) or '')}\n" for kind, same in values.items()]


def fenced(doc: str) -> str:
    """A docstring with its interactive examples as blocks of code."""
    return EXAMPLE.sub(lambda match: f"```pycon\n{match[0]}\n```", doc)


def api_page(page: str) -> str:
    """One page of the API reference, for mkdocstrings to fill."""
    heading, modules = API[page]
    parts = [f"# {heading}\n"]
    for module in modules:
        path = module.partition(":")[0]
        if len(modules) > 1:
            parts.append(f"## `{path}` {{: #module-{path} }}\n")
        if doc := ast.get_docstring(source(path)):
            parts.append(fenced(doc) + "\n")
        parts += _blocks(module)
    return "\n".join(parts)


def cli_page() -> str:
    """Every command with its arguments and options, as the program itself describes them."""
    from rulestone.cli import app

    group: Any = typer.main.get_command(app)
    commands = {name: command for name, command in sorted(group.commands.items()) if not command.hidden}
    parts = ["# Command line\n", f"{group.help or ''}\n".lstrip(), "| command | what it does |", "|---|---|"]
    parts += [f"| [`{name}`](#{name}) | {_cell(command.get_short_help_str(200))} |" for name, command in commands.items()]
    for name, command in commands.items():
        context = typer.Context(command, info_name=f"rulestone {name}")
        parts += [f"\n## {name}\n", f"```console\n$ {' '.join([context.command_path, *command.collect_usage_pieces(context)])}\n```\n"]
        parts += [fenced(inspect.cleandoc(command.help or "")), ""]
        rows = [row for parameter in command.params if not getattr(parameter, "hidden", False) for row in _rows(parameter, context)]
        if rows:
            parts += ["| option | what it does |", "|---|---|", *rows, ""]
    return "\n".join(parts) + "\n"


def _rows(parameter: Any, context: Any) -> list[str]:
    if parameter.name == "help":
        return []
    record = parameter.get_help_record(context)
    if record is None:
        return []
    return [f"| `{_cell(record[0])}` | {_cell(record[1])} |"]


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|").strip()


def write(folder: Path) -> None:
    """Write all reference pages into a folder of documents."""
    (folder / "api").mkdir(parents=True, exist_ok=True)
    for page in API:
        (folder / "api" / f"{page}.md").write_text(api_page(page))
    (folder / "cli.md").write_text(cli_page())
