"""The wheel contains everything a user needs: it's built, installed into a clean environment, and played from there."""

import subprocess
import sys
import venv
import zipfile

import pytest

import rulestone
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return next(folder.glob("*.whl"))


def test_the_wheel_contains_rules_texts_content_and_templates(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    for game in rulestone.games():
        for file in ("rules.py", "RULES.md"):
            assert f"rulestone/games/{game}/{file}" in names
    assert "rulestone/scaffold/template/sticks/rules.py.txt" in names
    assert "rulestone/py.typed" in names
    assert {"rulestone/docs/README.md", "rulestone/docs/games/sarpedon.md", "rulestone/docs/pictures/house.svg"} <= set(names)
    assert not [name for name in names if name.startswith("tests")]


@pytest.mark.slow
def test_the_installed_wheel_plays(wheel, tmp_path):
    venv.create(tmp_path / "clean", with_pip=True)
    python = tmp_path / "clean" / "bin" / "python"
    pip = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    subprocess.run([*pip, "-r", ROOT / "requirements" / "base.txt"], check=True, capture_output=True)
    subprocess.run([*pip, "--no-deps", wheel], check=True, capture_output=True)
    rulestone_command = tmp_path / "clean" / "bin" / "rulestone"

    def run(*arguments):
        done = subprocess.run([rulestone_command, *arguments], capture_output=True, text=True, cwd=tmp_path, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert run("--version") == f"rulestone {rulestone.__version__}\n"
    assert all(name in run("games") for name in rulestone.games())
    assert "The game is over" in run("play", "connect_four", "--seat", "none", "--save", "game.json")
    assert "honest" in run("verify", "game.json")
    run("new", "mine")
    assert "The game is over" in run("play", "mine", "--seat", "none")
