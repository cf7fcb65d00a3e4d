"""The face of Micro Medusa: every move can be clicked, nothing hidden shows, everything has words."""

import random
import re
from functools import cache
from itertools import pairwise

import pytest

import rulestone
from rulestone.games.micro_medusa import rules, scene, words
from rulestone.table import Face

GAME = rulestone.load("micro_medusa")
FACE = Face.of(GAME)
EYES = (0, 1, None)
VARIANTS = (
    {},
    {"grid": "square"},
    {"section": "bend", "win_check": "round_end", "run_out": "draft"},
    {"champion_blocks": "off", "heart_play": "on", "petrify": "three", "chain": "bare"},
)


@cache
def games():
    """Every position of a few random games."""
    played = []
    for number, options in enumerate(VARIANTS):
        for seed in range(3 if not options else 1):
            match, chance = GAME.new(seed=seed, options=options), random.Random(10 * number + seed)
            line = [match.copy()]
            while not match.over:
                match.play(chance.choice(match.legal()))
                line.append(match.copy())
            played.append(line)
    return played


def positions():
    return [match for line in games() for match in line]


def narrow(moves, clicks):
    """What the table page does: keep the moves that begin with these clicks."""
    return [move for move in moves if list(move["picks"][: len(clicks)]) == list(clicks)]


def test_only_placing_asks_for_confirmation():
    for match in positions()[::3]:
        if not match.over:
            assert all(bool(move["sure"]) == move["move"].startswith("place") for move in FACE.moves(match.view(match.to_move)))


def test_the_tile_is_revealed_in_its_place_before_its_effect():
    seen = set()
    for line in games():
        for before, after in pairwise(line):
            revealed = next((event for event in after.view(1).events if event.name == "reveals"), None)
            if before.state.phase != rules.RESPOND or revealed is None:
                continue
            was, now = before.view(1), after.view(1)
            hidden = f"up-{revealed.args[1]}"
            shown = FACE.steps(was, now)
            turning = next(k for k, step in enumerate(shown) if hidden in step["go"])
            assert f'transform="{shown[turning]["go"][hidden]}"' in FACE.scene(was, 1).parts[hidden]
            assert now.events[shown[turning]["event"]].name == "reveals"
            seen |= {now.events[step["event"]].name for step in shown[turning + 1 :] if hidden in step["flash"]}
    assert {"severs", "reflects", "burns", "settles"} <= seen


def test_a_second_click_on_a_weapon_is_enough():
    match = GAME.new(seed=1)
    while match.state.phase != rules.RESPOND:
        match.play(match.legal()[0])
    moves = FACE.moves(match.view(1))
    for gear in range(3):
        assert len(narrow(moves, [f"gear-{gear}", f"gear-{gear}"])) == 1
    picture = FACE.scene(match.view(1), 1)
    assert 'id="ghost-0"' in picture.parts["gear-0"]
    assert 'pointer-events="visible"' in picture.parts["gear-0"]


def test_events_and_endings_have_words():
    for match in positions():
        for eyes in EYES:
            view = match.view(eyes)
            for said in FACE.story(view):
                assert re.search(r"\[[RQ]\d+\]$", said)
        if match.over:
            who, why = FACE.ending(match.view(None))
            assert who.endswith(".")
            assert len(why) > 5


@pytest.mark.parametrize("eyes", [1, None])
def test_nothing_hidden_shows(eyes):
    """Worlds that look the same to somebody make the same picture."""
    redeal = GAME.interpreted(GAME.rules.redeal)
    differs = 0
    for number, match in enumerate(positions()[::5]):
        view = match.view(eyes)
        drawn = FACE.scene(view, eyes).data()
        other = match.copy()
        other._array[:] = view._array
        reader = GAME.layout.reader(other._array)
        reader.rng = number + 1
        redeal(reader, -1 if eyes is None else eyes)
        differs += other.state.hand.tolist() != match.state.hand.tolist()
        assert FACE.scene(other.view(eyes), eyes).data() == drawn
    assert differs
    for match in positions():
        if match.state.phase == rules.RESPOND:
            part = FACE.scene(match.view(eyes), eyes).parts[f"t-{match.state.n_tiles}"]
            assert "mm-back" in part
            assert not re.search("mm-(H|E|knot)", part)


