"""The rules a second time, written from the rule sheet alone in slow and simple Python, to check the real ones against.

It deals in plain lists and shares nothing with `rules.py` but the text of the maps. Which cards come out of a reshuffle is chance:
after one, `Reference.follow` takes them from the real game, having checked that they are possible.
"""

from rulestone.games.artifact.content import MAPS

NOBODY = 255
DRAW, PLAY, DISCARD, OVER = range(4)
STEPS = {"N": (-1, 0), "NE": (-1, 1), "E": (0, 1), "SE": (1, 1), "S": (1, 0), "SW": (1, -1), "W": (0, -1), "NW": (-1, -1), "self": (0, 0)}
STRAIGHT, SLANTED, EIGHT, NINE = ["N", "E", "S", "W"], ["NE", "SE", "SW", "NW"], list(STEPS)[:8], list(STEPS)
KIND = {"ho": 0, "vert": 1, "jump": 2, "diag": 3, "swap": 4, "drop": 5, "dynamite": 6, "rotate": 7}
TARGETS = {"ho": STRAIGHT, "vert": STRAIGHT, "jump": EIGHT, "diag": SLANTED, "swap": [0, 1, 2, 3], "drop": NINE, "dynamite": NINE}
ACTIONS = (
    [("draw_deck",), ("draw_discard",), ("end_play",), ("end_turn",)]
    + [("discard", kind) for kind in range(8)]
    + [(verb, target) for verb, targets in TARGETS.items() for target in targets]
    + [("rotate",)]
)
NUMBERS = ("art", "holder", "rot", "phase", "used", "limit", "bonus", "winner", "spare", "turn")
LISTS = ("base", "pos", "h", "epoch", "hand", "known", "mine")
PILES = ("deck", "disc", "played")


def read(state):
    """The fields of a match as plain numbers and lists."""
    fields = {name: state[name] for name in NUMBERS} | {name: state[name].tolist() for name in LISTS}
    return fields | {name: state[name][: state[f"{name}_n"]].tolist() for name in PILES}


