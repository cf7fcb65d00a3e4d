"""The table protocol under thousands of seeded schedules: servers die, storage and bus fail, messages are late, lost and doubled.

A schedule that breaks a promise names its seed, and RULESTONE_SIM_SEED=… runs just that one. `make soak` runs many more of them.
"""

import asyncio
import contextlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rulestone.server.room import Room
from rulestone.server.rooms import Rooms, Terms
from tests.simulation import parts, world
from tests.simulation.loop import Violation

ONE = os.environ.get("RULESTONE_SIM_SEED")
USUAL, CHUNK = 2_000, 500

pytestmark = pytest.mark.usefixtures("interpreted")


@pytest.mark.skipif(ONE is not None, reason="RULESTONE_SIM_SEED names one schedule")
@pytest.mark.parametrize("start", range(0, USUAL, CHUNK))
def test_every_schedule_keeps_every_promise(start):
    for seed in range(start, start + CHUNK):
        world.run(seed)


@pytest.mark.skipif(ONE is None, reason="RULESTONE_SIM_SEED names no schedule")
def test_one_schedule_again():
    try:
        world.run(int(ONE), keep=True)
    except BaseException as problem:
        print(*(" ".join(map(str, words)) for words in problem.words), sep="\n")
        raise


def test_the_same_seed_runs_the_same_schedule_in_any_process():
    program = "from tests.simulation.world import run; print(*map(run, range(6)))"
    root = Path(__file__).parents[2]
    given = {**os.environ, "PYTHONHASHSEED": "77", "PYTHONPATH": os.pathsep.join([str(root / "src"), str(root)])}
    done = subprocess.run([sys.executable, "-c", program], cwd=root, env=given, capture_output=True, text=True, check=True, timeout=300)
    here = [world.run(seed) for seed in range(6)]
    assert done.stdout.split() == here
    assert len({*here}) == 6


def found(promise, most=400):
    """Whether one of so many schedules says that a promise is broken."""
    for seed in range(most):
        with contextlib.suppress(Exception):  # a server that stumbles over what should never happen
            try:
                world.run(seed)
            except Violation as problem:
                if promise in str(problem):
                    return True
    return False


def test_a_storage_that_lets_a_ply_have_two_moves_is_found(monkeypatch):
    monkeypatch.setattr(parts.Database, "taken", lambda self, table, ply: False)
    assert found("one history")


def test_a_server_that_acknowledges_before_it_commits_is_found(monkeypatch):
    async def hurry(self, *given):
        self.world.loop.create_task(quietly(self, *given))

    async def quietly(self, *given):
        with contextlib.suppress(parts.Away, parts.Conflict):
            await careful(self, *given)

    careful = parts.Store.add_move
    monkeypatch.setattr(parts.Store, "add_move", hurry)
    assert found("one history")


def test_a_lost_message_that_nothing_heals_is_found(monkeypatch):
    async def never(self):
        pass

    monkeypatch.setattr(Rooms, "look_after", never)
    monkeypatch.setattr(Room, "hear_change", lambda self: None)
    assert found("liveness")


def test_a_server_that_sends_the_truth_instead_of_a_view_is_found(monkeypatch):
    monkeypatch.setattr(Room, "eyes_of", lambda self, guest, look: (0, None))
    assert found("nothing hidden")


# ---- what the simulation has found ----------------------------------------------------------------------------------------


def scene(servers, people, game=None):
    """Run a test as a schedule without trouble, with so many servers and so many people, who join them by turns.

    They play `game`, with all its seats and nothing agreed on, if it is given.
    """

    def decorate(test):
        def test_it():
            async def live(world):
                await world.begin(servers, game)
                for person, server in zip(world.persons[:people], world.servers * people, strict=False):
                    person.join(server)
                await asyncio.sleep(2)
                world.trouble = dict.fromkeys(world.trouble, 0)
                await test(world, *world.persons[:people])

            world.run(3, live=live)

        test_it.__name__ = test.__name__
        return test_it

    return decorate


@scene(servers=1, people=2)
async def test_a_line_whose_answer_was_lost_is_shown_once_it_is_sent_again(world, anna, ben):
    for fates in (["", "lost"], []):
        world.fates = fates
        anna.ask("chat", text="hello", name="", key="k")
        await asyncio.sleep(1)
    assert anna.said_ok
    assert ben.line.lines == ["hello"]


