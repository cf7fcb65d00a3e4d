"""The checks of `make lint` for what people read: each finds what is planted."""

import pytest
from tools import words


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("short\n" + "word " * 21, [2]),
        ("[a link](" + "x" * 120 + ") in a line", []),
        ("see https://example.org/" + "x" * 120, []),
        ("| a table | " + "x" * 120 + " |", []),
        ("```\n" + "code " * 30 + "\n```", []),
        ('<img alt="' + "x" * 120 + '">', []),
        ("```\ncode\n```\n" + "word " * 21, [4]),
    ],
)
def test_long_lines_of_prose_are_found_and_only_those(text, lines):
    assert [number for number, _ in words.wide(text)] == lines


@pytest.mark.parametrize(
    "text",
    [
        "Not everybody sits yet.",
        "Only who began a study may stop it.",
        "One can play on from a game that is over.",
        "This server does not go by that name.",
        "That was too much at once; wait a moment.",
        "it can be had when the game is over",
        "what has been seen cannot be unseen",
        "how others call you",
        "Play on",
        "Look back",
        "What happens will be told here.",
        "Green dares a second Movement die: 5.",
        "in so many games",
        "Less than ten times is not told.",
        "foretells results",
        "and say what came of them",
        "Numbers that are no options",
        "who is round first wins",
        "dropped by and by",
        "every so-manieth game",
        "give or take 0.05",
    ],
)
def test_a_phrase_we_do_not_use_is_found_wherever_it_is_planted(tmp_path, text):
    for name, content in (
        ("page.md", f"# Title\n\n{text}\n"),
        ("code.py", f'print("""And {text}""" if 1 else "{text}")\n'),
        ("page.html", f"<p>{text}</p>\n"),
    ):
        (tmp_path / name).write_text(content)
        assert words.check(tmp_path / name), name


@pytest.mark.parametrize(
    "text", ["Waiting for players.", "You can continue from here once the game is over.", "a round board", "Only the host can."]
)
def test_good_sentences_pass(text):
    assert words.said(text, words.PHRASES | words.READERS) == []


def test_code_is_not_prose(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("Use `rulestone foretell`.\n\n```console\n$ rulestone foretell\n```\n")
    assert words.check(page) == []


def test_players_sit_in_seats(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("Take this chair.\n")
    assert words.check(page) == [(1, "“chair” – say: seat")]


def test_everything_people_read_is_looked_at():
    names = {str(file.relative_to(words.ROOT)) for file in words.files()}
    assert {"README.md", "docs/faq.md", "docs/games/sarpedon.md", "src/rulestone/cli.py", "src/rulestone/server/pages/home.html"} <= names
    assert "src/rulestone/games/sarpedon/RULES.md" in names