class Reference:
    """One game in progress."""

    def __init__(self, match):
        self.rows, self.n, self.options = MAPS[match.options["map"]], match.players, match.options
        self.__dict__.update(read(match.state))
        self.mover, self.payoff = match.to_move, (0.0,) * self.n
        self.fresh, self.drawn = False, [0] * 4  # cards drawn since a reshuffle, kinds still open

    def follow(self, real, player):
        """After a reshuffle: the real deck and what came out of it into the hand of `player`, if they are possible."""
        taken = [count - real["deck"].count(kind) for kind, count in enumerate(self.epoch)]
        assert min(taken) >= 0
        assert sum(taken) == self.drawn[player]
        self.deck = list(real["deck"])
        for kind, count in enumerate(taken):
            self.hand[player][kind] += count
            self.mine[player][kind] += count
        self.fresh, self.drawn = False, [0] * 4

    # ---- the board ----------------------------------------------------------------------------------------------------

    def sign(self, cell):
        return self.rows[cell // len(self.rows[0])][cell % len(self.rows[0])]

    def home(self, seat):
        return "".join(self.rows).index(str(self.base[seat] + 1))

    def neighbour(self, cell, way):
        columns = len(self.rows[0])
        row, column = cell // columns + STEPS[way][0], cell % columns + STEPS[way][1]
        inside = 0 <= row < len(self.rows) and 0 <= column < columns
        return row * columns + column if inside and self.rows[row][column] != "x" else None

    # ---- what is possible (section 6) ---------------------------------------------------------------------------------

    def legal(self):
        if self.phase == DRAW:
            return [0, 1]
        if self.phase == PLAY:
            return [2, *self.plays()]
        if self.phase == OVER:
            return []
        capped = self.options["hand_cap"] == 6 and sum(self.hand[self.mover]) > 6
        return [3] * (not capped) + [4 + kind for kind in range(8) if self.hand[self.mover][kind]]

    def plays(self):
        return [number for number, (verb, *target) in enumerate(ACTIONS) if verb in KIND and self.playable(verb, *target)]

    def playable(self, verb, target=None):
        held, there = self.hand[self.mover][KIND[verb]] > 0, verb != "swap" or target < self.n
        return self.possible(verb, target) or (self.options["idle_cards"] == "yes" and held and there)

    def possible(self, verb, target=None):
        me, options = self.mover, self.options
        here = self.pos[me]
        if not self.hand[me][KIND[verb]]:
            return False
        if verb == "rotate":
            return True
        if verb == "swap":
            return target < self.n and target != me and self.pos[target] != here
        there = self.neighbour(here, target)
        if there is None:
            return False
        if verb in ("drop", "dynamite"):
            if options["adjacent"] == 4 and target in SLANTED:
                return False
            if verb == "dynamite":
                return self.h[there] > 0
            supplied = not options["block_supply"] or self.spare > 0
            low = options["max_height"] == 0 or self.h[there] < options["max_height"]
            return low and supplied and not (options["protect"] and self.sign(there) in "1234T")
        if not options["share"] and there in self.pos[: self.n]:
            return False
        quarter = self.rot + (me if options["seat_axes"] and self.n > 2 else 0)
        if verb in ("ho", "vert") and (target in "EW") != ((verb == "ho") == (quarter % 2 == 0)):
            return False
        if verb == "jump" and options["jump_level"] == "yes":
            return self.h[there] > 0
        return self.h[there] > self.h[here] if verb == "jump" else self.h[there] <= self.h[here]

    # ---- cards --------------------------------------------------------------------------------------------------------

    def size(self, player):
        return sum(self.hand[player]) + self.drawn[player]

    def from_deck(self, player):
        if not self.deck:
            self.deck, self.disc = self.disc[:-1], self.disc[-1:]
            self.epoch = [self.deck.count(kind) for kind in range(8)]
            self.mine = [[0] * 8 for _ in range(4)]
            self.fresh = True
        kind = self.deck.pop()
        if self.fresh:
            self.drawn[player] += 1
        else:
            self.hand[player][kind] += 1
            self.mine[player][kind] += 1

    def from_pile(self, player):
        kind = self.disc.pop()
        self.hand[player][kind] += 1
        self.known[player][kind] += 1

    def lose(self, player, kind):
        self.hand[player][kind] -= 1
        self.known[player][kind] = max(0, self.known[player][kind] - 1)

    # ---- moves --------------------------------------------------------------------------------------------------------

    def play(self, number, real):
        verb, *target = ACTIONS[number]
        me = self.mover
        if verb == "draw_deck":
            self.from_deck(me)
            if self.fresh:
                self.follow(real, me)
            self.phase = PLAY
        elif verb == "draw_discard":
            self.from_pile(me)
            self.phase = PLAY
        elif verb == "end_play":
            self.phase = DISCARD
        elif verb == "discard":
            self.lose(me, target[0])
            self.disc.append(target[0])
        elif verb in KIND:
            self.card(verb, *target)
        if verb == "end_turn":
            self.end_turn()
        self.forced()
        if self.fresh:
            self.follow(real, me)

    def forced(self):
        if self.phase == PLAY and (self.used >= self.limit or not self.plays()):
            self.phase = DISCARD
        if self.phase == DISCARD and self.size(self.mover) == 0:
            self.end_turn()
            self.forced()

    def card(self, verb, target=None):
        me = self.mover
        works = self.possible(verb, target)
        self.lose(me, KIND[verb])
        self.played.append(KIND[verb])
        self.used += 1
        if not works:
            pass
        elif verb == "swap":
            self.swap(target)
        elif verb == "rotate":
            self.rot = (self.rot + 1) % 4
        else:
            there = self.neighbour(self.pos[me], target)
            if verb in ("drop", "dynamite"):
                self.h[there] += 1 if verb == "drop" else -1
                self.spare -= (1 if verb == "drop" else -1) * (self.options["block_supply"] > 0)
            else:
                self.pos[me] = there
                if self.holder == me:
                    self.art = there
                elif there == self.art:
                    self.take()
        if self.options["live_limit"]:
            base = self.options["opening_limit"] if self.turn == 0 else 3
            self.limit = min(16, base + 3 * self.bonus + (self.holder not in (NOBODY, me)))
        self.win_check()

    def swap(self, other):
        me = self.mover
        self.pos[me], self.pos[other] = self.pos[other], self.pos[me]
        if self.options["swap_carry"] and self.holder in (me, other):
            self.art = self.pos[self.holder]
        elif self.pos[me] == self.art:
            self.take()
        elif self.holder == me:
            self.holder = other if self.options["passive_take"] else NOBODY

    def take(self):
        self.holder = self.mover
        if self.options["bonus_each"] or self.bonus == 0:
            self.bonus = min(5, self.bonus + 1)
            self.limit = min(16, self.limit + 3)

    def win_check(self):
        if self.holder != NOBODY and self.pos[self.holder] == self.home(self.holder):
            self.winner, self.phase, self.mover = self.holder, OVER, None
            self.payoff = tuple(1.0 if seat == self.winner else -1.0 for seat in range(self.n))

    def end_turn(self):
        me = self.mover
        while self.size(me) < 6 and (self.deck or len(self.disc) >= 2):
            self.from_deck(me)
        self.disc, self.played = self.disc + self.played, []
        self.turn += 1
        self.mover = (me + 1) % self.n
        self.start_turn()

    def start_turn(self):
        """Q11, Q4."""
        me, options = self.mover, self.options
        self.used = self.bonus = 0
        if self.turn >= options["max_rounds"] * self.n:
            self.phase, self.mover = OVER, None
            return
        stolen = self.pos[me] == self.art and self.holder not in (NOBODY, me)
        if self.pos[me] == self.art and (self.holder != me or options["holder_bonus"]):
            self.holder, self.bonus = me, 1
        self.win_check()
        if self.phase == OVER:
            return
        self.limit = (4 if self.holder not in (NOBODY, me) else 3) + 3 * self.bonus
        if stolen:
            self.limit = options["chase_and_take"]
        self.phase = DRAW
        if not ((self.deck or len(self.disc) >= 2) and self.disc):
            if self.deck:
                self.from_deck(me)
            elif self.disc:
                self.from_pile(me)
            self.phase = PLAY
