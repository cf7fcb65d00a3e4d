"""Sarpedon, ruling Q36: when the game is lost because somebody can never reach the centre, clause by clause."""

import random

import pytest

from rulestone.games.sarpedon import rules
from tests.games.sarpedon.sarpedon_positions import PROTECT, SAVED, SHARD, SHRIEK, STONE, TRAP, at, game, moves, play, position_d

NO_MYSTERY = {q: [2, 3, 7] for q in range(4)}


def lost(match):
    return match.over and (match.state.result, match.state.reason) == (-1, 3)


def walled_in(**changes):
    """P0 on 13 behind stone on 9, the card 14 to come; nobody has Save Tile; the others are in the centre."""
    base = {
        "to_move": 3,
        "pos": (13, 4, 4, 4),
        "stone": {0: [9]},
        "next_cards": {0: [14]},
        "has": 5,
        "taken": NO_MYSTERY,
        "shards": (1, 0, 0, 0),
    }
    return at(**{**base, **changes})


# ---- The printed scenarios ------------------------------------------------------------------------------------------


def test_Q36_S55_a_save_tile_in_the_centre_keeps_the_game_alive():
    match = play(position_d(has=(5, 7, 5, 5)), "pass")
    assert match.to_move == 0
    play(match, "pass", "save_tile 0 4", "pass", "pass")
    assert match.to_move == 0
    assert match.state.last_draw.tolist() == [0, 1, 1]
    assert moves(match) == {4, 7, 12}


def test_Q36_Q42_S55_a_save_tile_does_not_help_if_its_owner_has_spent_their_centre_use():
    assert lost(play(position_d(has=(5, 7, 5, 5), cused=(0, 1, 0, 0)), "pass"))


def test_Q36_Q43_S55_nor_does_it_help_if_its_owner_is_barred():
    assert lost(play(position_d(has=(5, 7, 5, 5), barred=(0, 1, 0, 0), stone={1: [4]}), "pass"))


def test_Q36_S57_a_card_that_may_be_the_shriek_keeps_hope():
    match = play(position_d(shards=0, face_up={0: [2]}, taken={}), "pass")
    assert match.to_move == 0


def test_Q36_S57_if_only_a_trap_is_left_the_game_is_lost():
    changes = {"shards": 0, "mystery": {0: (SHRIEK, TRAP, SHARD)}, "face_up": {}, "taken": {0: [2]}}
    assert lost(play(position_d(**changes), "pass"))
    assert lost(play(position_d(**changes, pos=(8, 4, 4, 6)), "pass"))  # November 2026: nor does a partner help


# ---- The test itself ------------------------------------------------------------------------------------------------


def test_Q36_a_walled_in_player_without_help_is_doomed():
    assert lost(play(walled_in(), "pass"))


def test_Q36_S_counts_the_save_tiles_of_all_who_may_use_them():
    assert not play(walled_in(has=(7, 5, 5, 5)), "pass").over  # their own
    two_walls = {"stone": {0: [5, 9, 10, 15]}, "next_cards": {0: [14]}}
    assert not play(walled_in(**two_walls, has=(7, 7, 5, 5)), "pass").over
    assert lost(play(walled_in(**two_walls, has=(7, 5, 5, 5)), "pass"))


def test_Q36_tile_4_itself_may_be_the_stone_to_enter():
    assert lost(play(position_d(), "pass"))
    assert not play(position_d(has=(7, 5, 5, 5)), "pass").over


def test_Q36_the_tile_under_the_player_costs_nothing():
    match = walled_in(stone={0: [13, 9]}, next_cards={0: [12]}, pos=(13, 4, 4, 4))
    assert not play(match, "pass").over


def test_Q36_a_shriek_within_reach_opens_even_tiles():
    ring = {"pos": (7, 4, 4, 4), "stone": {0: [6, 8, 11]}, "next_cards": {0: [4]}, "taken": {0: [7]}, "face_up": {}}
    assert not play(walled_in(**ring), "pass").over
    ring["face_up"], ring["taken"] = {0: [2, 3]}, {0: [7]}
    assert lost(play(walled_in(**ring), "pass"))


def test_Q36_a_buried_or_protected_mystery_card_gives_no_hope():
    base = {"pos": (7, 4, 4, 4), "taken": {0: [7]}}
    assert lost(play(walled_in(**base, stone={0: [6, 8, 11, 3]}, next_cards={0: [4]}), "pass"))
    assert lost(play(walled_in(**base, stone={0: [6, 8, 11, 2]}, cover={0: {3: PROTECT}}, next_cards={0: [4]}), "pass"))


