"""Micro Medusa with other numbers of tiles, weapons and goals: the rules, the picture and the words follow."""

import random
import re
from itertools import pairwise

import pytest

import rulestone
from rulestone.games.micro_medusa.rules import CHAMPION_DRAFT, HEART, PLACE
from rulestone.table import Face
from rulestone.testing.contract import check_game


@pytest.fixture(autouse=True)
def _interpreted(monkeypatch):
    """Compile nothing for these few games."""
    monkeypatch.setenv("RULESTONE_JIT", "0")


def changed(**changes):
    return rulestone.load("micro_medusa", changes=changes)


def changed_at(target, value):
    return rulestone.load("micro_medusa", changes={target: value})


def until(game, phase, seed=1):
    """The first position of a random game in this phase."""
    match, chance = game.new(seed=seed), random.Random(seed)
    while match.state.phase != phase:
        match.play(chance.choice(match.legal()))
    return match


@pytest.mark.parametrize("dealt", [0, 2, 3])
def test_R8_medusa_is_dealt_another_number_of_tiles(dealt):
    game = changed(DEALT=dealt)
    match = game.new(seed=3)
    assert (match.state.hand.sum(), match.state.secret, match.state.stack_n) == (dealt, dealt, 18 - 4 - dealt)
    assert match.state.phase == (CHAMPION_DRAFT if dealt == 3 else 0)
    check_game(game, matches=3, games=10, positions=200, worlds=0)


def test_Q29_every_tile_that_was_dealt_is_a_secret_of_its_own():
    match = changed(DEALT=2).new(seed=3)
    match.play(match.legal()[0])
    match.play("equip Torch")
    held = [kind for kind in range(5) for _ in range(match.state.hand[kind] - match.state.known[kind])]
    assert match.view(1).state.secret == 2
    assert len(held) == 2
    drafted = match.state.known.tolist().index(1)
    other = next((kind for kind in held if kind != drafted), None)
    assert other is not None
    match.play(("place", other, 1))
    match.play(match.legal()[0])
    assert match.state.secret == 1


def test_R8_dealt_tiles_that_everybody_sees_are_known():
    match = changed(DEALT=2, SECRET=0).new(seed=3)
    assert match.state.secret == 0
    assert match.view(1).state.known.tolist() == match.state.hand.tolist()


@pytest.mark.parametrize(("weapon", "name"), [(0, "Blade"), (1, "Shield"), (2, "Torch")])
def test_R6_the_champion_has_more_weapons(weapon, name):
    game = changed_at(f"CHAMPION_TILES[{name},active]", 2)
    match = until(game, CHAMPION_DRAFT)
    match.play(f"equip {name}")
    assert match.state.equip.tolist() == [3 if gear == weapon else 1 for gear in range(3)]
    picture = Face.of(game).scene(match.view(1), 1).inline()
    assert len(re.findall(rf'id="weapon-{weapon}-\d"', picture)) == 3
    assert ">×3<" in picture
    check_game(game, matches=3, games=10, positions=200, worlds=0)


def test_R6_each_weapon_is_one_thing_wherever_it_lies():
    game = changed_at("CHAMPION_TILES[Blade,active]", 3)
    face = Face.of(game)
    match, chance = game.new(seed=5), random.Random(5)
    while not match.over:
        picture = face.scene(match.view(1), 1).inline()
        assert sorted(re.findall(r'id="(weapon-\d-\d)"', picture)) == [
            *(f"weapon-0-{copy}" for copy in range(4)),
            *(f"weapon-{gear}-{copy}" for gear in (1, 2) for copy in range(2)),
        ]
        match.play(chance.choice(match.legal()))


def test_R19_the_reserve_card_says_how_many_you_would_have():
    for active, says in ((1, "twice this round"), (2, "3 Blades this round")):
        game = changed_at("CHAMPION_TILES[Blade,active]", active)
        match = until(game, CHAMPION_DRAFT)
        assert says in Face.of(game).scene(match.view(1), 1).cards["spare-0"].text


