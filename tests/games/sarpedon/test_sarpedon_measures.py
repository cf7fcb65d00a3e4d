"""The lab's measures of Sarpedon against the games themselves: their stories, moves and last positions."""

import numpy as np
import pytest

from rulestone.games.sarpedon import measures
from rulestone.games.sarpedon.measures import ENDINGS, FATES, FIRST_USES, MEASURES
from rulestone.kernel.rule import Interpreter
from rulestone.lab.count import NO_SCRIPT, Counter
from tests.games.sarpedon.sarpedon_positions import PROTECT, SHARD, SHRIEK, TRAP, at, game

GAMES, SEED = 30, 6
LAST_EVENTS = {"four_shards": 0, "die_won": 1, "cut_off": 2, "no_shard": 3, "die_lost": 4}
DRAWS = ("stone", "harmless", "freezes", "bars")


class Told:
    """One game of the lab: its row of measures, and the game as seen from outside."""

    def __init__(self, row, start, actions, dice):
        self.row, self.events, self.moves, self.rounds = row, [], [], []
        match = game().new(seed=1)
        match._array[:] = np.frombuffer(start, game().layout.dtype)
        match._notice_edits()
        opening = game().events.read(match._array["story"][0], int(match._array["told"][0]))
        self.events += [(1, event) for event in opening]
        for action, rng in zip(actions, dice, strict=True):
            self.rounds.append(match.state.round)
            self.moves.append((match.to_move, int(match.state.phase), game().actions.decode(action)))
            self.events += [(self.rounds[-1], event) for event in match.play(action, rng=rng)]
        self.state = match.state

    def __getattr__(self, name):
        """A measure: a number, or several if it has more."""
        place, width = MEASURES.place[name], MEASURES.all[name].width
        values = self.row[place : place + (4 if MEASURES.all[name].each else width)].tolist()
        return values if len(values) > 1 else values[0]

    def count(self, *names):
        return sum(event.name in names for _, event in self.events)

    def args(self, name):
        return [event.args for _, event in self.events if event.name == name]


@pytest.fixture(scope="module")
def games():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RULESTONE_JIT", "0")
        counter = Counter(game())
        desk = counter.desk()
        start, _ = game().prepared(None, None)
        rows = np.full((GAMES, len(counter.columns)), -1, np.int32)
        policy = np.array([1, 1, 1, 1, 0, 0, 0, 0], np.int8)
        desk.play("policy", start, 0, GAMES, rows, seed=SEED, policy=policy)
        own = counter.columns.index("rounds")
        return [Told(rows[k, own:], *desk.trace("trace", start, k, SEED, policy, False, NO_SCRIPT)[:3]) for k in range(GAMES)]


def test_R45_R50_the_end_and_the_shards_at_the_battle(games):
    assert {ENDINGS[told.ending] for told in games} >= {"die won", "die lost", "somebody cut off"}
    for told in games:
        assert told.ending == LAST_EVENTS[told.events[-1][1].name]
        assert told.rounds[-1] <= told.row[MEASURES.rounds] == told.state.round
        assert told.shards == (-1 if told.ending == 2 else len(told.args("shard")))
        assert told.found == [sum(args[0] == seat for args in told.args("shard")) for seat in range(4)]
        assert told.cut_off == (told.args("cut_off")[0][0] if told.ending == 2 else -1)


def test_R39_every_shard_has_one_fate(games):
    for told in games:
        assert sum(told.shard_fates) == sum(told.shard_fates_by_tile) == 4
        assert np.reshape(told.shard_fates_by_tile, (3, len(FATES))).sum(axis=0).tolist() == told.shard_fates
        assert told.shard_fates[0] == told.count("shard")
        lost = [where for card, *where in told.args("discards") if card == SHARD]
        assert told.shard_fates[2] == sum(tuple(where) not in told.args("buries") for where in lost)  # else the stone came first
    assert all(sum(told.shard_fates[fate] for told in games) > 0 for fate in (0, 1, 2))


def test_R9_every_turn_draws_a_card_and_is_decided_or_idle(games):
    for told in games:
        if max(told.state.dptr) < 16:
            assert told.all_turns == sum(told.state.dptr)
        decided = sum(phase == 0 for _, phase, _ in told.moves)
        assert told.all_turns - decided - told.idle_turns in (0, 1)  # 1: the card that cut somebody off left no time to decide
        assert told.idle_turns == sum(told.idle_kinds)
        assert told.idle_kinds[0] == told.count("freezes", "sits_out")
    assert any(told.idle_kinds[1] for told in games)


def test_R42_arrivals(games):
    for told in games:
        rounds = {event.args[0]: round_ for round_, event in told.events if event.name == "arrives"}
        assert told.arrival_round == [rounds.get(seat, -1) for seat in range(4)]
        assert told.arrived == [seat in rounds for seat in range(4)]
        assert told.first_arrival == min(rounds.values(), default=-1)
        assert told.last_arrival == (max(rounds.values()) if len(rounds) == 4 else -1)


