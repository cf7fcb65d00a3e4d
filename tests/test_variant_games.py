"""What-if questions about the five games: the constants that answer them do what they say."""

import pytest

import rulestone
from rulestone.bots import choose, make

# All interpreted: nothing is compiled for these few moves.


def changed(name, **changes):
    return rulestone.load(name, changes=changes)


def changed_at(name, target, value):
    return rulestone.load(name, changes={target: value})


def told(events, name):
    return [event.args for event in events if event.name == name]


@pytest.mark.parametrize("size", [5, 7])
def test_artifact_hands_have_another_size(size):
    match = changed("artifact", HAND=size).new(seed=3, players=4)
    assert match.state.hand_n.tolist() == [size] * 4
    match.play("draw_deck")
    match.play("end_play")
    match.play("end_turn")
    assert match.state.hand_n[0] == size + 1  # Q39: nothing to refill
    assert match.game.options["hand_cap"].choices == (0, size)


def test_artifact_plays_and_bonus_have_other_sizes():
    match = changed("artifact", PLAYS=2, CHASE_PLAYS=5, BONUS=1).new(seed=3)
    assert match.state.limit == 2
    match.state.holder = 1
    match.state.pos[1] = match.state.art
    match.play("draw_deck")
    match.play("end_play")
    match.play("end_turn")
    match.play("draw_deck")
    assert match.state.limit == 2  # for the holder themselves
    match.play("end_play")
    match.play("end_turn")
    assert match.state.limit == 5
    match.state.pos[0] = match.state.art  # a player who starts their turn on the artifact takes it
    match.state.to_move = 1
    match.state.phase = 2
    match.play("end_turn")
    assert match.state.limit == 2 + 1


def test_artifact_has_one_more_copy_of_a_card():
    match = changed_at("artifact", "DECKS_TEXT[standard54,Swap]", 5).new(seed=3)
    assert match.state.cnt.tolist() == [10, 10, 7, 7, 5, 6, 6, 4]


def test_artifact_refuses_hands_that_the_deck_cannot_deal():
    game = changed("artifact", HAND=12)
    assert game.new(seed=1, players=2).state.hand_n[0] == 12
    with pytest.raises(ValueError, match="a game for 4 needs 56 to 64"):
        game.new(seed=1, players=4)


def test_micro_medusa_tiles_hearts_and_exits():
    assert changed_at("micro_medusa", "MEDUSA_TILES[Eyeball,copies]", 7).new(seed=3).state.stack_n == 14
    assert changed_at("micro_medusa", "MEDUSA_TILES[S,copies]", 5).new(seed=3).state.stack_n == 12
    assert changed_at("micro_medusa", "CHAMPION_TILES[Heart,active]", 3).new(seed=3).state.live == 3
    assert changed_at("micro_medusa", "MEDUSA_TILES[Medusa's head,hex sides]", "0 1 3 4").new(seed=3).state.t_mask[0] == 0b11011


def test_micro_medusa_with_the_secret_tile_open():
    match = changed("micro_medusa", SECRET=0).new(seed=3)
    assert match.state.secret == 0
    assert match.view(1).state.known.tolist() == match.state.hand.tolist()
    assert rulestone.load("micro_medusa").new(seed=3).view(1).state.known.tolist() == [0] * 5


@pytest.mark.parametrize("most", [2, 4])
def test_micro_medusa_needs_other_numbers_to_win(most):
    match = changed("micro_medusa", SNAKEHEADS_TO_WIN=most).new(seed=3)
    match.state.heads = most - 1
    while not match.over and match.state.heads < most:
        move = match.legal()[0]
        placed = [move for move in match.legal() if str(move).startswith("place H ")]
        missed = [move for move in match.legal() if str(move).startswith("respond Torch")]
        match.play((placed or missed or [move])[0])
    assert match.over == (match.state.heads == most)


