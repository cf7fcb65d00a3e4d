"""The face of the Hydra Regatta: pictures, clicks and words, for every number of players and every pair of eyes."""

import random
import re
from itertools import combinations
from math import hypot
from pathlib import Path

import pytest

from rulestone.games.hydra_regatta import scene as look
from rulestone.games.hydra_regatta.content import COURSE, START_WEDGE
from rulestone.games.hydra_regatta.rules import ENDWIN, EVENTS, FIRST, GAIA, HYDRA, MOVE, SECOND, SLOTS, TARGET, WEDGE
from rulestone.kernel.story import Event
from rulestone.table import Face, kit

KNOWN_RULES = set(re.findall(r"\*\*([RQ]\d+)\*\*", Path(look.__file__).with_name("RULES.md").read_text()))
IDS = re.compile(r'\bid="([^"]+)"')


@pytest.fixture(scope="module")
def game(regatta):
    return regatta.game


@pytest.fixture(scope="module")
def face(game):
    return Face.of(game)


def positions(game, players, seed, every=7, plies=250, **options):
    """Matches along a random game, from the first to the last position."""
    match, chance = game.new(seed=seed, players=players, options={"roll_mode": "sequential"} | options), random.Random(seed)
    while match.ply < plies and not match.over:
        if match.ply % every == 0 or match.ply < 2:
            yield match
        match.play(chance.choice(match.legal()))
    yield match


def ids(scene):
    """Every id that the page can find, nested ones too."""
    return IDS.findall(scene.inline())


def test_every_event_can_be_said_with_its_rule(game, face):
    view = game.new(seed=1, players=4).view(0)
    for name in EVENTS.order:
        said = face.say(view, Event(name, (1,) * len(EVENTS.arguments[name])))
        tags = re.findall(r"\[(\w+)\]$", said)
        assert tags, said
        assert set(tags) <= KNOWN_RULES
        assert "slot" not in said.replace("Favor slot", ""), said


@pytest.mark.parametrize("players", [2, 4])
def test_steps_follow_the_events_and_put_everything_back(game, face, players):
    seen = set()
    for match in positions(game, players, 30 + players, every=1, plies=130):
        if match.over:
            break
        seat = match.to_move
        before, trial = match.view(seat), match.copy()
        trial.play(trial.legal()[0])
        after = trial.view(seat)
        here = set(ids(face.scene(before, seat)))
        steps = look.steps(before, after, after.events)
        assert [step.event for step in steps if step.event is not None] == list(range(len(after.events)))
        fetched, last = {}, {}
        for step in steps:
            assert set(step.go) | set(step.flash) <= here
            fetched.update({id: at for id, at in step.go.items() if id.startswith(("face", "navface", "left", "of-", "sailed", "note"))})
            last.update({id: at for id, at in step.go.items() if id.startswith("ship")})
        assert all(at == kit.PARK for at in fetched.values())
        t = kit.Fields(after)
        for id, at in last.items():
            assert at == look.ship_at(t, int(id[5:]))
        seen |= {event.name for event in after.events}
    assert {"sails", "nav", "lap", "places", "fleece"} <= seen


def test_the_ship_shows_how_far_it_has_sailed(regatta, face):
    match = regatta.base_m("s1.D2", (1, 4, 0))
    before = match.view(0)
    assert ">of 5</text>" in face.scene(before, 0).parts["ship-0"]
    match.play(match.legal()[0])
    after = match.view(0)
    told = [
        {id for id, at in step.go.items() if id.startswith(("of-", "sailed")) and at != kit.PARK}
        for step in look.steps(before, after, after.events)
    ]
    assert {"of-5", "sailed-1"} in told


def test_a_fish_fed_to_the_hydra_flies_to_her(regatta):
    match = regatta.base_m("s1.D2", (1, 4, 0), fish=2)
    before = match.view(0)
    fed = look.steps(before, before, [Event("feeds", (0,)), Event("feeds", (0,)), Event("fish", (0, 1, 1)), Event("feeds", (0,))])
    flights = [{id: at for id, at in step.go.items() if id.startswith("fish")} for step in fed if step.event is not None]
    assert flights == [{"fish-0-1": look.art.MIDDLE}, {"fish-0-0": look.art.MIDDLE}, {}, {"fish-0-0": look.art.MIDDLE}]


