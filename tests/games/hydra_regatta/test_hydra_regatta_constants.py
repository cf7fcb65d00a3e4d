"""Constants that a designer may change reach the words and the pictures."""

import re

import pytest

import rulestone
from rulestone.kernel.story import Event
from rulestone.table import Face, kit
from rulestone.variant import BadChange
from tests.games.hydra_regatta.conftest import Regatta

MORE = {"BOOST": 2, "PROTECTION": 2, "LINE_FISH": 2, "MAX_FISH": 6, "FAVOR_LIMIT": 1}
LEAST = {"BOOST": 1, "PROTECTION": 0, "LINE_FISH": 0, "FAVOR_LIMIT": 0, "WEDGES_COVER": 0}


def laid(changes):
    """Positions of a changed game."""

    class Changed(Regatta):
        game = rulestone.load("hydra_regatta", changes=changes)

    return Changed()


@pytest.fixture(scope="module")
def more():
    return laid(MORE)


@pytest.fixture(scope="module")
def least():
    return laid(LEAST)


def dot_words(regatta, name):
    """What the card of a dot with this icon says."""
    return next(words for icon, words, _ in regatta.game.scene.words.ICON_WORDS if icon == name)


def told(regatta, event, *args):
    """An event's sentence in a terminal and at the table."""
    match = regatta.game.new(seed=1, players=2)
    return match.say(Event(event, args)), Face.of(regatta.game).say(match.view(0), Event(event, args))


# ---- boosts -----------------------------------------------------------------------------------------------------------------


def test_R45_a_boost_says_how_far_it_carries(regatta, more, least):
    for game, dots in ((regatta, "3 dots"), (more, "2 dots"), (least, "1 dot")):
        for said in told(game, "boost", 0, 4):
            assert f"carries Red {dots} further" in said
        assert dot_words(game, "boost") == f"Sail {dots} further."


def test_R45_a_boost_is_drawn_with_its_number(regatta, more, least):
    for game, number in ((regatta, 3), (more, 2), (least, 1)):
        parts = game.game.scene.scene(game.base_m("s1.D2", (1, 4, 0)).view(0), 0).parts
        drawn = parts["defs"] + parts["note-boost"]
        assert set(re.findall(r">\+(\d+)<", drawn)) == {str(number)}
        assert drawn.count(f">+{number}<") == 2


def test_R45_the_bot_knows_what_a_boost_is_worth(more):
    assert more.game.greedy.__globals__["ICON_COST"]["+"] == -20


# ---- protection -------------------------------------------------------------------------------------------------------------


def test_R53_protection_is_forecast_as_the_rules_give_it(regatta, more, least):
    """With a 2 for navigation: 2, 4 or no dots of the turn, one more if the Hydra's own dot does not count (Q23)."""
    for game, dots in ((regatta, 2), (more, 4), (least, 0)):
        for option, further in (("including", 0), ("before", 1)):
            match = game.base_r(wanted=(2, 3), options={"hydra_count": option})
            look = game.game.scene
            t = kit.Fields(match.view(0))
            found = look.forecast.reach_of(t, 0, (look.forecast.movement(t, 0),))
            assert found.safe == {place for place, cost in found.cost.items() if cost <= dots + further}


def test_R53_the_board_and_the_story_say_up_to_which_dot_hydras_are_harmless(regatta, more):
    for game, dots in ((regatta, 2), (more, 4)):
        for option, further in (("including", 0), ("before", 1)):
            match = game.base_m("s1.D2", (2, 4, 0), options={"hydra_count": option})
            look, view = game.game.scene, match.view(0)
            assert look.words.account(kit.Fields(view), 0)[-1] == f"Hydras are harmless up to dot {dots + further}"
            (voyage,) = [event for event in match.events if event.name == "voyage"]
            assert f"protected from Hydras for {dots + further} dots" in look.say(view, voyage)
            assert voyage.args == (0, 6, dots + further)


