"""Seeded stand-ins for what surrounds the rooms of a server: the database, the bus, bots that think, and the line to a browser."""

import asyncio
import contextlib
from collections import Counter
from dataclasses import replace

from rulestone.server.bus import LIFE, Alone
from rulestone.server.dice import begin
from rulestone.server.fair import play_stored
from rulestone.server.refusal import Away
from rulestone.server.storage import DOUBT, LOOK_AGAIN, SOON, Conflict, Sign

TICK = 1e-6
"""Seconds between two messages that stay in order."""


class Broken(Exception):
    """A process that thought has died."""


class Database:
    """What is stored, and what has ever been stored. Nothing here fails or waits: each call is one transaction."""

    def __init__(self, loop, games, log):
        self.loop, self.games, self.log = loop, games, log
        self.rows, self.moves, self.chat, self.removed = {}, {}, {}, {}
        self.numbers = 0
        self.added, self.undone = Counter(), set()
        """Moves that were ever stored, and those that were undone, by guest and key."""
        self.sat = set()
        self.versions = {}
        """Every position that a table has ever had: its edition and its match."""
        self.touched = {}
        """When a table last changed."""

    def _version(self, table, match):
        row = self.rows[table]
        self.touched[table] = self.loop.now
        self.versions.setdefault(table, []).append((row.revision, dict(row.taken_out or {}), match))
        self.log("stored", row.revision, str(row.taken_out), match.length, match.over)

    def _replay(self, table):
        match = begin(self.games[self.rows[table].game], self.rows[table])
        try:
            play_stored(match, self.moves[table], self.rows[table].seats)
        except Exception as problem:
            self.loop.fail(f"one history: the stored moves can't be played: {problem!r}")
        self._version(table, match)

    def _play(self, table, move):
        after = self.match(table).copy()
        try:
            play_stored(after, [move], self.rows[table].seats)
        except Exception as problem:
            self.loop.fail(f"one history: ply {move.ply} can't be played: {problem!r}")
        self._version(table, after)

    def match(self, table):
        return self.versions[table][-1][2]

    # ---- transactions ---------------------------------------------------------------------------------------------------

    def taken(self, table, ply):
        """The key (table, ply): a ply has one move."""
        return any(row.ply == ply for row in self.moves[table])

    def add_move(self, table, move, status, edition, lost, turns, now):
        if edition is not None and self.rows[table].edition != edition:
            raise Conflict("moves were undone")
        if lost is not None and [seat.out for seat in self.rows[table].seats] != lost:
            raise Conflict("somebody has lost")
        if self.taken(table, move.ply):
            raise Conflict(f"ply {move.ply} is taken")
        self.keep_turns(turns)
        self.moves[table] = sorted([*self.moves[table], move], key=lambda row: row.ply)
        row = self.rows[table]
        row.due = now + LOOK_AGAIN
        if status:
            row.status, row.updated = status, now
        if move.key:
            self.added[move.guest, move.key] += 1
        self._play(table, move)

    def keep_turns(self, turns):
        for table, (waits, due, edition, ply) in turns.items():
            row = self.rows[table]
            if row.edition == edition and not any(move.ply >= ply for move in self.moves[table]):
                row.waits, row.due = waits, due

    def load(self, table, edition, ply):
        if table not in self.rows:
            return None
        start = ply if self.rows[table].edition == edition else 0
        return self.copy(table), [row for row in self.moves[table] if row.ply >= start], {*self.removed[table]}

    def copy(self, table):
        row = self.rows.get(table)
        return row and replace(row, seats=[replace(seat) for seat in row.seats])

    def signs(self, ids):
        signs = {}
        for id in ids:
            row = self.rows[id]
            said = max((line.number for line in self.chat[id]), default=None)
            signs[id] = Sign(row.edits, row.revision, str(row.taken_out), len(self.moves[id]), said, len(self.removed[id]))
        return signs

    def take_back(self, table, ply, revision, end, now):
        row, rows = self.rows[table], self.moves[table]
        if row.revision != revision - 1:
            raise Conflict(f"moves were undone before revision {revision}")
        if end is not None and rows and rows[-1].ply + 1 != end:
            raise Conflict(f"ply {end} is taken")
        row.revision, row.updated = revision, now
        self.undone |= {(move.guest, move.key) for move in rows if move.ply >= ply}
        self.moves[table] = [move for move in rows if move.ply < ply]
        self._replay(table)

    def take_out(self, table, ply, later, seat, edition):
        row, rows = self.rows[table], self.moves[table]
        if row.edition != edition:
            raise Conflict("moves were undone")
        if [move.action for move in rows if move.ply > ply] != [move.action for move in later]:
            raise Conflict(f"the moves after ply {ply} have changed")
        self.undone |= {(move.guest, move.key) for move in rows if move.ply == ply}
        self.moves[table] = [*(move for move in rows if move.ply < ply), *(replace(move, ply=move.ply - 1) for move in later)]
        out = row.taken_out or {}
        row.taken_out = {**out, str(seat): out.get(str(seat), 0) + 1}
        self._replay(table)

    def add_table(self, row, removed, after, points, now):
        if row.series is not None and any((other.series, other.number) == (row.series, row.number) for other in self.rows.values()):
            raise Conflict(f"game {row.number} of the series exists")
        if after is not None:
            before = self.rows[after]
            if before.rematch is not None:
                raise Conflict(f"table {after} has a rematch")
            before.rematch, before.points = row.id, [*points]
            self.edited(after, now)
        self.rows[row.id] = replace(row, seats=[replace(seat) for seat in row.seats])
        self.moves[row.id], self.chat[row.id], self.removed[row.id] = [], [], {*removed}
        self.sat |= {(row.id, seat.guest, number) for number, seat in enumerate(row.seats)}
        self._replay(row.id)

    def set_seat(self, table, number, seat, was, wishes, end, now):
        row = self.rows[table]
        if row.seats[number] != was:
            raise Conflict(f"seat {number} has changed")
        if end is not None and self.moves[table] and self.moves[table][-1].ply + 1 != end:
            raise Conflict(f"ply {end} is taken")
        if seat.out and not was.out and row.status == "over":
            raise Conflict("the game is over")
        row.seats[number] = replace(seat)
        row.wishes = wishes
        self.edited(table, now)
        self.sat.add((table, seat.guest, number))
        self.touched[table] = self.loop.now
        self.log("seat", number, seat.kind, seat.stand_in, seat.out)

    def set_wishes(self, table, wishes, was, now):
        if self.rows[table].wishes != was:
            raise Conflict("somebody else has asked or answered")
        self.rows[table].wishes = wishes
        self.edited(table, now)

    def set_table(self, table, values, now):
        for name, value in values.items():
            setattr(self.rows[table], name, bool(value) if name == "hushed" else value)
        self.edited(table, now)

    def set_stage(self, table, was, stage, dice, now):
        row = self.rows[table]
        if row.stage != was:
            raise Conflict(f"the table is not in stage {was} any more")
        row.stage, row.dice = stage, dice
        self.edited(table, now)
        self._replay(table)

    def edited(self, table, now):
        self.rows[table].updated = now
        self.rows[table].edits += 1

    def series_tables(self, series):
        return sorted((self.copy(id) for id, row in self.rows.items() if row.series == series), key=lambda row: row.number)

    def remove(self, table, guest, now):
        self.removed[table].add(guest)
        self.edited(table, now)

    def due(self, now):
        return [id for id, row in self.rows.items() if row.status == "running" and row.due is not None and row.due <= now]

    def add_chat(self, table, line):
        if line.key is not None and any((said.guest, said.key) == (line.guest, line.key) for said in self.chat[table]):
            raise Conflict(f"the key {line.key} has been used")
        self.numbers += 1
        self.chat[table].append(replace(line, number=self.numbers))
        return self.numbers

    def chat_of(self, table, apart, limit, after):
        return [line for line in self.chat[table] if line.number > after and (apart or not line.apart)][-limit:]

    def said(self, table, guest, key):
        return next((line for line in self.chat[table] if (line.guest, line.key) == (guest, key)), None)


