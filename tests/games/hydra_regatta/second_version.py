"""The rules a second time, written from the rule sheet alone in slow and simple Python, to check the real ones against.

`Race(match)` copies a position; `race()` plays on from there. It yields the numbers of the legal actions whenever somebody has to
decide, and is sent the chosen one: what would be fields of an automaton in the rules is just the place in the text here. It shares
nothing with the rules but the generator of dice.
"""

import re

from rulestone.kernel.chance import rand, shuffle, stream

NOTHING = 255
SETUP, NAV, FIRST, SECOND, VALUE, WEDGE, MOVE, HYDRA, ENDWIN, SLOTS, TARGET, ROOM, STEAL, GAIA, OVER = range(15)
NAV_KEEP, NAV_REROLL, HOLD, ROLL2, ACCEPT2, REROLL2 = range(4, 10)
USE, SET_VALUE, PLACE, STEP, END_MOVE, FEED, BATTLE, SEAT, REPLACE, DISCARD_NEW, DISCARD_OWN = 10, 12, 15, 39, 42, 43, 44, 45, 49, 51, 52
IGNORE = 54
BOATS = ["Demeter", "Apollo", "Hephaestus", "Janus", "Athena", "Tyche", "Artemis", "Amphitrite", "Hermes"]
BOLTS = ["Zeus", "Poseidon", "Nereus", "Gaia", "Dionysus"]
CARDS = [*BOATS, *BOLTS, "Aeolus", "Ares", "Eris", "Hades"]
NUMBERS = [
    *("phase", "round", "turn", "fleece", "final", "start_slot", "under", "setup_i", "drawn", "wdrawn", "wplaced", "reshuf"),
    *("pend", "ptarget", "gaia", "move", "moved", "prot", "cur"),
]
FLAGS = ["skip", "free", "battle", "noprot"]
LISTS = ["order0", "top", "height", "slots", "fish", "pos", "wake", "laps", "nav", "d1", "d2", "bust", "rank"]
PILES = ["disc", "stack", "hand", "deck", "face"]

# 6.1: what can be decided in each phase, Favors by their names.
DECISIONS = {
    SETUP: ["ship"],
    NAV: ["nav_keep", "nav_reroll", "Apollo", "Athena", "Demeter"],
    FIRST: ["hold", "roll2"],
    SECOND: ["accept2", "reroll2", "Apollo", "Demeter", "Tyche"],
    VALUE: ["value"],
    WEDGE: ["wedge"],
    MOVE: ["step", "Hephaestus", "Hermes", "Demeter", "Amphitrite", "Janus"],
    HYDRA: ["feed", "battle", "ignore", "Artemis", "Demeter", "Hermes"],
    ENDWIN: ["end_move", "Hephaestus", "Hermes", "Demeter"],
    SLOTS: ["replace", "discard_new"],
    TARGET: ["target"],
    ROOM: ["discard_own"],
    STEAL: ["target"],
    GAIA: ["wedge"],
}

