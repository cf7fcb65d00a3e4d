"""What compiled code finds out about undo is what is found out step by step, in every game and for everybody."""

import random

import pytest

import rulestone
from rulestone import undo
from rulestone.engine.foreseen import FORESEEN, UNCERTAIN, foreseen
from rulestone.kernel.record import Scratch

TOYS = [f"tests/toys/{name}" for name in ("coin", "crown", "lots", "luck", "nim", "slips", "toss", "whisper")]
ALL = [*rulestone.games(), *TOYS]


def interpreted(game, found):
    """The template as plain Python, in place of the compiled one."""
    rule = game.interpreted(foreseen)

    def quick(records, *more):
        states = Scratch([game.layout.reader(records[place : place + 1]) for place in range(len(records))])
        found.append(rule(states, *more))
        return found[-1]

    return quick


def compiled(game, found):
    undo.warm_up(game)
    entry = game.memo[undo.QUICK]

    def quick(*given):
        found.append(entry(*given))
        return found[-1]

    return quick


def played(game, seed, most):
    """A random game, of a random number of players that it can be played by."""
    chance = random.Random(f"{game.name} {seed}")
    match = game.new(seed, chance.randint(game.min_players, game.max_players))
    while not match.over and match.length < most:
        match.play(chance.choice(match.legal_actions()))
    return match, chance


def questions(match, index, chance):
    """Tables at which an undo might be asked for: everybody, with spectators or without, the mover alone, or anybody."""
    everybody = list(range(match.players))
    yield [*everybody, None], None
    yield everybody, chance.choice(everybody)
    yield [match.mover(index)], None
    yield chance.sample([None, *everybody], chance.randint(1, match.players)), chance.choice(everybody)


def compare(game, quick, matches, most, every):
    """Ask the same questions of both, and return how many there were, how often nothing was revealed, and how often something was."""
    asked, free = 0, 0
    for seed in range(matches):
        match, chance = played(game, seed, most)
        for index in range(chance.randrange(min(every, match.length)), match.length, every):
            for viewers, asker in questions(match, index, chance):
                game.memo[undo.QUICK] = quick
                quickly = undo.revealed(match, index, viewers, asker)
                del game.memo[undo.QUICK]
                assert quickly == undo.revealed(match, index, viewers, asker), (seed, index, viewers, asker)
                asked += 1
                free += quickly is None
    return asked, free


@pytest.fixture
def own(monkeypatch):
    """A game whose memo is as before after the test."""

    def load(name):
        game = rulestone.load(name)
        monkeypatch.setattr(game, "memo", {})
        return game

    return load


@pytest.mark.parametrize("name", ALL)
def test_interpreted_it_finds_out_the_same_as_step_by_step(own, name, monkeypatch):
    monkeypatch.setattr(undo, "WORLDS", 5)
    game, found = own(name), []
    asked, free = compare(game, interpreted(game, found), 2, 40, 9)
    assert asked
    assert FORESEEN in found or not free


@pytest.mark.parametrize("words", [4, 5, 6])
def test_if_the_dice_run_out_it_is_found_out_step_by_step(own, words, monkeypatch):
    monkeypatch.setattr(undo, "WORLDS", 8)
    monkeypatch.setattr(undo, "WORDS", words)
    game, found = own("misdirection"), []
    assert compare(game, interpreted(game, found), 1, 40, 3)[1]
    assert UNCERTAIN in found


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_compiled_it_finds_out_the_same_as_step_by_step(own, name):
    game, found = own(name), []
    game.warm_up()
    asked, free = compare(game, compiled(game, found), 8, 120, 4)
    assert asked
    assert found.count(UNCERTAIN) <= len(found) / 10
    assert FORESEEN in found or not free
