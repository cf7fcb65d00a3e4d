"""One schedule: real rooms and sockets of several servers, people who behave like browsers, and everything that can go wrong."""

import asyncio
import contextlib
import functools
import hashlib
import logging
import os
import random
import time
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import orjson

import rulestone
from rulestone.seeds import pledge
from rulestone.series import Series, awarded
from rulestone.server import app, dice, drain, garbage, room, rooms, sockets, talk
from rulestone.server.dice import is_dealt
from rulestone.server.drain import Drain
from rulestone.server.fair import Fair
from rulestone.server.limits import Limits
from rulestone.server.rooms import LOOK, Rooms, Terms
from rulestone.server.storage import LOOK_AGAIN
from rulestone.server.talk import Manners
from rulestone.server.upkeep import problems
from rulestone.table import Face
from tests.simulation.loop import MACHINE, Loop, Violation
from tests.simulation.parts import Broken, Database, Hub, Line, Store, Thinker, Wire
from tests.tables import WHISPER

RPS = Path(__file__).parents[2] / "examples" / "games" / "rps"
EPOCH = 1_700_000_000.0
STORM, CALM = 25.0, 30.0
"""Seconds of trouble, and seconds without any after which everybody must see the same."""
KINDS = ("away", "lost", "late", "drop", "double", "broken", "slow", "kill", "cut", "deaf", "drain", "outage", "skew")
"""What can go wrong. Each schedule has its own choice of these, and how often each happens."""
SAID = ("ply", "to_move", "deciders", "together", "prompt", "goal", "unaided", "story", "ending", "payoff")


class Numbered(room.Client):
    """A client that sets keep in order of arrival, however memory is laid out."""

    numbers = iter(range(1 << 62))

    def __init__(self, *given):
        super().__init__(*given)
        self.number = next(Numbered.numbers)

    def __hash__(self):
        return self.number


class Idle:
    """Instead of the keeper of Python's garbage collector."""

    def at_work(self):
        return contextlib.nullcontext()

    def tidy(self, quiet, seconds):
        pass


class Server:
    """One process: its own rooms, its own line to the storage and to the bus, and its own clock."""

    def __init__(self, world, name):
        self.world, self.name, self.alive = world, name, True
        self.context = world.loop.machine(name)
        world.skews[name] = world.loop.chance.uniform(-0.4, 0.4) if world.trouble["skew"] else 0.0
        self.bus = Wire(world, name, self.context)
        manners = Manners(reports=Path(os.devnull))
        self.rooms = Rooms(Store(world, world.clock.time), Thinker(world), pace=0.3, manners=manners, bus=self.bus)
        guests = SimpleNamespace(of=lambda headers: headers["guest"], device=lambda headers: "", devices={})
        self.state = SimpleNamespace(rooms=self.rooms, guests=guests, limits=Limits(0), drain=Drain(), hosts=None)
        self.closing = asyncio.Event()
        self.start(self._live())

    def start(self, work):
        return self.world.loop.create_task(work, context=self.context)

    async def _live(self):
        await self.bus.open(self.rooms.hear)
        await app._sweep(self.rooms, self.state.guests, self.closing)

    def accept(self, line, table):
        self.start(sockets.table_socket(line, table))

    def die(self):
        self.alive = False
        self.world.loop.kill(self.name)
        self.bus.cut()
        for line in [line for line in self.world.lines if line.server is self]:
            self.world.loop.call_later(self.world.loop.chance.uniform(0.05, 2.0), line.person.closed, line, 1006, context=self.world.people)

        if not any(server.alive for server in self.world.servers):
            self.world.serve()

    async def leave(self):
        await self.state.drain.leave(self.rooms)
        self.world.loop.call_soon(self.die, context=self.world.outside)


@functools.cache
def value_of(seed, number, game):
    return f"{number:02d}" + hashlib.sha256(f"{seed} value {number} {game}".encode()).hexdigest()[2:]


