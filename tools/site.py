"""Build the documentation site: `make docs`, or `python -m tools.site`.

The pages in docs/ are written for GitHub as well, so they link to files all over the repository. Here they are copied to build/docs/
together with everything they link to, the API reference and the command-line reference are generated beside them, and Zensical builds
build/site/. Any broken link, missing anchor, missing name or page that nothing leads to fails the build.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from urllib.parse import unquote

from rulestone.game import load
from rulestone.learning import FENCE, pictures
from tools import reference

ROOT = Path(__file__).parents[1]
DOCS, BUILD = ROOT / "docs", ROOT / "build"
STAGE, SITE = BUILD / "docs", BUILD / "site"
LINK = re.compile(r"(\]\(|(?:src|href)=\")([^)#\"\s]+)")
NAMED_FENCE = re.compile(r"^```(\w+) ([\w./]+)$", re.M)
LANGUAGES = {".py": "python", ".toml": "toml", ".cff": "yaml", ".yml": "yaml"}

NAV: dict[str, list[str]] = {
    "Play": ["for-players.md", "review.md", "faq.md", "games/*.md", "rules/*.md"],
    "Tutorials": ["write-your-own-game.md"],
    "How-to guides": [
        "server.md",
        "running-a-server.md",
        "security.md",
        "lab.md",
        "bots.md",
        "researchers.md",
        "scenes.md",
        "lessons.md",
        "studio.md",
        "print.md",
        "contributing.md",
    ],
    "Reference": ["glossary.md", "cli.md", "api.md", "records.md", "benchmarks.md", "dependencies.md", "changelog.md"],
    "Explanation": ["architecture.md", "design-decisions.md"],
    "Help": ["support.md", "project-security.md", "code-of-conduct.md"],
}
"""The site by what a reader wants. A page's details, in the folder of its name, follow it in the order in which it links to them."""


class Broken(Exception):
    """The site cannot be built; the text lists what is wrong."""


def staged(file: Path) -> Path | None:
    """Where a file of the repository goes in the site; None if it is not there."""
    if not file.is_file() or ROOT not in file.parents:
        return None
    if file.is_relative_to(DOCS):
        inside = file.relative_to(DOCS)
        return inside.with_name("index.md") if str(inside) == "README.md" else inside
    if file == ROOT / "README.md":
        return Path("index.md")
    if str(file.relative_to(ROOT)) in reference.SOURCES:
        return Path(reference.SOURCES[str(file.relative_to(ROOT))])
    if file.name == "RULES.md":
        return Path("rules") / f"{file.parent.name}.md"
    inside = file.relative_to(ROOT)
    if inside.suffix == ".md":
        name = str(inside).lower().replace("_", "-")
        return Path(f"project-{name}" if (DOCS / name).is_file() else name)
    return Path("files") / f"{inside}.md"


def stage() -> None:
    """Copy the documents, and whatever they link to, with links that fit the new places."""
    shutil.rmtree(STAGE, ignore_errors=True)
    waiting = [file for file in sorted(DOCS.rglob("*")) if file.suffix in (".md", ".svg", ".png", ".gif")]
    done: set[Path] = set()
    broken: list[str] = []
    while waiting:
        file = waiting.pop()
        if file in done:
            continue
        done.add(file)
        place = staged(file)
        assert place is not None
        out = STAGE / place
        out.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix in (".svg", ".png", ".gif"):
            shutil.copyfile(file, out)
            continue
        text = file.read_text()
        if file.suffix != ".md":
            out.write_text(f"# `{file.relative_to(ROOT)}`\n\n````{LANGUAGES.get(file.suffix, 'text')}\n{text}````\n")
            continue

        def led(match: re.Match[str], file: Path = file, place: Path = place) -> str:
            if re.match(r"[a-z]+:", match[2]):
                return match[0]
            target = (file.parent / unquote(match[2])).resolve()
            goal = staged(target)
            if goal is None:
                broken.append(f"{file.relative_to(ROOT)}: there is no {match[2]}")
                return match[0]
            if target != ROOT / "README.md" and str(target.relative_to(ROOT)) not in reference.SOURCES:
                waiting.append(target)
            return match[1] + _relative(goal, place)

        text = _drawn(_prose(text, partial(LINK.sub, led)), file, out.parent)
        out.write_text(NAMED_FENCE.sub(r'```\1 title="\2"', text))
    if broken:
        raise Broken("\n".join(sorted(broken)))


