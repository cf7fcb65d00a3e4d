"""Seeds that nobody can steer, made of several parts, and what records say about them. `verify.js` is held to the same examples."""

import hashlib
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import rulestone
from rulestone.bots import decide
from rulestone.cli import app
from rulestone.match import RecordError, _checksum, generator
from rulestone.seeds import Parts, is_hash, pledge

EXAMPLES = json.loads((Path(__file__).parent / "seeds.json").read_text())
A, B = "a" * 64, "b" * 64


def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_examples_that_python_and_javascript_share(example):
    parts = Parts.read(example, 2)
    assert parts.seed() == example["seed"]
    assert [f"{generator(parts.seed(), ply):016x}" for ply in range(3)] == example["generators"]


def test_the_seed_is_a_hash_of_all_parts_in_the_order_of_the_seats():
    parts = Parts("s", (sha(f"rulestone pledge {A}"), pledge(B), None), (A, None, None))
    assert parts.commitment == sha("s")
    assert parts.seed() == sha(f"rulestone seed\nsecret s\nvalue {A}\npledge {pledge(B)}\nnothing")


def test_every_part_changes_the_seed():
    pledges = (pledge(A), pledge(B))
    worlds = [
        Parts("s", pledges, (A, B)),
        Parts("t", pledges, (A, B)),
        Parts("s", pledges[::-1], (B, A)),
        Parts("s", pledges, (A, None)),
        Parts("s", pledges, (None, None)),
        Parts("s", (pledge(A), None), (A, None)),
        Parts("s", (pledge(A), pledge(A)), (A, A)),
    ]
    assert len({world.seed() for world in worlds}) == len(worlds)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"secret": "t"}, "secret does not match its commitment"),
        ({"values": [B, None]}, "the value of player 0 does not match its pledge"),
        ({"values": [A, B]}, "the value of player 1 does not match its pledge"),
        ({"pledges": [pledge(A)]}, "can't be read"),
        ({"values": "ab"}, "can't be read"),
        ({"values": [A, 7]}, "can't be read"),
        ({"secret": None}, "can't be read"),
        ({"values": None}, "can't be read"),
    ],
)
def test_parts_that_contradict_each_other_are_refused(change, reason):
    good = Parts("s", (pledge(A), None), (A, None)).data()
    assert Parts.read(good, 2).seed()
    with pytest.raises(ValueError, match=reason):
        Parts.read({**good, **change}, 2)
    with pytest.raises(ValueError, match="can't be read"):
        Parts.read(list(good), 2)


def test_only_whole_lower_case_hashes_count():
    assert is_hash(A)
    assert not any(map(is_hash, (A.upper(), A[1:], A + "\n", None, 7, "g" * 64)))


# ---- records --------------------------------------------------------------------------------------------------------------------


def played(parts, *, bots=False):
    match = rulestone.load("connect_four").new(seed=parts.seed(), options={"line": 3})
    match.parts = parts
    for column in (0, 1, 0, 1, 0):
        match.play(column)
    match.bots = [None, "random", None, "random", None] if bots else []
    return match


def resealed(record, **changes):
    record = {**record, **changes}
    return {**record, "checksum": _checksum(record)}


PARTS = Parts("s", (pledge(A), pledge(B)), (A, None))


def test_a_record_says_what_its_seed_is_made_of():
    record = json.loads(json.dumps(played(PARTS, bots=True).record()))
    again = rulestone.replay(record)
    assert again.parts == PARTS
    assert again.bots == [None, "random", None, "random", None]
    assert again.record() == record
    assert "seed_parts" not in rulestone.load("connect_four").new(seed=7).record()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"seed_parts": Parts("t", PARTS.pledges, PARTS.values).data()}, "the seed is not made of its parts"),
        ({"seed_parts": {**PARTS.data(), "secret": "t"}}, "secret does not match"),
        ({"seed_parts": 7}, "can't be read"),
        ({"bots": ["random"]}, "the list of bots does not fit"),
        ({"bots": [7] * 5}, "the list of bots does not fit"),
    ],
)
def test_a_record_with_forged_parts_is_refused(change, reason):
    record = played(PARTS).record()
    with pytest.raises(RecordError, match=reason):
        rulestone.replay(resealed(record, **change))


def test_a_match_that_is_played_on_keeps_a_readable_record():
    match = played(PARTS, bots=True).at(3)
    match.play(5)
    match.play(0)
    assert rulestone.replay(match.record()).bots == [None, "random", None, "random", None]


def test_a_view_knows_nothing_of_the_parts_or_the_bots():
    view = played(PARTS, bots=True).view(0)
    assert not hasattr(view, "parts")
    assert not hasattr(view, "bots")


def test_the_moves_of_a_bot_can_be_reproduced_from_the_record():
    match = rulestone.load("connect_four").new(seed=PARTS.seed(), players=2)
    while not match.over:
        player = match.to_move
        match.play(decide(match.view(player), "random", match.bot_seed(player)).move)
    again = rulestone.replay(match.record())
    for index in range(again.length):
        position, player = again.at(index), again.mover(index)
        assert decide(position.view(player), "random", position.bot_seed(player)).move == again.moves[index]


def test_a_bots_seed_differs_from_ply_to_ply_and_from_the_dice():
    match = rulestone.load("connect_four").new(seed=PARTS.seed())
    seeds = set()
    for column in (0, 1, 0):
        seeds |= {match.bot_seed(0), match.bot_seed(1), match._generator(match.to_move), match._generator(match.to_move) >> 1}
        match.play(column)
    assert len(seeds) == 12
    assert all(0 <= match.bot_seed(0) < 2**63 for _ in range(2))


# ---- rulestone verify -------------------------------------------------------------------------------------------------------------


def verify(tmp_path, record, *arguments):
    file = tmp_path / "record.json"
    file.write_text(json.dumps(record))
    return CliRunner().invoke(app, ["verify", str(file), *arguments])


def test_verify_compares_the_record_with_what_a_player_noted(tmp_path):
    record = played(PARTS).record()
    done = verify(tmp_path, record, "--commitment", sha("s"), "--mine", A)
    assert done.exit_code == 0
    for words in ("honest", sha("s"), "Red: number in the seed", "Blue: number never came"):
        assert words in " ".join(done.stdout.split()), words
    assert verify(tmp_path, record, "--commitment", sha("s")[:16].upper()).exit_code == 0
    for wrong, reason in ((sha("t"), "not the game you noted"), (sha("s")[:15], "not the game you noted"), ("", "not the game you noted")):
        assert reason in str(verify(tmp_path, record, "--commitment", wrong).exception)
    assert "not part of this game's seed" in str(verify(tmp_path, record, "--mine", B).exception)


def test_verify_understands_records_without_parts(tmp_path):
    match = rulestone.load("connect_four").new(seed="old")
    done = verify(tmp_path, match.record(), "--commitment", sha("old"))
    assert done.exit_code == 0
    assert "SHA-256 of the seed" in done.stdout
    assert "not part" in str(verify(tmp_path, match.record(), "--mine", A).exception)
