"""Game and Match: the public interface."""

import copy
import json
import pickle

import numpy as np
import pytest

import rulestone
from rulestone.game import installed
from rulestone.match import RecordError


def random_match(game, seed, moves=1000, **arguments):
    match = game.new(seed=seed, **arguments)
    chooser = np.random.default_rng(seed)
    while not match.over and match.ply < moves:
        legal = match.legal()
        match.play(legal[chooser.integers(len(legal))])
    return match


# ---- loading


def test_games_lists_the_built_in_games():
    assert "connect_four" in rulestone.games()
    assert rulestone.games() == sorted(rulestone.games())


def test_a_game_is_loaded_once():
    assert rulestone.load("connect_four") is rulestone.load("connect_four")


def test_the_error_for_an_unknown_game_lists_the_known_ones():
    with pytest.raises(rulestone.UnknownGame, match="there is no game 'conect_four'; did you mean connect_four"):
        rulestone.load("conect_four")


def test_a_folder_without_rules_is_not_a_game(tmp_path):
    with pytest.raises(rulestone.UnknownGame, match=r"there is no rules\.py"):
        rulestone.load(tmp_path)


def test_the_error_for_incomplete_rules_says_what_is_missing(tmp_path):
    (tmp_path / "rules.py").write_text("ABOUT = 1\n")
    with pytest.raises(rulestone.UnknownGame, match="does not define ACTIONS"):
        rulestone.load(tmp_path)


def test_a_folder_is_loaded_again_so_that_edits_take_effect(tmp_path, whisper):
    source = (whisper.folder / "rules.py").read_text()
    (tmp_path / "rules.py").write_text(source)
    assert rulestone.load(tmp_path).title == "Whisper"
    (tmp_path / "rules.py").write_text(source.replace('title="Whisper"', 'title="Shout"'))
    assert rulestone.load(tmp_path).title == "Shout"


def test_an_entry_point_provides_a_game(tmp_path, monkeypatch, whisper):
    package = tmp_path / "their_games"
    (package / "murmur").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "murmur" / "__init__.py").touch()
    (package / "murmur" / "rules.py").write_text((whisper.folder / "rules.py").read_text())
    info = tmp_path / "their_games-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: their-games\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[rulestone.games]\nmurmur = their_games.murmur\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert "murmur" in rulestone.games()
    assert rulestone.load("murmur").new(seed=1).to_move == 0


def test_a_broken_package_is_reported_and_does_not_affect_other_games(tmp_path, monkeypatch):
    info = tmp_path / "their_games-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: their-games\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[rulestone.games]\nmumble = their_games.mumble\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(rulestone.UnknownGame, match="the installed game 'mumble' can't be loaded: ModuleNotFoundError"):
        rulestone.load("mumble")
    assert [name for name, _ in installed()] == [name for name in rulestone.games() if name != "mumble"]


# ---- new matches


def test_the_same_arguments_give_the_same_match(whisper):
    assert whisper.new(seed=7).state.deck.tolist() == whisper.new(seed=7).state.deck.tolist()
    assert len({tuple(whisper.new(seed=seed).state.deck.tolist()) for seed in range(20)}) > 15
    assert whisper.new(seed="7").state.deck.tolist() == whisper.new(seed=7).state.deck.tolist()
    assert whisper.new(seed="07").state.deck.tolist() != whisper.new(seed=7).state.deck.tolist()


def test_without_a_seed_a_secret_one_is_drawn(whisper):
    seeds = {whisper.new().seed for _ in range(5)}
    assert len(seeds) == 5
    assert all(len(seed) == 32 for seed in seeds)


def test_a_match_is_the_same_on_every_machine(whisper):
    """A golden deal: if this changes, published seeds and records no longer mean what they meant."""
    match = whisper.new(seed=7, players=3)
    assert match.state.hand.tolist() == GOLDEN_HAND
    assert match.state.deck.tolist() == GOLDEN_DECK