def test_rings_show_exactly_where_a_voyage_can_end(regatta):
    """Every way on is really sailed: Hydras, boosts, whirlpools and a ship to pass; Favors, which the rings leave out, do not occur."""
    checked = 0
    starts = (("s1.D2", (1, 4, 0), 0), ("s2.B1", (3, 5, 4), 1), ("s3.B1", (2, 3, 0), 0), ("s6.C1", (1, 2, 5), 2), ("s7.D1", (2, 6, 3), 3))
    for at, dice, fish in starts:
        match = regatta.base_m(at, dice, fish=fish, other="s7.D2" if at == "s6.C1" else "s5.D1")
        t = kit.Fields(match.view(0))
        _, _, ruled, exits = look.forecast.fork(t)
        for e, _, fits, _, _ in exits:
            if fits:
                assert look.forecast.reach_of(t, 0, (t.move,), e if ruled else e + 4).ends[0] == sailed(match, e), (at, dice, e)
                checked += 1
    assert checked > len(starts)


def test_a_click_on_an_end_dot_leads_there(regatta, face):
    """Following the routes, whichever of several is taken, the voyage ends on the very dot."""
    clicked = 0
    for at, dice, fish in (("s1.D2", (1, 4, 0), 0), ("s6.C1", (1, 2, 5), 2), ("s7.D1", (2, 6, 3), 3)):
        start = regatta.base_m(at, dice, fish=fish)
        for end in [id for id in face.scene(start.view(0), 0).parts if id.startswith("end-")]:
            match, last = start.copy(), None
            while match.to_move == 0 and match.state.phase in (MOVE, HYDRA):
                shown = face.scene(match.view(0), 0).parts.get(end, "")
                route = [move for found in re.findall(r'data-route="([^"]+)"', shown) for move in found.split("|")]
                match.play(route[-1] if route else next(move for move in match.legal() if move.verb in ("feed", "battle")))
                last = next((event for event in reversed(match.events) if event.name == "sails" and event.args[0] == 0), last)
            t = kit.Fields(match.view(0))
            assert f"end-{look.forecast.offset_of(t, last.args[2])}-{last.args[1] % 16}" == end
            clicked += 1
    assert clicked > 8


def test_touch_areas_belong_to_what_they_mean(game, face):
    """Everything to click has an unseen area round its ring, which ends halfway to whatever else can be clicked."""
    checked = 0
    for match in positions(game, 3, 5, every=1, plies=150):
        if match.state.phase != MOVE:
            continue
        view = match.view(match.to_move)
        parts = face.scene(view, match.to_move).parts
        spots = look.voyage(kit.Fields(view)).spots
        for id, own in spots.items():
            others = [spot for other, some in spots.items() if other != id for spot in some]
            drawn = re.search(r'<path d="([^"]+)" opacity="0"/>', parts[id])
            if not drawn:
                assert f'<circle r="{look.art.FINGER if id.startswith("end") else look.art.CLOSE}" opacity="0"/>' in parts[id]
                continue
            for corners in drawn[1].split("z")[:-1]:
                x, y = own[0]
                numbers = [int(number) for number in re.findall(r"-?\d+", corners)]
                for dx, dy in zip(numbers[::2], numbers[1::2], strict=True):
                    x, y = x + dx, y + dy
                    assert min(hypot(x - a, y - b) for a, b in own) < min([99, *(hypot(x - a, y - b) for a, b in others)]) + 2
                    checked += 1
    assert checked > 100


def test_the_log_of_a_ship_is_not_on_a_ship(game):
    for players in (2, 4):
        for match in positions(game, players, 6, every=1, plies=150):
            t = kit.Fields(match.view(0))
            t.voyage = look.voyage(t) if t.phase == MOVE else None
            _, (dx, dy) = look.places_for_words(t)
            if t.phase == MOVE:
                x, y = look.ship_at(t, t.mover)
                ships = [look.ship_at(t, p) for p in range(players)]
                assert all(abs(x + dx + 3 - a) > 45 or not -50 < y + dy - b < 18 for a, b in ships)
                assert 0 < y + dy < look.art.OTHERS