def test_Q32_under_ares_no_option_and_no_constant_protects(regatta, more):
    for game in (regatta, more):
        match = game.base_m("s1.D2", (2, 4, 0), slots=["Ares"], options={"hydra_count": "before"})
        look, view = game.game.scene, match.view(0)
        assert len(look.words.account(kit.Fields(view), 0)) == 1
        (voyage,) = [event for event in match.events if event.name == "voyage"]
        assert "protected" not in look.say(view, voyage)


def test_R53_cards_describe_protection_as_it_is(regatta, more, least):
    cards = [game.game.scene.words.CARDS["nav"].text for game in (regatta, more, least)]
    assert cards == [
        "Movement, and protection from Hydras for that many dots.",
        "Movement, and protection from Hydras for 2 times that many dots.",
        "Movement.",
    ]
    for game in (regatta, more):
        assert "protects you" in dot_words(game, "Hydra")
        assert "as protection" in game.game.scene.words.CARDS["fleece"].text
    assert "protect" not in dot_words(least, "Hydra")
    assert "protection" not in least.game.scene.words.CARDS["fleece"].text


@pytest.mark.parametrize("event", ["voyage", "protected"])
def test_R53_one_dot_is_not_called_dots(regatta, event):
    for said in told(regatta, event, *(0, 1, 1)[: 2 + (event == "voyage")]):
        assert not re.search(r"\b1 (dots|laps|cards|wedges|Favors)\b", said)


# ---- fish -------------------------------------------------------------------------------------------------------------------


def test_R42_a_board_says_how_many_fish_it_holds(regatta, more):
    for game, most in ((regatta, 3), (more, 6)):
        assert dot_words(game, "fish") == f"Take 1 fish; your board holds {most}."


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("most", [6, 20])
def test_R42_all_fish_have_room_on_their_board(more, players, most):
    look = more.game.scene if most == 6 else laid({"MAX_FISH": most}).game.scene
    for p, (x, y, width) in look.art.seats(players, 0).items():
        places = [look.art.spot(players, 0, False, p, "fish", k) for k in range(most)]
        assert len(set(places)) == most
        for a, b in places:
            assert x + 150 < a < x + width - 9
            assert y < b < y + look.art.OTHER_TALL
        free = look.art.spot(players, 0, False, p, "down", 0)
        assert all(a < free[0] - 20 or b != free[1] or (width > 600) != (p == 0) for a, b in places)


def test_R42_fish_lie_in_their_holes(more):
    look = more.game.scene
    match = more.base_m("s1.D2", (1, 4, 0), fish=6, others_fish=6)
    parts = look.scene(match.view(0), 0).parts
    for p, (x, y, _) in look.art.seats(2, 0).items():
        holes = re.findall(r'href="#hr-hole" transform="translate\(([\d.]+) ([\d.]+)\)', parts[f"board-{p}"])
        fish = [re.search(r"translate\(([\d.]+) ([\d.]+)\)", parts[f"fish-{p}-{k}"]).groups() for k in range(6)]
        assert [(float(a) + x, float(b) + y) for a, b in holes] == [(float(a), float(b)) for a, b in fish]


def test_R46_the_line_gives_what_its_card_says(regatta, more, least):
    assert [dot_words(game, "start dot").partition("get ")[2] for game in (regatta, more, least)] == [
        "1 fish, a wedge and a Favor.",
        "2 fish, a wedge and a Favor.",
        "a wedge.",
    ]


def test_R46_the_line_is_forecast_with_all_its_fish(more):
    """A ship without fish crosses the line and feeds two Hydras behind it."""
    match = more.lay(2, ["s11.A3", "s9.D4"], fleece=1, on={1: "W13"})
    start, hydra = more.dot(match, "s11.A3"), more.dot(match, "s1.A3")
    found = more.game.scene.forecast.reach(
        tuple(match.state.top.tolist()), frozenset(), start, -1, (1, 6, 0), 0, 0, (4,), 0, (False, False)
    )
    assert found.cost[hydra] == 4
    assert found.battles == set()


