"""How Sarpedon looks and speaks: everything clickable is there, nothing hidden shows, every sentence is a sentence."""

import random
import re
from functools import cache

import pytest

import rulestone
from rulestone.games.sarpedon import art as drawings
from rulestone.games.sarpedon import scene as face
from rulestone.games.sarpedon import words
from rulestone.kernel.story import Event
from rulestone.table import Face
from tests.games.sarpedon.sarpedon_positions import PROTECT, SHARD, SHRIEK, STONE, TRAP, at, game, play

SEATS = (0, 1, 2, 3, None)
OPTIONS = (
    {},
    {"trap_optional": 1, "swap_centre": 1, "centre_specials": 3, "centre_permanent": 0},
    {"freeze": "until_saved", "save_restores_mystery": 1, "shriek_reveals": 0},
)


@cache
def positions():
    """Matches at every third ply of a few games, with moves weighted so that some reach the throne room, and their endings."""
    found = []
    for seed, options in enumerate((*OPTIONS, {})):
        rng, match = random.Random(seed), game().new(seed=seed + 1, options=options)
        while not match.over:
            if match.ply % 3 == 0:
                found.append(match.copy())
            moves = match.legal()
            steps = [move for move in moves if move.verb in ("move", "swap")]
            match.play(rng.choice(steps if steps and rng.random() < 0.8 else moves))
        found.append(match)
    won = at(pos=(8, 4, 4, 4), shards=(1, 1, 1, 1))
    found += [at(), won.copy(), play(won, "move 4"), at(to_move=1, frozen=(1, 0, 0, 0), stone={0: [13]})]
    found += [at(pos=(6, 13, 13, 13), phase=1, face_up={0: [2]}), play(at(pos=(8, 4, 4, 4), shards=(1, 1, 0, 0)), "move 4")]
    return found


WIDE = [face.SIGHTS[seat, False] for seat in range(4)]


def test_the_prompt_says_what_was_drawn():
    look = Face.of(game())
    for match in positions():
        for seat in SEATS:
            said = look.prompt(match.view(seat), seat)
            assert said[0].isupper()
            assert said[-1] in ".…!"
        if match.to_move is not None and match.state.phase == 0 and match.state.last_draw[1]:
            assert "you drew" in look.prompt(match.view(match.to_move), match.to_move)


def test_every_event_can_be_said_and_shown():
    look, view = Face.of(game()), at().view(0)
    for name, arguments in game().events.arguments.items():
        event = Event(name, tuple({"tile": 7, "quadrant": 1, "friend": 1, "card": 1}.get(word, 2) for word in arguments))
        assert re.search(r"\[[RQ]\d+\]$", look.say(view, event))
        assert [step.data() for step in face.steps(view, view, [event])]


def test_a_mystery_card_is_turned_over_before_it_works():
    for kind, name in ((TRAP, "springs_trap"), (SHRIEK, "shriek"), (SHARD, "shard")):
        before = at(pos=(6, 13, 13, 13), mystery={0: (kind, (kind + 1) % 3, (kind + 2) % 3)})
        after = play(before.copy(), "move 2").view(0)
        x, y = face.place(WIDE[0], 0, 2)
        shown = face.steps(before.view(0), after, after.events)
        turned = next(k for k, step in enumerate(shown) if step.go.get(f"found-{kind}") == (x + 6, y + 6))
        assert after.events[shown[turned].event].name == name
        assert any(step.go.get("found-2") == WIDE[0].mirror for step in shown[turned:]) == (kind == SHARD)


def test_the_board_is_turned_to_the_viewer():
    for seat in range(4):
        x, y = face.place(WIDE[seat], seat, 13)
        assert (x, y) == (
            min(face.place(WIDE[0], q, t)[0] for q in range(4) for t in range(1, 17)),
            max(face.place(WIDE[0], q, 13)[1] for q in range(4)),
        )
        assert {face.place(WIDE[seat], q, t) for q in range(4) for t in range(1, 17)} == {
            face.place(WIDE[0], q, t) for q in range(4) for t in range(1, 17)
        }


def test_R27_asks_before_a_shield_goes_on_a_hidden_card_and_before_the_last_save_tile():
    asked = {move["move"]: move["sure"] for move in Face.of(game()).moves(at(stone={0: [6, 9]}).view(0))}
    assert "Mystery Card" in asked["protect 1 7"]
    assert not asked["protect 1 8"]
    assert not asked["save_tile 0 6"]
    assert not asked["move 14"]
    last = Face.of(game()).moves(at(stone={0: [6, 9]}, has=(2, 1, 1, 1)).view(0))
    assert "last Save Tile" in {move["move"]: move["sure"] for move in last}["save_tile 0 6"]


