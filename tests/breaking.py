"""Real servers that are broken on purpose while people play: processes to kill, lines to cut, clients that come back by themselves.

A `World` runs servers, thinkers, PostgreSQL and Redis as processes of their own, each behind a line that can be cut or stalled; its
`Player`s note every move that was acknowledged. `World.check` compares what they noted and what they see with the database.
"""

import asyncio
import contextlib
import json
import os
import resource
import signal
import socket
import sys
import tempfile
import time
from collections import Counter, deque
from pathlib import Path

import httpx
import websockets

import rulestone
from rulestone.server.dice import begin
from rulestone.server.storage import Storage
from tests.services import postgres_command, postgres_url, redis_command, redis_url
from tests.tables import WHISPER
from tests.test_server_orphans import family

GAMES = {"connect_four": "connect_four", "whisper": WHISPER}
DAY = 24 * 3600
JUMPING = """
import signal, time
real, ahead = time.time, [0]
time.time = lambda: real() + ahead[0]
for sign, seconds in ((signal.SIGUSR1, 3600), (signal.SIGUSR2, -3600)):
    signal.signal(sign, lambda *_, seconds=seconds: ahead.append(ahead.pop() + seconds))
"""
"""In every server: a clock that jumps forth and back at a signal."""


NURSERY = """
import os, signal, sys
import rulestone.cli, rulestone.game, rulestone.server.app
list(rulestone.game.installed())
while True:
    child = os.fork()
    if not child:
        rulestone.cli.main()
        os._exit(0)
    print("\\nbegan", child, flush=True)
    print("\\nended", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
    if not sys.stdin.readline():
        break
"""
"""Starts a command of Rulestone whenever it is asked to. It has imported everything before, so that a start takes little time."""


class Process:
    """A process that is started again whenever it ends, as by a service manager."""

    def __init__(self, command, ready, env=None, user=None, cwd=None):
        self.command, self.word, self.given = command, ready, {"env": env, "user": user, "cwd": cwd}
        self.running, self.stopping, self.ready = None, False, asyncio.Event()
        self.killed = False
        """Whether the one that runs has been killed. Killed twice at once, asyncio would say 255."""
        self.said, self.broke = deque(maxlen=60), []
        self.life = asyncio.create_task(self._live())

    async def _live(self):
        while not self.stopping:
            self.running = await asyncio.create_subprocess_exec(
                *self.command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT, **self.given
            )
            async for line in self.running.stdout:
                self.said.append(line.decode(errors="replace"))
                if self.word in line.lower():
                    self.ready.set()
            self._ended(await self.running.wait())
            await asyncio.sleep(0.1)

    def _ended(self, code):
        if self.ready.is_set() and not self.stopping and not self.killed:
            self.broke.append((code, "".join(self.said)))
        self.ready.clear()
        self.killed = False

    def send(self, sign):
        if self.running is not None and self.running.returncode is None:
            self.running.send_signal(sign)

    def kill(self):
        """Kill it, and its children if it has any that outlive it for a moment."""
        if self.running is not None and self.running.returncode is None:
            children = []
            with contextlib.suppress(OSError):  # it has just been killed
                children = Path(f"/proc/{self.running.pid}/task/{self.running.pid}/children").read_text().split()
            self.killed = True
            self.running.kill()
            for child in children if b"ready" in self.word else ():  # helpers have to end by themselves
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(child), signal.SIGKILL)

    async def stop(self):
        """Ask it to end; returns its exit code."""
        self.stopping = True
        self.send(signal.SIGCONT)
        self.send(signal.SIGTERM)
        try:
            async with asyncio.timeout(60):
                await self.life
        finally:
            self.send(signal.SIGKILL)
        return self.running.returncode


class Child:
    """A process that somebody else has started: its id never means another one."""

    def __init__(self, pid):
        self.pid, self.returncode, self.itself = pid, None, os.pidfd_open(pid)

    def send_signal(self, sign):
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.itself, sign)

    def kill(self):
        self.send_signal(signal.SIGKILL)

    def ended(self, code):
        self.returncode = code
        os.close(self.itself)


