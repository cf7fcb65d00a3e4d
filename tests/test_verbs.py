"""Verbs as functions: what the kernel generates from `may_VERB`, `do_VERB` and `REASONS`, and asking rules."""

import pickle
from pathlib import Path

import pytest

import rulestone
from rulestone.kernel import list_set, lowest, nth, rule, size
from rulestone.testing import ContractError, check_game
from rulestone.testing.contract import Case, check_audit

NIM = Path(__file__).parent / "toys" / "nim"


@pytest.fixture(scope="module")
def nim():
    return rulestone.load(NIM)


@rule
def best_at(states, i):
    return best(states[i])  # noqa: F821


@rule
def taken_at(states, i, action):
    return taken(states[i], action)  # noqa: F821


def broken(tmp_path, old, new):
    source = (NIM / "rules.py").read_text()
    assert old in source
    (tmp_path / "rules.py").write_text(source.replace(old, new))
    return rulestone.load(tmp_path)


def test_legal_lists_exactly_what_may_allows_in_ascending_order(nim):
    match = nim.new(seed=1)
    match.state.heap = [1, 0, 3]
    assert [str(move) for move in match.legal()] == ["pass", "take 0 1", "take 2 1", "take 2 2", "take 2 3", "swap First", "swap Last"]


def test_choices_are_the_legal_moves_as_a_set(nim):
    match = nim.new(seed=1)
    match.state.heap = [1, 0, 3]
    assert match.ask(nim.rules.choices) == sum(1 << nim.actions.parse(move) for move in match.legal())


def test_apply_decodes_several_arguments_and_ranges(nim):
    match = nim.new(seed=1)
    match.play("take 2 3")
    assert list(match.state.heap) == [4, 4, 1]


def test_afterwards_runs_after_every_move(nim):
    match = nim.new(seed=1)
    match.play("pass")
    match.play("take 0 1")
    assert (match.state.moves, match.to_move) == (2, 0)


def test_a_refusal_shows_its_reason_with_its_numbers(nim):
    match = nim.new(seed=1)
    match.state.heap = [4, 1, 4]
    with pytest.raises(rulestone.IllegalMove, match=r"^The middle heap has only 1 left\. \[R1\] Legal moves: pass, take 0 1,"):
        match.play("take 1 2")
    assert match.why("take 1 2") == "The middle heap has only 1 left. [R1]"
    assert match.why("take 1 1") is None


def test_when_excludes_a_verb_before_its_arguments_are_tried(nim):
    match = nim.new(seed=1)
    match.play("swap First")
    assert match.why("swap Last") == "The heaps have been swapped before. [R3]"
    assert not [move for move in match.legal() if move.verb == "swap"]


def test_why_in_a_view_says_whose_turn_it_is_and_that_the_game_is_over(nim):
    match = nim.new(seed=1)
    assert match.view(1).why("pass") == "It's Red's turn."
    assert match.view(0).why("pass") is None
    match.state.heap = [0, 0, 1]
    match.play("take 2 1")
    assert match.view(0).why("pass") == "The game is over."


def test_why_of_an_unknown_move_lists_the_known_ones(nim):
    assert "moves are" in nim.new(seed=1).why("dance")


def test_ask_runs_any_rule_on_a_view_without_changing_it(nim):
    view = nim.new(seed=1).view(0)
    assert view.ask(nim.rules.may_take, 0, 3) == 0
    view.ask(nim.rules.do_take, 0, 3)
    assert list(view.state.heap) == [4, 4, 4]
    assert view.ask(nim.rules.may_take, 0, 3) == 0


def test_ask_sees_fields_written_by_hand_and_copies_are_independent(nim):
    match = nim.new(seed=1)
    assert match.ask(nim.rules.may_take, 0, 3) == 0
    twin = pickle.loads(pickle.dumps(match.copy()))
    match.state.heap = [0, 4, 4]
    assert match.ask(nim.rules.may_take, 0, 3) != 0
    assert twin.ask(nim.rules.may_take, 0, 3) == 0


