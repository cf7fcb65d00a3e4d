"""The greedy bot of Micro Medusa, and how games end in simulated play."""

from collections import Counter

import numpy as np
import pytest

from rulestone.engine.playouts import playouts
from rulestone.games.micro_medusa import rules
from rulestone.kernel import rand, rule
from rulestone.kernel.chance import stream
from rulestone.kernel.record import Scratch

REASONS = {"heads": 1, "stone": 2, "chain": 4, "capture": 8, "closed": 16, "tiles": 32}


@rule
def endings(states, start, count, seed, policy, scratch, moves, winner, reasons):
    """Play games with a policy for each seat (0 random, 1 greedy) and note how each ends."""
    s = states[0]
    known = scratch[0]
    for game in range(count):
        states[0] = start[0]
        s.rng = stream(seed, game)
        begin(s)  # noqa: F821
        while s.to_move >= 0:
            n = legal(s, moves)  # noqa: F821
            action = moves[rand(s, n)]
            if n > 1 and policy[s.to_move] == 1:
                scratch[0] = s
                conceal(known, s.to_move)  # noqa: F821
                known.rng = stream(s.rng, s.ply)
                action = greedy(known, moves, n, scratch[1:])  # noqa: F821
            step(s, action)  # noqa: F821
        winner[game] = s.winner
        reasons[game] = s.reasons


def played(game, count, policy, options=None):
    """Winners and reasons of many games."""
    start, _ = game.prepared(None, options)
    winner, reasons = np.zeros(count, np.int8), np.zeros(count, np.uint8)
    tables = np.array(policy, np.int8), game.layout.array(4), np.zeros(len(game.actions), np.int16)
    game.compiled(endings)(game.layout.array(1), start, count, np.uint64(1), *tables, winner, reasons)
    return winner, reasons


def chosen(game, match, count=200):
    """How often the bot makes each move in a position."""
    greedy = game.interpreted(game.greedy)
    legal = [game.actions.parse(move) for move in match.legal()]
    found = Counter()
    for number in range(count):
        s = game.layout.reader(match.view(match.to_move)._array.copy())
        s.rng = number * 0x9E3779B97F4A7C15 + 1 & 0xFFFF_FFFF_FFFF_FFFF
        action = greedy(s, legal, len(legal), Scratch.of(game.layout, 3))
        assert action in legal
        found[game.actions.decode(action)] += 1
    return found


@pytest.mark.parametrize("bots", ["random", "greedy"])
def test_R10_R11_R12_R13_R14_R15_every_way_to_win_occurs(game, bots):
    """Q26: also running out of tiles; in random play the shares are those of the sheet's own simulation."""
    count = 20_000 if bots == "random" else 2_000
    winner, reasons = played(game, count, [int(bots == "greedy")] * 2)
    shares = {name: float((reasons & bit > 0).mean()) for name, bit in REASONS.items()}
    assert min(shares.values()) > 0.002, shares
    assert ((reasons & 7 > 0) == (winner == 0)).all()
    assert ((reasons & 56 > 0) == (winner == 1)).all()
    if bots == "random":
        expected = {"heads": 0.281, "stone": 0.531, "chain": 0.033, "capture": 0.064, "closed": 0.107, "tiles": 0.005}
        assert shares == pytest.approx(expected, abs=0.012)
        assert (winner == 0).mean() == pytest.approx(0.825, abs=0.01)


@pytest.mark.parametrize(
    ("options", "medusa"),
    [
        ({"section": "bend"}, 0.686),
        ({"section": "straight"}, 0.694),
        ({"grid": "square"}, 0.555),
        ({"grid": "square", "section": "bend"}, 0.320),
        ({"petrify": "three"}, 0.735),
        ({"hearts": "reset"}, 0.571),
        ({"champion_blocks": "off"}, 0.831),
        ({"soft_block": "on"}, 0.810),
        ({"run_out": "draft"}, 0.832),
        ({"run_out": "all"}, 0.832),
        ({"chain": "bare"}, 0.837),
        ({"win_check": "round_end"}, 0.825),
        ({"heart_play": "on"}, 0.934),
    ],
)
def test_every_option_shifts_the_balance_as_in_the_sheet(game, options, medusa):
    """Q2, Q3, Q10, Q16, Q18, Q20, Q21, Q24, Q25, Q26: Medusa's share of random games with one option changed."""
    winners = playouts(game, 10_000, options=options, seed=1).winners
    assert (winners == 0).mean() == pytest.approx(medusa, abs=0.02)