class Rulestone(Process):
    """A command of Rulestone, such as `serve`, started again and again by one and the same parent."""

    def __init__(self, given, ready, env):
        super().__init__([sys.executable, "-c", NURSERY, *given], ready, env)

    async def _live(self):
        parent = await asyncio.create_subprocess_exec(
            *self.command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT, **self.given
        )
        async for line in parent.stdout:
            what, _, number = line.decode(errors="replace").partition(" ")
            if what == "began":
                self.running = Child(int(number))
                if self.stopping:
                    self.send(signal.SIGTERM)
            elif what == "ended":
                self.running.ended(int(number))
                self._ended(int(number))
                await asyncio.sleep(0.1)
                if self.stopping:
                    break
                parent.stdin.write(b"again\n")
            else:
                self.said.append(f"{what} {number}")
                if self.word in line.lower():
                    self.ready.set()
        parent.stdin.close()
        await parent.wait()


class Line:
    """A file that leads to another one, and can be cut or stalled on the way."""

    def __init__(self, path, target):
        self.path, self.target, self.ends = str(path), str(target), set()
        self.whole, self.flowing = True, asyncio.Event()
        self.flowing.set()

    async def open(self):
        self.server = await asyncio.start_unix_server(self._link, self.path)

    async def _link(self, reader, writer):
        self.ends.add(writer)
        try:
            if self.whole:
                there, on = await asyncio.open_unix_connection(self.target)
                self.ends.add(on)
                try:
                    await asyncio.gather(self._pump(reader, on), self._pump(there, writer))
                finally:
                    self.ends.discard(on)
                    on.transport.abort()
        except OSError:
            pass
        finally:
            self.ends.discard(writer)
            writer.transport.abort()

    async def _pump(self, reader, writer):
        while data := await reader.read(65536):
            await self.flowing.wait()
            writer.write(data)
            await writer.drain()
        raise ConnectionError("the other end has closed")

    def cut(self):
        """Drop what is on the way, and let nobody through."""
        self.whole = False
        for end in [*self.ends]:
            end.transport.abort()

    def mend(self):
        self.whole = True
        self.flowing.set()

    async def close(self):
        self.mend()
        self.server.close()
        for end in [*self.ends]:
            end.transport.abort()


class Player:
    """A person at a table, or (without a seat) a spectator. Comes back by itself, to any server, and sends again what was not answered."""

    def __init__(self, world, table, token, seat):
        self.world, self.table, self.token, self.seat = world, table, token, seat
        self.pending, self.acknowledged, self.sent, self.ply, self.payoff = None, [], 0, -1, None
        self.reading = asyncio.Event()
        self.reading.set()

    async def play(self):
        while self.payoff is None or self.pending:
            port = await self.world.port()
            try:
                async with websockets.connect(
                    f"ws://127.0.0.1:{port}/ws/tables/{self.table}",
                    additional_headers={"Authorization": f"Bearer {self.token}"},
                    proxy=None,
                    max_size=None,
                    open_timeout=15,
                    ping_interval=5,
                    ping_timeout=10,
                    close_timeout=1,
                ) as line:
                    await self._talk(line)
            except (OSError, TimeoutError, websockets.WebSocketException) as problem:
                self.world.losses += 1
                code = problem.rcvd.code if isinstance(problem, websockets.ConnectionClosed) and problem.rcvd else None
                if code not in (None, 1006, 1012, 1013):
                    self.world.wrong.append(f"{self.table} was closed: {problem}")
            await asyncio.sleep(self.world.chance.uniform(0.05, 0.5))

    async def _talk(self, line):
        shown, latest = -1, {}
        if self.pending:
            await line.send(json.dumps(self.pending))
        while self.payoff is None or self.pending:
            await self.reading.wait()
            message = json.loads(await asyncio.wait_for(line.recv(), 15 if self.pending else None))
            if message["t"] == "state":
                if message["ply"] < shown:
                    self.world.wrong.append(f"{self.table} went back from {shown} to {message['ply']}")
                self.ply = shown = message["ply"]
                self.payoff, latest = message.get("payoff"), message
            elif message["t"] == "ok" and self.pending and message["id"] == self.pending["id"]:
                self.acknowledged.append(self.pending)
                self.pending = None
            elif message["t"] == "refused":
                await self._refused(line, message)
            if latest.get("moves") and self.seat is not None and self.pending is None:  # also a position that was shown before the answer
                await self._move(line, latest)
                latest = {}

    async def _move(self, line, shown):
        await asyncio.sleep(self.world.chance.uniform(0, 2 * self.world.pace))
        self.sent += 1
        move, key = self.world.chance.choice(shown["moves"])["action"], f"{self.seat}.{self.sent}"
        self.pending = {"do": "move", "at": shown["at"], "move": move, "key": key, "id": self.sent}
        await line.send(json.dumps(self.pending))

    async def _refused(self, line, message):
        self.world.refused[message["code"]] += 1
        if message["code"] == "storage":  # nothing was promised: the same again
            await asyncio.sleep(self.world.chance.uniform(0.2, 1))
            await line.send(json.dumps(self.pending))
        elif message["code"] in ("stale", "over"):
            self.pending = None
            await line.send(json.dumps({"do": "fresh"}))
        else:
            self.world.wrong.append(f"{self.table}: {message}")


