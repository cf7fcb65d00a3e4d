"""The lab's measures of Micro Medusa against the games themselves: their stories, moves and positions."""

import numpy as np
import pytest

from rulestone.games.micro_medusa import content, measures, rules
from rulestone.games.micro_medusa.content import LAST_SPACE
from rulestone.games.micro_medusa.measures import ENDINGS, GOALS, MEASURES
from rulestone.kernel.rule import Interpreter
from rulestone.lab.count import NO_SCRIPT, Counter

GAMES, SEED = 30, 3
GOAL_EVENTS = ("three_heads", "petrified", "chained", "three_captured", "closed", "runs_out")


def open_ends(state):
    """Ends of Medusa's head and of face-up Sections that point at a space without a Medusa tile."""
    taken = {int(state.t_cell[tile]) for tile in range(state.n_tiles)}
    return sum(
        int(content.NEIGHBOUR[0, state.t_cell[tile], side]) not in taken
        for tile in range(state.n_tiles)
        if state.t_kind[tile] >= 2 and not state.t_blocked[tile]
        for side in range(6)
        if state.t_mask[tile] >> side & 1
    )


class Told:
    """One game of the lab: its row of measures, and for each move the position before it and its story."""

    def __init__(self, game, row, start, actions, dice):
        self.row, self.seen = row, []
        match = game.new(seed=1)
        match._array[:] = np.frombuffer(start, game.layout.dtype)
        match._notice_edits()
        self.secret_kind = list(match.state.hand).index(1)
        self.states = [match.copy().state]
        for action, rng in zip(actions, dice, strict=True):
            events = match.play(action, rng=rng)
            self.seen.append((self.states[-1], game.actions.decode(action), events))
            self.states.append(match.copy().state)
        self.end = match.state

    def __getattr__(self, name):
        """A measure: a number, or several if it has more."""
        place, width = MEASURES.place[name], MEASURES.all[name].width
        values = self.row[place : place + width].tolist()
        return values if width > 1 else values[0]

    def events(self, *names):
        return [event for _, _, events in self.seen for event in events if event.name in names]

    def moves(self, verb):
        return [(state, move) for state, move, _ in self.seen if move.verb == verb]


@pytest.fixture(scope="module")
def games(game):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RULESTONE_JIT", "0")
        counter = Counter(game)
        desk = counter.desk()
        start, _ = game.prepared(None, None)
        rows = np.full((GAMES, len(counter.columns)), -1, np.int32)
        policy = np.array([1, 1, 0, 0, 0, 0, 0, 0], np.int8)
        desk.play("policy", start, 0, GAMES, rows, seed=SEED, policy=policy)
        own = counter.columns.index("rounds")
        return [Told(game, rows[k, own:], *desk.trace("trace", start, k, SEED, policy, False, NO_SCRIPT)[:3]) for k in range(GAMES)]


def test_R10_R15_goals_and_endings(games):
    for told in games:
        reached = {event.name for event in told.events(*GOAL_EVENTS)}
        assert told.goals == [name in reached for name in GOAL_EVENTS]
        if len(reached) == 1:
            assert ENDINGS[told.ending] == GOALS[told.goals.index(1)]
        else:
            assert ENDINGS[told.ending].endswith("and chain")
        assert told.row[MEASURES.rounds] == told.end.round
        assert told.won_closed == (told.end.winner == 0 and open_ends(told.end) == 0)
        assert told.stack_out == (told.end.stack_n == 0)
    assert len({told.ending for told in games}) >= 5


def test_R22_R30_answers_by_turn_and_kind(games):
    for told in games:
        answers = [(state, move, events) for state, move, events in told.seen if move.verb == "respond"]
        for turn, (reveals, matches) in enumerate(((told.reveals_1, told.matches_1), (told.reveals_2, told.matches_2))):
            own = [events for state, _, events in answers if state.turn == turn]
            assert reveals == len(own)
            assert matches == sum(event.name in ("severs", "reflects", "burns") for events in own for event in events)
        laid = [event.args[1] for event in told.events("reveals")]
        assert [told.snakeheads_laid, told.eyeballs_laid, told.sections_laid] == [laid.count(kind) for kind in range(3)]
        met = [len(told.events(name)) for name in ("severs", "reflects", "burns")]
        assert [told.snakeheads_met, told.eyeballs_met, told.sections_met] == met
        assert told.snakeheads_laid == told.end.heads + told.end.captured <= 5
        second = [(state, move.args[0]) for state, move in told.moves("place") if state.turn == 1]
        assert told.unanswered == sum(state.equip[kind] == 0 for state, kind in second)
        gone = [any(state.hand[kind] and not state.equip[kind] for kind in range(3)) for state, _ in second]
        assert told.unanswerable == sum(gone)
    assert sum(told.unanswered for told in games) > 0


def test_R18_R19_drafts(games):
    for told in games:
        equips, drafts = np.zeros((8, 4), int), np.zeros((8, 3), int)
        by_hearts = np.zeros((2, 4), int)
        for state, move in told.moves("equip"):
            equips[state.round - 1, move.args[0]] += 1
            by_hearts[2 - state.live, move.args[0]] += 1
        for state, move in told.moves("draft"):
            drafts[state.round - 1, move.args[0]] += 1
        assert told.equips_by_round == equips.ravel().tolist()
        assert told.equips_by_hearts == by_hearts.ravel().tolist()
        assert told.drafts_by_round == drafts.ravel().tolist()
        assert told.heart_drafts == equips[:, 3].sum()
        assert told.heart_drafted == (told.heart_drafts > 0)
        assert told.absorbed == len(told.events("drafted_stone")) <= told.heart_drafts
    assert sum(told.absorbed for told in games) > 0