def test_R17_R44_freezing_and_card_4(games):
    for told in games:
        assert (told.hits, told.barred, told.rescues) == (told.count("freezes"), told.count("bars"), told.count("saves_player"))
        inside, fours, stones = set(), 0, np.zeros(16, int)
        for _, event in told.events:
            if event.name == "arrives":
                inside.add(event.args[0])
            if event.name in DRAWS and event.args[0] not in inside:
                fours += event.args[2] == 4
                stones[event.args[2] - 1] += event.name != "harmless"
        assert told.early_fours == fours
        by_round = np.reshape(told.stone_by_round, (12, 16))
        assert by_round.sum(axis=0).tolist() == stones.tolist()
        assert by_round[:3].sum(axis=0).tolist() == told.early_stone
        assert by_round[0].sum() == 4 - sum(event.name == "harmless" for round_, event in told.events if round_ == 1)
    assert sum(told.start_hits for told in games) <= sum(told.early_hit * told.hits for told in games)


def test_R22_special_cards(games):
    for told in games:
        used = [(seat, move) for seat, _, move in told.moves if move.verb in ("protect", "save_tile", "save_player")]
        for card, verb in enumerate(("protect", "save_tile", "save_player")):
            own = [move for _, move in used if move.verb == verb]
            assert told.row[MEASURES.protects + card] == len(own)
        for targets, verb in ((told.protect_targets, "protect"), (told.save_targets, "save_tile")):
            tiles = [move.args[1] for _, move in used if move.verb == verb]
            assert targets == [tiles.count(tile) for tile in range(1, 17)]
        steps = [move.args[0] for _, _, move in told.moves if move.verb == "move"]
        assert told.visits == [steps.count(tile) for tile in range(1, 17)]
        assert told.centre_protects == told.protect_targets[3]
        if used:
            first = used[0][1]
            card = {"protect": "Protect Tile on {1}", "save_tile": "Save Tile on {1}", "save_player": "Save Player"}[first.verb]
            assert FIRST_USES[told.first_use] == card.format(*first.args)
        else:
            assert told.first_use == -1


def test_R34_R37_traps_and_shrieks(games):
    for told in games:
        assert told.swaps == told.count("swaps") == sum(told.partners[2:])
        sizes = [args[3] for args in told.args("shriek")]
        assert (told.shrieks, told.swept) == (len(sizes), sum(sizes)) == (sum(told.shriek_rounds), told.swept)
        assert told.sweep_sizes == [sizes.count(size) for size in range(10)]
    assert sum(told.turns_gained for told in games) > 0


def measured(match, *moves):
    """What a few moves from a laid-out position add to the measures."""
    bind = Interpreter().bind
    opening, before, after, finish = (bind(getattr(measures, name)) for name in ("opening", "before", "after", "finish"))
    out = [0] * MEASURES.width
    match.state.told = 0
    match.refresh()
    opening(match._s, out)
    for move in moves:
        action, player = game().actions.parse(move), match.to_move
        before(match._s, action, out)
        match.play(move)
        after(match._s, action, player, out)
    finish(match._s, out)
    return lambda name, entry=0: out[MEASURES.place[name] + entry]


def test_Q22_a_shriek_strips_the_shield_of_tile_4():
    told = measured(at(pos=(7, 13, 13, 13), taken={0: [7]}, cover={0: {4: PROTECT}}), "move 3")
    assert (told("shrieks"), told("stripped"), told("opened")) == (1, 1, 0)
    spared = at(pos=(7, 13, 13, 13), taken={0: [7]}, cover={0: {4: PROTECT}}, options={"shriek_spares_protect": "yes"})
    told = measured(spared, "move 3")
    assert (told("shrieks"), told("stripped"), told("opened")) == (1, 0, 0)


def test_Q33_a_shriek_opens_tile_4_and_shortens_the_way():
    told = measured(at(pos=(7, 13, 13, 13), taken={0: [7]}, stone={0: [4]}), "move 3")
    assert (told("shrieks"), told("stripped"), told("opened")) == (1, 0, 1)
    assert told("turns_gained") == 3  # as many as the bot counts for breaking a stone


@pytest.mark.parametrize(
    ("position", "move", "fate"),
    [
        ({"pos": (6, 13, 13, 13)}, "move 7", "found"),
        ({"pos": (7, 13, 13, 13), "mystery": {0: (SHARD, SHRIEK, TRAP)}, "face_up": {0: [7]}}, "move 3", "swept away by a Shriek"),
        ({}, "protect 0 7", "under a Protect Tile"),
        ({"pos": (8, 13, 13, 13)}, "move 4", "left behind for the centre"),
        ({"stone": {0: [7]}}, "pass", "buried under stone"),
        ({}, "pass", "never reached"),
    ],
)
def test_Q44_what_puts_a_shard_out_of_reach(position, move, fate):
    told = measured(at(**position), move)
    slot = 0 if "mystery" in position else 2
    assert told("shard_fates_by_tile", slot * len(FATES) + FATES.index(fate)) >= 1
    assert told("shard_fates", FATES.index(fate)) == (4 if fate == "never reached" else 1)


def test_Q24_a_frozen_partner_who_is_behind():
    match = at(pos=(1, 13, 10, 13), stone={2: [10]}, frozen=(0, 0, 1, 0))
    told = measured(match, "move 2", "swap 2")
    assert told("swaps") == 1
    assert [told("partners", kind) for kind in range(5)] == [1, 0, 0, 0, 1]


def test_R43_cards_from_the_throne_room():
    told = measured(at(pos=(4, 13, 13, 13)), "protect 1 4")
    assert [told("centre_uses", card) for card in range(3)] == [1, 0, 0]
    assert (told("centre_protects"), told("protect_round", 0), told("protect_round", 1)) == (1, 1, -1)