@scene(servers=1, people=2)
async def test_what_was_stored_without_an_answer_is_shown_even_if_nobody_asks_again(world, anna, ben):
    world.fates = ["lost"]
    anna.ask("hush", on=True)
    await asyncio.sleep(1)
    assert not ben.line.table["hushed"]
    await asyncio.sleep(9)
    assert ben.line.table["hushed"]


@scene(servers=2, people=2)
async def test_a_look_that_fails_is_repeated(world, anna, ben):
    world.calm, world.trouble["drop"] = False, 1
    anna.ask("hush", on=True)
    await asyncio.sleep(0.2)
    load, failed = parts.Store.load, []

    async def fail(self, *given):
        failed.append(given)
        raise parts.Away

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts.Store, "load", fail)
        await asyncio.sleep(8)
    assert failed
    assert load is parts.Store.load
    assert not ben.line.table["hushed"]
    await asyncio.sleep(8)
    assert ben.line.table["hushed"]


@scene(servers=2, people=2)
async def test_a_line_from_elsewhere_is_shown_after_a_later_one_from_here(world, anna, ben):
    world.calm, world.trouble["drop"] = False, 1
    anna.ask("chat", text="first", name="", key="k")
    await asyncio.sleep(0.2)
    ben.ask("chat", text="second", name="", key="k")
    await asyncio.sleep(8)
    assert (anna.line.lines, sorted(ben.line.lines)) == (["first", "second"], ["first", "second"])


@scene(servers=2, people=2)
async def test_who_joins_while_something_is_said_reads_it_once(world, anna, ben):
    for number in range(30):
        anna.ask("chat", text=f"line {number}", name="", key=f"{number}")
        await asyncio.sleep(0.02)
        if number % 5 == 0:
            ben.line.hang_up()
            ben.join(world.servers[number % 2])
    await asyncio.sleep(8)
    assert sorted(ben.line.lines) == sorted(anna.line.lines) == sorted(f"line {number}" for number in range(30))


@scene(servers=2, people=0)
async def test_a_server_that_cannot_open_a_table_does_not_lead_it(world):
    one, other = world.servers
    world.database.rows[world.table].due = 0.0
    one.die()
    await asyncio.sleep(6)
    world.fates = ["", "away"]

    async def wake():
        with pytest.raises(parts.Away):
            await other.rooms.wake()

    await other.start(wake())
    assert world.table not in world.hub.leads


@scene(servers=2, people=0)
async def test_a_table_is_opened_once_though_the_first_try_fails(world):
    rooms, world.fates = world.servers[1].rooms, ["away"]

    async def open_it(after):
        await asyncio.sleep(after)
        with contextlib.suppress(parts.Away):
            return await rooms.get(world.table)

    found = await asyncio.gather(*(world.servers[1].start(open_it(0.003 * number)) for number in range(20)))
    assert found.count(None) == 1
    assert {*map(id, filter(None, found))} == {id(rooms.rooms[world.table])}


@scene(servers=2, people=3)
async def test_a_line_said_while_two_people_join_is_shown_to_both(world, anna, ben, carl):
    other = world.servers[1]
    ben.line.hang_up()
    carl.line.hang_up()
    await asyncio.sleep(1)
    read, slow = parts.Store.chat_of, [1.0]

    async def late(self, *given, **more):
        found = await read(self, *given, **more)
        if self is other.rooms.storage and slow:
            await asyncio.sleep(slow.pop())
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts.Store, "chat_of", late)
        ben.join(other)
        await asyncio.sleep(0.3)
        anna.ask("chat", text="hello", name="", key="k")
        await asyncio.sleep(0.2)
        carl.join(other)
        await asyncio.sleep(20)
    assert [one.line.lines for one in (anna, ben, carl)] == [["hello"]] * 3


@scene(servers=2, people=2, game="rps")
async def test_a_game_that_ends_after_an_undo_that_nobody_heard_of_is_over_everywhere(world, anna, ben):
    ben.ask("sit", seat=1, name="")
    await asyncio.sleep(6)
    anna.patience, other = 0, world.persons[2]
    other.guest, other.number = anna.guest, anna.number  # the same person, with another browser
    other.join(world.servers[1])
    await asyncio.sleep(3)
    world.calm, world.trouble["drop"] = False, 1
    anna.ask("move", at="0.0", move=1, key="k")
    await asyncio.sleep(0.1)
    anna.ask("undo", at="0.1")
    await asyncio.sleep(0.1)
    anna.ask("resign", seat=0)
    await asyncio.sleep(8)
    assert [one.line.state["at"] for one in (anna, other, ben)] == ["0.0-1", "0.0-1", "0.0"]
    assert all(one.line.state["payoff"] == [-1, 1] for one in (anna, other, ben))


