"""Explicit chance in OpenSpiel: the tree of a game itself, proved on games whose values are known."""

import pickle
import random
import re
from collections import Counter
from itertools import pairwise

import numpy as np
import pyspiel
import pytest
from open_spiel.integration_tests import api_test
from open_spiel.python import policy
from open_spiel.python.algorithms import best_response, cfr, expected_game_score, exploitability, ismcts, mcts, minimax
from open_spiel.python.algorithms.gambit import export_gambit

import rulestone
import rulestone.envs.openspiel as spiel
from rulestone.testing import cases, check_game
from tests.conftest import ROOT
from tests.tables import every_table
from tests.test_docs import BLOCK, NUMBER, run_examples
from tests.test_envs_openspiel import PLAYTHROUGHS, playthrough, shorter

FOLDERS = {
    **{name: ROOT / "examples" / "games" / name for name in ("kuhn", "leduc", "liars_dice", "rps")},
    **{name: ROOT / "tests" / "toys" / name for name in ("toss", "luck", "whisper")},
}
GOLDEN = ("kuhn", "misdirection")
"""Games with explicit chance of which there is a golden playthrough."""


@pytest.fixture(scope="module", autouse=True)
def games():
    """The small games, registered with OpenSpiel and played interpreted: their trees are walked sooner than they are compiled."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RULESTONE_JIT", "0")
        register_small_games()
        yield


def register_small_games():
    for folder in FOLDERS.values():
        spiel.register(rulestone.load(folder))


def explicit(name, **more):
    return pyspiel.load_game(f"rulestone_{name}", {"chance": "explicit", **more})


def children(state):
    actions = [outcome for outcome, _ in state.chance_outcomes()] if state.is_chance_node() else state.legal_actions()
    return [state.child(action) for action in actions]


def every_state(state):
    yield state
    if not state.is_terminal():
        for child in children(state):
            yield from every_state(child)


def after(state, *actions):
    for action in actions:
        state.apply_action(action)
    return state


# ---- the same trees as OpenSpiel's own games -------------------------------------------------------------------------


def same_trees(ours, theirs, scale):
    """Walk two games side by side: players, chances, numbers of moves and payoffs agree; returns the pairs of information states."""
    pairs = set()
    waiting = [(ours.new_initial_state(), theirs.new_initial_state())]
    nodes = 0
    while waiting:
        one, other = waiting.pop()
        nodes += 1
        assert one.current_player() == other.current_player()
        if one.is_terminal():
            assert np.array(one.returns()) * scale == pytest.approx(other.returns(), abs=1e-5)
            continue
        if one.is_chance_node():
            assert [chance for _, chance in one.chance_outcomes()] == [chance for _, chance in other.chance_outcomes()]
        else:
            pairs.add((one.current_player(), one.information_state_string(), other.information_state_string()))
        waiting += zip(children(one), children(other), strict=True)
    return nodes, pairs


@pytest.mark.parametrize(
    ("name", "more", "theirs", "scale", "nodes", "infosets"),
    [
        ("kuhn", {}, "kuhn_poker", 2, 58, 12),
        ("liars_dice", {"sides": 3}, "liars_dice(dice_sides=3)", 1, 1147, 192),
        ("leduc", {}, "leduc_poker", 13, 9457, 936),
        pytest.param("liars_dice", {}, "liars_dice", 1, 294_883, 24_576, marks=pytest.mark.soak),
    ],
    ids=["kuhn", "liars_dice-3", "leduc", "liars_dice-6"],
)
def test_a_game_has_the_tree_and_the_information_sets_of_openspiels_own(name, more, theirs, scale, nodes, infosets):
    found, pairs = same_trees(explicit(name, **more), pyspiel.load_game(theirs), scale)
    assert found == nodes
    assert len(pairs) == infosets
    assert len({(player, ours) for player, ours, _ in pairs}) == infosets
    assert len({(player, other) for player, _, other in pairs}) == infosets


@pytest.mark.parametrize(("name", "theirs"), [("kuhn", "kuhn_poker"), pytest.param("leduc", "leduc_poker", marks=pytest.mark.slow)])
def test_openspiels_tests_of_the_whole_tree(name, theirs):
    """`open_spiel.integration_tests.api_test` with the numbers of OpenSpiel's own game: perfect recall, among others."""

    class Whole(api_test.EnforceAPIOnFullTreeBase):
        game_name, game = theirs, explicit(name)

        @classmethod
        def setUpClass(cls):
            cls.all_states = set(every_state(cls.game.new_initial_state()))

    Whole.setUpClass()
    tests = [test for test in dir(Whole) if test.startswith("test_")]
    assert "test_game_is_perfect_recall" in tests
    assert "test_number_of_nodes" in tests
    for test in tests:
        getattr(Whole(test), test)()


