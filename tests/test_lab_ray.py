"""The lab on a real Ray cluster of two workers, one of which is killed: nothing is lost or counted twice."""

import contextlib
import json
import os
import signal
from pathlib import Path

import pytest

from rulestone.lab import Study, make_plan
from rulestone.lab.run import Cluster

pytestmark = pytest.mark.xdist_group("lab")  # one process compiles, the others don't have to
ray = pytest.importorskip("ray")


def descendants(pid):
    """All processes started by a process, or by those it started."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found and child not in found}:
        found |= more
    return found - {pid}


@pytest.mark.slow
def test_a_killed_worker_loses_no_result_and_double_counts_none():
    plan = make_plan("connect_four", games=640_000, seed=11, vary={"COLUMNS": [7, 8]})  # each worker makes the changed game
    alone = Study(plan, workers=1).run()
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error", object_store_memory=100 * 1024 * 1024)
    try:
        study = Study(plan, ray="local")
        killed = []

        def kill_one(block, results):
            """Kill a busy worker of this cluster (Ray names processes after their task)."""
            if len(results.done) < 3 or killed:
                return
            for pid in descendants(os.getpid()):
                if Path(f"/proc/{pid}/cmdline").read_bytes().startswith(b"ray::work"):
                    os.kill(pid, signal.SIGKILL)
                    killed.append(pid)
                    return

        spread = study.run(kill_one)
        assert killed
        assert json.dumps(spread) == json.dumps(alone)
        assert len(study.results.done) == study.total
    finally:
        ray.shutdown()


def test_a_missing_cluster_is_reported():
    plan = make_plan("connect_four", games=10)
    with pytest.raises(ValueError, match="there is no Ray cluster at 'localhost:1'"):
        Cluster(plan, "localhost:1", False)