# Section 4.3, the compiled form: the lanes to which the four entries lead, then every dot with its item and its exits.
WEDGES = """
ABCD A1[f]→A2,B2; A2→a; B1→B2; B2→A2,B3; B3[w]→b; C1→B2,C2; C2[g]→B3,C3,D3; C3→c; D1→D2; D2→C2,D3; D3→D4; D4[f]→d
ABCD A1[H]→A2,B2; A2→b; B1→B2,C2; B2[H]→B3; B3→a; C1→C2; C2→C3,D3; C3[w]→c; D1[g]→D2; D2→D3; D3→C3,D4; D4→d
ABCD A1→A2,B2; A2[H]→a; B1[Y]→1:C2,2:B2,3:A1; B2→A2,B3; B3→b; C1[f]→C2; C2→B3,C3,D3; C3→c; D1→D2; D2→C2,D3; D3→D4; D4[f]→d
ABCD A1→A2,B2; A2→A3; A3[g]→b; B1[f]→B2,C2; B2→A3,B3; B3→a; C1[H]→C2; C2→B3,C3,D3; C3→c; D1[w]→D2; D2→D3; D3→C3,D4; D4[f]→d
BBCD A1→a,B3; B1[H]→A1,B2,C2; B2→B3; B3[f]→b; C1→C2; C2[g]→B3,C3; C3→c; D1→D2; D2→C2,D3; D3[w]→D4; D4→d
ABCD A1→A2,B2; A2[H]→a; B1→A1,B2; B2[w]→A2,B3; B3→b; C1[Z]→0:D2,1:C2,2:B2; C2→C3; C3→c; D1[f]→D2; D2→C2,D3; D3→C3,D4; D4→d
ABCD A1[H]→A2,B2; A2→A3; A3→a; B1→B2; B2[f]→A3,B3; B3→b; C1→B2,C2; C2→C3,D3; C3[H]→d; D1→D2; D2[+]→C2,D3; D3→D4; D4→c
ABCD A1[H]→A2,B2; A2[g]→a; B1→A1,B2; B2[H]→A2,B3; B3→b; C1[f]→B2,C2; C2→C3,D3; C3→c; D1→D2; D2[w]→C2,D3; D3→D4; D4→d
ABCD A1→A2; A2→A3; A3[f]→b; B1→A2,B2; B2[H]→A3,B3; B3→a; C1[Y]→1:D2,2:C2,3:B2; C2→C3; C3→c; D1→D2; D2[g]→C2,D3; D3→C3,D4; D4→d
ABCD A1[g]→A2,B2; A2→a; B1→B2; B2→A2,B3; B3→c; C1→B2,C2; C2[f]→C3,D3; C3→b; D1[w]→D2; D2→C2,D3; D3→D4; D4→d
ABCD A1→A2,B2; A2[H]→A3; A3→a; B1→B2; B2→A3,B3; B3→b; C1[H]→C2,D2; C2→B3,C3; C3→c; D1[f]→D2; D2→C2,D3; D3[H]→D4; D4[g]→d
ABCD A1[w]→A2,B2; A2→a; B1[Z]→0:C2,1:B2,2:A1; B2→A2,B3; B3[f]→b; C1→C2; C2[H]→B3,C3,D3; C3→c; D1→D2; D2[g]→C2,D3; D3→D4; D4→d
ABCD A1[H]→A2; A2→A3,B3; A3[H]→a; B1[H]→A2,B2; B2→B3; B3→b; C1→B2,C2; C2[H]→C3,D3; C3→c; D1→D2; D2→C2,D3; D3[H]→D4; D4[f]→d
ABCD A1→A2,B2; A2[H]→b; B1[H]→B2,C2; B2→A2,B3; B3→a; C1→C2; C2→C3; C3[H]→c; D1→D2; D2[H]→C2,D3; D3→D4; D4→d
ABCD A1[H]→A2,B2; A2[g]→a; B1[H]→A1,B2; B2→A2,B3; B3[g]→b; C1→B2,C2; C2[H]→C3,D3; C3[f]→c; D1→D2; D2→D3; D3→C3,D4; D4→d
ABCD A1[H]→A2,B2; A2→a; B1→A1,B2; B2[H]→A2,B3; B3→b; C1[H]→C2,D2; C2→B3,C3; C3[w]→c; D1→D2; D2[H]→C2,D3; D3→D4; D4[g]→d
ABCD A1[+]→A2,B2; A2→b; B1→B2; B2→B3; B3[w]→a; C1→B2,C2; C2→B3,C3; C3→c; D1→D2; D2[f]→C2,D3; D3→D4; D4[H]→d
ABCD A1→A2,B2; A2[H]→A3; A3→a; B1→B2; B2→A3,B3; B3[f]→b; C1[+]→C2; C2→B3,C3; C3[g]→c; D1→D2; D2→C2,D3; D3[+]→D4; D4→d
ABCD A1[H]→A2,B2; A2→A3; A3[+]→a; B1→B2; B2→B3; B3→b; C1[w]→B2,C2; C2→C3; C3[H]→c; D1→C1,D2; D2[+]→D3; D3→D4; D4→d
BBCD A1[w]→a,B3; B1[Y]→1:C2,2:B2,3:A1; B2→B3; B3→b; C1→C2; C2→B3,C3,D3; C3[f]→c; D1→D2; D2[g]→C2,D3; D3→D4; D4→d
ABCC A1[f]→A2,B2; A2→a; B1→A1,B2; B2[H]→A2,B3; B3→b; C1[Y]→1:D1,2:C2,3:B2; C2→C3; C3→c; D1[g]→C2,D2; D2→d
AACD A1[Z]→0:B1,1:A2,2:a; A2→a; B1[H]→b,C3; C1→B1,C2; C2→C3,D3; C3[w]→c; D1[f]→D2; D2→C2,D3; D3→D4; D4→d
ABCD A1→A2,B2; A2[g]→b; B1→A1,B2; B2→A2,B3; B3[H]→a; C1[Z]→0:D2,1:C2,2:B2; C2→C3; C3→c; D1→D2; D2→C2,D3; D3→C3,D4; D4[f]→d
ABCD A1→A2; A2[f]→A3; A3→a; B1[f]→A2,B2; B2→A3,B3; B3→b; C1→B2,C2; C2[f]→B3,C3; C3→c; D1[f]→D2; D2→C2,D3; D3→C3,D4; D4[f]→d
ABCD A1→A2,B2; A2[w]→b; B1→B2,C2; B2[g]→B3; B3→a; C1[g]→C2; C2→C3,D3; C3[H]→c; D1→D2; D2→C2,D3; D3[g]→D4; D4→d
ABBD A1→A2,B2; A2→a; B1[f]→A1,B2,C1; B2→A2,B3; B3[w]→b; C1→c,D3; D1→D2; D2→C1,D3; D3→D4; D4[g]→d
ABCD A1→a,b; B1[H]→b; C1→B1,C2,D2; C2→c; D1[w]→D2; D2→d
ABCD A1[H]→A2,B2; A2→A3,B3; A3→b; B1→A1,B2; B2[f]→A2,B3; B3→A3,B4; B4→a; C1→B2,C2; C2→B3,C3; C3→C4; C4[w]→c; D1[g]→D2; D2→C3,D3; D3→D4; D4→d
ABCD A1[S]→a; B1[S]→b; C1[S]→c; D1[S]→d
"""
ANGLES = {1: [6], 2: [4, 8], 3: [3, 6, 9], 4: [2, 5, 7, 10]}


