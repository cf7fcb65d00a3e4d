"""How the tests of this game set up a position and read it."""

from types import SimpleNamespace

import pytest

import rulestone
from rulestone.games.artifact.content import CARDS, COLUMNS, HOME, MAP_NAMES, NONE, PLAYERS_OF, TEMPLE, WALL

PHASES = {"draw": 0, "play": 1, "discard": 2}
DIRECTIONS = {4: "N E S W", 8: "N NE E SE S SW W NW", 9: "N NE E SE S SW W NW self"}


@pytest.fixture(scope="session")
def game():
    return rulestone.load("artifact")


def cards(text):
    """The kinds in a text such as "Ho*6, Drop Block"."""
    kinds = []
    for item in filter(None, (part.strip() for part in text.split(","))):
        name, _, times = item.partition("*")
        kinds += [CARDS.index(name)] * int(times or 1)
    return kinds


@pytest.fixture(scope="session")
def lay(game):
    """A position in the words of the rule sheet's scenarios: anything not named is empty, and unnamed cards go under the deck."""

    def lay(
        map="test2",
        *,
        pieces=None,
        art=None,
        holder=None,
        rot=0,
        mover=1,
        phase="play",
        used=None,
        limit=3,
        bonus=0,
        hands=None,
        deck="",
        discard="",
        played="",
        blocks=(),
        no_blocks=(),
        spare=0,
        rest="deck",
        turn=0,
        **options,
    ):
        match = game.new(seed=1, players=PLAYERS_OF[map], options={"map": map, **options})
        s, index = match.state, MAP_NAMES.index(map)
        columns = int(COLUMNS[index])
        cell = lambda place: place[0] * columns + place[1]  # noqa: E731
        for seat in range(match.players):
            s.pos[seat] = HOME[index, seat]
        for seat, place in (pieces or {}).items():
            s.pos[seat - 1] = cell(place)
        s.art = int(TEMPLE[index]) if art is None else cell(art)
        s.holder = NONE if holder is None else holder - 1
        s.rot, s.to_move, s.phase, s.limit, s.bonus, s.spare, s.turn = rot, mover - 1, PHASES[phase], limit, bonus, spare, turn
        s.h = WALL[index]
        for place in blocks:
            s.h[cell(place)] += 1
        for place in no_blocks:
            s.h[cell(place)] = 0
        left = list(s.cnt.tolist())
        s.hand, s.known, s.mine = 0, 0, 0
        for seat, text in (hands or {}).items():
            for kind in cards(text):
                s.hand[seat - 1, kind] += 1
                left[kind] -= 1
        piles = {"deck": cards(deck)[::-1], "disc": cards(discard), "played": cards(played)}
        for kinds in piles.values():
            for kind in kinds:
                left[kind] -= 1
        assert min(left) >= 0, f"too many cards are named: {left}"
        unnamed = [kind for kind, count in enumerate(left) for _ in range(count)]
        if rest == "deck":
            piles["deck"] = unnamed + piles["deck"]
        else:
            for kind in unnamed:
                s.hand[rest - 1, kind] += 1
        for name, kinds in piles.items():
            s[name] = NONE
            s[name][: len(kinds)] = kinds
            s[f"{name}_n"] = len(kinds)
        s.hand_n = s.hand.sum(axis=1)
        s.used = len(piles["played"]) if used is None else used
        s.epoch = s.cnt
        return match

    return lay


@pytest.fixture(scope="session")
def see(game):
    """What the tests read from a match, in the words of the rule sheet."""

    def where(match, seat):
        return divmod(int(match.state.pos[seat - 1]), int(COLUMNS[match.state.map]))

    def artifact(match):
        return divmod(match.state.art, int(COLUMNS[match.state.map]))

    def height(match, row, column):
        return int(match.state.h[row * int(COLUMNS[match.state.map]) + column])

    def ways(match, verb):
        """The legal arguments of a verb as one text: "E S self"; None if there is none."""
        return " ".join(str(move).split()[1] for move in match.legal() if move.verb == verb) or None

    def verbs(match):
        return sorted({move.verb for move in match.legal()})

    def hand(match, seat):
        return {CARDS[kind]: int(count) for kind, count in enumerate(match.state.hand[seat - 1]) if count}

    def pile(match, name):
        return [CARDS[kind] for kind in match.state[name][: match.state[f"{name}_n"]]]

    def holder(match):
        return None if match.state.holder == NONE else match.state.holder + 1

    def plays(match):
        return (match.state.used, match.state.limit)

    def phase(match):
        return ("draw", "play", "discard", "over")[match.state.phase]

    def story(match):
        return [event.name for event in match.events]

    return SimpleNamespace(**{name: value for name, value in locals().items() if callable(value)})
