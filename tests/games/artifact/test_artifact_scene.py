"""How Artifact looks and reads: everything clickable is there, nothing hidden shows, every sentence is complete."""

import os
import random
import re
import subprocess
import sys
from xml.etree import ElementTree

import pytest

import rulestone
from rulestone.games.artifact import art, rules, words
from rulestone.games.artifact import scene as face
from rulestone.games.artifact.content import CARDS, DIAG, DROP, DYNAMITE, HO, JUMP, KINDS, ROTATE, SWAP, VERT
from rulestone.kernel.story import Event
from rulestone.table import Face


@pytest.fixture(scope="module")
def look(game):
    return Face.of(game)


def clicks(look, view):
    """What the table offers: each move's picks and label, by the move's text."""
    return {move["move"]: move for move in look.moves(view)}


def test_you_choose_between_two_opponents_on_one_square_by_their_panels(look, lay):
    view = lay("test4", pieces={1: (0, 0), 2: (3, 3), 3: (3, 3), 4: (4, 0)}, hands={1: "Swap"}).view(0)
    offered = clicks(look, view)
    assert offered["swap P2"]["picks"] == ["card-4", "cell-18", "seat-1"]
    assert offered["swap P3"]["picks"] == ["card-4", "cell-18", "seat-2"]
    assert offered["swap P4"]["picks"] == ["card-4", "cell-20"]


def test_R29_the_ending_is_announced_and_drawn(look, lay):
    match = lay("test2", pieces={1: (0, 1)}, art=(0, 1), holder=1, hands={1: "Ho, Vert"}, played="Vert", turn=4)
    match.play("ho W")
    assert match.over
    assert look.ending(match.view(1)) == ("Red wins!", "Red has the artifact at home in round 3.")
    for seat in (None, 0, 1):
        made = look.scene(match.view(seat), seat)
        assert "hints" not in made.parts
        assert made.plates[0].badge == "has the artifact"


def test_Q45_a_draw_is_announced(look, game):
    match = game.new(seed=1, players=2, options={"max_rounds": 1})
    while not match.over:
        match.play(next(move for move in match.legal() if move.verb in ("draw_deck", "end_play", "end_turn")))
    assert look.ending(match.view(0)) == ("It's a draw.", "Nobody brought the artifact home in 1 round.")


def test_every_event_can_be_said_and_shown(look, game, lay):
    view = lay("test4", hands={1: "Ho, Swap"}, discard="Ho, Jump", played="Vert").view(0)
    values = {"place": 2 * 16 + 2, "way": 2, "who": 1, "other": 2, "victim": 2, "holder": 2, "card": SWAP}
    for name, arguments in game.events.arguments.items():
        event = Event(name, tuple(values.get(word, 1) for word in arguments))
        assert re.search(r"\[[RQ]\d+\]$", look.say(view, event))
        assert [step.data() for step in face.steps(view, view, [event])]


def test_R27_the_board_turns_on_and_what_stands_on_it_stays_upright(look, lay):
    match = lay("test2", hands={1: "Rotate*4"}, limit=7, rot=2)
    turns, upright = [], []
    for _ in range(3):
        parts = look.scene(match.view(0), 0).parts
        turns.append(re.search(r"rotate\((\d+)\)", parts["floor"])[1])
        upright.append(re.search(r'piece-0\.u" transform="translate\(0 0\) rotate\((-\d+)\)', parts["men"])[1])
        match.play("rotate")
    assert turns == ["180", "270", "360"]
    assert upright == ["-180", "-270", "-360"]
    before = match.copy()
    parts = look.scene(before.view(0), 0).parts
    assert "rotate(90)" in parts["floor"]


def test_after_a_full_circle_the_next_rotation_starts_from_zero(look, lay):
    match = lay("test2", hands={1: "Rotate*4"}, limit=7, rot=3)
    match.play("rotate")
    before = match.view(0)
    match.play("rotate")
    made = face.steps(before, match.view(0), match.view(0).events)
    assert any(step.go.get("floor") == face.MIDDLE and step.go.get("piece-0.u") == (0, 0) for step in made)