def test_greedy_beats_random_in_both_roles(game):
    as_medusa = playouts(game, 2_000, bots=["greedy", "random"], seed=1).winners
    as_champion = playouts(game, 2_000, bots=["random", "greedy"], seed=1).winners
    assert (as_medusa == 0).mean() > 0.89
    assert (as_champion == 1).mean() > 0.69


def test_greedy_is_the_same_interpreted_and_compiled(game, monkeypatch):
    fast = playouts(game, 12, bots="greedy", seed=5, threads=1)
    monkeypatch.setenv("RULESTONE_JIT", "0")
    slow = playouts(game, 12, bots="greedy", seed=5, threads=1)
    assert fast.lengths.tolist() == slow.lengths.tolist()
    assert fast.verb_counts == slow.verb_counts
    assert (fast.payoffs == slow.payoffs).all()


@pytest.mark.parametrize(
    "options",
    [
        {"grid": "square"},
        {"section": "straight"},
        {"petrify": "three"},
        {"hearts": "reset"},
        {"champion_blocks": "off"},
        {"heart_play": "on"},
        {"chain": "bare"},
        {"win_check": "round_end"},
        {"run_out": "all"},
    ],
)
def test_greedy_plays_every_variant(game, options):
    assert (playouts(game, 50, options=options, bots="greedy", seed=1).lengths > 0).all()


def test_greedy_medusa_plays_the_kind_whose_weapon_is_gone(game, lay):
    """R31: with two Snakeheads in play and both Blades used, the third Snakehead cannot be stopped."""
    match = lay("H1r3 H3r5", hand="HE", equip="ST", drafted=1, turn=1, champ_equip=[0, -1], champ_cell=[7, 255])
    assert {move.args[0] for move in chosen(game, match, 30)} == {0}


def test_greedy_medusa_mixes_her_kinds(game, lay):
    """Section 10 of the sheet: the same position is not always played the same way."""
    kinds = Counter()
    for move, times in chosen(game, lay("S1r1 H3r5"), 150).items():
        kinds[move.args[0]] += times
    assert min(kinds[kind] for kind in (0, 1)) > 15
    assert len(chosen(game, lay(), 60)) > 6


def test_greedy_champion_mixes_the_answers(game, lay):
    match = lay("H1r3", hand="HES", equip="BST", live=2)
    match.play("place H 3")
    weapons = Counter()
    for move, times in chosen(game, match, 150).items():
        weapons[move.args[0]] += times
    assert len([times for times in weapons.values() if times > 10]) >= 2


def test_greedy_champion_answers_what_it_must_be(game, lay):
    """Q29: with only Snakeheads in a known hand the face-down tile is one."""
    match = lay("H1r3 H2r4", hand="HHH", equip="BST")
    match.play("place H 4")
    assert {move.args[0] for move in chosen(game, match, 30)} == {0}


def test_greedy_champion_does_not_see_the_face_down_tile(game, lay):
    """R20: equal views, equal seeds, equal answers."""
    answers = []
    for kind in "HES":
        match = lay(known="HE", secret=1)
        match.play(f"place {kind} 1")
        answers.append(chosen(game, match, 40))
    assert answers[0] == answers[1] == answers[2]


def test_greedy_medusa_rotates_to_keep_more_ends_open(game, lay, play):
    match = lay("S1r1 S2r0 xE7", market="HHES", hand="SHE")
    play(match, "place S 8, respond Blade 2")
    assert match.state.phase == rules.ROTATE
    assert {str(move) for move in chosen(game, match, 20)} == {"rotate 0"}
