"""Play the studies of docs/lab.md and its pages, and write the tables in them.

    python -m tools.studies             play what has not been played yet, then write the pages
    python -m tools.studies NAME …      only these studies
    python -m tools.studies --write     write the pages from what was played

A study that was interrupted goes on where it stopped (in build/studies). In a page, a table stands between two comments:

    <!-- figures NAME: measures rounds thefts -->
    <!-- end of figures -->

What was written is kept in tools/studies/figures.json, so that the pages can be checked without playing.
"""

import argparse
import json
import re
import shlex
import textwrap
import time
import tomllib
from pathlib import Path
from typing import Any

from rulestone.lab import Study, make_plan
from rulestone.lab.findings import agreement_text, decisive, effect_text, gap_text, share_text, swing_text, within
from rulestone.lab.folder import FolderError

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
PLAYED, DOCS, KEPT = ROOT / "build" / "studies", ROOT / "docs", HERE / "figures.json"
BLOCK = re.compile(r"(<!-- figures (\S+): ([^>]*?) -->\n)(.*?)(<!-- end of figures -->)", re.DOTALL)


def plans() -> dict[str, str]:
    """The arguments of `rulestone lab` for every study."""
    return {name: told["command"] for name, told in tomllib.loads((HERE / "plans.toml").read_text()).items()}


def wrapped(command: str) -> str:
    """The arguments over several lines."""
    return " \\\n  ".join(textwrap.wrap(command, 84, break_long_words=False, break_on_hyphens=False))


def plan_of(command: str) -> Any:
    """The plan that `rulestone lab` makes of these arguments."""
    reader = argparse.ArgumentParser()
    reader.add_argument("game")
    for name in ("games", "players", "estimates", "luck"):
        reader.add_argument(f"--{name}", type=int)
    reader.add_argument("--bots")
    reader.add_argument("--skill", type=lambda text: text.split(","))
    reader.add_argument("--one-at-a-time", dest="grid", action="store_false", default=None)
    for name, short in (("options", "-o"), ("vary", "--vary"), ("changes", "--change")):
        reader.add_argument(short, dest=name, action="append", type=lambda text: text.split("=", 1))
    told = {key: value for key, value in vars(reader.parse_args(shlex.split(command))).items() if value is not None}
    for name in {"options", "vary", "changes"} & set(told):
        told[name] = dict(told[name])
    return make_plan(told.pop("game"), **told)


def play(name: str, command: str) -> None:
    """Play a study, or what is left of it."""
    folder = PLAYED / name
    plan = plan_of(command)
    try:
        study = Study(plan, workers=1, out=folder, resume=(folder / "plan.json").exists())
    except FolderError as problem:
        raise SystemExit(f"{problem}\nRemove {folder} to play it again.") from None
    began = time.process_time()
    study.run()
    print(f"{name}: {time.process_time() - began:.0f} s of processor time", flush=True)


# ---- tables ---------------------------------------------------------------------------------------------------------------