def test_R18_ho_is_left_and_right_on_the_screen_however_the_board_lies(look, lay):
    for rot, ends in enumerate((("ho W", "ho E"), ("ho S", "ho N"), ("ho E", "ho W"), ("ho N", "ho S"))):
        view = lay("test2", pieces={1: (2, 2)}, hands={1: "Ho"}, rot=rot, no_blocks=[(1, 1), (3, 3)]).view(0)
        offered, plan = clicks(look, view), art.ground(int(view.state.map))
        left, right = (face.on_screen(rot, plan.at[int(offered[move]["picks"][1][5:])]) for move in ends)
        middle = face.on_screen(rot, plan.at[12])
        assert left[0] < middle[0] < right[0]
        assert left[1] == middle[1] == right[1]
    card = look.scene(view, 0).parts["card-0"]
    assert re.findall(r">([NESW])</text>", card) == ["N", "S", "N", "S"]  # as the board lies, and where it is kept still


def test_Q32_with_seat_axes_everybody_reads_the_board_from_their_own_side(look, lay):
    match = lay("test4", pieces={2: (1, 3)}, mover=2, hands={2: "Ho, Vert"}, seat_axes=1)
    view = match.view(1)
    plan, quarter = art.ground(int(view.state.map)), face.quarters(view, 1)
    offered, here = clicks(look, view), face.on_screen(quarter, plan.at[int(view.state.pos[1])])
    assert face.on_screen(quarter, plan.at[int(offered["ho N"]["picks"][1][5:])])[0] > here[0]
    assert face.on_screen(quarter, plan.at[int(offered["vert E"]["picks"][1][5:])])[1] > here[1]


def test_where_the_board_is_kept_still_the_arrows_of_the_cards_turn(look, lay):
    for rot in range(4):
        parts = look.scene(lay("test2", hands={1: "Ho, Vert"}, rot=rot).view(0), 0).parts
        still = ElementTree.fromstring(f"<g>{parts['walls']}{parts['men']}{parts['squares']}{parts['needle']}</g>")
        assert all("rotate" not in element.get("data-still", "") for element in still.iter())
        turned = [element for element in still.iter() if "rotate" in element.get("transform", "")]
        assert all(element.get("data-still") for element in turned)
        for kind in (HO, VERT):
            arrow = re.search(rf'id="way-{kind}"[^>]*data-still="[^"]*?(?:rotate\((\d+)\))?"', parts[f"card-{kind}"])
            assert int(arrow[1] or 0) == 90 * rot


def test_the_holders_square_beckons_when_it_can_be_reached(look, lay):
    near = lay("test2", pieces={1: (2, 1), 2: (2, 2)}, art=(2, 2), holder=2, limit=4, hands={1: "Ho"}).view(0)
    assert "beckon" in look.scene(near, 0).parts["prize"]
    far = lay("test2", pieces={1: (0, 1), 2: (2, 2)}, art=(2, 2), holder=2, limit=4, hands={1: "Ho"}).view(0)
    assert "prize" not in look.scene(far, 0).parts


def test_the_number_of_plays_has_a_reason(look, lay):
    def reason(seat=0, **position):
        return words.reasons(words.Table(lay("test2", turn=4, **position).view(seat)), seat)

    assert reason() == ("3 plays left", "3 a turn")
    chase = reason(pieces={2: (1, 2)}, art=(1, 2), holder=2, limit=4, hands={1: "Ho"}, played="Vert")
    assert chase == ("3 plays left", "4: Blue has the artifact")
    theft = reason(pieces={1: (2, 2)}, holder=1, limit=7, bonus=1, played="Ho, Swap")
    assert theft == ("5 plays left", "4: Blue had it, +3: you took it")
    assert reason(1, pieces={1: (2, 2)}, holder=1, limit=6, bonus=1)[1] == "3 a turn, +3: Red took it"
    assert reason(phase="discard", hands={1: "Ho"}) == ("No more plays", "Discard, then refill to 6")


def test_R21_a_square_that_needs_jump_says_so(look, lay):
    view = lay("test2", pieces={1: (0, 1)}, hands={1: "Vert, Ho"}).view(0)
    made = look.scene(view, 0)
    assert "you need Jump" in made.cards["cell-6"].text
    assert look.why_not(view, "cell-6") == "You have no Jump in hand. [R8]"
    assert "you need Jump" not in made.cards["cell-2"].text
    assert "Jump!" in made.parts["hints"] or f"hint-{VERT}" not in made.parts["hints"]
    blocked = look.scene(lay("test2", pieces={1: (1, 2)}, hands={1: "Ho"}).view(0), 0).parts["hints"]
    assert "Jump!" in blocked


