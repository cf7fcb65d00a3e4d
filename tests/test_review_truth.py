"""Reviews against the truth, where it is known: Connect Four solved, and Micro Medusa's last answer by exact expectation."""

import random
from fractions import Fraction

import pytest

import rulestone
from rulestone.bots import choose
from rulestone.bots.search import Settings
from rulestone.review import Judge
from tests.connect_four_solver import values

NEEDED = 0.95
CHAMPION, RESPOND = 1, 3


def wins_at_once(match, move):
    after = match.copy()
    after.play(move)
    return after.over


@pytest.fixture(scope="module")
def solved(connect_four):
    """Late positions in which some moves are better than others and none wins at once, with what each move is worth."""
    connect_four.warm_up()
    found, seed = [], 0
    while len(found) < 80:
        seed += 1
        match, chooser = connect_four.new(seed), random.Random(seed)
        length = chooser.randrange(24, 30)
        while not match.over and match.length < length:
            match.play(chooser.choice(match.legal()))
        if not match.over and not any(wins_at_once(match, move) for move in match.legal()):
            worth = values(match)
            if len(set(worth.values())) > 1:
                found.append((match, worth))
    return found


def by_brute_force(match, move):
    """What a move is worth to its player, by trying everything with the game's own rules."""
    after, player = match.copy(), match.to_move
    after.play(move)
    return int(after.payoff[player]) if after.over else -max(by_brute_force(after, reply) for reply in after.legal())


def test_the_solver_agrees_with_trying_everything(connect_four):
    compared = 0
    for seed in range(60):
        match, chooser = connect_four.new(seed), random.Random(seed)
        while not match.over and match.length < 34:
            match.play(chooser.choice([move for move in match.legal() if not wins_at_once(match, move)] or match.legal()))
        if not match.over:
            assert values(match) == {move[1]: by_brute_force(match, move) for move in match.legal()}
            compared += 1
    assert compared >= 10


def test_the_best_move_is_optimal_in_solved_positions_of_connect_four(connect_four, solved):
    judge, optimal = Judge(connect_four), 0
    for number, (match, worth) in enumerate(solved):
        best = judge.judge(match.view(match.to_move), simulations=20_000, seed=number)[0]
        optimal += worth[best.move[1]] == max(worth.values())
    assert optimal / len(solved) >= NEEDED


def test_verdicts_are_true_in_solved_positions_of_connect_four(connect_four, solved):
    """Moves that throw the result away are found, and optimal moves are left in peace."""
    judge, found, thrown, blamed, good = Judge(connect_four), 0, 0, 0, 0
    for number, (match, worth) in enumerate(solved):
        for move in match.legal():
            candidates = judge.judge(match.view(match.to_move), move, simulations=20_000, seed=number)
            made = next(one for one in candidates if one.move == move)
            called = candidates[0].beats(made)
            if worth[move[1]] == max(worth.values()):
                blamed, good = blamed + called, good + 1
            else:
                found, thrown = found + called, thrown + 1
    assert found / thrown >= NEEDED
    assert blamed / good <= 1 - NEEDED


# ---- Micro Medusa -------------------------------------------------------------------------------------------------------


def face_down(view):
    """How likely each kind is to lie face-down, for the Champion: any tile of Medusa's hand, of which all but the first dealt one is
    known, may be it."""
    rules, state = view.game.rules, view.state
    unseen = view.ask(rules.unseen_tiles, CHAMPION)
    unseen = [unseen >> 8 * kind & 255 for kind in range(rules.KINDS)]
    known = [int(count) for count in state.known]
    likely = [Fraction(0)] * rules.KINDS
    secrets = (
        [(kind, Fraction(count, sum(unseen))) for kind, count in enumerate(unseen) if count] if state.secret else [(None, Fraction(1))]
    )
    for secret, chance in secrets:
        hand = [count + (kind == secret) for kind, count in enumerate(known)]
        for kind, count in enumerate(hand):
            likely[kind] += chance * Fraction(count, sum(hand))
    return {kind: chance for kind, chance in enumerate(likely) if chance}


def survives(match, kind, move):
    """Does the Champion win with this last answer if that kind lies face-down? Medusa turns the tile as she likes."""
    world = match.copy()
    world.state.hand[int(world.state.fd_kind)] += 1
    world.state.hand[kind] = max(0, int(world.state.hand[kind]) - 1)
    world.state.fd_kind = kind
    world.refresh()
    world.play(move)
    ends = [world]
    if not world.over:
        ends = [world.copy() for _ in world.legal()]
        for end, rotation in zip(ends, world.legal(), strict=True):
            end.play(rotation)
    assert all(end.over for end in ends)
    return all(end.payoff[CHAMPION] > 0 for end in ends)


@pytest.fixture(scope="module")
def last_answers():
    """Positions before the last answer of a game: the stack is empty, so the Champion has won if he survives this turn."""
    game = rulestone.load("micro_medusa")
    game.warm_up()
    found, seed = [], 0
    while len(found) < 25 and seed < 4000:
        seed += 1
        match, chooser = game.new(seed), random.Random(seed)
        while match.to_move is not None:
            if match.state.phase == RESPOND and match.state.stack_n == 0 and match.state.turn == 1:
                view = match.view(CHAMPION)
                likely = face_down(view)
                worth = {move: sum(chance for kind, chance in likely.items() if survives(match, kind, move)) for move in view.legal()}
                if len(set(worth.values())) > 1:
                    found.append((match, worth))
                break
            bot = "random" if chooser.random() < 0.5 else "greedy"
            match.play(choose(match.view(match.to_move), bot, chooser.getrandbits(60)))
    assert len(found) == 25
    return found


def test_the_last_answer_of_micro_medusa_is_judged_by_exact_expectation(last_answers):
    """Chances agree with the enumeration of all worlds, and the best answer is among the optimal ones."""
    game = rulestone.load("micro_medusa")
    judge, optimal, apart = Judge(game, Settings(trust=0.0)), 0, []
    for number, (match, worth) in enumerate(last_answers):
        found = judge.judge(match.view(CHAMPION), simulations=6000, seed=number)
        optimal += worth[found[0].move] == max(worth.values())
        apart += [abs(one.chance - float(worth[one.move])) for one in found]
    assert optimal / len(last_answers) >= NEEDED
    assert max(apart) < 0.06
    assert sum(apart) / len(apart) < 0.015


def test_answers_that_are_equally_good_are_never_called_worse(last_answers):
    """The same piece of equipment on another space changes nothing any more: a fair test of what is noise."""
    judge, blamed, good, found, bad = Judge(rulestone.load("micro_medusa"), Settings(trust=0.0)), 0, 0, 0, 0
    for number, (match, worth) in enumerate(last_answers):
        for place, move in enumerate(match.legal()):
            candidates = judge.judge(match.view(CHAMPION), move, simulations=1500, seed=100 * number + place)
            called = candidates[0].beats(next(one for one in candidates if one.move == move))
            if worth[move] == max(worth.values()):
                blamed, good = blamed + called, good + 1
            else:
                found, bad = found + called, bad + 1
    assert good >= 50
    assert blamed / good <= 0.02
    assert found / bad >= NEEDED