# ---- known values ----------------------------------------------------------------------------------------------------


def solved(game, solver, iterations):
    """The average policy after some iterations: Red's value, and its exploitability."""
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    average = solver.average_policy()
    value = expected_game_score.policy_value(game.new_initial_state(), [average] * 2)[0]
    return value, exploitability.exploitability(game, average)


def test_cfr_finds_the_value_of_kuhn_poker():
    """-1/18 of a chip for Red; a payoff of 1 is two chips. Exploitability falls as in OpenSpiel's own game."""
    game, theirs = explicit("kuhn"), pyspiel.load_game("kuhn_poker")
    value, exploitable = solved(game, cfr.CFRPlusSolver(game), 60)
    assert 2 * value == pytest.approx(-1 / 18, abs=1e-3)
    assert (2 * value, 2 * exploitable) == pytest.approx(solved(theirs, cfr.CFRPlusSolver(theirs), 60))
    assert 2 * exploitable < 0.005


def test_a_tree_that_was_written_down_is_solved_at_openspiels_own_speed():
    game = pyspiel.load_efg_game(export_gambit(explicit("kuhn")))
    solver = pyspiel.CFRSolver(game)
    for _ in range(5000):
        solver.evaluate_and_update_policy()
    average = solver.tabular_average_policy()
    assert len(average.policy_table()) == 12
    assert 2 * pyspiel.exploitability(game, average) < 0.001


@pytest.mark.soak
def test_cfr_of_leduc_poker_is_as_far_as_openspiels_own():
    game, theirs = explicit("leduc"), pyspiel.load_game("leduc_poker")
    value, exploitable = solved(game, cfr.CFRSolver(game), 3)
    assert (13 * value, 13 * exploitable) == pytest.approx(solved(theirs, cfr.CFRSolver(theirs), 3), rel=1e-5)


def test_sampled_chance_gives_away_the_coin_and_explicit_chance_does_not():
    """A fair bet: whoever knows the coin wins 1, everybody else 0. What is dealt identifies the seed, and with it the coin."""
    best = {}
    for chance in ("chance=sampled,seeds=4", "chance=explicit"):
        game = pyspiel.load_game(f"rulestone_toss({chance})")
        answer = best_response.BestResponsePolicy(game, 0, policy.UniformRandomPolicy(game))
        best[chance] = answer.value(game.new_initial_state())
    assert best == {"chance=sampled,seeds=4": 1.0, "chance=explicit": 0.0}


# ---- the example games -----------------------------------------------------------------------------------------------

KNOWN = ("kuhn", "leduc", "liars_dice")


@pytest.mark.parametrize("name", KNOWN)
def test_the_example_games_keep_the_contract(name):
    game = rulestone.load(FOLDERS[name])
    for case in cases(game):
        check_game(game, case.players, case.options, games=20)


@pytest.mark.slow
@pytest.mark.parametrize("name", KNOWN)
def test_the_example_games_keep_the_contract_compiled(name, monkeypatch):
    monkeypatch.delenv("RULESTONE_JIT")
    game = rulestone.load(FOLDERS[name])
    check_game(game, 2, {}, games=50)


