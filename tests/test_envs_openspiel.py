"""OpenSpiel's own tests over our games, and its bots playing them."""

import pickle

import numpy as np
import pyspiel
import pytest
from open_spiel.integration_tests import api_test
from open_spiel.python.algorithms import generate_playthrough, ismcts, mcts

import rulestone
import rulestone.envs.openspiel as spiel
from tests.conftest import ROOT
from tests.tables import every_table

PLAYTHROUGHS = ROOT / "tests" / "playthroughs"


def spiel_game(name, players, **more):
    return pyspiel.load_game(f"rulestone_{name}", {"players": players, **more})


def state_after(game, seed, moves, chooser=None):
    """The state after some random moves in the game with a seed."""
    chooser = chooser or np.random.RandomState(1)
    state = game.new_initial_state()
    state.apply_action(seed)
    for _ in range(moves):
        if not state.is_terminal():
            state.apply_action(int(chooser.choice(state.legal_actions())))
    return state


@pytest.mark.slow
@every_table
def test_random_simulations_with_serialisation(name, players):
    pyspiel.random_sim_test(spiel_game(name, players, **shorter(name)), num_sims=1, serialize=True, verbose=False)


def shorter(name):
    """Options that make very long games short enough for a test."""
    return {"artifact": {"max_rounds": 3}, "misdirection": {"cap_turns": 20}, "hydra_regatta": {"laps": 1}}.get(name, {})


def states_on_a_walk(game, count=300):
    """The first states of a random game: with explicit chance a sample from the root would hardly get past the deal."""
    chooser = np.random.RandomState(4)
    states = [game.new_initial_state()]
    while not states[-1].is_terminal() and len(states) < count:
        states.append(states[-1].child(int(chooser.choice(states[-1].legal_actions()))))
    return states


@pytest.mark.slow
@pytest.mark.parametrize("chance", ["sampled", "explicit"])
@every_table
def test_partial_tree(name, players, chance):
    """The tests of `open_spiel.integration_tests.api_test`, on 100 or 300 states instead of 400."""

    class Partial(api_test.EnforceAPIOnPartialTreeBase):
        game_name, game = f"rulestone_{name}", spiel_game(name, players, chance=chance)

        @classmethod
        def setUpClass(cls):
            sample = api_test.sample_some_states.sample_some_states
            cls.some_states = states_on_a_walk(cls.game) if chance == "explicit" else sample(cls.game, max_states=100)
            assert any(not state.is_chance_node() for state in cls.some_states)
            cls.game_type = cls.game.get_type()

    Partial.setUpClass()
    tests = [test for test in dir(Partial) if test.startswith("test_")]
    assert len(tests) >= 5
    for test in tests:
        getattr(Partial(test), test)()


def test_every_game_has_a_golden_playthrough():
    assert sorted(file.stem for file in PLAYTHROUGHS.glob("*.txt")) == sorted(rulestone.games())


def playthrough(name, **chance):
    """OpenSpiel's record of a short game, without its long middle."""
    chosen = ",".join(f"{option}={value}" for option, value in {**(chance or {"seeds": 4}), **shorter(name)}.items())
    lines = generate_playthrough.playthrough_lines(f"rulestone_{name}({chosen})", seed=7)
    return "\n".join([*lines[:110], "…", *lines[-40:], ""])


@pytest.mark.slow
@pytest.mark.parametrize("name", rulestone.games())
def test_the_golden_playthrough(name):
    """Facts, strings, tensors and moves are unchanged. After a change of rules, `python -m tests.test_envs_openspiel` updates them."""
    assert playthrough(name) == (PLAYTHROUGHS / f"{name}.txt").read_text()


@every_table
def test_a_history_is_the_match_of_its_seed(name, players):
    state = state_after(spiel_game(name, players), 11, 6)
    match = rulestone.load(name).new(seed=11, players=players)
    for action in state.history()[1:]:
        match.play(action)
    assert state.position.array.tobytes() == match.raw


