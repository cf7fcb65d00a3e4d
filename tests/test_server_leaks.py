"""The server sends nothing that its reader may not know: every byte of whole games is compared with twin worlds that look the same."""

import asyncio
import json
import random
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

import rulestone
from rulestone.server.app import create_app  # noqa: F401  (the whole server imports)
from rulestone.server.fair import Wishes
from rulestone.server.frames import Frames, encode
from rulestone.server.room import Client, Refused, Room
from rulestone.server.storage import MoveRow, SeatRow, TableRow
from rulestone.table import Face

WHISPER = Path(__file__).parent / "toys" / "whisper"
GAMES = [*rulestone.games(), "whisper"]


def load(name):
    return rulestone.load(WHISPER if name == "whisper" else name)


class Memory:
    """A storage that stores nothing: these tests are about what is sent."""

    async def add_move(self, table, move, *given):
        pass

    async def set_wishes(self, table, wishes, was):
        pass

    async def take_back(self, table, ply, revision, end):
        pass

    def keep_turns(self, table, turns):
        pass

    async def chat_of(self, table, apart=True, after=0):
        return []


def room_of(game, seed, options=None, players=None, aid=None):
    match = game.new(seed=seed, options=options, players=players)
    seats = [SeatRow("person", f"guest{seat}", f"Person {seat}") for seat in range(match.players)]
    row = TableRow("t", game.name, 1, match.players, match.options, str(seed), "table", "guest0", seats=seats, aid=aid)
    row.fair = {"hints": "on"}
    return Room(row, match, [], game.name, Memory(), None, 0)


def drained(client):
    texts = []
    while not client.outbox.empty():
        texts.append(client.outbox.get_nowait())
    return texts


def twin_of(match, eyes, seed, screen=None):
    """Another world that these eyes can't tell from the true one (or can't on a `screen` that shows less)."""
    viewer = -1 if eyes is None else eyes
    world = match.copy()
    world._run("conceal", viewer)
    if screen is not None:
        screen(world.state, eyes)
    world._s.rng = seed
    world._run("redeal", viewer)
    for name in ("unnoticed", "pending", "ply", "to_move") if match.game.simultaneous else ():  # as in the true world
        world.array[name] = match.array[name]
    world._now = world.raw
    return world


