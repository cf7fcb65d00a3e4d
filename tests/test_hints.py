"""Hints that say why: what a move keeps, the runner-up, and a reason that the game's rules give."""

import random

import pytest

import rulestone
from rulestone.bots import choose
from rulestone.kernel.actions import Move
from rulestone.review import Advice, Judge, advise
from rulestone.review.advice import advice, wins_at_once
from rulestone.table import Face


@pytest.fixture(autouse=True)
def interpreted(monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")


def why(match, move):
    """The reason for a move of the player to move."""
    game = match.game
    return Face.of(game).why(match.view(match.to_move), game.actions.decode(game.actions.parse(move)))


def reached(name, wanted, seed=1, **options):
    """A position of a real game of quick bots in which `wanted(match)` is true."""
    game = rulestone.load(name)
    for deal in range(seed, seed + 60):
        match, chooser = game.new(deal, options=options), random.Random(deal)
        while match.to_move is not None:
            if wanted(match):
                return match
            match.play(choose(match.view(match.to_move), "greedy", chooser.getrandbits(60)))
    raise AssertionError("no such position")


def played(game, *moves):
    match = game.new(seed=7)
    for move in moves:
        match.play(move)
    return match


def test_a_hint_names_the_chance_the_runner_up_and_the_reason(connect_four):
    found = advise(played(connect_four, 3, 2, 3, 2, 3).view(1), seconds=0.2)
    assert found.move["move"] == "drop 3"
    assert found.chance > found.rival_chance == 0
    assert found.sentence().startswith("Drop into column 4 keeps ")
    assert found.sentence().endswith(" keeps 0 %. It stops Red from lining up 4. [R4]")


def test_a_win_is_said_first(connect_four):
    found = advise(played(connect_four, 3, 2, 3, 2, 3, 2).view(0), seconds=0.2)
    assert (found.move["move"], found.chance, found.reason) == ("drop 3", 1.0, "It wins at once.")
    assert not wins_at_once(played(connect_four, 3, 2).view(0), 3)


def test_a_forced_move_needs_no_reason(connect_four):
    match = played(connect_four)
    match.state.grid[:, 1:] = [[(row + column // 2) % 2 for column in range(6)] for row in range(6)]
    match.refresh()
    found = advise(match.view(0))
    assert (found.move["move"], found.chance, found.reason) == ("drop 0", None, None)
    assert found.sentence() == "The bot would: Drop into column 1."


def test_there_is_no_hint_for_others(connect_four):
    with pytest.raises(ValueError, match="for the player to move"):
        advise(connect_four.new(seed=1).view(1))


def test_connect_four_knows_lines(connect_four):
    match = played(connect_four, 3, 2, 3, 2, 3)
    assert why(match, "drop 3") == "It stops Red from lining up 4. [R4]"
    assert why(match, "drop 0") is None
    match.play(0)
    assert why(match, "drop 3") == "It lines up 4. [R4]"


def test_sarpedon_protects_tiles_before_they_are_drawn():
    match = reached("sarpedon", lambda match: any(move.verb == "protect" for move in match.legal()))
    view, rules = match.view(match.to_move), match.game.rules
    said = {move: why(match, move) for move in view.legal() if move.verb == "protect"}
    for (_, quadrant, tile), reason in said.items():
        waiting = view.ask(rules.cards_left, quadrant) >> tile - 1 & 1
        assert (reason is not None) == bool(waiting)
    assert "before its card is drawn" in next(reason for reason in said.values() if reason)


def test_sarpedon_looks_for_shards():
    rules = rulestone.load("sarpedon").rules

    def card_near(match):
        quadrant = int(match.state.quad[match.to_move])
        return [move for move in match.legal() if move.verb == "move" and match.ask(rules.live_slot, quadrant, move.args[0]) >= 0]

    match = reached("sarpedon", card_near)
    assert why(match, card_near(match)[0]) == "The Mystery Card there may be a shard."


def test_micro_medusa_counts_what_an_answer_beats():
    match = reached("micro_medusa", lambda match: match.state.phase == 3)
    for move in match.legal():
        kinds = [count for kind, count in enumerate(match.state.known) if min(kind, 2) == move.args[0]]
        beaten = int(sum(kinds))
        assert why(match, move) == (f"It beats {beaten} of the 3 tiles that may lie there." if beaten else None)
    match.state.heads = 2
    match.refresh()
    assert why(match, next(move for move in match.legal() if move.args[0] == 0)).startswith("One more Snakehead wins for Medusa")


def test_artifact_goes_for_the_artifact():
    def grab(match):
        name = Face.of(match.game).hooks["say_move"]
        view = match.view(match.to_move)
        return [move for move in view.legal() if name(view, move).endswith("and take the artifact")]

    match = reached("artifact", grab)
    assert why(match, grab(match)[0]).startswith("It gets you the artifact")


def test_misdirection_knows_where_a_turned_tile_leads():
    def own(match):
        return [move for move in match.legal() if move.verb == "rot_cw" and move.args[0] == match.state.pos[match.to_move]]

    match = reached("misdirection", own)
    assert " instead of " in why(match, own(match)[0])
    assert why(match, own(match)[0]).startswith("You will then travel ")


def test_hydra_regatta_counts_the_sides_that_bust():
    match = reached(
        "hydra_regatta", lambda match: any(move.verb == "roll2" for move in match.legal()) and match.state.d2[match.to_move] == 0
    )
    first = int(match.state.d1[match.to_move])
    said = f"A second die is a bust on {first - 1} of its 6 sides." if first > 1 else "A second die can't be a bust."
    assert why(match, "roll2") == why(match, "hold") == said


def test_a_game_without_reasons_gives_none(whisper):
    view = whisper.new(1, 2).view(0)
    assert Face.of(whisper).why(view, Move("show")) is None
    found = advice(view, [(view.legal_actions()[0], 0.5), (view.legal_actions()[1], 0.4)])
    assert (found.reason, found.rival_chance) == (None, 0.4)
    assert isinstance(advise(view, Judge(whisper), seconds=0.1), Advice)
