"""What the lab measures in the Hydra Regatta, counted again from the story of whole races and in positions written by hand."""

import random
from collections import Counter

import pytest

import rulestone
from rulestone.games.hydra_regatta.content import COURSE, LANE, MAX_DOTS, START_WEDGE, TYPE, WEDGE_NAMES
from rulestone.games.hydra_regatta.measures import CROSS, FAR, FIRST_WITH, LEAVE, MEASURES
from rulestone.lab.count import Counter as LabCounter
from tests.games.hydra_regatta.conftest import Regatta
from tests.watched import Watched as Measured

NONE = 255


class Watched(Measured):
    """With the question and what the player had before each move."""

    def __init__(self, match):
        super().__init__(match)
        self.to_go = self.maker.bind(match.game.measures.to_go)
        self.story = [(None, match.events)]
        self.asked = []

    def play(self, move, rng=None):
        player, action, s = self.match.to_move, self.match.game.actions.parse(move), self.match.state
        self.asked.append((s.phase, int(s.d1[player]), int(s.fish[player]), str(self.match.game.actions.decode(action))))
        self.story.append((player, self.step(action, rng)))
        return self


@pytest.fixture(scope="module", params=[2, 3, 4])
def played(request, regatta):
    races = []
    for seed in range(4):
        options = {"laps": 1 + seed % 2, "roll_mode": "sequential"}  # so that everything is told
        watched = Watched(regatta.game.new(seed=seed, players=request.param, options=options))
        choice = random.Random(seed)
        while not watched.match.over:
            watched.play(choice.choice(watched.match.legal()))
        races.append(watched)
    return races


def test_the_race_and_its_end(played):
    for race in played:
        n, s = race.match.players, race.match.state
        assert race.rounds == len(race.events("round")) == race.ship_turns // n
        finishers = [event.args[0] for event in race.events("lap") if event.args[1] >= race.match.options["laps"]]
        winner = race.events("wins")[0].args[0]
        assert race.overtaken == (finishers[0] != winner)
        assert sum(race.of("fleece_rounds", n)) == race.rounds
        assert sorted(race.of("last_order", n)) == list(range(n))
        assert race.of("last_order", n)[s.fleece] == 0
        assert sorted(race.of("placing", n)) == list(range(n))
        assert race.of("last_placer", n).index(1) == race.events("first_fleece")[0].args[0]
        assert sorted(race.of("lane", n)) == sorted(event.args[1] for event in race.events("ship"))
        assert race.boards == race.ship_turns
        assert race.spread >= 0
        assert race.lead_changes < race.rounds


def test_dice_match_the_story(played):
    for race in played:
        n = race.match.players
        first = [(die, fish, move) for phase, die, fish, move in race.asked if phase == 2 and move in ("hold", "roll2")]
        asked, dared = Counter((die, fish) for die, fish, _ in first), Counter((die, fish) for die, fish, move in first if move == "roll2")
        assert race.of("asked", 24) == [asked[die, fish] for die in range(1, 7) for fish in range(4)]
        assert race.of("dared", 24) == [dared[die, fish] for die in range(1, 7) for fish in range(4)]
        assert race.dares == sum(dared.values()) == sum(race.of("dares_by_die", 6))
        busts, good = race.events("bust"), race.events("success")
        assert race.busts == len(busts)
        assert race.lost_movement == sum(event.args[2] for event in busts) == sum(race.of("loss_by_die", 6))
        assert race.won_movement == sum(event.args[2] for event in good) == sum(race.of("gain_by_die", 6))
        voyages = race.events("voyage")
        assert race.of("movement", n) == [sum(event.args[1] for event in voyages if event.args[0] == p) for p in range(n)]
        assert len(voyages) == race.ship_turns
        assert race.fleece_turns == race.rounds


def test_fish_income_and_spending_add_up(played):
    for race in played:
        n, s = race.match.players, race.match.state
        start = n * race.match.options["start_fish"]
        assert start + sum(race.of("fish_income", 4)) - sum(race.of("fish_spent", 6)) == int(s.fish[:n].sum())
        assert sum(race.of("fish_income", 3)) == sum(event.args[1] for event in race.events("fish"))
        rerolls = race.of("fish_spent", 2)
        assert sum(rerolls) == len(race.events("pays_reroll"))
        assert race.of("fish_spent", 4)[3] == sum(event.args[1] for event in race.events("pays_scylla")) == sum(
            fish * times for fish, times in enumerate(race.of("scylla", 3))
        )  # fmt: skip
        assert race.wasted >= len(race.events("full"))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_simultaneous_decisions_are_all_counted(regatta, players):
    """The last player's decisions aren't in the story, which starts over when everybody is ready."""
    for seed in range(3):
        race = Watched(regatta.game.new(seed=seed, players=players, options={"laps": 1}))
        choice = random.Random(seed)
        while not race.match.over:
            race.play(choice.choice(race.match.legal()))
        moves, s = Counter(move for *_, move in race.asked), race.match.state
        start = players * race.match.options["start_fish"]
        assert start + sum(race.of("fish_income", 4)) - sum(race.of("fish_spent", 6)) == int(s.fish[:players].sum())
        assert race.of("fish_spent", 2) == [moves["nav_reroll"], moves["reroll2"]]
        assert sum(race.of("favor_used", len(set(TYPE)))) == moves["use 0"] + moves["use 1"]
        assert (race.dares, race.busts) == (moves["roll2"], len(race.events("bust")))
        assert len(race.events("dice")) == race.ship_turns
        assert race.fleece_moves > 0


