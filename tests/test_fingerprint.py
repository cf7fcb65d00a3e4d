"""The fingerprint of what plays: it changes with the rules and with nothing else."""

import shutil

import pytest

import rulestone
from rulestone.match import RecordError, replay
from tests.conftest import ROOT

GAME = ROOT / "src" / "rulestone" / "games" / "connect_four"
DRAW = "    elif grid_is_full(s):\n"


@pytest.fixture
def edited(tmp_path, monkeypatch):
    """Returns a copy of Connect Four in which a text was replaced in one of its files."""
    monkeypatch.setenv("RULESTONE_JIT", "0")
    made = iter(range(100))

    def edit(file="rules.py", old="", new=""):
        folder = tmp_path / str(next(made)) / "connect_four"
        shutil.copytree(GAME, folder)
        text = (folder / file).read_text()
        assert old in text
        (folder / file).write_text(text.replace(old, new, 1) if old else text)
        return rulestone.load(folder)

    return edit


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("rules.py", DRAW, "    # a comment\n" + DRAW),
        ("rules.py", '"""R3: the disc falls onto the pile.', '"""R3: a disc falls onto the pile.'),
        ("RULES.md", "Connect Four", "Four in a row"),
    ],
)
def test_other_words_are_the_same_rules(edited, file, old, new):
    assert edited(file, old, new).plays == edited().plays == rulestone.load("connect_four").plays


def test_a_changed_rule_or_option_is_other_rules(edited):
    plain = edited().plays
    assert edited("rules.py", DRAW, "    elif s.ply > 9:\n").plays != plain
    assert edited("rules.py", "s.to_move = 1 - s.to_move", "s.to_move = s.to_move").plays != plain
    assert rulestone.load("connect_four").changed({"COLUMNS": 8}).plays != plain


def test_every_game_has_its_own_fingerprint_and_its_content_counts():
    games = [rulestone.load(name) for name in rulestone.games()]
    assert len({game.plays for game in games}) == len(games)
    varied = [game.changed({constant.name: constant.value + 1}) for game in games for constant in _numbers_of_content(game)[:1]]
    assert varied
    assert all(game.plays != game.base.plays for game in varied)


def _numbers_of_content(game):
    found = []
    for constant in game.constants.values():
        if constant.file == "content.py" and type(constant.value) is int:
            try:
                game.changed({constant.name: constant.value + 1})
            except rulestone.variant.BadChange:
                continue
            found.append(constant)
            break
    return found


def test_a_record_of_other_rules_with_the_same_version_says_so(edited):
    match = edited().new(seed=1)
    for column in (0, 0, 0, 0, 0):
        match.play(("drop", column))
    record = match.record()
    assert record["plays"] == match.game.plays
    other = edited("rules.py", DRAW, "    elif s.ply > 2:\n")
    with pytest.raises(RecordError, match=r"the rules of connect_four were changed without a new version"):
        replay(record, other)


def test_a_record_that_a_change_does_not_touch_still_replays(edited):
    match = edited().new(seed=1)
    match.play("drop 3")
    assert replay(match.record(), edited("rules.py", DRAW, "    elif s.ply > 40:\n")).moves == match.moves
