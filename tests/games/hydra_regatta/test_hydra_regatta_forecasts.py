"""What the table forecasts for a voyage is what the rules then do: every way is sailed, at random positions and with changed constants."""

import random
import re

import pytest

import rulestone
from rulestone.kernel.rule import Interpreter
from rulestone.table import kit

ODD = {"BOOST": 1, "PROTECTION": 2, "LINE_FISH": 3, "MAX_FISH": 5, "FAVORS[Aeolus,4]": 5}
NONE_LEFT = {"BOOST": 0, "PROTECTION": 0, "LINE_FISH": 0, "MAX_FISH": 1}
GAMES = {
    "as it is": ({}, {}),
    "the other readings": ({}, {"skip_whirlpool": "restricted", "hydra_count": "before"}),
    "odd": (ODD, {"skip_whirlpool": "restricted"}),
    "nothing": (NONE_LEFT, {"hydra_count": "before"}),
}


class Sailed:
    """Every way of a movement, sailed by the rules: where it ends, what it meets, and how many dots each place is away."""

    def __init__(self, match):
        self.rules, self.match, maker = match.game.rules, match.copy(), Interpreter()
        names = ("begin_movement", "act", "sail", "choices")
        self.begin, self.act, self.sail, self.choices = (maker.bind(getattr(self.rules, name)) for name in names)
        self.moved = int(match.state.moved)
        self.ends, self.battles, self.cost, self.harmless = set(), set(), {}, set()

    def by(self, e):
        """On by this exit."""
        return self.all([(self.match, self.rules.ACTIONS.step(e), self.moved)])

    def voyage(self, p, dice):
        """From the start, at once, with these dice on the board; keeps the story."""
        start, s = self.match, self.match.state
        s.nav[p], s.d1[p], s.d2[p] = dice
        s.moved = s.flags = s.told = self.moved = 0
        self.begin(start._s)
        self.told = start.game.events.read(s.story, int(s.told))[-1].args
        s.told = 0
        return self.all(self.on(start, 0))

    def all(self, todo):
        while todo:
            todo += self.follow(*todo.pop())
        return self

    def on(self, match, moved):
        """The ways on after an action: those that use no Favor."""
        rules = self.rules
        self.sail(match._s)
        moved = self.read(match, moved)
        if match.state.phase == rules.MOVED:
            self.ends.add(int(match.state.pos[match.state.to_move]))
            return []
        plain = [bit for bit in range(len(match.game.actions)) if self.choices(match._s) >> bit & 1]
        return [(match, bit, moved) for bit in plain if match.game.actions.verb_of(bit).name != "use"]

    def follow(self, match, action, moved):
        trial = match.copy()
        trial._s.told = 0
        self.act(trial._s, action)
        return self.on(trial, moved)

    def read(self, match, moved):
        """The story of one action, and how many dots have been sailed after it."""
        told = match.game.events.read(match.state.story, int(match._s.told))
        for event in told:
            if event.name == "sails":
                moved += 1
                self.place = event.args[2] * 16 + event.args[1] % 16
                self.cost[self.place] = min(moved - self.moved, self.cost.get(self.place, 99))
            elif event.name == "protected":
                self.harmless.add(self.place)
            elif event.name == "battles":
                self.battles.add(int(match.state.pos[match.state.to_move]))
        return moved