@pytest.mark.parametrize("name", KNOWN)
def test_the_rules_and_the_code_of_an_example_game_have_the_same_numbers(name):
    told = set(re.findall(r"\*\*([RQ]\d+)\b", (FOLDERS[name] / "RULES.md").read_text()))
    assert told == set(NUMBER.findall((FOLDERS[name] / "rules.py").read_text()))


def played(name, seed, *moves):
    match = rulestone.load(FOLDERS[name]).new(seed=seed)
    for move in moves:
        match.play(move)
    return match


def test_R4_cards_are_shown_after_a_call_and_stay_hidden_after_a_fold():
    called, folded = played("kuhn", 4, "bet", "bet"), played("kuhn", 4, "bet", "pass")
    assert called.over
    assert folded.over
    assert called.view(1).state.hand.tolist() == [2, 0]
    assert folded.view(1).state.hand.tolist() == [-1, 0]
    assert [folded.say(event) for event in folded.events] == ["Blue folds. [R3]", "Red wins 1 from the other player. [R5]"]


def test_R3_R4_what_cannot_be_done_in_leduc_poker_has_a_reason():
    match = played("leduc", 1)
    assert match.why("fold") == "There is nothing to fold to: nobody has raised. [R3]"
    for _ in range(2):
        match.play("raise")
    assert match.why("raise") == "There have been two raises in this round already. [R4]"


def test_R2_R3_what_cannot_be_done_in_liars_dice_has_a_reason():
    match = played("liars_dice", 1)
    assert match.why("liar") == "There is no bid to doubt yet. [R3]"
    match.play("bid 1 4")
    assert match.why("bid 1 4") == "You must bid higher than the last bid. [R2]"
    assert [str(move) for move in match.legal()[:3]] == ["bid 1 5", "bid 1 6", "bid 2 1"]


def test_the_tutorial_builds_the_very_game():
    page = (ROOT / "docs" / "write-your-own-game" / "secrets-by-example.md").read_text()
    built = "".join(code for _, file, code in BLOCK.findall(page) if file == "rules.py")
    kept = (FOLDERS["kuhn"] / "rules.py").read_text()
    assert [line for line in built.splitlines() if line] == [line for line in kept.splitlines() if line]