class Person:
    """Somebody with a browser: joins, plays, comes back by themselves and sends again what wasn't answered."""

    def __init__(self, world, number):
        self.world, self.chance = world, world.loop.chance
        self.number, self.guest = number, f"guest{number}"
        self.line, self.keys, self.unsure = None, 0, None
        self.place = ""
        """The table where they are: they follow a rematch to the next one."""
        self.acked, self.said_ok, self.sat_ok, self.made_ok = [], [], [], []
        self.patience = self.chance.uniform(0.3, 2.5)

    def value(self, game):
        """Their part in the dice of a game, counted from 0: a browser draws another one for each table."""
        return value_of(self.world.seed, self.number, game)

    def promise(self, ahead=0):
        """The pledge for the table where they are, or for the one after it."""
        return pledge(self.value(self.world.game_of(self.place) + ahead))

    # ---- what arrives ---------------------------------------------------------------------------------------------------

    def closed(self, line, code):
        if line.open:
            line.open = False
            self.world.log(self.guest, "closed", code)

    def hear(self, line, text):
        if not line.open:
            return
        world = self.world
        world.log(self.guest, text)
        message = orjson.loads(text)
        world.check_secrets(line, message, text)
        match message["t"]:
            case "state":
                world.check_frame(line, message)
            case "table":
                line.table = message
                if message["dice"]["stage"] == "closed" and not line.revealed:
                    line.revealed = True
                    self.ask("reveal", value=self.value(world.game_of(line.id)))
            case "chats":
                line.lines = [said["text"] for said in message["chats"]]
                line.said = [(said["who"], said["text"]) for said in message["chats"]]
            case "chat":
                line.lines.append(message["text"])
                line.said.append((message["who"], message["text"]))
            case "ok" | "refused":
                self._answered(line, message)
        if "lines" in vars(line) and len(set(line.lines)) != len(line.lines):
            world.loop.fail(f"a line of chat is shown twice to {self.guest}: {line.lines}")

    def _answered(self, line, message):
        asked = line.asked.get(message["id"])
        if asked is None:
            self.world.loop.fail(f"a request is answered twice, or never was made: {message}")
            return
        line.asked[message["id"]] = None
        if asked is self.unsure and (message["t"] == "ok" or message["code"] != "storage"):
            self.unsure = None
        if message["t"] == "ok":
            match asked["do"]:
                case "move":
                    self.acked.append((self.guest, asked["key"]))
                case "chat":
                    self.said_ok.append((self.guest, asked["key"]))
                case "sit":
                    self.sat_ok.append((line.id, self.guest, asked["seat"]))
                case "rematch":
                    self.made_ok.append((line.id, message["table"]))
                    self._go_to(message["table"])
                case "position" | "words":
                    self.world.check_answer(line, message)

    # ---- what is sent ---------------------------------------------------------------------------------------------------

    def ask(self, verb, **body):
        self._send({"do": verb, **body})

    def _send(self, message):
        line = self.line
        line.number += 1
        line.asked[line.number] = message
        self.world.log(self.guest, "asks", str(message))
        line.send(orjson.dumps({**message, "id": line.number}).decode())

    def key(self):
        self.keys += 1
        return f"{self.guest}-{self.keys}"

    def _go_to(self, table):
        """Leave this table for the next one."""
        if self.place != table:
            if self.line.open:
                self.line.hang_up()
            self.place, self.unsure = table, None
            self.join()

    def join(self, server=None):
        """Open a socket at any server that is alive."""
        world = self.world
        self.place = self.place or world.table
        line = self.line = Line(world, self, server or self.chance.choice([server for server in world.servers if server.alive]))
        line.id, line.headers = self.place, {"guest": self.guest}
        line.asked, line.number, line.table, line.state, line.version, line.revealed = {}, 0, None, None, None, False
        line.names, line.lines, line.said = {}, [], []
        world.lines.append(line)
        world.loop.call_later(world.delay(), line.server.accept, line, line.id, context=line.server.context)
        if self.unsure is not None:
            self._send(self.unsure)

    async def live(self):
        await asyncio.sleep(self.chance.uniform(0.0, 3.0))
        for _ in range(self.chance.randrange(5, 14)):
            if self.world.calm:
                return
            if self.line is None or not self.line.open:
                self.join()
            await asyncio.sleep(self.chance.expovariate(1 / self.patience))
            if self.line.open and not self.world.calm:
                self._act()

    def _act(self):
        line, chance, world = self.line, self.chance, self.world
        table, state = line.table, line.state
        if table is None or state is None:
            self.ask("ping")
            return
        free = [seat["seat"] for seat in table["seats"] if seat["kind"] == "open"]
        mine = [seat["seat"] for seat in table["seats"] if seat["mine"]]
        if free and chance.random() < 0.7:
            promised = {"pledge": self.promise()} if chance.random() < 0.5 else {}
            self.ask("sit", seat=chance.choice(free), name=self.guest, **promised)
        elif table["rematch"] and chance.random() < 0.6:
            self._go_to(table["rematch"])
        elif table["over"] and (mine or table["host"]) and chance.random() < 0.6:
            self.ask("rematch", **({"pledge": self.promise(1)} if chance.random() < 0.5 else {}))
        elif state["moves"] and chance.random() < 0.75:
            self._move(state)
        elif table["request"] and table["request"]["asked"] and chance.random() < 0.8:
            self.ask("answer", number=table["request"]["number"], yes=chance.random() < 0.7)
        else:
            seat = chance.choice(mine) if mine else 0
            other = chance.randrange(len(table["seats"]))
            verbs = {
                "undo": (6, lambda: self.ask("undo", at=state["at"] if chance.random() < 0.7 else "")),
                "chat": (4, self._chat),
                "resign": (8 if world.hasty else 1, lambda: self.ask("resign", seat=seat)),
                "draw": (2, lambda: self.ask("draw")),
                "call_off": (0.5, lambda: self.ask("call_off")),
                "withdraw": (1, lambda: self.ask("withdraw")),
                "leave": (1.5, lambda: self.ask("leave", seat=seat)),
                "return": (1.5, lambda: self.ask("return", seat=seat)),
                "substitute": (1, lambda: self.ask("substitute", seat=other)),
                "hush": (0.5, lambda: self.ask("hush", on=chance.random() < 0.3)),
                "hint": (1, lambda: self.ask("hint")),
                "position": (1, lambda: self.ask("position")),
                "words": (1, lambda: self.ask("words")),
                "why": (0.5, lambda: self.ask("why", thing=chance.choice([*(line.scene["parts"] or ["x"])]))),
                "fresh": (1, lambda: self.ask("fresh")),
                "look": (1 if len(mine) > 1 else 0.2, lambda: self.ask("look", seat=chance.choice(mine or [0]))),
                "layout": (1, lambda: self.ask("layout", narrow=chance.random() < 0.6)),
                "pledge": (2 if mine and table["dice"]["stage"] == "open" else 0.1, lambda: self.ask("pledge", pledge=self.promise())),
                "bot": (1 if table["host"] else 0.1, lambda: self.ask("bot", seat=other, bot="random")),
                "remove": (0.4 if table["host"] else 0.1, lambda: self._remove(table)),
                "report": (0.5 if line.said else 0, lambda: self._report(line)),
                "rematch": (0.2, lambda: self.ask("rematch")),
                "nonsense": (1, lambda: self.ask(chance.choice(["dance", "move", "sit", "look"]))),
                "move": (2, lambda: self._move(state)),
                "hang up": (2, line.hang_up),
                "break": (3 if world.trouble["cut"] else 0, line.break_off),
            }
            verb = chance.choices([*verbs], [weight for weight, _ in verbs.values()])[0]
            verbs[verb][1]()

    def _chat(self):
        key = self.key()
        for _ in range(1 + (self.chance.random() < 0.2)):
            self.ask("chat", name="", text=f"said {key}", key=key)

    def _remove(self, table):
        them = [*(table["guests"] or ()), *(seat["who"] for seat in table["seats"] if seat["who"]), "nobody"]
        self.ask("remove", who=self.chance.choice(them))

    def _report(self, line):
        who, text = self.chance.choice(line.said)
        self.ask("report", who=who, text=text, reason="rude")

    def _move(self, state):
        chance, legal = self.chance, [move["action"] for move in state["moves"]]
        move = chance.choice(legal) if legal and chance.random() < 0.93 else chance.randrange(7)
        at = state["at"] if chance.random() < 0.95 else f"0.{chance.randrange(4)}"
        message = {"do": "move", "at": at, "move": move, "key": self.key(), "seat": state["eyes"]}
        if self.unsure is None:
            self.unsure = message
        for _ in range(1 + (chance.random() < 0.1)):
            self._send(message)