def sailed(match, exit_):
    """Where a movement ends that leaves by this exit, tried out."""
    ends, todo = set(), [(match, f"step {exit_}")]
    while todo:
        here, move = todo.pop()
        trial = here.copy()
        trial.play(move)
        # the last dot of the movement: what is revealed afterwards (Poseidon) does not count
        moved = [event for event in trial.events if event.name == "sails" and event.args[0] == 0]
        battle = any(event.name == "battles" for event in trial.events)
        stop = next((event for event in moved if event.args[3] == 0 and not boosted(trial.events, event)), None)
        if stop is None and battle:
            names = [event.name for event in trial.events]
            stop = [event for event in trial.events[: names.index("battles")] if event.name == "sails"][-1]
        if stop is not None:
            ends.add(stop.args[2] * 16 + stop.args[1] % 16)
        else:
            todo += [(trial, str(other)) for other in trial.legal() if other.verb in ("step", "feed")]
    return ends


def boosted(events, sail):
    """Whether the dot of this step gave more movement."""
    after = events[events.index(sail) + 1 :]
    return bool(after) and after[0].name == "boost"


def test_second_die_outlook_names_every_result(regatta):
    match = regatta.base_r(fish=0, wanted=(2, 3))
    t = kit.Fields(match.view(0))
    assert (t.phase, t.mover) == (FIRST, 0)
    marks = look.forecast.outlook(t, 0)
    told = set("".join(marks.values()).replace("-", "").replace(",", ""))
    assert "x" in told
    assert told <= set("3456x")
    assert look.forecast.short(["3", "4", "5"]) == "3-5"
    assert look.forecast.short(["3", "5", "x"]) == "3,5x"
    scene = look.scene(match.view(0), 0)
    assert all(f">{words}</text>" in scene.parts["outlook"] for words in marks.values())
    assert re.search(r'class="[^"]*\bodds"[^>]*>67 % safe</text>', scene.parts["do-roll2"])


@pytest.mark.parametrize(
    ("dice", "said"),
    [
        ((2, 3), "stop with a total of 5 or roll a second die: 3 or more counts, less is a bust and leaves you only 2."),
        ((2, 6), "stop with a total of 8 or roll a second die: only a 6 counts, less is a bust and leaves you only 2."),
        ((2, 1), "stop with a total of 3 or roll a second die: any number counts."),
    ],
)
def test_the_second_die_is_explained(regatta, face, dice, said):
    """R17-R21: also when nothing can go wrong."""
    assert face.prompt(regatta.base_r(fish=0, wanted=dice).view(0), 0) == f"Red, {said}"


def test_no_favor_is_offered_before_the_second_die(regatta, face):
    """Q7: Apollo never rerolls the first one."""
    match = regatta.base_r(fish=0, wanted=(2,), slots=("Apollo",))
    regatta.roll(match, "nav_keep", 2, 3)
    assert "total of 5 or roll a second die: 3 or more" in face.prompt(match.view(0), 0)


def test_a_bust_to_be_accepted_counts_nothing(regatta, face):
    match = regatta.base_r(fish=1, wanted=(2,))
    regatta.roll(match, "nav_keep", 2, 3)
    regatta.roll(match, "roll2", 2, 3, 1)
    view = match.view(0)
    assert match.state.phase == SECOND
    assert [move["label"] for move in face.moves(view)] == ["Accept the bust: 2", "Reroll (1 fish)"]
    assert ">= 2</text>" in face.scene(view, 0).parts["board-0"]


