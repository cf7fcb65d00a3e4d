"""Where the booklet says two things, or one thing that can be read in two ways: each reading has its option."""

import pytest

from rulestone.games.micro_medusa.rules import CAPTURE, CHAMPION, CHAMPION_DRAFT, CLOSED, HEADS, HEART, MEDUSA, STONE, TILES_OUT
from rulestone.table import Face

FIRST = {"judged_first": "champion"}
SECTIONS = {"closing": "sections"}
LAST_EXIT = "xS1 xE2 xS3 xE4"


def result(match):
    return match.state.winner, match.state.reasons


# ---- judged_first: a tile reaches her goal and closes her last end --------------------------------------------------------


def test_Q25_S49_the_fatal_eyeball_on_the_last_end_wins_for_whoever_is_judged_first(lay, play):
    for options, expected in ((None, (MEDUSA, STONE)), (FIRST, (CHAMPION, CLOSED))):
        match = lay(f"{LAST_EXIT} E5r1", live=1, equip="BSST", options=options)
        play(match, "place E 6, respond Torch 5")
        assert result(match) == expected
        assert match.payoff == ((1.0, -1.0) if expected[0] == MEDUSA else (-1.0, 1.0))


def test_Q25_the_third_snakehead_on_the_last_end_wins_for_whoever_is_judged_first(lay, play):
    for options, expected in ((None, (MEDUSA, HEADS)), (FIRST, (CHAMPION, CLOSED))):
        match = lay("xS1 xE2 xS3 H4r0 H5r1", equip="BSST", options=options)
        play(match, "place H 6, respond Torch 5")
        assert result(match) == expected


def test_Q25_a_goal_that_closes_nothing_wins_whoever_is_judged_first(lay, play):
    match = lay("H1r3 H2r4", options=FIRST)
    play(match, "place H 4, respond Shield 3")
    assert result(match) == (MEDUSA, HEADS)


def test_Q25_a_capture_wins_whoever_is_judged_first(lay, play):
    match = lay("H1r3 H2r4", captured=2, options=FIRST)
    play(match, "place H 4, respond Blade 3")
    assert result(match) == (CHAMPION, CAPTURE)


def test_Q25_with_round_end_closing_comes_too_late_for_a_goal_of_the_first_turn(lay, play):
    match = lay("H1r3 H2r4 xS3 xS4", hand="HEE", equip="BSST", options={**FIRST, "win_check": "round_end"})
    play(match, "place H 5, respond Shield 4, place E 6, respond Shield 5")
    assert result(match) == (MEDUSA, HEADS)


def test_Q25_the_warning_before_the_last_end_knows_who_is_judged_first(lay):
    for options, says in ((None, "no open end is left, but you win"), (FIRST, "no open end is left and you are closed in")):
        view = lay("xS1 xE2 xS3 H4r0 H5r1", options=options).view(0)
        moves = {move["move"]: move["sure"] for move in Face.of(view.game).moves(view)}
        assert f"if it isn't captured, {says}." in moves["place H 6"]


# ---- closing: which ends must be closed -----------------------------------------------------------------------------------


def test_Q24_with_sections_only_their_ends_must_be_closed(lay, play):
    for options, expected in ((None, (-1, 0)), (SECTIONS, (CHAMPION, CLOSED))):
        match = lay("S1r1 xE8", options=options)
        events = play(match, "place E 18, respond Shield 0")
        assert result(match) == expected
        told = [match.say(event) for event in events]
        assert ("No Snake Section has an open end left: Medusa is closed in. [Q24]" in told) == (options is not None)


def test_Q24_before_there_is_a_section_her_head_counts(lay, play):
    match = lay(options=SECTIONS)
    play(match, "place H 1, respond Blade 0")
    assert result(match) == (-1, 0)
    play(match, "place S 2, respond Torch 0")
    assert result(match) == (-1, 0)


def test_Q24_without_any_section_all_exits_must_be_closed(lay, play):
    match = lay(f"{LAST_EXIT} xE5", equip="BSST", options=SECTIONS)
    play(match, "place H 6, respond Torch 5")
    assert result(match) == (CHAMPION, CLOSED)


def test_Q24_an_open_section_keeps_her_going_when_all_exits_are_closed(lay, play):
    match = lay(f"{LAST_EXIT} xE5", options=SECTIONS)
    play(match, "place S 6, respond Blade 5")
    assert result(match) == (-1, 0)


def test_Q24_the_lamp_counts_the_ends_that_must_be_closed(lay):
    view = lay("S1r1 xE8", options=SECTIONS).view(1)
    scene = Face.of(view.game).scene(view, 1)
    assert ">1<" in scene.parts["lamp-ends"]
    assert "only the ends of Sections count" in scene.cards["lamp-ends"].text
    view = lay("S1r1 xE8").view(1)
    assert ">6<" in Face.of(view.game).scene(view, 1).parts["lamp-ends"]


def test_Q24_the_ending_names_what_was_closed(lay, play):
    match = lay("S1r1 xE8", options=SECTIONS)
    play(match, "place E 18, respond Shield 0")
    assert Face.of(match.game).ending(match.view(None)) == (
        "The Champion wins.",
        "Medusa is closed in, with no open end left on her Snake Sections.",
    )


# ---- petrify = three ------------------------------------------------------------------------------------------------------


def test_Q18_with_three_the_reserve_heart_may_be_drafted_and_changes_nothing(lay, play):
    match = lay("E1r3", phase=CHAMPION_DRAFT, hand="EEH", options={"petrify": "three"})
    match.play("equip Heart")
    assert (match.state.drafted, match.state.equip.tolist()) == (HEART, [1, 1, 1])
    play(match, "place E 2, respond Torch 0")
    assert (match.state.hits, match.state.live, match.state.reserve, match.over) == (2, 2, 1, False)
    play(match, "place E 4, respond Blade 3")
    assert result(match) == (MEDUSA, STONE)
    assert Face.of(match.game).ending(match.view(None)) == ("Medusa wins.", "Three Eyeballs met no Shield.")


def test_Q18_with_three_the_table_says_what_counts(lay):
    view = lay(phase=CHAMPION_DRAFT, options={"petrify": "three"}).view(1)
    cards = Face.of(view.game).scene(view, 1).cards
    assert "only unshielded Eyeballs count" in cards["spare-3"].text
    assert "3 Eyeballs met no Shield" in cards["gear-3"].text


# ---- the rule that really applied -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("position", "moves", "says"),
    [
        ({"board": "H1r3 H2r4"}, "place H 4, respond Shield 3", "Medusa wins. [Q25]"),
        ({"board": f"{LAST_EXIT} xE5", "equip": "BSST"}, "place H 6, respond Torch 5", "The Champion wins. [Q25]"),
        (
            {"board": "H1r3 H2r4", "hand": "HEE", "options": {"win_check": "round_end"}},
            "place H 4, respond Shield 3, place E 6, respond Torch 5",
            "Medusa wins. [R33]",
        ),
    ],
)
def test_Q25_R33_the_story_cites_the_rule_that_ended_the_game(lay, play, position, moves, says):
    match = lay(**position)
    assert match.say(play(match, moves)[-1]) == says


def test_R15_R33_running_out_of_tiles_is_found_at_the_end_of_the_round(lay, play):
    match = lay("xS1", hand="HE", market="HHE-", equip="BST", drafted=1, turn=1, champ_equip=[1, -1], champ_cell=[3, 255])
    match.state.stack_n = 0
    events = play(match, "place H 2, respond Torch 0")
    assert match.state.reasons == TILES_OUT
    assert match.say(events[-1]) == "The Champion wins. [R33]"
