"""Push messages: encrypted for their reader, only to push services, and only about what their reader may know."""

import base64
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from starlette.testclient import TestClient

from rulestone.server.app import Extras, create_app
from rulestone.server.push import Herald, PushKey
from tests.tables import Person

http_ece = pytest.importorskip("http_ece", reason="pywebpush is not installed")
ec = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.ec")
serialization = pytest.importorskip("cryptography.hazmat.primitives.serialization")
pytestmark = pytest.mark.usefixtures("interpreted")


def letters(raw):
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def pem():
    kinds = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    return ec.generate_private_key(ec.SECP256R1()).private_bytes(*kinds).decode()


class Service:
    """A push service on this machine, and a browser that has subscribed there."""

    def __init__(self):
        service, self.heard, self.status = self, [], 201

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                service.heard.append((dict(self.headers), body))
                self.send_response(service.status)
                self.send_header("Location", "/elsewhere")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.host = f"127.0.0.1:{self.server.server_port}"
        self.key, self.auth = ec.generate_private_key(ec.SECP256R1()), b"0123456789abcdef"

    def subscription(self):
        point = serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
        keys = {"p256dh": letters(self.key.public_key().public_bytes(*point)), "auth": letters(self.auth)}
        return {"endpoint": f"http://{self.host}/device", "keys": keys}

    def read(self, number=-1):
        return json.loads(http_ece.decrypt(self.heard[number][1], private_key=self.key, auth_secret=self.auth, version="aes128gcm"))


@pytest.fixture
def service():
    service = Service()
    yield service
    service.server.shutdown()
    service.server.server_close()


@pytest.fixture
def client(url, service, monkeypatch):
    monkeypatch.setattr("rulestone.server.push.ABSENT", 0.0)
    monkeypatch.setattr("rulestone.server.push.PRESENT", 0.0)
    extras = Extras(PushKey(pem(), "mailto:me@example.org", frozenset({service.host})))
    with TestClient(create_app(url, pace=0, limits=False, extras=extras)) as client:
        yield client


def wait_for(condition, seconds=20):
    until = time.monotonic() + seconds
    while not condition() and time.monotonic() < until:
        time.sleep(0.02)
    assert condition()


def settled(client):
    """Wait until everything that has been begun is sent."""
    rooms = client.app.state.rooms
    wait_for(lambda: not any(room.tasks for room in rooms.rooms.values()))


def versus(anna, ben, **more):
    table = anna.table(seats=["me", "open"], **more)
    ben.post(f"/api/tables/{table}/sit", {"seat": 1, "name": "Ben"})
    return table


def test_a_player_who_is_elsewhere_gets_a_message_only_their_browser_can_read(client, service):
    anna, ben = Person(client), Person(client)
    assert anna.post("/api/me/push", service.subscription()).status_code == 204
    table = versus(ben, anna, name="Sunday")
    assert service.heard == [], "it is Ben's turn"
    ben.move(table, "drop 3")
    wait_for(lambda: service.heard)
    assert service.read() == {"title": "Your turn", "body": "It’s your turn in Connect Four at table “Sunday”.", "url": f"/t/{table}"}
    headers, body = service.heard[0]
    assert b"Connect" not in body
    assert headers["authorization"].startswith("vapid ")
    anna.move(table, "drop 3")
    ben.move(table, "drop 3")
    wait_for(lambda: len(service.heard) == 2)
    assert service.read(0) == service.read(1), "nothing about the move, not even which"


def test_each_turn_is_announced_once(client, service):
    anna, ben = Person(client), Person(client)
    anna.post("/api/me/push", service.subscription())
    table = versus(ben, anna)
    ben.move(table, "drop 3")
    with anna.socket(table), ben.socket(table):
        settled(client)
    settled(client)
    assert len(service.heard) == 1


def test_nobody_is_told_about_their_own_move(client, service):
    anna = Person(client)
    anna.post("/api/me/push", service.subscription())
    table = anna.table(seats=["me", "me"])
    anna.move(table, "drop 3")
    settled(client)
    assert service.heard == []


def test_nothing_is_sent_when_others_move_unnoticed(client, service):
    """In a phase where everyone decides at the same time, a player hears once that they can decide, whatever the others do."""
    anna, ben = Person(client), Person(client)
    ben.post("/api/me/push", service.subscription())
    table = anna.table("hydra_regatta", ["me", "open"])
    ben.post(f"/api/tables/{table}/sit", {"seat": 1})
    room = client.app.state.rooms.rooms[table]
    while not room.match.together:
        person = anna if room.match.to_move == 0 else ben
        person.move(table, person.state(table)["moves"][0]["action"])
    settled(client)
    before, made = len(service.heard), 0
    while 0 in room.match.deciders and 1 in room.match.deciders and made < 4:
        assert anna.move(table, anna.state(table)["moves"][0]["action"]).status_code == 200
        made += 1
    settled(client)
    assert made
    assert len(service.heard) == before