def compare(found, sailed, look, top):
    """A forecast and the voyages."""
    assert set().union(*found.ends) == sailed.ends
    assert found.battles == sailed.battles
    assert found.cost == sailed.cost
    hydras = {place for place in found.safe if look.forecast.ICON[top[place // 16]][place % 16] == look.content.IS.HYDRA}
    assert hydras == sailed.harmless


@pytest.fixture(scope="module", params=GAMES)
def race(request):
    """Positions of random games in which a Ship sails or a second die may be rolled."""
    changes, options = GAMES[request.param]
    game = rulestone.load("hydra_regatta", changes=changes)
    chance, found = random.Random(7), []
    for seed in range(4):
        match = game.new(seed=seed, players=2 + seed % 3, options={"roll_mode": "sequential"} | options)
        while not match.over and match.ply < 220:
            if match.state.phase in (game.rules.MOVE, game.rules.FIRST):
                found.append(match.copy())
            match.play(chance.choice(match.legal()))
    return found


def test_R30_R53_rings_numbers_and_protection_match_the_rules(race):
    checked = met = 0
    for match in race:
        rules, look = match.game.rules, match.game.scene
        if match.state.phase != rules.MOVE or match.state.move > 11:
            continue
        t = kit.Fields(match.view(match.to_move))
        ways = look.voyage(t).found
        for e, forecast in ways.items():
            sailed = Sailed(match).by(e)
            compare(forecast, sailed, look, t.top)
            checked += 1
            met += len(sailed.battles) + len(sailed.harmless)
        legal = {move.args[0] for move in match.legal() if move.verb == "step"}
        assert set(ways) == legal
    assert checked > 60
    assert met > 20


def second_dice(match):
    """What the second die may show, and none; with it the dice that then lie on the board."""
    p, s = match.to_move, match.state
    nav, first = int(s.nav[p]), int(s.d1[p])
    yield "", (nav, first, 0)
    for value in range(1, 7):
        yield (str(value), (nav, first, value)) if value >= first else ("x", (nav, 0, 0))


def test_R17_R30_Q32_the_outlook_before_the_second_die_is_what_each_roll_leads_to(race):
    """Also under curses: the voyage starts at once, as if nobody moved before."""
    checked = cursed = 0
    for match in race:
        rules, look = match.game.rules, match.game.scene
        p = match.to_move
        if match.state.phase != rules.FIRST or checked > 24:
            continue
        s = match.state
        if checked % 3:  # a curse waits on the board
            name = ("Aeolus", "Ares")[checked % 3 - 1]
            s.slots[p, 1] = rules.CARD_NAMES.index(name)
            cursed += 1
        t = kit.Fields(match.view(p))
        marks, plain = look.forecast.outlook(t, p), look.forecast.reach_of(t, p, (look.forecast.movement(t, p),))
        expected = {}
        for words, dice in second_dice(match):
            if words and sum(dice) > 11:
                continue
            sailed = Sailed(match).voyage(p, dice)
            assert sailed.told == (p, look.forecast.movement(t, p, dice[1:]), look.forecast.last_harmless(t, p))
            if words:
                for place in sailed.ends:
                    expected.setdefault(place, set()).add(words)
            else:
                compare(plain, sailed, look, t.top)
        rolls = {words for words, dice in second_dice(match) if words and sum(dice) <= 11}
        assert {place: named(words) & rolls for place, words in marks.items() if named(words) & rolls} == expected
        checked += 1
    assert checked > 20
    assert cursed > 10


def named(words):
    """The rolls that a mark names: 3-5x is 3, 4, 5 and a bust."""
    found = {"x"} if "x" in words else set()
    for first, last in re.findall(r"(\d)(?:-(\d))?", words):
        found |= {str(value) for value in range(int(first), int(last or first) + 1)}
    return found


def test_R18_R19_the_odds_on_the_button_are_those_of_the_rules(regatta):
    look, maker = regatta.game.scene, Interpreter()
    accept = maker.bind(regatta.rules.do_accept2)
    for first in range(1, 7):
        safe = 0
        for second in range(1, 7):
            match = regatta.base_r(wanted=(2,))
            s = match.state
            s.d1[0], s.d2[0], s.to_move = first, second, 0
            accept(match._s)
            safe += not s.bust[0]
        assert look.words.chance(first) == f"{round(safe / 6 * 100)} % safe"


@pytest.mark.parametrize(
    ("dice", "slots", "said"),
    [
        ((2, 3), ["Aeolus"], "2 + 3 − 3 = 2 dots to sail"),
        ((1, 3), ["Aeolus"], "1 + 3 − 3 = 1 dot to sail"),
        ((1, 1), ["Aeolus"], "1 + 1 − 3, but at least 1 dot to sail"),
        ((2, 3), ["Ares"], "2 + 3 = 5 dots to sail"),
    ],
)
def test_Q32_the_board_counts_aeolus_before_he_strikes(regatta, dice, slots, said):
    match = regatta.base_r(slots=slots, wanted=dice)
    look = regatta.game.scene
    t = kit.Fields(match.view(0))
    assert look.words.account(t, 0) == (said,)
    assert f"stop with a total of {look.forecast.movement(t, 0)} or" in look.prompt(match.view(0), 0)


def test_Q32_aeolus_does_not_slow_a_player_who_has_sailed(regatta):
    """Laid on a board after its turn, he strikes the next voyage: the dice still lie there with what they were worth."""
    match = regatta.base_m("s1.D2", (1, 4, 0), others_slots=["Aeolus"])
    look = regatta.game.scene
    t = kit.Fields(match.view(0))
    assert (look.forecast.slowed(t, 1), look.forecast.movement(t, 1)) == (0, 3)
