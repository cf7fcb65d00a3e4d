"""Playouts, search and environments play the same games without a story."""

import numpy as np
import pytest

import rulestone
from rulestone.engine.loops import policy_games, random_games
from rulestone.engine.playouts import playouts
from rulestone.kernel.record import SCRATCH, STORY_FIELDS


def aloud(game, games, bots, seed):
    """Return what `playouts` does, but with the story."""
    start, players = game.prepared(None, None)
    payoff, length = np.zeros((games, players), np.float32), np.zeros(games, np.int32)
    verbs = np.zeros((games, len(game.actions.verbs)), np.int32)
    verb_of = np.array([number for number, verb in enumerate(game.actions) for _ in range(verb.count)], np.int16)
    policy = np.full(players, bots == "greedy", np.int8)
    spare, moves = game.layout.array(SCRATCH), np.zeros(len(game.actions), np.int16)
    play = game.compiled(policy_games if bots == "greedy" else random_games)
    play(game.layout.array(1), start, 0, games, np.uint64(seed), policy, spare, moves, verb_of, (payoff, length, verbs))
    return payoff, length, verbs


@pytest.mark.slow
@pytest.mark.parametrize("name", rulestone.games())
def test_silent_games_are_the_same_games(name):
    game = rulestone.load(name)
    for bots in ("random", "greedy") if game.greedy else ("random",):
        silent = playouts(game, 40, bots=bots, seed=5)
        payoff, length, verbs = aloud(game, 40, bots, 5)
        assert (silent.payoffs == payoff).all()
        assert (silent.lengths == length).all()
        assert (silent.verbs == verbs).all()


@pytest.mark.parametrize("name", rulestone.games())
def test_our_games_can_be_played_without_a_story(name):
    game = rulestone.load(name)
    assert not set(STORY_FIELDS) & set(game.bare.fields)
    assert game.bare.dtype.itemsize < game.layout.dtype.itemsize


def test_a_game_that_reads_its_story_keeps_it(whisper, tmp_path):
    source = (whisper.folder / "rules.py").read_text()
    (tmp_path / "rules.py").write_text(source.replace("@rule\ndef setup(s):", "@rule\ndef setup(s):\n    s.told = 0", 1))
    game = rulestone.load(tmp_path)
    assert game.bare is game.layout
    assert playouts(game, 20, seed=1).lengths.tolist() == playouts(whisper, 20, seed=1).lengths.tolist()


def test_a_record_loses_its_story_and_nothing_else(whisper):
    match = whisper.new(seed=3)
    match.play(match.legal()[0])
    bare = whisper.bared(match.array)
    for name in whisper.bare.fields:
        assert (bare[name] == match.array[name]).all()
