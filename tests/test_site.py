"""The documentation site, up to what Zensical does with it: pages, menu, references."""

import re

import pytest
import typer.main
from tools import reference, site

from rulestone.cli import app


@pytest.fixture
def stage(tmp_path, monkeypatch):
    monkeypatch.setattr(site, "STAGE", tmp_path / "docs")
    return tmp_path / "docs"


def pages_of(menu):
    for entry in menu if isinstance(menu, list) else [menu]:
        if isinstance(entry, dict):
            for inner in entry.values():
                yield from pages_of(inner)
        else:
            yield entry


def test_every_page_is_in_the_menu_once(stage):
    site.stage()
    reference.write(stage)
    listed = list(pages_of(site.navigation()))
    written = {str(file.relative_to(stage)) for file in stage.rglob("*.md") if "files" not in file.relative_to(stage).parts[:1]}
    assert sorted(listed) == sorted(written)


def test_links_into_the_repository_become_pages_of_the_site(stage):
    site.stage()
    assert "(support.md)" in (stage / "index.md").read_text()
    assert "(cli.md)" in (stage / "index.md").read_text()
    assert "(../files/examples/player.py.md)" in (stage / "server" / "rest.md").read_text()
    assert (stage / "rules" / "sarpedon.md").exists()
    assert '```python title="rules.py"' in (stage / "write-your-own-game" / "rules.md").read_text()


def test_a_broken_link_fails(stage, tmp_path, monkeypatch):
    (tmp_path / "root" / "docs").mkdir(parents=True)
    (tmp_path / "root" / "docs" / "README.md").write_text("# Home\n\n[gone](gone.md) `[code](x.md)`\n\n```\n[code](y.md)\n```\n")
    monkeypatch.setattr(site, "ROOT", tmp_path / "root")
    monkeypatch.setattr(site, "DOCS", tmp_path / "root" / "docs")
    with pytest.raises(site.Broken, match=r"^docs/README.md: there is no gone.md$"):
        site.stage()


def test_a_page_that_nothing_leads_to_fails(stage):
    site.stage()
    reference.write(stage)
    (stage / "bots" / "lost.md").parent.mkdir(exist_ok=True)
    (stage / "bots" / "lost.md").write_text("# Lost\n")
    with pytest.raises(site.Broken, match=r"no page leads to bots/lost\.md"):
        site.navigation()


@pytest.mark.parametrize("page", reference.API)
def test_the_api_reference_names_what_is_there(page):
    blocks = re.findall(r"^::: (\S+)$", reference.api_page(page), re.M)
    assert len(blocks) >= 2
    assert len(set(blocks)) == len(blocks)


def test_a_name_that_is_missing_fails():
    with pytest.raises(AttributeError):
        reference.names("rulestone.bots:nothing")


def test_the_command_line_reference_has_every_command_with_every_option():
    text = reference.cli_page()
    for name, command in typer.main.get_command(app).commands.items():
        section = re.search(rf"^## {name}$(.*?)(?=^## |\Z)", text, re.M | re.S)
        assert (section is None) == command.hidden, name
        for parameter in [] if command.hidden else command.params:
            if parameter.name != "help" and parameter.param_type_name == "option":
                assert re.search(rf"`[^`]*{max(parameter.opts, key=len)}\b", section[1]), (name, parameter.name)


def test_examples_in_docstrings_become_code():
    assert reference.fenced("Adds.\n\n>>> 1 + 1\n2\n\nMore.") == "Adds.\n\n```pycon\n>>> 1 + 1\n2\n```\n\nMore."