@scene(servers=2, people=3, game="whisper")
async def test_a_game_ends_with_those_who_have_lost_elsewhere(world, anna, ben, carl):
    ben.ask("sit", seat=1, name="")
    await asyncio.sleep(2)
    carl.ask("sit", seat=2, name="")
    await asyncio.sleep(6)
    world.calm, world.trouble["drop"] = False, 1
    ben.ask("resign", seat=1)
    await asyncio.sleep(0.3)
    anna.ask("move", at="0.0", move=7, key="k")
    await asyncio.sleep(6)
    anna.ask("move", at="0.0", move=7, key="l")
    await asyncio.sleep(6)
    assert world.database.match(world.table).ended == {"resigned": (1,)}
    assert all(one.line.state["payoff"][1] == -1 for one in (anna, ben, carl))


@scene(servers=2, people=2, game="rps")
async def test_a_request_that_was_not_stored_is_not_kept_though_the_storage_is_away_right_after(world, anna, ben):
    ben.ask("sit", seat=1, name="")
    await asyncio.sleep(6)
    world.calm, world.trouble["drop"] = False, 1
    anna.ask("draw")
    await asyncio.sleep(0.3)
    world.fates = ["", "away"]
    ben.ask("draw")
    await asyncio.sleep(0.3)
    assert not world.fates
    there = world.servers[1].rooms.rooms[world.table]
    assert there.wishes.open is None
    await asyncio.sleep(8)
    assert there.wishes.open.guest == anna.guest


@scene(servers=2, people=2, game="connect_four")
async def test_a_server_that_plays_for_bots_hears_of_a_seat_that_became_theirs_though_nobody_is_there(world, anna, ben):
    world.hub.leads[world.table] = "server1"
    anna.ask("bot", seat=1, bot="random")
    await asyncio.sleep(1)
    ben.line.hang_up()
    await asyncio.sleep(1)
    anna.ask("move", at="0.0", move=0, key="k")
    await asyncio.sleep(0.2)
    world.calm, world.trouble["drop"] = False, 1
    anna.ask("leave", seat=0)
    await asyncio.sleep(0.2)
    world.trouble["drop"] = 0
    assert world.database.match(world.table).length == 1
    await asyncio.sleep(15)
    assert world.database.match(world.table).length > 2


async def looks_at_devices(world):
    """How often servers ask the storage within a minute whose devices are whose."""
    asked = []

    async def ask(self):
        asked.append(self)
        return {}

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts.Store, "whose_devices", ask)
        await asyncio.sleep(60)
    return len(asked)


@scene(servers=1, people=1)
async def test_a_server_that_is_alone_does_not_ask_again_and_again_whose_devices_are_whose(world, anna):
    assert await looks_at_devices(world) == 0


@scene(servers=2, people=1)
async def test_servers_that_are_not_alone_ask_now_and_then_whose_devices_are_whose(world, anna):
    assert await looks_at_devices(world) >= 6


@scene(servers=1, people=0)
async def test_a_table_is_opened_once_though_somebody_comes_while_it_is_made(world):
    server, add = world.servers[0], parts.Store.add_table

    async def slow(self, *given):
        await add(self, *given)
        await asyncio.sleep(1)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts.Store, "add_table", slow)
        making = server.start(server.rooms.create("rps", "guest0", [{"kind": "me"}, {"kind": "open"}], {}, Terms("another")))
        await asyncio.sleep(0.5)
        found = await server.start(server.rooms.get([*world.database.rows][-1]))
        assert await making is found is server.rooms.rooms[found.row.id]
    await asyncio.sleep(1)
    del world.database.rows[found.row.id]


@scene(servers=1, people=2)
async def test_who_is_removed_while_they_come_back_does_not_stay(world, anna, ben):
    who = anna.line.table["guests"][0]
    ben.line.hang_up()
    await asyncio.sleep(1)
    read, slow = parts.Store.chat_of, [1.0]

    async def late(self, *given, **more):
        found = await read(self, *given, **more)
        await asyncio.sleep(slow.pop() if slow else 0)
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts.Store, "chat_of", late)
        ben.join()
        await asyncio.sleep(0.5)
        anna.ask("remove", who=who)
        await asyncio.sleep(8)
    assert not ben.line.open
    assert ben.line.state is None


