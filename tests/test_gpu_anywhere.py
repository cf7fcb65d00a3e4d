"""What runs on a GPU, tested without one: every game and its batches compile to a GPU's code, and numba-cuda's simulator plays the same
games as the cores."""

import os
import subprocess
import sys
import types

import numba
import numpy as np
import pytest

import rulestone
from rulestone.engine.gpu import Job, Shape, compiler, house_rules
from rulestone.lab import gpu as lab_gpu
from rulestone.lab.count import counter_of
from rulestone.lab.plan import make_plan

pytest.importorskip("numba_cuda")
compiler()
from rulestone.envs import lanes  # noqa: E402

CARD = (9, 0)
"""The compute capability that is compiled for."""
QUICK = "connect_four"


def all_games():
    """Every game; all but the quickest are for the slow tests."""
    return [name if name == QUICK else pytest.param(name, marks=pytest.mark.slow) for name in rulestone.games.names()]


@pytest.fixture
def card(monkeypatch):
    """Numba's `cuda`, compiling for a GPU that isn't there."""
    cuda = compiler()
    monkeypatch.setattr("numba.cuda.dispatcher.get_current_device", lambda: types.SimpleNamespace(compute_capability=CARD))
    return cuda


def code(cuda, function, signature):
    """A kernel as a GPU's assembly code. (Without optimisation, which would take most of the time.)"""
    with house_rules():
        return cuda.compile_ptx(function, signature, cc=CARD, opt=False)[0]


@pytest.mark.parametrize("rows", [False, True])
@pytest.mark.parametrize("name", all_games())
def test_random_playouts_compile_for_a_gpu(name, rows, card):
    job = Job(rulestone.load(name), False, rows, Shape(threads=32))
    assert ".entry" in code(card, job.function(), job.signature)


@pytest.mark.parametrize("name", [name for name in rulestone.games.names() if rulestone.load(name).greedy])
@pytest.mark.slow
def test_playouts_of_the_quick_bot_compile_for_a_gpu(name, card):
    job = Job(rulestone.load(name), True, False, Shape(threads=32, shared=False))
    assert ".entry" in code(card, job.function(), job.signature)


@pytest.mark.parametrize("bots", [False, True])
@pytest.mark.parametrize("name", all_games())
def test_batches_compile_for_a_gpu(name, bots, card):
    job = lanes.Job(rulestone.load(name), bots)
    signatures = job.signatures()
    for kernel, function in lanes.functions(job).items():
        if kernel != "advise" or bots:
            assert ".entry" in code(card, function, signatures[kernel])


def test_records_are_copied_in_words(card):
    job = Job(rulestone.load(QUICK), False, True, Shape(shared=False))
    with house_rules():
        ptx = card.compile_ptx(job.function(), job.signature, cc=CARD)[0]
    assert "ld.global.u8" not in ptx.partition("st.global")[0]


class Lent(np.ndarray):
    """An array that stands for one on a GPU."""

    def copy_to_host(self):
        return np.asarray(self)


@pytest.mark.parametrize("bots", ["random", pytest.param("greedy", marks=pytest.mark.slow)])
def test_the_loops_of_the_lab_compile_for_a_gpu(bots, card, monkeypatch):
    """Everything that a study launches is compiled for the arrays that it would get."""
    name = QUICK if bots == "random" else "sarpedon"
    launched = {}

    class Kernel:
        def __init__(self, function):
            self.function = function

        def __getitem__(self, grid):
            return lambda *given: launched.setdefault(self.function.__name__, code(card, self.function, tuple(map(numba.typeof, given))))

    memory = types.SimpleNamespace(get_memory_info=lambda: (1 << 30, 1 << 30))
    monkeypatch.setattr(card, "jit", Kernel)
    monkeypatch.setattr(card, "to_device", lambda array: np.array(array))
    monkeypatch.setattr(card, "device_array", lambda shape, kind: np.zeros(shape, kind).view(Lent))
    monkeypatch.setattr(card, "current_context", lambda: memory)
    monkeypatch.setattr(lab_gpu, "check", lambda: card)
    monkeypatch.setattr(lab_gpu, "LANES", 4)
    monkeypatch.setattr(lab_gpu, "_kernels", vars(lab_gpu)["_kernels"].__wrapped__)  # these are not to be kept for others
    monkeypatch.setattr("numba.typeof", lambda value, typeof=numba.typeof: typeof(np.asarray(value) if isinstance(value, Lent) else value))
    plan = make_plan(name, games=10, bots=bots, seed=5)
    counter = counter_of(plan.game)
    monkeypatch.setattr(counter, "loops", dict(counter.loops))
    hall = lab_gpu.Hall(counter, plan.cells[0], 1.0)
    hall.play(plan, [0], [10], True)
    assert set(launched) >= {"lay", "lane", "add"}
    assert all(".entry" in ptx for ptx in launched.values())


