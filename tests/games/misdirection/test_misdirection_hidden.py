"""What nobody knows: face-down tiles, dice to come, and with `covered_view=blank` the arrows under tokens (Q33-Q35)."""

from collections import Counter

import numpy as np
import pytest

from rulestone.engine.playouts import playouts

NOT_TILES = (0, 14, 112, 210, 224)
UP = {(4, 4): "A-E", (4, 6): "A-N"}
DOWN = {(4, 5): "A-N", (4, 7): "A-S"}


def redealt(game, hidden, seed):
    """A world drawn for a hidden record."""
    array = hidden._array.copy()
    array["rng"] = seed
    game.run("redeal", array, game.layout.reader(array), 0)
    return array


def test_Q34_all_players_and_spectators_see_the_same(misdirection):
    at = misdirection.at(up=UP, down=DOWN, tokens={0: (4, 4), 1: (4, 6)})
    views = [at.view(viewer)._array.tobytes() for viewer in (0, 1, 2, 3, None)]
    assert len(set(views)) == 1


def test_Q34_face_down_tiles_are_unknown_and_everything_else_is_seen(misdirection):
    at = misdirection.at(up=UP, down=DOWN, tokens={0: (4, 4)})
    seen = at.view(2).state
    for cell in range(225):
        if cell in NOT_TILES or at.state.face[cell]:
            assert seen.tile[cell] == at.state.tile[cell]
        else:
            assert seen.tile[cell] == 255
    assert seen.face.tolist() == at.state.face.tolist()
    assert seen.rng == 0


def test_Q35_S71_a_view_knows_the_covered_arrow_or_only_its_kind(misdirection):
    at = misdirection.at(up=UP, down=DOWN, tokens={0: (4, 4), 1: (4, 6)})
    seen = at.view(0).state
    assert (seen.tile[64], seen.face[64]) == (2, 1)
    assert (seen.tile[66], seen.face[66]) == (0, 1)
    at = misdirection.at(up=UP, down=DOWN, tokens={0: (4, 4), 1: (4, 6)}, covered_view="blank")
    seen = at.view(0).state
    assert (seen.tile[64], seen.face[64]) == (128, 5)
    assert (seen.tile[66], seen.face[66]) == (128, 5)
    assert seen.tile[65] == 255
    assert seen.tile[0] == 99


def test_Q35_a_blank_view_has_the_same_legal_moves(misdirection):
    at = misdirection.at(covered_view="blank", up={(3, 9): "T1-S", (7, 4): "T0-E", (1, 9): "A-N"}, tokens={0: (3, 9), 2: (7, 4)}, light=[0])
    assert at.view(0).legal() == at.legal()
    assert len(at.legal()) == 8


def test_R4_Q34_a_redealt_world_permutes_the_face_down_tiles(misdirection, game):
    new = misdirection.new(seed=6)
    for _ in range(30):
        if new.over:
            break
        new.play(new.legal()[-1])
    world = redealt(game, new.view(0), 3)
    up = new.state.face > 0
    assert world["tile"][0][up].tolist() == new.state.tile[up].tolist()
    assert sorted(world["tile"][0].tolist()) == sorted(new.state.tile.tolist())
    assert world["tile"][0].tolist() != new.state.tile.tolist()