def test_R24_swapping_shows_what_happens_to_the_artifact_and_asks(look, lay):
    mine = lay("test2", pieces={1: (2, 2)}, holder=1, hands={1: "Swap, Ho"}).view(0)
    assert "stays here!" in look.scene(mine, 0).parts["hints"]
    assert "The artifact stays at c3" in clicks(look, mine)["swap P2"]["sure"]
    theirs = lay("test2", pieces={2: (2, 2)}, art=(2, 2), holder=2, limit=4, hands={1: "Swap"}).view(0)
    assert "swap, and it&#x27;s yours" in look.scene(theirs, 0).parts["hints"]
    assert not clicks(look, theirs)["swap P2"]["sure"]
    carried = lay("test2", pieces={1: (2, 2)}, holder=1, hands={1: "Swap"}, swap_carry=1).view(0)
    assert not clicks(look, carried)["swap P2"]["sure"]


def test_Q18_you_are_asked_before_you_leave_the_artifact_to_somebody(look, lay):
    shared = lay("test2", pieces={1: (2, 2), 2: (2, 2)}, holder=1, hands={1: "Ho"}).view(0)
    assert "Blue is there too" in clicks(look, shared)["end_play"]["sure"]
    assert "don't stay here with Blue" in look.prompt(shared, 0)
    alone = lay("test2", pieces={1: (2, 2)}, holder=1, hands={1: "Ho"}).view(0)
    assert not clicks(look, alone)["end_play"]["sure"]
    foreign = lay("test2", pieces={1: (4, 4), 2: (0, 3)}, art=(4, 4), holder=1, hands={1: "Ho"}).view(0)
    assert "Blue's home base" in clicks(look, foreign)["end_play"]["sure"]
    last = lay("test2", pieces={1: (2, 2), 2: (2, 3)}, holder=1, hands={1: "Ho"}, played="Vert, Vert").view(0)
    assert "last play" in clicks(look, last)["ho E"]["sure"]
    assert not clicks(look, last)["ho W"]["sure"]


def test_R14_the_card_on_offer_to_the_next_player_is_outlined(look, lay):
    played = look.scene(lay("test2", hands={1: "Ho, Rotate"}, discard="Jump", played="Ho, Vert").view(0), 0).parts
    assert "dashed" in played["played-1"]
    assert "dashed" not in played["played-0"] + played["top-1"]
    nothing = look.scene(lay("test2", hands={1: "Ho"}, discard="Jump").view(0), 0).parts
    assert "dashed" in nothing["top-1"]


def test_Q5_known_cards_lie_face_up_and_the_others_face_down(look, lay):
    match = lay("test2", phase="draw", hands={1: "Ho*6", 2: "Vert*6"}, discard="Swap, Jump")
    match.play("draw_discard")
    seen = look.scene(match.view(1), 1).parts["seat-0"]
    assert f"#af-small{JUMP}" in seen
    assert seen.count("#af-back0") == 6
    assert f"#af-small{HO}" not in seen
    assert "known: Jump" in look.scene(match.view(1), 1).plates[0].lines[0]


def test_the_artifact_is_loose_held_or_in_the_temple(look, lay):
    loose = look.scene(lay("test2", pieces={2: (2, 2)}, hands={1: "Ho"}).view(0), 0)
    assert ">?</text>" in loose.parts["men"]
    assert "whoever starts a turn here takes it" in loose.cards["cell-12"].text
    held = look.scene(lay("test2", pieces={2: (2, 2)}, holder=2, limit=4, hands={1: "Ho"}).view(0), 0)
    assert ">?</text>" not in held.parts["men"]
    assert held.plates[1].badge == "has the artifact"
    assert "move here to take it" in held.cards["cell-12"].text


def test_hints_show_where_each_card_works(look, lay):
    hands = "Ho, Vert, Jump, Diag, Swap, Drop Block, Dynamite, Rotate"
    view = lay("test2", pieces={1: (2, 2), 2: (0, 3)}, art=(2, 3), hands={1: hands}).view(0)
    parts = look.scene(view, 0).parts["hints"]
    assert [f'data-hover="card-{kind}"' in parts for kind in range(KINDS)] == [True] * KINDS
    drops = re.search(rf'id="hint-{DROP}".*?(?=<g id="hint|$)', parts)[0]
    assert drops.count("#af-block") == sum(move.verb == "drop" for move in view.legal())
    fuses = re.search(rf'id="hint-{DYNAMITE}".*?(?=<g id="hint|$)', parts)[0]
    assert fuses.count("#af-stick") == sum(move.verb == "dynamite" for move in view.legal())
    assert "take it: +3" in parts