@every_table
def test_resampled_states_look_the_same_to_the_player(name, players):
    state = state_after(spiel_game(name, players), 5, 7)
    resample = spiel.resampler(seed=3)
    for player in range(players):
        twin = resample(state, player)
        assert twin.information_state_string(player) == state.information_state_string(player)
        assert twin.observation_string(player) == state.observation_string(player)
        assert twin.information_state_tensor(player) == state.information_state_tensor(player)
        assert twin.legal_actions() == state.legal_actions() or state.current_player() != player


def test_resampling_hides_secrets_and_future_dice():
    """What a player cannot know differs between samples, the state itself stays as it was."""
    state = state_after(spiel_game("micro_medusa", 2), 5, 9)
    before = state.position.array.tobytes()
    resample = spiel.resampler(seed=3)
    worlds = {resample(state, 1).position.array.tobytes() for _ in range(20)}
    assert len(worlds) > 1
    assert state.position.array.tobytes() == before
    ends = set()
    for _ in range(10):
        twin = resample(state, 0)
        while not twin.is_terminal():
            twin.apply_action(twin.legal_actions()[0])
        ends.add(twin.position.array.tobytes())
    assert len(ends) > 1


def test_information_states_recall_everything():
    """Two ways to the same view are two information states; another player's secrets make no difference."""
    game = spiel_game("connect_four", 2)
    one, other = (state_after(game, 0, 0) for _ in range(2))
    for actions, state in (((0, 1, 2, 3), one), ((2, 1, 0, 3), other)):
        for action in actions:
            state.apply_action(action)
    assert one.observation_string(0) == other.observation_string(0)
    assert one.observation_tensor(0) == other.observation_tensor(0)
    assert one.information_state_string(0) != other.information_state_string(0)
    assert one.information_state_tensor(0) != other.information_state_tensor(0)
    assert one.information_state_string(0) != one.information_state_string(1)


def test_the_tensor_loses_no_bit_of_a_wide_number():
    """float32 holds whole numbers up to 2^24 only; the discard pile of this game has a bit for each card."""
    state = state_after(spiel_game("hydra_regatta", 2, roll_mode="sequential"), 5, 3)
    seen = set()
    for bit in range(64):
        state.position.array["disc"] = np.uint64(0xFFFF_FFFF_FFFF_FFFF ^ (1 << bit))
        seen.add(tuple(state.observation_tensor(0)))
    assert len(seen) == 64


def test_the_facts_of_the_games():
    kind = pyspiel.GameType
    facts = {name: pyspiel.load_game(f"rulestone_{name}").get_type() for name in rulestone.games()}
    assert facts["sarpedon"].utility == kind.Utility.IDENTICAL
    assert facts["connect_four"].utility == kind.Utility.ZERO_SUM
    assert facts["connect_four"].information == kind.Information.PERFECT_INFORMATION
    assert facts["artifact"].utility == kind.Utility.GENERAL_SUM
    assert {fact.information for name, fact in facts.items() if name != "connect_four"} == {kind.Information.IMPERFECT_INFORMATION}


def test_options_are_parameters():
    assert str(pyspiel.load_game("rulestone_connect_four(line=3)")) == "rulestone_connect_four(line=3)"
    state = state_after(pyspiel.load_game("rulestone_connect_four(line=3)"), 0, 0)
    for action in (0, 1, 0, 1, 0):
        state.apply_action(action)
    assert state.is_terminal()
    assert pyspiel.load_game("rulestone_sarpedon(freeze=until_saved)").start.options == {"freeze": "until_saved"}
    with pytest.raises(ValueError, match="allowed: 4, 3, 5"):
        pyspiel.load_game("rulestone_connect_four(line=9)")