@pytest.mark.parametrize("page", ["write-your-own-game/secrets-by-example.md", "researchers/chance.md"])
def test_the_pages_on_chance_and_secrets_are_true(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    names = {}
    for language, _, code in BLOCK.findall((ROOT / "docs" / page).read_text()):
        if language == "pycon":
            run_examples(code, names)


# ---- chance nodes ----------------------------------------------------------------------------------------------------


def test_every_draw_is_a_node_and_a_shuffle_is_one_after_the_other():
    state, counts = explicit("whisper", players=2).new_initial_state(), []
    while state.is_chance_node():
        counts.append(len(state.chance_outcomes()))
        assert state.action_to_string(1) == "draw 1"
        state.apply_action(1)
    assert counts == [8, 7, 6, 5, 4, 3, 2]
    assert state.current_player() == 0


def test_a_move_waits_for_its_draws_and_nobody_sees_them_before_it_is_made():
    """Two dice are rolled in one move: what the players see after the first is what they saw before."""
    state = after(explicit("toss").new_initial_state(), 7)
    texts = [state.information_state_string(player) for player in (0, 1)]
    numbers = [state.observation_tensor(player) for player in (0, 1)]
    state.apply_action(state.string_to_action("roll"))
    for _ in range(2):
        assert state.is_chance_node()
        assert len(state.chance_outcomes()) == 3
        assert [state.information_state_string(player) for player in (0, 1)] == texts
        assert [state.observation_tensor(player) for player in (0, 1)] == numbers
        assert len({child.information_state_string(1) for child in children(state) if child.is_chance_node()}) <= 1
        state.apply_action(1)
    assert state.position.array["high"][0] == 2
    assert state.information_state_string(0) != texts[0]
    assert state.full_history()[1].action == state.history()[1] == 0


def test_every_way_through_a_move_is_as_likely_as_the_outcomes_say():
    """The nodes of a move and `match.outcomes` are the same positions with the same probabilities."""
    found = Counter()

    def follow(state, share):
        if not state.is_chance_node():
            found[state.position.array["high"][0]] += share
            return
        for outcome, chance in state.chance_outcomes():
            follow(state.child(outcome), share * chance)

    follow(after(explicit("toss").new_initial_state(), 7, 0), 1)
    exact = rulestone.load(FOLDERS["toss"]).new(seed=1).outcomes("roll")
    assert found == pytest.approx({one.match.state.high: float(one.probability) for one in exact})


def test_what_is_drawn_in_secret_makes_no_difference_to_others():
    """Kuhn poker: Red cannot tell Blue's cards apart before they are shown, at any node."""
    for hands in ((0, 0), (0, 1)):
        state = after(explicit("kuhn").new_initial_state(), *hands)
        assert state.position.array["hand"][0].tolist() == [0, 1 + hands[1]]
    queen, king = (after(explicit("kuhn").new_initial_state(), 0, blue) for blue in (0, 1))
    for action in (0, 1):
        for ask in ("information_state_string", "information_state_tensor", "observation_string", "observation_tensor"):
            assert getattr(queen, ask)(0) == getattr(king, ask)(0)
            assert getattr(queen, ask)(1) != getattr(king, ask)(1)
        queen.apply_action(action)
        king.apply_action(action)


def test_players_who_decide_at_the_same_time_take_turns_with_chance_between():
    """A player's own dice, and what is drawn when all have decided."""
    state = explicit("luck", players=2).new_initial_state()
    assert state.current_player() == 0
    roll, stop = state.string_to_action("roll"), state.string_to_action("stop")
    state.apply_action(roll)
    assert len(state.chance_outcomes()) == 6
    hidden = {child.information_state_string(1) for child in children(state)}
    assert len(hidden) == 1
    after(state, 3, stop)
    assert state.current_player() == 1
    state.apply_action(stop)
    assert len(state.chance_outcomes()) == 9
    assert len({child.information_state_string(1) for child in children(state)}) == 9


def test_a_game_without_chance_has_no_chance_nodes():
    game = explicit("connect_four", line=3)
    assert game.get_type().chance_mode == pyspiel.GameType.ChanceMode.DETERMINISTIC
    assert (game.max_chance_outcomes(), game.max_chance_nodes_in_history()) == (0, 0)
    state = after(game.new_initial_state(), 0, 6, 1, 6)
    assert minimax.alpha_beta_search(game, state, maximum_depth=1, value_function=lambda _: 0)[0] == 1


def test_the_facts_with_explicit_chance():
    """Where nothing but chance is hidden, information is perfect once chance is explicit."""
    kind = pyspiel.GameType
    assert explicit("toss").get_type().information == kind.Information.PERFECT_INFORMATION
    assert pyspiel.load_game("rulestone_toss").get_type().information == kind.Information.IMPERFECT_INFORMATION
    assert explicit("kuhn").get_type().information == kind.Information.IMPERFECT_INFORMATION
    assert explicit("rps").get_type().chance_mode == kind.ChanceMode.DETERMINISTIC
    assert str(explicit("kuhn", most=3)) == "rulestone_kuhn(chance=explicit,most=3)"
    assert spiel.chance_in_moves(rulestone.load(FOLDERS["luck"]))
    assert not spiel.chance_in_moves(rulestone.load(FOLDERS["kuhn"]))


def test_the_bounds_hold_and_a_limit_that_is_too_low_is_named():
    game = explicit("kuhn", most=3)
    assert (game.max_chance_outcomes(), game.max_chance_nodes_in_history()) == (3, 3)
    for state in every_state(game.new_initial_state()):
        assert sum(item.player == pyspiel.PlayerId.CHANCE for item in state.full_history()) <= 3
    with pytest.raises(pyspiel.SpielError, match=r"^a draw has 3 outcomes; load the game with a larger limit, such as most=3$"):
        explicit("kuhn", most=2)
    state = explicit("liars_dice", sides=2, most=2).new_initial_state()
    assert len(state.chance_outcomes()) == 2
    with pytest.raises(pyspiel.SpielError, match=r"^a draw has 41 outcomes; .* most=41$"):
        explicit("toss", most=40)


def test_too_many_draws_are_refused_and_the_state_stays_as_it_was(tmp_path):
    text = (FOLDERS["toss"] / "rules.py").read_text().replace("s.mark = rand(s, MARKS)", "s.mark = rand(s, 2) + rand(s, 2) + rand(s, 2)")
    (tmp_path / "tosses").mkdir()
    (tmp_path / "tosses" / "rules.py").write_text(text)
    spiel.register(rulestone.load(tmp_path / "tosses"))
    state = after(explicit("tosses", most=2).new_initial_state(), 1)
    with pytest.raises(pyspiel.SpielError, match=r"^a move, or the deal, draws more than 2 numbers; .* most=4$"):
        state.apply_action(1)
    assert state.history() == [1]
    assert state.is_chance_node()


def test_what_cannot_be_drawn_is_refused_and_changes_nothing():
    state = explicit("kuhn").new_initial_state()
    for action in (-2, 3):
        with pytest.raises(pyspiel.SpielError, match=rf"^there is no draw {action}; draws are 0\.\.2$"):
            state.apply_action(action)
    assert state.history() == []
    with pytest.raises(ValueError, match="chance is sampled or explicit, not 'none'"):
        pyspiel.load_game("rulestone_kuhn(chance=none)")
    with pytest.raises(ValueError, match="most is at least 1, not 0"):
        explicit("kuhn", most=0)


def test_an_option_goes_before_a_setting_of_the_same_name(tmp_path):
    text = (FOLDERS["liars_dice"] / "rules.py").read_text().replace("sides: u8", "most: u8").replace("s.sides", "s.most")
    (tmp_path / "dice").mkdir()
    (tmp_path / "dice" / "rules.py").write_text(text)
    spiel.register(rulestone.load(tmp_path / "dice"))
    game = explicit("dice", most=3)
    assert game.start.options == {"most": 3}
    assert game.max_chance_outcomes() == spiel.MOST
    assert len(game.new_initial_state().chance_outcomes()) == 3


# ---- copies, samples, searches ---------------------------------------------------------------------------------------


def same(one, other):
    """Two states are the same: their history, what everybody knows, and what can come of them."""
    assert (one.history(), str(one), one.current_player()) == (other.history(), str(other), other.current_player())
    for player in range(one.num_players()):
        assert one.information_state_string(player) == other.information_state_string(player)
        assert one.observation_tensor(player) == other.observation_tensor(player)
    assert [str(child) for child in children(one)] == [str(child) for child in children(other)]


@pytest.mark.parametrize(
    ("name", "actions"), [("toss", ()), ("toss", (7, 0)), ("toss", (7, 0, 2)), ("toss", (7, 0, 2, 1)), ("leduc", (3, 1, 1, 2, 1))]
)
def test_copies_are_whole_at_every_kind_of_node(name, actions):
    state = after(explicit(name).new_initial_state(), *actions)
    game = state.get_game()
    copies = [state.clone(), game.deserialize_state(state.serialize()), pickle.loads(pickle.dumps(state))]
    copies.append(pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))[1])
    for twin in copies:
        same(twin, state)
    before = str(state)
    copies[0].apply_action(copies[0].legal_actions()[0])
    assert str(state) == before


