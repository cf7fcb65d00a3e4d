"""The rules and the bot compared with a second, literal reading of the sheet, in random positions with random options."""

import random

import pytest

from rulestone.kernel.chance import rand
from tests.games.misdirection.second_version import CORNER_OF, TILE_SPACES, Reading, direction_to_centre

LAUNCH_CELLS = [cell for cell in TILE_SPACES if direction_to_centre(cell) is not None]
EDGE_CELLS = [cell for cell in TILE_SPACES if cell // 15 in (0, 1, 13, 14) or cell % 15 in (0, 1, 13, 14)]


class Generator:
    def __init__(self, rng):
        self.rng = rng

    def throw(self):
        return 1 + rand(self, 6)


def lay(misdirection, chance):
    """Any position in which somebody is to move: special tiles everywhere, tokens near the edge, on rays and on corners."""
    options = {name: chance.choice(option.choices) for name, option in misdirection.game.options.items() if name != "cap_turns"}
    options["cap_turns"] = chance.choice([400, 10, 11])
    match = misdirection.new(seed=chance.randrange(10**9), players=chance.choice([2, 3, 4, 4]), **options)
    s = match.state
    seats = [0, 2] if match.players == 2 else range(match.players)
    share_up = chance.choice([0.05, 0.3, 0.9])
    for cell in TILE_SPACES:
        s.tile[cell] = 8 * chance.choice([0, 0, *range(12)]) + chance.randrange(8)
        s.face[cell] = chance.randint(1, 4) if chance.random() < share_up else 0
    for seat in seats:
        where = chance.choice([[CORNER_OF[seat]], CORNER_OF, EDGE_CELLS, LAUNCH_CELLS, TILE_SPACES])
        cell = chance.choice([cell for cell in where if cell in CORNER_OF or cell not in s.pos])
        s.pos[seat] = cell
        if cell not in CORNER_OF and s.face[cell] == 0:
            s.face[cell] = chance.randint(1, 4)
        s.light[seat] = chance.randint(0, 1)
        s.lose[seat] = chance.choice([0, 0, 0, 1, 1 + options["lose_stack"]])
    s.to_move = chance.randrange(match.players)
    disk = s.light[seats[s.to_move]]
    s.turn, s.opening, s.start_light = 10, chance.choice([0] * 9 + [chance.randint(1, 6)]), disk
    s.phase = int(not disk and not s.opening and chance.random() < 0.4)
    if options["teleport_when"] == "at_once" and not s.opening and chance.random() < 0.4 and Reading(match).teleports():
        s.phase = 3
    return match


@pytest.mark.parametrize("seed", range(10))
def test_R7_to_R31_a_second_version_of_the_sheet_agrees_move_by_move(misdirection, seed):
    chance = random.Random(seed)
    for _ in range(12):
        match = lay(misdirection, chance)
        for _ in range(10):
            reading = Reading(match)
            assert match.ids == reading.legal()
            if match.over:
                break
            action = chance.choice([n for n in reading.legal() if n < 2 or n >= 452 or chance.random() < 0.05])
            generator = Generator(chance.randrange(2**60))
            match.play(action, rng=generator.rng)
            reading.apply(action, generator.throw)
            assert Reading(match).fields() == reading.fields()
            assert match.state.points == reading.points
            assert match.to_move == (None if reading.seat is None else reading.seats.index(reading.seat))
            assert match.payoff == tuple(reading.payoff)
            assert match.state.rng == generator.rng


@pytest.mark.parametrize("seed", range(5))
def test_greedy_plays_what_a_second_version_of_the_sheet_plays(misdirection, seed):
    chance = random.Random(seed)
    for _ in range(20):
        match = lay(misdirection, chance)
        match.state.covered_view = 0
        reading = Reading(match)
        chosen = misdirection.greedy(match, rng=chance.randrange(2**60))
        assert match.game.actions.parse(chosen) in reading.greedy_choices()