def test_Q36_a_trap_of_another_outside_player_gives_no_hope():
    hope = {"pos": (13, 13, 4, 4), "taken": {q: [2, 3, 7] for q in (0, 2, 3)}}
    assert lost(play(walled_in(**hope), "pass"))
    hope["taken"] = {q: [2, 3, 7] for q in range(4)}
    assert lost(play(walled_in(**hope), "pass"))


@pytest.mark.parametrize("swap_centre", [0, 1])
def test_Q36_a_swap_only_puts_another_player_into_the_closed_quadrant(swap_centre):
    """What would have come next: P1 finds the Trap and swaps places with P0, who was walled in. Now P1 is."""
    hope = {"pos": (13, 1, 4, 4), "taken": {q: [2, 3, 7] for q in (0, 2, 3)}, "options": {"loss": "cap", "swap_centre": swap_centre}}
    match = play(walled_in(**hope), "pass", "pass", "move 2")
    if swap_centre:
        play(match, "swap 0")
    assert (match.state.quad.tolist(), match.state.pos.tolist()) == ([1, 0, 2, 3], [2, 13, 4, 4])
    assert match.ask(rules.doomed_player, 0b0011) == 1


def test_Q36_types_seen_in_a_quadrant_are_excluded_there_only():
    """Only the shard is unseen in Q1, so no trap can come from there."""
    hope = {"pos": (13, 13, 4, 4), "taken": {q: [2, 3, 7] for q in (0, 2, 3)}, "face_up": {1: [2, 3]}}
    assert lost(play(walled_in(**hope), "pass"))


def test_Q36_the_test_is_made_at_the_end_of_a_turn_before_the_next_draw():
    match = play(walled_in(stone={0: [9, 14]}), "pass")
    assert lost(match)
    assert match.state.dptr[0] == 3


def test_Q36_a_player_in_the_centre_is_never_doomed():
    match = at(to_move=3, pos=(4, 4, 13, 13), stone={0: [3], 1: [3, 8]}, next_cards={0: [8]}, has=1, taken=NO_MYSTERY)
    assert not play(match, "pass").over


# ---- The options ----------------------------------------------------------------------------------------------------


def test_Q36_loss_cap_switches_the_test_off():
    match = play(walled_in(options={"loss": "cap"}), "pass")
    assert not match.over
    match = play(walled_in(options={"loss": "deck_out"}), "pass")
    assert lost(match)


def test_Q36_swap_centre_a_trap_is_no_hope_either():
    ring = {
        "pos": (7, 4, 4, 4),
        "stone": {0: [6, 8, 11]},
        "next_cards": {0: [4]},
        "mystery": {0: (SHRIEK, TRAP, SHARD)},
        "taken": {0: [2, 7]},
    }
    assert lost(play(walled_in(**ring), "pass"))
    assert lost(play(walled_in(**ring, options={"swap_centre": 1}), "pass"))


def test_Q36_swap_centre_counts_spent_save_tiles():
    spent = {"has": (5, 7, 5, 5), "cused": (0, 1, 0, 0)}
    assert lost(play(position_d(**spent), "pass"))
    assert not play(position_d(**spent, options={"swap_centre": 1}), "pass").over
    assert lost(play(position_d(**spent, barred=(0, 1, 0, 0), stone={1: [4]}, options={"swap_centre": 1}), "pass"))


def test_Q36_save_restores_mystery_counts_cards_under_saved_and_stone():
    base = {"pos": (7, 4, 4, 4), "taken": {0: [7]}, "face_up": {0: [2]}}
    saved = dict(**base, stone={0: [6, 8, 11]}, cover={0: {3: SAVED}}, next_cards={0: [4]})
    assert lost(play(walled_in(**saved), "pass"))
    assert not play(walled_in(**saved, options={"save_restores_mystery": 1}), "pass").over
    far = {"pos": (13, 4, 4, 4), "taken": {0: [7]}, "stone": {0: [3, 4, 5, 6, 7, 8, 9]}, "next_cards": {0: [14]}}
    assert lost(play(walled_in(**far, has=(7, 5, 5, 5), options={"save_restores_mystery": 1}), "pass"))


def test_Q36_save_restores_mystery_counts_a_card_under_stone_only_with_a_save_tile():
    """From 7 the stone on 3 hides the Shriek; with one Save Tile it could open 4 and 8."""
    base = {"pos": (6, 4, 4, 4), "taken": {0: [2, 7]}, "stone": {0: [3, 4, 5, 8, 10, 11]}, "next_cards": {0: [1]}}
    one = dict(**base, has=(7, 5, 5, 5))
    assert lost(play(walled_in(**one), "pass"))
    assert not play(walled_in(**one, options={"save_restores_mystery": 1}), "pass").over
    assert lost(play(walled_in(**base, options={"save_restores_mystery": 1}), "pass"))


