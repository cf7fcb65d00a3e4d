"""Sarpedon, ruling Q36, proved: a game declared lost could not have been won, and no lost game continues because of a Magic Trap.

Forwards, small endgames are searched to the end, over all moves and all that chance can bring. Backwards, whole games are played on
after the loss (option `loss=cap`) and none of them gets all four players into the throne room.
"""

import random
from itertools import permutations, product

import numpy as np
import pytest

from rulestone.games.sarpedon import rules
from rulestone.games.sarpedon.rules import TURN, doomed_player, outside
from rulestone.kernel import NOBODY, rand, rule
from rulestone.kernel.chance import stream
from rulestone.kernel.rule import int64
from tests.games.sarpedon.sarpedon_positions import BARE, PROTECT, SAVED, STONE, at, game
from tests.games.sarpedon.test_sarpedon_doomed import doomed_by_the_sheet

PLAY_ON = {"loss": "cap"}
CUT_OFF, BATTLE = 3, (1, 2, 4, 5)  # reasons: somebody never gets there; all four got into the throne room
TILE = (2, 3, 7)


def doomed(match):
    """Is the game lost by the rules' own test?"""
    return match.ask(rules.doomed_player, match.ask(rules.outside)) != NOBODY


# ---- Forwards: to the end of small endgames -------------------------------------------------------------------------


def small_endgame(rng):
    """One to three players outside behind much stone, few cards, decks nearly empty; any options. The game continues after a loss."""
    names = [name for name in game().options if name not in ("loss", "max_rounds")]
    match = at(options={**PLAY_ON, **{name: rng.choice(game().options[name].values()) for name in names if rng.random() < 0.4}})
    state = match.state
    state.quad, state.has = rng.sample(range(4), 4), 0
    outside = rng.sample(range(4), rng.choice((1, 2, 2)))
    state.to_move = rng.choice(outside)
    for p in range(4):
        q, inside = state.quad[p], p not in outside
        state.pos[p] = 4 if inside else rng.choice([t for t in range(1, 17) if t != 4])
        state.frozen[p] = not inside and p != state.to_move and rng.random() < 0.2
        state.barred[p], state.cused[p] = inside and rng.random() < 0.2, inside and rng.random() < 0.3
        state.has[p] = rng.choices((0, 2, 4), (6, 1, 2))[0]
        state.deck[q], state.dptr[q] = rng.sample(range(1, 17), 16), 16 if inside else rng.choice((14, 15, 16, 16, 16))
        state.cover[q] = BARE if inside else rng.choices((STONE, BARE, PROTECT, SAVED), (rng.choice((4, 8)), 3, 1, 1), k=16)
        state.mtype[q] = rng.sample(range(3), 3)
        for k in range(3):
            state.mstate[q, k] = 0 if inside else rng.choice((1, 1, 0, 2))
            state.mknown[q, k] = state.mstate[q, k] != 1
    return match


def worlds(record, tile):
    """The records that nobody can tell apart: all deck orders and all kinds of a hidden card that a step onto this tile may turn over."""
    s = record[0]
    drawn, q = s["dptr"].tolist(), s["quad"][s["to_move"]]
    hidden = [k for k in range(3) if not s["mknown"][q, k]]
    turns = any(TILE[k] == tile for k in hidden)
    if min(drawn) == 16 and not turns:
        yield record.copy()
        return
    orders = product(*(permutations(s["deck"][quadrant, drawn[quadrant] :].tolist()) for quadrant in range(4)))
    kinds = permutations(s["mtype"][q, hidden].tolist()) if turns else [s["mtype"][q, hidden]]
    for order, kind in product(orders, list(kinds)):
        world = record.copy()
        world["mtype"][0, q, hidden] = kind
        for quadrant in range(4):
            world["deck"][0, quadrant, drawn[quadrant] :] = order[quadrant]
        yield world


def plain(record):
    """Blank what is hidden or irrelevant to who can get where, so that equal positions are equal bytes."""
    for name in ("story", "told", "rng", "ply", "shards", "last_draw", "open"):
        record[name] = 0
    record["round"] = 1  # the limit of rounds stops nobody here
    s = record[0]
    for q, drawn in enumerate(s["dptr"].tolist()):
        hidden = [k for k in range(3) if not s["mknown"][q, k]]
        s["mtype"][q, hidden] = sorted(s["mtype"][q, hidden])
        s["deck"][q] = sorted(s["deck"][q, :drawn]) + sorted(s["deck"][q, drawn:])
    return record.tobytes()