def test_resampling_deals_anew_what_a_player_cannot_know_and_chance_stays_explicit():
    """Leduc poker, Red's first decision: Blue holds any of five cards; the open card is then drawn from the four that are left."""
    state = after(explicit("leduc").new_initial_state(), 3, 1)
    resample = spiel.resampler(seed=3)
    hands = Counter()
    for _ in range(200):
        twin = resample(state, 0)
        assert twin.information_state_string(0) == state.information_state_string(0)
        assert twin.information_state_tensor(0) == state.information_state_tensor(0)
        red, blue = twin.position.array["hand"][0].tolist()
        hands[blue] += 1
        same(twin, twin.get_game().deserialize_state(twin.serialize()))
        after(twin, 1, 1)
        tables = {int(child.position.array["table"][0]) for child in children(twin)}
        assert tables == set(range(6)) - {red, blue}
    assert set(hands) == set(range(6)) - {3}
    assert min(hands.values()) > 20


def test_a_chance_node_cannot_be_resampled():
    states = explicit("toss").new_initial_state(), after(explicit("toss").new_initial_state(), 7, 0)
    for state in (*states, pyspiel.load_game("rulestone_toss").new_initial_state()):
        with pytest.raises(pyspiel.SpielError, match="a chance node cannot be resampled"):
            state.resample_from_infostate(0, random.Random(1).random)