def test_a_replay_with_everything_open_shows_medusas_tiles():
    """Her hand is face up, with unknown tiles marked, and the back of the tile in play shows its kind. A spectator sees neither."""
    secrets = played = 0
    for match in positions():
        s, opened, seen = match.state, FACE.scene(match, None), FACE.scene(match.view(None), None)
        pool = int(sum(s.known)) + int(s.secret)
        shown = {kind: opened.parts[f"hand-{kind}"].count('id="own-') for kind in range(5) if f"hand-{kind}" in opened.parts}
        if pool:
            assert shown == {kind: int(count) for kind, count in enumerate(s.hand) if count}
            assert not any(id.startswith("held-") for id in opened.parts)
            assert sum(id.startswith("held-") for id in seen.parts) == pool
        assert not any(id.startswith(("hand-", "own-")) for id in seen.parts)
        secrets += any(">secret<" in part for part in opened.parts.values())
        if s.phase == rules.RESPOND:
            down = opened.parts[f"t-{s.n_tiles}"]
            assert "mm-back" in down
            assert re.search("mm-(H|E|knot)", down)
            assert "hidden from the Champion" in opened.cards[f"t-{s.n_tiles}"].text
            played += 1
        if s.stack_n:
            assert opened.cards["stack"].text.count(",") == s.stack_n
            assert "From the top" not in seen.cards["stack"].text
    assert secrets
    assert played


def test_tiles_rarely_change_size_and_never_grow_again():
    for line in games():
        levels = [scene.zoom(t.grid, scene.room(t))[0] for t in map(words.Table, (match.view(1) for match in line))]
        assert levels == sorted(levels, reverse=True)
        assert len(set(levels)) <= 3
        for match in line:
            t = words.Table(match.view(1))
            lying = {t.fd_cell, *(cell for _, cell in t.field)} - {rules.NOWHERE, rules.BESIDE}
            assert {*t.at, *t.ends, *t.spots.values(), *lying, *scene.AROUND[t.grid]} <= set(scene.room(t))


@pytest.mark.parametrize("grid", [0, 1])
def test_every_space_has_its_own_words(grid):
    named = [words.where(grid, cell) for cell in range(1, len(scene.SPACES[grid]))]
    assert len(set(named)) == len(named)
    assert all(said.endswith("Medusa's head") for said in named)
    assert not any(word in said for said in named for word in ("1 steps", "up of", "down of"))
    assert words.where(0, words.NEXT_TO[0][0][0]) == "to the right of Medusa's head"
    far = words.NEXT_TO[0][words.NEXT_TO[0][0][0]][1]
    assert words.where(0, far) == "1 step to the right and 1 to the upper right of Medusa's head"


def test_counts_agree_with_the_rules():
    for match in positions():
        t = words.Table(match.view(0))
        s = match.state
        assert sum(t.ends.values()) == GAME.interpreted(rules.open_ends)(match._s, False, 99)
        assert t.pool == int(sum(s.hand)) + (s.phase == rules.RESPOND)
        assert match.view(0).ask(rules.rounds_left) >= 1


def test_medusa_is_warned_before_she_closes_herself_in():
    warned = 0
    for match in positions():
        if match.state.phase == rules.PLACE:
            view = match.view(0)
            t = words.Table(view)
            for move in view.legal():
                left = sum(count for cell, count in t.ends.items() if cell != move.args[1])
                asked = scene.confirm(view, move)
                assert asked.startswith("Careful") == (left <= 1)
                warned += left <= 1
    assert warned


def test_the_terminal_drawing():
    for match in positions()[::5]:
        drawn = scene.text(match.view(1))
        assert "M" in drawn
        assert "stack" in drawn


@pytest.mark.parametrize(("board", "options", "rule"), [("", {"champion_blocks": "off"}, "Q10"), ("xE2 xE6 xE7 xS8 xS18", {}, "Q11")])
def test_Q10_Q11_an_answer_beside_the_board_cites_the_rule_that_puts_it_there(lay, board, options, rule):
    match = lay(board, equip="BST", options=options)
    match.play("place H 1")
    view = match.view(1)
    assert FACE.scene(view, 1).cards["beside"].rule == rule
    assert "beside the board" in FACE.prompt(view, 1)
    events = match.play("respond Shield 6")
    assert FACE.say(match.view(1), events[0]).endswith(f"[{rule}]")
    assert match.say(events[0]).endswith("[R22]")
    assert "keeps Medusa out" not in FACE.scene(match.view(1), 1).cards["weapon-1-0"].text


def test_the_title_counts_like_people_do(lay):
    match = lay("H1r3", live=1)
    said = FACE.scene(match.view(0), 0).title
    assert "1 Snakehead in play" in said
    assert "1 Heart beating" in said
    match = lay("S1r1", live=2)
    assert "0 Snakeheads in play, 0 captured, 2 Hearts beating" in FACE.scene(match.view(0), 0).title