def test_hydras_and_whirlpools_match_the_story(played):
    for race in played:
        n = race.match.players
        by_lane, by_lap = race.of("meetings", 16), race.of("meetings_by_lap", 12)
        names = ("protected", "feeds", "battles")
        assert [sum(by_lane[k::4]) for k in range(3)] == [sum(by_lap[k::4]) for k in range(3)] == [len(race.events(name)) for name in names]
        assert sum(race.of("met", n)) == sum(by_lane)
        assert race.all_battles == sum(race.of("battles", n)) == len(race.events("battles"))
        assert race.battle_moves == sum(event.args[1] for event in race.events("battles"))
        assert race.passages == len(race.events("path", "pays_scylla")) == sum(race.of("charybdis", 3)) + sum(race.of("scylla", 3))
        assert 0 <= race.choices <= race.passages
        assert race.detour >= 0


def test_wedges_and_lanes_match_the_story(played):
    for race in played:
        n = race.match.players
        placed = race.events("places")
        assert race.of("placed", n) == [sum(event.args[0] == p for event in placed) for p in range(n)]
        assert race.all_placed == len(placed) == sum(race.of("placed_before", 4)) == sum(race.of("own_way", 3))
        assert sum(race.of("others_way", 3)) == (n - 1) * len(placed)
        sailed = Counter(int(LANE[divmod(event.args[1], MAX_DOTS)]) for event in race.events("sails"))
        assert race.of("lanes", 4) == [sailed[lane] for lane in range(4)]
        assert race.laps_done == len(race.events("lap")) == sum(race.of("laps_by_lane", 4))
        assert race.lap_dots == sum(race.of("dots_by_lane", 4)) <= sum(sailed.values())
        assert sum(race.of("skips", n)) == len(race.events("skips"))
        changed = [sum(pair) for pair in zip(race.of("lap_shorter", 29), race.of("lap_longer", 29), strict=True)]
        assert {wedge for wedge, movement in enumerate(changed) if movement} <= {event.args[1] for event in placed}


def test_favors_add_up(played):
    for race in played:
        n, s = race.match.players, race.match.state
        boats = range(9)
        kept, used, thrown, left = (race.of(f"favor_{what}", 18) for what in ("kept", "used", "thrown", "left"))
        declined = Counter(int(TYPE[event.args[1]]) for event in race.events("declines"))
        for kind in boats:
            assert kept[kind] + declined[kind] == used[kind] + thrown[kind] + left[kind], kind
        assert sum(left) == int((s.slots[:n] != NONE).sum())
        assert race.of("favor_kinds", 3) == [
            len(race.events("boat", "crowded")), len(race.events("bolt")), len(race.events("trident"))
        ]  # fmt: skip
        had = {(event.args[0], int(TYPE[event.args[1]])) for event in race.events("starter", "boat", "bolt")}
        had |= {(event.args[0], int(TYPE[event.args[2]])) for event in race.events("replaces")}
        had |= {(event.args[2], int(TYPE[event.args[1]])) for event in race.events("cursed")}
        assert {(p, kind) for p in range(n) for kind in range(18) if race.out[FIRST_WITH + 8 * kind + p]} == had


# ---- shortest ways ----------------------------------------------------------------------------------------------------------


def test_the_tables_of_shortest_ways_match_a_walk_over_every_way():
    for w, wedge in enumerate(COURSE):
        for seam in range(4):
            shortest = {}
            todo = [(wedge.entries[seam], 1 - 3 * (wedge.dots[wedge.entries[seam]].icon == "+"))]
            while todo:
                dot, cost = todo.pop()
                for _, target in wedge.dots[dot].exits:
                    if target >= MAX_DOTS:
                        shortest[target - MAX_DOTS] = min(cost, shortest.get(target - MAX_DOTS, FAR))
                    else:
                        todo.append((target, cost + 1 - 3 * (wedge.dots[target].icon == "+")))
            assert [min(FAR, int(cost)) for cost in CROSS[w, seam]] == [shortest.get(out, FAR) for out in range(4)], wedge.name


def test_the_way_home_from_the_last_wedge(regatta):
    """On the last slot lies Jaws: from its last dot of lane A it is one step over the line, and one more lap is as long as a lap."""
    match = regatta.lay(2, ["s11.A3", "s9.D4"], fleece=1)
    watched = Watched(match)
    s = match._s
    assert watched.to_go(s, 0, 1, NONE, 0, watched.out) == 1
    lap = watched.to_go(s, 0, 2, NONE, 0, watched.out) - 1
    assert 11 <= lap <= 40
    assert LEAVE[START_WEDGE, 0].tolist() == [0, FAR, FAR, FAR]