def _drawn(text: str, file: Path, folder: Path) -> str:
    """The text with its `scene` blocks drawn as pictures, where it is a game's rules."""
    if file.name != "RULES.md" or not FENCE.search(text):
        return text
    shown = iter(enumerate(pictures(load(file.parent.name))))

    def draw(match: re.Match[str]) -> str:
        number, picture = next(shown)
        name = f"{file.parent.name}-{number}.svg"
        (folder / name).write_text(picture.svg)
        return f"![{picture.caption}]({name})\n\n*{picture.caption}*"

    return FENCE.sub(draw, text)


def _relative(goal: Path, place: Path) -> str:
    up = Path(*[".."] * (len(place.parts) - 1))
    return (up / goal).as_posix()


def _prose(text: str, change: Callable[[str], str]) -> str:
    """Change a Markdown text outside its code. (A link's own words may be code.)"""
    parts = re.split(r"(^```.*?^```$|(?<!\[)`[^`\n]+`(?!\]))", text, flags=re.M | re.S)
    return "".join(part if k % 2 else change(part) for k, part in enumerate(parts))


def navigation() -> list[object]:
    """The menu: every page once, its details under it."""
    rest = {path.relative_to(STAGE).as_posix() for path in STAGE.rglob("*.md")} - {"index.md"}
    rest -= {page for page in rest if page.startswith("files/")}
    menu: list[object] = ["index.md"]
    for group, wanted in NAV.items():
        entries: list[object] = []
        for pattern in wanted:
            found = sorted(page for page in rest if Path(page).match(pattern) and page.count("/") == pattern.count("/"))
            if not found:
                raise Broken(f"the menu names {pattern}, and there is no such page")
            section = [_entry(page, rest) for page in found]
            entries += [{pattern.partition("/")[0].capitalize(): section}] if "*" in pattern else section
        menu.append({group: entries})
    if rest:
        raise Broken(f"no page leads to {', '.join(sorted(rest))}: link it from the page its folder is named after, or add it to NAV")
    return menu


def _entry(page: str, rest: set[str]) -> object:
    """A page in the menu, with the pages in the folder of its name below it, in the order of its links."""
    rest.discard(page)
    folder = page.removesuffix(".md") + "/"
    linked = [os.path.normpath(Path(page).parent / target) for _, target in LINK.findall((STAGE / page).read_text())]
    details = [
        target for target in dict.fromkeys(linked) if target in rest and target.startswith(folder) and "/" not in target[len(folder) :]
    ]
    rest -= set(details)
    return {title(page): [{"Overview": page}, *(_entry(detail, rest) for detail in details)]} if details else page


def title(page: str) -> str:
    found = re.search(r"^# (.+)$", (STAGE / page).read_text(), re.M)
    if found is None:
        raise Broken(f"{page} has no title")
    return found[1].replace("`", "")


def toml(value: object) -> str:
    """Lists, tables and texts as TOML."""
    if isinstance(value, list):
        return "[" + ", ".join(toml(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f'"{key}" = {toml(item)}' for key, item in value.items()) + "}"
    return f'"{value}"'


def build() -> None:
    """The whole site, from an empty folder."""
    stage()
    reference.write(STAGE)
    config = (Path(__file__).parent / "zensical.toml").read_text()
    (BUILD / "zensical.toml").write_text(config.replace("nav = []", f"nav = {toml(navigation())}"))
    shutil.copytree(Path(__file__).parent / "site", STAGE / "assets", dirs_exist_ok=True)
    shutil.rmtree(SITE, ignore_errors=True)
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean", "-f", "zensical.toml"]
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(command, cwd=BUILD, env={**os.environ, "PYTHONPATH": paths, "NO_COLOR": "1"}, check=False)
    if done.returncode:
        raise Broken("the site has errors, see above")


if __name__ == "__main__":
    try:
        build()
    except Broken as problem:
        sys.exit(str(problem))
    print(f"The documentation is in {SITE.relative_to(ROOT)}/. A running server shows it under /docs.")