def everything_for(room, match, eyes):
    """Everything the server would send these eyes about a position, as text."""
    guest = f"guest{eyes}" if eyes is not None else "stranger"
    real, frames = room.match, room.frames
    room.match, room.frames = match, Frames(room.face, room.row.aid)
    try:
        told = []
        for narrow in room.face.layouts():
            client = Client(guest, narrow)
            room._retell(client)
            room.show(client)
            told += drained(client)
        told.append(encode(room.state(guest)))
        told.append(encode(room.position(guest)))
        told.append(encode(room.in_words(guest, eyes)))
        own = "public" if eyes is None else str(eyes)
        last = match.length if match.over else len(match.pages(eyes)) - 1
        told += [encode(room.past_frame(guest, last, own, narrow=narrow)) for narrow in room.face.layouts()]
        told.append(str(room.past_story(guest, max(0, last - 2), own)))
        told.append(room.face.scene(room.frames.seen(match, eyes), eyes).inline())
        for action in range(0, len(room.game.actions), max(1, len(room.game.actions) // 25)):
            try:
                if eyes is not None and match.to_move == eyes:
                    room._check_legal(eyes, action)
            except Refused as refusal:
                told.append(refusal.text)
        return told
    finally:
        room.match, room.frames = real, frames


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_worlds_that_look_the_same_produce_the_same_messages(name, monkeypatch):
    """Frames, stories, pages, refusals and past positions are equal in a twin world, for all eyes, throughout a whole game."""
    monkeypatch.setattr("rulestone.server.room.time", SimpleNamespace(time=lambda: 0.0, monotonic=lambda: 0.0))  # both at the same time
    game = load(name)
    room, chooser = room_of(game, 21), random.Random(21)
    every = 1 if game.about.longest < 100 else 9
    while not room.match.over and room.match.ply < 600:
        if room.match.ply % every == 0:
            for eyes in (None, *range(room.match.players)):
                twin = twin_of(room.match, eyes, chooser.getrandbits(60))
                assert everything_for(room, room.match, eyes) == everything_for(room, twin, eyes), f"eyes {eyes}, ply {room.match.ply}"
        room.match.play(chooser.choice(room.match.legal()))


@pytest.mark.parametrize("name", GAMES)
def test_a_hint_and_its_reason_follow_from_what_the_player_knows(name, monkeypatch):
    """Whatever the search weighs, a twin world gets the same words for it; and the search is handed the view alone."""
    monkeypatch.setenv("RULESTONE_JIT", "0")
    game, asked, reasons = load(name), [], set()
    room, chooser = room_of(game, 12), random.Random(12)

    class Thinker:
        async def weigh(self, source, view, owner):
            asked.append(view.raw)
            return [(action, 0.5) for action in random.Random(len(view.legal())).sample(view.legal_actions(), min(2, len(view.legal())))]

    room.thinker = Thinker()
    while not room.match.over and room.match.ply < 160:
        seat = room.match.to_move
        if len(room.match.legal()) > 1:
            hints, said, real = [], [], room.match
            for match in (real, twin_of(real, seat, chooser.getrandbits(60))):
                room.match, room.frames = match, Frames(room.face, room.row.aid)
                hints.append(asyncio.run(room.hint(f"guest{seat}")))
                view = room.frames.seen(match, seat)
                said.append([room.face.why(view, move) for move in view.legal()])
            room.match, room.frames = real, Frames(room.face, room.row.aid)
            assert hints[0] == hints[1]
            assert said[0] == said[1]
            assert asked[-2] == asked[-1]
            reasons.update(said[0])
        room.match.play(chooser.choice(room.match.legal()))
    assert len(reasons) > 1 or "why" not in room.face.hooks


FROM_MEMORY = [(name, aid) for name in GAMES if (aids := Face.of(load(name)).aids) for aid in list(aids.levels)[:-1]]


@pytest.mark.parametrize(("name", "aid"), FROM_MEMORY)
def test_what_a_memory_aid_hides_is_never_sent(name, aid, monkeypatch):
    """Redeal what these eyes' screen hides; everything the server sends, and what it asks a bot for a hint, stays the same."""
    monkeypatch.setattr("rulestone.server.room.time", SimpleNamespace(time=lambda: 0.0, monotonic=lambda: 0.0))
    game, asked, other = load(name), [], 0
    room, chooser = room_of(game, 5, aid=aid), random.Random(5)

    class Thinker:
        async def weigh(self, source, view, owner):
            asked.append(view.raw)
            return [(action, 0.5) for action in view.legal_actions()[:2]]

    room.thinker = Thinker()
    while not room.match.over and room.match.ply < 60:
        for eyes in (None, *range(room.match.players)) if room.match.ply % 6 == 5 else ():
            world = twin_of(room.match, eyes, chooser.getrandbits(60), lambda s, eyes: room.face.hooks["screen"](s, eyes, aid))
            other += world.raw != room.match.raw
            assert everything_for(room, room.match, eyes) == everything_for(room, world, eyes), f"eyes {eyes}, ply {room.match.ply}"
            if eyes == room.match.to_move:
                real = room.match
                hints = []
                for match in (real, world):
                    room.match, room.frames = match, Frames(room.face, aid)
                    hints.append(asyncio.run(room.hint(f"guest{eyes}")))
                room.match, room.frames = real, Frames(room.face, aid)
                assert asked[-2] == asked[-1]
                assert hints[0] == hints[1]
        room.match.play(chooser.choice(room.match.legal()))
    assert other > 20
    assert asked


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_every_byte_sent_in_a_whole_game_follows_from_the_readers_view(name):
    """Players in all seats and a spectator follow a whole game; what each received is recomputed from that reader's view alone."""
    game = load(name)

    async def play():
        room, chooser = room_of(game, 8), random.Random(8)
        viewers = (None, *range(room.match.players))
        clients = {eyes: Client(f"guest{eyes}" if eyes is not None else "stranger", on_phone(eyes)) for eyes in viewers}
        for client in clients.values():
            await room.join(client)
            drained(client)
        while not room.match.over and room.match.ply < 300:
            seat = room.match.to_move
            move = chooser.choice(room.match.view(seat).legal_actions())
            await room.move(f"guest{seat}", room.at_for(seat), move, "")
            for eyes, client in clients.items():
                for text in drained(client):
                    yield_check(room, eyes, json.loads(text))
        for client in clients.values():
            room.part(client)

    def on_phone(eyes):
        return eyes in (None, 1)

    def yield_check(room, eyes, message):
        assert message["t"] in ("state", "table")
        if message["t"] == "table":
            assert message["seed"] is None or room.match.over
            return
        assert message["eyes"] == eyes
        view, face = room.match.view(eyes), Face.of(game)
        assert message["narrow"] == (face.narrow and on_phone(eyes))
        scene = json.loads(json.dumps(face.scene(view, eyes, on_phone(eyes)).data()))
        assert all(value is None or value == scene["parts"][id] for id, value in message["scene"]["parts"].items())
        assert message["story"]["lines"] == [face.say(view, event) for event in view.events]
        assert message["prompt"] == face.prompt(view, eyes)
        assert message["unaided"] == face.unaided(view, eyes)
        assert message["goal"] == face.goal(view, eyes)
        assert message["rule"] == face.rule(view)
        assert [move["action"] for move in message["moves"]] == view.legal_actions()
        known = {
            "t",
            "version",
            "at",
            "ply",
            "eyes",
            "to_move",
            "prompt",
            "goal",
            "rule",
            "unaided",
            "moves",
            "any_order",
            "deciders",
            "together",
            "scene",
            "story",
            "steps",
            "ending",
            "payoff",
            "base",
            "narrow",
        }
        assert set(message) <= known

    asyncio.run(play())


@pytest.mark.parametrize("name", GAMES)
def test_earlier_positions_reveal_no_more_than_they_did_then(name):
    """A player who looks at earlier positions of a running game sees what they saw then."""
    game = load(name)
    room, chooser = room_of(game, 5), random.Random(5)
    seen = [{} for _ in range(room.match.players)]  # by the number of moves each has noticed
    for _ in range(12):
        if room.match.over:
            break
        for seat, scenes in enumerate(seen):
            scenes[room.match.view(seat).ply] = room.face.scene(room.match.view(seat), seat).data()
        room.match.play(chooser.choice(room.match.legal()))
    if room.match.over:
        return
    for seat, scenes in enumerate(seen):
        for index, scene in scenes.items():
            if index < room.match.view(seat).ply:
                assert room.past_frame(f"guest{seat}", index, str(seat))["scene"] == scene
    with pytest.raises(Refused):
        room.past_frame("guest0", 0, "1")


def check_that_unnoticed_moves_tell_nothing(game, options=None, players=None, seed=4, plies=120):
    """Play a game with everyone at the table. Viewers who don't notice a move receive nothing, and would be sent the same as before it.

    Returns how many such moves there were.
    """
    unnoticed = 0

    async def play():
        nonlocal unnoticed
        room, chooser = room_of(game, seed, options, players), random.Random(seed)
        room.row.clock = {"kind": "move", "seconds": 600}
        clients = {eyes: Client(f"guest{eyes}" if eyes is not None else "stranger") for eyes in (None, *range(room.match.players))}
        for client in clients.values():
            await room.join(client)
        drained_all = {eyes: drained(client) for eyes, client in clients.items()}
        assert all(drained_all.values())
        while not room.match.over and room.match.ply < plies:
            seat = room.match.to_move
            told = {eyes: everything_for(room, room.match, eyes) for eyes in clients if eyes != seat}
            before = {eyes: room.match.view(eyes).raw for eyes in clients}
            await room.move(f"guest{seat}", room.at_for(seat), chooser.choice(room.match.view(seat).legal_actions()), "")
            for eyes, client in clients.items():
                heard = [json.loads(text) for text in drained(client)]
                assert [message["version"] for message in heard if message["t"] == "state"] in ([], [versions.get(eyes, 0) + 1])
                versions[eyes] = versions.get(eyes, 0) + any(message["t"] == "state" for message in heard)
                view = room.match.view(eyes)
                if view.raw == before[eyes]:
                    unnoticed += 1
                    assert eyes != seat
                    assert heard == []
                    assert everything_for(room, room.match, eyes) == told[eyes]
                else:
                    assert any(message["t"] == "state" for message in heard)
        for client in clients.values():
            room.part(client)
        room.close()

    versions = {}
    asyncio.run(play())
    return unnoticed


@pytest.mark.parametrize("name", GAMES)
def test_viewers_who_do_not_notice_a_move_receive_nothing(name, monkeypatch):
    monkeypatch.setattr("rulestone.server.room.time", SimpleNamespace(time=lambda: 0.0, monotonic=lambda: 0.0))
    check_that_unnoticed_moves_tell_nothing(load(name), plies=40)


@pytest.mark.parametrize("name", GAMES)
def test_whether_undo_is_offered_or_asked_for_follows_from_what_players_know(name, monkeypatch):
    """In a world that looks the same to a player, undo is offered or not as in the true one; nobody else hears of a refusal."""
    monkeypatch.setattr("rulestone.server.room.time", SimpleNamespace(time=lambda: 0.0, monotonic=lambda: 0.0))
    game, twins, offered = load(name), 0, 0

    async def play():
        nonlocal twins, offered
        room, chooser = room_of(game, 6), random.Random(6)
        client = Client("stranger")
        await room.join(client)
        while room.presence is not None:  # word of who has come goes out soon
            await asyncio.sleep(0.01)
        while not room.match.over and room.match.ply < 24 // room.match.players:
            seat = room.match.to_move
            before = room.match
            action = chooser.choice(room.match.view(seat).legal_actions())
            await room.move(f"guest{seat}", room.at_for(seat), action, "")
            drained(client)
            asked = []
            world = twin_of(before, seat, chooser.getrandbits(60))
            if world.raw != before.raw and action in world.legal_actions():
                world.play(action)
            if world.length == room.match.length and world.view(seat).raw == room.match.view(seat).raw:
                twins += 1
                worlds = (room.match, world)
            else:
                worlds = (room.match,)
            real = room.match
            for match in worlds:
                room.match, room.frames, room.wishes = match, Frames(room.face), Wishes()
                room.offers.clear()
                await room.weigh_undo(f"guest{seat}")
                info = room.table_info(f"guest{seat}")
                try:
                    told = (info["undo"] and match.together) or await room.undo(f"guest{seat}")  # free while several decide
                except Refused as refusal:
                    told = refusal.text
                    assert drained(client) == [], "nobody hears of a refused undo"
                asked.append((info["undo"], info["may"], told))
                drained(client)
            room.match, room.frames, room.wishes = real, Frames(room.face), Wishes()
            assert asked[0] == asked[-1]
            assert asked[0][0] == (asked[0][2] is True), "offered exactly if it would be granted"
            offered += asked[0][0]
        room.part(client)
        room.close()

    asyncio.run(play())
    assert offered or not game.perfect_information
    assert twins or game.perfect_information or not offered


def test_bots_get_only_hidden_records():
    """The thinking processes get the view's record, in which the random generator is blank."""
    from rulestone.server.thinking import Thinker

    sent = []

    class Spy(Thinker):
        async def _run(self, work, *arguments):
            sent.append(arguments)
            return 0

    game = load("whisper")
    match = game.new(seed=3, players=2)
    asyncio.run(Spy().choose("whisper", match.view(0), "random"))
    raw = sent[0][3]
    assert raw == match.view(0).raw
    assert raw != match.raw


def test_moves_stored_by_a_room_are_plain():
    plain = {"ply": 0, "action": 1, "spent": 0, "made": 0.0, "key": "", "guest": "", "at": "", "player": None, "bot": ""}
    assert vars(MoveRow(0, 1)) == plain


class Shared(Memory):
    """A storage that two rooms share."""

    def __init__(self, row):
        self.row, self.moves = row, []

    async def add_move(self, table, move, *given):
        self.moves.append(move)

    async def load(self, table, edition=None, ply=0):
        return replace(self.row, seats=[*self.row.seats]), [move for move in self.moves if move.ply >= ply], set()


@pytest.mark.parametrize("name", GAMES)
def test_viewers_at_another_server_receive_the_same_bytes_and_nothing_of_what_they_do_not_notice(name, monkeypatch):
    """Moves are made on one server; a second one hears only that the table has changed. Everybody gets the same frames on both."""
    monkeypatch.setattr("rulestone.server.room.time", SimpleNamespace(time=lambda: 0.0, monotonic=lambda: 0.0))
    game, told = load(name), []

    async def play():
        rooms = [room_of(game, 4), room_of(game, 4)]
        near, far = rooms
        shared, chooser = Shared(near.row), random.Random(4)
        near.bus.tell = lambda table, **news: told.append(news)
        for room in rooms:
            room.storage = shared
            room.row.clock = {"kind": "move", "seconds": 600}
        viewers = (None, *range(near.match.players))
        clients = [{eyes: Client(f"guest{eyes}" if eyes is not None else "stranger") for eyes in viewers} for _ in rooms]
        for room, here in zip(rooms, clients, strict=True):
            for client in here.values():
                await room.join(client)
                drained(client)
            for client in here.values():
                drained(client)
        while not near.match.over and near.match.ply < 30:
            seat = near.match.to_move
            await near.move(f"guest{seat}", near.at_for(seat), chooser.choice(near.match.view(seat).legal_actions()), "")
            far.behind = True
            await far._look_again()
            assert far.match.raw == near.match.raw
            for eyes in viewers:
                assert drained(clients[0][eyes]) == drained(clients[1][eyes]), f"eyes {eyes}, ply {near.match.ply}"
        for room in rooms:
            room.close()

    asyncio.run(play())
    assert told
    assert all(news == {"changed": True} for news in told), "what crosses says nothing about the game"
