"""The connection to the server: its loss is noticed at once, and nothing is lost or done twice."""

import os
import signal

import pytest

from tests.browser.test_browser import new_table, until
from tests.browser.test_table_page import TWO_OF_ME, drop, text

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

WIRE = """async () => {
  window.sockets = [];
  window.WebSocket = class extends EventTarget {
    static OPEN = 1;
    constructor() { super(); this.readyState = 0; this.sent = []; window.sockets.push(this); }
    send(text) { this.sent.push(JSON.parse(text)); }
    close() { this.readyState = 2; }  // and no "close" event for minutes
    opens() { this.readyState = 1; this.dispatchEvent(new Event("open")); }
    says(message) { this.dispatchEvent(Object.assign(new Event("message"), {data: JSON.stringify(message)})); }
    get verbs() { return this.sent.map((message) => message.do); }
  };
  const {Wire} = await import("/static/wire.js");
  window.said = [];
  window.wire = new Wire("x", (message) => said.push(message.t), (up) => said.push(up));
  sockets[0].opens();
}"""


@pytest.fixture
def wire(person):
    """A wire with fake sockets and a fake clock."""
    page = person(bypass_csp=True)
    page.clock.install(time=0)
    page.goto("/about")
    page.clock.pause_at(3600)  # from here on, time passes only when a test says so
    page.evaluate(WIRE)
    return page


def test_an_unanswered_move_triggers_a_ping_and_then_a_new_connection(wire):
    wire.evaluate("wire.ask('move', {key: 'k'}).then(() => said.push('moved')); 0")
    wire.clock.run_for(4900)
    assert wire.evaluate("sockets[0].verbs") == ["move"]
    wire.clock.run_for(200)
    assert wire.evaluate("sockets[0].verbs") == ["move", "ping"]
    wire.clock.run_for(5800)
    assert wire.evaluate("said") == [True]
    wire.clock.run_for(1000)
    assert wire.evaluate("[said, sockets.length]") == [[True, False], 2]
    wire.evaluate("sockets[0].says({t: 'state'}); sockets[0].dispatchEvent(new Event('close')); sockets[1].opens()")
    wire.clock.run_for(3000)
    assert wire.evaluate("[said, sockets.length]") == [[True, False, True], 2], "late messages from the old socket are ignored"
    assert wire.evaluate("sockets[1].sent[0]") == {"do": "move", "key": "k", "id": 1}
    wire.evaluate("for (const {id} of sockets[1].sent) sockets[1].says({t: 'ok', id})")
    wire.clock.run_for(4000)
    assert wire.evaluate("[said, sockets.length]") == [[True, False, True, "moved"], 2]


def test_a_bot_thinking_about_a_hint_does_not_count_as_a_lost_connection(wire):
    wire.evaluate("wire.ask('hint'); wire.ask('move'); 0")
    wire.clock.run_for(45000)
    assert wire.evaluate("[said, sockets[0].verbs]") == [[True], ["hint", "move"]]
    wire.evaluate("sockets[0].says({t: 'ok', id: 1}); sockets[0].says({t: 'ok', id: 2})")
    wire.clock.run_for(20000)
    assert wire.evaluate("sockets[0].verbs.at(-1)") == "ping"
    wire.clock.run_for(7000)
    assert wire.evaluate("said.at(-1)") is False


def test_reconnecting_is_retried_and_immediate_once_the_network_is_back(wire):
    wire.evaluate("dispatchEvent(new Event('offline'))")
    assert wire.evaluate("[said, sockets.length]") == [[True, False], 1]
    wire.clock.run_for(500)
    assert wire.evaluate("sockets.length") == 2
    wire.clock.run_for(11000)
    assert wire.evaluate("sockets.length") == 3
    wire.evaluate("dispatchEvent(new Event('online'))")
    assert wire.evaluate("sockets.length") == 4
    wire.evaluate("sockets[1].opens(); sockets[2].opens(); sockets[3].opens()")
    assert wire.evaluate("said.at(-1)") is True


def test_being_offline_shows_at_once_and_a_move_made_offline_arrives_once(person, shoot):
    page = person()
    new_table(page, "connect_four", TWO_OF_ME)
    drop(page, 3)
    page.wait_for_selector("#column-2.glow")
    page.context.set_offline(True)
    page.wait_for_selector("#offline:not([hidden])")
    shoot(page, "reconnecting")
    page.focus("#column-2")
    page.keyboard.press("Enter")
    page.wait_for_timeout(6000)
    assert page.is_visible("#offline")
    page.context.set_offline(False)
    page.wait_for_selector("#offline", state="hidden")
    page.wait_for_selector("#disc-0-2")
    until(page, "document.querySelectorAll('#story li').length === 2")
    drop(page, 0)


def test_a_frozen_server_is_detected_by_an_unanswered_move(person, server):
    page = person()
    new_table(page, "connect_four", TWO_OF_ME)
    drop(page, 3)
    page.wait_for_selector("#column-2.glow")
    os.kill(server.process.pid, signal.SIGSTOP)
    try:
        page.click("#column-2")
        assert text(page, "#prompt") == "Drop into column 3…"
        page.wait_for_selector("#offline:not([hidden])", timeout=60_000)
    finally:
        os.kill(server.process.pid, signal.SIGCONT)
    page.wait_for_selector("#offline", state="hidden")
    page.wait_for_selector("#disc-0-2")
    drop(page, 0)
    until(page, "document.querySelectorAll('#story li').length === 3")
