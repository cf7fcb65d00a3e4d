"""A second reading of the rule sheet, written without looking at the rules module: slow, plain Python, to compare with."""

import copy

HEX = [(1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1)]
SQUARE = [(1, 0), (0, -1), (-1, 0), (0, 1)]
DIRECTIONS = [HEX, SQUARE]
WALKS = [[HEX[d] for d in (2, 3, 4, 5, 0, 1)], [(-1, -1), (-1, 1), (1, 1), (1, -1)]]
MASKS = [[{0: 1, 1: 1, 2: mask} for mask in (21, 5, 9)], [{0: 1, 1: 1, 2: mask} for mask in (7, 3, 5)]]
DRAFT, EQUIP, PLACE, RESPOND, ROTATE, OVER = range(6)
SHEET = (
    "phase round turn winner reasons stack stack_n market hand known secret n_tiles t_cell t_kind t_mask t_blocked fd_kind fd_cell "
    "champ_equip champ_cell equip drafted live reserve heads captured hits last_kind last_cell last_equip last_result skips"
)
FIELDS = SHEET.split()
OPTIONS = {
    "grid": 2,
    "section": 3,
    "run_out": 3,
    "petrify": 2,
    "hearts": 2,
    "champion_blocks": 2,
    "soft_block": 2,
    "heart_play": 2,
    "chain": 2,
    "win_check": 2,
    "judged_first": 2,
    "closing": 2,
}


def spiral(walk):
    cells = [(0, 0)]
    for ring in range(1, 9):
        x, y = ring, 0
        for dx, dy in walk:
            for _ in range(ring):
                cells.append((x, y))
                x, y = x + dx, y + dy
    return cells


CELLS = [spiral(walk) for walk in WALKS]
NUMBERS = [{place: cell for cell, place in enumerate(cells)} for cells in CELLS]


def fields(match):
    """The sheet's fields of a match as plain numbers and lists."""
    found = {name: getattr(match.state, name) for name in [*FIELDS, *OPTIONS]}
    return {name: value.tolist() if hasattr(value, "tolist") else value for name, value in found.items()}


