"""The examples in deploy/ work: the proxies' recipes are run in front of a real server, where nginx and Caddy are installed."""

import contextlib
import json
import os
import re
import shlex
import shutil
import socket
import ssl
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest
import typer
import yaml
from websockets.sync.client import connect

from rulestone.cli import app as cli
from tests.services import postgres
from tests.tables import Person

DEPLOY = Path(__file__).parents[1] / "deploy"
NAME = "play.example.org"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


@contextlib.contextmanager
def running(command, ready, **more):
    """A process that is ready once it answers (or has said so), and killed in the end."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    try:
        ready(process)
        yield process
    finally:
        process.kill()
        process.communicate()


def listens(port):
    def ready(process):
        end = time.monotonic() + 60
        while time.monotonic() < end and process.poll() is None:
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", port), 1).close()
                return
            time.sleep(0.05)
        process.kill()
        pytest.fail(process.communicate()[0])

    return ready


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """The port of a server that is started as its unit does, behind a name."""
    port = free_port()
    folder = tmp_path_factory.mktemp("server")
    command = ["serve", "--name", NAME, "--port", str(port), "--db", f"sqlite:///{folder / 'tables.db'}", "--pace", "0"]

    def ready(process):
        assert process.stdout.readline().startswith(f"Rulestone is at https://{NAME}/ ")

    with running([sys.executable, "-m", "rulestone.cli", *command], ready, env={**os.environ, "RULESTONE_JIT": "0"}):
        yield port


def program(name):
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin")
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


@contextlib.contextmanager
def nginx(server, folder):
    """The recipe for nginx, with other ports and a certificate of its own."""
    plain, port = free_port(), free_port()
    openssl = [program("openssl"), "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={NAME}"]
    files = ["-keyout", str(folder / "privkey.pem"), "-out", str(folder / "fullchain.pem")]
    subprocess.run([*openssl, "-addext", f"subjectAltName=DNS:{NAME}", *files], check=True, capture_output=True)
    recipe = (DEPLOY / "proxy" / "nginx.conf").read_text()
    for old, new in (
        ("127.0.0.1:8000", f"127.0.0.1:{server}"),
        ("listen 80;", f"listen 127.0.0.1:{plain};"),
        ("listen 443 ssl", f"listen 127.0.0.1:{port} ssl"),
        (f"/etc/letsencrypt/live/{NAME}", str(folder)),
    ):
        assert old in recipe
        recipe = recipe.replace(old, new)
    temporary = "".join(f"{name}_temp_path {folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    whole = f"daemon off; pid {folder}/pid; error_log stderr; events {{}} http {{ {temporary}\n{recipe} }}"
    (folder / "nginx.conf").write_text(whole.replace("daemon off;", "daemon off; master_process off;", 1))
    with running([program("nginx"), "-c", str(folder / "nginx.conf"), "-p", str(folder)], listens(port)):
        yield port, ssl.create_default_context(cafile=str(folder / "fullchain.pem"))


@contextlib.contextmanager
def caddy(server, folder):
    """The recipe for Caddy, without HTTPS: it would ask for a certificate."""
    port = free_port()
    recipe = (DEPLOY / "proxy" / "Caddyfile").read_text()
    for old, new in ((f"{NAME} {{", f"http://{NAME}:{port} {{"), ("localhost:8000", f"127.0.0.1:{server}")):
        assert old in recipe
        recipe = recipe.replace(old, new)
    (folder / "Caddyfile").write_text(recipe.replace("{\n", "{\n\tadmin off\n", 1))
    command = [program("caddy"), "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")]
    with running(command, listens(port), env={**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder)}):
        yield port, None


@pytest.mark.parametrize("proxy", [nginx, caddy], ids=["nginx", "caddy"])
def test_the_recipe_of_a_proxy_carries_pages_moves_and_sockets_and_keeps_the_rest_inside(proxy, server, tmp_path):
    with proxy(server, tmp_path) as (port, trust):
        scheme = "https" if trust else "http"
        there = f"{scheme}://{NAME}:{port}" if trust is None else f"https://{NAME}"
        # the name leads to this machine, as it does for everybody else
        transport = httpx.HTTPTransport(verify=trust or True)
        with httpx.Client(transport=transport, base_url=f"{scheme}://127.0.0.1:{port}", timeout=60) as web:
            web.headers["Host"] = there.partition("://")[2]
            named = {"sni_hostname": NAME}
            page = web.get("/", extensions=named)
            assert page.status_code == 200
            assert ("secure" in page.headers["set-cookie"].lower()) == (scheme == "https")
            assert page.headers["x-request-id"]
            for path, status in (("/healthz", 200), ("/metrics", 404), ("/readyz", 404)):
                assert web.get(path, extensions=named).status_code == status, path
            large = web.post("/api/records", content=b"x" * 100_000, extensions=named)
            assert large.is_error  # 413, or 502 if the server has closed the connection before the proxy has sent it all
            get, post = web.get, web.post
            web.get = lambda *a, **k: get(*a, **k, extensions=named)
            web.post = lambda *a, **k: post(*a, **k, extensions=named)
            anna = Person(web)
            table = anna.table()
            assert anna.move(table, 3).status_code == 200
            raw = socket.create_connection(("127.0.0.1", port), 60)
            address = f"{'wss' if trust else 'ws'}://{web.headers['Host']}/ws/tables/{table}"
            more = {"ssl": trust, "server_hostname": NAME} if trust else {}
            with connect(address, sock=raw, additional_headers=anna.headers, origin=there, proxy=None, **more) as line:
                state = None
                while state is None:
                    message = json.loads(line.recv(60))
                    state = message if message["t"] == "state" else None
                line.send(json.dumps({"do": "move", "id": 1, "at": state["at"], "move": 3}))
                while message.get("id") != 1:
                    message = json.loads(line.recv(60))
                assert message["t"] == "ok"


def commands():
    """Every command line of Rulestone in the examples."""
    for unit in sorted((DEPLOY / "systemd").glob("*.service")):
        for found in re.findall(r"bin/rulestone (.*?)(?:'?)$", unit.read_text(), flags=re.MULTILINE):
            yield pytest.param(shlex.split(found), id=unit.name)
    for name, service in yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"].items():
        if service["image"] == "rulestone":
            yield pytest.param(service["command"], id=f"compose:{name}")


@pytest.mark.parametrize("words", list(commands()))
def test_every_command_in_the_examples_exists_with_its_options(words):
    words = [re.sub(r"\$\{.*?\}", "x", word) for word in words]
    command = typer.main.get_command(cli)
    while hasattr(command, "commands"):
        command = command.commands[words.pop(0)]
    command.make_context("rulestone", words)  # raises an exception if it doesn't know an option


def test_every_setting_of_the_examples_is_one_that_the_program_reads():
    sources = "".join(file.read_text() for file in (DEPLOY.parent / "src").rglob("*.py"))
    files = [file for file in DEPLOY.rglob("*") if file.is_file()]
    named = {name for file in files for name in re.findall(r"\bRULESTONE_[A-Z]+(?:_[A-Z]+)*", file.read_text())} - {"RULESTONE_NAME"}
    assert {name for name in named if name not in sources} == set()
    assert "RULESTONE_CACHE" in named


def test_a_database_made_as_the_page_says_is_enough_for_the_server():
    page = (DEPLOY.parent / "docs" / "running-a-server.md").read_text()
    made = re.findall(r"^sudo -u postgres (createuser|createdb) (.*)$", page, flags=re.MULTILINE)
    assert [name for name, _ in made] == ["createuser", "createdb"]
    with postgres() as url:
        folder = url.partition("host=")[2]
        for name, words in made:
            given = [word for word in shlex.split(words) if word != "--pwprompt"]
            subprocess.run([program(name), "--host", folder, "--username", "postgres", *given], check=True)
        upgrade = [sys.executable, "-m", "rulestone.cli", "db", "upgrade", "--db", f"postgresql://rulestone@/rulestone?host={folder}"]
        done = subprocess.run(upgrade, capture_output=True, text=True, check=False, env={**os.environ, "RULESTONE_JIT": "0"})
        assert done.returncode == 0, done.stderr


def test_systemd_finds_nothing_wrong_with_the_units(tmp_path):
    verify = program("systemd-analyze")
    for unit in (DEPLOY / "systemd").iterdir():
        text = unit.read_text().replace("/opt/rulestone/.venv/bin/rulestone", "/bin/true")
        (tmp_path / unit.name).write_text(text)
    done = subprocess.run(
        [verify, "verify", "--man=no", *map(str, sorted(tmp_path.iterdir()))], capture_output=True, text=True, check=False
    )
    if "Failed to" in done.stderr:
        pytest.skip(done.stderr)
    assert (done.returncode, done.stderr) == (0, "")
