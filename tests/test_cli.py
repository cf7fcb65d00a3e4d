"""The command line: every command, good and bad input, exit codes."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time

import pytest

import rulestone


def run(*arguments, stdin="", **environment):
    command = [sys.executable, "-m", "rulestone.cli", *map(str, arguments)]
    done = subprocess.run(
        command, input=stdin, capture_output=True, text=True, env={**os.environ, "COLUMNS": "160", **environment}, check=False
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


def test_version():
    assert run("--version").stdout.startswith("rulestone ")


def test_help_lists_the_commands():
    text = run("--help").stdout
    assert all(command in text for command in ("games", "play", "playouts", "new", "check", "verify", "options"))


def test_games_as_a_table_and_as_json():
    assert "Connect Four" in run("games").stdout
    rows = json.loads(run("games", "--json").stdout)
    row = next(row for row in rows if row["name"] == "connect_four")
    assert (row["title"], row["players"], row["options"]) == ("Connect Four", "2", ["line"])


def test_options_are_explained():
    assert "how many discs in a line win" in run("options", "connect_four").stdout


def test_a_whole_game_against_a_bot(tmp_path):
    record = tmp_path / "game.json"
    done = run("play", "connect_four", "--seed", "4", "--save", record, stdin="\n".join(str(n % 7 + 1) for n in range(200)))
    assert done.returncode == 0
    assert "The game is over" in done.stdout
    assert "The seed was 4." in done.stdout
    verified = run("verify", record)
    assert verified.returncode == 0
    assert "honest" in verified.stdout


def test_bots_play_a_whole_game_alone():
    done = run("play", "connect_four", "--seat", "none", "--seed", "1")
    assert done.returncode == 0
    assert "wins" in done.stdout


def test_wrong_input_during_a_game_is_explained_and_asked_for_again():
    done = run("play", "connect_four", "--seed", "1", stdin="99\nfly\n?\nr\nu\ndrop 3\nu\nq\n")
    assert "There is no move number 99" in done.stdout
    assert "There is no move 'fly'" in done.stdout
    assert "Type the number of a move" in done.stdout
    assert "four discs in a straight line" in done.stdout
    assert "you haven't moved yet" in done.stdout
    assert "Move undone" in done.stdout
    assert "You left the game" in done.stdout


def test_the_end_of_input_quits_the_game():
    done = run("play", "connect_four", "--seed", "1", stdin="1\n")
    assert done.returncode == 0
    assert "You left the game" in done.stdout


def test_people_with_hidden_cards_get_the_screen_to_themselves(whisper):
    done = run("play", whisper.folder, "--players", "2", "--seat", "all", "--seed", "1", stdin="\nwhisper 2 1\n\nshow\n")
    assert "Red: press Enter when only you can see the screen" in done.stdout
    assert "Blue: press Enter" in done.stdout
    assert "The game is over" in done.stdout


@pytest.mark.slow
def test_playouts_report_seats_lengths_and_moves():
    summary = json.loads(run("playouts", "connect_four", "--games", "2000", "--seed", "1", "--json").stdout)
    assert summary["games"] == 2000
    assert [seat["seat"] for seat in summary["seats"]] == ["Red", "Blue"]
    assert summary["seats"][0]["low"] < summary["seats"][0]["wins"] < summary["seats"][0]["high"]
    assert summary["verbs"] == {"drop": 1.0}
    assert "decisions/s" in run("playouts", "connect_four", "-n", "500", "--seed", "1").stdout


@pytest.mark.slow
def test_new_creates_a_game_that_plays_and_passes_its_tests(tmp_path):
    assert run("new", "my_game", "--in", tmp_path).returncode == 0
    done = run("play", tmp_path / "my_game", "--seat", "none", "--seed", "1")
    assert "wins" in done.stdout
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path / "my_game")]
    tests = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert tests.returncode == 0, tests.stdout
    assert "passed" in tests.stdout


def test_check_says_fine_or_what_is_broken(tmp_path, whisper):
    fine = run("check", whisper.folder, "--games", "5", "--players", "2", RULESTONE_JIT="0")
    assert fine.returncode == 0
    assert "fine 2 players" in fine.stdout
    (tmp_path / "rules.py").write_text((whisper.folder / "rules.py").read_text().replace("longest=30", "longest=1"))
    broken = run("check", tmp_path, "--games", "5", RULESTONE_JIT="0")
    assert broken.returncode == 1
    assert "longer than 1" in broken.stdout


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["play", "conect_four"], "did you mean connect_four?"),
        (["play", "connect_four", "--players", "3"], "connect_four is for 2 players, not 3"),
        (["play", "connect_four", "--seat", "7"], "there is no seat '7'; choose 0..1, all or none"),
        (["play", "connect_four", "--bot", "clever", "--seat", "none"], "there is no bot 'clever' for connect_four; available: random"),
        (["play", "connect_four", "-o", "line"], "expected NAME=VALUE, got 'line'"),
        (["play", "connect_four", "-o", "size=9"], "has no option 'size'; its options are: line"),
        (["play", "connect_four", "-o", "line=9"], "option 'line' can't be 9; allowed: 4, 3, 5"),
        (["play", "connect_four", "--save", "/no/such/folder/x"], "can't write /no/such/folder/x: No such file or directory"),
        (["play", "connect_four", "-o", "line=3", "-o", "line=4"], "'line' is set twice, to 3 and to 4; set it once"),
        (["lab", "connect_four", "--vary", "line=4,3", "--vary", "line=4,5"], "'line' is set twice, to 4,3 and to 4,5; set it once"),
        (["draw", "connect_four", "-o", "/no/such/folder/x.svg"], "/no/such/folder/x.svg cannot be written: No such file or directory"),
        (["draw", "connect_four", "-o", "x.svg", "--theme", "pink"], "there is no theme 'pink'; possible: light, dark, auto"),
        (["serve", "--game", "/no/such/game"], "there is no rules.py in '/no/such/game'"),
        (["serve", "--db", "nonsense", "--port", "18731"], "the database cannot be opened"),
        (["serve", "--db", "oracle:///x", "--port", "18732"], "the database cannot be opened"),
        (["new", "connect_four"], "there is already a game called 'connect_four'; choose another name"),
        (["playouts", "connect_four", "--bots", "a,b"], "there is no bot 'a'"),
        (["new", "Bad-Name"], "can't be the name of a game"),
        (["new", "class"], "can't be the name of a game"),
        (["verify", "/no/such/file"], "can't read /no/such/file: No such file or directory"),
    ],
)
def test_bad_input_gets_one_sentence_and_exit_code_2(arguments, reason, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert reason in done.stderr
    assert done.stderr.startswith("rulestone: ")
    assert len(done.stderr.strip().splitlines()) == 1


def test_nothing_is_overwritten(tmp_path):
    (tmp_path / "mine").mkdir()
    done = run("new", "mine", "--in", tmp_path)
    assert done.returncode == 2
    assert "already exists; nothing was changed" in done.stderr


def test_a_damaged_or_foreign_record_is_refused(tmp_path):
    file = tmp_path / "record.json"
    file.write_text("{")
    assert "isn't valid JSON" in run("verify", file).stderr
    file.write_text("[" * 100_000)
    assert run("verify", file).stderr.count("\n") == 1
    file.write_text("{}")
    done = run("verify", file)
    assert done.returncode == 1
    assert "this is not a match record" in done.stderr


def test_completion_can_be_installed():
    assert "complete" in run("--show-completion", "bash", _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1").stdout


def test_a_taken_port_is_reported_before_anything_else():
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        done = run("serve", "--port", port, "--db", "sqlite:///:memory:")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"rulestone: port {port} is already in use; choose another one with --port\n"


def test_serve_prints_its_address_when_it_is_ready():
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "rulestone.cli", "serve", "--port", str(port), "--db", "sqlite:///:memory:"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=heed)
    assert process.stdout.readline().startswith(f"Rulestone is at http://localhost:{port}/")
    socket.create_connection(("127.0.0.1", port)).close()
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=30)[1] == ""


def heed():
    """React to Ctrl-C, which a background job of a shell would ignore."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def interrupted(*arguments, words, stream="stdout"):
    """Run a command and press Ctrl-C once it has printed some words. Returns the process and how many seconds it took to end."""
    command = [sys.executable, "-u", "-m", "rulestone.cli", *map(str, arguments)]
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(command, **streams, env={**os.environ, "FORCE_COLOR": "1", "TERM": "xterm"}, preexec_fn=heed)
    heard = b""
    while words not in heard:
        heard += os.read(getattr(process, stream).fileno(), 1000) or pytest.fail(heard.decode())
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    began = time.monotonic()
    said = process.communicate(timeout=60)
    assert b"Traceback" not in said[1], said[1].decode()
    return process, time.monotonic() - began