class World:
    """Servers, what they need, and people who play.

    Everything random comes from `chance`. People think for `pace` seconds, and what isn't a kill takes `longest` at most.
    """

    def __init__(self, chance, folder, *, servers, thinkers, pace, longest):
        self.chance, self.folder, self.pace, self.longest, self.thinking = chance, Path(folder), pace, longest, thinkers
        self.mark = f"rulestone-breaking-{os.getpid()}-{self.folder.name}"
        self.ports = [_free_port() for _ in range(servers)]
        self.servers, self.thinkers, self.services, self.lines = [], [], {}, []
        self.players, self.playing, self.tables = [], [], {}
        self.losses, self.refused, self.wrong, self.did = 0, Counter(), [], Counter()

    @property
    def processes(self):
        return [*self.servers, *self.thinkers, *self.services.values()]

    async def begin(self, many):
        """Start everything: with PostgreSQL and Redis, or one server with a file."""
        (self.folder / "sitecustomize.py").write_text(JUMPING)
        path = os.pathsep.join([str(self.folder), *filter(None, [os.environ.get("PYTHONPATH")])])
        env = {**os.environ, "RULESTONE_JIT": "0", "MARK": self.mark, "PYTHONPATH": path}
        if many:
            homes = {name: tempfile.mkdtemp(prefix=f"{name}-", dir=self.folder) for name in ("postgres", "redis")}
            self.folder.chmod(0o755)
            command, user = postgres_command(homes["postgres"])
            marked = {**os.environ, "MARK": self.mark}
            word = b"ready to accept connections"
            self.services["postgres"] = Process(command, word, marked, user, homes["postgres"])
            self.services["redis"] = Process(redis_command(homes["redis"]), word, marked)
            self.database = postgres_url(homes["postgres"])
            await self.all_ready()
        else:
            self.database = f"sqlite:///{self.folder}/tables.db"
        for k, port in enumerate(self.ports):
            given = [] if not many else await self._lines(f"server{k}", homes)
            given = given or ["--db", self.database]
            command = ["serve", "--port", str(port), "--game", str(WHISPER), *given]
            self.servers.append(Rulestone([*command, "--pace", "0", "--limits", "0"], b"rulestone is at", env))
            await self.servers[0].ready.wait()
        for k in range(self.thinking if many else 0):
            redis = (await self._lines(f"thinker{k}", homes))[-1]
            self.thinkers.append(Rulestone(["think", "--redis", redis, "--workers", "1", "--game", str(WHISPER)], b"thinking with", env))
        await self.all_ready()

    async def _lines(self, who, homes):
        """Lines of one's own to the services; returns the options of a server that uses them."""
        own = self.folder / who
        own.mkdir()
        for name, home in (("redis.sock", homes["redis"]), (".s.PGSQL.5432", homes["postgres"])):
            self.lines.append(Line(own / name, f"{home}/{name}"))
            await self.lines[-1].open()
        return ["--db", postgres_url(own), "--redis", redis_url(own)]

    async def all_ready(self):
        async with asyncio.timeout(120):
            await asyncio.gather(*(process.ready.wait() for process in self.processes))

    # ---- people ---------------------------------------------------------------------------------------------------------

    async def port(self):
        """A server that has started, as a balancer would choose it (it may have been frozen or cut off since)."""
        while not (ports := [port for port, server in zip(self.ports, self.servers, strict=True) if server.ready.is_set()]):
            await asyncio.sleep(self.chance.uniform(0.2, 0.6))
        return self.chance.choice(ports)

    async def call(self, path, token="", **body):
        """Call any server until one answers."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        while True:
            with contextlib.suppress(httpx.HTTPError):
                port = await self.port()
                async with httpx.AsyncClient(timeout=15, trust_env=False) as line:
                    answer = await line.post(f"http://127.0.0.1:{port}{path}", json=body, headers=headers)
                if answer.status_code < 300:
                    return answer.json()
                if answer.status_code < 500 and answer.json()["code"] != "stale":
                    self.wrong.append(f"{path} was answered: {answer.text}")
                    return None
            await asyncio.sleep(self.chance.uniform(0.1, 0.5))

    async def open_table(self, number):
        """People and bots at a table: two people, or one against a bot; some are watched, some have a clock."""
        game = self.chance.choice([*GAMES])
        alone, watched, clock = (self.chance.random() < share for share in (0.6, 0.2, 0.2))
        tokens = self.tokens[number % len(self.tokens)]
        seats = [{"kind": "me"}, {"kind": "bot", "bot": "random"} if alone else {"kind": "open"}]
        more = {"clock": {"kind": "move", "seconds": 7 * DAY}} if clock else {}
        made = await self.call("/api/tables", tokens[0], game=game, seats=seats, **more)
        if made is None:
            return
        table = made["id"]
        if not alone:
            await self.call(f"/api/tables/{table}/sit", tokens[1], seat=1, name="Ben")
        people = [(tokens[0], 0), *([] if alone else [(tokens[1], 1)]), *([(tokens[2], None)] if watched else [])]
        here = [Player(self, table, token, seat) for token, seat in people]
        self.players += here
        self.tables[table] = here
        await asyncio.gather(*(player.play() for player in here))

    async def people(self, tables, enough):
        """Keep so many tables playing until `enough` is set; then finish those that are open. Returns once all of them have begun."""
        self.tokens = [[(await self.call("/api/guests"))["token"] for _ in range(3)] for _ in range(4)]

        async def one_after_the_other(number):
            while not enough.is_set():
                await self.open_table(number)

        for number in range(tables):  # a few at a time: they would keep a slow machine from ever finishing one
            self.playing.append(asyncio.create_task(one_after_the_other(number)))
            async with asyncio.timeout(120):
                while len(self.tables) < number - 8:
                    await asyncio.sleep(0.02)
        async with asyncio.timeout(120):
            while len(self.tables) < tables:
                await asyncio.sleep(0.02)

    # ---- faults ---------------------------------------------------------------------------------------------------------

    async def kill_a_server(self):
        await self._kill(self.chance.choice(self.servers))

    async def kill_a_thinker(self):
        await self._kill(self.chance.choice(self.thinkers))

    async def kill_redis(self):
        await self._kill(self.services["redis"])

    async def kill_postgres(self):
        await self._kill(self.services["postgres"])

    async def _kill(self, process):
        await process.ready.wait()
        process.kill()

    async def cut_lines(self):
        await self._disturb(Line.cut)

    async def stall_lines(self):
        await self._disturb(lambda line: line.flowing.clear())

    async def _a_while(self):
        await asyncio.sleep(self.chance.uniform(0.5, self.longest))

    async def _disturb(self, how):
        lines = self.chance.sample(self.lines, self.chance.randint(1, len(self.lines)))
        for line in lines:
            how(line)
        await self._a_while()
        for line in lines:
            if self.chance.random() < 0.5:  # what is on the way is lost
                line.cut()
            line.mend()

    async def freeze_a_server(self):
        server = self.chance.choice(self.servers)
        await server.ready.wait()
        server.send(signal.SIGSTOP)
        await self._a_while()
        server.send(signal.SIGCONT)

    async def turn_the_clock(self):
        server = self.chance.choice(self.servers)
        await server.ready.wait()
        server.send(self.chance.choice([signal.SIGUSR1, signal.SIGUSR2]))

    async def stop_reading(self):
        slow = self.chance.sample(self.players, min(len(self.players), 10))
        for player in slow:
            player.reading.clear()
        await self._a_while()
        for player in slow:
            player.reading.set()

    async def fill_the_disk(self):
        """No file of the server can grow, until a move is refused for it (or it is killed)."""
        server, before = self.servers[0], self.refused["storage"]
        await server.ready.wait()
        process, free = server.running, resource.RLIM_INFINITY
        with contextlib.suppress(ProcessLookupError):
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (1, free))
            async with asyncio.timeout(120):
                while self.refused["storage"] == before and process.returncode is None:
                    await asyncio.sleep(0.05)
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (free, free))

    def acknowledged(self):
        return sum(len(player.acknowledged) for player in self.players)

    async def do(self, act, moves=10):
        """Let something happen, in the middle of moves."""
        enough = self.acknowledged() + moves
        async with asyncio.timeout(120):
            while self.acknowledged() < enough:
                await asyncio.sleep(0.02)
        self.did[act.__name__] += 1
        await act()

    # ---- the end --------------------------------------------------------------------------------------------------------

    async def finish(self, seconds):
        """Wait until all games are over, for as long as somebody moves at least every so many seconds; then check everything."""
        await self.all_ready()
        before, done, late = -1, set(), {*self.playing}
        while late and before < (before := self.acknowledged()):
            done, late = await asyncio.wait(self.playing, timeout=seconds)
        self.wrong += [f"a table failed: {task.exception()!r}" for task in done if task.exception()]
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
        for player in self.players:
            if player.payoff is None or player.pending:
                self.wrong.append(f"{player.table}: seat {player.seat} still waits at {player.ply}, with {player.pending}")
        if late and not self.wrong:
            self.wrong.append(f"{len(late)} tables could not be opened")
        await self.check()

    async def check(self):
        """Compare the database with what the people noted and see."""
        storage = Storage(self.database)
        games = {name: rulestone.load(source) for name, source in GAMES.items()}
        try:
            for table, here in self.tables.items():
                row, moves, _ = await storage.load(table)
                match = begin(games[row.game], row)
                if [move.ply for move in moves] != list(range(len(moves))):
                    self.wrong.append(f"{table} has plies {[move.ply for move in moves]}")
                for move in moves:
                    if move.action not in match.legal_actions():
                        self.wrong.append(f"{table} has a wrong move at {move.ply}")
                        break
                    match.play(move.action)
                if (row.status == "over") != match.over:
                    self.wrong.append(f"{table} is {row.status}, unlike its moves")
                self._compare(table, here, moves, match)
        finally:
            await storage.close()

    def _compare(self, table, here, moves, match):
        stored = Counter((move.guest, move.at, move.action, move.key) for move in moves if move.key)
        if any(number > 1 for number in stored.values()):
            self.wrong.append(f"{table} has a move twice")
        known = {(at, action, key) for _, at, action, key in stored}
        for player in here:
            for said in player.acknowledged:
                if (said["at"], said["move"], said["key"]) not in known:
                    self.wrong.append(f"{table} has lost {said}")
            if player.payoff is not None and (player.ply, tuple(player.payoff)) != (match.ply, match.payoff):
                self.wrong.append(f"{table}: seat {player.seat} sees {player.ply}, {player.payoff}, not {match.ply}, {match.payoff}")

    async def end(self):
        """Stop everything. Whatever is left over is wrong, and killed."""
        for task in self.playing:
            task.cancel()
        await asyncio.gather(*self.playing, return_exceptions=True)
        for kind in ([*self.servers, *self.thinkers], [*self.services.values()]):
            for process, code in zip(
                kind, await asyncio.gather(*(process.stop() for process in kind), return_exceptions=True), strict=True
            ):
                if code != 0 or process.broke:
                    self.wrong.append(f"{process.command[-8:]} ended with {code!r}; {process.broke}; {''.join(process.said)}")
        for line in self.lines:
            await line.close()
        until = time.monotonic() + 20
        while (left := family(self.mark)) and time.monotonic() < until:
            await asyncio.sleep(0.1)
        for process, said in left.items():
            self.wrong.append(f"{process} is left over: {said}")
            os.kill(process, signal.SIGKILL)

    def summary(self):
        kills = sum(number for name, number in self.did.items() if name.startswith("kill"))
        lost = sum(" has lost " in what for what in self.wrong)
        faults = ", ".join(f"{name} {number}" for name, number in sorted(self.did.items()))
        return (
            f"{len(self.tables)} tables, {self.acknowledged()} moves acknowledged, lost: {lost}; {kills} kills ({faults}); "
            f"{self.losses} connections lost, refused: {dict(self.refused)}; wrong: {len(self.wrong)}"
        )


def _free_port():
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return trial.getsockname()[1]
