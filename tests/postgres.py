"""A PostgreSQL of one's own for a while, where it is installed."""

import contextlib
import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest


def _program(name):
    found = shutil.which(name) or next(iter(sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), reverse=True)), None)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return str(found)


@contextlib.contextmanager
def postgres():
    """The URL of an empty database that is reached through a file, so that no port is needed."""
    pytest.importorskip("asyncpg")
    initdb, server = _program("initdb"), _program("postgres")
    user = "postgres" if os.getuid() == 0 else None  # it refuses to be run by root
    with tempfile.TemporaryDirectory(prefix="rulestone-") as folder:
        if user:
            account = pwd.getpwnam(user)
            os.chown(folder, account.pw_uid, account.pw_gid)
        data = f"{folder}/data"
        quick = ["-c", "fsync=off", "-c", "listen_addresses=", "-c", f"unix_socket_directories={folder}"]
        subprocess.run([initdb, "-D", data, "-U", "postgres", "-A", "trust", "-N"], check=True, capture_output=True, user=user, cwd=folder)
        running = subprocess.Popen(
            [server, "-D", data, *quick], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, user=user, cwd=folder
        )
        try:
            assert any("ready to accept connections" in line for line in running.stderr)
            yield f"postgresql+asyncpg://postgres@/postgres?host={folder}"
        finally:
            running.terminate()
            running.communicate()