@scene(servers=1, people=3, game="rps")
async def test_a_player_who_comes_back_while_the_game_ends_gets_to_read_what_spectators_said(world, anna, ben, carl):
    ben.ask("sit", seat=1, name="")
    await asyncio.sleep(6)
    carl.ask("chat", text="psst", name="", key="k")
    ben.line.hang_up()
    await asyncio.sleep(2)
    read, slow = parts.Store.chat_of, [2.0]

    async def late(self, *given, **more):
        found = await read(self, *given, **more)
        await asyncio.sleep(slow.pop() if slow else 0)
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts.Store, "chat_of", late)
        ben.join()
        await asyncio.sleep(1)
        anna.ask("resign", seat=0)
        await asyncio.sleep(8)
    assert [one.line.lines for one in (anna, ben)] == [["psst"]] * 2


@scene(servers=1, people=3, game="rps")
async def test_players_get_to_read_what_spectators_said_though_the_storage_was_away_at_the_end(world, anna, ben, carl):
    ben.ask("sit", seat=1, name="")
    await asyncio.sleep(6)
    for person, text in ((carl, "psst"), (anna, "hello")):
        person.ask("chat", text=text, name="", key="k")
        await asyncio.sleep(1)
    for person in (anna, ben, carl):
        person.line.hang_up()
    await asyncio.sleep(120)
    assert not any(server.rooms.rooms for server in world.servers)
    read, fails = parts.Store.chat_of, [True]
    anna.join()
    await asyncio.sleep(6)

    async def fail(self, *given, **more):
        if fails:
            raise parts.Away
        return await read(self, *given, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts.Store, "chat_of", fail)
        anna.ask("resign", seat=0)
        await asyncio.sleep(1)
        fails.clear()
        await asyncio.sleep(8)
    assert sorted(anna.line.lines) == ["hello", "psst"]


@contextlib.asynccontextmanager
async def opening_slowly(world, server, seconds):
    """A server opens the table. It has read who is there, and waits for what is stored."""
    load, slow = parts.Store.load, [seconds, 0.0]

    async def late(self, *given):
        found = await load(self, *given)
        if self is server.rooms.storage and slow:
            await asyncio.sleep(slow.pop())
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts.Store, "load", late)
        opening = server.start(server.rooms.get(world.table))
        await asyncio.sleep(0.3)
        assert not slow
        yield opening


@scene(servers=2, people=1, game="connect_four")
async def test_bots_play_for_somebody_who_came_while_their_server_was_opening_the_table(world, anna):
    anna.ask("bot", seat=1, bot="random")
    await asyncio.sleep(1)
    anna.line.hang_up()
    await asyncio.sleep(1)
    world.hub.leads[world.table] = "server1"
    one, other = world.servers
    async with opening_slowly(world, other, 1.0) as opening:
        anna.join(one)
        await asyncio.sleep(0.5)
        assert not opening.done()
        anna.ask("leave", seat=0)
        await asyncio.sleep(5)
    assert other.rooms.rooms[world.table].here() == [anna.guest]
    assert world.database.match(world.table).length > 2


@scene(servers=2, people=0)
async def test_who_was_at_a_server_that_died_while_another_opened_the_table_is_not_there(world):
    one, other = world.servers
    anna = world.persons[0]
    anna.join(one)
    await asyncio.sleep(1)
    async with opening_slowly(world, other, 8.0) as opening:
        one.die()
        await opening
        await asyncio.sleep(1)
    assert other.rooms.rooms[world.table].here() == []


@scene(servers=2, people=2)
async def test_who_leaves_while_a_server_asks_who_is_there_is_not_there(world, anna, ben):
    room = world.servers[1].rooms.rooms[world.table]
    follow = parts.Wire.follow

    async def late(self, table):
        found = await follow(self, table)
        await asyncio.sleep(1)
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts.Wire, "follow", late)
        asking = world.servers[1].start(room.hear_all_presence())
        await asyncio.sleep(0.5)
        anna.line.hang_up()
        await asking
    assert room.here() == [ben.guest]