def simulated(script, *arguments):
    """Run a script with the simulator, which is chosen when Numba is imported."""
    settings = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "PYTHONWARNINGS": "ignore"}
    run = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, env=settings, timeout=500)
    assert run.returncode == 0, run.stderr[-3000:]
    return run.stdout.split()


PLAYOUTS = """
import sys
import numpy as np
import rulestone
from rulestone.engine import gpu
from rulestone.engine.playouts import playouts

name, bots = sys.argv[1:]
gpu.WAVES, gpu.PORTION = 2, 1
game = rulestone.load(name)
done = []
here = playouts(game, 150, seed=3, bots=bots)
there = playouts(game, 150, seed=3, bots=bots, gpu=True, progress=done.append)
for part in ("payoffs", "lengths", "verbs"):
    np.testing.assert_array_equal(getattr(here, part), getattr(there, part))
assert playouts(game, 150, seed=3, bots=bots, gpu=True, rows=False) == here.totals
assert playouts(game, 0, seed=3, gpu=True, rows=False) == playouts(game, 0, seed=3, rows=False)
print(sum(done), len(done))
"""


@pytest.mark.parametrize("name", all_games())
def test_playouts_in_the_simulator_are_the_same(name):
    played, launches = map(int, simulated(PLAYOUTS, name, "random"))
    assert played == 150
    assert launches > 1


@pytest.mark.slow
def test_playouts_of_the_quick_bot_in_the_simulator_are_the_same():
    assert simulated(PLAYOUTS, "sarpedon", "greedy")[0] == "150"


STOPPED = """
import numpy as np
import rulestone
from rulestone.engine import gpu
from rulestone.engine.playouts import playouts

def stop(count):
    raise KeyboardInterrupt

gpu.THREADS, gpu.WAVES, gpu.PORTION = 8, 1, 1
game = rulestone.load("connect_four")
try:
    playouts(game, 13, seed=1, gpu=True, progress=stop)
except KeyboardInterrupt:
    print("stopped")
done = []
there = playouts(game, 10, seed=2, gpu=True, progress=done.append)
assert (there.lengths == playouts(game, 10, seed=2).lengths).all()
print(*done)
"""


def test_games_that_were_stopped_leave_nothing_to_the_next_ones():
    assert simulated(STOPPED) == ["stopped", "8", "2"]


def test_a_block_of_a_batch_has_room_for_its_records(monkeypatch):
    job = lanes.Job(rulestone.load(QUICK), False)
    size = job.dtype.itemsize
    for room, threads in ((128 * size, 128), (127 * size, 64), (33 * size, 32), (20 * size, 16), (8 * size, 8)):
        monkeypatch.setattr(lanes, "MOST_SHARED", room)
        assert (job.threads, job.warp) == (threads, min(32, threads))
    monkeypatch.setattr(lanes, "MOST_SHARED", 7 * size)
    with pytest.raises(ValueError, match=f"connect_four has {size} bytes; a batch on the GPU has room for"):
        _ = job.threads