def test_buttons_have_their_place_on_your_own_board(game, face):
    """Below the words under the dice, left of the Favors, beside each other, wide enough for what they say and high enough for a thumb."""
    seen = set()
    for players in (2, 3, 4):
        for match in positions(game, players, players, every=1):
            if match.over:
                break
            seat = match.to_move
            parts = face.scene(match.view(seat), seat).parts
            left, top, _ = look.art.seats(players, seat)[seat]
            (words,) = re.findall(r'y="(\d+)" font-size="(\d+)"[^>]*>navigation<', parts[f"board-{seat}"])
            edge = left + 8
            for id in (id for id in parts if id.startswith(("do-", "value-"))):
                x, y = (float(number) for number in re.search(r"translate\(([\d.]+) ([\d.]+)\)", parts[id]).groups())
                width, tall = (float(number) for number in re.search(r'<rect width="([\d.]+)" height="([\d.]+)"', parts[id]).groups())
                assert y > top + int(words[0]) + int(words[1]) / 2 + 3
                assert y + tall < top + look.art.OWN_TALL - 5
                assert x > edge
                edge = x + width + 6
                assert edge < left + 405
                assert tall * 384 / look.art.WIDTH > 28
                for size, said in re.findall(r'font-size="(\d+)"[^>]*>([^<]+)</text>', parts[id]):
                    assert len(said) * int(size) * 0.57 < width - 4, said
                seen.add(id)
    assert {"do-nav_keep", "do-hold", "do-roll2", "do-accept2", "do-reroll2", "do-end_move"} <= seen


def test_the_fleece_doubles_beside_the_die(regatta, face):
    """The sign is on the holder's board, not on the Fleece."""
    view = regatta.base_r(fish=0, wanted=(2, 3)).view(0)
    parts = face.scene(view, 0).parts
    assert [id for id in parts if ">×2</text>" in parts[id]] == ["board-2"]


def test_only_a_price_is_labelled(game):
    """Scylla's free path has no label."""
    said = set()
    for seed in range(9):
        for match in positions(game, 3, seed, every=1):
            if match.state.phase == MOVE:
                view = match.view(match.to_move)
                _, icon, ruled, exits = look.forecast.fork(kit.Fields(view))
                if ruled and icon == look.content.IS.SCYLLA:
                    for move in view.legal():
                        if move.verb == "step":
                            price = exits[move.args[0]][1]
                            label = look.say_move(view, move)
                            assert (f"paying {price} fish" in label) == (price > 0)
                            assert ("paying" in label) == (price > 0)
                            said.add(price)
        if said == {0, 1, 2}:
            return
    raise AssertionError(said)


def test_two_ways_to_one_dot_have_different_labels(regatta, face):
    """W27 leaves A1 by the seams a and b, and W22 brings both to its first dot."""
    match = regatta.base_m("s2.A1", (2, 3, 0), on={2: "W27", 3: "W22"})
    view = match.view(0)
    moves = face.moves(view)
    scene = face.scene(view, 0)
    assert len({tuple(move["picks"]) for move in moves}) == len(moves)
    assert len({scene.parts[move["picks"][0]].split("<circle")[0].split("transform")[1] for move in moves}) == len(moves) == 2


def test_closed_paths_say_why(regatta, face):
    match = regatta.base_m("s3.B1", (2, 5, 3), fish=0)
    view = match.view(0)
    scene = face.scene(view, 0)
    closed = [id for id in scene.parts if id.startswith("closed")]
    assert len(closed) == 1
    assert "needs a die showing 1" in scene.cards[closed[0]].text
    assert "[R47]" in face.why_not(view, closed[0])