def can_be_won(match, most):
    """Can any moves and any luck bring all four into the throne room? None: that would take more positions than allowed."""
    played = match.game
    played.warm_up()
    found, todo, moves = set(), [match._array.copy()], np.zeros(len(played.actions), np.int16)
    while todo:
        record = todo.pop()
        for action in moves[: played.run("legal", record, None, moves)].tolist():
            for world in worlds(record, action if 1 <= action <= 16 else 0):
                played.run("step", world, None, action)
                if world["reason"][0] in BATTLE:
                    return True
                position = plain(world)
                if position not in found and world["reason"][0] == 0:
                    found.add(position)
                    todo.append(world)
        if len(found) > most:
            return None
    return False


def exhaust(seed, count, most):
    """How many of these small endgames are (lost, lost although a Trap used to count as hope, searched in vain, not lost and winnable)."""
    rng, tally = random.Random(seed), np.zeros(4, int)
    for _ in range(count):
        match = small_endgame(rng)
        lost, winnable = doomed(match), can_be_won(match, most)
        assert not (lost and winnable), match.state
        for_traps = lost and not doomed_by_the_sheet(match.state, match.options, traps_are_hope=True)
        tally += (lost, for_traps, lost and winnable is None, not lost and bool(winnable))
    return tally


def test_Q36_no_small_endgame_that_is_declared_lost_can_be_won():
    lost, for_traps, too_large, won = exhaust(36, 30, most=1_500)
    assert lost > 10
    assert for_traps > 1
    assert too_large < lost / 5
    assert won > 1


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_Q36_no_small_endgame_of_many_that_is_declared_lost_can_be_won(seed):
    lost, for_traps, too_large, won = exhaust(seed, 250, most=3_000)
    assert lost > 100
    assert for_traps > 20
    assert too_large < lost / 5
    assert won > 20


# ---- Backwards: whole games, played on after the loss ---------------------------------------------------------------


@rule
def noisy_games(states, start, seed, noise, scratch, moves, kept, since, length, reason):
    """Games of the greedy bot in which `noise` of 100 moves are random; when they were lost by the test Q36, and how they ended."""
    s = states[0]
    known = scratch[0]
    for number in range(since.shape[0]):
        states[0] = start[0]
        s.rng = stream(seed, number)
        begin(s)  # noqa: F821
        going = True
        while going:
            going = s.to_move >= 0
            if since[number] < 0 and (s.phase == TURN or not going) and doomed_player(s, outside(s)) != NOBODY:
                since[number] = s.ply
                kept[number] = s
            if going:
                n = legal(s, moves)  # noqa: F821
                action = int64(moves[rand(s, n)])
                if rand(s, 100) >= noise:
                    scratch[0] = s
                    conceal(known, s.to_move)  # noqa: F821
                    action = int64(greedy(known, moves, n, scratch[1:]))  # noqa: F821
                step(s, action)  # noqa: F821
        length[number] = s.ply
        reason[number] = s.reason


def play_noisily(count, noise, options, seed=1):
    """The position in which each game was lost, after how many moves (-1: never), how many moves there were in all, and why it ended."""
    start, _ = game().prepared(None, options)
    kept, since, length, reason = np.repeat(start, count), np.full(count, -1), np.zeros(count, int), np.zeros(count, int)
    moves = np.zeros(len(game().actions), np.int16)
    game().compiled(noisy_games)(start.copy(), start, seed, noise, np.repeat(start, 3), moves, kept, since, length, reason)
    return kept, since, length, reason


def lost_games(count, noise, options):
    """How many noisy games are lost before the end, and how many of them continued for a Magic Trap before November 2026."""
    kept, since, _, reason = play_noisily(count, noise, {**options, **PLAY_ON})
    _, _, length, ending = play_noisily(count, noise, options)
    lost = since >= 0
    assert not np.isin(reason[lost], BATTLE).any()
    assert (ending[lost] == CUT_OFF).all()
    assert (length[lost] == since[lost]).all()
    assert (ending[~lost] == reason[~lost]).all()
    for_traps, match = 0, game().new(options=options)
    for record in kept[lost]:
        match._array[0] = record
        for_traps += not doomed_by_the_sheet(match.state, match.options, traps_are_hope=True)
    return int(lost.sum()), for_traps


VARIANTS = (
    {},
    {"swap_centre": 1},
    {"freeze": "until_saved", "swap_freeze": "tile"},
    {"freeze": "until_saved", "swap_freeze": "none", "save_restores_mystery": 1, "centre_permanent": 0},
)


@pytest.mark.parametrize("options", VARIANTS)
def test_Q36_a_lost_game_ends_at_once_and_none_that_continues_is_won(options):
    lost, for_traps = lost_games(400, 30, options)
    assert lost > 100
    assert for_traps > 10


@pytest.mark.slow
@pytest.mark.parametrize("noise", [0, 15, 30, 100])
@pytest.mark.parametrize("options", VARIANTS)
def test_Q36_of_many_lost_games_none_that_continues_is_won(options, noise):
    lost, for_traps = lost_games(5_000, noise, options)
    assert lost > 200
    assert for_traps > 5
