"""Positions of the rule sheet: the test track T0, Base M (movement) and Base R (rolling)."""

import pytest

import rulestone
from rulestone.games.hydra_regatta import content, rules

NONE = 255
SECOND_COPY = {f"{name}2": 2 * k + 1 for k, name in enumerate(dict.fromkeys(content.CARD_NAMES))}


class Regatta:
    """Makes positions in the sheet's words: dots as "s3.B1", wedges as "W14", cards as "Demeter" and "Demeter2"."""

    game = rulestone.load("hydra_regatta")
    rules = rules
    content = content

    @staticmethod
    def card(name):
        return SECOND_COPY[name] if name in SECOND_COPY else content.CARD_NAMES.index(name)

    @staticmethod
    def wedge(name):
        return 28 if name == "SL" else int(name[1:]) - 1

    @staticmethod
    def dot(match, name):
        """The number of a dot on the course as it lies now."""
        slot, dot = name[1:].split(".")
        return int(slot) * 16 + content.COURSE[match.state.top[int(slot)]].index(dot)

    @staticmethod
    def at(match, seat):
        """The dot a Ship stands on, in the sheet's words."""
        slot, dot = divmod(int(match.state.pos[seat]), 16)
        return f"s{slot}.{content.COURSE[match.state.top[slot]].dots[dot].name}"

    @staticmethod
    def legal(match):
        return [str(move) for move in match.legal()]

    def slots(self, match, seat):
        names = {self.card(name): name for name in [*SECOND_COPY, *content.CARD_NAMES]}
        return [names.get(int(card)) for card in match.state.slots[seat]]

    def discarded(self, match, name):
        return bool(match.state.disc >> self.card(name) & 1)

    def lay(
        self,
        players,
        ships,
        *,
        fleece,
        dice=None,
        fish=None,
        slots=None,
        hand=None,
        laps=None,
        deck=(),
        discard=(),
        on=None,
        stack=None,
        options=None,
    ):
        """T0 with everything on it; `stack` cuts the draw stack to that many wedges. By default players roll in turn."""
        match = self.game.new(seed=1, players=players, options={"roll_mode": "sequential"} | (options or {}))
        s = match.state
        s.start_slot, s.under = 0, self.wedge("W12")
        s.top = [28, *range(11)]
        s.height = [2] + [1] * 11
        used = [self.wedge(name) for names in (hand or {}).values() for name in names]
        for slot, name in (on or {}).items():
            s.top[slot] = self.wedge(name)
            s.height[slot] += 1
            used += [self.wedge(name)]
        s.stack = used + [wedge for wedge in range(12, 28) if wedge not in used]
        s.stack_n = 16 - len(used) if stack is None else stack
        for seat in range(players):
            s.pos[seat] = s.wake[seat] = self.dot(match, ships[seat])
            s.fish[seat] = (fish or {}).get(seat, 0)
            s.laps[seat] = (laps or {}).get(seat, 0)
            s.nav[seat], s.d1[seat], s.d2[seat] = (dice or {}).get(seat, (1, 1, 0))
            for k in range(2):
                cards, wedges = (slots or {}).get(seat, ()), (hand or {}).get(seat, ())
                s.slots[seat, k] = self.card(cards[k]) if k < len(cards) and cards[k] else NONE
                s.hand[seat, k] = self.wedge(wedges[k]) if k < len(wedges) else NONE
        self.lay_deck(match, deck, discard)
        s.setup_i, s.round, s.fleece = players, 5, fleece
        s.final = any(s.laps[seat] >= match.options["laps"] for seat in range(players))
        return match

    def lay_deck(self, match, deck, discard):
        """The cards named on top, then all others in ascending order; `discard` = "rest" puts the others into the discard pile."""
        s = match.state
        top = [self.card(name) for name in deck]
        held = [int(card) for card in s.slots.flat if card != NONE]
        others = [card for card in range(36) if card not in top + held]
        pile = others if discard == "rest" else [self.card(name) for name in discard]
        cards = top + [card for card in others if card not in pile]
        s.disc = sum(1 << card for card in pile)
        s.deck = [NONE] * (36 - len(cards)) + cards
        s.deck_n = len(cards)

    def base_m(
        self,
        at,
        dice,
        *,
        players=2,
        other="s9.D4",
        third="s9.D3",
        others_fish=0,
        fish=0,
        slots=(),
        others_slots=(),
        laps=(),
        hand=(),
        fleece=None,
        **more,
    ):
        """Base M: seat 1 (with 3 players seat 2) has just moved; its END_MOVE begins seat 0's turn."""
        first = players - 1
        match = self.lay(
            players,
            [at, other, third, "s9.C3"],
            fleece=first if fleece is None else fleece,
            dice={0: dice},
            fish={0: fish, 1: others_fish, 2: others_fish},
            slots={0: slots, 1: others_slots},
            hand={0: hand},
            laps=dict(enumerate(laps)),
            **more,
        )
        s = match.state
        s.phase, s.to_move, s.turn = rules.ENDWIN, first, (first - s.fleece) % players
        s.flags = s.move = s.drawn = s.wdrawn = s.face_n = 0
        match.play("end_move")
        return match

    def base_r(self, *, fish=0, slots=(), wanted=(), seat1_fish=2, seat1_slots=(), **more):
        """Base R: seat 2 (Fleece) has rolled 1/1/–; its HOLD makes seat 0 roll. `wanted` are seat 0's first dice."""
        match = self.lay(
            3,
            ["s0.A1", "s9.D4", "s9.D3"],
            fleece=2,
            dice={0: (0, 0, 0), 1: (0, 0, 0), 2: (1, 1, 0)},
            fish={0: fish, 1: seat1_fish, 2: 0},
            slots={0: slots, 1: seat1_slots},
            **more,
        )
        s = match.state
        s.phase, s.to_move, s.turn, s.flags = rules.FIRST, 2, 0, 0
        self.roll(match, "hold", *wanted)
        return match

    def base_t(self, *, fish=0, slots=(), wanted=(), seat1_fish=2, seat1_slots=(), **more):
        """Base T: a round begins in which all three roll at the same time, seat 2 has the Fleece. `wanted` are seat 0's first dice."""
        match = self.lay(
            3,
            ["s9.C1", "s9.D4", "s9.D3"],
            fleece=2,
            dice={1: (1, 0, 0)},
            fish={0: fish, 1: seat1_fish, 2: 0},
            slots={0: slots, 1: seat1_slots},
            options={"roll_mode": "simultaneous"},
            **more,
        )
        s = match.state
        s.phase, s.to_move, s.turn = rules.ENDWIN, 1, 2
        s.flags = s.move = s.drawn = s.wdrawn = s.face_n = 0
        self.roll(match, "end_move", *wanted)
        return match

    def roll(self, match, move, *wanted, seat=0, then=lambda s: True):
        """Play a move with a generator that gives the wanted dice (nav, first, second; None for any)."""
        names, player = ("nav", "d1", "d2"), seat if seat in match.deciders else None
        for rng in range(20_000):
            trial = match.copy()
            trial.play(move, rng=rng, player=player)
            s = trial.state
            if all(want is None or getattr(s, name)[seat] == want for name, want in zip(names, wanted, strict=False)) and then(s):
                return match.play(move, rng=rng, player=player)
        raise AssertionError(f"no generator gives {wanted} after {move}")

    @staticmethod
    def total(match, seat):
        """R21: the movement that the dice on a board make."""
        s = match.state
        return int(s.nav[seat]) * (2 if s.fleece == seat else 1) + int(s.d1[seat]) + int(s.d2[seat])


@pytest.fixture(scope="session")
def regatta():
    return Regatta()