def test_a_wrong_click_says_why(look, lay):
    draw = lay("test2", phase="draw", hands={1: "Ho"}, discard="Ho, Jump").view(0)
    assert "Draw a card first" in look.why_not(draw, "cell-3")
    view = lay("test2", hands={1: "Jump, Dynamite, Ho"}, discard="Ho, Jump", no_blocks=[(1, 1)]).view(0)
    assert look.why_not(view, "discard") == "Discard pile: from the top: Jump, Ho."
    assert "already drawn your card" in look.why_not(view, "deck")
    assert "R22" in look.why_not(view, f"card-{JUMP}")
    assert look.why_not(view, f"copy-{JUMP}-0") == look.why_not(view, f"card-{JUMP}")  # what a finger meets is the card on top
    assert look.why_not(view, f"way-{HO}") == look.why_not(view, f"card-{HO}")
    assert "until the end of the turn" in look.why_not(view, "plays")
    assert "Rotate card" in look.why_not(view, "compass")
    assert "too far" in look.why_not(view, "cell-24")
    assert "no Vert in hand" in look.why_not(view, "cell-5")
    assert "You're already there" in look.why_not(view, "cell-0")
    later = lay("test2", phase="discard", hands={1: "Ho"}).view(0)
    assert "can't play any more cards" in look.why_not(later, "cell-1")


def test_a_label_is_one_phrase_without_a_colon(look, lay):
    hands = "Ho, Vert, Jump, Diag, Swap, Drop Block, Dynamite, Rotate"
    view = lay("test2", pieces={1: (2, 2), 2: (0, 3)}, art=(2, 3), hands={1: hands}).view(0)
    labels = [move["label"] for move in look.moves(view)]
    assert not [label for label in labels if ":" in label]
    assert "Step to d3 with Ho and take the artifact" in labels


def test_Q34_a_card_without_effect_is_played_by_its_square_or_a_button_and_asks(look, lay):
    match = lay("test2", idle_cards="yes", hands={1: "Ho, Rotate"})
    before = match.view(0)
    offered = clicks(look, before)
    assert offered["ho S"]["picks"] == [f"card-{HO}", "cell-5"]
    assert offered["ho S"]["sure"] == "Nothing would happen. Play Ho anyway?"
    assert (offered["ho W"]["picks"], offered["ho W"]["label"]) == ([f"card-{HO}"], "Play Ho without effect (W)")
    assert not offered["ho E"]["sure"]
    assert look.scene(before, 0).parts["hints"].count("s-sea") == 1
    match.play("ho S")
    view = match.view(0)
    assert f"copy-{HO}-0" in face.steps(before, view, view.events)[0].go
    assert look.say(view, view.events[0]) == "Red plays Ho without effect. [Q34]"


def test_Q25_the_jump_card_says_where_it_goes(look, lay):
    usual, any_wall = (look.scene(lay("test2", hands={1: "Jump"}, jump_level=value).view(0), 0).cards[f"card-{JUMP}"] for value in "01")
    assert "higher than you" in usual.text
    assert (any_wall.text, any_wall.rule) == ("Jump onto any neighbouring wall, diagonally too.", "Q25")


def test_a_replay_with_nothing_hidden_shows_all_hands_face_up(look, lay):
    match = lay("test2", hands={1: "Ho*6", 2: "Vert*6"})
    assert look.scene(match, None).parts["seat-1"].count(f"#af-small{VERT}") == 6
    assert f"#af-small{VERT}" not in look.scene(match.view(None), None).parts["seat-1"]


def test_spectators_see_the_eight_cards_instead_of_a_hand(look, game):
    made = look.scene(game.new(seed=1).view(None), None)
    assert [made.cards[f"kind-{kind}"].name for kind in range(KINDS)] == list(CARDS)
    assert f"card-{ROTATE}" not in made.parts


def test_the_terminal_drawing_shows_pieces_walls_and_the_artifact(lay):
    drawn = face.text(lay("test2", pieces={1: (0, 1)}, hands={1: "Ho*2"}, discard="Jump").view(0))
    rows = drawn.splitlines()
    assert rows[0].split() == ["a", ".1", ".", ".", "#"]
    assert rows[2].split() == [".", ".", "T*", ".", "."]
    assert "Ho moves E or W; nobody has the artifact" in rows[5]
    assert "1 Red: 2 Ho" in drawn