def test_a_move_is_numbered_by_calling_its_verb_in_every_mode(nim):
    match = nim.new(seed=1)
    expected = nim.actions.encode("take", 0, 2)
    assert match.ask(nim.rules.best) == expected == nim.actions.take(0, 2)
    assert nim.compiled(best_at, best=nim.rules.best)(match.array, 0) == expected


def test_rules_can_ask_for_the_verb_and_argument_of_a_move_in_every_mode(nim):
    match = nim.new(seed=1)
    for action in range(len(nim.actions)):
        move = nim.actions.decode(action)
        expected = move.args[0] * 10 + move.args[1] if move.verb == "take" else -1
        assert match.ask(nim.rules.taken, action) == expected
        assert nim.compiled(taken_at, taken=nim.rules.taken)(match.array, 0, action) == expected


def test_sets_of_numbers():
    bits = 1 << 3 | 1 << 17 | 1 << 62
    out = [9] * 5
    assert (lowest(bits), size(bits), nth(bits, 1), nth(bits, 2)) == (3, 3, 17, 62)
    assert list_set(bits, out, 1) == 4
    assert out == [9, 3, 17, 62, 9]


SHARED = """
DO = {"swap": (swap_with, 2)}
MAY = {"swap": (may_swap_with, 1, 2)}


@rule
def afterwards"""


def test_verbs_that_share_a_rule_name_it_with_its_numbers(tmp_path):
    source = (NIM / "rules.py").read_text()
    source = source.replace("def do_swap(s, which):", "def swap_with(s, factor, which):").replace("2 * which", "factor * which")
    source = source.replace(
        "def may_swap(s, which):\n    return 0", "def may_swap_with(s, no, factor, which):\n    return 0 if which != no else no"
    )
    (tmp_path / "rules.py").write_text(source.replace("\n@rule\ndef afterwards", SHARED))
    match = rulestone.load(tmp_path).new(seed=1)
    match.state.heap = [1, 2, 3]
    assert [str(move) for move in match.legal() if move.verb == "swap"] == ["swap First"]
    assert match.why("swap Last") == "You have passed already. [R2]"  # reason 1
    match.play("swap First")
    assert list(match.state.heap) == [2, 1, 3]


def test_a_verb_with_only_a_when_needs_no_may(tmp_path):
    match = broken(tmp_path, "@rule\ndef may_swap(s, which):\n    return 0\n\n\n", "").new(seed=1)
    assert [str(move) for move in match.legal() if move.verb == "swap"] == ["swap First", "swap Last"]
    match.play("swap Last")
    assert match.why("swap Last") == "The heaps have been swapped before. [R3]"


def test_a_game_of_verbs_keeps_the_whole_contract(nim):
    check_game(nim, 2, matches=3, games=100)


def test_a_hand_written_list_that_forgets_a_move_is_found(tmp_path, monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    game = broken(tmp_path, "@rule\ndef do_take", "@rule\ndef legal_take(s, out, n):\n    return n\n\n\n@rule\ndef do_take")
    with pytest.raises(ContractError, match="may_VERB allows"):
        check_game(game, 2, matches=1, games=5, worlds=0)


def test_compiled_checks_find_it_too(tmp_path):
    game = broken(
        tmp_path,
        "@rule\ndef do_take",
        "@rule\ndef legal_take(s, out, n):\n    for k in range(9):\n"
        "        if may_take(s, k // 3, k % 3 + 1) == 0 and (k < 8 or s.ply % 2):\n"
        "            out[n] = ACTIONS.take + k\n            n += 1\n    return n\n\n\n@rule\ndef do_take",
    )
    with pytest.raises(ContractError, match="exactly the actions that may_VERB allows"):
        check_audit(game, Case(2, {}), seed=1, longest=40, games=20, positions=200)


def test_a_missing_function_is_named(tmp_path):
    with pytest.raises(ValueError, match="has do_pass, but these rules are missing: do_take"):
        broken(tmp_path, "def do_take", "def make_take")
