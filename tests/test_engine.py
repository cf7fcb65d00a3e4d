"""The engine on CPU cores, and compiled code: determinism, cache, no allocation."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import rulestone
from rulestone.engine.playouts import playouts
from rulestone.game import BrokenGame
from rulestone.scaffold import make

BOX = """
import os, sys, time
os.environ["RULESTONE_CACHE"] = {cache!r}
import rulestone
from rulestone.scaffold import make
from rulestone.engine.playouts import playouts
"""


def in_new_process(code, cache, **environment):
    script = BOX.format(cache=str(cache)) + textwrap.dedent(code)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env={**os.environ, **environment}, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_results_do_not_depend_on_the_number_of_threads(connect_four):
    one, three = (playouts(connect_four, 5000, seed=3, threads=threads) for threads in (1, 3))
    assert np.array_equal(one.payoffs, three.payoffs)
    assert np.array_equal(one.lengths, three.lengths)
    assert one.verb_counts == three.verb_counts


def test_interpreted_and_compiled_playouts_are_the_same(whisper, monkeypatch):
    fast = playouts(whisper, 300, seed=3)
    monkeypatch.setenv("RULESTONE_JIT", "0")
    slow = playouts(whisper, 300, seed=3)
    assert np.array_equal(fast.payoffs, slow.payoffs)
    assert np.array_equal(fast.lengths, slow.lengths)


def test_winners_lengths_and_verbs(connect_four):
    results = playouts(connect_four, 20_000, seed=1)
    assert results.lengths.min() >= 7
    assert results.lengths.max() <= 42
    assert np.allclose(results.payoffs.sum(axis=1), 0)
    assert results.verb_counts == {"drop": results.decisions}
    shares = [(results.winners == seat).mean() for seat in (0, 1, -1)]
    # Known for uniformly random play: 55.6 % first player, 44.2 % second, 0.26 % draws; six standard errors.
    assert abs(shares[0] - 0.556) < 0.022
    assert abs(shares[1] - 0.442) < 0.022
    assert shares[2] < 0.006


def test_progress_adds_up_to_the_number_of_games(connect_four):
    done = []
    playouts(connect_four, 1234, seed=1, threads=2, progress=done.append)
    assert sum(done) == 1234


def press_ctrl_c():
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)


def fail():
    raise ValueError("trouble in one thread")


@pytest.mark.parametrize(("threads", "act"), [(1, press_ctrl_c), (3, press_ctrl_c), (3, fail)])
def test_ctrl_c_or_an_error_in_one_thread_stops_all(connect_four, threads, act):
    done = []

    def after_one(count):
        done.append(count)
        if len(done) == 1:
            act()
        time.sleep(0.01)

    usual = signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores Ctrl-C by default
    try:
        with pytest.raises((KeyboardInterrupt, ValueError)):
            playouts(connect_four, 4800, seed=1, threads=threads, progress=after_one)
    finally:
        signal.signal(signal.SIGINT, usual)
    assert sum(done) < 2400


def test_no_games_give_an_empty_result(connect_four):
    assert len(playouts(connect_four, 0, seed=1)) == 0


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"games": -1}, "the number of games can't be -1"),
        ({"games": 1, "bots": "clever"}, "there is no bot 'clever' for playouts; choose random, greedy, net or net:FILE"),
        ({"games": 1, "bots": ["random"]}, "got 1 bots for 2 players"),
        ({"games": 1, "bots": "greedy"}, "connect_four has no greedy bot"),
        ({"games": 1, "players": 3}, "connect_four is for 2 players, not 3"),
        ({"games": 1, "options": {"x": 1}}, "has no option 'x'"),
    ],
)
def test_invalid_arguments_are_refused(connect_four, arguments, reason):
    with pytest.raises(ValueError, match=reason):
        playouts(connect_four, **arguments)


def test_import_does_not_load_numba(tmp_path):
    assert in_new_process("print('numba' in sys.modules)", tmp_path) == "False"


def test_a_match_is_played_without_loading_numba(tmp_path):
    code = "m = rulestone.load('connect_four').new(seed=1); m.play('drop 3'); m.view(0); print('numba' in sys.modules)"
    assert in_new_process(code, tmp_path) == "False"


COUNT_COMPILED = """
from numba.core import event
compiled = 0
class Count(event.Listener):
    def on_start(self, e): pass
    def on_end(self, e):
        global compiled
        compiled += 1