def test_a_turn_that_was_announced_before_a_restart_is_not_announced_again(client, service, monkeypatch):
    anna, ben = Person(client), Person(client)
    anna.post("/api/me/push", service.subscription())
    table = versus(ben, anna)
    ben.move(table, "drop 3")
    wait_for(lambda: service.heard)
    rooms = client.app.state.rooms
    wait_for(lambda: "1" in (client.portal.call(rooms.storage.table, table).waits or {}))
    monkeypatch.setattr("rulestone.server.room.CALLED_SECONDS", -60)
    rooms.rooms.pop(table).close()
    with anna.socket(table):
        settled(client)
    assert len(service.heard) == 1


def test_a_subscription_that_has_ended_is_dropped_and_others_are_not(client, service):
    anna, ben = Person(client), Person(client)
    storage = client.app.state.rooms.storage
    anna.post("/api/me/push", service.subscription())
    table = versus(ben, anna)
    ben.move(table, "drop 3")
    wait_for(lambda: service.heard)
    assert len(client.portal.call(storage.pushes_of, whose(client, anna))) == 1
    service.status = 500
    anna.move(table, "drop 3")
    ben.move(table, "drop 3")
    wait_for(lambda: len(service.heard) == 2)
    settled(client)
    assert len(client.portal.call(storage.pushes_of, whose(client, anna))) == 1
    service.status = 410
    anna.move(table, "drop 3")
    ben.move(table, "drop 3")
    wait_for(lambda: client.portal.call(storage.pushes_of, whose(client, anna)) == [])


def whose(client, person):
    from starlette.datastructures import Headers

    return client.app.state.guests.of(Headers(person.headers))


def test_a_redirect_is_not_followed(client, service):
    anna, ben = Person(client), Person(client)
    anna.post("/api/me/push", service.subscription())
    service.status = 307
    table = versus(ben, anna)
    ben.move(table, "drop 3")
    wait_for(lambda: service.heard)
    settled(client)
    assert len(service.heard) == 1


@pytest.mark.parametrize(
    "endpoint",
    [
        "https://localhost/x",
        "https://127.0.0.1/x",
        "https://[::1]/x",
        "https://10.0.0.7/x",
        "https://169.254.169.254/latest",
        "http://fcm.googleapis.com/x",
        "https://fcm.googleapis.com:8443/x",
        "https://fcm.googleapis.com@10.0.0.7/x",
        "https://fcm.googleapis.com.example.org/x",
        "https://example.org/fcm.googleapis.com",
        "https://me@fcm.googleapis.com/x",
        "https://fcm.googleapis.com:99999/x",
        "file:///etc/passwd",
        "",
    ],
)
def test_only_push_services_are_called(client, service, endpoint):
    anna = Person(client)
    answer = anna.post("/api/me/push", {**service.subscription(), "endpoint": endpoint})
    assert (answer.status_code, answer.json()["code"]) == (422, "no-such-service")
    for known in ("https://fcm.googleapis.com/fcm/send/abc", "https://updates.push.services.mozilla.com/wpush/v2/abc"):
        assert client.app.state.rooms.herald.accepts(known)


def test_without_a_key_there_is_no_push(url, service):
    with TestClient(create_app(url, limits=False)) as client:
        anna = Person(client)
        assert client.get("/api/push").json() == {"key": None}
        assert anna.post("/api/me/push", service.subscription()).json()["code"] == "no-push"


def test_the_key_that_browsers_get_is_the_public_one(client):
    key = client.get("/api/push").json()["key"]
    assert len(base64.urlsafe_b64decode(key + "=")) == 65
    assert "PRIVATE" not in key


def test_a_key_that_cannot_be_used_is_refused_in_one_sentence(tmp_path):
    file = tmp_path / "key.pem"
    with pytest.raises(ValueError, match="can't be read"):
        PushKey.read(file, "mailto:me@example.org")
    file.write_text("not a key")
    with pytest.raises(ValueError, match="isn't a private key"):
        PushKey.read(file, "mailto:me@example.org")
    file.write_text(pem())
    with pytest.raises(ValueError, match="--push-contact"):
        PushKey.read(file, "")
    assert Herald(None, PushKey.read(file, "mailto:me@example.org")).public


def test_signing_out_forgetting_and_switching_off_end_the_messages(client, service):
    storage = client.app.state.rooms.storage
    for end in ("/api/me/push", "/api/me"):
        anna = Person(client)
        anna.post("/api/me/push", service.subscription())
        guest = whose(client, anna)
        assert len(client.portal.call(storage.pushes_of, guest)) == 1
        assert client.delete(end, headers=anna.headers).status_code == 204
        assert client.portal.call(storage.pushes_of, guest) == []


# ---- on the home screen -------------------------------------------------------------------------------------------------------


def test_the_site_can_be_installed(client):
    assert '<link rel="manifest" href="/manifest.webmanifest">' in client.get("/").text
    manifest = client.get("/manifest.webmanifest")
    assert manifest.headers["content-type"] == "application/manifest+json"
    for icon in manifest.json()["icons"]:
        picture = client.get(icon["src"])
        assert picture.headers["content-type"] == "image/png"
        assert int.from_bytes(picture.content[16:20], "big") == int(icon["sizes"].partition("x")[0])
    assert client.get("/sw.js").headers["content-type"].startswith("text/javascript")
    assert client.get("/icon-4000.png").status_code == 404
