"""The pieces as data: every wedge fits every other, the counts are those of the game, and a mistake is named."""

from collections import Counter

import pytest

from rulestone.games.hydra_regatta import content
from rulestone.games.hydra_regatta.content import ContentError, parse_favor, parse_favors, parse_wedge, parse_wedges

WEDGE_LINES = content.WEDGES.strip().splitlines()
FAVOR_LINES = content.FAVORS.strip().splitlines()


def icons(wedges):
    return Counter(dot.icon for wedge in wedges for dot in wedge.dots)


def test_R1_counts_of_wedges_dots_and_icons():
    course = content.COURSE
    assert len(course) == 29
    marked, others = course[:12], course[12:28]
    assert (sum(len(wedge.dots) for wedge in marked), sum(len(wedge.dots) for wedge in others)) == (147, 186)
    assert icons(marked) == {".": 96, "f": 14, "g": 9, "w": 8, "+": 1, "H": 15, "Y": 2, "Z": 2}
    assert icons(others) == {".": 115, "f": 15, "g": 12, "w": 9, "+": 5, "H": 26, "Y": 2, "Z": 2}
    assert {len(wedge.dots) for wedge in course[:28]} <= set(range(6, 16))


def test_R1_counts_of_favors():
    kinds = Counter(content.KINDS[kind] for kind in content.KIND)
    assert kinds == {"boat": 18, "bolt": 10, "trident": 8}
    assert len(content.GODS) == 18
    assert [content.CARD_NAMES[card] for card in content.STARTER] == ["Demeter", "Apollo", "Hephaestus", "Janus"]
    assert list(content.STARTER) == [0, 2, 4, 6]
    assert list(content.TYPE) == [card // 2 for card in range(36)]


@pytest.mark.parametrize("wedge", content.COURSE, ids=lambda wedge: wedge.id)
def test_R24_Q2_every_wedge_lines_up_with_every_other(wedge):
    """Four seams in, each to one dot; four seams out, all of which can be reached: so any wedge fits behind and before any other."""
    assert len(wedge.entries) == 4
    assert all(0 <= entry < len(wedge.dots) for entry in wedge.entries)
    seams = {target for dot in wedge.dots for _, target in dot.exits if target >= 16}
    assert seams == {16, 17, 18, 19}


@pytest.mark.parametrize("wedge", content.COURSE, ids=lambda wedge: wedge.id)
def test_R29_Q19_every_dot_is_reachable_leads_on_and_clockwise(wedge):
    passed = {dot for entry in wedge.entries for way in wedge.ways(entry) for dot in way}
    assert passed == set(range(len(wedge.dots)))
    for dot in wedge.dots:
        assert 1 <= len(dot.exits) <= 3
        assert all(target >= 16 or wedge.dots[target].angle > dot.angle for _, target in dot.exits)


def test_Q1_the_starting_line_has_one_start_dot_in_each_lane():
    line = content.COURSE[28]
    assert [(dot.lane, dot.icon) for dot in line.dots] == [(lane, "S") for lane in range(4)]
    assert list(content.START_DOT) == [0, 1, 2, 3]


def test_Q16_Q31_exits_are_in_the_order_of_step():
    def exits(wedge, name):
        dots = content.COURSE[wedge - 1].dots
        found = dots[content.COURSE[wedge - 1].index(name)].exits
        return [("abcd"[target - 16] if target >= 16 else dots[target].name) for _, target in found]

    assert exits(1, "C2") == ["B3", "C3", "D3"]
    assert exits(3, "B1") == ["C2", "B2", "A1"]  # a whirlpool: by the number of the path
    assert exits(5, "A1") == ["a", "B3"]
    assert exits(22, "A1") == ["B1", "A2", "a"]
    assert exits(26, "C1") == ["c", "D3"]
    assert exits(27, "A1") == ["a", "b"]
    assert exits(2, "A2") == ["b"]  # two lanes change places


def test_Q40_dots_before_the_line_would_be_marked():
    line = parse_wedge("SL|-|Starting Line|. S|S|S|S|||")
    assert [any(line.dots[later].icon == "S" for way in line.ways(dot) for later in way[1:]) for dot in range(5)] == [
        True,
        False,
        False,
        False,
        False,
    ]


def test_Q22_no_boost_twice_on_one_way_through_a_wedge():
    assert all(wedge.best(lambda dot: dot.icon == "+") <= 1 for wedge in content.COURSE)


def test_longest_and_shortest_laps():
    """Section 8: a lap has at most 57 dots and at least 21."""
    assert content.LONGEST_LAP == 57
    shortest = sorted(-wedge.best(lambda dot: -1) for wedge in content.COURSE[:28])
    assert sum(shortest[:11]) + 1 <= 21


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("W01|1|Calm|f .|.|.|.|", "W01.*10 parts"),
        ("W01|7|Calm|.|.|.|.|||", "W01 .Calm.*symbol"),
        ("W01|1|Calm|x|.|.|.|||", "W01 .Calm.*'x' in lane A is no dot"),
        ("W01|1|Calm||.|.|.|||", "W01 .Calm.*lane A has no dot"),
        ("W01|1|Calm|. . . . .|.|.|.|||", "W01 .Calm.*lane A has 5 dots"),
        ("W01|1|Calm|.@14|.|.|.|||", "W01 .Calm.*angle is 1 to 11"),
        ("W01|1|Calm|.@5 .@5|.|.|.|||", "W01 .Calm.*does not lead clockwise"),
        ("W01|1|Calm|.|.|.|.|A1>B9||", "W01 .Calm.*no dot B9"),
        ("W01|1|Calm|.|.|.|.|A1>||", "W01 .Calm.*'A1>' is no way"),
        ("W01|1|Calm|.|.|.|.|A1>a||", "W01 .Calm.*there twice"),
        ("W01|1|Calm|. .|.|.|.|A2>A1||", "W01 .Calm.*A2>A1 does not lead clockwise"),
        ("W01|1|Calm|. .|. .|. .|. .|A1>B2 A1>C2 A1>D2||", "W01 .Calm.*A1 has 4 exits"),
        ("W01|1|Calm|. .|.|.|.||A1=b|", "W01 .Calm.*not the last dot"),
        ("W01|1|Calm|.|.|.|.||A1~b|", "W01 .Calm.*no change"),
        ("W01|1|Calm|.|.|.|.||A1=b|", "W01 .Calm.*no way leads out at seam a"),
        ("W01|1|Calm|.|.|.|.||in:A=B1|", "W01 .Calm.*no way leads to A1"),
        ("W01|1|Calm|Y .|. .|.|.|||A1:1>A2 A1:2>B2", "W01 .Calm.*whirlpool A1 needs the paths"),
        ("W01|1|Calm|. .|. .|.|.|||A1:1>A2", "W01 .Calm.*A1 has marked paths but is no whirlpool"),
        ("W01|1|Calm|Z .|. .|. .|.|A1>B2||A1:0>A2 A1:1>B2 A1:2>C2", "W01 .Calm.*no extra ways"),
        ("W01|1|Calm|. .|.|.|.|||A1:x>A2", "W01 .Calm.*no whirlpool path"),
        ("W01|1|Calm|S|.|.|.|||", "W01 .Calm.*only the Starting Line"),
    ],
)
def test_a_malformed_wedge_is_named(line, what):
    with pytest.raises(ContentError, match=what):
        parse_wedge(line)