class World:
    """Everything of one schedule."""

    def __init__(self, seed, games):
        self.seed, self.games = seed, games
        self.loop = Loop(random.Random(f"schedule {seed}"))
        chance = self.loop.chance
        self.trace, self.words = hashlib.blake2b(digest_size=16), []
        self.clock = SimpleNamespace(
            time=self._time,
            monotonic=self.loop.time,
            perf_counter=self.loop.time,
            gmtime=lambda: time.gmtime(self._time()),
            strftime=time.strftime,
        )
        self.outside, self.people = self.loop.machine("outside"), self.loop.machine("people")
        self.database, self.hub = Database(self.loop, games, self.log), Hub()
        self.calm, self.asleep, self.out, self.hasty = True, False, False, False
        self.fates = []
        """What becomes of the next calls to the storage, where a test decides that."""
        self.trouble = {kind: chance.choice([0, 0, 0.02, 0.1, 0.3]) for kind in KINDS}
        self.skews, self.servers, self.lines = {}, [], []
        self.persons, self.table = [], ""
        """The first table; a rematch or the next game of a series is at a table of its own."""
        self.expected, self.made = {}, {}

    def game_of(self, table):
        """Which game a table is for, counted from 0: each table has one rematch at most, so they come one after the other."""
        return [*self.database.rows].index(table)

    def log(self, *words):
        self.trace.update(f"{self.loop.now:.6f} {words}\n".encode())
        if self.words is not None:
            self.words.append((round(self.loop.now, 3), *words))

    def _time(self):
        return EPOCH + self.loop.now + self.skews.get(MACHINE.get(), 0.0)

    # ---- trouble --------------------------------------------------------------------------------------------------------

    def happens(self, kind):
        return not self.calm and self.loop.chance.random() < self.trouble[kind]

    def delay(self):
        chance = self.loop.chance
        if self.happens("slow"):
            return chance.uniform(0.0, 2.0)
        return chance.uniform(0.0005, 0.03)

    def fate(self):
        """What becomes of a call to the storage: "" (nothing special), away, lost (committed, but the answer is), late."""
        if self.fates:
            return self.fates.pop(0)
        if self.out:
            return "away"
        return next((kind for kind in ("away", "lost", "late") if self.happens(kind)), "")

    async def storm(self):
        """Servers die and come back, the bus and the storage go away for a while."""
        chance = self.loop.chance
        while not self.calm:
            await asyncio.sleep(chance.uniform(0.5, 3.0))
            alive = [server for server in self.servers if server.alive]
            server = chance.choice(alive)
            if self.happens("kill") or self.happens("drain"):
                if self.trouble["drain"] and chance.random() < 0.5:
                    server.start(server.leave())
                else:
                    server.die()
                self._later(chance.uniform(0.2, 8.0), self.serve)
            elif self.happens("deaf"):
                server.bus.cut()
                self._later(chance.uniform(0.1, 12.0), self._reach, server)
            elif self.happens("outage"):
                self.out = True
                self._later(chance.uniform(0.1, 8.0), self._back)
            elif self.happens("cut"):
                for line in [line for line in self.lines if line.open and not line.cut and chance.random() < 0.4]:
                    line.break_off()

    def _later(self, seconds, work, *given):
        self.loop.call_later(seconds, work, *given, context=self.outside)

    def _back(self):
        self.out = False

    def _reach(self, server):
        if server.alive and not server.bus.up:
            self.loop.call_soon(server.bus.connect, context=server.context)

    def serve(self):
        if sum(server.alive for server in self.servers) < 3:
            self.servers.append(Server(self, f"server{len(self.servers)}"))

    # ---- the schedule ---------------------------------------------------------------------------------------------------

    def _agreed(self):
        """What the seed says is played, by whom, and what was agreed on."""
        chance = self.loop.chance
        name = chance.choice(["whisper", "whisper", "rps", "rps", "connect_four"])
        seats = ["me", chance.choice(["open", "open", "bot"])]
        if name == "whisper" and chance.random() < 0.5:
            seats.append(chance.choice(["bot", "open"]))
        clock = {"kind": chance.choice(["move", "game"]), "seconds": chance.choice([5, 9])} if chance.random() < 0.3 else None
        fair = Fair(undo=chance.choice(["ask", "free"]), time=chance.choice(["bot", "lose"]))
        series = chance.choice([None, None, {"length": 2}, {"length": 3}, {"target": 2}])
        self.hasty = chance.random() < 0.4
        return name, seats, Terms("table", clock=clock, fair=fair, spectators=chance.random() < 0.8, series=series)

    async def _create(self, game):
        name, kinds, terms = (game, ["me", *["open"] * (self.games[game].max_players - 1)], Terms("table")) if game else self._agreed()
        seats = [{"kind": kind, "name": "guest0" if kind == "me" else "", "bot": "random"} for kind in kinds]
        made = await self.servers[0].rooms.create(name, "guest0", seats, {}, terms, pledge=pledge(self.persons[0].value(0)))
        self.table = made.row.id
        self.face = Face.of(self.games[name])
        self.log("table", name, str(terms))

    async def begin(self, servers, game=None):
        """Servers, people and a table: of this game, with all seats, and nothing agreed on, or whatever the seed says."""
        for _ in range(servers):
            self.serve()
        self.persons = [Person(self, number) for number in range(3)]
        await self.servers[0].start(self._create(game))

    async def live(self):
        """Trouble, then calm, then the check that everybody knows the same."""
        loop = self.loop
        await self.begin(loop.chance.choice([1, 2, 2, 3]))
        self.calm = False
        storm = loop.create_task(self.storm(), context=self.outside)
        lives = [loop.create_task(person.live(), context=self.people) for person in self.persons]
        await asyncio.wait(lives, timeout=STORM)
        self.calm, self.out = True, False
        await asyncio.gather(storm, *lives)
        for server in self.servers:
            self._reach(server)
        if not any(server.alive and not server.state.drain.on for server in self.servers):
            self.serve()
        for line in self.lines:
            if line.cut:
                line.open = False
        await asyncio.sleep(10)
        for person in self.persons:
            if person.line is None or not person.line.open:
                person.join()
            elif person.unsure is not None:
                person._send(person.unsure)
        await asyncio.sleep(CALM)
        for person in self.persons:
            if not person.line.open:
                person.join()
        await self._wake()
        self.asleep = True
        await asyncio.sleep(8)
        self._check_end()

    async def _wake(self):
        """Bots move within a few seconds, and clocks that ran out have acted."""
        for _ in range(3):
            well = [self._is_well(table) for table in self.database.rows]
            if all(well):
                return
            await asyncio.sleep(15)

    def _is_well(self, table):
        """Whether a table waits for nobody but people without a clock. Raises Violation if something should have happened by now."""
        row, match = self.database.rows[table], self.database.match(table)
        if match.over or not is_dealt(row) or any(seat.kind == "open" for seat in row.seats):
            return True
        people = any(seat.kind == "person" and not seat.stand_in for seat in row.seats)
        idle = self.loop.now - self.database.touched[table]
        for number in match.deciders:
            seat = row.seats[number]
            if seat.kind == "bot" or seat.stand_in:
                watched = any(person.place == table and person.line.open for person in self.persons)
                if idle > LOOK + LOOK_AGAIN + 5 and (people or watched):
                    raise Violation(f"liveness: the bot in seat {number} has not moved for {idle:.1f} s")
            elif row.clock and idle > row.clock["seconds"] + room.GRACE_SECONDS + LOOK + LOOK_AGAIN:
                raise Violation(f"liveness: nothing happened {idle:.1f} s after the turn of seat {number} began, though it has a clock")
        return False

    # ---- promises -------------------------------------------------------------------------------------------------------

    def check_secrets(self, line, message, text):
        """Nothing in any message that its reader may not know."""
        guest, rows = line.person.guest, self.database.rows
        for game, (table, row) in enumerate(rows.items()):
            if not self.database.match(table).over:
                others = (other.value(game) for other in self.persons if other is not line.person)
                if row.seed in text or any(value in text for value in others):
                    self.loop.fail(f"nothing hidden: {guest} is told a part of the seed")
        if self.database.match(line.id).over:
            return
        said = message["chats"] if message["t"] == "chats" else [message] if message["t"] == "chat" else []
        if any(one["apart"] for one in said) and any(seat.guest == guest for seat in rows[line.id].seats):
            self.loop.fail(f"nothing hidden: {guest} plays and reads what spectators say")

    def named(self, table, eyes, at):
        """What these eyes may be shown under the name of a position: computed from their views of what was stored, and nothing else."""
        known, seen = self.expected.setdefault((table, eyes, at), ([], [0]))
        versions = self.database.versions[table]
        for revision, out, match in versions[seen[0] :]:
            view = match.view(eyes)
            new = all(view.raw != other.raw or view.ended != other.ended for other in known)
            if new and at == name_of(view, eyes, revision, out):
                known.append(view)
        seen[0] = len(versions)
        if not known:  # a server that catches up after an undo passes the positions before it
            for _, _, match in [version for version in versions if at.startswith(f"{version[0]}.") and not version[1]]:
                for view in (match.at(index).view(eyes) for index in range(match.length)):
                    if at == f"{at.partition('.')[0]}.{view.ply}":
                        known.append(view)
        return known

    def said(self, view, eyes):
        """What these eyes are told of a view, besides the picture."""
        face = self.face
        said = {
            "ply": view.ply,
            "to_move": view.to_move,
            "deciders": sorted(view.deciders),
            "together": view.together,
            "prompt": face.prompt(view, eyes),
            "goal": face.goal(view, eyes),
            "unaided": face.unaided(view, eyes),
            "story": {"ply": view.ply, "lines": face.story(view)},
            "ending": face.ending(view) if view.over else None,
            "payoff": view.payoff if view.over else None,
            "moves": face.moves(view),
        }
        return orjson.loads(orjson.dumps(said))

    def once(self, name, make, view, *given):
        """What is made of a view, kept with it."""
        kept = self.made.setdefault(id(view), {"view": view})
        if (name, *given) not in kept:
            kept[name, *given] = make(view, *given)
        return kept[name, *given]

    def picture(self, view, eyes, narrow):
        return orjson.loads(orjson.dumps(self.face.scene(view, eyes, narrow).data()))

    def check_eyes(self, line, eyes):
        """Whoever sees through the eyes of a seat has, or has had, that seat."""
        guest = line.person.guest
        if eyes is not None and self.database.rows[line.id].seats[eyes].guest != guest and (line.id, guest, eyes) not in self.database.sat:
            self.loop.fail(f"nothing hidden: {guest} sees through the eyes of seat {eyes}")

    def check_answer(self, line, message):
        """What a program, or somebody who can't see, is told of a position is no more than what their eyes may be shown."""
        guest, told = line.person.guest, message.get("position") or message["words"]
        if "position" in message:
            self.check_eyes(line, told["seat"])
            views = self.named(line.id, told["seat"], told["at"])
            shown = [{name: view.array[name][0].tolist() for name in told["fields"]} == told["fields"] for view in views]
        else:
            own = [None, *(seat for table, who, seat in self.database.sat if (table, who) == (line.id, guest))]
            views = [(view, eyes) for eyes in own for view in self.named(line.id, eyes, told["at"])]
            shown = [orjson.loads(orjson.dumps([part.data() for part in self.face.in_words(*one)])) == told["parts"] for one in views]
        if not any(shown):
            self.loop.fail(f"nothing hidden: what {guest} is told at {told['at']} does not follow from a view of theirs")

    def check_frame(self, line, message):
        """A frame shows a position of the one history, through the reader's eyes only, and no older one than before."""
        fail, eyes, at = self.loop.fail, message["eyes"], message["at"]
        guest = line.person.guest
        self.check_eyes(line, eyes)
        if "base" in message:
            if message["base"] != line.version:
                line.person.ask("fresh")
                return
            merge(line.scene, message["scene"])
        else:
            line.scene = message["scene"]
        line.version, line.state = message["version"], message
        revision, _, rest = at.partition(".")
        ply, _, out = rest.partition("-")
        name = (int(revision), int(out or 0), int(ply))
        if name < line.names.get(eyes, name):
            fail(f"views are monotone: {guest} was shown {line.names[eyes]} and then {name}")
        line.names[eyes] = name
        known = self.named(line.id, eyes, at)
        if not known:
            fail(f"one history: {guest} is shown {at} through the eyes of {eyes}, which was never stored")
            return
        for view in known:
            said = self.once("said", self.said, view, eyes)
            same = all(said[part] == message[part] for part in SAID) and message["moves"] in ([], said["moves"])
            if same and self.once("picture", self.picture, view, eyes, message["narrow"]) == line.scene:
                return
        said = self.said(known[-1], eyes)
        wrong = [part for part in SAID if said[part] != message[part]]
        fail(f"nothing hidden, one history: what {guest} is shown at {at} does not follow from the view of {eyes}: {wrong or 'scene'}")

    def _check_end(self):
        database = self.database
        for id, row in database.rows.items():
            wrong = [*problems(self.games, row, database.moves[id])]
            if wrong:
                raise Violation(f"one history: {wrong}")
        twice = [key for key, count in database.added.items() if count > 1]
        if twice:
            raise Violation(f"one history: stored twice: {twice}")
        self._check_series()
        there = {(move.guest, move.key) for moves in database.moves.values() for move in moves}
        chat = {(line.guest, line.key) for lines in database.chat.values() for line in lines}
        for person in self.persons:
            for key in person.acked:
                if key not in there and key not in database.undone:
                    raise Violation(f"one history: the acknowledged move {key} is not there")
            if lost := [key for key in person.said_ok if key not in chat]:
                raise Violation(f"the acknowledged lines {lost} are not there")
            if never := [seat for seat in person.sat_ok if seat not in database.sat]:
                raise Violation(f"somebody was told that they have a seat, but never had it: {never}")
            if other := [made for made in person.made_ok if database.rows[made[0]].rematch != made[1]]:
                raise Violation(f"one history: somebody was sent to a table that is not the rematch: {other}")
            self._check_up_to_date(person, database.rows[person.place], database.match(person.place))

    def _check_series(self):
        """Each table but the first is the rematch of the one before, and the games of a series are numbered and counted."""
        rows = [*self.database.rows.values()]
        if [row.rematch for row in rows] != [*[row.id for row in rows[1:]], None]:
            raise Violation(f"one history: the rematches are {[row.rematch for row in rows]}")
        for before, row in pairwise(rows):
            if before.points != [*awarded(self.database.match(before.id))]:
                raise Violation(f"one history: the points of table {before.id} are {before.points}")
            known = self.standing(before)
            number = known["game"] if known and not known["over"] else 0
            if (row.number, row.series == before.series) != ((number, number > 0) if known else (None, True)):
                raise Violation(f"one history: game {number} of the series is {row.number} of {row.series}, after {before.series}")

    def standing(self, row):
        """How the series of a table stands, by what is stored; None without a series."""
        if row.series is None:
            return None
        series = Series(self.games[row.game], **row.terms, rotate=True, players=row.players, options=row.options)
        games = [other for other in self.database.rows.values() if other.series == row.series and other.number <= row.number]
        for other in games:
            if self.database.match(other.id).over:
                series.credit(awarded(self.database.match(other.id)))
        return {"game": len(games), "points": [series.totals[player] for player in series.seats(row.number)], "over": series.over}

    def _check_up_to_date(self, person, row, match):
        line, guest = person.line, person.guest
        seats = [seat.guest for seat in row.seats]
        welcome = row.spectators or any(seat.kind == "open" for seat in row.seats) or guest in ("guest0", *seats)
        welcome = welcome and guest not in self.database.removed[row.id]
        if not line.open:
            if welcome:
                raise Violation(f"liveness: {guest} cannot come back")
            return
        if not welcome:
            raise Violation(f"nothing hidden: {guest} is still at a table that they may not watch")
        if unanswered := [asked for asked in line.asked.values() if asked is not None]:
            raise Violation(f"every request is answered once: {guest} still waits for {unanswered}")
        if line.state is None:
            raise Violation(f"liveness: {guest} is shown nothing")
        eyes = line.state["eyes"]
        view, revision, out, _ = match.view(eyes), row.revision, row.taken_out or {}, None
        own = f"-{out[str(eyes)]}" if out.get(str(eyes)) else ""
        if line.state["at"] != f"{revision}.{view.ply}{own}" or (line.state["payoff"] is not None) != match.over:
            raise Violation(
                f"liveness: {guest} is shown {line.state['at']}, but the table is at {revision}.{view.ply}{own}, over: {match.over}"
            )
        shown = [[seat["kind"], seat["stand_in"], seat["out"], seat["mine"]] for seat in line.table["seats"]]
        stored = [[seat.kind, seat.stand_in, seat.out, seat.guest == guest and seat.kind == "person"] for seat in row.seats]
        if shown != stored or line.table["over"] != match.over or line.table["hushed"] != row.hushed:
            raise Violation(f"liveness: {guest} is shown the seats {shown} instead of {stored}")
        if line.table["rematch"] != row.rematch:
            raise Violation(f"liveness: {guest} is shown the rematch {line.table['rematch']} instead of {row.rematch}")
        known, shown = self.standing(row), line.table["series"]
        if (known is None) != (shown is None) or (known and known != {name: shown[name] for name in known}):
            raise Violation(f"liveness: {guest} is shown {shown} of the series instead of {known}")
        may = [said.text for said in self.database.chat[row.id] if not (said.apart and guest in seats and not match.over)]
        if missing := [text for text in may if text not in line.lines]:
            raise Violation(f"liveness: {guest} has not been shown {missing}")


