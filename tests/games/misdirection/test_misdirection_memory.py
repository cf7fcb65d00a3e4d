"""Playing from memory (Q35): what a table's memory aid hides never leaves the server, in any text, picture, step or field."""

import random
from types import SimpleNamespace

import pytest
from starlette.testclient import TestClient

from rulestone.games.misdirection import scene as look
from rulestone.games.misdirection.art import TILE_CELLS
from rulestone.server.app import create_app
from rulestone.server.frames import encode
from rulestone.server.room import Client, Refused, Room
from rulestone.server.storage import SeatRow, TableRow

FIRST = 0  # the guest in the first chair


def room_of(match, aid):
    seats = [SeatRow("person", f"guest{player}", f"Person {player}") for player in range(match.players)]
    row = TableRow("t", match.game.name, 1, match.players, match.options, "1", "table", "guest0", seats=seats, aid=aid)
    return Room(row, match, [], match.game.name, None, None, 0)


def sent(match, aid, eyes):
    """Every byte a browser can get about a position: frames, story, page, data, refusals, earlier positions."""
    room, guest, whose = room_of(match, aid), f"guest{eyes}" if eyes is not None else "stranger", "public" if eyes is None else str(eyes)
    client = Client(guest)
    room._retell(client)
    room.frames.moved = True  # with the steps of the last move
    room.show(client)
    told = [client.outbox.get_nowait() for _ in range(client.outbox.qsize())]
    told += [encode(room.state(guest)), encode(room.position(guest)), str(room.past_story(guest, 0, whose))]
    told.append(room.face.scene(room.frames.view(match, eyes), eyes).inline())
    told.append(encode(room.past_frame(guest, match.length, whose)))
    told += [room.why_not(guest, eyes, f"tile-{cell}") for cell in match.state.pos.tolist() if cell < 225]
    for index in range(match.length):
        with pytest.raises(Refused, match="from memory"):
            room.past_frame(guest, index, whose)
    return told


def replayed(game, seed, players, swap, actions):
    """The same moves and dice in the world where two tiles of a kind were laid the other way round; None if they lead elsewhere."""
    world = game.new(seed=seed, players=players)
    one, other = swap
    world.state.tile[[one, other]] = world.state.tile[[other, one]]
    for action in actions:
        if action not in world.legal_actions():
            return None
        world.play(action)
    return world


def other_worlds(game, seed, players, match):
    """Worlds that differ in nothing but the arrow under a token that landed before the last move: (its seat, the world)."""
    actions = [action for action, *_ in match._past]
    records = [match.at(index).state for index in range(match.length + 1)]
    s = match.state
    for seat in range(4):
        cell = int(s.pos[seat])
        if cell == 255 or s.face[cell] == 0:
            continue
        up = next(index for index, record in enumerate(records) if record.face[cell])
        if up == len(actions) or any(record.pos[seat] != cell for record in records[up:]):
            continue  # it was turned over just now, or has been seen open
        same_kind = [c for c in TILE_CELLS if s.face[c] == 0 and s.tile[c] >> 3 == s.tile[cell] >> 3 and s.tile[c] != s.tile[cell]]
        if not same_kind:
            continue
        world = replayed(game, seed, players, (cell, same_kind[0]), actions)
        if world is not None and all((world.state[name] == s[name]).all() for name in ("pos", "face", "light", "lose")):
            yield seat, world


@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("aid", ["off", "own"])
def test_Q35_nothing_sent_to_a_browser_contains_what_the_memory_aid_hides(game, players, aid, monkeypatch):
    monkeypatch.setattr("rulestone.server.room.time", SimpleNamespace(time=lambda: 0.0, monotonic=lambda: 0.0))
    compared = 0
    for seed in range(3):
        match, chance = game.new(seed=seed, players=players), random.Random(seed)
        while not match.over and match.ply < 36:
            if match.ply > 3 and match.ply % 5 == 0:
                for seat, world in other_worlds(game, seed, players, match):
                    owner = int(look.PLAYER[players][seat])
                    for eyes in (None, *range(players)):
                        if aid == "own" and eyes == owner:
                            assert sent(match, aid, eyes) != sent(world, aid, eyes)
                        else:
                            assert sent(match, aid, eyes) == sent(world, aid, eyes), (
                                f"seed {seed}, ply {match.ply}, seat {seat}, eyes {eyes}"
                            )
                        compared += 1
            match.play(chance.choice(match.legal()[:12]))
    assert compared > 20


def test_Q35_with_an_aid_for_all_everybody_is_shown_every_arrow(misdirection):
    at = misdirection.at(up={(4, 4): "A-E", (9, 9): "A-N"}, tokens={0: (4, 4), 2: (9, 9)})
    for aid, tips in (("off", ()), ("own", (0,)), ("all", (0, 2))):
        room = room_of(at.match, aid)
        parts, face = room.state("guest0")["scene"]["parts"], room.frames.view(at.match, 0).state.face
        assert tuple(seat for seat in (0, 2) if "md-tip" in parts[f"token-{seat}"]) == tips
        assert (face[64] != 5) == (0 in tips)
        assert (face[144] != 5) == (2 in tips)