def dots(line):
    """The dots of a wedge in the order of the listing: name, item, exits as (label, where to), lane and angle."""
    found = [re.fullmatch(r"(\w\d)(?:\[(.)])?→(.*)", dot).groups() for dot in line[5:].split("; ")]
    lanes = "".join(name[0] for name, _, _ in found)
    return [
        {
            "name": name,
            "item": item,
            "exits": [(int(way[0]), way[2:]) if ":" in way else (0, way) for way in ways.split(",")],
            "lane": "ABCD".index(name[0]),
            "angle": ANGLES[lanes.count(name[0])][int(name[1]) - 1],
        }
        for name, item, ways in found
    ]


COURSE = [dots(line) for line in WEDGES.split("\n")[1:-1]]
ENTRIES = [dict(zip("abcd", [f"{lane}1" for lane in line[:4]], strict=True)) for line in WEDGES.split("\n")[1:-1]]


def fields(match):
    """All fields of the sheet's section 5 as plain numbers and lists; piles are lists of what is left, the next one first."""
    s = match.state
    disc, flags = s.disc, s.flags
    found = {name: getattr(s, name) for name in NUMBERS} | {name: getattr(s, name).tolist() for name in LISTS}
    found |= {name: flags >> bit & 1 for bit, name in enumerate(FLAGS)} | {"no2": [p for p in range(4) if flags >> 4 + p & 1]}
    return found | {
        "disc": [card for card in range(36) if disc >> card & 1],
        "stack": s.stack.tolist()[16 - s.stack_n :],
        "hand": [[wedge for wedge in hand if wedge != NOTHING] for hand in s.hand.tolist()],
        "deck": s.deck.tolist()[36 - s.deck_n :],
        "face": s.face.tolist()[: s.face_n],
    }


