"""A program that plays at a table over HTTP, with nothing but the standard library.

    python examples/player.py http://localhost:8000 TABLE SEAT

It takes the seat and plays random legal moves until the game is over. Put your own idea into `choose`: `position["fields"]` is everything
its seat may know, `position["moves"]` the moves it has seen, `position["legal"]` its legal moves.
"""

import json
import random
import sys
import time
import urllib.error
import urllib.request


def choose(position):
    return random.choice(position["legal"])


class Table:
    def __init__(self, server, table):
        self.url, self.token = f"{server}/api", None
        self.token = self.call("POST", "/guests")["token"]
        self.path = f"/tables/{table}"

    def call(self, method, path, body=None):
        headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {self.token}"} if self.token else {})}
        data = json.dumps(body).encode() if body is not None else None
        with urllib.request.urlopen(urllib.request.Request(self.url + path, data, headers, method=method)) as answer:
            return json.load(answer)

    def play(self, seat, pause=0.2):
        self.call("POST", f"{self.path}/sit", {"seat": seat, "name": "A program"})
        while not (position := self.call("GET", f"{self.path}/position"))["over"]:
            if not position["legal"]:
                time.sleep(pause)
                continue
            try:
                self.call("POST", f"{self.path}/moves", {"at": position["at"], "move": choose(position), "key": str(random.random())})
            except urllib.error.HTTPError as refusal:
                if refusal.code != 409:  # out of date: the game has moved on
                    raise
        return position["payoff"]


if __name__ == "__main__":
    server, table, seat = sys.argv[1:]
    print(Table(server, table).play(int(seat)))