GOLDEN_HAND, GOLDEN_DECK = [5, 2, 6], [1, 7, 4, 0, 3, -1, -1, -1]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"players": 5}, "whisper is for 2 to 3 players, not 5"),
        ({"players": "two"}, "whisper is for 2 to 3 players, not 'two'"),
        ({"options": {"patient": 3}}, "whisper has no option 'patient'; its options are: patience"),
        ({"options": {"patience": 7}}, "option 'patience' can't be 7; allowed: 20, 5"),
        ({"players": 3, "options": {"patience": 5}}, "three players need more patience than 5"),
        ({"seed": 1.5}, "a seed must be an integer or a string, not 1.5"),
    ],
)
def test_invalid_arguments_are_refused_with_the_valid_ones(whisper, arguments, reason):
    with pytest.raises(ValueError) as refusal:
        whisper.new(**{"seed": 1, **arguments})
    assert str(refusal.value) == reason


# ---- playing


def test_moves_are_accepted_in_every_form(connect_four):
    match = connect_four.new(seed=1)
    for move in ("drop 3", ("drop", 3), 3, np.int64(3), match.legal()[3]):
        match.play(move)
    assert match.state.height[3] == 5
    assert match.moves == [("drop", 3)] * 5


@pytest.mark.parametrize("move", ["drop 7", "jump", 99, -1, None, "", "drop x", (), ("drop", 1, 2)])
def test_an_illegal_move_changes_nothing(connect_four, move):
    match = connect_four.new(seed=1)
    before = match.raw
    with pytest.raises(rulestone.IllegalMove):
        match.play(move)
    assert match.raw == before
    assert match.moves == []


def test_a_game_can_explain_why_a_move_is_illegal(whisper):
    match = whisper.new(seed=1)
    match.state.left = 0
    with pytest.raises(rulestone.IllegalMove, match=r"change: the deck is empty\."):
        match.play("change")


def test_nothing_can_be_played_after_the_end(whisper):
    match = whisper.new(seed=1)
    match.play("show")
    assert match.over
    assert match.to_move is None
    with pytest.raises(rulestone.IllegalMove, match="the game is over"):
        match.play("show")


def test_rng_sets_the_generator_by_hand(whisper):
    match, twin = whisper.new(seed=1), whisper.new(seed=2)
    twin.state.deck = match.state.deck
    match.play("change", rng=123)
    twin.play("change", rng=123)
    assert match.state.rng == twin.state.rng == 123


def test_an_invalid_rng_changes_nothing(whisper):
    match = whisper.new(seed=1)
    before = match.raw
    for wrong in ("x", 1.5):
        with pytest.raises(TypeError):
            match.play("change", rng=wrong)
    assert match.moves == []
    assert match.raw == before


def test_the_dice_of_a_ply_do_not_depend_on_earlier_dice(whisper):
    """The generator of each ply is a hash of seed and ply: using more or fewer draws in one move changes nothing later."""
    match, twin = whisper.new(seed=1), whisper.new(seed=1)
    match.play("change", rng=99)
    twin.play("change")
    match.play("whisper 1 0")
    twin.play("whisper 1 0")
    assert match.state.rng == twin.state.rng


# ---- fields


def test_fields_are_read_and_written(whisper):
    match = whisper.new(seed=1)
    match.state.hand[0] = 5
    match.state.hand = [6, 7, 0]
    match.state.heard = 3
    assert match.state.hand.tolist() == [6, 7, 0]
    assert match.state["heard"] == 3
    assert type(match.state.heard) is int
    assert "hand" in dir(match.state)


@pytest.mark.parametrize(("field", "value"), [("hand", [1, 2]), ("heard", 300), ("heard", -1)])
def test_a_value_that_does_not_fit_its_field_is_refused(whisper, field, value):
    match = whisper.new(seed=1)
    with pytest.raises(ValueError, match=field):
        setattr(match.state, field, value)


def test_the_error_for_an_unknown_field_lists_the_known_ones(whisper):
    with pytest.raises(AttributeError, match="there is no field 'hands'; the fields are: rng, ply"):
        _ = whisper.new(seed=1).state.hands