class Store:
    """The storage of one server: its calls take a while, fail before or after the commit, or commit after they have failed."""

    def __init__(self, world, clock):
        self.world, self.clock, self.turns, self.unsure_until = world, clock, {}, 0.0

    async def _ask(self, work, *arguments):
        world, loop = self.world, self.world.loop
        await asyncio.sleep(world.delay())
        fate = world.fate()
        if fate == "late":

            def late():
                with contextlib.suppress(Conflict):
                    work(*arguments)

            loop.call_later(loop.chance.uniform(0.0, 3.0), late, context=world.outside)
        if fate in ("away", "late"):
            self.doubt()
            raise Away
        found = work(*arguments)
        await asyncio.sleep(world.delay())
        if fate == "lost":
            self.doubt()
            raise Away
        return found

    def doubt(self):
        self.unsure_until = self.world.loop.now + DOUBT

    async def add_move(self, table, move, status, edition=None, lost=None):
        turns, self.turns = self.turns, {}
        try:
            await self._ask(self.world.database.add_move, table, move, status, edition, lost, turns, self.clock())
        except (Away, Conflict):
            self._keep_for_later(turns)
            raise

    def keep_turns(self, table, turns):
        if not self.turns:
            self.world.loop.call_later(SOON, self._flush)
        self.turns[table] = turns

    def _flush(self):
        if self.turns:
            turns, self.turns = self.turns, {}
            asyncio.get_running_loop().create_task(self._keep(turns))

    async def _keep(self, turns):
        try:
            await self._ask(self.world.database.keep_turns, turns)
        except Away:
            self._keep_for_later(turns)

    def _keep_for_later(self, turns):
        if turns:
            self.turns = {**turns, **self.turns}
            self.world.loop.call_later(5.0, self._flush)

    async def load(self, table, edition=None, ply=0):
        return await self._ask(self.world.database.load, table, edition, ply)

    async def table(self, id):
        return await self._ask(self.world.database.copy, id)

    async def signs(self, ids):
        return await self._ask(self.world.database.signs, ids)

    async def tables_with(self, ids):
        return await self._ask(lambda: [self.world.database.copy(id) for id in ids])

    async def take_back(self, table, ply, revision, end=None):
        await self._ask(self.world.database.take_back, table, ply, revision, end, self.clock())

    async def take_out(self, table, ply, later, seat, edition):
        await self._ask(self.world.database.take_out, table, ply, later, seat, edition)

    async def add_table(self, row, removed_guests=(), after=None, points=()):
        await self._ask(self.world.database.add_table, row, removed_guests, after, points, self.clock())

    async def series_tables(self, series):
        return await self._ask(self.world.database.series_tables, series)

    async def set_seat(self, table, number, seat, was, wishes=None, end=None):
        await self._ask(self.world.database.set_seat, table, number, seat, replace(was), wishes, end, self.clock())

    async def set_wishes(self, table, wishes, was):
        await self._ask(self.world.database.set_wishes, table, wishes, was, self.clock())

    async def set_table(self, id, **values):
        await self._ask(self.world.database.set_table, id, values, self.clock())

    async def set_stage(self, id, was, stage, dice):
        await self._ask(self.world.database.set_stage, id, was, stage, dice, self.clock())

    async def remove(self, table, guest):
        await self._ask(self.world.database.remove, table, guest, self.clock())

    async def due_tables(self, now):
        return await self._ask(self.world.database.due, now)

    async def add_chat(self, table, line):
        return await self._ask(self.world.database.add_chat, table, line)

    async def chat_of(self, table, apart=True, limit=200, after=0):
        return await self._ask(self.world.database.chat_of, table, apart, limit, after)

    async def said(self, table, guest, key):
        return await self._ask(self.world.database.said, table, guest, key)

    async def whose_devices(self):
        return {}