def test_a_wedge_in_the_way_of_the_other(regatta):
    """Seat 0 places Short Cut on slot 5: its own ship on slot 1 gets there first, and the lap gets no longer."""
    match = regatta.base_m("s1.A2", (1, 1, 0), hand=("W27",), other="s9.D4")
    watched = Watched(match)
    move = next(move for move in match.legal() if move.verb == "wedge" and move.args[1] == 5)
    watched.play(move)
    assert watched.of("placed", 2) == [1, 0]
    assert watched.of("placed_before", 4) == [1, 0, 0, 0]
    cut = WEDGE_NAMES.index("Short Cut")
    assert watched.out[MEASURES.lap_longer + cut] == 0
    assert watched.own_longer == 0
    assert watched.others_longer == 0


def test_a_battle_and_what_it_costs(regatta):
    """S35's battle: on s6.A2 without fish after paying Scylla, with 2 movement left."""
    match = regatta.base_m("s5.C3", (1, 4, 0), fish=2)
    watched = Watched(match)
    watched.play("step 2").play("step 0")
    assert (watched.of("battles", 2), watched.battle_moves) == ([1, 0], 2)
    assert watched.of("scylla", 3) == [0, 0, 1]
    assert watched.of("fish_spent", 4)[3] == 2
    assert watched.choices == 1


def set_sail(regatta, dice, slots=()):
    """Seat 0, who holds the Fleece, sails on from s1.A2 when seat 1 has rolled."""
    match = regatta.lay(2, ["s1.A2", "s9.D4"], fleece=0, dice={0: dice, 1: (1, 1, 0)}, slots={0: slots})
    s = match.state
    s.phase, s.to_move, s.turn, s.flags = regatta.rules.FIRST, 1, 1, 0
    return Watched(match).play("hold")


@pytest.mark.parametrize(
    ("dice", "slots", "gained"),
    [
        ((3, 1, 0), (), 3),
        ((3, 1, 0), ("Ares",), 3),  # without protection the movement is doubled all the same
        ((3, 1, 0), ("Aeolus",), 3),  # 4 instead of 1
        ((2, 0, 0), ("Aeolus",), 0),  # 1 as without the Fleece
        ((2, 1, 0), ("Aeolus",), 1),  # 2 instead of 1
    ],
)
def test_R11_the_fleece_gains_what_the_voyage_is_longer_by(regatta, dice, slots, gained):
    assert set_sail(regatta, dice, slots).fleece_moves == gained


def test_R11_the_fleece_gains_the_same_whatever_a_point_protects():
    class Protected(Regatta):
        game = rulestone.load("hydra_regatta", changes={"PROTECTION": 2})

    assert set_sail(Protected(), (3, 1, 0)).fleece_moves == 3


def test_R11_the_fleece_gains_the_die_that_was_kept(played):
    """Rerolled or turned, it is the last face that counts."""
    for race in played:
        nav, gained, holder = {}, 0, None
        for _, events in race.story:
            for event in events:
                if event.name in ("nav", "set_nav"):
                    nav[event.args[0]] = event.args[1]
                elif event.name in ("first_fleece", "fleece", "keeps_fleece"):
                    holder = event.args[0]
                elif event.name == "voyage" and event.args[0] == holder:
                    gained += min(nav[holder], event.args[1] - 1)
        assert race.fleece_moves == gained > 0


@pytest.mark.parametrize(("step", "lost"), [("step 0", 1), ("step 1", 1)])
def test_Q18_a_detour_out_of_a_skipped_whirlpool_is_counted_from_there(regatta, step, lost):
    """Seat 1 stands on Great Scylla: the free path and the one for 1 fish have a dot more than the one for 2."""
    on, options = {3: "W22"}, {"skip_whirlpool": "restricted"}
    watched = Watched(regatta.base_m("s2.A2", (1, 3, 0), fish=1, other="s3.A1", on=on, options=options))
    watched.play(step)
    assert (watched.passages, watched.detour) == (1, lost)


def test_Q15_a_detour_out_of_the_whirlpool_the_turn_starts_on(regatta):
    watched = Watched(regatta.base_m("s3.A1", (1, 3, 0), fish=1, on={3: "W22"}))
    watched.play("step 0")
    assert (watched.passages, watched.detour) == (1, 1)


def test_dots_are_counted_by_the_wedge_after_the_line(played):
    for race in played:
        start = int(race.match.state.start_slot)
        sailed = Counter((event.args[2] - start) % 12 for event in race.events("sails"))
        assert race.of("traffic", 12) == [sailed[k] for k in range(12)]


def test_the_lab_measures_the_same_of_the_same_game(played, regatta, monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    counter = LabCounter(regatta.game)
    for watched in played[:2]:
        watched.check_against(counter)