def test_refresh_recomputes_derived_fields(connect_four):
    match = connect_four.new(seed=1)
    match.state.grid[0, 3] = 1
    match.refresh()
    assert match.state.height[3] == 1


def test_check_finds_a_broken_invariant(whisper):
    match = whisper.new(seed=1)
    match.check()
    match.state.hand[0] = match.state.hand[1]
    with pytest.raises(AssertionError, match="cards twice"):
        match.check()


# ---- undo, copy


def test_undo_goes_back_move_by_move(whisper):
    match = whisper.new(seed=3)
    positions = [match.raw]
    for move in ("change", "whisper 2 1", "change"):
        match.play(move)
        positions.append(match.raw)
    assert [str(match.undo()) for _ in range(3)] == ["change", "whisper 2 1", "change"]
    assert match.raw == positions[0]
    with pytest.raises(rulestone.IllegalMove, match="no move to undo"):
        match.undo()


def test_a_copy_is_independent(whisper):
    match = whisper.new(seed=3)
    match.play("change")
    twin = match.copy()
    twin.play("change")
    twin.state.heard = 9
    assert (match.ply, match.state.heard, len(match.moves)) == (1, 1, 1)
    match.play("change")
    assert match.state.hand.tolist() == twin.state.hand.tolist()


# ---- views


def test_a_view_hides_what_the_viewer_cannot_know(whisper):
    match = whisper.new(seed=3, players=3)
    view = match.view(1)
    assert view.state.hand.tolist() == [-1, match.state.hand[1], -1]
    assert set(view.state.deck.tolist()) == {-1}
    assert view.state.rng == 0
    assert match.view(None).state.hand.tolist() == [-1, -1, -1]


def test_a_view_has_only_the_events_its_viewer_can_know(whisper):
    match = whisper.new(seed=3)
    events = match.play("change")
    assert [event.name for event in events] == ["changes", "draws"]
    assert events[1].audience == 0
    assert [event.name for event in match.view(0).events] == ["changes", "draws"]
    assert [event.name for event in match.view(1).events] == ["changes"]
    assert [event.name for event in match.view(None).events] == ["changes"]


def test_a_view_hides_secret_arguments_of_others_moves(whisper):
    match = whisper.new(seed=3)
    match.play("whisper 2 1")
    assert [str(move) for move in match.view(0).moves] == ["whisper 2 1"]
    assert [str(move) for move in match.view(1).moves] == ["whisper ? 1"]
    assert [str(move) for move in match.view(None).moves] == ["whisper ? 1"]


def test_a_view_lists_legal_moves_for_its_own_turn_only(whisper):
    match = whisper.new(seed=3)
    assert match.view(0).legal() == match.legal()
    assert match.view(1).legal() == match.view(None).legal() == []


@pytest.mark.parametrize(
    ("value", "why"), [(2.5, "whole numbers"), ("2", "whole numbers"), (300, "-?\\d+"), (-200, "-?\\d+"), (2**70, "-?\\d+")]
)
def test_a_field_accepts_only_values_it_can_hold(whisper, value, why):
    match = whisper.new(seed=1)
    before = match.state.deck.tolist(), match.state.left
    for name, given in (("left", value), ("deck", [value] * len(before[0]))):
        with pytest.raises(ValueError, match=f"'{name}' holds {why}"):
            setattr(match.state, name, given)
    assert (match.state.deck.tolist(), match.state.left) == before


def test_a_view_is_read_only_and_has_no_seed(whisper):
    view = whisper.new(seed=3).view(0)
    for forbidden in (
        lambda: view.play("show"),
        view.undo,
        view.refresh,
        view.record,
        lambda: view.view(1),
        lambda: setattr(view.state, "heard", 1),
    ):
        with pytest.raises(TypeError, match="view"):
            forbidden()
    with pytest.raises(ValueError, match="read-only"):
        view.state.hand[0] = 1
    assert not hasattr(view, "seed")