def name_of(view, eyes, revision, taken_out):
    """The name of a position, as these eyes know it."""
    own = taken_out.get(str(eyes))
    return f"{revision}.{view.ply}" + (f"-{own}" if own else "")


def merge(scene, patch):
    """Apply the difference between two scenes, as the page does."""
    for kind in ("parts", "cards"):
        for id, value in patch[kind].items():
            if value is None:
                scene[kind].pop(id, None)
            else:
                scene[kind][id] = value
    for name in ("size", "panels", "title", "plates"):
        scene[name] = patch.get(name, scene[name])
    scene["order"] = patch.get("order", scene["order"])


class Listener(logging.Handler):
    """An error in the log is a problem, unless it was ours."""

    def __init__(self, loop):
        super().__init__(logging.ERROR)
        self.loop = loop

    def emit(self, record):
        problem = record.exc_info[1] if record.exc_info else None
        if not isinstance(problem, Broken):
            self.loop.fail(problem or record.getMessage())


_games = {}


def games():
    """The games, loaded once."""
    if not _games:
        _games.update({game.name: game for game in map(rulestone.load, (WHISPER, RPS, "connect_four"))})
    return _games


def run(seed, keep=False, live=World.live):
    """Run one schedule. Returns the fingerprint of everything that happened; raises Violation if a promise is broken.

    With `keep`, returns everything that happened. `live` is what happens, if not what the seed says.
    """
    world = World(seed, games())
    world.words = [] if keep else None
    loop = world.loop
    drawn = random.Random(f"secrets {seed}")
    secret = SimpleNamespace(token_hex=lambda size: drawn.randbytes(size).hex(), choice=drawn.choice)
    Numbered.numbers = iter(range(1 << 62))
    listener, log = Listener(loop), logging.getLogger("rulestone.server")
    with contextlib.ExitStack() as stack:
        for module in (room, rooms, talk, dice, drain):
            stack.enter_context(mock.patch.object(module, "time", world.clock))
        for where, name, value in (
            (rooms, "secrets", secret),
            (rooms, "installed", games),
            (sockets, "Client", Numbered),
            (garbage, "Keeper", Idle),
            (log, "propagate", False),
            (log, "handlers", [listener]),
        ):
            stack.enter_context(mock.patch.object(where, name, value))
        try:
            loop.run_until_complete(loop.create_task(live(world), context=world.people))
            if loop.problem is not None:
                raise loop.problem
        except BaseException as problem:
            problem.add_note(f"schedule {seed}: RULESTONE_SIM_SEED={seed} python -m pytest tests/simulation")
            problem.words = world.words
            raise
        finally:
            for server in world.servers:
                for one in server.rooms.rooms.values():
                    one.clients.clear()
                    one.close()
            loop.bury()
    return world.words if keep else world.trace.hexdigest()


def run_all(seeds):
    """Run some schedules. Returns what went wrong, by seed."""
    wrong = {}
    for seed in seeds:
        try:
            run(seed)
        except Exception as problem:
            wrong[seed] = f"{type(problem).__name__}: {problem}"
    return wrong
