"""The tables in the documents are those that `python -m tools.studies` wrote, from the studies in its plans."""

import json
import tomllib

import pytest
from tools.studies.__main__ import BLOCK, DOCS, HERE, KEPT, figures, plan_of, plans, wrapped

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
