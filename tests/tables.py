"""Every game with every number of players, for tests that hold for all of them; and people at the tables of a server."""

from pathlib import Path

import pytest

import rulestone


def _tables():
    for name in rulestone.games():
        game = rulestone.load(name)
        for players in range(game.min_players, game.max_players + 1):
            yield pytest.param(name, players, id=f"{name}:{players}")


every_table = pytest.mark.parametrize(("name", "players"), list(_tables()))

WHISPER = Path(__file__).parent / "toys" / "whisper"


class Person:
    """A person with a token."""

    def __init__(self, client, headers=None):
        self.client = client
        self.headers = headers or {"Authorization": f"Bearer {client.post('/api/guests').json()['token']}"}

    def get(self, path):
        return self.client.get(path, headers=self.headers)

    def post(self, path, body=None):
        return self.client.post(path, json=body or {}, headers=self.headers)

    def table(self, game="connect_four", seats=(), **more):
        kinds = [seat if isinstance(seat, dict) else {"kind": seat} for seat in seats or ("me", "me")]
        answer = self.post("/api/tables", {"game": game, "seats": kinds, **more})
        assert answer.status_code == 201, answer.text
        return answer.json()["id"]

    def state(self, table):
        return self.get(f"/api/tables/{table}").json()["state"]

    def info(self, table):
        return self.get(f"/api/tables/{table}").json()["table"]

    def move(self, table, move, at=None, key=""):
        return self.post(f"/api/tables/{table}/moves", {"at": at or self.state(table)["at"], "move": move, "key": key})

    def socket(self, table):
        return self.client.websocket_connect(f"/ws/tables/{table}", headers=self.headers)


def joined(socket):
    """A socket that has joined its table: from now on it hears what everybody is told. What it has heard before is dropped."""
    ask(socket, "ping")
    return socket


def hear(socket, kind):
    """The next message of one kind."""
    while True:
        message = socket.receive_json()
        if message["t"] == kind:
            return message


def ask(socket, verb, **body):
    socket.send_json({"do": verb, "id": 7, **body})
    while True:
        message = socket.receive_json()
        if message["t"] in ("ok", "refused") and message["id"] == 7:
            return message