def test_Q36_centre_permanent_off_counts_a_barred_save_tile_if_another_can_lift_the_bar():
    barred = {"barred": (0, 1, 0, 0), "stone": {1: [4]}}
    open_ = {"centre_permanent": 0}
    assert not play(position_d(**barred, has=(5, 7, 5, 5), options=open_), "pass").over
    assert lost(play(position_d(**barred, has=(5, 7, 5, 5)), "pass"))
    assert lost(play(position_d(**barred, has=(1, 7, 1, 1), options=open_), "pass"))  # nobody else has Save Player
    spent = dict(**barred, has=(5, 7, 5, 5), cused=(0, 1, 0, 0))
    assert lost(play(position_d(**spent, options=open_), "pass"))
    assert not play(position_d(**spent, options={"centre_permanent": 0, "swap_centre": 1}), "pass").over


def test_Q36_centre_permanent_off_a_helper_who_has_spent_their_centre_use_does_not_count():
    changes = {"barred": (0, 1, 0, 0), "stone": {1: [4]}, "has": (1, 3, 5, 1), "cused": (0, 0, 1, 0)}
    assert lost(play(position_d(**changes, options={"centre_permanent": 0}), "pass"))
    assert not play(position_d(**changes, options={"centre_permanent": 0, "swap_centre": 1}), "pass").over


def frozen_for_good(options=(), **changes):
    base = {"to_move": 3, "pos": (13, 9, 9, 9), "next_cards": {0: [13]}, "has": 3, "face_up": {q: [2] for q in range(4)}}
    return at(**{**base, **changes, "options": {"freeze": "until_saved", **dict(options)}})


def test_Q36_until_saved_a_frozen_player_nobody_can_save_is_doomed():
    match = play(frozen_for_good(), "pass")
    assert lost(match)
    assert match.state.frozen[0] == 2
    assert not play(frozen_for_good(has=(3, 3, 7, 3)), "pass").over
    assert lost(play(frozen_for_good(has=(7, 3, 3, 3)), "pass"))  # their own Save Player is no help
    assert not play(at(to_move=3, pos=(13, 9, 9, 9), next_cards={0: [13]}, has=3), "pass").over  # two_turns


def test_Q36_until_saved_with_save_tile_frees_a_save_tile_helps_on_stone():
    assert not play(frozen_for_good({"save_tile_frees": 1}), "pass").over
    assert lost(play(frozen_for_good({"save_tile_frees": 1}, has=1), "pass"))
    moved = frozen_for_good({"save_tile_frees": 1}, next_cards={0: [12]}, frozen=(1, 0, 0, 0))
    assert lost(play(moved, "pass"))  # their tile is not stone


@pytest.mark.parametrize("swap_freeze", ["tile", "none"])
def test_Q36_until_saved_a_trap_helps_unless_the_freeze_belongs_to_the_player(swap_freeze):
    traps = {"face_up": {}}
    assert lost(play(frozen_for_good(**traps), "pass"))
    assert not play(frozen_for_good({"swap_freeze": swap_freeze}, **traps), "pass").over
    assert lost(play(frozen_for_good({"swap_freeze": swap_freeze}), "pass"))


def test_Q36_until_saved_a_helper_in_the_centre_must_have_a_use_left():
    inside = {"pos": (13, 4, 9, 9), "has": (3, 7, 3, 3)}
    assert not play(frozen_for_good(**inside), "pass").over
    assert lost(play(frozen_for_good(**inside, cused=(0, 1, 0, 0)), "pass"))
    assert lost(play(frozen_for_good(**inside, barred=(0, 1, 0, 0)), "pass"))
    assert not play(frozen_for_good({"swap_centre": 1}, **inside, cused=(0, 1, 0, 0)), "pass").over


# ---- Against the sheet's own words, over many positions -------------------------------------------------------------