def sure(match, move):
    return {offer["move"]: offer["sure"] for offer in Face.of(match.game).moves(match.view(match.to_move))}[move]


def test_no_save_tile_is_called_the_last_while_a_second_copy_is_held():
    two = rulestone.load("sarpedon@SPECIAL_COPIES['Save Tile']=2")
    match = two.new(seed=1)
    match.state.cover[0, 5] = STONE
    match.state.has = (2 | 16, 1, 1, 1)
    assert not sure(match, "save_tile 0 6")
    match.state.has = (2, 1, 1, 1)
    assert "last Save Tile" in sure(match, "save_tile 0 6")
    match.state.has, match.state.pos[0] = (2 | 16, 1, 1, 1), 4  # R43: the second one could not be used any more
    assert "last Save Tile" in sure(match, "save_tile 0 6")


def test_Q26_no_save_tile_is_called_the_last_while_a_trap_may_bring_another_one_out():
    laid = {"stone": {0: [6, 9]}, "has": (2, 2, 1, 1), "pos": (13, 4, 13, 13), "cused": (0, 1, 0, 0)}
    assert "last Save Tile" in sure(at(**laid), "save_tile 0 6")
    assert not sure(at(**laid, options={"swap_centre": 1}), "save_tile 0 6")


def test_the_prompt_offers_special_cards_only_where_one_can_be_used():
    look = Face.of(game())
    assert "Special Card" in look.prompt(at(to_move=1, has=4, frozen=(1, 0, 0, 0)).view(1), 1)
    assert "Special Card" not in look.prompt(at(to_move=1, has=4).view(1), 1)  # Save Player, and nobody is frozen
    bare = at(has=2)
    bare.state.cover = 0
    assert "Special Card" not in look.prompt(bare.view(0), 0)  # Save Tile, and no stone
    for match in positions():
        if match.to_move is not None and match.state.phase == 0:
            usable = any(move.verb in ("protect", "save_tile", "save_player") for move in match.legal())
            assert ("Special Card" in look.prompt(match.view(match.to_move), match.to_move)) == usable


def test_Q26_if_a_trap_can_bring_players_out_nobody_is_said_to_stay_in_the_throne_room():
    look = Face.of(game())
    for swap_centre in (0, 1):
        match = at(pos=(8, 4, 13, 13), options={"swap_centre": swap_centre})
        view = match.view(0)
        shown = look.scene(view, 0)
        said = [look.prompt(view, 0), look.say(view, Event("arrives", (1,))), shown.cards["tile-0-4"].text, shown.cards["place-1"].text]
        said += [move["label"] for move in look.moves(view) if move["move"] == "move 4"]
        assert len(said) == 5
        for sentence in said:
            assert bool(re.search(r"for good|stay", sentence)) == (swap_centre == 0), sentence
    three = at(options={"centre_specials": 3, "swap_centre": 1}).view(0)
    assert "stay" not in look.say(three, Event("arrives", (1,)))


def test_Q22_a_shriek_that_spares_shields_says_so():
    look, event = Face.of(game()), Event("shriek", (0, 1, 7, 3))
    assert "but the shields" not in look.say(at().view(0), event)
    said = look.say(at(options={"shriek_spares_protect": "yes"}).view(0), event)
    assert said == "Red turns over Medusa's Shriek on Yellow 7: all cards on even tiles but the shields are swept away, 3 in all. [Q22]"


def test_the_prompt_warns_before_the_throne_room_while_a_shard_may_still_lie_outside():
    assert "for good" in Face.of(game()).prompt(at(pos=(8, 13, 13, 13)).view(0), 0)
    taken = at(pos=(8, 13, 13, 13), taken={0: [7]}, face_up={0: [2, 3]}).view(0)
    assert "for good" not in Face.of(game()).prompt(taken, 0)


def test_after_a_swap_the_prompt_and_the_place_say_where_the_player_is():
    view = at(quad=(1, 0, 2, 3), pos=(8, 9, 13, 13)).view(0)
    assert "in the Yellow quadrant" in Face.of(game()).prompt(view, 0)
    assert "in Yellow" in Face.of(game()).scene(view, 0).parts["place-0"]