@pytest.mark.slow
def test_ctrl_c_stops_playouts_at_once():
    process, seconds = interrupted("playouts", "connect_four", "--games", 50_000_000, words=b"playing", stream="stderr")
    assert process.returncode == 130
    assert seconds < 5  # about 0.2 on an idle machine


def test_ctrl_c_saves_the_record_of_an_unfinished_game(tmp_path):
    process, _ = interrupted("play", "connect_four", "--seed", "1", "--save", tmp_path / "x.json", words=b"your move")
    assert process.returncode == 130
    assert json.loads((tmp_path / "x.json").read_text())["over"] is False


def test_the_record_of_your_own_game_is_verified_with_its_folder(tmp_path, whisper):
    own = shutil.copytree(whisper.folder, tmp_path / "mine", ignore=shutil.ignore_patterns("__pycache__"))
    file = tmp_path / "record.json"
    run("play", own, "--players", "2", "--seat", "none", "--seed", "1", "--save", file)
    unknown = run("verify", file)
    assert unknown.returncode == 2
    assert "the game 'mine' is not installed; if it's your own game, name its folder with --game FOLDER" in unknown.stderr
    assert "honest" in run("verify", file, "--game", own).stdout
    late = run("replay", file, "--game", own, "--ply", "999", "--no-browser")
    assert "there is no move 999" in late.stderr


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("def broken(:", "invalid syntax"),
        ("print(nothing)", "NameError: name 'nothing' is not defined"),
        ("import no_such_thing", "ModuleNotFoundError: No module named 'no_such_thing'"),
        ("from rulestone import no_such_thing", "ImportError: cannot import name 'no_such_thing'"),
        ("1 + None", "TypeError: unsupported operand"),
    ],
)
def test_a_game_that_cannot_be_read_is_reported_with_its_line(line, told, tmp_path):
    (tmp_path / "rules.py").write_text(f"\n{line}\n")
    for command in ("play", "check", "lab"):
        done = run(command, tmp_path)
        assert done.returncode == 2
        assert f"rules.py line 2: {told}" in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1


