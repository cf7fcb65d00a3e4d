"""Documents are true: the tutorial's code runs, rule numbers are cited, links lead somewhere."""

import doctest
import re
from xml.etree import ElementTree

import numpy as np
import pytest

import rulestone
from rulestone.engine.playouts import playouts
from rulestone.server.documents import anchor_of
from rulestone.table import Face, Scene
from tests.conftest import ROOT

DOCS = ROOT / "docs"
DOCUMENTS = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
TUTORIAL = DOCS / "write-your-own-game.md"
ANOTHER_GAME = DOCS / "write-your-own-game" / "secrets-by-example.md"  # not Connect Four; test_chance.py compares its code with the example
BLOCK = re.compile(r"^```(\S+)(?: (\S+))?\n(.*?)^```$", re.M | re.S)
NUMBER = re.compile(r"\b[RQ][1-9]\d*\b(?!:)")


def run_examples(code, names):
    """Run an interactive example and compare what it prints."""
    test = doctest.DocTestParser().get_doctest(code, names, "document", "document", 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    runner.run(test, clear_globs=False)
    assert (runner.failures, runner.tries > 0) == (0, True)
    names.update(test.globs)


def place(file):
    return str(file.relative_to(ROOT))


def tutorial():
    """The pages of the tutorial, in the order of its contents."""
    text = TUTORIAL.read_text()
    pages = list(dict.fromkeys(re.findall(r"\]\((write-your-own-game/[\w-]+\.md)\)", text)))
    return [TUTORIAL, *(DOCS / page for page in pages)]


def test_the_tutorial_names_all_its_pages():
    assert set(tutorial()) == {TUTORIAL, *(DOCS / "write-your-own-game").glob("*.md")}


@pytest.mark.slow
def test_the_tutorial_builds_the_very_game(tmp_path, monkeypatch):
    """Its blocks, executed in order, make a game that plays exactly like the built-in one."""
    folder = tmp_path / "four"
    folder.mkdir()
    monkeypatch.chdir(tmp_path)
    names = {}
    for language, file, code in BLOCK.findall("\n".join(page.read_text() for page in tutorial() if page != ANOTHER_GAME)):
        if file:
            with (folder / file).open("a") as out:
                out.write(code + "\n")
        elif language == "pycon":
            run_examples(code, names)
    ours, theirs = playouts(rulestone.load("connect_four"), 2000, seed=5), playouts(rulestone.load(folder), 2000, seed=5)
    assert np.array_equal(ours.payoffs, theirs.payoffs)
    assert np.array_equal(ours.lengths, theirs.lengths)


@pytest.mark.parametrize("file", [file for file in DOCUMENTS if file == ANOTHER_GAME or file not in tutorial()], ids=place)
def test_interactive_examples_are_true(file):
    names = {}
    for language, _, code in BLOCK.findall(file.read_text()):
        if language == "pycon":
            run_examples(code, names)


def test_the_smallest_scene_draws_every_position():
    code = next(code for language, _, code in BLOCK.findall((DOCS / "scenes.md").read_text()) if language == "python")
    names = {}
    exec(code, names)
    match = rulestone.load("connect_four").new(seed=1)
    match.play("drop 3")
    scene = names["scene"](match.view(0), 0)
    assert isinstance(scene, Scene)
    assert f"f-seat{Face.of(match.game).hues(2)[0]}" in scene.parts["cell-5-3"]


def test_the_readmes_python_runs(capsys):
    rule, code = (code for language, _, code in BLOCK.findall((ROOT / "README.md").read_text()) if language == "python")
    exec(code, {})
    assert "drafts" in capsys.readouterr().out
    assert rule in (rulestone.load("connect_four").folder / "rules.py").read_text()


@pytest.mark.parametrize("name", rulestone.games())
def test_every_rule_number_is_cited_by_a_test(name):
    """The numbers of RULES.md and those in the names and docstrings of the game's tests are the same."""
    rules = set(re.findall(r"\*\*([RQ]\d+)\b", (rulestone.load(name).folder / "RULES.md").read_text()))
    cited = set()
    for file in (ROOT / "tests" / "games" / name).glob("test_*.py"):
        for words in re.findall(r"def (test_\w+)\(|\"\"\"(.*?)\"\"\"", file.read_text(), re.S):
            cited |= set(NUMBER.findall(" ".join(words).replace("_", " ")))
    assert rules, "RULES.md has no numbers"
    assert rules - cited == set(), "not cited by any test"
    assert {number for number in cited if number[0] in "RQ"} - rules == set(), "cited, but not in RULES.md"


@pytest.mark.parametrize("name", rulestone.games())
def test_numbers_cited_in_the_code_are_in_the_rules(name):
    folder = rulestone.load(name).folder
    rules = set(re.findall(r"\*\*([RQ]\d+)\b", (folder / "RULES.md").read_text()))
    for file in folder.glob("*.py"):
        assert set(NUMBER.findall(file.read_text())) <= rules, file.name


def anchors(file):
    """The anchors of a document's headings, as GitHub makes them; a second heading of the same words gets a number."""
    seen = {}
    for heading in re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```$", "", file.read_text(), flags=re.M | re.S), re.M):
        anchor = anchor_of(re.sub(r"\[(.*?)\]\(.*?\)", r"\1", heading))
        seen[anchor] = seen.get(anchor, -1) + 1
        yield f"{anchor}-{seen[anchor]}" if seen[anchor] else anchor


def broken_links(file):
    """The links of a document that lead to no file, or to no heading of it."""
    prose = re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```$", "", file.read_text(), flags=re.M | re.S))
    for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)", prose):
        if "://" in target:
            continue
        goal = file.parent / target if target else file
        if not goal.exists() or (anchor and goal.suffix == ".md" and anchor not in anchors(goal)):
            yield f"{target}#{anchor}"
    yield from (source for source in re.findall(r'src="([^"]+)"', prose) if not (file.parent / source).exists())


