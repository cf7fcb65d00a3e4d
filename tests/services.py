"""A PostgreSQL and a Redis of one's own for a while, where they are installed, and a server in a process of its own."""

import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import pytest


def _program(name):
    found = shutil.which(name) or next(iter(sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), reverse=True)), None)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return str(found)


def postgres_command(folder):
    """Make an empty database in a folder; returns the command that serves it through a file there, and the user to run it as."""
    pytest.importorskip("asyncpg")
    initdb, server = _program("initdb"), _program("postgres")
    user = "postgres" if os.getuid() == 0 else None  # it refuses to be run by root
    if user:
        account = pwd.getpwnam(user)
        os.chown(folder, account.pw_uid, account.pw_gid)
    data = f"{folder}/data"
    subprocess.run([initdb, "-D", data, "-U", "postgres", "-A", "trust", "-N"], check=True, capture_output=True, user=user, cwd=folder)
    quick = ["-c", "fsync=off", "-c", "listen_addresses=", "-c", f"unix_socket_directories={folder}"]
    return [server, "-D", data, *quick], user


def redis_command(folder):
    """The command that serves an empty Redis through a file in a folder."""
    pytest.importorskip("redis")
    quiet = ["--port", "0", "--save", "", "--appendonly", "no", "--unixsocket", f"{folder}/redis.sock", "--dir", str(folder)]
    return [_program("redis-server"), *quiet]


def postgres_url(folder):
    return f"postgresql+asyncpg://postgres@/postgres?host={folder}"


def redis_url(folder):
    return f"unix://{folder}/redis.sock"


@contextlib.contextmanager
def postgres():
    """The URL of an empty database that is reached through a file, so that no port is needed."""
    with tempfile.TemporaryDirectory(prefix="rulestone-") as folder:
        command, user = postgres_command(folder)
        running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, user=user, cwd=folder)
        try:
            assert any("ready to accept connections" in line for line in running.stderr)
            yield postgres_url(folder)
        finally:
            running.terminate()
            running.communicate()


@contextlib.contextmanager
def redis(folder=None):
    """The URL of an empty Redis that is reached through a file, so that no port is needed. In the same folder, it has the same URL."""
    with contextlib.ExitStack() as stack:
        folder = folder or stack.enter_context(tempfile.TemporaryDirectory(prefix="rulestone-"))
        running = subprocess.Popen(redis_command(folder), stdout=subprocess.PIPE, text=True)
        try:
            assert any("ready to accept connections" in line.lower() for line in running.stdout)
            yield redis_url(folder)
        finally:
            running.kill()
            running.communicate()


@contextlib.contextmanager
def serving(folder, *options, descriptors=None):
    """A real server that keeps its tables and its log in a folder, with so many descriptors at most: its port and its process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "rulestone.cli", "serve", "--port", str(port), "--db", f"sqlite:///{folder}/tables.db", *options]
    few = ["bash", "-c", f'ulimit -n {descriptors}; exec "$@"', "bash"] if descriptors else []
    with (folder / "log").open("w") as log:
        process = subprocess.Popen([*few, *command], env={**os.environ, "RULESTONE_JIT": "0"}, stdout=log, stderr=log)
    try:
        until = time.monotonic() + 60
        while time.monotonic() < until:
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"http://127.0.0.1:{port}/about", timeout=5).read()
                break
            time.sleep(0.1)
        yield port, process
    finally:
        process.terminate()
        process.wait()