def doomed_by_the_sheet(s, o, traps_are_hope=False):
    """The sheet's pseudocode, with sets and lists: slow, and written without looking at the rules. `traps_are_hope`: as it was before
    November 2026."""
    inside = [p == 4 for p in s.pos.tolist()]
    spent = [inside[p] and s.cused[p] >= o["centre_specials"] and not o["swap_centre"] for p in range(4)]
    can_help = [bool(s.has[p] & 4) and not s.barred[p] and not spent[p] for p in range(4)]
    helped = [any(can_help[x] for x in range(4) if x != p) for p in range(4)]
    usable = [not s.barred[p] or (not o["centre_permanent"] and helped[p]) for p in range(4)]
    saves = sum(bool(s.has[p] & 2) and not spent[p] and usable[p] for p in range(4))

    def reach(p, shriek):
        stone = {t for t in range(1, 17) if s.cover[s.quad[p], t - 1] == STONE and not (shriek and t % 2 == 0)}
        cost, todo = {int(s.pos[p]): 0}, [int(s.pos[p])]
        while todo:
            t = todo.pop()
            for n in [t - 4, t + 4] + ([t - 1] if t % 4 != 1 else []) + ([t + 1] if t % 4 != 0 else []):
                price = cost[t] + (n in stone)
                if 1 <= n <= 16 and price <= saves and price < cost.get(n, 99):
                    cost[n] = price
                    todo.append(n)
        return set(cost)

    def finds(p, tiles, kind):
        q = s.quad[p]
        seen = {int(s.mtype[q, k]) for k in range(3) if s.mknown[q, k]}
        for k, t in enumerate((2, 3, 7)):
            top = s.cover[q, t - 1]
            live = top == 0 or (o["save_restores_mystery"] and (top == SAVED or (top == STONE and saves > 0)))
            if t in tiles and s.mstate[q, k] == 1 and live and kind not in seen:
                return True
        return False

    outside = [p for p in range(4) if not inside[p]]
    path, trap = {}, {}
    for p in outside:
        tiles = reach(p, False)
        if finds(p, tiles, SHRIEK):
            tiles = reach(p, True)
        path[p], trap[p] = 4 in tiles, finds(p, tiles, TRAP)
    for p in outside:
        others = any(trap[x] for x in outside if x != p)
        hope_of_old = traps_are_hope and (others or (trap[p] and (len(outside) > 1 or o["swap_centre"])))
        if not path[p] and not hope_of_old:
            return True
        if o["freeze"] == "until_saved" and s.frozen[p] and not helped[p]:
            broken_free = o["save_tile_frees"] and saves > 0 and s.cover[s.quad[p], s.pos[p] - 1] == STONE
            if not broken_free and (o["swap_freeze"] == "player" or not others):
                return True
    return False


def random_position(rng):
    """Any mess of stone, cards and players, with random options."""
    choice = {name: rng.choice(option.values()) for name, option in game().options.items() if name not in ("loss", "max_rounds")}
    match = at(options=choice)
    state = match.state
    state.quad = rng.sample(range(4), 4)
    weights = rng.choice([(3, 6, 0, 1, 0), (6, 3, 1, 1, 0), (1, 8, 1, 1, 0)])
    for q in range(4):
        state.cover[q] = rng.choices(range(5), weights, k=16)
        state.mtype[q] = rng.sample(range(3), 3)
        for k in range(3):
            state.mstate[q, k] = rng.choice((0, 1, 1, 2))
            state.mknown[q, k] = {0: rng.random() < 0.8, 1: 0, 2: 1}[int(state.mstate[q, k])]
        inside = rng.random() < 0.5
        state.pos[q] = 4 if inside else rng.choice([t for t in range(1, 17) if t != 4])
        state.barred[q] = inside and rng.random() < 0.4
        state.cused[q] = inside and rng.random() < 0.4
        state.frozen[q] = not inside and rng.random() < 0.4
        state.has[q] = rng.choice((0, 1, 2, 4, 4, 5, 7))
    return match


@pytest.mark.slow
def test_Q36_the_test_agrees_with_the_sheet_in_thousands_of_random_positions():
    lose_if_doomed = game().interpreted(rules.lose_if_doomed)
    rng = random.Random(36)
    answers = []
    for _ in range(2000):
        match = random_position(rng)
        expected = doomed_by_the_sheet(match.state, match.options)
        answers.append(expected)
        before = match.state.cover.copy()
        everybody = sum(1 << p for p in range(4) if match.state.pos[p] != 4)
        assert bool(lose_if_doomed(match._s, everybody)) == expected, match.state
        assert match.over == expected
        assert (match.state.cover == before).all()
    assert 400 < sum(answers) < 1800


@pytest.mark.slow
def test_Q36_the_game_ends_at_once_when_and_only_when_the_sheet_says_so():
    """Whole random games: never a decision in a lost position, and loss by reason 3 only in one."""
    rng = random.Random(3)
    for seed in range(40):
        match = game().new(seed=seed)
        while not match.over:
            assert match.state.phase == 1 or not doomed_by_the_sheet(match.state, match.options)  # no test before a swap
            match.play(rng.choice(match.legal()))
        assert match.state.reason == 3
        assert doomed_by_the_sheet(match.state, match.options)