def test_Q29_the_secret_tile(games):
    for told in games:
        assert told.row[MEASURES.secret] == told.secret_kind
        reveals = [state.secret for state, (_, move, _) in zip(told.states[1:], told.seen, strict=True) if move.verb == "respond"]
        assert told.secret_told == (reveals.index(0) + 1 if 0 in reveals else -1)


def test_R28_eyeballs(games):
    for told in games:
        rounds = [state.round for state, _, events in told.seen for event in events if event.name == "stares"]
        assert told.hits == len(rounds) == told.end.hits
        assert told.double_hit == (len(set(rounds)) < len(rounds))


def test_Q5_Q24_open_ends_and_what_closes_them(games):
    closers = set()
    for told in games:
        for round_ in range(2, 8):
            first = [state for state in told.states if state.round == round_]
            assert told.row[MEASURES.ends_2 + round_ - 2] == (open_ends(first[0]) if first else -1)
        if told.goals[4]:
            last = {event.name for event in told.seen[-1][2]}
            cause = 4 if "burns" in last else 3 if "reflects" in last else told.end.last_kind
            closers.add(cause)
            assert (told.closed_by, told.held_section) == (cause, told.end.hand[2] > 0)
        else:
            assert told.closed_by == told.held_section == -1
    assert closers >= {3, 4}


def test_Q10_covered_ends(games):
    for told in games:
        covered = 0
        for state, _ in told.moves("place"):
            if state.turn == 1 and state.champ_cell[0] < rules.BESIDE:
                pointed = {
                    int(content.NEIGHBOUR[0, state.t_cell[tile], side])
                    for tile in range(state.n_tiles)
                    if state.t_kind[tile] >= 2 and not state.t_blocked[tile]
                    for side in range(6)
                    if state.t_mask[tile] >> side & 1
                }
                covered += state.champ_cell[0] in pointed
        assert told.covers == covered >= told.covers_best
        assert told.skipped == len(told.events("skips"))


def test_R21_first_and_second_space(games):
    for told in games:
        cells = [move.args[1] for _, move in told.moves("place")]
        assert told.first_space == cells[0] - 1
        assert list(told.row[MEASURES.spaces :][:LAST_SPACE]) == [cells.count(space) for space in range(1, LAST_SPACE + 1)]
        apart = abs(cells[1] - cells[0])
        assert told.second_space == (4 if cells[1] > 6 else min(apart, 6 - apart))


def test_R12_rows_threats_and_chains(games):
    for told in games:
        assert told.chains == told.goals[2]
        assert told.threat <= (told.longest_row >= 3)
        if told.chains:
            assert told.longest_row >= 3
    assert sum(told.threat for told in games) >= sum(told.chains for told in games) > 0


def test_score_states_a_game_goes_through(games):
    for told in games:
        states = {(state.heads, state.captured, 2 - state.live) for state in told.states if state.phase not in (rules.ROTATE, rules.OVER)}
        reached = {6 * heads + 2 * captured + lost for heads, captured, lost in states}
        assert told.scores == [entry in reached for entry in range(18)]


def measured(game, match, moves):
    """What moves from a laid-out position add to the measures."""
    bind = Interpreter().bind
    opening, before, after, finish = (bind(getattr(measures, name)) for name in ("opening", "before", "after", "finish"))
    out = [0] * MEASURES.width
    opening(match._s, out)
    for move in moves.split(","):
        action, player = game.actions.parse(move.strip()), match.to_move
        before(match._s, action, out)
        match.play(action)
        after(match._s, action, player, out)
    finish(match._s, out)
    return lambda name: out[MEASURES.place[name]]


def test_R12_a_shot_at_a_chain(game, lay):
    told = measured(game, lay("S1r1 S8r0 S9r1"), "place H 22, respond Shield 0")
    assert (told("shots"), told("chains"), ENDINGS[told("ending")], told("longest_row")) == (1, 1, "chain", 3)
    told = measured(game, lay("S1r1 S8r0 S9r1"), "place H 22, respond Blade 0")
    assert (told("shots"), told("chains"), told("threat")) == (1, 0, 1)
    told = measured(game, lay("S1r1 S8r0"), "place H 9, respond Torch 1")
    assert (told("shots"), told("threat")) == (0, 0)


def test_Q25_a_win_that_closes_the_last_end(game, lay):
    told = measured(game, lay("xS1 xE2 xS3 xE4 E5r1", live=1, equip="BSST"), "place E 6, respond Torch 5")
    assert (told("won_closed"), told("closed_by")) == (1, -1)
    told = measured(game, lay("xS1 xE2 xS3 xE4 xE5", equip="BSST"), "place H 6, respond Torch 5")
    assert (told("won_closed"), told("closed_by"), told("held_section")) == (0, 0, 1)


def test_Q18_two_eyeballs_in_one_round_and_the_drafted_heart(game, lay):
    told = measured(game, lay(hand="EEH", equip="BST"), "place E 1, respond Blade 0, place E 4, respond Torch 3")
    assert (told("hits"), told("double_hit"), told("absorbed")) == (2, 1, 1)


def test_Q22_a_kind_whose_weapon_is_gone(game, lay):
    told = measured(game, lay(equip="BSTT"), "place E 1, respond Blade 0, place H 3, respond Torch 2")
    assert (told("unanswerable"), told("unanswered"), told("matches_2")) == (1, 1, 0)


def test_Q10_the_end_of_the_longest_row_is_covered(game, lay):
    told = measured(game, lay("S1r1", equip="BSTT"), "place H 8, respond Torch 2, place E 2, respond Blade 3")
    assert told("covers") == told("covers_best") == 0
    told = measured(game, lay("S1r1", equip="BSTT"), "place S 8, respond Blade 0, place E 2, respond Torch 3")
    assert told("covers") == told("covers_best") == 1