def test_Q35_bots_remember_whatever_the_aid(misdirection):
    at = misdirection.at(up={(4, 4): "A-E"}, tokens={0: (4, 4)})
    room = room_of(at.match, "off")
    assert room.position("guest0")["fields"]["face"][64] == 5
    assert room.match.view(0).state.face[64] == 1


def test_Q35_a_greedy_bot_asked_for_a_hint_guesses_what_the_screen_does_not_show(misdirection):
    chosen = set()
    for code in ("A-E", "A-N", "A-S", "A-W"):
        at = misdirection.at(up={(4, 4): "A-SE", (7, 4): code}, tokens={0: (7, 4), 1: (4, 4)}, light=[0])
        seen = room_of(at.match, "off").frames.seen(at.match, 0)
        hidden = SimpleNamespace(view=lambda _, seen=seen: seen, to_move=0, ids=at.ids)
        chosen.add(tuple(misdirection.greedy(hidden, rng=rng) for rng in range(1, 8)))
    assert len(chosen) == 1


def test_Q35_the_landing_is_shown_but_the_story_hides_the_arrow(misdirection):
    at = misdirection.at(up={(4, 4): "A-E"}, down={(4, 6): "A-NW"}, tokens={0: (4, 4)})
    at.roll(2)
    room = room_of(at.match, "off")
    room.frames.moved = True
    state = room.state("guest1")
    assert any("over-7" in step["go"] for step in state["steps"])
    assert state["story"]["lines"][-2:] == ["A tile is turned over: Arrow. [R11]", "Red covers the arrow. Remember it! [R12]"]
    room = room_of(at.match, "own")
    assert room.state("guest0")["story"]["lines"][-1] == "Red will move ↖ next turn. [R12]"
    assert room.state("guest1")["story"]["lines"][-1] == "Red covers the arrow. Remember it! [R12]"


def test_Q35_a_token_sent_home_uncovers_its_tile(misdirection):
    at = misdirection.at(up={(4, 4): "A-E", (4, 6): "A-N", (9, 9): "A-S"}, tokens={0: (4, 4), 1: (9, 9)})
    room = room_of(at.match, "off")
    assert "↓" not in room.state("guest0")["scene"]["cards"]["tile-144"][0]
    at.match.state.pos[1] = 14
    assert "↓" in room_of(at.match, "off").state("guest0")["scene"]["cards"]["tile-144"][0]


def test_Q35_two_people_at_one_screen_need_no_curtain_for_an_aid(misdirection):
    at = misdirection.at(up={(4, 4): "A-E"}, tokens={0: (4, 4)})
    room = room_of(at.match, "own")
    assert not room.secret(0)


def test_Q35_once_the_game_is_over_everything_can_be_seen_again(misdirection):
    at = misdirection.at(up={(4, 4): "A-SE", (9, 9): "A-S"}, tokens={0: (4, 4), 1: (9, 9)})
    at.roll(3)
    room = room_of(at.match, "off")
    assert room.state("guest0")["scene"]["cards"]["tile-144"][0].endswith("↓")
    assert room.past_frame("guest0", 0, "0")["scene"]["cards"]["tile-144"][0].endswith("↓")


@pytest.fixture
def client(tmp_path, monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    with TestClient(create_app(f"sqlite:///{tmp_path / 'tables.db'}", pace=0, limits=False)) as client:
        client.headers["Authorization"] = f"Bearer {client.post('/api/guests').json()['token']}"
        yield client


def test_Q35_a_table_has_its_memory_aid_from_the_start_and_everybody_can_see_which(client):
    bot, me, friend = {"kind": "bot", "bot": "random"}, {"kind": "me"}, {"kind": "open"}

    def aid_of(seats, game="misdirection", **more):
        answer = client.post("/api/tables", json={"game": game, "seats": seats, **more})
        assert answer.status_code == 201, answer.text
        return client.get(f"/api/tables/{answer.json()['id']}").json()["table"]["aid"]

    assert aid_of([me, bot]) == "own"
    assert aid_of([me, friend]) == aid_of([me, me]) == "off"
    assert aid_of([me, friend], aid="all") == "all"
    assert aid_of([me, bot], game="connect_four") is None
    refusal = client.post("/api/tables", json={"game": "misdirection", "seats": [me, bot], "aid": "some"})
    assert (refusal.status_code, "off, own, all" in refusal.text) == (422, True)
    aids = client.get("/api/games/misdirection").json()["aids"]
    assert (list(aids["levels"]), aids["together"], aids["alone"]) == (["off", "own", "all"], "off", "own")
    assert 'name="aid"' in client.get("/new/misdirection").text
    assert "bots remember everything" in client.get("/new/misdirection").text
    assert 'name="aid"' not in client.get("/new/connect_four").text