def tiles_of(game, arrows="eight"):
    """Count the tiles of each kind on a board."""
    state = game.new(seed=3, options={"arrows": arrows}).state
    kinds = [int(tile) // 8 for tile in state.tile if tile < 96]
    return [kinds.count(kind) for kind in range(12)]


@pytest.mark.parametrize("arrows", ["eight", "orthogonal"])
def test_misdirection_has_other_numbers_of_special_tiles(arrows):
    assert tiles_of(rulestone.load("misdirection"), arrows) == [136, 8, 32, 8, 1, 1, 1, 1, 8, 8, 8, 8]
    assert tiles_of(changed("misdirection", TELEPORTS=16, ROLL_AGAINS=20, LOSE_TURNS=8), arrows) == [136, 8, 32, 20, *[2] * 4, *[4] * 4]
    with pytest.raises(ValueError, match="can't have 300 tiles of the kind 'Teleport Red'"):
        changed("misdirection", TELEPORTS=300)


def threatened(game):
    """Blue may rotate a tile, and Red points at the centre from three spaces above it."""
    match = game.new(seed=3, players=2)
    state = match.state
    state.tile[4 * 15 + 7], state.face[4 * 15 + 7], state.pos[0] = 4, 1, 4 * 15 + 7
    state.tile[2 * 15 + 2], state.face[2 * 15 + 2], state.pos[2] = 0, 1, 2 * 15 + 2
    state.to_move, state.phase, state.opening, state.turn = 1, 1, 0, 5
    match.refresh()
    return match.view(1)


def test_misdirection_blockers_racers_and_the_forgetful():
    under = {f"rot_cw {4 * 15 + 7}", f"rot_ccw {4 * 15 + 7}"}
    view = threatened(rulestone.load("misdirection"))
    blocks = []
    for name in ("greedy", "greedy@REMEMBER=50", "greedy@REMEMBER=0", "greedy@BLOCKING=0"):
        bot = make(name, view.game)
        blocks.append(sum(str(choose(view, bot, seed)) in under for seed in range(40)))
    assert (blocks[0], blocks[3]) == (40, 0)
    assert 40 > blocks[1] > blocks[2] > 0


def test_hydra_regatta_wedges_that_change_nothing():
    for cover in (1, 0):
        match = changed("hydra_regatta", WEDGES_COVER=cover).new(seed=3, players=2)
        while not any(str(move).startswith("wedge") for move in match.legal()):
            match.play(match.legal()[-1])
        move = next(move for move in match.legal() if move.verb == "wedge")
        before, heights = match.state.top.tolist(), match.state.height.tolist()
        slot = move.args[1]
        wedge = match.state.hand[match.to_move, 0]
        match.play(move)
        assert match.state.height[slot] == heights[slot] + 1
        assert match.state.top[slot] == (wedge if cover else before[slot])


def test_hydra_regatta_protection_fish_and_favors():
    for protection in (0, 2):
        match = changed("hydra_regatta", PROTECTION=protection).new(seed=3, players=2)
        voyages = []
        while not voyages:
            voyages = told(match.play(match.legal()[0]), "voyage")
            navigation = match.state.nav.tolist()
        who, _, protected = voyages[0]
        assert protected == protection * navigation[who] * (2 if who == match.state.fleece else 1)
    assert changed("hydra_regatta", MAX_FISH=1).new(seed=3, players=2).state.fish.tolist()[:2] == [1, 1]
    assert changed_at("hydra_regatta", "MORE_COPIES[trident]", -1).new(seed=3, players=4).state.deck_n == 32 - 4


def test_sarpedon_with_mystery_cards_elsewhere_and_more_cards_drawn():
    match = changed("sarpedon", MYSTERY_TILES=(6, 7, 11)).new(seed=3)
    assert match.game.rules.MYSTERY_TILE.tolist() == [6, 7, 11]
    assert changed("sarpedon", CARDS_A_TURN=2).new(seed=3).state.dptr.sum() == 2
    assert rulestone.load("sarpedon").new(seed=3).state.dptr.sum() == 1


def test_sarpedon_with_two_save_tiles_and_no_protect_tile():
    game = rulestone.load("sarpedon", changes={"SPECIAL_COPIES[Save Tile]": 2, "SPECIAL_COPIES[Protect Tile]": 0})
    match = game.new(seed=3)
    saved = 0
    while match.to_move is not None and saved < 2:
        mine = match.to_move == 0 and [move for move in match.legal() if move.verb == "save_tile"]
        saved += bool(mine)
        assert not any(move.verb == "protect" for move in match.legal())
        match.play(mine[0] if mine else "pass")
        match.check()
    assert saved == 2
    while match.to_move not in (0, None):
        match.play("pass")
    assert not any(move.verb == "save_tile" for move in match.legal())
