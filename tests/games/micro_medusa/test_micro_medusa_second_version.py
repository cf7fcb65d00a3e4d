"""Micro Medusa against a second reading of its sheet, and corners of the rules that no other test covers."""

import random

import pytest

from rulestone.games.micro_medusa import rules
from tests.games.micro_medusa.second_version import DRAFT, EQUIP, FIELDS, OPTIONS, OVER, PLACE, RESPOND, Oracle, fields


def play_both(game, match, oracle, chooser):
    """Play a match to its end at random; after every move both readings agree in every field."""
    while True:
        assert [game.actions.parse(move) for move in match.legal()] == oracle.legal()
        if match.over:
            assert oracle.phase == OVER
            assert match.payoff == {0: (1.0, -1.0), 1: (-1.0, 1.0), 2: (0.0, 0.0)}[oracle.winner]
            return
        action = chooser.choice(oracle.legal())
        match.play(action)
        oracle.play(action)
        found = fields(match)
        kept = [name for name in FIELDS if name != "turn" or oracle.phase != OVER]  # `turn` is meaningless when OVER
        assert {name: found[name] for name in kept} == {name: getattr(oracle, name) for name in kept}, match.moves
        assert match.to_move == (None if oracle.phase == OVER else int(oracle.phase in (EQUIP, RESPOND)))


@pytest.mark.parametrize("seed", range(30))
def test_every_field_of_random_games_under_random_options(game, seed):
    chooser = random.Random(seed)
    match = game.new(seed=seed, options={name: chooser.randrange(count) for name, count in OPTIONS.items()} if seed % 3 else None)
    play_both(game, match, Oracle(fields(match)), chooser)


def lay_anything(oracle, chooser):
    """A table with many Sections, few tiles left and any score, which random games rarely reach."""
    oracle.captured = chooser.randrange(3)
    bag = [0] * (6 - oracle.captured) + [1] * 6 + [2] * 6
    chooser.shuffle(bag)
    for kind in sorted(bag[: chooser.randrange(11)], reverse=chooser.random() < 0.6):
        spaces = oracle.open_cells(False)
        if len(spaces) < 2 or (kind == 0 and oracle.heads == 2):
            break
        bag.remove(kind)
        oracle.fd_kind, oracle.fd_cell = kind, chooser.choice(spaces[-4:])
        blocked = kind < 2 and chooser.random() < 0.5
        way = chooser.choice(oracle.rotations(oracle.fd_cell, kind))
        oracle.add(0 if blocked else oracle.rotated(kind, way), int(blocked))
        oracle.heads += kind == 0 and not blocked
        oracle.hits += kind == 1 and not blocked
    oracle.fd_kind, oracle.fd_cell = -1, 255
    oracle.live, oracle.reserve, oracle.round = chooser.choice([1, 2]), chooser.choice([0, 1]), chooser.randrange(2, 8)
    oracle.hand = [0] * 5
    for kind in [bag.pop() for _ in range(chooser.choice([1, 2]))]:
        oracle.hand[kind] += 1
    oracle.known, oracle.secret = list(oracle.hand), 0
    oracle.market = [bag.pop() if bag and chooser.random() < 0.9 else -1 for _ in range(4)]
    left = 0 if min(oracle.market) < 0 else chooser.randrange(min(len(bag), 13) + 1)
    oracle.stack_n, oracle.stack = left, bag[:left] + [-1] * (13 - left)
    oracle.phase = chooser.choice([DRAFT, EQUIP, PLACE]) if max(oracle.market) >= 0 else EQUIP
    if oracle.phase == PLACE:
        oracle.drafted, oracle.turn = chooser.randrange(4), chooser.randrange(2)
        oracle.equip = [1 + (weapon == oracle.drafted) for weapon in range(3)]
        if oracle.turn == 1 and len(oracle.open_cells(False)) > 1:
            oracle.champ_equip[0], oracle.champ_cell[0] = 2, 254 if oracle.champion_blocks else chooser.choice(oracle.open_cells(False))
            oracle.equip[2] -= 1


