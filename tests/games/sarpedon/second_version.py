"""The sheet of Sarpedon in plain Python, written without looking at the rules: slow, and a second opinion on every field."""

FIELDS = (
    *("quad", "pos", "frozen", "barred", "cused", "has", "shards", "cover", "mstate", "mtype", "mknown", "deck", "dptr"),
    *("phase", "round", "result", "reason", "die", "last_draw"),
)
SLOT = {2: 0, 3: 1, 7: 2}
SEATS = range(4)


def fields(match):
    """All fields of the sheet's section 5 as plain lists and numbers."""
    values = {name: getattr(match.state, name) for name in FIELDS}
    return {name: value.tolist() if hasattr(value, "tolist") else value for name, value in values.items()}


def near(n):
    """R4."""
    rows = [m for m in (n - 4, n + 4) if 1 <= m <= 16]
    return rows + [m for m in (n - 1, n + 1) if 1 <= m <= 16 and (m - 1) // 4 == (n - 1) // 4]


class Sheet:
    """A position that plays by the sheet. The die of the battle is taken from the game it is compared with."""

    def __init__(self, match):
        self.__dict__.update(fields(match))
        self.to_move, self.option, self.shards_rolled_for = match.to_move, match.options, 0

    # ---- Section 6 ---------------------------------------------------------------------------------------------------

    def legal(self):
        if self.phase == 2:
            return []
        me = self.to_move
        if self.phase == 1:
            return [0] * self.option["trap_optional"] + [149 + x for x in self.partners()]
        actions = [0]
        if self.pos[me] != 4:
            actions += sorted(t for t in near(self.pos[me]) if self.cover[self.quad[me]][t - 1] != 1)
        if self.barred[me] or (self.pos[me] == 4 and self.cused[me] >= self.option["centre_specials"]):
            return actions
        tiles = [(q, i) for q in SEATS for i in range(16)]
        if self.has[me] & 1:
            actions += [17 + 16 * q + i for q, i in tiles if self.cover[q][i] == 0]
        if self.has[me] & 2:
            actions += [81 + 16 * q + i for q, i in tiles if self.cover[q][i] == 1]
        if self.has[me] & 4:
            liftable = [self.barred[x] and not self.option["centre_permanent"] for x in SEATS]
            actions += [145 + x for x in SEATS if x != me and (self.frozen[x] or liftable[x])]
        return actions

    def partners(self):
        return [x for x in SEATS if x != self.to_move and (self.option["swap_centre"] or self.pos[x] != 4)]

    def play(self, action):
        me = self.to_move
        if self.phase == 1:
            self.phase = 0
            if action:
                self.swap(me, action - 149)
        elif 1 <= action <= 16:
            self.pos[me] = action
            self.land(me, self.quad[me], action)
        elif action:
            self.use(me, action)
        while self.phase == 0 and self.end_turn() and not self.start_turn():
            pass

    def use(self, me, action):
        self.cused[me] += self.pos[me] == 4
        if action <= 80:
            self.has[me] -= 1
            self.cover[(action - 17) // 16][(action - 17) % 16] = 2
        elif action <= 144:
            self.has[me] -= 2
            q, i = divmod(action - 81, 16)
            self.cover[q][i] = 3
            for x in SEATS:
                if self.option["save_tile_frees"] and (self.quad[x], self.pos[x]) == (q, i + 1):
                    self.frozen[x] = 0
        else:
            self.has[me] -= 4
            x = action - 145
            self.frozen[x] = 0
            self.barred[x] *= self.option["centre_permanent"]
            if self.option["save_player_clears"] and self.cover[self.quad[x]][self.pos[x] - 1] == 1:
                self.cover[self.quad[x]][self.pos[x] - 1] = 4

    def land(self, me, q, tile):
        on_top = self.cover[q][tile - 1] == 0 or (self.cover[q][tile - 1] == 3 and self.option["save_restores_mystery"])
        if tile not in SLOT or self.mstate[q][SLOT[tile]] != 1 or not on_top:
            return
        slot = SLOT[tile]
        self.mknown[q][slot], self.mstate[q][slot] = 1, 2
        kind = self.mtype[q][slot]
        if kind == 2:
            self.mstate[q][slot] = 0
            self.shards[me] += 1
        elif kind == 1:
            spared = 2 if self.option["shriek_spares_protect"] == "yes" else None
            self.cover[q][1::2] = [top if top == spared else 0 for top in self.cover[q][1::2]]
            self.mknown[q][0] |= self.mstate[q][0] == 1 and self.option["shriek_reveals"]
            self.mstate[q][0] = 0
        elif len(self.partners()) == 1 and not self.option["trap_optional"]:
            self.swap(me, self.partners()[0])
        elif self.partners():
            self.phase = 1

    def swap(self, me, x):
        for field in (self.quad, self.pos):
            field[me], field[x] = field[x], field[me]
        if self.option["swap_freeze"] == "tile" and self.frozen[x]:
            self.frozen[me], self.frozen[x] = 2, 0
        if self.option["swap_freeze"] == "none":
            self.frozen[me] = self.frozen[x] = 0

    def end_turn(self):
        me = self.to_move
        if self.frozen[me]:
            self.frozen[me] = 1 if self.option["freeze"] == "until_saved" else self.frozen[me] - 1
        if self.pos == [4, 4, 4, 4]:
            held = sum(self.shards)
            self.shards_rolled_for = held if 1 <= held <= 3 else 0
            return self.over(*((-1, 4) if held == 0 else (1, 1) if held >= 4 else (0, 0)))
        if self.doomed():
            return self.over(-1, 3)
        if me == 3 and self.round == self.option["max_rounds"]:
            return self.over(-1, 6)
        self.round += me == 3
        self.to_move = (me + 1) % 4
        return True

    def start_turn(self):
        """True if there is a decision, or the game is over."""
        me, q = self.to_move, self.quad[self.to_move]
        self.last_draw = [q, 0, 0]
        if self.dptr[q] < 16:
            card = self.deck[q][self.dptr[q]]
            self.dptr[q] += 1
            self.last_draw = [q, card, 2]
            if self.cover[q][card - 1] < 2:
                self.cover[q][card - 1] = 1
                self.last_draw[2] = 1 if self.pos[me] != card else 4 if card == 4 else 3
                if self.last_draw[2] == 4:
                    self.barred[me] = 1
                if self.last_draw[2] == 3:
                    self.frozen[me] = 2
        elif self.option["loss"] == "deck_out" and self.pos[me] != 4:
            return not self.over(-1, 7)
        if self.doomed():
            return not self.over(-1, 3)
        return not self.frozen[me] and self.legal() != [0]

    def over(self, result, reason):
        self.phase, self.result, self.reason, self.to_move = 2, result, reason, None
        return False

    # ---- Q36 ---------------------------------------------------------------------------------------------------------

    def doomed(self):
        if self.option["loss"] == "cap":
            return False
        unspent = [self.pos[x] != 4 or self.cused[x] < self.option["centre_specials"] or self.option["swap_centre"] for x in SEATS]
        saver = [self.has[x] & 4 and not self.barred[x] and unspent[x] for x in SEATS]
        helped = [any(saver[y] for y in SEATS if y != x) for x in SEATS]
        usable = [not self.barred[x] or (not self.option["centre_permanent"] and helped[x]) for x in SEATS]
        saves = sum(bool(self.has[x] & 2 and unspent[x] and usable[x]) for x in SEATS)
        outside = [p for p in SEATS if self.pos[p] != 4]
        trap = {}
        for p in outside:
            reach = self.reach(p, saves, False)
            if self.may_find(self.quad[p], reach, 1, saves):
                reach = self.reach(p, saves, True)
            if 4 not in reach:
                return True
            trap[p] = self.may_find(self.quad[p], reach, 0, saves)
        for p in outside:
            others = any(trap[x] for x in outside if x != p)
            on_stone = self.cover[self.quad[p]][self.pos[p] - 1] == 1
            freed = helped[p] or (self.option["save_tile_frees"] and saves and on_stone)
            swapped_free = self.option["swap_freeze"] != "player" and others
            if self.option["freeze"] == "until_saved" and self.frozen[p] and not freed and not swapped_free:
                return True
        return False

    def reach(self, p, saves, shriek):
        cost, todo = {self.pos[p]: 0}, [self.pos[p]]
        while todo:
            t = todo.pop()
            for n in near(t):
                price = cost[t] + (self.cover[self.quad[p]][n - 1] == 1 and not (shriek and n % 2 == 0))
                if price <= saves and price < cost.get(n, 99):
                    cost[n] = price
                    todo.append(n)
        return set(cost)

    def may_find(self, q, tiles, kind, saves):
        covers = {0, 3} | ({1} if saves else set()) if self.option["save_restores_mystery"] else {0}
        seen = {self.mtype[q][k] for k in range(3) if self.mknown[q][k]}
        return any(t in tiles and self.mstate[q][k] == 1 and self.cover[q][t - 1] in covers and kind not in seen for t, k in SLOT.items())