def test_Q5_several_open_ends_point_and_one_points(lay):
    cards = [card.text for card in FACE.scene(lay("S1r1 S2r0").view(0), 0).cards.values() if card.rule == "Q5"]
    assert "1 open end of Medusa's hair points here." in cards
    assert "2 open ends of Medusa's hair point here." in cards


# ---- what the picture foresees is what the rules then do ------------------------------------------------------------------

FORECASTS = [
    *(
        ("micro_medusa", options)
        for options in (*VARIANTS, {"soft_block": "on", "hearts": "reset", "run_out": "all"}, {"judged_first": 1, "closing": 1})
    ),
    *((f"micro_medusa@{change}", {}) for change in ("HAND=4", "SNAKEHEADS_TO_WIN=2", "CHAIN_TO_WIN=2", "DEALT=2")),
]


def random_positions(name, options):
    """Positions of a few games, each with the move that is played next and the position after it."""
    game = rulestone.load(name)
    for seed in range(3):
        match, chance = game.new(seed=seed, options=options), random.Random(seed)
        while not match.over:
            move = chance.choice(match.legal())
            after = match.copy()
            after.play(move)
            yield match, move, after
            match = after


@pytest.mark.parametrize(("name", "options"), FORECASTS)
def test_the_spaces_weapons_and_rotations_offered_are_those_of_the_rules(name, options):
    """Glowing spaces, faded weapons and ghosted rotations: everything offered is legal, and everything legal is offered."""
    for match, _, _ in random_positions(name, options):
        view, moves = match.view(match.to_move), match.legal()
        parts = Face.of(match.game).scene(view, match.to_move).parts
        phase = match.state.phase
        if phase == rules.PLACE:
            spaces = {int(id[6:]) for id in parts if id.startswith("space-")}
            lying = {int(cell) for cell in match.state.champ_cell}
            assert {move.args[1] for move in moves} == spaces - lying
        elif phase == rules.RESPOND:
            there = {
                int(match.game.rules.NEIGHBOUR[match.state.grid, match.state.fd_cell, move.args[1]]) for move in moves if move.args[1] < 6
            }
            assert there <= {int(id[6:]) for id in parts if id.startswith("space-")}
            assert ("beside" in parts) == (not there)
            for gear in range(3):
                assert ("faint" in parts[f"gear-{gear}"]) == all(move.args[0] != gear for move in moves)
        elif phase == rules.ROTATE:
            assert {int(id[5:]) for id in parts if id.startswith("turn-")} == {move.args[0] for move in moves}


@pytest.mark.parametrize(("name", "options"), FORECASTS)
def test_a_warning_before_placing_comes_true(name, options):
    """When Medusa is warned that she is closed in or wins, the answer in question really ends the game like that."""
    heard = set()
    for match, _, _ in random_positions(name, options):
        if match.state.phase != rules.PLACE or match.options["win_check"] != "immediate":
            continue
        for move in match.legal():
            asked = Face.of(match.game).hooks["confirm"](match.view(0), move)
            if "closed in" not in asked and "you win" not in asked:
                continue
            placed = match.copy()
            placed.play(move)
            right = min(move.args[0], rules.SECTION)
            matched = ("Shield stops", "Torch burns")
            for answer in placed.legal():
                then = placed.copy()
                then.play(answer)
                while then.to_move == 0 and then.state.phase == rules.ROTATE:
                    then.play(then.legal()[0])
                if "whatever the answer" not in asked and (answer.args[0] == right) != any(word in asked for word in matched):
                    continue
                heard.add("closed in" if "closed in" in asked else "win")
                assert then.over
                assert then.state.winner == (rules.CHAMPION if "closed in" in asked else rules.MEDUSA), (asked, match.moves, answer)
    assert heard or options or "@" in name


@pytest.mark.parametrize(("name", "options"), FORECASTS)
def test_R15_the_rounds_left_on_the_lamp_are_never_too_few(name, options):
    """And exactly right if no turn was skipped and Medusa runs out of tiles."""
    for seed in range(3):
        game, chance = rulestone.load(name), random.Random(seed)
        match, told = game.new(seed=seed, options=options), []
        while not match.over:
            caption = re.search(r">(last round|(\d+) rounds left)<", Face.of(game).scene(match.view(1), 1).parts["lamp-stack"])
            told.append(int(match.state.round) + int(caption[2] or 1) - 1)
            match.play(chance.choice(match.legal()))
        last = int(match.state.round)
        if not match.state.skips:
            assert min(told) >= last
            assert match.state.reasons != rules.TILES_OUT or set(told) == {last}