def test_a_wrong_click_says_why():
    look, view = Face.of(game()), at(pos=(12, 13, 13, 13), has=(6, 7, 7, 7)).view(0)
    assert "stone" in look.why_not(view, "tile-0-16")
    assert "edge" in look.why_not(view, "tile-0-1")
    assert "Red quadrant" in look.why_not(view, "tile-2-5")
    assert "already" in look.why_not(view, "tile-0-12")
    assert "used" in look.why_not(view, "special-0-0")
    assert "Blue" in look.why_not(view, "special-3-0")
    assert "frozen" in look.why_not(view, "special-0-2")
    assert "already drawn" in look.why_not(view, "deck-2")
    trapped = at(pos=(2, 4, 13, 13), phase=1).view(0)
    assert "throne room" in look.why_not(trapped, "tile-1-4")
    assert "Magic Trap" in look.why_not(trapped, "tile-0-9")
    for match in positions()[::9]:
        view = match.view(0)
        for id in look.scene(view, 0).parts:
            assert look.why_not(view, id)


def test_Q36_the_end_names_the_player_and_shows_the_wall():
    match = at(to_move=3, pos=(8, 4, 4, 4), has=5, face_up={0: [2, 3]}, taken={0: [7]}, shards=(1, 0, 0, 0), next_cards={0: [4]})
    match.play("pass")
    assert match.over
    who, why = Face.of(game()).ending(match.view(0))
    assert who == "Medusa wins."
    assert why.startswith("Red is walled in on Red 8")
    assert "wall-0-4" in Face.of(game()).scene(match.view(0), 0).parts


def test_what_lies_below_is_marked():
    view = at(stone={0: [7]}, cover={1: {3: PROTECT}}, mystery={2: (SHRIEK, SHARD, TRAP)}).view(None)
    made = Face.of(game()).scene(view, None)
    assert int(view.state.cover[0, 6]) == STONE
    assert made.cards["tile-0-7"].text.endswith("is lost.")
    assert made.cards["tile-1-3"].text.endswith("is lost.")
    assert "Magic Trap or Medusa's Shriek or Mirror Shard" in made.cards["tile-2-2"].text


def test_a_replay_with_everything_open_shows_what_is_face_down():
    """In the terracotta of a face-down card, so that it differs from one that was turned over; during the game it stays a question mark."""
    match = at(mystery={2: (SHRIEK, SHARD, TRAP)}, stone={2: [7]}, face_up={0: [2]})
    seen, opened = (Face.of(game()).scene(view, None) for view in (match.view(None), match))
    for slot, kind in enumerate((SHRIEK, SHARD, TRAP)):
        id, tile = f"mystery-2-{slot}", (2, 3, 7)[slot]
        assert ">?</text>" in seen.parts[id]
        assert words.MYSTERY[kind] in opened.cards[f"tile-2-{tile}"].text
        art = drawings.TINY_ART[kind] if tile == 7 else drawings.MYSTERY_ART[kind]
        assert art in opened.parts[id]
        assert not any(art in seen.parts[id] for art in (*drawings.TINY_ART, *drawings.MYSTERY_ART))
    assert "f-clay" in opened.parts["mystery-2-0"].partition("/>")[0]
    assert "f-board" in opened.parts["mystery-0-0"].partition("/>")[0]
    assert opened.parts["mystery-0-0"] == seen.parts["mystery-0-0"]
    order = ", ".join(str(number) for number in match.state.deck[2][match.state.dptr[2] :])
    assert f"From the top: {order}." in opened.cards["deck-2"].text
    assert "From the top" not in seen.cards["deck-2"].text


def test_plates_list_the_special_cards_that_can_still_be_used():
    listed_, struck = 0, 0
    for match in (*positions(), at(to_move=1, pos=(4, 13, 4, 13), barred=(1, 0, 0, 0), cused=(0, 0, 1, 0))):
        made = Face.of(game()).scene(match.view(0), 0)
        for player, plate in enumerate(made.plates):
            for kind, name in enumerate(words.SPECIAL):
                card = made.parts[f"special-{player}-{kind}"]
                usable = 'data-face="used"' not in card and "faint" not in card
                assert (name in plate.lines[1]) == usable
                listed_ += usable
                struck += "faint" in card and 'data-face="used"' not in card
            assert plate.badge != "safe"
    assert listed_
    assert struck


def test_the_terminal_drawing_has_every_tile():
    drawn = rulestone.load("sarpedon").scene.text(at().view(0))
    assert drawn.count("16") == 4
    assert "Round 1" in drawn
    assert "R" in drawn


# ---- what the scene predicts is what the rules then do ---------------------------------------------------------------


FORECASTS = (
    *(("sarpedon", options) for options in (*OPTIONS, {"save_restores_mystery": 1, "save_tile_frees": 1})),
    *((f"sarpedon@{change}", {}) for change in ("SPECIAL_COPIES['Save Tile']=2", "MYSTERY_TILES=(6,7,11)", "CARDS_A_TURN=2")),
)