class Hub:
    """What Redis knows: who is alive, who leads a table, and who is at it."""

    def __init__(self):
        self.ears, self.leads, self.present = {}, {}, {}

    def hears(self, name):
        return name in self.ears


class Wire(Alone):
    """The bus of one server: messages are late, lost, doubled or out of order; the whole bus goes away and comes back."""

    def __init__(self, world, name, context):
        self.world, self.name, self.context, self.hub = world, name, context, world.hub
        self.up, self.others, self.followed, self.left, self.last = False, frozenset(), {}, set(), 0.0

    async def open(self, hear):
        self.hear = hear
        self.connect()

    def connect(self):
        """The bus can be reached (again)."""
        self.up = True
        self.hub.ears[self.name] = self
        self.others = frozenset(self.hub.ears) - {self.name}
        for other in self.others:
            self._at(other, 1.0, lambda bus: setattr(bus, "others", bus.others | {self.name}))
        for table, guests in self.followed.items():
            self.here(table, guests)
        for table in [*self.left]:
            self.unfollow(table)
        self.hear("", self.name, {"missed": True})

    async def close(self):
        self.cut()

    def cut(self):
        """The bus can't be reached any more, or this server is dead: the others notice by its silence."""
        self.up = False
        self.hub.ears.pop(self.name, None)
        for other in self.hub.ears:
            self._at(other, LIFE, self._missed)

    def _missed(self, bus):
        if self.name not in self.hub.ears and self.name in bus.others:
            bus.others -= {self.name}
            bus.hear("", self.name, {"gone": True})

    def _at(self, other, seconds, work):
        bus = self.hub.ears[other]

        def run():
            if bus.up:
                work(bus)

        self.world.loop.call_later(seconds, run, context=bus.context)

    async def follow(self, table):
        self.followed.setdefault(table, [])
        self.left.discard(table)
        if not self.up:
            return {}
        await asyncio.sleep(self.world.delay())
        present = self.hub.present.setdefault(table, {})
        present[self.name] = self.followed.get(table, [])
        found = {server: guests for server, guests in present.items() if server in self.others}
        await asyncio.sleep(self.world.delay())
        return found

    def unfollow(self, table):
        self.followed.pop(table, None)
        self.left.add(table)
        if self.up:
            self.left.discard(table)
            self.hub.present.get(table, {}).pop(self.name, None)
            if self.hub.leads.get(table) == self.name:
                del self.hub.leads[table]
            self._send(table, {"here": None})

    def tell(self, table, **news):
        self._send(table, news)

    def here(self, table, guests):
        self.followed[table] = guests
        if self.up:
            self.hub.present.setdefault(table, {})[self.name] = guests
            self._send(table, {"here": guests})

    def _send(self, table, news):
        if not self.up:
            return
        world, loop = self.world, self.world.loop
        for other in [name for name in self.hub.ears if name != self.name]:
            presence = "here" in news
            if world.happens("drop") and not presence:
                continue
            for _ in range(1 + world.happens("double")):
                delay = world.delay()
                if presence:  # as through Redis: in order, and heard unless somebody is cut off
                    delay = max(delay, self.last + TICK - loop.now)
                    self.last = loop.now + delay
                self._at(other, delay, lambda bus: (not table or table in bus.followed) and bus.hear(table, self.name, news))

    async def lead(self, table):
        if not self.up:
            return True
        await asyncio.sleep(self.world.delay())
        leads = self.hub.leads.get(table)
        mine = leads in (None, self.name) or leads not in self.hub.ears
        if mine:
            self.hub.leads[table] = self.name
        await asyncio.sleep(self.world.delay())
        return mine or not self.up