def test_a_view_contains_nothing_hidden(whisper):
    """Two matches that differ only in hidden information have views that are equal in every attribute."""
    match = whisper.new(seed=3)
    match.play("whisper 1 0")
    twin = whisper.new(seed=3)
    twin.state.hand[0], twin.state.deck[0] = int(twin.state.deck[0]), int(twin.state.hand[0])
    twin.play("whisper 2 0")
    left, right = match.view(1), twin.view(1)
    assert left.raw == right.raw
    assert left.__dict__.keys() == right.__dict__.keys()
    for name, value in left.__dict__.items():
        if name not in ("_array", "_s", "state"):
            assert value == right.__dict__[name], name
    known = {"game", "players", "viewer", "commitment", "is_view", "_heard", "_array", "_bytes", "_s", "state"}
    assert set(left.__dict__) == known | {"ended", "_paid"}, "how a game ended other than by its rules is public"


def test_worlds_imagined_from_a_view_agree_with_it_and_can_be_played(whisper):
    match = whisper.new(seed=3, players=3)
    match.play("whisper 1 0")
    for viewer in (0, 1, None):
        view = match.view(viewer)
        worlds = [view.imagine(seed) for seed in range(20)]
        assert {world.view(viewer).raw for world in worlds} == {view.raw}
        assert len({world.raw for world in worlds}) > 1
        for world in worlds:
            world.check()
            while not world.over:
                world.play(world.legal()[0])
        assert view.imagine(5).raw == view.imagine(5).raw
    with pytest.raises(TypeError, match="only a view can imagine"):
        match.imagine()
    with pytest.raises(TypeError, match="can't be checked"):
        match.view(0).check()


def test_games_matches_and_views_can_be_pickled(whisper, connect_four):
    match = whisper.new(seed=3)
    match.play("whisper 1 0")
    for one in (match, match.view(1)):
        twin = pickle.loads(pickle.dumps(one))
        assert (twin.raw, twin.moves, twin.legal()) == (one.raw, one.moves, one.legal())
        assert twin.state.left == one.state.left
    pickle.loads(pickle.dumps(match)).play("show")
    assert pickle.loads(pickle.dumps(connect_four)) is connect_four
    changed = connect_four.changed({"COLUMNS": 8})
    assert pickle.loads(pickle.dumps(changed)) is changed
    assert copy.deepcopy(connect_four) is connect_four


def test_numpy_integers_are_accepted(whisper):
    assert whisper.new(np.int64(5), np.int64(3)).state.hand.tolist() == whisper.new(5, 3).state.hand.tolist()


def test_a_view_can_be_copied_but_viewed_only_by_its_own_viewer(whisper):
    view = whisper.new(seed=3).view(0)
    assert view.copy().state.hand.tolist() == view.state.hand.tolist()
    assert view.view(0) is view
    with pytest.raises(TypeError, match="another player's view"):
        view.view(1)


def test_there_is_no_view_for_a_player_who_does_not_exist(whisper):
    with pytest.raises(ValueError, match=r"there is no player 2; players are 0\.\.1"):
        whisper.new(seed=3, players=2).view(2)


# ---- records


def test_a_record_replays_to_the_same_match(whisper):
    match = random_match(whisper, 5, players=3)
    again = rulestone.replay(json.loads(json.dumps(match.record())), whisper)
    assert again.raw == match.raw
    assert again.moves == match.moves
    assert again.record() == match.record()


def test_a_record_keeps_dice_and_positions_set_by_hand(whisper):
    match = whisper.new(seed=5)
    match.play("change")
    match.state.heard = 7
    match.play("change", rng=4)
    again = rulestone.replay(json.loads(json.dumps(match.record())), whisper)
    assert again.raw == match.raw


def test_moves_made_before_fields_were_written_are_forgotten(whisper):
    match = whisper.new(seed=5)
    match.play("change")
    match.state.heard = 7
    match.play("whisper 1 1")
    assert [str(move) for move in match.moves] == ["whisper 1 1"]
    match.undo()
    assert match.state.heard == 7