def test_a_card_of_two_words_can_be_typed_at_the_terminal():
    """The top of the first discard pile of this seed is a Drop Block."""
    command = [sys.executable, "-m", "rulestone.cli", "play", "artifact", "--seed", "3"]
    typed = "draw_discard\nend_play\ndiscard drop block\nq\n"
    done = subprocess.run(command, input=typed, capture_output=True, text=True, check=True, env={**os.environ, "RULESTONE_JIT": "0"})
    assert "Red discards Drop Block." in done.stdout


# ---- what the picture predicts is what the rules then do -------------------------------------------------------------------

OPTIONS = (
    {"players": 2},
    {"players": 2, "map": "test2", "adjacent": 4, "protect": 1, "passive_take": 1, "live_limit": 1, "bonus_each": 1},
    {"players": 3, "map": "test3", "seat_axes": 1, "share": 0, "holder_bonus": 1},
    {"players": 4, "map": "test4", "seat_axes": 1, "max_height": 3, "block_supply": 4, "swap_carry": 1, "hand_cap": 6},
    {"players": 3, "map": "test3", "max_height": 0, "jump_level": "yes"},
)
IDLE = {"players": 2, "map": "test2", "idle_cards": "yes"}


def positions(game, players, wanted, **options):
    """Random positions in which somebody can play a card, with their moves."""
    for seed in range(3):
        match, chance = game.new(seed=seed, players=players, options=options), random.Random(seed)
        for _ in range(90):
            if match.over:
                break
            moves = match.legal()
            if wanted(match):
                yield match, moves
            plays = [move for move in moves if move.verb in rules.CARD_VERBS]
            match.play(chance.choice(plays if plays and chance.random() < 0.85 else moves))


@pytest.fixture(scope="module", params=["artifact", "artifact@BONUS=2", "artifact@CHASE_PLAYS=5"])
def changed(request):
    """The game as it is, and with other constants."""
    return rulestone.load(request.param)


@pytest.mark.parametrize("options", [*OPTIONS, IDLE])
def test_labels_and_hints_predict_what_a_play_does(changed, options):
    talk, look = sys.modules[changed.scene.__name__.replace("scene", "words")], Face.of(changed)
    for match, moves in positions(changed, wanted=lambda match: match.state.phase == rules.PLAY, **options):
        view, me = match.view(match.to_move), match.to_move
        t = talk.Table(view)
        drawn = look.scene(view, me).parts["hints"]
        for move in moves:
            if move.verb in rules.CARD_VERBS and not t.idle(move):
                after = match.copy()
                events = [event.name for event in after.play(move)]
                taken = "takes" in events or "steals" in events
                limit = next((event.args[1] for event in after.events if event.name == "allowance"), t.limit)
                assert t.foresee(move) == (after.state.holder, limit - t.limit) or after.to_move != me
                if move.verb in words.STEPS:
                    assert after.state.pos[me] == t.target(move)
                    assert look.game.scene.say_move(view, move).endswith("take the artifact") == (taken and t.holder != me)
                    assert not taken or talk.take_says(t, move) in drawn
                if move.verb in ("drop", "dynamite"):
                    assert [cell for cell, high in enumerate(t.heights) if high != after.state.h[cell]] == [t.target(move)]


@pytest.mark.parametrize("options", OPTIONS)
def test_every_jump_tag_and_highlighted_square_is_true(changed, options):
    look = Face.of(changed)
    for match, moves in positions(changed, wanted=lambda match: match.state.phase == rules.PLAY, **options):
        me = match.to_move
        view = match.view(me)
        parts = look.scene(view, me).parts
        takers = []
        for move in moves:
            if move.verb in words.STEPS:
                after = match.copy()
                takers += [event.args for event in after.play(move) if event.name == "steals" and event.args[0] == me]
        assert ("prize" in parts) == bool(takers)
        for kind, verb in ((HO, "ho"), (VERT, "vert"), (DIAG, "diag")):
            found = re.search(rf'id="hint-{kind}".*?(?=<g id="hint|$)', parts["hints"])
            higher = [way for way in range(4) if match.why((verb, way)) == changed.reasons.say(rules.REASONS.up)]
            assert not found or found[0].count("Jump!") == len(higher)