class Thinker:
    """Bots that choose at random, after a while; sometimes their process dies."""

    def __init__(self, world):
        self.world = world

    def warm_up(self, source, game):
        pass

    async def choose(self, source, view, bot, seed=None, owner=""):
        await asyncio.sleep(self.world.delay() + self.world.loop.chance.uniform(0.0, 0.4))
        if self.world.happens("broken"):
            raise Broken
        if self.world.asleep:
            await asyncio.get_running_loop().create_future()
        return self.world.loop.chance.choice(view.legal_actions(view.viewer)), bot

    async def weigh(self, source, view, owner=""):
        await asyncio.sleep(self.world.delay())
        return [(action, 0.5) for action in view.legal_actions(view.viewer)[:2]]


class Line:
    """A socket between a browser and a server: in order, but late, and it can break without a word to either end."""

    headers, query_params, client = {}, {}, None

    def __init__(self, world, person, server):
        self.world, self.person, self.server, self.app = world, person, server, server
        self.inbox, self.scope = asyncio.Queue(), {"headers": []}
        self.open, self.cut, self.shut = True, False, False
        self.there, self.here = 0.0, 0.0

    # ---- the server's end, as Starlette has it ---------------------------------------------------------------------------

    async def accept(self):
        pass

    async def receive(self):
        if self.shut:
            raise RuntimeError("closed")
        return await self.inbox.get()

    async def send_text(self, text):
        self._arrives(self.person.hear, self, text)

    async def close(self, code=1000, reason=""):
        self.shut = True
        self.inbox.put_nowait({"type": "websocket.disconnect"})
        self._arrives(self.person.closed, self, code)

    def _arrives(self, work, *what):
        loop = self.world.loop
        self.here = max(self.here + TICK, loop.now + self.world.delay())
        loop.call_at(self.here, lambda: None if self.cut else work(*what), context=self.world.people)

    # ---- the browser's end ----------------------------------------------------------------------------------------------

    def send(self, text):
        loop = self.world.loop
        self.there = max(self.there + TICK, loop.now + self.world.delay())
        message = {"type": "websocket.receive", "text": text}
        loop.call_at(self.there, lambda: None if self.cut else self.inbox.put_nowait(message), context=self.server.context)

    def hang_up(self):
        self.open = False
        self.world.loop.call_later(self.world.delay(), self._hears_end, context=self.server.context)

    def _hears_end(self):
        self.inbox.put_nowait({"type": "websocket.disconnect"})

    def break_off(self):
        """The network is gone: both ends find out by themselves, after a while."""
        self.cut = True
        loop = self.world.loop
        loop.call_later(loop.chance.uniform(0.1, 8.0), self._hears_end, context=self.server.context)
        loop.call_later(loop.chance.uniform(0.1, 3.0), self.person.closed, self, 1006, context=self.world.people)