class Oracle:
    """Section 2a and the reference helpers of section 5, word for word."""

    def __init__(self, values):
        self.__dict__.update(copy.deepcopy(values))
        self.sides = len(DIRECTIONS[self.grid])

    def neighbour(self, cell, d):
        (x, y), (dx, dy) = CELLS[self.grid][cell], DIRECTIONS[self.grid][d]
        return NUMBERS[self.grid].get((x + dx, y + dy), -1)

    def opposite(self, d):
        return (d + self.sides // 2) % self.sides

    def rotated(self, kind, r):
        mask = MASKS[self.grid][self.section][kind]
        return sum(1 << (d + r) % self.sides for d in range(self.sides) if mask >> d & 1)

    def tresses(self, tile):
        return [d for d in range(self.sides) if self.t_mask[tile] >> d & 1]

    def tile_at(self, cell):
        return next((tile for tile in range(self.n_tiles) if self.t_cell[tile] == cell), None)

    def open_cells(self, count_champion, first=0):
        found = set()
        for tile in range(first, self.n_tiles):
            if self.t_kind[tile] >= 2 and not self.t_blocked[tile]:
                found |= {self.neighbour(self.t_cell[tile], d) for d in self.tresses(tile)}
        taken = {*self.t_cell[: self.n_tiles], self.fd_cell, *(self.champ_cell if count_champion else ())}
        return sorted(found - taken)

    def rotations(self, cell, kind):
        joins = {}
        for r in range(self.sides):
            mask = self.rotated(kind, r)
            if mask not in [self.rotated(kind, smaller) for smaller in range(r)]:
                joins[r] = sum(mask >> d & 1 and self.points_back(cell, d) for d in range(self.sides))
        return [r for r, count in joins.items() if count == max(joins.values())]

    def points_back(self, cell, d):
        tile = self.tile_at(self.neighbour(cell, d))
        return tile is not None and not self.t_blocked[tile] and self.t_kind[tile] >= 2 and self.opposite(d) in self.tresses(tile)

    def longest_chain(self, tile=0, sections=0, visited=(0,)):
        best = sections if self.chain == 1 else 0
        for d in self.tresses(tile):
            there = self.tile_at(self.neighbour(self.t_cell[tile], d))
            if there is None or there in visited or self.t_blocked[there] or self.opposite(d) not in self.tresses(there):
                continue
            if self.t_kind[there] >= 2:
                best = max(best, self.longest_chain(there, sections + 1, (*visited, there)))
            elif self.chain == 0:
                best = max(best, sections)
        return best

    def legal(self):
        if self.phase == DRAFT:
            return sorted({kind for kind in self.market if kind >= 0})
        if self.phase == EQUIP:
            return [5, 6, 7, 8] if self.reserve == 1 else [5, 6, 7]
        if self.phase == PLACE:
            return [9 + 168 * kind + cell - 1 for kind in range(5) if self.hand[kind] for cell in self.open_cells(True)]
        if self.phase == RESPOND:
            taken = {*self.t_cell[: self.n_tiles], *self.champ_cell}
            free = [d for d in range(self.sides) if self.neighbour(self.fd_cell, d) not in taken]
            gear = [e for e in range(3) if self.equip[e]] + [3] * self.heart_play
            return [849 + 7 * e + d for e in gear for d in (free if free and not self.champion_blocks else [6])]
        return [877 + r for r in self.rotations(self.fd_cell, self.fd_kind)] if self.phase == ROTATE else []

    def play(self, action):
        if self.phase == DRAFT:
            self.draft(action)
        elif self.phase == EQUIP:
            self.drafted, self.equip = action - 5, [1 + (weapon == action - 5) for weapon in range(3)]
            self.begin_turn(0)
        elif self.phase == PLACE:
            kind, cell = divmod(action - 9, 168)
            self.hand[kind] -= 1
            self.fd_kind, self.fd_cell, self.phase = kind, cell + 1, RESPOND
        elif self.phase == RESPOND:
            self.respond(*divmod(action - 849, 7))
        else:
            self.settle(action - 877)

    def draft(self, kind):
        slot = self.market.index(kind)
        self.market[slot] = -1
        self.hand[kind] += 1
        self.known[kind] += 1
        if self.stack_n:
            self.stack_n -= 1
            self.market[slot], self.stack[self.stack_n] = self.stack[self.stack_n], -1
        self.phase = DRAFT if sum(self.hand) < 3 and max(self.market) >= 0 else EQUIP

    def respond(self, gear, d):
        if gear < 3:
            self.equip[gear] -= 1
        which = self.champ_equip.index(-1)
        self.champ_equip[which], self.champ_cell[which] = gear, 254 if d == 6 else self.neighbour(self.fd_cell, d)
        kind, cell = self.fd_kind, self.fd_cell
        if self.known[kind]:
            self.known[kind] -= 1
        else:
            self.secret = 0
        self.last_kind, self.last_cell, self.last_equip, self.last_result = kind, cell, gear, -1
        if kind != gear:
            ways = self.rotations(cell, kind)
            if len(ways) > 1:
                self.phase = ROTATE
            else:
                self.settle(ways[0])
            return
        if kind == 0:
            self.captured += 1
        else:
            self.add(0, 1)
        self.last_result = 1 if kind == 0 else 2
        self.fd_kind, self.fd_cell = -1, 255
        self.test(False)

    def add(self, mask, blocked):
        n = self.n_tiles
        self.t_cell[n], self.t_kind[n], self.t_mask[n], self.t_blocked[n] = self.fd_cell, self.fd_kind, mask, blocked
        self.n_tiles += 1

    def settle(self, r):
        kind = self.fd_kind
        self.add(self.rotated(kind, r), 0)
        self.fd_kind, self.fd_cell, self.last_result = -1, 255, 0
        self.heads += kind == 0
        self.hits += kind == 1
        if kind == 1 and self.petrify == 0:
            if self.drafted == 3 and self.reserve:
                self.reserve = 0
            else:
                self.live = max(self.live - 1, 0)
        self.test(True)

    def test(self, stayed):
        medusa, champion = 0, 0
        medusa |= 1 if self.heads >= 3 else 0
        medusa |= 2 if (self.hits >= 3 if self.petrify else self.live == 0) else 0
        medusa |= 4 if stayed and self.longest_chain() >= 3 else 0
        champion |= 8 if self.captured >= 3 else 0
        face_up = [tile for tile in range(1, self.n_tiles) if self.t_kind[tile] >= 2 and not self.t_blocked[tile]]
        closed = not self.open_cells(self.soft_block == 1, int(self.closing == 1 and bool(face_up)))
        if closed and not self.reasons & 7 and (self.judged_first == 1 or not medusa):
            champion |= 16
            medusa = 0
        self.reasons |= medusa | champion
        if self.reasons and self.win_check == 0:
            self.end()
        elif self.turn == 0:
            self.begin_turn(1)
        else:
            self.end_round()

    def begin_turn(self, turn):
        self.turn, self.phase = turn, PLACE
        if sum(self.hand) and self.open_cells(True):
            return
        self.skips += bool(sum(self.hand))
        if turn == 0:
            self.begin_turn(1)
        else:
            self.end_round()

    def end_round(self):
        left = sum(self.hand) + sum(kind >= 0 for kind in self.market) + self.stack_n
        if not self.reasons and [self.stack_n == 0, left < 3, left == 0][self.run_out]:
            self.reasons = 32
        if self.reasons:
            self.end()
            return
        self.champ_equip, self.champ_cell, self.equip, self.drafted = [-1, -1], [255, 255], [0, 0, 0], -1
        if self.hearts == 1 and self.petrify == 0:
            self.live, self.reserve = 2, 1
        self.round, self.turn = self.round + 1, 0
        self.phase = DRAFT if sum(self.hand) < 3 and max(self.market) >= 0 else EQUIP

    def end(self):
        medusa, champion = self.reasons & 7 > 0, self.reasons & 56 > 0
        self.phase, self.winner = OVER, 2 if medusa and champion else int(champion)