@pytest.mark.parametrize("options", OPTIONS)
def test_the_prompt_says_how_many_cards_are_drawn_at_the_end_of_the_turn(changed, options):
    look = Face.of(changed)
    for match, moves in positions(changed, wanted=lambda match: match.state.phase == rules.DISCARD, **options):
        said = look.prompt(match.view(match.to_move), match.to_move)
        if any(move.verb == "end_turn" for move in moves):
            drawn = [event.args[1] for event in match.copy().play("end_turn") if event.name == "refills"]
            assert [int(count) for count in re.findall(r"draw (\d+) card", said)] == drawn[:1]
        else:
            assert "Discard down to" in said


def test_Q41_when_few_cards_are_left_the_prompt_promises_no_more(look, lay):
    view = lay("test2", phase="discard", hands={1: "Ho"}, deck="Vert", discard="Ho, Jump", rest=2).view(0)
    assert "draw 2 cards" in look.prompt(view, 0)


def test_every_reason_is_given_somewhere(game, lay):
    """The plainest position for each of the reasons against a move."""
    asked = {
        "undrawn": (lay(phase="draw", hands={1: "Ho"}, discard="Ho, Jump"), "end_play"),
        "drawn": (lay(hands={1: "Ho"}), "draw_deck"),
        "no_deck": (lay(phase="draw", hands={1: "Ho"}, discard="Jump", rest=2), "draw_deck"),
        "no_pile": (lay(phase="draw", hands={1: "Ho"}), "draw_discard"),
        "still_playing": (lay(hands={1: "Ho"}), "end_turn"),
        "stopped": (lay(phase="discard", hands={1: "Ho"}), "end_play"),
        "over": (lay(phase="discard", hands={1: "Ho"}), "ho E"),
        "many": (lay(phase="discard", hands={1: "Ho*7"}, hand_cap=6), "end_turn"),
        "no_card": (lay(hands={1: "Ho"}), "vert S"),
        "line": (lay(hands={1: "Ho"}), "ho S"),
        "edge": (lay(hands={1: "Ho"}), "ho W"),
        "up": (lay(pieces={1: (1, 0)}, hands={1: "Ho"}), "ho E"),
        "level": (lay(hands={1: "Jump"}), "jump E"),
        "no_wall": (lay(hands={1: "Jump"}, jump_level="yes"), "jump E"),
        "shared": (lay(pieces={2: (0, 1)}, share=0, hands={1: "Ho"}), "ho E"),
        "yourself": (lay(hands={1: "Swap"}), "swap P1"),
        "no_player": (lay(hands={1: "Swap"}), "swap P3"),
        "together": (lay(pieces={2: (0, 0)}, hands={1: "Swap"}), "swap P2"),
        "diagonal": (lay(pieces={1: (2, 2)}, adjacent=4, hands={1: "Drop Block"}), "drop NW"),
        "nothing_there": (lay(hands={1: "Dynamite"}), "dynamite E"),
        "sacred": (lay(protect=1, hands={1: "Drop Block"}), "drop self"),
        "no_tile": (lay(block_supply=2, hands={1: "Drop Block"}), "drop E"),
        "high": (lay(hands={1: "Drop Block"}), "drop SE"),
    }
    assert list(asked) == list(game.reasons.order)
    for name, (match, move) in asked.items():
        assert game.reasons.order[(match.ask(rules.may, game.actions.parse(move)) & 255) - 1] == name
        assert re.fullmatch(r"[A-Z].*\. \[[RQ]\d+\]", match.why(move))


def test_a_card_that_cannot_be_used_gives_the_most_telling_reason(look, lay):
    blocked = lay("test2", pieces={1: (1, 0)}, hands={1: "Ho, Rotate"}).view(0)  # the edge on one side, a wall on the other
    assert look.why_not(blocked, f"card-{HO}") == "That square is higher than yours; only Jump goes up. [R21]"
    bare = lay("test2", hands={1: "Drop Block, Rotate"}, block_supply=2).view(0)
    assert look.why_not(bare, f"card-{DROP}") == "There are no spare blocks left. [Q30]"
    together = lay("test2", pieces={2: (0, 0)}, hands={1: "Swap, Rotate"}).view(0)
    assert "same square" in look.why_not(together, f"card-{SWAP}")