event.register("numba:compile", Count())
game = rulestone.load({game!r})
print(int(playouts(game, 2000, seed=1).lengths.sum()), end=" ")
print("compiled" if compiled else "cached")
"""


@pytest.mark.slow
def test_the_second_process_compiles_nothing(tmp_path):
    code = COUNT_COMPILED.format(game="connect_four")
    first, second = in_new_process(code, tmp_path), in_new_process(code, tmp_path)
    assert first.split()[1] == "compiled"
    assert second.split()[1] == "cached"
    assert first.split()[0] == second.split()[0]


@pytest.mark.slow
def test_a_changed_rule_or_content_is_compiled_again(tmp_path):
    """This includes a change in a file with only a called function, which Numba's own cache wouldn't notice."""
    folder = make("stale", tmp_path)
    (folder / "content.py").write_text("MOST = 3\n")
    rules = (folder / "rules.py").read_text().replace("from rulestone", "from .content import MOST\nfrom rulestone", 1)
    (folder / "rules.py").write_text(rules.replace("take=range(1, 4)", "take=range(1, MOST + 1)"))
    code = COUNT_COMPILED.format(game=str(folder))
    three = in_new_process(code, tmp_path / "cache")
    assert in_new_process(code, tmp_path / "cache") == three.replace("compiled", "cached")
    (folder / "content.py").write_text("MOST = 2\n")
    two = in_new_process(code, tmp_path / "cache")
    assert two.split()[1] == "compiled"
    assert int(two.split()[0]) > int(three.split()[0])


def test_a_changed_kernel_makes_a_new_cache(tmp_path, connect_four, monkeypatch):
    from rulestone.kernel.compiled import cache_folder

    monkeypatch.setenv("RULESTONE_CACHE", str(tmp_path))
    sources = connect_four.sources()
    assert {"chance.py", "record.py", "turn.py", "playouts.py", "rules.py"} <= {source.name for source in sources}
    copy = tmp_path / "chance.py"
    copy.write_text("a = 1\n")
    before = cache_folder("x", [copy])
    copy.write_text("a = 2\n")
    assert cache_folder("x", [copy]) != before


@pytest.mark.slow
def test_an_unwritable_cache_does_not_stop_the_game(tmp_path):
    (tmp_path / "file").write_text("")
    code = "print(len(playouts(rulestone.load('connect_four'), 10, seed=1)))"
    assert in_new_process(code, tmp_path / "file" / "cache") == "10"


ALLOCATING = """
@rule
def end(s, winner):
    spare = np.zeros(3)
    s.payoff[winner] = spare[0]
    s.to_move = NOBODY
"""


def test_a_rule_that_allocates_is_refused(tmp_path):
    folder = make("greedy_for_memory", tmp_path)
    rules = (folder / "rules.py").read_text()
    start = rules.index("@rule\ndef end(")
    stop = rules.index("# A game with hidden information")
    (folder / "rules.py").write_text("import numpy as np\n" + rules[:start] + ALLOCATING + rules[stop:])
    with pytest.raises(TypeError, match=r"rules\.py, line \d+, can't be compiled: 'spare = np\.zeros\(3\)'.* can't allocate"):
        playouts(rulestone.load(folder), 1, seed=1)


def test_the_error_for_an_unknown_field_names_it(tmp_path):
    folder = make("misspelt", tmp_path)
    rules = (folder / "rules.py").read_text()
    (folder / "rules.py").write_text(rules.replace("s.to_move = NOBODY", "s.to_moev = NOBODY", 1))
    with pytest.raises(BrokenGame, match=r"rules\.py line \d+: the record has no field 'to_moev'; did you mean 'to_move'\?"):
        playouts(rulestone.load(folder), 1, seed=1)


def test_compiled_arithmetic_works_as_in_python(connect_four):
    """Small unsigned fields must not wrap: u8 - u8 can be negative, and sums of 64-bit fields stay integers."""
    from rulestone.kernel import Record, u8, u64
    from rulestone.kernel.compiled import Compiler
    from rulestone.kernel.rule import Interpreter

    class Small(Record):
        a: u8
        b: u8[2]
        c: u64

    layout = Small.layout(2)
    slow, fast = layout.array(1), layout.array(1)
    Interpreter().bind(sums)(Rows(layout.reader(slow)))
    Compiler(layout).fill(sums, {})(fast)
    assert slow.tobytes() == fast.tobytes()
    assert slow["payoff"][0].tolist() == [-200.0, 2.0]


class Rows(list):
    def __init__(self, reader):
        super().__init__([reader])


from rulestone.kernel.rule import rule  # noqa: E402

TABLE = np.array([250, 3], np.uint8)


@rule
def sums(states):
    s = states[0]
    s.b[0] = 200
    s.c = 1 << 40
    difference = s.a - s.b[0]
    s.payoff[0] = difference
    if s.a - s.b[0] < 0:
        s.payoff[1] = (s.c + s.a + TABLE[0] + TABLE[1] - 253) // (s.c // 2)