def test_searches_play_with_explicit_chance():
    chooser = np.random.RandomState(1)
    game = explicit("leduc")
    bots = [
        mcts.MCTSBot(game, 2, 20, mcts.RandomRolloutEvaluator(1, chooser), random_state=chooser),
        ismcts.ISMCTSBot(game, mcts.RandomRolloutEvaluator(1, chooser), 2, 20, random_state=chooser),
    ]
    state = game.new_initial_state()
    while not state.is_terminal():
        state.apply_action(0 if state.is_chance_node() else int(bots[state.current_player()].step(state)))
    assert sum(state.returns()) == 0


@pytest.mark.parametrize("name", sorted(FOLDERS))
def test_random_simulations_of_small_games(name):
    pyspiel.random_sim_test(explicit(name), num_sims=5, serialize=True, verbose=False)


@pytest.mark.slow
@every_table
def test_random_simulations_with_explicit_chance(name, players):
    pyspiel.random_sim_test(explicit(name, players=players, **shorter(name)), num_sims=1, serialize=True, verbose=False)


@every_table
def test_positions_with_explicit_chance_are_those_of_the_rules(name, players):
    """Whatever is drawn, the position is one that can arise, and every player's view grows out of the one before."""
    chooser = random.Random(6)
    game = rulestone.load(name)
    state = explicit(name, players=players, **shorter(name)).new_initial_state()
    seen = []
    while not state.is_terminal() and len(seen) < 40:
        if not state.is_chance_node():
            match = game.new(seed=1, players=players, options=shorter(name))
            match.lay(state.position.array.tobytes())
            match.check()
            assert match.legal_actions() == state.legal_actions()
            seen.append([state.information_state_string(player) for player in range(players)])
        state.apply_action(chooser.choice(state.legal_actions()))
    assert len(seen) > 5
    mover_learns = [any(a != b for a, b in zip(before, now, strict=True)) for before, now in pairwise(seen)]
    assert all(mover_learns)


@pytest.mark.slow
@pytest.mark.parametrize("name", GOLDEN)
def test_the_golden_playthrough_with_explicit_chance(name):
    """After a change of rules, `python -m tests.test_chance` renews them."""
    assert playthrough(name, chance="explicit") == (PLAYTHROUGHS / "explicit" / f"{name}.txt").read_text()


if __name__ == "__main__":
    register_small_games()
    for name in GOLDEN:
        (PLAYTHROUGHS / "explicit" / f"{name}.txt").write_text(playthrough(name, chance="explicit"))
