"""Sharing finished games: previews of links, animated pictures, replays on other sites. Running and private tables show nothing."""

import re
from xml.etree import ElementTree

import pytest
from starlette.testclient import TestClient

from rulestone.server.app import Extras, create_app
from tests.tables import Person

pytestmark = pytest.mark.usefixtures("interpreted")

MOVES = (0, 1, 0, 1, 0)


def finished(person, **more):
    table = person.table(options={"line": 3}, **more)
    for column in MOVES:
        person.move(table, f"drop {column}")
    return table


def tags(text):
    return dict(re.findall(r'<meta property="og:([\w:]+)" content="([^"]*)">', text))


@pytest.fixture
def framed(url):
    with TestClient(create_app(url, pace=0, limits=False, extras=Extras(embed=["https://blog.example"]))) as client:
        yield client


def test_a_link_to_a_finished_game_has_its_last_position_as_preview(client, anna):
    table, other = finished(anna), anna.table()
    for path in (f"/t/{table}", f"/t/{table}/replay"):
        shown = tags(client.get(path).text)
        assert shown["image"] == f"http://testserver/t/{table}/preview.png"
        assert shown["description"] == "Red wins."
        assert shown["title"] == "Connect Four"
    picture = client.get(f"/t/{table}/preview.png")
    assert picture.headers["content-type"] == "image/png"
    assert [int.from_bytes(picture.content[at : at + 4], "big") for at in (16, 20)] == [1200, 630]
    assert picture.content != client.get(f"/t/{other}/preview.png").content


def test_the_preview_of_a_running_or_private_table_is_a_plain_card(client, anna, ben):
    """It is the same whatever has been played, and whoever asks."""
    running = anna.table()
    before = client.get(f"/t/{running}/preview.png").content
    anna.move(running, "drop 3")
    private = finished(anna, spectators=False)
    assert {client.get(f"/t/{table}/preview.png").content for table in (running, private)} == {before}
    assert anna.get(f"/t/{private}/preview.png").content == before
    assert tags(client.get(f"/t/{running}").text)["description"] == anna.get("/api/games/connect_four").json()["summary"]
    assert tags(anna.get(f"/t/{private}/replay").text)["description"] == anna.get("/api/games/connect_four").json()["summary"]
    assert client.get(f"/t/{private}/replay").status_code == 403


def test_the_preview_of_a_game_with_secrets_shows_what_a_spectator_saw(client, anna, monkeypatch):
    drawn = []
    monkeypatch.setattr("rulestone.server.sharing._drawn", lambda document: drawn.append(document) or b"")
    table = anna.table("whisper", ["me", "me"])
    for move in ("change", "show"):
        anna.move(table, move)
    client.get(f"/t/{table}/preview.png")
    room = client.app.state.rooms.rooms[table]
    assert "".join(room.face.scene(room.match.view(None), None).things) in drawn[0]


def test_a_finished_game_is_an_animated_picture(client, anna, ben):
    table = finished(anna)
    picture = anna.get(f"/t/{table}/game.svg")
    assert picture.headers["content-type"].startswith("image/svg+xml")
    assert "sandbox" in picture.headers["content-security-policy"]
    root = ElementTree.fromstring(picture.text)
    assert "@keyframes" in picture.text
    said = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text") if element.text]
    assert "Red wins." in said
    assert any("drops" in text for text in said)
    assert ben.get(f"/t/{anna.table()}/game.svg").status_code == 403, "the game is running"
    assert ben.get(f"/t/{finished(anna, spectators=False)}/game.svg").status_code == 403, "the game is private"


def test_what_can_be_shared_is_said(framed):
    anna = Person(framed)
    share = {
        name: anna.get(f"/api/tables/{table}/share").json() for name, table in {"over": finished(anna), "running": anna.table()}.items()
    }
    assert share["over"] == {"title": "Connect Four", "over": True, "anyone": True, "embed": True}
    assert share["running"]["embed"] is False


def test_other_sites_may_show_replays_only_where_the_operator_says_so(framed):
    anna = Person(framed)
    table = finished(anna)
    page = framed.get(f"/embed/{table}")
    assert page.status_code == 200
    assert page.headers["content-security-policy"].endswith("frame-ancestors https://blog.example")
    assert "x-frame-options" not in page.headers
    assert "set-cookie" not in page.headers
    assert framed.get(f"/embed/{table}/frames/5").json()["ending"][0] == "Red wins."
    for path in ("/", f"/t/{table}", f"/t/{table}/replay", f"/embed/{table}/frames/5"):
        answer = framed.get(path)
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"], path
        assert answer.headers["x-frame-options"] == "DENY"


def test_running_and_private_games_are_not_embedded(framed):
    anna = Person(framed)
    for table in (anna.table(), finished(anna, spectators=False)):
        for path in (f"/embed/{table}", f"/embed/{table}/frames/0"):
            assert anna.get(path).status_code == 403
            assert "frame-ancestors 'none'" in anna.get(path).headers["content-security-policy"]


def test_without_the_option_nothing_is_embedded(client, anna):
    table = finished(anna)
    assert client.get(f"/embed/{table}").status_code == 403
    assert anna.get(f"/api/tables/{table}/share").json()["embed"] is False


def test_an_option_that_is_no_site_is_refused():
    with pytest.raises(ValueError, match="isn't a site"):
        create_app(extras=Extras(embed=["https://blog.example; script-src *"]))
