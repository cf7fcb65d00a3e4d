"""A real server and a real Chromium. Tests are skipped, with a reason, only if Chromium is not installed."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

UNUSED = "WebUIOmniboxPopup,WebUIOmniboxAimPopup,HttpsUpgrades,PaintHolding,ThirdPartyStoragePartitioning"
"""Features of Chromium that are switched off: pages behind its address bar cost every window more than a page of ours, and the rest are
those of Playwright's own list that could be noticed here (only the last list of a command line counts)."""
ARGUMENTS = ["--no-sandbox", "--headless", "--disable-gpu", "--disable-background-networking", f"--disable-features={UNUSED}"]
SHOTS = Path(os.environ.get("RULESTONE_SHOTS", Path(__file__).parents[2] / "build" / "screenshots"))
WHISPER = Path(__file__).parents[1] / "toys" / "whisper"


def pytest_collection_modifyitems(items):
    """A real browser on a busy machine sometimes misses its moment: such a test runs again, and the summary counts it."""
    for item in items:
        if item.nodeid.startswith("tests/browser/"):
            item.add_marker(pytest.mark.flaky(reruns=2))


def free_port():
    """A port that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Server:
    """`rulestone serve` in its own process, which can be killed and restarted."""

    def __init__(self, folder):
        self.folder = folder
        self.port = free_port()
        self.address = f"http://localhost:{self.port}"
        self.start()

    def start(self):
        command = [sys.executable, "-m", "rulestone.cli", "serve", "--port", str(self.port), "--pace", "0", "--game", str(WHISPER)]
        command += ["--db", f"sqlite:///{self.folder}/tables.db", "--embed", "*"]
        environment = {**os.environ, "RULESTONE_JIT": "0"}
        with (self.folder / "server.log").open("a") as log:
            self.process = subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)
        until = time.monotonic() + 60
        while time.monotonic() < until:
            try:
                urllib.request.urlopen(self.address + "/about", timeout=2).read()
                return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError("the server did not start: " + (self.folder / "server.log").read_text())

    def kill(self):
        """Kill it without warning: acknowledged moves must survive this. The bots' processes are in the same group."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("server"))
    yield server
    server.kill()


@pytest.fixture(scope="package")
def chromium():
    """A browser for the tests in this folder. Playwright keeps an event loop running, and other tests need their own."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed (pip install playwright)")
    path = shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("Chromium is not installed (apt-get install chromium)")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def person(chromium, server):
    """Opens browsers for people, each with its own cookies. Errors on a page fail the test."""
    contexts, complaints = [], []

    def console(message):
        expected = "WebSocket" in message.text or "ERR_" in message.text  # connections that these tests interrupt
        if message.type == "error" and not expected:
            complaints.append(message.text)

    def open_browser(width=1280, height=800, dark=False, name="Tester", **more):
        look = {"viewport": {"width": width, "height": height}, "color_scheme": "dark" if dark else "light", "has_touch": width < 500}
        context = chromium.new_context(**{"base_url": server.address, **look, **more})
        context.add_init_script(f"localStorage.speed ??= 'instant'; localStorage.name ??= '{name}'")
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda problem: complaints.append(str(problem)))
        page.on("console", console)
        page.set_default_timeout(20_000)
        return page

    yield open_browser
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def shoot():
    """Save a screenshot as a build artefact. Chromium sometimes can't take one while it is busy."""
    SHOTS.mkdir(parents=True, exist_ok=True)

    def shot(page, name):
        for last_try in (False, False, True):
            try:
                page.screenshot(path=SHOTS / f"{name}.png")
                return
            except Exception as problem:
                if last_try or "Unable to capture" not in str(problem):
                    raise
                page.wait_for_timeout(500)

    return shot
