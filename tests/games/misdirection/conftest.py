"""Positions of misDIRECTION in the notation of the rule sheet: cells as (row, column), tiles as "T2-NW", dice as numbers."""

import functools

import pytest

import rulestone
from rulestone.games.misdirection.content import DIRECTIONS, HOME
from rulestone.kernel.chance import rand
from rulestone.kernel.record import Scratch

KINDS = ["A", "F", "O", "R", "L0", "L1", "L2", "L3", "T0", "T1", "T2", "T3"]
PRE, POST, OVER = 0, 1, 2


class Generator:
    rng = 0


@functools.cache
def generator_for(dice):
    """A generator that yields these dice next, and its state after them."""
    for start in range(1, 10_000_000):
        generator = Generator()
        generator.rng = start
        if all(rand(generator, 6) == die - 1 for die in dice):
            return start, generator.rng
    raise AssertionError(f"no generator found for {dice}")


class Laid:
    """A match whose position was written by hand; everything not defined here is the match's own."""

    def __init__(self, match):
        self.match = match

    def __getattr__(self, name):
        return getattr(self.match, name)

    def roll(self, *dice):
        """ROLL[a, b, …]: exactly these dice are rolled, no more and no fewer."""
        start, after = generator_for(dice)
        events = self.match.play("roll", rng=start)
        assert self.match.state.rng == after, f"not exactly the dice {dice} were thrown: {[self.match.say(event) for event in events]}"
        return [event.name for event in events]

    def rot_cw(self, row, column):
        return self.match.play(("rot_cw", 15 * row + column))

    def rot_ccw(self, row, column):
        return self.match.play(("rot_ccw", 15 * row + column))

    def teleport(self, row, column):
        """A teleport; no die may be rolled (Q30)."""
        events = self.match.play(("teleport", 15 * row + column), rng=77)
        assert self.match.state.rng == 77, "a die was thrown"
        return events

    def pass_(self):
        return self.match.play("pass")

    def token(self, seat):
        return divmod(int(self.match.state.pos[seat]), 15)

    def arrow(self, row, column):
        """The direction a tile's arrow points now."""
        tile, face = (int(field[15 * row + column]) for field in (self.match.state.tile, self.match.state.face))
        assert face > 0, f"({row},{column}) is face down"
        return DIRECTIONS[(tile + 2 * (face - 1)) % 8]

    def is_up(self, row, column):
        return self.match.state.face[15 * row + column] > 0

    @property
    def ids(self):
        """The action numbers that are legal now."""
        return [self.match.game.actions.parse(move) for move in self.match.legal()]

    @property
    def turn_of(self):
        """The seat to move in PRE, or None."""
        s = self.match.state
        if s.phase != PRE:
            return None
        return (0, 2)[s.to_move] if s.players == 2 else s.to_move

    @property
    def disks(self):
        return self.match.state.light.tolist()

    @property
    def lose(self):
        return self.match.state.lose.tolist()


class Table:
    """Makes positions: the base state of the sheet's scenarios, with the changes a test names."""

    def __init__(self, game):
        self.game = game

    generator_for = staticmethod(generator_for)

    @staticmethod
    def after_dice(rng, number):
        """The state of a generator after this many dice."""
        generator = Generator()
        generator.rng = rng
        for _ in range(number):
            rand(generator, 6)
        return generator.rng

    def new(self, seed=1, players=4, **options):
        return Laid(self.game.new(seed=seed, players=players, options=options))

    def at(self, up=None, down=None, tokens=None, seat=0, light=(), lose=None, turn=10, opening=0, players=4, **options):
        laid = self.new(1, players, **options)
        s = laid.match.state
        in_play = (0, 2) if players == 2 else tuple(range(players))
        s.to_move = in_play.index(seat)
        s.turn, s.opening, s.phase, s.rotated = turn, opening, PRE, 0
        s.pos = [HOME[k] if k in in_play else 255 for k in range(4)]
        for k, (row, column) in (tokens or {}).items():
            s.pos[k] = 15 * row + column
        for k in light:
            s.light[k] = 1
        for k, number in (lose or {}).items():
            s.lose[k] = number
        s.start_light = s.light[seat]
        s.face = 0
        for tiles, face in ((up or {}, 1), (down or {}, 0)):
            for (row, column), code in tiles.items():
                kind, direction = code.split("-")
                s.tile[15 * row + column] = 8 * KINDS.index(kind) + DIRECTIONS.index(direction)
                s.face[15 * row + column] = face
        return laid

    def greedy(self, at, rng=1):
        """The move of the greedy bot, which sees only a hidden record."""
        array = at.view(at.to_move)._array.copy()
        array["rng"] = rng
        moves = at.ids
        choose = self.game.interpreted_names["greedy"]
        action = choose(self.game.layout.reader(array), moves, len(moves), Scratch.of(self.game.layout, 3))
        assert action in moves
        return str(self.game.actions.decode(action))


@pytest.fixture(scope="session")
def game():
    return rulestone.load("misdirection")


@pytest.fixture(scope="session")
def misdirection(game):
    return Table(game)