@pytest.mark.parametrize("seed", range(120))
def test_every_field_after_positions_set_up_by_hand(game, seed):
    chooser = random.Random(seed)
    match = game.new(seed=seed, options={name: chooser.randrange(count) for name, count in OPTIONS.items()} if seed % 2 else None)
    oracle = Oracle(fields(match))
    lay_anything(oracle, chooser)
    for name in FIELDS:
        setattr(match.state, name, getattr(oracle, name))
    if seed % 3:
        match.refresh()
        assert {name: fields(match)[name] for name in FIELDS} == {name: getattr(oracle, name) for name in FIELDS}
    play_both(game, match, oracle, chooser)


def test_Q16_a_chain_that_lies_there_is_seen_after_any_tile_that_stays(lay, play):
    match = lay("S1r1 S8r0 S9r1 H22r4", hand="SEE")
    play(match, "place S 4, respond Blade 3")
    assert (match.state.winner, match.state.reasons) == (rules.MEDUSA, rules.CHAIN)


def test_Q8_Q16_no_chain_runs_through_a_flipped_tile(lay, play):
    """Even if somebody writes it by hand with its tresses."""
    match = lay("S1r1 S8r0 S9r1 H22r4", hand="SEE")
    match.state.t_blocked[2] = 1
    play(match, "place S 4, respond Blade 3")
    assert match.state.reasons == 0


def test_Q25_with_round_end_capturing_and_closing_are_both_recorded(lay, play):
    match = lay("xS1 xE2 xS3 xE4 xE5", captured=2, hand="HES", options={"win_check": "round_end"})
    play(match, "place H 6, respond Blade 5, place E 6, respond Shield 0")
    assert (match.state.winner, match.state.reasons) == (rules.CHAMPION, rules.CAPTURE | rules.CLOSED)


def test_Q20_with_reset_the_stares_are_still_counted(lay, play):
    match = lay("E1r3", live=1, reserve=0, hand="HES", options={"hearts": "reset"}, equip="BSTT")
    play(match, "place S 2, respond Torch 1, place H 3, respond Torch 1")
    state = match.state
    assert (state.live, state.reserve, state.hits) == (2, 1, 1)


def test_Q21_with_heart_play_and_petrify_three_a_heart_may_still_be_played(lay, play, numbers):
    match = lay(equip="BST", reserve=0, drafted=0, options={"heart_play": "on", "petrify": "three"})
    match.play("place H 1")
    assert [number for number in numbers(match) if number >= 870] == [870, 871, 872, 874, 875]


def test_R18_the_player_to_move_follows_the_phase_without_a_refresh(lay):
    match = lay(phase=rules.CHAMPION_DRAFT)
    match.state.phase = rules.MEDUSA_DRAFT
    match.state.hand = match.state.known = [0, 1, 0, 0, 0]
    match.play("draft H")
    assert (match.to_move, match.state.phase) == (0, rules.MEDUSA_DRAFT)


def test_the_story_is_told_in_good_english(lay, play):
    match = lay(hand="EES", equip="BSTT")
    assert [match.say(event) for event in play(match, "place E 1")] == [
        "Medusa places a tile face down on space 1. [R21]",
        "It is an Eyeball, but only Medusa knows. [R20]",
    ]
    assert [match.say(event) for event in play(match, "respond Torch 0")] == [
        "The Champion answers with the Torch, on space 7. [R22]",
        "Medusa reveals the tile on space 1: an Eyeball! [R23]",
        "The Eyeball stays and joins Medusa's hair on space 1, rotated by 3 sides. [R24]",
        "The Eyeball meets no Shield: 1 stare so far. [R28]",
        "One of the Champion's Hearts turns to stone: 1 Heart left. [R28]",
    ]