def table(head: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown; numbers are on the right."""
    marks = ["---", *["---:"] * (len(head) - 1)]
    return "".join(f"| {' | '.join(cell.replace('|', '/') for cell in row)} |\n" for row in (head, marks, *rows))


def value_text(told: dict[str, Any]) -> str:
    """A measure with its interval."""
    if "share" in told and told.get("part", True):
        return share_text(told)
    return within(told["share"] if "share" in told else told["mean"], told["low"], told["high"])


def figures(summary: dict[str, Any], what: str, names: list[str]) -> str:
    """The table that a page asks for."""
    return {
        "seats": _seats, "measures": _measures, "tally": _tally, "wins": _wins, "effects": _effects, "luck": _luck,
        "decisions": _decisions, "swings": _swings, "findings": _findings,
    }[what](summary, names)  # fmt: skip


def _heads(summary: dict[str, Any], first: str) -> list[str]:
    cells = summary["cells"]
    return [first, *([cell["label"] for cell in cells] if len(cells) > 1 else [f"{cells[0]['games']:,} games"])]


def _seats(summary: dict[str, Any], names: list[str]) -> str:
    """Who wins, in every setting."""
    cells = summary["cells"]
    most = max(len(cell["seats"]) for cell in cells)
    rows = []
    for seat in range(most):
        shown = [share_text(cell["seats"][seat]) if seat < len(cell["seats"]) else "" for cell in cells]
        rows.append([f"wins: {next(cell['seats'][seat]['name'] for cell in cells if seat < len(cell['seats']))}", *shown])
    return table(_heads(summary, "who"), rows)


def _measures(summary: dict[str, Any], names: list[str]) -> str:
    """Measures of the game, in every setting."""
    cells = summary["cells"]
    rows = [[cells[0]["measures"][name]["label"], *(value_text(cell["measures"][name]) for cell in cells)] for name in names]
    return table(_heads(summary, "what"), rows)


def _tally(summary: dict[str, Any], names: list[str]) -> str:
    """The entries of a tally: how often in a game, and who wins then (the team, or the first seat)."""
    entries = sorted(summary["cells"][0]["measures"][names[0]]["entries"], key=lambda entry: -entry["mean"])
    rows = [
        [entry["name"], within(entry["mean"], entry["low"], entry["high"]), share_text(entry["wins"][0]) if entry["wins"] else ""]
        for entry in entries
        if entry["mean"]
    ]
    who = summary["cells"][0]["seats"][0]["name"]
    return table([summary["cells"][0]["measures"][names[0]]["label"], "in a game", f"wins in these games: {who}"], rows)


def _wins(summary: dict[str, Any], names: list[str]) -> str:
    """For each value of a measure, how often it came up and who won then (that player, the team, or the first seat)."""
    told = summary["cells"][0]["measures"][names[0]]
    who = "that player" if told["each"] else summary["cells"][0]["seats"][0]["name"]
    rows = [[f"{row['value']}", share_text(row), share_text(row["wins"][0])] for row in told["distribution"] if row["times"] >= 100]
    return table([told["label"], "how often", f"wins: {who}"], rows)


def _effects(summary: dict[str, Any], names: list[str]) -> str:
    """What each change did."""
    found = {(effect["factor"], str(effect["to"]), effect["on"]): effect for effect in summary["effects"]}
    changes = dict.fromkeys((effect["factor"], str(effect["from"]), str(effect["to"])) for effect in summary["effects"])
    labels = {effect["on"]: effect["label"] for effect in summary["effects"]}
    rows = []
    for factor, base, value in changes:
        told = [found.get((factor, value, name)) for name in names]
        shown = [f"{effect_text(one)}{'' if one['settled'] else ' *'}".replace(" percentage", "") if one else "" for one in told]
        rows.append([f"`{factor}` {value} instead of {base}", *(text.replace("no difference *", "none") for text in shown)])
    games = summary["cells"][0]["games"]
    return (
        table(["change", *(labels[name] for name in names)], rows)
        + f"\n{games:,} games in each setting, the same deals. \\*: not settled.\n"
    )


def _luck(summary: dict[str, Any], names: list[str]) -> str:
    """What decides a game."""
    told = summary["cells"][0]["luck"]
    words = {"deal": "the deal", "dice": "dice and draws", "play": "what players do"}
    return table(["what decides a game", f"{told['deals']:,} deals"], [[word, share_text(told[name])] for name, word in words.items()])


def _decisions(summary: dict[str, Any], names: list[str]) -> str:
    """What decisions are about, as far as the search can be trusted."""
    told = summary["cells"][0]["decisions"]
    sure = textwrap.fill(agreement_text(told, "the best move"), 100)
    if not told["trusted"]:
        return f"{sure}\nThat is too little to say which decisions matter.\n"
    words, rival = decisive(told)
    rows = [
        [f"decisions that matter ({words})", f"at least {share_text(rival['matters'])}"],
        ["what the middle-ranked move gives away", gap_text(told["median"]["gap"])],
    ]
    return table(["what", f"{rival['n']:,} decisions weighed"], rows) + f"\n{sure}\n"


def _swings(summary: dict[str, Any], names: list[str]) -> str:
    """What turns the game."""
    swings = [swing for swing in summary["cells"][0]["swings"] if swing["clear"]][:8]
    if not swings:
        return "Nothing stands out by more than chance, or the observer can't be trusted here.\n"
    rows = [[swing["label"], f"{swing['n']:,}", swing_text(swing, "beyond")] for swing in swings]
    return table(["what", "times", "change of the chance to win, points beyond the usual"], rows)


def _findings(summary: dict[str, Any], names: list[str]) -> str:
    """The sentences a study starts with."""
    text = "\n".join(
        textwrap.fill(sentence.replace(" %", "\u00a0%"), 100, initial_indent="- ", subsequent_indent="  ")
        for sentence in summary["findings"]
    )
    return text.replace("\u00a0", " ") + "\n"


def write() -> None:
    """Write every table that a page asks for."""
    before = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    kept: dict[str, str] = {}
    commands = plans()

    def made(found: re.Match[str]) -> str:
        name, asked = found[2], found[3]
        what, *names = asked.split()
        played = PLAYED / name / "summary.json"
        if what == "command":
            text = f"```\nrulestone lab {wrapped(commands[name])}\n```\n"
        elif played.exists():
            text = re.sub(r"(?<=[ (])-(?=\d)", "−", figures(json.loads(played.read_text()), what, names))
        else:  # it was played elsewhere
            text = before[f"{name}: {asked}"]
        kept[f"{name}: {asked}"] = text
        return f"{found[1]}\n{text}\n{found[5]}"

    for page in sorted(DOCS.rglob("*.md")):
        old = page.read_text()
        new = BLOCK.sub(made, old)
        if new != old:
            page.write_text(new)
    KEPT.write_text(json.dumps(kept, indent=1, ensure_ascii=False, sort_keys=True) + "\n")


def main() -> None:
    """The command."""
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("names", nargs="*", metavar="NAME")
    reader.add_argument("--write", action="store_true", help="play nothing")
    asked = reader.parse_args()
    PLAYED.mkdir(parents=True, exist_ok=True)
    for name, command in plans().items():
        if not asked.write and (not asked.names or name in asked.names) and not (PLAYED / name / "summary.json").exists():
            play(name, command)
    if asked.write or not asked.names:
        write()


if __name__ == "__main__":
    main()