def test_an_illegal_action_is_refused_and_changes_nothing():
    game = pyspiel.load_game("rulestone_connect_four(seeds=4)")
    state = game.new_initial_state()
    for seed in (-2, 4):
        with pytest.raises(pyspiel.SpielError, match=rf"^there is no seed {seed}; seeds are 0\.\.3$"):
            state.apply_action(seed)
    assert state.is_chance_node()
    state.apply_action(2)
    for _ in range(6):
        state.apply_action(3)
    before = (state.history(), state.position.array.tobytes(), list(state.position.actions), list(state.position.past))
    for action in (3, 99, 7, -2):
        for one in (state, state.clone()):
            with pytest.raises(pyspiel.SpielError, match=rf"^action {action} is not possible; possible: \[0, 1, 2, 4, 5, 6\]$"):
                one.apply_action(action)
            assert (one.history(), one.position.array.tobytes(), one.position.actions, one.position.past) == before
    for action in (0, 1, 0, 1, 0, 1, 0):
        state.apply_action(action)
    assert state.is_terminal()
    with pytest.raises(pyspiel.SpielError, match=r"not possible; possible: \[\]"):
        state.apply_action(2)


def test_another_game_of_the_same_name_replaces_it(tmp_path):
    theirs = rulestone.load("connect_four")
    rules = (theirs.folder / "rules.py").read_text().replace("option(4, (4, 3, 5)", "option(3, (3, 2)")
    (tmp_path / "connect_four").mkdir()
    (tmp_path / "connect_four" / "rules.py").write_text(rules)
    former = pyspiel.load_game("rulestone_connect_four")
    try:
        own = rulestone.load(tmp_path / "connect_four")
        for _ in range(2):
            assert spiel.register(own) == "rulestone_connect_four"
            assert pyspiel.load_game("rulestone_connect_four").game is own
        assert pyspiel.load_game("rulestone_connect_four(line=2)").start.options == {"line": 2}
        assert former.new_initial_state().get_game().game is theirs
    finally:
        spiel.register(theirs)
    assert pyspiel.load_game("rulestone_connect_four(line=5)").game is theirs


def test_a_strangers_game_can_be_registered(whisper):
    name = spiel.register(whisper)
    assert spiel.register(whisper) == name
    state = state_after(pyspiel.load_game(name), 1, 1)
    assert pickle.loads(pickle.dumps(state.position)).array.tobytes() == state.position.array.tobytes()
    twin = state.get_game().deserialize_state(state.serialize())
    assert twin.information_state_string(0) == state.information_state_string(0)


def test_rules_that_use_chance_are_found(whisper):
    assert spiel.uses_chance(rulestone.load("misdirection").rules.apply)
    assert not spiel.uses_chance(rulestone.load("connect_four").rules.apply)


@pytest.mark.parametrize("name", ["connect_four", "micro_medusa"])
def test_their_mcts_plays_our_games(name):
    chooser = np.random.RandomState(1)
    game = pyspiel.load_game(f"rulestone_{name}")
    bot = mcts.MCTSBot(game, 2, 20, mcts.RandomRolloutEvaluator(1, chooser), random_state=chooser)
    state = state_after(game, 3, 0)
    for _ in range(4):
        state.apply_action(bot.step(state))
    assert state.move_number() == 5


def test_their_mcts_finds_the_winning_column():
    chooser = np.random.RandomState(1)
    game = pyspiel.load_game("rulestone_connect_four")
    state = state_after(game, 0, 0)
    for action in (0, 1, 0, 1, 0, 1):
        state.apply_action(action)
    bot = mcts.MCTSBot(game, 2, 100, mcts.RandomRolloutEvaluator(1, chooser), random_state=chooser)
    assert bot.step(state) == 0


@pytest.mark.parametrize("own", [True, False], ids=["set_resampler", "resample_from_infostate"])
@pytest.mark.parametrize("name", ["micro_medusa", "sarpedon"])
def test_their_ismcts_plays_our_games(name, own):
    chooser = np.random.RandomState(1)
    game = pyspiel.load_game(f"rulestone_{name}")
    bot = ismcts.ISMCTSBot(game, mcts.RandomRolloutEvaluator(1, chooser), 2, 6, random_state=chooser)
    if own:
        bot.set_resampler(spiel.resampler(seed=1))
    state = state_after(game, 3, 2)
    for _ in range(2):
        state.apply_action(int(bot.step(state)))
    assert state.move_number() == 5


if __name__ == "__main__":
    for game in rulestone.games():
        (PLAYTHROUGHS / f"{game}.txt").write_text(playthrough(game))