def resealed(record, **changes):
    from rulestone.match import _checksum

    record = {**record, **changes}
    return {**record, "checksum": _checksum(record)}


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda r: {**r, "moves": r["moves"][:-1]}, "damaged: its checksum"),
        (lambda r: {**r, "format": "chess"}, "not a match record"),
        (lambda r: [], "not a match record"),
        (lambda r: resealed(r, version=9), "format version 9"),
        (lambda r: resealed(r, rules=99), "version 99 of the rules of whisper; version 1 is installed"),
        (lambda r: resealed(r, moves=["fly"]), "move 1 of the record can't be played: there is no move 'fly'"),
        (lambda r: resealed(r, moves=["change"]), "do not lead to the position it claims"),
        (lambda r: resealed(r, seed=6), "do not lead to the position|can't be played"),
        (lambda r: resealed(r, players=9), "2 to 3 players, not 9"),
        (lambda r: resealed(r, options={"x": 1}), "has no option 'x'"),
        (lambda r: resealed(r, commitment="0" * 64), "does not match its commitment"),
        (lambda r: resealed(r, laid="00"), "a position of the wrong size"),
        (lambda r: resealed({k: v for k, v in r.items() if k != "moves"}), "can't be read: 'moves'"),
        (lambda r: resealed(r, payoff=[1.0, 1.0]), "claims a result that its moves do not lead to"),
        (lambda r: resealed(r, over=False), "claims a result that its moves do not lead to"),
        (lambda r: resealed(r, dice=[]), "dice are not a mapping"),
        (lambda r: resealed(r, dice={"-1": "x"}), "can't be read"),
        (lambda r: resealed(r, dice={"-1": 5}), "do not lead to the position|can't be played"),
        (lambda r: {**r, "moves": {1, 2}}, "damaged: its checksum"),
    ],
)
def test_an_invalid_record_is_refused_with_the_reason(whisper, spoil, reason):
    record = random_match(whisper, 5).record()
    with pytest.raises(RecordError, match=reason):
        rulestone.replay(spoil(record), whisper)


def test_a_record_cannot_make_code_in_a_folder_run(whisper, tmp_path, monkeypatch):
    (tmp_path / "evil").mkdir()
    (tmp_path / "evil" / "rules.py").write_text("raise SystemExit('it ran')")
    monkeypatch.chdir(tmp_path)
    for name in ("evil", str(tmp_path / "evil"), "./evil@X=1"):
        with pytest.raises(RecordError, match="is not installed"):
            rulestone.replay(resealed(random_match(whisper, 5).record(), game=name))


def test_a_record_of_an_unknown_game_is_refused(whisper):
    record = resealed(random_match(whisper, 5).record(), game="no_such_game")
    with pytest.raises(RecordError, match="the game 'no_such_game' is not installed"):
        rulestone.replay(record)


def test_the_commitment_is_the_hash_of_the_seed(whisper):
    import hashlib

    match = whisper.new(seed="secret")
    assert match.commitment == hashlib.sha256(b"secret").hexdigest()
    assert whisper.new(seed="7").seed == 7  # otherwise two seeds would have the same commitment


# ---- modes


def test_a_warm_game_plays_the_same_match(whisper):
    cold = random_match(whisper, 11, players=3)
    warm_game = rulestone.load(whisper.folder)
    warm_game.warm_up()
    warm = random_match(warm_game, 11, players=3)
    assert warm.moves == cold.moves
    assert warm.raw == cold.raw
    assert [warm.view(p).raw for p in range(3)] == [cold.view(p).raw for p in range(3)]


def test_copies_of_any_kind_are_independent(whisper):
    import copy

    match = whisper.new(seed=np.int64(1))
    for twin in (match.copy(), copy.copy(match), copy.deepcopy(match)):
        twin.play("change")
        assert (match.ply, twin.ply) == (0, 1)