def test_dots_may_have_angles_of_their_own():
    wedge = parse_wedge("W01|1|Calm|. f@7 .@9|.|.|.|||")
    assert [dot.angle for dot in wedge.dots[:3]] == [3, 7, 9]


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda lines: lines[:-1], "27 wedges"),
        (lambda lines: [lines[1], *lines[1:]], "W02.*here W01 should stand"),
        (lambda lines: ["W01|0" + lines[0][5:], *lines[1:]], "symbol 1 is on 2 wedges"),
        (lambda lines: [*lines[:16], *(f"W{k:02}|0|Rapids{k}|+|+|+|+|||" for k in range(17, 29))], "Rapids.*sail for ever"),
    ],
)
def test_wedges_that_do_not_make_a_complete_game_are_named(change, what):
    with pytest.raises(ContentError, match=what):
        parse_wedges("\n".join(change(WEDGE_LINES)))


def test_a_starting_line_without_four_start_dots_is_named():
    with pytest.raises(ContentError, match=r"SL \(Starting Line\)"):
        parse_wedges(content.WEDGES, "SL|-|Starting Line|S|S|S|.|||")


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("Zeus|bolt|ALL_LOSE_FISH|1|2|0", "Favor Zeus.*7 parts"),
        ("|bolt|ALL_LOSE_FISH|1|2|0|x", "without a name"),
        ("Zeus|flash|ALL_LOSE_FISH|1|2|0|x", "Favor Zeus.*kind is boat, bolt, trident"),
        ("Zeus|bolt|SLOW|1|2|0|x", "Favor Zeus.*a bolt cannot have the effect 'SLOW'"),
        ("Zeus|bolt|ALL_LOSE_FISH|one|2|0|x", "Favor Zeus.*parameter is a number"),
        ("Zeus|bolt|ALL_LOSE_FISH|9|2|0|x", "Favor Zeus.*parameter of ALL_LOSE_FISH is 1 to 3"),
        ("Zeus|bolt|ALL_LOSE_FISH|1|0|0|x", "Favor Zeus.*at least 1 copy"),
        ("Zeus|bolt|ALL_LOSE_FISH|1|2|1|x", "Favor Zeus.*a Starter is a boat"),
    ],
)
def test_a_malformed_favor_is_named(line, what):
    with pytest.raises(ContentError, match=what):
        parse_favor(line)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda lines: lines[:-1], "34 Favor cards"),
        (lambda lines: [*lines[:-1], lines[-2]], "Favor Eris.*two lines"),
        (lambda lines: [lines[0].replace("|2|1|", "|2|2|"), *lines[1:]], "Starter number 1 belongs to 0"),
        (lambda lines: [*lines[:-1], "Hermes2|bolt|STEAL_FISH|2|2|0|x"], "Favor Hermes2.*equally many"),
    ],
)
def test_favors_that_do_not_make_a_complete_deck_are_named(change, what):
    with pytest.raises(ContentError, match=what):
        parse_favors("\n".join(change(FAVOR_LINES)))
