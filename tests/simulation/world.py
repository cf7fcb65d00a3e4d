"""One schedule: real rooms and sockets of several servers, people who behave like browsers, and everything that can go wrong."""

import asyncio
import contextlib
import hashlib
import logging
import random
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import orjson

import rulestone
from rulestone.seeds import pledge
from rulestone.server import app, dice, drain, room, rooms, sockets, talk
from rulestone.server.dice import is_dealt
from rulestone.server.drain import Drain
from rulestone.server.fair import Fair
from rulestone.server.limits import Limits
from rulestone.server.rooms import LOOK, Rooms, Terms
from rulestone.server.storage import LOOK_AGAIN
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
        self.rooms = Rooms(Store(world, world.clock.time), Thinker(world), pace=0.3, bus=self.bus)
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


class Person:
    """Somebody with a browser: joins, plays, comes back by themselves and sends again what wasn't answered."""

    def __init__(self, world, number):
        self.world, self.chance = world, world.loop.chance
        self.guest = f"guest{number}"
        self.value = f"{number:02d}" + hashlib.sha256(f"{world.seed} value {number}".encode()).hexdigest()[2:]
        self.line, self.keys, self.unsure = None, 0, None
        self.acked, self.said_ok, self.sat_ok = [], [], []
        self.patience = self.chance.uniform(0.3, 2.5)

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
        world.check_secrets(self, message, text)
        match message["t"]:
            case "state":
                world.check_frame(line, message)
            case "table":
                line.table = message
                if message["dice"]["stage"] == "closed" and not line.revealed:
                    line.revealed = True
                    self.ask("reveal", value=self.value)
            case "chats":
                line.lines = [said["text"] for said in message["chats"]]
            case "chat":
                line.lines.append(message["text"])
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
                    self.sat_ok.append((self.guest, asked["seat"]))

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

    def join(self, server=None):
        """Open a socket at any server that is alive."""
        world = self.world
        line = self.line = Line(world, self, server or self.chance.choice([server for server in world.servers if server.alive]))
        line.headers = {"guest": self.guest}
        line.asked, line.number, line.table, line.state, line.version, line.revealed = {}, 0, None, None, None, False
        line.names, line.lines = {}, []
        world.lines.append(line)
        world.loop.call_later(world.delay(), line.server.accept, line, world.table, context=line.server.context)
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
            promised = {"pledge": pledge(self.value)} if chance.random() < 0.5 else {}
            self.ask("sit", seat=chance.choice(free), name=self.guest, **promised)
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
                "resign": (1, lambda: self.ask("resign", seat=seat)),
                "draw": (2, lambda: self.ask("draw")),
                "call_off": (0.5, lambda: self.ask("call_off")),
                "withdraw": (1, lambda: self.ask("withdraw")),
                "leave": (1.5, lambda: self.ask("leave", seat=seat)),
                "return": (1.5, lambda: self.ask("return", seat=seat)),
                "substitute": (1, lambda: self.ask("substitute", seat=other)),
                "hush": (0.5, lambda: self.ask("hush", on=chance.random() < 0.3)),
                "hint": (1, lambda: self.ask("hint")),
                "position": (1, lambda: self.ask("position")),
                "fresh": (1, lambda: self.ask("fresh")),
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
        self.clock = SimpleNamespace(time=self._time, monotonic=self.loop.time, perf_counter=self.loop.time)
        self.outside, self.people = self.loop.machine("outside"), self.loop.machine("people")
        self.database, self.hub = Database(self.loop, games, self.log), Hub()
        self.calm, self.asleep, self.out = True, False, False
        self.fates = []
        """What becomes of the next calls to the storage, where a test decides that."""
        self.trouble = {kind: chance.choice([0, 0, 0.02, 0.1, 0.3]) for kind in KINDS}
        self.skews, self.servers, self.lines = {}, [], []
        self.persons, self.table = [], ""
        self.expected = {}

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

    async def _create(self):
        chance = self.loop.chance
        name = chance.choice(["whisper", "whisper", "rps", "rps", "connect_four"])
        seats = [{"kind": "me", "name": "guest0"}, {"kind": chance.choice(["open", "open", "bot"]), "bot": "random"}]
        if name == "whisper" and chance.random() < 0.5:
            seats.append({"kind": chance.choice(["bot", "open"]), "bot": "random"})
        clock = {"kind": chance.choice(["move", "game"]), "seconds": chance.choice([5, 9])} if chance.random() < 0.3 else None
        fair = Fair(undo=chance.choice(["ask", "free"]), time=chance.choice(["bot", "lose"]))
        terms = Terms("table", clock=clock, fair=fair, spectators=chance.random() < 0.8)
        made = await self.servers[0].rooms.create(name, "guest0", seats, {}, terms, pledge=pledge(self.persons[0].value))
        self.table = made.row.id
        self.face = Face.of(self.games[name])
        self.log("table", name, str(clock), str(fair))

    async def begin(self, servers):
        """Servers, people and a table."""
        for _ in range(servers):
            self.serve()
        self.persons = [Person(self, number) for number in range(3)]
        await self.servers[0].start(self._create())

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
        row = self.database.rows[self.table]
        for _ in range(3):
            match = self.database.match(self.table)
            if match.over or not is_dealt(row) or any(seat.kind == "open" for seat in row.seats):
                return
            people = any(seat.kind == "person" and not seat.stand_in for seat in row.seats)
            idle = self.loop.now - self.database.touched
            for number in match.deciders:
                seat = row.seats[number]
                if seat.kind == "bot" or seat.stand_in:
                    if idle > LOOK + LOOK_AGAIN + 5 and (people or any(person.line.open for person in self.persons)):
                        raise Violation(f"liveness: the bot in seat {number} has not moved for {idle:.1f} s")
                elif row.clock and idle > row.clock["seconds"] + room.GRACE_SECONDS + LOOK + LOOK_AGAIN:
                    raise Violation(f"liveness: nothing happened {idle:.1f} s after the turn of seat {number} began, though it has a clock")
            await asyncio.sleep(15)

    # ---- promises -------------------------------------------------------------------------------------------------------

    def check_secrets(self, person, message, text):
        """Nothing in any message that its reader may not know."""
        if not self.table:
            return
        row, match = self.database.rows[self.table], self.database.match(self.table)
        if match.over:
            return
        if row.seed in text or any(other.value in text for other in self.persons):
            self.loop.fail(f"nothing hidden: {person.guest} is told a part of the seed")
        said = message["chats"] if message["t"] == "chats" else [message] if message["t"] == "chat" else []
        if any(line["apart"] for line in said) and any(seat.guest == person.guest for seat in row.seats):
            self.loop.fail(f"nothing hidden: {person.guest} plays and reads what spectators say")

    def named(self, eyes, at):
        """What these eyes may be shown under the name of a position: computed from their views of what was stored, and nothing else."""
        known, seen = self.expected.setdefault((eyes, at), ([], [0]))
        versions = self.database.versions[self.table]
        for revision, out, match in versions[seen[0] :]:
            view = match.view(eyes)
            new = all(view.raw != other.raw or view.ended != other.ended for other, _, _ in known)
            if new and at == name_of(view, eyes, revision, out):
                known.append((view, *self._drawn(view, eyes)))
        seen[0] = len(versions)
        if not known:  # a server that catches up after an undo passes the positions before it
            for _, _, match in [version for version in versions if at.startswith(f"{version[0]}.") and not version[1]]:
                for view in (match.at(index).view(eyes) for index in range(match.length)):
                    if at == f"{at.partition('.')[0]}.{view.ply}":
                        known.append((view, *self._drawn(view, eyes)))
        return known

    def _drawn(self, view, eyes):
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
        return orjson.loads(orjson.dumps(said)), orjson.loads(orjson.dumps(face.scene(view, eyes).data()))

    def check_frame(self, line, message):
        """A frame shows a position of the one history, through the reader's eyes only, and no older one than before."""
        fail, eyes, at = self.loop.fail, message["eyes"], message["at"]
        guest = line.person.guest
        if eyes is not None and self.database.rows[self.table].seats[eyes].guest != guest and (guest, eyes) not in self.database.sat:
            fail(f"nothing hidden: {guest} sees through the eyes of seat {eyes}")
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
        known = self.named(eyes, at)
        if not known:
            fail(f"one history: {guest} is shown {at} through the eyes of {eyes}, which was never stored")
            return
        for _, said, scene in known:
            same = all(said[part] == message[part] for part in SAID) and message["moves"] in ([], said["moves"])
            if same and scene == line.scene:
                return
        wrong = [part for part in SAID if known[-1][1][part] != message[part]]
        fail(f"nothing hidden, one history: what {guest} is shown at {at} does not follow from the view of {eyes}: {wrong or 'scene'}")

    def _check_end(self):
        database, id = self.database, self.table
        row, match, moves = database.rows[id], database.match(id), database.moves[id]
        wrong = [*problems(self.games, row, moves)]
        if wrong:
            raise Violation(f"one history: {wrong}")
        twice = [key for key, count in database.added.items() if count > 1]
        if twice:
            raise Violation(f"one history: stored twice: {twice}")
        there = {(move.guest, move.key) for move in moves}
        chat = {(line.guest, line.key) for line in database.chat[id]}
        for person in self.persons:
            for key in person.acked:
                if key not in there and key not in database.undone:
                    raise Violation(f"one history: the acknowledged move {key} is not there")
            if lost := [key for key in person.said_ok if key not in chat]:
                raise Violation(f"the acknowledged lines {lost} are not there")
            if never := [seat for seat in person.sat_ok if seat not in database.sat]:
                raise Violation(f"somebody was told that they have a seat, but never had it: {never}")
            self._check_up_to_date(person, row, match)

    def _check_up_to_date(self, person, row, match):
        line, guest = person.line, person.guest
        welcome = (
            row.spectators or any(seat.kind == "open" for seat in row.seats) or guest in ("guest0", *(seat.guest for seat in row.seats))
        )
        if not line.open:
            if welcome:
                raise Violation(f"liveness: {guest} cannot come back")
            return
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
        seated = any(seat.guest == guest for seat in row.seats)
        may = [said.text for said in self.database.chat[self.table] if not (said.apart and seated)]
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
            (app, "Keeper", Idle),
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
