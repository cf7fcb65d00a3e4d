"""The tables in the documents are those that `python -m tools.studies` wrote, from the studies in its plans."""

import json
import re
import tomllib

import pytest
from tools.studies.__main__ import BLOCK, DOCS, HERE, KEPT, figures, plan_of, plans, wrapped

FIGURE = re.compile(r"(?<![\w.,=:@−+-])[+−-]?(\d[\d,]*(?:\.\d+)?)(?= ?(?:%|±| points?\b))|(?<![\w.,=:@−+-])[+−-]?(\d[\d,]*\.\d+)(?![\w.])")
"""A share, a number with its interval, points, or a number with decimals: what a study found."""
BLOCKS = [(page, found) for page in sorted(DOCS.rglob("*.md")) for found in BLOCK.finditer(page.read_text())]


def test_every_table_of_a_study_is_the_one_that_was_written():
    kept = json.loads(KEPT.read_text())
    assert len(BLOCKS) > 20
    for page, found in BLOCKS:
        assert found[4].strip("\n") == kept[f"{found[2]}: {found[3]}"].strip("\n"), f"{page}: run python -m tools.studies --write"
    assert kept.keys() == {f"{found[2]}: {found[3]}" for _, found in BLOCKS}


def test_commands_in_the_pages_are_those_of_the_plans():
    for page, found in BLOCKS:
        assert found[2] in plans(), page
        if found[3] == "command":
            assert f"rulestone lab {wrapped(plans()[found[2]])}\n" in found[4], page


def test_every_plan_can_be_played(monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    for name, command in tomllib.loads((HERE / "plans.toml").read_text()).items():
        if "@" not in command["command"] and not any(word.isupper() for word in command["command"].replace("=", " ").split()):
            assert plan_of(command["command"]).games >= 1000, name


def test_a_table_says_what_a_study_found():
    seat = {"name": "Red", "share": 0.6, "low": 0.58, "high": 0.62}
    summary = {"cells": [{"label": "as it is", "games": 1000, "seats": [seat]}]}
    assert figures(summary, "seats", []) == "| who | 1,000 games |\n| --- | ---: |\n| wins: Red | 60 % ± 2 |\n"
    with pytest.raises(KeyError):
        figures(summary, "dreams", [])


def numbers(text):
    return [float(number.replace(",", "")) for number in re.findall(r"\d[\d,]*(?:\.\d+)?", text)]


def untold(pages):
    """The figures in the text of a study that are in none of its tables, not even with more digits."""
    found = [number for page in pages for block in BLOCK.finditer(page) for number in numbers(block[4])]
    missing = []
    for page in pages:
        text = re.sub(r"```.*?```|`[^`]*`|\]\([^)]*\)", "", BLOCK.sub("", page), flags=re.DOTALL)
        for figure in FIGURE.finditer(text):
            shown = (figure[1] or figure[2]).replace(",", "")
            digits = len(shown.partition(".")[2])
            if float(shown) not in {round(number, digits) for number in found}:
                missing.append(text[max(0, figure.start() - 40) : figure.end() + 10].replace("\n", " "))
    return missing


@pytest.mark.parametrize("game", sorted({page.stem.partition("-")[0] for page in (DOCS / "lab" / "studies").glob("*.md")}))
def test_every_figure_in_the_text_of_a_study_is_in_one_of_its_tables(game):
    pages = [page.read_text() for page in sorted((DOCS / "lab" / "studies").glob(f"{game}*.md"))]
    assert untold(pages) == []


def test_a_figure_that_no_table_has_is_found():
    table = "<!-- figures first: seats -->\n| wins: Red | 60.4 % ± 0.3 |\n<!-- end of figures -->\n"
    assert untold([table + "Red wins 60 % ± 0.3, after 2 or 3 moves (`line=3`)."]) == []
    assert untold([table + "Red wins 61 % of the games."]) != []
    assert untold([table + "That is worth 4.5 points."]) != []