def test_wrong_clicks_are_answered(game, face):
    for match in positions(game, 4, 3, every=29, plies=120):
        view = match.view(match.to_move)
        for id in ids(face.scene(view, match.to_move)):
            said = face.why_not(view, id)
            assert said[0].isupper()
            assert re.search(r"\.( \[[RQ]\d+(, [RQ]\d+)*\])?$", said)
    match = next(match for match in positions(game, 3, 4, every=1) if match.state.phase == WEDGE)
    view = match.view(match.to_move)
    assert "[R25]" in face.why_not(view, f"piece-{START_WEDGE}")
    under = match.state.top[int(match.state.pos[0]) // 16]
    assert "R25" in face.why_not(view, f"piece-{under}") or "R26" in face.why_not(view, f"piece-{under}")


def test_a_wedge_can_be_tried_on_every_place(game, face):
    """Hovering over a place shows the new wedge there; with two wedges you choose one first."""
    seen = set()
    for seed in range(9):
        for match in positions(game, 2, seed, every=1):
            if match.state.phase in (WEDGE, GAIA):
                view = match.view(match.to_move)
                scene = face.scene(view, match.to_move)
                moves = face.moves(view)
                seen.add(len(moves[0]["picks"]))
                if len(moves[0]["picks"]) == 1:
                    previewed = set(re.findall(r'data-hover="(piece-\d+)"', scene.inline()))
                    assert previewed == {move["picks"][0] for move in moves}
        if seen == {1, 2}:
            return
    raise AssertionError(seen)


def test_all_questions_have_a_prompt_of_their_own(game, face):
    """The phases that random games reach, each in its words."""
    said = {}
    for seed in range(4):
        for match in positions(game, 4, seed, every=1):
            if not match.over:
                said[int(match.state.phase)] = face.prompt(match.view(match.to_move), match.to_move)
    assert {MOVE, FIRST, SECOND, WEDGE, SLOTS, TARGET, ENDWIN} <= set(said)
    assert len(set(said.values())) == len(said)


def test_ranks_match_the_rules(game, face):
    for players in (2, 4):
        *_, match = positions(game, players, 8, plies=2000, every=500)
        assert match.over
        t = kit.Fields(match.view(None))
        assert sorted(range(players), key=look.forecast.ranking(t).__getitem__) == t.rank[:players]
        who, why = face.ending(match.view(None))
        assert who.endswith("wins the regatta!")
        assert re.search(r"\[(R57|Q39)\]$", why)
        assert "banner" in face.scene(match.view(None), None).parts


def test_crossings_without_a_dot_are_bridges():
    """Q16: the crossed exits of W02 and W04; lines that meet in a dot are none."""
    assert len(look.art.bridges(1)) >= 1
    assert len(look.art.bridges(3)) >= 1
    assert look.art.bridges(START_WEDGE) == []
    for wedge in range(len(COURSE)):
        for way, share in look.art.bridges(wedge):
            assert 0 < share < 1
            assert way in look.art.ways(wedge)


def test_dots_keep_their_distance():
    """No dot of a wedge is drawn over another; open water is a smaller dot."""
    for wedge, pieces in enumerate(COURSE):
        for a, b in combinations(range(len(pieces.dots)), 2):
            (x, y), (u, v) = look.art.dot_at(wedge, a, 4), look.art.dot_at(wedge, b, 4)
            room = sum(7.5 if pieces.dots[d].icon == "." else look.art.DOT + 1 for d in (a, b))
            assert (x - u) ** 2 + (y - v) ** 2 > room**2


def test_the_drawing_for_terminals(game):
    for match in positions(game, 3, 4, every=40):
        rows = look.text(match.view(None)).splitlines()
        assert len(rows) == 4 + 1 + 3
        assert all(row.count("|") == 13 for row in rows[:4])


def test_every_favor_says_what_is_reconstructed():
    cards = look.words.FAVOR_CARDS
    printed = {card.name.split(" ")[0] for card in cards if card.text.endswith("Its name is printed, its text is ours.")}
    assert printed == {"Demeter", "Apollo", "Hephaestus", "Janus"}
    assert sum(card.text.endswith("Name and text are ours.") for card in cards) == 28


def test_while_everybody_rolls_all_see_who_is_ready(regatta, face):
    """Q5: players who decide are ringed, those who are ready are ticked; their dice are hidden."""
    match = regatta.base_t(fish=0, wanted=(2, 5), seat1_fish=0)
    match.play("hold", player=0)
    for seat, dice in ((0, {"nav-0", "first-0"}), (1, {"nav-1", "first-1"}), (None, set())):
        scene = face.scene(match.view(seat), seat)
        assert {id for id in scene.parts if id.startswith(("nav-", "first-", "second-"))} == dice
        assert scene.parts["order"].count("✓") == 1
        assert scene.title.endswith("Blue and Green to move.")
    assert face.prompt(match.view(1), 1).startswith("Blue, stop with a total of")
    match.play("hold", player=2)
    before = match.view(0)
    match.play("hold", player=1)
    steps = look.steps(before, match.view(0), match.view(0).events)
    shown = [id for step in steps for id in step.flash if id.startswith("navface")]
    assert len(shown) == 3