def test_R15_the_lamp_is_right_to_the_last_tile(lay, play):
    board = "xS1 S4r0 H5r1 xS6 S14r1 xE12 E29r0 S15r0 xE16 S31r1 xE52"
    match = lay(board, captured=2, live=1, hand="HE", market="HHE-", equip="BST", drafted=1, round=7, turn=1, stack="",
                champ_equip=[1, -1], champ_cell=[53, 255])  # fmt: skip
    assert match.view(1).ask(rules.rounds_left) == 1
    play(match, "place H 2, respond Torch 0")
    assert match.state.reasons == rules.TILES_OUT


# ---- why not --------------------------------------------------------------------------------------------------------------


def test_every_reason_is_given_somewhere(game, lay):
    """The simplest position for each of the reasons against a move."""

    def answering(**position):
        match = lay(**position)
        match.play("place H 1")
        return match

    covered = {"champ_equip": [0, -1], "champ_cell": [2, 255]}
    asked = {
        "busy": (lay(), "rotate 0"),
        "no_such": (lay(), "place S3 1"),
        "not_in_market": (lay(phase=rules.MEDUSA_DRAFT, hand="E", market="HHHH"), "draft S"),
        "stone_heart": (lay(phase=rules.CHAMPION_DRAFT, reserve=0), "equip Heart"),
        "not_in_hand": (lay(hand="EES"), "place H 1"),
        "stone": (lay("xS1"), "place H 1"),
        "taken": (lay("E1r3"), "place H 1"),
        "covered": (lay(**covered), "place H 2"),
        "no_end": (lay(), "place H 7"),
        "heart": (answering(), "respond Heart 0"),
        "used": (answering(equip="BBT"), "respond Shield 0"),
        "beside": (answering(options={"champion_blocks": "off"}), "respond Blade 0"),
        "not_beside": (answering(), "respond Blade 6"),
        "no_direction": (answering(options={"grid": "square"}), "respond Blade 5"),
        "no_room": (answering(), "respond Blade 3"),
        "loose": (turning(lay), "rotate 2"),
    }
    assert list(asked) == list(game.reasons.order)
    for name, (match, move) in asked.items():
        assert game.reasons.order[(match.ask(rules.may, game.actions.parse(move)) & 255) - 1] == name
        assert re.fullmatch(r"[A-Z].*\. \[[RQ]\d+\]", match.why(move))


def turning(lay):
    """A Section that fits in two ways."""
    match = lay("S1r1 S2r0")
    match.play("place S 8")
    match.play("respond Blade 0")
    return match


@pytest.mark.parametrize(
    ("position", "id", "says"),
    [
        ({"board": "xS1"}, "t-1", "There's stone to the right of Medusa's head: you can't place anything there. [Q8]"),
        ({"board": "E1r3"}, "t-1", "There's already an Eyeball to the right of Medusa's head. [Q5]"),
        ({}, "t-0", "Choose a tile from your hand, then a glowing space next to an open end."),
        ({}, "space-1", "First choose a tile from your hand to place there."),
        ({}, "ground", "No open end points there: choose a glowing space."),
        ({}, "stack", "Choose a tile from your hand, Medusa, then a glowing space to place it face down."),
        (
            {"champ_equip": [0, -1], "champ_cell": [2, 255], "turn": 1},
            "weapon-0-0",
            "A Champion tile covers the space to the upper right of Medusa's head until the end of the round. [Q10]",
        ),
        ({"phase": rules.MEDUSA_DRAFT, "hand": "H"}, "stack", "You can't draft from the stack: take a tile from the market."),
        (
            {"phase": rules.MEDUSA_DRAFT, "hand": "H"},
            "hand-0",
            "Draft the first of two tiles from the market, Medusa: the Champion sees what you take.",
        ),
    ],
)
def test_a_wrong_click_says_why(lay, position, id, says):
    match = lay(**position)
    assert FACE.why_not(match.view(match.to_move), id) == says


def test_a_wrong_answer_says_why(lay):
    match = lay(equip="BBT")
    match.play("place H 1")
    view = match.view(1)
    assert FACE.why_not(view, "gear-1") == "There's no Shield left in this round. It comes back in the next one. [R31]"
    assert FACE.why_not(view, "gear-3") == "You can't play a Heart as an answer. [Q21]"
    assert FACE.why_not(view, "gear-0") == "To choose another weapon, go back first."
    assert FACE.why_not(view, "space-2") == "First choose the weapon to answer with."
    assert FACE.why_not(view, "mat-0") == "Guess what it is, Champion: choose a weapon, then a space (or the weapon again)."
