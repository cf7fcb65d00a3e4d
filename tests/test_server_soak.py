"""Servers, thinkers, PostgreSQL and Redis are killed, cut off, frozen and misled about the time while people play. Every acknowledged move
is stored once, all games come to their end, all see it, and no process is left over."""

import asyncio
import contextlib
import os
import random
import sys
import tempfile

import pytest

from tests.breaking import World

pytestmark = [
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks processes up in /proc"),
    pytest.mark.xdist_group("soak"),
]
SEED = int(os.environ.get("RULESTONE_SOAK_SEED") or 1)
MINUTES = float(os.environ.get("RULESTONE_SOAK_MINUTES") or 10)


@contextlib.asynccontextmanager
async def world(*, many, tables, servers=1, thinkers=1, pace=0.1, longest=1.5, seed=SEED):
    """People who play at so many tables, until the end of the block; then all games are finished and everything is checked."""
    enough = asyncio.Event()
    with tempfile.TemporaryDirectory(prefix="rulestone-") as folder:  # a short name: it is part of the names of sockets
        made = World(random.Random(seed), folder, servers=servers, thinkers=thinkers, pace=pace, longest=longest)
        try:
            await made.begin(many)
            await made.people(tables, enough)
            yield made
            enough.set()
            await made.finish(120)
        finally:
            await made.end()
            print(f"\nseed {seed}: {made.summary()}", *made.wrong[:20], sep="\n")
    assert not made.wrong


async def once_each(made, acts):
    """Every fault once, in any order."""
    made.chance.shuffle(acts)
    for act in acts:
        await made.do(act)


async def lanes(made, *given):
    """Faults for some minutes; each lane has its own, so that several happen at the same time, and waits for moves in between."""
    now = asyncio.get_running_loop().time
    end, told = now() + 60 * MINUTES, 0.0

    async def lane(acts):
        nonlocal told
        while now() < end:
            await made.do(made.chance.choice(acts))
            await asyncio.sleep(made.chance.uniform(0, 1))
            if now() > told + 60:
                told = now()
                print(made.summary(), flush=True)

    await asyncio.gather(*(lane(acts) for acts in given))


def faults_of(made):
    own = [made.kill_a_server, made.freeze_a_server, made.turn_the_clock, made.stop_reading]
    shared = [made.kill_a_thinker, made.kill_redis, made.kill_postgres, made.cut_lines, made.stall_lines]
    return own, shared


@pytest.mark.slow
def test_two_servers_lose_nothing_when_each_part_fails_once():
    async def story():
        async with world(many=True, tables=16, servers=2) as made:
            own, shared = faults_of(made)
            await once_each(made, own + shared)

    asyncio.run(story())


@pytest.mark.slow
def test_a_server_with_a_file_loses_nothing_when_it_is_killed_and_the_disk_is_full():
    async def story():
        async with world(many=False, tables=8) as made:
            await once_each(made, [made.fill_the_disk, *faults_of(made)[0]])

    asyncio.run(story())


@pytest.mark.soak
def test_several_servers_lose_nothing_for_minutes_of_faults():
    async def story():
        async with world(many=True, tables=200, servers=4, thinkers=2, pace=3, longest=4) as made:
            own, shared = faults_of(made)
            kills = [made.kill_a_server], [made.kill_a_server], [made.kill_a_thinker], [made.kill_redis], [made.kill_postgres]
            await lanes(made, *kills, own, shared)

    asyncio.run(story())


@pytest.mark.soak
def test_a_server_with_a_file_loses_nothing_for_minutes_of_faults():
    async def story():
        async with world(many=False, tables=100, pace=1, longest=4) as made:
            own = faults_of(made)[0]
            await lanes(made, [made.kill_a_server], [*own, made.fill_the_disk])

    asyncio.run(story())