BATCH = """
import sys
import numpy as np
import torch
import rulestone
from rulestone.envs.vector import VectorEnv

name, who = sys.argv[1:]
game = rulestone.load(name)
settings = {"games": 11, "seed": 5}
if who == "bots":
    settings["bots"] = ([None] + ["random", "greedy" if game.greedy else "random"] * 5)[: game.about.usual_players]
here, there = VectorEnv(game, **settings), VectorEnv(game, **settings, device="cuda")
seen, mask = torch.from_dlpack(there.observations), np.from_dlpack(there.mask)


def same():
    for part in ("observations", "mask", "to_move", "rewards", "done", "length", "numbers", "seeds"):
        np.testing.assert_array_equal(getattr(here, part), getattr(there, part).host(), part)
    for part in ("states", "records", "final"):
        for field in game.bare.fields:
            np.testing.assert_array_equal(getattr(here, part)[field], getattr(there, part).host()[field], field)
    assert (seen.numpy() == here.observations).all() and (mask == here.mask).all()


same()
for step in range(60):
    actions = here.sample()
    np.testing.assert_array_equal(actions, there.sample().host())
    places = np.arange(11) % 3 > 0 if step % 5 == 4 else None
    here.step(actions, places)
    if step % 3 == 0 and places is None:
        there.step()
    else:
        there.step(actions.astype(np.int32) if step % 3 == 1 else actions, places)
    same()
there.check()
for seat in range(here.players):
    np.testing.assert_array_equal(here.look(seat), there.look(seat).host())
    np.testing.assert_array_equal(here.look_back(seat), there.look_back(seat))
if who == "bots" and game.greedy:
    np.testing.assert_array_equal(here.advice(2, 9), there.advice(2, 9).host())
restarted = np.arange(11) < 4
for env in (here, there):
    env.reset(places=restarted)
same()
for env in (here, there):
    env.reset(seed=list(range(11)))
same()
field = next(field for field in game.bare.fields if game.bare.dtype[field].shape)
assert (torch.from_dlpack(there.records[field]).numpy() == here.records[field]).all()
assert there.match(3).to_move == here.match(3).to_move

# An illegal action is noted, and its game stays as it is.
wrong = here.sample()
before = there.states.host()
wrong[7] = next(a for a in range(here.mask.shape[1]) if not here.mask[7, a]) if not here.mask[7].all() else 99999
there.step(wrong)
assert there.states.host()[7] == before[7] and (there.states.host() != before).sum() == 10
for _ in range(2):
    try:
        there.check()
        print("checked")
    except ValueError as problem:
        print("refused" if "not possible in game 7" in str(problem) else problem)
"""


@pytest.mark.parametrize("who", ["alone", "bots"])
@pytest.mark.parametrize("name", all_games())
def test_batches_in_the_simulator_are_the_same(name, who):
    assert simulated(BATCH, name, who) == ["refused", "checked"]


REFUSALS = """
import rulestone
from rulestone.envs.vector import VectorEnv
import numpy as np, pickle

env = VectorEnv("connect_four", 4, seed=1, device="cuda")
for wrong in (
    lambda: VectorEnv("connect_four", 4, device="tpu"),
    lambda: VectorEnv("connect_four", 4, device="cuda", threads=2),
    lambda: env.step(np.zeros(3, np.int64)),
    lambda: env.step(np.zeros(4)),
    lambda: env.look(2),
    lambda: env.advice(),
    lambda: env.records["nothing"],
    lambda: pickle.dumps(env),
    lambda: env.records.__dlpack__(),
):
    try:
        wrong()
        print("accepted")
    except (ValueError, KeyError, TypeError, BufferError) as problem:
        print(type(problem).__name__)
"""


def test_what_a_batch_on_a_gpu_refuses():
    assert simulated(REFUSALS) == [*["ValueError"] * 6, "KeyError", "TypeError", "BufferError"]


def test_a_missing_gpu_is_reported_for_batches_too():
    script = """
from rulestone.engine.gpu import NoGpu
from rulestone.envs.vector import VectorEnv
try:
    VectorEnv("connect_four", 4, device="cuda")
except NoGpu:
    print("none")
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env={**os.environ, "CUDA_VISIBLE_DEVICES": "-1"})
    assert run.stdout.split() == ["none"], run.stderr[-2000:]