def test_Q20_the_reserve_heart_is_the_one_after_the_standing_ones():
    game = changed_at("CHAMPION_TILES[Heart,active]", 3)
    match = until(game, CHAMPION_DRAFT)
    match.state.reserve = 0
    assert Face.of(game).why_not(match.view(1), "heart-3") == "You can't take this Heart: it has turned to stone. [Q20]"
    assert Face.of(game).why_not(match.view(1), "heart-2") == "Take one reserve tile for this round, Champion."


def words_of(game, seeds=4):
    """Everything said and drawn in some random games."""
    face, said = Face.of(game), set()
    for seed in range(seeds):
        match, chance = game.new(seed=seed), random.Random(seed)
        while True:
            for eyes in (0, 1, None):
                view = match.view(eyes)
                scene = face.scene(view, eyes)
                said |= {face.prompt(view, eyes), game.scene.text(view), *face.story(view), *re.findall(r">([^<>]+)<", scene.inline())}
                said |= {part for card in scene.cards.values() for part in (card.name, card.text)}
            if match.over:
                said |= set(face.ending(match.view(None)))
                break
            match.play(chance.choice(match.legal()))
    return "\n".join(said)


@pytest.mark.parametrize(
    ("constant", "gone", "told"),
    [
        (
            "SNAKEHEADS_TO_WIN",
            "[Tt]hree Snakeheads(?! are)|third one|Three of them|heads \\d/3",
            ["Two Snakeheads", "two of them", "heads 1/2"],
        ),
        ("CAPTURES_TO_WIN", "[Tt]hree captured|[Tt]hree Snakeheads are|captured \\d/3", ["Two captured", "captured 1/2"]),
        ("CHAIN_TO_WIN", "three in a row", ["two in a row"]),
    ],
)
def test_R10_R12_R13_the_words_name_the_changed_goals(constant, gone, told):
    said = words_of(changed(**{constant: 2}))
    assert not re.search(gone, said)
    for words in told:
        assert words in said


def test_Q18_petrified_by_another_number_of_stares():
    game = changed(EYEBALLS_TO_WIN=2)
    assert "2 unshielded Eyeballs" in game.options["petrify"].help
    assert "3 unshielded Eyeballs" in rulestone.load("micro_medusa").options["petrify"].help


@pytest.mark.parametrize(
    ("hand", "says"), [(2, "Draft one more tile"), (3, "Draft the first of two tiles"), (4, "Draft the first of three tiles")]
)
def test_R18_the_prompt_says_how_many_tiles_are_drafted(hand, says):
    game = changed(HAND=hand)
    assert Face.of(game).prompt(game.new(seed=1).view(0), 0).startswith(says)


@pytest.mark.parametrize("constant", ["HAND", "MARKET", "DEALT"])
def test_there_is_room_for_a_larger_hand_or_market(constant):
    """No tile of the row covers another: their middles are more than half a tile apart."""
    game = changed(**{constant: 5})
    for seat in (0, 1):
        match = until(game, PLACE)
        row = game.scene.rows_of(seat)[0]
        hand = [game.scene.hand_at(row, place)[0] for place in range(int(match.state.hand.sum()))]
        slots = [game.scene.slot_at(row, slot)[0] for slot in range(len(match.state.market))]
        line = [*hand, *slots, 682]
        assert line == sorted(line)
        assert all(right - left > 35 for left, right in pairwise(line))


def test_there_is_room_for_one_more_heart():
    game = changed_at("CHAMPION_TILES[Heart,active]", 4)
    match = until(game, CHAMPION_DRAFT)
    match.play("equip Heart")
    assert (match.state.drafted, match.state.phase) == (HEART, PLACE)
    line = [*(game.scene.heart_at(0, place)[0] for place in range(5)), game.scene.spare_at(0, 0)[0]]
    assert all(right - left > 20 for left, right in pairwise(line))