@pytest.mark.parametrize("file", DOCUMENTS, ids=place)
def test_links_between_documents_lead_somewhere(file):
    assert list(broken_links(file)) == []


def test_a_link_that_leads_nowhere_would_be_found(tmp_path):
    (tmp_path / "there.md").write_text("# Here\n\n## Two words\n")
    page = tmp_path / "page.md"
    page.write_text("[a](there.md#two-words) [b](there.md#nothing) [c](gone.md) [d](#own)\n\n## Own\n")
    assert list(broken_links(page)) == ["there.md#nothing", "gone.md#"]


@pytest.mark.parametrize("picture", sorted((DOCS / "pictures").glob("*.svg")), ids=lambda file: file.name)
def test_pictures_are_whole_and_small_and_load_nothing(picture):
    text = picture.read_text()
    assert ElementTree.fromstring(text).tag.endswith("svg")
    assert len(text) <= 400_000
    assert set(re.findall(r"https?://[^\"' )]+", text)) <= {"http://www.w3.org/2000/svg"}


def test_an_animated_picture_shows_every_position_of_real_play():
    from tools import pictures

    film = pictures.Film(game="connect_four", players=2, seed=1, first=0, frames=5, bot="random")
    scenes, words = zip(*pictures.play(film), strict=True)
    text = pictures.animated(list(scenes), list(words), 1)
    assert len(scenes) == 5
    assert ElementTree.fromstring(text).tag.endswith("svg")
    assert all(said in text for said in words)
    assert text.count("@keyframes") >= 5


def test_every_example_is_run_by_some_test():
    tests = "".join(file.read_text() for file in (ROOT / "tests").rglob("*.py") if file.name != "test_docs.py")
    examples = {
        "player.py": '"player.py"',
        "ppo.py": "ppo",
        "maskable_ppo.py": "import maskable_ppo",
        "torchrl_ppo.py": "import torchrl_ppo",
        "rllib_ppo.py": "import rllib_ppo",
        "games": '"examples" / "games" / "rps"',
    }
    assert {file.name for file in (ROOT / "examples").iterdir() if file.name != "__pycache__"} == set(examples)
    assert all(words in tests for words in examples.values())


def test_no_game_is_named_outside_its_folder():
    """Kernel, engine, bots, table, lab and server know no game. (The tutorial game may be an example in texts.)"""
    names = [name for name in rulestone.games() if name != "connect_four"]
    titles = [rulestone.load(name).title for name in names]
    for file in (ROOT / "src" / "rulestone").rglob("*.py"):
        if "games" not in file.relative_to(ROOT / "src" / "rulestone").parts[:1]:
            text = file.read_text()
            assert [word for word in [*names, *titles] if word in text] == [], file
