"""Laying out positions of Micro Medusa in the notation of its rule sheet."""

import re

import pytest

import rulestone
from rulestone.games.micro_medusa import content, rules

LETTERS = "HES"
WEAPONS = "BST"


@pytest.fixture(scope="session")
def game():
    return rulestone.load("micro_medusa")


def put_tiles(state, board):
    """`S8r0` a face-up Section on space 8, rotation 0; `xE4` a blocked Eyeball on 4."""
    for entry in board.split():
        blocked, letter, cell, rotation = re.fullmatch(r"(x?)([HES])(\d+)(?:r(\d))?", entry).groups()
        tile, kind = state.n_tiles, LETTERS.index(letter)
        state.t_cell[tile] = int(cell)
        state.t_kind[tile] = kind
        state.t_blocked[tile] = bool(blocked)
        if not blocked:
            shape = content.SHAPE[state.grid, state.section, kind]
            state.t_mask[tile] = content.TURNED[state.grid, shape, int(rotation)]
            state.heads += letter == "H"
            state.hits += letter == "E"
        state.n_tiles = tile + 1


def count(letters):
    return [letters.count(letter) for letter in LETTERS] + [0, 0]


def put_stack(state, top):
    """All tiles that are nowhere else, with the tiles of `top` uppermost, the first of them on top."""
    left = [6, 6, 6]
    left[0] -= state.captured
    for kind in [*(int(k) for k in state.market if k >= 0), *(int(k) for k in state.t_kind[1 : state.n_tiles])]:
        left[kind] -= 1
    left = [n - int(held) for n, held in zip(left, state.hand, strict=False)]
    above = [LETTERS.index(letter) for letter in reversed(top)]
    below = [kind for kind, n in enumerate(left) for _ in range(n - above.count(kind))]
    stack = below + above
    state.stack = stack + [-1] * (content.STACK - len(stack))
    state.stack_n = len(stack)


@pytest.fixture(scope="session")
def lay(game):
    """Lay out a position: defaults are those of the scenarios (round 2, first turn, Medusa places, a Blade was drafted)."""

    def laid(board="", *, hand="HES", market="HESS", equip="BBST", phase=rules.PLACE, stack="", options=None, **fields):
        match = game.new(seed=1, options=options)
        state = match.state
        state.round = 2
        state.phase = phase
        state.captured = fields.pop("captured", 0)
        put_tiles(state, board)
        state.hand = count(hand)
        state.known = count(fields.pop("known", hand))
        state.secret = 0
        state.market = [LETTERS.find(letter) for letter in market]
        if phase not in (rules.MEDUSA_DRAFT, rules.CHAMPION_DRAFT):
            state.equip = [equip.count(letter) for letter in WEAPONS]
            doubled = [weapon for weapon, letter in enumerate(WEAPONS) if equip.count(letter) == 2]
            state.drafted = fields.pop("drafted", doubled[0] if doubled else rules.HEART)
        for name, value in fields.items():
            setattr(state, name, value)
        put_stack(state, stack)
        match.refresh()
        return match

    return laid


@pytest.fixture(scope="session")
def play():
    """Several moves, with commas between; returns the events of the last one."""

    def played(match, moves):
        events = []
        for move in moves.split(","):
            events = match.play(move)
        return events

    return played


@pytest.fixture(scope="session")
def numbers(game):
    """The numbers of the legal actions."""
    return lambda match: [game.actions.parse(move) for move in match.legal()]


@pytest.fixture(scope="session")
def spaces():
    """The spaces on which Medusa may place now."""
    return lambda match: sorted({move.args[1] for move in match.legal()})


@pytest.fixture(scope="session")
def opened():
    """The spaces that open ends point at, ignoring Champion tiles unless asked otherwise."""

    def found(match, count_champion=False):
        out = [0] * 64
        return [int(cell) for cell in out[: rules.open_cells(match._s, out, count_champion)]]

    return found


@pytest.fixture(scope="session")
def table():
    """The tiles on the table in the sheet's notation, with masks in place of rotations: `S8m21`, `xE4`."""

    def tiles(match):
        state = match.state
        return " ".join(
            f"x{LETTERS[state.t_kind[tile]]}{state.t_cell[tile]}"
            if state.t_blocked[tile]
            else f"{LETTERS[state.t_kind[tile]]}{state.t_cell[tile]}m{state.t_mask[tile]}"
            for tile in range(1, state.n_tiles)
        )

    return tiles
