"""The rule sheet read a second time: plain Python, slow and literal, written without the rules module, to be compared with it.

Everything speaks of seats. `Reading(match)` copies a position, `legal()` and `apply(action, throw)` do what the sheet says,
`greedy_choices()` are the moves of which the bot of the sheet's section 10 takes one.
"""

from fractions import Fraction

STEPS = [(-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1)]
HOMES = {0: 3, 14: 5, 224: 7, 210: 1}  # corner: its printed arrow, in the order of seats
CORNER_OF = list(HOMES)
CENTRE = 112
TILE_SPACES = [cell for cell in range(225) if cell not in HOMES and cell != CENTRE]
FIELDS = [
    "tile",
    "face",
    "pos",
    "light",
    "lose",
    "phase",
    "rotated",
    "start_light",
    "opening",
    "turn",
    "first",
    "rolloff",
    "last_die",
    "winner",
    "points",
]


def off_board(cell, way):
    row, column = cell // 15 + STEPS[way][0], cell % 15 + STEPS[way][1]
    return not (0 <= row < 15 and 0 <= column < 15)


def step(cell, way):
    return cell + 15 * STEPS[way][0] + STEPS[way][1]


def direction_to_centre(cell):
    """For a launch cell the direction in which one roll can hit the centre, else None."""
    for way, (down, right) in enumerate(STEPS):
        if any((cell // 15 + n * down, cell % 15 + n * right) == (7, 7) for n in range(1, 7)):
            return way
    return None


class Reading:
    def __init__(self, match):
        for name in FIELDS:
            value = getattr(match.state, name)
            setattr(self, name, value.tolist() if hasattr(value, "tolist") else value)
        self.points = sum(face > 0 for face in self.face)
        self.options = match.options
        self.seats = [0, 2] if match.players == 2 else list(range(match.players))
        self.seat = None if match.over else self.seats[match.to_move]
        self.payoff = [0] * match.players

    def fields(self):
        return {name: getattr(self, name) for name in FIELDS}

    def arrow(self, cell):
        return HOMES[cell] if cell in HOMES else (self.tile[cell] + 2 * (self.face[cell] - 1)) % 8

    def heading(self, cell):
        return (self.arrow(cell) + (4 if cell not in HOMES and self.tile[cell] // 8 == 2 else 0)) % 8

    # ---- section 6: decisions

    def legal(self):
        if self.phase == 2:
            return []
        if self.phase == 1:
            return [1, *self.rotations()]
        if self.phase == 3:
            return [1, *self.teleports()]
        if self.opening:
            return [0]
        may_rotate = self.light[self.seat] and not self.rotated
        instead = self.teleports() if self.options["teleport_when"] == "next_turn" else []
        return [0, *(self.rotations() if may_rotate else []), *instead]

    def rotations(self):
        others = [self.pos[seat] for seat in self.seats if seat != self.seat] if self.options["rotate_occupied"] == "own" else []
        cells = [cell for cell in TILE_SPACES if self.face[cell] and cell not in others]
        return [2 + cell for cell in cells] + [227 + cell for cell in cells]

    def teleports(self):
        here = self.pos[self.seat]
        colour = self.tile[here] // 8 - 8 if here not in HOMES else -1
        departure = {"anywhere": True, "any_teleport": colour in self.seats, "own_teleport": colour == self.seat}
        if not departure[self.options["teleport_from"]] or (self.options["teleport_disk"] == "dark" and self.light[self.seat]):
            return []
        return [452 + cell for cell in TILE_SPACES if self.face[cell] and self.tile[cell] // 8 == 8 + self.seat and cell != here]

    def apply(self, action, throw):
        if action == 0:
            self.roll(throw)
        elif action == 1 and self.phase == 3:
            self.after_moving()
        elif action == 1:
            self.end_turn()
        elif action < 452:
            clockwise, cell = action < 227, (action - 2) % 225
            self.face[cell] = (self.face[cell] - 1 + (1 if clockwise else 3)) % 4 + 1
            self.rotated = 1
            self.light[self.seat] = self.phase
            if self.phase == 1:
                self.end_turn()
        else:
            self.bump(action - 452)
            self.pos[self.seat] = action - 452
            self.after_moving()

    def after_moving(self):
        once = not self.rotated or self.options["double_rotation"]
        began_dark = not self.start_light or self.options["autoflip_rotate"]
        if not self.light[self.seat] and once and began_dark and self.points:
            self.phase = 1
        else:
            self.end_turn()

    def end_turn(self):
        self.turn += 1
        if self.turn > self.options["cap_turns"]:
            self.phase, self.seat = 2, None
            return
        self.seat = self.next_seat()
        while self.lose[self.seat]:
            self.lose[self.seat] -= 1
            self.seat = self.next_seat()
        self.phase, self.rotated, self.start_light = 0, 0, self.light[self.seat]

    def next_seat(self):
        return self.seats[(self.seats.index(self.seat) + 1) % len(self.seats)]

    # ---- moving and landing

    def roll(self, throw):
        for dice in range(1, 51):
            self.last_die = self.opening or throw()
            self.opening = 0
            cell = self.travel(self.last_die)
            if cell is None:
                self.pos[self.seat] = CORNER_OF[self.seat]
                return self.end_turn()
            self.bump(cell)
            self.pos[self.seat] = cell
            if cell == CENTRE:
                self.winner, self.phase = self.seat, 2
                self.payoff = [1 if seat == self.seat else -1 for seat in self.seats]
                self.seat = None
                return None
            if self.land(cell) != "roll again" or dice == 50:
                if self.options["teleport_when"] == "at_once" and self.teleports():
                    self.phase = 3
                    return None
                return self.after_moving()
        return None

    def travel(self, die):
        cell = self.pos[self.seat]
        way = self.heading(cell)
        exits = 0
        while die:
            if not off_board(cell, way):
                cell = step(cell, way)
                die -= 1
                continue
            exits += 1
            if exits == 2 or (cell in HOMES and self.options["corner_exit"] == "home"):
                return None
            self.turn_over(cell)
            way = self.arrow(cell)
        return cell

    def turn_over(self, cell):
        if cell not in HOMES and self.face[cell] == 0:
            self.face[cell] = 1
            self.points += 1

    def bump(self, cell):
        for seat in self.seats:
            if seat != self.seat and self.pos[seat] == cell and (cell not in HOMES or self.options["corner_rule"] == "bump"):
                self.pos[seat] = CORNER_OF[seat]

    def land(self, cell):
        if cell in HOMES:
            return None
        self.turn_over(cell)
        kind = self.tile[cell] // 8
        if kind == 1:
            self.light[self.seat] = 1 - self.light[self.seat]
        elif 4 <= kind < 8 and kind - 4 in self.seats:
            self.lose[kind - 4] = min(self.lose[kind - 4] + 1, 255) if self.options["lose_stack"] else 1
        return "roll again" if kind == 3 else None

    # ---- section 10: the greedy bot

    def value(self, cell, way):
        return sum(self.walk_value(cell, way, die) for die in range(1, 7)) / 6

    def walk_value(self, cell, way, die):
        exits = 0
        while die:
            if not off_board(cell, way):
                cell = step(cell, way)
                die -= 1
                continue
            exits += 1
            if exits == 2 or (cell not in HOMES and self.face[cell] == 0):
                return Fraction(0)
            way = self.arrow(cell)
        if cell == CENTRE:
            return Fraction(1)
        if direction_to_centre(cell) is None:
            return Fraction(30 - 3 * max(abs(cell // 15 - 7), abs(cell % 15 - 7)), 1000)
        if self.face[cell] == 0:
            return Fraction(6, 100)
        missing = (self.heading(cell) - direction_to_centre(cell)) % 8
        return Fraction(17 if missing == 0 else 2 if missing % 2 else 6, 100)

    def is_threat(self, seat):
        return direction_to_centre(self.pos[seat]) == self.heading(self.pos[seat])

    def greedy_choices(self):
        legal = self.legal()
        here = self.pos[self.seat]
        way = self.heading(here)
        stay = self.value(here, way)
        candidates = {legal[0]: stay}
        if 2 + here in legal:
            candidates[2 + here] = self.value(here, (way + 2) % 8) - Fraction(1, 100)
            candidates[227 + here] = self.value(here, (way - 2) % 8) - Fraction(1, 100)
        for action in [action for action in legal if action >= 452]:
            candidates[action] = Fraction(8, 10) * self.value(action - 452, self.heading(action - 452)) - Fraction(2, 100)
        best = max(candidates, key=candidates.get)  # the first of equals
        turn = self.seats.index(self.seat)
        after = self.seats[turn + 1 :] + self.seats[:turn]
        threats = [self.pos[seat] for seat in (after if self.phase == 1 else sorted(after)) if self.is_threat(seat)]
        if threats and 2 + threats[0] in legal:
            new_good_shot = candidates[best] > Fraction(16, 100) and stay < Fraction(16, 100)
            if (self.phase == 1 and not new_good_shot) or (self.phase == 0 and best == 0 and stay < Fraction(1, 10)):
                return {2 + threats[0], 227 + threats[0]}
        return {best}