def random_positions(name, options):
    """Positions of a few games, each with the move that is played next."""
    played = rulestone.load(name)
    for seed in range(3):
        rng, match = random.Random(seed), played.new(seed=seed + 1, options=options)
        while not match.over:
            moves = match.legal()
            steps = [move for move in moves if move.verb in ("move", "swap")]
            move = rng.choice(steps if steps and rng.random() < 0.7 else moves)
            yield match, move
            match.play(move)


@pytest.mark.parametrize(("name", "options"), FORECASTS)
def test_what_a_move_is_said_to_do_is_what_it_does(name, options):
    """A label that promises a Mystery Card turns one over, and a warning about a hidden card or the last Save Tile is true."""
    for match, move in random_positions(name, options):
        offer = next(offer for offer in Face.of(match.game).moves(match.view(match.to_move)) if offer["move"] == str(move))
        after = match.copy()
        after.play(move)
        told = {event.name for event in after.events}
        assert ("turn over its Mystery Card" in offer["label"]) == bool(told & {"springs_trap", "shriek", "shard"})
        if move.verb == "protect":
            assert bool(offer["sure"]) == ("disables" in told)
        if move.verb == "save_tile":
            left = after.ask(match.game.rules.save_tiles_left) if not after.over else 0
            assert not offer["sure"] or left == 0


@pytest.mark.parametrize(("name", "options"), FORECASTS)
def test_the_cards_of_the_picture_say_what_the_rules_will_do(name, options):
    """Special Cards that are drawn as usable can be used, live Mystery Cards are turned over, numbers in a deck can be drawn."""
    for match, _ in random_positions(name, options):
        player, legal = match.to_move, match.legal()
        made = Face.of(match.game).scene(match.view(player), player)
        for kind, verb in enumerate(("protect", "save_tile", "save_player")):
            if any(move.verb == verb for move in legal):
                drawn = made.parts[f"special-{player}-{kind}"]
                assert "faint" not in drawn
                assert 'data-face="used"' not in drawn
        quadrant = int(match.state.quad[player])
        for move in legal:
            if move.verb == "move":
                after = match.copy()
                after.play(move)
                turned = any(event.name in ("springs_trap", "shriek", "shard") for event in after.events)
                said = made.cards[f"tile-{quadrant}-{move.args[0]}"].text
                assert bool(re.search("Step here to turn it over|comes back", said)) == turned or "never turn to stone again" in said
        for q in range(4):
            rest = match.state.deck[q][match.state.dptr[q] :].tolist()
            assert not rest or f"Still in it: {', '.join(map(str, sorted(rest)))}." in made.cards[f"deck-{q}"].text


def test_each_reason_is_given():
    """Every sentence of REASONS is given for some move of some position."""
    trapped = at(pos=(2, 4, 13, 13), phase=1)
    inside = at(pos=(4, 13, 13, 13), cused=(1, 0, 0, 0))
    barred = at(pos=(4, 4, 13, 13), barred=(1, 1, 0, 0), stone={0: [4], 1: [4]})
    other = at(to_move=2, pos=(4, 4, 13, 13), barred=(1, 1, 0, 0), stone={0: [4], 1: [4]}, has=(7, 7, 6, 7))
    plain = at(pos=(12, 13, 13, 13), cover={1: {5: PROTECT}})
    heard = {
        "trap": (trapped, "move 3"),
        "compulsory": (trapped, "pass"),
        "yourself": (trapped, "swap 0"),
        "friend_inside": (trapped, "swap 1"),
        "no_trap": (plain, "swap 1"),
        "inside": (inside, "move 3"),
        "here": (plain, "move 12"),
        "far": (plain, "move 1"),
        "stone": (plain, "move 16"),
        "used": (other, "protect 0 1"),
        "barred": (barred, "protect 0 1"),
        "spent": (inside, "protect 0 1"),
        "hard": (plain, "protect 0 16"),
        "safe": (plain, "protect 1 5"),
        "not_stone": (plain, "save_tile 1 5"),
        "not_yourself": (plain, "save_player 0"),
        "petrified": (other, "save_player 0"),
        "not_frozen": (plain, "save_player 1"),
    }
    reasons = game().reasons
    assert set(heard) == set(reasons.order)
    for name, (match, move) in heard.items():
        said = match.why(move)
        pattern = re.sub(r"\\\{.*?\\\}", ".+", re.escape(reasons.sentences[name]))
        assert re.fullmatch(pattern, said), (name, said)
        assert re.search(r"\[[RQ]\d+\]$", said)