def test_a_rule_that_cannot_be_compiled_is_reported(monkeypatch, capsys):
    from rulestone import cli
    from rulestone.kernel.compiled import RuleError

    def fail():
        raise RuleError("rules.py, line 3, can't be compiled")

    monkeypatch.setattr(cli, "app", fail)
    with pytest.raises(SystemExit, match="2"):
        cli.main()
    assert capsys.readouterr().err == "rulestone: rules.py, line 3, can't be compiled\n"


def test_brackets_in_input_are_not_markup(tmp_path):
    file = tmp_path / "[b]x.json"
    done = run("play", "connect_four", "--seat", "none", "--seed", "[/]", "--save", file)
    assert done.returncode == 0
    assert "The seed was [/]." in done.stdout
    assert "[b]x.json" in done.stdout
    assert "seed [/]" in run("verify", file).stdout


def test_a_game_without_a_rules_text_says_so(tmp_path):
    shutil.copy(rulestone.load("connect_four").folder / "rules.py", tmp_path)
    assert "This game has no rules text" in run("play", tmp_path, "--seed", "1", stdin="r\nq\n").stdout


def test_a_game_is_printed_as_a_pdf(tmp_path):
    done = run("print", "connect_four", "-o", tmp_path / "four.pdf", "--paper", "letter", "--mono", "--only", "disks, rules")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == f"Saved Connect Four, 2 pages of US Letter, to {tmp_path / 'four.pdf'}. Print at actual size (100 %)."
    assert (tmp_path / "four.pdf").read_bytes().startswith(b"%PDF")


def test_a_printed_game_has_a_sensible_file_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "to connect_four.pdf. The first page says how to print it." in run("print", "connect_four").stdout
    assert "to connect_four-changed-mono.pdf" in run("print", "connect_four", "--mono", "--change", "COLUMNS=8").stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--paper", "a5"), "there is no paper 'a5'; choose a4 or letter"),
        (("--only", "dice"), "there is no part 'dice'; choose from guide, reference, board, cards, tiles, disks, tokens, rules"),
        (("--only", "cards"), "Connect Four has no cards to print; it has board and disks"),
        (("--players", "5"), "connect_four is for 2 players, not 5"),
        (("--option", "line=9"), "line"),
        (("-o", "no/such/folder.pdf"), "can't write no/such/folder.pdf: No such file or directory"),
    ],
)
def test_what_cannot_be_printed_is_said_in_one_sentence(arguments, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run("print", "connect_four", *arguments)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())