def test_R46_a_line_that_gives_no_fish_says_nothing_about_room(least):
    match = least.base_m("s11.A3", (1, 0, 0))
    assert match.state.laps[0] == 1
    assert not [event for event in match.events if event.name in ("fish", "full")]


# ---- Favors -----------------------------------------------------------------------------------------------------------------


def test_R43_a_dot_says_how_many_favors_a_turn_gives(regatta, more, least):
    assert "at most 2 a turn" in dot_words(regatta, "Favor")
    assert "at most 1 a turn" in dot_words(more, "Favor")
    assert dot_words(least, "Favor") == "No Favors are drawn in this game."


@pytest.mark.parametrize(
    ("god", "number", "said"),
    [
        ("Demeter", 3, "Take 3 fish: while rolling, at a fork, at a Hydra or after your last dot."),
        ("Hephaestus", 1, "Sail 1 dot further."),
        ("Poseidon", 5, "Sail 5 dots at once."),
        ("Zeus", 2, "Every other player returns 2 fish."),
        ("Aeolus", 1, "Your next voyage is 1 dot shorter, but at least 1 dot long."),
        ("Hades", 3, "Return 3 fish before you roll."),
    ],
)
def test_R35_a_card_says_the_number_it_has(regatta, god, number, said):
    line = next(line for line in regatta.content.FAVORS.splitlines() if line.startswith(god))
    parts = line.split("|")
    parts[3] = str(number)
    assert regatta.content.parse_favor("|".join(parts)).text == said


def test_R35_a_changed_card_is_changed_everywhere():
    game = laid({"FAVORS[Dionysus,4]": 2, "FAVORS[Aeolus,4]": 5, "MORE_COPIES[trident]": 1})
    look, content = game.game.scene, game.game.rules.CARD_NAMES
    thief = content.index("Dionysus")
    assert look.content.CARD_TEXTS[thief] == "Take 2 fish from another player."
    match = game.game.new(seed=1, players=3)
    s = match.state
    s.phase, s.to_move, s.fish[1], s.fish[2] = look.rules.STEAL, 0, 2, 2
    view = match.view(0)
    assert look.prompt(view, 0) == "Red, Dionysus takes 2 fish: click the board to take from."
    s.disc = sum(1 << card for card, name in enumerate(content) if name == "Zeus" or name == "Ares")
    cards = {}
    look.words.stack_cards(kit.Fields(match.view(0)), cards)
    assert cards["discard"].text == "Zeus twice, Ares 3 times."


def test_R35_a_number_that_a_card_cannot_show_is_named(regatta):
    with pytest.raises(regatta.content.ContentError, match=r"Favor Zeus: the text may hold \{fish\} and \{dots\}"):
        regatta.content.parse_favor("Zeus|bolt|ALL_LOSE_FISH|1|2|0|Every other player returns {fishes}.")


# ---- the rest ---------------------------------------------------------------------------------------------------------------


def test_R24_cards_do_not_say_that_wedges_which_cover_nothing_count(regatta, least):
    assert "only the top one counts" in regatta.game.scene.words.piece_cards(3, 4, 2)["piece-3"].text
    assert "only the top one counts" not in least.game.scene.words.piece_cards(3, 4, 2)["piece-3"].text


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"RING_SLOTS": 11}, "12 slots"),
        ({"MAX_DOTS": 17}, "16 dots"),
        ({"MAX_EXITS": 4}, "3 exits"),
        ({"LINE_FISH": -1}, "fish"),
        ({"BOOST": 4}, "boosts of 3 dots"),
        ({"WEDGES_COVER": 2}, "WEDGES_COVER must be 0 or 1"),
        ({"DEPTH": 40}, "no more than 20 decisions"),
    ],
)
def test_a_constant_that_cannot_be_changed_is_refused_with_a_reason(change, why):
    with pytest.raises(BadChange, match=why):
        rulestone.load("hydra_regatta", changes=change)


def test_the_bits_of_flags_are_not_constants(regatta):
    assert not {"SKIP", "FREE", "BATTLE", "NOPROT", "NO2"} & set(regatta.game.constants)