def test_R4_every_face_down_tile_is_equally_likely_on_every_face_down_space(misdirection, game):
    """Only nine tiles are left face down: two Auto flip, three Roll Again and four Opposite; chi-square over their spaces."""
    new = misdirection.new(seed=8)
    s = new.state
    down = [
        cell
        for kind, number in ((1, 2), (3, 3), (2, 4))
        for cell in [c for c in range(225) if s.tile[c] // 8 == kind and s.tile[c] < 96][:number]
    ]
    s.face = [0 if cell in down or cell in NOT_TILES else 1 for cell in range(225)]
    hidden = new.view(0)
    game.warm_up()
    seen = Counter()
    trials = 6000
    for seed in range(trials):
        world = redealt(game, hidden, 1000 + seed)
        seen.update((cell, int(world["tile"][0][cell]) // 8) for cell in down)
    expected = {1: trials * 2 / 9, 3: trials * 3 / 9, 2: trials * 4 / 9}
    chi2 = sum((seen[cell, kind] - expected[kind]) ** 2 / expected[kind] for cell in down for kind in expected)
    assert chi2 < 39.3  # 99.9 % of chi-square with 8 * 2 = 16 degrees of freedom


def test_Q35_a_covered_tile_is_redealt_as_one_of_its_kind_turned_any_way(misdirection, game):
    """A token covers one of the two Auto flip tiles that are unseen; which one, and how it is rotated, is uniform: 8 cases."""
    new = misdirection.new(seed=8, covered_view="blank")
    s = new.state
    flips = [cell for cell in range(225) if s.tile[cell] // 8 == 1]
    s.pos[0] = flips[0]
    s.face = [1 if cell in flips[:-1] else 0 for cell in range(225)]
    hidden = new.view(0)
    assert hidden.state.tile[flips[0]] == 128 + 1
    game.warm_up()
    trials = 4000
    seen = Counter()
    for seed in range(trials):
        world = redealt(game, hidden, 1000 + seed)
        seen[int(world["tile"][0][flips[0]]), int(world["face"][0][flips[0]])] += 1
        if seed < 20:
            assert sorted(world["tile"][0].tolist()) == sorted(s.tile.tolist())
    assert set(seen) == {(int(s.tile[cell]), face) for cell in (flips[0], flips[-1]) for face in (1, 2, 3, 4)}
    assert sum((number - trials / 8) ** 2 / (trials / 8) for number in seen.values()) < 24.3  # 99.9 %, 7 degrees of freedom


def test_Q35_two_covered_tiles_of_a_kind_with_one_of_each_are_never_the_same(misdirection, game):
    new = misdirection.new(seed=8, covered_view="blank")
    s = new.state
    flips = [cell for cell in range(225) if s.tile[cell] // 8 == 1]
    s.pos[:2] = flips[:2]
    s.face = [1 if cell in flips else 0 for cell in range(225)]
    hidden = new.view(0)
    pairs = {tuple(redealt(game, hidden, seed)["tile"][0][flips[:2]].tolist()) for seed in range(60)}
    assert pairs == {(s.tile[flips[0]], s.tile[flips[1]]), (s.tile[flips[1]], s.tile[flips[0]])}


@pytest.mark.parametrize("covered_view", ["known", "blank"])
def test_R15_Q35_a_token_sent_home_uncovers_its_arrow_before_it_is_covered_again(misdirection, covered_view):
    at = misdirection.at(up={(4, 4): "A-E", (4, 6): "A-N"}, tokens={0: (4, 4), 1: (4, 6)}, covered_view=covered_view)
    assert at.roll(2) == ["rolls", "travels", "bumps", "will_head"]
    assert (at.view(3).state.face[64], at.view(3).events[-1].args) == (1, (0, 0))
    at = misdirection.at(up={(3, 9): "T1-S", (7, 4): "T0-E"}, tokens={0: (3, 9), 2: (7, 4)}, covered_view=covered_view)
    assert [event.name for event in at.teleport(7, 4)] == ["teleports", "bumps", "will_head"]
    assert at.view(3).state.face[54] == 1


@pytest.mark.parametrize("covered_view", ["known", "blank"])
def test_R19_Q35_a_token_that_runs_off_the_board_uncovers_its_tile(misdirection, covered_view):
    at = misdirection.at(up={(0, 4): "A-N"}, tokens={0: (0, 4)}, covered_view=covered_view)
    at.roll(2)
    assert (at.token(0), at.view(3).state.tile[4], at.view(3).state.face[4]) == ((0, 0), 0, 1)


def test_R13_the_story_does_not_reveal_the_arrow_of_a_tile_that_stays_covered(misdirection):
    under = misdirection.at(up={(4, 4): "A-E"}, tokens={1: (4, 4)}, light=[0])
    assert [under.say(event) for event in under.rot_cw(4, 4)] == [
        "Red rotates the tile at (4,4) under Blue clockwise. [R23]",
        "Red flips their disk to dark. [R24]",
    ]


def test_R10_R17_the_story_tells_the_whole_path(misdirection):
    at = misdirection.at(up={(2, 5): "A-N"}, tokens={0: (2, 5)}, down={(0, 5): "O-E", (0, 7): "L1-S"})
    at.roll(4)
    assert [at.say(event) for event in at.events] == [
        "Red rolls 4. [R21]",
        "Red moves 2 N to (0,5). [R10]",
        "At the edge (0,5) is turned over: Opposite, arrow E. Red just follows the arrow. [R17]",
        "Red moves 2 E to (0,7). [R10]",
        "(0,7) is turned over: Lose Turn Blue, arrow S. [R11]",
        "Lose Turn! Blue will miss a turn. [R28]",
        "Red will move S next turn. [R12]",
    ]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_R16_Q41_random_games_end_by_a_win_or_at_the_cap(game, players):
    results = playouts(game, 300, players=players, seed=4)
    assert results.lengths.max() <= 800
    sums = results.payoffs.sum(axis=1)
    assert set(np.unique(sums)) <= {0, 2 - players}
    assert (results.winners >= 0).mean() > 0.5