class Race:
    def __init__(self, match):
        self.__dict__.update(fields(match))
        self.n, self.option, self.rng = match.players, match.options, 0
        self.to_move, self.payoff = match.to_move, (0.0,) * self.n
        self.limit = 2 if self.n == 2 else 1  # R28
        self.rolling, self.asked, self.ply, self.mixed = [], self.phase, 0, 0

    def fields(self):
        return {name: getattr(self, name) for name in [*NUMBERS, *FLAGS, "no2", *LISTS, *PILES]}

    def seen(self, viewer):
        """Section 7: what a player knows of the fields."""
        seen = {name: [*value] if isinstance(value, list) else value for name, value in self.fields().items()}
        seen["deck"], seen["stack"] = [NOTHING] * len(self.deck), [NOTHING] * len(self.stack)
        seen["face"] = [card if self.reshuf and i == 0 else NOTHING for i, card in enumerate(self.face)]
        if self.rolling:
            fish, slots, disc = self.snapped
            for p in range(self.n):
                if p != viewer:
                    seen["nav"][p] = seen["d1"][p] = seen["d2"][p] = 0
                    seen["fish"][p], seen["slots"][p] = fish[p], slots[p]
            mine = [] if viewer is None else [card for card in slots[viewer] if card not in self.slots[viewer]]
            seen["disc"] = sorted(disc + mine)
        return seen

    def ask(self, player, phase, actions):
        """6.1: if only one thing can be done, nobody is asked."""
        if len(actions) == 1:
            return actions[0]
        self.to_move, self.phase, self.asked = player, NAV if self.rolling else phase, phase
        return (yield sorted(actions))

    def roll(self, sides):
        return 1 + rand(self, sides)

    # ---- the race ----------------------------------------------------------------------------------------------------

    def race(self):
        """R12, R13, R56. A laid position begins where the player in turn has no movement left."""
        if self.round:
            p = self.to_move
            yield from self.sail(p)
            yield from self.reveal(p)
            yield from self.turns(self.turn + 1)
        else:
            self.set_up()
            yield from self.place_ships()
        while not self.final:
            if self.round:
                self.fleece = min(range(self.n), key=self.progress)
            self.round += 1
            yield from self.roll_together() if self.option["roll_mode"] == "simultaneous" else self.roll_in_turn()
            yield from self.turns(0)
        ranking = sorted(range(self.n), key=self.progress, reverse=True)
        self.rank, self.phase, self.to_move = [*ranking, *[NOTHING] * (4 - self.n)], OVER, None
        places = [ranking.index(p) for p in range(self.n)]
        if self.option["returns"] == "rank":
            self.payoff = tuple(1 - 2 * place / (self.n - 1) for place in places)
        else:
            self.payoff = tuple(-1.0 if place else 1.0 for place in places)
        yield []

    def set_up(self):
        """R2 to R7: all fields but the lots, of which only what is possible is known."""
        ring = [self.under if slot == self.start_slot else wedge for slot, wedge in enumerate(self.top)]
        symbols = [wedge // 3 for wedge in ring]
        assert self.top[self.start_slot] == 28
        assert sorted(ring) == list(range(12))
        assert any(all(len({*turned[i : i + 3]}) == 1 for i in (0, 3, 6, 9)) for turned in (symbols[k:] + symbols[:k] for k in range(3)))
        assert sorted(self.stack) == list(range(12, 28))
        starters = [self.slots[p][0] for p in range(self.n)]
        assert {*starters} <= {0, 2, 4, 6}
        assert sorted(starters + self.deck) == list(range(36))
        nobody = 4 - self.n
        for name in [*NUMBERS, *FLAGS]:
            if name not in ("start_slot", "under"):
                setattr(self, name, NOTHING if name in ("fleece", "pend", "ptarget", "gaia") else 0)
        self.order0 = sorted(range(self.n), key=starters.__getitem__) + [NOTHING] * nobody
        self.height = [1 + (slot == self.start_slot) for slot in range(12)]
        self.slots = [[card, NOTHING] for card in starters] + [[NOTHING, NOTHING]] * nobody
        self.fish = [self.option["start_fish"]] * self.n + [0] * nobody
        self.pos, self.wake, self.rank = [[NOTHING] * 4 for _ in range(3)]
        self.laps, self.nav, self.d1, self.d2, self.bust = [[0] * 4 for _ in range(5)]
        self.disc, self.hand, self.face, self.no2 = [], [[] for _ in range(4)], [], []

    def place_ships(self):
        """R8, R10."""
        for p in self.order0[: self.n]:
            lane = yield from self.ask(p, SETUP, [lane for lane in range(4) if self.start_slot * 16 + lane not in self.pos])
            self.pos[p] = self.wake[p] = self.start_slot * 16 + lane
            self.setup_i += 1
        self.fleece = p

    def progress(self, p):
        """R55, R57, Q39, Q40."""
        dot = self.dot(self.pos[p])
        inside = [3 - dot["lane"], dot["angle"]]
        offset = (self.pos[p] // 16 - self.start_slot) % 12
        return [self.laps[p], offset, *(inside if self.option["rank_in_wedge"] == "radius" else reversed(inside))]

    # ---- Favors on a board -------------------------------------------------------------------------------------------

    def held(self, p):
        return ["" if card == NOTHING else CARDS[card // 2] for card in self.slots[p]]

    def uses(self, p, *names):
        held = self.held(p)
        return [USE + k for k in range(2) if held[k] in names and held[k] not in held[:k]]

    def discard(self, p, k):
        self.disc = sorted([*self.disc, self.slots[p][k]])
        self.slots[p][k] = NOTHING

    def use(self, p, action):
        """Discard a Favor and do what is the same whenever it is used; returns its name."""
        name = self.held(p)[action - USE]
        self.discard(p, action - USE)
        if name == "Demeter":
            self.gain_fish(p, 2)
        if name in ("Hephaestus", "Hermes"):
            self.move += 3 if name == "Hephaestus" else self.nav[p]
        if name == "Hermes" and not self.noprot:
            self.prot += self.nav[p]
        return name

    def gain_fish(self, p, number):
        self.fish[p] = min(self.fish[p] + number, 3)

    def demeter(self, p):
        return ["Demeter"] if self.fish[p] < 3 else []

    def curses(self, p, *names):
        """Q32: take off and tell the curses whose moment has come."""
        for k, name in enumerate(self.held(p)):
            if name in names:
                self.discard(p, k)
                yield name

    # ---- R14 to R22: dice --------------------------------------------------------------------------------------------

    def roll_in_turn(self):
        for turn in range(self.n):
            self.turn, p = turn, (self.fleece + turn) % self.n
            self.suffer(p)
            yield from self.roll_dice(p)
            self.bust_or_not(p)

    def roll_together(self):
        """Q5: everybody comes to the first decision, then goes on whenever it is their turn in `play_both`; in the end all is shown."""
        self.turn = 0
        for turn in range(self.n):
            self.suffer((self.fleece + turn) % self.n)
        self.snapped = [*self.fish], [[*slots] for slots in self.slots], [*self.disc]
        self.rolling, asked = list(range(self.n)), {}
        going = {p: self.roll_dice(p) for p in range(self.n)}
        for p in range(self.n):
            self.go_on_rolling(p, going, asked, None)
        together = bool(self.rolling)
        while self.rolling:
            p = self.to_move = self.rolling[0]
            self.phase, self.asked = NAV, asked[p][1]
            action = yield asked[p][0]
            self.mixed ^= self.rng
            self.go_on_rolling(p, going, asked, action)
        if together:
            self.rng, self.mixed = stream(self.mixed, self.ply), 0
        for p in range(self.n):
            self.bust_or_not(p)

    def go_on_rolling(self, p, going, asked, action):
        try:
            asked[p] = going[p].send(action), self.asked
        except StopIteration:
            self.rolling.remove(p)

    def suffer(self, p):
        self.no2 = [q for q in self.no2 if q != p]
        for curse in self.curses(p, "Hades", "Eris"):
            if curse == "Eris":
                self.no2 = sorted({*self.no2, p})
            else:
                self.fish[p] = max(self.fish[p] - 1, 0)

    def roll_dice(self, p):
        yield from self.roll_navigation(p)
        self.d1[p] = self.roll(6)
        if (yield from self.ask(p, FIRST, [HOLD, *([] if p in self.no2 else [ROLL2])])) == ROLL2:
            yield from self.roll_second(p)

    def roll_navigation(self, p):
        self.nav[p] = self.roll(3)
        while True:
            reroll = [NAV_REROLL] if self.fish[p] else []
            action = yield from self.ask(p, NAV, [NAV_KEEP, *reroll, *self.uses(p, "Apollo", "Athena", *self.demeter(p))])
            if action == NAV_KEEP:
                return
            if action == NAV_REROLL:
                self.fish[p] -= 1
            name = "" if action == NAV_REROLL else self.use(p, action)
            if name == "Athena":
                self.nav[p] = 1 - SET_VALUE + (yield from self.ask(p, VALUE, [SET_VALUE, SET_VALUE + 1, SET_VALUE + 2]))
            elif name != "Demeter":
                self.nav[p] = self.roll(3)

    def roll_second(self, p):
        self.d2[p] = self.roll(6)
        while True:
            low = self.d2[p] < self.d1[p]
            reroll = [REROLL2] if self.fish[p] else []
            cards = self.uses(p, "Apollo", *self.demeter(p), *(["Tyche"] if low else []))
            action = yield from self.ask(p, SECOND, [ACCEPT2, *reroll, *cards])
            if action == ACCEPT2:
                return
            if action == REROLL2:
                self.fish[p] -= 1
            name = "" if action == REROLL2 else self.use(p, action)
            if name == "Tyche":
                self.d2[p] = 0
                return
            if name != "Demeter":
                self.d2[p] = self.roll(6)

    def bust_or_not(self, p):
        """R18, R19."""
        if 0 < self.d2[p] < self.d1[p]:
            self.d1[p], self.d2[p], self.bust[p] = 0, 0, 1

    # ---- R23 to R36: turns -------------------------------------------------------------------------------------------

    def turns(self, first):
        for turn in range(first, self.n):
            self.turn, p = turn, (self.fleece + turn) % self.n
            self.wplaced, self.drawn, self.wdrawn, self.face, self.reshuf, self.battle = 0, 0, 0, [], 0, 0
            while self.hand[p]:
                numbers = range(len(self.hand[p]))
                action = yield from self.ask(p, WEDGE, [PLACE + 12 * h + slot for h in numbers for slot in self.places()])
                self.place(self.hand[p].pop((action - PLACE) // 12), (action - PLACE) % 12)
            self.begin_to_move(p)
            yield from self.sail(p)
            yield from self.reveal(p)
        self.nav, self.d1, self.d2, self.bust = [0] * 4, [0] * 4, [0] * 4, [0] * 4  # R13

    def places(self):
        """R25, R26, Q11."""
        barred = [self.start_slot, *[pos // 16 for pos in self.pos[: self.n]]]
        return [slot for slot in range(12) if slot not in barred]

    def place(self, wedge, slot):
        self.wplaced += 1
        self.top[slot] = wedge
        self.height[slot] += 1

    def begin_to_move(self, p):
        self.prot = self.nav[p] * (2 if p == self.fleece else 1)
        self.move, self.moved = self.prot + self.d1[p] + self.d2[p], 0
        self.skip, self.free, self.noprot, self.cur = 0, 0, 0, self.pos[p]
        for curse in self.curses(p, "Aeolus", "Ares"):
            if curse == "Aeolus":
                self.move = max(self.move - 3, 1)
            else:
                self.noprot, self.prot = 1, 0

    def dot(self, place):
        return COURSE[self.top[place // 16]][place % 16]

    def sail(self, p):
        while True:
            while self.move:
                if (yield from self.go_on(p)) == "Amphitrite":
                    self.move = 0
                    return
            if self.battle:
                return
            action = yield from self.ask(p, ENDWIN, [END_MOVE, *self.uses(p, "Hephaestus", "Hermes", *self.demeter(p))])
            if action == END_MOVE:
                return
            self.use(p, action)

    def go_on(self, p):
        """Leave a dot, or use a Favor there (its name is told)."""
        dot = self.dot(self.cur)
        whirlpool = dot["item"] in ("Y", "Z") and not self.free
        bound = whirlpool and not (self.skip and self.option["skip_whirlpool"] == "free")
        exits = range(len(dot["exits"]))
        if bound and dot["item"] == "Y":
            exits = [e for e in exits if dot["exits"][e][0] in (self.nav[p], self.d1[p], self.d2[p])]
        elif bound:
            exits = [e for e in exits if dot["exits"][e][0] <= self.fish[p]]
        stop = ["Amphitrite"] if self.moved else []
        any_path = ["Janus"] if whirlpool else []
        fish_for_scylla = ["Demeter"] if whirlpool and dot["item"] == "Z" and self.fish[p] < 2 else []
        cards = []
        if not self.skip and (len(exits) > 1 or {*self.held(p)} & {*stop, *any_path, *fish_for_scylla}):
            cards = self.uses(p, "Hephaestus", "Hermes", *self.demeter(p), *stop, *any_path)
        action = yield from self.ask(p, MOVE, [*[STEP + e for e in exits], *cards])
        if action < STEP:
            name = self.use(p, action)
            if name == "Janus":
                self.free = 1
            return name
        label, way = dot["exits"][action - STEP]
        if bound and dot["item"] == "Z":
            self.fish[p] -= label
        self.free = 0
        yield from self.enter(p, way)
        return None

    def enter(self, p, way):
        slot = self.cur // 16
        if way in "abcd":
            slot = (slot + 1) % 12
            way = ENTRIES[self.top[slot]][way]
        self.cur = slot * 16 + [dot["name"] for dot in COURSE[self.top[slot]]].index(way)
        item = self.dot(self.cur)["item"]
        if item == "S":
            self.laps[p] += 1
            if self.laps[p] >= self.option["laps"]:
                self.final = 1
            self.gain_fish(p, 1)
            self.draw_wedge(p)
            self.draw_favor()
        self.skip = int(self.cur in self.pos[:p] + self.pos[p + 1 :])
        if self.skip:
            return
        self.pos[p] = self.cur
        self.move -= 1
        self.moved += 1
        if item == "f":
            self.gain_fish(p, 1)
        elif item == "g":
            self.draw_favor()
        elif item == "w":
            self.draw_wedge(p)
        elif item == "+":
            self.move += 3
        elif item == "H":
            yield from self.meet_hydra(p)

    def draw_wedge(self, p):
        """R28, R44, Q12, Q13."""
        if self.stack and self.wdrawn < self.limit and len(self.hand[p]) < self.limit:
            self.wdrawn += 1
            self.hand[p].append(self.stack.pop(0))

    def draw_favor(self):
        """R41, R43, Q36, Q38."""
        if self.drawn == 2:
            return
        if not self.deck:
            self.deck, self.disc, self.reshuf = self.disc, [], int(self.face != [])
            shuffle(self, self.deck, 0, len(self.deck))
        self.drawn += 1
        self.face.append(self.deck.pop(0))

    def protects(self, amount):
        """R53, Q23."""
        return not self.noprot and self.moved - (self.option["hydra_count"] == "before") <= amount

    def meet_hydra(self, p):
        """R51, R52, Q24, Q25."""
        while True:
            safe = self.protects(self.prot)
            if safe and self.option["protected_battle"] == "no":
                return
            must = [IGNORE, BATTLE] if safe else [FEED if self.fish[p] else BATTLE]
            hermes = ["Hermes"] if self.protects(self.prot + self.nav[p]) else []
            action = yield from self.ask(p, HYDRA, [*must, *self.uses(p, *([] if safe else ["Artemis"]), *self.demeter(p), *hermes)])
            if action == FEED:
                self.fish[p] -= 1
            if action == BATTLE:
                self.move, self.battle = 0, 1
            if action in (FEED, BATTLE, IGNORE) or self.use(p, action) == "Artemis":
                return

    # ---- R37 to R41: Favors are revealed -----------------------------------------------------------------------------

    def reveal(self, p):
        self.wake[p] = self.pos[p]
        while self.face:
            if self.battle and self.option["battle_cancels_reveal"] == "yes":
                self.disc, self.face, self.reshuf = sorted(self.disc + self.face), [], 0
                return
            card, self.reshuf = self.face.pop(0), 0
            if CARDS[card // 2] in BOATS:
                yield from self.boat(p, card)
            elif CARDS[card // 2] in BOLTS:
                self.disc = sorted([*self.disc, card])
                yield from self.bolt(p, CARDS[card // 2])
            else:
                yield from self.trident(p, card)

    def boat(self, p, card):
        """R39, Q34."""
        action = None
        if NOTHING not in self.slots[p]:
            self.pend = card
            action = yield from self.ask(p, SLOTS, [*[REPLACE + k for k in self.loose(p)], DISCARD_NEW])
            self.pend = NOTHING
        if action == DISCARD_NEW:
            self.disc = sorted([*self.disc, card])
            return
        if action is not None:
            self.discard(p, action - REPLACE)
        self.slots[p][self.slots[p].index(NOTHING)] = card

    def trident(self, p, card):
        """R40, Q33."""
        victims = [SEAT + q for q in range(self.n) if q != p and (NOTHING in self.slots[q] or self.loose(q))]
        if not victims:
            self.disc = sorted([*self.disc, card])
            return
        self.pend = card
        victim = (yield from self.ask(p, TARGET, victims)) - SEAT
        if NOTHING not in self.slots[victim]:
            self.ptarget = victim
            self.discard(victim, (yield from self.ask(victim, ROOM, [DISCARD_OWN + k for k in self.loose(victim)])) - DISCARD_OWN)
        self.pend = self.ptarget = NOTHING
        self.slots[victim][self.slots[victim].index(NOTHING)] = card

    def loose(self, p):
        """Q33, Q34: the cards that may be discarded."""
        return [k for k, name in enumerate(self.held(p)) if self.option["tridents"] == "discardable" or name not in CARDS[14:]]

    def bolt(self, p, name):
        """R38, Q35."""
        others = [q for q in range(self.n) if q != p and self.fish[q]]
        if name == "Zeus":
            for q in others:
                self.fish[q] -= 1
        elif name == "Poseidon" and not self.battle:
            self.move, self.cur, self.skip, self.free = 2, self.pos[p], 0, 0
            yield from self.sail(p)
            self.wake[p] = self.pos[p]
        elif name == "Nereus":
            self.gain_fish(p, 2)
        elif name == "Gaia" and self.stack and self.wdrawn < self.limit and self.wplaced < self.limit:
            self.wdrawn += 1
            self.gaia = self.stack.pop(0)
            slot = (yield from self.ask(p, GAIA, [PLACE + slot for slot in self.places()])) - PLACE
            self.place(self.gaia, slot)
            self.gaia = NOTHING
        elif name == "Dionysus" and others and self.fish[p] < 3:
            victim = (yield from self.ask(p, STEAL, [SEAT + q for q in others])) - SEAT
            self.fish[victim] -= 1
            self.gain_fish(p, 1)
